/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * jit_dump.c - the names of code that a process has generated, with the time of each: jit-PID.dump
 *
 * Linux perf's other convention (tools/perf/Documentation/jitdump-specification.txt), which node (--perf-prof), Java's
 * agents and wasmtime keep: a header, then records, each with its size and time, added while code is made. The process
 * maps a page of the file executable, so that whoever follows its mappings knows which file it is.
 *
 *	header	magic, version, size, machine, padding, pid; time; flags
 *	record	id, size; time
 *	LOAD	.. pid, tid; vma, address, size, index of the code; its name, NUL; its bytes
 *	MOVE	.. pid, tid; vma, old address, new address, size, index
 *
 * Numbers are of 32 bits before the first semicolon of a line, and behind it of 64. Of all other records, lines of sources
 * and .eh_frame among them, only the size is looked at.
 *
 * When code is thrown away its addresses are used again, so an address is called by the last record that has it; or, where
 * a stack is older than that, by the last one until then. Some compilers' records come when code has run already: where
 * there is none until then it is the first one. Times are those of the file if they ascend; of another clock (flag
 * ARCH_TIMESTAMP) they are not looked at. A record of a time that has not come names nothing: no tick is of then.
 *
 * Whoever writes there is not trusted: a size is believed if the file has as much, a record that is not whole yet is read
 * again when the file has grown, and what can't be followed ends the reading, with the names until then. Nor is the file
 * of another user than the process's, root or ours, as perf has it.
 */
#include <errno.h>
#include <fcntl.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "array.h"
#include "hash.h"
#include "jit_dump.h"
#include "number_map.h"
#include "proc_file.h"

#define MAGIC		0x4a695444u /* "JiTD" */
#define VERSION		1
#define ARCH_TIMESTAMP	1
#define WINDOW_BYTES	65536u
#define UNNAMED_RECORDS 64u /* for each that may have a name, others that are read, too */

enum { RECORD_LOAD, RECORD_MOVE };

struct dump_header {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t time, flags;
};

struct dump_record {
	uint32_t id, size;
	uint64_t time;
};

struct dump_load {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
	char name[]; /* and its NUL, and the code */
};

struct dump_move {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t vma, old_address, address, size, index;
};

_Static_assert(sizeof(struct dump_header) == 40, "as in the file");
_Static_assert(sizeof(struct dump_load) == 56 && sizeof(struct dump_move) == 64, "as in the file");

struct jit_dump {
	struct jit_dump **list, *next;
	unsigned int references;
	int fd;
	uint64_t device, inode; /* as in maps */
	struct perf_map map;	/* the latest code at each address */
	struct perf_symbol *code;
	uint64_t *index; /* by code */
	size_t count;	 /* of them, as they came */
	struct number_map by_index;
	bool other_clock, ended;
	bool is_strange; /* another user's */
	bool is_ahead,
		told_ahead; /* it has records of a time that has not come; told: by an error */
	uint64_t begun;	    /* the header's time */
	uint64_t at;	    /* in the file: of the next record; 0: the header */
	uint64_t records;
	uint8_t *window; /* only in an update */
	uint64_t window_at;
	size_t window_size;
};

/* ---- the file ----------------------------------------------------------------------------- */

bool jit_dump_is_path(const char *path)
{
	const char *name = strrchr(path, '/');
	int end = 0;

	return name && sscanf(name, "/jit-%*[0-9].dump%n", &end) == 0 && end > 0 &&
	       (!name[end] || !strcmp(name + end, " (deleted)"));
}

struct jit_dump *jit_dump_create(struct jit_dump **list, int fd)
{
	struct jit_dump *dump = fd < 0 ? NULL : calloc(1, sizeof(*dump));

	if (!dump) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	dump->fd = fd;
	dump->list = list;
	dump->next = *list;
	*list = dump;
	return jit_dump_share(dump);
}

static bool is_strange(int fd, pid_t tid)
{
	struct stat file, process;
	char path[PROC_PATH_BYTES];

	return fstat(fd, &file) || stat(proc_path(path, tid, ""), &process) ||
	       (file.st_uid && file.st_uid != process.st_uid && file.st_uid != geteuid());
}

struct jit_dump *jit_dump_open(struct jit_dump **list, pid_t tid, const struct maps_line *line)
{
	uint64_t device = makedev(line->major, line->minor);
	struct jit_dump *dump = *list;

	while (dump && (dump->device != device || dump->inode != line->inode))
		dump = dump->next;
	if (dump)
		return jit_dump_share(dump);
	dump = jit_dump_create(list, mapped_file_descriptor(tid, line));
	if (dump) {
		dump->device = device;
		dump->inode = line->inode;
		dump->is_strange = is_strange(dump->fd, tid);
	}
	return dump;
}

