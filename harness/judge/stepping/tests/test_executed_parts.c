/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_executed_parts.c - what is kept of points that no program brings about at will
 *
 * The points are made up (compare_world.h), and so is what the comparer says of them: two of each, for what is
 * known of the one says nothing of the other. Programs that are stepped are test_executed_step.c's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/compare/tests/compare_world.h"

static int made_up_create(const struct compare_options *options, struct comparer **ret,
			  struct error *error);
static bool made_up_run(struct comparer *comparer, const struct tracer_options *options,
			struct comparison *ret);
static void made_up_destroy(struct comparer *comparer);
#define comparer_create	 made_up_create
#define comparer_run_far made_up_run
#define comparer_destroy made_up_destroy
#include "judge/stepping/executed_step.c"

#define OTHER	     (BIAS + 8 * PAGE) /* where another image is, too */
#define RETURN	     0x1234
#define SAVED(which) (0x100 + (which)) /* the caller's */
#define NO_IMAGE_PC  (BIAS + 2 * PAGE)

static void lost_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };

	world_fdes(image);
	DIFF_IMAGE_FDE(image, diff_image_entry(image, plain, sizeof(plain)), 0x400, 0x20,
		       CFA_undefined(R12));
}
#define LOST (BIAS + 0x400) /* of r12 alone */

static struct world w;
static struct mapping mapping[3];
static struct executed executed;
static struct stepping stepping;
static struct tracer_options tracer;
static const struct executed_options options = { .tracer = &tracer };

/* A function's first instruction: its row leads out of it. */
static void make_right(void)
{
	static const struct shadow_frame frame = { .slot = STACK + 16, .return_address = RETURN };

	w.shadow.count = 2;
	w.shadow.in_transit = false;
	for (int i = 0; i < 2; i++)
		w.frame[i] = frame;
	w.stack[2] = RETURN;
	w.regs.known = UINT32_MAX;
	w.regs.value[REGISTER_RSP] = STACK + 16;
	for (int i = 0; i < CALLEE_SAVED_COUNT; i++)
		w.frame[1].callee_saved[i] = w.regs.value[callee_saved[i]] = SAVED(i);
}

static void go_to(pid_t tid, uint64_t pc)
{
	w.stop.tid = tid;
	w.stop.regs.value[REGISTER_RIP] = w.regs.value[REGISTER_RIP] = pc;
}

static void set_up(void)
{
	struct error error;

	world_init(&w, BIAS, lost_fdes);
	memcpy(mapping, w.mapping, sizeof(w.mapping));
	mapping[2] = mapping[0];
	mapping[2].start = mapping[2].bias = OTHER;
	mapping[2].end = OTHER + 2 * PAGE;
	mapping[2].path = (char *)"other";
	w.space.mapping = mapping;
	w.space.mapping_count = COUNT(mapping);
	ck_assert_int_eq(executed_init(&executed, &error), 0);
	executed.every = 1;
	stepping = (struct stepping) { .options = &options, .executed = &executed };
	make_right();
	go_to(7, CODE_A);
}

static void tear_down(void)
{
	executed_deinit(&executed);
	free(stepping.thread);
	free(stepping.image);
	world_deinit(&w);
}

/* ---- the innermost step ------------------------------------------------------------------------- */

static void no_frames(void)
{
	w.shadow.count = 0;
}

static void one_frame(void)
{
	w.frame[0] = w.frame[1];
	w.frame[1].interrupted = true; /* it is none */
	w.shadow.count = 1;
}

static void in_transit(void)
{
	w.shadow.in_transit = true;
}

static void top_is_interrupted(void)
{
	w.frame[1].interrupted = true;
}

static void caller_is_interrupted(void)
{
	w.frame[0].interrupted = true;
}

static void another_slot(void)
{
	w.frame[1].slot += 8;
}

static void moved_to_another_slot(void)
{
	w.frame[1].slot += 8;
	w.frame[1].moved = true;
}

