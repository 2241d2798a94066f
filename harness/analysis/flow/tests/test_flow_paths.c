/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_paths.c - functions in assembly, and all that is known once their paths were followed
 *
 * The cases are of flow_paths_fixture.h.
 */
#include "tests/suite.h"
#include "flow_paths_fixture.h"

#define SECOND(name) "	.cfi_endproc\n" name ":	.cfi_startproc\n"

static const struct ways_case cases[] = {
	{ "straight on", "", "\txor eax, eax\n\tret\n",
	  "+0:\nhas_return returns_well fragments=1\n" },
	{ "two ways meet", "", "\ttest edi, edi\n\tje 1f\n\tmov eax, 5\n1:\tnop\n\tret\n",
	  "+0:\n+9 from +2: rax=!\nhas_return returns_well fragments=1\n" },
	{ "a branch says which is equal", "",
	  "\tcmp rdi, 5\n\tjne 1f\n\tnop\n\tret\n1:\tmov rax, rdi\n\tret\n",
	  "+0:\n+8 from +4: compared=rdi,5\nhas_return returns_well fragments=1\n" },
	{ "into what was passed through", "", "\txor eax, eax\n1:\tdec edi\n\tjne 1b\n\tret\n",
	  "+0:\n+2 from +4: rax=0 rdi=!\nhas_return returns_well fragments=1\n" },
	{ "a transaction", "", "\tmov eax, 5\n\txbegin 1f\n\tnop\n\tret\n1:\tnop\n\tret\n",
	  "+0:\n+13 from +5: rax=?\nhas_return returns_well fragments=1\n" },
	{ "it stops", "", "\txor ebx, ebx\n\tud2\n", "+0:\nfragments=1\n" },
	{ "bytes that are no instruction", "", "\tnop\n\t.byte 6\n", "+0:\nfragments=1\n" },
	{ "an interrupt's handler", "", "\tiretq\n", "+0:\nis_handler fragments=1\n" },
	{ "a frame that is not taken down", "", "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tret\n",
	  "+0:\nhas_return returns_elsewhere returns_unknown popped=-1 fragments=1\n" },
	{ "more is taken down", "", "\tpop rcx\n\t.cfi_def_cfa_offset 0\n\tret\n",
	  "+0:\n"
	  "has_return returns_elsewhere returned_to returns_unknown popped=8 fragments=1\n" },
	{ "the same behind a call that may not come back", "",
	  "\tpop rcx\n\t.cfi_def_cfa_offset 0\n\tcall [rdi]\n\tret\n",
	  "+0:\nbehind=+3 fragments=1\n" },
	{ "what callees preserve is overwritten", "", "\txor ebx, ebx\n\tret\n",
	  "+0:\nhas_return breaks_convention returns_unknown fragments=1\n" },
	{ "by one of two ways", "", "\ttest edi, edi\n\tje 1f\n\txor ebx, ebx\n\tret\n1:\tret\n",
	  "+0:\n+7 from +2:\n"
	  "has_return breaks_convention returns_well returns_unknown fragments=1\n" },
	{ "the caller's value as an address", "",
	  "\tmov rax, [rbx]\n\tmov rax, [rdi+r12*8]\n\tmov rcx, r14\n\tmov rcx, [rcx]\n"
	  "\tlea rax, [r13]\n\tnop qword ptr [r15]\n\tret\n",
	  "+0:\nhas_return returns_well by=rbx by=r12 by=r14 fragments=1\n" },
	{ "a call in place of a return", "", "\tjmp g\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call tail_calls_well fragments=1\ntail-called +2\n" },
	{ "on a way that perhaps nobody goes", "",
	  "\tcall [rdi]\n\tjmp g\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call fragments=1\n" },
	{ "with what callees preserve overwritten", "",
	  "\txor ebx, ebx\n\tjmp g\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call breaks_convention fragments=1\n" },
	{ "to a function, with a frame", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tjmp g\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret\n",
	  "+0:\nfragments=1\n" },
	{ "with its frame gone", "",
	  "\tmov rsp, rdi\n\t.cfi_undefined rip\n\tjmp g\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret\n",
	  "+0:\nfragments=1\n" },
	{ "another fragment", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje f_cold\n1:\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\nf_cold:\t.cfi_startproc\n"
	  "\t.cfi_def_cfa_offset 16\n\tnop\n\tjmp 1b\n",
	  "+0:\n+3 from +6: rsp=c-16 [c-16]=rbx\n+5 from +1: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well fragments=2\n" },
	{ "into the middle of a function", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g+1\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tnop\n"
	  "\tnop\n\tret\n",
	  "+0:\n+6 from +1 wrong: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_elsewhere returns_well returns_unknown popped=-1 fragments=2\n" },
	{ "a fragment by its name", "crossing",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje f.cold\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\nf.cold:\t.cfi_startproc\n"
	  "\tnop\n\tud2\n",
	  "+0:\n+5 from +1 wrong: rsp=c-16 [c-16]=rbx\nhas_return returns_well fragments=2\n"
	  "crossing +5\n" },
	{ "another function's", "crossing",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g.cold\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\ng.cold:\t.cfi_startproc\n"
	  "\tnop\n\tud2\n",
	  "+0:\nhas_return returns_well fragments=1\n" },
	{ "a part of another frame", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n"
	  "\t.cfi_def_cfa_offset 24\n\tnop\n\tud2\n",
	  "+0:\nhas_return returns_well fragments=1\n" },
	{ "one that is asked for", "crossing=left",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n"
	  "\t.cfi_def_cfa_offset 24\n\tnop\n\tud2\n",
	  "+0:\nhas_return returns_well fragments=1\ncrossing +5\n" },
	{ "one that is followed", "crossing",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n"
	  "\t.cfi_def_cfa_offset 24\n\tnop\n\tud2\n",
	  "+0:\n+5 from +1 wrong: rsp=c-16 [c-16]=rbx\nhas_return returns_well fragments=2\n"
	  "crossing +5\n" },
	{ "one that is not asked for, behind a call", "crossing",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tcall [rdi]\n\tjmp g\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\t.cfi_def_cfa_offset 24\n\tnop\n\tud2\n",
	  "+0:\nfragments=1\n" },
	{ "one that is not asked for, where perhaps nobody goes", "crossing",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tnop\n\t.cfi_same_value rbx\n\tjmp g\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\t.cfi_def_cfa_offset 24\n\tnop\n\tud2\n",
	  "+0:\nfragments=1\n" },
	{ "code that no rows cover", "",
	  "\tje u\n\tret\n\t.cfi_endproc\nu:\tnop\n\tret\n\t.cfi_startproc\n\tnop\n",
	  "+0:\nhas_return returns_well fragments=1\nuncovered +3 from +0\n" },
	{ "behind a call that may not come back nobody is told", "",
	  "\tcall [rdi]\n\tjmp u\n\t.cfi_endproc\nu:\tnop\n\tret\n\t.cfi_startproc\n"
	  "\tnop\n",
	  "+0:\nfragments=1\n" },
	{ "where no code lies", "", "\tje f+0x100000\n\tret\n",
	  "+0:\nhas_return returns_well fragments=1\n" },
	{ "it has no caller, and returns", "", "\t.cfi_undefined rip\n\tret\n",
	  "+0:\nhas_return returns_well returns fragments=1\n" },
	{ "it returns in another function", "",
	  "\t.cfi_undefined rip\n\tjmp g\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call tail_calls_well returns fragments=1\ntail-called +2\n" },
	{ "that has no caller, too", "",
	  "\t.cfi_undefined rip\n\tjmp g\n\t.cfi_endproc\ng:\t.cfi_startproc\n"
	  "\t.cfi_undefined rip\n\tret\n",
	  "+0:\nhas_tail_call tail_calls_well fragments=1\ntail-called +2\n" },
	{ "it has one where it leaves", "",
	  "\t.cfi_undefined rip\n\tnop\n\t.cfi_restore rip\n\tjmp g\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call tail_calls_well returns fragments=1\ntail-called +3\n" },
	{ "it ends in the next function", "", "\tnop\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call fragments=1\n" },
	{ "which it has no caller in", "",
	  "\t.cfi_undefined rip\n\tnop\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_tail_call fragments=1\n" },
	{ "the same with a frame", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tnop\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\t.cfi_def_cfa_offset 16\n\tnop\n\tud2\n",
	  "+0:\n+2 from +1 unsure: rsp=c-16 [c-16]=rbx\nfragments=2\n" },
	{ "it ends where no rows are", "",
	  "\tnop\n\t.cfi_endproc\nu:\tret\n\t.cfi_startproc\n\tnop\n",
	  "+0:\nfragments=1\nuncovered +1 from +0\n" },
	{ "a call ends it", "", "\tcall [rdi]\n\t.cfi_endproc\nu:\tret\n\t.cfi_startproc\n\tnop\n",
	  "+0:\nfragments=1\n" },
	{ "a jump nobody knows where to", "", "\tjmp [rdi]\n",
	  "+0:\nhas_tail_call jump_unknown fragments=1\njumped, entry 1\n" },
	{ "one with a frame", "", "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tjmp [rdi]\n",
	  "+0:\njump_unknown jump_unread unread=+1 fragments=1\njumped, entry 0\n" },
	{ "behind another one", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje 1f\n\tjmp [rdi]\n1:\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tjmp [rdi]\n",
	  "+0:\n+5 from +1: rsp=c-16 [c-16]=rbx\n"
	  "has_tail_call jump_unknown jump_unread unread=+3 fragments=1\njumped, entry 0\n"
	  "jumped, entry 1\n" },
	{ "the row is another's behind the call", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje 1f\n\tcall [rdi]\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_def_cfa_offset 16\n1:\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n",
	  "+0:\n+6 from +1: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well behind=+5 fragments=1\n" },
	{ "and behind a call of a function", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje 1f\n\tcall g\n"
	  "\t.cfi_def_cfa_offset 8\n2:\tret\n\t.cfi_def_cfa_offset 16\n1:\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tjmp 2b\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n+8 from +10: [c-16]=rbx\n+9 from +1: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well behind=+8 callee=+12 fragments=1\ncalled +12\n"
	  "weak edge +3 to +8 cfa: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx\n" },
	{ "padding behind the call", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje 1f\n\tcall g\n\tnop\n\tnop\n"
	  "\t.cfi_def_cfa_offset 8\n2:\tret\n\t.cfi_def_cfa_offset 16\n1:\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tjmp 2b\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n+10 from +12: [c-16]=rbx\n+11 from +1: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well behind=+10 callee=+14 fragments=1\ncalled +14\n" },
	{ "padding, and another row", "",
	  "\tje 1f\n\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tnop\n"
	  "\t.cfi_def_cfa_offset 8\n\tnop\n1:\tret\n",
	  "+0:\n+5 from +0:\nhas_return returns_well fragments=1\n" },
	{ "a way that the row doesn't declare", "",
	  "\tje 1f\n\tpush rax\n\t.cfi_def_cfa_offset 16\n\tjmp 1f\n"
	  "\t.cfi_def_cfa_offset 8\n1:\tnop\n\tret\n",
	  "+0:\n+5 from +0:\nhas_return returns_well fragments=1\n"
	  "edge +3 to +5 cfa: rsp=c-16 [c-16]=rax\n" },
	{ "the same on a way that goes on", "",
	  "\tje 1f\n\tpush rax\n\t.cfi_def_cfa_offset 16\n\txor eax, eax\n"
	  "\t.cfi_def_cfa_offset 8\n1:\tnop\n\tret\n",
	  "+0:\n+5 from +0:\nhas_return returns_well fragments=1\n"
	  "edge +3 to +5 cfa: rax=0 rsp=c-16 [c-16]=rax\n" },
	{ "what no rule speaks of", "", "\tje 1f\n\txor ebx, ebx\n1:\tnop\n\tret\n",
	  "+0:\n+4 from +0: rbx=?\nhas_return breaks_convention returns_unknown fragments=1\n" },
	{ "a process begins here", "program", "\tnop\n\tret\n",
	  "+0 wrong: bare [c-8]=!\nhas_return returns_well fragments=1\n" },
	{ "a process begins elsewhere", "", "\tnop\n\tret\n",
	  "+0:\nhas_return returns_well fragments=1\n" },
	{ "a fragment that nobody follows", "crossing=left",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje f.cold\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\nf.cold:\t.cfi_startproc\n"
	  "\tnop\n\tud2\n",
	  "+0:\nhas_return returns_well fragments=1\ncrossing +5\n" },
	{ "more is taken down, without a row", "silent", "\tpop rcx\n\tret\n",
	  "+0:\n"
	  "has_return returns_elsewhere returned_to returns_unknown popped=8 fragments=1\n" },
	{ "the same behind a call", "silent", "\tpop rcx\n\tcall [rdi]\n\tret\n",
	  "+0:\nhas_return returns_elsewhere returns_unknown popped=8 fragments=1\n" },
	{ "the same below the return address", "silent", "\tpush rcx\n\tret\n",
	  "+0:\nhas_return returns_elsewhere returns_unknown popped=-1 fragments=1\n" },
	{ "rsp is nobody knows where", "silent", "\tmov rsp, rdi\n\tret\n",
	  "+0:\nhas_return returns_unknown popped=-1 fragments=1\n" },
	{ "a stub", "", "\tjmp ext@PLT\n", "+0:\nhas_tail_call tail_calls_well fragments=1\n" },
	{ "a stub, with a frame", "", "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tjmp ext@PLT\n",
	  "+0:\nfragments=1\n" },
	{ "a stub, from where there is no caller", "", "\t.cfi_undefined rip\n\tjmp ext@PLT\n",
	  "+0:\nhas_tail_call tail_calls_well returns fragments=1\n" },
	{ "code that is not there", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tjmp g\n\t.section .last, \"awx\"\n"
	  "g:\tnop\n\t.section .eh_frame, \"a\"\n5:\t.long 7f-6f\n6:\t.long 0\n"
	  "\t.byte 1\n\t.asciz \"zR\"\n"
	  "\t.byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 16, 0x90, 1\n\t.balign 4, 0\n"
	  "7:\t.long 9f-8f\n8:\t.long .-5b, g-., 100\n\t.byte 0\n\t.balign 4, 0\n9:\n"
	  "\t.text\n",
	  "+0:\nfragments=1\n" },
	{ "it passes through what another leads to", "",
	  "\tmov eax, 5\n1:\tnop\n\tmov eax, 6\n\tjne 1b\n\tret\n",
	  "+0:\n+5 from +11: rax=!\nhas_return returns_well fragments=1\n" },
	{ "a loop by a count", "", "\tmov eax, 5\n\tje 2f\n1:\tloop 1b\n2:\tret\n",
	  "+0:\n+7 from +7: rax=5 rcx=?\n+9 from +5: rax=5 rcx=?\n"
	  "has_return returns_well fragments=1\n" },
	{ "a branch that counts", "",
	  "\tmov ecx, 5\n\tloop 1f\n\tje 2f\n\thlt\n2:\tnop\n\tret\n1:\tnop\n\tret\n",
	  "+0:\n+7 from +5 unsure: rcx=?\n+10 from +7 unsure: rcx=?\n+12 from +5: rcx=?\n"
	  "has_return returns_well fragments=1\n" },
	{ "a branch that isn't taken says so", "",
	  "\tlea rax, [rsp-16]\n\tmov rcx, rsp\n\tcmp rcx, rax\n\tjne 1f\n\tnop\n"
	  "\tje 2f\n2:\tnop\n\tret\n1:\tnop\n\tret\n",
	  "+0:\n+16 from +14: rax=c-24 rcx=c-8 compared=rcx,rax\n"
	  "+18 from +11: rax=c-24 rcx=c-8 compared=rcx,rax\n"
	  "has_return returns_well fragments=1\n" },
	{ "one that is taken does", "",
	  "\tlea rax, [rsp-16]\n\tmov rcx, rdi\n\tcmp rcx, rax\n\tje 1f\n\tnop\n\tret\n"
	  "1:\tnop\n\tret\n",
	  "+0:\n+15 from +11: rax=c-24 rcx=rdi compared=rcx,rax\n"
	  "has_return returns_well fragments=1\n" },
	{ "the stack is aligned", "",
	  "\tpush rbp\n\t.cfi_def_cfa_offset 16\n\tmov rbp, rsp\n"
	  "\t.cfi_def_cfa_register rbp\n\tand rsp, -32\n\tje 1f\n1:\tnop\n\tleave\n"
	  "\t.cfi_def_cfa rsp, 8\n\tret\n",
	  "+0:\n+10 from +8: rbp=c-16 rsp=b4+0 [c-16]=rbp aligned=b4:c-16&-32\n"
	  "has_return returns_well fragments=1\n" },
	{ "a jump behind a call that may not come back", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje 1f\n\tcall g\n\tjmp 2f\n"
	  "\t.cfi_def_cfa_offset 8\n2:\tret\n\t.cfi_def_cfa_offset 16\n1:\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tjmp 2b\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n+10 from +12: [c-16]=rbx\n+11 from +1: rsp=c-16 [c-16]=rbx\n"
	  "has_return returns_well behind=+10 callee=+14 fragments=1\ncalled +14\n"
	  "weak edge +8 to +10 cfa: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx\n" },
	{ "a return that is broken by a way that comes later", "",
	  "\tje 2f\n\tnop\n1:\tret\n2:\txor ebx, ebx\n\tjmp 1b\n",
	  "+0:\n+3 from +6: rbx=?\n+4 from +0:\n"
	  "has_return breaks_convention returns_unknown fragments=1\n" },
	{ "a jump that is known once the right way has come", "silent",
	  "\tjne 2f\n\tpush rbx\n\tcall [rdi]\n1:\tjmp [rdi]\n2:\tjmp 1b\n",
	  "+0:\n+5 from +7:\n+7 from +0:\n"
	  "has_tail_call jump_unknown jump_unread behind=+5 fragments=1\njumped, entry 0\n"
	  "jumped, entry 1\n" },
	{ "one that comes there first", "silent",
	  "\tje 2f\n1:\tjmp [rdi]\n2:\tpush rbx\n\tcall [rdi]\n\tjmp 1b\n",
	  "+0:\n+2 from +0 settled:\n+4 from +0:\n"
	  "has_tail_call jump_unknown jump_unread fragments=1\njumped, entry 1\n"
	  "jumped, entry 0\n" },
	{ "a crossing way to a fragment that another one leads into", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g+1\n\tcmp edi, 3\n\tja g\n"
	  "\tmov edi, edi\n\tlea rdx, t[rip]\n\tmovsxd rax, dword ptr [rdx+rdi*4]\n"
	  "\tadd rax, rdx\n\tjmp rax\n2:\tnop\n3:\thlt\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\t.cfi_def_cfa_offset 24\n\tnop\n"
	  "\t.cfi_def_cfa_offset 16\n\tnop\n\thlt\n\t.section .tables, \"ax\"\n"
	  "t:\t.long 2b-t, 3b-t, 2b-t, 3b-t\n\t.text\n",
	  "+0:\n"
	  "+26 from +24: rax=<j4@1000031:3 rdx=1000031 rdi=<0..3*1 rsp=c-16 [c-16]=rbx\n"
	  "+27 from +24: rax=<j4@1000031:3 rdx=1000031 rdi=<0..3*1 rsp=c-16 [c-16]=rbx\n"
	  "+29 from +1: rsp=c-16 [c-16]=rbx\nfragments=2\n" },
	{ "a wrong way to one", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g+1\n\tjb g\n\thlt\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\t.cfi_def_cfa_offset 24\n\tnop\n"
	  "\t.cfi_def_cfa_offset 16\n\tnop\n\thlt\n",
	  "+0:\n+6 from +3 wrong: rsp=c-16 [c-16]=rbx\n+7 from +1: rsp=c-16 [c-16]=rbx\n"
	  "fragments=2\n" },
	{ "a jump table", "",
	  "\tcmp edi, 1\n\tja 1f\n\tmov edi, edi\n\tlea rdx, t[rip]\n"
	  "\tmovsxd rax, dword ptr [rdx+rdi*4]\n\tadd rax, rdx\n\tjmp rax\n2:\tnop\n"
	  "1:\tret\n\t.section .tables, \"ax\"\nt:\t.long 1b-t, 2b-t, 1b-t\n\t.text\n",
	  "+0:\n+23 from +21: rax=<j4@1000025:1 rdx=1000025 rdi=<0..1*1\n"
	  "+24 from +3: rax=? rdx=! rdi=?\nhas_return returns_well fragments=1\n" },
	{ "one without a comparison", "",
	  "\tmov edi, edi\n\tmov edi, [rdi]\n\tlea rdx, t[rip]\n"
	  "\tmovsxd rax, dword ptr [rdx+rdi*4]\n\tadd rax, rdx\n\tjmp rax\n2:\tnop\n"
	  "1:\tret\n\t.section .tables, \"ax\"\nt:\t.long 1b-t, 2b-t, 0x7fffffff\n"
	  "\t.text\n",
	  "+0:\n+20 from +18 unsure: rax=j4@1000022:65535 rdx=1000022 rdi=!\n"
	  "+21 from +18 unsure: rax=j4@1000022:65535 rdx=1000022 rdi=!\n"
	  "has_return guessed_end fragments=1\njumped, entry 1\n" },
	{ "one where perhaps nobody goes", "",
	  "\tcmp edi, 1\n\tja 1f\n\tmov edi, edi\n\tlea rdx, t[rip]\n"
	  "\tmovsxd rax, dword ptr [rdx+rdi*4]\n\tadd rax, rdx\n\tnop\n"
	  "\t.cfi_same_value rbx\n\tjmp rax\n2:\tnop\n1:\tret\n"
	  "\t.section .tables, \"ax\"\nt:\t.long 1b-t, 2b-t, 1b-t\n\t.text\n",
	  "+0:\n+24 from +22 unsure: rax=<j4@1000026:1 rdx=1000026 rdi=<0..1*1\n"
	  "+25 from +3: rax=? rdx=! rdi=?\nhas_return returns_well fragments=1\n" },

};

START_TEST(ways_are_followed)
{
	ways_check(&cases[_i]);
}
END_TEST

SUITE(flow_paths, TIMEOUT(300), LOOP(ways_are_followed, cases))
