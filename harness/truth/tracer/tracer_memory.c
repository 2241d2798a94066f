/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_memory.c - the tracee's memory and mappings, as proc(5) shows them
 *
 * Three questions: what bytes are at an address (/proc/PID/mem), which mapping holds one, and did
 * the executable mappings change (/proc/PID/maps). The last is asked after every system call that
 * can map code. Most of those don't: a loader maps data, malloc unmaps. So the executable lines are
 * hashed, and on_mappings is only called when the hash is another.
 *
 * A mapping that is writable and executable, or executable and shared, may get new code without any
 * system call: what lies there is decoded at every step.
 *
 * All three are asked under the number of the thread that is stopped. The process's own number is
 * its first thread's, and that one may have ended (unwinder/walk/process.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hash.h"
#include "array.h"
#include "proc_file.h"
#include "tracer.h"

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	const struct tracer *tracer = context;

	/* An offset is signed: addresses from 2^63 on (the vsyscall page) can't be asked for. */
	if (address > INT64_MAX)
		return -1;
	return pread(tracer->memory_fd, ret, size, address) == (ssize_t)size ? 0 : -1;
}

static FILE *open_maps(const struct tracer *tracer)
{
	return proc_file_open(tracer->at, "maps");
}

int tracer_memory_open(struct tracer *tracer)
{
	/* An open file stays with the address space from before an exec. */
	if (tracer->memory_fd >= 0)
		close(tracer->memory_fd);
	tracer->memory_fd = proc_file_descriptor(tracer->at, "mem", O_RDWR);
	if (tracer->memory_fd < 0)
		return error_set_errno(tracer->core.error, "/proc/%d/mem", tracer->at);
	tracer->core.memory = (struct memory_reader) { .read = read_memory, .context = tracer };
	return 0;
}

struct map_line {
	struct address_range range;
	char permissions[5];
};

static bool parse_map_line(const char *line, struct map_line *ret)
{
	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &ret->range.low, &ret->range.high,
		      ret->permissions) == 3;
}

static int add_volatile(struct tracer *tracer, struct address_range range)
{
	return ARRAY_ADD(tracer->volatile_code, tracer->volatile_count, range)
		       ? 0
		       : error_set(tracer->core.error, ERROR_MEMORY, NULL, 0, "out of memory");
}

/* Reads the executable mappings: their hash, and which of them are volatile. 1: the thread that
 * is asked is being killed, and has none any more. */
static int read_code_mappings(struct tracer *tracer, uint64_t *ret_hash)
{
	bool any = false;
	FILE_CLOSED FILE *file = open_maps(tracer);
	FREED char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	int result = 0;

	if (!file && (errno == ENOENT || errno == ESRCH))
		return 1;
	if (!file)
		return error_set_errno(tracer->core.error, "/proc/%d/maps", tracer->at);
	*ret_hash = HASH_BYTES_FIRST;
	tracer->volatile_count = 0;
	while (!result && (size = getline(&line, &capacity, file)) >= 0) {
		struct map_line map;

		any = true;
		if (!parse_map_line(line, &map) || !strchr(map.permissions, 'x'))
			continue;
		*ret_hash = hash_bytes_on(*ret_hash, line, (size_t)size);
		if (strchr(map.permissions, 'w') || strchr(map.permissions, 's'))
			result = add_volatile(tracer, map.range);
	}
	return result || any ? result : 1;
}

int tracer_mappings_changed(struct tracer *tracer, bool replaced)
{
	uint64_t hash = 0;

	decoder_flush(tracer->core.decoder);
	int status = read_code_mappings(tracer, &hash);

	if (status)
		return status < 0 ? -1 : 0;
	if (!replaced && tracer->mapped && hash == tracer->mappings_hash)
		return 0;
	tracer->mapped = true;
	tracer->mappings_hash = hash;
	if (!tracer->callbacks->on_mappings)
		return 0;
	if (tracer->callbacks->on_mappings(tracer->callbacks->context, tracer->core.pid))
		return error_set(tracer->core.error, ERROR_PROTOCOL, NULL, 0,
				 "the mappings of process %d could not be taken over",
				 tracer->core.pid);
	return 0;
}

bool tracer_is_volatile(const struct tracer *tracer, uint64_t pc)
{
	return ARRAY_ANY(tracer->volatile_count, i,
			 pc >= tracer->volatile_code[i].low && pc < tracer->volatile_code[i].high);
}

bool tracer_mapping_find(void *context, uint64_t address, struct address_range *ret)
{
	const struct tracer *tracer = context;
	FILE_CLOSED FILE *file = open_maps(tracer);
	FREED char *line = NULL;
	size_t capacity = 0;
	bool found = false;

	while (file && !found && getline(&line, &capacity, file) >= 0) {
		struct map_line map;

		if (!parse_map_line(line, &map) || address < map.range.low ||
		    address >= map.range.high)
			continue;
		*ret = map.range;
		found = true;
	}
	return found;
}
