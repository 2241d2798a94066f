/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_verdict.c - match_stack(), judge_evidence() and findings_add()
 *
 * The stack is real: a forked child's that stopped a few calls deep, with CFI for the referee. Each
 * case says how one of the four stacks differs from it, and what judge_evidence() must say.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/verdict/verdict.h"
#include "user_registers.h"
#include "verdict_words.h"
#include "walk/walk_rows.h"

/* ---- match ------------------------------------------------------------------------------ */

static const struct match_case {
	const char *name;
	uint64_t stack[4], truth[4]; /* to the first 0 */
	bool rooted;
	enum match match;
	uint32_t frames;
} match_cases[] = {
	{ "same", { 1, 2, 3 }, { 1, 2, 3 }, true, MATCH_EXACT, 3 },
	{ "same_as_a_prefix", { 1, 2, 3 }, { 1, 2, 3 }, false, MATCH_EXACT, 3 },
	{ "top_differs", { 9, 2, 3 }, { 1, 2, 3 }, true, MATCH_WRONG, 0 },
	{ "last_differs", { 1, 2, 9 }, { 1, 2, 3 }, true, MATCH_WRONG, 2 },
	{ "wrong_beats_truncated", { 1, 9 }, { 1, 2, 3 }, true, MATCH_WRONG, 1 },
	{ "wrong_beats_extra", { 1, 9, 3 }, { 1, 2 }, true, MATCH_WRONG, 1 },
	{ "truncated", { 1, 2 }, { 1, 2, 3 }, true, MATCH_TRUNCATED, 2 },
	{ "shorter_than_a_prefix_is_truncated", { 1, 2 }, { 1, 2, 3 }, false, MATCH_TRUNCATED, 2 },
	{ "nothing_is_truncated", { 0 }, { 1 }, true, MATCH_TRUNCATED, 0 },
	{ "extra", { 1, 2, 3 }, { 1, 2 }, true, MATCH_EXTRA, 2 },
	{ "longer_than_a_prefix_is_exact", { 1, 2, 3 }, { 1, 2 }, false, MATCH_EXACT, 2 },
};

static struct stack *make_stack(const uint64_t *pc, uint32_t stop)
{
	struct stack *stack = calloc(1, sizeof(*stack));

	struct error error;
	uint32_t count = 0;

	while (count < 4 && pc[count])
		count++;
	ck_assert(!stack_set(stack, pc, count, stop, &error));
	return stack;
}

static void drop_stack(struct stack *stack)
{
	stack_deinit(stack);
	free(stack);
}

START_TEST(stacks_match)
{
	const struct match_case *c = &match_cases[_i];
	struct stack *stack = make_stack(c->stack, STOP_NONE);
	struct stack *truth = make_stack(c->truth, STOP_COMPLETE);
	uint32_t frames = 99;
	enum match match = match_stack(stack, truth, c->rooted, &frames);

	ck_assert_msg(match == c->match && frames == c->frames, "%s: %s, %u frames", c->name,
		      match_name(match), frames);
	ck_assert(!stack_equal(stack, truth)); /* for their stops differ */
	stack->stop = truth->stop;
	ck_assert_int_eq(stack_equal(stack, truth), !memcmp(c->stack, c->truth, sizeof(c->stack)));
	drop_stack(stack);
	drop_stack(truth);
}
END_TEST

/* ---- judge ------------------------------------------------------------------------------ */

/* Code that no FDE covers. */
__asm__(".text\nuncovered_code:\n\tnop\n\tnop\n\tret\n\t.size uncovered_code, . - uncovered_code\n"
	".type uncovered_code, @function\n");
extern const char uncovered_code[];

enum change { AS_IT_IS, CHANGED, CUT, EXTENDED, STOPPED };

/* How one stack differs from the walked one: at frame `at`, or by its stop reason. */
struct difference {
	enum change change;
	uint32_t at;
	uint32_t stop;
};

