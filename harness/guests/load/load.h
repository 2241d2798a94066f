/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load.h - what the verifier says of each BPF program, and what it said before
 *
 *	load_object.c	  a BPF object: a file or one of the built-in ones, and its programs
 *	load_compiler.c	  which compiler made it, by its own debug information
 *	load_program.c	  one program into the kernel: struct load_result
 *	load_statistics.c the verifier's log
 *	load_excuse.c	  whether a program that does not load is a failure
 *	load_print.c	  a result as text and JSON, and back
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

/* What the verifier counted. 0 and "": its log does not say. */
struct load_statistics {
	uint64_t instructions; /* it went through, every path counted: the limit is a million */
	uint64_t total_states, peak_states;
	uint64_t verify_ns;
	uint64_t stack_most;	   /* bytes at once, as the verifier adds them up (Linux 7.2) */
	char stack[LOAD_NAME_MAX]; /* bytes of the program and each of its functions: "40+0+96" */
};

/* Reads the lines that BPF_LOG_STATS adds. -1: there is no "processed N insns" among them. */
int load_statistics_parse(const char *log, struct load_statistics *ret);
/* The sum of "40+0+96"; 0 for what is no such text. */
uint64_t load_stack_bytes(const char *stack);
/* The log's last lines that are not statistics: why a program was refused. */
void load_log_tail(const char *log, char *ret, size_t size);
/* The number of the helper function that the log says the kernel does not have for any program
 * ("invalid func"; one that this type of program may not call is an "unknown func"). -1: none. */
int load_log_helper(const char *log);

/* ---- load_object.c, load_compiler.c ----------------------------------------------------- */

struct load_object {
	char name[LOAD_NAME_MAX];     /* "walk": the file's name up to the first dot */
	char file[512];		      /* path; "built-in" */
	char compiler[LOAD_NAME_MAX]; /* "clang-14"; "unknown" */
	char version[LOAD_NAME_MAX];  /* "14.0.6"; "" */
	const void *data;
	size_t size;
	void *owned; /* data, if it was read from a file */
	char (*program)[LOAD_NAME_MAX];
	size_t program_count;
};

/* A file. Fails if it can't be read or is no BPF object with a program in it. */
int load_object_init(struct load_object *ret, const char *path, struct error *error);
/* Built-in object i, as compiled into this program. 1: there are no more. */
int load_object_init_built_in(struct load_object *ret, size_t i, struct error *error);
void load_object_deinit(struct load_object *object);

/* Keeps the first warning of libbpf from now on, which names the cause of what fails, and its
 * messages from the terminal. Of the calling thread. */
void load_warning_reset(void);
const char *load_warning(void);

/* Who compiled the object, from the first compilation unit's DW_AT_producer (DWARF 5, 3.1.1). */
void load_compiler(const void *data, size_t size, char *ret_compiler, char *ret_version);
/* "Debian clang version 14.0.6" -> "clang-14", "14.0.6". Both hold LOAD_NAME_MAX. */
void load_compiler_parse(const char *producer, char *ret_compiler, char *ret_version);

/* ---- load_program.c --------------------------------------------------------------------- */

enum load_outcome {
	LOAD_YES,
	LOAD_NO, /* refused; the log says why */
	LOAD_NO_HELPER, /* refused, and the log says that the kernel has no such helper function for any program */
	LOAD_OUTCOME_COUNT,
};
/* "yes", "no", "no_helper". */
const char *load_outcome_name(enum load_outcome outcome);
/* LOAD_OUTCOME_COUNT: it is none. */
enum load_outcome load_outcome_of(const char *name);

/* One program on one kernel. */
struct load_result {
	char kernel[LOAD_NAME_MAX];  /* "6.12", "6.12.oldest": the record's key */
	char release[LOAD_NAME_MAX]; /* uname -r */
	char compiler[LOAD_NAME_MAX], version[LOAD_NAME_MAX];
	char object[LOAD_NAME_MAX], program[LOAD_NAME_MAX];
	char method[LOAD_NAME_MAX]; /* "bpf_loop", "tail_calls"; "plain": neither */
	enum load_outcome outcome;
	struct load_statistics statistics;
	uint64_t verified; /* instructions by bpf_prog_info (Linux 5.16); else 0 */
	uint64_t load_ns;  /* everything: relocation, maps, verifier, JIT */
	uint64_t translated_bytes, jited_bytes;
	char log[LOAD_LOG_MAX]; /* its last lines, if it does not load */
};

