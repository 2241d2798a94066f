/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plain_rows.c - the look-up in plain rows, which the walk's own is timed against, is right
 *
 * A look-up that finds the wrong rule may well be fast. Rows are made at random, in room that
 * begins and ends in a chunk of pages or of rows, and each point is held against a search from the
 * first row on. Needs BPF: where there is none a test says SKIP with the reason and passes.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/suite.h"
#include "lookup.skel.h"
#include "placement.c"
#include "lookup.h" /* needs what placement.h has */

#define PAGES	 64
#define ROWS_MAX (PAGES * 90)
#define START	 0x7f0000000000ull
#define RULES	 WALK_CHUNK_RULES

struct rows {
	uint32_t page[PAGES + 1], entry[ROWS_MAX];
	uint64_t at[ROWS_MAX]; /* from START on */
	uint32_t rule[ROWS_MAX];
	uint32_t count;
};

static uint32_t draw(uint32_t below)
{
	static unsigned int seed = 1;

	return (uint32_t)rand_r(&seed) % below;
}

/* Pages without a row, too; the first row is the first page's first byte. */
static void make_rows(struct rows *rows)
{
	rows->count = 0;
	for (uint32_t page = 0; page < PAGES; page++) {
		uint32_t step = 1 + draw(200), offset = page ? draw(step) : 0;
		uint32_t most = page && draw(3) == 0 ? 0 : 1 + draw(90);

		rows->page[page] = rows->count;
		for (; most-- && offset < TABLE_PAGE_SIZE; offset += 1 + draw(step)) {
			uint32_t rule = draw(8) ? 100 + draw(RULES - 100)
						: draw(TABLE_MARKER_COUNT);

			rows->entry[rows->count] = offset << LOOKUP_PLAIN_RULE_BITS | rule;
			rows->at[rows->count] = page * TABLE_PAGE_SIZE + offset;
			rows->rule[rows->count++] = rule;
		}
	}
	rows->page[PAGES] = rows->count;
}

static uint32_t expected(const struct rows *rows, uint64_t at)
{
	uint32_t rule = rows->rule[0];

	if (at >= PAGES * TABLE_PAGE_SIZE)
		return STOP_NO_ROW;
	for (uint32_t i = 0; i < rows->count && rows->at[i] <= at; i++)
		rule = rows->rule[i];
	return rule < TABLE_MARKER_COUNT ? STOP_NO_ROW + rule : rule;
}

static int ignore_message(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return 0;
}

