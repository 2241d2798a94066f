/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_image.c - one planting from begin to end, and what it changed
 *
 * The kind edits a copy of the file; then both files' CFI are read, and the rows that differ are
 * the planting: nobody has to say for each kind which addresses it affects, and an edit that leaves
 * every row as it was is refused. Only entries whose bytes or range changed are looked at.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "plant.h"
#include "judge/verdict/verdict.h"

/* ---- images ----------------------------------------------------------------------------- */

static int read_file(const char *path, uint8_t **ret, size_t *ret_size, struct error *error)
{
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	size_t size = 0;
	ssize_t got = 0;

	if (fd < 0 || fstat(fd, &status))
		return error_set_errno(error, "opening it");
	*ret = malloc(status.st_size + 1);
	if (!*ret)
		error_set(error, ERROR_MEMORY, "", 0, "no memory for it");
	while (*ret && size < (size_t)status.st_size &&
	       (got = read(fd, *ret + size, status.st_size - size)) > 0)
		size += got;
	if (*ret && got < 0)
		error_set_errno(error, "reading it");
	else if (*ret && size != (size_t)status.st_size)
		error_set(error, ERROR_ELF_BOUNDS, "", size, "it was cut while it was read");
	*ret_size = size;
	if (*ret && size == (size_t)status.st_size)
		return 0;
	free(*ret);
	*ret = NULL;
	return -1;
}

int plant_image_open(struct plant_image *ret, const char *path, struct error *error)
{
	*ret = (struct plant_image) { .size = 0 };
	if (read_file(path, &ret->file, &ret->size, error) ||
	    image_create(path, &ret->image, error) ||
	    cfi_create_section(ret->image, ".eh_frame", &ret->cfi, error) ||
	    cfi_create(ret->image, &ret->whole, error) || !(ret->decoder = decoder_create(error)))
		goto bad;
	if (ret->image->machine != EM_X86_64) {
		error_set(error, ERROR_UNSUPPORTED_ELF, "", 0, "only x86-64 images are planted");
		goto bad;
	}
	if (!ret->image->segment_count || !ret->cfi->section->data) {
		error_set(error, ERROR_UNSUPPORTED_ELF, "", 0, "it has no segments to run from");
		goto bad;
	}
	if (ret->cfi->other_fde_count) {
		error_set(error, ERROR_UNSUPPORTED_ELF, "", 0,
			  "it has several sections .eh_frame: an offset names no place in them");
		goto bad;
	}
	return 0;
bad:
	plant_image_close(ret);
	return -1;
}

void plant_image_close(struct plant_image *image)
{
	decoder_destroy(image->decoder);
	cfi_destroy(image->whole);
	cfi_destroy(image->cfi);
	image_destroy(image->image);
	free(image->file);
	*image = (struct plant_image) { .size = 0 };
}

static int read_image(void *context, uint64_t address, void *ret, size_t size)
{
	const uint8_t *bytes = image_bytes(context, address, size);

	if (!bytes)
		return -1;
	memcpy(ret, bytes, size);
	return 0;
}

unsigned int plant_instruction_bytes(const struct plant_image *image, uint64_t vaddr)
{
	struct memory_reader memory = { read_image, image->image };

	return decoder_at(image->decoder, vaddr, &memory).length;
}

uint64_t plant_previous_instruction(const struct plant_image *image, uint64_t start, uint64_t vaddr)
{
	uint64_t at = start;

	while (at < vaddr) {
		unsigned int bytes = plant_instruction_bytes(image, at);

		if (!bytes || at + bytes > vaddr)
			return 0;
		if (at + bytes == vaddr)
			return at;
		at += bytes;
	}
	return 0;
}

uint8_t *plant_site_bytes(const struct plant_site *site, const uint8_t *in_section)
{
	const struct image_section *section = site->source->cfi->section;

	if (in_section < section->data || in_section >= section->data + section->size)
		section = &site->source->image->eh_frame_hdr;
	return site->file + section->file_offset + (in_section - section->data);
}

/* ---- what changed ----------------------------------------------------------------------- */

static bool bytes_equal(const uint8_t *a, uint64_t a_size, const uint8_t *b, uint64_t b_size)
{
	return a_size == b_size && (!a_size || !memcmp(a, b, a_size));
}

static bool entry_equal(const struct cfi *a, const struct cfi_fde *fde_a, const struct cfi *b,
			const struct cfi_fde *fde_b)
{
	const struct cfi_cie *cie_a = &a->cie[fde_a->cie], *cie_b = &b->cie[fde_b->cie];

	/* A length field does not count itself. */
	return fde_a->pc_begin == fde_b->pc_begin && fde_a->pc_range == fde_b->pc_range &&
	       bytes_equal(fde_a->instructions, fde_a->instruction_bytes, fde_b->instructions,
			   fde_b->instruction_bytes) &&
	       cie_a->length == cie_b->length &&
	       !memcmp(a->section->data + cie_a->offset, b->section->data + cie_b->offset,
		       cie_a->length + sizeof(uint32_t));
}

