/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_jump.c - where computed jumps go
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_paths.h"

/* ==== routines with a link register ========================================================= */

/*
 *		lea r11, 1f[rip]	routine: .cfi_def_cfa rsp, 0
 *		jmp routine			 .cfi_register rip, r11
 *	1:	...				 ...
 *						 jmp r11
 *
 * Some assembly hands the return address over in a register, and enters by a jump. The routine's first row says
 * so: the CFA is rsp, and the return address is in that register. A jump there is its call, with whatever frame, and it is
 * entered with that register known, unless a path really has its own return address there: then it is a part of that
 * function as any other. Which registers it leaves alone is between the two: of those that callees preserve it is
 * believed that it does, as of other functions, as long as its code doesn't show that it doesn't.
 */

bool flow_row_is_linked(const struct row *row)
{
	const struct row_rule *link = &row->reg[REGISTER_RIP];

	return row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP &&
	       !row->cfa.offset && link->kind == RULE_REGISTER && link->reg < REGISTER_GPR_COUNT &&
	       link->reg != REGISTER_RSP;
}

bool flow_linked_enter(const struct row *row, struct flow_state *ret)
{
	if (!flow_row_is_linked(row))
		return false;
	flow_state_enter(ret);
	ret->word_count = 0;
	ret->reg[REGISTER_RSP] = (struct value) { .kind = VALUE_CFA };
	ret->reg[row->reg[REGISTER_RIP].reg] = value_entry(REGISTER_RIP);
	return true;
}

bool flow_linked_is_call(const struct flow_fragment *fragment, uint64_t pc,
			 const struct flow_state *state)
{
	struct flow_row_verdict verdict;

	return pc == fragment->begin && fragment->row_count && fragment->row[0].pc == pc &&
	       flow_row_is_linked(&fragment->row[0]) &&
	       flow_is_mismatch(fragment, pc, state, &verdict);
}

bool flow_linked_comes_back(const struct flow *flow, const struct cfi_fde *fde,
			    const struct flow_state *state)
{
	struct flow_fragment *fragment = NULL;
	enum flow_reason reason;
	struct error error;
	bool known = false;

	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		known |= state->reg[i].kind == VALUE_CONSTANT &&
			 flow_has(flow, (uint64_t)state->reg[i].number);
	if (!known || flow_fragment_create(flow->world->cfi, fde, &fragment, &reason, &error) ||
	    !fragment)
		return false;
	known = flow_linked_is_call(fragment, fde->pc_begin, state);
	flow_fragment_destroy(fragment);
	return known;
}

/* As behind a call; but nothing is known of registers that no callee preserves: they are agreed on. */
static void come_back(const struct flow_world *world, uint64_t pc, struct flow_state *state)
{
	const struct code call = { .flow = CODE_CALL, .target = pc };

	flow_state_call(state);
	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i))
			state->reg[i] = value_unknown();
	flow_call_lend(state);
	flow_clobbers_call(world, &call, state);
}

void flow_linked_call(struct flow *flow, const struct flow_fragment *fragment,
		      const struct flow_state *state, const struct flow_path *path)
{
	const struct value *to = &state->reg[fragment->row[0].reg[REGISTER_RIP].reg];
	struct flow_path behind = *path;
	struct flow_state after;

	if (flow->proof)
		flow_proof_fail(flow);
	if (flow->followed || flow->proof || to->kind != VALUE_CONSTANT ||
	    !flow_has(flow, (uint64_t)to->number))
		return;
	flow_state_copy(&after, state);
	come_back(flow->world, fragment->begin, &after);
	behind.weak = true;
	behind.callee = fragment->begin;
	flow_come(flow, (uint64_t)to->number, &after, &behind);
}

/* No argument is passed in it (psABI, 3.2.3). */
static bool may_link(uint8_t reg)
{
	return !(FLOW_ARGUMENTS >> reg & 1);
}

/* The path comes to a computed jump: perhaps by the return address, or by another that the caller has handed over. */
static void flow_linked_return(struct flow *flow, const struct code *jump,
			       const struct flow_state *state, const struct flow_path *path)
{
	struct value to = flow_effect_jump(state, jump);

	if (to.kind != VALUE_ENTRY || to.number)
		return;
	if (value_is_return(&to))
		flow_clobbers_return(flow, state, path);
	else if (!path->unsure && !path->fallthrough)
		flow->found.jumps_by_entry |= may_link(to.reg);
}

/* ==== functions that preserve no register but rsp: OCaml's, Go's, and others by their code ==== */

