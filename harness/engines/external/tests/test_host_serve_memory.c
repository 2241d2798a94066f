/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_host_serve_memory.c - what memory an engine's end of external_wire.h asks for, and what it knows
 *
 * Pages, each once for a point; words where there is no page; nothing of the stack that came.
 */
#include "tests/suite.h"
#include "host_served.h"

#define PAGE	  4096u
#define PAGES	  16u
#define READS_MAX 4

/* Reads, one after the other, and what stackproof has to say to each. What is not asked for must be
 * known already, or can't be. */
static const struct read_case {
	const char *name;
	size_t stack_bytes;
	struct one_read {
		uint64_t address, bytes; /* no bytes and no address: no more reads */
		uint64_t asked[2];	 /* address and bytes; no bytes: it is not asked for */
		bool fault;		 /* what the first question is answered with */
		uint64_t asked_then[2];
		bool fault_then;
		bool fails;
	} read[READS_MAX];
} reads[] = {
#define KNOWN(at, size)		  IN_BRACES(.address = at, .bytes = size)
#define FAILS(at, size)		  IN_BRACES(.address = at, .bytes = size, .fails = true)
#define ASKS(at, size, from, all) IN_BRACES(.address = at, .bytes = size, .asked = { from, all })
/* Its page is no memory; the word itself is or isn't. */
#define WORD(at, size, none)                                                                       \
	IN_BRACES(.address = at, .bytes = size, .asked = { (at) & -4096ull, PAGE }, .fault = true, \
		  .asked_then = { at, size }, .fault_then = none, .fails = none)
#define FAR	   0x10000
#define LAST	   (FAR + PAGE * (PAGES - 1))
#define OTHER	   (FAR + PAGE * PAGES)
#define STACK_PAGE (STACK & -4096ull)
	{ "page_of_a_word", 0, { ASKS(0x5008, 8, 0x5000, PAGE) } },
	{ "page_once",
	  0,
	  { ASKS(0x5008, 8, 0x5000, PAGE), KNOWN(0x5000, 1), KNOWN(0x5fff, 1),
	    KNOWN(0x5000, PAGE) } },
	{ "first_page", 0, { ASKS(0, 8, 0, PAGE), KNOWN(0xff8, 8) } },
	{ "next_page", 0, { ASKS(0x5ff8, 8, 0x5000, PAGE), ASKS(0x6000, 8, 0x6000, PAGE) } },
	{ "as_many_pages_as_are_kept",
	  0,
	  { ASKS(FAR, 8, FAR, PAGE), ASKS(LAST, 8, LAST, PAGE), KNOWN(FAR + 8, 8),
	    KNOWN(LAST + 8, 8) } },
	{ "page_in_the_place_of_another",
	  0,
	  { ASKS(FAR, 8, FAR, PAGE), ASKS(OTHER, 8, OTHER, PAGE), KNOWN(OTHER + 8, 8),
	    ASKS(FAR, 8, FAR, PAGE) } },
	{ "over_a_border", 0, { ASKS(0x5ff9, 8, 0x5ff9, 8), ASKS(0x5ff9, 8, 0x5ff9, 8) } },
	{ "as_much_as_may_be_asked_for", 0, { ASKS(0x5001, 65536, 0x5001, 65536) } },
	{ "more_than_may_be_asked_for", 0, { FAILS(0x5001, 65537) } },
	{ "nothing", 0, { KNOWN(0x5001, 0) } },
	{ "up_to_the_last_byte", 0, { ASKS(-8ull, 8, -4096ull, PAGE), KNOWN(-1ull, 1) } },
	{ "behind_the_last_byte", 0, { FAILS(-8ull, 9), FAILS(-1ull, 2) } },
	{ "words_where_there_is_no_page",
	  0,
	  { WORD(0x5008, 8, false), WORD(0x5008, 8, true), ASKS(0x5008, 8, 0x5000, PAGE),
	    KNOWN(0x5008, 8) } },
	{ "no_words_over_a_border",
	  0,
	  { { .address = 0x5ffc,
	      .bytes = 8,
	      .asked = { 0x5ffc, 8 },
	      .fault = true,
	      .fails = true } } },
	{ "page_lost_by_another_that_is_none",
	  0,
	  { ASKS(FAR, 8, FAR, PAGE), WORD(OTHER, 1, false), ASKS(FAR, 8, FAR, PAGE) } },
	{ "stack_that_came",
	  64,
	  { KNOWN(STACK, 8), KNOWN(STACK, 64), KNOWN(STACK + 56, 8), KNOWN(STACK + 63, 1) } },
	{ "stack_that_did_not",
	  64,
	  { ASKS(STACK + 64, 8, STACK_PAGE, PAGE), KNOWN(STACK + 57, 8) } },
	{ "below_the_stack", 64, { ASKS(STACK - 1, 8, STACK_PAGE, PAGE) } },
	{ "longer_than_the_stack", 64, { ASKS(STACK, 65, STACK_PAGE, PAGE) } },
	{ "no_stack", 0, { ASKS(STACK, 1, STACK_PAGE, PAGE) } },
};

