/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face_caller.c - stackproof.h in the program of somebody else: with timers, with children,
 * without descriptors, without memory
 *
 * The heap is this program's own, as in unwinder/tests/test_no_memory.c; AddressSanitizer has
 * another, and then that is skipped. What needs BPF is a SKIP where there is none.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "face.h"
#include "faulty_image.h"
#include "patience.h"
#include "tests/failing_heap.h"

/* ---- memory ----------------------------------------------------------------------------- */

/* 0, and a number that stands for the answer; or -1. Each begins with images that are new. */
typedef int (*step_fn)(struct stackproof_images *images, uint64_t *ret,
		       struct stackproof_error *error);

static int count_row(void *context, const struct stackproof_row *row)
{
	++*(uint64_t *)context;
	return 0;
}

static int count_fault(void *context, const struct stackproof_error *fault)
{
	++*(uint64_t *)context;
	return 0;
}

static int rows(struct stackproof_images *images, uint64_t *ret, struct stackproof_error *error)
{
	struct stackproof_image *image;
	int status;

	if (stackproof_image_open(images, "/proc/self/exe", NULL, 0, &image, error))
		return -1;
	status = stackproof_image_rows(image, 0, UINT64_MAX, count_row, ret, error);
	stackproof_image_close(image);
	return status;
}

static int few_rows(struct stackproof_images *images, uint64_t *ret, struct stackproof_error *error)
{
	struct stackproof_image *image;
	struct bytes bytes;
	int status;

	faulty_image_make(&bytes, 0);
	if (stackproof_image_open(images, "faulty", bytes.data, bytes.size, &image, error))
		return -1;
	status = stackproof_image_rows(image, 0, UINT64_MAX, count_row, ret, error);
	stackproof_image_close(image);
	return status;
}

static int faults(struct stackproof_images *images, uint64_t *ret, struct stackproof_error *error)
{
	struct stackproof_image *image;
	struct bytes bytes;
	int status;

	faulty_image_make(&bytes, 0);
	if (stackproof_image_open(images, "faulty", bytes.data, bytes.size, &image, error))
		return -1;
	status = stackproof_image_faults(image, count_fault, ret, NULL, error);
	stackproof_image_close(image);
	return status;
}

static int names(struct stackproof_images *images, uint64_t *ret, struct stackproof_error *error)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);
	struct stackproof_space *space;
	int status;

	if (stackproof_space_read(images, getpid(), &space, error))
		return -1;
	status = stackproof_space_find(space, (uintptr_t)rows, &place, error);
	*ret = strcmp(place.function, "rows") == 0;
	stackproof_space_close(space);
	return status;
}

static const struct {
	const char *name;
	step_fn run;
	long every; /* so many allocations: it takes its time */
} steps[] = { { "rows", rows, 41 },
	      { "few_rows", few_rows, 1 },
	      { "faults", faults, 1 },
	      { "names", names, 1 } };

START_TEST(no_memory_is_said)
{
	struct stackproof_images *images;
	struct stackproof_error error;
	uint64_t right = 0, answer;
	int status;

	if (SANITIZED) {
		printf("SKIP: %s: AddressSanitizer has a heap of its own\n", steps[_i / 2].name);
		return;
	}
	lasting = _i & 1;
	ck_assert(!stackproof_images_create(&images, NULL));
	ck_assert(!steps[_i / 2].run(images, &right, NULL));
	stackproof_images_destroy(images);
	for (long n = 1;; n += steps[_i / 2].every) {
		ck_assert(!stackproof_images_create(&images, NULL));
		answer = 0;
		failed = 0;
		until_none = n;
		status = steps[_i / 2].run(images, &answer, &error);
		until_none = 0;
		if (status)
			ck_assert_msg(error.code == STACKPROOF_ERROR_MEMORY ||
					      error.system_errno == ENOMEM,
				      "allocation %ld: %s", n, error.message);
		else
			ck_assert_msg(answer == right, "allocation %ld: another answer", n);
		stackproof_images_destroy(images);
		if (!failed)
			break;
	}
	ck_assert_uint_gt(right, 0);
}
END_TEST

/* ---- descriptors ------------------------------------------------------------------------ */

static struct rlimit usual;

/* So many more files can be opened. */
static void leave_descriptors(int count)
{
	int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct rlimit few = { .rlim_max = usual.rlim_max };

	ck_assert_int_ge(lowest, 0);
	close(lowest);
	few.rlim_cur = lowest + count;
	ck_assert(!setrlimit(RLIMIT_NOFILE, &few));
}

static void see_own(const struct stackproof_space *space)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	ck_assert(!stackproof_space_find(space, (uintptr_t)see_own, &place, NULL));
	ck_assert_uint_eq(place.build_id_size, 20);
	ck_assert_str_eq(place.function, "see_own");
}

