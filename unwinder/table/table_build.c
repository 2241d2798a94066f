/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_build.c - a section -> a table, the fast way
 *
 * One pass over the section: each FDE's instructions go through the memo (table_memo.h), and
 * entries come out. An FDE that begins before the last one's end begins a chunk; chunks are put in
 * order at the end (table_layout.c).
 *
 * This is for images as compilers write them: .eh_frame alone, 32-bit lengths, "z" augmentations,
 * pc-relative 4-byte pointers, no overlap. What an FDE has beyond that sends this FDE the plain way
 * (builder_fde); what the section has, or anything wrong with it, sends the whole image there
 * (table_create), which has the diagnostics. docs/PERFORMANCE.md has the figures.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/cfi_section.h"
#include "image/elf_image.h"
#include "image/pointer.h"
#include "table_memo.h"

#define FDE_BYTES 24 /* few are smaller */
/* Between FDEs that follow each other: padding. Behind a wider gap, or before the last FDE, a chunk
 * begins, because FDEs that come later may lie in between. */
#define CHUNK_GAP_MAX 15

struct fast_cie {
	uint64_t offset;
	uint32_t root; /* a node of the memo; 0: its FDEs go the plain way */
	struct cfi_cie cie;
};

struct fast_fde {
	uint64_t offset;
	uint32_t cie;
	struct memo_fde memo;
};

struct fast {
	const struct image *image;
	const struct image_section *section;
	struct table_builder builder;
	struct memo memo;
	struct fast_cie *cie;
	uint32_t cie_count;
	uint64_t cie_offset;  /* of the CIE met last: FDEs of one CIE follow each other */
	uint32_t last_cie;    /* its number */
	uint64_t offset;      /* of the entry to be read next */
	uint64_t fde_count;   /* read so far */
	uint64_t base, limit; /* of the segment */
};

/* ---- CIEs ------------------------------------------------------------------------------- */

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

