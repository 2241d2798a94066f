/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - the engines, which are asked for a stack
 *
 * An engine gets a stopped thread and answers with a stack, or says nothing.
 *
 *	built_in/	ours and libraries': cfi, table, bpf, libdw, libunwind, perf; to add an engine, add a file here
 *	external/	engines that are programs, asked through pipes; a host program that loads a shared object
 *	driven/		a BPF program that somebody else wrote, run at each stop
 *	libgcc/		a host program: libgcc's unwinder over another process's memory
 */
#ifndef STACKPROOF_ENGINES_WING_H
#define STACKPROOF_ENGINES_WING_H

#endif
