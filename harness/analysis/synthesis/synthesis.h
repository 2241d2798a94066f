/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis.h - the rows that code without CFI should have
 *
 * lint follows the code of a function and holds what is known against its rows (lint/lint.h). Here code without an FDE
 * is followed, and what is known becomes its rows: where the CFA, the return address and each callee-saved register
 * are. A row says only what holds on every path to an instruction. Where that is too little there is no row, and the
 * reason is counted: a walk ends there, and names no wrong caller.
 *
 *	synthesis_functions.c	which functions have no FDE, or wrong rows, and where they begin and end
 *	synthesis_image.c	follows these functions: a state -> what is met at an instruction
 *	synthesis_unfollowed.c	where code leads that was not followed
 *	synthesis_row.c		a state -> a row; what was met at an instruction -> its row
 *	synthesis_section.c	rows -> .eh_frame, .debug_frame or directives; in a copy of the file, or for a walk
 *	synthesis_json.c	what programs and people read
 *
 * docs/SYNTHESIS.md says what is taken for granted, and how it fares against the truth.
 */
#ifndef STACKPROOF_SYNTHESIS_H
#define STACKPROOF_SYNTHESIS_H

#include <jansson.h>
#include <stdio.h>
#include "address_set.h"
#include "cfi/cfi.h"
#include "base/images/image_list.h"
#include "analysis/flow/flow.h"
#include "analysis/lint/lint.h"
#include "analysis/objects/object.h"

/* Why an instruction has no row. */
enum synthesis_reason {
	SYNTHESIS_NOT_REACHED, /* no path leads there */
	SYNTHESIS_JUMP_UNKNOWN, /* no path leads there, and a jump of the function has unknown targets */
	SYNTHESIS_JUMP_DOUBTFUL,     /* only doubtful entries of a jump table lead there */
	SYNTHESIS_RETURNS_ELSEWHERE, /* some path of the function returns with another frame */
	SYNTHESIS_BEHIND_CALL, /* only calls that may never come back lead there: perhaps another function */
	SYNTHESIS_UNCALLED, /* nothing is seen to call the function, and it doesn't return as a called one */
	SYNTHESIS_THREAD,      /* a new thread goes on there, too, on another stack */
	SYNTHESIS_WAYS_DIFFER, /* two functions lead there, with different frames */
	SYNTHESIS_UNFOLLOWED,  /* code that is not followed, or is in doubt, leads there, too */
	SYNTHESIS_CFA_UNKNOWN, /* no register leads to the CFA (at a call: none that callees preserve) */
	SYNTHESIS_RETURN_UNKNOWN, /* it is not known where in this frame the return address is */
	SYNTHESIS_UNDECODED,	  /* Zydis can't decode it */
	SYNTHESIS_TOO_LARGE,	  /* a limit of docs/LIMITS.md */
	SYNTHESIS_REASON_COUNT,
};

/* Where the caller's value of a register is. */
enum synthesis_place_kind {
	SYNTHESIS_SAME,	       /* in the register itself */
	SYNTHESIS_AT_CFA,      /* *(cfa + offset) */
	SYNTHESIS_AT_REGISTER, /* *(reg + offset) */
	SYNTHESIS_IN_REGISTER, /* reg */
	SYNTHESIS_LOST,	       /* not known */
};

struct synthesis_place {
	uint8_t kind;
	uint8_t reg;
	int32_t offset;
};

#define SYNTHESIS_COLUMNS 7 /* rbx, rbp, r12 .. r15, rip */

extern const uint8_t synthesis_register[SYNTHESIS_COLUMNS];

struct synthesis_row {
	uint64_t pc, pc_end;
	/* The kernel's signal frame: it has all registers in words. Unwinders look up the return address less 1, so the
	 * FDE begins one byte early, if that byte has no row of its own. */
	bool signal_frame;
	bool cfa_loaded; /* the CFA is *(cfa_register + cfa_offset), not cfa_register + cfa_offset */
	uint8_t cfa_register;
	int32_t cfa_offset;
	struct synthesis_place place[SYNTHESIS_COLUMNS];
	/* Set by synthesis_row_of() alone: the offset from the CFA of a word that holds the register's value, too.
	 * 0: none. */
	int32_t word[SYNTHESIS_COLUMNS];
};

