/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_list.h - which processes the walk knows, and the mappings of each
 */
#ifndef STACKPROOF_PROCESS_LIST_H
#define STACKPROOF_PROCESS_LIST_H

#include "placement.h"

struct process_list {
	struct walk_process *space; /* lists of mappings, in the array that the walk reads */
	uint32_t space_count;
	int map_fd;		     /* process -> number of its list */
	struct known_process *known; /* private; space_count / 2 of them */
	uint32_t *free_space;	     /* a queue: a list that was in use is taken again last */
	uint32_t free_first, free_count;
};

/* Room for space_count / 2 processes. space and map_fd are borrowed. */
int process_list_init(struct process_list *list, struct walk_process *space, uint32_t space_count,
		      int map_fd, struct error *error);
void process_list_deinit(struct process_list *list);
/* Gives the walk the process's mappings as they are now, in place of those it had.
 * ERROR_TABLE_LIMIT: no room; the process then keeps the mappings it had. */
int process_list_set(struct process_list *list, struct placement *placement,
		     const struct address_space *space, struct error *error);
void process_list_forget(struct process_list *list, pid_t pid);

#endif
