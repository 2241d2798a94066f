/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_section.c - .eh_frame or .debug_frame, one of them: the list of entries
 *
 * Both sections are a list of entries that begin with their length; cfi_entry.c reads one. A bad
 * entry costs itself alone: it is left out with a diagnostic. If it is its length that is bad, then
 * nothing says where the next entry begins, and the list is taken up again
 *
 *	at the next entry that the search table of .eh_frame_hdr leads to, or its CIE,
 *	or where an FDE stands before that, one that has a CIE and covers code.
 *
 * The same table tells that a length inside the section is wrong: an entry then covers the start of
 * another. A zero length ends nothing: linkers join inputs that each end in one.
 *
 * A CIE that can't be read and that no FDE names is no fault: nobody uses it. Zig's linker fills the room that it
 * keeps for more entries with such.
 *
 * The first walk only counts, so that memory is taken once and no more than is needed; the second
 * reads. FDEs that stand before their CIEs are only noted by it, and read at the end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cfi_section.h"

/* What is kept may pass three times the section's size only in sections whose entries are smaller
 * than any that a compiler writes, and then ends here: the rest of the entries is lost. */
#define MEMORY_ALWAYS	(40u << 20)
#define UNREAD_CIES_MAX 64u

/* ---- walking the list -------------------------------------------------------------------- */

struct walk {
	const struct cfi *cfi;
	const struct image_section *section;
	uint64_t at;
	const struct cfi_starts *starts;
	size_t next_start;	 /* the first start behind at */
	struct error_list *lost; /* NULL: not wanted */
	uint64_t lost_count;
	struct cfi_cie_cache *cache; /* for scanning */
};

static void lose(struct walk *walk, const struct error *error)
{
	walk->lost_count++;
	if (walk->lost)
		error_list_add(walk->lost, error);
}

/* The first known start behind offset, or UINT64_MAX. Offsets only grow. */
static uint64_t start_after(struct walk *walk, uint64_t offset)
{
	const struct cfi_starts *starts = walk->starts;
	while (walk->next_start < starts->count && starts->offset[walk->next_start] <= offset)
		walk->next_start++;
	return walk->next_start < starts->count ? starts->offset[walk->next_start] : UINT64_MAX;
}

static bool is_code(const struct image *image, const struct cfi_fde *fde)
{
	if (!fde->pc_range)
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		uint64_t offset = fde->pc_begin - segment->vaddr;
		if (segment->executable && offset < segment->memory_bytes &&
		    fde->pc_range <= segment->memory_bytes - offset)
			return true;
	}
	return !image->segment_count; /* a relocatable object, or bytes without an image */
}

/* What looks like an FDE in every respect, from offset to end. Returns it or its CIE, whichever
 * comes first, or end. No byte is looked at more than twice, however often this is called. */
static uint64_t scan(struct walk *walk, uint64_t offset, uint64_t end)
{
	const struct cfi *cfi = walk->cfi;
	const struct image_section *section = walk->section;
	for (uint64_t at = offset; at < end; at++) {
		struct cfi_entry entry;
		struct cfi_fde fde;
		struct error ignored;
		if (cfi_entry_read(section, cfi->is_eh_frame, at, &entry, &ignored) ||
		    !entry.length || entry.is_cie || entry.cie >= section->size)
			continue;
		const struct cfi_cie *cie = cfi_cie_cached(walk->cache, cfi->image, section,
							   cfi->is_eh_frame, entry.cie);
		if (!cie || cfi_fde_parse(cfi->image, section, &entry, cie, &fde, &ignored) ||
		    !is_code(cfi->image, &fde))
			continue;
		return entry.cie > offset && entry.cie < at ? entry.cie : at;
	}
	return end;
}

/* The length at offset is bad. */
static void resynchronise(struct walk *walk, uint64_t offset)
{
	uint64_t end = walk->starts ? start_after(walk, offset) : UINT64_MAX;
	if (end > walk->section->size)
		end = walk->section->size;
	walk->at = scan(walk, offset + 1, end); /* the table may be incomplete */
}

