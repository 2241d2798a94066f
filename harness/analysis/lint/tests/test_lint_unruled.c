/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_unruled.c - functions that preserve no register: OCaml's jumps and its exceptions' handlers
 *
 * Cases of lint_fixture.h. f is a function of another language; behind it is OCaml's.
 */
#include "lint_fixture.h"

#define OCAML                                                                                      \
	"ret; endproc; camlM__code_begin: .type camlM__g_12, @function; camlM__g_12: startproc; "
#define FRAME	   "sub rsp, 8; cfa 16; "
#define NO_FRAME   "add rsp, 8; cfa 8; "
#define FRAME_HERE "cfa 16; "
/* What sets up a handler at 9, with this in place of the words in brackets. */
#define PUSH_BOTH(reg, old) "push " reg "; cfa 24; push qword ptr [" old "]; cfa 32; "
#define REMEMBER(new)	    "mov [" new "], rsp; "
#define TRAP(reg, old, new) "lea r11, 9f[rip]; " PUSH_BOTH(reg, old) REMEMBER(new)
#define USUAL		    TRAP("r11", "r14+16", "r14+16")
#define UNTRAP                                                                                     \
	"call h@PLT; pop qword ptr [r14+16]; cfa 24; add rsp, 8; cfa 16; " NO_FRAME                \
	"ret; " FRAME_HERE

static const struct lint_case lint_cases[] = {
	{ "a jump by a closure's word, with the frame taken down, leaves the function",
	  OCAML FRAME "mov rbx, [rax]; mov rdi, [rbx]; " NO_FRAME "jmp rdi; " FRAME_HERE
		      "1: jmp 1b",
	  "6 of 7, 1 proven, 1 unproven jump_unknown" },
	{ "what lies behind is not where it leads to, since others do",
	  OCAML FRAME "mov rbx, [rax]; test rbx, rbx; je 1f; mov rdi, [rbx]; " NO_FRAME
		      "jmp rdi; " FRAME_HERE "1: call h@PLT; " NO_FRAME "ret",
	  "11 of 11, 2 proven" },
	{ "with the frame it may lead there",
	  OCAML FRAME "mov rbx, [rax]; test rbx, rbx; je 1f; jmp rbx; 1: " NO_FRAME "ret",
	  "6 of 8, 1 proven, 1 unproven jump_unknown" },
	{ "a handler has the frame that was there before",
	  OCAML FRAME USUAL UNTRAP "9: " NO_FRAME "ret", "13 of 13, 2 proven" },
	{ "its row is held against that",
	  OCAML FRAME USUAL UNTRAP "9: cfa 24; nop; " NO_FRAME "ret",
	  "SP001 40..45 cfa=rsp+24 / cfa=rsp+16\n12 of 14, 1 mismatch, 1 proven" },
	{ "what catches lies before",
	  OCAML FRAME "jmp 1f; 9: " NO_FRAME "ret; " FRAME_HERE "1: lea r11, 9b[rip]; " PUSH_BOTH(
		  "r11", "r14+16") REMEMBER("r14+16") "call h@PLT; ud2",
	  "11 of 11, 2 proven" },
	{ "no register is known there",
	  OCAML FRAME "mov rbx, rsp; " USUAL UNTRAP "9: mov rsp, rbx; " NO_FRAME "ret",
	  "13 of 15, 1 proven, 1 unproven value_unknown" },
	{ "another register is pushed",
	  OCAML FRAME TRAP("r10", "r14+16", "r14+16") UNTRAP "9: " NO_FRAME "ret",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "another word is remembered",
	  OCAML FRAME TRAP("r11", "r14+16", "r14+24") UNTRAP "9: " NO_FRAME "ret",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "by another register",
	  OCAML FRAME TRAP("r11", "r14+16", "r15+16") UNTRAP "9: " NO_FRAME "ret",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "nothing is pushed but the handler",
	  OCAML FRAME "lea r11, 9f[rip]; push r11; cfa 24; push rax; cfa 32; " REMEMBER("r14+16")
		  UNTRAP "9: " NO_FRAME "ret",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "rsp is not what is remembered",
	  OCAML FRAME "lea r11, 9f[rip]; " PUSH_BOTH("r11", "r14+16") "mov [r14+16], rax; " UNTRAP
								      "9: " NO_FRAME "ret",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
	{ "what OCaml's compiler makes for every program",
	  OCAML "ret; endproc; .type caml_curry2_1, @function; caml_curry2_1: startproc; " FRAME
		"xor ebx, ebx; " NO_FRAME "ret",
	  "6 of 6, 3 proven" },
	{ "what it has no number for is in C",
	  OCAML "ret; endproc; .type caml_send_x, @function; caml_send_x: startproc; " FRAME
		"xor ebx, ebx; " NO_FRAME "ret",
	  "4 of 6, 2 proven, 1 unproven not_kept" },
	{ "a function of C that does so has no handler", FRAME USUAL UNTRAP "9: " NO_FRAME "ret",
	  "10 of 12, 1 unproven not_reached" },
	{ "nor has one beside OCaml's", FRAME USUAL UNTRAP "9: " NO_FRAME OCAML "ret",
	  "11 of 13, 1 proven, 1 unproven not_reached" },
};

#define LINT_SUITE lint_unruled
#include "lint_cases_main.h"
