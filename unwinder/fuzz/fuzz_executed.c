/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_executed.c - bytes as what says which instructions ran (harness/truth/executed/executed.h)
 *
 * Both as the NDJSON of `compare` and `run` (lint --confirm=RESULTS) and as a truth file (lint
 * --executed). What is accepted has places and faults in order, each once, of images that there
 * are, and each is found again. Anything else is an error with a line, or a place in the file.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "truth/executed/executed.h"
#include "fuzz.h"

static void check_places(const struct executed *executed)
{
	for (uint32_t i = 0; i < executed->place_count; i++) {
		const struct executed_place *place = &executed->place[i], *found;
		uint32_t count;

		fuzz_require(place->image < executed->images.image_count, "place %u of image %u", i,
			     place->image);
		fuzz_require(place->points || place->calls, "place %u was never reached", i);
		if (place->pc == UINT64_MAX)
			continue; /* nothing ends behind it */
		count = executed_places(executed, place->image, place->pc, place->pc + 1, &found);
		fuzz_require(count && found <= place && place < found + count,
			     "place %u is not found", i);
		for (const struct executed_place *other = found; other < found + count; other++)
			fuzz_require(other == place || other->from != place->from,
				     "place %u is there twice", i);
	}
}

static void check_faults(const struct executed *executed)
{
	for (uint32_t i = 0; i < executed->fault_count; i++) {
		const struct executed_fault *fault = &executed->fault[i], *found;
		uint32_t count;

		fuzz_require(fault->image < executed->images.image_count &&
				     fault->kind > FAULT_NONE && fault->kind < FAULT_KIND_COUNT,
			     "fault %u", i);
		if (fault->pc == UINT64_MAX)
			continue;
		count = executed_faults(executed, fault->image, fault->pc, fault->pc + 1, &found);
		fuzz_require(count && found <= fault && fault < found + count,
			     "fault %u is not found", i);
	}
}

static void check(int status, struct executed *executed, const struct error *error, size_t size)
{
	if (status) {
		fuzz_require((error->code == ERROR_TEXT_SYNTAX || error->code == ERROR_PROTOCOL) &&
				     *error->message && error->offset <= size + 1,
			     "%s: %s", error_code_name(error->code), error->message);
		return;
	}
	check_places(executed);
	check_faults(executed);
}

int fuzz_executed(const uint8_t *data, size_t size)
{
	int file = memfd_create("executed", MFD_CLOEXEC);
	struct executed executed;
	struct error error;
	char path[64];

	fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "no file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	check(executed_read_results(path, &executed, &error), &executed, &error, size);
	executed_deinit(&executed);
	check(executed_read_truth(path, &executed, &error), &executed, &error, size);
	executed_deinit(&executed);
	close(file);
	return 0;
}
