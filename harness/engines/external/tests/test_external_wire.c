/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_external_wire.c - messages to and from external engines: lines letter by letter, and broken ones
 *
 * The line protocol is a contract (docs/ENGINES.md). Both ways to write messages are cut short at
 * every byte, and every byte is changed: what comes out is a message, a reason, or nothing yet.
 */
#include <sys/resource.h>
#include "tests/suite.h"
#include "external_points.h"
#include "engines/external/external_inside.h"
#include "engines/external/stackproof_engine.h"

static char *text_of(struct external_bytes *bytes)
{
	external_bytes_add(bytes, "", 1);
	return (char *)bytes->data;
}

START_TEST(what_an_engine_is_told)
{
	static const uint8_t id[] = { 0x01, 0xab };
	static const struct external_mapping mapping[] = {
		{ 0x1000, 0x2000, 0x3000, 0xffffffffffff0000, id, 2, " /lib/a b%\n\x7f\x80 " },
		{ 0x5000, 0x6000, 0, 0, NULL, 0, NULL },
	};
	struct external_bytes bytes = { 0 };

	external_lines.put_hello(&bytes);
	external_lines.put_mappings(&bytes, mapping, 2);
	external_lines.put_mappings(&bytes, NULL, 0);
	external_lines.put_batch(&bytes, 12);
	external_lines.put_memory(&bytes, id, 2);
	external_lines.put_fault(&bytes);
	ck_assert_str_eq(text_of(&bytes),
			 "hello 1\n"
			 "mappings 2\n"
			 "mapping 1000 2000 3000 ffffffffffff0000 01ab  /lib/a b%25%0a%7f\x80 \n"
			 "mapping 5000 6000 0 0 - \n"
			 "mappings 0\n"
			 "points 12\n"
			 "memory 01ab\n"
			 "fault\n");
	free(bytes.data);
}
END_TEST

/* With and without a window; an empty one is "-". */
START_TEST(what_a_point_is)
{
	static const uint8_t window[] = { 0, 0x10, 0xff };
	uint64_t reg[REGISTER_COUNT];
	struct external_written_point point = { .id = 18446744073709551615u, .reg = reg };
	struct external_bytes bytes = { 0 };

	for (unsigned int i = 0; i < REGISTER_COUNT; i++)
		reg[i] = i == 16 ? UINT64_MAX : i;
	external_lines.put_point(&bytes, &point);
	point.id = 2;
	point.stack = window;
	point.stack_bytes = 3;
	external_lines.put_point(&bytes, &point);
	point.stack_bytes = 0;
	external_lines.put_point(&bytes, &point);
#define REGISTERS "0 1 2 3 4 5 6 7 8 9 a b c d e f ffffffffffffffff"
	ck_assert_str_eq(text_of(&bytes), "point 18446744073709551615 " REGISTERS "\n"
					  "point 2 " REGISTERS " 0010ff\n"
					  "point 2 " REGISTERS " -\n");
	free(bytes.data);
}
END_TEST

