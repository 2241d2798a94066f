/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_change.c - follow a process's mappings by what the kernel says of them
 *
 * An exec leaves nothing, and then each PERF_RECORD_MMAP2 says of one executable mapping what a
 * line of /proc/PID/maps would: addresses, offset, file. So what a process has mapped is known
 * without reading anything of it, which would mean waiting for its locks: where many processes want
 * to run, one holds them for as long as it waits for its turn. The event says which file it is by
 * device and inode; with the size and time that the file has now, that is an image that the store
 * has, or else (one that is new, deleted, or that can't be found by its name) the process must be
 * read.
 *
 * What is known so is exact in what it has, and may have too much: nothing is said when memory is
 * unmapped. No PC is there then (process_events.c). The process is read once things are quiet.
 */
#include <string.h>
#include <sys/stat.h>
#include "array.h"
#include "process_change.h"
#include "walk/space_range.h"

#define ALL_ADDRESSES 0, UINT64_MAX

/* ---- files ------------------------------------------------------------------------------ */

static bool stat_inode(const char *path, uint64_t inode, struct file_version *ret)
{
	struct stat file;

	if (stat(path, &file) || file.st_ino != inode)
		return false;
	ret->size = file.st_size;
	ret->modified_ns = file_version(&file).modified_ns;
	ret->changed_ns = file_version(&file).changed_ns;
	return true;
}

/* By the name in this file system, or in the process's. */
static bool file_state(pid_t pid, const struct process_mapping *mapping, struct file_version *ret)
{
	char path[PROCESS_PATH_BYTES + 32];

	if (mapping->path[0] != '/')
		return false;
	if (stat_inode(mapping->path, mapping->inode, ret))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/root%s", process_living_thread(pid), mapping->path);
	return stat_inode(path, mapping->inode, ret);
}

/* False: it can't be told. True, and NULL: it has none. */
static bool find_image(const struct image_store *store, pid_t pid,
		       const struct process_mapping *mapping, struct image_entry **ret)
{
	struct file_version version = { .device = mapping->device, .inode = mapping->inode };

	*ret = NULL;
	if (!mapping->inode && strcmp(mapping->path, "[vdso]") != 0)
		return true;
	if (!mapping->inode)
		version = (struct file_version) { .inode = VDSO_INODE };
	else if (!file_state(pid, mapping, &version))
		return false;
	*ret = image_store_find(store, &version);
	return *ret != NULL;
}

/* ---- versions --------------------------------------------------------------------------- */

/* now: what is mapped since the event; NULL: that is not known. */
static void mark_versions(struct process *process, uint64_t time_ns, uint64_t start, uint64_t end,
			  const struct known_space *now)
{
	struct list_version *version;

	for (version = process->version; version; version = version->older) {
		if (time_ns <= version->known->true_ns)
			continue;
		if (!now || address_space_differs(&version->known->space, &now->space, start, end))
			process_version_change(version, time_ns, start, end);
	}
}

static bool has_image(const struct address_space *space)
{
	return ARRAY_ANY(space->mapping_count, i, space->mapping[i].entry);
}

bool process_is_given(const struct process *process)
{
	struct list_version *current = process_current(process);

	/* Executed, and nothing mapped yet: what the walk has is known to be another program's. */
	if (process->unchecked && !has_image(&process->known->space))
		return true;
	if (!current || current->change_count ||
	    address_space_differs(&current->known->space, &process->known->space, ALL_ADDRESSES))
		return false;
	known_space_release(current->known);
	current->known = known_space_share(process->known);
	return true;
}

/* ---- changes ---------------------------------------------------------------------------- */

void process_must_be_read(struct process_set *set, struct process *process)
{
	process->unread = true;
	process_set_push(set, PROCESS_READ, process);
}

/* Events alone say it. The nanosecond is for another event of the same time. */
static void now_known(struct process_set *set, struct process *process, uint64_t time_ns)
{
	process->known->true_ns = time_ns - 1;
	process->unchecked = true;
	process->check_ns = time_ns;
	process_set_push(set, PROCESS_CHECK, process);
}

static bool has_it(const struct process *process, uint64_t time_ns)
{
	return process->known && time_ns <= process->known->true_ns;
}

void process_executes(struct process_set *set, struct process *process, struct image_store *store,
		      uint64_t time_ns)
{
	process->forked_ns = 0;
	mark_versions(process, time_ns, ALL_ADDRESSES, NULL);
	if (has_it(process, time_ns))
		return;
	known_space_release(process->known);
	process->known = known_space_create();
	process->executed = true;
	process->unread = false;
	if (!process->known) {
		process_must_be_read(set, process);
		return;
	}
	process->known->space.pid = process->pid;
	process->known->space.store = store;
	now_known(set, process, time_ns);
}

static bool map(struct process *process, const struct image_store *store,
		const struct process_mapping *mapping)
{
	struct mapped_range range = {
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
		.path = mapping->inode || mapping->path[0] == '[' ? mapping->path : "",
	};
	struct error ignored;

	/* Code that was copied to anonymous memory in its place is the image's still. */
	if (!find_image(store, process->pid, mapping, &range.entry) ||
	    (!*range.path &&
	     address_space_has_code(&process->known->space, range.start, range.end)))
		return false;
	process->known = known_space_own(process->known);
	return process->known && !address_space_map(&process->known->space, &range, &ignored);
}

void process_maps(struct process_set *set, struct process *process, struct image_store *store,
		  const struct process_event *event)
{
	const struct process_mapping *mapping = &event->mapping;
	const struct known_space *now = NULL;

	if (!has_it(process, event->time_ns) && !process->unread) {
		if (mapping->path && process->known && map(process, store, mapping)) {
			now_known(set, process, event->time_ns);
			process_set_push(set, PROCESS_GIVE, process);
			now = process->known;
		} else {
			process_must_be_read(set, process);
		}
	}
	if (mapping->path)
		mark_versions(process, event->time_ns, mapping->start, mapping->end, now);
	else
		mark_versions(process, event->time_ns, ALL_ADDRESSES, NULL);
}

/* When exactly it was moved is not known: since_ns is before that. */
void process_moves(struct process_set *set, struct process *process,
		   const struct process_event *event)
{
	struct list_version *version;

	for (version = process->version; version; version = version->older)
		if (event->time_ns > version->known->true_ns)
			process_version_change(version, event->since_ns, event->mapping.start,
					       event->mapping.end);
	if (!has_it(process, event->time_ns))
		process_must_be_read(set, process);
}

/* The parent's mappings, unless they were read after the fork: it may have changed in between. */
void process_forks(struct process_set *set, const struct process *parent, struct process *child)
{
	if (!parent || !parent->alive || parent->unread || !parent->known ||
	    parent->known->true_ns >= child->born_ns) {
		process_must_be_read(set, child);
		return;
	}
	child->known = known_space_share(parent->known);
	if (child->known->space.dump) { /* whose names are not all of the child */
		child->known = known_space_own(child->known);
		if (!child->known) {
			process_must_be_read(set, child);
			return;
		}
		if (!child->known->space.forked_ns)
			child->known->space.forked_ns = child->born_ns;
	}
	child->unchecked = parent->unchecked;
	process_set_push(set, PROCESS_GIVE, child);
	if (child->unchecked)
		process_set_push(set, PROCESS_CHECK, child);
}

void process_unknown_since(struct process_set *set, struct process *process, uint64_t time_ns)
{
	struct list_version *version;

	for (version = process->version; version; version = version->older)
		process_version_change(version, time_ns, ALL_ADDRESSES);
	if (process->alive)
		process_must_be_read(set, process);
}

bool process_was_mistaken(const struct process *process, const struct known_space *before)
{
	const struct address_space *space = &process->known->space;
	struct list_version *version;
	bool mistaken = false;

	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *mapping = &space->mapping[i];

		if (!mapping->entry ||
		    !address_space_differs(&before->space, space, mapping->start, mapping->end))
			continue;
		mistaken = true;
		for (version = process->version; version; version = version->older)
			if (version->known->true_ns < process->known->true_ns)
				process_version_change(version, before->true_ns, mapping->start,
						       mapping->end);
	}
	return mistaken;
}
