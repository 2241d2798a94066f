/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate.h - random programs: a graph of functions, what it computes, its text in C
 *
 *	commands/generate.c  the command line
 *	generate_random.c	the random numbers
 *	generate_draw.c		seed -> graph, and the graph made to keep its limits
 *	generate_worth.c	what a graph computes, and what it costs: run here as it will there
 *	generate_text.c		graph -> C
 *	generate_bare.c		what a program has in place of a C library
 *	generate_steps.c	the kinds of step: drawing, text and worth of each, side by side
 *	generate_frames.c	those that hold something in the frame
 *	generate_leave.c	those that leave a function in another way than by its end
 *	generate_flags.c	seed -> a compiler's flags
 *	generate_reduce.c	a program that shows something -> a smaller one that still does
 *
 * A function takes a number x (and d, how often it may still recurse), takes a few steps, each of
 * which changes x, and returns it. Each kind of step makes compilers lay out a frame in another
 * way. Since a step's worth is computed here too, the program knows beforehand what must come out.
 */
#ifndef STACKPROOF_GENERATE_H
#define STACKPROOF_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"

#define GENERATE_FUNCTIONS_MAX 80
#define GENERATE_DEPTH_MIN     4
#define GENERATE_DEPTH_MAX     200
#define GENERATE_SOURCES       8      /* volatile words that no compiler knows */
#define GENERATE_STACK_MAX     524288 /* bytes */
/* A program's instructions at -O0 are estimated, and never above this. */
#define GENERATE_INSTRUCTIONS_MAX 45000

struct generate_options {
	uint64_t seed;
	unsigned int functions; /* 0: drawn */
	unsigned int depth;	/* nested calls; 0: drawn */
	bool hosted;		/* main() and a C library in place of _start */
	/* Without these functions, these steps of functions (a bit for each), and without these
	 * functions' attributes: for making a failing program smaller. */
	bool dropped[GENERATE_FUNCTIONS_MAX];
	uint8_t dropped_steps[GENERATE_FUNCTIONS_MAX];
	bool dropped_attributes[GENERATE_FUNCTIONS_MAX];
};

/* ---- generate_random.c ------------------------------------------------------------------ */

struct random {
	uint64_t state;
};
/* Numbers for one purpose; those for another are independent of how many were drawn. */
void random_init(struct random *random, uint64_t seed, const char *purpose);
uint64_t random_next(struct random *random);
/* Below bound, which is not 0. */
unsigned int random_below(struct random *random, unsigned int bound);
/* first..last */
unsigned int random_between(struct random *random, unsigned int first, unsigned int last);
bool random_chance(struct random *random, unsigned int percent);

/* ---- the graph -------------------------------------------------------------------------- */

/* How a function is called: what its frame, or its caller's, must hold. */
enum interface {
	INTERFACE_PLAIN,    /* (x, d) */
	INTERFACE_MANY,	    /* five to ten arguments more, most of them pushed */
	INTERFACE_VARIADIC, /* (count, ...): the register save area */
	INTERFACE_STRUCT,   /* a struct by value, on the stack */
	INTERFACE_RETURNS,  /* (x, d), returns a struct in the caller's memory */
	INTERFACE_DOUBLE,   /* (double, x, d) */
	INTERFACE_POINTER,  /* (&x, d): the caller's variable must be in memory */
};

enum attribute {
	ATTRIBUTE_INLINE = 1 << 0, /* may be inlined: not noinline */
	ATTRIBUTE_COLD = 1 << 1,
	ATTRIBUTE_HOT = 1 << 2,
	ATTRIBUTE_ALONE = 1 << 3,	/* nothing is known about it where it is called: noipa */
	ATTRIBUTE_UNOPTIMISED = 1 << 4, /* optnone, optimize("O0") */
	ATTRIBUTE_REALIGN = 1 << 5,	/* force_align_arg_pointer */
	ATTRIBUTE_MS_ABI = 1 << 6,  /* Windows' convention: rdi, rsi, xmm6 to 15 are callee-saved */
	ATTRIBUTE_SECTION = 1 << 7, /* a section of its own */
	ATTRIBUTE_PATCHABLE = 1 << 8, /* nops at the entry */
	ATTRIBUTE_ZERO_REGS = 1 << 9, /* zero_call_used_regs */
	ATTRIBUTE_GLOBAL = 1 << 10,   /* not static */
};
#define ATTRIBUTE_COUNT 11

