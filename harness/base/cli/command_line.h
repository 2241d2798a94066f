/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * command_line.h - how every command's arguments are parsed
 */
#ifndef STACKPROOF_COMMAND_LINE_H
#define STACKPROOF_COMMAND_LINE_H

#include "exit_status.h"

/* argp_parse(3) of a command's arguments. An unknown long option is refused, and a similar one is named if
 * there is one. An option with a value must not be given twice, unless it has OPTION_AGAIN (cli/options.h).
 * ...: pointers, the inputs of argp's children, in their order. Returns if all was parsed; else exits with
 * EXIT_USAGE. */
#define command_parse(argp, argc, argv, flags, input, ...)                                         \
	command_parse_into(argp, argc, argv, flags, input,                                         \
			   (void *const[]) { __VA_ARGS__ __VA_OPT__(, ) NULL })
struct argp;
void command_parse_into(const struct argp *argp, int argc, char **argv, unsigned int flags,
			void *input, void *const *child_input);

#endif
