/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench.h - figures of speed and size, each with a reference that is measured in the same run
 *
 *	commands/bench.c  the command line and the output
 *	bench_image.c		finds the images that are measured
 *	bench_child.c		runs another program and takes its output
 *	bench_table.c		building a table, against `readelf -wF`
 *	bench_table_first.c	building the first table of a process, against `readelf -wF`
 *	bench_agree.c		whether readelf's rows are the table's
 *	bench_sframe.c		reading SFrame, and a table of it
 *	bench_sframe_make.c	a large image with .sframe
 *	bench_gimli.c		building a table, against the Rust library gimli
 *	bench_lint.c		following code paths, against decoding the code
 *	bench_size.c		a table's bytes, against plain sorted rows
 *	bench_points.c		draws PCs to look up, and sweeps the CPU's caches
 *	bench_lookup.c		finding a PC's rule, against libunwind and libdw
 *	bench_lookup_lib*.c	the look-up by libunwind, and by libdw
 *	bench_lookup_bpf.c	finding a PC's rule in the kernel, against plain sorted rows
 *	bench_walk.c		the walk in the kernel, against bpf_get_stack over frame pointers
 *	bench_first_stack.c	from exec of a new program to its first complete stack
 *	bench_profile.c		what a profiler takes from a thread, against perf
 *	bench_memory.c		kernel memory for 300 processes and 400 images
 *	bench_engine.c		asking an external engine, against a bare round trip
 *	bench_emulated.c	whether times mean anything here
 *	bench_emulator.c	stacks of what an emulator executes, against the same guest alone
 *	bench_guest.c		a guest from its start to its first result
 *	truth/tracer/steps_bench.c	the tracer, against a program that single-steps itself
 *
 * Machines are noisy: the two sides alternate, and medians are printed.
 */
#ifndef STACKPROOF_BENCH_H
#define STACKPROOF_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "table/unwind_table.h"

struct bench_figure {
	const char *name;
	const char *subject; /* an image, from the table in commands/bench.c; may be NULL */
	double value;
	const char *unit;
	const char *reference;
	double reference_value;
	double ratio; /* of value and reference: commands/bench.c says how it reads */
	unsigned int runs;
	char note[800]; /* what was measured, in words */
};

struct bench_options {
	unsigned int runs;    /* of each side, at most BENCH_RUNS_MAX */
	const char *kernel;   /* name of the guest's kernel */
	const char *programs; /* folder with one.fp, one.nofp, five.fp, five.nofp */
	const char *gimli;    /* folder with bench_gimli's manifest, where it is built */
};

/* Each measures one figure and fills *ret, whose name and subject are set. ERROR_UNAVAILABLE: a skip. */
int bench_tracer_steps(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error);
/* The figure's name says which program is walked. */
int bench_walk(const struct bench_options *options, struct bench_figure *ret, struct error *error);
int bench_walk_fixed(const struct bench_options *options, struct bench_figure *ret,
		     struct error *error);
