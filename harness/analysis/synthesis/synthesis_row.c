/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_row.c - what is known before an instruction, as a row
 *
 * A row serves two: whoever is interrupted there, and, if the instruction is a call, everybody above
 * it. The latter has no registers but those that callees preserve (psABI, figure 3.4), and no words
 * below rsp: a call is never given a row by others. The former has registers in its red
 * zone (3.2.2), too. A frame pointer that was set up as compilers do it
 * comes first, then rsp.
 *
 * A register that was overwritten and is kept nowhere is said to be lost. That is less than may be known,
 * and never wrong.
 */
#include "synthesis.h"

const uint8_t synthesis_register[SYNTHESIS_COLUMNS] = {
	REGISTER_RBX, REGISTER_RBP, REGISTER_R12, REGISTER_R13,
	REGISTER_R14, REGISTER_R15, REGISTER_RIP,
};

/* In the order that they are taken in; the first PRESERVED are preserved. The numbers are r8 to r11. */
static const uint8_t bases[] = {
	REGISTER_RSP,
	REGISTER_RBP,
	REGISTER_RBX,
	REGISTER_R12,
	REGISTER_R13,
	REGISTER_R14,
	REGISTER_R15,
	10,
	11,
	REGISTER_RAX,
	REGISTER_RDX,
	REGISTER_RCX,
	REGISTER_RSI,
	REGISTER_RDI,
	8,
	9,
};
#define PRESERVED 7
#define BY_RBP	  1 /* its number */

struct known {
	const struct flow_state *state;
	size_t first,
		bases; /* the first, and how many from the begin on, that may be counted from */
};

static bool fits(int64_t value)
{
	return value == (int32_t)value;
}

static bool is_entry_value(const struct value *value, uint8_t reg)
{
	return value->kind == VALUE_ENTRY && value->reg == reg && !value->number;
}

/* rbp was pushed behind the return address, and points there. */
static bool is_frame_pointer(const struct flow_state *state)
{
	const struct value *rbp = &state->reg[REGISTER_RBP], *word;

	if (rbp->kind != VALUE_CFA || rbp->number != -16)
		return false;
	word = flow_word_find(state, rbp);
	return word && is_entry_value(word, REGISTER_RBP);
}

static bool set_cfa(struct synthesis_row *row, uint8_t reg, int64_t offset, bool loaded)
{
	row->cfa_register = reg;
	row->cfa_offset = (int32_t)offset;
	row->cfa_loaded = loaded;
	return fits(offset);
}

/* Which register leads to at, and how far it is from there. */
static bool address_of(const struct known *known, const struct value *at, uint8_t *ret_reg,
		       int64_t *ret_offset)
{
	/* A stack that was aligned has a frame pointer, and rsp moves. */
	size_t first = at->kind == VALUE_BASE;

	for (size_t i = first; i < known->bases + first; i++) {
		const size_t number = i % known->bases;
		const struct value *base = &known->state->reg[bases[number]];

		if (number < known->first || base->kind != at->kind || base->bound != at->bound ||
		    !value_is_stack(base))
			continue;
		*ret_reg = bases[number];
		*ret_offset = (int64_t)((uint64_t)at->number - (uint64_t)base->number);
		return fits(*ret_offset);
	}
	return false;
}

/* Not so many bytes below rsp, as far as that is known. */
static bool is_kept(const struct flow_state *state, const struct value *at, unsigned int below)
{
	struct value lowest = state->reg[REGISTER_RSP];

	lowest.number = (int64_t)((uint64_t)lowest.number - below);
	return !flow_align_is_below(state, at, &lowest);
}

static bool find_cfa(const struct known *known, bool by_rsp, struct synthesis_row *row)
{
	const struct flow_state *state = known->state;
	static const struct value cfa = { .kind = VALUE_CFA };
	int64_t offset;
	uint8_t reg;

	if (is_frame_pointer(state) && !(by_rsp && state->reg[REGISTER_RSP].kind == VALUE_CFA))
		return set_cfa(row, REGISTER_RBP, 16, false);
	if (address_of(known, &cfa, &reg, &offset))
		return set_cfa(row, reg, offset, false);
	/* A stack that was aligned keeps it in a word. */
	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct word *word = &state->word[i];

		if (value_equal(&word->value, &cfa) && is_kept(state, &word->at, 0) &&
		    address_of(known, &word->at, &reg, &offset))
			return set_cfa(row, reg, offset, true);
	}
	return false;
}

static struct synthesis_place find_register(const struct known *known, uint8_t column)
{
	const struct flow_state *state = known->state;
	struct synthesis_place place = { .kind = SYNTHESIS_LOST };
	unsigned int zone = column != REGISTER_RIP && known->bases > PRESERVED ? FLOW_RED_ZONE_BYTES
									       : 0;
	int64_t offset;

	if (column != REGISTER_RIP && is_entry_value(&state->reg[column], column))
		return (struct synthesis_place) { .kind = SYNTHESIS_SAME };
	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct word *word = &state->word[i];

