/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs.h - what a profiler costs, as its user pays it: `bench profile_costs`
 *
 * COSTS_PROCESSES processes do a fixed piece of work, once without a profiler and once beside it, and again in the
 * other order: a pair. What the work took more is told with an interval, or said not to be told apart. Meanwhile the
 * profiler's own processes are looked at, and what it holds in the kernel. Any profiler can be named by its command.
 *
 *	costs_interval.c	a mean of few noisy pairs, and how sure it is
 *	costs_work.c		the work: programs in C without frame pointers, in C++, in Python
 *	costs_tree.c		which processes are the profiler's
 *	costs_kernel.c		its BPF programs, maps and buffers
 *	costs_profiler.c	a profiler, started and ended; its command
 *	costs_first.c		when a new process has its first stack in the profile
 *	costs.c			the pairs, and what comes of them
 *	costs_print.c		text and JSON
 *	costs_options.c		the options of the command, and all profilers in turn
 */
#ifndef STACKPROOF_COSTS_H
#define STACKPROOF_COSTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/child/ending_signals.h"
#include "base/gate/gate.h"
#include "error.h"

#define COSTS_FIGURE	    "profile_costs"
#define COSTS_NAME_MAX	    12 /* of a profiler */
#define COSTS_PROCESSES	    40
#define COSTS_PAIRS_MIN	    6 /* with fewer there is no interval of 95 % */
#define COSTS_PAIRS_MAX	    50
#define COSTS_RATES_MAX	    8
#define COSTS_RATE_MAX	    10000 /* Hz */
#define COSTS_PROFILERS_MAX 16
#define COSTS_WORK_MAX	    10000 /* per cent */
#define COSTS_PROBES	    3

/* ---- costs_interval.c ----------------------------------------------------------------------- */

struct costs_interval {
	double estimate, low, high;
	double confidence; /* that the value is between low and high: at least 0.95 */
};

/*
 * Of what pairs differ by, without a claim on how the noise is distributed but that it is as often above as below: the
 * estimate is that of Hodges and Lehmann (the median of the means of any two values, and of each by itself), the
 * interval is that of Wilcoxon's signed ranks, exact for any number of pairs. A pair that a busy machine has spoilt moves
 * them little, where it would move a mean and Student's interval much. count: COSTS_PAIRS_MIN to COSTS_PAIRS_MAX. -1:
 * ERROR_MEMORY.
 */
int costs_interval(const double *values, unsigned int count, struct costs_interval *ret,
		   struct error *error);
/* True if 0 is not in the interval. */
bool costs_told_apart(const struct costs_interval *interval);

/* ---- costs_work.c --------------------------------------------------------------------------- */

#define COSTS_KINDS_MAX 3
#define COSTS_WORDS_MAX 7

struct costs_kind {
	const char *name; /* "C", for the text */
	char path[4200];
	char rounds[24];
	const char *argv[COSTS_WORDS_MAX]; /* NULL-terminated */
};

struct costs_work {
	struct costs_kind kind[COSTS_KINDS_MAX]; /* processes have them in turn */
	unsigned int kinds;
	pid_t pid[COSTS_PROCESSES]; /* 0: has ended */
	unsigned int running;	    /* of pid, how many were started */
	uint64_t started_ns;
	pid_t probe[COSTS_PROBES]; /* costs_first.c; 0: not started */
};

struct costs_work_time {
	double elapsed_s; /* from the first start to the last end */
	double cpu_s;	  /* of all its processes */
};

/* percent: of the usual work; endless: until it is killed. programs: where they are. -1: ERROR_UNAVAILABLE. */
int costs_work_init(struct costs_work *ret, const char *programs, unsigned int percent,
		    bool endless, struct error *error);
/* Starts all processes. After an error, too, costs_work_kill(). */
int costs_work_start(struct costs_work *work, struct error *error);
/* Waits for all. -1: ERROR_PROTOCOL: one has failed; ending_signals_error(). */
int costs_work_wait(struct costs_work *work, const struct ending_signals *signals,
		    struct costs_work_time *ret, struct error *error);
void costs_work_kill(struct costs_work *work);
/* Sleeps; -1: ending_signals_error(). */
int costs_sleep(const struct ending_signals *signals, unsigned int ms, struct error *error);

/* ---- costs_tree.c --------------------------------------------------------------------------- */

/* A process below this one, and the processor time that it has used. */
struct costs_process {
	pid_t pid, parent;
	uint64_t cpu_ns;
	uint64_t peak_bytes; /* VmHWM */
};

struct costs_tree {
	struct costs_process *process;
	size_t count;
};

/* All processes below this one but those of the work, also if their parents have ended: this process is a subreaper
 * (prctl(2)). *ret: costs_tree_deinit(), zero-initialised before the first call. */
int costs_tree_read(struct costs_tree *ret, const struct costs_work *work, struct error *error);
void costs_tree_deinit(struct costs_tree *tree);
/* What the processes used since before was read. One that has ended meanwhile is not in it. */
uint64_t costs_tree_cpu_ns(const struct costs_tree *before, const struct costs_tree *now);
uint64_t costs_tree_peak_bytes(const struct costs_tree *tree);

/* ---- costs_kernel.c ------------------------------------------------------------------------- */

/* What the processes hold in the kernel, each thing once. */
struct costs_kernel {
	uint64_t map_bytes, program_bytes; /* that the kernel charges for BPF maps and programs */
	uint64_t buffer_bytes;		   /* of perf events, as mapped */
	unsigned int programs;
	uint64_t run_ns, runs; /* of the programs, while BPF_ENABLE_STATS is in force */
};
int costs_kernel_read(struct costs_kernel *ret, const struct costs_tree *tree, struct error *error);

/* ---- costs_profiler.c ----------------------------------------------------------------------- */

