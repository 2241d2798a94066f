/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_begin.c - where functions begin, and where FDEs are entered
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "lint_inside.h"
#include "analysis/flow/flow_walk.h"
#include "cfi/code_name.h"

/* ==== addresses that were met, to be looked at in order ===================================== */

/*
 * The same one is often met several times: it is kept once, when they are sorted.
 */

void lint_addresses_add(struct lint_addresses *list, uint64_t address,
			const struct flow_world *world)
{
	if (!ARRAY_ADD(list->address, list->count, address))
		flow_lack(world, "addresses");
}

void lint_addresses_sort(struct lint_addresses *list)
{
	size_t kept = 0;

	ARRAY_SORT(list->address, list->count, array_order_u64);
	for (size_t i = 0; i < list->count; i++)
		if (!i || list->address[i] != list->address[i - 1])
			list->address[kept++] = list->address[i];
	list->count = kept;
}

size_t lint_addresses_from(const struct lint_addresses *list, uint64_t pc)
{
	return ARRAY_BEFORE(list->count, i, list->address[i] < pc);
}

bool lint_addresses_has(const struct lint_addresses *list, uint64_t pc, size_t *ret)
{
	size_t number = lint_addresses_from(list, pc);

	if (number == list->count || list->address[number] != pc)
		return false;
	if (ret)
		*ret = number;
	return true;
}

bool lint_addresses_met(const struct lint_addresses *list, uint64_t pc)
{
	return ARRAY_ANY(list->count, i, list->address[i] == pc);
}

/* ==== whether a function begins where an FDE does =========================================== */

/*
 * Mostly it does. But an FDE may begin too early, on the last instructions of another, or too late, behind
 * its function's first ones: `.cfi_startproc` behind a push is a common slip. Who takes such a begin
 * for an entry accuses all rows that are right. It shows where the FDE before covers the begin,
 * or where code that no FDE covers goes on into it.
 *
 * That code is decoded from the end of the FDE before. What lies there may be data, which decodes as
 * anything: so this is a doubt, and who calls the begin, or a function's symbol there, takes it away.
 */

#define GAP_BYTES_MAX 4096 /* between two FDEs: what is longer is a function of its own, or data */

/* The instruction at pc, of what lies before end. */
static bool decode(const struct flow_world *world, uint64_t pc, uint64_t end, struct code *ret)
{
	const uint8_t *bytes = image_bytes(world->cfi->image, pc, end - pc);

	if (!bytes)
		return false;
	code_decode(world->decoder, pc, bytes, end - pc, ret);
	return ret->length;
}

/* Linkers fill with zeros, too. */
static bool is_filler(const struct flow_world *world, uint64_t pc, uint64_t begin)
{
	const uint8_t *bytes = image_bytes(world->cfi->image, pc, begin - pc);

	return bytes && !bytes[0] && (begin - pc == 1 || !bytes[1]);
}

/* No-ops end at begin, wherever data before them may let a decoder be. */
static bool is_aligned(const struct flow_world *world, uint64_t pc, uint64_t begin)
{
	struct code code;

	if (begin - pc > CODE_BYTES_MAX)
		pc = begin - CODE_BYTES_MAX;
	for (; pc < begin; pc++)
		if (decode(world, pc, begin, &code) && code.is_padding && pc + code.length == begin)
			return true;
	return false;
}

/* From pc on there is code that goes on into begin. */
static bool goes_into(const struct flow_world *world, uint64_t pc, uint64_t begin)
{
	bool on = false;
	struct code code;

	for (; pc < begin; pc += code.length) {
		if (is_filler(world, pc, begin)) {
			code.length = 1;
			on = false;
			continue;
		}
		if (!decode(world, pc, begin, &code))
			return false;
		on = code_falls_through(&code);
	}
	return on;
}

/* The end of the FDE before the one of that number; 0: none. */
static uint64_t end_before(const struct flow_world *world, size_t number)
{
	const struct cfi_fde *before = number ? &world->cfi->fde[world->cfi->by_pc[number - 1]]
					      : NULL;

	return before ? before->pc_begin + before->pc_range : 0;
}

bool lint_begin_doubtful(const struct flow_world *world, size_t number)
{
	uint64_t begin = world->cfi->fde[world->cfi->by_pc[number]].pc_begin,
		 end = end_before(world, number);

	if (!number)
		return false;
	if (end > begin)
		return world->cfi->fde[world->cfi->by_pc[number - 1]].pc_begin != begin;
	return end < begin && begin - end <= GAP_BYTES_MAX && goes_into(world, end, begin) &&
	       !is_aligned(world, end, begin);
}

