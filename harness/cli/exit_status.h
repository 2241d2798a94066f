/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * exit_status.h - what several commands say with their exit status
 */
#ifndef STACKPROOF_COMMANDS_EXIT_STATUS_H
#define STACKPROOF_COMMANDS_EXIT_STATUS_H

#include "harness.h"
#include "error.h"

/* Of a program or an image that could not be used: EXIT_BAD_INPUT if it is missing, may not be
 * read or executed, or is no ELF file of this machine; else EXIT_ENVIRONMENT. */
enum exit_status exit_status_of_error(const struct error *error);

#endif