static const struct judge_case {
	const char *name;
	struct difference truth, cfi, table, bpf;
	enum verdict verdict;
	enum fault_kind kind;
	uint32_t frame;
	bool prefix; /* the truth's root is not known */
	bool no_bpf;
	bool absent; /* bpf met a page that wasn't there */
} judge_cases[] = {
	{ "all_agree", .verdict = VERDICT_EXACT },
	{ "all_agree_without_bpf", .no_bpf = true, .verdict = VERDICT_EXACT },
	{ "bpf_has_another_frame", .bpf = { CHANGED, 2 }, .verdict = VERDICT_WALK_FAULT,
	  .frame = 1 },
	{ "bpf_stops_early", .bpf = { CUT, 2, STOP_READ_FAULT }, .verdict = VERDICT_WALK_FAULT,
	  .frame = 1 },
	{ "bpf_with_all_frames_stops_for_another_reason", .bpf = { STOPPED, 0, STOP_NO_ROW },
	  .verdict = VERDICT_UNEXPLAINED, .frame = UINT32_MAX },
	{ "bpf_can_not_read_what_the_table_read", .bpf = { STOPPED, 0, STOP_READ_FAULT },
	  .verdict = VERDICT_UNEXPLAINED, .frame = UINT32_MAX },
	{ "bpf_may_not_fault_in_a_page_of_zeroes", .table = { STOPPED, 0, STOP_ZERO_RETURN },
	  .bpf = { STOPPED, 0, STOP_READ_FAULT }, .verdict = VERDICT_EXACT },
	{ "bpf_met_an_absent_page", .bpf = { CUT, 2, STOP_READ_FAULT }, .absent = true,
	  .verdict = VERDICT_ABSENT, .frame = 1 },
	{ "absent_page_hides_no_table_fault", .truth = { CUT, 3 },
	  .bpf = { CUT, 2, STOP_READ_FAULT }, .absent = true, FAULT(NO_END), .frame = 2 },
	{ "absent_page_hides_no_conversion_loss", .table = { CHANGED, 3 },
	  .bpf = { CUT, 2, STOP_READ_FAULT }, .absent = true, SILENT_LOSS, .frame = 2 },
	{ "absent_page_that_was_not_needed", .absent = true, .verdict = VERDICT_EXACT },
	{ "bpf_is_right_and_the_table_is_not", .table = { CHANGED, 2 },
	  .verdict = VERDICT_UNEXPLAINED, .frame = 1 },
	{ "walk_fault_comes_before_a_table_fault", .truth = { CHANGED, 3 }, .bpf = { CHANGED, 2 },
	  .verdict = VERDICT_WALK_FAULT, .frame = 1 },
	{ "table_has_another_frame", .table = { CHANGED, 2 }, .no_bpf = true, SILENT_LOSS,
	  .frame = 1 },
	{ "table_has_another_frame_and_bpf_too", .table = { CHANGED, 2 }, .bpf = { CHANGED, 2 },
	  SILENT_LOSS, .frame = 1 },
	{ "table_claims_the_end", .table = { CUT, 2, STOP_COMPLETE }, .no_bpf = true, SILENT_LOSS,
	  .frame = 1 },
	{ "no_row_is_no_flag", .table = { CUT, 2, STOP_NO_ROW }, .no_bpf = true, SILENT_LOSS,
	  .frame = 1 },
	{ "table_says_why", .table = { CUT, 2, STOP_UNSUPPORTED_EXPRESSION }, .no_bpf = true,
	  FLAGGED_LOSS, .frame = 1 },
	{ "last_marker_is_a_flag_too", .table = { CUT, 2, STOP_TOO_MANY_RULES }, .no_bpf = true,
	  FLAGGED_LOSS, .frame = 1 },
	{ "a_flag_after_a_wrong_frame_excuses_nothing", .cfi = { CHANGED, 1 },
	  .table = { CUT, 2, STOP_OFFSET_RANGE }, .no_bpf = true, SILENT_LOSS, .frame = 0 },
	{ "flagged_loss_does_not_hide_a_table_fault", .truth = { CHANGED, 3 },
	  .table = { CUT, 2, STOP_OFFSET_RANGE }, .no_bpf = true, FAULT(WRONG), .frame = 2 },
	{ "reader_has_another_caller", .cfi = { CHANGED, 2 }, .table = { CHANGED, 2 },
	  .no_bpf = true, .verdict = VERDICT_READER_FAULT, .frame = 1 },
	{ "reader_ends_early", .cfi = { CUT, 2, STOP_COMPLETE }, .table = { CUT, 2, STOP_COMPLETE },
	  .no_bpf = true, .verdict = VERDICT_READER_FAULT, .frame = 1 },
	{ "reader_calls_malformed_what_the_referee_reads", .cfi = { CUT, 2, STOP_MALFORMED },
	  .table = { CUT, 2, STOP_MALFORMED }, .no_bpf = true, .verdict = VERDICT_READER_FAULT,
	  .frame = 1 },
	{ "malformed_and_the_referee_reads_no_truth_either", .truth = { CHANGED, 2 },
	  .cfi = { CUT, 2, STOP_MALFORMED }, .table = { CUT, 2, STOP_MALFORMED }, .no_bpf = true,
	  FAULT(MALFORMED), .frame = 1 },
	{ "expression_of_no_meaning_is_malformed", .truth = { CHANGED, 2 },
	  .cfi = { CUT, 2, STOP_UNSUPPORTED_EXPRESSION },
	  .table = { CUT, 2, STOP_UNSUPPORTED_EXPRESSION }, .no_bpf = true, FAULT(MALFORMED),
	  .frame = 1 },
	{ "reader_goes_on_below_the_end", .cfi = { EXTENDED }, .table = { EXTENDED },
	  .no_bpf = true, .verdict = VERDICT_READER_FAULT, .frame = UINT32_MAX },
	{ "cfi_names_another_caller", .truth = { CHANGED, 2 }, FAULT(WRONG), .frame = 1 },
	{ "cfi_goes_on_below_the_outermost_frame", .truth = { CUT, 3, STOP_COMPLETE },
	  FAULT(NO_END), .frame = 2 },
	{ "cfi_ends_too_early", .truth = { EXTENDED }, FAULT(EARLY_END), .frame = UINT32_MAX },
	{ "below_a_prefix_all_is_allowed", .truth = { CUT, 3, STOP_NONE }, .prefix = true,
	  .verdict = VERDICT_EXACT },
	{ "a_prefix_must_still_match", .truth = { CHANGED, 2 }, .prefix = true, FAULT(WRONG),
	  .frame = 1 },
	{ "referee_agrees_with_neither", .truth = { CHANGED, 2 }, .cfi = { EXTENDED, 2 },
	  .table = { EXTENDED, 2 }, .no_bpf = true, .verdict = VERDICT_UNEXPLAINED, .frame = 1 },
	{ "nothing_agrees", .truth = { CHANGED, 0 }, .verdict = VERDICT_UNEXPLAINED },
};

