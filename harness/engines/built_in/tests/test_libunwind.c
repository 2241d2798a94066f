/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_libunwind.c - engine libunwind on stacks made by hand, over a few functions of this program
 *
 * The functions never run. Only their CFI counts, and which addresses lie on a stack of words. What
 * the library guesses where there is no CFI is its own affair; that nothing but a proven end is
 * called complete, and that a PC means another row as a return address than where the thread is, is
 * the engine's. Without the library it prints SKIP and the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "engines/built_in/engine.h"

#define LIMIT 1024
#define WORDS (LIMIT + 8)

/* outer: its return address is undefined. plain: the return address is on top. last: three words
 * below it, and its last instruction is a call, so that it goes on at the first byte of next.
 * bare: no CFI. */
__asm__(".text\n"
	"libunwind_outer: .cfi_startproc; .cfi_undefined rip; call libunwind_plain\n"
	"libunwind_outer_after: nop; .cfi_endproc\n"
	"libunwind_plain: .cfi_startproc; nop\n"
	"libunwind_plain_after: nop; ret; .cfi_endproc\n"
	"libunwind_last: .cfi_startproc; sub $24, %rsp; .cfi_adjust_cfa_offset 24\n"
	"call libunwind_plain; .cfi_endproc\n"
	"libunwind_next: .cfi_startproc; nop; ret; .cfi_endproc\n"
	"libunwind_bare: nop; ret\n");

extern const char libunwind_outer_after[], libunwind_plain[], libunwind_plain_after[],
	libunwind_next[], libunwind_bare[];

#define OUTER libunwind_outer_after
#define PLAIN libunwind_plain
#define NEXT  libunwind_next
#define BARE  libunwind_bare
#define JUNK  ((const char *)0x5a5a5a5a5a5a)
#define FILL  ((const char *)1) /* libunwind_plain_after in all words from here on */

#define STACK(...) .word = { __VA_ARGS__ }
#define FINDS(...) .frame = { __VA_ARGS__ }

static const struct walk_case {
	const char *name;
	const char *pc;
	const char *word[5]; /* from rsp up; NULL is a word of 0 */
	int words;	     /* that can be read */
	int rbp;	     /* index of the word that rbp leads to; -1: rbp is 0 */
	const char *frame[4];
	uint32_t count;
	enum stop_reason stop;
} cases[] = {
	{ "an_undefined_return_address_is_the_end", PLAIN, STACK(OUTER), .words = 1, .rbp = -1,
	  FINDS(PLAIN, OUTER), .count = 2, .stop = STOP_COMPLETE },
	{ "the_end_at_once", OUTER, STACK(JUNK), .words = 1, .rbp = -1, FINDS(OUTER), .count = 1,
	  .stop = STOP_COMPLETE },
	{ "a_return_address_is_looked_up_in_its_call", PLAIN, STACK(NEXT, JUNK, JUNK, JUNK, OUTER),
	  .words = 5, .rbp = -1, FINDS(PLAIN, NEXT, OUTER), .count = 3, .stop = STOP_COMPLETE },
	{ "where_the_thread_is_is_looked_up_as_it_is", NEXT, STACK(OUTER, JUNK, JUNK, JUNK, JUNK),
	  .words = 5, .rbp = -1, FINDS(NEXT, OUTER), .count = 2, .stop = STOP_COMPLETE },
	{ "a_return_address_of_0_proves_no_end", PLAIN, .words = 1, .rbp = -1, FINDS(PLAIN),
	  .count = 1, .stop = STOP_ZERO_RETURN },
	{ "no_memory_is_no_end", PLAIN, .rbp = -1, FINDS(PLAIN), .count = 1, .stop = STOP_FOREIGN },
	{ "no_cfi_is_no_end", BARE, STACK(OUTER), .words = 1, .rbp = -1, FINDS(BARE), .count = 1,
	  .stop = STOP_FOREIGN },
	{ "it_guesses_through_rbp", BARE, STACK(JUNK, NULL, OUTER), .words = 3, .rbp = 1,
	  FINDS(BARE, OUTER), .count = 2, .stop = STOP_COMPLETE },
	{ "code_that_is_not_mapped", JUNK, STACK(OUTER), .words = 1, .rbp = -1, FINDS(JUNK),
	  .count = 1, .stop = STOP_FOREIGN },
	{ "as_many_frames_as_there_is_room_for", PLAIN, STACK(FILL), .words = WORDS, .rbp = -1,
	  FINDS(PLAIN, libunwind_plain_after, libunwind_plain_after), .count = LIMIT,
	  .stop = STOP_DEPTH },
};

