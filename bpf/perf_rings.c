/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_rings.c - the kernel's rings of events about processes
 *
 * A perf event that counts nothing (PERF_COUNT_SW_DUMMY) still writes side-band records into the
 * ring buffer that is mapped over it (perf_event_open(2)). There is one event for each CPU and for
 * all processes on it, also where only one process is of interest: an event that follows a process
 * (inherit) would have to be opened for each of its threads on each CPU, misses a thread that
 * starts meanwhile, ends without a word when a set-user-ID program is executed, and makes each
 * switch between threads dearer. Its privilege is needed anyway, to load the walk.
 *
 * A CPU that comes online later has no event: what begins there is seen only when it runs
 * elsewhere, or by process_events_add_existing().
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libbpf_messages.h"
#include "perf_ring.h"

uint64_t perf_ring_head(const struct perf_ring *ring)
{
	const struct perf_event_mmap_page *page = ring->memory;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

void perf_ring_release(struct perf_ring *ring)
{
	struct perf_event_mmap_page *page = ring->memory;

	__atomic_store_n(&page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

static int unavailable(struct error *error, int cpu, const char *hint)
{
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "the events of processes on CPU %d: %s%s",
			 cpu, strerror(errno), hint);
}

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1, /* wakeup_events would count samples only */
		.wakeup_watermark = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int map_ring(struct perf_ring *ring, int cpu, uint32_t pages, struct error *error)
{
	size_t page = sysconf(_SC_PAGESIZE);

	ring->bytes = pages * page;
	ring->memory = mmap(NULL, ring->bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			    0);
	if (ring->memory == MAP_FAILED) {
		ring->memory = NULL;
		return unavailable(error, cpu,
				   errno == EPERM ? " (kernel.perf_event_mlock_kb is too small)"
						  : "");
	}
	ring->data = (uint8_t *)ring->memory + page;
	return 0;
}

int perf_rings_watch(const struct perf_rings *rings, int fd, struct error *error)
{
	struct epoll_event interest = { .events = EPOLLIN };

	if (epoll_ctl(rings->epoll_fd, EPOLL_CTL_ADD, fd, &interest))
		return error_set_errno(error, "waiting for the events of processes");
	return 0;
}

int perf_rings_open(struct perf_rings *ret, uint32_t pages, struct error *error)
{
	int cpus = possible_cpus(error);

	*ret = (struct perf_rings) { .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	if (ret->epoll_fd < 0)
		return error_set_errno(error, "epoll_create");
	if (cpus < 0)
		return -1;
	ret->ring = calloc(cpus, sizeof(*ret->ring));
	if (!ret->ring)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for ring buffers");
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct perf_ring *ring = &ret->ring[ret->count];

		ring->fd = open_event(cpu);
		if (ring->fd < 0 && errno == ENODEV) /* offline */
			continue;
		if (ring->fd < 0)
			return unavailable(error, cpu, "");
		ret->count++;
		if (map_ring(ring, cpu, pages, error) || perf_rings_watch(ret, ring->fd, error))
			return -1;
	}
	return 0;
}

void perf_rings_close(struct perf_rings *rings)
{
	for (unsigned int i = 0; i < rings->count; i++) {
		struct perf_ring *ring = &rings->ring[i];

		if (ring->memory)
			munmap(ring->memory, ring->bytes + sysconf(_SC_PAGESIZE));
		close(ring->fd);
	}
	free(rings->ring);
	if (rings->epoll_fd >= 0)
		close(rings->epoll_fd);
	*rings = (struct perf_rings) { .epoll_fd = -1 };
}
