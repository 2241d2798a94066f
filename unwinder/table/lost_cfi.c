/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lost_cfi.c - which code an error in CFI is about, and which FDEs no table has
 *
 * An FDE that was read says its addresses itself. One that was lost may still say them, if its CIE
 * can be read; if not, the search table of .eh_frame_hdr has the first one. An error's offset is
 * anywhere in the entry, so that entries are sought by where they begin: the last beginning at or
 * before it.
 */
#include <elf.h>
#include <stdlib.h>
#include "cfi/cfi_section.h"
#include "lost_cfi.h"
#include "table_builder.h"
#include "array.h"

/* What the search table says of an FDE. */
struct listed {
	uint32_t offset;
	uint64_t pc;
};

struct cfi_addresses {
	const struct cfi *cfi;
	struct listed *listed; /* by offset */
	size_t listed_count;
};

ARRAY_ORDER(by_offset, struct listed, offset)

int cfi_addresses_create(const struct cfi *cfi, struct cfi_addresses **ret, struct error *error)
{
	struct cfi_addresses *addresses = calloc(1, sizeof(*addresses));
	uint64_t capacity = image_cfi_bytes(cfi->image) /
			    8; /* an FDE has that many bytes at least */
	struct eh_frame_hdr hdr;
	struct error ignored;

	*ret = addresses;
	if (!addresses)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for addresses");
	addresses->cfi = cfi;
	/* Nobody asks where nothing is wrong. */
	if (!cfi->diagnostics.count || !cfi->is_eh_frame ||
	    eh_frame_hdr_read(cfi->image, &hdr, &ignored))
		return 0;
	capacity = hdr.count < capacity ? hdr.count : capacity;
	addresses->listed = calloc(capacity + 1, sizeof(*addresses->listed));
	if (!addresses->listed) {
		cfi_addresses_destroy(addresses);
		*ret = NULL;
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for addresses");
	}
	for (uint64_t i = 0; i < capacity; i++) {
		uint64_t pc, vaddr;

		if (eh_frame_hdr_entry(&hdr, i, &pc, &vaddr, &ignored) ||
		    vaddr - cfi->image->eh_frame.vaddr >= cfi->image->eh_frame.size)
			continue;
		addresses->listed[addresses->listed_count++] =
			(struct listed) { (uint32_t)(vaddr - cfi->image->eh_frame.vaddr), pc };
	}
	qsort(addresses->listed, addresses->listed_count, sizeof(*addresses->listed), by_offset);
	return 0;
}

void cfi_addresses_destroy(struct cfi_addresses *addresses)
{
	if (!addresses)
		return;
	free(addresses->listed);
	free(addresses);
}

/* Which of count elements of stride bytes is the last at or before offset; first is the first
 * one's, and they ascend. -1: none. */
static ssize_t last_before(const uint32_t *first, size_t stride, size_t count, uint64_t offset)
{
	size_t low = ARRAY_BEFORE(count, i,
				  *(const uint32_t *)((const char *)first + i * stride) <= offset);
	return (ssize_t)low - 1;
}

static bool is_eh_frame(const struct cfi *cfi, const struct image_section *section)
{
	return section != &cfi->image->debug_frame;
}

/* What the entry at start says of itself. False: nothing. */
static bool read_itself(const struct cfi *cfi, const struct image_section *section, uint64_t start,
			struct cfi_fde *ret, uint64_t *ret_end)
{
	bool eh_frame = is_eh_frame(cfi, section);
	struct cfi_entry entry;
	struct cfi_cie cie;
	struct error ignored;

	*ret_end = 0;
	if (cfi_entry_read(section, eh_frame, start, &entry, &ignored)) {
		*ret_end = entry.end;
		return false;
	}
	*ret_end = entry.end;
	if (!entry.length || entry.is_cie || entry.cie >= section->size ||
	    cfi_cie_read(cfi->image, section, eh_frame, entry.cie, &cie, &ignored))
		return false;
	return !cfi_fde_parse(cfi->image, section, &entry, &cie, ret, &ignored) || ret->pc_begin;
}

