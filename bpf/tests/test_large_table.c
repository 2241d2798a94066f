/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_large_table.c - tables of more than four million rows
 *
 * Some programs are that large (a browser, a linker of all of LLVM), and peers have lost them to a
 * limit that nobody saw. So images with 4.3 million rows are made (made_image.h) in the shapes that
 * cost most: each row an entry of its own, spread over 69 MB of text or packed into 4 MB; and each
 * row a rule of its own, more than a table can number. Every row must be in the table or flagged;
 * the session takes the table, or says that it has no room and keeps what it had; look-ups in the
 * kernel say what table_find() says; and stacks through the first, the middle and the last row are
 * right.
 *
 * Needs BPF, as test_session.c.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include "tests/suite.h"
#include "lookup.skel.h"
#include "made_image.h"
#include "placement.h"
#include "lookup.h" /* needs what placement.h has */
#include "session_fixture.h"

#define ROWS	       4300000u
#define RULES_MAX      (TABLE_NUMBER_MAX - TABLE_MARKER_COUNT) /* of one table */
#define NO_TAIL_CALL() __asm__ volatile("")

/* How the rows lie. */
static const struct large_kind {
	uint32_t pitch, rules;
} kinds[] = { { 16, 3000 }, { 1, 900 }, { 1, 0 } };

enum { SPREAD, PACKED, OF_ITS_OWN };

static const struct large_case {
	const char *name;
	int kind;
	uint32_t through[3]; /* rows whose frames are on the stack, the outermost first */
	enum stop_reason stop;
	uint32_t frames_in_image; /* that the walk finds */
} cases[] = {
	{ "an_entry_for_each_row", SPREAD, { 0, ROWS / 2, ROWS - 1 }, STOP_COMPLETE, 3 },
	{ "rows_at_every_byte", PACKED, { 0, ROWS / 2, ROWS - 1 }, STOP_COMPLETE, 3 },
	/* The largest frame that can be numbered has 4 MB. */
	{ "a_rule_for_each_row",
	  OF_ITS_OWN,
	  { 0, RULES_MAX / 2, RULES_MAX - 1 },
	  STOP_COMPLETE,
	  3 },
	{ "a_row_without_a_number",
	  OF_ITS_OWN,
	  { 0, RULES_MAX / 2, RULES_MAX + 100 },
	  STOP_TOO_MANY_RULES,
	  1 },
};

/* Made once for all tests of a kind: they fork. */
struct large {
	const struct large_kind *kind;
	struct made_image image;
	struct image_store *store;
	struct address_space space;
	const struct mapping *mapping;
};

static struct large large;

static void large_init(int kind)
{
	struct error error;

	large = (struct large) {
		.kind = &kinds[kind],
		.image = { .rows = ROWS, .pitch = kinds[kind].pitch, .rules = kinds[kind].rules }
	};
	made_image_init(&large.image);
	large.store = image_store_create();
	ck_assert(!address_space_read(&large.space, large.store, getpid(), &error));
	large.mapping = address_space_find(&large.space, (uint64_t)large.image.mapped);
	ck_assert(large.mapping && large.mapping->entry);
}

static void large_deinit(void)
{
	address_space_deinit(&large.space);
	image_store_destroy(large.store);
	made_image_deinit(&large.image);
}

static const struct table *large_table(void)
{
	return large.mapping->entry->table;
}

/* ---- in the table ----------------------------------------------------------------------- */

/* Rows that the CFI says are numbered until there are no more numbers. */
static bool is_held(uint32_t row)
{
	return large.kind->rules || row < RULES_MAX;
}

/* Its rule, or the marker, from its first to its last byte. (An assertion of the library's takes
 * longer than a look-up.) */
static bool is_row_right(uint32_t row)
{
	const struct table *table = large_table();
	uint64_t vaddr = made_row_vaddr(&large.image, row);
	uint32_t rule = table_find(table, vaddr);

	if (large.image.pitch > 1 && table_find(table, vaddr + large.image.pitch - 1) != rule)
		return false;
	if (!is_held(row))
		return rule == TABLE_TOO_MANY_RULES;
	return rule >= TABLE_MARKER_COUNT && rule < table->rule_count &&
	       table->rule[rule].cfa_offset == (int32_t)made_cfa(&large.image, row);
}

