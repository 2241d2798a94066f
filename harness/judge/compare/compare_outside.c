/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_outside.c - points where what was read from outside may not be what the process has
 *
 * Our walks read the process's memory and files from outside, one after the other. The walk in the
 * kernel, and the CPU, read the process's own. Three things come between them:
 *
 *	memory that only the process can read (memfd_secret), or that only we can (PROT_NONE, which a
 *	tracer may read where process_vm_readv(2) is forbidden; a protection key)
 *	memory that another process writes between two reads (MAP_SHARED), or another thread
 *	between the kernel's walk, at the trap, and ours
 *	code that was mapped without our seeing it, or a file that was overwritten in place
 *	the kernel, which puts addresses and instructions of its own in place of the program's (uprobes)
 *
 * This is asked only where a verdict rests on it, so it may cost.
 */
#include <stdio.h>
#include <stdlib.h>
#include "freed.h"
#include "array.h"
#include "comparer.h"
#include "proc_file.h"
#include "walk/mapped_file.h"
#include "walk/walk_rows.h"

/* What a walk read from outside. */
struct noted_read {
	uint64_t address;
	size_t size;
	bool failed;
};

#define PAGE_BYTES 4096u

#define NOTES_MAX 4096 /* what is read beyond is not looked at */

struct noting_memory {
	struct memory_reader all;
	struct noted_read *note;
	size_t count;
};

static int noting_read(void *context, uint64_t address, void *ret, size_t size)
{
	struct noting_memory *memory = context;
	int status = memory->all.read(memory->all.context, address, ret, size);

	if (memory->count < NOTES_MAX)
		memory->note[memory->count++] = (struct noted_read) { address, size, status != 0 };
	return status;
}

/* Both walks once more, without a memory of the last one. */
static bool note_walks(struct comparer *comparer, const struct point *point,
		       struct noting_memory *memory)
{
	struct memory_reader reader = { .read = noting_read, .context = memory };
	struct error ignored;

	return !walk_rows(point->space, point->regs, &reader, NULL, &comparer->other, &ignored) &&
	       !(comparer->options.follow_frame_pointers
			 ? walk_table_following(point->space, point->regs, &reader, NULL,
						&comparer->other, &ignored)
			 : walk_table(point->space, point->regs, &reader, NULL, &comparer->other,
				      &ignored));
}

/* "maps", or "smaps", which has the same lines and between them what else is known of each. */
static FILE *open_maps(const struct comparer *comparer, const char *name)
{
	pid_t tid = process_living_thread(comparer->space.pid);

	return tid ? proc_file_open(tid, name) : NULL;
}

bool outside_is_mapped(const struct comparer *comparer, uint64_t address)
{
	pid_t tid = process_living_thread(comparer->space.pid);
	struct maps_line parsed;
	FREED char *line = tid ? maps_line_find(tid, address, &parsed) : NULL;

	return line != NULL;
}

static bool overlaps(const struct noted_read *note, const struct maps_line *line)
{
	return note->address < line->end && note->address + note->size > line->start;
}

/* A read failed though the memory is readable, or read what others can write, or what the process
 * itself can't read. */
static bool is_suspect(const struct noted_read *note, const struct maps_line *line)
{
	if (!overlaps(note, line))
		return false;
	if (note->failed)
		return note->address >= line->start && note->address + note->size <= line->end &&
		       maps_line_is_accessible(line);
	return (line->permissions[1] == 'w' && line->permissions[3] == 's') ||
	       !maps_line_is_accessible(line);
}

/* The kernel's walk ended where ours read on. */
static bool ends_unread(const struct evidence *evidence)
{
	return evidence->bpf && evidence->bpf->stop == STOP_READ_FAULT;
}

/* Which protection key a mapping has; 0: the one that every thread has access to, at first. */
static bool parse_key(const char *line, unsigned long *ret)
{
	return sscanf(line, "ProtectionKey: %lu", ret) == 1;
}

/* The line is of a mapping that a noted read is suspect for, or of the key of the one before it. */
static bool line_is_suspect(char *line, const struct noting_memory *memory, struct maps_line *last)
{
	unsigned long key = 0;
	bool is_key = parse_key(line, &key);

	if (!is_key && !maps_line_parse(line, last))
		return false;
	return ARRAY_ANY(memory->count, i,
			 is_key ? key && overlaps(&memory->note[i], last)
				: is_suspect(&memory->note[i], last));
}

static bool memory_is_doubtful(struct comparer *comparer, const struct evidence *evidence)
{
	struct noting_memory memory = { .all = *evidence->point->memory };
	struct maps_line last = { 0 };
	FREED char *line = NULL;
	size_t capacity = 0;
	bool found = false;
	FILE_CLOSED FILE *maps = NULL;

	memory.note = malloc(NOTES_MAX * sizeof(*memory.note));
	if (!memory.note)
		return false;
	maps = note_walks(comparer, evidence->point, &memory)
		       ? open_maps(comparer, ends_unread(evidence) ? "smaps" : "maps")
		       : NULL;
	while (maps && !found && getline(&line, &capacity, maps) > 0)
		found = line_is_suspect(line, &memory, &last);
	free(memory.note);
	return found;
}

/* A frame's code is of another image, or elsewhere in it. A file that has changed is another. */
static bool stack_is_stale(const struct stack *stack, const struct address_space *held,
			   const struct address_space *now)
{
	for (uint32_t i = 0; stack && i < stack->count; i++) {
		uint64_t pc = stack_pc(stack, i);
		const struct mapping *a = address_space_find(held, pc);
		const struct mapping *b = address_space_find(now, pc);

		if ((a ? a->entry : NULL) != (b ? b->entry : NULL) ||
		    (a && b && a->entry && a->bias != b->bias))
			return true;
	}
	return false;
}

