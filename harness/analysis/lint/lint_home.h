/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_home.h - whether an FDE's code is a function that is called, by how it ends
 */
#ifndef STACKPROOF_LINT_HOME_H
#define STACKPROOF_LINT_HOME_H

#include "analysis/flow/flow.h"

/* What an FDE's code does if it was just called, whatever its rows say. */
struct lint_home {
	/* It returns, or calls in place of that, on all ways as a function does. Where its first row says that
	 * there is a frame, that is wrong then, whoever comes there. */
	bool returns;
	bool returns_itself; /* the same, and it has a return of its own */
	/* It does neither, and its rows may mean who is entered in another way: an interrupt's handler with an
	 * error code, which may never return; what a PLT pushed words for. */
	bool refuted;
	bool handler; /* the former, seen by how it returns */
};

/* world: its callbacks are called as for any function. Fails for want of memory. */
int lint_home_find(struct flow_world *world, const struct cfi_fde *fde, struct lint_home *ret,
		   struct error *error);

#endif