static int count_row(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	uint64_t *count = context;

	*count += rule != TABLE_NO_ROW;
	return 0;
}

START_TEST(every_row_is_held_or_flagged)
{
	const struct table *table = large_table();
	uint64_t count = 0, flagged = large.kind->rules ? 0 : ROWS - RULES_MAX;

	ck_assert_uint_eq(table->cfi_row_count, ROWS);
	ck_assert_uint_eq(table->lost_fdes, 0);
	for (int marker = 0; marker < TABLE_MARKER_COUNT; marker++)
		ck_assert_uint_eq(table->lost[marker],
				  marker == TABLE_TOO_MANY_RULES ? flagged : 0);
	for (uint32_t row = 0; row < ROWS; row++)
		if (!is_row_right(row))
			ck_abort_msg("row %u", row);
	ck_assert(!table_rows(table, count_row, &count));
	ck_assert_uint_eq(count, flagged ? RULES_MAX + 1 : ROWS); /* one stretch of the marker */
	ck_assert_uint_eq(table_find(table, made_row_vaddr(&large.image, 0) - 1), TABLE_NO_ROW);
	ck_assert_uint_eq(table_find(table, made_row_vaddr(&large.image, ROWS)), TABLE_NO_ROW);
}
END_TEST

/* ---- in the kernel ---------------------------------------------------------------------- */

/* What the table needs, and at the chunks' ends as much again at most. */
static struct bpf_session_options room_for(const struct table *table)
{
	return (struct bpf_session_options) {
		.page_capacity = table->page_count + (1u << 18),
		.entry_capacity = 2 * table->entry_count + (1u << 21),
		.shape_capacity = table->shape_count + (1u << 20),
		.rule_capacity = table->rule_count + (1u << 16),
	};
}

/* The functions that the child calls through, busy() the last. */
static const void *call[COUNT(cases[0].through) + 1];

static __attribute__((noinline, noipa)) void call_through(void)
{
	((void (*)(const void *const *))call[0])(call);
	NO_TAIL_CALL();
}

struct seen {
	const struct large_case *c;
	uint64_t records;
};

static void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct seen *seen = context;
	uint32_t frames = seen->c->frames_in_image;

	if (record->pc[0] - (uint64_t)busy >= 256)
		return; /* on the way there */
	seen->records++;
	ck_assert_msg(record->stop == seen->c->stop && record->count > frames, "%s: %u frames, %s",
		      seen->c->name, record->count, stop_reason_name(record->stop));
	for (uint32_t i = 0; i < frames; i++) {
		uint32_t row = seen->c->through[COUNT(seen->c->through) - 1 - i];

		ck_assert_msg(record->pc[i + 1] ==
				      made_row_vaddr(&large.image, row) + 1 + large.mapping->bias,
			      "%s: frame %u 0x%llx", seen->c->name, i + 1, record->pc[i + 1]);
	}
	if (record->stop == STOP_COMPLETE)
		ck_assert_uint_lt(record->pc[frames + 1] - (uint64_t)call_through, 256);
	else
		ck_assert_uint_eq(record->count, frames + 1);
}

/* Walks the child until there are some stacks of busy(). */
static void sample_child(struct bpf_session *session, pid_t pid, struct seen *seen)
{
	struct error error;

	if (bpf_session_attach_samples(session, pid, -1, 499, &error)) {
		printf("SKIP: %s\n", error.message);
		return;
	}
	for (uint64_t until = patience(); seen->records < 20 && waits(until, 20);)
		ck_assert(!bpf_session_consume(session, on_record, seen, &error));
	bpf_session_detach(session);
	ck_assert_uint_ge(seen->records, 20);
}

static struct bpf_session *open_session(const struct bpf_session_options *options)
{
	struct bpf_session *session;
	struct error error;

