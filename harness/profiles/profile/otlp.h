/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * otlp.h - OpenTelemetry's profiles (signal v1development): what its readers share
 *
 *	ProfilesData { resource_profiles { resource, scope_profiles { profiles { samples } } },
 *		       dictionary { mapping_table, location_table, ..., stack_table } }
 *
 * A sample has the number of a stack, which has those of locations, and so on; element 0 of each table
 * is none. Read is what has a table of stacks: opentelemetry-proto 1.9 and later.
 */
#ifndef STACKPROOF_OTLP_H
#define STACKPROOF_OTLP_H

#include <jansson.h>
#include "profile.h"

/* The numbers of a sample's fields changed after opentelemetry-proto 1.10. */
enum otlp_layout {
	OTLP_LAYOUT_OPEN,   /* nothing has told yet */
	OTLP_LAYOUT_VALUES, /* up to 1.10: stack, values, attributes, link, times */
	OTLP_LAYOUT_LATE,   /* later: stack, attributes, link, values, times */
};

/* Bytes begin as a message does, or as one behind its length; they may end anywhere. */
bool otlp_wire_begins(const void *data, size_t size);
/* Reads one message, ProfilesData or ExportProfilesServiceRequest, and hands its samples on. */
int otlp_wire_read(const struct profile_reading *reading, const uint8_t *data, size_t size,
		   enum otlp_layout layout, uint64_t *samples, struct error *error);

struct otlp_bytes {
	uint8_t *at;
	size_t size, room;
};
/* The same message in JSON as bytes, in OTLP_LAYOUT_LATE. -1: ERROR_MEMORY, ERROR_TABLE_LIMIT. */
int otlp_json_encode(const json_t *json, struct otlp_bytes *ret, struct error *error);

#endif
