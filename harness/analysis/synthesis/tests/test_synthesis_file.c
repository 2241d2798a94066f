/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_file.c - what synthesize says of a file, and the files that it writes
 *
 * A shared object of three functions: one that is proven, one of which a fragment is, and one of which
 * nothing is. Objects are compared whole, but for the seconds and the paths.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "walk/address_space.h"
#include "base/cli/json_counts.h"
#include "analysis/synthesis/synthesis.h"

#define THREE                                                                                      \
	"f: ret; .size f, .-f; g: .type g, @function; push rax; jmp [rdi]; nop; pop rax; ret; "    \
	".size g, .-g; h: .type h, @function; .byte 0x06; .size h, .-h; "
#define WITH_CFI "f: startproc; ret; endproc; .size f, .-f; "

static char directory[] = "/tmp/test_synthesis.XXXXXX";
static char path[64], section[64], copy[64];

static void make_folder(void)
{
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/f.so", directory);
	snprintf(section, sizeof(section), "%s/section", directory);
	snprintf(copy, sizeof(copy), "%s/copy", directory);
}

static void remove_folder(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	ck_assert_int_eq(system(command), 0);
}

/* Its objects, a line each; without what differs from run to run. */
static char *said(const struct synthesis_options *options)
{
	const struct image_path image = { .path = path, .named = true };
	char *text = NULL, *lines = NULL, *save = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size), *output;

	ck_assert_ptr_nonnull(file);
	synthesis_file(options, &image, file);
	fclose(file);
	output = open_memstream(&lines, &size);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *object = json_loads(line, 0, NULL);

		ck_assert_ptr_nonnull(object);
		ck_assert_str_eq(json_text(object, "image"), path);
		json_object_del(object, "image");
		json_object_del(object, "seconds");
		json_dumpf(object, output, JSON_COMPACT);
		fputc('\n', output);
		json_decref(object);
	}
	fclose(output);
	free(text);
	return lines;
}

START_TEST(an_image_is_counted)
{
	const struct synthesis_options options = { .directives = false };
	char *text;

	assemble(directory, THREE);
	text = said(&options);
	ck_assert_str_eq(
		text,
		"{\"type\":\"synthesis\",\"status\":\"synthesized\",\"functions\":3,\"proven\":1,"
		"\"partial\":1,\"none\":1,\"instructions\":6,\"instructions_written\":3,\"rows\":3,"
		"\"unwritten\":{\"jump_unknown\":2,\"undecoded\":1}}\n");
	free(text);
}
END_TEST

START_TEST(one_whose_functions_have_CFI_has_nothing)
{
	const struct synthesis_options options = { .output = section };
	char *text;

	assemble(directory, WITH_CFI);
	text = said(&options);
	ck_assert_str_eq(text, "{\"type\":\"synthesis\",\"status\":\"nothing\",\"functions\":0,"
			       "\"proven\":0,\"partial\":0,\"none\":0,\"instructions\":0,"
			       "\"instructions_written\":0,\"rows\":0,\"unwritten\":{}}\n");
	ck_assert_int_ne(access(section, F_OK), 0);
	free(text);
}
END_TEST

START_TEST(what_is_no_image_is_not_read)
{
	const struct synthesis_options options = { .directives = true };
	FILE *file = fopen(path, "w");
	char *text;

	ck_assert_ptr_nonnull(file);
	fputs("no ELF", file);
	fclose(file);
	text = said(&options);
	ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"synthesis\",\"status\":\"unread\",\"code\":"
					   "\"not_elf\",\"message\":\""));
	free(text);
}
END_TEST

START_TEST(directives_come_before_the_counts)
{
	const struct synthesis_options options = { .directives = true };
	char *text;

	assemble(directory, "f: ret; .size f, .-f");
	text = said(&options);
	ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"directives\",\"text\":\"f:\\t# 0x"));
	ck_assert_ptr_nonnull(
		strstr(text, ", 1 bytes, 1 of 1 instructions\\n\\t.cfi_startproc\\n"
			     "\\t# +0x1\\n\\t.cfi_endproc\\n\"}\n{\"type\":\"synthesis\","));
	free(text);
}
END_TEST

