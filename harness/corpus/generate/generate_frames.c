/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_frames.c - the kinds of step that hold something in the frame over a call
 *
 * What decides how a frame is laid out, and what its CFA hangs on: how large it is, whether its
 * size is known (alloca, an array of variable length: then rbp, or a register of its own, holds
 * the CFA), how it is aligned (then the CFA is kept in memory or r10: psABI 3.2.2 promises 16
 * bytes only).
 *
 * A volatile array with an index that isn't known is neither shortened nor taken apart by any
 * compiler.
 */
#include <inttypes.h>
#include "generate.h"

/* So that no number of steps gets to 32 KiB. */
#define VARIADIC_WORDS 400

/* ---- room: an array, from a word to beyond 32 KiB --------------------------------------- */

static bool room_draw(struct random *random, const struct graph *graph, unsigned int function,
		      struct step *step)
{
	static const struct {
		unsigned int percent, first, last; /* words */
	} size[] = {
		{ 35, 1, 16 },	     /* red zone, one byte's displacement */
		{ 35, 17, 480 },     /* within a page */
		{ 20, 513, 2048 },   /* beyond it: probed with -fstack-clash-protection */
		{ 100, 4097, 8200 }, /* beyond 32 KiB: offsets of 16 bits end */
	};
	unsigned int i = 0;

	while (!random_chance(random, size[i].percent * (i < 3)) && i < 3)
		i++;
	step->count = random_between(random, size[i].first, size[i].last);
	/* clang (13 to 22 at least) loses the vector registers that a variadic function was given
	 * where -fstack-clash-protection probes its frame in a loop: docs/RANDOM_PROGRAMS.md. */
	if (graph->function[function].interface == INTERFACE_VARIADIC)
		step->count = 1 + step->count % VARIADIC_WORDS;
	return step_draw_callee(random, graph, function, step);
}

static void room_print(FILE *file, const struct site *site)
{
	fprintf(file,
		"\t{\n\t\tvolatile u64 room[%u];\n\t\tu64 i = (x >> %u) %% %u;\n\n"
		"\t\troom[i] = x;\n",
		site->step->count, site->step->shift, site->step->count);
	print_call(file, site, 0, 2);
	fprintf(file, "\t\tx = x * 5 + room[i];\n\t}\n");
}

static uint64_t room_worth(struct worth *worth, const struct site *site, uint64_t x, unsigned int d,
			   bool *ret_returned)
{
	uint64_t before = x, bytes = 8 * site->step->count;

	/* -fstack-clash-protection touches each page. */
	worth_spend(worth, 24 + bytes / 4096 * 5);
	worth_take_stack(worth, site, bytes);
	x = worth_of_call(worth, site, 0, x, d) * 5 + before;
	worth_give_stack(worth, bytes);
	return x;
}

/* ---- aligned: more than the psABI's 16 bytes -------------------------------------------- */

static bool aligned_draw(struct random *random, const struct graph *graph, unsigned int function,
			 struct step *step)
{
	step->count = 32u << random_below(random, 3);
	return step_draw_callee(random, graph, function, step);
}

/* Through a volatile word: compilers know that the remainder is 0, and would leave it out. */
static void aligned_print(FILE *file, const struct site *site)
{
	fprintf(file,
		"\t{\n\t\t_Alignas(%u) volatile u64 row[8];\n\t\tu64 i = (x >> %u) %% 8;\n\n"
		"\t\trow[i] = x;\n\t\tseen = (u64)row;\n",
		site->step->count, site->step->shift);
	print_call(file, site, 0, 2);
	fprintf(file, "\t\tx = x * 7 + row[i];\n\t\tseen = (u64)row;\n\t\tx += seen %% %u;\n\t}\n",
		site->step->count);
}

static uint64_t aligned_worth(struct worth *worth, const struct site *site, uint64_t x,
			      unsigned int d, bool *ret_returned)
{
	uint64_t before = x;

	worth_spend(worth, 44);
	worth_take_stack(worth, site, 256);
	x = worth_of_call(worth, site, 0, x, d) * 7 + before;
	worth_give_stack(worth, 256);
	return x;
}

/* ---- alloca: a frame whose size is known at run time only; seldom aligned, too ---------- */

static bool alloca_draw(struct random *random, const struct graph *graph, unsigned int function,
			struct step *step)
{
	step->count = random_chance(random, 80) ? random_between(random, 2, 100)
						: random_between(random, 500, 1500);
	return step_draw_callee(random, graph, function, step);
}

