/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run.h - the matrix: every binary of the corpus on every kernel
 *
 *	commands/run.c  the command line
 *	run_matrix.c		cells, the queue of jobs, the results folder
 *	run_batch.c		the binaries of one compare, and the output of each
 *	run_host.c		runs a batch on this machine
 *	run_guest.c		runs the batches of one kernel in a guest
 *	run_play.c		plays the host's recordings in a guest
 *	run_watch.c		runs the programs in a guest whose emulator has the truth
 *	run_judge.c		what a compare printed -> the cell's outcome
 *	run_resume.c		keeps what an earlier run has judged
 *	run_ignore.c		judges results again, with a list of --ignore
 *	run_kernel_fault.c	bpf's stacks of one kernel held against another's
 *	run_progress.c		the live line
 *	run_provenance.c	the results' header: machine, compilers, engines, time
 *
 * A *lane* is a kernel; a *cell* is a binary in a lane. A batch on the host is a short job, a guest is
 * a long one. Workers take jobs from one queue, guests first. Every cell is finished exactly once, even
 * if its job fails.
 */
#ifndef STACKPROOF_RUN_H
#define STACKPROOF_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/child/interrupt.h"
#include "corpus/manifest/corpus.h"
#include "base/ignore/ignore.h"
#include "reports/report/results.h"
#include "guests/vm/vm.h"

#define HOST_LANE  "host"
#define RECORDINGS "recordings"

/* Who has the truth in a guest. */
enum run_truth {
	RUN_TRUTH_ANY, /* the emulator, if there is one and no engine was asked for; else the tracer */
	RUN_TRUTH_TRACER,
	RUN_TRUTH_EMULATOR,
};

struct run_options {
	const char *corpus;  /* folder with manifest.tsv */
	const char *results; /* folder to write */
	char *const *kernel; /* names of lanes: HOST_LANE, or names for kernel_get() */
	size_t kernel_count;
	const char *engines;	    /* built-in ones, as compare takes them: "cfi,table,bpf,fp" */
	const char *external;	    /* engines on the host only: "NAME=COMMAND,..."; NULL: none */
	const char *asked;	    /* the names of both kinds, for the report; NULL: engines */
	const char *filter;	    /* glob; NULL: all */
	const char *require;	    /* skips that fail: "bpf,vm"; "": none do */
	struct ignore_list *ignore; /* findings that fail no cell; NULL: none */
	unsigned jobs;		    /* workers; at least 1 */
	unsigned timeout_ms;	    /* for one program */
	bool play;		    /* guests play the host's points, and record is on */
	enum run_truth truth;	    /* in guests that don't play */
	bool resume;		    /* keep the cells that an earlier run in results has judged */
	bool record; /* record the host's points in results/RECORDINGS, for `replay` */
	struct interrupt *interrupt; /* NULL: signals keep their default action */
	FILE *progress;		     /* NULL: quiet */
	bool live;		     /* progress is a terminal */
};

/* ---- run_host.c ------------------------------------------------------------------------- */

/* Collected output. What exceeds OUTPUT_BYTES_MAX, or memory, is cut off. */
struct output {
	char *data; /* not terminated; NULL if size is 0 */
	size_t size;
	size_t capacity;
	bool cut;
};
#define OUTPUT_BYTES_MAX (64u << 20)
void output_add(struct output *output, const void *data, size_t size);
void output_deinit(struct output *output);
/* The same of a stream of NDJSON: take is told of each line that is whole now; object NULL: it is no JSON. What is left
 * stays in line. */
void output_objects(struct output *line, const void *data, size_t size,
		    void (*take)(void *context, json_t *object), void *context);

enum run_stream { RUN_STDOUT, RUN_STDERR, RUN_STREAM_COUNT };

struct child_options {
	char *const *argv;   /* argv[0] is the program's path */
	int cpu;	     /* to run on; -1: any */
	unsigned timeout_ms; /* killed after so long without progress: see on_output */
	int stop_fd;	     /* readable: the child is asked to end; 0: none */
	/* Is given the child's output as it comes. Returns true for progress: timeout_ms starts anew. */
	bool (*on_output)(void *context, enum run_stream stream, const void *data, size_t size);
	void *context;
};

/*
 * What the matrix uses of the system. Tests replace it.
 *
 * compare: runs a child to its end. *ret_exit: its exit code; 128+N if signal N killed it; 124 if its
 * time was up. -1: the child could not be started.
 */
struct run_backend {
	int (*compare)(const struct child_options *options, int *ret_exit, struct error *error);
	int (*kernel)(const char *name, struct kernel *ret, struct error *error);
	int (*guest)(const struct guest_options *options, const struct guest_callbacks *callbacks,
		     struct guest_result *ret, struct error *error);
	bool (*can_boot)(void); /* false: no QEMU here; a skip, not a failure */
	/* emulator_choose() */
	int (*emulator)(const char *plugin, struct emulator *ret, char *ret_path, size_t size,
			struct error *error);
};

