/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis.h - the rows that code without CFI should have
 *
 * lint follows the code of a function and holds what it finds against the rows (lint/lint.h). Here it
 * is followed where no FDE is, and what is found becomes the rows: where the CFA, the return address
 * and each callee-saved register are. Only what holds on every path to an instruction is written. Where
 * it is not known there is no row, and the reason is counted: a walk ends there, and names nobody wrong.
 *
 *	synthesis_functions.c	which functions have no FDE, or one whose rows are wrong, and where they end
 *	synthesis_image.c	all of them, followed: what is known at each instruction
 *	synthesis_row.c		a state -> a row; what all functions say of an instruction -> the rows
 *	synthesis_section.c	rows as .eh_frame, .debug_frame, .cfi_ directives, in a copy of the file, or for a walk
 *	synthesis_json.c	what programs and people read
 *
 * docs/SYNTHESIS.md says what is taken for granted, and how it fares against the truth.
 */
#ifndef STACKPROOF_SYNTHESIS_H
#define STACKPROOF_SYNTHESIS_H

#include <jansson.h>
#include <stdio.h>
#include "cfi/cfi.h"
#include "base/images/image_list.h"
#include "analysis/flow/flow_image.h"
#include "analysis/lint/lint.h"
#include "analysis/objects/object.h"
#include "analysis/flow/flow_callees.h"

/* Why an instruction has no row. */
enum synthesis_reason {
	SYNTHESIS_NOT_REACHED,	 /* no path leads there */
	SYNTHESIS_JUMP_UNKNOWN,	 /* the same, and a jump of the function has unknown targets */
	SYNTHESIS_JUMP_DOUBTFUL, /* only entries of a jump table that may be none of its own do */
	SYNTHESIS_RETURNS_ELSEWHERE, /* some path of the function returns with another frame */
	SYNTHESIS_BEHIND_CALL, /* only calls that may never come back lead there: perhaps another function */
	SYNTHESIS_UNCALLED, /* only its address is known, and it does not return as a function does */
	SYNTHESIS_THREAD,   /* a new thread goes on there, too, with another stack */
	SYNTHESIS_WAYS_DIFFER,	  /* two functions lead there, with different frames */
	SYNTHESIS_CFA_UNKNOWN,	  /* no register that a callee preserves leads to the CFA */
	SYNTHESIS_RETURN_UNKNOWN, /* the return address is not in this frame, or not known to be */
	SYNTHESIS_UNDECODED,	  /* Zydis can't decode it */
	SYNTHESIS_TOO_LARGE,	  /* a limit of docs/LIMITS.md */
	SYNTHESIS_REASON_COUNT,
};

enum synthesis_place_kind {
	SYNTHESIS_SAME,	       /* in the register itself */
	SYNTHESIS_AT_CFA,      /* *(cfa + offset) */
	SYNTHESIS_AT_REGISTER, /* *(reg + offset) */
	SYNTHESIS_IN_REGISTER, /* reg */
	SYNTHESIS_LOST,	       /* nobody knows */
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
	/* The kernel's frame of a signal: all registers are in words, and a caller is looked up at its own
	 * address. The FDE begins a byte before it, if nothing else is there: who takes it for the address
	 * behind a call finds it. */
	bool signal_frame;
	bool cfa_loaded; /* *(cfa_register + cfa_offset), else cfa_register + cfa_offset */
	uint8_t cfa_register;
	int32_t cfa_offset;
	struct synthesis_place place[SYNTHESIS_COLUMNS];
};

struct synthesis_function {
	uint64_t begin, end;
	bool replaced;		     /* it has an FDE; row_count 0: that stays */
	bool loaded;		     /* that of .eh_frame, which stays in a copy of the file */
	size_t first_row, row_count; /* in synthesis.row, sorted by pc */
	uint64_t instructions;	     /* padding that no path leads to left out */
	uint64_t written;	     /* of them, with a row */
	uint64_t unwritten[SYNTHESIS_REASON_COUNT];
};

struct synthesis {
	struct synthesis_function *function; /* by begin */
	size_t function_count;
	struct synthesis_row *row;
	size_t row_count;
};

