/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_doubt.c - code behind calls that may never come back, and behind jumps nobody can read
 *
 * The cases are of flow_paths_fixture.h.
 */
#include "tests/suite.h"
#include "flow_paths_fixture.h"

#define SECOND(name) "endproc; " name ": startproc; "

static const struct ways_case cases[] = {
	{ "behind a call it is the function's", "perhaps=100 silent",
	  "push rbx; call [rdi]; pop rbx; ret", "has_return returns_well\n" },
	{ "it returns with the function's frame", "perhaps=3 silent",
	  "push rbx; call [rdi]; pop rbx; ret",
	  "has_return returns_well beyond=+3,own rounds=1\n" },
	{ "it returns with another", "perhaps=3 silent",
	  "push rbx; call [rdi]; pop rbx; push rbx; ret", "beyond=+3\n" },
	{ "it leads nowhere", "perhaps=3 silent", "push rbx; call [rdi]; hlt", "beyond=+3\n" },
	{ "it is another's", "others=3 silent", "push rbx; call [rdi]; pop rbx; ret", "" },
	{ "padding is nobody's", "perhaps=3 silent", "push rbx; call [rdi]; nop; nop; hlt",
	  "beyond=+5\n" },
	{ "a call in place of its return", "perhaps=3 silent",
	  "push rbx; call [rdi]; pop rbx; jmp g; fde g; ret",
	  "has_tail_call tail_calls_well beyond=+3,own rounds=1\ntail-called +6\n" },
	{ "a computed one", "perhaps=3 silent", "push rbx; call [rdi]; pop rbx; jmp [rsi]",
	  "has_tail_call jump_unknown beyond=+3,own rounds=1\njumped, entry 1\n" },
	{ "it leads back with the same frame", "perhaps=6 silent",
	  "push rbx; 1: test edi, edi; je 2f; call [rdi]; xor eax, eax; jmp 1b; 2: pop rbx; ret",
	  "+1 from +9: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx\n+11 from +3: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx\nhas_return returns_well beyond=+7,own rounds=1\n" },
	{ "it leads back with another frame", "perhaps=7 silent",
	  "push rbx; 1: test edi, edi; je 2f; call [rdi]; push rcx; jmp 1b; 2: pop rbx; ret",
	  "+10 from +3: rsp=c-16 [c-16]=rbx\nhas_return returns_well beyond=+7\n" },
	{ "another leads there with the same frame", "perhaps=7 silent",
	  "push rbx; test edi, edi; je 2f; call [rdi]; nop; xor eax, eax; 2: pop rbx; ret",
	  "+10 from +3: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx\nhas_return returns_well beyond=+8,own rounds=1\n" },
	{ "one call behind another", "perhaps=3 silent",
	  "push rbx; call [rdi]; xor eax, eax; call [rdi]; pop rbx; ret",
	  "has_return returns_well beyond=+3,own beyond=+7,own,+3 rounds=1\n" },
	{ "of which the second is nobody's", "perhaps=3 silent",
	  "push rbx; je 2f; call [rdi]; xor eax, eax; call [rdi]; hlt; 2: pop rbx; ret",
	  "+10 from +1: rsp=c-16 [c-16]=rbx\nhas_return returns_well beyond=+5 beyond=+9,+5\n" },
	{ "of which the first one returns", "perhaps=3 silent",
	  "push rbx; call [rdi]; test edx, ecx; je 1f; call [rdi]; hlt; 1: pop rbx; ret",
	  "+10 from +5: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx\nhas_return returns_well beyond=+3,own beyond=+9 rounds=1\n" },
	{ "a loop of calls that may not come back", "perhaps=3 silent",
	  "push rbx; 1: call [rdi]; xor ecx, ecx; call [rdi]; test edx, ecx; je 1b; pop rbx; ret",
	  "+1 from +9: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx\nhas_return returns_well beyond=+3,own beyond=+7,own,+3 rounds=1\n" },
	{ "a call ends the function", "perhaps=3 silent",
	  "push rbx; call [rdi]; endproc; u: pop rbx; ret; startproc; nop", "beyond=+3\n" },
	{ "and what is behind is another's", "others=3 silent",
	  "push rbx; call [rdi]; endproc; u: pop rbx; ret; startproc; nop", "" },
	{ "a branch behind a call", "perhaps=3 silent",
	  "push rbx; call [rdi]; xor eax, eax; je 1f; hlt; 1: hlt", "beyond=+3\n" },
	{ "a jump behind a call", "perhaps=3 silent", "push rbx; call [rdi]; jmp 1f; hlt; 1: hlt",
	  "beyond=+3\n" },
	{ "with rows nobody asks", "perhaps=3", "push rbx; cfa 16; call [rdi]; nop; hlt", "" },
	{ "a jump that nobody can read", "silent",
	  "push rbp; push rbx; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov rbp, rdi; call [rdi]; "
	  "jmp 2b; 3: pop rbx; pop rbp; ret",
	  "+2 from +1: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\n+15 from +4: rbp=? rsp=c-24 "
	  "[c-16]=rbp [c-24]=rbx\nhas_return returns_well jump_unknown jump_unread unread=+6 "
	  "back=+2\njumped, entry 0\n" },
	{ "what leads back pops it", "silent",
	  "push rbp; push rbx; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov rbp, rdi; pop rbx; "
	  "jmp 2b; 3: pop rbx; pop rbp; ret",
	  "+2 from +1: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\n+14 from +4: rbp=? rsp=c-24 "
	  "[c-16]=rbp [c-24]=rbx\nhas_return returns_well jump_unknown jump_unread unread=+6 "
	  "back=+2\njumped, entry 0\n" },
	{ "what it reaches doesn't lead back", "silent",
	  "push rbp; push rbx; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov rbp, rdi; hlt; "
	  "3: pop rbx; pop rbp; ret",
	  "+12 from +4: rsp=c-24 [c-16]=rbp [c-24]=rbx\nhas_return returns_well jump_unknown "
	  "jump_unread unread=+6\njumped, entry 0\n" },
	{ "a branch leads back", "silent",
	  "push rbp; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov r12, rdi; jne 2b; hlt; 3: pop rbp; "
	  "ret",
	  "+1 from +0: rsp=c-16 r12=? [c-16]=rbp\n+13 from +3: rsp=c-16 r12=? "
	  "[c-16]=rbp\nhas_return breaks_convention returns_unknown jump_unknown jump_unread "
	  "unread=+5 back=+1\njumped, entry 0\n" },
	{ "it goes on to what others reach", "silent",
	  "push rbp; test edi, edi; je 3f; jmp [rsi]; mov r12, rdi; nop; 3: pop rbp; ret",
	  "+11 from +3: rsp=c-16 r12=? [c-16]=rbp\nhas_return breaks_convention returns_unknown "
	  "jump_unknown jump_unread unread=+5 back=+11\njumped, entry 0\n" },
	{ "into the middle of a block", "silent",
	  "push rbp; test edi, edi; je 3f; jmp [rsi]; 4: mov r12, rdi; jmp 5f; 3: nop; 5: nop; "
	  "pop rbp; ret",
	  "+12 from +3: rsp=c-16 r12=? [c-16]=rbp\n+13 from +12: rsp=c-16 r12=? "
	  "[c-16]=rbp\nhas_return breaks_convention returns_unknown jump_unknown jump_unread "
	  "unread=+5 back=+13\njumped, entry 0\n" },
	{ "by way of code that is reached later", "silent",
	  "push rbp; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov r13, rdi; jmp 5f; 5: mov r12, rdi; "
	  "jmp 2b; 3: pop rbp; ret",
	  "+1 from +0: rsp=c-16 r12=? r13=? [c-16]=rbp\n+17 from +3: rsp=c-16 r12=? r13=? "
	  "[c-16]=rbp\nhas_return breaks_convention returns_unknown jump_unknown jump_unread "
	  "unread=+5 back=+1\njumped, entry 0\n" },
	{ "back to what comes before it", "silent",
	  "push rbp; 2: test edi, edi; je 3f; jmp [rsi]; 5: mov r12, rdi; jmp 2b; 4: mov r13, rdi; "
	  "jmp 5b; 3: pop rbp; ret",
	  "+1 from +0: rsp=c-16 r12=? r13=? [c-16]=rbp\n+17 from +3: rsp=c-16 r12=? r13=? "
	  "[c-16]=rbp\nhas_return breaks_convention returns_unknown jump_unknown jump_unread "
	  "unread=+5 back=+1\njumped, entry 0\n" },
	{ "bytes that are no instruction", "silent",
	  "push rbp; 2: test edi, edi; je 3f; jmp [rsi]; .byte 6, 6; mov r13, rdi; jmp 2b; "
	  "3: pop rbp; ret",
	  "+1 from +0: rsp=c-16 r13=? [c-16]=rbp\n+14 from +3: rsp=c-16 r13=? "
	  "[c-16]=rbp\nhas_return breaks_convention returns_unknown jump_unknown jump_unread "
	  "unread=+5 back=+1\njumped, entry 0\n" },
	{ "a jump out of the function", "silent",
	  "push rbp; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov r13, rdi; jmp g; hlt; 3: pop rbp; "
	  "ret; fde g; ret",
	  "+13 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },
	{ "a transaction leads back", "silent",
	  "push rbp; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov r12, rdi; xbegin 2b; hlt; "
	  "3: pop rbp; ret",
	  "+1 from +0: rsp=c-16 r12=? [c-16]=rbp\n+17 from +3: rsp=c-16 r12=? "
	  "[c-16]=rbp\nhas_return breaks_convention returns_unknown jump_unknown jump_unread "
	  "unread=+5 back=+1\njumped, entry 0\n" },
	{ "a call behind it goes on", "silent",
	  "push rbp; 2: test edi, edi; je 3f; jmp [rsi]; 4: mov r12, rdi; call [rdi]; 3: pop rbp; "
	  "ret",
	  "+12 from +3: rsp=c-16 r12=? [c-16]=rbp\nhas_return breaks_convention returns_unknown "
	  "jump_unknown jump_unread unread=+5 back=+12\njumped, entry 0\n" },
	{ "what is overwritten before the jump", "silent",
	  "push rbx; 2: test edi, edi; je 3f; mov rbx, rdi; jmp [rsi]; 3: nop; pop rbx; ret",
	  "+10 from +3: rbx=? rsp=c-16 [c-16]=rbx\nhas_return returns_well jump_unknown "
	  "jump_unread unread=+8\njumped, entry 0\n" },
	{ "a frame pointer tells frames apart", "silent",
	  "push rbp; mov rbp, rsp; sub rsp, rdi; 2: test edi, edi; je 3f; mov rbx, rdi; jmp [rsi]; "
	  "3: nop; leave; ret",
	  "+16 from +9: rbx=? rbp=c-16 rsp=b4+0 [c-16]=rbp\nhas_return breaks_convention "
	  "returns_unknown jump_unknown jump_unread unread=+14\njumped, entry 0\n" },
	{ "what is known of the stack", "silent",
	  "push rbp; mov rbp, rsp; push rbx; 2: test edi, edi; je 3f; xor ebp, ebp; jmp [rsi]; "
	  "3: nop; hlt",
	  "+13 from +7: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\njump_unknown jump_unread "
	  "unread=+11\njumped, entry 0\n" },
	{ "where rsp is another", "silent",
	  "test edi, edi; je 3f; push rbp; mov rbx, rdi; jmp [rsi]; 3: nop; ret",
	  "+10 from +2:\nhas_return returns_well jump_unknown jump_unread unread=+8\njumped, entry "
	  "0\n" },
	{ "with rows it is only kept", "",
	  "push rbp; cfa 16; test edi, edi; je 3f; mov r12, rdi; jmp [rsi]; 3: pop rbp; cfa 8; ret",
	  "+10 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+8\njumped, entry 0\n" },
	{ "a return by a jump, with rows", "", "pop rcx; cfa 0; register rip, rcx; jmp rcx",
	  "jump_unknown jump_unread\njumped, entry 0\n" },
	{ "one without", "silent", "pop rcx; jmp rcx",
	  "jump_unknown jump_unread unread=+1\njumped, entry 0\n" },
	{ "two jumps", "silent",
	  "push rbp; test edi, edi; je 3f; mov r12, rdi; jmp [rsi]; 3: jns 4f; mov r13, rdi; "
	  "jmp [rsi]; 4: nop; pop rbp; ret",
	  "+10 from +3: rsp=c-16 r12=? r13=? [c-16]=rbp\n+17 from +10: rsp=c-16 r12=? r13=? "
	  "[c-16]=rbp\nhas_return breaks_convention returns_unknown jump_unknown jump_unread "
	  "unread=+8 unread=+15\njumped, entry 0\n" },
	{ "with rows, by an argument", "", "push rbp; cfa 16; jmp rdi",
	  "jump_unknown jump_unread unread=+1\njumped, entry 0\n" },
	{ "back to the function's begin", "silent",
	  "8: push rbp; test edi, edi; je 3f; jmp [rsi]; pop rbp; jmp 8b; 3: pop rbp; ret",
	  "+10 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5 back=+0\njumped, entry 0\n" },
	{ "to before it", "silent",
	  "8: push rbp; test edi, edi; je 3f; jmp [rsi]; mov r12, rdi; jmp 8b-1; 3: pop rbp; ret",
	  "+12 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },
	{ "a jump elsewhere, and what is behind it", "silent",
	  "push rbp; test edi, edi; je 3f; jmp [rsi]; mov r12, rdi; jmp g; 3: pop rbp; ret; fde g; "
	  "ret",
	  "+12 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },
	{ "a return, and what is behind it", "silent",
	  "push rbp; test edi, edi; je 3f; jmp [rsi]; mov r12, rdi; ret; 3: pop rbp; ret",
	  "+11 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },
	{ "another such jump, and what is behind it", "silent",
	  "push rbp; test edi, edi; je 3f; jmp [rsi]; mov r12, rdi; jmp [rdi]; 3: pop rbp; ret",
	  "+12 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },
	{ "an interrupt's return, and what is behind it", "silent",
	  "push rbp; test edi, edi; je 3f; jmp [rsi]; mov r12, rdi; iretq; 3: pop rbp; ret",
	  "+12 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },
	{ "an instruction that the function's end cuts off", "silent",
	  "push rbp; test edi, edi; je 3f; jmp [rsi]; 3: pop rbp; ret; 9: .byte 0x74; fde g; "
	  ".byte 3b-9b-2; ret",
	  "+7 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },
	{ "with rows nobody looks where it leads", "",
	  "push rbp; cfa 16; test edi, edi; je 3f; jmp [rsi]; mov r12, rdi; 3: pop rbp; cfa 8; ret",
	  "+10 from +3: rsp=c-16 [c-16]=rbp\nhas_return returns_well jump_unknown jump_unread "
	  "unread=+5\njumped, entry 0\n" },

};

START_TEST(doubts_are_decided)
{
	ways_check(&cases[_i]);
}
END_TEST

SUITE(flow_doubt, TIMEOUT(300), LOOP(doubts_are_decided, cases))
