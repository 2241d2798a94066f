/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_walks.c - BPF's records, read in the guest's memory and held against true stacks
 */
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "freed.h"
#include "plugin_walks.h"
#include "plugin_watch.h"
#include "user_registers.h"
#include "walk.h"
#include "walk/space_range.h"
#include "walk/walk_rows.h"

#define PAGE_BYTES   4096ull
#define HEADER_BYTES BPF_RINGBUF_HDR_SZ
#define RECORD_BYTES (HEADER_BYTES + sizeof(struct walk_record))

static struct {
	uint64_t *page; /* where the kernel has the reader's, the writer's, and the data's */
	uint64_t bytes; /* of data; 0: there is no ring buffer */
	uint64_t taken;
	struct image_store *store;
	struct stack stack; /* the table's */
	size_t shown;	    /* wrong ones */
} walks;

/* ---- the ring buffer: kernel/bpf/ringbuf.c -------------------------------------------------- */

static bool read_position(int page, uint64_t *ret)
{
	return plugin_memory_read(walks.page[page], ret, sizeof(*ret));
}

const char *walks_told(const struct guest_kernel *kernel, uint64_t cr3)
{
	uint64_t bytes = kernel->told.walks_bytes, pages = bytes / PAGE_BYTES + 2;

	walks.bytes = 0;
	if (!kernel->told.walks || !kernel->told.watched)
		return NULL;
	if (!bytes || bytes % PAGE_BYTES || bytes & (bytes - 1) || bytes > 1ull << 26)
		return "the agent has told nonsense of stacks";
	free(walks.page);
	walks.page = calloc(pages, sizeof(walks.page[0]));
	if (!walks.store)
		walks.store = image_store_create();
	if (!walks.page || !walks.store)
		return "no memory for walks";
	for (uint64_t i = 0; i < pages; i++) {
		walks.page[i] = guest_kernel_address(kernel, cr3,
						     kernel->told.walks + i * PAGE_BYTES);
		if (!walks.page[i])
			return "a page of the stacks' ring isn't mapped";
	}
	if (!read_position(1, &walks.taken))
		return "the stacks' ring can't be read";
	walks.bytes = bytes;
	return NULL;
}

bool walks_are_wanted(void)
{
	uint64_t read, written;

	return walks.bytes && read_position(0, &read) && read_position(1, &written) &&
	       written - read + 2 * RECORD_BYTES < walks.bytes;
}

static bool read_ring(uint64_t at, void *ret, size_t size)
{
	while (size) {
		uint64_t within = at & (walks.bytes - 1), in_page = within % PAGE_BYTES;
		size_t part = PAGE_BYTES - in_page < size ? PAGE_BYTES - in_page : size;

		if (!plugin_memory_read(walks.page[2 + within / PAGE_BYTES] + in_page, ret, part))
			return false;
		at += part;
		ret = (char *)ret + part;
		size -= part;
	}
	return true;
}

/* A thread's record waits until the thread goes on. */
static void keep(const struct walk_record *record)
{
	struct watched_process *process = watch_process((pid_t)record->pid);
	struct watched_thread *thread = process ? watch_thread(process, (pid_t)record->tid) : NULL;
	size_t bytes = walk_record_bytes(record);

	if (!thread)
		return;
	free(thread->walked);
	thread->walked = malloc(bytes);
	if (thread->walked)
		memcpy(thread->walked, record, bytes);
	else
		watch_fail();
}

void walks_take(void)
{
	static struct walk_record record;
	uint64_t written;

	if (!walks.bytes || !read_position(1, &written))
		return;
	while (walks.taken < written) {
		uint32_t header[2], size;

		if (!read_ring(walks.taken, header, sizeof(header)) ||
		    header[0] & BPF_RINGBUF_BUSY_BIT)
			return;
		size = header[0] & ~(uint32_t)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		if (!(header[0] & BPF_RINGBUF_DISCARD_BIT) && size <= sizeof(record) &&
		    size >= offsetof(struct walk_record, pc) &&
		    read_ring(walks.taken + HEADER_BYTES, &record, size) &&
		    walk_record_bytes(&record) <= size)
			keep(&record);
		walks.taken += (size + HEADER_BYTES + 7) & ~7ull;
	}
}

/* ---- the table's stack ----------------------------------------------------------------------- */

void walks_map(struct watched_process *process, const struct process_mapping *mapping,
	       const char *path)
{
	struct mapped_range range = { mapping->start, mapping->end, mapping->offset,
				      mapping->path ? mapping->path : "", NULL };
	struct error error;

	if (!process->space.store)
		process->space.store = walks.store;
	if (!walks.store)
		return;
	if (range.path[0] == '/')
		range.entry = image_store_open(walks.store, path, &error);
	if (address_space_map(&process->space, &range, &error))
		watch_fail();
}

