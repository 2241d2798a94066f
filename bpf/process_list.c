/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_list.c - publish a process's mappings to the walk
 *
 * A walk may be reading a process's mappings at any time, so none are changed in place: new ones
 * are written to a free space and room, and then the space is named by one map update, which
 * replaces all of them at once. What was in use is left alone until a walk that still reads it must
 * have ended: spaces, which are small, by being taken again after all others, rooms for ROOM_REST_NS.
 *
 * A room is 1 << class mappings in a row, in one chunk of the array: it begins at a multiple of its
 * size. Rooms come from the array's unused end, and go to a chain of their class when they are free;
 * the chain's links are in the rooms.
 */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "process_list.h"

#define ROOM_NONE	 UINT32_MAX
#define ROOM_CLASS_LEAST 4
/* A walk takes microseconds; but where the kernel runs is itself a guest, it may be held up. */
#define ROOM_REST_NS 100000000
#define SPACES_MORE  1024

/* A process that the walk knows, and the space it has now. */
struct known_process {
	pid_t pid; /* 0: free */
	uint32_t space;
};

struct owned_space {
	uint32_t room; /* its first mapping; ROOM_NONE */
	uint32_t class;
	uint64_t freed_ns; /* when it was replaced */
};

uint32_t process_list_spaces(uint32_t processes)
{
	return processes + SPACES_MORE;
}

int process_list_init(struct process_list *list, uint32_t processes, struct walk_space *space,
		      struct walk_mapping *mapping, uint32_t mapping_count, int map_fd,
		      struct error *error)
{
	uint32_t space_count = process_list_spaces(processes);

	*list = (struct process_list) {
		.space = space,
		.space_count = space_count,
		.mapping = mapping,
		.mapping_count = mapping_count,
		.map_fd = map_fd,
		.capacity = processes,
		.known = calloc(processes, sizeof(*list->known)),
		.owned = calloc(space_count, sizeof(*list->owned)),
		.free_space = calloc(space_count, sizeof(*list->free_space)),
	};
	if (!list->known || !list->owned || !list->free_space)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for processes");
	for (uint32_t i = 0; i < space_count; i++) {
		list->owned[i].room = ROOM_NONE;
		list->free_space[list->free_count++] = i;
	}
	for (int class = 0; class < PROCESS_LIST_CLASSES; class ++)
		list->free_room[class] = ROOM_NONE;
	return 0;
}

void process_list_deinit(struct process_list *list)
{
	free(list->known);
	free(list->owned);
	free(list->free_space);
}

/* ---- rooms ------------------------------------------------------------------------------ */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* The link to the next free room lies in the room's first mapping. */
static void release_room(struct process_list *list, struct owned_space *owned)
{
	if (owned->room == ROOM_NONE)
		return;
	list->mapping[owned->room].first_page = list->free_room[owned->class];
	list->free_room[owned->class] = owned->room;
	owned->room = ROOM_NONE;
}

/* Rooms of free spaces that have rested. False: none has; *ret_ns is how long the next one needs, 0
 * if there is none. */
static bool reclaim_rooms(struct process_list *list, uint64_t *ret_ns)
{
	uint64_t now = now_ns();
	bool any = false;

	*ret_ns = 0;
	for (uint32_t i = 0; i < list->free_count; i++) {
		uint32_t number = list->free_space[(list->free_first + i) % list->space_count];
		struct owned_space *owned = &list->owned[number];

		if (owned->room == ROOM_NONE)
			continue;
		if (now - owned->freed_ns < ROOM_REST_NS) {
			*ret_ns = ROOM_REST_NS - (now - owned->freed_ns);
			break; /* those behind were freed later */
		}
		release_room(list, owned);
		any = true;
	}
	return any;
}

