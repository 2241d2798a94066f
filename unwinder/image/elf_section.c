/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_section.c - the sections with call frame information, and their bytes
 *
 * A file may have several sections .eh_frame: compilers give theirs a type of its own
 * (SHT_X86_64_UNWIND), assembly has the general one, and `ld -r` joins only equals. All of them are
 * read. The image's .eh_frame is the one that .eh_frame_hdr names, which is where a run-time
 * begins; without one, the first that has bytes. Each other has its number in its name,
 * ".eh_frame[7]", as `readelf -S` shows it: an offset in .eh_frame alone would say nothing.
 */
#include <assert.h>
#include <endian.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "eh_frame_hdr.h"
#include "elf_image.h"
#include "sframes.h"

/* zlib makes up to 1,032 bytes of one. CFI becomes three to eight times as long; what claims
 * more than this, and is not small, is there to eat memory. */
#define INFLATED_RATIO_MAX 16
#define INFLATED_ALWAYS	   (16u << 20)

/* As the compressed section says of itself; 0: it doesn't. */
static uint64_t inflated_size(Elf_Scn *section, const GElf_Shdr *header, bool gnu_compressed)
{
	GElf_Chdr compressed;
	uint64_t size;
	if (header->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
	Elf_Data *data = gnu_compressed ? elf_rawdata(section, NULL) : NULL;
	if (!data || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4))
		return 0;
	memcpy(&size, (const uint8_t *)data->d_buf + 4, sizeof(size));
	return be64toh(size);
}

/* gABI, "Section Compression"; .zdebug_*. */
int section_bytes(const struct image *image, Elf_Scn *section, GElf_Shdr *header, const char *name,
		  bool gnu_compressed, struct image_section *ret, struct error *error)
{
	uint64_t file_offset = header->sh_offset;
	int decompressed = 1;
	*ret = (struct image_section) { .size = header->sh_size,
					.vaddr = header->sh_addr,
					.file_offset = file_offset,
					.name = name };
	if (header->sh_type == SHT_NOBITS || !header->sh_size)
		return 0;
	uint64_t inflated = inflated_size(section, header, gnu_compressed);
	if (inflated > INFLATED_ALWAYS && inflated / INFLATED_RATIO_MAX > header->sh_size)
		return error_set(error, ERROR_ELF_BOUNDS, name, file_offset,
				 "the section's 0x%" PRIx64 " bytes would become 0x%" PRIx64,
				 header->sh_size, inflated);
	if (gnu_compressed || header->sh_flags & SHF_COMPRESSED)
		((struct image_file *)image->priv)->is_private = true;
	if (header->sh_flags & SHF_COMPRESSED)
		decompressed = elf_compress(section, 0, 0);
	else if (gnu_compressed)
		decompressed = elf_compress_gnu(section, 0, 0);
	if (decompressed < 0 || !gelf_getshdr(section, header))
		return error_set(error, ERROR_ELF_BOUNDS, name, file_offset,
				 "the section can't be decompressed: %s", elf_errmsg(-1));
	Elf_Data *data = elf_getdata(section, NULL);
	if (!data)
		return error_set(error, ERROR_ELF_BOUNDS, name, file_offset,
				 "the section can't be read: %s", elf_errmsg(-1));
	ret->data = data->d_buf;
	ret->size = data->d_buf ? data->d_size : 0;
	if (image->type == ET_REL && ret->data)
		return section_relocate(image->priv, section, name, data->d_buf, data->d_size,
					error);
	return 0;
}

/* ---- several sections .eh_frame ----------------------------------------------------------- */

/* Both lie in the file, so that nothing wraps. */
static bool overlaps(const struct file_range *range, const GElf_Shdr *header)
{
	return header->sh_offset < range->offset + range->size &&
	       range->offset < header->sh_offset + header->sh_size;
}

/* The bytes of one are read once: else a small file could take as long as a large one. */
static bool is_shared(const struct image *image, const struct image_file *file,
		      const GElf_Shdr *header)
{
	if (overlaps(&file->first_eh_frame, header))
		return true;
	return ARRAY_ANY(file->other_eh_frames, i,
			 overlaps(&file->other_eh_frame[i].in_file, header));
}

