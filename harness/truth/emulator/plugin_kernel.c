/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_kernel.c - read the guest's kernel: the running task, its mappings, the rings of events
 *
 * Another vCPU may change a tree while it is read here, and who tells need not be the agent: any program of the guest can.
 * All searches are bounded, and what they find is held against the address that was looked for.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "plugin.h"
#include "plugin_kernel.h"

#define PAGE_BYTES	   4096ull
#define RING_BYTES_MAX	   (1ull << 20)
#define TREE_DEPTH_MAX	   64
#define MAPLE_CHILDREN_MAX 32 /* words of a node */

static bool read_word(uint64_t address, uint64_t *ret)
{
	return plugin_memory_read(address, ret, sizeof(*ret));
}

/* ---- page tables: Intel SDM volume 3, 4.5 ------------------------------------------------- */

#define ENTRY_PRESENT 1
#define ENTRY_LARGE   0x80 /* of 1 GiB or 2 MiB */
#define ENTRY_ADDRESS 0x000ffffffffff000ull
#define LEVELS	      4

uint64_t guest_kernel_address(const struct guest_kernel *kernel, uint64_t cr3, uint64_t address)
{
	uint64_t entry = cr3;

	for (int level = LEVELS; level-- > 0;) {
		unsigned shift = 12 + 9 * level;

		if (!read_word(kernel->direct_map + (entry & ENTRY_ADDRESS) +
				       (address >> shift & 511) * sizeof(entry),
			       &entry) ||
		    !(entry & ENTRY_PRESENT))
			return 0;
		if (level && entry & ENTRY_LARGE) {
			uint64_t within = address & ((1ull << shift) - 1);

			return kernel->direct_map + (entry & ENTRY_ADDRESS & -(1ull << shift)) +
			       (within & -PAGE_BYTES);
		}
	}
	return kernel->direct_map + (entry & ENTRY_ADDRESS);
}

/* ---- rings -------------------------------------------------------------------------------- */

static bool read_head(const struct guest_ring *ring, uint64_t *ret)
{
	return read_word(ring->page[0] + offsetof(struct perf_event_mmap_page, data_head), ret);
}

static const char *find_ring(struct guest_kernel *kernel, struct guest_ring *ring, uint64_t address,
			     uint64_t cr3)
{
	uint64_t bytes = kernel->told.ring_bytes, pages = bytes / PAGE_BYTES + 1;

	free(ring->page);
	free(ring->bytes);
	*ring = (struct guest_ring) { .page = calloc(pages, sizeof(ring->page[0])),
				      .bytes = malloc(bytes) };
	if (!ring->page || !ring->bytes)
		return "no memory for a ring";
	ring->copy.data = ring->bytes;
	ring->copy.bytes = bytes;
	for (uint64_t i = 0; i < pages; i++) {
		ring->page[i] = guest_kernel_address(kernel, cr3, address + i * PAGE_BYTES);
		if (!ring->page[i])
			return "a page of a ring isn't mapped";
	}
	if (!read_head(ring, &ring->head))
		return "a ring can't be read";
	ring->copy.tail = ring->head;
	return NULL;
}

bool guest_ring_fill(struct guest_kernel *kernel, struct guest_ring *ring)
{
	uint64_t bytes = ring->copy.bytes, at = ring->copy.tail, head;

	if (!read_head(ring, &head))
		return false;
	if (head - at > bytes) { /* what was lost is lost: it goes on behind it */
		ring->copy.tail = ring->head = head;
		return false;
	}
	while (at != head) {
		uint64_t within = at & (bytes - 1), in_page = within & (PAGE_BYTES - 1);
		uint64_t size = PAGE_BYTES - in_page < head - at ? PAGE_BYTES - in_page : head - at;

		if (!plugin_memory_read(ring->page[1 + within / PAGE_BYTES] + in_page,
					ring->bytes + within, size))
			return false;
		at += size;
	}
	ring->head = head;
	return true;
}

bool guest_kernel_is_told(uint64_t address)
{
	uint64_t magic;

	return read_word(address + offsetof(struct guest_told, magic), &magic) &&
	       magic == GUEST_MAGIC;
}

const char *guest_kernel_told(struct guest_kernel *kernel, uint64_t address, uint64_t cr3)
{
	struct guest_told told;
	const char *wrong = NULL;

	if (!plugin_memory_read(address, &told, sizeof(told)) || told.bytes != sizeof(told))
		return "the agent is of another build";
	if (told.rings > GUEST_RINGS_MAX || told.ring_bytes < PAGE_BYTES ||
	    told.ring_bytes > RING_BYTES_MAX || told.ring_bytes & (told.ring_bytes - 1) ||
	    !memchr(told.release, '\0', sizeof(told.release)) ||
	    told.layout.range_count > MAPLE_CHILDREN_MAX ||
	    told.layout.arange_count > MAPLE_CHILDREN_MAX)
		return "the agent has told nonsense";
	kernel->told = told;
	if (!read_word(told.page_offset_base, &kernel->direct_map))
		return "the kernel's memory can't be read (page table isolation: boot with nopti)";
	for (uint32_t i = 0; i < told.rings && !wrong; i++)
		wrong = find_ring(kernel, &kernel->ring[i], told.ring[i], cr3);
	return wrong;
}

