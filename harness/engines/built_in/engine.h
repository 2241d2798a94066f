/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * engine.h - anything that yields a stack for a stopped thread
 *
 * An engine is one file with one `const struct engine engine_NAME`, and one line in engines.c. Those
 * that the command line brings are made while it is read, and have what they were told with them.
 */
#ifndef STACKPROOF_ENGINE_H
#define STACKPROOF_ENGINE_H

#include <sys/user.h>
#include "session.h"
#include "truth/tracer/target_memory.h"
#include "truth/tracer/truth.h"
#include "walk/address_space.h"
#include "cfi/expression.h"
#include "walk/stack.h"

/*
 * A stopped thread, as engines see it. All pointers are borrowed for the call. One that was kept in a
 * case has no process any more that could be asked for more than this: then maps is what
 * /proc/PID/maps said, with paths where the images are now.
 */
struct point {
	const struct trace_stop *stop;
	const struct address_space *space;
	const struct register_values *regs;
	const struct memory_reader *memory;
	const char *maps; /* NULL: there is a process, stop->tid is its */
};

/* What an engine answered. */
enum engine_answer {
	ENGINE_ERROR = -1, /* the run must end: error is set */
	ENGINE_STACK = 0,  /* ret is filled */
	ENGINE_SILENT = 1, /* nothing to say at this point: it scores nothing */
};

struct external_options;
struct bpf_records; /* what the two engines in the kernel share */

/* A verdict rests on three stacks, which are there at every point, whoever was asked for. An
 * engine whose answer is one of them says which: what it costs is paid once. */
enum engine_part { ENGINE_PART_NONE, ENGINE_PART_CFI, ENGINE_PART_TABLE, ENGINE_PART_BPF };

/* BPF programs that an engine takes its stacks from. */
enum { ENGINE_NEEDS_WALK = 1 << 0, ENGINE_NEEDS_FRAME_POINTER = 1 << 1 };

struct engine {
	const char *name;
	const char *summary; /* one line for --help */
	bool in_kernel;	     /* runs at the stop itself, so only where the thread trapped */
	bool can_follow;     /* goes on by frame pointers where there is no CFI, if told to */
	enum engine_part part;
	unsigned int needs; /* ENGINE_NEEDS_* */
	bool on_request;    /* only asked by its name, or for all: it is slow, or guesses */
	bool reads_itself;  /* the process's memory, not by point->memory: how much is unknown */
	const struct external_options *external; /* what is started for it; NULL: it runs here */
	/* Called by engine_open(). */
	int (*open)(struct bpf_records *records, void **ret, struct error *error);
	void (*close)(void *engine);
	/* The process's mappings have changed, or are met for the first time. May be NULL. */
	int (*mappings)(void *engine, const struct address_space *space, struct error *error);
	/* ret: zeroed, or filled before. */
	enum engine_answer (*walk)(void *engine, const struct point *point, struct stack *ret,
				   struct error *error);
};

extern const struct engine engine_cfi, engine_table, engine_bpf, engine_fp, engine_libdw,
	engine_libunwind, engine_libgcc, engine_perf8k, engine_perf16k, engine_perf32k,
	engine_perf64k, engine_scan;

/* By name, or alias; NULL if there is none. index 0, 1, ...: all of them, NULL after the last. */
const struct engine *engine_find(const char *name);
const struct engine *engine_at(size_t index);
/* Fails with ERROR_UNAVAILABLE where the engine can't run: a skip. */
int engine_open(const struct engine *engine, struct bpf_records *records, void **ret,
		struct error *error);

/* ---- engine_list.c ---------------------------------------------------------------------- */

#define ENGINES_MAX 32 /* of a list */

/* What --engine names: engines that are built in, and external ones, which the list owns. */
struct engine_list {
	const struct engine *engine[ENGINES_MAX];
	size_t count;
	struct engine *own[ENGINES_MAX];
	size_t own_count;
};
/* Adds the engines of "cfi,bpf,NAME=COMMAND"; a comma behind a backslash is the command's. */
int engine_list_add(struct engine_list *list, const char *text, struct error *error);
/* Adds those that are built in: all, or those that are asked unless somebody says otherwise. */
int engine_list_add_built_in(struct engine_list *list, bool all, struct error *error);
void engine_list_deinit(struct engine_list *list);
enum engine_list_part { ENGINE_LIST_NAMES, ENGINE_LIST_BUILT_IN, ENGINE_LIST_EXTERNAL };
/* A list that engine_list_add() takes, of these; or the names of all. To be freed; NULL: no
 * memory. */
