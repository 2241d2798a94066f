/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_lines.c - the line protocol: docs/ENGINES.md
 *
 * Words with one blank between them, a newline at the end. Addresses and what registers and memory
 * hold are hexadecimal, all else is decimal. What an engine says is taken as it is defined or not
 * at all: one that is nearly right would find out late.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "hex_text.h"
#include "external_inside.h"
#include "table/table_abi.h"

#define HEX_DIGITS_MAX 16

/* ---- to the engine -------------------------------------------------------------------------- */

static void put_text(struct external_bytes *bytes, const char *text)
{
	external_bytes_add(bytes, text, strlen(text));
}

static void put_number(struct external_bytes *bytes, const char *before, uint64_t number)
{
	char text[64];

	external_bytes_add(bytes, text, (size_t)sprintf(text, "%s%" PRIu64, before, number));
}

/* A blank and the number; much quicker than printf(). */
static void put_hex(struct external_bytes *bytes, uint64_t number)
{
	char text[1 + HEX_DIGITS_MAX], *at = text + sizeof(text);

	do
		*--at = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	*--at = ' ';
	external_bytes_add(bytes, at, (size_t)(text + sizeof(text) - at));
}

/* A blank and the bytes; "-" if there are none. */
static void put_bytes(struct external_bytes *bytes, const uint8_t *data, size_t size)
{
	uint8_t *room = external_bytes_room(bytes, 2 * size + 3); /* a NUL, too */

	if (!room)
		return;
	*room++ = ' ';
	if (!size)
		*room++ = '-';
	hex_text((char *)room, data, size);
	bytes->size = (size_t)(room + 2 * size - bytes->data);
}

static void put_hello(struct external_bytes *bytes)
{
	put_number(bytes, "hello ", EXTERNAL_PROTOCOL);
	put_text(bytes, "\n");
}

/* A blank and the path, the rest of the line; control characters and '%' as "%XX". */
static void put_path(struct external_bytes *bytes, const char *path)
{
	char text[4];

	put_text(bytes, " ");
	for (; path && *path; path++) {
		uint8_t byte = (uint8_t)*path;

		if (byte >= ' ' && byte != '%' && byte != 0x7f)
			external_bytes_add(bytes, path, 1);
		else
			external_bytes_add(bytes, text, (size_t)sprintf(text, "%%%02x", byte));
	}
}

static void put_mappings(struct external_bytes *bytes, const struct external_mapping *mapping,
			 size_t count)
{
	put_number(bytes, "mappings ", count);
	put_text(bytes, "\n");
	for (size_t i = 0; i < count; i++) {
		put_text(bytes, "mapping");
		put_hex(bytes, mapping[i].start);
		put_hex(bytes, mapping[i].end);
		put_hex(bytes, mapping[i].offset);
		put_hex(bytes, mapping[i].bias);
		put_bytes(bytes, mapping[i].build_id, mapping[i].build_id_size);
		put_path(bytes, mapping[i].path);
		put_text(bytes, "\n");
	}
}

static void put_batch(struct external_bytes *bytes, size_t count)
{
	put_number(bytes, "points ", count);
	put_text(bytes, "\n");
}

static void put_point(struct external_bytes *bytes, const struct external_written_point *point)
{
	put_number(bytes, "point ", point->id);
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		put_hex(bytes, point->reg[reg]);
	if (point->stack)
		put_bytes(bytes, point->stack, point->stack_bytes);
	put_text(bytes, "\n");
}

static void put_memory(struct external_bytes *bytes, const uint8_t *data, size_t size)
{
	put_text(bytes, "memory");
	put_bytes(bytes, data, size);
	put_text(bytes, "\n");
}

static void put_fault(struct external_bytes *bytes)
{
	put_text(bytes, "fault\n");
}

/* ---- from the engine ------------------------------------------------------------------------ */

/* The rest of a line. */
struct words {
	const char *at, *end;
};

/* Takes the next word; false: there is none, or an empty one. */
static bool take_word(struct words *words, const char **ret, size_t *ret_size)
{
	const char *blank;

	if (words->at >= words->end)
		return false;
	blank = memchr(words->at, ' ', (size_t)(words->end - words->at));
	*ret = words->at;
	*ret_size = (size_t)((blank ? blank : words->end) - words->at);
	words->at = blank ? blank + 1 : words->end;
	return *ret_size && (!blank || blank + 1 < words->end);
}

static int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static bool take_hex(struct words *words, uint64_t *ret)
{
	const char *word;
	size_t size;

	*ret = 0;
	if (!take_word(words, &word, &size) || size > HEX_DIGITS_MAX)
		return false;
	for (size_t i = 0; i < size; i++) {
		int digit = hex_digit(word[i]);

		if (digit < 0)
			return false;
		*ret = *ret << 4 | (uint64_t)digit;
	}
	return true;
}

