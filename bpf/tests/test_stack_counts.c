/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stack_counts.c - for how long a record is kept: until the turn after it came, and as long as
 * it comes
 *
 * The maps are made as the session makes them; who fills them is the test. Needs BPF: else a SKIP.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "stack_counts.h"

struct given {
	uint64_t calls, count, stop;
};

static void on_stack(void *context, const struct walk_record *record,
		     const struct walk_stack_count *met)
{
	struct given *given = context;

	given->calls++;
	given->count += met->count;
	ck_assert_uint_eq(met->last, 100 + met->count);
	given->stop = record->stop;
}

static bool setup(struct stack_counts *counts)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);

	memset(counts, 0, sizeof(*counts));
	for (int i = 0; i < 2; i++)
		counts->map_fd[i] = bpf_map_create(BPF_MAP_TYPE_HASH, "stacks",
						   sizeof(struct walk_stack_key),
						   sizeof(struct walk_stack_count), 64, NULL);
	if (counts->map_fd[0] < 0) {
		printf("SKIP: %s\n", strerror(errno));
		return false;
	}
	options.inner_map_fd = counts->map_fd[0];
	counts->counts_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "counts", sizeof(uint32_t),
					   sizeof(uint32_t), 1, &options);
	ck_assert_int_ge(counts->counts_fd, 0);
	return true;
}

static void teardown(struct stack_counts *counts)
{
	stack_counts_deinit(counts);
	close(counts->counts_fd);
	close(counts->map_fd[0]);
	close(counts->map_fd[1]);
}

/* As the programs do: in the map that is being filled. */
static void count_stack(const struct stack_counts *counts, uint64_t hash, uint64_t count)
{
	struct walk_stack_key key = { { hash, ~hash } };
	struct walk_stack_count value = { .count = count, .last = 100 + count, .sent = 1 };

	ck_assert(!bpf_map_update_elem(counts->map_fd[counts->filling], &key, &value, BPF_ANY));
}

static void send_record(struct stack_counts *counts, uint64_t hash, uint32_t stop)
{
	static struct walk_record record;

	record = (struct walk_record) { .hash = { hash, ~hash }, .stop = stop, .count = 1 };
	ck_assert(!stack_counts_keep(counts, &record));
}

/* Turns and takes: so many stacks with a record, and without. Between the two the ring buffer is
 * read, and may bring the record. */
static void take(struct stack_counts *counts, bool comes, uint64_t count, uint64_t wanted_unsent)
{
	struct given given = { 0 };
	struct error error;
	uint64_t unsent;

	ck_assert(!stack_counts_turn(counts, &error));
	if (comes)
		send_record(counts, 1, STOP_COMPLETE);
	ck_assert_msg(!stack_counts_take(counts, on_stack, &given, &unsent, &error), "%s",
		      error.message);
	ck_assert_msg(given.count == count && unsent == wanted_unsent,
		      "turn %lu: %lu given, %lu unsent", counts->turns, given.count, unsent);
	ck_assert(!count || given.stop == STOP_COMPLETE);
}

/* It may be of the map that was filled before the turn, or of the one that is filled now. */
START_TEST(record_is_kept_for_a_turn_more)
{
	struct stack_counts counts;

	if (!setup(&counts))
		return;
	count_stack(&counts, 1, 5);
	take(&counts, true, 5, 0);
	count_stack(&counts, 1, 6);
	take(&counts, false, 6, 0);
	count_stack(&counts, 1, 7);
	take(&counts, false, 0, 7); /* it was to be sent again */
	take(&counts, false, 0, 0);
	teardown(&counts);
}
END_TEST

START_TEST(record_that_comes_again_is_kept_on)
{
	struct stack_counts counts;

	if (!setup(&counts))
		return;
	for (int turn = 0; turn < 30; turn++) {
		count_stack(&counts, 1, 5);
		count_stack(&counts, 2, 3);	   /* never sent */
		take(&counts, turn % 3 < 2, 5, 3); /* the third time the last one has to do */
	}
	teardown(&counts);
}
END_TEST

