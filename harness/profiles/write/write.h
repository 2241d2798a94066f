/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * write.h - a collected profile as a file of other tools
 *
 *	collected.h	what is written: samples, stacks, locations
 *	write.c		a file in one of the formats
 *	pprof_write.c	pprof: protocol buffers, gzip'd
 *	otlp_write.c	OpenTelemetry's profiles: protocol buffers
 *	folded_write.c	folded stacks: "comm;main;leaf 12"
 *	perf_write.c	the text of `perf script`
 *	text_write.c	names in lines of text: escaped
 *	wire_write.c	messages of protocol buffers
 *	bytes_out.c	bytes that go to a file, through gzip or not
 *	push.h		the same profile to a server
 */
#ifndef STACKPROOF_WRITE_H
#define STACKPROOF_WRITE_H

#include "collected.h"

/*
 * Writes a profile in format (PROFILE_PPROF, PROFILE_OTLP, PROFILE_FOLDED, PROFILE_PERF_SCRIPT) to path, which is
 * there whole or not at all (output_file.h). -1: ERROR_SYSTEM, whose text has the path; ERROR_MEMORY;
 * ERROR_TABLE_LIMIT: the format can't hold it; ERROR_UNAVAILABLE: the format has no writer.
 */
int profile_write(const struct collected *collected, enum profile_format format, const char *path,
		  struct error *error);
/* The same into memory, which the caller frees. */
int profile_write_bytes(const struct collected *collected, enum profile_format format,
			uint8_t **ret, size_t *ret_size, struct error *error);

#endif
