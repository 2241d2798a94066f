/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external.c - an engine, asked point by point; what becomes of it when it fails
 *
 * The engine is started when it is opened, and again before a point if it failed at the one before.
 * So one that dies at a certain point loses that point, and one that always dies is gone after
 * EXTERNAL_STARTS_MAX starts. What it failed at is a stack of no frames, which scores as a
 * truncated one: all engines are held against the same points, and the outcomes say why.
 *
 * Nothing is sent before what was sent last has been answered. An answer that comes too late meets
 * nobody: its process has been killed.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "clock.h"
#include "external_inside.h"
#include "table/table_abi.h"

#define PAGE_BYTES    4096u
#define NS_PER_MS     1000000ull
#define DIE_WAIT_NS   1000000000ull /* for the word of its end, once its output has ended */
#define SHELL	      "/bin/sh"
#define HOST_VARIABLE "STACKPROOF_ENGINE_HOST"
#define ARGUMENTS_MAX 5

struct external {
	const struct external_options *options;
	const struct external_codec *codec;
	cpu_set_t cpus; /* ours, before the tracer keeps to one */
	struct external_process process;
	unsigned int starts;
	uint64_t id; /* of the point that was asked about last */
	/* What it said in its hello. */
	uint32_t stack_bytes, batch;
	struct external_bytes mappings; /* as they are sent */
	bool mappings_sent;
	struct external_report report;
	uint8_t window[EXTERNAL_STACK_MAX], memory[EXTERNAL_READ_MAX];
};

/* ---- start ---------------------------------------------------------------------------------- */

/* engine_host lies beside this program, unless the environment says otherwise. */
static int find_host(char *ret, size_t size, struct error *error)
{
	const char *wanted = getenv(HOST_VARIABLE);

	if (!wanted || !*wanted) {
		if (child_beside("engine_host", ret, size, error))
			return -1;
	} else if (snprintf(ret, size, "%s", wanted) >= (int)size) {
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "path too long");
	}
	if (!access(ret, X_OK))
		return 0;
	return error_set(error, ERROR_UNAVAILABLE, "", 0,
			 "what loads shared objects, %.150s (" HOST_VARIABLE "), is not there",
			 ret);
}

/* Another program of ours lies beside that. */
static int find_program(const char *name, char *ret, size_t size, struct error *error)
{
	char host[PATH_MAX];

	if (find_host(host, sizeof(host), error))
		return -1;
	if (snprintf(ret, size, "%s/%s", dirname(host), name) >= (int)size)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "path too long");
	if (!access(ret, X_OK))
		return 0;
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s is not there", ret);
}

static int start_process(struct external *external, struct error *error)
{
	const struct external_options *options = external->options;
	const char *argv[ARGUMENTS_MAX] = { SHELL, "-c", options->command };
	char host[PATH_MAX];

	external->mappings_sent = false;
	external->stack_bytes = 0;
	external->batch = 1;
	if (options->program) {
		if (find_program(options->program, host, sizeof(host), error))
			return -1;
		argv[0] = host;
		argv[1] = NULL;
	} else if (options->argument) {
		if (find_host(host, sizeof(host), error))
			return -1;
		argv[0] = host;
		argv[1] = options->command;
		argv[2] = options->argument;
	}
	return external_process_start(&external->process, argv, &external->cpus, error);
}

static void end_process(struct external *external, bool at_once)
{
	external_process_end(&external->process, at_once, external->report.said,
			     sizeof(external->report.said));
}

/* ---- what it says --------------------------------------------------------------------------- */

static void describe_end(const struct external_process *process, char *ret, size_t size)
{
	if (!process->died)
		snprintf(ret, size, "it closed its output");
	else if (WIFSIGNALED(process->status))
		snprintf(ret, size, "it was killed by SIG%s",
			 sigabbrev_np(WTERMSIG(process->status)));
	else
		snprintf(ret, size, "it ended with status %d", WEXITSTATUS(process->status));
}

static enum external_outcome say_broken(struct external_message *message, enum external_take take)
{
	if (take == TAKE_BROKEN)
		return EXTERNAL_PROTOCOL_BROKEN;
	snprintf(message->text, sizeof(message->text), "more than any answer has");
	return EXTERNAL_FLOOD;
}

