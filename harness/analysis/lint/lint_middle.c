/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_middle.c - code in the middle of an FDE that is called
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "lint_inside.h"

/* ==== calls into the middle ================================================================= */

/*
 * Assembly calls inner routines of a function, and labels in the middle of another. A row there that is
 * right for the function is wrong for that caller, whose frame is a fresh one: so each such address is
 * an entry, too. Compilers write none, so they are looked for among all bytes that look like a call to
 * where no FDE begins. Whether that is one is asked when the code there is judged: an instruction must begin there
 * in the FDE's own code, which few chance bytes lead to, and one of the bytes' own FDE with them. Both are decoded from
 * their FDE's begin on.
 *
 * A call into the middle of an instruction counts if paths were seen to come to it.
 *
 * A function's symbol in the middle is an entry, too, if others can call what has it, though nobody was seen to.
 *
 * The stubs of a PLT are entries that are known. A call to the next instruction, or to a pop behind data,
 * asks where it is. Calls
 * by a register, and of addresses in data, are not known.
 */

#define CALL	   0xe8 /* call rel32 */
#define CALL_BYTES 5

/* A bit for each byte of code at which an FDE begins. */
struct begins {
	const struct flow_code_map *map;
	uint8_t *bits;
};

/* pc is code, and no FDE begins there. */
static bool is_inside(const struct begins *begins, uint64_t pc)
{
	const size_t at = flow_code_map_at(begins->map, pc);

	return at != FLOW_CODE_NONE && !(begins->bits[at / 8] >> at % 8 & 1);
}

/* False: no memory. */
static bool begins_init(struct begins *begins, const struct lint_judge *judge)
{
	const struct cfi *cfi = judge->world->cfi;

	begins->map = &judge->world->map;
	begins->bits = calloc(begins->map->size / 8 + 1, 1);
	if (!begins->bits)
		return false;
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		size_t at = flow_code_map_at(begins->map, cfi->fde[cfi->by_pc[i]].pc_begin);

		if (at != FLOW_CODE_NONE && !judge->known[cfi->by_pc[i]].doubtful)
			begins->bits[at / 8] |= (uint8_t)(1u << at % 8);
	}
	return true;
}

/* ---- what looks like a call ----------------------------------------------------------------- */

static bool add_call(struct lint_middle *middle, const struct cfi_fde *from, uint64_t at,
		     uint64_t target)
{
	if (!ARRAY_RESERVE(middle->call, middle->room, middle->count + 1))
		return false;
	middle->call[middle->count++] =
		(struct lint_call) { .target = target, .from = from, .at = at };
	return true;
}

/* Of one FDE. False: no memory. */
static bool look_for_calls(struct lint_middle *middle, const struct begins *begins,
			   const struct cfi_fde *fde)
{
	const uint8_t *bytes = flow_fde_bytes(middle->world->cfi->image, fde), *found;

	if (!bytes || fde->pc_range < CALL_BYTES)
		return true;
	for (uint64_t at = 0; at + CALL_BYTES <= fde->pc_range; at++) {
		uint64_t target;
		int32_t distance;

		found = memchr(bytes + at, CALL, fde->pc_range - CALL_BYTES + 1 - at);
		if (!found)
			break;
		at = (uint64_t)(found - bytes);
		memcpy(&distance, found + 1, sizeof(distance));
		target = fde->pc_begin + at + CALL_BYTES + (uint64_t)(int64_t)distance;
		if (distance && is_inside(begins, target) &&
		    !flow_is_stub(middle->world->callees, target) &&
		    cfi_fde_find(middle->world->cfi, target) && !add_call(middle, fde, at, target))
			return false;
	}
	return true;
}

/* A function that others may call lies in the FDE of another one, and in what that one's symbol says to be its own.
 * (What lies behind that is an entry already: lint_extent_next().) */
static bool is_inner(const struct lint_middle *middle, const struct image_symbol *symbol)
{
	const struct cfi_fde *fde = NULL;

	if (symbol->type == STT_FUNC && symbol->size && symbol->binding != STB_LOCAL)
		fde = cfi_fde_find(middle->world->cfi, symbol->pc);
	return fde && fde->pc_begin != symbol->pc &&
	       !flow_is_fragment(middle->world->callees, symbol->pc) &&
	       lint_extent_next(middle->world, fde, symbol->pc) != symbol->pc;
}

/* False: no memory. */
static bool add_inner(struct lint_middle *middle)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(middle->world->cfi->image, &count);

	for (size_t i = 0; i < count; i++)
		if (is_inner(middle, &symbol[i]) && !add_call(middle, NULL, 0, symbol[i].pc))
			return false;
	return true;
}

