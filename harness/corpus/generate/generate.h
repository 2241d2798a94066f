/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate.h - random programs: a graph of functions, its value, its text in C
 *
 *	commands/generate.c  the command line
 *	generate_random.c	the random numbers
 *	generate_draw.c		seed -> graph, changed until it keeps its limits
 *	generate_worth.c	executes a graph: its value, and an estimate of its costs
 *	generate_text.c		graph -> C
 *	generate_bare.c		what a program has in place of a C library
 *	generate_steps.c	the kinds of step: how each is drawn, printed and executed here
 *	generate_frames.c	kinds of step that hold something in the frame
 *	generate_leave.c	kinds of step that leave a function other than by its end
 *	generate_flags.c	seed -> a compiler's flags
 *	generate_reduce.c	a program -> the smallest one with which a command still ends as before
 *
 * A function takes a number x (and d, how often it may still recurse), does a few steps, each of which
 * changes x, and returns x. Each kind of step makes compilers lay out a frame in another way. Steps are
 * executed here, too (their "worth"), so the program contains the result that it must reach.
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
#define GENERATE_SOURCES       8      /* volatile words, whose values compilers can't know */
#define GENERATE_STACK_MAX     524288 /* bytes */
/* Limit of a program's estimated instructions at -O0. */
#define GENERATE_INSTRUCTIONS_MAX 45000

struct generate_options {
	uint64_t seed;
	unsigned int functions; /* 0: drawn */
	unsigned int depth;	/* nested calls; 0: drawn */
	bool hosted;		/* main() and a C library in place of _start */
	/* To make a failing program smaller: functions, their steps (a bit for each), and functions'
	 * attributes that are left out. */
	bool dropped[GENERATE_FUNCTIONS_MAX];
	uint8_t dropped_steps[GENERATE_FUNCTIONS_MAX];
	bool dropped_attributes[GENERATE_FUNCTIONS_MAX];
};

/* ---- generate_random.c ------------------------------------------------------------------ */

struct random {
	uint64_t state;
};
/* Begins the numbers for a purpose; each purpose has a sequence of its own. */
void random_init(struct random *random, uint64_t seed, const char *purpose);
uint64_t random_next(struct random *random);
/* From 0 to bound - 1; bound is not 0. */
unsigned int random_below(struct random *random, unsigned int bound);
/* From first to last. */
unsigned int random_between(struct random *random, unsigned int first, unsigned int last);
/* True with a probability of percent. */
bool random_chance(struct random *random, unsigned int percent);

/* ---- the graph -------------------------------------------------------------------------- */

/* How a function is called, which decides what its frame, or its caller's, must hold. */
enum interface {
	INTERFACE_PLAIN,    /* (x, d) */
	INTERFACE_MANY,	    /* (x, d) and five to ten more, most of them pushed */
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
	ATTRIBUTE_ALONE = 1 << 3,	/* noipa: callers know nothing about its code */
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
	ROUNDS_SAME, /* the caller's d */
	ROUNDS_LESS, /* the caller's d less 1: recursion, called only "if (d)" */
};

struct step {
	const struct step_kind *kind;
	uint64_t key[4];
	unsigned int count;	      /* of registers, words, cases or rounds, depending on kind */
	unsigned int shift;	      /* 1 to 30 */
	int callee[STEP_CALLEES_MAX]; /* function numbers, or NO_CALLEE */
	unsigned int callees;
	enum rounds rounds_are; /* the callee's d */
	unsigned int rounds;	/* for ROUNDS_FIXED */
};

#define FUNCTION_STEPS_MAX 8
struct function {
	enum interface interface;
	unsigned int extra;	 /* number of further arguments, or of the struct's words */
	unsigned int attributes; /* enum attribute */
	unsigned int steps;
	struct step step[FUNCTION_STEPS_MAX];
	uint64_t key;
	bool dropped;
};

struct graph {
	struct generate_options options;
	unsigned int functions, depth;
	uint64_t instructions; /* limit of the estimate */
	struct function function[GENERATE_FUNCTIONS_MAX];
	uint64_t source[GENERATE_SOURCES];
	/* Functions that no other function reaches: the program's first function calls them. */
	int root[GENERATE_FUNCTIONS_MAX];
	unsigned int root_rounds[GENERATE_FUNCTIONS_MAX]; /* their d */
	unsigned int roots;
	int handler_callee; /* the function that the signal handler calls */
	bool ends_inside;   /* the program ends in a function that doesn't return */
};

/* Draws a graph that keeps its limits, and executes every function that is not dropped. -1: it can't keep
 * them, or a function or step that is to be dropped does not exist. */
int graph_draw(const struct generate_options *options, struct graph *ret, struct error *error);
bool graph_has_step(const struct graph *graph, const char *name);

/* A step, and where it is. */
struct site {
	const struct graph *graph;
	unsigned int function, index;
	const struct step *step;
};

/* ---- generate_worth.c ------------------------------------------------------------------- */

/* One execution of a graph. */
struct worth {
	const struct graph *graph;
	uint64_t instructions;	       /* an upper estimate, at -O0 with a stack protector */
	uint64_t stack, stack_max;     /* bytes in use, estimated */
	unsigned int depth, depth_max; /* open calls */
	uint64_t calls[GENERATE_FUNCTIONS_MAX]; /* how often each function was called */
	/* How often each step made a call. */
	uint64_t called[GENERATE_FUNCTIONS_MAX][FUNCTION_STEPS_MAX];
	bool over;			   /* a limit was passed; the rest was not executed */
	unsigned int at_function, at_step; /* where depth or stack passed its limit */
	bool at_root;			   /* that was in the call of a root */
	bool by_instructions;		   /* the instructions passed their limit */
};

