/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_name.c - which functions a name is meant for, as compilers, demanglers and profilers spell it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "profiles/score/score_name.h"
#include "profiles/score/score_spelling.h"

static const struct {
	const char *name;
	const char *keys; /* "[key][key]" */
} cases[] = {
	{ "main", "[main]" },
	{ "", "" },
	{ "read@plt", "[read@plt]" },
	{ "memcpy@@GLIBC_2.14", "[memcpy]" },
	{ "memcpy@GLIBC_2.2.5", "[memcpy]" },
	{ "memcpy@@GLIBC_2.14@plt", "[memcpy@plt]" },
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
	{ "main._omp_fn.0", "[main._omp_fn.0]" },
	{ ".cold", "[.cold]" },
	{ "_ZN1a1fEi", "[_ZN1a1fEi][a::f(int)][a::f]" },
	{ "_ZN1a1fEi.cold", "[_ZN1a1fEi][a::f(int)][a::f]" },
	{ "_ZN1a1fEi@plt", "[_ZN1a1fEi@plt][a::f(int)@plt][a::f@plt]" },
	{ "_Z4workv._omp_fn.0", "[_Z4workv._omp_fn.0][work()._omp_fn.0][work()][work]" },
	{ "_ZN12_GLOBAL__N_11fEv",
	  "[_ZN12_GLOBAL__N_11fEv][{anon}::f()][{anon}::f][f][{anon}::f]" },
	{ "_ZNKSt8functionIFvvEEclEv",
	  "[_ZNKSt8functionIFvvEEclEv][std::function<void()>::operator()()const][std::function<"
	  "void()>::operator()][std::function::operator()][std::function<void]" },
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	  "[_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE][core::fmt::Write::write_fmt]" },
	{ "_RNvCs1234_7mycrate3foo", "[_RNvCs1234_7mycrate3foo][mycrate::foo]" },
	{ "runtime.(*mcache).refill", "[runtime.(*mcache).refill]" },
	{ "main.F[go.shape.int_0]", "[main.F[go.shape.int_0]][main.F]" },
	{ "runtime.memmove.abi0", "[runtime.memmove]" },
	{ "camlStdlib__List__map_234",
	  "[camlStdlib__List__map_234][Stdlib.List.map_234][Stdlib.List.map]" },
	{ "__mod_MOD_proc", "[__mod_MOD_proc][mod::proc]" },
	{ "_Zfoo", "[_Zfoo]" },
	{ "_Z2sca", "[_Z2sca][sc(signedchar)][sc]" },
	{ "f[x]", "[f[x]]" },
	{ "ns::F[x](int)", "[ns::F[x](int)][ns::F[x]][ns::F][ns::F[x]]" },
	{ "_$LT$A$GT$::f", "[_$LT$A$GT$::f][<A>::f]" },
	{ "_Z3ldbe", "[_Z3ldbe][ldb(longdouble)][ldb]" },
	{ "_ZNK1AcviEv", "[_ZNK1AcviEv][A::operatorint()const][A::operatorint]" },
	{ "a<[f]::g>", "[a<[f]::g>][a][a<[f]::g>]" },
	{ "::h0123456789abcdef", "[::h0123456789abcdef]" },
	{ "f::h0123456789abcdeg", "[f::h0123456789abcdeg]" },
	{ ".part.0", "[.part.0]" },
	{ "a::f@@V1", "[a::f]" },
	{ "a%2eb\u2215c\u00b7F", "[a.b/c.F]" },
	{ "a;b", "[a:b]" },
	{ "main.F[a", "[main.F[a]" },
	{ "camlx__f_1", "[camlx__f_1]" },
	{ "A.b_", "[A.b_]" },
	{ "A.b::c", "[A.b::c]" },
	{ "ab_MOD_c", "[ab_MOD_c]" },
	{ "a b", "[ab][b]" },
	{ "myoperator<int>(int)",
	  "[myoperator<int>(int)][myoperator<int>][myoperator][myoperator<int>]" },
	{ "f<a->b>(int)", "[f<a->b>(int)][f<a->b>][f][f<a->b>]" },
	{ "f<(a<b)>(int)", "[f<(a<b)>(int)][f<(a<b)>][f][f<]" },
	{ "_Z2llx", "[_Z2llx][ll(longlong)][ll]" },
	{ "_Z2shsth", "[_Z2shsth][sh(short,unsignedshort,unsignedchar)][sh]" },
	{ "f<const char*, const int&>()", "[f<constchar*,constint&>()][f<charconst*,intconst&>()]["
					  "f<charconst*,intconst&>][f][f<charconst*,intconst&>]" },
	{ "f(const (anonymous namespace)::T*)",
	  "[f(const(anonymousnamespace)::T*)][f({anon}::Tconst*)][f]" },
	{ "f('unnamed', 'unnamed0')",
	  "[f('unnamed','unnamed0')][f({unnamedtype#1},{unnamedtype#2})][f]" },
	{ "core[0123456789abcdef0]::f",
	  "[core[0123456789abcdef0]::f][core::f][core[0123456789abcdef0]::f]" },
	{ "a[f]::g", "[a[f]::g][a::g]" },
	{ "void (&f<int>(int))(char)",
	  "[void(&f<int>(int))(char)][f<int>(int)][f<int>][f][f<int>]" },
	{ "f(int) const::g(long) const", "[f(int)const::g(long)const][f(int)const::g][f::g][f]" },
	{ "_ZZNK1A1fEiENKUllE_clEl",
	  "[_ZZNK1A1fEiENKUllE_clEl][A::f(int)const::{lambda(long)#1}::operator()(long)const][A::f("
	  "int)const::{lambda(long)#1}::operator()][A::f::{lambda(long)#1}::operator()][A::f::{"
	  "lambda#1}::operator()][A::f]" },
	{ "f(int) const volatile &&::g(long)",
	  "[f(int)constvolatile&&::g(long)][f(int)constvolatile&&::g][f::g][f]" },
	{ "int A::f(int) const", "[intA::f(int)const][A::f(int)const][A::f]" },
	{ "f(int) &::g(long)", "[f(int)&::g(long)][f(int)&::g][f::g][f]" },
	{ "x__1::f(int)", "[x__1::f(int)][x__1::f]" },
	{ "std::map<int, long, std::less<int>, std::allocator<int> >::f()",
	  "[std::map<int,long,std::less<int>,std::allocator<int>>::f()][std::map<int,long>::f()]["
	  "std::map<int,long>::f][std::map::f][std::map<int,long,std::less<int>,std::allocator<int>"
	  ">::f]" },
	{ "std::set<int, std::equal_to<int>>::f()",
	  "[std::set<int,std::equal_to<int>>::f()][std::set<int>::f()][std::set<int>::f][std::set::"
	  "f][std::set<int,std::equal_to<int>>::f]" },
	{ "f(std::stringy)", "[f(std::stringy)][f]" },
	{ "f<int>::operator<<<long>(int)", "[f<int>::operator<<<long>(int)][f<int>::operator<<<"
					   "long>][f::operator<<][f<int>::operator<<<long>]" },
	{ "f[1](int)", "[f[1](int)]" },
	{ "a_$LT$b$C$c$GT$::_$u7b$x$u7d$::f",
	  "[a_$LT$b$C$c$GT$::_$u7b$x$u7d$::f][a_<b,c>::{x}::f][a_::{x}::f][a_<b,c>::{x}::f]" },
	{ "a_$LT$b$u7bc", "[a_$LT$b$u7bc]" },
	{ "f(union u, struct s, class c, enum e)",
	  "[f(unionu,structs,classc,enume)][f(u,s,c,e)][f]" },
	{ "f<5ul, 6UL, 7u8, 8x>()",
	  "[f<5ul,6UL,7u8,8x>()][f<5,6,7,8x>()][f<5,6,7,8x>][f][f<5,6,7,8x>]" },
	{ "f.resolver.0.localalias.hot", "[f]" },
	{ "invocation function for block in f(int)",
	  "[invocationfunctionforblockinf(int)][invocationfunctionforblockinf]" },
	{ "f(void)", "[f(void)]" },
	{ "transaction clone for int f<int>(int)",
	  "[transactioncloneforintf<int>(int)][transactioncloneforf<int>(int)]["
	  "transactioncloneforf<int>][transactioncloneforf][transactioncloneforf<int>]" },
	{ "A::operator|=(int)", "[A::operator|=(int)][A::operator|=]" },
	{ "_Dmain", "[_Dmain]" },
	{ "a$u7bc::f", "[a$u7bc::f]" },
	{ "A.b/c_1", "[A.b/c_1]" },
	{ "A.b:c_12", "[A.b:c_12]" },
	{ "A__b::c_1", "[A__b::c_1]" },
	{ "a b.(*T).M", "[ab.(*T).M]" },
	{ "f<int>@plt", "[f<int>@plt][f@plt][f<int>@plt]" },
	{ "f(auto:12, auto)::g()",
	  "[f(auto:12,auto)::g()][f(auto,auto)::g()][f(auto,auto)::g][f::g][f]" },
	{ "f(int)::a", "[f(int)::a][f::a][f]" },
	{ "f(int)::a<x>::g", "[f(int)::a<x>::g][f::a<x>::g][f::a::g][f]" },
	{ "f.part.", "[f.part.]" },
	{ "f.part.0x", "[f.part.0x]" },
	{ "f.part.x0", "[f.part.x0]" },
	{ "f@@libfoo_1.2", "[f]" },
	{ "f@@@V1", "[f@@@V1]" },
	{ "f@V-1", "[f@V-1]" },
	{ "a@b@V1", "[a@b]" },
	{ "@plt", "[@plt]" },
	{ "f::hg123456789abcdef", "[f::hg123456789abcdef]" },
	{ "a%2eb%2ec/d", "[a.b.c/d]" },
	{ "a\u00b7b\u00b7c\u2215d\u2215e", "[a.b.c/d/e]" },
	{ "f [clone .x]", "[f.x][f]" },
	{ "f [clone .x] [clone .y]", "[f.x.y][f]" },
	{ "f (.x)", "[f.x][f]" },
	{ "f [clone .part.0.cold]", "[f]" },
	{ "f [clone .isra.0.x.y.cold.1]", "[f.isra.0.x.y][f]" },
	{ "_$LT$A$GT$::f::h0123456789abcdef [clone .cold]", "[_$LT$A$GT$::f][<A>::f]" },
	{ "f<int>::h0123456789abcdef", "[f<int>][f][f<int>]" },
	{ "f<int>@@V1", "[f<int>][f][f<int>]" },
	{ "main.F[a[b].c]", "[main.F[a[b].c]][main.F]" },
	{ "main.F[a].G[b]", "[main.F[a].G[b]][main.F.G]" },
	{ "main.[x]", "[main.[x]]" },
	{ "main.F[[]int]", "[main.F[[]int]][main.F]" },
	{ "int f(a) (.x)", "[intf(a).x][f(a).x][f(a)][f]" },
	{ "f@", "[f@]" },
	{ "f@@", "[f@@]" },
	{ "a::operator", "[a::operator]" },
	{ "main.F[a]]", "[main.F[a]]][main.F]]" },
	{ "camlX", "[camlX]" },
	{ "camlA__b__", "[camlA__b__][A.b__]" },
	{ "A.b1", "[A.b1]" },
	{ "A.b_12_3", "[A.b_12_3][A.b_12]" },
	{ "__a_MOD_b_MOD_c", "[__a_MOD_b_MOD_c][a::b_MOD_c]" },
	{ "n()::'lambda'(n()::'lambda0'(int))::g(int)",
	  "[n()::'lambda'(n()::'lambda0'(int))::g(int)][n()::{lambda(n()::{lambda(int)#2})#1}::g("
	  "int)][n()::{lambda(n()::{lambda(int)#2})#1}::g][n::{lambda(n()::{lambda(int)#2})#1}::g]["
	  "n::{lambda#1}::g][n]" },
};

