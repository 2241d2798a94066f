/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cut_file.c - a file that becomes shorter while it is read
 *
 * The address says which file it was, by /proc/self/maps. In a signal handler only what signal-safety(7) lists may be
 * called: no stdio, no memory. A process of its own for each image (images/image_pool.h) needs none of this: it dies,
 * and its parent knows what of.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "cut_file.h"
#include "exit_status.h"

static const char *own_name;

/* A file that is read byte by byte. */
struct bytes {
	int fd;
	size_t at, size;
	char buffer[4096];
};

/* -1: its end. */
static int next_byte(struct bytes *bytes)
{
	if (bytes->at == bytes->size) {
		ssize_t size = read(bytes->fd, bytes->buffer, sizeof(bytes->buffer));

		if (size <= 0)
			return -1;
		bytes->at = 0;
		bytes->size = (size_t)size;
	}
	return (unsigned char)bytes->buffer[bytes->at++];
}

/* A number in hexadecimal, and the character behind it. */
static uint64_t next_number(struct bytes *bytes, int *ret_behind)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t number = 0;
	const char *digit;

	while ((*ret_behind = next_byte(bytes)) > 0 && (digit = strchr(digits, *ret_behind)))
		number = number << 4 | (uint64_t)(digit - digits);
	return number;
}

/* The rest of a line from its first slash on, as far as it fits. */
static void next_path(struct bytes *bytes, char *ret, size_t size)
{
	size_t used = 0;
	int byte;

	while ((byte = next_byte(bytes)) >= 0 && byte != '\n')
		if ((used || byte == '/') && used + 1 < size)
			ret[used++] = byte < ' ' || byte == 0x7f ? '?' : (char)byte;
	ret[used] = '\0';
}

/* "": it can't be told. */
static void find_path(const void *address, char *ret, size_t size)
{
	static struct bytes bytes; /* not on a stack that may be small */
	int behind;

	*ret = '\0';
	bytes = (struct bytes) { .fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC) };
	do {
		uint64_t start = next_number(&bytes, &behind);
		uint64_t end = behind == '-' ? next_number(&bytes, &behind) : 0;
		bool is_it = (uintptr_t)address >= start && (uintptr_t)address < end;

		next_path(&bytes, ret, size);
		if (is_it)
			return;
	} while (behind > 0);
	*ret = '\0';
}

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0) {
		/* then nobody hears it; the status says it, too */
	}
}

static void end(int number, siginfo_t *info, void *context)
{
	static char path[4096];

	if (info->si_code <= 0) { /* somebody's kill(2): as if nobody watched */
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	find_path(info->si_addr, path, sizeof(path));
	say(own_name);
	say(": ");
	say(*path ? path : "a file");
	say(": " CUT_FILE_MESSAGE "\n");
	_exit(EXIT_BAD_INPUT);
}

void cut_file_watch(const char *name)
{
	const struct sigaction action = { .sa_sigaction = end, .sa_flags = SA_SIGINFO };

	own_name = name;
	sigaction(SIGBUS, &action, NULL);
}
