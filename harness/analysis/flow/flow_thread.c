/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_thread.c - where a new thread begins, and where one ends
 *
 * Behind clone(2) and clone3(2) two go on: who called, with 0 in nobody's rax, and the new thread, with 0 in
 * rax and a stack of its own. The way is both's, and nobody's rows are right for both, until a comparison
 * of what the system call returned parts them. From then on the new thread has no caller, and no register
 * is known to lead to the frame.
 *
 * A thread that is given no stack (0) goes on with a copy of its parent's, as behind fork: it has the same
 * callers. Who makes such a call with another number than a constant has no code for a new stack.
 */
#include <sys/syscall.h>
#include "flow.h"

/* What the call has returned. */
static const struct value result = { .kind = VALUE_OTHER, .bound = 1 };

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
	state->reg[REGISTER_RAX] = result;
}

void flow_thread_branch(struct flow_state *state, enum code_condition holds)
{
	const struct last_comparison *comparison = &state->comparison;

	if (state->thread != FLOW_THREAD_EITHER || comparison->with_register ||
	    comparison->of_word || comparison->constant ||
	    !value_equal(&state->reg[comparison->reg], &result))
		return;
	if (holds == CONDITION_EQUAL) {
		state->thread = FLOW_THREAD_NEW;
		flow_state_lose_stack(state);
	} else if (holds == CONDITION_NOT_EQUAL) {
		state->thread = FLOW_THREAD_NONE;
	}
}
