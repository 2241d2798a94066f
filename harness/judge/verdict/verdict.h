/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * verdict.h - when a stack is wrong, whose fault is it?
 *
 *	match.c		one stack against the truth: exact, truncated, wrong, extra
 *	referee.c	libdw's reading of the CFI, evaluated on a frame's registers
 *	verdict.c	truth, cfi, table, bpf -> a verdict
 *	sframe_blame.c	the same where the table is made of SFrame
 *	registers.c	the callee-saved registers where the stack is right
 *	finding.c	points with the same verdict at one place, counted, with the evidence of the first
 *	start_file.c	which start-up object code is of
 *
 * With T the truth, and U, C, B the stacks of the engines cfi, table, bpf:
 *
 *	B is not C, nor its first frames and at B's
 *	limit of WALK_FRAMES_MAX			walk fault
 *	... but B is T					unexplained: B is right
 *	C is not U, and the walk did not say why	conversion loss, silent
 *	U is not T, and the referee agrees with T	reader fault
 *	U is not T, and no FDE covers the PC		table fault, "missing"
 *	U is not T, and the referee agrees with U	table fault, "wrong"
 *	U can't read the CFI, and the referee does not
 *	read T either					table fault, "malformed"
 *	C is not U, and a marker says why		conversion loss, flagged
 *	B is not C, which read a page that was not
 *	present when B ran				absent: nobody's fault
 *	U is not T, and T could not prove itself	unproven: nobody's fault (doubt.h)
 *
 * If C goes by SFrame (compare --table sframe), it is no conversion of the CFI. Where U is T and C is not, the first row
 * of SFrame that differs is at fault: table fault, "sframe". What SFrame doesn't say is a conversion loss, flagged, with
 * a name of its own (enum sframe_loss).
 *
 * If B follows frame pointers (--follow-frame-pointers), it is compared with a C that follows them, too.
 * All else stays: a guessed frame says nothing of the CFI, and does not excuse it.
 *
 * A point has one verdict, the first that applies in this order, so that a toolchain's bug never hides a
 * bug of stackproof. A verdict that rests on T becomes unproven if T could not prove itself. If none
 * applies, the point is unexplained. Kernel faults need several kernels: `run` finds them.
 */
#ifndef STACKPROOF_VERDICT_H
#define STACKPROOF_VERDICT_H

#include "truth/steps/decoder.h"
#include "truth/steps/shadow_stack.h"
#include "engines/built_in/engine.h"
#include "truth/executed/fault_kind.h"
#include "walk/address_space.h"
#include "cfi/expression.h"
#include "tables/prove/sframe_proof.h"
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

/* rooted false: the truth is only a prefix, and the stack may go on beyond it. *ret_frames: how many of
 * the first frames agree. A guessed PC (WALK_PC_GUESSED) matches as any other. */
enum match match_stack(const struct stack *stack, const struct stack *truth, bool rooted,
		       uint32_t *ret_frames);
/* True for the same frames, found in the same way, and the same stop reason. */
bool stack_equal(const struct stack *a, const struct stack *b);

/* Where an engine lost the caller: at which code is the last frame that is right. compare_lost_at.c finds it. */
enum lost_at {
	LOST_LEAF,	/* no frame is right */
	LOST_SIGNAL,	/* the next one was interrupted by a signal */
	LOST_LIBRARY,	/* in another file than the program's own */
	LOST_PLT,	/* in a stub of the PLT */
	LOST_NO_CFI,	/* no FDE covers it, or its rows can't be read */
	LOST_ENTRY,	/* before its function has set up its frame */
	LOST_EPILOGUE,	/* behind that: its frame is taken down */
	LOST_FRAMELESS, /* in a function whose CFA is always found by rsp */
	LOST_BODY,	/* where the CFA is found by another register, rbp mostly */
	LOST_AT_COUNT,
};
/* "entry": names in JSON. */
const char *lost_at_name(enum lost_at where);

/* An engine's score in a run: points, unless said otherwise. */
struct engine_score {
	uint64_t points; /* at which the engine gave a stack */
	uint64_t match[MATCH_COUNT];
	uint64_t stop[STOP_REASON_COUNT];
	uint64_t silent;	 /* without a stack, though there was a trap */
	uint64_t untrapped;	 /* without a stack, because there was no trap */
	uint64_t unproven;	 /* with a stack, but with an unproven truth */
	uint64_t covered;	 /* whose every frame but the outermost has CFI */
	uint64_t sound;		 /* without a table fault */
	uint64_t exact_sound;	 /* sound and exact */
	uint64_t exact_covered;	 /* covered and exact */
	uint64_t shared;	 /* covered, with a stack of every engine */
	uint64_t exact_shared;	 /* shared and exact */
	uint64_t false_complete; /* with a stack claimed complete, but not exact */
	uint64_t frames;	 /* sum of the stacks' frames */
	uint64_t frames_own;	 /* the truth's leading frames that are in the program's own file */
	uint64_t frames_own_right;	 /* of those, the frames before the first wrong one */
	uint64_t lost_at[LOST_AT_COUNT]; /* whose stack is truncated or wrong: where */
	/* Of a walk that follows frame pointers where there is no CFI. */
	struct guesses {
		uint64_t match
			[MATCH_COUNT]; /* points whose stack has a guessed frame, by how the stack
					* matches */
		uint64_t frames;       /* guessed frames */
		uint64_t frames_right; /* guessed frames up to which the stack is right */
	} guesses;
};

