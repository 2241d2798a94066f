/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_state.c - what is known before an instruction: values of registers and of words of the stack
 *
 * A state only ever loses knowledge when paths join, so that following all paths comes to an end. A
 * word that one path wrote and the other did not may hold anything: it stays in the list as unknown,
 * because a word that is in no list is one that nobody has written.
 */
#include <emmintrin.h>
#include <string.h>
#include "flow_state.h"

struct value value_add(struct value a, int64_t number)
{
	switch (a.kind) {
	case VALUE_CFA:
	case VALUE_ENTRY:
	case VALUE_BASE:
	case VALUE_CONSTANT: a.number = (int64_t)((uint64_t)a.number + (uint64_t)number); return a;
	case VALUE_UNKNOWN: return (struct value) { .raised = a.raised };
	default:
		if (!number)
			return a;
		if (value_is_part(&a))
			return (struct value) { .raised = a.raised };
		return (struct value) { .kind = VALUE_OTHER,
					.raised = value_is_raised(&a),
					.part = value_has_argument(&a) ? VALUE_ARGUMENT_AGAIN
								       : VALUE_PART_NONE };
	}
}

void flow_state_enter(struct flow_state *ret)
{
	struct value at = { .kind = VALUE_CFA, .number = -8 };

	memset(ret, 0, offsetof(struct flow_state, word));
	ret->direction = DIRECTION_UP;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		ret->reg[i] = value_entry((uint8_t)i);
	ret->reg[REGISTER_RSP] = at;
	flow_word_write(ret, &at, 8, value_entry(REGISTER_RIP));
}

static bool same_base(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->origin == b->origin;
}

const struct value *flow_word_find(const struct flow_state *state, const struct value *at)
{
	for (uint32_t i = 0; i < state->word_count; i++)
		if (value_equal(&state->word[i].at, at))
			return &state->word[i].value;
	return NULL;
}

const struct value *flow_word_on_top(const struct flow_state *state)
{
	static const struct value top = { .kind = VALUE_CFA, .number = -8 };

	return flow_word_find(state, &top);
}

/* False: nothing is another than before, since there is no room, as there was none before. */
static bool word_add(struct flow_state *state, const struct value *at, const struct value *value)
{
	bool lost = state->words_lost;

	if (state->word_count == FLOW_WORDS_MAX) {
		state->words_lost = true;
		return !lost;
	}
	state->word[state->word_count++] = (struct word) { *at, *value };
	return true;
}

/* The word is about to be another. */
static inline void note_write(struct flow_state *state, const struct word *word)
{
	state->word_writes += word->value.kind == VALUE_ENTRY;
}

/* The word of that number was written just now. */
static void set_fresh(struct flow_state *state, uint32_t number)
{
	const uint32_t bit = 1u << number;

	state->fresh &= ~bit;
	state->stale &= ~bit;
	if (value_is_stack(&state->word[number].value))
		state->fresh |= bit;
}

static void add_written(struct flow_state *state, const struct value *at, const struct value *value)
{
	uint32_t number = state->word_count;

	word_add(state, at, value);
	if (state->word_count > number)
		set_fresh(state, number);
}

static bool is_saved(const struct value *value)
{
	return value->kind == VALUE_ENTRY && !value->number &&
	       (value->reg == REGISTER_RIP || FLOW_PRESERVED & 1u << value->reg);
}

static bool is_of_use(const struct flow_state *state, const struct value *value)
{
	if (state->saved_only)
		return is_saved(value) || value_is_stack(value);
	return value->kind != VALUE_OTHER && value->kind != VALUE_UNKNOWN;
}

static void note_unlisted(struct flow_state *state, const struct value *value)
{
	if (state->saved_only)
		return;
	if (value_is_argument_again(value))
		state->unlisted = FLOW_UNLISTED_ARGUMENT;
	else if (!state->unlisted)
		state->unlisted = FLOW_UNLISTED_OTHER;
}

void flow_word_write(struct flow_state *state, const struct value *at, uint32_t bytes,
		     struct value value)
{
	bool found = false;

