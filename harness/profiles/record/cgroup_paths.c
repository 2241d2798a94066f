/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cgroup_paths.c - paths of cgroups by their numbers
 *
 * A cgroup's number is its folder's inode number (cgroups(7), version 2). All folders are looked at when a number is
 * met that is not known, but not again within a second: a cgroup that has been removed has no path any more.
 */
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "array.h"
#include "clock.h"
#include "record.h"

#define ROOT	 "/sys/fs/cgroup"
#define HYBRID	 "/sys/fs/cgroup/unified" /* where version 1 is mounted, too */
#define AGAIN_NS 1000000000ull

struct cgroup {
	uint64_t number;
	char *path;
};

struct cgroup_paths {
	struct cgroup *cgroup;
	size_t count;
	uint64_t read_ns;
};

struct cgroup_paths *cgroup_paths_create(void)
{
	return calloc(1, sizeof(struct cgroup_paths));
}

static void forget(struct cgroup_paths *paths)
{
	while (paths->count)
		free(paths->cgroup[--paths->count].path);
}

void cgroup_paths_destroy(struct cgroup_paths *paths)
{
	if (!paths)
		return;
	forget(paths);
	free(paths->cgroup);
	free(paths);
}

static void add(struct cgroup_paths *paths, const FTSENT *entry, size_t root)
{
	char *path = strdup(entry->fts_path[root] ? entry->fts_path + root : "/");

	if (!path ||
	    !ARRAY_ADD(paths->cgroup, paths->count,
		       (struct cgroup) { .number = entry->fts_statp->st_ino, .path = path }))
		free(path);
}

static void read_paths(struct cgroup_paths *paths, char *root)
{
	FTS *tree = fts_open((char *const[]) { root, NULL }, FTS_PHYSICAL | FTS_XDEV, NULL);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_D)
			add(paths, entry, strlen(root));
	if (tree)
		fts_close(tree);
}

const char *cgroup_paths_find(struct cgroup_paths *paths, uint64_t number)
{
	uint64_t now = monotonic_ns();

	for (int pass = 0; number && pass < 2; pass++) {
		for (size_t i = 0; i < paths->count; i++)
			if (paths->cgroup[i].number == number)
				return paths->cgroup[i].path;
		if (paths->read_ns && now < paths->read_ns + AGAIN_NS)
			break;
		paths->read_ns = now;
		forget(paths);
		read_paths(paths, ROOT);
		read_paths(paths, HYBRID);
	}
	return "";
}

bool cgroup_container(const char *path, char ret[65])
{
	static const char digits[] = "0123456789abcdef";

	for (const char *at = path; *at; at++) {
		size_t length = strspn(at, digits);

		if (length == 64) {
			memcpy(ret, at, 64);
			ret[64] = 0;
			return true;
		}
		at += length ? length - 1 : 0;
	}
	return false;
}
