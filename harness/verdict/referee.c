/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * referee.c - libdw's reading of the CFI alone
 *
 * When our reader and the truth disagree, a second reader decides whether the CFI or our reading of
 * it is wrong. dwarf_cfi_addrframe() gives libdw's decoded operations for the CFA and each register
 * at a PC; they are evaluated (operations.c) on the frame's registers. Nothing is guessed: where
 * libdw has no CFI, or an operation is not evaluated, the referee says so.
 *
 * libdw's frame for a PC is looked up in the image's file; a vDSO has none, and there the referee
 * can't say.
 */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "verdict.h"
#include "verdict/operations.h"

struct refereed_image {
	const struct image_entry *entry;
	int fd;
	Elf *elf;
	Dwarf_CFI *cfi; /* owned by libdw, freed with dwarf_cfi_end */
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

void referee_destroy(struct referee *referee)
{
	if (!referee)
		return;
	for (size_t i = 0; i < referee->count; i++) {
		if (referee->image[i].cfi)
			dwarf_cfi_end(referee->image[i].cfi);
		elf_end(referee->image[i].elf);
		if (referee->image[i].fd >= 0)
			close(referee->image[i].fd);
	}
	free(referee->image);
	free(referee);
}

static Dwarf_CFI *image_cfi(struct referee *referee, const struct image_entry *entry)
{
	struct refereed_image *grown;
	struct refereed_image image = { .entry = entry };

	for (size_t i = 0; i < referee->count; i++)
		if (referee->image[i].entry == entry)
			return referee->image[i].cfi;
	grown = realloc(referee->image, (referee->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	referee->image = grown;
	image.fd = open(entry->image->path, O_RDONLY | O_CLOEXEC);
	image.elf = image.fd >= 0 ? elf_begin(image.fd, ELF_C_READ_MMAP, NULL) : NULL;
	image.cfi = image.elf ? dwarf_getcfi_elf(image.elf) : NULL;
	referee->image[referee->count++] = image;
	return image.cfi;
}

/* ---- one step --------------------------------------------------------------------------- */

void referee_step(struct referee *referee, const struct address_space *space,
		  const struct register_values *regs, uint64_t lookup_pc,
		  const struct memory_reader *memory, struct referee_step *ret)
{
	const struct mapping *mapping = address_space_find(space, lookup_pc);
	struct operations operations = { .regs = regs, .memory = memory };
	Dwarf_Op scratch[3], *ops = NULL;
	Dwarf_Frame *frame = NULL;
	bool is_value = false;
	Dwarf_CFI *cfi;
	size_t count = 0;

	*ret = (struct referee_step) { .known = false };
	cfi = mapping && mapping->entry ? image_cfi(referee, mapping->entry) : NULL;
	if (!cfi)
		return;
	if (dwarf_cfi_addrframe(cfi, lookup_pc - mapping->bias, &frame)) {
		ret->known = ret->no_cfi = true;
		return;
	}
	if (dwarf_frame_cfa(frame, &ops, &count) || !count)
		goto out;
	operations.op = ops;
	operations.count = count;
	if (!operations_evaluate(&operations, &ret->cfa, &is_value))
		goto out;
	operations.cfa = &ret->cfa;
	if (dwarf_frame_register(frame, REGISTER_RIP, scratch, &ops, &count))
		goto out;
	if (count == 0) {
		/* libdw: no operations at scratch means undefined, no operations at NULL the same
		 * value. */
		ret->known = ret->outermost = ops == scratch;
		goto out;
	}
	operations.op = ops;
	operations.count = count;
	if (!operations_evaluate(&operations, &ret->return_address, &is_value))
		goto out;
	if (!is_value && memory->read(memory->context, ret->return_address, &ret->return_address,
				      sizeof(uint64_t)))
		ret->unreadable = true;
	ret->known = true;
out:
	free(frame);
}