struct synthesis_function {
	uint64_t begin, end;
	bool replaced;		     /* it has an FDE; if row_count is 0, that stays */
	bool loaded;		     /* that FDE is in .eh_frame, which copies of the file keep */
	size_t first_row, row_count; /* in synthesis.row, sorted by pc */
	uint64_t instructions;	     /* without padding that no path leads to */
	uint64_t written;	     /* of them, those with a row */
	uint64_t unwritten[SYNTHESIS_REASON_COUNT];
};

struct synthesis {
	struct synthesis_function *function; /* by begin */
	size_t function_count;
	struct synthesis_row *row;
	size_t row_count;
};

/* Synthesizes rows for all functions of the image without an FDE, and for those with a wrong row. cfi may be empty, but not
 * NULL. object: the image is its layout, or NULL; jumps and calls whose target only a relocation knows are not followed.
 * 0, or -1: no memory, or more code than FLOW_IMAGE_BYTES_MAX; or ERROR_RELOCATION, the place of some FDE is not known, so
 * that it may cover any code. synthesis_deinit(). */
int synthesis_of(const struct cfi *cfi, const struct object *object, struct synthesis *ret,
		 struct error *error);
void synthesis_deinit(struct synthesis *synthesis);
/* As of flow_lack(). */
static inline void synthesis_lack(const struct flow_world *world)
{
	flow_lack(world, "functions without CFI");
}

/* The name that is printed: "cfa_unknown". */
extern const struct synthesis_words {
	const char *name, *title;
} synthesis_reasons[SYNTHESIS_REASON_COUNT];

/* ---- synthesis_row.c ---------------------------------------------------------------------- */

/* How to make a row: a bit each. */
enum {
	SYNTHESIS_OUTERMOST = 1, /* the function has no caller */
	SYNTHESIS_AT_CALL = 2,	 /* the instruction is a call */
	/* Count from rsp where that leads to the CFA, although there is a frame pointer: rows of other functions may
	 * not say where rbp is. */
	SYNTHESIS_BY_RSP = 4,
	/* The instruction is a call of a function that perhaps preserves no register but rbp. */
	SYNTHESIS_AT_STRANGE_CALL = 8,
	/* The caller, or code that jumped here, may have overwritten all registers but rbp. */
	SYNTHESIS_STRANGE = 16,
};
/* Makes the row of a state, without its pcs. how: bits as above. Returns why there is none;
 * SYNTHESIS_REASON_COUNT: there is one. */
enum synthesis_reason synthesis_row_of(const struct flow_state *state, unsigned int how,
				       struct synthesis_row *ret);
bool synthesis_row_equal(const struct synthesis_row *a, const struct synthesis_row *b);

/* The row of the kernel's signal frame, without its pcs: rsp points at struct rt_sigframe's ucontext, as when the
 * restorer is entered (Linux, arch/x86/include/uapi/asm/sigcontext.h). */
void synthesis_signal_row(struct synthesis_row *ret);
/* Where such a frame has the registers without a column: the DWARF number, and the distance from rsp in bytes. */
struct synthesis_word {
	uint8_t reg, offset;
};
#define SYNTHESIS_SIGNAL_WORDS 10
extern const struct synthesis_word synthesis_signal_word[SYNTHESIS_SIGNAL_WORDS];

/* ---- synthesis_functions.c --------------------------------------------------------------------- */

/* A function that gets rows. */
struct synthesis_range {
	uint64_t begin, end;
	bool entered; /* it is called, or a symbol says that it is a function; else only jumps lead there */
	bool called;			/* not by a symbol alone */
	bool sized;			/* a symbol says where it ends */
	bool taken;			/* only its address is taken: it is perhaps a function */
	const struct cfi_fde *replaces; /* its FDE; NULL: it has none */
	bool loaded; /* an FDE of .eh_frame: only rows that are known to be wrong are replaced */
	bool go;     /* Go's FDE of .debug_frame: it says nothing of registers without a rule */
};

