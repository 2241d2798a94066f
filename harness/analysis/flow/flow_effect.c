/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_effect.c - what an instruction makes of a state, and what a branch adds to it
 */
#include <string.h>
#include <sys/syscall.h>
#include "array.h"
#include "flow_paths.h"

/* ==== where a new thread begins, and where one ends ========================================= */

/*
 * Behind clone(2) and clone3(2) two go on: who called, with 0 in nobody's rax, and the new thread, with 0 in
 * rax and a stack of its own. The path is both's, and nobody's rows are right for both, until a comparison
 * of what the system call returned parts them. From then on the new thread has no caller, and no register
 * is known to lead to the frame.
 *
 * A thread that is given no stack (0) goes on with a copy of its parent's, as behind fork: it has the same
 * callers. Who makes such a call with another number than a constant has no code for a new stack.
 */

/* What the call has returned. */
static const struct value clone_result = { .kind = VALUE_OTHER, .of_clone = 1 };

bool flow_thread_ends_by(int64_t number)
{
	return number == SYS_exit || number == SYS_exit_group || number == SYS_rt_sigreturn;
}

bool flow_thread_exits(const struct flow_state *state, const struct code *code)
{
	const struct value *number = &state->reg[REGISTER_RAX];

	return code->system_call && number->kind == VALUE_CONSTANT &&
	       flow_thread_ends_by(number->number);
}

bool flow_thread_begins(const struct code *code, const struct flow_state *state)
{
	const struct value *number = &state->reg[REGISTER_RAX];
	const struct value *stack = &state->reg[REGISTER_RSI];

	if (!code->system_call || number->kind != VALUE_CONSTANT)
		return false;
	return number->number == SYS_clone3 ||
	       (number->number == SYS_clone && (stack->kind != VALUE_CONSTANT || stack->number));
}

void flow_thread_begin(struct flow_state *state)
{
	state->thread = FLOW_THREAD_EITHER;
	state->reg[REGISTER_RAX] = clone_result;
}

/* What a comparison with the clone_result of clone(2) adds, of a path on which it holds. */
static void flow_thread_branch(struct flow_state *state, enum code_condition holds)
{
	const struct last_comparison *comparison = &state->comparison;

	if (state->thread != FLOW_THREAD_EITHER || comparison->with_register ||
	    comparison->of_word || comparison->constant ||
	    !value_equal(&state->reg[comparison->reg], &clone_result))
		return;
	if (holds == CONDITION_EQUAL) {
		state->thread = FLOW_THREAD_NEW;
		flow_state_lose_stack(state);
	} else if (holds == CONDITION_NOT_EQUAL) {
		state->thread = FLOW_THREAD_NONE;
	}
}

/* ==== the effect of an instruction ========================================================== */

/*
 * A value that is loaded from memory which is not the stack is no saved register: functions save on
 * their stack. So it is VALUE_OTHER. One from a word of the stack that nobody is known to have
 * written may be one.
 */

#define VALUE(...) ((struct value) { __VA_ARGS__ })

static void forget_comparison(struct flow_state *state, uint8_t reg)
{
	struct last_comparison *comparison = &state->comparison;

	if (comparison->reg == reg || (comparison->with_register && comparison->source == reg))
		comparison->valid = false;
}

static enum value_part part_of(const struct value *a, const struct value *b)
{
	if (value_is_callers(a) || value_is_callers(b) || value_is_return(a) || value_is_return(b))
		return VALUE_PART_KEPT;
	if (!value_has_argument(a) && !value_has_argument(b))
		return VALUE_PART_NONE;
	return (a->kind == VALUE_OTHER && a->part) || (b->kind == VALUE_OTHER && b->part)
		       ? VALUE_ARGUMENT_AGAIN
		       : VALUE_PART_ARGUMENT;
}

/* A result of both that is none of the known ones. If the caller's value has a part in it, the next result
 * may be that again: `sub rbx, rdi` and `add rbx, rdi`. */
static struct value mixed(const struct value *a, const struct value *b)
{
	bool unknown = a->kind == VALUE_UNKNOWN || b->kind == VALUE_UNKNOWN;
	struct value ret = unknown || value_is_part(a) || value_is_part(b)
				   ? value_unknown()
				   : value_other(part_of(a, b));

	ret.raised = value_is_stack(a) || value_is_stack(b) || value_is_raised(a) ||
		     value_is_raised(b);
	return ret;
}

static void set(struct flow_state *state, uint8_t reg, struct value value)
{
	struct value *to = &state->reg[reg];

	*to = value;
	if ((reg == REGISTER_RSP || reg == REGISTER_RBP) && value_is_stack(to))
		to->address = 0;
	forget_comparison(state, reg);
}

