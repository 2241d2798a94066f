/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_grade.h - which of the functions that have a name's key the name means, by all that it says
 *
 *	name		function
 *	z<5u>		int z<5u>(int)		meant: something is left out
 *	z<5u>		int z<5ll>(int)		not meant: nobody calls it so
 *	z<5>		int z<5u>(int)		meant: the suffix is left out
 *	z<A>		int z<B>(int)		doubtful: it may be another word for the same
 *
 * A name says nothing against a function by what it leaves out, only by what it has and the function has not. That may
 * be another demangler's spelling; but what all spell alike decides: suffixes of literals, hashes of Rust, suffixes of
 * clones, return types without names. It decides only if another function is meant. If none is, what the name
 * has in brackets decides nothing: which of several functions it means is in doubt.
 */
#ifndef STACKPROOF_SCORE_GRADE_H
#define STACKPROOF_SCORE_GRADE_H

#include "score_name.h"

enum name_grade {
	NAME_OTHER,    /* all agrees, but for what decides */
	NAME_DOUBTFUL, /* the name has what the symbol has not */
	NAME_MEANT,    /* the name is the symbol's with something left out, or nothing */
	NAME_WHOLE,    /* the name is the symbol, or all that a demangler makes of it */
};

/* A profile's name, read once for many symbols. */
struct name_asked {
	const char *name;
	struct name_form form[2];
	unsigned int forms;
	char words[NAME_KEY_MAX]; /* each ends in NUL, behind the last is an empty one */
};

/* The name is borrowed. */
void name_ask(const char *name, struct name_asked *ret);
/* The name is the symbol, letter by letter. */
bool name_is_text(const char *name, const char *symbol);
/* False: the mangled symbol lacks a word of the name, so the name is more than it with something left out. */
bool name_has_words(const struct name_asked *name, const char *symbol);
/* The name says more than words: something in brackets, or a crate's hash. */
bool name_has_details(const struct name_asked *name);
/* Two symbols differ in suffixes only, or in nothing: details that a name has are of both, or of none. */
bool name_is_clone(const char *symbol, const char *other);
/* How a name means a symbol, if they have a key in common. */
enum name_grade name_grade(const struct name_asked *name, const char *symbol);

#endif
