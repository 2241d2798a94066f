/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_sframe.c - the sections .sframe of a file, by section header or by PT_GNU_SFRAME
 *
 * A section that can't be read costs nothing but itself: no walk by call frame information needs it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "elf_image.h"
#include "sframes.h"

struct sframe_section {
	struct image_section section; /* its name points to the next member */
	char name[24];		      /* ".sframe", ".sframe[7]" */
	struct error error;
};

/* Room for one more. *ret NULL: there are as many as are read. */
static int add(struct image_file *file, struct sframe_section **ret, struct error *error)
{
	*ret = NULL;
	if (!file->sframe)
		file->sframe = calloc(SFRAMES_MAX, sizeof(*file->sframe));
	if (!file->sframe)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for sections");
	if (file->sframe_count < SFRAMES_MAX)
		*ret = &file->sframe[file->sframe_count++];
	return 0;
}

int image_add_sframe(struct image *image, Elf_Scn *section, GElf_Shdr *header, struct error *error)
{
	struct image_file *file = image->priv;
	struct sframe_section *added;

	if (header->sh_type == SHT_NOBITS || !header->sh_size)
		return 0;
	if (add(file, &added, error))
		return -1;
	if (!added)
		return 0;
	if (file->sframe_count == 1)
		snprintf(added->name, sizeof(added->name), ".sframe");
	else
		snprintf(added->name, sizeof(added->name), ".sframe[%zu]", elf_ndxscn(section));
	if (section_bytes(image, section, header, added->name, false, &added->section,
			  &added->error))
		added->section = (struct image_section) { .name = added->name };
	return 0;
}

int image_find_sframe(struct image *image, const Elf64_Phdr *segment, struct error *error)
{
	struct image_file *file = image->priv;
	struct sframe_section *added;
	size_t size;
	const uint8_t *data = image_bytes_most(image, segment->p_vaddr, segment->p_filesz, &size);

	if (file->sframe_count || !segment->p_filesz)
		return 0;
	if (add(file, &added, error))
		return -1;
	file->sframe_unnamed = true;
	snprintf(added->name, sizeof(added->name), ".sframe");
	added->section = (struct image_section) { .name = added->name, .vaddr = segment->p_vaddr };
	if (!data) {
		error_set(&added->error, ERROR_ELF_BOUNDS, "PT_GNU_SFRAME", segment->p_offset,
			  "its address 0x%" PRIx64 " lies in no segment", segment->p_vaddr);
		return 0;
	}
	added->section.data = data;
	added->section.size = size;
	added->section.file_offset = (uint64_t)(data - file->data);
	return 0;
}

const struct image_section *image_sframe(const struct image *image, size_t number,
					 const struct error **ret_unread)
{
	const struct image_file *file = image->priv; /* NULL: bytes without an image */

	if (!file || number >= file->sframe_count)
		return NULL;
	*ret_unread = &file->sframe[number].error;
	return &file->sframe[number].section;
}

bool image_sframe_is_unnamed(const struct image *image)
{
	const struct image_file *file = image->priv;

	return file && file->sframe_unnamed;
}

uint64_t image_sframe_bytes(const struct image *image)
{
	const struct image_section *section;
	const struct error *ignored;
	uint64_t bytes = 0;

	for (size_t i = 0; (section = image_sframe(image, i, &ignored)); i++)
		bytes += section->data ? section->size : 0;
	return bytes;
}
