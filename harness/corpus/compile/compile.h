/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile.h - runs a compiler in a build, and finds out what it wrote
 *
 * The command line tells which files the compiler will write. It is read as GCC and clang read it (GCC
 * manual, "Overall Options"), without asking the compiler; a file that the command line does not clearly
 * name is no output. Whether the outputs were written is checked after the compiler has run.
 *
 *	compile_arguments.c  the command line, with @file expanded
 *	compile_outputs.c    the outputs of GCC and clang
 *	compile_rustc.c	     the outputs of rustc
 *	compile_probe.c	     whether the command only tests what the compiler can do
 *	compile_asked.c	     whether a configure script runs it
 *	compile_name.c	     compilers' names, and where they are
 *	compile_named.c	     stackproof in a compiler's place
 *	compile_again.c	     makes an output again, with line numbers and the linker's map
 *	compile_origin.c     which code is this build's own, by that map
 *	compile_findings.c   lint's findings as the compiler's warnings
 *	compile_run.c	     runs the compiler, with our input, output and environment
 *	compile_written.c    whether an output was written, and has code
 */
#ifndef STACKPROOF_COMPILE_H
#define STACKPROOF_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "error.h"

#define COMPILE_FILE_DEPTH_MAX 16	   /* @file within @file */
#define COMPILE_FILE_BYTES_MAX (16u << 20) /* of an @file */
#define COMPILE_ARGUMENTS_MAX  (1u << 20)  /* in all */

struct compile_paths {
	char **path;
	size_t count;
};

struct compile_outputs {
	char **path; /* as in the command line, or default names */
	size_t count;
	bool linked;		     /* the linker writes it */
	bool none;		     /* the command asks for nothing that has code */
	bool probe;		     /* a build system tests what the compiler can do */
	bool bare;		     /* the options ask for code without CFI */
	bool unchecked;		     /* the options make a check impossible */
	bool not_again;		     /* how to change the command, to make it again, is not known */
	struct compile_paths source; /* sources of the outputs; with -c one for each path */
	char *prefix; /* the toolchain's folder, where the compiler is installed; NULL: not known */
	char *sysroot;	     /* or NULL */
	struct stat *before; /* of each path, at compile_outputs_note() */
};

/* argv: the compiler and its arguments, ended by NULL; a launcher (ccache) may come first. ret->none: the
 * command only preprocesses, writes assembly or to standard output, or prints something. No paths, though
 * ret->none is false: the command line isn't understood. -1: no memory. */
int compile_outputs_find(char *const *argv, struct compile_outputs *ret, struct error *error);
/* Call before the compiler runs. -1: no memory. */
int compile_outputs_note(struct compile_outputs *outputs, struct error *error);
/* After the compiler has run: why it did not write an output, as in "(the file) is empty". NULL: it did. */
const char *compile_output_missing(const struct compile_outputs *outputs, size_t number);
void compile_outputs_deinit(struct compile_outputs *outputs);

enum compile_code {
	COMPILE_CODE,	    /* it has code, or that is not known */
	COMPILE_NO_CODE,    /* it has only data */
	COMPILE_CODE_LATER, /* the linker will make the code: link time optimization */
};
enum compile_code compile_code(const char *path);
/* True if path is a program that is linked statically. */
bool compile_is_static(const char *path);

/* ---- compile_name.c ----------------------------------------------------------------------- */

/* True for a compiler's name, which a link to stackproof may have: "x86_64-linux-gnu-gcc-12", "g++", "rustc". */
bool compile_is_name(const char *name);
/* The path of the first program of this name in PATH that isn't stackproof. *ret_skipped: stackproof has
 * the name earlier in PATH. free() it; NULL: there is none, or no memory. */
char *compile_find_other(const char *name, bool *ret_skipped);
/* Removes from PATH the folders in which stackproof has this name, so that a search finds the compiler. */
void compile_leave_path(const char *name);
/* The words of a compiler that is not named: those after stackproof in CC or CXX, else "cc". (Rust's crate
 * cc calls the first word of CC with `-E FILE` alone.) Ended by NULL and never freed; NULL: no memory. */
char **compile_of_environment(void);

/* ---- compile_named.c ---------------------------------------------------------------------- */

#define COMPILE_OPTIONS_VARIABLE "STACKPROOF_CC_OPTIONS"

enum compile_named {
	COMPILE_NOT_NAMED,
	COMPILE_NAMED,
	COMPILE_NAMED_NOWHERE, /* there is no such compiler, which was printed, or no memory */
};

/* Whether stackproof stands in a compiler's place, so that the command line means `stackproof cc`.
 * COMPILE_NAMED: *ret has the words of `cc`, ended by NULL and never freed. */
enum compile_named compile_named(char **argv, char ***ret);

/* ---- compile_again.c ---------------------------------------------------------------------- */

struct compile_again {
	char *lines; /* the output with line numbers; NULL: no source is assembly, or it could not be made */
	char *map; /* the linker's map of a linked output; NULL: it could not be made */
};

/* Makes output number again. ret has paths of temporary files, which compile_again_end() removes. */
void compile_again(char *const *argv, const struct compile_outputs *outputs, size_t number,
		   struct compile_again *ret);
void compile_again_end(struct compile_again *again);

/* ---- compile_origin.c --------------------------------------------------------------------- */

struct compile_origin;

/* Reads from the linker's map which file each piece of a linked image's code is from. NULL: the map has no
 * pieces, or no memory. */
struct compile_origin *compile_origin_read(const char *map);
/* "Others": true if code is not this build's own, because its file is installed. The code at pc: */
bool compile_origin_is_others(const struct compile_origin *origin,
			      const struct compile_outputs *outputs, uint64_t pc);
void compile_origin_free(struct compile_origin *origin);
/* All code of the outputs: all sources are installed. */
bool compile_is_others(const struct compile_outputs *outputs);
/* The code of a source: it is installed assembly, as in Go's runtime. */
bool compile_source_is_others(const char *path);
/* True if the source exists, and is not installed. */
bool compile_source_is_own(const char *path);

/* ---- compile_run.c ------------------------------------------------------------------------ */

/* Replaces this process by the compiler. Returns only if that fails: the exit status. */
int compile_become(char *const *argv);
/* Runs the compiler. *ret_status: its exit status; 128 plus the signal that ended it; 127 if there is no
 * such program. -1: no process could be started. */
int compile_run(char *const *argv, int *ret_status, struct error *error);

#endif
