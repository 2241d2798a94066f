/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_walks.c - BPF's records in a ring that is made up, held against a thread's frames
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/emulator/plugin_walks.c"

#define RING  0x4000 /* where the agent has it: the reader's page, the writer's, and two of data */
#define PAGES 4
#define PID   70
#define SP    0x7000
#define PC    0x401000

struct watch watch;

static struct {
	uint8_t memory[PAGES][PAGE_BYTES];
	int hole; /* a page that isn't there; -1: all are */
	size_t wrong;
} world;
static struct watched_process process;
static struct watched_thread thread;

bool plugin_memory_read(uint64_t address, void *ret, size_t size)
{
	uint64_t page = address / PAGE_BYTES - RING / PAGE_BYTES;

	if (address < RING || page >= PAGES || address % PAGE_BYTES + size > PAGE_BYTES)
		return false;
	memcpy(ret, &world.memory[page][address % PAGE_BYTES], size);
	return true;
}

/* One to one. */
uint64_t guest_kernel_address(const struct guest_kernel *kernel, uint64_t cr3, uint64_t address)
{
	return world.hole >= 0 && address == RING + world.hole * PAGE_BYTES ? 0 : address;
}

struct watched_process *watch_process(pid_t pid)
{
	return pid == PID ? &process : NULL;
}

struct watched_thread *watch_thread(const struct watched_process *of, pid_t tid)
{
	return tid == PID ? &thread : NULL;
}

void watch_fail(void)
{
	ck_abort_msg("no memory");
}

void watch_report_wrong(const struct watched_thread *of, const struct walk_record *record,
			const struct stack *table, uint64_t pc)
{
	world.wrong++;
}

static const char *tell(uint64_t bytes)
{
	static struct guest_kernel kernel;

	kernel.told = (struct guest_told) { .watched = PID, .walks = RING, .walks_bytes = bytes };
	return walks_told(&kernel, 0);
}

static void setup(void)
{
	static struct shadow_frame frame[2];

	memset(&world, 0, sizeof(world));
	world.hole = -1;
	frame[0] = (struct shadow_frame) { .slot = SP + 8, .return_address = 0x400500 };
	frame[1] = (struct shadow_frame) { .slot = SP, .return_address = 0x400600 };
	thread = (struct watched_thread) { .process = &process };
	thread.steps.shadow =
		(struct shadow_stack) { .frame = frame, .count = 2, .capacity = 2, .rooted = true };
	process = (struct watched_process) { .pid = PID };
	ck_assert_ptr_null(tell(2 * PAGE_BYTES));
}

static void teardown(void)
{
	free(thread.walked);
	walks_process_empty(&process);
}

/* ---- the ring -------------------------------------------------------------------------------- */

static uint64_t *position(int page)
{
	return (uint64_t *)world.memory[page];
}

static void put(uint64_t at, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++, at++)
		world.memory[2 + at / PAGE_BYTES % 2][at % PAGE_BYTES] = ((const uint8_t *)data)[i];
}

/* Writes a record, and moves the writer's position; less: bytes that its size lacks. */
static void send_record(const struct walk_record *record, uint32_t bits, size_t less)
{
	uint32_t header[2] = { (uint32_t)(walk_record_bytes(record) - less) | bits };

	put(*position(1), header, sizeof(header));
	put(*position(1) + HEADER_BYTES, record, walk_record_bytes(record));
	*position(1) += (walk_record_bytes(record) - less + HEADER_BYTES + 7) & ~7ull;
}

static struct walk_record record_of(uint32_t count, uint32_t stop)
{
	struct walk_record ret = { .pid = PID,
				   .tid = PID,
				   .sp = SP,
				   .stop = stop,
				   .count = count,
				   .pc = { PC, 0x400600, 0x400500, 0x400400 } };

	return ret;
}

static const struct ring_case {
	const char *name;
	uint32_t pid, bits;
	size_t less;
	uint64_t at; /* the positions before */
	bool kept;
} ring_cases[] = {
	{ "record", PID, 0, 0, 0, true },
	{ "over_the_ring's_end", PID, 0, 0, 3 * PAGE_BYTES - 16, true },
	{ "over_a_page's_end", PID, 0, 0, PAGE_BYTES - 40, true },
	{ "not_written_yet", PID, BPF_RINGBUF_BUSY_BIT, 0, 0, false },
	{ "discarded", PID, BPF_RINGBUF_DISCARD_BIT, 0, 0, false },
	{ "another_process's", PID + 1, 0, 0, 0, false },
	{ "shorter_than_it_says", PID, 0, 8, 0, false },
};

