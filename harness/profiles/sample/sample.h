/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample.h - the walk in the kernel at a clock's ticks, compared with a stepped run of the program
 *
 *	commands/sample.c  the command line
 *	sample_truth.c	steps a program to its end -> the set of its stacks
 *	sample_exchange.c	stacks that no point shows: while the kernel exchanges registers
 *	sample_uprobes.c	what the kernel puts into a program that has uprobes
 *	sample_set.c	a set of stacks
 *	sample_run.c	runs under a clock, until there are samples enough
 *	sample_judge.c	a sample against the set; whether the counts add up
 *	sample_text.c	the result for people
 *	sample_json.c	the result as NDJSON
 *	sample_profile.c	the sampled stacks as a profile
 */
#ifndef STACKPROOF_SAMPLE_H
#define STACKPROOF_SAMPLE_H

#include <stdio.h>
#include "judge/compare/compare.h"
#include "base/gate/gate.h"
#include "sample_set.h"
#include "session.h"
#include "walk/walk_rows.h"

#define SAMPLE_RATES_MAX    8
#define SAMPLE_FINDINGS_MAX 20 /* different stacks that are kept */

/* ---- sample_truth.c ------------------------------------------------------------------------ */

/* In mixtures, an outermost PC that is in no image. */
#define SAMPLE_NOWHERE UINT64_MAX
/* A walk that went astray takes a word of the program's data for a return address: 0, or an address in no
 * mapping, which differs in every run. If the stack ends so, its last PC becomes SAMPLE_NOWHERE. -1:
 * ERROR_MEMORY. */
int sample_end_nowhere(struct stack *stack, struct error *error);

/* ---- sample_uprobes.c ---------------------------------------------------------------------- */

/* What the kernel has put into the program for uprobes that were set on it. Zero-initialise. */
struct sample_uprobes {
	struct mapped_code {
		uint64_t start, end;
	} * code; /* "[uprobes]" */
	size_t code_count;
	struct probed_pcs {
		uint64_t *pc;
		size_t count;
	} breakpoints,	 /* addresses of breakpoints, in place of an instruction's first byte */
		returns; /* true return addresses of functions with a uretprobe */
};
void sample_uprobes_deinit(struct sample_uprobes *uprobes);
/* Notes what a point of the stepped run shows: a breakpoint, or a table's stack that ends in the kernel's
 * code (*ret_ends). -1: ERROR_MEMORY. */
int sample_uprobes_add(struct sample_uprobes *uprobes, const struct evidence *evidence,
		       bool *ret_ends, struct error *error);
/* True if uprobes are why a stack is not true, or ends early. stacks: the true ones. */
bool sample_uprobes_explain(const struct sample_uprobes *uprobes, struct sample_set *stacks,
			    const struct stack *stack);

/* What stepped runs show of the program. */
struct sample_truth {
	struct sample_set *stacks; /* stacks that a sample may have */
	struct sample_set
		*faults; /* stacks that the table gives at points where the CFI itself is wrong */
	struct sample_set
		*mixtures; /* stacks that the table gives while the kernel exchanges registers */
	uint64_t points;
	uint64_t fault_points; /* points where the CFI is wrong, those in system calls included */
	uint64_t suspect; /* points not exact, table fault, flagged loss, absent, or a uprobe's */
	uint64_t open_points; /* points whose truth is only a prefix */
	uint64_t execs;	      /* how often exec replaced the program */
	uint64_t in_kernel;   /* stacks inside a system call, which no point shows */
	uint32_t max_frames;
	unsigned int runs;
	int status;	    /* of the program, as waitpid gives it */
	struct run_cut cut; /* of a run that was cut short */
	double seconds;
	struct address_space entry; /* the images' places at the first point; without tables */
	struct sample_uprobes uprobes;
};

struct sample_stepping {
	char *const *argv;
	bool loader; /* step from the first instruction, else from the entry point; programs that
		      * exec starts are always stepped from the first */
	unsigned int timeout_ms;
};

int sample_truth_init(struct sample_truth *truth, struct error *error);
/* Steps argv to its end, and adds its stacks. */
int sample_truth_add(struct sample_truth *truth, const struct sample_stepping *stepping,
		     struct error *error);
void sample_truth_deinit(struct sample_truth *truth);
/* True if it proves little: fewer than two points, or never three frames. */
bool sample_truth_is_thin(const struct sample_truth *truth);
/* -1: an image lies elsewhere than in the stepped run, so that addresses can't be compared. */
int sample_truth_same_layout(const struct sample_truth *truth, const struct address_space *space,
			     struct error *error);

/* ---- sample_exchange.c --------------------------------------------------------------------- */

/* walk_rows(), walk_table(). */
typedef int sample_walk_fn(const struct address_space *space, const struct register_values *regs,
			   const struct memory_reader *memory, struct walk_memo *memo,
			   struct stack *ret, struct error *error);
/*
 * Walks from inside a system call. There the PC is just after the syscall instruction, which may be its
 * function's last, so the row must be looked up by the byte before, as for a return address.
 */
int sample_walk_behind(sample_walk_fn *walk, const struct point *point,
		       const struct register_values *regs, struct stack *ret, struct error *error);
/* Adds the stacks that a sample may find between this point and the one before it, or the next. syscall:
 * length in bytes of the syscall instruction at the point, or 0. */
int sample_exchange_add(struct sample_set *mixtures, const struct point *point,
			unsigned int syscall, struct error *error);

/* ---- sample_judge.c ------------------------------------------------------------------------ */

