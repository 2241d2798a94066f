/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_replay.c - what a case's engines are held against, and who is asked
 *
 * A case of one stopped child, which a row changes before its engines are asked again. Where ptrace is not
 * permitted it prints SKIP and the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "judge/disputes/disputes.h"
#include "engines/built_in/tests/stopped_child.h"
#include "judge/verdict/verdict.h"

__asm__(".text\n"
	".balign 16\n"
	"replay_leaf: .cfi_startproc; push %rbx; .cfi_adjust_cfa_offset 8; int3\n"
	"replay_leaf_after: pop %rbx; .cfi_adjust_cfa_offset -8; ret; .cfi_endproc\n"
	"replay_outer: .cfi_startproc; .cfi_undefined rip; call replay_leaf\n"
	"replay_outer_after: nop; .cfi_endproc\n");

extern const char replay_outer[], replay_leaf_after[], replay_outer_after[];

/* ---- engines ------------------------------------------------------------------------------ */

static int open_nothing(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = NULL;
	return 0;
}

static void close_nothing(void *engine)
{
}

static enum engine_answer lack(void *engine, const struct point *point, struct stack *ret,
			       struct error *error)
{
	error_set(error, ERROR_UNAVAILABLE, "", 0, "it is not here");
	return ENGINE_ERROR;
}

static enum engine_answer fall_over(void *engine, const struct point *point, struct stack *ret,
				    struct error *error)
{
	error_set(error, ERROR_MEMORY, "", 0, "it fell over");
	return ENGINE_ERROR;
}

static const struct engine engine_lacks = {
	.name = "lacks", .open = open_nothing, .close = close_nothing, .walk = lack
};
static enum engine_answer keep_silent(void *engine, const struct point *point, struct stack *ret,
				      struct error *error)
{
	return ENGINE_SILENT;
}

static int open_badly(struct bpf_records *records, void **ret, struct error *error)
{
	return error_set(error, ERROR_SYSTEM, "", 0, "it can't be opened");
}

static int take_no_mappings(void *engine, const struct address_space *space, struct error *error)
{
	return error_set(error, ERROR_SYSTEM, "", 0, "no mappings");
}

static const struct engine engine_silent = {
	.name = "silent", .open = open_nothing, .close = close_nothing, .walk = keep_silent
};
static const struct engine engine_closed = {
	.name = "closed", .open = open_badly, .close = close_nothing, .walk = fall_over
};
static const struct engine engine_unmapped = { .name = "unmapped",
					       .open = open_nothing,
					       .close = close_nothing,
					       .mappings = take_no_mappings,
					       .walk = keep_silent };
static const struct engine engine_fails = {
	.name = "fails", .open = open_nothing, .close = close_nothing, .walk = fall_over
};

/* ---- a case ------------------------------------------------------------------------------- */

static struct dispute_folder folder;

/* NULL: no ptrace. The truth has two frames, and fp and others' have an answer beside the built-in ones'. */
static struct dispute *collect(void)
{
	const uint64_t pc[] = { (uint64_t)replay_leaf_after, (uint64_t)replay_outer_after };
	struct stack truth = { 0 };
	const struct dispute_said said[] = { { &engine_fp, &truth } };
	struct shadow_stack shadow = { .rooted = true };
	char path[] = "/tmp/test_dispute_replay.XXXXXX";
	struct stopped_child child;
	struct dispute_answer *answer;
	struct dispute *dispute;
	struct error error;

	if (!stopped_child_init(&child, replay_outer, 0, 0, 0)) {
		printf("SKIP dispute_replay: no ptrace\n");
		return NULL;
	}
	child.stop.shadow = &shadow;
	ck_assert(!stack_set(&truth, pc, 2, STOP_COMPLETE, &error));
	dispute = dispute_collect(&child.point, &truth, said, COUNT(said), false, &error);
	ck_assert_msg(dispute != NULL, "%s", error.message);
	answer = dispute_add_answer(dispute, "others", &error);
	ck_assert_ptr_nonnull(answer);
	answer->asked = answer->external = true;
	ck_assert(!stack_copy(&answer->stack, &truth, &error));
	close(mkstemp(path));
	ck_assert_msg(!dispute_write(dispute, path, &error), "%s", error.message);
	dispute_destroy(dispute);
	stack_deinit(&truth);
	stopped_child_deinit(&child);
	dispute = dispute_read(path, &folder, &error);
	ck_assert_msg(dispute != NULL, "%s", error.message);
	unlink(path);
	return dispute;
}

