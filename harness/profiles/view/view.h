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

enum profile_flame_option {
	PROFILE_FLAME_BY_PID = 1, /* processes of one name are told apart: "bash[4711]" */
	PROFILE_FLAME_IMAGES =
		2, /* frames are "FUNCTION\tIMAGE", which is "" where there is none */
};

/*
 * Adds a profile's samples to flame, each stack's task as its group: the process's name, in a set if it is in a container.
 * options: of enum profile_flame_option. -1: ERROR_MEMORY, ERROR_TABLE_LIMIT.
 */
int profile_flame(const struct collected *collected, unsigned int options, struct flame *flame,
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
