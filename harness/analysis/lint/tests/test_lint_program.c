/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_program.c - what an image's symbols say of a function: who may call it, where another one
 * begins, and whose convention it has
 *
 * Each case is linked into a program, in which hidden symbols are still global ones (a shared object has them as
 * local ones), and tables may be in .debug_frame alone, as Go's are. Expected are the findings, as
 * "SPnnn function+begin", and then what the FDEs came to.
 */
#include "lint_program_fixture.h"

/* Nobody calls it, and its first row is not that of a function that was called. */
#define RESOLVER(symbol)                                                                           \
	symbol ".type resolve, @function; resolve: startproc; cfa 24; xor eax, eax; jmp rax; "     \
	       "endproc; "
/* A function of Go: an argument that came in rbx is kept, overwritten and brought back. */
#define SPILLS                                                                                     \
	".cfi_sections .debug_frame; .globl f; .type f, @function; f: startproc; mov [rsp+16], "   \
	"rbx; mov rbx, rdi; mov rbx, [rsp+16]; ret; endproc; "

/* What Go's linker writes of a function: its rows count in words of 4 bytes. */
#define GO_ROWS(code)                                                                              \
	".globl f; .type f, @function; f: " code                                                   \
	"9: .section .debug_frame; 1: .long 3f-2f; 2: .long -1; .byte 3, 0, 1, 0x7c; .byte 16, "   \
	"0x0c, 7, 8, 0x90, 2; .p2align 3; 3: .long 5f-4f; 4: .long 1b; .quad f, 9b-f; .p2align "   \
	"3; 5: "
#define GO(code) ".type \"runtime.text\", @function; \"runtime.text\": " GO_ROWS(code)

/* Behind a function that an FDE begins with another one, of which it says rows. */
#define COVERED(symbol, rows)                                                                      \
	".globl f; .type f, @function; f: startproc; ret; " rows symbol                            \
	"g: sub rsp, 8; cfa 16; add rsp, 8; cfa 8; ret; endproc; "
#define COVERED_WRONGLY                                                                            \
	".globl f; .type f, @function; f: startproc; ret; .type g, @function; g: sub rsp, 8; add " \
	"rsp, 8; ret; endproc; "

/* Push rcx, pop rcx are in the middle of what is at 1. */
#define TABLE(entry)                                                                               \
	".globl f; .type f, @function; f: startproc; and edi, 1; jmp 9f[rdi*8]; 1: .byte 0xb8, "   \
	"0x51, 0x59, 0xc3, 0x90; ret; endproc; .globl g; .type g, @function; g: startproc; ret; "  \
	"endproc; .section .rodata; 9: .quad 1b, " entry "; .text; "

/* Behind the call of g there is no rule for rbx, which f keeps on its other path, and has overwritten. */
#define BEHIND_CALL(g)                                                                             \
	".globl f; .type f, @function; f: startproc; push rbx; cfa 16; offset rbx, -16; mov rbx, " \
	"rsi; test edi, edi; jne 1f; remember_state; pop rbx; cfa 8; restore rbx; ret; "           \
	"restore_state; 1: call g; restore rbx; mov eax, 1; call g; hlt; endproc; .globl g; "      \
	".type g, @function; g: startproc; " g "endproc; "

static const struct lint_program programs[] = {
	{ "behind a call a register without a rule is lost", BEHIND_CALL("ret; "),
	  "SP004 f+15\n1 wrong, 1 proven", "" },
	{ "nobody comes behind one that never returns by its code",
	  BEHIND_CALL("1: pause; jmp 1b; "), "0 wrong, 1 proven, 1 behind_call", "" },
	{ "a global function may be called by others", RESOLVER(".globl resolve; "),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven", "" },
	{ "a weak one, too", RESOLVER(".weak resolve; "),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven", "" },
	{ "a protected one, too", RESOLVER(".globl resolve; .protected resolve; "),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven", "" },
	{ "a hidden one may not", RESOLVER(".globl resolve; .hidden resolve; "),
	  "0 wrong, 0 proven, 1 no_entry", "" },
	{ "an internal one may not", RESOLVER(".globl resolve; .internal resolve; "),
	  "0 wrong, 0 proven, 1 no_entry", "" },
	{ "a local one may not", RESOLVER(""), "0 wrong, 0 proven, 1 no_entry", "" },
	{ "a name says nothing against the code that has it",
	  ".globl f; .type f, @function; f: startproc; push rax; cfa 16; call exit; cfa 8; ret; "
	  "endproc; .globl exit; .type exit, @function; exit: startproc; ret; endproc",
	  "0 wrong, 1 proven, 1 behind_call", "-static-pie" },
	{ "nor does it hide what stands behind its call",
	  ".globl f; .type f, @function; f: startproc; push rax; cfa 16; call exit; pop rax; "
	  "cfa 8; ret; endproc; .globl exit; .type exit, @function; exit: startproc; ret; endproc",
	  "0 wrong, 2 proven", "-static-pie" },
	{ "the return address may have another register's column",
	  ".globl f; .type f, @function; f: startproc; return_column 11; offset 11, -8; push rbx; "
	  "cfa 16; offset rbx, -16; xor ebx, ebx; pop rbx; cfa 8; restore rbx; ret; endproc",
	  "0 wrong, 1 proven", "" },
	{ "but none that callees keep",
	  ".globl f; .type f, @function; f: startproc; offset rbx, -8; ret; endproc",
	  "SP003 f+0\n1 wrong, 0 proven", "" },
	{ "an FDE may cover another function, too", COVERED(".type g, @function; ", ""),
	  "0 wrong, 1 proven", "" },
	{ "what it says of that one is held against its code", COVERED_WRONGLY,
	  "SP001 g+4\n1 wrong, 0 proven", "" },
	{ "without a symbol nobody knows that it is one", COVERED("", ""),
	  "0 wrong, 0 proven, 1 not_reached", "" },
	{ "nor if it is a label's", COVERED(".globl g; ", ""), "0 wrong, 0 proven, 1 not_reached",
	  "" },
	{ "nor if its row is not that of a function that was called",
	  COVERED(".type g, @function; ", "cfa 24; "), "0 wrong, 0 proven, 1 not_reached", "" },
	{ "a table of addresses leads to instructions", TABLE("1b"), "0 wrong, 2 proven", "" },
	{ "or into the middle of one", TABLE("1b+1"), "0 wrong, 1 proven, 1 jump_unknown", "" },
	{ "what has no rule is unchanged", SPILLS, "SP004 f+8\n1 wrong, 0 proven", "" },
	{ "in Go nothing is claimed of it", GO("mov rbx, rdi; xor eax, eax; ret; "),
	  "0 wrong, 1 proven", "" },
	{ "where the caller is, is", GO("push rbx; pop rcx; ret; "), "SP001 f+1\n1 wrong, 0 proven",
	  "" },
	{ "the same rows of another program's claim something",
	  GO_ROWS("mov rbx, rdi; xor eax, eax; ret; "), "0 wrong, 0 proven, 1 not_kept", "" },
	{ "beside Go's, what C's rows do not say is nobody's",
	  ".type \"runtime.text\", @function; \"runtime.text\": " SPILLS,
	  "0 wrong, 0 proven, 1 not_kept", "" },
};

#define LINT_SUITE lint_program
#include "lint_program_main.h"
