/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mutate.h - one ELF file -> any number of broken ones
 *
 * libFuzzer changes bytes and learns from coverage (unwinder/fuzz). This knows what the bytes are
 * and learns nothing: it finds header tables, entries, notes, relocations and search tables by
 * itself, and puts lengths and offsets at borders. What one of the two never tries, the other does.
 *
 * A file is made from an original, a seed and a number alone, so any of a series can be made again.
 */
#ifndef STACKPROOF_HOSTILE_MUTATE_H
#define STACKPROOF_HOSTILE_MUTATE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file while it is changed. Everything in it may already be wrong. */
struct victim {
	uint8_t *data;
	size_t size;
	size_t capacity;
	uint64_t random; /* state */
	char what[256];	 /* names of the changes, for people */
};

/* ---- mutate.c --------------------------------------------------------------------------- */

/* Changes it in one to four ways. original: of size bytes. *ret: victim_deinit(). */
void mutate_file(const uint8_t *original, size_t size, uint64_t seed, uint64_t number,
		 struct victim *ret);
void victim_deinit(struct victim *victim);

/* 0 .. below-1; below 0: 0. */
uint64_t victim_draw(struct victim *victim, uint64_t below);
/* A number at a border: 0, 1, powers of two, the file's size, something near `near`. */
uint64_t victim_border(struct victim *victim, uint64_t near);
/* Reads or writes bytes little-endian bytes; outside of the file: 0, nothing. */
uint64_t victim_get(const struct victim *victim, uint64_t offset, unsigned int bytes);
void victim_put(struct victim *victim, uint64_t offset, uint64_t value, unsigned int bytes);
/* Puts a border's number near the old one there. */
void victim_put_border(struct victim *victim, uint64_t offset, unsigned int bytes);
/* Adds bytes at the end, 8-aligned; returns their offset, or 0 if the file would get too large. */
uint64_t victim_append(struct victim *victim, const void *data, size_t size);

/* ---- mutate_elf.c: headers and what hangs on them ----------------------------------------- */

/* The offset of a section header that has the type and the name, each if not 0 and not NULL. Of
 * several one is drawn. 0: none. */
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