struct costs_profiler {
	const char *name;
	const char *command; /* with {out}, {rate} and, if it likes, {seconds} */
};

/* The profilers that are asked if none is named; [i].name NULL: the end. */
extern const struct costs_profiler costs_profilers[];

/* True if the command has {out} and {rate}. */
bool costs_command_is_whole(const char *command);
/* The command with {out}, {rate}, {seconds} and {stackproof} filled in, for /bin/sh; free() it. NULL: ERROR_MEMORY. */
char *costs_command_text(const char *command, const char *folder, unsigned int rate,
			 unsigned int seconds, const char *self, struct error *error);

struct costs_running {
	pid_t pid;
	char *folder; /* an own folder: the file "profile" in it is {out}, "said" what the command said */
	struct costs_tree tree;
	double cpu_s;	     /* of all its processes that have ended */
	uint64_t peak_bytes; /* the highest sum of their VmHWM that was seen */
};

/* Starts a profiler. The seconds are what it is told. */
int costs_profiler_start(struct costs_running *ret, const struct costs_profiler *profiler,
			 unsigned int rate, unsigned int seconds, struct error *error);
/* -1: it has ended already. ERROR_UNAVAILABLE: because it was not found; ERROR_PROTOCOL. */
int costs_profiler_check(const struct costs_running *running, struct error *error);
/* Sends SIGINT, and waits until all its processes have ended. -1: it died, or wrote nothing: ERROR_PROTOCOL;
 * ERROR_TIMEOUT: it was killed. */
int costs_profiler_end(struct costs_running *running, const struct costs_work *work,
		       const struct ending_signals *signals, uint64_t *ret_bytes,
		       struct error *error);
/* Kills what is left of it, and removes its folder. */
void costs_profiler_deinit(struct costs_running *running, const struct costs_work *work);
/* The path of its profile. */
void costs_profile_path(const struct costs_running *running, char ret[4200]);

/* ---- costs_first.c -------------------------------------------------------------------------- */

#define COSTS_FIRST_NONE 0 /* milliseconds: no such sample of a probe's */

/* By when, in milliseconds after its exec(3), each probe had a first sample and a first whole stack. */
struct costs_first {
	unsigned int sample_ms[COSTS_PROBES], stack_ms[COSTS_PROBES];
	uint64_t samples; /* in the profile, of all processes */
	char unread[240]; /* "", or why the profile can't be read */
};

/* Runs all probes, one behind the other. They wait to be killed, with the work or by themselves. */
int costs_probes_run(struct costs_work *work, const char *programs,
		     const struct ending_signals *signals, struct error *error);
void costs_probes_kill(struct costs_work *work);
/* What the profile says of them. -1: ERROR_PROTOCOL: there is no sample in it. */
int costs_first_read(const char *path, struct costs_first *ret, struct error *error);
/* The median of the probes; COSTS_FIRST_NONE: most have none. Sorts. */
unsigned int costs_first_median(unsigned int ms[COSTS_PROBES]);

/* ---- costs.c -------------------------------------------------------------------------------- */

struct costs_options {
	const char *programs;
	unsigned int pairs;	/* COSTS_PAIRS_MIN to COSTS_PAIRS_MAX */
	unsigned int work;	/* per cent */
	unsigned int settle_ms; /* between the profiler's start and the work's, at least */
	const struct ending_signals *signals;
};

/* Of one profiler at one rate. Costs are of a pair, medians if they have no interval. */
struct costs_result {
	const struct costs_profiler *profiler;
	unsigned int rate_hz, pairs;
	double work_cpu_s, work_elapsed_s;    /* without it */
	struct costs_interval cpu_slower;     /* per cent more processor time of the work */
	struct costs_interval elapsed_slower; /* per cent more time */
	struct costs_interval cpu_percent;    /* its own processes during the work, of all CPUs */
	double cpu_s;			      /* the same from its start to its end, in seconds */
	bool has_bpf;			      /* it has BPF programs, and their time was counted: */
	double bpf_percent;		      /* of all CPUs */
	uint64_t resident_bytes;
	struct costs_kernel kernel; /* bytes: the most of all runs */
	double bytes_per_minute;    /* of its profile, and of the work's time */
	struct costs_first first;
	double load; /* of the machine, when it began */
};

/* What all results have in common. */
struct costs_machine {
	unsigned int cpus;
	int stats; /* BPF_ENABLE_STATS; -1: not to be had */
	struct costs_work work;
	struct costs_work_time usual; /* of a run that is not counted */
};

int costs_machine_init(struct costs_machine *ret, const struct costs_options *options,
		       struct error *error);
void costs_machine_deinit(struct costs_machine *machine);
int costs_measure(struct costs_machine *machine, const struct costs_options *options,
		  const struct costs_profiler *profiler, unsigned int rate_hz,
		  struct costs_result *ret, struct error *error);

/* ---- costs_print.c -------------------------------------------------------------------------- */

void costs_print_heading(const struct costs_machine *machine, FILE *file);
void costs_print_result(const struct costs_result *result, FILE *file);
void costs_print_json(const struct costs_machine *machine, const struct costs_result *result,
		      FILE *file);

/* ---- costs_options.c ------------------------------------------------------------------------ */

struct costs_arguments {
	struct costs_options costs; /* programs: the command's */
	struct costs_profiler profiler[COSTS_PROFILERS_MAX];
	unsigned int profilers;
	unsigned int rate[COSTS_RATES_MAX];
	unsigned int rates;
};

/* An argp child. Its input is a zeroed struct costs_arguments. */
extern const struct argp costs_argp;

/* Measures each profiler at each rate, and prints. gate counts what was checked, and what was not. */
void costs_figure(struct costs_arguments *arguments, bool json, struct gate *gate);

#endif