/* Some linkers pad the section with fewer zero bytes than a length has. */
static bool is_padding(const struct image_section *section, uint64_t offset)
{
	if (section->size - offset >= 4)
		return false;
	while (offset < section->size && !section->data[offset])
		offset++;
	return offset == section->size;
}

/* The next entry whose head is good. False: there is none. */
static bool walk_next(struct walk *walk, struct cfi_entry *ret)
{
	while (walk->at < walk->section->size) {
		uint64_t offset = walk->at;
		struct error error;
		if (is_padding(walk->section, offset))
			break;
		int bad = 0;
		if (!cfi_entry_read_fast(walk->section, walk->cfi->is_eh_frame, offset, ret))
			bad = cfi_entry_read(walk->section, walk->cfi->is_eh_frame, offset, ret,
					     &error);
		if (ret->end && walk->starts && start_after(walk, offset) < ret->end) {
			bad = error_set(&error, ERROR_CFI_LENGTH, walk->section->name, offset,
					"the entry's length 0x%" PRIx64
					" covers another entry at 0x%" PRIx64,
					ret->length, start_after(walk, offset));
			ret->end = 0;
		}
		if (bad)
			lose(walk, &error);
		if (!ret->end)
			resynchronise(walk, offset);
		else
			walk->at = ret->end;
		if (!bad && (ret->length || ret->is_64bit))
			return true;
	}
	return false;
}

/* ---- the entries ------------------------------------------------------------------------- */

/* The section while it is read. */
struct parser {
	struct cfi *cfi;
	struct cfi_starts starts;
	bool use_starts;
	struct cfi_cie_cache cache;
	size_t cie_capacity;
	size_t fde_capacity;
	uint64_t always; /* memory that it may take, whatever its size */
	/* CIEs that can't be read, in order: the first ones. Others are a fault, whoever uses them. */
	struct {
		uint64_t offset;
		size_t diagnostic; /* its index */
		bool named;
	} unread[UNREAD_CIES_MAX];
	size_t unread_count;
};

static struct walk walk_begin(struct parser *parser, struct error_list *lost)
{
	return (struct walk) { .cfi = parser->cfi,
			       .section = parser->cfi->section,
			       .starts = parser->use_starts ? &parser->starts : NULL,
			       .lost = lost,
			       .cache = &parser->cache };
}

/* Counts CIEs and FDEs into the capacities. Returns how many heads are bad. */
static uint64_t count_entries(struct parser *parser)
{
	struct walk walk = walk_begin(parser, NULL);
	struct cfi_entry entry;
	parser->cie_capacity = 0;
	parser->fde_capacity = 0;
	while (walk_next(&walk, &entry)) {
		if (entry.is_cie)
			parser->cie_capacity++;
		else
			parser->fde_capacity++;
	}
	return walk.lost_count;
}

/* The search table is only looked at if the section can't be right as it is: entries are lost, or
 * there are not as many FDEs. */
static int consult_search_table(struct parser *parser, uint64_t lost, struct error *error)
{
	struct eh_frame_hdr hdr;
	struct error ignored; /* eh_frame_hdr_check tells */
	if (!parser->cfi->is_eh_frame || eh_frame_hdr_read(parser->cfi->image, &hdr, &ignored) ||
	    !hdr.count || (!lost && hdr.count == parser->fde_capacity))
		return 0;
	if (eh_frame_hdr_starts(&hdr, parser->cfi->section, &parser->starts, error))
		return -1;
	parser->use_starts = true;
	count_entries(parser);
	return 0;
}

/* Sorting takes two keys of 8 bytes per FDE, of which half of one stays: by_pc. */
#define FDE_BYTES (sizeof(struct cfi_fde) + 2 * sizeof(uint64_t))