bool lint_begin_state(const struct flow_world *world, size_t number, uint64_t from,
		      struct flow_state *ret)
{
	return from >= end_before(world, number) &&
	       flow_effect_straight(world, from,
				    world->cfi->fde[world->cfi->by_pc[number]].pc_begin, ret);
}

bool lint_begin_is_named(const struct image *image, uint64_t pc)
{
	const struct image_symbol *symbol = image_symbol_at(image, pc);

	return symbol && symbol->type == STT_FUNC;
}

bool lint_begin_is_exported(const struct image *image, uint64_t pc)
{
	const struct image_symbol *symbol = image_symbol_at(image, pc);

	return pc == image->entry ||
	       (symbol && symbol->type == STT_FUNC && symbol->binding != STB_LOCAL &&
		symbol->visibility != STV_HIDDEN && symbol->visibility != STV_INTERNAL);
}

/* If all of its rows have a word more than a return takes, that is perhaps meant so: it may be entered in
 * another way, and hide who entered it. */
static bool lint_begin_hides_caller(const struct flow_fragment *fragment)
{
	return !ARRAY_ANY(fragment->row_count, i,
			  fragment->row[i].reg[REGISTER_RIP].kind != RULE_OFFSET ||
				  (fragment->row[i].cfa.kind == RULE_CFA_REGISTER &&
				   fragment->row[i].cfa.reg == REGISTER_RSP &&
				   fragment->row[i].cfa.offset == 8));
}

/* ==== where an FDE is entered besides its begin ============================================= */

/*
 * One FDE may cover several functions: the stubs of a PLT, and assembly with one for all. What no path from
 * its begin leads to is followed from where a symbol, or the stubs' distance, says that another begins.
 */

static void enter_stubs(struct flow *flow)
{
	const struct flow_fragment *fragment = flow->fragment[0];

	for (uint64_t pc = fragment->begin; pc < fragment->end;) {
		struct code_name name;

		code_name_find(flow->world->cfi->image, flow->world->cfi, pc, &name);
		if (name.kind == CODE_STUB && name.start == pc && pc != fragment->begin)
			flow_enter(flow, pc, NULL);
		pc += 8; /* stubs are 8 or 16 bytes apart */
	}
}

static void enter_others(struct flow *flow)
{
	const struct flow_fragment *fragment = flow->fragment[0];
	uint64_t pc = fragment->begin;

	while ((pc = lint_extent_next(flow->world, fragment->fde, pc)))
		flow_enter(flow, pc++, NULL);
}

static void enter_functions(struct flow *flow)
{
	const struct flow_fragment *fragment = flow->fragment[0];
	size_t count;
	const struct image_symbol *symbol = image_symbols(flow->world->cfi->image, &count);

	for (size_t i = ARRAY_BEFORE(count, n, symbol[n].pc <= fragment->begin);
	     i < count && symbol[i].pc < fragment->end; i++) {
		const struct row *row = flow_fragment_row(fragment, symbol[i].pc);

		if (symbol[i].type == STT_FUNC &&
		    !fragment->block_at[symbol[i].pc - fragment->begin] &&
		    cfi_fde_find(flow->world->cfi, symbol[i].pc) == fragment->fde && row &&
		    !row->signal_frame && flow_row_is_entry(row))
			flow_enter(flow, symbol[i].pc, NULL);
	}
}

void lint_enter_more(struct flow *flow, const struct lint_entries *entries)
{
	if (entries->stubs)
		enter_stubs(flow);
	if (entries->functions)
		enter_functions(flow);
	if (entries->others)
		enter_others(flow);
}

/* ==== whether code is a function that is called, by how it ends ============================= */

/*
 * A first row that has more than a return address on the stack is wrong where a call leads. A symbol is no call:
 * handlers have one, which the CPU enters with an error code there, and what a PLT's stubs push words for. Their code
 * shows it: it leaves by iret, or in no way that a called function does.
 */

void lint_as_called_find(struct flow_world *world, const struct cfi_fde *fde,
			 struct lint_as_called *ret)
{
	const struct flow_plan plan = { .silent = true,
					.fragment = flow_fragment_of(world, fde, NULL) };
	struct flow flow;
	bool hides;

