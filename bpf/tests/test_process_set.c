/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_set.c - the set of processes: buckets, queues, and versions of their mappings
 *
 * 1024 buckets: processes whose numbers differ by that share one.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "process_set.h"

#define BUCKETS 1024

/* ---- find and get -------------------------------------------------------------------------- */

static struct process *get(struct process_set *set, pid_t pid)
{
	struct process *process = process_set_get(set, pid);

	ck_assert_ptr_nonnull(process);
	ck_assert_int_eq(process->pid, pid);
	return process;
}

static void note(void *context, struct process *process)
{
	*(uint64_t *)context += process->pid;
}

static uint64_t sum_of(const struct process_set *set)
{
	uint64_t sum = 0;

	process_set_each(set, note, &sum);
	return sum;
}

START_TEST(process_is_found_by_its_number)
{
	static const pid_t pids[] = {
		1024, 7, 7 + BUCKETS, 7 + 2 * BUCKETS, 1023, 2 * BUCKETS - 1
	};
	struct process *process[COUNT(pids)];
	struct process_set set = { 0 };
	uint64_t sum = 0;

	ck_assert_ptr_null(process_set_find(&set, 7));
	ck_assert_uint_eq(sum_of(&set), 0);
	process_set_sweep(&set, NEVER, UINT_MAX); /* of nothing */
	for (int i = 0; i < COUNT(pids); i++) {
		ck_assert_ptr_null(process_set_find(&set, pids[i]));
		process[i] = get(&set, pids[i]);
		ck_assert(!process[i]->alive && !process[i]->version && !process[i]->known);
		sum += pids[i];
	}
	for (int i = 0; i < COUNT(pids); i++) {
		ck_assert_ptr_eq(process_set_find(&set, pids[i]), process[i]);
		ck_assert_ptr_eq(process_set_get(&set, pids[i]), process[i]);
	}
	ck_assert_ptr_null(process_set_find(&set, 7 + 3 * BUCKETS));
	ck_assert_uint_eq(sum_of(&set), sum);
	process_set_deinit(&set);
	ck_assert_ptr_null(set.bucket);
	ck_assert_ptr_null(process_set_find(&set, 7));
}
END_TEST

/* ---- queues -------------------------------------------------------------------------------- */

START_TEST(first_come_first_served)
{
	struct process_set set = { 0 };
	struct process *a = get(&set, 1), *b = get(&set, 2), *c = get(&set, 3);

	for (int queue = 0; queue < PROCESS_QUEUES; queue++) {
		ck_assert_ptr_null(process_set_pop(&set, queue));
		ck_assert_uint_eq(set.queue[queue].count, 0);
		process_set_push(&set, queue, a);
		process_set_push(&set, queue, b);
		process_set_push(&set, queue, a); /* it is there */
		ck_assert_uint_eq(set.queue[queue].count, 2);
		ck_assert(a->queued[queue] && b->queued[queue] && !c->queued[queue]);
		ck_assert_ptr_eq(process_set_pop(&set, queue), a);
		ck_assert(!a->queued[queue]);
		ck_assert_uint_eq(set.queue[queue].count, 1);
		process_set_push(&set, queue, c);
		process_set_push(&set, queue, a);
		ck_assert_ptr_eq(process_set_pop(&set, queue), b);
		ck_assert_ptr_eq(process_set_pop(&set, queue), c);
		ck_assert_ptr_eq(process_set_pop(&set, queue), a);
		ck_assert_ptr_null(process_set_pop(&set, queue));
		ck_assert_uint_eq(set.queue[queue].count, 0);
		process_set_push(&set, queue, b); /* one that was empty */
		ck_assert_ptr_eq(process_set_pop(&set, queue), b);
		ck_assert_ptr_null(process_set_pop(&set, queue));
	}
	process_set_push(&set, PROCESS_GIVE, a);
	process_set_push(&set, PROCESS_END, b);
	process_set_deinit(&set);
	for (int queue = 0; queue < PROCESS_QUEUES; queue++)
		ck_assert_uint_eq(set.queue[queue].count, 0);
}
END_TEST

