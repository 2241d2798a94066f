/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mutate_cfi.c - wrong CIEs, FDEs, instructions and search tables
 *
 * DWARF 5, 6.4.1; LSB 5, 10.6. Entries are found by their lengths, as far as these lead.
 */
#include <elf.h>
#include <string.h>
#include "cfi/cfi_instruction.h"
#include "mutate.h"

#define ENTRIES_MAX 512

/* One section's entries, by their file offsets. */
struct entries {
	uint64_t start, end; /* of the section in the file */
	bool is_eh_frame;
	uint64_t offset[ENTRIES_MAX];
	uint64_t count;
};

static bool find_entries(struct victim *victim, struct entries *ret)
{
	uint64_t section = victim_section(victim, 0, ".eh_frame");
	uint64_t debug = victim_section(victim, 0, ".debug_frame");

	*ret = (struct entries) { .is_eh_frame = true };
	if (debug && (!section || victim_draw(victim, 2))) {
		section = debug;
		ret->is_eh_frame = false;
	}
	ret->start = victim_get(victim, section + offsetof(Elf64_Shdr, sh_offset), 8);
	ret->end = ret->start + victim_get(victim, section + offsetof(Elf64_Shdr, sh_size), 8);
	if (!section || ret->end > victim->size || ret->end < ret->start)
		return false;
	for (uint64_t at = ret->start; ret->count < ENTRIES_MAX && ret->end - at >= 8;) {
		uint64_t length = victim_get(victim, at, 4);

		ret->offset[ret->count++] = at;
		if (length > ret->end - at - 4)
			break;
		at += 4 + length;
	}
	return ret->count;
}

static uint64_t any_entry(struct victim *victim, const struct entries *entries, bool wanted_cie)
{
	uint64_t first = victim_draw(victim, entries->count);

	for (uint64_t i = 0; i < entries->count; i++) {
		uint64_t at = entries->offset[(first + i) % entries->count];
		uint64_t id = victim_get(victim, at + 4, 4);

		if ((id == (entries->is_eh_frame ? 0 : UINT32_MAX)) == wanted_cie)
			return at;
	}
	return entries->offset[first];
}

void mutate_cfi_length(struct victim *victim)
{
	struct entries entries;
	uint64_t at;

	if (!find_entries(victim, &entries))
		return;
	at = any_entry(victim, &entries, !victim_draw(victim, 3));
	switch (victim_draw(victim, 5)) {
	case 0: victim_put(victim, at, entries.end - at - 4 + victim_draw(victim, 3) - 1, 4); break;
	case 1: /* 64-bit DWARF */
		victim_put(victim, at, UINT32_MAX, 4);
		victim_put_border(victim, at + 4, 8);
		break;
	case 2: victim_put(victim, at, victim_draw(victim, 24), 4); break;
	case 3: victim_put(victim, at, 0xfffffff0u + victim_draw(victim, 15), 4); break;
	default: victim_put_border(victim, at, 4);
	}
}

void mutate_cfi_pointer(struct victim *victim)
{
	struct entries entries;
	uint64_t at, to;

	if (!find_entries(victim, &entries))
		return;
	at = any_entry(victim, &entries, false);
	to = entries.offset[victim_draw(victim, entries.count)];
	switch (victim_draw(victim, 3)) {
	case 0: /* another entry, itself, what comes later */
		victim_put(victim, at + 4, entries.is_eh_frame ? at + 4 - to : to - entries.start,
			   4);
		break;
	case 1:
		victim_put(victim, at + 4, victim_draw(victim, entries.end - entries.start), 4);
		break;
	default: victim_put_border(victim, at + 4, 4);
	}
}

/* Ranges that overlap, wrap, cover all or nothing. */
void mutate_cfi_range(struct victim *victim)
{
	struct entries entries;

	if (!find_entries(victim, &entries))
		return;
	for (uint64_t left = 1 + victim_draw(victim, 6); left; left--) {
		uint64_t at = any_entry(victim, &entries, false);
		unsigned int bytes = entries.is_eh_frame ? 4 : 8;
		uint64_t begin = at + 8, range = begin + bytes;

		switch (victim_draw(victim, 4)) {
		case 0: victim_put_border(victim, begin, bytes); break;
		case 1: victim_put(victim, range, victim_draw(victim, 1 << 16), bytes); break;
		case 2:
			victim_put(victim, begin,
				   victim_get(victim, begin, bytes) + victim_draw(victim, 64) - 32,
				   bytes);
			break;
		default: victim_put_border(victim, range, bytes);
		}
	}
}

