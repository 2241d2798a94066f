/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_build.c - a section -> a table, the fast way
 *
 * Three passes over the section, no memory but 8 bytes for each FDE:
 *
 *	scan	lengths, CIE pointers, each FDE's start
 *	sort	by start, if they are not in order
 *	run	each FDE's instructions through the memo (table_memo.h), entries out
 *
 * This is for sections as compilers write them: .eh_frame, 32-bit lengths, "z" augmentations,
 * pc-relative 4-byte pointers, no overlap. What an FDE has beyond that sends this FDE the plain way
 * (builder_fde); what the section has, or anything wrong with it, sends the whole image there
 * (table_create), which has the diagnostics. docs/PERFORMANCE.md has the figures.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "cfi_section.h"
#include "pointer.h"
#include "table_memo.h"

#define LENGTH_RESERVED 0xfffffff0u
#define FDE_HEADER	17 /* length, CIE pointer, start, range, length of the augmentation data */

struct fast_cie {
	uint32_t offset;
	uint32_t root; /* a node of the memo; 0: its FDEs go the plain way */
	struct cfi_cie cie;
};

struct fast_key {
	uint32_t pc; /* from the lowest address of a segment */
	uint32_t offset;
};

struct fast {
	const struct image *image;
	const struct image_section *section;
	struct table_builder builder;
	struct memo memo;
	struct fast_cie *cie;
	uint32_t cie_count, cie_capacity;
	struct fast_key *key, *spare;
	uint32_t count, capacity;
	uint64_t base, limit; /* of all segments */
	bool sorted;
};

static uint32_t read_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* ---- scan ------------------------------------------------------------------------------- */

/* The rule after the CIE's instructions, as the first row of an FDE without any would have it. */
static int on_initial_row(void *context, const struct row *row)
{
	struct fast *fast = context;
	struct table_rule_full rule;
	uint32_t number;

	if (table_rule_from_row(row, &rule) || rule.rule.flags & TABLE_RULE_EXTENDED ||
	    rule.rule.cfa_kind != TABLE_CFA_REGISTER || rule.rule.cfa_scale)
		return 1;
	number = builder_short_rule(&fast->builder, &rule.rule);
	if (number >= TABLE_MARKER_COUNT)
		fast->cie[fast->cie_count].root = memo_root(&fast->memo, number, 0, number);
	return 1;
}

static bool add_cie(struct fast *fast, uint32_t offset)
{
	struct fast_cie *cie;
	struct cfi_fde fde = { .pc_range = 1 };
	struct cfi cfi = { .image = fast->image,
			   .section = fast->section,
			   .is_eh_frame = true,
			   .cie_count = 1,
			   .fde = &fde,
			   .fde_count = 1 };
	struct error ignored;

	if (fast->cie_count == fast->cie_capacity) {
		uint32_t capacity = fast->cie_capacity ? fast->cie_capacity * 2 : 16;
		struct fast_cie *grown = realloc(fast->cie, capacity * sizeof(*grown));

		if (!grown)
			return false;
		fast->cie = grown;
		fast->cie_capacity = capacity;
	}
	cie = &fast->cie[fast->cie_count];
	*cie = (struct fast_cie) { .offset = offset };
	cfi.cie = &cie->cie;
	if (cfi_cie_read(fast->image, fast->section, true, offset, &cie->cie, &ignored) ||
	    cie->cie.fde_encoding != (POINTER_PCREL | POINTER_SDATA4) ||
	    !cie->cie.has_augmentation_data)
		return false;
	if (cie->cie.code_alignment == 1 && cie->cie.data_alignment == -8 &&
	    cie->cie.return_register == REGISTER_RIP)
		cfi_rows(&cfi, &fde, on_initial_row, fast, &ignored);
	fast->cie_count++;
	return true;
}

