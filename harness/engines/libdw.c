/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libdw.c - engine libdw: dwfl_getthread_frames() as its users have it
 *
 * elfutils' own walk of a stopped process. It reads memory through /proc/PID/mem and registers
 * through ptrace, so it must run in the tracer's thread. Where no CFI covers a PC it guesses
 * through rbp; that is its users' experience and is scored as such, but it is no witness (see
 * referee.c).
 */
#include <stdlib.h>
#include "libdw_process.h"

struct frames {
	struct libdw_process *process;
	const struct point *point;
	struct stack *stack;
	bool full;
	bool failed; /* error is set */
	struct error *error;
};

static int libdw_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = calloc(1, sizeof(struct libdw_process));
	return *ret ? 0 : error_set(error, ERROR_MEMORY, "", 0, "no memory for engine libdw");
}

static void libdw_close(void *context)
{
	struct libdw_process *process = context;

	dwfl_end(process->dwfl);
	free(process);
}

static int libdw_mappings(void *context, const struct address_space *space, struct error *error)
{
	libdw_process_mappings(context);
	return 0;
}

/*
 * Attaches to the process as it is now; 0, or -1 with libdw's word for it. tid: a thread that lives,
 * not always the process's first. Of a later one libdw reads the memory through that one itself.
 */
static int attach(struct libdw_process *process, pid_t tid, struct error *error)
{
	int status;

	if (libdw_process_report(process, tid, error))
		return -1;
	status = dwfl_linux_proc_attach(process->dwfl, tid, true);
	if (status)
		return libdw_fail(error, tid, "dwfl_linux_proc_attach", status);
	libdw_process_read_vdso(process);
	process->stale = false;
	return 0;
}

static int on_frame(Dwfl_Frame *frame, void *context)
{
	struct frames *frames = context;
	const struct address_space *space = frames->point->space;
	Dwarf_Addr pc;

	/* Whether it is an activation is not asked: that would find the caller already. */
	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	if (frames->stack->count == stack_limit(frames->stack)) {
		frames->full = true;
		return DWARF_CB_ABORT;
	}
	frames->failed = stack_push(frames->stack, pc, frames->error);
	if (frames->failed || libdw_process_crashes(frames->process, space, pc) ||
	    libdw_process_crashes(frames->process, space, pc - 1))
		return DWARF_CB_ABORT;
	return DWARF_CB_OK;
}

static enum engine_answer libdw_walk(void *context, const struct point *point, struct stack *ret,
				     struct error *error)
{
	struct libdw_process *process = context;
	struct frames frames = { .stack = ret, .error = error, .process = process, .point = point };
	int status;

	if (process->stale && attach(process, point->stop->tid, error))
		return ENGINE_ERROR;
	stack_clear(ret);
	status = dwfl_getthread_frames(process->dwfl, point->stop->tid, on_frame, &frames);
	if (frames.failed)
		return ENGINE_ERROR;
	/* 0: it came to an end that its CFI calls the end; anything else is an error of its own. */
	ret->stop = status == 0 ? STOP_COMPLETE : frames.full ? STOP_DEPTH : STOP_FOREIGN;
	return ENGINE_STACK;
}

const struct engine engine_libdw = {
	.name = "libdw",
	.summary = "elfutils' dwfl_getthread_frames",
	.reads_itself = true,
	.open = libdw_open,
	.close = libdw_close,
	.mappings = libdw_mappings,
	.walk = libdw_walk,
};
