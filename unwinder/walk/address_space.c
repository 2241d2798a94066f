/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * address_space.c - a process's executable mappings, each with its image's table and load bias
 *
 * /proc/PID/maps gives file, offset and address of each mapping (proc(5)). The image behind it is
 * the very file that was mapped (mapped_file.c). Where the process's first thread has ended, all
 * this is asked of another one (process.c).
 *
 * A mapping of a file with an executable segment has a bias: address in the process minus address
 * in the image. It follows from the segment that holds the mapping's file offset:
 *
 *	maps:     7f0000026000-7f000017b000 r-xp 00026000 libc.so.6
 *	segment:  vaddr 0x26000, offset 0x26000    ->    bias 0x7f0000000000
 *
 * Anonymous executable memory (a JIT's) has a mapping without an image.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "jit_dump.h"
#include "mapped_file.h"
#include "perf_map.h"
#include "proc_file.h"
#include "space_range.h"
#include "cfi/code_name.h"

/* ---- one mapping ------------------------------------------------------------------------ */

/* The image behind a line; NULL if it is anonymous or its file is no ELF. -1: error_is_want(). */
static int line_entry(struct image_store *store, pid_t pid, const struct maps_line *line,
		      struct image_entry **ret, struct error *error)
{
	bool vdso = strcmp(line->path, "[vdso]") == 0;
	struct file_version version = { .inode = VDSO_INODE };
	struct image *image;

	*ret = NULL;
	if (!vdso && !line->inode)
		return 0;
	if (!vdso)
		version = mapped_file_version(pid, line);
	*ret = image_store_find(store, &version);
	if (*ret)
		return 0;
	image = vdso ? mapped_vdso_open(pid, line, error) : mapped_file_open(pid, line, error);
	if (image)
		*ret = image_store_add(store, image, &version, error);
	return *ret || !error_is_want(error) ? 0 : -1;
}

static uint64_t segment_first(const struct image_segment *segment)
{
	return segment->file_offset & ~(uint64_t)(TABLE_PAGE_SIZE - 1);
}

/* The executable segment that a file offset falls into; of two that share a page, the one that
 * begins there. NULL: none. */
static const struct image_segment *segment_at(const struct image *image, uint64_t offset)
{
	const struct image_segment *found = NULL;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		uint64_t first = segment_first(segment);

		if (segment->executable && offset >= first &&
		    offset < segment->file_offset + segment->file_bytes &&
		    (!found || first == offset))
			found = segment;
	}
	return found;
}

/* Where the next executable segment behind a file offset begins, or limit. One that is elsewhere in
 * memory than behind this segment only shares its last page of the file. */
static uint64_t next_segment(const struct image *image, const struct image_segment *segment,
			     uint64_t offset, uint64_t limit)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *next = &image->segment[i];
		uint64_t first = segment_first(next);

		if (next->executable && first > offset && first < limit &&
		    (!segment ||
		     next->vaddr - next->file_offset == segment->vaddr - segment->file_offset))
			limit = first;
	}
	return limit;
}

static uint64_t hash_name(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return hash_bytes(name, strlen(name));
}

static int space_add(struct address_space *space, const char *path, const struct mapping *wanted,
		     struct error *error)
{
	struct mapping *mapping;

	if (!ARRAY_GROW(space->mapping, space->mapping_count))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
	mapping = &space->mapping[space->mapping_count];
	*mapping = *wanted;
	mapping->path = strdup(path);
	if (!mapping->path)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	image_entry_hold(mapping->entry);
	space->mapping_count++;
	return 0;
}

/*
 * A range is mostly one executable segment. But the kernel joins neighbours of the same
 * permissions: two executable segments, or the headers' as well when a program has made them
 * executable. So it is cut where a segment begins; each piece gets the bias of its own, and what is
 * in no segment no image.
 */
