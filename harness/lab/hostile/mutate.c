/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mutate.c - draws what is changed, and changes bytes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "array.h"
#include "mutate.h"

#define FILE_MAX (4u << 20)

static const struct change {
	const char *name;
	void (*make)(struct victim *victim);
	unsigned int weight;
} changes[] = {
	{ "header", mutate_header, 3 },
	{ "section_header", mutate_section_header, 8 },
	{ "section_name", mutate_section_name, 4 },
	{ "segment", mutate_segment, 6 },
	{ "many_segments", mutate_many_segments, 1 },
	{ "note", mutate_note, 3 },
	{ "relocation", mutate_relocation, 5 },
	{ "symbol", mutate_symbol, 5 },
	{ "strings", mutate_strings, 3 },
	{ "debug_link", mutate_debug_link, 2 },
	{ "compression", mutate_compression, 5 },
	{ "truncate", mutate_truncate, 3 },
	{ "cfi_length", mutate_cfi_length, 8 },
	{ "cfi_pointer", mutate_cfi_pointer, 6 },
	{ "cfi_range", mutate_cfi_range, 8 },
	{ "augmentation", mutate_augmentation, 6 },
	{ "instructions", mutate_instructions, 12 },
	{ "entry_copied", mutate_entry_copied, 5 },
	{ "search_table", mutate_search_table, 8 },
};
#define CHANGE_COUNT (sizeof(changes) / sizeof(changes[0]))

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t now = *state;

	*state += HASH_GOLDEN;
	return hash_mix(now);
}

uint64_t victim_draw(struct victim *victim, uint64_t below)
{
	uint64_t value = next_random(&victim->random);

	return below ? value % below : 0;
}

uint64_t victim_border(struct victim *victim, uint64_t near)
{
	uint64_t value = 0;

	switch (victim_draw(victim, 8)) {
	case 0: return victim_draw(victim, 5);
	case 1: value = 1ull << victim_draw(victim, 64); break;
	case 2: value = victim->size; break;
	case 3: value = victim->size - near; break;
	case 4: return next_random(&victim->random);
	case 5: value = 0 - near; break;
	case 6: value = near * 2; break;
	default: value = near; break;
	}
	return value + victim_draw(victim, 9) - 4;
}

uint64_t victim_get(const struct victim *victim, uint64_t offset, unsigned int bytes)
{
	uint64_t value = 0;

	if (offset <= victim->size && bytes <= victim->size - offset)
		memcpy(&value, victim->data + offset, bytes);
	return value;
}

void victim_put(struct victim *victim, uint64_t offset, uint64_t value, unsigned int bytes)
{
	if (offset <= victim->size && bytes <= victim->size - offset)
		memcpy(victim->data + offset, &value, bytes);
}

void victim_put_border(struct victim *victim, uint64_t offset, unsigned int bytes)
{
	victim_put(victim, offset, victim_border(victim, victim_get(victim, offset, bytes)), bytes);
}

uint64_t victim_append(struct victim *victim, const void *data, size_t size)
{
	size_t start = (victim->size + 7) & ~(size_t)7;

	if (size > FILE_MAX || start > FILE_MAX - size)
		return 0;
	if (!ARRAY_RESERVE(victim->data, victim->capacity, start + size))
		abort();
	memset(victim->data + victim->size, 0, start - victim->size);
	memcpy(victim->data + start, data, size);
	victim->size = start + size;
	return start;
}

static void make_change(struct victim *victim)
{
	uint64_t total = 0, drawn;
	const struct change *change = changes;

	for (size_t i = 0; i < CHANGE_COUNT; i++)
		total += changes[i].weight;
	for (drawn = victim_draw(victim, total); drawn >= change->weight; change++)
		drawn -= change->weight;
	size_t used = strlen(victim->what);
	snprintf(victim->what + used, sizeof(victim->what) - used, " %s", change->name);
	change->make(victim);
}

void mutate_file(const uint8_t *original, size_t size, uint64_t seed, uint64_t number,
		 struct victim *ret)
{
	*ret = (struct victim) { .random = seed ^ number * 0xd1342543de82ef95ull };
	if (size)
		victim_append(ret, original, size);
	for (uint64_t left = 1 + victim_draw(ret, 4); left; left--)
		make_change(ret);
	/* Last: what is inside an archive is no ELF file to the rest of these. */
	if (!victim_draw(ret, 40))
		mutate_archive(ret);
}

void victim_deinit(struct victim *victim)
{
	free(victim->data);
	*victim = (struct victim) { 0 };
}
