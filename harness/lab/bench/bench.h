/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench.h - the project's own speed figures, each beside its reference, measured in the same run
 *
 *	commands/bench.c  the command line and the output
 *	bench_image.c		finds the images that figures are about
 *	bench_child.c		runs another program and takes what it says
 *	bench_table.c		building a table, against `readelf -wF`
 *	bench_table_first.c	the same of a process that has built none before
 *	bench_agree.c		are the two sides' rows the same?
 *	bench_gimli.c		the same, against the Rust library gimli
 *	bench_lint.c		following code, against decoding it
 *	bench_size.c		a table's bytes, against plain sorted rows
 *	bench_points.c		PCs to look up, and a sweep of the CPU's caches
 *	bench_lookup.c		finding a PC's rule, against libunwind and libdw
 *	bench_lookup_lib*.c	what these two do for a PC
 *	bench_lookup_bpf.c	finding it in the kernel, against plain sorted rows
 *	bench_walk.c		the walk in the kernel, against bpf_get_stack over frame pointers
 *	bench_first_stack.c	from exec of a new program to its first complete stack
 *	bench_memory.c		what 300 processes and 400 images take in the kernel
 *	bench_engine.c		asking an external engine, against a bare round trip
 *	bench_guest.c		a guest from its start to its first result
 *	truth/tracer/steps_bench.c	the tracer, against a program that single-steps itself
 *
 * Machines are noisy: the two sides alternate, and medians are printed.
 */
#ifndef STACKPROOF_BENCH_H
#define STACKPROOF_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include "table/unwind_table.h"

struct bench_figure {
	const char *name;
	const char *subject; /* what the figure is about, from the table in bench.c; may be NULL */
	double value;
	const char *unit;
	const char *reference;
	double reference_value;
	double ratio; /* what it means is in the name's description: better by, or cost of */
	unsigned int runs;
	char note[800]; /* what was measured */
};

struct bench_options {
	unsigned int runs;    /* of each side */
	const char *kernel;   /* for the guest */
	const char *programs; /* folder with one.fp, one.nofp, five.fp, five.nofp */
	const char *gimli;    /* folder with bench_gimli's manifest; it is built there */
};

/* Each fills one figure; ERROR_UNAVAILABLE: a skip. */
int bench_tracer_steps(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error);
/* Of a program that is found by the figure's name. */
int bench_walk(const struct bench_options *options, struct bench_figure *ret, struct error *error);
int bench_walk_fixed(const struct bench_options *options, struct bench_figure *ret,
		     struct error *error);