static int allocate(struct parser *parser, struct error *error)
{
	struct cfi *cfi = parser->cfi;
	uint64_t limit = 3 * (uint64_t)cfi->section->size;
	if (limit < parser->always)
		limit = parser->always;
	if (parser->cie_capacity > limit / 2 / sizeof(*cfi->cie))
		parser->cie_capacity = limit / 2 / sizeof(*cfi->cie);
	limit -= parser->cie_capacity * sizeof(*cfi->cie);
	if (parser->fde_capacity > limit / FDE_BYTES)
		parser->fde_capacity = limit / FDE_BYTES;
	cfi->cie = malloc((parser->cie_capacity + 1) * sizeof(*cfi->cie));
	cfi->fde = malloc((parser->fde_capacity + 1) * sizeof(*cfi->fde));
	if (!cfi->cie || !cfi->fde)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for CIEs and FDEs");
	return 0;
}

static void too_many(struct walk *walk, const struct cfi_entry *entry)
{
	struct error error;
	error_set(&error, ERROR_MEMORY, walk->section->name, entry->offset,
		  "more entries than a section of 0x%zx bytes is given memory for",
		  walk->section->size);
	lose(walk, &error);
}

static const struct cfi_cie *find_cie(const struct cfi *cfi, uint64_t offset)
{
	ssize_t found = cfi_find_offset(&cfi->cie->offset, sizeof(*cfi->cie), cfi->cie_count,
					offset);
	return found < 0 ? NULL : &cfi->cie[found];
}

static int no_cie(const struct cfi *cfi, const struct cfi_entry *fde, struct error *error)
{
	struct cfi_entry cie;
	struct error ignored;
	bool there = !cfi_entry_read(cfi->section, cfi->is_eh_frame, fde->cie, &cie, &ignored) &&
		     cie.is_cie;
	return error_set(error, ERROR_CIE_POINTER, cfi->section->name, fde->offset,
			 there ? "the FDE's CIE at 0x%" PRIx64 " could not be read"
			       : "the FDE's CIE would be at 0x%" PRIx64 ", where there is none",
			 fde->cie);
}

#define NOT_READ UINT32_MAX /* an FDE's CIE: behind it, or nowhere */

/* Reads the FDE if its CIE was read before, else notes where it is. */
static void add_fde(struct walk *walk, struct cfi *cfi, const struct cfi_entry *entry,
		    const struct cfi_cie **last)
{
	struct cfi_fde *fde = &cfi->fde[cfi->fde_count];
	struct error error;
	/* Most often it is the CIE of the FDE before. */
	const struct cfi_cie *cie = *last && (*last)->offset == entry->cie
					    ? *last
					    : find_cie(cfi, entry->cie);
	if (cie && cfi_fde_parse(cfi->image, cfi->section, entry, cie, fde, &error)) {
		lose(walk, &error);
		return;
	}
	if (cie)
		*last = cie;
	else
		fde->offset = (uint32_t)entry->offset;
	fde->cie = cie ? (uint32_t)(cie - cfi->cie) : NOT_READ;
	cfi->fde_count++;
}

static void lose_cie(struct parser *parser, struct walk *walk, const struct cfi_entry *entry,
		     const struct error *error)
{
	const struct error_list *list = &parser->cfi->diagnostics;
	size_t before = list->count;

	lose(walk, error);
	if (parser->unread_count == UNREAD_CIES_MAX || list->count == before)
		return;
	parser->unread[parser->unread_count].offset = entry->offset;
	parser->unread[parser->unread_count++].diagnostic = before;
}

static void name_unread(struct parser *parser, uint64_t cie)
{
	for (size_t i = 0; i < parser->unread_count; i++)
		parser->unread[i].named |= parser->unread[i].offset == cie;
}

/* Takes back what was said of CIEs that no FDE has named. */
static void forget_unnamed(struct parser *parser)
{
	struct error_list *list = &parser->cfi->diagnostics;

	for (size_t i = parser->unread_count; i-- > 0;) {
		size_t at = parser->unread[i].diagnostic;

		if (parser->unread[i].named)
			continue;
		list->count--;
		memmove(&list->error[at], &list->error[at + 1],
			(list->count - at) * sizeof(*list->error));
	}
}

