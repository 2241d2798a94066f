/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_row.c - rows out of states
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "array.h"
#include "synthesis.h"

/* ==== a state -> a row ====================================================================== */

/*
 * A row serves two: whoever is interrupted there, and, if the instruction is a call, everybody above
 * it. The latter has no registers but those that callees preserve (psABI, figure 3.4), and no words
 * below rsp: a call is never given a row by others. The former has registers in its red
 * zone (3.2.2), too. A frame pointer that was set up as compilers do it
 * comes first, then rsp.
 *
 * A register that was overwritten and is kept nowhere is said to be lost. That is less than may be known,
 * and never wrong.
 */

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

		if (number < known->first || base->kind != at->kind || base->origin != at->origin ||
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

/* The bytes below rsp in which a word with the register is kept. */
static unsigned int red_zone(const struct known *known, uint8_t column)
{
	return column != REGISTER_RIP && known->bases > PRESERVED ? FLOW_RED_ZONE_BYTES : 0;
}

static struct synthesis_place find_register(const struct known *known, uint8_t column)
{
	const struct flow_state *state = known->state;
	struct synthesis_place place = { .kind = SYNTHESIS_LOST };
	unsigned int zone = red_zone(known, column);
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

/* The word of the frame nearest to the CFA that holds the register's value; 0: none. */
static int32_t find_word(const struct known *known, uint8_t column)
{
	const struct flow_state *state = known->state;
	int32_t found = 0;

	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct word *word = &state->word[i];

		if (word->at.kind == VALUE_CFA && is_entry_value(&word->value, column) &&
		    is_kept(state, &word->at, red_zone(known, column)) && fits(word->at.number) &&
		    !(word->at.number % 8) && (!found || word->at.number > found))
			found = (int32_t)word->at.number;
	}
	return found;
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
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++) {
		const bool lost = how & SYNTHESIS_STRANGE && i < SYNTHESIS_COLUMNS - 1 &&
				  synthesis_register[i] != REGISTER_RBP;

		ret->place[i] = lost ? (struct synthesis_place) { .kind = SYNTHESIS_LOST }
				     : find_register(&known, synthesis_register[i]);
		ret->word[i] = lost ? 0 : find_word(&known, synthesis_register[i]);
	}
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
	return !ARRAY_ANY(SYNTHESIS_COLUMNS, i, !place_equal(&a->place[i], &b->place[i])) &&
	       cfa_equal(a, b) && a->signal_frame == b->signal_frame;
}

/* Where the register is by both: one may have it in itself still, and the other only in a word. */
static struct synthesis_place join_place(const struct synthesis_row *a,
					 const struct synthesis_row *b, int i)
{
	if (place_equal(&a->place[i], &b->place[i]))
		return a->place[i];
	if (a->word[i] && a->word[i] == b->word[i])
		return (struct synthesis_place) { .kind = SYNTHESIS_AT_CFA, .offset = a->word[i] };
	return (struct synthesis_place) { .kind = SYNTHESIS_LOST };
}

/* Makes into what both say. False: they say that the frame is elsewhere. */
static bool synthesis_row_join(struct synthesis_row *into, const struct synthesis_row *from)
{
	const int rip = SYNTHESIS_COLUMNS - 1;

	if (!cfa_equal(into, from) || !place_equal(&into->place[rip], &from->place[rip]))
		return false;
	for (int i = 0; i < rip; i++) {
		into->place[i] = join_place(into, from, i);
		into->word[i] = into->word[i] == from->word[i] ? into->word[i] : 0;
	}
	return true;
}

/* ==== rows that were declared, and stay ===================================================== */

/*
 * Where the code proves nothing better they stay. Of some it is known that they are wrong, and by what: the
 * return address may be overwritten, or a new thread goes on there. Those are left out.
 */

static bool convert_rule(const struct row_rule *rule, bool is_rip, struct synthesis_place *ret)
{
	*ret = (struct synthesis_place) { .kind = SYNTHESIS_LOST };
	switch (rule->kind) {
	case RULE_UNSPECIFIED:
	case RULE_SAME_VALUE: ret->kind = SYNTHESIS_SAME; return !is_rip;
	case RULE_UNDEFINED: return true;
	case RULE_OFFSET:
		ret->kind = SYNTHESIS_AT_CFA;
		ret->offset = (int32_t)rule->offset;
		return ret->offset == rule->offset && !(ret->offset % 8);
	case RULE_REGISTER:
		ret->kind = SYNTHESIS_IN_REGISTER;
		ret->reg = (uint8_t)rule->reg;
		return rule->reg < REGISTER_GPR_COUNT;
	default: return false;
	}
}

