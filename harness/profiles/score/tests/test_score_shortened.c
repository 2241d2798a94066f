/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_shortened.c - names with something left out: what they do say decides between functions, if all spell it alike
 *
 * The symbols are what g++ 12, clang++ 14 and rustc 1.95 write.
 */
#include "tests/suite.h"
#include "score_pairs.h"

static const char *const pairs[][2] = {
	{ "_Z1zILj5EEii", "_Z1zILx5EEii" },
	{ "_Z1yIiLj5EEiT_", "_Z1yIiLl5EEiT_" },
	{ "_Z2bvILb1ELj7EEii", "_Z2bvILb1ELi7EEii" },
	{ "_ZN12_GLOBAL__N_12anILj5EEEii", "_ZN12_GLOBAL__N_12anILx5EEEii" },
	{ "_Z2enIL2Co0ELj1EEii", "_Z2enIL2Co0ELl1EEii" },
	{ "_Z4manyIJLi1ELj2EEEiv", "_Z4manyIJLj1ELi2EEEiv" },
	{ "_ZN2OpILj3EElsEi", "_ZN2OpILm3EElsEi" },
	{ "_ZNK2OpILi3EEclIiEET_S2_", "_ZNK2OpILj3EEclIiEET_S2_" },
	{ "_ZNK2OpILj3EEcviEv", "_ZNK2OpILm3EEcviEv" },
	{ "_ZN2OpILj3EEC2Ev", "_ZN2OpILm3EEC2Ev" },
	{ "_ZN2b13__12inILj2EEEii", "_ZN2b13__12inILx2EEEii" },
	{ "_ZN3OutIiE2InILj7EE1fEi", "_ZN3OutIiE2InILl7EE1fEi" },
	{ "_Z1uIiEiT_", "_Z1uIiEvT_" },
	{ "_ZN1k1fEi.part.0", "_ZN1k1fEi" },
	{ "_RINvCs1_1m3gvehE", "_RINvCs2_1m3gvehE" },
	{ "_ZZ1gILj1EEvvENKUliE_clEi", "_ZZ1gILm1EEvvENKUliE_clEi" },
	{ "_ZThn8_N1TILj1EE1fEv", "_ZThn8_N1TILm1EE1fEv" },
	{ "_Z3tagB2v2ILj1EEiv", "_Z3tagB2v2ILx1EEiv" },
	{ "_Z1sILs5EEii", "_Z1sILi5EEii" },
	{ "_RINvCs1_1m2cuKj5_E", "_RINvCs2_1m2cuKj5_E" },
	{ "_RINvCs6GmmlP4bgsG_1r7genericlEB2_", "_RINvCs5GmmlP4bgsG_1r7genericlEB2_" },
	{ "_Z6phraseILj5EEiSt6vectorIiSaIiEE", "_Z6phraseILm5EEiSt6vectorIiSaIiEE" },
	{ "_Z3verILj5EEvv@@V1", "_Z3verILm5EEvv@@V1" },
	{ "_Z2loILj4EEvm", "_Z2loILm4EEvm" },
	{ "_Z1qINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEiRKT_", "_Z1qISsEiRKT_" },
	{ "_ZN1CC1Ei", "_ZN1CC2Ei" },
	{ "_Z1tIN2ns1AEEvT_", "_Z1tI1BEvT_" },
	{ "_Z1eIiENSt9enable_ifIXsr3std9is_signedIT_EE5valueEiE4typeES1_", "_Z1eIiEvT_" },
	{ "_Z5neverILl5EEvv", "_Z5neverILl6EEvv" },
};

/* A frame of Go's is short for all of these; a real program has dozens. */
static const char *const alones[] = { "main.F[go.shape.int]",
				      "main.F[go.shape.struct_{_a.b;_c.d;_e.f_}]" };

static const struct pair_names names = { pairs, sizeof(pairs) / sizeof(pairs[0]), alones, 2,
					 "_Z5neverILj5EEvv" };

static void write_names(void)
{
	pairs_write(&names);
}

