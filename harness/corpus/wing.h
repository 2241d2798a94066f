/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - programs and compilers: built, compared with expectations, generated, planted with faults
 *
 *	manifest/	the programs that were built, and what is expected of each
 *	compile/	stackproof cc: runs a compiler, and lints its output
 *	toolchains/	the faults and features of compilers' tables, by version
 *	golden/		tables that were found right, packed, and compared with new ones
 *	generate/	random programs, and the smallest one that still shows a finding
 *	plant/		plants a fault in a right table, and checks that it is noticed
 */
#ifndef STACKPROOF_CORPUS_WING_H
#define STACKPROOF_CORPUS_WING_H

#endif