struct batch;
int host_compare(const struct child_options *options, int *ret_exit, struct error *error);
/*
 * How long a compare on the host may take for one program until it is killed. compare's own limit,
 * options->timeout_ms, is shorter: this one is for a compare that hangs.
 */
unsigned host_deadline_ms(const struct run_options *options);
/* Runs a batch on the host and finishes all its cells. A compare that dies is followed by another. */
void run_host_batch(struct batch *batch, int cpu);

/* ---- run_matrix.c ----------------------------------------------------------------------- */

struct run_progress {
	FILE *file; /* NULL: quiet */
	bool live;
	double start; /* monotonic seconds */
	double last;  /* when the live line was drawn */
};

/* A run in progress. lock guards all members below it. */
struct run {
	const struct run_options *options;
	const struct run_backend *backend;
	struct manifest manifest;
	pthread_mutex_t fetch_lock; /* kernels are fetched one after the other */
	pthread_mutex_t lock;
	struct results *results;
	int folder;	   /* the results folder's lock (cli/folder_lock.h), or -1 */
	FILE *stream;	   /* results.ndjson while it grows */
	size_t next_guest; /* number of the next guest to run */
	size_t host_lane;
	double host_start; /* of the first batch, in monotonic seconds; 0: not yet */
	size_t *host;	   /* binaries to run on the host, from batch_list() */
	size_t host_count;
	size_t next_host;
	size_t next_worker;
	size_t next_play; /* how many lanes have been taken to play, from the last one */
	bool playing;
	bool watches; /* guests step nothing: the emulator has the truth */
	struct run_progress progress;
};

/*
 * Runs the matrix and writes the results folder. -1: the manifest could not be read, or the folder not
 * locked or written. ret may be used and must be deinitialised in every case.
 */
int run_matrix(struct results *ret, const struct run_options *options,
	       const struct run_backend *backend, struct error *error);
/* Writes the header to results.ndjson once more: the last one counts. The caller holds the lock. */
void run_write_header(struct run *run);
/* The cell of a binary in a lane. */
struct cell *run_cell(struct run *run, size_t lane, size_t binary);
/* Judges compare's output, keeps its stderr and finishes the cell. */
void run_cell_judge(struct run *run, size_t lane, size_t binary, int exit_code,
		    const struct output *out, const struct output *err, double seconds);
/* Judges replay's objects, of which the last is of type "replay", and finishes the cell. objects, an
 * array, is borrowed. */
void run_cell_judge_played(struct run *run, size_t lane, size_t binary, const json_t *objects);
/* Judges what the plugin said of the program's process, and the agent of its end, and finishes the cell. wrong: objects of
 * stacks that were wrong. All are borrowed. */
void run_cell_judge_watched(struct run *run, size_t lane, size_t binary, const json_t *process,
			    const json_t *walked, json_t *wrong);
/* Finishes a cell that was not run. */
void run_cell_finish(struct run *run, size_t lane, size_t binary, enum cell_status status,
		     bool environment, const char *reason);

/* ---- run_batch.c ------------------------------------------------------------------------ */

#define GUEST_PROGRAM "/bin/stackproof"

/* Binaries of one compare, at most. */
#define BATCH_MAX 64

#define BATCH_OPTIONS_MAX 15

struct batch_entry {
	size_t binary;				/* in the manifest */
	struct output output[RUN_STREAM_COUNT]; /* empty once done */
	bool started;				/* it was given to the present process */
	bool begun;				/* its begin mark was read on a stream */
	bool closed[RUN_STREAM_COUNT];		/* its end mark was read */
	bool done;				/* its cell is finished */
	double begin, end;			/* monotonic seconds */
	int exit_status;			/* as the end mark says */
	bool timed_out;
};

struct batch_stream {
	struct output line;  /* its newline has not come yet */
	struct output stray; /* output outside of all marks: the next entry's */
	size_t current;	     /* entry, or SIZE_MAX */
};

struct batch {
	struct run *run;
	size_t lane;
	bool in_guest;
	bool bind_now; /* LD_BIND_NOW for the programs of this batch */
	struct batch_entry entry[BATCH_MAX];
	size_t count;
	struct batch_stream stream[RUN_STREAM_COUNT];
	char timeout[16];
	char record[4096];				     /* folder of the recordings */
	const char *argv[BATCH_OPTIONS_MAX + BATCH_MAX + 1]; /* and a NULL */
};

/*
 * Writes to ret those of the binaries first, first + step, ... whose cells are pending. Those with the
 * same bind_now are together. Returns the count; ret has room for all of the manifest.
 */
size_t batch_list(const struct run *run, size_t lane, size_t first, size_t step, size_t *ret);
/* Whether a binary's symbols are all resolved before it begins. */
bool batch_binds_now(const struct run *run, size_t binary);
/*
 * Makes a batch of the first binaries of the list, as far as they have the same bind_now, and of at most
 * BATCH_MAX. Returns how many.
 */
size_t batch_init(struct batch *batch, struct run *run, size_t lane, bool in_guest,
		  const size_t *binary, size_t count);
