/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * html.h - a page that needs nothing but itself
 *
 * One file with its style inside: no script, no font, no image from anywhere, so that it can be
 * kept as a CI job's artifact and opened from a disk. Light or dark as the reader's system is.
 */
#ifndef STACKPROOF_HTML_H
#define STACKPROOF_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void html_begin(FILE *file, const char *title);
void html_end(FILE *file);
/* Text with everything escaped that HTML could take for its own; also for attributes in double
 * quotes. Control characters, and bytes that are not UTF-8, become U+FFFD. */
void html_text(FILE *file, const char *text);
/* As fprintf(3), but what %s is given goes through html_text(); beside it there is %zu. */
void html_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An id or the name of an anchor: letters and digits of text, anything else as '-'. */
void html_id(FILE *file, const char *text);
/* A table in a box that scrolls, with its headings; columns that begin with '#' are numbers.
 * Ends with a NULL. */
void html_table_begin(FILE *file, const char *const *columns);
void html_table_end(FILE *file);
/* One cell. class: one of the style's, or NULL. */
void html_cell(FILE *file, const char *class, const char *text);
void html_number(FILE *file, uint64_t number);

#endif
