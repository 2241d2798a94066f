/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * interrupt.h - ^C, SIGTERM and SIGHUP end what a command has started, and what there is until then is kept
 */
#ifndef STACKPROOF_INTERRUPT_H
#define STACKPROOF_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "error.h"

struct interrupt {
	const char *command; /* "stackproof run" */
	const char *keeps;   /* what is said of the first signal: "what was found is kept" */
	int stop_fd;	     /* eventfd, readable once a signal came; never read */
	int end_fd;	     /* eventfd that ends the thread */
	int signal_fd;
	atomic_int signal; /* the signal that ended the run; 0: none */
	bool started;
	pthread_t thread;
	sigset_t before; /* the signal mask to restore */
};

/* Blocks SIGINT, SIGTERM and SIGHUP, unless they are ignored, and waits for them in a thread. To be called
 * before other threads are created: they inherit the mask. command and keeps must stay. */
int interrupt_init(struct interrupt *interrupt, const char *command, const char *keeps,
		   struct error *error);
/* Ends the thread and restores the mask. */
void interrupt_deinit(struct interrupt *interrupt);
/* The signal that ended the run, or 0. interrupt may be NULL: 0. */
int interrupt_signal(struct interrupt *interrupt);

#endif
