/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_draw.c - seed -> graph, and the graph made to keep its limits
 *
 * Functions are drawn one by one; each calls functions further down, mostly near ones, so that
 * chains are long. Nothing is promised then: it may be too deep, too long, and functions may be
 * called by nobody. So the graph is executed (generate_worth.c), and changed where it passes a
 * limit: the call at which it was too deep is taken out, or, if it was too long, the one that was
 * executed most often. What nobody calls then is called by the program's first function. Each
 * change removes a call or adds one of at most as many as there are functions, so this ends.
 */
#include <string.h>
#include "generate.h"

#define STEP_TRIES 20

const struct step_kind *step_kind_at(size_t index)
{
	static const struct step_kind *const arrays[] = { steps_going_on, steps_in_frames,
							  steps_leaving };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		for (const struct step_kind *kind = arrays[i]; kind->name; kind++)
			if (!index--)
				return kind;
	return NULL;
}

const struct step_kind *step_kind_find(const char *name)
{
	const struct step_kind *kind;

	for (size_t i = 0; (kind = step_kind_at(i)); i++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

bool graph_has_step(const struct graph *graph, const char *name)
{
	for (unsigned int f = 0; f < graph->functions; f++)
		for (unsigned int s = 0; s < graph->function[f].steps; s++)
			if (!graph->function[f].dropped &&
			    !strcmp(graph->function[f].step[s].kind->name, name))
				return true;
	return false;
}

bool function_is_plain(const struct function *function)
{
	return function->interface == INTERFACE_PLAIN && !(function->attributes & ATTRIBUTE_MS_ABI);
}

/* Near ones are likelier, whatever the graph's size. */
int callee_draw(struct random *random, const struct graph *graph, unsigned int function, bool plain)
{
	unsigned int below = graph->functions - 1 - function, first;

	if (!below)
		return NO_CALLEE;
	first = function + 1 +
		random_below(random, random_chance(random, 75) && below > 2 ? 2 : below);
	for (unsigned int i = first; i < graph->functions; i++)
		if (!plain || function_is_plain(&graph->function[i]))
			return i;
	return NO_CALLEE;
}

bool step_draw_callee(struct random *random, const struct graph *graph, unsigned int function,
		      struct step *step)
{
	step->callees = 1;
	step->callee[0] = random_chance(random, 85) ? callee_draw(random, graph, function, false)
						    : NO_CALLEE;
	if (random_chance(random, 20)) {
		step->rounds_are = ROUNDS_SAME;
		return true;
	}
	step->rounds_are = ROUNDS_FIXED;
	if (random_chance(random, 60))
		step->rounds = random_chance(random, 50) ? random_between(random, 1, 4)
							 : random_between(random, 5, 30);
	return true;
}

static void step_make_mix(struct step *step)
{
	step->kind = &steps_going_on[0];
	step->callees = 0;
}

static void step_take_out(struct step *step, unsigned int callee)
{
	step->callee[callee] = NO_CALLEE;
	if (step->kind->needs_callees)
		step_make_mix(step);
}

static void draw_interface(struct random *random, struct function *function)
{
	static const struct {
		unsigned int weight, first, last;
	} interface[] = {
		[INTERFACE_PLAIN] = { 55, 0, 0 },   [INTERFACE_MANY] = { 12, 5, 10 },
		[INTERFACE_VARIADIC] = { 7, 1, 9 }, [INTERFACE_STRUCT] = { 8, 3, 14 },
		[INTERFACE_RETURNS] = { 7, 3, 14 }, [INTERFACE_DOUBLE] = { 5, 0, 0 },
		[INTERFACE_POINTER] = { 6, 0, 0 },
	};
	unsigned int drawn = random_below(random, 100), i = 0;

	while (drawn >= interface[i].weight)
		drawn -= interface[i++].weight;
	function->interface = i;
	function->extra = random_between(random, interface[i].first, interface[i].last);
}

static void draw_attributes(struct random *random, struct function *function)
{
	static const unsigned int percent[ATTRIBUTE_COUNT] = { 6, 8, 6, 40, 5, 5, 5, 8, 4, 4, 30 };
	unsigned int drawn = 0;

	for (unsigned int i = 0; i < ATTRIBUTE_COUNT; i++)
		if (random_chance(random, percent[i]))
			drawn |= 1u << i;
	/* Compilers refuse these pairs. */
	if (drawn & ATTRIBUTE_COLD)
		drawn &= ~(unsigned int)ATTRIBUTE_HOT;
	if (drawn & (ATTRIBUTE_UNOPTIMISED | ATTRIBUTE_ALONE | ATTRIBUTE_GLOBAL))
		drawn &= ~(unsigned int)ATTRIBUTE_INLINE;
	if (drawn & ATTRIBUTE_UNOPTIMISED)
		drawn &= ~(unsigned int)(ATTRIBUTE_COLD | ATTRIBUTE_HOT);
	/* Of both conventions' variable arguments only one's can be read by __builtin_va_arg. */
	if (function->interface == INTERFACE_VARIADIC || function->interface == INTERFACE_RETURNS)
		drawn &= ~(unsigned int)ATTRIBUTE_MS_ABI;
	function->attributes = drawn;
}

static const struct step_kind *draw_kind(struct random *random)
{
	const struct step_kind *kind;
	unsigned int sum = 0, drawn;

	for (size_t i = 0; (kind = step_kind_at(i)); i++)
		sum += kind->weight;
	drawn = random_below(random, sum);
	for (size_t i = 0; (kind = step_kind_at(i)) && drawn >= kind->weight; i++)
		drawn -= kind->weight;
	return kind;
}

static void draw_step(struct random *random, const struct graph *graph, unsigned int function,
		      bool last, struct step *step)
{
	for (unsigned int i = 0; i < STEP_TRIES; i++) {
		*step = (struct step) { .kind = draw_kind(random) };
		for (unsigned int k = 0; k < 4; k++)
			step->key[k] = random_next(random);
		step->shift = random_between(random, 1, 30);
		if ((last || !step->kind->last) && step->kind->draw(random, graph, function, step))
			return;
	}
	step_make_mix(step);
}

/* Half of the programs have a chain through all functions: the first step that can calls the
 * next one. */
static void draw_chain(struct graph *graph)
{
	for (unsigned int f = 0; f + 1 < graph->functions; f++) {
		struct function *function = &graph->function[f];

		for (unsigned int s = 0; s < function->steps; s++) {
			struct step *step = &function->step[s];

			if (step->callees != 1 || step->kind->needs_callees)
				continue;
			step->callee[0] = f + 1;
			break;
		}
	}
}

static void draw_functions(struct random *random, struct graph *graph)
{
	for (unsigned int f = 0; f < graph->functions; f++) {
		draw_interface(random, &graph->function[f]);
		draw_attributes(random, &graph->function[f]);
	}
	/* The handler calls the last function, whose descendants raise no signal. */
	graph->handler_callee = graph->functions - 1;
	for (unsigned int f = 0; f < graph->functions; f++) {
		struct function *function = &graph->function[f];

		function->steps = random_between(random, 1, FUNCTION_STEPS_MAX - 3);
		if (random_chance(random, 10))
			function->steps = FUNCTION_STEPS_MAX;
		for (unsigned int s = 0; s < function->steps; s++)
			draw_step(random, graph, f, s + 1 == function->steps, &function->step[s]);
	}
	if (random_chance(random, 50))
		draw_chain(graph);
}

static void drop_steps(struct function *function, unsigned int dropped)
{
	unsigned int kept = 0;

	for (unsigned int s = 0; s < function->steps; s++)
		if (!(dropped & 1u << s))
			function->step[kept++] = function->step[s];
	function->steps = kept;
}

/* Dropped functions aren't called any more. Attributes and steps were drawn before, so that all
 * others are what they were. */
static void drop_functions(struct graph *graph)
{
	for (unsigned int f = 0; f < graph->functions; f++) {
		struct function *function = &graph->function[f];

		function->dropped = graph->options.dropped[f];
		if (graph->options.dropped_attributes[f])
			function->attributes = 0;
		drop_steps(function, graph->options.dropped_steps[f]);
		for (unsigned int s = 0; s < function->steps; s++) {
			struct step *step = &function->step[s];

			for (unsigned int c = 0; c < step->callees; c++)
				if (step->callee[c] != NO_CALLEE &&
				    graph->options.dropped[step->callee[c]])
					step_take_out(step, c);
			if (step->kind == step_kind_find("signal") &&
			    graph->options.dropped[graph->handler_callee])
				step_make_mix(step);
		}
	}
}

/* How many steps of a function called something. */
static unsigned int branches(const struct worth *worth, unsigned int function)
{
	unsigned int count = 0;

	for (unsigned int s = 0; s < worth->graph->function[function].steps; s++)
		count += worth->called[function][s] > 0;
	return count;
}

/*
 * The last step that calls of the function that was executed most often, of those that call in
 * several steps, if there are any: what is too long becomes narrower before it becomes flatter.
 * False: nothing was called.
 */
static bool busiest(const struct worth *worth, unsigned int *ret_function, unsigned int *ret_step)
{
	uint64_t most = 0;
	bool narrows = false;

	for (unsigned int f = 0; f < worth->graph->functions; f++) {
		unsigned int count = branches(worth, f);

		if (!count || (narrows && count == 1) ||
		    (narrows == (count > 1) && worth->calls[f] < most))
			continue;
		most = worth->calls[f];
		narrows = count > 1;
		*ret_function = f;
	}
	if (!most)
		return false;
	for (unsigned int s = 0; s < worth->graph->function[*ret_function].steps; s++)
		if (worth->called[*ret_function][s])
			*ret_step = s;
	return true;
}

/* Takes out what passed a limit. False: there is nothing to take out. */
static bool thin(struct graph *graph, const struct worth *worth)
{
	unsigned int f = worth->at_function, s = worth->at_step;
	struct step *step;

	if (worth->by_instructions ? !busiest(worth, &f, &s) : worth->at_root)
		return false;
	step = &graph->function[f].step[s];
	for (unsigned int c = step->callees; c > 0; c--)
		if (step->callee[c - 1] != NO_CALLEE) {
			step_take_out(step, c - 1);
			return true;
		}
	step_make_mix(step);
	return true;
}

/* True if a function that nobody calls has become one that is called first. */
static bool add_roots(struct random *random, struct graph *graph, const struct worth *worth)
{
	bool added = false;

	for (unsigned int f = 0; f < graph->functions; f++) {
		if (worth->calls[f] || graph->function[f].dropped)
			continue;
		graph->root_rounds[graph->roots] = random_below(random,
								random_chance(random, 70) ? 4 : 30);
		graph->root[graph->roots++] = f;
		added = true;
		/* One at a time: it may call the next. */
		break;
	}
	return added;
}

int graph_draw(const struct generate_options *options, struct graph *ret, struct error *error)
{
	struct worth worth;
	struct random random;

	*ret = (struct graph) { .options = *options };
	random_init(&random, options->seed, "limits");
	ret->functions = random_between(&random, 6, 20);
	ret->depth = random_between(&random, 8, 48);
	if (options->functions)
		ret->functions = options->functions;
	if (options->depth)
		ret->depth = options->depth;
	for (unsigned int f = ret->functions; f < GENERATE_FUNCTIONS_MAX; f++)
		if (options->dropped[f] || options->dropped_steps[f] ||
		    options->dropped_attributes[f])
			return error_set(error, ERROR_UNAVAILABLE, "", 0,
					 "there is no function %u to drop: the last one is %u", f,
					 ret->functions - 1);
	ret->instructions = 4000 + 500 * ret->functions;
	if (ret->instructions > GENERATE_INSTRUCTIONS_MAX)
		ret->instructions = GENERATE_INSTRUCTIONS_MAX;
	ret->ends_inside = random_chance(&random, 50);
	for (unsigned int i = 0; i < GENERATE_SOURCES; i++)
		ret->source[i] = random_next(&random);
	random_init(&random, options->seed, "functions");
	draw_functions(&random, ret);
	for (unsigned int f = 0; f < ret->functions; f++)
		if (options->dropped_steps[f] >> ret->function[f].steps)
			return error_set(error, ERROR_UNAVAILABLE, "", 0,
					 "function %u has no such step to drop: the last one is %u",
					 f, ret->function[f].steps - 1);
	drop_functions(ret);
	random_init(&random, options->seed, "roots");
	do {
		graph_worth(ret, &worth);
		while (worth.over) {
			if (!thin(ret, &worth))
				return error_set(error, ERROR_UNAVAILABLE, "", 0,
						 "seed %llu: the limits can't be kept",
						 (unsigned long long)options->seed);
			graph_worth(ret, &worth);
		}
	} while (add_roots(&random, ret, &worth));
	return 0;
}
