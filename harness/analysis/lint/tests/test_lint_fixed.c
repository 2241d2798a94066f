/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_fixed.c - code at a fixed address: who makes its address, and keeps it
 *
 * In a program any four bytes may be an address. A function without an FDE is one if an instruction makes its address,
 * whichever path, or a word keeps it; and nothing that is called inside of an FDE is accused if one may.
 */
#include "lint_program_fixture.h"

#define F	 "	.globl f\n	.type f, @function\nf:	.cfi_startproc\n"
#define END	 "	.cfi_endproc\n	.balign 16\n"
#define FUNCTION "5:	xor eax, eax\n	ret\n	.balign 16\n"
#define LAST	 "	.type k, @function\nk:	.cfi_startproc\n	ret\n	.cfi_endproc\n"
/* f, the function at 16, and another that has an FDE. */
#define MAKES(instructions) F instructions "	ret\n" END FUNCTION LAST
#define NONE		    "0 wrong, 2 proven"
#define TOLD		    "SP006 f+16\n0 wrong, 2 proven"
#define FIXED		    "-Wl,-Ttext=0x401000 "

/* f's frame is 16 bytes, and that is what its rows say of what is at 8, too. */
#define CALLS                                                                                      \
	F "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	call 1f\n"                  \
	  "	.cfi_remember_state\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore "                 \
	  "rbx\n	ret\n"                                                                            \
	  "	.cfi_restore_state\n"
#define BODY	"1:	mov eax, ebx\n	ret\n	.cfi_endproc\n"
#define ACCUSED "SP001 f+8\n1 wrong, 0 proven"
#define DOUBTED "0 wrong, 0 proven, 1 value_unknown"

/* Rows of three functions, without the assembler's care: the second is inside of the first. */
#define FDE(begin, bytes)                                                                          \
	"	.p2align 3\n	.long 8f-7f\n7:	.long 1b\n	.quad " begin ", " bytes           \
	"\n	.p2align 3\n8:\n"
#define OVERLAPPING                                                                                \
	"	.globl f\n	.type f, @function\nf:	lea rax, 5f[rip]\n	ret\n	.balign "                     \
	"16\n"                                                                                     \
	"5:	xor eax, eax\n	ret\n	.balign 16\nk:	ret\n	.section .debug_frame\n"                     \
	"1:	.long 3f-2f\n2:	.long -1\n	.byte 3, 0, 1, 0x78\n	.byte 16, 0x0c, 7, 8, "               \
	"0x90, 1\n"                                                                                \
	"	.p2align 3\n3:\n"
#define CALLS_STUB                                                                                 \
	F "	lea rax, 5f[rip]\n	ret\n" END "5:	call h\n	ret\n	.balign 16\n" LAST
#define STUB                                                                                       \
	"	.type h, @gnu_indirect_function\nh:	.cfi_startproc\n	ret\n	"                             \
	".cfi_endproc\n"
#define NO_FDES "-Wl,--no-ld-generated-unwind-info"

