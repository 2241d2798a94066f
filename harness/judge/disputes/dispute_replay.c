/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_replay.c - a case's engines asked again, and held against what it says
 *
 * Who has an answer in the case must give it again, frames and stop reason; who has none, an engine
 * that nobody knew then, is held against the truth. A case names the engines that were asked, and what
 * their commands were it does not: nothing is started because a file says so.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "disputes.h"
#include "judge/verdict/verdict.h"

const char *dispute_result_name(enum dispute_result result)
{
	static const char *const name[DISPUTE_RESULT_COUNT] = {
		[DISPUTE_SAME] = "same",       [DISPUTE_DIFFERS] = "differs", [DISPUTE_NEW] = "new",
		[DISPUTE_SKIPPED] = "skipped", [DISPUTE_FAILED] = "failed",
	};

	return name[result];
}

bool dispute_is_finding(const struct dispute_verdict *verdict)
{
	return verdict->result == DISPUTE_DIFFERS || verdict->result == DISPUTE_FAILED ||
	       (verdict->result == DISPUTE_NEW && verdict->match != MATCH_EXACT);
}

static uint32_t same_frames(const struct stack *a, const struct stack *b)
{
	uint32_t same = 0;

	while (same < a->count && same < b->count && a->pc[same] == b->pc[same])
		same++;
	return same;
}

static struct dispute_verdict *add(struct dispute_replay *replay, const char *engine,
				   struct error *error)
{
	struct dispute_verdict *verdict = ARRAY_ADD(replay->verdict, replay->count,
						    (struct dispute_verdict) { .engine = engine });

	if (!verdict)
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	return verdict;
}

static int skip(struct dispute_replay *replay, const char *engine, const char *reason,
		const char *message, struct error *error)
{
	struct dispute_verdict *verdict = add(replay, engine, error);

	if (!verdict)
		return -1;
	verdict->result = DISPUTE_SKIPPED;
	verdict->reason = reason;
	snprintf(verdict->message, sizeof(verdict->message), "%s", message);
	replay->result[DISPUTE_SKIPPED]++;
	return 0;
}

static void judge(const struct dispute *dispute, struct dispute_verdict *verdict)
{
	verdict->match = match_stack(&verdict->stack, &dispute->truth, dispute->rooted,
				     &verdict->right);
	if (!verdict->kept) {
		verdict->result = DISPUTE_NEW;
		return;
	}
	verdict->same_frames = same_frames(&verdict->stack, &verdict->kept->stack);
	verdict->result = stack_equal(&verdict->stack, &verdict->kept->stack) ? DISPUTE_SAME
									      : DISPUTE_DIFFERS;
}

static int ask(struct dispute *dispute, struct dispute_stage *stage, const struct engine *engine,
	       struct dispute_replay *ret, struct error *error)
{
	struct dispute_memory memory = { .dispute = dispute };
	struct memory_reader reader = dispute_memory_reader(&memory);
	struct dispute_verdict *verdict;
	struct error failure = { 0 };

	if (!dispute_can_ask(engine))
		return skip(ret, engine->name, "needs_kernel",
			    "it runs in the kernel, at the point itself", error);
	verdict = add(ret, engine->name, error);
	if (!verdict)
		return -1;
	verdict->kept = dispute_find_answer(dispute, engine->name);
	if (dispute_ask(stage, engine, &reader, &verdict->stack, &failure) == ENGINE_STACK) {
		judge(dispute, verdict);
	} else {
		bool unavailable = failure.code == ERROR_UNAVAILABLE;

		verdict->result = unavailable ? DISPUTE_SKIPPED : DISPUTE_FAILED;
		verdict->reason = unavailable ? "unavailable" : NULL;
		snprintf(verdict->message, sizeof(verdict->message), "%.150s", failure.message);
	}
	verdict->missed = memory.missed;
	ret->result[verdict->result]++;
	return 0;
}

static bool is_asked(const struct dispute_replay *replay, const char *engine)
{
	return ARRAY_ANY(replay->count, i, !strcmp(replay->verdict[i].engine, engine));
}

/* All that are built in; of the others it is said that they were not asked. */
static int ask_known(struct dispute *dispute, struct dispute_stage *stage,
		     struct dispute_replay *ret, struct error *error)
{
	for (size_t i = 0; engine_at(i); i++)
		if ((dispute_can_ask(engine_at(i)) ||
		     dispute_find_answer(dispute, engine_at(i)->name)) &&
		    ask(dispute, stage, engine_at(i), ret, error))
			return -1;
	for (size_t i = 0; i < dispute->answer_count; i++)
		if (!is_asked(ret, dispute->answer[i].engine) &&
		    skip(ret, dispute->answer[i].engine, "not_given",
			 "it is a program of its own: say what to start by --engine", error))
			return -1;
	return 0;
}

int dispute_replay(struct dispute *dispute, struct dispute_stage *stage,
		   const struct engine_list *list, struct dispute_replay *ret, struct error *error)
{
	*ret = (struct dispute_replay) { 0 };
	if (!list->count)
		return ask_known(dispute, stage, ret, error);
	for (size_t i = 0; i < list->count; i++)
		if (ask(dispute, stage, list->engine[i], ret, error))
			return -1;
	return 0;
}

void dispute_replay_deinit(struct dispute_replay *replay)
{
	for (size_t i = 0; i < replay->count; i++)
		stack_deinit(&replay->verdict[i].stack);
	free(replay->verdict);
	*replay = (struct dispute_replay) { 0 };
}
