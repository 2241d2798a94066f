/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * function_profile.h - a binary's own functions: their tables, in rows and in numbers
 *
 *	own_code.c		which code is from the program's own source
 *	function_profile.c	each function's rows, features and numbers
 */
#ifndef STACKPROOF_FUNCTION_PROFILE_H
#define STACKPROOF_FUNCTION_PROFILE_H

#include "tables/diff/diff.h"
#include "toolchains.h"
#include "truth/steps/decoder.h"

/* ---- own_code.c ------------------------------------------------------------------------- */

struct own_range {
	uint64_t start;
	uint64_t end;
};

struct own_section {
	struct own_range range;
	char name[32];
};

struct own_code {
	struct own_range *range; /* code of the program's compilation units */
	size_t count;		 /* 0: not known */
	struct own_section *plt;
	size_t plt_count;
	bool is_static; /* no dynamic section, no interpreter */
};

int own_code_read(const char *path, struct own_code *ret, struct error *error);
void own_code_deinit(struct own_code *code);
/* The name of the PLT section that has vaddr, or NULL. Borrowed. */
const char *own_code_plt(const struct own_code *code, uint64_t vaddr);
/* True if a compilation unit of the program covers vaddr. Always false if code->count is 0. */
bool own_code_has(const struct own_code *code, uint64_t vaddr);

/* ---- function_profile.c ----------------------------------------------------------------- */

/* function[n] is function n of table: an own function, with its FDE's rows, or without rows if no FDE
 * covers it. */
struct code_profile {
	struct function_profile *function; /* names are borrowed from table */
	struct diff_table table;
	struct own_code own;
	/* Of the whole file. */
	uint64_t rows;
	uint64_t table_bytes; /* of the compact table */
	struct toolchain_sframe sframe;
};

/* words: shared by all profiles that are compared. A file without CFI is not an error. */
int code_profile_read(const char *path, struct diff_words *words, struct decoder *decoder,
		      struct code_profile *ret, struct error *error);
void code_profile_deinit(struct code_profile *profile);

#endif
