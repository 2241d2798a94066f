/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_unruled.c - functions that preserve no register: OCaml's jumps and its exceptions' handlers
 *
 * Cases of lint_fixture.h. f is a function of another language; behind it is OCaml's.
 */
#include "lint_fixture.h"

#define OCAML                                                                                      \
	"	ret\n	.cfi_endproc\ncamlM__code_begin:\n	.type camlM__g_12, @function\n"                 \
	"camlM__g_12:	.cfi_startproc\n"
#define FRAME	   "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n"
#define NO_FRAME   "	add rsp, 8\n	.cfi_def_cfa_offset 8\n"
#define FRAME_HERE "	.cfi_def_cfa_offset 16\n"
/* What sets up a handler at 9, with this in place of the words in brackets. */
#define PUSH_BOTH(reg, old)                                                                        \
	"	push " reg "\n	.cfi_def_cfa_offset 24\n	push qword ptr [" old "]\n"        \
	"	.cfi_def_cfa_offset 32\n"
#define REMEMBER(new)	    "	mov [" new "], rsp\n"
#define TRAP(reg, old, new) "	lea r11, 9f[rip]\n" PUSH_BOTH(reg, old) REMEMBER(new)
#define USUAL		    TRAP("r11", "r14+16", "r14+16")
#define UNTRAP                                                                                     \
	"	call h@PLT\n	pop qword ptr [r14+16]\n	.cfi_def_cfa_offset 24\n	"                         \
	"add rsp, 8\n"                                                                             \
	"	.cfi_def_cfa_offset 16\n" NO_FRAME "	ret\n" FRAME_HERE

static const struct lint_case lint_cases[] = {
	{ "a jump by a closure's word, with the frame taken down, leaves the function",
	  OCAML FRAME "	mov rbx, [rax]\n	mov rdi, [rbx]\n" NO_FRAME
		      "	jmp rdi\n" FRAME_HERE "1:	jmp 1b\n",
	  "6 of 7, 1 proven, 1 unproven jump_unknown" },
	{ "what lies behind is not where it leads to, since others do",
	  OCAML FRAME "	mov rbx, [rax]\n	test rbx, rbx\n	je 1f\n	mov rdi, [rbx]\n" NO_FRAME
		      "	jmp rdi\n" FRAME_HERE "1:	call h@PLT\n" NO_FRAME "	ret\n",
	  "11 of 11, 2 proven" },
	{ "with the frame it may lead there",
	  OCAML FRAME "	mov rbx, [rax]\n	test rbx, rbx\n	je 1f\n	jmp rbx\n"
		      "1:" NO_FRAME "	ret\n",
	  "6 of 8, 1 proven, 1 unproven jump_unknown" },
	{ "a handler has the frame that was there before",
	  OCAML FRAME USUAL UNTRAP "9:" NO_FRAME "	ret\n", "13 of 13, 2 proven" },
	{ "its row is held against that",
	  OCAML FRAME USUAL UNTRAP "9:	.cfi_def_cfa_offset 24\n	nop\n" NO_FRAME
				   "	ret\n",
	  "SP001 40..45 cfa=rsp+24 / cfa=rsp+16\n12 of 14, 1 mismatch, 1 proven" },
	{ "what catches lies before",
	  OCAML FRAME "	jmp 1f\n9:" NO_FRAME "	ret\n" FRAME_HERE
		      "1:	lea r11, 9b[rip]\n" PUSH_BOTH("r11", "r14+16")
			      REMEMBER("r14+16") "	call h@PLT\n	ud2\n",
	  "11 of 11, 2 proven" },
	{ "no register is known there",
	  OCAML FRAME "	mov rbx, rsp\n" USUAL UNTRAP "9:	mov rsp, rbx\n" NO_FRAME
		      "	ret\n",
	  "13 of 15, 1 proven, 1 unproven value_unknown" },
	{ "another register is pushed",
	  OCAML FRAME TRAP("r10", "r14+16", "r14+16") UNTRAP "9:" NO_FRAME "	ret\n",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "another word is remembered",
	  OCAML FRAME TRAP("r11", "r14+16", "r14+24") UNTRAP "9:" NO_FRAME "	ret\n",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "by another register",
	  OCAML FRAME TRAP("r11", "r14+16", "r15+16") UNTRAP "9:" NO_FRAME "	ret\n",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "nothing is pushed but the handler",
	  OCAML FRAME
	  "	lea r11, 9f[rip]\n	push r11\n	.cfi_def_cfa_offset 24\n	push rax\n"
	  "	.cfi_def_cfa_offset 32\n" REMEMBER("r14+16") UNTRAP "9:" NO_FRAME "	ret\n",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "rsp is not what is remembered",
	  OCAML FRAME "	lea r11, 9f[rip]\n" PUSH_BOTH(
		  "r11", "r14+16") "	mov [r14+16], rax\n" UNTRAP "9:" NO_FRAME "	ret\n",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "what OCaml's compiler makes for every program",
	  OCAML "	ret\n	.cfi_endproc\n	.type caml_curry2_1, @function\n"
		"caml_curry2_1:	.cfi_startproc\n" FRAME "	xor ebx, ebx\n" NO_FRAME
		"	ret\n",
	  "6 of 6, 3 proven" },
	{ "what it has no number for is in C",
	  OCAML "	ret\n	.cfi_endproc\n	.type caml_send_x, @function\n"
		"caml_send_x:	.cfi_startproc\n" FRAME "	xor ebx, ebx\n" NO_FRAME
		"	ret\n",
	  "4 of 6, 2 proven, 1 unproven not_kept" },
	{ "a function of C that does so has no handler",
	  FRAME USUAL UNTRAP "9:" NO_FRAME "	ret\n", "10 of 12, 1 unproven not_reached" },
	{ "nor has one beside OCaml's", FRAME USUAL UNTRAP "9:" NO_FRAME OCAML "	ret\n",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
};

#define LINT_SUITE lint_unruled
#include "lint_cases_main.h"
