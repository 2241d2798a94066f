/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_list.c - publish a process's mappings to the walk
 *
 * A walk may be reading a list of mappings at any time, so none is changed in place: a new one is
 * written to a free one, and then named by one map update, which replaces the whole list at once.
 * There are twice as many lists as processes, and one that was in use is taken again last, long
 * after a walk that still read it has ended.
 */
#include <bpf/bpf.h>
#include <stdlib.h>
#include "process_list.h"

/* A process that the walk knows, and the list of mappings it has now. */
struct known_process {
	pid_t pid; /* 0: free */
	uint32_t space;
};

int process_list_init(struct process_list *list, struct walk_process *space, uint32_t space_count,
		      int map_fd, struct error *error)
{
	*list = (struct process_list) {
		.space = space,
		.space_count = space_count,
		.map_fd = map_fd,
		.known = calloc(space_count / 2, sizeof(*list->known)),
		.free_space = calloc(space_count, sizeof(*list->free_space)),
	};
	if (!list->known || !list->free_space)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for processes");
	for (uint32_t i = 0; i < space_count; i++)
		list->free_space[list->free_count++] = i;
	return 0;
}

void process_list_deinit(struct process_list *list)
{
	free(list->known);
	free(list->free_space);
}

static struct known_process *find_known(struct process_list *list, pid_t pid)
{
	for (uint32_t i = 0; i < list->space_count / 2; i++)
		if (list->known[i].pid == pid)
			return &list->known[i];
	return NULL;
}

static void release_space(struct process_list *list, uint32_t space)
{
	uint32_t last = list->free_first + list->free_count++;

	list->free_space[last % list->space_count] = space;
}

static int fill_space(struct walk_process *process, struct placement *placement,
		      const struct address_space *space, struct error *error)
{
	process->count = 0;
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *mapping = &space->mapping[i];
		struct walk_mapping walk;

		if (!mapping_for_walk(mapping, &walk))
			continue;
		if (process->count == WALK_MAPPINGS_MAX)
			return error_set(error, ERROR_TABLE_LIMIT, "", 0,
					 "process %d has more than %u executable mappings",
					 space->pid, WALK_MAPPINGS_MAX);
		if (placement_add(placement, mapping->entry, &walk, error))
			return -1;
		process->mapping[process->count++] = walk;
	}
	return 0;
}

int process_list_set(struct process_list *list, struct placement *placement,
		     const struct address_space *space, struct error *error)
{
	struct known_process *known = find_known(list, space->pid);
	uint32_t pid = space->pid, number;

	if (!known)
		known = find_known(list, 0);
	if (!known)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the session has no room for process %d", space->pid);
	/* One process has one list, and there are twice as many: the queue is never empty. */
	number = list->free_space[list->free_first];
	if (fill_space(&list->space[number], placement, space, error))
		return -1;
	if (bpf_map_update_elem(list->map_fd, &pid, &number, BPF_ANY))
		return error_set_errno(error, "giving process %d to the walk", space->pid);
	list->free_first = (list->free_first + 1) % list->space_count;
	list->free_count--;
	if (known->pid)
		release_space(list, known->space);
	*known = (struct known_process) { .pid = space->pid, .space = number };
	return 0;
}

void process_list_forget(struct process_list *list, pid_t pid)
{
	struct known_process *known = find_known(list, pid);
	uint32_t key = pid;

	if (!known)
		return;
	bpf_map_delete_elem(list->map_fd, &key);
	release_space(list, known->space);
	known->pid = 0;
}
