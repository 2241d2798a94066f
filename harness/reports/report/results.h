/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results.h - a results folder in memory, and the reports made from it
 *
 *	results.c	cells, counts, and writing results.ndjson
 *	results_read.c	reading it back
 *	results_compare.c	cells from the output of `compare --json`
 *	results_join.c	two runs as one, side by side
 *	results_sides.c	which binaries only one of the two sides has judged
 *	results_ignore.c	findings that --ignore's list has
 *	fault_origin.c	whose code a finding is about
 *	tally.c		figures over many cells: shares per engine, table faults, skips
 *	terminal.c	the table for people
 *	results_cases.c	a results folder as cases (cases/cases.h)
 *	tap.c		TAP 14
 *	junit.c		JUnit XML
 *	ranking.c	which engine did best, on which kernel, at what cost
 *	matrix_html.c	a page of HTML (html.c)
 *
 * The matrix is binaries x kernels; a *cell* is one binary on one kernel and has exactly one outcome. The
 * objects that `compare` printed for the cell (score, verdicts, finding, skip) are kept as JSON, tagged
 * with binary, toolchain, variant, language and kernel, so that new fields need no change here.
 *
 * results.ndjson, one object per line:
 *	header		version, host, compilers, engines, kernels[], cells (their number)
 *	per cell	compare's objects, then {"type":"result",...}
 *	summary		counts and exit status; absent if the run was killed
 * Beside it lie kernels/NAME.console and log/BINARY@KERNEL.stderr.
 */
#ifndef STACKPROOF_RESULTS_H
#define STACKPROOF_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/finding/finding_record.h"
#include "base/gate/gate.h"
#include "error.h"

#define RESULTS_VERSION 1
#define RESULTS_FILE	"results.ndjson"
/* How a kernel's points were made: by stepping the programs there; by playing the host's recordings; or by an emulator that
 * knows the truth by itself, and interrupts the programs. */
#define RESULTS_STEPPED "stepped"
#define RESULTS_PLAYED	"played"
#define RESULTS_WATCHED "watched"

/* ---- results.c, results_read.c ---------------------------------------------------------- */

enum cell_status {
	CELL_PENDING, /* not judged yet; a finished run has none */
	CELL_PASSED,
	CELL_FAILED,  /* judged, with a finding that reason names */
	CELL_SKIPPED, /* could not be tried here; reason begins with a word: no_bpf, no_rustc */
	CELL_ERROR,   /* could not be judged, though it should: a crash, a dead guest */
	CELL_STATUS_COUNT,
};
const char *cell_status_name(enum cell_status status);

/* One binary on one kernel. Strings are the cell's own and never NULL. */
struct cell {
	char *binary; /* path relative to the corpus's manifest, as it has it */
	char *program;
	char *toolchain;
	char *variant;
	char *language;
	char *kernel;
	enum cell_status status;
	bool environment; /* a CELL_ERROR caused by the machine or guest, not by compare */
	char *reason;	  /* "" if passed; if skipped a fixed word, perhaps ": " and more; else a
			   * sentence */
	double seconds;
	json_t *objects; /* array of compare's objects */
	/* What the corpus expects of the binary, NULL: nothing. Older results do not say it: then
	 * expected_known is false. */
	char *expected;
	bool expected_known;
};

/* A lane of the matrix: the host's kernel or a guest's. */
struct results_kernel {
	char name[64];	   /* "host", "5.10" */
	char version[128]; /* uname -r */
	char package[128]; /* Debian's package and its version; "" on the host */
	char how[16]; /* RESULTS_STEPPED, RESULTS_PLAYED, RESULTS_WATCHED; "" in older results */
	char accelerator[16]; /* "native", "kvm", "tcg"; "" if it never ran */
	char outcome[32];     /* "ok", "panic", ... ; "" if it never ran */
	char sentence[256];   /* what went wrong; "" if nothing */
	unsigned boot_ms;
	unsigned total_ms;
	unsigned splats; /* WARNING, BUG, ... lines on the console */
};

struct results {
	json_t *header; /* the header object, without kernels and cells */
	struct results_kernel *kernel;
	size_t kernel_count;
	struct cell *cell; /* kernel by kernel, binaries in the manifest's order */
	size_t cell_count;
	uint64_t not_comparable; /* binaries whose bpf stacks could not be compared with those on
				  * another kernel: other point counts, or no digest */
	uint64_t compared;	 /* pairs of a binary's bpf stacks that were compared */
	double seconds;
	bool strict;	/* skipped cells fail the run */
	bool finished;	/* a summary was written */
	bool unwritten; /* set by run_matrix: the folder can't be made, or written */
	char partial
		[16]; /* why the run was cut short: "interrupted", "killed"; "" if it was whole */
	char partial_message[128];
	size_t missing; /* set by results_read: announced by the header, but no cell in the file */
	size_t bad_lines; /* set by results_read: lines that are not result objects */
	struct error first_bad_line;
	json_t *ignore; /* an array: the use of --ignore's list; NULL: there was none */
	bool torn;	/* set by results_read: the last line was cut off, and is a bad line */
};

