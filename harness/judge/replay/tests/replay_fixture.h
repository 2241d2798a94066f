/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * replay_fixture.h - a program's first points recorded, and where in the recording what is
 *
 * A copy of /bin/true, whose image may be changed and be missing: mostly its loader, which is where
 * it begins.
 */
#ifndef STACKPROOF_TESTS_REPLAY_FIXTURE_H
#define STACKPROOF_TESTS_REPLAY_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "judge/compare/compare.h"
#include "recording_fixture.h"
#include "recording_folder.h"
#include "judge/replay/page_set.h"

#define POINTS	   3000
#define UNPROVEN   1234 /* a point whose truth is said not to stand */
#define PAGES_MAX  256
#define WRITES_MAX 4096

static char program[64];

/* ---- recording -------------------------------------------------------------------------- */

static inline void record_point(void *context, const struct evidence *evidence)
{
	const struct point *point = evidence->point;
	struct error error;

	recording_writer_truth(context, evidence->truth, point->stop->shadow->rooted);
	ck_assert_msg(
		!recording_writer_point(context, point->space, point->regs, point->memory, &error),
		"%s", error.message);
}

/* Once for all tests: begins with record() and ends with forget(). */
static inline void record(void)
{
	struct compare_options options = { .engine = { &engine_table },
					   .engine_count = 1,
					   .on_evidence = record_point };
	const struct tracer_options tracer = { .argv = (char *[]) { program, NULL },
					       .timeout_ms = 600000,
					       .point_limit = POINTS };
	struct recording_writer *writer;
	struct comparer *comparer;
	struct comparison comparison;
	char command[128];
	struct error error;

	folder_begin();
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(command, sizeof(command), "cp /bin/true %s", program);
	ck_assert(!system(command));
	ck_assert(!recording_writer_create(path, program, &writer, &error));
	options.context = writer;
	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	ck_assert_msg(!comparer_run(comparer, &tracer, &comparison, &error), "%s", error.message);
	ck_assert_uint_eq(comparison.points, POINTS);
	recording_writer_unproven(writer, UNPROVEN);
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
	ck_assert_msg(!recording_writer_close(writer, true, &error), "%s", error.message);
}

static inline void forget(void)
{
	unlink(program);
	folder_end();
}

/* ---- what is in it ---------------------------------------------------------------------- */

static struct scan {
	uint64_t page[PAGES_MAX]; /* that are written to */
	size_t pages;
	size_t mappings;
	struct {
		uint64_t start, end;
		bool image;
	} mapping[64]; /* of the last M */
	struct scan_write {
		uint64_t address, word;
		size_t size, before; /* points */
	} write[WRITES_MAX];
	size_t writes;
	struct scan_point {
		uint64_t pc;
		uint32_t frames;
	} point[POINTS];
	size_t points;
} scan;

static inline int scan_mapping(void *context, const struct recording_mapping *mapping,
			       size_t number, size_t count, struct error *error)
{
	ck_assert_uint_lt(number, COUNT_OF(scan.mapping));
	scan.mappings = count;
	scan.mapping[number].start = mapping->start;
	scan.mapping[number].end = mapping->end;
	scan.mapping[number].image = mapping->kind != RECORDING_NO_IMAGE;
	return 0;
}

static inline int scan_write(void *context, uint64_t address, const uint8_t *bytes, size_t size,
			     struct error *error)
{
	struct scan_write *write = &scan.write[scan.writes++];
	size_t i = 0;

	ck_assert_uint_le(scan.writes, WRITES_MAX);
	*write = (struct scan_write) { .address = address, .size = size, .before = scan.points };
	memcpy(&write->word, bytes, size);
	while (i < scan.pages && scan.page[i] != address / PAGE_SET_PAGE)
		i++;
	ck_assert_uint_lt(i, PAGES_MAX);
	scan.page[i] = address / PAGE_SET_PAGE;
	scan.pages += i == scan.pages;
	return 0;
}

static inline int scan_absent(void *context, uint64_t address, struct error *error)
{
	return 0;
}

static inline int scan_point(void *context, const struct recording_point *point,
			     struct error *error)
{
	ck_assert_uint_lt(scan.points, POINTS);
	scan.point[scan.points++] = (struct scan_point) { point->regs.value[REGISTER_RIP],
							  point->frames };
	return 0;
}

static inline void scan_recording(void)
{
	const struct recording_handler handler = { .mapping = scan_mapping,
						   .write = scan_write,
						   .absent = scan_absent,
						   .point = scan_point };
	struct recording *recording;
	struct error error;

	scan.pages = scan.writes = scan.points = 0;
	ck_assert(!recording_open(path, &recording, &error));
	ck_assert(!recording_play(recording, &handler, &error));
	recording_close(recording);
	ck_assert_uint_eq(scan.points, POINTS);
	ck_assert_uint_gt(scan.pages, 0);
}

/* The number of the mapping with an image that holds an address; NOWHERE. */
static inline long mapping_of(uint64_t address)
{
	for (size_t i = 0; i < scan.mappings; i++)
		if (address >= scan.mapping[i].start && address < scan.mapping[i].end)
			return scan.mapping[i].image ? (long)i : NOWHERE;
	return NOWHERE;
}

static inline bool is_mapped(uint64_t address)
{
	unsigned char resident;

	return !mincore((void *)(address & ~(uint64_t)(PAGE_SET_PAGE - 1)), 1, &resident);
}

#endif