static void replay(struct dispute *dispute, const struct engine_list *list,
		   struct dispute_replay *ret)
{
	struct dispute_stage *stage;
	struct error error;

	ck_assert(!dispute_stage_create(dispute, &folder, &stage, &error));
	ck_assert_msg(!dispute_replay(dispute, stage, list, ret, &error), "%s", error.message);
	dispute_stage_destroy(stage);
	dispute_folder_deinit(&folder);
}

/* ---- one engine --------------------------------------------------------------------------- */

/* What a row changes. */
enum change {
	NO_CHANGE,
	UNKNOWN,	/* the case has no answer of the engine's */
	UNKNOWN_LESS,	/* and its truth has a frame less */
	UNKNOWN_PREFIX, /* which is not all of it */
	ANSWER_LESS,	/* the answer has a frame less, the same up to there */
	ANSWER_MORE,
	ANSWER_OTHER, /* its last frame is another */
	OTHER_STACK,  /* the thread's stack is where the case has nothing */
};

static const struct {
	const char *name;
	const struct engine *engine;
	enum change change;
	enum dispute_result result;
	enum match match;
	uint32_t same_frames;
	const char *reason, *message; /* NULL: none */
	bool missed, finding;
} cases[] = {
	{ "as_it_was", &engine_cfi, NO_CHANGE, DISPUTE_SAME, MATCH_EXACT, 2, .reason = NULL },
	{ "new_and_right", &engine_cfi, UNKNOWN, DISPUTE_NEW, MATCH_EXACT, 0, .reason = NULL },
	{ "new_and_more", &engine_cfi, UNKNOWN_LESS, DISPUTE_NEW, MATCH_EXTRA, 0, .finding = true },
	{ "new_and_more_is_right", &engine_cfi, UNKNOWN_PREFIX, DISPUTE_NEW, MATCH_EXACT, 0,
	  .reason = NULL },
	{ "less_then", &engine_cfi, ANSWER_LESS, DISPUTE_DIFFERS, MATCH_EXACT, 1, .finding = true },
	{ "more_then", &engine_cfi, ANSWER_MORE, DISPUTE_DIFFERS, MATCH_EXACT, 2, .finding = true },
	{ "another_then", &engine_cfi, ANSWER_OTHER, DISPUTE_DIFFERS, MATCH_EXACT, 1,
	  .finding = true },
	{ "what_the_case_lacks", &engine_cfi, OTHER_STACK, DISPUTE_DIFFERS, MATCH_TRUNCATED, 1,
	  .missed = true, .finding = true },
	{ "in_the_kernel", &engine_fp, NO_CHANGE, DISPUTE_SKIPPED, MATCH_EXACT, 0, "needs_kernel",
	  "it runs in the kernel, at the point itself", .missed = false },
	{ "not_here", &engine_lacks, NO_CHANGE, DISPUTE_SKIPPED, MATCH_EXACT, 0, "unavailable",
	  "it is not here", .missed = false },
	{ "that_can_t_be_opened", &engine_closed, NO_CHANGE, DISPUTE_SKIPPED, MATCH_EXACT, 0,
	  "unavailable", "it can't be opened", .missed = false },
	{ "that_takes_no_mappings", &engine_unmapped, NO_CHANGE, DISPUTE_FAILED, MATCH_EXACT, 0,
	  NULL, "no mappings", .finding = true },
	{ "silent", &engine_silent, NO_CHANGE, DISPUTE_FAILED, MATCH_EXACT, 0, .finding = true },
	{ "failed", &engine_fails, NO_CHANGE, DISPUTE_FAILED, MATCH_EXACT, 0, NULL, "it fell over",
	  .finding = true },
};

