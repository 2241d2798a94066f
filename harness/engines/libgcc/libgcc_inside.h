/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libgcc_inside.h - libgcc_host: libgcc's unwinder, in a process that has another process's memory
 *
 *	libgcc_host.c	the program: moves away from addresses that other processes have
 *	libgcc_images.c	the other process's files, mapped where it has them; finding an image by a PC
 *	libgcc_memory.c	its other memory, page by page when it is touched
 *	libgcc_walk.c	a walk that begins in the other process's registers
 *
 * libgcc can walk its own process only: it reads memory by its address, and asks the C library for the image of a PC.
 * The engine `libgcc` (harness/engines/built_in/libgcc.c) starts this program. It has the other process's memory at
 * the same addresses, and answers that question itself. So that its own memory is not in the way, all of it is *at
 * home*, in a range where hardly any process has anything.
 *
 * Signal handlers, and functions that libgcc calls, have no argument of ours: what they share is global.
 */
#ifndef STACKPROOF_LIBGCC_INSIDE_H
#define STACKPROOF_LIBGCC_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engines/external/stackproof_engine.h"

#define PAGE_BYTES 4096u

/* The Makefile links the program to HOME_START. The heap begins up to a gigabyte behind it, at random.
 * Nothing of the other process is in this range. */
#define HOME_START 0x74000000ull
#define HOME_END   0xc8000000ull

static inline bool is_home(uint64_t address)
{
	return address >= HOME_START && address < HOME_END;
}

/* Calls function(argument), which calls libgcc, with the point's memory. Returns 0, or the stop that
 * libgcc_end() was given. Must not be called within itself. */
uint32_t libgcc_try(const struct stackproof_engine_point *point, void (*function)(void *argument),
		    void *argument);
/* True within libgcc_try(). */
bool libgcc_is_tried(void);
/* Leaves the function that libgcc_try() has called, from any depth. stop: of stackproof_engine.h. */
void libgcc_end(uint32_t stop) __attribute__((noreturn));

/* Maps the point's files, unless they are mapped already. Returns 0, or the stop of every walk in them:
 * libgcc did not survive the registration of an image's .eh_frame. */
uint32_t libgcc_images_take(const struct stackproof_engine_point *point);
/* Whether a PC is in an image that could not be mapped. */
bool libgcc_images_lack(uint64_t pc);

/* Until libgcc_memory_forget(), pages that are touched are copied from this point. */
void libgcc_memory_begin(const struct stackproof_engine_point *point);
void libgcc_memory_forget(void);
/* Maps memory at an address that must be free. fd -1: anonymous; else a file's, read-only. False: errno says
 * why. */
bool libgcc_memory_map(uint64_t address, uint64_t bytes, int fd, uint64_t offset);

void *libgcc_open(uint32_t version, const char *argument, struct stackproof_engine_about *ret);
int libgcc_walk(void *engine, const struct stackproof_engine_point *point,
		struct stackproof_engine_stack *ret);
void libgcc_close(void *engine);

#endif
