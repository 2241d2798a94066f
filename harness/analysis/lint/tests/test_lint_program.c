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
	symbol "	.type resolve, @function\nresolve:	.cfi_startproc\n"                              \
	       "	.cfi_def_cfa_offset 24\n	xor eax, eax\n	jmp rax\n	"                               \
	       ".cfi_endproc\n"
/* A function of Go: an argument that came in rbx is kept, overwritten and brought back. */
#define SPILLS                                                                                     \
	"	.cfi_sections .debug_frame\n	.globl f\n	.type f, @function\nf:	"                         \
	".cfi_startproc\n"                                                                         \
	"	mov [rsp+16], rbx\n	mov rbx, rdi\n	mov rbx, [rsp+16]\n	ret\n	"                           \
	".cfi_endproc\n"

/* What Go's linker writes of a function: its rows count in words of 4 bytes. */
#define GO_ROWS(code)                                                                              \
	"	.globl f\n	.type f, @function\nf:\n" code                                     \
	"9:	.section .debug_frame\n1:	.long 3f-2f\n2:	.long -1\n	.byte 3, 0, 1, "                  \
	"0x7c\n"                                                                                   \
	"	.byte 16, 0x0c, 7, 8, 0x90, 2\n	.p2align 3\n3:	.long 5f-4f\n4:	.long 1b\n"               \
	"	.quad f, 9b-f\n	.p2align 3\n5:\n"
#define GO(code) "	.type \"runtime.text\", @function\n\"runtime.text\":\n" GO_ROWS(code)

/* Behind a function that an FDE begins with another one, of which it says rows. */
#define COVERED(symbol, rows)                                                                      \
	"	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	ret\n" rows symbol \
	"g:	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	add rsp, 8\n"                                    \
	"	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
#define COVERED_WRONGLY                                                                            \
	"	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	ret\n	.type g, "                      \
	"@function\n"                                                                              \
	"g:	sub rsp, 8\n	add rsp, 8\n	ret\n	.cfi_endproc\n"

/* Push rcx, pop rcx are in the middle of what is at 1. */
#define TABLE(entry)                                                                               \
	"	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	and edi, 1\n"                         \
	"	jmp 9f[rdi*8]\n1:	.byte 0xb8, 0x51, 0x59, 0xc3, 0x90\n	ret\n	"                           \
	".cfi_endproc\n"                                                                           \
	"	.globl g\n	.type g, @function\ng:	.cfi_startproc\n	ret\n	"                               \
	".cfi_endproc\n"                                                                           \
	"	.section .rodata\n9:	.quad 1b, " entry "\n	.text\n"

/* Behind the call of g there is no rule for rbx, which f keeps on its other path, and has overwritten. */
#define BEHIND_CALL(g)                                                                             \
	"	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	push rbx\n"                           \
	"	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov rbx, rsi\n	test "                    \
	"edi, edi\n"                                                                               \
	"	jne 1f\n	.cfi_remember_state\n	pop rbx\n	.cfi_def_cfa_offset 8\n"                        \
	"	.cfi_restore rbx\n	ret\n	.cfi_restore_state\n1:	call g\n	"                               \
	".cfi_restore rbx\n"                                                                       \
	"	mov eax, 1\n	call g\n	hlt\n	.cfi_endproc\n	.globl g\n	.type g, "                         \
	"@function\n"                                                                              \
	"g:	.cfi_startproc\n" g "	.cfi_endproc\n"