static void alloca_print(FILE *file, const struct site *site)
{
	const struct step *step = site->step;

	fprintf(file,
		"\t{\n\t\tu64 words = %u + (x >> %u) %% 8;\n"
		"\t\tvolatile u64 *room = %s(8 * words%s);\n\n"
		"\t\troom[0] = x;\n\t\troom[words - 1] = " KEY ";\n",
		step->count, step->shift,
		step->key[1] % 4 ? "__builtin_alloca" : "__builtin_alloca_with_align",
		step->key[1] % 4 ? "" : ", 512", step->key[0]);
	print_call(file, site, 0, 2);
	fprintf(file, "\t\tx = x * 9 + (room[0] ^ room[words - 1]);\n\t}\n");
}

static uint64_t alloca_worth(struct worth *worth, const struct site *site, uint64_t x,
			     unsigned int d, bool *ret_returned)
{
	uint64_t before = x, bytes = 8 * (site->step->count + (x >> site->step->shift) % 8) + 64;

	worth_spend(worth, 60 + bytes / 4096 * 5);
	worth_take_stack(worth, site, bytes);
	x = worth_of_call(worth, site, 0, x, d) * 9 + (before ^ site->step->key[0]);
	worth_give_stack(worth, bytes);
	return x;
}

/* ---- array: of variable length, given back where its block ends ------------------------- */

static bool array_draw(struct random *random, const struct graph *graph, unsigned int function,
		       struct step *step)
{
	step->count = random_between(random, 1, 60);
	return step_draw_callee(random, graph, function, step);
}

static void array_print(FILE *file, const struct site *site)
{
	fprintf(file,
		"\tfor (u32 n = 0; n < 2; n++) {\n"
		"\t\tvolatile u64 room[%u + (x >> %u) %% 8];\n\n\t\troom[0] = x;\n",
		site->step->count, site->step->shift);
	print_call(file, site, 0, 2);
	fprintf(file, "\t\tx = x * 11 + room[0];\n\t}\n");
}

static uint64_t array_worth(struct worth *worth, const struct site *site, uint64_t x,
			    unsigned int d, bool *ret_returned)
{
	for (unsigned int n = 0; n < 2; n++) {
		uint64_t before = x;
		uint64_t bytes = 8 * (site->step->count + (x >> site->step->shift) % 8) + 16;

		worth_spend(worth, 56);
		worth_take_stack(worth, site, bytes);
		x = worth_of_call(worth, site, 0, x, d) * 11 + before;
		worth_give_stack(worth, bytes);
	}
	return x;
}

/* ---- doubles: no callee-saved register holds one, so they are spilled ------------------- */

static bool doubles_draw(struct random *random, const struct graph *graph, unsigned int function,
			 struct step *step)
{
	step->count = random_between(random, 1, 4);
	return step_draw_callee(random, graph, function, step);
}

/* Small whole numbers: exact in any rounding. */
static void doubles_print(FILE *file, const struct site *site)
{
	fprintf(file, "\t{\n");
	for (unsigned int i = 0; i < site->step->count; i++)
		fprintf(file, "\t\tdouble kept%u = (double)((x >> %u) %% 4096);\n", i,
			site->step->shift + i);
	print_call(file, site, 0, 2);
	for (unsigned int i = 0; i < site->step->count; i++)
		fprintf(file, "\t\tx = x * 3 + (u64)(kept%u * 2.0);\n", i);
	fprintf(file, "\t}\n");
}

static uint64_t doubles_worth(struct worth *worth, const struct site *site, uint64_t x,
			      unsigned int d, bool *ret_returned)
{
	uint64_t before = x;

	worth_spend(worth, 4 + 30 * site->step->count);
	x = worth_of_call(worth, site, 0, x, d);
	for (unsigned int i = 0; i < site->step->count; i++)
		x = x * 3 + 2 * ((before >> (site->step->shift + i)) % 4096);
	return x;
}

const struct step_kind steps_in_frames[] = {
	{ "room", 14, false, false, room_draw, room_print, room_worth, NULL },
	{ "aligned", 5, false, false, aligned_draw, aligned_print, aligned_worth, NULL },
	{ "alloca", 6, false, false, alloca_draw, alloca_print, alloca_worth, NULL },
	{ "array", 4, false, false, array_draw, array_print, array_worth, NULL },
	{ "doubles", 4, false, false, doubles_draw, doubles_print, doubles_worth, NULL },
	{ NULL },
};