/* What an engine says, after point 5 was asked about. */
static const struct line_case {
	const char *line;
	enum external_take take;
	enum external_kind kind;
	uint64_t number, id, address, count;
	const char *text; /* a version, a reason; or the stack */
} line_cases[] = {
	{ "hello 1", TAKE_MESSAGE, KIND_HELLO, 1, 0, 0, 0, NULL },
	{ "hello 18446744073709551615", TAKE_MESSAGE, KIND_HELLO, UINT64_MAX, 0, 0, 0, NULL },
	{ "hello 18446744073709551616", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "no number: 'hello 18446744073709551616'" },
	{ "hello", TAKE_BROKEN, 0, 0, 0, 0, 0, "no number: 'hello'" },
	{ "hello ", TAKE_BROKEN, 0, 0, 0, 0, 0, "a line without a word: 'hello '" },
	{ "hello 1 2", TAKE_BROKEN, 0, 0, 0, 0, 0, "no number: 'hello 1 2'" },
	{ "hello 0x1", TAKE_BROKEN, 0, 0, 0, 0, 0, "no number: 'hello 0x1'" },
	{ "hello -1", TAKE_BROKEN, 0, 0, 0, 0, 0, "no number: 'hello -1'" },
	{ "hello 1:", TAKE_BROKEN, 0, 0, 0, 0, 0, "no number: 'hello 1:'" },
	{ "window 4096", TAKE_MESSAGE, KIND_WANTS_STACK, 4096, 0, 0, 0, NULL },
	{ "batch 64", TAKE_MESSAGE, KIND_WANTS_BATCH, 64, 0, 0, 0, NULL },
	{ "ready", TAKE_MESSAGE, KIND_READY, 0, 0, 0, 0, NULL },
	{ "ready now", TAKE_BROKEN, 0, 0, 0, 0, 0, "no line of the protocol: 'ready now'" },
	{ "version my engine 1.2", TAKE_MESSAGE, KIND_VERSION, 0, 0, 0, 0, "my engine 1.2" },
	{ "version", TAKE_MESSAGE, KIND_VERSION, 0, 0, 0, 0, "" },
	{ "version \033x", TAKE_MESSAGE, KIND_VERSION, 0, 0, 0, 0, "?x" },
	{ "versions 2", TAKE_BROKEN, 0, 0, 0, 0, 0, "no line of the protocol: 'versions 2'" },
	{ "read 5 7ff0 8", TAKE_MESSAGE, KIND_READ, 0, 5, 0x7ff0, 8, NULL },
	{ "read 5 FFFFFFFFFFFFFFFF 16", TAKE_MESSAGE, KIND_READ, 0, 5, UINT64_MAX, 16, NULL },
	{ "read 5 10000000000000000 8", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a read without point, address and bytes: 'read 5 10000000000000000 8'" },
	{ "read 5 7ff0", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a read without point, address and bytes: 'read 5 7ff0'" },
	{ "read 5 7ff0 8 9", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a read without point, address and bytes: 'read 5 7ff0 8 9'" },
	{ "read 5 7fg0 8", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a read without point, address and bytes: 'read 5 7fg0 8'" },
	{ "read 5  7ff0 8", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a read without point, address and bytes: 'read 5  7ff0 8'" },
	{ "stack 5 complete 1 aB", TAKE_MESSAGE, KIND_STACK, 0, 5, 0, 0, "complete 1 ab" },
	{ "stack 5 unsupported 1", TAKE_MESSAGE, KIND_STACK, 0, 5, 0, 0,
	  "unsupported_expression 1" },
	{ "stack 5 foreign", TAKE_MESSAGE, KIND_STACK, 0, 5, 0, 0, "foreign" },
	{ "stack 5 foreign ", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack without its point or its stop: 'stack 5 foreign '" },
	{ "stack 5", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack without its point or its stop: 'stack 5'" },
	{ "stack 5 complet 1", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stop that is none: 'stack 5 complet 1'" },
	{ "stack 5 none 1", TAKE_BROKEN, 0, 0, 0, 0, 0, "a stop that is none: 'stack 5 none 1'" },
	{ "stack 4 complete 1", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack of a point that was not asked about: 'stack 4 complete 1'" },
	{ "stack 5 complete 0x1", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack with a PC that is none: 'stack 5 complete 0x1'" },
	{ "stack 5 complete 1 ", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack with a PC that is none: 'stack 5 complete 1 '" },
	{ "stack 5 complete 0123456789abcdef ABCDEF 9", TAKE_MESSAGE, KIND_STACK, 0, 5, 0, 0,
	  "complete 123456789abcdef abcdef 9" },
	{ "stack 5 complete 00000000000000001", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack with a PC that is none: 'stack 5 complete 00000000000000001'" },
	{ "stack 5 complete 1  2", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack with a PC that is none: 'stack 5 complete 1  2'" },
	{ "stack 5 completed 1", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stop that is none: 'stack 5 completed 1'" },
	{ "stack 6 complete 1", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack of a point that was not asked about: 'stack 6 complete 1'" },
	{ "stack x complete 1", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a stack without its point or its stop: 'stack x complete 1'" },
	{ "stack", TAKE_BROKEN, 0, 0, 0, 0, 0, "a stack without its point or its stop: 'stack'" },
	{ "stacks 5 complete 1", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "no line of the protocol: 'stacks 5 complete 1'" },
	{ "read x 7ff0 8", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a read without point, address and bytes: 'read x 7ff0 8'" },
	{ "read 5 7ff0 x", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "a read without point, address and bytes: 'read 5 7ff0 x'" },
	{ "read 18446744073709551615 0 18446744073709551615", TAKE_MESSAGE, KIND_READ, 0,
	  UINT64_MAX, 0, UINT64_MAX, NULL },
	{ "reads 5 7ff0 8", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "no line of the protocol: 'reads 5 7ff0 8'" },
	{ "window", TAKE_BROKEN, 0, 0, 0, 0, 0, "no number: 'window'" },
	{ "windows 1", TAKE_BROKEN, 0, 0, 0, 0, 0, "no line of the protocol: 'windows 1'" },
	{ "batch 1 ", TAKE_BROKEN, 0, 0, 0, 0, 0, "no number: 'batch 1 '" },
	{ "batch 99999999999999999999", TAKE_BROKEN, 0, 0, 0, 0, 0,
	  "no number: 'batch 99999999999999999999'" },
	{ "batches 1", TAKE_BROKEN, 0, 0, 0, 0, 0, "no line of the protocol: 'batches 1'" },
	{ "ready ", TAKE_BROKEN, 0, 0, 0, 0, 0, "a line without a word: 'ready '" },
	{ "version  2 ", TAKE_MESSAGE, KIND_VERSION, 0, 0, 0, 0, " 2 " },
	{ "", TAKE_BROKEN, 0, 0, 0, 0, 0, "a line without a word: ''" },
	{ " ready", TAKE_BROKEN, 0, 0, 0, 0, 0, "a line without a word: ' ready'" },
	{ "READY", TAKE_BROKEN, 0, 0, 0, 0, 0, "no line of the protocol: 'READY'" },
	{ "ready\r", TAKE_BROKEN, 0, 0, 0, 0, 0, "no line of the protocol: 'ready?'" },
};

static void write_stack(const struct stack *stack, char *ret, size_t size)
{
	size_t used = (size_t)snprintf(ret, size, "%s", stop_reason_name(stack->stop));

	for (uint32_t i = 0; i < stack->count && used < size; i++)
		used += (size_t)snprintf(ret + used, size - used, " %lx", stack->pc[i]);
}

START_TEST(what_an_engine_says)
{
	const struct line_case *c = &line_cases[_i];
	struct stack stack = { 0 };
	struct external_message message = { .stack = &stack, .wanted = 5 };
	struct external_bytes bytes = { 0 };
	char text[200] = "";

	/* Not before its newline is there. */
	external_bytes_add(&bytes, c->line, strlen(c->line));
	ck_assert_int_eq(external_lines.take(&bytes, &message), TAKE_MORE);
	external_bytes_add(&bytes, "\nx", 2);
	ck_assert_msg(external_lines.take(&bytes, &message) == c->take, "'%s'", c->line);
	ck_assert_uint_eq(bytes.taken, strlen(c->line) + 1);
	if (c->take == TAKE_MESSAGE) {
		ck_assert_msg(message.kind == c->kind, "'%s'", c->line);
		ck_assert_msg(c->kind == KIND_STACK || message.number == c->number, "'%s'",
			      c->line);
		ck_assert_msg(message.id == c->id && message.address == c->address &&
				      message.count == c->count,
			      "'%s'", c->line);
	}
	if (c->take == TAKE_MESSAGE && c->kind == KIND_STACK)
		write_stack(&stack, text, sizeof(text));
	else
		strcpy(text, message.text);
	ck_assert_str_eq(text, c->text ?: "");
	free(bytes.data);
	stack_deinit(&stack);
}
END_TEST

/* A character more or less than a digit is none. */
START_TEST(digits_have_bounds)
{
	static const char none[] = "/:@G`g.xX+-,";
	char line[32];

	for (const char *at = none; *at; at++) {
		static const char *const lines[] = {
			"stack 5 complete 1%c\n", "stack 5 complete %c1\n", "read 5%c 0 8\n",
			"read 5 0%c 8\n",	  "read 5 0 %c8\n",	    "window 1%c\n"
		};

		for (size_t i = 0; i < COUNT(lines); i++) {
			struct stack stack = { 0 };
			struct external_message message = { .stack = &stack, .wanted = 5 };
			struct external_bytes bytes = { 0 };

			snprintf(line, sizeof(line), lines[i], *at);
			external_bytes_add(&bytes, line, strlen(line));
			ck_assert_msg(external_lines.take(&bytes, &message) == TAKE_BROKEN, "%s",
				      line);
			free(bytes.data);
			stack_deinit(&stack);
		}
	}
}
END_TEST

/* Without a point there is no stack. */
START_TEST(no_stack_before_a_point)
{
	struct external_message message = { 0 };
	struct external_bytes bytes = { 0 };

	external_bytes_add(&bytes, "stack 0 complete 1\n", 19);
	ck_assert_int_eq(external_lines.take(&bytes, &message), TAKE_BROKEN);
	free(bytes.data);
}
END_TEST

START_TEST(a_line_has_a_limit)
{
	struct external_message message = { 0 };
	struct external_bytes bytes = { 0 };
	uint8_t *room = external_bytes_room(&bytes, EXTERNAL_LINE_MAX + 1);

	memset(room, 'a', EXTERNAL_LINE_MAX + 1);
	bytes.size = EXTERNAL_LINE_MAX;
	ck_assert_int_eq(external_lines.take(&bytes, &message), TAKE_MORE);
	bytes.size++;
	ck_assert_int_eq(external_lines.take(&bytes, &message), TAKE_FLOOD);
	free(bytes.data);
}
END_TEST

static void add_frame(struct external_bytes *bytes, uint32_t kind, const void *data, size_t size)
{
	struct wire_header header = { .kind = kind, .bytes = (uint32_t)size };

	external_bytes_add(bytes, &header, sizeof(header));
	external_bytes_add(bytes, data, size);
}

/* As deep as a stack can be, and one deeper. */
START_TEST(a_stack_has_a_limit)
{
	static const struct external_codec *const codecs[] = { &external_lines, &external_frames };

	for (size_t i = 0; i < COUNT(codecs); i++) {
		for (uint32_t count = STACK_FRAMES_MAX; count <= STACK_FRAMES_MAX + 1; count++) {
			struct stack stack = { 0 };
			struct external_message message = { .stack = &stack, .wanted = 5 };
			struct external_bytes bytes = { 0 }, frame = { 0 };
			struct wire_stack wire = { 5, STACKPROOF_ENGINE_COMPLETE };
			uint64_t pc = 0x1;

			external_bytes_add(&bytes, "stack 5 complete", 16);
			external_bytes_add(&frame, &wire, sizeof(wire));
			for (uint32_t at = 0; at < count; at++) {
				external_bytes_add(&bytes, " 1", 2);
				external_bytes_add(&frame, &pc, sizeof(pc));
			}
			external_bytes_add(&bytes, "\n", 1);
			if (i) {
				bytes.size = 0;
				add_frame(&bytes, KIND_STACK, frame.data, frame.size);
			}
			ck_assert_int_eq(codecs[i]->take(&bytes, &message),
					 count > STACK_FRAMES_MAX ? TAKE_FLOOD : TAKE_MESSAGE);
			if (count == STACK_FRAMES_MAX)
				ck_assert_uint_eq(stack.count, STACK_FRAMES_MAX);
			free(bytes.data);
			free(frame.data);
			stack_deinit(&stack);
		}
	}
}
END_TEST

#define WORDS(...) .word = { __VA_ARGS__ }

static const struct frame_case {
	const char *name;
	uint32_t kind;
	uint64_t word[6];
	size_t size; /* of them that are sent */
	enum external_take take;
	const char *text;
} frame_cases[] = {
	{ "hello", KIND_HELLO, WORDS(1), .size = 8, .take = TAKE_MESSAGE, .text = "" },
	{ "hello_short", KIND_HELLO, WORDS(1), .size = 7, .take = TAKE_BROKEN,
	  .text = "no number" },
	{ "hello_long", KIND_HELLO, WORDS(1), .size = 9, .take = TAKE_BROKEN, .text = "no number" },
	{ "window", KIND_WANTS_STACK, WORDS(UINT64_MAX), .size = 8, .take = TAKE_MESSAGE,
	  .text = "" },
	{ "window_short", KIND_WANTS_STACK, WORDS(1), .size = 4, .take = TAKE_BROKEN,
	  .text = "no number" },
	{ "batch", KIND_WANTS_BATCH, WORDS(1ull << 32), .size = 8, .take = TAKE_MESSAGE,
	  .text = "" },
	{ "batch_short", KIND_WANTS_BATCH, WORDS(1), .take = TAKE_BROKEN, .text = "no number" },
	{ "stack_of_a_later_one", KIND_STACK, WORDS(6, 1, 0x1234), .size = 24, .take = TAKE_BROKEN,
	  .text = "a stack of a point that was not asked about" },
	{ "version", KIND_VERSION, WORDS(0x1b31), .size = 2, .take = TAKE_MESSAGE, .text = "1?" },
	{ "ready", KIND_READY, .take = TAKE_MESSAGE, .text = "" },
	{ "ready_with_more", KIND_READY, WORDS(1, 2), .size = 16, .take = TAKE_MESSAGE,
	  .text = "" },
	{ "refused", KIND_REFUSED, WORDS(0x3231), .size = 2, .take = TAKE_BROKEN, .text = "12" },
	{ "read", KIND_READ, WORDS(5, 0x7ff0, 8), .size = 24, .take = TAKE_MESSAGE, .text = "" },
	{ "read_short", KIND_READ, WORDS(5, 0x7ff0, 8), .size = 23, .take = TAKE_BROKEN,
	  .text = "a read without point, address and bytes" },
	{ "read_long", KIND_READ, WORDS(5, 0x7ff0, 8, 1), .size = 25, .take = TAKE_BROKEN,
	  .text = "a read without point, address and bytes" },
	{ "stack", KIND_STACK, WORDS(5, 1, 0x1234, 0x5678), .size = 32, .take = TAKE_MESSAGE,
	  .text = "complete 1234 5678" },
	{ "stack_of_none", KIND_STACK, WORDS(5, 12), .size = 16, .take = TAKE_MESSAGE,
	  .text = "foreign" },
	{ "stack_short", KIND_STACK, WORDS(5, 1), .size = 15, .take = TAKE_BROKEN,
	  .text = "a stack that is cut short" },
	{ "stack_uneven", KIND_STACK, WORDS(5, 1, 0x1234), .size = 23, .take = TAKE_BROKEN,
	  .text = "a stack that is cut short" },
	{ "stack_of_half_a_frame", KIND_STACK, WORDS(5, 1, 0x1234), .size = 20, .take = TAKE_BROKEN,
	  .text = "a stack that is cut short" },
	{ "stack_of_another", KIND_STACK, WORDS(4, 1, 0x1234), .size = 24, .take = TAKE_BROKEN,
	  .text = "a stack of a point that was not asked about" },
	{ "stop_0", KIND_STACK, WORDS(5, 0), .size = 16, .take = TAKE_BROKEN,
	  .text = "a stop that is none" },
	{ "stop_13", KIND_STACK, WORDS(5, 13), .size = 16, .take = TAKE_BROKEN,
	  .text = "a stop that is none" },
	{ "stop_of_64_bits", KIND_STACK, WORDS(5, 0x100000001), .size = 16, .take = TAKE_BROKEN,
	  .text = "a stop that is none" },
	{ "to_the_engine", KIND_POINT, WORDS(5), .size = 8, .take = TAKE_BROKEN,
	  .text = "something that is no message" },
	{ "kind_0", 0, WORDS(5), .size = 8, .take = TAKE_BROKEN,
	  .text = "something that is no message" },
	{ "kind_9", KIND_REFUSED + 1, WORDS(5), .size = 8, .take = TAKE_BROKEN,
	  .text = "something that is no message" },
};

START_TEST(frames)
{
	const struct frame_case *c = &frame_cases[_i];
	struct external_bytes bytes = { 0 };
	struct stack stack = { 0 };
	struct external_message message = { .stack = &stack, .wanted = 5 };
	char text[200] = "";

	add_frame(&bytes, c->kind, c->word, c->size);
	ck_assert_msg(external_frames.take(&bytes, &message) == c->take, "%s", c->name);
	if (c->take == TAKE_MESSAGE) {
		ck_assert_msg(message.kind == c->kind, "%s", c->name);
		ck_assert_uint_eq(bytes.taken, bytes.size);
		if (c->size == 8)
			ck_assert_msg(message.number == c->word[0], "%s", c->name);
	}
	if (c->take == TAKE_MESSAGE && c->kind == KIND_READ) {
		ck_assert_uint_eq(message.id, c->word[0]);
		ck_assert_uint_eq(message.address, c->word[1]);
		ck_assert_uint_eq(message.count, c->word[2]);
	}
	if (c->take == TAKE_MESSAGE && c->kind == KIND_STACK)
		write_stack(&stack, text, sizeof(text));
	else
		strcpy(text, message.text);
	ck_assert_msg(!strcmp(text, c->text), "%s: '%s'", c->name, text);
	free(bytes.data);
	stack_deinit(&stack);
}
END_TEST

START_TEST(no_stack_in_a_frame_before_a_point)
{
	struct external_message message = { 0 };
	struct external_bytes bytes = { 0 };

	add_frame(&bytes, KIND_STACK, (uint64_t[]) { 0, 1, 0x1234 }, 24);
	ck_assert_int_eq(external_frames.take(&bytes, &message), TAKE_BROKEN);
	free(bytes.data);
}
END_TEST

/* A stack that there is no memory for is right, and is not taken. */
START_TEST(short_memory_is_no_broken_stack)
{
	const size_t depth = 500000;
	const struct external_codec *codec = _i ? &external_frames : &external_lines;
	uint64_t *wire = calloc(depth + 2, sizeof(*wire));
	struct stack stack = { 0 };
	struct external_message message = { .stack = &stack, .wanted = 5 };
	struct external_bytes bytes = { 0 };
	enum external_take took;
	struct rlimit limit;

#ifdef __SANITIZE_ADDRESS__
	free(wire);
	return; /* its own memory has no bounds */
#endif
	wire[0] = 5;
	wire[1] = STACKPROOF_ENGINE_COMPLETE;
	if (_i)
		add_frame(&bytes, KIND_STACK, wire, (depth + 2) * sizeof(*wire));
	else
		external_bytes_add(&bytes, "stack 5 complete", 16);
	for (size_t i = 0; !_i && i < depth; i++)
		external_bytes_add(&bytes, " 1", 2);
	external_bytes_add(&bytes, "\n", 1);
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &(struct rlimit) { 1, limit.rlim_max }), 0);
	took = codec->take(&bytes, &message);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	ck_assert_int_eq(took, TAKE_MEMORY);
	stack_deinit(&stack);
	free(bytes.data);
	free(wire);
}
END_TEST

START_TEST(a_frame_has_a_limit)
{
	struct wire_header header = { KIND_STACK, EXTERNAL_LINE_MAX };
	struct external_message message = { 0 };
	struct external_bytes bytes = { 0 };

	external_bytes_add(&bytes, &header, sizeof(header));
	ck_assert_int_eq(external_frames.take(&bytes, &message), TAKE_MORE);
	header.bytes++;
	bytes.size = 0;
	external_bytes_add(&bytes, &header, sizeof(header));
	ck_assert_int_eq(external_frames.take(&bytes, &message), TAKE_FLOOD);
	free(bytes.data);
}
END_TEST

/* All that an engine may say, in order. */
static void put_all(const struct external_codec *codec, struct external_bytes *bytes)
{
	static const char lines[] = "hello 1\nversion x\nwindow 64\nbatch 2\nready\n"
				    "read 5 7ff0 8\nstack 5 complete 1 2\n";
	static const uint64_t number = 1, read[] = { 5, 0x7ff0, 8 }, stack[] = { 5, 1, 1, 2 };

	if (codec == &external_lines) {
		external_bytes_add(bytes, lines, sizeof(lines) - 1);
		return;
	}
	add_frame(bytes, KIND_HELLO, &number, 8);
	add_frame(bytes, KIND_VERSION, "x", 1);
	add_frame(bytes, KIND_WANTS_STACK, &number, 8);
	add_frame(bytes, KIND_WANTS_BATCH, &number, 8);
	add_frame(bytes, KIND_READY, NULL, 0);
	add_frame(bytes, KIND_READ, read, sizeof(read));
	add_frame(bytes, KIND_STACK, stack, sizeof(stack));
}

/* The next message to the engine; its bytes must be there. */
static const uint8_t *next_frame(const struct external_bytes *bytes, size_t *at, uint32_t kind,
				 size_t size)
{
	struct wire_header header;

	ck_assert_uint_ge(bytes->size - *at, sizeof(header));
	memcpy(&header, bytes->data + *at, sizeof(header));
	ck_assert_uint_eq(header.kind, kind);
	ck_assert_uint_eq(header.bytes, size);
	ck_assert_uint_ge(bytes->size - *at - sizeof(header), size);
	*at += sizeof(header) + size;
	return bytes->data + *at - size;
}

/* Each message has all of its bytes, and no more; the second mapping is anonymous. */
START_TEST(what_an_engine_is_told_in_frames)
{
	static const uint8_t id[] = { 0x01, 0xab, 0xef };
	static const struct external_mapping mapping[] = {
		{ 0x1000, 0x2000, 0x3000, 0xffffffffffff0000, id, sizeof(id), "/lib/a" },
		{ 0x5000, 0x6000, 0, 0, NULL, 0, NULL },
	};
	static const struct wire_mapping wire[] = {
		{ 0x1000, 0x2000, 0x3000, 0xffffffffffff0000, sizeof(id), sizeof("/lib/a") },
		{ 0x5000, 0x6000, 0, 0, 0, sizeof("") },
	};
	uint64_t reg[REGISTER_COUNT], number = 2;
	struct external_written_point point = {
		.id = 7, .reg = reg, .stack = id, .stack_bytes = sizeof(id)
	};
	struct wire_point told = { .id = 7 };
	struct external_bytes bytes = { 0 };
	const uint8_t *data;
	size_t at = 0;

	for (unsigned int i = 0; i < REGISTER_COUNT; i++)
		told.reg[i] = reg[i] = UINT64_MAX - i;
	external_frames.put_hello(&bytes);
	external_frames.put_mappings(&bytes, mapping, 2);
	external_frames.put_batch(&bytes, 2);
	external_frames.put_point(&bytes, &point);
	external_frames.put_memory(&bytes, id, sizeof(id));
	external_frames.put_fault(&bytes);
	data = next_frame(&bytes, &at, KIND_HELLO, sizeof(number));
	ck_assert_mem_eq(data, &(uint64_t) { EXTERNAL_PROTOCOL }, sizeof(number));
	data = next_frame(&bytes, &at, KIND_MAPPINGS,
			  sizeof(number) + sizeof(wire) + sizeof(id) + sizeof("/lib/a") + 1);
	ck_assert_mem_eq(data, &number, sizeof(number));
	data += sizeof(number);
	ck_assert_mem_eq(data, &wire[0], sizeof(wire[0]));
	ck_assert_mem_eq(data + sizeof(wire[0]), id, sizeof(id));
	ck_assert_str_eq((const char *)data + sizeof(wire[0]) + sizeof(id), "/lib/a");
	data += sizeof(wire[0]) + sizeof(id) + sizeof("/lib/a");
	ck_assert_mem_eq(data, &wire[1], sizeof(wire[1]));
	ck_assert_uint_eq(data[sizeof(wire[1])], 0);
	data = next_frame(&bytes, &at, KIND_POINTS, sizeof(number));
	ck_assert_mem_eq(data, &number, sizeof(number));
	data = next_frame(&bytes, &at, KIND_POINT, sizeof(told) + sizeof(id));
	ck_assert_mem_eq(data, &told, sizeof(told));
	ck_assert_mem_eq(data + sizeof(told), id, sizeof(id));
	ck_assert_mem_eq(next_frame(&bytes, &at, KIND_MEMORY, sizeof(id)), id, sizeof(id));
	next_frame(&bytes, &at, KIND_FAULT, 0);
	ck_assert_uint_eq(at, bytes.size);
	free(bytes.data);
}
END_TEST

/* How many messages come out before something else does. */
static unsigned int take_all(const struct external_codec *codec, const uint8_t *data, size_t size,
			     enum external_take *ret)
{
	struct stack stack = { 0 };
	struct external_message message = { .stack = &stack, .wanted = 5 };
	struct external_bytes bytes = { 0 };
	unsigned int count = 0;

	/* Exactly so many bytes, so that a read behind them is noticed. */
	bytes.data = malloc(size + 1);
	memcpy(bytes.data, data, size);
	bytes.data = realloc(bytes.data, size ? size : 1);
	bytes.size = bytes.capacity = size;
	while ((*ret = codec->take(&bytes, &message)) == TAKE_MESSAGE)
		count++;
	ck_assert_uint_le(bytes.taken, bytes.size);
	free(bytes.data);
	stack_deinit(&stack);
	return count;
}

START_TEST(cut_and_changed)
{
	const struct external_codec *codec = _i ? &external_frames : &external_lines;
	struct external_bytes bytes = { 0 };
	enum external_take took;

	put_all(codec, &bytes);
	ck_assert_uint_eq(take_all(codec, bytes.data, bytes.size, &took), 7);
	ck_assert_int_eq(took, TAKE_MORE);
	for (size_t size = 0; size < bytes.size; size++) {
		ck_assert_uint_lt(take_all(codec, bytes.data, size, &took), 7);
		ck_assert_int_eq(took, TAKE_MORE);
	}
	for (size_t at = 0; at < bytes.size; at++) {
		uint8_t before = bytes.data[at];

		for (unsigned int change = 1; change < 256; change++) {
			bytes.data[at] = before ^ (uint8_t)change;
			take_all(codec, bytes.data, bytes.size, &took);
			ck_assert_int_ne(took, TAKE_MEMORY);
		}
		bytes.data[at] = before;
	}
	free(bytes.data);
}
END_TEST

/* What was taken makes room, and what was not stays. */
START_TEST(bytes_move_up)
{
	struct external_bytes bytes = { 0 };

	external_bytes_room(&bytes, 70000);
	bytes.size = 70000;
	memcpy(bytes.data + 69997, "abc", 3);
	bytes.taken = 69997;
	bytes.scanned = 69998;
	external_bytes_add(&bytes, "d", 1);
	ck_assert_uint_eq(bytes.size, 4);
	ck_assert_uint_eq(bytes.taken, 0);
	ck_assert_uint_eq(bytes.scanned, 1);
	ck_assert_mem_eq(bytes.data, "abcd", 4);
	bytes.taken = 4;
	external_bytes_add(&bytes, "e", 1);
	ck_assert_uint_eq(bytes.size, 1);
	ck_assert_uint_eq(bytes.scanned, 0);
	ck_assert_mem_eq(bytes.data, "e", 1);
	free(bytes.data);
}
END_TEST

SUITE(external_wire, TEST(what_an_engine_is_told), TEST(what_a_point_is),
      LOOP(what_an_engine_says, line_cases), TEST(digits_have_bounds),
      TEST(no_stack_before_a_point), TEST(a_line_has_a_limit), TEST(a_stack_has_a_limit),
      LOOP(frames, frame_cases), TEST(no_stack_in_a_frame_before_a_point),
      TIMES(short_memory_is_no_broken_stack, 2), TEST(a_frame_has_a_limit),
      TEST(what_an_engine_is_told_in_frames), TIMES(cut_and_changed, 2), TEST(bytes_move_up))
