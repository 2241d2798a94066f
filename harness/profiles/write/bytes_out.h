/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bytes_out.h - bytes that go to a file, through gzip or not
 *
 *	struct bytes_out out = { .file = file };
 *	...
 *		bytes_add(&out, data, size);
 *		if (!bytes_written(&out))
 *			break;
 *	return bytes_out_end(&out, error);
 *
 * The first failure stays, and nothing is added behind it: so a writer asks in its loop, and reports at its end. A
 * file's bytes go to it by bytes_written() only; what was added since then can still be changed.
 */
#ifndef STACKPROOF_BYTES_OUT_H
#define STACKPROOF_BYTES_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"

struct z_stream_s;

/* Zero-initialise but for the first two. */
struct bytes_out {
	FILE *file;    /* NULL: all stays in data, which the caller frees */
	bool zipped;   /* gzip */
	int failed;    /* errno; ENOMEM: no memory */
	uint8_t *data; /* not written yet */
	size_t size, room;
	struct z_stream_s *zip;
};

void bytes_add(struct bytes_out *out, const void *data, size_t size);
void bytes_text(struct bytes_out *out, const char *text);
void bytes_format(struct bytes_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A text of a protocol buffer, which is UTF-8: what is not becomes \xNN. */
void bytes_utf8(struct bytes_out *out, const char *text);
/* A part of a line: also control characters, and those that change the direction of text, become \xNN; and each
 * character in from becomes to. */
void bytes_in_line(struct bytes_out *out, const char *text, const char *from, char to);
/* Sends what was added to the file, if it has become much. False: something has failed. */
bool bytes_written(struct bytes_out *out);
/* Sends the rest and flushes the file, which stays open. -1: ERROR_SYSTEM, ERROR_MEMORY. */
int bytes_out_end(struct bytes_out *out, struct error *error);

#endif
