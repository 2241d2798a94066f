/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_jit_dump.c - bytes as a process's jitdump (jit_dump.h)
 *
 * Any process may write there what it likes, and while it is read. The first byte says how much of the file is there when
 * it is read the first time; with all of it the names must be those of a file that was read at once. At both ends of each
 * code there is code at any time.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "walk/jit_dump.h"

#define RECORD_BYTES 56

static struct jit_dump *open_dump(struct jit_dump **list, int *ret_file)
{
	struct jit_dump *dump;

	*ret_file = memfd_create("jit", 0);
	dump = jit_dump_create(list, dup(*ret_file));
	fuzz_require(*ret_file >= 0 && dump, "no file");
	return dump;
}

static void grow(struct jit_dump *dump, int file, const uint8_t *data, size_t from, size_t to)
{
	struct error error;

	fuzz_require(pwrite(file, data + from, to - from, from) == (ssize_t)(to - from),
		     "no write");
	if (jit_dump_update(dump, &error))
		fuzz_require(error.code == ERROR_PROTOCOL || error.code == ERROR_TABLE_LIMIT, "%s",
			     error.message);
}

static void check_address(const struct jit_dump *whole, const struct jit_dump *grown, uint64_t pc)
{
	const struct perf_symbol *a = jit_dump_find(whole, pc, UINT64_MAX),
				 *b = jit_dump_find(grown, pc, UINT64_MAX), *first;

	fuzz_require(!a == !b, "0x%llx has a name in one way only", (unsigned long long)pc);
	if (!a)
		return;
	fuzz_require(a->start == b->start && !strcmp(a->name, b->name), "0x%llx is %s, and %s",
		     (unsigned long long)pc, a->name, b->name);
	for (const char *at = a->name; *at; at++)
		fuzz_require((unsigned char)*at >= ' ' && *at != 0x7f, "a control character");
	first = jit_dump_find(whole, pc, 0);
	fuzz_require(first && pc - first->start < first->end - first->start,
		     "there is code, and was none");
}

int fuzz_jit_dump(const uint8_t *data, size_t size)
{
	struct jit_dump *list = NULL, *whole, *grown;
	int files[2];
	size_t part = size ? size * data[0] / 256 : 0;

	if (size)
		data++, size--;
	part = part < size ? part : size;
	whole = open_dump(&list, &files[0]);
	grown = open_dump(&list, &files[1]);
	grow(whole, files[0], data, 0, size);
	grow(grown, files[1], data, 0, part);
	grow(grown, files[1], data, part, size);
	/* Whatever could be an address of a record, and the size behind it. */
	for (size_t at = 0; at + RECORD_BYTES <= size; at += 4) {
		uint64_t address[2];

		memcpy(address, data + at, sizeof(address));
		check_address(whole, grown, address[0]);
		check_address(whole, grown, address[0] + address[1] - 1);
	}
	jit_dump_release(whole);
	jit_dump_release(grown);
	close(files[0]);
	close(files[1]);
	return 0;
}