static bool add_cie(struct fast *fast, uint64_t offset)
{
	struct fast_cie *cie;
	struct cfi_fde fde = { .pc_range = 1, .instructions = fast->section->data };
	struct cfi cfi = { .image = fast->image }; /* all that cfi_rows() asks for, but the CIE */
	struct error ignored;

	if (!ARRAY_GROW(fast->cie, fast->cie_count))
		return false;
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

/* Makes last_cie the one at offset. False: none was met there. */
static bool find_cie(struct fast *fast, uint64_t offset)
{
	uint32_t low = ARRAY_BEFORE(fast->cie_count, i, fast->cie[i].offset < offset);
	if (low == fast->cie_count || fast->cie[low].offset != offset)
		return false;
	fast->last_cie = low;
	fast->cie_offset = offset;
	return true;
}

/* ---- FDEs ------------------------------------------------------------------------------- */

/* Reads up to and including the next FDE that covers code. 1: done. 0: there is none. -1: this
 * section is not for here. */
static int next_fde(struct fast *fast, struct fast_fde *ret)
{
	const struct image_section *section = fast->section;
	uint32_t length;

	while (section->size - fast->offset >= sizeof(length)) {
		struct cfi_entry entry;
		struct cfi_fde fde;

		memcpy(&length, section->data + fast->offset, sizeof(length));
		if (!length) {
			fast->offset += sizeof(length);
			continue;
		}
		if (!cfi_entry_read_fast(section, true, fast->offset, &entry))
			return -1;
		fast->offset = entry.end;
		if (entry.is_cie) {
			if (!add_cie(fast, entry.offset))
				return -1;
			continue;
		}
		if (entry.cie > entry.offset || /* behind it, or before the section */
		    (fast->cie_offset != entry.cie && !find_cie(fast, entry.cie)) ||
		    !cfi_fde_parse_fast(section, &entry, &fde) || fde.pc_begin < fast->base ||
		    fde.pc_begin >= fast->limit || fde.pc_range > fast->limit - fde.pc_begin)
			return -1;
		fast->fde_count++;
		if (!fde.pc_range) /* covers nothing */
			continue;
		ret->offset = entry.offset;
		ret->cie = fast->last_cie;
		ret->memo.pc = fde.pc_begin;
		ret->memo.pc_end = fde.pc_begin + fde.pc_range;
		ret->memo.instructions = fde.instructions;
		ret->memo.end = section->data + entry.end;
		return 1;
	}
	return fast->offset == section->size ? 0 : -1;
}

static void plain_fde(struct fast *fast, const struct fast_fde *from)
{
	struct cfi_cie cie = fast->cie[from->cie].cie;
	struct cfi_fde fde;
	struct cfi cfi = { .image = fast->image, .cie = &cie };
	struct error ignored;

	builder_cut(&fast->builder);
	if (cfi_fde_read(fast->image, fast->section, true, from->offset, &cie, &fde, &ignored)) {
		fast->builder.table->lost_fdes++; /* its header was read before: never */
		return;
	}
	fde.cie = 0;
	builder_fde(&fast->builder, &cfi, &fde, from->memo.pc, from->memo.pc_end, true);
	if (from->memo.pc_end != from->memo.next_pc)
		builder_row(&fast->builder, from->memo.pc_end, TABLE_NO_ROW);
	builder_cut(&fast->builder);
}

static void run_fde(struct fast *fast, const struct fast_fde *fde)
{
	uint32_t root = fast->cie[fde->cie].root;

	fast->builder.table->fde_count++;
	/* The memo reads ahead. */
	if (root && fast->section->data + fast->section->size - fde->memo.end >= MEMO_AHEAD_BYTES) {
		struct builder_mark mark = builder_mark(&fast->builder);

		if (memo_run(&fast->memo, root, &fde->memo))
			return;
		builder_reset(&fast->builder, &mark);
	}
	plain_fde(fast, fde);
}

/* False: the search table knows of more FDEs, or of fewer. A length may be wrong and still lead
 * to an entry: cfi_create() then looks for those that it hides. */
static bool search_table_agrees(const struct fast *fast)
{
	struct eh_frame_hdr hdr;
	struct error ignored;

	return eh_frame_hdr_read(fast->image, &hdr, &ignored) || !hdr.count ||
	       hdr.count == fast->fde_count;
}

/* False: not here. */
static bool run(struct fast *fast)
{
	struct fast_fde two[2], *fde = &two[0], *next = &two[1], *swap;
	struct table_builder *builder = &fast->builder;
	int status = next_fde(fast, fde);
	bool jump = true;

	for (; status > 0 && !builder->out_of_memory; swap = fde, fde = next, next = swap) {
		if (jump)
			builder_jump(builder, fde->memo.pc);
		status = next_fde(fast, next);
		fde->memo.next_pc = status > 0 ? next->memo.pc : UINT64_MAX;
		run_fde(fast, fde);
		jump = fde->memo.next_pc - fde->memo.pc_end > CHUNK_GAP_MAX;
		if (jump && builder->chunk_count)
			builder->chunk[builder->chunk_count - 1].vaddr_end = fde->memo.pc_end;
	}
	return !status && !builder->out_of_memory && search_table_agrees(fast);
}

/* False: no memory. */
static bool reserve(struct fast *fast)
{
	struct table_builder *builder = &fast->builder;
	uint64_t entries = fast->section->size / FDE_BYTES + 1;
	uint32_t nodes = memo_nodes(fast->section->size);

	return scratch_expect(&builder->scratch,
			      entries * sizeof(*builder->entry) + nodes * MEMO_BYTES_A_NODE) &&
	       builder_reserve(builder, entries, nodes) && memo_init(&fast->memo, builder, nodes);
}

/* 0: done. 1: not this way. -1: failed. */
static int build(struct fast *fast, struct table **ret, struct error *error)
{
	const struct table *table;
	int status = 1;

	if (builder_init(&fast->builder, fast->image, error))
		return -1;
	table = fast->builder.table;
	if (table->segment_count != 1 || fast->section->size >= CFI_LENGTH_RESERVED)
		goto out;
	fast->base = table->segment[0].vaddr;
	fast->limit = fast->base + table->segment[0].bytes;
	if (!reserve(fast))
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
	else if (run(fast))
		status = builder_finish(&fast->builder, ret, error);
out:
	free(fast->cie);
	builder_abandon(&fast->builder);
	return status;
}

int table_build(const struct image *image, struct table **ret, struct error *error)
{
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	int status = 1;

	if (image->eh_frame.data && !has_debug_frame(image) && !has_other_eh_frame(image) &&
	    image->machine == EM_X86_64) {
		struct fast fast = { .image = image,
				     .section = &image->eh_frame,
				     .cie_offset = UINT64_MAX };

		status = build(&fast, ret, error);
	}
	if (status <= 0)
		return status;
	if (cfi_create(image, &cfi, error) && error->code != ERROR_NO_CFI)
		return -1;
	return table_create(image, cfi, ret, error);
}