static int print_key(void *context, const char *key, enum spelling spelling)
{
	(void)spelling;
	fprintf(context, "[%s]", key);
	return 0;
}

START_TEST(keys_of_a_symbol)
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

/* All symbols that the names below may be meant for. */
static const char *const symbols[] = {
	"plain",
	"_Z5plaini",
	"_Z5plainl",
	"_Z3numILm5EEiv",
	"_Z3numILm6EEiv",
	"_Z3chrILc65EEiv",
	"_ZZ4manyiENKUllE_clEl",
	"_ZZ4manyiENKUllE0_clEl",
	"_ZZ4manyiENKUlT_E1_clIdEEDaS_",
	"_ZZNK1A1fEiENKUllE_clEl",
	"_ZZNK1B1gEiENKUllE_clEl",
	"_Z2tfI4un_tET_S1_",
	"_ZN12_GLOBAL__N_16Hidden1fEi",
	"_Z3strNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
	"_Z3vecRKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE",
	"_ZltIiEbRKSt6vectorIT_SaIS1_EERK1C",
	"_ZNK1AcviEv",
	"_ZNK1AclEi",
	"_Z3fprIiEPFvcET_",
	"_Z6taggedB4minei",
	"_Z4bothSs",
	"_Z4bothNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
	"_Z2vsSsSt6vectorIiSaIiEE",
	"_Z2vsNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIiSaIiEE",
	"_Z5multii.avx2",
	"_Z5multii.default",
	"_ZThn16_N1C1gEv",
	"_ZN1C1gEv",
	"_ZNSaIcE8allocateEm@plt",
	"_ZN4core3ptr13drop_in_place17h0123456789abcdefE",
	"_RNvCs1234_1r1f",
	"_RNvNtCs1234_1r1m1f",
	"_RINvCs1234_1r3genhEB2_",
	"main.F[go.shape.int_0]",
	"main.(*T).M",
	"main.(*U).M",
	"camlStdlib__List__map_234",
	"camlStdlib__List__map_999",
	"memcpy@@GLIBC_2.14",
	"memcpy@@GLIBC_2.14@plt",
	"_D3mod1fFiZi",
	"__mod_MOD_proc",
};

