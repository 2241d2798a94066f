/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_namespace.h - by which PID name space this process counts processes (pid_namespaces(7))
 */
#ifndef STACKPROOF_OWN_NAMESPACE_H
#define STACKPROOF_OWN_NAMESPACE_H

#include "error.h"

/* The inode of this process's PID name space; 0: the initial one. ERROR_UNAVAILABLE: /proc is
 * not mounted, or is of another PID name space, so that its numbers are not those that system
 * calls take. */
int own_pid_namespace(uint32_t *ret, struct error *error);

#endif
