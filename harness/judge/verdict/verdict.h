/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * verdict.h - when a stack is wrong, whose fault is it?
 *
 *	match.c		one stack against the truth: exact, truncated, wrong, extra
 *	referee.c	libdw's reading of the CFI alone, evaluated on a frame's registers
 *	verdict.c	truth, cfi, table, bpf -> a verdict
 *	registers.c	the callee-saved registers behind a stack that is right
 *	finding.c	equal verdicts at one place, counted, with the evidence of the first
 *
 * With T the truth, U the cfi engine, C the table engine, B the bpf engine:
 *
 *	B is not C, nor its first frames and at B's
 *	limit of WALK_FRAMES_MAX			walk fault
 *	... but B is T					unexplained: who is right is at no fault
 *	C is not U, and the walk did not say why	conversion loss, silent
 *	U is not T, and the referee agrees with T	reader fault
 *	U is not T, and no FDE covers the PC		table fault, "missing"
 *	U is not T, and the referee agrees with U	table fault, "wrong"
 *	U says that it can't be read, and the referee
 *	does not read T either				table fault, "malformed"
 *	C is not U, and a marker says why		conversion loss, flagged
 *	B is not C, which read a page that was not
 *	there when B looked				absent: nobody's fault
 *	U is not T, and T could not prove itself	unproven: nobody's fault (doubt.h)
 *
 * Where B was told to follow frame pointers (--follow-frame-pointers), B is held against C told so,
 * too, and all else is as without: a frame that was guessed says nothing of the CFI, nor does it
 * excuse it.
 *
 * A point has one verdict, the first in this order: what is a bug here is never hidden behind a
 * toolchain's. What fits none is unexplained. Kernel faults need several kernels: `run` finds them.
 */
#ifndef STACKPROOF_VERDICT_H
#define STACKPROOF_VERDICT_H

#include "truth/tracer/decoder.h"
#include "truth/tracer/shadow_stack.h"
#include "engines/built_in/engine.h"
#include "truth/executed/fault_kind.h"
#include "walk/address_space.h"
#include "cfi/expression.h"
#include "walk/stack.h"

/* ---- match.c ---------------------------------------------------------------------------- */

enum match {
	MATCH_EXACT,	 /* every frame of the truth, and no other */
	MATCH_TRUNCATED, /* the truth's first frames */
	MATCH_WRONG,	 /* a frame differs */
	MATCH_EXTRA,	 /* every frame of the truth, then more */
	MATCH_COUNT,
};
const char *match_name(enum match match);

/* If rooted is false the truth is only a prefix, and a stack may go on below it. *ret_frames:
 * how many of the first frames agree. That a PC was guessed (WALK_PC_GUESSED) makes it no other
 * PC. */
enum match match_stack(const struct stack *stack, const struct stack *truth, bool rooted,
		       uint32_t *ret_frames);
/* Same frames, found in the same way, and same stop reason. */
bool stack_equal(const struct stack *a, const struct stack *b);

/* What an engine scored in a run. */
struct score {
	uint64_t points; /* at which it said something */
	uint64_t match[MATCH_COUNT];
	uint64_t stop[STOP_REASON_COUNT];
	uint64_t silent;	 /* points at which it said nothing though it should have */
	uint64_t untrapped;	 /* points at which it could say nothing: no trap */
	uint64_t unproven;	 /* points at which it said something, and the truth is in doubt */
	uint64_t covered;	 /* points whose every frame (but the outermost) has CFI */
	uint64_t sound;		 /* points without a table fault */
	uint64_t exact_sound;	 /* of those, exact */
	uint64_t exact_covered;	 /* of those, exact */
	uint64_t shared;	 /* covered points at which every engine said something */
	uint64_t exact_shared;	 /* of those, exact */
	uint64_t false_complete; /* claimed complete, and was not exact */
	uint64_t frames;	 /* sum of depths */
	uint64_t frames_own;	 /* the truth's leading frames that are in the program itself */
	uint64_t frames_own_right; /* of those, found before the first wrong frame */
	/* Of a walk that was told to follow frame pointers where there is no CFI. */
	struct guesses {
		uint64_t match
			[MATCH_COUNT]; /* points with a frame that was guessed, by what became of
						them */
		uint64_t frames;       /* that were guessed */
		uint64_t frames_right; /* of those, the truth's, all frames before them, too */
	} guesses;
};