/* Its output has ended: so will it, if it is dying. */
static void await_end(struct external *external, uint64_t deadline)
{
	uint64_t soon = monotonic_ns() + DIE_WAIT_NS;

	while (!external->process.died && monotonic_ns() < (soon < deadline ? soon : deadline))
		external_process_pump(&external->process, soon < deadline ? soon : deadline,
				      external->report.said, sizeof(external->report.said));
}

/* Its next message. -1: there was no memory here. Else an outcome; if it is not EXTERNAL_STACK,
 * message->text says why. */
static int receive(struct external *external, uint64_t deadline, struct external_message *message)
{
	struct external_process *process = &external->process;

	for (;;) {
		enum external_take took = external->codec->take(&process->in, message);

		if (took == TAKE_MESSAGE)
			return EXTERNAL_STACK;
		if (took == TAKE_MEMORY || process->in.failed || process->out.failed)
			return -1;
		if (took != TAKE_MORE)
			return (int)say_broken(message, took);
		if (process->output_ended && !process->died)
			await_end(external, deadline);
		if (process->died || process->output_ended) {
			describe_end(process, message->text, sizeof(message->text));
			return EXTERNAL_DIED;
		}
		if (monotonic_ns() >= deadline) {
			snprintf(message->text, sizeof(message->text), "it did not answer in time");
			return EXTERNAL_TIMEOUT;
		}
		external_process_pump(process, deadline, external->report.said,
				      sizeof(external->report.said));
	}
}

static int refuse(struct external_message *message, const char *what)
{
	snprintf(message->text, sizeof(message->text), "%s", what);
	return EXTERNAL_PROTOCOL_BROKEN;
}

/* A line of its hello. */
static int take_hello_line(struct external *external, bool first, struct external_message *message)
{
	if (first != (message->kind == KIND_HELLO))
		return refuse(message, first ? "its first word is not hello" : "a second hello");
	switch (message->kind) {
	case KIND_HELLO:
		return message->number == EXTERNAL_PROTOCOL
			       ? EXTERNAL_STACK
			       : refuse(message, "it speaks another version of the protocol");
	case KIND_VERSION:
		snprintf(external->report.version, sizeof(external->report.version), "%.63s",
			 message->text);
		return EXTERNAL_STACK;
	case KIND_WANTS_STACK:
		external->stack_bytes = (uint32_t)message->number;
		return message->number <= EXTERNAL_STACK_MAX
			       ? EXTERNAL_STACK
			       : refuse(message, "a window too large");
	case KIND_WANTS_BATCH:
		external->batch = (uint32_t)message->number;
		return message->number >= 1 && message->number <= EXTERNAL_BATCH_MAX
			       ? EXTERNAL_STACK
			       : refuse(message, "a batch too large, or of none");
	case KIND_READY: return EXTERNAL_STACK;
	default: return refuse(message, "it was not asked about any point yet");
	}
}

static int take_hello(struct external *external, struct external_message *message)
{
	uint64_t deadline = monotonic_ns() + external->options->hello_ms * NS_PER_MS;
	bool first = true;
	int outcome;

	external->codec->put_hello(&external->process.out);
	do {
		outcome = receive(external, deadline, message);
		if (outcome == EXTERNAL_STACK)
			outcome = take_hello_line(external, first, message);
		first = false;
	} while (outcome == EXTERNAL_STACK && message->kind != KIND_READY);
	return outcome;
}

/* ---- asking --------------------------------------------------------------------------------- */

/* The stack from rsp up, page by page until one can't be read. */
static size_t read_window(struct external *external, const struct external_point *point)
{
	uint64_t address = point->regs->value[REGISTER_RSP];
	size_t size = 0;

	while (size < external->stack_bytes) {
		size_t part = PAGE_BYTES - (address + size) % PAGE_BYTES;

		if (part > external->stack_bytes - size)
			part = external->stack_bytes - size;
		if (point->memory->read(point->memory->context, address + size,
					external->window + size, part))
			break;
		size += part;
	}
	return size;
}

