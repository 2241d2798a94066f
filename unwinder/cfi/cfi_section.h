/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_section.h - entries of .eh_frame and .debug_frame, one at a time
 *
 * Who needs all entries of a section takes cfi_create_section(). What is here reads one, wherever
 * it is,
 * and keeps nothing: it is what that is made of, and what a reader that has its own
 * order of things (the search table of .eh_frame_hdr) can stand on. An entry's head is its length
 * and its CIE id or pointer. Not for programs that use the library.
 */
#ifndef STACKPROOF_CFI_SECTION_H
#define STACKPROOF_CFI_SECTION_H

#include <elf.h>
#include <string.h>
#include "cfi.h"
#include "image/eh_frame_hdr.h"
#include "image/elf_image.h"
#include "expression.h"

#define CFI_LENGTH_RESERVED 0xfffffff0u /* from here on 32 bits are no length */

/* An entry's head. offset .. end is the whole entry. */
struct cfi_entry {
	uint64_t offset;
	uint64_t length;     /* 0: a terminator of 4 bytes, nothing else is valid */
	uint64_t end;	     /* where the next entry begins; 0 if the length is bad */
	uint64_t cie;	     /* of an FDE: its CIE's offset, which may lie outside */
	const uint8_t *body; /* behind the CIE id or pointer */
	bool is_cie;
	bool is_64bit;
};

/* More instructions than this in a CIE are refused: each of its FDEs executes them again, so that
 * a large one makes the time to read a section quadratic. Known producers write less than 100. */
#define CIE_INSTRUCTION_BYTES_MAX 256

/*
 * Reads the head at offset. On failure ret->end still says where the next entry is, or is 0 if the
 * length was what is wrong.
 */
int cfi_entry_read(const struct image_section *section, bool is_eh_frame, uint64_t offset,
		   struct cfi_entry *ret, struct error *error);

/* The same for the heads that nearly all entries have, 32 bits and inside the section: this is what
 * reading a section spends its time on. False: ask cfi_entry_read(). */
static inline bool cfi_entry_read_fast(const struct image_section *section, bool is_eh_frame,
				       uint64_t offset, struct cfi_entry *ret)
{
	const uint8_t *at = section->data + offset;
	uint32_t head[2]; /* little-endian, as the image is */
	if (offset > section->size || section->size - offset < sizeof(head))
		return false;
	memcpy(head, at, sizeof(head));
	if (head[0] < 4 || head[0] >= CFI_LENGTH_RESERVED || head[0] > section->size - offset - 4)
		return false;
	ret->offset = offset;
	ret->length = head[0];
	ret->end = offset + 4 + head[0];
	ret->body = at + sizeof(head);
	ret->is_64bit = false;
	ret->is_cie = head[1] == (is_eh_frame ? 0 : UINT32_MAX);
	ret->cie = is_eh_frame ? offset + 4 - (uint64_t)(int32_t)head[1] : head[1];
	return true;
}

/* The body of such an FDE, of a CIE with PCs as pcrel sdata4 and with augmentation data, of
 * which there are less than 128 bytes. False, or a range that wraps: ask cfi_fde_parse().
 * ret->cie is left as it is. */
static inline bool cfi_fde_parse_fast(const struct image_section *section,
				      const struct cfi_entry *entry, struct cfi_fde *ret)
{
	struct {
		int32_t begin;
		uint32_t range;
		uint8_t augmentation_bytes;
	} __attribute__((packed)) head; /* little-endian, as the image is */
	uint64_t vaddr = section->vaddr + (uint64_t)(entry->body - section->data);
	uint64_t bytes = (uint64_t)(section->data + entry->end - entry->body);
	if (bytes < sizeof(head))
		return false;
	memcpy(&head, entry->body, sizeof(head));
	bytes -= sizeof(head);
	if (head.augmentation_bytes >= 0x80 || head.augmentation_bytes > bytes)
		return false;
	ret->offset = (uint32_t)entry->offset;
	ret->length = (uint32_t)entry->length;
	ret->pc_begin = vaddr + (uint64_t)(int64_t)head.begin;
	ret->pc_range = head.range;
	ret->instructions = entry->body + sizeof(head) + head.augmentation_bytes;
	ret->instruction_bytes = (uint32_t)(bytes - head.augmentation_bytes);
	return true;
}

/* The CIE whose length field is at offset. */
int cfi_cie_read(const struct image *image, const struct image_section *section, bool is_eh_frame,
		 uint64_t offset, struct cfi_cie *ret, struct error *error);
