/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_text_read.c - the golden text is read back without loss, and nothing else is read
 *
 * Three tables of cases. Texts that must come back byte for byte, each for one thing that rules can
 * say. Lines that must be refused, each with the number of the line and words of the message.
 * Expressions, by their bytes. Then whole images and all snapshots: the text of the text is the
 * text, and each row that was read equals the image's, expressions included.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "table/saved_table.h"
#include "cfi/expression.h"

#define HEADER	   "stackproof table text 1\n"
#define ROW(rules) HEADER "function f\n  +0x0 " rules "\n  +0x1 end\n"

static char *read_and_write(const char *text, size_t size, size_t *ret_size, struct error *error)
{
	struct table_text *saved;
	if (table_text_read(text, size, &saved, error)) {
		ck_assert_ptr_null(saved);
		return NULL;
	}
	char *again = NULL;
	FILE *file = open_memstream(&again, ret_size);
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(table_text_write_saved(file, saved, error), 0);
	fclose(file);
	table_text_destroy(saved);
	return again;
}

/* ---- what is read ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *text;
} good_cases[] = {
	{ "a_text_without_functions", HEADER },
	{ "register_and_offset", ROW("cfa=rsp+8 ra=c-8") },
	{ "each_kind_of_rule", ROW("cfa=rbp-16 ra=undefined rax=c+0 rbx=same rbp=v+16 r12=r13") },
	{ "nothing_is_known", ROW("cfa=none ra=none") },
	{ "registers_without_a_name", ROW("cfa=r17+8 ra=r200 r15=r4294967295") },
	{ "the_widest_offsets",
	  ROW("cfa=rsp-9223372036854775808 ra=c+9223372036854775807 rbx=v-9223372036854775808") },
	{ "arguments_size", ROW("cfa=rsp+8 ra=c-8 args=18446744073709551615") },
	{ "rules_above_rip", ROW("cfa=rsp+8 ra=c-8 args=8 high=ffffffffffffffff") },
	{ "a_signed_return_address", ROW("cfa=r31+16 ra=c-8 args=8 ra-signed") },
	{ "the_plt_expression",
	  ROW("cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8") },
	{ "expressions_in_three_columns",
	  ROW("cfa=exp(breg6-8; deref) ra=exp(bregx 17+128) rbx=val_exp(const8s-1; abs)") },
	{ "expressions_without_operations", ROW("cfa=exp() ra=exp() rbx=val_exp()") },
	{ "bytes_of_an_unknown_operation", ROW("cfa=exp(breg7+8; ? e0 00 ff) ra=c-8") },
	{ "bytes_of_an_operation_that_is_cut_off", ROW("cfa=exp(lit1; breg7? 77 80) ra=c-8") },
	{ "bytes_of_a_second_operand_that_is_cut_off", ROW("cfa=exp(bregx 5? 92 05 80) ra=c-8") },
	{ "bytes_of_a_padded_number", ROW("cfa=exp(breg7? 77 88 00) ra=c-8") },
	{ "two_functions_of_one_name", HEADER "function f\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x1 end\n"
					      "function f\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x2 end\n" },
	{ "a_signal_frame", HEADER "function __restore_rt signal\n  +0x9 end\n" },
	{ "a_function_without_bytes", HEADER "function fde.1\n  +0x0 end\n" },
	{ "the_longest_function", HEADER "function f\n  +0xffffffffffffffff end\n" },
	{ "escaped_names", HEADER "function a\\x0ab\\x5c\\x20c\\x7f\n  +0x1 end\n" },
	{ "names_beyond_ascii", HEADER "function \xc3\xa9t\xff\n  +0x1 end\n" },
	{ "diagnostics_of_the_section",
	  HEADER "diagnostic cie_pointer\ndiagnostic cfi_length\ndiagnostics 7 more\n" },
	{ "a_diagnostic_of_a_function",
	  HEADER "function f\n  +0x0 cfa=rsp+8 ra=c-8\n  diagnostic cfi_truncated\n  +0x9 end\n" },
};

START_TEST(test_good)
{
	const char *text = good_cases[_i].text;
	struct error error = { 0 };
	size_t size;
	char *again = read_and_write(text, strlen(text), &size, &error);
	ck_assert_msg(again, "%s: %s", good_cases[_i].name, error.message);
	ck_assert_msg(size == strlen(text) && !memcmp(again, text, size), "%s:\n%s%s",
		      good_cases[_i].name, text, again);
	free(again);
}
END_TEST

/* ---- what is refused --------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *text;
	uint64_t line;
	const char *message; /* a part of it */
} bad_cases[] = {
	{ "an_empty_text", "", 1, "empty" },
	{ "another_version", "stackproof table text 2\n", 1, "another version" },
	{ "more_after_the_version", "stackproof table text 10\n", 1, "another version" },
	{ "a_header_without_a_newline", "stackproof table text 1", 1, "does not end" },
	{ "an_empty_line", HEADER "\n", 2, "neither" },
	{ "a_line_of_something_else", HEADER "section .eh_frame\n", 2, "neither" },
	{ "the_last_line_cut_off", HEADER "function f\n  +0x0 end", 3, "does not end" },
	{ "a_function_without_an_end", HEADER "function f\n", 2, "inside of a function" },
	{ "a_function_in_a_function", HEADER "function f\nfunction g\n", 3, "has no end" },
	{ "a_diagnostic_of_the_section_in_a_function", HEADER "function f\ndiagnostic cfi_length\n",
	  3, "has no end" },
	{ "a_function_without_a_name", HEADER "function \n  +0x0 end\n", 2, "name" },
	{ "a_name_with_a_space", HEADER "function a b\n  +0x0 end\n", 2, "name" },
	{ "a_signal_frame_without_a_name", HEADER "function  signal\n  +0x0 end\n", 2, "name" },
	{ "a_name_with_an_escape_that_is_not_needed", HEADER "function \\x41\n", 2, "name" },
	{ "a_name_with_an_escape_cut_off", HEADER "function a\\x0\n", 2, "name" },
	{ "a_name_with_a_control_character", HEADER "function a\tb\n", 2, "name" },
	{ "an_unknown_diagnostic", HEADER "diagnostic nothing_special\n", 2, "error's name" },
	{ "a_diagnostic_without_a_code", HEADER "diagnostic\n", 2, "error's name" },
	{ "no_more_diagnostics", HEADER "diagnostics 0 more\n", 2, "number of diagnostics" },
	{ "diagnostics_without_more", HEADER "diagnostics 7\n", 2, "number of diagnostics" },
	{ "a_diagnostic_after_those_only_counted",
	  HEADER "diagnostics 7 more\ndiagnostic cfi_length\n", 3, "only counted" },
	{ "a_diagnostic_of_the_section_after_a_function",
	  HEADER "function f\n  +0x0 end\ndiagnostic cfi_length\n", 4, "after a function" },
	{ "two_diagnostics_of_a_function",
	  HEADER "function f\n  diagnostic cfi_state\n  diagnostic cfi_state\n", 4, "at most" },
	{ "an_unknown_diagnostic_of_a_function", HEADER "function f\n  diagnostic x\n", 3,
	  "error's name" },
	{ "a_row_after_the_diagnostic",
	  HEADER "function f\n  diagnostic cfi_state\n  +0x0 cfa=rsp+8 ra=c-8\n", 4,
	  "a row after" },
	{ "a_row_before_any_function", HEADER "  +0x0 cfa=rsp+8 ra=c-8\n", 2, "outside" },
	{ "a_row_after_the_end", HEADER "function f\n  +0x1 end\n  +0x0 cfa=rsp+8 ra=c-8\n", 4,
	  "outside" },
	{ "rows_in_the_wrong_order",
	  HEADER "function f\n  +0x4 cfa=rsp+8 ra=c-8\n  +0x2 cfa=rsp+16 ra=c-8\n", 4, "order" },
	{ "two_rows_of_one_offset",
	  HEADER "function f\n  +0x4 cfa=rsp+8 ra=c-8\n  +0x4 cfa=rsp+16 ra=c-8\n", 4, "order" },
	{ "an_end_at_the_last_row", HEADER "function f\n  +0x4 cfa=rsp+8 ra=c-8\n  +0x4 end\n", 4,
	  "before its last row" },
	{ "an_offset_with_a_leading_zero", HEADER "function f\n  +0x01 end\n", 3, "offset" },
	{ "an_offset_in_capitals", HEADER "function f\n  +0xA end\n", 3, "offset" },
	{ "an_offset_of_65_bits", HEADER "function f\n  +0x10000000000000000 end\n", 3, "offset" },
	{ "an_offset_without_digits", HEADER "function f\n  +0x end\n", 3, "offset" },
	{ "a_row_without_rules", HEADER "function f\n  +0x0\n", 3, "offset" },
	{ "a_carriage_return", HEADER "function f\n  +0x0 end\r\n", 3, "rule" },
	{ "rules_without_a_cfa", ROW("ra=c-8"), 3, "spelt" },
	{ "rules_without_a_return_address", ROW("cfa=rsp+8"), 3, "spelt" },
	{ "registers_out_of_order", ROW("cfa=rsp+8 ra=c-8 rbp=c-24 rbx=c-16"), 3, "spelt" },
	{ "a_register_twice", ROW("cfa=rsp+8 ra=c-8 rbx=c-16 rbx=c-24"), 3, "column 31" },
	{ "an_unknown_register", ROW("cfa=esp+8 ra=c-8"), 3, "column 5" },
	{ "an_unknown_column", ROW("cfa=rsp+8 ra=c-8 xmm0=c-16"), 3, "column 18" },
	{ "a_register_by_its_number", ROW("cfa=r7+8 ra=c-8"), 3, "spelt" },
	{ "a_register_that_is_too_large", ROW("cfa=r4294967296+8 ra=c-8"), 3, "column" },
	{ "the_return_address_by_its_register", ROW("cfa=rsp+8 ra=c-8 rip=c-8"), 3, "column" },
	{ "no_rule_said_aloud", ROW("cfa=rsp+8 ra=c-8 rbx=none"), 3, "spelt" },
	{ "an_offset_without_a_sign", ROW("cfa=rsp8 ra=c-8"), 3, "column" },
	{ "an_offset_of_minus_nothing", ROW("cfa=rsp-0 ra=c-8"), 3, "spelt" },
	{ "an_offset_too_wide", ROW("cfa=rsp+9223372036854775808 ra=c-8"), 3, "column" },
	{ "two_spaces", ROW("cfa=rsp+8  ra=c-8"), 3, "column 11" },
	{ "a_space_at_the_end", ROW("cfa=rsp+8 ra=c-8 "), 3, "column 18" },
	{ "more_after_a_rule", ROW("cfa=rsp+8 ra=c-8,rbx=c-16"), 3, "column 17" },
	{ "arguments_of_size_nothing", ROW("cfa=rsp+8 ra=c-8 args=0"), 3, "spelt" },
	{ "rules_above_rip_of_nothing", ROW("cfa=rsp+8 ra=c-8 high=0"), 3, "spelt" },
	{ "rules_above_rip_before_the_arguments", ROW("cfa=rsp+8 ra=c-8 high=1 args=8"), 3,
	  "spelt" },
	{ "rules_above_rip_that_are_no_number", ROW("cfa=rsp+8 ra=c-8 high=x"), 3, "column" },
	{ "signed_before_the_arguments", ROW("cfa=rsp+8 ra=c-8 ra-signed args=8"), 3, "spelt" },
	{ "signed_twice", ROW("cfa=rsp+8 ra=c-8 ra-signed ra-signed"), 3, "spelt" },
	{ "arguments_twice", ROW("cfa=rsp+8 ra=c-8 args=8 args=8"), 3, "spelt" },
	{ "a_signal_frame_in_a_row", ROW("cfa=rsp+8 ra=c-8 signal"), 3, "column 18" },
	{ "an_expression_without_an_end", ROW("cfa=exp(breg7+8 ra=c-8"), 3, "column" },
	{ "an_unknown_operation", ROW("cfa=exp(jump) ra=c-8"), 3, "column" },
	{ "an_operation_without_its_operand", ROW("cfa=exp(breg7) ra=c-8"), 3, "column" },
	{ "an_operation_with_one_operand_too_many", ROW("cfa=exp(deref 8) ra=c-8"), 3, "column" },
	{ "an_operand_too_large_for_its_field", ROW("cfa=exp(const1u 256) ra=c-8"), 3, "spelt" },
	{ "a_signed_operand_too_large", ROW("cfa=exp(const1s+128) ra=c-8"), 3, "spelt" },
	{ "a_literal_that_does_not_exist", ROW("cfa=exp(lit32) ra=c-8"), 3, "column" },
	{ "a_separator_at_the_end", ROW("cfa=exp(deref; ) ra=c-8"), 3, "column" },
	{ "bytes_of_a_known_operation", ROW("cfa=exp(? 06) ra=c-8"), 3, "spelt" },
	{ "bytes_that_are_none", ROW("cfa=exp(?) ra=c-8"), 3, "spelt" },
	{ "bytes_cut_off", ROW("cfa=exp(? e) ra=c-8"), 3, "column" },
	{ "an_expression_for_a_register_in_the_cfa", ROW("cfa=val_exp(lit1) ra=c-8"), 3, "column" },
};