/* With few of them either all is read or it is said; later all is. */
START_TEST(no_descriptor_is_said)
{
	struct stackproof_images *images;
	struct stackproof_space *space;
	struct stackproof_error error = { 0 };

	getrlimit(RLIMIT_NOFILE, &usual);
	ck_assert(!stackproof_images_create(&images, NULL));
	leave_descriptors(_i);
	if (!stackproof_space_read(images, getpid(), &space, &error)) {
		ck_assert_int_gt(_i, 1); /* maps and the image are open at the same time */
		see_own(space);
		stackproof_space_close(space);
	}
	setrlimit(RLIMIT_NOFILE, &usual);
	ck_assert_int_eq(error.system_errno, _i > 1 ? 0 : EMFILE);
	ck_assert(!stackproof_space_read(images, getpid(), &space, &error));
	see_own(space);
	stackproof_space_close(space);
	stackproof_images_destroy(images);
}
END_TEST

/* ---- with a session --------------------------------------------------------------------- */

static struct stackproof_session *session;

static bool open_session(uint32_t entries)
{
	struct stackproof_session_options options =
		STACKPROOF_INIT(struct stackproof_session_options);
	struct stackproof_error error;

	options.entries = entries;
	if (!stackproof_session_open(&options, &session, &error))
		return true;
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_UNAVAILABLE);
	printf("SKIP: %s\n", error.message);
	return false;
}

/* "/bin/sleep", as soon as it may; it has no profiler's descriptors. */
static pid_t start_sleep(int *ret_go)
{
	int pipes[2];
	pid_t pid;
	char go;

	ck_assert(!pipe2(pipes, O_CLOEXEC));
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setrlimit(RLIMIT_NOFILE, &usual);
		if (read(pipes[0], &go, 1) == 1)
			execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(pipes[0]);
	*ret_go = pipes[1];
	return pid;
}

static struct stackproof_processes_counters counted(struct stackproof_processes *processes)
{
	struct stackproof_processes_counters ret =
		STACKPROOF_INIT(struct stackproof_processes_counters);

	ck_assert(!stackproof_processes_counters(processes, &ret, NULL));
	return ret;
}

static bool executes_sleep(pid_t pid)
{
	char path[32], name[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_gt(read(fd, name, sizeof(name) - 1), 0);
	close(fd);
	return strcmp(name, "sleep\n") == 0;
}

/* A process that executes while there is no descriptor to read it by waits, and that is said. */
START_TEST(exec_without_descriptors)
{
	struct stackproof_processes_options options =
		STACKPROOF_INIT(struct stackproof_processes_options);
	struct stackproof_processes *processes;
	struct stackproof_images *images;
	struct stackproof_error error = { 0 };
	uint64_t until = patience();
	int go, status = 0;
	pid_t pid;

	getrlimit(RLIMIT_NOFILE, &usual);
	if (!open_session(0))
		return;
	ck_assert(!stackproof_images_create(&images, NULL));
	pid = start_sleep(&go);
	options.pid = pid;
	ck_assert(!stackproof_processes_open(session, images, &options, &processes, NULL));
	leave_descriptors(0);
	ck_assert_int_eq(stackproof_processes_add_existing(processes, &error), -1);
	ck_assert_int_eq(error.system_errno, EMFILE); /* and not that there is no such process */
	setrlimit(RLIMIT_NOFILE, &usual);
	ck_assert_msg(!stackproof_processes_add_existing(processes, &error), "%s", error.message);
	ck_assert_uint_eq(counted(processes).processes, 1);

	ck_assert_int_eq(write(go, "", 1), 1);
	while (!executes_sleep(pid) && monotonic_ns() < until)
		nap(1);
	leave_descriptors(_i);
	/* Not with the exec yet, but when it has mapped what is new: on a busy machine much later. */
	while (!status && monotonic_ns() < until)
		status = stackproof_processes_consume(processes, NULL, NULL, &error);
	setrlimit(RLIMIT_NOFILE, &usual);
	ck_assert_int_eq(status, -1);
	ck_assert_int_eq(error.system_errno, EMFILE);
	ck_assert_uint_eq(counted(processes).waiting, 1);
	ck_assert_ptr_null(stackproof_processes_space(processes, pid));
	while (counted(processes).waiting && monotonic_ns() < until)
		ck_assert(!stackproof_processes_consume(processes, NULL, NULL, &error));
	ck_assert_ptr_nonnull(stackproof_processes_space(processes, pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	stackproof_processes_close(processes);
	stackproof_session_close(session);
	stackproof_images_destroy(images);
}
END_TEST

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	alarms++;
}

/* A signal that comes again and again ends no loading of programs, and is not lost. */
START_TEST(timer_of_the_program)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } }, never = { { 0, 0 }, { 0, 0 } };
	uint64_t until = patience();
	sigset_t before = { 0 }, after = { 0 };
	bool opened;

	if (!open_session(0))
		return;
	stackproof_session_close(session);
	sigaction(SIGALRM, &action, NULL);
	sigprocmask(SIG_SETMASK, NULL, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	opened = open_session(0);
	while (!alarms && monotonic_ns() < until)
		;
	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_SETMASK, NULL, &after);
	ck_assert(opened);
	ck_assert_int_gt(alarms, 0);
	ck_assert(!memcmp(&before, &after, sizeof(before)));
	stackproof_session_close(session);
}
END_TEST

