/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_landing.c - calls that lie in a call site, and perhaps never throw
 *
 * Cases of lint_fixture.h. f has one call site with a landing pad, whose row says that rbx is as it was; around
 * some call in it rbx is saved. The site's first and last call throw, or the compiler had not begun and ended it there.
 */
#include "lint_fixture.h"

#define THROWS "call [rdi]; "
/* rbx is saved around the call. */
#define SAVED(call)                                                                                \
	"mov [rsp+8], rbx; offset rbx, -24; mov rbx, rax; " call "mov rbx, [rsp+8]; restore rbx; "
#define SITE(calls)                                                                                \
	"lsda 0x1b, 8f; sub rsp, 24; cfa 32; " calls                                               \
	"add rsp, 24; cfa 8; ret; 3: cfa 32; add rsp, 24; cfa 8; ret; .section "                   \
	".gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .uleb128 1b-f, "     \
	"2b-1b, 3b-f, 0; 7: .text; "
#define ALL(calls)	SITE("1: " calls "2:")
#define BETWEEN(call)	ALL(THROWS SAVED(call) THROWS)
#define CALLS(name)	"call " name "; "
#define WRONG(pc, from) "SP004 " pc ".." pc " from " from " rbx=none / it is another value\n"
#define G(body)		SECOND(g) body
/* The pad's instructions are as wrong for that call as they are right for the others. */
#define DOUBT_AND_G(n) n ", 1 proven, 1 unproven throw_unknown"
#define DOUBT_OF(n)    n ", 1 unproven throw_unknown"
#define DOUBT	       "9 of 11, 1 unproven throw_unknown"
/* The site lies on its calls and what is between them. */
#define LSDA_OF_G(sites)                                                                           \
	".section .gcc_except_table, \"a\"; 9: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: " sites     \
	"7: .text; "

static const struct lint_case lint_cases[] = {
	{ "a call between others that never throws", BETWEEN(CALLS("_ZdlPvm@PLT")),
	  "11 of 11, 1 proven" },
	{ "by any form of operator delete", BETWEEN(CALLS("_ZdaPvSt11align_val_t@PLT")),
	  "11 of 11, 1 proven" },
	{ "by the C++ ABI", BETWEEN(CALLS("__cxa_begin_catch@PLT")), "11 of 11, 1 proven" },
	{ "by the C library", BETWEEN(CALLS("free@PLT")), "11 of 11, 1 proven" },
	{ "one of which nobody knows it", BETWEEN(CALLS("h@PLT")), DOUBT },
	{ "a destructor, which may be noexcept(false)", BETWEEN(CALLS("_ZN1AD1Ev@PLT")), DOUBT },
	{ "one whose name only begins like free", BETWEEN(CALLS("free_all@PLT")), DOUBT },
	{ "a computed one", BETWEEN("call [rsi]; "), DOUBT },
	{ "the end of a catch, which destroys the exception", BETWEEN(CALLS("__cxa_end_catch@PLT")),
	  DOUBT },
	{ "one that is known to throw", BETWEEN(CALLS("_Znwm@PLT")),
	  WRONG("31", "14") "9 of 11, 1 mismatch" },
	{ "one that is known by its kind of name",
	  BETWEEN(CALLS("_ZSt20__throw_length_errorPKc@PLT")),
	  WRONG("31", "14") "5 of 11, 1 mismatch" },
	{ "the first call", ALL(SAVED(CALLS("h@PLT")) THROWS THROWS),
	  "SP004 31..31 from 12 rbx=none / it is the caller's rax\n9 of 11, 1 mismatch" },
	{ "the last call", ALL(THROWS THROWS SAVED(CALLS("h@PLT"))),
	  WRONG("31", "16") "9 of 11, 1 mismatch" },
	{ "the first but for one that never throws", ALL(CALLS("_ZdlPv@PLT") SAVED(THROWS) THROWS),
	  WRONG("31", "17") "9 of 11, 1 mismatch" },
	{ "the last but for one", ALL(THROWS SAVED(THROWS) CALLS("_ZdlPv@PLT")),
	  WRONG("31", "14") "9 of 11, 1 mismatch" },
	{ "in no site", SITE("1: " THROWS "2: " SAVED(CALLS("h@PLT")) THROWS),
	  "11 of 11, 1 proven" },
	{ "the first is not known to be behind what may trap",
	  ALL("mov rax, [rsi]; " SAVED(CALLS("h@PLT")) THROWS THROWS), DOUBT_OF("10 of 12") },
	{ "nor is the last before it", ALL(THROWS THROWS SAVED(CALLS("h@PLT")) "mov rax, [rsi]; "),
	  DOUBT_OF("10 of 12") },
	{ "none of the calls brings what the row says", ALL(SAVED(THROWS CALLS("h@PLT"))),
	  "SP004 29..34 rbx=none / it is the caller's rax\n8 of 10, 1 mismatch" },
	{ "a function of the image that calls nobody", BETWEEN(CALLS("g")) G("nop; ret; "),
	  "13 of 13, 2 proven" },
	{ "or calls only such, and goes on in one",
	  BETWEEN(CALLS("g")) G("call k; jmp m; ") SECOND(k) LEAF SECOND(m) LEAF,
	  "15 of 15, 4 proven" },
	{ "in a circle", BETWEEN(CALLS("g")) G("call k; ret; ") SECOND(k) "jmp g",
	  "14 of 14, 3 proven" },
	{ "one that calls whom nobody knows", BETWEEN(CALLS("g")) G("jmp h@PLT; "),
	  DOUBT_AND_G("10 of 12") },
	{ "one that goes on nobody knows where", BETWEEN(CALLS("g")) G("jmp [rdi]; "),
	  DOUBT_AND_G("10 of 12") },
	{ "one that has no end", BETWEEN(CALLS("g")) G("xor eax, eax; "), DOUBT_AND_G("10 of 12") },
	{ "one that catches what it calls",
	  BETWEEN(CALLS("g")) G("lsda 0x1b, 9f; call [rdi]; 4: ret; ")
		  LSDA_OF_G(".uleb128 0, 4b-g, 4b-g, 1; "),
	  "13 of 13, 2 proven" },
	{ "or some of it",
	  BETWEEN(CALLS("g")) G("lsda 0x1b, 9f; call [rdi]; 4: call [rdi]; ret; ")
		  LSDA_OF_G(".uleb128 0, 4b-g, 4b-g, 1; "),
	  DOUBT_AND_G("12 of 14") },
	{ "one whose call is in no site: C++'s would terminate, others may not",
	  BETWEEN(CALLS("g")) G("lsda 0x1b, 9f; call [rdi]; ret; ") LSDA_OF_G(""),
	  DOUBT_AND_G("11 of 13") },
	{ "one without an FDE", BETWEEN(CALLS("g")) "endproc; g: ret; startproc; nop",
	  "SP006 36..37 no FDE covers it / it is a function, or something leads "
	  "there\n" DOUBT_AND_G("10 of 12") },
};

#define LINT_SUITE lint_landing
#include "lint_cases_main.h"