/*
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
static bool has_language(const struct flow_world *world, const struct flow_fragment *fragment)
{
	const struct cfi_cie *cie = &world->cfi->cie[fragment->fde->cie];

	return (world->ocaml && is_ocaml(world, fragment->begin)) ||
	       (world->go && cie->section == &world->cfi->image->debug_frame &&
		cie->data_alignment == GO_DATA_ALIGNMENT);
}

/*
 * Where it is certain that the image's functions don't keep a register (Zig's own back end), a row without a rule
 * claims nothing of it. Where only some are seen not to, that may be a mistake of theirs: such a row accuses
 * nobody, and nothing is proven of it. rbp is a frame's.
 */
uint32_t flow_unruled_agreed(const struct flow_world *world, const struct flow_fragment *fragment)
{
	if (has_language(world, fragment))
		return FLOW_ROW_UNRULED(FLOW_PRESERVED) | FLOW_PRESERVED;
	return FLOW_ROW_UNRULED(world->unkept_certain) | world->unkept;
}

static bool is_return_address(const struct value *value)
{
	return value_is_return(value) && !value->number;
}

/* As the fragment was entered, as far as its language asks. */
static bool flow_unruled_is_entry(const struct flow_fragment *fragment,
				  const struct flow_state *state)
{
	const uint32_t unruled = flow_row_unruled(fragment->agreed);
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

/* The next instruction of the fragment, or NULL. */
static const struct code *next_of(struct flow *flow, struct flow_fragment *fragment,
				  const struct code *code)
{
	uint64_t pc = code->pc + code->length;

	return pc < fragment->end ? flow_fragment_code(fragment, flow->world->decoder, pc) : NULL;
}

/* first: of four instructions. 0: they set up no handler. */
static uint64_t handler_of(struct flow *flow, struct flow_fragment *fragment,
			   const struct code *first)
{
	uint64_t handler = flow_address_taken_by(flow->world->cfi->image, first);
	struct code address, old; /* what is pushed; copies, since the fragment's array may move */
	const struct code *next;

	if (handler < fragment->begin || handler >= fragment->end)
		return 0;
	next = next_of(flow, fragment, first);
	if (!next || next->effect != EFFECT_PUSH || next->source != first->reg)
		return 0;
	address = *next;
	next = next_of(flow, fragment, &address);
	if (!next || next->effect != EFFECT_PUSH || !next->has_memory ||
	    next->index != CODE_NO_REGISTER)
		return 0;
	old = *next;
	next = next_of(flow, fragment, &old);
	if (!next || next->effect != EFFECT_STORE || next->source != REGISTER_RSP ||
	    next->base != old.base || next->displacement != old.displacement ||
	    next->index != CODE_NO_REGISTER)
		return 0;
	return handler;
}

/* What is known in a handler. */
static void enter_handler(const struct flow_state *state, struct flow_state *ret)
{
	const struct value rsp = state->reg[REGISTER_RSP];

	flow_state_copy(ret, state);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		ret->reg[i] = value_unknown();
	ret->reg[REGISTER_RSP] = rsp;
	flow_flags_forget(ret);
	ret->stored_width = 0;
	flow_word_touch(ret, &rsp, (uint64_t)(-8 - rsp.number));
}

void flow_unruled_trap(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
		       const struct flow_state *state, const struct flow_path *come)
{
	struct flow_path path = { .from = code->pc,
				  .unsure = come->unsure,
				  .fallthrough = come->fallthrough,
				  .supposed = come->supposed };
	const struct value *rsp = &state->reg[REGISTER_RSP];
	struct flow_state raised;
	struct code first;
	uint64_t handler;

	if (code->effect != EFFECT_ADDRESS || !flow_row_unruled(fragment->agreed) ||
	    rsp->kind != VALUE_CFA || rsp->number > -8)
		return;
	first = *code;
	handler = handler_of(flow, fragment, &first);
	if (!handler)
		return;
	enter_handler(state, &raised);
	flow_come(flow, handler, &raised, &path);
}

/* ==== jumps whose targets nobody knows ====================================================== */

/*
 * A computed jump whose targets are not known leads on in the function: to code that no other path reaches, and
 * from there back, or at once to what others reach, too. What is known at such jumps is kept: lint holds
 * rows against it. Without rows nothing says what the jump brings. So it may come to each block that
 * has its stack pointer, and a register that callees preserve is what it was there only if it is at the
 * jump, and if what the jump alone reaches doesn't write it. With rows that is so of what one register has of another.
 *
 * That rsp is the same where such paths come back, and that words that keep registers are not overwritten, is
 * taken for granted: compilers keep to it.
 */

/* A return, or to the dynamic linker. */
static bool leaves(const struct flow *flow, const struct code *jump, const struct flow_state *state)
{
	struct value to = flow_effect_jump(state, jump);

	return value_is_return(&to) || flow_is_binder(flow->world->callees, jump->pc);
}

static size_t find(const struct flow *flow, uint64_t pc)
{
	size_t i = 0;

	while (i < flow->unread.count && flow->unread.jump[i].pc != pc)
		i++;
	return i;
}

/* It is none any more: another path came to it. */
static void flow_unread_forget(struct flow *flow, uint64_t pc)
{
	size_t i = find(flow, pc);

	if (i < flow->unread.count)
		flow->unread.jump[i] = flow->unread.jump[--flow->unread.count];
}

void flow_unread_note(struct flow *flow, const struct flow_fragment *fragment,
		      const struct code *jump, const struct flow_state *state)
{
	size_t i = find(flow, jump->pc);

	if (!fragment->silent && leaves(flow, jump, state))
		return;
	if (i == flow->unread.count && !ARRAY_GROW(flow->unread.jump, flow->unread.count)) {
		flow_lack_ways(flow);
		return;
	}
	flow->unread.count += i == flow->unread.count;
	flow->unread.jump[i].pc = jump->pc;
	flow_state_copy(&flow->unread.jump[i].state, state);
}

/* ---- what the jump alone reaches -------------------------------------------------------------- */

struct gap {
	struct flow *flow;
	struct flow_fragment *fragment;
	uint8_t *leads_back; /* of each byte of the fragment: from the instruction there */
	uint32_t written;    /* by those; what they pop was there before */
	bool changed;
};

bool flow_unread_leads(const struct flow *flow, uint64_t pc)
{
	return ARRAY_ANY(flow->unread.back_count, i, flow->unread.back[i] == pc);
}

/* An instruction that no path reached leads to pc. True: from there back. */
static bool lead(struct gap *gap, uint64_t pc)
{
	const struct flow_fragment *fragment = gap->fragment;
	struct flow *flow = gap->flow;

	if (pc < fragment->begin || pc >= fragment->end)
		return false;
	if (!fragment->block_at[pc - fragment->begin])
		return gap->leads_back[pc - fragment->begin];
	if (flow_unread_leads(flow, pc))
		return true;
	if (!ARRAY_ADD(flow->unread.back, flow->unread.back_count, pc))
		flow_lack_ways(flow);
	return true;
}

static bool leads_back(struct gap *gap, const struct code *code)
{
	bool jumps = code->flow == CODE_BRANCH || code->flow == CODE_BEGIN ||
		     code->flow == CODE_JUMP;
	bool back = jumps && lead(gap, code->target);

	if (code->flow == CODE_JUMP || code->flow == CODE_JUMP_INDIRECT ||
	    code->flow == CODE_RETURN || code->flow == CODE_STOP || code->flow == CODE_UNKNOWN)
		return back;
	return lead(gap, code->pc + code->length) || back;
}

static void sweep(struct gap *gap)
{
	struct flow_fragment *fragment = gap->fragment;
	struct code code;

	for (uint64_t pc = fragment->begin; pc < fragment->end; pc += code.length) {
		uint64_t at = pc - fragment->begin;

		code_decode(gap->flow->world->decoder, pc, fragment->bytes + at, fragment->end - pc,
			    &code);
		if (!code.length) {
			code.length = 1;
			continue;
		}
		if (fragment->block_at[at] || gap->leads_back[at] || !leads_back(gap, &code))
			continue;
		gap->leads_back[at] = 1;
		gap->changed = true;
		gap->written |= code.effect == EFFECT_POP ? 0 : code.written;
		if (code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT)
			gap->written |= ~(uint32_t)FLOW_PRESERVED;
	}
}

/* Returns the registers that are written. */
static uint32_t find_back(struct flow *flow)
{
	uint32_t written = 0;

	for (size_t i = 0; i < flow->fragment_count; i++) {
		struct flow_fragment *fragment = flow->fragment[i];
		struct gap gap = { .flow = flow, .fragment = fragment, .changed = true };

		if (!fragment->silent)
			continue;
		gap.leads_back = calloc(fragment->end - fragment->begin, 1);
		if (!gap.leads_back)
			flow_lack_ways(flow);
		while (gap.changed && !flow_lacks(flow->world)) {
			gap.changed = false;
			sweep(&gap);
		}
		free(gap.leads_back);
		written |= gap.written;
	}
	return written;
}

/* ---- what is not known then -------------------------------------------------------------------- */

/* Where rsp is known on neither path, rbp tells a function's frame from the one that was taken down. */
static bool same_frame(const struct flow_state *a, const struct flow_state *b)
{
	const struct value *rsp = &a->reg[REGISTER_RSP];

	return value_equal(rsp, &b->reg[REGISTER_RSP]) &&
	       (value_is_stack(rsp) ||
		value_is_stack(&a->reg[REGISTER_RBP]) == value_is_stack(&b->reg[REGISTER_RBP]));
}

/* What a register of the caller held is in another one: code may take it back from there. */
static bool is_copy(const struct value *value, unsigned int reg)
{
	return value->kind == VALUE_ENTRY && value->reg != reg && FLOW_PRESERVED >> value->reg & 1;
}

/* silent: no row says what the jump may bring. Else rows are held against it (lint_judge.c), but what code takes
 * back from a copy they don't say. */
static bool lose(struct flow_state *state, const struct flow_state *at_jump, uint32_t written,
		 bool silent)
{
	bool changed = false;

	if (!same_frame(state, at_jump))
		return false;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		struct value *value = &state->reg[i];
		bool kept = silent && FLOW_PRESERVED >> i & 1 && value->kind == VALUE_ENTRY &&
			    value->reg == i;
		bool stack = silent && FLOW_PRESERVED >> i & 1 && value_is_stack(value);
		bool copy = is_copy(value, i);

		if (i == REGISTER_RSP || (!kept && !stack && !copy) ||
		    (value_equal(value, &at_jump->reg[i]) && !((kept || copy) && written >> i & 1)))
			continue;
		*value = value_unknown();
		changed = true;
	}
	return changed;
}

