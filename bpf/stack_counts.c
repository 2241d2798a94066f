/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_counts.c - counts and records come from the kernel by two ways, and meet here
 *
 * walk_count.bpf.h says how stacks are counted. A record that comes after a turn may belong to the
 * map that was filled before it, or to the one that is filled now: or to both, if its stack was met
 * again. So it is kept until the next turn's counts have been taken, too.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "freed.h"
#include "array.h"
#include "stack_counts.h"

#define BATCH 4096

struct kept_stack {
	uint64_t turn;		   /* after which it came last */
	struct walk_record record; /* as much of it as there are frames */
};

struct wanted {
	const struct stack_counts *counts;
	const __u64 *hash;
};

static bool is_wanted(void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return !memcmp(wanted->counts->kept[number - 1]->record.hash, wanted->hash,
		       sizeof(struct walk_stack_key));
}

/* The hash is one already. */
static uint32_t *place_of(struct stack_counts *counts, const __u64 hash[2])
{
	struct wanted wanted = { counts, hash };

	return number_map_find(&counts->map, hash[0], is_wanted, &wanted);
}

static struct kept_stack *find(const struct stack_counts *counts, const __u64 hash[2])
{
	struct wanted wanted = { counts, hash };
	uint32_t number = number_map_get(&counts->map, hash[0], is_wanted, &wanted);

	return number ? counts->kept[number - 1] : NULL;
}

/* The array has room for it. */
static bool add(struct stack_counts *counts, struct kept_stack *kept)
{
	uint32_t *number = place_of(counts, kept->record.hash);

	if (!number)
		return false;
	counts->kept[counts->kept_count] = kept;
	*number = ++counts->kept_count;
	return true;
}

int stack_counts_keep(struct stack_counts *counts, const struct walk_record *record)
{
	size_t bytes = walk_record_bytes(record);
	struct kept_stack *kept = find(counts, record->hash);

	if (!kept) {
		kept = malloc(offsetof(struct kept_stack, record) + bytes);
		if (!kept)
			return -1;
		memcpy(&kept->record, record, bytes);
		if (!ARRAY_GROW(counts->kept, counts->kept_count) || !add(counts, kept)) {
			free(kept);
			return -1;
		}
	}
	kept->turn = counts->turns;
	return 0;
}

int stack_counts_turn(struct stack_counts *counts, struct error *error)
{
	unsigned int other = !counts->filling;
	uint32_t zero = 0;

	/* Returns when no program runs any more that had the old one. */
	if (bpf_map_update_elem(counts->counts_fd, &zero, &counts->map_fd[other], BPF_ANY))
		return error_set_errno(error, "turning to the other map of stacks");
	counts->filling = other;
	counts->turns++;
	return 0;
}

static void give(struct stack_counts *counts, const struct walk_stack_key *key,
		 const struct walk_stack_count *value, stack_count_fn fn, void *context,
		 uint64_t *unsent)
{
	struct kept_stack *kept = find(counts, key->hash);

	if (!value->count) /* no thread has come back with it */
		return;
	if (kept)
		fn(context, &kept->record, value);
	else
		*unsent += value->count;
}

/* Those that came before the last turn. Where a stack may be counted later, those before the turn before that: a thread
 * that was not off its CPU when stack_counts_look_off() asked may have been so, and be back, at the next turn. A map
 * forgets nothing: the others get a new one. */
static void sweep(struct stack_counts *counts)
{
	uint32_t count = counts->kept_count;

	counts->kept_count = 0;
	number_map_deinit(&counts->map);
	for (uint32_t i = 0; i < count; i++)
		if (counts->kept[i]->turn + counts->off_cpu < counts->turns ||
		    !add(counts, counts->kept[i]))
			free(counts->kept[i]);
}

int stack_counts_take(struct stack_counts *counts, stack_count_fn fn, void *context,
		      uint64_t *ret_unsent, struct error *error)
{
	FREED struct walk_stack_count *value = calloc(BATCH, sizeof(*value));
	FREED struct walk_stack_key *key = calloc(BATCH, sizeof(*key));
	int fd = counts->map_fd[!counts->filling], status = 0;
	uint32_t batch, *from = NULL, count;
	bool end = false;

	*ret_unsent = 0;
	if (!key || !value)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	while (!status && !end) {
		count = BATCH;
		if (bpf_map_lookup_and_delete_batch(fd, from, &batch, key, value, &count, NULL)) {
			end = errno == ENOENT;
			if (!end)
				status = error_set_errno(error, "taking the counted stacks");
		}
		for (uint32_t i = 0; !status && i < count; i++)
			give(counts, &key[i], &value[i], fn, context, ret_unsent);
		from = &batch;
	}
	if (!status)
		sweep(counts);
	return status;
}

static void give_off(struct stack_counts *counts, const struct walk_off_thread *thread,
		     stack_off_fn fn, void *context, uint64_t *unsent)
{
	struct kept_stack *kept = find(counts, thread->key.hash);

	if (!thread->since)
		return;
	if (!kept) {
		++*unsent;
		return;
	}
	kept->turn = counts->turns;
	fn(context, &kept->record, thread);
}

int stack_counts_look_off(struct stack_counts *counts, stack_off_fn fn, void *context,
			  uint64_t *ret_unsent, struct error *error)
{
	FREED struct walk_off_thread *thread = calloc(BATCH, sizeof(*thread));
	FREED uint64_t *key = calloc(BATCH, sizeof(*key));
	uint32_t batch, *from = NULL, count;
	int status = 0;
	bool end = false;

	*ret_unsent = 0;
	if (!key || !thread)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for threads");
	while (!status && !end) {
		count = BATCH;
		if (bpf_map_lookup_batch(counts->off_fd, from, &batch, key, thread, &count, NULL)) {
			end = errno == ENOENT;
			if (!end)
				status = error_set_errno(error, "reading threads off their CPUs");
		}
		for (uint32_t i = 0; !status && i < count; i++)
			give_off(counts, &thread[i], fn, context, ret_unsent);
		from = &batch;
	}
	return status;
}

void stack_counts_deinit(struct stack_counts *counts)
{
	while (counts->kept_count)
		free(counts->kept[--counts->kept_count]);
	free(counts->kept);
	counts->kept = NULL;
	number_map_deinit(&counts->map);
}
