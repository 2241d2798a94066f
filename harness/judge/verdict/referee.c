/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * referee.c - libdw's reading of the CFI alone
 *
 * When our reader and the truth disagree, a second reader decides whether the CFI or our reading of
 * it is wrong. dwarf_cfi_addrframe() gives libdw's decoded operations for the CFA and each register
 * at a PC; they are evaluated (operations.c) on the frame's registers. Nothing is guessed: where
 * libdw has no CFI, or an operation is not evaluated, the referee says so.
 *
 * libdw's frame for a PC is looked up in the image's file: the one that is mapped, whatever its
 * name leads to by now; a vDSO has none, and there the referee can't say.
 */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "array.h"
#include "image/eh_frames.h"
#include "verdict.h"
#include "tables/prove/operations.h"

struct refereed_image {
	struct image_entry *entry;
	int fd;
	Elf *elf;
	Dwarf_CFI *eh_frame; /* NULL: not asked yet */
	int debug_fd;	     /* of the file that has .debug_frame, if it is another; else -1 */
	Dwarf *dwarf;	     /* the same; has .debug_frame */
};

struct referee {
	struct refereed_image *image;
	size_t count;
};

struct referee *referee_create(void)
{
	elf_version(EV_CURRENT);
	return calloc(1, sizeof(struct referee));
}

/* The section in which ours found the address, or would have. */
static bool is_eh_frame(const struct cfi *cfi, uint64_t vaddr)
{
	const struct cfi_fde *fde = cfi ? cfi_fde_find(cfi, vaddr) : NULL;

	if (fde)
		return cfi->cie[fde->cie].section != &cfi->image->debug_frame;
	return !cfi || cfi->is_eh_frame;
}

/* libdw's reading of the section that ours read. */
static Dwarf_CFI *open_cfi(struct refereed_image *image, uint64_t vaddr)
{
	if (!image->elf)
		return NULL;
	if (is_eh_frame(image_entry_cfi(image->entry), vaddr)) {
		if (!image->eh_frame)
			image->eh_frame = dwarf_getcfi_elf(image->elf);
		return image->eh_frame;
	}
	if (!image->dwarf && image->debug_fd >= 0)
		image->dwarf = dwarf_begin(image->debug_fd, DWARF_C_READ);
	else if (!image->dwarf)
		image->dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
	return image->dwarf ? dwarf_getcfi(image->dwarf) : NULL; /* the Dwarf keeps it */
}

static void close_cfi(struct refereed_image *image)
{
	if (image->dwarf)
		dwarf_end(image->dwarf);
	if (image->eh_frame)
		dwarf_cfi_end(image->eh_frame);
	image->dwarf = NULL;
	image->eh_frame = NULL;
}

void referee_destroy(struct referee *referee)
{
	if (!referee)
		return;
	for (size_t i = 0; i < referee->count; i++) {
		close_cfi(&referee->image[i]);
		elf_end(referee->image[i].elf);
		if (referee->image[i].fd >= 0)
			close(referee->image[i].fd);
		if (referee->image[i].debug_fd >= 0)
			close(referee->image[i].debug_fd);
	}
	free(referee->image);
	free(referee);
}

static bool is_overlapping(struct image_entry *entry)
{
	const struct cfi *cfi = image_entry_cfi(entry);

	return cfi && cfi->overlapping;
}

/*
 * libdw (0.188) keeps the FDEs that it met in a tree in which two that overlap are equal: the first
 * one is then found for the other's PCs too. Where FDEs overlap it must begin anew each time.
 */
static Dwarf_CFI *without_memory(struct refereed_image *image, uint64_t vaddr)
{
	if (is_overlapping(image->entry))
		close_cfi(image);
	return open_cfi(image, vaddr);
}

