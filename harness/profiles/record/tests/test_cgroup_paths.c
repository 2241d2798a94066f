/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cgroup_paths.c - paths of cgroups by their numbers, in a folder that stands for /sys/fs/cgroup; identifiers of
 * containers
 */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "clock.h"
#include "tests/suite.h"

/* As long as "/sys/fs/cgroup". */
static char folder[] = "/tmp/cg_XXXXXX";
static uint64_t now_ns;
static unsigned int opened;

static FTS *made_open(char *const *path, int options,
		      int (*order)(const FTSENT **, const FTSENT **))
{
	char other[64];

	ck_assert(!strncmp(path[0], "/sys/fs/cgroup", strlen(folder)));
	snprintf(other, sizeof(other), "%s%s", folder, path[0] + strlen(folder));
	opened++;
	return fts_open((char *const[]) { other, NULL }, options, order);
}

static uint64_t made_now(void)
{
	return now_ns;
}

#define fts_open     made_open
#define monotonic_ns made_now
#include "profiles/record/cgroup_paths.c"
#undef fts_open
#undef monotonic_ns

static struct cgroup_paths *paths;

/* Makes the cgroup, and returns its number. */
static uint64_t made_cgroup(const char *path)
{
	char whole[4096];
	struct stat status;

	snprintf(whole, sizeof(whole), "%s%s", folder, path);
	ck_assert(!mkdir(whole, 0700) || errno == EEXIST);
	ck_assert_int_eq(stat(whole, &status), 0);
	return status.st_ino;
}

static void begin(void)
{
	strcpy(folder, "/tmp/cg_XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	now_ns = 5 * AGAIN_NS;
	opened = 0;
	paths = cgroup_paths_create();
	ck_assert_ptr_nonnull(paths);
}

static void end(void)
{
	char command[64];

	cgroup_paths_destroy(paths);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(a_number_is_a_folder)
{
	uint64_t slice = made_cgroup("/system.slice"), root = made_cgroup("/"),
		 service = made_cgroup("/system.slice/x.service");

	ck_assert_str_eq(cgroup_paths_find(paths, service), "/system.slice/x.service");
	ck_assert_str_eq(cgroup_paths_find(paths, slice), "/system.slice");
	ck_assert_str_eq(cgroup_paths_find(paths, root), "/");
	ck_assert_uint_eq(opened, 2); /* both roots, once */
}
END_TEST

START_TEST(none_is_not_looked_for)
{
	ck_assert_str_eq(cgroup_paths_find(paths, 0), "");
	ck_assert_uint_eq(opened, 0);
}
END_TEST

/* A machine may have many folders, and many unknown numbers. */
START_TEST(what_is_unknown_is_looked_for_once_a_second)
{
	uint64_t later;

	ck_assert_str_eq(cgroup_paths_find(paths, UINT64_MAX), "");
	later = made_cgroup("/later");
	ck_assert_str_eq(cgroup_paths_find(paths, later), "");
	now_ns += AGAIN_NS - 1;
	ck_assert_str_eq(cgroup_paths_find(paths, later), "");
	ck_assert_uint_eq(opened, 2);
	now_ns++;
	ck_assert_str_eq(cgroup_paths_find(paths, later), "/later");
	ck_assert_uint_eq(opened, 4);
}
END_TEST

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	const char *name, *path, *container;
} ids[] = {
	{ "docker", "/docker/" ID, ID },
	{ "docker_by_systemd", "/system.slice/docker-" ID ".scope", ID },
	{ "kubernetes", "/kubepods.slice/kubepods-podab12.slice/cri-containerd-" ID ".scope", ID },
	{ "below_it", "/docker/" ID "/init.scope", ID },
	{ "no_digits", "/system.slice/ssh.service", NULL },
	{ "empty", "", NULL },
	{ "a_digit_short",
	  "/docker/123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", NULL },
	{ "a_digit_long", "/docker/0" ID, NULL },
	{ "other_digits_before", "/abc/" ID, ID },
	{ "capitals_are_none",
	  "/docker/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", NULL },
};

START_TEST(a_path_names_a_container)
{
	char id[65] = "as before";
	bool found = cgroup_container(ids[_i].path, id);

	ck_assert_msg(found == !!ids[_i].container, "%s: %s", ids[_i].name, id);
	ck_assert_msg(!strcmp(id, found ? ids[_i].container : "as before"), "%s: %s", ids[_i].name,
		      id);
}
END_TEST

SUITE(cgroup_paths, LOOP(a_path_names_a_container, ids), FIXTURE(begin, end),
      TEST(a_number_is_a_folder), TEST(none_is_not_looked_for),
      TEST(what_is_unknown_is_looked_for_once_a_second))
