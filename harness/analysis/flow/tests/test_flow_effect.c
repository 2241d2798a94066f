/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_effect.c - an instruction, what is known before it, and what is known behind it
 *
 * States are those of flow_fixture.h. All instructions are assembled at once, one behind another; each is said
 * to lie 9 bytes behind its function's begin.
 */
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_paths.h"
#include "flow_fixture.h"

#define ORIGIN 9

static const struct effect_case {
	const char *instruction, *before, *after;
} effect_cases[] = {
	/* Moves, and what they do to the last comparison. */
	{ "mov rax, rbx", "", "rax=rbx" },
	{ "mov rax, rbx", "compared=rax,5", "rax=rbx" },
	{ "mov rax, rbx", "compared=rcx,rax", "rax=rbx" },
	{ "mov rax, rbx", "compared=rcx,5", "rax=rbx compared=rcx,5" },
	{ "mov rax, rbx", "compared=rcx,rdx", "rax=rbx compared=rcx,rdx" },
	{ "mov rbp, rax", "rax=*c-16", "rax=*c-16 rbp=c-16" },
	{ "mov rsp, rax", "rax=*c-16", "rax=*c-16 rsp=c-16" },
	{ "mov rcx, rax", "rax=*c-16", "rax=*c-16 rcx=*c-16" },
	{ "mov eax, ebx", "", "rax=!" },
	{ "mov eax, ebx", "rbx=-1", "rax=4294967295 rbx=-1" },
	{ "mov eax, ebx", "rbx=0..7*1", "rax=0..7*1 rbx=0..7*1" },
	{ "movzx eax, bl", "", "rax=0..255*1" },
	{ "movzx eax, bx", "", "rax=0..65535*1" },
	{ "movzx eax, bl", "rbx=0..7*1", "rax=0..7*1 rbx=0..7*1" },
	{ "movsxd rax, ebx", "", "rax=!" },
	{ "movsxd rax, ebx", "rbx=0xffffffff", "rax=-1 rbx=4294967295" },
	{ "movsxd rax, ebx", "rbx=0..7*1", "rax=0..7*1 rbx=0..7*1" },
	{ "movsxd rax, ebx", "rbx=t4@4096:7", "rax=t4@4096:7 rbx=t4@4096:7" },
	{ "mov eax, 5", "", "rax=5" },
	{ "mov al, 5", "rax=0x1234", "rax=4613" },
	{ "mov al, 0xf5", "rax=-1", "rax=-11" },
	{ "mov bl, 5", "", "rbx=!part" },
	{ "mov bl, 5", "rbx=!part", "rbx=!part" },
	{ "mov bl, 5", "rbx=?", "rbx=?" },
	{ "mov bl, 5", "rbx=!", "rbx=!" },
	{ "mov cl, 5", "", "rcx=!argument" },
	{ "mov cl, 5", "rcx=!argument", "rcx=!again" },
	{ "mov cl, 5", "rcx=!", "rcx=!" },
	{ "mov cl, dl", "", "rcx=!again" },
	{ "mov cl, dl", "rcx=!", "rcx=!" },
	{ "mov ecx, ecx", "", "rcx=!again" },
	{ "mov ecx, ecx", "rcx=!argument", "rcx=!again" },
	{ "mov ecx, ecx", "rcx=!", "rcx=!" },
	{ "mov bh, cl", "", "rbx=!part" },
	{ "mov bh, cl", "rbx=!part", "rbx=?" },
	{ "mov bh, cl", "rbx=!", "rbx=!" },
	{ "mov bh, cl", "rbx=?", "rbx=?" },
	{ "mov bh, cl", "rbx=5", "rbx=!" },
	{ "xchg rbx, rsi", "", "rbx=rsi rsi=rbx" },
	{ "cqo", "rdx=5", "rdx=?" },
	{ "movq rbx, xmm0", "", "rbx=?" },
	{ "bsf rbx, rdi", "", "rbx=?" },
	{ "imul rbx, rdi, 3", "", "rbx=!argument" },
	{ "imul rax, rdi, 3", "", "rax=!argument" },
	/* Addresses. */
	{ "lea rax, [rsp+16]", "", "rax=c+8" },
	{ "lea rax, [rbx+16]", "", "rax=rbx+16" },
	{ "lea rax, [0x1000]", "", "rax=4096" },
	{ "lea rax, [rsp+rdi*4+8]", "rdi=3", "rax=c+12 rdi=3" },
	{ "lea rax, [rsp+rdi*4+8]", "", "rax=<!argument" },
	{ "lea rax, [rsp+rdi*4+8]", "rdi=!", "rax=<! rdi=!" },
	{ "lea rax, [rbx+rdi]", "", "rax=!part" },
	{ "lea rax, [rdi+rbx]", "", "rax=!part" },
	{ "lea rax, [rsi+rdi]", "", "rax=!argument" },
	{ "lea rax, [rsi+rdi]", "rdi=!argument", "rax=!again rdi=!argument" },
	{ "lea rax, [rsi+rdi]", "rsi=!again", "rax=!again rsi=!again" },
	{ "lea rax, [rsi+rdi]", "rdi=!", "rax=!argument rdi=!" },
	{ "lea rax, [rsi+rdi]", "rsi=! rdi=!", "rax=! rsi=! rdi=!" },
	{ "lea rax, [rsi+rbx]", "rsi=!again", "rax=!part rsi=!again" },
	{ "lea rax, [rsi+rdi]", "rsi=?", "rax=? rsi=?" },
	{ "lea rax, [rsi+rdi]", "rdi=?", "rax=? rdi=?" },
	{ "lea rax, [rsi+rdi]", "rdi=!part", "rax=? rdi=!part" },
	{ "lea rax, [rsi+rdi]", "rsi=!part", "rax=? rsi=!part" },
	{ "lea rax, [rdi*8]", "rdi=0..7*1", "rax=0..7*8 rdi=0..7*1" },
	{ "lea rax, [rdi*8+1]", "rdi=0..7*1", "rax=! rdi=0..7*1" },
	{ "lea rax, [rdi*8]", "rdi=0..7*2", "rax=! rdi=0..7*2" },
	{ "lea rax, [rdi*8]", "", "rax=!argument" },
	{ "lea rax, [rsi+rdi*8]", "rdi=0..7*1", "rax=!argument rdi=0..7*1" },
	/* Sums. */
	{ "sub rsp, 24", "", "rsp=c-32" },
	{ "add rbx, 8", "", "rbx=rbx+8" },
	{ "add rbx, 8", "rbx=!part", "rbx=?" },
	{ "add rbx, 8", "rbx=!", "rbx=!" },
	{ "add rbx, 8", "rbx=?", "rbx=?" },
	{ "add rbx, 8", "rbx=0..7*1", "rbx=!" },
	{ "add rbx, 8", "compared=rax,5", "rbx=rbx+8" },
	{ "add rbx, rdi", "", "rbx=!part" },
	{ "add rbx, rdi", "rdi=8", "rbx=rbx+8 rdi=8" },
	{ "add rdi, rbx", "rdi=8", "rdi=rbx+8" },
	{ "add rdi, rax", "rdi=8 rax=6", "rax=6 rdi=14" },
	{ "add rax, rdi", "rax=t4@4096:7 rdi=4096", "rax=j4@4096:7 rdi=4096" },
	{ "add rdi, rax", "rax=<t4@4096:7 rdi=4096", "rax=<t4@4096:7 rdi=<j4@4096:7" },
	{ "add rax, rdi", "rax=t4@4096:7 rdi=4097", "rax=! rdi=4097" },
	{ "add rsp, rdi", "rsp=c-64 rdi=8", "rdi=8 rsp=c-56" },
	{ "add rsp, rdi", "", "rsp=<b9+0" },
	{ "add rsp, rdi", "rsp=b9+8 rax=b9+0 rcx=b7+0", "rax=? rcx=b7+0 rsp=<b9+0" },
	{ "sub rsp, rdi", "rdi=8", "rdi=8 rsp=c-16" },
	{ "sub rsp, rdi", "", "rsp=b9+0" },
	{ "sub rbx, rdi", "", "rbx=!part" },
	{ "sub rbx, rdi", "rbx=5", "rbx=!argument" },
	{ "sub rdx, rcx", "", "rdx=!argument" },
	{ "sub rdx, rcx", "rdx=!argument", "rdx=!again" },
	{ "sub rdx, rcx", "rdx=!again", "rdx=!again" },
	{ "add rdx, rcx", "rdx=!argument rcx=!", "rdx=!again rcx=!" },
	{ "add rdx, 8", "rdx=!argument", "rdx=!again" },
	{ "add rdx, 8", "rdx=!again", "rdx=!again" },
	{ "add rdx, 8", "rdx=!", "rdx=!" },
	{ "sub rbx, rdi", "rdi=8", "rbx=rbx-8 rdi=8" },
	{ "sub rsp, rdi", "[b9-8]=rbx [b7-8]=r12 [c-16]=b9+0 [c-24]=b7+0",
	  "rsp=b9+0 [b7-8]=r12 [c-16]=? [c-24]=b7+0" },
	{ "sub rsp, rdi", "aligned=b9:c-32&-32", "rsp=b9+0" },
	{ "sub rsp, rdi", "aligned=b7:c-32&-32", "rsp=b9+0 aligned=b7:c-32&-32" },
	/* The stack aligned, and other masks. */
	{ "and rsp, -32", "rsp=c-24", "rsp=b9+0 aligned=b9:c-32&-32" },
	{ "and rsp, -16", "rsp=c-24", "rsp=b9+0 aligned=b9:c-32&-16" },
	{ "and rsp, -8", "rsp=c-24", "rsp=b9+0 aligned=b9:c-24&-8" },
	{ "and rsp, -24", "rsp=c-24", "rsp=b9+0 aligned=b9:c-24&about-32" },
	{ "and rsp, -32", "rsp=b7+0", "rsp=b9+0 aligned=b9:b7+0&-32" },
	{ "and rsp, -32", "rsp=?", "rsp=b9+0" },
	{ "and rax, -32", "rax=c-24", "rax=b9+0 aligned=b9:c-32&-32" },
	{ "and rax, -32", "rax=~c-24", "rax=b9+0" },
	{ "and rsp, -32", "rsp=c-24 [c-16]=c-8 fresh=[c-16]",
	  "rsp=b9+0 [c-16]=c-8 aligned=b9:c-32&-32" },
	{ "and rsp, -32", "rsp=c-24 aligned=b9:c-64&-16", "rsp=b9+0 aligned=b9:c-32&-32" },
	{ "and rsp, -32", "rsp=b9+0 aligned=b7:b9+8&-16", "rsp=b9+0 aligned=b7:?" },
	{ "and eax, 7", "", "rax=0..7*1" },
	{ "and rax, -2", "", "rax=!again" },
	{ "and rax, -2", "rax=!", "rax=!" },
	{ "and rbx, -2", "", "rbx=?" },
	{ "and rbx, -2", "rbx=!part", "rbx=?" },
	{ "and rbx, -2", "rbx=?", "rbx=?" },
	{ "and rbx, 0x10000", "", "rbx=!" },
	{ "and rbx, 0xffff", "", "rbx=!" },
	{ "and rbx, 0xfffe", "", "rbx=0..65534*1" },
	{ "and rbx, 0", "", "rbx=0..0*1" },
	/* Pushes, pops and frames. */
	{ "push rbx", "", "rsp=c-16 [c-16]=rbx" },
	{ "push rdi", "", "rsp=c-16 [c-16]=rdi" },
	{ "push rdi", "saved", "rsp=c-16 saved" },
	{ "push rdi", "rdi=!again saved", "rdi=!again rsp=c-16 saved" },
	{ "push rdi", "rdi=!", "rdi=! rsp=c-16 unlisted=other" },
	{ "push rdi", "rdi=!again", "rdi=!again rsp=c-16 unlisted=argument" },
	{ "push rdi", "rdi=! unlisted=argument", "rdi=! rsp=c-16 unlisted=argument" },
	{ "push rdi", "rdi=!again [c-16]=rbx", "rdi=!again rsp=c-16 [c-16]=!again" },
	{ "push rbx", "saved", "rsp=c-16 [c-16]=rbx saved" },
	{ "push rbx", "rsp=?", "rsp=? escaped=rbx" },
	{ "push rbx", "rbx=? rsp=?", "rbx=? rsp=?" },
	{ "push 5", "", "rsp=c-16 unlisted=other" },
	{ "push [rsp]", "", "rsp=c-16 [c-16]=ra" },
	{ "push [rdi]", "", "rsp=c-16 unlisted=other" },
	{ "pushfq", "", "rsp=c-16 unlisted=other" },
	{ "pop rbx", "rsp=c-16 [c-16]=rbx", "[c-16]=rbx" },
	{ "pop rbx", "rsp=c-16 [c-16]=c-32", "rbx=*c-32 [c-16]=c-32" },
	{ "pop rbx", "rsp=c-16", "rbx=?" },
	{ "pop rbx", "rsp=?", "rbx=? rsp=?" },
	{ "pop rsp", "rsp=c-16 [c-16]=c-32", "rsp=c-32 [c-16]=c-32" },
	{ "pop [rsp]", "rsp=c-24 [c-24]=rbx [c-16]=r12", "rsp=c-16 [c-24]=rbx [c-16]=rbx" },
	{ "leave", "rbp=c-16 rsp=c-64 [c-16]=rbp", "[c-16]=rbp" },
	{ "leave", "rbp=c-16 rsp=c-64 [c-16]=c-32", "rbp=c-32 [c-16]=c-32" },
	/* rsp was raised by a number that is not known: which words are pushed over nobody knows. */
	{ "xadd rsp, rdi", "", "rdi=? rsp=<?" },
	{ "adc rsp, rdi", "", "rsp=<?" },
	{ "lea rsp, [rsp+rdi]", "", "rsp=<!argument" },
	{ "add rsp, rdi", "", "rsp=<b9+0" },
	{ "add rsp, rdi", "rdi=8", "rdi=8 rsp=c+0" },
	{ "add rsp, 8", "rsp=<?", "rsp=<?" },
	{ "add rsp, 8", "rsp=<!", "rsp=<!" },
	{ "add rcx, rsp", "rcx=!", "rcx=<!" },
	{ "sub rcx, rdi", "rcx=c-16", "rcx=!argument" },
	{ "sub rcx, rdi", "rcx=<!", "rcx=<!argument" },
	{ "and rcx, -16", "rcx=<!", "rcx=<!" },
	{ "and rcx, -16", "rcx=<?", "rcx=<?" },
	{ "mov rsp, rcx", "rcx=<!", "rcx=<! rsp=<!" },
	{ "mov rsp, rbp", "rbp=c-16 rsp=<!", "rbp=c-16 rsp=c-16" },
	{ "sub rsp, rdi", "", "rsp=b9+0" },
	{ "sub rsp, rdi", "rsp=<?", "rsp=<b9+0" },
	{ "sub rsp, [rdi]", "", "rsp=?" },
	{ "and rsp, rdi", "", "rsp=?" },
	{ "and rsp, -16", "rsp=<?", "rsp=<b9+0" },
	{ "mov rsp, [rdi]", "", "rsp=!" },
	{ "movq rsp, xmm0", "", "rsp=<?" },
	{ "push rbx", "rsp=<? [c-16]=rbx saved", "rsp=<? bare [c-8]=? [c-16]=? escaped=rbx saved" },
	{ "push rbx", "rsp=<b9+0 [<b9+0]=r12 [c-16]=rbp",
	  "rsp=<b9-8 bare [c-8]=? [<b9+0]=r12 [c-16]=? [<b9-8]=rbx "
	  "touched=-9223372036854775808..9223372036854775807 bases" },
	{ "push rbx", "rsp=b9+0 [c-16]=rbp", "rsp=b9-8 [c-16]=rbp [b9-8]=rbx" },
	{ "push rbx", "rsp=? [c-16]=rbp", "rsp=? [c-16]=rbp escaped=rbx" },
	{ "pushw 5", "rsp=<! [c-16]=rbx saved", "rsp=<! bare [c-8]=? [c-16]=? saved" },
	{ "enter 16, 0", "rsp=<! [c-16]=rbx saved",
	  "rbp=<! rsp=<! bare [c-8]=? [c-16]=? escaped=rbp saved" },
	/* Of 16 bits: rsp moves by 2, and what they overlap is another word. */
	{ "pushw 5", "", "rsp=c-10 touched=-10..-8" },
	{ "pushw 5", "rsp=c-16 [c-16]=rbx [c-24]=rbp",
	  "rsp=c-18 [c-16]=rbx [c-24]=? touched=-18..-16" },
	{ "pushw 5", "rsp=c-22 [c-16]=rbx [c-24]=rbp", "rsp=c-24 [c-16]=rbx [c-24]=!" },
	{ "push bx", "rsp=c-22 [c-24]=rbp", "rsp=c-24 [c-24]=?" },
	{ "pushw [rdi]", "rsp=c-22 [c-24]=rbp", "rsp=c-24 [c-24]=?" },
	{ "pushfw", "rsp=c-16 [c-24]=rbp", "rsp=c-18 [c-24]=? touched=-18..-16" },
	{ "pushw fs", "rsp=c-16 [c-24]=rbp", "rsp=c-18 [c-24]=? touched=-18..-16" },
	{ "pushw 5", "rsp=c-18 [c-24]=rbp saved", "rsp=c-20 [c-24]=? saved" },
	{ "pushw 5", "rsp=b9-2 [b9-8]=rbx", "rsp=b9-4 [b9-8]=? bases" },
	{ "pushw 5", "rsp=? [c-16]=c-8 fresh=[c-16]", "rsp=? [c-16]=c-8" },
	{ "pop cx", "rsp=c-10", "rcx=!again" },
	{ "pop bx", "rsp=c-10", "rbx=?" },
	{ "pop ax", "rsp=c-10 rax=5", "rax=!" },
	{ "popw [rsp]", "rsp=c-26 [c-24]=rbx", "rsp=c-24 [c-24]=? touched=-24..-22" },
	{ "popw [rdi]", "rsp=c-10 [c-16]=c-8 fresh=[c-16]", "[c-16]=c-8" },
	{ "popfw", "rsp=c-10", "either" },
	{ "popw fs", "rsp=c-10", "" },
	{ "pop sp", "rsp=c-10", "rsp=?" },
	{ "enterw 16, 0", "[c-16]=rbx", "rbp=? rsp=? [c-16]=? touched=-72..-8" },
	{ "enter 16, 0", "", "rbp=c-16 rsp=c-32 [c-16]=rbp" },
	{ "enter 16, 1", "", "rbp=c-16 rsp=c-40 [c-16]=rbp [c-24]=c-16 fresh=[c-24]" },
	{ "enter 16, 3", "",
	  "rbp=c-16 rsp=c-56 [c-16]=rbp [c-40]=c-16 touched=-32..-16 fresh=[c-40]" },
	{ "enter 16, 2", "[c-24]=rbx",
	  "rbp=c-16 rsp=c-48 [c-24]=? [c-16]=rbp [c-32]=c-16 fresh=[c-32]" },
	/* Loads. */
	{ "mov rax, [rsp]", "", "rax=ra" },
	{ "mov rax, [rsp-8]", "", "rax=?" },
	{ "mov rax, [rsp+8]", "[c+0]=c-24", "rax=*c-24 [c+0]=c-24" },
	{ "mov rbp, [rsp+8]", "[c+0]=c-24", "rbp=c-24 [c+0]=c-24" },
	{ "mov rax, [rsp+8]", "[c+0]=c-24 fresh=[c+0]", "rax=c-24 [c+0]=c-24 fresh=[c+0]" },
	{ "mov rax, [rsp+8]", "[c+0]=c-24 fresh=[c+0] stale=[c+0]",
	  "rax=~c-24 [c+0]=c-24 fresh=[c+0] stale=[c+0]" },
	{ "mov rax, [rsp+8]", "[c+0]=c-24 fresh=[c+0] saved",
	  "rax=~c-24 [c+0]=c-24 fresh=[c+0] saved" },
	{ "mov rax, [rsp+8]", "[c+0]=*c-24 fresh=[c+0]", "rax=*c-24 [c+0]=*c-24 fresh=[c+0]" },
	{ "mov rax, [rsp+8]", "[c+0]=~c-24 fresh=[c+0]", "rax=~c-24 [c+0]=~c-24 fresh=[c+0]" },
	{ "mov rax, [rsp+8]", "[c+0]=~c-24", "rax=*c-24 [c+0]=~c-24" },
	{ "mov rax, [rdi]", "", "rax=!" },
	{ "mov rax, [rdi]", "rdi=?", "rax=? rdi=?" },
	{ "mov rax, fs:[rdi]", "rdi=?", "rax=! rdi=?" },
	{ "mov rax, fs:[rsp]", "", "rax=!" },
	{ "mov rax, [rdx+rdi*8]", "rdx=4096", "rax=j8@4096:65535 rdx=4096" },
	{ "mov rax, [rdx+rdi*8+8]", "rdx=4096 rdi=<0..7*1", "rax=<j8@4104:7 rdx=4096 rdi=<0..7*1" },
	{ "mov rax, [rdx+rdi*4]", "rdx=4096 rdi=0..7*2", "rax=j8@4096:7 rdx=4096 rdi=0..7*2" },
	{ "mov rax, [rdx+rdi*4]", "rdx=4096", "rax=? rdx=4096" },
	{ "mov rax, [rdi*8+4096]", "rdi=0..7*1", "rax=j8@4096:7 rdi=0..7*1" },
	{ "mov rax, [rdi+rdx]", "rdx=4096 rdi=0..7*8", "rax=j8@4096:7 rdx=4096 rdi=0..7*8" },
	{ "mov rax, [rdx+rdi]", "rdx=4096 rdi=0..7*8", "rax=j8@4096:7 rdx=4096 rdi=0..7*8" },
	{ "mov rax, [rdi+rdx*2]", "rdx=4096 rdi=0..7*8", "rax=! rdx=4096 rdi=0..7*8" },
	{ "mov rax, [rdx+rdi*8]", "rdx=4096 rdi=2", "rax=! rdx=4096 rdi=2" },
	{ "mov rax, [rdx+rdi*8]", "rdx=4096 rdi=c-16", "rax=? rdx=4096 rdi=c-16" },
	{ "mov rax, [rdx+rdi*8]", "rdi=0..7*1", "rax=? rdi=0..7*1" },
	{ "mov rax, fs:[rdx+rdi*8]", "rdx=4096", "rax=! rdx=4096" },
	{ "movsxd rax, dword ptr [rdx+rdi*4]", "rdx=4096 rdi=0..7*1",
	  "rax=t4@4096:7 rdx=4096 rdi=0..7*1" },
	{ "movsxd rax, dword ptr [rdx+rdi*8]", "rdx=4096", "rax=! rdx=4096" },
	{ "movsxd rax, dword ptr [rsp]", "", "rax=!" },
	{ "movsxd rdx, dword ptr [rdx+rdi*4]", "rdx=4096", "rdx=t4@4096:65535" },
	{ "mov eax, [rdx+rdi*4]", "rdx=4096 rdi=0..7*1", "rax=t4@4096:7 rdx=4096 rdi=0..7*1" },
	{ "movzx eax, word ptr [rdx+rdi*4]", "rdx=4096", "rax=0..65535*1 rdx=4096" },
	{ "movzx eax, byte ptr [rdi]", "", "rax=0..255*1" },
	{ "movzx eax, byte ptr [rsp-8]", "[c-16]=0..7*1", "rax=0..7*1 [c-16]=0..7*1" },
	{ "mov eax, [rsp-8]", "[c-16]=<0..7*1", "rax=<0..7*1 [c-16]=<0..7*1" },
	{ "mov eax, [rsp-8]", "[c-16]=rbx", "rax=! [c-16]=rbx" },
	/* Stores. */
	{ "mov [rsp-8], rbx", "", "[c-16]=rbx" },
	{ "mov [rsp], rbx", "", "bare [c-8]=rbx" },
	{ "mov [rdi], rbx", "", "escaped=rbx" },
	{ "mov [rdi], rbx", "rdi=?", "rdi=? escaped=rbx" },
	{ "mov [rdi], rbx", "rdi=!", "rdi=! escaped=rbx" },
	{ "mov [rdi], rbx", "rdi=*c-16 [c-16]=r12", "rdi=*c-16 [c-16]=r12 touched=-16..-8" },
	{ "mov [rdi], rbx", "rdi=*b9-16 [b9-16]=r12", "rdi=*b9-16 [b9-16]=r12 bases" },
	{ "mov [rdi], rbx", "rdi=*c-16 [c-16]=r12 saved", "rdi=*c-16 [c-16]=r12 saved" },
	{ "mov [rdi], rbx", "rdi=~c-16 [c-16]=r12", "rdi=~c-16 [c-16]=? touched=-16..-8" },
	{ "mov [rdi], rbx", "rdi=~c-16 [c-16]=r12 [c-24]=c-8 fresh=[c-24]",
	  "rdi=~c-16 [c-16]=? [c-24]=c-8 touched=-16..-8" },
	{ "mov [rdi], esi", "[c-16]=c-8 fresh=[c-16]", "[c-16]=c-8" },
	{ "mov [rdi+rax], esi", "rdi=c-64 [c-16]=c-8 fresh=[c-16]", "rdi=c-64 [c-16]=c-8" },
	{ "mov [rsp-16], rbx", "[c-16]=c-8 fresh=[c-16]", "[c-16]=c-8 [c-24]=rbx fresh=[c-16]" },
	{ "mov [rsp-8], rsp", "", "[c-16]=c-8 fresh=[c-16]" },
	{ "mov [rsp-8], rbx", "compared=[c-32],5", "[c-16]=rbx" },
	{ "mov [rsp-8], rbx", "compared=rax,5", "[c-16]=rbx compared=rax,5" },
	{ "mov fs:[rsp-8], rbx", "", "escaped=rbx" },
	{ "mov qword ptr [rsp-8], 5", "[c-16]=rbx", "[c-16]=!" },
	{ "mov qword ptr [rsp-8], 5", "", "touched=-16..-8 unlisted=other" },
	{ "mov dword ptr [rsp-8], 5", "[c-16]=rbx", "[c-16]=!" },
	{ "mov dword ptr [rsp-8], 5", "", "touched=-16..-12" },
	{ "mov [rsp-8], edi", "[c-16]=rbx", "[c-16]=?" },
	{ "mov [rsp-4], di", "[c-16]=rbx", "[c-16]=? touched=-12..-10" },
	{ "movups [rsp-24], xmm0", "[c-24]=rbx [c-40]=r12",
	  "[c-24]=? [c-40]=r12 touched=-32..-16" },
	{ "add qword ptr [rsp-8], rdi", "[c-16]=rbx", "[c-16]=? touched=-16..-8" },
	{ "or qword ptr [rsp-8], 0", "[c-16]=rbx", "[c-16]=rbx" },
	/* Strings and bits. */
	{ "rep stosq", "rdi=c-64 rcx=3", "rcx=? rdi=? touched=-64..-40" },
	{ "rep stosq", "rdi=c-64 rcx=3 down", "rcx=? rdi=? touched=-80..-56 down" },
	{ "rep stosq", "rdi=c-64 rcx=3 either", "rcx=? rdi=? touched=-80..-40 either" },
	{ "rep stosq", "rdi=c-64 rcx=0", "rcx=? rdi=?" },
	{ "rep stosq", "rdi=c-64 rcx=1", "rcx=? rdi=? touched=-64..-56" },
	{ "rep stosq", "rdi=c-64 rcx=-1", "rcx=? rdi=?" },
	{ "rep stosq", "rdi=c-64 rcx=0x10000000", "rcx=? rdi=?" },
	{ "rep stosb", "rdi=c-64 rcx=0xfffffff",
	  "rcx=? rdi=? bare [c-8]=? touched=-64..268435391" },
	{ "rep stosq", "rdi=c-64", "rcx=? rdi=?" },
	{ "rep stosq", "rdi=c-64 [c-16]=c-8 fresh=[c-16]", "rcx=? rdi=? [c-16]=c-8" },
	{ "rep stosq", "rdi=b9+0 rcx=2 [c-24]=rbx aligned=b9:c-32&-16",
	  "rcx=? rdi=? [c-24]=? aligned=b9:c-32&-16 touched=-32..-16 bases" },
	{ "movups [rsp-8], xmm0", "rsp=b9+8 [c-24]=rbx aligned=b9:c-32&-16",
	  "rsp=b9+8 [c-24]=? aligned=b9:c-32&-16 touched=-32..-16 bases" },
	{ "vmaskmovps [rsp-8], ymm1, ymm0", "rsp=b9+0 [c-24]=rbx aligned=b9:c-32&-16",
	  "rsp=b9+0 [c-24]=rbx aligned=b9:c-32&-16 touched=-40..-8 bases" },
	{ "std", "", "down" },
	{ "cld", "down", "" },
	{ "nop", "down", "down" },
	{ "bts qword ptr [rsp-64], rdi", "rdi=128", "rdi=128 touched=-56..-48" },
	{ "bts qword ptr [rsp-64], rdi", "rdi=127", "rdi=127 touched=-64..-56" },
	{ "bts qword ptr [rsp-64], rdi", "rdi=-1", "rdi=-1 touched=-80..-72" },
	{ "bts qword ptr [rsp-64], rdi", "", "touched=-72..-64" },
	{ "bts dword ptr [rsp-64], edi", "rdi=0xffffffff", "rdi=4294967295 touched=-76..-72" },
	{ "bts dword ptr [rsp-64], edi", "rdi=32", "rdi=32 touched=-68..-64" },
	{ "bts word ptr [rsp-64], di", "rdi=0x10010", "rdi=65552 touched=-70..-68" },
	{ "bts word ptr [rsp-64], di", "rdi=0x2000", "rdi=8192 touched=952..954" },
	{ "bts qword ptr [rsp-64], rdi", "rdi=rdi+128", "rdi=rdi+128 touched=-72..-64" },
	{ "rep stosq", "rdi=c-64 rcx=0 touched=-16..-8", "rcx=? rdi=? touched=-16..-8" },
	/* Comparisons. */
	{ "cmp rax, 5", "", "compared=rax,5" },
	{ "cmp rax, 5", "compared=rbx,rdi", "compared=rax,5" },
	{ "cmp rdi, 5", "", "compared=rdi,5" },
	{ "cmp rax, 0", "compared=rbx,5", "" },
	{ "test rax, rax", "both", "both compared=rax,0" },
	{ "test rax, rdx", "compared=rbx,5", "" },
	{ "cmp rax, rdx", "", "compared=rax,rdx" },
	{ "cmp dword ptr [rsp-8], 5", "", "compared=[c-16],5" },
	{ "cmp dword ptr [rdi], 5", "", "" },
	{ "cmp dword ptr [rdi], 5", "rdi=*c-16", "rdi=*c-16" },
	{ "xor eax, eax", "compared=rdx,5", "rax=0" },
};

