/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libgcc.c - engine libgcc: _Unwind_Backtrace(), which exceptions and backtrace(3) walk by
 *
 * libgcc walks its own process only. So it is asked in a process of its own, libgcc_host
 * (../libgcc), which has the other one's memory at the other one's addresses. To this side that
 * is an external engine, contained like all of them; it is built in because the program is ours.
 * Where the compiler has no libgcc_eh.a the program is not built, and the engine is skipped.
 */
#include "engine.h"
#include "engines/external/external.h"

static const struct external_options options = {
	.name = "libgcc",
	.program = "libgcc_host",
	.hello_ms = EXTERNAL_HELLO_MS,
	.answer_ms = EXTERNAL_ANSWER_MS,
};

const struct engine engine_libgcc = {
	.name = "libgcc",
	.summary = "libgcc's _Unwind_Backtrace, in a process of its own",
	.on_request = true,
	.external = &options,
	.close = engine_external_close,
	.mappings = engine_external_mappings,
	.walk = engine_external_walk,
};
