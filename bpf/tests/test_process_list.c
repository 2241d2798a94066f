/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_list.c - which spaces and rooms processes get, and what is waited for first
 *
 * No kernel is asked: its maps, the clock and the images' places are made up here, and each call is
 * noted. A case is a script, steps with semicolons between, and all that must come of it, letter by
 * letter:
 *
 *	set PID PARTS	gives the process so many mappings, in two parts if there are more than one:
 *			of image PID and of image PID + 100
 *	again PID N	the same with one mapping, so often, and says nothing
 *	forget PID	the walk knows it no more
 *	at NS		what the clock says from now on
 *	images N	no more images than these may have a place
 *	refuse		the next update of the map of processes fails
 *	memory		placing the next image finds no memory
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "clock.h"
#include "process_list.h"

#define MAP_FD	  9
#define WAITED_FD 20
#define WAIT_FD	  21
#define IDS	  256

/* ---- what is made up ----------------------------------------------------------------------- */

static struct {
	char said[8192];
	size_t length;
	bool quiet;
	uint64_t now;
	bool can_wait, refuses, no_memory;
	int callocs_left; /* before the one that finds no memory; -1: all do */
	int images, images_max;
	int references[IDS];
} world;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	if (world.quiet)
		return;
	va_start(args, format);
	world.length += vsnprintf(world.said + world.length, sizeof(world.said) - world.length,
				  format, args);
	va_end(args);
	ck_assert_uint_lt(world.length, sizeof(world.said));
}

static void *made_calloc(size_t count, size_t size)
{
	return world.callocs_left-- ? calloc(count, size) : NULL;
}

static int made_create(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value,
		       uint32_t count, const struct bpf_map_create_opts *options)
{
	say("create type %d %s %u %u %u inner %u\n", type, name, key, value, count,
	    options ? options->inner_map_fd : 0);
	return type == BPF_MAP_TYPE_ARRAY ? WAITED_FD : WAIT_FD;
}

static int made_update(int fd, const void *key, const void *value, uint64_t flags)
{
	uint32_t to, from = *(const uint32_t *)key;

	memcpy(&to, value, sizeof(to));
	ck_assert_uint_eq(flags, BPF_ANY);
	if (fd == WAIT_FD || fd == 0) {
		ck_assert(from == 0 && to == WAITED_FD);
		say(world.can_wait ? "wait\n" : "cannot wait\n");
		return world.can_wait ? 0 : -1;
	}
	ck_assert_int_eq(fd, MAP_FD);
	if (world.refuses) {
		world.refuses = false;
		errno = E2BIG;
		return -1;
	}
	say("process %u has space %u\n", from, to);
	return 0;
}

static int made_delete(int fd, const void *key)
{
	ck_assert_int_eq(fd, MAP_FD);
	say("process %u has none\n", *(const uint32_t *)key);
	return 0;
}

static int made_sleep(const struct timespec *time)
{
	say("sleep %ld.%09ld\n", (long)time->tv_sec, time->tv_nsec);
	return 0;
}

static int made_close(int fd)
{
	say("close %d\n", fd);
	return 0;
}

static bool made_part(const struct mapping *mapping, uint32_t part, struct walk_mapping *ret)
{
	if (part >= mapping->end - mapping->start)
		return false;
	*ret = (struct walk_mapping) { .start = mapping->start + part,
				       .end = mapping->end,
				       .first_page = mapping->start + part };
	return true;
}

static int made_place(const struct image_entry *entry, struct walk_mapping *walk,
		      struct error *error)
{
	if (world.no_memory) {
		world.no_memory = false;
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	}
	if (!world.references[entry->id] && world.images == world.images_max)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "no place for image %u",
				 entry->id);
	world.images += !world.references[entry->id]++;
	walk->first_rule = entry->id;
	return 0;
}

static void made_leave(uint32_t id)
{
	ck_assert_uint_lt(id, IDS);
	ck_assert_int_gt(world.references[id], 0);
	world.images -= !--world.references[id];
}

#define monotonic_ns()			       world.now
#define bpf_map_create			       made_create
#define bpf_map_update_elem		       made_update
#define bpf_map_delete_elem		       made_delete
#define calloc				       made_calloc
#define nanosleep(time, left)		       made_sleep(time)
#define close				       made_close
#define mapping_for_walk		       made_part
#define placement_add(all, entry, walk, error) made_place(entry, walk, error)
#define placement_release(all, id)	       made_leave(id)
#include "process_list.c"
#undef close
#undef calloc