/* All functions of the image that cfi, as of cfi_create(), has no FDE for. cfi may be empty, but not
 * NULL. 0, or -1: no memory, or its code is larger than is read. synthesis_deinit(). */
int synthesis_of(const struct cfi *cfi, struct synthesis *ret, struct error *error);
/* The same of an object file: cfi is that of its layout. What a relocation leaves unknown no path goes by.
 * ERROR_RELOCATION, too: the place of some FDE is not known, so that it may cover any code. */
int synthesis_of_object(const struct cfi *cfi, const struct object *object, struct synthesis *ret,
			struct error *error);
void synthesis_deinit(struct synthesis *synthesis);
/* "cfa_unknown". */
const char *synthesis_reason_name(enum synthesis_reason reason);
const char *synthesis_reason_title(enum synthesis_reason reason);

/* ---- synthesis_row.c ---------------------------------------------------------------------- */

/* How a row is to be made. */
enum {
	SYNTHESIS_OUTERMOST = 1, /* nobody has called the function */
	SYNTHESIS_AT_CALL = 2,	 /* the instruction is a call */
	/* By rsp where it leads to the CFA, although there is a frame pointer: others' rows may not say where
	 * rbp is. */
	SYNTHESIS_BY_RSP = 4,
	/* The instruction is a call of which nothing is believed but that it preserves rbp. */
	SYNTHESIS_AT_STRANGE_CALL = 8,
	/* Whoever called the function, or jumped to it, may have overwritten all registers but rbp. */
	SYNTHESIS_STRANGE = 16,
};
/* The row that is so in the state; its pcs are not set. SYNTHESIS_REASON_COUNT: there is a row; else why
 * not. */
enum synthesis_reason synthesis_row_of(const struct flow_state *state, unsigned int how,
				       struct synthesis_row *ret);
bool synthesis_row_equal(const struct synthesis_row *a, const struct synthesis_row *b);

/* Where the kernel put the interrupted registers: struct rt_sigframe's ucontext at rsp, as its restorer
 * finds it (Linux, arch/x86/include/uapi/asm/sigcontext.h). The pcs are not set. */
void synthesis_signal_row(struct synthesis_row *ret);
/* Of the other registers, which only such rows need: the DWARF number, and the distance from rsp. */
struct synthesis_word {
	uint8_t reg, offset;
};
#define SYNTHESIS_SIGNAL_WORDS 10
extern const struct synthesis_word synthesis_signal_word[SYNTHESIS_SIGNAL_WORDS];

/* ---- synthesis_functions.c, synthesis_functions.c --------------------------------------------- */

/* A function without an FDE. */
struct synthesis_range {
	uint64_t begin, end;
	bool entered; /* called, or by a symbol a function; else only jumps lead there */
	bool called;  /* not by a symbol alone */
	bool sized;   /* a symbol says where it ends */
	bool taken;   /* something keeps its address: a function, perhaps */
	const struct cfi_fde *replaces; /* the FDE that it has; NULL: none */
	bool loaded; /* of .eh_frame: only rows are replaced that are known to be wrong */
	bool go;     /* and it is Go's: what its rows have no rule for is not the same */
};

struct synthesis_ranges {
	struct synthesis_range *range; /* by begin; they don't overlap */
	size_t count;
};

enum synthesis_lead {
	SYNTHESIS_JUMP, /* out of the FDE */
	SYNTHESIS_CALL,
	SYNTHESIS_TAKEN,   /* its address is made */
	SYNTHESIS_REACHED, /* an instruction */
};

/* Told each address that code leads to. */
typedef void (*synthesis_leads_fn)(void *context, uint64_t pc, enum synthesis_lead lead);
/* Of cfi's FDEs from that number on, before end. 0, or -1: no memory. (synthesis_functions.c) */
int synthesis_calls(const struct cfi *cfi, size_t first, size_t end, struct code_decoder *decoder,
		    struct flow_callees *callees, synthesis_leads_fn fn, void *context,
		    struct error *error);

/* ---- synthesis_functions.c -------------------------------------------------------------------- */

struct synthesis_led {
	uint64_t pc;
	enum synthesis_lead lead;
};

