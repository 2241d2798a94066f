/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_toolchain_sframe.c - whose SFrame is wrong: from a binary's two tables to what a report says of three toolchains
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/printed.h"
#include "sframe/tests/sframe_bytes.h"
#include "corpus/toolchains/toolchains.h"
#include "image/elf_image.h"

/* A function of three rows, of which one has the CFA cfa; and one whose CFA is by r10, which version 2 can't say. */
static void read_binary(int cfa, bool has_sframe, struct toolchain_sframe *ret)
{
	struct bytes eh_frame = { .size = 0 }, bytes = { .size = 0 };
	struct made made = { .version = 2 };
	struct image_segment segment = { 0x1000, 0x1000, 0, 0x1000, true };
	struct sframe_section {
		struct image_section section;
		char name[24];
		struct error error;
	} section = { .name = ".sframe" };
	struct image_file file = { .symbols_read = true, .ranges_made = true, .stubs_read = true };
	struct image image;
	size_t cie = put_cie(&eh_frame, 0, (struct literal)CFI(CFA_USUAL));
	struct cfi *cfi;

	put_fde(&eh_frame, cie, 0x1000, 0x20,
		(struct literal)CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16)));
	put_fde(&eh_frame, cie, 0x1020, 0x20, (struct literal)CFI(CFA_def_cfa_register(R10)));
	made_function(&made, 0x1000, 0x20, ADDR1, 0, 0, 2);
	made_row(&made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(&made, 1, 1, ROW(BY_SP, 1, 1), cfa);
	made_finish(&made, &bytes);
	section.section = made_section(&bytes);
	section.section.name = section.name;
	image = fake_image(&eh_frame);
	image.segment = &segment;
	image.segment_count = 1;
	image.type = ET_DYN;
	image.priv = &file;
	file.sframe = (void *)&section;
	file.sframe_count = has_sframe;
	cfi = cfi_of(&image);
	toolchain_sframe_read(&image, cfi, ret);
	cfi_destroy(cfi);
}

static const struct {
	const char *name;
	int cfa;
	bool has_sframe;
	size_t binaries;
	uint64_t equal, wrong, lost;
	size_t faults;
} cases[] = {
	{ "right", 16, true, 1, 2, 0, 1, 0 },
	{ "a_wrong_cfa", 24, true, 1, 1, 1, 1, 1 },
	{ "no_sframe", 16, false, 0, 0, 0, 0, 0 },
};

START_TEST(a_binary_is_read)
{
	struct toolchain_sframe read;

	read_binary(cases[_i].cfa, cases[_i].has_sframe, &read);
	ck_assert_uint_eq(read.binaries, cases[_i].binaries);
	ck_assert_uint_eq(read.rows, cases[_i].equal + cases[_i].wrong + cases[_i].lost);
	ck_assert_uint_eq(read.equal, cases[_i].equal);
	ck_assert_uint_eq(read.wrong, cases[_i].wrong);
	ck_assert_uint_eq(read.absent[SFRAME_CFA_REGISTER], cases[_i].lost);
	ck_assert_uint_eq(read.fault_count, cases[_i].faults);
	if (read.fault_count)
		ck_assert_str_eq(read.fault[0], "fde@0x1000: another CFA");
	toolchain_sframe_deinit(&read);
}
END_TEST

START_TEST(a_report_says_whose)
{
	static char old[] = "gcc-1", new[] = "gcc-2", without[] = "gcc-3";
	struct toolchain toolchain[] = { { .name = old }, { .name = new }, { .name = without } };
	const struct toolchains model = { .toolchain = toolchain, .count = 3 };
	struct toolchain_sframe read;

	read_binary(16, true, &toolchain[0].sframe);
	read_binary(24, true, &toolchain[1].sframe);
	read_binary(24, true, &read);
	toolchain_sframe_add(&toolchain[1].sframe, &read);
	toolchain_sframe_deinit(&read);
	FREED char *text = PRINTED(file, toolchain_sframe_print(&model, file));
	FREED char *json = PRINTED(file, toolchain_sframe_print_json(&model, file));

	ck_assert_str_eq(
		text,
		"  gcc-1: 1 binaries, 3 rows, 2 equal, 0 wrong; absent 1 cfa_register; version 2\n"
		"  gcc-2: 2 binaries, 6 rows, 2 equal, 2 wrong; absent 2 cfa_register; version 2\n"
		"  fde@0x1000: another CFA\n      in gcc-2\n      not in gcc-1\n");
	ck_assert_str_eq(
		json, "{\"type\":\"toolchain_sframe_fault\",\"fault\":\"fde@0x1000: another CFA\","
		      "\"present\":[\"gcc-2\"],\"absent\":[\"gcc-1\"]}\n");
	for (size_t i = 0; i < model.count; i++)
		toolchain_sframe_deinit(&toolchain[i].sframe);
}
END_TEST

START_TEST(faults_beyond_the_limit_are_counted)
{
	struct toolchain_sframe sums = { .binaries = 0 }, one = { .binaries = 1 };
	char text[32], *fault[] = { text };

	one.fault = fault;
	one.fault_count = 1;
	for (int i = 0; i < TOOLCHAIN_SFRAME_FAULTS_MAX + 3; i++) {
		snprintf(text, sizeof(text), "f%d", i);
		toolchain_sframe_add(&sums, &one);
	}
	ck_assert_uint_eq(sums.fault_count, TOOLCHAIN_SFRAME_FAULTS_MAX);
	ck_assert_uint_eq(sums.more_faults, 3);
	toolchain_sframe_deinit(&sums);
}
END_TEST

SUITE(toolchain_sframe, LOOP(a_binary_is_read, cases), TEST(a_report_says_whose),
      TEST(faults_beyond_the_limit_are_counted))
