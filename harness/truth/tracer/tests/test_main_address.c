/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_main_address.c - main is found in a program that has lost its name
 *
 * Each program is linked twice, with its symbols and without.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "image/image.h"
#include "truth/tracer/tracer.h"

#define MUSL "-specs /usr/lib/x86_64-linux-musl/musl-gcc.specs"
#define MAIN "int main(void) { return 0; }"
/* No C library's, but what it hands on may be the same. */
#define START(code)                                                                                \
	MAIN " __asm__(\".text; .globl _start; _start: xor %ebp, %ebp; " code "; hlt\");"

static const struct {
	const char *flags, *source;
	bool found;
} programs[] = {
	{ "-pie", MAIN, true },
	{ "-no-pie", MAIN, true },
	{ "-static", MAIN, true },
	{ "-static-pie", MAIN, true },
	{ "-pie -O2", "int other(void) { return 1; } " MAIN, true },
	/* No C library: what its entry calls is no main. */
	{ "-static -nostdlib", "void _start(void) { for (;;); } " MAIN, false },
	/* Another C library. */
	{ MUSL " -pie", MAIN, true },
	{ MUSL " -no-pie", MAIN, true },
	{ MUSL " -static", MAIN, true },
	/* main out of a table that the loader fills: the code does not say it. */
	{ MUSL " -pie -Wl,--no-relax", MAIN, false },
	/* A function, argc and argv. */
	{ "-static -nostdlib",
	  START("mov (%rsp), %rsi; lea 8(%rsp), %rdx; lea main(%rip), %rdi; call main"), true },
	/* On a way that is not gone always. */
	{ "-static -nostdlib",
	  START("pop %rsi; mov %rsp, %rdx; lea main(%rip), %rdi; test %esi, %esi; je 1f; "
		"call main; 1:"),
	  false },
	/* Without argv; with another word for argc. */
	{ "-static -nostdlib", START("pop %rsi; lea main(%rip), %rdi; call main"), false },
	{ "-static -nostdlib",
	  START("mov 8(%rsp), %rsi; lea 8(%rsp), %rdx; lea main(%rip), %rdi; call main"), false },
	/* It is overwritten before the call. */
	{ "-static -nostdlib",
	  START("mov (%rsp), %rsi; lea 8(%rsp), %rdx; lea main(%rip), %rdi; xor %edi, %edi; "
		"call main"),
	  false },
	/* rsp is moved between. */
	{ "-static -nostdlib",
	  START("push %rax; mov (%rsp), %rsi; lea 8(%rsp), %rdx; lea main(%rip), %rdi; call main"),
	  false },
	{ "-static -nostdlib",
	  START("sub $8, %rsp; mov (%rsp), %rsi; lea 8(%rsp), %rdx; lea main(%rip), %rdi; "
		"call main"),
	  false },
};

static struct image *image_of(const char *path)
{
	struct image *image;
	struct error error;

	ck_assert_msg(!image_create(path, &image, &error), "%s", error.message);
	return image;
}

START_TEST(main_is_where_its_name_was)
{
	char folder[] = "/tmp/test_main_address.XXXXXX", named[64], bare[64], command[512];
	struct image *image;
	uint64_t address;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(named, sizeof(named), "%s/named", folder);
	snprintf(bare, sizeof(bare), "%s/bare", folder);
	snprintf(command, sizeof(command), "echo '%s' | gcc-12 %s -x c - -o %s && strip -o %s %s",
		 programs[_i].source, programs[_i].flags, named, bare, named);
	ck_assert_msg(!system(command), "%s", command);
	image = image_of(named);
	address = image_symbol_address(image, "main");
	image_destroy(image);
	ck_assert_uint_ne(address, 0);
	image = image_of(bare);
	ck_assert_uint_eq(image_symbol_address(image, "main"), 0);
	ck_assert_uint_eq(image_main_address(image), programs[_i].found ? address : 0);
	image_destroy(image);
	unlink(named);
	unlink(bare);
	rmdir(folder);
}
END_TEST

SUITE(main_address, LOOP(main_is_where_its_name_was, programs))