	if (!bpf_session_open(options, &session, &error))
		return session;
	ck_assert_msg(error.code == ERROR_UNAVAILABLE, "%s", error.message);
	printf("SKIP: %s\n", error.message);
	return NULL;
}

START_TEST(stacks_through_rows_far_apart)
{
	struct bpf_session_options options = room_for(large_table());
	struct seen seen = { .c = &cases[_i / COUNT(methods)] };
	struct bpf_session *session;
	struct error error;

	for (int i = 0; i < COUNT(seen.c->through); i++)
		call[i] = made_image_call(&large.image, seen.c->through[i]);
	call[COUNT(seen.c->through)] = busy;
	options.method = methods[_i % COUNT(methods)].method;
	session = open_session(&options);
	if (!session)
		return;
	pid_t pid = large.space.pid = fork_child(call_through);
	ck_assert_msg(!bpf_session_set_process(session, &large.space, &error), "%s: %s",
		      seen.c->name, error.message);
	sample_child(session, pid, &seen);
	end_child(pid);
	bpf_session_close(session);
}
END_TEST

/* A session without room says which array it was, and goes on with what the process had before. */
static const struct {
	const char *name;
	int kind;
	struct bpf_session_options less;
	const char *says;
} full_cases[] = {
	{ "entries", SPREAD, { .page_capacity = 1u << 20, .shape_capacity = 1u << 21 }, "entries" },
	{ "rules",
	  OF_ITS_OWN,
	  { .entry_capacity = 1u << 24, .shape_capacity = 1u << 21 },
	  "rules" },
};

START_TEST(a_table_without_room_is_refused_and_nothing_is_lost)
{
	const struct large_case without = { .name = full_cases[_i].name, .stop = STOP_COMPLETE };
	struct bpf_session *session = open_session(&full_cases[_i].less);
	struct mapping *mapping = &large.space.mapping[large.mapping - large.space.mapping];
	struct image_entry *entry = mapping->entry;
	struct seen seen = { .c = &without };
	struct error error;

	if (!session)
		return;
	call[0] = busy;
	pid_t pid = large.space.pid = fork_child(call_through);
	mapping->entry = NULL;
	ck_assert_msg(!bpf_session_set_process(session, &large.space, &error), "%s", error.message);
	mapping->entry = entry;
	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(bpf_session_set_process(session, &large.space, &error), -1);
		ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
		ck_assert_msg(strstr(error.message, full_cases[_i].says) &&
				      strstr(error.message, large.image.path),
			      "%s", error.message);
	}
	sample_child(session, pid, &seen);
	end_child(pid);
	bpf_session_close(session);
}
END_TEST

/* ---- look-ups --------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % below;
}

static int ignore_message(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return 0;
}

/* lookup.bpf.c with the walk's arrays, so large that the table fits. NULL: not on this kernel. */
static struct lookup_bpf *load_lookup(const struct table *table, struct placement *placement,
				      struct bpf_map *map[PLACEMENT_COUNT])
{
	const struct bpf_session_options room = room_for(table);
	struct lookup_bpf *bpf = lookup_bpf__open();
	const uint32_t capacity[PLACEMENT_COUNT] = { room.page_capacity, room.entry_capacity,
						     room.shape_capacity, room.rule_capacity, 1 };
	int status;

	ck_assert_ptr_nonnull(bpf);
	map[PLACEMENT_PAGES] = bpf->maps.pages;
	map[PLACEMENT_ENTRIES] = bpf->maps.entries;
	map[PLACEMENT_SHAPES] = bpf->maps.shapes;
	map[PLACEMENT_RULES] = bpf->maps.rules;
	map[PLACEMENT_PLACES] = bpf->maps.places;
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
		placement->array[kind].capacity = capacity[kind];
		bpf_map__set_max_entries(map[kind], placement_values(kind, capacity[kind]));
	}
	libbpf_set_print(ignore_message);
	status = lookup_bpf__load(bpf);
	if (!status)
		return bpf;
	printf("SKIP: loading the BPF look-up: %s\n", strerror(-status));
	lookup_bpf__destroy(bpf);
	return NULL;
}

