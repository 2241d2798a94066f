/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_end.c - whether there is a caller, and where the return address is
 *
 * Cases of lint_fixture.h. f calls what the case is about, which stands behind it, or doesn't. What never returns
 * and says that nobody called it is right where that is so: the code doesn't show it, but who calls it does.
 */
#include "lint_fixture.h"

#define START	 "startproc; "
#define END	 "endproc; "
#define ROOM	 "sub rsp, 8; cfa 16; "
#define CALLS(f) ROOM "call " f "; add rsp, 8; cfa 8; ret; " END
/* Of three instructions; the return address is in its word. */
#define NEVER START "undefined rip; nop; xor eax, eax; hlt; "
#define WRONG "SP002 14..18 ra=undefined / there is the return address\n"
/* The second of two functions has that rule from its begin on. */
#define RULE(rule) CALLS("9f") "9: " START rule "xor eax, eax; ret; "
#define ABOVE(ra)  "SP002 14..17 ra=" ra " / it is at c-8\n4 of 6, 1 mismatch, 1 proven"

#define GAP(end) "SP006 5.." #end " no FDE covers it / it is a function, or something leads there\n"
#define CLONE	 "syscall; test rax, rax; "
#define THREAD	 START "undefined rip; xor ebp, ebp; pop rax; call rax; hlt; "

static const struct lint_case lint_cases[] = {
	/* Who says that he has no caller. */
	{ "nobody knows whether one has a caller that nothing was seen to call", LEAF END NEVER,
	  "1 of 4, 1 proven, 1 unproven rule_unknown" },
	{ "who is called has one", CALLS("9f") "9: " NEVER, WRONG "4 of 7, 1 mismatch, 1 proven" },
	{ "though his first row says that there is a frame",
	  CALLS("9f") "9: " START "undefined rip; cfa 16; cld; cfa 8; xor eax, eax; hlt",
	  WRONG "4 of 7, 1 mismatch, 1 proven" },
	{ "by a function that comes later, too",
	  LEAF END "9: " NEVER END START CALLS("9b") START LEAF,
	  "SP002 1..5 ra=undefined / there is the return address\n6 of 9, 1 mismatch, 3 proven" },
	{ "unless something keeps his address: a thread may begin there",
	  CALLS("9f") "9: " NEVER ".data; .quad 9b; .text",
	  "4 of 7, 1 proven, 1 unproven rule_unknown" },
	{ "or an instruction makes it", CALLS("9f") START "lea rax, 9f[rip]; ret; " END "9: " NEVER,
	  "6 of 9, 2 proven, 1 unproven rule_unknown" },
	{ "if only to read what is there",
	  CALLS("9f") START "lea rax, 9f[rip]; mov eax, [rax]; ret; " END "9: " NEVER,
	  "7 of 10, 2 proven, 1 unproven rule_unknown" },
	{ "or somebody jumps there", CALLS("9f") START "jmp 9f; " END "9: " NEVER,
	  "5 of 8, 2 proven, 1 unproven rule_unknown" },
	{ "once the return address is overwritten, nobody knows",
	  CALLS("9f") "9: " START "undefined rip; mov qword ptr [rsp], 0; nop; hlt",
	  "SP002 14..22 ra=undefined / there is the return address\n4 of 7, 1 mismatch, 1 proven" },
	{ "or once rsp is another's",
	  CALLS("9f") "9: " START "undefined rip; mov rsp, rdi; nop; hlt",
	  "SP002 14..17 ra=undefined / there is the return address\n4 of 7, 1 mismatch, 1 proven" },
	{ "who returns had one, by whom ever he is entered",
	  CALLS("9f") "9: " START "undefined rip; nop; ret; .data; .quad 9b; .text",
	  "SP002 14..16 ra=undefined / there is the return address\n4 of 6, 1 mismatch, 1 proven" },
	{ "where an object's process will begin there is none", LEAF END "_start: " NEVER,
	  "4 of 4, 2 proven" },
	{ "of any other function nobody knows", LEAF END "_start: " NEVER END NEVER,
	  "4 of 7, 2 proven, 1 unproven rule_unknown" },
	/* As glibc's clone has it. */
	{ "a new thread has none", "mov eax, 56; " END CLONE "je 9f; ret; 9: " THREAD,
	  GAP(13) "5 of 5, 2 proven" },
	{ "whatever other comparison comes first",
	  "mov eax, 56; " END CLONE "jl 8f; je 9f; ret; 9: " THREAD "8: " END START LEAF,
	  GAP(15) "6 of 6, 3 proven" },
	{ "the parent has one", "mov eax, 56; " END CLONE "jne 9f; ret; 9: " THREAD,
	  GAP(13) "1 of 5, 1 proven, 1 unproven rule_unknown" },
	{ "a process, too", "mov eax, 57; " END CLONE "je 9f; ret; 9: " THREAD,
	  GAP(13) "1 of 5, 1 proven, 1 unproven rule_unknown" },
	{ "nobody knows, if nothing was seen to lead there",
	  "mov eax, 56; " END CLONE "ret; 9: " THREAD,
	  GAP(11) "1 of 5, 1 proven, 1 unproven rule_unknown" },
	{ "or if the call is too far away",
	  "mov eax, 56; " END ".fill 300, 1, 0x90; " CLONE "je 9f; ret; 9: " THREAD,
	  "1 of 5, 1 proven, 1 unproven rule_unknown" },
	/* Where the return address is. */
	{ "behind the words of its frame", RULE("offset rip, 8; "), ABOVE("c+8") },
	{ "in its caller's", RULE("offset rip, 80; "), ABOVE("c+80") },
	{ "as it is", RULE("same_value rip; "), ABOVE("same") },
	{ "in rip", RULE("register rip, rip; "), ABOVE("rip") },
	{ "an address of the stack", RULE("val_offset rip, -16; "), ABOVE("v-16") },
	{ "below rsp", RULE("offset rip, -16; "),
	  "SP002 14..17 ra=c-16 / nothing was written there\n4 of 6, 1 mismatch, 1 proven" },
	{ "later: behind what was pushed",
	  "push rax; cfa 16; offset rip, 8; nop; pop rax; cfa 8; offset rip, -8; ret",
	  "SP002 1..3 ra=c+8 / it is at c-8\n2 of 4, 1 mismatch" },
	{ "moved up there: nobody is accused",
	  "pop rax; cfa 0; register rip, rax; mov [rsp+8], rax; offset rip, 8; nop; add rsp, 8; "
	  "cfa -8; ret",
	  "0 of 5, 1 unproven no_entry" },
	{ "who returns home was called, though nobody was seen to call it",
	  LEAF END START "offset rip, 8; nop; ret",
	  "SP002 1..3 ra=c+8 / it is at c-8\n1 of 3, 1 mismatch, 1 proven" },
	{ "who doesn't return may have been entered in another way",
	  LEAF END START "offset rip, 8; xor eax, eax; hlt",
	  "1 of 2, 1 proven, 1 unproven no_entry" },
	{ "unless he is called by one that is followed later",
	  LEAF END "9: " START "offset rip, 8; nop; call 7f; hlt; " END "8: " START
		   "offset rip, 8; call 9b; hlt; " END "7: " START
		   "offset rip, 8; push rax; cfa 16; call 8b; pop rax; cfa 8; ret",
	  "SP002 14..20 ra=c+8 / it is at c-8\nSP002 1..7 ra=c+8 / it is at c-8\n"
	  "SP002 8..13 ra=c+8 / it is at c-8\n1 of 8, 3 mismatch, 1 proven" },
};

#define LINT_SUITE lint_end
#include "lint_cases_main.h"