int bench_first_stack(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_kernel_memory(const struct bench_options *options, struct bench_figure *ret,
			struct error *error);
int bench_engine_so(const struct bench_options *options, struct bench_figure *ret,
		    struct error *error);
int bench_engine_protocol(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error);
int bench_guest_start(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
/* The subject of these is an image's name (bench_image.c). */
int bench_table_build(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_table_open_build(const struct bench_options *options, struct bench_figure *ret,
			   struct error *error);
int bench_table_build_first(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_table_build_gimli(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_table_size(const struct bench_options *options, struct bench_figure *ret,
		     struct error *error);
int bench_lint(const struct bench_options *options, struct bench_figure *ret, struct error *error);
/* The same; by few PCs again and again, or by many after the CPU's caches were emptied. */
int bench_lookup_warm(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_lookup_cold(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_lookup_warm_libdw(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_lookup_cold_libdw(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
/* In BPF: few PCs again and again, PCs from all of the table, and with the CPU's caches swept. */
int bench_lookup_bpf_warm(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error);
int bench_lookup_bpf_random(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error);
int bench_lookup_bpf_cold(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error);

/* ---- bench.c ---------------------------------------------------------------------------- */

/* The middle value; sorts. count > 0. */
double bench_median(double *values, unsigned int count);

#define BENCH_RUNS_MAX 50

/* ---- bench_walk.c ----------------------------------------------------------------------- */

void bench_sleep_ms(unsigned int ms);
/* Waits until a program that was started has used some CPU time. Does not end it if it fails. */
int bench_settle(pid_t pid, struct error *error);

/* ---- bench_image.c ---------------------------------------------------------------------- */

/* The path of "libLLVM", "libclang-cpp", "cc1", "libstdc++" or "libc". ERROR_UNAVAILABLE: it isn't installed. */
int bench_image_find(const char *name, char path[4096], struct error *error);
/* Finds a library's path in what `ldconfig -p` prints; false: it isn't there. */
bool bench_image_parse(const char *ldconfig, const char *soname, char path[4096]);

/* ---- bench_child.c ---------------------------------------------------------------------- */

/*
 * Runs argv[0], found in PATH or where system administration's programs are, and takes its standard
 * output (errors: its standard error too) as a string of at most size - 1 bytes; more is read and
 * dropped. ERROR_UNAVAILABLE: there is no such program. ERROR_TIMEOUT: it was killed. Another
 * status than 0 is ERROR_PROTOCOL, with the last line of the output in the message.
 */
int bench_child(const char *const argv[], bool errors, unsigned int timeout_ms, char *ret,
		size_t size, struct error *error);

/* ---- bench_table.c ---------------------------------------------------------------------- */

/* One build of the table from the image's mapped section. The caller destroys *ret. */
int bench_build(const struct image *image, struct table **ret, struct error *error);
/* Builds the table of an image, which lies at path, in one way, and says how long that took. */
typedef int bench_build_fn(const struct image *image, const char *path, double *ret_ms,
			   struct error *error);
/* A way to build the subject's table, and readelf, in turn; how: the way, for the note. */
int bench_measure_build(const struct bench_options *options, bench_build_fn *build, const char *how,
			struct bench_figure *ret, struct error *error);
/* Milliseconds of `readelf -wF`, its whole process. */
int bench_readelf_ms(const char *path, double *ret_ms, struct error *error);
/* Its median time of a few. */
int bench_build_ms(const struct image *image, double *ret, struct error *error);

#define BENCH_INNER_RUNS 3 /* builds, or goes of gimli, per round: their median is the round's */

/* ---- bench_agree.c ---------------------------------------------------------------------- */

/* `readelf -wF` prints what our reader says of the image, and the table holds it. -1: it doesn't.
 * ret_rows: how many rows that are. */
int bench_agree(const char *path, const struct image *image, const struct table *table,
		uint64_t *ret_rows, struct error *error);

/* ---- bench_gimli.c ---------------------------------------------------------------------- */

struct bench_gimli_result {
	char version[32];
	uint64_t rows;
	uint64_t digest;
	double best_ms;
	double median_ms;
};
/* Reads the one line that bench_gimli prints; false: it is no such line. */
bool bench_gimli_parse(const char *line, struct bench_gimli_result *ret);
/* The manifest's folder for what `rustc --version` says, "." or "old"; NULL: no rustc, or one that
 * takes neither gimli. */
const char *bench_gimli_folder(const char *rustc_version);

/* ---- bench_size.c ----------------------------------------------------------------------- */

/* Bytes of plain sorted rows: 4 a row, 8 a page, 16 a rule. */
uint64_t bench_plain_bytes(uint64_t rows, uint64_t pages, uint64_t rules);

/* ---- bench_points.c --------------------------------------------------------------------- */

/* Draws addresses evenly from all that an image's FDEs cover. */
struct bench_drawer {
	struct cfi *cfi;
	uint64_t *covered; /* [i]: bytes of the FDEs before the i-th */
	uint64_t state;
};
/* After an error, too, it is to be deinitialised. */
int bench_drawer_init(struct bench_drawer *drawer, const struct image *image, struct error *error);
void bench_drawer_deinit(struct bench_drawer *drawer);
uint64_t bench_draw(struct bench_drawer *drawer);

/* Memory that takes the place of everything else in the CPU's caches. */
struct bench_sweep {
	volatile char *buffer;
	long bytes;
};
int bench_sweep_init(struct bench_sweep *sweep, struct error *error);
void bench_sweep_deinit(struct bench_sweep *sweep);
void bench_sweep_caches(const struct bench_sweep *sweep);

/* ---- bench_lookup_libunwind.c, bench_lookup_libdw.c ------------------------------------- */

/* PCs of an image and what must come out: the canonical row's CFA for the registers below. */
struct bench_points {
	const char *path;
	struct image *image;
	const struct table *table;
	uint64_t *vaddr;
	uint64_t *cfa;
	unsigned int count;
	uint64_t reg[REGISTER_GPR_COUNT]; /* by DWARF number; addresses in a made-up stack */
};

/* Looks up points begin .. begin + count; the sum of their CFAs, or 0 if one was not found. */
struct bench_lookup {
	const char *name; /* as the figure's reference */
	int (*open)(struct bench_lookup *lookup, const struct bench_points *points, bool cold,
		    struct error *error);
	uint64_t (*run)(struct bench_lookup *lookup, const struct bench_points *points,
			unsigned int begin, unsigned int count);
	/* What run does besides looking up: is taken off. May be NULL. */
	uint64_t (*overhead)(struct bench_lookup *lookup, const struct bench_points *points,
			     unsigned int begin, unsigned int count);
	void (*close)(struct bench_lookup *lookup);
	void *priv;
	char note[300];
};

void bench_lookup_libunwind(struct bench_lookup *ret);
void bench_lookup_libdw(struct bench_lookup *ret);

#endif
