/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * function_name.h - a symbol's name without what differs between two builds of one source
 */
#ifndef STACKPROOF_FUNCTION_NAME_H
#define STACKPROOF_FUNCTION_NAME_H

#include <stddef.h>

/* Writes a symbol's name, or a finding's name for code without a symbol, without hashes and addresses.
 * The text is cut to size bytes. */
void function_name_print(const char *name, char *ret, size_t size);

#endif
