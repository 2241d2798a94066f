/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * options.h - what several commands' option parsers need
 */
#ifndef STACKPROOF_COMMANDS_OPTIONS_H
#define STACKPROOF_COMMANDS_OPTIONS_H

#include <argp.h>
#include <stdint.h>
#include "session.h"

/* text as a decimal number of 64 bits, or argp_error(), which exits. what: the option's name. */
uint64_t option_number(struct argp_state *state, const char *text, const char *what);
/* For programs that are started from here: the dynamic loader resolves every symbol before they begin. */
void option_bind_now(struct argp_state *state);
/* "loop" or "chain", how the walk in BPF goes round; or argp_error(). */
enum walk_method option_method(struct argp_state *state, const char *text);

#endif
