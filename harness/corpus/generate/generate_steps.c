/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_steps.c - the kinds of step that change x and go on
 *
 * Each kind is three functions, side by side: what is drawn, the C text, and what that text makes
 * of x. The latter two must say the same: a program whose own check fails says that they don't, or
 * that a compiler is wrong.
 *
 * What a compiler knows it computes beforehand. So x comes from volatile words, as do the values
 * that must be kept over a call.
 */
#include <inttypes.h>
#include "generate.h"

/* ---- mix: no call ----------------------------------------------------------------------- */

static bool mix_draw(struct random *random, const struct graph *graph, unsigned int function,
		     struct step *step)
{
	return true;
}

static void mix_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tx = (x ^ " KEY ") * " KEY ";\n\tx ^= x >> %u;\n", site->step->key[0],
		site->step->key[1] | 1, site->step->shift);
}

static uint64_t mix_worth(struct worth *worth, const struct site *site, uint64_t x, unsigned int d,
			  bool *ret_returned)
{
	const struct step *step = site->step;

	worth_spend(worth, 12);
	x = (x ^ step->key[0]) * (step->key[1] | 1);
	return x ^ x >> step->shift;
}

/* ---- call ------------------------------------------------------------------------------- */

static bool one_callee_draw(struct random *random, const struct graph *graph, unsigned int function,
			    struct step *step)
{
	return step_draw_callee(random, graph, function, step);
}

static void call_print(FILE *file, const struct site *site)
{
	print_call(file, site, 0, 1);
}

static uint64_t call_worth(struct worth *worth, const struct site *site, uint64_t x, unsigned int d,
			   bool *ret_returned)
{
	return worth_of_call(worth, site, 0, x, d);
}

/* ---- saved: count values live over the call, in callee-saved registers, then spilled ---- */

static bool saved_draw(struct random *random, const struct graph *graph, unsigned int function,
		       struct step *step)
{
	step->count = random_between(random, 1, GENERATE_SOURCES);
	return step_draw_callee(random, graph, function, step);
}

static void saved_print(FILE *file, const struct site *site)
{
	fprintf(file, "\t{\n");
	for (unsigned int i = 0; i < site->step->count; i++)
		fprintf(file, "\t\tu64 kept%u = source[%u] ^ x;\n", i, i);
	print_call(file, site, 0, 2);
	for (unsigned int i = 0; i < site->step->count; i++)
		fprintf(file, "\t\tx = x * 3 + kept%u;\n", i);
	fprintf(file, "\t}\n");
}

static uint64_t saved_worth(struct worth *worth, const struct site *site, uint64_t x,
			    unsigned int d, bool *ret_returned)
{
	uint64_t before = x;

	worth_spend(worth, 4 + 12 * site->step->count);
	x = worth_of_call(worth, site, 0, x, d);
	for (unsigned int i = 0; i < site->step->count; i++)
		x = x * 3 + (site->graph->source[i] ^ before);
	return x;
}

/* ---- loop: the call, count times -------------------------------------------------------- */

static bool loop_draw(struct random *random, const struct graph *graph, unsigned int function,
		      struct step *step)
{
	step->count = random_between(random, 2, 4);
	return step_draw_callee(random, graph, function, step);
}

static void loop_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tfor (u32 i = 0; i < %u; i++) {\n\t\tx += i;\n", site->step->count);
	print_call(file, site, 0, 2);
	fprintf(file, "\t}\n");
}

static uint64_t loop_worth(struct worth *worth, const struct site *site, uint64_t x, unsigned int d,
			   bool *ret_returned)
{
	for (unsigned int i = 0; i < site->step->count; i++) {
		worth_spend(worth, 8);
		x = worth_of_call(worth, site, 0, x + i, d);
	}
	return x;
}

/* ---- seldom: a call that the compiler is told is unlikely: shrink-wrapping, cold blocks - */

static bool seldom_draw(struct random *random, const struct graph *graph, unsigned int function,
			struct step *step)
{
	step->count = random_between(random, 2, 4);
	return step_draw_callee(random, graph, function, step);
}

static void seldom_print(FILE *file, const struct site *site)
{
	fprintf(file,
		"\tif (__builtin_expect((x >> %u) %% %u == 0, 0)) {\n\t\tu64 kept = source[0];\n\n",
		site->step->shift, site->step->count);
	print_call(file, site, 0, 2);
	fprintf(file, "\t\tx ^= kept;\n\t}\n");
}