/* The address of the memory operand, VALUE_UNKNOWN if it is not known. */
static struct value flow_effect_address(const struct flow_state *state, const struct code *code)
{
	struct value at = VALUE(.kind = VALUE_CONSTANT);

	if (!code->has_memory || code->foreign_segment)
		return value_unknown();
	if (code->base != CODE_NO_REGISTER)
		at = state->reg[code->base];
	if (code->index != CODE_NO_REGISTER) {
		const struct value *index = &state->reg[code->index];

		if (index->kind != VALUE_CONSTANT)
			return value_unknown();
		at = value_add(at, (int64_t)((uint64_t)index->number * code->scale));
	}
	return value_add(at, code->displacement);
}

/* A new base: the old one's words and copies are another's. */
static void begin_base(struct flow_state *state, uint8_t reg, uint32_t origin)
{
	struct value base = { .kind = VALUE_BASE,
			      .raised = value_is_raised(&state->reg[reg]),
			      .origin = origin };
	uint32_t kept = 0;

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (state->reg[i].kind == VALUE_BASE && state->reg[i].origin == origin)
			set(state, (uint8_t)i, value_unknown());
	for (uint32_t i = 0; i < state->word_count; i++) {
		struct word *word = &state->word[i];

		if ((word->at.kind == VALUE_BASE || word->at.kind == VALUE_ALIGNED) &&
		    word->at.origin == origin)
			continue;
		if (word->value.kind == VALUE_BASE && word->value.origin == origin)
			word->value = value_unknown();
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
		       state->escaped & 1u << reg;
	}
	if (code->source != CODE_NO_REGISTER)
		return may_have_of(&state->reg[code->source], reg);
	return ARRAY_ANY(REGISTER_GPR_COUNT, i,
			 i != written && state->reg[i].kind == VALUE_ENTRY &&
				 state->reg[i].reg == reg);
}

/* Some bits of the register are written, and are a number if known is set. */
static void set_part(struct flow_state *state, const struct code *code, uint8_t reg, bool known)
{
	const struct value *old = &state->reg[reg];
	struct value part = { .kind = VALUE_OTHER };

	if (value_is_callers(old) && !known && may_bring_back(state, code, reg, old->reg))
		part.kind = VALUE_UNKNOWN;
	else if (value_is_callers(old) || (known && value_is_part(old)))
		part.part = VALUE_PART_KEPT;
	else if (old->kind == VALUE_UNKNOWN || value_is_part(old))
		part.kind = VALUE_UNKNOWN;
	else if (value_has_argument(old))
		part.part = known && old->kind == VALUE_ENTRY
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
		swap = base; /* the other path round: a table's address, and a scaled index */
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
		return word ? flow_word_read(state, word) : value_unknown();
	}
	if ((at.kind == VALUE_UNKNOWN && !code->foreign_segment) || state->escaped)
		return value_unknown();
	return value_other(VALUE_PART_NONE);
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
	return value_other(VALUE_PART_NONE);
}

static struct value load_signed(const struct flow_state *state, const struct code *code)
{
	struct value table = table_of(state, code, 4);

	return table.kind == VALUE_OFFSET ? table : value_other(VALUE_PART_NONE);
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
	const bool is_either = at->address == ADDRESS_EITHER;

	at->address = ADDRESS_CERTAIN;
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
		flow_word_escape(state, &at, &value);
		return;
	}
	if (at.address) {
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

	flow_word_push(state);
	set(state, REGISTER_RSP, value_add(*rsp, -8));
	flow_word_write(state, rsp, 8, value);
	flow_word_escape(state, rsp, &value);
}

static struct value pop(struct flow_state *state)
{
	struct value at = state->reg[REGISTER_RSP];
	const struct value *word = value_is_stack(&at) ? flow_word_find(state, &at) : NULL;
	struct value value = word ? flow_word_read(state, word) : value_unknown();

	set(state, REGISTER_RSP, value_add(at, 8));
	return value;
}

/* 2 bytes. A part of a register, or of memory, may be what was there. */
static void push_16(struct flow_state *state, const struct code *code)
{
	const bool part = code->source != CODE_NO_REGISTER ||
			  (code->has_memory && !code->writes_memory);
	struct value *rsp = &state->reg[REGISTER_RSP];

	flow_word_push(state);
	set(state, REGISTER_RSP, value_add(*rsp, -2));
	if (value_is_stack(rsp)) {
		flow_word_write(state, rsp, 2,
				part ? value_unknown() : value_other(VALUE_PART_NONE));
		if (!flow_word_find(state, rsp))
			flow_word_touch(state, rsp, 2);
	} else {
		flow_word_change(state);
	}
}

