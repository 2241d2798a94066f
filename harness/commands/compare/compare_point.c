/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_point.c - one point: the truth, each engine's stack, the verdict
 *
 * The truth is the shadow stack's. Each engine is asked for its stack and scored; what the verdict
 * finds is counted.
 */
#include <string.h>
#include "comparer.h"

/*
 * Adds a stack's first frames to a digest. An image's address and its file's name stand for a PC,
 * so that two kernels agree wherever they map things.
 */
static uint64_t digest_stack(const struct comparer *comparer, const struct stack *stack,
			     uint32_t frames, uint64_t digest)
{
	const struct mapping *mapping = NULL;

	for (uint32_t i = 0; i < frames; i++) {
		uint64_t pc = walk_pc(stack->pc[i]);

		if (!mapping || pc < mapping->start || pc >= mapping->end)
			mapping = address_space_find(&comparer->space, pc);
		if (mapping)
			pc = (pc - mapping->bias) ^ mapping->name_hash;
		digest = (digest ^ pc) * 0x9e3779b97f4a7c15ull;
		digest ^= digest >> 32;
	}
	return (digest ^ frames) * 0x9e3779b97f4a7c15ull;
}

/*
 * Adds the point to both digests. Where the CFI itself leads astray, what a walk finds behind the
 * last right frame is whatever lay there, another thing in each run: it says nothing of the kernel.
 */
static void digest_point(struct comparer *comparer, const struct evidence *evidence,
			 const struct judgement *judgement)
{
	const struct stack *twin = evidence->followed ? evidence->followed : evidence->table;
	/* Which pages are present is the machine's business. */
	const struct stack *stack = evidence->absent ? twin : evidence->bpf;
	struct comparison *result = comparer->result;
	uint32_t frames = stack->count;

	if (judgement->verdict == VERDICT_TABLE_FAULT)
		match_stack(stack, evidence->truth, evidence->point->stop->shadow->rooted, &frames);
	result->digest = digest_stack(comparer, stack, frames, result->digest);
	result->truth_digest = digest_stack(comparer, &comparer->truth, comparer->truth.count,
					    result->truth_digest);
}

/* Every frame but the outermost, which needs no step, has an FDE. */
static bool is_covered(const struct comparer *comparer)
{
	for (uint32_t i = 0; i + 1 < comparer->truth.count; i++) {
		const struct mapping *mapping = address_space_find(&comparer->space,
								   comparer->truth.pc[i] - (i > 0));

		if (!mapping || !mapping->entry ||
		    !cfi_fde_find(mapping->entry->cfi,
				  comparer->truth.pc[i] - (i > 0) - mapping->bias))
			return false;
	}
	return true;
}

/* The frames that a walk guessed; right: how many of its first frames are the truth's. */
static void add_guesses(struct guesses *guesses, const struct stack *stack, enum match match,
			uint32_t right)
{
	uint64_t before = guesses->frames;

	for (uint32_t i = 1; i < stack->count; i++) {
		bool guessed = stack->pc[i] & WALK_PC_GUESSED;

		guesses->frames += guessed;
		guesses->frames_right += guessed && i < right;
	}
	guesses->match[match] += guesses->frames > before;
}

static bool add_score(struct score *score, const struct stack *stack, const struct stack *truth,
		      bool rooted, bool covered, uint32_t own)
{
	uint32_t frames;
	enum match match = match_stack(stack, truth, rooted, &frames);

	score->points++;
	score->match[match]++;
	score->frames += stack->count;
	score->frames_own += own;
	score->frames_own_right += frames < own ? frames : own;
	if (stack->stop < STOP_REASON_COUNT)
		score->stop[stack->stop]++;
	score->covered += covered;
	score->exact_covered += covered && match == MATCH_EXACT;
	score->false_complete += stack->stop == STOP_COMPLETE && match != MATCH_EXACT;
	add_guesses(&score->guesses, stack, match, frames);
	return match == MATCH_EXACT;
}

/* The truth's leading frames in the program's own file, which is the mapping at the lowest address. The
 * C library's frames are the same whatever the program was built with. */
static uint32_t own_frames(const struct comparer *comparer)
{
	const struct address_space *space = &comparer->space;
	uint32_t own = 0;

	while (space->mapping_count && own < comparer->truth.count) {
		const struct mapping *mapping =
			address_space_find(space, comparer->truth.pc[own] - (own > 0));

		if (!mapping || !mapping->entry || mapping->entry != space->mapping[0].entry)
			break;
		own++;
	}
	return own;
}

static bool can_answer(const struct compare_engine *engine, const struct point *point)
{
	return !engine->skipped && (!engine->engine->in_kernel || point->stop->trapped);
}