#define NO_CALLEE	 (-1)
#define STEP_CALLEES_MAX 9

struct step_kind;

enum rounds {
	ROUNDS_FIXED,
	ROUNDS_SAME, /* the caller's */
	ROUNDS_LESS, /* the caller's less 1: recursion; the call is behind "if (d)" */
};

struct step {
	const struct step_kind *kind;
	uint64_t key[4];
	unsigned int count; /* of registers, words, cases, rounds: by kind */
	unsigned int shift; /* 1 to 30 */
	int callee[STEP_CALLEES_MAX];
	unsigned int callees;
	enum rounds rounds_are; /* d for the callee */
	unsigned int rounds;
};

#define FUNCTION_STEPS_MAX 8
struct function {
	enum interface interface;
	unsigned int extra;	 /* arguments, or the struct's words */
	unsigned int attributes; /* enum attribute */
	unsigned int steps;
	struct step step[FUNCTION_STEPS_MAX];
	uint64_t key;
	bool dropped;
};

struct graph {
	struct generate_options options;
	unsigned int functions, depth;
	uint64_t instructions; /* the limit */
	struct function function[GENERATE_FUNCTIONS_MAX];
	uint64_t source[GENERATE_SOURCES];
	/* What is called first: functions that nobody else reaches. */
	int root[GENERATE_FUNCTIONS_MAX];
	unsigned int root_rounds[GENERATE_FUNCTIONS_MAX];
	unsigned int roots;
	int handler_callee; /* of the signal handler */
	bool ends_inside;   /* the program ends in a function that doesn't return */
};

/* A graph that keeps its limits, and whose every function (dropped ones excepted) is executed.
 * -1: it can't, or a function that is to be dropped isn't there. */
int graph_draw(const struct generate_options *options, struct graph *ret, struct error *error);
bool graph_has_step(const struct graph *graph, const char *name);

/* A step in its place. */
struct site {
	const struct graph *graph;
	unsigned int function, index;
	const struct step *step;
};

/* ---- generate_worth.c ------------------------------------------------------------------- */

/* One execution of a graph. */
struct worth {
	const struct graph *graph;
	uint64_t instructions;	       /* an estimate from above, at -O0 with a stack protector */
	uint64_t stack, stack_max;     /* bytes, estimated */
	unsigned int depth, depth_max; /* calls that are open */
	uint64_t calls[GENERATE_FUNCTIONS_MAX];
	/* How often each step called. */
	uint64_t called[GENERATE_FUNCTIONS_MAX][FUNCTION_STEPS_MAX];
	bool over;			   /* a limit was passed; the rest was not executed */
	unsigned int at_function, at_step; /* there, if it was by depth or stack */
	bool at_root;
	bool by_instructions;
};

/* Executes the graph: *ret, and the value of the program. */
uint64_t graph_worth(const struct graph *graph, struct worth *ret);

/* For the kinds of step. */
void worth_spend(struct worth *worth, uint64_t instructions);
/* The step at site calls it; NULL: nobody does. */
uint64_t worth_of_function(struct worth *worth, const struct site *site, unsigned int function,
			   uint64_t x, unsigned int d);
uint64_t worth_of_handler(struct worth *worth, const struct site *site, uint64_t x);
/* x after print_call() of one of a step's callees. */
uint64_t worth_of_call(struct worth *worth, const struct site *site, unsigned int callee,
		       uint64_t x, unsigned int d);
/* The bytes of stack that are in use until worth_give_stack(). */
void worth_take_stack(struct worth *worth, const struct site *site, uint64_t bytes);
void worth_give_stack(struct worth *worth, uint64_t bytes);
/* The same of the calls that are open. */
void worth_open_calls(struct worth *worth, const struct site *site, unsigned int calls);
void worth_close_calls(struct worth *worth, unsigned int calls);

/* ---- generate_steps.c, generate_frames.c, generate_leave.c ------------------------------ */