/* Addresses at which something may change, in order and each once. */
struct boundaries {
	uint64_t *pc;
	size_t count;
	bool failed;
};

static void add_boundary(struct boundaries *boundaries, uint64_t pc)
{
	boundaries->failed |= !ARRAY_ADD(boundaries->pc, boundaries->count, pc);
}

static int add_row(void *context, const struct row *row)
{
	add_boundary(context, row->pc);
	add_boundary(context, row->pc_end);
	return 0;
}

static void add_fde(struct boundaries *boundaries, const struct cfi *cfi, const struct cfi_fde *fde)
{
	struct error ignored;

	add_boundary(boundaries, fde->pc_begin);
	add_boundary(boundaries, fde->pc_begin + fde->pc_range);
	cfi_rows(cfi, fde, add_row, boundaries, &ignored);
}

/* Those of the section that is planted in. */
static size_t own_fdes(const struct cfi *cfi)
{
	return cfi->fde_count - cfi->other_fde_count - cfi->debug_fde_count;
}

/* What other sections add may be less than before, or more. */
static void collect_added(struct boundaries *boundaries, const struct cfi *cfi)
{
	for (size_t i = own_fdes(cfi); i < cfi->fde_count; i++)
		add_fde(boundaries, cfi, &cfi->fde[i]);
}

/* The rows of FDEs that differ; both sections are gone through in the order of their offsets. */
static void collect(struct boundaries *boundaries, const struct cfi *old, const struct cfi *new)
{
	size_t old_count = own_fdes(old);
	size_t new_count = own_fdes(new);
	size_t i = 0, j = 0;

	while (i < old_count || j < new_count) {
		const struct cfi_fde *a = i < old_count ? &old->fde[i] : NULL;
		const struct cfi_fde *b = j < new_count ? &new->fde[j] : NULL;
		bool same_place = a && b && a->offset == b->offset;

		if (!same_place || !entry_equal(old, a, new, b)) {
			if (a && (same_place || !b || a->offset < b->offset))
				add_fde(boundaries, old, a);
			if (b && (same_place || !a || b->offset < a->offset))
				add_fde(boundaries, new, b);
		}
		i += a && (same_place || !b || a->offset < b->offset);
		j += b && (same_place || !a || b->offset < a->offset);
	}
}

/* A change that goes over several functions is several. */
static void add_functions(struct boundaries *boundaries, const struct image *image)
{
	size_t count, known = boundaries->count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < known; i++) {
		low = boundaries->pc[i] < low ? boundaries->pc[i] : low;
		high = boundaries->pc[i] > high ? boundaries->pc[i] : high;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t end = symbol[i].pc + symbol[i].size;

		if (symbol[i].pc > low && symbol[i].pc < high)
			add_boundary(boundaries, symbol[i].pc);
		if (end > low && end < high)
			add_boundary(boundaries, end);
	}
}

static void sort_unique(struct boundaries *boundaries)
{
	size_t unique = 0;

	if (boundaries->count)
		qsort(boundaries->pc, boundaries->count, sizeof(*boundaries->pc), array_order_u64);
	for (size_t i = 0; i < boundaries->count; i++)
		if (!unique || boundaries->pc[i] != boundaries->pc[unique - 1])
			boundaries->pc[unique++] = boundaries->pc[i];
	boundaries->count = unique;
}

static void describe_row(const struct row *row, int found, const struct error *error, char *text,
			 size_t size)
{
	FILE_CLOSED FILE *file = NULL;

	if (found < 0)
		snprintf(text, size, "%s", error->message);
	else if (!found)
		snprintf(text, size, "no FDE covers it");
	if (found <= 0)
		return;
	file = fmemopen(text, size, "w");
	if (file)
		row_print(file, row);
}

/* Appends the stretch if the two rows there differ. -1: out of memory. */
static int add_range(struct planting *planting, const struct plant_image *image, uint64_t pc,
		     uint64_t pc_end, struct error *error)
{
	struct plant_range range = { .pc = pc, .pc_end = pc_end }, *last = NULL;
	struct row before, after;
	struct error ignored;
	int was = cfi_row_find(image->whole, pc, &before, &ignored), is;

	describe_row(&before, was, &ignored, range.before, sizeof(range.before));
	is = cfi_row_find(planting->cfi, pc, &after, &ignored);
	if (was == is && (was <= 0 || row_equal(&before, &after)))
		return 0;
	describe_row(&after, is, &ignored, range.after, sizeof(range.after));
	finding_name_function(image->image, image->whole, pc, range.function,
			      sizeof(range.function));
	if (planting->range_count)
		last = &planting->range[planting->range_count - 1];
	if (last && last->pc_end == pc && !strcmp(last->function, range.function) &&
	    !strcmp(last->before, range.before) && !strcmp(last->after, range.after)) {
		last->pc_end = pc_end;
		return 0;
	}
	if (!ARRAY_ADD(planting->range, planting->range_count, range))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for what changed");
	return 0;
}

