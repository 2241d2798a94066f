/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stackproof.h - all that a program needs to walk stacks: libstackproof(3)
 *
 *	unwinder.h		from ELF bytes to tables, mappings of a process, the walk in user space
 *	session.h, walk.h	the walk in the kernel, and the stacks it sends
 *	process_events.h	follows what the processes map, execute and fork
 *
 * For C and C++. Nothing here is for who builds the library itself.
 */
#ifndef STACKPROOF_H
#define STACKPROOF_H

#ifdef __cplusplus
#define _Static_assert static_assert
extern "C" {
#endif

#include "unwinder.h"
#include "walk.h"
#include "session.h"
#include "process_events.h"

#ifdef __cplusplus
}
#undef _Static_assert
#endif

#endif
