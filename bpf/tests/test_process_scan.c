/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_scan.c - which processes there are, whose children they are, and whether they sleep or
 * have ended
 *
 * /proc is a folder that is made up: process_scan.c is compiled in here, and opens what is there.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "array.h"
#include "error.h"

static char top[] = "/tmp/test_process_scan.XXXXXX";
static int failing; /* the errno of each file that is opened; 0: none */
static int failing_folder, open_folders;

static void path_of(const char *path, char *ret, size_t size)
{
	ck_assert_int_lt(snprintf(ret, size, "%s%s", top, path), size);
}

static FILE *made_fopen(const char *path, const char *how)
{
	char whole[128];

	path_of(path, whole, sizeof(whole));
	errno = failing;
	return failing ? NULL : fopen(whole, how);
}

static DIR *made_opendir(const char *path)
{
	char whole[128];

	path_of(path, whole, sizeof(whole));
	errno = failing_folder;
	if (failing_folder)
		return NULL;
	DIR *folder = opendir(whole);

	open_folders += folder != NULL;
	return folder;
}

static int made_closedir(DIR *folder)
{
	open_folders--;
	return closedir(folder);
}

static bool with_pidfds;

static int made_pidfd_open(pid_t pid)
{
	errno = ENOSYS;
	return with_pidfds ? syscall(SYS_pidfd_open, pid, 0) : -1;
}

#define syscall(number, pid, flags) made_pidfd_open(pid)
#define fopen(path, how)	    made_fopen(path, how)
#define fread(to, one, size, file)                                                                 \
	({                                                                                         \
		ck_assert_uint_lt(size, sizeof(to)); /* a zero comes behind it */                  \
		fread(to, one, size, file);                                                        \
	})
#define opendir(path) made_opendir(path)
#define closedir      made_closedir
#include "process_scan.c"
#undef syscall
#undef fopen
#undef fread
#undef opendir
#undef closedir

/* ---- a /proc ---------------------------------------------------------------------------- */

static void make_folder(const char *format, int pid, int tid)
{
	char path[64], whole[128];

	snprintf(path, sizeof(path), format, pid, tid);
	path_of(path, whole, sizeof(whole));
	ck_assert(!mkdir(whole, 0700) || errno == EEXIST);
}