struct words {
	uint64_t word[WORDS];
	size_t readable;
};

/* Only the words: what the engine reads elsewhere it has from the image. */
static int read_words(void *context, uint64_t address, void *ret, size_t size)
{
	const struct words *words = context;
	uint64_t begin = (uint64_t)words->word;

	if (address < begin || address - begin + size > words->readable * sizeof(words->word[0]))
		return -1;
	memcpy(ret, (const void *)address, size);
	return 0;
}

static void fill_words(const struct walk_case *c, struct words *ret)
{
	bool fill = false;

	ret->readable = c->words;
	for (int i = 0; i < c->words; i++) {
		const char *word = i < COUNT(c->word) ? c->word[i] : NULL;

		fill |= word == FILL;
		ret->word[i] = (uint64_t)(fill ? libunwind_plain_after : word);
	}
}

static void check_walk(const struct walk_case *c, void *engine, const struct address_space *space)
{
	static struct words words;
	static struct stack stack = { .limit = LIMIT };
	struct memory_reader memory = { .read = read_words, .context = &words };
	struct register_values regs = { .known = UINT32_MAX };
	struct point point = { .space = space, .regs = &regs, .memory = &memory };
	struct error error;

	fill_words(c, &words);
	regs.value[REGISTER_RIP] = (uint64_t)c->pc;
	regs.value[REGISTER_RSP] = (uint64_t)words.word;
	regs.value[REGISTER_RBP] = c->rbp < 0 ? 0 : (uint64_t)&words.word[c->rbp];
	ck_assert_int_eq(engine_libunwind.walk(engine, &point, &stack, &error), ENGINE_STACK);
	ck_assert_msg(stack.count == c->count && stack.stop == c->stop,
		      "%s: %u frames, %s; not %u frames, %s", c->name, stack.count,
		      stop_reason_name(stack.stop), c->count, stop_reason_name(c->stop));
	for (uint32_t i = 0; i < c->count && i < (uint32_t)COUNT(c->frame) && c->frame[i]; i++)
		ck_assert_msg(stack.pc[i] == (uint64_t)c->frame[i],
			      "%s: frame %u is 0x%lx, not 0x%lx", c->name, i, stack.pc[i],
			      (uint64_t)c->frame[i]);
}

/* All on one engine, forwards and back: nothing that it remembers of one may serve another. */
START_TEST(walks)
{
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct error error;
	void *engine;

	if (engine_libunwind.open(NULL, &engine, &error)) {
		ck_assert_msg(error.code == ERROR_UNAVAILABLE, "%s", error.message);
		printf("SKIP libunwind: %s\n", error.message);
		image_store_destroy(store);
		return;
	}
	ck_assert_msg(!address_space_read(&space, store, getpid(), &error), "%s", error.message);
	for (int i = 0; i < COUNT(cases); i++)
		check_walk(&cases[i], engine, &space);
	for (int i = COUNT(cases) - 1; i >= 0; i--)
		check_walk(&cases[i], engine, &space);
	address_space_deinit(&space);
	image_store_destroy(store);
	engine_libunwind.close(engine);
}
END_TEST

SUITE(libunwind, TEST(walks))
