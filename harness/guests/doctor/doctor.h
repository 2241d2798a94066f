/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doctor.h - what this machine can do, which commands need it, and what adds what is missing
 *
 *	doctor.c	the list of abilities; packages and commands that add the missing ones
 *	doctor_kernel.c	what the kernel permits: BPF, perf events, stepping, KVM
 *	doctor_cache.c	kernels and emulators that were fetched
 *
 * Each ability is tried, not looked up: a program is loaded, an event opened, a child stepped. To add one, add a line to the
 * table in doctor.c.
 */
#ifndef STACKPROOF_DOCTOR_H
#define STACKPROOF_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"

#define DOCTOR_TEXT_BYTES 512

enum doctor_answer {
	DOCTOR_THERE,
	DOCTOR_SLOW,	/* it works without, but slower */
	DOCTOR_MISSING, /* what needs it is skipped */
};

/* What an ability's trial found. text: what is there ("bpf_loop"), or why not. */
struct doctor_found {
	enum doctor_answer answer;
	char text[DOCTOR_TEXT_BYTES];
};

struct ability {
	const char *name;     /* "bpf" */
	const char *purpose;  /* "the walk in the kernel" */
	const char *commands; /* that need it, separated by blanks */
	const char *skip;     /* the reason of what is skipped without it: "no_bpf" */
	void (*ask)(const struct ability *ability, struct doctor_found *ret);
	const char *program; /* of doctor_ask_program(): it is found in PATH */
	const char *package; /* Debian's that adds it; NULL: none does */
	const char *command; /* that adds it; NULL: none does */
};

/* ---- doctor.c --------------------------------------------------------------------------- */

/* Ability i, in the order in which they are shown. NULL: there are no more. */
const struct ability *doctor_ability(size_t i);
/* "there", "slow", "missing". */
const char *doctor_answer_name(enum doctor_answer answer);
/* Its program is in PATH. */
void doctor_ask_program(const struct ability *ability, struct doctor_found *ret);
/* The commands that add what found, by ability, lacks: one a line, all packages in one. "": nothing is to be added. To be
 * freed. NULL: ERROR_MEMORY. */
char *doctor_remedy(const struct doctor_found *found, struct error *error);

/* ---- doctor_kernel.c, doctor_cache.c ------------------------------------------------------ */

void doctor_ask_bpf(const struct ability *ability, struct doctor_found *ret);
void doctor_ask_perf(const struct ability *ability, struct doctor_found *ret);
void doctor_ask_step(const struct ability *ability, struct doctor_found *ret);
void doctor_ask_kvm(const struct ability *ability, struct doctor_found *ret);
void doctor_ask_kernels(const struct ability *ability, struct doctor_found *ret);
void doctor_ask_emulator(const struct ability *ability, struct doctor_found *ret);

/* Sets the answer and its text. */
void doctor_say(struct doctor_found *ret, enum doctor_answer answer, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
