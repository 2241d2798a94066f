/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_fraction.h - shares and means, compared without rounding
 *
 * 99.995 % of a million points is not 100 %, and must not be rounded to it.
 */
#ifndef STACKPROOF_COMPARE_FRACTION_H
#define STACKPROOF_COMPARE_FRACTION_H

#include <stdint.h>

struct fraction {
	uint64_t part, whole; /* whole 0: not known */
};

/* -1: a is less than b; 0: equal; 1: more. An unknown fraction is more than every known one. */
static inline int fraction_compare(struct fraction a, struct fraction b)
{
	unsigned __int128 left = (unsigned __int128)a.part * b.whole;
	unsigned __int128 right = (unsigned __int128)b.part * a.whole;

	if (!a.whole || !b.whole)
		return !a.whole - !b.whole;
	return (left > right) - (left < right);
}

#endif
