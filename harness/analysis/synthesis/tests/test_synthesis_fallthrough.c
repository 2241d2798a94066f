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

#define END  ".size f, .-f; "
#define PROC "startproc; "
#define LAST ".type last, @function; last: hlt; .size last, .-last; " /* ends what is before */

static void check(const char *rule, const char *assembly, int64_t distance, const char *expected)
{
	struct world world;
	char *text;

	world_init(&world, assembly);
	text = directives_at(&world, world.begin + (uint64_t)distance);
	ck_assert_msg(is_spelled(text, expected), "%s:\n%s", rule, text);
	free(text);
	world_deinit(&world);
}

/* clang-format off */

/* Called by f, 16 bytes behind it, without a symbol. */
static const struct beyond_case {
	const char *rule, *code, *expected;
} beyonds[] = {
	{ "it returns with the function's frame", "push rbx; call [rdi]; .balign 16; pop rbx; ret",
	  PROC "# +0x0 push rbx; cfa 16; # +0x10 pop rbx; cfa 8; # +0x12; endproc" },
	{ "it leads back, and what it overwrites there is not what it was",
	  "push r12; 2: test edi, edi; jne 3f; call [rdi]; .balign 16; xor r12d, r12d; jmp 2b; 3: pop r12; ret",
	  PROC "# +0x0 push r12; cfa 16; offset r12, -16; # +0x15 pop r12; cfa 8; restore r12; # +0x18; endproc" },
	{ "so does code behind another call",
	  "push r12; 2: test edi, edi; jne 3f; call [rdi]; .balign 16; call [rsi]; .balign 16; xor r12d, r12d; "
	  "jmp 2b; 3: pop r12; ret",
	  PROC "# +0x0 push r12; cfa 16; offset r12, -16; # +0x25 pop r12; cfa 8; restore r12; # +0x28; endproc" },
	{ "it leads on to what a branch leads to",
	  "push r12; test edi, edi; jne 2f; xor r12d, r12d; call [rdi]; .balign 16; 2: nop; pop r12; ret",
	  PROC "# +0x0 push r12; cfa 16; # +0x6 xor r12d, r12d; offset r12, -16; # +0x11 pop r12; cfa 8; "
	  "restore r12; # +0x14; endproc" },
	{ "a call in place of its return", "push rbx; call [rdi]; .balign 16; pop rbx; jmp [rsi]",
	  PROC "# +0x0 push rbx; cfa 16; # +0x10 pop rbx; cfa 8; # +0x13; endproc" },
	{ "another function's", "push rbx; call [rdi]; .balign 16; push rbp; pop rbp; ret",
	  "# no row for 3 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x10; endproc" },
	{ "nobody knows whose", "push rbx; call [rdi]; .balign 16; xor eax, eax; hlt",
	  "# no row for 1 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x10; endproc" },
	{ "it is seen to return",
	  "push rbx; call 4f; .balign 16; push rax; hlt; .balign 16; 4: ret",
	  PROC "# +0x0 push rbx; cfa 16; # +0x10 push rax; cfa 24; # +0x12; endproc" },
	{ "it is not aligned, and neither calls nor returns", "push rbx; call [rdi]; push rax; hlt",
	  "# no row for 1 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "nor does an endless loop", "push rbx; call [rdi]; 2: pause; jmp 2b",
	  "# no row for 2 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "it calls with the stack aligned", "push rbx; call [rdi]; 2: call [rsi]; jmp 2b",
	  PROC "# +0x0 push rbx; cfa 16; # +0x7; endproc" },
	{ "and then not", "push rbx; call [rdi]; call [rsi]; push rax; call [rsi]; hlt",
	  "# no row for 2 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x5; endproc" },
	{ "on one way, and not on the other",
	  "push rbx; call [rdi]; test edi, edi; je 2f; call [rsi]; hlt; 2: push rax; call [rsi]; hlt",
	  "# no row for 5 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "what it calls leads to a return with the frame still there",
	  "push rbx; call [rdi]; call [rsi]; xor eax, eax; ret",
	  "# no row for 3 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "a frame whose size grows in a loop",
	  "push rbp; mov rbp, rsp; push r14; push r12; 3: test rax, rax; je 4f; sub rsp, 48; "
	  "mov r14, rdx; call [rdi]; jmp 3b; 4: lea rsp, [rbp-16]; pop r12; pop r14; pop rbp; ret",
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; "
	  "# +0x6 push r12; offset r14, -24; # +0x1e pop r14; restore r14; # +0x20 pop rbp; cfa rsp, 8; "
	  "restore rbp; # +0x22; endproc" },
};