/* SDM, volume 2, POP: an address by rsp is that behind it. */
static void pop_16(struct flow_state *state, const struct code *code)
{
	const uint8_t reg = code->reg;

	set(state, REGISTER_RSP, value_add(state->reg[REGISTER_RSP], 2));
	if (reg == CODE_NO_REGISTER)
		write_memory(state, code, value_unknown());
	else if (reg == REGISTER_RSP || value_is_callers(&state->reg[reg]))
		set(state, reg, value_unknown()); /* it may be the same part */
	else
		set_part(state, code, reg, false);
}

/* What is pushed: a register, a number, or a word. */
static struct value pushed(const struct flow_state *state, const struct code *code)
{
	if (code->source != CODE_NO_REGISTER)
		return state->reg[code->source];
	if (code->has_memory && !code->writes_memory)
		return load(state, code);
	return value_other(VALUE_PART_NONE);
}

/* SDM, volume 2, ENTER: rbp, of each frame around it the pointer, and this one's; then the room. */
static void enter(struct flow_state *state, const struct code *code)
{
	int64_t level = code->constant >> 16 & 31;
	struct value frame;

	push(state, state->reg[REGISTER_RBP]);
	frame = state->reg[REGISTER_RSP];
	for (int64_t i = 1; i < level; i++)
		push(state, value_unknown());
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
		at.read = true; /* by rip, perhaps */
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
		sum = VALUE(.kind = VALUE_UNKNOWN, .raised = sum.raised);
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
	if (b.kind == VALUE_CONSTANT) {
		set(state, code->reg, difference);
	} else if (code->reg == REGISTER_RSP) {
		begin_base(state, REGISTER_RSP, origin);
	} else {
		difference = mixed(&a, &b);
		difference.raised = value_is_raised(&a); /* room is made by it */
		set(state, code->reg, difference);
	}
}

static void and_constant(struct flow_state *state, const struct code *code, uint32_t origin)
{
	const struct value *value = &state->reg[code->reg];

	if (code->reg == REGISTER_RSP || value_is_stack(value))
		align(state, code, origin);
	else if (code->constant >= 0 && code->constant < UINT16_MAX)
		set(state, code->reg,
		    VALUE(.kind = VALUE_BOUND, .scale = 1, .bound = (uint32_t)code->constant));
	else if (code->constant < 0 && (value_is_callers(value) || value_is_return(value) ||
					value_is_part(value) || value->kind == VALUE_UNKNOWN))
		set(state, code->reg, /* what is cleared was 0, or not */
		    VALUE(.kind = VALUE_UNKNOWN, .raised = value_is_raised(value)));
	else
		set(state, code->reg,
		    VALUE(.kind = VALUE_OTHER, .raised = value_is_raised(value),
			  .part = value_has_argument(value) ? VALUE_ARGUMENT_AGAIN
							    : VALUE_PART_NONE));
}

/* rsp is made of what it was, or comes from a register that is not followed. Who reads it from memory goes to a stack that
 * is another, or was left. */
static bool raises(const struct flow_state *state, const struct code *code)
{
	if (code->writes_flags)
		return !code->lowers || value_is_raised(&state->reg[REGISTER_RSP]);
	return !code->has_memory;
}

/* A register that is unknown behind an instruction which may have put back what was saved
 * elsewhere: in a vector register, or mangled. */
static inline void write_whole(struct flow_state *state, const struct code *code)
{
	const struct value value = { .kind = code->computed ? VALUE_OTHER : VALUE_UNKNOWN };
	const bool raised = code->written >> REGISTER_RSP & 1 && raises(state, code);

	for (uint32_t left = code->written; left; left &= left - 1)
		set(state, (uint8_t)__builtin_ctz(left), value);
	if (raised)
		state->reg[REGISTER_RSP].raised = true;
}

/* The same, or of some registers a part. */
static void write_registers(struct flow_state *state, const struct code *code)
{
	const bool raised = code->written >> REGISTER_RSP & 1 && raises(state, code);

	if (!code->partial || !code->computed) {
		write_whole(state, code);
		return;
	}
	for (uint32_t left = code->written; left; left &= left - 1)
		set_part(state, code, (uint8_t)__builtin_ctz(left), false);
	if (raised)
		state->reg[REGISTER_RSP].raised = true;
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
		return VALUE(.kind = VALUE_CONSTANT, .read = value->read,
			     .number = (int64_t)(uint32_t)value->number);
	/* The other half is gone; but of an argument it may be nothing. */
	return VALUE(.kind = VALUE_OTHER,
		     .part = value_has_argument(value) ? VALUE_ARGUMENT_AGAIN : VALUE_PART_NONE);
}

