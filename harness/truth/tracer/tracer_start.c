/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_start.c - start pinned and seized; find the entry point; end without leftovers
 *
 * Start. The child waits on a pipe until it was seized (PTRACE_SEIZE: unlike PTRACE_TRACEME it
 * tells group stops from signals, and new threads stop without a SIGSTOP), then calls exec. A
 * second pipe, closed by a successful exec, brings errno otherwise. PTRACE_O_EXITKILL kills the
 * tracee should the tracer die.
 *
 * One CPU. A step is two context switches; across CPUs each is an interrupt and a wake-up from
 * idle. Pinned to the same CPU, stepping is three times as fast.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/images/debug_link.h"
#include "target_start.h"
#include "tracer.h"
#include "image/image.h"

/* Forks are told: such children are counted, and let go, or stepped as well (children.h). */
#define TRACE_OPTIONS                                                                              \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |       \
	 PTRACE_O_TRACEVFORK | PTRACE_O_TRACESYSGOOD)

/* ---- the child -------------------------------------------------------------------------- */

static void __attribute__((noreturn))
run_child(const struct tracer_options *options, int go_fd, int fail_fd)
{
	const struct target_program program = {
		.argv = options->argv,
		.envp = options->envp,
		.silence_output = options->silence_output,
		.randomize = options->randomize,
	};
	char go;
	ssize_t size;

	do
		size = read(go_fd, &go, 1);
	while (size < 0 && errno == EINTR);
	if (size != 1)
		_exit(CHILD_NOT_RUN); /* the tracer gave up */
	target_prepare(&program);
	if (options->function)
		_exit(options->function(options->function_context));
	target_become(&program, fail_fd);
}

/* ---- start ------------------------------------------------------------------------------ */

static int pin(struct tracer *tracer)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	if (cpu < 0 || sched_getaffinity(0, sizeof(tracer->cpus_before), &tracer->cpus_before))
		return error_set_errno(tracer->core.error, "the CPU to share");
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return error_set_errno(tracer->core.error, "sched_setaffinity");
	tracer->pinned = true;
	return 0;
}

static int fork_child(struct tracer *tracer)
{
	int go[2] = { -1, -1 };
	int fail[2] = { -1, -1 };

	if (pipe2(go, O_CLOEXEC) || pipe2(fail, O_CLOEXEC)) {
		error_set_errno(tracer->core.error, "pipe");
		goto out;
	}
	fflush(NULL); /* a forked function must not write the caller's buffers again */
	tracer->core.pid = fork();
	if (tracer->core.pid < 0) {
		error_set_errno(tracer->core.error, "fork");
		goto out;
	}
	if (tracer->core.pid == 0) {
		close(go[1]);
		close(fail[0]);
		run_child(tracer->options, go[0], fail[1]);
	}
	tracer->at = tracer->core.pid;
	tracer->go_fd = go[1];
	tracer->fail_fd = fail[0];
	go[1] = -1;
	fail[0] = -1;
out:
	for (int i = 0; i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		if (fail[i] >= 0)
			close(fail[i]);
	}
	return tracer->core.pid > 0 ? 0 : -1;
}

/* Where the watchdog has ended it already (^C, before it began), its end says so. */
static int let_go(struct tracer *tracer)
{
	const struct timespec now = { 0 };
	sigset_t broken, before;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, &before);

	bool gone = write(tracer->go_fd, "", 1) != 1;
	int failure = errno;

	if (gone && failure == EPIPE)
		sigtimedwait(&broken, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = failure;
	return gone && failure != EPIPE ? error_set_errno(tracer->core.error, "the child's pipe")
					: 0;
}

/* What the program sends to its process group, which is ours, too: a terminal's job control needs that. */
static void strays(sigset_t *ret)
{
	static const int number[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO };

	sigemptyset(ret);
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		sigaddset(ret, number[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		sigaddset(ret, i);
}

static void hold_strays(struct tracer *tracer)
{
	sigset_t set;

	strays(&set);
	pthread_sigmask(SIG_BLOCK, &set, &tracer->mask_before);
	tracer->holds_strays = true;
}

/* Those that the caller has blocked himself stay for him. */
static void drop_strays(struct tracer *tracer)
{
	const struct timespec now = { 0 };
	sigset_t set;

	if (!tracer->holds_strays)
		return;
	strays(&set);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(&tracer->mask_before, i) == 1)
			sigdelset(&set, i);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &tracer->mask_before, NULL);
}

