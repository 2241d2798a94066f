/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object_layout.c - where each section of an object file is
 *
 *	headers | sections with instructions, int3 between them | other sections with bytes |
 *	a byte for each symbol | sections without bytes
 *
 * Code that goes on behind its section's end meets int3, not another section: what a linker would put
 * there is not known. A section without bytes (.bss) has few addresses: nothing is read there. Its
 * .debug_frame has the address 0, as in a linked file.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "image/eh_frames.h"
#include "object_link.h"

#define SECTION_GAP	  32 /* longer than an instruction */
#define ALIGNMENT_LARGEST 64
#define EMPTY_BYTES	  4096 /* of a section without bytes */
#define PAGE		  4096

int object_no_memory(struct object_link *link)
{
	return error_set(link->error, ERROR_MEMORY, NULL, 0, "no memory to lay out %s",
			 link->file->path);
}

/* The reader of images has decompressed it already. */
static bool take_debug_frame(struct object_link *link, struct object_place *place)
{
	const struct image_section *section = &link->file->debug_frame;

	if (!section->name || !section->data ||
	    (strcmp(place->name, ".debug_frame") && strcmp(place->name, ".zdebug_frame")))
		return false;
	place->name = ".debug_frame";
	place->data = section->data;
	place->size = section->size;
	place->type = SHT_PROGBITS;
	return place->placed = place->has_bytes = place->is_cfi = true;
}

static void read_section(struct object_link *link, Elf_Scn *section, size_t names)
{
	struct object_place *place = &link->place[elf_ndxscn(section)];
	const char *name;
	GElf_Shdr header;
	size_t size;
	const uint8_t *bytes = image_file_bytes(link->file, &size);

	if (!gelf_getshdr(section, &header))
		return;
	name = elf_strptr(link->elf, names, header.sh_name);
	place->name = name ? name : "";
	place->type = header.sh_type;
	if (take_debug_frame(link, place) || !(header.sh_flags & SHF_ALLOC) ||
	    header.sh_type == SHT_NULL)
		return;
	place->placed = true;
	place->size = header.sh_size;
	if (header.sh_type == SHT_NOBITS || !header.sh_size)
		return;
	place->has_bytes = true;
	place->data = bytes + header.sh_offset; /* image_create() has checked that */
	place->executable = header.sh_flags & SHF_EXECINSTR;
	place->is_cfi = !strcmp(place->name, ".eh_frame");
}

/* No two sections of a file have the same bytes: else a small file could become a large image. */
static int check_sizes(struct object_link *link)
{
	uint64_t sum = 0;
	size_t file_size;

	image_file_bytes(link->file, &file_size);
	for (size_t i = 0; i < link->section_count; i++)
		if (link->place[i].has_bytes &&
		    link->place[i].data != link->file->debug_frame.data &&
		    __builtin_add_overflow(sum, link->place[i].size, &sum))
			sum = UINT64_MAX;
	if (sum > file_size)
		return error_set(link->error, ERROR_ELF_BOUNDS, NULL, 0,
				 "sections that lie over each other");
	if (sum > OBJECT_BYTES_MAX / 2)
		return error_set(link->error, ERROR_TABLE_LIMIT, NULL, 0,
				 "its sections are larger than what is laid out");
	return 0;
}

static uint64_t align(uint64_t at, uint64_t alignment)
{
	return (at + alignment - 1) / alignment * alignment;
}

static uint64_t alignment_of(struct object_link *link, size_t number)
{
	GElf_Shdr header;

	if (!gelf_getshdr(elf_getscn(link->elf, number), &header) || header.sh_addralign < 16)
		return 16;
	return header.sh_addralign > ALIGNMENT_LARGEST ? ALIGNMENT_LARGEST : header.sh_addralign;
}

/* Those with bytes, with instructions or without, from offset at on. Returns the end. */
static uint64_t place_bytes(struct object_link *link, bool executable, uint64_t at)
{
	for (size_t i = 1; i < link->section_count; i++) {
		struct object_place *place = &link->place[i];

		if (!place->has_bytes || place->executable != executable)
			continue;
		place->offset = align(at, alignment_of(link, i));
		if (place->data != link->file->debug_frame.data)
			place->vaddr = OBJECT_BASE + place->offset;
		at = place->offset + place->size + SECTION_GAP;
	}
	return at;
}