static int find_changes(struct planting *planting, const struct plant_image *image,
			struct error *error)
{
	struct boundaries boundaries = { .count = 0 };
	int status = 0;

	collect(&boundaries, image->whole, planting->cfi);
	collect_added(&boundaries, image->whole);
	collect_added(&boundaries, planting->cfi);
	add_functions(&boundaries, image->image);
	sort_unique(&boundaries);
	if (boundaries.failed)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for what changed");
	for (size_t i = 0; !status && i + 1 < boundaries.count; i++)
		status = add_range(planting, image, boundaries.pc[i], boundaries.pc[i + 1], error);
	free(boundaries.pc);
	if (!status && !planting->range_count)
		status = plant_refuse(error, "every row would stay as it is");
	return status;
}

/* ---- plantings -------------------------------------------------------------------------- */

size_t plant_row_count(const struct plant_image *image, const struct plant_kind *kind,
		       const struct cfi_fde *fde)
{
	struct plant_program program;
	struct error ignored;
	size_t rows;

	if (!kind->by_row)
		return 1;
	if (plant_program_read(&program, fde->instructions, fde->instruction_bytes, &ignored))
		return 0;
	rows = plant_program_rows(&program);
	plant_program_deinit(&program);
	return rows;
}

static int edit(struct planting *planting, struct plant_site *site, struct error *error)
{
	const struct cfi_fde *fde = site->fde;

	if (plant_program_read(&site->program, fde->instructions, fde->instruction_bytes, error))
		return -1;
	if (planting->kind->plant(site, error))
		return -1;
	if (site->in_file)
		return 0;
	return plant_program_write(&site->program, plant_site_bytes(site, fde->instructions),
				   fde->instruction_bytes, error);
}

static int plant_at(const struct plant_image *image, const struct cfi_fde *fde, size_t row,
		    uint64_t seed, struct planting *planting, struct error *error)
{
	struct plant_site site = { .source = image,
				   .fde = fde,
				   .cie = &image->cfi->cie[fde->cie],
				   .row = row,
				   .seed = seed,
				   .by = planting->kind->by };
	int status;

	planting->file = malloc(image->size);
	if (!planting->file)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a copy of the file");
	memcpy(planting->file, image->file, image->size);
	planting->size = image->size;
	planting->row = row;
	site.file = planting->file;
	status = edit(planting, &site, error);
	plant_program_deinit(&site.program);
	if (status ||
	    image_create_memory(planting->file, planting->size, image->image->path,
				&planting->image, error) ||
	    cfi_create(planting->image, &planting->cfi, error))
		return -1;
	return find_changes(planting, image, error);
}

int planting_create(const struct plant_image *image, const struct plant_kind *kind,
		    const struct cfi_fde *fde, size_t row, uint64_t seed, struct planting *ret,
		    struct error *error)
{
	size_t rows = plant_row_count(image, kind, fde), tries = row == PLANT_ANY_ROW ? rows : 1;

	*ret = (struct planting) { .kind = kind };
	if (!rows)
		return plant_refuse(error, "the FDE's instructions can't be edited");
	if (row != PLANT_ANY_ROW && row >= rows)
		return plant_refuse(error, "the FDE has %zu rows for it", rows);
	for (size_t i = 0; i < tries; i++) {
		size_t at = row == PLANT_ANY_ROW ? (seed + i) % rows : row;

		*ret = (struct planting) { .kind = kind, .fde_pc = fde->pc_begin };
		finding_name_function(image->image, image->cfi, fde->pc_begin, ret->function,
				      sizeof(ret->function));
		if (!plant_at(image, fde, at, seed, ret, error))
			return 0;
		planting_deinit(ret);
		if (error->code != ERROR_UNAVAILABLE)
			return -1;
	}
	if (tries > 1)
		return plant_refuse(error, "none of the function's %zu rows is fit for it", rows);
	return -1;
}

void planting_deinit(struct planting *planting)
{
	free(planting->range);
	cfi_destroy(planting->cfi);
	image_destroy(planting->image);
	free(planting->file);
	*planting = (struct planting) { .range = NULL };
}

const struct plant_range *planting_range(const struct planting *planting, uint64_t vaddr)
{
	return ARRAY_FIRST(planting->range, planting->range_count, range,
			   vaddr >= range->pc && vaddr < range->pc_end);
}
