/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_child_library.c - where libraries are, by what ldconfig(8) says
 */
#include <string.h>
#include "tests/suite.h"
#include "base/child/child.h"

static const struct {
	const char *name, *ldconfig, *path;
} ldconfig_cases[] = {
	{ "the_only_one", "2 libs found\n\tliba.so.1 (libc6,x86-64) => /lib/liba.so.1\n",
	  "/lib/liba.so.1" },
	{ "another_architecture_is_passed_over",
	  "\tliba.so.1 (libc6) => /lib32/liba.so.1\n\tliba.so.1 (libc6,x86-64) => /lib/liba.so.1\n",
	  "/lib/liba.so.1" },
	{ "x86_64_in_the_path_is_no_kind", "\tliba.so.1 (libc6) => /x86-64/liba.so.1\n", NULL },
	{ "the_whole_name", "\tliba.so.12 (libc6,x86-64) => /lib/liba.so.12\n", NULL },
	{ "kinds_with_an_abi", "\tliba.so.1 (libc6,x86-64, OS ABI: Linux 3.2.0) => /lib/a\n",
	  "/lib/a" },
	{ "the_first_is_the_linkers_choice",
	  "\tliba.so.1 (libc6,x86-64) => /first\n\tliba.so.1 (libc6,x86-64) => /second\n",
	  "/first" },
	{ "no_newline_at_the_end", "\tliba.so.1 (libc6,x86-64) => /lib/a", "/lib/a" },
	{ "no_path", "\tliba.so.1 (libc6,x86-64) => \n", NULL },
	{ "no_arrow", "\tliba.so.1 (libc6,x86-64)\n", NULL },
	{ "nothing", "", NULL },
};

START_TEST(test_ldconfig)
{
	char path[4096] = "";
	bool found = ldconfig_parse(ldconfig_cases[_i].ldconfig, "liba.so.1", path);

	ck_assert_msg(found == !!ldconfig_cases[_i].path, "%s", ldconfig_cases[_i].name);
	if (found)
		ck_assert_str_eq(path, ldconfig_cases[_i].path);
}
END_TEST

START_TEST(test_libraries_of_this_machine)
{
	struct error error;
	char path[4096];

	ck_assert_msg(!child_find_library("libc.so.6", path, &error), "%s", error.message);
	ck_assert_ptr_nonnull(strstr(path, "/libc.so.6"));
	ck_assert_int_eq(child_find_library("libnone.so.0", path, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.message, "libnone.so.0 is not installed");
}
END_TEST

SUITE(child_library, LOOP(test_ldconfig, ldconfig_cases), TEST(test_libraries_of_this_machine))
