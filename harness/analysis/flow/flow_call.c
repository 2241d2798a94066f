/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_call.c - where a call goes, and what is known behind it
 *
 * To another function, which comes back behind the call or never does, and from which an exception may
 * land in this one. What looks like a call and is none is told apart here.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_paths.h"
#include "cfi/code_name.h"

/* ==== functions that go on elsewhere than right behind their call =========================== */

/*
 *	call print		print:	pop rsi
 *	.asciz "data"		1:	lodsb
 *	...				...
 *					push rsi
 *					ret
 *
 * Old assembly puts data behind a call. The callee takes it from there by its return address, and goes on behind it.
 * Nobody can say where that is, nor what is decoded from the data. Such a function is known by its code: some path of
 * it leaves by an address that was made of the return address, or by what was put in its place. Paths are followed
 * one by one; of one that goes to another stack, or is too long, nothing is said.
 *
 * Of a callee elsewhere only what lies behind its call can show it: no compiler makes the instructions that text is
 * full of.
 */

#define STEPS_MAX 256 /* instructions of a function */
#define PATHS_MAX 16  /* that are not followed yet */

#define LOOK 24 /* instructions behind a call */

/* These bytes begin no instruction of 64-bit code (SDM, volume 2, A.3: i64), or one for ports that nobody writes
 * without rep. */
static const char text_bytes[] = "'/7?`almno";

struct search {
	uint64_t seen[STEPS_MAX];
	size_t seen_count;
	struct path {
		uint64_t pc;
		struct flow_state state;
	} path[PATHS_MAX];
	size_t path_count;
	struct flow_done done;
};

/* The path leaves for that address. on_top: it is what lies where the return address was, or that was taken off. */
static bool is_elsewhere(const struct value *to, bool on_top)
{
	return (value_is_return(to) && to->number) || value_is_part(to) ||
	       (on_top && to->kind == VALUE_UNKNOWN);
}

static bool leaves_elsewhere(const struct flow_state *state, const struct code *code)
{
	const struct value *rsp = &state->reg[REGISTER_RSP], *word;
	struct value to;

	if (rsp->kind != VALUE_CFA)
		return false;
	word = flow_word_find(state, rsp);
	if (code->flow == CODE_RETURN)
		return word && is_elsewhere(word, rsp->number == -8);
	to = flow_effect_jump(state, code);
	return is_elsewhere(&to, rsp->number >= 0 && !(word && value_is_return(word)));
}

/* By as much as nobody knows rsp is elsewhere on this stack, and so is what lies there. */
static bool returns_by_room(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = flow_word_find(state, rsp);

	return rsp->kind == VALUE_BASE && (!word || word->kind == VALUE_UNKNOWN);
}

/* Bytes by which rsp is higher behind the call than before it; lower: less than 0. False: it doesn't come back there, as
 * far as is seen. */
static bool comes_back(const struct flow_state *state, const struct code *code, int64_t *ret)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (code->flow == CODE_RETURN) {
		if (!flow_callee_pop_returns(state) && !returns_by_room(state))
			return false;
		*ret = rsp->number + 8 + code->returned_bytes;
	} else {
		struct value to = flow_effect_jump(state, code);

		if (!value_is_return(&to) || to.number)
			return false;
		*ret = rsp->number;
	}
	/* Room of a size that is computed begins at a base, or is a result. */
	if (rsp->kind != VALUE_CFA)
		*ret = INT64_MIN;
	return rsp->kind == VALUE_CFA || rsp->kind == VALUE_BASE || rsp->kind == VALUE_OTHER;
}

/* By a return or a jump the path comes back to behind the call, with rsp as it is there. */
static void come_back(struct search *search, const struct flow_state *state,
		      const struct code *code)
{
	struct flow_done *done = &search->done;
	int64_t callee_pop;

	if (!comes_back(state, code, &callee_pop))
		return;
	if (callee_pop <= INT32_MIN || callee_pop > INT32_MAX ||
	    (done->returns && done->callee_pop != (uint32_t)callee_pop))
		callee_pop = FLOW_CALLEE_POP_UNKNOWN;
	done->callee_pop = (uint32_t)callee_pop;
	done->returns = true;
}

static void go(struct search *search, uint64_t pc, const struct flow_state *state)
{
	struct path *path = &search->path[search->path_count];

	if (search->path_count == PATHS_MAX)
		return;
	search->path_count++;
	path->pc = pc;
	flow_state_copy(&path->state, state);
}

/* False: it was there before, or there are too many. */
static bool see(struct search *search, uint64_t pc)
{
	for (size_t i = 0; i < search->seen_count; i++)
		if (search->seen[i] == pc)
			return false;
	if (search->seen_count == STEPS_MAX)
		return false;
	search->seen[search->seen_count++] = pc;
	return true;
}

/* rsp comes from memory: it is another stack, perhaps. */
static bool changes_stack(const struct code *code)
{
	return (code->effect == EFFECT_LOAD || code->effect == EFFECT_POP ||
		code->effect == EFFECT_WRITES) &&
	       (code->reg == REGISTER_RSP ||
		(code->effect == EFFECT_WRITES && code->written >> REGISTER_RSP & 1));
}

/* An address of the stack is moved by a number that is not known: so is rsp, later on. In that register, or
 * CODE_NO_REGISTER. */
static uint8_t makes_room(const struct flow_state *state, const struct code *code)
{
	const uint8_t from = code->base, index = code->index;
	uint8_t reg = code->reg;
	bool moves;

	switch (code->effect) {
	case EFFECT_ADD_REGISTER:
		moves = value_is_stack(&state->reg[reg]) ||
			value_is_stack(&state->reg[code->source]);
		break;
	case EFFECT_SUBTRACT_REGISTER: moves = value_is_stack(&state->reg[reg]); break;
	case EFFECT_ADDRESS:
		moves = index != CODE_NO_REGISTER &&
			(value_is_stack(&state->reg[index]) ||
			 (from != CODE_NO_REGISTER && value_is_stack(&state->reg[from])));
		break;
	case EFFECT_WRITES:
		if (!code->written || code->written & (code->written - 1))
			return CODE_NO_REGISTER;
		reg = (uint8_t)__builtin_ctz(code->written);
		moves = code->writes_flags && !code->partial && value_is_stack(&state->reg[reg]);
		break;
	default: return CODE_NO_REGISTER;
	}
	return moves ? reg : CODE_NO_REGISTER;
}

