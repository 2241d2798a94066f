/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_memory.c - a process's memory: never older than the last reset, never past what is mapped
 *
 * The process is the test itself, so that it can change what is read between two reads.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/suite.h"
#include "engines/built_in/engine.h"
#include "user_registers.h"

#define PAGE  4096u
#define PAGES 70u /* more than the cache has slots; the last one is not readable */

struct fixture {
	struct target_memory *memory;
	struct memory_reader reader;
	uint8_t *page;
};

static struct fixture setup(void)
{
	struct fixture f = { .memory = target_memory_create() };

	f.reader = target_memory_reader(f.memory);
	f.page = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(f.page, MAP_FAILED);
	for (unsigned int i = 0; i < PAGES * PAGE / 4; i++)
		((uint32_t *)f.page)[i] = i * 2654435761u;
	mprotect(f.page + (PAGES - 1) * PAGE, PAGE, PROT_NONE);
	target_memory_reset(f.memory, getpid());
	return f;
}

static void teardown(struct fixture *f)
{
	munmap(f->page, PAGES * PAGE);
	target_memory_destroy(f->memory);
}

static const struct read_case {
	const char *name;
	uint64_t offset;
	size_t size;
	bool fails;
} read_cases[] = {
	{ "word_at_a_page_start", 0, 8, false },
	{ "word_at_a_page_end", PAGE - 8, 8, false },
	{ "word_across_two_pages", PAGE - 3, 8, false },
	{ "one_byte", PAGE - 1, 1, false },
	{ "a_whole_page", PAGE, PAGE, false },
	{ "more_than_a_page", 5, 2 * PAGE, false },
	{ "last_readable_word", (PAGES - 1) * PAGE - 8, 8, false },
	{ "across_into_the_unreadable", (PAGES - 1) * PAGE - 4, 8, true },
	{ "unreadable", (PAGES - 1) * PAGE, 8, true },
};

START_TEST(read_gives_the_bytes)
{
	const struct read_case *c = &read_cases[_i];
	static uint8_t bytes[3 * PAGE];
	struct fixture f = setup();

	for (int again = 0; again < 2; again++) {
		int status = f.reader.read(f.reader.context, (uint64_t)f.page + c->offset, bytes,
					   c->size);
		ck_assert_msg(status == (c->fails ? -1 : 0), "%s: %d", c->name, status);
		ck_assert_msg(c->fails || !memcmp(bytes, f.page + c->offset, c->size), "%s",
			      c->name);
	}
	teardown(&f);
}
END_TEST

START_TEST(null_and_the_end_of_addresses_are_unreadable)
{
	struct fixture f = setup();
	uint64_t word;

	ck_assert_int_eq(f.reader.read(f.reader.context, 0, &word, 8), -1);
	ck_assert_int_eq(f.reader.read(f.reader.context, 0, &word, 8), -1); /* nor is it kept */
	ck_assert_int_eq(f.reader.read(f.reader.context, UINT64_MAX - 3, &word, 8), -1);
	ck_assert_int_eq(f.reader.read(f.reader.context, UINT64_MAX - 7, &word, 8), -1);
	teardown(&f);
}
END_TEST

START_TEST(reset_forgets)
{
	struct fixture f = setup();
	uint64_t word, before, changed = 42;

	ck_assert_int_eq(f.reader.read(f.reader.context, (uint64_t)f.page, &before, 8), 0);
	memcpy(f.page, &changed, 8);
	/* Until then a page is read once, whatever is read meanwhile elsewhere. */
	ck_assert_int_eq(f.reader.read(f.reader.context, (uint64_t)f.page + PAGE, &word, 8), 0);
	ck_assert_int_eq(f.reader.read(f.reader.context, (uint64_t)f.page, &word, 8), 0);
	ck_assert_uint_eq(word, before);
	ck_assert_uint_ne(word, changed);
	/* What is read is never that of the page at 0. */
	for (unsigned int page = 0; page < 64; page++)
		ck_assert(
			!f.reader.read(f.reader.context, (uint64_t)f.page + page * PAGE, &word, 8));
	ck_assert_int_eq(f.reader.read(f.reader.context, 0, &word, 8), -1);
	ck_assert_int_eq(f.reader.read(f.reader.context, (uint64_t)f.page, &word, 8), 0);
	target_memory_reset(f.memory, getpid());
	ck_assert_int_eq(f.reader.read(f.reader.context, (uint64_t)f.page, &word, 8), 0);
	ck_assert_uint_eq(word, 42);
	mprotect(f.page, PAGE, PROT_NONE);
	target_memory_reset(f.memory, getpid());
	ck_assert_int_eq(f.reader.read(f.reader.context, (uint64_t)f.page, &word, 8), -1);
	mprotect(f.page, PAGE, PROT_READ | PROT_WRITE);
	teardown(&f);
}
END_TEST