/* ---- who is swept --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool alive;
	int queue;	  /* -1: in none */
	bool has_version; /* replaced in round 5 */
	uint64_t round;	  /* of the sweep */
	bool stays;
} sweep_cases[] = {
	{ "a_dead_one", false, -1, false, 1, false },
	{ "who_lives", true, -1, false, NEVER, true },
	{ "to_be_given", false, PROCESS_GIVE, false, NEVER, true },
	{ "to_be_read", false, PROCESS_READ, false, NEVER, true },
	{ "to_be_checked", false, PROCESS_CHECK, false, NEVER, true },
	{ "to_end", false, PROCESS_END, false, NEVER, true },
	{ "with_a_version_of_that_round", false, -1, true, 5, true },
	{ "with_a_version_of_the_round_before", false, -1, true, 6, false },
};

START_TEST(sweep_takes_who_is_dead)
{
	struct process_set set = { 0 };
	struct process *process = get(&set, 7), *behind = get(&set, 7 + BUCKETS);

	behind->alive = process->alive = true;
	process->known = known_space_create();
	if (sweep_cases[_i].has_version) {
		ck_assert(process_version_add(process, 1, 4));
		process_version_end(process, 5);
	}
	if (sweep_cases[_i].queue >= 0)
		process_set_push(&set, sweep_cases[_i].queue, process);
	process->alive = sweep_cases[_i].alive;
	process_set_sweep(&set, sweep_cases[_i].round, UINT_MAX);
	ck_assert_msg((process_set_find(&set, 7) != NULL) == sweep_cases[_i].stays, "%s",
		      sweep_cases[_i].name);
	ck_assert_ptr_eq(process_set_find(&set, 7 + BUCKETS), behind);
	process_set_deinit(&set);
}
END_TEST

/* Also what lives, is queued, and has a version in use. */
START_TEST(end_of_the_set_gives_up_all)
{
	struct known_space *known = known_space_create();
	struct process_set set = { 0 };
	static const pid_t pids[] = { BUCKETS, 7, 7 + BUCKETS, BUCKETS - 1 };

	for (int i = 0; i < COUNT(pids); i++) {
		struct process *process = get(&set, pids[i]);

		process->known = known_space_share(known);
		process->alive = true;
		ck_assert(process_version_add(process, 1, 1));
		process_set_push(&set, i % PROCESS_QUEUES, process);
	}
	ck_assert_uint_eq(known->references, 1 + 2 * COUNT(pids));
	process_set_deinit(&set);
	ck_assert_uint_eq(known->references, 1);
	known_space_release(known);
}
END_TEST

/* ---- versions ------------------------------------------------------------------------------- */

START_TEST(versions_are_known_by_their_generation)
{
	struct process_set set = { 0 };
	struct process *process = get(&set, 7);
	struct known_space *known = known_space_create();
	struct list_version *first, *second;

	ck_assert_uint_eq(known->references, 1);
	process->known = known;
	process->alive = true;
	ck_assert_ptr_null(process_current(process));
	ck_assert_ptr_null(process_version_find(process, 1));
	process_version_end(process, 9); /* there is none */
	ck_assert(process_version_add(process, 1, 10));
	first = process->version;
	ck_assert_ptr_eq(process_current(process), first);
	ck_assert(first->generation == 1 && first->last_round == NEVER && !first->older);
	ck_assert_uint_eq(known->references, 2);
	ck_assert(process_version_add(process, 2, 20));
	second = process->version;
	ck_assert_ptr_eq(process_current(process), second);
	ck_assert_ptr_eq(second->older, first);
	ck_assert_uint_eq(first->last_round, 20);
	ck_assert_ptr_eq(process_version_find(process, 1), first);
	ck_assert_ptr_eq(process_version_find(process, 2), second);
	ck_assert_ptr_null(process_version_find(process, 3));
	ck_assert_uint_eq(known->references, 3);
	process_version_end(process, 30);
	ck_assert_ptr_null(process_current(process));
	ck_assert_uint_eq(second->last_round, 30);
	process_version_end(process, 40); /* once */
	ck_assert_uint_eq(second->last_round, 30);
	process_set_sweep(&set, 20, UINT_MAX); /* before that round */
	ck_assert_ptr_eq(process->version->older, first);
	process_set_sweep(&set, 21, UINT_MAX);
	ck_assert_ptr_eq(process->version, second);
	ck_assert_ptr_null(second->older);
	ck_assert_uint_eq(known->references, 2);
	process_set_sweep(&set, 31, UINT_MAX);
	ck_assert_ptr_null(process->version);
	ck_assert_uint_eq(known->references, 1);
	process_set_deinit(&set);
}
END_TEST

