/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_fragment.h - one FDE: its rows, its instructions and its landing pads
 *
 * A function may have several: compilers put code that is rarely run elsewhere, with an FDE of its own.
 */
#ifndef STACKPROOF_FLOW_FRAGMENT_H
#define STACKPROOF_FLOW_FRAGMENT_H

#include "cfi/cfi.h"
#include "analysis/code/code.h"
#include "flow_row.h"

#define FLOW_FRAGMENT_BYTES_MAX (16u << 20) /* of one FDE's code */
#define FLOW_ROWS_MAX		(1u << 18)  /* of one FDE */

/* Exceptions of instructions begin .. end land at pad. */
struct landing_pad {
	uint64_t begin, end;
	uint64_t pad;
	bool left_out; /* a path to pad was left out: flow_call.c */
	bool reached;  /* a path was not */
	bool let_in;   /* no path is left out any more */
};

struct flow_fragment {
	const struct cfi_fde *fde;
	uint64_t begin, end;
	const uint8_t *bytes;
	size_t readable;	    /* of bytes: the FDE's own, and some behind them */
	bool malformed;		    /* rows from some instruction on are missing */
	struct error why_malformed; /* ERROR_NONE: there are too many */
	bool silent;		    /* its rows say nothing: it stands for a function without CFI */
	struct row *row;
	size_t row_count, row_room;
	/* Registers of which a row says the caller's value, not where it is. Only the caller knows whether that is
	 * right, so such rows accuse nobody. With FLOW_ROW_UNRULED(). */
	uint32_t agreed;
	uint32_t claimed;  /* registers that some row has a rule for */
	struct code *code; /* then an element with pc 0 */
	size_t code_count, code_room;
	uint32_t *code_at;  /* by the distance from begin: number in code plus 1, or 0 */
	uint32_t *block_at; /* the same: the number of its block, or label (flow_proof.c) */
	uint32_t *label_at; /* the same: what flow_proof.c marks */
	bool scanned;	    /* flow_proof.c has decoded all of it */
	/* How many instructions are proven, if all are but for what lies between functions; 0: that isn't known
	 * (flow_proof.c). */
	size_t whole;
	size_t order; /* its number in flow.fragment */
	struct landing_pad *pad;
	size_t pad_count;
	bool pads_unread; /* the LSDA can't be decoded: there may be more pads */
};

/* The bytes that the FDE covers; NULL: they are not in an executable segment. */
static inline const uint8_t *flow_fde_bytes(const struct image *in, const struct cfi_fde *fde)
{
	return image_code_segment(in, fde->pc_begin) ? image_bytes(in, fde->pc_begin, fde->pc_range)
						     : NULL;
}

/* The caller frees *ret: flow_fragment_destroy(). If *ret is NULL there is nothing to follow, and *ret_reason says why;
 * else that is FLOW_REASON_COUNT. cfi and fde are borrowed. 0, or -1: no memory. */
int flow_fragment_create(const struct cfi *cfi, const struct cfi_fde *fde,
			 struct flow_fragment **ret, enum flow_reason *ret_reason,
			 struct error *error);
void flow_fragment_destroy(struct flow_fragment *fragment);
/* Forgets its rows, as if it had no CFI. False: no memory. */
bool flow_fragment_silence(struct flow_fragment *fragment);
/* The row at pc; NULL: none. */
const struct row *flow_fragment_row(const struct flow_fragment *fragment, uint64_t pc);
/* The instruction at pc, which must lie in the fragment. NULL: no memory. Valid until an instruction is decoded that
 * was not decoded before. */
static inline const struct code *flow_fragment_code(struct flow_fragment *fragment,
						    struct code_decoder *decoder, uint64_t pc);

/* The instruction behind code in memory, which must lie in the fragment; NULL: the first. What can't be decoded counts as
 * one byte. */
static inline const struct code *flow_fragment_next(struct flow_fragment *fragment,
						    struct code_decoder *decoder,
						    const struct code *code);

/* flow_fragment_code() of an instruction that is not decoded yet. */
const struct code *flow_fragment_decode(struct flow_fragment *fragment,
					struct code_decoder *decoder, uint64_t pc);

/* Decodes all of the fragment, from its begin on. False: no memory. */
bool flow_fragment_sweep(struct flow_fragment *fragment, struct code_decoder *decoder);

/* ---- flow_fragment.c ----------------------------------------------------------------------- */

/* Reads the call sites of the FDE's language-specific data area (LSDA), as GCC and LLVM write it. 0, or -1: no
 * memory. */
int flow_landing_read(const struct cfi *cfi, struct flow_fragment *fragment, struct error *error);

/* ---- in the header, since they are called several times for each instruction ---------------- */

static inline const struct code *flow_fragment_code(struct flow_fragment *fragment,
						    struct code_decoder *decoder, uint64_t pc)
{
	uint32_t number = fragment->code_at[pc - fragment->begin];

	return number ? &fragment->code[number - 1] : flow_fragment_decode(fragment, decoder, pc);
}

static inline uint64_t flow_fragment_behind(const struct code *code)
{
	return code->pc + (code->length ? code->length : 1);
}

static inline const struct code *flow_fragment_next(struct flow_fragment *fragment,
						    struct code_decoder *decoder,
						    const struct code *code)
{
	uint64_t pc = code ? flow_fragment_behind(code) : fragment->begin;

	/* Mostly the fragment was decoded from its begin on. */
	if (code && code[1].pc == pc)
		return code + 1;
	return flow_fragment_code(fragment, decoder, pc);
}

#endif
