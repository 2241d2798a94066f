/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_engines.h - engines for tests: lines of sh(1), or hostile_engine.c by its argument
 *
 * Where one must be waited for, the time for an answer is short and nothing can answer in it; elsewhere it
 * is longer than any machine is busy.
 */
#ifndef STACKPROOF_TESTS_EXTERNAL_ENGINES_H
#define STACKPROOF_TESTS_EXTERNAL_ENGINES_H

#include <check.h>
#include "external_points.h"

#define LONG_MS	 120000
#define SHORT_MS 300
#define POINTS	 3

#define HELLO  "echo hello 1; echo ready; read hello; "
#define POINT  MAPPINGS "read points; read point id rest; "
#define ANSWER "echo stack $id zero_return 401234 405678; "
#define NEXT   "read points; read point id rest; "
#define GOOD   "zero_return 401234 405678"
#define NONE   "foreign"

static inline struct external_options options_of(const char *command, const char *argument,
						 bool hangs)
{
	static char object[PATH_MAX];

	return (struct external_options) {
		.name = "engine",
		.command = argument ? in_build("harness/engines/external/tests/hostile_engine.so",
					       object)
				    : command,
		.argument = argument,
		.hello_ms = LONG_MS,
		.answer_ms = hangs ? SHORT_MS : LONG_MS,
	};
}

static inline void write_stack(const struct stack *stack, char *ret, size_t size)
{
	size_t used = (size_t)snprintf(ret, size, "%s", stop_reason_name(stack->stop));

	for (uint32_t i = 0; i < stack->count && used < size; i++)
		used += (size_t)snprintf(ret + used, size - used, " %lx", stack->pc[i]);
}

static inline void ask(struct external *external, int points, char answer[POINTS][200])
{
	struct external_point point = { points_registers(), &points_memory };
	struct stack stack = { 0 };
	struct error error;

	for (int i = 0; i < points; i++) {
		ck_assert_int_eq(external_ask(external, &point, 1, &stack, &error), 0);
		write_stack(&stack, answer[i], 200);
	}
	stack_deinit(&stack);
}

static inline void open_engine(struct external_options *options, struct external **ret)
{
	struct error error;

	set_engine_host();
	ck_assert_msg(!external_open(options, ret, &error), "%s", error.message);
	external_begin(*ret);
}

#endif
