/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_findings.h - lint's findings in a compiler's output, as the compiler's warnings
 */
#ifndef STACKPROOF_COMPILE_FINDINGS_H
#define STACKPROOF_COMPILE_FINDINGS_H

#include "reports/findings/findings.h"
#include "base/ignore/ignore.h"

enum compile_owner {
	COMPILE_OWN,
	COMPILE_OTHERS,	  /* not this build's code */
	COMPILE_ANYBODYS, /* not known whose code */
};

struct compile_findings {
	const char *baseline_path, *ignore_path; /* options; NULL: none */
	struct baseline *baseline;
	struct ignore_list ignore;
	json_t *pending; /* findings of the current image */
	json_t *image;	 /* the images so far, each with its findings as "pending" */
	json_t *lines;	 /* findings of the same image with debug info, or NULL */
	enum compile_owner (*owner)(const void *context,
				    const struct finding_record *finding); /* or NULL */
	const void *context;
	uint64_t told;		 /* findings that count as warnings */
	uint64_t anybodys;	 /* findings of COMPILE_ANYBODYS, only counted */
	uint64_t image_anybodys; /* the same, of the current image */
	uint64_t bare;		 /* told findings of the current image that it has no CFI */
	bool on_purpose;	 /* the options ask for a file without CFI */
	bool colour;
};

/* Reads both files. -1: one can't be read; the exit status is EXIT_BAD_INPUT. */
int compile_findings_open(struct compile_findings *findings, struct error *error);
/* Adds a "lint_finding" of the current image. */
void compile_findings_add(struct compile_findings *findings, json_t *object);
/* Ends the current image by its "lint" object, which gets the findings as "pending". */
void compile_findings_keep(struct compile_findings *findings, json_t *image);
/* Prints an image's new findings on standard error. */
void compile_findings_tell(struct compile_findings *findings, json_t *image);
void compile_findings_close(struct compile_findings *findings);

#endif