START_TEST(code_behind_a_call)
{
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, "f: call 1f; ret; " END ".balign 16; 1: %s; " LAST,
				  beyonds[_i].code), 0);
	check(beyonds[_i].rule, assembly, 16, beyonds[_i].expected);
	free(assembly);
}
END_TEST

/* Before f, which jumps there with a frame: nobody aligns such pieces. */
static const struct beyond_case pieces[] = {
	{ "behind the call is a landing pad of another function",
	  "mov edi, 3; call [rdi]; mov rbx, rax; call [rdi]; ud2",
	  "# no row for 2 (behind a call that may never come back); " PROC
	  "cfa 112; # +0x7; endproc" },
	{ "it leads back", "mov edi, 3; call [rdi]; mov edi, 4; jmp 2f",
	  PROC "cfa 112; # +0xe; endproc" },
	{ "it returns", "mov edi, 3; call [rdi]; add rsp, 104; ret",
	  PROC "cfa 112; # +0x7 add rsp, 0x68; cfa 8; # +0xc; endproc" },
};

START_TEST(a_piece_of_the_function)
{
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, ".skip 16, 0xcc; 1: %s; .balign 64, 0xcc; f: call 3f; "
	  "ret; " END ".balign 16; 3: sub rsp, 104; test edi, edi; jne 1b; 2: add rsp, 104; ret; "
	  "" LAST, pieces[_i].code), 0);
	check(pieces[_i].rule, assembly, -48, pieces[_i].expected);
	free(assembly);
}
END_TEST

/* f has a size: what is behind the call is supposed to be its own. Or is entered and not aligned: it is likely. */
static const struct supposed_case {
	const char *rule, *code, *expected, *likely; /* NULL: as expected */
} supposed[] = {
	{ "nothing contradicts", "sub rsp, 24; call [rdi]; xor edi, edi; call [rsi]; hlt",
	  PROC "# +0x0 sub rsp, 0x18; cfa 32; # +0xb; endproc",
	  PROC "# +0x0 sub rsp, 0x18; cfa 32; # +0xa; endproc" },
	{ "what sets up a frame before its call is another function",
	  "sub rsp, 24; call [rdi]; push rbx; call [rsi]; hlt",
	  "# no row for 2 (behind a call that may never come back); " PROC
	  "# +0x0 sub rsp, 0x18; cfa 32; # +0x6; endproc", NULL },
	{ "and if the call lies behind a branch",
	  "sub rsp, 24; call [rdi]; push rbx; test edi, edi; je 2f; hlt; 2: call [rsi]; hlt",
	  "# no row for 4 (behind a call that may never come back); " PROC
	  "# +0x0 sub rsp, 0x18; cfa 32; # +0x6; endproc", NULL },
	{ "unless it comes back with the frame",
	  "sub rsp, 24; call [rdi]; push rcx; call [rsi]; pop rcx; add rsp, 24; ret",
	  PROC "# +0x0 sub rsp, 0x18; cfa 32; # +0x6 push rcx; cfa 40; # +0x9 pop rcx; cfa 32; "
	  "# +0xa add rsp, 0x18; cfa 8; # +0xf; endproc", NULL },
	{ "a function that never aligns the stack",
	  "push rcx; push rcx; call [rdi]; push rcx; call [rsi]; hlt",
	  PROC "# +0x0 push rcx; cfa 16; # +0x1 push rcx; cfa 24; # +0x4 push rcx; cfa 32; # +0x8; endproc",
	  "# no row for 2 (behind a call that may never come back); " PROC
	  "# +0x0 push rcx; cfa 16; # +0x1 push rcx; cfa 24; # +0x4; endproc" },
	{ "what returns with the frame still there is another function",
	  "test edi, edi; je 2f; ret; 2: sub rsp, 24; call [rdi]; xor eax, eax; ret",
	  "# no row for 2 (behind a call that may never come back); " PROC
	  "# +0x5 sub rsp, 0x18; cfa 32; # +0xb; endproc", NULL },
	{ "and what calls as a landing pad does is one",
	  "sub rsp, 24; call [rdi]; mov rbx, rax; call [rsi]; mov rdi, rbx; call _Unwind_Resume@plt; hlt",
	  "# no row for 4 (behind a call that may never come back); " PROC
	  "# +0x0 sub rsp, 0x18; cfa 32; # +0x6; endproc", NULL },
};