	*ret = (struct lint_as_called) { false };
	if (!plan.fragment)
		return;
	hides = lint_begin_hides_caller(plan.fragment);
	flow_follow(&flow, world, &plan);
	flow_visit(&flow, NULL);
	ret->returns = !hides &&
		       (flow.found.returns_well ||
			(flow.found.tail_calls_well && !flow.found.has_return)) &&
		       !flow.found.returns_unknown && !flow.found.returns_elsewhere &&
		       !flow.found.breaks_convention && !flow.found.jump_unread &&
		       !flow.found.too_large;
	ret->returns_itself = ret->returns && flow.found.has_return;
	ret->handler = flow.found.is_handler;
	ret->refuted = flow.found.is_handler || flow.found.returns_elsewhere ||
		       flow.found.returned_to ||
		       (!flow.found.has_return && !flow.found.has_tail_call &&
			(hides || flow.found.jump_unread));
	flow_deinit(&flow);
}

/* ==== addresses of code that an instruction makes to read what is there ===================== */

/*
 *	lea	rsi, [rip + template]
 *	mov	ecx, 24
 *	rep movsb
 *
 * Nobody reads a function. What begins there is a table among code, or a template that is executed where it is copied
 * to. So the instructions behind are passed, to the first that reads by the register, or by one that was made of it,
 * or that does something else with it by which somebody could get to call it. Whoever is called with it, and has an FDE
 * here, is passed in the same way, and so are words of a frame that keep it: unoptimized code has all there.
 */

#define LOOK_AHEAD 256 /* instructions */

static uint32_t bit(uint8_t reg)
{
	return reg == CODE_NO_REGISTER ? 0 : 1u << reg;
}

/* It reads by rsi, though it writes, too. */
static bool is_movs(const uint8_t *bytes, const struct code *code)
{
	static const uint8_t prefix[] = { 0x48, 0x66, 0xf2, 0xf3 };
	unsigned int at = 0;

	while (at + 1 < code->length && memchr(prefix, bytes[at], sizeof(prefix)))
		at++;
	return at + 1 == code->length && (bytes[at] == 0xa4 || bytes[at] == 0xa5);
}

/* syscall: its arguments are the kernel's then. */
static bool is_system_call(const uint8_t *bytes, const struct code *code)
{
	return code->length == 2 && bytes[0] == 0x0f && bytes[1] == 0x05;
}

/* It copies from where its second argument says. */
static bool copies(const struct cfi *cfi, uint64_t pc)
{
	static const char
		*const copier[] = {
			"memcpy",	"memmove",	  "mempcpy",
			"__memcpy_chk", "__memmove_chk",  "__mempcpy_chk",
			"__new_memcpy", "__libc_memmove", "__mempcpy", /* glibc's own names */
		};
	struct code_name name;

	code_name_find(cfi->image, cfi, pc, &name);
	for (size_t i = 0; name.name && name.start == pc && i < sizeof(copier) / sizeof(copier[0]);
	     i++)
		if (!strcmp(copier[i], name.name))
			return true;
	return false;
}

static bool reads(const struct cfi *cfi, const uint8_t *bytes, const struct code *code,
		  uint32_t registers)
{
	if (registers & bit(REGISTER_RSI) && is_movs(bytes, code))
		return true;
	if (code->flow == CODE_CALL || code->flow == CODE_JUMP)
		return registers & bit(REGISTER_RSI) && copies(cfi, code->target);
	return code->has_memory && !code->writes_memory && code->effect != EFFECT_ADDRESS &&
	       code->flow == CODE_NEXT && registers & (bit(code->base) | bit(code->index));
}

/* ---- the path of an address ------------------------------------------------------------------ */

#define DEPTH_MAX 3 /* functions, one called by the other */
#define SLOTS_MAX 4

/* What comes of it. */
enum fate {
	FATE_GIVEN,   /* somebody else may have it, or it was not followed to its end */
	FATE_DROPPED, /* nobody has it any more */
	FATE_READ,    /* what is there is read */
};

struct passing {
	const struct flow_world *world;
	const struct cfi_fde *fde;
	uint32_t registers;	 /* that have the address, or one made of it */
	int64_t slot[SLOTS_MAX]; /* words that do, by their distance from rbp */
	size_t slots;
	int depth;
	int *left; /* instructions */
};

