/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_paths.c - functions in assembly, and all that is known once their paths were followed
 *
 * The cases are of flow_paths_fixture.h.
 */
#include "tests/suite.h"
#include "flow_paths_fixture.h"

#define SECOND(name) "endproc; " name ": startproc; "

static const struct ways_case cases[] = {
	{ "straight on", "", "xor eax, eax; ret", "has_return returns_well\n" },
	{ "two ways meet", "", "test edi, edi; je 1f; mov eax, 5; 1: nop; ret",
	  "+9 from +2: rax=!\nhas_return returns_well\n" },
	{ "a branch says which is equal", "", "cmp rdi, 5; jne 1f; nop; ret; 1: mov rax, rdi; ret",
	  "+8 from +4: compared=rdi,5\nhas_return returns_well\n" },
	{ "into what was passed through", "", "xor eax, eax; 1: dec edi; jne 1b; ret",
	  "+2 from +4: rax=0 rdi=!\nhas_return returns_well\n" },
	{ "a transaction", "", "mov eax, 5; xbegin 1f; nop; ret; 1: nop; ret",
	  "+13 from +5: rax=?\nhas_return returns_well\n" },
	{ "it stops", "", "xor ebx, ebx; ud2", "" },
	{ "bytes that are no instruction", "", "nop; .byte 6", "" },
	{ "an interrupt's handler", "", "iretq", "is_handler\n" },
	{ "a frame that is not taken down", "", "push rbx; cfa 16; ret",
	  "has_return returns_elsewhere returns_unknown popped=-1\n" },
	{ "more is taken down", "", "pop rcx; cfa 0; ret",
	  "has_return returns_elsewhere returned_to returns_unknown popped=8\n" },
	{ "the same behind a call that may not come back", "", "pop rcx; cfa 0; call [rdi]; ret",
	  "behind=+3\n" },
	{ "what callees preserve is overwritten", "", "xor ebx, ebx; ret",
	  "has_return breaks_convention returns_unknown\n" },
	{ "by one of two ways", "", "test edi, edi; je 1f; xor ebx, ebx; ret; 1: ret",
	  "+7 from +2:\nhas_return breaks_convention returns_well returns_unknown\n" },
	{ "the caller's value as an address", "",
	  "mov rax, [rbx]; mov rax, [rdi+r12*8]; mov rcx, r14; mov rcx, [rcx]; lea rax, [r13]; "
	  "nop qword ptr [r15]; ret",
	  "has_return returns_well by=rbx by=r12 by=r14\n" },
	{ "a call in place of a return", "", "jmp g; fde g; ret",
	  "has_tail_call tail_calls_well\ntail-called +2\n" },
	{ "on a way that perhaps nobody goes", "", "call [rdi]; jmp g; fde g; ret",
	  "has_tail_call\n" },
	{ "with what callees preserve overwritten", "", "xor ebx, ebx; jmp g; fde g; ret",
	  "has_tail_call breaks_convention\n" },
	{ "to a function, with a frame", "", "push rbx; cfa 16; jmp g; fde g; ret", "" },
	{ "with its frame gone", "", "mov rsp, rdi; undefined rip; jmp g; fde g; ret", "" },
	{ "another fragment", "",
	  "push rbx; cfa 16; je f_cold; 1: pop rbx; cfa 8; ret; fde f_cold; cfa 16; nop; jmp 1b",
	  "+3 from +6: rsp=c-16 [c-16]=rbx\n+5 from +1: rsp=c-16 [c-16]=rbx\nhas_return "
	  "returns_well fragments=2\n" },
	{ "into the middle of a function", "",
	  "push rbx; cfa 16; je g+1; pop rbx; cfa 8; ret; fde g; nop; nop; ret",
	  "+6 from +1 wrong: rsp=c-16 [c-16]=rbx\nhas_return returns_elsewhere returns_well "
	  "returns_unknown popped=-1 fragments=2\n" },
	{ "a fragment by its name", "crossing",
	  "push rbx; cfa 16; je f.cold; pop rbx; cfa 8; ret; fde f.cold; nop; ud2",
	  "+5 from +1 wrong: rsp=c-16 [c-16]=rbx\nhas_return returns_well fragments=2\ncrossing "
	  "+5\n" },
	{ "another function's", "crossing",
	  "push rbx; cfa 16; je g.cold; pop rbx; cfa 8; ret; fde g.cold; nop; ud2",
	  "has_return returns_well\n" },
	{ "a part of another frame", "",
	  "push rbx; cfa 16; je g; pop rbx; cfa 8; ret; fde g; cfa 24; nop; ud2",
	  "has_return returns_well\n" },
	{ "one that is asked for", "crossing=left",
	  "push rbx; cfa 16; je g; pop rbx; cfa 8; ret; fde g; cfa 24; nop; ud2",
	  "has_return returns_well\ncrossing +5\n" },
	{ "one that is followed", "crossing",
	  "push rbx; cfa 16; je g; pop rbx; cfa 8; ret; fde g; cfa 24; nop; ud2",
	  "+5 from +1 wrong: rsp=c-16 [c-16]=rbx\nhas_return returns_well fragments=2\ncrossing "
	  "+5\n" },
	{ "one that is not asked for, behind a call", "crossing",
	  "push rbx; cfa 16; call [rdi]; jmp g; fde g; cfa 24; nop; ud2", "" },
	{ "one that is not asked for, where perhaps nobody goes", "crossing",
	  "push rbx; cfa 16; nop; same_value rbx; jmp g; fde g; cfa 24; nop; ud2", "" },
	{ "code that no rows cover", "", "je u; ret; endproc; u: nop; ret; startproc; nop",
	  "has_return returns_well\nuncovered +3 from +0\n" },
	{ "behind a call that may not come back nobody is told", "",
	  "call [rdi]; jmp u; endproc; u: nop; ret; startproc; nop", "" },
	{ "where no code lies", "", "je f+0x100000; ret", "has_return returns_well\n" },
	{ "it has no caller, and returns", "", "undefined rip; ret",
	  "has_return returns_well returns\n" },
	{ "it returns in another function", "", "undefined rip; jmp g; fde g; ret",
	  "has_tail_call tail_calls_well returns\ntail-called +2\n" },
	{ "that has no caller, too", "", "undefined rip; jmp g; fde g; undefined rip; ret",
	  "has_tail_call tail_calls_well\ntail-called +2\n" },
	{ "it has one where it leaves", "", "undefined rip; nop; restore rip; jmp g; fde g; ret",
	  "has_tail_call tail_calls_well returns\ntail-called +3\n" },
	{ "it ends in the next function", "", "nop; fde g; ret", "has_tail_call\n" },
	{ "which it has no caller in", "", "undefined rip; nop; fde g; ret", "has_tail_call\n" },
	{ "the same with a frame", "", "push rbx; cfa 16; nop; fde g; cfa 16; nop; ud2",
	  "+2 from +1 unsure: rsp=c-16 [c-16]=rbx\nfragments=2\n" },
	{ "it ends where no rows are", "", "nop; endproc; u: ret; startproc; nop",
	  "uncovered +1 from +0\n" },
	{ "a call ends it", "", "call [rdi]; endproc; u: ret; startproc; nop", "" },
	{ "a jump nobody knows where to", "", "jmp [rdi]",
	  "has_tail_call jump_unknown\njumped, entry 1\n" },
	{ "one with a frame", "", "push rbx; cfa 16; jmp [rdi]",
	  "jump_unknown jump_unread unread=+1\njumped, entry 0\n" },
	{ "behind another one", "",
	  "push rbx; cfa 16; je 1f; jmp [rdi]; 1: pop rbx; cfa 8; jmp [rdi]",
	  "+5 from +1: rsp=c-16 [c-16]=rbx\nhas_tail_call jump_unknown jump_unread "
	  "unread=+3\njumped, entry 0\njumped, entry 1\n" },
	{ "the row is another's behind the call", "",
	  "push rbx; cfa 16; je 1f; call [rdi]; cfa 8; ret; cfa 16; 1: pop rbx; cfa 8; ret",
	  "+6 from +1: rsp=c-16 [c-16]=rbx\nhas_return returns_well behind=+5\n" },
	{ "and behind a call of a function", "",
	  "push rbx; cfa 16; je 1f; call g; cfa 8; 2: ret; cfa 16; 1: pop rbx; cfa 8; jmp 2b; "
	  "fde g; ret",
	  "+8 from +10: [c-16]=rbx\n+9 from +1: rsp=c-16 [c-16]=rbx\nhas_return returns_well "
	  "behind=+8 callee=+12\ncalled +12\nweak edge +3 to +8 cfa: rax=! rdx=! rcx=! rsi=! rdi=! "
	  "rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n" },
	{ "padding behind the call", "",
	  "push rbx; cfa 16; je 1f; call g; nop; nop; cfa 8; 2: ret; cfa 16; 1: pop rbx; cfa 8; "
	  "jmp 2b; fde g; ret",
	  "+10 from +12: [c-16]=rbx\n+11 from +1: rsp=c-16 [c-16]=rbx\nhas_return returns_well "
	  "behind=+10 callee=+14\ncalled +14\n" },
	{ "padding, and another row", "", "je 1f; push rbx; cfa 16; nop; cfa 8; nop; 1: ret",
	  "+5 from +0:\nhas_return returns_well\n" },
	{ "a way that the row doesn't declare", "",
	  "je 1f; push rax; cfa 16; jmp 1f; cfa 8; 1: nop; ret",
	  "+5 from +0:\nhas_return returns_well\nedge +3 to +5 cfa: rsp=c-16 [c-16]=rax\n" },
	{ "the same on a way that goes on", "",
	  "je 1f; push rax; cfa 16; xor eax, eax; cfa 8; 1: nop; ret",
	  "+5 from +0:\nhas_return returns_well\nedge +3 to +5 cfa: rax=0 rsp=c-16 [c-16]=rax\n" },
	{ "what no rule speaks of", "", "je 1f; xor ebx, ebx; 1: nop; ret",
	  "+4 from +0: rbx=?\nhas_return breaks_convention returns_unknown\n" },
	{ "a process begins here", "program", "nop; ret",
	  "+0 wrong: bare [c-8]=!\nhas_return returns_well\n" },
	{ "a process begins elsewhere", "", "nop; ret", "has_return returns_well\n" },
	{ "a fragment that nobody follows", "crossing=left",
	  "push rbx; cfa 16; je f.cold; pop rbx; cfa 8; ret; fde f.cold; nop; ud2",
	  "has_return returns_well\ncrossing +5\n" },
	{ "more is taken down, without a row", "silent", "pop rcx; ret",
	  "has_return returns_elsewhere returned_to returns_unknown popped=8\n" },
	{ "the same behind a call", "silent", "pop rcx; call [rdi]; ret",
	  "has_return returns_elsewhere returns_unknown popped=8\n" },
	{ "the same below the return address", "silent", "push rcx; ret",
	  "has_return returns_elsewhere returns_unknown popped=-1\n" },
	{ "rsp is nobody knows where", "silent", "mov rsp, rdi; ret",
	  "has_return returns_unknown popped=-1\n" },
	{ "a stub", "", "jmp ext@PLT", "has_tail_call tail_calls_well\n" },
	{ "a stub, with a frame", "", "push rbx; cfa 16; jmp ext@PLT", "" },
	{ "a stub, from where there is no caller", "", "undefined rip; jmp ext@PLT",
	  "has_tail_call tail_calls_well returns\n" },
	{ "code that is not there", "",
	  "push rbx; cfa 16; jmp g; .section .last, \"awx\"; g: nop; .section .eh_frame, \"a\"; 5: "
	  ".long 7f-6f; 6: .long 0; .byte 1; .asciz \"zR\"; .byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, "
	  "16, 0x90, 1; .balign 4, 0; 7: .long 9f-8f; 8: .long .-5b, g-., 100; .byte 0; "
	  ".balign 4, 0; 9: .text",
	  "" },
	{ "it passes through what another leads to", "",
	  "mov eax, 5; 1: nop; mov eax, 6; jne 1b; ret",
	  "+5 from +11: rax=!\nhas_return returns_well\n" },
	{ "a loop by a count", "", "mov eax, 5; je 2f; 1: loop 1b; 2: ret",
	  "+7 from +7: rax=5 rcx=?\n+9 from +5: rax=5 rcx=?\nhas_return returns_well\n" },
	{ "a branch that counts", "", "mov ecx, 5; loop 1f; je 2f; hlt; 2: nop; ret; 1: nop; ret",
	  "+7 from +5 unsure: rcx=?\n+10 from +7 unsure: rcx=?\n+12 from +5: rcx=?\nhas_return "
	  "returns_well\n" },
	{ "a branch that isn't taken says so", "",
	  "lea rax, [rsp-16]; mov rcx, rsp; cmp rcx, rax; jne 1f; nop; je 2f; 2: nop; ret; 1: nop; "
	  "ret",
	  "+16 from +14: rax=c-24 rcx=c-8 compared=rcx,rax\n+18 from +11: rax=c-24 rcx=c-8 "
	  "compared=rcx,rax\nhas_return returns_well\n" },
	{ "one that is taken does", "",
	  "lea rax, [rsp-16]; mov rcx, rdi; cmp rcx, rax; je 1f; nop; ret; 1: nop; ret",
	  "+15 from +11: rax=c-24 rcx=rdi compared=rcx,rax\nhas_return returns_well\n" },
	{ "the stack is aligned", "",
	  "push rbp; cfa 16; mov rbp, rsp; cfa rbp; and rsp, -32; je 1f; 1: nop; leave; "
	  "cfa rsp, 8; ret",
	  "+10 from +8: rbp=c-16 rsp=b4+0 [c-16]=rbp aligned=b4:c-16&-32\nhas_return "
	  "returns_well\n" },
	{ "a jump behind a call that may not come back", "",
	  "push rbx; cfa 16; je 1f; call g; jmp 2f; cfa 8; 2: ret; cfa 16; 1: pop rbx; cfa 8; "
	  "jmp 2b; fde g; ret",
	  "+10 from +12: [c-16]=rbx\n+11 from +1: rsp=c-16 [c-16]=rbx\nhas_return returns_well "
	  "behind=+10 callee=+14\ncalled +14\nweak edge +8 to +10 cfa: rax=! rdx=! rcx=! rsi=! "
	  "rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n" },
	{ "a return that is broken by a way that comes later", "",
	  "je 2f; nop; 1: ret; 2: xor ebx, ebx; jmp 1b",
	  "+3 from +6: rbx=?\n+4 from +0:\nhas_return breaks_convention returns_unknown\n" },
	{ "a jump that is known once the right way has come", "silent",
	  "jne 2f; push rbx; call [rdi]; 1: jmp [rdi]; 2: jmp 1b",
	  "+5 from +7:\n+7 from +0:\nhas_tail_call jump_unknown jump_unread behind=+5\njumped, "
	  "entry 0\njumped, entry 1\n" },
	{ "one that comes there first", "silent",
	  "je 2f; 1: jmp [rdi]; 2: push rbx; call [rdi]; jmp 1b",
	  "+2 from +0 settled:\n+4 from +0:\nhas_tail_call jump_unknown jump_unread\njumped, entry "
	  "1\njumped, entry 0\n" },
	{ "a crossing way to a fragment that another one leads into", "",
	  "push rbx; cfa 16; je g+1; cmp edi, 3; ja g; mov edi, edi; lea rdx, t[rip]; movsxd rax, "
	  "dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 2: nop; 3: hlt; fde g; cfa 24; nop; "
	  "cfa 16; nop; hlt; .section .tables, \"ax\"; t: .long 2b-t, 3b-t, 2b-t, 3b-t; .text",
	  "+26 from +24: rax=<j4@1000031:3 rdx=1000031 rdi=<0..3*1 rsp=c-16 [c-16]=rbx\n+27 from "
	  "+24: rax=<j4@1000031:3 rdx=1000031 rdi=<0..3*1 rsp=c-16 [c-16]=rbx\n+29 from +1: "
	  "rsp=c-16 [c-16]=rbx\nfragments=2\n" },
	{ "a wrong way to one", "",
	  "push rbx; cfa 16; je g+1; jb g; hlt; fde g; cfa 24; nop; cfa 16; nop; hlt",
	  "+6 from +3 wrong: rsp=c-16 [c-16]=rbx\n+7 from +1: rsp=c-16 [c-16]=rbx\nfragments=2\n" },
	{ "a jump table", "",
	  "cmp edi, 1; ja 1f; mov edi, edi; lea rdx, t[rip]; movsxd rax, dword ptr [rdx+rdi*4]; "
	  "add rax, rdx; jmp rax; 2: nop; 1: ret; .section .tables, \"ax\"; "
	  "t: .long 1b-t, 2b-t, 1b-t; .text",
	  "+23 from +21: rax=<j4@1000025:1 rdx=1000025 rdi=<0..1*1\n+24 from +3: rax=? rdx=! "
	  "rdi=?\nhas_return returns_well\n" },
	{ "one without a comparison", "",
	  "mov edi, edi; mov edi, [rdi]; lea rdx, t[rip]; movsxd rax, dword ptr [rdx+rdi*4]; "
	  "add rax, rdx; jmp rax; 2: nop; 1: ret; .section .tables, \"ax\"; "
	  "t: .long 1b-t, 2b-t, 0x7fffffff; .text",
	  "+20 from +18 unsure: rax=j4@1000022:65535 rdx=1000022 rdi=!\n+21 from +18 unsure: "
	  "rax=j4@1000022:65535 rdx=1000022 rdi=!\nhas_return guessed_end\njumped, entry 1\n" },
	{ "one where perhaps nobody goes", "",
	  "cmp edi, 1; ja 1f; mov edi, edi; lea rdx, t[rip]; movsxd rax, dword ptr [rdx+rdi*4]; "
	  "add rax, rdx; nop; same_value rbx; jmp rax; 2: nop; 1: ret; .section .tables, \"ax\"; "
	  "t: .long 1b-t, 2b-t, 1b-t; .text",
	  "+24 from +22 unsure: rax=<j4@1000026:1 rdx=1000026 rdi=<0..1*1\n+25 from +3: rax=? "
	  "rdx=! rdi=?\nhas_return returns_well\n" },

};

START_TEST(ways_are_followed)
{
	ways_check(&cases[_i]);
}
END_TEST

SUITE(flow_paths, TIMEOUT(300), LOOP(ways_are_followed, cases))
