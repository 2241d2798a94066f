/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_init.c - process 1 of the guest: mounts, runs the commands, powers off
 *
 * A static program, because it is the only thing that is sure to be in the initramfs. It reads
 * FRAME_COMMANDS_PATH, runs each command after the other as root in its directory, with
 * /dev/null as its input, and sends what they write and how they end as frames (frame.h) on ttyS1.
 *
 * Files come back as cpio archives: what was made or changed below the command's directory since
 * it began, on that file system, which ctime tells, since no program can set it; and what else is named.
 *
 * Nothing outlives its command: when a command has ended, or its time is up, every other process in
 * the guest is killed, so that no command sees what an earlier one left running.
 *
 * It can't report its own failures in frames before ttyS1 is open; those go to the console, and the
 * host sees a guest that never became ready.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "guest_init.h"

#define RESULTS_TTY    "/dev/ttyS1"
#define COMMANDS_MAX   (8u << 20) /* bytes of FRAME_COMMANDS_PATH */
#define EXIT_TIMED_OUT 124	  /* as timeout(1) */
#define EXIT_NO_EXEC   126	  /* found but not executable, as POSIX shells */
#define EXIT_MISSING   127

/* A running command. */
struct child {
	pid_t pid;
	uint16_t index;
	int out[2]; /* read ends: stdout, stderr; -1 at their end */
	bool ended;
	int status; /* of waitpid */
};

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT); /* without ACPI: QEMU's -no-reboot makes this the end as well */
	for (;;)
		pause();
}

/* Console and end: the kernel's own reaction to the death of process 1 would be a panic. */
static void give_up(const char *what)
{
	fprintf(stderr, "stackproof init: %s: %s\n", what, strerror(errno));
	power_off();
}

static void mount_one(const char *type, const char *where)
{
	/* Kernels differ in what they have: a file system that is missing is not an error here. */
	mkdir(where, 0755);
	mount(type, where, type, 0, NULL);
}

static void mount_all(void)
{
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("devtmpfs", "/dev");
	mount_one("tmpfs", "/dev/shm");
	mount_one("devpts", "/dev/pts");
	/* Not on /tmp and /run: files were put there for us. */
	mount_one("bpf", "/sys/fs/bpf");
	mount_one("cgroup2", "/sys/fs/cgroup");
	mount_one("debugfs", "/sys/kernel/debug");
	mount_one("tracefs", "/sys/kernel/tracing");
	mkdir("/tmp", 01777);
	chmod("/tmp", 01777);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static void loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
}

