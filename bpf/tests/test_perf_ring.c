/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_perf_ring.c - records of processes, well-formed and not, wherever they lie in the ring
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "patience.h"
#include "perf_ring.h"

#define RING_BYTES 256
#define TIME	   0x0102030405060708ull
#define BEFORE	   5 /* the time of the record before */

/* The words of every body: enough for the longest, FORK and EXIT. */
static const uint32_t words[] = { 9, 7, 10, 8, 0, 0 };

#define MAPPED	  PERF_RECORD_MMAP2, 0
#define NAMED	  PERF_RECORD_COMM, 0
#define EXECUTED  PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC
#define FORKED	  PERF_RECORD_FORK, 0
#define EXITED	  PERF_RECORD_EXIT, 0
#define LOST	  PERF_RECORD_LOST, 0
#define UNKNOWN	  4711, 0
#define MALFORMED PROCESS_EVENT_MALFORMED

static const struct {
	const char *name;
	uint32_t type;
	uint16_t misc;
	uint16_t size;	  /* as the header says */
	uint64_t at;	  /* position of the record */
	uint64_t written; /* bytes, from there on */
	enum process_event_kind kind;
	uint64_t taken; /* bytes */
} cases[] = {
	{ "map", MAPPED, 72, 0, 72, PROCESS_EVENT_MAP, 72 },
	{ "name_by_exec_is_an_exec", EXECUTED, 32, 0, 32, PROCESS_EVENT_EXEC, 32 },
	{ "name_without_exec_says_nothing", NAMED, 32, 0, 32, PROCESS_EVENT_OTHER, 32 },
	{ "fork", FORKED, 40, 0, 40, PROCESS_EVENT_FORK, 40 },
	{ "exit", EXITED, 40, 0, 40, PROCESS_EVENT_EXIT, 40 },
	{ "lost", LOST, 32, 0, 32, PROCESS_EVENT_LOST, 32 },
	{ "unknown_type_is_passed_over", UNKNOWN, 24, 0, 48, PROCESS_EVENT_OTHER, 24 },
	{ "longer_than_known_is_read", FORKED, 56, 0, 56, PROCESS_EVENT_FORK, 56 },
	{ "only_the_first_is_taken", FORKED, 40, 0, 80, PROCESS_EVENT_FORK, 40 },
	{ "header_wraps", MAPPED, 72, 10 * RING_BYTES - 4, 72, PROCESS_EVENT_MAP, 72 },
	{ "body_wraps", FORKED, 40, RING_BYTES - 16, 40, PROCESS_EVENT_FORK, 40 },
	{ "time_wraps", FORKED, 40, RING_BYTES - 36, 40, PROCESS_EVENT_FORK, 40 },
	{ "ends_with_the_ring", FORKED, 40, RING_BYTES - 40, 40, PROCESS_EVENT_FORK, 40 },
	{ "position_wraps", FORKED, 40, -16ull, 40, PROCESS_EVENT_FORK, 40 },
	{ "fills_the_ring", MAPPED, RING_BYTES, 8, RING_BYTES, PROCESS_EVENT_MAP, RING_BYTES },
	{ "size_0", FORKED, 0, 0, 96, MALFORMED, 96 },
	{ "size_below_the_header", FORKED, 7, 0, 96, MALFORMED, 96 },
	{ "size_not_of_words", FORKED, 43, 0, 96, MALFORMED, 96 },
	{ "size_beyond_what_is_written", FORKED, 40, 0, 32, MALFORMED, 32 },
	{ "size_beyond_the_ring", MAPPED, RING_BYTES + 8, 0, RING_BYTES, MALFORMED, RING_BYTES },
	{ "size_as_large_as_can_be", MAPPED, 0xfff8, 0, RING_BYTES, MALFORMED, RING_BYTES },
	{ "more_written_than_fits", FORKED, 40, 0, RING_BYTES + 8, MALFORMED, RING_BYTES + 8 },
	{ "written_backwards", FORKED, 40, 64, -32ull, MALFORMED, -32ull },
	{ "header_not_all_written", FORKED, 40, 0, 4, MALFORMED, 4 },
	{ "header_alone", FORKED, 8, 0, 96, MALFORMED, 8 },
	{ "map_too_short", MAPPED, 16, 0, 96, MALFORMED, 16 },
	{ "exec_too_short", EXECUTED, 16, 0, 96, MALFORMED, 16 },
	{ "fork_too_short", FORKED, 32, 0, 96, MALFORMED, 32 },
	{ "exit_too_short", EXITED, 32, 0, 96, MALFORMED, 32 },
	{ "lost_too_short", LOST, 24, 0, 96, MALFORMED, 24 },
};

/* Round and round, as the kernel writes. */
static void put(uint8_t *data, uint64_t at, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[(at + i) % RING_BYTES] = ((const uint8_t *)bytes)[i];
}

