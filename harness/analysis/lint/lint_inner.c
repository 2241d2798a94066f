/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_inner.c - functions inside an FDE that nothing but calls into its middle enters
 *
 *	f:	push rbx
 *	1:	call g		; cfa=rsp+16, up to the end
 *		dec ebx
 *		jnz 1b
 *		...
 *	g:	mov eax, ebx
 *		ret
 *
 * A row in the middle is right for the function around it, and a call there may be none, or be one that never comes
 * back: it accuses nobody. But if no way of any function leads to g but calls, its row is for them alone, and wrong
 * if it says neither where g's return address is, nor where that of f is, as if what the call has pushed were a part of f's
 * frame. So it is a finding if
 *
 *	a way that is sure comes to such a call;
 *	each way from there returns behind it, with rsp and the return address as they were;
 *	the function around it has no jump of unknown targets;
 *	no bytes look like a jump there, but jumps of its own code, and nothing makes or keeps its address; and
 *	no other file can know it by a label.
 *
 * Where other ways come, too, further on in g, they are judged, and g is unproven.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "analysis/flow/flow_image.h"
#include "lint_aside.h"
#include "lint_inner.h"

#define CALL	   0xe8
#define JUMP	   0xe9
#define TWO_BYTES  0x0f
#define BRANCH_ROW 0x80 /* behind TWO_BYTES: of 16 branches */
#define SHORT_JUMP 0xeb
#define SHORT_ROW  0x70
#define LOOP_FIRST 0xe0
#define LOOP_LAST  0xe3

/* ---- who comes there? ----------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct lint_inner *left = a, *right = b;

	return left->pc < right->pc ? -1 : left->pc > right->pc;
}

static struct lint_inner *inner_at(const struct lint_inners *inners, uint64_t pc)
{
	const struct lint_inner key = { .pc = pc };

	if (pc < inners->inner[0].pc || pc > inners->inner[inners->count - 1].pc)
		return NULL;
	return bsearch(&key, inners->inner, inners->count, sizeof(key), compare);
}

static void doubt(void *context, uint64_t pc)
{
	struct lint_inner *inner = inner_at(context, pc);

	if (inner)
		inner->doubted = true;
}

/* from: 0: it is no jump. */
static void note_jump(struct lint_inner *inner, uint64_t from)
{
	if (from && inner->jump_count < LINT_INNER_JUMPS_MAX)
		inner->jump[inner->jump_count++] = from;
	else
		inner->doubted = true;
}

/* Four bytes that count from behind themselves: of a call, a jump, or what makes the address. */
static void note_distance(const struct lint_inners *inners, const uint8_t *bytes, uint64_t at,
			  uint64_t pc)
{
	struct lint_inner *inner;
	int32_t distance;

	memcpy(&distance, bytes + at, sizeof(distance));
	inner = inner_at(inners, pc + sizeof(distance) + (uint64_t)(int64_t)distance);
	if (!inner || (at && bytes[at - 1] == CALL))
		return;
	if (at && bytes[at - 1] == JUMP)
		note_jump(inner, pc - 1);
	else if (at >= 2 && bytes[at - 2] == TWO_BYTES && (bytes[at - 1] & 0xf0) == BRANCH_ROW)
		note_jump(inner, pc - 2);
	else
		note_jump(inner, 0);
}

static bool is_short_jump(uint8_t byte)
{
	return byte == SHORT_JUMP || (byte & 0xf0) == SHORT_ROW ||
	       (byte >= LOOP_FIRST && byte <= LOOP_LAST);
}

/* Where code lies at a fixed address, four bytes may be one. */
static void note_bytes(const struct lint_inners *inners, const struct image *image,
		       const struct image_segment *segment)
{
	const uint8_t *bytes = image_bytes(image, segment->vaddr, segment->file_bytes);
	uint32_t number;

	for (uint64_t at = 0; bytes && at + 2 <= segment->file_bytes; at++) {
		struct lint_inner *inner = NULL;

		if (segment->executable && is_short_jump(bytes[at]))
			inner = inner_at(inners, segment->vaddr + at + 2 +
							 (uint64_t)(int64_t)(int8_t)bytes[at + 1]);
		if (inner)
			note_jump(inner, segment->vaddr + at);
		if (at + sizeof(number) > segment->file_bytes)
			continue;
		memcpy(&number, bytes + at, sizeof(number));
		if (image->type == ET_EXEC)
			doubt((void *)(uintptr_t)inners, number);
		if (segment->executable)
			note_distance(inners, bytes, at, segment->vaddr + at);
	}
}

/* Another file may jump to a label. What has a function's symbol is called. */
static void note_symbols(struct lint_inners *inners, const struct image *image)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < count; i++)
		if (symbol[i].binding != STB_LOCAL && symbol[i].type != STT_FUNC)
			doubt(inners, symbol[i].pc);
}

static void note_others(struct lint_inners *inners, const struct flow_world *world)
{
	const struct image *image = world->cfi->image;

	for (size_t i = 0; i < image->segment_count; i++)
		note_bytes(inners, image, &image->segment[i]);
	flow_taken_words(image, doubt, inners);
	note_symbols(inners, image);
	doubt(inners, image->entry);
	for (size_t i = 0; i < inners->count; i++)
		inners->inner[i].doubted |= image_is_data(image, inners->inner[i].pc);
}

/* ---- what is it? ---------------------------------------------------------------------------- */

static bool is_called_only(const struct lint_inner *inner, const struct lint_judge *judge)
{
	return !inner->doubted && lint_middle_caller(inner->middle, inner->pc) &&
	       !lint_judge_has_ways(judge, inner->pc);
}

