/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_fixture.h - a recording written anew, with a fault planted in it
 *
 * This is a second writer of the format, by what recording.h says: with nothing planted it must
 * give the same bytes.
 */
#ifndef STACKPROOF_TESTS_RECORDING_FIXTURE_H
#define STACKPROOF_TESTS_RECORDING_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "crc32.h"
#include "judge/replay/recording.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define NOWHERE		(-1)

/* Where something is planted, by number from 0; NOWHERE. */
struct plant {
	long digest;  /* a bit of that point's digest */
	long write;   /* bit 0 of that W */
	long mapping; /* left out of every M */
};

struct rewriter {
	FILE *file;
	struct plant plant;
	long points, writes;
	uint64_t address, before, reg[REGISTER_COUNT];
	uint64_t *frame_pc; /* by number; 0: of no frame */
	uint32_t frames, truth;
};

static inline void rewrite_unsigned(FILE *file, uint64_t value)
{
	do
		fputc((int)(value & 127) | (value > 127 ? 128 : 0), file);
	while (value >>= 7);
}

/* Bytes are needed until the rest is all sign. */
static inline void rewrite_signed(FILE *file, uint64_t bits)
{
	int64_t value = (int64_t)bits, rest;

	do {
		rest = value >> 7;
		bool last = rest == -(value >> 6 & 1);

		fputc((int)(value & 127) | (last ? 0 : 128), file);
		if (last)
			return;
		value = rest;
	} while (true);
}

static inline void rewrite_bytes(FILE *file, const void *bytes, size_t size)
{
	rewrite_unsigned(file, size);
	fwrite(bytes, 1, size, file);
}

static inline int rewrite_mapping(void *context, const struct recording_mapping *mapping,
				  size_t number, size_t count, struct error *error)
{
	struct rewriter *rewriter = context;
	FILE *file = rewriter->file;

	if (!number) {
		fputc('M', file);
		rewrite_unsigned(file, count - (rewriter->plant.mapping >= 0));
		rewriter->before = 0;
	}
	if (!mapping || rewriter->plant.mapping == (long)number)
		return 0;
	rewrite_unsigned(file, mapping->start - rewriter->before);
	rewrite_unsigned(file, mapping->end - mapping->start);
	rewrite_signed(file, mapping->bias);
	fputc(mapping->kind, file);
	rewrite_bytes(file, mapping->path, strlen(mapping->path));
	if (mapping->kind == RECORDING_FILE)
		rewrite_unsigned(file, mapping->file_bytes);
	else if (mapping->kind == RECORDING_BYTES)
		rewrite_bytes(file, mapping->bytes, mapping->size);
	rewriter->before = mapping->end;
	return 0;
}

static inline int rewrite_write(void *context, uint64_t address, const uint8_t *bytes, size_t size,
				struct error *error)
{
	struct rewriter *rewriter = context;
	uint8_t word[RECORDING_WRITE_MAX];

	ck_assert_uint_le(size, sizeof(word));
	memcpy(word, bytes, size);
	word[0] ^= rewriter->plant.write == rewriter->writes++;
	fputc('W', rewriter->file);
	rewrite_signed(rewriter->file, address - rewriter->address);
	rewrite_bytes(rewriter->file, word, size);
	rewriter->address = address;
	return 0;
}

static inline int rewrite_absent(void *context, uint64_t address, struct error *error)
{
	struct rewriter *rewriter = context;

	fputc('A', rewriter->file);
	rewrite_unsigned(rewriter->file, address);
	return 0;
}

static inline int rewrite_point(void *context, const struct recording_point *point,
				struct error *error)
{
	struct rewriter *rewriter = context;
	uint64_t digest = point->digest;
	uint32_t mask = 0;

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		mask |= (uint32_t)(point->regs.value[reg] != rewriter->reg[reg]) << reg;
	fputc('P', rewriter->file);
	rewrite_unsigned(rewriter->file, mask);
	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		if (mask >> reg & 1)
			rewrite_signed(rewriter->file, point->regs.value[reg] - rewriter->reg[reg]);
	memcpy(rewriter->reg, point->regs.value, sizeof(rewriter->reg));
	rewrite_unsigned(rewriter->file, point->frames);
	rewrite_unsigned(rewriter->file, point->stop);
	digest ^= (uint64_t)(rewriter->plant.digest == rewriter->points++) << 17;
	fwrite(&digest, 1, sizeof(digest), rewriter->file);
	return 0;
}

static inline int rewrite_frame(void *context, uint32_t caller, uint64_t pc, struct error *error)
{
	struct rewriter *rewriter = context;

	fputc('F', rewriter->file);
	rewrite_unsigned(rewriter->file, ++rewriter->frames - caller);
	rewrite_signed(rewriter->file, pc - rewriter->frame_pc[caller]);
	rewriter->frame_pc = realloc(rewriter->frame_pc,
				     (rewriter->frames + 1) * sizeof(*rewriter->frame_pc));
	ck_assert_ptr_nonnull(rewriter->frame_pc);
	rewriter->frame_pc[rewriter->frames] = pc;
	return 0;
}

static inline int rewrite_truth(void *context, uint32_t frame, bool whole, struct error *error)
{
	struct rewriter *rewriter = context;

	fputc('T', rewriter->file);
	rewrite_signed(rewriter->file, (uint64_t)frame - rewriter->truth);
	fputc(whole, rewriter->file);
	rewriter->truth = frame;
	return 0;
}

static inline int rewrite_unproven(void *context, uint64_t point, struct error *error)
{
	const struct rewriter *rewriter = context;

	fputc('U', rewriter->file);
	rewrite_unsigned(rewriter->file, point);
	return 0;
}

/* Behind what was written to it. */
static inline void rewrite_digest(FILE *file)
{
	uint8_t bytes[4096];
	uint32_t crc = 0;
	size_t size;

	rewind(file);
	while ((size = fread(bytes, 1, sizeof(bytes), file)) > 0)
		crc = crc32_add(crc, bytes, size);
	ck_assert(!fseek(file, 0, SEEK_END));
	for (int byte = 0; byte < 4; byte++)
		fputc((int)(crc >> 8 * byte & 0xff), file);
}

static inline void rewrite(const char *from, const char *to, struct plant plant)
{
	struct rewriter rewriter = { .file = fopen(to, "w+e"),
				     .plant = plant,
				     .frame_pc = calloc(1, sizeof(uint64_t)) };
	const struct recording_handler handler = { .mapping = rewrite_mapping,
						   .write = rewrite_write,
						   .absent = rewrite_absent,
						   .frame = rewrite_frame,
						   .truth = rewrite_truth,
						   .unproven = rewrite_unproven,
						   .point = rewrite_point,
						   .context = &rewriter };
	struct recording *recording;
	struct error error;

	ck_assert_ptr_nonnull(rewriter.file);
	ck_assert_msg(!recording_open(from, &recording, &error), "%s", error.message);
	fprintf(rewriter.file, RECORDING_MAGIC "N");
	rewrite_bytes(rewriter.file, recording_program(recording),
		      strlen(recording_program(recording)));
	ck_assert_msg(!recording_play(recording, &handler, &error), "%s", error.message);
	fputc('E', rewriter.file);
	rewrite_unsigned(rewriter.file, rewriter.points);
	rewrite_digest(rewriter.file);
	ck_assert(!fclose(rewriter.file));
	free(rewriter.frame_pc);
	recording_close(recording);
}

#endif
