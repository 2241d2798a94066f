/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load.h - what the verifier says of each BPF program, and what it said before
 *
 *	load_object.c	  a BPF object: a file or one of the built-in ones, and its programs
 *	load_compiler.c	  the compiler of an object, from its debug information
 *	load_program.c	  loads one program into the kernel: struct load_result
 *	load_statistics.c the verifier's log
 *	load_excuse.c	  whether a program that does not load is a failure
 *	load_print.c	  a result as text and JSON, and a result from JSON
 *	load_record.c	  golden/verifier.tsv: struct load_record
 *	load_check.c	  results against the record
 *	commands/load.c  the command line
 */
#ifndef STACKPROOF_LOAD_H
#define STACKPROOF_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"

#define LOAD_NAME_MAX 64
#define LOAD_LOG_MAX  2048

/* ---- load_statistics.c ------------------------------------------------------------------ */

/* What the verifier counted. A member is 0 or "" if the log does not say. */
struct load_statistics {
	uint64_t instructions; /* processed on all paths; the limit is a million */
	uint64_t total_states, peak_states;
	uint64_t verify_ns;
	uint64_t stack_most;	   /* bytes in use at once, at most (Linux 7.2) */
	char stack[LOAD_NAME_MAX]; /* bytes of each function, the program first: "40+0+96" */
};

/* Reads the lines that BPF_LOG_STATS adds. 0, or -1 if no line says "processed N insns". */
int load_statistics_parse(const char *log, struct load_statistics *ret);
/* The sum of load_statistics.stack; 0 if the text is malformed. */
uint64_t load_stack_bytes(const char *stack);
/* The log's last lines, without the statistics: why a program was refused. ret has size bytes. */
void load_log_tail(const char *log, char *ret, size_t size);
/* The number of the helper function that the kernel does not have at all, by the log ("invalid func"),
 * or -1. A helper that only this program type may not call ("unknown func") does not count. */
int load_log_helper(const char *log);

/* ---- load_object.c, load_compiler.c ----------------------------------------------------- */

struct load_object {
	char name[LOAD_NAME_MAX];     /* "walk": the file's name up to the first dot */
	char file[512];		      /* its path; or "built-in" */
	char compiler[LOAD_NAME_MAX]; /* "clang-14"; or "unknown" */
	char version[LOAD_NAME_MAX];  /* "14.0.6"; or "" */
	const void *data;
	size_t size;
	void *owned; /* data, if the object was read from a file; else NULL */
	char (*program)[LOAD_NAME_MAX];
	size_t program_count;
};

/* Reads a file. -1: it can't be read, or is no BPF object with a program. */
int load_object_init(struct load_object *ret, const char *path, struct error *error);
/* Object i of those that are compiled into stackproof. 1: there is no object i. */
int load_object_init_built_in(struct load_object *ret, size_t i, struct error *error);
void load_object_deinit(struct load_object *object);

/* From now on libbpf prints nothing, in the whole process. The calling thread's first warning is kept:
 * it names the cause of a failure. */
void load_warning_reset(void);
/* That warning, without a newline; "" if there was none. Valid until the thread's next reset. */
const char *load_warning(void);

/* The object's compiler, from the first compilation unit's DW_AT_producer (DWARF 5, 3.1.1). Both texts
 * have room for LOAD_NAME_MAX bytes, here and in load_compiler_parse(). */
void load_compiler(const void *data, size_t size, char *ret_compiler, char *ret_version);
/* "Debian clang version 14.0.6" -> "clang-14", "14.0.6". */
void load_compiler_parse(const char *producer, char *ret_compiler, char *ret_version);

/* ---- load_program.c --------------------------------------------------------------------- */

enum load_outcome {
	LOAD_YES,
	LOAD_NO, /* refused; the log says why */
	LOAD_NO_HELPER, /* refused: the kernel does not have a helper function at all, see load_log_helper() */
	LOAD_OUTCOME_COUNT,
};
/* "yes", "no", "no_helper". */
const char *load_outcome_name(enum load_outcome outcome);
/* The inverse; LOAD_OUTCOME_COUNT if name is no outcome. */
enum load_outcome load_outcome_of(const char *name);

/* One program on one kernel. */
struct load_result {
	char kernel[LOAD_NAME_MAX];  /* "6.12", "6.12.oldest": as in the record */
	char release[LOAD_NAME_MAX]; /* uname -r */
	char compiler[LOAD_NAME_MAX], version[LOAD_NAME_MAX];
	char object[LOAD_NAME_MAX], program[LOAD_NAME_MAX];
	char method[LOAD_NAME_MAX]; /* "bpf_loop", "tail_calls"; "plain": it uses neither */
	enum load_outcome outcome;
	struct load_statistics statistics;
	uint64_t verified; /* instructions, as bpf_prog_info says (Linux 5.16); else 0 */
	uint64_t load_ns;  /* of the whole load: relocation, maps, verifier, JIT */
	uint64_t translated_bytes, jited_bytes;
	char log[LOAD_LOG_MAX]; /* the log's last lines, if the program does not load */
};

