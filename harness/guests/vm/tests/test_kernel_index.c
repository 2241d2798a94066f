/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_kernel_index.c - versions, names and stanzas at their borders
 *
 * How Debian's versions are ordered is in deb-version(7); test_kernels.c has what suites really hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/vm/kernel_index.h"

/* ---- versions ----------------------------------------------------------------------------- */

static const struct {
	const char *a, *b;
	int order; /* of a and b: below 0, 0, 1 */
} orders[] = {
	/* digits */
	{ "1", "1", 0 },
	{ "1", "2", -1 },
	{ "9", "10", -1 },
	{ "19", "21", -1 },
	{ "129", "131", -1 },
	{ "1.99", "1.100", -1 },
	{ "2.1", "1.9", 1 },
	{ "1.2.9", "1.3.1", -1 },
	{ "1.001", "1.1", 0 },
	{ "1.0010", "1.10", 0 },
	{ "1.09", "1.10", -1 },
	{ "1.0", "1.", 0 },
	{ "1.00", "1.0", 0 },
	{ "0", "", 0 },
	{ "1.0", "1.1", -1 },
	{ "1.0", "1", 1 },
	/* what is between them */
	{ "1~", "1", -1 },
	{ "1~~", "1~", -1 },
	{ "1~~a", "1~", -1 },
	{ "1~a", "1~b", -1 },
	{ "1~1", "1~2", -1 },
	{ "1~z", "1a", -1 },
	{ "1", "1a", -1 },
	{ "1a", "1b", -1 },
	{ "1a", "1aa", -1 },
	{ "1A", "1a", -1 },
	{ "1z", "1+", -1 },
	{ "1z1", "1.1", -1 },
	{ "1+1", "1.1", -1 },
	{ "1a1", "1+1", -1 },
	{ "a1", "1", 1 },
	{ "~1", "1", -1 },
	{ "1.a", "1.1", 1 },
	{ "1a2", "1a10", -1 },
	{ "1a9b1", "1a9b2", -1 },
	/* revisions: behind the last dash */
	{ "1-1", "1-2", -1 },
	{ "1-19", "1-21", -1 },
	{ "1", "1-0", 0 },
	{ "1", "1-1", -1 },
	{ "1-", "1", 0 },
	{ "1-2-3", "1-2-4", -1 },
	{ "1-2-9", "1-3-1", -1 },
	{ "1.9-2", "1.10-1", -1 },
	{ "1.1-1", "1-1", 1 },
	{ "1-1", "1-1+b1", -1 },
	{ "1-1~x", "1-1", -1 },
	{ "1a-1", "1-1", 1 },
	/* epochs */
	{ "9", "1:1", -1 },
	{ "0:1", "1", 0 },
	{ "1:9", "2:1", -1 },
	{ "9:1", "10:1", -1 },
	{ "1:1", "1:2", -1 },
	{ "1:1", "1:1", 0 },
	{ "2:1", "1:9", 1 },
};

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

START_TEST(versions_are_ordered)
{
	const char *a = orders[_i].a, *b = orders[_i].b;

	ck_assert_msg(sign(debian_version_compare(a, b)) == orders[_i].order, "%s, %s", a, b);
	ck_assert_msg(sign(debian_version_compare(b, a)) == -orders[_i].order, "%s, %s", b, a);
}
END_TEST

/* ---- series and names --------------------------------------------------------------------- */

static const struct {
	const char *version, *series; /* NULL: none */
} series[] = {
	{ "5.10.262-1", "5.10" }, { "7.3~rc7-1~exp1", "7.3-rc" },
	{ "7.3~rd7-1", "7.3" },	  { "7.3-rc", "7.3" },
	{ "6.12", "6.12" },	  { "1234.5678", "1234.5678" },
	{ "12345.1", NULL },	  { "5", NULL },
	{ "5.", NULL },		  { "5.x", NULL },
	{ "x5.1", NULL },	  { "", NULL },
};

START_TEST(series_of_versions)
{
	char name[32] = "#";
	int status = kernel_series_of(series[_i].version, name, sizeof(name));

	ck_assert_msg(status == (series[_i].series ? 0 : -1), "%s", series[_i].version);
	ck_assert_msg(!strcmp(name, series[_i].series ? series[_i].series : "#"), "%s: %s",
		      series[_i].version, name);
}
END_TEST

