/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * command_line.h - how every command's arguments are parsed
 */
#ifndef STACKPROOF_COMMAND_LINE_H
#define STACKPROOF_COMMAND_LINE_H

#include "exit_status.h"

/* argp_parse(3) of a command's arguments. An unknown long option is refused, and a similar one is named if
 * there is one. An option with a value must not be given twice, unless it has OPTION_AGAIN (cli/options.h).
 * Returns if all was parsed; else exits with EXIT_USAGE. */
struct argp;
void command_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

/* The value for argp_err_exit_status: argp exits with EXIT_USAGE on a bad command line. */
#define ARGP_ERR_EXIT EXIT_USAGE

#endif
