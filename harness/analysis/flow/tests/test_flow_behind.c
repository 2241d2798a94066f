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
	{ "a return", "	ret\n", false },
	{ "an address that is put back", "	pop rcx\n	push rcx\n	ret\n", false },
	{ "or jumped to", "	pop rcx\n	jmp rcx\n", false },
	{ "or only read", "	mov rsi, [rsp]\n	ret\n", false },
	{ "data are read up to their end",
	  "	pop rsi\n1:	lodsb\n	test al, al\n	jne 1b\n	push rsi\n	ret\n",
	  true },
	{ "or by their length",
	  "	pop rdi\n	movzx eax, byte ptr [rdi]\n	lea rax, [rdi+rax+1]\n	jmp rax\n",
	  true },
	{ "or in place", "	add qword ptr [rsp], 5\n	ret\n", true },
	{ "or over all of them", "	pop rcx\n	add rcx, 5\n	jmp rcx\n", true },
	{ "on one of two ways",
	  "	test edi, edi\n	je 1f\n	ret\n1:	pop rcx\n	add rcx, 5\n	jmp rcx\n", true },
	{ "by another function",
	  "	pop rcx\n	jmp 1f\n	ret\n1:	add rcx, 5\n	jmp rcx\n", true },
	{ "behind a call that keeps it",
	  "	pop rbx\n	call g@PLT\n	add rbx, 5\n	jmp rbx\n", true },
	{ "behind one that never comes back nobody does",
	  "	pop rbx\n	call abort@PLT\n	add rbx, 5\n	jmp rbx\n", false },
	{ "who stops doesn't", "	pop rbx\n	ud2\n	jmp rbx\n", false },
	{ "nor who goes round", "	pop rbx\n1:	jmp 1b\n", false },
	{ "a call in place of a return", "	jmp [rdi]\n", false },
	{ "one whose address the caller pushed",
	  "	pop rcx\n	pop rax\n	push rcx\n	jmp rax\n", false },
	{ "an address that the caller gave", "	mov [rsp], rdi\n	ret\n", false },
	{ "another stack", "	pop rcx\n	mov rsp, rdi\n	jmp [rsi]\n", false },
	{ "another's return", "	pop rcx\n	add rcx, 5\n	mov rsp, rdi\n	ret\n", false },
	{ "arguments that are taken off", "	ret 16\n", false },
	{ "bytes that are no instruction", "	pop rcx\n	.byte 6\n", false },
	{ "a function elsewhere", "	jmp g@PLT\n", false },
	{ "one that is too long",
	  "	pop rcx\n	.fill 256, 1, 0x90\n	add rcx, 5\n	jmp rcx\n", false },
	{ "one that is as long as is followed",
	  "	pop rcx\n	.fill 253, 1, 0x90\n	add rcx, 5\n	jmp rcx\n", true },
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
	{ "a return", "	ret\n", NONE, 0 },
	{ "behind a pop", "	push rbx\n	pop rbx\n	ret\n", NONE, 0 },
	{ "one that takes arguments off", "	ret 16\n", MANY, 16 },
	{ "below a frame", "	push rbx\n	mov ebx, 1\n	pop rbx\n	ret 8\n", MANY, 8 },
	{ "in another function", "	jmp 1f\n	ret\n1:	ret 24\n", MANY, 24 },
	{ "by hand", "	pop rcx\n	add rsp, 8\n	push rcx\n	ret\n", HAND, 8 },
	{ "by hand, and by a jump", "	pop rcx\n	add rsp, 40\n	jmp rcx\n", HAND, 40 },
	{ "none, by hand", "	pop rcx\n	push rcx\n	ret\n", HAND, 0 },
	{ "none, by a jump", "	pop rcx\n	jmp rcx\n", HAND, 0 },
	{ "nobody knows how many",
	  "	pop rcx\n	lea rsp, [rsp+rax*8]\n	push rcx\n	ret\n", HAND, MAY },
	{ "room that is made", "	pop rcx\n	sub rsp, rax\n	jmp rcx\n", HAND, MAY },
	{ "from another register",
	  "	pop rcx\n	mov rdx, rsp\n	sub rdx, rax\n	mov rsp, rdx\n	jmp rcx\n", HAND,
	  MAY },
	{ "as much as a number says", "	pop rcx\n	sub rsp, 40\n	jmp rcx\n", HAND,
	  (uint32_t)-40 },
	{ "and with a return", "	pop rcx\n	push rax\n	push rcx\n	ret\n",
	  HAND, (uint32_t)-8 },
	{ "another stack", "	pop rcx\n	mov rsp, [rsi]\n	jmp rcx\n", HAND, 0 },
	{ "that a register has", "	pop rcx\n	mov rsp, rsi\n	push rcx\n	ret\n",
	  HAND, 0 },
	{ "with the return address on it",
	  "	pop rcx\n	mov rsp, [rsi]\n	push rcx\n	ret\n", HAND, 0 },
	{ "that was popped", "	pop rcx\n	pop rsp\n	push rcx\n	ret\n", HAND, 0 },
	{ "another function, whose address is in a register", "	jmp rax\n", HAND, 0 },
	{ "or in memory", "	jmp [rdi]\n", NONE, 0 },
	{ "what was pushed is jumped to", "	push rax\n	ret\n", HAND, 0 },
	{ "the return address is copied to where the room ends",
	  "	mov rcx, rsp\n	sub rcx, rax\n	mov rdx, [rsp]\n	mov rsp, rcx\n	mov [rcx], "
	  "rdx\n	ret\n",
	  HAND, MAY },
	{ "it is nobody knows where",
	  "	mov rcx, [rsp]\n	neg rax\n	mov [rsp+rax], rcx\n	add rsp, rax\n	"
	  "ret\n",
	  HAND, MAY },
	{ "the room is as large as a word says",
	  "	mov rcx, [rsp]\n	mov rdx, rsp\n	sub rdx, [rdi]\n	mov rsp, rdx\n	"
	  "mov [rdx], rcx\n	ret\n",
	  HAND, MAY },
	{ "a register and a frame that is taken down",
	  "	push rbp\n	mov rbp, rsp\n	sub rsp, rdi\n	leave\n	ret\n", NONE, 0 },
	{ "another function, whose address is read", "	mov rax, [rdi]\n	jmp rax\n", NONE,
	  0 },
	{ "or was on the stack", "	push rax\n	pop rcx\n	jmp rcx\n", HAND, 0 },
	{ "somebody else's address is put on top",
	  "	lea rcx, [rsp+rax]\n	mov rsp, rcx\n	mov [rsp], rdi\n	ret\n", HAND, 0 },
	{ "ways that differ", "	test edi, edi\n	je 1f\n	ret 8\n1:	ret 16\n", MANY, MAY },
	{ "ways that agree", "	test edi, edi\n	je 1f\n	ret 8\n1:	ret 8\n", MANY, 8 },
	{ "none was followed so far", "	.fill 256, 1, 0x90\n	ret 8\n", MANY, MAY },
	{ "a return address that was put elsewhere",
	  "	mov rax, [rsp]\n	mov [rsp+16], rax\n	add rsp, 16\n	ret\n", NONE, 16 },
	{ "more than there is", "	sub rsp, 8\n	mov [rsp], rdi\n	ret 8\n", MANY,
	  MAY },
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
