/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_noreturn.c - functions of the image that never return, found by their code
 *
 * A function returns if some way from its entry comes to a return. The way goes on behind a call
 * only if what is called returns, so the answers hang on each other, in circles too. They are the
 * least ones: nobody returns until a way shows it. That is right, because each return that happens
 * ends after a number of steps.
 *
 *	die:	call puts@plt		a stub: a function elsewhere, which returns
 *		call leave
 *		ret			only if leave returns
 *	leave:	call exit@plt		by name: never
 *		jmp die			as die does, and die as leave: neither
 *
 * Functions are asked for only when no other way of their caller's has come to a return. What is not
 * certain returns: a computed jump, which may be a call in place of a return; bytes that are no
 * instruction; and whatever loads rsp or stores it, as switches of stacks do (somebody else comes back in
 * its place: Go's morestack). So do a weak function of an object file, in whose place another may be linked, and
 * what stops until an interrupt or a debugger lets it go on.
 *
 * A name decides before the code does: longjmp's code says nothing. But who is named so, is this image's own, and is
 * seen to come to a return instruction, returns: a parser's exit(). What another image defines is known
 * by name alone, and so is what is called by a PLT, though this image has it: others may come before.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow.h"
#include "flow_noreturn.h"

enum answer { OPEN, RETURNS, NEVER };

/* Who goes on once it is known that a function returns: another, at pc; 0: it returns as well. */
struct waiter {
	uint32_t function;
	uint32_t next; /* number + 1; 0: the last */
	uint64_t pc;
};

/* How a way of a function comes back. */
struct ending {
	bool plain; /* by a return instruction, or in a function elsewhere */
	enum flow_takes takes;
};

static const struct ending unclear = { .plain = false };
static const struct ending moved = { .takes = FLOW_TAKES_PERHAPS };

struct function {
	uint64_t entry;
	enum answer answer;
	bool stacked;
	bool named;	      /* like one that never returns */
	struct ending ending; /* RETURNS: by the way that was seen to */
	bool asked;	      /* since the last time that all was known */
	uint32_t waiters;     /* number + 1 of the first */
	uint32_t steps;
	uint64_t *todo; /* where its ways go on */
	size_t todo_count;
	uint32_t *callee; /* what it waits for, and has not asked for */
	size_t callee_count;
	uint64_t *seen; /* its instructions: a hash table, 0 is free */
	size_t seen_count, seen_room;
};

struct flow_noreturn {
	const struct cfi *cfi;
	struct code_decoder *decoder;
	struct flow_names *names;
	struct function *function;
	size_t count;
	uint32_t *by_entry; /* number + 1: a hash table */
	size_t room;
	struct waiter *waiter;
	size_t waiter_count;
	uint32_t *stack; /* functions to follow, the last first */
	size_t stack_count;
	uint32_t *asked;
	size_t asked_count;
	struct flow_part pads; /* the last FDE that had a call */
	bool no_memory;
	bool is_object;
};

static size_t hash(uint64_t pc)
{
	return (size_t)(pc * 0x9e3779b97f4a7c15ull >> 32);
}

static bool no_memory(struct flow_noreturn *noreturn)
{
	noreturn->no_memory = true;
	return false;
}

struct flow_noreturn *flow_noreturn_create(const struct cfi *cfi, struct code_decoder *decoder,
					   struct flow_names *names)
{
	struct flow_noreturn *noreturn = calloc(1, sizeof(*noreturn));

	if (!noreturn)
		return NULL;
	noreturn->cfi = cfi;
	noreturn->decoder = decoder;
	noreturn->names = names;
	flow_names_ask(names, noreturn);
	return noreturn;
}

void flow_noreturn_is_object(struct flow_noreturn *noreturn)
{
	noreturn->is_object = true;
}

static void forget(struct function *function)
{
	free(function->todo);
	free(function->callee);
	free(function->seen);
	function->todo = function->seen = NULL;
	function->callee = NULL;
	function->todo_count = function->callee_count = 0;
	function->seen_count = function->seen_room = 0;
}

void flow_noreturn_destroy(struct flow_noreturn *noreturn)
{
	if (!noreturn)
		return;
	for (size_t i = 0; i < noreturn->count; i++)
		forget(&noreturn->function[i]);
	free(noreturn->function);
	free(noreturn->by_entry);
	free(noreturn->waiter);
	free(noreturn->stack);
	free(noreturn->asked);
	free(noreturn->pads.pad);
	free(noreturn);
}

/* ---- functions by their entry ------------------------------------------------------------- */

static bool grow_entries(struct flow_noreturn *noreturn)
{
	size_t room = noreturn->room ? 2 * noreturn->room : 1024;
	uint32_t *by_entry = calloc(room, sizeof(*by_entry));

	if (!by_entry)
		return no_memory(noreturn);
	for (size_t i = 0; i < noreturn->count; i++) {
		size_t at = hash(noreturn->function[i].entry) & (room - 1);

		while (by_entry[at])
			at = (at + 1) & (room - 1);
		by_entry[at] = (uint32_t)i + 1;
	}
	free(noreturn->by_entry);
	noreturn->by_entry = by_entry;
	noreturn->room = room;
	return true;
}

bool flow_noreturn_is_replaced(const struct flow_noreturn *noreturn, uint64_t entry)
{
	const struct image_symbol *symbol = noreturn->is_object
						    ? image_symbol_find(noreturn->cfi->image, entry)
						    : NULL;

	return symbol && symbol->pc == entry && symbol->binding == STB_WEAK;
}

static void answer_by_name(struct flow_noreturn *noreturn, struct function *function)
{
	uint64_t entry = function->entry;
	bool own, never = flow_never_by_name(noreturn->names, entry, &own);

	function->named = never && own;
	if (never && !own)
		function->answer = NEVER;
	else if (!never && (flow_is_stub(noreturn->names, entry) ||
			    flow_noreturn_is_replaced(noreturn, entry)))
		function->answer = RETURNS;
	function->ending.plain = function->answer == RETURNS;
}

/* false: no memory. */
static bool function_at(struct flow_noreturn *noreturn, uint64_t entry, uint32_t *ret)
{
	size_t at;

	if (2 * noreturn->count >= noreturn->room && !grow_entries(noreturn))
		return false;
	for (at = hash(entry) & (noreturn->room - 1); noreturn->by_entry[at];
	     at = (at + 1) & (noreturn->room - 1)) {
		*ret = noreturn->by_entry[at] - 1;
		if (noreturn->function[*ret].entry == entry)
			return true;
	}
	if (!ARRAY_GROW(noreturn->function, noreturn->count))
		return no_memory(noreturn);
	*ret = (uint32_t)noreturn->count++;
	noreturn->by_entry[at] = *ret + 1;
	noreturn->function[*ret] = (struct function) { .entry = entry };
	answer_by_name(noreturn, &noreturn->function[*ret]);
	return true;
}

/* ---- who waits for whom ------------------------------------------------------------------- */

static bool stack_push(struct flow_noreturn *noreturn, uint32_t number)
{
	struct function *function = &noreturn->function[number];

	if (function->answer != OPEN || function->stacked)
		return true;
	if (!ARRAY_GROW(noreturn->stack, noreturn->stack_count))
		return no_memory(noreturn);
	noreturn->stack[noreturn->stack_count++] = number;
	function->stacked = true;
	return true;
}

static bool todo_add(struct flow_noreturn *noreturn, uint32_t number, uint64_t pc)
{
	struct function *function = &noreturn->function[number];

	if (function->answer != OPEN)
		return true;
	if (!ARRAY_GROW(function->todo, function->todo_count))
		return no_memory(noreturn);
	function->todo[function->todo_count++] = pc;
	return stack_push(noreturn, number);
}

/* It returns: so do those that ended with it, and the others go on behind their call. Where that is plain a name
 * counts no more. */
static bool returns(struct flow_noreturn *noreturn, uint32_t number, struct ending ending)
{
	uint32_t *list = NULL;
	size_t count = 0;
	bool good = true;

	while (good) {
		struct function *function = &noreturn->function[number];

		if (function->answer == OPEN && (ending.plain || !function->named)) {
			function->answer = RETURNS;
			function->ending = ending;
			forget(function);
			for (uint32_t at = function->waiters; at && good;) {
				const struct waiter *waiter = &noreturn->waiter[at - 1];

				at = waiter->next;
				if (waiter->pc)
					good = todo_add(noreturn, waiter->function, waiter->pc);
				else if (ARRAY_GROW(list, count))
					list[count++] = waiter->function;
				else
					good = no_memory(noreturn);
			}
		}
		if (!count)
			break;
		number = list[--count];
	}
	free(list);
	return good;
}

/* The way goes on at pc if the function at target returns; 0: then it returns itself. */
static bool wait_for(struct flow_noreturn *noreturn, uint32_t number, uint64_t target, uint64_t pc)
{
	uint32_t called;
	struct function *function;

	if (!function_at(noreturn, target, &called))
		return false;
	if (noreturn->function[called].answer == NEVER)
		return true;
	if (noreturn->function[called].answer == RETURNS)
		return pc ? todo_add(noreturn, number, pc)
			  : returns(noreturn, number, noreturn->function[called].ending);
	function = &noreturn->function[number];
	if (noreturn->waiter_count == UINT32_MAX - 1 ||
	    !ARRAY_GROW(noreturn->waiter, noreturn->waiter_count) ||
	    !ARRAY_GROW(function->callee, function->callee_count))
		return no_memory(noreturn);
	function->callee[function->callee_count++] = called;
	noreturn->waiter[noreturn->waiter_count++] = (struct waiter) {
		.function = number, .next = noreturn->function[called].waiters, .pc = pc
	};
	noreturn->function[called].waiters = (uint32_t)noreturn->waiter_count;
	return true;
}

/* ---- the code ----------------------------------------------------------------------------- */

/* false: it was there before, or there is no memory. */
static bool see(struct flow_noreturn *noreturn, struct function *function, uint64_t pc)
{
	size_t at;

	if (2 * function->seen_count >= function->seen_room) {
		size_t room = function->seen_room ? 2 * function->seen_room : 64;
		uint64_t *seen = calloc(room, sizeof(*seen));

		if (!seen)
			return no_memory(noreturn);
		for (size_t i = 0; i < function->seen_room; i++) {
			if (!function->seen[i])
				continue;
			at = hash(function->seen[i]) & (room - 1);
			while (seen[at])
				at = (at + 1) & (room - 1);
			seen[at] = function->seen[i];
		}
		free(function->seen);
		function->seen = seen;
		function->seen_room = room;
	}
	for (at = hash(pc) & (function->seen_room - 1); function->seen[at];
	     at = (at + 1) & (function->seen_room - 1))
		if (function->seen[at] == pc)
			return false;
	function->seen[at] = pc;
	function->seen_count++;
	return true;
}

/* The bytes from pc to the end of its segment, or 0. */
static uint64_t bytes_at(const struct image *image, uint64_t pc, const uint8_t **ret)
{
	const struct image_segment *segment = image_code_segment(image, pc);
	uint64_t size;

	if (!segment)
		return 0;
	size = segment->file_bytes - (pc - segment->vaddr);
	*ret = image_bytes(image, pc, size);
	return *ret ? size : 0;
}

/* Where an exception from the call is caught. */
static bool add_pads(struct flow_noreturn *noreturn, uint32_t number, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(noreturn->cfi, pc);
	struct flow_part *part = &noreturn->pads;
	struct error error;
	bool good = true;

	if (!fde)
		return true;
	if (part->fde != fde) {
		free(part->pad);
		*part = (struct flow_part) { .fde = fde,
					     .begin = fde->pc_begin,
					     .end = fde->pc_begin + fde->pc_range };
		if (flow_landing_read(noreturn->cfi, part, &error))
			return no_memory(noreturn);
	}
	if (part->pads_unread)
		return returns(noreturn, number, unclear);
	for (size_t i = 0; i < part->pad_count && good; i++)
		if (pc >= part->pad[i].begin && pc < part->pad[i].end)
			good = todo_add(noreturn, number, part->pad[i].pad);
	return good;
}

/* rsp becomes what another stack has, or somebody keeps it to come back. */
static bool may_switch(const struct code *code)
{
	if (code->flow != CODE_NEXT)
		return false;
	if (code->effect == EFFECT_STORE && code->source == REGISTER_RSP)
		return true;
	switch (code->effect) {
	case EFFECT_MOVE: return code->reg == REGISTER_RSP && code->source != REGISTER_RBP;
	case EFFECT_ADDRESS:
		return code->reg == REGISTER_RSP && code->base != REGISTER_RSP &&
		       code->base != REGISTER_RBP;
	case EFFECT_EXCHANGE: return code->reg == REGISTER_RSP || code->source == REGISTER_RSP;
	case EFFECT_WRITES: return code->written & 1u << REGISTER_RSP;
	case EFFECT_LOAD:
	case EFFECT_POP:
	case EFFECT_CONSTANT: return code->reg == REGISTER_RSP;
	default: return false;
	}
}

/* Inside of the FDE, or where there is none, it is the function's own code. */
static bool is_own(const struct flow_noreturn *noreturn, uint64_t from, uint64_t to)
{
	const struct cfi_fde *fde = cfi_fde_find(noreturn->cfi, to);

	if (fde && from >= fde->pc_begin && from - fde->pc_begin < fde->pc_range)
		return true;
	if (fde ? fde->pc_begin == to : cfi_fde_find(noreturn->cfi, from) != NULL)
		return false;
	return !flow_is_stub(noreturn->names, to);
}

static bool jump(struct flow_noreturn *noreturn, uint32_t number, const struct code *code)
{
	if (is_own(noreturn, code->pc, code->target))
		return todo_add(noreturn, number, code->target);
	return wait_for(noreturn, number, code->target, 0);
}

/* The code there takes off the address that a call would have left: so it is the caller's own (retpolines, and
 * returns by such thunks). */
static bool takes_return(const struct flow_noreturn *noreturn, uint64_t pc)
{
	const uint8_t *bytes = NULL;
	uint64_t size = bytes_at(noreturn->cfi->image, pc, &bytes);
	struct code code;

	if (!size)
		return false;
	code_decode(noreturn->decoder, pc, bytes, size, &code);
	return code.effect == EFFECT_POP ||
	       (code.reg == REGISTER_RSP && ((code.effect == EFFECT_ADD && code.constant > 0) ||
					     (code.effect == EFFECT_ADDRESS &&
					      code.base == REGISTER_RSP && code.displacement > 0)));
}

static bool call(struct flow_noreturn *noreturn, uint32_t number, const struct code *code)
{
	uint64_t next = code->pc + code->length;

	if (code->flow == CODE_CALL && code->target == next)
		return todo_add(noreturn, number, next); /* to know where it is */
	if (code->flow == CODE_CALL && takes_return(noreturn, code->target))
		return returns(noreturn, number, unclear);
	if (!add_pads(noreturn, number, code->pc))
		return false;
	if (code->flow == CODE_CALL)
		return wait_for(noreturn, number, code->target, next);
	return todo_add(noreturn, number, next);
}

/* What is known of the instructions before, straight on. */
struct before {
	bool rax_known; /* for the system call that ends the process or the thread */
	int64_t rax;
	bool put_on_top; /* by the last one */
	bool moved;	 /* rsp, by a number that is computed */
	uint32_t written;
	/* Registers of those that may hold the return address, or lead to it: a bit for each. rsp does. */
	uint32_t aside;
};

static bool leads_there(const struct before *before, uint8_t reg)
{
	return reg < REGISTER_GPR_COUNT && (before->aside | 1u << REGISTER_RSP) >> reg & 1;
}

static bool takes_aside(const struct before *before, const struct code *code)
{
	switch (code->effect) {
	case EFFECT_POP: return true;
	case EFFECT_MOVE: return leads_there(before, code->source);
	case EFFECT_EXCHANGE:
		return leads_there(before, code->source) || leads_there(before, code->reg);
	case EFFECT_LOAD:
	case EFFECT_ADDRESS:
		return leads_there(before, code->base) || leads_there(before, code->index);
	case EFFECT_ADD:
	case EFFECT_ADD_REGISTER:
	case EFFECT_SUBTRACT_REGISTER: return leads_there(before, code->reg);
	default: return false;
	}
}

/* By a number that is computed. False: from a frame pointer, perhaps. */
static bool moves_stack(const struct code *code)
{
	return code->effect == EFFECT_ADD_REGISTER || code->effect == EFFECT_SUBTRACT_REGISTER ||
	       (code->effect == EFFECT_ADDRESS && code->index != CODE_NO_REGISTER);
}

static bool puts_on_top(const struct before *before, const struct code *code)
{
	if (code->effect == EFFECT_PUSH)
		return true;
	return code->effect == EFFECT_STORE && code->base == REGISTER_RSP &&
	       leads_there(before, code->source);
}

static void note(struct before *before, const struct code *code)
{
	before->put_on_top = puts_on_top(before, code);
	if (!code->written)
		return;
	before->aside = takes_aside(before, code) ? before->aside | code->written
						  : before->aside & ~code->written;
	before->written |= code->written;
	if (!(code->written >> REGISTER_RSP & 1))
		return;
	if (moves_stack(code))
		before->moved = true;
	else if (code->effect == EFFECT_MOVE || code->effect == EFFECT_LEAVE ||
		 (code->effect == EFFECT_ADDRESS && code->base != REGISTER_RSP))
		before->moved = false;
}

static bool exits(struct before *before, const struct code *code)
{
	if (code->system_call)
		return before->rax_known && flow_thread_ends_by(before->rax);
	if (code->effect == EFFECT_CONSTANT && code->reg == REGISTER_RAX) {
		before->rax_known = true;
		before->rax = code->constant;
	} else if (code->written & 1u << REGISTER_RAX || code->flow != CODE_NEXT) {
		before->rax_known = false;
	}
	return false;
}

/* A return address is put back, or kept in a register, by who takes arguments off from above it, or makes room beneath
 * it. */
static struct ending ending_by(const struct before *before, const struct code *code)
{
	const uint8_t source = code->source;
	const bool by_register = code->flow == CODE_JUMP_INDIRECT && source != CODE_NO_REGISTER &&
				 (!(before->written >> source & 1) || leads_there(before, source));
	const bool perhaps = code->flow == CODE_RETURN ? before->put_on_top || before->moved
						       : by_register;

	return (struct ending) {
		.plain = code->flow == CODE_RETURN,
		.takes = code->returned_bytes ? FLOW_TAKES_ARGUMENTS
			 : perhaps	      ? FLOW_TAKES_PERHAPS
					      : FLOW_TAKES_NOTHING,
	};
}

/* *ret_on: the way goes on to the next instruction. */
static bool step(struct flow_noreturn *noreturn, uint32_t number, const struct code *code,
		 struct before *before, bool *ret_on)
{
	*ret_on = false;
	if (may_switch(code))
		return returns(noreturn, number, moved);
	if (exits(before, code))
		return true;
	switch (code->flow) {
	case CODE_NEXT: *ret_on = true; return true;
	case CODE_CALL:
	case CODE_CALL_INDIRECT: return call(noreturn, number, code);
	case CODE_JUMP: return jump(noreturn, number, code);
	case CODE_BRANCH:
	case CODE_BEGIN: *ret_on = true; return jump(noreturn, number, code);
	case CODE_STOP:
		*ret_on = code->may_stop && is_own(noreturn, code->pc, code->pc + code->length);
		return true;
	case CODE_RETURN:
	case CODE_JUMP_INDIRECT: return returns(noreturn, number, ending_by(before, code));
	case CODE_UNKNOWN: return returns(noreturn, number, unclear);
	}
	return true;
}

/* From pc on, as far as it goes straight. */
static bool walk(struct flow_noreturn *noreturn, uint32_t number, uint64_t pc)
{
	struct before before = { .rax_known = false };
	const uint8_t *bytes = NULL;
	uint64_t size = bytes_at(noreturn->cfi->image, pc, &bytes);
	bool on = true;

	while (on) {
		struct function *function = &noreturn->function[number];
		struct code code;

		if (function->answer != OPEN || !see(noreturn, function, pc))
			return !noreturn->no_memory;
		if (!size || ++function->steps > FLOW_NORETURN_CODE_MAX)
			return returns(noreturn, number, unclear);
		code_decode(noreturn->decoder, pc, bytes, size, &code);
		if (!step(noreturn, number, &code, &before, &on))
			return false;
		note(&before, &code);
		pc += code.length;
		bytes += code.length;
		size -= code.length;
	}
	return true;
}

/* Until wanted has an answer. */
static bool follow(struct flow_noreturn *noreturn, uint32_t wanted)
{
	while (noreturn->stack_count && noreturn->function[wanted].answer == OPEN) {
		uint32_t number = noreturn->stack[noreturn->stack_count - 1];
		struct function *function = &noreturn->function[number];
		bool good = true;

		if (!function->asked && function->answer == OPEN) {
			if (!ARRAY_GROW(noreturn->asked, noreturn->asked_count))
				return no_memory(noreturn);
			noreturn->asked[noreturn->asked_count++] = number;
			function->asked = true;
			good = todo_add(noreturn, number, function->entry);
		} else if (function->todo_count) {
			good = walk(noreturn, number, function->todo[--function->todo_count]);
		} else if (function->callee_count) {
			uint32_t callee = function->callee[--function->callee_count];

			if (!noreturn->function[callee].asked)
				good = stack_push(noreturn, callee);
		} else {
			function->stacked = false;
			noreturn->stack_count--;
		}
		if (!good)
			return false;
	}
	return true;
}

/* Nothing is left to follow: whoever has not returned never will. */
static void close_all(struct flow_noreturn *noreturn)
{
	for (size_t i = 0; i < noreturn->asked_count; i++) {
		struct function *function = &noreturn->function[noreturn->asked[i]];

		if (function->answer == OPEN) {
			function->answer = NEVER;
			forget(function);
		}
	}
	noreturn->asked_count = 0;
}

bool flow_noreturn_ask(struct flow_noreturn *noreturn, uint64_t pc, enum flow_takes *ret_takes)
{
	uint32_t number;

	*ret_takes = FLOW_TAKES_NOTHING;
	if (noreturn->no_memory || !function_at(noreturn, pc, &number) ||
	    !stack_push(noreturn, number) || !follow(noreturn, number))
		return false;
	if (!noreturn->stack_count)
		close_all(noreturn);
	*ret_takes = noreturn->function[number].ending.takes;
	return noreturn->function[number].answer == NEVER;
}

bool flow_noreturn_find(struct flow_noreturn *noreturn, uint64_t pc)
{
	enum flow_takes takes;

	return flow_noreturn_ask(noreturn, pc, &takes);
}

bool flow_noreturn_is_seen(struct flow_noreturn *noreturn, uint64_t pc)
{
	uint32_t number;

	return !flow_noreturn_find(noreturn, pc) && !noreturn->no_memory &&
	       function_at(noreturn, pc, &number) && noreturn->function[number].answer == RETURNS &&
	       noreturn->function[number].ending.plain && !flow_is_stub(noreturn->names, pc) &&
	       !flow_noreturn_is_replaced(noreturn, pc);
}