/* Behind it somebody else may have the address: in a word that is not this frame's. */
static bool gives(struct passing *passing, const struct code *code)
{
	if (!code->writes_memory || !(passing->registers & bit(code->source)))
		return false;
	if (code->effect != EFFECT_STORE || code->base != REGISTER_RBP ||
	    code->index != CODE_NO_REGISTER || passing->slots == SLOTS_MAX)
		return true;
	passing->slot[passing->slots++] = code->displacement;
	return false;
}

static bool is_slot(const struct passing *passing, const struct code *code)
{
	if (code->effect != EFFECT_LOAD || code->base != REGISTER_RBP ||
	    code->index != CODE_NO_REGISTER)
		return false;
	return ARRAY_ANY(passing->slots, i, passing->slot[i] == code->displacement);
}

/* What it makes of the address is one, too. */
static bool makes_another(const struct passing *passing, const struct code *code)
{
	switch (code->effect) {
	case EFFECT_MOVE: return passing->registers & bit(code->source);
	case EFFECT_LOAD: return is_slot(passing, code);
	case EFFECT_ADD: return passing->registers & bit(code->reg);
	case EFFECT_ADD_REGISTER: return passing->registers & (bit(code->reg) | bit(code->source));
	case EFFECT_ADDRESS: return passing->registers & (bit(code->base) | bit(code->index));
	default: return false;
	}
}

static enum fate follow(struct passing *passing, uint64_t pc);

/* Of a function that is called with it. */
static enum fate follow_callee(const struct passing *passing, uint64_t target)
{
	struct passing callee = *passing;

	callee.fde = cfi_fde_find(passing->world->cfi, target);
	callee.registers &= FLOW_ARGUMENTS;
	callee.slots = 0;
	callee.depth++;
	if (callee.fde && callee.fde->pc_begin == target && callee.depth < DEPTH_MAX &&
	    follow(&callee, target) == FATE_READ)
		return FATE_READ;
	return FATE_GIVEN;
}

/* Of two paths, both of which can be gone. */
static enum fate of_both(enum fate a, enum fate b)
{
	if (a == FATE_READ || b == FATE_READ)
		return FATE_READ;
	return a == FATE_GIVEN ? a : b;
}

/* True: it goes on at *pc; else *ret is what comes of it. */
static bool goes_on(struct passing *passing, const struct code *code, uint64_t *pc, enum fate *ret)
{
	struct passing other = *passing;
	bool inside = code->target - passing->fde->pc_begin < passing->fde->pc_range;

	*ret = FATE_GIVEN;
	switch (code->flow) {
	case CODE_NEXT: return true;
	case CODE_STOP: *ret = FATE_DROPPED; return false;
	case CODE_BRANCH:
		*ret = of_both(follow(&other, code->target), follow(passing, *pc));
		return false;
	case CODE_JUMP:
		*pc = code->target;
		if (!inside)
			*ret = follow_callee(passing, code->target);
		return inside;
	case CODE_CALL:
		if (passing->registers & FLOW_ARGUMENTS)
			*ret = follow_callee(passing, code->target);
		if (passing->registers & FLOW_ARGUMENTS)
			return false;
		passing->registers &= FLOW_PRESERVED; /* it is no argument, and none else is left */
		return true;
	default: return false;
	}
}

static enum fate follow(struct passing *passing, uint64_t pc)
{
	const struct cfi_fde *fde = passing->fde;
	const uint8_t *bytes = flow_fde_bytes(passing->world->cfi->image, fde);
	enum fate fate;

	while (passing->registers || passing->slots) {
		uint64_t at = pc - fde->pc_begin;
		struct code code;

		if (!bytes || at >= fde->pc_range || --*passing->left < 0)
			return FATE_GIVEN;
		code_decode(passing->world->decoder, pc, bytes + at, fde->pc_range - at, &code);
		if (!code.length)
			return FATE_GIVEN;
		if (reads(passing->world->cfi, bytes + at, &code, passing->registers))
			return FATE_READ;
		pc += code.length;
		if (!goes_on(passing, &code, &pc, &fate))
			return fate;
		if (code.flow != CODE_NEXT)
			continue;
		if (gives(passing, &code) ||
		    (is_system_call(bytes + at, &code) && passing->registers & FLOW_ARGUMENTS))
			return FATE_GIVEN;
		if (makes_another(passing, &code))
			passing->registers |= bit(code.reg);
		else
			passing->registers &= ~code.written;
	}
	return FATE_DROPPED;
}

