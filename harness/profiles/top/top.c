/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * top.c - the thread that draws: parts come, keys come
 *
 *	the recorder		a pipe		this thread
 *	part, result	->	pointers   ->	the window -> table -> screen
 *
 * The recorder has a real-time priority, and follows processes: it hands over what was taken, and nothing that is done for
 * the screen keeps it waiting. What is in the pipe is whoever's reads it.
 *
 * ^Z gives the terminal back, stops the process, and takes the terminal again when it goes on in the foreground.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "clock.h"
#include "plain_text.h"
#include "top.h"

#define ESCAPE_MS 50 /* a sequence goes on by then, or it was the escape key */

struct handed {
	struct collected part;
	struct record_result result;
};

struct profile_top {
	const struct record_result *result; /* the recorder's */
	int ending_fd;			    /* of the signals that end all */
	int parts[2], signals_fd, end_fd;
	sigset_t before;
	pthread_t thread;
	bool started;
	uint64_t begin_ns;
	struct collected part[TOP_INTERVALS]; /* the window, the oldest first */
	unsigned int count;
	struct top_table table;
	struct top_view view;
	char keys[64];
	size_t size; /* of them */
	char subject[128], event[PLAIN_BYTES];
	bool over;
};

bool profile_top_possible(void)
{
	return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

/* ---- what is shown ------------------------------------------------------------------------ */

static void draw(struct profile_top *top)
{
	char *text = NULL;
	size_t size;
	FILE *file;

	if (!top_terminal_take())
		return;
	file = open_memstream(&text, &size);
	if (!file)
		return;
	top_draw(&top->table, &top->view, top_terminal_size(), file);
	if (!fclose(file))
		top_terminal_write(text, size);
	free(text);
}

/* By what the keys say. Without memory what could be made is shown. */
static void arrange(struct profile_top *top)
{
	struct error error;

	if (top_table_arrange(&top->table, &top->view, &error))
		top->table.damaged = true;
	draw(top);
}

static void fill(struct profile_top *top, const struct record_result *result)
{
	struct top_table *table = &top->table;
	struct error error;

	table->result = *result;
	table->elapsed_seconds = (monotonic_ns() - top->begin_ns) / 1e9;
	getloadavg(table->load, 3);
	table->damaged = top_table_fill(table, top->part, top->count, &error);
	arrange(top);
}

static void take_parts(struct profile_top *top)
{
	struct handed *handed;

	while (read(top->parts[0], &handed, sizeof(handed)) == sizeof(handed)) {
		if (top->count == TOP_INTERVALS) {
			collected_deinit(&top->part[0]);
			memmove(top->part, top->part + 1, --top->count * sizeof(top->part[0]));
		}
		top->part[top->count++] = handed->part;
		if (!top->view.paused)
			fill(top, &handed->result);
		free(handed);
	}
}

/* ---- keys and signals --------------------------------------------------------------------- */

static void press(struct profile_top *top, int key)
{
	struct error error;

	switch (top_view_key(&top->view, key, top_terminal_size().rows / 2)) {
	case TOP_WISH_CALLERS:
		top->table.damaged |= top_table_choose(&top->table, &top->view, &error);
		break;
	case TOP_WISH_QUIT: top->over = true; break;
	case TOP_WISH_NONE: break;
	}
}

static void take_keys(struct profile_top *top, bool wait_is_over)
{
	char *keys = top->keys;
	ssize_t got = wait_is_over ? 0
				   : read(top_terminal_fd(), keys + top->size,
					  sizeof(top->keys) - top->size);
	size_t at = 0, size;
	int key;

	if (!wait_is_over && (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)))
		top->over = true; /* the terminal is gone */
	top->size += got > 0 ? (size_t)got : 0;
	while (at < top->size && !top->over) {
		size = top_key(keys + at, top->size - at, &key);
		if (!size && !wait_is_over && top->size - at < sizeof(top->keys))
			break;
		press(top, key);
		at += size ? size : top->size - at;
	}
	top->size -= at;
	memmove(keys, keys + at, top->size);
	if (!top->over)
		arrange(top);
}

static void take_signals(struct profile_top *top)
{
	struct signalfd_siginfo info;

	while (read(top->signals_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGWINCH) /* whoever has it meanwhile may change it */
			top_terminal_give_back();
		if (info.ssi_signo == SIGTSTP)
			raise(SIGSTOP);
	}
	draw(top);
}

