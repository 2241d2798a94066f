/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - what tests us, and not a user's tables
 *
 * hostile and decoders are programs of their own, above the commands.
 *
 *	bench/		figures of speed, each with a reference in the same run; their table is commands/bench.c
 *	bench_gimli/	the reference that is written in Rust
 *	hostile/	broken ELF files by every command
 *	decoders/	where Capstone and Zydis differ
 */
#ifndef STACKPROOF_LAB_WING_H
#define STACKPROOF_LAB_WING_H

#endif