/* The FDE whose length field is at offset. cie is the one that it points to (checked); ret->cie,
 * its index, is left 0. */
int cfi_fde_read(const struct image *image, const struct image_section *section, bool is_eh_frame,
		 uint64_t offset, const struct cfi_cie *cie, struct cfi_fde *ret,
		 struct error *error);

/* The same with the head read before. */
int cfi_cie_parse(const struct image *image, const struct image_section *section,
		  const struct cfi_entry *entry, struct cfi_cie *ret, struct error *error);
int cfi_fde_parse(const struct image *image, const struct image_section *section,
		  const struct cfi_entry *entry, const struct cfi_cie *cie, struct cfi_fde *ret,
		  struct error *error);

/* How many FDEs are cfi->section's; they come first. */
static inline size_t cfi_own_fdes(const struct cfi *cfi)
{
	return cfi->fde_count - cfi->other_fde_count - cfi->debug_fde_count;
}

/* There is one, readable or not. */
static inline bool has_debug_frame(const struct image *image)
{
	return image->debug_frame.data || image->debug_frame_error.code;
}

/* False for an FDE that covers nothing: it has no range, or it is what a linker leaves of a
 * function that it discarded, one at 0. (In an object file 0 is where a section begins.) */
static inline bool cfi_fde_covers(const struct image *image, const struct cfi_fde *fde)
{
	bool linked = image->type == ET_EXEC || image->type == ET_DYN;
	return fde->pc_range && (fde->pc_begin || !linked);
}

/* Which of count CIEs or FDEs of stride bytes, in the section's order, is the one at offset;
 * first is the first one's. -1: none. */
static inline ssize_t cfi_find_offset(const uint32_t *first, size_t stride, size_t count,
				      uint64_t offset)
{
	size_t low = 0;
	size_t high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t at = *(const uint32_t *)((const char *)first + middle * stride);
		if (at == offset)
			return (ssize_t)middle;
		if (at < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* ---- by PC (cfi_by_pc.c) ------------------------------------------------------------------ */

/* Makes by_pc, overlapping and reach, anew if they are there. */
int cfi_order(struct cfi *cfi, struct error *error);
/* Some address of the FDE, which covers code, is covered by one of cfi's. */
bool cfi_shares_code(const struct cfi *cfi, const struct cfi_fde *fde);

/*
 * An FDE that lies around others has its address again behind each of them, and its instructions
 * are then executed again: as often as others lie in it, which is quadratic. So there is a limit to
 * it, of all of a section together; compilers' FDEs don't overlap. What is beyond it counts as
 * malformed. Whoever goes along by_pc in order (table_create(), table_prove()) comes to the same
 * end.
 */
#define CFI_AGAIN_RATIO 16 /* times the bytes of the instructions of all FDEs */

struct cfi_again {
	uint64_t left; /* bytes */
};

static inline struct cfi_again cfi_again_begin(const struct cfi *cfi)
{
	return (struct cfi_again) { (1u << 20) + CFI_AGAIN_RATIO * image_cfi_bytes(cfi->image) };
}

/* True if it may be executed once more. */
static inline bool cfi_again_may(struct cfi_again *again, const struct cfi *cfi,
				 const struct cfi_fde *fde)
{
	uint64_t bytes = (uint64_t)fde->instruction_bytes + cfi->cie[fde->cie].instruction_bytes +
			 sizeof(*fde);
	if (bytes > again->left)
		return false;
	again->left -= bytes;
	return true;
}

/* ---- search_table.c ---------------------------------------------------------------------- */

/* Where CIEs and FDEs are known to begin: sorted offsets. */
struct cfi_starts {
	uint32_t *offset;
	size_t count;
};

/* All entries of the search table that lead to an FDE of that very PC in the section, an
 * .eh_frame, and their CIEs. A wrong table so claims nothing about the section. */
int eh_frame_hdr_starts(const struct eh_frame_hdr *hdr, const struct image_section *section,
			struct cfi_starts *ret, struct error *error);

/* CIEs read lately, by offset: for those who meet FDEs in an order of their own. Zero-initialise.
 * */
struct cfi_cie_cache {
	struct cfi_cie cie[64];
	bool used[64];
};
/* The CIE at offset, or NULL if it can't be read. Valid until the next call. */
const struct cfi_cie *cfi_cie_cached(struct cfi_cie_cache *cache, const struct image *image,
				     const struct image_section *section, bool is_eh_frame,
				     uint64_t offset);

#endif