/* ---- tasks -------------------------------------------------------------------------------- */

bool guest_kernel_task(const struct guest_kernel *kernel, uint64_t gs_base, struct guest_task *ret)
{
	const struct guest_layout *layout = &kernel->told.layout;
	int32_t tid, pid;

	if (!read_word(gs_base + kernel->told.current_task, &ret->address) ||
	    !plugin_memory_read(ret->address + layout->task_pid, &tid, sizeof(tid)) ||
	    !plugin_memory_read(ret->address + layout->task_tgid, &pid, sizeof(pid)))
		return false;
	ret->tid = tid;
	ret->pid = pid;
	return true;
}

/* Bit 12 tells a process's two sets of tables apart, where it has two (page table isolation). */
uint64_t guest_kernel_tables(uint64_t cr3)
{
	return cr3 & ENTRY_ADDRESS & ~PAGE_BYTES;
}

bool guest_kernel_agent(const struct guest_kernel *kernel, uint64_t gs_base, uint64_t cr3,
			struct guest_agent *ret)
{
	struct guest_task task;

	if (!guest_kernel_task(kernel, gs_base, &task) ||
	    !read_word(task.address + kernel->told.layout.task_mm, &ret->memory))
		return false;
	ret->tables = guest_kernel_tables(cr3);
	ret->task = task.address;
	ret->pid = task.pid;
	return true;
}

bool guest_kernel_agent_lives(const struct guest_kernel *kernel, const struct guest_agent *agent)
{
	const struct guest_layout *layout = &kernel->told.layout;
	uint64_t memory;
	int32_t pid;

	return read_word(agent->task + layout->task_mm, &memory) && memory == agent->memory &&
	       plugin_memory_read(agent->task + layout->task_tgid, &pid, sizeof(pid)) &&
	       pid == agent->pid;
}

/* ---- mappings ----------------------------------------------------------------------------- */

/* The range of a vm_area_struct. */
static bool read_area(const struct guest_layout *layout, uint64_t area, struct address_range *ret)
{
	return read_word(area + layout->vma_start, &ret->low) &&
	       read_word(area + layout->vma_end, &ret->high);
}

static bool holds(const struct address_range *range, uint64_t address)
{
	return address >= range->low && address < range->high;
}

/* By start, in a red-black tree. */
static bool find_in_red_black(const struct guest_layout *layout, uint64_t mm, uint64_t address,
			      struct address_range *ret)
{
	uint64_t node;

	if (!read_word(mm + layout->mm_tree, &node))
		return false;
	for (int depth = 0; node && depth < TREE_DEPTH_MAX; depth++) {
		if (!read_area(layout, node - layout->vma_rb, ret))
			return false;
		if (holds(ret, address))
			return true;
		if (!read_word(node + (address < ret->low ? layout->rb_left : layout->rb_right),
			       &node))
			return false;
	}
	return false;
}

/* Pointers to nodes have their kind in their low bits. */
enum maple_kind { MAPLE_LEAF = 1, MAPLE_RANGE, MAPLE_ARANGE };

/* The child for address: children are ordered, and each but the last one has the last address of its part as pivot. */
static bool maple_child(const struct guest_layout *layout, uint64_t node, enum maple_kind kind,
			uint64_t address, uint64_t *ret)
{
	bool arange = kind == MAPLE_ARANGE;
	uint32_t pivots = arange ? layout->arange_pivots : layout->range_pivots;
	uint32_t slots = arange ? layout->arange_slots : layout->range_slots;
	uint32_t count = arange ? layout->arange_count : layout->range_count, i;

	for (i = 0; i + 1 < count; i++) {
		uint64_t last;

		if (!read_word(node + pivots + i * sizeof(last), &last))
			return false;
		if (address <= last || (i && !last))
			break;
	}
	return read_word(node + slots + i * sizeof(*ret), ret);
}

static bool find_in_maple(const struct guest_layout *layout, uint64_t mm, uint64_t address,
			  struct address_range *ret)
{
	uint64_t entry;

	if (!read_word(mm + layout->mm_tree + layout->tree_root, &entry))
		return false;
	for (int depth = 0; depth < TREE_DEPTH_MAX; depth++) {
		enum maple_kind kind = entry >> 3 & 15;

		if (kind < MAPLE_LEAF || kind > MAPLE_ARANGE ||
		    !maple_child(layout, entry & ~255ull, kind, address, &entry))
			return false;
		if (kind == MAPLE_LEAF)
			return entry && read_area(layout, entry, ret) && holds(ret, address);
	}
	return false;
}

bool guest_kernel_mapping(const struct guest_kernel *kernel, uint64_t task, uint64_t address,
			  struct address_range *ret)
{
	const struct guest_layout *layout = &kernel->told.layout;
	uint64_t mm;

	if (!read_word(task + layout->task_mm, &mm) || !mm)
		return false;
	return layout->is_maple ? find_in_maple(layout, mm, address, ret)
				: find_in_red_black(layout, mm, address, ret);
}
