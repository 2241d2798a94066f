/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * gate.h - what a command checked, what it did not check and why, and the exit status that follows
 *
 * A CI job lets through what ends with status 0. So 0 must mean that something was checked and that nothing was
 * found. Every command counts here what it has checked, and by reason what it has not checked. gate_status() alone
 * decides the exit status. It is the first line that applies:
 *
 *	1   a finding; less covered code than --coverage wants; with --strict, something was skipped
 *	99  the environment failed, and so something could not be checked
 *	3   an input that was named is unreadable or malformed; with --strict, any input is;
 *	    or nothing was checked for that reason
 *	77  nothing was checked
 *	0   something was checked, and nothing was found
 *
 *	gate.c		counters, the status, the line that people read, the object that programs read
 *	gate_options.c	--strict and --coverage
 *	gate_image.c	what could not be read of an image or of a list of images; how much of its code has CFI
 *
 * To add a reason, add a line to enum gate_reason and one to the table in gate.c.
 */
#ifndef STACKPROOF_GATE_H
#define STACKPROOF_GATE_H

#include <argp.h>
#include <jansson.h>
#include "base/cli/exit_status.h"
#include "cfi/cfi.h"

struct image_list;
struct image_path;

enum gate_reason {
	/* images */
	GATE_UNREADABLE,    /* the system refuses to read the file */
	GATE_NOT_ELF,	    /* a named file that is no ELF file */
	GATE_DAMAGED,	    /* an ELF file that is cut off or contradicts itself */
	GATE_OTHER_MACHINE, /* an ELF file that is not for x86-64 */
	GATE_EMPTY,	    /* a named directory or archive without an ELF file */
	GATE_THIN,	    /* an archive whose members are files elsewhere */
	GATE_LTO,	    /* an object whose code is generated at link time */
	GATE_NESTED,	    /* an archive's member that is an archive */
	GATE_FAILED,	    /* its process died or timed out, which is a finding */
	GATE_RELOCATIONS,   /* an object file whose CFI has relocations that can't be resolved */
	GATE_NO_CFI,	    /* an image without CFI */
	GATE_UNCHECKED,	    /* an image whose rows can't be checked: an object file, say */
	GATE_COVERAGE,	    /* less of its code has CFI than --coverage wants */
	/* parts of images */
	GATE_LOST_FDES,	   /* entries of the CFI that could not be read */
	GATE_OUTSIDE_FDES, /* FDEs outside of executable segments: no finding, but --strict fails */
	GATE_MALFORMED,	   /* rows after a call frame instruction that can't be decoded */
	GATE_OUTSIDE,	   /* rows in no executable segment: no table has them */
	GATE_UNPROVEN_FDES,  /* lint: FDEs whose code could not be followed */
	GATE_BASELINE_ONLY,  /* lint: images that only the baseline has */
	GATE_NO_SFRAME,	     /* prove --sframe: images without SFrame */
	GATE_NO_TABLE_ROW,   /* lint --table: instructions for which the table has no row */
	GATE_OTHER_BUILD,    /* images of which a run loaded another build */
	GATE_UNPROVEN_BUILD, /* ... of which nothing says that a run had this build */
	GATE_NOT_LOADED,     /* ... that a run did not load */
	GATE_UNJUDGED_ROWS,  /* executed: rows that ran, and aren't found by rsp and rbp alone */
	GATE_DOUBTED_ROWS,   /* executed: rows that ran only while the truth was in doubt */
	GATE_PARTIAL_RUN,    /* executed: the run was cut short */
	GATE_UNSYNTHESIZED,  /* synthesize: functions without CFI that get no row */
	GATE_NO_FDE,	     /* files without an FDE for the address or function asked for */
	/* everything else that a command checks */
	GATE_ENGINES,	       /* engines that could not be asked */
	GATE_IGNORED,	       /* points whose findings are in compare's --ignore */
	GATE_IGNORED_FINDINGS, /* findings in lint's --ignore */
	GATE_UNPROVEN,	       /* points where the truth could not prove itself */
	GATE_LOST_POINTS,      /* points that could not be read */
	GATE_ABSENT_POINTS,    /* of a driven profiler */
	GATE_UNTRACED,	       /* threads that no tracer can follow */
	GATE_PROCESSES,	       /* processes that were not stepped, though they were to be */
	GATE_HIDDEN,	       /* ... that no tracer can follow */
	GATE_IDLE,	       /* ... that did nothing while it was looked */
	GATE_TRACERS,	       /* ... that could not do what they do without us */
	GATE_REQUIREMENTS,     /* requirements of compare's --require that can't be judged */
	GATE_NO_TOOL,	       /* checks by another program, which can't be run, or died */
	GATE_REFUSED,	       /* prove: files that libdw refuses */
	GATE_SKIPPED,	   /* binaries, snapshots, recordings or figures: the command says which */
	GATE_CUT_SHORT,	   /* binaries and figures that could not be judged */
	GATE_NO_HELPER,	   /* built-in BPF programs that need a newer kernel */
	GATE_OPTIONAL,	   /* BPF programs of --optional that the kernel refuses */
	GATE_ONLY_BEFORE,  /* cells that only the first of two results has */
	GATE_ONLY_AFTER,   /* ... that only the second has */
	GATE_FEWER_POINTS, /* ... whose second run has fewer than half of the points */
	GATE_SAMPLES_UNPROVEN, /* samples that neither the truth nor names can decide */
	GATE_SAMPLES_LEFT,     /* samples of other programs, or of the kernel alone */
	GATE_SAMPLES_UNREAD,   /* malformed samples */
	GATE_NAMES,	       /* score --names: frames whose names could not be checked */
	GATE_TRUTHS_UNPROVEN,  /* truths that are unproven for the most part */
	GATE_LOST_TICKS,       /* profile: without a stack */
	GATE_REASON_COUNT,
};

