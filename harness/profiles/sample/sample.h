/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample.h - the walk in the kernel at a clock's ticks, held against a stepped run of the program
 *
 *	commands/sample.c  the command line
 *	sample_truth.c	a program stepped whole -> the set of its stacks
 *	sample_exchange.c	what no point shows: registers in exchange
 *	sample_uprobes.c	what the kernel puts into a program that has uprobes
 *	sample_set.c	that set
 *	sample_run.c	runs under a clock, until there are samples enough
 *	sample_judge.c	a sample against the set; whether the account adds up
 *	sample_text.c	the result for people
 *	sample_json.c	the result as NDJSON
 *	sample_profile.c	the stacks themselves, as a profile
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
/* A walk that went astray takes any word of the program's data for a return address: 0, or one
 * that points nowhere, and another in another run. Puts SAMPLE_NOWHERE in its place. 0, or -1:
 * ERROR_MEMORY. */
int sample_end_nowhere(struct stack *stack, struct error *error);

/* ---- sample_uprobes.c ---------------------------------------------------------------------- */

/* What the kernel has put into the program for uprobes that others have set on it. Zeroed: nothing. */
struct sample_uprobes {
	struct mapped_code {
		uint64_t start, end;
	} * code; /* "[uprobes]" */
	size_t code_count;
	struct probed_pcs {
		uint64_t *pc;
		size_t count;
	} breakpoints,	 /* in place of an instruction's first byte */
		returns; /* where functions with a uretprobe return to in truth */
};
void sample_uprobes_deinit(struct sample_uprobes *uprobes);
/* Looks at a point of the stepped run: is there a breakpoint, or does the table's stack end in the kernel's
 * code? *ret_ends: it does. 0, or -1: ERROR_MEMORY. */
int sample_uprobes_add(struct sample_uprobes *uprobes, const struct evidence *evidence,
		       bool *ret_ends, struct error *error);
/* A stack that is not true, or ends early, is so because of them. stacks: the true ones. */
bool sample_uprobes_explain(const struct sample_uprobes *uprobes, struct sample_set *stacks,
			    const struct stack *stack);

/* What stepped runs say of the program. */
struct sample_truth {
	struct sample_set *stacks; /* that a sample may have */
	struct sample_set
		*faults; /* what the table makes of points where the CFI itself is wrong */
	struct sample_set
		*mixtures; /* what the table makes of registers that the kernel exchanges */
	uint64_t points;
	uint64_t fault_points; /* where it is, those in system calls included */
	uint64_t suspect;      /* points where not the CFI but something of ours is wrong */
	uint64_t open_points;  /* whose truth is only a prefix */
	uint64_t execs;	       /* programs that replaced the one before, in its process */
	uint64_t in_kernel;    /* stacks inside a system call, which no point shows */
	uint32_t max_frames;
	unsigned int runs;
	int status;	    /* of the program, as waitpid gives it */
	struct run_cut cut; /* the run that was not whole, if there was one */
	double seconds;
	struct address_space entry; /* where its images lay at its first point; no tables */
	struct sample_uprobes uprobes;
};

struct sample_stepping {
	char *const *argv;
	bool loader; /* from the first instruction on, else from the entry point; of a program
		      * that exec brings in always from the first */
	unsigned int timeout_ms;
};

int sample_truth_init(struct sample_truth *truth, struct error *error);
/* Steps argv to its end, and adds its stacks. */
int sample_truth_add(struct sample_truth *truth, const struct sample_stepping *stepping,
		     struct error *error);
void sample_truth_deinit(struct sample_truth *truth);
/* True if it proves little. */
bool sample_truth_is_thin(const struct sample_truth *truth);
/* The images must lie where they lay, or no address can be compared. */
int sample_truth_same_layout(const struct sample_truth *truth, const struct address_space *space,
			     struct error *error);

/* ---- sample_exchange.c --------------------------------------------------------------------- */

/* walk_rows(), walk_table(). */
typedef int sample_walk_fn(const struct address_space *space, const struct register_values *regs,
			   const struct memory_reader *memory, struct walk_memo *memo,
			   struct stack *ret, struct error *error);
/*
 * Inside a system call the PC is behind its instruction, and is looked up as a return address is:
 * the instruction may be its function's last. Neither walk knows of system calls, but from the byte
 * before they find the same.
 */
int sample_walk_behind(sample_walk_fn *walk, const struct point *point,
		       const struct register_values *regs, struct stack *ret, struct error *error);
/* Adds what a sample may find between this point and the one before it, or the next. syscall: bytes
 * of the system call that is about to be made, or 0. */
