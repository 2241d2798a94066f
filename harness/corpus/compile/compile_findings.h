/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_findings.h - what lint found in what a compiler wrote, as its warnings
 */
#ifndef STACKPROOF_COMPILE_FINDINGS_H
#define STACKPROOF_COMPILE_FINDINGS_H

#include "reports/findings/findings.h"
#include "base/ignore/ignore.h"

enum compile_owner {
	COMPILE_OWN,
	COMPILE_OTHERS,	  /* not this build's */
	COMPILE_ANYBODYS, /* it can't be told */
};

struct compile_findings {
	const char *baseline_path, *ignore_path; /* options; NULL: none */
	struct baseline *baseline;
	struct ignore_list ignore;
	json_t *pending; /* of the image that is read */
	json_t *image;	 /* each that was read, with its "pending" */
	json_t *lines;	 /* the same findings of one with debug info, or NULL */
	enum compile_owner (*owner)(const void *context, const json_t *finding); /* or NULL */
	const void *context;
	uint64_t told;
	uint64_t anybodys;	 /* not told */
	uint64_t image_anybodys; /* of the image that is read */
	uint64_t bare;		 /* of a file without CFI, of the image that is read */
	bool on_purpose;	 /* a file without CFI was asked for */
	bool colour;
};

/* Reads both files. -1: one of them can't be; the exit status is EXIT_BAD_INPUT. */
int compile_findings_open(struct compile_findings *findings, struct error *error);
/* A "lint_finding" of the image that is read. */
void compile_findings_add(struct compile_findings *findings, json_t *object);
/* The image's last word. */
void compile_findings_keep(struct compile_findings *findings, json_t *image);
/* Tells on standard error what is new of its findings. */
void compile_findings_tell(struct compile_findings *findings, json_t *image);
void compile_findings_close(struct compile_findings *findings);

#endif
