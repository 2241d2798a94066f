/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_code.c - mapped code, and the files that it is of
 *
 * Of a file the program headers and the build-id are read, or the code's digest if it has none: with them an address of
 * the process becomes one of the image, and a reader finds the same image again. A file that isn't on the host keeps
 * its path, and its addresses are the process's.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "freed.h"
#include "plugin_code.h"

struct code_segment {
	uint64_t vaddr, offset, bytes;
};

/* A file, or a folder, that is not in the guest's root on the host. */
struct taken_file {
	const char *here, *path;
};

static struct {
	struct code_file *file; /* of number 1, 2, ... */
	uint32_t count;
	size_t missing;
	struct taken_file *taken;
	size_t takens;
} files;

/* ---- a file ------------------------------------------------------------------------------ */

/* A whole file, which may be anything. */
struct contents {
	const uint8_t *data;
	uint64_t size;
};

static const void *at(const struct contents *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

/* The build-id among the notes of a segment (binutils: NT_GNU_BUILD_ID). */
static void find_build_id(const struct contents *file, const Elf64_Phdr *notes,
			  struct truth_image *ret)
{
	uint64_t offset = notes->p_offset, end = notes->p_offset + notes->p_filesz;
	const Elf64_Nhdr *note;

	while (!ret->build_id_size && offset < end && (note = at(file, offset, sizeof(*note)))) {
		uint64_t name = offset + sizeof(*note),
			 value = name + ((note->n_namesz + 3ull) & ~3ull);
		const char *owner = at(file, name, sizeof(ELF_NOTE_GNU));
		const uint8_t *id = at(file, value, note->n_descsz);

		offset = value + ((note->n_descsz + 3ull) & ~3ull);
		if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != sizeof(ELF_NOTE_GNU) ||
		    !owner || memcmp(owner, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) || !id ||
		    !note->n_descsz)
			continue;
		uint8_t *copy = malloc(note->n_descsz);

		if (!copy)
			return;
		memcpy(copy, id, note->n_descsz);
		ret->build_id = copy;
		ret->build_id_size = note->n_descsz;
	}
}

/* False: it is no ELF file of this machine, or there is no memory. */
static bool read_headers(const struct contents *contents, struct code_file *ret)
{
	const Elf64_Ehdr *header = at(contents, 0, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
	    header->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = at(contents, header->e_phoff + i * sizeof(*segment),
					       sizeof(*segment));

		if (!segment)
			return false;
		if (segment->p_type == PT_NOTE)
			find_build_id(contents, segment, &ret->image);
		else if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
			 !ARRAY_ADD(ret->segment, ret->segments,
				    (struct code_segment) { segment->p_vaddr, segment->p_offset,
							    segment->p_filesz }))
			return false;
	}
	return true;
}

static bool read_file(const char *path, struct code_file *ret)
{
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct contents contents;
	struct stat status;
	void *data;
	bool read;

	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return false;
	data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return false;
	contents = (struct contents) { data, (uint64_t)status.st_size };
	read = read_headers(&contents, ret);
	if (read && !ret->image.build_id_size)
		code_digest_of(contents.data, contents.size, &ret->image.digest);
	munmap(data, (size_t)status.st_size);
	return read;
}

static enum truth_image_kind kind_of(const char *path)
{
	return !strcmp(path, "[vdso]")			  ? TRUTH_IMAGE_VDSO
	       : !strncmp(path, "/memfd:", 7)		  ? TRUTH_IMAGE_MEMFD
	       : path[0] == '/' && strcmp(path, "//anon") ? TRUTH_IMAGE_FILE
							  : TRUTH_IMAGE_ANONYMOUS;
}

bool code_files_taken(const char *here, const char *path)
{
	return ARRAY_ADD(files.taken, files.takens, ((struct taken_file) { here, path }));
}

/* Where the guest's file is on the host; the last that was taken hides those before. NULL: no memory. */
static char *path_here(const char *path, const char *root)
{
	char *ret = NULL;

	for (size_t i = files.takens; i-- > 0;) {
		const struct taken_file *taken = &files.taken[i];
		size_t length = strlen(taken->path);

		if (!strncmp(path, taken->path, length) && (!path[length] || path[length] == '/'))
			return asprintf(&ret, "%s%s", taken->here, path + length) < 0 ? NULL : ret;
	}
	return asprintf(&ret, "%s%s", root, path) < 0 ? NULL : ret;
}