static void effect(struct flow_state *state, const struct code *code, uint64_t callee)
{
	const uint32_t origin = (uint32_t)(code->pc - callee);
	const uint8_t room = makes_room(state, code);

	if (code->effect == EFFECT_PUSH && state->reg[REGISTER_RSP].kind == VALUE_OTHER)
		flow_effect_base(state, origin);
	flow_effect(state, code, origin);
	if (room != CODE_NO_REGISTER && !value_is_stack(&state->reg[room]))
		flow_effect_room(state, room, origin);
}

/* True: the path leaves for elsewhere. *pc: where it goes on; 0: it ends. */
static bool pass(const struct flow_world *world, struct search *search, const struct code *code,
		 struct flow_state *state, uint64_t callee, uint64_t *pc)
{
	*pc = code->pc + code->length;
	switch (code->flow) {
	case CODE_NEXT:
		if (changes_stack(code))
			*pc = 0;
		effect(state, code, callee);
		return false;
	case CODE_CALL:
	case CODE_CALL_INDIRECT:
		flow_state_call(state);
		if (code->flow == CODE_CALL && flow_never_returns(world->callees, code->target))
			*pc = 0;
		return false;
	case CODE_BRANCH:
	case CODE_BEGIN:
		flow_effect(state, code, 0);
		go(search, code->target, state);
		return false;
	case CODE_JUMP: *pc = code->target; return false;
	case CODE_RETURN:
	case CODE_JUMP_INDIRECT:
		*pc = 0;
		come_back(search, state, code);
		return leaves_elsewhere(state, code);
	case CODE_STOP:
	case CODE_UNKNOWN: *pc = 0; return false;
	}
	return false;
}

static bool follow(const struct flow_world *world, struct search *search, uint64_t callee)
{
	struct path *path = &search->path[--search->path_count];
	struct flow_state state;
	uint64_t pc = path->pc;

	flow_state_copy(&state, &path->state);
	while (pc && see(search, pc)) {
		struct code code;

		if (flow_is_stub(world->callees, pc) ||
		    !code_decode_at(world->decoder, world->cfi->image, pc, &code) || !code.length)
			return false;
		if (pass(world, search, &code, &state, callee, &pc))
			return true;
	}
	return false;
}

/* As far as it is seen. */
static struct flow_done find_done(const struct flow_world *world, uint64_t callee)
{
	struct flow_done done = *flow_callee_done(world->callees, callee);
	struct flow_state state;
	FREED struct search *search = NULL;
	bool elsewhere = false;

	if (done.elsewhere != FLOW_ELSEWHERE_UNASKED)
		return done;
	search = malloc(sizeof(*search));
	if (!search)
		return done;
	search->seen_count = search->path_count = 0;
	search->done = done;
	flow_state_enter(&state);
	go(search, callee, &state);
	while (!elsewhere && search->path_count)
		elsewhere = follow(world, search, callee);
	done = search->done;
	done.elsewhere = elsewhere ? FLOW_ELSEWHERE : FLOW_BEHIND;
	*flow_callee_done(world->callees, callee) = done;
	return done;
}

/* The function there, called, goes on elsewhere than right behind the call, by what it makes of its return address. */
static bool flow_goes_elsewhere(const struct flow_world *world, uint64_t callee)
{
	return find_done(world, callee).elsewhere == FLOW_ELSEWHERE;
}

uint32_t flow_callee_pop_by(const struct flow_world *world, uint64_t callee, enum flow_takes takes)
{
	struct flow_done done = find_done(world, callee);

	if (done.returns)
		return done.callee_pop;
	return takes == FLOW_TAKES_ARGUMENTS ? FLOW_CALLEE_POP_UNKNOWN : 0;
}

/* What lies there, in the fragment, is decoded straight on to what is no code. */
static bool flow_is_text(const struct flow_world *world, struct flow_fragment *fragment,
			 uint64_t pc)
{
	for (int i = 0; i < LOOK && pc < fragment->end; i++) {
		const struct code *code = flow_fragment_code(fragment, world->decoder, pc);
		const uint8_t byte = fragment->bytes[pc - fragment->begin];

		if (!code)
			return false;
		if (code->length <= 1 && byte && strchr(text_bytes, byte))
			return true;
		if (!code->length || (code->flow != CODE_NEXT && code->flow != CODE_BRANCH))
			return false;
		pc += code->length;
	}
	return false;
}

/* ==== functions that pop their arguments ==================================================== */

/*
 * The psABI's functions leave that to their callers. V8's don't: one ends with `ret 24`, or, if only the
 * caller knows how many arguments there are, by hand:
 *
 *	pop rcx
 *	lea rsp, [rsp+rax*8]
 *	push rcx
 *	ret
 *
 * The return is no other function's: it goes where the caller said, and behind the call rsp is higher by
 * what was taken off. LLVM's tailcc and swifttailcc are such, too, and some assembly: `ret 8`.
 *
 * And some leave the stack lower, for their caller: tcc's alloca, MinGW's ___chkstk, routines that save its
 * registers:
 *
 *	pop rcx
 *	sub rsp, rax
 *	jmp rcx
 *
 * At such a return the CFA is what it was at the entry; but a row that says where the caller has rsp behind it
 * (cfa=rsp+8) leads to the same caller. So that one accuses nobody.
 *
 * In the same way arguments are put beneath the return address before a jump to another function, in a loop
 * if need be, and with it the frame moves. Where the return address is then can't be proven; but a function
 * that is jumped to with it elsewhere than at rsp would never come back.
 */

#define LOWEST INT32_MAX /* bytes below the CFA that a word may lie */

static bool is_at_return(const struct value *rsp)
{
	return rsp->kind == VALUE_CFA && rsp->number == -8;
}

bool flow_callee_pop_returns(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = value_is_stack(rsp) ? flow_word_find(state, rsp) : NULL;

	return word && value_is_return(word) && !word->number;
}

/* Between the frame's words. Who returned there would come to what a register held, or to nobody's address: something
 * that was called has taken more off the stack than the psABI lets it. */
static bool is_below(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = value_is_stack(rsp) ? flow_word_find(state, rsp) : NULL;

	return rsp->kind == VALUE_CFA && rsp->number < -8 &&
	       !(word && (word->kind == VALUE_CONSTANT || value_is_return(word)));
}

void flow_callee_pop_return(struct flow *flow, const struct code *code,
			    const struct flow_state *state, const struct flow_path *path)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	uint32_t callee_pop = FLOW_CALLEE_POP_UNKNOWN;

	if (rsp->kind == VALUE_CFA && rsp->number >= -8 && rsp->number <= INT32_MAX / 2)
		callee_pop = (uint32_t)(rsp->number + 8 + code->returned_bytes);
	flow->found.callee_pop = flow->found.has_return && flow->found.callee_pop != callee_pop
					 ? FLOW_CALLEE_POP_UNKNOWN
					 : callee_pop;
	flow->found.pops |= (code->returned_bytes || !is_at_return(rsp)) &&
			    flow_callee_pop_returns(state) && !path->unsure && !path->fallthrough;
	flow->round.returns_below |= is_below(state) && !path->stored && !path->unsure &&
				     !path->fallthrough;
}