/* The walk by the compact table, as bpf was told to do it. */
static void walk_twin(const struct comparer *comparer, const struct point *point,
		      const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret)
{
	if (comparer->options.follow_frame_pointers)
		walk_table_following(point->space, point->regs, memory, memo, ret);
	else
		walk_table(point->space, point->regs, memory, memo, ret);
}

/* A page that was not there may be why bpf ended so: it did not get a return address, or no frame
 * pointer's frame. */
static bool may_be_absent(const struct comparer *comparer, uint32_t stop)
{
	return stop == STOP_READ_FAULT ||
	       (comparer->options.follow_frame_pointers && stop_is_without_cfi(stop));
}

/* Takes bpf's word, and looks what it could have read, before anybody reads the process's memory and so
 * brings pages in. False: error is set. */
static bool ask_bpf(struct comparer *comparer, const struct point *point, struct evidence *evidence,
		    struct error *error)
{
	struct resident_memory resident;
	struct memory_reader reader;

	comparer->bpf_answer = ENGINE_SILENT;
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->result->engine[i];

		if (engine->engine == &engine_bpf && can_answer(engine, point))
			comparer->bpf_answer = engine_bpf.walk(engine->open, point, &comparer->bpf,
							       error);
	}
	if (comparer->bpf_answer != ENGINE_STACK)
		return comparer->bpf_answer != ENGINE_ERROR;
	evidence->bpf = &comparer->bpf;
	if (!may_be_absent(comparer, comparer->bpf.stop))
		return true;
	resident_memory_init(&resident, point->stop->pid, *point->memory);
	reader = resident_memory_reader(&resident);
	walk_twin(comparer, point, &reader, NULL, &comparer->other);
	evidence->absent = resident.absent && stack_equal(&comparer->bpf, &comparer->other);
	resident_memory_deinit(&resident);
	return true;
}

static int ask_engines(struct comparer *comparer, const struct point *point, bool covered,
		       struct error *error)
{
	uint32_t own = own_frames(comparer);

	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->result->engine[i];
		const struct engine *kind = engine->engine;
		struct stack *stack = &comparer->other;
		enum engine_answer answer = ENGINE_STACK;

		engine->answered = false;
		if (!can_answer(engine, point)) {
			engine->score.untrapped += !engine->skipped;
			continue;
		}
		if (kind == &engine_cfi)
			stack = &comparer->cfi;
		else if (kind == &engine_table)
			stack = comparer->options.follow_frame_pointers ? &comparer->followed
									: &comparer->table;
		else if (kind == &engine_bpf)
			stack = &comparer->bpf, answer = comparer->bpf_answer;
		else
			answer = kind->walk(engine->open, point, stack, error);
		if (answer == ENGINE_ERROR)
			return -1;
		if (answer == ENGINE_SILENT) {
			engine->score.silent++;
			continue;
		}
		engine->answered = true;
		engine->exact = add_score(&engine->score, stack, &comparer->truth,
					  point->stop->shadow->rooted, covered, own);
	}
	return 0;
}

/* Engines are held against each other where all of them said something. */
static void share_point(struct comparison *result)
{
	for (size_t i = 0; i < result->engine_count; i++)
		if (!result->engine[i].skipped && !result->engine[i].answered)
			return;
	for (size_t i = 0; i < result->engine_count; i++) {
		struct compare_engine *engine = &result->engine[i];

		engine->score.shared += engine->answered;
		engine->score.exact_shared += engine->answered && engine->exact;
	}
}

/* True if a frame of the stack but the first goes on there. */
static bool has_pc(const struct stack *stack, uint64_t pc)
{
	for (uint32_t i = 1; i < stack->count; i++)
		if (stack->pc[i] == pc)
			return true;
	return false;
}

/*
 * The truth where the shadow stack alone does not have it. What a signal interrupted goes on where
 * the saved context says, and the handler may have changed that. And where frames were abandoned
 * but the jump is still to come (longjmp, an exception's landing), a caller inserted after the
 * first frame, the landing, is as right as none: the cfi engine's word is taken, and binds all the
 * others.
 */
static void complete_truth(struct comparer *comparer, const struct trace_stop *stop,
			   const struct memory_reader *memory)
{
	const struct shadow_stack *shadow = stop->shadow;
	const struct stack *cfi = &comparer->cfi;
	struct stack *truth = &comparer->truth;

	for (size_t i = 0; i < shadow->count; i++)
		if (shadow->frame[i].interrupted)
			memory->read(memory->context, shadow->frame[i].slot,
				     &truth->pc[shadow->count - i], sizeof(uint64_t));
	if (!shadow->in_transit)
		return;
	comparer->result->transit++;
	if (cfi->count < 2 || cfi->pc[0] != truth->pc[0] || truth->count == WALK_FRAMES_MAX ||
	    (truth->count > 1 && cfi->pc[1] == truth->pc[1]))
		return;
	/* longjmp lands behind a call of setjmp, whatever becomes of the walk from there on. Not where a
	 * call that is still open returns to: then the CFI left out the frames above it. */
	if ((cfi->count == truth->count + 1 &&
	     memcmp(cfi->pc + 2, truth->pc + 1, (truth->count - 1) * sizeof(truth->pc[0])) == 0) ||
	    (!has_pc(truth, cfi->pc[1]) &&
	     decoder_call_before(comparer->decoder, cfi->pc[1], memory))) {
		memmove(truth->pc + 2, truth->pc + 1, (truth->count - 1) * sizeof(truth->pc[0]));
		truth->pc[1] = cfi->pc[1];
		truth->count++;
	}
}