int bench_first_stack(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_profile_taken(const struct bench_options *options, struct bench_figure *ret,
			struct error *error);
int bench_kernel_memory(const struct bench_options *options, struct bench_figure *ret,
			struct error *error);
int bench_engine_so(const struct bench_options *options, struct bench_figure *ret,
		    struct error *error);
int bench_engine_protocol(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error);
int bench_guest_start(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_emulator_stacks(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error);
int bench_emulator_rows_first(const struct bench_options *options, struct bench_figure *ret,
			      struct error *error);
int bench_emulator_rows_all(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
/* The subject of these is an image's name, see bench_image_find(). */
int bench_table_build(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_table_open_build(const struct bench_options *options, struct bench_figure *ret,
			   struct error *error);
int bench_table_build_first(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_table_build_gimli(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_sframe_read(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_sframe_table(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error);
int bench_table_size(const struct bench_options *options, struct bench_figure *ret,
		     struct error *error);
int bench_lint(const struct bench_options *options, struct bench_figure *ret, struct error *error);
/* warm: a few PCs again and again; cold: many PCs, after a sweep of the CPU's caches. */
int bench_lookup_warm(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_lookup_cold(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_lookup_warm_libdw(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_lookup_cold_libdw(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
/* In BPF. warm: a few PCs again and again; random: PCs of the whole table; cold: after a sweep. */
int bench_lookup_bpf_warm(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error);
int bench_lookup_bpf_random(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_lookup_bpf_cold(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error);

/* ---- bench.c ---------------------------------------------------------------------------- */

/* The median of count values, at least one. Sorts values. */
double bench_median(double *values, unsigned int count);

#define BENCH_RUNS_MAX 50

/* ---- bench_walk.c ----------------------------------------------------------------------- */

void bench_sleep_ms(unsigned int ms);
/* Waits until process pid has used some CPU time. On failure the process is left running. */
int bench_settle(pid_t pid, struct error *error);

/* ---- bench_emulated.c ------------------------------------------------------------------- */

/* True in a guest that QEMU emulates (TCG). */
bool bench_is_emulated(void);
#define BENCH_EMULATED "this CPU is emulated (TCG): times here say nothing about a real one"

/* ---- bench_image.c ---------------------------------------------------------------------- */

/* The path of "libLLVM", "libclang-cpp", "cc1", "libstdc++" or "libc". ERROR_UNAVAILABLE: not installed. */
int bench_image_find(const char *name, char path[4096], struct error *error);

/* ---- bench_child.c ---------------------------------------------------------------------- */

/*
 * Runs argv[0], from PATH or a folder for system administration, and writes its standard output to ret
 * as a string of at most size - 1 bytes; the rest is dropped. errors: its standard error, too.
 * ERROR_UNAVAILABLE: there is no such program. ERROR_TIMEOUT: it was killed. ERROR_PROTOCOL: its exit
 * status is not 0; the message has the last line of the output.
 */
int bench_child(const char *const argv[], bool errors, unsigned int timeout_ms, char *ret,
		size_t size, struct error *error);

/* ---- bench_table.c ---------------------------------------------------------------------- */

/* Builds the table once, from the open image. *ret: table_destroy(). */
int bench_build(const struct image *image, struct table **ret, struct error *error);
/* One way to build the table of an image, whose file is at path. *ret_ms: how long it took. */
typedef int bench_build_fn(const struct image *image, const char *path, double *ret_ms,
			   struct error *error);
/* Measures build on the subject's image, and readelf, in turn. how: names the way, for the note. */
int bench_measure_build(const struct bench_options *options, bench_build_fn *build, const char *how,
			struct bench_figure *ret, struct error *error);
/* Milliseconds of another program's whole process. A status above status_most is ERROR_PROTOCOL. */
int bench_program_ms(const char *const *argv, int status_most, double *ret_ms, struct error *error);
/* Milliseconds of bench_build(): the median of BENCH_INNER_RUNS. */
int bench_build_ms(const struct image *image, double *ret, struct error *error);

#define BENCH_INNER_RUNS 3 /* builds, or runs of gimli, per round: their median is its time */

/* ---- bench_agree.c ---------------------------------------------------------------------- */

/* 0 if `readelf -wF` prints the rows that our reader finds in the image, and the table has them; else -1.
 * *ret_rows: how many rows. */
int bench_agree(const char *path, const struct image *image, const struct table *table,
		uint64_t *ret_rows, struct error *error);

/* ---- bench_sframe_make.c ---------------------------------------------------------------- */

/* Writes a section .sframe at address 0, of that version, with all of cfi that it can say. */
int bench_sframe_write(const struct cfi *cfi, unsigned int version, FILE *file,
		       struct error *error);
/* Makes a copy of the image at path, with .sframe of its own CFI, in folder. ret_path: the copy's. ERROR_UNAVAILABLE:
 * there is no objcopy, or an objdump that knows no SFrame. */
int bench_sframe_make(const char *path, const char *folder, char ret_path[4096],
		      struct error *error);

/* ---- bench_gimli.c ---------------------------------------------------------------------- */

struct bench_gimli_result {
	char version[32];
	uint64_t rows;
	uint64_t digest;
	double best_ms;
	double median_ms;
};
/* Reads the line that bench_gimli prints. False: it is malformed. */
bool bench_gimli_parse(const char *line, struct bench_gimli_result *ret);
/* The manifest's folder for the output of `rustc --version`: "." or "old". NULL: no rustc, or it is too old
 * for both versions of gimli. */
const char *bench_gimli_folder(const char *rustc_version);

/* ---- bench_size.c ----------------------------------------------------------------------- */

/* Bytes of plain sorted rows: 4 for each row, 8 for each page, 16 for each rule. */
uint64_t bench_plain_bytes(uint64_t rows, uint64_t pages, uint64_t rules);

/* ---- bench_points.c --------------------------------------------------------------------- */

/* Draws addresses from those that an image's FDEs cover, each with the same probability. */
struct bench_drawer {
	struct cfi *cfi;
	uint64_t *covered; /* [i]: how many addresses FDEs 0 .. i - 1 cover */
	uint64_t state;
};
/* To be deinitialised even after an error. */
int bench_drawer_init(struct bench_drawer *drawer, const struct image *image, struct error *error);
void bench_drawer_deinit(struct bench_drawer *drawer);
/* Draws an image address. */
uint64_t bench_draw(struct bench_drawer *drawer);

/* Memory that, when it is touched, replaces all else in the CPU's caches. */
struct bench_sweep {
	volatile char *buffer;
	long bytes;
};
int bench_sweep_init(struct bench_sweep *sweep, struct error *error);
void bench_sweep_deinit(struct bench_sweep *sweep);
void bench_sweep_caches(const struct bench_sweep *sweep);

/* ---- bench_lookup_libunwind.c, bench_lookup_libdw.c ------------------------------------- */

/* PCs of an image, and the expected CFA of each: that of its row, for the registers below. */
struct bench_points {
	const char *path;
	struct image *image;
	const struct table *table;
	uint64_t *vaddr;
	uint64_t *cfa;
	unsigned int count;
	uint64_t reg[REGISTER_GPR_COUNT]; /* by DWARF number; addresses in a made-up stack */
};

/* A way to look up PCs. run looks up points begin .. begin + count - 1, and returns the sum of their CFAs, or 0 if
 * a PC has none. */
struct bench_lookup {
	const char *name; /* for bench_figure.reference */
	int (*open)(struct bench_lookup *lookup, const struct bench_points *points, bool cold,
		    struct error *error);
	uint64_t (*run)(struct bench_lookup *lookup, const struct bench_points *points,
			unsigned int begin, unsigned int count);
	/* Does what run does besides the look-up: its time is subtracted. May be NULL. */
	uint64_t (*overhead)(struct bench_lookup *lookup, const struct bench_points *points,
			     unsigned int begin, unsigned int count);
	void (*close)(struct bench_lookup *lookup);
	void *priv;
	char note[300];
};

void bench_lookup_libunwind(struct bench_lookup *ret);
void bench_lookup_libdw(struct bench_lookup *ret);

#endif
