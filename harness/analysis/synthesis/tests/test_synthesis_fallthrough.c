/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_fallthrough.c - code that is the function's, though nobody sees a path to it
 *
 * Behind a call that may never come back, where no symbol says whose code it is, and behind a computed jump
 * whose targets are not known. Such code may lead back. A case is assembled and linked into a shared
 * object; what is expected are directives as synthesis_directives() says them, without the line of the name.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "synthesis_fixture.h"

#define END  "	.size f, .-f\n"
#define PROC "	.cfi_startproc\n"
#define LAST                                                                                       \
	"	.type last, @function\nlast:	hlt\n	.size last, .-last\n" /* ends what is before */

static void check(const char *rule, const char *assembly, int64_t distance, const char *expected)
{
	struct world world;
	char *text;

	world_init(&world, assembly);
	text = directives_at(&world, world.begin + (uint64_t)distance);
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s", rule, text);
	free(text);
	world_deinit(&world);
}

/* clang-format off */

/* Called by f, 16 bytes behind it, without a symbol. */
static const struct beyond_case {
	const char *rule, *code, *expected;
} beyonds[] = {
	{ "it returns with the function's frame",
	  "	push rbx\n	call [rdi]\n	.balign 16\n	pop rbx\n	ret\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x10 pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	# +0x12\n	.cfi_endproc\n" },
	{ "it leads back, and what it overwrites there is not what it was",
	  "	push r12\n2:	test edi, edi\n	jne 3f\n	call [rdi]\n	.balign 16\n"
	  "	xor r12d, r12d\n	jmp 2b\n3:	pop r12\n	ret\n",
	  PROC "	# +0x0 push r12\n	.cfi_def_cfa_offset 16\n	.cfi_offset r12, -16\n"
	  "	# +0x15 pop r12\n	.cfi_def_cfa_offset 8\n	.cfi_restore r12\n	# +0x18\n" "	.cfi_endproc\n" },
	{ "so does code behind another call",
	  "	push r12\n2:	test edi, edi\n	jne 3f\n	call [rdi]\n	.balign 16\n"
	  "	call [rsi]\n	.balign 16\n	xor r12d, r12d\n	jmp 2b\n3:	pop r12\n	ret\n",
	  PROC "	# +0x0 push r12\n	.cfi_def_cfa_offset 16\n	.cfi_offset r12, -16\n"
	  "	# +0x25 pop r12\n	.cfi_def_cfa_offset 8\n	.cfi_restore r12\n	# +0x28\n" "	.cfi_endproc\n" },
	{ "it leads on to what a branch leads to",
	  "	push r12\n	test edi, edi\n	jne 2f\n	xor r12d, r12d\n	call [rdi]\n"
	  "	.balign 16\n2:	nop\n	pop r12\n	ret\n",
	  PROC "	# +0x0 push r12\n	.cfi_def_cfa_offset 16\n	# +0x6 xor r12d, r12d\n"
	  "	.cfi_offset r12, -16\n	# +0x11 pop r12\n	.cfi_def_cfa_offset 8\n"
	  "	.cfi_restore r12\n	# +0x14\n	.cfi_endproc\n" },
	{ "a call in place of its return",
	  "	push rbx\n	call [rdi]\n	.balign 16\n	pop rbx\n	jmp [rsi]\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x10 pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	# +0x13\n	.cfi_endproc\n" },
	{ "another function's",
	  "	push rbx\n	call [rdi]\n	.balign 16\n	push rbp\n	pop rbp\n	ret\n",
	  "	# no row for 3 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x10\n	.cfi_endproc\n" },
	{ "nobody knows whose",
	  "	push rbx\n	call [rdi]\n	.balign 16\n	xor eax, eax\n	hlt\n",
	  "	# no row for 1 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x10\n	.cfi_endproc\n" },
	{ "it is seen to return",
	  "	push rbx\n	call 4f\n	.balign 16\n	push rax\n	hlt\n	.balign 16\n4:	ret\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x10 push rax\n"
	  "	.cfi_def_cfa_offset 24\n	# +0x12\n	.cfi_endproc\n" },
	{ "it is not aligned, and neither calls nor returns",
	  "	push rbx\n	call [rdi]\n	push rax\n	hlt\n",
	  "	# no row for 1 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "nor does an endless loop",
	  "	push rbx\n	call [rdi]\n2:	pause\n	jmp 2b\n",
	  "	# no row for 2 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "it calls with the stack aligned",
	  "	push rbx\n	call [rdi]\n2:	call [rsi]\n	jmp 2b\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x7\n	.cfi_endproc\n" },
	{ "and then not",
	  "	push rbx\n	call [rdi]\n	call [rsi]\n	push rax\n	call [rsi]\n	hlt\n",
	  "	# no row for 2 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x5\n	.cfi_endproc\n" },
	{ "on one way, and not on the other",
	  "	push rbx\n	call [rdi]\n	test edi, edi\n	je 2f\n	call [rsi]\n	hlt\n"
	  "2:	push rax\n	call [rsi]\n	hlt\n",
	  "	# no row for 5 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "what it calls leads to a return with the frame still there",
	  "	push rbx\n	call [rdi]\n	call [rsi]\n	xor eax, eax\n	ret\n",
	  "	# no row for 3 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "a frame whose size grows in a loop",
	  "	push rbp\n	mov rbp, rsp\n	push r14\n	push r12\n3:	test rax, rax\n	je 4f\n"
	  "	sub rsp, 48\n	mov r14, rdx\n	call [rdi]\n	jmp 3b\n4:	lea rsp, [rbp-16]\n"
	  "	pop r12\n	pop r14\n	pop rbp\n	ret\n",
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x1 mov rbp, rsp\n"
	  "	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n	# +0x6 push r12\n"
	  "	.cfi_offset r14, -24\n	# +0x1e pop r14\n	.cfi_restore r14\n	# +0x20 pop rbp\n"
	  "	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n	# +0x22\n	.cfi_endproc\n" },
};

