/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * registered.c - generated code that calls back: with an FDE of its own, or with none
 *
 * HOW 1: __register_frame() is linked; 2: it is found by dlsym(3); 3: the code has no CFI.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

static const unsigned char code[] = {
	0x53,	    /* push rbx */
	0xff, 0xd7, /* call rdi */
	0x5b,	    /* pop rbx */
	0xc3,	    /* ret */
};

/* As of a section .eh_frame: a CIE, an FDE with absolute addresses, the end. */
static struct __attribute__((packed)) {
	unsigned int cie_length, cie_id;
	unsigned char cie[16];
	unsigned int fde_length, fde_cie;
	void *begin;
	unsigned long size;
	unsigned char fde[8];
	unsigned int end;
} frame = {
	/* version 1, "", 1, -8, rip; def_cfa rsp, 8; offset rip, 1 */
	20,
	0,
	{ 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1 },
	/* advance_loc 1; def_cfa_offset 16; offset rbx, 2; advance_loc 3; def_cfa_offset 8 */
	28,
	28,
	NULL,
	sizeof(code),
	{ 0x41, 0x0e, 16, 0x83, 2, 0x43, 0x0e, 8 },
	0,
};

static __attribute__((noipa)) void called(void)
{
}

#if HOW == 1
void __register_frame(void *begin);
#elif HOW == 2
static void __register_frame(void *begin)
{
	void (*found)(void *) = dlsym(RTLD_DEFAULT, "__register_frame");

	if (found)
		found(begin);
}
#endif

int main(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, code, sizeof(code));
	frame.begin = memory;
#if HOW != 3
	__register_frame(&frame);
#endif
	((void (*)(void (*)(void)))memory)(called);
	return 0;
}
