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
#define HANDED		   "SP006 32..35 no FDE covers it / it is a function, or something leads there\n"
#define FAR		   "SP006 48..51 no FDE covers it / it is a function, or something leads there\n"
#define HANDS(reg, callee) HANDS_TO("6f", reg, callee)
#define HANDS_TO(to, reg, callee)                                                                  \
	"	lea " reg ", 5f[rip]\n	push rcx\n	.cfi_def_cfa_offset 16\n	call " to  \
	"\n	pop rcx\n"                                                                             \
	"	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n	.balign 16\n6:	"                            \
	".cfi_startproc\n" callee                                                                  \
	"	ret\n	.cfi_endproc\n	.balign 16\n5:	push rbx\n	pop "                                     \
	"rbx\n	ret\n	.balign 16\nk:	.cfi_startproc\n	ret\n"

/* By one register it is read, another has it still. */
#define STRING(instruction) MAKES("rsi", "	mov rdx, rsi\n	" instruction "\n")
/* A function behind all, at 6. */
#define ANOTHER(code) "	.cfi_endproc\n6:	.cfi_startproc\n" code "	ret\n"
#define SLOT	      "	mov [rbp-8], rdx\n	xor edx, edx\n"
#define MEMCPY	      "	.type memcpy, @function\nmemcpy:	nop\n	nop\n"

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
	{ "bytes are read by a prefix and without", STRING("lodsb"), "5 of 5, 2 proven" },
	{ "words of two bytes", STRING("rep movsw"), "5 of 5, 2 proven" },
	{ "of four", STRING("lodsd"), "5 of 5, 2 proven" },
	{ "of eight", STRING("lodsq"), "5 of 5, 2 proven" },
	{ "they are compared up to where they are the same", STRING("repne cmpsw"), "5 of 5, 2 proven" },
	{ "as wholes", STRING("repe cmpsq"), "5 of 5, 2 proven" },
	{ "moved by a prefix that says nothing", STRING(".byte 0xf2, 0xa4"), "5 of 5, 2 proven" },
	{ "words of eight are moved", STRING("movsq"), "5 of 5, 2 proven" },
	{ "words of four", STRING("rep movsd"), "5 of 5, 2 proven" },
	{ "compared without a prefix", STRING("cmpsb"), "5 of 5, 2 proven" },
	{ "what another register leads to is moved", MAKES("rdx", "	movsb\n"), TOLD "4 of 4, 2 proven" },
	{ "who is jumped to reads by what is no argument", MAKES("rsi", "	mov r10, rsi\n	jmp 6f\n") ANOTHER("	mov eax, [r10]\n"), TOLD "7 of 7, 3 proven" },
	{ "moved without a prefix", STRING("movsb"), "5 of 5, 2 proven" },
	{ "what is filled is not read", MAKES("rdi", "	mov rdx, rdi\n	rep stosb\n"), TOLD "5 of 5, 2 proven" },
	{ "nor what is written to", MAKES("rdx", "	mov [rdx], edi\n"), TOLD "4 of 4, 2 proven" },
	{ "nor what its address alone is made of", MAKES("rdx", "	lea rdx, [rdx+rdi]\n"), TOLD "4 of 4, 2 proven" },
	{ "who is called by a word there", MAKES("rdx", "	call [rdx]\n"), TOLD "4 of 4, 2 proven" },
	{ "who is called by it", MAKES("rdx", "	call rdx\n"), TOLD "4 of 4, 2 proven" },
	{ "the system is given it", MAKES("rsi", "	mov eax, 1\n	syscall\n	xor esi, esi\n"), HANDED "6 of 6, 2 proven" },
	{ "what is none of its arguments is not", MAKES("rbp", "	syscall\n	xor ebp, ebp\n"), "2 of 5, 1 proven, 1 unproven not_kept" },
	{ "a word on the stack has it", MAKES("rdx", "	push rdx\n	.cfi_def_cfa_offset 16\n	xor edx, edx\n	pop rcx\n	.cfi_def_cfa_offset 8\n"), TOLD "6 of 6, 2 proven" },
	{ "another word there does not", MAKES("rdx", "	push rcx\n	.cfi_def_cfa_offset 16\n	xor edx, edx\n	pop rcx\n	.cfi_def_cfa_offset 8\n"), "6 of 6, 2 proven" },
	{ "a word of somebody else", MAKES("rdx", "	mov [rdi], rdx\n	xor edx, edx\n"), TOLD "5 of 5, 2 proven" },
	{ "a word by rsp", MAKES("rdx", "	mov [rsp-8], rdx\n	xor edx, edx\n"), TOLD "5 of 5, 2 proven" },
	{ "a number that is stored is none", MAKES("rdx", "	mov [rdi], rcx\n	xor edx, edx\n"), "5 of 5, 2 proven" },
	{ "another register has it, and gives it", MAKES("rdx", "	mov rax, rdx\n	xor edx, edx\n	mov [rdi], rax\n	xor eax, eax\n"), HANDED "7 of 7, 2 proven" },
	{ "a number is added", MAKES("rdx", "	add rdx, 4\n	mov [rdi], rdx\n	xor edx, edx\n"), HANDED "6 of 6, 2 proven" },
	{ "or a register", MAKES("rdx", "	add rdx, rdi\n	mov [rdi], rdx\n	xor edx, edx\n"), TOLD "6 of 6, 2 proven" },
	{ "it is added to one", MAKES("rdx", "	add rax, rdx\n	xor edx, edx\n	mov [rdi], rax\n	xor eax, eax\n"), HANDED "7 of 7, 2 proven" },
	{ "what is counted from it is given", MAKES("rdx", "	lea rax, [rdx+4]\n	xor edx, edx\n	mov [rdi], rax\n	xor eax, eax\n"), HANDED "7 of 7, 2 proven" },
	{ "by an index, too", MAKES("rdx", "	lea rax, [rdi+rdx]\n	xor edx, edx\n	mov [rdi], rax\n	xor eax, eax\n"), HANDED "7 of 7, 2 proven" },
	{ "what is made of others is none", MAKES("rdx", "	lea rax, [rdi+rcx]\n	mov rcx, rdi\n	xor edx, edx\n	mov [rdi], rax\n	mov [rdi], rcx\n"), "8 of 8, 2 proven" },
	{ "nobody goes on: nobody has it", MAKES("rdx", "	test edi, edi\n	je 1f\n	hlt\n1:	xor edx, edx\n"), "7 of 7, 2 proven" },
	{ "it goes round for ever with it", MAKES("rdx", "1:	pause\n	jmp 1b\n"), TOLD "5 of 5, 2 proven" },
	{ "its branch leads to another function", MAKES("rdx", "	je 6f\n	xor edx, edx\n") ANOTHER(""), TOLD "6 of 6, 3 proven" },
	{ "it is read by who is jumped to with it", MAKES("rsi", "	jmp 6f\n") ANOTHER("	lodsb\n"), "6 of 6, 3 proven" },
	{ "who has it behind that", MAKES("rsi", "	jmp 6f\n") ANOTHER(""), TOLD "5 of 5, 3 proven" },
	{ "he copies it", MAKES("rsi", "	jmp memcpy@PLT\n"), "4 of 4, 2 proven" },
	{ "he has it in another argument", MAKES("rdx", "	jmp memcpy@PLT\n"), TOLD "4 of 4, 2 proven" },
	{ "copied by a function of its own", HANDS_TO("memcpy", "rsi", MEMCPY), "9 of 9, 3 proven" },
	{ "into whose middle a call leads", HANDS_TO("memcpy+1", "rsi", MEMCPY), HANDED "9 of 9, 3 proven" },
	{ "who is called in his middle is not followed", HANDS_TO("6f+1", "rsi", "	nop\n	lodsb\n"), HANDED "9 of 9, 3 proven" },
	{ "by three who call each other", HANDS("rsi", "	jmp 6f\n") ANOTHER("	jmp 7f\n	.cfi_endproc\n7:	.cfi_startproc\n	lodsb\n"), HANDED "11 of 11, 5 proven" },
	{ "by two", HANDS("rsi", "	jmp 6f\n") ANOTHER("	lodsb\n"), "10 of 10, 4 proven" },
	{ "he calls himself", HANDS("rsi", "	jmp 6b\n"), HANDED "8 of 8, 3 proven" },
	{ "what callees preserve has it behind a call", MAKES("rax", "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov rbx, rax\n	call h@PLT\n	mov [rax], rbx\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"), HANDED "8 of 8, 2 proven" },
	{ "what they do not has another", MAKES("r10", CALL("h") "	mov [rcx], r10\n"), "7 of 7, 2 proven" },
	{ "a word that is counted by an index is nobody's", FRAMED("	mov [rbp+rdi*8-8], rdx\n	xor edx, edx\n	mov rax, [rbp-8]\n	mov eax, [rax]\n"), HANDED "10 of 10, 2 proven" },
	{ "nor is one that is read so", FRAMED(SLOT "	mov rax, [rbp+rdi*8-8]\n	mov eax, [rax]\n"), HANDED "10 of 10, 2 proven" },
	{ "of another base", FRAMED(SLOT "	mov rax, [rdi-8]\n	mov eax, [rax]\n"), HANDED "10 of 10, 2 proven" },
	{ "the word is read, and what is there is not", FRAMED(SLOT "	mov rax, [rbp-8]\n"), HANDED "9 of 9, 2 proven" },
	{ "the last of four words", FRAMED("	mov [rbp-8], rdx\n	mov [rbp-16], rdx\n	mov [rbp-24], rdx\n	mov [rbp-32], rdx\n	xor edx, edx\n	mov rax, [rbp-32]\n	mov eax, [rax]\n"), "13 of 13, 2 proven" },
	{ "more are not known", FRAMED("	mov [rbp-8], rdx\n	mov [rbp-16], rdx\n	mov [rbp-24], rdx\n	mov [rbp-32], rdx\n	mov [rbp-40], rdx\n	xor edx, edx\n	mov rax, [rbp-40]\n	mov eax, [rax]\n"), FAR "14 of 14, 2 proven" },
	{ "a word of who is called is another", FRAMED("	mov [rbp-8], rdx\n	call 6f\n") ANOTHER("	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, rsp\n	.cfi_def_cfa_register rbp\n	mov rax, [rbp-8]\n	mov eax, [rax]\n	leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n"), HANDED "14 of 14, 3 proven" },
	{ "a function copies it", MAKES("rsi", CALL("memcpy")), "6 of 6, 2 proven" },
	{ "another function is given it", MAKES("rsi", CALL("h")), TOLD "6 of 6, 2 proven" },
	{ "it is copied to", MAKES("rdi", CALL("memcpy")), TOLD "6 of 6, 2 proven" },
	{ "one reads, and another keeps it", MAKES("rdx", "	mov eax, [rdx]\n	lea rdx, 5f[rip]\n"),
	  "SP006 32..35 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 proven" },
};
/* clang-format on */

#define LINT_SUITE lint_copied
#include "lint_cases_main.h"
