/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_fixed.c - code at a fixed address: who makes its address, and keeps it
 *
 * In a program any four bytes may be an address. A function without an FDE is one if an instruction makes its address,
 * whichever path, or a word keeps it; and nothing that is called inside of an FDE is accused if one may.
 */
#include "lint_program_fixture.h"

#define F	 ".globl f; .type f, @function; f: startproc; "
#define END	 "endproc; .balign 16; "
#define FUNCTION "5: xor eax, eax; ret; .balign 16; "
#define LAST	 ".type k, @function; k: startproc; ret; endproc; "
/* f, the function at 16, and another that has an FDE. */
#define MAKES(instructions) F instructions "ret; " END FUNCTION LAST
#define NONE		    "0 wrong, 2 proven"
#define TOLD		    "SP006 f+16\n0 wrong, 2 proven"
#define FIXED		    "-Wl,-Ttext=0x401000 "

/* f's frame is 16 bytes, and that is what its rows say of what is at 8, too. */
#define CALLS                                                                                      \
	F "push rbx; cfa 16; offset rbx, -16; call 1f; remember_state; pop rbx; cfa 8; restore "   \
	  "rbx; ret; restore_state; "
#define BODY	"1: mov eax, ebx; ret; endproc; "
#define ACCUSED "SP001 f+8\n1 wrong, 0 proven"
#define DOUBTED "0 wrong, 0 proven, 1 value_unknown"

/* Rows of three functions, without the assembler's care: the second is inside of the first. */
#define FDE(begin, bytes)                                                                          \
	".p2align 3; .long 8f-7f; 7: .long 1b; .quad " begin ", " bytes "; .p2align 3; 8: "
#define OVERLAPPING                                                                                \
	".globl f; .type f, @function; f: lea rax, 5f[rip]; ret; .balign 16; 5: xor eax, eax; "    \
	"ret; .balign 16; k: ret; .section .debug_frame; 1: .long 3f-2f; 2: .long -1; .byte 3, "   \
	"0, 1, 0x78; .byte 16, 0x0c, 7, 8, 0x90, 1; .p2align 3; 3: "
#define CALLS_STUB F "lea rax, 5f[rip]; ret; " END "5: call h; ret; .balign 16; " LAST
#define STUB	   ".type h, @gnu_indirect_function; h: startproc; ret; endproc; "
#define NO_FDES	   "-Wl,--no-ld-generated-unwind-info"

static const struct lint_program programs[] = {
	{ "what an FDE inside of another leaves is covered by that",
	  OVERLAPPING FDE("f", "32") FDE("f+8", "8") FDE("k", "1"), "SP008 f+8\n0 wrong, 3 proven",
	  "" },
	{ "where none does it is not", OVERLAPPING FDE("f", "12") FDE("f+8", "8") FDE("k", "1"),
	  "SP006 f+16\nSP008 f+8\n0 wrong, 1 proven, 2 not_reached", "" },
	{ "a stub of a PLT has an address, and is no function of the program's",
	  F "lea rax, h[rip]; ret; endproc; " STUB, "0 wrong, 2 proven", NO_FDES },
	{ "a call of one leads to code", CALLS_STUB STUB, "SP006 f+16\n0 wrong, 3 proven",
	  NO_FDES },
	{ "of its middle it does not",
	  F "lea rax, 5f[rip]; ret; " END "5: call k+1; ret; .balign 16; " LAST,
	  "0 wrong, 2 proven", NO_FDES },
	{ "mov makes an address", MAKES("mov eax, offset 5f; "), TOLD, "" },
	{ "in another register", MAKES("mov r9d, offset 5f; "), TOLD, "" },
	{ "with its sign", MAKES("mov rax, offset 5f; "), TOLD, "" },
	{ "of another place", MAKES("mov eax, offset 5f + 1; "), NONE, "" },
	{ "of what is behind all", MAKES("mov eax, offset k; "), NONE, "" },
	{ "another instruction has such a number", MAKES("cmp eax, offset 5f; "), NONE, "" },
	{ "what is no instruction of its own",
	  MAKES(".byte 0x48, 0xb8, 0xb8; .long 5f; .byte 0, 0, 0; "), NONE, "" },
	{ "what mov makes to read there", MAKES("mov esi, offset 5f; lodsb; "), NONE, "" },
	{ "an address that is counted", MAKES("lea rax, 5f[rip]; "), TOLD, "" },
	{ "an aligned word keeps it", MAKES("") ".data; .balign 8; .quad 5b", TOLD, "" },
	{ "nobody does", MAKES(""), NONE, "" },
	{ "each of several is made by one",
	  F "mov eax, offset 5f; mov ecx, offset 6f; mov edx, offset 7f; ret; " END FUNCTION LAST
	    ".balign 16; 6: ret; .balign 16; l: startproc; ret; " END "7: xor ecx, ecx; ret",
	  "SP006 f+16\nSP006 f+48\nSP006 f+80\n0 wrong, 3 proven", "" },
	{ "it is the last of all code", F "mov eax, offset 5f; ret; " END "5: xor eax, eax; ret",
	  "SP006 f+16\n0 wrong, 1 proven", "" },
	{ "it is the last before other code",
	  F "mov eax, offset 5f; ret; " END "5: xor eax, eax; ret; .section .later, \"ax\"; " LAST,
	  TOLD, "-Wl,--section-start=.later=0x600000" },
	{ "it is the first", "5: xor eax, eax; ret; .balign 16; " F "mov eax, offset 5b; ret; " END,
	  "SP006 f-16\n0 wrong, 1 proven", FIXED },
	{ "data are no code", F "mov eax, offset 5f; ret; " END ".data; .balign 16; " FUNCTION,
	  "0 wrong, 1 proven", "" },

	{ "a call of what is inside accuses it", CALLS BODY, ACCUSED, "" },
	{ "unless four bytes may be its address", CALLS BODY LAST ".data; .byte 1; .long 1b",
	  "0 wrong, 1 proven, 1 value_unknown", "" },
	{ "at the end of all data", CALLS BODY ".data; .long 1b", DOUBTED, "" },
	{ "or mov makes it",
	  F "mov eax, offset 1f; push rbx; cfa 16; offset rbx, -16; call 1f; remember_state; "
	    "pop rbx; cfa 8; restore rbx; ret; restore_state; " BODY,
	  DOUBTED, "" },
	{ "or the program begins there", CALLS BODY, DOUBTED, FIXED "-Wl,-e,0x401008" },
	{ "elsewhere it does not", CALLS BODY, ACCUSED, FIXED "-Wl,-e,0x401009" },
	{ "one that may lie anywhere, too", CALLS BODY, DOUBTED,
	  FIXED "-static-pie -Wl,-e,0x401008" },
	{ "and elsewhere not", CALLS BODY, ACCUSED, FIXED "-static-pie -Wl,-e,0x401009" },
};

#define LINT_SUITE lint_fixed
#include "lint_program_main.h"
