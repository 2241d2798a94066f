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
 *	wire_write.c	messages of protocol buffers
 *	frame_spelling.c	a frame, or a process, as people read it
 *	bytes_out.c	bytes and escaped names that go to a file, through gzip or not
 *	push.h		the same profile to a server
 *
 * To add a format, add a writer here. Names may hold any byte: what a format can't hold is escaped as \xNN.
 */
#ifndef STACKPROOF_WRITE_H
#define STACKPROOF_WRITE_H

#include "collected.h"

#define PERF_EVENTS_MAX (16 << 20) /* in the text of perf: each is a sample of its own */

/*
 * Writes a profile in format (PROFILE_PPROF, PROFILE_OTLP, PROFILE_FOLDED, PROFILE_PERF_SCRIPT) to path, which is
 * there whole or not at all (output_file.h). -1: ERROR_SYSTEM, whose text has the path; ERROR_MEMORY;
 * ERROR_TABLE_LIMIT: the format can't hold it; ERROR_UNAVAILABLE: the format has no writer.
 */
int profile_write(const struct collected *collected, enum profile_format format, const char *path,
		  struct error *error);
/* The same into memory, gzip'd or not, which the caller frees. */
int profile_write_bytes(const struct collected *collected, enum profile_format format, bool zipped,
			uint8_t **ret, size_t *ret_size, struct error *error);

/* The writers, called by these two. Each writes as long as nothing fails, which bytes_out_end() says. -1: its own
 * errors. */
struct bytes_out;
int pprof_write(const struct collected *collected, struct bytes_out *out, struct error *error);
int otlp_write(const struct collected *collected, struct bytes_out *out, struct error *error);
int folded_write(const struct collected *collected, struct bytes_out *out, struct error *error);
int perf_write(const struct collected *collected, struct bytes_out *out, struct error *error);

#endif
