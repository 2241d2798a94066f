/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_lookup_bpf.c - nanoseconds from a PC to its rule in BPF, against plain sorted rows
 *
 * A compact table would be no gain if the walk paid for it with time. Here the walk's own look-up
 * (find_rule.h, in arrays that placement.c fills) runs beside a look-up in the same stretches of
 * one rule kept as plain sorted rows, both in lookup.bpf.c and compiled in the same manner.
 *
 *	warm	few PCs again and again: they are in the CPU's caches, and so are its guesses
 *	random	PCs from all of the table, one after the other
 *	cold	the same, a batch at a time, the CPU's caches swept before each
 *
 * Before anything is timed both look every PC up, and both must say what table_find() says, to the
 * bytes of the rule. The sides alternate; what the rounds take without a look-up is measured in the
 * same way and taken off both.
 */
#include <assert.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench.h"
#include "lookup.skel.h"
#include "placement.h"
#include "lookup.h" /* needs what placement.h has */

/* How look-ups are timed: the points of one run, its rounds, and how many runs of each side there
 * are to a figure's run, which the least of them is: they are short, and what else the machine does
 * only ever adds to them. */
struct timing {
	uint32_t points, rounds, runs;
	bool sweep;
	const char *text;
};

static const struct timing warm = { 64, 1u << 12, 51, false, "again and again" };
static const struct timing all = { LOOKUP_POINTS, 1u << 13, 24, false, "one after the other" };
static const struct timing cold = { LOOKUP_POINTS, 1u << 9, 5, true, "caches swept" };

enum side { TABLE, PLAIN, NONE, SIDE_COUNT };

struct lookup {
	struct image *image;
	struct table *table;
	struct table plain; /* its rows as entries that hold for one rule each */
	const struct table_segment *segment;
	uint32_t *expected; /* rule numbers, or stop reasons */
	uint64_t contents;  /* the sum of the rules' digests */
	struct lookup_bpf *bpf;
	struct placement placement[SIDE_COUNT - 1];
	struct lookup_task *task;
	struct bench_sweep sweep;
};

/* ---- plain rows ------------------------------------------------------------------------- */

/* They have pages of 4 KiB, whatever the table's are. */
static uint32_t plain_pages(const struct table *table, uint32_t pages)
{
	return pages >> (TABLE_PAGE_SHIFT - table->page_shift);
}

static int add_row(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	struct lookup *lookup = context;
	const struct table_segment *segment = table_segment_find(lookup->table, pc);
	struct table *plain = &lookup->plain;
	uint32_t page;

	/* Behind a segment's pages begins the row of a next one's first addresses, or nobody's. */
	if (pc >= table_pages_end(lookup->table, segment)) {
		segment = table_segment_find(lookup->table, pc_end - 1);
		if (pc >= segment->vaddr)
			return 0;
		pc = segment->vaddr;
	}
	page = plain_pages(lookup->table, segment->first_page) +
	       ((pc - segment->vaddr) >> TABLE_PAGE_SHIFT);
	if (rule >= LOOKUP_PLAIN_RULE_MAX)
		return -1;
	if (plain->entry) {
		plain->entry[plain->entry_count] =
			(uint32_t)(pc & (TABLE_PAGE_SIZE - 1)) << LOOKUP_PLAIN_RULE_BITS | rule;
		plain->page[page + 1]++;
	}
	plain->entry_count++;
	return 0;
}

/* The stretches of one rule that the table has, as rows, by page. */
static int make_plain(struct lookup *lookup, struct error *error)
{
	struct table *plain = &lookup->plain;

	if (table_rows(lookup->table, add_row, lookup)) /* counts them */
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "too many rules for plain rows");
	plain->page_count = plain_pages(lookup->table, lookup->table->page_count);
	plain->page_shift = TABLE_PAGE_SHIFT;
	plain->page = calloc(plain->page_count + 1, sizeof(*plain->page));
	plain->entry = calloc(plain->entry_count + 1, sizeof(*plain->entry));
	if (!plain->page || !plain->entry)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	plain->entry_count = 0;
	table_rows(lookup->table, add_row, lookup);
	for (uint32_t p = 0; p < plain->page_count; p++)
		plain->page[p + 1] += plain->page[p];
	return 0;
}

