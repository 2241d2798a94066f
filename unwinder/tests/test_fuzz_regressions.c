/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_fuzz_regressions.c - the inputs that are kept, through the fuzz targets
 *
 * Fuzzing needs clang's runtime and time. What it has once found needs neither: every file of
 * unwinder/fuzz/seeds/TARGET and found/TARGET goes through that target's function again, compiled
 * like everything else. A target aborts with a line that says which promise was broken; the line
 * after it, from here, names the file. Paths hold at the project's root, where tests are run.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "suite.h"
#include "fuzz/fuzz.h"

static const struct target {
	const char *name;
	int (*run)(const uint8_t *data, size_t size);
} targets[] = {
	{ "image", fuzz_image },	 { "section", fuzz_section },
	{ "program", fuzz_program },	 { "expression", fuzz_expression },
	{ "text", fuzz_text },		 { "perf_map", fuzz_perf_map },
	{ "recording", fuzz_recording }, { "profile", fuzz_profile },
	{ "object", fuzz_object },	 { "archive", fuzz_archive },
	{ "lint", fuzz_lint },		 { "baseline", fuzz_baseline },
	{ "executed", fuzz_executed },	 { "jit_dump", fuzz_jit_dump },
	{ "sframe", fuzz_sframe },
};
#define TARGET_COUNT (sizeof(targets) / sizeof(targets[0]))

static const char *const folders[] = { "unwinder/fuzz/seeds", "unwinder/fuzz/found" };

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The files of one folder in order of their names, and how many: 0 if it isn't there. Puts the path
 * of number wanted into path, if there is one. */
static int look_into(const char *folder, const char *target, int wanted, char path[PATH_MAX])
{
	struct dirent **entry;
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/%s", folder, target);
	int count = scandir(name, &entry, is_visible, alphasort);
	if (count < 0)
		return 0;
	for (int i = 0; i < count; i++) {
		if (i == wanted)
			snprintf(path, PATH_MAX, "%s/%s/%s", folder, target, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return count;
}

/* Number wanted of all files, counted through: its target, and its path. NULL behind the last. */
static const struct target *find_file(int wanted, char path[PATH_MAX])
{
	for (size_t i = 0; i < TARGET_COUNT; i++)
		for (size_t n = 0; n < 2; n++) {
			int count = look_into(folders[n], targets[i].name, wanted, path);
			if (wanted < count)
				return &targets[i];
			wanted -= count;
		}
	return NULL;
}

static uint8_t *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	struct stat status;

	ck_assert_msg(file && !fstat(fileno(file), &status), "%s: %s", path, strerror(errno));
	*ret_size = (size_t)status.st_size;
	/* As large as the file, so that a sanitizer sees the first byte read behind it. */
	uint8_t *data = malloc(*ret_size + !*ret_size);
	ck_assert_msg(data && fread(data, 1, *ret_size, file) == *ret_size, "%s can't be read",
		      path);
	fclose(file);
	return data;
}

/* The dying process says which file it was at: a signal handler has no other way to know it. */
static void say_file(int number)
{
	static const char text[] = "while this was replayed: ";
	const char *path = getenv("FUZZ_REGRESSION");

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDERR_FILENO, path, strlen(path)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		_exit(1);
}

#ifdef __SANITIZE_ADDRESS__
void __sanitizer_set_death_callback(void (*callback)(void));

static void say_file_at_death(void)
{
	say_file(0);
}
#endif

static void tell_when_it_dies(const char *path)
{
	setenv("FUZZ_REGRESSION", path, 1);
	signal(SIGABRT, say_file); /* abort() goes on after it */
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_set_death_callback(say_file_at_death);
#else
	const struct sigaction action = { .sa_handler = say_file, .sa_flags = SA_RESETHAND };

	sigaction(SIGSEGV, &action, NULL); /* comes again, and kills */
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
#endif
}

START_TEST(each_kept_input_keeps_its_promises)
{
	char path[PATH_MAX];
	const struct target *target = find_file(_i, path);
	size_t size;

	ck_assert_msg(target, "file %d has gone", _i);
	tell_when_it_dies(path);
	uint8_t *data = read_file(path, &size);
	ck_assert_msg(target->run(data, size) == 0, "%s", path);
	free(data);
}
END_TEST

START_TEST(each_target_has_seeds)
{
	char path[PATH_MAX];

	ck_assert_msg(look_into(folders[0], targets[_i].name, -1, path) > 0,
		      "%s/%s has no files here: run this from the project's root", folders[0],
		      targets[_i].name);
}
END_TEST

SUITE_MAIN(fuzz_regressions)
{
	char path[PATH_MAX];
	Suite *suite = suite_create("fuzz_regressions");
	TCase *tcase = tcase_create("kept inputs");
	int count = 0;

	while (find_file(count, path))
		count++;
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, each_target_has_seeds, 0, TARGET_COUNT);
	tcase_add_loop_test(tcase, each_kept_input_keeps_its_promises, 0, count);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
