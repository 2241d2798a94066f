/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf.c - engines perf8k to perf64k: what `perf record --call-graph dwarf` has, and perf makes of it
 *
 * perf does not walk where the program is. A sample carries the user registers and the first bytes
 * of the stack, from rsp upwards (PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER: perf_event_open(2));
 * afterwards `perf script` unwinds in that copy. Here the same is copied at the point, and libdw
 * walks as perf has it walk where it is built with libdw (tools/perf/util/unwind-libdw.c): of memory
 * it sees the copy and, for addresses out of it, the bytes of the files that are mapped there, never
 * the process itself. A stack that goes on behind the copy ends with copy_end; perf shows no sign of
 * that.
 *
 * What lies below rsp is not in the copy. Most compilers' CFI still names a register's slot when the
 * epilogue has popped it (it has no DW_CFA_restore there, and needs none: the word is still in
 * memory). So a walk that begins in an epilogue loses rbp, and an outer frame that hangs on it; libdw
 * then calls that the end. perf's users have it so, and it is scored so.
 *
 * As many bytes as there are: the copy ends earlier where the memory does. perf takes up to 65,528
 * (get_stack_size() in tools/perf/util/callchain.c), 8,192 unless told otherwise. But a record's
 * size is a 16-bit number, so of 65,528 the kernel copies what the rest of the record leaves room
 * for (perf_sample_ustack_size() in kernel/events/core.c).
 *
 * Stacks have 127 frames at most, as in perf script and perf report (PERF_MAX_STACK_DEPTH,
 * --max-stack); then they end with depth.
 */
#include <stdlib.h>
#include <string.h>
#include "libdw_process.h"

#define KIB		1024u
#define COPY_BYTES_MAX	65528u
#define PERF_FRAMES_MAX 127u
#define PAGE_BYTES	4096u

/*
 * What else is in a record of `perf record --call-graph dwarf` at a point in user space: the header;
 * IP, TID, TIME, ADDR, PERIOD, DATA_SRC; a call chain of no entries; the ABI and 20 registers; the
 * stack's two sizes.
 */
#define RECORD_REST_BYTES (8u * (1 + 6 + 1 + 1 + 20 + 2))

struct perf_engine {
	struct libdw_process process;
	struct stack_mapping stack;
	uint32_t copy_bytes; /* at most */
	/* Of the walk at hand. */
	const struct point *point;
	struct stack *result;
	uint64_t sp;
	size_t copied;
	bool behind; /* the step at hand wants a word of the stack that is behind the copy */
	bool full;
	bool failed; /* error is set */
	struct error *error;
	uint8_t copy[COPY_BYTES_MAX];
};

/* ---- the sample ------------------------------------------------------------------------- */

/* Of so many that were asked for, the kernel copies these. */
static uint32_t copied_at_most(uint32_t wanted)
{
	uint32_t room = COPY_BYTES_MAX - RECORD_REST_BYTES;

	return wanted < room ? wanted : room;
}

static void take_sample(struct perf_engine *engine, const struct point *point)
{
	const struct memory_reader *memory = point->memory;
	uint64_t at;
	size_t size;

	engine->point = point;
	engine->sp = point->regs->value[REGISTER_RSP];
	for (engine->copied = 0; engine->copied < engine->copy_bytes; engine->copied += size) {
		at = engine->sp + engine->copied;
		size = PAGE_BYTES - at % PAGE_BYTES;
		if (size > engine->copy_bytes - engine->copied)
			size = engine->copy_bytes - engine->copied;
		if (memory->read(memory->context, at, engine->copy + engine->copied, size))
			return;
	}
}

/* ---- what libdw asks for ---------------------------------------------------------------- */