/* Version, string, factors, column, encodings, length of the data. */
void mutate_augmentation(struct victim *victim)
{
	static const char letters[] = "zRSPLBGeh\0\377\033";
	static const uint8_t encodings[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x09, 0x0a,
					     0x0b, 0x0c, 0x10, 0x1b, 0x1c, 0x20, 0x2b,
					     0x30, 0x3b, 0x40, 0x50, 0x80, 0x9b, 0xff };
	struct entries entries;
	uint64_t at;

	if (!find_entries(victim, &entries))
		return;
	at = any_entry(victim, &entries, true) + 8;
	for (uint64_t left = 1 + victim_draw(victim, 3); left; left--)
		switch (victim_draw(victim, 4)) {
		case 0: victim_put(victim, at, victim_draw(victim, 6), 1); break;
		case 1:
			victim_put(victim, at + 1 + victim_draw(victim, 5),
				   (uint8_t)letters[victim_draw(victim, sizeof(letters) - 1)], 1);
			break;
		case 2:
			victim_put(victim, at + 3 + victim_draw(victim, 10),
				   encodings[victim_draw(victim, sizeof(encodings))], 1);
			break;
		default:
			victim_put(victim, at + victim_draw(victim, 16), victim_draw(victim, 256),
				   1);
		}
}

/* Opcodes and operands. */
void mutate_instructions(struct victim *victim)
{
#define OPCODE(name, opcode, first, second, text) opcode,
	/* The last eight have operands in their low bits. */
	static const uint8_t opcodes[] = {
		CFI_INSTRUCTIONS(OPCODE) 0x41, 0x44, 0x7f, 0x86, 0x90, 0xc3, 0xc6, 0xff
	};
#undef OPCODE
	struct entries entries;

	if (!find_entries(victim, &entries))
		return;
	for (uint64_t left = 1 + victim_draw(victim, 5); left; left--) {
		uint64_t at = any_entry(victim, &entries, !victim_draw(victim, 4));
		uint64_t length = victim_get(victim, at, 4);
		uint64_t head = entries.is_eh_frame ? 17 : 24;
		uint64_t to, count = 1 + victim_draw(victim, 6);

		if (length > entries.end - at)
			length = 64;
		to = at + 4 + victim_draw(victim, length);
		if (to < at + head)
			to = at + head + victim_draw(victim, 8);
		for (uint64_t i = 0; i < count; i++)
			victim_put(victim, to + i,
				   victim_draw(victim, 3)
					   ? opcodes[victim_draw(victim, sizeof(opcodes))]
					   : victim_draw(victim, 256),
				   1);
	}
}

/* One entry's bytes over another's. */
void mutate_entry_copied(struct victim *victim)
{
	struct entries entries;
	uint64_t from, to, size;

	if (!find_entries(victim, &entries))
		return;
	from = entries.offset[victim_draw(victim, entries.count)];
	to = entries.offset[victim_draw(victim, entries.count)];
	size = victim_get(victim, from, 4) + 4;
	if (size > entries.end - from || size > entries.end - to)
		return;
	memmove(victim->data + to, victim->data + from, size);
	if (entries.is_eh_frame && victim_draw(victim, 2))
		victim_put(victim, to + 4, victim_get(victim, to + 4, 4) + to - from, 4);
}

/* .eh_frame_hdr: four bytes, the section's address, a count, pairs of 4 bytes. */
void mutate_search_table(struct victim *victim)
{
	static const uint8_t encodings[] = { 0x00, 0x03, 0x04, 0x0b, 0x0c, 0x1b, 0x3b,
					     0x30, 0x50, 0xff, 0x9b, 0x01, 0x09 };
	uint64_t section = victim_section(victim, 0, ".eh_frame_hdr");
	uint64_t at = victim_get(victim, section + offsetof(Elf64_Shdr, sh_offset), 8);
	uint64_t count = victim_get(victim, at + 8, 4);

	if (!section)
		return;
	if (!victim_draw(victim, 3)) /* found by its segment alone */
		victim_put(victim, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	for (uint64_t left = 1 + victim_draw(victim, 4); left; left--) {
		uint64_t pair = at + 12 + 8 * victim_draw(victim, count);
		uint64_t other = at + 12 + 8 * victim_draw(victim, count);
		uint64_t kept = victim_get(victim, pair, 8);

		switch (victim_draw(victim, 5)) {
		case 0:
			victim_put(victim, at + victim_draw(victim, 4),
				   encodings[victim_draw(victim, sizeof(encodings))], 1);
			break;
		case 1: victim_put_border(victim, at + 4, 4); break;
		case 2: victim_put_border(victim, at + 8, 4); break;
		case 3: /* out of order */
			victim_put(victim, pair, victim_get(victim, other, 8), 8);
			victim_put(victim, other, kept, 8);
			break;
		default: victim_put_border(victim, pair + 4 * victim_draw(victim, 2), 4);
		}
	}
}