/* From rsp, which is elsewhere than a call put it, where the return address is. */
static bool is_moved(const struct flow_state *state)
{
	return !is_at_return(&state->reg[REGISTER_RSP]) && flow_callee_pop_returns(state);
}

#define LOOK_AHEAD 8 /* instructions that leave rsp and memory alone */

bool flow_callee_pop_leaves(const struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
			    const struct flow_state *state)
{
	if (!is_moved(state))
		return false;
	for (int i = 0; i < LOOK_AHEAD && pc < fragment->end; i++) {
		const struct code *code = flow_fragment_code(fragment, flow->world->decoder, pc);

		if (!code || code->flow != CODE_NEXT || code->writes_memory || code->system_call ||
		    code->written & 1u << REGISTER_RSP)
			return code && code->flow == CODE_RETURN;
		pc += code->length;
	}
	return false;
}

bool flow_callee_pop_agrees(const struct row *row, uint64_t pc, const struct flow_state *state,
			    const struct flow_row_terms *terms)
{
	struct flow_row_verdict verdict;
	struct flow_state moved;

	if (row->cfa.kind != RULE_CFA_REGISTER || row->cfa.reg != REGISTER_RSP ||
	    row->cfa.offset != 8)
		return false;
	flow_state_enter(&moved);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		if (i == REGISTER_RSP)
			continue;
		moved.reg[i] = state->reg[i];
		if (value_is_stack(&state->reg[i])) /* another CFA's */
			moved.reg[i] = value_other(VALUE_PART_NONE);
	}
	flow_row_check_terms(row, pc, &moved, terms, &verdict);
	return verdict.outcome != FLOW_ROW_MISMATCH && !verdict.ends;
}

bool flow_callee_pop_move(const struct flow_world *world, uint64_t pc,
			  const struct flow_state *state, struct flow_state *ret)
{
	if (!world->enters || is_at_return(&state->reg[REGISTER_RSP]) ||
	    !world->enters(world->context, pc))
		return false;
	flow_state_enter(ret);
	ret->thread = state->thread;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		if (i == REGISTER_RSP || i == REGISTER_RBP)
			continue; /* whoever jumps has put the caller's rbp back */
		ret->reg[i] = state->reg[i];
		if (value_is_stack(&state->reg[i]))
			ret->reg[i] = value_unknown();
	}
	return true;
}

void flow_callee_pop_push(const struct flow *flow, const struct code *code,
			  struct flow_state *state)
{
	if (flow->world->enters && code->effect == EFFECT_PUSH)
		flow_effect_base(state, (uint32_t)(code->pc - flow->function));
}

/* Right behind the call of what can't be seen from here the stack gets lower, and the row there knows nothing of it: the
 * callee has taken that much off it, and room is made again. */
static bool makes_room_again(const struct flow_world *world, struct flow_fragment *fragment,
			     uint64_t pc, const struct value *rsp)
{
	const struct code *code = pc < fragment->end
					  ? flow_fragment_code(fragment, world->decoder, pc)
					  : NULL;
	const struct row *row;

	if (!code || code->effect != EFFECT_ADD || code->reg != REGISTER_RSP ||
	    code->constant >= 0 || rsp->kind != VALUE_CFA)
		return false;
	row = flow_fragment_row(fragment, flow_fragment_behind(code));
	return row && row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP &&
	       row->cfa.offset == -rsp->number;
}

/* No row says where rsp is behind the call. */
static bool is_unsaid(struct flow_fragment *fragment, const struct code *call)
{
	const uint64_t next = call->pc + call->length;
	const struct row *row = next < fragment->end ? flow_fragment_row(fragment, next) : NULL;

	return !row || row->cfa.kind != RULE_CFA_REGISTER || row->cfa.reg != REGISTER_RSP;
}

/* What the computed call leads to may be who makes room on the stack, and no row says that rsp is known behind it. The
 * fast proof doesn't ask: what lies above is as it was. */
static bool may_lower(const struct flow *flow, struct flow_fragment *fragment,
		      const struct code *call)
{
	return flow->world->lowers && !flow->proof && call->flow == CODE_CALL_INDIRECT &&
	       is_unsaid(fragment, call);
}

/* Bytes that what is called takes off the stack, or FLOW_CALLEE_POP_UNKNOWN. */
static uint32_t taken_by(struct flow *flow, struct flow_fragment *fragment, const struct code *call,
			 uint64_t callee, const struct value *rsp)
{
	const struct flow_world *world = flow->world;
	enum flow_takes takes;

	if (!callee) {
		flow->round.called_unseen = true;
		return may_lower(flow, fragment, call) ||
				       (flow->unseen_pop && is_unsaid(fragment, call)) ||
				       makes_room_again(world, fragment, call->pc + call->length,
							rsp)
			       ? FLOW_CALLEE_POP_UNKNOWN
			       : 0;
	}
	if (flow->proof && !world->pops)
		return 0;
	takes = flow_callee_takes(world->callees, callee);
	return takes == FLOW_TAKES_NOTHING ? 0 : flow_callee_pop_by(world, callee, takes);
}

/* Behind the call rsp is another one. What lies beneath where it was, the callee has written, if it is lower. */
static void move(struct flow_state *state, uint32_t callee_pop)
{
	struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value before = *rsp;
	const bool unknown = callee_pop == FLOW_CALLEE_POP_UNKNOWN;

	*rsp = unknown ? value_unknown() : value_add(before, (int32_t)callee_pop);
	if (state->saved_only || (!unknown && (int32_t)callee_pop > 0))
		return;
	if (before.kind == VALUE_CFA)
		flow_word_touched(state, unknown ? -LOWEST : rsp->number, before.number);
	state->bases_touched |= before.kind != VALUE_CFA;
}

/* Behind the call of callee in the fragment, 0: it is not known, if that is strange, or takes arguments off the stack. */
static void flow_callee_pop_call(struct flow *flow, struct flow_fragment *fragment,
				 const struct code *call, uint64_t callee, struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	uint32_t callee_pop = 0;

	if (!world->strange) {
		callee_pop = taken_by(flow, fragment, call, callee, &state->reg[REGISTER_RSP]);
	} else if (world->strange(world->context, call->flow == CODE_CALL ? call->target : 0,
				  &callee_pop)) {
		for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
			if (i != REGISTER_RSP && i != REGISTER_RBP)
				state->reg[i] = value_unknown();
	} else {
		callee_pop = 0;
	}
	if (callee_pop)
		move(state, callee_pop);
}