static void copied_to_another_slot(void)
{
	w.frame[1].slot += 8;
	w.frame[1].copied = STACK;
}

static void returns_elsewhere(void)
{
	w.stack[2]++;
}

static void first_register(void)
{
	w.regs.value[REGISTER_RBX]++;
}

static void last_register_is_not_known(void)
{
	w.regs.known &= ~(1u << REGISTER_R15);
}

static void two_registers(void)
{
	w.regs.value[REGISTER_RBP]++;
	w.regs.value[REGISTER_R14]++;
}

static void of_the_callee(void)
{
	w.regs.value[REGISTER_RCX]++;
}

static void no_row(void)
{
	go_to(7, NO_CODE);
}

#define BIT(reg) (1u << REGISTER_##reg)

static const struct {
	const char *name;
	void (*change)(void);
	enum row_outcome outcome;
	uint32_t wrong;
} steps[] = {
	{ "right", make_right, ROW_RIGHT, 0 },
	{ "of_one_frame", one_frame, ROW_RIGHT, 0 },
	{ "no_frames", no_frames, ROW_UNKNOWN, 0 },
	{ "in_transit", in_transit, ROW_UNKNOWN, 0 },
	{ "what_a_signal_interrupted", top_is_interrupted, ROW_UNKNOWN, 0 },
	{ "its_handler", caller_is_interrupted, ROW_UNKNOWN, 0 },
	{ "another_slot", another_slot, ROW_UNKNOWN, BIT(RSP) },
	{ "that_it_was_moved_to", moved_to_another_slot, ROW_RIGHT, 0 },
	{ "that_it_was_copied_to", copied_to_another_slot, ROW_RIGHT, 0 },
	{ "another_return_address", returns_elsewhere, ROW_UNKNOWN, BIT(RIP) },
	{ "the_first_register", first_register, ROW_UNKNOWN, BIT(RBX) },
	{ "the_last_is_not_known", last_register_is_not_known, ROW_UNKNOWN, BIT(R15) },
	{ "two_registers", two_registers, ROW_UNKNOWN, BIT(RBP) | BIT(R14) },
	{ "one_that_a_callee_may_change", of_the_callee, ROW_RIGHT, 0 },
	{ "no_row", no_row, ROW_UNKNOWN, BIT(RIP) },
};

/* Between two that are right, of which nothing stays. */
START_TEST(a_step_is_held_against_its_frame)
{
	for (int round = 0; round < 3; round++) {
		make_right();
		go_to(7, CODE_A);
		if (round == 1)
			steps[_i].change();
		look_at_step(&stepping, &w.point);
		ck_assert_msg(stepping.outcome == (round == 1 ? steps[_i].outcome : ROW_RIGHT),
			      "%s, %d: %d", steps[_i].name, round, stepping.outcome);
		ck_assert_msg(stepping.wrong == (round == 1 ? steps[_i].wrong : 0), "%s, %d: 0x%x",
			      steps[_i].name, round, stepping.wrong);
	}
}
END_TEST

/* ---- what becomes of a point -------------------------------------------------------------------- */

enum end { NOT_SO, SO, NOT_KNOWN }; /* of a reading: of what was not so nothing is told */

struct told {
	pid_t tid;
	uint64_t pc;
	void (*change)(void);
	struct judgement judgement;
	enum end end, claim; /* of the truth's reading, and of the CFI's claim */
	uint64_t count;	     /* as many times; 0: once */
};

#define EXACT	     IN_BRACES(.verdict = VERDICT_EXACT)
#define OF(v)	     IN_BRACES(.verdict = VERDICT_##v)
#define T(k, ...)    IN_BRACES(.verdict = VERDICT_TABLE_FAULT, .kind = FAULT_##k, __VA_ARGS__)
#define WRONG_AT(at) T(WRONG, .pc = at)

