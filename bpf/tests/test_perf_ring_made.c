/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_perf_ring_made.c - what a record says of a mapping, and the kernel's rings: how they are asked
 * for, and what happens when there are none
 *
 * perf_ring.c and perf_rings.c are compiled in here; the system calls are stand-ins that note each question.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "tests/suite.h"
#include "libbpf_messages.h"
#include "perf_ring.h"

#define CPUS	 3
#define EPOLL_FD 50
#define PAGE	 4096u

/* ---- the kernel ------------------------------------------------------------------------- */

static struct {
	char said[1024];
	size_t length;
	const char *failing; /* what fails, on which CPU, and why */
	int cpu, why;
	int at; /* the CPU at hand */
	struct perf_event_attr attr;
	uint64_t page[PAGE / 8];
} world;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	world.length += vsnprintf(world.said + world.length, sizeof(world.said) - world.length,
				  format, arguments);
	va_end(arguments);
	ck_assert_uint_lt(world.length, sizeof(world.said));
}

static bool fails(const char *what)
{
	if (!world.failing || strcmp(world.failing, what) != 0 || world.cpu != world.at)
		return false;
	errno = world.why;
	return true;
}

static int made_cpus(struct error *error)
{
	return fails("cpus") ? error_set(error, ERROR_SYSTEM, "", 0, "no CPUs") : CPUS;
}

static int made_epoll(int flags)
{
	ck_assert_int_eq(flags, EPOLL_CLOEXEC);
	return fails("epoll") ? -1 : EPOLL_FD;
}

static int made_control(int epoll, int operation, int fd, struct epoll_event *event)
{
	ck_assert(epoll == EPOLL_FD && operation == EPOLL_CTL_ADD);
	ck_assert_uint_eq(event->events, EPOLLIN);
	say("watch %d; ", fd);
	return fails("watch") ? -1 : 0;
}

/* The descriptor is 60 and the CPU. */
static long made_event(long number, const struct perf_event_attr *attr, int pid, int cpu, int group,
		       unsigned long flags)
{
	ck_assert(number == SYS_perf_event_open && pid == -1 && group == -1);
	ck_assert_uint_eq(flags, PERF_FLAG_FD_CLOEXEC);
	world.attr = *attr;
	world.at = cpu;
	say("event %d; ", cpu);
	return fails("event") ? -1 : 60 + cpu;
}

static void *made_map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	ck_assert(!at && protection == (PROT_READ | PROT_WRITE) && flags == MAP_SHARED && !offset);
	say("map %zu of %d; ", bytes, fd);
	return fails("map") ? MAP_FAILED : world.page;
}

static int made_unmap(void *memory, size_t bytes)
{
	ck_assert_ptr_eq(memory, world.page);
	say("unmap %zu; ", bytes);
	return 0;
}

static int made_close(int fd)
{
	say("close %d; ", fd);
	return 0;
}

#define possible_cpus made_cpus
#define epoll_create1 made_epoll
#define epoll_ctl     made_control
#define syscall	      made_event
#define mmap(...)     made_map(__VA_ARGS__)
#define munmap	      made_unmap
#define close	      made_close
#include "perf_ring.c"
#include "perf_rings.c"

/* ---- rings ------------------------------------------------------------------------------ */

#define OPENED "event 0; map 12288 of 60; watch 60; event 1; "
#define CLOSED "unmap 12288; close 60; "

static const struct {
	const char *name, *failing;
	int cpu, why;
	const char *expect;
} openings[] = {
	{ "all", NULL, 0, 0,
	  OPENED "map 12288 of 61; watch 61; event 2; map 12288 of 62; watch 62; " CLOSED
		 "unmap 12288; close 61; unmap 12288; close 62; close 50; " },
	{ "one_is_offline", "event", 1, ENODEV,
	  OPENED "event 2; map 12288 of 62; watch 62; " CLOSED
		 "unmap 12288; close 62; close 50; " },
	{ "not_allowed", "event", 1, EACCES,
	  OPENED "24 \"the events of processes on CPU 1: Permission denied\"; " CLOSED
		 "close 50; " },
	{ "too_much_memory", "map", 1, EPERM,
	  OPENED "map 12288 of 61; 24 \"the events of processes on CPU 1: Operation not permitted "
		 "(kernel.perf_event_mlock_kb is too small)\"; " CLOSED "close 61; close 50; " },
	{ "no_memory", "map", 1, ENOMEM,
	  OPENED "map 12288 of 61; 24 \"the events of processes on CPU 1: Cannot allocate "
		 "memory\"; " CLOSED "close 61; close 50; " },
	{ "not_watched", "watch", 1, ENOSPC,
	  OPENED "map 12288 of 61; watch 61; 1 \"waiting for the events of processes: No space "
		 "left on device\"; " CLOSED "unmap 12288; close 61; close 50; " },
	{ "no_epoll", "epoll", 0, EMFILE, "1 \"epoll_create: Too many open files\"; " },
	{ "no_cpus", "cpus", 0, 0, "1 \"no CPUs\"; close 50; " },
};

