/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_kernel_symbols.c - /proc/kallsyms, made up: which symbol an address is in
 */
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"

static const char *kallsyms;

static FILE *made_fopen(const char *path, const char *mode)
{
	ck_assert_str_eq(path, "/proc/kallsyms");
	return kallsyms ? fmemopen((void *)kallsyms, strlen(kallsyms), "r") : NULL;
}

#define fopen made_fopen
#include "profiles/record/kernel_symbols.c"
#undef fopen

#define TEXT                                                                                       \
	"ffffffff81000100 T second\n"                                                              \
	"ffffffff81000000 T first\n"                                                               \
	"ffffffff81000080 d data\n"                                                                \
	"ffffffff81000200 t static_one\n"                                                          \
	"ffffffff81000300 W weak\n"                                                                \
	"ffffffffc0000000 t in_module\t[a_module]\n"                                               \
	"this is no line\n"                                                                        \
	"ffffffffc0000100 T also_there\t[other]\n"

static const struct {
	const char *name;
	const char *text;
	uint64_t address;
	const char *symbol, *module;
} finds[] = {
	{ "first_address", TEXT, 0xffffffff81000000, "first", "" },
	{ "last_byte_before_the_next", TEXT, 0xffffffff810000ff, "first", "" },
	{ "data_is_no_function", TEXT, 0xffffffff81000090, "first", "" },
	{ "order_does_not_matter", TEXT, 0xffffffff81000100, "second", "" },
	{ "static", TEXT, 0xffffffff81000234, "static_one", "" },
	{ "weak", TEXT, 0xffffffff81000300, "weak", "" },
	{ "module", TEXT, 0xffffffffc0000001, "in_module", "a_module" },
	{ "behind_the_last", TEXT, UINT64_MAX, "also_there", "other" },
	{ "before_the_first", TEXT, 0xffffffff80ffffff, NULL, "" },
	{ "addresses_are_hidden", "0000000000000000 T hidden\n", 0xffffffff81000000, NULL, "" },
	{ "no_newline_at_the_end", "10 T f", 0x10, "f", "" },
	{ "no_file", NULL, 0xffffffff81000000, NULL, "" },
};

START_TEST(an_address_is_in_a_symbol)
{
	struct kernel_symbols *symbols;
	const char *module, *found;

	kallsyms = finds[_i].text;
	symbols = kernel_symbols_read();
	ck_assert_ptr_nonnull(symbols);
	found = kernel_symbols_find(symbols, finds[_i].address, &module);
	ck_assert_msg(finds[_i].symbol ? found && !strcmp(found, finds[_i].symbol) : !found,
		      "%s: %s", finds[_i].name, found ? found : "none");
	ck_assert_str_eq(module, finds[_i].module);
	kernel_symbols_free(symbols);
}
END_TEST

START_TEST(none_may_be_freed)
{
	kernel_symbols_free(NULL);
}
END_TEST

SUITE(kernel_symbols, LOOP(an_address_is_in_a_symbol, finds), TEST(none_may_be_freed))