struct world {
	pid_t child;
	struct image_store *store;
	struct address_space space;
	struct target_memory *cache;
	struct memory_reader memory;
	struct register_values regs;
	struct shadow_stack shadow;
	struct trace_stop stop;
	struct point point;
	struct referee *referee;
	struct stack walked;
};

static __attribute__((noinline, noipa)) void stop_self(int depth)
{
	if (depth)
		stop_self(depth - 1);
	else
		raise(SIGSTOP);
	__asm__ volatile("");
}

static void world_init(struct world *world)
{
	struct error error;
	int status;

	*world = (struct world) { .child = fork() };
	if (!world->child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		alarm(20);
		stop_self(4);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(world->child, &status, 0), world->child);
	ck_assert(WIFSTOPPED(status));
	world->store = image_store_create();
	world->referee = referee_create();
	world->cache = target_memory_create();
	ck_assert(!address_space_read(&world->space, world->store, world->child, &error));
	target_memory_reset(world->cache, world->child);
	world->memory = target_memory_reader(world->cache);
	world->stop = (struct trace_stop) {
		.pid = world->child, .tid = world->child, .shadow = &world->shadow, .trapped = true
	};
	struct user_regs_struct user;
	ck_assert(!ptrace(PTRACE_GETREGS, world->child, 0, &user));
	world->stop.regs = world->regs = register_values_from_user(&user);
	shadow_stack_init(&world->shadow, true);
	const struct point point = { &world->stop, &world->space, &world->regs, &world->memory, 0 };
	world->point = point;
	ck_assert(!walk_rows(&world->space, &world->regs, &world->memory, NULL, &world->walked,
			     &error));
	ck_assert_uint_ge(world->walked.count, 7);
	ck_assert_uint_eq(world->walked.stop, STOP_COMPLETE);
}