/* As address_space.c opens it: a deleted or replaced file is still the one that was mapped. */
static int open_mapped(const struct address_space *space, const struct mapping *mapping)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 process_living_thread(space->pid), mapping->start, mapping->end);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd >= 0 ? fd : open(mapping->entry->image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static Dwarf_CFI *image_cfi(struct referee *referee, const struct address_space *space,
			    const struct mapping *mapping, uint64_t vaddr)
{
	struct image_entry *entry = mapping->entry;
	struct refereed_image image = { .entry = entry, .fd = -1, .debug_fd = -1 };

	for (size_t i = 0; i < referee->count; i++)
		if (referee->image[i].entry == entry)
			return without_memory(&referee->image[i], vaddr);
	if (!ARRAY_GROW(referee->image, referee->count))
		return NULL;
	image.fd = open_mapped(space, mapping);
	image.debug_fd = entry->image->debug ? open(entry->image->debug->path,
						    O_RDONLY | O_CLOEXEC | O_NONBLOCK)
					     : -1;
	image.elf = image.fd >= 0 ? elf_begin(image.fd, ELF_C_READ_MMAP, NULL) : NULL;
	referee->image[referee->count] = image;
	return open_cfi(&referee->image[referee->count++], vaddr);
}

/* ---- one step --------------------------------------------------------------------------- */

/* What libdw says of a PC, and the CFA. */
struct refereed_frame {
	Dwarf_Frame *frame;
	bool has_cfa;
	uint64_t cfa;
};

/* 0 found, 1 libdw has no CFI for it, -1 no word at all. ret->frame is the caller's to free. */
static int find_frame(struct referee *referee, const struct address_space *space,
		      const struct register_values *regs, uint64_t lookup_pc,
		      const struct memory_reader *memory, struct refereed_frame *ret)
{
	const struct mapping *mapping = address_space_find(space, lookup_pc);
	struct operations operations = { .regs = regs, .memory = memory };
	uint64_t vaddr = mapping ? lookup_pc - mapping->bias : 0;
	bool is_value = false;
	Dwarf_CFI *cfi = NULL;
	Dwarf_Op *ops = NULL;

	*ret = (struct refereed_frame) { .frame = NULL };
	if (mapping && mapping->entry)
		cfi = image_cfi(referee, space, mapping, vaddr);
	if (!cfi)
		return -1;
	/* Of several sections .eh_frame it reads one, and of FDEs that overlap it drops some: that it finds nothing
	 * says nothing there. */
	if (dwarf_cfi_addrframe(cfi, vaddr, &ret->frame))
		return image_eh_frame(mapping->entry->image, 1) || is_overlapping(mapping->entry)
			       ? -1
			       : 1;
	if (!dwarf_frame_cfa(ret->frame, &ops, &operations.count) && operations.count) {
		operations.op = ops;
		ret->has_cfa = operations_evaluate(&operations, &ret->cfa, &is_value);
	}
	return 0;
}

/* What became of one register. */
enum register_word { WORD_NONE, WORD_VALUE, WORD_UNDEFINED, WORD_UNREADABLE };

static enum register_word frame_register(const struct refereed_frame *frame, unsigned int reg,
					 const struct register_values *regs,
					 const struct memory_reader *memory, uint64_t *ret)
{
	struct operations operations = { .regs = regs, .memory = memory, .cfa = &frame->cfa };
	Dwarf_Op scratch[3], *ops = NULL;
	bool is_value = false;

	if (dwarf_frame_register(frame->frame, reg, scratch, &ops, &operations.count))
		return WORD_NONE;
	/* libdw: no operations at scratch means undefined, no operations at NULL the same value. */
	if (!operations.count && ops == scratch)
		return WORD_UNDEFINED;
	if (!operations.count) {
		if (reg >= REGISTER_COUNT || !(regs->known >> reg & 1))
			return WORD_NONE;
		*ret = regs->value[reg];
		return WORD_VALUE;
	}
	operations.op = ops;
	if (!operations_evaluate(&operations, ret, &is_value))
		return WORD_NONE;
	if (!is_value && memory->read(memory->context, *ret, ret, sizeof(*ret)))
		return WORD_UNREADABLE;
	return WORD_VALUE;
}

/* The column that holds the return address is the CIE's to say. */
static unsigned int return_column(Dwarf_Frame *frame)
{
	int column = dwarf_frame_info(frame, NULL, NULL, NULL);

	return column < 0 ? REGISTER_RIP : (unsigned int)column;
}

void referee_step(struct referee *referee, const struct address_space *space,
		  const struct register_values *regs, uint64_t lookup_pc,
		  const struct memory_reader *memory, struct referee_step *ret)
{
	struct refereed_frame frame;
	enum register_word word;
	int found = find_frame(referee, space, regs, lookup_pc, memory, &frame);

	*ret = (struct referee_step) { .known = found == 1, .no_cfi = found == 1 };
	ret->stuck = !found && !frame.has_cfa;
	if (found || !frame.has_cfa)
		goto out;
	ret->cfa = frame.cfa;
	word = frame_register(&frame, return_column(frame.frame), regs, memory,
			      &ret->return_address);
	ret->known = word != WORD_NONE;
	ret->stuck = word == WORD_NONE;
	ret->outermost = word == WORD_UNDEFINED;
	ret->unreadable = word == WORD_UNREADABLE;
out:
	free(frame.frame);
}

bool referee_reads(struct referee *referee, const struct address_space *space,
		   const struct register_values *regs, uint64_t lookup_pc, unsigned int reg,
		   uint64_t value, const struct memory_reader *memory)
{
	struct refereed_frame frame;
	uint64_t read = 0;
	int found = find_frame(referee, space, regs, lookup_pc, memory, &frame);
	bool same = found == 0 && frame.has_cfa &&
		    frame_register(&frame, reg, regs, memory, &read) == WORD_VALUE && read == value;

	free(frame.frame);
	return same;
}
