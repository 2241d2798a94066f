/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_spelling.c - what demanglers spell differently, made one: a case for each rule, and for each "unless"
 *
 * What is expected has no blanks: the fullest spelling of what was read, or the one that is named.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "profiles/score/score_spelling.h"

static void check_spelling(const char *name, enum spelling spelling, const char *expected)
{
	char read[NAME_KEY_MAX], text[NAME_KEY_MAX];

	spelling_read(name, read);
	spelling_write(read, spelling, text);
	ck_assert_msg(!strcmp(text, expected), "%s: %s, not %s", name, text, expected);
}

/* ---- words ------------------------------------------------------------------------------------ */

static const struct {
	const char *name, *full;
} words[] = {
	/* integer types: the order of their words, and those that say nothing */
	{ "f(unsigned, unsigned int, int unsigned)", "f(unsignedint,unsignedint,unsignedint)" },
	{ "f(signed, signed int, int)", "f(int,int,int)" },
	{ "f(short, short int, int short, signed short)", "f(short,short,short,short)" },
	{ "f(unsigned short, short unsigned int)", "f(unsignedshort,unsignedshort)" },
	{ "f(long, long int, signed long)", "f(long,long,long)" },
	{ "f(unsigned long, long unsigned int)", "f(unsignedlong,unsignedlong)" },
	{ "f(long long, long long int)", "f(longlong,longlong)" },
	{ "f(unsigned long long, long long unsigned int)", "f(unsignedlonglong,unsignedlonglong)" },
	{ "f(char, unsigned char, char unsigned)", "f(char,unsignedchar,unsignedchar)" },
	{ "f(signed char, char signed)", "f(signedchar,signedchar)" },
	{ "f(long double, longer, charm)", "f(longdouble,longer,charm)" },
	/* numbers, of which suffixes say nothing; unless they are a name's, or no suffixes */
	{ "f<1u, 2U, 3l, 4L, 5ul, 6UL, 7ull, 8ULL>()", "f<1,2,3,4,5,6,7,8>()" },
	{ "f<1i8, 2i16, 3i32, 4i64, 5i128, 6isize>()", "f<1,2,3,4,5,6>()" },
	{ "f<1u8, 2u16, 3u32, 4u64, 5u128, 6usize>()", "f<1,2,3,4,5,6>()" },
	{ "f<1u9, 2ux, 3x, 4i, u8, a5ul>()", "f<1u9,2ux,3x,4i,u8,a5ul>()" },
	{ "a::{lambda()#5u}::f()", "a::{lambda()#5u}::f()" },
	{ "f<'A', 'b', '\\''>()", "f<(char)65,(char)98,'\\''>()" },
	/* words that name a kind, or count what is not named */
	{ "f(struct a, class b, enum c, union d)", "f(a,b,c,d)" },
	{ "f(structs, classy, enumb, unions)", "f(structs,classy,enumb,unions)" },
	{ "f(auto:1, auto:23, auto)", "f(auto,auto,auto)" },
	{ "f(auto:x, autos:1, cauto:1)", "f(auto:x,autos:1,cauto:1)" },
	{ "f('unnamed', 'unnamed0', 'unnamed12')",
	  "f({unnamedtype#1},{unnamedtype#2},{unnamedtype#14})" },
	{ "f('unnamedx', 'unnamed', 'unnamed)", "f('unnamedx',{unnamedtype#1},'unnamed)" },
	/* lambdas */
	{ "f()::'lambda'()::g(int)", "f()::{lambda()#1}::g(int)" },
	{ "f()::'lambda0'(int)::g(int)", "f()::{lambda(int)#2}::g(int)" },
	{ "f()::'lambda'<typename T>(T)::g(int)", "f()::{lambda(T)#1}::g(int)" },
	{ "f()::'lambda'(a)::h()::'lambda1'(b)::g(int)",
	  "f()::{lambda(a)#1}::h()::{lambda(b)#3}::g(int)" },
	{ "f()::'lambda'::g(int)", "f()::'lambda'::g(int)" },
	{ "f()::'lambdas'(int)::g(int)", "f()::'lambdas'(int)::g(int)" },
	{ "f()::'lambda'<T(int)::g(int)", "f()::'lambda'<T(int)::g(int)" },
	{ "f()::'lambda'(int::g", "f()::'lambda'(int::g" },
	{ "(a)::'lambda'<T(int)", "(a)::'lambda'<T(int)" },
	/* a crate's hash, behind its name and before what is in it */
	{ "core[0123456789abcdef]::f(a)", "core::f(a)" },
	{ "a[1]::b[2]::f(c)", "a::b::f(c)" },
	{ "a[0123456789abcdef0]::f(b)", "a[0123456789abcdef0]::f(b)" },
	{ "a[]::f(b)", "a[]::f(b)" },
	{ "a[0x]::f(b)", "a[0x]::f(b)" },
	{ "a[1]:f(b)", "a[1]:f(b)" },
	{ "a<[1]::b>::f(c)", "a<[1]::b>::f(c)" },
	/* other words for the same */
	{ "(anonymous namespace)::A::f(b)", "{anon}::A::f(b)" },
	{ "{anonymous}::A::f(b)", "{anon}::A::f(b)" },
	{ "<anonymous>::A::f(b)", "{anon}::A::f(b)" },
	{ "(anonymous)::A::f(b)", "{anon}::A::f(b)" },
	{ "`anonymous namespace'::A::f(b)", "{anon}::A::f(b)" },
	{ "f(decltype(nullptr), decltype (nullptr))", "f(std::nullptr_t,std::nullptr_t)" },
	{ "f(void)", "f()" },
	{ "a::<b>::f(c::<d>)", "a<b>::f(c<d>)" },
	{ "thread-local wrapper routine for a::b", "TLSwrapperfunctionfora::b" },
	{ "thread-local initialization routine for a::b", "TLSinitfunctionfora::b" },
	{ "f<a;b>(c;d)", "f<a:b>(c:d)" },
};