/* The FDE's instruction makes an address, and what is done with it first is to read what is there. */
static bool lint_copied_by(const struct flow_world *world, const struct cfi_fde *fde,
			   const struct code *maker)
{
	int left = LOOK_AHEAD;
	struct passing passing = {
		.world = world, .fde = fde, .registers = bit(maker->reg), .left = &left
	};

	return follow(&passing, maker->pc + maker->length) != FATE_GIVEN;
}

/* ==== functions without an FDE of which only the address is kept ============================ */

/*
 * What is called by pointers alone is called by nothing that can be seen. But its address is somewhere: in a
 * word that is relocated, or in a number that an instruction makes. So are addresses of labels and of tables
 * that lie among code. Those that a gap between FDEs begins with are looked at: one is a function
 * if
 *
 *	compilers would let one begin there (flow_function_may_begin()), and no symbol says that it is data, nor do those
 *	who make its address only read what is there (lint_begin.c): a table, or a template of code that is copied;
 *	from there on all of the gap is code, to the last byte but for padding: each instruction is one, and each
 *	call or jump leads into the gap, to where an FDE begins, or to a stub of a PLT; and
 *	its last path ends there, or goes on in an FDE that begins where no function is aligned to.
 *
 * What crtstuff.c puts in every image (frame_dummy() and the like) are several functions in one gap, and
 * so none of them; the functions of DT_INIT and DT_FINI the loader calls, not the program: neither
 * is told.
 */

#define FILTER_WORDS 64

/* lea r64, [rip + distance], without its prefix */
#define LEA		    0x8d
#define LEA_BYTES	    6
#define MODRM_RELATIVE_MASK 0xc7
#define MODRM_RELATIVE	    0x05

struct candidate {
	uint64_t pc;
	bool kept;
};

struct finder {
	const struct flow_world *world;
	struct candidate *candidate; /* in the order of addresses */
	size_t count;
	uint64_t filter[FILTER_WORDS]; /* a bit for each candidate, of many addresses */
	bool to_call; /* what is only read by its address counts as kept by nobody */
};

/* ---- is it code? ---------------------------------------------------------------------------- */

struct gap {
	const struct finder *finder;
	struct flow_walk walk; /* from the first byte that is no padding */
	bool computed;	       /* some jump leads to where a table says */
};

/* Linkers fill with no-ops, or with zeros: `add [rax], al`. Returns how many bytes, 0 if it is something else. */
static unsigned int padding(const struct gap *gap, uint64_t pc)
{
	const struct flow_walk *walk = &gap->walk;
	const uint8_t *bytes = walk->bytes + (pc - walk->begin);
	struct code code;

	if (!bytes[0])
		return 1;
	code_decode(walk->world->decoder, pc, bytes, walk->end - pc, &code);
	return code.is_padding ? code.length : 0;
}

/* It is code, and leads to none but the gap's and functions: to where an FDE begins, or to a stub. */
static bool leads_well(struct gap *gap, const struct code *code)
{
	switch (code->flow) {
	case CODE_CALL: flow_walk_add(&gap->walk, code->target); break;
	case CODE_BRANCH:
	case CODE_BEGIN:
	case CODE_JUMP: break;
	case CODE_JUMP_INDIRECT: gap->computed = true; return true;
	default: return code->flow != CODE_UNKNOWN;
	}
	return flow_walk_has(&gap->walk, code->target) ||
	       cfi_fde_begins(gap->finder->world->cfi, code->target) ||
	       flow_is_stub(gap->finder->world->callees, code->target);
}

/* To the path's end. False: it is no code. */
static bool follow_gap(struct gap *gap)
{
	struct flow_walk *walk = &gap->walk;

	while (walk->on && flow_walk_has(walk, walk->pc)) {
		if (walk->met[walk->pc - walk->begin] & FLOW_WALK_INSIDE)
			return false;
		if (flow_walk_step(walk) && !leads_well(gap, &walk->code))
			return false;
	}
	/* A function's begin that its FDE leaves out. */
	return !walk->on || (cfi_fde_begins(gap->finder->world->cfi, walk->pc) &&
			     walk->pc % FLOW_FUNCTION_ALIGNMENT);
}

/* What no path has come to, and is no padding; the gap's end: there is none. */
static uint64_t next_unmet(const struct gap *gap)
{
	const struct flow_walk *walk = &gap->walk;
	uint64_t pc = walk->begin;

	while (pc < walk->end) {
		unsigned int bytes = walk->met[pc - walk->begin] ? 1 : padding(gap, pc);

		if (!bytes)
			break;
		pc += bytes;
	}
	return pc;
}

