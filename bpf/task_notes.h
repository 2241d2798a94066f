/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * task_notes.h - what happens to a process without a perf event: notes of it, by BPF programs of their own
 */
#ifndef STACKPROOF_TASK_NOTES_H
#define STACKPROOF_TASK_NOTES_H

#include <linux/types.h>

enum task_note_kind {
	TASK_NOTE_NO_CLOCK, /* executed a program, and is counted by no perf event */
	TASK_NOTE_MOVED,    /* mremap(2) moved memory: code that the walk knows, or onto such */
	TASK_NOTE_SHARES, /* forked a process, `from`, that has the same memory (clone(2), CLONE_VM) */
};

struct task_note {
	__u32 kind;    /* enum task_note_kind */
	__u32 pid;     /* in the session's PID name space */
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 from, to, bytes;
};

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
#include "error.h"

struct task_notes;

/* The walk's maps of that name. */
struct task_notes_maps {
	int processes_fd, spaces_fd, mappings_fd;
};

/*
 * no_clock: whether that is noted. 0; or -1: what error says is not noted, and *ret has the rest. *ret:
 * task_notes_close(), which takes NULL, too.
 */
int task_notes_open(const struct task_notes_maps *maps, bool no_clock, struct task_notes **ret,
		    struct error *error);
void task_notes_close(struct task_notes *notes);
/* Readable (poll(2)) when there are notes. */
int task_notes_fd(const struct task_notes *notes);
typedef void (*task_note_fn)(void *context, const struct task_note *note);
/* Gives fn all notes that there are. Returns how many have found no room since the last call. */
uint64_t task_notes_take(struct task_notes *notes, task_note_fn fn, void *context);
#endif

#endif
