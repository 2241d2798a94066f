/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_effect.c - what one instruction makes of registers and words
 *
 * A value that is loaded from memory which is not the stack is no saved register: functions save on
 * their stack. So it is VALUE_OTHER. One from a word of the stack that nobody is known to have
 * written may be one.
 */
#include <string.h>
#include "flow_state.h"

#define VALUE(...) ((struct value) { __VA_ARGS__ })

static void forget_comparison(struct flow_state *state, uint8_t reg)
{
	struct last_comparison *comparison = &state->comparison;

	if (comparison->reg == reg || (comparison->with_register && comparison->source == reg))
		comparison->valid = false;
}

/* What a register held at the entry that callees preserve, whole or with a number added. */
static bool is_callers(const struct value *value)
{
	return value->kind == VALUE_ENTRY && value->reg < REGISTER_GPR_COUNT &&
	       FLOW_PRESERVED & 1u << value->reg;
}

static enum value_part part_of(const struct value *a, const struct value *b)
{
	if (is_callers(a) || is_callers(b) || value_is_return(a) || value_is_return(b))
		return VALUE_PART_KEPT;
	if (!value_has_argument(a) && !value_has_argument(b))
		return VALUE_PART_NONE;
	return (a->kind == VALUE_OTHER && a->scale) || (b->kind == VALUE_OTHER && b->scale)
		       ? VALUE_ARGUMENT_AGAIN
		       : VALUE_PART_ARGUMENT;
}

/* A result of both that is none of the known ones. If the caller's value has a part in it, the next result
 * may be that again: `sub rbx, rdi` and `add rbx, rdi`. */
static struct value mixed(const struct value *a, const struct value *b)
{
	bool unknown = a->kind == VALUE_UNKNOWN || b->kind == VALUE_UNKNOWN;

	if (unknown || value_is_part(a) || value_is_part(b))
		return VALUE(.kind = VALUE_UNKNOWN);
	return VALUE(.kind = VALUE_OTHER, .scale = (uint8_t)part_of(a, b));
}

static void set(struct flow_state *state, uint8_t reg, struct value value)
{
	struct value *to = &state->reg[reg];

	*to = value;
	if ((reg == REGISTER_RSP || reg == REGISTER_RBP) && value_is_stack(to))
		to->scale = 0;
	forget_comparison(state, reg);
}

struct value flow_effect_address(const struct flow_state *state, const struct code *code)
{
	struct value at = VALUE(.kind = VALUE_CONSTANT);

	if (!code->has_memory || code->foreign_segment)
		return VALUE(.kind = VALUE_UNKNOWN);
	if (code->base != CODE_NO_REGISTER)
		at = state->reg[code->base];
	if (code->index != CODE_NO_REGISTER) {
		const struct value *index = &state->reg[code->index];

		if (index->kind != VALUE_CONSTANT)
			return VALUE(.kind = VALUE_UNKNOWN);
		at = value_add(at, (int64_t)((uint64_t)index->number * code->scale));
	}
	return value_add(at, code->displacement);
}

/* A new base: the old one's words and copies are another's. */
static void begin_base(struct flow_state *state, uint8_t reg, uint32_t origin)
{
	struct value base = { .kind = VALUE_BASE, .bound = origin };
	uint32_t kept = 0;

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (state->reg[i].kind == VALUE_BASE && state->reg[i].bound == origin)
			set(state, (uint8_t)i, VALUE(.kind = VALUE_UNKNOWN));
	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if ((word->at.kind == VALUE_BASE || word->at.kind == VALUE_ALIGNED) &&
		    word->at.bound == origin)
			continue;
		if (word->value.kind == VALUE_BASE && word->value.bound == origin)
			word->value = VALUE(.kind = VALUE_UNKNOWN);
		state->word[kept++] = *word;
	}
	state->word_writes++;
	state->word_count = kept;
	flow_word_change(state); /* they have other numbers */
	if (state->stored_base == origin + 1)
		state->stored_width = 0;
	set(state, reg, base);
}

void flow_effect_base(struct flow_state *state, uint32_t origin)
{
	if (!value_is_stack(&state->reg[REGISTER_RSP]))
		begin_base(state, REGISTER_RSP, origin);
}

