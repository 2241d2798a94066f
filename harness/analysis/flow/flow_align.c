/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_align.c - what an aligned address may be, and which words it may lead to
 *
 * A base that begins where an address of the stack was aligned is not anywhere: it lies at that address, or
 * less than the alignment below. So what is written at or above it, or far enough below, may be a word that is known
 * by another base, or by the CFA. That word holds nobody knows what then.
 *
 * The CFA is a multiple of 16 (psABI, 3.2.2), which tells where a base of 16 bytes is. But functions are aligned
 * because of callers that don't see to that. So nobody is accused of what was written by another base.
 */
#include "flow_state.h"

#define CFA_BITS	   4
#define ALIGNMENT_BITS_MAX 30 /* more is none of a stack */

/* A place that is root, whose number is the highest that it may be, or up to slack bytes below. */
struct place {
	struct value root;
	int64_t slack;
};

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t lowest(const struct place *place)
{
	return sum(place->root.number, -place->slack);
}

static bool same_base(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->bound == b->bound;
}

/* What the base that begins at origin is the aligned address of, or NULL. */
static const struct value *aligned_from(const struct flow_state *state, uint32_t origin)
{
	const struct value key = { .kind = VALUE_ALIGNED, .bound = origin };
	const struct value *from = flow_word_find(state, &key);

	return from && value_is_stack(from) ? from : NULL;
}

/* From a base to what it is aligned from. False: that is not known. */
static bool go_up(const struct flow_state *state, struct place *place)
{
	const struct value *from = place->root.kind == VALUE_BASE
					   ? aligned_from(state, place->root.bound)
					   : NULL;

	if (!from)
		return false;
	place->slack += ((int64_t)1 << from->reg) - ((int64_t)1 << from->scale);
	place->root.kind = from->kind;
	place->root.bound = from->bound;
	place->root.number = sum(place->root.number, from->number);
	return true;
}

static struct place place_of(const struct flow_state *state, const struct value *at)
{
	struct place place = { .root = *at };

	for (uint32_t i = 0; i < state->word_count && go_up(state, &place); i++)
		;
	return place;
}

/* The two as places of the first base, or of the CFA, that both hang on. False: none is known. */
static bool compare(const struct flow_state *state, const struct value *a, const struct value *b,
		    struct place *ret_a, struct place *ret_b)
{
	*ret_a = (struct place) { .root = *a };
	for (uint32_t i = 0; i <= state->word_count; i++) {
		*ret_b = (struct place) { .root = *b };
		for (uint32_t j = 0; j <= state->word_count; j++) {
			if (same_base(&ret_a->root, &ret_b->root))
				return true;
			if (!go_up(state, ret_b))
				break;
		}
		if (!go_up(state, ret_a))
			break;
	}
	return false;
}

/* Of how many of its lowest bits is known that they are 0, but for its number. */
static unsigned int known_bits(const struct flow_state *state, const struct value *at)
{
	const struct value *from;

	if (at->kind == VALUE_CFA)
		return CFA_BITS;
	from = aligned_from(state, at->bound);
	return from && from->compared ? from->reg : 0;
}

/* Without the word more is believed than is so; and without what is no register's, less. */
static struct word *room(struct flow_state *state)
{
	if (state->word_count < FLOW_WORDS_MAX)
		return &state->word[state->word_count++];
	state->words_lost = true;
	for (uint32_t i = FLOW_WORDS_MAX; i--;)
		if (state->word[i].value.kind != VALUE_ENTRY) {
			state->fresh &= ~(1u << i);
			return &state->word[i];
		}
	return NULL;
}

void flow_align_note(struct flow_state *state, uint32_t origin, const struct value *at,
		     int64_t mask)
{
	struct word *word;
	unsigned int bits = 0, step;
	bool whole;

	if (!value_is_stack(at) || at->scale || (at->kind == VALUE_BASE && at->bound == origin) ||
	    mask >= 0 || mask < -((int64_t)1 << ALIGNMENT_BITS_MAX))
		return;
	while ((int64_t)1 << bits < -mask)
		bits++;
	whole = -mask == (int64_t)1 << bits;
	step = whole ? known_bits(state, at) : 0;
	step = step < bits ? step : bits;
	word = room(state);
	if (!word)
		return;
	word->at = (struct value) { .kind = VALUE_ALIGNED, .bound = origin };
	word->value = (struct value) { .kind = at->kind,
				       .reg = (uint8_t)bits,
				       .scale = (uint8_t)step,
				       .compared = whole,
				       .bound = at->bound,
				       .number = at->number & -((int64_t)1 << step) };
	state->aligned = true;
	state->word_writes++;
}

struct value flow_align_find(const struct flow_state *state, const struct value *at, int64_t mask)
{
	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct value *from = &state->word[i].value;

		if (state->word[i].at.kind == VALUE_ALIGNED && same_base(from, at) &&
		    from->compared && mask == -((int64_t)1 << from->reg) &&
		    (at->number & -((int64_t)1 << from->scale)) == from->number)
			return (struct value) { .kind = VALUE_BASE,
						.bound = state->word[i].at.bound };
	}
	return (struct value) { .kind = VALUE_UNKNOWN };
}

static void forget(struct flow_state *state, struct word *word)
{
	word->value = (struct value) { .kind = VALUE_UNKNOWN };
	state->word_writes++;
}

/* Words of the base below which at may lie are not known to be unwritten. */
static void touch_base(struct flow_state *state, const struct value *at, uint32_t origin)
{
	const struct value base = { .kind = VALUE_BASE, .bound = origin };
	struct place place, begin;

	if (!same_base(at, &base) && compare(state, at, &base, &place, &begin) &&
	    lowest(&place) < begin.root.number)
		state->bases_touched = true;
}

/* The same of all bases, and of the CFA's words. */
static void touch(struct flow_state *state, const struct value *at, uint64_t bytes)
{
	const struct place place = place_of(state, at);

	for (uint32_t i = 0; i < state->word_count; i++)
		if (state->word[i].at.kind == VALUE_ALIGNED)
			touch_base(state, at, state->word[i].at.bound);
	if (same_base(&place.root, at))
		return;
	if (place.root.kind == VALUE_BASE)
		state->bases_touched = true;
	else
		flow_word_touched(state, lowest(&place), sum(place.root.number, (int64_t)bytes));
}

void flow_align_write(struct flow_state *state, const struct value *at, uint64_t bytes,
		      uint64_t first)
{
	struct place place, other;

	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if (value_is_stack(&word->at) && !same_base(&word->at, at) &&
		    compare(state, at, &word->at, &place, &other) &&
		    lowest(&other) < sum(place.root.number, (int64_t)first) &&
		    sum(other.root.number, 8) > lowest(&place))
			forget(state, word);
	}
	if (!state->saved_only)
		touch(state, at, bytes);
}

bool flow_align_is_below(const struct flow_state *state, const struct value *at,
			 const struct value *limit)
{
	struct place place, end;

	if (same_base(at, limit))
		return at->number < limit->number;
	return state->aligned && value_is_stack(limit) && compare(state, at, limit, &place, &end) &&
	       lowest(&place) < end.root.number;
}

void flow_align_call(struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if (value_is_stack(&word->at) && !same_base(&word->at, rsp) &&
		    flow_align_is_below(state, &word->at, rsp))
			forget(state, word);
	}
}

int64_t flow_align_highest(const struct flow_state *state, const struct value *at)
{
	const struct place place = place_of(state, at);

	return place.root.kind == VALUE_CFA ? place.root.number : INT64_MIN;
}
