/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ignore.h - `--ignore FILE`: findings that the user knows and can't mend now
 *
 * `compare`, `run`, `report`, `diff`, `lint` and `cc` take the same file, and the goldens' waivers have its format.
 * Each line is an entry. Tabs separate its fields. A line that begins with "#" is a comment:
 *
 *	# image	function	kind	until	reason
 *	libpcre2-8.so.*	*	missing	-	hand-written JIT entry, upstream knows
 *	*	aligned_*	wrong	2027-06-30	gcc 12's DRAP epilogue; gone with gcc 17
 *
 * image and function are globs for the finding's image and function. image may match the file name alone; of an archive's
 * member, "x.a(y.o)", the archive or the member alone. kind is a
 * glob for the finding's kind or verdict (missing, wrong, table_fault), or for the id of a finding of lint (SP001).
 * until is the last day, in UTC, on which the entry matches; "-": it always does. Every entry has a reason.
 *
 * An ignored finding is still counted, and shown with the reason. It does not decide the exit status.
 */
#ifndef STACKPROOF_IGNORE_H
#define STACKPROOF_IGNORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"
#include "base/finding/finding_record.h"

struct ignore_entry {
	char *image, *function, *kind, *reason;
	char until[11]; /* "2027-06-30"; "": it never expires */
	bool expired;
	bool met; /* a finding was matched, perhaps also by an entry before this one */
	unsigned int line;
	uint64_t findings, points; /* that the entry matched, in all programs */
};

struct ignore_list {
	const char *path; /* borrowed; NULL: there is no list */
	bool waivers; /* of goldens: a line may have image, function and reason only, as in older files */
	struct ignore_entry *entry;
	size_t count;
};

/* path is borrowed. today: "2026-11-22". -1: path can't be read, or a line of it is malformed (error's
 * offset is its number). Call ignore_list_deinit() in any case. */
int ignore_list_read(struct ignore_list *ret, const char *path, const char *today,
		     struct error *error);
/* The same, with today from the clock. path NULL: the list is empty. */
int ignore_list_read_now(struct ignore_list *ret, const char *path, struct error *error);
/* The same for the goldens' waivers. path need not exist. */
int ignore_list_read_waivers(struct ignore_list *ret, const char *path, struct error *error);
void ignore_list_deinit(struct ignore_list *list);

/* Finds the first entry that matches and has not expired, and adds the finding and its count of points to the
 * entry's counts. Asked are image, function, kind and verdict; of one that has an id (or NULL) this, and its type.
 * Returns the reason, which the entry owns; NULL: no entry matches. */
const char *ignore_list_match(struct ignore_list *list, const struct finding_record *finding);
/* After the last program. The text lists entries that matched nothing or have expired. The JSON lists all,
 * with their counts. */
void ignore_list_print_text(FILE *file, const struct ignore_list *list);
/* Only those that have expired: of a run that looked at a part. */
void ignore_list_print_expired(FILE *file, const struct ignore_list *list);
void ignore_list_print_json(FILE *file, const struct ignore_list *list);
/* The same as a new array, which the caller owns. */
json_t *ignore_list_json(const struct ignore_list *list);

#endif