/* f has a size. */
static const struct beyond_case unread[] = {
	{ "what only the jump reaches overwrites a register, and leads back",
	  "f: push rbp; push rbx; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov rbp, rdi; call [rdi]; jmp 2b; "
	  "3: pop rbx; pop rbp; ret; " END,
	  "# no row for 3 (behind a jump whose targets are not known); " PROC
	  "# +0x0 push rbp; cfa 16; # +0x1 push rbx; cfa 24; offset rbp, -16; # +0x8; endproc; # +0xf; " PROC
	  "cfa 24; offset rbp, -16; # +0xf pop rbx; cfa 16; # +0x10 pop rbp; cfa 8; restore rbp; # +0x12; endproc" },
	{ "one that nothing keeps",
	  "f: push rbp; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov r12, rdi; jne 2b; hlt; 3: pop rbp; ret; "
	  END, "# no row for 2 (behind a jump whose targets are not known); " PROC
	  "# +0x0 push rbp; cfa 16; undefined r12; # +0x7; endproc; # +0xd; " PROC
	  "cfa 16; undefined r12; # +0xd pop rbp; cfa 8; # +0xf; endproc" },
	{ "one that is overwritten before the jump",
	  "f: push rbx; 2: test edi, edi; je 3f; mov rbx, rdi; jmp [rsi]; 3: nop; pop rbx; ret; " END,
	  PROC "# +0x0 push rbx; cfa 16; # +0x5 mov rbx, rdi; offset rbx, -16; # +0xb pop rbx; cfa 8; restore rbx; "
	  "# +0xd; endproc" },
	{ "what doesn't lead back may overwrite what it likes",
	  "f: push rbp; push rbx; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov rbp, rdi; hlt; 3: pop rbx; pop rbp; ret; "
	  END, "# no row for 1 (behind a jump whose targets are not known); " PROC
	  "# +0x0 push rbp; cfa 16; # +0x1 push rbx; cfa 24; # +0x8; endproc; # +0xc; " PROC
	  "cfa 24; # +0xc pop rbx; cfa 16; # +0xd pop rbp; cfa 8; # +0xf; endproc" },
	{ "what it pops was there before",
	  "f: push rbp; push rbx; 2: test edi, edi; je 3f; jmp [rsi]; 4: push rbp; pop rbp; jmp 2b; 3: pop rbx; "
	  "pop rbp; ret; "
	  END, "# no row for 3 (behind a jump whose targets are not known); " PROC
	  "# +0x0 push rbp; cfa 16; # +0x1 push rbx; cfa 24; # +0x8; endproc; # +0xc; " PROC
	  "cfa 24; # +0xc pop rbx; cfa 16; # +0xd pop rbp; cfa 8; # +0xf; endproc" },
	{ "where rsp is another nobody comes from there",
	  "f: test edi, edi; je 3f; push rbp; jmp [rsi]; 4: mov rbp, rdi; jmp 3f; 3: ret; " END,
	  "# no row for 2 (behind a jump whose targets are not known); " PROC
	  "# +0x4 push rbp; cfa 16; # +0x7; endproc; # +0xc; " PROC "# +0xd; endproc" },
};

/* clang-format on */

START_TEST(code_supposed_to_be_the_functions)
{
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, "f: %s; " END LAST, supposed[_i].code), 0);
	check(supposed[_i].rule, assembly, 0, supposed[_i].expected);
	free(assembly);
}
END_TEST

START_TEST(code_likely_to_be_an_entered_functions)
{
	const char *likely = supposed[_i].likely;
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, "f: call 1f; ret; " END ".balign 16; 1: %s; " LAST,
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
