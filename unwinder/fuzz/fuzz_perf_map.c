/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_perf_map.c - bytes as a process's perf map (perf_map.h)
 *
 * Any process may write there what it likes. Whatever it is, an address has the name that the last
 * line with it says: that is looked up once more by going through the lines from the end, each read
 * by strtoull() and not by perf_map.c's own hand.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "walk/perf_map.h"

/* Inputs are small, and each line is asked about at each end of each other one. */
#define LINES_MAX 64

struct line {
	uint64_t start, size;
	const char *name;
	size_t name_bytes;
};

static const char *read_number(const char *at, const char *end, uint64_t *ret)
{
	char digits[17] = "";
	size_t count = 0;

	while (at + count < end && isxdigit((unsigned char)at[count]))
		count++;
	if (!count || count >= sizeof(digits) || at + count == end || at[count] != ' ')
		return NULL;
	memcpy(digits, at, count);
	*ret = strtoull(digits, NULL, 16);
	return at + count + 1;
}

static bool read_line(const char *at, const char *end, struct line *ret)
{
	at = read_number(at, end, &ret->start);
	at = at ? read_number(at, end, &ret->size) : NULL;
	if (!at || at == end || !ret->size || ret->start + ret->size < ret->start)
		return false;
	ret->name = at;
	ret->name_bytes = end - at;
	return true;
}

static size_t read_lines(const char *text, size_t size, struct line ret[LINES_MAX])
{
	const char *newline;
	size_t count = 0;

	for (; (newline = memchr(text, '\n', size)); text = newline + 1) {
		size -= newline + 1 - text;
		if (read_line(text, newline, &ret[count]) && ++count == LINES_MAX)
			break;
	}
	return count;
}

static bool same_name(const struct line *line, const char *name)
{
	for (size_t i = 0; i < line->name_bytes; i++) {
		unsigned char byte = line->name[i];

		if (name[i] != (byte < ' ' || byte == 0x7f ? '?' : (char)byte))
			return false;
	}
	return !name[line->name_bytes];
}

static void check_address(const struct perf_map *map, const struct line *line, size_t count,
			  uint64_t pc)
{
	const struct perf_symbol *found = perf_map_find(map, pc);

	while (count && pc - line[count - 1].start >= line[count - 1].size)
		count--;
	fuzz_require(!found == !count, "0x%llx %s", (unsigned long long)pc,
		     found ? "has a name that no line gives" : "has lost its name");
	if (found)
		fuzz_require(found->start == line[count - 1].start &&
				     same_name(&line[count - 1], found->name),
			     "0x%llx is called %s", (unsigned long long)pc, found->name);
}

static void check_pieces(const struct perf_map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct perf_symbol *piece = &map->symbol[i];

		fuzz_require(piece->first < piece->end && piece->start <= piece->first,
			     "piece %zu is empty", i);
		fuzz_require(!i || piece->first >= piece[-1].end, "pieces %zu overlap", i);
	}
}

int fuzz_perf_map(const uint8_t *data, size_t size)
{
	struct line line[LINES_MAX];
	size_t count = read_lines((const char *)data, size, line);
	struct perf_map *map;
	struct error error;

	if (perf_map_create((const char *)data, size, &map, &error))
		fuzz_failed(__func__, "%s", error.message);
	check_pieces(map);
	for (size_t i = 0; count < LINES_MAX && i < count; i++)
		for (uint64_t near = 0; near < 3; near++) {
			check_address(map, line, count, line[i].start + near - 1);
			check_address(map, line, count, line[i].start + line[i].size + near - 1);
		}
	perf_map_destroy(map);
	return 0;
}
