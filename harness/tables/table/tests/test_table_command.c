/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_command.c - `stackproof table` narrowed to a function or a PC, and what it says of
 * files that are none
 *
 * On the ELF file of diff_image.h, whose functions have no names, and on this program. Whole tables
 * are held against readelf by test_table_readelf.c and against goldens by `golden check`.
 */
#include <ftw.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "tables/diff/tests/diff_image.h"
#include "base/cli/exit_status.h"

#define HEADER "stackproof table text 1\n"
#define SECOND HEADER "function fde.1\n  +0x0 cfa=rsp+8 ra=undefined\n  +0x10 end\n"

#define OPTIONS(...) .options = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *options[3];
	int status;
	const char *output; /* NULL: not looked at */
} cases[] = {
	{ "a_pc", OPTIONS("--pc=0x102f"), EXIT_OK, SECOND },
	{ "a_pc_of_no_function", OPTIONS("--pc=0x1030"), EXIT_SKIPPED,
	  "image: no FDE covers 0x1030\n"
	  "checked: 0 entries; not checked: 1 files without an FDE there; nothing was "
	  "checked\n" HEADER },
	{ "a_pc_of_no_function_as_json", OPTIONS("--pc=0x1030", "--json"), EXIT_SKIPPED, NULL },
	{ "a_pc_of_no_function_as_readelf", OPTIONS("--pc=0x1030", "--format=readelf"),
	  EXIT_SKIPPED, NULL },
	{ "strictly_a_pc_of_no_function", OPTIONS("--pc=0x1030", "--strict"), EXIT_FINDINGS, NULL },
	{ "less_code_than_is_wanted", OPTIONS("--coverage=100"), EXIT_FINDINGS, NULL },
	{ "a_pc_as_json", OPTIONS("--pc=0x102f", "--json"), EXIT_OK,
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1020\","
	  "\"pc_end\":\"0x1030\",\"cfa\":\"rsp+8\",\"rules\":{\"rip\":\"undefined\"}}\n" },
	{ "a_function_that_is_not_there", OPTIONS("--func=main"), EXIT_SKIPPED,
	  "image: the image has no function 'main'\n"
	  "checked: 0 entries; not checked: 1 files without an FDE there; nothing was checked\n" },
	{ "a_section_that_is_not_there", OPTIONS("--section=.debug_frame"), EXIT_SKIPPED,
	  "image: the image has no .debug_frame\n"
	  "checked: 0 entries; not checked: 1 images without CFI; nothing was checked\n" },
	{ "a_section_that_is_no_table", OPTIONS("--section=.text"), EXIT_USAGE, NULL },
	{ "a_format_that_is_none", OPTIONS("--format=xml"), EXIT_USAGE, NULL },
	{ "an_address_that_is_none", OPTIONS("--pc=main"), EXIT_USAGE, NULL },
	{ "a_file_that_is_not_there", OPTIONS("nothing"), EXIT_BAD_INPUT, NULL },
};

