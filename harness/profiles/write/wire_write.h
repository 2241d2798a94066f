/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wire_write.h - messages in protocol buffers' encoding, written
 *
 *	size_t message = wire_begin(out, SAMPLE_FIELD);
 *	wire_put_number(out, 1, value);
 *	wire_end(out, message);
 *
 * What wire.h (profiles/profile) reads. A field of the value 0 is left out, as proto3 has it. wire_end() puts the
 * message's length in front of it and so moves it: bytes_written() may not be called before the outermost one.
 */
#ifndef STACKPROOF_WIRE_WRITE_H
#define STACKPROOF_WIRE_WRITE_H

#include "bytes_out.h"

/* A number without its field: in a packed field, between wire_begin() and wire_end(). */
void wire_put(struct bytes_out *out, uint64_t value);
void wire_put_number(struct bytes_out *out, uint32_t field, uint64_t value);
/* The same for a member of a oneof, which says by being there which one it is. */
void wire_put_present(struct bytes_out *out, uint32_t field, uint64_t value);
void wire_put_fixed64(struct bytes_out *out, uint32_t field, uint64_t value);
void wire_put_bytes(struct bytes_out *out, uint32_t field, const void *data, size_t size);
/* An element of a repeated field, which is there if it is empty, too. */
void wire_put_text(struct bytes_out *out, uint32_t field, const char *text);

/* A message, a text or packed numbers: a field that has its length in front. Returns what wire_end() is given. */
size_t wire_begin(struct bytes_out *out, uint32_t field);
void wire_end(struct bytes_out *out, size_t begin);
/* The same of packed numbers: the field is left out if there are none. Its number is below 16. */
void wire_end_packed(struct bytes_out *out, size_t begin);

#endif