/* Every byte of the memory that is told; the stack's is another. */
static uint8_t byte_at(uint64_t address)
{
	return (uint8_t)(address * 31 >> 3 ^ address);
}

static const struct read_case *reading;

static int read_all_of_case(const struct stackproof_engine_point *point,
			    struct stackproof_engine_stack *ret)
{
	uint8_t *bytes = malloc(65538);

	for (int i = 0; i < READS_MAX && (reading->read[i].address || reading->read[i].bytes);
	     i++) {
		const struct one_read *one = &reading->read[i];
		uint64_t wrong = 0;

		memset(bytes, 0x5a, 65538);
		int status = point->read(point->read_context, one->address, bytes, one->bytes);

		for (uint64_t k = 0; !status && k < one->bytes; k++) {
			uint64_t address = one->address + k;
			bool stack = one->address >= STACK &&
				     one->address - STACK + one->bytes <= reading->stack_bytes;

			wrong += bytes[k] != (uint8_t)(byte_at(address) ^ (stack ? 0xff : 0));
		}
		wrong += bytes[one->bytes] != 0x5a;
		ret->pc[ret->count++] = (uint64_t)(unsigned int)status << 32 | wrong;
	}
	free(bytes);
	return 0;
}

static void expect_question(uint64_t id, const uint64_t asked[2], bool fault)
{
	uint8_t *bytes = malloc(asked[1]);

	expect_read(id, asked[0], asked[1]);
	for (uint64_t k = 0; k < asked[1]; k++)
		bytes[k] = byte_at(asked[0] + k);
	add_message(fault ? KIND_FAULT : KIND_MEMORY, bytes, fault ? 0 : asked[1]);
	send_all();
	free(bytes);
}

/* Twice: what is known of one point is not known of the next. Both are there before the first asks; the
 * first answer goes with the next question, or with the last answer. */
START_TEST(memory_is_asked_for_by_the_page)
{
	const struct read_case *c = reading = &reads[_i];
	size_t count = 0;
	uint64_t answered = 1;
	uint64_t pc[READS_MAX];
	uint8_t stack[64];

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = byte_at(STACK + i) ^ 0xff;
	while (count < READS_MAX && (c->read[count].address || c->read[count].bytes)) {
		pc[count] = c->read[count].fails ? 0xffffffffull << 32 : 0;
		count++;
	}
	start(read_all_of_case);
	add_number(KIND_POINTS, 2);
	add_point(1, stack, c->stack_bytes);
	add_point(2, stack, c->stack_bytes);
	send_all();
	for (uint64_t id = 1; id < 3; id++) {
		for (size_t i = 0; i < count; i++) {
			const struct one_read *one = &c->read[i];

			if (one->asked[1] && answered < id)
				expect_stack(answered++, STACKPROOF_ENGINE_FOREIGN, pc, count);
			if (one->asked[1])
				expect_question(id, one->asked, one->fault);
			if (one->asked_then[1])
				expect_question(id, one->asked_then, one->fault_then);
		}
	}
	while (answered < 3)
		expect_stack(answered++, STACKPROOF_ENGINE_FOREIGN, pc, count);
	ends_well("");
}
END_TEST