static void collect_entries(struct parser *parser)
{
	struct cfi *cfi = parser->cfi;
	struct walk walk = walk_begin(parser, &cfi->diagnostics);
	const struct cfi_cie *last = NULL;
	struct cfi_entry entry;
	while (walk_next(&walk, &entry)) {
		struct error error;
		if (entry.is_cie && cfi->cie_count < parser->cie_capacity) {
			if (cfi_cie_parse(cfi->image, cfi->section, &entry,
					  &cfi->cie[cfi->cie_count], &error))
				lose_cie(parser, &walk, &entry, &error);
			else
				cfi->cie_count++;
		} else if (!entry.is_cie && cfi->fde_count < parser->fde_capacity) {
			add_fde(&walk, cfi, &entry, &last);
		} else {
			too_many(&walk, &entry);
		}
	}
}

/* Those that stand before their CIEs. Closes the gaps that bad ones leave. */
static void read_the_rest(struct parser *parser)
{
	struct cfi *cfi = parser->cfi;
	size_t kept = 0;
	for (size_t i = 0; i < cfi->fde_count; i++) {
		struct cfi_entry entry;
		struct error error;
		if (cfi->fde[i].cie != NOT_READ) {
			if (kept != i)
				cfi->fde[kept] = cfi->fde[i];
			kept++;
			continue;
		}
		int bad = cfi_entry_read(cfi->section, cfi->is_eh_frame, cfi->fde[i].offset, &entry,
					 &error);
		const struct cfi_cie *cie = bad ? NULL : find_cie(cfi, entry.cie);
		if (!bad && !cie) {
			name_unread(parser, entry.cie);
			bad = no_cie(cfi, &entry, &error);
		}
		if (bad ||
		    cfi_fde_parse(cfi->image, cfi->section, &entry, cie, &cfi->fde[kept], &error))
			error_list_add(&cfi->diagnostics, &error);
		else
			cfi->fde[kept++].cie = (uint32_t)(cie - cfi->cie);
	}
	cfi->fde_count = kept;
}

static int read_once(struct parser *parser, struct error *error)
{
	struct cfi *cfi = parser->cfi;
	free(cfi->cie);
	free(cfi->fde);
	error_list_deinit(&cfi->diagnostics);
	cfi->cie_count = 0;
	cfi->fde_count = 0;
	if (allocate(parser, error))
		return -1;
	memset(parser->unread, 0, sizeof(parser->unread));
	parser->unread_count = 0;
	collect_entries(parser);
	read_the_rest(parser);
	forget_unnamed(parser);
	return 0;
}

static int read_entries(struct cfi *cfi, uint64_t always, struct error *error)
{
	struct parser parser = { .cfi = cfi, .always = always };
	uint64_t lost = count_entries(&parser);
	int result = consult_search_table(&parser, lost, error);
	if (!result)
		result = read_once(&parser, error);
	if (!result && cfi->diagnostics.count && !parser.use_starts) {
		result = consult_search_table(&parser, cfi->diagnostics.count, error);
		if (!result && parser.use_starts)
			result = read_once(&parser, error);
	}
	free(parser.starts.offset);
	return result;
}

/* ---- life -------------------------------------------------------------------------------- */

int cfi_create_alone(const struct image *image, const struct image_section *section,
		     unsigned int share, struct cfi **ret, struct error *error)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));

	*ret = cfi;
	if (!cfi)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for CFI");
	cfi->image = image;
	cfi->is_eh_frame = section != &image->debug_frame;
	cfi->section = section;
	if (section->size > UINT32_MAX)
		error_set(error, ERROR_CFI_LENGTH, section->name, 0,
			  "a section of 0x%zx bytes is not read", section->size);
	else if (!read_entries(cfi, MEMORY_ALWAYS / share, error) && !cfi_order(cfi, error))
		return 0;
	cfi_destroy(cfi);
	*ret = NULL;
	return -1;
}

void cfi_destroy(struct cfi *cfi)
{
	if (!cfi)
		return;
	error_list_deinit(&cfi->diagnostics);
	free(cfi->reach);
	free(cfi->by_pc);
	free(cfi->fde);
	free(cfi->cie);
	free(cfi);
}