static void make_stat(int pid, const char *text)
{
	char path[64], whole[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	path_of(path, whole, sizeof(whole));
	file = fopen(whole, "we");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* NULL: it has no stat, for it has just gone. */
static const struct {
	int pid;
	const char *stat;
	int tids[3];
} processes[] = {
	{ 1, "1 (init) S 0 1 1", { 1 } },
	{ 30, "30 (leader) R 1 1 1", { 30 } },
	{ 20, "20 (child) S 30 1 1", { 20, 21 } },
	{ 10, "10 (grand child) D 20 1 1", { 10 } },
	{ 40, "40 (a) S 30) (b) T 10 1 1", { 40 } },
	{ 50, "50 (other) Z 1 1 1", { 50 } },
	{ 51, "51 (others) X 50 1 1", { 51 } },
	{ 52, "52 (ended) Z 1 1 1", { 52, 53 } },
	{ 60, NULL, { 0 } },
	{ 61, "61 (cut", { 61 } },
	{ 62, "62 (short) S", { 62 } },
};

static void make_proc(void)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
	make_folder("/proc", 0, 0);
	make_folder("/proc/self", 0, 0);
	make_folder("/proc/0", 0, 0);
	make_folder("/proc/7x", 0, 0);
	for (int i = 0; i < COUNT(processes); i++) {
		make_folder("/proc/%d", processes[i].pid, 0);
		make_folder("/proc/%d/task", processes[i].pid, 0);
		for (int k = 0; k < COUNT(processes[i].tids) && processes[i].tids[k]; k++)
			make_folder("/proc/%d/task/%d", processes[i].pid, processes[i].tids[k]);
		if (processes[i].stat)
			make_stat(processes[i].pid, processes[i].stat);
	}
}

static void remove_proc(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", top);
	ck_assert_int_eq(system(command), 0);
}

/* ---- what is found ---------------------------------------------------------------------- */

/* A bit for each of processes[]. */
static void see(void *context, pid_t pid)
{
	for (int i = 0; i < COUNT(processes); i++) {
		if (processes[i].pid != pid)
			continue;
		ck_assert(!(*(unsigned int *)context >> i & 1));
		*(unsigned int *)context |= 1u << i;
		return;
	}
	ck_abort_msg("process %d", pid);
}

static const struct {
	const char *name;
	int root, failing, failing_folder;
	unsigned int seen;
	const char *error; /* NULL: none */
} scans[] = {
	{ "all", 0, 0, 0, (1u << COUNT(processes)) - 1, NULL },
	{ "all_need_no_files", 0, EMFILE, 0, (1u << COUNT(processes)) - 1, NULL },
	{ "a_tree_in_any_order", 30, 0, 0, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4, NULL },
	{ "the_first_one_s", 1, 0, 0, 0xff, NULL },
	{ "a_leaf", 40, 0, 0, 1u << 4, NULL },
	{ "none", 99, 0, 0, 0, "process 99: No such process" },
	{ "gone", 60, 0, 0, 0, "process 60: No such process" },
	{ "gone_meanwhile", 30, ENOENT, 0, 0, "process 30: No such process" },
	{ "no_descriptor_for_a_tree", 30, EMFILE, 0, 0, "Too many open files" },
	{ "no_memory_for_a_tree", 30, ENOMEM, 0, 0, "Cannot allocate memory" },
	{ "no_proc", 0, 0, EACCES, 0, "/proc: Permission denied" },
};

START_TEST(processes_are_found)
{
	struct error error = { 0 };
	unsigned int seen = 0;
	int status;

	failing = scans[_i].failing;
	failing_folder = scans[_i].failing_folder;
	status = process_scan(scans[_i].root, see, &seen, &error);
	failing = failing_folder = 0;
	ck_assert_msg(seen == scans[_i].seen, "%s: 0x%x", scans[_i].name, seen);
	ck_assert_msg(status == (scans[_i].error ? -1 : 0), "%s", scans[_i].name);
	ck_assert_msg(!scans[_i].error || strstr(error.message, scans[_i].error), "%s: %s",
		      scans[_i].name, error.message);
	ck_assert_int_eq(error.code, scans[_i].error ? ERROR_SYSTEM : ERROR_NONE);
	ck_assert_int_eq(open_folders, 0);
}
END_TEST

/* ---- one process ------------------------------------------------------------------------ */

static const struct {
	int pid, failing, failing_folder, other;
	bool asleep, ended;
} states[] = {
	{ 1, 0, 0, 0, true, false },	    { 30, 0, 0, 0, false, false },
	{ 20, 0, 0, 21, true, false },	    { 10, 0, 0, 0, false, false },
	{ 40, 0, 0, 0, false, false },	    { 50, 0, 0, 0, false, true },
	{ 51, 0, 0, 0, false, true },	    { 52, 0, 0, 53, false, false },
	{ 60, 0, 0, 0, false, true },	    { 61, 0, 0, 0, false, true },
	{ 62, 0, 0, 0, false, true },	    { 99, 0, 0, 0, false, true },
	{ 50, EMFILE, 0, 0, false, false }, { 50, ENOENT, 0, 0, false, true },
	{ 50, 0, EMFILE, 0, false, false }, { 50, 0, ENOENT, 0, false, true },
	{ 1, EMFILE, 0, 0, false, false },  { 1, 0, EMFILE, 0, true, false },
};

START_TEST(state_is_what_proc_says)
{
	pid_t pid = states[_i].pid;

	failing = states[_i].failing;
	failing_folder = states[_i].failing_folder;
	ck_assert_msg(process_other_thread(pid) == states[_i].other, "case %d: another", _i);
	ck_assert_msg(process_is_asleep(pid) == states[_i].asleep, "case %d: asleep", _i);
	errno = ENOMEM; /* of something else */
	ck_assert_msg(process_has_ended(pid) == states[_i].ended, "case %d: ended", _i);
	failing = failing_folder = 0;
	ck_assert_int_eq(open_folders, 0);
}
END_TEST

static void *wait_for_a_byte(void *fd)
{
	char byte;

	_exit(read(*(int *)fd, &byte, 1) != 1);
}

static bool is_zombie(pid_t pid)
{
	char path[32], line[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE_CLOSED FILE *file = fopen(path, "re");
	return file && fgets(line, sizeof(line), file) && strstr(line, ") Z ");
}

/* Where the kernel has pidfds, /proc is not asked. */
START_TEST(process_ends_with_its_last_thread)
{
	siginfo_t ignored;
	pthread_t thread;
	int ends[2];
	pid_t pid;

	ck_assert(!pipe(ends));
	pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, wait_for_a_byte, &ends[0]);
		pthread_exit(NULL);
	}
	with_pidfds = true;
	while (!is_zombie(pid))
		usleep(1000);
	ck_assert(!process_has_ended(pid));
	ck_assert_int_eq(write(ends[1], "", 1), 1);
	ck_assert(!waitid(P_PID, pid, &ignored, WEXITED | WNOWAIT));
	ck_assert(process_has_ended(pid));
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(process_has_ended(pid));
	with_pidfds = false;
	close(ends[0]);
	close(ends[1]);
}
END_TEST

static const struct {
	const char *name;
	pid_t number;
} numbers[] = {
	{ "1", 1 },
	{ "4194304", 4194304 },
	{ "2147483647", INT32_MAX },
	{ "0", 0 },
	{ "-1", 0 },
	{ "2147483648", 0 },
	{ "4294967297", 0 },
	{ "7x", 0 },
	{ "self", 0 },
	{ ".", 0 },
	{ "..", 0 },
	{ "", 0 },
};

START_TEST(names_that_are_numbers)
{
	ck_assert_msg(name_number(numbers[_i].name) == numbers[_i].number, "%s", numbers[_i].name);
}
END_TEST

/* As long as the kernel writes it, or longer. */
START_TEST(long_lines_are_read_as_far_as_they_matter)
{
	char text[1024], state = 0;
	pid_t parent = 0;

	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	memcpy(text, "1 (init) S 77 ", 14);
	make_stat(1, text);
	ck_assert(read_stat(1, &state, &parent));
	ck_assert(state == 'S' && parent == 77);
	make_stat(1, processes[0].stat);
}
END_TEST

SUITE(process_scan, LOOP(processes_are_found, scans), LOOP(state_is_what_proc_says, states),
      TEST(process_ends_with_its_last_thread), LOOP(names_that_are_numbers, numbers),
      TEST(long_lines_are_read_as_far_as_they_matter), FIXTURE_ONCE(make_proc, remove_proc))