static uint64_t seldom_worth(struct worth *worth, const struct site *site, uint64_t x,
			     unsigned int d, bool *ret_returned)
{
	worth_spend(worth, 14);
	if ((x >> site->step->shift) % site->step->count != 0)
		return x;
	return worth_of_call(worth, site, 0, x, d) ^ site->graph->source[0];
}

/* ---- switch: a jump table, some of whose cases call ------------------------------------- */

static bool switch_draw(struct random *random, const struct graph *graph, unsigned int function,
			struct step *step)
{
	step->count = step->callees = random_between(random, 5, STEP_CALLEES_MAX);
	step->rounds_are = ROUNDS_FIXED;
	step->rounds = random_below(random, 2);
	for (unsigned int i = 0; i < step->callees; i++)
		step->callee[i] = random_chance(random, 40)
					  ? callee_draw(random, graph, function, false)
					  : NO_CALLEE;
	return true;
}

static void switch_print(FILE *file, const struct site *site)
{
	const struct step *step = site->step;

	fprintf(file, "\tswitch ((x >> %u) %% %u) {\n", step->shift, step->count);
	for (unsigned int i = 0; i < step->count; i++) {
		if (i + 1 < step->count)
			fprintf(file, "\tcase %u:\n", i);
		else
			fprintf(file, "\tdefault:\n");
		fprintf(file, "\t\tx ^= " KEY ";\n", step->key[i % 4] >> i);
		print_call(file, site, i, 2);
		fprintf(file, "\t\tbreak;\n");
	}
	fprintf(file, "\t}\n");
}

static uint64_t switch_worth(struct worth *worth, const struct site *site, uint64_t x,
			     unsigned int d, bool *ret_returned)
{
	unsigned int i = (x >> site->step->shift) % site->step->count;

	/* Without a jump table it is a chain of comparisons. */
	worth_spend(worth, 16 + 2 * site->step->count);
	return worth_of_call(worth, site, i, x ^ site->step->key[i % 4] >> i, d);
}

/* ---- table: an indirect call ------------------------------------------------------------ */

static bool table_draw(struct random *random, const struct graph *graph, unsigned int function,
		       struct step *step)
{
	step->callees = 1u << random_between(random, 1, 3);
	step->rounds_are = ROUNDS_FIXED;
	step->rounds = random_below(random, 3);
	for (unsigned int i = 0; i < step->callees; i++) {
		step->callee[i] = callee_draw(random, graph, function, true);
		if (step->callee[i] == NO_CALLEE)
			return false;
	}
	return true;
}

static void table_print_before(FILE *file, const struct site *site)
{
	fprintf(file, "static u64 (*const volatile table%u_%u[])(u64, u32) = {", site->function,
		site->index);
	for (unsigned int i = 0; i < site->step->callees; i++)
		fprintf(file, " f%d,", site->step->callee[i]);
	fprintf(file, " };\n");
}

static void table_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tx ^= table%u_%u[(x >> %u) %% %u](x + " KEY ", ", site->function,
		site->index, site->step->shift, site->step->callees, site->step->key[0]);
	print_rounds(file, site->step);
	fprintf(file, ");\n");
}

static uint64_t table_worth(struct worth *worth, const struct site *site, uint64_t x,
			    unsigned int d, bool *ret_returned)
{
	const struct step *step = site->step;
	unsigned int callee = (x >> step->shift) % step->callees;

	worth_spend(worth, 16);
	worth->called[site->function][site->index]++;
	return x ^
	       worth_of_function(worth, site, step->callee[callee], x + step->key[0], step->rounds);
}

/* ---- recurse: itself or a function above it, as often as d says ------------------------- */

static bool recurse_draw(struct random *random, const struct graph *graph, unsigned int function,
			 struct step *step)
{
	step->callees = 1;
	step->callee[0] = function && random_chance(random, 30) ? random_below(random, function)
								: function;
	step->rounds_are = ROUNDS_LESS;
	return true;
}

static void recurse_print(FILE *file, const struct site *site)
{
	fprintf(file, "\tif (d) {\n");
	print_call(file, site, 0, 2);
	fprintf(file, "\t\tx ^= x >> %u;\n\t}\n", site->step->shift);
}

