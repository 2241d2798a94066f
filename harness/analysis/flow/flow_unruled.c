/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_unruled.c - functions that preserve no register but rsp: OCaml's, Go's, and others by their code
 *
 * Their CFI says where the CFA and the return address are, and nothing of registers. So nothing else is asked: of rows,
 * and of a jump that leaves a function as it was entered.
 *
 * OCaml's exceptions need no tables. A function that catches some puts its handler's address and what caught
 * before on the stack, and remembers rsp:
 *
 *	lea	r11, [handler]
 *	push	r11
 *	push	[r14 + n]
 *	mov	[r14 + n], rsp
 *
 * Who raises one takes rsp from there, pops both, and jumps: so the handler has rsp as it was before, and
 * nothing is known of other registers, nor of what the function keeps in its frame by then. (OCaml's
 * asmcomp/amd64/emit.mlp, Lpushtrap and Lraise; 4.14 and 5.)
 */
#include <string.h>
#include "flow.h"
#include "flow_taken.h"

#define GO_DATA_ALIGNMENT -4

/* camlModule__function_12, camlModule.function_12: of OCaml's code. caml_curry3_1 and the like its compiler makes, of
 * which every program has its own. The run-time's are caml_function, too, in C and assembly. */
static bool is_ocaml(const struct flow_world *world, uint64_t pc)
{
	static const char *const made[] = { "_apply", "_curry", "_tuplify", "_send" };
	const struct image_symbol *symbol = image_symbol_find(world->cfi->image, pc);
	const char *name;

	if (!symbol || symbol->pc != pc || strncmp(symbol->name, "caml", 4) != 0)
		return false;
	name = symbol->name + 4;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		size_t length = strlen(made[i]);

		if (!strncmp(name, made[i], length))
			return name[length] >= '0' && name[length] <= '9';
	}
	return *name >= 'A' && *name <= 'Z';
}

/* Go's by what its linker writes into its CIE, and no compiler of C. */
static bool has_language(const struct flow_world *world, const struct flow_part *part)
{
	const struct cfi_cie *cie = &world->cfi->cie[part->fde->cie];

	return (world->ocaml && is_ocaml(world, part->begin)) ||
	       (world->go && cie->section == &world->cfi->image->debug_frame &&
		cie->data_alignment == GO_DATA_ALIGNMENT);
}

/*
 * Where it is certain that the image's functions don't keep a register (Zig's own back end), a row without a rule
 * claims nothing of it. Where only some are seen not to, that may be a mistake of theirs: such a row accuses
 * nobody, and nothing is proven of it. rbp is a frame's.
 */
uint32_t flow_unruled_agreed(const struct flow_world *world, const struct flow_part *part)
{
	if (has_language(world, part))
		return FLOW_ROW_UNRULED(FLOW_PRESERVED) | FLOW_PRESERVED;
	return FLOW_ROW_UNRULED(world->unkept_certain) | world->unkept;
}

static bool is_return_address(const struct value *value)
{
	return value_is_return(value) && !value->number;
}

bool flow_unruled_is_entry(const struct flow_part *part, const struct flow_state *state)
{
	const uint32_t unruled = flow_row_unruled(part->agreed);
	const struct value *rsp = &state->reg[REGISTER_RSP], *word;

	if (!unruled)
		return flow_state_is_entry(state);
	for (uint32_t left = FLOW_PRESERVED & ~unruled & ~(1u << REGISTER_RSP); left;
	     left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctz(left);
		const struct value *value = &state->reg[reg];

		if (value->kind != VALUE_ENTRY || value->reg != reg || value->number)
			return false;
	}
	word = flow_word_find(state, rsp);
	return rsp->kind == VALUE_CFA && rsp->number == -8 && word && is_return_address(word);
}

/* The next instruction of the part, or NULL. */
static const struct code *next_of(struct flow *flow, struct flow_part *part,
				  const struct code *code)
{
	uint64_t pc = code->pc + code->length;

	return pc < part->end ? flow_part_code(part, flow->world->decoder, pc) : NULL;
}

/* first: of four instructions. 0: they set up no handler. */
static uint64_t handler_of(struct flow *flow, struct flow_part *part, const struct code *first)
{
	uint64_t handler = flow_taken_by(flow->world->cfi->image, first);
	struct code address, old; /* what is pushed; copies, since the part's array may move */
	const struct code *next;

	if (handler < part->begin || handler >= part->end)
		return 0;
	next = next_of(flow, part, first);
	if (!next || next->effect != EFFECT_PUSH || next->source != first->reg)
		return 0;
	address = *next;
	next = next_of(flow, part, &address);
	if (!next || next->effect != EFFECT_PUSH || !next->has_memory ||
	    next->index != CODE_NO_REGISTER)
		return 0;
	old = *next;
	next = next_of(flow, part, &old);
	if (!next || next->effect != EFFECT_STORE || next->source != REGISTER_RSP ||
	    next->base != old.base || next->displacement != old.displacement ||
	    next->index != CODE_NO_REGISTER)
		return 0;
	return handler;
}

/* What is known in a handler. */
static void raise(const struct flow_state *state, struct flow_state *ret)
{
	const struct value rsp = state->reg[REGISTER_RSP];

	flow_state_copy(ret, state);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		ret->reg[i] = (struct value) { .kind = VALUE_UNKNOWN };
	ret->reg[REGISTER_RSP] = rsp;
	flow_flags_forget(ret);
	ret->stored_width = 0;
	flow_word_touch(ret, &rsp, (uint64_t)(-8 - rsp.number));
}

int flow_unruled_trap(struct flow *flow, struct flow_part *part, const struct code *code,
		      const struct flow_state *state, const struct flow_way *come,
		      struct error *error)
{
	struct flow_way way = { .from = code->pc,
				.unsure = come->unsure,
				.beyond = come->beyond,
				.supposed = come->supposed };
	const struct value *rsp = &state->reg[REGISTER_RSP];
	struct flow_state raised;
	struct code first;
	uint64_t handler;

	if (code->effect != EFFECT_ADDRESS || !flow_row_unruled(part->agreed) ||
	    rsp->kind != VALUE_CFA || rsp->number > -8)
		return 0;
	first = *code;
	handler = handler_of(flow, part, &first);
	if (!handler)
		return 0;
	raise(state, &raised);
	return flow_come(flow, handler, &raised, &way, error);
}