static const struct {
	const char *name, *meant; /* symbols that it may be meant for; "": none */
} spellings[] = {
	/* the same, and not another of the same simple name */
	{ "plain(int)", "_Z5plaini" },
	{ "plain(long)", "_Z5plainl" },
	{ "plain(long int)", "_Z5plainl" },
	{ "int plain(long)", "_Z5plainl" },
	{ "_Z5plainl", "_Z5plainl" },
	{ "_Z5plainl.isra.0", "_Z5plainl" },
	{ "plain(int) [clone .part.0] [clone .cold]", "_Z5plaini" },
	{ "plain(int) (.llvm.123)", "_Z5plaini" },
	/* simplified: all of them */
	{ "plain", "plain _Z5plaini _Z5plainl" },
	{ "plain(size_t)", "plain _Z5plaini _Z5plainl" },
	{ "plainer", "" },
	{ "plain@plt", "" },
	/* literals */
	{ "int num<5ul>()", "_Z3numILm5EEiv" },
	{ "num<5UL>()", "_Z3numILm5EEiv" },
	{ "num<5>", "_Z3numILm5EEiv" },
	{ "num<6ul>()", "_Z3numILm6EEiv" },
	{ "num", "_Z3numILm5EEiv _Z3numILm6EEiv" },
	{ "chr<(char)65>()", "_Z3chrILc65EEiv" },
	{ "int chr<'A'>()", "_Z3chrILc65EEiv" },
	/* lambdas */
	{ "many(int)::{lambda(long)#1}::operator()(long) const", "_ZZ4manyiENKUllE_clEl" },
	{ "many(int)::'lambda'(long)::operator()(long) const", "_ZZ4manyiENKUllE_clEl" },
	{ "many(int)::'lambda0'(long)::operator()(long) const", "_ZZ4manyiENKUllE0_clEl" },
	{ "many(int)::{lambda(long)#2}::operator()(long) const", "_ZZ4manyiENKUllE0_clEl" },
	{ "many::{lambda(long)#2}::operator()", "_ZZ4manyiENKUllE0_clEl" },
	{ "many::{lambda(long)#7}::operator()", "" },
	{ "auto many(int)::'lambda1'(auto)::operator()<double>(auto) const",
	  "_ZZ4manyiENKUlT_E1_clIdEEDaS_" },
	{ "many(int)::{lambda", "" },
	{ "A::f(int) const::{lambda(long)#1}::operator()(long) const", "_ZZNK1A1fEiENKUllE_clEl" },
	{ "A::f(int) const::'lambda'(long)::operator()(long) const", "_ZZNK1A1fEiENKUllE_clEl" },
	{ "A::f::{lambda#1}::operator()", "_ZZNK1A1fEiENKUllE_clEl" },
	{ "many", "_ZZ4manyiENKUllE_clEl _ZZ4manyiENKUllE0_clEl _ZZ4manyiENKUlT_E1_clIdEEDaS_" },
	/* unnamed scopes, strings, template arguments by default */
	{ "un_t tf<un_t>(un_t)", "_Z2tfI4un_tET_S1_" },
	{ "tf<un_t>", "_Z2tfI4un_tET_S1_" },
	{ "(anonymous namespace)::Hidden::f(int)", "_ZN12_GLOBAL__N_16Hidden1fEi" },
	{ "{anonymous}::Hidden::f(int)", "_ZN12_GLOBAL__N_16Hidden1fEi" },
	{ "Hidden::f", "_ZN12_GLOBAL__N_16Hidden1fEi" },
	{ "Hidden::g", "" },
	{ "str(std::string)", "_Z3strNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" },
	{ "str[abi:cxx11](std::__cxx11::basic_string<char, std::char_traits<char>, "
	  "std::allocator<char>>)",
	  "_Z3strNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" },
	{ "vec(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
	  "std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, "
	  "std::char_traits<char>, std::allocator<char> > > > const&)",
	  "_Z3vecRKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE" },
	{ "vec(const std::vector<std::string>&)",
	  "_Z3vecRKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE" },
	{ "vec(std::vector<std::string, std::allocator<std::string>> const&)",
	  "_Z3vecRKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE" },
	{ "int vs(std::string, std::vector<int, std::allocator<int> >)",
	  "_Z2vsSsSt6vectorIiSaIiEE "
	  "_Z2vsNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIiSaIiEE" },
	{ "both(std::string)",
	  "_Z4bothSs _Z4bothNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" },
	{ "bool operator< <int>(std::vector<int, std::allocator<int> > const&, C const&)",
	  "_ZltIiEbRKSt6vectorIT_SaIS1_EERK1C" },
	{ "operator< <int>", "_ZltIiEbRKSt6vectorIT_SaIS1_EERK1C" },
	{ "A::operator int() const", "_ZNK1AcviEv" },
	{ "A::operator int", "_ZNK1AcviEv" },
	{ "A::operator()(int) const", "_ZNK1AclEi" },
	{ "A::operator()", "_ZNK1AclEi" },
	{ "void (*fpr<int>(int))(char)", "_Z3fprIiEPFvcET_" },
	{ "fpr<int>(int)", "_Z3fprIiEPFvcET_" },
	{ "tagged[abi:mine](int)", "_Z6taggedB4minei" },
	{ "tagged(int)", "_Z6taggedB4minei" },
	/* functions that are made of others */
	{ "multi(int) [clone .avx2]", "_Z5multii.avx2" },
	{ "multi(int) [clone .cold] [clone .avx2]", "_Z5multii.avx2" },
	{ "multi(int)", "_Z5multii.avx2 _Z5multii.default" },
	{ "non-virtual thunk to C::g()", "_ZThn16_N1C1gEv" },
	{ "non-virtual thunk to C::g", "_ZThn16_N1C1gEv" },
	{ "C::g()", "_ZN1C1gEv" },
	{ "std::allocator<char>::allocate(unsigned long)@plt", "_ZNSaIcE8allocateEm@plt" },
	{ "std::allocator<char>::allocate(unsigned long)", "" },
	{ "memcpy", "memcpy@@GLIBC_2.14" },
	{ "memcpy@plt", "memcpy@@GLIBC_2.14@plt" },
	/* other languages */
	{ "core::ptr::drop_in_place", "_ZN4core3ptr13drop_in_place17h0123456789abcdefE" },
	{ "core::ptr::drop_in_place::h0123456789abcdef",
	  "_ZN4core3ptr13drop_in_place17h0123456789abcdefE" },
	{ "core[846717f741e54dfd]::ptr::drop_in_place",
	  "_ZN4core3ptr13drop_in_place17h0123456789abcdefE" },
	{ "r::f", "_RNvCs1234_1r1f" },
	{ "r[4dd8]::f", "_RNvCs1234_1r1f" },
	{ "r[4dd8]::m::f", "_RNvNtCs1234_1r1m1f" },
	{ "r::gen::<u8>", "_RINvCs1234_1r3genhEB2_" },
	{ "r[4dd8]::gen<u8>", "_RINvCs1234_1r3genhEB2_" },
	{ "main.F[go.shape.int_0]", "main.F[go.shape.int_0]" },
	{ "main.F[...]", "main.F[go.shape.int_0]" },
	{ "main.F", "main.F[go.shape.int_0]" },
	{ "main.(*T).M", "main.(*T).M" },
	{ "Stdlib.List.map_234", "camlStdlib__List__map_234" },
	{ "Stdlib__List.map", "camlStdlib__List__map_234 camlStdlib__List__map_999" },
	{ "mod.f(int)", "_D3mod1fFiZi" },
	{ "mod.f", "_D3mod1fFiZi" },
	{ "mod::proc", "__mod_MOD_proc" },
	/* what others write behind a name */
	{ "plain(int) (t.cc:12)", "_Z5plaini" },
	{ "plain(int)+0x1a", "_Z5plaini" },
	{ "plain(int) at t.cc:12", "_Z5plaini" },
	{ "C::g:12", "_ZN1C1gEv" },
	{ "plain (int)", "_Z5plaini" },
	{ "plain(int) (inlined)", "_Z5plaini" },
	{ "plain (src/t)", "plain _Z5plaini _Z5plainl" },
	{ "plain+12", "plain _Z5plaini _Z5plainl" },
	{ "plain t.cc:12", "plain _Z5plaini _Z5plainl" },
	{ "plain x:12", "" },
	{ "plain(int...)", "plain _Z5plaini _Z5plainl" },
	{ "plain (int...)", "" },
	{ "main.(*V).M", "" },
	{ "plain(x)::(y) c", "" }, /* cut in "const" */
};

