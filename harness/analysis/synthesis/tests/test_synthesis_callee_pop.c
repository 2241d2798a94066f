/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_callee_pop.c - functions that take their arguments off the stack, and who calls them
 *
 * V8's builtins do, and preserve no register but rbp. A case is assembled and linked into a shared object,
 * whose function `strange` says that of it. What is expected of f, and of h, are directives as
 * synthesis_directives() says them, without the line of the name.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "synthesis_fixture.h"

#define LOST                                                                                       \
	"	.cfi_undefined rbx\n	.cfi_undefined r12\n	.cfi_undefined r13\n"                          \
	"	.cfi_undefined r14\n	.cfi_undefined r15\n"
#define PROC	"	.cfi_startproc\n" LOST
#define H	"	.size f, .-f\n	.type h, @function\nh:	"
#define STRANGE "	.type strange, @function\nstrange:	ret 8\n	.size strange, .-strange\n"

/* clang-format off */
static const struct popped_case {
	const char *rule, *f, *h, *expected, *expected_of_h;
} callee_pop[] = {
	{ "rsp is higher by what a return takes off",
	  "	push rdi\n	push rsi\n	call h\n	nop\n	ret\n",
	  "ret 16\n",
	  "	# no row for 1 (no register leads to the CFA)\n" PROC "	# +0x0 push rdi\n"
	  "	.cfi_def_cfa_offset 16\n	# +0x2\n	.cfi_endproc\n	# +0x7\n" PROC
	  "	# +0x9\n	.cfi_endproc\n",
	  PROC "	# +0x3\n	.cfi_endproc\n" },
	{ "so it is, but a caller's frame is not looked up by rsp",
	  "	push rbp\n	mov rbp, rsp\n	push rdi\n	call h\n	pop rbp\n	ret\n",
	  "ret 8\n",
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x1 mov rbp, rsp\n"
	  "	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n	# +0xa pop rbp\n"
	  "	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n	# +0xc\n	.cfi_endproc\n",
	  PROC "	# +0x3\n	.cfi_endproc\n" },
	{ "by hand, and nobody knows how much",
	  "	push rbp\n	mov rbp, rsp\n	push rdi\n	call h\n	nop\n	leave\n	ret\n",
	  "pop rcx\n	lea rsp, [rsp+rax*8]\n	push rcx\n	ret\n",
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x1 mov rbp, rsp\n"
	  "	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n	# +0xb leave\n"
	  "	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n	# +0xd\n	.cfi_endproc\n",
	  "	# no row for 2 (no register leads to the CFA)\n" PROC "	# +0x0 pop rcx\n"
	  "	.cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n	# +0x5\n"
	  "	.cfi_endproc\n" },
	{ "nor where rsp is then",
	  "	sub rsp, 24\n	call h\n	add rsp, 24\n	ret\n",
	  "pop rcx\n	lea rsp, [rsp+rax*8]\n	push rcx\n	ret\n",
	  "	# no row for 3 (no register leads to the CFA)\n" PROC "	# +0x4\n"
	  "	.cfi_endproc\n",
	  "	# no row for 2 (no register leads to the CFA)\n" PROC "	# +0x0 pop rcx\n"
	  "	.cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n	# +0x5\n"
	  "	.cfi_endproc\n" },
	{ "by hand, and it is a number",
	  "	push rdi\n	call h\n	ret\n",
	  "pop rcx\n	add rsp, 8\n	push rcx\n	ret\n",
	  "	# no row for 1 (no register leads to the CFA)\n" PROC "	# +0x1\n"
	  "	.cfi_endproc\n	# +0x6\n" PROC "	# +0x7\n	.cfi_endproc\n",
	  PROC "	# +0x0 pop rcx\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n"
	  "	# +0x1 add rsp, 0x08\n	.cfi_def_cfa rsp, -8\n	# +0x5 push rcx\n"
	  "	.cfi_def_cfa rsp, 0\n	.cfi_offset rip, 0\n	# +0x7\n	.cfi_endproc\n" },
	{ "of a computed call nothing is believed",
	  "	push rbx\n	call [rdi]\n	pop rbx\n	ret\n",
	  "ret\n",
	  "	# no row for 3 (no register leads to the CFA)\n" PROC "	# +0x1\n"
	  "	.cfi_endproc\n",
	  PROC "	# +0x1\n	.cfi_endproc\n" },
	{ "but of another image's function",
	  "	push rbx\n	call g@PLT\n	pop rbx\n	ret\n",
	  "ret\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x6 pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	# +0x8\n	.cfi_endproc\n",
	  PROC "	# +0x1\n	.cfi_endproc\n" },
	{ "and of one that is seen to keep to the psABI",
	  "	push rbx\n	call h\n	pop rbx\n	ret\n",
	  "push rbx\n	mov ebx, 1\n	pop rbx\n	ret\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x6 pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	# +0x8\n	.cfi_endproc\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x6 pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	# +0x8\n	.cfi_endproc\n" },
	{ "not of one that overwrites a register",
	  "	sub rsp, 24\n	call h\n	add rsp, 24\n	ret\n",
	  "mov ebx, 1\n	ret\n",
	  "	# no row for 1 (no register leads to the CFA)\n" PROC "	# +0x4\n"
	  "	.cfi_endproc\n	# +0x9\n	.cfi_startproc\n	.cfi_def_cfa_offset 32\n" LOST
	  "	# +0x9 add rsp, 0x18\n	.cfi_def_cfa_offset 8\n	# +0xe\n	.cfi_endproc\n",
	  PROC "	# +0x6\n	.cfi_endproc\n" },
	{ "nor of one that calls such a one",
	  "	sub rsp, 24\n	call h\n	add rsp, 24\n	ret\n",
	  "push rbp\n	mov rbp, rsp\n	call 1f\n	pop rbp\n	ret\n1:	mov ebx, 1\n	ret\n",
	  "	# no row for 1 (no register leads to the CFA)\n" PROC "	# +0x4\n"
	  "	.cfi_endproc\n	# +0x9\n	.cfi_startproc\n	.cfi_def_cfa_offset 32\n" LOST
	  "	# +0x9 add rsp, 0x18\n	.cfi_def_cfa_offset 8\n	# +0xe\n	.cfi_endproc\n",
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n	# +0x1 mov rbp, rsp\n"
	  "	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n	# +0x9 pop rbp\n"
	  "	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n	# +0xb\n	.cfi_endproc\n" },
	{ "an argument is pushed beneath the return address, and a jump calls the other",
	  "	pop rcx\n	push rsi\n	push rcx\n	jmp h\n",
	  "nop\n	ret 8\n",
	  PROC "	# +0x0 pop rcx\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n"
	  "	# +0x1 push rsi\n	.cfi_def_cfa_offset 8\n	# +0x2 push rcx\n"
	  "	.cfi_def_cfa_offset 16\n	.cfi_offset rip, -16\n	# +0x5\n"
	  "	.cfi_endproc\n",
	  PROC "	# +0x4\n	.cfi_endproc\n" },
	{ "as many as a register says",
	  "	pop rcx\n	neg rsi\n	lea rsp, [rsp+rsi*8]\n	push rcx\n	jmp h\n",
	  "nop\n	ret 8\n",
	  "	# no row for 2 (no register leads to the CFA)\n" PROC "	# +0x0 pop rcx\n"
	  "	.cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n	# +0x8\n"
	  "	.cfi_endproc\n",
	  PROC "	# +0x4\n	.cfi_endproc\n" },
};
/* clang-format on */

/* Where the linker puts h does not matter. */
static void forget_targets(char *text)
{
	for (char *at = text; (at = strstr(at, "call 0x"));) {
		at += strlen("call");
		memmove(at, strchr(at, '\n'), strlen(strchr(at, '\n')) + 1);
	}
}

static void check(const struct world *world, const char *rule, uint64_t pc, const char *expected)
{
	char *text = directives_at(world, pc);

	forget_targets(text);
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s", rule, text);
	free(text);
}

START_TEST(a_function_that_pops_its_arguments)
{
	const struct popped_case *test = &callee_pop[_i];
	char assembly[1024];
	struct world world;

	snprintf(assembly, sizeof(assembly), "f:\n%s" H "%s	.size h, .-h\n" STRANGE, test->f,
		 test->h);
	world_init(&world, assembly);
	check(&world, test->rule, world.begin, test->expected);
	check(&world, test->rule, image_symbol_address(world.image, "h"), test->expected_of_h);
	world_deinit(&world);
}
END_TEST

SUITE(synthesis_callee_pop, TIMEOUT(300), LOOP(a_function_that_pops_its_arguments, callee_pop))
