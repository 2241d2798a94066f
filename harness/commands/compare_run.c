// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * compare_run.c - tracer, engines and verdicts brought together
 *
 * At every point the truth is taken from the shadow stack and each engine is asked for its stack.
 * The verdict always needs the cfi and the table engine, so those two run whether or not their
 * scores were asked for.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "compare.h"

struct run {
	struct comparison *result;
	struct address_space space;
	struct image_store *store;
	struct target_memory *memory;
	struct bpf_records *records;
	struct referee *referee;
	struct decoder *decoder;
	struct stack truth, cfi, table, bpf, other; /* of the point at hand */
	struct error mapping_error; /* on_mappings can't end the run; the next point does */
	bool mappings_failed;
};

static bool chosen(const struct compare_options *options, const struct engine *engine)
{
	for (size_t i = 0; i < options->engine_count; i++)
		if (options->engine[i] == engine)
			return true;
	return false;
}

static int on_mappings(void *context, pid_t pid)
{
	struct run *run = context;
	struct error *error = &run->mapping_error;

	if (address_space_read(&run->space, run->store, pid, error)) {
		run->mappings_failed = true;
		return -1;
	}
	for (size_t i = 0; i < run->result->engine_count; i++) {
		struct compare_engine *engine = &run->result->engine[i];

		if (!engine->skipped && engine->engine->mappings &&
		    engine->engine->mappings(engine->open, &run->space, error)) {
			run->mappings_failed = true;
			return -1;
		}
	}
	return 0;
}

/* Every frame but the outermost, which needs no step, has an FDE. */
static bool is_covered(const struct run *run)
{
	for (uint32_t i = 0; i + 1 < run->truth.count; i++) {
		const struct mapping *mapping =
			address_space_find(&run->space, run->truth.pc[i] - (i > 0));

		if (!mapping || !mapping->entry ||
		    !cfi_fde_find(mapping->entry->cfi,
				  run->truth.pc[i] - (i > 0) - mapping->bias))
			return false;
	}
	return true;
}

static void add_score(struct score *score, const struct stack *stack, const struct stack *truth,
		      bool rooted, bool covered)
{
	uint32_t frames;
	enum match match = match_stack(stack, truth, rooted, &frames);

	score->points++;
	score->match[match]++;
	score->frames += stack->count;
	if (stack->stop < STOP_REASON_COUNT)
		score->stop[stack->stop]++;
	score->covered += covered;
	score->exact_covered += covered && match == MATCH_EXACT;
	score->false_complete += stack->stop == STOP_COMPLETE && match != MATCH_EXACT;
}

static int ask_engines(struct run *run, const struct point *point, bool covered, bool *ret_bpf,
		       struct error *error)
{
	for (size_t i = 0; i < run->result->engine_count; i++) {
		struct compare_engine *engine = &run->result->engine[i];
		const struct engine *kind = engine->engine;
		struct stack *stack = &run->other;
		enum engine_answer answer = ENGINE_STACK;

		if (engine->skipped)
			continue;
		if (kind->in_kernel && !point->stop->trapped) {
			engine->score.untrapped++;
			continue;
		}
		if (kind == &engine_cfi)
			stack = &run->cfi;
		else if (kind == &engine_table)
			stack = &run->table;
		else
			answer = kind->walk(engine->open, point,
					    kind == &engine_bpf ? stack = &run->bpf : stack, error);
		if (answer == ENGINE_ERROR)
			return -1;
		if (answer == ENGINE_SILENT) {
			engine->score.silent++;
			continue;
		}
		*ret_bpf |= kind == &engine_bpf;
		add_score(&engine->score, stack, &run->truth, point->stop->shadow->rooted, covered);
	}
	return 0;
}

/*
 * The truth where the shadow stack alone does not have it. What a signal interrupted goes on where
 * the saved context says, and the handler may have changed that. And where frames were abandoned but
 * the jump is still to come (longjmp, an exception's landing), a caller inserted after the first
 * frame, the landing, is as right as none: the cfi engine's word is taken, and binds all the others.
 */
static void complete_truth(struct run *run, const struct trace_stop *stop,
			   const struct memory_reader *memory)
{
	const struct shadow_stack *shadow = stop->shadow;
	const struct stack *cfi = &run->cfi;
	struct stack *truth = &run->truth;

	for (size_t i = 0; i < shadow->count; i++)
		if (shadow->frame[i].interrupted)
			memory->read(memory->context, shadow->frame[i].slot,
				     &truth->pc[shadow->count - i], sizeof(uint64_t));
	if (!shadow->in_transit)
		return;
	run->result->transit++;
	if (cfi->count == truth->count + 1 && cfi->pc[0] == truth->pc[0] &&
	    memcmp(cfi->pc + 2, truth->pc + 1, (truth->count - 1) * sizeof(truth->pc[0])) == 0)
		*truth = *cfi;
}