int space_add_range(struct address_space *space, const struct mapped_range *range,
		    struct error *error)
{
	struct image_entry *entry = range->entry;
	uint64_t limit = range->offset + (range->end - range->start);
	uint64_t offset = range->offset, next = limit, hash = hash_name(range->path);
	int status = 0;

	for (; !status && offset < limit; offset = next) {
		const struct image_segment *segment = entry ? segment_at(entry->image, offset)
							    : NULL;
		struct mapping piece = { .start = range->start + (offset - range->offset),
					 .offset = offset,
					 .name_hash = hash };

		next = entry ? next_segment(entry->image, segment, offset, limit) : limit;
		piece.end = range->start + (next - range->offset);
		if (segment) {
			piece.entry = entry;
			piece.bias = piece.start - (segment->vaddr - segment->file_offset + offset);
		}
		status = space_add(space, range->path, &piece, error);
	}
	return status;
}

static int space_add_line(struct address_space *space, pid_t tid, const struct maps_line *line,
			  struct error *error)
{
	struct mapped_range range = {
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.path = line->path,
	};

	if (line_entry(space->store, tid, line, &range.entry, error))
		return -1;
	space->unopened += line->inode && !range.entry && error->code == ERROR_SYSTEM;
	return space_add_range(space, &range, error);
}

/* ---- code moved into anonymous memory --------------------------------------------------- */

/* Any segment will do: a file's first mapping is mostly not executable. False: the line is in
 * none. */
static bool line_bias(const struct image *image, const struct maps_line *line, uint64_t *ret)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];

		if (line->offset < segment_first(segment) ||
		    line->offset >= segment->file_offset + segment->file_bytes)
			continue;
		*ret = line->start - (segment->vaddr - segment->file_offset + line->offset);
		return true;
	}
	return false;
}

/* 1, 0, or -1: no memory. */
static int same_bytes(pid_t tid, uint64_t address, const uint8_t *file, size_t size,
		      struct error *error)
{
	FREED uint8_t *bytes = malloc(size);

	if (!bytes)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for %zu bytes", size);
	return thread_read_memory(tid, address, bytes, size) && memcmp(bytes, file, size) == 0;
}

/*
 * Programs copy their code to anonymous memory, to have it in huge pages, and put that in its place
 * (node --use-largepages, HHVM). It is the image's still, where an executable segment of it is, if
 * it says the same. 1, 0, or -1: no memory.
 */
static int is_moved(struct image_store *store, pid_t tid, const struct maps_line *file,
		    const struct maps_line *line, struct mapped_range *ret, struct error *error)
{
	struct image_entry *entry;
	uint64_t bias;

	if (line->inode || *line->path || !file->path)
		return 0;
	if (line_entry(store, tid, file, &entry, error))
		return -1;
	if (!entry || !line_bias(entry->image, file, &bias))
		return 0;
	for (size_t i = 0; i < entry->image->segment_count; i++) {
		const struct image_segment *segment = &entry->image->segment[i];
		uint64_t begin = bias + segment->vaddr;
		uint64_t end = begin + segment->file_bytes;
		uint64_t from = line->start > begin ? line->start : begin;
		uint64_t to = line->end < end ? line->end : end;
		const uint8_t *bytes;
		int same;

		/* Segments begin and end within pages. */
		if (!segment->executable || from >= to || from - line->start >= TABLE_PAGE_SIZE ||
		    line->end - to >= TABLE_PAGE_SIZE)
			continue;
		bytes = image_bytes(entry->image, from - bias, to - from);
		same = bytes ? same_bytes(tid, from, bytes, to - from, error) : 0;
		if (same < 0)
			return -1;
		if (!same)
			continue;
		*ret = (struct mapped_range) {
			.start = line->start,
			.end = line->end,
			.offset = line->start - begin + segment->file_offset,
			.path = file->path,
			.entry = entry,
		};
		return 1;
	}
	return 0;
}

/* ---- the address space ------------------------------------------------------------------ */

