/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face_session.c - the walk in the kernel, for other programs
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "face.h"

_Static_assert((int)STACKPROOF_ENTRY_STEP == WALK_ENTRY_STEP &&
		       (int)STACKPROOF_ENTRY_SAMPLE == WALK_ENTRY_SAMPLE &&
		       (int)STACKPROOF_ENTRY_UPROBE == WALK_ENTRY_UPROBE &&
		       (int)STACKPROOF_ENTRY_TRACEPOINT == WALK_ENTRY_TRACEPOINT &&
		       (int)STACKPROOF_ENTRY_REPLAY == WALK_ENTRY_REPLAY,
	       "entries have the same numbers");
_Static_assert((int)STACKPROOF_METHOD_LOOP == WALK_METHOD_LOOP &&
		       (int)STACKPROOF_METHOD_CHAIN == WALK_METHOD_CHAIN,
	       "methods have the same numbers");
_Static_assert((int)STACKPROOF_OFF_BLOCKED == WALK_OFF_BLOCKED &&
		       (int)STACKPROOF_OFF_PREEMPTED == WALK_OFF_PREEMPTED,
	       "reasons have the same numbers");

/* ---- opening ---------------------------------------------------------------------------- */

static struct bpf_session_options inner_options(const struct stackproof_session_options *options)
{
	return (struct bpf_session_options) {
		.method = options->method,
		.entries = options->entries,
		.count_stacks = options->count_stacks,
		.follow_frame_pointers = options->follow_frame_pointers,
		.process_capacity = options->processes,
		.mapping_capacity = options->mappings,
		.page_capacity = options->pages,
		.entry_capacity = options->table_entries,
		.shape_capacity = options->shapes,
		.rule_capacity = options->rules,
		.place_capacity = options->places,
		.stack_capacity = options->stacks,
		.wake_up = options->wake_up,
		.kernel_stacks = options->kernel_stacks,
		.every_tick = options->every_tick,
		.off_cpu = options->off_cpu,
		.off_least_ns = options->off_least_ns,
	};
}

int stackproof_session_open(const struct stackproof_session_options *given,
			    struct stackproof_session **ret, struct stackproof_error *error)
{
	struct stackproof_session_options options;
	struct bpf_session_options inner_given;
	struct stackproof_session *session;
	struct error inner;

	if (face_take(&options, sizeof(options), given, error))
		return -1;
	if (options.method > STACKPROOF_METHOD_CHAIN)
		return face_fail_argument(error, "there is no method %u", options.method);
	if (options.entries >> WALK_ENTRY_COUNT)
		return face_fail_argument(error, "there are no entries 0x%x", options.entries);
	if (options.off_cpu && !options.count_stacks)
		return face_fail_argument(error, "off_cpu without count_stacks");
	session = calloc(1, sizeof(*session));
	if (!session)
		return face_fail_memory(error);
	session->owner = getpid();
	session->samples = !options.entries || options.entries >> STACKPROOF_ENTRY_SAMPLE & 1;
	inner_given = inner_options(&options);
	if (bpf_session_open(&inner_given, &session->session, &inner)) {
		free(session);
		return face_fail(error, &inner);
	}
	*ret = session;
	return 0;
}

void stackproof_session_close(struct stackproof_session *session)
{
	if (!session || face_check_owner(session->owner, NULL))
		return;
	bpf_session_close(session->session);
	free(session);
}

int stackproof_session_set_process(struct stackproof_session *session,
				   const struct stackproof_space *space,
				   struct stackproof_error *error)
{
	struct error inner;

	if (face_check_owner(session->owner, error))
		return -1;
	if (!space)
		return face_fail_argument(error, "no space");
	if (bpf_session_set_process(session->session, space->space, &inner))
		return face_fail(error, &inner);
	return 0;
}

void stackproof_session_forget_process(struct stackproof_session *session, pid_t pid)
{
	if (!face_check_owner(session->owner, NULL))
		bpf_session_forget_process(session->session, pid);
}

/* ---- attaching -------------------------------------------------------------------------- */

