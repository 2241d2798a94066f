/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * options.h - what several commands' option parsers need
 */
#ifndef STACKPROOF_COMMANDS_OPTIONS_H
#define STACKPROOF_COMMANDS_OPTIONS_H

#include <argp.h>
#include <stdint.h>

/* text as a decimal number of 64 bits, or argp_error(), which exits. what: the option's name. */
uint64_t option_number(struct argp_state *state, const char *text, const char *what);

#endif
