/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_score.c - what each engine's stack is worth at a point, by each way to read it
 *
 * Mostly there is one reading, and its counts go to the result. Where the truth must prove itself
 * first there may be two (compare_doubt.c), and their counts go to the doubt's accounts.
 */
#include "hash.h"
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
		uint64_t pc = stack_pc(stack, i);

		if (!mapping || pc < mapping->start || pc >= mapping->end)
			mapping = address_space_find(&comparer->space, pc);
		if (mapping)
			pc = (pc - mapping->bias) ^ mapping->name_hash;
		digest = hash_word(digest, pc);
	}
	return (digest ^ frames) * HASH_GOLDEN;
}

/*
 * Adds the point to both digests. Where the CFI itself leads astray, what a walk finds behind the
 * last right frame is whatever lay there, another thing in each run: it says nothing of the kernel.
 */
void compare_digest(struct comparer *comparer, const struct evidence *evidence,
		    const struct judgement *judgement)
{
	const struct stack *twin = evidence->followed ? evidence->followed : evidence->table;
	/* Which pages are present is the machine's business. */
	bool absent = evidence->absent || judgement->verdict == VERDICT_ABSENT;
	const struct stack *stack = absent ? twin : evidence->bpf;
	struct comparison *result = comparer->result;
	uint32_t frames = stack->count;

	if (judgement->verdict == VERDICT_TABLE_FAULT || judgement->verdict == VERDICT_UNPROVEN)
		match_stack(stack, evidence->truth, evidence->point->stop->shadow->rooted, &frames);
	result->digest = digest_stack(comparer, stack, frames, result->digest);
	result->truth_digest = digest_stack(comparer, &comparer->truth, comparer->truth.count,
					    result->truth_digest);
}

/* Every frame but the outermost, which needs no step, has an FDE. */
static bool is_covered(const struct comparer *comparer, const struct stack *truth)
{
	for (uint32_t i = 0; i + 1 < truth->count; i++) {
		uint64_t pc = truth->pc[i] - (i > 0);
		const struct mapping *mapping = address_space_find(&comparer->space, pc);

		if (!mapping || !mapping->entry ||
		    !cfi_fde_find(image_entry_cfi(mapping->entry), pc - mapping->bias))
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
		bool guessed = stack_is_guessed(stack, i);

		guesses->frames += guessed;
		guesses->frames_right += guessed && i < right;
	}
	guesses->match[match] += guesses->frames > before;
}

static bool add_score(struct comparer *comparer, struct engine_score *score,
		      const struct stack *stack, const struct shadow_stack *shadow,
		      const struct reading *reading)
{
	const struct stack *truth = reading->truth;
	bool covered = reading->covered;
	uint32_t own = reading->own, frames;
	enum match match = match_stack(stack, truth, shadow->rooted, &frames);

	if (match == MATCH_TRUNCATED || match == MATCH_WRONG)
		score->lost_at[compare_lost_at(comparer, shadow, truth, frames)]++;
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

/* The truth's leading frames in the program's own file. The C library's frames are the same whatever the program
 * was built with. */
static uint32_t own_frames(const struct comparer *comparer, const struct stack *truth)
{
	const struct address_space *space = &comparer->space;
	uint32_t own = 0;

	while (space->mapping_count && own < truth->count) {
		const struct mapping *mapping = address_space_find(space,
								   truth->pc[own] - (own > 0));

		if (!compare_is_own(comparer, mapping))
			break;
		own++;
	}
	return own;
}

bool compare_can_answer(const struct compare_engine *engine, const struct point *point)
{
	return !engine->skipped && (!engine->engine->in_kernel || point->stop->trapped);
}

void reading_init(const struct comparer *comparer, const struct trace_stop *stop,
		  const struct stack *truth, struct reading *ret)
{
	uint32_t frames;

	*ret = (struct reading) { .truth = truth, .own = own_frames(comparer, truth) };
	/* What the cfi engine walked through is covered; only where it failed it must be looked up.
	 */
	ret->covered = match_stack(&comparer->cfi, truth, stop->shadow->rooted, &frames) ==
			       MATCH_EXACT ||
		       is_covered(comparer, truth);
}

static struct engine_score *score_of(struct comparer *comparer, const struct reading *reading,
				     size_t i)
{
	return reading->account ? &reading->account->score[i] : &comparer->result->engine[i].score;
}

/* An engine's stack, by each reading. */
static void add_scores(struct comparer *comparer, const struct point *point, size_t i,
		       const struct stack *stack, struct reading *readings, size_t count)
{
	for (size_t at = 0; at < count; at++) {
		struct reading *reading = &readings[at];
		struct engine_score *score = score_of(comparer, reading, i);

		if (reading->judgement.verdict == VERDICT_UNPROVEN)
			score->unproven++;
		else
			reading->exact[i] = add_score(comparer, score, stack, point->stop->shadow,
						      reading);
	}
}

static enum engine_answer ask_engine(struct comparer *comparer, struct compare_engine *engine,
				     const struct point *point, struct stack **ret,
				     struct error *error)
{
	switch (engine->engine->part) {
	case ENGINE_PART_NONE: break;
	case ENGINE_PART_CFI: *ret = &comparer->cfi; return ENGINE_STACK;
	case ENGINE_PART_TABLE:
		*ret = comparer->options.follow_frame_pointers ? &comparer->followed
							       : &comparer->table;
		return ENGINE_STACK;
	case ENGINE_PART_BPF: *ret = &comparer->bpf; return comparer->bpf_answer;
	}
	*ret = &comparer->other;
	return engine->engine->walk(engine->open, point, *ret, error);
}

static int ask_engines(struct comparer *comparer, const struct point *point,
		       struct reading *readings, size_t count, struct error *error)
{
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->result->engine[i];
		enum engine_answer answer;
		struct stack *stack;
		uint32_t frames;

		engine->answered = false;
		if (!compare_can_answer(engine, point)) {
			engine->score.untrapped += !engine->skipped;
			continue;
		}
		answer = ask_engine(comparer, engine, point, &stack, error);
		if (answer == ENGINE_ERROR)
			return -1;
		if (!engine->engine->in_kernel && answer == ENGINE_STACK &&
		    match_stack(stack, readings[0].truth, point->stop->shadow->rooted, &frames) !=
			    MATCH_EXACT &&
		    compare_stack_is_lost(stack, point))
			continue;
		if (answer == ENGINE_SILENT) {
			engine->score.silent++;
			continue;
		}
		engine->answered = true;
		if (comparer->options.on_stack)
			comparer->options.on_stack(comparer->options.context, point, engine->engine,
						   stack);
		add_scores(comparer, point, i, stack, readings, count);
	}
	return 0;
}

