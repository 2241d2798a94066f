/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * gate.h - what a command checked, what it did not and why, and what its exit status says of both
 *
 * A CI job is a gate: it lets through what ends with status 0. So 0 must mean that something was
 * checked and that nothing was found. Every command counts here what it has checked, and by reason
 * what it has not; gate_status() is the one place where an exit status is decided:
 *
 *	1   a finding; less covered code than --coverage wants; with --strict, something was skipped
 *	99  the environment failed: what was to be checked could not be
 *	3   an input that was named is unreadable or malformed; with --strict, any input is;
 *	    or nothing was checked and that is why
 *	77  nothing was checked
 *	0   something was checked, and nothing was found
 *
 * The first that applies is it: a finding stays one whatever else went wrong.
 *
 *	gate.c		counters, the status, the line that people read, the object that programs read
 *	gate_options.c	--strict and --coverage
 *	gate_image.c	what was lost of an image, and of a list of them; how much of its code has CFI
 *
 * A new reason is a line of enum gate_reason and one of the table in gate.c.
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
	GATE_UNREADABLE,    /* the system refuses to read it */
	GATE_NOT_ELF,	    /* named, and no ELF file */
	GATE_DAMAGED,	    /* an ELF file that is cut off or contradicts itself */
	GATE_OTHER_MACHINE, /* an ELF file that is not for x86-64: none of our business */
	GATE_EMPTY,	    /* a directory or an archive that was named, and has none of them */
	GATE_THIN,	    /* an archive below a directory whose members are files elsewhere */
	GATE_LTO,	    /* of which code is made when it is linked */
	GATE_NESTED,	    /* an archive's member that is an archive */
	GATE_FAILED,	    /* its process died or took too long: that fails by itself */
	GATE_RELOCATIONS,   /* an object file whose CFI has some that can't be resolved */
	GATE_NO_CFI,	    /* nothing to check */
	GATE_UNCHECKED,	    /* an object file: no row of it is in a table */
	GATE_COVERAGE,	    /* less of its code has CFI than --coverage wants */
	/* what is in them */
	GATE_LOST_FDES,	    /* entries of the CFI that could not be read */
	GATE_OUTSIDE_FDES,  /* FDEs of code in no executable segment: nothing is wrong with them */
	GATE_MALFORMED,	    /* rows that would be behind an instruction that can't be decoded */
	GATE_OUTSIDE,	    /* rows in no executable segment: no table has them */
	GATE_UNPROVEN_FDES, /* of lint: whose code could not be followed */
	GATE_BASELINE_ONLY, /* of lint: images that a baseline has, and that were not asked for */
	GATE_NO_TABLE_ROW,  /* of lint --table: instructions that the table says nothing of */
	GATE_OTHER_BUILD,   /* images of which a run had another build */
	GATE_NOT_LOADED,    /* ... that a run did not have at all */
	GATE_UNSYNTHESIZED, /* of synthesize: functions without CFI that get no row */
	GATE_NO_FDE,	    /* addresses and functions that were asked for and have no FDE */
	/* everything else that a command is asked to do */
	GATE_ENGINES,	       /* of a program's comparison */
	GATE_IGNORED,	       /* points whose findings are in compare's --ignore */
	GATE_IGNORED_FINDINGS, /* of lint, in its --ignore */
	GATE_UNPROVEN,	       /* points where the truth could not prove itself */
	GATE_LOST_POINTS,      /* points that could not be read */
	GATE_UNTRACED,	       /* threads that no tracer can follow */
	GATE_REQUIREMENTS,     /* of compare's --require, that can't be judged */
	GATE_NO_TOOL,	       /* checks that another program makes, which can't be run, or died */
	GATE_SKIPPED,	   /* binaries, snapshots, recordings, figures: the command says which */
	GATE_CUT_SHORT,	   /* binaries and figures that failed to be judged */
	GATE_NO_HELPER,	   /* built-in BPF programs that are not used on this kernel */
	GATE_OPTIONAL,	   /* BPF programs that are refused, and may be: --optional */
	GATE_ONLY_BEFORE,  /* cells that are in the first of two results only */
	GATE_ONLY_AFTER,   /* ... in the second only */
	GATE_FEWER_POINTS, /* ... whose second run is the smaller by far */
	GATE_SAMPLES_UNPROVEN, /* of a profile, that the truth or names can't decide */
	GATE_SAMPLES_LEFT,     /* of a profile, that are not the program's, or the kernel's only */
	GATE_SAMPLES_UNREAD,   /* of a profile, malformed */
	GATE_TRUTHS_UNPROVEN,  /* for the most part */
	GATE_REASON_COUNT,
};

