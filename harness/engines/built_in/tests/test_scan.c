/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_scan.c - engine scan on stacks made by hand: which words it takes for return addresses
 *
 * It is right to find what is behind a call, and can't be right about which calls are still open:
 * its false positives are tested like all else. Where ptrace is not permitted it prints SKIP and the
 * reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "stopped_child.h"

#define PAGE	4096
#define SCANNED (256 * 1024)
#define LIMIT	64

/* Calls of some forms, and what is none. */
__asm__(".text\n"
	".balign 64; .fill 64, 1, 0x90\n"
	"scan_direct: call scan_direct\n"
	"scan_direct_after: nop\n"
	"scan_register: call *%rbx\n"
	"scan_register_after: nop\n"
	"scan_memory: call *0x10(%rbx)\n"
	"scan_memory_after: nop\n"
	".fill 16, 1, 0x90\n"
	"scan_plain: nop; ret\n"
	".fill 16, 1, 0x90\n"
	"scan_stop: int3\n"
	"scan_stop_after: nop\n"
	".data\n"
	".fill 16, 1, 0x90; .byte 0xe8, 0, 0, 0, 0\n"
	"scan_data_after: .byte 0x90\n"
	".text\n");

extern const char scan_direct_after[], scan_register_after[], scan_memory_after[], scan_plain[],
	scan_stop[], scan_stop_after[], scan_data_after[];

static const struct {
	const char *name;
	const char *word[4];
	const char *frame[4]; /* but the first, which is where the thread is */
} words[] = {
	{ "nothing", { NULL }, { NULL } },
	{ "a_call", { scan_direct_after }, { scan_direct_after } },
	{ "calls_of_other_forms",
	  { scan_register_after, scan_memory_after },
	  { scan_register_after, scan_memory_after } },
	{ "code_that_is_behind_no_call", { scan_plain, scan_direct_after }, { scan_direct_after } },
	{ "an_address_of_data", { scan_data_after, scan_direct_after }, { scan_direct_after } },
	{ "inside_of_a_call", { scan_direct_after - 1, scan_direct_after }, { scan_direct_after } },
	{ "no_address",
	  { (const char *)1, (const char *)-1, (const char *)0x8000000000000000 },
	  { NULL } },
	/* The second may have been left by a call that has returned: nobody can say. */
	{ "what_was_left_behind_counts",
	  { scan_direct_after, scan_direct_after, scan_register_after },
	  { scan_direct_after, scan_direct_after, scan_register_after } },
};