/* FDEs of one CIE follow each other: the last one is tried first. NULL: none begins there. */
static const struct fast_cie *find_cie(const struct fast *fast, uint32_t offset,
				       const struct fast_cie *last)
{
	uint32_t low = 0, high = fast->cie_count;

	if (last && last->offset == offset)
		return last;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (fast->cie[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < fast->cie_count && fast->cie[low].offset == offset ? &fast->cie[low] : NULL;
}

static bool add_fde(struct fast *fast, uint32_t offset, uint32_t length)
{
	const uint8_t *at = fast->section->data + offset;
	uint64_t pc = fast->section->vaddr + offset + 8 + (uint64_t)(int32_t)read_u32(at + 8);
	uint32_t augmentation = at[FDE_HEADER - 1];

	if (augmentation >= 0x80 || FDE_HEADER + augmentation > 4 + (uint64_t)length ||
	    pc < fast->base || pc >= fast->limit)
		return false;
	if (!read_u32(at + 12)) /* covers nothing */
		return true;
	pc -= fast->base;
	fast->sorted &= !fast->count || fast->key[fast->count - 1].pc <= pc;
	fast->key[fast->count++] = (struct fast_key) { pc, offset };
	return true;
}

static bool scan(struct fast *fast)
{
	const uint8_t *data = fast->section->data;
	uint64_t size = fast->section->size, offset = 0;
	const struct fast_cie *last = NULL;

	while (size - offset >= 4) {
		uint32_t length = read_u32(data + offset), id;

		if (!length) {
			offset += 4;
			continue;
		}
		if (length >= LENGTH_RESERVED || length > size - offset - 4 || length < 4)
			return false;
		id = read_u32(data + offset + 4);
		if (!id) {
			if (!add_cie(fast, offset))
				return false;
			last = NULL; /* they may have moved */
		} else {
			last = find_cie(fast, offset + 4 - id, last);
			if (!last || length < FDE_HEADER - 4 || !add_fde(fast, offset, length))
				return false;
		}
		offset += 4 + (uint64_t)length;
	}
	return offset == size;
}

/* ---- sort ------------------------------------------------------------------------------- */

#define SORT_BITS 11
#define SORT_SIZE (1u << SORT_BITS)

/* Stable, from the lowest bits; bits that all keys share cost nothing more than being counted. */
static void sort(struct fast *fast)
{
	uint32_t start[3][SORT_SIZE] = { 0 };

	for (uint32_t i = 0; i < fast->count; i++)
		for (unsigned int pass = 0; pass < 3; pass++)
			start[pass][fast->key[i].pc >> pass * SORT_BITS & (SORT_SIZE - 1)]++;
	for (unsigned int pass = 0; pass < 3; pass++) {
		struct fast_key *from = fast->key;
		uint32_t sum = 0;

		if (start[pass][from[0].pc >> pass * SORT_BITS & (SORT_SIZE - 1)] == fast->count)
			continue;
		for (uint32_t i = 0; i < SORT_SIZE; i++) {
			uint32_t here = start[pass][i];

			start[pass][i] = sum;
			sum += here;
		}
		for (uint32_t i = 0; i < fast->count; i++)
			fast->spare[start[pass][from[i].pc >> pass * SORT_BITS &
						(SORT_SIZE - 1)]++] = from[i];
		fast->key = fast->spare;
		fast->spare = from;
	}
}

/* ---- run -------------------------------------------------------------------------------- */

static void plain_fde(struct fast *fast, const struct fast_cie *cie, uint32_t offset,
		      const struct memo_fde *from)
{
	struct cfi_cie copy = cie->cie;
	struct cfi_fde fde;
	struct cfi cfi = { .image = fast->image,
			   .section = fast->section,
			   .is_eh_frame = true,
			   .cie = &copy,
			   .cie_count = 1,
			   .fde = &fde,
			   .fde_count = 1 };
	struct error ignored;

	builder_cut(&fast->builder);
	if (cfi_fde_read(fast->image, fast->section, true, offset, &copy, &fde, &ignored)) {
		fast->builder.table->lost_fdes++; /* its header was read before: never */
		return;
	}
	fde.cie = 0;
	builder_fde(&fast->builder, &cfi, &fde, from->pc, from->pc_end, true);
	if (from->pc_end < from->next_pc)
		builder_row(&fast->builder, from->pc_end, TABLE_NO_ROW);
	builder_cut(&fast->builder);
}

static bool run(struct fast *fast)
{
	const uint8_t *data = fast->section->data;
	const uint8_t *safe = data + fast->section->size; /* an edge may be read before this */
	const struct fast_cie *last = NULL;

	safe = fast->section->size < MEMO_EDGE_BYTES ? data : safe - MEMO_EDGE_BYTES;
	for (uint32_t i = 0; i < fast->count; i++) {
		uint32_t offset = fast->key[i].offset;
		const uint8_t *at = data + offset;
		struct memo_fde fde = { .pc = fast->base + fast->key[i].pc };
		struct builder_mark mark;

		fde.pc_end = fde.pc + read_u32(at + 12);
		fde.next_pc = i + 1 < fast->count ? fast->base + fast->key[i + 1].pc : UINT64_MAX;
		if (fde.next_pc < fde.pc_end || fde.pc_end > fast->limit)
			return false; /* they overlap, or leave the segment */
		last = find_cie(fast, offset + 4 - read_u32(at + 4), last);
		fde.instructions = at + FDE_HEADER + at[FDE_HEADER - 1];
		fde.end = at + 4 + read_u32(at);
		fast->builder.table->fde_count++;
		if (!last->root || fde.end > safe) {
			plain_fde(fast, last, offset, &fde);
			continue;
		}
		mark = builder_mark(&fast->builder);
		if (!memo_run(&fast->memo, last->root, &fde)) {
			builder_reset(&fast->builder, &mark);
			plain_fde(fast, last, offset, &fde);
		}
	}
	return !fast->builder.out_of_memory;
}

/* ---- all of it -------------------------------------------------------------------------- */

/* 0: done. 1: not this way. -1: failed. */
static int build(struct fast *fast, struct table **ret, struct error *error)
{
	const struct table *table;
	int status = 1;

	if (builder_init(&fast->builder, fast->image, error))
		return -1;
	table = fast->builder.table;
	if (table->segment_count != 1)
		goto out;
	fast->base = table->segment[0].vaddr;
	fast->limit = fast->base + (uint64_t)table->segment[0].page_count * TABLE_PAGE_SIZE;
	if (fast->limit - fast->base > UINT32_MAX || fast->section->size >= LENGTH_RESERVED)
		goto out;
	/* No FDE is shorter than its header: there is room for all of them. */
	fast->capacity = fast->section->size / FDE_HEADER + 1;
	fast->key = malloc(2 * (size_t)fast->capacity * sizeof(*fast->key));
	if (!fast->key || !memo_init(&fast->memo, &fast->builder)) {
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for FDEs");
		goto out;
	}
	fast->spare = fast->key + fast->capacity;
	fast->sorted = true;
	if (!scan(fast))
		goto out;
	if (!fast->sorted)
		sort(fast);
	if (run(fast))
		status = builder_finish(&fast->builder, ret, error);
out:
	memo_deinit(&fast->memo);
	free(fast->cie);
	free(fast->key < fast->spare ? fast->key : fast->spare);
	if (status)
		builder_abandon(&fast->builder);
	return status;
}

int table_build(const struct image *image, struct table **ret, struct error *error)
{
	struct cfi *cfi = NULL;
	int status = 1;

	if (image->eh_frame.data && image->machine == EM_X86_64) {
		struct fast fast = { .image = image, .section = &image->eh_frame };

		status = build(&fast, ret, error);
	}
	if (status <= 0)
		return status;
	if (cfi_create(image, &cfi, error) && error->code != ERROR_NO_CFI)
		return -1;
	status = table_create(image, cfi, ret, error);
	cfi_destroy(cfi);
	return status;
}
