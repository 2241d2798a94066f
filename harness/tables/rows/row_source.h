/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_source.h - what any unwind table says at an address, as a row
 *
 * A table in another format than CFI is a *source*: a function that gives the row at an address, and says which rules
 * the format has words for. Code that compares rows takes a source, and knows no format.
 *
 *	rows_cfi.c		the image's CFI itself
 *	rows_compact.c		the image's compact table
 *	rows_sframe.c		its SFrame
 *	diff/diff_rows.c	another tool's dump
 *
 * To add a format, write such a file.
 */
#ifndef STACKPROOF_ROW_SOURCE_H
#define STACKPROOF_ROW_SOURCE_H

#include <stdint.h>
#include "cfi/cfi.h"
#include "error.h"
#include "image/image.h"

#define ROW_MARKS_MAX  8    /* of one source */
#define ROW_SAID_BYTES 1024 /* of a row's expressions: one for the CFA and for each place */

enum row_said_kind {
	ROW_SAID_NOTHING, /* no row */
	ROW_SAID_MARK,	  /* no row, for a reason: no fault of the table */
	ROW_SAID_ROW,
};

/* A bit of row_said.declared beside those of registers. */
#define ROW_DECLARES_CFA (1u << 31)

/* What a table says at an address. Whatever kind it is, it holds from row.pc to before row.pc_end;
 * UINT64_MAX: to the end. */
struct row_said {
	enum row_said_kind kind;
	uint8_t mark; /* of ROW_SAID_MARK: number in source.mark */
	struct row row;
	/* What the table has words for: bits of registers, REGISTER_RIP's too, and ROW_DECLARES_CFA. A rule
	 * that the words don't say in full is RULE_VAL_EXPRESSION without bytes. */
	uint32_t declared;
	uint32_t vague;			    /* of these: "unspecified" may stand for "undefined" */
	uint8_t expression[ROW_SAID_BYTES]; /* of the row, unless the source keeps them elsewhere */
};

/* A source. row_at() is called with rising addresses mostly. Its result is valid until the next call with
 * the same ret. */
struct row_source {
	const char *name; /* in findings: "compact", a file's path */
	const char *mark[ROW_MARKS_MAX];
	void (*row_at)(void *context, uint64_t pc, struct row_said *ret);
	void *context;
};

/* ---- rows_cfi.c --------------------------------------------------------------------------- */

#define ROWS_CFI "cfi" /* the source's name */

struct cfi_rows_kept;

/* cfi is borrowed until cfi_rows_destroy(). What an FDE has behind instructions that can't be decoded is a mark. */
int cfi_rows_create(const struct cfi *cfi, struct cfi_rows_kept **ret, struct error *error);
void cfi_rows_destroy(struct cfi_rows_kept *kept);
/* False: there was no memory for some FDE's rows. */
bool cfi_rows_are_whole(const struct cfi_rows_kept *kept);
struct row_source cfi_rows_source(struct cfi_rows_kept *kept);

/* ---- rows_compact.c ----------------------------------------------------------------------- */

#define ROWS_COMPACT "compact" /* the source's name */

struct compact_rows;

/* Makes the image's table by table_build(). image is borrowed until compact_rows_destroy(). */
int compact_rows_create(const struct image *image, struct compact_rows **ret, struct error *error);
void compact_rows_destroy(struct compact_rows *compact);
/* Valid as long as compact is. */
struct row_source compact_rows_source(struct compact_rows *compact);

/* ---- rows_sframe.c ------------------------------------------------------------------------ */

#define ROWS_SFRAME "sframe" /* the source's name */

struct sframe;
struct sframe_source;

/* Reads the image's SFrame; -1 as sframe_create(). image is borrowed until sframe_source_destroy(). */
int sframe_source_create(const struct image *image, struct sframe_source **ret,
			 struct error *error);
void sframe_source_destroy(struct sframe_source *source);
/* Valid as long as source is. */
const struct sframe *sframe_source_sframe(const struct sframe_source *source);
struct row_source sframe_source_rows(struct sframe_source *source);

#endif