/* The caller's rsp is the CFA, and of no other register anything is said. */
static bool is_plain(const struct row *row)
{
	for (unsigned int i = 0; i < REGISTER_RIP; i++) {
		const struct row_rule *rule = &row->reg[i];
		bool is_column = false;

		for (int column = 0; column < SYNTHESIS_COLUMNS; column++)
			is_column |= synthesis_register[column] == i;
		if (is_column || rule->kind == RULE_UNSPECIFIED)
			continue;
		if (i != REGISTER_RSP || rule->kind != RULE_VAL_OFFSET || rule->offset)
			return false;
	}
	return !row->signal_frame;
}

/* Makes a synthesized row of a declared one. A register without a rule is SYNTHESIS_SAME. False: it says what
 * synthesized rows can't say. */
static bool synthesis_row_declared(const struct row *row, struct synthesis_row *ret)
{
	*ret = (struct synthesis_row) { .pc = row->pc,
					.pc_end = row->pc_end,
					.cfa_register = (uint8_t)row->cfa.reg,
					.cfa_offset = (int32_t)row->cfa.offset };
	if (!is_plain(row) || row->cfa.kind != RULE_CFA_REGISTER ||
	    row->cfa.reg >= REGISTER_GPR_COUNT || ret->cfa_offset != row->cfa.offset)
		return false;
	return !ARRAY_ANY(SYNTHESIS_COLUMNS, i,
			  !convert_rule(&row->reg[synthesis_register[i]],
					synthesis_register[i] == REGISTER_RIP, &ret->place[i]));
}

size_t synthesis_restorer_bytes(const struct image *image, uint64_t pc)
{
	static const uint8_t code[][9] = {
		{ 0xb8, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05 },
		{ 0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05 },
	};
	static const size_t size[] = { 7, 9 };

	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		const uint8_t *bytes = image_bytes(image, pc, size[i]);

		if (bytes && !memcmp(bytes, code[i], size[i]))
			return size[i];
	}
	return 0;
}

/* ==== what was met, as rows ================================================================= */

/*
 * An instruction may be met more than once: by its function, and by others that jump there. What all of
 * them say is its row. Of a function that has an FDE, where nothing is proven, the row stays that was
 * declared, and so does one that says that there is no caller: code does not show that.
 */

static bool is_doubtful(const struct synthesis_met *met)
{
	return met->reason == SYNTHESIS_JUMP_DOUBTFUL ||
	       met->reason == SYNTHESIS_RETURNS_ELSEWHERE || met->reason == SYNTHESIS_UNCALLED;
}

size_t synthesis_first_met(const struct synthesis_met *met, size_t count, uint64_t pc)
{
	return ARRAY_BEFORE(count, i, met[i].row.pc < pc);
}

bool synthesis_has_met(const struct synthesis_met *met, size_t count, uint64_t pc,
		       uint64_t function)
{
	for (size_t i = synthesis_first_met(met, count, pc); i < count && met[i].row.pc == pc; i++)
		if (met[i].function == function)
			return true;
	return false;
}

/* The path has perhaps gone where a function is called, at its begin: nobody jumps there with a frame. */
static bool is_by_begin(const struct synthesis_writer *writer, const struct synthesis_met *met)
{
	const struct synthesis_range *range =
		synthesis_range_at(writer->ranges->range, writer->ranges->count, met->row.pc);

	return range && (range->entered || range->taken) &&
	       synthesis_has_met(writer->met, writer->met_count, range->begin, met->function);
}

/* Paths in doubt, of another function than ret's: what they say is not believed, but perhaps it is so. What holds on
 * them, too, is left; if the frame is elsewhere nothing is. */
static void join_doubtful(const struct synthesis_writer *writer, size_t first, size_t end,
			  struct synthesis_met *ret)
{
	for (size_t i = first; i < end && ret->reason == SYNTHESIS_REASON_COUNT; i++) {
		const struct synthesis_met *other = &writer->met[i];

		if (is_doubtful(other) && other->function != ret->function &&
		    !is_by_begin(writer, other) &&
		    (!other->has_row || !synthesis_row_join(&ret->row, &other->row)))
			ret->reason = SYNTHESIS_UNFOLLOWED;
	}
}

