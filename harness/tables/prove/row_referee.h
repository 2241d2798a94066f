/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_referee.h - libdw's word on single rows
 *
 * Unlike referee.h nothing is walked here: what libdw says of an address is held against the row
 * that our reader says, column by column.
 */
#ifndef STACKPROOF_ROW_REFEREE_H
#define STACKPROOF_ROW_REFEREE_H

#include "cfi/cfi.h"

#define ROW_REFEREE_WHY 128

enum row_judgment {
	ROW_AGREED,   /* CFA, return address and every register */
	ROW_DISPUTED, /* libdw says something else */
	ROW_UNKNOWN,  /* libdw has no frame for the address */
	ROW_JUDGMENT_COUNT,
};

struct row_referee;
/* Opens libdw's CFI of a file's section, ".eh_frame" or ".debug_frame". */
int row_referee_create(const char *path, bool eh_frame, struct row_referee **ret,
		       struct error *error);
void row_referee_destroy(struct row_referee *referee);
/* Asks for row->pc. Unless agreed, ret_why says what differs, or why libdw is silent. */
enum row_judgment row_referee_judge(const struct row_referee *referee, const struct row *row,
				    char ret_why[ROW_REFEREE_WHY]);
/* True if libdw has a frame for vaddr, whatever it says: where our reader has no FDE it must
 * not. */
bool row_referee_has_frame(const struct row_referee *referee, uint64_t vaddr);

#endif
