/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libdw.c - engine libdw: dwfl_getthread_frames() as its users have it
 *
 * elfutils' own walk of a stopped process. It reads memory through /proc/PID/mem and registers
 * through ptrace, so it must run in the tracer's thread. Where no CFI covers a PC it guesses
 * through rbp; that is its users' experience and is scored as such, but it is no witness (see
 * referee.c).
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include "engine.h"

#define CHECKED_PCS 1024 /* direct-mapped */

struct checked_pc {
	uint64_t pc;
	bool crashes;
};

struct libdw_engine {
	Dwfl *dwfl;
	bool stale;
	struct checked_pc checked[CHECKED_PCS]; /* of the mappings at hand */
};

struct frames {
	struct libdw_engine *engine;
	const struct point *point;
	struct stack *stack;
	bool full;
	bool failed; /* error is set */
	struct error *error;
};

/* No separate debug files: unwinding needs .eh_frame only, and looking for them takes long. */
static int no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **ret)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = no_debuginfo,
};

static int libdw_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = calloc(1, sizeof(struct libdw_engine));
	return *ret ? 0 : error_set(error, ERROR_MEMORY, "", 0, "no memory for engine libdw");
}

static void libdw_close(void *context)
{
	struct libdw_engine *engine = context;

	dwfl_end(engine->dwfl);
	free(engine);
}

static int libdw_mappings(void *context, const struct address_space *space, struct error *error)
{
	struct libdw_engine *engine = context;

	engine->stale = true;
	memset(engine->checked, 0, sizeof(engine->checked));
	return 0;
}

/* libdw reads the vDSO out of the memory of the thread that it was given, once it needs it: by
 * then that one may have ended. */
static int read_vdso(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
		     void *context)
{
	GElf_Addr bias;

	if (strncmp(name, "[vdso", strlen("[vdso")) == 0)
		dwfl_module_getelf(module, &bias);
	return DWARF_CB_OK;
}

/* What libdw's function returned: a positive number is an errno value, of which dwfl_errmsg()
 * knows nothing ("no error"). */
static int fail(struct error *error, pid_t tid, const char *function, int status)
{
	int code = dwfl_errno();

	return error_set(error, ERROR_PROTOCOL, "", 0, "libdw: thread %d: %s: %s", tid, function,
			 status > 0 ? strerror(status)
			 : code	    ? dwfl_errmsg(code)
				    : "it failed and gives no reason");
}

/*
 * A Dwfl of the process as it is now; 0, or -1 with libdw's word for it. tid: a thread that lives,
 * not always the process's first. Of a later one libdw reads the memory through that one itself.
 */
static int attach(struct libdw_engine *engine, pid_t tid, struct error *error)
{
	int status;

	dwfl_end(engine->dwfl);
	engine->dwfl = dwfl_begin(&callbacks);
	if (!engine->dwfl)
		return fail(error, tid, "dwfl_begin", -1);
	status = dwfl_linux_proc_report(engine->dwfl, tid);
	if (status)
		return fail(error, tid, "dwfl_linux_proc_report", status);
	status = dwfl_report_end(engine->dwfl, NULL, NULL);
	if (status)
		return fail(error, tid, "dwfl_report_end", status);
	status = dwfl_linux_proc_attach(engine->dwfl, tid, true);
	if (status)
		return fail(error, tid, "dwfl_linux_proc_attach", status);
	dwfl_getmodules(engine->dwfl, read_vdso, NULL, 0);
	engine->stale = false;
	return 0;
}

/*
 * libdw (0.188) evaluates a CFA's expression without a frame, and its DW_OP_deref_size looks at
 * that frame (expr_eval() in libdwfl/frame_unwind.c). One row must not end the whole run: the walk
 * ends before.
 */
static bool crashes(struct frames *frames, uint64_t pc)
{
	struct libdw_engine *engine = frames->engine;
	struct checked_pc *checked = &engine->checked[pc % CHECKED_PCS];
	const struct mapping *mapping;
	struct error ignored;
	struct row row;

	if (checked->pc == pc)
		return checked->crashes;
	mapping = address_space_find(frames->point->space, pc);
	*checked = (struct checked_pc) { .pc = pc };
	if (mapping && mapping->entry &&
	    cfi_row_find(image_entry_cfi(mapping->entry), pc - mapping->bias, &row, &ignored) > 0 &&
	    row.cfa.kind == RULE_CFA_EXPRESSION)
		checked->crashes = expression_has(row.cfa.expression, row.cfa.expression_bytes,
						  DW_OP_deref_size);
	return checked->crashes;
}

static int on_frame(Dwfl_Frame *frame, void *context)
{
	struct frames *frames = context;
	Dwarf_Addr pc;

	/* Whether it is an activation is not asked: that would find the caller already. */
	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	if (frames->stack->count == stack_limit(frames->stack)) {
		frames->full = true;
		return DWARF_CB_ABORT;
	}
	frames->failed = stack_push(frames->stack, pc, frames->error);
	return frames->failed || crashes(frames, pc) || crashes(frames, pc - 1) ? DWARF_CB_ABORT
										: DWARF_CB_OK;
}

static enum engine_answer libdw_walk(void *context, const struct point *point, struct stack *ret,
				     struct error *error)
{
	struct libdw_engine *engine = context;
	struct frames frames = { .stack = ret, .error = error, .engine = engine, .point = point };
	int status;

	if (engine->stale && attach(engine, point->stop->tid, error))
		return ENGINE_ERROR;
	stack_clear(ret);
	status = dwfl_getthread_frames(engine->dwfl, point->stop->tid, on_frame, &frames);
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
