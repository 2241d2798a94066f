/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_memory.c - a stopped process's memory
 *
 * Two user-space engines read the same few stack pages at every instruction. Each page is read once
 * per stop by thread_read_memory() and forgotten when the thread has run: what is compared is
 * memory as it is now, never as it was. It is read under the number of the thread that is stopped:
 * the process's own number is its first thread's, which may have ended.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include "walk/address_space.h"
#include "target_memory.h"

#define REGSET_SHSTK 0x204 /* NT_X86_SHSTK, include/uapi/linux/elf.h */
#define PAGE_BYTES   4096u
#define PAGE_SLOTS   64u /* direct-mapped by page number: 256 KiB of stack */

struct target_memory {
	pid_t tid;
	uint64_t generation;
	struct {
		uint64_t address;
		uint64_t generation;
		uint8_t bytes[PAGE_BYTES];
	} slot[PAGE_SLOTS];
};

struct target_memory *target_memory_create(void)
{
	return calloc(1, sizeof(struct target_memory));
}

void target_memory_destroy(struct target_memory *memory)
{
	free(memory);
}

void target_memory_reset(struct target_memory *memory, pid_t tid)
{
	memory->tid = tid;
	memory->generation++;
}

static const uint8_t *page_at(struct target_memory *memory, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1);
	unsigned int slot = (address / PAGE_BYTES) % PAGE_SLOTS;

	if (memory->slot[slot].generation == memory->generation &&
	    memory->slot[slot].address == page)
		return memory->slot[slot].bytes;
	memory->slot[slot].generation = 0;
	if (!thread_read_memory(memory->tid, page, memory->slot[slot].bytes, PAGE_BYTES))
		return NULL;
	memory->slot[slot].address = page;
	memory->slot[slot].generation = memory->generation;
	return memory->slot[slot].bytes;
}

static int memory_read(void *context, uint64_t address, void *ret, size_t size)
{
	struct target_memory *memory = context;
	uint64_t offset = address % PAGE_BYTES;
	const uint8_t *page;

	if (size > PAGE_BYTES - offset) /* straddles two pages: rare */
		return thread_read_memory(memory->tid, address, ret, size) ? 0 : -1;
	page = page_at(memory, address);
	if (!page)
		return -1;
	memcpy(ret, page + offset, size);
	return 0;
}

struct memory_reader target_memory_reader(struct target_memory *memory)
{
	return (struct memory_reader) { .read = memory_read, .context = memory };
}

bool target_shadow_pointer(pid_t tid, uint64_t *ret_ssp)
{
	struct iovec set = { .iov_base = ret_ssp, .iov_len = sizeof(*ret_ssp) };

	*ret_ssp = 0;
	return !ptrace(PTRACE_GETREGSET, tid, REGSET_SHSTK, &set) &&
	       set.iov_len == sizeof(*ret_ssp) && *ret_ssp;
}
