/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_list.c - publish a process's mappings to the walk
 *
 * A walk may be reading a process's mappings at any time, so none are changed in place: new ones
 * are written to a free space and room, and then the space is named by one map update, which
 * replaces all of them at once. What was in use, with the tables of its images, is left alone until
 * no walk can read it any more. That takes no guess: walks run in RCU read-side sections, and a
 * space that is not named any more is found by none that begins later. The kernel waits for a grace
 * period, until all programs have ended that were running, whenever an array of maps is changed
 * from user space
 * (maybe_wait_bpf_programs(), commit 1ae80cf31938, Linux 5.0): so one of one map is changed, to the
 * same, before something is used again. One wait is for all that was given up before it.
 *
 * A room is 1 << class mappings in a row, in one chunk of the array: it begins at a multiple of its
 * size. Rooms come from the array's unused end, and go to a chain of their class when they are
 * free; the chain's links are in the rooms.
 */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "clock.h"
#include "process_list.h"

#define ROOM_NONE	 UINT32_MAX
#define ROOM_CLASS_LEAST 4
#define PROCESS_NONE	 UINT32_MAX
/* If the kernel can't be made to wait. A walk takes microseconds; but where the kernel runs is
 * itself a guest, it may be held up. */
#define REST_NS	    100000000
#define SPACES_MORE 1024

/* A process that the walk knows, and the space it has now. */
struct known_process {
	pid_t pid;
	uint32_t space;
	uint32_t next; /* in its bucket, or the next free one */
};

struct owned_space {
	uint32_t room; /* its first mapping; ROOM_NONE */
	uint32_t class;
	uint32_t count;	   /* mappings in it, each a reference to its image */
	uint64_t freed_ns; /* when it was replaced; 0: never in use */
};

uint32_t process_list_spaces(uint32_t processes)
{
	return processes + SPACES_MORE;
}

/* An array of one map, and that map, for the kernel to wait by. Without them it is REST_NS. */
static void open_wait(struct process_list *list)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);

	list->waited_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "waited", sizeof(uint32_t),
					 sizeof(uint32_t), 1, NULL);
	options.inner_map_fd = list->waited_fd;
	/* Fails without the other one. */
	list->wait_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "wait", sizeof(uint32_t),
				       sizeof(uint32_t), 1, &options);
}

int process_list_init(struct process_list *list, uint32_t processes,
		      const struct process_list_arrays *arrays, struct error *error)
{
	uint32_t space_count = process_list_spaces(processes);

	*list = (struct process_list) {
		.space = arrays->space,
		.space_count = space_count,
		.mapping = arrays->mapping,
		.mapping_count = arrays->mapping_count,
		.map_fd = arrays->map_fd,
		.placement = arrays->placement,
		.capacity = processes,
		.known = calloc(processes, sizeof(*list->known)),
		.bucket = calloc(processes, sizeof(*list->bucket)),
		.image = calloc(arrays->mapping_count, sizeof(*list->image)),
		.owned = calloc(space_count, sizeof(*list->owned)),
		.free_space = calloc(space_count, sizeof(*list->free_space)),
		.quiet_ns = 1,
	};
	open_wait(list);
	if (!list->known || !list->bucket || !list->image || !list->owned || !list->free_space)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for processes");
	for (uint32_t i = 0; i < space_count; i++) {
		list->owned[i].room = ROOM_NONE;
		list->free_space[list->free_count++] = i;
	}
	for (uint32_t i = 0; i < processes; i++) {
		list->bucket[i] = PROCESS_NONE;
		list->known[i].next = i + 1 < processes ? i + 1 : PROCESS_NONE;
	}
	for (int class = 0; class < PROCESS_LIST_CLASSES; class ++)
		list->free_room[class] = ROOM_NONE;
	return 0;
}

void process_list_deinit(struct process_list *list)
{
	if (!list->capacity) /* was never begun */
		return;
	if (list->wait_fd >= 0)
		close(list->wait_fd);
	if (list->waited_fd >= 0)
		close(list->waited_fd);
	free(list->known);
	free(list->bucket);
	free(list->image);
	free(list->owned);
	free(list->free_space);
}

/* ---- rooms ------------------------------------------------------------------------------ */

/* Until no walk is under way that was when something was given up. */
static void wait_for_walks(struct process_list *list, uint64_t freed_ns)
{
	uint64_t now = monotonic_ns();
	uint32_t zero = 0;

	if (freed_ns < list->quiet_ns)
		return;
	if (list->wait_fd >= 0 &&
	    !bpf_map_update_elem(list->wait_fd, &zero, &list->waited_fd, BPF_ANY)) {
		list->quiet_ns = now;
		return;
	}
	if (now < freed_ns + REST_NS)
		nanosleep(&(struct timespec) { .tv_nsec = freed_ns + REST_NS - now }, NULL);
	list->quiet_ns = freed_ns + 1;
}

/* The link to the next free room lies in the room's first mapping. */
static void release_room(struct process_list *list, struct owned_space *owned)
{
	if (owned->room == ROOM_NONE)
		return;
	while (owned->count)
		placement_release(list->placement, list->image[owned->room + --owned->count]);
	list->mapping[owned->room].first_page = list->free_room[owned->class];
	list->free_room[owned->class] = owned->room;
	owned->room = ROOM_NONE;
}