/* ---- referee.c -------------------------------------------------------------------------- */

/* libdw's CFI of images, opened as they are needed. */
struct referee;
struct referee *referee_create(void);
void referee_destroy(struct referee *referee);

/* What the referee found one frame's caller to be. */
struct referee_step {
	bool known;	 /* false: it can't say (image not readable, operation not evaluated) */
	bool no_cfi;	 /* no FDE covers the PC */
	bool outermost;	 /* the return address is undefined */
	bool unreadable; /* there is no memory where the CFI says the return address is */
	bool stuck;	 /* not known, because of a register or memory that is not there */
	uint64_t cfa;
	uint64_t return_address;
};

/* Reads the CFI at a frame: regs are the frame's, lookup_pc is what to look up. */
void referee_step(struct referee *referee, const struct address_space *space,
		  const struct register_values *regs, uint64_t lookup_pc,
		  const struct memory_reader *memory, struct referee_step *ret);

/* True if the referee finds that the caller's value of a register is value. */
bool referee_reads(struct referee *referee, const struct address_space *space,
		   const struct register_values *regs, uint64_t lookup_pc, unsigned int reg,
		   uint64_t value, const struct memory_reader *memory);

/* ---- verdict.c -------------------------------------------------------------------------- */

enum verdict {
	VERDICT_EXACT,
	VERDICT_WALK_FAULT,
	VERDICT_CONVERSION_LOSS_SILENT,
	VERDICT_READER_FAULT,
	VERDICT_TABLE_FAULT,
	VERDICT_CONVERSION_LOSS_FLAGGED,
	VERDICT_UNEXPLAINED,
	VERDICT_ABSENT,	  /* the walk in the kernel ended where there was no page */
	VERDICT_UNPROVEN, /* the CFI and the truth differ, and the truth is in doubt: doubt.h */
	VERDICT_COUNT,
};
/* Why a point is unproven: doubt.h. */
enum doubt_reason {
	DOUBT_STRAY_RETURN, /* a ret went through a slot that no call had written */
	DOUBT_REPLACED,	  /* the frame's return address was replaced: hijacked, or ret as a jump */
	DOUBT_CLOBBERED,  /* the frame returned with other callee-saved registers */
	DOUBT_TAKEN_OFF,  /* the frame's return address was popped and never used */
	DOUBT_DISTURBED,  /* rsp was set elsewhere before the frame could prove itself */
	DOUBT_LOST,	  /* the stack was given up */
	DOUBT_OPEN,	  /* nothing had decided it when the frame or the program ended */
	DOUBT_IN_TRANSIT, /* between abandoning frames and jumping */
	DOUBT_PATCHED,	  /* the code there is not the file's any more, but the CFI is */
	DOUBT_NO_CODE,	  /* the thread is, or goes on, where nothing can be: a call of NULL */
	DOUBT_REFEREE,	  /* libdw can't say what the CFI is there */
	DOUBT_TOO_MANY,	  /* more doubts than DOUBTS_MAX at once */
	DOUBT_MEMORY,	  /* no memory for a doubt */
	DOUBT_OUTSIDE,	  /* what was read from outside may not be what the process has */
	DOUBT_ELSEWHERE,  /* no file has CFI there, but the program may have registered some */
	DOUBT_UPROBE,	  /* a return address, or the code, is the kernel's: "[uprobes]" */
	DOUBT_CONVENTION, /* the image's functions don't keep that register (code/code_convention.h) */
	DOUBT_REASON_COUNT,
};

/* "table_fault"; both kinds of conversion loss are "conversion_loss". */
const char *verdict_name(enum verdict verdict);

/* The stacks of one point. table and bpf may be NULL. */
struct evidence {
	const struct point *point;
	const struct stack *truth;
	const struct stack *cfi;
	const struct stack *table;
	const struct stack *bpf;
	/* bpf ended where its twin would have if it read no page that wasn't present at the
	 * stop. */
	bool absent;
	/* What table finds if it follows frame pointers where there is no CFI, as bpf was told
	 * to; its twin then. NULL: neither was told to. */
	const struct stack *followed;
};

