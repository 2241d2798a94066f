/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * otlp.h - OpenTelemetry's profiles (signal v1development), for their readers
 *
 *	ProfilesData { resource_profiles { resource, scope_profiles { profiles { samples } } },
 *		       dictionary { mapping_table, location_table, ..., stack_table } }
 *
 * Tables refer to each other by index: a sample to a stack, a stack to locations, and so on; index 0 of a
 * table means none. Only profiles with a table of stacks are read: opentelemetry-proto 1.9 and later.
 */
#ifndef STACKPROOF_OTLP_H
#define STACKPROOF_OTLP_H

#include <jansson.h>
#include "profile.h"

/* The order of a sample's field numbers, which changed after opentelemetry-proto 1.10. */
enum otlp_layout {
	OTLP_LAYOUT_OPEN,   /* not known yet */
	OTLP_LAYOUT_VALUES, /* up to 1.10: stack, values, attributes, link, times */
	OTLP_LAYOUT_LATE,   /* later: stack, attributes, link, values, times */
};

/* True if data, which may be cut off anywhere, begin as a message, or as a message after its length. */
bool otlp_wire_begins(const void *data, size_t size);
/* Reads a message, ProfilesData or ExportProfilesServiceRequest, and hands its samples on. *samples: the
 * running number of samples. */
int otlp_wire_read(const struct profile_reading *reading, const uint8_t *data, size_t size,
		   enum otlp_layout layout, uint64_t *samples, struct error *error);

struct otlp_bytes {
	uint8_t *at;
	size_t size, room;
};
/* Encodes a message in JSON as bytes, in OTLP_LAYOUT_LATE. free() ret->at. -1: ERROR_MEMORY,
 * ERROR_TABLE_LIMIT. */
int otlp_json_encode(const json_t *json, struct otlp_bytes *ret, struct error *error);

#endif
