/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * host_serve.h - the other end of external_wire.h: reads points, and answers them by an engine's functions
 *
 * For programs that stackproof starts so that an engine has a process of its own. These are linked with the C library
 * only, and with nothing else of stackproof.
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
/* Takes stdin and stdout for the messages; what the engine prints goes to stderr. All memory of the host is
 * from malloc(3). Without memory, ends the program. */
struct host *host_create(void);
/* Opens the engine, and answers until the input ends. Returns the program's exit status. */
int host_serve(struct host *host, const struct host_functions *functions, const char *argument);
/* Says why on standard error, and ends the program. */
void host_give_up(const char *what) __attribute__((noreturn));

#endif