static int read_a_word(const struct stackproof_engine_point *point,
		       struct stackproof_engine_stack *ret)
{
	ret->count = 1;
	ret->pc[0] = 0;
	return point->read(point->read_context, 0x5000, ret->pc, 8);
}

/* Each point's stack is where its own rsp is: of another's nothing is known. */
START_TEST(each_stack_has_its_place)
{
	static const uint64_t at[] = { 0x5000, 0x9000 };
	const uint64_t words[] = { 11, 22 };

	start(read_a_word);
	add_number(KIND_POINTS, 2);
	for (uint64_t i = 0; i < 2; i++) {
		struct wire_header header = { KIND_POINT, sizeof(struct wire_point) + 8 };
		struct wire_point wire = { .id = i + 1, .reg = { [RSP] = at[i] } };

		add(&header, sizeof(header));
		add(&wire, sizeof(wire));
		add(&words[i], 8);
	}
	send_all();
	/* The first has the word; the second has to ask for it. */
	expect_stack(1, STACKPROOF_ENGINE_FOREIGN, words, 1);
	expect_question(2, (uint64_t[]) { 0x5000, PAGE }, true);
	expect_question(2, (uint64_t[]) { 0x5000, 8 }, true);
	expect_stack(2, STACKPROOF_ENGINE_FOREIGN, NULL, 0);
	ends_well("");
}
END_TEST

static void memory_a_byte_short(void)
{
	add_message(KIND_MEMORY, message, PAGE - 1);
}

static void memory_a_byte_longer(void)
{
	add_message(KIND_MEMORY, message, PAGE + 1);
}

static void memory_that_does_not_follow(void)
{
	add(&(struct wire_header) { KIND_MEMORY, PAGE }, sizeof(struct wire_header));
}

static void another_message(void)
{
	add_message(KIND_POINT, message, PAGE);
}

static void fault_with_bytes(void)
{
	add_message(KIND_FAULT, message, PAGE);
}

static void nothing_at_all(void)
{
}

static const struct {
	const char *name;
	void (*add)(void);
	const char *said;
} broken_memory[] = {
	{ "memory_a_byte_short", memory_a_byte_short, "engine_host: another read was answered\n" },
	{ "memory_a_byte_longer", memory_a_byte_longer,
	  "engine_host: another read was answered\n" },
	{ "memory_that_does_not_follow", memory_that_does_not_follow,
	  "engine_host: another read was answered\n" },
	{ "another_message", another_message, "engine_host: another read was answered\n" },
	{ "fault_with_bytes", fault_with_bytes, "engine_host: another read was answered\n" },
	{ "nothing_at_all", nothing_at_all, "" },
};

START_TEST(broken_memory_ends_it)
{
	char said[4096], expected[4096];

	start(read_a_word);
	add_number(KIND_POINTS, 1);
	add_point(1, "", 0);
	send_all();
	expect_read(1, 0x5000, PAGE);
	broken_memory[_i].add();
	ck_assert_int_eq(end(said, sizeof(said)), HOST_STATUS_BAD);
	snprintf(expected, sizeof(expected), OPENED "%s", broken_memory[_i].said);
	ck_assert_msg(!strcmp(said, expected), "%s: %s", broken_memory[_i].name, said);
}
END_TEST

SUITE(host_serve_memory, LOOP(memory_is_asked_for_by_the_page, reads),
      TEST(each_stack_has_its_place), LOOP(broken_memory_ends_it, broken_memory))
