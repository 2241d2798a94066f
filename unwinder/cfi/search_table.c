/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * search_table.c - is .eh_frame_hdr true, and what does it know of a damaged .eh_frame?
 *
 * The search table repeats what .eh_frame says, so that either can be held against the other. Here it
 * serves twice: to check it (an FDE that isn't in it doesn't exist for the C++ runtime), and to find
 * entries again behind one whose length is corrupt.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cfi_section.h"

/* ---- where entries begin ----------------------------------------------------------------- */

static int compare_offsets(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

#define NO_CIE UINT64_MAX

/* With the encoding that nearly all have, pcrel sdata4, the PC stands behind length and CIE pointer
 * whatever these say. */
static bool has_plain_pc(const struct image_section *section, uint64_t offset, uint64_t pc)
{
	int32_t relative;
	if (section->size - offset < 12)
		return false;
	memcpy(&relative, section->data + offset + 8, sizeof(relative));
	return section->vaddr + offset + 8 + (uint64_t)(int64_t)relative == pc;
}

/* An FDE at offset begins at pc; it may still be broken, even its length. Its CIE's offset, if that
 * can be read. */
static bool confirm(struct cfi_cie_cache *cache, const struct image *image,
		    const struct image_section *section, uint64_t pc, uint64_t offset,
		    uint64_t *ret_cie)
{
	struct cfi_entry entry;
	struct cfi_fde fde;
	struct error ignored;
	*ret_cie = NO_CIE;
	if (offset >= section->size)
		return false;
	bool plain = has_plain_pc(section, offset, pc);
	if (cfi_entry_read(section, true, offset, &entry, &ignored) || !entry.length ||
	    entry.is_cie || entry.cie >= section->size)
		return plain;
	const struct cfi_cie *cie = cfi_cie_cached(cache, image, section, true, entry.cie);
	if (!cie)
		return plain;
	*ret_cie = entry.cie;
	return plain ||
	       (!cfi_fde_parse(image, section, &entry, cie, &fde, &ignored) && fde.pc_begin == pc);
}

int eh_frame_hdr_starts(const struct eh_frame_hdr *hdr, const struct image_section *section,
			struct cfi_starts *ret, struct error *error)
{
	struct cfi_cie_cache cache = { .used = { false } };
	uint64_t last_cie = NO_CIE;
	/* No more than there can be: an FDE has 8 bytes at least. */
	size_t capacity = section->size / 8;
	capacity = 2 * (hdr->count < capacity ? hdr->count : capacity);
	*ret = (struct cfi_starts) { .offset = malloc((capacity + 1) * sizeof(*ret->offset)) };
	if (!ret->offset)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for the search table");
	for (uint64_t i = 0; i < hdr->count && ret->count + 2 <= capacity; i++) {
		uint64_t pc, vaddr, cie;
		struct error ignored;
		if (eh_frame_hdr_entry(hdr, i, &pc, &vaddr, &ignored))
			continue;
		uint64_t fde = vaddr - section->vaddr;
		if (!confirm(&cache, hdr->image, section, pc, fde, &cie))
			continue;
		ret->offset[ret->count++] = (uint32_t)fde;
		if (cie != NO_CIE && cie != last_cie)
			ret->offset[ret->count++] = (uint32_t)cie;
		last_cie = cie;
	}
	qsort(ret->offset, ret->count, sizeof(*ret->offset), compare_offsets);
	return 0;
}

/* ---- the check --------------------------------------------------------------------------- */

/* The FDEs of one section: side by side in cfi->fde, by offset. */
struct section_fdes {
	const struct image_section *section;
	size_t first, end;
};

struct check {
	const struct cfi *cfi;
	const struct eh_frame_hdr *hdr;
	uint8_t *listed; /* one bit for each FDE */
	struct error_list *ret;
	size_t section_count;
	struct section_fdes of_section[1 + EH_FRAMES_MAX];
};

/* One difference, at an entry of the table. */
static void differ(const struct check *check, uint64_t index, const char *what, uint64_t address)
{
	struct error error;
	error_set(&error, ERROR_SEARCH_TABLE, ".eh_frame_hdr",
		  check->hdr->table_offset + index * check->hdr->entry_bytes,
		  "entry %" PRIu64 " %s 0x%" PRIx64, index, what, address);
	error_list_add(check->ret, &error);
}

static void find_sections(struct check *check)
{
	const struct cfi *cfi = check->cfi;
	size_t end = cfi->fde_count - cfi->debug_fde_count;
	struct section_fdes *last = NULL;

	for (size_t i = 0; i < end; i++) {
		const struct image_section *section = cfi->cie[cfi->fde[i].cie].section;

		if (!last || last->section != section) {
			last = &check->of_section[check->section_count++];
			*last = (struct section_fdes) { section, i, i };
		}
		last->end = i + 1;
	}
}

/* -1: no FDE begins there. */
static ssize_t find_fde(const struct check *check, uint64_t vaddr)
{
	for (size_t i = 0; i < check->section_count; i++) {
		const struct section_fdes *in = &check->of_section[i];
		uint64_t offset = vaddr - in->section->vaddr;
		const struct cfi_fde *fde = check->cfi->fde + in->first;
		ssize_t found;

		if (offset >= in->section->size)
			continue;
		found = cfi_find_offset(&fde->offset, sizeof(*fde), in->end - in->first, offset);
		if (found >= 0)
			return (ssize_t)in->first + found;
	}
	return -1;
}

static void check_entries(const struct check *check)
{
	const struct cfi *cfi = check->cfi;
	uint64_t last_pc = 0;
	for (uint64_t i = 0; i < check->hdr->count; i++) {
		uint64_t pc, vaddr;
		struct error error;
		if (eh_frame_hdr_entry(check->hdr, i, &pc, &vaddr, &error)) {
			error_list_add(check->ret, &error);
			continue;
		}
		if (i && pc < last_pc)
			differ(check, i, "is not in order: its PC is", pc);
		last_pc = pc;
		ssize_t found = find_fde(check, vaddr);
		if (found < 0)
			differ(check, i, "leads to no FDE: there is none at", vaddr);
		else if (cfi->fde[found].pc_begin != pc)
			differ(check, i, "has another PC than its FDE, which begins at",
			       cfi->fde[found].pc_begin);
		else if (check->listed[found / 8] & 1 << found % 8)
			differ(check, i, "is the second one of the FDE at", vaddr);
		if (found >= 0)
			check->listed[found / 8] |= (uint8_t)(1 << found % 8);
	}
}

/* An FDE that covers nothing is never looked for. */
static void check_fdes(const struct check *check)
{
	const struct cfi *cfi = check->cfi;
	for (size_t i = 0; i < cfi->fde_count - cfi->debug_fde_count; i++) {
		struct error error;
		if (check->listed[i / 8] & 1 << i % 8 || !cfi_fde_covers(cfi->image, &cfi->fde[i]))
			continue;
		error_set(&error, ERROR_SEARCH_TABLE, cfi->cie[cfi->fde[i].cie].section->name,
			  cfi->fde[i].offset, "the FDE of 0x%" PRIx64 " is not in the search table",
			  cfi->fde[i].pc_begin);
		error_list_add(check->ret, &error);
	}
}

void eh_frame_hdr_check(const struct cfi *cfi, struct error_list *ret)
{
	struct eh_frame_hdr hdr;
	struct error error;
	/* Another .eh_frame by itself is not what the table is about. */
	if (!cfi->is_eh_frame || cfi->section != &cfi->image->eh_frame || !cfi->section->data ||
	    !cfi->image->eh_frame_hdr.data)
		return;
	if (eh_frame_hdr_read(cfi->image, &hdr, &error)) {
		error_list_add(ret, &error);
		return;
	}
	if (hdr.eh_frame_vaddr != cfi->section->vaddr) {
		error_set(&error, ERROR_SEARCH_TABLE, ".eh_frame_hdr", 4,
			  "the header says that .eh_frame is at 0x%" PRIx64 ", not at 0x%" PRIx64,
			  hdr.eh_frame_vaddr, cfi->section->vaddr);
		error_list_add(ret, &error);
	}
	if (!hdr.table_offset) /* without a table there is nothing to be found in it */
		return;
	struct check check = {
		.cfi = cfi, .hdr = &hdr, .listed = calloc(cfi->fde_count / 8 + 1, 1), .ret = ret
	};
	if (!check.listed) {
		error_set(&error, ERROR_MEMORY, NULL, 0, "no memory to check .eh_frame_hdr");
		error_list_add(ret, &error);
		return;
	}
	find_sections(&check);
	check_entries(&check);
	check_fdes(&check);
	free(check.listed);
}
