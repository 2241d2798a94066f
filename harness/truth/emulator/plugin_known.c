/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_known.c - keep what callbacks are told of instructions
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "plugin_known.h"

struct wanted {
	const struct known *known;
	const void *key;
};

static bool is_it(void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return !memcmp(wanted->key, wanted->known->one[number - 1], wanted->known->key_bytes);
}

void *known_find(struct known *known, const void *key, bool *ret_new)
{
	struct wanted wanted = { known, key };
	uint32_t *number = number_map_find(&known->map, number_hash(0, key, known->key_bytes),
					   is_it, &wanted);
	void *new;

	*ret_new = number && !*number;
	if (!number)
		return NULL;
	if (*number)
		return known->one[*number - 1];
	new = calloc(1, known->bytes);
	if (!new || !ARRAY_ADD(known->one, known->count, new)) {
		free(new);
		return NULL;
	}
	*number = known->count;
	return memcpy(new, key, known->key_bytes);
}

struct decoded {
	struct decoded_key {
		uint8_t bytes[INSTRUCTION_BYTES_MAX];
		uint8_t size;
	} key;
	struct instruction instruction;
};

/* Its bytes, and zeros behind them. */
static int read_bytes(void *context, uint64_t address, void *ret, size_t size)
{
	const struct decoded_key *key = context;

	memset(ret, 0, size);
	memcpy(ret, key->bytes, size < key->size ? size : key->size);
	return 0;
}

const struct instruction *known_instruction(const struct qemu_plugin_insn *insn,
					    struct decoder *decoder)
{
	static struct known known = { .key_bytes = sizeof(struct decoded_key),
				      .bytes = sizeof(struct decoded) };
	struct decoded_key key = { .size = 0 };
	const struct memory_reader memory = { read_bytes, &key };
	struct decoded *decoded;
	bool is_new;

	key.size = (uint8_t)qemu_plugin_insn_data(insn, key.bytes, sizeof(key.bytes));
	decoded = known_find(&known, &key, &is_new);
	if (decoded && is_new)
		decoded->instruction = decoder_decode(decoder, 0, &memory);
	return decoded ? &decoded->instruction : NULL;
}