static bool is_function(struct gap *gap)
{
	struct flow_walk *walk = &gap->walk;

	for (uint64_t pc = walk->begin; pc < walk->end; pc = next_unmet(gap)) {
		if (pc != walk->begin && !gap->computed)
			return false;
		flow_walk_add(walk, pc);
		while (flow_walk_path(walk))
			if (!follow_gap(gap))
				return false;
		if (flow_lacks(walk->world))
			return false;
	}
	return true;
}

/* ---- the gaps ------------------------------------------------------------------------------- */

static void add_candidate(struct finder *finder, uint64_t pc)
{
	if (!ARRAY_ADD(finder->candidate, finder->count, (struct candidate) { .pc = pc }))
		flow_lack(finder->world, "functions without CFI");
}

static void look_at(struct finder *finder, uint64_t begin, uint64_t end)
{
	struct gap gap = { .finder = finder,
			   .walk = { .world = finder->world, .begin = begin, .end = end } };
	struct flow_walk *walk = &gap.walk;
	unsigned int bytes;

	walk->bytes = begin < end ? image_bytes(finder->world->cfi->image, begin, end - begin)
				  : NULL;
	while (walk->bytes && walk->begin < end && (bytes = padding(&gap, walk->begin))) {
		walk->begin += bytes;
		walk->bytes += bytes;
	}
	walk->size = end - walk->begin;
	if (!walk->bytes || walk->begin >= end || walk->size > LINT_KEPT_BYTES_MAX ||
	    flow_is_stub(finder->world->callees, walk->begin) ||
	    image_is_data(finder->world->cfi->image, walk->begin) ||
	    !flow_function_may_begin(finder->world->cfi->image, finder->world->decoder,
				     walk->begin))
		return;
	if (is_function(&gap))
		add_candidate(finder, walk->begin);
	flow_walk_deinit(walk);
}

static void look_for_gaps(struct finder *finder, const struct image_segment *segment)
{
	const struct cfi *cfi = finder->world->cfi;
	uint64_t at = segment->vaddr, end = segment->vaddr + segment->file_bytes;

	for (size_t i = 0; i < cfi->by_pc_count && !flow_lacks(finder->world); i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t behind = fde->pc_begin + fde->pc_range;

		if (fde->pc_begin >= end)
			break;
		if (behind <= at)
			continue;
		if (fde->pc_begin > at)
			look_at(finder, at, fde->pc_begin);
		at = behind;
	}
	if (at < end)
		look_at(finder, at, end);
}

/* ---- who keeps their addresses? ------------------------------------------------------------- */

ARRAY_ORDER(compare, struct candidate, pc)

static struct candidate *candidate_at(const struct finder *finder, uint64_t pc)
{
	const struct candidate key = { .pc = pc };

	return ARRAY_FIND(finder->candidate, finder->count, &key, compare);
}

static void note_word(void *context, uint64_t pc)
{
	struct candidate *candidate = candidate_at(context, pc);

	if (candidate)
		candidate->kept = true;
}

/* The FDE's instruction that has a byte at that distance makes the address. */
static bool makes(const struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes,
		  uint64_t at, uint64_t address)
{
	struct code code = { .length = 1 };

	for (uint64_t now = 0; now <= at; now += code.length ? code.length : 1)
		code_decode(finder->world->decoder, fde->pc_begin + now, bytes + now,
			    fde->pc_range - now, &code);
	return code.length && flow_address_taken_by(finder->world->cfi->image, &code) == address &&
	       !(finder->to_call && lint_copied_by(finder->world, fde, &code));
}

/* The address's bit in a word of the filter. */
static uint64_t *filter_word(struct finder *finder, uint64_t address, uint64_t *ret_bit)
{
	uint64_t number = address / FLOW_FUNCTION_ALIGNMENT;

	*ret_bit = UINT64_C(1) << number % 64;
	return &finder->filter[number / 64 % FILTER_WORDS];
}

static void fill_filter(struct finder *finder)
{
	for (size_t i = 0; i < finder->count; i++) {
		uint64_t bit, *word = filter_word(finder, finder->candidate[i].pc, &bit);

		*word |= bit;
	}
}

static void meet_number(struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes,
			uint64_t at, uint64_t address)
{
	uint64_t bit, *word = filter_word(finder, address, &bit);
	struct candidate *candidate = *word & bit ? candidate_at(finder, address) : NULL;

	if (candidate && !candidate->kept)
		candidate->kept = makes(finder, fde, bytes, at, address);
}

