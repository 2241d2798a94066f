/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_list.h - which processes the walk knows, and the mappings of each
 */
#ifndef STACKPROOF_PROCESS_LIST_H
#define STACKPROOF_PROCESS_LIST_H

#include "placement.h"

#define PROCESS_LIST_CLASSES (WALK_MAPPING_SHIFT + 1)

struct process_list {
	struct walk_space *space; /* in the array that the walk reads */
	uint32_t space_count;
	struct walk_mapping *mapping; /* the same */
	uint32_t mapping_count, mapping_used;
	int map_fd;		     /* process -> number of its space */
	struct known_process *known; /* private; capacity of them */
	uint32_t capacity;
	struct owned_space *owned; /* private: what a space has of mapping[] */
	uint32_t *free_space;	   /* a queue: a space that was in use is taken again last */
	uint32_t free_first, free_count;
	uint32_t free_room[PROCESS_LIST_CLASSES]; /* chains of rooms of 1 << class; private */
	uint32_t generation;
};

/* How many spaces there must be for so many processes. */
uint32_t process_list_spaces(uint32_t processes);
/* Room for `processes`, of which all together have mapping_count mappings. The arrays and map_fd are
 * borrowed, and zeroed; mapping_count is a multiple of WALK_CHUNK_MAPPINGS. */
int process_list_init(struct process_list *list, uint32_t processes, struct walk_space *space,
		      struct walk_mapping *mapping, uint32_t mapping_count, int map_fd,
		      struct error *error);
void process_list_deinit(struct process_list *list);
/* Gives the walk the process's mappings as they are now, in place of those it had.
 * ERROR_TABLE_LIMIT: no room; the process then keeps the mappings it had. */
int process_list_set(struct process_list *list, struct placement *placement,
		     const struct address_space *space, struct error *error);
/* What the walk's records call what the process has now; 0: nothing. */
uint32_t process_list_generation(const struct process_list *list, pid_t pid);
void process_list_forget(struct process_list *list, pid_t pid);

#endif
