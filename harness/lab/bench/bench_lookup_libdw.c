/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_lookup_libdw.c - a PC's rule by libdw
 *
 * dwarf_cfi_addrframe() finds the FDE, which libdw keeps once it has read it, and interprets its
 * instructions up to the PC each time: there is no cache of rules. The frame is asked for the CFA's
 * rule alone. libdw doesn't read the target's memory here, so it is spared the return address.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "bench.h"

struct libdw {
	int file;
	Elf *elf;
	Dwarf_CFI *cfi;
};

static void libdw_close(struct bench_lookup *lookup)
{
	struct libdw *libdw = lookup->priv;

	if (!libdw)
		return;
	elf_end(libdw->elf); /* the CFI is the ELF handle's */
	if (libdw->file >= 0)
		close(libdw->file);
	free(libdw);
	lookup->priv = NULL;
}

static int libdw_open(struct bench_lookup *lookup, const struct bench_points *points, bool cold,
		      struct error *error)
{
	struct libdw *libdw = calloc(1, sizeof(*libdw));

	if (!libdw)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	lookup->priv = libdw;
	elf_version(EV_CURRENT);
	libdw->file = open(points->path, O_RDONLY | O_CLOEXEC);
	if (libdw->file < 0) {
		error_set_errno(error, "%s", points->path);
		goto fail;
	}
	libdw->elf = elf_begin(libdw->file, ELF_C_READ_MMAP, NULL);
	libdw->cfi = dwarf_getcfi_elf(libdw->elf);
	if (!libdw->cfi) {
		error_set(error, ERROR_NO_CFI, "", 0, "libdw: %s", dwarf_errmsg(-1));
		goto fail;
	}
	snprintf(lookup->note, sizeof(lookup->note),
		 "libdw has each FDE already and interprets it up to the PC");
	return 0;
fail:
	libdw_close(lookup);
	return -1;
}

static uint64_t libdw_run(struct bench_lookup *lookup, const struct bench_points *points,
			  unsigned int begin, unsigned int count)
{
	const struct libdw *libdw = lookup->priv;
	uint64_t sum = 0;

	for (unsigned int i = begin; i < begin + count; i++) {
		Dwarf_Frame *frame;
		Dwarf_Op *operation;
		size_t length;

		if (dwarf_cfi_addrframe(libdw->cfi, points->vaddr[i], &frame))
			return 0;
		if (dwarf_frame_cfa(frame, &operation, &length) || length != 1 ||
		    operation->atom != DW_OP_bregx || operation->number >= REGISTER_GPR_COUNT) {
			free(frame);
			return 0;
		}
		sum += points->reg[operation->number] + operation->number2;
		free(frame);
	}
	return sum;
}

void bench_lookup_libdw(struct bench_lookup *ret)
{
	*ret = (struct bench_lookup) {
		.name = "libdw (dwarf_cfi_addrframe)",
		.open = libdw_open,
		.run = libdw_run,
		.close = libdw_close,
	};
}