		if (!is_entry_value(&word->value, column) || !is_kept(state, &word->at, zone))
			continue;
		if (word->at.kind == VALUE_CFA && fits(word->at.number) && !(word->at.number % 8))
			return (struct synthesis_place) { .kind = SYNTHESIS_AT_CFA,
							  .offset = (int32_t)word->at.number };
		if (address_of(known, &word->at, &place.reg, &offset)) {
			place.kind = SYNTHESIS_AT_REGISTER;
			place.offset = (int32_t)offset;
		}
	}
	for (size_t i = 1; i < known->bases && place.kind == SYNTHESIS_LOST; i++)
		if (is_entry_value(&state->reg[bases[i]], column))
			place = (struct synthesis_place) { .kind = SYNTHESIS_IN_REGISTER,
							   .reg = bases[i] };
	return place;
}

enum synthesis_reason synthesis_row_of(const struct flow_state *state, unsigned int how,
				       struct synthesis_row *ret)
{
	const struct known known = {
		.state = state,
		.first = how & SYNTHESIS_AT_STRANGE_CALL ? BY_RBP : 0,
		.bases = how & SYNTHESIS_AT_STRANGE_CALL ? BY_RBP + 1
			 : how & SYNTHESIS_AT_CALL	 ? PRESERVED
							 : sizeof(bases),
	};
	struct synthesis_place *rip = &ret->place[SYNTHESIS_COLUMNS - 1];

	*ret = (struct synthesis_row) { .cfa_register = REGISTER_RSP, .cfa_offset = 8 };
	if (state->thread == FLOW_THREAD_EITHER)
		return SYNTHESIS_THREAD;
	/* What else a caller would have does not matter. */
	if (how & SYNTHESIS_OUTERMOST || state->thread == FLOW_THREAD_NEW) {
		rip->kind = SYNTHESIS_LOST;
		return SYNTHESIS_REASON_COUNT;
	}
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
		ret->place[i] = find_register(&known, synthesis_register[i]);
	for (int i = 0; how & SYNTHESIS_STRANGE && i < SYNTHESIS_COLUMNS - 1; i++)
		if (synthesis_register[i] != REGISTER_RBP)
			ret->place[i] = (struct synthesis_place) { .kind = SYNTHESIS_LOST };
	if (!find_cfa(&known, how & SYNTHESIS_BY_RSP, ret))
		return SYNTHESIS_CFA_UNKNOWN;
	if (rip->kind == SYNTHESIS_LOST)
		return SYNTHESIS_RETURN_UNKNOWN;
	return SYNTHESIS_REASON_COUNT;
}

/* ---- signals -------------------------------------------------------------------------------- */

#define SIGNAL_RSP 160

/* rdx is 1, rcx 2; the numbers are r8 to r11. */
const struct synthesis_word synthesis_signal_word[SYNTHESIS_SIGNAL_WORDS] = {
	{ 8, 40 },
	{ 9, 48 },
	{ 10, 56 },
	{ 11, 64 },
	{ REGISTER_RDI, 104 },
	{ REGISTER_RSI, 112 },
	{ REGISTER_RDX, 136 },
	{ REGISTER_RAX, 144 },
	{ REGISTER_RCX, 152 },
	{ REGISTER_RSP, SIGNAL_RSP },
};

void synthesis_signal_row(struct synthesis_row *ret)
{
	/* rbx, rbp, r12 .. r15, rip: as synthesis_register. */
	static const uint8_t offset[SYNTHESIS_COLUMNS] = { 128, 120, 72, 80, 88, 96, 168 };

	*ret = (struct synthesis_row) { .signal_frame = true,
					.cfa_loaded = true,
					.cfa_register = REGISTER_RSP,
					.cfa_offset = SIGNAL_RSP };
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
		ret->place[i] = (struct synthesis_place) { .kind = SYNTHESIS_AT_REGISTER,
							   .reg = REGISTER_RSP,
							   .offset = offset[i] };
}

/* ---- two rows -------------------------------------------------------------------------------- */

static bool place_equal(const struct synthesis_place *a, const struct synthesis_place *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset;
}

static bool cfa_equal(const struct synthesis_row *a, const struct synthesis_row *b)
{
	return a->cfa_register == b->cfa_register && a->cfa_offset == b->cfa_offset &&
	       a->cfa_loaded == b->cfa_loaded;
}

bool synthesis_row_equal(const struct synthesis_row *a, const struct synthesis_row *b)
{
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
		if (!place_equal(&a->place[i], &b->place[i]))
			return false;
	return cfa_equal(a, b) && a->signal_frame == b->signal_frame;
}

bool synthesis_row_join(struct synthesis_row *into, const struct synthesis_row *from)
{
	const int rip = SYNTHESIS_COLUMNS - 1;

	if (!cfa_equal(into, from) || !place_equal(&into->place[rip], &from->place[rip]))
		return false;
	for (int i = 0; i < rip; i++)
		if (!place_equal(&into->place[i], &from->place[i]))
			into->place[i] = (struct synthesis_place) { .kind = SYNTHESIS_LOST };
	return true;
}