/* What ends an .eh_frame may be all of one. */
static bool is_terminator(const struct image_file *file, const GElf_Shdr *header)
{
	static const uint8_t nothing[16];

	return header->sh_size <= sizeof(nothing) && header->sh_offset <= file->size &&
	       header->sh_size <= file->size - header->sh_offset &&
	       !memcmp(file->data + header->sh_offset, nothing, header->sh_size);
}

/* Room for one more, behind those that are counted. *ret NULL: there are as many as are read. */
static int more_eh_frames(struct image_file *file, struct other_eh_frame **ret, struct error *error)
{
	*ret = NULL;
	if (!file->other_eh_frame)
		file->other_eh_frame = calloc(EH_FRAMES_MAX, sizeof(*file->other_eh_frame));
	if (!file->other_eh_frame)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for sections");
	if (file->other_eh_frames == EH_FRAMES_MAX)
		file->eh_frames_unread++;
	else
		*ret = &file->other_eh_frame[file->other_eh_frames];
	return 0;
}

/* Another .eh_frame. What is wrong with it is kept: it costs this section only. */
static int add_eh_frame(struct image *image, Elf_Scn *section, GElf_Shdr *header,
			struct error *error)
{
	struct image_file *file = image->priv;
	uint64_t in_file = header->sh_size; /* decompressed, it is more */
	struct other_eh_frame *other;

	if (is_terminator(file, header))
		return 0;
	if (more_eh_frames(file, &other, error))
		return -1;
	if (!other)
		return 0;
	snprintf(other->name, sizeof(other->name), ".eh_frame[%zu]", elf_ndxscn(section));
	if (is_shared(image, file, header))
		error_set(&other->error, ERROR_ELF_BOUNDS, other->name, header->sh_offset,
			  "the section's bytes are another section's, too");
	else
		section_bytes(image, section, header, other->name, false, &other->section,
			      &other->error);
	other->in_file = (struct file_range) { header->sh_offset, in_file };
	if (other->error.code)
		other->section = (struct image_section) { .name = other->name };
	file->other_eh_frames++;
	return 0;
}

/* The first that has bytes; empty ones before it are counted. */
static int add_first_eh_frame(struct image *image, Elf_Scn *section, GElf_Shdr *header,
			      struct error *error)
{
	struct image_file *file = image->priv;

	image->empty_eh_frames += image->eh_frame.name ? 1 : 0;
	file->first_eh_frame = (struct file_range) { header->sh_offset, header->sh_size };
	file->first_eh_frame_number = elf_ndxscn(section);
	return section_bytes(image, section, header, ".eh_frame", false, &image->eh_frame, error);
}

/* A run-time begins at the one that .eh_frame_hdr names. */
static void choose_eh_frame(struct image *image)
{
	struct image_file *file = image->priv;
	struct image_section first = image->eh_frame;
	struct eh_frame_hdr hdr;
	struct error ignored;

	if (!file->other_eh_frames || eh_frame_hdr_read(image, &hdr, &ignored) ||
	    hdr.eh_frame_vaddr == first.vaddr)
		return;
	for (size_t i = 0; i < file->other_eh_frames; i++) {
		struct other_eh_frame *other = &file->other_eh_frame[i];

		if (other->error.code || other->section.vaddr != hdr.eh_frame_vaddr)
			continue;
		image->eh_frame = other->section;
		image->eh_frame.name = ".eh_frame";
		other->section = first;
		snprintf(other->name, sizeof(other->name), ".eh_frame[%zu]",
			 file->first_eh_frame_number);
		other->section.name = other->name;
		return;
	}
}

/* ---- all of them --------------------------------------------------------------------------- */

static int add_section(struct image *image, Elf_Scn *section, GElf_Shdr *header, const char *name,
		       struct error *error)
{
	if (!strcmp(name, ".sframe") || header->sh_type == SHT_GNU_SFRAME)
		return image_add_sframe(image, section, header, error);
	if (!strcmp(name, ".eh_frame") && !image->eh_frame.data)
		return add_first_eh_frame(image, section, header, error);
	if (!strcmp(name, ".eh_frame"))
		return header->sh_type == SHT_NOBITS || !header->sh_size
			       ? 0
			       : add_eh_frame(image, section, header, error);
	if (!strcmp(name, ".eh_frame_hdr"))
		return section_bytes(image, section, header, ".eh_frame_hdr", false,
				     &image->eh_frame_hdr, error);
	/* Compressed in a way that libelf doesn't know, it costs only itself. */
	if (!strcmp(name, ".debug_frame") || !strcmp(name, ".zdebug_frame"))
		section_bytes(image, section, header,
			      name[1] == 'z' ? ".zdebug_frame" : ".debug_frame", name[1] == 'z',
			      &image->debug_frame, &image->debug_frame_error);
	return 0;
}

