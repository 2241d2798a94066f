/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_perf.c - the engines perf8k to perf64k on a stopped child: what the copy has, and what not
 *
 * The frame whose return address is asked for is as large as the copy, or one word smaller: there
 * the copy must end, and nowhere else. Where ptrace is not permitted it prints SKIP and the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "stopped_child.h"

#define LIMIT 1024
#define DEPTH 127

/* outer: its return address is undefined. large: rsi bytes on the stack, and rbp above them holds
 * the CFA. plain: the return address is on top. many: rsi frames of plain. popped: it has popped
 * rbp, and the CFI still names the slot, which is below rsp by then; framed: its CFA hangs on rbp.
 * placed: the CFA is rsi. filed: the CFA is rsp + 8 + a word of this file. bare: no CFI. */
__asm__(".text\n"
	"perf_outer: .cfi_startproc; .cfi_undefined rip; call *%rdi\n"
	"perf_outer_after: nop; .cfi_endproc\n"
	"perf_large: .cfi_startproc; push %rbp; .cfi_adjust_cfa_offset 8; .cfi_rel_offset rbp, 0\n"
	"mov %rsp, %rbp; .cfi_def_cfa_register rbp; lea 8(%rsp), %rsp; sub %rsi, %rsp; int3\n"
	"perf_large_after: nop; .cfi_endproc\n"
	"perf_plain: .cfi_startproc; nop\n"
	"perf_plain_after: nop; ret; .cfi_endproc\n"
	"perf_many: .cfi_startproc; lea perf_plain_after(%rip), %rax\n"
	"1: test %rsi, %rsi; jz 2f; push %rax; dec %rsi; jmp 1b\n"
	"2: int3\n"
	"perf_many_after: nop; .cfi_endproc\n"
	"perf_framed: .cfi_startproc; push %rbp; mov %rsp, %rbp; .cfi_def_cfa rbp, 16\n"
	".cfi_offset rbp, -16; call perf_popped\n"
	"perf_framed_after: nop; .cfi_endproc\n"
	"perf_popped: .cfi_startproc; push %rbp; .cfi_adjust_cfa_offset 8; .cfi_rel_offset rbp, 0\n"
	"pop %rbp; .cfi_adjust_cfa_offset -8; int3\n"
	"perf_popped_after: nop; .cfi_endproc\n"
	"perf_placed: .cfi_startproc; .cfi_def_cfa rsi, 0; int3\n"
	"perf_placed_after: nop; .cfi_endproc\n"
	".balign 64; .quad 0\n"
	"perf_filed: .cfi_startproc\n"
	/* rsp + 8 + *(rip - 9): behind the int3 of one byte, the quad begins 9 bytes back */
	".cfi_escape 0x0f, 6, 0x77, 8, 0x80, 0x77, 0x06, 0x22; int3\n"
	"perf_filed_after: nop; .cfi_endproc\n"
	".balign 64\n"
	"perf_bare: int3\n"
	"perf_bare_after: .fill 64, 1, 0x90\n");

extern const char perf_outer[], perf_outer_after[], perf_large[], perf_large_after[],
	perf_plain_after[], perf_many[], perf_many_after[], perf_framed[], perf_framed_after[],
	perf_popped_after[], perf_placed[], perf_placed_after[], perf_filed[], perf_filed_after[],
	perf_bare[], perf_bare_after[];

static const struct {
	const char *name;
	const struct engine *engine;
	const char *function;
	uint64_t argument;
	uint32_t limit;
	const char *frame[3]; /* the first ones */
	uint32_t count;
	enum stop_reason stop;
} cases[] = {
#define LARGE(name, engine, bytes)                                                                 \
	{ name "_last_word_of_the_copy",	  engine, perf_large,	(bytes)-8, LIMIT,          \
	  { perf_large_after, perf_outer_after }, 2,	  STOP_COMPLETE },                         \
	{                                                                                          \
		name "_first_word_behind_the_copy", engine, perf_large, bytes, LIMIT,              \
			{ perf_large_after }, 1, STOP_COPY_END                                     \
	}
	LARGE("8k", &engine_perf8k, 8192),
	LARGE("16k", &engine_perf16k, 16384),
	LARGE("32k", &engine_perf32k, 32768),
	LARGE("64k", &engine_perf64k, 65280),
	{ "as_many_frames_as_perf_shows",
	  &engine_perf8k,
	  perf_many,
	  DEPTH - 2,
	  LIMIT,
	  { perf_many_after, perf_plain_after, perf_plain_after },
	  DEPTH,
	  STOP_COMPLETE },
	{ "more_frames_than_perf_shows",
	  &engine_perf8k,
	  perf_many,
	  DEPTH - 1,
	  LIMIT,
	  { perf_many_after, perf_plain_after, perf_plain_after },
	  DEPTH,
	  STOP_DEPTH },
	{ "more_than_there_is_room_for",
	  &engine_perf8k,
	  perf_many,
	  4,
	  3,
	  { perf_many_after, perf_plain_after, perf_plain_after },
	  3,
	  STOP_DEPTH },
	/* The slot is below the copy; libdw takes the register that it has not for the end. */
	{ "registers_that_were_popped_are_lost",
	  &engine_perf64k,
	  perf_framed,
	  0,
	  LIMIT,
	  { perf_popped_after, perf_framed_after },
	  2,
	  STOP_COMPLETE },
	{ "words_of_files_are_there",
	  &engine_perf8k,
	  perf_filed,
	  0,
	  LIMIT,
	  { perf_filed_after, perf_outer_after },
	  2,
	  STOP_COMPLETE },
	{ "no_cfi_is_no_end",
	  &engine_perf8k,
	  perf_bare,
	  0,
	  LIMIT,
	  { perf_bare_after },
	  1,
	  STOP_FOREIGN },
};