/* ==== functions that clobber a register that callees preserve =============================== */

/*
 * By the psABI (3.2.1) a function hands rbx, rbp and r12 to r15 back as it found them, and lint takes that for granted of
 * what it can't see. But routines of assembly that are called in the same file keep to what they agree on with
 * their callers: they hand results over in such registers, or bring a register back that the caller has saved.
 *
 *	f:	call next		next:	lodsq
 *		...				mov rbx, rax
 *						ret
 *
 * A function that is seen to do so is believed, not the psABI: behind its call the register is not known. Seen is
 * what a path brings to the return that is sure: another value; or one of which nothing is known, in a function
 * whose paths are all seen, that nowhere puts the register aside, nor has a rule that says so. So is the end of one
 * that goes on in such a function.
 *
 * What one function does is known when it has been followed, which may be after its callers were. Then all of the
 * image's are followed once more. There are few images that have any.
 */

ARRAY_ORDER(compare, struct flow_clobber, pc)

static uint32_t find(const struct flow_clobber *known, size_t count, uint64_t pc)
{
	const struct flow_clobber key = { .pc = pc };
	const struct flow_clobber *found = ARRAY_FIND(known, count, &key, compare);

	return found ? found->registers : 0;
}

/* ---- what a function does ------------------------------------------------------------------- */

/* Some of the function's paths are perhaps none: what all bring together says little. */
static bool is_doubtful(const struct flow *flow)
{
	return flow->round.guessed_end || flow->found.too_large;
}

/* The function puts it aside, or a row of it says that it does. */
static bool keeps_copy(const struct flow_fragment *fragment, uint8_t reg)
{
	for (size_t i = 0; i < fragment->row_count; i++) {
		const enum rule_kind kind = fragment->row[i].reg[reg].kind;

		if (kind != RULE_UNSPECIFIED && kind != RULE_UNDEFINED && kind != RULE_SAME_VALUE)
			return true;
	}
	return ARRAY_ANY(fragment->code_count, i, fragment->code[i].source == reg);
}

static bool has_kept_copy(const struct flow *flow, uint8_t reg)
{
	return ARRAY_ANY(flow->fragment_count, i, keeps_copy(flow->fragment[i], reg));
}

void flow_clobbers_return(struct flow *flow, const struct flow_state *state,
			  const struct flow_path *path)
{
	if (path->unsure || path->fallthrough)
		return;
	for (uint32_t left = FLOW_PRESERVED & ~(1u << REGISTER_RSP); left; left &= left - 1) {
		unsigned int reg = (unsigned int)__builtin_ctz(left);
		const struct value *value = &state->reg[reg];

		if (value->kind == VALUE_UNKNOWN || value_is_part(value))
			flow->found.perhaps_clobbers |= 1u << reg;
		else if (value->kind != VALUE_ENTRY || value->reg != reg || value->number)
			flow->found.clobbers |= 1u << reg;
	}
}

void flow_clobbers_leave(struct flow *flow, uint64_t pc, const struct flow_path *path)
{
	const struct flow_clobbers *clobbers = flow->world->clobbers;

	if (clobbers && !path->unsure && !path->fallthrough)
		flow->found.clobbers |= find(clobbers->known, clobbers->known_count, pc);
}

static void add(struct flow_world *world, uint64_t pc, uint32_t registers)
{
	struct flow_clobbers *clobbers = world->clobbers;

	if (!registers || !clobbers)
		return;
	if (!ARRAY_ADD(clobbers->found, clobbers->found_count,
		       (struct flow_clobber) { pc, registers }))
		flow_lack(world, "functions of an image");
}

void flow_clobbers_pass(struct flow_world *world, const struct flow_fragment *fragment)
{
	const struct flow_clobbers *clobbers = world->clobbers;
	uint32_t registers = 0;

	for (size_t i = 0; clobbers && clobbers->known_count && i < fragment->code_count; i++) {
		const struct code *code = &fragment->code[i];

		if ((code->flow == CODE_JUMP || code->flow == CODE_BRANCH) &&
		    (code->target < fragment->begin || code->target >= fragment->end))
			registers |= find(clobbers->known, clobbers->known_count, code->target);
	}
	add(world, fragment->begin, registers);
}

void flow_clobbers_note(const struct flow *flow)
{
	uint32_t registers = flow->found.clobbers;

	for (uint32_t left =
		     is_doubtful(flow) ? 0 : flow->found.perhaps_clobbers & ~flow->found.clobbers;
	     left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctz(left);

		if (!has_kept_copy(flow, reg))
			registers |= 1u << reg;
	}
	add(flow->world, flow->function, registers & ~flow_row_unruled(flow->fragment[0]->agreed));
}

/* ---- who calls it --------------------------------------------------------------------------- */

void flow_clobbers_call(const struct flow_world *world, const struct code *call,
			struct flow_state *state)
{
	const struct flow_clobbers *clobbers = world->clobbers;

	if (!clobbers || call->flow != CODE_CALL)
		return;
	for (uint32_t left = find(clobbers->known, clobbers->known_count, call->target); left;
	     left &= left - 1)
		state->reg[__builtin_ctz(left)] = value_unknown();
}

#define CALL	   0xe8
#define JUMP	   0xe9
#define JUMP_SHORT 0xeb

/* The bytes from at on look like a call or a jump: where it goes. */
static bool leads(const uint8_t *bytes, size_t size, size_t at, uint64_t pc, uint64_t *ret)
{
	const uint8_t byte = bytes[at];
	int32_t distance;

	if (byte == JUMP_SHORT || (byte & 0xf0) == 0x70) {
		if (size - at < 2)
			return false;
		*ret = pc + 2 + (uint64_t)(int64_t)(int8_t)bytes[at + 1];
		return true;
	}
	if (byte != CALL && byte != JUMP && !((byte & 0xf0) == 0x80 && at && bytes[at - 1] == 0x0f))
		return false;
	if (size - at < 1 + sizeof(distance))
		return false;
	memcpy(&distance, bytes + at + 1, sizeof(distance));
	*ret = pc + 1 + sizeof(distance) + (uint64_t)(int64_t)distance;
	return true;
}

static bool is_called(const struct flow_clobber *more, size_t count, const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		const uint8_t *bytes = image_bytes(image, segment->vaddr, segment->file_bytes);
		uint64_t target;

		for (size_t at = 0; segment->executable && bytes && at < segment->file_bytes; at++)
			if (leads(bytes, segment->file_bytes, at, segment->vaddr + at, &target) &&
			    target >= more[0].pc && target <= more[count - 1].pc &&
			    find(more, count, target))
				return true;
	}
	return false;
}