/* ---- referee.c -------------------------------------------------------------------------- */

/* libdw's CFI of images, which are opened when needed. */
struct referee;
/* NULL: no memory. */
struct referee *referee_create(void);
void referee_destroy(struct referee *referee);

/* What the referee says about a frame's caller. */
struct referee_step {
	bool known;	 /* false: it can't say (image not readable, operation not evaluated) */
	bool no_cfi;	 /* no FDE covers the PC */
	bool outermost;	 /* the return address is undefined */
	bool unreadable; /* no memory where the CFI says that the return address is */
	bool stuck;	 /* not known, because a register or memory is missing */
	uint64_t cfa;
	uint64_t return_address;
};

/* Reads the CFI for lookup_pc, and evaluates it on regs, the frame's registers. */
void referee_step(struct referee *referee, const struct address_space *space,
		  const struct register_values *regs, uint64_t lookup_pc,
		  const struct memory_reader *memory, struct referee_step *ret);

/* True if the referee restores value as the caller's value of register reg (a DWARF number). */
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
	VERDICT_ABSENT,	  /* the walk in the kernel ended at a page that was not present */
	VERDICT_UNPROVEN, /* the CFI and the truth differ, and the truth is unproven: doubt.h */
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
	DOUBT_OPEN,	  /* nothing had decided the doubt when the frame or the program ended */
	DOUBT_IN_TRANSIT, /* frames were abandoned, and the jump is still to come */
	DOUBT_PATCHED,	  /* the code was changed in memory, so the file's CFI is not about it */
	DOUBT_NO_CODE,	  /* the PC, or the caller's, is where no code can be: a call of NULL */
	DOUBT_REFEREE,	  /* libdw can't say what the CFI is there */
	DOUBT_TOO_MANY,	  /* already DOUBTS_MAX doubts */
	DOUBT_MEMORY,	  /* no memory for a doubt */
	DOUBT_OUTSIDE,	  /* reads from outside may differ from what the process sees */
	DOUBT_ELSEWHERE,  /* no file has CFI there, but the program may have registered some */
	DOUBT_UPROBE,	  /* a return address, or the code, is the kernel's: "[uprobes]" */
	DOUBT_CONVENTION, /* the image's functions don't preserve the register (analysis/code/code.h) */
	DOUBT_REASON_COUNT,
};

/* What a table made of SFrame lacks where the CFI goes on. The first ones are those of enum sframe_absence. */
enum sframe_loss {
	SFRAME_LOSS_NO_SECTION =
		SFRAME_ABSENCE_COUNT, /* the image has no SFrame that can be read */
	SFRAME_LOSS_REGISTER,	      /* the CFA is by a register that SFrame doesn't track */
	SFRAME_LOSS_SIGNAL,	      /* versions 1 and 2 have no mark for a signal's frame */
	SFRAME_LOSS_COUNT,
};
/* "cfa_register", "no_sframe", "register_untracked", "signal_untold". */
const char *sframe_loss_name(enum sframe_loss loss);

/* "table_fault"; both kinds of conversion loss are "conversion_loss". */
const char *verdict_name(enum verdict verdict);

/* The stacks of one point. table and bpf may be NULL. */
struct evidence {
	const struct point *point;
	const struct stack *truth;
	const struct stack *cfi;
	const struct stack *table;
	const struct stack *bpf;
	/* bpf ended where table would have ended if it had read only pages present at the stop. */
	bool absent;
	/* The stack of a table engine that follows frame pointers where there is no CFI, as bpf
	 * does then; NULL: bpf does not. */
	const struct stack *followed;
	/* table and bpf go by tables that were made of SFrame. */
	bool of_sframe;
};

/* A verdict and its place. */
struct judgement {
	enum verdict verdict;
	enum fault_kind kind;
	uint32_t frame;	       /* index of the frame whose step went wrong; 0: the innermost */
	uint64_t pc;	       /* looked up for that step; in the function at fault */
	uint64_t declared_cfa; /* by the CFI; 0: unknown */
	uint64_t actual_cfa;   /* by the truth: above the slot of the return address; 0: unknown */
	/* FAULT_REGISTER: the register's DWARF number; the address where the CFI says that it is
	 * saved (0: not at an offset from the CFA); and its true value. */
	unsigned int reg;
	uint64_t saved_at, saved_value;
	uint32_t stop;	       /* enum stop_reason of the engine that went wrong */
	enum sframe_loss loss; /* of FAULT_SFRAME_LOSS */
};