/* Zero-initialise, and set unit. */
struct gate {
	const char *unit; /* what checked counts: "rows", "points", ... */
	bool strict;	  /* --strict */
	double coverage;  /* --coverage, 0 to 100 percent; 0: not asked for */
	bool covers_fdes; /* lint: --coverage is of proven FDEs; else of code that has CFI */

	uint64_t checked;
	uint64_t findings;
	uint64_t left[GATE_REASON_COUNT];   /* what was not checked, by reason */
	uint64_t code_bytes, covered_bytes; /* of all images: code, and code with CFI */
	bool bad_input;			    /* a named input is unreadable or malformed */
	bool environment;		    /* something failed that is not the input's fault */
};

/* ---- gate.c ----------------------------------------------------------------------------- */

/* "damaged": the reason in JSON. */
const char *gate_reason_name(enum gate_reason reason);
/* Adds count to what was checked, or to what was not. */
void gate_check(struct gate *gate, uint64_t count);
void gate_leave(struct gate *gate, enum gate_reason reason, uint64_t count);
/* Counts an image or another file that could not be used at all. named: the command line names it; false: it
 * was found in a folder. */
void gate_leave_image(struct gate *gate, const struct error *error, bool named);
/* The same for an error that another process met. code: its name in JSON (error_code_name()). */
void gate_leave_image_named(struct gate *gate, const char *code, bool named);
/* Counts an image that can be read, but whose check did not finish. code: the name of the error, which is
 * the environment's; "": the image's process died or timed out, which is a finding. */
void gate_leave_failed(struct gate *gate, const char *code);
/* Counts a part that has an exit status of its own: one of several programs or recordings. */
void gate_add_status(struct gate *gate, enum exit_status status);
/* The command's exit status. */
enum exit_status gate_status(const struct gate *gate);
/* Prints one line: what was checked, what was not and why, and why the status is not 0 although nothing was
 * found. */
void gate_print(const struct gate *gate, FILE *file);
/* True if something was checked and nothing was left unchecked: the line would say nothing new. */
bool gate_is_clean(const struct gate *gate);
/* Adds the same to the command's last JSON object: "checked", "checked_unit", "not_checked" (reason: count)
 * and "exit_status". */
void gate_json(const struct gate *gate, json_t *object);

/* ---- gate_options.c --------------------------------------------------------------------- */

/* argp children. Their input is the command's struct gate, which its parser stores in child_inputs[0] at
 * ARGP_KEY_INIT. gate_argp has --strict; gate_image_argp has --coverage, too. */
extern const struct argp gate_argp, gate_image_argp;

/* ---- gate_image.c ----------------------------------------------------------------------- */

/* Counts what the list has found that is no image: unreadable files, empty folders, other archives. */
void gate_leave_list(struct gate *gate, const struct image_list *list);
/* True if this error, by its name, makes the image bad input: the command line names it. An archive's
 * members for other machines do not count as named. */
bool gate_is_named(const struct image_path *path, const char *code);
/* What the checks of an image's rows do not see. */
struct gate_image {
	uint64_t unread_fdes;	/* CFI entries and sections that the reader could not read */
	uint64_t outside_fdes;	/* of code in no executable segment: no table has them */
	uint64_t code_bytes;	/* in executable sections; in segments, if there are no sections */
	uint64_t covered_bytes; /* those that FDEs cover */
};

/* file: the path of the image's bytes; for an archive's member, of its copy. cfi: the image's, or NULL if it
 * has none. */
void gate_image_read(const struct image *image, const char *file, const struct cfi *cfi,
		     struct gate_image *ret);
/* Adds to object: "lost_fdes", "lost_fdes_by_reason" ("unread", "outside"), "executable_bytes", "covered_bytes". */
void gate_image_json(const struct gate_image *image, json_t *object);
/* True if part is a smaller share of whole than --coverage wants. That is counted. */
bool gate_is_below(struct gate *gate, uint64_t part, uint64_t whole);
/* Adds an object of gate_image_json() to the gate, and its "malformed_rows" if it has them. In a named
 * image, unread FDEs and malformed rows are bad input. */
void gate_add_image(struct gate *gate, const json_t *object, bool named);

#endif