/* Sorts them; of each function one is left. */
static size_t merge(struct flow_clobber *breaker, size_t count)
{
	size_t kept = 0;

	qsort(breaker, count, sizeof(*breaker), compare);
	for (size_t i = 0; i < count; i++)
		if (kept && breaker[kept - 1].pc == breaker[i].pc)
			breaker[kept - 1].registers |= breaker[i].registers;
		else
			breaker[kept++] = breaker[i];
	return kept;
}

bool flow_world_learn(struct flow_world *world)
{
	struct flow_clobbers *clobbers = world->clobbers;
	size_t more = 0;
	bool again;

	if (!clobbers->found_count)
		return false;
	clobbers->found_count = merge(clobbers->found, clobbers->found_count);
	for (size_t i = 0; i < clobbers->found_count; i++) {
		struct flow_clobber *found = &clobbers->found[i];
		uint32_t known = find(clobbers->known, clobbers->known_count, found->pc);

		if (found->registers & ~known)
			clobbers->found[more++] = *found;
	}
	again = more && is_called(clobbers->found, more, world->cfi->image);
	for (size_t i = 0; i < more && again; i++)
		if (!ARRAY_ADD(clobbers->known, clobbers->known_count, clobbers->found[i])) {
			flow_lack(world, "functions of an image");
			return false;
		}
	if (again)
		clobbers->known_count = merge(clobbers->known, clobbers->known_count);
	clobbers->found_count = 0;
	return again;
}

void flow_clobbers_destroy(struct flow_clobbers *clobbers)
{
	if (!clobbers)
		return;
	free(clobbers->known);
	free(clobbers->found);
	free(clobbers);
}

/* ==== functions that only touch the stack =================================================== */

/*
 * Where a frame is larger than a page, Rust and MinGW's compilers have it touched page by page:
 *
 *	mov eax, 0x1e08
 *	call __rust_probestack
 *	sub rsp, rax
 *
 * That function leaves rax alone, against the psABI. It has no symbol in a stripped image, so its code
 * is asked: a short one without calls that writes no rax.
 */

#define PROBE_BYTES 128u

static bool leaves_rax(const struct flow_fragment *fragment, const struct code *code)
{
	bool inside = code->target >= fragment->begin && code->target < fragment->end;

	if (!code->length || code->written & 1u << REGISTER_RAX || code->system_call)
		return false;
	switch (code->flow) {
	case CODE_NEXT:
	case CODE_RETURN:
	case CODE_STOP: return true;
	case CODE_JUMP:
	case CODE_BRANCH: return inside;
	default: return false;
	}
}

/* The function at pc only touches the stack: it leaves rax as it was. */
static bool is_probe(const struct flow_world *world, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(world->cfi, pc);
	struct flow_fragment *fragment;
	bool returns = false, probe;

	if (!fde || fde->pc_begin != pc || fde->pc_range > PROBE_BYTES)
		return false;
	fragment = flow_fragment_of(world, fde, NULL);
	while (fragment && pc < fragment->end) {
		const struct code *code = flow_fragment_code(fragment, world->decoder, pc);

		if (!code || !leaves_rax(fragment, code))
			break;
		returns |= code->flow == CODE_RETURN;
		pc += code->length;
	}
	probe = fragment && pc == fragment->end && returns;
	flow_fragment_destroy(fragment);
	return probe;
}

/* The call's size of a frame is taken off rsp behind it: rax is what it was, if that is a probe. */
static void flow_probe_call(struct flow *flow, struct flow_fragment *fragment,
			    const struct code *call, const struct value *rax,
			    struct flow_state *state)
{
	uint64_t next = call->pc + call->length;
	const struct code *code;

	if (call->flow != CODE_CALL || rax->kind != VALUE_CONSTANT || next >= fragment->end)
		return;
	code = flow_fragment_code(fragment, flow->world->decoder, next);
	if (!code)
		flow_lack_ways(flow);
	else if (code->effect == EFFECT_SUBTRACT_REGISTER && code->reg == REGISTER_RSP &&
		 code->source == REGISTER_RAX && is_probe(flow->world, call->target))
		state->reg[REGISTER_RAX] = *rax;
}

/* ==== does a call throw where the tables say that its exception would land? ================= */

/*
 * A compiler writes one call site for all calls in a row that land at the same pad. GCC begins it at the first of
 * them that throws and ends it behind the last; LLVM extends the one before. Those between may be noexcept, and then
 * a register may be saved around just such a call (-fshrink-wrap-separate, GCC 15 and later):
 *
 *		call throws		; the call site begins
 *		mov [rsp+8], rbx
 *		.cfi_offset rbx, -24
 *		mov rbx, rax
 *		call _ZdlPv@PLT		; never lands at pad, whose row says nothing of rbx
 *		mov rbx, [rsp+8]
 *		.cfi_restore rbx
 *		call throws		; and ends
 *
 * So the first and the last call of a call site throw, as far as the compiler knows, and of those between only a callee
 * that is known to. Calls that never throw don't count. Nor does the first one behind an instruction that may
 * trap: of Ada and Go that throws, too (-fnon-call-exceptions), and perhaps is what the call site begins at.
 *
 * A callee never throws by its name, if the C++ ABI or the C library says so, or by its code: no call of it may
 * throw but those whose exceptions are caught there. It is not asked which personality a function has: a call
 * outside of all call sites, by which C++'s terminates, perhaps throws.
 */

/* Instructions of all functions that are looked at to say that a callee never throws; and of a call site. */
#define FLOW_THROW_CODE_MAX 4096u
#define FLOW_THROW_FDES_MAX 64u /* functions of these */

/* ---- by name ------------------------------------------------------------------------------ */

/* No function throws through these: the C++ ABI's and operator delete, whoever defines them. */
static const char *const never_prefix[] = {
	"_ZdlPv", /* operator delete and its relatives ([new.delete]) */
	"_ZdaPv", /* delete[] */
	"_ZSt9terminatev",
	"_ZSt17current_exceptionv",
	"_ZSt18uncaught_exception",
	"_ZSt19uncaught_exceptions",
	"__clang_call_terminate",
	"__cxa_allocate_exception",
	"__cxa_atexit",
	"__cxa_begin_catch",
	"__cxa_call_terminate",
	"__cxa_current_exception_type",
	"__cxa_free_exception",
	"__cxa_get_exception_ptr",
	"__cxa_guard_abort",
	"__cxa_guard_release",
	"__cxa_pure_virtual",
	"__dynamic_cast",
	"__stack_chk_fail",
	"__tls_get_addr",
};