#define CASES (sizeof(effect_cases) / sizeof(effect_cases[0]))

static struct assembled assembled;

static void assemble_all(void)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	for (size_t i = 0; i < CASES; i++)
		fprintf(file, "	%s\n", effect_cases[i].instruction);
	fprintf(file, "	.skip %d, 0x90\n", CODE_BYTES_MAX);
	fclose(file);
	assembled_open_function(&assembled, text);
	free(text);
}

static void remove_all(void)
{
	assembled_close(&assembled);
}

START_TEST(an_instruction_changes_what_is_known)
{
	const struct effect_case *test = &effect_cases[_i];
	struct code_decoder *decoder = code_decoder_create();
	uint64_t pc = image_symbol_address(assembled.image, "f");
	struct flow_state state, before;
	struct code code;
	char rule[200];

	for (int i = 0; i <= _i; i++) {
		const uint8_t *bytes = image_bytes(assembled.image, pc, CODE_BYTES_MAX);

		ck_assert_ptr_nonnull(bytes);
		code_decode(decoder, pc, bytes, CODE_BYTES_MAX, &code);
		ck_assert_uint_gt(code.length, 0);
		pc += code.length;
	}
	state_read(&state, test->before);
	before = state;
	flow_effect(&state, &code, ORIGIN);
	snprintf(rule, sizeof(rule), "%s, before: %s", test->instruction, test->before);
	state_expect(rule, &state, test->after);
	check_writes(rule, &before, &state);
	code_decoder_destroy(decoder);
}
END_TEST

