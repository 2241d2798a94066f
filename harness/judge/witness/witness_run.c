/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * witness_run.c - a program stepped, both witnesses asked
 *
 * A stop at a hook's mark is an event. Its number says whether all were seen: it is drawn by the
 * program from one counter, so each number from 0 on is some thread's. A thread that is interrupted
 * at a mark comes to it again; number 0 again is another program, brought in by exec.
 */
#include <elf.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include "array.h"
#include "clock.h"
#include "base/images/debug_link.h"
#include "proc_file.h"
#include "truth/tracer/target_memory.h"
#include "truth/tracer/target_start.h"
#include "witness.h"

#define CPU_WORDS_MAX 4096 /* deeper stacks are compared in their innermost frames */

struct witness_thread {
	pid_t tid;
	struct witness_log log;
	bool reported;
	uint64_t number; /* of its last event */
	bool cpu;
	uint64_t cpu_base; /* SSP when the CPU's stack was first seen */
	size_t cpu_first;  /* how many frames the truth had then */
};

struct run {
	const struct witness_options *options;
	struct witness_result *result;
	struct witness_thread *thread;
	size_t thread_count;
	struct target_memory *memory;
	struct memory_reader reader;
	struct image *image; /* the program's */
	struct image_store *store;
	struct address_space space; /* to say where it was when it was cut short */
	struct witness_functions functions;
	uint64_t bias;
	uint64_t seen,
		next; /* of the program at hand: events, and the highest number's successor */
	uint64_t word[CPU_WORDS_MAX];
	struct error *error;
	struct error failure; /* of on_mappings */
	bool failed;
	bool cpu_possible; /* this machine has such stacks */
};

/* ---- the program ------------------------------------------------------------------------ */

static void forget_program(struct run *run)
{
	witness_functions_deinit(&run->functions);
	image_destroy(run->image);
	run->image = NULL;
}

static int read_program(struct run *run, pid_t pid, struct error *error)
{
	/* The first thread may be gone: its number then leads to nothing. */
	pid_t living = process_living_thread(pid);
	char path[4096];
	uint64_t entry = target_auxv(living, AT_ENTRY);

	if (proc_link_read(living, "exe", path, sizeof(path)) < 0)
		return error_set_errno(error, "/proc/%d/exe", living);
	if (run->image && !strcmp(run->image->path, path) && run->bias == entry - run->image->entry)
		return 0;
	forget_program(run);
	if (image_create(path, &run->image, error))
		return -1;
	run->bias = entry - run->image->entry;
	return witness_functions_init(&run->functions, run->image, run->bias, error);
}

static int on_mappings(void *context, pid_t pid)
{
	struct run *run = context;

	struct error unplaced; /* where it ends is then not said */

	run->failed = read_program(run, pid, &run->failure);
	if (!run->failed && address_space_read(&run->space, run->store, pid, &unplaced))
		address_space_deinit(&run->space);
	return run->failed ? -1 : 0;
}

/* ---- threads ---------------------------------------------------------------------------- */

static struct witness_thread *find_thread(struct run *run, pid_t tid)
{
	struct witness_thread *thread;

	for (size_t i = 0; i < run->thread_count; i++)
		if (run->thread[i].tid == tid)
			return &run->thread[i];
	thread = ARRAY_ADD(run->thread, run->thread_count, (struct witness_thread) { .tid = tid });
	if (!thread)
		error_set(run->error, ERROR_MEMORY, "", 0, "no memory for a thread");
	return thread;
}

static void forget_threads(struct run *run)
{
	for (size_t i = 0; i < run->thread_count; i++)
		witness_log_deinit(&run->thread[i].log);
	free(run->thread);
	run->thread = NULL;
	run->thread_count = 0;
}

static void find(struct run *run, struct witness_finding *finding)
{
	struct address_space space = { 0 };
	struct image_store *store = debug_link_store();
	struct error error;

	run->result->differences[finding->difference.kind]++;
	if (!run->options->on_finding || !store ||
	    address_space_read(&space, store, finding->stop->pid, &error)) {
		image_store_destroy(store);
		return;
	}
	finding->space = &space;
	run->options->on_finding(run->options->context, finding);
	address_space_deinit(&space);
	image_store_destroy(store);
}

/* ---- events ----------------------------------------------------------------------------- */

static uint64_t read_word(struct run *run, uint64_t address)
{
	uint64_t word = 0;

	return run->reader.read(run->reader.context, address, &word, sizeof(word)) ? 0 : word;
}