struct synthesis_ranges {
	struct synthesis_range *range; /* by begin; ranges do not overlap */
	size_t count;
};

/* What an instruction does with an address. */
enum synthesis_lead {
	SYNTHESIS_JUMP, /* it jumps there, out of the FDE */
	SYNTHESIS_CALL,
	SYNTHESIS_TAKEN,   /* it makes the address */
	SYNTHESIS_REACHED, /* it is there itself */
};

/* Is told each address that code leads to. */
typedef void (*synthesis_leads_fn)(void *context, uint64_t pc, enum synthesis_lead lead);

struct synthesis_led {
	uint64_t pc;
	enum synthesis_lead lead;
};

/* Addresses of code without an FDE that are taken, and may be functions' begins. */
struct synthesis_address_taken {
	const struct cfi *cfi;
	/* The leads of the image's own FDEs to code without an FDE: found once. */
	struct synthesis_led *led;
	size_t led_count;
	bool led_known;
	const struct flow_world *world;
	uint8_t *reached;  /* a bit for each byte of the world's map: an instruction begins there */
	uint64_t *address; /* that were not told yet */
	size_t count;
};
/* Begins with the addresses that words of the image hold. Borrows the world, and its CFI as it is now. False: no memory.
 * synthesis_address_taken_deinit() in both cases. */
bool synthesis_address_taken_init(struct synthesis_address_taken *taken,
				  const struct flow_world *world);
void synthesis_address_taken_deinit(struct synthesis_address_taken *taken);
/* An instruction at pc was reached. */
void synthesis_address_taken_reach(struct synthesis_address_taken *taken, uint64_t pc);
/* Some address that was not told yet may be a function's begin. */
bool synthesis_address_taken_left(const struct synthesis_address_taken *taken,
				  struct code_decoder *decoder);

/* Tells taken (initialised) what symbols of the object file other files may call, and its image where a process begins.
 * 0, or -1: ERROR_RELOCATION. */
int synthesis_object_begin(const struct flow_world *world, struct synthesis_address_taken *taken,
			   struct error *error);

/* ---- synthesis_image.c ------------------------------------------------------------------- */

#define SYNTHESIS_POPPED_ROUNDS_MAX 8

struct synthesis_callee {
	uint32_t callee_pop; /* as in struct flow_found */
	bool keeps;	     /* it preserves what callees preserve, and rsp */
};
/* What functions without CFI are known to pop and preserve. */
struct synthesis_callee_pop {
	struct address_set begins;
	struct synthesis_callee *callee; /* by its begin's number, less 1 */
	uint32_t count;
	bool any, changed; /* some function pops; less is known than in the last round */
	bool believed;	   /* functions are followed with what is known so far */
	int rounds;
};

/* Functions that only a symbol says are functions, and of which no path returns. */
struct synthesis_jumped {
	struct synthesis_leaving {
		uint64_t begin, to; /* to: where it goes on; 0: elsewhere, registers overwritten */
		bool endless;	    /* it never ends */
	} * leaving;
	size_t count;
	bool handlers; /* the image has interrupt handlers: an endless function may be one, too */
	struct address_set begins; /* of functions that are only jumped to */
};

/* Which of count ranges, by begin, has pc; NULL: none. */
const struct synthesis_range *synthesis_range_at(const struct synthesis_range *range, size_t count,
						 uint64_t pc);
/* Finds the functions without an FDE of the world's CFI. taken is told what is reached, and which addresses instructions
 * make. with_taken: addresses of taken are functions, too. The caller frees ret->range. */
void synthesis_ranges_find(struct flow_world *world, struct synthesis_address_taken *taken,
			   bool with_taken, struct synthesis_ranges *ret);

/* ---- synthesis_functions.c, synthesis_row.c ----------------------------------------------- */

