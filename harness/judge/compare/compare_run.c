/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_run.c - tracer, engines and verdicts brought together
 *
 * A comparer holds what outlives a program: engines, images with their tables, the BPF session. The
 * verdict always needs the cfi and the table engine, so those two run whether or not their scores
 * were asked for.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "clock.h"
#include "process_scan.h"
#include "comparer.h"
#include "base/images/debug_link.h"
#include "walk/walk_rows.h"

/* ENGINE_NEEDS_* of all engines. */
static unsigned int needs_of(const struct compare_options *options)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < options->engine_count; i++)
		needs |= options->engine[i]->needs;
	return needs;
}

void compare_forget_mappings(struct comparer *comparer)
{
	memset(&comparer->anonymous, 0, sizeof(comparer->anonymous));
	memset(comparer->unmapped, 0, sizeof(comparer->unmapped));
	memset(comparer->lost_code, 0, sizeof(comparer->lost_code));
	walk_memo_reset(comparer->rows_memo);
	walk_memo_reset(comparer->table_memo);
	walk_memo_reset(comparer->followed_memo);
	decoder_flush(comparer->decoder);
	if (comparer->options.on_mappings)
		comparer->options.on_mappings(comparer->options.context);
}

int compare_tell_mappings(struct comparer *comparer)
{
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->engine[i];

		if (!engine->skipped && engine->engine->mappings &&
		    engine->engine->mappings(engine->open, &comparer->space,
					     &comparer->mapping_error)) {
			comparer->mappings_failed = true;
			return -1;
		}
	}
	return 0;
}

int compare_mappings(void *context, pid_t pid)
{
	struct comparer *comparer = context;

	compare_forget_mappings(comparer);
	if (!address_space_read(&comparer->space, comparer->store, pid, &comparer->mapping_error))
		return compare_tell_mappings(comparer);
	comparer->mappings_failed = true;
	return -1;
}

static int on_passed(void *context, pid_t tid, uint64_t pc, struct error *error)
{
	struct comparer *comparer = context;

	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->engine[i];

		if (!engine->skipped && engine->engine->pass &&
		    engine->engine->pass(engine->open, tid, pc, error))
			return -1;
	}
	return bpf_records_pass(comparer->records, error);
}

static int open_engines(struct comparer *comparer, const struct compare_options *options,
			struct error *error)
{
	for (size_t i = 0; i < options->engine_count; i++) {
		struct compare_engine *engine = &comparer->engine[comparer->engine_count++];

		engine->engine = options->engine[i];
		if (!engine_open(engine->engine, comparer->records, &engine->open, error))
			continue;
		engine->skipped = true;
		engine->skip = *error;
		if (error->code != ERROR_UNAVAILABLE)
			return -1;
	}
	return 0;
}

void comparer_destroy(struct comparer *comparer)
{
	if (!comparer)
		return;
	for (size_t i = 0; i < comparer->engine_count; i++)
		if (!comparer->engine[i].skipped)
			comparer->engine[i].engine->close(comparer->engine[i].open);
	walk_memo_destroy(comparer->rows_memo);
	walk_memo_destroy(comparer->table_memo);
	walk_memo_destroy(comparer->followed_memo);
	decoder_destroy(comparer->decoder);
	referee_destroy(comparer->referee);
	bpf_records_destroy(comparer->records);
	address_space_deinit(&comparer->space);
	target_memory_destroy(comparer->memory);
	stack_deinit(&comparer->truth);
	stack_deinit(&comparer->cfi);
	stack_deinit(&comparer->table);
	stack_deinit(&comparer->bpf);
	stack_deinit(&comparer->other);
	stack_deinit(&comparer->followed);
	stack_deinit(&comparer->alternative);
	image_store_destroy(comparer->store);
	free(comparer);
}

int comparer_create(const struct compare_options *options, struct comparer **ret,
		    struct error *error)
{
	struct comparer *comparer = calloc(1, sizeof(*comparer));
	unsigned int needs;

	if (!comparer)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a comparer");
	comparer->options = *options;
	comparer->store = debug_link_store();
	comparer->memory = target_memory_create();
	needs = needs_of(options);
	comparer->records = bpf_records_create(needs & ENGINE_NEEDS_WALK,
					       needs & ENGINE_NEEDS_FRAME_POINTER, options->method,
					       options->follow_frame_pointers);
	comparer->referee = referee_create();
	comparer->rows_memo = walk_memo_create();
	comparer->table_memo = walk_memo_create();
	comparer->followed_memo = walk_memo_create();
	comparer->decoder = decoder_create(error);
	if (!comparer->decoder)
		goto bad;
	if (!comparer->store || !comparer->memory || !comparer->records || !comparer->referee ||
	    !comparer->rows_memo || !comparer->table_memo || !comparer->followed_memo) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a comparer");
		goto bad;
	}
	if (options->table != COMPARE_TABLE_CFI)
		image_store_tables(comparer->store, options->table == COMPARE_TABLE_SFRAME
							    ? table_build_own_sframe
							    : table_build_sframe_or_cfi);
	image_store_prepare(comparer->store, options->prepare, options->prepare_context);
	if (open_engines(comparer, options, error))
		goto bad;
	*ret = comparer;
	return 0;
bad:
	comparer_destroy(comparer);
	return -1;
}

