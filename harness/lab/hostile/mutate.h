/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mutate.h - one ELF file -> any number of broken ones
 *
 * libFuzzer changes bytes and learns from coverage (unwinder/fuzz). This mutator knows the ELF format
 * and learns nothing: it finds header tables, entries, notes, relocations and search tables, and sets
 * lengths and offsets to border values. Each of the two tries what the other never does.
 *
 * The result depends on the original, a seed and a number alone, so each can be made again.
 */
#ifndef STACKPROOF_HOSTILE_MUTATE_H
#define STACKPROOF_HOSTILE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* A file that is being changed. Anything in it may already be malformed. */
struct victim {
	uint8_t *data;
	size_t size;
	size_t capacity;
	uint64_t random; /* the generator's state */
	char what[256];	 /* names of the changes, for people */
};

/* ---- mutate.c --------------------------------------------------------------------------- */

/* Makes a copy of original, of size bytes, with one to four changes. *ret: victim_deinit(). */
void mutate_file(const uint8_t *original, size_t size, uint64_t seed, uint64_t number,
		 struct victim *ret);
void victim_deinit(struct victim *victim);

/* A random number below `below`; 0 if that is 0. */
uint64_t victim_draw(struct victim *victim, uint64_t below);
/* A random border value: near 0, a power of two, the file's size or `near`; seldom any number. */
uint64_t victim_border(struct victim *victim, uint64_t near);
/* Reads or writes a little-endian number of so many bytes, at most 8. Outside of the file 0 is read and nothing
 * is written. */
uint64_t victim_get(const struct victim *victim, uint64_t offset, unsigned int bytes);
void victim_put(struct victim *victim, uint64_t offset, uint64_t value, unsigned int bytes);
/* Replaces a number by a border value; `near` is the old number. */
void victim_put_border(struct victim *victim, uint64_t offset, unsigned int bytes);
/* Appends bytes, 8-aligned. Returns their offset, or 0 if the file would exceed 4 MiB. */
uint64_t victim_append(struct victim *victim, const void *data, size_t size);

/* ---- mutate_elf.c: headers, and what they lead to ----------------------------------------- */

/* The offset of a random section header with the type (0: any) and the name (NULL: any). 0: there is
 * none. */
uint64_t victim_section(struct victim *victim, uint32_t type, const char *name);

void mutate_header(struct victim *victim);
void mutate_section_header(struct victim *victim);
void mutate_section_name(struct victim *victim);
void mutate_segment(struct victim *victim);
void mutate_many_segments(struct victim *victim);
void mutate_note(struct victim *victim);
void mutate_relocation(struct victim *victim);
void mutate_symbol(struct victim *victim);
void mutate_strings(struct victim *victim);
void mutate_debug_link(struct victim *victim);
void mutate_compression(struct victim *victim);
void mutate_truncate(struct victim *victim);
void mutate_archive(struct victim *victim);

/* ---- mutate_cfi.c: call frame information -------------------------------------------------- */

void mutate_cfi_length(struct victim *victim);
void mutate_cfi_pointer(struct victim *victim);
void mutate_cfi_range(struct victim *victim);
void mutate_augmentation(struct victim *victim);
void mutate_instructions(struct victim *victim);
void mutate_entry_copied(struct victim *victim);
void mutate_search_table(struct victim *victim);

#endif