/* Of what a jump table has, the table's reading says the sign. */
static struct value sign_extended(const struct value *value)
{
	if (value->kind == VALUE_OFFSET)
		return *value;
	if (value->kind == VALUE_CONSTANT)
		return VALUE(.kind = VALUE_CONSTANT, .read = value->read,
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
	case EFFECT_PUSH_16: push_16(state, code); break;
	case EFFECT_POP_16: pop_16(state, code); break;
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
	case EFFECT_PRODUCT:
		set(state, code->reg, mixed(&state->reg[code->source], &state->reg[code->source]));
		break;
	}
}

static void flow_comparison_make(struct flow_state *state, const struct code *code);
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
		    VALUE(.kind = VALUE_CONSTANT, .read = code->long_constant,
			  .number = code->constant));
		return;
	case EFFECT_COMPARE:
	case EFFECT_COMPARE_REGISTER: flow_comparison_make(state, code); return;
	default: effect(state, code, origin);
	}
}

void flow_effect_rounds(struct flow_state *state, const struct code *code)
{
	if (code->writes_memory)
		write_memory(state, code, value_unknown());
	for (uint32_t left = code->written; left; left &= left - 1)
		set(state, (uint8_t)__builtin_ctz(left), value_unknown());
}

struct value flow_effect_jump(const struct flow_state *state, const struct code *code)
{
	return code->source != CODE_NO_REGISTER ? state->reg[code->source] : load(state, code);
}

/* ==== flags, and which edge of a branch is ruled out ======================================== */

/*
 * Behind `xor eax, eax; test eax, eax` no CPU takes a jnz. So the flags CF, PF, ZF, SF and OF are known where what
 * they are of is: registers that hold numbers, or whatever an operation gives them always (`test` clears CF). And a
 * branch says of its own flag what it is on either path. When paths meet, what differs is not known any more, and the
 * branch goes both paths again.
 *
 * Of what a mask leaves, or has 8 or 16 bits, it is known how large it is at most: behind `and eax, 3; cmp eax, 3`
 * nobody takes a ja.
 *
 * A number that is read from memory somebody else may have changed meanwhile, and an address counts from where the
 * image is loaded: what they decide is marked as *read*, and only doubted. Of such numbers in memory the one is
 * known that was stored last.
 *
 * flow_proof.c asks for none of that: it follows both paths, and proves less.
 */

enum flag {
	CARRY = 1,
	PARITY = 2,
	ZERO = 4,
	SIGN = 8,
	OVERFLOW = 16,
	ALL = 31,
	NOT_ABOVE = 32, /* none of the CPU's: CF or ZF is set, nobody knows which */
};

static void know(struct flow_state *state, uint8_t known, uint8_t flags)
{
	state->flags_known = known;
	state->flags = flags & known;
	state->flags_read &= known != 0;
}

/* ---- operands ----------------------------------------------------------------------------- */

struct operands {
	uint64_t left, right;
	bool read;
};

static bool take_register(const struct flow_state *state, uint8_t reg, uint64_t *ret, bool *read)
{
	const struct value *value = &state->reg[reg];

	*ret = (uint64_t)value->number;
	*read |= value->kind == VALUE_CONSTANT && value->read;
	return value->kind == VALUE_CONSTANT;
}

/* A place of the stack that is known for certain. */
static bool is_place(const struct value *at)
{
	return value_is_stack(at) && !at->address;
}

static uint32_t base_of(const struct value *at)
{
	return at->kind == VALUE_BASE ? at->origin + 1 : 0;
}

static bool take_memory(const struct flow_state *state, const struct code *code, uint64_t *ret)
{
	struct value at;

	if (!code->has_memory || code->width > state->stored_width)
		return false;
	at = flow_effect_address(state, code);
	*ret = (uint64_t)(int64_t)state->stored_number;
	return is_place(&at) && base_of(&at) == state->stored_base && at.number == state->stored_at;
}

static bool take_right(const struct flow_state *state, const struct code *code,
		       struct operands *ret)
{
	if (code->flags == FLAGS_INCREMENT || code->flags == FLAGS_DECREMENT)
		ret->right = 1;
	else if (code->source != CODE_NO_REGISTER)
		return take_register(state, code->source, &ret->right, &ret->read);
	else if (code->flags == FLAGS_SUBTRACT && code->effect == EFFECT_ADD)
		ret->right = 0 - (uint64_t)code->constant; /* its effect is to add that */
	else
		ret->right = (uint64_t)code->constant;
	return true;
}

static bool take_operands(const struct flow_state *state, const struct code *code,
			  struct operands *ret)
{
	if (!code->width)
		return false;
	if (code->reg != CODE_NO_REGISTER)
		return take_register(state, code->reg, &ret->left, &ret->read) &&
		       take_right(state, code, ret);
	ret->read = true;
	return take_memory(state, code, &ret->left) && take_right(state, code, ret);
}

/* ---- flags -------------------------------------------------------------------------------- */

