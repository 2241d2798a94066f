/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_spelling.h - a demangled name in one spelling, whoever demangled it
 *
 *	GNU	void f<main::{lambda(long)#1}, 5ul>(long) [clone .cold]
 *	LLVM	void f<main::'lambda'(long), 5ul>(long) (.cold)
 *	pprof	f
 *
 * Each detail is a spelling that says less than the one before it:
 *
 *	full		f<main::{lambda(long)#1},5>(long)	no return type, blanks, suffixes of numbers
 *	loose		without ABI tags, inline namespaces, default template arguments
 *	bare		f<main::{lambda(long)#1},5>	without the last parameters
 *	outer		... and without those of the functions that it is in
 *	plain		f	without template arguments and (anonymous namespace), too
 *	cut		f<main::{lambda	up to the first parenthesis, as stackcollapse-perf.pl does
 */
#ifndef STACKPROOF_SCORE_SPELLING_H
#define STACKPROOF_SCORE_SPELLING_H

#include "score_name.h"

enum spelling {
	SPELLING_FULL,
	SPELLING_LOOSE,
	SPELLING_BARE,
	SPELLING_OUTER,
	SPELLING_PLAIN,
	SPELLING_CUT,
	SPELLING_COUNT,
};

/* A name without what demanglers spell differently, and without its return type; still with
 * blanks. */
void spelling_read(const char *name, char ret[NAME_KEY_MAX]);
/* What was read, in less detail, without blanks. */
void spelling_write(const char *read, enum spelling spelling, char ret[NAME_KEY_MAX]);
/* It has a name that stands for several types: std::string. */
bool spelling_is_short(const char *read);
/* Rust's legacy mangling where only its C++ half was undone: "_$LT$a..T$GT$::f" -> "<a::T>::f". */
bool spelling_undo_rust(char name[NAME_KEY_MAX]);

#endif