/* What comes next; a recorder that has closed its end of the pipe is over. */
static void go_on(struct profile_top *top)
{
	struct pollfd fds[] = {
		{ .fd = top_terminal_fd(), .events = POLLIN },
		{ .fd = top->signals_fd, .events = POLLIN },
		{ .fd = top->parts[0], .events = POLLIN },
		{ .fd = top->ending_fd, .events = POLLIN },
	};
	int ready = poll(fds, 4, top->size ? ESCAPE_MS : -1);

	if (ready < 0 && errno != EINTR)
		top->over = true;
	if (ready <= 0) {
		if (!ready)
			take_keys(top, true);
		return;
	}
	if (fds[1].revents)
		take_signals(top);
	if (fds[2].revents & POLLIN)
		take_parts(top);
	else if (fds[2].revents)
		top->over = true;
	if (fds[0].revents)
		take_keys(top, false);
	if (fds[3].revents)
		top->over = true;
}

static void *run(void *argument)
{
	struct profile_top *top = argument;

	draw(top);
	while (!top->over)
		go_on(top);
	top_terminal_give_back();
	eventfd_write(top->end_fd, 1);
	return NULL;
}

/* ---- for the recorder --------------------------------------------------------------------- */

void profile_top_add(struct profile_top *top, struct collected *part)
{
	struct handed *handed = malloc(sizeof(*handed));

	if (!handed)
		return; /* the next one is shown; the account has all */
	*handed = (struct handed) { .part = *part, .result = *top->result };
	/* Nobody reads any more, or not for hours. */
	if (write(top->parts[1], &handed, sizeof(handed)) != sizeof(handed)) {
		free(handed);
		return;
	}
	collected_init(part, part->type);
}

static void describe(struct profile_top *top, const struct record_options *options)
{
	char event[PLAIN_BYTES];

	if (options->argv)
		plain_text(options->argv[0], top->subject, sizeof(top->subject));
	else
		snprintf(top->subject, sizeof(top->subject),
			 options->pid ? "process %d" : "all processes", options->pid);
	record_event_describe(options, event, sizeof(event));
	plain_text(event, top->event, sizeof(top->event));
	getloadavg(top->table.load, 3);
	top->table.subject = top->subject;
	top->table.event = top->event;
	top->table.type = record_collected_type(options);
}

static int open_all(struct profile_top *top, struct error *error)
{
	sigset_t set;

	top->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	top->signals_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (pipe2(top->parts, O_CLOEXEC | O_NONBLOCK) || top->end_fd < 0 || top->signals_fd < 0)
		return error_set_errno(error, "opening the screen");
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return top_terminal_open(error);
}

int profile_top_begin(struct record_options *options, const struct record_result *result,
		      struct profile_top **ret, struct error *error)
{
	struct profile_top *top = calloc(1, sizeof(*top));

	if (!top)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for the screen");
	top->result = result;
	top->ending_fd = options->signals ? options->signals->fd : -1;
	top->parts[0] = top->parts[1] = -1;
	top->end_fd = top->signals_fd = -1;
	top->begin_ns = monotonic_ns();
	pthread_sigmask(SIG_BLOCK, NULL, &top->before);
	describe(top, options);
	*ret = top;
	if (open_all(top, error))
		return -1;
	options->end_fd = top->end_fd;
	errno = pthread_create(&top->thread, NULL, run, top);
	top->started = !errno;
	return errno ? error_set_errno(error, "drawing the screen") : 0;
}

void profile_top_end(struct profile_top *top)
{
	struct handed *handed;

	if (!top)
		return;
	close(top->parts[1]);
	if (top->started)
		pthread_join(top->thread, NULL);
	top_terminal_close();
	top_terminal_print_patiently(&stderr);
	top_terminal_print_patiently(&stdout);
	while (read(top->parts[0], &handed, sizeof(handed)) == sizeof(handed)) {
		collected_deinit(&handed->part);
		free(handed);
	}
	for (unsigned int i = 0; i < top->count; i++)
		collected_deinit(&top->part[i]);
	top_table_deinit(&top->table);
	pthread_sigmask(SIG_SETMASK, &top->before, NULL);
	close(top->parts[0]);
	close(top->signals_fd);
	close(top->end_fd);
	free(top);
}