static void check_refused(const char *name, const char *text, size_t size, uint64_t line,
			  const char *message)
{
	struct error error = { 0 };
	size_t again_size;
	char *again = read_and_write(text, size, &again_size, &error);
	ck_assert_msg(!again, "%s: was read", name);
	ck_assert_msg(error.code == ERROR_TEXT_SYNTAX, "%s: %s", name, error.message);
	ck_assert_msg(error.offset == line, "%s: line %" PRIu64 ": %s", name, error.offset,
		      error.message);
	ck_assert_msg(strstr(error.message, message), "%s: %s", name, error.message);
}

START_TEST(test_bad)
{
	check_refused(bad_cases[_i].name, bad_cases[_i].text, strlen(bad_cases[_i].text),
		      bad_cases[_i].line, bad_cases[_i].message);
}
END_TEST

START_TEST(test_a_nul_is_no_end)
{
	static const char text[] = HEADER "function f\n  +0x1\0 end\n";
	check_refused("a NUL", text, sizeof(text) - 1, 3, "offset");
}
END_TEST

/* However a text is cut or one of its bytes is changed, it is refused or it comes back as it is. */
START_TEST(test_damage_is_refused_or_kept)
{
	const char *text = good_cases[_i].text;
	size_t size = strlen(text);
	size_t refused = 0;
	for (size_t at = 0; at < size; at++) {
		static const char bytes[] = { 0, '\n', ' ', '0', ')', ';', '?', '-', 'a', -1 };
		for (size_t i = 0; i <= sizeof(bytes); i++) {
			char *damaged = malloc(size); /* exactly: sanitizers see its end */
			struct error error = { 0 };
			size_t again_size;
			size_t damaged_size = i < sizeof(bytes) ? size : at;
			memcpy(damaged, text, size);
			if (i < sizeof(bytes))
				damaged[at] = bytes[i];
			char *again = read_and_write(damaged, damaged_size, &again_size, &error);
			refused += !again;
			ck_assert_msg(!again || (again_size == damaged_size &&
						 !memcmp(again, damaged, again_size)),
				      "%s: byte %zu, change %zu: %s", good_cases[_i].name, at, i,
				      again);
			ck_assert(again || error.code == ERROR_TEXT_SYNTAX);
			free(again);
			free(damaged);
		}
	}
	ck_assert_uint_gt(refused, size);
}
END_TEST