static const struct {
	const char *name;
	struct told told[3];
	const char *kept;
} points[] = {
	{ "right_rows_each_at_its_place",
	  { { 7, CODE_A, NULL, EXACT, .end = SO },
	    { 7, CODE_B, NULL, EXACT, .end = SO, .count = 3 } },
	  "2 0\n0:300 1 1 0\n0:320<300 1 3 0\n" },
	{ "where_the_truth_is_not_known",
	  { { 7, CODE_A, NULL, EXACT, .end = NOT_KNOWN, .count = 2 },
	    { 7, CODE_A, NULL, EXACT, .end = SO } },
	  "2 2\n0:300 1 0 2\n0:300<300 1 1 0\n" },
	{ "a_fault_that_was_so_is_counted_by_points",
	  { { 7, CODE_A, returns_elsewhere, WRONG_AT(CODE_A), .end = SO, .count = 4 },
	    { 7, CODE_B, returns_elsewhere, WRONG_AT(CODE_B), .end = NOT_KNOWN, .count = 5 } },
	  "2 5\n0:300 1 0 0\n0:320<300 1 0 5\n! 0:300 wrong rip 4 0\n! 0:320<300 wrong rip 0 5\n" },
	/* Then the CFI's claim was so: the row was not wrong, and that it was right is not known. */
	{ "a_claim_that_was_so_accuses_nobody",
	  { { 7, CODE_A, returns_elsewhere, WRONG_AT(CODE_A), .end = NOT_SO, .claim = SO },
	    { 7, CODE_B, NULL, EXACT, .end = SO } },
	  "2 0\n0:300 1 0 0\n0:320<300 1 1 0\n! 0:300 wrong rip 0 0\n" },
	{ "nor_does_one_of_a_row_that_was_right",
	  { { 7, CODE_A, NULL, EXACT, .end = NOT_SO, .claim = SO },
	    { 7, CODE_A, NULL, EXACT, .end = SO } },
	  "2 0\n0:300 1 0 0\n0:300<300 1 1 0\n" },
	{ "a_claim_that_is_not_known_is_a_point_in_doubt",
	  { { 7, CODE_A, returns_elsewhere, WRONG_AT(CODE_A), .end = NOT_SO, .claim = NOT_KNOWN,
	      .count = 2 },
	    { 7, CODE_B, returns_elsewhere, WRONG_AT(CODE_B), .end = SO, .claim = NOT_SO } },
	  "2 2\n0:300 1 0 0\n0:320<300 1 0 0\n! 0:300 wrong rip 0 0\n! 0:320<300 wrong rip 1 0\n" },
	{ "no_image_no_place_of_the_point_before",
	  { { 7, CODE_A, returns_elsewhere, WRONG_AT(CODE_A), .end = SO },
	    { 7, NO_IMAGE_PC, NULL, OF(UNPROVEN), .end = NOT_KNOWN },
	    { 7, CODE_B, NULL, EXACT, .end = SO } },
	  "3 1\n0:300 1 0 0\n0:320 1 1 0\n! 0:300 wrong rip 1 0\n" },
	{ "nor_its_fault",
	  { { 7, CODE_A, returns_elsewhere, WRONG_AT(CODE_A), .end = SO },
	    { 7, CODE_B, NULL, EXACT, .end = SO, .count = 6 },
	    { 7, CODE_B, NULL, EXACT, .end = NOT_KNOWN } },
	  "3 1\n0:300 1 0 0\n0:320<300 1 6 0\n0:320<320 1 0 1\n! 0:300 wrong rip 1 0\n" },
	{ "threads_come_from_where_they_were",
	  { { 7, CODE_A, NULL, EXACT, .end = SO },
	    { 8, CODE_B, NULL, EXACT, .end = SO },
	    { 7, CODE_B + 1, NULL, EXACT, .end = SO } },
	  "3 0\n0:300 1 1 0\n0:320 1 1 0\n0:321<300 1 1 0\n" },
	{ "of_two_images_each_its_own",
	  { { 7, CODE_A, NULL, EXACT, .end = SO },
	    { 7, CODE_A - BIAS + OTHER, NULL, EXACT, .end = SO },
	    { 7, CODE_B - BIAS + OTHER, returns_elsewhere, WRONG_AT(CODE_A), .end = SO } },
	  "3 0\n0:300 1 1 0\n1:300 1 1 0\n1:320<300 1 0 0\n! 0:300<300 wrong rip 1 0\n" },
	{ "a_caller_s_fault_is_no_step_s",
	  { { 7, CODE_A, NULL, EXACT, .end = SO },
	    { 7, CODE_B, NULL, T(MISSING, .frame = 1, .pc = CODE_A), .end = SO },
	    { 7, CODE_B, first_register, T(MISSING, .frame = 1, .pc = CODE_A), .end = SO } },
	  "3 0\n0:300 1 1 0\n0:320<300 1 1 0\n0:320<320 1 0 0\n! 0:300 missing rsp rip 2 0\n" },
	{ "a_caller_s_register",
	  { { 7, CODE_A, NULL, T(REGISTER, .frame = 1, .pc = CODE_B, .reg = REGISTER_R12),
	      .end = SO },
	    { 7, CODE_A, NULL, T(REGISTER, .frame = 2, .pc = LOST, .reg = REGISTER_R12),
	      .end = SO },
	    { 7, CODE_A, NULL, T(REGISTER, .frame = 2, .pc = LOST, .reg = REGISTER_R13),
	      .end = SO } },
	  "3 0\n0:300 1 1 0\n0:300<300 2 2 0\n! 0:320 register r12 1 0\n"
	  "! 0:400 register lost r12 1 0\n! 0:400 register r13 1 0\n" },
	{ "a_row_that_is_accused_is_not_right",
	  { { 7, CODE_A, NULL, T(SIGNAL_FLAG, .pc = CODE_A), .end = SO },
	    { 7, CODE_A, NULL, EXACT, .end = SO } },
	  "2 0\n0:300 1 0 0\n0:300<300 1 1 0\n! 0:300 signal_flag rsp rip 1 0\n" },
	{ "code_that_no_image_has_is_not_accused",
	  { { 7, CODE_A, first_register, WRONG_AT(NO_IMAGE_PC), .end = SO },
	    { 7, CODE_A, first_register, WRONG_AT(0x10), .end = SO } },
	  "2 0\n0:300 1 0 0\n0:300<300 1 0 0\n" },
};

