/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libbpf_messages.c - libbpf has one print function, and it is the program's
 *
 * libbpf says why something failed by libbpf_set_print()'s function only, which the process has one
 * of, and which has no context. So it is replaced, but only while a thread is between begin and
 * end, and what other threads' libbpf says meanwhile is given to the function that was there. The
 * last one who ends puts that back; if the program has set another one meanwhile, that stays.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "libbpf_messages.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int users;		 /* threads between begin and end */
static libbpf_print_fn_t programs_own;	 /* what was there before the first of them */
static _Thread_local unsigned int depth; /* of this thread's begins */
static _Thread_local char first[1024];

static int pass_on(enum libbpf_print_level level, const char *format, va_list arguments)
{
	libbpf_print_fn_t print;

	pthread_mutex_lock(&lock);
	print = programs_own;
	pthread_mutex_unlock(&lock);
	return print ? print(level, format, arguments) : 0;
}

static int keep_first(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (!depth)
		return pass_on(level, format, arguments);
	/* The first warning of a load names the cause; what follows only repeats that it failed. */
	if (level != LIBBPF_WARN || first[0])
		return 0;
	vsnprintf(first, sizeof(first), format, arguments);
	first[strcspn(first, "\n")] = '\0';
	return 0;
}

void libbpf_messages_begin(void)
{
	libbpf_print_fn_t before;

	if (depth++)
		return;
	first[0] = '\0';
	pthread_mutex_lock(&lock);
	if (!users++) {
		before = libbpf_set_print(keep_first);
		/* Who saved it while it was set, and put it back later, means what was there
		 * before. */
		if (before != keep_first)
			programs_own = before;
	}
	pthread_mutex_unlock(&lock);
}

void libbpf_messages_end(void)
{
	libbpf_print_fn_t now;

	if (--depth)
		return;
	pthread_mutex_lock(&lock);
	if (!--users) {
		now = libbpf_set_print(programs_own);
		if (now != keep_first)
			libbpf_set_print(now);
	}
	pthread_mutex_unlock(&lock);
}

const char *libbpf_messages_first(void)
{
	return first;
}

int possible_cpus(struct error *error)
{
	int cpus;

	libbpf_messages_begin();
	cpus = libbpf_num_possible_cpus();
	libbpf_messages_end();
	if (cpus > 0)
		return cpus;
	errno = -cpus;
	return error_set_errno(error, "the number of CPUs");
}
