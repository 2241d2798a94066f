/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_call.c - what calls, system calls and jumps in place of returns make of a path
 *
 * The cases are of flow_paths_fixture.h.
 */
#include "tests/suite.h"
#include "flow_paths_fixture.h"
#include "analysis/flow/flow_paths.h"

#define SECOND(name) "endproc; " name ": startproc; "

static const struct ways_case cases[] = {
	{ "a function", "", "call g; ret; fde g; ret", "has_return\ncalled +6\n" },
	{ "on a way that perhaps nobody goes", "", "nop; same_value rbx; call g; ret; fde g; ret",
	  "has_return\n" },
	{ "into the middle of one", "", "call g+1; ret; fde g; nop; ret",
	  "has_return\ncalled +7 from +0\n" },
	{ "code that no rows cover", "", "call u; ret; endproc; u: ret; startproc; nop",
	  "has_return\nuncovered +6 from +0\n" },
	{ "on a way that nobody goes", "",
	  "nop; same_value rbx; call u; ret; endproc; u: ret; startproc; nop", "has_return\n" },
	{ "where nothing lies", "", "call .+0x100000; ret", "has_return\n" },
	{ "what is preserved", "", "mov rax, rdx; call [rdi]; je 1f; ret; 1: nop; ret",
	  "+8 from +5: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\nhas_return "
	  "returns_well\n" },
	{ "what the callee may give back", "", "mov rax, rbx; call [rdi]; je 1f; ret; 1: nop; ret",
	  "+8 from +5: rax=? rdx=? rcx=? rsi=? rdi=? r8=? r9=? r10=? r11=?\nhas_return "
	  "returns_well\n" },
	{ "it never returns, by name", "",
	  "push rbx; cfa 16; call abort; cfa 24; nop; ud2; fde abort; ret", "called +9\n" },
	{ "by its code, which nobody knows", "",
	  "push rbx; cfa 16; call g; cfa 24; nop; ud2; fde g; ud2",
	  "behind=+6 callee=+9\ncalled +9\n" },
	{ "by its code", "knows", "push rbx; cfa 16; call g; cfa 24; nop; ud2; fde g; ud2",
	  "called +9\n" },
	{ "what returns, and is known", "knows", "call g; ret; fde g; ret",
	  "has_return\ncalled +6\n" },
	{ "it asks where it is", "", "call 1f; 1: cfa 16; pop rax; cfa 8; je 2f; ret; 2: nop; ret",
	  "+9 from +6: rax=1000005 [c-16]=1000005\nhas_return returns_well\n" },
	{ "it asks where it is, and looks", "",
	  "call 1f; 1: cfa 16; mov rax, [rsp]; je 2f; hlt; 2: nop; hlt",
	  "+12 from +9: rax=1000005 rsp=c-16 [c-16]=1000005\n" },
	{ "over data", "", "call 1f; .byte 6, 6, 6; 1: cfa 16; pop rax; cfa 8; ret",
	  "+8 from +0: rsp=c-16 [c-16]=1000005\nhas_return returns_well\n" },
	{ "on a way that perhaps nobody goes, too", "",
	  "nop; same_value rbx; call 1f; .byte 6, 6, 6; 1: cfa 16; pop rax; cfa 8; ret",
	  "+9 from +1 unsure: rsp=c-16 [c-16]=1000006\nhas_return\n" },
	{ "over data, and the address is added away", "",
	  "call 1f; .byte 6; 1: cfa 16; add rsp, 8; cfa 8; ret",
	  "+6 from +0: rsp=c-16 [c-16]=1000005\nhas_return returns_well\n" },
	{ "more is added", "", "call 1f; nop; ret; 1: cfa 16; add rsp, 16; ret",
	  "has_return\ncalled +7 from +0\n" },
	{ "to another register", "", "call 1f; nop; ret; 1: add rax, 8; ret",
	  "has_return\ncalled +7 from +0\n" },
	{ "the address is taken to memory", "",
	  "call 1f; nop; ret; 1: cfa 16; pop qword ptr [rdi]; ret",
	  "has_return\ncalled +7 from +0\n" },
	{ "it is not taken", "", "call 1f; nop; ret; 1: nop; ret",
	  "has_return\ncalled +7 from +0\n" },
	{ "back", "", "je 2f; 1: pop rax; cfa 0; ud2; 2: cfa 8; call 1b; ret",
	  "+5 from +0:\nhas_return\ncalled +2 from +5\n" },
	{ "to the function's first byte behind", "",
	  "call g; .byte 6; fde g; cfa 16; pop rax; cfa 8; ret", "called +6\n" },
	{ "to its last byte", "", "call 1f; nop; ret; 1: pop rax",
	  "+7 from +0 wrong: rsp=c-16 [c-16]=1000005\nuncovered +8 from +7\n" },
	{ "too little stack", "",
	  "je 1f; 2: push rbx; cfa 16; pop rbx; cfa 8; ret; 1: call __morestack; ret; mov eax, 5; "
	  "jmp 2b; fde __morestack; ret",
	  "+2 from +16: rax=!\n+5 from +0:\n+11 from +5:\nhas_return returns_well\ncalled +18\n" },
	{ "no return behind it", "",
	  "je 1f; ret; 1: call __morestack; nop; ret; fde __morestack; ret",
	  "+3 from +0:\nhas_return returns_well\ncalled +10\n" },
	{ "a return that pops", "",
	  "je 1f; ret; 1: call __morestack; ret 8; nop; ud2; fde __morestack; ret",
	  "+3 from +0:\nhas_return returns_well pops popped=-1\ncalled +14\n" },
	{ "too little stack, where perhaps nobody goes", "",
	  "nop; same_value rbx; call __morestack; ret; mov eax, 5; ret; fde __morestack; ret",
	  "+7 from +1 unsure:\nhas_return\n" },
	{ "nothing is behind it", "", "call __morestack; fde __morestack; ret", "" },
	{ "another function, and a return behind it", "",
	  "je 1f; ret; 1: call g; ret; mov eax, 5; ret; fde g; ret",
	  "+3 from +0:\nhas_return returns_well\ncalled +15\n" },
	{ "a probe of the stack", "",
	  "mov eax, 64; call g; sub rsp, rax; cfa 72; je 1f; 1: nop; add rsp, 64; cfa 8; ret; "
	  "fde g; 1: or qword ptr [rsp-64], 0; jne 1b; jmp 2f; 2: ret; ud2",
	  "+15 from +13: rax=64 rdx=! rcx=! rsi=! rdi=! rsp=c-72 r8=! r9=! r10=! r11=!\nhas_return "
	  "returns_well\ncalled +21\n" },
	{ "of a size that nobody knows", "",
	  "mov eax, edi; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; ret",
	  "+12 from +10: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b7+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+15\n" },
	{ "of a size that another knows", "",
	  "mov rax, rdi; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; ret",
	  "+13 from +11: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b8+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+16\n" },
	{ "one whose code is not there", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; .section .last, \"awx\"; g: nop; "
	  ".section .eh_frame, \"a\"; 5: .long 7f-6f; 6: .long 0; .byte 1; .asciz \"zR\"; .byte 1, "
	  "0x78, 16, 1, 0x1b, 0x0c, 7, 16, 0x90, 1; .balign 4, 0; 7: .long 9f-8f; "
	  "8: .long .-5b, g-., 100; .byte 0; .balign 4, 0; 9: .text",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+7661\n" },
	{ "one whose result isn't taken off", "",
	  "mov eax, 64; call g; sub rsp, rcx; je 1f; 1: nop; ud2; fde g; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "or off another register", "",
	  "mov eax, 64; call g; sub rcx, rax; je 1f; 1: nop; ud2; fde g; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\ncalled +18\n" },
	{ "or added", "", "mov eax, 64; call g; add rsp, rax; je 1f; 1: nop; ud2; fde g; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=<b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "one that is computed", "", "mov eax, 64; call [rdi]; sub rsp, rax; je 1f; 1: nop; ud2",
	  "+12 from +10: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b7+0 r8=! r9=! r10=! r11=!\n" },
	{ "at the end", "", "mov eax, 64; call g; fde g; ret", "" },
	{ "it writes rax", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; xor eax, eax; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "it calls", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; call f; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "it jumps elsewhere", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; jne f; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "it jumps behind its end", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; jne 2f; ret; endproc; "
	  "2: startproc; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "a system call", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; int 0x80; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "no instruction", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; ret; .byte 6",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "it doesn't return", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; 1: jmp 1b",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "inside of it", "",
	  "mov eax, 64; call g+1; sub rsp, rax; je 1f; 1: nop; ud2; fde g; nop; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled +19 "
	  "from +5\n" },
	{ "a long one", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; .skip 128, 0x90; ret",
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\ncalled "
	  "+18\n" },
	{ "not too long", "",
	  "mov eax, 64; call g; sub rsp, rax; je 1f; 1: nop; ud2; fde g; .skip 127, 0x90; ret",
	  "+15 from +13 wrong: rax=64 rdx=! rcx=! rsi=! rdi=! rsp=c-72 r8=! r9=! r10=! "
	  "r11=!\ncalled +18\n" },
	{ "a thread ends", "",
	  "je 1f; mov eax, 60; syscall; nop; 1: mov eax, 231; syscall; nop; ud2",
	  "+10 from +0:\n" },
	{ "another system call", "", "mov eax, 61; syscall; je 1f; 1: nop; ret",
	  "+9 from +7: rax=? rcx=? r11=?\nhas_return returns_well\n" },
	{ "one nobody knows", "", "syscall; je 1f; 1: nop; ret",
	  "+4 from +2: rax=? rcx=? r11=?\nhas_return returns_well\n" },
	{ "a thread begins", "",
	  "mov eax, 56; syscall; je 1f; 1: nop; test rax, rax; je 2f; nop; jmp 3f; 2: nop; 3: ret",
	  "+9 from +7: rax=!clone rcx=? r11=? both\n+18 from +13: rax=!clone rcx=? rsp=? r11=? new "
	  "compared=rax,0\n+19 from +16: rax=!clone rcx=? rsp=? r11=? both "
	  "compared=rax,0\nhas_return returns_unknown popped=-1\n" },
	{ "by the other call", "",
	  "mov eax, 435; xor esi, esi; syscall; test rax, rax; jne 2f; ud2; 2: nop; ret",
	  "+16 from +12: rax=!clone rcx=? rsi=0 r11=? compared=rax,0\nhas_return returns_well\n" },
	{ "a thread that is given no stack", "",
	  "mov eax, 56; xor esi, esi; syscall; je 1f; 1: nop; ret",
	  "+11 from +9: rax=? rcx=? rsi=0 r11=?\nhas_return returns_well\n" },
	{ "one that is given a stack by number", "",
	  "mov eax, 56; mov esi, 64; syscall; je 1f; 1: nop; ret",
	  "+14 from +12: rax=!clone rcx=? rsi=64 r11=? both\nhas_return returns_well\n" },
	{ "another comparison", "", "mov eax, 56; syscall; cmp rax, 1; je 2f; nop; 2: nop; ret",
	  "+14 from +11: rax=!clone rcx=? r11=? both compared=rax,1\nhas_return returns_well\n" },
	{ "of another register", "", "mov eax, 56; syscall; test rdi, rdi; je 2f; nop; 2: nop; ret",
	  "+13 from +10: rax=!clone rcx=? r11=? both compared=rdi,0\nhas_return returns_well\n" },
	{ "with another register", "",
	  "mov eax, 56; syscall; cmp rax, rdi; je 2f; nop; 2: nop; ret",
	  "+13 from +10: rax=!clone rcx=? r11=? both compared=rax,rdi\nhas_return returns_well\n" },
	{ "of a word", "",
	  "mov eax, 56; syscall; mov [rsp-8], rax; cmp qword ptr [rsp-8], 0; je 2f; nop; 2: nop; "
	  "ret",
	  "+21 from +18: rax=!clone rcx=? r11=? unlisted=other both\nhas_return returns_well\n" },
	{ "that says neither", "", "mov eax, 56; syscall; test rax, rax; jbe 2f; nop; 2: nop; ret",
	  "+13 from +10: rax=? rcx=? r11=? both compared=rax,0\nhas_return returns_well\n" },
	{ "the new thread returns", "", "mov eax, 56; syscall; test rax, rax; jne 2f; ret; 2: ud2",
	  "+13 from +10: rax=!clone rcx=? r11=? compared=rax,0\nhas_return returns_elsewhere "
	  "returns_unknown popped=-1\n" },
	{ "arguments are taken off", "", "ret 24", "has_return returns_well pops popped=24\n" },
	{ "by hand", "", "pop rcx; add rsp, 16; push rcx; ret",
	  "has_return returned_to returns_unknown pops popped=16\n" },
	{ "very many", "", "add rsp, 0x40000007; ret",
	  "has_return returns_elsewhere returned_to returns_unknown popped=1073741831\n" },
	{ "more than can be", "", "add rsp, 0x40000008; ret",
	  "has_return returns_elsewhere returned_to returns_unknown popped=-1\n" },
	{ "less than none", "", "sub rsp, 1; ret",
	  "has_return returns_elsewhere returns_unknown popped=-1\n" },
	{ "below the return address", "", "sub rsp, 8; mov rax, [rsp+8]; mov [rsp], rax; ret",
	  "has_return returns_unknown pops popped=-1\n" },
	{ "as many as nobody knows", "", "pop rcx; lea rsp, [rsp+rax*8]; push rcx; ret",
	  "has_return returns_unknown popped=-1\n" },
	{ "on one of two ways", "", "je 1f; ret 8; 1: ret",
	  "+5 from +0:\nhas_return returns_well pops popped=-1\n" },
	{ "on both the same", "", "je 1f; ret 8; 1: ret 8",
	  "+5 from +0:\nhas_return returns_well pops popped=8\n" },
	{ "a return where perhaps nobody goes", "", "nop; same_value rbx; ret 8",
	  "has_return popped=8\n" },
	{ "it takes them off itself", "pops=16",
	  "push rax; cfa 16; push rax; cfa 24; call g; cfa 8; je 1f; 1: nop; ud2; fde g; ret 24",
	  "+9 from +7: rax=? rdx=? rcx=? rbx=? rsi=? rdi=? r8=? r9=? r10=? r11=? r12=? r13=? r14=? "
	  "r15=? [c-16]=rax [c-24]=rax\ncalled +12\n" },
	{ "nobody knows how many", "pops=?", "push rax; cfa 16; call [rdi]; je 1f; 1: nop; ud2",
	  "+5 from +3: rax=? rdx=? rcx=? rbx=? rsi=? rdi=? rsp=? r8=? r9=? r10=? r11=? r12=? r13=? "
	  "r14=? r15=? [c-16]=rax touched=-2147483647..-16\n" },
	{ "in a new thread, nobody knows", "pops=?",
	  "mov eax, 56; syscall; call [rdi]; je 1f; 1: nop; ud2",
	  "+11 from +9: rax=? rdx=? rcx=? rbx=? rsi=? rdi=? rsp=? r8=? r9=? r10=? r11=? r12=? "
	  "r13=? r14=? r15=? touched=-2147483647..-8 both\n" },
	{ "another one does not", "pops=24",
	  "push rax; cfa 16; call h; je 1f; 1: nop; ud2; fde h; ret",
	  "+8 from +6: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rax\ncalled +11\n" },
	{ "a function that is entered otherwise", "enters silent",
	  "g: je 1f; ret; 1: mov rax, rbx; lea rcx, [rsp-8]; mov rbp, rdi; pop rdx; push rdx; "
	  "push rdx; jmp g",
	  "+0: rax=? rdx=? rcx=?\n+3 from +0: rax=? rdx=? rcx=?\nhas_return returns_well\n" },
	{ "as it is entered by a call", "enters silent",
	  "g: je 1f; ret; 1: lea rcx, [rsp-8]; mov rbp, rdi; jmp g",
	  "+0: rcx=? rbp=?\n+3 from +0: rcx=? rbp=?\nhas_return breaks_convention "
	  "returns_unknown\n" },
	{ "in a new thread", "enters silent",
	  "g: je 1f; ret; 1: mov eax, 56; syscall; push rdi; jmp g",
	  "+0: rax=? rcx=? r11=? both\n+3 from +0: rax=? rcx=? r11=? both\nhas_return "
	  "returns_well\n" },
	{ "what was touched is another's", "enters silent",
	  "g: je 1f; ret; 1: lea rdi, [rsp-64]; mov ecx, 8; rep stosb; push rdi; jmp g",
	  "+0: rcx=? rdi=?\n+3 from +0: rcx=? rdi=?\nhas_return returns_well\n" },
	{ "another is not", "enters silent",
	  "g: nop; h: je 1f; ret; 1: mov rbp, rdi; push rdi; jmp h",
	  "+1 from +8: rbp=? rsp=? [c-16]=! [b7-8]=!\n+4 from +1: rbp=? rsp=? [c-16]=! "
	  "[b7-8]=!\nhas_return breaks_convention returns_unknown popped=-1\n" },
	{ "nobody says so", "", "push rdx; jmp g; fde g; ret", "" },
	{ "a loop pushes", "enters silent", "1: push rdi; dec ebx; jne 1b; nop; ud2",
	  "+0: rbx=? rsp=? [c-16]=! [b0-8]=!\n" },
	{ "where none is entered so", "silent", "1: push rdi; dec ebx; jne 1b; nop; ud2",
	  "+0: rbx=? rsp=? [c-16]=! escaped=rdi\n" },
	{ "a landing pad", "",
	  "lsda 0x1b, 8f; call [rdi]; ret; nop; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 2, 3, 0; 7: .text",
	  "+3 from +0: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\nhas_return "
	  "returns_well\n" },
	{ "the call begins before its place", "",
	  "lsda 0x1b, 8f; call [rdi]; ret; nop; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 1, 1, 3, 0; 7: .text",
	  "has_return\n" },
	{ "the place ends before the call does", "",
	  "lsda 0x1b, 8f; call [rdi]; ret; nop; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 1, 3, 0; 7: .text",
	  "+3 from +0: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\nhas_return "
	  "returns_well\n" },
	{ "the place ends before the call", "",
	  "lsda 0x1b, 8f; nop; call [rdi]; ret; nop; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 1, 4, 0; 7: .text",
	  "has_return\n" },
	{ "two pads", "",
	  "lsda 0x1b, 8f; call [rdi]; ret; nop; ret; nop; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 2, 3, 0, 0, 2, 5, 0; 7: .text",
	  "+3 from +0: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n+5 from +0: rax=! "
	  "rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\nhas_return returns_well\n" },
	{ "a call where perhaps nobody goes", "",
	  "lsda 0x1b, 8f; nop; same_value rbx; call [rdi]; ret; nop; ret; .section "
	  ".gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 3, 4, 0; "
	  "7: .text",
	  "+4 from +1 unsure: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\nhas_return\n" },
	{ "arguments of the call are taken off", "",
	  "lsda 0x1b, 8f; push rax; cfa 16; escape 0x2e, 8; call [rdi]; hlt; cfa 8; nop; ret; "
	  ".section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; "
	  "6: .byte 0, 3, 4, 0; 7: .text",
	  "+4 from +1: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=! [c-16]=rax\nhas_return "
	  "returns_well\n" },
	{ "a pad that no rows cover", "",
	  "lsda 0x1b, 8f; call [rdi]; ret; .section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, "
	  "1; .uleb128 7f-6f; 6: .byte 0, 2, u-f, 0; 7: .text; endproc; u: ret; startproc; nop",
	  "has_return\nuncovered +3 from +0\n" },
	{ "one of a call where perhaps nobody goes", "",
	  "lsda 0x1b, 8f; nop; same_value rbx; call [rdi]; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 3, u-f, 0; 7: .text; endproc; "
	  "u: ret; startproc; nop",
	  "has_return\n" },
	{ "a pad where no code is", "",
	  "lsda 0x1b, 8f; call [rdi]; ret; .section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, "
	  "1; .uleb128 7f-6f; 6: .byte 0, 2; .uleb128 0x100000; .byte 0; 7: .text",
	  "has_return\n" },
	{ "a pad in another function", "",
	  "lsda 0x1b, 8f; call [rdi]; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 2, g-f, 0; 7: .text; fde g; ret",
	  "has_return\n" },
	{ "a pad in another fragment", "",
	  "lsda 0x1b, 8f; push rbx; cfa 16; je g; call [rdi]; hlt; .section .gcc_except_table, "
	  "\"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 5, g-f+1, 0; 7: .text; "
	  "fde g; cfa 16; nop; nop; hlt",
	  "+6 from +1: rsp=c-16 [c-16]=rbx\n+7 from +3: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 "
	  "r8=! r9=! r10=! r11=! [c-16]=rbx\nfragments=2\n" },
	{ "a call with arguments that never throws", "",
	  "lsda 0x1b, 8f; push rbx; cfa 16; push rax; cfa 24; call [rdi]; pop rax; cfa 16; call "
	  "[rdi]; 1: pop rbx; cfa 8; ret; cfa 16; nop; jmp 1b; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 7, 9, 0; 7: .text",
	  "+7 from +10: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=!\n+9 from +5: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx [c-24]=!\nhas_return returns_well\n" },
	{ "a call that would throw with arguments", "",
	  "lsda 0x1b, 8f; push rbx; cfa 16; push rax; cfa 24; call [rdi]; pop rax; cfa 16; 1: pop "
	  "rbx; cfa 8; ret; cfa 16; nop; jmp 1b; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 7, 7, 0; 7: .text",
	  "+5 from +4 settled: rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=rax\n+7 from +2 wrong: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! "
	  "r11=! [c-16]=rbx [c-24]=rax\nhas_return breaks_convention returns_elsewhere "
	  "returns_well popped=-1\nedge +8 to +5 cfa: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! "
	  "r9=! r10=! r11=! [c-16]=rbx [c-24]=rax\n" },
	{ "the same behind a jump nobody knows where to", "",
	  "lsda 0x1b, 8f; push rbx; cfa 16; push rax; cfa 24; call [rdi]; je 2f; jmp [rdi]; 2: pop "
	  "rax; cfa 16; 1: pop rbx; cfa 8; ret; cfa 16; nop; jmp 1b; .section .gcc_except_table, "
	  "\"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 7, 11, 0; 7: .text",
	  "+8 from +4: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=rax\nhas_return returns_well jump_unknown jump_unread unread=+6\njumped, entry "
	  "0\n" },
	{ "the same in a function with a call that does not return", "",
	  "lsda 0x1b, 8f; push rbx; cfa 16; push rax; cfa 24; call [rdi]; je 2f; call [rdi]; "
	  "cfa 64; nop; 2: cfa 24; pop rax; cfa 16; 1: pop rbx; cfa 8; ret; cfa 16; nop; jmp 1b; "
	  ".section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; "
	  "6: .byte 0, 4, 12, 0; 7: .text",
	  "+9 from +4: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=rax\nhas_return returns_well behind=+8\n" },
	{ "a call with less on the stack", "",
	  "lsda 0x1b, 8f; call [rdi]; hlt; cfa 16; nop; ret; .section .gcc_except_table, \"a\"; "
	  "8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 2, 3, 0; 7: .text",
	  "+3 from +0 wrong: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\nhas_return "
	  "returns_well\n" },
	{ "a pad that is wrong in another way", "",
	  "lsda 0x1b, 8f; call [rdi]; hlt; offset rbx, -16; nop; ret; .section .gcc_except_table, "
	  "\"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .byte 0, 2, 3, 0; 7: .text",
	  "+3 from +0 wrong: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\nhas_return "
	  "returns_well\n" },
	{ "two pads of which one is let in", "",
	  "lsda 0x1b, 8f; push rax; cfa 16; call [rdi]; hlt; cfa 8; nop; ret; cfa 16; nop; hlt; "
	  ".section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; "
	  "6: .byte 0, 3, 4, 0, 0, 3, 6, 0; 7: .text",
	  "+4 from +1 wrong: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rax\n+6 from +1: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rax\nhas_return returns_elsewhere returns_unknown popped=-1\n" },

};

START_TEST(calls_are_followed)
{
	ways_check(&cases[_i]);
}
END_TEST

SUITE(flow_call, TIMEOUT(300), LOOP(calls_are_followed, cases))
