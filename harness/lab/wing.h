/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - tests and measurements of stackproof itself, not of a user's tables
 *
 * hostile and decoders are programs of their own, above the commands.
 *
 *	bench/		figures of speed and size, each with a reference in the same run; commands/bench.c lists them
 *	costs/		what a profiler costs: its own, and that of the work beside it
 *	bench_gimli/	the reference in Rust: the library gimli
 *	hostile/	gives broken ELF files to every command
 *	decoders/	finds instructions that Capstone and Zydis decode differently
 */
#ifndef STACKPROOF_LAB_WING_H
#define STACKPROOF_LAB_WING_H

#endif
