/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * assembly_fixture.h - text in assembly as a shared object, f.so in a folder
 */
#ifndef STACKPROOF_ASSEMBLY_FIXTURE_H
#define STACKPROOF_ASSEMBLY_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include "child/child.h"

static inline void assemble(const char *directory, const char *assembly)
{
	static const char *const command[] = {
		"gcc-12", "-shared", "-nostdlib", "-masm=intel", "-Wl,-z,noseparate-code",
		"-o",	  "f.so",    "f.s",	  NULL
	};
	struct child_command child = { .argv = command, .directory = directory, .errors = false };
	char path[300];
	struct error error;
	FILE *file;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/f.s", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"	.intel_syntax noprefix\n	.text\n	.globl f\n	.type f, "
		"@function\n%s",
		assembly);
	ck_assert_int_eq(fclose(file), 0);
	pid = child_start(&child, NULL, &error);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(child_end(pid, false), 0);
}

#endif