/* ---- into the kernel -------------------------------------------------------------------- */

static int ignore_message(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return 0;
}

/* Where each side's tables go. The rules are the same, so the plain rows use the walk's array. */
static struct bpf_map *side_map(const struct lookup_bpf *bpf, enum side side,
				enum placement_kind kind)
{
	switch (kind) {
	case PLACEMENT_PAGES: return side == TABLE ? bpf->maps.pages : bpf->maps.plain_pages;
	case PLACEMENT_ENTRIES: return side == TABLE ? bpf->maps.entries : bpf->maps.plain_rows;
	case PLACEMENT_SHAPES: return side == TABLE ? bpf->maps.shapes : NULL;
	case PLACEMENT_RULES: return side == TABLE ? bpf->maps.rules : NULL;
	case PLACEMENT_PLACES: return side == TABLE ? bpf->maps.places : NULL;
	default: return NULL;
	}
}

/* Numbers for the table, and as many to waste as may be wasted at the chunks' ends. */
static void size_placement(struct placement *placement, const struct table *table)
{
	placement->array[PLACEMENT_PAGES].capacity = table->page_count + 1;
	placement->array[PLACEMENT_ENTRIES].capacity = 2 * table->entry_count +
						       2 * WALK_CHUNK_ENTRIES;
	placement->array[PLACEMENT_SHAPES].capacity = table->shape_count;
	placement->array[PLACEMENT_RULES].capacity = table->rule_count;
	placement->array[PLACEMENT_PLACES].capacity = table->place_count;
}

static void *map_memory(struct bpf_map *map, size_t *ret_bytes)
{
	long page = sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);

	*ret_bytes = (bytes + page - 1) & ~(size_t)(page - 1);
	return mmap(NULL, *ret_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
}

static int load(struct lookup *lookup, struct error *error)
{
	struct lookup_bpf *bpf = lookup->bpf = lookup_bpf__open();
	struct bpf_map *map;

	if (!bpf)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "opening the BPF look-up: %s",
				 strerror(errno));
	bpf_object__for_each_map(map, bpf->obj)
		bpf_map__set_autocreate(map, map == bpf->maps.tasks || bpf_map__is_internal(map));
	for (int side = TABLE; side <= PLAIN; side++) {
		size_placement(&lookup->placement[side],
			       side == TABLE ? lookup->table : &lookup->plain);
		for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
			map = side_map(bpf, side, kind);
			if (!map)
				continue;
			uint32_t values = placement_values(
				kind, lookup->placement[side].array[kind].capacity);
			bpf_map__set_autocreate(map, true);
			bpf_map__set_max_entries(map, values ? values : 1);
		}
	}
	libbpf_set_print(ignore_message);
	int status = lookup_bpf__load(bpf);
	if (status)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "loading the BPF look-up: %s",
				 strerror(-status));
	return 0;
}

/* Copies one side's table into its arrays, which stay when their memory is unmapped. */
static int place(struct lookup *lookup, enum side side, struct walk_mapping *ret,
		 struct error *error)
{
	struct placement *placement = &lookup->placement[side];
	struct image_entry entry = { .image = lookup->image,
				     .table = side == TABLE ? lookup->table : &lookup->plain };
	size_t bytes[PLACEMENT_COUNT];
	int status = 0;

	for (int kind = 0; kind < PLACEMENT_COUNT && !status; kind++) {
		struct bpf_map *map = side_map(lookup->bpf, side, kind);
		void *memory = map ? map_memory(map, &bytes[kind]) : NULL;

		if (memory == MAP_FAILED)
			status = error_set_errno(error, "mapping a BPF array");
		else
			placement->array[kind].memory = memory;
	}
	*ret = (struct walk_mapping) {
		.start = lookup->segment->vaddr,
		.end = lookup->segment->vaddr + lookup->segment->bytes,
		.first_page = lookup->segment->first_page,
		.page_count = lookup->segment->page_count,
		.page_shift = entry.table->page_shift,
	};
	if (side == PLAIN) {
		ret->first_page = plain_pages(lookup->table, ret->first_page);
		ret->page_count = plain_pages(lookup->table, ret->page_count);
	}
	if (!status)
		status = placement_add(placement, &entry, ret, error);
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		if (placement->array[kind].memory)
			munmap(placement->array[kind].memory, bytes[kind]);
	placement_deinit(placement);
	return status;
}