START_TEST(code_behind_a_call)
{
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, "f:	call 1f\n	ret\n" END "	.balign 16\n1:%s" LAST,
				  beyonds[_i].code), 0);
	check(beyonds[_i].rule, assembly, 16, beyonds[_i].expected);
	free(assembly);
}
END_TEST

/* Before f, which jumps there with a frame: nobody aligns such pieces. */
static const struct beyond_case pieces[] = {
	{ "behind the call is a landing pad of another function",
	  "	mov edi, 3\n	call [rdi]\n	mov rbx, rax\n	call [rdi]\n	ud2\n",
	  "	# no row for 2 (behind a call that may never come back)\n" PROC
	  "	.cfi_def_cfa_offset 112\n	# +0x7\n	.cfi_endproc\n" },
	{ "it leads back",
	  "	mov edi, 3\n	call [rdi]\n	mov edi, 4\n	jmp 2f\n",
	  PROC "	.cfi_def_cfa_offset 112\n	# +0xe\n	.cfi_endproc\n" },
	{ "it returns",
	  "	mov edi, 3\n	call [rdi]\n	add rsp, 104\n	ret\n",
	  PROC "	.cfi_def_cfa_offset 112\n	# +0x7 add rsp, 0x68\n	.cfi_def_cfa_offset 8\n	# +0xc\n"
	  "	.cfi_endproc\n" },
};

START_TEST(a_piece_of_the_function)
{
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, "	.skip 16, 0xcc\n1:%s	.balign 64, 0xcc\n"
				  "f:	call 3f\n	ret\n" END "	.balign 16\n"
				  "3:	sub rsp, 104\n	test edi, edi\n	jne 1b\n"
				  "2:	add rsp, 104\n	ret\n" LAST, pieces[_i].code), 0);
	check(pieces[_i].rule, assembly, -48, pieces[_i].expected);
	free(assembly);
}
END_TEST