void flow_effect_room(struct flow_state *state, uint8_t reg, uint32_t origin)
{
	begin_base(state, reg, origin);
}

static void align(struct flow_state *state, const struct code *code, uint32_t origin)
{
	struct value value = state->reg[code->reg];

	begin_base(state, code->reg, origin);
	flow_align_note(state, origin, &value, code->constant);
}

/* It may have bits of what that register held at the entry. */
static bool may_have_of(const struct value *value, uint8_t reg)
{
	return value->kind == VALUE_UNKNOWN || value_is_part(value) ||
	       (value->kind == VALUE_ENTRY && value->reg == reg);
}

/* The register holds what reg of the caller's held. Bits of that may be what is written to it: then it is as it was. */
static bool may_bring_back(const struct flow_state *state, const struct code *code, uint8_t written,
			   uint8_t reg)
{
	if (code->has_memory) {
		struct value at = flow_effect_address(state, code);
		const struct value *word = flow_word_find(state, &at);

		if (value_is_stack(&at))
			return word ? may_have_of(word, reg) : !flow_word_is_unwritten(state, &at);
		return (at.kind == VALUE_UNKNOWN && !code->foreign_segment) ||
		       state->strayed & 1u << reg;
	}
	if (code->source != CODE_NO_REGISTER)
		return may_have_of(&state->reg[code->source], reg);
	for (uint8_t i = 0; i < REGISTER_GPR_COUNT; i++)
		if (i != written && state->reg[i].kind == VALUE_ENTRY && state->reg[i].reg == reg)
			return true;
	return false;
}

/* Some bits of the register are written, and are a number if known is set. */
static void set_part(struct flow_state *state, const struct code *code, uint8_t reg, bool known)
{
	const struct value *old = &state->reg[reg];
	struct value part = { .kind = VALUE_OTHER };

	if (is_callers(old) && !known && may_bring_back(state, code, reg, old->reg))
		part.kind = VALUE_UNKNOWN;
	else if (is_callers(old) || (known && value_is_part(old)))
		part.scale = VALUE_PART_KEPT;
	else if (old->kind == VALUE_UNKNOWN || value_is_part(old))
		part.kind = VALUE_UNKNOWN;
	else if (value_has_argument(old))
		part.scale = known && old->kind == VALUE_ENTRY
				     ? VALUE_PART_ARGUMENT
				     : VALUE_ARGUMENT_AGAIN; /* the same part may be written */
	set(state, reg, part);
}

/* ---- memory ------------------------------------------------------------------------------- */

#define TABLE_BOUND UINT16_MAX /* of an index that nothing is known of */

/* What an indexed operand reads, if it can be a jump table of entries of scale bytes: VALUE_OFFSET
 * with the table's address and its index's bound. */
static struct value table_of(const struct flow_state *state, const struct code *code, uint8_t scale)
{
	struct value base = { .kind = VALUE_CONSTANT }, index, swap;
	struct value table = { .kind = VALUE_UNKNOWN };

	if (code->index == CODE_NO_REGISTER || code->foreign_segment)
		return table;
	index = state->reg[code->index];
	if (code->base != CODE_NO_REGISTER)
		base = state->reg[code->base];
	if (index.kind == VALUE_CONSTANT && code->scale == 1) {
		swap = base; /* the other way round: a table's address, and a scaled index */
		base = index;
		index = swap;
	}
	if (base.kind != VALUE_CONSTANT || index.kind == VALUE_CONSTANT || value_is_stack(&index))
		return table;
	if (index.kind != VALUE_BOUND)
		index = VALUE(.kind = VALUE_BOUND, .scale = 1, .bound = TABLE_BOUND);
	if (code->scale * index.scale != scale)
		return table;
	return VALUE(.kind = VALUE_OFFSET, .scale = scale, .compared = index.compared,
		     .bound = index.bound,
		     .number = (int64_t)((uint64_t)base.number + (uint64_t)code->displacement));
}

