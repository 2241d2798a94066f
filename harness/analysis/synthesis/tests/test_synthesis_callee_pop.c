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

#define LOST	"undefined rbx; undefined r12; undefined r13; undefined r14; undefined r15; "
#define PROC	"startproc; " LOST
#define H	".size f, .-f; .type h, @function; h: "
#define STRANGE ".type strange, @function; strange: ret 8; .size strange, .-strange; "

/* clang-format off */
static const struct popped_case {
	const char *rule, *f, *h, *expected, *expected_of_h;
} callee_pop[] = {
	{ "rsp is higher by what a return takes off", "push rdi; push rsi; call h; nop; ret",
	  "ret 16\n", "# no row for 1 (no register leads to the CFA); " PROC
	  "# +0x0 push rdi; cfa 16; # +0x2; endproc; # +0x7; " PROC "# +0x9; endproc",
	  PROC "# +0x3; endproc" },
	{ "so it is, but a caller's frame is not looked up by rsp",
	  "push rbp; mov rbp, rsp; push rdi; call h; pop rbp; ret", "ret 8\n",
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; # +0xa pop rbp; "
	  "cfa rsp, 8; restore rbp; # +0xc; endproc",
	  PROC "# +0x3; endproc" },
	{ "by hand, and nobody knows how much",
	  "push rbp; mov rbp, rsp; push rdi; call h; nop; leave; ret",
	  "pop rcx; lea rsp, [rsp+rax*8]; push rcx; ret",
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; # +0xb leave; cfa rsp, 8; "
	  "restore rbp; # +0xd; endproc",
	  "# no row for 2 (no register leads to the CFA); " PROC "# +0x0 pop rcx; cfa 0; register rip, rcx; "
	  "# +0x5; endproc" },
	{ "nor where rsp is then", "sub rsp, 24; call h; add rsp, 24; ret",
	  "pop rcx; lea rsp, [rsp+rax*8]; push rcx; ret",
	  "# no row for 3 (no register leads to the CFA); " PROC "# +0x4; endproc",
	  "# no row for 2 (no register leads to the CFA); " PROC
	  "# +0x0 pop rcx; cfa 0; register rip, rcx; # +0x5; endproc" },
	{ "by hand, and it is a number", "push rdi; call h; ret",
	  "pop rcx; add rsp, 8; push rcx; ret", "# no row for 1 (no register leads to the CFA); "
	  PROC "# +0x1; endproc; # +0x6; " PROC "# +0x7; endproc",
	  PROC "# +0x0 pop rcx; cfa 0; register rip, rcx; # +0x1 add rsp, 0x08; cfa rsp, -8; # +0x5 push rcx; "
	  "cfa rsp, 0; offset rip, 0; # +0x7; endproc" },
	{ "of a computed call nothing is believed", "push rbx; call [rdi]; pop rbx; ret", "ret\n",
	  "# no row for 3 (no register leads to the CFA); " PROC "# +0x1; endproc",
	  PROC "# +0x1; endproc" },
	{ "but of another image's function", "push rbx; call g@PLT; pop rbx; ret", "ret\n",
	  PROC "# +0x0 push rbx; cfa 16; # +0x6 pop rbx; cfa 8; # +0x8; endproc",
	  PROC "# +0x1; endproc" },
	{ "and of one that is seen to keep to the psABI", "push rbx; call h; pop rbx; ret",
	  "push rbx; mov ebx, 1; pop rbx; ret",
	  PROC "# +0x0 push rbx; cfa 16; # +0x6 pop rbx; cfa 8; # +0x8; endproc",
	  PROC "# +0x0 push rbx; cfa 16; # +0x6 pop rbx; cfa 8; # +0x8; endproc" },
	{ "not of one that overwrites a register", "sub rsp, 24; call h; add rsp, 24; ret",
	  "mov ebx, 1; ret", "# no row for 1 (no register leads to the CFA); " PROC
	  "# +0x4; endproc; # +0x9; startproc; cfa 32; " LOST
	  "# +0x9 add rsp, 0x18; cfa 8; # +0xe; endproc", PROC "# +0x6; endproc" },
	{ "nor of one that calls such a one", "sub rsp, 24; call h; add rsp, 24; ret",
	  "push rbp; mov rbp, rsp; call 1f; pop rbp; ret; 1: mov ebx, 1; ret",
	  "# no row for 1 (no register leads to the CFA); " PROC
	  "# +0x4; endproc; # +0x9; startproc; cfa 32; " LOST
	  "# +0x9 add rsp, 0x18; cfa 8; # +0xe; endproc",
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; # +0x9 pop rbp; "
	  "cfa rsp, 8; restore rbp; # +0xb; endproc" },
	{ "an argument is pushed beneath the return address, and a jump calls the other",
	  "pop rcx; push rsi; push rcx; jmp h", "nop; ret 8",
	  PROC "# +0x0 pop rcx; cfa 0; register rip, rcx; # +0x1 push rsi; cfa 8; # +0x2 push rcx; cfa 16; "
	  "offset rip, -16; # +0x5; endproc",
	  PROC "# +0x4; endproc" },
	{ "as many as a register says", "pop rcx; neg rsi; lea rsp, [rsp+rsi*8]; push rcx; jmp h",
	  "nop; ret 8", "# no row for 2 (no register leads to the CFA); " PROC
	  "# +0x0 pop rcx; cfa 0; register rip, rcx; # +0x8; endproc", PROC "# +0x4; endproc" },
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
	ck_assert_msg(is_spelled(text, expected), "%s:\n%s", rule, text);
	free(text);
}

START_TEST(a_function_that_pops_its_arguments)
{
	const struct popped_case *test = &callee_pop[_i];
	char assembly[1024];
	struct world world;

	snprintf(assembly, sizeof(assembly), "f: %s; " H "%s; .size h, .-h; " STRANGE, test->f,
		 test->h);
	world_init(&world, assembly);
	check(&world, test->rule, world.begin, test->expected);
	check(&world, test->rule, image_symbol_address(world.image, "h"), test->expected_of_h);
	world_deinit(&world);
}
END_TEST

SUITE(synthesis_callee_pop, TIMEOUT(300), LOOP(a_function_that_pops_its_arguments, callee_pop))
