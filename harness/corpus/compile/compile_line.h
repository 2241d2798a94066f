/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_line.h - a compiler's command line, as the files of this room share it
 */
#ifndef STACKPROOF_COMPILE_LINE_H
#define STACKPROOF_COMPILE_LINE_H

#include <sys/types.h>
#include "compile.h"

/* Zero-initialise, but for error and lines. */
struct arguments {
	char **text;
	size_t count;
	bool lines; /* of a file each line is a word */
	struct error *error;
};

int arguments_add(struct arguments *arguments, const char *text, size_t length);
/* The word, or of @FILE all words. depth: how many files it stands in. */
int arguments_read(struct arguments *arguments, const char *text, unsigned int depth);
void arguments_deinit(struct arguments *arguments);
int compile_no_memory(struct error *error);

/* ---- compile_outputs.c -------------------------------------------------------------------- */

int compile_output_add(struct compile_outputs *outputs, const char *path, size_t length,
		       const char *suffix, struct error *error);

/* By its suffix. */
bool compile_is_assembly(const char *name);

/* ---- compile_rustc.c ---------------------------------------------------------------------- */

bool compile_is_rustc(const char *compiler);
/* What rustc will write. arguments: without rustc itself. */
int compile_rustc_outputs(const struct arguments *arguments, struct compile_outputs *ret,
			  struct error *error);

/* ---- compile_name.c ----------------------------------------------------------------------- */

const char *compile_base_name(const char *path);
bool compile_is_one_of(const char *text, const char *const *list, size_t count);
#define IS_ONE_OF(text, list) compile_is_one_of(text, list, sizeof(list) / sizeof((list)[0]))
/* By its base name, or by its folder's, too, where a pattern has one. */
bool compile_has_name(const char *path, const char *const *patterns, size_t count);
#define HAS_NAME(path, list) compile_has_name(path, list, sizeof(list) / sizeof((list)[0]))
/* ld, which has its own options, is called as a compiler is. */
bool compile_is_linker(const char *program);
/* The compiler in a command line, behind what launches it (ccache). */
char *const *compile_find(char *const *argv);
/* The folder in which the toolchain of that compiler is installed: its bin has the compiler, and its lib what the compiler
 * needs for itself. To be freed; NULL: there is none. */
char *compile_prefix(const char *compiler);

/* ---- compile_written.c -------------------------------------------------------------------- */

/* Both have the same segments at the same addresses: so have they their code, as far as that says. */
bool compile_is_same_image(const char *a, const char *b);

/* ---- compile_probe.c ---------------------------------------------------------------------- */

/* What GCC's and clang's command line says. */
struct compile_line {
	struct compile_outputs *outputs;
	struct arguments sources;
	struct arguments inputs; /* objects and libraries, by their paths */
	struct arguments linker; /* the words of -Wl and -Xlinker */
	const char *sysroot;
	const char *output; /* -o, or what the linker is told; NULL: the default */
	bool none, compile_only;
	bool language;	/* of -x, of what follows */
	bool assembler; /* it is that */
	bool compiled;	/* some source is none of assembly */
	bool bare;	/* what is compiled is to have no CFI */
	bool kernel;	/* nor is what is assembled */
	bool libraries; /* -lNAME */
	bool header;	/* is precompiled */
	bool foreign;	/* another machine's code is wanted */
	bool later;	/* the linker is to make the code */
};

/* It only asks what the compiler can do. */
bool compile_is_probe(const struct compile_line *line);

/* ---- compile_asked.c ---------------------------------------------------------------------- */

#define COMPILE_PROCESSES_MAX 64

/* That process is a script that configures, or was started by one, and by nobody who builds in between. */
bool compile_is_asked(pid_t pid);

enum compile_asker {
	COMPILE_ASKER_OTHER, /* a shell, say: who started it is looked at */
	COMPILE_ASKER_CONFIGURES,
	COMPILE_ASKER_BUILDS,
};
/* What a process is by its arguments, each ended by NUL as /proc/PID/cmdline has them. */
enum compile_asker compile_asker(const char *arguments, size_t size);

#endif