static struct value load(const struct flow_state *state, const struct code *code)
{
	struct value at = flow_effect_address(state, code);
	struct value table = table_of(state, code, 8);
	const struct value *word;

	if (table.kind == VALUE_OFFSET) {
		table.kind = VALUE_TARGET;
		return table;
	}
	if (value_is_stack(&at)) {
		word = flow_word_find(state, &at);
		return word ? flow_word_read(state, word) : VALUE(.kind = VALUE_UNKNOWN);
	}
	if ((at.kind == VALUE_UNKNOWN && !code->foreign_segment) || state->strayed)
		return VALUE(.kind = VALUE_UNKNOWN);
	return VALUE(.kind = VALUE_OTHER);
}

static struct value load_less(const struct flow_state *state, const struct code *code)
{
	struct value at = flow_effect_address(state, code);
	const struct value *word = value_is_stack(&at) ? flow_word_find(state, &at) : NULL;

	struct value table = table_of(state, code, 4);

	if (code->memory_bytes == 4 && table.kind == VALUE_OFFSET)
		return table;
	if (word && word->kind == VALUE_BOUND)
		return flow_word_read(state, word);
	if (code->memory_bytes <= 2)
		return VALUE(.kind = VALUE_BOUND, .scale = 1,
			     .bound = (1u << 8 * code->memory_bytes) - 1);
	return VALUE(.kind = VALUE_OTHER);
}

static struct value load_signed(const struct flow_state *state, const struct code *code)
{
	struct value table = table_of(state, code, 4);

	return table.kind == VALUE_OFFSET ? table : VALUE(.kind = VALUE_OTHER);
}

#define STACK_ELEMENTS (1 << 28) /* of a string: what is more is none of the stack */

/* Of another base's words only what lies at the first bytes. */
static void touch(struct flow_state *state, const struct value *at, uint64_t bytes, uint64_t first)
{
	flow_word_touch(state, at, bytes);
	if (state->aligned)
		flow_align_write(state, at, bytes, first);
}

/* As many elements as rcx says, up from at or down. A number of them that is not known is an object's, which
 * ends before what is saved. */
static void write_string(struct flow_state *state, const struct code *code, const struct value *at)
{
	const struct value *count = &state->reg[REGISTER_RCX];
	struct value lowest = *at;
	int64_t below;

	if (count->kind != VALUE_CONSTANT || count->number <= 0 ||
	    count->number >= STACK_ELEMENTS) {
		flow_word_change(state);
		return;
	}
	below = (count->number - 1) * code->memory_bytes;
	if (state->direction != DIRECTION_UP)
		lowest.number -= below;
	if (state->direction == DIRECTION_UNKNOWN)
		below *= 2;
	touch(state, &lowest, (uint64_t)below + code->memory_bytes,
	      (uint64_t)below + code->memory_bytes);
}

/* The operand's address and as many bytes further as the bit's number says (SDM, volume 2, 3.1.1.9). */
static struct value bit_address(const struct flow_state *state, const struct code *code)
{
	struct value at = flow_effect_address(state, code);
	const struct value *index = &state->reg[code->source];
	unsigned int unread = 64 - 8 * code->memory_bytes;

	if (index->kind != VALUE_CONSTANT)
		return at; /* of bits that are not known it is the object that begins there */
	int64_t bit = (int64_t)((uint64_t)index->number << unread) >> unread;
	return value_add(at, (bit >> 3) & -(int64_t)code->memory_bytes);
}

/* By an address that may be another: if so nobody is known to write where registers are saved. */
static void write_doubtful(struct flow_state *state, struct value *at, uint32_t bytes)
{
	const bool is_either = at->scale == ADDRESS_EITHER;

	at->scale = ADDRESS_CERTAIN;
	if (is_either)
		touch(state, at, bytes, bytes);
	else if (!state->saved_only && at->kind == VALUE_CFA)
		flow_word_touched(state, at->number, at->number + (int64_t)bytes);
	else if (!state->saved_only)
		state->bases_touched = true;
	flow_word_change(state);
}