ARRAY_ORDER(compare_targets, struct lint_target, pc)

/* False: no memory. */
static bool sort_targets(struct lint_middle *middle)
{
	middle->target = calloc(middle->count + 1, sizeof(*middle->target));
	if (!middle->target)
		return false;
	for (size_t i = 0; i < middle->count; i++)
		middle->target[i] = (struct lint_target) { middle->call[i].target, &middle->call[i],
							   false };
	qsort(middle->target, middle->count, sizeof(*middle->target), compare_targets);
	return true;
}

void lint_middle_init(struct lint_middle *middle, const struct lint_judge *judge)
{
	const struct cfi *cfi = judge->world->cfi;
	struct begins begins = { .bits = NULL };
	bool memory = begins_init(&begins, judge);

	*middle = (struct lint_middle) { .world = judge->world };
	for (size_t i = 0; i < cfi->by_pc_count && memory; i++)
		memory = look_for_calls(middle, &begins, &cfi->fde[cfi->by_pc[i]]);
	free(begins.bits);
	if (!memory || !add_inner(middle) || !sort_targets(middle))
		flow_lack(judge->world, "addresses that are called");
}

void lint_middle_deinit(struct lint_middle *middle)
{
	free(middle->call);
	free(middle->target);
}

/* ---- is it one? ----------------------------------------------------------------------------- */

/* The FDE is decoded from one distance on: the first instruction's that begins at the other, or behind it. UINT64_MAX:
 * its bytes are not here. */
static uint64_t decode_to(const struct lint_middle *middle, const struct cfi_fde *fde, uint64_t now,
			  uint64_t at)
{
	const uint8_t *bytes = flow_fde_bytes(middle->world->cfi->image, fde);
	struct code code;

	for (; bytes && now < at; now += code.length ? code.length : 1)
		code_decode(middle->world->decoder, fde->pc_begin + now, bytes + now,
			    fde->pc_range - now, &code);
	return bytes ? now : UINT64_MAX;
}

/* The bytes are an instruction; *ret: which. What lies before them is decoded once for all that are in the FDE. */
static bool decode_call(const struct lint_middle *middle, struct lint_call *call, struct code *ret)
{
	const struct cfi_fde *fde = call->from;
	const uint8_t *bytes = flow_fde_bytes(middle->world->cfi->image, fde);
	struct lint_call *before = call;
	uint64_t now;

	if (!bytes)
		return false;
	while (!before->behind && before > middle->call && before[-1].from == fde)
		before--;
	now = before->behind;
	for (; before <= call; before++) {
		now = decode_to(middle, fde, now, before->at);
		before->behind = now;
	}
	if (now != call->at)
		return false;
	code_decode(middle->world->decoder, fde->pc_begin + now, bytes + now, fde->pc_range - now,
		    ret);
	return true;
}

/* The same in a part of which the rest will be asked for, too. *at: an instruction begins there, not behind pc. It
 * moves on. */
static bool part_begins_at(const struct lint_middle *middle, struct flow_fragment *fragment,
			   uint64_t *at, uint64_t pc)
{
	const struct code *code = NULL;

	for (; *at < pc; *at = flow_fragment_behind(code)) {
		code = flow_fragment_code(fragment, middle->world->decoder, *at);
		if (!code)
			return false;
	}
	return *at == pc;
}

static bool is_call(const struct lint_middle *middle, struct flow_fragment *fragment, uint64_t *at,
		    struct lint_call *call)
{
	const struct cfi_fde *fde = fragment ? fragment->fde
					     : cfi_fde_find(middle->world->cfi, call->target);
	struct code code;

	if (fragment ? !part_begins_at(middle, fragment, at, call->target)
		     : fde->pc_begin + decode_to(middle, fde, 0, call->target - fde->pc_begin) !=
			       call->target)
		return false;
	if (!call->from)
		return true;
	return decode_call(middle, call, &code) && code.flow == CODE_CALL &&
	       !flow_call_is_push(call->from, middle->world->cfi->image, middle->world->decoder,
				  code.pc + code.length, call->target);
}

/* The number of the first whose target is not before pc. */
static size_t first_from(const struct lint_middle *middle, uint64_t pc)
{
	return ARRAY_BEFORE(middle->count, i, middle->target[i].pc < pc);
}

uint64_t lint_middle_next(struct lint_middle *middle, struct flow_fragment *fragment,
			  uint64_t begin, uint64_t end)
{
	uint64_t at = fragment ? fragment->begin : 0;

	for (size_t i = first_from(middle, begin); i < middle->count && middle->target[i].pc < end;
	     i++) {
		struct lint_call *call = middle->target[i].call;

		if (call->is == LINT_CALL_UNASKED)
			call->is = is_call(middle, fragment, &at, call) ? LINT_CALL_IS_ONE
									: LINT_CALL_IS_NONE;
		if (call->is == LINT_CALL_IS_ONE)
			return call->target;
	}
	return 0;
}

