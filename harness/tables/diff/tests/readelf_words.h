/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * readelf_words.h - lines of readelf's dumps, as words
 *
 * What `readelf -wF` prints of a section, a CIE and an FDE, for cases that want such a dump, or make one.
 */
#ifndef STACKPROOF_TESTS_READELF_WORDS_H
#define STACKPROOF_TESTS_READELF_WORDS_H

/* at: the offset. back: what leads to the CIE. more: the rows. */
#define CONTENTS(section) "Contents of the " section " section:\n\n\n"
#define NO_DATA(section)  "\nSection '" section "' has no debugging data.\n"
#define COLUMNS		  "   LOC           CFA      ra    \n"
#define CIE_OF(at, length, id, augmentation, ra, more)                                             \
	at " 000000000000" length " " id " CIE \"" augmentation "\" cf=1 df=-8 ra=" ra "\n" more   \
	   "\n"
#define CIE_ROW			  COLUMNS "0000000000000000 rsp+8    c-8   \n"
#define CIE(at, id, augmentation) CIE_OF(at, "0014", id, augmentation, "16", CIE_ROW)
#define FDE(at, length, back, cie, pc, end, more)                                                  \
	at " 00000000000000" length " " back " FDE cie=" cie " pc=000000000000" pc                 \
	   "..000000000000" end "\n" more "\n"

#endif