/* A stack of so many pages; behind it is nothing. */
static char *stack_pages(size_t pages)
{
	char *ret = mmap(NULL, (pages + 1) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(ret, MAP_FAILED);
	if (pages)
		ck_assert(!mprotect(ret, pages * PAGE, PROT_READ | PROT_WRITE));
	return ret;
}

/* Its stack there; false: no ptrace. */
static bool scan(uint64_t sp, struct stack *ret)
{
	struct stopped_child child;
	struct error error;
	void *engine;

	if (!stopped_child_init(&child, scan_stop, 0, 0, sp)) {
		printf("SKIP scan: no ptrace\n");
		return false;
	}
	ck_assert(!engine_scan.open(NULL, &engine, &error));
	ck_assert(!engine_scan.mappings(engine, &child.space, &error));
	for (int times = 0; times < 2; times++)
		ck_assert_int_eq(engine_scan.walk(engine, &child.point, ret, &error), ENGINE_STACK);
	ck_assert_uint_eq(ret->pc[0], (uint64_t)scan_stop_after);
	engine_scan.close(engine);
	stopped_child_deinit(&child);
	return true;
}

START_TEST(words_behind_calls)
{
	const char **stack_words = (const char **)stack_pages(1);
	struct stack stack = { .limit = LIMIT };
	uint32_t count = 1;

	/* The words end where the stack does; below rsp there is one that must not be found. */
	stack_words[PAGE / 8 - 5] = scan_direct_after;
	memcpy(stack_words + PAGE / 8 - 4, words[_i].word, sizeof(words[_i].word));
	if (!scan((uint64_t)(stack_words + PAGE / 8 - 4), &stack))
		return;
	for (; count <= 4 && words[_i].frame[count - 1]; count++)
		ck_assert_msg(count < stack.count &&
				      stack.pc[count] == (uint64_t)words[_i].frame[count - 1],
			      "%s: frame %u", words[_i].name, count);
	ck_assert_msg(stack.count == count && stack.stop == STOP_GUESSED, "%s: %u frames, %s",
		      words[_i].name, stack.count, stop_reason_name(stack.stop));
	stack_deinit(&stack);
}
END_TEST

static const struct {
	const char *name;
	uint64_t size, sp; /* from the stack's beginning */
	uint64_t at;	   /* where all words of a return address begin */
	uint64_t words;
	uint32_t limit, count;
	enum stop_reason stop;
} bounds[] = {
	{ "the_last_word", 2 * PAGE, 8, 2 * PAGE - 8, 1, LIMIT, 2, STOP_GUESSED },
	{ "words_on_two_pages", 2 * PAGE, 0, PAGE - 16, 4, LIMIT, 5, STOP_GUESSED },
	{ "a_pointer_that_is_not_aligned", PAGE, 1, 0, 3, LIMIT, 3, STOP_GUESSED },
	{ "a_pointer_into_the_last_word", PAGE, PAGE - 7, PAGE - 8, 1, LIMIT, 1, STOP_GUESSED },
	{ "as_many_as_there_is_room_for", PAGE, 0, 0, 2, 3, 3, STOP_GUESSED },
	{ "more_than_there_is_room_for", PAGE, 0, 0, 3, 3, 3, STOP_DEPTH },
	{ "all_that_is_scanned", SCANNED, 0, SCANNED - 8, 1, LIMIT, 2, STOP_GUESSED },
	{ "more_than_is_scanned", SCANNED + PAGE, 8, SCANNED, 2, LIMIT, 2, STOP_DEPTH },
	{ "a_stack_that_can_not_be_read", 0, 0, 0, 0, LIMIT, 1, STOP_READ_FAULT },
};

START_TEST(from_the_pointer_to_the_end)
{
	char *pages = stack_pages(bounds[_i].size / PAGE);
	struct stack stack = { .limit = bounds[_i].limit };

	for (uint64_t i = 0; i < bounds[_i].words; i++)
		memcpy(pages + bounds[_i].at + 8 * i, &(const char *) { scan_direct_after }, 8);
	if (!scan((uint64_t)pages + bounds[_i].sp, &stack))
		return;
	ck_assert_msg(stack.count == bounds[_i].count && stack.stop == bounds[_i].stop,
		      "%s: %u frames, %s", bounds[_i].name, stack.count,
		      stop_reason_name(stack.stop));
	for (uint32_t i = 1; i < stack.count; i++)
		ck_assert_uint_eq(stack.pc[i], (uint64_t)scan_direct_after);
	stack_deinit(&stack);
}
END_TEST

START_TEST(a_pointer_to_nowhere)
{
	struct stack stack = { .limit = LIMIT };

	if (!scan(8, &stack))
		return;
	ck_assert_uint_eq(stack.count, 1);
	ck_assert_uint_eq(stack.stop, STOP_READ_FAULT);
	stack_deinit(&stack);
}
END_TEST

/* Asked again only when the pointer has left what is known. */
START_TEST(mapping_of_a_stack)
{
	char *pages = stack_pages(2);
	uint64_t begin = (uint64_t)pages;
	struct stack_mapping mapping = { 0 };

	ck_assert(stack_mapping_find(&mapping, getpid(), begin + 5));
	ck_assert(mapping.start == begin && mapping.end == begin + 2 * PAGE);
	ck_assert(stack_mapping_find(&mapping, -1, begin));
	ck_assert(stack_mapping_find(&mapping, -1, begin + 2 * PAGE - 1));
	ck_assert(!stack_mapping_find(&mapping, -1, begin + 2 * PAGE));
	ck_assert(mapping.start == 0 && mapping.end == 0);
	ck_assert(stack_mapping_find(&mapping, getpid(), begin + 2 * PAGE - 1));
	ck_assert(stack_mapping_find(&mapping, getpid(), begin + 2 * PAGE));
	ck_assert_uint_eq(mapping.start, begin + 2 * PAGE);
}
END_TEST

SUITE(scan, LOOP(words_behind_calls, words), LOOP(from_the_pointer_to_the_end, bounds),
      TEST(a_pointer_to_nowhere), TEST(mapping_of_a_stack))