static void place_empty(struct object_link *link, uint64_t vaddr)
{
	for (size_t i = 1; i < link->section_count; i++) {
		struct object_place *place = &link->place[i];

		if (!place->placed || place->has_bytes)
			continue;
		place->vaddr = vaddr;
		vaddr += EMPTY_BYTES;
	}
}

static int place_all(struct object_link *link)
{
	link->text_begin = PAGE;
	link->text_end = place_bytes(link, true, link->text_begin);
	link->data_begin = align(link->text_end, PAGE);
	link->data_end = place_bytes(link, false, link->data_begin);
	link->undefined_offset = align(link->data_end, PAGE);
	link->undefined_vaddr = OBJECT_BASE + link->undefined_offset;
	uint64_t end = link->undefined_offset + link->symbol_count;
	place_empty(link, OBJECT_BASE + align(end, PAGE));
	return object_begin_image(link, end);
}

static int compare_sections(const void *left, const void *right)
{
	const struct object_section *a = left, *b = right;

	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

/* What is asked for later: code and data with bytes. */
static int keep_sections(struct object_link *link)
{
	struct object *object = link->object;

	for (size_t i = 1; i < link->section_count; i++) {
		const struct object_place *place = &link->place[i];

		if (!place->has_bytes || !place->vaddr)
			continue;
		if (!ARRAY_GROW(object->section, object->section_count))
			return object_no_memory(link);
		object->section[object->section_count++] = (struct object_section) {
			place->vaddr, place->size, place->name, place->data, i
		};
	}
	if (object->section_count)
		qsort(object->section, object->section_count, sizeof(*object->section),
		      compare_sections);
	return 0;
}

static int lay_out(struct object_link *link)
{
	size_t names, count, size;
	const uint8_t *bytes = image_file_bytes(link->file, &size);
	Elf_Scn *section = NULL;

	/* libelf would read them at offset 0. */
	if (!link->file->has_sections)
		return error_set(link->error, ERROR_NOT_ELF, NULL, 0,
				 "an object file without sections");
	elf_version(EV_CURRENT);
	link->elf = link->object->elf = elf_memory((char *)bytes, size);
	if (!link->elf || elf_getshdrnum(link->elf, &count) || elf_getshdrstrndx(link->elf, &names))
		return error_set(link->error, ERROR_NOT_ELF, NULL, 0, "libelf: %s", elf_errmsg(-1));
	link->section_count = count;
	link->place = calloc(count + 1, sizeof(*link->place));
	if (!link->place)
		return object_no_memory(link);
	while ((section = elf_nextscn(link->elf, section)))
		if (elf_ndxscn(section) < count)
			read_section(link, section, names);
	object_find_symbols(link);
	if (check_sizes(link) || place_all(link) || keep_sections(link) || object_relocate(link))
		return -1;
	return object_end_image(link);
}

int object_create(const struct image *file, struct object **ret, struct error *error)
{
	struct object *object = calloc(1, sizeof(*object));
	struct object_link link = { .file = file, .object = object, .error = error };
	int result = object ? lay_out(&link) : object_no_memory(&link);

	free(link.bytes);
	free(link.place);
	if (result) {
		object_destroy(object);
		object = NULL;
	}
	*ret = object;
	return result;
}

void object_destroy(struct object *object)
{
	if (!object)
		return;
	image_destroy(object->image);
	elf_end(object->elf);
	free(object->section);
	free(object->field);
	free(object->unknown);
	free(object);
}

const struct object_section *object_section_find(const struct object *object, uint64_t vaddr)
{
	size_t low = 0, high = object->section_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (object->section[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || vaddr - object->section[low - 1].vaddr > object->section[low - 1].size)
		return NULL;
	return &object->section[low - 1];
}

const struct object_field *object_field_find(const struct object *object, uint64_t vaddr,
					     uint64_t size)
{
	size_t low = 0, high = object->field_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (object->field[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < object->field_count && object->field[low].vaddr - vaddr < size
		       ? &object->field[low]
		       : NULL;
}
