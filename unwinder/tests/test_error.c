/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_error.c - every code and stop reason has a name of its own; messages say where
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "error.h"
#include "table/table_abi.h"

START_TEST(every_code_has_its_own_name)
{
	for (unsigned int i = 0; i < ERROR_CODE_COUNT; i++) {
		const char *name = error_code_name(i);
		ck_assert_msg(name && *name, "code %u has no name", i);
		for (unsigned int other = 0; other < i; other++)
			ck_assert_str_ne(name, error_code_name(other));
	}
	ck_assert_str_eq(error_code_name(ERROR_CODE_COUNT), "unknown");
}
END_TEST

START_TEST(every_stop_reason_has_its_own_name)
{
	for (unsigned int i = 0; i < STOP_REASON_COUNT; i++) {
		const char *name = stop_reason_name(i);
		ck_assert_msg(name && *name, "stop reason %u has no name", i);
		for (unsigned int other = 0; other < i; other++)
			ck_assert_str_ne(name, stop_reason_name(other));
	}
	ck_assert_str_eq(stop_reason_name(STOP_REASON_COUNT), "unknown");
}
END_TEST

static const struct {
	const char *name;
	enum error_code code;
	const char *section;
	uint64_t offset;
	const char *path;
	const char *printed;
} prints[] = {
	{ "section_and_offset", ERROR_CFI_LENGTH, ".eh_frame", 0x48, "a.so",
	  "a.so: .eh_frame+0x48: what happened\n" },
	{ "no_section", ERROR_NOT_ELF, "", 0, "a.so", "a.so: what happened\n" },
	{ "null_section", ERROR_NOT_ELF, NULL, 0, "a.so", "a.so: what happened\n" },
	{ "no_path", ERROR_CFI_LENGTH, ".eh_frame", 0, NULL, ".eh_frame+0x0: what happened\n" },
	{ "bounds_give_the_file_offset", ERROR_ELF_BOUNDS, ".text", 0x1000, "a.so",
	  "a.so: .text: file offset 0x1000: what happened\n" },
	{ "long_section_names_are_cut", ERROR_CFI_LENGTH, "123456789012345678901234567890", 1, NULL,
	  "12345678901234567890123+0x1: what happened\n" },
	{ "control_bytes_of_a_name_are_not_printed", ERROR_CFI_LENGTH, ".eh\n\x1b[2J\x7f", 1, NULL,
	  ".eh??[2J?+0x1: what happened\n" },
};

START_TEST(print_says_where)
{
	struct error error;
	ck_assert_int_eq(error_set(&error, prints[_i].code, prints[_i].section, prints[_i].offset,
				   "what %s", "happened"),
			 -1);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	error_print(file, prints[_i].path, &error);
	fclose(file);
	ck_assert_msg(!strcmp(text, prints[_i].printed), "%s: '%s'", prints[_i].name, text);
	free(text);
}
END_TEST

/* A text that is too long shows how it begins and how it ends. */
START_TEST(long_text_keeps_both_ends)
{
	char path[600] = "/";
	struct error error;
	size_t i;

	for (i = 1; i < sizeof(path) - 1; i++)
		path[i] = i % 20 ? 'a' + i % 26 : _i ? ' ' : '/';
	path[i] = '\0';
	error_set(&error, ERROR_UNAVAILABLE, "", 0, "libbpf: prog '%s': failed to load: -ENOSPC",
		  path);
	ck_assert_uint_lt(strlen(error.message), sizeof(error.message));
	ck_assert_ptr_eq(strstr(error.message, "libbpf: prog '/bcd"), error.message);
	ck_assert_ptr_nonnull(strstr(error.message, " ... "));
	ck_assert_str_eq(error.message + strlen(error.message) - 25, ": failed to load: -ENOSPC");
	errno = ENOENT;
	error_set_errno(&error, "can't read %s", path);
	ck_assert_str_eq(error.message + strlen(error.message) - 27, ": No such file or directory");
	ck_assert_ptr_eq(strstr(error.message, "can't read /bcd"), error.message);
	/* What just fits is whole. */
	path[sizeof(error.message) - 1] = '\0';
	error_set(&error, ERROR_UNAVAILABLE, "", 0, "%s", path);
	ck_assert_str_eq(error.message, path);
}
END_TEST

