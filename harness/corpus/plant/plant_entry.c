/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_entry.c - the kinds of a whole FDE or CIE
 *
 * What a linker, an assembler directive at the wrong place or a hand-written section gets wrong:
 * which code an entry is for, and what holds for all functions of a CIE. Edited where it lies in
 * the file
 * (DWARF 5, 6.4.1; LSB 5, 10.6.1), with the search table kept true (plant_search.c), because a
 * fault that only a search sees would not be the one planted. Only the layout that GCC, clang and
 * their linkers write is edited: 32-bit DWARF, PCs as pcrel sdata4, alignments of one byte.
 */
#include <string.h>
#include "plant.h"
#include "cfi/cfi_section.h"

#define PCREL_SDATA4 0x1b

static uint8_t *entry_bytes(const struct plant_site *site, uint32_t offset)
{
	return plant_site_bytes(site, site->source->cfi->section->data + offset);
}

/* The FDE's head, behind which its PC and its range are, 4 bytes each. */
static int read_plain(const struct plant_site *site, const struct cfi_fde *fde,
		      struct cfi_entry *ret, struct error *error)
{
	const struct cfi *cfi = site->source->cfi;

	if (cfi_entry_read(cfi->section, true, fde->offset, ret, error))
		return -1;
	return cfi->cie[fde->cie].fde_encoding == PCREL_SDATA4 && !ret->is_64bit
		       ? 0
		       : plant_refuse(error,
				      "the FDE is not of 32-bit DWARF with a PC as pcrel sdata4");
}

/* Gives an FDE another range, in .eh_frame and in the search table. Which ones can be changed is asked
 * here. */
static int set_range(struct plant_site *site, const struct cfi_fde *fde, uint64_t pc,
		     uint64_t range, struct error *error)
{
	const struct image_section *section = site->source->cfi->section;
	uint32_t size = (uint32_t)range;
	struct cfi_entry head;

	if (read_plain(site, fde, &head, error))
		return -1;

	uint8_t *bytes = plant_site_bytes(site, head.body);
	int32_t relative = (int32_t)(pc - (section->vaddr + (head.body - section->data)));

	memcpy(bytes, &relative, sizeof(relative));
	memcpy(bytes + sizeof(relative), &size, sizeof(size));
	return pc == fde->pc_begin ? 0 : plant_search_move(site, fde->offset, pc, error);
}

/* The FDE that begins next before or behind the site's; NULL: none. */
static const struct cfi_fde *neighbour(const struct plant_site *site, bool behind)
{
	const struct cfi *cfi = site->source->cfi;
	const struct cfi_fde *found = NULL;

	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		if (fde->pc_begin == site->fde->pc_begin ||
		    (fde->pc_begin > site->fde->pc_begin) != behind)
			continue;
		if (!found ||
		    (behind ? fde->pc_begin < found->pc_begin : fde->pc_begin > found->pc_begin))
			found = fde;
	}
	return found;
}

/* ---- FDEs ------------------------------------------------------------------------------- */

static bool ends_where(const struct plant_site *site, uint32_t offset, uint32_t end,
		       struct cfi_entry *ret)
{
	struct error ignored;

	return !cfi_entry_read(site->source->cfi->section, true, offset, ret, &ignored) &&
	       ret->end == end && !ret->is_64bit;
}

/*
 * The entry before it swallows it: its length grows, and what was the FDE becomes DW_CFA_nop. The
 * section keeps its size, and nobody who goes through it sees anything but padding.
 */