/* On every CPU of "0-3,8\n". */
static int attach_cpus(struct stackproof_session *session, FILE *online,
		       const struct perf_event_attr *attr, struct error *error)
{
	struct perf_event_attr own;

	int first, last, separator = ',';

	while (separator == ',' && fscanf(online, "%d", &first) == 1) {
		last = first;
		separator = fgetc(online);
		if (separator == '-') {
			if (fscanf(online, "%d", &last) != 1)
				break;
			separator = fgetc(online);
		}
		for (int cpu = first; cpu <= last; cpu++) {
			own = *attr; /* the kernel writes to it where it knows less */
			if (bpf_session_attach_event(session->session, &own, -1, cpu, error))
				return -1;
		}
	}
	return 0;
}

static int attach_everywhere(struct stackproof_session *session, const struct perf_event_attr *attr,
			     struct error *error)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	FILE_CLOSED FILE *online = fopen(path, "re");

	if (!online)
		return error_set_errno(error, "%s", path);
	return attach_cpus(session, online, attr, error);
}

int stackproof_session_attach_samples(struct stackproof_session *session, pid_t tid, int cpu,
				      unsigned int frequency_hz, struct stackproof_error *error)
{
	struct perf_event_attr attr = bpf_session_clock(tid, frequency_hz);

	if (!frequency_hz)
		return face_fail_argument(error, "a frequency of 0");
	return stackproof_session_attach_event(session, &attr, tid, cpu, error);
}

int stackproof_session_attach_event(struct stackproof_session *session,
				    const struct perf_event_attr *attr, pid_t tid, int cpu,
				    struct stackproof_error *error)
{
	struct perf_event_attr own = { 0 };
	struct error inner;
	int status;

	if (attr->size > sizeof(own))
		return face_fail_argument(error, "a perf event of %u bytes", attr->size);
	memcpy(&own, attr, attr->size ? attr->size : PERF_ATTR_SIZE_VER0);
	if (tid == -1 && cpu == -1)
		status = attach_everywhere(session, &own, &inner);
	else
		status = bpf_session_attach_event(session->session, &own, tid, cpu, &inner);
	return status ? face_fail(error, &inner) : 0;
}

int stackproof_session_attach_steps(struct stackproof_session *session,
				    struct stackproof_error *error)
{
	struct error inner;

	return bpf_session_attach_steps(session->session, &inner) ? face_fail(error, &inner) : 0;
}

int stackproof_session_attach_uprobe(struct stackproof_session *session, pid_t pid,
				     const char *path, uint64_t offset,
				     struct stackproof_error *error)
{
	struct error inner;

	if (bpf_session_attach_uprobe(session->session, pid, path, offset, false, &inner))
		return face_fail(error, &inner);
	return 0;
}

int stackproof_session_attach_uretprobe(struct stackproof_session *session, pid_t pid,
					const char *path, uint64_t offset,
					struct stackproof_error *error)
{
	struct error inner;

	if (bpf_session_attach_uprobe(session->session, pid, path, offset, true, &inner))
		return face_fail(error, &inner);
	return 0;
}

int stackproof_session_attach_tracepoint(struct stackproof_session *session, const char *name,
					 struct stackproof_error *error)
{
	struct error inner;

	if (bpf_session_attach_tracepoint(session->session, name, &inner))
		return face_fail(error, &inner);
	return 0;
}

int stackproof_session_attach_off_cpu(struct stackproof_session *session,
				      struct stackproof_error *error)
{
	struct error inner;

	return bpf_session_attach_off_cpu(session->session, &inner) ? face_fail(error, &inner) : 0;
}

int stackproof_session_replay(struct stackproof_session *session,
			      const struct stackproof_registers *registers,
			      struct stackproof_error *error)
{
	struct register_values regs = { .known = registers->known };
	struct error inner;

	if (~registers->known & ((1u << REGISTER_COUNT) - 1))
		return face_fail_argument(error, "not all registers are known");
	memcpy(regs.value, registers->value, sizeof(regs.value));
	return bpf_session_replay(session->session, &regs, &inner) ? face_fail(error, &inner) : 0;
}

void stackproof_session_detach(struct stackproof_session *session)
{
	if (!face_check_owner(session->owner, NULL))
		bpf_session_detach(session->session);
}

/* ---- stacks ----------------------------------------------------------------------------- */

