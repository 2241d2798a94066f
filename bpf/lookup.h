/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lookup.h - a task of look-ups, which `bench lookup_bpf_*` of the harness gives lookup.bpf.c
 */
#ifndef STACKPROOF_LOOKUP_H
#define STACKPROOF_LOOKUP_H

#include "table/table_abi.h"

#define LOOKUP_POINTS_SHIFT 16
#define LOOKUP_POINTS	    (1u << LOOKUP_POINTS_SHIFT)

/* A plain row: 12 bits of offset in the page, 20 bits of rule. */
#define LOOKUP_PLAIN_RULE_BITS (32 - TABLE_PAGE_SHIFT)
#define LOOKUP_PLAIN_RULE_MAX  (1u << LOOKUP_PLAIN_RULE_BITS)

/* The only value of the array `tasks`. Round r looks up point (begin + r) & mask. */
struct lookup_task {
	struct walk_mapping table; /* where the image is in the walk's arrays */
	struct walk_mapping plain; /* where it is in those of plain rows: same start and end */
	__u32 begin, mask, rounds, zero;
	__u64 ns;		     /* out: the time of all rounds */
	__u64 contents;		     /* out: the sum of all rules' digests */
	__u32 offset[LOOKUP_POINTS]; /* the PCs, less the mapping's start */
	__u32 found[LOOKUP_POINTS];  /* out: the rule's number in its array, or the stop reason */
};

/* A value that depends on every byte of a rule: so the whole rule is read. */
static inline __attribute__((always_inline)) __u64 lookup_digest(const struct table_rule *rule)
{
	__u64 word[2];

	__builtin_memcpy(word, rule, sizeof(word));
	return word[0] * 3 + word[1];
}

#endif
