/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * accelerator.h - whether to start guests with KVM on this machine
 */
#ifndef STACKPROOF_ACCELERATOR_H
#define STACKPROOF_ACCELERATOR_H

#include <stdbool.h>

#define ACCELERATOR_VARIABLE "STACKPROOF_ACCEL"

enum accelerator_choice {
	ACCELERATOR_TCG,     /* emulate */
	ACCELERATOR_TRY_KVM, /* KVM; emulate if no guest reaches init */
	ACCELERATOR_KVM,     /* KVM or nothing: the variable asks for it */
};

/* Whether name is a value of the variable: "tcg" or "kvm". name may be NULL: false. */
bool accelerator_name_is_valid(const char *name);
/*
 * STACKPROOF_ACCEL=tcg|kvm decides. Otherwise KVM is tried if /dev/kvm can be opened and no failure with
 * KVM has been remembered since this machine's boot.
 */
enum accelerator_choice accelerator_choose(void);
/* Remembers, until the next boot of this machine, that KVM does not run guests here. */
void accelerator_remember_failure(void);

#endif
