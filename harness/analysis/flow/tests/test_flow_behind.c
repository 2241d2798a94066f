/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_behind.c - functions in assembly, and whether they go on elsewhere than behind their call
 */
#include "tests/suite.h"
#include "analysis/flow/flow_call.c"
#include "flow_world_fixture.h"
#include "analysis/flow/flow_paths.h"

static const struct behind_case {
	const char *rule, *body;
	bool elsewhere;
} behind_cases[] = {
	{ "a return", "ret", false },
	{ "an address that is put back", "pop rcx; push rcx; ret", false },
	{ "or jumped to", "pop rcx; jmp rcx", false },
	{ "or only read", "mov rsi, [rsp]; ret", false },
	{ "data are read up to their end", "pop rsi; 1: lodsb; test al, al; jne 1b; push rsi; ret",
	  true },
	{ "or by their length", "pop rdi; movzx eax, byte ptr [rdi]; lea rax, [rdi+rax+1]; jmp rax",
	  true },
	{ "or in place", "add qword ptr [rsp], 5; ret", true },
	{ "or over all of them", "pop rcx; add rcx, 5; jmp rcx", true },
	{ "on one of two ways", "test edi, edi; je 1f; ret; 1: pop rcx; add rcx, 5; jmp rcx",
	  true },
	{ "by another function", "pop rcx; jmp 1f; ret; 1: add rcx, 5; jmp rcx", true },
	{ "behind a call that keeps it", "pop rbx; call g@PLT; add rbx, 5; jmp rbx", true },
	{ "behind one that never comes back nobody does",
	  "pop rbx; call abort@PLT; add rbx, 5; jmp rbx", false },
	{ "who stops doesn't", "pop rbx; ud2; jmp rbx", false },
	{ "nor who goes round", "pop rbx; 1: jmp 1b", false },
	{ "a call in place of a return", "jmp [rdi]", false },
	{ "one whose address the caller pushed", "pop rcx; pop rax; push rcx; jmp rax", false },
	{ "an address that the caller gave", "mov [rsp], rdi; ret", false },
	{ "another stack", "pop rcx; mov rsp, rdi; jmp [rsi]", false },
	{ "another's return", "pop rcx; add rcx, 5; mov rsp, rdi; ret", false },
	{ "arguments that are taken off", "ret 16", false },
	{ "bytes that are no instruction", "pop rcx; .byte 6", false },
	{ "a function elsewhere", "jmp g@PLT", false },
	{ "one that is too long", "pop rcx; .fill 256, 1, 0x90; add rcx, 5; jmp rcx", false },
	{ "one that is as long as is followed", "pop rcx; .fill 253, 1, 0x90; add rcx, 5; jmp rcx",
	  true },
};

START_TEST(a_function_goes_on_there)
{
	const struct behind_case *test = &behind_cases[_i];
	struct followed followed;
	uint64_t f;

	followed_init(&followed, test->body);
	f = image_symbol_address(followed.assembled.image, "f");
	for (int twice = 0; twice < 2; twice++)
		ck_assert_msg(flow_goes_elsewhere(&followed.world, f) == test->elsewhere, "%s",
			      test->rule);
	followed_deinit(&followed);
}
END_TEST

/* ---- what a function takes off the stack ---------------------------------------------------- */

#define NONE FLOW_TAKES_NOTHING
#define HAND FLOW_TAKES_PERHAPS
#define MANY FLOW_TAKES_ARGUMENTS
#define MAY  FLOW_CALLEE_POP_UNKNOWN

