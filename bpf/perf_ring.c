/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_ring.c - read the kernel's records of mappings, execs, forks and exits
 *
 *	header	type, misc, size of all	  misc says of a name whether an exec brought it
 *	body	by type
 *	time	8 bytes, at the very end  of what sample_id_all adds, only the time is asked for
 */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "perf_ring.h"
#include "table/table_abi.h"

#define TIME_BYTES sizeof(uint64_t)

/* Bodies, without what follows the fields that are read. */
struct ids_body { /* PERF_RECORD_MMAP, _COMM: process, thread */
	uint32_t pid, tid;
};

struct mapping_body { /* PERF_RECORD_MMAP2; the path follows */
	uint32_t pid, tid;
	uint64_t start, bytes, offset;
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint32_t protection, flags;
};

struct task_body { /* PERF_RECORD_FORK, _EXIT */
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time_ns;
};

struct lost_body { /* PERF_RECORD_LOST */
	uint64_t id, lost;
};

static void ring_copy(const struct perf_ring *ring, uint64_t at, void *ret, size_t size)
{
	size_t first = at & (ring->bytes - 1), until_end = ring->bytes - first;

	if (size <= until_end) {
		memcpy(ret, ring->data + first, size);
	} else {
		memcpy(ret, ring->data + first, until_end);
		memcpy((uint8_t *)ret + until_end, ring->data, size - until_end);
	}
}

/* The fields of the body at a position, if it has as many bytes. */
static bool body_copy(const struct perf_ring *ring, uint64_t at, size_t body_bytes, void *ret,
		      size_t size)
{
	if (body_bytes < size)
		return false;
	ring_copy(ring, at, ret, size);
	return true;
}

static bool read_ids(const struct perf_ring *ring, uint64_t at, size_t body_bytes,
		     struct process_event *ret)
{
	struct ids_body body;

	if (!body_copy(ring, at, body_bytes, &body, sizeof(body)))
		return false;
	ret->pid = body.pid;
	ret->tid = body.tid;
	return true;
}

/* An event that says too little, or nonsense, still says that something was mapped. */
static bool read_mapping(struct perf_ring *ring, const struct perf_event_header *header,
			 uint64_t at, size_t body_bytes, struct process_event *ret)
{
	struct process_mapping *mapping = &ret->mapping;
	struct mapping_body body;
	size_t path_bytes;

	if (!read_ids(ring, at, body_bytes, ret))
		return false;
	if (header->type != PERF_RECORD_MMAP2 || body_bytes <= sizeof(body))
		return true;
	ring_copy(ring, at, &body, sizeof(body));
	path_bytes = body_bytes - sizeof(body);
	if (path_bytes > sizeof(ring->path))
		path_bytes = sizeof(ring->path);
	ring_copy(ring, at + sizeof(body), ring->path, path_bytes);
	mapping->start = body.start;
	mapping->end = body.start + body.bytes;
	mapping->offset = body.offset;
	mapping->device = makedev(body.major, body.minor);
	mapping->inode = body.inode;
	if (memchr(ring->path, '\0', path_bytes) && mapping->start < mapping->end &&
	    !((body.start | body.bytes | body.offset) & (TABLE_PAGE_SIZE - 1)))
		mapping->path = ring->path;
	return true;
}

static bool read_task(const struct perf_ring *ring, uint64_t at, size_t body_bytes,
		      struct process_event *ret)
{
	struct task_body body;

	if (!body_copy(ring, at, body_bytes, &body, sizeof(body)))
		return false;
	ret->pid = body.pid;
	ret->tid = body.tid;
	ret->parent = body.parent;
	ret->maker = body.parent_tid;
	return true;
}

static bool read_lost(const struct perf_ring *ring, uint64_t at, size_t body_bytes,
		      struct process_event *ret)
{
	struct lost_body body;

	if (!body_copy(ring, at, body_bytes, &body, sizeof(body)))
		return false;
	ret->lost = body.lost;
	return true;
}

/* False: the record is too short for what its type says. */
static bool read_body(struct perf_ring *ring, const struct perf_event_header *header, uint64_t at,
		      size_t body_bytes, struct process_event *ret)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: /* only executable ones come: attr.mmap_data is off */
		ret->kind = PROCESS_EVENT_MAP;
		return read_mapping(ring, header, at, body_bytes, ret);
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			ret->kind = PROCESS_EVENT_EXEC;
		return read_ids(ring, at, body_bytes, ret);
	case PERF_RECORD_FORK:
		ret->kind = PROCESS_EVENT_FORK;
		return read_task(ring, at, body_bytes, ret);
	case PERF_RECORD_EXIT:
		ret->kind = PROCESS_EVENT_EXIT;
		return read_task(ring, at, body_bytes, ret);
	case PERF_RECORD_LOST:
		ret->kind = PROCESS_EVENT_LOST;
		return read_lost(ring, at, body_bytes, ret);
	default: return true;
	}
}

bool perf_ring_take(struct perf_ring *ring, uint64_t head, struct process_event *ret)
{
	struct perf_event_header header = { 0 };
	uint64_t left = head - ring->tail;

	*ret = (struct process_event) { .since_ns = ring->last_ns, .time_ns = ring->last_ns };
	if (!left)
		return false;
	if (left <= ring->bytes && left >= sizeof(header))
		ring_copy(ring, ring->tail, &header, sizeof(header));
	if (header.size < sizeof(header) || header.size > left || header.size % 8) {
		ret->kind = PROCESS_EVENT_MALFORMED;
		ring->tail = head;
		return true;
	}
	if (header.size < sizeof(header) + TIME_BYTES ||
	    !read_body(ring, &header, ring->tail + sizeof(header),
		       header.size - sizeof(header) - TIME_BYTES, ret)) {
		ret->kind = PROCESS_EVENT_MALFORMED;
	} else {
		ring_copy(ring, ring->tail + header.size - TIME_BYTES, &ret->time_ns, TIME_BYTES);
		ring->last_ns = ret->time_ns;
	}
	ring->tail += header.size;
	return true;
}