static void *map_memory(const struct bpf_map *map, size_t *ret_bytes)
{
	size_t bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	void *memory;

	*ret_bytes = (bytes + MADE_PAGE - 1) & ~(size_t)(MADE_PAGE - 1);
	memory = mmap(NULL, *ret_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

/* First rows, the middle's, the last ones and what is behind them; then any. */
static void choose_points(struct lookup_task *task)
{
	const uint32_t begin[] = { 0, ROWS / 2, ROWS - 256, RULES_MAX - 128 };
	uint32_t row;

	for (uint32_t i = 0; i < LOOKUP_POINTS; i++) {
		row = i < 256 * COUNT(begin) ? begin[i / 256] + i % 256 : draw(ROWS + 1);
		task->offset[i] = made_row_vaddr(&large.image, row) - large.image.text_vaddr +
				  draw(large.image.pitch);
	}
}

START_TEST(look_ups_in_the_kernel_say_what_the_table_says)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	struct placement placement = { 0 };
	struct bpf_map *map[PLACEMENT_COUNT];
	size_t bytes[PLACEMENT_COUNT], task_bytes;
	const struct table *table = large_table();
	struct lookup_bpf *bpf = load_lookup(table, &placement, map);
	struct error error;

	if (!bpf)
		return;
	random_state = 1;
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		placement.array[kind].memory = map_memory(map[kind], &bytes[kind]);
	struct lookup_task *task = map_memory(bpf->maps.tasks, &task_bytes);
	ck_assert(mapping_for_walk(large.mapping, 0, &task->table));
	ck_assert_msg(!placement_add(&placement, large.mapping->entry, &task->table, &error), "%s",
		      error.message);
	choose_points(task);
	task->mask = LOOKUP_POINTS - 1;
	task->rounds = LOOKUP_POINTS;
	ck_assert(!bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.lookup_table), &run));
	ck_assert_int_eq(run.retval, 0);
	for (uint32_t i = 0; i < LOOKUP_POINTS; i++) {
		uint32_t rule = table_find(table, large.image.text_vaddr + task->offset[i]);
		uint32_t expect = rule < TABLE_MARKER_COUNT ? STOP_NO_ROW + rule : rule;

		if (task->found[i] != expect)
			ck_abort_msg("+0x%x: %u, the table says %u", task->offset[i],
				     task->found[i], expect);
	}
	munmap(task, task_bytes);
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		munmap(placement.array[kind].memory, bytes[kind]);
	placement_deinit(&placement);
	lookup_bpf__destroy(bpf);
}
END_TEST

/* Run in the process that forks the tests. */
static void init_spread(void)
{
	large_init(SPREAD);
}

static void init_packed(void)
{
	large_init(PACKED);
}

static void init_of_its_own(void)
{
	large_init(OF_ITS_OWN);
}

static void add_kind(Suite *suite, const char *name, int kind, SFun init)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, PATIENCE_TIMEOUT_S);
	tcase_add_unchecked_fixture(tcase, init, large_deinit);
	tcase_add_test(tcase, every_row_is_held_or_flagged);
	tcase_add_test(tcase, look_ups_in_the_kernel_say_what_the_table_says);
	for (int i = 0; i < COUNT(cases); i++)
		if (cases[i].kind == kind)
			tcase_add_loop_test(tcase, stacks_through_rows_far_apart,
					    i * COUNT(methods), (i + 1) * COUNT(methods));
	for (int i = 0; i < COUNT(full_cases); i++)
		if (full_cases[i].kind == kind)
			tcase_add_loop_test(tcase,
					    a_table_without_room_is_refused_and_nothing_is_lost, i,
					    i + 1);
	suite_add_tcase(suite, tcase);
}

SUITE_MAIN(large_table)
{
	Suite *suite = suite_create("large_table");

	add_kind(suite, "spread", SPREAD, init_spread);
	add_kind(suite, "packed", PACKED, init_packed);
	add_kind(suite, "of_its_own", OF_ITS_OWN, init_of_its_own);
	return suite_run(suite);
}
