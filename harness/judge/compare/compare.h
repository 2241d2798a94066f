/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare.h - engines held against the truth over one program's run
 *
 *	commands/compare.c  the command line
 *	compare_run.c	tracer, engines and verdicts brought together: a comparer
 *	compare_point.c	one point
 *	compare_score.c	what each engine's stack is worth there
 *	compare_cost.c	what its stacks cost
 *	compare_rank.c	which engine did best
 *	compare_require.c	what engines must reach
 *	compare_doubt.c	where the truth must prove itself first
 *	compare_provisional.c	what the shadow stacks say reaches the doubts and the points that agree
 *	compare_contexts.c	all true stacks of a run (compare_contexts.h)
 *	compare_marks.c	who wants to know of each point whether its truth was proven
 *	compare_lost.c	points that can't be judged: the thread is being killed
 *	compare_ignore.c	findings held against a list of those that are ignored
 *	compare_external.c	how engines fared that are programs of their own
 *	compare_ending.c	how the program ended, and whether the run was whole
 *	compare_stacks.c	each point's stacks, in a file
 *	compare_json.c	the result as NDJSON: the contract of ARCHITECTURE
 *	compare_text.c	the result for people
 */
#ifndef STACKPROOF_COMPARE_H
#define STACKPROOF_COMPARE_H

#include "engines/built_in/engine.h"
#include "compare_require.h"
#include "truth/ending/ending.h"
#include "engines/external/external.h"
#include "base/gate/gate.h"
#include "truth/tracer/truth.h"
#include "judge/verdict/doubt.h"

#define COMPARE_ENGINES_MAX ENGINES_MAX

/* Rows that images were given by compare_options.prepare, of all programs so far. */
struct compare_synthesized {
	uint64_t images, functions, written; /* functions without CFI, of these with rows */
	uint64_t replaced;		     /* functions with other rows than their FDE's */
};

struct compare_options {
	const struct engine *engine[COMPARE_ENGINES_MAX];
	size_t engine_count;
	enum walk_method method; /* how the BPF walk goes round */
	/* bpf and table follow frame pointers where there is no CFI. */
	bool follow_frame_pointers;
	/* Asked of each image that is met: it may add to its CFI, and counts what in *synthesized. NULL:
	 * nobody is. (The room of compare knows nothing of how rows are made.) */
	image_prepare_fn prepare;
	void *prepare_context;
	const struct compare_synthesized *synthesized;
	/* Where the stack is right, the callee-saved registers that the CFI brings back are held
	 * against the truth too (registers.c). */
	bool registers;
	/* Told each point's verdict; NULL: nobody is. */
	void (*on_judgement)(void *context, const struct point *point,
			     const struct judgement *judgement);
	/* Told each point's stacks, before the verdict; NULL: nobody is. */
	void (*on_evidence)(void *context, const struct evidence *evidence);
	/* Told each engine's stack there, between the two; NULL: nobody is. What an engine did not
	 * say it is not told. */
	void (*on_stack)(void *context, const struct point *point, const struct engine *engine,
			 const struct stack *stack);
	/* Told last, when all of the point has been judged and asked: -1 ends the run with the error
	 * that it has set. NULL: nobody is. */
	int (*on_point)(void *context, const struct point *point, const struct judgement *judgement,
			struct error *error);
	/*
	 * Gives each way to read a point, by the truth or as the CFI has it, a number for on_proven:
	 * -1 ends the run with the error that it has set. NULL: nobody wants to know.
	 */
	int (*on_reading)(void *context, const struct point *point, const struct stack *truth,
			  uint64_t *ret_mark, struct error *error);
	/* Told, some time after that, that so many points with that number were so; or (false) that it
	 * can't be known. Of what turned out not to be so nothing is told. */
	void (*on_proven)(void *context, uint64_t mark, uint64_t count, bool proven);
	/* Told that the mappings were read, or read anew. NULL: nobody is. */
	void (*on_mappings)(void *context);
	void *context;
};

/* What an engine's stacks cost (compare_cost.c). What is not known is 0, and so is its number of
 * stacks. */
struct engine_cost {
	uint64_t walks, walk_ns; /* stacks that were timed */
	uint64_t sized, bytes;	 /* stacks of which it is known how much was read or sent */
};

