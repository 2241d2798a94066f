/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_proof.h - an image's SFrame against the call frame information that it was made from
 *
 *	sframe_proof.c	rows, PC by PC
 *	sframe_stage.c	who lost it: the assembler or the linker
 *	prove_sframe.c	as JSON, for `prove --sframe`
 *
 * Both tables come from the same directives, so at every PC they must say the same of what both have words for: the
 * CFA, the return address, and rbp.
 */
#ifndef STACKPROOF_SFRAME_PROOF_H
#define STACKPROOF_SFRAME_PROOF_H

#include "sframe/sframe.h"

/* What differs. */
enum sframe_difference {
	SFRAME_DIFFERS_CFA = 1,
	SFRAME_DIFFERS_RA = 2,
	SFRAME_DIFFERS_FP = 4,
};

/* Why SFrame has no row where the CFI has one. Assemblers leave a function out that has one row which the version can't
 * say. */
enum sframe_absence {
	SFRAME_CFA_EXPRESSION, /* a CFA by an expression that the version has no rule for */
	SFRAME_CFA_REGISTER,   /* a CFA by a register that the version has no rule for */
	SFRAME_RA_RULE,	       /* the same of the return address */
	SFRAME_FP_RULE,	       /* the same of rbp */
	SFRAME_MADE_BY_LINKER, /* a PLT: no assembler has seen it */
	SFRAME_UNTOLD, /* nothing in the CFI says why: an object without SFrame, or somebody lost it */
	SFRAME_UNREADABLE, /* the function is there, and malformed */
	SFRAME_ABSENCE_COUNT,
};

struct sframe_proof {
	uint64_t rows; /* of the CFI: the sum of equal, wrong and absent[] */
	uint64_t equal;
	uint64_t wrong; /* somewhere in the row another CFA, return address or rbp */
	uint64_t wrong_by[SFRAME_DIFFERS_CFA + SFRAME_DIFFERS_RA + SFRAME_DIFFERS_FP +
			  1]; /* by bits */
	uint64_t absent[SFRAME_ABSENCE_COUNT];
	uint64_t signal_untold; /* of equal: of a signal frame, which the version has no mark for */
	uint64_t hidden;	/* rows of an FDE at whose PCs another FDE holds */
	uint64_t extra;		/* rows of SFrame at a PC without CFI */
	uint64_t no_code;	/* of extra: at no code */
	uint64_t sframe_rows;	/* as a walk sees them */
};

/* A row that is wrong, or absent. Pointers are valid during the call. */
struct sframe_finding {
	const struct cfi_fde *fde;
	const struct row *cfi;	  /* the CFI's row; NULL: SFrame's stands where there is no code */
	const struct row *sframe; /* SFrame's at pc; NULL: absent */
	uint64_t pc, pc_end;	  /* where they part */
	unsigned int differs;	  /* of a wrong row: bits of enum sframe_difference */
	enum sframe_absence reason; /* of an absent one */
};
typedef void (*sframe_finding_fn)(void *context, const struct sframe_finding *finding);

/* cfi and sframe are of one image. Each row that is wrong or absent is given once, where it first is. */
void sframe_prove(const struct cfi *cfi, const struct sframe *sframe, sframe_finding_fn fn,
		  void *context, struct sframe_proof *ret);
/* What of CFA, return address and rbp two rows say differently at pc. */
unsigned int sframe_row_differs(const struct row *cfi, const struct row *sframe, uint64_t pc);
/* Why SFrame has no row at pc, where the CFI has one. */
enum sframe_absence sframe_why_absent(const struct cfi *cfi, const struct sframe *sframe,
				      uint64_t pc);
/* Names of JSON: "cfa_register". */
const char *sframe_absence_name(enum sframe_absence absence);
/* Writes what both have words for: "cfa=rsp+16 ra=c-8 rbp=c-16". */
void sframe_proof_row_print(FILE *file, const struct row *row);

/* ---- sframe_stage.c ------------------------------------------------------------------------- */

enum sframe_stage {
	SFRAME_STAGE_UNKNOWN,	/* the code is in none of the object files */
	SFRAME_STAGE_ASSEMBLER, /* the object file has the fault, too */
	SFRAME_STAGE_LINKER,	/* the object file doesn't have it, or a linker has made the code */
};

/* Object files that the image was linked from, each with what it says. */
struct sframe_objects;
int sframe_objects_create(char *const *path, size_t count, struct sframe_objects **ret,
			  struct error *error);
void sframe_objects_destroy(struct sframe_objects *objects);
/* Whose fault a finding of image is. */
enum sframe_stage sframe_objects_stage(struct sframe_objects *objects, const struct image *image,
				       const struct cfi *cfi, const struct sframe_finding *finding);
const char *sframe_stage_name(enum sframe_stage stage);

#endif
