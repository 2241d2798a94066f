/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile.h - a compiler that is run for somebody else, and what it writes
 *
 * A build's command line says which files will be there when the compiler has come to its end. It is
 * read as GCC and clang read it (GCC manual, "Overall Options"), as far as that takes: nothing is asked of
 * the compiler, and what can't be told is no output. Whether that was written is looked at afterwards.
 *
 *	compile_arguments.c  the command line, with @file expanded
 *	compile_outputs.c    what GCC and clang write by it
 *	compile_rustc.c	     what rustc does
 *	compile_probe.c	     is it only a question what the compiler can do?
 *	compile_asked.c	     who runs it: a configure?
 *	compile_name.c	     compilers' names, and where they are
 *	compile_named.c	     this program in a compiler's place
 *	compile_again.c	     the same once more, with line numbers and the linker's map
 *	compile_origin.c     whose code it is, by that map
 *	compile_findings.c   what was found, as the compiler's warnings
 *	compile_run.c	     the compiler, with our input, output and environment
 *	compile_written.c    was it written, and is there code in it?
 */
#ifndef STACKPROOF_COMPILE_H
#define STACKPROOF_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "error.h"

#define COMPILE_FILE_DEPTH_MAX 16	   /* @file within @file */
#define COMPILE_FILE_BYTES_MAX (16u << 20) /* of one */
#define COMPILE_ARGUMENTS_MAX  (1u << 20)  /* in all */

struct compile_paths {
	char **path;
	size_t count;
};

struct compile_outputs {
	char **path; /* as the command line has them, or as they are named by default */
	size_t count;
	bool linked;		     /* it is what the linker writes */
	bool none;		     /* nothing was asked for that has code */
	bool probe;		     /* a build system looks what the compiler can do */
	bool bare;		     /* by its options, the code is to have no CFI */
	bool unchecked;		     /* by its options, nothing can be checked */
	bool not_again;		     /* it can't be told which words to change, to make it again */
	struct compile_paths source; /* that become objects: of -c one for each path */
	char *prefix; /* of the toolchain, where the compiler is installed; NULL: it can't be told */
	char *sysroot;	     /* or NULL */
	struct stat *before; /* of each path, as it was when they were noted */
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
/* A program that needs nobody else: what it is linked of is all in it. */
bool compile_is_static(const char *path);

/* ---- compile_name.c ----------------------------------------------------------------------- */

/* "x86_64-linux-gnu-gcc-12", "g++", "rustc": what a link to this program may be named. */
bool compile_is_name(const char *name);
/* The first program of that name in PATH that isn't this one. skipped: PATH has this program under that
 * name before. To be freed; NULL: there is none, or no memory. */
char *compile_find_other(const char *name, bool *ret_skipped);
/* Takes the folders out of PATH in which this program has that name: who looks there finds the compiler. */
void compile_leave_path(const char *name);
/* Of a compiler that is asked for without its name (`-E FILE` alone, as Rust's crate cc asks whoever CC
 * begins with): what CC or CXX says behind this program, else "cc". Words of it, as argv; NULL: no memory.
 * Never freed. */
char **compile_of_environment(void);

/* ---- compile_named.c ---------------------------------------------------------------------- */

#define COMPILE_OPTIONS_VARIABLE "STACKPROOF_CC_OPTIONS"

enum compile_named {
	COMPILE_NOT_NAMED,
	COMPILE_NAMED,
	COMPILE_NAMED_NOWHERE, /* there is no such compiler, as was said, or no memory */
};

/* Whether the command line means `cc`, without saying so. *ret: the command's words then, ended by NULL,
 * never freed. */
enum compile_named compile_named(char **argv, char ***ret);

/* ---- compile_again.c ---------------------------------------------------------------------- */

struct compile_again {
	char *lines; /* the same with line numbers; NULL: there is no assembly in it, or it could not be made */
	char *map; /* the linker's, of what was linked; NULL: it could not be made */
};

/* The output of that number once more: temporary files. */
void compile_again(char *const *argv, const struct compile_outputs *outputs, size_t number,
		   struct compile_again *ret);
void compile_again_end(struct compile_again *again);

/* ---- compile_origin.c --------------------------------------------------------------------- */

struct compile_origin;

/* Which file each piece of a linked image's code is of, by the linker's map. NULL: it says nothing, or no memory. */
struct compile_origin *compile_origin_read(const char *map);
/* The code at that address is none of this build's: its file is installed. */
bool compile_origin_is_others(const struct compile_origin *origin,
			      const struct compile_outputs *outputs, uint64_t pc);
void compile_origin_free(struct compile_origin *origin);
/* So is all of it: its sources are installed. */
bool compile_is_others(const struct compile_outputs *outputs);
/* And so is what was made of that source: installed assembly, such as Go's runtime has. */
bool compile_source_is_others(const char *path);
/* It is there, and not installed. */
bool compile_source_is_own(const char *path);

/* ---- compile_run.c ------------------------------------------------------------------------ */

/* Becomes the compiler, which then has its own output and status. It returns if that can't be: the exit status. */
int compile_become(char *const *argv);
/* Runs it. *ret_status: its exit status; 128 and the signal that ended it; 127 if there is no such program.
 * -1: no process could be started. */
int compile_run(char *const *argv, int *ret_status, struct error *error);

#endif