static void assert_says(const char *name, const struct process_event *event)
{
	uint64_t lost = event->kind == PROCESS_EVENT_LOST ? words[2] + ((uint64_t)words[3] << 32)
							  : 0;
	bool task = event->kind == PROCESS_EVENT_FORK || event->kind == PROCESS_EVENT_EXIT;

	ck_assert_msg(event->lost == lost, "%s: lost %" PRIu64, name, event->lost);
	if (lost || event->kind == PROCESS_EVENT_OTHER)
		return;
	ck_assert_msg(event->pid == 9, "%s: pid %d", name, event->pid);
	ck_assert_msg(event->tid == (task ? 10 : 7), "%s: tid %d", name, event->tid);
	ck_assert_msg(event->parent == (task ? 7 : 0), "%s: parent %d", name, event->parent);
}

START_TEST(record_is_read_or_refused)
{
	const char *name = cases[_i].name;
	struct perf_event_header header = { .type = cases[_i].type,
					    .misc = cases[_i].misc,
					    .size = cases[_i].size };
	/* From the heap and of just the size: a sanitizer sees who reads beside it. */
	uint8_t *data = calloc(1, RING_BYTES);
	struct perf_ring ring = { .data = data, .bytes = RING_BYTES, .last_ns = BEFORE };
	uint64_t at = cases[_i].at, head = at + cases[_i].written, time = TIME;
	bool good = cases[_i].kind != MALFORMED;
	struct process_event event;

	put(data, at, &header, sizeof(header));
	put(data, at + sizeof(header), words, sizeof(words));
	if (good)
		put(data, at + header.size - sizeof(time), &time, sizeof(time));
	ring.tail = at;
	ck_assert_msg(perf_ring_take(&ring, head, &event), "%s", name);
	ck_assert_msg(event.kind == cases[_i].kind, "%s: kind %d", name, event.kind);
	ck_assert_msg(ring.tail - at == cases[_i].taken, "%s: took %" PRIu64, name, ring.tail - at);
	ck_assert_msg(event.since_ns == BEFORE, "%s: since %" PRIu64, name, event.since_ns);
	ck_assert_msg(event.time_ns == (good ? TIME : BEFORE), "%s: time %" PRIx64, name,
		      event.time_ns);
	ck_assert_msg(ring.last_ns == event.time_ns, "%s: last %" PRIx64, name, ring.last_ns);
	if (good)
		assert_says(name, &event);
	ring.tail = head;
	ck_assert_msg(!perf_ring_take(&ring, head, &event), "%s: there is no more", name);
	free(data);
}
END_TEST

/* Any bytes at all: it ends, and never reads beside the ring. */
START_TEST(noise_is_read_to_its_end)
{
	uint8_t *data = malloc(RING_BYTES);
	unsigned int kinds = 0;

	srand(_i);
	for (int round = 0; round < 5000; round++) {
		struct perf_ring ring = { .data = data, .bytes = RING_BYTES };
		struct process_event event;
		unsigned int taken = 0;

		for (int i = 0; i < RING_BYTES; i++)
			data[i] = rand() % 3 ? 0 : rand();
		for (int i = 0; i < RING_BYTES; i += 8) { /* types and sizes that may well be */
			data[i] = rand() % 10;
			data[i + 1] = data[i + 2] = data[i + 3] = 0;
			data[i + 6] = rand() % 12 * 8;
			data[i + 7] = 0;
		}
		ring.tail = (uint64_t)rand() * 8;
		uint64_t head = ring.tail + rand() % (RING_BYTES / 8 + 2) * 8;
		while (perf_ring_take(&ring, head, &event)) {
			kinds |= 1u << event.kind;
			ck_assert_uint_le(++taken, RING_BYTES / 8 + 2);
		}
		ck_assert_uint_eq(ring.tail, head);
	}
	ck_assert_uint_eq(kinds, (2u << MALFORMED) - 1); /* each of them came */
	free(data);
}
END_TEST

/* Where one dummy event of all processes may be opened, and mapped, all rings can be. */
START_TEST(rings_are_those_of_all_processes)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY };
	int cpu = sched_getcpu();
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	size_t bytes = 2 * sysconf(_SC_PAGESIZE);
	void *ring = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	struct perf_rings rings;
	struct error error;
	int status;

	if (ring == MAP_FAILED) {
		printf("SKIP: no events of all processes here\n");
		return;
	}
	munmap(ring, bytes);
	close(fd);
	status = perf_rings_open(&rings, 1, &error);
	ck_assert_msg(!status, "%s", error.message);
	perf_rings_close(&rings);
}
END_TEST

SUITE(perf_ring, TIMEOUT(PATIENCE_S), LOOP(record_is_read_or_refused, cases),
      TIMES(noise_is_read_to_its_end, 4), TEST(rings_are_those_of_all_processes))