/* ---- scripts ------------------------------------------------------------------------------- */

static int set(struct process_list *list, pid_t pid, uint32_t parts)
{
	struct image_entry one = { .id = pid % IDS }, two = { .id = (pid + 100) % IDS };
	struct mapping mapping[] = {
		{ .start = 1000 * pid, .end = 1000 * pid + (parts > 0), .entry = &one },
		{ .start = 1000 * pid + 500, .end = 1000 * pid + 499 + parts, .entry = &two },
	};
	struct address_space space = { .pid = pid,
				       .mapping = mapping,
				       .mapping_count = parts > 1 ? 2 : 1 };
	struct error error;

	if (!process_list_set(list, &space, &error))
		return 0;
	say("%d: %s\n", error.code, error.message);
	return -1;
}

/* What the walk reads of it. */
static void say_space(const struct process_list *list, pid_t pid)
{
	uint32_t number = *find_link(list, pid);
	const struct walk_space *space;

	if (number == PROCESS_NONE) {
		say("  %d: nothing\n", pid);
		return;
	}
	space = &list->space[list->known[number].space];
	say("  %d: %u at %u, generation %u:", pid, space->count, space->first, space->generation);
	ck_assert_uint_eq(space->generation, process_list_generation(list, pid));
	for (uint32_t i = 0; i < (space->count ? space->count : 1); i++)
		ck_assert_uint_eq(list->mapping[space->first + i].first_page,
				  list->mapping[space->first + i].start);
	for (uint32_t i = 0; i < (space->count ? space->count : 1) && i < 3; i++)
		say(" %" PRIu64 "-%" PRIu64 "/%u", (uint64_t)list->mapping[space->first + i].start,
		    (uint64_t)list->mapping[space->first + i].end,
		    list->mapping[space->first + i].first_rule);
	say("\n");
}

static void do_step(struct process_list *list, const char *step)
{
	long a = 0, b = 0;
	char verb[16];

	ck_assert_int_ge(sscanf(step, "%15s %ld %ld", verb, &a, &b), 1);
	if (!strcmp(verb, "set")) {
		set(list, a, b);
		say_space(list, a);
	} else if (!strcmp(verb, "again")) {
		world.quiet = true;
		for (long i = 0; i < b; i++)
			ck_assert(!set(list, a, 1));
		world.quiet = false;
	} else if (!strcmp(verb, "forget")) {
		process_list_forget(list, a);
		ck_assert_uint_eq(process_list_generation(list, a), 0);
	} else if (!strcmp(verb, "at")) {
		world.now = a;
	} else if (!strcmp(verb, "images")) {
		world.images_max = a;
	} else if (!strcmp(verb, "refuse")) {
		world.refuses = true;
	} else if (!strcmp(verb, "memory")) {
		world.no_memory = true;
	} else {
		ck_abort_msg("no such step: %s", step);
	}
}

