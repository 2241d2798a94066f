/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_kernel.c - page tables, rings and tasks of a guest's kernel, in memory that is made up, sound and damaged
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "made_memory.h"

static struct guest_kernel kernel;

static void setup(void)
{
	memory_clear();
	memset(&kernel, 0, sizeof(kernel));
	kernel.direct_map = DIRECT;
}

static void teardown(void)
{
	for (int i = 0; i < GUEST_RINGS_MAX; i++) {
		free(kernel.ring[i].page);
		free(kernel.ring[i].bytes);
	}
}

/* ---- page tables --------------------------------------------------------------------------- */

/* Tables at physical pages 1 (the outermost, at CR3) to 4. */
#define CR3	 (1 * PAGE_BYTES | 0x805) /* with a PCID */
#define P	 1
#define LARGE	 0x80
#define NX	 (1ull << 63)
#define ADDRESS	 (1ull << 39 | 2ull << 30 | 3ull << 21 | 4ull << 12 | 0x567)
#define TABLE(n) ((uint64_t)(n)*PAGE_BYTES | P | 0x66)

static const struct {
	const char *name;
	uint64_t entry[LEVELS]; /* of ADDRESS, the outermost table's first */
	uint64_t hole, found;	/* physical; NONE: it isn't there */
} walks[] = {
	{ "page", { TABLE(2), TABLE(3), TABLE(4), NX | TABLE(9) }, NONE, 9 * PAGE_BYTES },
	{ "page_of_a_huge_address",
	  { TABLE(2), TABLE(3), TABLE(4), 0xffffffffff000 | P },
	  NONE,
	  0xffffffffff000 },
	{ "page_with_its_PAT_bit",
	  { TABLE(2), TABLE(3), TABLE(4), TABLE(9) | LARGE },
	  NONE,
	  9 * PAGE_BYTES },
	{ "2_MiB", { TABLE(2), TABLE(3), 0x40001000 | P | LARGE }, NONE, 0x40004000 },
	{ "1_GiB", { TABLE(2), 0x80001000 | P | LARGE }, NONE, 0x80604000 },
	{ "absent_1", { TABLE(2) & ~P }, NONE, NONE },
	{ "absent_2", { TABLE(2), TABLE(3) & ~P, TABLE(4), TABLE(9) }, NONE, NONE },
	{ "absent_2_MiB", { TABLE(2), TABLE(3), 0x40000000 | LARGE }, NONE, NONE },
	{ "absent_3", { TABLE(2), TABLE(3), TABLE(4) & ~P, TABLE(9) }, NONE, NONE },
	{ "absent_4", { TABLE(2), TABLE(3), TABLE(4), TABLE(9) & ~P }, NONE, NONE },
	{ "unreadable", { TABLE(2), TABLE(3), TABLE(4), TABLE(9) }, 3, NONE },
	{ "beyond_memory", { TABLE(2), TABLE(3), TABLE(PAGES), TABLE(9) }, NONE, NONE },
};

START_TEST(page_is_found)
{
	static const uint64_t index[LEVELS] = { 1, 2, 3, 4 };
	uint64_t found = walks[_i].found == NONE ? 0 : DIRECT + walks[_i].found, got;

	for (int level = 0; level < LEVELS; level++)
		put((level + 1) * PAGE_BYTES + index[level] * 8, walks[_i].entry[level]);
	hole = walks[_i].hole;
	got = guest_kernel_address(&kernel, CR3, ADDRESS);
	ck_assert_msg(got == found, "%s: %" PRIx64, walks[_i].name, got);
}
END_TEST

/* ---- what is told, and its rings ------------------------------------------------------------ */

#define RING	   (2 * PAGE_BYTES)
#define RING_AT	   (5ull << 12) /* where the agent has it; its three pages are: */
#define HEAD_PAGE  10
#define DATA_PAGE1 12
#define DATA_PAGE2 11
#define TOLD_AT	   (20 * PAGE_BYTES)
#define BASE_AT	   (21 * PAGE_BYTES + 8) /* page_offset_base */

static struct guest_told sound(void)
{
	return (struct guest_told) { .bytes = sizeof(struct guest_told),
				     .page_offset_base = DIRECT + BASE_AT,
				     .rings = 1,
				     .ring_bytes = RING,
				     .ring = { RING_AT } };
}

static const char *tell(const struct guest_told *told)
{
	static const uint64_t page[] = { HEAD_PAGE, DATA_PAGE1, DATA_PAGE2 };

	memcpy(memory + TOLD_AT, told, sizeof(*told));
	put(BASE_AT, DIRECT);
	put(1 * PAGE_BYTES, TABLE(2));
	put(2 * PAGE_BYTES, TABLE(3));
	put(3 * PAGE_BYTES, TABLE(4));
	for (int i = 0; i < COUNT(page); i++)
		put(4 * PAGE_BYTES + (5 + i) * 8, TABLE(page[i]));
	return guest_kernel_told(&kernel, DIRECT + TOLD_AT, CR3);
}

