/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_elsewhere.c - code without CFI in any file, of which a program may have CFI all the same
 *
 * That CFI is missing can be said where all that there could be is known. It is not known
 *
 *	of generated code, if the program may call __register_frame(): a JIT gives its run-time
 *	FDEs by that, and exceptions go through it
 *	of a file without section headers and without .eh_frame_hdr: its start-up code knows where
 *	its .eh_frame is (__register_frame_info()), and nothing in the file says it
 *
 * Who calls it has its name: to be linked by, or for dlsym(3). libgcc_s and libunwind, which have
 * it too, define it and don't call it; but a program that defines it has it linked in. A static
 * program without symbols may have it under no name.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "comparer.h"
#include "proc_file.h"

static const char register_frame[] = "__register_frame";

static bool has_name(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		const uint8_t *bytes = image_bytes(image, segment->vaddr, segment->file_bytes);

		if (bytes &&
		    memmem(bytes, segment->file_bytes, register_frame, sizeof(register_frame)))
			return true;
	}
	return false;
}

static bool may_call(const struct image *image, bool is_program)
{
	size_t symbols;

	if (image_symbol_address(image, register_frame))
		return is_program;
	image_symbols(image, &symbols);
	return has_name(image) || (is_program && !symbols);
}

/* One of its images may. */
static bool process_may_register(const struct address_space *space)
{
	char program[4096];
	const struct image *last = NULL;

	proc_link_read(process_living_thread(space->pid), "exe", program, sizeof(program));
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *mapping = &space->mapping[i];

		if (!mapping->entry || mapping->entry->image == last)
			continue;
		last = mapping->entry->image;
		if (may_call(last, !strcmp(mapping->path, program)))
			return true;
	}
	return false;
}

/* Which images a process has: a JIT's mappings change, its libraries seldom do. */
static uint64_t images_of(const struct address_space *space)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < space->mapping_count; i++)
		if (space->mapping[i].entry)
			sum = sum * 0x100000001b3 + space->mapping[i].entry->id + 1;
	return sum;
}

bool cfi_may_be_elsewhere(struct comparer *comparer, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(&comparer->space, pc);
	uint64_t images;

	if (mapping && mapping->entry)
		return !mapping->entry->image->has_sections &&
		       !mapping->entry->image->eh_frame.data;
	images = images_of(&comparer->space);
	if (comparer->registering.images != images) {
		comparer->registering.images = images;
		comparer->registering.may = process_may_register(&comparer->space);
	}
	return comparer->registering.may;
}
