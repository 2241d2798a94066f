/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stat_parts.c - what `stat` says of one image where time, memory and files are made up
 *
 * A table is built three times: which time is said to be whose, and what stays of a build that failed. What can't be done
 * costs itself, and the next image nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "clock.h"
#include "base/images/debug_link.h"
#include "base/images/image_list.h"
#include "table/lost_cfi.h"
#include "table/unwind_table.h"
#include "tables/table/tests/section_image.h"

static uint64_t made_up_ns(void);
static int made_up_open(const struct image_path *path, struct opened_image *ret,
			struct error *error);
static void made_up_adopt(struct image *image);
static int made_up_build(const struct image *image, struct table **ret, struct error *error);
static int made_up_cfi(const struct image *image, struct cfi **ret, struct error *error);
static int made_up_addresses(const struct cfi *cfi, struct cfi_addresses **ret,
			     struct error *error);
static int made_up_outside(const struct cfi *cfi, cfi_outside_fn fn, void *context,
			   uint64_t *ret_count, struct error *error);
#define monotonic_ns	     made_up_ns
#define image_path_open	     made_up_open
#define debug_link_adopt     made_up_adopt
#define table_build	     made_up_build
#define cfi_create	     made_up_cfi
#define cfi_addresses_create made_up_addresses
#define cfi_outside	     made_up_outside
#include "tables/stat/stat_image.c"
#undef image_path_open
#undef debug_link_adopt
#undef table_build
#undef cfi_create
#undef cfi_addresses_create
#undef cfi_outside

#define ADOPTED 1000000 /* what looking for the debug file takes */

enum broken { NOTHING, FIRST_OPEN, LAST_OPEN, LAST_BUILD, CFI, ADDRESSES, OUTSIDE };

static struct made_up {
	uint64_t now, open_ns[BUILD_RUNS], build_ns[BUILD_RUNS];
	int opened, adopted, built;
	enum broken broken;
} world;

static uint64_t made_up_ns(void)
{
	return world.now;
}

static int no_memory(struct error *error, const char *what)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for %s", what);
}

static int made_up_open(const struct image_path *path, struct opened_image *ret,
			struct error *error)
{
	int run = world.opened++;

	world.now += world.open_ns[run];
	if ((world.broken == FIRST_OPEN && !run) ||
	    (world.broken == LAST_OPEN && run == BUILD_RUNS - 1))
		return no_memory(error, "a file");
	return image_path_open(path, ret, error);
}

static void made_up_adopt(struct image *image)
{
	world.adopted++;
	world.now += ADOPTED;
}

static int made_up_build(const struct image *image, struct table **ret, struct error *error)
{
	int run = world.built++;

	world.now += world.build_ns[run];
	if (world.broken == LAST_BUILD && run == BUILD_RUNS - 1)
		return no_memory(error, "a table");
	return table_build(image, ret, error);
}

static int made_up_cfi(const struct image *image, struct cfi **ret, struct error *error)
{
	*ret = NULL;
	return world.broken == CFI ? no_memory(error, "CFI") : cfi_create(image, ret, error);
}

static int made_up_addresses(const struct cfi *cfi, struct cfi_addresses **ret, struct error *error)
{
	*ret = NULL;
	return world.broken == ADDRESSES ? no_memory(error, "addresses")
					 : cfi_addresses_create(cfi, ret, error);
}

static int made_up_outside(const struct cfi *cfi, cfi_outside_fn fn, void *context,
			   uint64_t *ret_count, struct error *error)
{
	return world.broken == OUTSIDE ? no_memory(error, "rows")
				       : cfi_outside(cfi, fn, context, ret_count, error);
}

/* Two that can't be read to their end, and two outside of code. */
static void lossy(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1120, 0x10, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x9000, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x9020, 0x10, CFA_nop);
}

/* One of each, at addresses before and between those. */
static void lossy_debug_frame(struct diff_image *image)
{
	size_t cie = debug_frame_cie(image);

	debug_frame_fde(image, (uint32_t)cie, 0x1110, 0x10, 16);
	image->bytes[image->size - 7] = 0x3f; /* in place of its last instruction */
	debug_frame_fde(image, (uint32_t)cie, 0x9010, 0x10, 16);
}

static char path[] = "/tmp/test_stat_parts.XXXXXX";

static void set_up(void)
{
	const struct test_section sections[] = { SECTION(".eh_frame", lossy),
						 SECTION(".debug_frame", lossy_debug_frame),
						 NO_SECTION };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	section_image_write(path, sections);
}

static void tear_down(void)
{
	unlink(path);
}

/* All that is said of it, as an array. */
static json_t *said(enum broken broken)
{
	static const struct made_up times = { .open_ns = { 1, 1, 1 }, .build_ns = { 1, 1, 1 } };
	const struct image_path image = { .path = path, .named = true };
	json_t *ret = json_array();
	char *text = NULL, *rest = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!world.now)
		world = times;
	world.broken = broken;
	stat_image(&image, file);
	fclose(file);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		json_array_append_new(ret, json_loads(line, 0, NULL));
	free(text);
	return ret;
}

