/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_elsewhere.c - CFI that no file has, or that no header leads to, is not said to be missing
 *
 * testprogs/truth/registered.c and headless.c say what is done. Paths hold at the project's root.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "corpus/plant/tests/plant_image.h"
#include "judge/compare/compare_elsewhere.c"
#include "judge/compare/tests/compared_program.h"
#include "tables/diff/tests/diff_image.h"
#include "walk/image_store.h"

#define REGISTERED "registered.c -O1 "
#define HEADLESS   "headless.c -O1 -nostdlib -static "

static const struct elsewhere_case {
	const char *called, *build, *from;
	bool headless;	   /* its section headers are taken away */
	const char *where; /* in the place of a finding */
	bool missing;	   /* CFI is said to be missing there; */
	bool unproven;	   /* or that may be, somewhere */
} cases[] = {
	{ "it_may_register", REGISTERED "-DHOW=1", "main", false, "anonymous", false, true },
	{ "it_may_look_for_it", REGISTERED "-DHOW=2", "main", false, "anonymous", false, true },
	{ "it_has_no_way", REGISTERED "-DHOW=3", "main", false, "anonymous", true, false },
	/* Who only defines it calls it for whoever asks; nobody does. */
	{ "a_library_has_it", REGISTERED "-DHOW=3 -Wl,--no-as-needed -lgcc_s", "main", false,
	  "anonymous", true, false },
	{ "its_own_is_linked_in", REGISTERED "-DHOW=1 -static", "main", false, "anonymous", false,
	  true },
	{ "a_static_one_without_names", REGISTERED "-DHOW=3 -static -s", NULL, false, "anonymous",
	  false, true },
	{ "sections_say_where", HEADLESS "-Wl,--no-eh-frame-hdr", NULL, false, "program", false,
	  false },
	{ "nothing_says_where", HEADLESS "-Wl,--no-eh-frame-hdr", NULL, true, "program", false,
	  true },
	{ "a_search_table_says_where", HEADLESS "-Wl,--eh-frame-hdr", NULL, true, "program", false,
	  false },
	{ "there_is_none",
	  HEADLESS "-Wl,--no-eh-frame-hdr -fno-asynchronous-unwind-tables -fno-exceptions", NULL,
	  false, "twice", true, false },
};

static void take_headers(const char *path)
{
	Elf64_Ehdr header;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
	header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
	ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	close(fd);
}

static void check_result(const struct elsewhere_case *c, const struct comparison *result)
{
	uint64_t missing = 0;

	ck_assert_msg(result->status == 0, "%s: status 0x%x", c->called, result->status);
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *finding = &result->findings.finding[i];

		if (strstr(finding->place, c->where) && finding->first.kind == FAULT_MISSING)
			missing += finding->count;
	}
	ck_assert_msg(c->missing == (missing > 0), "%s: missing at %lu points", c->called, missing);
	ck_assert_msg(c->unproven == (result->unproven[DOUBT_ELSEWHERE] > 0),
		      "%s: elsewhere at %lu points", c->called, result->unproven[DOUBT_ELSEWHERE]);
	ck_assert_uint_gt(result->points, 10);
}

static void build(const char *to, const struct elsewhere_case *c)
{
	ck_assert_msg(!shell("gcc-12 -o %s testprogs/truth/%s", to, c->build), "%s", c->build);
}

START_TEST(only_what_is_known_is_missing)
{
	const struct elsewhere_case *c = &cases[_i];
	const struct compare_options options = { .engine = { &engine_cfi, &engine_table },
						 .engine_count = 2 };
	struct comparison comparison;

	build(program, c);
	if (c->headless)
		take_headers(program);
	compare_program(&options, c->from, &comparison);
	check_result(c, &comparison);
	comparison_deinit(&comparison);
}
END_TEST

/* One without symbols, which a program may be in spite of it, and one with some; and what is among their bytes. */
static const struct {
	const char *bytes;
	size_t size;
	bool symbols;
	bool may[2]; /* as a library; as the program */
} images[] = {
	{ "", 1, true, { false, false } },
	{ "", 1, false, { false, true } },
	{ register_frame, sizeof(register_frame), true, { true, true } },
	{ register_frame, sizeof(register_frame), false, { true, true } },
	{ "__register_frame_info", sizeof("__register_frame_info"), true, { false, false } },
};

START_TEST(names_that_images_have)
{
	struct image_store *store = image_store_create();
	static struct diff_image without;
	static struct plant_file with;
	struct image_entry *entry;
	struct error error;

	plant_file_make(&with);
	diff_image_make(&without);
	/* Behind the file's header, and behind code. */
	memcpy(with.bytes + PLANT_END - 0x20, images[_i].bytes, images[_i].size);
	memcpy(without.bytes + 0xb0, images[_i].bytes, images[_i].size);
	entry = images[_i].symbols
			? image_store_copy(store, with.bytes, with.size, "with", &error)
			: image_store_copy(store, without.bytes, without.size, "without", &error);
	ck_assert_msg(entry != NULL, "%s", error.message);
	for (int is_program = 0; is_program < 2; is_program++)
		ck_assert_int_eq(may_call(entry->image, is_program), images[_i].may[is_program]);
	image_store_destroy(store);
}
END_TEST

/* By one comparer, one after the other, of as many images: what was found of one program is not said of another. */
START_TEST(each_program_is_asked_for_itself)
{
	const struct elsewhere_case *const both[] = { &cases[_i ? 2 : 1], &cases[_i ? 1 : 2] };
	const struct compare_options options = { .engine = { &engine_cfi }, .engine_count = 1 };
	struct comparison comparison;
	struct comparer *comparer;
	struct error error;
	char path[FOLDER_PATH];

	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	for (int i = 0; i < 2; i++) {
		build(folder_path(path, i ? "program1" : "program0"), both[i]);
		compare_command(comparer, (char *[]) { path, NULL }, both[i]->from, &comparison);
		check_result(both[i], &comparison);
		comparison_deinit(&comparison);
	}
	comparer_destroy(comparer);
}
END_TEST

SUITE(elsewhere, TIMEOUT(600), FIXTURE(program_begin, folder_remove),
      LOOP(only_what_is_known_is_missing, cases), TIMES(each_program_is_asked_for_itself, 2),
      LOOP(names_that_images_have, images))