/* Instructions whose declared row is wrong. */
struct synthesis_wrong {
	uint64_t *pc; /* sorted */
	size_t count;
};
/* Adds to ret, in no order: functions of .debug_frame and .eh_frame with a row that lint disproves, Go's with rows that
 * it can't prove, and what the kernel returns to from a signal handler. world: of the same image. The caller frees
 * ret_wrong->pc. */
void synthesis_wrong_find(const struct cfi *cfi, const struct flow_world *world,
			  struct synthesis_ranges *ret, struct synthesis_wrong *ret_wrong);
bool synthesis_wrong_has(const struct synthesis_wrong *wrong, uint64_t pc);
/* The bytes of a signal handler's restorer at pc: mov eax, 15 (or rax); syscall. 0: there is none. */
size_t synthesis_restorer_bytes(const struct image *image, uint64_t pc);

/* ---- synthesis_row.c -------------------------------------------------------------------- */

/* An instruction that a path has met. */
struct synthesis_met {
	struct synthesis_row row;
	enum synthesis_reason reason; /* SYNTHESIS_REASON_COUNT: it has the row */
	bool has_row;		      /* it would have, if the path were not in doubt */
	uint64_t function;	      /* the begin of the function whose path it is */
};

/* Of count, by address: the number of the first at pc or behind it; whether a path of that function came to pc. */
size_t synthesis_first_met(const struct synthesis_met *met, size_t count, uint64_t pc);
bool synthesis_has_met(const struct synthesis_met *met, size_t count, uint64_t pc,
		       uint64_t function);

/* All pointers are borrowed. */
struct synthesis_writer {
	const struct flow_world *world; /* with the image's own CFI */
	const struct synthesis_ranges *ranges;
	const struct synthesis_wrong *wrong;
	struct synthesis *synthesis;	 /* a function for each range; gets the rows */
	const struct synthesis_met *met; /* by address */
	size_t met_count;
};
/* Some function with rows has an FDE of .eh_frame. *ret_others: some has not. */
bool synthesis_has_loaded(const struct synthesis *synthesis, bool *ret_others);
/* Joins what was met at each instruction to its row. */
void synthesis_write(const struct synthesis_writer *writer);

/* ---- synthesis_unfollowed.c --------------------------------------------------------------------- */

struct synthesis_way {
	uint64_t from, to;
};
/* What the paths of all functions so far have shown, each in no order. */
struct synthesis_ways {
	struct synthesis_way *computed; /* edges that the instruction at from doesn't name */
	size_t computed_count;
	struct synthesis_way *left; /* jumps that were not followed */
	size_t left_count;
	struct synthesis_way *made; /* an instruction of the function from makes an address */
	size_t made_count;
};
/* All pointers are borrowed. */
struct synthesis_survey {
	const struct cfi *cfi; /* the image's own */
	const struct flow_world *world;
	const uint8_t *
		status; /* of each byte of the world's map: not 0 if an instruction there was met */
	const struct synthesis_ranges *ranges;
	const bool *entered,
		*unread;	     /* of ranges: called; some computed jump has unknown targets */
	struct synthesis_ways *ways; /* will be sorted */
	struct synthesis_met *met;   /* by address; will lose rows */
	size_t met_count;
	bool (*is_stub)(const void *context, uint64_t pc); /* a PLT's stub begins there */
	const void *context;
};
/* Takes from what was met what does not hold on paths that were not followed. */
void synthesis_unfollowed(const struct synthesis_survey *survey);
void synthesis_ways_deinit(struct synthesis_ways *ways);

/* cfi without the FDEs that are replaced, and an FDE for each range that says nothing (flow_fragment.silent). */
struct synthesis_blank {
	struct cfi cfi;
	size_t first; /* number of the first range's FDE in cfi.fde */
};
/* 0, or -1: no memory. synthesis_blank_deinit() after 0. */
int synthesis_blank_init(struct synthesis_blank *blank, const struct cfi *cfi,
			 const struct synthesis_ranges *ranges, struct error *error);
