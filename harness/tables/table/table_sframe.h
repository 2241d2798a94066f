/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sframe.h - the formats of `stackproof table --sframe`
 *
 *	table_sframe.c		text: headers, functions, rows; and the compact table that is made of it
 *	table_sframe_objdump.c	the lines of `objdump --sframe`, of the binutils that first wrote the version
 *	table_sframe_json.c	one object for each header, function and error
 *
 * As a format of call frame information (table.h), a format is one file with one function.
 */
#ifndef STACKPROOF_TABLE_SFRAME_H
#define STACKPROOF_TABLE_SFRAME_H

#include "sframe/sframe.h"
#include "table.h"

struct table_sframe {
	const char *path;	   /* as it is printed */
	const struct image *image; /* NULL: a file for another machine */
	const struct sframe *sframe;
};

/* Writes it in the format. 0, or -1 if nothing could be written at all. */
typedef int (*table_sframe_fn)(FILE *file, const struct table_sframe *table,
			       const struct table_filter *filter, struct error *error);

int table_sframe_text(FILE *file, const struct table_sframe *table,
		      const struct table_filter *filter, struct error *error);
int table_sframe_objdump(FILE *file, const struct table_sframe *table,
			 const struct table_filter *filter, struct error *error);
int table_sframe_json(FILE *file, const struct table_sframe *table,
		      const struct table_filter *filter, struct error *error);
int table_sframe_compact(FILE *file, const struct table_sframe *table,
			 const struct table_filter *filter, struct error *error);

/* ---- for the formats ------------------------------------------------------------------------ */

/* "amd64", "aarch64", "aarch64be", "s390x". */
const char *sframe_machine_name(uint8_t machine);
/* Writes a rule: "sp+16", "fp-8", "r10+0"; "*(fp-8)"; of RA and FP also "c-8": *(cfa - 8); "v+8": cfa + 8; "none". */
void sframe_rule_print(FILE *file, uint8_t machine, const struct sframe_rule *rule, bool is_cfa);
/* Writes what a row says, without its start: "cfa=sp+16 ra=c-8 fp=c-16", "outermost". */
void sframe_row_print(FILE *file, uint8_t machine, const struct sframe_row *row);
/* The symbol that the function begins at, or NULL. */
const char *table_sframe_name(const struct table_sframe *table,
			      const struct sframe_function *function);

#endif