static const struct {
	const char *name;
	uint32_t processes, mappings;
	bool can_wait;
	const char *script, *expect;
} cases[] = {
	{ "a_room_is_16_or_more", 4, 128, true,
	  "set 7 1; set 8 16; set 9 17; set 7 3; set 6 0; set 11 1",
	  "process 7 has space 0\n"
	  "  7: 1 at 0, generation 1: 7000-7001/7\n"
	  "process 8 has space 1\n"
	  "  8: 16 at 16, generation 2: 8000-8001/8 8500-8515/108 8501-8515/108\n"
	  "process 9 has space 2\n"
	  "  9: 17 at 32, generation 3: 9000-9001/9 9500-9516/109 9501-9516/109\n"
	  "process 7 has space 3\n"
	  "  7: 3 at 64, generation 4: 7000-7001/7 7500-7502/107 7501-7502/107\n"
	  "process 6 has space 4\n"
	  "  6: 0 at 80, generation 5: 0-0/0\n"
	  "22: the session has no room for process 11\n"
	  "  11: nothing\n"
	  "image 7: 2\n"
	  "image 8: 1\n"
	  "image 9: 1\n"
	  "image 107: 2\n"
	  "image 108: 15\n"
	  "image 109: 16\n" },
	{ "a_room_begins_at_a_multiple_of_its_size", 4, 64, true, "set 7 1; set 9 17; set 8 1",
	  "process 7 has space 0\n"
	  "  7: 1 at 0, generation 1: 7000-7001/7\n"
	  "process 9 has space 1\n"
	  "  9: 17 at 32, generation 2: 9000-9001/9 9500-9516/109 9501-9516/109\n"
	  "22: the session's 64 mappings have no room for 1 more\n"
	  "  8: nothing\n"
	  "image 7: 1\n"
	  "image 9: 1\n"
	  "image 109: 16\n" },
	{ "processes_of_one_bucket", 3, 128, true,
	  "set 4 1; set 7 1; set 10 1; forget 7; forget 7; set 7 2; forget 10; forget 4; set 1 1; "
	  "set 5 1",
	  "process 4 has space 0\n"
	  "  4: 1 at 0, generation 1: 4000-4001/4\n"
	  "process 7 has space 1\n"
	  "  7: 1 at 16, generation 2: 7000-7001/7\n"
	  "process 10 has space 2\n"
	  "  10: 1 at 32, generation 3: 10000-10001/10\n"
	  "process 7 has none\n"
	  "process 7 has space 3\n"
	  "  7: 2 at 48, generation 4: 7000-7001/7 7500-7501/107\n"
	  "process 10 has none\n"
	  "process 4 has none\n"
	  "process 1 has space 4\n"
	  "  1: 1 at 64, generation 5: 1000-1001/1\n"
	  "process 5 has space 5\n"
	  "  5: 1 at 80, generation 6: 5000-5001/5\n"
	  "image 1: 1\n"
	  "image 4: 1\n"
	  "image 5: 1\n"
	  "image 7: 2\n"
	  "image 10: 1\n"
	  "image 107: 1\n" },
	{ "a_room_is_used_again_after_a_wait", 4, 64, true,
	  "at 50; set 7 1; set 7 2; at 60; set 7 3; set 7 4; at 70; set 7 5; set 7 6; set 7 7; at "
	  "71; set 7 8; at 80; set 7 9",
	  "process 7 has space 0\n"
	  "  7: 1 at 0, generation 1: 7000-7001/7\n"
	  "process 7 has space 1\n"
	  "  7: 2 at 16, generation 2: 7000-7001/7 7500-7501/107\n"
	  "process 7 has space 2\n"
	  "  7: 3 at 32, generation 3: 7000-7001/7 7500-7502/107 7501-7502/107\n"
	  "process 7 has space 3\n"
	  "  7: 4 at 48, generation 4: 7000-7001/7 7500-7503/107 7501-7503/107\n"
	  "wait\n"
	  "process 7 has space 4\n"
	  "  7: 5 at 32, generation 5: 7000-7001/7 7500-7504/107 7501-7504/107\n"
	  "process 7 has space 5\n"
	  "  7: 6 at 16, generation 6: 7000-7001/7 7500-7505/107 7501-7505/107\n"
	  "process 7 has space 6\n"
	  "  7: 7 at 0, generation 7: 7000-7001/7 7500-7506/107 7501-7506/107\n"
	  "wait\n"
	  "process 7 has space 7\n"
	  "  7: 8 at 16, generation 8: 7000-7001/7 7500-7507/107 7501-7507/107\n"
	  "process 7 has space 8\n"
	  "  7: 9 at 32, generation 9: 7000-7001/7 7500-7508/107 7501-7508/107\n"
	  "image 7: 3\n"
	  "image 107: 21\n" },
	{ "who_can_not_wait_rests", 4, 32, false,
	  "at 50; set 7 1; set 7 1; at 60; set 7 1; set 7 2; at 100000061; set 7 3; at 300000000; "
	  "set 7 4; at 400000000; set 7 5",
	  "process 7 has space 0\n"
	  "  7: 1 at 0, generation 1: 7000-7001/7\n"
	  "process 7 has space 1\n"
	  "  7: 1 at 16, generation 2: 7000-7001/7\n"
	  "cannot wait\n"
	  "sleep 0.099999990\n"
	  "process 7 has space 2\n"
	  "  7: 1 at 0, generation 3: 7000-7001/7\n"
	  "cannot wait\n"
	  "sleep 0.100000000\n"
	  "process 7 has space 3\n"
	  "  7: 2 at 16, generation 4: 7000-7001/7 7500-7501/107\n"
	  "process 7 has space 4\n"
	  "  7: 3 at 0, generation 5: 7000-7001/7 7500-7502/107 7501-7502/107\n"
	  "cannot wait\n"
	  "process 7 has space 5\n"
	  "  7: 4 at 16, generation 6: 7000-7001/7 7500-7503/107 7501-7503/107\n"
	  "cannot wait\n"
	  "process 7 has space 6\n"
	  "  7: 5 at 0, generation 7: 7000-7001/7 7500-7504/107 7501-7504/107\n"
	  "image 7: 2\n"
	  "image 107: 7\n" },
	{ "a_larger_room_where_there_is_no_other", 4, 64, true,
	  "at 5; set 7 32; set 8 1; forget 7; set 9 1; set 10 1; set 11 1; at 6; forget 8; at 7; "
	  "set 11 2; set 6 1",
	  "process 7 has space 0\n"
	  "  7: 32 at 0, generation 1: 7000-7001/7 7500-7531/107 7501-7531/107\n"
	  "process 8 has space 1\n"
	  "  8: 1 at 32, generation 2: 8000-8001/8\n"
	  "process 7 has none\n"
	  "process 9 has space 2\n"
	  "  9: 1 at 48, generation 3: 9000-9001/9\n"
	  "wait\n"
	  "wait\n"
	  "process 10 has space 3\n"
	  "  10: 1 at 0, generation 4: 10000-10001/10\n"
	  "22: the session's 64 mappings have no room for 1 more\n"
	  "  11: nothing\n"
	  "process 8 has none\n"
	  "wait\n"
	  "process 11 has space 4\n"
	  "  11: 2 at 32, generation 5: 11000-11001/11 11500-11501/111\n"
	  "22: the session's 64 mappings have no room for 1 more\n"
	  "  6: nothing\n"
	  "image 9: 1\n"
	  "image 10: 1\n"
	  "image 11: 1\n"
	  "image 111: 1\n" },
	{ "a_larger_room_not_before_the_end", 4, 64, true,
	  "at 5; set 7 32; forget 7; at 6; set 8 100; set 9 1; set 10 1; set 11 1",
	  "process 7 has space 0\n"
	  "  7: 32 at 0, generation 1: 7000-7001/7 7500-7531/107 7501-7531/107\n"
	  "process 7 has none\n"
	  "wait\n"
	  "22: the session's 64 mappings have no room for 100 more\n"
	  "  8: nothing\n"
	  "process 9 has space 1\n"
	  "  9: 1 at 32, generation 2: 9000-9001/9\n"
	  "process 10 has space 2\n"
	  "  10: 1 at 48, generation 3: 10000-10001/10\n"
	  "process 11 has space 3\n"
	  "  11: 1 at 0, generation 4: 11000-11001/11\n"
	  "image 9: 1\n"
	  "image 10: 1\n"
	  "image 11: 1\n" },
	{ "no_room_is_left", 4, 32, true,
	  "set 7 1; set 8 1; set 9 1; set 7 2; forget 8; set 9 40; set 9 8193; set 9 8192",
	  "process 7 has space 0\n"
	  "  7: 1 at 0, generation 1: 7000-7001/7\n"
	  "process 8 has space 1\n"
	  "  8: 1 at 16, generation 2: 8000-8001/8\n"
	  "22: the session's 32 mappings have no room for 1 more\n"
	  "  9: nothing\n"
	  "22: the session's 32 mappings have no room for 2 more\n"
	  "  7: 1 at 0, generation 1: 7000-7001/7\n"
	  "process 8 has none\n"
	  "22: the session's 32 mappings have no room for 40 more\n"
	  "  9: nothing\n"
	  "24: a process has 8193 executable mappings, 8192 at most can be walked\n"
	  "  9: nothing\n"
	  "22: the session's 32 mappings have no room for 8192 more\n"
	  "  9: nothing\n"
	  "image 7: 1\n" },
	{ "all_of_a_chunk", 4, 8192, true, "set 7 8192; set 8 1; set 9 8193",
	  "process 7 has space 0\n"
	  "  7: 8192 at 0, generation 1: 7000-7001/7 7500-15691/107 7501-15691/107\n"
	  "22: the session's 8192 mappings have no room for 1 more\n"
	  "  8: nothing\n"
	  "24: a process has 8193 executable mappings, 8192 at most can be walked\n"
	  "  9: nothing\n"
	  "image 7: 1\n"
	  "image 107: 8191\n" },
	{ "images_of_free_spaces_leave", 4, 64, true,
	  "at 9; images 3; set 7 2; set 8 1; set 9 1; forget 7; at 10; set 9 2; set 10 2; forget "
	  "8; at 11; set 10 2; set 10 1",
	  "process 7 has space 0\n"
	  "  7: 2 at 0, generation 1: 7000-7001/7 7500-7501/107\n"
	  "process 8 has space 1\n"
	  "  8: 1 at 16, generation 2: 8000-8001/8\n"
	  "22: no place for image 9\n"
	  "  9: nothing\n"
	  "process 7 has none\n"
	  "wait\n"
	  "process 9 has space 2\n"
	  "  9: 2 at 32, generation 3: 9000-9001/9 9500-9501/109\n"
	  "22: no place for image 10\n"
	  "  10: nothing\n"
	  "process 8 has none\n"
	  "wait\n"
	  "22: no place for image 110\n"
	  "  10: nothing\n"
	  "process 10 has space 3\n"
	  "  10: 1 at 0, generation 4: 10000-10001/10\n"
	  "image 9: 1\n"
	  "image 10: 1\n"
	  "image 109: 1\n" },
	{ "a_refused_update_leaves_nothing", 4, 64, true,
	  "refuse; set 7 2; set 7 3; refuse; set 7 1; memory; set 7 4; set 7 5",
	  "1: giving process 7 to the walk: Argument list too long\n"
	  "  7: nothing\n"
	  "process 7 has space 0\n"
	  "  7: 3 at 0, generation 2: 7000-7001/7 7500-7502/107 7501-7502/107\n"
	  "1: giving process 7 to the walk: Argument list too long\n"
	  "  7: 3 at 0, generation 2: 7000-7001/7 7500-7502/107 7501-7502/107\n"
	  "2: no memory for images\n"
	  "  7: 3 at 0, generation 2: 7000-7001/7 7500-7502/107 7501-7502/107\n"
	  "process 7 has space 1\n"
	  "  7: 5 at 16, generation 4: 7000-7001/7 7500-7504/107 7501-7504/107\n"
	  "image 7: 2\n"
	  "image 107: 6\n" },
	{ "a_space_is_taken_again_last", 2, 8192, true,
	  "at 100; set 7 1; at 200; again 7 1024; set 7 1; set 7 1; set 7 2; at 300; set 8 1; set "
	  "9 1",
	  "process 7 has space 0\n"
	  "  7: 1 at 0, generation 1: 7000-7001/7\n"
	  "process 7 has space 1025\n"
	  "  7: 1 at 48, generation 1026: 7000-7001/7\n"
	  "wait\n"
	  "process 7 has space 0\n"
	  "  7: 1 at 64, generation 1027: 7000-7001/7\n"
	  "wait\n"
	  "process 7 has space 1\n"
	  "  7: 2 at 80, generation 1028: 7000-7001/7 7500-7501/107\n"
	  "wait\n"
	  "process 8 has space 2\n"
	  "  8: 1 at 96, generation 1029: 8000-8001/8\n"
	  "22: the session has no room for process 9\n"
	  "  9: nothing\n"
	  "image 7: 6\n"
	  "image 8: 1\n"
	  "image 107: 1\n" },
};