/* `lea` of an address that is counted from behind its four bytes, which are its last ones. */
static void look_for_lea(struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes)
{
	const uint64_t first = finder->candidate[0].pc,
		       span = finder->candidate[finder->count - 1].pc - first;
	const uint8_t *end = bytes + fde->pc_range, *found = bytes;
	int32_t distance;

	for (; end - found >= LEA_BYTES && (found = memchr(found, LEA, (size_t)(end - found)));
	     found++) {
		if (end - found < LEA_BYTES)
			return;
		if ((found[1] & MODRM_RELATIVE_MASK) != MODRM_RELATIVE)
			continue;
		memcpy(&distance, found + 2, sizeof(distance));
		const uint64_t address = fde->pc_begin + (uint64_t)(found - bytes) + LEA_BYTES +
					 (uint64_t)(int64_t)distance;

		if (address - first <= span)
			meet_number(finder, fde, bytes, (uint64_t)(found - bytes), address);
	}
}

/* `mov` of an address as it is, where code lies at a fixed one: behind b8 to bf, or c7 and a register. */
static void look_for_mov(struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes)
{
	const uint64_t first = finder->candidate[0].pc,
		       span = finder->candidate[finder->count - 1].pc - first;
	uint32_t number;

	for (uint64_t at = 1; at + sizeof(number) <= fde->pc_range; at++) {
		uint8_t before = bytes[at - 1] & 0xf8;

		if (before != 0xb8 && (before != 0xc0 || at < 2 || bytes[at - 2] != 0xc7))
			continue;
		memcpy(&number, bytes + at, sizeof(number));
		if (number - first <= span)
			meet_number(finder, fde, bytes, at, number);
	}
}

static void look_in(struct finder *finder, const struct cfi_fde *fde)
{
	const uint8_t *bytes = flow_fde_bytes(finder->world->cfi->image, fde);

	if (!bytes)
		return;
	look_for_lea(finder, fde, bytes);
	if (finder->world->cfi->image->type == ET_EXEC)
		look_for_mov(finder, fde, bytes);
}

/* What the loader calls is not kept for the program. */
static void drop_loaders(struct finder *finder)
{
	const struct image *image = finder->world->cfi->image;
	Elf64_Phdr dynamic;
	Elf64_Dyn entry;

	if (!image_program_header(image, PT_DYNAMIC, &dynamic))
		return;
	for (uint64_t at = 0; dynamic.p_filesz - at >= sizeof(entry); at += sizeof(entry)) {
		const uint8_t *bytes = image_bytes(image, dynamic.p_vaddr + at, sizeof(entry));
		struct candidate *candidate;

		if (!bytes)
			return;
		memcpy(&entry, bytes, sizeof(entry));
		if (entry.d_tag != DT_INIT && entry.d_tag != DT_FINI)
			continue;
		candidate = candidate_at(finder, entry.d_un.d_ptr);
		if (candidate) {
			size_t behind = --finder->count - (size_t)(candidate - finder->candidate);

			memmove(candidate, candidate + 1, behind * sizeof(*candidate));
		}
	}
}

/* Of the finder's candidates, which end with it. */
static void tell_kept(struct finder *finder, flow_address_fn fn, void *context)
{
	if (finder->count) {
		flow_address_taken_words(finder->world, note_word, finder);
		fill_filter(finder);
	}
	for (size_t i = 0; finder->count && i < finder->world->cfi->by_pc_count; i++)
		look_in(finder, &finder->world->cfi->fde[finder->world->cfi->by_pc[i]]);
	for (size_t i = 0; i < finder->count; i++)
		if (finder->candidate[i].kept)
			fn(context, finder->candidate[i].pc);
	free(finder->candidate);
}

void lint_kept_find(const struct flow_world *world, flow_address_fn fn, void *context)
{
	const struct image *image = world->cfi->image;
	struct finder finder = { .world = world, .to_call = true };

	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segment[i].executable)
			look_for_gaps(&finder, &image->segment[i]);
	ARRAY_SORT(finder.candidate, finder.count, compare);
	drop_loaders(&finder);
	tell_kept(&finder, fn, context);
}

void lint_kept_which(const struct flow_world *world, const struct lint_addresses *addresses,
		     flow_address_fn fn, void *context)
{
	struct finder finder = { .world = world };

	for (size_t i = 0; i < addresses->count; i++)
		add_candidate(&finder, addresses->address[i]);
	tell_kept(&finder, fn, context);
}