static void world_deinit(struct world *world)
{
	kill(world->child, SIGKILL);
	waitpid(world->child, NULL, 0);
	shadow_stack_deinit(&world->shadow);
	target_memory_destroy(world->cache);
	referee_destroy(world->referee);
	address_space_deinit(&world->space);
	image_store_destroy(world->store);
	stack_deinit(&world->walked);
}

static struct stack *differ(const struct stack *from, struct difference difference)
{
	struct stack *stack = calloc(1, sizeof(*stack));
	struct error error;

	ck_assert(!stack_copy(stack, from, &error));
	switch (difference.change) {
	case AS_IT_IS: break;
	case CHANGED: stack->pc[difference.at] ^= 0x10; break;
	case CUT:
		stack->count = difference.at;
		stack->stop = difference.stop;
		break;
	case EXTENDED: /* at its end, or a frame put in */
		if (difference.at)
			stack->pc[difference.at] ^= 0x20;
		else
			ck_assert(!stack_push(stack, 0x1234, &error));
		break;
	case STOPPED: stack->stop = difference.stop; break;
	}
	return stack;
}

START_TEST(evidence_is_judged)
{
	const struct judge_case *c = &judge_cases[_i];
	struct judgement judgement;
	static struct world world;

	world_init(&world);
	world.shadow.rooted = !c->prefix;
	struct stack *truth = differ(&world.walked, c->truth), *cfi = differ(&world.walked, c->cfi);
	struct stack *table = differ(&world.walked, c->table), *bpf = differ(&world.walked, c->bpf);
	struct evidence evidence = { &world.point,	     truth,	cfi,  table,
				     c->no_bpf ? NULL : bpf, c->absent, NULL, false };
	judge_evidence(&evidence, world.referee, &judgement);
	ck_assert_msg(judgement.verdict == c->verdict && judgement.kind == c->kind,
		      "%s: verdict %d (%s), %s", c->name, judgement.verdict,
		      verdict_name(judgement.verdict), fault_kind_name(judgement.kind));
	ck_assert_msg(judgement.frame ==
			      (c->frame == UINT32_MAX ? world.walked.count - 1 : c->frame),
		      "%s: frame %u of %u", c->name, judgement.frame, world.walked.count);
	ck_assert(c->verdict != VERDICT_TABLE_FAULT ||
		  judgement.pc == world.walked.pc[judgement.frame] - (judgement.frame > 0));
	ck_assert(c->kind != FAULT_WRONG ||
		  judgement.declared_cfa > world.stop.regs.value[REGISTER_RSP]);
	drop_stack(truth);
	drop_stack(cfi);
	drop_stack(table);
	drop_stack(bpf);
	world_deinit(&world);
}
END_TEST

static const struct {
	const char *name;
	bool mapped;
	enum verdict verdict;
	enum fault_kind kind;
	uint32_t stop;
} top_cases[] = {
	{ "code_without_an_fde_is_missing", true, VERDICT_TABLE_FAULT, FAULT_MISSING, STOP_NO_ROW },
	{ "unmapped_code_is_unexplained", false, VERDICT_UNEXPLAINED, FAULT_NONE, STOP_NO_MAPPING },
};