	if (!value_is_stack(at))
		return;
	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if (!same_base(&word->at, at) || word->at.number >= at->number + (int64_t)bytes ||
		    word->at.number + 8 <= at->number)
			continue;
		note_write(state, word);
		if (word->at.number == at->number && bytes == 8) {
			word->value = value;
			set_fresh(state, i);
			found = true;
		} else {
			/* A part of it may be written back as it was. */
			word->value = (struct value) { .kind = value.kind == VALUE_UNKNOWN
								       ? VALUE_UNKNOWN
								       : VALUE_OTHER };
		}
	}
	if (state->aligned)
		flow_align_write(state, at, bytes, bytes);
	/* What is of no use to anybody needs no place, unless it stands for what was there. */
	if (!found && bytes == 8 && is_of_use(state, &value))
		add_written(state, at, &value);
	else if (!found && bytes == 8 && value.kind == VALUE_UNKNOWN)
		flow_word_touch(state, at, bytes);
	else if (!found && bytes == 8)
		note_unlisted(state, &value);
}

void flow_word_touch(struct flow_state *state, const struct value *at, uint64_t bytes)
{
	int64_t begin = at->number, end = at->number + (int64_t)bytes;

	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if (!same_base(&word->at, at) || word->at.number >= end ||
		    word->at.number + 8 <= begin)
			continue;
		note_write(state, word);
		word->value = value_unknown();
	}
	if (state->saved_only)
		return;
	if (at->kind == VALUE_BASE)
		state->bases_touched = true;
	else
		flow_word_touched(state, begin, end);
}

void flow_word_touched(struct flow_state *state, int64_t begin, int64_t end)
{
	if (state->touched_begin == state->touched_end) {
		state->touched_begin = begin;
		state->touched_end = end;
	}
	state->touched_begin = begin < state->touched_begin ? begin : state->touched_begin;
	state->touched_end = end > state->touched_end ? end : state->touched_end;
}

void flow_word_escape(struct flow_state *state, const struct value *at, const struct value *value)
{
	if (value_is_stack(at))
		return;
	flow_word_change(state);
	if (value->kind == VALUE_ENTRY && !value->number)
		state->escaped |= 1u << value->reg;
}

/* A bit of the word. */
static uint32_t bit_of(const struct flow_state *state, const struct value *word)
{
	const size_t offset = (size_t)((const char *)word - (const char *)state->word);

	return 1u << offset / sizeof(struct word);
}

struct value flow_word_address(const struct flow_state *state, const struct value *word)
{
	const uint32_t bit = bit_of(state, word);
	struct value value = *word;

	if (value.address == ADDRESS_CHANGED || !(state->fresh & bit))
		value.address = ADDRESS_CHANGED;
	else if (state->stale & bit || state->saved_only)
		value.address = ADDRESS_EITHER;
	return value;
}

bool flow_word_is_untouched(const struct flow_state *state, const struct value *at)
{
	if (state->words_lost || flow_word_find(state, at))
		return false;
	if (at->kind == VALUE_BASE)
		return !state->bases_touched;
	return at->number + 8 <= state->touched_begin || at->number >= state->touched_end;
}

bool flow_word_is_unwritten(const struct flow_state *state, const struct value *at)
{
	bool lent = state->lent && (at->kind == VALUE_BASE || at->number + 8 > state->lent);

	return !lent && flow_word_is_untouched(state, at);
}

void flow_word_note(struct flow_state *state, const struct value *at, struct value value)
{
	if (!state->saved_only && !flow_word_find(state, at))
		word_add(state, at, &value);
}

/* For certain none of what registers held at the entry that callees preserve, nor the return address. Two such
 * values have that in common. */
static bool is_none_kept(const struct value *value)
{
	return value->kind == VALUE_CONSTANT ||
	       (value->kind == VALUE_OTHER && !value_is_part(value) && !value->of_clone) ||
	       (value->kind == VALUE_ENTRY && value_has_argument(value));
}

/* Of two that are none. On one of the two paths it is none of what another register held either, unless both may be. */
static enum value_part part_of_both(const struct value *a, const struct value *b)
{
	if (value_is_argument_again(a) || value_is_argument_again(b))
		return VALUE_ARGUMENT_AGAIN;
	return value_has_argument(a) && value_has_argument(b) ? VALUE_PART_ARGUMENT
							      : VALUE_PART_NONE;
}