/* The rooms of free spaces, with what they reference. False: none has any. */
static bool reclaim_rooms(struct process_list *list)
{
	uint64_t freed_ns = 0;
	bool any = false;

	for (int release = 0; release < 2; release++) {
		for (uint32_t i = 0; i < list->free_count; i++) {
			uint32_t at = (list->free_first + i) % list->space_count;
			struct owned_space *owned = &list->owned[list->free_space[at]];

			if (owned->room == ROOM_NONE)
				continue;
			any = true;
			if (release)
				release_room(list, owned);
			else if (owned->freed_ns > freed_ns)
				freed_ns = owned->freed_ns;
		}
		wait_for_walks(list, freed_ns); /* 0: for nothing */
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

	if (count > WALK_CHUNK_MAPPINGS)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "a process has %u executable mappings, %u at most can be walked",
				 count, WALK_CHUNK_MAPPINGS);
	while (1u << class < count)
		class ++;
	while (!take_room(list, class, ret))
		if (!reclaim_rooms(list))
			return error_set(error, ERROR_TABLE_LIMIT, "", 0,
					 "the session's %u mappings have no room for %u more",
					 list->mapping_count, count);
	return 0;
}

/* ---- processes -------------------------------------------------------------------------- */

/* The link to the process's number; to PROCESS_NONE if the walk does not know it. */
static uint32_t *find_link(const struct process_list *list, pid_t pid)
{
	uint32_t *link = &list->bucket[(uint32_t)pid % list->capacity];

	while (*link != PROCESS_NONE && list->known[*link].pid != pid)
		link = &list->known[*link].next;
	return link;
}

static struct known_process *add_known(struct process_list *list, pid_t pid)
{
	uint32_t *bucket = &list->bucket[(uint32_t)pid % list->capacity];
	uint32_t number = list->known_free;

	list->known_free = list->known[number].next;
	list->known[number].pid = pid;
	list->known[number].next = *bucket;
	*bucket = number;
	return &list->known[number];
}

static void release_space(struct process_list *list, uint32_t space)
{
	uint32_t last = list->free_first + list->free_count++;

	list->owned[space].freed_ns = monotonic_ns();
	list->free_space[last % list->space_count] = space;
}

static uint32_t count_mappings(const struct address_space *space)
{
	struct walk_mapping ignored;
	uint32_t count = 0;

	for (size_t i = 0; i < space->mapping_count; i++)
		for (uint32_t part = 0; mapping_for_walk(&space->mapping[i], part, &ignored);
		     part++)
			count++;
	return count;
}

/* One of the process's, all its parts. */
static int add_mapping(struct process_list *list, struct owned_space *room,
		       const struct mapping *mapping, struct error *error)
{
	struct walk_mapping walk;

	for (uint32_t part = 0; mapping_for_walk(mapping, part, &walk); part++) {
		if (placement_add(list->placement, mapping->entry, &walk, error))
			return -1;
		list->image[room->room + room->count] = mapping->entry->id;
		list->mapping[room->room + room->count++] = walk;
	}
	return 0;
}

static int fill_room(struct process_list *list, struct owned_space *room,
		     const struct address_space *space, struct error *error)
{
	/* If there is none, the first one holds no PC. */
	list->mapping[room->room] = (struct walk_mapping) { 0 };
	for (size_t i = 0; i < space->mapping_count; i++)
		if (add_mapping(list, room, &space->mapping[i], error))
			return -1;
	return 0;
}

/* Finds a room, and fills it. Images that only free spaces reference leave for those that have
 * none. */
static int make_room(struct process_list *list, const struct address_space *space,
		     struct owned_space *ret, struct error *error)
{
	if (find_room(list, count_mappings(space), ret, error))
		return -1;
	if (!fill_room(list, ret, space, error))
		return 0;
	if (error->code == ERROR_TABLE_LIMIT && reclaim_rooms(list)) {
		while (ret->count)
			placement_release(list->placement, list->image[ret->room + --ret->count]);
		if (!fill_room(list, ret, space, error))
			return 0;
	}
	release_room(list, ret);
	return -1;
}

int process_list_set(struct process_list *list, const struct address_space *space,
		     struct error *error)
{
	uint32_t *link = find_link(list, space->pid), pid = space->pid, number;
	struct owned_space room;

	if (*link == PROCESS_NONE && list->known_free == PROCESS_NONE)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the session has no room for process %d", space->pid);
	if (make_room(list, space, &room, error))
		return -1;
	/* A process has one space, and there are more: the queue is never empty. */
	number = list->free_space[list->free_first];
	wait_for_walks(list, list->owned[number].freed_ns);
	list->space[number] = (struct walk_space) {
		.first = room.room,
		.count = room.count,
		.generation = ++list->generation,
	};
	if (bpf_map_update_elem(list->map_fd, &pid, &number, BPF_ANY)) {
		error_set_errno(error, "giving process %d to the walk", space->pid);
		release_room(list, &room);
		return -1;
	}
	release_room(list, &list->owned[number]);
	list->owned[number] = room;
	list->free_first = (list->free_first + 1) % list->space_count;
	list->free_count--;
	if (*link == PROCESS_NONE) {
		add_known(list, space->pid)->space = number;
	} else {
		release_space(list, list->known[*link].space);
		list->known[*link].space = number;
	}
	return 0;
}

uint32_t process_list_generation(const struct process_list *list, pid_t pid)
{
	uint32_t number = *find_link(list, pid);

	return number == PROCESS_NONE ? 0 : list->space[list->known[number].space].generation;
}

void process_list_forget(struct process_list *list, pid_t pid)
{
	uint32_t *link = find_link(list, pid), number = *link, key = pid;

	if (number == PROCESS_NONE)
		return;
	bpf_map_delete_elem(list->map_fd, &key);
	release_space(list, list->known[number].space);
	*link = list->known[number].next;
	list->known[number].next = list->known_free;
	list->known_free = number;
}