/* The block that passes through pc, where one is to begin. */
static void part_block(struct flow *flow, uint64_t pc)
{
	for (size_t i = 0; i < flow->fragment_count; i++) {
		const struct flow_fragment *fragment = flow->fragment[i];
		uint32_t number;

		if (pc < fragment->begin || pc >= fragment->end)
			continue;
		number = fragment->block_at[pc - fragment->begin];
		if (number && flow->block[number - 1].pc != pc) {
			flow_enqueue(flow, number - 1);
			return;
		}
	}
}

#define ALIKE 8 /* of those before it, each jump is compared with so many */

/* The numbers of jumps at which registers hold different things, as far as it is seen; the caller's, free(). Mostly there
 * are many jumps and few such. NULL: no memory. */
static size_t *find_unlike(const struct flow *flow, size_t *ret_count)
{
	size_t *number = malloc(flow->unread.count * sizeof(*number)), count = 0;

	for (size_t k = 0; number && k < flow->unread.count; k++) {
		bool alike = false;

		for (size_t i = 1; i <= ALIKE && i <= count && !alike; i++)
			alike = !memcmp(flow->unread.jump[number[count - i]].state.reg,
					flow->unread.jump[k].state.reg,
					sizeof(flow->unread.jump[k].state.reg));
		if (!alike)
			number[count++] = k;
	}
	*ret_count = count;
	return number;
}

