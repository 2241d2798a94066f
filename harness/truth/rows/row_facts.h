/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_facts.h - where the caller's frame was, at each instruction that ran: facts that any unwind table must fit
 *
 * A *fact* says, of an instruction of an image, where the canonical frame address (CFA) was before it: how far above
 * rsp, how far above rbp, and how often. The CFA is the address above the return address that the innermost open call
 * has pushed; no unwind table was asked. A table's row is right if it fits all facts of its instructions (judge/rows).
 *
 * Not each call opens a frame of a function's. `call 1f; 1: pop rax` asks for the PC, and a row that goes on with the
 * frame that was there says nothing wrong. So where a call was made within its own function, or was never returned
 * from, a fact has other *readings*: the same place, seen from the frames further out.
 *
 *	row_facts.c		collects facts
 *	row_facts_write.c	facts -> a file
 *	row_facts_read.c	a file -> facts; distrusts each byte
 *
 * The format is in docs/WATCH.md.
 */
#ifndef STACKPROOF_ROW_FACTS_H
#define STACKPROOF_ROW_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "number_map.h"
#include "truth_file/truth_file.h"
#include "cfi/x86_64.h"

enum row_fact_kind {
	ROW_FACT_FRAME,	    /* a call has pushed the return address below the CFA */
	ROW_FACT_OUTERMOST, /* there is no caller */
	ROW_FACT_SIGNAL,    /* a handler has returned to here: above is what it interrupted */
	ROW_FACT_PREFIX,    /* the stack was switched to: the caller isn't known */
	ROW_FACT_DOUBT,	    /* a return address was out of its slot, or frames had just gone */
	ROW_FACT_KIND_COUNT,
};
/* "frame". */
const char *row_fact_kind_name(enum row_fact_kind kind);

#define ROW_FACT_ANY   INT64_MIN /* too many different ones to keep each */
#define ROW_FACT_ABOVE 0	 /* the register is not below the CFA, or not near */
#define ROW_FACT_NEAR                                                                              \
	(1 << 24) /* bytes: further below, it points at another stack, or at no frame */

/* How far the register is below the CFA. */
static inline uint64_t row_fact_below(uint64_t cfa, uint64_t value)
{
	return cfa - value - 1 < ROW_FACT_NEAR ? cfa - value : ROW_FACT_ABOVE;
}

#define ROW_FACT_WORDS 64 /* below the return address, of which it is known what they held */

#define ROW_FACT_READINGS  2  /* beside the first */
#define ROW_FACT_NO_CALLER -1 /* a reading's sp: that frame is the outermost */

struct row_reading {
	int64_t sp, bp; /* as of struct row_fact */
};

/* Words of the stack that may have the return address, too. */
#define ROW_RETURN_WORDS 64
#define ROW_RETURN_ABOVE 56 /* bit i is the word at CFA + ROW_RETURN_ABOVE - 8 * i */
#define ROW_RETURN_SLOT	 (UINT64_C(1) << (ROW_RETURN_ABOVE / 8 + 1)) /* its own */

/* Where the return address is beside its slot. Each time that it was looked has has it, and at some time lacks had not. */
struct row_fact_return {
	bool known; /* it was looked at least once */
	uint64_t has, lacks;
	bool registers_known;
	uint16_t registers; /* that had it each time, by DWARF number */
};

/* Callee-saved registers, in the order rbx, rbp, r12 to r15. A bit is set if it was so each time. */
struct row_fact_registers {
	bool known;
	uint8_t same; /* bit n: register n has the value that it had at the call */
	/* Bit i: the word at CFA - 16 - 8 * i has that value. */
	uint64_t held[CALLEE_SAVED_COUNT];
};

struct row_fact {
	uint32_t image; /* in row_facts.image */
	uint8_t kind;	/* enum row_fact_kind */
	uint64_t pc;	/* in the image */
	/* CFA - rsp, CFA - rbp: from 1 to ROW_FACT_NEAR, ROW_FACT_ABOVE or ROW_FACT_ANY; 0 of other kinds than
	 * ROW_FACT_FRAME. */
	int64_t sp, bp;
	uint64_t proven;   /* how often, at least */
	uint64_t unproven; /* how often what followed has contradicted the stack */
	/* Other readings of ROW_FACT_FRAME, from the inner one to the outer one; unused ones are zero. */
	struct row_reading other[ROW_FACT_READINGS];
	uint8_t others;
	struct row_fact_return returns;
	struct row_fact_registers registers;
};

struct row_facts {
	struct truth_image *image; /* strings are the structure's if it was read */
	uint32_t images;
	struct row_fact *fact;
	uint32_t facts;
	uint64_t
		first; /* only so many runs of each block with each caller were looked at; 0: all */
	bool partial;  /* the guest did not come to its end */
	bool sorted;
	struct number_map map; /* until it is sorted */
	char *text;	       /* what was read */
};

/* ---- row_facts.c --------------------------------------------------------------------------- */

/* By image, address, kind, sp, bp and other readings: below 0, 0, above 0. */
int row_fact_compare(const struct row_fact *a, const struct row_fact *b);
/* What holds of both, if anything is known of more. */
void row_fact_registers_join(struct row_fact_registers *into,
			     const struct row_fact_registers *more);
void row_fact_return_join(struct row_fact_return *into, const struct row_fact_return *more);
/* Adds the counts, and what is known of registers and return addresses, to the equal fact's. False: no memory. */
bool row_facts_add(struct row_facts *facts, const struct row_fact *fact);
/* As row_fact_compare() says. After it nothing is added. */
void row_facts_sort(struct row_facts *facts);
/* How many facts of an image there are from begin to before end; *ret: the first. Sorted ones. */
uint32_t row_facts_find(const struct row_facts *facts, uint32_t image, uint64_t begin, uint64_t end,
			const struct row_fact **ret);
void row_facts_deinit(struct row_facts *facts);

/* ---- row_facts_write.c ---------------------------------------------------------------------- */

#define ROW_FACTS_MAGIC "stackproof rows 1"

/* Writes sorted facts; images without facts are left out. -1: what was there before still is. */
int row_facts_write(const struct row_facts *facts, const char *path, struct error *error);

/* ---- row_facts_read.c ------------------------------------------------------------------------ */

/* Whether the file begins as one of facts. */
bool row_facts_is_file(const char *path);
/* To be freed by row_facts_deinit(), which may be called after a failure. ERROR_TEXT_SYNTAX: offset is the line. */
int row_facts_read(const char *path, struct row_facts *ret, struct error *error);

#endif
