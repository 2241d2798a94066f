/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results.h - a results folder in memory, and the reports made from it
 *
 *	results.c	cells, counts, and writing results.ndjson
 *	results_read.c	reading it back
 *	results_compare.c	cells of what `compare --json` printed
 *	results_join.c	two runs as one, side by side
 *	results_sides.c	what each of them has judged
 *	results_ignore.c	findings that are in the list of --ignore
 *	fault_origin.c	whose code a finding is about
 *	tally.c		figures over many cells: shares per engine, table faults, skips
 *	terminal.c	the table that a person reads
 *	results_cases.c	a results folder as cases (cases/cases.h)
 *	tap.c		TAP 14
 *	junit.c		JUnit XML
 *	ranking.c	which engine did best, on which kernel, at what cost
 *	matrix_html.c	a page (html.c)
 *
 * The matrix is binaries x kernels; a *cell* is one binary on one kernel and has exactly one
 * outcome. What `compare` printed for it (score, verdicts, finding, skip) is kept as it is, in
 * JSON, tagged with binary, toolchain, variant, language and kernel, so that new fields need no
 * change.
 *
 * results.ndjson, one object per line:
 *	header		version, host, compilers, engines, kernels[], cells (how many there are)
 *	per cell	what compare printed, then {"type":"result",...}
 *	summary		counts and exit status; absent if the run was killed
 * beside it: kernels/NAME.console, log/BINARY@KERNEL.stderr.
 */
#ifndef STACKPROOF_RESULTS_H
#define STACKPROOF_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/gate/gate.h"
#include "error.h"

#define RESULTS_VERSION 1
#define RESULTS_FILE	"results.ndjson"
/* How a kernel's points were had: each in a program that was stepped there, or as the host
 * recorded them. */
#define RESULTS_STEPPED "stepped"
#define RESULTS_PLAYED	"played"

/* ---- results.c, results_read.c ---------------------------------------------------------- */

enum cell_status {
	CELL_PENDING, /* not judged; in a finished run there is none */
	CELL_PASSED,
	CELL_FAILED,  /* a fault that is ours or the kernel's */
	CELL_SKIPPED, /* could not be tried here; reason is a typed word: no_bpf, no_rustc */
	CELL_ERROR,   /* should have been judged and could not be: a crash, a dead guest */
	CELL_STATUS_COUNT,
};
const char *cell_status_name(enum cell_status status);

/* One binary on one kernel. Strings are the cell's own and never NULL. */
struct cell {
	char *binary; /* as in the corpus's manifest, relative to it */
	char *program;
	char *toolchain;
	char *variant;
	char *language;
	char *kernel;
	enum cell_status status;
	bool environment; /* CELL_ERROR that is the machine's or guest's doing, not compare's */
	char *reason;	  /* "" if passed; if skipped a typed word, perhaps ": " and more; else a
			   * sentence */
	double seconds;
	json_t *objects; /* array */
	/* What the corpus expected of it, NULL: nothing; whether that is known: older results do
	 * not say. */
	char *expected;
	bool expected_known;
};

/* A lane of the matrix: the host's kernel or a guest's. */
struct results_kernel {
	char name[64];	      /* "host", "5.10" */
	char version[128];    /* uname -r */
	char package[128];    /* Debian's package and its version; "" on the host */
	char how[16];	      /* RESULTS_STEPPED, RESULTS_PLAYED; "" if an older run did not say */
	char accelerator[16]; /* "native", "kvm", "tcg"; "" if it never ran */
	char outcome[32];     /* "ok", "panic", ... ; "" if it never ran */
	char sentence[256];   /* what went wrong; "" if nothing */
	unsigned boot_ms;
	unsigned total_ms;
	unsigned splats; /* WARNING, BUG, ... lines on the console */
};

