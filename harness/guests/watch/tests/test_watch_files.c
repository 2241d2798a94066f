/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_watch_files.c - truth files that a guest has left: found, named, and removed before the next run
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/watch/watch.h"

static char folder[64];

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name)
{
	FILE *file = fopen(in_folder(name), "we");

	ck_assert_ptr_nonnull(file);
	fclose(file);
}

static void set_up(void)
{
	strcpy(folder, "/tmp/test_watch_files.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static const char *said(const json_t *saved)
{
	static char text[4096];
	FILE *file = fmemopen(text, sizeof(text), "w");

	watch_files_print_saved(file, saved);
	fclose(file);
	return text;
}

START_TEST(what_is_left_is_named)
{
	char name[16], wanted[256];
	json_t *saved = watch_files_saved(in_folder("t"));

	ck_assert_uint_eq(json_array_size(saved), 0);
	ck_assert_str_eq(said(saved), "no truth was saved until then\n");
	json_decref(saved);
	saved = watch_files_saved(NULL);
	ck_assert(json_is_array(saved) && !json_array_size(saved));
	json_decref(saved);
	/* Others' files, and profiles, are none of them. */
	put("t");
	put("t.1");
	put("t.profile");
	put("t.said");
	put("tt.1");
	saved = watch_files_saved(in_folder("t"));
	ck_assert_uint_eq(json_array_size(saved), 2);
	snprintf(wanted, sizeof(wanted),
		 "saved until then, as of a run that was killed: %s/t, %s/t.1\n", folder, folder);
	ck_assert_str_eq(said(saved), wanted);
	json_decref(saved);
	for (int i = 2; i < 12; i++) {
		snprintf(name, sizeof(name), "t.%d", i);
		put(name);
	}
	saved = watch_files_saved(in_folder("t"));
	ck_assert_uint_eq(json_array_size(saved), 12);
	ck_assert_ptr_nonnull(strstr(said(saved), ", and 4 more\n"));
	json_decref(saved);
}
END_TEST

START_TEST(an_earlier_run_s_are_removed)
{
	static const char *const names[] = { "t", "t.1", "t.20", "t.profile", "t.profile.1" };
	static const char *const others[] = { "tt", "tt.1", "t.x", "t.profile.old" };

	for (int i = 0; i < COUNT(names); i++)
		put(names[i]);
	for (int i = 0; i < COUNT(others); i++)
		put(others[i]);
	watch_files_remove(in_folder("t"));
	for (int i = 0; i < COUNT(names); i++)
		ck_assert_msg(access(in_folder(names[i]), F_OK), "%s", names[i]);
	for (int i = 0; i < COUNT(others); i++)
		ck_assert_msg(!access(in_folder(others[i]), F_OK), "%s", others[i]);
}
END_TEST

SUITE(watch_files, FIXTURE(set_up, tear_down), TEST(what_is_left_is_named),
      TEST(an_earlier_run_s_are_removed))