/* ---- points ----------------------------------------------------------------------------- */

/* PCs of one executable segment: the largest, which has nearly all of them. */
static int draw_points(struct lookup *lookup, struct error *error)
{
	struct bench_drawer drawer;
	int status = bench_drawer_init(&drawer, lookup->image, error);

	for (uint32_t i = 0, tries = 0; !status && i < LOOKUP_POINTS; tries++) {
		uint64_t vaddr = bench_draw(&drawer);

		if (tries == 16 * LOOKUP_POINTS)
			status = error_set(error, ERROR_UNAVAILABLE, "", 0, "too few addresses");
		if (table_segment_find(lookup->table, vaddr) != lookup->segment)
			continue;
		uint32_t number = table_find(lookup->table, vaddr);
		bool marker = number < TABLE_MARKER_COUNT;
		lookup->expected[i] = marker ? STOP_NO_ROW + number : number;
		if (!marker)
			lookup->contents += lookup_digest(&lookup->table->rule[number]);
		lookup->task->offset[i++] = vaddr - lookup->segment->vaddr;
	}
	bench_drawer_deinit(&drawer);
	return status;
}

static const struct table_segment *largest_segment(const struct table *table)
{
	const struct table_segment *largest = table->segment;

	for (uint32_t i = 1; i < table->segment_count; i++)
		if (table->segment[i].page_count > largest->page_count)
			largest = &table->segment[i];
	return largest;
}

/* ---- measuring -------------------------------------------------------------------------- */

static int run(struct lookup *lookup, enum side side, uint32_t begin, uint32_t points,
	       uint32_t rounds, double *ret_ns, struct error *error)
{
	const struct bpf_program *const program[SIDE_COUNT] = { lookup->bpf->progs.lookup_table,
								lookup->bpf->progs.lookup_plain,
								lookup->bpf->progs.lookup_none };
	struct lookup_task *task = lookup->task;
	LIBBPF_OPTS(bpf_test_run_opts, options);

	assert((points & (points - 1)) == 0 && points <= LOOKUP_POINTS);
	task->begin = begin;
	task->mask = points - 1;
	task->rounds = rounds;
	task->ns = 0;
	int status = bpf_prog_test_run_opts(bpf_program__fd(program[side]), &options);
	if (status || options.retval || !task->ns)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "running a BPF look-up by BPF_PROG_TEST_RUN: %s",
				 strerror(status ? -status : EINVAL));
	*ret_ns = (double)task->ns / rounds;
	return 0;
}

/* All points, by both sides. */
static int check(struct lookup *lookup, struct error *error)
{
	static const char *const name[] = { "the table", "the plain rows" };
	double ns;

	for (int side = TABLE; side <= PLAIN; side++) {
		memset(lookup->task->found, 0, sizeof(lookup->task->found));
		if (run(lookup, side, 0, LOOKUP_POINTS, LOOKUP_POINTS, &ns, error))
			return -1;
		for (uint32_t i = 0; i < LOOKUP_POINTS; i++)
			if (lookup->task->found[i] != lookup->expected[i])
				return error_set(error, ERROR_PROTOCOL, "", 0,
						 "%s in BPF: rule %u at %#llx, not %u", name[side],
						 lookup->task->found[i],
						 (unsigned long long)lookup->segment->vaddr +
							 lookup->task->offset[i],
						 lookup->expected[i]);
		if (lookup->task->contents != lookup->contents)
			return error_set(error, ERROR_PROTOCOL, "", 0,
					 "%s in BPF: the rules' contents differ", name[side]);
	}
	return 0;
}