char *engine_list_text(const struct engine_list *list, enum engine_list_part part);
/* External ones: how long each may take for an answer, and for half of a run's time all of them
 * together. */
void engine_list_limit(const struct engine_list *list, unsigned int answer_ms, unsigned int run_ms);

/* ---- external.c ------------------------------------------------------------------------- */

#define EXTERNAL_NAME_MAX  32u
#define EXTERNAL_HELLO_MS  30000u
#define EXTERNAL_ANSWER_MS 10000u

/* An engine that is a program of its own: NAME=COMMAND, or NAME=FILE.so ARGUMENT (docs/ENGINES.md).
 * NULL: error is set. */
struct engine *engine_external_create(const char *text, struct error *error);
void engine_external_destroy(struct engine *engine);
/* How long it may take for an answer, and for all of one run's (0: any time). Before it is open. */
void engine_external_limit(const struct engine *engine, unsigned int answer_ms, uint64_t total_ms);
/* Those of all external engines, one that is built in, too. What engine_open() calls. */
int engine_external_open(const struct engine *engine, void **ret, struct error *error);
void engine_external_close(void *engine);
int engine_external_mappings(void *engine, const struct address_space *space, struct error *error);
enum engine_answer engine_external_walk(void *engine, const struct point *point, struct stack *ret,
					struct error *error);
/* Of an open one: a run begins, and how it has fared in it. */
void engine_external_begin(void *engine);
struct external_report;
void engine_external_report(const void *engine, struct external_report *ret);

/* ---- resident.c ------------------------------------------------------------------------- */

/* The same memory, but nothing of a page that is not present; absent: that was the case. */
struct resident_memory {
	int pagemap;
	bool absent;
	struct memory_reader all;
};
void resident_memory_init(struct resident_memory *memory, pid_t tid, struct memory_reader all);
void resident_memory_deinit(struct resident_memory *memory);
struct memory_reader resident_memory_reader(struct resident_memory *memory);

/* ---- stack_mapping.c -------------------------------------------------------------------- */

/* The mapping that a stack lies in, as it was found last. Zeroed: not known yet. */
struct stack_mapping {
	uint64_t start, end;
};
/* Looks for the one that sp is in, unless it is the one that is known. False: there is none. */
bool stack_mapping_find(struct stack_mapping *mapping, pid_t tid, uint64_t sp);
/* The same of a point's thread, which may be a kept one. */
bool stack_mapping_of(struct stack_mapping *mapping, const struct point *point, uint64_t sp);

/* ---- bpf_records.c ---------------------------------------------------------------------- */

/* One BPF session for the walk and the baseline. Programs are loaded by bpf_records_open(). */
struct bpf_records *bpf_records_create(bool walk, bool frame_pointer, enum walk_method method,
				       bool follow_frame_pointers);
void bpf_records_destroy(struct bpf_records *records);
int bpf_records_open(struct bpf_records *records, struct error *error);
int bpf_records_mappings(struct bpf_records *records, const struct address_space *space,
			 struct error *error);
/* The process is gone. */
void bpf_records_forget(struct bpf_records *records, pid_t pid);
/* The record that the thread's latest trap left, taken away; 0, or 1 if there is none. */
int bpf_records_take(struct bpf_records *records, const struct trace_stop *stop, bool frame_pointer,
		     struct stack *ret, struct error *error);
/* The thread trapped, and nobody will ask: makes room for those that will be asked for. */
int bpf_records_pass(struct bpf_records *records, struct error *error);
/*
 * What the kernel counted so far: walks of our processes' threads, and the time in their program,
 * which has to look at all others' signals too. False: it does not count (before Linux 5.8).
 */
bool bpf_records_cost(const struct bpf_records *records, bool frame_pointer, uint64_t *ret_walks,
		      uint64_t *ret_ns);
/* "bpf_loop", "tail_calls" or "" before it is open. */
const char *bpf_records_method(const struct bpf_records *records);

#endif