/* Pages 64 apart share a slot of the cache. */
START_TEST(pages_of_one_slot_are_not_mixed_up)
{
	struct fixture f = setup();
	uint64_t word;

	for (int i = 0; i < 6; i++) {
		unsigned int page = i & 1 ? 66 : 2;
		ck_assert_int_eq(
			f.reader.read(f.reader.context, (uint64_t)f.page + page * PAGE, &word, 8),
			0);
		ck_assert(!memcmp(&word, f.page + page * PAGE, 8));
	}
	teardown(&f);
}
END_TEST

/* A file's page that was given back is read by whoever may wait for it, and from then on
 * present. */
START_TEST(absent_page_is_left_absent)
{
	int file = memfd_create("pages", MFD_CLOEXEC);
	struct fixture f = setup();
	struct resident_memory resident;
	struct memory_reader reader;
	uint64_t word = 0;

	ck_assert(file >= 0 && !ftruncate(file, 2 * PAGE));
	uint8_t *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	memset(page, 7, 2 * PAGE);
	ck_assert(!madvise(page + PAGE, PAGE, MADV_DONTNEED));
	resident_memory_init(&resident, getpid(), f.reader);
	reader = resident_memory_reader(&resident);
	ck_assert(!reader.read(reader.context, (uint64_t)page + PAGE - 8, &word, 8));
	ck_assert_uint_eq(word, 0x0707070707070707);
	ck_assert(!resident.absent);
	/* Nor is one absent that is no file's. */
	ck_assert(!reader.read(reader.context, (uint64_t)f.page, &word, 8));
	ck_assert(!resident.absent);
	ck_assert(reader.read(reader.context, (uint64_t)page + PAGE, &word, 8));
	ck_assert(
		reader.read(reader.context, (uint64_t)page + PAGE - 4, &word, 8)); /* half of it */
	ck_assert(resident.absent);
	ck_assert(!f.reader.read(f.reader.context, (uint64_t)page + PAGE, &word, 8));
	ck_assert(!reader.read(reader.context, (uint64_t)page + PAGE, &word, 8));
	ck_assert_uint_eq(word, 0x0707070707070707);
	resident_memory_deinit(&resident);
	munmap(page, 2 * PAGE);
	close(file);
	teardown(&f);
}
END_TEST

/* What can't be read is no matter of presence where there is no page map. */
START_TEST(without_a_page_map_all_is_present)
{
	struct fixture f = setup();
	struct resident_memory resident;
	struct memory_reader reader;
	uint64_t word = 0;

	resident_memory_init(&resident, -1, f.reader);
	reader = resident_memory_reader(&resident);
	ck_assert(!reader.read(reader.context, (uint64_t)f.page, &word, 8));
	ck_assert(reader.read(reader.context, (uint64_t)f.page + (PAGES - 1) * PAGE, &word, 8));
	ck_assert(!resident.absent);
	resident_memory_deinit(&resident);
	teardown(&f);
}
END_TEST

/* Where standard input is closed, it has the first number. */
START_TEST(page_map_is_closed_whatever_its_number)
{
	struct fixture f = setup();
	struct resident_memory resident;

	close(STDIN_FILENO);
	resident_memory_init(&resident, getpid(), f.reader);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), FD_CLOEXEC);
	resident_memory_deinit(&resident);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	teardown(&f);
}
END_TEST

START_TEST(registers_are_in_dwarf_order)
{
	struct user_regs_struct user = IN_BRACES(.rax = 0, .rdx = 1, .rcx = 2, .rbx = 3, .rsi = 4,
						 .rdi = 5, .rbp = 6, .rsp = 7, .r8 = 8, .r9 = 9,
						 .r10 = 10, .r11 = 11, .r12 = 12, .r13 = 13,
						 .r14 = 14, .r15 = 15, .rip = 16);
	struct register_values values;

	values = register_values_from_user(&user);
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		ck_assert_uint_eq(values.value[reg], reg);
	ck_assert_uint_eq(values.known, 0x1ffff);

	struct user_regs_struct back;

	back = register_values_to_user(&values);
	ck_assert_mem_eq(&back, &user, sizeof(user));
}
END_TEST

SUITE(memory, LOOP(read_gives_the_bytes, read_cases),
      TEST(null_and_the_end_of_addresses_are_unreadable), TEST(reset_forgets),
      TEST(pages_of_one_slot_are_not_mixed_up), TEST(absent_page_is_left_absent),
      TEST(without_a_page_map_all_is_present), TEST(page_map_is_closed_whatever_its_number),
      TEST(registers_are_in_dwarf_order))
