/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_map.c - the names that a process gives the code it has made
 *
 * A just-in-time compiler's code is in no file. By a convention of Linux perf (the kernel's
 * tools/perf/Documentation/jit-interface.txt) the process writes down where it lies, a line for
 * each function, both numbers in hexadecimal without 0x, the name being the rest of the line:
 *
 *	7f3a10001040 5c LazyCompile:*add /app/sum.js:3
 *
 * Lines are only ever added. When code is moved or thrown away its addresses come again in later
 * lines, so of several lines that have an address the last one is true; what is left of the others
 * stays theirs.
 *
 * The file is /tmp/perf-PID.map as the process itself sees it: in its mount namespace, and with the
 * PID that it has in its innermost PID namespace. Whoever writes there is not trusted. Symbolic
 * links are resolved inside the process's root and never lead out of it (openat2(2),
 * RESOLVE_IN_ROOT); the file must be a plain one, and belong to the process's user, to root or to
 * us, for /tmp is everybody's.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "perf_map.h"
#include "proc_file.h"
#include "space_range.h"
#include "array.h"

/* ---- lines ------------------------------------------------------------------------------ */

/* Up to 16 hexadecimal digits and a blank behind them. */
static bool take_number(char **at, const char *end, uint64_t *ret)
{
	const char *first = *at;
	uint64_t value = 0;

	for (; *at < end && *at - first <= 16; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | (uint64_t)((c | 0x20) - 'a' + 10);
		else
			break;
	}
	if (*at == first || *at - first > 16 || *at == end || **at != ' ')
		return false;
	++*at;
	*ret = value;
	return true;
}

/* One line, whose end becomes the name's. */
static bool parse_line(char *line, char *end, struct perf_symbol *ret)
{
	uint64_t start, size;

	if (!take_number(&line, end, &start) || !take_number(&line, end, &size) || line == end ||
	    !size || size > UINT64_MAX - start)
		return false;
	*ret = (struct perf_symbol) {
		.first = start, .end = start + size, .start = start, .name = line
	};
	for (; line < end; line++) /* nothing that talks to a terminal */
		if ((unsigned char)*line < ' ' || *line == 0x7f)
			*line = '?';
	*end = '\0';
	return true;
}

static size_t count_lines(const char *text, size_t size)
{
	size_t count = 0;

	for (const char *end = text + size; (text = memchr(text, '\n', end - text)); text++)
		count++;
	return count;
}

/* ---- the last line that has an address -------------------------------------------------- */

/* Lines by where they start; of those that start together, as they came. */
static int by_start(const void *a, const void *b)
{
	const struct perf_symbol *const *left = a, *const *right = b;

	if ((*left)->start != (*right)->start)
		return (*left)->start < (*right)->start ? -1 : 1;
	return *left < *right ? -1 : *left > *right;
}

/* Lines that have the address at hand, or had one before it: a heap, the last line on top. A
 * line is later if its pointer is larger. */
struct heap {
	const struct perf_symbol **line;
	size_t count;
};

static void heap_push(struct heap *heap, const struct perf_symbol *line)
{
	size_t at = heap->count++;

	for (; at && heap->line[(at - 1) / 2] < line; at = (at - 1) / 2)
		heap->line[at] = heap->line[(at - 1) / 2];
	heap->line[at] = line;
}

static void heap_pop(struct heap *heap)
{
	const struct perf_symbol *last = heap->line[--heap->count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < heap->count; at = child) {
		if (child + 1 < heap->count && heap->line[child + 1] > heap->line[child])
			child++;
		if (heap->line[child] < last)
			break;
		heap->line[at] = heap->line[child];
	}
	heap->line[at] = last;
}

static void add_piece(struct perf_map *map, const struct perf_symbol *line, uint64_t first,
		      uint64_t end)
{
	struct perf_symbol *before = map->count ? &map->symbol[map->count - 1] : NULL;

	if (before && before->end == first && before->name == line->name) {
		before->end = end;
		return;
	}
	map->symbol[map->count] = *line;
	map->symbol[map->count].first = first;
	map->symbol[map->count++].end = end;
}

/* From one place where a line starts or the one on top ends to the next. There are at most twice as
 * many as lines, and so pieces. */
static void cut_pieces(struct perf_map *map, const struct perf_symbol **sorted, size_t count,
		       struct heap *heap)
{
	uint64_t at = 0, end;

	for (size_t next = 0; heap->count || next < count; at = end) {
		if (!heap->count)
			at = sorted[next]->start;
		while (next < count && sorted[next]->start == at)
			heap_push(heap, sorted[next++]);
		while (heap->count && heap->line[0]->end <= at)
			heap_pop(heap);
		end = at;
		if (!heap->count)
			continue;
		end = heap->line[0]->end;
		if (next < count && sorted[next]->start < end)
			end = sorted[next]->start;
		add_piece(map, heap->line[0], at, end);
	}
}

int perf_map_cut(struct perf_map *map, const struct perf_symbol *lines, size_t count)
{
	struct heap heap = { .line = malloc((count + 1) * sizeof(*heap.line)) };
	FREED const struct perf_symbol **sorted = malloc((count + 1) * sizeof(*sorted));
	FREED struct perf_symbol *symbol = malloc((2 * count + 1) * sizeof(*symbol));
	bool has_room = heap.line && sorted && symbol;

	if (has_room) {
		free(map->symbol);
		map->symbol = symbol;
		map->count = 0;
		symbol = NULL;
		for (size_t i = 0; i < count; i++)
			sorted[i] = &lines[i];
		qsort(sorted, count, sizeof(*sorted), by_start);
		cut_pieces(map, sorted, count, &heap);
	}
	free(heap.line);
	return has_room ? 0 : -1;
}

