/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * command_line.h - how every command's arguments are parsed
 */
#ifndef STACKPROOF_COMMAND_LINE_H
#define STACKPROOF_COMMAND_LINE_H

#include "exit_status.h"

/* argp_parse(3) of a command, without an index of the first argument; of a long option that does
 * not exist it says which one was meant, if that is to be seen. An option with a value that comes a second
 * time is refused, without OPTION_AGAIN (cli/options.h). It returns if all was read, and else exits with
 * EXIT_USAGE. */
struct argp;
void command_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

/* argp that exits with EXIT_USAGE on a bad command line. Every command declares its argp. */
#define ARGP_ERR_EXIT EXIT_USAGE

#endif