static uint8_t flags_of(uint64_t result, unsigned int width)
{
	uint8_t flags = __builtin_parity(result & UINT8_MAX) ? 0 : PARITY;

	if (!result)
		flags |= ZERO;
	return result >> (width - 1) & 1 ? flags | SIGN : flags;
}

/* SDM, volume 1, 3.4.3.1. */
static uint8_t compute(enum code_flags operation, struct operands operands, unsigned int width)
{
	const uint64_t mask = UINT64_MAX >> (64 - width), top = width - 1;
	uint64_t a = operands.left & mask, b = operands.right & mask, result;

	switch (operation) {
	case FLAGS_ADD:
	case FLAGS_INCREMENT:
		result = (a + b) & mask;
		return (uint8_t)(flags_of(result, width) | (result < a ? CARRY : 0) |
				 ((~(a ^ b) & (a ^ result)) >> top & 1 ? OVERFLOW : 0));
	case FLAGS_AND: return flags_of(a & b, width);
	case FLAGS_OR: return flags_of(a | b, width);
	case FLAGS_XOR: return flags_of(a ^ b, width);
	default:
		result = (a - b) & mask;
		return (uint8_t)(flags_of(result, width) | (a < b ? CARRY : 0) |
				 (((a ^ b) & (a ^ result)) >> top & 1 ? OVERFLOW : 0));
	}
}

/* Of `or` and `and` with a number: what of the result that number says. */
static uint8_t known_by_number(const struct code *code, uint8_t *flags)
{
	const uint64_t mask = UINT64_MAX >> (64 - code->width);
	const uint64_t number = (uint64_t)code->constant & mask;
	const bool top = number >> (code->width - 1) & 1, is_or = code->flags == FLAGS_OR;

	if (number == (is_or ? mask : 0)) {
		*flags = flags_of(number, code->width);
		return ALL;
	}
	if (is_or) {
		*flags = top ? SIGN : 0;
		return (uint8_t)((number ? ZERO : 0) | (top ? SIGN : 0));
	}
	return top ? 0 : SIGN;
}

/* Those that are so whatever the left operand is. */
static uint8_t known_always(const struct code *code, uint8_t *flags)
{
	const bool number = code->width && code->source == CODE_NO_REGISTER;

	*flags = 0;
	switch (code->flags) {
	case FLAGS_AND:
	case FLAGS_OR: return (number ? known_by_number(code, flags) : 0) | CARRY | OVERFLOW;
	case FLAGS_XOR: return CARRY | OVERFLOW;
	case FLAGS_SUBTRACT:
		return number && code->effect != EFFECT_ADD && !code->constant ? CARRY | OVERFLOW
									       : 0;
	default: return 0;
	}
}

/* Of a difference of what is at most some number, and another one. A comparison's bound is that of as many bits as it
 * had, which are not known any more. */
static uint8_t known_by_bound(const struct flow_state *state, const struct code *code,
			      uint8_t *flags, bool *read)
{
	const uint64_t mask = code->width ? UINT64_MAX >> (64 - code->width) : 0;
	struct operands operands = { .read = false };
	const struct value *left;

	if (code->flags != FLAGS_SUBTRACT || code->reg == CODE_NO_REGISTER)
		return 0;
	left = &state->reg[code->reg];
	if (left->kind != VALUE_BOUND || left->scale != 1 || left->compared || left->bound > mask ||
	    !take_right(state, code, &operands) || (operands.right & mask) < left->bound)
		return 0;
	*read = operands.read || left->reg;
	*flags |= (operands.right & mask) > left->bound ? CARRY | NOT_ABOVE : NOT_ABOVE;
	return (operands.right & mask) > left->bound ? CARRY | ZERO | NOT_ABOVE : NOT_ABOVE;
}

static void operate(struct flow_state *state, const struct code *code)
{
	bool carry_stays = code->flags == FLAGS_INCREMENT || code->flags == FLAGS_DECREMENT;
	uint8_t kept = carry_stays ? state->flags_known & CARRY : 0, carry = state->flags & kept;
	struct operands operands = { .read = kept && state->flags_read };
	uint8_t changed = carry_stays ? ALL & ~CARRY : ALL, always;

	if (!take_operands(state, code, &operands)) {
		const uint8_t known = known_always(code, &always);
		bool read = false;
		const uint8_t bound = known_by_bound(state, code, &always, &read);

		state->flags_read = (state->flags_read && kept) || read;
		know(state, kept | known | bound, carry | always);
		return;
	}
	state->flags_read = operands.read;
	know(state, kept | changed,
	     carry | (compute(code->flags, operands, code->width) & changed));
}

