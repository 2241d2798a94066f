/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_plain.c - which functions are proven without following any way
 *
 * What is not plain is followed, which says the same, but slower. What only looks plain would be proven wrongly.
 */
#include "tests/suite.h"
#include "analysis/flow/flow_plain.c"
#include "analysis/flow/tests/flow_world_fixture.h"

#define SECOND(name) "endproc; " name ": startproc; "

#define TABLE(first, second) TABLE_BY("and edi, 1; ", first, second)
#define TABLE_BY(bound, first, second)                                                             \
	bound "lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 1: "    \
	      "mov eax, 0xc3; ret; .section .rodata; 9: .long " first "-9b, " second               \
	      "-9b; .text; " SECOND("g") "ret; "

static const struct plain_case {
	const char *rule, *body;
	bool plain;
} plain_cases[] = {
	{ "a leaf", "mov eax, edi; ret", true },
	{ "one that stops", "mov eax, edi; ud2", true },
	{ "with branches", "1: dec edi; jnz 1b; jmp 2f; nop; 2: ret", true },
	{ "to its begin", "f1: nop; jmp f1", true },
	{ "with padding behind it", "ret; nop; nop word ptr [rax]; int3", true },
	{ "with padding inside", "mov eax, edi; nop; ret", true },
	{ "a call", "call g; ret; " SECOND("g") "ret", true },
	{ "a call back to it", "call f; ret", true },
	{ "a jump to another function", "jmp g; " SECOND("g") "ret", true },
	{ "to the one behind it", "jz g; ret; " SECOND("g") "ret", true },
	{ "a computed jump, before another function", "jmp rax; " SECOND("g") "ret", true },
	{ "by a word of memory, not by an entry of a table",
	  "mov rax, [rdi]; jmp [rax+16]; " SECOND("g") "ret", true },

	{ "a table of what lies in it", TABLE("1b", "1b"), true },
	{ "one of which nothing says how long it is", TABLE_BY("", "1b", "1b+1"), true },
	{ "what lies behind its end", TABLE_BY("cmp edi, 1; ja 1f; nop; ", "1b", "1b-9b, 1b+1"),
	  true },
	{ "one that leads elsewhere, too", TABLE("1b", "g"), true },

	{ "one that leads into the middle of an instruction", TABLE("1b", "1b+1"), false },
	{ "at first", TABLE("1b+1", "1b"), false },
	{ "behind another function", TABLE("g", "1b+1"), false },
	{ "it saves a register", "push rbx; cfa 16; ret", false },
	{ "the same without a row", "push rbx; pop rbx; ret", false },
	{ "two rows that are the same", "nop; same_value rbx; ret", false },
	{ "another first row", "cfa 16; nop; ret", false },
	{ "no return address", "undefined rip; nop; ret", false },
	{ "a register is said to be saved", "offset rbx, -16; nop; ret", false },
	{ "rax is said to be saved", "offset rax, -16; nop; ret", false },
	{ "rax is said to be kept", "same_value rax; mov eax, edi; ret", false },
	{ "a vector register is saved", "offset xmm6, -32; nop; ret", false },
	{ "rows that can't be read behind its end", "escape 0x41, 0x3f; ret", false },
	{ "the CFA is computed", "escape 0x0f, 2, 0x77, 8; nop; ret", false },
	{ "it goes on behind its end", "nop; mov eax, edi; " SECOND("g") "ret", false },
	{ "a branch does", "jz f; " SECOND("g") "ret", false },
	{ "with padding behind that", "mov eax, edi; nop; " SECOND("g") "ret", false },
	{ "a jump into the middle of an instruction", "jmp 1f+1; 1: mov eax, 0xc3; ret", false },
	{ "a branch there", "jz 1f+1; 1: mov eax, 0xc3; ret", false },
	{ "bytes that are no instruction", "ret; .byte 6", false },
	{ "a jump where no FDE is", "jmp u; endproc; u: ret; startproc; nop", false },
	{ "a branch there", "jz u; ret; endproc; u: ret; startproc; nop", false },
	{ "a call there", "call u; ret; endproc; u: ret; startproc; nop", false },
	{ "a computed jump, before code without FDE", "jmp rax; endproc; u: ret; startproc; nop",
	  false },
};