/* What a sampled stack is. */
enum sample_class {
	SAMPLE_EXACT,	    /* a true stack, whole, and called complete */
	SAMPLE_TRUNCATED,   /* a true stack's first frames, or all, with a reason to stop there */
	SAMPLE_OPEN,	    /* agrees with a true stack as far as that is known */
	SAMPLE_TABLE_FAULT, /* the table's stack where the CFI is known to be wrong */
	SAMPLE_EXCHANGE,    /* taken while the kernel exchanged the thread's registers */
	SAMPLE_RACED,	    /* the walk did not know yet that the process's mappings had changed */
	SAMPLE_UPROBE,	    /* the kernel has its own address or instruction there, for a uprobe */
	SAMPLE_CUT,	    /* a true stack's first frames, though the table leads on: a finding */
	SAMPLE_OUTSIDE,	    /* none of these: a finding */
	SAMPLE_CLASS_COUNT,
};
const char *sample_class_name(enum sample_class class);
bool sample_class_is_finding(enum sample_class class);

struct sample_finding {
	enum sample_class class;
	struct stack stack;
	uint64_t count;
};

/* All runs at one rate. */
struct sample_score {
	unsigned int rate_hz;
	uint64_t runs;
	uint64_t records;     /* stacks that the session delivered */
	uint64_t lost_memory; /* stacks lost because there was no memory */
	uint64_t class[SAMPLE_CLASS_COUNT];
	uint64_t whole_unproven; /* truncated stacks that have every frame, but no proven end */
	uint64_t frames;
	uint32_t max_frames;
	uint64_t met; /* different true stacks that samples had */
	struct walk_counters counters;
	bool entries_known;
	uint64_t entries; /* the kernel's count of runs of the BPF program that samples */
	uint64_t cpu_ns;  /* CPU time of the runs */
	struct sample_finding *finding;
	size_t finding_count;
	uint64_t findings_not_kept; /* samples with findings beyond SAMPLE_FINDINGS_MAX */
	struct address_space
		space;	 /* of the last run, at its entry point: to name the frames of findings */
	char method[16]; /* how the BPF walk loops */
};

/* Finds a stack's class, except SAMPLE_RACED. *ret_whole: it has every frame of a true stack. -1:
 * ERROR_MEMORY. */
int sample_judge(const struct sample_truth *truth, const struct stack *stack,
		 enum sample_class *ret, bool *ret_whole, struct error *error);
/* Makes a stack of a record. -1: ERROR_PROTOCOL, the record is malformed; or no memory. */
int sample_stack(const struct walk_record *record, struct stack *ret, struct error *error);
/* Counts a judged stack, and keeps a copy if it is a finding. -1: no memory. */
int sample_score_add(struct sample_score *score, enum sample_class class, bool whole,
		     const struct stack *stack, struct error *error);
void sample_score_deinit(struct sample_score *score);

/* Two counts that must be equal. */
struct sample_balance {
	const char *name; /* "lost_unnamed" */
	uint64_t left, right;
	const char *explanation; /* "samples = stacks + losses" */
};
/* True if a balance is broken; *ret is the first one. */
bool sample_account_broken(const struct sample_score *score, struct sample_balance *ret);

/* ---- sample_run.c -------------------------------------------------------------------------- */

/* The event that makes the kernel take samples. */
struct sample_clock {
	const char *name;
	uint32_t type; /* with config: for perf_event_open(2) */
	uint64_t config;
};
/* By name: "cpu", "task", "cycles"; NULL if there is none. */
const struct sample_clock *sample_clock_find(const char *name);

struct sample_options {
	char *const *argv;
	const struct sample_clock *clock;
	uint64_t samples;	 /* at each rate: then no run begins any more */
	uint64_t run_limit;	 /* at most so many runs at each rate */
	unsigned int timeout_ms; /* of a run */
	unsigned int drain_ms;	 /* the interval in which stacks are read */
	enum walk_method method;
	bool children; /* the program's children are sampled, too */
	FILE *profile; /* every stack is written to it; NULL: none is. Not with children */
};

/* Runs the program again and again at score->rate_hz. store: the images of all runs, at all rates. */
int sample_run(const struct sample_options *options, const struct sample_truth *truth,
	       struct image_store *store, struct sample_score *score, struct error *error);

/* ---- sample_text.c, sample_json.c ---------------------------------------------------------- */

struct sample_report {
	const char *program;
	const char *clock;
	const struct sample_truth *truth;
	const struct sample_score *score;
	const struct run_cut *cut; /* what ended the runs early; or NULL */
};

/* Samples per second of CPU time; 0: not known. */
double sample_actual_hz(const struct sample_score *score);
/* True if that is so far below rate_hz that the kernel must have throttled the clock. */
bool sample_is_throttled(const struct sample_score *score);

void sample_print_truth_text(FILE *file, const struct sample_report *report);
void sample_print_text(FILE *file, const struct sample_report *report);
void sample_print_json(FILE *file, const struct sample_report *report);
/* Write the images of a run, before its first stack; and a stack. */
void sample_profile_images(FILE *file, const struct address_space *space);
void sample_profile_stack(FILE *file, const struct address_space *space, const char *event,
			  const struct stack *stack);
/* Prints the last object. failure: the error that ended all early, or "". cut: of the stepped run. */
void sample_print_total_json(FILE *file, const char *program, const char *failure,
			     const struct run_cut *cut, const struct gate *gate);
/* Prints that the environment lacks something. */
void sample_print_skip_json(FILE *file, const char *program, const char *reason,
			    const char *message);

#endif