/* What all say of one instruction, from number first on. Returns behind the last. */
static size_t join(const struct synthesis_writer *writer, size_t first, struct synthesis_met *ret)
{
	size_t i = first + 1;

	*ret = writer->met[first];
	for (; i < writer->met_count && writer->met[i].row.pc == ret->row.pc; i++) {
		const struct synthesis_met *other = &writer->met[i];

		/* A doubtful path proves nothing. */
		if (is_doubtful(other))
			continue;
		if (is_doubtful(ret))
			*ret = *other;
		else if (other->reason != SYNTHESIS_REASON_COUNT)
			ret->reason = other->reason;
		else if (ret->reason == SYNTHESIS_REASON_COUNT &&
			 !synthesis_row_join(&ret->row, &other->row))
			ret->reason = SYNTHESIS_WAYS_DIFFER;
	}
	join_doubtful(writer, first, i, ret);
	return i;
}

/* Nothing but padding lies there: it has the row before it, as compilers have it. */
static bool is_padding(const struct synthesis_writer *writer, uint64_t pc, uint64_t end)
{
	while (pc < end) {
		const uint8_t *bytes = image_bytes(writer->world->cfi->image, pc, end - pc);
		struct code code;

		if (!bytes)
			return false;
		code_decode(writer->world->decoder, pc, bytes, end - pc, &code);
		if (!code.is_padding || !code.length)
			return false;
		pc += code.length;
	}
	return true;
}

static void write_row(const struct synthesis_writer *writer, struct synthesis_function *function,
		      const struct synthesis_row *row)
{
	struct synthesis *synthesis = writer->synthesis;
	struct synthesis_row *last = function->row_count ? &synthesis->row[synthesis->row_count - 1]
							 : NULL;

	function->written++;
	if (last && last->pc_end < row->pc && is_padding(writer, last->pc_end, row->pc))
		last->pc_end = row->pc;
	if (last && last->pc_end >= row->pc && synthesis_row_equal(last, row)) {
		last->pc_end = row->pc_end > last->pc_end ? row->pc_end : last->pc_end;
		return;
	}
	if (last && last->pc_end > row->pc)
		last->pc_end = row->pc; /* an instruction inside another: both were met */
	if (!ARRAY_ADD(synthesis->row, synthesis->row_count, *row)) {
		flow_lack(writer->world, "rows");
		return;
	}
	if (!function->row_count)
		function->first_row = synthesis->row_count - 1;
	function->row_count++;
}

/* ---- in place of an FDE ---------------------------------------------------------------------- */

struct replacement {
	const struct synthesis_writer *writer;
	struct synthesis_function *function;
	struct flow_fragment *declared;
	size_t next; /* in writer->met */
	bool loaded, go, changed, impossible;
};

static void put(const struct replacement *replacement, const struct synthesis_row *row)
{
	write_row(replacement->writer, replacement->function, row);
}

/* The row has no rule for a register: in .debug_frame of Go that does not say that it is the same. */
static void lose(const struct row *row, struct synthesis_row *kept)
{
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
		if (row->reg[synthesis_register[i]].kind == RULE_UNSPECIFIED)
			kept->place[i].kind = SYNTHESIS_LOST;
}

/* From pc to end what was declared. */
static void replacement_keep(struct replacement *replacement, uint64_t pc, uint64_t end)
{
	while (pc < end && !replacement->impossible) {
		const struct row *row = flow_fragment_row(replacement->declared, pc);
		struct synthesis_row declared, kept;

		if (!row || !synthesis_row_declared(row, &declared)) {
			replacement->impossible = true;
			return;
		}
		kept = declared;
		if (replacement->go)
			lose(row, &kept);
		replacement->changed |= !synthesis_row_equal(&kept, &declared);
		kept.pc = pc;
		kept.pc_end = row->pc_end < end ? row->pc_end : end;
		pc = kept.pc_end;
		put(replacement, &kept);
	}
}

static bool is_gap(enum synthesis_reason reason)
{
	return reason == SYNTHESIS_THREAD || reason == SYNTHESIS_RETURN_UNKNOWN;
}

