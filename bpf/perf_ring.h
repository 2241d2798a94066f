/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_ring.h - the kernel's events about processes: the records of perf_event_open(2)
 *
 *	perf_ring.c	records
 *	perf_rings.c	the rings that the kernel writes them to
 */
#ifndef STACKPROOF_PERF_RING_H
#define STACKPROOF_PERF_RING_H

#include <stdbool.h>
#include <sys/types.h>
#include "error.h"

#define PROCESS_PATH_BYTES 4096 /* PATH_MAX */

enum process_event_kind {
	PROCESS_EVENT_OTHER, /* a record that is not needed */
	PROCESS_EVENT_MAP,   /* pid has a new executable mapping, or one with new permissions */
	PROCESS_EVENT_EXEC,  /* pid has executed another program */
	PROCESS_EVENT_FORK,  /* parent has a new process pid, or, if they are equal, thread tid */
	PROCESS_EVENT_EXIT,  /* thread tid of pid ends */
	PROCESS_EVENT_LOST,  /* `lost` records later than since_ns did not fit into the ring */
	PROCESS_EVENT_MALFORMED, /* a record can't be read: to be treated like a lost one */
	/* Of a struct task_note, not of a ring: */
	PROCESS_EVENT_NO_CLOCK, /* all perf events were taken away from the process */
	PROCESS_EVENT_SHARES,	/* the process has its parent's memory */
	PROCESS_EVENT_MOVED,	/* memory was moved to mapping.start .. end */
};

/* A mapping, as an event says it. */
struct process_mapping {
	uint64_t start, end, offset; /* offset in the file */
	uint64_t device, inode;	     /* as in /proc/PID/maps; 0: of no file */
	const char *path; /* NULL: the event does not have all these members, or unusable ones */
};

struct process_event {
	enum process_event_kind kind;
	pid_t pid, tid, parent;
	pid_t maker; /* of PROCESS_EVENT_FORK: the thread of parent that has made it */
	struct process_mapping mapping; /* of PROCESS_EVENT_MAP */
	uint64_t time_ns;		/* CLOCK_MONOTONIC, like bpf_ktime_get_ns() */
	uint64_t since_ns;
	uint64_t lost;
	uint64_t order; /* for the caller */
};

/*
 * A ring buffer of consecutive records. Its size, bytes, is a power of two. Positions only grow: the record
 * at position p begins at data[p % bytes].
 */
struct perf_ring {
	const uint8_t *data;
	size_t bytes;
	uint64_t tail;	  /* position of the next record to read */
	uint64_t last_ns; /* time of the record before it */
	void *memory;	  /* the kernel's mapping: a page with head and tail, then the data */
	int fd;
	char path[PROCESS_PATH_BYTES]; /* of the last event's mapping */
};

/*
 * Takes the record at the ring's tail, if it is before position head. False: there is none. If a record's
 * size is impossible, the next record can't be found: then all up to head is one PROCESS_EVENT_MALFORMED.
 * ret's path is valid until the next call.
 */
bool perf_ring_take(struct perf_ring *ring, uint64_t head, struct process_event *ret);

/* The position up to which the kernel has written. */
uint64_t perf_ring_head(const struct perf_ring *ring);
/* Tells the kernel that it may overwrite all records that were taken. */
void perf_ring_release(struct perf_ring *ring);

/* One ring for each online CPU. */
struct perf_rings {
	struct perf_ring *ring;
	unsigned int count;
	int epoll_fd; /* readable when a ring has new records */
};

/* Opens rings of so many pages (a power of two) for the events of all processes. ERROR_UNAVAILABLE: no privilege, or
 * no such events here. ret is to be closed even on failure: perf_rings_close(). */
int perf_rings_open(struct perf_rings *ret, uint32_t pages, struct error *error);
/* Makes epoll_fd readable while fd is, too. */
int perf_rings_watch(const struct perf_rings *rings, int fd, struct error *error);
void perf_rings_close(struct perf_rings *rings);

#endif
