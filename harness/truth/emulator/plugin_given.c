/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_given.c - a file of the guest's comes to the host, read in the guest's memory
 *
 * A guest has two serial ports, which bring half a megabyte a second. A program in it that has a part of the file in memory
 * says so by an instruction that does nothing (guest_told.h), and the part is written here. Only where this program's user
 * has said: given=FILE.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "plugin_watch.h"

#define PART_BYTES_MAX (1u << 20)

static FILE *files[GUEST_FILES_MAX];

/* given=FILE is that of number 0; others are FILE.NUMBER. NULL: it can't be written. */
static FILE *open_file(uint64_t number)
{
	char *path;

	if (number >= GUEST_FILES_MAX || !watch.given)
		return NULL;
	if (files[number])
		return files[number];
	if (asprintf(&path, number ? "%s.%" PRIu64 : "%s", watch.given, number) < 0)
		return NULL;
	files[number] = fopen(path, "we");
	free(path);
	return files[number];
}

/* How many bytes of the part came into the file. */
static uint64_t take(const struct guest_given *given)
{
	uint8_t *bytes = given->size <= PART_BYTES_MAX ? malloc(given->size + 1) : NULL;
	FILE *file = open_file(given->number);
	uint64_t taken = 0;

	if (bytes && file && plugin_memory_read(given->address, bytes, given->size))
		taken = fwrite(bytes, 1, given->size, file);
	if (file && fflush(file))
		taken = 0;
	free(bytes);
	return taken;
}

void watch_given(uint64_t address)
{
	struct guest_given given;

	if (plugin_memory_read(address, &given, sizeof(given)) && given.bytes == sizeof(given))
		watch.counters.given += take(&given);
}
