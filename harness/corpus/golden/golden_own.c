/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_own.c - of a file with a library in it, what is the program's own
 *
 * A static program holds a thousand functions that this toolchain never compiled: the C library's,
 * or Rust's. They change with a package that has nothing to do with the golden, and would be all
 * of it. So a file with more functions than any program of the corpus has is known by its own
 * functions alone: those that its debug information names (own_code.c). Without debug information
 * nothing says which they are, as in a packed file: then its golden, made where it was known, says
 * which functions are looked at (partial).
 */
#include <stdlib.h>
#include "corpus/toolchains/function_profile.h"
#include "golden.h"
#include "table/saved_table.h"

/* The largest programs of the corpus have some ninety, the smallest static one a few hundred. */
#define LARGE_FUNCTIONS 256

static bool is_large(const struct cfi *cfi)
{
	return cfi->by_pc_count >= LARGE_FUNCTIONS;
}

/* Drops the functions that are not own. */
static void keep_own(struct table_text *text, const struct own_code *own)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->function_count; i++) {
		if (own_code_has(own, text->function[i].pc))
			text->function[kept++] = text->function[i];
		else
			free(text->function[i].name);
	}
	text->function_count = kept;
}

int golden_own_text_write(FILE *file, const char *path, const struct cfi *cfi, bool *ret_partial,
			  struct error *error)
{
	struct table_text *text = NULL;
	struct own_code own;
	int status = -1;

	*ret_partial = false;
	if (!is_large(cfi))
		return table_text_write(file, cfi, error);
	if (own_code_read(path, &own, error))
		return -1;
	if (!own.count) {
		*ret_partial = true;
		status = table_text_write(file, cfi, error);
	} else if (!table_text_create(cfi, &text, error)) {
		keep_own(text, &own);
		status = table_text_write_saved(file, text, error);
	}
	table_text_destroy(text);
	own_code_deinit(&own);
	return status;
}

bool golden_own_has(const char *path, uint64_t vaddr)
{
	struct own_code own DEINIT(own_code_deinit) = { 0 };
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	struct error error = { 0 };

	if (!image_create(path, &image, &error) && !cfi_create(image, &cfi, &error) &&
	    is_large(cfi) && !own_code_read(path, &own, &error))
		return own_code_has(&own, vaddr);
	return true;
}
