/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * comparer.h - the inside of a comparer, only for the compare_*.c files that have a part of it
 */
#ifndef STACKPROOF_COMPARER_H
#define STACKPROOF_COMPARER_H

#include "compare.h"
#include "judge/verdict/doubt.h"
#include "judge/verdict/provisional.h"

/* One reading of a point: a truth (the shadow stack's, or the CFI's claim), and its consequences. */
struct reading {
	const struct stack *truth;
	bool covered; /* every frame but the outermost has an FDE */
	uint32_t own; /* number of the leading frames in the program's own file */
	struct judgement judgement;
	struct account *account; /* where the point is counted; NULL: in the result itself */
	bool exact[COMPARE_ENGINES_MAX];
};

#define UNMAPPED_PAGES	 64u
#define CONVENTION_SLOTS 16u
#define LOST_CODES	 4096u

/* What code at pc is. */
struct lost_code {
	uint64_t pc;
	enum lost_at where;
	bool is_known;
};

/* What is open of a process while another one has its turn. */
struct compare_open {
	struct address_space space;
	struct doubts doubts;
	struct provisional provisional, alone;
	uint64_t stray_at, taken_off_at;
};

struct comparer {
	struct compare_options options;
	struct compare_engine engine[COMPARE_ENGINES_MAX]; /* opened, unless skipped */
	size_t engine_count;
	struct image_store *store;
	struct target_memory *memory;
	struct bpf_records *records;
	struct referee *referee;
	struct decoder *decoder;
	struct walk_memo *rows_memo, *table_memo, *followed_memo;
	/* Of the current program. */
	struct comparison *result, *first; /* first: of the first process, if there are several */
	struct address_space space;
	struct error mapping_error; /* on_mappings can't end the run; the next point does */
	bool mappings_failed;
	struct engine_cost before[COMPARE_ENGINES_MAX]; /* kernel engines' cost before the run */
	/* The anonymous code that was looked up last: does it lie in place of an image's code? */
	struct {
		uint64_t start, end;
		bool replaces;
	} anonymous;
	/* The last answer of cfi_may_be_elsewhere(), and a hash of the images that it is about. */
	struct {
		uint64_t images;
		bool may;
	} registering;
	/* compare_find_uprobes(): unmapped pages already looked up in maps; direct-mapped. */
	uint64_t unmapped[UNMAPPED_PAGES];
	/* compare_convention.c: a cache by image number. unkept: a mask of registers. */
	struct {
		bool known;
		uint32_t id, unkept;
	} convention[CONVENTION_SLOTS];
	/* compare_lost_at.c: of the current mappings, by pc modulo LOST_CODES. */
	struct lost_code lost_code[LOST_CODES];
	/* Of the current point. */
	enum engine_answer bpf_answer;
	bool stale; /* space is out of date: read the mappings again */
	struct stack truth, cfi, table, bpf, other;
	struct stack followed;	  /* only if frame pointers are followed */
	struct stack alternative; /* the truth if the CFI is right */
	/* Of the current program. */
	struct doubts doubts;
	struct provisional provisional;
	/* Points with a mark but without an account: no return has refuted them yet. */
	struct provisional alone;
	uint64_t stray_at; /* PC of the last stray ret, which takes points back */
	uint64_t
		taken_off_at; /* PC of the instruction that took a frame off, or ended a moved one */
	struct shadow_observer observer;
};

/* True if no stack of the point can be believed, because the thread is being killed. Then it counts
 * the point as unread. */
bool compare_point_is_lost(struct comparer *comparer, const struct evidence *evidence);
/* The same for one engine's stack that was read from outside; it counts nothing. */
bool compare_stack_is_lost(const struct stack *stack, const struct point *point);

/* The tracer's on_stop; context is the comparer. */
int compare_point(void *context, const struct trace_stop *stop, struct error *error);

/* The tracer's on_mappings; context is the comparer. (compare_run.c) */
int compare_mappings(void *context, pid_t pid);
/* Before comparer->space becomes another one, and after: all who ask it are told. -1: comparer->mapping_error is set. */
void compare_forget_mappings(struct comparer *comparer);
int compare_tell_mappings(struct comparer *comparer);

/* compare_elsewhere.c: no file has CFI for the PC. True if the program may have registered CFI for it
 * with its run-time (__register_frame). */
bool cfi_may_be_elsewhere(struct comparer *comparer, uint64_t pc);

/* compare_outside.c: true if the verdict rests on reads from outside that can't be trusted. *ret: why
 * the point is unproven then. May set comparer->stale. */
bool outside_is_doubtful(struct comparer *comparer, const struct evidence *evidence,
			 const struct judgement *judgement, enum doubt_reason *ret);
/* True if the process has the address mapped, readable or not. */
bool outside_is_mapped(const struct comparer *comparer, uint64_t address);

/* compare_outside.c: if a walk ended outside all mappings, the kernel may have just made a mapping
 * there for a uprobe. Then the mappings are read again. -1: comparer->mapping_error is set. */
int compare_find_uprobes(struct comparer *comparer);

/* compare_convention.c: true if the row is accused of a register that it has no rule for, and that
 * the image's functions don't preserve. */
bool convention_excuses(struct comparer *comparer, const struct point *point,
			const struct judgement *judgement);