START_TEST(code_without_cfi_at_the_top)
{
	uint64_t pc = top_cases[_i].mapped ? (uint64_t)uncovered_code : 0x10;
	struct stack cfi = { 0 }, truth = { 0 };
	struct judgement judgement;
	struct error error;
	static struct world world;

	world_init(&world);
	world.regs.value[REGISTER_RIP] = world.stop.regs.value[REGISTER_RIP] = pc;
	ck_assert(!walk_rows(&world.space, &world.regs, &world.memory, NULL, &cfi, &error));
	ck_assert(!stack_copy(&truth, &world.walked, &error));
	truth.pc[0] = pc;
	struct evidence evidence = { &world.point, &truth, &cfi, &cfi, &cfi, false, NULL, false };
	judge_evidence(&evidence, world.referee, &judgement);
	ck_assert_msg(judgement.verdict == top_cases[_i].verdict &&
			      judgement.kind == top_cases[_i].kind && judgement.pc == pc &&
			      judgement.stop == top_cases[_i].stop,
		      "%s: %s, %s at 0x%" PRIx64, top_cases[_i].name,
		      verdict_name(judgement.verdict), fault_kind_name(judgement.kind),
		      judgement.pc);
	stack_deinit(&cfi);
	stack_deinit(&truth);
	world_deinit(&world);
}
END_TEST

/* ---- deeper than the walk in BPF -------------------------------------------------------- */

/* So many frames, and how many of them bpf has, for which reason. */
#define DEEP(frames_, bpf_frames_, bpf_stop_)                                                      \
	.frames = (frames_), .bpf_frames = (bpf_frames_), .bpf_stop = (bpf_stop_)

static const struct {
	const char *name;
	uint32_t frames; /* of all but bpf */
	struct difference truth, table, bpf;
	uint32_t bpf_frames, bpf_stop;
	enum verdict verdict;
	uint32_t frame;
} deep_cases[] = {
	{ "bpf_ends_at_its_limit", DEEP(WALK_FRAMES_MAX + 1, WALK_FRAMES_MAX, STOP_DEPTH),
	  .verdict = VERDICT_EXACT },
	{ "and_far_below_the_others", DEEP(100000, WALK_FRAMES_MAX, STOP_DEPTH),
	  .verdict = VERDICT_EXACT },
	{ "there_is_no_more_to_come", DEEP(WALK_FRAMES_MAX, WALK_FRAMES_MAX, STOP_DEPTH),
	  .verdict = VERDICT_UNEXPLAINED, .frame = WALK_FRAMES_MAX - 1 },
	{ "before_its_limit_there_is_none",
	  DEEP(WALK_FRAMES_MAX + 1, WALK_FRAMES_MAX - 1, STOP_DEPTH), .verdict = VERDICT_WALK_FAULT,
	  .frame = WALK_FRAMES_MAX - 2 },
	{ "another_reason_is_no_limit", DEEP(WALK_FRAMES_MAX + 1, WALK_FRAMES_MAX, STOP_READ_FAULT),
	  .verdict = VERDICT_WALK_FAULT, .frame = WALK_FRAMES_MAX - 1 },
	{ "another_frame_before_it", DEEP(WALK_FRAMES_MAX + 1, WALK_FRAMES_MAX, STOP_DEPTH),
	  .bpf = { CHANGED, 500 }, .verdict = VERDICT_WALK_FAULT, .frame = 499 },
	{ "hides_no_conversion_loss", DEEP(WALK_FRAMES_MAX + 10, WALK_FRAMES_MAX, STOP_DEPTH),
	  .table = { CHANGED, WALK_FRAMES_MAX + 2 }, .verdict = VERDICT_CONVERSION_LOSS_SILENT,
	  .frame = WALK_FRAMES_MAX + 1 },
	{ "hides_no_table_fault", DEEP(WALK_FRAMES_MAX + 10, WALK_FRAMES_MAX, STOP_DEPTH),
	  .truth = { CHANGED, 2 }, .verdict = VERDICT_TABLE_FAULT, .frame = 1 },
};

