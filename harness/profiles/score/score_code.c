/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_code.c - frames that no stack can have one above the other, by the program's code alone
 *
 * A caller's address may be the return address or the byte before it: score_frame.h. If the code allows both, both are
 * possible.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/code/code.h"
#include "array.h"
#include "hash.h"
#include "number_map.h"
#include "score_code.h"

#define BEGIN_BYTES  16 /* who makes a stack by hand returns near a function's begin */
#define CALL_NEAR    5	/* bytes of a call of a known function */
#define CALL_LEAST   2
#define SMALL	     0x10000
#define KERNEL	     0xffff800000000000 /* and higher */
#define NO_TARGET    UINT64_MAX
#define MANY_TARGETS (UINT64_MAX - 1)

/* A function, and whether another one may be entered from it as if it had been called itself. */
struct entered {
	uint32_t image;
	uint64_t start;
	bool may_leave;
};

struct code_range {
	uint64_t start, end;
};

struct score_code {
	const struct score_truth *truth;
	struct code_decoder *decoder;
	struct entered *entered; /* [0] means none */
	uint32_t count;
	struct number_map map;
	struct code_range *range; /* executable mappings; none: they are not known */
	size_t ranges;
};

/* The truth's fields "code". */
static int read_ranges(struct score_code *code)
{
	const struct truth_file *file = code->truth->file;

	for (size_t i = 0; i < truth_file_field_count(file); i++) {
		const struct truth_field *field = truth_file_field(file, i);
		struct code_range range;

		if (!field->text || strcmp(field->name, "code") != 0 ||
		    sscanf(field->text, "%" SCNx64 "-%" SCNx64, &range.start, &range.end) != 2)
			continue;
		if (!ARRAY_ADD(code->range, code->ranges, range))
			return -1;
	}
	return 0;
}

int score_code_create(const struct score_truth *truth, struct score_code **ret, struct error *error)
{
	struct score_code *code = calloc(1, sizeof(*code));

	*ret = code;
	if (code) {
		code->truth = truth;
		code->decoder = code_decoder_create();
	}
	if (code && code->decoder && ARRAY_GROW(code->entered, code->count) && !read_ranges(code)) {
		code->count = 1;
		return 0;
	}
	score_code_destroy(code);
	*ret = NULL;
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for the program's code");
}

void score_code_destroy(struct score_code *code)
{
	if (!code)
		return;
	code_decoder_destroy(code->decoder);
	number_map_deinit(&code->map);
	free(code->entered);
	free(code->range);
	free(code);
}

static const struct cfi_fde *fde_at(const struct score_code *code, uint32_t image, uint64_t pc)
{
	const struct score_image *in = &code->truth->image[image];

	return in->image && in->cfi ? cfi_fde_find(in->cfi, pc) : NULL;
}

/* ---- calls ------------------------------------------------------------------------------ */

/* What is called by the instruction that ends at address: the one target of a call of a known function; MANY_TARGETS:
 * any; NO_TARGET: no call can be read there. */
static uint64_t called_before(const struct score_code *code, uint32_t image, uint64_t address)
{
	const struct image *in = code->truth->image[image].image;
	uint64_t target = NO_TARGET;
	struct code call;

	for (unsigned int bytes = CALL_LEAST; bytes <= CODE_BYTES_MAX; bytes++) {
		if (!code_decode_at(code->decoder, in, address - bytes, &call) ||
		    call.length != bytes)
			continue;
		if (call.flow == CODE_UNKNOWN || call.flow == CODE_CALL_INDIRECT)
			return MANY_TARGETS;
		if (call.flow != CODE_CALL)
			continue;
		if (target != NO_TARGET || bytes != CALL_NEAR)
			return MANY_TARGETS;
		target = call.target;
	}
	return target;
}

/* ---- functions -------------------------------------------------------------------------- */

static bool is_within(const struct cfi_fde *fde, uint64_t pc)
{
	return pc - fde->pc_begin < fde->pc_range;
}

/* before: the instruction before it. */
static bool leaves(const struct cfi_fde *fde, const struct code *code, const struct code *before)
{
	switch (code->flow) {
	case CODE_NEXT:
	case CODE_STOP:
	case CODE_CALL_INDIRECT: return false;
	case CODE_CALL: return is_within(fde, code->target) && code->target != fde->pc_begin;
	case CODE_JUMP:
	case CODE_BRANCH:
	case CODE_BEGIN: return !is_within(fde, code->target);
	case CODE_RETURN:
		return !before->length || before->writes_memory || before->effect == EFFECT_PUSH ||
		       before->effect == EFFECT_STORE;
	case CODE_JUMP_INDIRECT:
	case CODE_UNKNOWN: break;
	}
	return true;
}

static bool find_leaving(const struct score_code *code, uint32_t image, const struct cfi_fde *fde)
{
	const struct image *in = code->truth->image[image].image;
	struct code at, before = { .length = 0 };

	for (uint64_t pc = fde->pc_begin; is_within(fde, pc); pc += at.length) {
		if (!code_decode_at(code->decoder, in, pc, &at) || !at.length ||
		    leaves(fde, &at, &before))
			return true;
		before = at;
	}
	/* It runs off its end, into the next one. Behind a call at its end nothing is to come back to. */
	return before.flow == CODE_NEXT || before.flow == CODE_BRANCH;
}