#define IF(name)     CONDITION_##name, true
#define UNLESS(name) CONDITION_##name, false

static const struct branch_case {
	enum code_condition condition;
	bool taken;
	const char *before, *after;
} branch_cases[] = {
	{ IF(BELOW_EQUAL), "compared=rdi,5", "rdi=<0..5*1 compared=rdi,5" },
	{ IF(BELOW), "compared=rdi,5", "rdi=<0..4*1 compared=rdi,5" },
	{ IF(BELOW), "compared=rdi,0", "compared=rdi,0" },
	{ IF(BELOW), "compared=rdi,1", "rdi=<0..0*1 compared=rdi,1" },
	{ IF(BELOW_EQUAL), "compared=rdi,0", "rdi=<0..0*1 compared=rdi,0" },
	{ UNLESS(ABOVE), "compared=rdi,5", "rdi=<0..5*1 compared=rdi,5" },
	{ UNLESS(ABOVE_EQUAL), "compared=rdi,5", "rdi=<0..4*1 compared=rdi,5" },
	{ UNLESS(BELOW_EQUAL), "compared=rdi,5", "compared=rdi,5" },
	{ UNLESS(BELOW), "compared=rdi,5", "compared=rdi,5" },
	{ IF(ABOVE), "compared=rdi,5", "compared=rdi,5" },
	{ IF(OTHER), "compared=rdi,5", "compared=rdi,5" },
	{ UNLESS(OTHER), "compared=rdi,5", "compared=rdi,5" },
	{ IF(EQUAL), "compared=rdi,5", "compared=rdi,5" },
	{ IF(BELOW_EQUAL), "compared=rdi,-5", "compared=rdi,-5" },
	{ IF(BELOW_EQUAL), "", "" },
	{ IF(BELOW_EQUAL), "compared=rdi,65535", "rdi=<0..65535*1 compared=rdi,65535" },
	{ IF(BELOW_EQUAL), "compared=rdi,65536", "compared=rdi,65536" },
	{ IF(BELOW_EQUAL), "rdi=<0..3*1 compared=rdi,5", "rdi=<0..3*1 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=<0..3*4 compared=rdi,5", "rdi=<0..3*4 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=<0..5*4 compared=rdi,5", "rdi=<0..5*4 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=0..3*1 compared=rdi,5", "rdi=<0..5*1 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=<0..9*1 compared=rdi,5", "rdi=<0..5*1 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=0..3*4 compared=rdi,5", "rdi=0..3*4 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=? compared=rdi,5", "rdi=<0..5*1 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=! compared=rdi,5", "rdi=<0..5*1 compared=rdi,5" },
	{ IF(BELOW_EQUAL), "rdi=7 compared=rdi,5", "rdi=7 compared=rdi,5" },
	/* What a callee preserves stays that. */
	{ IF(BELOW_EQUAL), "compared=rbx,5", "compared=rbx,5" },
	{ IF(BELOW_EQUAL), "compared=rbp,5", "compared=rbp,5" },
	{ IF(BELOW_EQUAL), "compared=r12,5", "compared=r12,5" },
	{ IF(BELOW_EQUAL), "compared=r15,5", "compared=r15,5" },
	{ IF(BELOW_EQUAL), "compared=r11,5", "r11=<0..5*1 compared=r11,5" },
	/* Words. */
	{ IF(BELOW_EQUAL), "compared=[c-16],5", "[c-16]=<0..5*1 compared=[c-16],5" },
	{ IF(BELOW_EQUAL), "[c-16]=rbx compared=[c-16],5", "[c-16]=rbx compared=[c-16],5" },
	{ IF(BELOW_EQUAL), "compared=[c-16],65536", "compared=[c-16],65536" },
	/* Registers that are equal. */
	{ IF(EQUAL), "rax=c-64 rcx=? compared=rax,rcx", "rax=c-64 rcx=c-64 compared=rax,rcx" },
	{ IF(EQUAL), "rax=c-64 rcx=! compared=rax,rcx", "rax=c-64 rcx=c-64 compared=rax,rcx" },
	{ IF(EQUAL), "rax=? rcx=c-64 compared=rax,rcx", "rax=c-64 rcx=c-64 compared=rax,rcx" },
	{ IF(EQUAL), "rax=! rcx=c-64 compared=rax,rcx", "rax=c-64 rcx=c-64 compared=rax,rcx" },
	{ UNLESS(NOT_EQUAL), "rax=! rcx=c-64 compared=rax,rcx",
	  "rax=c-64 rcx=c-64 compared=rax,rcx" },
	{ IF(NOT_EQUAL), "rax=! rcx=c-64 compared=rax,rcx", "rax=! rcx=c-64 compared=rax,rcx" },
	{ UNLESS(EQUAL), "rax=! rcx=c-64 compared=rax,rcx", "rax=! rcx=c-64 compared=rax,rcx" },
	{ IF(EQUAL), "rax=5 rcx=c-64 compared=rax,rcx", "rax=5 rcx=c-64 compared=rax,rcx" },
	{ IF(EQUAL), "rax=c-64 rcx=5 compared=rax,rcx", "rax=c-64 rcx=5 compared=rax,rcx" },
	{ IF(EQUAL), "rax=? rcx=! compared=rax,rcx", "rax=? rcx=! compared=rax,rcx" },
	{ IF(EQUAL), "rax=c-64 rsp=c-32 compared=rsp,rax", "rax=c-64 rsp=c-64 compared=rsp,rax" },
	{ IF(EQUAL), "rax=c-64 rsp=c-32 compared=rax,rsp", "rax=c-64 rsp=c-64 compared=rax,rsp" },
	{ IF(EQUAL), "rax=c-64 rcx=c-32 compared=rax,rcx", "rax=c-64 rcx=c-32 compared=rax,rcx" },
	{ IF(EQUAL), "rax=c-64 rsp=b7+0 compared=rsp,rax", "rax=c-64 rsp=b7+0 compared=rsp,rax" },
	{ IF(EQUAL), "rax=b7+0 rsp=c-64 compared=rsp,rax", "rax=b7+0 rsp=c-64 compared=rsp,rax" },
	/* Threads. */
	{ IF(EQUAL), "both rax=!clone compared=rax,0", "rax=!clone rsp=? new compared=rax,0" },
	{ UNLESS(NOT_EQUAL), "both rax=!clone compared=rax,0",
	  "rax=!clone rsp=? new compared=rax,0" },
	{ IF(NOT_EQUAL), "both rax=!clone compared=rax,0", "rax=!clone compared=rax,0" },
	{ IF(ABOVE), "both rax=!clone compared=rax,0", "rax=!clone both compared=rax,0" },
	{ IF(EQUAL), "both rax=!clone compared=rax,1", "rax=!clone both compared=rax,1" },
	{ IF(EQUAL), "both rax=!clone compared=rcx,0", "rax=!clone both compared=rcx,0" },
	{ IF(EQUAL), "both rax=!clone compared=rax,rdi", "rax=!clone both compared=rax,rdi" },
	{ IF(EQUAL), "rax=!clone compared=rax,0", "rax=!clone compared=rax,0" },
	{ IF(EQUAL), "both rax=!clone compared=[c-16],0", "rax=!clone both compared=[c-16],0" },
};