static int on_stop(void *context, const struct trace_stop *stop, struct error *error)
{
	struct run *run = context;
	struct comparison *result = run->result;
	struct register_values regs;
	struct memory_reader memory = target_memory_reader(run->memory);
	struct point point = {
		.stop = stop, .space = &run->space, .regs = &regs, .memory = &memory
	};
	struct evidence evidence = { &point, &run->truth, &run->cfi, &run->table, NULL };
	struct judgement judgement;
	bool has_bpf = false, covered;
	uint32_t frames;

	if (run->mappings_failed) {
		*error = run->mapping_error;
		return -1;
	}
	target_memory_reset(run->memory, stop->pid);
	register_values_from_user(&stop->regs, &regs);
	if (!shadow_stack_get(stop->shadow, stop->regs.rip, &run->truth))
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the true stack has more than %d frames", WALK_FRAMES_MAX);
	walk_rows(&run->space, &regs, &memory, &run->cfi);
	walk_table(&run->space, &regs, &memory, &run->table);
	complete_truth(run, stop, &memory);
	/* What the cfi engine walked through is covered; only where it failed it must be looked up. */
	covered = match_stack(&run->cfi, &run->truth, stop->shadow->rooted, &frames) ==
			  MATCH_EXACT ||
		  is_covered(run);
	if (ask_engines(run, &point, covered, &has_bpf, error))
		return -1;
	if (has_bpf)
		evidence.bpf = &run->bpf;
	judge(&evidence, run->referee, &judgement);
	result->points++;
	result->uncovered += !covered;
	result->verdict[judgement.verdict]++;
	result->missing += judgement.verdict == VERDICT_TABLE_FAULT &&
			   judgement.kind == FAULT_MISSING;
	if (judgement.verdict != VERDICT_EXACT)
		findings_add(&result->findings, &judgement, &point, run->decoder);
	return 0;
}

static int open_engines(struct run *run, const struct compare_options *options,
			struct error *error)
{
	struct comparison *result = run->result;

	for (size_t i = 0; i < options->engine_count; i++) {
		struct compare_engine *engine = &result->engine[result->engine_count++];

		engine->engine = options->engine[i];
		if (engine->engine->open(run->records, &engine->open, error) == 0)
			continue;
		if (error->code != ERROR_UNAVAILABLE)
			return -1;
		engine->skipped = true;
		engine->skip = *error;
	}
	snprintf(result->bpf_method, sizeof(result->bpf_method), "%s",
		 bpf_records_method(run->records));
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void run_deinit(struct run *run)
{
	for (size_t i = 0; i < run->result->engine_count; i++) {
		struct compare_engine *engine = &run->result->engine[i];

		if (!engine->skipped && engine->open)
			engine->engine->close(engine->open);
		engine->open = NULL;
	}
	decoder_destroy(run->decoder);
	referee_destroy(run->referee);
	bpf_records_destroy(run->records);
	address_space_deinit(&run->space);
	target_memory_destroy(run->memory);
	image_store_destroy(run->store);
	free(run);
}

int compare_run(const struct compare_options *options, struct comparison *ret, struct error *error)
{
	struct run *run = calloc(1, sizeof(*run));
	struct tracer_callbacks callbacks = {
		.on_mappings = on_mappings, .on_stop = on_stop, .context = run
	};
	uint64_t begin = now_ns();
	int status = -1;

	memset(ret, 0, sizeof(*ret));
	if (!run)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a comparison");
	run->result = ret;
	run->store = image_store_create();
	run->memory = target_memory_create();
	run->records = bpf_records_create(chosen(options, &engine_bpf),
					  chosen(options, &engine_fp), options->method);
	run->referee = referee_create();
	run->decoder = decoder_create(error);
	if (!run->decoder)
		goto out;
	if (!run->store || !run->memory || !run->records || !run->referee) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a comparison");
		goto out;
	}
	if (open_engines(run, options, error))
		goto out;
	status = tracer_run(&options->tracer, &callbacks, &ret->truth, &ret->status, error);
	if (!status && run->mappings_failed) {
		*error = run->mapping_error;
		status = -1;
	}
out:
	run_deinit(run);
	ret->elapsed_ns = now_ns() - begin;
	if (status)
		comparison_deinit(ret);
	return status;
}

void comparison_deinit(struct comparison *comparison)
{
	findings_deinit(&comparison->findings);
}

bool comparison_is_thin(const struct comparison *comparison)
{
	return comparison->points == 0 || comparison->truth.unrooted > 0 ||
	       comparison->truth.max_frames < 2;
}

bool comparison_has_findings(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->engine_count; i++)
		if (comparison->engine[i].score.silent)
			return true;
	return comparison->points != comparison->verdict[VERDICT_EXACT] +
					     comparison->verdict[VERDICT_CONVERSION_LOSS_FLAGGED];
}
