/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libgcc_inside.h - libgcc_host: libgcc's unwinder, in a process that looks like the other one
 *
 *	libgcc_host.c	the program: leaves the addresses that other processes have
 *	libgcc_images.c	the other process's files, mapped where it has them; finding an image by a PC
 *	libgcc_memory.c	its other memory, page by page when it is touched
 *	libgcc_walk.c	a walk that begins in the other process's registers
 *
 * libgcc walks its own process and nothing else: it reads memory by its address, and asks the C
 * library for the image that a PC is in. The engine `libgcc` (harness/engines/built_in/libgcc.c) starts this
 * program, which has the other process's memory at the other process's addresses, and answers that
 * question itself. Two things can't be at one address, so everything of this program is *at home*,
 * in a range where hardly any process has anything.
 *
 * A signal's handler and the functions that libgcc calls have no argument of ours: what they share
 * is global.
 */
#ifndef STACKPROOF_LIBGCC_INSIDE_H
#define STACKPROOF_LIBGCC_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engines/external/stackproof_engine.h"

#define PAGE_BYTES 4096u

/* The Makefile links the program to HOME_START. The heap begins up to a gigabyte behind it, at
 * random. What is in this range is never the other process's. */
#define HOME_START 0x74000000ull
#define HOME_END   0xc8000000ull

static inline bool is_home(uint64_t address)
{
	return address >= HOME_START && address < HOME_END;
}

/* Calls function(argument), which calls libgcc's: memory is the point's, and libgcc_end() is where
 * it ends. 0, or the stop of that end. Not within itself. */
uint32_t libgcc_try(const struct stackproof_engine_point *point, void (*function)(void *argument),
		    void *argument);
bool libgcc_is_tried(void);
/* Ends what libgcc_try() has called, from wherever it is, with a stop of stackproof_engine.h. */
void libgcc_end(uint32_t stop) __attribute__((noreturn));

/* Takes the point's mappings, unless they are those that were taken last. 0, or the stop that any
 * walk in them has: libgcc does not survive what is registered. */
uint32_t libgcc_images_take(const struct stackproof_engine_point *point);
/* Whether a PC is in an image that could not be had. */
bool libgcc_images_lack(uint64_t pc);

/* From now on memory is this point's, until libgcc_memory_forget(). */
void libgcc_memory_begin(const struct stackproof_engine_point *point);
void libgcc_memory_forget(void);
/* At an address that must be free; read-only if it is a file's. fd -1: no file's. */
bool libgcc_memory_map(uint64_t address, uint64_t bytes, int fd, uint64_t offset);

void *libgcc_open(uint32_t version, const char *argument, struct stackproof_engine_about *ret);
int libgcc_walk(void *engine, const struct stackproof_engine_point *point,
		struct stackproof_engine_stack *ret);
void libgcc_close(void *engine);

#endif