/* Fills a cell with copies of the strings; a NULL string becomes "". */
void cell_init(struct cell *cell, const char *binary, const char *program, const char *toolchain,
	       const char *variant, const char *language, const char *kernel);
void cell_deinit(struct cell *cell);
/* True if it passed or failed. */
bool cell_is_judged(const struct cell *cell);
/* Sets status and reason. */
void cell_set(struct cell *cell, enum cell_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Tags object with the cell's names and keeps it. Takes the reference. */
void cell_add_object(struct cell *cell, json_t *object);
/* The first of its objects of a type; engine NULL: of any. NULL: there is none. */
json_t *cell_object(const struct cell *cell, const char *type, const char *engine);
/* Gives its findings one by one; *at is 0 at first. False: there is none more. */
bool cell_finding(const struct cell *cell, size_t *at, struct finding_record *ret);
/* Sets what the corpus expects of the binary, NULL: nothing; keeps a copy. */
void cell_expect(struct cell *cell, const char *expected);
/* Writes the cell's objects, then its result, one per line. -1: not all could be written. */
int cell_write(const struct cell *cell, FILE *file);

void results_init(struct results *results);
void results_deinit(struct results *results);
/* The lane of this name, or NULL. */
const struct results_kernel *results_kernel_find(const struct results *results, const char *name);
/* A lane's name for people: if the name is a path, the version. */
const char *results_kernel_label(const struct results *results, const char *name);
/* Counts cells by status; kernel NULL: all. */
void results_count(const struct results *results, const char *kernel,
		   size_t ret_count[CELL_STATUS_COUNT]);
/* Points of all cells that compare judged. */
uint64_t results_points(const struct results *results);
/* Points that replay played; kernel NULL: on all kernels. */
uint64_t results_points_played(const struct results *results, const char *kernel);
/* The same of points that an emulator made. */
uint64_t results_points_watched(const struct results *results, const char *kernel);
/* The exit status of `run`: enum exit_status. */
int results_exit_status(const struct results *results);
/* The counts that this status is made from. */
void results_gate(const struct results *results, struct gate *ret);

/* FOLDER/SUBFOLDER/NAME.SUFFIX; "/" in name (a kernel may be a path) becomes "_". */
void results_path(char *ret, size_t size, const char *folder, const char *subfolder,
		  const char *name, const char *suffix);
json_t *results_header_json(const struct results *results);
json_t *results_summary_json(const struct results *results);
/* Prints header, cells and summary. -1: not all could be written. */
int results_print(const struct results *results, FILE *file);
/* The same to FOLDER/results.ndjson, which is replaced atomically. */
int results_write(const struct results *results, const char *folder, struct error *error);
/* Reads FOLDER/results.ndjson. Cells without a result become errors: the run was cut short. Lines
 * that can't be read are only counted, in bad_lines. */
int results_read(struct results *ret, const char *folder, struct error *error);
/* The same, where path is a results folder, its file, or the output of `compare --json` or `--each`,
 * whose programs become the binaries of one kernel. */
int results_open(struct results *ret, const char *path, struct error *error);
/* True if path is a folder, or a file that begins as one of these. */
bool results_recognise(const char *path);
/* True if an output would overwrite path, or the results file in it; prints that. path NULL: false. */
bool results_are_written(const char *const *output, size_t outputs, const char *path);
/* Counts a line that could not be read; the first one is kept in first_bad_line. */
void results_bad_line(struct results *results, size_t number, const char *problem);

/* ---- results_join.c --------------------------------------------------------------------- */

#define RESULTS_SIDE_A "A/"
#define RESULTS_SIDE_B "B/"

/* Moves from's cells and kernels to into. Binaries' names then begin with RESULTS_SIDE_A or
 * RESULTS_SIDE_B, and toolchains that both have are FAMILY@A-VERSION and FAMILY@B-VERSION. */
void results_join(struct results *into, struct results *from);
/* Puts side before *name, an allocated string, which is replaced. */
void results_side_name(char **name, const char *side);

/* ---- results_sides.c -------------------------------------------------------------------- */

#define RESULTS_ONLY_SHOWN 20 /* names of binaries; the others are only counted */

/* For joined results: prints the binaries that only one side has judged, and counts them in gate. False: a
 * side has judged none. */
bool results_sides_tell(const struct results *results, struct gate *gate, FILE *file);

/* ---- results_ignore.c ------------------------------------------------------------------- */

struct ignore_list;
/* Marks the findings that the list has, with its reason, and counts them in the verdicts. Kernel faults
 * belong to no function and are never marked. Returns how many findings were marked. */
size_t cell_ignore(struct cell *cell, struct ignore_list *list);
/* Points of marked findings; verdict, kind NULL: of all. */
uint64_t cell_ignored(const struct cell *cell, const char *verdict, const char *kind);
/* The same by the name of a count of the verdicts: "conversion_loss_silent", too. */
uint64_t cell_ignored_of(const struct cell *cell, const char *count);
/* Writes "walk_fault 3, unexplained 1": of the verdicts' counts those of these names that are not 0, less
 * what is ignored in cell (NULL: nothing is). names: ends in NULL. */
void cell_list_faults(const struct cell *cell, const json_t *verdicts, const char *const *names,
		      char *ret, size_t size);
/* Of all cells, as cell_ignored(); *ret_findings: the number of marked findings. */
uint64_t results_ignored(const struct results *results, uint64_t *ret_findings);

/* ---- fault_origin.c --------------------------------------------------------------------- */

/* Whose code has the fault. */
enum fault_origin {
	ORIGIN_COMPILED,    /* compiled from a program's source */
	ORIGIN_HANDWRITTEN, /* assembly of the corpus: wrong on purpose */
	ORIGIN_STARTUP,	    /* start-up objects of the C library and the compiler */
	ORIGIN_LIBRARY,	    /* a shared library of the system */
	ORIGIN_COUNT,
};
const char *fault_origin_name(enum fault_origin origin);
/* True if a finding's image is the cell's own: its binary, a library built with it, or memory that no
 * file backs. */
bool fault_is_own(const struct cell *cell, const char *image);
/* The file name of a finding's image, or "the program" if that is the cell's binary. Borrowed. */
const char *cell_image(const struct cell *cell, const struct finding_record *finding);
/* The origin of a finding's function. */
enum fault_origin fault_origin_of(const struct cell *cell, const struct finding_record *finding);

/* ---- tally.c ---------------------------------------------------------------------------- */

/*
 * Exact points of one engine on one kernel, for variants [0] with and [1] without frame pointers.
 * If compare says which points have a table fault, they are left out: no engine can get them right.
 */
struct tally_share {
	uint64_t points[2];
	uint64_t exact[2];
	uint64_t frames[2];	  /* the truth's leading frames in the program's own file */
	uint64_t frames_right[2]; /* of those, the frames before the engine's first wrong one */
};

/* A finding of one kind in one function, over all cells. */
struct tally_fault {
	char *function;
	char *image; /* its file's name, or "the program" */
	uint64_t points;
	size_t cells;
	const struct cell *last; /* the cell counted last, so that no cell counts twice */
	char *toolchains;	 /* "clang-14.0.6 gcc-12.2.0" */
	char *kernels;		 /* "host 5.10" */
	unsigned int origin;	 /* enum fault_origin */
};

/* Skipped cells that share kernel and reason. */
struct tally_skip {
	const char *kernel; /* borrowed */
	const char *reason; /* borrowed */
	size_t cells;
};

/* Findings that are ignored for one reason. */
struct tally_ignored {
	const char *reason; /* borrowed */
	uint64_t findings, points;
};

struct tally {
	const char **engine; /* borrowed, in order of appearance */
	size_t engine_count;
	struct tally_share *share; /* [engine * kernel_count + kernel] */
	struct tally_fault *fault; /* table faults, most points first */
	size_t fault_count;
	struct tally_skip *skip;
	size_t skip_count;
	struct tally_ignored *ignored;
	size_t ignored_count;
	uint64_t uncovered; /* points where a frame has no CFI */
	uint64_t untrapped; /* points where bpf could not be asked, because there was no trap */
};

/* Borrows from results, which must outlive it. */
void tally_init(struct tally *tally, const struct results *results);
void tally_deinit(struct tally *tally);
/* True if a variant's code may lack frame pointers: for all variants whose name does not end in "-fp". */
bool variant_omits_frame_pointer(const char *variant);
/* The fault's origin for people: "hand-written or generated". */
const char *tally_fault_whose(const struct tally_fault *fault);
/* "99.97 %": never rounded up, so that 100 % means all; "-" if there were no points. */
void share_print(char *text, size_t size, uint64_t exact, uint64_t points);

/* ---- the reports ------------------------------------------------------------------------ */

void terminal_print(const struct results *results, const char *folder, bool colour, FILE *file);
void tap_print(const struct results *results, FILE *file);
void ranking_print(const struct results *results, FILE *file);
/* The ranking as a part of a page. */
void ranking_html_print(const struct results *results, FILE *file);
void matrix_html_print(const struct results *results, FILE *file);
/* folder: where the consoles of dead guests are; NULL: none. */
int junit_print(const struct results *results, const char *folder, FILE *file, struct error *error);

#endif
