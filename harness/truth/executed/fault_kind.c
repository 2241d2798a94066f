/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fault_kind.c - the names of what can be wrong with rows
 */
#include <assert.h>
#include "fault_kind.h"

static const char *const kind_names[FAULT_KIND_COUNT] = {
	[FAULT_NONE] = "none",
	[FAULT_MISSING] = "missing",
	[FAULT_REGISTER] = "register",
	[FAULT_WRONG] = "wrong",
	[FAULT_NO_END] = "no_end",
	[FAULT_EARLY_END] = "early_end",
	[FAULT_OVERWRITTEN] = "overwritten",
	[FAULT_MALFORMED] = "malformed",
	[FAULT_SIGNAL_FLAG] = "signal_flag",
	[FAULT_FLAGGED] = "flagged",
	[FAULT_SILENT] = "silent",
	[FAULT_SFRAME] = "sframe",
	[FAULT_SFRAME_LOSS] = "sframe_loss",
};

const char *fault_kind_name(enum fault_kind kind)
{
	assert(kind < FAULT_KIND_COUNT);
	return kind_names[kind];
}
