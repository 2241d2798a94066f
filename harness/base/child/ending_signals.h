/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ending_signals.h - SIGINT, SIGTERM and SIGHUP, read as events in place of dying of them
 *
 * Code that makes something that must not be left behind (a folder, a child) holds these signals meanwhile. It polls
 * for them where it waits, cleans up and ends. A signal that was ignored before (nohup) stays ignored.
 */
#ifndef STACKPROOF_ENDING_SIGNALS_H
#define STACKPROOF_ENDING_SIGNALS_H

#include <signal.h>
#include "error.h"

struct ending_signals {
	int fd;		 /* a signalfd(2), readable when a signal has arrived; -1: not held */
	sigset_t before; /* the thread's mask before */
};

/* The signals, without those that are ignored. */
void ending_signals_set(sigset_t *ret);
/* Blocks the signals in this thread and in those that it creates. 0, or -1: nothing has changed. */
int ending_signals_hold(struct ending_signals *signals, struct error *error);
/* Takes a signal that has arrived, and returns its number; 0: there is none. */
int ending_signals_take(const struct ending_signals *signals);
/* The same. *ret_sender: the process that sent it; 0: the kernel, for a terminal, or a process beyond this PID name
 * space. */
int ending_signals_take_from(const struct ending_signals *signals, pid_t *ret_sender);
/* Drops the signals that have arrived, and restores the thread's mask. */
void ending_signals_release(struct ending_signals *signals);
/* In a child: restores the mask from before the outermost ending_signals_hold(). */
void ending_signals_give_back(void);
/* "the run was ended by SIGTERM", as ERROR_SYSTEM with EINTR; returns -1. */
int ending_signals_error(struct error *error, int number);

#endif