/* By the number of one thread. *ret_lines: of executable memory or not; 0 if it has none. */
static int read_maps(struct address_space *space, pid_t tid, size_t *ret_lines, struct error *error)
{
	struct maps_line parsed;
	size_t line_capacity = 0;
	struct maps_line file = { 0 }; /* the last one */
	struct mapped_range moved;
	FREED char *file_path = NULL, *line = NULL;
	char path[PROC_PATH_BYTES];
	FILE_CLOSED FILE *maps = fopen(proc_path(path, tid, "maps"), "re");
	int status = 0;

	*ret_lines = 0;
	if (!maps)
		return error_set_errno(error, "%s", path);
	while (!status && getline(&line, &line_capacity, maps) > 0) {
		++*ret_lines;
		if (!maps_line_parse(line, &parsed))
			continue;
		if (parsed.inode) {
			free(file_path);
			file_path = strdup(parsed.path);
			if (!file_path) {
				status = error_set(error, ERROR_MEMORY, "", 0, "no memory for %s",
						   path);
				break;
			}
			file = parsed;
			file.path = file_path;
		}
		if (parsed.permissions[2] != 'x')
			continue;
		if (!space->dump && parsed.inode && jit_dump_is_path(parsed.path))
			space->dump = jit_dump_open(image_store_dumps(space->store), tid, &parsed);
		status = is_moved(space->store, tid, &file, &parsed, &moved, error);
		if (status > 0)
			status = space_add_range(space, &moved, error);
		else if (!status)
			status = space_add_line(space, tid, &parsed, error);
	}
	if (!status && !feof(maps))
		status = error_set_errno(error, "%s", path);
	return status;
}

int address_space_read(struct address_space *space, struct image_store *store, pid_t pid,
		       struct error *error)
{
	size_t lines;
	pid_t tid;
	int status;

	address_space_deinit(space);
	space->pid = pid;
	space->store = store;
	status = read_maps(space, pid, &lines, error);
	if (lines)
		return status;
	/* Of a thread without memory there is nothing to read, or not even a file to open. */
	errno = 0;
	tid = process_living_thread(pid);
	if (!tid && errno_is_want(errno))
		return error_set_errno(error, "the threads of process %d", pid);
	return tid && tid != pid ? read_maps(space, tid, &lines, error) : status;
}

void mapping_deinit(struct mapping *mapping)
{
	image_entry_release(mapping->entry);
	free(mapping->path);
}

void address_space_deinit(struct address_space *space)
{
	for (size_t i = 0; i < space->mapping_count; i++)
		mapping_deinit(&space->mapping[i]);
	free(space->mapping);
	space->mapping = NULL;
	space->mapping_count = space->unopened = 0;
	perf_map_destroy(space->names);
	space->names = NULL;
	jit_dump_release(space->dump);
	space->dump = NULL;
	space->forked_ns = 0;
}

const struct mapping *address_space_find(const struct address_space *space, uint64_t pc)
{
	size_t low = ARRAY_BEFORE(space->mapping_count, i, pc >= space->mapping[i].end);
	if (low < space->mapping_count && pc >= space->mapping[low].start)
		return &space->mapping[low];
	return NULL;
}

int address_space_read_names(const struct address_space *space, struct error *error)
{
	struct address_space *own = (struct address_space *)space; /* see address_space.h */
	int status = own->dump ? jit_dump_update(own->dump, error) : 0;
	struct error later;

	return perf_map_update(&own->names, space->pid, status ? &later : error) ? -1 : status;
}

/* A child has what its parent had made until it was forked; what is made there later, it has not. */
static const struct perf_symbol *find_in_dump(const struct address_space *space, uint64_t pc,
					      uint64_t time_ns)
{
	const uint64_t until_ns = jit_dump_is_older(space->dump, space->forked_ns)
					  ? space->forked_ns
					  : UINT64_MAX;
	const struct perf_symbol *symbol = jit_dump_find(space->dump, pc,
							 time_ns < until_ns ? time_ns : until_ns);

	return symbol && symbol->time <= until_ns ? symbol : NULL;
}

