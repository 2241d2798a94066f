/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_facts_read.c - a file of facts, read
 *
 * It is made outside of this process, and perhaps on another machine: each line must be as row_facts_write.c writes
 * it, facts must rise, and the last line must say how many there were. A file that was cut off is an error.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/input_file.h"
#include "freed.h"
#include "row_facts.h"

#define IMAGES_MAX   65536
#define BUILD_ID_MAX 64 /* bytes */

struct reading {
	struct row_facts *facts;
	char *at; /* what is left of the line */
	uint64_t line;
	bool ended;
	struct error *error;
};

static int wrong(const struct reading *reading, const char *what)
{
	return error_set(reading->error, ERROR_TEXT_SYNTAX, "", reading->line, "line %llu: %s",
			 (unsigned long long)reading->line, what);
}

/* The next word of the line; NULL: there is none. */
static char *word(struct reading *reading)
{
	char *ret = reading->at, *end;

	if (!*ret)
		return NULL;
	end = strchr(ret, ' ');
	if (end == ret)
		return NULL;
	reading->at = end ? end + 1 : ret + strlen(ret);
	if (end)
		*end = '\0';
	return ret;
}

static bool number(struct reading *reading, int base, uint64_t *ret)
{
	const char *text = word(reading);
	char *end;

	if (!text || !isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, base);
	return !*end && !errno;
}

static bool offset(struct reading *reading, int64_t *ret)
{
	const char *text = word(reading);
	char *end;

	if (!text)
		return false;
	if (!strcmp(text, "*")) {
		*ret = ROW_FACT_ANY;
		return true;
	}
	if (!isdigit((unsigned char)text[*text == '-']))
		return false;
	errno = 0;
	*ret = strtoll(text, &end, 10);
	return !*end && !errno && *ret != ROW_FACT_ANY;
}

static int nibble(char digit)
{
	const char *digits = "0123456789abcdef", *at = digit ? strchr(digits, digit) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Takes \xHH back, in place. */
static bool unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		if (from[1] != 'x' || nibble(from[2]) < 0 || nibble(from[3]) < 0)
			return false;
		*to = (char)(nibble(from[2]) << 4 | nibble(from[3]));
		if (!*to++)
			return false;
		from += 3;
	}
	*to = '\0';
	return true;
}

