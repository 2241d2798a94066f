/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libdw.c - engine libdw: dwfl_getthread_frames() as its users have it
 *
 * elfutils' own walk of a stopped process. It reads memory through /proc/PID/mem and registers
 * through ptrace, so it must run in the tracer's thread. Where no CFI covers a PC it guesses
 * through rbp; that is its users' experience and is scored as such, but it is no witness (see
 * referee.c).
 *
 * Of a point that was kept in a case there is no process. Then the same walk has registers and memory
 * from the point, as a core file's has.
 */
#include <stdlib.h>
#include "libdw_process.h"

struct libdw_engine {
	struct libdw_process process;
	const struct point *point; /* of the walk at hand */
};

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
	*ret = calloc(1, sizeof(struct libdw_engine));
	return *ret ? 0 : error_set(error, ERROR_MEMORY, "", 0, "no memory for engine libdw");
}

static void libdw_close(void *context)
{
	struct libdw_engine *engine = context;

	dwfl_end(engine->process.dwfl);
	free(engine);
}

static int libdw_mappings(void *context, const struct address_space *space, struct error *error)
{
	struct libdw_engine *engine = context;

	libdw_process_mappings(&engine->process);
	return 0;
}

/* ---- a point that was kept -------------------------------------------------------------- */

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	*thread = context;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *context)
{
	const struct libdw_engine *engine = context;
	const struct memory_reader *memory = engine->point->memory;

	return !memory->read(memory->context, address, ret, sizeof(*ret));
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct libdw_engine *engine = context;

	return libdw_set_registers(thread, engine->point);
}

static const Dwfl_Thread_Callbacks kept_callbacks = {
	.next_thread = libdw_next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* ---- the walk --------------------------------------------------------------------------- */

/*
 * Attaches to the process as it is now; 0, or -1 with libdw's word for it. The thread lives, and is
 * not always the process's first. Of a later one libdw reads the memory through that one itself.
 */
static int attach(struct libdw_engine *engine, const struct point *point, struct error *error)
{
	struct libdw_process *process = &engine->process;
	pid_t tid = point->stop->tid;
	int status;

	if (libdw_process_report(process, point, error))
		return -1;
	if (point->maps && !dwfl_attach_state(process->dwfl, NULL, tid, &kept_callbacks, engine))
		return libdw_fail(error, tid, "dwfl_attach_state", -1);
	status = point->maps ? 0 : dwfl_linux_proc_attach(process->dwfl, tid, true);
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
	if (frames->failed || libdw_process_crashes(frames->process, space, pc))
		return DWARF_CB_ABORT;
	return DWARF_CB_OK;
}

static enum engine_answer libdw_walk(void *context, const struct point *point, struct stack *ret,
				     struct error *error)
{
	struct libdw_engine *engine = context;
	struct libdw_process *process = &engine->process;
	struct frames frames = { .stack = ret, .error = error, .process = process, .point = point };
	int status;

	engine->point = point;
	if (process->stale && attach(engine, point, error))
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