/* The same of libraries' functions, by a PLT: a program's own may do as it likes. The C library's are declared
 * __THROW; no cancellation point is among them. */
static const char *const never_elsewhere[] = {
	"__assert_fail",
	"__chk_fail",
	"__errno_location",
	"__memcpy_chk",
	"__memmove_chk",
	"__memset_chk",
	"__strcpy_chk",
	"_ZnamRKSt9nothrow_t",
	"_ZnwmRKSt9nothrow_t",
	"abort",
	"aligned_alloc",
	"calloc",
	"free",
	"malloc",
	"memchr",
	"memcmp",
	"memcpy",
	"memmove",
	"memrchr",
	"memset",
	"posix_memalign",
	"realloc",
	"strchr",
	"strcmp",
	"strcpy",
	"strlen",
	"strncmp",
	"strncpy",
	"strrchr",
	"strstr",
};

static const char *const always[] = {
	"_Unwind_RaiseException",
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_rethrow",
	"__cxa_throw",
	"__cxa_throw_bad_array_length",
	"__cxa_throw_bad_array_new_length",
};

/* By a PLT: of its own operator new a program's compiler may see that it never throws. */
static const char *const always_elsewhere[] = {
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
	"_Znam",
	"_ZnamSt11align_val_t",
	"_Znwm",
	"_ZnwmSt11align_val_t",
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static bool has(const char *const *list, size_t count, const char *name)
{
	return ARRAY_ANY(count, i, !strcmp(list[i], name));
}

static bool begins(const char *const *list, size_t count, const char *name)
{
	return ARRAY_ANY(count, i, !strncmp(list[i], name, strlen(list[i])));
}

static enum flow_throws by_name(const struct flow_world *world, uint64_t pc)
{
	struct code_name name;

	code_name_find(world->cfi->image, world->cfi, pc, &name);
	if (!name.name || name.start != pc)
		return FLOW_THROWS_PERHAPS;
	if (has(always, COUNT(always), name.name) || flow_name_throws(name.name))
		return FLOW_THROWS;
	if (begins(never_prefix, COUNT(never_prefix), name.name))
		return FLOW_THROWS_NEVER;
	if (name.kind != CODE_STUB)
		return FLOW_THROWS_PERHAPS;
	if (has(always_elsewhere, COUNT(always_elsewhere), name.name))
		return FLOW_THROWS;
	return has(never_elsewhere, COUNT(never_elsewhere), name.name) ? FLOW_THROWS_NEVER
								       : FLOW_THROWS_PERHAPS;
}

/* ---- by code ------------------------------------------------------------------------------ */

/* Functions whose code is looked at. */
struct throw_search {
	const struct flow_world *world;
	const struct cfi_fde *fde[FLOW_THROW_FDES_MAX];
	size_t count;
	uint32_t steps;
};

/* What the code at target throws, its caller throws. False: it perhaps throws. */
static bool add_callee(struct throw_search *throw_search, uint64_t target, bool called)
{
	const struct flow_world *world = throw_search->world;
	const struct cfi_fde *fde = cfi_fde_find(world->cfi, target);
	enum flow_throws named = by_name(world, target);

	if (named != FLOW_THROWS_PERHAPS)
		return named == FLOW_THROWS_NEVER;
	if (!fde || flow_is_stub(world->callees, target) || (called && fde->pc_begin != target) ||
	    (world->never_by_code && flow_callee_is_replaced(world->callees, target)))
		return false;
	for (size_t i = 0; i < throw_search->count; i++)
		if (throw_search->fde[i] == fde)
			return true;
	if (throw_search->count == FLOW_THROW_FDES_MAX)
		return false;
	throw_search->fde[throw_search->count++] = fde;
	return true;
}

/* An exception of the call is caught in its function. */
static bool is_caught(const struct flow_fragment *fragment, uint64_t pc)
{
	return ARRAY_ANY(fragment->pad_count, i,
			 pc >= fragment->pad[i].begin && pc < fragment->pad[i].end);
}

/* False: by the instruction the function perhaps throws. */
static bool look(struct throw_search *throw_search, const struct flow_fragment *fragment,
		 const struct code *code)
{
	switch (code->flow) {
	case CODE_CALL:
		return is_caught(fragment, code->pc) ||
		       add_callee(throw_search, code->target, true);
	case CODE_CALL_INDIRECT: return is_caught(fragment, code->pc);
	case CODE_JUMP:
	case CODE_BRANCH:
	case CODE_BEGIN:
		return (code->target >= fragment->begin && code->target < fragment->end) ||
		       add_callee(throw_search, code->target, false);
	case CODE_JUMP_INDIRECT: /* perhaps another function's code */
	case CODE_UNKNOWN: return false;
	default: return true;
	}
}

static bool look_through(struct throw_search *throw_search, const struct cfi_fde *fde)
{
	const uint8_t *bytes = flow_fde_bytes(throw_search->world->cfi->image, fde);
	struct flow_fragment fragment = { .fde = fde,
					  .begin = fde->pc_begin,
					  .end = fde->pc_begin + fde->pc_range };
	struct error error;
	bool never, on = true;

	never = bytes && !flow_landing_read(throw_search->world->cfi, &fragment, &error) &&
		!fragment.pads_unread;
	for (uint64_t pc = fragment.begin; never && pc < fragment.end;) {
		struct code code;

		code_decode(throw_search->world->decoder, pc, bytes + (pc - fragment.begin),
			    fragment.end - pc, &code);
		never = ++throw_search->steps <= FLOW_THROW_CODE_MAX &&
			look(throw_search, &fragment, &code);
		if (!code.is_padding)
			on = code.flow == CODE_NEXT || code.flow == CODE_BRANCH;
		pc += code.length;
	}
	free(fragment.pad);
	return never && !on;
}

static bool never_by_code(const struct flow_world *world, uint64_t pc)
{
	struct throw_search throw_search = { .world = world };
	bool never = add_callee(&throw_search, pc, true) && throw_search.count;

	for (size_t i = 0; never && i < throw_search.count; i++)
		never = look_through(&throw_search, throw_search.fde[i]);
	return never;
}

static enum flow_throws find_throwing(const struct flow_world *world, uint64_t pc)
{
	enum flow_throws named = by_name(world, pc);

	return named == FLOW_THROWS_PERHAPS && never_by_code(world, pc) ? FLOW_THROWS_NEVER : named;
}

static enum flow_throws callee_throws(const struct flow_world *world, const struct code *call)
{
	enum flow_throws *known;

	if (call->flow != CODE_CALL)
		return FLOW_THROWS_PERHAPS;
	known = flow_callee_throwing(world->callees, call->target);
	if (*known == FLOW_THROWS_UNASKED) {
		enum flow_throws found = find_throwing(world, call->target);

		/* What was asked meanwhile may have taken its place. */
		known = flow_callee_throwing(world->callees, call->target);
		*known = found;
	}
	return *known;
}

/* ---- in its call site --------------------------------------------------------------------- */

/* A load or a store that no function's own stack answers. */
static bool may_trap(const struct code *code)
{
	return code->has_memory && code->effect != EFFECT_ADDRESS && !code->is_padding &&
	       code->base != REGISTER_RSP && code->base != REGISTER_RBP &&
	       code->base != CODE_NO_REGISTER;
}

/* From begin to end, in the fragment, there is nothing that may throw. */
static bool is_quiet(const struct flow_world *world, const struct flow_fragment *fragment,
		     uint64_t begin, uint64_t end)
{
	uint32_t steps = 0;

	for (uint64_t pc = begin; pc < end;) {
		struct code code;

		if (++steps > FLOW_THROW_CODE_MAX)
			return false;
		code_decode(world->decoder, pc, fragment->bytes + (pc - fragment->begin),
			    fragment->end - pc, &code);
		if (!code.length || may_trap(&code))
			return false;
		if ((code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT) &&
		    callee_throws(world, &code) != FLOW_THROWS_NEVER)
			return false;
		pc += code.length;
	}
	return true;
}

/* The pad's call site covers the call. */
static enum flow_throws flow_throw_lands(const struct flow_world *world,
					 const struct flow_fragment *fragment,
					 const struct landing_pad *pad, const struct code *call)
{
	const uint64_t begin = pad->begin > fragment->begin ? pad->begin : fragment->begin;
	const uint64_t end = pad->end < fragment->end ? pad->end : fragment->end;
	enum flow_throws throws = callee_throws(world, call);

	if (throws == FLOW_THROWS_PERHAPS &&
	    (is_quiet(world, fragment, begin, call->pc) ||
	     is_quiet(world, fragment, call->pc + call->length, end)))
		throws = FLOW_THROWS;
	return throws;
}

/* ==== calls ================================================================================= */

/*
 * To another function, which comes back behind the call or never does, and from which an exception may
 * land in this one. What is called and is none is told apart here.
 */

/* In none of the function's fragments. */
static void land_outside(const struct flow_world *world, uint64_t pad, uint64_t from)
{
	if (image_code_segment(world->cfi->image, pad) && !cfi_fde_find(world->cfi, pad))
		flow_tell_uncovered(world, pad, from);
}

/* The call perhaps throws, and brings to the pad what the row there doesn't say. It brings that to none where others
 * come. *ret_lands: who wants to know is told of it. */
static void doubt_landing(struct flow *flow, struct flow_path *path, bool *ret_lands)
{
	if (flow->proof)
		flow_proof_fail(flow);
	path->unsure = flow_doubt_more(path->unsure, FLOW_UNTHROWN);
	*ret_lands = flow->followed;
}

/* An exception of the call comes to the pad with what was caught. */
static bool lands(struct flow *flow, const struct flow_fragment *fragment, const struct code *code,
		  struct landing_pad *pad, const struct flow_fragment *part_of_pad,
		  const struct flow_state *caught, struct flow_path *path)
{
	const struct row *row = flow_fragment_row(part_of_pad, pad->pad);
	struct flow_row_verdict verdict;
	enum flow_throws throws;
	bool ret = true;

	if (row)
		flow_row_check(row, pad->pad, caught, part_of_pad->agreed, &verdict);
	if (!row || verdict.outcome == FLOW_ROW_PROVEN)
		return true;
	throws = flow_throw_lands(flow->world, fragment, pad, code);
	if (throws == FLOW_THROWS_NEVER)
		return false;
	if (verdict.outcome != FLOW_ROW_MISMATCH || verdict.fault == FLOW_LOST || flow->doubtful)
		return true;
	/* One that never throws may lie between others that do, with its arguments on the stack. */
	if (verdict.fault == FLOW_CFA && verdict.actual.number < 0 && !pad->let_in) {
		pad->left_out = true;
		return false;
	}
	if (throws == FLOW_THROWS_PERHAPS)
		doubt_landing(flow, path, &ret);
	return ret;
}

/* Behind the call, in the landing pads of its place. Whoever goes there takes the arguments off the
 * stack that were pushed for the call (DW_CFA_GNU_args_size). */
static void catch (struct flow *flow, const struct flow_fragment *fragment, const struct code *code,
		   const struct flow_state *state, uint8_t unsure)
{
	const struct row *row;
	struct flow_state caught;
	struct value *rsp = &caught.reg[REGISTER_RSP];
	const struct flow_fragment *part_of_pad;

	if (!fragment->pad_count)
		return;
	flow_state_copy(&caught, state);
	row = flow_fragment_row(fragment, code->pc);
	if (row)
		*rsp = value_add(*rsp, (int64_t)row->args_size);
	for (size_t i = 0; i < fragment->pad_count; i++) {
		struct landing_pad *pad = &fragment->pad[i];
		struct flow_path path = { .from = code->pc, .unsure = unsure };

		if (code->pc < pad->begin || code->pc >= pad->end)
			continue;
		part_of_pad = flow_known_fragment(flow, pad->pad);
		if (!part_of_pad) {
			if (!flow->followed && !unsure)
				land_outside(flow->world, pad->pad, code->pc);
			continue;
		}
		if (!lands(flow, fragment, code, pad, part_of_pad, &caught, &path))
			continue;
		pad->reached |= path.unsure != FLOW_UNTHROWN;
		flow_come(flow, pad->pad, &caught, &path);
	}
}

/* The return address is taken off the stack first. */
static bool takes_address(const struct code *code)
{
	return (code->effect == EFFECT_POP && code->reg != CODE_NO_REGISTER) ||
	       (code->effect == EFFECT_ADD && code->reg == REGISTER_RSP && code->constant == 8);
}

bool flow_call_is_push(const struct cfi_fde *fde, const struct image *image,
		       struct code_decoder *decoder, uint64_t next, uint64_t target)
{
	struct code code;

	if (target <= next || target - fde->pc_begin >= fde->pc_range)
		return target == next;
	return code_decode_at(decoder, image, target, &code) && code.flow == CODE_NEXT &&
	       takes_address(&code);
}

/* Position-independent code asks so where it is, or data behind the call: no call. */
static void push_address(const struct code *code, struct flow_state *state)
{
	struct value *rsp = &state->reg[REGISTER_RSP];

	flow_word_push(state);
	*rsp = value_add(*rsp, -8);
	flow_word_write(state, rsp, 8, value_constant((int64_t)(code->pc + code->length)));
}

/* What nobody has written above rsp the called function may write: it was given an address there, or knows the
 * frame, as GCC's __savms64_13 does. What was saved there it doesn't touch. */
void flow_call_lend(struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	int64_t lent = rsp->kind == VALUE_CFA ? rsp->number : INT64_MIN;

	if (!state->saved_only && lent < state->lent)
		state->lent = lent;
}

/* Not another file's code. */
static bool is_seen(const struct flow_world *world, uint64_t callee)
{
	return !flow_is_stub(world->callees, callee) &&
	       image_code_segment(world->cfi->image, callee);
}

/* What is called, if its code can be seen from here; else 0. A register may hold its address. */
static uint64_t find_callee(const struct flow_world *world, const struct code *call,
			    const struct flow_state *state)
{
	uint64_t callee = call->target;

	if (call->flow == CODE_CALL_INDIRECT) {
		struct value to = flow_effect_jump(state, call);

		if (to.kind != VALUE_CONSTANT)
			return 0;
		callee = (uint64_t)to.number;
	}
	return is_seen(world, callee) ? callee : 0;
}

/* No callee preserves these, and they hold what some such register held at the entry, or may: a bit for each. Asked for
 * only if the fragment has rules for such, and not by the fast proof, which needs of them what they were at the
 * entry. */
static uint32_t find_arguments(const struct flow_fragment *fragment, const struct flow_state *state)
{
	uint32_t found = 0;

	if (state->saved_only || !(fragment->claimed & ~FLOW_PRESERVED))
		return 0;
	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		found |= (uint32_t)(state->reg[i].kind == VALUE_UNKNOWN ||
				    value_has_argument(&state->reg[i]))
			 << i;
	return found & ~FLOW_PRESERVED;
}

/* What is called may well leave registers alone that no callee preserves: who has rules for such knows it. If it is this
 * image's it may even bring them back. Of another it is believed only if the stack is not aligned at the call (3.2.2: the
 * CFA is): no function of the psABI is called so, but what compilers call before there is a frame, as __fentry__,
 * leaves all arguments as they are. */
static void doubt_arguments(const struct flow *flow, const struct flow_fragment *fragment,
			    const struct code *call, uint32_t arguments, struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (state->saved_only || !(fragment->claimed & ~FLOW_PRESERVED))
		return;
	if (call->flow == CODE_CALL && is_seen(flow->world, call->target))
		arguments = ~FLOW_PRESERVED;
	else if (rsp->kind != VALUE_CFA || rsp->number != -8)
		return;
	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i) && arguments >> i & 1)
			state->reg[i].part = VALUE_ARGUMENT_AGAIN;
}

