/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * accelerator.h - may a guest be tried with KVM on this machine?
 */
#ifndef STACKPROOF_ACCELERATOR_H
#define STACKPROOF_ACCELERATOR_H

#include <stdbool.h>

#define ACCELERATOR_VARIABLE "STACKPROOF_ACCEL"

enum accelerator_choice {
	ACCELERATOR_TCG,     /* emulate */
	ACCELERATOR_TRY_KVM, /* KVM, and emulate if no guest gets as far as init */
	ACCELERATOR_KVM,     /* KVM or nothing: asked for */
};

/* Whether the variable may have this value: tcg, kvm; NULL and "" are none. */
bool accelerator_name_is_valid(const char *name);
/*
 * STACKPROOF_ACCEL=tcg|kvm decides; else KVM is worth a try if /dev/kvm opens and no guest has
 * failed with it since this machine was booted.
 */
enum accelerator_choice accelerator_choose(void);
/* Remembers, until the next boot of this machine, that KVM does not run guests here. */
void accelerator_remember_failure(void);

#endif