/* The copy's rows at f and at g's second instruction. */
static void check_copy(const char *name)
{
	struct image *image;
	struct error error;
	struct cfi *cfi;
	struct row row;

	ck_assert_int_eq(image_create(copy, &image, &error), 0);
	ck_assert_int_eq(cfi_create(image, &cfi, &error), 0);
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	ck_assert_int_eq(cfi_row_find(cfi, image_symbol_address(image, "f"), &row, &error), 1);
	ck_assert_int_eq(row.cfa.offset, 8);
	ck_assert_int_eq(cfi_row_find(cfi, image_symbol_address(image, "g") + 1, &row, &error), 1);
	ck_assert_int_eq(row.cfa.offset, 16);
	ck_assert_int_eq(cfi_row_find(cfi, image_symbol_address(image, "h"), &row, &error), 0);
	if (!strcmp(name, ".eh_frame"))
		ck_assert_ptr_nonnull(image->eh_frame.data);
	else
		ck_assert_ptr_nonnull(image->debug_frame.data);
	cfi_destroy(cfi);
	image_destroy(image);
}

static const struct {
	const char *rule, *assembly, *section;
} copy_cases[] = {
	{ "a file without CFI gets an .eh_frame", THREE, ".eh_frame" },
	{ "one that has it gets a .debug_frame", THREE "k: startproc; ret; endproc",
	  ".debug_frame" },
	{ "one that has both gets more of the latter",
	  ".cfi_sections .eh_frame, .debug_frame; " THREE "k: startproc; ret; endproc",
	  ".debug_frame" },
};

START_TEST(a_copy_has_the_rows)
{
	const struct synthesis_options options = { .output = section, .elf = copy };
	char *text, command[200], member[64];

	if (access("/usr/bin/objcopy", X_OK))
		return; /* binutils come with the compiler that made f.so */
	assemble(directory, copy_cases[_i].assembly);
	text = said(&options);
	snprintf(member, sizeof(member), "\"section\":\"%s\"", copy_cases[_i].section);
	ck_assert_msg(strstr(text, member) != NULL, "%s: %s", copy_cases[_i].rule, text);
	check_copy(copy_cases[_i].section);
	/* By the command that was said, the same. */
	unlink(copy);
	snprintf(command, sizeof(command), " %s OUTPUT\"", path);
	ck_assert_ptr_nonnull(strstr(text, command));
	ck_assert_int_eq(access(section, R_OK), 0);
	free(text);
}
END_TEST

START_TEST(people_read_the_same)
{
	json_t *image = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:{s:i}, s:s}",
				  "image", "a\x01", "status", "synthesized", "functions", 3,
				  "proven", 1, "partial", 1, "none", 1, "instructions", 6,
				  "instructions_written", 3, "rows", 4, "unwritten", "undecoded", 2,
				  "command", "objcopy");
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	synthesis_text_image(file, image);
	fclose(file);
	ck_assert_str_eq(text, "a?: 3 functions without CFI: 1 whole, 1 in part, 1 not; "
			       "3 of 6 instructions, 4 rows\n"
			       "         2  no row: instructions that can't be decoded\nobjcopy\n");
	free(text);
	json_decref(image);
}
END_TEST

/* ---- images that walk with it --------------------------------------------------------------- */