/* f has a size: what is behind the call is supposed to be its own. Or is entered and not aligned: it is likely. */
static const struct supposed_case {
	const char *rule, *code, *expected, *likely; /* NULL: as expected */
} supposed[] = {
	{ "nothing contradicts",
	  "	sub rsp, 24\n	call [rdi]\n	xor edi, edi\n	call [rsi]\n	hlt\n",
	  PROC "	# +0x0 sub rsp, 0x18\n	.cfi_def_cfa_offset 32\n	# +0xb\n	.cfi_endproc\n",
	  PROC "	# +0x0 sub rsp, 0x18\n	.cfi_def_cfa_offset 32\n	# +0xa\n	.cfi_endproc\n" },
	{ "what sets up a frame before its call is another function",
	  "	sub rsp, 24\n	call [rdi]\n	push rbx\n	call [rsi]\n	hlt\n",
	  "	# no row for 2 (behind a call that may never come back)\n" PROC
	  "	# +0x0 sub rsp, 0x18\n	.cfi_def_cfa_offset 32\n	# +0x6\n	.cfi_endproc\n", NULL },
	{ "and if the call lies behind a branch",
	  "	sub rsp, 24\n	call [rdi]\n	push rbx\n	test edi, edi\n	je 2f\n	hlt\n"
	  "2:	call [rsi]\n	hlt\n",
	  "	# no row for 4 (behind a call that may never come back)\n" PROC
	  "	# +0x0 sub rsp, 0x18\n	.cfi_def_cfa_offset 32\n	# +0x6\n	.cfi_endproc\n", NULL },
	{ "unless it comes back with the frame",
	  "	sub rsp, 24\n	call [rdi]\n	push rcx\n	call [rsi]\n	pop rcx\n	add rsp, 24\n"
	  "	ret\n",
	  PROC "	# +0x0 sub rsp, 0x18\n	.cfi_def_cfa_offset 32\n	# +0x6 push rcx\n"
	  "	.cfi_def_cfa_offset 40\n	# +0x9 pop rcx\n	.cfi_def_cfa_offset 32\n"
	  "	# +0xa add rsp, 0x18\n	.cfi_def_cfa_offset 8\n	# +0xf\n	.cfi_endproc\n", NULL },
	{ "a function that never aligns the stack",
	  "	push rcx\n	push rcx\n	call [rdi]\n	push rcx\n	call [rsi]\n	hlt\n",
	  PROC "	# +0x0 push rcx\n	.cfi_def_cfa_offset 16\n	# +0x1 push rcx\n"
	  "	.cfi_def_cfa_offset 24\n	# +0x4 push rcx\n	.cfi_def_cfa_offset 32\n	# +0x8\n"
	  "	.cfi_endproc\n",
	  "	# no row for 2 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rcx\n	.cfi_def_cfa_offset 16\n	# +0x1 push rcx\n"
	  "	.cfi_def_cfa_offset 24\n	# +0x4\n	.cfi_endproc\n" },
	{ "what returns with the frame still there is another function",
	  "	test edi, edi\n	je 2f\n	ret\n2:	sub rsp, 24\n	call [rdi]\n	xor eax, eax\n"
	  "	ret\n",
	  "	# no row for 2 (behind a call that may never come back)\n" PROC
	  "	# +0x5 sub rsp, 0x18\n	.cfi_def_cfa_offset 32\n	# +0xb\n	.cfi_endproc\n", NULL },
	{ "and what calls as a landing pad does is one",
	  "	sub rsp, 24\n	call [rdi]\n	mov rbx, rax\n	call [rsi]\n	mov rdi, rbx\n"
	  "	call _Unwind_Resume@plt\n	hlt\n",
	  "	# no row for 4 (behind a call that may never come back)\n" PROC
	  "	# +0x0 sub rsp, 0x18\n	.cfi_def_cfa_offset 32\n	# +0x6\n	.cfi_endproc\n", NULL },
};