static uint64_t stacks_of(struct stackproof_session *of)
{
	struct stackproof_session_counters counters =
		STACKPROOF_INIT(struct stackproof_session_counters);

	ck_assert(!stackproof_session_counters(of, &counters, NULL));
	return counters.stacks;
}

static void count_stack(void *context, const struct stackproof_stack *stack)
{
	++*(uint64_t *)context;
}

/* What a child of fork(2) does with its parent's objects. The number of what went wrong, or 0. */
static int do_in_child(struct stackproof_processes *processes)
{
	struct stackproof_error error = { 0 };
	uint64_t count = 0;

	if (!stackproof_processes_consume(processes, count_stack, &count, &error))
		return 1;
	if (error.code != STACKPROOF_ERROR_ARGUMENT)
		return 2;
	if (!stackproof_session_consume(session, count_stack, &count, &error) || count)
		return 3;
	if (!stackproof_session_take_counts(session, count_stack, &count, NULL, &error) || count)
		return 4;
	if (!stackproof_processes_add_existing(processes, &error))
		return 5;
	stackproof_session_detach(session);
	stackproof_processes_close(processes);
	stackproof_session_close(session);
	return 0;
}

/* It takes nothing of its parent's, and ends nothing. */
START_TEST(child_of_fork)
{
	struct stackproof_processes_options options =
		STACKPROOF_INIT(struct stackproof_processes_options);
	struct stackproof_processes *processes;
	struct stackproof_images *images;
	uint64_t until = patience(), before, count = 0;
	int status;
	pid_t pid;

	if (!open_session(0))
		return;
	options.pid = getpid();
	ck_assert(!stackproof_images_create(&images, NULL));
	ck_assert(!stackproof_processes_open(session, images, &options, &processes, NULL));
	ck_assert(!stackproof_processes_add_existing(processes, NULL));
	/* 0 is the caller, and what it starts. */
	ck_assert(!stackproof_session_attach_samples(session, 0, -1, 1000, NULL));
	while (!stacks_of(session) && monotonic_ns() < until)
		;
	pid = fork();
	if (!pid)
		_exit(do_in_child(processes));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "%x", status);
	before = stacks_of(session);
	while (stacks_of(session) <= before && monotonic_ns() < until)
		;
	stackproof_session_detach(session);
	ck_assert(!stackproof_processes_consume(processes, count_stack, &count, NULL));
	ck_assert_uint_eq(count, stacks_of(session));
	ck_assert_uint_gt(count, before);
	stackproof_processes_close(processes);
	stackproof_session_close(session);
	stackproof_images_destroy(images);
}
END_TEST

/* ---- arguments -------------------------------------------------------------------------- */

START_TEST(arguments_that_mean_nothing)
{
	struct stackproof_error error;

	if (!open_session(1u << STACKPROOF_ENTRY_UPROBE))
		return;
	ck_assert_int_eq(stackproof_session_consume(session, NULL, NULL, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
	ck_assert_int_eq(stackproof_session_take_counts(session, NULL, NULL, NULL, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
	/* No PATH is searched: "cat" is a file here, or none. */
	ck_assert_int_eq(stackproof_session_attach_uprobe(session, -1, "cat", 0x1000, &error), -1);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_int_eq(stackproof_session_attach_uprobe(session, -1, "", 0x1000, &error), -1);
	ck_assert_int_eq(error.system_errno, ENOENT);
	/* No code is there. */
	ck_assert_int_eq(
		stackproof_session_attach_uprobe(session, -1, "/proc/self/exe", UINT64_MAX, &error),
		-1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ELF);
	/* The entry's name is one that the caller knows. */
	ck_assert_int_eq(stackproof_session_attach_samples(session, -1, -1, 10, &error), -1);
	ck_assert_ptr_nonnull(strstr(error.message, "1 << STACKPROOF_ENTRY_SAMPLE"));
	stackproof_session_close(session);
}
END_TEST

SUITE(face_caller, TIMEOUT(PATIENCE_TIMEOUT_S),
      TIMES(no_memory_is_said, 2 * sizeof(steps) / sizeof(steps[0])),
      TIMES(no_descriptor_is_said, 4), TIMES(exec_without_descriptors, 2),
      TEST(timer_of_the_program), TEST(child_of_fork), TEST(arguments_that_mean_nothing))