/* Where the program has made code itself, it may have named it by now. */
static void add_finding(struct comparer *comparer, const struct evidence *evidence,
			const struct judgement *judgement)
{
	const struct mapping *mapping = address_space_find(&comparer->space, judgement->pc);
	const struct stack *stack = evidence->followed;
	struct finding *finding;
	struct error ignored;

	if (mapping && !mapping->entry)
		address_space_read_names(&comparer->space, &ignored);
	finding = findings_add(&comparer->result->findings, judgement, evidence->point,
			       comparer->decoder);
	if (finding && stack && !stack_equal(stack, evidence->table))
		finding_add_stack(finding, &comparer->space, stack, evidence->truth,
				  evidence->point->stop->shadow->rooted);
}

static void count_point(struct comparer *comparer, const struct evidence *evidence,
			const struct judgement *judgement, bool covered)
{
	struct comparison *result = comparer->result;

	if (evidence->bpf)
		digest_point(comparer, evidence, judgement);
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &result->engine[i];

		if (!engine->answered || judgement->verdict == VERDICT_TABLE_FAULT)
			continue;
		engine->score.sound++;
		engine->score.exact_sound += engine->exact;
	}
	result->points++;
	result->uncovered += !covered;
	result->verdict[judgement->verdict]++;
	result->missing += judgement->verdict == VERDICT_TABLE_FAULT &&
			   judgement->kind == FAULT_MISSING;
	if (judgement->verdict != VERDICT_EXACT && judgement->verdict != VERDICT_ABSENT)
		add_finding(comparer, evidence, judgement);
}

int compare_point(void *context, const struct trace_stop *stop, struct error *error)
{
	struct comparer *comparer = context;
	struct comparison *result = comparer->result;
	struct register_values regs;
	struct memory_reader memory = target_memory_reader(comparer->memory);
	struct point point = {
		.stop = stop, .space = &comparer->space, .regs = &regs, .memory = &memory
	};
	struct evidence evidence = {
		.point = &point,
		.truth = &comparer->truth,
		.cfi = &comparer->cfi,
		.table = &comparer->table,
	};
	struct judgement judgement;
	uint32_t frames;
	bool covered;

	if (comparer->mappings_failed) {
		*error = comparer->mapping_error;
		return -1;
	}
	target_memory_reset(comparer->memory, stop->pid);
	register_values_from_user(&stop->regs, &regs);
	if (!shadow_stack_get(stop->shadow, stop->regs.rip, &comparer->truth))
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the true stack has more than %d frames", WALK_FRAMES_MAX);
	if (!ask_bpf(comparer, &point, &evidence, error))
		return -1;
	walk_rows(&comparer->space, &regs, &memory, comparer->rows_memo, &comparer->cfi);
	walk_table(&comparer->space, &regs, &memory, comparer->table_memo, &comparer->table);
	if (comparer->options.follow_frame_pointers) {
		walk_twin(comparer, &point, &memory, comparer->followed_memo, &comparer->followed);
		evidence.followed = &comparer->followed;
	}
	complete_truth(comparer, stop, &memory);
	/* What the cfi engine walked through is covered; only where it failed it must be looked up.
	 */
	covered = match_stack(&comparer->cfi, &comparer->truth, stop->shadow->rooted, &frames) ==
			  MATCH_EXACT ||
		  is_covered(comparer);
	if (ask_engines(comparer, &point, covered, error))
		return -1;
	if (covered)
		share_point(result);
	if (comparer->options.on_evidence)
		comparer->options.on_evidence(comparer->options.context, &evidence);
	judge(&evidence, comparer->referee, &judgement);
	if (comparer->options.registers && (judgement.verdict == VERDICT_EXACT ||
					    judgement.verdict == VERDICT_CONVERSION_LOSS_FLAGGED))
		judge_registers(&evidence, comparer->referee, UINT32_MAX, UINT32_MAX, &judgement);
	if (comparer->options.on_judgement)
		comparer->options.on_judgement(comparer->options.context, &point, &judgement);
	count_point(comparer, &evidence, &judgement, covered);
	return 0;
}