struct step_kind {
	const char *name;
	unsigned int weight; /* how often it is drawn */
	bool last;	     /* ends its function: nothing follows */
	bool needs_callees;  /* without one of them it becomes a mix */
	/* False: no such step can be in that function. */
	bool (*draw)(struct random *random, const struct graph *graph, unsigned int function,
		     struct step *step);
	void (*print)(FILE *file, const struct site *site);
	/* x after the step. *ret_returned: the function has returned it. */
	uint64_t (*worth)(struct worth *worth, const struct site *site, uint64_t x, unsigned int d,
			  bool *ret_returned);
	/* What it needs outside its function; may be NULL. */
	void (*print_before)(FILE *file, const struct site *site);
};

/* Each array ends with a kind without a name. */
extern const struct step_kind steps_going_on[], steps_in_frames[], steps_leaving[];
/* In the order of the arrays; NULL behind the last one. */
const struct step_kind *step_kind_at(size_t index);
const struct step_kind *step_kind_find(const char *name);

/* Whether a function is called with (x, d) by the psABI: by a table, or by a jump. */
bool function_is_plain(const struct function *function);
/* A function further down, or NO_CALLEE if there is none. */
int callee_draw(struct random *random, const struct graph *graph, unsigned int function,
		bool plain);
/* A step's only callee (perhaps none, if it may be), and how often that may recurse. */
bool step_draw_callee(struct random *random, const struct graph *graph, unsigned int function,
		      struct step *step);

/* ---- generate_text.c, generate_bare.c --------------------------------------------------- */

/* A number in C. */
#define KEY "0x%" PRIx64 "UL"

void graph_print(FILE *file, const struct graph *graph, uint64_t expected);
/* What takes a C library's place, or includes it. */
void graph_print_system(FILE *file, const struct graph *graph);
/* "x += f(x ^ key, d);" for one of a step's callees, with so many tabs before it. */
void print_call(FILE *file, const struct site *site, unsigned int callee, unsigned int tabs);
/* "return value;", whatever the function returns. */
void print_return(FILE *file, const struct site *site, const char *value, unsigned int tabs);
/* What a step gives its callee for d. */
void print_rounds(FILE *file, const struct step *step);

/* "--seed 7 --drop 3 --drop 5.0": the program as the options that make it. */
void print_options(FILE *file, const struct generate_options *options);
/* Graph, worth and text in one. -1: the limits can't be kept, or a write failed. */
int generate_program(const struct generate_options *options, FILE *file, struct error *error);

/* ---- generate_reduce.c ------------------------------------------------------------------ */

struct generate_reducing {
	const char *command;	 /* for /bin/sh -c; every {} is the program's path */
	unsigned int timeout_ms; /* for the command, each time */
	/* Called after each program that was tried, with how many there were; or NULL. */
	void (*progress)(void *context, unsigned int tried,
			 const struct generate_options *smallest);
	void *context;
};

/* What a program consists of, and what the command said of it. */
struct generate_size {
	unsigned int functions, steps, attributes;
};
struct generate_reduced {
	int status; /* of the command, by which a program is known that still shows it */
	unsigned int tried;
	int again; /* the same, once more of the smallest at the end; -1: it hangs */
	struct generate_size before, after;
};

/* Whether a command says where the program goes. */
bool generate_command_is_whole(const char *command);
/*
 * Leaves out functions, steps and attributes as long as the command ends with the status that it
 * has for the whole program. options: the program; then the smallest one found, from which nothing
 * more can be left out. ERROR_PROTOCOL: the status is 0, the command was not found, or died of a
 * signal; ERROR_TIMEOUT; ERROR_SYSTEM with EINTR: a signal came, and options is what was reached.
 * Where ret->again is another status, the command does not end alike each time.
 */
int generate_reduce(const struct generate_reducing *reducing, struct generate_options *options,
		    struct generate_reduced *ret, struct error *error);

/* ---- generate_flags.c ------------------------------------------------------------------- */

enum compiler_family { FAMILY_GCC, FAMILY_CLANG };
/* The flags that a seed draws, separated by blanks: the level is one of levels' words. */
void generate_flags(uint64_t seed, enum compiler_family family, const char *levels, FILE *file);

#endif