static const struct lint_program programs[] = {
	{ "what an FDE inside of another leaves is covered by that",
	  OVERLAPPING FDE("f", "32") FDE("f+8", "8") FDE("k", "1"), "SP008 f+8\n0 wrong, 3 proven",
	  "" },
	{ "where none does it is not", OVERLAPPING FDE("f", "12") FDE("f+8", "8") FDE("k", "1"),
	  "SP006 f+16\nSP008 f+8\n0 wrong, 1 proven, 2 not_reached", "" },
	{ "a stub of a PLT has an address, and is no function of the program's",
	  F "	lea rax, h[rip]\n	ret\n	.cfi_endproc\n" STUB, "0 wrong, 2 proven",
	  NO_FDES },
	{ "a call of one leads to code", CALLS_STUB STUB, "SP006 f+16\n0 wrong, 3 proven",
	  NO_FDES },
	{ "of its middle it does not",
	  F "	lea rax, 5f[rip]\n	ret\n" END "5:	call k+1\n	ret\n	.balign 16\n" LAST,
	  "0 wrong, 2 proven", NO_FDES },
	{ "mov makes an address", MAKES("	mov eax, offset 5f\n"), TOLD, "" },
	{ "in another register", MAKES("	mov r9d, offset 5f\n"), TOLD, "" },
	{ "with its sign", MAKES("	mov rax, offset 5f\n"), TOLD, "" },
	{ "of another place", MAKES("	mov eax, offset 5f + 1\n"), NONE, "" },
	{ "of what is behind all", MAKES("	mov eax, offset k\n"), NONE, "" },
	{ "another instruction has such a number", MAKES("	cmp eax, offset 5f\n"), NONE, "" },
	{ "what is no instruction of its own",
	  MAKES("	.byte 0x48, 0xb8, 0xb8\n	.long 5f\n	.byte 0, 0, 0\n"), NONE,
	  "" },
	{ "what mov makes to read there", MAKES("	mov esi, offset 5f\n	lodsb\n"), NONE,
	  "" },
	{ "an address that is counted", MAKES("	lea rax, 5f[rip]\n"), TOLD, "" },
	{ "an aligned word keeps it", MAKES("") "	.data\n	.balign 8\n	.quad 5b\n", TOLD,
	  "" },
	{ "nobody does", MAKES(""), NONE, "" },
	{ "each of several is made by one",
	  F "	mov eax, offset 5f\n	mov ecx, offset 6f\n	mov edx, offset 7f\n	ret\n" END
		  FUNCTION LAST
	    "	.balign 16\n6:	ret\n	.balign 16\nl:	.cfi_startproc\n	ret\n" END
	    "7:	xor ecx, ecx\n	ret\n",
	  "SP006 f+16\nSP006 f+48\nSP006 f+80\n0 wrong, 3 proven", "" },
	{ "it is the last of all code",
	  F "	mov eax, offset 5f\n	ret\n" END "5:	xor eax, eax\n	ret\n",
	  "SP006 f+16\n0 wrong, 1 proven", "" },
	{ "it is the last before other code",
	  F "	mov eax, offset 5f\n	ret\n" END "5:	xor eax, eax\n	ret\n"
	    "	.section .later, \"ax\"\n" LAST,
	  TOLD, "-Wl,--section-start=.later=0x600000" },
	{ "it is the first",
	  "5:	xor eax, eax\n	ret\n	.balign 16\n" F "	mov eax, offset 5b\n	ret\n" END,
	  "SP006 f-16\n0 wrong, 1 proven", FIXED },
	{ "data are no code",
	  F "	mov eax, offset 5f\n	ret\n" END "	.data\n	.balign 16\n" FUNCTION,
	  "0 wrong, 1 proven", "" },

	{ "a call of what is inside accuses it", CALLS BODY, ACCUSED, "" },
	{ "unless four bytes may be its address",
	  CALLS BODY LAST "	.data\n	.byte 1\n	.long 1b\n",
	  "0 wrong, 1 proven, 1 value_unknown", "" },
	{ "at the end of all data", CALLS BODY "	.data\n	.long 1b\n", DOUBTED, "" },
	{ "or mov makes it",
	  F "	mov eax, offset 1f\n	push rbx\n	.cfi_def_cfa_offset 16\n	"
	    ".cfi_offset rbx, -16\n"
	    "	call 1f\n	.cfi_remember_state\n	pop rbx\n	.cfi_def_cfa_offset 8\n"
	    "	.cfi_restore rbx\n	ret\n	.cfi_restore_state\n" BODY,
	  DOUBTED, "" },
	{ "or the program begins there", CALLS BODY, DOUBTED, FIXED "-Wl,-e,0x401008" },
	{ "elsewhere it does not", CALLS BODY, ACCUSED, FIXED "-Wl,-e,0x401009" },
	{ "one that may lie anywhere, too", CALLS BODY, DOUBTED,
	  FIXED "-static-pie -Wl,-e,0x401008" },
	{ "and elsewhere not", CALLS BODY, ACCUSED, FIXED "-static-pie -Wl,-e,0x401009" },
};

#define LINT_SUITE lint_fixed
#include "lint_program_main.h"