/* Whatever the round is: one that a stack was walked by stays. */
START_TEST(unused_version_is_swept_after_some_sweeps)
{
	struct process_set set = { 0 };
	struct process *process = get(&set, 7);

	process->known = known_space_create();
	process->alive = true;
	for (uint32_t generation = 1; generation <= 3; generation++)
		ck_assert(process_version_add(process, generation, 10));
	process_version_find(process, 1)->used = true;
	process_set_sweep(&set, 0, 2);
	process_set_sweep(&set, 0, 2);
	ck_assert_ptr_nonnull(process_version_find(process, 2));
	process_set_sweep(&set, 0, 2);
	ck_assert_ptr_null(process_version_find(process, 2));
	ck_assert_ptr_nonnull(process_version_find(process, 1));
	ck_assert_ptr_eq(process_current(process), process_version_find(process, 3));
	process_set_sweep(&set, 11, 2);
	ck_assert_ptr_null(process_version_find(process, 1));
	process_set_deinit(&set);
}
END_TEST

/* The newer is given up, the older stays. */
START_TEST(version_between_others_is_swept)
{
	struct process_set set = { 0 };
	struct process *process = get(&set, 7);

	process->known = known_space_create();
	ck_assert(process_version_add(process, 1, 10));
	process_version_end(process, 50);
	ck_assert(process_version_add(process, 2, 10));
	process_version_end(process, 30);
	process_set_sweep(&set, 40, UINT_MAX);
	ck_assert_uint_eq(process->version->generation, 1);
	ck_assert_ptr_null(process->version->older);
	process_set_deinit(&set);
}
END_TEST

START_TEST(what_is_shared_is_copied)
{
	struct known_space *known = known_space_create(), *own;
	struct mapping mapping = { .start = 0x1000, .end = 0x2000, .path = (char *)"/file" };

	known->space.pid = 7;
	known->space.mapping = malloc(sizeof(mapping));
	known->space.mapping[0] = mapping;
	known->space.mapping[0].path = strdup(mapping.path);
	known->space.mapping_count = 1;
	known->true_ns = 77;
	ck_assert_ptr_eq(known_space_own(known), known); /* its only owner */
	ck_assert_ptr_eq(known_space_share(known), known);
	ck_assert_uint_eq(known->references, 2);
	own = known_space_own(known);
	ck_assert(own && own != known);
	ck_assert_uint_eq(known->references, 1);
	ck_assert_uint_eq(own->references, 1);
	ck_assert_uint_eq(own->true_ns, 77);
	ck_assert_int_eq(own->space.pid, 7);
	ck_assert_uint_eq(own->space.mapping_count, 1);
	ck_assert_str_eq(own->space.mapping[0].path, "/file");
	ck_assert_ptr_ne(own->space.mapping[0].path, known->space.mapping[0].path);
	known_space_release(own);
	known_space_share(known);
	known_space_release(known);
	ck_assert_uint_eq(known->references, 1);
	known_space_release(known);
	known_space_release(NULL);
}
END_TEST

/* ---- changes -------------------------------------------------------------------------------- */

#define TIME  1000
#define FIRST 0x400000
#define LAST  0x401000

static const struct misled_case {
	const char *name;
	uint64_t time; /* of the walk */
	uint32_t count;
	uint64_t pc[3];
	bool misled;
} misled_cases[] = {
	{ "at_that_time", TIME, 1, { FIRST }, true },
	{ "before_it", TIME - 1, 1, { FIRST }, false },
	{ "long_after", TIME * 9, 1, { FIRST }, true },
	{ "before_its_first_byte", TIME, 1, { FIRST - 1 }, false },
	{ "a_call_that_ends_there", TIME, 1, { LAST }, true },
	{ "behind_it", TIME, 1, { LAST + 1 }, false },
	{ "in_the_last_frame", TIME, 3, { 1, 2, FIRST + 8 }, true },
	{ "behind_the_last_frame", TIME, 2, { 1, 2, FIRST + 8 }, false },
	{ "no_frames", TIME, 0, { FIRST }, false },
	{ "a_guessed_frame", TIME, 2, { 1, WALK_PC_GUESSED | FIRST }, true },
	{ "a_guessed_frame_elsewhere", TIME, 2, { 1, WALK_PC_GUESSED | (FIRST - 1) }, false },
};

