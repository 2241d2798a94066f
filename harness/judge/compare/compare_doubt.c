/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_doubt.c - where the CFI and the truth differ, and the truth must prove itself first
 *
 * verdict/doubt.h says how. Here a point's doubt is found: on which of the truth's frames it rests,
 * what the CFI claims instead, and how the point would read if that were right. When the doubt
 * ends, one of the two accounts is added to the result, or the points are unproven.
 */
#include <string.h>
#include "comparer.h"
#include "walk/walk_rows.h"

#define PATCHED_AROUND	     256 /* bytes of code to each side */
#define RETURN_ADDRESS_BYTES 8

/* What was said rests on the truth. Not that a PC has no FDE, nor that a row can't be read. */
static bool rests_on_truth(const struct judgement *judgement)
{
	switch (judgement->verdict) {
	case VERDICT_READER_FAULT:
	case VERDICT_UNEXPLAINED: return true;
	case VERDICT_TABLE_FAULT:
		return judgement->kind != FAULT_MISSING && judgement->kind != FAULT_MALFORMED;
	default: return false;
	}
}

/* The caller that the CFI names after frames that agree, and where it says that its PC lies. */
static struct claim find_claim(const struct comparer *comparer, const struct point *point,
			       uint32_t frames)
{
	const struct stack *cfi = &comparer->cfi;
	struct register_values regs = *point->regs;
	struct claim claim = { .slot = 0 };
	bool exact_pc = true;
	uint64_t value;

	if (frames >= cfi->count)
		return claim;
	claim.pc = cfi->pc[frames];
	for (uint32_t i = 0; i < frames; i++)
		if (walk_rows_step(point->space, &regs, &exact_pc, point->memory))
			return claim;
	value = regs.value[REGISTER_RSP] - RETURN_ADDRESS_BYTES;
	claim.plausible = address_space_find(point->space, claim.pc);
	if (!point->memory->read(point->memory->context, value, &regs.value[REGISTER_RIP],
				 RETURN_ADDRESS_BYTES) &&
	    regs.value[REGISTER_RIP] == claim.pc)
		claim.slot = value;
	return claim;
}

/* The return address is in its slot. */
static bool is_intact(const struct point *point, size_t frame)
{
	const struct shadow_frame *call = &point->stop->shadow->frame[frame];
	uint64_t value;

	return !point->memory->read(point->memory->context, call->slot, &value, sizeof(value)) &&
	       value == call->return_address;
}

static struct doubt_key find_key(const struct comparer *comparer, const struct point *point,
				 const struct stack *truth, uint32_t frames)
{
	bool is_root = frames == truth->count;
	size_t frame = is_root ? SIZE_MAX : point->stop->shadow->count - frames;

	return (struct doubt_key) {
		.stack = point->stop->shadow,
		.frame = frame,
		.sp = point->stop->regs.value[REGISTER_RSP],
		.claim = find_claim(comparer, point, frames),
		.intact = is_root || is_intact(point, frame),
	};
}

/* The FDE of the accused code. */
static void find_code(const struct address_space *space, uint64_t pc, struct doubt_key *key)
{
	const struct mapping *mapping = address_space_find(space, pc);
	const struct cfi_fde *fde = mapping && mapping->entry
					    ? cfi_fde_find(image_entry_cfi(mapping->entry),
							   pc - mapping->bias)
					    : NULL;

	if (!fde)
		return;
	key->code_begin = fde->pc_begin + mapping->bias;
	key->code_end = key->code_begin + fde->pc_range;
}

void never_proven(struct comparer *comparer, const struct evidence *evidence,
		  struct reading *reading, enum doubt_reason reason)
{
	struct finding *finding = findings_place(&comparer->result->findings, &reading->judgement,
						 false, evidence->point, comparer->decoder);

	if (finding)
		finding->unproven[reason]++;
	reading->judgement = (struct judgement) { .verdict = VERDICT_UNPROVEN };
	comparer->result->unproven[reason]++;
}

/* The point as the CFI has it. False: that reading would accuse somebody, too, or there is none. */
static bool read_by_claim(struct comparer *comparer, const struct evidence *evidence,
			  uint32_t frames, struct reading *ret)
{
	const struct trace_stop *stop = evidence->point->stop;
	struct evidence other = *evidence;

	if (!alternative_truth(&comparer->cfi, evidence->truth, frames, stop->shadow->rooted,
			       &comparer->alternative))
		return false;
	other.truth = &comparer->alternative;
	reading_init(comparer, stop, &comparer->alternative, ret);
	judge_evidence(&other, comparer->referee, &ret->judgement);
	return !rests_on_truth(&ret->judgement);
}

