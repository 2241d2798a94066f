/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * comparer.h - a comparer's inside, shared by compare_run.c, compare_point.c, compare_score.c,
 * compare_cost.c, compare_doubt.c, compare_reread.c, compare_callers.c, compare_lost.c, compare_outside.c,
 * compare_provisional.c and compare_marks.c only
 */
#ifndef STACKPROOF_COMPARER_H
#define STACKPROOF_COMPARER_H

#include "compare.h"
#include "judge/verdict/doubt.h"
#include "judge/verdict/provisional.h"

/* One way to read a point: a truth, and what follows from it. */
struct reading {
	const struct stack *truth;
	bool covered; /* every frame but the outermost has an FDE */
	uint32_t own; /* the leading frames in the program's own file */
	struct judgement judgement;
	struct account *account; /* a doubt's; NULL: the result itself */
	bool exact[COMPARE_ENGINES_MAX];
};

#define UNMAPPED_PAGES	 64u
#define CONVENTION_SLOTS 16u

struct comparer {
	struct compare_options options;
	struct compare_engine engine[COMPARE_ENGINES_MAX]; /* open */
	size_t engine_count;
	struct image_store *store;
	struct target_memory *memory;
	struct bpf_records *records;
	struct referee *referee;
	struct decoder *decoder;
	struct walk_memo *rows_memo, *table_memo, *followed_memo;
	/* Of the program at hand. */
	struct comparison *result;
	struct address_space space;
	struct error mapping_error; /* on_mappings can't end the run; the next point does */
	bool mappings_failed;
	struct engine_cost before[COMPARE_ENGINES_MAX]; /* what engines in the kernel had cost */
	/* Anonymous code that was asked for last: is it in an image's place? */
	struct {
		uint64_t start, end;
		bool replaces;
	} anonymous;
	/* cfi_may_be_elsewhere(), of which images. */
	struct {
		uint64_t images;
		bool may;
	} registering;
	/* compare_find_uprobes(): pages in no mapping, that maps was asked for; direct-mapped. */
	uint64_t unmapped[UNMAPPED_PAGES];
	/* compare_convention.c: by the image's number. */
	struct {
		bool known;
		uint32_t id, unkept;
	} convention[CONVENTION_SLOTS];
	/* Of the point at hand. */
	enum engine_answer bpf_answer;
	bool stale; /* the mappings held are not the process's: to be read again */
	struct stack truth, cfi, table, bpf, other;
	struct stack followed;	  /* only if frame pointers are followed */
	struct stack alternative; /* the truth if the CFI is right */
	struct doubts doubts;	  /* of the program at hand */
	struct provisional provisional;
	/* Points with a mark that are in no account: no return has refuted them yet. */
	struct provisional alone;
	uint64_t stray_at; /* the ret that takes points back */
	uint64_t
		taken_off_at; /* the instruction that took a frame off, or dropped one that had moved */
	struct shadow_observer observer;
};

/* Whether nobody's stack can be believed, since the thread is being killed. Counts the point. */
bool compare_point_is_lost(struct comparer *comparer, const struct evidence *evidence);
/* The same of one engine's stack that was read from outside. */
bool compare_stack_is_lost(const struct stack *stack, const struct point *point);

/* The tracer's on_stop; context is the comparer. */
int compare_point(void *context, const struct trace_stop *stop, struct error *error);

/* The tracer's on_mappings; context is the comparer. (compare_run.c) */
int compare_mappings(void *context, pid_t pid);

/* compare_elsewhere.c: no file has CFI for the PC. Whether the program may have, which it gives its
 * run-time itself. */
bool cfi_may_be_elsewhere(struct comparer *comparer, uint64_t pc);

/* compare_outside.c: whether a verdict rests on what was read from outside, and that can't be
 * trusted. *ret: why the point is unproven then. Sets comparer->stale. */
bool outside_is_doubtful(struct comparer *comparer, const struct evidence *evidence,
			 const struct judgement *judgement, enum doubt_reason *ret);
/* The process has something mapped there, readable or not. */
bool outside_is_mapped(const struct comparer *comparer, uint64_t address);

/* compare_outside.c: where the walk ended in no mapping, the kernel may have made it in the meantime for a
 * uprobe. Then the mappings are read again. -1: comparer->mapping_error is set. */