struct meaning {
	char text[512];
	size_t found;
	const char *key, *symbol;
};

static int is_key(void *context, const char *key, enum spelling spelling)
{
	struct meaning *meaning = context;

	(void)spelling;
	return !strcmp(meaning->key, key);
}

/* The first key that a symbol has. */
static int find_meant(void *context, const char *key, enum spelling spelling)
{
	struct meaning *meaning = context;

	(void)spelling;
	meaning->key = key;
	for (size_t i = 0; i < COUNT(symbols); i++)
		if (name_keys(symbols[i], is_key, meaning))
			snprintf(meaning->text + strlen(meaning->text),
				 sizeof(meaning->text) - strlen(meaning->text), "%s%s",
				 meaning->found++ ? " " : "", symbols[i]);
	return meaning->found != 0;
}

static int find_symbol(void *context, const char *key, enum spelling spelling)
{
	struct meaning *meaning = context;

	(void)spelling;
	meaning->key = key;
	return name_keys(meaning->symbol, is_key, meaning);
}

/* They have a key in common. */
static bool name_is_symbol(const char *name, const char *symbol)
{
	struct meaning meaning = { .symbol = symbol };

	return name_spellings(name, find_symbol, &meaning) != 0;
}

START_TEST(what_a_name_means)
{
	struct meaning meaning = { .text = "" };

	name_spellings(spellings[_i].name, find_meant, &meaning);
	ck_assert_msg(!strcmp(meaning.text, spellings[_i].meant), "%s: %s", spellings[_i].name,
		      meaning.text);
	for (size_t i = 0; i < COUNT(symbols) && *spellings[_i].meant; i++)
		if (!strcmp(symbols[i], spellings[_i].meant))
			ck_assert(name_is_symbol(spellings[_i].name, symbols[i]));
}
END_TEST

