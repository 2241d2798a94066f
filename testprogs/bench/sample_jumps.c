/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_jumps.c - frames that are abandoned: longjmp over several, out of a handler too, and the
 * compiler's own way; and the C runtime's unwinder, which walks the stack as the samples are walked
 *
 * For `stackproof sample` (sample.h says why rounds are all alike).
 */
#include <setjmp.h>
#include <signal.h>
#include <unwind.h>
#include "sample.h"

#define DEPTH 6

static jmp_buf target;
static sigjmp_buf handler_target;
static void *compiler_target[5];

static FRAME long work(long value)
{
	for (int i = 0; i < 100; i++) {
		value = value * 31 + i;
		KEEP(value);
	}
	return value;
}

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *count)
{
	++*(long *)count;
	return _URC_NO_REASON;
}

/* What is done at the bottom. */
enum way { WAY_LONGJMP, WAY_SIGNAL, WAY_COMPILER, WAY_UNWIND };

static FRAME void bottom(enum way way)
{
	long value = work(way), frames = 0;

	KEEP(value);
	switch (way) {
	case WAY_LONGJMP: longjmp(target, 1);
	case WAY_SIGNAL: raise(SIGUSR1); break;
	case WAY_COMPILER: __builtin_longjmp(compiler_target, 1);
	case WAY_UNWIND: _Unwind_Backtrace(on_frame, &frames); break;
	}
	KEEP(frames);
}

static FRAME long descend(int depth, enum way way)
{
	long value = work(depth);

	KEEP(value);
	if (depth)
		value += descend(depth - 1, way);
	else
		bottom(way);
	KEEP(value);
	return value;
}

static void on_usr1(int signal)
{
	long value = work(signal);

	KEEP(value);
	siglongjmp(handler_target, 1);
}

static FRAME long over_frames(void)
{
	if (!setjmp(target))
		descend(DEPTH, WAY_LONGJMP);
	return work(1);
}

static FRAME long out_of_a_handler(void)
{
	if (!sigsetjmp(handler_target, 1))
		descend(DEPTH, WAY_SIGNAL);
	return work(2);
}

static FRAME long the_compiler_s(void)
{
	if (!__builtin_setjmp(compiler_target))
		descend(DEPTH, WAY_COMPILER);
	return work(3);
}

static FRAME long unwound(void)
{
	long value = descend(DEPTH, WAY_UNWIND);

	KEEP(value);
	return value;
}

int main(int argc, char **argv)
{
	static long (*const way[])(void) = { over_frames, out_of_a_handler, the_compiler_s, unwound };
	struct sigaction action = { .sa_handler = on_usr1 };
	long rounds = sample_rounds(argc, argv);

	sigaction(SIGUSR1, &action, 0);
	for (long round = 0; round < rounds; round++) {
		long value = way[round % 4]();

		KEEP(value);
	}
	return !rounds;
}