/* More frames below the walked ones; nobody walks there again. */
START_TEST(bpf_is_excused_by_its_limit_alone)
{
	static struct world world;
	struct judgement judgement;
	struct error error;

	world_init(&world);
	while (world.walked.count < deep_cases[_i].frames)
		ck_assert(!stack_push(&world.walked, 0x1230 + world.walked.count % 2, &error));
	struct stack *truth = differ(&world.walked, deep_cases[_i].truth);
	struct stack *table = differ(&world.walked, deep_cases[_i].table);
	struct stack *bpf = differ(&world.walked, deep_cases[_i].bpf);
	struct evidence evidence = { .point = &world.point,
				     .truth = truth,
				     .cfi = &world.walked,
				     .table = table,
				     .bpf = bpf };

	bpf->count = deep_cases[_i].bpf_frames;
	bpf->stop = deep_cases[_i].bpf_stop;
	judge_evidence(&evidence, world.referee, &judgement);
	ck_assert_msg(judgement.verdict == deep_cases[_i].verdict &&
			      judgement.frame == deep_cases[_i].frame,
		      "%s: %s, frame %u", deep_cases[_i].name, verdict_name(judgement.verdict),
		      judgement.frame);
	drop_stack(truth);
	drop_stack(table);
	drop_stack(bpf);
	world_deinit(&world);
}
END_TEST

/* ---- frame pointers followed ------------------------------------------------------------ */

static const struct {
	const char *name;
	struct difference table, followed, bpf;
	bool mark; /* bpf's second frame was guessed, and followed's not */
	bool absent;
	enum verdict verdict;
	uint32_t frame;
} follow_cases[] = {
	{ "bpf_is_held_against_table_told_so_too", .followed = { CHANGED, 2 },
	  .bpf = { CHANGED, 2 }, .verdict = VERDICT_EXACT },
	{ "table_without_is_not_its_twin", .followed = { CHANGED, 2 },
	  .verdict = VERDICT_UNEXPLAINED, .frame = 1 },
	{ "a_mark_is_part_of_a_stack", .mark = true, .verdict = VERDICT_UNEXPLAINED,
	  .frame = UINT32_MAX },
	{ "what_was_guessed_excuses_no_loss", .table = { CUT, 2, STOP_COMPLETE },
	  .verdict = VERDICT_CONVERSION_LOSS_SILENT, .frame = 1 },
	{ "a_page_that_was_absent", .bpf = { CUT, 2, STOP_NO_ROW }, .absent = true,
	  .verdict = VERDICT_ABSENT, .frame = 1 },
};

START_TEST(a_walk_that_follows_is_held_against_its_twin)
{
	static struct world world;
	struct judgement judgement;

	world_init(&world);
	struct stack *table = differ(&world.walked, follow_cases[_i].table);
	struct stack *followed = differ(&world.walked, follow_cases[_i].followed);
	struct stack *bpf = differ(&world.walked, follow_cases[_i].bpf);
	followed->has_marks = bpf->has_marks = true;
	bpf->pc[1] |= follow_cases[_i].mark ? WALK_PC_GUESSED : 0;
	struct evidence evidence = { .point = &world.point,
				     .truth = &world.walked,
				     .cfi = &world.walked,
				     .table = table,
				     .bpf = bpf,
				     .followed = followed,
				     .absent = follow_cases[_i].absent };
	judge_evidence(&evidence, world.referee, &judgement);
	ck_assert_msg(judgement.verdict == follow_cases[_i].verdict, "%s: verdict %d",
		      follow_cases[_i].name, judgement.verdict);
	ck_assert_uint_eq(judgement.frame, follow_cases[_i].frame == UINT32_MAX
						   ? world.walked.count - 1
						   : follow_cases[_i].frame);
	drop_stack(table);
	drop_stack(followed);
	drop_stack(bpf);
	world_deinit(&world);
}
END_TEST

/* ---- findings --------------------------------------------------------------------------- */