#define RETURN_BYTES 1 /* ret */

/* GCC's -fsplit-stack: a function that has too little stack calls __morestack first. That calls what lies
 * behind the `ret` behind the call, on another stack, with the arguments as they were; when it comes
 * back, to the `ret`, the function is done. */
static void split_stack(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
			uint8_t unsure)
{
	uint64_t next = code->pc + code->length;
	struct flow_path path = { .from = code->pc, .unsure = unsure };
	const struct code *behind;
	struct flow_state state;

	if (code->flow != CODE_CALL || !flow_splits_stack(flow->world->callees, code->target) ||
	    next >= fragment->end)
		return;
	behind = flow_fragment_code(fragment, flow->world->decoder, next);
	if (!behind)
		flow_lack_ways(flow);
	if (!behind || behind->flow != CODE_RETURN || behind->length != RETURN_BYTES)
		return;
	flow_state_enter(&state);
	flow_come(flow, next + RETURN_BYTES, &state, &path);
}

/* Behind the call lie data, and the path goes on where nobody knows, as behind a computed jump. The fast proof doesn't
 * ask: if each row is right that is decoded there, nobody is accused. */
static bool goes_elsewhere(struct flow *flow, struct flow_fragment *fragment,
			   const struct code *code)
{
	if (flow->proof)
		return false;
	return (code->flow == CODE_CALL && flow_goes_elsewhere(flow->world, code->target)) ||
	       flow_is_text(flow->world, fragment, code->pc + code->length);
}