int compare_find_uprobes(struct comparer *comparer);

/* compare_convention.c: the row has no rule for the register that it is accused of, and the image's functions
 * don't keep that one. */
bool convention_excuses(struct comparer *comparer, const struct point *point,
			const struct judgement *judgement);

/* compare_score.c */
bool compare_can_answer(const struct compare_engine *engine, const struct point *point);
/* Adds the point to the digests of bpf's stacks and of the truth. */
void compare_digest(struct comparer *comparer, const struct evidence *evidence,
		    const struct judgement *judgement);
/* What a reading says besides its verdict. */
void reading_init(const struct comparer *comparer, const struct trace_stop *stop,
		  const struct stack *truth, struct reading *ret);
/* Asks the engines, and scores what they say by each reading. -1: error is set. */
int score_engines(struct comparer *comparer, const struct point *point, struct reading *readings,
		  size_t count, struct error *error);
/* Counts a reading's verdict, and its finding. */
void count_reading(struct comparer *comparer, const struct evidence *evidence,
		   const struct reading *reading);

/* compare_cost.c */
/* The run begins; it has ended. */
void compare_cost_begin(struct comparer *comparer);
void compare_cost_end(struct comparer *comparer);
/* Once the engines have answered. -1: error is set. */
int compare_cost_point(struct comparer *comparer, const struct point *point, struct error *error);

/* compare_doubt.c */
/* A reading by which the CFI is wrong: puts it to a doubt if it must prove itself. *ret_count: 2 if
 * readings[1] now is the point as the CFI has it, else 1. */
void doubt_reading(struct comparer *comparer, const struct evidence *evidence, uint32_t frames,
		   struct reading *readings, size_t *ret_count);
/* The point is unproven from the beginning: what was in question is filed as such. */
void never_proven(struct comparer *comparer, const struct evidence *evidence,
		  struct reading *reading, enum doubt_reason reason);
/* A reading by which only a callee-saved register is wrong. */
void doubt_registers(struct comparer *comparer, const struct evidence *evidence,
		     struct reading *reading);
/* What a number of points came to. */
void comparison_add_account(struct comparison *result, const struct account *account);
void comparison_add_unproven(struct comparison *result, const struct account *account,
			     enum doubt_reason reason);
/* The doubts' on_end; context is the comparer. */
void doubt_end(void *context, const struct doubt *doubt, enum doubt_end end,
	       enum doubt_reason reason);

/* compare_callers.c */
/* A register that the row at fault has unchanged, and the function has not kept: with what it was at the
 * call, the callers' CFI names the truth's frames, to the one that the point's CFI names wrong and which
 * these many frames lead to. */
bool callers_confirm(const struct point *point, const struct judgement *judgement, uint32_t frames);

/* compare_external.c */
void compare_external_begin(struct comparer *comparer);
void compare_external_end(struct comparison *result);

/* compare_reread.c */
/* What a judgement rests on, if the row at fault reads words that its callees may have changed.
 * frame: the truth's frame that it names wrong; NULL: the root's end. */
void reread_set(const struct judgement *judgement, const struct point *point,
		const struct shadow_frame *frame, struct reread *ret);
/* The doubts' comes_out_right; context is the comparer. */
bool reread_comes_out_right(void *context, const struct reread *reread);

/* compare_provisional.c */
/* Doubts, and points that may be taken back: begins to listen to the shadow stacks. */
void compare_observe(struct comparer *comparer);
/* The program has ended: all is decided. */
void compare_observe_end(struct comparer *comparer);
/* A reading by which CFI and truth agree: it counts unless a return refutes both. */
void compare_provisional(struct comparer *comparer, const struct evidence *evidence,
			 struct reading *reading);
/* Where a point lies. */
struct provisional_place compare_place(const struct evidence *evidence);

/* compare_marks.c */
/* Asks for a mark of each reading, and puts it where it is known later whether that was so. -1:
 * error is set. */
int compare_mark(struct comparer *comparer, const struct evidence *evidence,
		 struct reading *readings, size_t count, struct error *error);
/* What became of an account's points. */
void compare_tell_marks(const struct comparer *comparer, const struct marks *marks, bool proven);
/* The on_end of points that are in no account; context is the comparer. */
void compare_alone_end(void *context, const struct account *account, enum provisional_outcome end);

#endif
