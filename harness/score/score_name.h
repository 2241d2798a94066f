/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_name.h - one function's names, as symbols, demanglers and profilers spell them
 *
 *	_ZN1a1fEi.cold	a::f(int) [clone .cold]	a::f(int)	a::f
 *	_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE	core::fmt::Write::write_fmt
 *	memcpy@@GLIBC_2.14	memcpy
 *	read@plt
 *
 * A key is a spelling without what differs between them: versions, the suffixes of clones, Rust's
 * hash, blanks. Two names are one function's if they have a key in common. More than one function
 * may have a key; then a name says less, and nobody is accused by it.
 */
#ifndef STACKPROOF_SCORE_NAME_H
#define STACKPROOF_SCORE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_KEY_MAX 4096 /* bytes; of a longer name the beginning */

/* A name's key. */
void name_key(const char *name, char ret[NAME_KEY_MAX]);
/* The same without parameters and what is behind them: "a::f" of "a::f(int) const". False: it has
 * none. */
bool name_key_bare(const char *key, char ret[NAME_KEY_MAX]);
/* What a mangled name of C++ or Rust says; NULL: it is none. To be freed. */
char *name_demangle(const char *name);

/* Calls fn with each key of a name, as a symbol has it: its own, the demangled one, and that
 * without parameters. */
typedef int name_key_fn(void *context, const char *key);
int name_keys(const char *name, name_key_fn *fn, void *context);

#endif
