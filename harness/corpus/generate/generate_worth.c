/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_worth.c - what a graph computes, and what it costs: functions run here as they will
 * there
 *
 * Everything a program does is decided by its seed, so one execution here says which functions are
 * called, how deep, about how many instructions that takes, and what the checksum is. The costs
 * are from above: what gcc and clang make of each step at -O0, with a stack protector and frame
 * pointers (docs/RANDOM_PROGRAMS.md has the measurement). Beyond a limit nothing more is executed.
 */
#include "generate.h"

/* Of a call: arguments, prologue, epilogue, endbr64, stack protector. */
#define CALL_INSTRUCTIONS 26
#define CALL_STACK	  160

static void pass_limit(struct worth *worth, const struct site *site)
{
	if (worth->over)
		return;
	worth->over = true;
	worth->at_function = site ? site->function : 0;
	worth->at_step = site ? site->index : 0;
	worth->at_root = !site;
}

void worth_spend(struct worth *worth, uint64_t instructions)
{
	worth->instructions += instructions;
	if (worth->instructions > worth->graph->instructions && !worth->over) {
		worth->over = true;
		worth->by_instructions = true;
	}
}

void worth_take_stack(struct worth *worth, const struct site *site, uint64_t bytes)
{
	worth->stack += bytes;
	if (worth->stack > worth->stack_max)
		worth->stack_max = worth->stack;
	if (worth->stack > GENERATE_STACK_MAX)
		pass_limit(worth, site);
}

void worth_give_stack(struct worth *worth, uint64_t bytes)
{
	worth->stack -= bytes;
}

void worth_open_calls(struct worth *worth, const struct site *site, unsigned int calls)
{
	worth->depth += calls;
	if (worth->depth > worth->depth_max)
		worth->depth_max = worth->depth;
	if (worth->depth > worth->graph->depth)
		pass_limit(worth, site);
}

void worth_close_calls(struct worth *worth, unsigned int calls)
{
	worth->depth -= calls;
}

/* What the function makes of its arguments, before its steps: see print_arguments() in
 * generate_text.c. */
static uint64_t argument_worth(struct worth *worth, const struct function *function, uint64_t a)
{
	uint64_t x = a;
	unsigned int extra = function->extra;

	switch (function->interface) {
	case INTERFACE_PLAIN: break;
	case INTERFACE_MANY:
		for (unsigned int i = 1; i <= extra; i++)
			x += (i + 1) * (a + i);
		worth_spend(worth, 12 * extra);
		break;
	case INTERFACE_VARIADIC:
		x += extra;
		for (unsigned int i = 1; i <= extra; i++)
			x = x * 3 + a + i;
		worth_spend(worth, 60 + 34 * extra);
		break;
	case INTERFACE_STRUCT:
		x = x * 3 + a + 1;
		x ^= a ^ extra;
		worth_spend(worth, 60 + 28 * extra);
		break;
	case INTERFACE_RETURNS: worth_spend(worth, 60 + 28 * extra); break;
	case INTERFACE_DOUBLE:
		x += 3 * (a % 65536);
		worth_spend(worth, 40);
		break;
	case INTERFACE_POINTER: worth_spend(worth, 14); break;
	}
	return x;
}

/* What the caller makes of what comes back. */
static uint64_t result_worth(const struct function *function, uint64_t a, uint64_t result)
{
	switch (function->interface) {
	case INTERFACE_RETURNS: return result ^ result * 3;
	case INTERFACE_POINTER: return result + (a * 7 + 1);
	default: return result;
	}
}

static uint64_t steps_worth(struct worth *worth, unsigned int number, uint64_t x, unsigned int d)
{
	const struct function *function = &worth->graph->function[number];
	bool returned = false;

	for (unsigned int i = 0; i < function->steps && !returned && !worth->over; i++) {
		struct site site = { worth->graph, number, i, &function->step[i] };

		x = site.step->kind->worth(worth, &site, x, d, &returned);
	}
	return x;
}

uint64_t worth_of_function(struct worth *worth, const struct site *site, unsigned int number,
			   uint64_t x, unsigned int d)
{
	const struct function *function = &worth->graph->function[number];
	uint64_t bytes = CALL_STACK + 16 * function->extra;

	worth_spend(worth, CALL_INSTRUCTIONS);
	worth->calls[number]++;
	worth_open_calls(worth, site, 1);
	worth_take_stack(worth, site, bytes);
	if (!worth->over) {
		uint64_t argument = argument_worth(worth, function, x);

		x = result_worth(function, x, steps_worth(worth, number, argument, d));
	}
	worth_give_stack(worth, bytes);
	worth_close_calls(worth, 1);
	return x;
}

static unsigned int rounds_worth(const struct step *step, unsigned int d)
{
	switch (step->rounds_are) {
	case ROUNDS_SAME: return d;
	case ROUNDS_LESS: return d - 1;
	default: return step->rounds;
	}
}

uint64_t worth_of_call(struct worth *worth, const struct site *site, unsigned int callee,
		       uint64_t x, unsigned int d)
{
	const struct step *step = site->step;

	if (worth->over)
		return x;
	if (step->callee[callee] == NO_CALLEE) {
		worth_spend(worth, 6);
		return x * 5 + step->key[1];
	}
	worth->called[site->function][site->index]++;
	worth_spend(worth, 8);
	return x + worth_of_function(worth, site, step->callee[callee], x ^ step->key[0],
				     rounds_worth(step, d));
}

uint64_t worth_of_handler(struct worth *worth, const struct site *site, uint64_t x)
{
	worth_spend(worth, 40);
	/* The handler is a function that is called, too. */
	worth_open_calls(worth, site, 1);
	worth->called[site->function][site->index]++;
	if (!worth->over)
		x += worth_of_function(worth, site, worth->graph->handler_callee, x, 1);
	worth_close_calls(worth, 1);
	return x * 5 + 1;
}

uint64_t graph_worth(const struct graph *graph, struct worth *ret)
{
	uint64_t x = graph->source[0];

	*ret = (struct worth) { .graph = graph };
	worth_spend(ret, 40);
	for (unsigned int i = 0; i < graph->roots && !ret->over; i++) {
		x = x * 3 + worth_of_function(ret, NULL, graph->root[i], x, graph->root_rounds[i]);
		worth_spend(ret, 12);
	}
	return x;
}
