/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare.h - engines compared with the truth over one program's run
 *
 *	commands/compare.c  the command line
 *	compare_run.c	a comparer: tracer, engines and verdicts brought together
 *	compare_attach.c	the same of several processes, or of one that runs already
 *	compare_point.c	one point
 *	compare_score.c	the scores of the engines' stacks
 *	compare_lost_at.c	where they lose the caller
 *	compare_cost.c	what the engines' stacks cost
 *	compare_rank.c	which engine did best
 *	compare_require.c	what engines must reach
 *	compare_doubt.c	points whose truth must prove itself first
 *	compare_provisional.c	passes the shadow stacks' events to the doubts and to the points that agree
 *	compare_contexts.c	all true stacks of a run (compare_contexts.h)
 *	compare_marks.c	tells a listener of each point whether its truth was proven
 *	compare_lost.c	points that can't be judged: the thread is being killed
 *	compare_ignore.c	findings that a list says to ignore
 *	compare_external.c	the results of external engines, which are separate programs
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
#include "engines/driven/driven.h"
#include "engines/external/external.h"
#include "base/gate/gate.h"
#include "truth/tracer/truth.h"
#include "judge/verdict/doubt.h"

#define COMPARE_ENGINES_MAX ENGINES_MAX

/* Rows that compare_options.prepare has given to images, in all programs so far. */
struct compare_synthesized {
	uint64_t images, functions, written; /* functions: without CFI; written: those given rows */
	uint64_t replaced;		     /* functions whose FDE's rows were replaced */
};

struct comparison;
struct compare_open;

/* What the tables of the engines table and bpf are made of. */
enum compare_table {
	COMPARE_TABLE_CFI,
	COMPARE_TABLE_SFRAME,	     /* an image without SFrame has a table without rows */
	COMPARE_TABLE_SFRAME_OR_CFI, /* such an image's is made of its CFI */
};

struct compare_options {
	const struct engine *engine[COMPARE_ENGINES_MAX];
	size_t engine_count;
	enum walk_method method; /* how the BPF program loops */
	enum compare_table table;
	/* bpf and table follow frame pointers where there is no CFI. */
	bool follow_frame_pointers;
	/* Called for each new image: may add to the image's CFI, and counts in *synthesized what it
	 * added. Any callback of this struct may be NULL. */
	image_prepare_fn prepare;
	void *prepare_context;
	const struct compare_synthesized *synthesized;
	/* Where the stack is right, the callee-saved registers that the CFI restores are also
	 * compared with the truth (registers.c). */
	bool registers;
	/* Told each point's verdict. */
	void (*on_judgement)(void *context, const struct point *point,
			     const struct judgement *judgement);
	/* Told each point's stacks, before on_judgement. */
	void (*on_evidence)(void *context, const struct evidence *evidence);
	/* Told the stack of each engine that gave one, after on_evidence and before on_judgement. */
	void (*on_stack)(void *context, const struct point *point, const struct engine *engine,
			 const struct stack *stack);
	/* Called last, when the point has been judged and scored: -1 ends the run with the error
	 * that it has set. */
	int (*on_point)(void *context, const struct point *point, const struct judgement *judgement,
			struct error *error);
	/*
	 * Called for each reading of a point, by the truth or by the CFI's claim: gives the reading
	 * a number, the mark, for on_proven. -1 ends the run with the error that it has set.
	 */
	int (*on_reading)(void *context, const struct point *point, const struct stack *truth,
			  uint64_t *ret_mark, struct error *error);
	/* Told later that count readings with this mark were proven, or (false) that nothing can
	 * decide them. It is not told of refuted readings. Must be set if on_reading is. */
	void (*on_proven)(void *context, uint64_t mark, uint64_t count, bool proven);
	/* Told each time before the process's mappings are read. */
	void (*on_mappings)(void *context);
	/* Of a run of several processes: told whose points come next, before on_mappings. */
	void (*on_process)(void *context, const struct comparison *process);
	void *context;
};

/* One engine's part of the result. */
struct compare_engine {
	const struct engine *engine;
	void *open; /* the engine's state; the comparer's */
	bool skipped;
	struct error skip; /* why it was skipped */
	struct engine_score score;
	struct engine_cost cost;
	bool answered;			 /* at the current point */
	struct external_report external; /* of an external engine */
	struct driven_counts driven;	 /* of somebody else's BPF program */
};