static void set_head(uint64_t head)
{
	put(HEAD_PAGE * PAGE_BYTES + offsetof(struct perf_event_mmap_page, data_head), head);
}

#define TOLD(member) offsetof(struct guest_told, member), sizeof(((struct guest_told *)0)->member)
#define NONSENSE     "the agent has told nonsense"
#define NOT_MAPPED   "a page of a ring isn't mapped"

static const struct {
	const char *name;
	size_t at, size; /* the member that is not as it should be */
	uint64_t value, hole;
	const char *said;
} tellings[] = {
	{ "sound", TOLD(rings), 1, NONE, NULL },
	{ "no_rings", TOLD(rings), 0, NONE, NULL },
	{ "unreadable", TOLD(rings), 1, 20, "the agent is of another build" },
	{ "other_size", TOLD(bytes), sizeof(struct guest_told) + 8, NONE,
	  "the agent is of another build" },
	{ "too_many_rings", TOLD(rings), GUEST_RINGS_MAX + 1, NONE, NONSENSE },
	{ "no_bytes", TOLD(ring_bytes), 0, NONE, NONSENSE },
	{ "less_than_a_page", TOLD(ring_bytes), 2048, NONE, NONSENSE },
	{ "no_power_of_two", TOLD(ring_bytes), 3 * PAGE_BYTES, NONE, NONSENSE },
	{ "a_large_ring", TOLD(ring_bytes), 2 * RING_BYTES_MAX, NONE, NONSENSE },
	{ "a_release_without_end", TOLD(release), -1, NONE, NONSENSE },
	{ "largest_node", TOLD(layout.range_count), MAPLE_CHILDREN_MAX, NONE, NULL },
	{ "a_node_s_children", TOLD(layout.range_count), MAPLE_CHILDREN_MAX + 1, NONE, NONSENSE },
	{ "the_other_s_children", TOLD(layout.arange_count), UINT32_MAX, NONE, NONSENSE },
	{ "no_direct_map", TOLD(page_offset_base), 0x1000, NONE,
	  "the kernel's memory can't be read (page table isolation: boot with nopti)" },
	{ "not_mapped", TOLD(ring[0]), RING_AT + PAGE_BYTES, NONE, NOT_MAPPED },
	{ "far_away", TOLD(ring[0]), -PAGE_BYTES, NONE, NOT_MAPPED },
	{ "head_unreadable", TOLD(rings), 1, HEAD_PAGE, "a ring can't be read" },
};

/* Whatever was told, there are never more rings than there is room for. */
START_TEST(told_is_checked)
{
	struct guest_told told = sound();
	const char *said;

	for (size_t i = 0; i < tellings[_i].size; i++)
		((uint8_t *)&told)[tellings[_i].at + i] = (uint8_t)(tellings[_i].value >>
								    (i < 8 ? i * 8 : 56));
	hole = tellings[_i].hole;
	said = tell(&told);
	ck_assert_msg(said && tellings[_i].said ? !strcmp(said, tellings[_i].said)
						: said == tellings[_i].said,
		      "%s: %s", tellings[_i].name, said ? said : "nothing");
	ck_assert_uint_le(kernel.told.rings, GUEST_RINGS_MAX);
	ck_assert_uint_lt(reads, 100);
}
END_TEST

static uint8_t byte_at(uint64_t within)
{
	return (uint8_t)(within * 7 + within / PAGE_BYTES);
}

static const struct {
	const char *name;
	uint64_t told, head, hole;
	bool unread;
	uint64_t taken; /* up to which; it may be read */
} fills[] = {
	{ "nothing_new", 64, 64, NONE, false, 64 },
	{ "one_record", 64, 104, NONE, false, 104 },
	{ "over_a_page_s_end", PAGE_BYTES - 8, PAGE_BYTES + 8, NONE, false, PAGE_BYTES + 8 },
	{ "up_to_the_end", RING - 40, RING, NONE, false, RING },
	{ "wraps", RING - 16, RING + 24, NONE, false, RING + 24 },
	{ "wraps_later", 9 * RING - 16, 9 * RING + 24, NONE, false, 9 * RING + 24 },
	{ "as_much_as_fits", 80, 80 + RING, NONE, false, 80 + RING },
	{ "position_wraps", -16ull, 24, NONE, false, 24 },
	{ "more_than_fits_is_lost", 80, 88 + RING, NONE, true, 88 + RING },
	{ "backwards_is_lost", 80, 72, NONE, true, 72 },
	{ "unreadable_data_stay", 64, 104, DATA_PAGE1, true, 64 },
	{ "unreadable_page_behind", PAGE_BYTES - 8, PAGE_BYTES + 8, DATA_PAGE2, true,
	  PAGE_BYTES - 8 },
	{ "unreadable_head", 64, 104, HEAD_PAGE, true, 64 },
};

