/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_leave.c - the kinds of step that leave a function in another way than by its end
 *
 * Early returns (several epilogues, shrink-wrapped ones), jumps in place of calls, calls of what
 * doesn't return (the last instruction of a function, so that the return address is in no function
 * or in the next one), longjmp and signals.
 */
#include <inttypes.h>
#include "generate.h"

/* ---- early: a return before the rest ---------------------------------------------------- */

static bool early_draw(struct random *random, const struct graph *graph, unsigned int function,
		       struct step *step)
{
	step->count = random_between(random, 3, 6);
	return true;
}

static void early_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tif ((x >> %u) %% %u == 0) {\n\t\tx *= " KEY ";\n", site->step->shift,
		site->step->count, site->step->key[0]);
	print_return(file, site, "x", 2);
	fprintf(file, "\t}\n");
}

static uint64_t early_worth(struct worth *worth, const struct site *site, uint64_t x,
			    unsigned int d, bool *ret_returned)
{
	worth_spend(worth, 14);
	*ret_returned = (x >> site->step->shift) % site->step->count == 0;
	return *ret_returned ? x * site->step->key[0] : x;
}

/* ---- tail: a call that is a jump (with -O2, or where clang must) ------------------------ */

static bool tail_draw(struct random *random, const struct graph *graph, unsigned int function,
		      struct step *step)
{
	step->callees = random_chance(random, 30) ? 2 : 1;
	step->rounds_are = random_chance(random, 30) ? ROUNDS_SAME : ROUNDS_FIXED;
	step->rounds = random_below(random, 3);
	for (unsigned int i = 0; i < step->callees; i++) {
		step->callee[i] = callee_draw(random, graph, function, true);
		if (step->callee[i] == NO_CALLEE)
			return false;
	}
	return graph->function[function].interface != INTERFACE_RETURNS;
}

static void tail_print_before(FILE *file, const struct site *site)
{
	if (site->step->callees == 2)
		fprintf(file,
			"static u64 (*const volatile table%u_%u[])(u64, u32) = { f%d, f%d };\n",
			site->function, site->index, site->step->callee[0], site->step->callee[1]);
}

static void tail_print(FILE *file, const struct site *site)
{
	const struct function *function = &site->graph->function[site->function];
	const struct step *step = site->step;
	/* musttail wants equal types, and a stack that isn't realigned. */
	bool must = function_is_plain(function) && !(function->attributes & ATTRIBUTE_REALIGN);

	fprintf(file, "\t%s ", must ? "RETURN_BY_JUMP" : "return");
	if (step->callees == 2)
		fprintf(file, "table%u_%u[(x >> %u) %% 2]", site->function, site->index,
			step->shift);
	else
		fprintf(file, "f%d", step->callee[0]);
	fprintf(file, "(x ^ " KEY ", ", step->key[0]);
	print_rounds(file, step);
	fprintf(file, ");\n");
}

static uint64_t tail_worth(struct worth *worth, const struct site *site, uint64_t x, unsigned int d,
			   bool *ret_returned)
{
	const struct step *step = site->step;
	unsigned int callee = step->callees == 2 ? (x >> step->shift) % 2 : 0;

	worth_spend(worth, 16);
	worth->called[site->function][site->index]++;
	*ret_returned = true;
	return worth_of_function(worth, site, step->callee[callee], x ^ step->key[0],
				 step->rounds_are == ROUNDS_SAME ? d : step->rounds);
}

/* ---- guard: a call that is the last instruction, though never executed ------------------ */

static bool guard_draw(struct random *random, const struct graph *graph, unsigned int function,
		       struct step *step)
{
	return true;
}

static void guard_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tif (source[2] != " KEY ")\n\t\tgive_up(9);\n", site->graph->source[2]);
}

static uint64_t guard_worth(struct worth *worth, const struct site *site, uint64_t x,
			    unsigned int d, bool *ret_returned)
{
	worth_spend(worth, 6);
	return x;
}

/* ---- catch: frames that are left by longjmp --------------------------------------------- */

static bool catch_draw(struct random *random, const struct graph *graph, unsigned int function,
		       struct step *step)
{
	step->count = random_between(random, 0, 4);    /* frames */
	step->rounds = random_between(random, 1, 700); /* words in each of them */
	return true;
}

static void catch_print_before(FILE *file, const struct site *site)
{
	unsigned int f = site->function, s = site->index;

	fprintf(file,
		"static _Noreturn NOINLINE void jump%u_%u(u64 x, u32 n, void **to)\n{\n"
		"\tvolatile u64 room[%u];\n\tu64 i = x %% %u;\n\n\troom[i] = x;\n"
		"\tif (n)\n\t\tjump%u_%u(x * 3 + n, n - 1, to);\n\tjumped = room[i];\n"
		"\t__builtin_longjmp(to, 1);\n}\n\n",
		f, s, site->step->rounds, site->step->rounds, f, s);
	fprintf(file,
		"static NOINLINE u64 catch%u_%u(u64 x, u32 n)\n{\n\tvoid *to[5];\n\n"
		"\tif (!__builtin_setjmp(to))\n\t\tjump%u_%u(x, n, to);\n\treturn jumped;\n}\n\n",
		f, s, f, s);
}

static void catch_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tx += catch%u_%u(x ^ " KEY ", %u);\n", site->function, site->index,
		site->step->key[0], site->step->count);
}

static uint64_t catch_worth(struct worth *worth, const struct site *site, uint64_t x,
			    unsigned int d, bool *ret_returned)
{
	uint64_t value = x ^ site->step->key[0], bytes = 8 * site->step->rounds + 200;

	worth_spend(worth, 70 + 50 * (site->step->count + 1));
	worth_take_stack(worth, site, bytes * (site->step->count + 1));
	worth_open_calls(worth, site, site->step->count + 2);
	for (unsigned int n = site->step->count; n; n--)
		value = value * 3 + n;
	worth_close_calls(worth, site->step->count + 2);
	worth_give_stack(worth, bytes * (site->step->count + 1));
	return x + value;
}

/* ---- signal: raised, and handled on this stack ------------------------------------------ */

static bool signal_draw(struct random *random, const struct graph *graph, unsigned int function,
			struct step *step)
{
	return (int)function < graph->handler_callee;
}

static void signal_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tsignal_word = x ^ " KEY ";\n\traise_signal();\n\tx += signal_word;\n",
		site->step->key[0]);
}

static uint64_t signal_worth(struct worth *worth, const struct site *site, uint64_t x,
			     unsigned int d, bool *ret_returned)
{
	worth_spend(worth, 40);
	worth_take_stack(worth, site, 8192);
	x += worth_of_handler(worth, site, x ^ site->step->key[0]);
	worth_give_stack(worth, 8192);
	return x;
}

const struct step_kind steps_leaving[] = {
	{ "early", 10, false, false, early_draw, early_print, early_worth, NULL },
	{ "tail", 14, true, true, tail_draw, tail_print, tail_worth, tail_print_before },
	{ "guard", 5, false, false, guard_draw, guard_print, guard_worth, NULL },
	{ "catch", 1, false, false, catch_draw, catch_print, catch_worth, catch_print_before },
	{ "signal", 1, false, false, signal_draw, signal_print, signal_worth, NULL },
	{ NULL },
};