/* What compilers put behind a name is none of it, with a number or without, once or twice. */
START_TEST(copies_of_a_function)
{
	static const char *const suffixes[] = {
		"cold",	       "part",	     "constprop", "isra",	"lto_priv", "llvm",
		"warm",	       "localalias", "unlikely",  "resolver",	"__uniq",   "__part",
		"specialized", "hot",	     "abi0",	  "abiinternal"
	};
	static const char *const forms[] = { "f.%s", "f.%s.12", "f.cold.%s.0", "f.%s.0.cold" };
	char name[64], key[NAME_KEY_MAX];

	for (size_t i = 0; i < COUNT(suffixes) * COUNT(forms); i++) {
		snprintf(name, sizeof(name), forms[i % COUNT(forms)], suffixes[i / COUNT(forms)]);
		name_key(name, key);
		ck_assert_msg(!strcmp(key, "f"), "%s: %s", name, key);
	}
}
END_TEST

/* A name in a profile may have a note behind it, and says types as its symbol does not. */
static const struct {
	const char *name, *keys;
} told[] = {
	{ "f::12", "[f::12]" },
	{ "f::a", "[f::a]" },
	{ "f::12:13", "[f::12:13][f::12][f::12:13]" },
	{ "f+12", "[f+12][f][f+12]" },
	{ "f-12", "[f-12]" },
	{ "f+", "[f+]" },
	{ "f(a):12", "[f(a):12][f(a)][f][f(a):12][f][f:12][f]" },
	{ "f<a(b)>(c) x.c:3",
	  "[f<a(b)>(c)x.c:3][f<a(b)>(c)][f<a(b)>][f][f<a(b)>(c)x.c:3][f<a(b)>][f<a(b)>x.c:3][f]" },
	{ "f x.c)", "[fx.c)][x.c)]" },
	{ "f+0x1a", "[f+0x1a][f][f+0x1a]" },
	{ "+0x1a", "[+0x1a]" },
	{ "+12", "[+12]" },
	{ ":12", "[:12]" },
	{ " f.c:12", "[f.c:12][f.c][f.c:12]" },
	{ " at:12", "[at:12][at][at:12]" },
	{ "f at a.c:12", "[fata.c:12][f][fata.c:12][a.c:12]" },
	{ "f (a.c(b))", "[f(a.c(b))][(a.c(b))]" },
	{ "f (a.c) b", "[f(a.c)b][(a.c)b][b]" },
	{ "f (inlined)", "[f(inlined)][f][f(inlined)][(inlined)]" },
	{ "int f(std::string)", "[intf(std::string)][f(std::string)][f]" },
	{ "f (x.c:3)", "[f(x.c:3)][f][f(x.c:3)][(x.c:3)]" },
};

