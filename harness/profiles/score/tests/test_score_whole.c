/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_whole.c - names that are the whole spelling of a symbol: that function is meant, and no other one
 *
 * Beside the pairs are names that look like parts of a frame.
 */
#include "tests/suite.h"
#include "score_pairs.h"

static const char *const pairs[][2] = {
	{ "f.constprop.0", "f" },
	{ "j.isra.0", "j.isra.1" },
	{ "h.lto_priv.0", "h.lto_priv.1" },
	{ "_ZN1c1fEv.llvm.1", "_ZN1c1fEv.llvm.2" },
	{ "_Z1zILm5EEvv", "_Z1zILi5EEvv" },
	{ "_Z1wILx5EEvv", "_Z1wILl5EEvv" },
	{ "_Z1uIiEiT_", "_Z1uIiEvT_" },
	{ "_ZN1m3gen17h0123456789abcdefE", "_ZN1m3gen17hfedcba9876543210E" },
	{ "_RINvCs1_1m3gvehE", "_RINvCs2_1m3gvehE" },
	{ "_ZN1k1fEv.part.0", "_ZN1k1fEv" },
	{ "_Z1pNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "_Z1pSs" },
	{ "v@@V2", "v@V1" },
	{ "q;r", "q:r" },
	{ "_ZN1e1fEv.avx2.cold", "_ZN1e1fEv.avx2" },
};

static const char *const alones[] = { "[brack]",     "a`b", "lib!c", "d (inlined)", "lib!x",
				      "x (inlined)", "x:7", "y_[i]", "[prog]",	    "n+0x4" };

static const struct pair_names names = { pairs, sizeof(pairs) / sizeof(pairs[0]), alones,
					 sizeof(alones) / sizeof(alones[0]), NULL };

static void write_pairs(void)
{
	pairs_write(&names);
}

static const struct whole_case {
	const char *name, *expected;
} wholes[] = {
	/* what is one's own */
	{ "f.constprop.0", "exact 1 caller 2" },
	{ "j.isra.0", "exact 1 caller 2" },
	{ "j.isra.1", "exact 2 caller 1" },
	{ "h.lto_priv.1", "exact 2 caller 1" },
	{ "_ZN1c1fEv.llvm.1", "exact 1 caller 2" },
	{ "c::f() [clone .llvm.1]", "exact 1 caller 2" },
	{ "c::f() (.llvm.2)", "exact 2 caller 1" },
	{ "void z<5ul>()", "exact 1 caller 2" },
	{ "void z<5UL>()", "exact 1 caller 2" },
	{ "void w<5ll>()", "exact 1 caller 2" },
	{ "void w<5l>()", "exact 2 caller 1" },
	{ "int u<int>(int)", "exact 1 caller 2" },
	{ "void u<int>(int)", "exact 2 caller 1" },
	{ "m::gen::h0123456789abcdef", "exact 1 caller 2" },
	{ "_ZN1m3gen17hfedcba9876543210E", "exact 2 caller 1" },
	{ "m[3]::gve::<u8>", "exact 1 caller 2" },
	{ "m[4]::gve<u8>", "exact 2 caller 1" },
	{ "k::f() [clone .part.0]", "exact 1 caller 2" },
	{ "e::f() [clone .avx2] [clone .cold]", "exact 1 caller 2" },
	{ "e::f() (.avx2.cold)", "exact 1 caller 2" },
	{ "v@V1", "exact 2 caller 1" },
	/* the other's, with something left out */
	{ "f", "exact 2 names 1" },
	{ "void z<5>()", "exact 2 names 1" },
	{ "k::f()", "exact 2 names 1" },
	{ "p(std::string)", "exact 2 names 1" },
	{ "e::f() [clone .avx2]", "exact 2 names 1" },
	{ "void z<5>() (t.cc:12)", "exact 2 names 1" },
	/* what is no whole one means both */
	{ "j", "exact 3" },
	{ "j.isra.2", "exact 3" },
	{ "c::f()", "exact 3" },
	{ "z<5>", "exact 3" },
	{ "z", "exact 3" },
	{ "u<int>", "exact 3" },
	{ "m::gen", "exact 3" },
	{ "m::gve::<u8>", "exact 3" },
	{ "k::f", "exact 3" },
	{ "p", "exact 3" },
	{ "v", "exact 3" },
	{ "q:r", "exact 3" },
	/* all of a frame's text is a name; what looks like a note is the name's */
	{ "[brack]", "exact 1 caller 2" },
	{ "a`b", "exact 1 caller 2" },
	{ "lib!c", "exact 1 caller 2" },
	{ "d (inlined)", "exact 1 caller 2" },
	{ "n+0x4", "exact 1 caller 2" },
	/* but where its parts may be one, or it may be a note, nobody knows */
	{ "lib!x", "caller 2 names 1" },
	{ "x (inlined)", "caller 2 names 1" },
	{ "x:7", "caller 2 names 1" },
	{ "y_[i]", "caller 2 names 1" },
	{ "[prog]", "names 3" },
};

START_TEST(a_whole_spelling)
{
	pairs_check(&names, wholes[_i].name, wholes[_i].expected);
}
END_TEST

SUITE(score_whole, FIXTURE_ONCE(write_pairs, crafted_end), LOOP(a_whole_spelling, wholes))
