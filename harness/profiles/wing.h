/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - what profilers write, and what it is worth
 *
 *	profile/	the formats: perf, folded, bpftrace, pprof, OTLP, Firefox, speedscope; to add one, add a reader here
 *	score/		a profile held against a program's truth file: possible, impossible, truncated, unproven
 *	sample/		a program sampled by the BPF walk under a clock, each sample judged
 */
#ifndef STACKPROOF_PROFILES_WING_H
#define STACKPROOF_PROFILES_WING_H

#endif