static void run_script(struct process_list *list, const char *script)
{
	char *copy = strdup(script), *rest = copy;

	ck_assert_ptr_nonnull(copy);
	for (char *step; (step = strsep(&rest, ";"));)
		do_step(list, step);
	free(copy);
}

/* Images that are referenced by now, and how often. */
static void say_references(void)
{
	for (int id = 0; id < IDS; id++)
		if (world.references[id])
			say("image %d: %d\n", id, world.references[id]);
}

START_TEST(spaces_and_rooms)
{
	uint32_t spaces = process_list_spaces(cases[_i].processes);
	struct process_list_arrays arrays = { .mapping_count = cases[_i].mappings,
					      .map_fd = MAP_FD };
	struct process_list list;
	struct error error;

	memset(&world, 0, sizeof(world));
	world.images_max = IDS;
	world.callocs_left = -1;
	world.can_wait = cases[_i].can_wait;
	world.quiet = true;
	ck_assert_uint_eq(spaces, cases[_i].processes + 1024);
	arrays.space = calloc(spaces, sizeof(*arrays.space));
	arrays.mapping = calloc(arrays.mapping_count, sizeof(*arrays.mapping));
	ck_assert(arrays.space && arrays.mapping);
	ck_assert(!process_list_init(&list, cases[_i].processes, &arrays, &error));
	world.quiet = false;
	run_script(&list, cases[_i].script);
	say_references();
	ck_assert_msg(!strcmp(world.said, cases[_i].expect), "%s:\n%s", cases[_i].name, world.said);
	world.quiet = true;
	process_list_deinit(&list);
	free(arrays.space);
	free(arrays.mapping);
}
END_TEST

