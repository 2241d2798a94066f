/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchains_text.h - the parts of the toolchain report on a terminal
 *
 *	toolchains_text.c	toolchains, faults in detail; helpers for all parts
 *	version_table.c		faults as rows, versions as columns
 *	changes_text.c		what changed from one toolchain to the next
 */
#ifndef STACKPROOF_TOOLCHAINS_TEXT_H
#define STACKPROOF_TOOLCHAINS_TEXT_H

#include "toolchains.h"

#define NAME_BYTES 512 /* longer names are cut */

struct toolchains_printer {
	const struct toolchains *model;
	const struct toolchains_style *style;
	FILE *file;
};

#define COLOUR_BOLD "1"
#define COLOUR_DIM  "2"
#define COLOUR_RED  "31"

/* ---- toolchains_text.c ------------------------------------------------------------------ */

/* Prints untrusted text, in a colour if colours are wanted; colour NULL: without. */
void text_put(const struct toolchains_printer *printer, const char *colour, const char *text);
void text_heading(const struct toolchains_printer *printer, const char *text);
/* Prints words and a newline, wrapped at the terminal's width. The first line begins in column, the others
 * at indent. */
void text_put_wrapped(const struct toolchains_printer *printer, const char *text, size_t column,
		      size_t indent);
/* "FUNCTION in PROGRAM", or "FUNCTION in LIBRARY". */
void fault_title(const struct toolchain_fault *fault, char *ret, size_t size);

/* ---- version_table.c, changes_text.c ------------------------------------------------------ */

void version_table_print(const struct toolchains_printer *printer);
void changes_print(const struct toolchains_printer *printer);

#endif
