/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * resident.c - a stopped process's memory as a walk in the kernel found it: only what is present
 *
 * A BPF program may not sleep, so it can't wait for a page: copy_from_user_nofault() fails where
 * the page tables have none, be it in a file, in swap or never touched. Whoever reads from outside
 * (process_vm_readv, ptrace) makes the page present, and then all trace of that is lost. So it has
 * to be asked for first: /proc/PID/pagemap says of each page whether it is present
 * (Documentation/admin-guide/mm/pagemap.rst, bit 63; a page in swap has bit 62 instead).
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "engine.h"

#define PAGE_BYTES    4096u
#define PAGE_PRESENT  (1ull << 63)
#define PAGEMAP_ENTRY sizeof(uint64_t)

/* Where the page map can't be asked, memory counts as present: what is read then is what always
 * was. */
static bool is_present(const struct resident_memory *memory, uint64_t address)
{
	uint64_t entry;

	return pread(memory->pagemap, &entry, PAGEMAP_ENTRY,
		     address / PAGE_BYTES * PAGEMAP_ENTRY) != (ssize_t)PAGEMAP_ENTRY ||
	       (entry & PAGE_PRESENT);
}

static int resident_read(void *context, uint64_t address, void *ret, size_t size)
{
	struct resident_memory *memory = context;
	uint64_t last = address + size - 1;

	if (!is_present(memory, address) ||
	    (last / PAGE_BYTES != address / PAGE_BYTES && !is_present(memory, last))) {
		memory->absent = true;
		return -1;
	}
	return memory->all.read(memory->all.context, address, ret, size);
}

void resident_memory_init(struct resident_memory *memory, pid_t tid, struct memory_reader all)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)tid);
	*memory = (struct resident_memory) {
		.pagemap = open(path, O_RDONLY | O_CLOEXEC),
		.all = all,
	};
}

void resident_memory_deinit(struct resident_memory *memory)
{
	if (memory->pagemap >= 0)
		close(memory->pagemap);
}

struct memory_reader resident_memory_reader(struct resident_memory *memory)
{
	return (struct memory_reader) { .read = resident_read, .context = memory };
}
