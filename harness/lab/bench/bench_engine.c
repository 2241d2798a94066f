/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_engine.c - asking an external engine about a point, against a bare round trip between processes
 *
 * The engine is the least that one can be: it answers with the PC and the word at rsp, which it has
 * from the window that comes with the point. What is left is the way there and back. Less than that
 * nobody has to whom another process answers: the reference sends as many bytes there and back, and
 * nobody looks at them. Both wake another process for each point, so that a busy machine slows them
 * down alike.
 *
 * The note has what batches make of it, as points have them that need not be answered one by one.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include "bench.h"
#include "base/child/child.h"
#include "clock.h"
#include "engines/external/external.h"
#include "table/table_abi.h"

#define POINTS	     5000
#define BATCH	     64
#define STACK_AT     0x7fff0000u
#define STACK_WORD   0x401234u
#define PC	     0x405678u
#define WINDOW_BYTES 4096u
#define ANSWER_BYTES 40u
#define TIMEOUT_MS   60000u

/* The stack is one word again and again. */
static int read_word(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t word = STACK_WORD;

	for (size_t i = 0; i < size; i++)
		((uint8_t *)ret)[i] = ((uint8_t *)&word)[(address + i) % sizeof(word)];
	return 0;
}

static const struct memory_reader memory = { .read = read_word };

static const struct register_values *registers(void)
{
	static struct register_values regs;

	regs.value[REGISTER_RSP] = STACK_AT;
	regs.value[REGISTER_RIP] = PC;
	regs.known = (1u << REGISTER_COUNT) - 1;
	return &regs;
}

/* Asks about POINTS points, so many at once, and looks at each answer. *ret: points a second. */
static int ask_points(struct external *external, size_t at_once, double *ret, struct error *error)
{
	struct external_point point[BATCH];
	static struct stack stack[BATCH];
	uint64_t begin = monotonic_ns();
	int status = -1;

	for (size_t i = 0; i < at_once; i++)
		point[i] = (struct external_point) { registers(), &memory };
	for (size_t done = 0; done < POINTS; done += at_once) {
		if (external_ask(external, point, at_once, stack, error))
			goto out;
		for (size_t i = 0; i < at_once; i++) {
			if (stack[i].count == 2 && stack[i].pc[0] == PC &&
			    stack[i].pc[1] == STACK_WORD)
				continue;
			error_set(error, ERROR_PROTOCOL, "", 0,
				  "the engine did not answer as it must");
			goto out;
		}
	}
	*ret = POINTS * 1e9 / (double)(monotonic_ns() - begin);
	status = 0;
out:
	for (size_t i = 0; i < at_once; i++)
		stack_deinit(&stack[i]);
	return status;
}

/* ---- the reference -------------------------------------------------------------------------- */

static bool read_all(int fd, char *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(fd, data + done, size - done);

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* There and back as often as there are points; *ret: times a second. */
static int bounce(size_t there, double *ret, struct error *error)
{
	char data[4 * WINDOW_BYTES] = { 0 };
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_set_errno(error, "a socket");
	pid = child_fork();
	if (!pid) {
		close(ends[0]);
		while (read_all(ends[1], data, there) &&
		       write(ends[1], data, ANSWER_BYTES) == (ssize_t)ANSWER_BYTES)
			;
		_exit(0);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return error_set_errno(error, "a process");
	}
	uint64_t begin = monotonic_ns();
	unsigned int done = 0;

	while (done < POINTS && send(ends[0], data, there, MSG_NOSIGNAL) == (ssize_t)there &&
	       read_all(ends[0], data, ANSWER_BYTES))
		done++;
	*ret = done * 1e9 / (double)(monotonic_ns() - begin);
	close(ends[0]);
	child_end(pid, true);
	return done == POINTS ? 0 : error_set(error, ERROR_PROTOCOL, "", 0, "the echo ended early");
}

/* ---- the figures ---------------------------------------------------------------------------- */

static int measure(const struct bench_options *options, struct external *external, size_t there,
		   const char *how, struct bench_figure *ret, struct error *error)
{
	double ours[BENCH_RUNS_MAX], bare[BENCH_RUNS_MAX], batched[BENCH_RUNS_MAX];

	for (unsigned int i = 0; i < options->runs; i++)
		if (ask_points(external, 1, &ours[i], error) ||
		    ask_points(external, BATCH, &batched[i], error) ||
		    bounce(there, &bare[i], error))
			return -1;
	ret->value = bench_median(ours, options->runs);
	ret->unit = "points/s";
	ret->reference = "a bare round trip of as many bytes";
	ret->reference_value = bench_median(bare, options->runs);
	ret->ratio = ret->value / ret->reference_value;
	snprintf(
		ret->note, sizeof(ret->note),
		"%s: it answers with two frames, and has %u bytes of the stack with each point; in "
		"batches of %d %.0f points/s",
		how, WINDOW_BYTES, BATCH, bench_median(batched, options->runs));
	return 0;
}

/* there: about how many bytes a point has. */
static int bench_engine(const struct bench_options *options, const char *file, bool object,
			size_t there, const char *how, struct bench_figure *ret,
			struct error *error)
{
	char path[4096];
	struct external_options external_options = { .name = ret->name,
						     .command = path,
						     .argument = object ? "" : NULL,
						     .hello_ms = TIMEOUT_MS,
						     .answer_ms = TIMEOUT_MS };
	struct external *external;
	int status;

	if (snprintf(path, sizeof(path), "%s/%s", options->programs, file) >= (int)sizeof(path) ||
	    access(path, R_OK))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.180s is not there", path);
	if (external_open(&external_options, &external, error))
		return -1;
	status = external_mappings(external, NULL, 0, error);
	if (!status)
		status = measure(options, external, there, how, ret, error);
	external_close(external);
	return status;
}

int bench_engine_so(const struct bench_options *options, struct bench_figure *ret,
		    struct error *error)
{
	return bench_engine(options, "engine.so", true, WINDOW_BYTES + 168, "a shared object", ret,
			    error);
}

int bench_engine_protocol(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error)
{
	return bench_engine(options, "engine_lines", false, 2 * WINDOW_BYTES + 70,
			    "a program that speaks lines", ret, error);
}