/* ---- the map ---------------------------------------------------------------------------- */

/* Takes text over. */
static int map_create(char *text, size_t size, struct perf_map **ret, struct error *error)
{
	size_t lines = count_lines(text, size), count = 0;
	struct perf_map *map = calloc(1, sizeof(*map));
	FREED struct perf_symbol *line = NULL;
	char *at = text, *end;
	int status = -1;

	if (lines > PERF_MAP_LINES_MAX) {
		error_set(error, ERROR_TABLE_LIMIT, "", 0, "a perf map of %zu lines", lines);
		goto out;
	}
	line = malloc((lines + 1) * sizeof(*line));
	if (!map || !line)
		goto no_memory;
	for (; (end = memchr(at, '\n', text + size - at)); at = end + 1) {
		if (parse_line(at, end, &line[count]))
			count++;
		else
			map->malformed++;
	}
	map->malformed += at < text + size;
	if (perf_map_cut(map, line, count))
		goto no_memory;
	map->text = text;
	text = NULL;
	*ret = map;
	map = NULL;
	status = 0;
	goto out;
no_memory:
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a perf map");
out:
	perf_map_destroy(map);
	free(text);
	return status;
}

int perf_map_create(const char *text, size_t size, struct perf_map **ret, struct error *error)
{
	char *copy = malloc(size + 1);

	if (!copy)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a perf map");
	if (size)
		memcpy(copy, text, size);
	return map_create(copy, size, ret, error);
}

void perf_map_destroy(struct perf_map *map)
{
	if (!map)
		return;
	free(map->symbol);
	free(map->text);
	free(map);
}

const struct perf_symbol *perf_map_find(const struct perf_map *map, uint64_t pc)
{
	size_t low = ARRAY_BEFORE(map->count, i, pc >= map->symbol[i].end);
	return low < map->count && pc >= map->symbol[low].first ? &map->symbol[low] : NULL;
}

/* ---- the process's file ----------------------------------------------------------------- */

/* Its PID where it is innermost: the last number of "NSpid:" (proc(5)). */
static int inner_pid(pid_t pid, long *ret, struct error *error)
{
	char path[PROC_PATH_BYTES], line[256];
	FILE_CLOSED FILE *file = fopen(proc_path(path, pid, "status"), "re");

	if (!file)
		return error_set_errno(error, "%s", path);
	*ret = 0;
	while (!*ret && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		for (char *at = line + 6, *end; (*ret = strtol(at, &end, 10), end != at); at = end)
			pid = *ret;
		*ret = pid;
	}
	return *ret > 0 ? 0 : error_set(error, ERROR_PROTOCOL, "", 0, "%s has no NSpid", path);
}

/* A descriptor, or -1; of the latter *ret_absent is set if there is no such file. */
static int open_file(pid_t pid, bool *ret_absent, struct error *error)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char path[PROC_PATH_BYTES];
	FD_CLOSED int root = -1;
	int fd;
	long inner = 0;

	if (inner_pid(pid, &inner, error))
		return -1;
	root = open(proc_path(path, process_living_thread(pid), "root"),
		    O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return error_set_errno(error, "%s", path);
	snprintf(path, sizeof(path), "tmp/perf-%ld.map", inner);
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	*ret_absent = fd < 0 && errno == ENOENT;
	if (fd < 0)
		error_set_errno(error, "%s of process %d", path, (int)pid);
	return fd;
}

/* The file's state, if it is one that may be believed. */
static int check_file(int fd, pid_t pid, struct stat *ret, struct error *error)
{
	struct stat process;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (fstat(fd, ret) || stat(path, &process))
		return error_set_errno(error, "the perf map of process %d", (int)pid);
	if (!S_ISREG(ret->st_mode))
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "the perf map of process %d is no plain file", (int)pid);
	if (ret->st_uid && ret->st_uid != process.st_uid && ret->st_uid != geteuid())
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "the perf map of process %d belongs to user %u", (int)pid,
				 (unsigned int)ret->st_uid);
	if (ret->st_size > PERF_MAP_BYTES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the perf map of process %d has %lld bytes", (int)pid,
				 (long long)ret->st_size);
	return 0;
}

/* As many bytes as the file had when it was looked at: what is added meanwhile comes the next
 * time. */
static int read_file(int fd, size_t size, struct perf_map **ret, struct error *error)
{
	char *text = malloc(size + 1);
	size_t have = 0;
	ssize_t got = 1;

	if (!text)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a perf map");
	for (; have < size && got > 0; have += got > 0 ? got : 0)
		got = read(fd, text + have, size - have);
	if (got < 0) {
		free(text);
		return error_set_errno(error, "reading a perf map");
	}
	return map_create(text, have, ret, error);
}

int perf_map_update(struct perf_map **map, pid_t pid, struct error *error)
{
	struct perf_map *old = *map;
	bool is_absent = false;
	struct file_version version;
	struct stat file;
	FD_CLOSED int fd = -1;
	int status;

	*map = NULL;
	fd = open_file(pid, &is_absent, error);
	status = fd < 0 ? -1 : check_file(fd, pid, &file, error);
	if (status)
		goto out;
	version = file_version(&file);
	if (old && file_version_equal(&old->version, &version)) {
		*map = old;
		old = NULL;
		goto out;
	}
	status = read_file(fd, file.st_size, map, error);
	if (status)
		goto out;
	(*map)->version = version;
out:
	perf_map_destroy(old);
	return is_absent ? 0 : status;
}
