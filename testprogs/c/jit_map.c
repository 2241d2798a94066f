/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * jit_map.c - code that the program writes itself, with frame pointers and with names
 *
 * Rule: no file has a table for it, so a walk ends there and says so (jit.c). Two things help, and
 * this code has both, as JITs do that want to be profiled. It keeps rbp as a frame pointer: who is
 * told to may go on by it, in the code's bodies, where it is set up; what is around the code is built
 * with and without. And its names are in /tmp/perf-PID.map, as the kernel's
 * tools/perf/Documentation/jit-interface.txt has it. The page was named as a whole before, so the
 * later lines must win; the file is gone when the program has ended.
 */
#include <asm/fcntl.h>
#include <linux/mman.h>
#include "bare.h"
#include "bare_call.h"

#define PAGE	     4096
#define INNER_OFFSET 0x20

typedef long (*function_type)(long, long);

static const unsigned char outer[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	0xff, 0xd6,	  /* call *%rsi */
	0x5d,		  /* pop %rbp */
	0xc3,		  /* ret */
};

static const unsigned char inner[] = {
	0x55,			/* push %rbp */
	0x48, 0x89, 0xe5,	/* mov %rsp, %rbp */
	0x53,			/* push %rbx */
	0x48, 0x83, 0xec, 0x08, /* sub $8, %rsp */
	0x31, 0xdb,		/* xor %ebx, %ebx */
	0xff, 0xd7,		/* call *%rdi */
	0x48, 0x01, 0xd8,	/* add %rbx, %rax */
	0x48, 0x83, 0xc4, 0x08, /* add $8, %rsp */
	0x5b,			/* pop %rbx */
	0x5d,			/* pop %rbp */
	0xc3,			/* ret */
};

/* ---- the perf map ----------------------------------------------------------------------- */

struct text {
	char byte[256];
	unsigned long size;
};

static void put(struct text *text, const char *string)
{
	while (*string)
		text->byte[text->size++] = *string++;
}

static void put_number(struct text *text, unsigned long value, unsigned int base)
{
	char digit[20];
	unsigned int count = 0;

	do
		digit[count++] = "0123456789abcdef"[value % base];
	while (value /= base);
	while (count)
		text->byte[text->size++] = digit[--count];
}

static void put_line(struct text *text, unsigned long start, unsigned long size, const char *name)
{
	put_number(text, start, 16);
	put(text, " ");
	put_number(text, size, 16);
	put(text, " ");
	put(text, name);
	put(text, "\n");
}

static void put_path(struct text *text)
{
	put(text, "/tmp/perf-");
	put_number(text, CALL(__NR_getpid, 0, 0, 0), 10);
	put(text, ".map");
	text->byte[text->size] = '\0';
}

static long write_map(const char *path, unsigned long code)
{
	struct text map; /* zeroed, it would be a call of memset */
	long file;

	map.size = 0;
	put_line(&map, code, PAGE, "stale");
	put_line(&map, code, sizeof(outer), "jit::outer(long)");
	put_line(&map, code + INNER_OFFSET, sizeof(inner), "jit::inner");
	file = CALL(__NR_open, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || CALL(__NR_write, file, map.byte, map.size) != (long)map.size)
		return -1;
	return CALL(__NR_close, file, 0, 0);
}

/* ---- the code --------------------------------------------------------------------------- */

FRAME long called_back(long value)
{
	KEEP(value);
	return 42;
}

FRAME const unsigned char *compile(void)
{
	unsigned char *page = (unsigned char *)bare_call(__NR_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
							 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned long i = 0; i < sizeof(outer); i++)
		page[i] = outer[i];
	for (unsigned long i = 0; i < sizeof(inner); i++)
		page[INNER_OFFSET + i] = inner[i];
	return CALL(__NR_mprotect, page, PAGE, PROT_READ | PROT_EXEC) ? 0 : page;
}

FRAME long call_compiled(const unsigned char *code)
{
	long value = ((function_type)code)((long)called_back, (long)(code + INNER_OFFSET));

	KEEP(value);
	return value;
}

int run(const unsigned long *stack)
{
	const unsigned char *code = compile();
	struct text path;

	path.size = 0;
	put_path(&path);
	if (!code || write_map(path.byte, (unsigned long)code))
		return 1;
	return call_compiled(code) != 42 || CALL(__NR_unlink, path.byte, 0, 0);
}