int plant_fde_dropped(struct plant_site *site, struct error *error)
{
	const struct cfi *cfi = site->source->cfi;
	struct cfi_entry dropped, before;
	bool found = false;
	uint32_t length;

	if (read_plain(site, site->fde, &dropped, error))
		return -1;
	for (size_t i = 0; i < cfi->cie_count && !found; i++)
		found = ends_where(site, cfi->cie[i].offset, site->fde->offset, &before);
	for (size_t i = 0; i < cfi->fde_count && !found; i++)
		found = ends_where(site, cfi->fde[i].offset, site->fde->offset, &before);
	if (!found)
		return plant_refuse(error, "no entry ends where the FDE begins");
	length = (uint32_t)(before.length + dropped.end - dropped.offset);
	memcpy(entry_bytes(site, (uint32_t)before.offset), &length, sizeof(length));
	memset(entry_bytes(site, site->fde->offset), 0, dropped.end - dropped.offset);
	site->in_file = true;
	return plant_search_remove(site, site->fde->offset, error);
}

int plant_range_shrunk(struct plant_site *site, struct error *error)
{
	uint64_t bytes = plant_program_advance(&site->program, site->row) *
			 site->cie->code_alignment;

	if (!site->row || bytes >= site->fde->pc_range)
		return plant_refuse(error, "row %zu begins where the FDE begins or ends",
				    site->row);
	return set_range(site, site->fde, site->fde->pc_begin, bytes, error);
}

int plant_range_grown(struct plant_site *site, struct error *error)
{
	const struct cfi_fde *next = neighbour(site, true);
	const struct image *image = site->source->image;
	uint64_t end = site->fde->pc_begin + site->fde->pc_range, limit = 0;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];

		if (site->fde->pc_begin - segment->vaddr < segment->file_bytes)
			limit = segment->vaddr + segment->file_bytes;
	}
	if (next && next->pc_begin < limit)
		limit = next->pc_begin;
	if (end >= limit)
		return plant_refuse(error, "the next FDE begins where it ends, and would prevail");
	return set_range(site, site->fde, site->fde->pc_begin, limit - site->fde->pc_begin, error);
}

/* Where the rows of an FDE begin: the first MAX. */
struct row_starts {
	uint64_t pc[64];
	size_t count;
};

static int note_start(void *context, const struct row *row)
{
	struct row_starts *starts = context;

	if (starts->count < sizeof(starts->pc) / sizeof(starts->pc[0]))
		starts->pc[starts->count++] = row->pc;
	return 0;
}

/* Of two FDEs for one PC, the one that begins later prevails: a search table can't say it
 * otherwise, and without one readers differ. So the initial row takes the place of the
 * neighbour's last ones; the FDE's own rows stay where they are. */
int plant_range_stolen(struct plant_site *site, struct error *error)
{
	const struct cfi_fde *before = neighbour(site, false);
	struct row_starts starts = { .count = 0 };
	uint64_t bytes;

	if (!site->source->image->eh_frame_hdr.data)
		return plant_refuse(error, "without a search table both FDEs may prevail");
	if (before && cfi_rows(site->source->cfi, before, note_start, &starts, error))
		return plant_refuse(error, "the FDE before it is malformed");
	if (starts.count < 2)
		return plant_refuse(error, "the function before it has no second row");
	bytes = site->fde->pc_begin - starts.pc[1 + site->seed % (starts.count - 1)];
	for (size_t i = 0; i < site->program.count; i++)
		if (site->program.op[i].opcode == CFA_ADVANCE_LOC) {
			site->program.op[i].a += bytes / site->cie->code_alignment;
			break;
		}
	return set_range(site, site->fde, site->fde->pc_begin - bytes, site->fde->pc_range + bytes,
			 error);
}

int plant_start_late(struct plant_site *site, struct error *error)
{
	unsigned int bytes = plant_instruction_bytes(site->source, site->fde->pc_begin);

	if (!bytes || bytes >= site->fde->pc_range)
		return plant_refuse(error, "the function has no second instruction");
	return set_range(site, site->fde, site->fde->pc_begin + bytes, site->fde->pc_range - bytes,
			 error);
}

