/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_known.h - what callbacks are told of instructions, each once
 *
 * It is kept for ever: a block's callbacks must outlive it, and QEMU translates the same code again and again.
 */
#ifndef STACKPROOF_PLUGIN_KNOWN_H
#define STACKPROOF_PLUGIN_KNOWN_H

#include "number_map.h"
#include "plugin.h"
#include "truth/steps/decoder.h"

/* Things of so many bytes, each of which begins with its key. Set the sizes; the rest is zero. */
struct known {
	size_t key_bytes, bytes;
	void **one; /* of number 1, 2, ... */
	uint32_t count;
	struct number_map map;
};

/* The thing with this key, whose padding must be zero. A new one is zero behind it. NULL: no memory. */
void *known_find(struct known *known, const void *key, bool *ret_new);
/* What an instruction is, by its bytes. NULL: no memory. Not at the same time as another call. */
const struct instruction *known_instruction(const struct qemu_plugin_insn *insn,
					    struct decoder *decoder);

#endif