/* ---- counted when the thread is back ------------------------------------------------------ */

static bool setup_off(struct stack_counts *counts)
{
	if (!setup(counts))
		return false;
	counts->off_cpu = true;
	counts->off_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "off", sizeof(uint64_t),
					sizeof(struct walk_off_thread), 8, NULL);
	ck_assert_int_ge(counts->off_fd, 0);
	return true;
}

static void teardown_off(struct stack_counts *counts)
{
	close(counts->off_fd);
	teardown(counts);
}

/* since 0: it is back, but could not be deleted. */
static void leave(const struct stack_counts *counts, uint64_t task, uint64_t hash, uint64_t since)
{
	struct walk_off_thread off = { .key = { { hash, ~hash } }, .since = since };

	ck_assert(!bpf_map_update_elem(counts->off_fd, &task, &off, BPF_ANY));
}

static void come_back(const struct stack_counts *counts, uint64_t task)
{
	ck_assert(!bpf_map_delete_elem(counts->off_fd, &task));
}

static void on_thread(void *context, const struct walk_record *record,
		      const struct walk_off_thread *thread)
{
	uint64_t *since = context;

	ck_assert_uint_eq(record->hash[0], thread->key.hash[0]);
	*since += thread->since;
}

static void look_off(struct stack_counts *counts, uint64_t since, uint64_t wanted_unsent)
{
	uint64_t unsent, sum = 0;
	struct error error;

	ck_assert_msg(!stack_counts_look_off(counts, on_thread, &sum, &unsent, &error), "%s",
		      error.message);
	ck_assert_uint_eq(sum, since);
	ck_assert_uint_eq(unsent, wanted_unsent);
}

START_TEST(record_is_kept_while_its_thread_is_off)
{
	struct stack_counts counts;

	if (!setup_off(&counts))
		return;
	send_record(&counts, 1, STOP_COMPLETE);
	count_stack(&counts, 1, 0); /* nobody has come back with it */
	leave(&counts, 7, 1, 50);
	for (int turn = 0; turn < 10; turn++) {
		look_off(&counts, 50, 0);
		take(&counts, false, 0, 0);
	}
	come_back(&counts, 7);
	count_stack(&counts, 1, 1);
	look_off(&counts, 0, 0);
	take(&counts, false, 1, 0);
	take(&counts, false, 0, 0);
	count_stack(&counts, 1, 1);
	take(&counts, false, 0, 1); /* now it had to be sent again */
	teardown_off(&counts);
}
END_TEST

/* It leaves behind the look, so only its record's age speaks for it; and it is back behind the turn. */
START_TEST(thread_that_leaves_before_a_turn_and_is_back_behind_it)
{
	struct stack_counts counts;

	if (!setup_off(&counts))
		return;
	look_off(&counts, 0, 0);
	send_record(&counts, 1, STOP_COMPLETE);
	leave(&counts, 7, 1, 50);
	take(&counts, false, 0, 0);
	come_back(&counts, 7);
	count_stack(&counts, 1, 3);
	look_off(&counts, 0, 0);
	take(&counts, false, 3, 0);
	teardown_off(&counts);
}
END_TEST

START_TEST(threads_that_are_off)
{
	struct stack_counts counts;

	if (!setup_off(&counts))
		return;
	send_record(&counts, 1, STOP_COMPLETE);
	leave(&counts, 7, 1, 50);
	leave(&counts, 8, 1, 70);
	leave(&counts, 9, 2, 90); /* its record never came */
	leave(&counts, 10, 1, 0);
	look_off(&counts, 120, 1);
	teardown_off(&counts);
}
END_TEST

SUITE(stack_counts, TEST(record_is_kept_for_a_turn_more), TEST(record_that_comes_again_is_kept_on),
      TEST(record_is_kept_while_its_thread_is_off),
      TEST(thread_that_leaves_before_a_turn_and_is_back_behind_it), TEST(threads_that_are_off))
