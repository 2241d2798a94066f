/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child.c - processes that end with this one
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "child/child.h"

/* Who started us ignores it, too: then so does what we start. */
static bool ignored_before;

void child_ends_are_kept(void)
{
	signal(SIGCHLD, SIG_DFL);
}

void child_full_file_is_an_error(void)
{
	ignored_before = signal(SIGXFSZ, SIG_IGN) == SIG_IGN;
}

void child_give_back(void)
{
	if (!ignored_before)
		signal(SIGXFSZ, SIG_DFL);
}

void child_spawn_gives_back(sigset_t *ret)
{
	sigemptyset(ret);
	if (!ignored_before)
		sigaddset(ret, SIGXFSZ);
}

pid_t child_fork(void)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t none;

	if (pid > 0)
		setpgid(pid, pid); /* whoever comes first */
	if (pid)
		return pid;
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGBUS, SIG_DFL); /* what it dies of, its parent says (cli/cut_file.h) */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(CHILD_NOT_RUN);
	return 0;
}

/* In the child. */
static void __attribute__((noreturn)) become(const struct child_command *command, int output)
{
	const char *path = getenv("PATH");
	char longer[8192];
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	output = output >= 0 ? output : nothing;
	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(command->errors ? output : nothing, STDERR_FILENO);
	/* A person's PATH may lack the folders of ldconfig. */
	if (path &&
	    snprintf(longer, sizeof(longer), "%s:/usr/sbin:/sbin", path) < (int)sizeof(longer))
		setenv("PATH", longer, 1);
	setenv("LC_ALL", "C", 1);
	child_give_back();
	if (!command->directory || !chdir(command->directory))
		execvp(command->argv[0], (char *const *)command->argv);
	dprintf(STDERR_FILENO, "%s: %s\n", command->argv[0], strerror(errno));
	_exit(CHILD_NOT_RUN);
}

pid_t child_start(const struct child_command *command, int *ret_output, struct error *error)
{
	int ends[2] = { -1, -1 };
	pid_t pid;

	if (ret_output && pipe2(ends, O_CLOEXEC))
		return error_set_errno(error, "a pipe for %s", command->argv[0]);
	pid = child_fork();
	if (!pid)
		become(command, ends[1]);
	if (pid < 0)
		error_set_errno(error, "a process for %s", command->argv[0]);
	if (!ret_output)
		return pid;
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	*ret_output = pid < 0 ? -1 : ends[0];
	return pid;
}

int child_end(pid_t pid, bool at_once)
{
	siginfo_t info;
	int status;

	if (at_once)
		kill(-pid, SIGKILL);
	/* Not reaped yet, so that its number is still its group's. */
	while (waitid(P_PID, pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return W_EXITCODE(0, SIGKILL);
	return status;
}

int child_end_or_signal(pid_t pid, const struct ending_signals *signals, int *ret_status,
			struct error *error)
{
	struct pollfd waits[] = { { .fd = pidfd_open(pid, 0), .events = POLLIN },
				  { .fd = signals->fd, .events = POLLIN } };
	int number = 0;

	/* Where there is no such descriptor it is waited for as ever. */
	while (waits[0].fd >= 0 && !number && !waits[0].revents) {
		if (poll(waits, 2, -1) < 0 && errno != EINTR)
			break;
		number = ending_signals_take(signals);
	}
	if (waits[0].fd >= 0)
		close(waits[0].fd);
	*ret_status = child_end(pid, number != 0);
	return number ? ending_signals_error(error, number) : 0;
}

int child_check(const char *program, int status, struct error *error)
{
	if (WIFSIGNALED(status))
		return error_set(error, ERROR_PROTOCOL, "", 0, "%s died of SIG%s", program,
				 sigabbrev_np(WTERMSIG(status)));
	if (WEXITSTATUS(status) == CHILD_NOT_RUN)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not installed", program);
	return 0;
}