/* The truth as the CFI has it has all of the truth's frames, and others in between. */
static bool inserts(const struct stack *alternative, const struct stack *truth, uint32_t frames)
{
	uint32_t more = alternative->count - truth->count;

	return alternative->count > truth->count &&
	       alternative->pc[frames + more] == truth->pc[frames];
}

/* The frame at fault, or the one that it should lead to, is where no code can be. */
static bool is_without_code(const struct evidence *evidence, uint32_t frames)
{
	const struct memory_reader *memory = evidence->point->memory;
	const struct stack *truth = evidence->truth;
	uint8_t byte;

	return memory->read(memory->context, truth->pc[frames - 1], &byte, 1) ||
	       (frames < truth->count &&
		memory->read(memory->context, truth->pc[frames], &byte, 1));
}

static bool is_unreadable(const struct point *point, uint64_t address)
{
	uint64_t word;

	return point->memory->read(point->memory->context, address, &word, sizeof(word));
}

/* The word that would decide it can't be read: where the truth has the return address, or where the
 * CFI says that a register is saved, if there is memory. What is in it the program may know, and we
 * don't. */
static bool is_out_of_reach(const struct comparer *comparer, const struct point *point,
			    const struct judgement *judgement, size_t frame)
{
	if (judgement->kind == FAULT_REGISTER)
		return judgement->saved_at && is_unreadable(point, judgement->saved_at) &&
		       outside_is_mapped(comparer, judgement->saved_at);
	return frame < point->stop->shadow->count &&
	       is_unreadable(point, point->stop->shadow->frame[frame].slot);
}

/* Bytes of a mapping's code are not in memory as they are in the file. What has none there (the
 * rest of the last page) is equal. size: PATCHED_AROUND at most. */
static bool differs_from_file(const struct point *point, const struct mapping *mapping,
			      uint64_t begin, uint64_t size)
{
	const struct image *image = mapping->entry->image;
	const uint8_t *file = image_bytes(image, begin - mapping->bias, size);
	uint8_t now[PATCHED_AROUND];

	if (point->memory->read(point->memory->context, begin, now, size))
		return false;
	if (file)
		return memcmp(file, now, size) != 0;
	for (uint64_t i = 0; i < size; i++) {
		file = image_bytes(image, begin + i - mapping->bias, 1);
		if (file && *file != now[i])
			return true;
	}
	return false;
}

/* The code at the place at fault, its function's before it, or that around it, is not the file's:
 * what was patched may be what made the frame. */
static bool is_patched(const struct point *point, const struct doubt_key *code, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(point->space, pc);
	uint64_t begin = pc - PATCHED_AROUND, end = pc + PATCHED_AROUND;

	if (!mapping || !mapping->entry)
		return false;
	if (code->code_begin < begin && code->code_begin < code->code_end)
		begin = code->code_begin;
	begin = begin < mapping->start || begin > pc ? mapping->start : begin;
	end = end > mapping->end || end < pc ? mapping->end : end;
	for (uint64_t at = begin, size; at < end; at += size) {
		size = end - at < PATCHED_AROUND ? end - at : PATCHED_AROUND;
		if (differs_from_file(point, mapping, at, size))
			return true;
	}
	return false;
}

/* One of the frames that agree was left by a handler for what it had interrupted (Go preempts
 * so): where rsp was there the truth does not know, and so not who brought it back wrong. */
static bool goes_through_planted(const struct shadow_stack *shadow, uint32_t frames)
{
	for (uint32_t i = 1; i < frames; i++)
		if (shadow->frame[shadow->count - i].planted)
			return true;
	return false;
}

/* A handler has changed the registers that what it interrupted goes on with. The truth has them
 * as they were; which are right is known only when it returns (truth.h). */
static bool is_edited(const struct point *point, const struct shadow_frame *frame)
{
	greg_t saved[SUMMED_REGISTERS]; /* the frame's slot is where rip is, the last one */

	return frame->interrupted &&
	       (point->memory->read(point->memory->context,
				    frame->slot + sizeof(*saved) - sizeof(saved), saved,
				    sizeof(saved)) ||
		registers_sum(saved) != frame->interrupted_sum);
}