static void send_points(struct external *external, const struct external_point *point, size_t count)
{
	struct external_bytes *out = &external->process.out;

	if (!external->mappings_sent)
		external_bytes_add(out, external->mappings.data, external->mappings.size);
	external->mappings_sent = true;
	external->codec->put_batch(out, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t reg[REGISTER_COUNT];
		struct external_written_point written = { .id = external->id + 1 + i, .reg = reg };

		for (unsigned int at = 0; at < REGISTER_COUNT; at++)
			reg[at] = point[i].regs->known >> at & 1 ? point[i].regs->value[at] : 0;
		if (external->stack_bytes) {
			written.stack = external->window;
			written.stack_bytes = read_window(external, &point[i]);
			external->report.bytes += written.stack_bytes;
		}
		external->codec->put_point(out, &written);
	}
}

/* points: those that were sent; the first of them has the number first. */
static int answer_read(struct external *external, const struct external_point *point, size_t count,
		       uint64_t first, struct external_message *message)
{
	struct external_bytes *out = &external->process.out;
	const struct memory_reader *memory;

	if (message->id - first >= count)
		return refuse(message, "a read for a point that was not asked about");
	if (!message->count || message->count > EXTERNAL_READ_MAX)
		return refuse(message, "a read of nothing, or of more than 65536 bytes");
	memory = point[message->id - first].memory;
	external->report.reads++;
	if (message->address + message->count < message->address ||
	    memory->read(memory->context, message->address, external->memory, message->count))
		external->codec->put_fault(out);
	else {
		external->codec->put_memory(out, external->memory, message->count);
		external->report.bytes += message->count;
	}
	return EXTERNAL_STACK;
}

/* The answers to points that were sent, until one fails. *ret: how many there are. */
static int take_answers(struct external *external, const struct external_point *point, size_t count,
			struct stack *stack, size_t *ret, struct external_message *message)
{
	uint64_t first = external->id + 1, deadline = 0;
	unsigned int reads = 0;

	for (*ret = 0; *ret < count;) {
		int outcome;

		if (!deadline)
			deadline = monotonic_ns() + external->options->answer_ms * NS_PER_MS;
		message->stack = &stack[*ret];
		message->wanted = first + *ret;
		outcome = receive(external, deadline, message);
		if (outcome == EXTERNAL_STACK && message->kind == KIND_READ) {
			outcome = answer_read(external, point, count, first, message);
			if (outcome == EXTERNAL_STACK && ++reads > EXTERNAL_READS_MAX)
				outcome = (int)say_broken(message, TAKE_FLOOD);
		} else if (outcome == EXTERNAL_STACK && message->kind == KIND_STACK) {
			deadline = reads = 0;
			external->id++;
			++*ret;
		} else if (outcome == EXTERNAL_STACK) {
			outcome = refuse(message, "a line of its hello, after it");
		}
		if (outcome != EXTERNAL_STACK)
			return outcome;
	}
	return EXTERNAL_STACK;
}

/* ---- failing -------------------------------------------------------------------------------- */

/* The first line of what it wrote to standard error, if anything. */
static void add_said(const struct external *external, char *text, size_t size)
{
	const char *said = external->report.said;
	size_t used = strlen(text), length = strcspn(said, "\n");
	char line[120];

	external_text(said, length, line, sizeof(line));
	if (length && used < size)
		snprintf(text + used, size - used, ": %s", line);
}

static void note_failure(struct external *external, const char *where, const char *why)
{
	struct external_report *report = &external->report;

	if (!report->failure[0])
		snprintf(report->failure, sizeof(report->failure), "%s: %.150s", where, why);
}

/* A failed process's turn is over. -1 is not its fault. */
static int fail_point(struct external *external, int outcome, const char *why)
{
	char where[40];

	end_process(external, true);
	if (outcome < 0)
		return outcome;
	snprintf(where, sizeof(where), "point %llu", (unsigned long long)(external->id + 1));
	note_failure(external, where, why);
	return outcome;
}

/* Starts it if it does not run. EXTERNAL_STACK: it runs. */
static int ensure_runs(struct external *external)
{
	struct external_message message = { 0 };
	struct error error;
	int outcome;

	if (external->process.keeper)
		return EXTERNAL_STACK;
	if (external->starts >= EXTERNAL_STARTS_MAX)
		return EXTERNAL_GONE;
	external->starts++;
	external->report.starts++;
	if (start_process(external, &error)) {
		note_failure(external, "a start", error.message);
		return EXTERNAL_DIED;
	}
	outcome = take_hello(external, &message);
	if (outcome == EXTERNAL_STACK)
		return outcome;
	end_process(external, true);
	if (outcome > 0)
		note_failure(external, "its hello", message.text);
	return outcome;
}

