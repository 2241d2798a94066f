/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_file_data.h - a truth file in memory, shared by truth_file_read.c and truth_file_find.c
 *
 * Private to the two. Nodes lie in an array, as the file has them, and two chained hash tables lead
 * to them: by parent and frame, and, those where the thread stood, by frame alone.
 */
#ifndef STACKPROOF_TRUTH_FILE_DATA_H
#define STACKPROOF_TRUTH_FILE_DATA_H

#include "truth_file.h"

/* Chains of node numbers; 0 ends one. */
struct truth_index {
	uint32_t *head; /* mask + 1 of them, a power of two */
	uint32_t *next; /* by node */
	uint32_t mask;
};

struct truth_file {
	struct truth_field *field; /* the strings are the file's own */
	size_t field_count;
	struct truth_image *image;
	size_t image_count;
	struct truth_node *node;
	uint32_t node_count;
	uint32_t open_root;
	bool has_digest;
	struct truth_index children, places;
};

/* Makes both tables of the nodes. False: no memory. */
bool truth_file_index(struct truth_file *file);
void truth_file_index_deinit(struct truth_file *file);

#endif
