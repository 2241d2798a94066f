/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - programs and compilers: what is built, what is expected of it, and what is planted in it
 *
 *	manifest/	the programs that were built, and what is expected of each
 *	compile/	stackproof cc: a compiler is run, and what it wrote is linted
 *	toolchains/	which compiler does what to tables, and since which version
 *	golden/		tables that were once found right, packed, and compared
 *	generate/	random programs, and the smallest one that still shows a finding
 *	plant/		one fault in a right table: is it noticed?
 */
#ifndef STACKPROOF_CORPUS_WING_H
#define STACKPROOF_CORPUS_WING_H

#endif
