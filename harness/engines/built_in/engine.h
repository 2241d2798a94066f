/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * engine.h - anything that yields a stack for a stopped thread
 *
 * A built-in engine is one file with one `const struct engine engine_NAME`, and one line in engines.c. An external
 * one, and one that is somebody else's BPF program, is made while the command line is read.
 */
#ifndef STACKPROOF_ENGINE_H
#define STACKPROOF_ENGINE_H

#include "session.h"
#include "truth/tracer/target_memory.h"
#include "truth/tracer/truth.h"
#include "walk/address_space.h"
#include "cfi/expression.h"
#include "walk/stack.h"

/*
 * A stopped thread, as engines see it. All pointers are borrowed for the call. A point that was kept in a case has no
 * process any more: maps is then the text of /proc/PID/maps, with the paths at which the images are now.
 */
struct point {
	const struct trace_stop *stop;
	const struct address_space *space;
	const struct register_values *regs;
	const struct memory_reader *memory;
	const char *maps; /* NULL: there is a process, and stop->tid is its thread */
};

/* What an engine answered. */
enum engine_answer {
	ENGINE_ERROR = -1, /* the run must end: error is set */
	ENGINE_STACK = 0,  /* ret is filled */
	ENGINE_SILENT =
		1, /* nothing to say at this point: it scores nothing, and compare's status is 1 */
};

struct external_options;
struct driven_options;
struct bpf_records; /* what the two engines of ours in the kernel share */

/* What an engine's stacks cost. If a cost is not known, it is 0, and so is its number of stacks. */
struct engine_cost {
	uint64_t walks, walk_ns; /* stacks that were timed, and their time */
	uint64_t sized, bytes;	 /* stacks of known size, and the bytes read or sent for them */
};

/* A verdict needs three stacks at every point, whichever engines were asked for. An engine that gives one of
 * them says which, so that it is asked only once. */
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
	bool on_request;    /* asked only if named, or with "all": it is slow, or guesses */
	bool reads_itself;  /* reads memory without point->memory: how much is unknown */
	const struct external_options *external; /* its program; NULL: it runs in this one */
	const struct driven_options *driven;	 /* somebody else's BPF program; NULL: it is none */
	/* Called by engine_open(). */
	int (*open)(struct bpf_records *records, void **ret, struct error *error);
	void (*close)(void *engine);
	/* The process's mappings have changed, or are met for the first time. May be NULL. */
	int (*mappings)(void *engine, const struct address_space *space, struct error *error);
	/* A thread has stopped at pc, where no engine is asked. May be NULL. */
	int (*pass)(void *engine, pid_t tid, uint64_t pc, struct error *error);
	/* What the kernel has counted since the engine was opened: walks and walk_ns. False: it doesn't count. NULL:
	 * it is measured by asking. */
	bool (*cost)(const void *engine, struct engine_cost *ret);
	/* ret is zeroed, or has the stack of an earlier call, and is left alone unless ENGINE_STACK is returned. */
	enum engine_answer (*walk)(void *engine, const struct point *point, struct stack *ret,
				   struct error *error);
};

extern const struct engine engine_cfi, engine_table, engine_bpf, engine_fp, engine_libdw,
	engine_libunwind, engine_libgcc, engine_perf8k, engine_perf16k, engine_perf32k,
	engine_perf64k, engine_scan, engine_sframe;

/* The built-in engine of that name or alias; NULL: there is none. engine_at(): number 0, 1, ...; NULL after
 * the last. */
const struct engine *engine_find(const char *name);
const struct engine *engine_at(size_t index);
/* *ret: what the engine's functions take as their first argument; engine->close(*ret) closes it. ERROR_UNAVAILABLE: it
 * can't run here, and is skipped. */
int engine_open(const struct engine *engine, struct bpf_records *records, void **ret,
		struct error *error);

/* ---- engine_list.c ---------------------------------------------------------------------- */

#define ENGINES_MAX	32 /* of a list */
#define ENGINE_NAME_MAX 32u

/* The engines that --engine names. The list owns those that are not built in. Zero-initialise. */
struct engine_list {
	const struct engine *engine[ENGINES_MAX];
	size_t count;
	struct engine *own[ENGINES_MAX];
	size_t own_count;
};
/* Adds the engines of "cfi,bpf,NAME=COMMAND". A comma in a command is written "\,". */
int engine_list_add(struct engine_list *list, const char *text, struct error *error);
/* Adds the built-in engines: all, or those that are not on_request. */
int engine_list_add_built_in(struct engine_list *list, bool all, struct error *error);
void engine_list_deinit(struct engine_list *list);
/* The name in NAME=TEXT, the caller's to free. *ret_text: what is behind it. NULL: ERROR_TEXT_SYNTAX, ERROR_MEMORY. */
char *engine_name_take(const char *word, const char **ret_text, struct error *error);
enum engine_list_part { ENGINE_LIST_NAMES, ENGINE_LIST_BUILT_IN, ENGINE_LIST_OWN };
/* The list's built-in engines, or its own ones, as a text for engine_list_add(); ENGINE_LIST_NAMES: all names. The caller
 * frees it. NULL: no memory. */