static uint64_t recurse_worth(struct worth *worth, const struct site *site, uint64_t x,
			      unsigned int d, bool *ret_returned)
{
	worth_spend(worth, 8);
	if (!d)
		return x;
	x = worth_of_call(worth, site, 0, x, d);
	return x ^ x >> site->step->shift;
}

/* ---- interpreter: computed goto --------------------------------------------------------- */

enum operation { ADD, FOLD, CALL, SCALE, STOP };

static bool interpreter_draw(struct random *random, const struct graph *graph,
			     unsigned int function, struct step *step)
{
	/* One in a function: with two, gcc takes each goto for a way into the other's block. */
	for (const struct step *before = graph->function[function].step; before < step; before++)
		if (before->kind == step->kind)
			return false;
	step->count = random_between(random, 3, 10);
	return step_draw_callee(random, graph, function, step);
}

/* The i-th operation: one of them calls. */
static enum operation operation_at(const struct step *step, unsigned int i)
{
	enum operation operation = step->key[2] >> 2 * i & 3;

	if (i == step->count)
		return STOP;
	if (i == step->key[3] % step->count)
		return CALL;
	return operation == CALL ? ADD : operation;
}

static void interpreter_print(FILE *file, const struct site *site)
{
	const struct step *step = site->step;
	unsigned int s = site->index;

	fprintf(file, "\t{\n\t\tstatic const unsigned char code[] = {");
	for (unsigned int i = 0; i <= step->count; i++)
		fprintf(file, " %u,", operation_at(step, i));
	fprintf(file,
		" };\n"
		"\t\tstatic const void *const operation[] = { &&add%u, &&fold%u, &&call%u, "
		"&&scale%u, &&stop%u };\n"
		"\t\tconst unsigned char *pc = code;\n\t\tu64 sum = source[1];\n\n"
		"\t\tgoto *operation[*pc++];\n"
		"\tadd%u:\n\t\tsum += " KEY ";\n\t\tgoto *operation[*pc++];\n"
		"\tfold%u:\n\t\tsum ^= sum >> %u;\n\t\tgoto *operation[*pc++];\n"
		"\tcall%u:\n",
		s, s, s, s, s, s, step->key[0], s, step->shift, s);
	print_call(file, site, 0, 2);
	fprintf(file,
		"\t\tgoto *operation[*pc++];\n"
		"\tscale%u:\n\t\tsum *= " KEY ";\n\t\tgoto *operation[*pc++];\n"
		"\tstop%u:\n\t\tx ^= sum;\n\t}\n",
		s, step->key[1] | 1, s);
}

static uint64_t interpreter_worth(struct worth *worth, const struct site *site, uint64_t x,
				  unsigned int d, bool *ret_returned)
{
	const struct step *step = site->step;
	uint64_t sum = site->graph->source[1];

	worth_spend(worth, 12);
	for (unsigned int i = 0; i < step->count; i++) {
		worth_spend(worth, 14);
		switch (operation_at(step, i)) {
		case ADD: sum += step->key[0]; break;
		case FOLD: sum ^= sum >> step->shift; break;
		case CALL: x = worth_of_call(worth, site, 0, x, d); break;
		case SCALE: sum *= step->key[1] | 1; break;
		case STOP: break;
		}
	}
	return x ^ sum;
}

/* The first is what others become. */
const struct step_kind steps_going_on[] = {
	{ "mix", 10, false, false, mix_draw, mix_print, mix_worth, NULL },
	{ "call", 14, false, false, one_callee_draw, call_print, call_worth, NULL },
	{ "saved", 18, false, false, saved_draw, saved_print, saved_worth, NULL },
	{ "loop", 4, false, false, loop_draw, loop_print, loop_worth, NULL },
	{ "seldom", 8, false, false, seldom_draw, seldom_print, seldom_worth, NULL },
	{ "switch", 7, false, false, switch_draw, switch_print, switch_worth, NULL },
	{ "table", 7, false, true, table_draw, table_print, table_worth, table_print_before },
	{ "recurse", 12, false, true, recurse_draw, recurse_print, recurse_worth, NULL },
	{ "interpreter", 4, false, false, interpreter_draw, interpreter_print, interpreter_worth,
	  NULL },
	{ NULL },
};