/* An array of one map, and the map in it, which is what can be waited by. */
START_TEST(what_is_waited_by)
{
	struct process_list_arrays arrays = { .mapping_count = 16, .map_fd = MAP_FD };
	struct process_list list = { 0 };
	struct error error;

	memset(&world, 0, sizeof(world));
	world.callocs_left = -1;
	process_list_deinit(&list); /* was never begun */
	ck_assert_str_eq(world.said, "");
	ck_assert(!process_list_init(&list, 2, &arrays, &error));
	process_list_deinit(&list);
	ck_assert_str_eq(world.said, "create type 2 waited 4 4 1 inner 0\n"
				     "create type 12 wait 4 4 1 inner 20\n"
				     "close 21\n"
				     "close 20\n");
	memset(&world, 0, sizeof(world));
	list.wait_fd = -1;
	list.waited_fd = 0;
	list.known = NULL;
	list.bucket = list.image = list.free_space = NULL;
	list.owned = NULL;
	process_list_deinit(&list);
	list.wait_fd = 0;
	list.waited_fd = -1;
	process_list_deinit(&list);
	ck_assert_str_eq(world.said, "close 0\nclose 0\n");
}
END_TEST

/* Walks that began before quiet_ns have ended. */
static const struct {
	const char *name;
	int wait_fd;
	bool can_wait;
	uint64_t freed_ns, now, quiet_ns;
	const char *expect;
	uint64_t expect_quiet_ns;
} wait_cases[] = {
	{ "was_never_in_use", WAIT_FD, true, 0, 900, 1, "", 1 },
	{ "has_been_waited_for", WAIT_FD, true, 499, 900, 500, "", 500 },
	{ "just_not", WAIT_FD, true, 500, 900, 500, "wait\n", 900 },
	{ "descriptor_0_is_one", 0, true, 500, 900, 500, "wait\n", 900 },
	{ "none_is_none", -1, true, 500, 900, 500, "sleep 0.099999600\n", 501 },
	{ "refused", WAIT_FD, false, 500, 900, 500, "cannot wait\nsleep 0.099999600\n", 501 },
	{ "is_rested", -1, true, 500, 100000500, 500, "", 501 },
	{ "is_almost_rested", -1, true, 500, 100000499, 500, "sleep 0.000000001\n", 501 },
	{ "late", -1, true, 5000000000, 5000000007, 1, "sleep 0.099999993\n", 5000000001 },
};