static void choose(struct replacement *replacement, const struct synthesis_met *met)
{
	const struct row *row = flow_fragment_row(replacement->declared, met->row.pc);
	struct synthesis_row declared;

	if (replacement->loaded && !synthesis_wrong_has(replacement->writer->wrong, met->row.pc)) {
		replacement_keep(replacement, met->row.pc, met->row.pc_end);
		return;
	}
	if (is_gap(met->reason)) {
		replacement->changed = true;
		replacement->function->unwritten[met->reason]++;
		return;
	}
	if (met->reason != SYNTHESIS_REASON_COUNT ||
	    (row && row->reg[REGISTER_RIP].kind == RULE_UNDEFINED)) {
		replacement_keep(replacement, met->row.pc, met->row.pc_end);
		return;
	}
	replacement->changed |= !row || !synthesis_row_declared(row, &declared) ||
				!synthesis_row_equal(&declared, &met->row);
	put(replacement, &met->row);
}

/* Behind it nobody comes. */
static bool is_restorer(const struct synthesis_writer *writer, const struct synthesis_range *range)
{
	return synthesis_restorer_bytes(writer->world->cfi->image, range->begin) != 0;
}

/* These two return the number in writer->met of what comes next. */

static size_t replace(const struct synthesis_writer *writer, size_t number, size_t first)
{
	const struct synthesis_range *range = &writer->ranges->range[number];
	struct replacement replacement = { .writer = writer,
					   .function = &writer->synthesis->function[number],
					   .loaded = range->loaded,
					   .go = range->go,
					   .next = first,
					   .declared = flow_fragment_of(writer->world,
									range->replaces, NULL) };
	size_t rows = writer->synthesis->row_count;
	uint64_t pc = range->begin;

	while (replacement.next < writer->met_count &&
	       writer->met[replacement.next].row.pc < range->end) {
		struct synthesis_met met;

		replacement.next = join(writer, replacement.next, &met);
		if (!replacement.declared || met.row.pc < pc)
			continue; /* inside of another instruction */
		replacement_keep(&replacement, pc, met.row.pc);
		if (met.row.pc_end > range->end)
			met.row.pc_end = range->end;
		pc = met.row.pc_end;
		choose(&replacement, &met);
	}
	if (replacement.declared && !is_restorer(writer, range))
		replacement_keep(&replacement, pc, range->end);
	if (!replacement.declared || replacement.impossible || !replacement.changed) {
		writer->synthesis->row_count = rows;
		replacement.function->row_count = 0;
	}
	flow_fragment_destroy(replacement.declared);
	return replacement.next;
}

bool synthesis_has_loaded(const struct synthesis *synthesis, bool *ret_others)
{
	bool loaded = false;

	*ret_others = false;
	for (size_t i = 0; i < synthesis->function_count; i++) {
		const struct synthesis_function *function = &synthesis->function[i];

		loaded |= function->row_count && function->loaded;
		*ret_others |= function->row_count && !function->loaded;
	}
	return loaded;
}

/* ---- all ------------------------------------------------------------------------------------- */

static size_t write_one(const struct synthesis_writer *writer, size_t number, size_t first)
{
	struct synthesis_function *function = &writer->synthesis->function[number];
	struct synthesis_met met;
	const size_t next = join(writer, first, &met);

	if (met.row.pc_end > function->end)
		met.row.pc_end = function->end;
	if (met.reason != SYNTHESIS_REASON_COUNT)
		function->unwritten[met.reason]++;
	else
		write_row(writer, function, &met.row);
	return next;
}

/* One that lies inside another, or across two, is one more than were counted in the order of addresses: `lock` that
 * is jumped over. */
static void count_inner(struct synthesis_function *function)
{
	uint64_t met = function->written;

	for (int r = 0; r < SYNTHESIS_REASON_COUNT; r++)
		met += function->unwritten[r];
	if (function->written && !function->replaced && function->instructions < met)
		function->instructions = met;
}

void synthesis_write(const struct synthesis_writer *writer)
{
	size_t i = 0;

	while (i < writer->met_count && !flow_lacks(writer->world)) {
		/* What is met lies in one. */
		const struct synthesis_range *range = synthesis_range_at(
			writer->ranges->range, writer->ranges->count, writer->met[i].row.pc);
		size_t number = (size_t)(range - writer->ranges->range);

		i = range->replaces ? replace(writer, number, i) : write_one(writer, number, i);
	}
	for (i = 0; i < writer->synthesis->function_count; i++)
		count_inner(&writer->synthesis->function[i]);
}