static bool take_room(struct process_list *list, uint32_t class, struct owned_space *ret)
{
	uint32_t size = 1u << class, first = (list->mapping_used + size - 1) & ~(size - 1);

	for (uint32_t c = class; c < PROCESS_LIST_CLASSES; c++) {
		/* A larger one only where there is no other. */
		if (list->free_room[c] != ROOM_NONE &&
		    (c == class || first + size > list->mapping_count)) {
			*ret = (struct owned_space) { .room = list->free_room[c], .class = c };
			list->free_room[c] = list->mapping[ret->room].first_page;
			return true;
		}
	}
	if (first + size > list->mapping_count)
		return false;
	list->mapping_used = first + size;
	*ret = (struct owned_space) { .room = first, .class = class };
	return true;
}

static int find_room(struct process_list *list, uint32_t count, struct owned_space *ret,
		     struct error *error)
{
	uint32_t class = ROOM_CLASS_LEAST;
	uint64_t wait_ns;

	if (count > WALK_CHUNK_MAPPINGS)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "a process has %u executable mappings, %u at most can be walked",
				 count, WALK_CHUNK_MAPPINGS);
	while (1u << class < count)
		class ++;
	while (!take_room(list, class, ret)) {
		if (reclaim_rooms(list, &wait_ns))
			continue;
		if (!wait_ns)
			return error_set(error, ERROR_TABLE_LIMIT, "", 0,
					 "the session's %u mappings have no room for %u more",
					 list->mapping_count, count);
		nanosleep(&(struct timespec) { .tv_nsec = wait_ns }, NULL);
	}
	return 0;
}

/* ---- processes -------------------------------------------------------------------------- */

static struct known_process *find_known(const struct process_list *list, pid_t pid)
{
	for (uint32_t i = 0; i < list->capacity; i++)
		if (list->known[i].pid == pid)
			return &list->known[i];
	return NULL;
}

static void release_space(struct process_list *list, uint32_t space)
{
	uint32_t last = list->free_first + list->free_count++;

	list->owned[space].freed_ns = now_ns();
	list->free_space[last % list->space_count] = space;
}

static uint32_t count_mappings(const struct address_space *space)
{
	struct walk_mapping ignored;
	uint32_t count = 0;

	for (size_t i = 0; i < space->mapping_count; i++)
		count += mapping_for_walk(&space->mapping[i], &ignored);
	return count;
}

static int fill_room(struct walk_mapping *room, struct placement *placement,
		     const struct address_space *space, struct error *error)
{
	*room = (struct walk_mapping) { 0 }; /* if there is none, the first one holds no PC */
	for (size_t i = 0; i < space->mapping_count; i++) {
		struct walk_mapping walk;

		if (!mapping_for_walk(&space->mapping[i], &walk))
			continue;
		if (placement_add(placement, space->mapping[i].entry, &walk, error))
			return -1;
		*room++ = walk;
	}
	return 0;
}

int process_list_set(struct process_list *list, struct placement *placement,
		     const struct address_space *space, struct error *error)
{
	struct known_process *known = find_known(list, space->pid);
	uint32_t pid = space->pid, number, count = count_mappings(space);
	struct owned_space room;

	if (!known)
		known = find_known(list, 0);
	if (!known)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the session has no room for process %d", space->pid);
	/* A process has one space, and there are more: the queue is never empty. */
	number = list->free_space[list->free_first];
	if (find_room(list, count, &room, error))
		return -1;
	if (fill_room(&list->mapping[room.room], placement, space, error)) {
		release_room(list, &room);
		return -1;
	}
	list->space[number] = (struct walk_space) {
		.first = room.room,
		.count = count,
		.generation = ++list->generation,
	};
	if (bpf_map_update_elem(list->map_fd, &pid, &number, BPF_ANY)) {
		error_set_errno(error, "giving process %d to the walk", space->pid);
		release_room(list, &room);
		return -1;
	}
	release_room(list, &list->owned[number]); /* which has rested longest of all */
	list->owned[number] = room;
	list->free_first = (list->free_first + 1) % list->space_count;
	list->free_count--;
	if (known->pid)
		release_space(list, known->space);
	*known = (struct known_process) { .pid = space->pid, .space = number };
	return 0;
}

uint32_t process_list_generation(const struct process_list *list, pid_t pid)
{
	const struct known_process *known = find_known(list, pid);

	return known ? list->space[known->space].generation : 0;
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