START_TEST(words_are_written_anew)
{
	check_spelling(words[_i].name, SPELLING_FULL, words[_i].full);
}
END_TEST

/* ---- const, and what is before the name ------------------------------------------------------- */

static const struct {
	const char *name, *full;
} orders[] = {
	/* const stands behind its type */
	{ "f(const char*)", "f(charconst*)" },
	{ "f(a, const b::c*, d const*)", "f(a,b::cconst*,dconst*)" },
	{ "f<const a>()", "f<aconst>()" },
	{ "f(const  a*)", "f(aconst*)" },
	{ "f(const a<b, c>::d*)", "f(a<b,c>::dconst*)" },
	{ "f(const (anonymous namespace)::a*)", "f({anon}::aconst*)" },
	{ "f(const unsigned char*, const signed char*)", "f(unsignedcharconst*,signedcharconst*)" },
	{ "f(const unsigned long long*)", "f(unsignedlonglongconst*)" },
	{ "f(const long double*, const long*)", "f(longdoubleconst*,longconst*)" },
	{ "f(const \xc3\xa9$a*)", "f(\xc3\xa9$aconst*)" },
	{ "f(const *)", "f(const*)" },
	{ "f(constant a)", "f(constanta)" },
	{ "f(a*const b)", "f(a*constb)" },
	{ "f(const a<b)", "f(aconst<b)" },
	/* the return type is all before the last blank outside of brackets */
	{ "int f<a>(b)", "f<a>(b)" },
	{ "unsigned long a::f<b>(c)", "a::f<b>(c)" },
	{ "std::map<a, b> const& c::f<d>(e)", "c::f<d>(e)" },
	{ "a<b c>::f(d)", "a<bc>::f(d)" },
	{ "int f(a) const", "f(a)const" },
	{ "a &f<b>(c)", "&f<b>(c)" },
	{ "bool operator< <a>(b)", "operator<<a>(b)" },
	{ "bool a::operator==(b)", "a::operator==(b)" },
	{ "a::operator unsigned long()", "a::operatorunsignedlong()" },
	{ "a::operator b const&() const", "a::operatorbconst&()const" },
	{ "int operators(a)", "operators(a)" },
	{ "operators a(b)", "a(b)" },
	{ "int cooperator a(b)", "a(b)" },
	/* unless they are said of a function that another is in */
	{ "a f(b) const::g(c)", "f(b)const::g(c)" },
	{ "a f(b) volatile::g(c)", "f(b)volatile::g(c)" },
	{ "a f(b) &::g(c)", "f(b)&::g(c)" },
	{ "a f(b) &&::g(c)", "f(b)&&::g(c)" },
	{ "a f(b) const volatile &&::g(c)", "f(b)constvolatile&&::g(c)" },
	{ "a f(b) const", "f(b)const" },
	/* a function that gives a pointer to one */
	{ "void (*f<a>(b))(c)", "f<a>(b)" },
	{ "void (&f<a>(b))(c)", "f<a>(b)" },
	{ "void (*f(void (*)(a)))(c)", "f(void(*)(a))" },
	{ "void (*f)(a)", "(*f)(a)" },
	{ "a (*f(b))[3]", "(*f(b))[3]" },
	{ "a (f(b))(c)", "(f(b))(c)" },
	{ "a (*f(b))(*c)", "f(b)" },
	{ "void f(a (*)(b))", "f(a(*)(b))" },
	/* what is not balanced stays */
	{ "int f<a(b)", "f<a(b)" },
	{ "int f(a", "f(a" },
};

