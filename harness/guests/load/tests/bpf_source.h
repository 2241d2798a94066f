/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bpf_source.h - BPF objects that a test compiles, in a folder of its own
 *
 * What loads them says SKIP where the machine may not.
 */
#ifndef STACKPROOF_TESTS_BPF_SOURCE_H
#define STACKPROOF_TESTS_BPF_SOURCE_H

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "guests/load/load.h"

static char directory[] = "/tmp/stackproof-load-XXXXXX";
static char path[sizeof(directory) + 32];

static inline void set_up(void)
{
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/tried.bpf.o", directory);
}

static inline void tear_down(void)
{
	unlink(path);
	rmdir(directory);
}

static inline void write_path(const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

/* Compiles C for BPF to path. */
static inline void compile(const char *source)
{
	char command[256];
	FILE *compiler;

	snprintf(command, sizeof(command), "clang-14 -target bpf -g -O2 -xc -c -o %s -", path);
	compiler = popen(command, "w");
	ck_assert_ptr_nonnull(compiler);
	fputs(source, compiler);
	ck_assert_int_eq(pclose(compiler), 0);
}

#define SECTION(name) "__attribute__((section(\"" name "\"), used)) "
#define LICENSE	      SECTION("license") "char terms[] = \"GPL\";\n"

static inline bool may_load(void)
{
	struct error error = { 0 };

	if (!load_possible(&error))
		return true;
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	printf("SKIP: no_bpf: %s\n", error.message);
	return false;
}

#endif
