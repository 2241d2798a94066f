/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * gate_image.c - what was lost of an image, and how much of its code has CFI
 *
 * Covered bytes are those of executable sections that some FDE covers: what is left (the PLT of an
 * old linker, hand-written assembly, padding between functions) is where every unwinder stops.
 *
 * What the reader passed over (entries that it can't read) it has said in the cfi's
 * diagnostics. Relocations that it can't resolve make the whole image an error (elf_relocate.c).
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "gate.h"
#include "base/images/image_list.h"
#include "table/lost_cfi.h"
#include "base/cli/json_counts.h"

struct range {
	uint64_t start;
	uint64_t end;
};

struct ranges {
	struct range *range;
	size_t count;
};

static void add_range(struct ranges *ranges, uint64_t start, uint64_t bytes)
{
	if (bytes && start + bytes >= start)
		ARRAY_ADD(ranges->range, ranges->count, (struct range) { start, start + bytes });
}

/* Ends elf, which may be NULL. */
static void add_elf(struct ranges *ranges, Elf *elf)
{
	Elf_Scn *section = NULL;

	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    header.sh_flags & SHF_ALLOC && header.sh_type != SHT_NOBITS)
			add_range(ranges, header.sh_addr, header.sh_size);
	}
	elf_end(elf);
}

/* file: the path of the image's bytes. */
static void add_sections(struct ranges *ranges, const char *file)
{
	FD_CLOSED int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	add_elf(ranges, elf_begin(fd, ELF_C_READ_MMAP, NULL));
}

ARRAY_ORDER(by_start, struct range, start)

/* Bytes of the sorted code ranges that FDEs, sorted by address, cover: each byte once. */
static uint64_t covered(const struct cfi *cfi, const struct ranges *code)
{
	uint64_t done = 0, bytes = 0;
	size_t at = 0;

	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t start = fde->pc_begin > done ? fde->pc_begin : done;
		uint64_t end = fde->pc_begin + fde->pc_range;

		while (at < code->count && code->range[at].end <= start)
			at++;
		for (size_t r = at; r < code->count && code->range[r].start < end; r++) {
			uint64_t from = start > code->range[r].start ? start : code->range[r].start;
			uint64_t to = end < code->range[r].end ? end : code->range[r].end;

			bytes += from < to ? to - from : 0;
		}
		done = end > done ? end : done;
	}
	return bytes;
}

/* Sorted ranges that overlap become one: each byte counts once, and is looked at once. */
static void join_ranges(struct ranges *ranges)
{
	size_t kept = 0;

	if (!ranges->count)
		return;
	qsort(ranges->range, ranges->count, sizeof(*ranges->range), by_start);
	for (size_t i = 1; i < ranges->count; i++) {
		struct range *last = &ranges->range[kept];

		if (ranges->range[i].start > last->end)
			ranges->range[++kept] = ranges->range[i];
		else if (ranges->range[i].end > last->end)
			last->end = ranges->range[i].end;
	}
	ranges->count = kept + 1;
}

/* Every section of a relocatable object begins at 0: there are no addresses to compare. An FDE that ends behind the
 * longest of them covers none. */
static uint64_t covered_at_0(const struct cfi *cfi, const struct ranges *code, uint64_t executable)
{
	uint64_t bytes = 0, longest = 0;

	for (size_t i = 0; i < code->count; i++)
		if (code->range[i].end > longest)
			longest = code->range[i].end;
	for (size_t i = 0; i < cfi->fde_count; i++)
		if (cfi->fde[i].pc_begin <= longest &&
		    cfi->fde[i].pc_range <= longest - cfi->fde[i].pc_begin)
			bytes += cfi->fde[i].pc_range;
	return bytes < executable ? bytes : executable;
}