START_TEST(rings_are_opened)
{
	struct perf_rings rings;
	struct error error;

	memset(&world, 0, sizeof(world));
	world.failing = openings[_i].failing;
	world.cpu = openings[_i].cpu;
	world.why = openings[_i].why;
	int status = perf_rings_open(&rings, 2, &error);

	ck_assert(status == 0 || status == -1);
	if (status)
		say("%d \"%s\"; ", error.code, error.message);
	for (unsigned int i = 0; !status && i < rings.count; i++) {
		ck_assert_uint_eq(rings.ring[i].bytes, 2 * PAGE);
		ck_assert_ptr_eq(rings.ring[i].data, (uint8_t *)world.page + PAGE);
	}
	perf_rings_close(&rings);
	ck_assert(!rings.ring && !rings.count && rings.epoll_fd == -1);
	ck_assert_msg(!strcmp(world.said, openings[_i].expect), "%s:\n%s", openings[_i].name,
		      world.said);
}
END_TEST

/* Descriptor 0 is one, too. */
START_TEST(descriptor_0_is_closed)
{
	struct perf_rings rings = { .epoll_fd = 0 };

	memset(&world, 0, sizeof(world));
	perf_rings_close(&rings);
	ck_assert_str_eq(world.said, "close 0; ");
}
END_TEST

/* Everything that is asked for, and nothing else. */
START_TEST(events_say_what_is_asked)
{
	struct perf_event_attr asked = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(asked),
					 .config = PERF_COUNT_SW_DUMMY,
					 .sample_type = PERF_SAMPLE_TIME,
					 .clockid = CLOCK_MONOTONIC,
					 .wakeup_watermark = world.attr.wakeup_watermark };
	struct perf_rings rings;
	struct error error;

	memset(&world, 0, sizeof(world));
	ck_assert(!perf_rings_open(&rings, 2, &error));
	ck_assert(world.attr.wakeup_watermark > 0 && world.attr.wakeup_watermark <= 16);
	asked.wakeup_watermark = world.attr.wakeup_watermark;
	asked.sample_id_all = asked.mmap = asked.mmap2 = asked.comm = asked.comm_exec = 1;
	asked.task = asked.use_clockid = asked.watermark = 1;
	ck_assert(!memcmp(&asked, &world.attr, sizeof(asked)));
	perf_rings_close(&rings);
}
END_TEST

START_TEST(head_and_tail_are_the_kernel_s)
{
	struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)world.page;
	struct perf_ring ring = { .memory = page, .tail = 77 };

	page->data_head = 99;
	ck_assert_uint_eq(perf_ring_head(&ring), 99);
	perf_ring_release(&ring);
	ck_assert(page->data_tail == 77 && page->data_head == 99);
}
END_TEST

/* ---- mappings --------------------------------------------------------------------------- */

#define RING_BYTES 16384u
#define BODY	   64u
#define WHOLE	   UINT32_MAX /* as long as a path may be */

