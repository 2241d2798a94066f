/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_jump.c - jump tables
 *
 * Compilers write them in two forms: distances of 4 bytes from the table's own begin, and, in code
 * that lies at a fixed address, targets of 8 bytes. Where a comparison that every way to the jump has
 * passed bounds the index, it says how many there are, unless another table begins before: then some of
 * those values went another way since. Elsewhere the compiler knew the bound from a type (Rust's enums):
 * then the table ends with the first entry that leaves the function. What it reads beyond is another
 * table of the same function, so such ways accuse nobody.
 */
#include <elf.h>
#include <string.h>
#include "flow.h"
#include "flow_callees.h"

#define FUNCTION_ALIGNED 16 /* where compilers let functions begin */
#define OWN_ALIGNED_MAX	 4  /* such places between the function's end and the next one */

/* The next table's begin, behind table; UINT64_MAX if none is known. */
static uint64_t next_table(const struct flow *flow, uint64_t table)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < flow->tables.count; i++)
		if (flow->tables.table[i].begin > table && flow->tables.table[i].begin < next)
			next = flow->tables.table[i].begin;
	return next;
}

/* end: where it ends at the latest, if a comparison says so, else its begin. One that was read beyond
 * where this one begins is to be read again. */
static void meet_table(struct flow *flow, uint64_t begin, uint64_t end)
{
	flow->tables.any = true;
	for (size_t i = 0; i < flow->tables.count; i++) {
		struct flow_table *table = &flow->tables.table[i];

		if (table->begin == begin) {
			table->end = end > table->end ? end : table->end;
			return;
		}
		if (table->begin < begin && begin < table->end)
			flow->round.read_beyond = flow->round.guessed_end = true;
	}
	if (flow->tables.count == FLOW_TABLES_MAX)
		return;
	flow->tables.table[flow->tables.count++] = (struct flow_table) { .begin = begin,
									 .end = end };
	flow->round.met_table = true;
}

bool flow_jump_entry(const struct image *image, uint64_t table, uint8_t scale, uint64_t index,
		     uint64_t *ret)
{
	const uint8_t *entry = image_bytes(image, table + index * scale, scale);
	int32_t distance;

	if (!entry)
		return false;
	if (scale == 8) {
		memcpy(ret, entry, sizeof(*ret));
	} else {
		memcpy(&distance, entry, sizeof(distance));
		*ret = table + (uint64_t)(int64_t)distance;
	}
	return true;
}

static bool read_entry(const struct flow *flow, const struct value *table, uint64_t index,
		       uint64_t *ret)
{
	return flow_jump_entry(flow->world->cfi->image, (uint64_t)table->number, table->scale,
			       index, ret);
}

/* What lies behind the function's code is its own: its symbol says so, or no function may begin there, and another
 * one does soon. */
static bool is_own(const struct cfi *cfi, uint64_t pc)
{
	const struct image_symbol *symbol = image_symbol_find(cfi->image, pc - 1);
	uint64_t next = pc + FUNCTION_ALIGNED - pc % FUNCTION_ALIGNED;

	if (symbol && pc - symbol->pc < symbol->size)
		return true;
	for (int i = 0; i < OWN_ALIGNED_MAX && pc % FUNCTION_ALIGNED; i++)
		if (cfi_fde_find(cfi, next + (uint64_t)i * FUNCTION_ALIGNED))
			return true;
	return false;
}

/* Behind the code: where compilers let cases go that they hold to be unreachable. Code of the function there is
 * code that no FDE covers. */
static bool is_end(const struct flow *flow, uint64_t pc, uint64_t jump)
{
	const struct flow_world *world = flow->world;

	for (size_t i = 0; i < flow->part_count; i++) {
		if (flow->part[i]->end != pc)
			continue;
		if (is_own(world->cfi, pc) && !cfi_fde_find(world->cfi, pc) &&
		    image_code_segment(world->cfi->image, pc))
			flow_tell_uncovered(world, pc, jump);
		return true;
	}
	return false;
}

/* Inside of another function: a part of this one begins with a frame. */
static bool is_foreign(const struct flow *flow, uint64_t pc)
{
	const struct cfi_fde *fde = flow_has(flow, pc) ? NULL : cfi_fde_find(flow->world->cfi, pc);
	struct flow_part *part = NULL;
	enum flow_reason reason;
	const struct row *row;
	struct error error;
	bool foreign;

	if (!fde || fde->pc_begin == pc ||
	    flow_part_create(flow->world->cfi, fde, &part, &reason, &error) || !part)
		return false;
	row = flow_part_row(part, part->begin);
	foreign = row && flow_row_is_entry(row);
	flow_part_destroy(part);
	return foreign;
}

