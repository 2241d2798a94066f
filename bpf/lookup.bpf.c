/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * lookup.bpf.c - is a look-up in the compact table as fast as one in plain sorted rows?
 *
 * For `bench lookup_bpf_*`; nothing else loads it. Three programs do the same rounds: take a PC
 * from the task, look it up, note the rule's number and add up the rules' contents.
 *
 *	lookup_table	find_rule.h's look-up, in the walk's own arrays
 *	lookup_plain	the same PCs in plain sorted rows
 *	lookup_none	no look-up: what the rounds themselves take
 *
 * Plain rows are what peers have: one row for every stretch of one rule, 4 bytes each, sorted; the
 * number of a page's first row; a binary search in the page. They are given all that could be given
 * to them: arrays of chunks like those of the walk, so that a look-up takes as many map accesses as
 * it must and no more, and the same search without branches. What they lack is only the step from
 * an entry to a shape's row, which is the price of the compact table.
 *
 * The programs are run by BPF_PROG_TEST_RUN, which raw tracepoints have since Linux 5.10, and go
 * round by bpf_loop (5.17).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "walk_maps.bpf.h"
#include "find_rule.h" /* needs what walk_maps.bpf.h has */
#include "lookup.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lookup_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_page_chunk);
} plain_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_entry_chunk);
} plain_rows SEC(".maps");

/* ---- plain rows ------------------------------------------------------------------------- */

static __always_inline unsigned int find_plain_number(const struct walk_chunks *chunks,
						      const struct walk_mapping *mapping, __u64 pc,
						      __u32 *ret)
{
	const struct walk_page_chunk *page_chunk = chunks->pages;
	const struct walk_entry_chunk *rows = chunks->entries;
	__u32 first, count, chunk;
	__u64 page, at;

	page = (pc - mapping->start) >> TABLE_PAGE_SHIFT;
	if (page >= mapping->page_count)
		return STOP_NO_ROW;
	page += mapping->first_page & (WALK_CHUNK_PAGES - 1);
	if (page >= WALK_CHUNK_PAGES) {
		chunk = ((mapping->first_page & ~(WALK_CHUNK_PAGES - 1)) + page) >> WALK_PAGE_SHIFT;
		page_chunk = bpf_map_lookup_elem(&plain_pages, &chunk);
		if (!page_chunk)
			return STOP_BAD_TABLE;
		page &= WALK_CHUNK_PAGES - 1;
	}
	first = page_chunk->page[page + 1];
	count = page_chunk->page[page + 2] - first;
	if ((first ^ mapping->first_entry) >> WALK_ENTRY_SHIFT) {
		chunk = first >> WALK_ENTRY_SHIFT;
		rows = bpf_map_lookup_elem(&plain_rows, &chunk);
		if (!rows)
			return STOP_BAD_TABLE;
	}
	if (count > TABLE_PAGE_SIZE)
		return STOP_BAD_TABLE;
	at = find_entry(rows, first, count, pc & (TABLE_PAGE_SIZE - 1));
	*ret = rows->entry[at] & (LOOKUP_PLAIN_RULE_MAX - 1);
	return STOP_NONE;
}

/* As find_rule(). */
static __always_inline unsigned int find_plain(const struct walk_chunks *chunks,
					       const struct walk_mapping *mapping, __u64 pc,
					       __u32 *ret_number, const struct table_rule **ret)
{
	unsigned int stop;
	__u32 number = 0;

	stop = find_plain_number(chunks, mapping, pc, &number);
	if (stop)
		return stop;
	if (number < TABLE_MARKER_COUNT)
		return STOP_NO_ROW + number;
	return find_numbered(0, chunks, mapping, number, ret_number, ret);
}

/* As find_chunks(). */
static __always_inline unsigned int find_plain_chunks(const struct walk_mapping *mapping,
						      struct walk_chunks *chunks)
{
	__u32 chunk = mapping->first_page >> WALK_PAGE_SHIFT;

	chunks->pages = bpf_map_lookup_elem(&plain_pages, &chunk);
	chunk = mapping->first_entry >> WALK_ENTRY_SHIFT;
	chunks->entries = bpf_map_lookup_elem(&plain_rows, &chunk);
	return chunks->pages && chunks->entries ? STOP_NONE : STOP_BAD_TABLE;
}

/* ---- rounds ----------------------------------------------------------------------------- */

struct round {
	struct lookup_task *task;
	struct walk_chunks chunks;
	__u64 contents;
};

static __always_inline __u32 round_point(const struct lookup_task *task, __u32 index)
{
	return (task->begin + index) & task->mask & (LOOKUP_POINTS - 1);
}

static __always_inline void round_end(struct round *round, __u32 point, unsigned int stop,
				      __u32 number, const struct table_rule *rule)
{
	if (!stop && rule)
		round->contents += lookup_digest(rule);
	round->task->found[point] = stop ? stop : number;
}

static long round_table(__u32 index, void *context)
{
	struct round *round = context;
	struct lookup_task *task = round->task;
	__u32 point = round_point(task, index), number = 0;
	const struct table_rule *rule = 0;
	unsigned int stop;

	stop = find_rule(0, &round->chunks, &task->table, task->table.start + task->offset[point],
			 &number, &rule);
	round_end(round, point, stop, number, rule);
	return 0;
}

static long round_plain(__u32 index, void *context)
{
	struct round *round = context;
	struct lookup_task *task = round->task;
	__u32 point = round_point(task, index), number = 0;
	const struct table_rule *rule = 0;
	unsigned int stop;

	stop = find_plain(&round->chunks, &task->plain, task->plain.start + task->offset[point],
			  &number, &rule);
	round_end(round, point, stop, number, rule);
	return 0;
}

static long round_none(__u32 index, void *context)
{
	struct round *round = context;
	struct lookup_task *task = round->task;
	__u32 point = round_point(task, index);

	round_end(round, point, 0, task->table.start + task->offset[point], 0);
	return 0;
}

static __always_inline int rounds(void *fn, int plain)
{
	struct round round = { 0 };
	__u32 zero = 0;
	__u64 begin;

	round.task = bpf_map_lookup_elem(&tasks, &zero);
	if (!round.task || find_chunks(0, &round.task->table, &round.chunks))
		return -1;
	if (plain && find_plain_chunks(&round.task->plain, &round.chunks))
		return -1;
	begin = bpf_ktime_get_ns();
	bpf_loop(round.task->rounds, fn, &round, 0);
	round.task->ns = bpf_ktime_get_ns() - begin;
	round.task->contents = round.contents;
	return 0;
}

SEC("raw_tracepoint/sys_enter")
int lookup_table(void *ctx)
{
	return rounds(round_table, 0);
}

SEC("raw_tracepoint/sys_enter")
int lookup_plain(void *ctx)
{
	return rounds(round_plain, 1);
}

SEC("raw_tracepoint/sys_enter")
int lookup_none(void *ctx)
{
	return rounds(round_none, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
