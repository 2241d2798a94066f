/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ignore.h - `--ignore FILE`: findings that somebody has looked at and can't mend now
 *
 * `compare`, `run`, `report`, `diff`, `lint` and `cc` take the same file, and the goldens' waivers are one. One line an
 * entry, fields separated by tabs, "#" for comments:
 *
 *	# image	function	kind	until	reason
 *	libpcre2-8.so.*	*	missing	-	hand-written JIT entry, upstream knows
 *	*	aligned_*	wrong	2027-06-30	gcc 12's DRAP epilogue; gone with gcc 17
 *
 * image and function are globs, as findings have them; the image's file name alone will do. kind is a glob of the
 * kind or of the verdict (missing, wrong, table_fault), of lint's findings of the id (SP001). until is the entry's
 * last day, by UTC; "-": it has none. Every entry has a reason.
 *
 * What is ignored is still a finding, counted and shown with the reason; it does not decide the
 * exit status any more.
 */
#ifndef STACKPROOF_IGNORE_H
#define STACKPROOF_IGNORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"

struct ignore_entry {
	char *image, *function, *kind, *reason;
	char until[11]; /* "2027-06-30"; "" for ever */
	bool expired;
	unsigned int line;
	uint64_t findings, points; /* that it matched, of all programs */
};

struct ignore_list {
	const char *path; /* borrowed; NULL: there is no list */
	bool waivers; /* of goldens: a line may be image, function and reason alone, as it was in older ones */
	struct ignore_entry *entry;
	size_t count;
};

/* today: "2026-11-22". -1: path can't be read, or a line of it (its number is the error's
 * offset). To be deinitialised in any case. */
int ignore_list_read(struct ignore_list *ret, const char *path, const char *today,
		     struct error *error);
/* The same today, by the clock. path NULL: an empty list. */
int ignore_list_read_now(struct ignore_list *ret, const char *path, struct error *error);
/* The same of waivers. No file: an empty list. */
int ignore_list_read_waivers(struct ignore_list *ret, const char *path, struct error *error);
void ignore_list_deinit(struct ignore_list *list);

/* What an entry is held against. kind and verdict: their names in JSON. */
struct ignore_subject {
	const char *image, *function, *kind, *verdict;
};
/* Of a finding as JSON has it; borrowed. */
struct ignore_subject ignore_subject_of(const json_t *finding);

/* Why a finding with so many points is ignored, which is counted for the entry that says so, the
 * first that matches; NULL: no entry does. The text is the entry's. */
const char *ignore_list_match(struct ignore_list *list, const struct ignore_subject *subject,
			      uint64_t points);
/* After the last program: what each entry was worth. Text says only which match nothing, and
 * which have expired. */
void ignore_list_print_text(FILE *file, const struct ignore_list *list);
void ignore_list_print_json(FILE *file, const struct ignore_list *list);
/* The same as an array, for another object. */
json_t *ignore_list_json(const struct ignore_list *list);

#endif