/* compare_score.c */
bool compare_can_answer(const struct compare_engine *engine, const struct point *point);
/* Adds the point to the digests of bpf's stacks and of the truth. */
void compare_digest(struct comparer *comparer, const struct evidence *evidence,
		    const struct judgement *judgement);
/* Sets all of a reading but its verdict; truth is borrowed. */
void reading_init(const struct comparer *comparer, const struct trace_stop *stop,
		  const struct stack *truth, struct reading *ret);
/* Asks the engines, and scores their stacks by each reading. -1: error is set. */
int score_engines(struct comparer *comparer, const struct point *point, struct reading *readings,
		  size_t count, struct error *error);
/* Counts a reading's verdict, and its finding. */
void count_reading(struct comparer *comparer, const struct evidence *evidence,
		   const struct reading *reading);

/* compare_lost_at.c */
/* Where an engine lost the caller: frames of its stack are the truth's, and the next one is not, or is missing. */
enum lost_at compare_lost_at(struct comparer *comparer, const struct shadow_stack *shadow,
			     const struct stack *truth, uint32_t frames);
/* The program's own file is mapped there: the mapping at the lowest address. mapping: of comparer's, or NULL. */
bool compare_is_own(const struct comparer *comparer, const struct mapping *mapping);

/* compare_attach.c */
/* The tracer's on_burst and on_burst_end; context is the comparer. */
int compare_burst(void *context, const struct tracer_process *process, struct error *error);
void compare_burst_end(void *context, const struct tracer_process *process);
/* The run is over: decides what is open of any process. */
void compare_bursts_over(struct comparer *comparer);
/* A result without points, of comparer's engines. */
void comparison_init(const struct comparer *comparer, const struct tracer_options *options,
		     struct comparison *ret);

/* compare_cost.c */
/* At the begin and the end of a run, or of a burst: adds what it has cost to the result. */
void compare_cost_begin(struct comparer *comparer);
void compare_cost_end(struct comparer *comparer);
/* Times the engines at the point, after they have answered. -1: error is set. */
int compare_cost_point(struct comparer *comparer, const struct point *point, struct error *error);

/* compare_doubt.c */
/* readings[0] finds the CFI wrong: puts the point to a doubt if its truth must prove itself. frames:
 * how many frames agree. *ret_count: 2 if readings[1] now is the reading by the CFI's claim, else 1. */
void doubt_reading(struct comparer *comparer, const struct evidence *evidence, uint32_t frames,
		   struct reading *readings, size_t *ret_count);
/* Counts the point as unproven at once, and files its finding so. */
void never_proven(struct comparer *comparer, const struct evidence *evidence,
		  struct reading *reading, enum doubt_reason reason);
/* The same as doubt_reading() where only a callee-saved register is wrong. */
void doubt_registers(struct comparer *comparer, const struct evidence *evidence,
		     struct reading *reading);
/* Adds an account's points to the result: with their verdicts, or as unproven. */
void comparison_add_account(struct comparison *result, const struct account *account);
void comparison_add_unproven(struct comparison *result, const struct account *account,
			     enum doubt_reason reason);
/* The doubts' on_end; context is the comparer. */
void doubt_end(void *context, const struct doubt *doubt, enum doubt_end end,
	       enum doubt_reason reason);

/* compare_callers.c */
/* The row at fault says that a register is unchanged, but the function has overwritten it. True if the
 * callers confirm that: with the register as it was at the call, their CFI names the truth's first
 * frames callers, up to the caller that the point's CFI names wrong. */
bool callers_confirm(const struct point *point, const struct judgement *judgement, uint32_t frames);

/* compare_external.c */
void compare_external_begin(struct comparer *comparer);
void compare_external_end(struct comparison *result);

/* compare_reread.c */
/* Sets the step to be made again, if the row at fault reads words of memory that its callees may have
 * changed. frame: the truth's frame that the row names wrong; NULL: the end of the stack. */
void reread_set(const struct judgement *judgement, const struct point *point,
		const struct shadow_frame *frame, struct reread *ret);
/* The doubts' comes_out_right; context is the comparer. */
bool reread_comes_out_right(void *context, const struct reread *reread);

/* compare_provisional.c */
/* Begins to pass the shadow stacks' events to the doubts, and to the points that may be taken back. */
void compare_observe(struct comparer *comparer);
/* The program has ended: decides all that is open. */
void compare_observe_end(struct comparer *comparer);
/* If CFI and truth agree, gives the reading an account that counts unless a return refutes both. */
void compare_provisional(struct comparer *comparer, const struct evidence *evidence,
			 struct reading *reading);
struct provisional_place compare_place(const struct evidence *evidence);

/* compare_marks.c */
/* Asks the listener for a mark of each reading, and puts the mark into the account whose end proves or
 * refutes the reading. -1: error is set. */
int compare_mark(struct comparer *comparer, const struct evidence *evidence,
		 struct reading *readings, size_t count, struct error *error);
/* Tells the listener what became of the points with these marks. */
void compare_tell_marks(const struct comparer *comparer, const struct marks *marks, bool proven);
/* The on_end of comparer->alone; context is the comparer. */
void compare_alone_end(void *context, const struct account *account, enum provisional_outcome end);

#endif