START_TEST(image_is_narrowed)
{
	char directory[] = "/tmp/test_table_command.XXXXXX";
	struct diff_image image;
	diff_image_make(&image);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
	FILE *file = fopen("image", "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(image.bytes, 1, image.size, file), image.size);
	ck_assert_int_eq(fclose(file), 0);
	char *arguments[6] = { "table", "image" };
	for (int i = 0; i < 3; i++)
		arguments[2 + i] = (char *)cases[_i].options[i];
	int status;
	FREED char *output = command_output(command_table, arguments, &status);
	ck_assert_int_eq(chdir("/"), 0);
	nftw(directory, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
	ck_assert_msg(status == cases[_i].status, "%s: exit status %d: %s", cases[_i].name, status,
		      output);
	ck_assert_msg(!cases[_i].output || !strcmp(output, cases[_i].output),
		      "%s:\nexpected\n%sactual\n%s", cases[_i].name, cases[_i].output, output);
}
END_TEST

/* One function is not all that .eh_frame_hdr lists: nothing is wrong with that. */
START_TEST(function_of_a_linked_image_has_no_diagnostics)
{
	char *arguments[] = { "table", "--func=main", "/proc/self/exe", NULL };
	char real[4096] = { 0 };
	ck_assert_int_gt(readlink("/proc/self/exe", real, sizeof(real) - 1), 0);
	arguments[2] = real; /* the child's own would be the same, but not by this name */
	int status;
	char *output = command_output(command_table, arguments, &status);
	ck_assert_msg(!status && !strncmp(output, HEADER "function main\n", sizeof(HEADER) + 13),
		      "%d: %s", status, output);
	ck_assert_msg(!strstr(output + sizeof(HEADER) + 13, "function ") &&
			      !strstr(output, ".eh_frame_hdr"),
		      "%s", output);
	free(output);
	char *json[] = { "table", "--func=main", "--json", real, NULL };
	output = command_output(command_table, json, &status);
	ck_assert_int_eq(status, EXIT_OK);
	for (char *end, *line = output; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		ck_assert_msg(strstr(line, ",\"function\":\"main\","), "%s", line);
	}
	ck_assert_str_ne(output, "");
	free(output);
}
END_TEST

/* Both functions begin at 0, each of its own section. */
START_TEST(function_of_an_object_file_is_found_by_its_section)
{
	static const char compile[] =
		"echo 'int f(void) { return 1; } int g(int *x) { __builtin_unwind_init(); return "
		"*x; }' "
		"| gcc-12 -O1 -ffunction-sections -x c -c -o %s - 2>/dev/null";
	char path[] = "/tmp/test_table_command.XXXXXX";
	char command[sizeof(compile) + sizeof(path)];
	int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
	snprintf(command, sizeof(command), compile, path);
	if (system(command)) {
		printf("no gcc-12: left out\n");
		unlink(path);
		return;
	}
	static const char *const formats[] = { "--format=text", "--format=json" };
	for (int i = 0; i < 2; i++) {
		char *arguments[] = { "table", (char *)formats[i], "--func=g", path, NULL };
		int status;
		FREED char *output = command_output(command_table, arguments, &status);
		ck_assert_int_eq(status, EXIT_OK);
		ck_assert_msg(strstr(output, i ? "\"function\":\"g\"" : "function g\n") &&
				      strstr(output, "rbx") &&
				      !strstr(output, i ? "\"function\":\"f\"" : "function f\n"),
			      "%s", output);
	}
	unlink(path);
}
END_TEST

/* One function has its CFI in .eh_frame, the other in .debug_frame: who asks for a section gets no rule of the other. */
START_TEST(rules_of_one_section)
{
	static const char compile[] =
		"printf '.cfi_sections .debug_frame\\nf: .cfi_startproc\\npush %%%%rbx\\n"
		".cfi_def_cfa_offset 16\\nret\\n.cfi_endproc\\n' >%s.s && "
		"printf 'g: .cfi_startproc\\nsub $24, %%%%rsp\\n.cfi_def_cfa_offset 32\\nret\\n"
		".cfi_endproc\\n' | gcc-12 -shared -nostdlib -x assembler -o %s %s.s - 2>/dev/null";
	static const struct {
		const char *section;
		bool has_f, has_g;
	} asked[] = { { "--section=.eh_frame", false, true },
		      { "--section=.debug_frame", true, false },
		      { "--strict", true, true } };
	char path[] = "/tmp/test_table_command.XXXXXX", source[sizeof(path) + 2];
	char command[sizeof(compile) + 3 * sizeof(path)];
	int file = mkstemp(path), made;

	ck_assert_int_ge(file, 0);
	close(file);
	snprintf(source, sizeof(source), "%s.s", path);
	snprintf(command, sizeof(command), compile, path, path, path);
	made = system(command);
	unlink(source);
	for (int i = 0; !made && i < 3; i++) {
		char *arguments[] = { "table", "--format=compact", (char *)asked[i].section, path,
				      NULL };
		int status;
		FREED char *output = command_output(command_table, arguments, &status);

		ck_assert_int_eq(status, EXIT_OK);
		ck_assert_msg(!strstr(output, "cfa=rsp+16") == !asked[i].has_f &&
				      !strstr(output, "cfa=rsp+32") == !asked[i].has_g,
			      "%s: %s", asked[i].section, output);
	}
	unlink(path);
	if (made)
		printf("no gcc-12: left out\n");
}
END_TEST

SUITE(table_command, LOOP(image_is_narrowed, cases),
      TEST(function_of_a_linked_image_has_no_diagnostics),
      TEST(function_of_an_object_file_is_found_by_its_section), TEST(rules_of_one_section))
