/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * host_served.h - a child that host_serve() serves an engine in, and stackproof's end of its messages
 *
 * The engine is of three functions in the test itself. What it prints is kept in a file: there it
 * says what it was asked.
 */
#ifndef STACKPROOF_TESTS_HOST_SERVED_H
#define STACKPROOF_TESTS_HOST_SERVED_H

#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engines/external/external_wire.h"
#include "engines/external/host_serve.h"

#define BATCH_MAX 256
#define RSP	  7
#define STACK	  0x7ffe00000100u

/* ---- the engine: what it does was decided before the child was there -------------------------- */

static int (*answer)(const struct stackproof_engine_point *, struct stackproof_engine_stack *);
static struct stackproof_engine_about about;
static bool refuses;

static inline void *engine_open(uint32_t version, const char *argument,
				struct stackproof_engine_about *ret)
{
	char byte;

	printf("open %u %s %d\n", version, argument,
	       ret->bytes == sizeof(*ret) && !ret->version[0] && !ret->stack_bytes);
	memcpy(ret->version, about.version, sizeof(ret->version));
	ret->stack_bytes = about.stack_bytes;
	/* No descriptor of the messages is where an engine would look for its own. */
	printf("input %zd, output %d, messages %d %d %d\n", read(STDIN_FILENO, &byte, 1),
	       fcntl(STDOUT_FILENO, F_GETFD), fcntl(64, F_GETFD), fcntl(65, F_GETFD),
	       fcntl(66, F_GETFD));
	return refuses ? NULL : &about;
}

static inline int engine_walk(void *engine, const struct stackproof_engine_point *point,
			      struct stackproof_engine_stack *ret)
{
	ck_assert_ptr_eq(engine, &about);
	return answer(point, ret);
}

static inline void engine_close(void *engine)
{
	printf("close %d\n", engine == &about);
}

/* ---- stackproof's end ------------------------------------------------------------------------- */

static pid_t child;
static int to_child = -1, from_child = -1, log_fd;
static uint8_t message[1u << 20]; /* what is sent at once */
static size_t message_bytes;

static inline void child_serves(int input, int output)
{
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(log_fd, STDERR_FILENO);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	static const struct host_functions functions = { engine_open, engine_walk, engine_close };
	int status = host_serve(host_create(), &functions, "an argument");
	fflush(stdout);
	_exit(status);
}

static inline void start(int (*what)(const struct stackproof_engine_point *,
				     struct stackproof_engine_stack *))
{
	FILE *file = tmpfile();
	int in[2], out[2];

	answer = what;
	ck_assert(file && !pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC));
	log_fd = dup(fileno(file));
	fclose(file);
	fflush(NULL);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child)
		child_serves(in[0], out[1]);
	close(in[0]);
	close(out[1]);
	to_child = in[1];
	from_child = out[0];
	message_bytes = 0;
}

/* data: may be what was sent before, in message itself, and NULL if size is 0. */
static inline void add(const void *data, size_t size)
{
	ck_assert_uint_le(size, sizeof(message) - message_bytes);
	if (size)
		memmove(message + message_bytes, data, size);
	message_bytes += size;
}

static inline void add_message(uint32_t kind, const void *data, size_t size)
{
	struct wire_header header = { kind, (uint32_t)size };

	add(&header, sizeof(header));
	add(data, size);
}

static inline void add_number(uint32_t kind, uint64_t number)
{
	add_message(kind, &number, sizeof(number));
}

static inline void add_point(uint64_t id, const void *stack, size_t bytes)
{
	struct wire_header header = { KIND_POINT, (uint32_t)(sizeof(struct wire_point) + bytes) };
	struct wire_point wire = { .id = id };

	for (uint64_t i = 0; i < 17; i++)
		wire.reg[i] = i == RSP ? STACK : 100 * id + i;
	add(&header, sizeof(header));
	add(&wire, sizeof(wire));
	add(stack, bytes);
}

static inline void send_all(void)
{
	for (size_t done = 0; done < message_bytes;) {
		ssize_t put = write(to_child, message + done, message_bytes - done);

		ck_assert_int_gt(put, 0);
		done += (size_t)put;
	}
	message_bytes = 0;
}

static inline void take(void *ret, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(from_child, (char *)ret + done, size - done);

		ck_assert_msg(got > 0, "%zu of %zu bytes came", done, size);
		done += (size_t)got;
	}
}

static inline void expect(uint32_t kind, const void *data, size_t size)
{
	struct wire_header header;
	uint8_t *came;

	take(&header, sizeof(header));
	ck_assert_uint_eq(header.kind, kind);
	ck_assert_uint_eq(header.bytes, size);
	came = calloc(1, size + 1);
	take(came, size);
	ck_assert_msg(!memcmp(came, data, size), "kind %u: %.*s", kind, (int)size, came);
	free(came);
}

static inline void expect_stack(uint64_t id, uint64_t stop, const uint64_t *pc, size_t count)
{
	uint64_t *wire = calloc(count + 2, sizeof(*wire));

	wire[0] = id;
	wire[1] = stop;
	if (count)
		memcpy(wire + 2, pc, count * sizeof(*pc));
	expect(KIND_STACK, wire, (count + 2) * sizeof(*wire));
	free(wire);
}

static inline void expect_read(uint64_t id, uint64_t address, uint64_t bytes)
{
	expect(KIND_READ, (uint64_t[]) { id, address, bytes }, 24);
}

/* Nothing more comes; all that the child's engine and the child printed. Its status, or -1. */
static inline int end(char *said, size_t size)
{
	char byte;
	int status;
	ssize_t got;

	if (message_bytes)
		send_all();
	close(to_child);
	ck_assert_int_eq(read(from_child, &byte, 1), 0);
	close(from_child);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	got = pread(log_fd, said, size - 1, 0);
	said[got > 0 ? got : 0] = '\0';
	close(log_fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define OPENED "open 1 an argument 1\ninput 0, output 0, messages 1 1 -1\n"

static inline void ends_well(const char *between)
{
	char said[8192], expected[8192];
	int status = end(said, sizeof(said));

	snprintf(expected, sizeof(expected), OPENED "%sclose 1\n", between);
	ck_assert_str_eq(said, expected);
	ck_assert_int_eq(status, 0);
}

#endif
