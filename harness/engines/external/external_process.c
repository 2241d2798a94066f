/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_process.c - an engine's process: bytes in, bytes out, by a deadline
 *
 * Nothing here waits for the engine alone: what it is to read and what it has written go on side by
 * side, and its standard error is read whatever else happens, so that a chatty one is not stuck.
 * Its standard input is a socket: writing to a reader that is gone is an error then, and no signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "clock.h"
#include "external_inside.h"

#define READ_BYTES  65536u
#define END_WAIT_NS 1000000000ull /* for an engine to see that its input has ended */
#define NS_PER_MS   1000000u

uint8_t *external_bytes_room(struct external_bytes *bytes, size_t count)
{
	if (bytes->taken == bytes->size || bytes->taken >= READ_BYTES) {
		bytes->size -= bytes->taken;
		bytes->scanned -= bytes->scanned < bytes->taken ? bytes->scanned : bytes->taken;
		if (bytes->size)
			memmove(bytes->data, bytes->data + bytes->taken, bytes->size);
		bytes->taken = 0;
	}
	if (!ARRAY_RESERVE(bytes->data, bytes->capacity, bytes->size + count)) {
		bytes->failed = true;
		return NULL;
	}
	return bytes->data + bytes->size;
}

void external_bytes_add(struct external_bytes *bytes, const void *data, size_t size)
{
	uint8_t *room = size ? external_bytes_room(bytes, size) : NULL;

	if (!room)
		return;
	memcpy(room, data, size);
	bytes->size += size;
}

static void close_all(int *fd, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

int external_process_start(struct external_process *process, const char *const *argv,
			   const cpu_set_t *cpus, struct error *error)
{
	int end[6] = { -1, -1, -1, -1, -1, -1 }; /* input, output, errors: ours, the engine's */
	struct external_ends ends;
	pid_t keeper = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) || pipe2(end + 2, O_CLOEXEC) ||
	    pipe2(end + 4, O_CLOEXEC)) {
		error_set_errno(error, "pipes for %s", argv[0]);
	} else {
		ends = (struct external_ends) { end[1], end[3], end[5] };
		keeper = external_keeper_start(argv, &ends, cpus, &process->control, error);
	}
	if (keeper < 0) {
		close_all(end, 6);
		return -1;
	}
	close_all((int[]) { end[1], end[3], end[5] }, 3);
	shutdown(end[0], SHUT_RD);
	process->keeper = keeper;
	process->input = end[0];
	process->output = end[2];
	process->errors = end[4];
	fcntl(process->input, F_SETFL, O_NONBLOCK);
	fcntl(process->output, F_SETFL, O_NONBLOCK);
	fcntl(process->errors, F_SETFL, O_NONBLOCK);
	process->output_ended = process->died = false;
	process->in.size = process->in.taken = process->in.scanned = 0;
	process->in.failed = process->out.failed = false;
	return 0;
}

/* Adds what there is on standard error; what is more than said has room for is dropped. */
static void drain_errors(struct external_process *process, char *said, size_t said_size)
{
	char text[4096];
	ssize_t got;

	for (unsigned int i = 0; i < READ_BYTES / sizeof(text); i++) {
		size_t used = strlen(said);

		got = read(process->errors, text, sizeof(text));
		if (got <= 0)
			return;
		for (ssize_t at = 0; at < got && used + 1 < said_size; at++)
			said[used++] = text[at] ? text[at] : '?';
		said[used] = '\0';
	}
}

/* Whether there may be more. */
static bool read_output(struct external_process *process)
{
	uint8_t *room = external_bytes_room(&process->in, READ_BYTES);
	ssize_t got = room ? read(process->output, room, READ_BYTES) : -1;

	if (got > 0)
		process->in.size += (size_t)got;
	else if (!got || errno != EAGAIN)
		process->output_ended = true;
	return got > 0;
}

static void write_input(struct external_process *process)
{
	struct external_bytes *out = &process->out;

	while (out->taken < out->size) {
		ssize_t put = send(process->input, out->data + out->taken, out->size - out->taken,
				   MSG_NOSIGNAL);

		if (put < 0 && errno == EAGAIN)
			return;
		if (put < 0) /* it does not read any more: what it says, and how it ends, counts */
			out->taken = out->size;
		else
			out->taken += (size_t)put;
	}
	out->taken = out->size = 0;
}

static void read_control(struct external_process *process)
{
	if (recv(process->control, &process->status, sizeof(process->status), MSG_DONTWAIT) !=
	    sizeof(process->status))
		process->status = SIGKILL; /* the keeper is gone, and with it the engine */
	process->died = true;
}

void external_process_pump(struct external_process *process, uint64_t deadline, char *said,
			   size_t said_size)
{
	enum { INPUT, OUTPUT, ERRORS, CONTROL, ENDS };

	for (;;) {
		if (process->out.taken < process->out.size)
			write_input(process);

		bool writing = process->out.taken < process->out.size;
		uint64_t now = monotonic_ns();
		uint64_t left = deadline > now ? (deadline - now) / NS_PER_MS + 1 : 0;
		struct pollfd end[ENDS] = {
			[INPUT] = { .fd = writing ? process->input : -1, .events = POLLOUT },
			[OUTPUT] = { .fd = process->output_ended ? -1 : process->output,
				     .events = POLLIN },
			[ERRORS] = { .fd = process->errors, .events = POLLIN },
			[CONTROL] = { .fd = process->died ? -1 : process->control,
				      .events = POLLIN },
		};

		if (poll(end, ENDS, (int)left) < 0)
			memset(end, 0, sizeof(end)); /* interrupted */
		if (end[ERRORS].revents & POLLIN)
			drain_errors(process, said, said_size);
		else if (end[ERRORS].revents) /* closed: not to be woken by that for ever */
			process->errors = (close(process->errors), -1);
		/* What it said before it ended comes first. */
		if (end[CONTROL].revents) {
			while (process->in.size - process->in.taken < EXTERNAL_LINE_MAX &&
			       read_output(process))
				;
			read_control(process);
			return;
		}
		if (end[OUTPUT].revents)
			read_output(process);
		if (end[OUTPUT].revents || !left)
			return;
	}
}

void external_process_end(struct external_process *process, bool at_once, char *said,
			  size_t said_size)
{
	uint64_t deadline = monotonic_ns() + END_WAIT_NS;

	if (!process->keeper)
		return;
	close(process->input);
	process->input = -1;
	process->out.taken = process->out.size;
	while (!at_once && !process->died && monotonic_ns() < deadline) {
		external_process_pump(process, deadline, said, said_size);
		process->in.taken = process->in.size;
	}
	close(process->control);
	/* Its keeper ends it, and then itself. */
	while (waitpid(process->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	if (process->errors >= 0) {
		drain_errors(process, said, said_size);
		close(process->errors);
	}
	close(process->output);
	process->keeper = 0;
}
