/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * html.h - a page of HTML in a single file
 *
 * The style is inside, and the page loads no script, font or image, so that it can be kept as a CI job's
 * artifact and opened from a disk. It is light or dark as the reader's system is.
 */
#ifndef STACKPROOF_HTML_H
#define STACKPROOF_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void html_begin(FILE *file, const char *title);
/* The same with more style, and for a page in which the script runs, and only that, whose SHA-256 this is, in base64. */
void html_begin_with(FILE *file, const char *title, const char *more_style,
		     const char *script_sha256);
void html_end(FILE *file);
/* Writes text with HTML's special characters escaped, also for attributes in double quotes. Control
 * characters, and bytes that are not UTF-8, become U+FFFD. */
void html_text(FILE *file, const char *text);
/* As fprintf(3), but with %s and %zu only; %s goes through html_text(). */
void html_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes text as an id: ASCII letters and digits stay, anything else becomes '-'. */
void html_id(FILE *file, const char *text);
/* Begins a table in a box that scrolls. columns: the headings, ending with NULL; a '#' before a heading
 * marks a column of numbers. */
void html_table_begin(FILE *file, const char *const *columns);
void html_table_end(FILE *file);
/* Writes a table cell. class: a class of the style, or NULL. */
void html_cell(FILE *file, const char *class, const char *text);
void html_number(FILE *file, uint64_t number);

#endif