static void make_flags(struct flow_state *state, const struct code *code)
{
	switch (code->flags) {
	case FLAGS_LOST: know(state, 0, 0); break;
	case FLAGS_KEPT: break;
	case FLAGS_ZERO:
		state->flags_read = false;
		know(state, ALL, ZERO | PARITY);
		break;
	case FLAGS_CARRY_CLEAR:
		know(state, (state->flags_known & ALL) | CARRY, state->flags & ~CARRY);
		break;
	case FLAGS_CARRY_SET:
		know(state, (state->flags_known & ALL) | CARRY, state->flags | CARRY);
		break;
	case FLAGS_CARRY_TURN: know(state, state->flags_known & ALL, state->flags ^ CARRY); break;
	default: operate(state, code); break;
	}
}

bool flow_flags_join(struct flow_state *into, const struct flow_state *from)
{
	uint8_t both = into->flags_known & from->flags_known & ~(into->flags ^ from->flags);
	bool read = both && from->flags_read && !into->flags_read;
	bool changed = both != into->flags_known || read;

	into->flags_read |= read;
	know(into, both, into->flags);
	if (into->stored_width &&
	    (into->stored_width != from->stored_width ||
	     into->stored_number != from->stored_number || into->stored_at != from->stored_at ||
	     into->stored_base != from->stored_base)) {
		into->stored_width = 0;
		changed = true;
	}
	return changed;
}

/* ---- numbers in memory -------------------------------------------------------------------- */

static bool may_overlap(const struct flow_state *state, const struct value *at, uint32_t bytes)
{
	if (!is_place(at) || base_of(at) != state->stored_base)
		return true;
	return at->number < (int64_t)state->stored_at + state->stored_width / 8 &&
	       at->number + (int64_t)bytes > state->stored_at;
}

static void store(struct flow_state *state, const struct code *code)
{
	bool number = code->plain_store && code->source == CODE_NO_REGISTER && code->width;
	struct value at;

	if (!number && !state->stored_width)
		return;
	/* What a push or a pop writes is no operand. */
	at = code->effect == EFFECT_WRITES || code->effect == EFFECT_STORE
		     ? flow_effect_address(state, code)
		     : value_unknown();
	if (code->repeated || code->bit_index || may_overlap(state, &at, code->memory_bytes))
		state->stored_width = 0;
	if (!number || !is_place(&at) || at.number != (int32_t)at.number)
		return;
	state->stored_width = code->width;
	state->stored_number = (int32_t)code->constant;
	state->stored_at = (int32_t)at.number;
	state->stored_base = base_of(&at);
}

static void forget_numbers(struct flow_state *state)
{
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (state->reg[i].kind == VALUE_CONSTANT)
			state->reg[i] = value_other(VALUE_PART_NONE);
		else if (state->reg[i].kind == VALUE_BOUND)
			state->reg[i].changed = true;
}

void flow_flags_effect(struct flow_state *state, const struct code *code)
{
	make_flags(state, code);
	if (code->port)
		forget_numbers(state);
	if (code->system_call || code->effect == EFFECT_PUSH || code->effect == EFFECT_PUSH_16)
		state->stored_width = 0;
	if (code->writes_memory)
		store(state, code);
}

/* ---- branches ----------------------------------------------------------------------------- */

/* Each is that of a flag, or its opposite. */
static const struct {
	uint8_t flag;
	bool is_set;
} simple[CONDITION_COUNT] = {
	[CONDITION_EQUAL] = { ZERO, true },	   [CONDITION_NOT_EQUAL] = { ZERO, false },
	[CONDITION_BELOW] = { CARRY, true },	   [CONDITION_ABOVE_EQUAL] = { CARRY, false },
	[CONDITION_OVERFLOW] = { OVERFLOW, true }, [CONDITION_NO_OVERFLOW] = { OVERFLOW, false },
	[CONDITION_SIGN] = { SIGN, true },	   [CONDITION_NO_SIGN] = { SIGN, false },
	[CONDITION_PARITY] = { PARITY, true },	   [CONDITION_NO_PARITY] = { PARITY, false },
};

enum truth { NO, YES, NOBODY_KNOWS };

static enum truth is_set(const struct flow_state *state, uint8_t flag)
{
	if (!(state->flags_known & flag))
		return NOBODY_KNOWS;
	return state->flags & flag ? YES : NO;
}

static enum truth opposite(enum truth a)
{
	if (a == NOBODY_KNOWS)
		return a;
	return a == YES ? NO : YES;
}

static enum truth either(enum truth a, enum truth b)
{
	if (a == YES || b == YES)
		return YES;
	return a == NO && b == NO ? NO : NOBODY_KNOWS;
}

static enum truth is_not_above(const struct flow_state *state)
{
	if (is_set(state, NOT_ABOVE) == YES)
		return YES;
	return either(is_set(state, CARRY), is_set(state, ZERO));
}

static enum truth is_less(const struct flow_state *state)
{
	enum truth sign = is_set(state, SIGN), overflow = is_set(state, OVERFLOW);

