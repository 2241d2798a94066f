/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_point.c - one point: what bpf is asked, how the truth is completed, who is told, in which order
 *
 * The parts are tried on a thread that is made up (compare_world.h), whole points on this process, whose stack is an
 * array here. The engine in the kernel is made up, too: nothing needs BPF. What stacks are worth is
 * test_compare_score.c's, and what becomes of a point in doubt test_compare_doubt_reading.c's.
 */
#include <stdlib.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/compare_point.c"
#include "compare_world.h"

#define AT	(CODE_A + 4)
#define IN_B	(CODE_B + 0x10)
#define IN_A	(CODE_A + 0x10)
#define FRAMES	5
#define LANDING (BIAS + 0x605) /* behind a call, if there is one */
#define OTHER	(BIAS + 0x705) /* behind none */

static struct stack stack_of(const uint64_t *pc, enum stop_reason reason)
{
	struct stack stack = { 0 };
	struct error error;

	for (int i = 0; i < FRAMES && pc[i]; i++)
		ck_assert(!stack_push(&stack, pc[i], &error));
	stack.stop = reason;
	return stack;
}

static void check_frames(const struct stack *stack, const uint64_t *pc, const char *name)
{
	uint32_t count = 0;

	while (count < FRAMES && pc[count])
		count++;
	ck_assert_msg(stack->count == count, "%s: %u frames", name, stack->count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_msg(stack->pc[i] == pc[i], "%s: frame %u is 0x%lx", name, i,
			      (unsigned long)stack->pc[i]);
}

/* ---- what the kernel's walk says ------------------------------------------------------------ */

static struct said {
	enum engine_answer answer;
	struct stack stack;
	int asked;
} said;

static int open_said(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = &said;
	return 0;
}

static void close_said(void *engine)
{
}

static enum engine_answer walk_said(void *engine, const struct point *point, struct stack *ret,
				    struct error *error)
{
	ck_assert_ptr_eq(engine, &said);
	said.asked++;
	if (said.answer == ENGINE_ERROR)
		error_set(error, ERROR_SYSTEM, "", 0, "it can't");
	else if (said.answer == ENGINE_STACK)
		ck_assert(!stack_copy(ret, &said.stack, error));
	return said.answer;
}

static const struct engine in_kernel = { .name = "bpf",
					 .in_kernel = true,
					 .part = ENGINE_PART_BPF,
					 .open = open_said,
					 .close = close_said,
					 .walk = walk_said };

/* Of a stack that can't be read the walk has the first frame; code without CFI is where it ends, unless it goes on
 * by the frame pointer. */
static const struct bpf_case {
	const char *name;
	bool skipped, untrapped, follow, there; /* there: its stack is a page that is present */
	enum engine_answer answer;
	uint64_t pc, frames[FRAMES];
	enum stop_reason stop;
	bool well, evidence, absent; /* what comes of it */
} bpf_cases[] = {
	{ "whole", .pc = AT, .frames = { AT, IN_B }, .stop = STOP_COMPLETE, .well = true,
	  .evidence = true },
	{ "no_trap", .untrapped = true, .pc = AT, .well = true },
	{ "skipped", .skipped = true, .pc = AT, .well = true },
	{ "silent", .answer = ENGINE_SILENT, .pc = AT, .well = true },
	{ "failed", .answer = ENGINE_ERROR, .pc = AT },
	{ "no_page", .pc = AT, .frames = { AT }, .stop = STOP_READ_FAULT, .well = true,
	  .evidence = true, .absent = true },
	{ "a_page_that_can_t_be_read", .there = true, .pc = AT, .frames = { AT },
	  .stop = STOP_READ_FAULT, .well = true, .evidence = true },
	{ "no_page_and_a_frame_too_many", .pc = AT, .frames = { AT, IN_B }, .stop = STOP_READ_FAULT,
	  .well = true, .evidence = true },
	{ "no_page_and_another_reason", .pc = AT, .frames = { AT }, .stop = STOP_NO_ROW,
	  .well = true, .evidence = true },
	{ "no_page_of_a_frame_pointer", .follow = true, .pc = NO_CODE, .frames = { NO_CODE },
	  .stop = STOP_NO_ROW, .well = true, .evidence = true, .absent = true },
	{ "that_nobody_follows", .pc = NO_CODE, .frames = { NO_CODE }, .stop = STOP_NO_ROW,
	  .well = true, .evidence = true },
	{ "complete_all_the_same", .follow = true, .pc = AT, .frames = { AT },
	  .stop = STOP_COMPLETE, .well = true, .evidence = true },
};

START_TEST(what_bpf_says)
{
	const struct bpf_case *c = &bpf_cases[_i];
	static struct comparer comparer;
	static struct comparison result;
	struct evidence evidence = { .absent = false };
	uint64_t present[8] = { 0 };
	struct error error;
	struct world w;

	world_init(&w, BIAS, world_fdes);
	w.stop.tid = getpid();
	w.stop.trapped = !c->untrapped;
	w.regs.value[REGISTER_RIP] = c->pc;
	w.regs.value[REGISTER_RBP] = STACK + 32;
	if (c->there)
		w.regs.value[REGISTER_RSP] = (uint64_t)present;
	comparer.result = &result;
	comparer.engine_count = 2;
	comparer.options.follow_frame_pointers = c->follow;
	comparer.bpf_answer = ENGINE_STACK; /* of the point before */
	result.engine[0] = (struct compare_engine) { .engine = &engine_cfi };
	result.engine[1] = (struct compare_engine) { .engine = &in_kernel,
						     .open = &said,
						     .skipped = c->skipped };
	said = (struct said) { c->answer, stack_of(c->frames, c->stop), 0 };
	ck_assert_msg(ask_bpf(&comparer, &w.point, &evidence, &error) == c->well, "%s", c->name);
	ck_assert_msg(!evidence.bpf == !c->evidence, "%s", c->name);
	ck_assert_msg(evidence.absent == c->absent, "%s", c->name);
	ck_assert_int_eq(said.asked, !c->skipped && !c->untrapped);
	ck_assert_int_eq(comparer.bpf_answer,
			 c->skipped || c->untrapped ? ENGINE_SILENT : c->answer);
	if (c->evidence)
		check_frames(evidence.bpf, c->frames, c->name);
	if (!c->well)
		ck_assert_str_eq(error.message, "it can't");
	stack_deinit(&said.stack);
	stack_deinit(&comparer.bpf);
	stack_deinit(&comparer.other);
	world_deinit(&w);
}
END_TEST

/* ---- the truth ------------------------------------------------------------------------------ */

/* The stack is AT, IN_B, IN_A. */
static const struct truth_case {
	const char *name;
	bool stays, carried, unrooted,
		call; /* stays: it is not in transit; call: LANDING is behind one */
	uint64_t cfi[FRAMES], truth[FRAMES], comes_to[FRAMES]; /* truth: if it is another */
	uint32_t limit;
} truth_cases[] = {
	{ "not_in_transit", .stays = true, .call = true, .cfi = { AT, LANDING, IN_B, IN_A },
	  .comes_to = { AT, IN_B, IN_A } },
	{ "the_same", .cfi = { AT, IN_B, IN_A }, .comes_to = { AT, IN_B, IN_A } },
	{ "a_landing_that_goes_on", .cfi = { AT, OTHER, IN_B, IN_A },
	  .comes_to = { AT, OTHER, IN_B, IN_A } },
	{ "one_that_goes_on_and_further", .cfi = { AT, OTHER, IN_B, IN_A, IN_B },
	  .comes_to = { AT, IN_B, IN_A } },
	{ "one_that_goes_on_elsewhere", .cfi = { AT, OTHER, IN_B, IN_B },
	  .comes_to = { AT, IN_B, IN_A } },
	{ "behind_a_call", .call = true, .cfi = { AT, LANDING },
	  .comes_to = { AT, LANDING, IN_B, IN_A } },
	{ "behind_a_call_and_elsewhere", .call = true, .cfi = { AT, LANDING, OTHER, OTHER },
	  .comes_to = { AT, LANDING, IN_B, IN_A } },
	{ "behind_no_call", .cfi = { AT, LANDING }, .comes_to = { AT, IN_B, IN_A } },
	{ "where_an_open_call_returns_to", .call = true, .cfi = { AT, LANDING },
	  .truth = { AT, IN_B, LANDING }, .comes_to = { AT, IN_B, LANDING } },
	{ "no_caller", .call = true, .cfi = { AT }, .comes_to = { AT, IN_B, IN_A } },
	{ "another_first_frame", .call = true, .cfi = { IN_A, LANDING },
	  .comes_to = { AT, IN_B, IN_A } },
	{ "as_many_frames_as_there_may_be", .call = true, .cfi = { AT, LANDING }, .limit = 3,
	  .comes_to = { AT, IN_B, IN_A } },
	{ "of_the_first_function", .call = true, .cfi = { AT, LANDING }, .truth = { AT },
	  .comes_to = { AT, LANDING } },
	{ "carried", .carried = true, .cfi = { AT, OTHER },
	  .comes_to = { AT, LANDING, IN_B, IN_A } },
	{ "carried_and_the_cfi_agrees", .carried = true, .cfi = { AT, IN_B, IN_A },
	  .comes_to = { AT, IN_B, IN_A } },
	{ "carried_and_of_a_prefix", .carried = true, .unrooted = true,
	  .cfi = { AT, IN_B, IN_A, IN_A }, .comes_to = { AT, IN_B, IN_A } },
	{ "carried_and_both_may_agree", .carried = true, .unrooted = true, .truth = { AT, LANDING },
	  .cfi = { AT, LANDING, LANDING }, .comes_to = { AT, LANDING, LANDING } },
	{ "carried_and_nothing_is_known", .carried = true, .unrooted = true, .truth = { AT },
	  .cfi = { AT }, .comes_to = { AT } },
	{ "carried_and_full", .carried = true, .cfi = { AT, OTHER }, .limit = 3,
	  .comes_to = { AT, IN_B, IN_A } },
};

START_TEST(truth_is_completed)
{
	static const uint64_t usual[FRAMES] = { AT, IN_B, IN_A };
	const struct truth_case *c = &truth_cases[_i];
	static struct comparer comparer;
	static struct comparison result;
	struct error error;
	struct world w;

	world_init(&w, BIAS, world_fdes);
	if (c->call)
		w.page[LANDING - 5 - BIAS] = 0xe8;
	comparer.result = &result;
	comparer.decoder = decoder_create(&error);
	comparer.truth = stack_of(c->truth[0] ? c->truth : usual, STOP_COMPLETE);
	comparer.truth.limit = c->limit;
	comparer.cfi = stack_of(c->cfi, STOP_COMPLETE);
	w.shadow.count = comparer.truth.count - 1;
	w.shadow.rooted = !c->unrooted;
	w.shadow.in_transit = !c->stays;
	w.shadow.carriers = c->carried;
	w.shadow.taken_off.return_address = LANDING;
	ck_assert_int_eq(complete_truth(&comparer, &w.stop, &w.memory, &error), 0);
	check_frames(&comparer.truth, c->comes_to, c->name);
	ck_assert_uint_eq(result.transit, !c->stays);
	stack_deinit(&comparer.truth);
	stack_deinit(&comparer.cfi);
	decoder_destroy(comparer.decoder);
	world_deinit(&w);
}
END_TEST

/* What was interrupted goes on where its context says now; where a call returns to the truth knows itself. */
START_TEST(what_was_interrupted_goes_on_where_memory_says)
{
	static const uint64_t before[] = { AT, IN_B, IN_A, IN_B, 0 };
	uint64_t wanted[FRAMES] = { AT, IN_B, IN_A, IN_B };
	static struct comparer comparer;
	static struct comparison result;
	struct error error;
	struct world w;

	world_init(&w, BIAS, world_fdes);
	comparer.result = &result;
	comparer.truth = stack_of(before, STOP_COMPLETE);
	w.shadow.count = 3;
	for (int i = 0; i < 3; i++) {
		/* frame[2] is the innermost: its address is the truth's second. */
		w.frame[2 - i] = (struct shadow_frame) { .slot = STACK + 8 * (uint64_t)i,
							 .interrupted = i + 1 == _i || _i == 4 };
		w.stack[i] = 0x100 + (uint64_t)i;
		if (i + 1 == _i || _i == 4)
			wanted[i + 1] = w.stack[i];
	}
	ck_assert_int_eq(complete_truth(&comparer, &w.stop, &w.memory, &error), 0);
	check_frames(&comparer.truth, wanted, "interrupted");
	ck_assert_uint_eq(result.transit, 0);
	/* If nobody can read it, it stays. */
	stack_deinit(&comparer.truth);
	comparer.truth = stack_of(before, STOP_COMPLETE);
	w.unreadable = STACK + 23;
	w.frame[0].interrupted = true;
	ck_assert_int_eq(complete_truth(&comparer, &w.stop, &w.memory, &error), 0);
	ck_assert_uint_eq(comparer.truth.pc[3], IN_B);
	stack_deinit(&comparer.truth);
	world_deinit(&w);
}
END_TEST

/* ---- whole points --------------------------------------------------------------------------- */

/* A frame is its return address, and a word that is rbx's; the outermost has no caller. */
__asm__(".text\n"
	"point_frame: .cfi_startproc; call point_frame\n"
	"point_frame_after: nop; .cfi_endproc\n"
	"point_outermost: .cfi_startproc; .cfi_undefined rip; call point_frame\n"
	"point_outermost_after: nop; .cfi_endproc\n");

extern const char point_frame_after[], point_outermost_after[];

#define WRONG_RBX 77

static struct whole {
	struct comparer *comparer;
	struct comparison result;
	struct shadow_stack shadow;
	struct trace_stop stop;
	uint64_t words[4];
	char told[32]; /* who, in their order: a letter each */
	size_t tellings;
	const struct evidence *evidence;
	enum verdict judged;
	bool ends, is_killed; /* is_killed: while its stacks are looked at */
	int mappings;
} whole;

static void note(char who)
{
	ck_assert_uint_lt(whole.tellings, sizeof(whole.told) - 1);
	whole.told[whole.tellings++] = who;
}

static void on_evidence(void *context, const struct evidence *evidence)
{
	const struct point *point = evidence->point;

	ck_assert_ptr_eq(context, &whole);
	ck_assert_ptr_eq(point->stop, &whole.stop);
	ck_assert_uint_eq(point->regs->value[REGISTER_RSP], (uint64_t)whole.words);
	ck_assert_uint_eq(evidence->truth->count, 3);
	ck_assert_uint_eq(evidence->cfi->count, 3);
	ck_assert_uint_eq(evidence->table->count, 3);
	ck_assert_int_eq(evidence->followed != NULL, whole.comparer->options.follow_frame_pointers);
	note(evidence->bpf ? 'E' : 'e');
	if (whole.is_killed)
		whole.stop.tid = -1;
}

static void on_stack(void *context, const struct point *point, const struct engine *engine,
		     const struct stack *stack)
{
	note(engine->name[0]);
}

static void on_judgement(void *context, const struct point *point,
			 const struct judgement *judgement)
{
	whole.judged = judgement->verdict;
	ck_assert_uint_eq(whole.result.points, 0); /* it is not counted yet */
	note('J');
}

static int on_point(void *context, const struct point *point, const struct judgement *judgement,
		    struct error *error)
{
	ck_assert_int_eq(judgement->verdict, whole.judged);
	ck_assert_uint_eq(whole.result.points, 1);
	note('P');
	return whole.ends ? error_set(error, ERROR_SYSTEM, "", 0, "enough") : 0;
}

static int on_reading(void *context, const struct point *point, const struct stack *truth,
		      uint64_t *ret_mark, struct error *error)
{
	note('M');
	return 0;
}

static void on_proven(void *context, uint64_t mark, uint64_t count, bool proven)
{
}

static void on_mappings(void *context)
{
	whole.mappings++;
}

static void begin(const struct compare_options *options)
{
	struct compare_options all = *options;
	struct error error;

	memset(&whole, 0, sizeof(whole));
	all.on_evidence = on_evidence;
	all.on_stack = on_stack;
	all.on_judgement = on_judgement;
	all.on_point = on_point;
	all.on_reading = on_reading;
	all.on_proven = on_proven;
	all.on_mappings = on_mappings;
	all.context = &whole;
	ck_assert_msg(!comparer_create(&all, &whole.comparer, &error), "%s", error.message);
	whole.comparer->result = &whole.result;
	whole.result.engine_count = whole.comparer->engine_count;
	for (size_t i = 0; i < whole.comparer->engine_count; i++)
		whole.result.engine[i] = whole.comparer->engine[i];
	compare_observe(whole.comparer);
	ck_assert_int_eq(compare_mappings(whole.comparer, getpid()), 0);
	whole.mappings = 0;
	shadow_stack_init(&whole.shadow, true);
	whole.words[0] = (uint64_t)point_frame_after;
	whole.words[1] = (uint64_t)point_outermost_after;
	for (int i = 2; i--;)
		ck_assert(shadow_stack_call(&whole.shadow, (uint64_t)&whole.words[i],
					    whole.words[i], NULL));
	whole.stop = (struct trace_stop) {
		.pid = getpid(), .tid = getpid(), .shadow = &whole.shadow, .trapped = true
	};
	whole.stop.regs.known = UINT32_MAX;
	whole.stop.regs.value[REGISTER_RIP] = (uint64_t)point_frame_after;
	whole.stop.regs.value[REGISTER_RSP] = (uint64_t)whole.words;
}

static void end(void)
{
	compare_observe_end(whole.comparer);
	comparison_deinit(&whole.result);
	comparer_destroy(whole.comparer);
	shadow_stack_deinit(&whole.shadow);
	stack_deinit(&said.stack);
}

static const struct whole_case {
	const char *name;
	bool untrapped, shared; /* shared: another thread runs */
	bool follow, registers, other_rbx;
	uint32_t bpf_frames; /* 0: all */
	const char *told;
	enum verdict verdict;
	enum doubt_reason reason; /* of VERDICT_UNPROVEN */
	uint64_t doubts;
} wholes[] = {
	{ "all_say_the_same", .told = "EctbJMP", .verdict = VERDICT_EXACT },
	{ "and_follow", .follow = true, .told = "EctbJMP", .verdict = VERDICT_EXACT },
	{ "no_trap", .untrapped = true, .told = "ectJMP", .verdict = VERDICT_EXACT },
	{ "the_walk_lost_a_frame", .bpf_frames = 2, .told = "EctbJMP",
	  .verdict = VERDICT_WALK_FAULT },
	{ "or_another_thread_wrote", .shared = true, .bpf_frames = 2, .told = "EctbJMP",
	  .verdict = VERDICT_UNPROVEN, .reason = DOUBT_OUTSIDE },
	{ "a_register_that_nobody_asks_for", .other_rbx = true, .told = "EctbJMP",
	  .verdict = VERDICT_EXACT },
	{ "a_register_is_another", .registers = true, .other_rbx = true, .told = "EctbJMP",
	  .verdict = VERDICT_TABLE_FAULT, .doubts = 1 },
	{ "all_registers_are_right", .registers = true, .told = "EctbJMP",
	  .verdict = VERDICT_EXACT },
	/* Whose stack is wrong is not asked for its registers. */
	{ "a_frame_is_lost_and_a_register_is_another", .registers = true, .other_rbx = true,
	  .bpf_frames = 2, .told = "EctbJMP", .verdict = VERDICT_WALK_FAULT },
};

START_TEST(a_point_is_told_and_judged)
{
	const struct whole_case *c = &wholes[_i];
	const struct compare_options options = { .engine = { &engine_cfi, &engine_table,
							     &in_kernel },
						 .engine_count = 3,
						 .follow_frame_pointers = c->follow,
						 .registers = c->registers };
	const uint64_t pc[FRAMES] = { (uint64_t)point_frame_after, (uint64_t)point_frame_after,
				      (uint64_t)point_outermost_after };
	struct error error = { 0 };

	begin(&options);
	said = (struct said) { ENGINE_STACK, stack_of(pc, STOP_COMPLETE), 0 };
	if (c->bpf_frames)
		said.stack.count = c->bpf_frames;
	whole.stop.trapped = !c->untrapped;
	whole.stop.alone = !c->shared;
	if (c->other_rbx)
		for (int i = 0; i < 2; i++)
			whole.shadow.frame[i].callee_saved[0] = WRONG_RBX;
	/* What the point before had found. */
	whole.comparer->stale = true;
	ck_assert_msg(!compare_point(whole.comparer, &whole.stop, &error), "%s: %s", c->name,
		      error.message);
	ck_assert_msg(!strcmp(whole.told, c->told), "%s: %s", c->name, whole.told);
	ck_assert_msg(whole.judged == c->verdict, "%s: %s", c->name, verdict_name(whole.judged));
	ck_assert_uint_eq(whole.result.doubts, c->doubts);
	ck_assert_uint_eq(whole.result.points, 1);
	ck_assert_uint_eq(whole.result.digest != 0, !c->untrapped);
	ck_assert_uint_eq(whole.result.truth_digest != 0, !c->untrapped);
	ck_assert_int_eq(whole.mappings, 0);
	compare_observe_end(whole.comparer);
	if (!c->doubts)
		ck_assert_uint_eq(whole.result.verdict[c->verdict], 1);
	else
		ck_assert_uint_eq(whole.result.verdict[VERDICT_EXACT], 0);
	if (c->verdict == VERDICT_UNPROVEN)
		ck_assert_uint_eq(whole.result.unproven[c->reason], 1);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(whole.result.engine[i].answered, i < 2 || !c->untrapped);
	end();
}
END_TEST

/* Whoever fails ends the run, with the error; and nothing is done behind that. */
enum failure { MAPPINGS_FAILED, BPF_FAILED, LISTENER_FAILED };

static const struct {
	enum failure failure;
	const char *message, *told;
	uint64_t points;
} failures[] = {
	{ MAPPINGS_FAILED, "no mappings", "", 0 },
	{ BPF_FAILED, "it can't", "", 0 },
	{ LISTENER_FAILED, "enough", "EctbJMP", 1 },
};

START_TEST(a_failure_ends_the_run)
{
	const struct compare_options options = {
		.engine = { &engine_cfi, &engine_table, &in_kernel }, .engine_count = 3
	};
	const uint64_t pc[FRAMES] = { (uint64_t)point_frame_after };
	struct error error = { 0 };

	begin(&options);
	whole.stop.alone = true;
	said = (struct said) { failures[_i].failure == BPF_FAILED ? ENGINE_ERROR : ENGINE_STACK,
			       stack_of(pc, STOP_COMPLETE), 0 };
	whole.ends = failures[_i].failure == LISTENER_FAILED;
	whole.comparer->mappings_failed = failures[_i].failure == MAPPINGS_FAILED;
	error_set(&whole.comparer->mapping_error, ERROR_SYSTEM, "", 0, "no mappings");
	ck_assert_int_eq(compare_point(whole.comparer, &whole.stop, &error), -1);
	ck_assert_str_eq(error.message, failures[_i].message);
	ck_assert_str_eq(whole.told, failures[_i].told);
	ck_assert_uint_eq(whole.result.points, failures[_i].points);
	end();
}
END_TEST

/* Who is wrong may be so since the thread has no memory any more: the point is no point. Who is right had it. */
START_TEST(a_thread_is_killed_while_it_is_looked_at)
{
	const struct compare_options options = { .engine = { &engine_cfi, &in_kernel },
						 .engine_count = 2 };
	const uint64_t pc[FRAMES] = { (uint64_t)point_frame_after, (uint64_t)point_frame_after,
				      (uint64_t)point_outermost_after };
	struct error error = { 0 };

	begin(&options);
	said = (struct said) { ENGINE_STACK, stack_of(pc, STOP_COMPLETE), 0 };
	said.stack.count -= _i;
	whole.is_killed = whole.stop.alone = true;
	ck_assert_msg(!compare_point(whole.comparer, &whole.stop, &error), "%s", error.message);
	compare_observe_end(whole.comparer);
	ck_assert_uint_eq(whole.result.unread, _i);
	ck_assert_uint_eq(whole.result.points, !_i);
	ck_assert_uint_eq(whole.result.verdict[VERDICT_EXACT], !_i);
	ck_assert_uint_eq(whole.result.engine[0].score.points, !_i);
	ck_assert_uint_eq(whole.result.findings.count, 0);
	ck_assert_str_eq(whole.told, _i ? "E" : "EcbJMP");
	end();
}
END_TEST

/* Nobody need listen; and each point is one of its own. */
START_TEST(points_add_up)
{
	const struct compare_options options = { .engine = { &engine_cfi, &in_kernel },
						 .engine_count = 2 };
	const uint64_t pc[FRAMES] = { (uint64_t)point_frame_after, (uint64_t)point_frame_after,
				      (uint64_t)point_outermost_after };
	struct error error = { 0 };
	uint64_t digest, truth_digest;

	begin(&options);
	whole.comparer->options = (struct compare_options) { .context = &whole };
	said = (struct said) { ENGINE_STACK, stack_of(pc, STOP_COMPLETE), 0 };
	ck_assert_msg(!compare_point(whole.comparer, &whole.stop, &error), "%s", error.message);
	digest = whole.result.digest;
	truth_digest = whole.result.truth_digest;
	/* No trap: what bpf had said before is of another point. */
	whole.stop.trapped = false;
	ck_assert_msg(!compare_point(whole.comparer, &whole.stop, &error), "%s", error.message);
	ck_assert_uint_eq(whole.result.digest, digest);
	ck_assert_uint_eq(whole.result.truth_digest, truth_digest);
	whole.stop.trapped = true;
	said.stack.count = 1;
	whole.stop.alone = true;
	ck_assert_msg(!compare_point(whole.comparer, &whole.stop, &error), "%s", error.message);
	compare_observe_end(whole.comparer);
	ck_assert_uint_eq(whole.result.points, 3);
	ck_assert_uint_eq(whole.result.verdict[VERDICT_EXACT], 2);
	ck_assert_uint_eq(whole.result.verdict[VERDICT_WALK_FAULT], 1);
	ck_assert_uint_eq(whole.result.engine[0].score.points, 3);
	ck_assert_uint_eq(whole.result.engine[1].score.points, 2);
	ck_assert_uint_eq(whole.result.engine[1].score.untrapped, 1);
	ck_assert_uint_eq(whole.result.findings.count, 1);
	ck_assert_str_eq(whole.told, "");
	end();
}
END_TEST

SUITE(compare_point, LOOP(what_bpf_says, bpf_cases), LOOP(truth_is_completed, truth_cases),
      TIMES(what_was_interrupted_goes_on_where_memory_says, 5),
      LOOP(a_point_is_told_and_judged, wholes), LOOP(a_failure_ends_the_run, failures),
      TIMES(a_thread_is_killed_while_it_is_looked_at, 2), TEST(points_add_up))
