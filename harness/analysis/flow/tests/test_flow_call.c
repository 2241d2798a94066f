/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_call.c - what calls, system calls and jumps in place of returns make of a path
 *
 * The cases are of flow_paths_fixture.h.
 */
#include "tests/suite.h"
#include "flow_paths_fixture.h"
#include "analysis/flow/flow_paths.h"

#define SECOND(name) "	.cfi_endproc\n" name ":	.cfi_startproc\n"

static const struct ways_case cases[] = {
	{ "a function", "", "\tcall g\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_return fragments=1\ncalled +6\n" },
	{ "on a way that perhaps nobody goes", "",
	  "\tnop\n\t.cfi_same_value rbx\n\tcall g\n\tret\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_return fragments=1\n" },
	{ "into the middle of one", "",
	  "\tcall g+1\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tnop\n\tret\n",
	  "+0:\nhas_return fragments=1\ncalled +7 from +0\n" },
	{ "code that no rows cover", "",
	  "\tcall u\n\tret\n\t.cfi_endproc\nu:\tret\n\t.cfi_startproc\n\tnop\n",
	  "+0:\nhas_return fragments=1\nuncovered +6 from +0\n" },
	{ "on a way that nobody goes", "",
	  "\tnop\n\t.cfi_same_value rbx\n\tcall u\n\tret\n\t.cfi_endproc\nu:\tret\n"
	  "\t.cfi_startproc\n\tnop\n",
	  "+0:\nhas_return fragments=1\n" },
	{ "where nothing lies", "", "\tcall .+0x100000\n\tret\n", "+0:\nhas_return fragments=1\n" },
	{ "what is preserved", "", "\tmov rax, rdx\n\tcall [rdi]\n\tje 1f\n\tret\n1:\tnop\n\tret\n",
	  "+0:\n+8 from +5: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "has_return returns_well fragments=1\n" },
	{ "what the callee may give back", "",
	  "\tmov rax, rbx\n\tcall [rdi]\n\tje 1f\n\tret\n1:\tnop\n\tret\n",
	  "+0:\n+8 from +5: rax=? rdx=? rcx=? rsi=? rdi=? r8=? r9=? r10=? r11=?\n"
	  "has_return returns_well fragments=1\n" },
	{ "it never returns, by name", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tcall abort\n\t.cfi_def_cfa_offset 24\n"
	  "\tnop\n\tud2\n\t.cfi_endproc\nabort:\t.cfi_startproc\n\tret\n",
	  "+0:\nfragments=1\ncalled +9\n" },
	{ "by its code, which nobody knows", "",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tcall g\n\t.cfi_def_cfa_offset 24\n"
	  "\tnop\n\tud2\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tud2\n",
	  "+0:\nbehind=+6 callee=+9 fragments=1\ncalled +9\n" },
	{ "by its code", "knows",
	  "\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tcall g\n\t.cfi_def_cfa_offset 24\n"
	  "\tnop\n\tud2\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tud2\n",
	  "+0:\nfragments=1\ncalled +9\n" },
	{ "what returns, and is known", "knows",
	  "\tcall g\n\tret\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_return fragments=1\ncalled +6\n" },
	{ "it asks where it is", "",
	  "\tcall 1f\n1:\t.cfi_def_cfa_offset 16\n\tpop rax\n\t.cfi_def_cfa_offset 8\n"
	  "\tje 2f\n\tret\n2:\tnop\n\tret\n",
	  "+0:\n+9 from +6: rax=1000005 [c-16]=1000005\nhas_return returns_well fragments=1\n" },
	{ "it asks where it is, and looks", "",
	  "\tcall 1f\n1:\t.cfi_def_cfa_offset 16\n\tmov rax, [rsp]\n\tje 2f\n\thlt\n"
	  "2:\tnop\n\thlt\n",
	  "+0:\n+12 from +9: rax=1000005 rsp=c-16 [c-16]=1000005\nfragments=1\n" },
	{ "over data", "",
	  "\tcall 1f\n\t.byte 6, 6, 6\n1:\t.cfi_def_cfa_offset 16\n\tpop rax\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n",
	  "+0:\n+8 from +0: rsp=c-16 [c-16]=1000005\nhas_return returns_well fragments=1\n" },
	{ "on a way that perhaps nobody goes, too", "",
	  "\tnop\n\t.cfi_same_value rbx\n\tcall 1f\n\t.byte 6, 6, 6\n"
	  "1:\t.cfi_def_cfa_offset 16\n\tpop rax\n\t.cfi_def_cfa_offset 8\n\tret\n",
	  "+0:\n+9 from +1 unsure: rsp=c-16 [c-16]=1000006\nhas_return fragments=1\n" },
	{ "over data, and the address is added away", "",
	  "\tcall 1f\n\t.byte 6\n1:\t.cfi_def_cfa_offset 16\n\tadd rsp, 8\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n",
	  "+0:\n+6 from +0: rsp=c-16 [c-16]=1000005\nhas_return returns_well fragments=1\n" },
	{ "more is added", "",
	  "\tcall 1f\n\tnop\n\tret\n1:\t.cfi_def_cfa_offset 16\n\tadd rsp, 16\n\tret\n",
	  "+0:\nhas_return fragments=1\ncalled +7 from +0\n" },
	{ "to another register", "", "\tcall 1f\n\tnop\n\tret\n1:\tadd rax, 8\n\tret\n",
	  "+0:\nhas_return fragments=1\ncalled +7 from +0\n" },
	{ "the address is taken to memory", "",
	  "\tcall 1f\n\tnop\n\tret\n1:\t.cfi_def_cfa_offset 16\n\tpop qword ptr [rdi]\n"
	  "\tret\n",
	  "+0:\nhas_return fragments=1\ncalled +7 from +0\n" },
	{ "it is not taken", "", "\tcall 1f\n\tnop\n\tret\n1:\tnop\n\tret\n",
	  "+0:\nhas_return fragments=1\ncalled +7 from +0\n" },
	{ "back", "",
	  "\tje 2f\n1:\tpop rax\n\t.cfi_def_cfa_offset 0\n\tud2\n"
	  "2:\t.cfi_def_cfa_offset 8\n\tcall 1b\n\tret\n",
	  "+0:\n+5 from +0:\nhas_return fragments=1\ncalled +2 from +5\n" },
	{ "to the function's first byte behind", "",
	  "\tcall g\n\t.byte 6\n\t.cfi_endproc\ng:\t.cfi_startproc\n"
	  "\t.cfi_def_cfa_offset 16\n\tpop rax\n\t.cfi_def_cfa_offset 8\n\tret\n",
	  "+0:\nfragments=1\ncalled +6\n" },
	{ "to its last byte", "", "\tcall 1f\n\tnop\n\tret\n1:\tpop rax\n",
	  "+0:\n+7 from +0 wrong: rsp=c-16 [c-16]=1000005\nfragments=1\n"
	  "uncovered +8 from +7\n" },
	{ "too little stack", "",
	  "\tje 1f\n2:\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tpop rbx\n"
	  "\t.cfi_def_cfa_offset 8\n\tret\n1:\tcall __morestack\n\tret\n\tmov eax, 5\n"
	  "\tjmp 2b\n\t.cfi_endproc\n__morestack:\t.cfi_startproc\n\tret\n",
	  "+0:\n+2 from +16: rax=!\n+5 from +0:\n+11 from +5:\n"
	  "has_return returns_well fragments=1\ncalled +18\n" },
	{ "no return behind it", "",
	  "\tje 1f\n\tret\n1:\tcall __morestack\n\tnop\n\tret\n\t.cfi_endproc\n"
	  "__morestack:\t.cfi_startproc\n\tret\n",
	  "+0:\n+3 from +0:\nhas_return returns_well fragments=1\ncalled +10\n" },
	{ "a return that pops", "",
	  "\tje 1f\n\tret\n1:\tcall __morestack\n\tret 8\n\tnop\n\tud2\n\t.cfi_endproc\n"
	  "__morestack:\t.cfi_startproc\n\tret\n",
	  "+0:\n+3 from +0:\nhas_return returns_well pops popped=-1 fragments=1\ncalled +14\n" },
	{ "too little stack, where perhaps nobody goes", "",
	  "\tnop\n\t.cfi_same_value rbx\n\tcall __morestack\n\tret\n\tmov eax, 5\n\tret\n"
	  "\t.cfi_endproc\n__morestack:\t.cfi_startproc\n\tret\n",
	  "+0:\n+7 from +1 unsure:\nhas_return fragments=1\n" },
	{ "nothing is behind it", "",
	  "\tcall __morestack\n\t.cfi_endproc\n__morestack:\t.cfi_startproc\n\tret\n",
	  "+0:\nfragments=1\n" },
	{ "another function, and a return behind it", "",
	  "\tje 1f\n\tret\n1:\tcall g\n\tret\n\tmov eax, 5\n\tret\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret\n",
	  "+0:\n+3 from +0:\nhas_return returns_well fragments=1\ncalled +15\n" },
	{ "a probe of the stack", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\t.cfi_def_cfa_offset 72\n\tje 1f\n"
	  "1:\tnop\n\tadd rsp, 64\n\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n1:\tor qword ptr [rsp-64], 0\n\tjne 1b\n\tjmp 2f\n"
	  "2:\tret\n\tud2\n",
	  "+0:\n"
	  "+15 from +13: rax=64 rdx=! rcx=! rsi=! rdi=! rsp=c-72 r8=! r9=! r10=! r11=!\n"
	  "has_return returns_well fragments=1\ncalled +21\n" },
	{ "of a size that nobody knows", "",
	  "\tmov eax, edi\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n"
	  "+12 from +10: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b7+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +15\n" },
	{ "of a size that another knows", "",
	  "\tmov rax, rdi\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n"
	  "+13 from +11: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b8+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +16\n" },
	{ "one whose code is not there", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.section .last, \"awx\"\ng:\tnop\n\t.section .eh_frame, \"a\"\n"
	  "5:\t.long 7f-6f\n6:\t.long 0\n\t.byte 1\n\t.asciz \"zR\"\n"
	  "\t.byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 16, 0x90, 1\n\t.balign 4, 0\n"
	  "7:\t.long 9f-8f\n8:\t.long .-5b, g-., 100\n\t.byte 0\n\t.balign 4, 0\n9:\n"
	  "\t.text\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +7661\n" },
	{ "one whose result isn't taken off", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rcx\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "or off another register", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rcx, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "or added", "",
	  "\tmov eax, 64\n\tcall g\n\tadd rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=<b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "one that is computed", "",
	  "\tmov eax, 64\n\tcall [rdi]\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n",
	  "+0:\n"
	  "+12 from +10: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b7+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\n" },
	{ "at the end", "", "\tmov eax, 64\n\tcall g\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nfragments=1\n" },
	{ "it writes rax", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\txor eax, eax\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "it calls", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tcall f\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "it jumps elsewhere", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tjne f\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "it jumps behind its end", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tjne 2f\n\tret\n\t.cfi_endproc\n"
	  "2:\t.cfi_startproc\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "a system call", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tint 0x80\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "no instruction", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n\t.byte 6\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "it doesn't return", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n1:\tjmp 1b\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "inside of it", "",
	  "\tmov eax, 64\n\tcall g+1\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\tnop\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +19 from +5\n" },
	{ "a long one", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\t.skip 128, 0x90\n\tret\n",
	  "+0:\n"
	  "+15 from +13: rax=! rdx=! rcx=! rsi=! rdi=! rsp=b10+0 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "not too long", "",
	  "\tmov eax, 64\n\tcall g\n\tsub rsp, rax\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\ng:\t.cfi_startproc\n\t.skip 127, 0x90\n\tret\n",
	  "+0:\n"
	  "+15 from +13 wrong: rax=64 rdx=! rcx=! rsi=! rdi=! rsp=c-72 r8=! r9=! r10=! r11=!\n"
	  "fragments=1\ncalled +18\n" },
	{ "a thread ends", "",
	  "\tje 1f\n\tmov eax, 60\n\tsyscall\n\tnop\n1:\tmov eax, 231\n\tsyscall\n\tnop\n"
	  "\tud2\n",
	  "+0:\n+10 from +0:\nfragments=1\n" },
	{ "another system call", "", "\tmov eax, 61\n\tsyscall\n\tje 1f\n1:\tnop\n\tret\n",
	  "+0:\n+9 from +7: rax=? rcx=? r11=?\nhas_return returns_well fragments=1\n" },
	{ "one nobody knows", "", "\tsyscall\n\tje 1f\n1:\tnop\n\tret\n",
	  "+0:\n+4 from +2: rax=? rcx=? r11=?\nhas_return returns_well fragments=1\n" },
	{ "a thread begins", "",
	  "\tmov eax, 56\n\tsyscall\n\tje 1f\n1:\tnop\n\ttest rax, rax\n\tje 2f\n\tnop\n"
	  "\tjmp 3f\n2:\tnop\n3:\tret\n",
	  "+0:\n+9 from +7: rax=!clone rcx=? r11=? both\n"
	  "+18 from +13: rax=!clone rcx=? rsp=? r11=? new compared=rax,0\n"
	  "+19 from +16: rax=!clone rcx=? rsp=? r11=? both compared=rax,0\n"
	  "has_return returns_unknown popped=-1 fragments=1\n" },
	{ "by the other call", "",
	  "\tmov eax, 435\n\txor esi, esi\n\tsyscall\n\ttest rax, rax\n\tjne 2f\n\tud2\n"
	  "2:\tnop\n\tret\n",
	  "+0:\n+16 from +12: rax=!clone rcx=? rsi=0 r11=? compared=rax,0\n"
	  "has_return returns_well fragments=1\n" },
	{ "a thread that is given no stack", "",
	  "\tmov eax, 56\n\txor esi, esi\n\tsyscall\n\tje 1f\n1:\tnop\n\tret\n",
	  "+0:\n+11 from +9: rax=? rcx=? rsi=0 r11=?\nhas_return returns_well fragments=1\n" },
	{ "one that is given a stack by number", "",
	  "\tmov eax, 56\n\tmov esi, 64\n\tsyscall\n\tje 1f\n1:\tnop\n\tret\n",
	  "+0:\n+14 from +12: rax=!clone rcx=? rsi=64 r11=? both\n"
	  "has_return returns_well fragments=1\n" },
	{ "another comparison", "",
	  "\tmov eax, 56\n\tsyscall\n\tcmp rax, 1\n\tje 2f\n\tnop\n2:\tnop\n\tret\n",
	  "+0:\n+14 from +11: rax=!clone rcx=? r11=? both compared=rax,1\n"
	  "has_return returns_well fragments=1\n" },
	{ "of another register", "",
	  "\tmov eax, 56\n\tsyscall\n\ttest rdi, rdi\n\tje 2f\n\tnop\n2:\tnop\n\tret\n",
	  "+0:\n+13 from +10: rax=!clone rcx=? r11=? both compared=rdi,0\n"
	  "has_return returns_well fragments=1\n" },
	{ "with another register", "",
	  "\tmov eax, 56\n\tsyscall\n\tcmp rax, rdi\n\tje 2f\n\tnop\n2:\tnop\n\tret\n",
	  "+0:\n+13 from +10: rax=!clone rcx=? r11=? both compared=rax,rdi\n"
	  "has_return returns_well fragments=1\n" },
	{ "of a word", "",
	  "\tmov eax, 56\n\tsyscall\n\tmov [rsp-8], rax\n\tcmp qword ptr [rsp-8], 0\n"
	  "\tje 2f\n\tnop\n2:\tnop\n\tret\n",
	  "+0:\n+21 from +18: rax=!clone rcx=? r11=? unlisted=other both\n"
	  "has_return returns_well fragments=1\n" },
	{ "that says neither", "",
	  "\tmov eax, 56\n\tsyscall\n\ttest rax, rax\n\tjbe 2f\n\tnop\n2:\tnop\n\tret\n",
	  "+0:\n+13 from +10: rax=? rcx=? r11=? both compared=rax,0\n"
	  "has_return returns_well fragments=1\n" },
	{ "the new thread returns", "",
	  "\tmov eax, 56\n\tsyscall\n\ttest rax, rax\n\tjne 2f\n\tret\n2:\tud2\n",
	  "+0:\n+13 from +10: rax=!clone rcx=? r11=? compared=rax,0\n"
	  "has_return returns_elsewhere returns_unknown popped=-1 fragments=1\n" },
	{ "arguments are taken off", "", "\tret 24\n",
	  "+0:\nhas_return returns_well pops popped=24 fragments=1\n" },
	{ "by hand", "", "\tpop rcx\n\tadd rsp, 16\n\tpush rcx\n\tret\n",
	  "+0:\nhas_return returned_to returns_unknown pops popped=16 fragments=1\n" },
	{ "very many", "", "\tadd rsp, 0x40000007\n\tret\n",
	  "+0:\n"
	  "has_return returns_elsewhere returned_to returns_unknown popped=1073741831 "
	  "fragments=1\n" },
	{ "more than can be", "", "\tadd rsp, 0x40000008\n\tret\n",
	  "+0:\n"
	  "has_return returns_elsewhere returned_to returns_unknown popped=-1 fragments=1\n" },
	{ "less than none", "", "\tsub rsp, 1\n\tret\n",
	  "+0:\nhas_return returns_elsewhere returns_unknown popped=-1 fragments=1\n" },
	{ "below the return address", "",
	  "\tsub rsp, 8\n\tmov rax, [rsp+8]\n\tmov [rsp], rax\n\tret\n",
	  "+0:\nhas_return returns_unknown pops popped=-1 fragments=1\n" },
	{ "as many as nobody knows", "", "\tpop rcx\n\tlea rsp, [rsp+rax*8]\n\tpush rcx\n\tret\n",
	  "+0:\nhas_return returns_unknown popped=-1 fragments=1\n" },
	{ "on one of two ways", "", "\tje 1f\n\tret 8\n1:\tret\n",
	  "+0:\n+5 from +0:\nhas_return returns_well pops popped=-1 fragments=1\n" },
	{ "on both the same", "", "\tje 1f\n\tret 8\n1:\tret 8\n",
	  "+0:\n+5 from +0:\nhas_return returns_well pops popped=8 fragments=1\n" },
	{ "a return where perhaps nobody goes", "", "\tnop\n\t.cfi_same_value rbx\n\tret 8\n",
	  "+0:\nhas_return popped=8 fragments=1\n" },
	{ "it takes them off itself", "pops=16",
	  "\tpush rax\n\t.cfi_def_cfa_offset 16\n\tpush rax\n\t.cfi_def_cfa_offset 24\n"
	  "\tcall g\n\t.cfi_def_cfa_offset 8\n\tje 1f\n1:\tnop\n\tud2\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret 24\n",
	  "+0:\n"
	  "+9 from +7: rax=? rdx=? rcx=? rbx=? rsi=? rdi=? r8=? r9=? r10=? r11=? r12=? r13=? r14=? "
	  "r15=? [c-16]=rax [c-24]=rax\n"
	  "fragments=1\ncalled +12\n" },
	{ "nobody knows how many", "pops=?",
	  "\tpush rax\n\t.cfi_def_cfa_offset 16\n\tcall [rdi]\n\tje 1f\n1:\tnop\n\tud2\n",
	  "+0:\n"
	  "+5 from +3: rax=? rdx=? rcx=? rbx=? rsi=? rdi=? rsp=? r8=? r9=? r10=? r11=? r12=? r13=? "
	  "r14=? r15=? [c-16]=rax touched=-2147483647..-16\n"
	  "fragments=1\n" },
	{ "in a new thread, nobody knows", "pops=?",
	  "\tmov eax, 56\n\tsyscall\n\tcall [rdi]\n\tje 1f\n1:\tnop\n\tud2\n",
	  "+0:\n"
	  "+11 from +9: rax=? rdx=? rcx=? rbx=? rsi=? rdi=? rsp=? r8=? r9=? r10=? r11=? r12=? "
	  "r13=? r14=? r15=? touched=-2147483647..-8 both\n"
	  "fragments=1\n" },
	{ "another one does not", "pops=24",
	  "\tpush rax\n\t.cfi_def_cfa_offset 16\n\tcall h\n\tje 1f\n1:\tnop\n\tud2\n"
	  "\t.cfi_endproc\nh:\t.cfi_startproc\n\tret\n",
	  "+0:\n"
	  "+8 from +6: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rax\n"
	  "fragments=1\ncalled +11\n" },
	{ "a function that is entered otherwise", "enters silent",
	  "g:\tje 1f\n\tret\n1:\tmov rax, rbx\n\tlea rcx, [rsp-8]\n\tmov rbp, rdi\n"
	  "\tpop rdx\n\tpush rdx\n\tpush rdx\n\tjmp g\n",
	  "+0: rax=? rdx=? rcx=?\n+3 from +0: rax=? rdx=? rcx=?\n"
	  "has_return returns_well fragments=1\n" },
	{ "as it is entered by a call", "enters silent",
	  "g:\tje 1f\n\tret\n1:\tlea rcx, [rsp-8]\n\tmov rbp, rdi\n\tjmp g\n",
	  "+0: rcx=? rbp=?\n+3 from +0: rcx=? rbp=?\n"
	  "has_return breaks_convention returns_unknown fragments=1\n" },
	{ "in a new thread", "enters silent",
	  "g:\tje 1f\n\tret\n1:\tmov eax, 56\n\tsyscall\n\tpush rdi\n\tjmp g\n",
	  "+0: rax=? rcx=? r11=? both\n+3 from +0: rax=? rcx=? r11=? both\n"
	  "has_return returns_well fragments=1\n" },
	{ "what was touched is another's", "enters silent",
	  "g:\tje 1f\n\tret\n1:\tlea rdi, [rsp-64]\n\tmov ecx, 8\n\trep stosb\n"
	  "\tpush rdi\n\tjmp g\n",
	  "+0: rcx=? rdi=?\n+3 from +0: rcx=? rdi=?\nhas_return returns_well fragments=1\n" },
	{ "another is not", "enters silent",
	  "g:\tnop\nh:\tje 1f\n\tret\n1:\tmov rbp, rdi\n\tpush rdi\n\tjmp h\n",
	  "+0:\n+1 from +8: rbp=? rsp=? [c-16]=! [b7-8]=!\n"
	  "+4 from +1: rbp=? rsp=? [c-16]=! [b7-8]=!\n"
	  "has_return breaks_convention returns_unknown popped=-1 fragments=1\n" },
	{ "nobody says so", "", "\tpush rdx\n\tjmp g\n\t.cfi_endproc\ng:\t.cfi_startproc\n\tret\n",
	  "+0:\nfragments=1\n" },
	{ "a loop pushes", "enters silent", "1:\tpush rdi\n\tdec ebx\n\tjne 1b\n\tnop\n\tud2\n",
	  "+0: rbx=? rsp=? [c-16]=! [b0-8]=!\nfragments=1\n" },
	{ "where none is entered so", "silent", "1:\tpush rdi\n\tdec ebx\n\tjne 1b\n\tnop\n\tud2\n",
	  "+0: rbx=? rsp=? [c-16]=! escaped=rdi\nfragments=1\n" },
	{ "a landing pad", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\tret\n\tnop\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 2, 3, 0\n7:\n\t.text\n",
	  "+0:\n+3 from +0: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "has_return returns_well fragments=1\n" },
	{ "the call begins before its place", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\tret\n\tnop\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 1, 1, 3, 0\n7:\n\t.text\n",
	  "+0:\nhas_return fragments=1\n" },
	{ "the place ends before the call does", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\tret\n\tnop\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 1, 3, 0\n7:\n\t.text\n",
	  "+0:\n+3 from +0: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "has_return returns_well fragments=1\n" },
	{ "the place ends before the call", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tnop\n\tcall [rdi]\n\tret\n\tnop\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 1, 4, 0\n7:\n\t.text\n",
	  "+0:\nhas_return fragments=1\n" },
	{ "two pads", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\tret\n\tnop\n\tret\n\tnop\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 2, 3, 0, 0, 2, 5, 0\n7:\n\t.text\n",
	  "+0:\n+3 from +0: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "+5 from +0: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "has_return returns_well fragments=1\n" },
	{ "a call where perhaps nobody goes", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tnop\n\t.cfi_same_value rbx\n\tcall [rdi]\n\tret\n"
	  "\tnop\n\tret\n\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 3, 4, 0\n7:\n\t.text\n",
	  "+0:\n+4 from +1 unsure: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "has_return fragments=1\n" },
	{ "arguments of the call are taken off", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tpush rax\n\t.cfi_def_cfa_offset 16\n"
	  "\t.cfi_escape 0x2e, 8\n\tcall [rdi]\n\thlt\n\t.cfi_def_cfa_offset 8\n\tnop\n"
	  "\tret\n\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 3, 4, 0\n7:\n\t.text\n",
	  "+0:\n"
	  "+4 from +1: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=! [c-16]=rax\n"
	  "has_return returns_well fragments=1\n" },
	{ "a pad that no rows cover", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 2, u-f, 0\n7:\n\t.text\n\t.cfi_endproc\n"
	  "u:\tret\n\t.cfi_startproc\n\tnop\n",
	  "+0:\nhas_return fragments=1\nuncovered +3 from +0\n" },
	{ "one of a call where perhaps nobody goes", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tnop\n\t.cfi_same_value rbx\n\tcall [rdi]\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 3, u-f, 0\n7:\n\t.text\n\t.cfi_endproc\n"
	  "u:\tret\n\t.cfi_startproc\n\tnop\n",
	  "+0:\nhas_return fragments=1\n" },
	{ "a pad where no code is", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 2\n\t.uleb128 0x100000\n\t.byte 0\n7:\n"
	  "\t.text\n",
	  "+0:\nhas_return fragments=1\n" },
	{ "a pad in another function", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\tret\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 2, g-f, 0\n7:\n\t.text\n\t.cfi_endproc\n"
	  "g:\t.cfi_startproc\n\tret\n",
	  "+0:\nhas_return fragments=1\n" },
	{ "a pad in another fragment", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tje g\n"
	  "\tcall [rdi]\n\thlt\n\t.section .gcc_except_table, \"a\"\n"
	  "8:\t.byte 0xff, 0xff, 1\n\t.uleb128 7f-6f\n6:\t.byte 0, 5, g-f+1, 0\n7:\n"
	  "\t.text\n\t.cfi_endproc\ng:\t.cfi_startproc\n\t.cfi_def_cfa_offset 16\n\tnop\n"
	  "\tnop\n\thlt\n",
	  "+0:\n+6 from +1: rsp=c-16 [c-16]=rbx\n"
	  "+7 from +3: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx\n"
	  "fragments=2\n" },
	{ "a call with arguments that never throws", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tpush rax\n"
	  "\t.cfi_def_cfa_offset 24\n\tcall [rdi]\n\tpop rax\n\t.cfi_def_cfa_offset 16\n"
	  "\tcall [rdi]\n1:\tpop rbx\n\t.cfi_def_cfa_offset 8\n\tret\n"
	  "\t.cfi_def_cfa_offset 16\n\tnop\n\tjmp 1b\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 7, 9, 0\n7:\n\t.text\n",
	  "+0:\n"
	  "+7 from +10: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=!\n"
	  "+9 from +5: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=!\n"
	  "has_return returns_well fragments=1\n" },
	{ "a call that would throw with arguments", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tpush rax\n"
	  "\t.cfi_def_cfa_offset 24\n\tcall [rdi]\n\tpop rax\n\t.cfi_def_cfa_offset 16\n"
	  "1:\tpop rbx\n\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_def_cfa_offset 16\n\tnop\n"
	  "\tjmp 1b\n\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 7, 7, 0\n7:\n\t.text\n",
	  "+0:\n"
	  "+5 from +4 settled: rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=rax\n"
	  "+7 from +2 wrong: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx [c-24]=rax\n"
	  "has_return breaks_convention returns_elsewhere returns_well popped=-1 fragments=1\n"
	  "edge +8 to +5 cfa: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! "
	  "[c-16]=rbx [c-24]=rax\n" },
	{ "the same behind a jump nobody knows where to", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tpush rax\n"
	  "\t.cfi_def_cfa_offset 24\n\tcall [rdi]\n\tje 2f\n\tjmp [rdi]\n2:\n\tpop rax\n"
	  "\t.cfi_def_cfa_offset 16\n1:\tpop rbx\n\t.cfi_def_cfa_offset 8\n\tret\n"
	  "\t.cfi_def_cfa_offset 16\n\tnop\n\tjmp 1b\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 7, 11, 0\n7:\n\t.text\n",
	  "+0:\n"
	  "+8 from +4: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=rax\n"
	  "has_return returns_well jump_unknown jump_unread unread=+6 fragments=1\n"
	  "jumped, entry 0\n" },
	{ "the same in a function with a call that does not return", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tpush rbx\n\t.cfi_def_cfa_offset 16\n\tpush rax\n"
	  "\t.cfi_def_cfa_offset 24\n\tcall [rdi]\n\tje 2f\n\tcall [rdi]\n"
	  "\t.cfi_def_cfa_offset 64\n\tnop\n2:\t.cfi_def_cfa_offset 24\n\tpop rax\n"
	  "\t.cfi_def_cfa_offset 16\n1:\tpop rbx\n\t.cfi_def_cfa_offset 8\n\tret\n"
	  "\t.cfi_def_cfa_offset 16\n\tnop\n\tjmp 1b\n"
	  "\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 4, 12, 0\n7:\n\t.text\n",
	  "+0:\n"
	  "+9 from +4: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=rax\n"
	  "has_return returns_well behind=+8 fragments=1\n" },
	{ "a call with less on the stack", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\thlt\n\t.cfi_def_cfa_offset 16\n\tnop\n"
	  "\tret\n\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 2, 3, 0\n7:\n\t.text\n",
	  "+0:\n+3 from +0 wrong: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "has_return returns_well fragments=1\n" },
	{ "a pad that is wrong in another way", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tcall [rdi]\n\thlt\n\t.cfi_offset rbx, -16\n\tnop\n"
	  "\tret\n\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 2, 3, 0\n7:\n\t.text\n",
	  "+0:\n+3 from +0 wrong: rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!\n"
	  "has_return returns_well fragments=1\n" },
	{ "two pads of which one is let in", "",
	  "\t.cfi_lsda 0x1b, 8f\n\tpush rax\n\t.cfi_def_cfa_offset 16\n\tcall [rdi]\n"
	  "\thlt\n\t.cfi_def_cfa_offset 8\n\tnop\n\tret\n\t.cfi_def_cfa_offset 16\n"
	  "\tnop\n\thlt\n\t.section .gcc_except_table, \"a\"\n8:\t.byte 0xff, 0xff, 1\n"
	  "\t.uleb128 7f-6f\n6:\t.byte 0, 3, 4, 0, 0, 3, 6, 0\n7:\n\t.text\n",
	  "+0:\n"
	  "+4 from +1 wrong: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! "
	  "[c-16]=rax\n"
	  "+6 from +1: rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-16 r8=! r9=! r10=! r11=! [c-16]=rax\n"
	  "has_return returns_elsewhere returns_unknown popped=-1 fragments=1\n" },

};

START_TEST(calls_are_followed)
{
	ways_check(&cases[_i]);
}
END_TEST

SUITE(flow_call, TIMEOUT(300), LOOP(calls_are_followed, cases))
