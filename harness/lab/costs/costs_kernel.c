/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_kernel.c - what a profiler's processes hold in the kernel
 *
 * /proc/PID/fdinfo says of a descriptor whose BPF program or map it is. A map that only a program has is found by the
 * program. What the kernel charges for each is `memlock` of a descriptor of our own (Linux 5.10 counts it too). The
 * buffers of perf events are where a process has mapped them.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "costs.h"
#include "proc_file.h"

#define MAPS_OF_PROGRAM 64 /* the kernel's own limit of maps that a program uses */

struct ids {
	uint32_t *id;
	size_t count;
};

static int add(struct ids *ids, uint32_t id)
{
	bool has = ARRAY_ANY(ids->count, i, ids->id[i] == id);

	return has || ARRAY_ADD(ids->id, ids->count, id) ? 0 : -1;
}

/* ---- /proc ---------------------------------------------------------------------------------- */

/* What a file of fdinfo says; 0: nothing. */
struct about {
	uint32_t program, map;
	uint64_t memlock;
};

static struct about about_of(const char *path)
{
	struct about ret = { 0 };
	FILE_CLOSED FILE *file = fopen(path, "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "prog_id: %" SCNu32, &ret.program);
		sscanf(line, "map_id: %" SCNu32, &ret.map);
		sscanf(line, "memlock: %" SCNu64, &ret.memlock);
	}
	return ret;
}

static int read_descriptors(pid_t pid, struct ids *programs, struct ids *maps)
{
	char path[320], of[32];
	struct dirent *entry;
	int status = 0;

	snprintf(of, sizeof(of), "/proc/%d/fdinfo", pid);
	DIR_CLOSED DIR *folder = opendir(of);

	while (folder && !status && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", of, entry->d_name);
		struct about about = about_of(path);

		if ((about.program && add(programs, about.program)) ||
		    (about.map && add(maps, about.map)))
			status = -1;
	}
	return status;
}

static uint64_t buffer_bytes(pid_t pid)
{
	FILE_CLOSED FILE *file = proc_file_open(pid, "maps");
	char line[4352];
	uint64_t begin, end, sum = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "[perf_event]") &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) == 2)
			sum += end - begin;
	return sum;
}

/* ---- BPF ------------------------------------------------------------------------------------ */

/* Closes the descriptor. */
static uint64_t charged(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	uint64_t ret = about_of(path).memlock;

	close(fd);
	return ret;
}

static int read_program(uint32_t id, struct ids *maps, struct costs_kernel *ret)
{
	uint32_t map[MAPS_OF_PROGRAM];
	struct bpf_prog_info info = { .nr_map_ids = MAPS_OF_PROGRAM, .map_ids = (uintptr_t)map };
	uint32_t size = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id), status = 0;

	if (fd < 0)
		return 0; /* it is gone, or not to be seen */
	if (!bpf_obj_get_info_by_fd(fd, &info, &size)) {
		ret->run_ns += info.run_time_ns;
		ret->runs += info.run_cnt;
		for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS_OF_PROGRAM && !status; i++)
			status = add(maps, map[i]);
	}
	ret->programs++;
	ret->program_bytes += charged(fd);
	return status;
}

int costs_kernel_read(struct costs_kernel *ret, const struct costs_tree *tree, struct error *error)
{
	struct ids programs = { 0 }, maps = { 0 };
	int status = 0;

	*ret = (struct costs_kernel) { 0 };
	for (size_t i = 0; i < tree->count && !status; i++) {
		status = read_descriptors(tree->process[i].pid, &programs, &maps);
		ret->buffer_bytes += buffer_bytes(tree->process[i].pid);
	}
	for (size_t i = 0; i < programs.count && !status; i++)
		status = read_program(programs.id[i], &maps, ret);
	for (size_t i = 0; i < maps.count && !status; i++) {
		int fd = bpf_map_get_fd_by_id(maps.id[i]);

		ret->map_bytes += fd < 0 ? 0 : charged(fd);
	}
	free(programs.id);
	free(maps.id);
	return status ? error_set(error, ERROR_MEMORY, "", 0, "no memory for BPF objects") : 0;
}
