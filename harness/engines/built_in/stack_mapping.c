/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_mapping.c - where a stack ends: the mapping that its pointer is in
 *
 * /proc/PID/maps says it (proc(5)); an address space has executable mappings only. The main
 * thread's stack grows down, so its end stays; another thread's is as large as it was made. The file
 * is read again when the pointer has left what is known, not at every point.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "engine.h"
#include "proc_file.h"

static bool is_known(const struct stack_mapping *mapping, uint64_t sp)
{
	return sp >= mapping->start && sp < mapping->end;
}

/* Closes the file, which may be NULL. */
static bool find_in(FILE *file, struct stack_mapping *mapping, uint64_t sp)
{
	struct stack_mapping found = { 0 };
	bool begins = true, is_in = false;
	char line[512];

	*mapping = found;
	while (file && !is_in && fgets(line, sizeof(line), file)) {
		/* What follows in a line with a long path is no address. */
		is_in = begins &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, &found.start, &found.end) == 2 &&
			sp >= found.start && sp < found.end;
		begins = strchr(line, '\n');
	}
	if (file)
		fclose(file);
	if (is_in)
		*mapping = found;
	return is_in;
}

bool stack_mapping_find(struct stack_mapping *mapping, pid_t tid, uint64_t sp)
{
	return is_known(mapping, sp) || find_in(proc_file_open(tid, "maps"), mapping, sp);
}

bool stack_mapping_of(struct stack_mapping *mapping, const struct point *point, uint64_t sp)
{
	if (!point->maps)
		return stack_mapping_find(mapping, point->stop->tid, sp);
	if (is_known(mapping, sp))
		return true;
	return find_in(fmemopen((void *)point->maps, strlen(point->maps), "r"), mapping, sp);
}