/* ---- expressions ------------------------------------------------------------------------- */

/* Every operation with operands from a fixed sequence: printed, assembled, the same bytes. */
START_TEST(test_every_operation_can_be_read)
{
	for (uint32_t seed = 0; seed < 400; seed++) {
		uint8_t bytes[24] = { (uint8_t)_i };
		uint32_t state = seed * 2654435761u + 12345;
		size_t size = 1 + seed % (sizeof(bytes) - 1);
		for (size_t i = 1; i < size; i++) {
			state = state * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(state >> 24);
			if (seed % 3 == 0) /* few operands have a continuation bit by chance */
				bytes[i] |= i % 4 ? 0x80 : 0;
		}
		char *text = NULL;
		size_t text_size;
		FILE *file = open_memstream(&text, &text_size);
		expression_print(file, bytes, size);
		fclose(file);
		uint8_t again[64];
		size_t again_size = 0;
		ck_assert_msg(!expression_read(text, text_size, again, sizeof(again), &again_size),
			      "not read: %s", text);
		ck_assert_msg(again_size == size && !memcmp(bytes, again, size), "other bytes: %s",
			      text);
		/* Never past the room there is. */
		ck_assert_int_eq(expression_read(text, text_size, again, size - 1, &again_size),
				 -1);
		free(text);
	}
}
END_TEST