static void results_open(struct results *results)
{
	struct termios tty;

	results->sequence = 0;
	results->fd = open(RESULTS_TTY, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (results->fd < 0 || tcgetattr(results->fd, &tty))
		give_up(RESULTS_TTY);
	cfmakeraw(&tty);
	tty.c_cflag |= CLOCAL;
	cfsetspeed(&tty, B115200);
	if (tcsetattr(results->fd, TCSANOW, &tty))
		give_up(RESULTS_TTY);
}

void results_send(struct results *results, enum frame_type type, uint16_t index,
		  const void *payload, size_t length)
{
	size_t size = frame_encode(results->frame, type, index, results->sequence++, payload,
				   (uint32_t)length);

	for (size_t done = 0; done < size;) {
		ssize_t n = write(results->fd, results->frame + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			give_up(RESULTS_TTY);
		done += (size_t)n;
	}
}

/* The command list, NUL-terminated once more than it is long. */
static char *commands_read(size_t *ret_size)
{
	int fd = open(FRAME_COMMANDS_PATH, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text = NULL;
	size_t size = 0;

	if (fd < 0 || fstat(fd, &st))
		give_up(FRAME_COMMANDS_PATH);
	if (st.st_size > COMMANDS_MAX || !(text = calloc(1, (size_t)st.st_size + 1)))
		give_up("command list is too long");
	while (size < (size_t)st.st_size) {
		ssize_t n = read(fd, text + size, (size_t)st.st_size - size);

		if (n <= 0)
			give_up(FRAME_COMMANDS_PATH);
		size += (size_t)n;
	}
	close(fd);
	*ret_size = size;
	return text;
}

/* The next string of the list; NULL at its end. */
static char *commands_next(char **at, const char *end)
{
	char *text = *at;

	if (text >= end)
		return NULL;
	*at = text + strlen(text) + 1;
	return text;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* What there is for a command to do. */
struct command {
	uint64_t timeout_ms; /* 0: none */
	const char *directory;
	bool wants_files;
	char **copies; /* path and name of each */
	size_t copy_count;
	char **argv;
};

/* ---- commands --------------------------------------------------------------------------- */

/* mkdir -p, and there. */
static int enter(const char *directory)
{
	char path[PATH_MAX];

	for (size_t i = 1; directory[i]; i++) {
		if (directory[i] != '/' || i >= sizeof(path))
			continue;
		memcpy(path, directory, i);
		path[i] = '\0';
		mkdir(path, 0755);
	}
	mkdir(directory, 0755);
	return chdir(directory);
}

static void child_exec(const struct command *command, int out, int err)
{
	char **argv = command->argv;
	static char *const environment[] = {
		"PATH=" FRAME_GUEST_PATH, "HOME=/root", "TERM=dumb", "LC_ALL=C.UTF-8", NULL,
	};
	int in = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(EXIT_NO_EXEC);
	if (in > 2)
		close(in);
	if (chdir(command->directory)) {
		dprintf(2, "stackproof: %s: %s\n", command->directory, strerror(errno));
		_exit(EXIT_NO_EXEC);
	}
	if (strchr(argv[0], '/'))
		execve(argv[0], argv, environment);
	else
		execvpe(argv[0], argv, environment); /* by our PATH: see main() */
	dprintf(2, "stackproof: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT || errno == ENOTDIR ? EXIT_MISSING : EXIT_NO_EXEC);
}

static int child_start(struct child *child, uint16_t index, const struct command *command)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		give_up("pipe");
	*child = (struct child) { .index = index, .out = { out[0], err[0] } };
	child->pid = fork();
	if (child->pid < 0)
		give_up("fork");
	if (!child->pid)
		child_exec(command, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	return 0;
}

/* Sends what stream which (0 stdout, 1 stderr) holds. Returns false when it is empty for now. */
static bool child_forward(struct child *child, int which, struct results *results)
{
	uint8_t data[FRAME_PAYLOAD_MAX];
	ssize_t n;

	if (child->out[which] < 0)
		return false;
	n = read(child->out[which], data, sizeof(data));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return errno == EINTR;
	if (n <= 0) {
		close(child->out[which]);
		child->out[which] = -1;
		return false;
	}
	results_send(results, which ? FRAME_STDERR : FRAME_STDOUT, child->index, data, (size_t)n);
	return true;
}

/* Collects every dead process; orphans come to process 1 as well. */
static void reap(struct child *child)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == child->pid) {
			child->ended = true;
			child->status = status;
		}
	}
}

/* The host's word: an interrupt for the command and what it has started in its process group. */
static void child_interrupt(const struct child *child, const struct results *results)
{
	uint8_t said;

	if (read(results->fd, &said, sizeof(said)) == sizeof(said) && said == FRAME_INTERRUPT)
		kill(-child->pid, SIGINT);
}

/*
 * Forwards output until the command itself has ended or the deadline passed. Its pipes may stay
 * open longer (a grandchild holds them) or close earlier: only its end counts.
 */
static bool child_wait(struct child *child, uint64_t deadline_ms, struct results *results)
{
	while (!child->ended) {
		struct pollfd fds[3] = {
			{ .fd = child->out[0], .events = POLLIN },
			{ .fd = child->out[1], .events = POLLIN },
			{ .fd = results->fd, .events = POLLIN },
		};
		uint64_t now = now_ms(), left = deadline_ms - now;
		struct timespec wait = { (time_t)(left / 1000), (long)(left % 1000) * 1000000 };
		sigset_t none;

		if (deadline_ms && now >= deadline_ms)
			return false;
		sigemptyset(&none);
		ppoll(fds, 3, deadline_ms ? &wait : NULL, &none); /* SIGCHLD ends it too */
		for (int i = 0; i < 2; i++) {
			if (fds[i].revents)
				child_forward(child, i, results);
		}
		if (fds[2].revents & POLLIN)
			child_interrupt(child, results);
		reap(child);
	}
	return true;
}

static void on_child(int signal_number)
{
	/* Only there to end ppoll. */
}

static void child_signal_init(void)
{
	struct sigaction action = { .sa_handler = on_child };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (sigaction(SIGCHLD, &action, NULL) || sigprocmask(SIG_BLOCK, &child, NULL))
		give_up("SIGCHLD");
}

static void run_command(struct results *results, uint16_t index, const struct command *command)
{
	uint64_t timeout_ms = command->timeout_ms;
	struct timespec begin;
	struct child child;
	int32_t code;
	bool in_time;

	if (enter(command->directory))
		fprintf(stderr, "stackproof init: %s: %s\n", command->directory, strerror(errno));
	clock_gettime(CLOCK_REALTIME_COARSE, &begin); /* as the kernel stamps files */
	child_start(&child, index, command);
	in_time = child_wait(&child, timeout_ms ? now_ms() + timeout_ms : 0, results);
	kill(-1, SIGKILL); /* everybody but process 1 */
	while (!child.ended) {
		int status;

		if (waitpid(-1, &status, 0) == child.pid) {
			child.ended = true;
			child.status = status;
		}
	}
	for (int i = 0; i < 2; i++) {
		while (child_forward(&child, i, results))
			;
		if (child.out[i] >= 0)
			close(child.out[i]);
	}
	results->archive_bytes = 0;
	if (command->wants_files)
		files_send(results, index, command->directory, &begin);
	for (size_t i = 0; i < command->copy_count; i++)
		files_send_copy(results, index, (uint16_t)i, command->copies[2 * i],
				command->copies[2 * i + 1]);
	if (!in_time)
		code = EXIT_TIMED_OUT;
	else if (WIFSIGNALED(child.status))
		code = 128 + WTERMSIG(child.status);
	else
		code = WEXITSTATUS(child.status);
	results_send(results, FRAME_EXIT, index, &code, sizeof(code));
}

/* The next strings of the list, as many as the string before them says times each, behind them a NULL. */
static char **commands_take(char **at, const char *end, size_t each, size_t *ret_count)
{
	char *field = commands_next(at, end), **strings;
	size_t count = field ? strtoul(field, NULL, 10) : 0;

	if (!field || count > (size_t)(end - field) ||
	    !(strings = calloc(each * count + 1, sizeof(*strings))))
		give_up("malformed " FRAME_COMMANDS_PATH);
	for (size_t i = 0; i < each * count; i++) {
		strings[i] = commands_next(at, end);
		if (!strings[i])
			give_up("truncated " FRAME_COMMANDS_PATH);
	}
	*ret_count = count;
	return strings;
}

static void run_commands(struct results *results, char *at, size_t size)
{
	char *end = at + size, *field;

	for (uint16_t index = 0; (field = commands_next(&at, end)); index++) {
		struct command command = { .timeout_ms = strtoull(field, NULL, 10) };
		size_t argc;

		command.directory = commands_next(&at, end);
		field = commands_next(&at, end);
		command.wants_files = field && *field == '1';
		command.copies = commands_take(&at, end, 2, &command.copy_count);
		command.argv = commands_take(&at, end, 1, &argc);
		if (!argc)
			give_up("malformed " FRAME_COMMANDS_PATH);
		run_command(results, index, &command);
		free(command.copies);
		free(command.argv);
	}
}

/* Without the system that the commands are to run in there is nothing to do. */
static void enter_root(struct results *results)
{
	char reason[256];

	if (!root_enter(reason, sizeof(reason))) {
		mount_all();
		return;
	}
	results_send(results, FRAME_NO_ROOT, 0, reason, strlen(reason));
	tcdrain(results->fd);
	power_off();
}

int main(void)
{
	static struct results results; /* too big for a careful stack */
	struct utsname name;
	size_t size;
	char *list;

	if (getpid() != 1) {
		fprintf(stderr, "This is the init of stackproof's guests: it runs as process 1.\n");
		return 2;
	}
	setenv("PATH", FRAME_GUEST_PATH, 1);
	mount_all();
	child_signal_init();
	results_open(&results);
	if (uname(&name))
		give_up("uname");
	results_send(&results, FRAME_READY, 0, name.release, strlen(name.release));
	loopback_up();
	list = commands_read(&size);
	if (root_is_wanted())
		enter_root(&results);
	run_commands(&results, list, size);
	results_send(&results, FRAME_DONE, 0, NULL, 0);
	tcdrain(results.fd);
	power_off();
	return 1;
}