/* Unless it was laid out (objects/object.h): then each has a place. */
static uint64_t covered_of_object(const struct cfi *cfi, const struct ranges *code,
				  uint64_t executable)
{
	struct ranges places = { NULL, 0 };
	uint64_t bytes;
	size_t size;
	const uint8_t *file;

	if (cfi->image->type == ET_REL)
		return covered_at_0(cfi, code, executable);
	file = image_file_bytes(cfi->image, &size);
	elf_version(EV_CURRENT);
	add_elf(&places, elf_memory((char *)(uintptr_t)file, size)); /* which is only read */
	join_ranges(&places);
	bytes = covered(cfi, &places);
	free(places.range);
	return bytes;
}

void gate_image_read(const struct image *image, const char *file, const struct cfi *cfi,
		     struct gate_image *ret)
{
	struct ranges code = { NULL, 0 };
	struct error ignored;

	*ret = (struct gate_image) { 0 };
	add_sections(&code, file);
	for (size_t i = 0; !code.count && i < image->segment_count; i++)
		if (image->segment[i].executable)
			add_range(&code, image->segment[i].vaddr, image->segment[i].file_bytes);
	if (image->type != ET_REL) /* there each section begins at 0 */
		join_ranges(&code);
	for (size_t i = 0; i < code.count; i++)
		ret->code_bytes += code.range[i].end - code.range[i].start;
	if (cfi) {
		ret->covered_bytes = image->type == ET_REL
					     ? covered_of_object(cfi, &code, ret->code_bytes)
					     : covered(cfi, &code);
		ret->unread_fdes = cfi->diagnostics.count + cfi->diagnostics.dropped;
		if (cfi_outside(cfi, NULL, NULL, &ret->outside_fdes, &ignored))
			ret->outside_fdes = 0;
	}
	free(code.range);
}

static void set_count(json_t *object, const char *name, uint64_t count)
{
	json_object_set_new(object, name, json_integer((json_int_t)count));
}

void gate_image_json(const struct gate_image *image, json_t *object)
{
	json_t *reasons = json_object();

	if (image->unread_fdes)
		set_count(reasons, "unread", image->unread_fdes);
	if (image->outside_fdes)
		set_count(reasons, "outside", image->outside_fdes);
	set_count(object, "lost_fdes", image->unread_fdes + image->outside_fdes);
	json_object_set_new(object, "lost_fdes_by_reason", reasons);
	set_count(object, "executable_bytes", image->code_bytes);
	set_count(object, "covered_bytes", image->covered_bytes);
}

bool gate_is_below(struct gate *gate, uint64_t part, uint64_t whole)
{
	bool below = whole && 100.0 * (double)part < gate->coverage * (double)whole;

	gate_leave(gate, GATE_COVERAGE, below);
	return below;
}

void gate_add_image(struct gate *gate, const json_t *object, bool named)
{
	const json_t *reasons = json_object_get(object, "lost_fdes_by_reason");
	uint64_t lost = json_count(reasons, "unread");
	uint64_t malformed = json_count(object, "malformed_rows");
	uint64_t code = json_count(object, "executable_bytes");
	uint64_t covered_bytes = json_count(object, "covered_bytes");

	gate_leave(gate, GATE_LOST_FDES, lost);
	gate_leave(gate, GATE_OUTSIDE_FDES, json_count(reasons, "outside"));
	gate_leave(gate, GATE_MALFORMED, malformed);
	gate->bad_input |= named && (lost || malformed);
	gate->code_bytes += code;
	gate->covered_bytes += covered_bytes;
	/* Without code there is nothing to cover: a debug file's sections have no bytes. */
	if (!gate->covers_fdes)
		gate_is_below(gate, covered_bytes, code);
}

void gate_leave_list(struct gate *gate, const struct image_list *list)
{
	gate_leave(gate, GATE_UNREADABLE, list->unreadable);
	gate_leave(gate, GATE_EMPTY, list->empty);
	gate_leave(gate, GATE_THIN, list->thin_archives);
	gate_leave(gate, GATE_LTO, list->bitcode);
	gate_leave(gate, GATE_NESTED, list->nested_archives);
}

bool gate_is_named(const struct image_path *path, const char *code)
{
	bool foreign = !strcmp(code, error_code_name(ERROR_UNSUPPORTED_ELF));

	return path->named && !(foreign && path->archive_length);
}
