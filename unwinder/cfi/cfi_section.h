/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_section.h - entries of .eh_frame and .debug_frame, one at a time
 *
 * cfi_create_section() reads all entries of a section. The functions here read one entry, at any offset,
 * and keep nothing. cfi_create_section() uses them, and so does the check of the search table, which has
 * its own order of entries. An entry's head is its length and its CIE id or pointer. Not for programs that
 * use the library.
 */
#ifndef STACKPROOF_CFI_SECTION_H
#define STACKPROOF_CFI_SECTION_H

#include <elf.h>
#include <string.h>
#include "cfi.h"
#include "image/eh_frame_hdr.h"
#include "image/elf_image.h"
#include "expression.h"

#define CFI_LENGTH_RESERVED 0xfffffff0u /* 32-bit lengths are below this */

/* An entry's head. The entry takes offset .. end. */
struct cfi_entry {
	uint64_t offset;
	uint64_t length;     /* 0: a terminator of 4 bytes, nothing else is valid */
	uint64_t end;	     /* where the next entry begins; 0 if the length is bad */
	uint64_t cie;	     /* of an FDE: its CIE's offset, which may be outside of the section */
	const uint8_t *body; /* behind the CIE id or pointer */
	bool is_cie;
	bool is_64bit;
};

/* A CIE with more bytes of instructions is refused. Each of its FDEs executes them again, so a large CIE would
 * make the time for a section quadratic. Known producers write less than 100. */
#define CIE_INSTRUCTION_BYTES_MAX 256

/*
 * Reads the head at offset. On failure ret->end is still the offset of the next entry, or 0 if the length is
 * malformed.
 */
int cfi_entry_read(const struct image_section *section, bool is_eh_frame, uint64_t offset,
		   struct cfi_entry *ret, struct error *error);

/* The same, faster, for nearly all entries: those with a 32-bit length that lie inside the section. False: the
 * caller is to use cfi_entry_read(). */
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

/* Parses the body of such an FDE, if its CIE encodes PCs as pcrel sdata4 and the FDE has less than 128 bytes of
 * augmentation data. ret->cie is left as it is. False, or the PC range wraps: the caller is to use
 * cfi_fde_parse(). */
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

/* Reads the CIE whose length field is at offset. */
int cfi_cie_read(const struct image *image, const struct image_section *section, bool is_eh_frame,
		 uint64_t offset, struct cfi_cie *ret, struct error *error);
/* Reads the FDE whose length field is at offset. -1 also if it does not point to cie. ret->cie, an index, is set
 * to 0. */
int cfi_fde_read(const struct image *image, const struct image_section *section, bool is_eh_frame,
		 uint64_t offset, const struct cfi_cie *cie, struct cfi_fde *ret,
		 struct error *error);

/* The same for an entry whose head has been read. */
int cfi_cie_parse(const struct image *image, const struct image_section *section,
		  const struct cfi_entry *entry, struct cfi_cie *ret, struct error *error);
int cfi_fde_parse(const struct image *image, const struct image_section *section,
		  const struct cfi_entry *entry, const struct cfi_cie *cie, struct cfi_fde *ret,
		  struct error *error);

/* How many FDEs are of cfi->section; they come first. */
static inline size_t cfi_own_fdes(const struct cfi *cfi)
{
	return cfi->fde_count - cfi->other_fde_count - cfi->debug_fde_count;
}

/* Whether the image has a .debug_frame, readable or not. */
static inline bool has_debug_frame(const struct image *image)
{
	return image->debug_frame.data || image->debug_frame_error.code;
}

/* False for an FDE that covers no code: its range is empty, or it is at address 0 in a linked file, where linkers
 * leave the FDEs of discarded functions. (In an object file sections begin at 0.) */
static inline bool cfi_fde_covers(const struct image *image, const struct cfi_fde *fde)
{
	bool linked = image->type == ET_EXEC || image->type == ET_DYN;
	return fde->pc_range && (fde->pc_begin || !linked);
}

/* The index of the CIE or FDE at offset, or -1, in an array of count structures of stride bytes in the section's
 * order. first: the member offset of the first structure. */
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

/* Sets by_pc, overlapping and reach, or replaces them. */
int cfi_order(struct cfi *cfi, struct error *error);
/* Whether an FDE of cfi covers an address of fde, which must cover code itself. */
bool cfi_shares_code(const struct cfi *cfi, const struct cfi_fde *fde);

/*
 * A limit for overlapping FDEs. If others lie inside an FDE, its rows go on behind each of them, and its
 * instructions are executed again for each: quadratic time. So all FDEs of an image together may execute
 * only so many bytes again. An FDE beyond that counts as malformed. FDEs of compilers don't overlap. All code
 * that visits by_pc in order (table_create(), table_prove()) meets the limit at the same FDE.
 */
#define CFI_AGAIN_RATIO 16 /* times the bytes of the instructions of all FDEs */

struct cfi_again {
	uint64_t left; /* bytes */
};

static inline struct cfi_again cfi_again_begin(const struct cfi *cfi)
{
	return (struct cfi_again) { (1u << 20) + CFI_AGAIN_RATIO * image_cfi_bytes(cfi->image) };
}

/* Whether the FDE may be executed once more; if so, deducts its bytes. */
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

/* Offsets at which CIEs and FDEs begin, sorted. The caller's to free(). */
struct cfi_starts {
	uint32_t *offset;
	size_t count;
};

/* The offsets of the FDEs to which the search table leads, and of their CIEs, in section, an .eh_frame. A table
 * entry counts only if its FDE has the same PC, so a wrong table claims nothing. */
int eh_frame_hdr_starts(const struct eh_frame_hdr *hdr, const struct image_section *section,
			struct cfi_starts *ret, struct error *error);

/* CIEs that were read lately, by offset, for readers with their own order of FDEs. Zero-initialise. */
struct cfi_cie_cache {
	struct cfi_cie cie[64];
	bool used[64];
};
/* The CIE at offset, or NULL if it can't be read. Valid until the next call. */
const struct cfi_cie *cfi_cie_cached(struct cfi_cie_cache *cache, const struct image *image,
				     const struct image_section *section, bool is_eh_frame,
				     uint64_t offset);

#endif