/* ---- times -------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t open_ns[BUILD_RUNS], build_ns[BUILD_RUNS], best, first;
} times[] = {
	{ "the_best_is_the_first", { 10, 20, 30 }, { 100, 200, 300 }, 110, 110 },
	{ "the_second", { 30, 10, 20 }, { 300, 100, 200 }, 110, 330 },
	{ "the_last", { 20, 30, 10 }, { 200, 300, 100 }, 110, 220 },
	{ "by_what_both_take", { 1, 90, 50 }, { 200, 100, 145 }, 190, 201 },
};

/* Looking for the debug file is in none of them, though it is done each time. */
START_TEST(builds_take_time)
{
	json_t *objects;
	const json_t *stat;

	world = (struct made_up) { .now = 5 };
	memcpy(world.open_ns, times[_i].open_ns, sizeof(world.open_ns));
	memcpy(world.build_ns, times[_i].build_ns, sizeof(world.build_ns));
	objects = said(NOTHING);
	stat = json_array_get(objects, 0);
	ck_assert_msg((uint64_t)json_count(stat, "build_ns") == times[_i].best &&
			      (uint64_t)json_count(stat, "build_first_ns") == times[_i].first,
		      "%s: %lld, the first %lld", times[_i].name,
		      (long long)json_count(stat, "build_ns"),
		      (long long)json_count(stat, "build_first_ns"));
	ck_assert(world.opened == BUILD_RUNS && world.adopted == BUILD_RUNS &&
		  world.built == BUILD_RUNS);
	json_decref(objects);
}
END_TEST

/* ---- what can't be done ------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum broken broken;
	size_t stats, diagnostics, with_pc, lost;
	const char *error; /* NULL: none */
} failures[] = {
	{ "all_is_there", NOTHING, 1, 3, 3, 3, NULL },
	{ "no_file", FIRST_OPEN, 0, 0, 0, 0, "no memory for a file" },
	{ "no_file_any_more", LAST_OPEN, 0, 0, 0, 0, "no memory for a file" },
	{ "no_table_the_last_time", LAST_BUILD, 0, 0, 0, 0, "no memory for a table" },
	{ "no_cfi", CFI, 0, 0, 0, 0, "no memory for CFI" },
	/* What is wrong is said, but not of which code. */
	{ "no_addresses", ADDRESSES, 1, 3, 0, 3, NULL },
	{ "nothing_of_what_is_outside", OUTSIDE, 1, 3, 3, 0, "no memory for rows" },
};

static size_t count_of(const json_t *objects, const char *type, const char *key)
{
	size_t ret = 0, i;
	json_t *object;

	json_array_foreach((json_t *)objects, i, object)
		ret += !strcmp(json_text(object, "type"), type) && json_object_get(object, key);
	return ret;
}

/* And of the next one all is said. */
START_TEST(what_is_missing_costs_itself)
{
	for (int round = 0; round < 2; round++) {
		int which = round ? 0 : _i;
		json_t *objects;
		const json_t *last;

		world = (struct made_up) { .now = 0 };
		objects = said(failures[which].broken);
		last = json_array_get(objects, json_array_size(objects) - 1);
		FREED char *text = json_dumps(objects, 0);
		ck_assert_msg(count_of(objects, "stat", "rows") == failures[which].stats &&
				      count_of(objects, "stat_diagnostic", "message") ==
					      failures[which].diagnostics &&
				      count_of(objects, "stat_diagnostic", "pc") ==
					      failures[which].with_pc &&
				      count_of(objects, "stat_lost", "pc") == failures[which].lost,
			      "%s: %s", failures[which].name, text);
		ck_assert_msg(count_of(objects, "stat_error", "code") == !!failures[which].error,
			      "%s: %s", failures[which].name, text);
		if (failures[which].error) {
			ck_assert_str_eq(json_text(last, "message"), failures[which].error);
			ck_assert_str_eq(json_text(last, "code"), "memory");
			ck_assert_str_eq(json_text(last, "image"), path);
		}
		json_decref(objects);
	}
}
END_TEST

START_TEST(each_is_of_its_section)
{
	json_t *objects = said(NOTHING), *object;
	FREED char *text = NULL;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);

	json_array_foreach(objects, i, object) if (json_object_get(object, "section")) fprintf(
		file, "%s %s %s..%s\n", json_text(object, "type"), json_text(object, "section"),
		json_text(object, "pc"), json_text(object, "pc_end"));
	fclose(file);
	ck_assert_str_eq(text, "stat_diagnostic .eh_frame 0x1100..0x1110\n"
			       "stat_diagnostic .eh_frame 0x1120..0x1130\n"
			       "stat_diagnostic .debug_frame 0x1110..0x1120\n"
			       "stat_lost .eh_frame 0x9000..0x9010\n"
			       "stat_lost .debug_frame 0x9010..0x9020\n"
			       "stat_lost .eh_frame 0x9020..0x9030\n");
	json_decref(objects);
}
END_TEST

SUITE(stat_parts, FIXTURE(set_up, tear_down), LOOP(builds_take_time, times),
      LOOP(what_is_missing_costs_itself, failures), TEST(each_is_of_its_section))
