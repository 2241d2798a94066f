/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * jit_dump_made.h - bytes of a jitdump, record by record
 */
#ifndef STACKPROOF_TESTS_JIT_DUMP_MADE_H
#define STACKPROOF_TESTS_JIT_DUMP_MADE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define JIT_MAGIC 0x4a695444u

static inline void put_u32(FILE *file, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static inline void put_u64(FILE *file, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static inline void put_header(FILE *file, uint32_t magic, uint32_t version, uint64_t flags)
{
	const uint32_t words[] = { magic, version, 40, 62 /* EM_X86_64 */, 0, 4711 };

	fwrite(words, sizeof(words), 1, file);
	put_u64(file, 1);
	put_u64(file, flags);
}

static inline void put_record(FILE *file, uint32_t id, uint32_t size, uint64_t time_ns)
{
	put_u32(file, id);
	put_u32(file, size);
	put_u64(file, time_ns);
}

/* With so many bytes of code. */
static inline void put_load(FILE *file, uint64_t time_ns, uint64_t address, uint64_t size,
			    uint64_t index, const char *name, size_t code)
{
	put_record(file, 0, 56 + strlen(name) + 1 + code, time_ns);
	put_u64(file, 0x100000001);
	put_u64(file, address);
	put_u64(file, address);
	put_u64(file, size);
	put_u64(file, index);
	fwrite(name, strlen(name) + 1, 1, file);
	for (size_t i = 0; i < code; i++)
		putc(0x90, file);
}

static inline void put_move(FILE *file, uint64_t time_ns, uint64_t from, uint64_t to, uint64_t size,
			    uint64_t index)
{
	put_record(file, 1, 64, time_ns);
	put_u64(file, 0x100000001);
	put_u64(file, from);
	put_u64(file, from);
	put_u64(file, to);
	put_u64(file, size);
	put_u64(file, index);
}

#endif