static void write_memory(struct flow_state *state, const struct code *code, struct value value)
{
	struct value at = code->bit_index ? bit_address(state, code)
					  : flow_effect_address(state, code);

	if (state->comparison.of_word)
		state->comparison.valid = false;
	if (!value_is_stack(&at)) {
		flow_word_stray(state, &at, &value);
		return;
	}
	if (at.scale) {
		write_doubtful(state, &at, code->memory_bytes);
		return;
	}
	if (code->repeated) {
		write_string(state, code, &at);
	} else if (code->effect == EFFECT_STORE || code->effect == EFFECT_POP) {
		flow_word_write(state, &at, code->memory_bytes, value);
	} else if (code->plain_store) {
		flow_word_write(state, &at, code->memory_bytes, value);
		if (!flow_word_find(state, &at))
			flow_word_touch(state, &at, code->memory_bytes);
	} else {
		/* Under a mask, from a vector register, or of what was there: nobody knows what of it. */
		touch(state, &at, code->memory_bytes, code->masked ? 1 : code->memory_bytes);
	}
}

/* Of less than a word, or of a number. A part of a register may be what was there. */
static struct value stored(const struct code *code)
{
	bool part = code->plain_store && code->source != CODE_NO_REGISTER;

	return VALUE(.kind = part ? VALUE_UNKNOWN : VALUE_OTHER);
}

static void push(struct flow_state *state, struct value value)
{
	struct value *rsp = &state->reg[REGISTER_RSP];

	set(state, REGISTER_RSP, value_add(*rsp, -8));
	flow_word_write(state, rsp, 8, value);
	flow_word_stray(state, rsp, &value);
}

static struct value pop(struct flow_state *state)
{
	struct value at = state->reg[REGISTER_RSP];
	const struct value *word = value_is_stack(&at) ? flow_word_find(state, &at) : NULL;
	struct value value = word ? flow_word_read(state, word) : VALUE(.kind = VALUE_UNKNOWN);

	set(state, REGISTER_RSP, value_add(at, 8));
	return value;
}

/* What is pushed: a register, a number, or a word. */
static struct value pushed(const struct flow_state *state, const struct code *code)
{
	if (code->source != CODE_NO_REGISTER)
		return state->reg[code->source];
	if (code->has_memory && !code->writes_memory)
		return load(state, code);
	return VALUE(.kind = VALUE_OTHER);
}

/* SDM, volume 2, ENTER: rbp, of each frame around it the pointer, and this one's; then the room. */
static void enter(struct flow_state *state, const struct code *code)
{
	int64_t level = code->constant >> 16 & 31;
	struct value frame;

	push(state, state->reg[REGISTER_RBP]);
	frame = state->reg[REGISTER_RSP];
	for (int64_t i = 1; i < level; i++)
		push(state, VALUE(.kind = VALUE_UNKNOWN));
	if (level)
		push(state, frame);
	set(state, REGISTER_RBP, frame);
	set(state, REGISTER_RSP,
	    value_add(state->reg[REGISTER_RSP], -(code->constant & UINT16_MAX)));
}

/* ---- arithmetic --------------------------------------------------------------------------- */

static struct value scaled(const struct flow_state *state, const struct code *code)
{
	const struct value *index = &state->reg[code->index];
	struct value value = *index;

	if (code->base == CODE_NO_REGISTER && !code->displacement && index->kind == VALUE_BOUND &&
	    index->scale == 1) {
		value.scale = code->scale;
		return value;
	}
	return mixed(code->base == CODE_NO_REGISTER ? index : &state->reg[code->base], index);
}

static struct value address(const struct flow_state *state, const struct code *code)
{
	struct value at = flow_effect_address(state, code);

	if (code->index != CODE_NO_REGISTER)
		value_keep_mark(&at, &state->reg[code->index]);
	if (at.kind == VALUE_CONSTANT && code->base == CODE_NO_REGISTER)
		at.scale = 1; /* by rip, perhaps */
	return code->index == CODE_NO_REGISTER || at.kind != VALUE_UNKNOWN ? at
									   : scaled(state, code);
}

