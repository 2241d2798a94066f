/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_sections.c - sections .eh_frame of a linked image that unwinders are not led to
 *
 * A linker joins all of them into one. Where a linked image has several, a run-time begins at the
 * one that PT_GNU_EH_FRAME leads to, and libgcc without a search table, and who reads sections by
 * name, stop at its end. In a process, an image that other images are loaded with is found by that segment
 * alone (dl_iterate_phdr(3)), unless it registers its frames itself, as crtbegin did before.
 *
 * What the search table leads to, eh_frame_hdr_check() says. A program without any other image may have
 * no unwinder in it: nobody is accused.
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>
#include "image/eh_frames.h"
#include "lint_extent.h"

#define REGISTERS_ITSELF "__register_frame"

/* One that has bytes: objcopy leaves an empty one where a section was removed. */
static bool has_header(const struct image *image, uint32_t type)
{
	Elf64_Phdr header;

	return image_program_header(image, type, &header) && header.p_filesz;
}

/* Any mention of it will do. */
static bool registers_itself(const struct image *image)
{
	size_t size;
	const uint8_t *file = image_file_bytes(image, &size);

	return memmem(file, size, REGISTERS_ITSELF, strlen(REGISTERS_ITSELF)) != NULL;
}

static bool has_fdes(const struct cfi *cfi, const struct image_section *section)
{
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		if (cfi->cie[cfi->fde[cfi->by_pc[i]].cie].section == section)
			return true;
	return false;
}

static void tell(struct lint_judge *judge, const struct image_section *section, const char *why)
{
	struct lint_finding finding = { .id = LINT_SECTION };

	snprintf(finding.declared, sizeof(finding.declared), "%s of %zu bytes at 0x%" PRIx64,
		 section->name, section->size, section->vaddr);
	snprintf(finding.actual, sizeof(finding.actual), "%s", why);
	lint_judge_report(judge, &finding);
}

void lint_sections_check(struct lint_judge *judge)
{
	const struct cfi *cfi = judge->cfi;
	const struct image *image = cfi->image;
	const struct image_section *section;

	for (size_t i = 1; (section = image_eh_frame(image, i)); i++)
		if (section->data)
			tell(judge, section, "there is another, at which unwinders begin");
	if (has_fdes(cfi, &image->eh_frame) && has_header(image, PT_DYNAMIC) &&
	    !has_header(image, PT_GNU_EH_FRAME) && !registers_itself(image))
		tell(judge, &image->eh_frame, "no PT_GNU_EH_FRAME leads there");
}