void comparison_init(const struct comparer *comparer, const struct tracer_options *options,
		     struct comparison *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < comparer->engine_count; i++)
		ret->engine[i] = comparer->engine[i];
	ret->engine_count = comparer->engine_count;
	ret->table = comparer->options.table;
	ret->follows_frame_pointers = comparer->options.follow_frame_pointers;
	ret->attach = options->attach;
	ret->synthesized = comparer->options.synthesized;
	snprintf(ret->bpf_method, sizeof(ret->bpf_method), "%s",
		 bpf_records_method(comparer->records));
}

/* What is known when the run is over. early: why it is not whole. */
static void finish(struct comparer *comparer, const struct tracer_options *options,
		   const struct error *early, uint64_t elapsed_ns, struct comparison *ret)
{
	pid_t pid = ret->attach ? ret->pid : comparer->space.pid;

	ret->elapsed_ns = ret->cut.elapsed_ns = elapsed_ns;
	ret->cut.points = ret->points;
	if (comparison_in_bursts(ret))
		ret->process_ended = ret->pid && process_has_ended(ret->pid);
	run_cut_set(&ret->cut, options, &ret->truth, ret->attach ? NULL : &comparer->space, early);
	if (pid)
		bpf_records_forget(comparer->records, pid);
}

bool comparer_run_far(struct comparer *comparer, const struct tracer_options *options,
		      struct comparison *ret)
{
	struct tracer_callbacks callbacks = { .on_mappings = compare_mappings,
					      .on_stop = compare_point,
					      .on_passed = on_passed,
					      .on_burst = compare_burst,
					      .on_burst_end = compare_burst_end,
					      .context = comparer,
					      .observer = &comparer->observer };
	const struct error none = { .code = ERROR_NONE };
	uint64_t begin = monotonic_ns();
	enum tracer_ending ending;
	struct error early;
	int status;

	comparison_init(comparer, options, ret);
	comparer->result = comparer->first = ret;
	comparer->mappings_failed = false;
	compare_observe(comparer);
	compare_external_begin(comparer);
	compare_cost_begin(comparer);
	status = tracer_run(options, &callbacks, &ret->truth, &ret->status, &early);
	compare_bursts_over(comparer);
	comparer->result = ret;
	compare_observe_end(comparer);
	compare_cost_end(comparer);
	compare_external_end(ret);
	/* An attached process that was about to end is left out by the tracer, and then status is 0. */
	if (comparer->mappings_failed &&
	    ((!status && !options->attach) || ret->truth.ending == TRACER_FAILED)) {
		early = comparer->mapping_error;
		ret->truth.ending = TRACER_FAILED;
		status = -1;
	}
	if (!status)
		early = none;
	if (!status && ret->truth.ending == TRACER_KILLED)
		error_set(&early, ERROR_PROTOCOL, "", 0, "the program was killed by SIGKILL");
	ending = ret->truth.ending;
	for (struct comparison *at = ret; at; at = at->next) {
		/* Of a process that had ended by itself nothing is missing. */
		bool is_whole = at->process_ended && at->points && !comparison_in_bursts(at);

		at->truth.ending = is_whole ? TRACER_ENDED : ending;
		finish(comparer, options, is_whole ? &none : &early, monotonic_ns() - begin, at);
	}
	address_space_deinit(&comparer->space);
	comparer->space.pid = 0;
	return early.code == ERROR_NONE;
}

int comparer_run(struct comparer *comparer, const struct tracer_options *options,
		 struct comparison *ret, struct error *error)
{
	if (comparer_run_far(comparer, options, ret) || ret->cut.ending == TRACER_KILLED)
		return 0;
	*error = ret->cut.early;
	comparison_deinit(ret);
	return -1;
}

void comparison_deinit(struct comparison *comparison)
{
	struct comparison *next = comparison->next, *after;

	findings_deinit(&comparison->findings);
	comparison->next = NULL;
	for (; next; next = after) {
		after = next->next;
		findings_deinit(&next->findings);
		free(next);
	}
}

/* In bursts all truths are prefixes, of one frame at least: more of them is asked for there. */
bool comparison_is_thin(const struct comparison *comparison)
{
	const struct tracer_counters *truth = &comparison->truth;

	return comparison->verdict[VERDICT_UNPROVEN] > comparison->points / 2 ||
	       !comparison->points || truth->max_frames < 2 ||
	       (!comparison_in_bursts(comparison) && truth->unrooted > comparison->points / 2);
}

bool comparison_is_doubtful(const struct comparison *comparison)
{
	return comparison->verdict[VERDICT_UNPROVEN] > comparison->points * UNPROVEN_SHARE_MAX;
}

uint64_t comparison_ignored(const struct comparison *comparison)
{
	uint64_t points = 0;

	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		points += comparison->ignored[verdict];
	return points;
}

const char *compare_table_name(enum compare_table table)
{
	return table == COMPARE_TABLE_CFI      ? "cfi"
	       : table == COMPARE_TABLE_SFRAME ? "sframe"
					       : "sframe,cfi";
}

bool comparison_has_findings(const struct comparison *comparison)
{
	const uint64_t *verdict = comparison->verdict;
	uint64_t ignored = comparison_ignored(comparison) -
			   comparison->ignored[VERDICT_CONVERSION_LOSS_FLAGGED];

	return ARRAY_ANY(comparison->engine_count, i, comparison->engine[i].score.silent) ||
	       comparison->points !=
		       verdict[VERDICT_EXACT] + verdict[VERDICT_CONVERSION_LOSS_FLAGGED] +
			       verdict[VERDICT_ABSENT] + verdict[VERDICT_UNPROVEN] + ignored;
}