/* Executes the graph, and returns the program's value. */
uint64_t graph_worth(const struct graph *graph, struct worth *ret);

/* For the kinds of step. Adds to the instructions: */
void worth_spend(struct worth *worth, uint64_t instructions);
/* Executes a function that the step at site calls; NULL: it is a root. Returns its result. */
uint64_t worth_of_function(struct worth *worth, const struct site *site, unsigned int function,
			   uint64_t x, unsigned int d);
/* Returns x after a signal in the step at site. */
uint64_t worth_of_handler(struct worth *worth, const struct site *site, uint64_t x);
/* Returns x after print_call()'s text for a step's callee. */
uint64_t worth_of_call(struct worth *worth, const struct site *site, unsigned int callee,
		       uint64_t x, unsigned int d);
/* Bytes of stack are in use until worth_give_stack(). */
void worth_take_stack(struct worth *worth, const struct site *site, uint64_t bytes);
void worth_give_stack(struct worth *worth, uint64_t bytes);
/* Calls are open until worth_close_calls(). */
void worth_open_calls(struct worth *worth, const struct site *site, unsigned int calls);
void worth_close_calls(struct worth *worth, unsigned int calls);

/* ---- generate_steps.c, generate_frames.c, generate_leave.c ------------------------------ */

struct step_kind {
	const char *name;
	unsigned int weight; /* relative frequency */
	bool last;	     /* the step ends its function: nothing follows */
	bool needs_callees;  /* if a callee is dropped, the step becomes a mix */
	/* False: the function can't have such a step. */
	bool (*draw)(struct random *random, const struct graph *graph, unsigned int function,
		     struct step *step);
	void (*print)(FILE *file, const struct site *site);
	/* Returns x after the step. *ret_returned: the step has returned x from the function. */
	uint64_t (*worth)(struct worth *worth, const struct site *site, uint64_t x, unsigned int d,
			  bool *ret_returned);
	/* Prints what the step needs before its function; may be NULL. */
	void (*print_before)(FILE *file, const struct site *site);
};

/* Each array ends with a kind without a name. */
extern const struct step_kind steps_going_on[], steps_in_frames[], steps_leaving[];
/* In the order of the arrays; NULL after the last kind. */
const struct step_kind *step_kind_at(size_t index);
const struct step_kind *step_kind_find(const char *name);

/* True if a function is called with (x, d) by the psABI, so that a table or a jump can lead to it. */
bool function_is_plain(const struct function *function);
/* Draws a function with a higher number. plain: it must be plain. NO_CALLEE: there is none. */
int callee_draw(struct random *random, const struct graph *graph, unsigned int function,
		bool plain);
/* Draws a step's only callee, perhaps NO_CALLEE, and how often it may recurse. Always true. */
bool step_draw_callee(struct random *random, const struct graph *graph, unsigned int function,
		      struct step *step);

/* ---- generate_text.c, generate_bare.c --------------------------------------------------- */

/* printf's format of a number in C. */
#define KEY "0x%" PRIx64 "UL"

/* expected: the program's value, by graph_worth(). */
void graph_print(FILE *file, const struct graph *graph, uint64_t expected);
/* Prints what replaces a C library, or the includes of one. */
void graph_print_system(FILE *file, const struct graph *graph);
/* Prints "x += f(x ^ key, d);" for a step's callee, after so many tabs. */
void print_call(FILE *file, const struct site *site, unsigned int callee, unsigned int tabs);
/* Prints "return value;", with value converted to what the function returns. */
void print_return(FILE *file, const struct site *site, const char *value, unsigned int tabs);
/* Prints the argument d of a step's callee. */
void print_rounds(FILE *file, const struct step *step);

/* Prints the options that make the program: "--seed 7 --drop 3 --drop 5.0". */
void print_options(FILE *file, const struct generate_options *options);
/* Draws, executes and prints a program. -1: the limits can't be kept, or a write failed. */
int generate_program(const struct generate_options *options, FILE *file, struct error *error);

/* ---- generate_reduce.c ------------------------------------------------------------------ */

struct generate_reducing {
	const char *command;	 /* for /bin/sh -c; every {} is the program's path */
	unsigned int timeout_ms; /* of each run of the command */
	/* Called after each tried program, with their number; or NULL. */
	void (*progress)(void *context, unsigned int tried,
			 const struct generate_options *smallest);
	void *context;
};

/* The number of a program's parts. */
struct generate_size {
	unsigned int functions, steps, attributes;
};
struct generate_reduced {
	int status; /* the command's exit status for the whole program */
	unsigned int tried;
	int again; /* the exit status for the smallest program, run once more; -1: it timed out */
	struct generate_size before, after;
};

/* True if a command contains the program's place, {}. */
bool generate_command_is_whole(const char *command);
/*
 * Leaves out functions, steps and attributes as long as the command ends with the same status as for the
 * whole program. options: the whole program, then the smallest one found, from which nothing more can be
 * left out. If ret->again differs from ret->status, the command's result is not stable. ERROR_PROTOCOL:
 * the first status is 0, the command was not found, or died of a signal; ERROR_TIMEOUT; ERROR_SYSTEM with
 * EINTR: a signal came, and options is the smallest program so far.
 */
int generate_reduce(const struct generate_reducing *reducing, struct generate_options *options,
		    struct generate_reduced *ret, struct error *error);

/* ---- generate_flags.c ------------------------------------------------------------------- */

enum compiler_family { FAMILY_GCC, FAMILY_CLANG };
/* Prints the flags that a seed draws, separated by blanks. levels: words, one of which is the level. */
void generate_flags(uint64_t seed, enum compiler_family family, const char *levels, FILE *file);

#endif
