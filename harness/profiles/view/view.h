/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * view.h - a collected profile for people: a page
 *
 *	profile_flame.c	its stacks, for reports/flame
 *	profile_page.c	the page: the account in a sentence, whose and when, the flame graph
 *
 * Names of processes and functions are spelled as in folded stacks (write/frame_spelling.h): what is no plain text is
 * \xNN there.
 */
#ifndef STACKPROOF_VIEW_H
#define STACKPROOF_VIEW_H

#include "profiles/record/record.h"
#include "reports/flame/flame.h"

/*
 * Adds a profile's samples to flame, each stack's task as its group: the process's name, with its number if by_pid, else
 * all of that name are one; in a set if it is in a container. -1: ERROR_MEMORY, ERROR_TABLE_LIMIT.
 */
int profile_flame(const struct collected *collected, bool by_pid, struct flame *flame,
		  struct error *error);

/* What a page is made of. */
struct profile_page {
	const struct collected *collected;
	const struct record_options *options;
	const struct record_result *result;
	const char *version; /* of this program */
};

/* Writes it to path, which is there whole or not at all. -1: ERROR_SYSTEM, whose text has the path; ERROR_MEMORY;
 * ERROR_TABLE_LIMIT. */
int profile_page_write(const struct profile_page *page, const char *path, struct error *error);

#endif