int plant_ranges_swapped(struct plant_site *site, struct error *error)
{
	const struct cfi_fde *next = neighbour(site, true);

	if (!next)
		return plant_refuse(error, "no FDE follows it");
	/* Rows beyond the range would make the entry malformed: another kind of fault. */
	uint64_t advance = plant_program_advance(&site->program, SIZE_MAX);
	struct row_starts starts = { .count = 0 };

	if (cfi_rows(site->source->cfi, next, note_start, &starts, error) || !starts.count ||
	    advance * site->cie->code_alignment > next->pc_range ||
	    starts.pc[starts.count - 1] - next->pc_begin > site->fde->pc_range)
		return plant_refuse(error, "the rows of one reach past the end of the other");
	return set_range(site, site->fde, next->pc_begin, next->pc_range, error) ||
			       set_range(site, next, site->fde->pc_begin, site->fde->pc_range,
					 error)
		       ? -1
		       : 0;
}

/* ---- CIEs ------------------------------------------------------------------------------- */

/* The three bytes behind the augmentation string: code and data alignment, return column. */
static uint8_t *cie_fields(struct plant_site *site, struct error *error)
{
	const struct cfi_cie *cie = site->cie;
	uint8_t *bytes = plant_site_bytes(site, (const uint8_t *)cie->augmentation);

	bytes += strlen(cie->augmentation) + 1;
	site->in_file = true;
	if (cie->version <= 3 && !cie->is_64bit && bytes[0] == cie->code_alignment &&
	    cie->data_alignment == -SLOT_BYTES && bytes[1] == (-SLOT_BYTES & 0x7f) &&
	    bytes[2] == cie->return_register)
		return bytes;
	plant_refuse(error, "the CIE is not laid out as compilers do");
	return NULL;
}

int plant_code_alignment(struct plant_site *site, struct error *error)
{
	uint8_t *fields = cie_fields(site, error);

	if (!fields)
		return -1;
	fields[0] *= 2;
	return 0;
}

int plant_data_alignment(struct plant_site *site, struct error *error)
{
	uint8_t *fields = cie_fields(site, error);

	if (!fields)
		return -1;
	fields[1] = -SLOT_BYTES / 2 & 0x7f;
	return 0;
}

int plant_return_column(struct plant_site *site, struct error *error)
{
	uint8_t *fields = cie_fields(site, error);

	if (!fields)
		return -1;
	fields[2] = REGISTER_RBP;
	return 0;
}

int plant_signal_flag(struct plant_site *site, struct error *error)
{
	const char *flag = strchr(site->cie->augmentation, 'S');
	struct cfi_entry cie;
	uint8_t *bytes, *end;

	site->in_file = true;
	if (!site->cie->signal_frame || !flag)
		return plant_refuse(error, "the CIE is not one of signal frames");
	if (cfi_entry_read(site->cie->section, true, site->cie->offset, &cie, error))
		return -1;
	bytes = plant_site_bytes(site, (const uint8_t *)flag);
	end = entry_bytes(site, site->cie->offset) + (cie.end - cie.offset);
	memmove(bytes, bytes + 1, end - bytes - 1);
	end[-1] = CFA_NOP;
	return 0;
}

/* The first instruction of this opcode in the CIE: the CFA 8 bytes higher, or a register one slot lower. */
int plant_initial(struct plant_site *site, struct error *error)
{
	const struct cfi_cie *cie = site->cie;
	struct plant_program program;
	int status = 1;

	site->in_file = true;
	if (plant_program_read(&program, cie->instructions, cie->instruction_bytes, error))
		return -1;
	for (size_t i = 0; i < program.count && status > 0; i++) {
		if (program.op[i].opcode != site->by)
			continue;
		program.op[i].b += site->by == CFA_DEF_CFA ? SLOT_BYTES : 1;
		status = plant_program_write(&program, plant_site_bytes(site, cie->instructions),
					     cie->instruction_bytes, error);
	}
	plant_program_deinit(&program);
	return status > 0 ? plant_refuse(error, "the CIE has no instruction for it") : status;
}