static void add_register(struct flow_state *state, const struct code *code, uint32_t origin)
{
	struct value a = state->reg[code->reg], b = state->reg[code->source];
	struct value sum = mixed(&a, &b);

	if (a.kind == VALUE_CONSTANT && b.kind != VALUE_CONSTANT) {
		struct value swap = a;

		a = b;
		b = swap;
	}
	if (b.kind == VALUE_CONSTANT && a.kind == VALUE_OFFSET && a.number == b.number)
		sum = VALUE(.kind = VALUE_TARGET, .scale = 4, .compared = a.compared,
			    .bound = a.bound, .number = a.number);
	else if (b.kind == VALUE_CONSTANT)
		sum = value_add(a, b.number);
	else if (code->reg == REGISTER_RSP)
		sum = VALUE(.kind = VALUE_UNKNOWN);
	value_keep_mark(&sum, &b);
	set(state, code->reg, sum);
	if (code->reg == REGISTER_RSP && sum.kind == VALUE_UNKNOWN)
		begin_base(state, REGISTER_RSP, origin);
}

static void subtract_register(struct flow_state *state, const struct code *code, uint32_t origin)
{
	struct value a = state->reg[code->reg], b = state->reg[code->source];
	struct value difference = value_add(a, (int64_t)(0 - (uint64_t)b.number));

	value_keep_mark(&difference, &b);
	if (b.kind == VALUE_CONSTANT)
		set(state, code->reg, difference);
	else if (code->reg == REGISTER_RSP)
		begin_base(state, REGISTER_RSP, origin);
	else
		set(state, code->reg, mixed(&a, &b));
}

static void and_constant(struct flow_state *state, const struct code *code, uint32_t origin)
{
	const struct value *value = &state->reg[code->reg];

	if (code->reg == REGISTER_RSP || value_is_stack(value))
		align(state, code, origin);
	else if (code->constant >= 0 && code->constant < UINT16_MAX)
		set(state, code->reg,
		    VALUE(.kind = VALUE_BOUND, .scale = 1, .bound = (uint32_t)code->constant));
	else if (code->constant < 0 && (is_callers(value) || value_is_return(value) ||
					value_is_part(value) || value->kind == VALUE_UNKNOWN))
		set(state, code->reg,
		    VALUE(.kind = VALUE_UNKNOWN)); /* what is cleared was 0, or not */
	else
		set(state, code->reg,
		    VALUE(.kind = VALUE_OTHER, .scale = value_has_argument(value)
								? VALUE_ARGUMENT_AGAIN
								: VALUE_PART_NONE));
}

/* A register that is unknown behind an instruction which may have put back what was saved
 * elsewhere: in a vector register, or mangled. */
static inline void write_whole(struct flow_state *state, const struct code *code)
{
	const struct value value = { .kind = code->computed ? VALUE_OTHER : VALUE_UNKNOWN };

	for (uint32_t left = code->written; left; left &= left - 1)
		set(state, (uint8_t)__builtin_ctz(left), value);
}

/* The same, or of some registers a part. */
static void write_registers(struct flow_state *state, const struct code *code)
{
	if (!code->partial || !code->computed) {
		write_whole(state, code);
		return;
	}
	for (uint32_t left = code->written; left; left &= left - 1)
		set_part(state, code, (uint8_t)__builtin_ctz(left), false);
}

static void set_byte(struct flow_state *state, const struct code *code)
{
	struct value value = state->reg[code->reg];

	if (value.kind != VALUE_CONSTANT) {
		set_part(state, code, code->reg, true);
		return;
	}
	value.number = (value.number & ~(int64_t)UINT8_MAX) | (code->constant & UINT8_MAX);
	set(state, code->reg, value);
}

static struct value low_half(const struct value *value)
{
	if (value->kind == VALUE_BOUND)
		return *value;
	if (value->kind == VALUE_CONSTANT)
		return VALUE(.kind = VALUE_CONSTANT, .scale = value->scale,
			     .number = (int64_t)(uint32_t)value->number);
	/* The other half is gone; but of an argument it may be nothing. */
	return VALUE(.kind = VALUE_OTHER,
		     .scale = value_has_argument(value) ? VALUE_ARGUMENT_AGAIN : VALUE_PART_NONE);
}

