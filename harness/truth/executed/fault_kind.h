/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fault_kind.h - what can be wrong with the rows that a walk goes by
 */
#ifndef STACKPROOF_FAULT_KIND_H
#define STACKPROOF_FAULT_KIND_H

enum fault_kind {
	FAULT_NONE,
	FAULT_MISSING,	   /* no FDE covers the PC */
	FAULT_WRONG,	   /* the CFI names another caller */
	FAULT_REGISTER,	   /* a wrong callee-saved register, which a later frame needs */
	FAULT_NO_END,	   /* the CFI goes on beyond the outermost frame */
	FAULT_EARLY_END,   /* the CFI calls a frame outermost that is not */
	FAULT_OVERWRITTEN, /* the program overwrote the return address, and the CFI does not say so */
	FAULT_MALFORMED,   /* the CFI can't be read: the walk stopped and said so */
	FAULT_SIGNAL_FLAG, /* the CFI does not mark a signal's frame as one */
	FAULT_FLAGGED,	   /* the walk stopped and said why */
	FAULT_SILENT,	   /* the walk went wrong and did not say so */
	FAULT_SFRAME,	   /* a table made of SFrame: its row is wrong, and the CFI's is right */
	FAULT_SFRAME_LOSS, /* the same: SFrame doesn't say it */
	FAULT_KIND_COUNT,
};
/* "missing". */
const char *fault_kind_name(enum fault_kind kind);

#endif
