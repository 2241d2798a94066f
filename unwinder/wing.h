/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - from an ELF file to a stack: CFI, rows, tables, the walk in user space
 *
 * A library: it prints nothing, never exits, knows neither BPF nor ptrace, and takes every input for hostile.
 * What all rooms need lies beside this file: errors, arrays, bytes that can't be read past their end.
 *
 *	image/		an ELF file: segments, sections with CFI, symbols, PLT entries, relocations
 *	cfi/		call frame information: entries, instructions, expressions; the rows that they come to
 *	table/		rows as a compact table, which BPF can search; one step by a rule of it
 *	walk/		a process's mappings and their images; steps until the stack ends
 *	truth_file/	a recorded run's true stacks, read back
 */
#ifndef STACKPROOF_UNWINDER_WING_H
#define STACKPROOF_UNWINDER_WING_H

#endif