struct results {
	json_t *header; /* provenance, without kernels and cells */
	struct results_kernel *kernel;
	size_t kernel_count;
	struct cell *cell; /* kernel by kernel, binaries in the manifest's order */
	size_t cell_count;
	uint64_t not_comparable; /* binaries whose bpf stacks could not be held against another
				  * kernel's: other point counts, or no digest */
	uint64_t compared;	 /* pairs that were */
	double seconds;
	bool strict;	/* what was skipped fails */
	bool finished;	/* a summary was written */
	bool unwritten; /* only by run_matrix: the folder can't be had, or written */
	char partial
		[16]; /* why the run was cut short: "interrupted", "killed"; "" if it was whole */
	char partial_message[128];
	size_t missing;	  /* only by results_read: cells that the header announces and nothing names
			   */
	size_t bad_lines; /* only by results_read: lines that are no result objects */
	struct error first_bad_line;
	json_t *ignore; /* what the list of --ignore was worth, an array; NULL: there was none */
	bool torn;	/* only by results_read: the last line was cut off, and is a bad one */
};

/* Fills a cell with copies; NULL strings become "". */
void cell_init(struct cell *cell, const char *binary, const char *program, const char *toolchain,
	       const char *variant, const char *language, const char *kernel);
void cell_deinit(struct cell *cell);
/* Sets status and reason, replacing what was there. */
void cell_set(struct cell *cell, enum cell_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Tags object with what the cell is and keeps it. Takes the reference. */
void cell_add_object(struct cell *cell, json_t *object);
/* What the corpus expects of the binary, NULL: nothing; a copy is kept. */
void cell_expect(struct cell *cell, const char *expected);
/* The cell's objects, then its result, one per line. */
int cell_write(const struct cell *cell, FILE *file);

void results_init(struct results *results);
void results_deinit(struct results *results);
/* The lane by name, or NULL. */
const struct results_kernel *results_kernel_find(const struct results *results, const char *name);
/* A lane's name for people: the version where the name is a path. */
const char *results_kernel_label(const struct results *results, const char *name);
/* Counts cells by status; kernel NULL: all. */
void results_count(const struct results *results, const char *kernel,
		   size_t ret_count[CELL_STATUS_COUNT]);
/* Points that compare gave, over all cells. */
uint64_t results_points(const struct results *results);
/* Points that replay gave; kernel NULL: on all. */
uint64_t results_points_played(const struct results *results, const char *kernel);
/* What `run` exits with: enum exit_status. */
int results_exit_status(const struct results *results);
/* What that status is made of: cells. */
void results_gate(const struct results *results, struct gate *ret);

/* FOLDER/SUBFOLDER/NAME.SUFFIX; "/" in name (a kernel may be a path) becomes "_". */
void results_path(char *ret, size_t size, const char *folder, const char *subfolder,
		  const char *name, const char *suffix);
json_t *results_header_json(const struct results *results);
json_t *results_summary_json(const struct results *results);
/* Header, cells and summary to file. */
int results_print(const struct results *results, FILE *file);
/* The same to FOLDER/results.ndjson, replacing it in one step. */
int results_write(const struct results *results, const char *folder, struct error *error);
/* Reads FOLDER/results.ndjson. Cells without a result become errors: the run was cut short. Lines
 * that can't be read are counted in bad_lines and cost nothing else. */
int results_read(struct results *ret, const char *folder, struct error *error);
/* The same of whatever path is: a results folder, its file alone, or what `compare --json` or
 * `--each` printed, whose programs become the binaries of one kernel. */
int results_open(struct results *ret, const char *path, struct error *error);
/* Whether path is one of these, by its beginning; a folder of whatever kind is. */
bool results_recognise(const char *path);
/* Whether one of the outputs is path, or the file of the folder that it is: that is said then. NULL: no. */
bool results_are_written(const char *const *output, size_t outputs, const char *path);
/* Counts a line that could not be read; the first is kept. */
void results_bad_line(struct results *results, size_t number, const char *problem);

/* ---- results_join.c --------------------------------------------------------------------- */

#define RESULTS_SIDE_A "A/"
#define RESULTS_SIDE_B "B/"

/* Takes from's cells and kernels: binaries are RESULTS_SIDE_A and RESULTS_SIDE_B with their names
 * from then on, and toolchains that both have FAMILY@A-VERSION and FAMILY@B-VERSION. */
void results_join(struct results *into, struct results *from);
/* The same for a name that is in a manifest; allocated, replaced. */
void results_side_name(char **name, const char *side);

/* ---- results_sides.c -------------------------------------------------------------------- */

#define RESULTS_ONLY_SHOWN 20 /* binaries that one side only has, by name */

/* Of joined ones: names, in file, the binaries that one side only has judged, and counts them in gate. False:
 * nothing of some side was judged. */
bool results_sides_tell(const struct results *results, struct gate *gate, FILE *file);

/* ---- results_ignore.c ------------------------------------------------------------------- */

struct ignore_list;
/* Marks the findings that the list has, with its reason, and counts them in the verdicts. How many
 * it marked. A kernel fault is no function's, and stays what it is. */
size_t cell_ignore(struct cell *cell, struct ignore_list *list);
/* Points of findings that are marked; verdict NULL: of all. */
uint64_t cell_ignored(const struct cell *cell, const char *verdict);
/* The same of all cells; *ret_findings: how many. */
uint64_t results_ignored(const struct results *results, uint64_t *ret_findings);

/* ---- fault_origin.c --------------------------------------------------------------------- */

/* Whose code it is that has the fault. */
enum fault_origin {
	ORIGIN_COMPILED,    /* what the toolchain made of a program's source */
	ORIGIN_HANDWRITTEN, /* assembly of the corpus: wrong on purpose */
	ORIGIN_STARTUP,	    /* start-up objects of the C library and the compiler */
	ORIGIN_LIBRARY,	    /* a shared library of the system */
	ORIGIN_COUNT,
};
const char *fault_origin_name(enum fault_origin origin);
/* Whether an image, as a finding has it, is the cell's own: its file, a library built with it,
 * or memory that is no file's. */
bool fault_is_own(const struct cell *cell, const char *image);
/* Whose the function of a finding is. */
enum fault_origin fault_origin_of(const struct cell *cell, const json_t *finding);

/* ---- tally.c ---------------------------------------------------------------------------- */

/*
 * Exact points of one engine on one kernel, apart for variants with and without frame pointers.
 * Only points without a table fault, if compare says which: the others are nobody's to get right.
 */
struct tally_share {
	uint64_t points[2]; /* [0] with, [1] without frame pointers */
	uint64_t exact[2];
	uint64_t frames[2];	  /* of the truth, in the program itself */
	uint64_t frames_right[2]; /* leading ones that the engine has */
};

/* A finding of one kind in one function, over all cells. */
struct tally_fault {
	char *function;
	char *image; /* its file's name, or "the program" */
	uint64_t points;
	size_t cells;
	const struct cell *last; /* that was counted: one cell may have several findings */
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
	uint64_t uncovered; /* points with a frame that has no CFI */
	uint64_t untrapped; /* points at which bpf could not be asked: no trap */
};

/* Borrows from results, which must outlive it. */
void tally_init(struct tally *tally, const struct results *results);
void tally_deinit(struct tally *tally);
/* Whether code of a variant may lack frame pointers: all but "O2-fp" and the like; assembly too. */
bool variant_omits_frame_pointer(const char *variant);
/* Whose code has the fault, for people: "hand-written or generated". */
const char *tally_fault_whose(const struct tally_fault *fault);
/* "99.97 %": cut, never rounded up, so that 100 % means all; "-" if there were no points. */
void share_print(char *text, size_t size, uint64_t exact, uint64_t points);

/* ---- the reports ------------------------------------------------------------------------ */

void terminal_print(const struct results *results, const char *folder, bool colour, FILE *file);
void tap_print(const struct results *results, FILE *file);
void ranking_print(const struct results *results, FILE *file);
/* The same as a part of a page. */
void ranking_html_print(const struct results *results, FILE *file);
void matrix_html_print(const struct results *results, FILE *file);
/* folder: where the consoles of dead guests are; NULL: none. */
int junit_print(const struct results *results, const char *folder, FILE *file, struct error *error);

#endif
