/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_referee.h - asks libdw about single rows
 *
 * Unlike referee.h, this does not walk. It compares libdw's row for an address with our reader's row, column by
 * column.
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
/* Opens libdw's CFI of a file. eh_frame: of .eh_frame; false: of .debug_frame. -1: the file can't be opened; or
 * ERROR_UNAVAILABLE: libdw refuses it, for example since another section is damaged. */
int row_referee_create(const char *path, bool eh_frame, struct row_referee **ret,
		       struct error *error);
void row_referee_destroy(struct row_referee *referee);
/* Compares row with libdw's row for row->pc. column: the return address's, as the row's CIE says. Unless they
 * agree, ret_why says what differs, or why libdw has none. */
enum row_judgment row_referee_judge(const struct row_referee *referee, const struct row *row,
				    uint64_t column, char ret_why[ROW_REFEREE_WHY]);
/* True if libdw has a frame for vaddr. Where our reader has no FDE, libdw must have none. */
bool row_referee_has_frame(const struct row_referee *referee, uint64_t vaddr);

#endif
