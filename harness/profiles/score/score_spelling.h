/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_spelling.h - one spelling for the names of all demanglers
 *
 *	GNU	void f<main::{lambda(long)#1}, 5ul>(long) [clone .cold]
 *	LLVM	void f<main::'lambda'(long), 5ul>(long) (.cold)
 *	pprof	f
 *
 * Each spelling leaves out more than the one before it:
 *
 *	full		f<main::{lambda(long)#1},5>(long)	no return type, blanks, types of numbers
 *	loose		no ABI tags, inline namespaces, default template arguments
 *	bare		f<main::{lambda(long)#1},5>	no parameters of its own
 *	outer		no parameters of the functions that it is in
 *	plain		f	no template arguments, no (anonymous namespace)
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

/* Normalises what demanglers spell differently, and cuts off the return type; keeps blanks. */
void spelling_read(const char *name, char ret[NAME_KEY_MAX]);
/* The same, with all that tells two functions apart: the return type, suffixes of numbers, hashes of crates.
 * Blanks are only left between words. Returns the size of the return type. */
size_t spelling_read_whole(const char *name, char ret[NAME_KEY_MAX]);
/* Leaves out ABI tags, inline namespaces and default template arguments of a text, in place. */
void spelling_loosen(char *text);
/* Bytes of what a text begins with: a word, an operator, all of a bracket, else a character; 0: a bracket that is never
 * closed, or the text's end. */
size_t spelling_item(const char *text);
/* Bytes of a literal without the suffix that says its type; all, if it has another one. */
size_t spelling_number(const char *word, size_t size);
/* Bytes of a cast that says a literal's type, "(short)5", where a text begins with it; else 0. */
size_t spelling_cast(const char *text);
/* Writes the text of spelling_read() in a spelling, without blanks. */
void spelling_write(const char *read, enum spelling spelling, char ret[NAME_KEY_MAX]);
/* True if read has a name that means several types: std::string. */
bool spelling_is_short(const char *read);
/* Decodes a name of Rust's legacy mangling that was demangled only as C++: "_$LT$a..T$GT$::f" ->
 * "<a::T>::f". True: it was one. */
bool spelling_undo_rust(char name[NAME_KEY_MAX]);

#endif
