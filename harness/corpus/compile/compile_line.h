/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_line.h - a compiler's command line; for the files of this room
 */
#ifndef STACKPROOF_COMPILE_LINE_H
#define STACKPROOF_COMPILE_LINE_H

#include <sys/types.h>
#include "compile.h"

/* Zero-initialise, but for error and lines. */
struct arguments {
	char **text;
	size_t count;
	bool lines; /* in an @file each line is a word */
	struct error *error;
};

/* Adds a copy of text. -1: no memory. */
int arguments_add(struct arguments *arguments, const char *text, size_t length);
/* Adds the word, or of @FILE all words. depth: how many files it is nested in. */
int arguments_read(struct arguments *arguments, const char *text, unsigned int depth);
void arguments_deinit(struct arguments *arguments);
/* Sets error, and returns -1. */
int compile_no_memory(struct error *error);

/* ---- compile_outputs.c -------------------------------------------------------------------- */

/* Adds the first length bytes of path with suffix. -1: no memory. */
int compile_output_add(struct compile_outputs *outputs, const char *path, size_t length,
		       const char *suffix, struct error *error);

/* True if name has a suffix of assembly. */
bool compile_is_assembly(const char *name);

/* ---- compile_rustc.c ---------------------------------------------------------------------- */

bool compile_is_rustc(const char *compiler);
/* Finds what rustc will write. arguments: without rustc itself. */
int compile_rustc_outputs(const struct arguments *arguments, struct compile_outputs *ret,
			  struct error *error);

/* ---- compile_name.c ----------------------------------------------------------------------- */

const char *compile_base_name(const char *path);
bool compile_is_one_of(const char *text, const char *const *list, size_t count);
#define IS_ONE_OF(text, list) compile_is_one_of(text, list, sizeof(list) / sizeof((list)[0]))
/* True if the base name matches a glob of patterns; with a "/" in the glob, its folder's name must match, too. */
bool compile_has_name(const char *path, const char *const *patterns, size_t count);
#define HAS_NAME(path, list) compile_has_name(path, list, sizeof(list) / sizeof((list)[0]))
/* True if program is ld, called in place of a compiler, with options of its own. */
bool compile_is_linker(const char *program);
/* Where the compiler is in a command line, after a launcher (ccache). */
char *const *compile_find(char *const *argv);
/* The folder in which the compiler's toolchain is installed: the parent of its bin and lib. free() it;
 * NULL: not found, or no memory. */
char *compile_prefix(const char *compiler);

/* ---- compile_written.c -------------------------------------------------------------------- */

/* True if both files have the same segments at the same addresses, and so probably the same code. */
bool compile_is_same_image(const char *a, const char *b);

/* ---- compile_probe.c ---------------------------------------------------------------------- */

/* A command line of GCC or clang, parsed. */
struct compile_line {
	struct compile_outputs *outputs;
	struct arguments sources;
	struct arguments inputs; /* paths of objects and libraries */
	struct arguments linker; /* the words of -Wl and -Xlinker */
	const char *sysroot;
	const char *output; /* of -o, also among the linker's words; NULL: the default */
	bool none, compile_only;
	bool language;	/* -x is in force */
	bool assembler; /* -x in force is assembler */
	bool compiled;	/* a source is not assembly */
	bool bare;	/* options ask for no CFI in compiled code */
	bool kernel;	/* options ask for no CFI in any code */
	bool libraries; /* -lNAME was given */
	bool header;	/* a header is precompiled */
	bool foreign;	/* options ask for another machine's code */
	bool later;	/* the linker will make the code */
};

/* True if the command only tests what the compiler can do. */
bool compile_is_probe(const struct compile_line *line);

/* ---- compile_asked.c ---------------------------------------------------------------------- */

#define COMPILE_PROCESSES_MAX 64 /* pid and its ancestors */

/* True if pid, or an ancestor, is a configure script, and no process in between is a build tool. */
bool compile_is_asked(pid_t pid);

enum compile_asker {
	COMPILE_ASKER_OTHER, /* a shell, say: its parent decides */
	COMPILE_ASKER_CONFIGURES,
	COMPILE_ASKER_BUILDS,
};
/* What a process is, by its arguments as in /proc/PID/cmdline: each ends in NUL. */
enum compile_asker compile_asker(const char *arguments, size_t size);

#endif
