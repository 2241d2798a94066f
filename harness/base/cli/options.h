/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * options.h - what several commands' option parsers need
 *
 * What the text is not goes to argp_error(), which exits with EXIT_USAGE. what: the option's name.
 */
#ifndef STACKPROOF_OPTIONS_H
#define STACKPROOF_OPTIONS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>
#include "session.h"

/* A flag of struct argp_option, beside argp's own: it may be given again, and each value counts. */
#define OPTION_AGAIN 0x10000

#define OPTION_SECONDS_MAX 4294967u /* seven weeks: as milliseconds they have 32 bits */

/* text as a decimal number of 64 bits. */
uint64_t option_number(struct argp_state *state, const char *text, const char *what);
/* The same, from first to last. */
uint64_t option_between(struct argp_state *state, const char *text, const char *what,
			uint64_t first, uint64_t last);
/* 1 to OPTION_SECONDS_MAX seconds, as milliseconds. */
unsigned int option_seconds(struct argp_state *state, const char *text, const char *what);
/* An address: decimal, octal (0...) or hexadecimal (0x...). */
uint64_t option_address(struct argp_state *state, const char *text, const char *what);
/* 0 to 100, with decimals. */
double option_percent(struct argp_state *state, const char *text, const char *what);
/* text, if it is not empty. */
char *option_text(struct argp_state *state, char *text, const char *what);
/* The same, of a file that is written beside what is printed: "-" is none. */
char *option_file(struct argp_state *state, char *text, const char *what);
/* Cuts text at commas: its words go into ret, which has room for max. How many; at least one,
 * none of them empty, none twice. */
size_t option_words(struct argp_state *state, char *text, const char *what, char **ret, size_t max);
/* For programs that are started from here: the dynamic loader resolves every symbol before they
 * begin. */
void option_bind_now(struct argp_state *state);
/* "loop" or "chain", how the walk in BPF goes round. */
enum walk_method option_method(struct argp_state *state, const char *text);

#endif
