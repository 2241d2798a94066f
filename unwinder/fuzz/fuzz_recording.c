/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_recording.c - bytes as a recording (harness/judge/replay/recording.h)
 *
 * Whoever plays one puts its words into his own memory, at the addresses that it names. So whatever
 * the bytes are: no write leaves its page or user space, mappings ascend, numbers are in range, an
 * error has a place in the file; and of a recording that is whole, the points are as many as it
 * says.
 */
#include <string.h>
#include "fuzz.h"
#include "judge/replay/page_set.h"
#include "judge/replay/recording.h"

struct watcher {
	uint64_t points, last_end;
	const uint8_t *bytes;
	size_t size;
};

static int on_mapping(void *context, const struct recording_mapping *mapping, size_t number,
		      size_t count, struct error *error)
{
	struct watcher *watcher = context;

	fuzz_require(!mapping == !count, "no mapping, and %zu of them", count);
	if (!mapping)
		return 0;
	fuzz_require(number < count && count <= RECORDING_MAPPINGS_MAX, "mapping %zu of %zu",
		     number, count);
	fuzz_require(mapping->start < mapping->end, "an empty mapping");
	fuzz_require(!number || mapping->start >= watcher->last_end, "mappings overlap");
	fuzz_require(strnlen(mapping->path, RECORDING_PATH_MAX) < RECORDING_PATH_MAX,
		     "a path without end");
	fuzz_require(mapping->kind != RECORDING_BYTES ||
			     (mapping->bytes >= watcher->bytes &&
			      mapping->size <=
				      (size_t)(watcher->bytes + watcher->size - mapping->bytes)),
		     "an image outside the file");
	watcher->last_end = mapping->end;
	return 0;
}

static int on_write(void *context, uint64_t address, const uint8_t *bytes, size_t size,
		    struct error *error)
{
	struct watcher *watcher = context;

	fuzz_require(size && size <= RECORDING_WRITE_MAX &&
			     address % PAGE_SET_PAGE + size <= PAGE_SET_PAGE,
		     "a write of %zu bytes", size);
	fuzz_require(address >= RECORDING_ADDRESS_MIN && address + size <= RECORDING_ADDRESS_LIMIT,
		     "a write to 0x%llx", (unsigned long long)address);
	fuzz_require(bytes >= watcher->bytes && bytes + size <= watcher->bytes + watcher->size,
		     "a write from outside the file");
	return 0;
}

static int on_absent(void *context, uint64_t address, struct error *error)
{
	fuzz_require(address < RECORDING_ADDRESS_LIMIT, "0x%llx absent",
		     (unsigned long long)address);
	return 0;
}

static int on_point(void *context, const struct recording_point *point, struct error *error)
{
	struct watcher *watcher = context;

	watcher->points++;
	fuzz_require(point->frames <= WALK_FRAMES_MAX && point->stop < STOP_REASON_COUNT,
		     "%u frames, stop %u", point->frames, point->stop);
	return 0;
}

static void check_error(const struct error *error, size_t size)
{
	fuzz_require(error->code == ERROR_PROTOCOL, "%s", error_code_name(error->code));
	fuzz_require(!strcmp(error->section, "recording") && error->offset <= size,
		     "an error at %s+0x%llx", error->section, (unsigned long long)error->offset);
}

int fuzz_recording(const uint8_t *data, size_t size)
{
	struct watcher watcher = { .bytes = data, .size = size };
	const struct recording_handler handler = { .mapping = on_mapping,
						   .write = on_write,
						   .absent = on_absent,
						   .point = on_point,
						   .context = &watcher };
	struct recording *recording;
	struct error error;
	uint64_t first;
	int status;

	if (recording_create(data, size, &recording, &error)) {
		check_error(&error, size);
		return 0;
	}
	status = recording_play(recording, &handler, &error);
	if (status)
		check_error(&error, size);
	first = watcher.points;
	fuzz_require(recording_play(recording, &handler, &error) == status &&
			     watcher.points == 2 * first,
		     "another recording when it is played again");
	recording_close(recording);
	return 0;
}