START_TEST(types_stand_in_one_order)
{
	check_spelling(orders[_i].name, SPELLING_FULL, orders[_i].full);
}
END_TEST

/* What is said of a function that is made for another stays, and its return type goes. */
START_TEST(functions_made_for_others)
{
	static const char *const prefixes[] = { "non-virtual thunk to",
						"virtual thunk to",
						"covariant return thunk to",
						"guard variable for",
						"TLS wrapper function for",
						"TLS init function for",
						"transaction clone for",
						"vtable for",
						"invocation function for block in" };
	char name[128], expected[128], *to;

	for (size_t i = 0; i < COUNT(prefixes); i++) {
		snprintf(name, sizeof(name), "%s int a::f<b>(c)", prefixes[i]);
		to = expected;
		for (const char *at = prefixes[i]; *at; at++)
			if (*at != ' ')
				*to++ = *at;
		strcpy(to, "a::f<b>(c)");
		check_spelling(name, SPELLING_FULL, expected);
		strcpy(to, "a::f");
		check_spelling(name, SPELLING_PLAIN, expected);
	}
}
END_TEST

/* ---- details ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum spelling spelling;
	const char *expected;
} details[] = {
	/* the full and the cut one have all details, those between them have not */
	{ "f[abi:x](std::__1::a)", SPELLING_FULL, "f[abi:x](std::__1::a)" },
	{ "f[abi:x](std::__1::a)", SPELLING_LOOSE, "f(std::a)" },
	{ "f[abi:x](std::__1::a)", SPELLING_BARE, "f" },
	{ "f[abi:x](std::__1::a)", SPELLING_CUT, "f[abi:x]" },
	{ "f[abi:x][abi:y]::g[abi:z](a)", SPELLING_LOOSE, "f::g(a)" },
	{ "f[abi](a)", SPELLING_LOOSE, "f[abi](a)" },
	/* inline namespaces, unless they are the end of a longer word */
	{ "f(std::__cxx11::a)", SPELLING_LOOSE, "f(std::a)" },
	{ "f(std::__1::a, std::__1::b)", SPELLING_LOOSE, "f(std::a,std::b)" },
	{ "f(std::_V2::a)", SPELLING_LOOSE, "f(std::a)" },
	{ "f(std::__ndk1::a)", SPELLING_LOOSE, "f(std::a)" },
	{ "f(std::__2::a, x__1::b, x_V2::c)", SPELLING_LOOSE, "f(std::__2::a,x__1::b,x_V2::c)" },
	/* template arguments by default, and only those of the library */
	{ "f(std::a<b, std::allocator<b> >)", SPELLING_LOOSE, "f(std::a<b>)" },
	{ "f(std::a<b, std::char_traits<b> >)", SPELLING_LOOSE, "f(std::a<b>)" },
	{ "f(std::a<b, std::default_delete<b> >)", SPELLING_LOOSE, "f(std::a<b>)" },
	{ "f(std::a<b, std::less<b> >)", SPELLING_LOOSE, "f(std::a<b>)" },
	{ "f(std::a<b, std::hash<b> >)", SPELLING_LOOSE, "f(std::a<b>)" },
	{ "f(std::a<b, std::equal_to<b> >)", SPELLING_LOOSE, "f(std::a<b>)" },
	{ "f(std::a<b,std::hash<b>,std::equal_to<b>>, c)", SPELLING_LOOSE, "f(std::a<b>,c)" },
	{ "f(std::a<c<b, std::less<b> >, std::less<b> > )", SPELLING_LOOSE, "f(std::a<c<b>>)" },
	{ "f(std::a<b, std::greater<b> >, std::lesser<b>)", SPELLING_LOOSE,
	  "f(std::a<b,std::greater<b>>,std::lesser<b>)" },
	{ "f(std::less<b>)", SPELLING_LOOSE, "f(std::less<b>)" },
	{ "f(a, std::less<b)", SPELLING_LOOSE, "f(a,std::less<b)" },
	/* short names for types */
	{ "f(std::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
	  SPELLING_LOOSE, "f(std::string)" },
	{ "f(std::basic_ostream<char>&, std::basic_istream<char>&)", SPELLING_LOOSE,
	  "f(std::ostream&,std::istream&)" },
	{ "f(std::basic_iostream<char>&, std::basic_string<char>)", SPELLING_LOOSE,
	  "f(std::iostream&,std::string)" },
	{ "f(std::basic_string<wchar_t>)", SPELLING_LOOSE, "f(std::basic_string<wchar_t>)" },
	/* without parameters; and without those of the functions that it is in */
	{ "a<b>::f(c)::g(d)", SPELLING_BARE, "a<b>::f(c)::g" },
	{ "a<b>::f(c)::g(d)", SPELLING_OUTER, "a<b>::f::g" },
	{ "a<b>::f(c)::g(d)", SPELLING_PLAIN, "a::f::g" },
	{ "a<b>::f(c)::g(d)", SPELLING_CUT, "a<b>::f" },
	{ "f(a)::b", SPELLING_BARE, "f(a)::b" },
	{ "f(a) const::g(b) const", SPELLING_OUTER, "f::g" },
	{ "f(a) const &::g(b)", SPELLING_PLAIN, "f::g" },
	{ "f(a)::g(b) const &", SPELLING_OUTER, "f::g" },
	{ "f(a)::g(b) &&", SPELLING_OUTER, "f::g" },
	{ "f(a)<b", SPELLING_BARE, "f(a)<b" },
	{ "f(a", SPELLING_OUTER, "f(a" },
	{ "f", SPELLING_CUT, "f" },
	/* plain: template arguments are behind a name or an operator; Rust's "<T as U>" is none */
	{ "<a as b>::f<c>(d)", SPELLING_PLAIN, "<aasb>::f" },
	{ "a<b>::<c as d>::f", SPELLING_PLAIN, "a::f" },
	{ "operator< <a>(b)", SPELLING_PLAIN, "operator<" },
	{ "(anonymous namespace)::a::(anonymous namespace)::f(b)", SPELLING_PLAIN, "a::f" },
	{ "a::{lambda(b)#1}::f(c)", SPELLING_PLAIN, "a::{lambda#1}::f" },
	{ "f<a>::g<b", SPELLING_PLAIN, "f::g<b" },
};