/* Of what a jump table has, the table's reading says the sign. */
static struct value sign_extended(const struct value *value)
{
	if (value->kind == VALUE_OFFSET)
		return *value;
	if (value->kind == VALUE_CONSTANT)
		return VALUE(.kind = VALUE_CONSTANT, .scale = value->scale,
			     .number = (int32_t)value->number);
	return low_half(value);
}

static struct value extended(const struct value *value, uint8_t bits)
{
	if (!bits || value->kind == VALUE_BOUND)
		return low_half(value);
	return VALUE(.kind = VALUE_BOUND, .scale = 1, .bound = (1u << bits) - 1);
}

/* Those that are not met all the time. */
static __attribute__((noinline)) void effect(struct flow_state *state, const struct code *code,
					     uint32_t origin)
{
	struct value value;

	switch (code->effect) {
	case EFFECT_WRITES:
		if (code->writes_memory)
			write_memory(state, code, stored(code));
		write_registers(state, code);
		break;
	case EFFECT_MOVE:
	case EFFECT_CONSTANT:
	case EFFECT_COMPARE:
	case EFFECT_COMPARE_REGISTER: break; /* flow_effect() */
	case EFFECT_MOVE_32:
		set(state, code->reg, extended(&state->reg[code->source], code->bits));
		break;
	case EFFECT_CONSTANT_BYTE: set_byte(state, code); break;
	case EFFECT_ADDRESS: set(state, code->reg, address(state, code)); break;
	case EFFECT_LOAD: set(state, code->reg, load(state, code)); break;
	case EFFECT_LOAD_SIGNED: set(state, code->reg, load_signed(state, code)); break;
	case EFFECT_LOAD_LESS: set(state, code->reg, load_less(state, code)); break;
	case EFFECT_STORE: write_memory(state, code, state->reg[code->source]); break;
	case EFFECT_ADD:
		set(state, code->reg, value_add(state->reg[code->reg], code->constant));
		break;
	case EFFECT_ADD_REGISTER: add_register(state, code, origin); break;
	case EFFECT_SUBTRACT_REGISTER: subtract_register(state, code, origin); break;
	case EFFECT_AND: and_constant(state, code, origin); break;
	case EFFECT_PUSH: push(state, pushed(state, code)); break;
	case EFFECT_ENTER: enter(state, code); break;
	case EFFECT_POP:
		value = pop(state);
		if (code->reg != CODE_NO_REGISTER)
			set(state, code->reg, value);
		else
			write_memory(state, code, value);
		break;
	case EFFECT_LEAVE:
		set(state, REGISTER_RSP, state->reg[REGISTER_RBP]);
		set(state, REGISTER_RBP, pop(state));
		break;
	case EFFECT_EXCHANGE:
		value = state->reg[code->reg];
		set(state, code->reg, state->reg[code->source]);
		set(state, code->source, value);
		break;
	case EFFECT_SIGN_EXTEND:
		set(state, code->reg, sign_extended(&state->reg[code->source]));
		break;
	}
}

void flow_effect(struct flow_state *state, const struct code *code, uint32_t origin)
{
	if (code->writes_flags && code->effect != EFFECT_COMPARE &&
	    code->effect != EFFECT_COMPARE_REGISTER)
		state->comparison.valid = false;
	if (code->direction != DIRECTION_KEPT)
		state->direction = code->direction;
	switch (code->effect) {
	case EFFECT_WRITES:
		if (code->writes_memory || code->partial)
			effect(state, code, origin);
		else
			write_whole(state, code);
		return;
	case EFFECT_MOVE: set(state, code->reg, state->reg[code->source]); return;
	case EFFECT_CONSTANT:
		set(state, code->reg,
		    VALUE(.kind = VALUE_CONSTANT, .scale = code->long_constant,
			  .number = code->constant));
		return;
	case EFFECT_COMPARE:
	case EFFECT_COMPARE_REGISTER: flow_comparison_make(state, code); return;
	default: effect(state, code, origin);
	}
}

struct value flow_effect_jump(const struct flow_state *state, const struct code *code)
{
	return code->source != CODE_NO_REGISTER ? state->reg[code->source] : load(state, code);
}
