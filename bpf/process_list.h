/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_list.h - the processes that the walk knows, and the mappings of each
 */
#ifndef STACKPROOF_PROCESS_LIST_H
#define STACKPROOF_PROCESS_LIST_H

#include "placement.h"

#define PROCESS_LIST_CLASSES (WALK_MAPPING_SHIFT + 1)

struct process_list {
	struct walk_space *space; /* the array that the walk reads */
	uint32_t space_count;
	struct walk_mapping *mapping; /* another array that the walk reads */
	uint32_t mapping_count, mapping_used;
	int map_fd; /* BPF map: process -> number of its space */
	struct placement *placement;
	struct known_process *known; /* private: capacity elements */
	uint32_t *bucket;	     /* private: chains of known[], by pid; capacity elements */
	uint32_t capacity, known_free;
	uint32_t *image; /* private: the image's id, for each used mapping[] */
	int wait_fd, waited_fd;
	uint64_t quiet_ns;	   /* walks that began before this time have ended */
	struct owned_space *owned; /* private: for each space its part of mapping[] */
	uint32_t *free_space;	   /* a queue, so that a space is reused as late as possible */
	uint32_t free_first, free_count;
	uint32_t free_room[PROCESS_LIST_CLASSES]; /* private: chains of rooms of 1 << class */
	uint32_t generation;
};

/* How many spaces are needed for so many processes. */
uint32_t process_list_spaces(uint32_t processes);
/* The arrays and the map that a list uses, all borrowed. */
struct process_list_arrays {
	struct walk_space *space;     /* process_list_spaces() elements, zeroed */
	struct walk_mapping *mapping; /* mapping_count elements, zeroed */
	uint32_t mapping_count;	      /* a multiple of WALK_CHUNK_MAPPINGS */
	int map_fd;
	struct placement *placement;
};

/* Makes an empty list for so many processes. To be deinitialised even after an error. */
int process_list_init(struct process_list *list, uint32_t processes,
		      const struct process_list_arrays *arrays, struct error *error);
void process_list_deinit(struct process_list *list);
/* Replaces the walk's mappings of space->pid by those of space. ERROR_TABLE_LIMIT: no room; ERROR_UNAVAILABLE: more
 * than any list can have. The walk then keeps the old mappings. */
int process_list_set(struct process_list *list, const struct address_space *space,
		     struct error *error);
/* The generation of the process's current mappings, as in the walk's records. 0: it has none. */
uint32_t process_list_generation(const struct process_list *list, pid_t pid);
void process_list_forget(struct process_list *list, pid_t pid);

#endif