/* One of the frames that agree is such a one. */
static bool goes_through_edited(const struct point *point, uint32_t frames)
{
	const struct shadow_stack *shadow = point->stop->shadow;

	for (uint32_t i = 1; i < frames && i <= shadow->count; i++)
		if (is_edited(point, &shadow->frame[shadow->count - i]))
			return true;
	return false;
}

/* In whose code the row at fault is. A missing or superfluous signal frame makes that of what was
 * interrupted, or called, be looked up at a wrong place: its return proves where it was. */
static uint64_t accused_pc(const struct judgement *judgement, const struct evidence *evidence,
			   uint32_t frames)
{
	const struct shadow_stack *shadow = evidence->point->stop->shadow;

	if (judgement->kind != FAULT_SIGNAL_FLAG)
		return judgement->pc;
	return evidence->truth->pc[frames - 1] -
	       !shadow->frame[shadow->count + 1 - frames].interrupted;
}

/* A return address of 0 is how the end of a stack is marked by hand. And a caller whose stack
 * lies lower is one that our walk doesn't follow: the row of who is about to jump there may name
 * it rightly. */
static bool names_nobody(uint32_t stop)
{
	return stop == STOP_ZERO_RETURN || stop == STOP_NO_PROGRESS;
}

void doubt_reading(struct comparer *comparer, const struct evidence *evidence, uint32_t frames,
		   struct reading *readings, size_t *ret_count)
{
	const struct point *point = evidence->point;
	const struct shadow_stack *shadow = point->stop->shadow;
	struct judgement *judgement = &readings[0].judgement;
	enum doubt_reason reason;
	struct doubt_key key;
	struct doubt *doubt;
	uint64_t accused;

	*ret_count = 1;
	shadow_stack_enter(point->stop->shadow, point->stop->regs.value[REGISTER_RIP],
			   point->stop->regs.value[REGISTER_RSP]);
	if (judgement->verdict == VERDICT_UNPROVEN)
		never_proven(comparer, evidence, &readings[0], DOUBT_REFEREE);
	if (!frames || !rests_on_truth(judgement))
		return;
	if (convention_excuses(comparer, point, judgement)) {
		never_proven(comparer, evidence, &readings[0], DOUBT_CONVENTION);
		return;
	}
	comparer->result->doubts++;
	if (shadow->in_transit) {
		never_proven(comparer, evidence, &readings[0], DOUBT_IN_TRANSIT);
		return;
	}
	if (is_without_code(evidence, frames)) {
		never_proven(comparer, evidence, &readings[0], DOUBT_NO_CODE);
		return;
	}
	if (goes_through_planted(shadow, frames) || goes_through_edited(point, frames)) {
		never_proven(comparer, evidence, &readings[0], DOUBT_DISTURBED);
		return;
	}
	if (is_out_of_reach(comparer, point, judgement, shadow->count - frames)) {
		never_proven(comparer, evidence, &readings[0], DOUBT_OUTSIDE);
		return;
	}
	key = find_key(comparer, point, evidence->truth, frames);
	accused = accused_pc(judgement, evidence, frames);
	find_code(point->space, accused, &key);
	if (is_patched(point, &key, accused)) {
		never_proven(comparer, evidence, &readings[0], DOUBT_PATCHED);
		return;
	}
	/* An inner frame's CFI brought a register back wrong: that rests on the inner frame,
	 * too, which is the first of the two to end. */
	if (judgement->kind == FAULT_REGISTER && judgement->frame < shadow->count) {
		key.frame = shadow->count - 1 - judgement->frame;
		key.intact &= is_intact(point, key.frame);
		key.registers = true;
		key.confirmed = callers_confirm(point, judgement, frames);
	}
	reread_set(judgement, point, key.frame == SIZE_MAX ? NULL : &shadow->frame[key.frame],
		   &key.reread);
	key.ends = judgement->kind == FAULT_EARLY_END ||
		   (frames >= evidence->cfi->count && names_nobody(evidence->cfi->stop));
	/* Above where the thread began no call can have written; but who made the thread can.
	 * And who is jumped to from there did not ask for it. */
	if (key.frame == SIZE_MAX && key.claim.slot >= shadow->base && !key.claim.plausible &&
	    shadow->entered >= key.code_begin && shadow->entered < key.code_end)
		return;
	doubt = doubts_find(&comparer->doubts, &key, &reason);
	if (!doubt) {
		never_proven(comparer, evidence, &readings[0], reason);
		return;
	}
	readings[0].account = doubt->told;
	if ((!doubt->other && doubt->told->points) ||
	    !read_by_claim(comparer, evidence, frames, &readings[1])) {
		/* One point that has no reading by the claim, and none has. */
		account_destroy(doubt->other);
		doubt->other = NULL;
		return;
	}
	doubt->inserts |= inserts(&comparer->alternative, evidence->truth, frames);
	if (!doubt->other)
		doubt->other = account_create(comparer->engine_count);
	readings[1].account = doubt->other;
	*ret_count = doubt->other ? 2 : 1;
}

