/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_clobbers.c - callees that don't preserve what the psABI says
 *
 * Cases of lint_fixture.h. f calls what overwrites a register, or brings it back.
 */
#include "lint_fixture.h"

#define START "	.cfi_startproc\n"
#define END   "	.cfi_endproc\n"
#define OTHER END "9:" START
#define FRAME "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n"
#define GONE  "	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n"
#define CALLS FRAME "	call 9f\n	inc eax\n" GONE
#define SAVED "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
#define BACK  "	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	ret\n"
#define LOST  "	.cfi_undefined rbx\n"
#define ZERO  "	xor ebx, ebx\n" LOST "	ret\n"
#define JUMPS(count)                                                                               \
	"	.rept " count "\n9:" START "	inc ecx\n	jmp 9f\n" END "	.endr\n"
#define CALLER "2 of 7, 1 proven, 1 unproven value_unknown"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "behind one that overwrites a register it is not known",
	  CALLS OTHER ZERO, "4 of 7, 1 proven, 1 unproven value_unknown" },
	{ "who comes first in the file is told, too",
	  "	jmp 8f\n" OTHER ZERO END "8:" START FRAME "	call 9b\n	inc eax\n" GONE, "5 of 8, 2 proven, 1 unproven value_unknown" },
	{ "one that leaves it alone preserves it", CALLS OTHER "	xor ecx, ecx\n	ret\n", "7 of 7, 2 proven" },
	{ "or saves it", CALLS OTHER SAVED "	xor ebx, ebx\n	pop rbx\n" BACK, "9 of 9, 2 proven" },
	{ "who has saved it before has it saved",
	  SAVED "	call 9f\n	inc eax\n	pop rbx\n" BACK OTHER ZERO, "7 of 7, 2 proven" },
	{ "a frame that a callee takes away",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, rsp\n	.cfi_def_cfa_register rbp\n"
	  "	call 9f\n	nop\n	mov rbp, [rsp]\n	.cfi_def_cfa rsp, 16\n	pop rbp\n	.cfi_restore rbp\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n" OTHER "	xor ebp, ebp\n	.cfi_undefined rbp\n	ret\n",
	  "7 of 9, 1 proven, 1 unproven value_unknown" },
	{ "one that a callee sets up",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	call 9f\n	.cfi_def_cfa_register rbp\n"
	  "	sub rsp, 32\n	leave\n	.cfi_restore rbp\n	.cfi_def_cfa rsp, 8\n	ret\n"
	  OTHER "	lea rbp, [rsp+8]\n	.cfi_undefined rbp\n	ret\n", "4 of 7, 1 proven, 1 unproven value_unknown" },
	{ "a register that a callee brings back",
	  SAVED "	xor ebx, ebx\n	call 9f\n	.cfi_restore rbx\n	inc eax\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n"
	  OTHER "	mov rbx, [rsp+8]\n	ret\n", "4 of 8, 2 unproven value_unknown" },
	{ "on one way of two is enough",
	  CALLS OTHER "	test edi, edi\n	je 1f\n	mov rbx, rdi\n" LOST "	ret\n1:	.cfi_same_value rbx\n	ret\n", "7 of 10, 1 proven, 1 unproven value_unknown" },
	{ "also where it is not told from the other",
	  CALLS OTHER "	test edi, edi\n	je 1f\n	mov rbx, rdi\n1:	ret\n", "5 of 9, 2 unproven value_unknown" },
	{ "by another's value", CALLS OTHER "	mov rbx, r12\n" LOST "	ret\n", "4 of 7, 1 proven, 1 unproven value_unknown" },
	{ "or its own, and more", CALLS OTHER "	add rbx, 8\n" LOST "	ret\n", "4 of 7, 1 proven, 1 unproven value_unknown" },
	{ "one that writes a fragment may write what was there",
	  CALLS OTHER SAVED "	xor ebx, ebx\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
	  "	mov bl, 5\n	ret\n", "SP004 22..23 rbx=none / it is another value\n9 of 10, 1 mismatch, 1 proven" },
	{ "not by a jump table's entry that may be none",
	  CALLS OTHER "	mov eax, [rsi]\n	lea rdx, 7f[rip]\n	movsxd rax, dword ptr [rdx+rax*4]\n	add rax, rdx\n	jmp rax\n"
	  "1:	ret\n2:	mov ebx, 5\n	ret\n"
	  END "	.section .rodata\n	.balign 4\n7:	.long 1b-7b, 2b-7b\n	.text\n8:" START "	ret\n", "13 of 14, 2 proven, 1 unproven not_kept" },
	{ "nor where a jump may lead anywhere",
	  CALLS OTHER "	push rax\n	.cfi_def_cfa_offset 16\n	test edi, edi\n	je 1f\n	jmp [rsi]\n	xor ebx, [rdi]\n1:	pop rcx\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n", "9 of 12, 1 proven, 1 unproven jump_unknown" },
	{ "of one that is jumped to when a frame is gone",
	  CALLS OTHER "	push rax\n	.cfi_def_cfa_offset 16\n	pop rax\n	.cfi_def_cfa_offset 8\n	jmp 8f\n" END "8:" START ZERO, "7 of 10, 2 proven, 1 unproven value_unknown" },
	{ "nor where some entry may be none, and others go on there",
	  CALLS OTHER "	test edi, edi\n	je 1f\n	mov eax, [rsi]\n	lea rdx, 7f[rip]\n	movsxd rax, dword ptr [rdx+rax*4]\n"
	  "	add rax, rdx\n	jmp rax\n2:	xor ebx, [rdi]\n1:	ret\n"
	  END "	.section .rodata\n	.balign 4\n7:	.long 1b-7b, 2b-7b\n	.text\n8:" START "	ret\n", "14 of 15, 2 proven, 1 unproven value_unknown" },
	{ "of one that is jumped to",
	  CALLS OTHER "	inc ecx\n	jmp 8f\n" END "8:" START ZERO, "6 of 9, 2 proven, 1 unproven value_unknown" },
	{ "with an address of its own at hand",
	  CALLS OTHER "	push rax\n	.cfi_def_cfa_offset 16\n	pop rax\n	.cfi_def_cfa_offset 8\n	lea rcx, 9b[rip]\n	jmp 8f\n" END "8:" START ZERO, "8 of 11, 2 proven, 1 unproven value_unknown" },
	{ "by a branch alone",
	  FRAME "	call 8f\n	inc eax\n" GONE END "8:" START "	test edi, edi\n	js 9f\n	ret\n" OTHER ZERO,
	  "7 of 10, 2 proven, 1 unproven value_unknown" },
	{ "that is far",
	  FRAME "	call 8f\n	inc eax\n" GONE END "8:" START "	test edi, edi\n	js 9f\n	ret\n" END "	.fill 300, 1, 0x90\n"
	  START "	ret\n" OTHER ZERO, "8 of 11, 3 proven, 1 unproven value_unknown" },
	{ "or a jump that is far",
	  FRAME "	call 8f\n	inc eax\n" GONE END "8:" START "	inc eax\n	jmp 9f\n" END "	.fill 300, 1, 0x90\n"
	  START "	ret\n" OTHER ZERO, "7 of 10, 3 proven, 1 unproven value_unknown" },
	{ "or back",
	  "	jmp 7f\n" OTHER ZERO END "8:" START "	inc eax\n	jmp 9b\n" END "7:" START FRAME "	call 8b\n	inc eax\n" GONE,
	  "7 of 10, 3 proven, 1 unproven value_unknown" },
	{ "through four functions",
	  CALLS OTHER "	jmp 8f\n" END "8:" START FRAME "	call 7f\n" LOST GONE END "7:" START "	inc ecx\n	jmp 6f\n"
	  END "6:" START ZERO, "11 of 14, 4 proven, 1 unproven value_unknown" },
	{ "through seven that jump on", CALLS END JUMPS("7") "9:" START ZERO, "18 of 21, 8 proven, 1 unproven value_unknown" },
	{ "not through more: who calls those believes the psABI", CALLS END JUMPS("8") "9:" START ZERO, "23 of 23, 10 proven" },
	{ "of one that is called, and does not save it itself",
	  CALLS OTHER FRAME "	call 8f\n" LOST GONE END "8:" START ZERO, "8 of 11, 2 proven, 1 unproven value_unknown" },
	{ "of one that saves it behind the jump",
	  CALLS OTHER SAVED "	xor ebx, ebx\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	jmp 8f\n"
	  END "8:" START "	ret\n", "10 of 10, 3 proven" },
	{ "of one that does so itself, too",
	  FRAME "	call 9f\n" LOST "	inc eax\n" GONE OTHER "	test edi, edi\n	je 8f\n" ZERO END "8:" START
	  "	xor r12d, r12d\n	.cfi_undefined r12\n	ret\n", "8 of 11, 2 proven, 1 unproven value_unknown" },
	{ "one that puts it in a vector register brings it back",
	  CALLS OTHER "	movq xmm0, rbx\n	.cfi_register rbx, xmm0\n	xor ebx, ebx\n	movq rbx, xmm0\n	.cfi_restore rbx\n	ret\n", "6 of 9, 1 proven, 1 unproven rule_unknown" },
	{ "a callee elsewhere is believed", FRAME "	call g@PLT\n	inc eax\n" GONE, "5 of 5, 1 proven" },
	{ "so is one that puts the register aside where nobody follows it",
	  CALLS OTHER "	mov [rdi], rbx\n	mov ebx, 5\n	mov rbx, [rdi]\n	ret\n", "7 of 9, 1 proven, 1 unproven not_kept" },
	{ "or says so",
	  CALLS OTHER "	.cfi_register rbx, r11\n	mov rbx, [rdi]\n	ret\n", "SP003 16..20 rbx=r11 / there is the caller's r11\n2 of 7, 1 mismatch, 1 unproven value_unknown" },
	{ "a call before the return is no excuse",
	  CALLS OTHER "	mov ebx, 5\n	call g@PLT\n	ret\n", "3 of 8, 1 unproven value_unknown, 1 unproven not_kept" },
	{ "or goes to another stack", CALLS OTHER "	mov rsp, rdi\n	pop rbx\n	ret\n", "6 of 8, 1 proven, 1 unproven value_unknown" },
	{ "a computed call is believed", FRAME "	call [rdi]\n	inc eax\n" GONE OTHER ZERO, "7 of 7, 2 proven" },
	{ "nor is anybody told of one that nobody calls",
	  FRAME "	inc eax\n" GONE OTHER ZERO, "6 of 6, 2 proven" },
};
/* clang-format on */

#define LINT_SUITE lint_clobbers
#include "lint_cases_main.h"