static const struct {
	const char *name;
	uint32_t type;
	uint64_t start, bytes, offset;
	uint32_t path_bytes; /* with its end, and what fills it up */
	uint32_t end;	     /* where the first zero is */
	bool usable;
} mappings[] = {
	{ "usable", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1000, 8, 5, true },
	{ "without_a_file_s_offset", PERF_RECORD_MMAP2, 0x7000, 0x1000, 0, 8, 0, true },
	{ "older_record", PERF_RECORD_MMAP, 0x7000, 0x2000, 0x1000, 8, 5, false },
	{ "start_within_a_page", PERF_RECORD_MMAP2, 0x7010, 0x2000, 0x1000, 8, 5, false },
	{ "end_within_a_page", PERF_RECORD_MMAP2, 0x7000, 0x2800, 0x1000, 8, 5, false },
	{ "offset_within_a_page", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1001, 8, 5, false },
	{ "empty", PERF_RECORD_MMAP2, 0x7000, 0, 0x1000, 8, 5, false },
	{ "wraps", PERF_RECORD_MMAP2, 0x7000, -0x7000ull, 0x1000, 8, 5, false },
	{ "up_to_the_end", PERF_RECORD_MMAP2, 0x7000, -0x8000ull, 0x1000, 8, 5, true },
	{ "no_path", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1000, 0, 0, false },
	{ "path_without_an_end", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1000, 8, 8, false },
	{ "path_with_its_end_last", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1000, 8, 7, true },
	{ "longest_path", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1000, PROCESS_PATH_BYTES,
	  PROCESS_PATH_BYTES - 1, true },
	{ "longer_path", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1000, PROCESS_PATH_BYTES + 8,
	  PROCESS_PATH_BYTES, false },
	{ "longer_record", PERF_RECORD_MMAP2, 0x7000, 0x2000, 0x1000, PROCESS_PATH_BYTES + 8,
	  PROCESS_PATH_BYTES - 1, true },
};

static void put(uint8_t *data, uint64_t at, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[(at + i) % RING_BYTES] = ((const uint8_t *)bytes)[i];
}

/* So that the body lies in the ring's end, and its path, too. */
static const uint64_t positions[] = { 0, RING_BYTES - 16, RING_BYTES - 80 };

START_TEST(mapping_is_what_the_record_says)
{
	int number = _i / COUNT(positions);
	uint64_t at = positions[_i % COUNT(positions)], time = 8;
	struct mapping_body body = { .pid = 9,
				     .tid = 10,
				     .start = mappings[number].start,
				     .bytes = mappings[number].bytes,
				     .offset = mappings[number].offset,
				     .major = 259,
				     .minor = 3,
				     .inode = 1234567890123 };
	struct perf_event_header header = { .type = mappings[number].type };
	char path[PROCESS_PATH_BYTES + 8];
	uint8_t *data = calloc(1, RING_BYTES);
	struct perf_ring *ring = calloc(1, sizeof(*ring));
	struct process_event event;

	memset(path, 'p', sizeof(path));
	if (mappings[number].end < mappings[number].path_bytes)
		path[mappings[number].end] = 0;
	memset(ring->path, 0, sizeof(ring->path));
	header.size = sizeof(header) + sizeof(body) + mappings[number].path_bytes + sizeof(time);
	ck_assert_uint_eq(sizeof(body), BODY);
	put(data, at, &header, sizeof(header));
	put(data, at + sizeof(header), &body, sizeof(body));
	put(data, at + sizeof(header) + sizeof(body), path, mappings[number].path_bytes);
	put(data, at + header.size - sizeof(time), &time, sizeof(time));
	ring->data = data;
	ring->bytes = RING_BYTES;
	ring->tail = at;
	ck_assert(perf_ring_take(ring, at + header.size, &event));
	ck_assert(event.kind == PROCESS_EVENT_MAP && event.pid == 9 && event.tid == 10);
	ck_assert_uint_eq(event.time_ns, 8);
	ck_assert_msg(!event.mapping.path == !mappings[number].usable, "%s", mappings[number].name);
	if (!mappings[number].path_bytes)
		ck_assert(!event.mapping.start && !event.mapping.end && !event.mapping.inode);
	if (mappings[number].usable) {
		ck_assert_uint_eq(event.mapping.start, body.start);
		ck_assert_uint_eq(event.mapping.end, body.start + body.bytes);
		ck_assert_uint_eq(event.mapping.offset, body.offset);
		ck_assert_uint_eq(event.mapping.device, makedev(259, 3));
		ck_assert_uint_eq(event.mapping.inode, body.inode);
		ck_assert_uint_eq(strlen(event.mapping.path), mappings[number].end);
		ck_assert_uint_eq(strspn(event.mapping.path, "p"), mappings[number].end);
	}
	free(ring);
	free(data);
}
END_TEST

SUITE(perf_ring_made, LOOP(rings_are_opened, openings), TEST(descriptor_0_is_closed),
      TEST(events_say_what_is_asked), TEST(head_and_tail_are_the_kernel_s),
      TIMES(mapping_is_what_the_record_says, COUNT(mappings) * COUNT(positions)))