/* ---- images and snapshots ---------------------------------------------------------------- */

static const char *const images[] = {
	"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",	      "/lib64/ld-linux-x86-64.so.2",
	"/bin/bash",	  "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
};

/* An image's rows held against those that were read. */
struct walk {
	const struct table_text *text;
	const struct table_text_function *function;
	size_t row;
	struct row before;
	uint64_t start;
	bool any;
};

static int check_row(void *context, const struct row *row)
{
	struct walk *walk = context;
	if (walk->any && row_equal(&walk->before, row))
		return 0;
	struct row read;
	ck_assert_uint_lt(walk->row, walk->function->row_count);
	table_text_get_row(walk->text, walk->function, walk->row++, &read);
	ck_assert_msg(row_equal(&read, row) && read.pc == row->pc - walk->start,
		      "%s +0x%" PRIx64 ": another row", walk->function->name, read.pc);
	walk->before = *row;
	walk->any = true;
	return 0;
}

START_TEST(test_an_image_comes_back)
{
	struct image *image;
	struct cfi *cfi;
	struct error error = { 0 };
	if (_i && access(images[_i], R_OK)) {
		printf("%s: not here, left out\n", images[_i]);
		return;
	}
	ck_assert_msg(!image_create(images[_i], &image, &error), "%s", error.message);
	ck_assert_msg(!cfi_create(image, &cfi, &error), "%s", error.message);

	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	ck_assert_int_eq(table_text_write(file, cfi, &error), 0);
	fclose(file);
	size_t again_size;
	char *again = read_and_write(text, size, &again_size, &error);
	ck_assert_msg(again, "%s", error.message);
	ck_assert(again_size == size && !memcmp(again, text, size));
	free(again);
	free(text);

	struct table_text *saved;
	ck_assert_msg(!table_text_create(cfi, &saved, &error), "%s", error.message);
	ck_assert_uint_ge(saved->function_count, cfi->by_pc_count);
	ck_assert_uint_gt(saved->row_count, 0);
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		struct walk walk = { .text = saved,
				     .function = &saved->function[i],
				     .start = fde->pc_begin };
		ck_assert(walk.function->has_pc && walk.function->pc == fde->pc_begin);
		ck_assert_int_eq(cfi_rows(cfi, fde, check_row, &walk, &error), 0);
		ck_assert_uint_eq(walk.row, walk.function->row_count);
	}
	printf("%s: %zu functions, %zu rows, %zu different rules, %zu bytes\n", images[_i],
	       saved->function_count, saved->row_count, saved->rules_count, size);
	table_text_destroy(saved);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