static const struct lint_program programs[] = {
	{ "behind a call a register without a rule is lost", BEHIND_CALL("	ret\n"),
	  "SP004 f+15\n1 wrong, 1 proven", "" },
	{ "nobody comes behind one that never returns by its code",
	  BEHIND_CALL("1:	pause\n	jmp 1b\n"), "0 wrong, 1 proven, 1 behind_call", "" },
	{ "a global function may be called by others", RESOLVER("	.globl resolve\n"),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven", "" },
	{ "a weak one, too", RESOLVER("	.weak resolve\n"),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven", "" },
	{ "a protected one, too", RESOLVER("	.globl resolve\n	.protected resolve\n"),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven", "" },
	{ "a hidden one may not", RESOLVER("	.globl resolve\n	.hidden resolve\n"),
	  "0 wrong, 0 proven, 1 no_entry", "" },
	{ "an internal one may not", RESOLVER("	.globl resolve\n	.internal resolve\n"),
	  "0 wrong, 0 proven, 1 no_entry", "" },
	{ "a local one may not", RESOLVER(""), "0 wrong, 0 proven, 1 no_entry", "" },
	{ "a name says nothing against the code that has it",
	  "	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	push rax\n"
	  "	.cfi_def_cfa_offset 16\n	call exit\n	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.cfi_endproc\n	.globl exit\n	.type exit, @function\nexit:	.cfi_startproc\n"
	  "	ret\n	.cfi_endproc\n",
	  "0 wrong, 1 proven, 1 behind_call", "-static-pie" },
	{ "nor does it hide what stands behind its call",
	  "	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	push rax\n"
	  "	.cfi_def_cfa_offset 16\n	call exit\n	pop rax\n	"
	  ".cfi_def_cfa_offset 8\n	ret\n"
	  "	.cfi_endproc\n	.globl exit\n	.type exit, @function\nexit:	.cfi_startproc\n"
	  "	ret\n	.cfi_endproc\n",
	  "0 wrong, 2 proven", "-static-pie" },
	{ "the return address may have another register's column",
	  "	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	.cfi_return_column "
	  "11\n"
	  "	.cfi_offset 11, -8\n	push rbx\n	.cfi_def_cfa_offset 16\n	"
	  ".cfi_offset rbx, -16\n"
	  "	xor ebx, ebx\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	"
	  "ret\n"
	  "	.cfi_endproc\n",
	  "0 wrong, 1 proven", "" },
	{ "but none that callees keep",
	  "	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	.cfi_offset rbx, "
	  "-8\n	ret\n"
	  "	.cfi_endproc\n",
	  "SP003 f+0\n1 wrong, 0 proven", "" },
	{ "an FDE may cover another function, too", COVERED("	.type g, @function\n", ""),
	  "0 wrong, 1 proven", "" },
	{ "what it says of that one is held against its code", COVERED_WRONGLY,
	  "SP001 g+4\n1 wrong, 0 proven", "" },
	{ "without a symbol nobody knows that it is one", COVERED("", ""),
	  "0 wrong, 0 proven, 1 not_reached", "" },
	{ "nor if it is a label's", COVERED("	.globl g\n", ""),
	  "0 wrong, 0 proven, 1 not_reached", "" },
	{ "nor if its row is not that of a function that was called",
	  COVERED("	.type g, @function\n", "	.cfi_def_cfa_offset 24\n"),
	  "0 wrong, 0 proven, 1 not_reached", "" },
	{ "a table of addresses leads to instructions", TABLE("1b"), "0 wrong, 2 proven", "" },
	{ "or into the middle of one", TABLE("1b+1"), "0 wrong, 1 proven, 1 jump_unknown", "" },
	{ "what has no rule is unchanged", SPILLS, "SP004 f+8\n1 wrong, 0 proven", "" },
	{ "in Go nothing is claimed of it", GO("	mov rbx, rdi\n	xor eax, eax\n	ret\n"),
	  "0 wrong, 1 proven", "" },
	{ "where the caller is, is", GO("	push rbx\n	pop rcx\n	ret\n"),
	  "SP001 f+1\n1 wrong, 0 proven", "" },
	{ "the same rows of another program's claim something",
	  GO_ROWS("	mov rbx, rdi\n	xor eax, eax\n	ret\n"), "0 wrong, 0 proven, 1 not_kept",
	  "" },
	{ "beside Go's, what C's rows do not say is nobody's",
	  "	.type \"runtime.text\", @function\n\"runtime.text\":\n" SPILLS,
	  "0 wrong, 0 proven, 1 not_kept", "" },
};

#define LINT_SUITE lint_program
#include "lint_program_main.h"