/* One address of the stack, which it may only not be on one of the paths. */
static bool is_same_but_read(const struct value *a, const struct value *b)
{
	const bool is_record = a->bits || a->whole; /* flow_state.c's */

	return value_is_stack(a) && !is_record && a->kind == b->kind && a->origin == b->origin &&
	       a->number == b->number && a->bits == b->bits && a->whole == b->whole;
}

/* One bound, which others may have changed only on one of the paths. */
static bool is_bound_but_read(const struct value *a, const struct value *b)
{
	return a->kind == VALUE_BOUND && b->kind == VALUE_BOUND && a->scale == b->scale &&
	       a->bound == b->bound && a->compared == b->compared;
}

/* Of two that differ. */
static __attribute__((noinline)) bool join_others(struct value *into, const struct value *from,
						  bool saved_only)
{
	bool matters = !saved_only || into->kind != VALUE_OTHER;

	if (is_none_kept(into) && is_none_kept(from)) {
		enum value_part part = saved_only ? VALUE_PART_NONE : part_of_both(into, from);

		const bool raised = value_is_raised(into) || value_is_raised(from);

		matters = into->kind != VALUE_OTHER || part > into->part || raised != into->raised;
		*into = value_other(part);
		into->raised = raised;
		return matters;
	}
	if (is_same_but_read(into, from)) {
		matters = into->address != ADDRESS_EITHER;
		into->address = ADDRESS_EITHER;
		return matters;
	}
	if (is_bound_but_read(into, from)) {
		matters = !into->changed;
		into->changed = 1;
		return matters;
	}
	*into = value_unknown();
	return matters;
}

/* True: it has changed, and that matters. Most are equal, or unknown already. */
static inline bool join_value(struct value *into, const struct value *from, bool saved_only)
{
	if (value_equal(into, from) || into->kind == VALUE_UNKNOWN)
		return false;
	return join_others(into, from, saved_only);
}

static inline __m128i load_value(const struct value *value)
{
	return _mm_loadu_si128((const __m128i *)value);
}

_Static_assert(!VALUE_UNKNOWN && !offsetof(struct value, kind), "the first byte is 0");

/* All bits, if they are equal, or the first one is VALUE_UNKNOWN: then nothing gets less. */
static inline __m128i stays(const struct value *into, const struct value *from)
{
	const __m128i first = load_value(into), zero = _mm_setzero_si128();
	const __m128i kind = _mm_and_si128(first, _mm_cvtsi32_si128(UINT8_MAX));
	const __m128i unknown = _mm_shuffle_epi32(_mm_cmpeq_epi32(kind, zero), 0);

	return _mm_or_si128(_mm_cmpeq_epi32(first, load_value(from)), unknown);
}

/* Of 4 values each: a bit for each 4 bytes that differ. */
static inline uint32_t differing_parts(const struct value *into, const struct value *from)
{
	__m128i first = _mm_packs_epi32(stays(&into[0], &from[0]), stays(&into[1], &from[1]));
	__m128i second = _mm_packs_epi32(stays(&into[2], &from[2]), stays(&into[3], &from[3]));

	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, second)) ^ UINT16_MAX;
}

/* Those that are not are looked for at once. */
static bool join_registers(struct flow_state *into, const struct flow_state *from)
{
	uint64_t differ = 0;
	bool changed = false;

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i += 4)
		differ |= (uint64_t)differing_parts(&into->reg[i], &from->reg[i]) << 4 * i;
	while (differ) {
		unsigned int i = (unsigned int)__builtin_ctzll(differ) / 4;

		differ &= ~(UINT64_C(15) << 4 * i);
		changed |= join_others(&into->reg[i], &from->reg[i], into->saved_only);
	}
	return changed;
}

static void join_touched(struct flow_state *into, const struct flow_state *from)
{
	if (from->touched_begin == from->touched_end)
		return;
	if (into->touched_begin == into->touched_end) {
		into->touched_begin = from->touched_begin;
		into->touched_end = from->touched_end;
	}
	if (from->touched_begin < into->touched_begin)
		into->touched_begin = from->touched_begin;
	if (from->touched_end > into->touched_end)
		into->touched_end = from->touched_end;
}

/* The word of from that lies at at. States that meet mostly have the same words in the same order,
 * so that it is the one with the same number. */
