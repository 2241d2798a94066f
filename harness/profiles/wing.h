/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - profiles, and how right their stacks are
 *
 *	profile/	a reader for each format: perf, folded, bpftrace, pprof, OTLP, Firefox, speedscope
 *	write/		a profile that was collected here, as a file of each format, and sent to servers
 *	score/		a profile compared with a program's truth file: exact, truncated, impossible, unproven
 *	record/		a machine sampled by the library: what `stackproof profile` collects
 *	view/		a profile that was collected here, for people: a page
 *	top/		the same while it is collected, in a terminal
 *	sample/		a program sampled by the BPF walk under a clock, each sample judged
 */
#ifndef STACKPROOF_PROFILES_WING_H
#define STACKPROOF_PROFILES_WING_H

#endif