START_TEST(keys_of_a_profile_s_name)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(name_spellings(told[_i].name, print_key, file), 0);
	fclose(file);
	ck_assert_str_eq(text, told[_i].keys);
	free(text);
}
END_TEST

/* How much of the name each of its keys says. */
static const struct {
	const char *name, *levels; /* of the symbol's keys, a character each: "FLBOPC" */
} levels[] = {
	{ "_ZN1a1fEi", "FFB" },
	{ "_Z4workv._omp_fn.0", "FFFB" },
	{ "_ZNKSt8functionIFvvEEclEv", "FFBPC" },
	{ "std::map<int, long, std::less<int> >::f(a)::g(b)", "FLBOPC" },
	{ "camlStdlib__List__map_234", "FFP" },
	{ "main.F[go.shape.int]", "FP" },
	{ "__mod_MOD_proc", "FF" },
};

static int print_level(void *context, const char *key, enum spelling spelling)
{
	(void)key;
	fputc("FLBOPC"[spelling], context);
	return 0;
}

START_TEST(what_a_key_says)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	name_keys(levels[_i].name, print_level, file);
	fclose(file);
	ck_assert_msg(!strcmp(text, levels[_i].levels), "%s: %s", levels[_i].name, text);
	free(text);
}
END_TEST

/* Who has heard enough hears no more, and what he said is handed back. */
struct hearing {
	int calls, enough;
};

