/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_ranges.c - which bytes of an ELF file unwinding needs
 *
 * The headers, and the sections that CFI, symbols, build-id and producer are in. Of a binary of many
 * megabytes that is a small part: code and data are left out, but for the pages of code that the
 * stack goes through, and debug info is. What is left out reads as zeros.
 *
 * Nobody promises that an engine looks at nothing else. So who collects a dispute asks the engines on
 * what is kept, and keeps the whole file if one of them comes to another answer.
 */
#include <elf.h>
#include <gelf.h>
#include <string.h>
#include "array.h"
#include "disputes.h"

#define PAGE_BYTES 4096u

int dispute_keep_range(struct dispute_image *image, uint64_t offset, uint64_t size,
		       struct error *error)
{
	uint64_t end = size < image->file_bytes - offset ? offset + size : image->file_bytes;
	struct dispute_range *range = image->range;
	size_t at = 0, behind;

	if (offset >= image->file_bytes || !size)
		return 0;
	/* Whole pages: file systems have holes of no less. */
	offset &= ~(uint64_t)(PAGE_BYTES - 1);
	end = (end + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	if (end > image->file_bytes)
		end = image->file_bytes;
	while (at < image->range_count && range[at].offset + range[at].size < offset)
		at++;
	/* Those that it touches become one with it. */
	for (behind = at; behind < image->range_count && range[behind].offset <= end; behind++) {
		if (range[behind].offset < offset)
			offset = range[behind].offset;
		if (range[behind].offset + range[behind].size > end)
			end = range[behind].offset + range[behind].size;
	}
	if (behind == at) {
		if (!ARRAY_GROW(image->range, image->range_count))
			return error_set(error, ERROR_MEMORY, "", 0,
					 "no memory for an image's part");
		range = image->range;
		memmove(&range[at + 1], &range[at], (image->range_count - at) * sizeof(*range));
		image->range_count++;
	} else {
		memmove(&range[at + 1], &range[behind],
			(image->range_count - behind) * sizeof(*range));
		image->range_count -= behind - at - 1;
	}
	range[at] = (struct dispute_range) { offset, end - offset };
	return 0;
}

static bool is_needed(const GElf_Shdr *header, const char *name)
{
	static const char *const needed[] = { ".eh_frame",	".eh_frame_hdr", ".debug_frame",
					      ".zdebug_frame",	".shstrtab",	 ".gnu_debuglink",
					      ".gnu_debugdata", ".comment",	 ".plt",
					      ".plt.got",	".plt.sec",	 ".got" };

	switch (header->sh_type) {
	case SHT_NOBITS: return false;
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_DYNAMIC:
	case SHT_NOTE:
	case SHT_SYMTAB_SHNDX:
	case SHT_X86_64_UNWIND: return true;
	default: break;
	}
	return name && ARRAY_ANY(ARRAY_COUNT(needed), i, !strcmp(name, needed[i]));
}

static int keep_sections(struct dispute_image *image, Elf *elf, size_t names, struct error *error)
{
	Elf_Scn *section = NULL;
	int status = 0;

	while (!status && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    is_needed(&header, elf_strptr(elf, names, header.sh_name)))
			status = dispute_keep_range(image, header.sh_offset, header.sh_size, error);
	}
	return status;
}

static int keep_headers(struct dispute_image *image, Elf *elf, const GElf_Ehdr *header,
			struct error *error)
{
	size_t sections = 0, segments = 0;

	elf_getshdrnum(elf, &sections);
	elf_getphdrnum(elf, &segments);
	if (dispute_keep_range(image, 0, header->e_ehsize, error) ||
	    dispute_keep_range(image, header->e_phoff, segments * header->e_phentsize, error) ||
	    dispute_keep_range(image, header->e_shoff, sections * header->e_shentsize, error))
		return -1;
	for (size_t i = 0; i < segments; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) &&
		    (segment.p_type == PT_NOTE || segment.p_type == PT_DYNAMIC ||
		     segment.p_type == PT_INTERP || segment.p_type == PT_GNU_EH_FRAME) &&
		    dispute_keep_range(image, segment.p_offset, segment.p_filesz, error))
			return -1;
	}
	return 0;
}

int dispute_keep_ranges(struct dispute_image *image, struct error *error)
{
	size_t names = 0, sections = 0;
	GElf_Ehdr header;
	int status;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image->bytes, image->file_bytes);
	if (elf && gelf_getehdr(elf, &header) && !elf_getshdrnum(elf, &sections) && sections &&
	    !elf_getshdrstrndx(elf, &names)) {
		status = keep_headers(image, elf, &header, error) ||
					 keep_sections(image, elf, names, error)
				 ? -1
				 : 0;
	} else {
		image->whole = true;
		status = dispute_keep_range(image, 0, image->file_bytes, error);
	}
	elf_end(elf);
	return status;
}