static void say(FILE *file)
{
	fprintf(file, "%" PRIu64 " %" PRIu64 "\n", executed.points, executed.doubted);
	executed_sort(&executed);
	for (uint32_t i = 0; i < executed.place_count; i++) {
		const struct executed_place *place = &executed.place[i];

		fprintf(file, "%u:%" PRIx64, place->image, place->pc);
		if (place->from)
			fprintf(file, "<%" PRIx64, place->from);
		fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", place->points, place->right,
			place->doubted);
	}
	for (uint32_t i = 0; i < executed.fault_count; i++) {
		const struct executed_fault *fault = &executed.fault[i];

		fprintf(file, "! %u:%" PRIx64, fault->image, fault->pc);
		if (fault->from)
			fprintf(file, "<%" PRIx64, fault->from);
		fprintf(file, " %s%s", fault_kind_name(fault->kind), fault->lost ? " lost" : "");
		for (unsigned int reg = 0; reg <= REGISTER_RIP; reg++)
			if (fault->registers >> reg & 1)
				fprintf(file, " %s", register_name(reg));
		fprintf(file, " %" PRIu64 " %" PRIu64 "\n", fault->count, fault->doubted);
	}
}

struct mark {
	uint64_t number[2]; /* of the truth's reading, and of the claim */
};

/* As the comparer does, but for what is only known later. */
static void tell(const struct told *told, struct mark *ret)
{
	const struct evidence evidence = { .point = &w.point };
	struct error error;

	make_right();
	go_to(told->tid, told->pc);
	if (told->change)
		told->change();
	on_evidence(&stepping, &evidence);
	on_judgement(&stepping, &w.point, &told->judgement);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(on_reading(&stepping, &w.point, NULL, &ret->number[i], &error), 0);
}