int tracer_start(struct tracer *tracer)
{
	if (pin(tracer) || fork_child(tracer))
		return -1;
	hold_strays(tracer); /* not in the child */
	if (ptrace(PTRACE_SEIZE, tracer->core.pid, NULL, TRACE_OPTIONS)) {
		int failure = errno;

		error_set_errno(tracer->core.error, "ptrace");
		if (failure == EPERM || failure == ENOSYS || failure == EACCES)
			tracer->core.error->code = ERROR_UNAVAILABLE;
		return -1;
	}
	if (tracer->options->function) {
		/* It stops inside its read(2), before it gets the byte. */
		if (ptrace(PTRACE_INTERRUPT, tracer->core.pid, NULL, NULL))
			return error_set_errno(tracer->core.error, "PTRACE_INTERRUPT");
		if (tracer_memory_open(tracer))
			return -1;
	}
	if (watchdog_start(tracer))
		return -1;
	return let_go(tracer);
}

/* ---- the entry point -------------------------------------------------------------------- */

/* Where options->from is, or 0. */
static int resolve_from(struct tracer *tracer)
{
	const char *from = tracer->options->from;
	struct image *image DEINIT(image_destroy_at) = NULL;
	char path[64];

	tracer->from_pc = 0;
	if (!from || strcmp(from, "_start") == 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", tracer->core.pid);
	if (image_create(path, &image, tracer->core.error))
		return -1;
	debug_link_adopt(image); /* strip takes main's name away */

	uint64_t address = image_symbol_address(image, from);

	if (!address && strcmp(from, "main") == 0)
		address = image_main_address(image);
	if (address)
		tracer->from_pc = address + (tracer->entry - image->entry);
	if (address || tracer->counters.execs)
		return 0;
	error_set(tracer->core.error, ERROR_SYSTEM, NULL, 0,
		  "the program has no function \"%s\" to start from; --from _start begins at its "
		  "entry point",
		  from);
	tracer->core.error->system_errno = ENOENT; /* what was named is not there */
	return -1;
}

int tracer_enter_program(struct tracer *tracer, struct thread *thread)
{
	if (!target_is_64_bit(&thread->core.regs, tracer->core.error))
		return -1;
	if (!tracer->options->from || (tracer->options->from_once && tracer->counters.execs)) {
		thread->state = THREAD_ENTERING;
		return 0;
	}
	tracer->to_entry = true;
	tracer->entry = target_auxv(tracer->at, AT_ENTRY);
	if (resolve_from(tracer))
		return -1;
	tracer->entry_byte = TARGET_BREAKPOINT;
	if (target_exchange_byte(tracer->memory_fd, tracer->entry, &tracer->entry_byte,
				 tracer->core.error))
		return -1;
	thread->state = THREAD_TO_ENTRY;
	return 0;
}

int tracer_leave_entry(struct tracer *tracer, struct thread *thread)
{
	tracer->to_entry = false;
	thread->core.regs.rip = tracer->entry;
	if (ptrace(PTRACE_SETREGS, thread->core.tid, NULL, &thread->core.regs))
		return error_set_errno(tracer->core.error, "PTRACE_SETREGS at the entry point");
	if (target_exchange_byte(tracer->memory_fd, tracer->entry, &tracer->entry_byte,
				 tracer->core.error))
		return -1;
	if (tracer_traps_begin(tracer, thread))
		return -1;
	/* The loader mapped the libraries while nobody looked. */
	return tracer_mappings_changed(tracer, false);
}

/* ---- end -------------------------------------------------------------------------------- */

/* After SIGKILL nothing of the process stops any more: whatever waitpid brings is an end, or a
 * process that it made and that was not told any more. */
static void kill_and_reap(struct tracer *tracer)
{
	kill(tracer->core.pid, SIGKILL);
	while (!tracer->finished) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | __WNOTHREAD);

		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			return;
		if (WIFSTOPPED(status) && !thread_is_of(tracer->core.pid, tid))
			ptrace(PTRACE_DETACH, tid, NULL, 0);
		if (tid == tracer->core.pid && !WIFSTOPPED(status)) {
			tracer->status = status;
			tracer->finished = true;
		}
	}
}

void tracer_end(struct tracer *tracer)
{
	if (tracer->core.pid > 0 && !tracer->finished)
		kill_and_reap(tracer);
	watchdog_stop(tracer);
	drop_strays(tracer);
	if (tracer->pinned)
		sched_setaffinity(0, sizeof(tracer->cpus_before), &tracer->cpus_before);
	tracer_deinit(tracer);
}

void tracer_deinit(struct tracer *tracer)
{
	int *const fds[] = { &tracer->go_fd, &tracer->fail_fd, &tracer->memory_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	for (size_t i = 0; i < tracer->thread_count; i++)
		thread_destroy(tracer->thread[i]);
	free(tracer->thread);
	stack_pool_clear(&tracer->core.stacks);
	free(tracer->volatile_code);
	decoder_destroy(tracer->core.decoder);
}