static int hear(void *context, const char *key, enum spelling spelling)
{
	struct hearing *hearing = context;

	(void)key;
	(void)spelling;
	return ++hearing->calls == hearing->enough ? 7 : 0;
}

static const char *const more[] = { "f t.c:12", "int a::f(b) [clone .x] [clone .cold]",
				    "A__b_1 (.x)", "__a_MOD_B.c_1", "__a_MOD_b.c[d]" };

START_TEST(the_rest_is_not_told)
{
	int (*const tell[])(const char *, name_key_fn *, void *) = { name_keys, name_spellings };
	const char *name = _i < (int)COUNT(cases) ? cases[_i].name : more[_i - COUNT(cases)];

	for (size_t i = 0; i < COUNT(tell); i++) {
		struct hearing all = { 0, -1 };

		ck_assert_int_eq(tell[i](name, hear, &all), 0);
		for (int enough = 1; enough <= all.calls; enough++) {
			struct hearing one = { 0, enough };

			ck_assert_int_eq(tell[i](name, hear, &one), 7);
			ck_assert_msg(one.calls == enough, "%s: %d of %d", name, one.calls, enough);
		}
	}
}
END_TEST

/* What is behind a mangled name is none of it. NULL: it is not mangled. */
static const struct {
	const char *name, *plain;
} mangled[] = {
	{ "_Z5plaini", "plain(int)" },
	{ "_Z5plaini@plt", "plain(int)" },
	{ "_Z5plaini.abi0@plt", "plain(int)" },
	{ "_Z5plaini@@V1@plt", "plain(int)" },
	{ "_Z5plaini@V1", "plain(int)" },
	{ "_D3mod1fFiZi", "mod.f(int)" },
	{ "_Dmain", NULL },
	{ "plain", NULL },
	{ "_Zq@plt", NULL },
};