#define BEYOND_MAX 256 /* a table's entries that are looked at */

/* Nothing says how long the table is, and its first entry leaves the function: it may be as long as its index allows. */
static void reach_beyond(const struct flow *flow, const struct value *table, uint64_t count,
			 const struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	uint64_t pc;

	if (!flow_tells_reached(flow))
		return;
	for (uint64_t i = 0; i < count && i < BEYOND_MAX; i++)
		if (read_entry(flow, table, i, &pc) && cfi_fde_begins(world->cfi, pc))
			flow_reach(world, flow->function, pc, state, FLOW_JUMP_UNKNOWN);
}

#define KEPT_LATELY 64u /* a power of two */
#define NO_TARGET   UINT64_MAX

/* Where a target stands that was kept not long ago: many entries lead to few. */
static uint64_t *kept_lately(uint64_t lately[KEPT_LATELY], uint64_t target)
{
	return &lately[(target ^ target >> 6) % KEPT_LATELY];
}

/* The table was read up to there. */
static void note_read(struct flow *flow, uint64_t table, uint64_t end)
{
	for (size_t i = 0; i < flow->tables.count; i++)
		if (flow->tables.table[i].begin == table && flow->tables.table[i].end < end)
			flow->tables.table[i].end = end;
}

/* An entry leads out of the parts. It may be the end of one that is not met yet. */
static void guess_end(struct flow *flow)
{
	flow->round.guessed_end = true;
	if (!flow->round.guessed_parts)
		flow->round.guessed_parts = flow->part_count;
}

size_t flow_jump_targets(struct flow *flow, const struct flow_state *state, const struct code *code,
			 uint64_t *ret, bool *ret_sure)
{
	const struct image *image = flow->world->cfi->image;
	struct value value = flow_effect_jump(state, code);
	uint64_t begin, count, room, i, end = NO_TARGET, lately[KEPT_LATELY];
	size_t kept = 0, again = 0;
	bool inside;

	*ret_sure = true;
	flow->tables.read_whole = false;
	for (i = 0; i < KEPT_LATELY; i++)
		lately[i] = NO_TARGET;
	if (value.kind == VALUE_CONSTANT) {
		ret[0] = (uint64_t)value.number;
		return 1;
	}
	if (value.kind != VALUE_TARGET || (value.scale == 8 && image->type != ET_EXEC))
		return 0; /* the loader writes those of 8 bytes elsewhere */
	begin = (uint64_t)value.number;
	count = (uint64_t)value.bound + 1;
	meet_table(flow, begin, value.compared ? begin + count * value.scale : begin);
	room = (next_table(flow, begin) - begin) / value.scale;
	flow->round.guessed_end |= !value.compared;
	if (room < count) {
		count = room;
		value.compared = false; /* of other values than those that come here */
	}
	*ret_sure = value.compared;
	for (i = 0; i < count && i < FLOW_TARGETS_MAX; i++) {
		if (!read_entry(flow, &value, i, &ret[kept]))
			break;
		if (*kept_lately(lately, ret[kept]) == ret[kept]) {
			again++;
			continue;
		}
		if (ret[kept] == end || is_end(flow, ret[kept], code->pc)) {
			end = ret[kept]; /* of many entries, mostly */
			continue;
		}
		inside = flow_has(flow, ret[kept]);
		if (!inside)
			guess_end(flow);
		if (!value.compared && !inside) {
			if (!kept)
				reach_beyond(flow, &value, count, state);
			break;
		}
		if (value.compared && is_foreign(flow, ret[kept])) {
			/* The comparison was another one, and the table ends before. */
			*ret_sure = value.compared = false;
			break;
		}
		*kept_lately(lately, ret[kept]) = ret[kept];
		kept++;
	}
	note_read(flow, begin, begin + i * value.scale);
	flow->tables.read_whole = kept + again == (size_t)value.bound + 1 &&
				  value.bound != UINT8_MAX && value.bound != UINT16_MAX;
	if (!kept && end != NO_TARGET && !flow->followed && cfi_fde_begins(flow->world->cfi, end))
		flow_reach(flow->world, flow->function, end, state, FLOW_JUMP_UNKNOWN);
	return value.compared && i < count ? 0 : kept;
}

