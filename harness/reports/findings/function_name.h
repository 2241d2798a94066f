/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * function_name.h - a symbol's name without what differs between two builds of one source
 */
#ifndef STACKPROOF_FUNCTION_NAME_H
#define STACKPROOF_FUNCTION_NAME_H

#include <stddef.h>

/* A symbol's name, or how a finding calls code without one, less what differs between two builds
 * of one source: hashes and addresses. Into size bytes, cut if need be. */
void function_name_print(const char *name, char *ret, size_t size);

#endif
