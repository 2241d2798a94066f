/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_name.h - a function's names, as symbols, demanglers and profilers spell them
 *
 *	_ZN1a1fEi.cold	a::f(int) [clone .cold]	a::f(int)	a::f
 *	_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE	core::fmt::Write::write_fmt
 *	memcpy@@GLIBC_2.14	memcpy
 *	read@plt
 *
 * A symbol has several keys, each with less detail than the one before (score_spelling.h). A name in a
 * profile is looked up first as it is spelled, then with less and less detail; the first key that is
 * found counts. If several functions have the key, the name may mean any of them. So a simplified name
 * matches every function that it may mean, and a full name matches no other function that merely
 * simplifies to the same.
 */
#ifndef STACKPROOF_SCORE_NAME_H
#define STACKPROOF_SCORE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_KEY_MAX 4096 /* bytes; of a longer name the beginning */

/* A name without version, blanks, the suffixes of clones that are known (score_name.c) and Rust's hash; ';' is ':'. */
void name_key(const char *name, char ret[NAME_KEY_MAX]);
/* Demangles a name of C++, Rust or D; free() it. NULL: the name is not mangled. */
char *name_demangle(const char *name);

/* Call fn with each key of a symbol (name_keys), or of a name in a profile (name_spellings: as it is, without what
 * name_cut_note() cuts off, and with that), the most detailed first, until fn returns other than 0. Return fn's last
 * value. */
enum spelling;
typedef int name_key_fn(void *context, const char *key, enum spelling spelling);
int name_keys(const char *name, name_key_fn *fn, void *context);
int name_spellings(const char *name, name_key_fn *fn, void *context);
/* A name with all that it says. */
struct name_form {
	char text[NAME_KEY_MAX]; /* of spelling_read_whole() */
	size_t name_at;		 /* what is before it in the text is the return type */
	char tail[256];		 /* suffixes, version */
};

/* Calls fn with the forms of a symbol, or of a profile's name: one; of what is mangled the demangler's short form and its
 * long one. Returns as above. */
typedef int name_form_fn(void *context, const struct name_form *form);
int name_forms(const char *name, name_form_fn *fn, void *context);
/* Cuts off, in place, what some tools write behind a name: "f (f.c:12)", "f:12", "f+0x1a", "f (inlined)". False: there is
 * nothing. */
bool name_cut_note(char *name);

#endif
