/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove_readelf.c - our lines against those of a program that says something else
 *
 * The image is made for it, with lines of which no two are alike: so where the comparison meets again is known. The
 * program prints our own lines, which sed has changed, or what a case says.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "tables/prove/prove.h"
#include "tables/table/table.h"
#include "tables/table/tests/section_image.h"

/* sed's commands on our own lines: what a readelf of another opinion would print. */
static const struct line_case {
	const char *name;
	const char *sed;
	uint64_t differ;
	uint64_t line[4];	 /* of ours, of the first that differ */
	bool no_ours, no_theirs; /* in the first */
} line_cases[] = {
	{ "same_lines", "", 0, { 0 }, false, false },
	{ "a_row_differs", "8s/$/x/", 1, { 8 }, false, false },
	/* Line 7 is empty. */
	{ "an_empty_line_is_no_landmark", "6s/$/x/;8s/$/x/", 3, { 6, 7, 8 }, false, false },
	{ "but_equal_before_one", "6s/$/x/", 1, { 6 }, false, false },
	{ "two_places_differ", "8s/$/x/;30s/$/x/", 2, { 8, 30 }, false, false },
	{ "one_of_two_places_has_more_lines",
	  "8i another\\nand another\\nand one more\n30s/$/x/",
	  4,
	  { 8, 8, 8, 30 },
	  true,
	  false },
	{ "one_of_two_places_has_fewer", "8,9d;30s/$/x/", 3, { 8, 9, 30 }, false, true },
	{ "a_line_is_missing", "8d", 1, { 8 }, false, true },
	{ "a_line_is_added", "9i another", 1, { 9 }, true, false },
	{ "three_in_a_row_differ", "20,22s/^/x/", 3, { 20, 21, 22 }, false, false },
	{ "the_last_lines_are_missing", "40,$d", UINT64_MAX, { 40, 41, 42, 43 }, false, true },
	{ "nothing_is_said", "d", UINT64_MAX, { 1, 2, 3, 4 }, false, true },
	{ "more_than_are_read_ahead_differ",
	  "10,500s/$/x/;510s/$/x/",
	  492,
	  { 10, 11, 12, 13 },
	  false,
	  false },
	{ "two_differences_of_most_that_is_read_ahead",
	  "10,169d;300,489s/$/x/;600d;610s/$/x/",
	  352,
	  { 10, 11, 12, 13 },
	  false,
	  true },
	{ "theirs_has_as_many_more_twice",
	  "10,99{h;s/$/x/;G};300,389{h;s/$/x/;G};600s/$/x/",
	  181,
	  { 10, 11, 12, 13 },
	  true,
	  false },
	{ "a_line_more_at_the_end", "$a another", 1, { 0 }, true, false },
	{ "some_more_at_the_end",
	  "$a another\\nand another\\nand one more",
	  3,
	  { 0 },
	  true,
	  false },
};

/* The first that differ. */
struct noted_lines {
	size_t count;
	uint64_t line[4];
	bool no_ours, no_theirs;
	char *lines; /* all of ours */
};

static void note_line(void *context, const struct readelf_difference *difference)
{
	struct noted_lines *noted = context;

	ck_assert(difference->line && difference->ours && difference->theirs);
	/* What is said to be ours is what we have there. */
	if (*difference->ours) {
		const char *line = noted->lines;
		size_t size = strlen(difference->ours);

		for (uint64_t i = 1; i < difference->line; i++)
			line += strcspn(line, "\n") + 1;
		ck_assert_msg(!strncmp(line, difference->ours, size) && line[size] == '\n',
			      "%.*s is not %s", (int)strcspn(line, "\n"), line, difference->ours);
	}
	if (!noted->count) {
		noted->no_ours = !*difference->ours;
		noted->no_theirs = !*difference->theirs;
	}
	if (noted->count < COUNT(noted->line))
		noted->line[noted->count] = difference->line;
	noted->count++;
}