START_TEST(walk_was_misled)
{
	const struct misled_case *c = &misled_cases[_i];
	struct walk_record *record = calloc(1, sizeof(*record));
	struct list_version version = { 0 };

	record->time = c->time;
	record->count = c->count;
	memcpy(record->pc, c->pc, sizeof(c->pc));
	ck_assert(!process_version_misled(&version, record, record->time));
	process_version_change(&version, NEVER, 0, NEVER); /* not yet */
	process_version_change(&version, TIME, FIRST, LAST);
	ck_assert_msg(process_version_misled(&version, record, record->time) == c->misled, "%s",
		      c->name);
	free(record);
}
END_TEST

/* More frames than a record has room for are not looked at. */
START_TEST(walk_of_too_many_frames)
{
	struct walk_record *record = calloc(1, sizeof(*record) + 64);
	struct list_version version = { 0 };

	record->time = TIME;
	record->count = WALK_FRAMES_MAX + 8;
	record->pc[WALK_FRAMES_MAX - 1] = 1;
	process_version_change(&version, TIME, FIRST, LAST);
	memcpy((uint8_t *)record->pc + sizeof(record->pc), &(uint64_t) { FIRST }, sizeof(uint64_t));
	ck_assert(!process_version_misled(&version, record, record->time));
	record->pc[WALK_FRAMES_MAX - 1] = FIRST;
	ck_assert(process_version_misled(&version, record, record->time));
	free(record);
}
END_TEST

static const struct {
	const char *name;
	struct list_change change, last; /* the one too many; what the last one is then */
} full_cases[] = {
	{ "within", { 150, 0x1100, 0x1200 }, { 100, 0x1000, 0x2000 } },
	{ "the_same", { 100, 0x1000, 0x2000 }, { 100, 0x1000, 0x2000 } },
	{ "before_it_in_time", { 99, 0x1100, 0x1200 }, { 99, 0x1000, 0x2000 } },
	{ "begins_before", { 150, 0xfff, 0x1200 }, { 100, 0xfff, 0x2000 } },
	{ "ends_behind", { 150, 0x1100, 0x2001 }, { 100, 0x1000, 0x2001 } },
};

START_TEST(changes_beyond_the_limit_are_put_together)
{
	struct list_version version = { 0 };

	for (int i = 0; i < CHANGES_MAX; i++)
		process_version_change(&version, 100, 0x1000, 0x2000);
	ck_assert_uint_eq(version.change_count, CHANGES_MAX);
	process_version_change(&version, full_cases[_i].change.time_ns, full_cases[_i].change.start,
			       full_cases[_i].change.end);
	ck_assert_uint_eq(version.change_count, CHANGES_MAX);
	for (int i = 0; i < CHANGES_MAX - 1; i++)
		ck_assert_mem_eq(&version.change[i], &full_cases[1].last,
				 sizeof(version.change[i]));
	ck_assert_msg(!memcmp(&version.change[CHANGES_MAX - 1], &full_cases[_i].last,
			      sizeof(full_cases[_i].last)),
		      "%s", full_cases[_i].name);
}
END_TEST

SUITE(process_set, TEST(process_is_found_by_its_number), TEST(first_come_first_served),
      LOOP(sweep_takes_who_is_dead, sweep_cases), TEST(end_of_the_set_gives_up_all),
      TEST(versions_are_known_by_their_generation), TEST(version_between_others_is_swept),
      TEST(unused_version_is_swept_after_some_sweeps), TEST(what_is_shared_is_copied),
      LOOP(walk_was_misled, misled_cases), TEST(walk_of_too_many_frames),
      LOOP(changes_beyond_the_limit_are_put_together, full_cases))
