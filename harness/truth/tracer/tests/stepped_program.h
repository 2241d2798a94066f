/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepped_program.h - a program of a few instructions of assembly, to be stepped
 *
 * It is static, has a build-id, and its code begins at STEPPED_TEXT.
 */
#ifndef STACKPROOF_STEPPED_PROGRAM_H
#define STACKPROOF_STEPPED_PROGRAM_H

#include <check.h>
#include <stdio.h>

#define STEPPED_TEXT 0x401000

/* _start, which is the outermost frame; its end; another function and its end. */
#define START ".globl _start\n_start:\n.cfi_startproc\n.cfi_undefined rip\n"
#define EXIT  "mov eax, 60\nxor edi, edi\nsyscall\n.cfi_endproc\n.size _start, . - _start\n"
#define F     ".type f, @function\nf:\n.cfi_startproc\n"
#define END_F ".cfi_endproc\n.size f, . - f\n"

static inline void make_of(const char *path, const char *flags, const char *text)
{
	char command[512];
	FILE *pipe;

	snprintf(command, sizeof(command), "gcc-12 %s -o %s -x assembler -", flags, path);
	pipe = popen(command, "we");
	ck_assert_ptr_nonnull(pipe);
	fprintf(pipe, ".intel_syntax noprefix\n.text\n%s", text);
	ck_assert_int_eq(pclose(pipe), 0);
}

static inline void make_program(const char *path, const char *text)
{
	char flags[96];

	snprintf(flags, sizeof(flags), "-static -nostdlib -Wl,-Ttext=%#x -Wl,--build-id",
		 STEPPED_TEXT);
	make_of(path, flags, text);
}

#endif
