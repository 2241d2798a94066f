/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_doubt.c - code behind calls that may never come back, and behind jumps nobody can read
 *
 * The cases are of flow_paths_fixture.h.
 */
#include "tests/suite.h"
#include "flow_paths_fixture.h"

#define SECOND(name) "	.cfi_endproc\n" name ":	.cfi_startproc\n"

static const struct ways_case cases[] = {
	{ "behind a call it is the function's", "perhaps=100 silent",
	  "\tpush rbx\n\tcall [rdi]\n\tpop rbx\n\tret\n",
	  "+0:\nhas_return returns_well fragments=1\n" },
	{ "it returns with the function's frame", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\tpop rbx\n\tret\n",
	  "+0:\nhas_return returns_well beyond=+3,own rounds=1 fragments=1\n" },
	{ "it returns with another", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\tpop rbx\n\tpush rbx\n\tret\n",
	  "+0:\nbeyond=+3 fragments=1\n" },
	{ "it leads nowhere", "perhaps=3 silent", "\tpush rbx\n\tcall [rdi]\n\thlt\n",
	  "+0:\nbeyond=+3 fragments=1\n" },
	{ "it is another's", "others=3 silent", "\tpush rbx\n\tcall [rdi]\n\tpop rbx\n\tret\n",
	  "+0:\nfragments=1\n" },
	{ "padding is nobody's", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\tnop\n\tnop\n\thlt\n", "+0:\nbeyond=+5 fragments=1\n" },
	{ "a call in place of its return", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\tpop rbx\n\tjmp g\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call tail_calls_well beyond=+3,own rounds=1 fragments=1\ntail-called "
	  "+6\n" },
	{ "a computed one", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\tpop rbx\n\tjmp [rsi]\n",
	  "+0:\nhas_tail_call jump_unknown beyond=+3,own rounds=1 fragments=1\n"
	  "jumped, entry 1\n" },
	{ "it leads back with the same frame", "perhaps=6 silent",
	  "\tpush rbx\n1:\ttest edi, edi\n\tje 2f\n\tcall [rdi]\n\txor eax, eax\n"
	  "\tjmp 1b\n2:\tpop rbx\n\tret\n",
	  "+0:\n"
	  "+1 from +9: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n"
	  "+11 from +3: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n"
	  "has_return returns_well beyond=+7,own rounds=1 fragments=1\n" },
	{ "it leads back with another frame", "perhaps=7 silent",
	  "\tpush rbx\n1:\ttest edi, edi\n\tje 2f\n\tcall [rdi]\n\tpush rcx\n\tjmp 1b\n"
	  "2:\tpop rbx\n\tret\n",
	  "+0:\n+10 from +3: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well beyond=+7 fragments=1\n" },
	{ "another leads there with the same frame", "perhaps=7 silent",
	  "\tpush rbx\n\ttest edi, edi\n\tje 2f\n\tcall [rdi]\n\tnop\n\txor eax, eax\n"
	  "2:\tpop rbx\n\tret\n",
	  "+0:\n"
	  "+10 from +3: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n"
	  "has_return returns_well beyond=+8,own rounds=1 fragments=1\n" },
	{ "one call behind another", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\txor eax, eax\n\tcall [rdi]\n\tpop rbx\n\tret\n",
	  "+0:\nhas_return returns_well beyond=+3,own beyond=+7,own,+3 rounds=1 fragments=1\n" },
	{ "of which the second is nobody's", "perhaps=3 silent",
	  "\tpush rbx\n\tje 2f\n\tcall [rdi]\n\txor eax, eax\n\tcall [rdi]\n\thlt\n"
	  "2:\tpop rbx\n\tret\n",
	  "+0:\n+10 from +1: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well beyond=+5 beyond=+9,+5 fragments=1\n" },
	{ "of which the first one returns", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\ttest edx, ecx\n\tje 1f\n\tcall [rdi]\n\thlt\n"
	  "1:\tpop rbx\n\tret\n",
	  "+0:\n"
	  "+10 from +5: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n"
	  "has_return returns_well beyond=+3,own beyond=+9 rounds=1 fragments=1\n" },
	{ "a loop of calls that may not come back", "perhaps=3 silent",
	  "\tpush rbx\n1:\tcall [rdi]\n\txor ecx, ecx\n\tcall [rdi]\n\ttest edx, ecx\n"
	  "\tje 1b\n\tpop rbx\n\tret\n",
	  "+0:\n"
	  "+1 from +9: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n"
	  "has_return returns_well beyond=+3,own beyond=+7,own,+3 rounds=1 fragments=1\n" },
	{ "a call ends the function", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\t.cfi_endproc\nu:\tpop rbx\n\tret\n"
	  "\t.cfi_startproc\n\tnop\n",
	  "+0:\nbeyond=+3 fragments=1\n" },
	{ "and what is behind is another's", "others=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\t.cfi_endproc\nu:\tpop rbx\n\tret\n"
	  "\t.cfi_startproc\n\tnop\n",
	  "+0:\nfragments=1\n" },
	{ "a branch behind a call", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\txor eax, eax\n\tje 1f\n\thlt\n1:\thlt\n",
	  "+0:\nbeyond=+3 fragments=1\n" },
	{ "a jump behind a call", "perhaps=3 silent",
	  "\tpush rbx\n\tcall [rdi]\n\tjmp 1f\n\thlt\n1:\thlt\n", "+0:\nbeyond=+3 fragments=1\n" },
	{ "with rows nobody asks", "perhaps=3",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tcall [rdi]\n\tnop\n\thlt\n",
	  "+0:\nfragments=1\n" },
	{ "a jump that nobody can read", "silent",
	  "\tpush rbp\n\tpush rbx\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n"
	  "4:\tmov rbp, rdi\n\tcall [rdi]\n\tjmp 2b\n3:\tpop rbx\n\tpop rbp\n\tret\n",
	  "+0:\n+2 from +1: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\n"
	  "+15 from +4: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\n"
	  "has_return returns_well jump_unknown jump_unread unread=+6 back=+2 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "what leads back pops it", "silent",
	  "\tpush rbp\n\tpush rbx\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n"
	  "4:\tmov rbp, rdi\n\tpop rbx\n\tjmp 2b\n3:\tpop rbx\n\tpop rbp\n\tret\n",
	  "+0:\n+2 from +1: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\n"
	  "+14 from +4: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\n"
	  "has_return returns_well jump_unknown jump_unread unread=+6 back=+2 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "what it reaches doesn't lead back", "silent",
	  "\tpush rbp\n\tpush rbx\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n"
	  "4:\tmov rbp, rdi\n\thlt\n3:\tpop rbx\n\tpop rbp\n\tret\n",
	  "+0:\n+12 from +4: rsp=c-24 [c-16]=rbp [c-24]=rbx\n"
	  "has_return returns_well jump_unknown jump_unread unread=+6 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a branch leads back", "silent",
	  "\tpush rbp\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n4:\tmov r12, rdi\n"
	  "\tjne 2b\n\thlt\n3:\tpop rbp\n\tret\n",
	  "+0:\n+1 from +0: rsp=c-16 r12=? [c-16]=rbp\n"
	  "+13 from +3: rsp=c-16 r12=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 back=+1 "
	  "fragments=1\n"
	  "jumped, entry 0\n" },
	{ "it goes on to what others reach", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\tmov r12, rdi\n\tnop\n"
	  "3:\tpop rbp\n\tret\n",
	  "+0:\n+11 from +3: rsp=c-16 r12=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 "
	  "back=+11 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "into the middle of a block", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n4:\tmov r12, rdi\n"
	  "\tjmp 5f\n3:\tnop\n5:\tnop\n\tpop rbp\n\tret\n",
	  "+0:\n+12 from +3: rsp=c-16 r12=? [c-16]=rbp\n"
	  "+13 from +12: rsp=c-16 r12=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 "
	  "back=+13 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "by way of code that is reached later", "silent",
	  "\tpush rbp\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n4:\tmov r13, rdi\n"
	  "\tjmp 5f\n5:\tmov r12, rdi\n\tjmp 2b\n3:\tpop rbp\n\tret\n",
	  "+0:\n+1 from +0: rsp=c-16 r12=? r13=? [c-16]=rbp\n"
	  "+17 from +3: rsp=c-16 r12=? r13=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 back=+1 "
	  "fragments=1\n"
	  "jumped, entry 0\n" },
	{ "back to what comes before it", "silent",
	  "\tpush rbp\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n5:\tmov r12, rdi\n"
	  "\tjmp 2b\n4:\tmov r13, rdi\n\tjmp 5b\n3:\tpop rbp\n\tret\n",
	  "+0:\n+1 from +0: rsp=c-16 r12=? r13=? [c-16]=rbp\n"
	  "+17 from +3: rsp=c-16 r12=? r13=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 back=+1 "
	  "fragments=1\n"
	  "jumped, entry 0\n" },
	{ "bytes that are no instruction", "silent",
	  "\tpush rbp\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\t.byte 6, 6\n"
	  "\tmov r13, rdi\n\tjmp 2b\n3:\tpop rbp\n\tret\n",
	  "+0:\n+1 from +0: rsp=c-16 r13=? [c-16]=rbp\n"
	  "+14 from +3: rsp=c-16 r13=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 back=+1 "
	  "fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a jump out of the function", "silent",
	  "\tpush rbp\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n4:\tmov r13, rdi\n"
	  "\tjmp g\n\thlt\n3:\tpop rbp\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n"
	  "\tret\n",
	  "+0:\n+13 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a transaction leads back", "silent",
	  "\tpush rbp\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n4:\tmov r12, rdi\n"
	  "\txbegin 2b\n\thlt\n3:\tpop rbp\n\tret\n",
	  "+0:\n+1 from +0: rsp=c-16 r12=? [c-16]=rbp\n"
	  "+17 from +3: rsp=c-16 r12=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 back=+1 "
	  "fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a call behind it goes on", "silent",
	  "\tpush rbp\n2:\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n4:\tmov r12, rdi\n"
	  "\tcall [rdi]\n3:\tpop rbp\n\tret\n",
	  "+0:\n+12 from +3: rsp=c-16 r12=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+5 "
	  "back=+12 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "what is overwritten before the jump", "silent",
	  "\tpush rbx\n2:\ttest edi, edi\n\tje 3f\n\tmov rbx, rdi\n\tjmp [rsi]\n3:\tnop\n"
	  "\tpop rbx\n\tret\n",
	  "+0:\n+10 from +3: rbx=? rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well jump_unknown jump_unread unread=+8 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a frame pointer tells frames apart", "silent",
	  "\tpush rbp\n\tmov rbp, rsp\n\tsub rsp, rdi\n2:\ttest edi, edi\n\tje 3f\n"
	  "\tmov rbx, rdi\n\tjmp [rsi]\n3:\tnop\n\tleave\n\tret\n",
	  "+0:\n+16 from +9: rbx=? rbp=c-16 rsp=b4+0 [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+14 "
	  "fragments=1\n"
	  "jumped, entry 0\n" },
	{ "what is known of the stack", "silent",
	  "\tpush rbp\n\tmov rbp, rsp\n\tpush rbx\n2:\ttest edi, edi\n\tje 3f\n"
	  "\txor ebp, ebp\n\tjmp [rsi]\n3:\tnop\n\thlt\n",
	  "+0:\n+13 from +7: rbp=? rsp=c-24 [c-16]=rbp [c-24]=rbx\n"
	  "jump_unknown jump_unread unread=+11 fragments=1\njumped, entry 0\n" },
	{ "where rsp is another", "silent",
	  "\ttest edi, edi\n\tje 3f\n\tpush rbp\n\tmov rbx, rdi\n\tjmp [rsi]\n3:\tnop\n"
	  "\tret\n",
	  "+0:\n+10 from +2:\n"
	  "has_return returns_well jump_unknown jump_unread unread=+8 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "with rows it is only kept", "",
	  "\tpush rbp\n\t.cfi_def_cfa_offset 16\n\ttest edi, edi\n\tje 3f\n"
	  "\tmov r12, rdi\n\tjmp [rsi]\n3:\tpop rbp\n\t.cfi_def_cfa_offset 8\n\tret\n",
	  "+0:\n+10 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+8 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a return by a jump, with rows", "",
	  "\tpop rcx\n\t.cfi_def_cfa_offset 0\n\t.cfi_register rip, rcx\n\tjmp rcx\n",
	  "+0:\njump_unknown jump_unread fragments=1\njumped, entry 0\n" },
	{ "one without", "silent", "\tpop rcx\n\tjmp rcx\n",
	  "+0:\njump_unknown jump_unread unread=+1 fragments=1\njumped, entry 0\n" },
	{ "two jumps", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tmov r12, rdi\n\tjmp [rsi]\n"
	  "3:\tjns 4f\n\tmov r13, rdi\n\tjmp [rsi]\n4:\tnop\n\tpop rbp\n\tret\n",
	  "+0:\n+10 from +3: rsp=c-16 r12=? r13=? [c-16]=rbp\n"
	  "+17 from +10: rsp=c-16 r12=? r13=? [c-16]=rbp\n"
	  "has_return breaks_convention returns_unknown jump_unknown jump_unread unread=+8 "
	  "unread=+15 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "with rows, by an argument", "", "\tpush rbp\n\t.cfi_def_cfa_offset 16\n\tjmp rdi\n",
	  "+0:\njump_unknown jump_unread unread=+1 fragments=1\njumped, entry 0\n" },
	{ "back to the function's begin", "silent",
	  "8:\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\tpop rbp\n\tjmp 8b\n"
	  "3:\tpop rbp\n\tret\n",
	  "+0:\n+10 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 back=+0 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "to before it", "silent",
	  "8:\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\tmov r12, rdi\n"
	  "\tjmp 8b-1\n3:\tpop rbp\n\tret\n",
	  "+0:\n+12 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a jump elsewhere, and what is behind it", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\tmov r12, rdi\n\tjmp g\n"
	  "3:\tpop rbp\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n+12 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "a return, and what is behind it", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\tmov r12, rdi\n\tret\n"
	  "3:\tpop rbp\n\tret\n",
	  "+0:\n+11 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "another such jump, and what is behind it", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\tmov r12, rdi\n"
	  "\tjmp [rdi]\n3:\tpop rbp\n\tret\n",
	  "+0:\n+12 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "an interrupt's return, and what is behind it", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n\tmov r12, rdi\n\tiretq\n"
	  "3:\tpop rbp\n\tret\n",
	  "+0:\n+12 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "an instruction that the function's end cuts off", "silent",
	  "\tpush rbp\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n3:\tpop rbp\n\tret\n"
	  "9:\t.byte 0x74\n\t.cfi_endproc\ng:\t.cfi_startproc\n\t.byte 3b-9b-2\n\tret\n",
	  "+0:\n+7 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "with rows nobody looks where it leads", "",
	  "\tpush rbp\n\t.cfi_def_cfa_offset 16\n\ttest edi, edi\n\tje 3f\n\tjmp [rsi]\n"
	  "\tmov r12, rdi\n3:\tpop rbp\n\t.cfi_def_cfa_offset 8\n\tret\n",
	  "+0:\n+10 from +3: rsp=c-16 [c-16]=rbp\n"
	  "has_return returns_well jump_unknown jump_unread unread=+5 fragments=1\n"
	  "jumped, entry 0\n" },

};

START_TEST(doubts_are_decided)
{
	ways_check(&cases[_i]);
}
END_TEST

SUITE(flow_doubt, TIMEOUT(300), LOOP(doubts_are_decided, cases))