/* Asks about as many as one batch has, or as it has answers for. *ret: how many are done; the last
 * one with this outcome. -1: no memory here. */
static int ask_batch(struct external *external, const struct external_point *point, size_t count,
		     struct stack *stack, size_t *ret)
{
	struct external_message message = { 0 };
	uint64_t total = external->options->total_ms * NS_PER_MS;
	int outcome;

	*ret = 0;
	if (total && external->report.waited_ns >= total) {
		end_process(external, true);
		note_failure(external, "all answers", "they took too long");
		return EXTERNAL_LATE;
	}
	outcome = ensure_runs(external);
	if (outcome != EXTERNAL_STACK)
		return outcome;
	send_points(external, point, count < external->batch ? count : external->batch);
	outcome = take_answers(external, point, count < external->batch ? count : external->batch,
			       stack, ret, &message);
	return outcome == EXTERNAL_STACK ? outcome : fail_point(external, outcome, message.text);
}

int external_ask(struct external *external, const struct external_point *point, size_t count,
		 struct stack *ret, struct error *error)
{
	while (count) {
		uint64_t begin = monotonic_ns(), taken;
		size_t done;
		int outcome = ask_batch(external, point, count, ret, &done);

		taken = monotonic_ns() - begin;
		external->report.waited_ns += taken;
		external->report.answered_ns += outcome == EXTERNAL_STACK ? taken : 0;
		if (outcome < 0)
			return error_set(error, ERROR_MEMORY, "", 0,
					 "no memory for what engine %s says",
					 external->options->name);
		external->report.outcome[EXTERNAL_STACK] += done;
		if (outcome != EXTERNAL_STACK) {
			external->report.outcome[outcome]++;
			stack_clear(&ret[done]);
			ret[done++].stop = STOP_FOREIGN;
			external->id++;
		}
		point += done;
		ret += done;
		count -= done;
	}
	return 0;
}

/* ---- its life ------------------------------------------------------------------------------- */

int external_open(const struct external_options *options, struct external **ret,
		  struct error *error)
{
	struct external *external = calloc(1, sizeof(*external));
	struct external_message message = { 0 };
	int outcome = -1;

	if (!external)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for engine %s",
				 options->name);
	external->options = options;
	external->codec = options->argument || options->program ? &external_frames
								: &external_lines;
	external->starts = 1;
	sched_getaffinity(0, sizeof(external->cpus), &external->cpus);
	if (start_process(external, error)) {
		free(external);
		return -1;
	}
	outcome = take_hello(external, &message);
	if (outcome == EXTERNAL_STACK) {
		*ret = external;
		return 0;
	}
	end_process(external, true);
	if (outcome < 0)
		error_set(error, ERROR_MEMORY, "", 0, "no memory for engine %s", options->name);
	else {
		add_said(external, message.text, sizeof(message.text));
		error_set(error, ERROR_UNAVAILABLE, "", 0, "no hello: %s", message.text);
	}
	external_close(external);
	return -1;
}

void external_close(struct external *external)
{
	if (!external)
		return;
	end_process(external, false);
	free(external->process.in.data);
	free(external->process.out.data);
	free(external->mappings.data);
	free(external);
}

void external_begin(struct external *external)
{
	struct external_report *report = &external->report;

	memset(report->outcome, 0, sizeof(report->outcome));
	report->starts = report->reads = report->bytes = 0;
	report->waited_ns = report->answered_ns = 0;
	report->failure[0] = '\0';
	external->starts = external->process.keeper ? 1 : 0;
}

int external_mappings(struct external *external, const struct external_mapping *mapping,
		      size_t count, struct error *error)
{
	struct external_bytes *bytes = &external->mappings;

	bytes->size = bytes->taken = 0;
	bytes->failed = false;
	external->mappings_sent = false;
	external->codec->put_mappings(bytes, mapping, count);
	if (!bytes->failed)
		return 0;
	return error_set(error, ERROR_MEMORY, "", 0,
			 "no memory for the mappings that engine %s gets", external->options->name);
}

void external_report(const struct external *external, struct external_report *ret)
{
	*ret = external->report;
}