void walks_process_empty(struct watched_process *process)
{
	address_space_deinit(&process->space);
	process->space = (struct address_space) { 0 };
}

/* The vDSO is in no file: it is read when it is needed. */
static void read_vdso(struct address_space *space)
{
	for (size_t i = 0; i < space->mapping_count; i++) {
		struct mapping *mapping = &space->mapping[i];
		size_t bytes = mapping->end - mapping->start;
		FREED uint8_t *copy = NULL;
		struct mapped_range range = { mapping->start, mapping->end, 0, "[vdso]", NULL };
		struct error error;

		if (mapping->entry || strcmp(mapping->path, "[vdso]") || bytes > 1 << 20)
			continue;
		copy = malloc(bytes);
		if (!copy || !plugin_memory_read(mapping->start, copy, bytes))
			return;
		range.entry = image_store_copy(walks.store, copy, bytes, "[vdso]", &error);
		if (range.entry)
			address_space_map(space, &range, &error);
		return;
	}
}

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	return plugin_memory_read(address, ret, size) ? 0 : -1;
}

static bool is_tables(struct watched_process *process, const struct walk_record *record,
		      const struct user_regs_struct *regs)
{
	const struct memory_reader memory = { read_memory, NULL };
	struct register_values values = register_values_from_user(regs);
	struct error error;

	read_vdso(&process->space);
	return !walk_table(&process->space, &values, &memory, NULL, &walks.stack, &error) &&
	       walks.stack.stop == record->stop && walks.stack.count == record->count &&
	       !memcmp(walks.stack.pc, record->pc, record->count * sizeof(record->pc[0]));
}

/* ---- the true stack --------------------------------------------------------------------------- */

/* How many of the record's frames are the true ones, from the innermost on. */
static size_t true_frames(const struct walk_record *record, const struct shadow_stack *shadow,
			  uint64_t pc)
{
	size_t same = 0;

	if (record->count && record->pc[0] == pc)
		for (same = 1;
		     same < record->count && same <= shadow->count &&
		     record->pc[same] == shadow->frame[shadow->count - same].return_address;)
			same++;
	return same;
}

static void show(const struct watched_thread *thread, const struct walk_record *record,
		 const struct user_regs_struct *regs)
{
	if (walks.shown++ < WALKS_SHOWN)
		watch_report_wrong(thread, record, &walks.stack, regs->rip);
}

static void judge(struct watched_thread *thread, const struct walk_record *record,
		  const struct user_regs_struct *regs)
{
	const struct shadow_stack *shadow = &thread->steps.shadow;
	struct walk_tally *tally = &thread->process->walks;
	size_t frames = shadow->count + 1, same = true_frames(record, shadow, regs->rip);
	bool whole = shadow->rooted ? same == frames && record->count == frames &&
					      record->stop == STOP_COMPLETE
				    : same == frames;

	tally->walked++;
	if (shadow->in_transit || shadow->taken_off.slot ||
	    fast_is_doubtful(&thread->steps, regs->rsp))
		tally->unproven++;
	else if (whole)
		tally->exact++;
	else if (record->stop == STOP_DEPTH && same == record->count && same >= WALK_FRAMES_MAX)
		tally->depth++;
	else if (!is_tables(thread->process, record, regs))
		tally->wrong++, show(thread, record, regs);
	else if (record->stop == STOP_READ_FAULT)
		tally->absent++;
	else
		tally->table++;
}

void walks_check(struct watched_thread *thread, const struct user_regs_struct *regs)
{
	struct walk_record *record = thread->walked;

	if (!record)
		return;
	thread->walked = NULL;
	if (record->sp == regs->rsp && record->count && record->pc[0] == regs->rip)
		judge(thread, record, regs);
	else
		thread->process->walks.elsewhere++;
	free(record);
}

void walks_print(FILE *file, const struct walk_tally *tally)
{
	fprintf(file,
		", \"walks\": {\"made\": %" PRIu64 ", \"walked\": %" PRIu64 ", \"exact\": %" PRIu64
		", \"table\": %" PRIu64 ", \"absent\": %" PRIu64 ", \"depth\": %" PRIu64
		", \"unproven\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"elsewhere\": %" PRIu64 "}",
		tally->made, tally->walked, tally->exact, tally->table, tally->absent, tally->depth,
		tally->unproven, tally->wrong, tally->elsewhere);
}