static bool take_number(struct words *words, uint64_t *ret)
{
	const char *word;
	size_t size;

	*ret = 0;
	if (!take_word(words, &word, &size))
		return false;
	for (size_t i = 0; i < size; i++)
		if (word[i] < '0' || word[i] > '9' || __builtin_mul_overflow(*ret, 10, ret) ||
		    __builtin_add_overflow(*ret, word[i] - '0', ret))
			return false;
	return true;
}

static bool take_last_number(struct words *words, uint64_t *ret)
{
	return take_number(words, ret) && words->at == words->end;
}

static enum external_take broken(struct external_message *message, const char *what,
				 const struct words *line)
{
	char text[80];

	external_text(line->at, (size_t)(line->end - line->at), text, sizeof(text));
	snprintf(message->text, sizeof(message->text), "%s: '%s'", what, text);
	return TAKE_BROKEN;
}

static enum external_take take_stack(struct words words, const struct words *line,
				     struct external_message *message)
{
	const char *word;
	uint64_t pc;
	size_t size;
	struct error error;

	if (!take_number(&words, &message->id) || !take_word(&words, &word, &size))
		return broken(message, "a stack without its point or its stop", line);
	if (message->id != message->wanted)
		return broken(message, "a stack of a point that was not asked about", line);
	message->number = external_stop_find(word, size);
	if (message->number == STOP_NONE)
		return broken(message, "a stop that is none", line);
	stack_clear(message->stack);
	message->stack->stop = message->number;
	while (words.at < words.end) {
		if (!take_hex(&words, &pc))
			return broken(message, "a stack with a PC that is none", line);
		if (message->stack->count == STACK_FRAMES_MAX)
			return TAKE_FLOOD;
		if (stack_push(message->stack, pc, &error))
			return TAKE_MEMORY;
	}
	message->kind = KIND_STACK;
	return TAKE_MESSAGE;
}

static enum external_take take_read(struct words words, const struct words *line,
				    struct external_message *message)
{
	message->kind = KIND_READ;
	if (take_number(&words, &message->id) && take_hex(&words, &message->address) &&
	    take_last_number(&words, &message->count))
		return TAKE_MESSAGE;
	return broken(message, "a read without point, address and bytes", line);
}

static enum external_take take_version(struct words words, struct external_message *message)
{
	message->kind = KIND_VERSION;
	external_text(words.at, (size_t)(words.end - words.at), message->text,
		      sizeof(message->text));
	return TAKE_MESSAGE;
}

static enum external_take take_line(struct words line, struct external_message *message)
{
	static const struct {
		const char *word;
		enum external_kind kind;
	} numbers[] = { { "hello", KIND_HELLO },
			{ "window", KIND_WANTS_STACK },
			{ "batch", KIND_WANTS_BATCH } };
	struct words words = line;
	const char *word;
	size_t size;

	if (!take_word(&words, &word, &size))
		return broken(message, "a line without a word", &line);
	if (size == 5 && !memcmp(word, "ready", 5) && words.at == words.end) {
		message->kind = KIND_READY;
		return TAKE_MESSAGE;
	}
	if (size == 7 && !memcmp(word, "version", 7))
		return take_version(words, message);
	if (size == 4 && !memcmp(word, "read", 4))
		return take_read(words, &line, message);
	if (message->stack && size == 5 && !memcmp(word, "stack", 5))
		return take_stack(words, &line, message);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strlen(numbers[i].word) != size || memcmp(word, numbers[i].word, size))
			continue;
		message->kind = numbers[i].kind;
		return take_last_number(&words, &message->number)
			       ? TAKE_MESSAGE
			       : broken(message, "no number", &line);
	}
	return broken(message, "no line of the protocol", &line);
}

static enum external_take take(struct external_bytes *bytes, struct external_message *message)
{
	size_t from = bytes->scanned > bytes->taken ? bytes->scanned : bytes->taken;
	const uint8_t *newline = bytes->size > from
					 ? memchr(bytes->data + from, '\n', bytes->size - from)
					 : NULL;
	struct words line;

	bytes->scanned = bytes->size;
	if (!newline)
		return bytes->size - bytes->taken > EXTERNAL_LINE_MAX ? TAKE_FLOOD : TAKE_MORE;
	line.at = (const char *)bytes->data + bytes->taken;
	line.end = (const char *)newline;
	bytes->taken = bytes->scanned = (size_t)(newline + 1 - bytes->data);
	return take_line(line, message);
}

const struct external_codec external_lines = {
	.put_hello = put_hello,
	.put_mappings = put_mappings,
	.put_batch = put_batch,
	.put_point = put_point,
	.put_memory = put_memory,
	.put_fault = put_fault,
	.take = take,
};
