/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_file_data.h - a truth file in memory, shared by the room's files
 *
 * Private to them. Nodes are in an array, in the file's order. Two chained hash tables have their
 * numbers: children by parent and frame, and places, nodes with a count, by frame.
 */
#ifndef STACKPROOF_TRUTH_FILE_DATA_H
#define STACKPROOF_TRUTH_FILE_DATA_H

#include "truth_file.h"

/* A hash table with chains of node numbers; 0 ends a chain. */
struct truth_index {
	uint32_t *head; /* mask + 1 chains, a power of two */
	uint32_t *next; /* by node number */
	uint32_t mask;
};

struct truth_file {
	struct truth_field *field; /* owned, with their texts */
	size_t field_count;
	struct truth_image *image;
	size_t image_count;
	struct truth_node *node;
	uint32_t node_count;
	uint32_t open_root;
	const char *root; /* NULL: images are where their paths say */
	bool has_digest, has_entries;
	struct truth_entry *entry;
	size_t entry_count;
	struct truth_index children, places;
};

/* Makes both hash tables. False: no memory. */
bool truth_file_index(struct truth_file *file);
void truth_file_index_deinit(struct truth_file *file);

#endif
