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
	int map_fd; /* process -> number of its space */
	struct placement *placement;
	struct known_process *known; /* private; capacity of them, and of bucket */
	uint32_t *bucket;	     /* by pid: chains of them; private */
	uint32_t capacity, known_free;
	uint32_t *image; /* private: of each of mapping[], while it is in use */
	int wait_fd, waited_fd;
	uint64_t quiet_ns;	   /* walks that began before it have ended */
	struct owned_space *owned; /* private: what a space has of mapping[] */
	uint32_t *free_space;	   /* a queue: a space that was in use is taken again last */
	uint32_t free_first, free_count;
	uint32_t free_room[PROCESS_LIST_CLASSES]; /* chains of rooms of 1 << class; private */
	uint32_t generation;
};

/* How many spaces there must be for so many processes. */
uint32_t process_list_spaces(uint32_t processes);
/* What is given is borrowed. processes of them, which have mapping_count mappings all together. */
struct process_list_arrays {
	struct walk_space *space;     /* process_list_spaces(processes), zeroed */
	struct walk_mapping *mapping; /* mapping_count, a multiple of WALK_CHUNK_MAPPINGS; zeroed */
	uint32_t mapping_count;
	int map_fd;
	struct placement *placement;
};

int process_list_init(struct process_list *list, uint32_t processes,
		      const struct process_list_arrays *arrays, struct error *error);
void process_list_deinit(struct process_list *list);
/* Gives the walk the process's mappings as they are now, in place of those it had.
 * ERROR_TABLE_LIMIT: no room; the process then keeps the mappings it had. */
int process_list_set(struct process_list *list, const struct address_space *space,
		     struct error *error);
/* What the walk's records call what the process has now; 0: nothing. */
uint32_t process_list_generation(const struct process_list *list, pid_t pid);
void process_list_forget(struct process_list *list, pid_t pid);

#endif