static void change_case(struct dispute *dispute, enum change change)
{
	struct dispute_answer *answer = dispute_find_answer(dispute, "cfi");
	struct error error;

	if (change == UNKNOWN || change == UNKNOWN_LESS || change == UNKNOWN_PREFIX)
		strcpy(answer->engine, "ifc");
	if (change == UNKNOWN_LESS || change == UNKNOWN_PREFIX)
		dispute->truth.count--;
	if (change == UNKNOWN_PREFIX)
		dispute->rooted = false;
	if (change == ANSWER_LESS)
		answer->stack.count--;
	if (change == ANSWER_MORE)
		ck_assert(!stack_push(&answer->stack, 0x1000, &error));
	if (change == ANSWER_OTHER)
		answer->stack.pc[1]++;
	if (change == OTHER_STACK)
		dispute->regs.value[REGISTER_RSP] = 0x10000;
}

START_TEST(what_an_engine_is_held_against)
{
	const struct engine_list list = { { cases[_i].engine }, 1, { NULL }, 0 };
	struct dispute *dispute = collect();
	const struct dispute_verdict *verdict;
	struct dispute_replay replayed;

	if (!dispute)
		return;
	change_case(dispute, cases[_i].change);
	replay(dispute, &list, &replayed);
	ck_assert_uint_eq(replayed.count, 1);
	verdict = &replayed.verdict[0];
	ck_assert_msg(verdict->result == cases[_i].result, "%s: %s: %s", cases[_i].name,
		      dispute_result_name(verdict->result), verdict->message);
	for (int i = 0; i < DISPUTE_RESULT_COUNT; i++)
		ck_assert_uint_eq(replayed.result[i], i == (int)cases[_i].result);
	ck_assert_str_eq(verdict->engine, cases[_i].engine->name);
	ck_assert_msg(verdict->match == cases[_i].match, "%s: %s", cases[_i].name,
		      match_name(verdict->match));
	ck_assert_msg(verdict->same_frames == cases[_i].same_frames, "%s: %u", cases[_i].name,
		      verdict->same_frames);
	ck_assert_str_eq(verdict->reason ?: "", cases[_i].reason ?: "");
	ck_assert_str_eq(verdict->message, cases[_i].message ?: "");
	ck_assert_msg((verdict->missed > 0) == cases[_i].missed, "%s", cases[_i].name);
	ck_assert_msg(dispute_is_finding(verdict) == cases[_i].finding, "%s", cases[_i].name);
	dispute_replay_deinit(&replayed);
	dispute_destroy(dispute);
}
END_TEST

/* ---- all of them -------------------------------------------------------------------------- */

static const struct dispute_verdict *verdict_of(const struct dispute_replay *replayed,
						const char *engine)
{
	const struct dispute_verdict *found = NULL;

	for (size_t i = 0; i < replayed->count; i++)
		if (!strcmp(replayed->verdict[i].engine, engine)) {
			ck_assert_msg(!found, "%s is there twice", engine);
			found = &replayed->verdict[i];
		}
	return found;
}

/* Those that are built in and can be asked, and whoever else has an answer in the case. */
START_TEST(who_is_asked_if_nobody_is_named)
{
	static const struct engine_list none;
	struct dispute *dispute = collect();
	struct dispute_replay replayed;
	uint64_t skipped = 0;

	if (!dispute)
		return;
	replay(dispute, &none, &replayed);
	for (size_t i = 0; engine_at(i); i++) {
		bool is_asked = dispute_can_ask(engine_at(i)) || engine_at(i) == &engine_fp;

		ck_assert_msg(!!verdict_of(&replayed, engine_at(i)->name) == is_asked, "%s",
			      engine_at(i)->name);
	}
	ck_assert_str_eq(verdict_of(&replayed, "fp")->reason, "needs_kernel");
	ck_assert_int_eq(verdict_of(&replayed, "others")->result, DISPUTE_SKIPPED);
	ck_assert_str_eq(verdict_of(&replayed, "others")->reason, "not_given");
	for (size_t i = 0; i < replayed.count; i++)
		skipped += replayed.verdict[i].result == DISPUTE_SKIPPED;
	ck_assert_uint_eq(replayed.result[DISPUTE_SKIPPED], skipped);
	dispute_replay_deinit(&replayed);
	dispute_destroy(dispute);
}
END_TEST

SUITE(dispute_replay, LOOP(what_an_engine_is_held_against, cases),
      TEST(who_is_asked_if_nobody_is_named))