START_TEST(findings_are_grouped_by_function)
{
	struct judgement judgement = { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_MISSING };
	struct findings findings = { .count = 0 };
	static struct world world;
	struct error error;

	world_init(&world);
	struct decoder *decoder = decoder_create(&error);
	for (int i = 0; i < 3; i++) {
		judgement.pc = (uint64_t)uncovered_code + i;
		findings_add(&findings, &judgement, &world.point, decoder);
	}
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_uint_eq(findings.finding[0].count, 3);
	ck_assert_str_eq(findings.finding[0].function, "uncovered_code");
	ck_assert_str_eq(findings.finding[0].declared, "no FDE covers it");
	ck_assert_str_eq(findings.finding[0].instruction, "nop");
	ck_assert_uint_eq(findings.finding[0].first.pc, (uint64_t)uncovered_code);
	judgement.kind = FAULT_WRONG;
	findings_add(&findings, &judgement, &world.point, decoder);
	ck_assert_uint_eq(findings.count, 2);
	judgement.verdict = VERDICT_READER_FAULT;
	findings_add(&findings, &judgement, &world.point, decoder);
	ck_assert_uint_eq(findings.count, 3);
	judgement.pc = (uint64_t)stop_self + 1;
	findings_add(&findings, &judgement, &world.point, decoder);
	ck_assert_uint_eq(findings.count, 4);
	ck_assert_str_eq(findings.finding[3].function, "stop_self");
	ck_assert_msg(strstr(findings.finding[3].declared, "cfa=") != NULL, "%s",
		      findings.finding[3].declared);
	judgement.pc = 0x10;
	findings_add(&findings, &judgement, &world.point, decoder);
	ck_assert_str_eq(findings.finding[4].function, "unmapped");
	ck_assert_str_eq(findings.finding[4].image, "");
	findings_deinit(&findings);
	ck_assert_uint_eq(findings.count, 0);
	decoder_destroy(decoder);
	world_deinit(&world);
}
END_TEST

START_TEST(findings_beyond_the_limit_are_counted)
{
	struct judgement judgement = { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_MISSING };
	struct findings findings = { .count = 0 };
	static struct world world;
	uint64_t added = 0;
	size_t symbols;
	struct error error;

	world_init(&world);
	struct decoder *decoder = decoder_create(&error);
	const struct mapping *mapping = address_space_find(&world.space, (uint64_t)stop_self);
	const struct image_symbol *symbol = image_symbols(mapping->entry->image, &symbols);
	for (size_t i = 0; i < symbols && added < FINDINGS_MAX + 20; i++) {
		judgement.pc = symbol[i].pc + mapping->bias;
		if ((i && symbol[i].pc == symbol[i - 1].pc) || !symbol[i].size ||
		    !strncmp(symbol[i].name, "_sub_", 5) || /* the sanitizers' of each object */
		    address_space_find(&world.space, judgement.pc) != mapping)
			continue;
		findings_add(&findings, &judgement, &world.point, decoder);
		added++;
	}
	uint64_t counted = findings.not_kept;
	for (size_t i = 0; i < findings.count; i++)
		counted += findings.finding[i].count;
	ck_assert(findings.count == FINDINGS_MAX && findings.not_kept);
	ck_assert_uint_eq(counted, added);
	judgement.kind = FAULT_WRONG; /* code that is accused has room of its own */
	ck_assert_ptr_nonnull(findings_add(&findings, &judgement, &world.point, decoder));
	findings_deinit(&findings);
	decoder_destroy(decoder);
	world_deinit(&world);
}
END_TEST

SUITE(verdict, LOOP(stacks_match, match_cases), LOOP(bpf_is_excused_by_its_limit_alone, deep_cases),
      LOOP(a_walk_that_follows_is_held_against_its_twin, follow_cases),
      LOOP(evidence_is_judged, judge_cases), LOOP(code_without_cfi_at_the_top, top_cases),
      TEST(findings_are_grouped_by_function), TEST(findings_beyond_the_limit_are_counted))