void batch_deinit(struct batch *batch);
/*
 * How many of the left binaries one of jobs workers takes: half of its share, so that all workers end
 * together. But not too few, since loading the BPF programs costs as much as stepping a few binaries.
 */
size_t batch_share(size_t left, unsigned jobs);
/* The argv of a compare of all entries that are not done; the batch's. */
char *const *batch_start(struct batch *batch);
/* Takes compare's output. True if a program began or ended. */
bool batch_output(struct batch *batch, enum run_stream stream, const void *data, size_t size);
/* compare ended. Finishes the entries that began, or else the next one: each process finishes at least
 * one entry. */
void batch_exit(struct batch *batch, int exit_code);
/* How many entries are not done. */
size_t batch_left(const struct batch *batch);
/* Finishes these entries as if each had ended with exit_code. */
void batch_abandon(struct batch *batch, int exit_code);
/* Finishes these entries as errors of the environment. */
void batch_fail(struct batch *batch, const char *reason);
/* Finishes the entries whose end mark on stdout was read: no more output will come. */
void batch_settle(struct batch *batch);

/* ---- run_guest.c ------------------------------------------------------------------------ */

/*
 * Into how many guests a lane is split. One guest is the least work, but a slow kernel's only guest would
 * still run when the other CPUs are idle.
 */
size_t run_guest_shards(const struct run *run);
/* Runs the binaries of a lane's shard in one guest, and finishes all the shard's cells. */
void run_guest_lane(struct run *run, size_t lane, size_t shard);
/* Fetches a lane's kernel, one lane at a time, and notes it in the results. ERROR_UNAVAILABLE: it can't be
 * had. */
int run_guest_kernel(struct run *run, size_t lane, struct kernel *ret, struct error *error);
/* Notes in the results how one of a lane's guests ended. */
void run_guest_note(struct run *run, size_t lane, const struct guest_result *result);
#define QEMU "qemu-system-x86_64"
/* Whether QEMU is found in PATH. */
bool qemu_installed(void);

/* ---- run_play.c ------------------------------------------------------------------------- */

/* Plays the host's recordings in a guest of this lane, and finishes all its cells. */
void run_play_lane(struct run *run, size_t lane);

/* ---- run_watch.c ------------------------------------------------------------------------ */

#define RUN_PLUGIN "watch"
/* Runs the lane's programs in a guest whose emulator interrupts them, and finishes all its cells. */
void run_watch_lane(struct run *run, size_t lane);

/* ---- run_judge.c ------------------------------------------------------------------------ */

struct judge_options {
	const char *engines;	    /* "cfi,table,bpf,fp" */
	struct ignore_list *ignore; /* findings that don't fail a cell; NULL: none */
};
/* Sets a cell's objects, status and reason from compare's output and exit code. expected: the corpus's
 * expectation, or NULL. */
void cell_judge(struct cell *cell, const struct judge_options *options, const char *expected,
		int exit_code, const struct output *out, const struct output *err);
/* The same of a program that the emulator watched: of the object of type "walks". */
void cell_judge_watched(struct cell *cell, const json_t *walks, const char *expected);
/* Judges a failed cell by its objects again, after findings were marked as ignored: the cell passes, or
 * keeps its status and reason. */
void cell_judge_again(struct cell *cell, const char *engines);
/* Turns skips that `require` ("bpf,vm,clang,rustc") names into failures. */
void cell_require(struct cell *cell, const char *require);
/* False if require has an unknown word; *ret_word then points at it. */
bool require_valid(const char *require, const char **ret_word);

/* ---- run_resume.c ----------------------------------------------------------------------- */

/* Sets the header's "identity": what must be the same for a run to be resumed. */
void run_identify(struct results *results, const struct manifest *manifest,
		  const struct run_options *options);
/*
 * Takes over the cells that the folder's earlier run has judged: they are not pending any more.
 * *ret_seconds: how long that run took, as far as it says. -1: there is no earlier run, its file is damaged
 * before the last line, or its identity differs.
 */
int run_resume(struct results *results, const struct run_options *options, double *ret_seconds,
	       struct error *error);

/* ---- run_ignore.c ----------------------------------------------------------------------- */

/* Ignores the findings in the list, and judges failed cells again. Results of an older stackproof don't
 * say what was expected, so their cells stay as they are. */
void results_ignore(struct results *results, struct ignore_list *list);

/* ---- run_kernel_fault.c ----------------------------------------------------------------- */

/* Compares, for each binary, bpf's digest on each kernel with that on the first comparable kernel before it. */
void results_compare_kernels(struct results *results);

/* ---- run_progress.c, run_provenance.c --------------------------------------------------- */

void progress_cell(struct run *run);
void progress_lane_done(struct run *run, size_t lane);
void progress_end(struct run *run);
/* Adds to the header: host, compilers, engines, time, and the binaries that the corpus in folder leaves out
 * because another one has the same bytes ("merged"). */
void provenance_collect(struct results *results, const struct manifest *manifest,
			const char *folder, const char *engines);

#endif
