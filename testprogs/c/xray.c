/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * xray.c - clang's XRay: sleds at each function's beginning and end, patched while the program runs
 *
 * Rule: a sled is nops until it is patched; then the entry's is `mov $id, %r10d; call`, so there is
 * a call before the prologue's first push, and the exit's is `mov $id, %r10d; jmp` in place of
 * `ret`. The CFI was written for the nops and must hold for what is patched in. The section
 * xray_instr_map says where they are (llvm, "XRay Instrumentation"). The runtime here is this
 * program's own: it patches all of them and counts in its trampolines, which keep every register.
 */
#include <linux/mman.h>
#include "bare.h"
#include "bare_call.h"

#define PAGE		 4096
#define NOT_INSTRUMENTED __attribute__((xray_never_instrument))
#define INSTRUMENTED	 __attribute__((xray_always_instrument))

/* One sled, version 2: both addresses are relative to where they are. */
struct sled {
	long address;
	long function;
	unsigned char kind, always, version, padding[13];
};

enum { SLED_ENTRY, SLED_EXIT };

extern struct sled __start_xray_instr_map[], __stop_xray_instr_map[];

volatile int entries, exits;

void at_entry(void);
void at_exit(void);

/* Called before the first instruction of a function, and jumped to in place of its last. */
__asm__(".text\n"
	".type at_entry, @function\n"
	"at_entry:\n"
	"	.cfi_startproc\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 16\n"
	"	incl entries(%rip)\n"
	"	pop %rax\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size at_entry, . - at_entry\n"
	".type at_exit, @function\n"
	"at_exit:\n"
	"	.cfi_startproc\n"
	"	incl exits(%rip)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size at_exit, . - at_exit\n");

/* mov $id, %r10d; call or jmp to target */
NOT_INSTRUMENTED FRAME int patch(const struct sled *sled, int id)
{
	unsigned char *at = (unsigned char *)&sled->address + sled->address;
	long target = sled->kind == SLED_ENTRY ? (long)at_entry : (long)at_exit;

	if (sled->version != 2 || (sled->kind != SLED_ENTRY && sled->kind != SLED_EXIT))
		return -1;
	at[0] = 0x41;
	at[1] = 0xba;
	*(int *)(at + 2) = id;
	at[6] = sled->kind == SLED_ENTRY ? 0xe8 : 0xe9;
	*(int *)(at + 7) = (int)(target - (long)(at + 11));
	return 0;
}

NOT_INSTRUMENTED FRAME int patch_all(void)
{
#ifdef WHOLE_IMAGE /* from the ELF header on: its mapping becomes one with the code's */
	extern const char __executable_start[];
	long begin = (long)__executable_start;
#else
	long begin = (long)at_entry & -PAGE;
#endif
	extern const char etext[];
	long size = (long)etext - begin;
	int failures = 0, id = 0;

	if (CALL(__NR_mprotect, begin, size, PROT_READ | PROT_WRITE | PROT_EXEC))
		return -1;
	for (const struct sled *sled = __start_xray_instr_map; sled < __stop_xray_instr_map; sled++)
		failures += patch(sled, ++id);
	if (CALL(__NR_mprotect, begin, size, PROT_READ | PROT_EXEC))
		return -1;
	return failures;
}

INSTRUMENTED FRAME int top(int value)
{
	KEEP(value);
	return value + 1;
}

INSTRUMENTED FRAME int bottom(int value)
{
	int array[20];
	int *pointer = array;

	KEEP_MEMORY(pointer);
	pointer[3] = top(value + 1);
	KEEP_MEMORY(pointer);
	return pointer[3] + 1;
}

NOT_INSTRUMENTED int run(const unsigned long *stack)
{
	int before = bottom(1); /* nops */
	int counted = entries + exits;

	if (patch_all() || before != 4 || counted)
		return 2;
	return bottom(1) != 4 || entries != 2 || exits != 2;
}