/* Fails if this machine may load no BPF at all: ERROR_UNAVAILABLE, a skip; or if this process has no file descriptor or
 * no memory left, of which error_is_want(). */
int load_possible(struct error *error);
/* Loads program i alone. What the verifier refuses is a result, not a failure. -1: this process is in want
 * (error_is_want()), and nothing is known of the program. */
int load_program(const struct load_object *object, size_t i, struct load_result *ret,
		 struct error *error);

/* ---- load_excuse.c ---------------------------------------------------------------------- */

/* A program that was to be loaded and is refused is a failure, whatever the reason, but for these. */
enum load_excuse {
	LOAD_NO_EXCUSE,
	LOAD_OPTIONAL, /* the user said that it may be refused */
	LOAD_UNUSED,   /* built in, and stackproof asks no kernel without bpf_loop to load it */
	LOAD_EXCUSE_COUNT,
};
/* "", "optional", "unused". */
const char *load_excuse_name(enum load_excuse excuse);

/* What --optional names: globs of PROGRAM or OBJECT/PROGRAM. Zero-initialise. */
struct load_optional {
	struct load_optional_name {
		const char *glob;
		bool met; /* a program has such a name */
	} * name;
	size_t count;
};
/* -1: no memory. glob stays the caller's. */
int load_optional_add(struct load_optional *optional, const char *glob);
/* Whether the program is among them; notes the names that it meets. */
bool load_optional_has(struct load_optional *optional, const struct load_result *result);
void load_optional_deinit(struct load_optional *optional);

/* Whether session.c would walk by bpf_loop on this kernel. */
bool load_kernel_loops(void);
/* Why it is no failure that the program is refused. built_in: its object is. loops: load_kernel_loops(). */
enum load_excuse load_excuse(const struct load_result *result, bool built_in, bool loops,
			     bool optional);

/* ---- load_print.c ----------------------------------------------------------------------- */

json_t *load_result_json(const struct load_result *result);
/* -1: object is not a line of type load. */
int load_result_of_json(const json_t *object, struct load_result *ret);
void load_result_print(const struct load_result *result, FILE *file);

/* ---- load_record.c ---------------------------------------------------------------------- */

/* Growth of the instructions that is a finding, in percent. */
#define LOAD_GROWTH_PERCENT 10

struct load_record {
	struct load_result *line; /* sorted; only the record's columns are filled */
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
/* Drops the lines of kernels and compilers that results has, but with none of its programs. */
void load_record_drop_gone(struct load_record *record, const struct load_record *results);

enum load_verdict {
	LOAD_AS_RECORDED,
	LOAD_NEW,	   /* not in the record, and it loads */
	LOAD_BETTER,	   /* it loads now, or takes less by more than 10 % */
	LOAD_NEW_REFUSED,  /* failures from here on: not in the record, and it does not load */
	LOAD_STOPPED,	   /* it loaded when it was recorded */
	LOAD_GREW,	   /* instructions, by more than 10 % */
	LOAD_STACK_GREW,   /* at all: the limit is 512 bytes, of a program with what it calls */
	LOAD_OTHER_METHOD, /* the walk goes round in another way */
	LOAD_GONE,	   /* recorded, and the object holds it no longer */
	LOAD_VERDICT_COUNT,
};
const char *load_verdict_name(enum load_verdict verdict);
bool load_verdict_fails(enum load_verdict verdict);
/* recorded NULL: there is none. */
enum load_verdict load_compare(const struct load_result *recorded, const struct load_result *now);

/* ---- load_check.c ----------------------------------------------------------------------- */

struct load_check_options {
	const char
		*results; /* NDJSON, as `stackproof load --json` of any number of kernels wrote */
	const char *record;
	bool update; /* make the record say what the results say */
	const char *
		refused; /* with update: programs whose refusal is expected, a glob of KERNEL/COMPILER/OBJECT/PROGRAM or of
			      * PROGRAM; NULL: none */
	bool json;
	bool strict;	     /* what was not measured fails */
	struct cases *cases; /* each program is one; NULL: nobody wants them */
};

/* An exit status. */
int load_check(const struct load_check_options *options);

#endif
