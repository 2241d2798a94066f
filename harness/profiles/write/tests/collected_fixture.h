/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * collected_fixture.h - a collected profile that has a bit of everything, and how it is built
 */
#ifndef STACKPROOF_TESTS_COLLECTED_FIXTURE_H
#define STACKPROOF_TESTS_COLLECTED_FIXTURE_H

#include <check.h>
#include "profiles/write/write.h"

static struct error collecting_error;

/* None of these fails here. */
static inline uint32_t added(uint32_t number)
{
	ck_assert_uint_ne(number, UINT32_MAX);
	return number;
}

static inline uint32_t add_text(struct collected *collected, const char *text)
{
	return added(collected_text(collected, text, &collecting_error));
}

static inline uint32_t add_mapping(struct collected *collected, const char *path,
				   enum collected_image image, uint64_t start, uint64_t offset)
{
	const struct collected_mapping mapping = { .start = start,
						   .limit = start + 0x100000,
						   .offset = offset,
						   .path = add_text(collected, path),
						   .image = image };

	return added(collected_mapping(collected, &mapping, &collecting_error));
}

/* names: of its lines, innermost first; the last is NULL. */
static inline uint32_t add_location(struct collected *collected, enum collected_frame frame,
				    uint32_t mapping, uint64_t address, const char *const *names)
{
	struct collected_line line[8] = { 0 };
	uint32_t lines = 0;

	for (; names[lines]; lines++) {
		const struct collected_function function = { .name = add_text(collected,
									      names[lines]) };

		line[lines].function =
			added(collected_function(collected, &function, &collecting_error));
	}
	return added(collected_location(collected, frame, mapping, address, line, lines,
					&collecting_error));
}
#define NAMES(...) ((const char *const[]) { __VA_ARGS__, NULL })
#define NO_NAMES   ((const char *const[]) { NULL })

static inline uint32_t add_stack(struct collected *collected, const char *stop, uint32_t count,
				 const uint32_t *location)
{
	return added(collected_stack(collected, location, count,
				     stop ? add_text(collected, stop) : 0, &collecting_error));
}
#define STACK(collected, stop, ...)                                                                \
	add_stack(collected, stop, sizeof((uint32_t[]) { __VA_ARGS__ }) / sizeof(uint32_t),        \
		  (uint32_t[]) { __VA_ARGS__ })

static inline uint32_t add_task(struct collected *collected, int32_t pid, int32_t tid,
				const char *comm, const char *container)
{
	const struct collected_task task = { .pid = pid,
					     .tid = tid,
					     .comm = add_text(collected, comm),
					     .container = add_text(collected, container) };

	return added(collected_task(collected, &task, &collecting_error));
}

static inline void add_sample(struct collected *collected, uint32_t stack, uint32_t task,
			      uint64_t count, uint64_t amount)
{
	ck_assert_int_eq(collected_add(collected, stack, task, count, amount, &collecting_error),
			 0);
}

/* A complete stack with an inlined function, one that ends early, one of the kernel over code without a file, a tick
 * without a stack; tasks in a container and outside, and none. */
static inline void collected_fixture(struct collected *collected, enum collected_type type)
{
	uint32_t program, kernel, anonymous, work, main_, start, entry, made, nameless, bash, other;
	struct collected_mapping mapping;

	collected_init(collected, type);
	collected->start_ns = 1700000000123456789;
	collected->duration_ns = 10000000000;
	collected->period = 1000000;
	collected->host = add_text(collected, "host");
	mapping = (struct collected_mapping) { .start = 0x555500001000,
					       .limit = 0x555500101000,
					       .offset = 0x1000,
					       .path = add_text(collected, "/usr/bin/bash"),
					       .build_id = add_text(collected, "5c9a") };
	program = added(collected_mapping(collected, &mapping, &collecting_error));
	kernel = add_mapping(collected, "[kernel.kallsyms]", COLLECTED_KERNEL, 0xffffffff81000000,
			     0);
	anonymous = add_mapping(collected, "", COLLECTED_ANONYMOUS, 0x7f0000000000, 0);
	work = add_location(collected, COLLECTED_IN_USER, program, 0x555500001234,
			    NAMES("inner", "work"));
	main_ = add_location(collected, COLLECTED_IN_USER, program, 0x555500001300, NAMES("main"));
	start = add_location(collected, COLLECTED_IN_USER, program, 0x555500001400,
			     NAMES("_start"));
	nameless = add_location(collected, COLLECTED_IN_USER, program, 0x555500001500, NO_NAMES);
	entry = add_location(collected, COLLECTED_IN_KERNEL, kernel, 0xffffffff810001a7,
			     NAMES("do_syscall_64"));
	made = add_location(collected, COLLECTED_IN_USER, anonymous, 0x7f0000000010, NO_NAMES);
	bash = add_task(collected, 7, 8, "bash", "c0ffee");
	other = add_task(collected, 9, 9, "Web Content", "");
	add_sample(collected, STACK(collected, NULL, work, main_, start), bash, 3, 3000000);
	add_sample(collected, STACK(collected, "no_row", nameless, main_), bash, 2, 2000001);
	add_sample(collected, STACK(collected, NULL, entry, made), other, 1, 1000000);
	ck_assert_int_eq(collected_lose(collected, "no_space", 0, 4, 4000000, &collecting_error),
			 0);
}

#endif