struct stackproof_stack face_stack(struct stackproof_session *session,
				   const struct walk_record *record)
{
	struct stackproof_stack stack = {
		.size = sizeof(stack),
		.entry = record->entry,
		.stop = face_stop(record->stop),
		.pid = record->pid,
		.tid = record->tid,
		.cpu = record->cpu,
		.generation = record->generation,
		.time_ns = record->time,
		.times = 1,
		.pc = session->pc,
		.count = record->count,
		.mode = record->mode,
		.kernel_count = record->kernel_count,
		.kernel_pc = (const uint64_t *)record->pc + record->count,
		.thread_name = record->thread_name,
		.process_name = record->process_name,
		.cgroup = record->cgroup,
		.off = record->off,
	};

	for (uint32_t i = 0; i < record->count; i++) {
		session->guessed[i] = walk_is_guessed(record->pc[i]);
		session->pc[i] = record->pc[i];
		if (session->guessed[i]) {
			session->pc[i] = walk_pc(record->pc[i]);
			stack.guessed = session->guessed;
		}
	}
	return stack;
}

struct reader {
	struct stackproof_session *session;
	stackproof_stack_fn fn;
	void *context;
};

static void give_count(void *context, const struct walk_record *record,
		       const struct walk_stack_count *met)
{
	const struct reader *reader = context;
	struct stackproof_stack stack = face_stack(reader->session, record);

	stack.times = met->count;
	stack.off_ns = met->off_ns;
	reader->fn(reader->context, &stack);
}

static void give(void *context, const struct walk_record *record, bool frame_pointer)
{
	give_count(context, record, &(struct walk_stack_count) { .count = 1 });
}

int stackproof_session_consume(struct stackproof_session *session, stackproof_stack_fn fn,
			       void *context, struct stackproof_error *error)
{
	struct reader reader = { session, fn, context };
	struct error inner;

	if (face_check_owner(session->owner, error))
		return -1;
	if (!fn)
		return face_fail_argument(error, "nobody takes the stacks");
	return bpf_session_consume(session->session, give, &reader, &inner)
		       ? face_fail(error, &inner)
		       : 0;
}

int stackproof_session_take_counts(struct stackproof_session *session, stackproof_stack_fn fn,
				   void *context, uint64_t *ret_unsent,
				   struct stackproof_error *error)
{
	struct reader reader = { session, fn, context };
	uint64_t ignored;
	struct error inner;

	if (face_check_owner(session->owner, error))
		return -1;
	if (!fn)
		return face_fail_argument(error, "nobody takes the stacks");
	if (bpf_session_take_counts(session->session, give_count, &reader,
				    ret_unsent ? ret_unsent : &ignored, &inner))
		return face_fail(error, &inner);
	return 0;
}

int stackproof_session_counters(const struct stackproof_session *session,
				struct stackproof_session_counters *ret,
				struct stackproof_error *error)
{
	struct stackproof_session_counters made = { 0 };
	struct walk_counters counters;
	struct error inner;

	_Static_assert(STACKPROOF_STOP_COUNT <= sizeof(made.stop) / sizeof(made.stop[0]), "room");
	if (bpf_session_counters(session->session, false, &counters, &inner) ||
	    (session->samples && bpf_session_run_time(session->session, WALK_ENTRY_SAMPLE, false,
						      &made.run_ns, &made.runs, &inner)))
		return face_fail(error, &inner);
	made.method = bpf_session_method_name(session->session);
	made.samples = counters.samples;
	made.stacks = counters.stacks;
	made.frames = counters.frames;
	made.lost_busy = counters.lost_busy;
	made.lost_space = counters.lost_space;
	made.lost_registers = counters.lost_regs;
	made.lost_full = counters.lost_full;
	made.lost_count = counters.lost_count;
	made.unknown = counters.unknown;
	made.ending = counters.ending;
	made.kernel_threads = counters.kernel_threads;
	made.idle = counters.idle;
	made.guesses = counters.guesses;
	made.off_short = counters.off_short;
	made.lost_return = counters.lost_return;
	made.off_short_ns = counters.off_short_ns;
	for (uint32_t reason = STOP_COMPLETE; reason < STOP_REASON_COUNT; reason++)
		made.stop[face_stop(reason)] += counters.stop[reason];
	return face_give(ret, &made, sizeof(made), error);
}
