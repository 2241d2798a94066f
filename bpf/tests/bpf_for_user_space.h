/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bpf_for_user_space.h - what a BPF program needs to be compiled for user space, by any compiler
 *
 * Whoever includes this defines the helpers' names as functions of his own, and then includes the
 * program.
 */
#ifndef STACKPROOF_BPF_FOR_USER_SPACE_H
#define STACKPROOF_BPF_FOR_USER_SPACE_H

#include <stddef.h>

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#define __builtin_preserve_access_index(expression) (expression)
#include <bpf/bpf_core_read.h>
#undef SEC
#define SEC(name)
#undef bpf_core_field_offset
#define bpf_core_field_offset(type, field) offsetof(type, field)
#undef bpf_core_field_exists
#define bpf_core_field_exists(...) 1

#endif