struct comparison {
	struct compare_engine engine[COMPARE_ENGINES_MAX];
	size_t engine_count;
	uint64_t points;
	uint64_t verdict[VERDICT_COUNT];
	enum compare_table table;
	uint64_t sframe_loss
		[SFRAME_LOSS_COUNT]; /* points: flagged losses of a table made of SFrame */
	uint64_t missing;	     /* table faults because no FDE covers a PC */
	uint64_t transit;   /* points where frames are abandoned and the jump is still to come */
	uint64_t uncovered; /* points where no FDE covers a frame other than the outermost */
	uint64_t unproven[DOUBT_REASON_COUNT]; /* add up to verdict[VERDICT_UNPROVEN] */
	uint64_t doubts;		       /* points whose truth was put to a doubt */
	struct findings findings;
	uint64_t ignored_findings;	 /* findings that a list ignores (ignore/ignore.h) */
	uint64_t ignored[VERDICT_COUNT]; /* their points; verdict[] has them, too */
	struct tracer_counters truth;
	int status;	       /* of the program, as waitpid gives it */
	uint64_t digest;       /* of the bpf engine's stacks; independent of load addresses */
	uint64_t truth_digest; /* of the truth at the same points */
	char bpf_method[16];   /* "" if no engine ran in the kernel */
	bool follows_frame_pointers;
	const struct compare_synthesized *synthesized; /* the options'; may be NULL */
	uint64_t elapsed_ns;
	uint64_t unmarked; /* points that on_proven could not be told of: no memory */
	uint64_t
		unread; /* points not judged, because their thread was killed while it was examined */
	struct run_cut cut;		       /* how the run ended, if it was not whole */
	bool strict;			       /* anything that could not be checked fails */
	const struct requirement *requirement; /* borrowed */
	size_t requirement_count;
	/* Of a run of several processes, or of one that ran already; else NULL, and the rest is empty. The options'. */
	const struct tracer_attach *attach;
	pid_t pid;	/* 0: no burst was of the first process */
	char name[256]; /* tracer_process's */
	bool process_ended;
	struct compare_open *open; /* while another process has its turn */
	size_t number;		   /* tracer_process's */
	struct comparison *next;   /* of another process; comparison_deinit() frees it, too */
};

/*
 * Engines, images and the BPF programs, for any number of programs one after the other: loading BPF
 * costs seconds in an emulated guest, and programs share the tables of the C library. *options is
 * copied; what it points to is borrowed.
 */
struct comparer;
int comparer_create(const struct compare_options *options, struct comparer **ret,
		    struct error *error);
void comparer_destroy(struct comparer *comparer);
/* Runs a program. -1: the environment failed, and ret holds nothing. The program's own failure is
 * not an error. Else comparison_deinit() frees ret. */
int comparer_run(struct comparer *comparer, const struct tracer_options *options,
		 struct comparison *ret, struct error *error);
/*
 * As comparer_run(), but ret also has what was found in a run that was cut short. True: the run was
 * whole. False: ret->cut says why not. The caller frees ret by comparison_deinit() in either case.
 */
bool comparer_run_far(struct comparer *comparer, const struct tracer_options *options,
		      struct comparison *ret);
void comparison_deinit(struct comparison *comparison);
/* Its processes were stepped in bursts. */
static inline bool comparison_in_bursts(const struct comparison *comparison)
{
	return comparison->attach && !comparison->attach->whole;
}
/* Who was met in a run of several processes. */
struct run_processes comparison_processes(const struct comparison *first);
/* True if something calls for exit status 1. Ignored findings do not. */
bool comparison_has_findings(const struct comparison *comparison);
struct ignore_list;
/* Marks the findings that an entry of list matches, and counts them in both arguments. */
void ignore_list_apply(struct ignore_list *list, struct comparison *comparison);
/* Ignored points, of all verdicts. */
uint64_t comparison_ignored(const struct comparison *comparison);
/* Counts what was compared, and what was not. */
void comparison_gate(const struct comparison *comparison, struct gate *ret);
/* More than UNPROVEN_SHARE_MAX of the points are unproven. */
bool comparison_is_doubtful(const struct comparison *comparison);
/* True if the run proved little: no points, most of them unproven or without a whole truth, or
 * never two frames. */
bool comparison_is_thin(const struct comparison *comparison);

/* "exited with status 3", "was ended by SIGSEGV (Segmentation fault)", "did not come to its
 * end". */
void compare_ending_text(const struct comparison *comparison, char *text, size_t size);
/* "cfi", "sframe", "sframe,cfi". */
const char *compare_table_name(enum compare_table table);
double compare_points_per_second(const struct comparison *comparison);

/* Sorts the engines that were not skipped, best first (compare_rank.c). Returns their number. */
size_t compare_rank(const struct comparison *comparison,
		    const struct compare_engine *ret[COMPARE_ENGINES_MAX]);
void compare_print_ranking(FILE *file, const struct comparison *comparison);

void compare_print_json(FILE *file, const char *program, const struct comparison *comparison);
void compare_print_text(FILE *file, const char *program, const struct comparison *comparison);
/* Of engines of the user's own: the lines after the scores, and the additional fields of a score object. */
void compare_external_text(FILE *file, const struct comparison *comparison);
struct json_t;
void compare_external_json(struct json_t *object, const struct compare_engine *engine);
void compare_driven_json(struct json_t *object, const struct compare_engine *engine);

#endif
