/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_children.c - a program and all processes that it makes, each stepped from its first instruction
 *
 * At each point all frames of the truth must be in the process's memory, and a process that was forked must have its
 * maker's. Whoever waits for another one must come to its end.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/patience.h"
#include "tests/suite.h"
#include "process_scan.h"
#include "stepped_program.h"
#include "truth/tracer/truth.h"

#define PROCESSES_SEEN 16

static struct {
	uint64_t points, wrong, turns, over;
	uint64_t of[PROCESSES_SEEN], deepest[PROCESSES_SEEN]; /* points, and frames, by process */
	size_t now;
	int status[PROCESSES_SEEN];
	pid_t pid[PROCESSES_SEEN];
} seen;

static uint64_t word_at(pid_t tid, uint64_t address)
{
	uint64_t word = 0;
	struct iovec here = { &word, sizeof(word) };
	struct iovec there = { (void *)(uintptr_t)address, sizeof(word) };

	return process_vm_readv(tid, &here, 1, &there, 1, 0) == sizeof(word) ? word : 0;
}

static int on_stop(void *context, const struct trace_stop *stop, struct error *error)
{
	const struct shadow_stack *shadow = stop->shadow;

	seen.points++;
	seen.of[seen.now]++;
	if (shadow->count > seen.deepest[seen.now])
		seen.deepest[seen.now] = shadow->count;
	seen.wrong += stop->pid != seen.pid[seen.now];
	for (size_t i = 0; i < shadow->count; i++) {
		const struct shadow_frame *frame = &shadow->frame[i];

		seen.wrong += !frame->interrupted &&
			      word_at(stop->tid, frame->slot) != frame->return_address;
	}
	return 0;
}

static int on_burst(void *context, const struct tracer_process *process, struct error *error)
{
	ck_assert_uint_lt(process->number, PROCESSES_SEEN);
	seen.now = process->number;
	seen.pid[seen.now] = process->pid;
	seen.turns++;
	return 0;
}

static void on_burst_end(void *context, const struct tracer_process *process)
{
	seen.over += process->over;
	if (process->ended)
		seen.status[process->number] = process->status;
}

static const struct tracer_callbacks callbacks = { .on_stop = on_stop,
						   .on_burst = on_burst,
						   .on_burst_end = on_burst_end };

/* ---- programs ----------------------------------------------------------------------------- */

static int status_of(pid_t child)
{
	int status;

	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : 99;
}

/* Three deep, so that a copy of it shows. */
static __attribute__((noinline)) pid_t fork_deeper(int depth)
{
	pid_t ret = depth ? fork_deeper(depth - 1) : fork();

	__asm__ volatile("" : "+r"(ret));
	return ret;
}

/* The child waits for its maker's word, and its maker for the child's. */
static int run_pipes(void *context)
{
	int down[2], up[2];
	char word = 1;
	pid_t child;

	if (pipe(down) || pipe(up))
		return 90;
	child = fork_deeper(3);
	if (!child)
		_exit(read(down[0], &word, 1) == 1 && write(up[1], &word, 1) == 1 ? 5 : 91);
	if (write(down[1], &word, 1) != 1 || read(up[0], &word, 1) != 1)
		return 92;
	return status_of(child);
}

/* Both look at a word, and make no system call until the other one has written it. */
static int run_spin(void *context)
{
	volatile int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				  -1, 0);
	pid_t child = fork();

	if (!child) {
		while (*word != 1)
			;
		*word = 2;
		_exit(5);
	}
	*word = 1;
	while (*word != 2)
		;
	return status_of(child);
}

static int run_vfork(void *context)
{
	pid_t child = vfork();

	if (!child)
		_exit(5);
	return status_of(child);
}

static int on_own_stack(void *context)
{
	return *(int *)context;
}

static int run_clone(void *context)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	int five = 5;

	return status_of(clone(on_own_stack, stack + sizeof(stack),
			       CLONE_VM | CLONE_VFORK | SIGCHLD, &five));
}

static void *fork_in_thread(void *context)
{
	pid_t child = fork_deeper(2);

	if (!child)
		_exit(5);
	*(int *)context = status_of(child);
	return NULL;
}

static int run_threads(void *context)
{
	pthread_t thread[2];
	int status[2] = { 0 };

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, fork_in_thread, &status[i]))
			return 93;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return status[0] == 5 && status[1] == 5 ? 5 : 94;
}

/* Nobody's in the end, and at work when the program is gone: its pipe says that. */
static int run_daemon(void *context)
{
	int ends[2];
	pid_t child;
	char word;

	if (pipe(ends))
		return 95;
	child = fork();
	if (!child) {
		setsid();
		if (!fork()) {
			close(ends[1]);
			_exit(read(ends[0], &word, 1) ? 96 : 6);
		}
		_exit(5);
	}
	return status_of(child);
}

/* One is killed in the middle, by who does not have its turn then. */
static int run_killer(void *context)
{
	pid_t child = fork();
	int status;

	if (!child)
		for (;;)
			;
	usleep(1000); /* it gets its turn, and keeps it for as long as nobody else can go on */
	kill(child, SIGKILL);
	return waitpid(child, &status, 0) == child && WTERMSIG(status) == SIGKILL ? 5 : 97;
}

