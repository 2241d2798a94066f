/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_parse.h - a truth file while it is read, shared by truth_file_read.c and truth_entries.c
 *
 * Private to these two. What returns an int returns -1 with the error set.
 */
#ifndef STACKPROOF_TRUTH_PARSE_H
#define STACKPROOF_TRUTH_PARSE_H

#include "reader.h"
#include "truth_file_data.h"

/* Where the reading is. */
struct parse {
	struct truth_file *file;
	const uint8_t *begin; /* of the bytes */
	struct reader reader; /* of the item at hand, or of all items */
	struct error *error;
	bool has_tree[2];  /* whole, open */
	uint64_t sum;	   /* of all counts */
	size_t capacity;   /* of nodes */
	uint32_t *younger; /* by depth: the last node there, on the way to the node at hand */
	size_t depths;	   /* room there */
};

/* What the file says at such a place, TRUTH_FILE_DIGEST bytes. */
static inline uint32_t truth_digest_at(const uint8_t *says)
{
	return says[0] | says[1] << 8 | says[2] << 16 | (uint32_t)says[3] << 24;
}

/* ---- truth_file_read.c ------------------------------------------------------------------ */

/* ERROR_PROTOCOL, at the reader's place. */
int truth_malformed(const struct parse *parse, const char *what);
int truth_no_memory(const struct parse *parse);
int truth_take_unsigned(struct parse *parse, uint64_t limit, uint64_t *ret);
int truth_take_signed(struct parse *parse, uint64_t *ret);
/* An item's content, which the file gets: a field of the header, or an image. */
int truth_take_field(struct parse *parse, bool is_text);
int truth_take_image(struct parse *parse);
/* The digest of an image's code. */
int truth_take_code_digest(struct parse *parse);

/* ---- truth_entries.c -------------------------------------------------------------------- */

/* All items behind the first line of a file of kernel entries. */
int truth_entries_take(struct parse *parse);

#endif