/* A handler's call site is what makes the system call rt_sigreturn, 15: as gdb knows it. */
static bool is_restorer(struct run *run, uint64_t pc)
{
	static const uint8_t wide[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t plain[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	uint8_t bytes[sizeof(wide)];

	if (run->reader.read(run->reader.context, pc, bytes, sizeof(bytes)))
		return false;
	return !memcmp(bytes, wide, sizeof(wide)) || !memcmp(bytes, plain, sizeof(plain));
}

/* slot: of the restorer's address. Above it lies the ucontext. */
static struct witness_signal read_signal(struct run *run, uint64_t slot, uint64_t call_site)
{
	ucontext_t frame;
	const stack_t *alternate = &frame.uc_stack;
	struct witness_signal signal = { 0 };

	if (!is_restorer(run, call_site) ||
	    run->reader.read(run->reader.context, slot + sizeof(slot), &frame,
			     offsetof(ucontext_t, uc_mcontext.fpregs)))
		return signal;
	signal = (struct witness_signal) {
		.handler = true,
		.interrupted_pc = frame.uc_mcontext.gregs[REG_RIP],
		.interrupted_sp = frame.uc_mcontext.gregs[REG_RSP],
		.alternate_low = (uintptr_t)alternate->ss_sp,
		.alternate_high = (uintptr_t)alternate->ss_sp,
	};
	if (!(alternate->ss_flags & SS_DISABLE))
		signal.alternate_high += alternate->ss_size;
	return signal;
}

/* False: the stop is no event. */
static bool event_kind(const struct witness_hooks *hooks, uint64_t pc, enum witness_event_kind *ret)
{
	const uint64_t mark[WITNESS_EVENT_COUNT] = {
		[WITNESS_ENTRY] = hooks->entry,	  [WITNESS_ENTER] = hooks->enter,
		[WITNESS_EXIT] = hooks->exit,	  [WITNESS_RESUME] = hooks->resume,
		[WITNESS_CHANGE] = hooks->change,
	};

	for (size_t i = 0; i < WITNESS_EVENT_COUNT; i++) {
		if (pc != mark[i])
			continue;
		*ret = i;
		return true;
	}
	return false;
}

/*
 * The word above the hook's own. Not in gcc's nested functions: they have an argument in r10, and
 * push it around the call of the hook.
 */
static uint64_t entry_slot(struct run *run, const struct witness_event *event)
{
	static const uint8_t push_r10[] = { 0x41, 0x52 };
	const struct witness_function *function = witness_function_at(&run->functions,
								      event->hook_return - 1);
	uint8_t bytes[sizeof(push_r10)];
	bool pushed = function &&
		      !run->reader.read(run->reader.context, function->start, bytes,
					sizeof(bytes)) &&
		      !memcmp(bytes, push_r10, sizeof(bytes));

	return event->sp + sizeof(uint64_t) * (1 + pushed);
}

static struct witness_event read_event(struct run *run, const uint64_t *value,
				       enum witness_event_kind kind)
{
	struct witness_event event = {
		.kind = kind,
		.number = value[REGISTER_R11],
		.sp = value[REGISTER_RSP],
		.base = value[REGISTER_RBP],
		.hook_return = read_word(run, value[REGISTER_RSP]),
	};

	if (kind == WITNESS_ENTRY) {
		event.slot = entry_slot(run, &event);
		event.call_site = read_word(run, event.slot);
		event.signal = read_signal(run, event.slot, event.call_site);
	} else if (kind == WITNESS_CHANGE) {
		event.from = value[REGISTER_RDI];
		event.to = value[REGISTER_RSI];
		event.link = read_word(run, event.to + offsetof(ucontext_t, uc_link));
	} else if (kind != WITNESS_RESUME) {
		event.function = value[REGISTER_RDI];
		event.call_site = value[REGISTER_RSI];
	}
	return event;
}

/* Exec, and the numbers that nobody saw. */
static void end_program(struct run *run)
{
	run->result->lost += run->next - run->seen;
	for (size_t i = 0; i < run->functions.count; i++)
		run->result->mute += run->functions.function[i].mute;
	run->seen = run->next = 0;
}

static void count_event(struct run *run, const struct witness_event *event)
{
	struct witness_result *result = run->result;

	result->event[event->kind]++;
	result->handlers += event->signal.handler;
	result->programs += event->number == 0;
	run->seen++;
	if (event->number >= run->next)
		run->next = event->number + 1;
}

/* The log takes the event in, and is held against the truth. */
static int take_event(struct run *run, struct witness_thread *thread,
		      const struct witness_event *event, const struct trace_stop *stop)
{
	struct witness_finding finding = { .event = event, .stop = stop, .log = &thread->log };
	size_t frames;

	thread->reported = true;
	thread->number = event->number;
	if (!witness_log_event(&thread->log, &run->functions, event, &finding.difference))
		return error_set(run->error, ERROR_MEMORY, "", 0, "no memory for a log");
	count_event(run, event);
	if (finding.difference.kind == WITNESS_AGREES) {
		witness_compare(&thread->log, &run->functions, event, stop->shadow, &frames,
				&finding.difference);
		run->result->frames += frames;
	}
	if (finding.difference.kind == WITNESS_AGREES)
		witness_compare_memory(stop->shadow, &run->reader, &finding.difference);
	if (finding.difference.kind != WITNESS_AGREES)
		find(run, &finding);
	if (!witness_log_settle(&thread->log, event))
		return error_set(run->error, ERROR_MEMORY, "", 0, "no memory for a log");
	return 0;
}

/* ---- the CPU's -------------------------------------------------------------------------- */

static void ask_cpu(struct run *run, struct witness_thread *thread, const struct trace_stop *stop,
		    uint64_t ssp)
{
	struct witness_finding finding = { .stop = stop, .word = run->word };
	size_t first = thread->cpu_first, count;

	if (!thread->cpu) {
		thread->cpu = true;
		thread->cpu_base = ssp;
		thread->cpu_first = first = stop->shadow->count;
	}
	count = thread->cpu_base > ssp ? (thread->cpu_base - ssp) / sizeof(uint64_t) : 0;
	if (count > CPU_WORDS_MAX) {
		count = CPU_WORDS_MAX;
		first = stop->shadow->count > count ? stop->shadow->count - count : 0;
	}
	for (size_t i = 0; i < count; i++)
		run->word[i] = read_word(run, ssp + i * sizeof(uint64_t));
	run->result->cpu = true;
	run->result->cpu_points++;
	run->result->cpu_words += count;
	finding.word_count = count;
	witness_cpu_compare(stop->shadow, first, ssp, run->word, count, &finding.difference);
	if (finding.difference.kind != WITNESS_AGREES)
		find(run, &finding);
}

/* exec took it away: the next one is another. */
static void forget_cpu(struct run *run, pid_t tid)
{
	for (size_t i = 0; i < run->thread_count; i++)
		if (run->thread[i].tid == tid)
			run->thread[i].cpu = false;
}

/* ---- the run ---------------------------------------------------------------------------- */

static int on_stop(void *context, const struct trace_stop *stop, struct error *error)
{
	struct run *run = context;
	struct witness_thread *thread;
	enum witness_event_kind kind;
	struct witness_event event;
	bool is_event, has_cpu;
	uint64_t ssp = 0;

	run->error = error;
	target_memory_reset(run->memory, stop->tid);
	is_event = event_kind(&run->functions.hooks, stop->regs.value[REGISTER_RIP], &kind);
	has_cpu = run->cpu_possible && target_shadow_pointer(stop->tid, &ssp);
	if (run->cpu_possible && !has_cpu)
		forget_cpu(run, stop->tid);
	if (!is_event && !has_cpu)
		return 0;
	if (is_event)
		event = read_event(run, stop->regs.value, kind);
	if (is_event && event.number == 0 && run->seen) {
		end_program(run);
		forget_threads(run);
	}
	thread = find_thread(run, stop->tid);
	if (!thread)
		return -1;
	if (has_cpu)
		ask_cpu(run, thread, stop, ssp);
	if (!is_event || (thread->reported && thread->number == event.number))
		return 0;
	return take_event(run, thread, &event, stop);
}

int witness_run(const struct witness_options *options, struct witness_result *ret,
		struct error *error)
{
	struct run *run = calloc(1, sizeof(*run));
	struct tracer_callbacks callbacks = { .on_mappings = on_mappings,
					      .on_stop = on_stop,
					      .context = run };
	uint64_t begin = monotonic_ns();
	int status = -1;

	*ret = (struct witness_result) { 0 };
	if (!run)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a run");
	run->options = options;
	run->result = ret;
	run->cpu_possible = witness_cpu_available();
	run->memory = target_memory_create();
	run->store = debug_link_store();
	if (!run->memory || !run->store) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a run");
		goto out;
	}
	run->reader = target_memory_reader(run->memory);
	status = tracer_run(&options->tracer, &callbacks, &ret->truth, &ret->status, error);
	if (run->failed)
		*error = run->failure;
	if (!status && ret->truth.ending == TRACER_KILLED)
		status = error_set(error, ERROR_PROTOCOL, "", 0,
				   "the program was killed by SIGKILL");
	ret->cut = (struct run_cut) { .points = 0, .elapsed_ns = monotonic_ns() - begin };
	if (status) {
		run_cut_set(&ret->cut, &options->tracer, &ret->truth, &run->space, error);
		*error = ret->cut.early;
	}
	end_program(run);
	ret->instrumented = ret->programs || run->functions.hooks.entry;
	forget_threads(run);
	forget_program(run);
out:
	target_memory_destroy(run->memory);
	address_space_deinit(&run->space);
	image_store_destroy(run->store);
	free(run);
	return status;
}

uint64_t witness_findings(const struct witness_result *result)
{
	uint64_t all = result->lost;

	for (size_t i = WITNESS_AGREES + 1; i < WITNESS_DIFFERENCE_COUNT; i++)
		all += result->differences[i];
	return all;
}
