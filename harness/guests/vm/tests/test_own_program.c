/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_own_program.c - a program that was moved has the linker and the libraries of its own folder, and no others
 */
#include <limits.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/elf_needs.h"
#include "guests/vm/own_program.h"

#define PROGRAM "/bin/cat"
#define SHORT	"/tmp/r.XXXXXX" /* an interpreter in it is short enough for any program */

static char place[sizeof(SHORT)];

static void set_up(void)
{
	strcpy(place, SHORT);
	ck_assert_ptr_nonnull(mkdtemp(place));
}

static void tear_down(void)
{
	tree_remove(place);
}

static void copy_to_place(const char *path, const char *name)
{
	char command[PATH_MAX + 64];

	snprintf(command, sizeof(command), "cp %s %s/%s", path, place, name);
	ck_assert_msg(!system(command), "%s", command);
}

/* The program's interpreter is copied under another name; its libraries lie beside it. */
START_TEST(it_runs_with_what_lies_beside_it)
{
	char interpreter[32], command[64], line[PATH_MAX + 128];
	struct guest_files files = { 0 };
	struct elf_needs needs;
	struct error error = { 0 };
	size_t size, mapped = 0;
	char *data = (char *)file_read(PROGRAM, &size);
	FILE *maps;

	ck_assert(!elf_needs_init(&needs, PROGRAM, &error) && needs.interpreter);
	copy_to_place(needs.interpreter, "ld");
	elf_needs_deinit(&needs);
	ck_assert(!guest_files_add(&files, PROGRAM, NULL, &error));
	for (size_t i = 0; i < files.count; i++)
		copy_to_place(files.file[i].host, strrchr(files.file[i].guest, '/') + 1);
	guest_files_deinit(&files);
	snprintf(interpreter, sizeof(interpreter), "%s/ld", place);
	ck_assert_msg(!elf_rehome(data, size, interpreter, &error), "%s", error.message);
	snprintf(command, sizeof(command), "%s/moved", place);
	file_write(command, data, size);
	ck_assert(!chmod(command, 0755));
	strcat(command, " /proc/self/maps");
	maps = popen(command, "re");
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		const char *path = strchr(line, '/');

		if (!path || !strstr(line, " r-xp "))
			continue;
		ck_assert_msg(!strncmp(path, place, strlen(place)), "%s", line);
		mapped++;
	}
	ck_assert_int_eq(pclose(maps), 0);
	ck_assert_uint_ge(mapped, 3); /* it, its linker, its libraries */
}
END_TEST

static char *read_own(size_t *ret_size)
{
	return (char *)file_read("/proc/self/exe", ret_size);
}

/* Whatever is cut off: an error, or a change within what is there. */
START_TEST(damaged_programs)
{
	struct error error = { 0 };
	size_t size;
	char *data = read_own(&size);

	for (size_t length = 0; length < 8192; length += length < 1024 ? 1 : 64) {
		char *part = malloc(length + 1);

		memcpy(part, data, length);
		elf_rehome(part, length, "/x/ld", &error);
		free(part);
	}
	ck_assert_int_eq(elf_rehome(data, size, "/an/interpreter/whose/name/is/too/long", &error),
			 -1);
	ck_assert_str_eq(error.message,
			 "the program has no room for another interpreter and DT_RPATH");
	ck_assert(!elf_rehome(data, size, "/x/ld", &error));
	memcpy(data, "text", 4);
	ck_assert_int_eq(elf_rehome(data, size, "/x/ld", &error), -1);
	ck_assert_str_eq(error.message, "the program has no interpreter: it can't be moved");
}
END_TEST

SUITE(own_program, FIXTURE(set_up, tear_down), TEST(it_runs_with_what_lies_beside_it),
      TEST(damaged_programs))
