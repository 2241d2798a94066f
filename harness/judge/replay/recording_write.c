/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_write.c - makes a recording
 *
 * The writer keeps a copy of the memory that the player will have by now, and writes only what the
 * walk reads and that copy does not say. A walk that goes by memory (walk_memo) does not read: so
 * the walk here has none.
 *
 * All bytes go through a stream of our own, which adds them to the digest.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "freed.h"
#include "hash.h"
#include "base/cli/output_file.h"
#include "crc32.h"
#include "leb_write.h"
#include "page_set.h"
#include "recording.h"
#include "walk/mapped_file.h"
#include "walk/space_range.h"
#include "walk/walk_rows.h"

#define WRITE_BYTES (64u << 10) /* at once */

struct recording_writer {
	struct output_file output;
	FILE *file;	    /* to the output's, by way of the digest */
	uint32_t digest;    /* of what came there */
	struct error error; /* the first; code ERROR_NONE: none */
	struct page_set memory;
	struct mapping *mapping; /* those written last; their paths are not kept */
	size_t mapping_count;
	bool mapped;
	uint64_t address; /* of the last W */
	uint64_t reg[REGISTER_COUNT];
	uint64_t points;
	struct recording_frames truths;
	uint32_t truth;			     /* of the last T */
	const struct memory_reader *process; /* while a point is added */
	struct stack stack;		     /* as the walk in BPF will find it: no deeper */
};

uint64_t recording_digest(const struct stack *stack)
{
	uint64_t digest = 0;

	for (uint32_t i = 0; i < stack->count; i++)
		digest = hash_word(digest, stack->pc[i]);
	return digest;
}

/* ---- memory ----------------------------------------------------------------------------- */

static void fail(struct recording_writer *writer, const char *what)
{
	if (!writer->error.code)
		error_set(&writer->error, ERROR_MEMORY, "", 0, "%s", what);
}

static void note_bytes(struct recording_writer *writer, uint64_t address, const uint8_t *bytes,
		       size_t size)
{
	uint8_t *page = page_set_find(&writer->memory, address);
	uint8_t *copy = page ? page + address % PAGE_SET_PAGE : NULL;

	if (copy && !memcmp(copy, bytes, size))
		return;
	if (!page) {
		page = calloc(1, PAGE_SET_PAGE);
		if (!page || !page_set_add(&writer->memory, address, page)) {
			free(page);
			fail(writer, "too many pages for a recording");
			return;
		}
		copy = page + address % PAGE_SET_PAGE;
	}
	memcpy(copy, bytes, size);
	putc_unlocked('W', writer->file);
	put_signed(writer->file, address - writer->address);
	put_bytes(writer->file, bytes, size);
	writer->address = address;
}

static void note_absent(struct recording_writer *writer, uint64_t address)
{
	uint8_t *page = page_set_take(&writer->memory, address);

	if (!page)
		return; /* the player has none there either */
	free(page);
	putc_unlocked('A', writer->file);
	put_unsigned(writer->file, address);
}

static bool is_recordable(uint64_t address)
{
	return address >= RECORDING_ADDRESS_MIN && address < RECORDING_ADDRESS_LIMIT;
}

/* What the walk asks for, asked of the process and written down. */
static int read_and_note(void *context, uint64_t address, void *ret, size_t size)
{
	struct recording_writer *writer = context;
	uint8_t *bytes = ret;
	int status = 0;

	for (size_t at = 0; at < size;) {
		size_t left = PAGE_SET_PAGE - (address + at) % PAGE_SET_PAGE, part = size - at;

		if (part > left)
			part = left;
		if (part > RECORDING_WRITE_MAX)
			part = RECORDING_WRITE_MAX;
		if (!is_recordable(address + at)) {
			status = -1; /* BPF can't read there either */
		} else if (writer->process->read(writer->process->context, address + at, bytes + at,
						 part)) {
			note_absent(writer, address + at);
			status = -1;
		} else {
			note_bytes(writer, address + at, bytes + at, part);
		}
		at += part;
	}
	return status;
}

/* ---- mappings --------------------------------------------------------------------------- */

static bool same_mappings(const struct recording_writer *writer, const struct address_space *space)
{
	if (!writer->mapped || writer->mapping_count != space->mapping_count)
		return false;
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *one = &writer->mapping[i], *other = &space->mapping[i];

		if (one->start != other->start || one->end != other->end ||
		    one->bias != other->bias || one->entry != other->entry)
			return false;
	}
	return true;
}

/* The file of that name is the one that is mapped. */
static bool is_file(const struct mapping *mapping, uint64_t *ret_size)
{
	const struct file_version *version = &mapping->entry->version;
	struct stat file;

	if (stat(mapping->path, &file) || file.st_ino != version->inode ||
	    (uint64_t)file.st_size != version->size)
		return false;
	*ret_size = file.st_size;
	return true;
}