START_TEST(spellings_of_less_and_less_detail)
{
	check_spelling(details[_i].name, details[_i].spelling, details[_i].expected);
}
END_TEST

/* An operator's symbol opens and closes nothing, as a name of its own and as an argument. */
START_TEST(symbols_of_operators)
{
	static const char *const operators[] = { "()", "[]",  "\"\"", "+",   "-",  "*",	 "/",
						 "%",  "^",   "&",    "|",   "~",  "!",	 "=",
						 "<",  ">",   ",",    "<<",  ">>", "<=", ">=",
						 "->", "==",  "!=",   "&&",  "||", "++", "--",
						 "+=", "-=",  "*=",   "/=",  "%=", "^=", "&=",
						 "|=", "<<=", ">>=",  "->*", "<=>" };
	char name[128], expected[128];

	for (size_t i = 0; i < COUNT(operators); i++) {
		snprintf(name, sizeof(name), "int a<b>::operator%s <c>(d) const", operators[i]);
		snprintf(expected, sizeof(expected), "a<b>::operator%s<c>(d)const", operators[i]);
		check_spelling(name, SPELLING_FULL, expected);
		snprintf(expected, sizeof(expected), "a<b>::operator%s<c>", operators[i]);
		check_spelling(name, SPELLING_BARE, expected);
		snprintf(name, sizeof(name), "int a<&b::operator%s, c>::f(d)", operators[i]);
		check_spelling(name, SPELLING_PLAIN, "a::f");
	}
}
END_TEST