START_TEST(a_branch_says_something_of_what_was_compared)
{
	const struct branch_case *test = &branch_cases[_i];
	struct flow_state state;

	state_read(&state, test->before);
	flow_effect_branch(&state, test->condition, test->taken);
	state_expect(test->before, &state, test->after);
}
END_TEST

static const struct thread_case {
	const char *state;
	bool system_call, exits, begins;
} thread_cases[] = {
	{ "rax=60", true, true, false },	  { "rax=231", true, true, false },
	{ "rax=61", true, false, false },	  { "rax=60", false, false, false },
	{ "rax=rax+60", true, false, false },	  { "rax=435 rsi=0", true, false, true },
	{ "rax=435", false, false, false },	  { "rax=56", true, false, true },
	{ "rax=56 rsi=4096", true, false, true }, { "rax=56 rsi=0", true, false, false },
	{ "rax=56 rsi=c-64", true, false, true }, { "rax=57", true, false, false },
	{ "rax=rax+56", true, false, false },
};

START_TEST(a_system_call_ends_a_thread_or_begins_one)
{
	const struct thread_case *test = &thread_cases[_i];
	const struct code code = { .system_call = test->system_call };
	struct flow_state state;

	state_read(&state, test->state);
	ck_assert_msg(flow_thread_exits(&state, &code) == test->exits, "%s", test->state);
	ck_assert_msg(flow_thread_begins(&code, &state) == test->begins, "%s", test->state);
	flow_thread_begin(&state);
	ck_assert_int_eq(state.thread, FLOW_THREAD_EITHER);
	ck_assert(state.reg[REGISTER_RAX].kind == VALUE_OTHER && state.reg[REGISTER_RAX].bound);
}
END_TEST

START_TEST(a_jump_goes_where_its_operand_says)
{
	struct code by_register = { .base = CODE_NO_REGISTER, .index = CODE_NO_REGISTER };
	struct code by_word = { .has_memory = true,
				.memory_bytes = 8,
				.source = CODE_NO_REGISTER,
				.base = REGISTER_RSP,
				.index = CODE_NO_REGISTER };
	struct value target;
	struct flow_state state;

	state_read(&state, "rax=4096");
	by_register.source = REGISTER_RAX;
	target = flow_effect_jump(&state, &by_register);
	ck_assert(target.kind == VALUE_CONSTANT && target.number == 4096);
	target = flow_effect_jump(&state, &by_word);
	ck_assert(target.kind == VALUE_ENTRY && target.reg == REGISTER_RIP);
}
END_TEST

SUITE(flow_effect, GROUP(instructions), FIXTURE_ONCE(assemble_all, remove_all),
      TIMES(an_instruction_changes_what_is_known, CASES), GROUP(branches),
      LOOP(a_branch_says_something_of_what_was_compared, branch_cases),
      LOOP(a_system_call_ends_a_thread_or_begins_one, thread_cases),
      TEST(a_jump_goes_where_its_operand_says))
