/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_verdict_stacks.c - all four stacks of a point, held against each other
 */
#include "tests/suite.h"
#include "verdict_words.h"
#include "verdict_world.h"

/* ---- all four stacks --------------------------------------------------------------------------- */

#define PCS(...) IN_BRACES(__VA_ARGS__)

/* Where bpf and the table part, or the table and ours: nobody asks the referee. */
static const struct {
	const char *name;
	uint64_t cfi[3], table[3],
		bpf[3]; /* the truth is 1, 2, 3; up to a 0: at once: there is none */
	uint32_t table_stop, bpf_stop;
	bool absent, looked, followed;
	bool prefix; /* the truth is 1, 2, and its root is not known */
	enum verdict verdict;
	enum fault_kind kind;
	uint32_t frame, stop;
} walks[] = {
	{ "exact", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2, 3), 1, 1, .verdict = VERDICT_EXACT },
	{ "no_table", PCS(1, 2, 3), PCS(0), PCS(1, 2, 9), 1, 1, .verdict = VERDICT_EXACT },
	{ "no_bpf", PCS(1, 2, 3), PCS(1, 2, 3), PCS(0), 1, 1, .verdict = VERDICT_EXACT },
	{ "walk_fault", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2, 9), 1, 1,
	  .verdict = VERDICT_WALK_FAULT, .frame = 1, .stop = 1 },
	{ "walk_stops", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2), 1, STOP_READ_FAULT,
	  .verdict = VERDICT_WALK_FAULT, .frame = 1, .stop = STOP_READ_FAULT },
	{ "absent", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2), 1, STOP_READ_FAULT, .absent = true,
	  .verdict = VERDICT_ABSENT, .frame = 1, .stop = STOP_READ_FAULT },
	{ "looked_at", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2), 1, STOP_READ_FAULT, .looked = true,
	  .verdict = VERDICT_ABSENT, .frame = 1, .stop = STOP_READ_FAULT },
	{ "looked_at_and_it_stops_elsewhere", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 9), 1,
	  STOP_READ_FAULT, .looked = true, .verdict = VERDICT_WALK_FAULT, .stop = STOP_READ_FAULT },
	{ "walk_is_right_and_nobody_outside_is", PCS(1, 2), PCS(1, 2), PCS(1, 2, 3),
	  STOP_READ_FAULT, 1, .verdict = VERDICT_UNEXPLAINED, .frame = 1, .stop = 1 },
	{ "walk_is_right_and_the_table_is_not", PCS(1, 2, 3), PCS(1, 9), PCS(1, 2, 3), 1, 1,
	  .verdict = VERDICT_UNEXPLAINED, .stop = 1 },
	{ "silent", PCS(1, 2, 3), PCS(1, 2, 9), PCS(1, 2, 9), 1, 1, SILENT_LOSS, .frame = 1,
	  .stop = 1 },
	{ "flagged", PCS(1, 2, 3), PCS(1, 2), PCS(1, 2), STOP_OFFSET_RANGE, STOP_OFFSET_RANGE,
	  FLAGGED_LOSS, .frame = 1, .stop = STOP_OFFSET_RANGE },
	{ "flagged_behind_a_wrong_frame", PCS(1, 2, 3), PCS(1, 9), PCS(1, 9), STOP_OFFSET_RANGE,
	  STOP_OFFSET_RANGE, SILENT_LOSS, .stop = STOP_OFFSET_RANGE },
	{ "no_row_is_no_flag", PCS(1, 2, 3), PCS(1, 2), PCS(1, 2), STOP_NO_ROW, STOP_NO_ROW,
	  SILENT_LOSS, .frame = 1, .stop = STOP_NO_ROW },
	{ "untouched", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2, 3), STOP_ZERO_RETURN, STOP_READ_FAULT,
	  .verdict = VERDICT_EXACT },
	{ "untouched_behind_another_frame", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2), STOP_ZERO_RETURN,
	  STOP_READ_FAULT, .verdict = VERDICT_WALK_FAULT, .frame = 1, .stop = STOP_READ_FAULT },
	{ "cfi_is_wrong", PCS(1, 2, 9), PCS(1, 2, 9), PCS(1, 2, 9), 1, 1,
	  .verdict = VERDICT_UNEXPLAINED, .frame = 1, .stop = 1 },
	{ "cfi_is_wrong_and_the_loss_is_flagged", PCS(1, 2, 9), PCS(1, 2), PCS(1, 2),
	  STOP_OFFSET_RANGE, STOP_OFFSET_RANGE, .verdict = VERDICT_UNEXPLAINED, .frame = 1,
	  .stop = 1 },
	{ "cfi_is_wrong_and_the_loss_is_silent", PCS(1, 2, 9), PCS(1, 2, 8), PCS(1, 2, 8), 1, 1,
	  SILENT_LOSS, .frame = 1, .stop = 1 },
	/* Whatever is below a prefix the engines are held against each other as far as they go. */
	{ "walk_has_the_prefix_and_goes_on_otherwise", PCS(1, 2, 8), PCS(1, 2, 8), PCS(1, 2, 9), 1,
	  1, .prefix = true, .verdict = VERDICT_UNEXPLAINED, .frame = 1, .stop = 1 },
	{ "walk_ends_before_the_prefix_does", PCS(1, 2, 8), PCS(1, 2, 8), PCS(1), 1,
	  STOP_READ_FAULT, .prefix = true, .verdict = VERDICT_WALK_FAULT, .stop = STOP_READ_FAULT },
	{ "table_goes_on_beyond_the_cfi", PCS(1, 2), PCS(1, 2, 3), PCS(1, 2, 3), 1, 1,
	  .prefix = true, SILENT_LOSS, .frame = 1, .stop = 1 },
	{ "both_go_on_beyond_a_prefix", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2, 3), 1, 1,
	  .prefix = true, .verdict = VERDICT_EXACT },
	{ "bpf_as_its_twin", PCS(1, 2, 3), PCS(1, 2, 3), PCS(1, 2, 9), 1, 1, .followed = true,
	  .verdict = VERDICT_EXACT },
};