/* The number of the file that the guest has at path; 0: no memory. */
static uint32_t file_number(const char *path, const char *root)
{
	struct code_file new = { .image = { .kind = kind_of(path) } };
	FREED char *here = NULL;

	for (uint32_t i = 0; i < files.count; i++)
		if (!strcmp(files.file[i].image.path, path))
			return i + 1;
	new.image.path = strdup(path);
	here = path_here(path, root);
	if (!new.image.path || !here)
		return 0;
	if (new.image.kind == TRUTH_IMAGE_FILE && !read_file(here, &new)) {
		new.image.kind = TRUTH_IMAGE_OTHER;
		new.segments = 0;
		files.missing++;
	} else if (new.image.kind != TRUTH_IMAGE_FILE) {
		new.image.kind = new.image.kind == TRUTH_IMAGE_MEMFD ? TRUTH_IMAGE_OTHER
								     : new.image.kind;
	}
	return ARRAY_ADD(files.file, files.count, new) ? files.count : 0;
}

const struct code_file *code_file(uint32_t number)
{
	static const struct code_file none = { .image = { .path = "" } };

	return number ? &files.file[number - 1] : &none;
}

uint32_t code_files(void)
{
	return files.count;
}

size_t code_files_missing(void)
{
	return files.missing;
}

/* ---- a process's mappings ----------------------------------------------------------------- */

/* What a mapping that begins at this offset of the file is shifted by. The vDSO's addresses begin at 0. */
static uint64_t bias_of(const struct code_file *file, const struct process_mapping *mapping)
{
	for (size_t i = 0; i < file->segments; i++) {
		const struct code_segment *segment = &file->segment[i];

		if (mapping->offset < segment->offset + segment->bytes &&
		    mapping->offset + (mapping->end - mapping->start) > segment->offset)
			return mapping->start -
			       (segment->vaddr - segment->offset + mapping->offset);
	}
	return file->image.kind == TRUTH_IMAGE_VDSO ? mapping->start - mapping->offset : 0;
}

/* Takes start .. end out of the map. False: no memory. */
static bool cut(struct code_map *map, uint64_t start, uint64_t end)
{
	size_t kept = 0;
	struct code_range rest = { 0 };

	for (size_t i = 0; i < map->count; i++) {
		struct code_range range = map->range[i];

		if (range.end > end && range.start < end && range.start < start) {
			rest = range;
			rest.start = end;
		}
		if (range.start < end && range.end > start) {
			if (range.start >= start && range.end <= end)
				continue;
			if (range.start < start)
				range.end = start;
			else
				range.start = end;
		}
		map->range[kept++] = range;
	}
	map->count = kept;
	return !rest.end || ARRAY_ADD(map->range, map->count, rest);
}

ARRAY_ORDER(by_start, struct code_range, start)

bool code_map_remove(struct code_map *map, uint64_t start, uint64_t end)
{
	bool done = cut(map, start, end);

	ARRAY_SORT(map->range, map->count, by_start);
	return done;
}

bool code_map_move(struct code_map *map, uint64_t from, uint64_t bytes, uint64_t to)
{
	struct code_map moved = { 0 };
	bool done = true;

	for (size_t i = 0; i < map->count && done; i++) {
		struct code_range range = map->range[i];

		if (range.start >= from + bytes || range.end <= from)
			continue;
		range.start = (range.start > from ? range.start : from) - from + to;
		range.end = (range.end < from + bytes ? range.end : from + bytes) - from + to;
		range.bias += range.bias ? to - from : 0;
		done = ARRAY_ADD(moved.range, moved.count, range);
	}
	done = done && cut(map, from, from + bytes) && cut(map, to, to + bytes);
	for (size_t i = 0; i < moved.count && done; i++)
		done = ARRAY_ADD(map->range, map->count, moved.range[i]);
	code_map_deinit(&moved);
	ARRAY_SORT(map->range, map->count, by_start);
	return done;
}

bool code_map_add(struct code_map *map, const struct process_mapping *mapping, const char *root)
{
	const char *path = mapping->path ? mapping->path : "";
	struct code_range range = { .start = mapping->start, .end = mapping->end };

	if (range.start >= range.end)
		return true;
	range.file = file_number(path, root);
	if (!range.file)
		return false;
	range.bias = bias_of(code_file(range.file), mapping);
	if (!code_map_remove(map, range.start, range.end) ||
	    !ARRAY_ADD(map->range, map->count, range))
		return false;
	ARRAY_SORT(map->range, map->count, by_start);
	return true;
}

bool code_map_copy(const struct code_map *map, struct code_map *ret)
{
	for (size_t i = 0; i < map->count; i++)
		if (!ARRAY_ADD(ret->range, ret->count, map->range[i]))
			return false;
	return true;
}

void code_map_deinit(struct code_map *map)
{
	free(map->range);
	*map = (struct code_map) { 0 };
}

const struct code_range *code_map_find(const struct code_map *map, uint64_t pc)
{
	size_t at = ARRAY_BEFORE(map->count, i, pc >= map->range[i].end);

	return at < map->count && pc >= map->range[at].start ? &map->range[at] : NULL;
}
