/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * headless.c - a static program with CFI, which whoever makes it hides: -Wl,--no-eh-frame-hdr, and
 * its section headers taken away
 */
static __attribute__((noipa)) int add(int a, int b)
{
	return a + b;
}

static __attribute__((noipa)) int twice(int a)
{
	return add(a, a) + 1;
}

__attribute__((noreturn, used)) static void begin(void)
{
	int status = twice(1) - 3;

	for (;;)
		__asm__ volatile("syscall"
				 :
				 : "a"(231L), "D"((long)status)
				 : "rcx", "r11", "memory");
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call begin\n"
	"	.cfi_endproc\n"
	".size _start, . - _start\n");
