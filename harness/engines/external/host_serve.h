/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * host_serve.h - the other end of external_wire.h: takes points, and has three functions answer them
 *
 * For the programs that stackproof starts to have an engine in a process of its own. They are no
 * part of stackproof: the C library is all that is linked.
 */
#ifndef STACKPROOF_HOST_SERVE_H
#define STACKPROOF_HOST_SERVE_H

#include "stackproof_engine.h"

#define HOST_STATUS_BAD 3

/* An engine, as stackproof_engine.h has it. */
struct host_functions {
	typeof(&stackproof_engine_open) open;
	typeof(&stackproof_engine_walk) walk;
	typeof(&stackproof_engine_close) close;
};

struct host;
/* Takes the standard streams for the messages; what the engine prints goes to standard error. All
 * that it and host_serve() need is from malloc(3). */
struct host *host_create(void);
/* Opens the engine and answers until the input ends. The program's exit status. */
int host_serve(struct host *host, const struct host_functions *functions, const char *argument);
/* Says why on standard error, and ends the program. */
void host_give_up(const char *what) __attribute__((noreturn));

#endif
