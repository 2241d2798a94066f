/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_start.c - which file a program's name leads to, what is said where none does; its end
 *
 * A folder has four others: "plain" with a file that may not be executed, "text" with one that is
 * no program, "right" with a program, and "empty". PATH names them by a letter each: p, t, r, e;
 * "-" is one that is not there, "f" a file, "l" a name that is too long, "m" one that is so by a
 * byte, and "." where the test is.
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "tests/suite.h"
#include "truth/tracer/target_start.c"
#include "truth/tracer/tracer.h"

#define RAN 200 /* the program's exit status */

static void write_file(const char *path, const char *text, mode_t mode)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
	close(file);
}

static void begin(void)
{
	char folder[] = "/tmp/test_tracer_start.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert(!mkdir("plain", 0755) && !mkdir("text", 0755) && !mkdir("right", 0755) &&
		  !mkdir("empty", 0755));
	write_file("plain/program", "#!/bin/sh\nexit 200\n", 0644);
	write_file("text/program", "exit 200\n", 0755);
	write_file("right/program", "#!/bin/sh\nexit 200\n", 0755);
	write_file("file", "", 0755);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	return remove(path);
}

static void end(void)
{
	char folder[64];

	ck_assert_ptr_nonnull(getcwd(folder, sizeof(folder)));
	ck_assert_int_eq(chdir("/"), 0);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const struct {
	const char *name, *path; /* NULL: PATH is not set */
	const char *where, *program;
	int status; /* RAN, or errno */
} cases[] = {
	{ "only_one", "r", "empty", "program", RAN },
	{ "last_one", "-er", "empty", "program", RAN },
	{ "first_one", "re", "empty", "program", RAN },
	{ "nowhere", "-e", "empty", "program", ENOENT },
	{ "in_no_folder", "", "empty", "program", ENOENT },
	{ "behind_a_file", "f", "empty", "program", ENOENT },
	{ "behind_a_name_that_is_too_long", "lr", "empty", "program", RAN },
	{ "only_a_name_that_is_too_long", "l", "empty", "program", ENOENT },
	{ "cut_it_would_be_another_s", "m", "empty", "programs", ENOENT },
	{ "denied", "p", "empty", "program", EACCES },
	{ "denied_and_nowhere_else", "pe", "empty", "program", EACCES },
	{ "nowhere_else_and_denied", "ep", "empty", "program", EACCES },
	{ "denied_and_there", "pr", "empty", "program", RAN },
	{ "no_program", "t", "empty", "program", ENOEXEC },
	{ "no_program_goes_before_what_follows", "tr", "empty", "program", ENOEXEC },
	{ "here", ".", "right", "program", RAN },
	{ "not_here", ".", "empty", "program", ENOENT },
	{ "here_by_an_empty_path", "", "right", "program", RAN },
	{ "here_at_the_end", "e.", "right", "program", RAN },
	{ "by_its_own_path", "e", "right", "./program", RAN },
	{ "own_path_is_not_looked_for", "r", "empty", "./program", ENOENT },
	{ "own_path_is_denied", "r", "plain", "./program", EACCES },
	{ "without_a_path_the_system_s", NULL, "empty", "sh", 0 },
};

/* What the letters stand for, in that folder. */
static void make_path(char *ret, size_t size, const char *folder, const char *letters)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = { { 'p', "plain" }, { 't', "text" },    { 'r', "right" },
		      { 'e', "empty" }, { '-', "missing" }, { 'f', "file" } };
	size_t used = 0;

	*ret = '\0';
	for (const char *at = letters; *at; at++) {
		const char *before = at > letters ? ":" : "";

		for (int i = 0; i < COUNT(names); i++)
			if (names[i].letter == *at)
				used += snprintf(ret + used, size - used, "%s%s/%s", before, folder,
						 names[i].name);
		if (*at == 'l')
			used += snprintf(ret + used, size - used, "%s/%0*d", before, PATH_MAX, 0);
		if (*at == 'm')
			used += snprintf(ret + used, size - used, "%s%s/right", before, folder);
		while (*at == 'm' && used < PATH_MAX - sizeof("programs"))
			used += snprintf(ret + used, size - used, "/");
		if (*at == '.')
			used += snprintf(ret + used, size - used, "%s", before);
	}
}

START_TEST(name_leads_to_its_file)
{
	char folder[64], path[2 * PATH_MAX];
	char *argv[] = { (char *)cases[_i].program, "-c", ":", NULL };
	int status = -1;
	pid_t pid;

	ck_assert_ptr_nonnull(getcwd(folder, sizeof(folder)));
	make_path(path, sizeof(path), folder, cases[_i].path ? cases[_i].path : "");
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (chdir(cases[_i].where))
			_exit(99);
		if (cases[_i].path)
			setenv("PATH", path, 1);
		else
			unsetenv("PATH");
		execute(argv, environ);
		_exit(errno);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == cases[_i].status << 8, "%s: 0x%x", cases[_i].name, status);
}
END_TEST

/* ---- the end ------------------------------------------------------------------------------- */

static void note_end(void *context, const struct shadow_stack *stack,
		     const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	uint64_t *sum = context;

	ck_assert_int_eq(end, FRAME_ABANDONED);
	*sum = *sum * 10 + frame->watch;
}

/* A stack of one frame that somebody watches. */
static struct shadow_stack watched(const struct shadow_observer *observer, uint64_t watch)
{
	struct shadow_stack stack;

	shadow_stack_init(&stack, false);
	stack.observer = observer;
	ck_assert(shadow_stack_call(&stack, 0x1f00, 0x400000, NULL));
	stack.frame[0].watch = watch;
	return stack;
}

/* Who waits for the end of a frame hears of it, whether a thread was on its stack or none. */
START_TEST(all_frames_end_with_the_program)
{
	uint64_t sum = 0;
	const struct shadow_observer observer = { .context = &sum, .frame_ended = note_end };
	struct tracer tracer = { .memory_fd = -1,
				 .watchdog = {
					 .pidfd = -1, .cancel_fd = -1, .signals = { .fd = -1 } } };
	int fds[2];

	ck_assert(!pipe(fds));
	tracer.go_fd = fds[0];
	tracer.fail_fd = fds[1];
	tracer.thread = calloc(1, sizeof(*tracer.thread));
	tracer.thread[tracer.thread_count++] = calloc(1, sizeof(**tracer.thread));
	tracer.thread[0]->core.shadow = watched(&observer, 1);
	for (uint64_t watch = 2; watch < 4; watch++) {
		const struct parked_stack parked = { .shadow = watched(&observer, watch),
						     .sp = 0x10000 * watch,
						     .base = 0x10000 * watch + 0x1000 };

		ck_assert_uint_ne(stack_pool_park(&tracer.core.stacks, &parked), 0);
	}
	tracer_end(&tracer);
	ck_assert_msg(sum == 123 || sum == 132, "%d", (int)sum);
	ck_assert_uint_eq(tracer.core.stacks.count, 0);
	ck_assert_int_eq(fcntl(fds[0], F_GETFD), -1);
	ck_assert_int_eq(fcntl(fds[1], F_GETFD), -1);
}
END_TEST

SUITE(tracer_start, FIXTURE(begin, end), LOOP(name_leads_to_its_file, cases),
      TEST(all_frames_end_with_the_program))