static bool read_build_id(const char *text, struct truth_image *ret)
{
	size_t size = strlen(text) / 2;
	uint8_t *bytes;

	if (!strcmp(text, "-") || code_digest_scan(text, &ret->digest))
		return true;
	if (strlen(text) != 2 * size || !size || size > BUILD_ID_MAX)
		return false;
	bytes = malloc(size);
	if (!bytes)
		return false;
	ret->build_id = bytes;
	ret->build_id_size = size;
	for (size_t i = 0; i < size; i++) {
		int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static int read_image(struct reading *reading)
{
	struct row_facts *facts = reading->facts;
	struct truth_image image = { .kind = TRUTH_IMAGE_FILE }, *added;
	const char *id = word(reading);

	if (!id || !*reading->at || !unescape(reading->at))
		return wrong(reading, "no image");
	image.path = reading->at;
	reading->at += strlen(reading->at);
	if (facts->images == IMAGES_MAX)
		return wrong(reading, "too many images");
	added = ARRAY_ADD(facts->image, facts->images, image);
	if (!added)
		return error_set(reading->error, ERROR_MEMORY, NULL, 0, "no memory for facts");
	return read_build_id(id, added) ? 0 : wrong(reading, "no build-id");
}

static bool read_kind(struct reading *reading, uint8_t *ret)
{
	const char *name = word(reading);

	for (int i = 0; name && i < ROW_FACT_KIND_COUNT; i++) {
		*ret = (uint8_t)i;
		if (!strcmp(name, row_fact_kind_name((enum row_fact_kind)i)))
			return true;
	}
	return false;
}

/* Behind a frame's counts. */
static bool read_others(struct reading *reading, struct row_fact *fact)
{
	while (*reading->at) {
		struct row_reading *other = &fact->other[fact->others];

		if (fact->kind != ROW_FACT_FRAME || fact->others == ROW_FACT_READINGS ||
		    !offset(reading, &other->sp) || !offset(reading, &other->bp) || !other->sp)
			return false;
		fact->others++;
	}
	return true;
}

static int read_fact(struct reading *reading)
{
	struct row_facts *facts = reading->facts;
	struct row_fact fact = { 0 };

	if (!facts->images)
		return wrong(reading, "a fact before any image");
	fact.image = facts->images - 1;
	if (!number(reading, 16, &fact.pc) || !read_kind(reading, &fact.kind) ||
	    !offset(reading, &fact.sp) || !offset(reading, &fact.bp) ||
	    !number(reading, 10, &fact.proven) || !number(reading, 10, &fact.unproven) ||
	    !read_others(reading, &fact))
		return wrong(reading, "no fact");
	if (facts->facts && row_fact_compare(&facts->fact[facts->facts - 1], &fact) >= 0)
		return wrong(reading, "facts that don't rise");
	if (!ARRAY_ADD(facts->fact, facts->facts, fact))
		return error_set(reading->error, ERROR_MEMORY, NULL, 0, "no memory for facts");
	return 0;
}

static int read_return(struct reading *reading)
{
	struct row_facts *facts = reading->facts;
	struct row_fact_return *returns;
	uint64_t registers, unknown;

	if (!facts->facts || facts->fact[facts->facts - 1].returns.known)
		return wrong(reading, "a return address of no fact");
	returns = &facts->fact[facts->facts - 1].returns;
	returns->known = true;
	if (!number(reading, 16, &returns->has) || !number(reading, 16, &unknown) ||
	    returns->has & unknown)
		return wrong(reading, "no return address");
	returns->lacks = ~(returns->has | unknown | ROW_RETURN_SLOT);
	if (!*reading->at)
		return 0;
	returns->registers_known = true;
	if (!number(reading, 16, &registers) || registers > UINT16_MAX)
		return wrong(reading, "no return address");
	returns->registers = (uint16_t)registers;
	return 0;
}

static int read_registers(struct reading *reading)
{
	struct row_facts *facts = reading->facts;
	struct row_fact_registers *registers;
	uint64_t same;

	if (!facts->facts || facts->fact[facts->facts - 1].registers.known)
		return wrong(reading, "registers of no fact");
	registers = &facts->fact[facts->facts - 1].registers;
	registers->known = true;
	if (!number(reading, 16, &same) || same >= 1u << CALLEE_SAVED_COUNT)
		return wrong(reading, "no registers");
	registers->same = (uint8_t)same;
	for (size_t i = 0; i < CALLEE_SAVED_COUNT; i++)
		if (!number(reading, 16, &registers->held[i]))
			return wrong(reading, "no registers");
	return 0;
}

static int read_line(struct reading *reading)
{
	const char *name = word(reading);
	uint64_t count = 0;

	if (!name)
		return wrong(reading, "an empty line");
	if (reading->ended)
		return wrong(reading, "a line behind the end");
	if (!strcmp(name, "F"))
		return read_fact(reading);
	if (!strcmp(name, "A"))
		return read_return(reading);
	if (!strcmp(name, "R"))
		return read_registers(reading);
	if (!strcmp(name, "I"))
		return read_image(reading);
	if (!strcmp(name, "first"))
		return number(reading, 10, &reading->facts->first) ? 0
								   : wrong(reading, "no number");
	if (!strcmp(name, "every"))
		return number(reading, 10, &count) && count == 1 ? 0
								 : wrong(reading, "not every 1");
	if (!strcmp(name, "partial")) {
		reading->facts->partial = true;
		return 0;
	}
	if (strcmp(name, "E") || !number(reading, 10, &count) || count != reading->facts->facts)
		return wrong(reading, "not a line of facts");
	reading->ended = true;
	return 0;
}

/* The whole file, with a NUL behind it. */
static char *read_text(const char *path, size_t *ret_size, struct error *error)
{
	FILE_CLOSED FILE *file = input_file_open(path, error);
	char *text = NULL;
	size_t size = 0, room = 0, got;

	if (!file) {
		if (errno != ESPIPE) /* said already: a FIFO */
			error_set_errno(error, "%s", path);
		return NULL;
	}
	do {
		if (!ARRAY_RESERVE(text, room, size + 0x10000)) {
			free(text);
			error_set(error, ERROR_MEMORY, NULL, 0, "no memory for facts");
			return NULL;
		}
		got = fread(text + size, 1, room - size - 1, file);
		size += got;
	} while (got);
	if (ferror(file)) {
		error_set_errno(error, "%s", path);
		free(text);
		return NULL;
	}
	text[size] = '\0';
	*ret_size = size;
	return text;
}

bool row_facts_is_file(const char *path)
{
	struct error error;
	FILE_CLOSED FILE *file = input_file_open(path, &error);
	char begin[sizeof(ROW_FACTS_MAGIC)] = "";

	return file && fread(begin, 1, sizeof(begin), file) == sizeof(begin) &&
	       !memcmp(begin, ROW_FACTS_MAGIC "\n", sizeof(begin));
}

int row_facts_read(const char *path, struct row_facts *ret, struct error *error)
{
	struct reading reading = { .facts = ret, .error = error };
	size_t size;
	char *line, *end;

	*ret = (struct row_facts) { .sorted = true };
	ret->text = read_text(path, &size, error);
	if (!ret->text)
		return -1;
	if (memchr(ret->text, '\0', size))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "no file of facts: it has a NUL");
	for (line = ret->text; *line; line = end + 1) {
		end = strchr(line, '\n');
		reading.line++;
		if (!end)
			return wrong(&reading, "a line without an end");
		*end = '\0';
		reading.at = line;
		if (reading.line == 1) {
			if (strcmp(line, ROW_FACTS_MAGIC))
				return wrong(&reading, "no file of facts about rows");
			continue;
		}
		if (read_line(&reading))
			return -1;
		if (*reading.at)
			return wrong(&reading, "more than belongs there");
	}
	return reading.ended ? 0 : wrong(&reading, "the file is cut off");
}