/* A program that prints what we print, changed by sed. */
static void make_program(const char *directory, const struct image *image, const char *sed,
			 char *ret_path, size_t size)
{
	struct table_filter filter = { .section = NULL };
	struct error_list diagnostics = { 0 };
	char lines[256];
	struct error error;
	FILE *file;

	snprintf(lines, sizeof(lines), "%s/lines", directory);
	file = fopen(lines, "w");
	ck_assert(file && !table_readelf(file, image, &filter, &diagnostics, &error));
	fclose(file);
	snprintf(ret_path, size, "%s/program", directory);
	file = fopen(ret_path, "w");
	/* Of a file that N keeps it from looking for debug files of. */
	fprintf(file, "#!/bin/sh\n[ \"$*\" = '-wNF %s' ] && exec sed '%s' '%s'\n", image->path, sed,
		lines);
	fclose(file);
	chmod(ret_path, 0755);
	error_list_deinit(&diagnostics);
}

static char *read_lines(const char *directory)
{
	char path[256], *text;
	FILE *file;
	long size;

	snprintf(path, sizeof(path), "%s/lines", directory);
	ck_assert(file = fopen(path, "r"));
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)size + 1);
	ck_assert(text && fread(text, 1, (size_t)size, file) == (size_t)size);
	fclose(file);
	return text;
}

/* One FDE of 640 rows: no two of its lines are alike. */
static void rows(struct diff_image *image)
{
	static const uint8_t cie_bytes[] = { 0, 0, 0,	 0,  1, 'z', 'R',
					     0, 1, 0x78, 16, 1, 0,   CFA_USUAL };
	uint8_t bytes[21 + 3 * 640] = { 0 };
	size_t cie = diff_image_entry(image, cie_bytes, sizeof(cie_bytes)), at = 21;
	const uint32_t back = (uint32_t)(image->size + 4 - cie);
	const uint64_t pc = 0x1000, range = 0x1000;

	memcpy(bytes, &back, 4);
	memcpy(bytes + 4, &pc, 8);
	memcpy(bytes + 12, &range, 8);
	for (int i = 0; at < sizeof(bytes); i++, at += 3)
		memcpy(bytes + at,
		       ((const uint8_t[]) { CFA_advance_loc(1),
					    CFA_def_cfa_offset(i % 2 ? 8 : 16) }),
		       3);
	diff_image_entry(image, bytes, sizeof(bytes));
}

static struct image *make_image(const char *directory)
{
	const struct test_section sections[] = { SECTION(".eh_frame", rows), NO_SECTION };
	struct image *image;
	struct error error;
	char path[256];

	snprintf(path, sizeof(path), "%s/image", directory);
	section_image_write(path, sections);
	ck_assert_msg(!image_create(path, &image, &error), "%s", error.message);
	return image;
}

START_TEST(lines_are_compared)
{
	const struct line_case *c = &line_cases[_i];
	char directory[] = "/tmp/test_prove_readelf.XXXXXX", program[256];
	struct noted_lines noted = { 0 };
	struct readelf_proof proof;
	struct image *image;
	struct error error;

	ck_assert(mkdtemp(directory) != NULL);
	image = make_image(directory);
	make_program(directory, image, c->sed, program, sizeof(program));
	noted.lines = read_lines(directory);
	ck_assert_msg(!prove_lines(image, program, &prove_readelf_source, note_line, &noted, &proof,
				   &error),
		      "%s: %s", c->name, error.message);
	ck_assert_uint_eq(noted.count, proof.differ);
	for (int i = 0; i < COUNT(c->line) && c->line[i]; i++)
		ck_assert_msg(noted.line[i] == c->line[i], "%s: line %" PRIu64, c->name,
			      noted.line[i]);
	ck_assert_msg(noted.no_ours == c->no_ours && noted.no_theirs == c->no_theirs, "%s",
		      c->name);
	if (c->differ == UINT64_MAX)
		ck_assert_msg(proof.differ > 40, "%s: %" PRIu64, c->name, proof.differ);
	else
		ck_assert_msg(proof.differ == c->differ && proof.lines > 40,
			      "%s: %" PRIu64 " differ, %" PRIu64 " equal", c->name, proof.differ,
			      proof.lines);
	ck_assert(prove_lines(image, "/nonexistent", &prove_readelf_source, note_line, &noted,
			      &proof, &error));
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	free(noted.lines);
	image_destroy(image);
	tree_remove(directory);
}
END_TEST