START_TEST(records_are_taken)
{
	const struct ring_case *c = &ring_cases[_i];
	struct walk_record record = record_of(3, STOP_COMPLETE);

	*position(0) = *position(1) = c->at;
	ck_assert_ptr_null(tell(2 * PAGE_BYTES));
	record.pid = c->pid;
	send_record(&record, c->bits, c->less);
	walks_take();
	ck_assert_msg(!thread.walked == !c->kept, "%s", c->name);
	if (c->kept)
		ck_assert_mem_eq(thread.walked, &record, walk_record_bytes(&record));
	free(thread.walked);
	thread.walked = NULL;
	walks_take();
	ck_assert_msg(!thread.walked, "%s is taken twice", c->name);
}
END_TEST

START_TEST(ring_is_told)
{
	ck_assert_str_eq(tell(3 * PAGE_BYTES), "the agent has told nonsense of stacks");
	ck_assert_str_eq(tell(8), "the agent has told nonsense of stacks");
	ck_assert_str_eq(tell(1ull << 40), "the agent has told nonsense of stacks");
	world.hole = 3;
	ck_assert_str_eq(tell(2 * PAGE_BYTES), "a page of the stacks' ring isn't mapped");
	ck_assert(!walks_are_wanted());
	world.hole = -1;
	ck_assert_ptr_null(tell(2 * PAGE_BYTES));
	ck_assert(!walks_are_wanted()); /* a record may not fit */
	ck_assert_str_eq(tell(0), "the agent has told nonsense of stacks");
	walks_take();
}
END_TEST

/* ---- stacks ----------------------------------------------------------------------------------- */

enum told { EXACT, TABLE, ABSENT, DEPTH, WRONG, UNPROVEN, ELSEWHERE };

static const struct stack_case {
	const char *name;
	uint32_t count, stop;
	uint64_t other; /* the second frame; 0: the true one */
	uint64_t sp;	/* less where the thread is */
	bool open, between;
	enum told told;
} stack_cases[] = {
	{ "true", 3, STOP_COMPLETE, 0, 0, false, false, EXACT },
	{ "true_and_a_frame_more", 4, STOP_COMPLETE, 0, 0, false, false, WRONG },
	{ "not_to_its_end", 2, STOP_COMPLETE, 0, 0, false, false, WRONG },
	{ "true_and_not_complete", 3, STOP_BAD_TABLE, 0, 0, false, false, WRONG },
	{ "true_as_far_as_it_is_known", 4, STOP_BAD_TABLE, 0, 0, true, false, EXACT },
	{ "less_than_is_known", 2, STOP_COMPLETE, 0, 0, true, false, WRONG },
	{ "another_caller", 3, STOP_COMPLETE, 0x400700, 0, false, false, WRONG },
	{ "frames_have_just_gone", 3, STOP_COMPLETE, 0x400700, 0, false, true, UNPROVEN },
	/* No mapping is known, and so the table says. */
	{ "the_table's", 1, STOP_NO_MAPPING, 0, 0, false, false, TABLE },
	{ "of_another_place", 3, STOP_COMPLETE, 0, 8, false, false, ELSEWHERE },
	{ "without_frames", 0, STOP_NO_MAPPING, 0, 0, false, false, ELSEWHERE },
};

START_TEST(stacks_are_judged)
{
	const struct stack_case *c = &stack_cases[_i];
	const struct walk_tally *tally = &process.walks;
	struct user_regs_struct regs = { .rip = PC, .rsp = SP };
	struct walk_record record = record_of(c->count, c->stop);

	if (c->other)
		record.pc[1] = c->other;
	record.sp -= c->sp;
	thread.steps.shadow.rooted = !c->open;
	thread.steps.shadow.in_transit = c->between;
	send_record(&record, 0, 0);
	walks_take();
	walks_check(&thread, &regs);
	ck_assert_ptr_null(thread.walked);
	ck_assert_msg(tally->exact == (c->told == EXACT), "%s: exact", c->name);
	ck_assert_msg(tally->table == (c->told == TABLE), "%s: table", c->name);
	ck_assert_msg(tally->wrong == (c->told == WRONG), "%s: wrong", c->name);
	ck_assert_msg(tally->unproven == (c->told == UNPROVEN), "%s: unproven", c->name);
	ck_assert_msg(tally->elsewhere == (c->told == ELSEWHERE), "%s: elsewhere", c->name);
	ck_assert_uint_eq(tally->walked, c->told != ELSEWHERE);
	ck_assert_uint_eq(world.wrong, c->told == WRONG && walks.shown <= WALKS_SHOWN);
	walks_check(&thread, &regs); /* it is judged once */
	ck_assert_uint_eq(tally->walked, c->told != ELSEWHERE);
}
END_TEST

SUITE(plugin_walks, FIXTURE(setup, teardown), LOOP(records_are_taken, ring_cases),
      TEST(ring_is_told), LOOP(stacks_are_judged, stack_cases))