static inline const struct value *other_word(const struct flow_state *from, const struct value *at,
					     uint32_t number)
{
	if (number < from->word_count && value_equal(&from->word[number].at, at))
		return &from->word[number].value;
	return flow_word_find(from, at);
}

static const struct value unknown = { .kind = VALUE_UNKNOWN };
static const struct value none_kept = { .kind = VALUE_OTHER };

/* A word that is in no list. Where nobody has written it, it holds nothing of the caller's but for chance. */
static const struct value *unlisted(const struct flow_state *state, const struct value *at)
{
	return flow_word_is_unwritten(state, at) ? &none_kept : &unknown;
}

/* Of into's words that hold an address, if either state has some that nobody else can have changed. Of the proof's
 * state each such word is taken for stale. */
static __attribute__((noinline)) bool join_fresh(struct flow_state *into,
						 const struct flow_state *from)
{
	const uint32_t old_fresh = into->fresh, old_stale = into->stale;
	uint32_t fresh = 0, stale = 0;

	for (uint32_t left = from->fresh; left; left &= left - 1) {
		const uint32_t number = (uint32_t)__builtin_ctz(left);
		const struct value *own = other_word(into, &from->word[number].at, number);

		if (!own)
			continue;
		fresh |= bit_of(into, own);
		if (from->stale & 1u << number)
			stale |= bit_of(into, own);
	}
	into->fresh |= fresh;
	if (!into->saved_only)
		into->stale = into->fresh & (stale | old_stale | ~fresh | ~old_fresh);
	return into->fresh != old_fresh || into->stale != old_stale;
}

static inline bool word_equal(const struct word *a, const struct word *b)
{
	__m128i at = _mm_cmpeq_epi8(load_value(&a->at), load_value(&b->at));
	__m128i value = _mm_cmpeq_epi8(load_value(&a->value), load_value(&b->value));

	return _mm_movemask_epi8(_mm_and_si128(at, value)) == UINT16_MAX;
}

/* Into's words are from's first ones, as mostly. */
static inline bool words_begin_alike(const struct flow_state *into, const struct flow_state *from)
{
	return into->word_count <= from->word_count &&
	       !memcmp(into->word, from->word, into->word_count * sizeof(into->word[0]));
}

/* Of a word that only one path has nothing is known, as of one that is in no list. */
static bool join_saved(struct flow_state *into, const struct flow_state *from)
{
	bool changed = false;

	if (words_begin_alike(into, from))
		return false;
	for (uint32_t i = 0; i < into->word_count; i++) {
		const struct value *other;

		if (i < from->word_count && word_equal(&into->word[i], &from->word[i]))
			continue;
		other = other_word(from, &into->word[i].at, i);
		changed |= join_value(&into->word[i].value, other ? other : &unknown, true);
	}
	return changed;
}

static __attribute__((noinline)) bool join_words(struct flow_state *into,
						 const struct flow_state *from)
{
	bool changed = (from->words_lost && !into->words_lost) ||
		       (from->bases_touched && !into->bases_touched);
	int64_t begin = into->touched_begin, end = into->touched_end;
	const uint32_t own = into->word_count;
	uint32_t met = words_begin_alike(into, from) ? own : 0;

	if (from->unlisted > into->unlisted) {
		into->unlisted = from->unlisted;
		changed |= into->unlisted == FLOW_UNLISTED_ARGUMENT; /* the other is for texts */
	}
	into->words_lost |= from->words_lost;
	into->bases_touched |= from->bases_touched;
	for (uint32_t i = met; i < own; i++) {
		const struct value *other;

		if (i < from->word_count && word_equal(&into->word[i], &from->word[i])) {
			met++;
			continue;
		}
		other = other_word(from, &into->word[i].at, i);
		met += other != NULL;
		changed |= join_value(&into->word[i].value,
				      other ? other : unlisted(from, &into->word[i].at), false);
	}
	for (uint32_t i = 0; met < from->word_count && i < from->word_count; i++)
		if (from->word[i].at.kind != VALUE_ALIGNED &&
		    !other_word(into, &from->word[i].at, i)) {
			struct value value = *unlisted(into, &from->word[i].at);

			join_value(&value, &from->word[i].value, false);
			changed |= word_add(into, &from->word[i].at, &value);
		}
	join_touched(into, from);
	if (into->flags_known | into->stored_width)
		changed |= flow_flags_join(into, from);
	return changed || begin != into->touched_begin || end != into->touched_end;
}

