/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_needs.h - what an executable file asks its loader for
 *
 * The caller owns a struct elf_needs: elf_needs_init() fills it, elf_needs_deinit() frees what it holds.
 */
#ifndef STACKPROOF_ELF_NEEDS_H
#define STACKPROOF_ELF_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

struct elf_needs {
	bool is_elf; /* false: only interpreter and program may be set, from a script's #! line */
	uint16_t machine;  /* e_machine */
	uint8_t elf_class; /* ELFCLASS* */
	char *interpreter; /* PT_INTERP, NULL if none */
	char *program;	   /* a script's "#!/usr/bin/env PROGRAM"; else NULL */
	char **needed;	   /* DT_NEEDED, in order */
	size_t needed_count;
	char *rpath;   /* DT_RPATH, colon-separated; NULL if none or if DT_RUNPATH overrides it */
	char *runpath; /* DT_RUNPATH */
};

/* Reads the file at path. A file that is not ELF is no error; a malformed ELF file is. */
int elf_needs_init(struct elf_needs *needs, const char *path, struct error *error);
void elf_needs_deinit(struct elf_needs *needs);

#endif