START_TEST(stack_of_a_copy)
{
	const struct engine *engine = cases[_i].engine;
	struct stack stack = { .limit = cases[_i].limit };
	struct stopped_child child;
	struct error error;
	void *context;

	if (!stopped_child_init(&child, perf_outer, (uint64_t)cases[_i].function,
				cases[_i].argument, 0)) {
		printf("SKIP perf: no ptrace\n");
		return;
	}
	ck_assert(!engine->open(NULL, &context, &error));
	ck_assert(!engine->mappings(context, &child.space, &error));
	for (int times = 0; times < 2; times++) {
		ck_assert_msg(engine->walk(context, &child.point, &stack, &error) == ENGINE_STACK,
			      "%s: %s", cases[_i].name, error.message);
		ck_assert_msg(stack.count == cases[_i].count && stack.stop == cases[_i].stop,
			      "%s: %u frames, %s", cases[_i].name, stack.count,
			      stop_reason_name(stack.stop));
		for (uint32_t i = 0; i < stack.count && i < 3; i++)
			ck_assert_msg(stack.pc[i] == (uint64_t)cases[_i].frame[i],
				      "%s: frame %u is 0x%lx", cases[_i].name, i,
				      (unsigned long)stack.pc[i]);
	}
	engine->close(context);
	stack_deinit(&stack);
	stopped_child_deinit(&child);
}
END_TEST

/* A stack of four pages of zeros, then nothing. copy_end is where a longer copy would be of use;
 * otherwise libdw takes a return address that it can't read for the end, as one of 0. */
static const struct {
	const char *name;
	uint64_t sp, slot; /* of the return address */
	enum stop_reason stop;
} ends[] = {
	{ "in_the_copy", 4096, 12280, STOP_COMPLETE },
	{ "over_the_copys_end", 4096, 12281, STOP_COPY_END },
	{ "behind_the_copy", 4096, 12288, STOP_COPY_END },
	{ "last_word_of_the_stack", 4096, 16376, STOP_COPY_END },
	{ "behind_the_stack", 4096, 16384, STOP_COMPLETE },
	{ "below_the_copy", 4096, 4088, STOP_COMPLETE },
	{ "over_the_copys_beginning", 4096, 4095, STOP_COMPLETE },
	{ "the_copy_has_all", 8192, 16384, STOP_COMPLETE },
	{ "the_copy_has_all_but_one_word", 8184, 16376, STOP_COPY_END },
	{ "the_copy_is_short", 8200, 16380, STOP_COMPLETE },
};

START_TEST(end_of_the_copy)
{
	char *pages = mmap(NULL, 5 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct stack stack = { .limit = LIMIT };
	struct stopped_child child;
	struct error error;
	void *context;

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert(!mprotect(pages, 4 * 4096, PROT_READ | PROT_WRITE));
	if (!stopped_child_init(&child, perf_placed, 0, (uint64_t)pages + ends[_i].slot + 8,
				(uint64_t)pages + ends[_i].sp)) {
		printf("SKIP perf: no ptrace\n");
		return;
	}
	ck_assert(!engine_perf8k.open(NULL, &context, &error));
	ck_assert_int_eq(engine_perf8k.walk(context, &child.point, &stack, &error), ENGINE_STACK);
	ck_assert_msg(stack.count == 1 && stack.pc[0] == (uint64_t)perf_placed_after &&
			      stack.stop == ends[_i].stop,
		      "%s: %u frames, %s", ends[_i].name, stack.count,
		      stop_reason_name(stack.stop));
	engine_perf8k.close(context);
	stack_deinit(&stack);
	stopped_child_deinit(&child);
	munmap(pages, 5 * 4096);
}
END_TEST

/* How much of the process is read. */
struct counted {
	struct memory_reader all;
	uint64_t bytes;
};

static int read_counted(void *context, uint64_t address, void *ret, size_t size)
{
	struct counted *counted = context;

	if (counted->all.read(counted->all.context, address, ret, size))
		return -1;
	counted->bytes += size;
	return 0;
}

static const struct {
	const struct engine *engine;
	uint64_t bytes;
} sizes[] = {
	{ &engine_perf8k, 8192 },
	{ &engine_perf16k, 16384 },
	{ &engine_perf32k, 32768 },
	{ &engine_perf64k, 65280 },
};

/* The copy is all that is read of the process. */
START_TEST(bytes_that_are_copied)
{
	const struct engine *engine = sizes[_i].engine;
	struct stack stack = { .limit = LIMIT };
	struct stopped_child child;
	struct counted counted;
	struct memory_reader memory = { .read = read_counted, .context = &counted };
	struct error error;
	void *context;

	if (!stopped_child_init(&child, perf_outer, (uint64_t)perf_large, 70000, 0)) {
		printf("SKIP perf: no ptrace\n");
		return;
	}
	counted = (struct counted) { .all = child.reader };
	child.point.memory = &memory;
	ck_assert(!engine->open(NULL, &context, &error));
	ck_assert_int_eq(engine->walk(context, &child.point, &stack, &error), ENGINE_STACK);
	ck_assert_uint_eq(counted.bytes, sizes[_i].bytes);
	engine->close(context);
	stack_deinit(&stack);
	stopped_child_deinit(&child);
}
END_TEST

START_TEST(names)
{
	ck_assert_ptr_eq(engine_find("perf"), &engine_perf8k);
	ck_assert_ptr_eq(engine_find("perf64k"), &engine_perf64k);
	ck_assert_ptr_null(engine_find("perf128k"));
}
END_TEST

SUITE(perf, LOOP(stack_of_a_copy, cases), LOOP(end_of_the_copy, ends),
      LOOP(bytes_that_are_copied, sizes), TEST(names))