/* 0 if this process can load BPF programs. -1: ERROR_UNAVAILABLE, a skip, if it may not; any other error is
 * error_is_want(), no memory or no file descriptor. */
int load_possible(struct error *error);
/* Loads program i alone. 0 even if the verifier refuses the program: ret->outcome. -1: no memory or no file
 * descriptor (error_is_want()), and *ret says nothing of the program. */
int load_program(const struct load_object *object, size_t i, struct load_result *ret,
		 struct error *error);

/* ---- load_excuse.c ---------------------------------------------------------------------- */

/* A refused program is a failure, whatever the verifier's reason, unless it has an excuse. */
enum load_excuse {
	LOAD_NO_EXCUSE,
	LOAD_OPTIONAL, /* --optional names the program */
	LOAD_UNUSED,   /* built in, and for kernels with bpf_loop; this kernel has none */
	LOAD_SPARED, /* built in, and traces the kernel, which may be refused to all; what uses it says so */
	LOAD_EXCUSE_COUNT,
};
/* "", "optional", "unused", "spared". */
const char *load_excuse_name(enum load_excuse excuse);

/* The globs of --optional, for PROGRAM or OBJECT/PROGRAM. Zero-initialise. */
struct load_optional {
	struct load_optional_name {
		const char *glob;
		bool met; /* a program's name has matched */
	} * name;
	size_t count;
};
/* -1: no memory. glob is borrowed. */
int load_optional_add(struct load_optional *optional, const char *glob);
/* Whether a glob matches the program. Sets met of every glob that does. */
bool load_optional_has(struct load_optional *optional, const struct load_result *result);
void load_optional_deinit(struct load_optional *optional);

/* Whether this kernel has bpf_loop: session.c then walks by it. */
bool load_kernel_loops(void);
/* The excuse of a refused program; LOAD_NO_EXCUSE also if it loads. built_in: the program's object is
 * built in. loops: load_kernel_loops(). optional: load_optional_has(). */
enum load_excuse load_excuse(const struct load_result *result, bool built_in, bool loops,
			     bool optional);

/* ---- load_print.c ----------------------------------------------------------------------- */

json_t *load_result_json(const struct load_result *result);
/* The inverse. -1: object is not of type "load". */
int load_result_of_json(const json_t *object, struct load_result *ret);
void load_result_print(const struct load_result *result, FILE *file);

/* ---- load_record.c ---------------------------------------------------------------------- */

/* More growth of the instructions than this, in percent, is a finding. */
#define LOAD_GROWTH_PERCENT 10

struct load_record {
	struct load_result *line; /* sorted; only members that are columns of the file are filled */
	size_t count;
};

int load_record_read(struct load_record *ret, const char *path, struct error *error);
int load_record_write(const struct load_record *record, const char *path, struct error *error);
void load_record_deinit(struct load_record *record);
/* The line of the result's kernel, compiler, object and program, or NULL. */
const struct load_result *load_record_find(const struct load_record *record,
					   const struct load_result *result);
/* Adds or replaces a line. -1: no memory. */
int load_record_set(struct load_record *record, const struct load_result *result);
/* Drops the lines of programs that are gone: results has others of the same kernel and compiler. */
void load_record_drop_gone(struct load_record *record, const struct load_record *results);

enum load_verdict {
	LOAD_AS_RECORDED,
	LOAD_NEW,    /* not in the record; the program loads */
	LOAD_BETTER, /* it loads now, or its instructions shrank by more than LOAD_GROWTH_PERCENT */
	LOAD_NEW_REFUSED,  /* failures from here on: not in the record; the program is refused */
	LOAD_STOPPED,	   /* refused now; it loaded when recorded, or had another outcome */
	LOAD_GREW,	   /* its instructions grew by more than LOAD_GROWTH_PERCENT */
	LOAD_STACK_GREW,   /* by any amount: a program and its callees have 512 bytes */
	LOAD_OTHER_METHOD, /* load_result.method has changed */
	LOAD_GONE,	   /* recorded, but no longer in the object */
	LOAD_VERDICT_COUNT,
};
const char *load_verdict_name(enum load_verdict verdict);
bool load_verdict_fails(enum load_verdict verdict);
/* recorded: the record's line, or NULL. LOAD_GONE is not found here. */
enum load_verdict load_compare(const struct load_result *recorded, const struct load_result *now);

/* ---- load_check.c ----------------------------------------------------------------------- */

struct load_check_options {
	const char
		*results; /* NDJSON, as `stackproof load --json` of any number of kernels wrote */
	const char *record;
	bool update; /* the record becomes what the results say */
	const char *
		refused; /* with update: which refusals are recorded, a glob of KERNEL/COMPILER/OBJECT/PROGRAM or of
			      * PROGRAM; NULL: none */
	bool json;
	bool strict;	     /* a program that was not measured is a failure */
	struct cases *cases; /* one is added for each program; NULL: not wanted */
};

/* Returns an exit status. */
int load_check(const struct load_check_options *options);

#endif
