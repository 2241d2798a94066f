/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_namespace.h - the PID name space of this process (pid_namespaces(7))
 */
#ifndef STACKPROOF_OWN_NAMESPACE_H
#define STACKPROOF_OWN_NAMESPACE_H

#include "error.h"

/* *ret: the inode of this process's PID name space; 0: it is the initial one. ERROR_UNAVAILABLE: /proc is not
 * mounted, or is of another PID name space, where processes have other numbers. */
int own_pid_namespace(uint32_t *ret, struct error *error);

#endif