/* f has a size. */
static const struct beyond_case unread[] = {
	{ "what only the jump reaches overwrites a register, and leads back",
	  "f:	push rbp\n	push rbx\n2:	test edi, edi\n	je 3f\n	jmp [rsi]\n"
	  "4:	mov rbp, rdi\n	call [rdi]\n	jmp 2b\n3:	pop rbx\n	pop rbp\n	ret\n" END,
	  "	# no row for 3 (behind a jump whose targets are not known)\n" PROC
	  "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x1 push rbx\n"
	  "	.cfi_def_cfa_offset 24\n	.cfi_offset rbp, -16\n	# +0x8\n	.cfi_endproc\n	# +0xf\n" PROC
	  "	.cfi_def_cfa_offset 24\n	.cfi_offset rbp, -16\n	# +0xf pop rbx\n"
	  "	.cfi_def_cfa_offset 16\n	# +0x10 pop rbp\n	.cfi_def_cfa_offset 8\n"
	  "	.cfi_restore rbp\n	# +0x12\n	.cfi_endproc\n" },
	{ "one that nothing keeps",
	  "f:	push rbp\n2:	test edi, edi\n	je 3f\n	jmp [rsi]\n"
	  "4:	mov r12, rdi\n	jne 2b\n	hlt\n3:	pop rbp\n	ret\n" END,
	  "	# no row for 2 (behind a jump whose targets are not known)\n" PROC
	  "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_undefined r12\n	# +0x7\n"
	  "	.cfi_endproc\n	# +0xd\n" PROC
	  "	.cfi_def_cfa_offset 16\n	.cfi_undefined r12\n	# +0xd pop rbp\n"
	  "	.cfi_def_cfa_offset 8\n	# +0xf\n	.cfi_endproc\n" },
	{ "one that is overwritten before the jump",
	  "f:	push rbx\n2:	test edi, edi\n	je 3f\n	mov rbx, rdi\n	jmp [rsi]\n"
	  "3:	nop\n	pop rbx\n	ret\n" END,
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x5 mov rbx, rdi\n"
	  "	.cfi_offset rbx, -16\n	# +0xb pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
	  "	# +0xd\n	.cfi_endproc\n" },
	{ "what doesn't lead back may overwrite what it likes",
	  "f:	push rbp\n	push rbx\n2:	test edi, edi\n	je 3f\n	jmp [rsi]\n"
	  "4:	mov rbp, rdi\n	hlt\n3:	pop rbx\n	pop rbp\n	ret\n" END,
	  "	# no row for 1 (behind a jump whose targets are not known)\n" PROC
	  "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x1 push rbx\n"
	  "	.cfi_def_cfa_offset 24\n	# +0x8\n	.cfi_endproc\n	# +0xc\n" PROC
	  "	.cfi_def_cfa_offset 24\n	# +0xc pop rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0xd pop rbp\n	.cfi_def_cfa_offset 8\n	# +0xf\n	.cfi_endproc\n" },
	{ "what it pops was there before",
	  "f:	push rbp\n	push rbx\n2:	test edi, edi\n	je 3f\n	jmp [rsi]\n"
	  "4:	push rbp\n	pop rbp\n	jmp 2b\n3:	pop rbx\n	pop rbp\n	ret\n" END,
	  "	# no row for 3 (behind a jump whose targets are not known)\n" PROC
	  "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x1 push rbx\n"
	  "	.cfi_def_cfa_offset 24\n	# +0x8\n	.cfi_endproc\n	# +0xc\n" PROC
	  "	.cfi_def_cfa_offset 24\n	# +0xc pop rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0xd pop rbp\n	.cfi_def_cfa_offset 8\n	# +0xf\n	.cfi_endproc\n" },
	{ "where rsp is another nobody comes from there",
	  "f:	test edi, edi\n	je 3f\n	push rbp\n	jmp [rsi]\n"
	  "4:	mov rbp, rdi\n	jmp 3f\n3:	ret\n" END,
	  "	# no row for 2 (behind a jump whose targets are not known)\n" PROC
	  "	# +0x4 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x7\n	.cfi_endproc\n	# +0xc\n" PROC
	  "	# +0xd\n	.cfi_endproc\n" },
};

/* clang-format on */

START_TEST(code_supposed_to_be_the_functions)
{
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, "f:%s" END LAST, supposed[_i].code), 0);
	check(supposed[_i].rule, assembly, 0, supposed[_i].expected);
	free(assembly);
}
END_TEST

START_TEST(code_likely_to_be_an_entered_functions)
{
	const char *likely = supposed[_i].likely;
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly,
				  "f:	call 1f\n	ret\n" END "	.balign 16\n1:%s" LAST,
				  supposed[_i].code),
			 0);
	check(supposed[_i].rule, assembly, 16, likely ? likely : supposed[_i].expected);
	free(assembly);
}
END_TEST

START_TEST(code_that_only_an_unknown_jump_reaches)
{
	check(unread[_i].rule, unread[_i].code, 0, unread[_i].expected);
}
END_TEST

SUITE(synthesis_fallthrough, TIMEOUT(300), LOOP(code_behind_a_call, beyonds),
      LOOP(code_supposed_to_be_the_functions, supposed),
      LOOP(code_likely_to_be_an_entered_functions, supposed), LOOP(a_piece_of_the_function, pieces),
      LOOP(code_that_only_an_unknown_jump_reaches, unread))