static const struct shortened_case {
	const char *name, *expected;
} shorts[] = {
	/* the literals' types */
	{ "z<5u>", "exact 1 caller 2" },
	{ "z<5U>", "exact 1 caller 2" },
	{ "z<5ll>", "exact 2 caller 1" },
	{ "int z<5u>", "exact 1 caller 2" },
	{ "z<5u>(int)", "exact 1 caller 2" },
	{ "z<5u> (t.cc:12)", "exact 1 caller 2" },
	{ "z<5u>+0x4", "exact 1 caller 2" },
	{ "y<int, 5u>", "exact 1 caller 2" },
	{ "y<int,5L>", "exact 2 caller 1" },
	{ "bv<true, 7u>", "exact 1 caller 2" },
	{ "(anonymous namespace)::an<5u>", "exact 1 caller 2" },
	{ "{anonymous}::an<5LL>", "exact 2 caller 1" },
	{ "an<5u>", "exact 1 caller 2" },
	{ "en<(Co)0, 1l>", "exact 2 caller 1" },
	{ "many<1, 2u>", "exact 1 caller 2" },
	{ "many<1u, 2>", "exact 2 caller 1" },
	{ "Op<3u>::operator<<", "exact 1 caller 2" },
	{ "Op<3u>::operator()<int>", "exact 2 caller 1" },
	{ "Op<3ul>::operator int", "exact 2 caller 1" },
	{ "Op<3u>::Op", "exact 1 caller 2" },
	{ "b1::in<2u>", "exact 1 caller 2" },
	{ "b1::__1::in<2ll>", "exact 2 caller 1" },
	{ "Out<int>::In<7u>::f", "exact 1 caller 2" },
	{ "g<1u>()::{lambda(int)#1}::operator()", "exact 1 caller 2" },
	{ "g<1ul>()::'lambda'(int)::operator()", "exact 2 caller 1" },
	{ "non-virtual thunk to T<1u>::f", "exact 1 caller 2" },
	{ "tag[abi:v2]<1u>", "exact 1 caller 2" },
	{ "tag<1ll>", "exact 2 caller 1" },
	{ "s<(short)5>", "exact 1 caller 2" },
	{ "ver<5u>", "exact 1 caller 2" },
	/* the return type, a clone's suffix, a crate's hash */
	{ "int u<int>", "exact 1 caller 2" },
	{ "void u<int>", "exact 2 caller 1" },
	{ "k::f [clone .part.0]", "exact 1 caller 2" },
	{ "m[3]::gve", "exact 1 caller 2" },
	{ "m[4]::cu::<5>", "exact 2 caller 1" },
	{ "m[4]::cu", "exact 2 caller 1" },
	{ "r[4dd80272b5a2d1fc]::generic", "exact 1 caller 2" },
	{ "phrase<5ul>(std::vector<int>)", "exact 2 caller 1" },
	/* what was never run, where another one was */
	{ "never<5u>", "caller 3" },
	{ "never<5l>", "exact 1 caller 2" },
	{ "never<5>", "exact 1 caller 2" },
	/* what is left out decides nothing */
	{ "z<5>", "exact 3" },
	{ "z<5>(int)", "exact 3" },
	{ "z<...>", "exact 3" },
	{ "z", "exact 3" },
	{ "y<int, 5>", "exact 3" },
	{ "bv<true, 7>", "exact 3" },
	{ "(anonymous namespace)::an<5>", "exact 3" },
	{ "an<5>", "exact 3" },
	{ "en<(Co)0, 1>", "exact 3" },
	{ "many<1, 2>", "exact 3" },
	{ "Op<3>::operator<<", "exact 3" },
	{ "Op<3>::operator()<int>", "exact 3" },
	{ "Op<3>::operator int", "exact 3" },
	{ "b1::in<2>", "exact 3" },
	{ "b1::__1::in<2>", "exact 3" },
	{ "Out<int>::In<7>::f", "exact 3" },
	{ "u<int>", "exact 3" },
	{ "u<int>(int)", "exact 3" },
	{ "k::f", "exact 3" },
	{ "m::gve", "exact 3" },
	{ "m::gve::<u8>", "exact 3" },
	{ "m::cu::<5>", "exact 3" },
	{ "g<1>()::{lambda(int)#1}::operator()", "exact 3" },
	{ "g<1>()::'lambda'(int)::operator()", "exact 3" },
	{ "non-virtual thunk to T<1>::f", "exact 3" },
	{ "tag[abi:v2]<1>", "exact 3" },
	{ "s<5>", "exact 3" },
	{ "s", "exact 3" },
	{ "main.F[...]", "exact 1 caller 2" },
	{ "q<std::string>", "exact 3" },
	{ "q<std::basic_string<char> >", "exact 3" },
	{ "C::C(int)", "exact 3" },
	{ "C::C", "exact 3" },
	/* and what nobody's symbol has decides nothing, not even that it is one of these */
	{ "z<5usize>", "names 3" },
	{ "z<(unsigned)5>", "names 3" },
	{ "z<(unsigned int)5>", "names 3" },
	{ "z<five>", "names 3" },
	{ "z<five> (t.cc:12)", "names 3" },
	{ "z<five>+0x4", "names 3" },
	{ "z(size_t)", "names 3" },
	{ "lo<4u>(size_t)", "names 3" },
	{ "m::cu::<5usize>", "names 3" },
	{ "m[7]::gve", "names 3" },
	/* a suffix may be another word for the same */
	{ "k::f [clone .part.1]", "exact 3" },
	/* if one's symbol has it, the other one is in doubt */
	{ "q<std::__cxx11::basic_string<char> >", "exact 1 names 2" },
	{ "t<A>", "exact 1 names 2" },
	{ "void e<int>", "exact 2 names 1" },
};

START_TEST(a_shortened_name)
{
	pairs_check(&names, shorts[_i].name, shorts[_i].expected);
}
END_TEST

SUITE(score_shortened, FIXTURE_ONCE(write_names, crafted_end), LOOP(a_shortened_name, shorts))
