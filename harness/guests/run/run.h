/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run.h - the matrix: every binary of the corpus on every kernel
 *
 *	commands/run.c  the command line
 *	run_matrix.c		cells, the queue, the folder; what is done in which order
 *	run_batch.c		binaries of one compare; whose output is whose
 *	run_host.c		a batch on this machine
 *	run_guest.c		all batches of one kernel, in one guest
 *	run_play.c		or the host's recordings, played in one guest
 *	run_judge.c		what a compare printed -> the cell's outcome
 *	run_resume.c		what an earlier run has judged is kept
 *	run_ignore.c		results that were read, judged again with a list of --ignore
 *	run_kernel_fault.c	bpf's stacks of one kernel held against another's
 *	run_interrupt.c		^C and the like
 *	run_progress.c		the live line
 *	run_provenance.c	where and with what: the header
 *
 * A *lane* is a kernel. A batch of host binaries is a short job, a guest is a long one; a pool of
 * workers takes jobs from one queue, guests first. Every cell is finished exactly once, whatever
 * happens to the job that should have done it.
 */
#ifndef STACKPROOF_RUN_H
#define STACKPROOF_RUN_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include "corpus/manifest/corpus.h"
#include "base/ignore/ignore.h"
#include "reports/report/results.h"
#include "guests/vm/vm.h"

#define HOST_LANE  "host"
#define RECORDINGS "recordings"

struct run_options {
	const char *corpus;  /* folder with manifest.tsv */
	const char *results; /* folder to write */
	char *const *kernel; /* names of lanes: HOST_LANE, or what kernel_get takes */
	size_t kernel_count;
	const char *engines;  /* "cfi,table,bpf,fp", as compare takes it: those that are built in */
	const char *external; /* "NAME=COMMAND,...": asked on this machine only; NULL: none */
	const char *asked;    /* the names of both, for the report; NULL: as engines */
	const char *filter;   /* glob; NULL: all */
	const char *require;  /* "bpf,vm"; "": nothing */
	struct ignore_list *ignore; /* findings that fail no cell; NULL: none */
	unsigned jobs;		    /* at once; at least 1 */
	unsigned timeout_ms;	    /* of one compare */
	bool play;		    /* guests play the host's points, which are recorded then */
	bool resume;		    /* results has an earlier run's cells: what is judged stays */
	bool record;		    /* the host's points into results/RECORDINGS, for `replay` */
	struct run_interrupt *interrupt; /* NULL: signals do what they do */
	FILE *progress;			 /* NULL: quiet */
	bool live;			 /* progress is a terminal */
};

/* ---- run_host.c ------------------------------------------------------------------------- */

/* Collected output. Beyond OUTPUT_BYTES_MAX it is cut, and says so. */
struct output {
	char *data; /* not terminated; NULL if size is 0 */
	size_t size;
	size_t capacity;
	bool cut;
};
#define OUTPUT_BYTES_MAX (64u << 20)
void output_add(struct output *output, const void *data, size_t size);
void output_deinit(struct output *output);

enum run_stream { RUN_STDOUT, RUN_STDERR, RUN_STREAM_COUNT };

struct child_options {
	char *const *argv;   /* its own path first */
	int cpu;	     /* where; -1: anywhere */
	unsigned timeout_ms; /* killed if it did not get on for so long */
	int stop_fd;	     /* readable: it is to end; 0: none */
	/* What it writes, as it comes. True: it got on, and its time begins anew. */
	bool (*on_output)(void *context, enum run_stream stream, const void *data, size_t size);
	void *context;
};

/*
 * What the matrix uses of the world, so that tests can put another world there.
 *
 * compare: runs a child to its end. *ret_exit: its exit code, 128+N if killed by signal N, 124 if
 * it outlived its time. -1: it could not be started.
 */
struct run_backend {
	int (*compare)(const struct child_options *options, int *ret_exit, struct error *error);
	int (*kernel)(const char *name, struct kernel *ret, struct error *error);
	int (*guest)(const struct guest_options *options, const struct guest_callbacks *callbacks,
		     struct guest_result *ret, struct error *error);
	bool (*can_boot)(void); /* false: this machine has no QEMU; a skip, not a failure */
};

struct batch;
int host_compare(const struct child_options *options, int *ret_exit, struct error *error);
/*
 * How long a compare on the host may take over one program before it is killed from outside: its
 * own limit comes first, unless it is compare that hangs.
 */
unsigned host_deadline_ms(const struct run_options *options);
/* Runs a batch on the host and finishes all its cells, in as many processes as it takes. */
void run_host_batch(struct batch *batch, int cpu);