int sample_exchange_add(struct sample_set *mixtures, const struct point *point,
			unsigned int syscall, struct error *error);

/* ---- sample_judge.c ------------------------------------------------------------------------ */

/* What a sampled stack turned out to be. */
enum sample_class {
	SAMPLE_EXACT,	    /* a true stack, whole, and called complete */
	SAMPLE_TRUNCATED,   /* the first frames of one, or all, not called complete, for a reason */
	SAMPLE_OPEN,	    /* agrees with a true stack as far as that is known */
	SAMPLE_TABLE_FAULT, /* what the table says where the CFI is known to be wrong */
	SAMPLE_EXCHANGE,    /* taken while the kernel exchanged the thread's registers */
	SAMPLE_RACED,	    /* the process's mappings had changed and the walk did not know yet */
	SAMPLE_UPROBE,	    /* the kernel has its own address or instruction there, for a uprobe */
	SAMPLE_CUT,	    /* the first frames of one, though the table leads further: a finding */
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
	uint64_t records;     /* that came out of the session */
	uint64_t lost_memory; /* stacks that there was no memory for */
	uint64_t class[SAMPLE_CLASS_COUNT];
	uint64_t whole_unproven; /* of the truncated: every frame, but the end not proven */
	uint64_t frames;
	uint32_t max_frames;
	uint64_t met; /* different true stacks that samples had */
	struct walk_counters counters;
	bool entries_known;
	uint64_t entries; /* how often the kernel ran the program that samples: its own count */
	uint64_t cpu_ns;  /* that the runs used */
	struct sample_finding *finding;
	size_t finding_count;
	uint64_t findings_not_kept; /* samples of other stacks */
	struct address_space
		space;	 /* of the last run, at its entry point: to name what was found */
	char method[16]; /* how the walk goes round */
};

/* Which one it is. *ret_whole: every frame of a true stack. 0, or -1: ERROR_MEMORY. */
int sample_judge(const struct sample_truth *truth, const struct stack *stack,
		 enum sample_class *ret, bool *ret_whole, struct error *error);
/* A record's stack. */
int sample_stack(const struct walk_record *record, struct stack *ret, struct error *error);
/* Counts a stack that was judged, and keeps it if it is a finding. */
int sample_score_add(struct sample_score *score, enum sample_class class, bool whole,
		     const struct stack *stack, struct error *error);
void sample_score_deinit(struct sample_score *score);

/* A sum that must come out. */
struct sample_balance {
	const char *name;	 /* "samples_in_out" */
	uint64_t left, right;	 /* equal */
	const char *explanation; /* "samples = stacks + losses" */
};
/* The first that does not; false if all do. */
bool sample_account_broken(const struct sample_score *score, struct sample_balance *ret);

/* ---- sample_run.c -------------------------------------------------------------------------- */

/* What ticks. */
struct sample_clock {
	const char *name;
	uint32_t type; /* of perf_event_open(2) */
	uint64_t config;
};
/* By name: "cpu", "task", "cycles"; NULL if there is none. */
const struct sample_clock *sample_clock_find(const char *name);

struct sample_options {
	char *const *argv;
	const struct sample_clock *clock;
	uint64_t samples;	 /* at each rate; enough */
	uint64_t run_limit;	 /* runs at each rate, whatever came */
	unsigned int timeout_ms; /* of a run */
	unsigned int drain_ms;	 /* stacks are read so often */
	enum walk_method method;
	bool children; /* the processes that it starts are sampled, too */
	FILE *profile; /* every stack goes there; NULL: nowhere. Not with children */
};

/* Runs the program again and again at score->rate_hz. store: for all runs, of any rate. */
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

/* How often the program was sampled in a second of CPU time: less than was asked for if the kernel
 * throttled the clock. */
double sample_actual_hz(const struct sample_score *score);
bool sample_is_throttled(const struct sample_score *score);

void sample_print_truth_text(FILE *file, const struct sample_report *report);
void sample_print_text(FILE *file, const struct sample_report *report);
void sample_print_json(FILE *file, const struct sample_report *report);
/* What a run's stacks are made of, before the first of them; and one. */
void sample_profile_images(FILE *file, const struct address_space *space);
void sample_profile_stack(FILE *file, const struct address_space *space, const char *event,
			  const struct stack *stack);
/* The last object. failure: what ended it before all was done; "": nothing did. cut: of the stepped
 * run. */
void sample_print_total_json(FILE *file, const char *program, const char *failure,
			     const struct run_cut *cut, const struct gate *gate);
/* The environment lacks something. */
void sample_print_skip_json(FILE *file, const char *program, const char *reason,
			    const char *message);

#endif