void judge_evidence(const struct evidence *evidence, struct referee *referee,
		    struct judgement *ret);

/* A frame that was walked to by the CFI: its registers, and what its row is looked up with. */
struct reached {
	struct register_values regs;
	uint64_t lookup_pc;
};
/* False: the walk doesn't come so far. */
bool verdict_reach(const struct point *point, uint32_t frame, struct reached *ret);

/* True if the rule can't be evaluated here, but may be right: an expression_is_beyond() expression, or
 * a register from REGISTER_COUNT on (vector registers). */
bool rule_is_beyond(const struct row_rule *rule);

/* ---- sframe_blame.c --------------------------------------------------------------------- */

/* Why a table that was made of SFrame leads elsewhere than the CFI behind the first frames frames. False: SFrame says
 * the same there as the CFI, and has the row. */
bool judge_sframe(const struct evidence *evidence, uint32_t frames, struct judgement *ret);
/* Both rows at pc of an image, in words. */
void sframe_blame_describe(struct image_entry *entry, uint64_t pc, char *text, size_t size);

/* ---- registers.c ------------------------------------------------------------------------ */

/*
 * Compares with the truth the callee-saved registers and rsp that the CFI restores in the steps of the
 * first frames frames. mask: which registers, by DWARF number. True: one is wrong or unknown, and ret is
 * filled.
 */
bool judge_registers(const struct evidence *evidence, struct referee *referee, uint32_t mask,
		     uint32_t frames, struct judgement *ret);

/* ---- finding.c -------------------------------------------------------------------------- */

/* One frame of a stack, as people read it. */
struct finding_frame {
	uint64_t vaddr; /* in its image */
	bool guessed;	/* found by the frame pointer, where there was no CFI */
	bool right;	/* this frame and all frames before it are the truth's */
	char function[192];
	char image[256];
};
#define FINDING_FRAMES_MAX 64

/* Points with one verdict in one function of one image. */
struct finding {
	struct judgement first; /* the first point's */
	uint64_t count;
	/* Points at which the finding stayed unproven; not in count. */
	uint64_t unproven[DOUBT_REASON_COUNT];
	const char *ignored; /* why an ignore list ignores it; or NULL */
	uint64_t vaddr;	     /* of the first point's PC at fault, in its image */
	char place[256];     /* "function+0x12 (image)" */
	char function[192];
	const char *start_file; /* start_file_find() of the code; or NULL */
	bool named_by_debug;	/* a separate debug file has the function's name */
	char image[256];
	uint8_t build_id[BUILD_ID_MAX]; /* the image's */
	size_t build_id_size;
	struct code_digest digest; /* of an image without build-id */
	char instruction[96];	   /* at the PC at fault */
	char declared[320];	   /* the row, or why there is none */
	/* Points at which frame pointers were followed, and those of them with an exact stack. */
	uint64_t followed, followed_exact;
	/* The first point's stack, by finding_keep_stack(): innermost frame first. */
	struct finding_frame *frame;
	uint32_t frame_count, frames_left_out;
};

struct findings {
	struct finding *finding;
	size_t count;
	uint64_t
		not_kept; /* points of accusing findings without room: beyond FINDINGS_MAX findings for missing
			    * CFI, beyond twice as many for others, so that it can't hide them */
};
#define FINDINGS_MAX 320

/* The start-up object that the code at vaddr is of: "crti.o", "crtbegin.o" or "crt1.o". NULL: the
 * image does not prove one. (start_file.c) */
const char *start_file_find(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			    struct decoder *decoder);
/* The name of the function at vaddr in findings: code_name_print_place()'s text. */
void finding_name_function(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			   char *text, size_t size);
/* Finds the judgement's finding, or adds it with count 0. NULL: no room. accuses: the finding may be
 * counted later; findings that never will be have less room. */
struct finding *findings_place(struct findings *findings, const struct judgement *judgement,
			       bool accuses, const struct point *point, struct decoder *decoder);
/* The sum of unproven; ret_reasons (or NULL): "10 disturbed, 2 open". */
uint64_t finding_unproven(const struct finding *finding, char *ret_reasons, size_t size);
/* findings_place() of an accusing finding, which it counts. */
struct finding *findings_add(struct findings *findings, const struct judgement *judgement,
			     const struct point *point, struct decoder *decoder);
/* Keeps the stack if the finding has none. True: the stack is exact. */
bool finding_keep_stack(struct finding *finding, const struct address_space *space,
			const struct stack *stack, const struct stack *truth, bool rooted);
void findings_deinit(struct findings *findings);

#endif