const char *address_space_code_name(const struct address_space *space, uint64_t pc,
				    uint64_t time_ns, uint64_t *ret_offset)
{
	const struct mapping *mapping = address_space_find(space, pc);
	const struct perf_symbol *symbol = NULL;

	/* A map of a file with an image has better names; and it may be older than the mapping. */
	if (!mapping || mapping->entry)
		return NULL;
	if (space->dump)
		symbol = find_in_dump(space, pc, time_ns);
	if (!symbol && space->names)
		symbol = perf_map_find(space->names, pc);
	if (!symbol)
		return NULL;
	*ret_offset = pc - symbol->start;
	return symbol->name;
}

bool address_space_is_uprobes(const struct address_space *space, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(space, pc);

	return mapping && !mapping->entry && maps_path_is_uprobes(mapping->path);
}

void address_space_describe(const struct address_space *space, uint64_t pc, char *text, size_t size)
{
	const struct mapping *mapping = address_space_find(space, pc);
	const char *name, *code;
	struct code_name function;
	uint64_t offset;
	int used;

	if (!mapping) {
		snprintf(text, size, "0x%" PRIx64 " (unmapped)", pc);
		return;
	}
	name = strrchr(mapping->path, '/');
	name = name ? name + 1 : mapping->path;
	code = address_space_code_name(space, pc, UINT64_MAX, &offset);
	if (code) {
		snprintf(text, size, "%s+0x%" PRIx64 " (perf map)", code, offset);
		return;
	}
	if (!mapping->entry) {
		snprintf(text, size, "0x%" PRIx64 " (%s)", pc, *name ? name : "anonymous");
		return;
	}
	code_name_find(mapping->entry->image, image_entry_cfi(mapping->entry), pc - mapping->bias,
		       &function);
	/* An FDE or a gap has no name but an address: the one in the file says more. */
	if (function.kind == CODE_FDE || function.kind == CODE_GAP) {
		snprintf(text, size, "+0x%" PRIx64 " (%s)", pc - mapping->bias, name);
		return;
	}
	code_name_print(&function, text, size);
	used = (int)strlen(text);
	snprintf(text + used, size - used, "+0x%" PRIx64 " (%s)",
		 pc - mapping->bias - function.start, name);
}

/* The next segment that begins in the mapping. NULL: there is none. */
static const struct table_segment *segment_behind(const struct mapping *mapping,
						  const struct table_segment *segment)
{
	const struct table *table = mapping->entry->table;
	const struct table_segment *end = table->segment + table->segment_count;

	for (segment++; segment < end && segment->vaddr < mapping->end - mapping->bias; segment++)
		if (segment->bytes)
			return segment;
	return NULL;
}

bool mapping_for_walk(const struct mapping *mapping, uint32_t number, struct walk_mapping *ret)
{
	const struct table *table = mapping->entry ? mapping->entry->table : NULL;
	uint64_t start = mapping->start - mapping->bias, end = mapping->end - mapping->bias;
	const struct table_segment *segment, *next;
	uint64_t first, pages;

	segment = table ? table_segment_find(table, start) : NULL;
	for (uint32_t i = 0; segment && i < number; i++) {
		segment = segment_behind(mapping, segment);
		start = segment ? segment->vaddr : end;
	}
	if (!segment)
		return false;
	next = segment_behind(mapping, segment);
	end = next ? next->vaddr : end;
	first = (start - segment->vaddr) >> table->page_shift;
	if (first > segment->page_count)
		first = segment->page_count;
	pages = (end - start) >> table->page_shift;
	if (pages > segment->page_count - first)
		pages = segment->page_count - first;
	*ret = (struct walk_mapping) {
		.start = mapping->bias + start,
		.end = mapping->bias + end,
		.first_page = segment->first_page + first,
		.page_count = pages,
		.page_shift = table->page_shift,
	};
	return true;
}
