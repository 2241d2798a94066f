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

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "it is copied", MAKES("rsi", "	mov ecx, 3\n	rep movsb\n"), "5 of 5, 2 proven" },
	{ "by words", MAKES("rsi", "	rep movsq\n"), "4 of 4, 2 proven" },
	{ "it is compared", MAKES("rsi", "	repe cmpsb\n"), "4 of 4, 2 proven" },
	{ "written over: nobody has it any more", MAKES("rdi", "	rep movsb\n"), TOLD "4 of 4, 2 proven" },
	{ "it is read from", MAKES("rdx", "	mov eax, [rdx+rdi*4]\n"), "4 of 4, 2 proven" },
	{ "by another register", MAKES("rdx", "	mov rax, rdx\n	xor edx, edx\n	movdqu xmm0, [rax]\n"), "6 of 6, 2 proven" },
	{ "as an index", MAKES("rdx", "	mov eax, [rdi+rdx]\n"), "4 of 4, 2 proven" },
	{ "an address that is counted from it", MAKES("rdx", "	lea rax, [rdx+1]\n"), TOLD "4 of 4, 2 proven" },
	{ "another register is read by", MAKES("rdx", "	mov eax, [rdi]\n"), TOLD "4 of 4, 2 proven" },
	{ "the register has another value then", MAKES("rdx", "	mov rdx, rdi\n	mov eax, [rdx]\n"), TOLD "5 of 5, 2 proven" },
	{ "it is stored, and read from", MAKES("rdx", "	mov [rdi], rdx\n	mov eax, [rdx]\n"), TOLD "5 of 5, 2 proven" },
	{ "who goes elsewhere may have it", MAKES("rdx", "	test edi, edi\n	je 1f\n	mov eax, [rdx]\n1:"), TOLD "6 of 6, 2 proven" },
	{ "a function copies it", MAKES("rsi", CALL("memcpy")), "6 of 6, 2 proven" },
	{ "another function is given it", MAKES("rsi", CALL("h")), TOLD "6 of 6, 2 proven" },
	{ "it is copied to", MAKES("rdi", CALL("memcpy")), TOLD "6 of 6, 2 proven" },
	{ "one reads, and another keeps it", MAKES("rdx", "	mov eax, [rdx]\n	lea rdx, 5f[rip]\n"),
	  "SP006 32..35 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 proven" },
};
/* clang-format on */

#define LINT_SUITE "lint_copied"
#include "lint_cases_main.h"
