/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child.c - processes that end with this one
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "child.h"

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

void child_not_run(const char *program)
{
	const char *reason = strerrordesc_np(errno);
	struct iovec text[] = {
		{ (char *)program, strlen(program) },
		{ ": ", 2 },
		{ (char *)reason, reason ? strlen(reason) : 0 },
		{ "\n", 1 },
	};

	if (writev(STDERR_FILENO, text, 4) < 0)
		_exit(CHILD_NOT_RUN);
	_exit(CHILD_NOT_RUN);
}

/* ---- one program ------------------------------------------------------------------------ */

/*
 * The child's environment is made before it is forked. Another thread may hold the allocator's or the
 * environment's lock at that moment, and in the child nobody ever lets go of it: between fork and exec
 * only what signal-safety(7) lists is called.
 */
struct child_environment {
	char **variable; /* NULL-terminated; all but the first two are this process's */
	char *path;	 /* "PATH=..." */
};

static bool is_variable(const char *text, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(text, name, length) && text[length] == '=';
}

static int environment_init(struct child_environment *ret)
{
	static char locale[] = "LC_ALL=C";
	const char *path = getenv("PATH");
	size_t count = 0, used = 0;

	while (environ && environ[count])
		count++;
	*ret = (struct child_environment) { .variable = calloc(count + 3, sizeof(char *)) };
	/* A person's PATH may lack the folders of ldconfig. */
	if (!ret->variable || (path && asprintf(&ret->path, "PATH=%s:/usr/sbin:/sbin", path) < 0)) {
		free(ret->variable);
		return -1;
	}
	ret->variable[used++] = locale;
	if (ret->path)
		ret->variable[used++] = ret->path;
	for (size_t i = 0; i < count; i++)
		if (!is_variable(environ[i], "PATH") && !is_variable(environ[i], "LC_ALL"))
			ret->variable[used++] = environ[i];
	return 0;
}

static void environment_deinit(struct child_environment *environment)
{
	free(environment->variable);
	free(environment->path);
}

/* In the child. */
static void __attribute__((noreturn))
become(const struct child_command *command, const struct child_environment *environment, int output)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	output = output >= 0 ? output : nothing;
	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(command->errors ? output : nothing, STDERR_FILENO);
	environ = environment->variable; /* execvp(3) looks at its PATH */
	child_give_back();
	if (command->takes_interrupts)
		signal(SIGINT, SIG_DFL);
	if (!command->directory || !chdir(command->directory))
		execvp(command->argv[0], (char *const *)command->argv);
	child_not_run(command->argv[0]);
}

pid_t child_start(const struct child_command *command, int *ret_output, struct error *error)
{
	struct child_environment environment;
	int ends[2] = { -1, -1 };
	pid_t pid;

	if (environment_init(&environment))
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (ret_output && pipe2(ends, O_CLOEXEC)) {
		environment_deinit(&environment);
		return error_set_errno(error, "a pipe for %s", command->argv[0]);
	}
	pid = child_fork();
	if (!pid)
		become(command, &environment, ends[1]);
	if (pid < 0)
		error_set_errno(error, "a process for %s", command->argv[0]);
	environment_deinit(&environment);
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
