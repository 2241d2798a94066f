/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * patched.c - code whose effect on the stack changes behind the tracer's back
 *
 * Rule: what was decoded once may be another instruction the next time. HOW 1: written through /proc/self/mem,
 * which no protection stops; 2: through a second mapping of the same memory. Half of the time the function calls,
 * and half of the time it has nops there.
 *
 * HOW 3: a function's frame is made larger where it is made and where it is taken down; its row is right for the file.
 * What tells is 300 bytes before the places at which it is wrong.
 *
 * HOW 4: the same by an instruction behind the places at which the row is wrong then: it jumps back. Soon behind it the
 * segment ends, and with it what is compared.
 *
 * HOW 5: a row that is wrong in the file, too; and 300 bytes before and behind its function something was patched, which
 * is no excuse.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../c/testprog.h"

#define CODE_BYTES 4096
#define ROUNDS	   6

/* sub $8, %rsp; nops or call *%rdi; add $8, %rsp; ret */
static const char forms[2][12] = { "\x48\x83\xec\x08\x90\x90\x48\x83\xc4\x08\xc3",
				   "\x48\x83\xec\x08\xff\xd7\x48\x83\xc4\x08\xc3" };
static volatile int calls;

static FRAME void callee(void)
{
	calls++;
}

#if HOW == 3
/* sub $24, %rsp and add $24, %rsp: 8-bit immediates. */
void frame(void);
extern char frame_made[], frame_taken[];
__asm__(".type frame, @function\n"
	"frame:\n"
	".cfi_startproc\n"
	"	sub $24, %rsp\n"
	"frame_made:\n"
	".cfi_def_cfa_offset 32\n"
	"	.skip 300, 0x90\n"
	"	nop\n"
	"	.skip 300, 0x90\n"
	"	add $24, %rsp\n"
	"frame_taken:\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size frame, .-frame\n");

int main(void)
{
	static const char larger = 40;
	int memory = open("/proc/self/mem", O_RDWR);

	frame();
	if (pwrite(memory, &larger, 1, (off_t)(frame_made - 1)) != 1 ||
	    pwrite(memory, &larger, 1, (off_t)(frame_taken - 1)) != 1)
		return 1;
	frame();
	return 0;
}
#elif HOW == 4
/* lea 0(%rsp), %rsp: an 8-bit displacement. */
void frame(void);
extern char lowered[];
__asm__(".pushsection last_code, \"ax\", @progbits\n"
	".type frame, @function\n"
	"frame:\n"
	".cfi_startproc\n"
	"	sub $24, %rsp\n"
	".cfi_def_cfa_offset 32\n"
	"	mov %rsp, %rdx\n"
	"	mov $2, %ecx\n"
	"again:\n"
	"	.skip 8, 0x90\n"
	"	dec %ecx\n"
	"	jz done\n"
	"	.byte 0x48, 0x8d, 0x64, 0x24, 0x00\n"
	"lowered:\n"
	"	jmp again\n"
	"done:\n"
	"	mov %rdx, %rsp\n"
	"	add $24, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size frame, .-frame\n"
	".popsection\n");

int main(void)
{
	static const char by = -8;
	int memory = open("/proc/self/mem", O_RDWR);

	frame();
	if (pwrite(memory, &by, 1, (off_t)(lowered - 1)) != 1)
		return 1;
	frame();
	return 0;
}
#elif HOW == 5
void frame(void);
extern char before[], behind[];
__asm__("before:\n"
	"	.skip 300, 0x90\n"
	".type frame, @function\n"
	"frame:\n"
	".cfi_startproc\n"
	"	sub $24, %rsp\n"
	".cfi_def_cfa_offset 40\n"
	"	nop\n"
	"	add $24, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size frame, .-frame\n"
	"	.skip 300, 0x90\n"
	"behind:\n"
	"	nop\n");

int main(void)
{
	static const char trap = '\xcc';
	int memory = open("/proc/self/mem", O_RDWR);

	if (pwrite(memory, &trap, 1, (off_t)before) != 1 ||
	    pwrite(memory, &trap, 1, (off_t)behind) != 1)
		return 1;
	frame();
	return 0;
}
#else
int main(void)
{
	int code = memfd_create("code", 0), memory = open("/proc/self/mem", O_RDWR);
	char *writable, *executable;

	if (code < 0 || memory < 0 || ftruncate(code, CODE_BYTES))
		return 1;
	writable = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, code, 0);
	executable = mmap(NULL, CODE_BYTES, PROT_READ | PROT_EXEC,
			  HOW == 1 ? MAP_PRIVATE : MAP_SHARED, code, 0);
	if (writable == MAP_FAILED || executable == MAP_FAILED)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		if (HOW == 2)
			memcpy(writable, forms[i % 2], sizeof(forms[0]));
		else if (pwrite(memory, forms[i % 2], sizeof(forms[0]), (off_t)executable) < 0)
			return 1;
		((void (*)(void (*)(void)))executable)(callee);
	}
	return calls != ROUNDS / 2;
}
#endif
