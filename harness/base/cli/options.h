/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * options.h - what several commands' option parsers need
 *
 * A text that has another form goes to argp_error(), which exits with EXIT_USAGE. what: the option's name, for the
 * message.
 */
#ifndef STACKPROOF_OPTIONS_H
#define STACKPROOF_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "session.h"

/* A flag of struct argp_option, beside argp's own: the option may be given several times, and each value counts. */
#define OPTION_AGAIN 0x10000

#define OPTION_SECONDS_MAX 4294967u /* seven weeks: as milliseconds they fit into 32 bits */

/*
 * A key that says what an option's value is, and into which member of the parser's input it goes. The parser needs no
 * case for such an option: its default is option_into().
 *
 *	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
 */
enum option_kind {
	OPTION_KIND_FLAG = 1,
	OPTION_KIND_TEXT,
	OPTION_KIND_SECONDS,
	OPTION_KIND_NUMBER,
	OPTION_KIND_COUNT,
	OPTION_KIND_COUNT64,
};

#define OPTION_KIND_SHIFT 20 /* argp keeps 24 bits of a key */
/* Compiles only if the member has that type: else the array's size is negative. */
#define OPTION_INTO(kind, input, member, type)                                                     \
	(OPTION_KIND_##kind << OPTION_KIND_SHIFT |                                                 \
	 (int)(offsetof(struct input, member) * sizeof(char[OPTION_IS(input, member, type)])))
#define OPTION_IS(input, member, type)                                                             \
	(_Generic(((struct input *)NULL)->member, type : 1, default : -1))

#define INTO_FLAG(input, member)    OPTION_INTO(FLAG, input, member, bool)	      /* true */
#define INTO_SECONDS(input, member) OPTION_INTO(SECONDS, input, member, unsigned int) /* in ms */
#define INTO_NUMBER(input, member)  OPTION_INTO(NUMBER, input, member, uint64_t)
/* At least 1. */
#define INTO_COUNT(input, member)   OPTION_INTO(COUNT, input, member, unsigned int)
#define INTO_COUNT64(input, member) OPTION_INTO(COUNT64, input, member, uint64_t)
/* Not empty. */
#define INTO_TEXT(input, member) OPTION_INTO(TEXT, input, member, const char *)

/* Stores value in the member that the key names. options: the table that has the key. ARGP_ERR_UNKNOWN: the
 * key names no member. */
error_t option_into(int key, char *value, struct argp_state *state,
		    const struct argp_option *options);

/* The long name of an option in a table; NULL: the table has no such key. */
const char *option_name(const struct argp_option *options, int key);

/* text, a decimal number of 64 bits. */
uint64_t option_number(struct argp_state *state, const char *text, const char *what);
/* The same, at least first and at most last. */
uint64_t option_between(struct argp_state *state, const char *text, const char *what,
			uint64_t first, uint64_t last);
/* 1 to OPTION_SECONDS_MAX seconds, as milliseconds. */
unsigned int option_seconds(struct argp_state *state, const char *text, const char *what);
/* text, an address: decimal, octal (0...) or hexadecimal (0x...). */
uint64_t option_address(struct argp_state *state, const char *text, const char *what);
/* text, a number from 0 to 100, with decimals. */
double option_percent(struct argp_state *state, const char *text, const char *what);
/* Returns text, which must not be empty. */
char *option_text(struct argp_state *state, char *text, const char *what);
/* The same for the name of an output file. It must not be "-": standard output has other lines. */
char *option_file(struct argp_state *state, char *text, const char *what);
/* Cuts text at commas, in place, and puts its words into ret, which has room for max. Returns their number,
 * at least 1. No word may be empty or come twice. */
size_t option_words(struct argp_state *state, char *text, const char *what, char **ret, size_t max);
/* Sets LD_BIND_NOW for programs that are started from now on: the dynamic loader resolves every symbol
 * before they begin. */
void option_bind_now(struct argp_state *state);
/* "loop" or "chain": how the walk in BPF repeats its step. */
enum walk_method option_method(struct argp_state *state, const char *text);

#endif