/* One engine's part of the result. */
struct compare_engine {
	const struct engine *engine;
	void *open; /* its own state, while the comparer lives */
	bool skipped;
	struct error skip; /* why */
	struct score score;
	struct engine_cost cost;
	bool answered;			 /* at the point at hand */
	struct external_report external; /* if it is a program of its own */
};

struct comparison {
	struct compare_engine engine[COMPARE_ENGINES_MAX];
	size_t engine_count;
	uint64_t points;
	uint64_t verdict[VERDICT_COUNT];
	uint64_t missing;   /* table faults because no FDE covers a PC */
	uint64_t transit;   /* points between abandoning frames and jumping */
	uint64_t uncovered; /* points with a frame (but the outermost) that no FDE covers */
	uint64_t unproven[DOUBT_REASON_COUNT]; /* add up to verdict[VERDICT_UNPROVEN] */
	uint64_t doubts;		       /* points that were put to one */
	struct findings findings;
	uint64_t ignored_findings;	 /* of these, by a list (ignore/ignore.h) */
	uint64_t ignored[VERDICT_COUNT]; /* their points; verdict[] has them, too */
	struct tracer_counters truth;
	int status;	       /* of the program, as waitpid gives it */
	uint64_t digest;       /* of the bpf engine's stacks, the same wherever images are mapped */
	uint64_t truth_digest; /* of the truth at the same points */
	char bpf_method[16];   /* "" if no engine ran in the kernel */
	bool follows_frame_pointers;
	const struct compare_synthesized *synthesized; /* of the options; NULL: none were */
	uint64_t elapsed_ns;
	uint64_t unmarked; /* points that on_proven could not be told of: no memory */
	uint64_t
		unread; /* points of a thread that was killed while it was looked at: judged nowhere */
	struct run_cut cut;		       /* how the run ended, if it was not whole */
	bool strict;			       /* what could not be checked fails */
	const struct requirement *requirement; /* borrowed */
	size_t requirement_count;
};

/*
 * Engines, images and the BPF programs, for any number of programs one after the other. Loading BPF
 * costs seconds in an emulated guest, and the tables of the C library are the same for all.
 */
struct comparer;
int comparer_create(const struct compare_options *options, struct comparer **ret,
		    struct error *error);
void comparer_destroy(struct comparer *comparer);
/* Runs a program. -1: the environment failed (error); the program's own failure is not an error. */
int comparer_run(struct comparer *comparer, const struct tracer_options *options,
		 struct comparison *ret, struct error *error);
/*
 * As comparer_run(); but of a run that was not whole, ret has what was found until then. True: it
 * was whole. False: ret->cut says why not. ret is the caller's to deinit in any case.
 */
bool comparer_run_far(struct comparer *comparer, const struct tracer_options *options,
		      struct comparison *ret);
void comparison_deinit(struct comparison *comparison);
/* True if there is something that exit status 1 must say: of what is ignored it has been said. */
bool comparison_has_findings(const struct comparison *comparison);
struct ignore_list;
/* Marks the comparison's findings that an entry matches, and counts them there and here. */
void ignore_list_apply(struct ignore_list *list, struct comparison *comparison);
/* Points that are ignored, of all verdicts. */
uint64_t comparison_ignored(const struct comparison *comparison);
/* What was compared, and what was not. */
void comparison_gate(const struct comparison *comparison, struct gate *ret);
/* More than UNPROVEN_SHARE_MAX of the points are unproven. */
bool comparison_is_doubtful(const struct comparison *comparison);
/* True if the run proved little: too few points, or most of them without a whole truth. */
bool comparison_is_thin(const struct comparison *comparison);

/* "exited with status 3", "was ended by SIGSEGV (Segmentation fault)", "did not come to its
 * end". */
void compare_ending_text(const struct comparison *comparison, char *text, size_t size);
double compare_points_per_second(const struct comparison *comparison);

/* Those that were not skipped, best first; how many. The order: compare_rank.c. */
size_t compare_rank(const struct comparison *comparison,
		    const struct compare_engine *ret[COMPARE_ENGINES_MAX]);
void compare_print_ranking(FILE *file, const struct comparison *comparison);

void compare_print_json(FILE *file, const char *program, const struct comparison *comparison);
void compare_print_text(FILE *file, const char *program, const struct comparison *comparison);
/* Of engines that are programs of their own: the lines behind the scores; what a score has more. */
void compare_external_text(FILE *file, const struct comparison *comparison);
struct json_t;
void compare_external_json(struct json_t *object, const struct compare_engine *engine);

#endif
