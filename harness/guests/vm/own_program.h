/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_program.h - this program, for a guest whose root is another system
 */
#ifndef STACKPROOF_OWN_PROGRAM_H
#define STACKPROOF_OWN_PROGRAM_H

#include "guest_files.h"

/* Zero-initialise. */
struct own_program {
	char *data; /* the program, to be FRAME_OWN_PATH/stackproof */
	size_t size;
	struct guest_files files; /* its interpreter and libraries, all in FRAME_OWN_PATH */
};

/* Reads this process's program. -1: it, or a library of it, can't be read. */
int own_program_collect(struct own_program *ret, struct error *error);
void own_program_deinit(struct own_program *program);

/*
 * Changes an x86-64 program of size bytes, in place: the kernel starts it by the given interpreter, which looks for
 * libraries in the program's own folder first. -1: it has no interpreter, or no room for that.
 */
int elf_rehome(void *data, size_t size, const char *interpreter, struct error *error);

#endif