char *engine_list_text(const struct engine_list *list, enum engine_list_part part);
/* Limits the external engines: answer_ms for an answer; and of half of run_ms each has its equal part for all answers of
 * a run. 0: no limit. */
void engine_list_limit(const struct engine_list *list, unsigned int answer_ms, unsigned int run_ms);

/* ---- external.c ------------------------------------------------------------------------- */

#define EXTERNAL_HELLO_MS  30000u
#define EXTERNAL_ANSWER_MS 10000u

/* Makes an engine of NAME=COMMAND, or of NAME=FILE.so ARGUMENT (docs/ENGINES.md). NULL: error is set. */
struct engine *engine_external_create(const char *text, struct error *error);
void engine_external_destroy(struct engine *engine);
/* Limits the time for an answer, and for all answers of a run (0: no limit), in ms. To be called before it
 * is opened. */
void engine_external_limit(const struct engine *engine, unsigned int answer_ms, uint64_t total_ms);
/* The functions of all external engines, and of one that is built in (libgcc). engine_open() calls the first. */
int engine_external_open(const struct engine *engine, void **ret, struct error *error);
void engine_external_close(void *engine);
int engine_external_mappings(void *engine, const struct address_space *space, struct error *error);
enum engine_answer engine_external_walk(void *engine, const struct point *point, struct stack *ret,
					struct error *error);
/* For an open engine: begins a run, and reports how it fared in it. */
void engine_external_begin(void *engine);
struct external_report;
void engine_external_report(const void *engine, struct external_report *ret);

/* ---- driven.c --------------------------------------------------------------------------- */

/* Makes an engine of NAME=bpf:OBJECT... (driven.h). NULL: error is set. */
struct engine *engine_driven_create(const char *text, struct error *error);
void engine_driven_destroy(struct engine *engine);
int engine_driven_open(const struct engine *engine, void **ret, struct error *error);
/* For an open engine: begins a run, and counts what became of it. */
void engine_driven_begin(void *engine);
struct driven_counts;
void engine_driven_counts(void *engine, struct driven_counts *ret);

/* ---- resident.c ------------------------------------------------------------------------- */

/* Reads like `all`, but fails at a page that is not present, and sets absent then. */
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
/* Finds the mapping of sp, unless it is the known one. False: there is none. */
bool stack_mapping_find(struct stack_mapping *mapping, pid_t tid, uint64_t sp);
/* The same for a point's thread. The point may be of a case. */
bool stack_mapping_of(struct stack_mapping *mapping, const struct point *point, uint64_t sp);

/* ---- bpf_records.c ---------------------------------------------------------------------- */

/* One BPF session for the engines bpf (walk) and fp (frame_pointer). bpf_records_open() loads it. NULL: no
 * memory. */
struct bpf_records *bpf_records_create(bool walk, bool frame_pointer, enum walk_method method,
				       bool follow_frame_pointers);
void bpf_records_destroy(struct bpf_records *records);
int bpf_records_open(struct bpf_records *records, struct error *error);
int bpf_records_mappings(struct bpf_records *records, const struct address_space *space,
			 struct error *error);
/* The process is gone. */
void bpf_records_forget_process(struct bpf_records *records, pid_t pid);
/* The same, and no other one's records will be taken. */
void bpf_records_forget(struct bpf_records *records, pid_t pid);
/* Takes the record that the thread's latest trap left. 0; 1: there is none; -1: an error. */
int bpf_records_take(struct bpf_records *records, const struct trace_stop *stop, bool frame_pointer,
		     struct stack *ret, struct error *error);
/* The thread trapped where no engine is asked: makes room for records that will be taken. */
int bpf_records_pass(struct bpf_records *records, struct error *error);
/*
 * What the kernel has counted so far: walks of our processes' threads, and the time in the BPF program, which also
 * looks at the signals of all other processes. False: the kernel does not count (before Linux 5.8).
 */
bool bpf_records_cost(const struct bpf_records *records, bool frame_pointer,
		      struct engine_cost *ret);
/* "bpf_loop", "tail_calls" or "" before it is open. */
const char *bpf_records_method(const struct bpf_records *records);

#endif
