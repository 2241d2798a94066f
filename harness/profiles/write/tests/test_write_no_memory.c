// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * test_write_no_memory.c - every allocation of collecting and writing, one after another, finds no memory
 *
 * What has failed is done once more, and then finds memory: all must be as if nothing had failed. So a failure says that
 * there is no memory, and has broken nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/failing_heap.h"
#include "hash.h"
#include "profiles/write/bytes_out.h"
#include "profiles/write/push_parts.h"
#include "profiles/write/write.h"
#include "tests/suite.h"

#define ALLOCATIONS_MAX 100000 /* there are fewer */

static struct error error;

static int wrong; /* libcheck takes memory for each of its checks */

#define TWICE(call, failure)                                                                       \
	({                                                                                         \
		__typeof__(call) twice_ = (call);                                                  \
		if (twice_ == (failure)) {                                                         \
			wrong += error.code != ERROR_MEMORY;                                       \
			twice_ = (call);                                                           \
		}                                                                                  \
		wrong += twice_ == (failure);                                                      \
		twice_;                                                                            \
	})
#define NUMBER(call) TWICE(call, UINT32_MAX)

/* More than arrays have room for at first, and a bit of everything. */
static void collect(struct collected *collected)
{
	struct collected_task task = { .pid = 1, .tid = 2 };
	uint32_t number, stack, location[2],
		stop = NUMBER(collected_text(collected, "no_row", &error));

	task.comm = NUMBER(collected_text(collected, "comm", &error));
	for (uint64_t i = 0; i < 20; i++) {
		struct collected_mapping mapping = { .start = 0x1000 * i, .path = task.comm };
		struct collected_function function = { 0 };
		struct collected_line line = { 0 };
		char name[32];

		snprintf(name, sizeof(name), "function_%d", (int)i);
		function.name = NUMBER(collected_text(collected, name, &error));
		line.function = NUMBER(collected_function(collected, &function, &error));
		number = NUMBER(collected_mapping(collected, &mapping, &error));
		location[0] = NUMBER(collected_location(collected, COLLECTED_IN_USER, number,
							0x1000 * i + 1, &line, 1, &error));
		location[1] = NUMBER(collected_location(collected, COLLECTED_IN_KERNEL, 0,
							UINT64_MAX - i, NULL, 0, &error));
		stack = NUMBER(collected_stack(collected, location, 2, i % 2 ? stop : 0, &error));
		task.tid = (int32_t)i;
		number = NUMBER(collected_task(collected, &task, &error));
		TWICE(collected_add(collected, stack, number, 1, 2, &error), -1);
	}
	TWICE(collected_lose(collected, "no_space", 0, 3, 4, &error), -1);
}

static uint64_t hash_once(uint8_t *data, size_t size)
{
	uint64_t hash = hash_bytes(data, size);

	free(data);
	return hash;
}

/* All that is written of it, as one number. */
static uint64_t collect_and_write(void)
{
	static const enum profile_format formats[] = { PROFILE_PPROF, PROFILE_OTLP, PROFILE_FOLDED,
						       PROFILE_PERF_SCRIPT };
	struct collected collected;
	struct push_body body;
	uint64_t hash = 0;
	uint8_t *data;
	size_t size;

	collected_init(&collected, COLLECTED_CPU);
	collect(&collected);
	for (size_t i = 0; i < 2 * sizeof(formats) / sizeof(formats[0]); i++) {
		TWICE(profile_write_bytes(&collected, formats[i / 2], i % 2, &data, &size, &error),
		      -1);
		hash = hash_word(hash, hash_once(data, size));
	}
	TWICE(push_body_make(PUSH_PARCA, &collected, &body, &error), -1);
	hash = hash_word(hash, hash_once(body.data, body.size));
	collected_deinit(&collected);
	return hash;
}

START_TEST(no_memory_breaks_nothing)
{
	const uint64_t expected = collect_and_write();
	long allocations = 0;

	do {
		failed = 0;
		until_none = ++allocations;
		wrong += collect_and_write() != expected;
		until_none = 0;
		ck_assert_msg(!wrong, "allocation %ld: %s", allocations, error.message);
	} while (failed && allocations < ALLOCATIONS_MAX);
	if (!SANITIZED)
		ck_assert_int_gt(allocations, 100);
}
END_TEST

SUITE(write_no_memory, TEST(no_memory_breaks_nothing))