/* All of its ways come back behind the call, as far as is known. */
static bool comes_back(const struct flow *flow)
{
	return flow->found.has_return && !flow->found.returns_elsewhere &&
	       !flow->found.returned_to && !flow->found.jump_unknown && !flow->found.is_handler &&
	       !flow->found.too_large;
}

/* Once nothing changes any more. */
static bool is_function(const struct lint_inner *inner, const struct flow *flow)
{
	const struct flow_part *part = flow->part[0];

	for (size_t i = 0; i < inner->jump_count; i++)
		if (inner->jump[i] < part->begin || inner->jump[i] >= part->end ||
		    !part->block_at[inner->jump[i] - part->begin])
			return false;
	for (size_t i = 0; i < part->pad_count; i++)
		if (part->pad[i].pad == inner->pc)
			return false;
	return comes_back(flow) && !flow->found.returns_lost;
}

static int judge_ways(struct lint_inner *inner, struct flow *flow, struct lint_judge *judge,
		      struct error *error)
{
	int result;

	judge->doubtful = true;
	judge->why_doubtful = FLOW_VALUE_UNKNOWN;
	judge->inner = inner;
	result = lint_judge_flow(judge, flow, false, error);
	judge->inner = NULL;
	judge->doubtful = false;
	return result;
}

/* All ways from there. *ret: false: its FDE can't be read; else flow_deinit(). 0, or -1. */
static int follow(const struct lint_inner *inner, struct flow_world *world, struct flow *flow,
		  bool *ret, struct error *error)
{
	struct flow_part *part;
	enum flow_reason reason;

	*ret = !flow_part_of(world, inner->fde, &part, &reason, error);
	if (!*ret)
		return -1;
	*ret = part != NULL;
	if (!part)
		return 0;
	flow_init(flow, world, part);
	flow->doubtful = true;
	return flow_follow(flow, inner->pc, NULL, error);
}

/* It may accuse. own: the ways of the FDE's function. */
static void add(struct lint_inners *inners, const struct lint_inner *inner, const struct flow *flow,
		const struct flow *own)
{
	if (!inner->found || !comes_back(flow) || own->found.jump_unknown)
		return;
	if (ARRAY_GROW(inners->inner, inners->count))
		inners->inner[inners->count++] = *inner;
	else
		inners->no_memory = true;
}

int lint_inners_meet(struct lint_inners *inners, struct lint_inner *inner, const struct flow *own,
		     struct lint_judge *judge, struct flow_world *world, struct lint_sum *sum,
		     struct error *error)
{
	struct flow flow;
	bool known;
	int result = follow(inner, world, &flow, &known, error);

	if (!known)
		return result;
	if (!result)
		result = judge_ways(inner, &flow, judge, error);
	if (!result)
		add(inners, inner, &flow, own);
	for (size_t i = 1; i < flow.part_count; i++)
		sum[flow.part[i]->fde - world->cfi->fde].met = true;
	flow_deinit(&flow);
	return result;
}

static int accuse(struct lint_inner *inner, struct lint_judge *judge,
		  const struct flow_world *world, struct lint_sum *sum, struct error *error)
{
	struct flow_world own = lint_aside_world(world);
	struct flow flow;
	bool known;
	int result = follow(inner, &own, &flow, &known, error);

	if (!known)
		return result;
	if (!result)
		result = flow_visit(&flow, NULL, error);
	inner->accuses = !result && is_function(inner, &flow);
	if (inner->accuses)
		result = judge_ways(inner, &flow, judge, error);
	sum[inner->fde - world->cfi->fde].met |= inner->accuses;
	flow_deinit(&flow);
	return result;
}

int lint_inners_decide(struct lint_inners *inners, struct lint_judge *judge,
		       const struct flow_world *world, struct lint_sum *sum, struct error *error)
{
	if (inners->no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "functions inside of others");
	if (!inners->count)
		return 0;
	qsort(inners->inner, inners->count, sizeof(*inners->inner), compare);
	note_others(inners, world);
	for (size_t i = 0; i < inners->count; i++)
		if (is_called_only(&inners->inner[i], judge) &&
		    accuse(&inners->inner[i], judge, world, sum, error))
			return -1;
	return 0;
}

void lint_inners_deinit(struct lint_inners *inners)
{
	free(inners->inner);
}

/* ---- what does it accuse? ------------------------------------------------------------------- */

bool lint_inner_accuses(const struct lint_judge *judge, const struct flow_part *part,
			const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_verdict *verdict)
{
	struct lint_inner *inner = judge->inner;
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (!inner || verdict->outcome != FLOW_ROW_MISMATCH || verdict->fault != FLOW_CFA ||
	    verdict->callers_stack || part->fde != inner->fde ||
	    row->cfa.kind != RULE_CFA_REGISTER || row->cfa.reg != REGISTER_RSP ||
	    rsp->kind != VALUE_CFA || lint_judge_has_ways(judge, pc) ||
	    lint_middle_has_frame(inner->middle, inner->pc, rsp->number + row->cfa.offset))
		return false;
	inner->found = true;
	return inner->accuses;
}

void lint_inner_path(const struct lint_judge *judge, const struct flow_block *block,
		     struct flow_path *ret)
{
	flow_path_find(judge->flow, block->from, block->pc, ret);
	if (!judge->inner || !ret->known || ret->cut)
		return;
	ret->cut = ret->count == FLOW_PATH_MAX;
	if (ret->cut)
		return;
	memmove(ret->jump + 1, ret->jump, ret->count * sizeof(ret->jump[0]));
	ret->jump[0] = lint_middle_caller(judge->inner->middle, judge->inner->pc);
	ret->count++;
}
