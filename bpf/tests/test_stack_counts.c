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

static void on_stack(void *context, const struct walk_record *record, uint64_t count,
		     uint64_t last_ns)
{
	struct given *given = context;

	given->calls++;
	given->count += count;
	ck_assert_uint_eq(last_ns, 100 + count);
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

SUITE(stack_counts, TEST(record_is_kept_for_a_turn_more), TEST(record_that_comes_again_is_kept_on))