static bool read_file(const struct address_space *space, uint64_t address, Dwarf_Word *ret)
{
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *mapping = &space->mapping[i];
		const uint8_t *bytes = mapping->entry
					       ? image_bytes(mapping->entry->image,
							     address - mapping->bias, sizeof(*ret))
					       : NULL;

		if (!bytes)
			continue;
		memcpy(ret, bytes, sizeof(*ret));
		return true;
	}
	return false;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *context)
{
	struct perf_engine *engine = context;
	uint64_t offset = address - engine->sp;

	if (engine->copied >= sizeof(*ret) && offset <= engine->copied - sizeof(*ret)) {
		memcpy(ret, engine->copy + offset, sizeof(*ret));
		return true;
	}
	if (read_file(engine->point->space, address, ret))
		return true;
	/* Only where the copy was cut can a longer one help. */
	engine->behind |= address >= engine->sp && engine->copied == engine->copy_bytes &&
			  stack_mapping_of(&engine->stack, engine->point, engine->sp) &&
			  address < engine->stack.end;
	return false;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	*thread = context;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct perf_engine *engine = context;

	return libdw_set_registers(thread, engine->point);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = libdw_next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* ---- the walk --------------------------------------------------------------------------- */

static int attach(struct perf_engine *engine, const struct point *point, struct error *error)
{
	struct libdw_process *process = &engine->process;
	pid_t tid = point->stop->tid;

	if (libdw_process_report(process, point, error))
		return -1;
	if (!dwfl_attach_state(process->dwfl, NULL, tid, &thread_callbacks, engine))
		return libdw_fail(error, tid, "dwfl_attach_state", -1);
	libdw_process_read_vdso(process);
	process->stale = false;
	return 0;
}

static int on_frame(Dwfl_Frame *frame, void *context)
{
	struct perf_engine *engine = context;
	const struct address_space *space = engine->point->space;
	uint32_t limit = stack_limit(engine->result);
	Dwarf_Addr pc;

	engine->behind = false;
	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	if (engine->result->count == (limit < PERF_FRAMES_MAX ? limit : PERF_FRAMES_MAX)) {
		engine->full = true;
		return DWARF_CB_ABORT;
	}
	engine->failed = stack_push(engine->result, pc, engine->error);
	if (engine->failed || libdw_process_crashes(&engine->process, space, pc))
		return DWARF_CB_ABORT;
	return DWARF_CB_OK;
}

static enum engine_answer perf_walk(void *context, const struct point *point, struct stack *ret,
				    struct error *error)
{
	struct perf_engine *engine = context;
	pid_t tid = point->stop->tid;
	int status;

	take_sample(engine, point);
	engine->result = ret;
	engine->error = error;
	engine->behind = engine->full = engine->failed = false;
	if (engine->process.stale && attach(engine, point, error))
		return ENGINE_ERROR;
	stack_clear(ret);
	status = dwfl_getthread_frames(engine->process.dwfl, tid, on_frame, engine);
	if (engine->failed)
		return ENGINE_ERROR;
	/* libdw takes a return address that it can't read for an end as well. */
	ret->stop = engine->full     ? STOP_DEPTH
		    : engine->behind ? STOP_COPY_END
		    : status == 0    ? STOP_COMPLETE
				     : STOP_FOREIGN;
	return ENGINE_STACK;
}

static int perf_mappings(void *context, const struct address_space *space, struct error *error)
{
	struct perf_engine *engine = context;

	libdw_process_mappings(&engine->process);
	engine->stack = (struct stack_mapping) { 0 };
	return 0;
}

static void perf_close(void *context)
{
	struct perf_engine *engine = context;

	dwfl_end(engine->process.dwfl);
	free(engine);
}

/* ---- the engines ------------------------------------------------------------------------ */

static int perf_open(uint32_t bytes, void **ret, struct error *error)
{
	struct perf_engine *engine = calloc(1, sizeof(*engine));

	if (!engine)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for engine perf");
	engine->process.stale = true;
	engine->copy_bytes = copied_at_most(bytes);
	*ret = engine;
	return 0;
}

#define PERF_ENGINE(size, bytes)                                                                   \
	static int perf##size##_open(struct bpf_records *records, void **ret, struct error *error) \
	{                                                                                          \
		return perf_open(bytes, ret, error);                                               \
	}                                                                                          \
	const struct engine engine_perf##size = {                                                  \
		.name = "perf" #size,                                                              \
		.summary = "a copy of the stack's first " #size ", walked by libdw as perf does",  \
		.on_request = true,                                                                \
		.open = perf##size##_open,                                                         \
		.close = perf_close,                                                               \
		.mappings = perf_mappings,                                                         \
		.walk = perf_walk,                                                                 \
	}

PERF_ENGINE(8k, 8 * KIB);
PERF_ENGINE(16k, 16 * KIB);
PERF_ENGINE(32k, 32 * KIB);
PERF_ENGINE(64k, COPY_BYTES_MAX);