/* Zero-initialise, and set unit. */
struct gate {
	const char *unit; /* what checked counts: "rows", "points", ... */
	bool strict;	  /* --strict */
	double coverage;  /* --coverage, in percent; 0: none is wanted */
	bool covers_fdes; /* of lint: of FDEs that are proven; else of code that has CFI */

	uint64_t checked;
	uint64_t findings;
	uint64_t left[GATE_REASON_COUNT];   /* what was not checked */
	uint64_t code_bytes, covered_bytes; /* of all images; the latter have CFI */
	bool bad_input;			    /* one that was named */
	bool environment;		    /* something failed that is not the input's fault */
};

/* ---- gate.c ----------------------------------------------------------------------------- */

/* "damaged": the reason in JSON. */
const char *gate_reason_name(enum gate_reason reason);
/* So many more were checked, or were not. */
void gate_check(struct gate *gate, uint64_t count);
void gate_leave(struct gate *gate, enum gate_reason reason, uint64_t count);
/* An image or another file that could not be used at all. named: by the user, not found in a
 * folder. */
void gate_leave_image(struct gate *gate, const struct error *error, bool named);
/* The same by the error's name in JSON (error_code_name()): another process met it. */
void gate_leave_image_named(struct gate *gate, const char *code, bool named);
/* An image that can be read, and whose check did not come to its end. code: the error's; "": its process died or took
 * too long, which is a failure of its own; else it is the environment's. */
void gate_leave_failed(struct gate *gate, const char *code);
/* A part that has an exit status of its own: one of several programs or recordings. */
void gate_add_status(struct gate *gate, enum exit_status status);
/* The command's. */
enum exit_status gate_status(const struct gate *gate);
/* One line: what was checked, what was not by reason, and why the status is not 0 where no
 * finding is. */
void gate_print(const struct gate *gate, FILE *file);
/* Something was checked, and nothing was not: the line would say nothing new. */
bool gate_is_clean(const struct gate *gate);
/* The same for programs, into the command's last object: "checked", "checked_unit",
 * "not_checked" (reason: count) and "exit_status". */
void gate_json(const struct gate *gate, json_t *object);

/* ---- gate_options.c --------------------------------------------------------------------- */

/* argp children: their input is the command's struct gate, which its parser sets as
 * child_inputs[0] at ARGP_KEY_INIT. gate_argp has --strict, gate_image_argp also --coverage. */
extern const struct argp gate_argp, gate_image_argp;

/* ---- gate_image.c ----------------------------------------------------------------------- */

/* What a list of images has no images of. */
void gate_leave_list(struct gate *gate, const struct image_list *list);
/* That it can't be used for this reason is bad input. Who names an archive does not name its members of other
 * machines: they are as those in a folder. */
bool gate_is_named(const struct image_path *path, const char *code);
/* What an image holds that the checks of its rows do not see. */
struct gate_image {
	uint64_t unread_fdes;  /* entries, and sections, that the reader passed over */
	uint64_t outside_fdes; /* of code in no executable segment: no table has them */
	uint64_t code_bytes; /* of its executable sections; of segments, if there are no sections */
	uint64_t covered_bytes; /* those of them that FDEs cover */
};

/* file: the path of the image's bytes (an archive's member has its copy's). cfi: the image's, or
 * NULL: there is none. */
void gate_image_read(const struct image *image, const char *file, const struct cfi *cfi,
		     struct gate_image *ret);
/* As JSON: "lost_fdes", "lost_fdes_by_reason" ("unread", "outside"), "executable_bytes",
 * "covered_bytes". */
void gate_image_json(const struct gate_image *image, json_t *object);
/* Whether so much of whole is less than --coverage wants, which is counted. */
bool gate_is_below(struct gate *gate, uint64_t part, uint64_t whole);
/* Adds such an object to the gate, and "malformed_rows" where it has them. What is malformed in
 * an image that was named is bad input. */
void gate_add_image(struct gate *gate, const json_t *object, bool named);

#endif