static const struct popped_case {
	const char *rule, *body;
	enum flow_takes takes; /* as the first path is that comes back */
	uint32_t callee_pop;   /* by all that are seen */
} popped_cases[] = {
	{ "a return", "ret", NONE, 0 },
	{ "behind a pop", "push rbx; pop rbx; ret", NONE, 0 },
	{ "one that takes arguments off", "ret 16", MANY, 16 },
	{ "below a frame", "push rbx; mov ebx, 1; pop rbx; ret 8", MANY, 8 },
	{ "in another function", "jmp 1f; ret; 1: ret 24", MANY, 24 },
	{ "by hand", "pop rcx; add rsp, 8; push rcx; ret", HAND, 8 },
	{ "by hand, and by a jump", "pop rcx; add rsp, 40; jmp rcx", HAND, 40 },
	{ "none, by hand", "pop rcx; push rcx; ret", HAND, 0 },
	{ "none, by a jump", "pop rcx; jmp rcx", HAND, 0 },
	{ "nobody knows how many", "pop rcx; lea rsp, [rsp+rax*8]; push rcx; ret", HAND, MAY },
	{ "room that is made", "pop rcx; sub rsp, rax; jmp rcx", HAND, MAY },
	{ "from another register", "pop rcx; mov rdx, rsp; sub rdx, rax; mov rsp, rdx; jmp rcx",
	  HAND, MAY },
	{ "as much as a number says", "pop rcx; sub rsp, 40; jmp rcx", HAND, (uint32_t)-40 },
	{ "and with a return", "pop rcx; push rax; push rcx; ret", HAND, (uint32_t)-8 },
	{ "another stack", "pop rcx; mov rsp, [rsi]; jmp rcx", HAND, 0 },
	{ "that a register has", "pop rcx; mov rsp, rsi; push rcx; ret", HAND, 0 },
	{ "with the return address on it", "pop rcx; mov rsp, [rsi]; push rcx; ret", HAND, 0 },
	{ "that was popped", "pop rcx; pop rsp; push rcx; ret", HAND, 0 },
	{ "another function, whose address is in a register", "jmp rax", HAND, 0 },
	{ "or in memory", "jmp [rdi]", NONE, 0 },
	{ "what was pushed is jumped to", "push rax; ret", HAND, 0 },
	{ "the return address is copied to where the room ends",
	  "mov rcx, rsp; sub rcx, rax; mov rdx, [rsp]; mov rsp, rcx; mov [rcx], rdx; ret", HAND,
	  MAY },
	{ "it is nobody knows where",
	  "mov rcx, [rsp]; neg rax; mov [rsp+rax], rcx; add rsp, rax; ret", HAND, MAY },
	{ "the room is as large as a word says",
	  "mov rcx, [rsp]; mov rdx, rsp; sub rdx, [rdi]; mov rsp, rdx; mov [rdx], rcx; ret", HAND,
	  MAY },
	{ "a register and a frame that is taken down",
	  "push rbp; mov rbp, rsp; sub rsp, rdi; leave; ret", NONE, 0 },
	{ "another function, whose address is read", "mov rax, [rdi]; jmp rax", NONE, 0 },
	{ "or was on the stack", "push rax; pop rcx; jmp rcx", HAND, 0 },
	{ "somebody else's address is put on top",
	  "lea rcx, [rsp+rax]; mov rsp, rcx; mov [rsp], rdi; ret", HAND, 0 },
	{ "ways that differ", "test edi, edi; je 1f; ret 8; 1: ret 16", MANY, MAY },
	{ "ways that agree", "test edi, edi; je 1f; ret 8; 1: ret 8", MANY, 8 },
	{ "none was followed so far", ".fill 256, 1, 0x90; ret 8", MANY, MAY },
	{ "a return address that was put elsewhere",
	  "mov rax, [rsp]; mov [rsp+16], rax; add rsp, 16; ret", NONE, 16 },
	{ "more than there is", "sub rsp, 8; mov [rsp], rdi; ret 8", MANY, MAY },
};

START_TEST(a_function_takes_arguments_off)
{
	const struct popped_case *test = &popped_cases[_i];
	struct flow_callees *callees;
	struct followed followed;
	enum flow_takes takes;
	uint64_t f;

	followed_init(&followed, test->body);
	f = image_symbol_address(followed.assembled.image, "f");
	callees = flow_callees_create(followed.world.cfi, followed.world.decoder, false);
	for (int twice = 0; twice < 2; twice++) {
		ck_assert(!flow_never_returns_by_code(callees, f));
		takes = flow_callee_takes(callees, f);
		ck_assert_msg(takes == test->takes, "%s: %d", test->rule, takes);
		ck_assert_msg(flow_callee_pop_by(&followed.world, f, takes) == test->callee_pop,
			      "%s: %u", test->rule, flow_callee_pop_by(&followed.world, f, takes));
	}
	flow_callees_destroy(callees);
	followed_deinit(&followed);
}
END_TEST

SUITE(flow_behind, LOOP(a_function_goes_on_there, behind_cases),
      LOOP(a_function_takes_arguments_off, popped_cases))