bool flow_state_join(struct flow_state *into, const struct flow_state *from)
{
	struct value *rsp = &into->reg[REGISTER_RSP];
	const bool was_raised = value_is_raised(rsp);
	const bool raised = was_raised || value_is_raised(&from->reg[REGISTER_RSP]);
	bool changed = into->thread != from->thread && into->thread != FLOW_THREAD_EITHER;

	if (changed)
		into->thread = FLOW_THREAD_EITHER;
	changed |= join_registers(into, from);
	if (raised) {
		rsp->raised = true; /* the two differ: it is not known, or they are the same */
		changed |= !was_raised;
	}
	if (from->fresh || (into->fresh && !into->saved_only))
		changed |= join_fresh(into, from);
	changed |= into->saved_only ? join_saved(into, from) : join_words(into, from);
	if (into->comparison.valid &&
	    memcmp(&into->comparison, &from->comparison, sizeof(into->comparison))) {
		into->comparison = (struct last_comparison) { .valid = false };
		changed = true;
	}
	if (from->lent < into->lent) {
		into->lent = from->lent;
		changed = true;
	}
	if (from->escaped & ~into->escaped) {
		into->escaped |= from->escaped;
		changed |= !into->saved_only;
	}
	if (into->direction != from->direction && into->direction != DIRECTION_UNKNOWN) {
		into->direction = DIRECTION_UNKNOWN;
		changed = true;
	}
	return changed;
}

bool flow_state_same_frame(const struct flow_state *a, const struct flow_state *b)
{
	const struct value *rsp = &a->reg[REGISTER_RSP], *rbp = &a->reg[REGISTER_RBP];

	return (value_is_stack(rsp) && value_equal(rsp, &b->reg[REGISTER_RSP])) ||
	       (value_is_stack(rbp) && value_equal(rbp, &b->reg[REGISTER_RBP]));
}

/* Of a base only words of others are unknown: its own are told apart. */
void flow_word_push(struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (!value_is_raised(rsp))
		return;
	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if (!value_is_stack(&word->at) || same_base(&word->at, rsp))
			continue;
		note_write(state, word);
		word->value = value_unknown();
	}
	flow_word_change(state);
	if (state->saved_only)
		return;
	state->bases_touched = true;
	flow_word_touched(state, INT64_MIN, INT64_MAX);
}

/* What lies below rsp is the called function's. */
static void give_away(struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if (!same_base(&word->at, rsp) || word->at.number >= rsp->number)
			continue;
		note_write(state, word);
		word->value = value_other(VALUE_PART_NONE);
	}
}

void flow_state_lose_stack(struct flow_state *state)
{
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (value_is_stack(&state->reg[i]))
			state->reg[i] = value_unknown();
}

static void flow_align_call(struct flow_state *state);
/* A register that callees don't preserve has what the caller's callee-saved one had: the callee may return it. */
static bool passes_callers(const struct flow_state *state)
{
	bool passes = false;

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		passes |= !(FLOW_PRESERVED & 1u << i) && value_is_callers(&state->reg[i]);
	return passes;
}

void flow_state_call(struct flow_state *state)
{
	const struct value left = passes_callers(state) ? value_unknown()
							: value_other(VALUE_PART_NONE);

	flow_word_push(state);
	give_away(state);
	if (state->aligned)
		flow_align_call(state);
	flow_word_change(state);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i))
			state->reg[i] = left;
	state->comparison.valid = false;
	state->direction = DIRECTION_UP;
	flow_flags_forget(state);
	state->stored_width = 0;
}

/* ==== aligned addresses ===================================================================== */

/*
 * A base that begins where an address of the stack was aligned is not anywhere: it lies at that address, or
 * less than the alignment below. So what is written at or above it, or far enough below, may be a word that is known
 * by another base, or by the CFA. That word holds nobody knows what then.
 *
 * The CFA is a multiple of 16 (psABI, 3.2.2), which tells where a base of 16 bytes is. But functions are aligned
 * because of callers that don't see to that. So nobody is accused of what was written by another base.
 */

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