START_TEST(an_image_of_a_store_has_the_rows)
{
	struct synthesis_sums sums = { 0 };
	struct image_store *store = image_store_create();
	struct image_entry *entry;
	const struct row *row;
	struct error error;
	uint64_t f;

	assemble(directory, THREE);
	image_store_prepare(store, synthesis_attach, &sums);
	entry = image_store_open(store, path, &error);
	ck_assert_ptr_nonnull(entry);
	ck_assert_uint_eq(sums.images, 1);
	ck_assert_uint_eq(sums.functions, 3);
	ck_assert_uint_eq(sums.written, 2);
	f = image_symbol_address(entry->image, "f");
	ck_assert_uint_ge(table_find(entry->table, f), TABLE_MARKER_COUNT);
	ck_assert_int_eq(image_entry_row(entry, f, &row, &error), 1);
	ck_assert_int_eq(row->cfa.offset, 8);
	image_store_destroy(store);
}
END_TEST

#define WRONG "f: startproc; push rbx; call g@PLT; pop rbx; ret; endproc; .size f, .-f; "
#define SAVED                                                                                      \
	"h: .type h, @function; startproc; push rbx; adjust_cfa_offset 8; mov rbx, rdi; call "     \
	"g@PLT; pop rbx; adjust_cfa_offset -8; ret; endproc; .size h, .-h; "

START_TEST(rows_of_eh_frame_that_are_wrong_are_replaced)
{
	static const int offsets[] = { 8, 16, 16, 16, 16, 16, 8 }; /* push, call, pop, ret */
	struct synthesis_sums sums = { 0 };
	struct image_store *store = image_store_create();
	struct image_entry *entry;
	const struct row *row;
	struct error error;
	uint64_t f;

	assemble(directory, WRONG SAVED);
	image_store_prepare(store, synthesis_attach, &sums);
	entry = image_store_open(store, path, &error);
	ck_assert_ptr_nonnull(entry);
	ck_assert_uint_eq(sums.replaced, 2);
	f = image_symbol_address(entry->image, "f");
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		ck_assert_int_eq(image_entry_row(entry, f + i, &row, &error), 1);
		ck_assert_int_eq(row->cfa.offset, offsets[i]);
	}
	/* Of h only that rbx is saved was left out, and the CFA is what it was. */
	f = image_symbol_address(entry->image, "h");
	ck_assert_int_eq(image_entry_row(entry, f + 4, &row, &error), 1);
	ck_assert_int_eq(row->cfa.offset, 16);
	ck_assert_int_eq(row->reg[REGISTER_RBX].kind, RULE_OFFSET);
	image_store_destroy(store);
}
END_TEST

START_TEST(a_copy_keeps_them)
{
	const struct synthesis_options options = { .output = section };
	char *text;

	assemble(directory, WRONG);
	text = said(&options);
	ck_assert_ptr_nonnull(strstr(text, "\"status\":\"nothing\""));
	ck_assert_ptr_nonnull(strstr(text, "\"replaced\":1"));
	ck_assert_int_ne(access(section, F_OK), 0);
	free(text);
}
END_TEST

static int refuse(void *context, struct image *image, struct error *error)
{
	return error_set(error, ERROR_MEMORY, NULL, 0, "refused");
}

START_TEST(an_image_that_can_not_be_prepared_is_not_added)
{
	struct image_store *store = image_store_create();
	struct error error;

	assemble(directory, THREE);
	image_store_prepare(store, refuse, NULL);
	ck_assert_ptr_null(image_store_open(store, path, &error));
	ck_assert_str_eq(error.message, "refused");
	ck_assert_uint_eq(image_store_count(store), 0);
	image_store_destroy(store);
}
END_TEST

SUITE(synthesis_file, GROUP(files), FIXTURE(make_folder, remove_folder), TEST(an_image_is_counted),
      TEST(one_whose_functions_have_CFI_has_nothing), TEST(what_is_no_image_is_not_read),
      TEST(directives_come_before_the_counts), LOOP(a_copy_has_the_rows, copy_cases),
      TEST(people_read_the_same), GROUP(stores), FIXTURE(make_folder, remove_folder),
      TEST(an_image_of_a_store_has_the_rows), TEST(rows_of_eh_frame_that_are_wrong_are_replaced),
      TEST(a_copy_keeps_them), TEST(an_image_that_can_not_be_prepared_is_not_added))