/* Nanoseconds a look-up, of each side, in one of the figure's runs. */
static int measure(struct lookup *lookup, const struct timing *timing, unsigned int round,
		   double ret[SIDE_COUNT], struct error *error)
{
	for (unsigned int i = 0; i < timing->runs; i++)
		for (int side = 0; side < SIDE_COUNT; side++) {
			uint32_t begin = (round * timing->runs + i) * timing->rounds;
			double ns;

			if (timing->sweep)
				bench_sweep_caches(&lookup->sweep);
			if (run(lookup, side, begin, timing->points, timing->rounds, &ns, error))
				return -1;
			if (!i || ns < ret[side])
				ret[side] = ns;
		}
	return 0;
}

static int prepare(struct lookup *lookup, const char *path, const struct timing *timing,
		   struct error *error)
{
	size_t bytes;

	lookup->expected = calloc(LOOKUP_POINTS, sizeof(*lookup->expected));
	if (!lookup->expected)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (image_create(path, &lookup->image, error) ||
	    bench_build(lookup->image, &lookup->table, error))
		return -1;
	if (!lookup->table->segment_count)
		return error_set(error, ERROR_NO_CFI, "", 0, "%.200s has no rows", path);
	lookup->segment = largest_segment(lookup->table);
	if (make_plain(lookup, error) || load(lookup, error))
		return -1;
	lookup->task = map_memory(lookup->bpf->maps.tasks, &bytes);
	if (lookup->task == MAP_FAILED) {
		lookup->task = NULL;
		return error_set_errno(error, "mapping a BPF array");
	}
	if (place(lookup, TABLE, &lookup->task->table, error) ||
	    place(lookup, PLAIN, &lookup->task->plain, error) || draw_points(lookup, error) ||
	    (timing->sweep && bench_sweep_init(&lookup->sweep, error)))
		return -1;
	return check(lookup, error);
}

static void finish(struct lookup *lookup)
{
	bench_sweep_deinit(&lookup->sweep);
	if (lookup->task)
		munmap(lookup->task, sizeof(*lookup->task));
	lookup_bpf__destroy(lookup->bpf);
	free(lookup->plain.page);
	free(lookup->plain.entry);
	free(lookup->expected);
	table_destroy(lookup->table);
	image_destroy(lookup->image);
}

static int bench(const struct bench_options *options, const struct timing *timing,
		 struct bench_figure *ret, struct error *error)
{
	double ns[SIDE_COUNT][BENCH_RUNS_MAX], one[SIDE_COUNT], median[SIDE_COUNT];
	struct lookup lookup = { 0 };
	char path[4096];
	int status = -1;

	if (bench_image_find(ret->subject, path, error) || prepare(&lookup, path, timing, error))
		goto out;
	for (unsigned int i = 0; i < options->runs; i++) {
		if (measure(&lookup, timing, i, one, error))
			goto out;
		for (int side = 0; side < SIDE_COUNT; side++)
			ns[side][i] = one[side];
	}
	for (int side = 0; side < SIDE_COUNT; side++)
		median[side] = bench_median(ns[side], options->runs);
	ret->value = median[TABLE] - median[NONE];
	ret->unit = "ns/PC";
	ret->reference = "plain sorted rows, in BPF";
	ret->reference_value = median[PLAIN] - median[NONE];
	ret->ratio = ret->reference_value / ret->value;
	snprintf(ret->note, sizeof(ret->note),
		 "%u random PCs of %.300s, %s; the same rules at all %u before; %.1f ns that the "
		 "loop takes are taken off both; %u entries, %u plain rows",
		 timing->points, path, timing->text, LOOKUP_POINTS, median[NONE],
		 lookup.table->entry_count, lookup.plain.entry_count);
	status = 0;
out:
	finish(&lookup);
	return status;
}

int bench_lookup_bpf_warm(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error)
{
	return bench(options, &warm, ret, error);
}

int bench_lookup_bpf_random(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error)
{
	return bench(options, &all, ret, error);
}

int bench_lookup_bpf_cold(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error)
{
	return bench(options, &cold, ret, error);
}
