/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_keeper.c - the process between us and an engine
 *
 * The tracer waits for any child of its thread, so it would take the end of an engine that is one,
 * and with it how the engine ended. And what an engine starts may leave its process group. So the
 * engine is the child of a keeper, which says how it ended, and which inherits whatever the engine
 * leaves behind (PR_SET_CHILD_SUBREAPER, prctl(2)): when nobody holds the other end of its
 * descriptor any more, it ends them all. That is so when we let it go, and when we are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "freed.h"
#include "base/child/child.h"
#include "external_inside.h"

#define ABOVE_STREAMS 10 /* a descriptor that is none of the three */

/* What an engine has of our environment; LC_ALL is C. */
static const char *const kept_variables[] = { "PATH", "HOME", "TMPDIR", "TZ" };
#define VARIABLES_MAX (sizeof(kept_variables) / sizeof(kept_variables[0]) + 2)

/* One that eats all memory is the first to be killed for it. */
static void offer_to_oom_killer(void)
{
	FD_CLOSED int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0) /* then it is as likely as we are */
		errno = 0;
}

static void set_streams(const struct external_ends *ends)
{
	int input = fcntl(ends->input, F_DUPFD_CLOEXEC, ABOVE_STREAMS);
	int output = fcntl(ends->output, F_DUPFD_CLOEXEC, ABOVE_STREAMS);
	int errors = fcntl(ends->errors, F_DUPFD_CLOEXEC, ABOVE_STREAMS);

	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0u, 0);
}

/* By the system call: the C library keeps two signals to itself (32 and 33), and who started us may
 * have ignored those, too. */
static void signal_default(int number)
{
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} plain = { .handler = SIG_DFL };

	syscall(SYS_rt_sigaction, number, &plain, NULL, sizeof(plain.mask));
}

static void __attribute__((noreturn))
become_engine(const char *const *argv, const struct external_ends *ends, const cpu_set_t *cpus)
{
	static const struct rlimit no_core = { 0, 0 };
	char *environment[VARIABLES_MAX], *text;
	size_t count = 0;
	sigset_t none;

	set_streams(ends);
	environment[count++] = (char *)"LC_ALL=C";
	for (size_t i = 0; i < sizeof(kept_variables) / sizeof(kept_variables[0]); i++) {
		const char *value = getenv(kept_variables[i]);

		if (value && asprintf(&text, "%s=%s", kept_variables[i], value) >= 0)
			environment[count++] = text;
	}
	environment[count] = NULL;
	for (int number = 1; number < NSIG; number++)
		signal_default(number);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	sched_setaffinity(0, sizeof(*cpus), cpus);
	offer_to_oom_killer();
	execve(argv[0], (char *const *)argv, environment);
	dprintf(STDERR_FILENO, "%s: %m\n", argv[0]);
	_exit(CHILD_NOT_RUN);
}

static void kill_children(void)
{
	char path[64];
	FILE_CLOSED FILE *file = NULL;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%d", &pid) == 1)
		kill(pid, SIGKILL);
}

/* Ends them one by one: the children of one that has ended are ours then. */
static void __attribute__((noreturn)) end_all(pid_t engine)
{
	kill(-engine, SIGKILL);
	do
		kill_children();
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
	_exit(0);
}

static void __attribute__((noreturn)) keep(pid_t engine, int control)
{
	struct pollfd wake[2] = { { .fd = control, .events = POLLIN }, { .events = POLLIN } };
	struct signalfd_siginfo info;
	sigset_t child;
	pid_t pid;
	int status;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	wake[1].fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == engine &&
			    send(control, &status, sizeof(status), MSG_NOSIGNAL) < 0)
				end_all(engine);
		if (poll(wake, 2, -1) > 0 && wake[0].revents)
			end_all(engine);
		while (read(wake[1].fd, &info, sizeof(info)) > 0)
			;
	}
}

static void __attribute__((noreturn))
be_keeper(const char *const *argv, const struct external_ends *ends, const cpu_set_t *cpus,
	  int control)
{
	sigset_t child;
	pid_t engine;

	/* It must outlive us, to end what the engine has started; it sees our end by its
	 * descriptor. */
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "engine_keeper");
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	engine = fork();
	if (!engine)
		become_engine(argv, ends, cpus);
	control = dup2(control, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0u, 0);
	if (engine < 0)
		_exit(CHILD_NOT_RUN);
	keep(engine, control);
}

pid_t external_keeper_start(const char *const *argv, const struct external_ends *ends,
			    const cpu_set_t *cpus, int *ret_control, struct error *error)
{
	int control[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control))
		return error_set_errno(error, "a socket for %s", argv[0]);
	pid = child_fork();
	if (!pid)
		be_keeper(argv, ends, cpus, control[1]);
	if (pid < 0)
		error_set_errno(error, "a process for %s", argv[0]);
	close(control[1]);
	if (pid < 0)
		close(control[0]);
	*ret_control = control[0];
	return pid;
}