/* A table of no lines against what a program says: another's last line needs no end. */
static const struct {
	const char *program;
	uint64_t lines, differ;
	const char *theirs; /* the first that differs */
} empty_cases[] = {
	{ "exit 0", 0, 0, NULL },
	{ "printf '\\n'", 0, 1, "" },
	{ "printf 'a line\\n'", 0, 1, "a line" },
	{ "printf 'a line\\nthe last one'", 0, 2, "a line" },
	{ "printf 'the last one'", 0, 1, "the last one" },
	{ "printf 'found something'; exit 1", 0, 1, "found something" },
	{ "echo; exit 1", 0, 1, "" },
};

struct first_line {
	uint64_t count, line;
	char theirs[32];
};

static void note_first(void *context, const struct readelf_difference *difference)
{
	struct first_line *first = context;

	if (first->count++)
		return;
	first->line = difference->line;
	snprintf(first->theirs, sizeof(first->theirs), "%s", difference->theirs);
	ck_assert_str_eq(difference->ours, "");
}

/* Of nothing but a header: no CFI, which is no error. */
START_TEST(an_image_without_cfi_has_no_lines)
{
	char directory[] = "/tmp/test_prove_readelf.XXXXXX", program[256], path[256];
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
	};
	struct first_line first = { 0 };
	struct readelf_proof proof = { 99, 99 }; /* of another image */
	struct image *image;
	struct error error;

	ck_assert(mkdtemp(directory) != NULL);
	snprintf(path, sizeof(path), "%s/image", directory);
	snprintf(program, sizeof(program), "%s/program", directory);
	FILE *file = fopen(path, "w");
	ck_assert(file && fwrite(&header, sizeof(header), 1, file) == 1 && !fclose(file));
	ck_assert(file = fopen(program, "w"));
	fprintf(file, "#!/bin/sh\n%s\n", empty_cases[_i].program);
	fclose(file);
	chmod(program, 0755);
	ck_assert_msg(!image_create(path, &image, &error), "%s", error.message);
	ck_assert_msg(!prove_lines(image, program, &prove_readelf_source, note_first, &first,
				   &proof, &error),
		      "%s", error.message);
	ck_assert_uint_eq(proof.lines, empty_cases[_i].lines);
	ck_assert_uint_eq(proof.differ, empty_cases[_i].differ);
	ck_assert_uint_eq(first.count, proof.differ);
	if (empty_cases[_i].theirs) {
		ck_assert_str_eq(first.theirs, empty_cases[_i].theirs);
		ck_assert_uint_eq(first.line, 1);
	}
	image_destroy(image);
	tree_remove(directory);
}
END_TEST

static void junk(struct diff_image *image)
{
	diff_image_put(image, "junk", 4);
}

/* Then it is our lines that are missing, whatever the program says, and however it ends. */
START_TEST(what_we_can_not_read_ourselves)
{
	static const char *const words[] = { "exit 0", "echo no", "exit 1", "kill -SEGV $$" };
	const struct test_section sections[] = { { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 },
						 NO_SECTION };
	char directory[] = "/tmp/test_prove_readelf.XXXXXX", program[256], path[256];
	struct first_line first = { 0 };
	struct readelf_proof proof;
	struct image *image;
	struct error error;
	FILE *file;

	ck_assert(mkdtemp(directory) != NULL);
	snprintf(path, sizeof(path), "%s/image", directory);
	snprintf(program, sizeof(program), "%s/program", directory);
	section_image_write(path, sections);
	ck_assert_msg(!image_create(path, &image, &error), "%s", error.message);
	for (int i = 0; i < COUNT(words); i++) {
		ck_assert(file = fopen(program, "w"));
		fprintf(file, "#!/bin/sh\n%s\n", words[i]);
		fclose(file);
		chmod(program, 0755);
		ck_assert_int_eq(prove_lines(image, program, &prove_readelf_source, note_first,
					     &first, &proof, &error),
				 -1);
		ck_assert_msg(error.code == ERROR_ELF_BOUNDS, "%s: %s", words[i], error.message);
	}
	image_destroy(image);
	tree_remove(directory);
}
END_TEST

SUITE(prove_readelf, TEST(what_we_can_not_read_ourselves), LOOP(lines_are_compared, line_cases),
      LOOP(an_image_without_cfi_has_no_lines, empty_cases))