/* Of a function, an instruction begins there; true, too, if its code can't be read so far. */
static bool is_begun_at(const struct score_code *code, uint32_t image, const struct cfi_fde *fde,
			uint64_t address)
{
	const struct image *in = code->truth->image[image].image;
	uint64_t pc = fde->pc_begin;
	struct code at;

	while (pc < address) {
		if (!code_decode_at(code->decoder, in, pc, &at) || !at.length)
			return true;
		pc += at.length;
	}
	return pc == address;
}

struct sought {
	const struct score_code *code;
	uint32_t image;
	uint64_t start;
};

static bool is_sought(void *context, uint32_t number)
{
	const struct sought *sought = context;
	const struct entered *entered = &sought->code->entered[number];

	return entered->image == sought->image && entered->start == sought->start;
}

/* Without memory it may. */
static bool may_leave(struct score_code *code, uint32_t image, const struct cfi_fde *fde)
{
	struct sought sought = { code, image, fde->pc_begin };
	uint32_t *number = number_map_find(&code->map, hash_word(fde->pc_begin, image), is_sought,
					   &sought);

	if (!number)
		return true;
	if (*number)
		return code->entered[*number].may_leave;
	if (!ARRAY_GROW(code->entered, code->count))
		return true;
	code->entered[code->count] = (struct entered) { image, fde->pc_begin,
							find_leaving(code, image, fde) };
	*number = code->count++;
	return code->entered[*number].may_leave;
}

/* ---- two frames ------------------------------------------------------------------------- */

/* The call that returns to address is of another function than the callee, and of none that leads to it. */
static bool is_other_callee(struct score_code *code, const struct score_frame *callee,
			    uint32_t image, uint64_t address)
{
	uint64_t target = called_before(code, image, address);
	const struct cfi_fde *fde;

	if (target >= MANY_TARGETS || target == address)
		return false;
	fde = fde_at(code, image, target);
	if (!fde || fde->pc_begin != target)
		return false;
	/* Its own address may be a return address, behind its last instruction. */
	if (callee->image == image &&
	    (is_within(fde, callee->address) || is_within(fde, callee->address - 1)))
		return false;
	return !may_leave(code, image, fde);
}

static bool is_compared(const struct score_frame *frame)
{
	return frame->how == FRAME_ADDRESS && frame->has_image && !frame->other_build &&
	       frame->other == SCORE_NO_OFFSET;
}

/* The FDE of a frame; NULL: none covers it, or it is a signal's. Its own address may be a return address, behind its
 * function. */
static const struct cfi_fde *plain_fde(const struct score_code *code,
				       const struct score_frame *frame)
{
	if (score_frame_is_signal(code->truth, frame))
		return NULL;
	return fde_at(code, frame->image, frame->address - 1)
		       ?: fde_at(code, frame->image, frame->address);
}

/* The address, and the byte before it, are nowhere where there was code. A small one is how some say that there is no
 * caller. */
static bool is_no_code(const struct score_code *code, const struct score_frame *frame,
		       const struct profile_frame *in)
{
	if (frame->how != FRAME_FOREIGN || in->kind != PROFILE_RUNTIME || !code->ranges ||
	    in->address < SMALL || in->address >= KERNEL)
		return false;
	return !ARRAY_ANY(code->ranges, i,
			  in->address - code->range[i].start <=
				  code->range[i].end - code->range[i].start);
}

enum score_reason score_code_refutes(struct score_code *code, const struct score_frame *callee,
				     const struct score_frame *caller,
				     const struct profile_frame *in)
{
	const struct cfi_fde *fde;
	uint64_t address = caller->address;
	bool is_plain = is_compared(callee) && plain_fde(code, callee);

	if (is_no_code(code, caller, in) && (is_plain || callee->how == FRAME_FOREIGN))
		return SCORE_NO_CODE;
	if (!is_plain || !is_compared(caller))
		return SCORE_NO_REASON;
	fde = plain_fde(code, caller);
	if (!fde || score_truth_place(code->truth, caller->image, address, true) ||
	    score_truth_place(code->truth, caller->image, address + 1, true))
		return SCORE_NO_REASON;
	if (called_before(code, caller->image, address) == NO_TARGET &&
	    called_before(code, caller->image, address + 1) == NO_TARGET) {
		if (address - fde->pc_begin < BEGIN_BYTES)
			return SCORE_NO_REASON;
		return is_begun_at(code, caller->image, fde, address) ||
				       is_begun_at(code, caller->image, fde, address + 1)
			       ? SCORE_PUT
			       : SCORE_NO_CALL;
	}
	for (unsigned int behind = 0; behind <= 1; behind++) {
		uint64_t target = called_before(code, caller->image, address + behind);

		if (target != NO_TARGET &&
		    !is_other_callee(code, callee, caller->image, address + behind))
			return SCORE_NO_REASON;
	}
	return SCORE_CALLEE;
}
