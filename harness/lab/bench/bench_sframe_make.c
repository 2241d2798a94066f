/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_sframe_make.c - a large image with .sframe, which no distribution has
 *
 * The image's own call frame information, said as an assembler says it in SFrame: a function whose CFA is by another
 * register than rsp and rbp, or whose rbp is not at an offset from the CFA, is left out. What is written so is in a copy
 * of the image, in a section of its own; the version is one that this machine's objdump reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/child/child.h"
#include "bench.h"
#include "sframe/sframe.h"

#define TIMEOUT_MS 60000

/* The sub-sections, as they grow. */
struct made_sframe {
	FILE *index, *rows;
	unsigned int version;
	uint32_t functions, row_count;
};

/* One function's rows, before it is known whether all of them can be said. */
struct made_function {
	struct row *row;
	uint32_t count, room;
	bool untold;
};

static void put(FILE *file, uint64_t value, unsigned int bytes)
{
	fwrite(&value, bytes, 1, file); /* x86-64 is little-endian */
}

static int keep_row(void *context, const struct row *row)
{
	struct made_function *function = context;
	const struct row_rule *fp = &row->reg[REGISTER_RBP];

	if (row->cfa.kind != RULE_CFA_REGISTER ||
	    (row->cfa.reg != REGISTER_RSP && row->cfa.reg != REGISTER_RBP) ||
	    row->reg[REGISTER_RIP].kind != RULE_OFFSET ||
	    (fp->kind != RULE_OFFSET && fp->kind != RULE_UNSPECIFIED))
		function->untold = true;
	if (!function->untold && function->count == function->room) {
		uint32_t room = function->room * 2 + 16;
		struct row *grown = realloc(function->row, room * sizeof(*grown));

		function->untold = !grown;
		function->row = grown ? grown : function->row;
		function->room = grown ? room : function->room;
	}
	if (function->untold)
		return 1;
	function->row[function->count++] = *row;
	return 0;
}

/* How many bytes hold it. */
static unsigned int bytes_of(int64_t value)
{
	return value == (int8_t)value ? 1 : value == (int16_t)value ? 2 : 4;
}

static void put_row(struct made_sframe *made, const struct row *row, uint64_t begin,
		    unsigned int start_bytes)
{
	const struct row_rule *fp = &row->reg[REGISTER_RBP];
	bool has_fp = fp->kind == RULE_OFFSET;
	unsigned int bytes = bytes_of(row->cfa.offset), more = has_fp ? bytes_of(fp->offset) : 1;

	bytes = bytes > more ? bytes : more;
	put(made->rows, row->pc - begin, start_bytes);
	put(made->rows,
	    (row->cfa.reg == REGISTER_RSP) | (has_fp ? 2u : 1u) << 1 | (bytes >> 1) << 5, 1);
	put(made->rows, (uint64_t)row->cfa.offset, bytes);
	if (has_fp)
		put(made->rows, (uint64_t)fp->offset, bytes);
}

static void put_function(struct made_sframe *made, const struct cfi_fde *fde,
			 const struct made_function *function)
{
	unsigned int type = fde->pc_range <= UINT8_MAX ? 0 : fde->pc_range <= UINT16_MAX ? 1 : 2;

	put(made->index, fde->pc_begin, made->version == 3 ? 8 : 4);
	put(made->index, fde->pc_range, 4);
	put(made->index, (uint64_t)ftell(made->rows), 4);
	if (made->version == 3) {
		put(made->rows, function->count, 2);
		put(made->rows, type, 3);
	} else {
		put(made->index, function->count, 4);
		put(made->index, type, made->version == 2 ? 4 : 1);
	}
	for (uint32_t i = 0; i < function->count; i++)
		put_row(made, &function->row[i], fde->pc_begin, 1u << type);
	made->functions++;
	made->row_count += function->count;
}

static void put_functions(struct made_sframe *made, const struct cfi *cfi)
{
	struct made_function function = { .row = NULL };
	struct error ignored;

	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		function.count = 0;
		function.untold = false;
		if (fde->pc_range && !cfi_rows(cfi, fde, keep_row, &function, &ignored))
			put_function(made, fde, &function);
	}
	free(function.row);
}

/* The section's address is 0: starts count from it. */
static void put_header(FILE *file, const struct made_sframe *made, size_t index, size_t rows)
{
	put(file, SFRAME_MAGIC, 2);
	put(file, made->version, 1);
	put(file, SFRAME_SORTED, 1);
	put(file, SFRAME_AMD64, 1);
	put(file, 0, 1);
	put(file, (uint8_t)-8, 1);
	put(file, 0, 1);
	put(file, made->functions, 4);
	put(file, made->row_count, 4);
	put(file, rows, 4);
	put(file, 0, 4);
	put(file, index, 4);
}

int bench_sframe_write(const struct cfi *cfi, unsigned int version, FILE *file, struct error *error)
{
	struct made_sframe made = { .version = version };
	FREED char *index = NULL, *rows = NULL;
	size_t index_bytes = 0, rows_bytes = 0;
	bool failed;

	made.index = open_memstream(&index, &index_bytes);
	made.rows = open_memstream(&rows, &rows_bytes);
	if (made.index && made.rows)
		put_functions(&made, cfi);
	failed = !made.index || ferror(made.index) || !made.rows || ferror(made.rows);
	if (made.index)
		failed |= fclose(made.index) != 0;
	if (made.rows)
		failed |= fclose(made.rows) != 0;
	if (failed || index_bytes > UINT32_MAX || rows_bytes > UINT32_MAX)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for SFrame");
	put_header(file, &made, index_bytes, rows_bytes);
	fwrite(index, 1, index_bytes, file);
	fwrite(rows, 1, rows_bytes, file);
	return ferror(file) ? error_set_errno(error, "SFrame") : 0;
}

/* The version that binutils' objdump of this machine reads: 1 from 2.40, 2 from 2.41, 3 from 2.46 on. */
static int find_version(unsigned int *ret, struct error *error)
{
	const char *const argv[] = { "objdump", "--version", NULL };
	unsigned int major = 0, minor = 0;
	char text[256], *at;

	if (bench_child(argv, false, TIMEOUT_MS, text, sizeof(text), error))
		return -1;
	text[strcspn(text, "\n")] = '\0';
	at = strrchr(text, ' ');
	if (!at || sscanf(at, "%u.%u", &major, &minor) != 2 || major != 2 || minor < 40)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "objdump knows no SFrame: %.100s",
				 text);
	*ret = minor == 40 ? 1 : minor < 46 ? 2 : 3;
	return 0;
}

int bench_sframe_make(const char *path, const char *folder, char ret_path[4096],
		      struct error *error)
{
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	char section[4096], added[4128], ignored[256];
	const char *const argv[] = { "objcopy", "--add-section", added, path, ret_path, NULL };
	unsigned int version = 0;
	int status;
	FILE *file;

	snprintf(section, sizeof(section), "%s/sframe", folder);
	snprintf(added, sizeof(added), ".sframe=%s", section);
	snprintf(ret_path, 4096, "%s/image", folder);
	if (find_version(&version, error) || image_create(path, &image, error) ||
	    cfi_create(image, &cfi, error))
		return -1;
	file = fopen(section, "w");
	if (!file)
		return error_set_errno(error, "%s", section);
	status = bench_sframe_write(cfi, version, file, error);
	if (fclose(file) && !status)
		status = error_set_errno(error, "%s", section);
	return status ? -1 : bench_child(argv, true, TIMEOUT_MS, ignored, sizeof(ignored), error);
}