static char *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "r");
	ck_assert_msg(file, "%s", path);
	char *bytes = NULL;
	size_t size = 0;
	for (size_t got = 1; got;) {
		bytes = realloc(bytes, size + 65536);
		ck_assert_ptr_nonnull(bytes);
		got = fread(bytes + size, 1, 65536, file);
		size += got;
	}
	fclose(file);
	*ret_size = size;
	return bytes;
}

/* From the project's root, where `make check` runs it. */
START_TEST(test_snapshots_come_back)
{
	glob_t found;
	if (glob("golden/tables/*/*.txt", 0, NULL, &found)) {
		ck_assert_msg(access("golden/tables", F_OK), "golden/tables has no snapshots");
		printf("golden/tables is not here, left out\n");
		return;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct error error = { 0 };
		size_t size, again_size;
		char *text = read_file(found.gl_pathv[i], &size);
		char *again = read_and_write(text, size, &again_size, &error);
		ck_assert_msg(again, "%s: %s", found.gl_pathv[i], error.message);
		ck_assert_msg(size == again_size && !memcmp(text, again, size), "%s",
			      found.gl_pathv[i]);
		free(again);
		free(text);
	}
	printf("%zu snapshots\n", found.gl_pathc);
	globfree(&found);
}
END_TEST

SUITE(table_text_read, LOOP(test_good, good_cases), LOOP(test_bad, bad_cases),
      TEST(test_a_nul_is_no_end), LOOP(test_damage_is_refused_or_kept, good_cases),
      TIMES(test_every_operation_can_be_read, 256), LOOP(test_an_image_comes_back, images),
      TEST(test_snapshots_come_back))