static bool mappings_are_stale(struct comparer *comparer, const struct evidence *evidence)
{
	struct address_space now DEINIT(address_space_deinit) = { 0 };
	struct error ignored;

	return !address_space_read(&now, comparer->store, comparer->space.pid, &ignored) &&
	       (stack_is_stale(evidence->truth, &comparer->space, &now) ||
		stack_is_stale(evidence->cfi, &comparer->space, &now) ||
		stack_is_stale(evidence->bpf, &comparer->space, &now));
}

/* The code is anonymous, between two mappings of one file: the program has replaced its own. */
static bool replaces_code(const struct comparer *comparer, uint64_t pc)
{
	struct maps_line before = { 0 }, file; /* inode 0: of no file */
	bool passed = false, found = false;
	size_t capacity = 0;
	FREED char *line = NULL;
	FILE_CLOSED FILE *maps = open_maps(comparer, "maps");

	while (maps && !found && getline(&line, &capacity, maps) > 0) {
		if (!maps_line_parse(line, &file))
			continue;
		if (pc >= file.start && pc < file.end) {
			passed = !file.inode;
			if (!passed)
				break;
		} else if (file.inode && passed) {
			found = file.inode == before.inode && file.major == before.major &&
				file.minor == before.minor;
			break;
		} else if (file.inode) {
			before = file;
		}
	}
	return found;
}

static bool is_patched_away(struct comparer *comparer, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(&comparer->space, pc);

	if (!mapping || mapping->entry || mapping->path[0])
		return false;
	/* A JIT's code is met at many points: it is asked for once. */
	if (comparer->anonymous.start != mapping->start ||
	    comparer->anonymous.end != mapping->end) {
		comparer->anonymous.start = mapping->start;
		comparer->anonymous.end = mapping->end;
		comparer->anonymous.replaces = replaces_code(comparer, pc);
	}
	return comparer->anonymous.replaces;
}

/* The kernel's walk and its twin, which reads from outside, differ. */
static bool walks_differ(const struct evidence *evidence)
{
	const struct stack *twin = evidence->followed ? evidence->followed : evidence->table;

	return evidence->bpf && twin && !stack_equal(evidence->bpf, twin);
}

/* ---- the kernel's own code in the process ------------------------------------------------- */

/* A line of /proc/PID/maps says that it is there. */
static bool is_in_uprobes(const struct comparer *comparer, uint64_t pc)
{
	pid_t tid = process_living_thread(comparer->space.pid);
	struct maps_line parsed;
	FREED char *line = tid ? maps_line_find(tid, pc, &parsed) : NULL;

	return line && maps_path_is_uprobes(parsed.path);
}

int compare_find_uprobes(struct comparer *comparer)
{
	const struct stack *cfi = &comparer->cfi;
	uint64_t pc = cfi->count ? stack_pc(cfi, cfi->count - 1) : 0;
	uint64_t *asked = &comparer->unmapped[pc / PAGE_BYTES % UNMAPPED_PAGES];

	if (cfi->stop != STOP_NO_MAPPING || address_space_find(&comparer->space, pc) ||
	    *asked == pc / PAGE_BYTES)
		return 0;
	*asked = pc / PAGE_BYTES;
	return is_in_uprobes(comparer, pc) ? compare_mappings(comparer, comparer->space.pid) : 0;
}

/*
 * A uretprobe has put the kernel's address in place of the return address, and the kernel alone knows that
 * one: no reader of the process's memory gets behind it. The place at fault may be in that code, too.
 */
static bool is_behind_uprobe(const struct comparer *comparer, const struct judgement *judgement)
{
	const struct stack *cfi = &comparer->cfi;

	return address_space_is_uprobes(&comparer->space, judgement->pc) ||
	       (cfi->stop == STOP_NO_MAPPING && cfi->count &&
		address_space_is_uprobes(&comparer->space, stack_pc(cfi, cfi->count - 1)));
}

bool outside_is_doubtful(struct comparer *comparer, const struct evidence *evidence,
			 const struct judgement *judgement, enum doubt_reason *ret)
{
	if ((judgement->verdict == VERDICT_TABLE_FAULT ||
	     judgement->verdict == VERDICT_READER_FAULT ||
	     judgement->verdict == VERDICT_UNEXPLAINED) &&
	    is_behind_uprobe(comparer, judgement)) {
		*ret = DOUBT_UPROBE;
		return true;
	}
	*ret = DOUBT_OUTSIDE;
	switch (judgement->verdict) {
	case VERDICT_WALK_FAULT:
	case VERDICT_CONVERSION_LOSS_SILENT:
	case VERDICT_READER_FAULT:
	case VERDICT_UNEXPLAINED:
		if (!evidence->point->stop->alone && walks_differ(evidence))
			return true;
		comparer->stale = mappings_are_stale(comparer, evidence);
		return comparer->stale || memory_is_doubtful(comparer, evidence);
	case VERDICT_TABLE_FAULT:
		if (judgement->kind == FAULT_MISSING) {
			*ret = DOUBT_PATCHED;
			if (is_patched_away(comparer, judgement->pc))
				return true;
			*ret = DOUBT_ELSEWHERE;
			return cfi_may_be_elsewhere(comparer, judgement->pc);
		}
		/* Another image's CFI was read, by the referee as well. */
		comparer->stale = mappings_are_stale(comparer, evidence);
		return comparer->stale;
	default: return false;
	}
}
