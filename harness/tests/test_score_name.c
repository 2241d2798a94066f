/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_name.c - the keys of names, as compilers, demanglers and profilers spell them
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "score/score_name.h"

static const struct {
	const char *name;
	const char *keys; /* "[key][key]" */
} cases[] = {
	{ "main", "[main]" },
	{ "", "[]" },
	{ "read@plt", "[read@plt]" },
	{ "memcpy@@GLIBC_2.14", "[memcpy]" },
	{ "memcpy@GLIBC_2.2.5", "[memcpy]" },
	{ "@x", "[@x]" },
	{ "fde@0x1230", "[fde@0x1230]" },
	{ "gap@0x6210", "[gap@0x6210]" },
	{ ".plt.sec", "[.plt.sec]" },
	{ "f.cold", "[f]" },
	{ "f.part.0", "[f]" },
	{ "f.part.0.cold", "[f]" },
	{ "f.constprop.12.isra.3", "[f]" },
	{ "f.llvm.1234567890", "[f]" },
	{ "f.0", "[f.0]" },
	{ "f.colder", "[f.colder]" },
	{ "f.x.0", "[f.x.0]" },
	{ ".cold", "[.cold]" },
	{ "f(int) [clone .cold]", "[f(int)]" },
	{ "f(int) [clone .part.0] [clone .cold]", "[f(int)]" },
	{ "_ZN1a1fEi", "[_ZN1a1fEi][a::f(int)][a::f]" },
	{ "_ZN1a1fEi.cold", "[_ZN1a1fEi][a::f(int)][a::f]" },
	{ "_ZN12_GLOBAL__N_11fEv",
	  "[_ZN12_GLOBAL__N_11fEv][(anonymousnamespace)::f()][(anonymousnamespace)::f]" },
	{ "_ZNKSt8functionIFvvEEclEv",
	  "[_ZNKSt8functionIFvvEEclEv][std::function<void()>::operator()()const]"
	  "[std::function<void()>::operator()]" },
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	  "[_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE][core::fmt::Write::write_fmt]" },
	{ "core::fmt::Write::write_fmt::h0123456789abcdef", "[core::fmt::Write::write_fmt]" },
	{ "core::fmt::Write::h0123456789abcde", "[core::fmt::Write::h0123456789abcde]" },
	{ "core::fmt::Write::h0123456789abcdeg", "[core::fmt::Write::h0123456789abcdeg]" },
	{ "_RNvCs1234_7mycrate3foo", "[_RNvCs1234_7mycrate3foo][mycrate::foo]" },
	{ "runtime.(*mcache).refill", "[runtime.(*mcache).refill]" },
	{ "_Zfoo", "[_Zfoo]" },
};

static int print_key(void *context, const char *key)
{
	fprintf(context, "[%s]", key);
	return 0;
}

START_TEST(keys_of_a_name)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(name_keys(cases[_i].name, print_key, file), 0);
	fclose(file);
	ck_assert_str_eq(text, cases[_i].keys);
	free(text);
}
END_TEST

static const struct {
	const char *key, *bare; /* NULL: it has no parameters */
} bares[] = {
	{ "a::f(int)const", "a::f" },
	{ "a::f", NULL },
	{ "", NULL },
	{ "(x)", NULL },
	{ "f<int(*)(char)>(int)", "f<int(*)(char)>" },
	{ "operator()(int)", "operator()" },
	{ "operator<(a,b)", "operator<" },
	{ "operator>>(a,b)", "operator>>" },
	{ "operator", NULL },
	{ "(anonymousnamespace)::f(int)", "(anonymousnamespace)::f" },
	{ "a::(anonymousnamespace)::f(int)", "a::(anonymousnamespace)::f" },
};

START_TEST(without_parameters)
{
	char bare[NAME_KEY_MAX];

	if (!bares[_i].bare) {
		ck_assert(!name_key_bare(bares[_i].key, bare));
		return;
	}
	ck_assert(name_key_bare(bares[_i].key, bare));
	ck_assert_str_eq(bare, bares[_i].bare);
}
END_TEST

START_TEST(long_names_are_cut)
{
	char *name = malloc(3 * NAME_KEY_MAX), key[NAME_KEY_MAX];

	memset(name, 'a', 3 * NAME_KEY_MAX);
	memcpy(name, "_Z", 2);
	name[3 * NAME_KEY_MAX - 1] = '\0';
	name_key(name, key);
	ck_assert_uint_eq(strlen(key), NAME_KEY_MAX - 1);
	ck_assert_ptr_null(name_demangle(name));
	free(name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("score_name");
	TCase *tcase = tcase_create("score_name");

	tcase_set_timeout(tcase, 0);
	tcase_add_loop_test(tcase, keys_of_a_name, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(tcase, without_parameters, 0, sizeof(bares) / sizeof(bares[0]));
	tcase_add_test(tcase, long_names_are_cut);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
