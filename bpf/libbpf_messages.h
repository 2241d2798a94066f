/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libbpf_messages.h - keeps libbpf's messages of this thread, and leaves other threads' to their print function
 */
#ifndef STACKPROOF_LIBBPF_MESSAGES_H
#define STACKPROOF_LIBBPF_MESSAGES_H

#include "error.h"

/* Between these two calls libbpf's messages in this thread are not printed. Calls may be nested. */
void libbpf_messages_begin(void);
void libbpf_messages_end(void);
/* The first warning since the outermost begin: it names the cause of a failure. "": there was none. Valid in this
 * thread until the next begin. */
const char *libbpf_messages_first(void);

/* The number of the machine's CPUs, including offline ones: libbpf_num_possible_cpus(), but nothing is printed.
 * -1: error. */
int possible_cpus(struct error *error);

#endif
