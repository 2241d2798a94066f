/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff_parts.c - tables of more than fits at once, and one that comes through standard input
 *
 * Of many functions each has its own name and its own rules, and memory that is taken anew is not clean.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "tables/diff/diff.h"
#include "tables/table/tests/section_image.h"

#define HEADER	  "stackproof table text 1\n"
#define FUNCTIONS 24

/* ---- many of them ------------------------------------------------------------------------------- */

/* The same rules in a signal frame and in none, one after the other. */
static void many(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	static const uint8_t signal[] = { 0, 0, 0,    0,  1, 'z', 'R',	    'S',
					  0, 1, 0x78, 16, 1, 0,	  CFA_USUAL };
	size_t cie[] = { diff_image_entry(image, plain, sizeof(plain)),
			 diff_image_entry(image, signal, sizeof(signal)) };

	for (int i = 0; i < FUNCTIONS; i++)
		DIFF_IMAGE_FDE(image, cie[i % 2], 0x1100 + 0x10 * i, 0x10,
			       CFA_def_cfa_offset(16 + i / 2), CFA_advance_loc(1),
			       CFA_offset(RBX, 2 + i / 2));
}

/* Rules are numbered as they come, and each number's words are made once: in either dialect, of an image and of a text. */
START_TEST(each_function_has_its_rules)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", many), NO_SECTION };
	const struct diff_dialect *dialect = _i % 2 ? &diff_dialect_otel : &diff_dialect_text;
	char path[] = "/tmp/test_diff_parts.XXXXXX", expected[2][64];
	struct diff_words words = { 0 };
	struct diff_table table = { .dialect = dialect, .words = &words };
	struct table_text *text;
	struct image *image;
	struct error error;
	struct cfi *cfi;
	FREED char *saved = NULL;
	size_t size;
	FILE *file = open_memstream(&saved, &size);
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	section_image_write(path, sections);
	ck_assert(!image_create(path, &image, &error) && !cfi_create(image, &cfi, &error));
	ck_assert_int_eq(table_text_write(file, cfi, &error), 0);
	fclose(file);
	mallopt(M_PERTURB, 0xa5);
	if (_i < 2) {
		ck_assert(!diff_table_from_cfi(&table, cfi, &error));
	} else {
		ck_assert(!table_text_read(saved, size, &text, &error));
		ck_assert(!diff_table_from_text(&table, text, &error));
		table_text_destroy(text);
	}
	ck_assert_uint_eq(table.function_count, FUNCTIONS);
	for (int i = 0; i < FUNCTIONS; i++) {
		const struct diff_function *function = &table.function[i];
		const struct diff_row *row = &table.row[function->first_row];
		bool otel_signal = _i % 2 && i % 2;

		snprintf(expected[0], sizeof(expected[0]), "cfa=rsp+%d%s", 16 + i / 2,
			 _i % 2 ? "" : " ra=c-8");
		snprintf(expected[1], sizeof(expected[1]), "cfa=rsp+%d ra=c-8 rbx=c-%d", 16 + i / 2,
			 8 * (2 + i / 2));
		/* That dialect says nothing of rbx. */
		ck_assert_uint_eq(function->row_count, _i % 2 ? 1 : 2);
		ck_assert_str_eq(row[0].words, otel_signal ? "signal" : expected[0]);
		if (!(_i % 2))
			ck_assert_str_eq(row[1].words, expected[1]);
		ck_assert(function->signal == (!(_i % 2) && i % 2));
		/* An image's functions are somewhere, a text's are not. */
		ck_assert_uint_eq(function->has_pc, _i < 2);
		ck_assert_uint_eq(function->pc, _i < 2 ? 0x1100 + 0x10 * i : 0);
	}
	diff_table_deinit(&table);
	diff_words_deinit(&words);
	cfi_destroy(cfi);
	image_destroy(image);
	unlink(path);
}
END_TEST

/* Names of which two are not in one block, a longer one than a block is, and small ones behind each. */
START_TEST(each_function_has_its_name)
{
	static const size_t sizes[] = { 40000, 40000, 3, 70000, 3, 65000, 600, 40000, 3 };
	static char name[COUNT(sizes)][70001];
	const struct diff_function function = { .named = true };
	struct diff_table table = { 0 };
	char number[DIFF_NUMBER_BYTES];
	struct error error;
	size_t bytes = 0;

	for (int i = 0; i < COUNT(sizes); i++) {
		memset(name[i], 'a' + i, sizes[i]);
		ck_assert_int_eq(diff_table_add_function(&table, name[i], &function, &error), 0);
		bytes += sizes[i] + 1;
	}
	for (int i = 0; i < COUNT(sizes); i++)
		ck_assert_str_eq(diff_function_name(&table.function[i], number), name[i]);
	ck_assert_uint_eq(table.name_bytes, bytes);
	/* One that is too much is no function. */
	table.name_bytes = DIFF_NAME_BYTES_MAX;
	ck_assert_int_eq(diff_table_add_function(&table, "a", &function, &error), -1);
	ck_assert_uint_eq(table.function_count, COUNT(sizes));
	diff_table_deinit(&table);
}
END_TEST