/* ==== FDEs that are entered with a frame that their first row doesn't know ================== */

/*
 * A function that is stripped has no name, and its FDE's first row is all that says that it is one. But the part of
 * a function that is rarely run may have such a row by mistake (LLVM issue 211392, BOLT), and then it is right
 * in itself:
 *
 *	f:	push rbx
 *		...
 *		je f.cold	; with a frame
 *	f.cold:			; an FDE whose first row has none
 *		call abort
 *
 * A jump with a frame to a function's begin is also what compilers let a path that never happens end in. So
 * it proves nothing, and accuses nobody. But who is entered in no other path, by a call, a jump without
 * a frame, a pointer, or from outside, is not proven as what nobody makes of it. Nor is he accused: of his rows
 * all may be right but the first.
 */

void lint_framed_plain(struct lint_framed *framed, const struct flow_fragment *fragment,
		       const struct flow_world *world)
{
	for (size_t i = 0; i < fragment->code_count; i++) {
		const struct code *code = &fragment->code[i];

		if ((code->flow == CODE_CALL || code->flow == CODE_JUMP ||
		     code->flow == CODE_BRANCH) &&
		    (code->target < fragment->begin || code->target >= fragment->end)) {
			lint_addresses_add(&framed->entered, code->target, world);
			if (code->flow == CODE_CALL)
				lint_addresses_add(&framed->called, code->target, world);
		}
	}
}

struct doubts {
	const struct lint_addresses *framed;
	bool *entered; /* of each of these */
};

static void note_kept(void *context, uint64_t pc)
{
	struct doubts *doubts = context;
	size_t number;

	if (lint_addresses_has(doubts->framed, pc, &number))
		doubts->entered[number] = true;
}

static bool is_entered(const struct lint_framed *framed, const struct lint_judge *judge,
		       const struct cfi_fde *fde)
{
	const struct image *image = judge->world->cfi->image;

	return lint_known_of(judge, fde)->called || fde->pc_begin == image->entry ||
	       image_symbol_at(image, fde->pc_begin) ||
	       lint_addresses_has(&framed->entered, fde->pc_begin, NULL);
}

void lint_framed_find(struct lint_framed *framed, const struct lint_judge *judge,
		      const struct lint_addresses *among, struct lint_addresses *ret)
{
	const struct cfi *cfi = judge->world->cfi;
	struct doubts doubts = { .framed = ret };
	size_t kept = 0;

	lint_addresses_sort(&framed->framed);
	lint_addresses_sort(&framed->entered);
	for (size_t i = 0; i < framed->framed.count; i++) {
		uint64_t pc = framed->framed.address[i];
		const struct cfi_fde *fde = cfi_fde_find(cfi, pc);

		if (fde && fde->pc_begin == pc && (!among || lint_addresses_has(among, pc, NULL)) &&
		    !is_entered(framed, judge, fde))
			lint_addresses_add(ret, pc, judge->world);
	}
	doubts.entered = calloc(ret->count + 1, sizeof(*doubts.entered));
	if (!doubts.entered) {
		flow_lack(judge->world, "addresses that are jumped to");
		return;
	}
	if (ret->count)
		lint_kept_which(judge->world, ret, note_kept, &doubts);
	for (size_t i = 0; i < ret->count; i++)
		if (!doubts.entered[i])
			ret->address[kept++] = ret->address[i];
	ret->count = kept;
	free(doubts.entered);
}

void lint_framed_take_back(struct lint_judge *judge, uint64_t pc, enum flow_reason why)
{
	const struct cfi_fde *fde = cfi_fde_find(judge->world->cfi, pc);
	struct flow_fragment *fragment = flow_fragment_of(judge->world, fde, NULL);

	if (fragment)
		lint_judge_take_back(judge, fragment, why);
	flow_fragment_destroy(fragment);
	lint_known_of(judge, fde)->sum.met = true;
}

void lint_framed_decide(struct lint_framed *framed, struct lint_judge *judge)
{
	struct lint_addresses found = { .count = 0 };

	lint_framed_find(framed, judge, NULL, &found);
	for (size_t i = 0; i < found.count; i++)
		lint_framed_take_back(judge, found.address[i], FLOW_NO_ENTRY);
	free(found.address);
}

void lint_framed_deinit(struct lint_framed *framed)
{
	free(framed->framed.address);
	free(framed->entered.address);
	free(framed->called.address);
}
