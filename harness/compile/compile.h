/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile.h - a compiler that is run for somebody else, and what it writes
 *
 * A build's command line says which files will be there when the compiler has come to its end. It is
 * read as GCC and clang read it (GCC manual, "Overall Options"), as far as that takes: nothing is asked of
 * the compiler, and what can't be told is no output. Whether that was written is looked at afterwards.
 *
 *	compile_arguments.c  the command line, with @file expanded -> outputs
 *	compile_run.c	     the compiler, with our input, output and environment
 *	compile_written.c    was it written, and is there code in it?
 */
#ifndef STACKPROOF_COMPILE_H
#define STACKPROOF_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include "error.h"

#define COMPILE_FILE_DEPTH_MAX 16	   /* @file within @file */
#define COMPILE_FILE_BYTES_MAX (16u << 20) /* of one */
#define COMPILE_ARGUMENTS_MAX  (1u << 20)  /* in all */

struct compile_outputs {
	char **path; /* as the command line has them, or as they are named by default */
	size_t count;
	bool linked;	     /* it is what the linker writes */
	bool none;	     /* nothing was asked for that has code */
	struct stat *before; /* of each, as it was when they were noted */
};

/* argv: the compiler and its arguments, ended by NULL; before the compiler may stand a launcher (ccache).
 * None: it only preprocesses, writes assembly or standard output, or says something. None of them although
 * something was asked for: the command line isn't understood. -1: no memory. */
int compile_outputs_find(char *const *argv, struct compile_outputs *ret, struct error *error);
/* Before the compiler runs. -1: no memory. */
int compile_outputs_note(struct compile_outputs *outputs, struct error *error);
/* Afterwards: why a file is not what was written, behind its name in a sentence. NULL: it is. */
const char *compile_output_missing(const struct compile_outputs *outputs, size_t number);
void compile_outputs_deinit(struct compile_outputs *outputs);

enum compile_code {
	COMPILE_CODE,	    /* or it can't be told */
	COMPILE_NO_CODE,    /* data only */
	COMPILE_CODE_LATER, /* the linker makes it: link time optimization */
};
enum compile_code compile_code(const char *path);

/* Runs it. *ret_status: its exit status; 128 and the signal that ended it; 127 if there is no such program.
 * -1: no process could be started. */
int compile_run(char *const *argv, int *ret_status, struct error *error);

#endif
