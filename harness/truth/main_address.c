/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * main_address.c - where main is in a program that has lost its symbols
 *
 * The C library's _start (glibc, sysdeps/x86_64/start.S) passes main to __libc_start_main in rdi:
 *
 *	31 ed			xor %ebp, %ebp		behind an endbr64 or not
 *	49 89 d1		mov %rdx, %r9
 *	...
 *	48 8d 3d disp32		lea main(%rip), %rdi	or 48 c7 c7 imm32: mov $main, %rdi
 *	ff 15, e8 or 67 e8	call __libc_start_main
 *
 * Any other beginning says nothing of main: no guess is made.
 */
#include <string.h>
#include "image.h"
#include "truth/tracer.h"

#define START_BYTES 64u

static bool is_call(const uint8_t *code)
{
	return (code[0] == 0xff && code[1] == 0x15) || code[0] == 0xe8 ||
	       (code[0] == 0x67 && code[1] == 0xe8);
}

uint64_t image_main_address(const struct image *image)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t begin[] = { 0x31, 0xed, 0x49, 0x89, 0xd1 };
	static const uint8_t lea[] = { 0x48, 0x8d, 0x3d }, mov[] = { 0x48, 0xc7, 0xc7 };
	const uint8_t *code = image_bytes(image, image->entry, START_BYTES);
	int32_t operand;

	if (!code)
		return 0;
	size_t at = memcmp(code, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);

	if (memcmp(code + at, begin, sizeof(begin)) != 0)
		return 0;
	for (at += sizeof(begin); at + 9 <= START_BYTES; at++) {
		bool relative = !memcmp(code + at, lea, sizeof(lea));
		uint64_t address;

		if ((!relative && memcmp(code + at, mov, sizeof(mov)) != 0) ||
		    !is_call(code + at + 7))
			continue;
		memcpy(&operand, code + at + 3, sizeof(operand));
		address = (relative ? image->entry + at + 7 : 0) + (uint64_t)(int64_t)operand;
		return image_bytes(image, address, 1) ? address : 0;
	}
	return 0;
}
