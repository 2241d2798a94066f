/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stack_mapping.c - which mapping a stack's pointer is in, by a text of mappings and by our own
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/suite.h"
#include "engines/built_in/engine.h"

#define REST " rw-p 00000000 00:00 0 "

/* As long as what is read of a line at once: what follows would be a mapping. */
#define A_60  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A_58  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A_478 A_60 A_60 A_60 A_60 A_60 A_60 A_60 A_58

static const char maps[] = "1000-3000" REST "/first\n"
			   "3000-4000" REST "/next\n"
			   "no mapping\n"
			   "6000-7000" REST "/" A_478 "8000-9000" REST "\n"
			   "a000-b000" REST "[stack]";

static const struct {
	uint64_t sp, start, end; /* 0: there is none */
} places[] = {
	{ 0xfff, 0, 0 },
	{ 0x1000, 0x1000, 0x3000 },
	{ 0x2fff, 0x1000, 0x3000 },
	{ 0x3000, 0x3000, 0x4000 },
	{ 0x3fff, 0x3000, 0x4000 },
	{ 0x4000, 0, 0 },
	{ 0x6800, 0x6000, 0x7000 },
	{ 0x8800, 0, 0 },
	{ 0xa000, 0xa000, 0xb000 },
	{ 0xafff, 0xa000, 0xb000 },
	{ 0xb000, 0, 0 },
	{ UINT64_MAX, 0, 0 },
	{ 0, 0, 0 },
};

START_TEST(text_of_mappings)
{
	struct point point = { .maps = maps };
	struct stack_mapping mapping = { 0x10, 0x20 };
	bool found = stack_mapping_of(&mapping, &point, places[_i].sp);

	ck_assert_int_eq(found, places[_i].end != 0);
	ck_assert_uint_eq(mapping.start, places[_i].start);
	ck_assert_uint_eq(mapping.end, places[_i].end);
}
END_TEST

/* What is known is not looked for, up to its borders. */
START_TEST(known_mappings)
{
	struct point point = { .maps = "1-2\n" };
	struct stack_mapping mapping = { 0x5000, 0x6000 };

	ck_assert(stack_mapping_of(&mapping, &point, 0x5000));
	ck_assert(stack_mapping_of(&mapping, &point, 0x5fff));
	ck_assert(mapping.start == 0x5000 && mapping.end == 0x6000);
	ck_assert(stack_mapping_find(&mapping, -1, 0x5000));
	ck_assert(stack_mapping_find(&mapping, -1, 0x5fff));
	ck_assert(!stack_mapping_find(&mapping, -1, 0x6000));
	ck_assert(!mapping.start && !mapping.end);
	mapping = (struct stack_mapping) { 0x5000, 0x6000 };
	ck_assert(!stack_mapping_of(&mapping, &point, 0x4fff));
	ck_assert(!mapping.start && !mapping.end);
	point.maps = "";
	ck_assert(!stack_mapping_of(&mapping, &point, 1));
}
END_TEST

/* A process that there is. */
START_TEST(own_mappings)
{
	struct trace_stop stop = { .tid = getpid() };
	struct point point = { .stop = &stop };
	struct stack_mapping mapping = { 0 }, other = { 0 };
	char *pages = mmap(NULL, 4 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert(!mprotect(pages + 4096, 2 * 4096, PROT_READ));
	for (int i = 0; i < 2; i++) {
		uint64_t begin = (uint64_t)pages + 4096;

		ck_assert(stack_mapping_of(&mapping, &point, begin + (i ? 8191 : 0)));
		ck_assert(mapping.start == begin && mapping.end == begin + 8192);
	}
	ck_assert(stack_mapping_find(&other, getpid(), (uint64_t)pages + 12287));
	ck_assert(other.start == mapping.start && other.end == mapping.end);
	munmap(pages, 4 * 4096);
}
END_TEST

SUITE(stack_mapping, LOOP(text_of_mappings, places), TEST(known_mappings), TEST(own_mappings))