static void *map_memory(const struct bpf_map *map, size_t *ret_bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	void *memory;

	*ret_bytes = (bytes + page - 1) & ~(page - 1);
	memory = mmap(NULL, *ret_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

/* NULL: not on this kernel. */
static struct lookup_bpf *load(void)
{
	struct lookup_bpf *bpf = lookup_bpf__open();
	int status;

	ck_assert_ptr_nonnull(bpf);
	bpf_map__set_max_entries(bpf->maps.plain_pages, 2);
	bpf_map__set_max_entries(bpf->maps.plain_rows, 2);
	libbpf_set_print(ignore_message);
	status = lookup_bpf__load(bpf);
	if (!status)
		return bpf;
	/* Where the kernel has what the program needs, the program must be good. */
	ck_assert_msg(libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) !=
			      1,
		      "loading the BPF look-up: %s", strerror(-status));
	printf("SKIP: loading the BPF look-up: %s\n", strerror(-status));
	lookup_bpf__destroy(bpf);
	return NULL;
}

/* What others have of each array before the rows come. */
static const struct {
	const char *name;
	uint32_t pages, entries;
} others[] = {
	{ "in the first chunks", 0, 0 },
	{ "behind others", 1000, 5000 },
	{ "in two chunks of pages", WALK_CHUNK_PAGES - PAGES / 2, 700 },
	{ "a page before the next chunk", WALK_CHUNK_PAGES - 1, 0 },
	{ "in two chunks of rows", 20, WALK_CHUNK_ENTRIES - 900 },
	{ "in the second chunks", WALK_CHUNK_PAGES, WALK_CHUNK_ENTRIES },
	{ "in two chunks of each", WALK_CHUNK_PAGES - 10, WALK_CHUNK_ENTRIES - 300 },
};

static void place_rows(struct placement *placement, const struct rows *rows, int number,
		       struct walk_mapping *ret)
{
	static const struct image image = { .path = "rows" };
	struct table table = { .page = (uint32_t *)rows->page,
			       .page_count = PAGES,
			       .page_shift = TABLE_PAGE_SHIFT,
			       .entry = (uint32_t *)rows->entry,
			       .entry_count = rows->count };
	struct image_entry entry = { .image = (struct image *)&image, .table = &table };
	struct placement_array *array = placement->array;
	struct error error;

	ck_assert(!reserve(&array[PLACEMENT_PAGES], 2, &error));
	ck_assert(!reserve(&array[PLACEMENT_ENTRIES], 2, &error));
	if (others[number].pages)
		take(&array[PLACEMENT_PAGES], 0, 0, others[number].pages);
	if (others[number].entries)
		take(&array[PLACEMENT_ENTRIES], 0, 0, others[number].entries);
	*ret = (struct walk_mapping) { .start = START,
				       .end = START + PAGES * TABLE_PAGE_SIZE,
				       .page_count = PAGES,
				       .page_shift = TABLE_PAGE_SHIFT };
	ck_assert_msg(!placement_add(placement, &entry, ret, &error), "%s", error.message);
}

START_TEST(each_point_has_its_rows_rule)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	struct placement placement = { 0 };
	struct placement_array *array = placement.array;
	struct lookup_bpf *bpf = load();
	size_t pages_bytes, rows_bytes, rules_bytes, task_bytes;
	static struct rows rows;
	uint64_t contents = 0;

	if (!bpf)
		return;
	array[PLACEMENT_PAGES].capacity = 2 * WALK_CHUNK_PAGES;
	array[PLACEMENT_ENTRIES].capacity = 2 * WALK_CHUNK_ENTRIES;
	array[PLACEMENT_PAGES].memory = map_memory(bpf->maps.plain_pages, &pages_bytes);
	array[PLACEMENT_ENTRIES].memory = map_memory(bpf->maps.plain_rows, &rows_bytes);
	struct walk_rule_chunk *rules = map_memory(bpf->maps.rules, &rules_bytes);
	struct lookup_task *task = map_memory(bpf->maps.tasks, &task_bytes);
	for (uint32_t i = 0; i < RULES; i++)
		rules->rule[i].cfa_offset = i * 7 + 1;
	make_rows(&rows);
	place_rows(&placement, &rows, _i, &task->plain);
	for (uint32_t i = 0; i < LOOKUP_POINTS; i++)
		task->offset[i] = draw(PAGES * TABLE_PAGE_SIZE + 2000);
	task->mask = LOOKUP_POINTS - 1;
	task->rounds = LOOKUP_POINTS;
	ck_assert(!bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.lookup_plain), &run));
	ck_assert_int_eq(run.retval, 0);
	for (uint32_t i = 0; i < LOOKUP_POINTS; i++) {
		uint32_t expect = expected(&rows, task->offset[i]);

		ck_assert_msg(task->found[i] == expect, "%s: +0x%x: %u, not %u", others[_i].name,
			      task->offset[i], task->found[i], expect);
		if (expect >= 100) /* not a stop reason */
			contents += lookup_digest(&rules->rule[expect]);
	}
	ck_assert_uint_eq(task->contents, contents);
	munmap(task, task_bytes);
	munmap(rules, rules_bytes);
	munmap(array[PLACEMENT_PAGES].memory, pages_bytes);
	munmap(array[PLACEMENT_ENTRIES].memory, rows_bytes);
	placement_deinit(&placement);
	lookup_bpf__destroy(bpf);
}
END_TEST

SUITE(plain_rows, LOOP(each_point_has_its_rows_rule, others))
