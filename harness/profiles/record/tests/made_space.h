/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * made_space.h - a process's mappings that are made up, in place of the library's; how often each function was asked
 *
 * A source of the room that is included behind this asks it. A PC in 0x1000..0x7fff is of image 7, whose addresses
 * are 0x100000 higher, and in 0x8000..0xffff of image 8, whatever the process; 0x10000 and above is code that a
 * process made; 0 is mapped nowhere. 0x515f..0x5168 is a signal frame, whose code begins at 0x5160.
 */
#ifndef STACKPROOF_TESTS_MADE_SPACE_H
#define STACKPROOF_TESTS_MADE_SPACE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "stackproof.h"

struct stackproof_space {
	const char *generated; /* the name of all code that it made; or NULL */
	bool failing;
};

static struct {
	unsigned int located, found, read, images;
	uint64_t time_ns;     /* of code that a process made */
	const char *function; /* of all addresses of images; NULL: "f_ADDRESS" */
	bool first_code;
	bool failing;
} asked;

static int made_locate(const struct stackproof_space *space, uint64_t pc,
		       struct stackproof_place *ret, struct stackproof_error *error)
{
	static const uint8_t build_id[] = { 0xab, 0x0c };

	asked.located++;
	ret->function[0] = 0;
	ret->path = NULL;
	ret->image = ret->first_code = ret->build_id_size = 0;
	ret->signal_frame = pc >= 0x515f && pc <= 0x5168;
	ret->address = pc;
	if (space->failing) {
		snprintf(error->message, sizeof(error->message), "no memory: made");
		return -1;
	}
	if (pc >= 0x1000 && pc < 0x10000) {
		ret->image = pc < 0x8000 ? 7 : 8;
		ret->path = pc < 0x8000 ? "/bin/made" : "[vdso]";
		ret->build_id = build_id;
		ret->build_id_size = pc < 0x8000 ? sizeof(build_id) : 0;
		ret->address = pc + 0x100000;
		ret->start = 0x101000;
		ret->end = 0x108000;
		ret->file_offset = 0x1000;
	} else if (pc) {
		ret->path = "";
		ret->start = 0x10000;
		ret->end = 0x20000;
	}
	return 0;
}

static int made_find(const struct stackproof_space *space, uint64_t pc, uint64_t time_ns,
		     struct stackproof_place *ret, struct stackproof_error *error)
{
	int status = made_locate(space, pc, ret, error);

	asked.time_ns = time_ns;
	asked.located--;
	asked.found++;
	if (status)
		return status;
	if (space->generated)
		snprintf(ret->function, sizeof(ret->function), "%s", space->generated);
	return 0;
}

/* All of one image. */
static int made_name(struct stackproof_images *images, const struct stackproof_asked *wanted,
		     size_t count, stackproof_name_fn fn, void *context,
		     struct stackproof_error *error)
{
	struct stackproof_place place = { .first_code = asked.first_code };

	asked.images++;
	if (asked.failing) {
		snprintf(error->message, sizeof(error->message), "no memory: made");
		return -1;
	}
	for (size_t i = count; i-- > 0;) {
		asked.found++;
		place.address = wanted[i].address;
		ck_assert_uint_eq(wanted[i].image, wanted[0].image);
		if (asked.function)
			snprintf(place.function, sizeof(place.function), "%s", asked.function);
		else
			snprintf(place.function, sizeof(place.function), "f_%llx",
				 (unsigned long long)place.address);
		fn(context, i, &place);
	}
	return 0;
}

static int made_read_names(const struct stackproof_space *space, struct stackproof_error *error)
{
	asked.read++;
	return 0;
}

#define stackproof_space_locate	    made_locate
#define stackproof_space_find_at    made_find
#define stackproof_space_read_names made_read_names
#define stackproof_images_name	    made_name

#endif
