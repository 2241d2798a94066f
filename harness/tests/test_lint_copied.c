/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_copied.c - addresses of code that an instruction makes to read what is there
 *
 * Cases of lint_fixture.h. f makes the address of what lies behind it in a gap between FDEs, and could be a function.
 */
#include "lint_fixture.h"

#define MAKES(reg, then)                                                                           \
	"	lea " reg ", 5f[rip]\n" then                                                       \
	"	ret\n	.cfi_endproc\n	.balign 16\n5:	push rbx\n	pop "                                     \
	"rbx\n	ret\n	.balign 16\nk:	.cfi_startproc\n	ret\n"
#define TOLD "SP006 16..19 no FDE covers it / it is a function, or something leads there\n"
#define CALL(who)                                                                                  \
	"	push rax\n	.cfi_def_cfa_offset 16\n	call " who "@PLT\n	pop "           \
	"rcx\n	.cfi_def_cfa_offset 8\n"
#define FRAMED(then)                                                                               \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n	.cfi_def_cfa_register rbp\n"                                                        \
	"	lea rdx, 5f[rip]\n" then                                                           \
	"	pop rbp\n	.cfi_def_cfa rsp, 8\n	ret\n	.cfi_endproc\n	.balign 16\n5:	"                    \
	"push rbx\n	pop "                                                                          \
	"rbx\n	ret\n	.balign 16\nk:	.cfi_startproc\n	ret\n"
#define HANDED "SP006 32..35 no FDE covers it / it is a function, or something leads there\n"
#define HANDS(reg, callee)                                                                         \
	"	lea " reg                                                                          \
	", 5f[rip]\n	push rcx\n	.cfi_def_cfa_offset 16\n	call 6f\n	pop rcx\n"                      \
	"	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n	.balign 16\n6:	"                            \
	".cfi_startproc\n" callee                                                                  \
	"	ret\n	.cfi_endproc\n	.balign 16\n5:	push rbx\n	pop "                                     \
	"rbx\n	ret\n	.balign 16\nk:	.cfi_startproc\n	ret\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "it is copied", MAKES("rsi", "	mov ecx, 3\n	rep movsb\n"), "5 of 5, 2 proven" },
	{ "by words", MAKES("rsi", "	rep movsq\n"), "4 of 4, 2 proven" },
	{ "it is compared", MAKES("rsi", "	repe cmpsb\n"), "4 of 4, 2 proven" },
	{ "written over: nobody has it any more", MAKES("rdi", "	rep movsb\n"), "4 of 4, 2 proven" },
	{ "it is read from", MAKES("rdx", "	mov eax, [rdx+rdi*4]\n"), "4 of 4, 2 proven" },
	{ "by another register", MAKES("rdx", "	mov rax, rdx\n	xor edx, edx\n	movdqu xmm0, [rax]\n"), "6 of 6, 2 proven" },
	{ "as an index", MAKES("rdx", "	mov eax, [rdi+rdx]\n"), "4 of 4, 2 proven" },
	{ "an address that is counted from it", MAKES("rdx", "	lea rax, [rdx+1]\n"), TOLD "4 of 4, 2 proven" },
	{ "another register is read by", MAKES("rdx", "	mov eax, [rdi]\n"), TOLD "4 of 4, 2 proven" },
	{ "the register has another value then", MAKES("rdx", "	mov rdx, rdi\n	mov eax, [rdx]\n"), "5 of 5, 2 proven" },
	{ "it is stored, and read from", MAKES("rdx", "	mov [rdi], rdx\n	mov eax, [rdx]\n"), TOLD "5 of 5, 2 proven" },
	{ "it is read from on one of two ways", MAKES("rdx", "	test edi, edi\n	je 1f\n	mov eax, [rdx]\n1:"), "6 of 6, 2 proven" },
	{ "on the other, too", MAKES("rdx", "	test edi, edi\n	je 1f\n	ret\n1:	mov eax, [rdx]\n"), "7 of 7, 2 proven" },
	{ "who returns may give it to his caller", MAKES("rdx", "	test edi, edi\n	je 1f\n	xor edx, edx\n1:"), TOLD "6 of 6, 2 proven" },
	{ "a word of the frame keeps it", FRAMED("	mov [rbp-8], rdx\n	jmp 2f\n1:	mov rax, [rbp-8]\n	add rax, rdi\n	movzx eax, byte ptr [rax]\n2:	cmp edi, esi\n	jl 1b\n"), "13 of 13, 2 proven" },
	{ "another word does", FRAMED("	mov [rbp-8], rdx\n	mov rax, [rbp-16]\n	mov eax, [rax]\n"), HANDED "9 of 9, 2 proven" },
	{ "who is called with it reads", HANDS("rsi", "	test edx, edx\n	je 1f\n	movzx eax, byte ptr [rsi]\n1:"), "10 of 10, 3 proven" },
	{ "he reads by another argument", HANDS("rsi", "	movzx eax, byte ptr [rdi]\n"), HANDED "8 of 8, 3 proven" },
	{ "he calls it", HANDS("rsi", "	jmp rsi\n"), HANDED "7 of 8, 2 proven, 1 unproven jump_unknown" },
	{ "what is no argument he does not get", HANDS("rax", ""), "7 of 7, 3 proven" },
	{ "a function copies it", MAKES("rsi", CALL("memcpy")), "6 of 6, 2 proven" },
	{ "another function is given it", MAKES("rsi", CALL("h")), TOLD "6 of 6, 2 proven" },
	{ "it is copied to", MAKES("rdi", CALL("memcpy")), TOLD "6 of 6, 2 proven" },
	{ "one reads, and another keeps it", MAKES("rdx", "	mov eax, [rdx]\n	lea rdx, 5f[rip]\n"),
	  "SP006 32..35 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 proven" },
};
/* clang-format on */

#define LINT_SUITE "lint_copied"
#include "lint_cases_main.h"