#define HEAD_BYTES_MAX UINT64_C(12) /* 64-bit DWARF's: what a length does not count */

/* Is the offset in the FDE, which is the section's? Its length alone does not say where it ends. */
static bool holds(const struct cfi *cfi, const struct image_section *section,
		  const struct cfi_fde *fde, uint64_t offset)
{
	struct cfi_entry entry;
	struct error ignored;

	return fde->offset <= offset && offset - fde->offset < fde->length + HEAD_BYTES_MAX &&
	       !cfi_entry_read(section, is_eh_frame(cfi, section), fde->offset, &entry, &ignored) &&
	       offset < entry.end;
}

/* One that was read, of the section. NULL: none holds the offset. What other sections added is gone
 * through: .debug_frame's are in order of PC. */
static const struct cfi_fde *find_read(const struct cfi *cfi, const struct image_section *section,
				       uint64_t offset)
{
	size_t own = cfi_own_fdes(cfi);

	if (section == cfi->section) {
		ssize_t i = last_before(&cfi->fde->offset, sizeof(*cfi->fde), own, offset);
		return i >= 0 && holds(cfi, section, &cfi->fde[i], offset) ? &cfi->fde[i] : NULL;
	}
	for (size_t i = own; i < cfi->fde_count; i++)
		if (cfi->cie[cfi->fde[i].cie].section == section &&
		    holds(cfi, section, &cfi->fde[i], offset))
			return &cfi->fde[i];
	return NULL;
}

bool cfi_addresses_find(const struct cfi_addresses *addresses, const struct error *error,
			uint64_t *ret_pc, uint64_t *ret_pc_end)
{
	const struct cfi *cfi = addresses->cfi;
	const struct image_section *section = image_cfi_section(cfi->image, error->section);
	const struct listed *listed;
	const struct cfi_fde *read;
	struct cfi_fde fde = { 0 };
	uint64_t end;

	if (!section || !section->data || error->offset >= section->size)
		return false;
	if (read_itself(cfi, section, error->offset, &fde, &end)) {
		*ret_pc = fde.pc_begin;
		*ret_pc_end = fde.pc_begin + fde.pc_range;
		if (*ret_pc_end < *ret_pc) /* that may be the error */
			*ret_pc_end = *ret_pc;
		return true;
	}
	read = find_read(cfi, section, error->offset);
	if (read) {
		*ret_pc = read->pc_begin;
		*ret_pc_end = read->pc_begin + read->pc_range;
		return true;
	}
	ssize_t at = section == &cfi->image->eh_frame && addresses->listed
			     ? last_before(&addresses->listed->offset, sizeof(*listed),
					   addresses->listed_count, error->offset)
			     : -1;
	if (at < 0)
		return false;
	listed = &addresses->listed[at];
	if (listed->offset != error->offset) {
		bool whole = read_itself(cfi, section, listed->offset, &fde, &end);

		if (error->offset >= end)
			return false;
		*ret_pc_end = whole ? fde.pc_range : 0;
	}
	*ret_pc = listed->pc;
	*ret_pc_end = listed->offset != error->offset && listed->pc + *ret_pc_end > listed->pc
			      ? listed->pc + *ret_pc_end
			      : listed->pc;
	return true;
}

int cfi_outside(const struct cfi *cfi, cfi_outside_fn fn, void *context, uint64_t *ret_count,
		struct error *error)
{
	struct table segments = { 0 };
	int result = 0;

	*ret_count = 0;
	if (cfi->image->type == ET_REL)
		return 0;
	if (table_make_segments(&segments, cfi->image, error))
		result = -1;
	for (size_t i = 0; i < cfi->by_pc_count && !result; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		if (!table_is_outside(&segments, fde))
			continue;
		++*ret_count;
		if (fn)
			result = fn(context, fde);
	}
	free(segments.segment);
	return result;
}