size_t flow_jump_known(struct flow *flow, const struct code *code, const struct flow_state *state,
		       bool *ret_sure)
{
	uint64_t *target = flow->world->target;
	size_t count = flow_jump_targets(flow, state, code, target, ret_sure);

	for (size_t i = 0; i < count; i++)
		if (!flow_has(flow, target[i]) && !cfi_fde_find(flow->world->cfi, target[i]))
			return 0;
	return count;
}

/* ---- the ways there ----------------------------------------------------------------------- */

/* Compilers let a table's entries for what they hold to be unreachable lead to wherever another function's part begins.
 * But one entry of a table is taken, and of one that has no other each may be. */
static void reach_all(const struct flow *flow, const uint64_t *target, size_t count, bool sure,
		      const struct flow_state *state)
{
	if (!flow_tells_reached(flow))
		return;
	for (size_t i = 0; i < count; i++)
		if (flow_has(flow, target[i]))
			return;
	for (size_t i = 0; i < count; i++)
		if (cfi_fde_begins(flow->world->cfi, target[i]))
			flow_reach(flow->world, flow->function, target[i], state,
				   sure ? FLOW_VALUE_UNKNOWN : FLOW_JUMP_UNKNOWN);
}

static int come_to_all(struct flow *flow, const uint64_t *target, size_t count,
		       const struct flow_state *state, const struct flow_way *way,
		       struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < count && !result; i++)
		result = flow_come(flow, target[i], state, way, error);
	return result;
}

int flow_jump_go(struct flow *flow, const struct flow_part *part, const struct code *code,
		 const struct flow_state *state, const struct flow_way *come, struct error *error)
{
	uint64_t *target = flow->world->target;
	struct flow_way way = { .from = code->pc,
				.beyond = come->beyond,
				.supposed = come->supposed };
	size_t count;
	bool sure;
	int result = 0;

	count = flow_jump_known(flow, code, state, &sure);
	way.unsure = flow_doubt_more(come->unsure, sure			     ? FLOW_SURE
						   : flow->tables.read_whole ? FLOW_MASKED
									     : FLOW_UNSURE);
	if (way.unsure == FLOW_NEVER)
		return come_to_all(flow, target, count, state, &way, error);
	reach_all(flow, target, count, sure, state);
	if (!count) {
		flow_note_tail_call(flow, state);
		flow_linked_return(flow, code, state, come);
		flow_beyond_return(flow, state, come);
		flow->found.jump_unknown = true;
	}
	if (count || flow_unruled_is_entry(part, state)) {
		flow_unread_forget(flow, code->pc);
	} else {
		if (flow_jump_met(flow, error))
			return -1;
		if (!flow->followed)
			result = flow_unread_note(flow, part, code, state, error);
	}
	if ((!count || !sure) && flow->world->jumped && !flow->followed)
		flow->world->jumped(flow->world->context, state);
	return result ? result : come_to_all(flow, target, count, state, &way, error);
}

/* ---- the comparison before ---------------------------------------------------------------- */

#define LOOK_UP 8 /* instructions that read an entry and jump */

/* Nothing but the instructions that read an entry stands between pc and the jump by it. */
static bool looks_up(const struct flow *flow, uint64_t pc)
{
	struct flow_part *part = flow_known_part(flow, pc);

	for (int i = 0; part && i < LOOK_UP && pc < part->end; i++) {
		const struct code *code = flow_part_code(part, flow->world->decoder, pc);

		if (!code || code->flow != CODE_NEXT)
			return code && code->flow == CODE_JUMP_INDIRECT;
		pc += code->length;
	}
	return false;
}

bool flow_jump_is_doubtful(const struct flow *flow, uint64_t from, uint64_t to)
{
	struct flow_part *part = flow_known_part(flow, from);
	const struct code *code = part ? flow_part_code(part, flow->world->decoder, from) : NULL;
	uint64_t next;

	if (code && code->flow == CODE_JUMP_INDIRECT)
		return true;
	if (!code || code->flow != CODE_BRANCH)
		return false;
	next = code->pc + code->length;
	switch (code->condition) {
	case CONDITION_ABOVE:
	case CONDITION_ABOVE_EQUAL: return to == code->target && looks_up(flow, next);
	case CONDITION_BELOW:
	case CONDITION_BELOW_EQUAL: return to == next && looks_up(flow, code->target);
	default: return false;
	}
}
