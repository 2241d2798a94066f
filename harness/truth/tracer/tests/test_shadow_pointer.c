/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_shadow_pointer.c - where the CPU's shadow stack is, if the thread has one
 */
#include <errno.h>
#include <stdarg.h>
#include "tests/suite.h"

#define ptrace say_ptrace
#include "truth/tracer/target_memory.c"
#undef ptrace

static struct world {
	uint64_t ssp;
	size_t bytes; /* that the kernel gives */
	int error;
} world;

long say_ptrace(enum __ptrace_request request, ...)
{
	va_list arguments;

	va_start(arguments, request);
	ck_assert_int_eq(va_arg(arguments, pid_t), 77);
	ck_assert_uint_eq(va_arg(arguments, int), 0x204); /* NT_X86_SHSTK */

	struct iovec *bytes = va_arg(arguments, void *);

	va_end(arguments);
	ck_assert_int_eq(request, PTRACE_GETREGSET);
	ck_assert_uint_eq(bytes->iov_len, sizeof(world.ssp));
	if (world.error) {
		errno = world.error;
		return -1;
	}
	memcpy(bytes->iov_base, &world.ssp, sizeof(world.ssp));
	bytes->iov_len = world.bytes;
	return 0;
}

static const struct {
	const char *name;
	struct world world;
	bool has;
} pointer_cases[] = {
	{ "stack", { 0x7000, 8, 0 }, true },
	{ "of_the_lowest_address", { 1, 8, 0 }, true },
	{ "none", { 0, 8, 0 }, false },
	{ "half_a_word", { 0x7000, 4, 0 }, false },
	{ "no_such_registers", { 0x7000, 8, ENODEV }, false },
};

START_TEST(pointer_is_a_register)
{
	uint64_t ssp = 99;

	world = pointer_cases[_i].world;
	ck_assert_msg(target_shadow_pointer(77, &ssp) == pointer_cases[_i].has, "%s",
		      pointer_cases[_i].name);
	ck_assert_uint_eq(ssp, world.error ? 0 : world.ssp);
}
END_TEST

SUITE(shadow_pointer, LOOP(pointer_is_a_register, pointer_cases))