static const struct {
	const char *name;
	bool valid;
} names[] = {
	{ "1.2", true },
	{ "1.2.3", true },
	{ "1.2.3.4", false },
	{ "1", false },
	{ "1.2-rc", true },
	{ "1.2.3-rc", true },
	{ "1.2-rc-rc", false },
	{ "1.2-rc1", false },
	{ "1.2-r", false },
	{ "1-rc", false },
	{ ".-rc", false },
	{ "-rc", false },
	{ "rc", false },
	{ "1.2.", false },
	{ "1.2.-rc", false },
	{ ".1.2", false },
	{ "1..2", false },
	{ "123456789.12345678901234", true }, /* 24 letters, and one more */
	{ "123456789.123456789012345", false },
	{ "123456789.12345678901234-rc", true },
	{ "123456789.123456789012345-rc", false },
	{ "1.a", false },
	{ "1/2", false },
};

START_TEST(names_are_valid_or_not)
{
	ck_assert_msg(kernel_name_is_valid(names[_i].name) == names[_i].valid, "%s",
		      names[_i].name);
}
END_TEST

/* By its first and last series; candidates are where they alone are. */
static const struct {
	const char *first, *last;
	bool candidates;
	const char *name;
	bool holds;
} suites[] = {
	{ "5.10", "5.10", false, "5.10", true },  { "5.10", "5.10", false, "5.10.3", true },
	{ "5.10", "5.10", false, "5.9", false },  { "5.10", "5.10", false, "5.11", false },
	{ "5.10", "6.1", false, "5.15", true },	  { "5.10", "6.1", false, "6.1.99", true },
	{ "5.10", "6.1", false, "6.2", false },	  { "5.10", NULL, false, "99.0", true },
	{ "5.10", NULL, false, "5.9.99", false }, { NULL, "5.10", false, "1.0", true },
	{ NULL, "5.10", false, "5.11", false },	  { NULL, NULL, false, "7.3-rc", false },
	{ NULL, NULL, true, "7.3-rc", true },	  { NULL, NULL, true, "7.3", false },
	{ NULL, NULL, true, "latest-rc", false }, { NULL, NULL, false, "latest", false },
	{ NULL, NULL, false, "12345.1", false },
};

START_TEST(suites_hold_series)
{
	const struct kernel_suite suite = {
		"any", ARCHIVE_MAIN, suites[_i].first, suites[_i].last, suites[_i].candidates, NULL
	};

	ck_assert_msg(kernel_suite_holds(&suite, suites[_i].name) == suites[_i].holds, "%d: %s", _i,
		      suites[_i].name);
}
END_TEST

START_TEST(suites_have_an_end)
{
	size_t count = 0;

	while (kernel_suite_at(count))
		count++;
	ck_assert_uint_eq(count, 5);
	ck_assert_str_eq(kernel_suite_at(4)->name, "experimental");
	ck_assert_ptr_null(kernel_suite_at(6));
}
END_TEST

/* ---- stanzas ------------------------------------------------------------------------------ */

#define NAME "linux-image-6.1-cloud-amd64"
#define SHA  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define REST "Version: 6.1.9-1\nSHA256: " SHA "\n"

static const struct {
	const char *name, *text;
	size_t count;
} stanzas[] = {
	{ "whole", "Package: " NAME "\nSize: 4194304\n" REST "\n", 1 },
	{ "without_an_empty_line", "Package: " NAME "\nSize: 4194304\n" REST, 1 },
	{ "without_a_newline",
	  "Package: " NAME "\nVersion: 6.1.9-1\nSHA256: " SHA "\nSize: 4194304", 1 },
	{ "without_blanks", "Package:" NAME "\nSize:4194304\nVersion:6.1.9-1\nSHA256:" SHA "\n",
	  1 },
	{ "with_many", "Package:   " NAME "\nSize:  4194304\n" REST, 1 },
	{ "empty_lines", "\n\nPackage: " NAME "\nSize: 4194304\n" REST "\n\n\n", 1 },
	{ "two",
	  "Package: " NAME "\nSize: 4194304\n" REST "\nPackage: " NAME "\nSize: 4194304\n" REST,
	  2 },
	{ "second_has_nothing_of_the_first",
	  "Package: " NAME "\nSize: 4194304\n" REST "\nPackage: " NAME "\n" REST, 1 },
	{ "a_byte_too_small", "Package: " NAME "\nSize: 4194303\n" REST, 0 },
	{ "no_size", "Package: " NAME "\n" REST, 0 },
	{ "empty_field_says_nothing",
	  "Package: " NAME
	  "\nPackage:\nSize: 4194304\nSize:\nVersion: 6.1.9-1\nVersion:\nSHA256: " SHA
	  "\nSHA256:\n",
	  1 },
	{ "binary", "Package: linux-binary-6.1-cloud-amd64\nSize: 4194304\n" REST, 1 },
	{ "modules", "Package: linux-module-6.1-cloud-amd64\nSize: 4194304\n" REST, 0 },
	{ "no_number", "Package: linux-image-x6.1-cloud-amd64\nSize: 4194304\n" REST, 0 },
	{ "of_a_whole_series", "Package: linux-image-cloud-amd64\nSize: 4194304\n" REST, 0 },
	{ "shortest", "Package: linux-image-6\nSize: 4194304\n" REST, 0 },
	{ "another_flavour", "Package: linux-image-6.1-amd64\nSize: 4194304\n" REST, 0 },
	{ "debug_symbols", "Package: " NAME "-dbg\nSize: 4194304\n" REST, 0 },
	{ "no_version", "Package: " NAME "\nSize: 4194304\nSHA256: " SHA "\n", 0 },
	{ "no_series", "Package: " NAME "\nSize: 4194304\nVersion: 6\nSHA256: " SHA "\n", 0 },
	{ "no_hash", "Package: " NAME "\nSize: 4194304\nVersion: 6.1.9-1\n", 0 },
	{ "a_hash_that_is_short",
	  "Package: " NAME "\nSize: 4194304\nVersion: 6.1.9-1\nSHA256: 123456789a\n", 0 },
	{ "other_fields",
	  "Package-Type: x\nPackage: " NAME "\nInstalled-Size: 9\nSize: 4194304\nMD5sum: 1\n" REST,
	  1 },
	{ "nothing", "", 0 },
};