static void put_memory(struct recording_writer *writer, const struct mapping *mapping)
{
	size_t size = mapping->end - mapping->start;
	FREED uint8_t *bytes = size <= RECORDING_IMAGE_MAX ? malloc(size) : NULL;
	bool good = bytes;

	for (size_t at = 0; good && at < size; at += PAGE_SET_PAGE) {
		size_t part = size - at < PAGE_SET_PAGE ? size - at : PAGE_SET_PAGE;

		good = !writer->process->read(writer->process->context, mapping->start + at,
					      bytes + at, part);
	}
	if (!good)
		fail(writer, "the vDSO can't be recorded");
	else
		put_bytes(writer->file, bytes, size);
}

/* The mapped file itself. Of the kernel's mapping this one may be a piece only
 * (space_add_range). */
static FILE *open_mapped(pid_t pid, const struct mapping *mapping)
{
	pid_t tid = process_living_thread(pid);
	struct maps_line parsed;
	char path[96];
	FREED char *line = tid ? maps_line_find(tid, mapping->start, &parsed) : NULL;

	if (!line)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, tid, parsed.start,
		 parsed.end);
	return fopen(path, "re");
}

/* A file that has no name, or whose name is another's by now. */
static void put_mapped_file(struct recording_writer *writer, pid_t pid,
			    const struct mapping *mapping)
{
	size_t size = mapping->entry->version.size;
	FREED uint8_t *bytes = size <= RECORDING_IMAGE_MAX ? malloc(size) : NULL;
	FILE_CLOSED FILE *file = bytes ? open_mapped(pid, mapping) : NULL;

	if (!file || fread(bytes, 1, size, file) != size)
		fail(writer, "a mapped file without a name can't be recorded");
	else
		put_bytes(writer->file, bytes, size);
}

static void put_mapping(struct recording_writer *writer, pid_t pid, const struct mapping *mapping,
			uint64_t before)
{
	uint64_t size;

	put_unsigned(writer->file, mapping->start - before);
	put_unsigned(writer->file, mapping->end - mapping->start);
	put_signed(writer->file, mapping->bias);
	bool file = mapping->entry && is_file(mapping, &size);

	putc_unlocked(!mapping->entry ? RECORDING_NO_IMAGE
				      : (file ? RECORDING_FILE : RECORDING_BYTES),
		      writer->file);
	/* Only of a file the path is more than a name, and the kernel knows none that is longer. */
	put_bytes(writer->file, mapping->path, strnlen(mapping->path, RECORDING_PATH_MAX - 1));
	if (file)
		put_unsigned(writer->file, size);
	else if (mapping->entry && mapping->entry->version.inode == VDSO_INODE)
		put_memory(writer, mapping);
	else if (mapping->entry)
		put_mapped_file(writer, pid, mapping);
}

static void note_mappings(struct recording_writer *writer, const struct address_space *space)
{
	uint64_t before = 0;
	struct mapping *kept;

	if (same_mappings(writer, space))
		return;
	kept = reallocarray(writer->mapping, space->mapping_count + 1, sizeof(*kept));
	if (!kept || space->mapping_count > RECORDING_MAPPINGS_MAX) {
		fail(writer, "too many mappings for a recording");
		writer->mapping = kept ? kept : writer->mapping;
		return;
	}
	writer->mapping = kept;
	writer->mapping_count = space->mapping_count;
	writer->mapped = true;
	if (space->mapping_count)
		memcpy(kept, space->mapping, space->mapping_count * sizeof(*kept));
	putc_unlocked('M', writer->file);
	put_unsigned(writer->file, space->mapping_count);
	for (size_t i = 0; i < space->mapping_count; i++) {
		put_mapping(writer, space->pid, &space->mapping[i], before);
		before = space->mapping[i].end;
	}
}

/* ---- the digest ------------------------------------------------------------------------- */

/* A cookie_write_function_t: 0 is a failure. */
static ssize_t write_digested(void *context, const char *bytes, size_t size)
{
	struct recording_writer *writer = context;

	writer->digest = crc32_add(writer->digest, bytes, size);
	return (ssize_t)fwrite_unlocked(bytes, 1, size, writer->output.file);
}

/* Behind all that was written to the stream. */
static void put_digest(struct recording_writer *writer)
{
	const uint32_t digest = writer->digest;
	const uint8_t bytes[RECORDING_DIGEST_BYTES] = { digest, digest >> 8, digest >> 16,
							digest >> 24 };

	fwrite_unlocked(bytes, 1, sizeof(bytes), writer->output.file);
}