struct jit_dump *jit_dump_share(struct jit_dump *dump)
{
	if (dump)
		dump->references++;
	return dump;
}

static void forget(struct jit_dump *dump)
{
	for (size_t i = 0; i < dump->count; i++)
		free((char *)dump->code[i].name);
	free(dump->code);
	free(dump->index);
	free(dump->map.symbol);
	number_map_deinit(&dump->by_index);
	dump->code = NULL;
	dump->index = NULL;
	dump->map = (struct perf_map) { 0 };
	dump->count = 0;
	dump->at = dump->records = 0;
	dump->ended = false;
}

void jit_dump_release(struct jit_dump *dump)
{
	struct jit_dump **link;

	if (!dump || --dump->references)
		return;
	for (link = dump->list; *link != dump; link = &(*link)->next)
		;
	*link = dump->next;
	forget(dump);
	close(dump->fd);
	free(dump);
}

/* Up to WINDOW_BYTES of the file, *ret_size of them at least if it has as many. NULL: it can't be read. */
static const uint8_t *read_at(struct jit_dump *dump, uint64_t offset, size_t size, size_t *ret_size)
{
	if (offset < dump->window_at || offset + size > dump->window_at + dump->window_size) {
		ssize_t got = pread(dump->fd, dump->window, WINDOW_BYTES, (off_t)offset);

		if (got < 0)
			return NULL;
		dump->window_at = offset;
		dump->window_size = (size_t)got;
	}
	*ret_size = dump->window_size - (offset - dump->window_at);
	return dump->window + (offset - dump->window_at);
}

/* ---- records ------------------------------------------------------------------------------ */

struct wanted {
	const struct jit_dump *dump;
	uint64_t index;
};

static bool is_index(void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->dump->index[number - 1] == wanted->index;
}

static uint64_t time_of(const struct jit_dump *dump, const struct dump_record *record)
{
	uint64_t before = dump->count ? dump->code[dump->count - 1].time : 0;

	return dump->other_clock || record->time <= before ? before : record->time;
}

static bool is_to_come(const struct jit_dump *dump, const struct dump_record *record)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return !dump->other_clock &&
	       record->time > now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* Takes name over. */
static int add_code(struct jit_dump *dump, uint64_t address, uint64_t size, uint64_t index,
		    uint64_t time_ns, char *name, struct error *error)
{
	struct wanted wanted = { dump, index };
	uint32_t *number;

	if (!name || !ARRAY_GROW(dump->code, dump->count) || !ARRAY_GROW(dump->index, dump->count))
		goto no_memory;
	number = number_map_find(&dump->by_index, hash_word(0, index), is_index, &wanted);
	if (!number)
		goto no_memory;
	dump->index[dump->count] = index;
	dump->code[dump->count] = (struct perf_symbol) {
		.first = address,
		.end = address + size,
		.start = address,
		.name = name,
		.time = time_ns,
	};
	*number = ++dump->count;
	return 0;
no_memory:
	free(name);
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a jitdump");
}

static bool is_range(uint64_t address, uint64_t size)
{
	return size && size <= UINT64_MAX - address;
}

