/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_plain.c - which functions are proven without following any way
 *
 * What is not plain is followed, which says the same, but slower. What only looks plain would be proven wrongly.
 */
#include "tests/suite.h"
#include "analysis/flow/flow_plain.c"
#include "analysis/flow/tests/flow_world_fixture.h"

#define SECOND(name) "	.cfi_endproc\n" name ":	.cfi_startproc\n"

#define TABLE(first, second) TABLE_BY("	and edi, 1\n", first, second)
#define TABLE_BY(bound, first, second)                                                             \
	bound "	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n"             \
	      "	jmp rax\n1:	mov eax, 0xc3\n	ret\n	.section .rodata\n9:	.long " first      \
	      "-9b, " second "-9b\n	.text\n" SECOND("g") "	ret\n"

static const struct plain_case {
	const char *rule, *body;
	bool plain;
} plain_cases[] = {
	{ "a leaf", "	mov eax, edi\n	ret\n", true },
	{ "one that stops", "	mov eax, edi\n	ud2\n", true },
	{ "with branches", "1:	dec edi\n	jnz 1b\n	jmp 2f\n	nop\n2:	ret\n",
	  true },
	{ "to its begin", "f1:	nop\n	jmp f1\n", true },
	{ "with padding behind it", "	ret\n	nop\n	nop word ptr [rax]\n	int3\n", true },
	{ "with padding inside", "	mov eax, edi\n	nop\n	ret\n", true },
	{ "a call", "	call g\n	ret\n" SECOND("g") "	ret\n", true },
	{ "a call back to it", "	call f\n	ret\n", true },
	{ "a jump to another function", "	jmp g\n" SECOND("g") "	ret\n", true },
	{ "to the one behind it", "	jz g\n	ret\n" SECOND("g") "	ret\n", true },
	{ "a computed jump, before another function", "	jmp rax\n" SECOND("g") "	ret\n",
	  true },
	{ "by a word of memory, not by an entry of a table",
	  "	mov rax, [rdi]\n	jmp [rax+16]\n" SECOND("g") "	ret\n", true },

	{ "a table of what lies in it", TABLE("1b", "1b"), true },
	{ "one of which nothing says how long it is", TABLE_BY("", "1b", "1b+1"), true },
	{ "what lies behind its end",
	  TABLE_BY("	cmp edi, 1\n	ja 1f\n	nop\n", "1b", "1b-9b, 1b+1"), true },
	{ "one that leads elsewhere, too", TABLE("1b", "g"), true },

	{ "one that leads into the middle of an instruction", TABLE("1b", "1b+1"), false },
	{ "at first", TABLE("1b+1", "1b"), false },
	{ "behind another function", TABLE("g", "1b+1"), false },
	{ "it saves a register", "	push rbx\n	.cfi_def_cfa_offset 16\n	ret\n",
	  false },
	{ "the same without a row", "	push rbx\n	pop rbx\n	ret\n", false },
	{ "two rows that are the same", "	nop\n	.cfi_same_value rbx\n	ret\n", false },
	{ "another first row", "	.cfi_def_cfa_offset 16\n	nop\n	ret\n", false },
	{ "no return address", "	.cfi_undefined rip\n	nop\n	ret\n", false },
	{ "a register is said to be saved", "	.cfi_offset rbx, -16\n	nop\n	ret\n", false },
	{ "rax is said to be saved", "	.cfi_offset rax, -16\n	nop\n	ret\n", false },
	{ "rax is said to be kept", "	.cfi_same_value rax\n	mov eax, edi\n	ret\n", false },
	{ "a vector register is saved", "	.cfi_offset xmm6, -32\n	nop\n	ret\n", false },
	{ "rows that can't be read behind its end", "	.cfi_escape 0x41, 0x3f\n	ret\n",
	  false },
	{ "the CFA is computed", "	.cfi_escape 0x0f, 2, 0x77, 8\n	nop\n	ret\n", false },
	{ "it goes on behind its end", "	nop\n	mov eax, edi\n" SECOND("g") "	ret\n",
	  false },
	{ "a branch does", "	jz f\n" SECOND("g") "	ret\n", false },
	{ "with padding behind that", "	mov eax, edi\n	nop\n" SECOND("g") "	ret\n", false },
	{ "a jump into the middle of an instruction", "	jmp 1f+1\n1:	mov eax, 0xc3\n	ret\n",
	  false },
	{ "a branch there", "	jz 1f+1\n1:	mov eax, 0xc3\n	ret\n", false },
	{ "bytes that are no instruction", "	ret\n	.byte 6\n", false },
	{ "a jump where no FDE is",
	  "	jmp u\n	.cfi_endproc\nu:	ret\n	.cfi_startproc\n	nop\n", false },
	{ "a branch there",
	  "	jz u\n	ret\n	.cfi_endproc\nu:	ret\n	.cfi_startproc\n	nop\n",
	  false },
	{ "a call there",
	  "	call u\n	ret\n	.cfi_endproc\nu:	ret\n	.cfi_startproc\n	"
	  "nop\n",
	  false },
	{ "a computed jump, before code without FDE",
	  "	jmp rax\n	.cfi_endproc\nu:	ret\n	.cfi_startproc\n	nop\n",
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
