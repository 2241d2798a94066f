/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_arguments.c - template arguments in words that no symbol has: they say nothing for a stack
 *
 * The symbols are what g++ 12 and clang++ 14 write; the names are what llvm-symbolizer takes from their DWARF, and what
 * LLVM's demangler makes of the symbols.
 */
#include "tests/suite.h"
#include "score_pairs.h"

static const char *const pairs[][2] = {
	{ "_Z2fpIXadL_Z2favEEEvv", "_Z2fpIXadL_Z2fbvEEEvv" },
	{ "_Z2pvIXadL_Z2iaEEEvv", "_Z2pvIXadL_ZN1q2ibEEEEvv" },
	{ "_Z2mdIXadL_ZN1S1mEEEEvv", "_Z2mdILM1Si0EEvv" },
	{ "_Z2mfIXadL_ZN1S1cEvEEEvv", "_Z2mfILM1SFvvE0EEvv" },
	{ "_Z3lamIZ3drvvEUlvE_EvT_", "_Z3lamIZ3othvEUlvE_EvT_" },
	{ "_Z2lpIZ3othvEUlvE_EvT_", "_Z2lpIZ3othvEUliE0_EvT_" },
	{ "_Z2clIXtl1KLj1ELi2EEEEvv", "_Z2clIXtl1KLj1ELi3EEEEvv" },
	{ "_Z2laIZ3drvvE3$_0EvT_", "_Z2laIZ3othvE3$_1EvT_" },
	{ "_Z2tyInEvv", "_Z2tyIoEvv" },
	{ "_Z2voIiEvv", "_Z2voIVKiEvv" },
	{ "_Z2auILDnEEvv", "_Z2auILb1EEvv" },
	{ "_Z2dbILd3ff8000000000000EEvv", "_Z2dbILd4004000000000000EEvv" },
	{ "_Z2euIL1E0EEvv", "_Z2euIL1E1EEvv" },
	{ "_Z2ucILh65EEvv", "_Z2ucILh66EEvv" },
	{ "_Z2wcILw97EEvv", "_Z2wcILw98EEvv" },
	{ "_Z2boILb0EEvv", "_Z2boILb1EEvv" },
	{ "_Z3oneIiEvv.part.0", "_Z3oneIiEvv" },
};

static const char *const alones[] = { "_Z3onlIiEvv" };

static const struct pair_names names = { pairs, sizeof(pairs) / sizeof(pairs[0]), alones, 1, NULL };

static void write_names(void)
{
	pairs_write(&names);
}

static const struct argument_case {
	const char *name, *expected;
} arguments[] = {
	/* other words for the same */
	{ "void md<&(S::m)>()", "exact 1 caller 2" },
	{ "fp<fa>", "exact 1 names 2" },
	{ "fp<&fb>", "exact 2 names 1" },
	{ "pv<(& ia)>", "exact 1 caller 2" },
	{ "pv<(& q::ib)>", "exact 2 caller 1" },
	{ "lam<oth()::<lambda()> >", "exact 2 names 1" },
	{ "lp<oth()::<lambda()> >", "exact 1 names 2" },
	{ "lp<oth()::<lambda(int)> >", "exact 2 names 1" },
	{ "cl<K{1, 3}>", "exact 2 caller 1" },
	{ "cl<{1, 3}>", "exact 2 names 1" },
	{ "ty<__int128 unsigned>", "exact 2 caller 1" },
	{ "vo<const volatile int>", "names 3" },
	{ "uc<(unsigned char)'B'>", "exact 2 names 1" },
	/* what nobody's symbol has */
	{ "fp<zzz>", "names 3" },
	{ "pv<pv<fa> >", "names 3" },
	{ "md<-1>", "names 3" },
	{ "md<nullptr>", "names 3" },
	{ "void md<&(S::n)>()", "names 3" },
	{ "mf<((void (S::*)())0)>", "names 3" },
	{ "la<(lambda at f.cc:29:315)>", "names 3" },
	{ "ty<volatile int>", "names 3" },
	{ "au<nullptr>", "names 3" },
	{ "db<2.5e+0>", "names 3" },
	{ "eu<e1>", "names 3" },
	{ "eu<E::b>", "names 3" },
	{ "wc<L'b'>", "names 3" },
	{ "bo<0>", "names 3" },
	/* but where all have the same arguments they may be meant by other words */
	{ "one<zzz>", "exact 3" },
	{ "onl<zzz>", "exact 1 caller 2" },
};

START_TEST(an_argument)
{
	pairs_check(&names, arguments[_i].name, arguments[_i].expected);
}
END_TEST

SUITE(score_arguments, FIXTURE_ONCE(write_names, crafted_end), LOOP(an_argument, arguments))