/* A name is said once, whoever says it. */
START_TEST(name_is_not_said_twice)
{
	static const struct {
		const char *path, *message, *section, *printed;
	} names[] = {
		{ "a.so", "a.so: gone", "", "a.so: gone\n" },
		{ "a.so", "a.so.1: gone", "", "a.so: a.so.1: gone\n" },
		{ "a.so", "b: gone", "", "a.so: b: gone\n" },
		{ "a.so", "a.so: gone", ".text", "a.so: .text+0x0: a.so: gone\n" },
		{ "a.so", "a.so: gone", "x", "a.so: x+0x0: a.so: gone\n" },
		{ "", ": gone", "", ": : gone\n" },
	};
	struct error error;
	char *text = NULL;
	size_t size;

	error_set(&error, ERROR_NOT_ELF, names[_i].section, 0, "%s", names[_i].message);
	FILE *file = open_memstream(&text, &size);
	error_print(file, names[_i].path, &error);
	fclose(file);
	ck_assert_str_eq(text, names[_i].printed);
	free(text);
}
END_TEST

START_TEST(errno_is_kept_and_named)
{
	struct error error = { .section = "before", .offset = 7 };
	errno = ENOENT;
	ck_assert_int_eq(error_set_errno(&error, "open"), -1);
	ck_assert_str_eq(error.section, "");
	ck_assert_uint_eq(error.offset, 0);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_str_eq(error.message, "open: No such file or directory");
}
END_TEST

START_TEST(messages_are_one_line)
{
	struct error error;
	error_set(&error, ERROR_CIE_AUGMENTATION, NULL, 0, "augmentation \"%s\"", "z\nR\t\xc3\xa4");
	ck_assert_str_eq(error.message, "augmentation \"z?R?\xc3\xa4\"");
	errno = ENOENT;
	error_set_errno(&error, "open a\nb");
	ck_assert_ptr_eq(strchr(error.message, '\n'), NULL);
}
END_TEST

START_TEST(long_messages_are_cut)
{
	static char text[1000];
	memset(text, 'x', sizeof(text) - 1);
	struct error error;
	error_set(&error, ERROR_SYSTEM, NULL, 0, "%s", text);
	ck_assert_uint_eq(strlen(error.message), sizeof(error.message) - 1);
	errno = ENOENT;
	error_set_errno(&error, "%s", text);
	ck_assert_uint_eq(strlen(error.message), sizeof(error.message) - 1);
}
END_TEST

START_TEST(list_is_bounded)
{
	struct error_list list = { 0 };
	struct error error;
	for (unsigned int i = 0; i < ERROR_LIST_MAX + 5; i++) {
		error_set(&error, ERROR_CFI_LENGTH, ".eh_frame", i, "number %u", i);
		error_list_add(&list, &error);
	}
	ck_assert_uint_eq(list.count, ERROR_LIST_MAX);
	ck_assert_uint_eq(list.dropped, 5);
	ck_assert_uint_eq(list.error[ERROR_LIST_MAX - 1].offset, ERROR_LIST_MAX - 1);
	error_list_deinit(&list);
	ck_assert_ptr_null(list.error);
}
END_TEST

SUITE(error, TEST(every_code_has_its_own_name), TEST(every_stop_reason_has_its_own_name),
      LOOP(print_says_where, prints), TIMES(long_text_keeps_both_ends, 2),
      TIMES(name_is_not_said_twice, 6), TEST(errno_is_kept_and_named), TEST(messages_are_one_line),
      TEST(long_messages_are_cut), TEST(list_is_bounded))