START_TEST(waits_for_walks)
{
	struct process_list list = { .wait_fd = wait_cases[_i].wait_fd,
				     .waited_fd = WAITED_FD,
				     .quiet_ns = wait_cases[_i].quiet_ns };

	memset(&world, 0, sizeof(world));
	world.can_wait = wait_cases[_i].can_wait;
	world.now = wait_cases[_i].now;
	wait_for_walks(&list, wait_cases[_i].freed_ns);
	ck_assert_msg(!strcmp(world.said, wait_cases[_i].expect), "%s: %s", wait_cases[_i].name,
		      world.said);
	ck_assert_uint_eq(list.quiet_ns, wait_cases[_i].expect_quiet_ns);
}
END_TEST

/* Five arrays are its own. */
START_TEST(no_memory_is_said)
{
	struct process_list_arrays arrays = { .mapping_count = 16, .map_fd = MAP_FD };
	struct process_list list;
	struct error error = { 0 };

	memset(&world, 0, sizeof(world));
	world.callocs_left = _i;
	ck_assert_int_eq(process_list_init(&list, 2, &arrays, &error), _i < 5 ? -1 : 0);
	ck_assert_str_eq(error.message, _i < 5 ? "no memory for processes" : "");
	ck_assert_int_eq(error.code, _i < 5 ? ERROR_MEMORY : ERROR_NONE);
	process_list_deinit(&list);
}
END_TEST

SUITE(process_list, LOOP(spaces_and_rooms, cases), TEST(what_is_waited_by),
      LOOP(waits_for_walks, wait_cases), TIMES(no_memory_is_said, 6))
