/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_throw.h - does a call throw where the tables say that its exception would land?
 */
#ifndef STACKPROOF_FLOW_THROW_H
#define STACKPROOF_FLOW_THROW_H

#include "flow.h"

/* Instructions of all functions that are looked at to say that a callee never throws; and of a call site. */
#define FLOW_THROW_CODE_MAX 4096u
#define FLOW_THROW_FDES_MAX 64u /* functions of these */

/* The pad's call site covers the call. */
enum flow_throws flow_throw_lands(const struct flow_world *world, const struct flow_part *part,
				  const struct landing_pad *pad, const struct code *call);

#endif