/* Engines are held against each other where all of them said something. */
static void share_point(struct comparer *comparer, const struct reading *reading)
{
	const struct comparison *result = comparer->result;

	for (size_t i = 0; i < result->engine_count; i++)
		if (!result->engine[i].skipped && !result->engine[i].answered)
			return;
	for (size_t i = 0; i < result->engine_count; i++) {
		struct engine_score *score = score_of(comparer, reading, i);

		score->shared += result->engine[i].answered;
		score->exact_shared += result->engine[i].answered && reading->exact[i];
	}
}

int score_engines(struct comparer *comparer, const struct point *point, struct reading *readings,
		  size_t count, struct error *error)
{
	if (ask_engines(comparer, point, readings, count, error))
		return -1;
	for (size_t at = 0; at < count; at++)
		if (readings[at].covered && readings[at].judgement.verdict != VERDICT_UNPROVEN)
			share_point(comparer, &readings[at]);
	return 0;
}

/* Where the program has made code itself, it may have named it by now. */
static void add_finding(struct comparer *comparer, const struct evidence *evidence,
			const struct reading *reading)
{
	const struct judgement *judgement = &reading->judgement;
	const struct mapping *mapping = address_space_find(&comparer->space, judgement->pc);
	struct findings *findings = &comparer->result->findings;
	const struct stack *stack = evidence->followed;
	struct finding_count count = { .count = 1 };
	struct finding *finding;
	struct error ignored;

	if (mapping && !mapping->entry)
		address_space_read_names(&comparer->space, &ignored);
	finding = findings_place(findings, judgement, true, evidence->point, comparer->decoder);
	if (!finding)
		return;
	if (stack && !stack_equal(stack, evidence->table)) {
		count.followed = 1;
		count.followed_exact = finding_keep_stack(finding, &comparer->space, stack,
							  reading->truth,
							  evidence->point->stop->shadow->rooted);
	}
	count.finding = finding - findings->finding;
	if (!reading->account) {
		finding->count++;
		finding->followed += count.followed;
		finding->followed_exact += count.followed_exact;
	} else if (!account_add_finding(reading->account, &count)) {
		findings->not_kept++;
	}
}

static void add_sound(struct comparer *comparer, const struct reading *reading)
{
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct engine_score *score = score_of(comparer, reading, i);

		if (!comparer->result->engine[i].answered)
			continue;
		score->sound++;
		score->exact_sound += reading->exact[i];
	}
}

void count_reading(struct comparer *comparer, const struct evidence *evidence,
		   const struct reading *reading)
{
	const struct judgement *judgement = &reading->judgement;
	struct comparison *result = comparer->result;
	struct account *account = reading->account;
	bool missing = judgement->verdict == VERDICT_TABLE_FAULT &&
		       judgement->kind == FAULT_MISSING;

	if (judgement->verdict != VERDICT_TABLE_FAULT && judgement->verdict != VERDICT_UNPROVEN)
		add_sound(comparer, reading);
	if (account) {
		account->points++;
		account->uncovered += !reading->covered;
		account->verdict[judgement->verdict]++;
		account->missing += missing;
		account->sframe_loss[judgement->loss] += judgement->kind == FAULT_SFRAME_LOSS;
	} else {
		result->uncovered += !reading->covered;
		result->verdict[judgement->verdict]++;
		result->missing += missing;
		result->sframe_loss[judgement->loss] += judgement->kind == FAULT_SFRAME_LOSS;
	}
	if (judgement->verdict != VERDICT_EXACT && judgement->verdict != VERDICT_ABSENT &&
	    judgement->verdict != VERDICT_UNPROVEN)
		add_finding(comparer, evidence, reading);
}
