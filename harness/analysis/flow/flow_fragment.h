/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_fragment.h - one FDE: its rows, its instructions and its landing pads
 *
 * A function may have several: compilers put what is run rarely elsewhere, with an FDE of its own.
 */
#ifndef STACKPROOF_FLOW_PART_H
#define STACKPROOF_FLOW_PART_H

#include "cfi/cfi.h"
#include "analysis/code/code.h"
#include "flow_row.h"

#define FLOW_FRAGMENT_BYTES_MAX (16u << 20) /* of one FDE's code */
#define FLOW_ROWS_MAX		(1u << 18)  /* of one FDE */

/* Of instructions begin .. end: where an exception that they throw is caught. */
struct landing_pad {
	uint64_t begin, end;
	uint64_t pad;
	bool left_out; /* a path was: flow_call.c */
	bool reached;  /* another wasn't */
	bool let_in;   /* none is any more */
};

struct flow_fragment {
	const struct cfi_fde *fde;
	uint64_t begin, end;
	const uint8_t *bytes;
	size_t readable;	    /* of bytes: its own, and some of what lies behind */
	bool has_end;		    /* a row says that there is no caller */
	bool malformed;		    /* rows behind some instruction are missing */
	struct error why_malformed; /* ERROR_NONE: there are too many */
	bool silent; /* its rows say nothing: the FDE stands for a function without CFI */
	struct row *row;
	size_t row_count, row_room;
	/* Registers of which a row says what value the caller's has, not where it is: those are
	 * agreed on with the caller, and only it knows whether they hold what was agreed. */
	uint32_t agreed;
	uint32_t claimed;  /* those that some row has a rule for */
	struct code *code; /* behind the last one's stands one whose pc is 0 */
	size_t code_count, code_room;
	uint32_t *code_at;  /* by distance from begin: number in code + 1, or 0 */
	uint32_t *block_at; /* the same for whoever follows the paths: flow.c, flow_proof.c */
	uint32_t *label_at; /* the same: flow_proof.c */
	bool scanned;	    /* flow_proof.c has been over it */
	/* All its instructions are proven but for what lies between functions: so many; 0: that isn't known
	 * (flow_proof.c). */
	size_t whole;
	size_t order; /* among the function's fragments */
	struct landing_pad *pad;
	size_t pad_count;
	bool pads_unread; /* the table of them can't be decoded: there may be more */
};

/* What the FDE covers, if it is code: NULL in a segment that is not executable, where nobody executes it. */
const uint8_t *flow_fde_bytes(const struct image *image, const struct cfi_fde *fde);
/* An instruction begins at pc, which the FDE has: decoded from its begin on. */
bool flow_fragment_begins(const struct cfi *cfi, struct code_decoder *decoder,
			  const struct cfi_fde *fde, uint64_t pc);
/* Why there is nothing to follow: FLOW_REASON_COUNT if there is something. */
int flow_fragment_create(const struct cfi *cfi, const struct cfi_fde *fde,
			 struct flow_fragment **ret, enum flow_reason *ret_reason,
			 struct error *error);
void flow_fragment_destroy(struct flow_fragment *fragment);
/* Forgets its rows: as if it had no CFI. False: no memory. */
bool flow_fragment_silence(struct flow_fragment *fragment);
/* NULL: the rows don't cover pc. */
const struct row *flow_fragment_row(const struct flow_fragment *fragment, uint64_t pc);
/* The instruction at pc, inside the fragment. NULL: no memory. Valid until another one is asked for that was
 * not asked for before. */
static inline const struct code *flow_fragment_code(struct flow_fragment *fragment,
						    struct code_decoder *decoder, uint64_t pc);

/* The one behind it, as it stands in memory: the next byte behind what is none. It must lie in the fragment. */
static inline const struct code *flow_fragment_next(struct flow_fragment *fragment,
						    struct code_decoder *decoder,
						    const struct code *code);

/* The same of one that nobody has asked for yet. */
const struct code *flow_fragment_decode(struct flow_fragment *fragment,
					struct code_decoder *decoder, uint64_t pc);

/* Decodes all of the fragment, from its begin on, that wasn't asked for yet. False: no memory. */
bool flow_fragment_sweep(struct flow_fragment *fragment, struct code_decoder *decoder);

/* ---- flow_fragment.c ----------------------------------------------------------------------- */

/* Reads the FDE's language-specific data (Itanium C++ ABI: Exception Handling, 7.2 of the
 * "exception handling tables" of GCC): its call sites. */
int flow_landing_read(const struct cfi *cfi, struct flow_fragment *fragment, struct error *error);

/* ---- in the header, since it is asked for each instruction several times -------------------- */

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
	uint64_t pc = flow_fragment_behind(code);

	/* Mostly the fragment was decoded from its begin on. */
	if (code[1].pc == pc)
		return code + 1;
	return flow_fragment_code(fragment, decoder, pc);
}

#endif