/* ---- the recording ---------------------------------------------------------------------- */

int recording_writer_create(const char *path, const char *program, struct recording_writer **ret,
			    struct error *error)
{
	struct recording_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a recording");
	if (output_file_open(path, &writer->output, error)) {
		free(writer);
		return -1;
	}
	writer->file = fopencookie(writer, "w",
				   (cookie_io_functions_t) { .write = write_digested });
	if (!writer->file) {
		output_file_close(&writer->output, false, error);
		free(writer);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a recording");
	}
	setvbuf(writer->file, NULL, _IOFBF, WRITE_BYTES);
	writer->stack.limit = WALK_FRAMES_MAX;
	fputs(RECORDING_MAGIC, writer->file);
	putc_unlocked('N', writer->file);
	put_bytes(writer->file, program, strnlen(program, RECORDING_PATH_MAX - 1));
	*ret = writer;
	return 0;
}

/* Which write it was, and so why, is not known any more. */
static void note_failed_writes(struct recording_writer *writer)
{
	if (ferror(writer->file) && !writer->error.code) {
		errno = EIO;
		error_set_errno(&writer->error, "writing %s", writer->output.path);
	}
}

int recording_writer_point(struct recording_writer *writer, const struct address_space *space,
			   const struct register_values *regs, const struct memory_reader *memory,
			   struct error *error)
{
	struct memory_reader reader = { .read = read_and_note, .context = writer };
	uint32_t mask = 0;
	uint64_t digest;

	writer->process = memory;
	note_mappings(writer, space);
	if (walk_table(space, regs, &reader, NULL, &writer->stack, error)) {
		if (!writer->error.code)
			writer->error = *error;
		return -1;
	}
	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		if (regs->value[reg] != writer->reg[reg])
			mask |= 1u << reg;
	putc_unlocked('P', writer->file);
	put_unsigned(writer->file, mask);
	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		if (mask >> reg & 1)
			put_signed(writer->file, regs->value[reg] - writer->reg[reg]);
	memcpy(writer->reg, regs->value, sizeof(writer->reg));
	put_unsigned(writer->file, writer->stack.count);
	put_unsigned(writer->file, writer->stack.stop);
	digest = recording_digest(&writer->stack);
	fwrite_unlocked(&digest, 1, sizeof(digest), writer->file);
	writer->points++;
	note_failed_writes(writer);
	if (writer->error.code)
		*error = writer->error;
	return writer->error.code ? -1 : 0;
}

void recording_writer_truth(struct recording_writer *writer, const struct stack *truth, bool whole)
{
	uint32_t count = truth->count, caller = 0;

	if (count > RECORDING_TRUTH_FRAMES_MAX) {
		count = RECORDING_TRUTH_FRAMES_MAX;
		whole = false;
	}
	for (uint32_t i = count; i--;) {
		uint64_t before = caller ? writer->truths.frame[caller - 1].pc : 0;
		uint32_t number;
		bool is_new;

		number = recording_frames_find(&writer->truths, caller, truth->pc[i], &is_new);
		if (!number) {
			fail(writer, "no memory for true stacks");
			return;
		}
		if (is_new) {
			putc_unlocked('F', writer->file);
			put_unsigned(writer->file, number - caller);
			put_signed(writer->file, truth->pc[i] - before);
		}
		caller = number;
	}
	putc_unlocked('T', writer->file);
	put_signed(writer->file, (uint64_t)caller - writer->truth);
	put_unsigned(writer->file, whole);
	writer->truth = caller;
}

void recording_writer_unproven(struct recording_writer *writer, uint64_t point)
{
	putc_unlocked('U', writer->file);
	put_unsigned(writer->file, point);
}

int recording_writer_close(struct recording_writer *writer, bool finish, struct error *error)
{
	struct error failure, late;

	putc_unlocked('E', writer->file);
	put_unsigned(writer->file, writer->points);
	if (fflush(writer->file) && !writer->error.code)
		error_set_errno(&writer->error, "writing %s", writer->output.path);
	put_digest(writer);
	if (fflush(writer->output.file) && !writer->error.code)
		error_set_errno(&writer->error, "writing %s", writer->output.path);
	note_failed_writes(writer);
	fclose(writer->file);
	failure = writer->error;
	if (output_file_close(&writer->output, finish && !failure.code, &late) && !failure.code)
		failure = late;
	for (size_t i = 0; i < writer->memory.count; i++)
		free(writer->memory.page[i].bytes);
	page_set_deinit(&writer->memory);
	stack_deinit(&writer->stack);
	recording_frames_deinit(&writer->truths);
	free(writer->mapping);
	free(writer);
	if (failure.code)
		*error = failure;
	return failure.code ? -1 : 0;
}
