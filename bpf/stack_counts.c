/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_counts.c - counts and records come from the kernel by two ways, and meet here
 *
 * walk_count.bpf.h says how stacks are counted. A record may be there before its count is taken, and
 * is kept until then: it may belong to the map that is being filled.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "stack_counts.h"

#define BATCH 4096

static int compare(const void *a, const void *b)
{
	return memcmp(((const struct walk_record *)a)->hash, ((const struct walk_record *)b)->hash,
		      sizeof(((const struct walk_record *)a)->hash));
}

int stack_counts_keep(struct stack_counts *counts, const struct walk_record *record)
{
	size_t bytes = offsetof(struct walk_record, pc) + record->count * sizeof(record->pc[0]);
	struct walk_record **found, *copy;

	found = tfind(record, &counts->records, compare);
	if (found) /* two CPUs sent it */
		return 0;
	copy = malloc(bytes);
	if (!copy)
		return -1;
	memcpy(copy, record, bytes);
	if (!tsearch(copy, &counts->records, compare)) {
		free(copy);
		return -1;
	}
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
	return 0;
}

static void give(struct stack_counts *counts, const struct walk_stack_key *key,
		 const struct walk_stack_count *value, stack_count_fn fn, void *context,
		 uint64_t *unsent)
{
	struct walk_record wanted, **found, *record;

	memcpy(wanted.hash, key->hash, sizeof(wanted.hash));
	found = tfind(&wanted, &counts->records, compare);
	if (!found) {
		*unsent += value->count;
		return;
	}
	record = *found;
	tdelete(record, &counts->records, compare);
	fn(context, record, value->count);
	free(record);
}

int stack_counts_take(struct stack_counts *counts, stack_count_fn fn, void *context,
		      uint64_t *ret_unsent, struct error *error)
{
	struct walk_stack_count *value = calloc(BATCH, sizeof(*value));
	struct walk_stack_key *key = calloc(BATCH, sizeof(*key));
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
	free(key);
	free(value);
	return status;
}

void stack_counts_deinit(struct stack_counts *counts)
{
	tdestroy(counts->records, free);
	counts->records = NULL;
}
