/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_libdw_process.c - which rows libdw dies of, how long that is known, and what it says
 *
 * The rows are this program's own, each of a function that nobody calls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "engines/built_in/libdw_process.h"

/* The CFA is rsp + 8 + (the byte at rsp, of which nothing is taken). Another is read whole. */
#define SIZED_CFA ".cfi_escape 0x0f, 9, 0x77, 8, 0x77, 0, 0x94, 1, 0x30, 0x1a, 0x22\n"
#define WHOLE_CFA ".cfi_escape 0x0f, 7, 0x77, 8, 0x77, 0, 0x06, 0x30, 0x1a\n"

/* Those at 0 and at 1024 share a place among those that are known. */
__asm__(".text\n.balign 2048\n"
	"rows_sized: .cfi_startproc; " SIZED_CFA "nop; nop; .cfi_endproc\n"
	"rows_behind: .cfi_startproc; nop; nop; nop; .cfi_endproc\n"
	".balign 1024\n"
	"rows_plain: .cfi_startproc; nop; nop; .cfi_endproc\n"
	"rows_whole: .cfi_startproc; " WHOLE_CFA "nop; nop; .cfi_endproc\n"
	"rows_bare: nop; nop\n");

extern const char rows_sized[], rows_behind[], rows_plain[], rows_whole[], rows_bare[];

static struct libdw_process process;
static struct address_space space;
static struct image_store *store;

static void set_up(void)
{
	struct error error;

	memset(&process, 0, sizeof(process));
	store = image_store_create();
	space = (struct address_space) { 0 };
	ck_assert(!address_space_read(&space, store, getpid(), &error));
}

static void tear_down(void)
{
	address_space_deinit(&space);
	image_store_destroy(store);
}

static bool crashes(const char *pc)
{
	return libdw_process_crashes(&process, &space, (uint64_t)pc);
}

/* At the PC, and at the last byte of the call before it; asked for the first time and again. */
START_TEST(rows_that_it_dies_of)
{
	for (int again = 0; again < 3; again++) {
		ck_assert(crashes(rows_sized));
		ck_assert(crashes(rows_sized + 1));
		ck_assert(crashes(rows_behind));
		ck_assert(!crashes(rows_behind + 1));
		ck_assert(!crashes(rows_plain));
		ck_assert(!crashes(rows_plain + 1));
		ck_assert(!crashes(rows_whole));
		ck_assert(!crashes(rows_bare + 1));
		ck_assert(!crashes((const char *)0x10));
		ck_assert(!crashes(NULL));
	}
	/* In one place, one after the other. */
	for (int again = 0; again < 3; again++) {
		ck_assert(!crashes(rows_plain + 1));
		ck_assert(crashes(rows_sized + 1));
	}
	ck_assert_int_eq(((uint64_t)rows_plain - (uint64_t)rows_sized) % LIBDW_CHECKED_PCS, 0);
}
END_TEST

/* Until the mappings are others. */
START_TEST(what_is_known_is_of_the_mappings)
{
	size_t count = space.mapping_count;

	ck_assert(crashes(rows_sized + 1) && !crashes(rows_behind + 2));
	ck_assert(!process.stale);
	space.mapping_count = 0;
	ck_assert(crashes(rows_sized + 1) && !crashes(rows_behind + 2));
	libdw_process_mappings(&process);
	ck_assert(process.stale);
	ck_assert(!crashes(rows_sized + 1));
	space.mapping_count = count;
	ck_assert(!crashes(rows_sized + 1));
	libdw_process_mappings(&process);
	ck_assert(crashes(rows_sized + 1));
}
END_TEST

START_TEST(reasons)
{
	struct error error = { 0 };

	dwfl_errno();
	ck_assert_int_eq(libdw_fail(&error, 12, "dwfl_any", ENOENT), -1);
	ck_assert_str_eq(error.message, "libdw: thread 12: dwfl_any: No such file or directory");
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_int_eq(libdw_fail(&error, 12, "dwfl_any", 1), -1);
	ck_assert_str_eq(error.message, "libdw: thread 12: dwfl_any: Operation not permitted");
	for (int status = -1; status <= 0; status++) {
		ck_assert_int_eq(libdw_fail(&error, 3, "dwfl_any", status), -1);
		ck_assert_str_eq(error.message,
				 "libdw: thread 3: dwfl_any: it failed and gives no reason");
	}
	/* libdw's own error is its reason. */
	static const Dwfl_Callbacks callbacks;
	static const Dwfl_Thread_Callbacks none;
	Dwfl *dwfl = dwfl_begin(&callbacks);
	ck_assert(dwfl && !dwfl_attach_state(dwfl, NULL, 0, &none, NULL));
	ck_assert_int_eq(libdw_fail(&error, 3, "dwfl_attach_state", -1), -1);
	ck_assert(!strstr(error.message, "no reason"));
	dwfl_end(dwfl);
}
END_TEST

SUITE(libdw_process, FIXTURE(set_up, tear_down), TEST(rows_that_it_dies_of),
      TEST(what_is_known_is_of_the_mappings), TEST(reasons))