/* ---- standard input ----------------------------------------------------------------------------- */

static void one(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

static const struct {
	const char *name, *bytes;
} files[] = {
	{ "text", HEADER "function fde.1\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x10 end\n" },
	{ "other_text", HEADER "function fde.1\n  +0x0 cfa=rsp+16 ra=c-8\n  +0x10 end\n" },
	{ "dump", "Contents of the .eh_frame section:\n\n\n"
		  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
		  "   LOC           CFA      ra    \n0000000000000000 rsp+8    c-8   \n\n"
		  "00000018 0000000000000014 0000001c FDE cie=00000000 "
		  "pc=0000000000001100..0000000000001110\n\n" },
	{ "junk", "hello\n" },
	{ "nothing", "" },
};

static const char *input;

static int diff_of_input(int argc, char **argv)
{
	ck_assert_ptr_nonnull(freopen(input, "r", stdin));
	return command_diff(argc, argv);
}

static const struct {
	const char *name, *input, *argument[3];
	enum exit_status status;
	const char *says;
} inputs[] = {
	{ "an_image", "image", { "-", "text" }, EXIT_OK, "1 functions equal, 0 changed" },
	{ "as_the_second", "image", { "text", "-" }, EXIT_OK, "1 functions equal, 0 changed" },
	/* Of which the CFI is not in what is read first. */
	{ "a_large_image",
	  "/proc/self/exe",
	  { "-", "/proc/self/exe", "--summary" },
	  EXIT_OK,
	  " functions equal, 0 changed, 0 added, 0 removed" },
	{ "a_text", "text", { "image", "-" }, EXIT_OK, "1 functions equal, 0 changed" },
	{ "another",
	  "other_text",
	  { "-", "image" },
	  EXIT_FINDINGS,
	  "  - +0x0 cfa=rsp+16 ra=c-8\n  + +0x0 cfa=rsp+8 ra=c-8\n" },
	{ "a_dump", "dump", { "image", "-" }, EXIT_OK, "1 functions equal, 0 changed" },
	{ "of_a_kind_that_is_named",
	  "dump",
	  { "image", "-", "--from=readelf" },
	  EXIT_OK,
	  "1 functions equal, 0 changed" },
	{ "and_of_one_that_it_is_not",
	  "dump",
	  { "image", "-", "--from=text" },
	  EXIT_BAD_INPUT,
	  "-: line 1: not a table's text" },
	{ "what_is_none", "junk", { "-", "image" }, EXIT_BAD_INPUT, "-: neither an ELF file nor" },
	{ "nothing", "nothing", { "image", "-" }, EXIT_BAD_INPUT, "-: neither an ELF file nor" },
	{ "a_folder", "/", { "image", "-" }, EXIT_BAD_INPUT, "-: cannot read the file: Is a dir" },
	{ "both", "text", { "-", "-" }, EXIT_USAGE, "standard input can be one of the files only" },
};

START_TEST(one_side_is_standard_input)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", one), NO_SECTION };
	char *arguments[] = { "diff", (char *)inputs[_i].argument[0],
			      (char *)inputs[_i].argument[1], (char *)inputs[_i].argument[2],
			      NULL };
	int status;

	folder_enter();
	section_image_write("image", sections);
	for (int i = 0; i < COUNT(files); i++) {
		FILE *file = fopen(files[i].name, "w");

		ck_assert_ptr_nonnull(file);
		fputs(files[i].bytes, file);
		fclose(file);
	}
	input = inputs[_i].input;
	FREED char *output = command_output(diff_of_input, arguments, &status);
	folder_remove();
	ck_assert_msg(status == (int)inputs[_i].status && strstr(output, inputs[_i].says),
		      "%s: %d: %s", inputs[_i].name, status, output);
}
END_TEST

SUITE(diff_parts, TIMES(each_function_has_its_rules, 4), TEST(each_function_has_its_name),
      LOOP(one_side_is_standard_input, inputs))