/* Its process group is ours, too (the suite's runner gives each test one of its own). */
static int run_group(void *context)
{
	static const int numbers[] = { SIGUSR1, SIGINT, SIGTERM, SIGHUP };
	pid_t child;

	for (int i = 0; i < 4; i++)
		signal(numbers[i], SIG_IGN);
	child = fork();
	for (int i = 0; i < 4 && !child; i++)
		if (kill(0, numbers[i]))
			_exit(98);
	if (!child)
		_exit(5);
	return status_of(child);
}

static const struct {
	const char *name;
	int (*run)(void *context);
	uint64_t processes,
		deep; /* deep: so many frames more than its first process the second has at least */
	int last;     /* the status of the last one */
} programs[] = {
	{ "pipes", run_pipes, 2, 4, 5 << 8 },	  { "spin", run_spin, 2, 1, 5 << 8 },
	{ "vfork", run_vfork, 2, 1, 5 << 8 },	  { "clone", run_clone, 2, 1, 5 << 8 },
	{ "threads", run_threads, 3, 3, 5 << 8 }, { "daemon", run_daemon, 3, 1, 6 << 8 },
	{ "killer", run_killer, 2, 1, SIGKILL },  { "group", run_group, 2, 1, 5 << 8 },
};

START_TEST(each_process_is_stepped)
{
	const struct tracer_attach wish = { .children = true, .whole = true };
	const struct tracer_options options = { .attach = &wish,
						.function = programs[_i].run,
						.timeout_ms = PATIENCE_S * 1000,
						.ended_by_signals = true };
	uint64_t processes = programs[_i].processes;
	struct tracer_counters counters;
	struct error error;
	int status;

	memset(&seen, 0, sizeof(seen));
	ck_assert_msg(!tracer_run(&options, &callbacks, &counters, &status, &error), "%s: %s",
		      programs[_i].name, error.message);
	ck_assert_msg(status == 5 << 8, "%s: 0x%x", programs[_i].name, (unsigned)status);
	ck_assert_int_eq(counters.ending, TRACER_ENDED);
	ck_assert_uint_eq(counters.processes.met, processes);
	ck_assert_uint_eq(counters.children, 0);
	ck_assert_uint_eq(seen.over, processes);
	ck_assert_msg(!seen.wrong, "%s: %lu frames", programs[_i].name, seen.wrong);
	for (size_t i = 0; i < processes; i++)
		ck_assert_msg(seen.of[i] > 2, "%s: %zu", programs[_i].name, i);
	ck_assert_msg(seen.deepest[1] >= programs[_i].deep, "%s: %lu deep", programs[_i].name,
		      seen.deepest[1]);
	ck_assert_int_eq(seen.status[processes - 1], programs[_i].last);
	ck_assert_int_eq(waitpid(-1, &status, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* ---- programs that are executed ------------------------------------------------------------- */

static const struct {
	const char *only;
	uint64_t not_named,
		points; /* points: of the program that is executed; 0: it is not stepped */
} named[] = {
	{ NULL, 0, 5 },
	{ "children_made", 1, 5 },
	{ "no_such_name", 2, 0 },
};

/* The one that was forked is met in any case, and what it executes may be named. */
START_TEST(only_named_programs_are_stepped)
{
	char *argv[] = { "./children_maker", NULL };
	const struct tracer_attach wish = { .children = true,
					    .whole = true,
					    .only = named[_i].only };
	const struct tracer_options options = { .attach = &wish,
						.argv = argv,
						.timeout_ms = PATIENCE_S * 1000 };
	struct tracer_counters counters;
	struct error error;
	int status;

	/* vfork; the child executes. */
	make_program("children_made", START "nop\nnop\n" EXIT);
	make_program("children_maker", START
		     "mov eax, 58\nsyscall\ntest eax, eax\njnz 1f\n"
		     "mov eax, 59\nlea rdi, [rip + made]\nlea rsi, [rip + argv]\nxor edx, edx\n"
		     "syscall\nud2\n"
		     "1: mov edi, eax\nxor esi, esi\nxor edx, edx\nxor r10d, r10d\n"
		     "mov eax, 61\nsyscall\n" EXIT
		     ".data\nargv: .quad made, 0\nmade: .asciz \"./children_made\"\n");
	memset(&seen, 0, sizeof(seen));
	ck_assert_msg(!tracer_run(&options, &callbacks, &counters, &status, &error), "%s",
		      error.message);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(counters.processes.met, 2);
	ck_assert_uint_eq(counters.processes.left[PROCESS_NOT_NAMED], named[_i].not_named);
	if (named[_i].only)
		ck_assert_uint_eq(seen.points, named[_i].points);
	else
		ck_assert_uint_gt(seen.of[1], named[_i].points); /* and those before its exec */
	ck_assert_uint_eq(seen.wrong, 0);
	unlink("children_made");
	unlink("children_maker");
}
END_TEST

/* Threads of a process that runs free are no processes, even if they end before their maker tells of them. */
START_TEST(threads_that_are_not_stepped)
{
	char *argv[] = { "./children_threads", NULL };
	const struct tracer_attach wish = { .children = true, .whole = true, .only = "no_such" };
	const struct tracer_options options = { .attach = &wish,
						.argv = argv,
						.timeout_ms = PATIENCE_S * 1000 };
	struct tracer_counters counters;
	struct error error;
	int status;

	/* fork; the child clones threads, which end at once; a SIGKILL that it sends itself is its own affair. */
	make_program("children_threads",
		     START "mov eax, 57\nsyscall\ntest eax, eax\njnz 2f\n"
			   "mov ebx, 300\n"
			   "1: mov eax, 56\nmov edi, 0x10f00\nlea rsi, [rip + stack]\n"
			   "xor edx, edx\nxor r10d, r10d\nxor r8d, r8d\nsyscall\n"
			   "test eax, eax\njnz 3f\nmov eax, 60\nxor edi, edi\nsyscall\n"
			   "3: dec ebx\njnz 1b\n" EXIT
			   "2: mov edi, eax\nxor esi, esi\nxor edx, edx\nxor r10d, r10d\n"
			   "mov eax, 61\nsyscall\nmov eax, 39\nsyscall\n"
			   "mov edi, eax\nmov esi, 9\nmov eax, 62\nsyscall\nud2\n"
			   ".data\n.skip 4096\nstack: .quad 0\n");
	ck_assert_msg(!tracer_run(&options, &callbacks, &counters, &status, &error), "%s",
		      error.message);
	ck_assert_int_eq(status, SIGKILL);
	ck_assert_int_eq(counters.ending, TRACER_ENDED);
	ck_assert_uint_eq(counters.processes.met, 2);
	ck_assert_uint_eq(counters.processes.left[PROCESS_NOT_NAMED], 2);
	ck_assert_uint_eq(counters.processes.outlived, 0);
	unlink("children_threads");
}
END_TEST

static int run_hidden(void *context)
{
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);

	if (!child)
		_exit(5);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	return status_of(child);
}

/* A process that no tracer is told of, and one that wants another tracer. */
START_TEST(what_is_not_seen_is_counted)
{
	const struct tracer_attach wish = { .children = true, .whole = true };
	const struct tracer_options options = { .attach = &wish,
						.function = run_hidden,
						.timeout_ms = PATIENCE_S * 1000 };
	struct tracer_counters counters;
	struct error error;
	int status;

	memset(&seen, 0, sizeof(seen));
	ck_assert_msg(!tracer_run(&options, &callbacks, &counters, &status, &error), "%s",
		      error.message);
	ck_assert_int_eq(status, 5 << 8);
	ck_assert_uint_eq(counters.processes.met, 2);
	ck_assert_uint_eq(counters.processes.left[PROCESS_UNTRACED], 1);
	ck_assert_uint_eq(counters.processes.called_ptrace, 1);
}
END_TEST

/* ---- the end -------------------------------------------------------------------------------- */

static int run_endless(void *context)
{
	if (!fork() || !fork())
		for (;;)
			;
	while (!pause() || errno)
		;
	return 0;
}

static const struct {
	uint64_t limit;
	unsigned int timeout_ms, duration_ms;
	int ending;
} ends[] = {
	{ 300000, PATIENCE_S * 1000, 0, TRACER_LIMIT },
	{ 0, PATIENCE_S * 1000, 300, TRACER_LIMIT },
	{ 0, 300, PATIENCE_S * 1000, TRACER_TIMEOUT },
};

/* Nobody is left, all stacks have ended, and all are accounted for. */
START_TEST(all_end_with_the_run)
{
	const struct tracer_attach wish = { .children = true,
					    .whole = true,
					    .duration_ms = ends[_i].duration_ms };
	const struct tracer_options options = { .attach = &wish,
						.function = run_endless,
						.point_limit = ends[_i].limit,
						.timeout_ms = ends[_i].timeout_ms };
	struct tracer_counters counters;
	uint64_t left = 0;
	struct error error;
	int status, result;

	memset(&seen, 0, sizeof(seen));
	result = tracer_run(&options, &callbacks, &counters, &status, &error);
	ck_assert_int_eq(result, ends[_i].ending == TRACER_TIMEOUT ? -1 : 0);
	ck_assert_int_eq(counters.ending, ends[_i].ending);
	ck_assert_int_eq(status, SIGKILL);
	if (ends[_i].limit)
		ck_assert_uint_eq(seen.points, ends[_i].limit);
	for (int i = 0; i < PROCESS_LEFT_COUNT; i++)
		left += counters.processes.left[i];
	ck_assert_uint_eq(seen.over + left, counters.processes.met);
	for (size_t i = 0; i < PROCESSES_SEEN; i++)
		ck_assert(!seen.pid[i] || process_has_ended(seen.pid[i]));
	ck_assert_int_eq(waitpid(-1, &status, WNOHANG), -1);
}
END_TEST

SUITE(children, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(each_process_is_stepped, programs),
      LOOP(only_named_programs_are_stepped, named), TEST(threads_that_are_not_stepped),
      TEST(what_is_not_seen_is_counted), LOOP(all_end_with_the_run, ends))