static uint32_t frames_of(const uint64_t *pc)
{
	uint32_t count = 0;

	while (count < 3 && pc[count])
		count++;
	return count;
}

START_TEST(stacks_are_held_against_each_other)
{
	uint64_t pc[4][3] = { { 1, 2, 3 } };
	struct stack truth = { .pc = pc[0], .count = 3, .stop = STOP_COMPLETE };
	struct stack cfi = { .pc = pc[1], .stop = STOP_COMPLETE };
	struct stack table = { .pc = pc[2], .stop = walks[_i].table_stop };
	struct stack bpf = { .pc = pc[3], .stop = walks[_i].bpf_stop };
	struct shadow_stack shadow = { .rooted = !walks[_i].prefix };
	struct trace_stop stop = { .shadow = &shadow, .looked = walks[_i].looked };
	const struct address_space space = { .mapping_count = 0 };
	const struct register_values regs = { .known = 0 };
	const struct memory_reader memory = { read_words, pc };
	const struct point point = {
		.stop = &stop, .space = &space, .regs = &regs, .memory = &memory
	};
	struct judgement got;

	memcpy(pc[1], walks[_i].cfi, sizeof(pc[1]));
	memcpy(pc[2], walks[_i].table, sizeof(pc[2]));
	memcpy(pc[3], walks[_i].bpf, sizeof(pc[3]));
	truth.count -= walks[_i].prefix;
	cfi.count = frames_of(pc[1]);
	table.count = frames_of(pc[2]);
	bpf.count = frames_of(pc[3]);
	const struct evidence evidence = { .point = &point,
					   .truth = &truth,
					   .cfi = &cfi,
					   .table = table.count ? &table : NULL,
					   .bpf = bpf.count ? &bpf : NULL,
					   .absent = walks[_i].absent,
					   .followed = walks[_i].followed ? &bpf : NULL };

	judge_evidence(&evidence, NULL, &got);
	ck_assert_msg(got.verdict == walks[_i].verdict && got.kind == walks[_i].kind, "%s: %s, %s",
		      walks[_i].name, verdict_name(got.verdict), fault_kind_name(got.kind));
	ck_assert_uint_eq(got.frame, walks[_i].frame);
	ck_assert_uint_eq(got.stop, walks[_i].stop);
	/* Of a caller it is the call's; of one that can't be reached, where it goes on. */
	bool is_readers = walks[_i].verdict == VERDICT_UNEXPLAINED && walks[_i].bpf[2] != 3 &&
			  !walks[_i].prefix;

	ck_assert_uint_eq(got.pc, walks[_i].verdict == VERDICT_EXACT ? 0 : is_readers ? 2 : 1);
}
END_TEST

/* What the walk in the kernel can hold, and a frame less. */
START_TEST(walk_ends_at_its_limit)
{
	static uint64_t ours[WALK_FRAMES_MAX + 1], other[WALK_FRAMES_MAX + 1];
	struct stack table = { .pc = ours, .count = COUNT(ours), .stop = STOP_COMPLETE };
	struct stack bpf = { .pc = other, .count = WALK_FRAMES_MAX, .stop = STOP_DEPTH };

	for (int i = 0; i < COUNT(ours); i++)
		ours[i] = other[i] = i + 1;
	ck_assert(is_at_its_limit(&bpf, &table));
	table.count = WALK_FRAMES_MAX;
	ck_assert(!is_at_its_limit(&bpf, &table));
	table.count = COUNT(ours);
	bpf.count--;
	ck_assert(!is_at_its_limit(&bpf, &table));
	bpf.count++;
	bpf.stop = STOP_READ_FAULT;
	ck_assert(!is_at_its_limit(&bpf, &table));
	bpf.stop = STOP_DEPTH;
	other[WALK_FRAMES_MAX - 1]++;
	ck_assert(!is_at_its_limit(&bpf, &table));
}
END_TEST

SUITE(verdict_stacks, LOOP(stacks_are_held_against_each_other, walks), TEST(walk_ends_at_its_limit))