/* ---- run_matrix.c ----------------------------------------------------------------------- */

struct run_progress {
	FILE *file; /* NULL: quiet */
	bool live;
	double start; /* monotonic seconds */
	double last;  /* when the live line was drawn */
};

/* A run that is going on. lock guards everything below it. */
struct run {
	const struct run_options *options;
	const struct run_backend *backend;
	struct manifest manifest;
	pthread_mutex_t fetch_lock; /* kernels are fetched one after the other */
	pthread_mutex_t lock;
	struct results *results;
	int folder;	   /* its lock (cli/folder_lock.h), or -1 */
	FILE *stream;	   /* results.ndjson while it grows */
	size_t next_guest; /* number of the next guest to be run */
	size_t host_lane;
	double host_start; /* monotonic seconds, when its first batch was taken; 0: not yet */
	size_t *host;	   /* binaries to be run there, as batch_list orders them */
	size_t host_count;
	size_t next_host;
	size_t next_worker;
	size_t next_play; /* the next lane to be looked at, once it is time to play */
	bool playing;
	struct run_progress progress;
};

/*
 * Runs the matrix and writes the results folder. -1: it could not start (manifest, folder) or the
 * folder could not be written; ret may be used and must be deinitialised in every case.
 */
int run_matrix(struct results *ret, const struct run_options *options,
	       const struct run_backend *backend, struct error *error);
/* The header into the file that grows, once more: the last one counts. With the lock held. */
void run_write_header(struct run *run);
/* The cell of a binary in a lane. */
struct cell *run_cell(struct run *run, size_t lane, size_t binary);
/* Judges what compare said, keeps its stderr and finishes the cell. */
void run_cell_judge(struct run *run, size_t lane, size_t binary, int exit_code,
		    const struct output *out, const struct output *err, double seconds);
/* Judges what replay said of its recording, the last object being the "replay", and finishes the
 * cell. objects is borrowed. */
void run_cell_judge_played(struct run *run, size_t lane, size_t binary, const json_t *objects);
/* Finishes a cell that was not run. */
void run_cell_finish(struct run *run, size_t lane, size_t binary, enum cell_status status,
		     bool environment, const char *reason);

/* ---- run_batch.c ------------------------------------------------------------------------ */

#define GUEST_PROGRAM "/bin/stackproof"

/* Binaries of one compare. */
#define BATCH_MAX 64

#define BATCH_OPTIONS_MAX 15

struct batch_entry {
	size_t binary;				/* in the manifest */
	struct output output[RUN_STREAM_COUNT]; /* until it is done */
	bool started;				/* the present process was given it */
	bool begun;				/* on either stream */
	bool closed[RUN_STREAM_COUNT];		/* its end was read */
	bool done;				/* its cell is finished */
	double begin, end;			/* monotonic seconds */
	int exit_status;			/* of its end */
	bool timed_out;
};

struct batch_stream {
	struct output line;  /* not ended yet */
	struct output stray; /* outside of all marks, for the entry that is next */
	size_t current;	     /* entry, or SIZE_MAX */
};

struct batch {
	struct run *run;
	size_t lane;
	bool in_guest;
	bool bind_now; /* the dynamic loader resolves all symbols of its programs first */
	struct batch_entry entry[BATCH_MAX];
	size_t count;
	struct batch_stream stream[RUN_STREAM_COUNT];
	char timeout[16];
	char record[4096];				     /* the folder for recordings */
	const char *argv[BATCH_OPTIONS_MAX + BATCH_MAX + 1]; /* and a NULL */
};

/*
 * The binaries first, first + step, ... whose cells are pending; those that are run in the same way
 * are together. The count; ret has room for all of the manifest.
 */
size_t batch_list(const struct run *run, size_t lane, size_t first, size_t step, size_t *ret);
/*
 * A batch of the first binaries of the list, as far as they are run in the same way and at most
 * BATCH_MAX: how many.
 */
size_t batch_init(struct batch *batch, struct run *run, size_t lane, bool in_guest,
		  const size_t *binary, size_t count);
void batch_deinit(struct batch *batch);
/*
 * How many of the binaries that are left a worker of so many takes: half of its share, so that all
 * end together; but loading the BPF programs is as much work as stepping a few.
 */
size_t batch_share(size_t left, unsigned jobs);
/* argv of a compare of all entries that are not done; owned by the batch. */
char *const *batch_start(struct batch *batch);
/* What it wrote. True if a program began or ended. */
bool batch_output(struct batch *batch, enum run_stream stream, const void *data, size_t size);
/* It ended: finishes all that began, or else the first. Each process finishes at least one. */
void batch_exit(struct batch *batch, int exit_code);
/* Entries that are not done. */
size_t batch_left(const struct batch *batch);
/* Finishes them as if each had ended so. */
void batch_abandon(struct batch *batch, int exit_code);
/* Finishes them as errors of the environment. */
void batch_fail(struct batch *batch, const char *reason);
/* Finishes those whose end was read: nothing will be said any more. */
void batch_settle(struct batch *batch);