/* A short name as a whole word, wherever it is. */
START_TEST(names_for_several_types)
{
	static const struct {
		const char *name;
		bool is_short;
	} shorts[] = {
		{ "std::string", true },
		{ "f(std::string, int)", true },
		{ "f(std::ostream&)", true },
		{ "f(std::istream&)", true },
		{ "f(std::iostream&)", true },
		{ "f(std::stringy, std::string)", true },
		{ "f(std::strings, mystd::string)", false },
		{ "f(std::strin)", false },
		{ "f(string, ostream)", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT(shorts); i++)
		ck_assert_msg(spelling_is_short(shorts[i].name) == shorts[i].is_short, "%s",
			      shorts[i].name);
}
END_TEST

/* ---- Rust ------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *undone; /* NULL: it is none of Rust's */
} escaped[] = {
	{ "_$LT$a$GT$::f", "<a>::f" },
	{ "_$LT$$SP$$BP$$RF$$LP$a$C$b$RP$$GT$::f", "<@*&(a,b)>::f" },
	{ "_$LT$a..b..T$u20$as$u20$c..U$GT$::f", "<a::b::T as c::U>::f" },
	{ "a::_$u7b$$u7b$closure$u7d$$u7d$", "a::{{closure}}" },
	{ "a_$LT$b$GT$", "a_<b>" },
	{ "a$LT$$ux$$u7$$u7b", "a<$ux$\a$u7b" },
	{ "a.b$u41$", "a.bA" },
	{ "_a$LT$$u$::_b", "_a<$u$::_b" },
	{ "a$GT$b", NULL },
	{ "a..b", NULL },
};

START_TEST(what_rust_escapes)
{
	char name[NAME_KEY_MAX];

	strcpy(name, escaped[_i].name);
	ck_assert_int_eq(spelling_undo_rust(name), escaped[_i].undone != NULL);
	ck_assert_str_eq(name, escaped[_i].undone ? escaped[_i].undone : escaped[_i].name);
}
END_TEST

/* ---- limits ----------------------------------------------------------------------------------- */

/* "f<<...>>(int)", of so many brackets within another: more are not looked into. */
START_TEST(brackets_within_brackets)
{
	enum { MOST = 64 };
	char name[4 * MOST], expected[4 * MOST];

	for (int depth = MOST; depth <= MOST + 1; depth++) {
		memset(name, 0, sizeof(name));
		strcpy(name, "int f");
		memset(name + strlen(name), '<', depth);
		memset(name + strlen(name), '>', depth);
		strcat(name, "(a)");
		snprintf(expected, sizeof(expected), "%s", depth > MOST ? name + 4 : "f");
		check_spelling(name, SPELLING_PLAIN, expected);
	}
}
END_TEST

/* So many lambdas in the parameters of another are told from functions. */
START_TEST(lambdas_within_lambdas)
{
	enum { MOST = 16 };
	char name[40 * MOST] = "f()::", expected[40 * MOST] = "f()::";

	for (int i = 0; i <= MOST; i++) {
		snprintf(name + strlen(name), 20, "'lambda%d'(", i);
		snprintf(expected + strlen(expected), 20, i < MOST ? "{lambda(" : "'lambda%d'(", i);
	}
	for (int i = MOST; i >= 0; i--) {
		strcat(name, ")");
		snprintf(expected + strlen(expected), 20, i < MOST ? ")#%d}" : ")", i + 2);
	}
	check_spelling(name, SPELLING_FULL, expected);
}
END_TEST

/* Of what grows the beginning is kept. */
START_TEST(long_spellings_are_cut)
{
	char *name = malloc(NAME_KEY_MAX), read[NAME_KEY_MAX + 8];

	memset(read, 'x', sizeof(read));
	for (size_t i = 0; i < NAME_KEY_MAX; i++)
		name[i] = i % 4 == 3 ? ',' : i % 4 == 1 ? 'A' : '\'';
	name[NAME_KEY_MAX - 1] = '\0';
	spelling_read(name, read);
	ck_assert_uint_eq(strlen(read), NAME_KEY_MAX - 1);
	ck_assert(!strncmp(read, "(char)65,(char)65,", 18));
	ck_assert_int_eq(read[NAME_KEY_MAX], 'x');
	free(name);
}
END_TEST

SUITE(score_spelling, LOOP(words_are_written_anew, words), LOOP(types_stand_in_one_order, orders),
      TEST(functions_made_for_others), LOOP(spellings_of_less_and_less_detail, details),
      TEST(symbols_of_operators), TEST(names_for_several_types), LOOP(what_rust_escapes, escaped),
      TEST(brackets_within_brackets), TEST(lambdas_within_lambdas), TEST(long_spellings_are_cut))
