/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * assembly_fixture.h - text in assembly as a shared object, f.so in a folder; the same, opened
 */
#ifndef STACKPROOF_ASSEMBLY_FIXTURE_H
#define STACKPROOF_ASSEMBLY_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cfi/cfi.h"
#include "base/child/child.h"

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

/* In a folder of its own. cfi: empty if there is none. */
struct assembled {
	char directory[64], path[80];
	struct image *image;
	struct cfi *cfi;
};

static inline void assembled_open(struct assembled *assembled, const char *assembly)
{
	struct error error;

	strcpy(assembled->directory, "/tmp/test_assembly.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(assembled->directory));
	assemble(assembled->directory, assembly);
	snprintf(assembled->path, sizeof(assembled->path), "%s/f.so", assembled->directory);
	ck_assert_int_eq(image_create(assembled->path, &assembled->image, &error), 0);
	if (cfi_create(assembled->image, &assembled->cfi, &error))
		ck_assert_int_eq(error.code, ERROR_NO_CFI);
}

/* The same of one function f, by its body: it has CFI. */
static inline void assembled_open_function(struct assembled *assembled, const char *body)
{
	char *assembly;
	int size = asprintf(&assembly, "f:	.cfi_startproc\n%s	.cfi_endproc\n", body);

	ck_assert_int_gt(size, 0);
	assembled_open(assembled, assembly);
	ck_assert_uint_gt(assembled->cfi->fde_count, 0);
	free(assembly);
}

static inline void assembled_close(struct assembled *assembled)
{
	char command[80];

	cfi_destroy(assembled->cfi);
	image_destroy(assembled->image);
	snprintf(command, sizeof(command), "rm -r %s", assembled->directory);
	ck_assert_int_eq(system(command), 0);
}

#endif