void doubt_registers(struct comparer *comparer, const struct evidence *evidence,
		     struct reading *reading)
{
	const struct point *point = evidence->point;
	struct shadow_stack *shadow = point->stop->shadow;
	uint32_t frame = reading->judgement.frame;
	enum doubt_reason reason;
	struct doubt_key key;
	struct doubt *doubt;

	if (reading->judgement.kind != FAULT_REGISTER)
		return;
	if (reading->judgement.verdict == VERDICT_UNPROVEN) {
		never_proven(comparer, evidence, reading, DOUBT_REFEREE);
		return;
	}
	if (convention_excuses(comparer, point, &reading->judgement)) {
		never_proven(comparer, evidence, reading, DOUBT_CONVENTION);
		return;
	}
	comparer->result->doubts++;
	/* What the first step must bring back to where it lands nobody knows, and the next frame
	 * passes on what it got. */
	if (shadow->in_transit || frame >= shadow->count) {
		never_proven(comparer, evidence, reading, DOUBT_IN_TRANSIT);
		return;
	}
	if (is_out_of_reach(comparer, point, &reading->judgement, frame)) {
		never_proven(comparer, evidence, reading, DOUBT_OUTSIDE);
		return;
	}
	/* Of the handler's restorer the caller is what was interrupted. */
	if (goes_through_edited(point, frame + 2)) {
		never_proven(comparer, evidence, reading, DOUBT_DISTURBED);
		return;
	}
	key = (struct doubt_key) {
		.stack = shadow,
		.frame = shadow->count - 1 - frame,
		.sp = point->stop->regs.value[REGISTER_RSP],
		.intact = is_intact(point, shadow->count - 1 - frame),
		.registers = true,
	};
	reread_set(&reading->judgement, point, &shadow->frame[key.frame], &key.reread);
	doubt = doubts_find(&comparer->doubts, &key, &reason);
	if (doubt)
		reading->account = doubt->told;
	else
		never_proven(comparer, evidence, reading, reason);
}

void comparison_add_account(struct comparison *result, const struct account *account)
{
	for (unsigned int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		result->verdict[verdict] += account->verdict[verdict];
	result->missing += account->missing;
	for (unsigned int loss = 0; loss < SFRAME_LOSS_COUNT; loss++)
		result->sframe_loss[loss] += account->sframe_loss[loss];
	result->uncovered += account->uncovered;
	for (size_t i = 0; i < result->engine_count; i++)
		score_add(&result->engine[i].score, &account->score[i]);
	for (size_t i = 0; i < account->finding_count; i++) {
		const struct finding_count *count = &account->finding[i];
		struct finding *finding = &result->findings.finding[count->finding];

		finding->count += count->count;
		finding->followed += count->followed;
		finding->followed_exact += count->followed_exact;
	}
}

void comparison_add_unproven(struct comparison *result, const struct account *account,
			     enum doubt_reason reason)
{
	result->verdict[VERDICT_UNPROVEN] += account->points;
	result->unproven[reason] += account->points;
	for (size_t i = 0; i < account->finding_count; i++) {
		const struct finding_count *count = &account->finding[i];

		result->findings.finding[count->finding].unproven[reason] += count->count;
	}
	result->uncovered += account->uncovered;
	for (size_t i = 0; i < result->engine_count; i++)
		result->engine[i].score.unproven += account->score[i].points;
}

void doubt_end(void *context, const struct doubt *doubt, enum doubt_end end,
	       enum doubt_reason reason)
{
	const struct comparer *comparer = context;
	struct comparison *result = comparer->result;

	if (end != DOUBT_CLAIM_STANDS)
		compare_tell_marks(comparer, &doubt->told->marks, end == DOUBT_TRUTH_STANDS);
	else
		compare_tell_marks(comparer, &doubt->other->marks, true);
	switch (end) {
	case DOUBT_TRUTH_STANDS: comparison_add_account(result, doubt->told); return;
	case DOUBT_CLAIM_STANDS: comparison_add_account(result, doubt->other); return;
	case DOUBT_UNPROVEN: comparison_add_unproven(result, doubt->told, reason); return;
	}
}