struct synthesis_address_taken {
	const struct cfi *cfi;
	/* What the image's own FDEs lead to and none of them covers: they are gone through once. */
	struct synthesis_led *led;
	size_t led_count;
	bool led_known;
	struct flow_code_map map;
	uint8_t *reached;  /* a bit for each byte: an instruction begins there */
	uint64_t *address; /* not told yet */
	size_t count;
	bool no_memory;
};
/* With what words of the image keep. 0, or -1: no memory, or its code is larger than is read. */
int synthesis_address_taken_init(struct synthesis_address_taken *taken, const struct cfi *cfi,
				 struct error *error);
void synthesis_address_taken_deinit(struct synthesis_address_taken *taken);
void synthesis_address_taken_reach(struct synthesis_address_taken *taken, uint64_t pc);
/* There are some to tell. */
bool synthesis_address_taken_left(const struct synthesis_address_taken *taken,
				  struct code_decoder *decoder);

/* ---- synthesis_functions.c ------------------------------------------------------------------- */

/* The decoder and taken (synthesis_address_taken_init()) learn what the object file says, and its image where a process
 * begins. 0, or -1: ERROR_RELOCATION. */
int synthesis_object_begin(const struct object *object, const struct cfi *cfi,
			   struct code_decoder *decoder, struct synthesis_address_taken *taken,
			   struct error *error);

/* ---- synthesis_image.c ------------------------------------------------------------------- */

/* Where paths end behind calls, of all functions so far. */
struct synthesis_ends {
	void *root; /* of addresses: tsearch(3) */
};

/* ---- synthesis_image.c ------------------------------------------------------------------- */

#define SYNTHESIS_POPPED_ROUNDS_MAX 8

struct synthesis_callee {
	uint64_t begin;
	uint32_t callee_pop; /* as in struct flow */
	bool keeps; /* to the psABI: what it was called with, and rsp, are what they were */
};
struct synthesis_callee_pop {
	void *root; /* of callees: tsearch(3) */
	bool any, changed;
	bool believed; /* functions are followed with what is known so far */
	int rounds;
};

/* ---- synthesis_image.c ------------------------------------------------------------------- */

/* Functions by their symbol alone, of which no path returns. */
struct synthesis_jumped {
	struct synthesis_leaving {
		uint64_t begin, to; /* 0: it goes on elsewhere with registers overwritten */
		bool endless;	    /* it goes on nowhere */
	} * leaving;
	size_t count;
	bool handlers; /* some function is an interrupt's handler: who never ends may be one, too */
	void *root;    /* of begins: tsearch(3) */
};

/* Of count ranges by begin the one that pc lies in; NULL: none. */
const struct synthesis_range *synthesis_range_at(const struct synthesis_range *range, size_t count,
						 uint64_t pc);
/* taken: is told what is reached, and what instructions make. with_taken: what it knows are functions, too.
 * object: that the image was made of; or NULL.
 * 0, or -1: no memory. The caller frees ret->range. */
int synthesis_ranges_find(const struct cfi *cfi, const struct object *object,
			  struct code_decoder *decoder, struct synthesis_address_taken *taken,
			  bool with_taken, struct synthesis_ranges *ret, struct error *error);

/* ---- synthesis_functions.c, synthesis_row.c ----------------------------------------------- */

/* Instructions whose declared row is wrong. */
struct synthesis_wrong {
	uint64_t *pc; /* sorted */
	size_t count;
};
/* Adds, in no order, the functions of .debug_frame whose rows lint can't prove, and those of .eh_frame with rows
 * that it disproves. object: that the image was made of; or NULL. 0, or -1. The caller frees ret_wrong->pc. */
int synthesis_wrong_find(const struct cfi *cfi, const struct object *object,
			 struct synthesis_ranges *ret, struct synthesis_wrong *ret_wrong,
			 struct error *error);
bool synthesis_wrong_has(const struct synthesis_wrong *wrong, uint64_t pc);
/* What the kernel returns to from a signal handler: mov eax, 15 (or rax); syscall. Its bytes, or 0. */
size_t synthesis_restorer_bytes(const struct image *image, uint64_t pc);
/* A declared row as a synthesized one; a register without a rule is the same. False: it says what those
 * can't. */