static void tell_end(const struct told *told, uint64_t mark, enum end end)
{
	if (end != NOT_SO)
		on_proven(&stepping, mark, told->count ? told->count : 1, end == SO);
}

START_TEST(what_is_kept_of_points)
{
	struct mark marks[COUNT(points[0].told)];
	int count;

	for (count = 0; count < COUNT(marks) && points[_i].told[count].tid; count++)
		tell(&points[_i].told[count], &marks[count]);
	/* What the last one was is known first. */
	for (int i = count; i-- > 0;) {
		tell_end(&points[_i].told[i], marks[i].number[1], points[_i].told[i].claim);
		tell_end(&points[_i].told[i], marks[i].number[0], points[_i].told[i].end);
	}
	check_printed(points[_i].name, PRINTED(file, say(file)), points[_i].kept);
}
END_TEST

/* Of a walk by the table alone the row is as right; of what is not proven nothing is known. */
START_TEST(verdicts_on_a_right_row)
{
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		const struct told told = { 7, CODE_A, NULL, { .verdict = verdict }, .end = SO };
		bool right = verdict == VERDICT_EXACT || verdict == VERDICT_CONVERSION_LOSS_FLAGGED;
		struct mark mark;

		tell(&told, &mark);
		ck_assert_msg((MARK_OUTCOME(mark.number[0]) == ROW_RIGHT) == right, "%s",
			      verdict_name(verdict));
		ck_assert_int_eq(MARK_OUTCOME(mark.number[1]), ROW_UNKNOWN);
	}
}
END_TEST

/* The values that it had when it was right first, and those that had others later. */
START_TEST(values_of_the_caller)
{
	static const uint64_t offsets[][2] = { { 9, 1 }, { 0, 0 }, { 0, 0 }, { 0, 5 }, { 0, 0 } };
	const struct executed_place *place;
	const struct evidence evidence = { .point = &w.point };

	executed.every = 2; /* one place for all */
	for (int i = 0; i < COUNT(offsets); i++) {
		make_right();
		if (offsets[i][0]) /* not right: it counts for nothing */
			w.stack[2]++;
		w.frame[1].callee_saved[0] = w.regs.value[REGISTER_RBX] = offsets[i][0];
		w.frame[1].callee_saved[5] = w.regs.value[REGISTER_R15] += offsets[i][1];
		if (i + 1 == COUNT(offsets)) /* and one more */
			w.frame[1].callee_saved[1] = ++w.regs.value[REGISTER_RBP];
		on_evidence(&stepping, &evidence);
	}
	ck_assert_uint_eq(executed.place_count, 1);
	place = executed.place;
	ck_assert(place->valued && place->points == COUNT(offsets));
	ck_assert_uint_eq(place->value[0], 0);
	for (int i = 1; i < CALLEE_SAVED_COUNT; i++)
		ck_assert_uint_eq(place->value[i], SAVED(i));
	ck_assert_uint_eq(place->varied, BIT(R15) | BIT(RBP));
}
END_TEST

/* ---- images ------------------------------------------------------------------------------------- */