static void lose_all(struct flow *flow, uint32_t written)
{
	size_t count, *number = find_unlike(flow, &count);

	if (!number)
		flow_lack_ways(flow);
	for (uint32_t i = 0; number && i < flow->block_count; i++) {
		bool changed = false;

		for (size_t k = 0; k < count; k++)
			changed |= lose(&flow->block[i].state, &flow->unread.jump[number[k]].state,
					written, flow->block[i].fragment->silent);
		if (changed)
			flow_enqueue(flow, i);
	}
	free(number);
}

void flow_unread_doubt(struct flow *flow)
{
	size_t known = flow->unread.back_count;
	uint32_t written;

	if (!flow->unread.count)
		return;
	written = find_back(flow);
	for (; known < flow->unread.back_count; known++)
		part_block(flow, flow->unread.back[known]);
	lose_all(flow, written);
}

/* ==== jump tables =========================================================================== */

/*
 * Compilers write them in two forms: distances of 4 bytes from the table's own begin, and, in code
 * that lies at a fixed address, targets of 8 bytes. Where a comparison that every path to the jump has
 * passed bounds the index, it says how many there are, unless another table begins before: then some of
 * those values went another path since. Elsewhere the compiler knew the bound from a type (Rust's enums):
 * then the table ends with the first entry that leaves the function. What it reads beyond is another
 * table of the same function, so such paths accuse nobody.
 */

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
			flow->round.read_past = flow->round.guessed_end = true;
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

	for (size_t i = 0; i < flow->fragment_count; i++) {
		if (flow->fragment[i]->end != pc)
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
	struct flow_fragment *fragment = !fde || fde->pc_begin == pc
						 ? NULL
						 : flow_fragment_of(flow->world, fde, NULL);
	const struct row *row = fragment ? flow_fragment_row(fragment, fragment->begin) : NULL;
	const bool foreign = row && flow_row_is_entry(row);

	flow_fragment_destroy(fragment);
	return foreign;
}