/* A verdict and where it points. */
struct judgement {
	enum verdict verdict;
	enum fault_kind kind;
	uint32_t frame;	       /* whose step went wrong */
	uint64_t pc;	       /* looked up for that step: in the function at fault */
	uint64_t declared_cfa; /* by the CFI; 0 unknown */
	uint64_t actual_cfa;   /* by the truth: above the slot of the return address; 0 unknown */
	/* Of a register: which, where the CFI says that it is saved (0: not by an offset from the
	 * CFA), and what the truth says that it was. */
	unsigned int reg;
	uint64_t saved_at, saved_value;
	uint32_t stop; /* of the engine that went wrong */
};

void judge_evidence(const struct evidence *evidence, struct referee *referee,
		    struct judgement *ret);

/* The rule takes what is not evaluated here, and may be right: an expression that
 * expression_is_beyond(), or a register above REGISTER_COUNT (vector registers). */
bool rule_is_beyond(const struct row_rule *rule);

/* ---- registers.c ------------------------------------------------------------------------ */

/*
 * Holds the callee-saved registers and rsp, those of a mask (by DWARF number), as the CFI brings
 * them back in the steps of the first frames, against the truth. True, and ret is filled: one is
 * wrong or unknown.
 */
bool judge_registers(const struct evidence *evidence, struct referee *referee, uint32_t mask,
		     uint32_t frames, struct judgement *ret);

/* ---- finding.c -------------------------------------------------------------------------- */

/* One frame of a stack, as people read it. */
struct finding_frame {
	uint64_t vaddr; /* in its image */
	bool guessed;	/* found by the frame pointer, where there was no CFI */
	bool right;	/* it is the truth's, and so are those before it */
	char function[192];
	char image[256];
};
#define FINDING_FRAMES_MAX 64

/* Points with one verdict in one function of one image. */
struct finding {
	struct judgement first; /* the first point's */
	uint64_t count;
	/* Points at which it was in question, and nothing decided it: not in count. */
	uint64_t unproven[DOUBT_REASON_COUNT];
	const char *ignored; /* the reason, of whoever decided that it is to be ignored; or NULL */
	uint64_t vaddr;	     /* at fault at the first point */
	char place[256];     /* "function+0x12 (image)" */
	char function[192];
	const char *start_file; /* that the code is of, by start_file_find(); or NULL */
	bool named_by_debug;	/* a separate debug file has the function's name */
	char image[256];
	char instruction[96]; /* at the PC at fault */
	char declared[320];   /* the row, or why there is none */
	/* Points at which frame pointers were followed, and those of them where the stack is
	 * right. */
	uint64_t followed, followed_exact;
	/* The first one's, by finding_keep_stack(): innermost first */
	struct finding_frame *frame;
	uint32_t frame_count, frames_left_out;
};

struct findings {
	struct finding *finding;
	size_t count;
	uint64_t
		not_kept; /* points beyond FINDINGS_MAX places; twice as many where code is accused: what
			    * has no CFI at all must not hide it */
};
#define FINDINGS_MAX 320

/* The start-up object that the code at vaddr is of, "crti.o", "crtbegin.o" or "crt1.o"; NULL:
 * none, as far as the image proves it. (start_file.c) */
const char *start_file_find(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			    struct decoder *decoder);
/* What a finding calls the function at vaddr: code_name_print_place()'s text. */
void finding_name_function(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			   char *text, size_t size);
/* The judgement's finding, described if its place is new: then its count is 0. NULL: it has no
 * room. accuses: it may yet be counted; what never will be has less room. */
struct finding *findings_place(struct findings *findings, const struct judgement *judgement,
			       bool accuses, const struct point *point, struct decoder *decoder);
/* The points at which it was in question; ret_reasons (or NULL): "10 disturbed, 2 open". */
uint64_t finding_unproven(const struct finding *finding, char *ret_reasons, size_t size);
/* The same, and counts the judgement. */
struct finding *findings_add(struct findings *findings, const struct judgement *judgement,
			     const struct point *point, struct decoder *decoder);
/* Keeps the stack, if it is the first, and counts nothing. True: the stack is right. */
bool finding_keep_stack(struct finding *finding, const struct address_space *space,
			const struct stack *stack, const struct stack *truth, bool rooted);
void findings_deinit(struct findings *findings);

#endif