/* Calls of pc, or NULL. */
static struct lint_target *target_of(const struct lint_middle *middle, uint64_t pc)
{
	const size_t first = first_from(middle, pc);

	return first < middle->count && middle->target[first].pc == pc ? &middle->target[first]
								       : NULL;
}

void lint_middle_called(struct lint_middle *middle, uint64_t pc, uint64_t from)
{
	struct lint_target *target = target_of(middle, pc);

	if (target)
		target->from = from;
}

/* Such an instruction, or 0: none was seen. */
static uint64_t lint_middle_caller(const struct lint_middle *middle, uint64_t pc)
{
	const struct lint_target *target = target_of(middle, pc);

	return target ? target->from : 0;
}

/* Some row at bytes that look like a call of pc has the CFA there: so many bytes above what the call pushes on; or at
 * something else than rsp. */
static bool lint_middle_has_frame(const struct lint_middle *middle, uint64_t pc, int64_t bytes)
{
	const struct lint_target *end = middle->target + middle->count;

	for (const struct lint_target *target = target_of(middle, pc);
	     target && target < end && target->pc == pc; target++) {
		const struct lint_call *call = target->call;
		struct error error;
		struct row row;

		if (call->from && (cfi_row_find(middle->world->cfi, call->from->pc_begin + call->at,
						&row, &error) <= 0 ||
				   row.cfa.kind != RULE_CFA_REGISTER ||
				   row.cfa.reg != REGISTER_RSP || row.cfa.offset == bytes))
			return true;
	}
	return false;
}

void lint_middle_hidden(const struct lint_middle *middle, const struct lint_judge *judge)
{
	for (size_t i = 0; i < middle->count; i++) {
		const struct lint_call *call = &middle->call[i];
		const struct cfi_fde *fde = call->from;
		uint64_t pc = fde ? fde->pc_begin + call->at : 0;

		/* Where paths came to, an instruction begins. */
		if (fde && call->is != LINT_CALL_IS_ONE && lint_judge_was_reached(judge, pc) &&
		    !flow_call_is_push(fde, middle->world->cfi->image, middle->world->decoder,
				       pc + CALL_BYTES, call->target))
			flow_reach(judge->world, fde->pc_begin, call->target, NULL,
				   FLOW_VALUE_UNKNOWN);
	}
}

/* ==== functions there that nothing but calls enters ========================================= */

/*
 *	f:	push rbx
 *	1:	call g		; cfa=rsp+16, up to the end
 *		dec ebx
 *		jnz 1b
 *		...
 *	g:	mov eax, ebx
 *		ret
 *
 * A row in the middle is right for the function around it, and a call there may be none, or be one that never comes
 * back: it accuses nobody. But if no path of any function leads to g but calls, its row is for them alone, and wrong
 * if it says neither where g's return address is, nor where that of f is, as if what the call has pushed were a part of f's
 * frame. So it is a finding if
 *
 *	a path that is sure comes to such a call;
 *	each path from there returns behind it, with rsp and the return address as they were;
 *	the function around it has no jump of unknown targets;
 *	no bytes look like a jump there, but jumps of its own code, and nothing makes or keeps its address; and
 *	no other file can know it by a label.
 *
 * Where other paths come, too, further on in g, they are judged, and g is unproven.
 */

#define JUMP	   0xe9
#define TWO_BYTES  0x0f
#define BRANCH_ROW 0x80 /* behind TWO_BYTES: of 16 branches */
#define SHORT_JUMP 0xeb
#define SHORT_ROW  0x70
#define LOOP_FIRST 0xe0
#define LOOP_LAST  0xe3

/* ---- who comes there? ----------------------------------------------------------------------- */

ARRAY_ORDER(compare, struct lint_inner, pc)

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
	flow_address_taken_words(world, doubt, inners);
	note_symbols(inners, image);
	doubt(inners, image->entry);
	for (size_t i = 0; i < inners->count; i++)
		inners->inner[i].doubted |= image_is_data(image, inners->inner[i].pc);
}

/* ---- what is it? ---------------------------------------------------------------------------- */

static bool is_called_only(const struct lint_inner *inner, const struct lint_judge *judge)
{
	return !inner->doubted && lint_middle_caller(inner->middle, inner->pc) &&
	       !lint_judge_has_paths(judge, inner->pc);
}

