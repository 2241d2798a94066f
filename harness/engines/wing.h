/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - who is asked for a stack
 *
 * An engine gets a stopped thread and answers with a stack, or says nothing.
 *
 *	built_in/	ours and libraries': cfi, table, bpf, libdw, libunwind, perf; to add an engine, add a file here
 *	external/	programs of their own, spoken to by pipes; the host that loads a shared object as one
 *	libgcc/		a host program: libgcc's unwinder over another process's memory
 */
#ifndef STACKPROOF_ENGINES_WING_H
#define STACKPROOF_ENGINES_WING_H

#endif
