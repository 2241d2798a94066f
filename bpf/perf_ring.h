/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_ring.h - what the kernel says of processes: the records of perf_event_open(2)
 */
#ifndef STACKPROOF_PERF_RING_H
#define STACKPROOF_PERF_RING_H

#include <stdbool.h>
#include <sys/types.h>
#include "error.h"

#define PROCESS_PATH_BYTES 4096 /* PATH_MAX */

enum process_event_kind {
	PROCESS_EVENT_OTHER, /* a record that says nothing of use */
	PROCESS_EVENT_MAP,   /* pid has a new executable mapping, or other permissions of one */
	PROCESS_EVENT_EXEC,  /* pid is another program now */
	PROCESS_EVENT_FORK,  /* parent has a new process pid, or, if they are equal, thread tid */
	PROCESS_EVENT_EXIT,  /* thread tid of pid ends */
	PROCESS_EVENT_LOST,  /* lost records, for want of room, later than since_ns */
	PROCESS_EVENT_MALFORMED, /* it can't be read; the same as lost */
};

/* What an event says of a mapping. */
struct process_mapping {
	uint64_t start, end, offset; /* offset in the file */
	uint64_t device, inode;	     /* as in /proc/PID/maps; 0: of no file */
	const char *path; /* NULL: the event does not say all this, or not so that it can be used */
};

struct process_event {
	enum process_event_kind kind;
	pid_t pid, tid, parent;
	struct process_mapping mapping; /* of PROCESS_EVENT_MAP */
	uint64_t time_ns;		/* CLOCK_MONOTONIC, as bpf_ktime_get_ns() */
	uint64_t since_ns;
	uint64_t lost;
	uint64_t order; /* the caller's */
};

/*
 * Records lie one behind the other in bytes bytes (a power of two) of data, round and round: the
 * one that begins at position at is at data[at % bytes].
 */
struct perf_ring {
	const uint8_t *data;
	size_t bytes;
	uint64_t tail;	  /* position of the next record to read */
	uint64_t last_ns; /* time of the record before it */
	void *memory;	  /* the kernel's, with the page of head and tail before the data */
	int fd;
	char path[PROCESS_PATH_BYTES]; /* of the last mapping */
};

/*
 * Takes the record at the ring's tail, of what there is before position head. False: there is none
 * (tail is head). Where a record's size is impossible nothing behind it can be found either: all up
 * to head is one PROCESS_EVENT_MALFORMED. A path is valid until the next one is taken.
 */
bool perf_ring_take(struct perf_ring *ring, uint64_t head, struct process_event *ret);

/* How far the kernel has written, and, when what was taken has been read, saying so. */
uint64_t perf_ring_head(const struct perf_ring *ring);
void perf_ring_release(struct perf_ring *ring);

/* A ring for each CPU that is online. */
struct perf_rings {
	struct perf_ring *ring;
	unsigned int count;
	int epoll_fd; /* readable when something has come */
};

/* The events of all processes, pages pages (a power of two) for each CPU. ERROR_UNAVAILABLE: this
 * machine may not or can not. ret is to be closed whether that succeeds or not. */
int perf_rings_open(struct perf_rings *ret, uint32_t pages, struct error *error);
/* epoll_fd is readable while that one is, too. */
int perf_rings_watch(const struct perf_rings *rings, int fd, struct error *error);
void perf_rings_close(struct perf_rings *rings);

#endif