/* ---- run_interrupt.c -------------------------------------------------------------------- */

struct run_interrupt {
	int stop_fd; /* readable from the signal on; never read */
	int end_fd;  /* nobody waits any more */
	int signal_fd;
	atomic_int signal; /* that ended the run; 0: none did */
	bool started;
	pthread_t thread;
	sigset_t before; /* this process's mask */
};

/* Blocks SIGINT, SIGTERM and SIGHUP, as far as they are not ignored, and waits for them in a
 * thread. Before any other thread is begun, which inherit the mask. */
int interrupt_init(struct run_interrupt *interrupt, struct error *error);
/* Ends the thread, and gives the signals back. */
void interrupt_deinit(struct run_interrupt *interrupt);
/* The signal that ended the run, or 0; of NULL, too. */
int interrupt_signal(struct run_interrupt *interrupt);

/* ---- run_guest.c ------------------------------------------------------------------------ */

/*
 * How many guests a lane is dealt to. One guest is the least work, but a slow kernel's would still
 * run when the others' CPUs have nothing left.
 */
size_t run_guest_shards(const struct run *run);
/* Runs every binary of a lane's shard that can be run, in one guest, and finishes all its cells. */
void run_guest_lane(struct run *run, size_t lane, size_t shard);
/* Fetches a lane's kernel, one lane at a time, and notes it. ERROR_UNAVAILABLE: there is none to
 * be had. */
int run_guest_kernel(struct run *run, size_t lane, struct kernel *ret, struct error *error);
/* Notes how a lane's guest ended; of several, each. */
void run_guest_note(struct run *run, size_t lane, const struct guest_result *result);
#define QEMU "qemu-system-x86_64"
/* Whether QEMU is in PATH. */
bool qemu_installed(void);

/* ---- run_play.c ------------------------------------------------------------------------- */

/* Plays the host's recordings in a guest of this lane, and finishes all its cells. */
void run_play_lane(struct run *run, size_t lane);

/* ---- run_judge.c ------------------------------------------------------------------------ */

struct judge_options {
	const char *engines;	    /* "cfi,table,bpf,fp" */
	struct ignore_list *ignore; /* findings that fail nothing; NULL: none */
};
/* Sets a cell's objects, status and reason from what compare printed and how it ended. expected: as
 * corpus.tsv has it, or NULL. */
void cell_judge(struct cell *cell, const struct judge_options *options, const char *expected,
		int exit_code, const struct output *out, const struct output *err);
/* Judges a cell that failed by its objects, of which some are now ignored: it passes, or is what
 * it was. */
void cell_judge_again(struct cell *cell, const char *engines);
/* Turns skips that `require` ("bpf,vm,clang,rustc") names into failures. */
void cell_require(struct cell *cell, const char *require);
/* False if require has a word that is not known; *ret_word: that word, in require. */
bool require_valid(const char *require, const char **ret_word);

/* ---- run_resume.c ----------------------------------------------------------------------- */

/* Puts into the header what must be the same where a run is resumed. */
void run_identify(struct results *results, const struct manifest *manifest,
		  const struct run_options *options);
/*
 * Takes over what the folder's earlier run has judged: those cells are not pending any more.
 * *ret_seconds: how long it took, as far as it says. -1: there is none, it is damaged before its last
 * line, or it is another run's.
 */
int run_resume(struct results *results, const struct run_options *options, double *ret_seconds,
	       struct error *error);

/* ---- run_ignore.c ----------------------------------------------------------------------- */

/* Ignores the findings in the list, and judges again what had failed. What was run by an older
 * stackproof does not say what was expected of it, and stays as it was judged. */
void results_ignore(struct results *results, struct ignore_list *list);

/* ---- run_kernel_fault.c ----------------------------------------------------------------- */

/* Holds bpf's digests of a binary on each kernel against those on the first. */
void results_compare_kernels(struct results *results);

/* ---- run_progress.c, run_provenance.c --------------------------------------------------- */

void progress_cell(struct run *run);
void progress_lane_done(struct run *run, size_t lane);
void progress_end(struct run *run);
/* host, compilers, engines, time, and what of the corpus in folder was merged into the header. */
void provenance_collect(struct results *results, const struct manifest *manifest,
			const char *folder, const char *engines);

#endif