/* Up to its NUL; one without is none. Nothing that talks to a terminal. NULL: no memory. */
static char *copy_name(const char *name, size_t size)
{
	char *copy = strndup(name, size);

	for (char *at = copy; at && *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return copy;
}

static int take_load(struct jit_dump *dump, const struct dump_load *load, size_t size,
		     struct error *error)
{
	size_t room = size - sizeof(*load);

	if (load->record.size - sizeof(*load) < room)
		room = load->record.size - sizeof(*load);
	if (room > JIT_DUMP_NAME_MAX)
		room = JIT_DUMP_NAME_MAX;
	if (!is_range(load->address, load->size) || !memchr(load->name, 0, room) ||
	    !load->name[0]) {
		dump->map.malformed++;
		return 0;
	}
	return add_code(dump, load->address, load->size, load->index, time_of(dump, &load->record),
			copy_name(load->name, room), error);
}

static int take_move(struct jit_dump *dump, const struct dump_move *move, struct error *error)
{
	struct wanted wanted = { dump, move->index };
	uint32_t number = number_map_get(&dump->by_index, hash_word(0, move->index), is_index,
					 &wanted);

	if (!number || !is_range(move->address, move->size)) {
		dump->map.malformed++;
		return 0;
	}
	return add_code(dump, move->address, move->size, move->index, time_of(dump, &move->record),
			strdup(dump->code[number - 1].name), error);
}

static int end_at(struct jit_dump *dump, enum error_code code, const char *why, struct error *error)
{
	dump->ended = true;
	return error_set(error, code, "", dump->at, "a jitdump %s", why);
}

/* 1: one was taken; 0: there is no other that is whole; -1. Bytes are read as they lie: numbers are copied. */
static int take_record(struct jit_dump *dump, uint64_t file_size, struct error *error)
{
	union {
		struct dump_record record;
		struct dump_load load;
		struct dump_move move;
		uint8_t bytes[sizeof(struct dump_load) + JIT_DUMP_NAME_MAX];
	} taken;
	struct dump_record *record = &taken.record;
	size_t size;
	const uint8_t *bytes = read_at(dump, dump->at, sizeof(taken), &size);
	int status = 0;

	if (!bytes)
		return error_set_errno(error, "reading a jitdump");
	if (size < sizeof(*record))
		return 0;
	memcpy(&taken, bytes, size < sizeof(taken) ? size : sizeof(taken));
	size = size < sizeof(taken) ? size : sizeof(taken);
	if (record->size < sizeof(*record))
		return end_at(dump, ERROR_PROTOCOL, "has a record without a size", error);
	if (record->size > file_size - dump->at)
		return 0;
	if (dump->count == JIT_DUMP_RECORDS_MAX ||
	    dump->records++ / UNNAMED_RECORDS == JIT_DUMP_RECORDS_MAX)
		return end_at(dump, ERROR_TABLE_LIMIT, "has too many records", error);
	if (record->id <= RECORD_MOVE && is_to_come(dump, record)) {
		dump->map.malformed++;
		dump->is_ahead = true;
	} else if (record->id == RECORD_LOAD && record->size > sizeof(taken.load) &&
		   size > sizeof(taken.load))
		status = take_load(dump, &taken.load, size, error);
	else if (record->id == RECORD_MOVE && record->size >= sizeof(taken.move) &&
		 size >= sizeof(taken.move))
		status = take_move(dump, &taken.move, error);
	else if (record->id <= RECORD_MOVE)
		dump->map.malformed++;
	if (status)
		return -1;
	dump->at += record->size;
	return 1;
}

static int take_header(struct jit_dump *dump, uint64_t file_size, struct error *error)
{
	struct dump_header header;
	size_t size;
	const uint8_t *bytes = read_at(dump, 0, sizeof(header), &size);

	if (dump->is_strange)
		return end_at(dump, ERROR_PROTOCOL, "belongs to another user", error);

	if (!bytes)
		return error_set_errno(error, "reading a jitdump");
	if (size < sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != MAGIC || header.version != VERSION || header.size < sizeof(header) ||
	    header.machine != EM_X86_64)
		return end_at(dump, ERROR_PROTOCOL, "has a header that is not known", error);
	if (header.size > file_size)
		return 0;
	dump->other_clock = header.flags & ARCH_TIMESTAMP;
	dump->begun = header.time;
	dump->at = header.size;
	return 0;
}

static int take_all(struct jit_dump *dump, uint64_t file_size, struct error *error)
{
	size_t before = dump->count;
	int status = dump->at ? 0 : take_header(dump, file_size, error);

	if (!status && dump->at)
		while ((status = take_record(dump, file_size, error)) > 0)
			;
	if (dump->count > before && perf_map_cut(&dump->map, dump->code, dump->count))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a jitdump");
	return status;
}

int jit_dump_update(struct jit_dump *dump, struct error *error)
{
	struct stat file;
	int status;

	if (fstat(dump->fd, &file))
		return error_set_errno(error, "a jitdump");
	if ((uint64_t)file.st_size < dump->at) /* begun anew */
		forget(dump);
	if (dump->ended || (uint64_t)file.st_size == dump->at)
		return 0;
	if ((uint64_t)file.st_size > JIT_DUMP_BYTES_MAX)
		return end_at(dump, ERROR_TABLE_LIMIT, "is too large", error);
	dump->window = malloc(WINDOW_BYTES);
	if (!dump->window)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a jitdump");
	dump->window_size = 0;
	status = take_all(dump, file.st_size, error);
	free(dump->window);
	dump->window = NULL;
	if (status || !dump->is_ahead || dump->told_ahead)
		return status;
	dump->told_ahead = true;
	return error_set(error, ERROR_PROTOCOL, "", dump->at,
			 "a jitdump has records of a time that has not come");
}

bool jit_dump_is_older(const struct jit_dump *dump, uint64_t time_ns)
{
	return dump->begun < time_ns;
}

const struct perf_symbol *jit_dump_find(const struct jit_dump *dump, uint64_t pc, uint64_t time_ns)
{
	const struct perf_symbol *found = perf_map_find(&dump->map, pc);
	size_t earliest = dump->count > JIT_DUMP_EARLIER_MAX ? dump->count - JIT_DUMP_EARLIER_MAX
							     : 0;

	if (!found || found->time <= time_ns)
		return found;
	for (size_t i = dump->count; i-- > earliest && found->time > time_ns;)
		if (pc - dump->code[i].start < dump->code[i].end - dump->code[i].start)
			found = &dump->code[i];
	return found;
}