START_TEST(stanzas_are_read)
{
	size_t size = strlen(stanzas[_i].text), count = 99;
	struct kernel_package *all = NULL;
	FREED char *text = malloc(size + 1);
	struct error error = { 0 };

	/* No byte behind the text is looked at: it would be a name's. */
	memcpy(text, stanzas[_i].text, size);
	text[size] = '9';
	ck_assert_int_eq(kernel_index_parse(text, size, &all, &count, &error), 0);
	ck_assert_msg(count == stanzas[_i].count, "%s: %zu", stanzas[_i].name, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_str_eq(all[i].version, "6.1.9-1");
		ck_assert_str_eq(all[i].series, "6.1");
		ck_assert_str_eq(all[i].sha256, SHA);
		ck_assert_uint_eq(all[i].size, 4194304);
	}
	free(all);
}
END_TEST

/* A field of blanks at the text's end is empty, whatever lies behind it. */
START_TEST(blanks_end_with_the_text)
{
	static const char text[] = "Size: 4194304\n" REST "Package:    " NAME;
	struct kernel_package *all = NULL;
	struct error error = { 0 };
	size_t count;

	for (size_t behind = strlen(NAME) + 1; behind <= strlen(NAME) + 4; behind++) {
		ck_assert(!kernel_index_parse(text, strlen(text) - behind, &all, &count, &error));
		ck_assert_uint_eq(count, 0);
		free(all);
	}
}
END_TEST

static const struct kernel_package packages[] = {
	{ .name = "older", .version = "6.1.8-9", .series = "6.1" },
	{ .name = "first", .version = "6.1.9-1", .series = "6.1" },
	{ .name = "same", .version = "6.1.9-1", .series = "6.1" },
	{ .name = "tilde", .version = "6.2.3~x-1", .series = "6.2" },
	{ .name = "candidate", .version = "6.3~rc1-1", .series = "6.3-rc" },
	{ .name = "newest", .version = "6.12.90-1", .series = "6.12" },
};

static const struct {
	const char *asked, *chosen, *level;
} choices[] = {
	{ "6.1", "first", "6.1.9" },
	{ "6.1.9", "first", "6.1.9" },
	{ "6.1.8", "older", "6.1.8" },
	{ "6.2.3", "tilde", "6.2.3" },
	{ "6.3-rc", "candidate", "6.3-rc" },
	{ "6.3", NULL, NULL },
	{ "6.12.9", NULL, NULL },
	{ "6.12.90", "newest", "6.12.90" },
	{ "6", NULL, NULL },
	{ "6.1.", NULL, NULL },
};

START_TEST(newest_is_chosen)
{
	const struct kernel_package *chosen = kernel_index_choose(packages, COUNT(packages),
								  choices[_i].asked);
	char level[32];

	ck_assert_msg(!chosen == !choices[_i].chosen, "%s", choices[_i].asked);
	if (!chosen)
		return;
	ck_assert_str_eq(chosen->name, choices[_i].chosen);
	kernel_patch_level(chosen, level, sizeof(level));
	ck_assert_str_eq(level, choices[_i].level);
	ck_assert_ptr_null(kernel_index_choose(packages, 0, choices[_i].asked));
}
END_TEST

SUITE(kernel_index, LOOP(versions_are_ordered, orders), LOOP(series_of_versions, series),
      LOOP(names_are_valid_or_not, names), LOOP(suites_hold_series, suites),
      TEST(suites_have_an_end), LOOP(stanzas_are_read, stanzas), TEST(blanks_end_with_the_text),
      LOOP(newest_is_chosen, choices))