static bool is_same_base(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->origin == b->origin;
}

/* What the base that begins at origin is the aligned address of, or NULL. */
static const struct value *aligned_from(const struct flow_state *state, uint32_t origin)
{
	const struct value key = { .kind = VALUE_ALIGNED, .origin = origin };
	const struct value *from = flow_word_find(state, &key);

	return from && value_is_stack(from) ? from : NULL;
}

/* From a base to what it is aligned from. False: that is not known. */
static bool go_up(const struct flow_state *state, struct place *place)
{
	const struct value *from = place->root.kind == VALUE_BASE
					   ? aligned_from(state, place->root.origin)
					   : NULL;

	if (!from)
		return false;
	place->slack += ((int64_t)1 << from->bits) - ((int64_t)1 << from->step);
	place->root.kind = from->kind;
	place->root.origin = from->origin;
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
			if (is_same_base(&ret_a->root, &ret_b->root))
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
	from = aligned_from(state, at->origin);
	return from && from->whole ? from->bits : 0;
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

	if (!value_is_stack(at) || at->address ||
	    (at->kind == VALUE_BASE && at->origin == origin) || mask >= 0 ||
	    mask < -((int64_t)1 << ALIGNMENT_BITS_MAX))
		return;
	while ((int64_t)1 << bits < -mask)
		bits++;
	whole = -mask == (int64_t)1 << bits;
	step = whole ? known_bits(state, at) : 0;
	step = step < bits ? step : bits;
	word = room(state);
	if (!word)
		return;
	word->at = (struct value) { .kind = VALUE_ALIGNED, .origin = origin };
	word->value = (struct value) { .kind = at->kind,
				       .bits = (uint8_t)bits,
				       .step = (uint8_t)step,
				       .whole = whole,
				       .origin = at->origin,
				       .number = at->number & -((int64_t)1 << step) };
	state->aligned = true;
	state->word_writes++;
}

struct value flow_align_find(const struct flow_state *state, const struct value *at, int64_t mask)
{
	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct value *from = &state->word[i].value;

		if (state->word[i].at.kind == VALUE_ALIGNED && is_same_base(from, at) &&
		    from->whole && mask == -((int64_t)1 << from->bits) &&
		    (at->number & -((int64_t)1 << from->step)) == from->number)
			return (struct value) { .kind = VALUE_BASE,
						.origin = state->word[i].at.origin };
	}
	return value_unknown();
}

static void forget(struct flow_state *state, struct word *word)
{
	word->value = value_unknown();
	state->word_writes++;
}

/* Words of the base below which at may lie are not known to be unwritten. */
static void touch_base(struct flow_state *state, const struct value *at, uint32_t origin)
{
	const struct value base = { .kind = VALUE_BASE, .origin = origin };
	struct place place, begin;

	if (!is_same_base(at, &base) && compare(state, at, &base, &place, &begin) &&
	    lowest(&place) < begin.root.number)
		state->bases_touched = true;
}

/* The same of all bases, and of the CFA's words. */
static void touch(struct flow_state *state, const struct value *at, uint64_t bytes)
{
	const struct place place = place_of(state, at);

	for (uint32_t i = 0; i < state->word_count; i++)
		if (state->word[i].at.kind == VALUE_ALIGNED)
			touch_base(state, at, state->word[i].at.origin);
	if (is_same_base(&place.root, at))
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

		if (value_is_stack(&word->at) && !is_same_base(&word->at, at) &&
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

	if (is_same_base(at, limit))
		return at->number < limit->number;
	return state->aligned && value_is_stack(limit) && compare(state, at, limit, &place, &end) &&
	       lowest(&place) < end.root.number;
}

/* The words of other bases that may lie below rsp are the called function's. */
static void flow_align_call(struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if (value_is_stack(&word->at) && !is_same_base(&word->at, rsp) &&
		    flow_align_is_below(state, &word->at, rsp))
			forget(state, word);
	}
}

int64_t flow_align_highest(const struct flow_state *state, const struct value *at)
{
	const struct place place = place_of(state, at);

	return place.root.kind == VALUE_CFA ? place.root.number : INT64_MIN;
}