#define ENTRIES_MAX 256 /* a table's entries that are looked at */

/* Nothing says how long the table is, and its first entry leaves the function: it may be as long as its index allows. */
static void reach_entries(const struct flow *flow, const struct value *table, uint64_t count,
			  const struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	uint64_t pc;

	if (!flow_tells_reached(flow))
		return;
	for (uint64_t i = 0; i < count && i < ENTRIES_MAX; i++)
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

/* An entry leads out of the fragments. It may be the end of one that is not met yet. */
static void guess_end(struct flow *flow)
{
	flow->round.guessed_end = true;
	if (!flow->round.guessed_fragments)
		flow->round.guessed_fragments = flow->fragment_count;
}

static size_t flow_jump_targets(struct flow *flow, const struct flow_state *state,
				const struct code *code, uint64_t *ret, bool *ret_sure)
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
				reach_entries(flow, &value, count, state);
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

/* The same in the world's: 0, too, if not all of them lie in FDEs. */
static size_t flow_jump_known(struct flow *flow, const struct code *code,
			      const struct flow_state *state, bool *ret_sure)
{
	uint64_t *target = flow->world->target;
	size_t count = flow_jump_targets(flow, state, code, target, ret_sure);

	for (size_t i = 0; i < count; i++)
		if (!flow_has(flow, target[i]) && !cfi_fde_find(flow->world->cfi, target[i]))
			return 0;
	return count;
}

/* ---- the paths there ----------------------------------------------------------------------- */

/* Compilers let a table's entries for what they hold to be unreachable lead to wherever another function's fragment begins.
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

static void come_to_all(struct flow *flow, const uint64_t *target, size_t count,
			const struct flow_state *state, const struct flow_path *path)
{
	for (size_t i = 0; i < count; i++)
		flow_come(flow, target[i], state, path);
}

void flow_jump_go(struct flow *flow, const struct flow_fragment *fragment, const struct code *code,
		  const struct flow_state *state, const struct flow_path *come)
{
	uint64_t *target = flow->world->target;
	struct flow_path path = { .from = code->pc,
				  .fallthrough = come->fallthrough,
				  .supposed = come->supposed };
	size_t count;
	bool sure;

	count = flow_jump_known(flow, code, state, &sure);
	path.unsure = flow_doubt_more(come->unsure, sure		      ? FLOW_SURE
						    : flow->tables.read_whole ? FLOW_MASKED
									      : FLOW_UNSURE);
	if (path.unsure == FLOW_NEVER) {
		come_to_all(flow, target, count, state, &path);
		return;
	}
	reach_all(flow, target, count, sure, state);
	if (!count) {
		flow_note_tail_call(flow, state);
		flow_linked_return(flow, code, state, come);
		flow_fallthrough_return(flow, state, come);
		flow->found.jump_unknown = true;
	}
	if (count || flow_unruled_is_entry(fragment, state)) {
		flow_unread_forget(flow, code->pc);
	} else {
		flow_jump_met(flow);
		if (!flow->followed)
			flow_unread_note(flow, fragment, code, state);
	}
	if ((!count || !sure) && !flow->followed)
		flow_tell(flow->world,
			  &(struct flow_lead) { .kind = FLOW_LEADS_JUMP,
						.state = state,
						.entered = flow_state_is_entry(state) });
	come_to_all(flow, target, count, state, &path);
}

/* ---- the comparison before ---------------------------------------------------------------- */

#define LOOK_UP 8 /* instructions that read an entry and jump */

/* Nothing but the instructions that read an entry stands between pc and the jump by it. */
static bool looks_up(const struct flow *flow, uint64_t pc)
{
	struct flow_fragment *fragment = flow_known_fragment(flow, pc);

	for (int i = 0; fragment && i < LOOK_UP && pc < fragment->end; i++) {
		const struct code *code = flow_fragment_code(fragment, flow->world->decoder, pc);

		if (!code || code->flow != CODE_NEXT)
			return code && code->flow == CODE_JUMP_INDIRECT;
		pc += code->length;
	}
	return false;
}

bool flow_jump_is_doubtful(const struct flow *flow, uint64_t from, uint64_t to)
{
	struct flow_fragment *fragment = flow_known_fragment(flow, from);
	const struct code *code = fragment
					  ? flow_fragment_code(fragment, flow->world->decoder, from)
					  : NULL;
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
