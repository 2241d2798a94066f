/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * top_terminal.c - the terminal, which is given back whatever happens
 *
 * It is opened anew: so it can be without blocking, which a shell's descriptor must not become. What would kill us gives
 * the terminal back first and then kills us as before; only SIGKILL doesn't ask. In the background nothing is taken, and
 * nothing written: the shell has the terminal then.
 *
 * A terminal may take nothing any more, as that of a connection that hangs. Nobody waits for it: neither the drawing, nor
 * the end, whose messages go through the same door.
 *
 * There is one terminal, and a handler of a signal has no argument: so what is known of it is static.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "top.h"

#define PATIENCE_MS 250
#define ENTER                                                                                      \
	"\033[?1049h\033[?25l\033[?7l" /* the other screen, no cursor, lines end at the edge */
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static const int fatal[] = {
	SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGABRT, SIGSYS,  SIGTRAP, SIGQUIT,
	SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGTERM, SIGINT,  SIGHUP
};

static struct {
	int fd;
	struct termios before;
	volatile sig_atomic_t taken;
	volatile sig_atomic_t
		stuck; /* it took nothing for a while, and it isn't waited for again before it does */
	struct sigaction action[sizeof(fatal) / sizeof(fatal[0])]; /* as it was */
} terminal = { .fd = -1 };

static void die(int number)
{
	top_terminal_give_back();
	raise(number); /* by SA_RESETHAND it is what it was, from the handler's end on */
}

static int open_anew(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int top_terminal_open(struct error *error)
{
	struct sigaction action = { .sa_handler = die, .sa_flags = SA_RESETHAND };

	terminal.fd = open_anew(STDOUT_FILENO);
	if (terminal.fd < 0)
		return error_set_errno(error, "the terminal");
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		if (!sigaction(fatal[i], NULL, &terminal.action[i]) &&
		    terminal.action[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &action, NULL);
	return 0;
}

bool top_terminal_take(void)
{
	struct termios ours;

	if (terminal.fd < 0 || tcgetpgrp(terminal.fd) != getpgrp())
		return false;
	if (terminal.taken)
		return true;
	if (tcgetattr(terminal.fd, &terminal.before))
		return false;
	ours = terminal.before;
	ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	ours.c_iflag &= ~(tcflag_t)(IXON | ISTRIP | INLCR | IGNCR);
	ours.c_iflag |= ICRNL;
	ours.c_cc[VMIN] = 1;
	ours.c_cc[VTIME] = 0;
	terminal.taken = 1;
	if (tcsetattr(terminal.fd, TCSANOW, &ours)) {
		terminal.taken = 0;
		return false;
	}
	top_terminal_write(ENTER, strlen(ENTER));
	return true;
}

void top_terminal_give_back(void)
{
	int before = errno;

	if (terminal.taken) {
		terminal.taken = 0;
		top_terminal_write(LEAVE, strlen(LEAVE));
		tcsetattr(terminal.fd, TCSANOW, &terminal.before);
	}
	errno = before;
}

int top_terminal_fd(void)
{
	return terminal.taken ? terminal.fd : -1;
}

struct top_size top_terminal_size(void)
{
	struct winsize size = { 0 };

	ioctl(terminal.fd, TIOCGWINSZ, &size);
	return (struct top_size) { size.ws_row ? size.ws_row : 24, size.ws_col ? size.ws_col : 80 };
}

static void write_to(int fd, const char *text, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	ssize_t written;

	while (size) {
		written = write(fd, text, size);
		if (written > 0) {
			text += written;
			size -= (size_t)written;
			terminal.stuck = 0;
		} else if (errno == EINTR) {
			continue;
		} else if (errno != EAGAIN ||
			   poll(&ready, 1, terminal.stuck ? 0 : PATIENCE_MS) <= 0) {
			terminal.stuck = 1;
			return;
		}
	}
}

void top_terminal_write(const char *text, size_t size)
{
	write_to(terminal.fd, text, size);
}

/* ---- messages ----------------------------------------------------------------------------- */

static ssize_t write_message(void *context, const char *text, size_t size)
{
	write_to(*(const int *)context, text, size);
	return (ssize_t)size;
}

void top_terminal_print_patiently(FILE **stream)
{
	static const cookie_io_functions_t functions = { .write = write_message };
	static int opened[2];
	int *fd = &opened[*stream == stderr];
	FILE *file;

	if (isatty(fileno(*stream)) != 1)
		return;
	*fd = open_anew(fileno(*stream));
	file = *fd >= 0 ? fopencookie(fd, "w", functions) : NULL;
	if (!file)
		return;
	setvbuf(file, NULL, _IOLBF, 0);
	*stream = file;
}

void top_terminal_close(void)
{
	if (terminal.fd < 0)
		return;
	top_terminal_give_back();
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigaction(fatal[i], &terminal.action[i], NULL);
	close(terminal.fd);
	terminal.fd = -1;
}