/* What is at an address may be another image once mappings are read again, be there as many as before. */
START_TEST(images_are_known_by_all_that_they_have)
{
	static const uint8_t ids[2][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
	const struct told told = { 7, CODE_A, NULL, EXACT, .end = SO };
	const struct context_tree *tree = &executed.images;
	struct image *file = mapping[0].entry->image;
	struct mark mark;

	for (int i = 0; i < 2; i++) {
		mapping[0].entry->version.inode = i ? VDSO_INODE : 5;
		mapping[0].path = (char *)(i ? "[vdso]" : "/bin/a");
		memcpy(file->build_id, ids[i], sizeof(ids[i]));
		file->build_id_size = sizeof(ids[i]) - (size_t)i;
		on_mappings(&stepping);
		for (int round = 0; round < 2; round++) {
			tell(&told, &mark);
			ck_assert_uint_eq(tree->image_count, (uint32_t)i + 1);
			ck_assert_uint_eq(stepping.thread[0].image, (uint32_t)i);
		}
		ck_assert_int_eq(tree->image[i].kind, i ? TRUTH_IMAGE_VDSO : TRUTH_IMAGE_FILE);
		ck_assert_str_eq(tree->image[i].path, mapping[0].path);
		ck_assert_uint_eq(tree->image[i].build_id_size, sizeof(ids[i]) - (size_t)i);
		ck_assert_mem_eq(tree->image[i].build_id, ids[i], tree->image[i].build_id_size);
	}
}
END_TEST

/* ---- the run ------------------------------------------------------------------------------------ */

static struct run {
	const char *name;
	bool no_comparer, whole, fails;
	uint64_t unmarked;
	int result;
	const char *message; /* NULL: of none */
} runs[] = {
	{ "whole", false, true, false, 0, 0, NULL },
	{ "cut_short", false, false, false, 0, -1, "early" },
	{ "no_comparer", true, true, false, 0, -1, "no comparer" },
	{ "points_that_nothing_was_told_of", false, true, false, 3, -1, "no memory for marks" },
	{ "cut_short_and_that", false, false, false, 3, -1, "early" },
	{ "what_failed_meanwhile", false, true, true, 0, -1, "no memory for what ran" },
	{ "is_why_it_was_cut_short", false, false, true, 0, -1, "no memory for what ran" },
};

static const struct run *run;
static struct compare_options told_options;
static int comparers;

static int made_up_create(const struct compare_options *of, struct comparer **ret,
			  struct error *error)
{
	told_options = *of;
	*ret = NULL;
	if (run->no_comparer)
		return error_set(error, ERROR_SYSTEM, NULL, 0, "no comparer");
	comparers++;
	return 0;
}

static bool made_up_run(struct comparer *comparer, const struct tracer_options *of,
			struct comparison *ret)
{
	struct stepping *now = told_options.context;
	struct error error = { 0 };
	uint64_t mark;

	ck_assert_ptr_eq(of, &tracer);
	ck_assert(told_options.registers && !now->executed->points);
	*ret = (struct comparison) { .unmarked = run->unmarked };
	ck_assert_int_eq(on_reading(now, NULL, NULL, &mark, &error), 0);
	if (run->fails) {
		fail(now);
		ck_assert_int_eq(on_reading(now, NULL, NULL, &mark, &error), -1);
		ck_assert_str_eq(error.message, "no memory for what ran");
	}
	if (!run->whole)
		error_set(&ret->cut.early, ERROR_TIMEOUT, NULL, 0, "early");
	return run->whole;
}

static void made_up_destroy(struct comparer *comparer)
{
	comparers--;
}

/* And what is asked for once is not what is asked for next. */
START_TEST(how_a_run_ends)
{
	static const uint64_t every[][2] = { { 0, 1 }, { 1, 1 }, { 7, 7 } };

	run = &runs[_i];
	for (int i = 0; i < COUNT(every); i++) {
		struct executed got;
		struct error error = { 0 };

		tracer.every = every[i][0];
		ck_assert_msg(executed_step(&options, &got, &error) == run->result, "%s: %s",
			      run->name, error.message);
		ck_assert_msg(!run->message || !strcmp(error.message, run->message), "%s: %s",
			      run->name, error.message);
		ck_assert_msg(got.partial == (run->result != 0), "%s", run->name);
		ck_assert(got.stepped && !got.recorded);
		ck_assert_uint_eq(got.every, every[i][1]);
		ck_assert_int_eq(comparers, 0);
		executed_deinit(&got);
	}
}
END_TEST

SUITE(executed_parts, FIXTURE(set_up, tear_down), LOOP(a_step_is_held_against_its_frame, steps),
      LOOP(what_is_kept_of_points, points), TEST(verdicts_on_a_right_row),
      TEST(values_of_the_caller), TEST(images_are_known_by_all_that_they_have),
      LOOP(how_a_run_ends, runs))