	if (sign == NOBODY_KNOWS || overflow == NOBODY_KNOWS)
		return NOBODY_KNOWS;
	return sign != overflow ? YES : NO;
}

/* Of the bits that the mask says, less a number. */
static enum truth count_is_zero(const struct flow_state *state, uint64_t less, uint64_t mask)
{
	const struct value *rcx = &state->reg[REGISTER_RCX];

	if (rcx->kind != VALUE_CONSTANT)
		return NOBODY_KNOWS;
	return ((uint64_t)rcx->number - less) & mask ? NO : YES;
}

static enum truth holds(const struct flow_state *state, enum code_condition condition)
{
	enum truth zero = is_set(state, ZERO);
	enum truth last = count_is_zero(state, 1, UINT64_MAX);

	if (simple[condition].flag) {
		enum truth set = is_set(state, simple[condition].flag);

		return simple[condition].is_set ? set : opposite(set);
	}
	switch (condition) {
	case CONDITION_BELOW_EQUAL: return is_not_above(state);
	case CONDITION_ABOVE: return opposite(is_not_above(state));
	case CONDITION_LESS: return is_less(state);
	case CONDITION_GREATER_EQUAL: return opposite(is_less(state));
	case CONDITION_LESS_EQUAL: return either(is_less(state), zero);
	case CONDITION_GREATER: return opposite(either(is_less(state), zero));
	case CONDITION_RCX_ZERO: return count_is_zero(state, 0, UINT64_MAX);
	case CONDITION_ECX_ZERO: return count_is_zero(state, 0, UINT32_MAX);
	case CONDITION_LOOP: return opposite(last);
	case CONDITION_LOOP_EQUAL: return opposite(either(last, opposite(zero)));
	case CONDITION_LOOP_NOT_EQUAL: return opposite(either(last, zero));
	default: return NOBODY_KNOWS;
	}
}

enum flow_decision flow_flags_decide(const struct flow_state *state, enum code_condition condition)
{
	const struct value *rcx = &state->reg[REGISTER_RCX];
	bool counts = condition >= CONDITION_RCX_ZERO, read;
	enum truth truth;

	if (!state->flags_known && !counts)
		return FLOW_BOTH_WAYS;
	truth = holds(state, condition);
	if (truth == NOBODY_KNOWS)
		return FLOW_BOTH_WAYS;
	read = state->flags_read || (counts && rcx->kind == VALUE_CONSTANT && rcx->read);
	if (truth == YES)
		return read ? FLOW_PERHAPS_TAKEN : FLOW_TAKEN;
	return read ? FLOW_PERHAPS_PASSED : FLOW_PASSED;
}

void flow_flags_branch(struct flow_state *state, enum code_condition condition, bool taken)
{
	uint8_t flag = simple[condition].flag;

	if (flag)
		know(state, state->flags_known | flag,
		     simple[condition].is_set == taken ? state->flags | flag
						       : state->flags & ~flag);
}

/* ==== the last comparison, and what a branch by it says ===================================== */

/*
 * Of an index how large it is at most, and of two registers that they are equal.
 */

/* The code compares. */
static void flow_comparison_make(struct flow_state *state, const struct code *code)
{
	struct last_comparison *comparison = &state->comparison;

	if (!code->constant && code->effect == EFFECT_COMPARE &&
	    state->thread != FLOW_THREAD_EITHER) {
		comparison->valid = false; /* with 0 tells nothing of an index */
		return;
	}
	memset(comparison, 0, sizeof(*comparison));
	comparison->valid = true;
	comparison->reg = code->reg;
	comparison->constant = code->constant;
	if (code->effect == EFFECT_COMPARE_REGISTER) {
		comparison->with_register = true;
		comparison->source = code->source;
	} else if (code->reg == CODE_NO_REGISTER) {
		comparison->at = flow_effect_address(state, code);
		comparison->of_word = true;
		comparison->valid = value_is_stack(&comparison->at) && !comparison->at.address;
	}
}

static void bound_value(struct value *value, uint64_t bound)
{
	if (bound > UINT16_MAX)
		return;
	if (value->kind == VALUE_BOUND && value->compared && value->bound <= bound)
		return;
	if (value->kind == VALUE_UNKNOWN || value->kind == VALUE_OTHER ||
	    (value->kind == VALUE_BOUND && value->scale == 1) ||
	    (value->kind == VALUE_ENTRY && value->reg != REGISTER_RBX &&
	     value->reg != REGISTER_RBP && value->reg < REGISTER_R12))
		*value = VALUE(.kind = VALUE_BOUND, .scale = 1, .compared = true,
			       .bound = (uint32_t)bound);
}