static void jump_over_data(struct flow *flow, const struct flow_fragment *fragment,
			   const struct code *code, const struct flow_state *state)
{
	flow->found.jump_unknown = true;
	flow_jump_met(flow);
	if (!flow->followed)
		flow_unread_note(flow, fragment, code, state);
}

/* To who wants to know. */
static void tell_called(const struct flow_world *world, const struct code *call)
{
	const struct cfi_fde *fde = flow_callee_fde(world->callees, call->target);

	if (!fde && image_code_segment(world->cfi->image, call->target))
		flow_tell_uncovered(world, call->target, call->pc);
	else if (fde)
		flow_tell(world, &(struct flow_lead) { .kind = FLOW_LEADS_CALL,
						       .pc = call->target,
						       .from = call->pc,
						       .fde = fde });
}

bool flow_call(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
	       struct flow_state *state, uint8_t unsure)
{
	const struct flow_world *world = flow->world;
	uint64_t next = code->pc + code->length;
	uint32_t arguments;
	struct value rax;
	uint64_t callee;

	if (code->flow == CODE_CALL && flow_call_is_push(fragment->fde, world->cfi->image,
							 world->decoder, next, code->target)) {
		struct flow_path path = { .from = code->pc, .unsure = unsure };

		push_address(code, state);
		if (code->target != next)
			flow_come(flow, code->target, state, &path);
		return code->target == next;
	}
	if (code->flow == CODE_CALL && !flow->followed && !unsure)
		tell_called(world, code);
	if (code->flow == CODE_CALL_INDIRECT && !unsure)
		flow_reach_called(flow, code, state);
	rax = state->reg[REGISTER_RAX];
	arguments = find_arguments(fragment, state);
	callee = find_callee(world, code, state);
	flow_state_call(state);
	doubt_arguments(flow, fragment, code, arguments, state);
	flow_call_lend(state);
	flow_callee_pop_call(flow, fragment, code, callee, state);
	flow_clobbers_call(world, code, state);
	flow_probe_call(flow, fragment, code, &rax, state);
	catch (flow, fragment, code, state, unsure);
	split_stack(flow, fragment, code, unsure);
	if (goes_elsewhere(flow, fragment, code)) {
		if (unsure != FLOW_NEVER)
			jump_over_data(flow, fragment, code, state);
		return false;
	}
	return code->flow != CODE_CALL ||
	       (!flow_never_returns(world->callees, code->target) &&
		!(world->never_by_code &&
		  flow_never_returns_by_code(world->callees, code->target)));
}