START_TEST(ring_is_copied)
{
	struct guest_told told = sound();
	struct guest_ring *ring = &kernel.ring[0];
	uint64_t at;

	set_head(fills[_i].told);
	ck_assert_ptr_null(tell(&told));
	ck_assert_uint_eq(ring->copy.tail, fills[_i].told);
	for (at = 0; at < RING; at++)
		memory[(at < PAGE_BYTES ? DATA_PAGE1 : DATA_PAGE2 - 1) * PAGE_BYTES + at] =
			byte_at(at);
	set_head(fills[_i].head);
	hole = fills[_i].hole;
	ck_assert_msg(guest_ring_fill(&kernel, ring) == !fills[_i].unread, "%s", fills[_i].name);
	ck_assert_msg(ring->head == fills[_i].taken, "%s: %" PRIu64, fills[_i].name, ring->head);
	ck_assert_uint_eq(ring->copy.tail, fills[_i].unread ? ring->head : fills[_i].told);
	for (at = ring->copy.tail; at != ring->head; at++)
		ck_assert_msg(ring->bytes[at % RING] == byte_at(at % RING), "%s: byte %" PRIu64,
			      fills[_i].name, at);
	set_head(ring->head); /* and it goes on */
	hole = NONE;
	ck_assert(guest_ring_fill(&kernel, ring));
}
END_TEST

/* ---- tasks ----------------------------------------------------------------------------------- */

#define GS   (DIRECT + 0x100) /* with the pointer to the task at 0x20 behind it */
#define TASK (DIRECT + 1 * PAGE_BYTES)

static const struct {
	const char *name;
	uint64_t task, hole;
	bool found;
} tasks[] = {
	{ "runs", TASK, NONE, true },
	{ "pointer_unreadable", TASK, 0, false },
	{ "task_unreadable", TASK, 1, false },
	{ "number_unreadable", TASK + PAGE_BYTES - 12, 2, false },
};

START_TEST(task_is_found)
{
	struct guest_task task = { 0 };

	kernel.told.current_task = 0x20;
	kernel.told.layout.task_tgid = 8;
	kernel.told.layout.task_pid = 12;
	put(GS + 0x20 - DIRECT, tasks[_i].task);
	put(tasks[_i].task + 8 - DIRECT, 77ull << 32 | 55);
	hole = tasks[_i].hole;
	ck_assert_msg(guest_kernel_task(&kernel, GS, &task) == tasks[_i].found, "%s",
		      tasks[_i].name);
	if (tasks[_i].found)
		ck_assert(task.address == TASK && task.tid == 77 && task.pid == 55);
}
END_TEST

/* The agent has told, then its task is as it was, or not. */
static const struct {
	const char *name;
	uint64_t memory; /* of the task's, later */
	uint32_t pid;
	uint64_t hole;
	bool lives;
} agents[] = {
	{ "lives", 0x1234, 55, NONE, true },
	{ "has_no_memory_any_more", 0, 55, NONE, false },
	{ "is_another's_task", 0x1234, 56, NONE, false },
	{ "has_executed_something", 0x1235, 55, NONE, false },
	{ "unreadable", 0x1234, 55, 1, false },
};

START_TEST(agent_is_known)
{
	struct guest_agent agent = { 0 };

	kernel.told.current_task = 0x20;
	kernel.told.layout.task_tgid = 8;
	kernel.told.layout.task_pid = 12;
	kernel.told.layout.task_mm = 24;
	put(GS + 0x20 - DIRECT, TASK);
	put(TASK + 8 - DIRECT, 55ull << 32 | 55);
	put(TASK + 24 - DIRECT, 0x1234);
	ck_assert(guest_kernel_agent(&kernel, GS, 0x80005fff, &agent));
	ck_assert_uint_eq(agent.tables, guest_kernel_tables(0x80004000));
	ck_assert_uint_ne(agent.tables, guest_kernel_tables(0x80006000));
	put(TASK + 8 - DIRECT, 55ull << 32 | agents[_i].pid);
	put(TASK + 24 - DIRECT, agents[_i].memory);
	hole = agents[_i].hole;
	ck_assert_msg(guest_kernel_agent_lives(&kernel, &agent) == agents[_i].lives, "%s",
		      agents[_i].name);
	ck_assert(!guest_kernel_agent(&kernel, GS, 0, &agent) == (hole != NONE));
}
END_TEST

START_TEST(words_are_known)
{
	uint64_t at = 3 * PAGE_BYTES;

	ck_assert(!guest_kernel_is_told(DIRECT + at));
	put(at, GUEST_MAGIC);
	ck_assert(guest_kernel_is_told(DIRECT + at));
	hole = 3;
	ck_assert(!guest_kernel_is_told(DIRECT + at));
}
END_TEST

SUITE(plugin_kernel, FIXTURE(setup, teardown), LOOP(agent_is_known, agents), TEST(words_are_known),
      LOOP(page_is_found, walks), LOOP(told_is_checked, tellings), LOOP(ring_is_copied, fills),
      LOOP(task_is_found, tasks))