static void bound_compared(struct flow_state *state, uint64_t bound)
{
	const struct last_comparison *comparison = &state->comparison;
	struct value value = { .kind = VALUE_UNKNOWN };

	if (!comparison->of_word) {
		bound_value(&state->reg[comparison->reg], bound);
		return;
	}
	bound_value(&value, bound);
	if (value.kind == VALUE_BOUND)
		flow_word_note(state, &comparison->at, value);
}

static bool is_any(const struct value *value)
{
	return value->kind == VALUE_UNKNOWN || value->kind == VALUE_OTHER;
}

static void make_equal(struct flow_state *state)
{
	struct value *a = &state->reg[state->comparison.reg];
	struct value *b = &state->reg[state->comparison.source];

	if ((value_is_stack(a) || value_is_callers(a)) && is_any(b))
		*b = *a;
	else if ((value_is_stack(b) || value_is_callers(b)) && is_any(a))
		*a = *b;
	else if (a->kind == VALUE_CFA && b->kind == VALUE_CFA) {
		/* Where they differ it is not this round of a loop that ends it, but a later one: by
		 * then rsp, which makes the room, has come to where the other is. */
		if (state->comparison.reg == REGISTER_RSP)
			*a = *b;
		else if (state->comparison.source == REGISTER_RSP)
			*b = *a;
	}
}

void flow_effect_branch(struct flow_state *state, enum code_condition condition, bool taken)
{
	static const enum code_condition opposite[CONDITION_COUNT] = {
		[CONDITION_OTHER] = CONDITION_OTHER,
		[CONDITION_EQUAL] = CONDITION_NOT_EQUAL,
		[CONDITION_NOT_EQUAL] = CONDITION_EQUAL,
		[CONDITION_ABOVE] = CONDITION_BELOW_EQUAL,
		[CONDITION_ABOVE_EQUAL] = CONDITION_BELOW,
		[CONDITION_BELOW] = CONDITION_ABOVE_EQUAL,
		[CONDITION_BELOW_EQUAL] = CONDITION_ABOVE,
	};
	const struct last_comparison *comparison = &state->comparison;
	enum code_condition holds = taken ? condition : opposite[condition];

	if (!comparison->valid)
		return;
	flow_thread_branch(state, holds);
	if (comparison->with_register) {
		if (holds == CONDITION_EQUAL)
			make_equal(state);
	} else if (comparison->constant >= 0) {
		if (holds == CONDITION_BELOW_EQUAL)
			bound_compared(state, (uint64_t)comparison->constant);
		else if (holds == CONDITION_BELOW && comparison->constant)
			bound_compared(state, (uint64_t)comparison->constant - 1);
	}
}

/* ==== code that goes straight on ============================================================ */

bool flow_effect_straight(const struct flow_world *world, uint64_t from, uint64_t to,
			  struct flow_state *ret)
{
	struct code code;

	flow_state_enter(ret);
	for (uint64_t pc = from; pc < to; pc += code.length) {
		const uint8_t *bytes = image_bytes(world->cfi->image, pc, to - pc);

		if (!bytes)
			return false;
		code_decode(world->decoder, pc, bytes, to - pc, &code);
		if (!code.length || code.flow != CODE_NEXT)
			return false;
		flow_effect(ret, &code, (uint32_t)(pc - to));
	}
	return true;
}

#define THREAD_BYTES_MAX 256 /* of the function that makes a thread, up to where that begins */

/* glibc's clone has no FDE from its system call on up to here; so that code is passed as it stands in memory. */
bool flow_begins_thread(const struct flow_world *world, uint64_t pc)
{
	const struct cfi_fde *before = cfi_fde_before(world->cfi, pc);
	const uint8_t *bytes = NULL;
	struct flow_state state, taken;
	struct code code;

	if (before && pc - before->pc_begin <= THREAD_BYTES_MAX)
		bytes = image_bytes(world->cfi->image, before->pc_begin, pc - before->pc_begin);
	if (!bytes)
		return false;
	flow_state_enter(&state);
	for (uint64_t at = before->pc_begin; at < pc; at += code.length) {
		bool begins;

		code_decode(world->decoder, at, bytes + (at - before->pc_begin), pc - at, &code);
		if (!code.length)
			return false;
		flow_state_copy(&taken, &state);
		flow_effect_branch(&taken, code.condition, true);
		if (code.flow == CODE_BRANCH && code.target == pc)
			return taken.thread == FLOW_THREAD_NEW;
		begins = flow_thread_begins(&code, &state);
		flow_effect(&state, &code, (uint32_t)(at - before->pc_begin));
		if (code.flow == CODE_BRANCH)
			flow_effect_branch(&state, code.condition, false);
		if (code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT)
			flow_state_call(&state);
		if (begins)
			flow_thread_begin(&state);
	}
	return false;
}