/* All of its paths come back behind the call, as far as is known. */
static bool comes_back(const struct flow *flow)
{
	return flow->found.has_return && !flow->found.returns_elsewhere &&
	       !flow->found.returned_to && !flow->found.jump_unknown && !flow->found.is_handler &&
	       !flow->found.too_large;
}

/* Once nothing changes any more. */
static bool is_function(const struct lint_inner *inner, const struct flow *flow)
{
	const struct flow_fragment *fragment = flow->fragment[0];

	for (size_t i = 0; i < inner->jump_count; i++)
		if (inner->jump[i] < fragment->begin || inner->jump[i] >= fragment->end ||
		    !fragment->block_at[inner->jump[i] - fragment->begin])
			return false;
	return !ARRAY_ANY(fragment->pad_count, i, fragment->pad[i].pad == inner->pc) &&
	       comes_back(flow) && !flow->found.returns_lost;
}

static void judge_paths(struct lint_inner *inner, struct flow *flow, struct lint_judge *judge)
{
	judge->doubtful = true;
	judge->why_doubtful = FLOW_VALUE_UNKNOWN;
	judge->inner = inner;
	lint_judge_flow(judge, flow, false);
	judge->inner = NULL;
	judge->doubtful = false;
}

/* All paths from there. Without fragments: its FDE can't be read. */
static void follow(const struct lint_inner *inner, struct flow_world *world, bool quiet,
		   struct flow *flow)
{
	const struct flow_plan plan = {
		.fde = inner->fde, .entry = inner->pc, .doubtful = true, .quiet = quiet
	};

	flow_follow(flow, world, &plan);
}

void lint_inners_meet(struct lint_inners *inners, struct lint_inner *inner, const struct flow *own,
		      struct lint_judge *judge)
{
	struct flow flow;

	follow(inner, judge->world, false, &flow);
	if (flow.fragment_count)
		judge_paths(inner, &flow, judge);
	/* It may accuse. */
	if (flow.fragment_count && inner->found && comes_back(&flow) && !own->found.jump_unknown &&
	    !ARRAY_ADD(inners->inner, inners->count, *inner))
		flow_lack(judge->world, "functions inside of others");
	for (size_t i = 1; i < flow.fragment_count; i++)
		lint_known_of(judge, flow.fragment[i]->fde)->sum.met = true;
	flow_deinit(&flow);
}

static void accuse(struct lint_inner *inner, struct lint_judge *judge)
{
	struct flow flow;

	follow(inner, judge->world, true, &flow);
	flow_visit(&flow, NULL);
	inner->accuses = flow.fragment_count && is_function(inner, &flow);
	if (inner->accuses)
		judge_paths(inner, &flow, judge);
	lint_known_of(judge, inner->fde)->sum.met |= inner->accuses;
	flow_deinit(&flow);
}

void lint_inners_decide(struct lint_inners *inners, struct lint_judge *judge)
{
	if (!inners->count)
		return;
	ARRAY_SORT(inners->inner, inners->count, compare);
	note_others(inners, judge->world);
	for (size_t i = 0; i < inners->count; i++)
		if (is_called_only(&inners->inner[i], judge))
			accuse(&inners->inner[i], judge);
}

void lint_inners_deinit(struct lint_inners *inners)
{
	free(inners->inner);
}

/* ---- what does it accuse? ------------------------------------------------------------------- */

bool lint_inner_accuses(const struct lint_judge *judge, const struct flow_fragment *fragment,
			const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_verdict *verdict)
{
	struct lint_inner *inner = judge->inner;
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (!inner || verdict->outcome != FLOW_ROW_MISMATCH || verdict->fault != FLOW_CFA ||
	    verdict->callers_stack || fragment->fde != inner->fde ||
	    row->cfa.kind != RULE_CFA_REGISTER || row->cfa.reg != REGISTER_RSP ||
	    rsp->kind != VALUE_CFA || lint_judge_has_paths(judge, pc) ||
	    lint_middle_has_frame(inner->middle, inner->pc, rsp->number + row->cfa.offset))
		return false;
	inner->found = true;
	return inner->accuses;
}

void lint_inner_path(const struct lint_judge *judge, const struct flow_block *block,
		     struct flow_trace *ret)
{
	flow_trace_find(judge->flow, block->from, block->pc, ret);
	if (!judge->inner || !ret->known || ret->cut)
		return;
	ret->cut = ret->count == FLOW_TRACE_MAX;
	if (ret->cut)
		return;
	memmove(ret->jump + 1, ret->jump, ret->count * sizeof(ret->jump[0]));
	ret->jump[0] = lint_middle_caller(judge->inner->middle, judge->inner->pc);
	ret->count++;
}