void synthesis_blank_deinit(struct synthesis_blank *blank);

/* ---- synthesis_section.c ------------------------------------------------------------------- */

enum synthesis_change_kind {
	CHANGE_DEF_CFA,		 /* reg, offset */
	CHANGE_DEF_CFA_REGISTER, /* reg */
	CHANGE_DEF_CFA_OFFSET,	 /* offset */
	CHANGE_DEF_CFA_LOADED,	 /* *(reg + offset) */
	CHANGE_OFFSET,		 /* column, offset */
	CHANGE_AT_REGISTER,	 /* column: *(reg + offset) */
	CHANGE_REGISTER,	 /* column, reg */
	CHANGE_RESTORE,		 /* column */
	CHANGE_UNDEFINED,	 /* column */
};

struct synthesis_change {
	enum synthesis_change_kind kind;
	uint8_t column; /* the register's DWARF number */
	uint8_t reg;
	int32_t offset;
};

#define SYNTHESIS_CHANGES_MAX (SYNTHESIS_COLUMNS + 1)

/* Writes the rows as .eh_frame at vaddr; is_debug: as .debug_frame, without functions that have an FDE of .eh_frame.
 * Each FDE covers a stretch of one function without a gap in its rows. before: entries that come first, or NULL. The
 * caller frees *ret. 0, or -1: no memory, or too far from the code. */
int synthesis_section(const struct synthesis *synthesis, bool is_debug, uint64_t vaddr,
		      const struct image_section *before, uint8_t **ret, size_t *ret_size,
		      struct error *error);
/* An address behind all segments of the image, for an .eh_frame. */
uint64_t synthesis_vaddr(const struct image *image);

/* Where the rows go. */
struct synthesis_target {
	bool is_debug;	/* to .debug_frame, since the file has an .eh_frame; else to .eh_frame */
	bool is_joined; /* behind the entries of the file's own .debug_frame */
	uint64_t vaddr; /* of .eh_frame */
};

/* objcopy's arguments, NULL-terminated, for a copy of the ELF file input with the section in section_path. argv points
 * into the other members. */
struct synthesis_command {
	const char *argv[14];
	char section[4200], flags[64], address[64], input[4200], output[4200];
};
void synthesis_command(const struct synthesis_target *target, const char *section_path,
		       const char *input, const char *output, struct synthesis_command *ret);
/* Runs objcopy. 0, or -1: there is none, or it failed. */
int synthesis_command_run(const struct synthesis_command *command, struct error *error);

/* Writes each function's rows as an assembler's directives. cfi: the image's own. object: that the image is the layout
 * of, to name its sections and offsets; or NULL. 0, or -1: no memory. Errors of file stay in it (ferror(3)). */
int synthesis_directives(const struct synthesis *synthesis, const struct cfi *cfi,
			 const struct object *object, FILE *file, struct error *error);

/* ---- synthesis_json.c ---------------------------------------------------------------------- */

struct synthesis_options {
	bool directives;	  /* write directives, in an object of their own */
	const char *output, *elf; /* files to write: the section; a copy of the ELF file with it */
};

/* Synthesizes, writes these files, and writes the image's objects to output, one JSON object a line. An error is the
 * object's status, code and message. */
void synthesis_file(const struct synthesis_options *options, const struct image_path *path,
		    FILE *output);
/* Writes one of these objects, an image's, for people. */
void synthesis_text_image(FILE *file, const json_t *image);

/* ---- for compare --synthesize ------------------------------------------------------------- */

/* Counts of all images of a run. */
struct synthesis_sums {
	uint64_t images;	     /* that got rows */
	uint64_t functions, written; /* without an FDE; of them, with rows */
	uint64_t replaced;	     /* with an FDE, some of whose rows were replaced */
};

/* Adds to the image a section .eh_frame with the rows. An image_prepare_fn: context is a struct synthesis_sums. 0, or
 * -1: no memory, or the section is too far from the code. An image that can't be followed gets no rows. */
int synthesis_attach(void *context, struct image *image, struct error *error);

#endif