START_TEST(a_mangled_name)
{
	char *plain = name_demangle(mangled[_i].name);

	ck_assert_pstr_eq(plain, mangled[_i].plain);
	free(plain);
}
END_TEST

/* Only a profile's name has notes: a symbol's is whole. */
static const struct {
	const char *name, *symbol;
	bool is_its;
} pairs[] = {
	{ "f:12", "f", true },
	{ "f", "f:12", false },
	{ "f:12", "f:12", true },
	{ "f+0x1a", "f", true },
	{ "f", "f+0x1a", false },
	{ "many", "_ZZ4manyiENKUllE_clEl", true },
	{ "f(int)", "_Z1fi", true },
	{ "f(int)", "_Z1gi", false },
	{ "f@plt", "_Z1fi@plt", true },
	{ "f", "_Z1fi@plt", false },
	{ "std::g(int)", "_ZSt1gi", true },
};

START_TEST(a_name_of_a_symbol)
{
	ck_assert_int_eq(name_is_symbol(pairs[_i].name, pairs[_i].symbol), pairs[_i].is_its);
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
	memcpy(name, "_Z1fi@", 6); /* without all that is behind it, it would be another's */
	ck_assert_ptr_null(name_demangle(name));
	free(name);
}
END_TEST

SUITE(score_name, TEST(copies_of_a_function), LOOP(keys_of_a_symbol, cases),
      LOOP(what_a_name_means, spellings), LOOP(what_a_key_says, levels),
      TIMES(the_rest_is_not_told, COUNT(cases) + COUNT(more)), LOOP(keys_of_a_profile_s_name, told),
      LOOP(a_mangled_name, mangled), LOOP(a_name_of_a_symbol, pairs), TEST(long_names_are_cut))