bool synthesis_row_declared(const struct row *row, struct synthesis_row *ret);

/* ---- synthesis_row.c -------------------------------------------------------------------- */

/* An instruction that was met. */
struct synthesis_met {
	struct synthesis_row row;
	enum synthesis_reason reason; /* SYNTHESIS_REASON_COUNT: it has the row */
	uint64_t function;	      /* whose path it is, by its begin */
};

struct synthesis_writer {
	const struct cfi *cfi; /* the image's own */
	struct code_decoder *decoder;
	const struct synthesis_ranges *ranges;
	const struct synthesis_wrong *wrong;
	struct synthesis *synthesis; /* its functions are those of ranges */
	struct synthesis_met *met;   /* is sorted */
	size_t met_count;
};
/* Some function's rows are written that .eh_frame has an FDE of; ret_others: of another's, too. */
bool synthesis_has_loaded(const struct synthesis *synthesis, bool *ret_others);
/* What all say of each instruction becomes rows. 0, or -1: no memory. */
int synthesis_write(const struct synthesis_writer *writer, struct error *error);

/* cfi's FDEs but those that are replaced, and one for each range, whose rows say nothing (struct flow_fragment: silent). */
struct synthesis_blank {
	struct cfi cfi;
	size_t first; /* number of the first range's FDE in cfi.fde */
};
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
	uint8_t column; /* the register */
	uint8_t reg;
	int32_t offset;
};

#define SYNTHESIS_CHANGES_MAX (SYNTHESIS_COLUMNS + 1)

/* ---- synthesis_section.c ------------------------------------------------------------------ */

/* The rows as .eh_frame at address vaddr, or, is_debug, as .debug_frame. An FDE is a stretch of
 * addresses of one function that all have rows. before: entries that come first, or NULL. 0, or -1: no
 * memory, or too far from the code. *ret: the caller frees it. */
int synthesis_section(const struct synthesis *synthesis, bool is_debug, uint64_t vaddr,
		      const struct image_section *before, uint8_t **ret, size_t *ret_size,
		      struct error *error);
/* Where no segment of the image is: for an .eh_frame beside them. */
uint64_t synthesis_vaddr(const struct image *image);

/* ---- synthesis_section.c ---------------------------------------------------------------------- */

/* Where the rows go to. */
struct synthesis_target {
	bool is_debug;	/* .debug_frame, for the file has an .eh_frame; else .eh_frame */
	bool is_joined; /* the file has a .debug_frame: theirs come behind its entries */
	uint64_t vaddr; /* of .eh_frame */
};

/* How a section gets into a copy of the ELF file: objcopy's arguments, NULL-terminated. section_path: the
 * file that has it. The texts lie in ret. */
struct synthesis_command {
	const char *argv[14];
	char section[4200], flags[64], address[64], input[4200], output[4200];
};
void synthesis_command(const struct synthesis_target *target, const char *section_path,
		       const char *input, const char *output, struct synthesis_command *ret);
/* Runs it. 0, or -1: there is no objcopy, or it failed. */
int synthesis_command_run(const struct synthesis_command *command, struct error *error);

/* ---- synthesis_section.c --------------------------------------------------------------- */

/* For each function, what an assembler's source of it would say. cfi: the image's own. object: that the
 * image was made of, whose sections and offsets are said; or NULL. 0, or -1: no memory. Errors of file stick
 * to it. */
int synthesis_directives(const struct synthesis *synthesis, const struct cfi *cfi,
			 const struct object *object, FILE *file, struct error *error);

/* ---- synthesis_json.c, synthesis_json.c --------------------------------------------------- */

struct synthesis_options {
	bool directives;	  /* as text, in an object of their own */
	const char *output, *elf; /* files to write: the section; a copy of the ELF file with it */
};

/* Synthesizes, writes the files, and says the image's objects, one JSON object a line. */
void synthesis_file(const struct synthesis_options *options, const struct image_path *path,
		    FILE *output);
void synthesis_text_image(FILE *file, const json_t *image);

#endif