START_TEST(a_function_is_plain)
{
	const struct plain_case *test = &plain_cases[_i];
	struct followed followed;

	followed_init(&followed, test->body);
	ck_assert_msg(flow_plain(&followed.world, followed.flow.fragment[0], NULL) == test->plain,
		      "%s", test->rule);
	followed_deinit(&followed);
}
END_TEST

/* ---- its instructions and its row ------------------------------------------------------------ */

static const struct {
	const char *name;
	struct code code;
	bool alone;
} alone_cases[] = {
	{ "nothing", { .flow = CODE_NEXT }, true },
	{ "writes rax", { .flow = CODE_NEXT, .written = 1u << REGISTER_RAX }, true },
	{ "writes rbx", { .flow = CODE_NEXT, .written = 1u << REGISTER_RBX }, false },
	{ "branches", { .flow = CODE_BRANCH }, true },
	{ "branches, writes rsp", { .flow = CODE_BRANCH, .written = 1u << REGISTER_RSP }, false },
	{ "writes the stack", { .writes_memory = true, .base = REGISTER_RSP }, false },
	{ "writes elsewhere", { .writes_memory = true, .base = REGISTER_RDI }, true },
	{ "reads the stack", { .base = REGISTER_RSP }, true },
	{ "copies rsp", { .source = REGISTER_RSP }, false },
	{ "its address", { .effect = EFFECT_ADDRESS, .base = REGISTER_RSP }, false },
	{ "another", { .effect = EFFECT_ADDRESS, .base = REGISTER_RBP }, true },
	{ "clone", { .effect = EFFECT_CONSTANT, .constant = SYS_clone }, false },
	{ "clone in a byte", { .effect = EFFECT_CONSTANT_BYTE, .constant = SYS_clone }, false },
	{ "clone3", { .effect = EFFECT_CONSTANT, .constant = SYS_clone3 }, false },
	{ "fork", { .effect = EFFECT_CONSTANT, .constant = SYS_fork }, true },
	{ "clone in ecx",
	  { .effect = EFFECT_CONSTANT, .reg = REGISTER_RCX, .constant = SYS_clone },
	  true },
	{ "adds as much", { .effect = EFFECT_ADD, .constant = SYS_clone }, true },
	{ "calls", { .flow = CODE_CALL, .pc = 8, .length = 5, .target = 14 }, true },
	{ "calls what follows", { .flow = CODE_CALL, .pc = 8, .length = 5, .target = 13 }, false },
	{ "calls by a word", { .flow = CODE_CALL_INDIRECT }, true },
	{ "jumps", { .flow = CODE_JUMP }, true },
	{ "jumps by a word", { .flow = CODE_JUMP_INDIRECT }, true },
	{ "returns", { .flow = CODE_RETURN }, true },
	{ "stops", { .flow = CODE_STOP }, true },
	{ "begins", { .flow = CODE_BEGIN }, false },
	{ "is none", { .flow = CODE_UNKNOWN }, false },
};

START_TEST(what_is_left_alone)
{
	ck_assert_msg(leaves_alone(&alone_cases[_i].code) == alone_cases[_i].alone, "%s",
		      alone_cases[_i].name);
}
END_TEST

START_TEST(rows_that_say_the_same_everywhere)
{
	struct row row = { .cfa.kind = RULE_CFA_REGISTER };

	ck_assert(is_the_same(&row));
	for (unsigned int i = 0; i < REGISTER_COUNT; i++) {
		row.reg[i].kind = RULE_EXPRESSION;
		ck_assert(!is_the_same(&row));
		row.reg[i].kind = RULE_VAL_EXPRESSION;
		ck_assert(!is_the_same(&row));
		row.reg[i].kind = RULE_OFFSET;
		ck_assert(is_the_same(&row));
	}
	row.cfa.kind = RULE_CFA_EXPRESSION;
	ck_assert(!is_the_same(&row));
}
END_TEST

SUITE(flow_plain, LOOP(a_function_is_plain, plain_cases), LOOP(what_is_left_alone, alone_cases),
      TEST(rows_that_say_the_same_everywhere))
