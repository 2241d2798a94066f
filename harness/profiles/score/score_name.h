/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_name.h - one function's names, as symbols, demanglers and profilers spell them
 *
 *	_ZN1a1fEi.cold	a::f(int) [clone .cold]	a::f(int)	a::f
 *	_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE	core::fmt::Write::write_fmt
 *	memcpy@@GLIBC_2.14	memcpy
 *	read@plt
 *
 * A symbol has a key for each spelling of it that says less than the one before
 * (score_spelling.h). A name in a profile is looked up by its own spelling first, then by those
 * that say less: what is found first counts. More than one function may have a key; then any of
 * them is meant. So a simplified name accuses nobody who may have it, and a whole one can't be
 * another function's because they are simplified alike.
 */
#ifndef STACKPROOF_SCORE_NAME_H
#define STACKPROOF_SCORE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_KEY_MAX 4096 /* bytes; of a longer name the beginning */

/* A name without version, blanks, the suffixes of clones and Rust's hash. */
void name_key(const char *name, char ret[NAME_KEY_MAX]);
/* What a mangled name of C++, Rust or D says; NULL: it is none. To be freed. */
char *name_demangle(const char *name);

/* Calls fn with each key of a symbol; or of a name in a profile, those that say most first, until
 * fn returns what isn't 0, which is handed back. */
enum spelling;
typedef int name_key_fn(void *context, const char *key, enum spelling spelling);
int name_keys(const char *name, name_key_fn *fn, void *context);
int name_spellings(const char *name, name_key_fn *fn, void *context);
/* A word that each symbol has in it that the name may be meant for; "": none is known. */
void name_word(const char *name, char ret[NAME_KEY_MAX]);
/* A name in a profile may be meant for a symbol, as far as the two say. */
bool name_is_symbol(const char *name, const char *symbol);

#endif
