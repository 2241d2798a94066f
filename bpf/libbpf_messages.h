/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libbpf_messages.h - what libbpf says of a failure, without taking its print function from anybody
 */
#ifndef STACKPROOF_LIBBPF_MESSAGES_H
#define STACKPROOF_LIBBPF_MESSAGES_H

#include "error.h"

/* Until the end, what libbpf says in this thread is kept and not printed. Calls may be nested. */
void libbpf_messages_begin(void);
void libbpf_messages_end(void);
/* The first warning since the outermost begin, which names the cause; "": there was none. Valid
 * in this thread until the next begin. */
const char *libbpf_messages_first(void);

/* libbpf_num_possible_cpus(), which prints: of the machine, offline ones too; or -1. */
int possible_cpus(struct error *error);

#endif
