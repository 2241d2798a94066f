/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - from an ELF file to a stack: CFI, rows, tables, the walk in user space
 *
 * A library: it prints nothing, never exits, uses neither BPF nor ptrace, and trusts no input. Headers that all
 * rooms need lie beside this file: errors, arrays, readers of bytes.
 *
 *	image/		an ELF file: segments, sections with CFI, symbols, PLT entries, relocations
 *	cfi/		call frame information: entries, instructions, expressions, and their rows
 *	sframe/		SFrame, the other table that linkers make: headers, functions, rows
 *	table/		rows as a compact table, which BPF can search; the step by one of its rules
 *	walk/		a process's mappings and their images; walks in user space
 *	truth_file/	reads the true stacks of a recorded run
 */
#ifndef STACKPROOF_UNWINDER_WING_H
#define STACKPROOF_UNWINDER_WING_H

#endif