int image_read_sections(struct image *image, struct error *error)
{
	const struct image_file *file = image->priv;
	uint64_t got_vaddr = 0;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names))
		return 0; /* no section names: by segment, in elf_image.c */
	while ((section = elf_nextscn(file->elf, section))) {
		const char *name;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(file->elf, names, header.sh_name);
		if (!name)
			continue;
		if (!strcmp(name, ".text"))
			image->text_vaddr = header.sh_addr;
		else if (!strcmp(name, ".got"))
			got_vaddr = header.sh_addr;
		if (add_section(image, section, &header, name, error))
			return -1;
	}
	image->data_vaddr = got_vaddr ? got_vaddr : image->eh_frame_hdr.vaddr;
	choose_eh_frame(image);
	return 0;
}

int image_add_eh_frame(struct image *image, uint8_t *data, size_t size, uint64_t vaddr, bool first,
		       struct error *error)
{
	struct image_file *file = image->priv;
	struct image_section section = { .data = data, .size = size, .vaddr = vaddr };
	struct other_eh_frame *other;

	assert(!file->added_eh_frame);
	file->added_eh_frame = data;
	if (!image->eh_frame.data) {
		section.name = ".eh_frame";
		image->eh_frame = section;
		return 0;
	}
	if (more_eh_frames(file, &other, error))
		return -1;
	if (!other)
		return 0;
	file->other_eh_frames++;
	snprintf(other->name, sizeof(other->name), first ? ".eh_frame[file]" : ".eh_frame[added]");
	other->section = first ? image->eh_frame : section;
	other->section.name = other->name;
	if (first) {
		section.name = ".eh_frame";
		image->eh_frame = section;
	}
	return 0;
}

bool image_eh_frame_is_added(const struct image *image)
{
	const struct image_file *file = image->priv;

	return file && file->added_eh_frame && image->eh_frame.data == file->added_eh_frame;
}

bool image_eh_frame_is_unnamed(const struct image *image)
{
	const struct image_file *file = image->priv;

	return file && image->eh_frame.data && !file->first_eh_frame_number &&
	       !file->added_eh_frame;
}

const struct image_section *image_eh_frame(const struct image *image, size_t number)
{
	const struct image_file *file = image->priv; /* NULL: bytes without an image */

	if (!number)
		return image->eh_frame.data ? &image->eh_frame : NULL;
	return file && number <= file->other_eh_frames ? &file->other_eh_frame[number - 1].section
						       : NULL;
}

void image_eh_frame_errors(const struct image *image, struct error_list *ret)
{
	const struct image_file *file = image->priv;
	struct error error;

	for (size_t i = 0; file && i < file->other_eh_frames; i++)
		if (file->other_eh_frame[i].error.code)
			error_list_add(ret, &file->other_eh_frame[i].error);
	if (!file || !file->eh_frames_unread)
		return;
	error_set(&error, ERROR_UNSUPPORTED_ELF, NULL, 0,
		  "%zu sections .eh_frame more than the %u that are read", file->eh_frames_unread,
		  EH_FRAMES_MAX + 1);
	error_list_add(ret, &error);
}

const struct image_section *image_cfi_section(const struct image *image, const char *name)
{
	const struct image_section *section;

	if (image->debug_frame.name && !strcmp(name, image->debug_frame.name))
		return &image->debug_frame;
	for (size_t i = 0; (section = image_eh_frame(image, i)); i++)
		if (section->name && !strcmp(name, section->name))
			return section;
	return NULL;
}

uint64_t image_cfi_bytes(const struct image *image)
{
	uint64_t bytes = image->debug_frame.size;
	const struct image_section *section;

	for (size_t i = 0; (section = image_eh_frame(image, i)); i++)
		bytes += section->data ? section->size : 0;
	return bytes;
}
