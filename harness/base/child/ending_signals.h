/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ending_signals.h - SIGINT, SIGTERM and SIGHUP, taken instead of dying of them
 *
 * What has begun something that must not be left behind (a folder, a program) holds these signals
 * meanwhile, asks for them where it waits, and ends in its own way. A signal that was ignored
 * before (nohup) stays ignored.
 */
#ifndef STACKPROOF_ENDING_SIGNALS_H
#define STACKPROOF_ENDING_SIGNALS_H

#include <signal.h>
#include "error.h"

struct ending_signals {
	int fd;		 /* readable once there is one; a signalfd(2); -1: they are not held */
	sigset_t before; /* the thread's mask */
};

/* The signals, without those that are ignored. */
void ending_signals_set(sigset_t *ret);
/* Blocks them in this thread and in those that it begins. -1: they are as they were. */
int ending_signals_hold(struct ending_signals *signals, struct error *error);
/* One that has come, or 0. */
int ending_signals_take(const struct ending_signals *signals);
/* Forgets those that have come, and unblocks them all. */
void ending_signals_release(struct ending_signals *signals);
/* In a child: the signals are as they were before anybody held them here. */
void ending_signals_give_back(void);
/* "the run was ended by SIGTERM", as ERROR_SYSTEM with EINTR; returns -1. */
int ending_signals_error(struct error *error, int number);

#endif
