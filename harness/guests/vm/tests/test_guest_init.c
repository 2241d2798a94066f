/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_init.c - the guest's init, as process 1 of namespaces of its own
 *
 * It is the program itself. A folder is its root, with this machine's /usr in it, and a pseudo terminal is its
 * ttyS1; what it says there is read as the host reads it (guest_channel.c). It is in a user namespace, too: so what
 * it mounts, kills and powers off is its own, also where a line of it is wrong. Where there are no such namespaces
 * the cases say SKIP and pass.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/vm/guest_channel.h"
#include "guests/vm/guest_files.h"
#include "guests/vm/guest_output.h"

#define COMMANDS_MAX 16
#define NO_EXIT	     -1

static char root[64];

/* ---- what it says ------------------------------------------------------------------------- */

struct text {
	char *data;
	size_t size;
};

/* Of each command. */
static struct said {
	struct text out, err, files, copy[4];
	int exit_code; /* NO_EXIT: none */
} said[COMMANDS_MAX];

static struct guest_channel channel;
static struct error channel_error;
static int ended;	   /* its status, as of waitpid(2) */
static char console[4096]; /* its standard error */

static void append(struct text *text, const void *data, size_t size)
{
	text->data = realloc(text->data, text->size + size + 1);
	ck_assert_ptr_nonnull(text->data);
	memcpy(text->data + text->size, data, size);
	text->size += size;
	text->data[text->size] = '\0';
}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	append(stream == GUEST_STDOUT ? &said[index].out : &said[index].err, data, size);
}

static void on_files(void *context, size_t index, const void *data, size_t size)
{
	append(&said[index].files, data, size);
}

static void on_copy(void *context, size_t index, size_t number, const void *data, size_t size)
{
	append(&said[index].copy[number], data, size);
}

static void on_exit_code(void *context, size_t index, int exit_code)
{
	said[index].exit_code = exit_code;
}

static const struct guest_callbacks callbacks = {
	.on_output = on_output, .on_files = on_files, .on_copy = on_copy, .on_exit = on_exit_code
};

static const char *text_of(const struct text *text)
{
	return text->data ? text->data : "";
}

/* ---- its namespaces ----------------------------------------------------------------------- */

static const char *in_root(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void write_root(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(in_root(name), "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert(!fclose(file));
}

static void set_up(void)
{
	static const char *const folders[] = { "dev", "proc", "sys", "tmp", "usr", "old" };

	strcpy(root, "/tmp/test_guest_init.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	for (int i = 0; i < COUNT(folders); i++)
		ck_assert(!mkdir(in_root(folders[i]), 0755));
	write_root("init", "", 0);
	write_root("dev/null", "", 0);
	write_root("dev/ttyS1", "", 0);
	write_root("old/file", "before", 6);
	write_root("old/changed", "before", 6);
	ck_assert(!mkdir(in_root("old/deep"), 0755) && !mkdir(in_root("old/deep/er"), 0755));
	write_root("old/deep/er/file", "y", 1);
	/* When it was written is what somebody says. */
	const struct timespec said_time[2] = { { .tv_sec = 4102444800 }, { .tv_sec = 4102444800 } };
	ck_assert(!utimensat(AT_FDCWD, in_root("old/file"), said_time, 0));
	write_root("input", "it is not for a command\n", 24);
	memset(said, 0, sizeof(said));
	for (int i = 0; i < COMMANDS_MAX; i++)
		said[i].exit_code = NO_EXIT;
}

static void tear_down(void)
{
	char command[128];

	for (int i = 0; i < COMMANDS_MAX; i++) {
		free(said[i].out.data);
		free(said[i].err.data);
		free(said[i].files.data);
		for (int number = 0; number < 4; number++)
			free(said[i].copy[number].data);
	}
	/* What was mounted there was so in another namespace. */
	snprintf(command, sizeof(command), "rm -r --one-file-system %s", root);
	ck_assert_int_eq(system(command), 0);
}

static bool bind(const char *from, const char *name)
{
	return !mount(from, in_root(name), NULL, MS_BIND | MS_REC, NULL);
}

static bool write_map(const char *path, const char *format, unsigned int id)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return false;
	fprintf(file, format, id);
	return !fclose(file);
}

static bool enter_namespaces(void)
{
	unsigned int user = getuid(), group = getgid();

	return !unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET) &&
	       write_map("/proc/self/setgroups", "deny", 0) &&
	       write_map("/proc/self/uid_map", "0 %u 1", user) &&
	       write_map("/proc/self/gid_map", "0 %u 1", group);
}

/* This machine's programs, with what they need; its terminal, unless that is NULL. */
static bool fill_root(const char *init, const char *terminal)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *name;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || !bind("/usr", "usr") ||
	    !bind("/dev/null", "dev/null") || !bind(init, "init") ||
	    (terminal && !bind(terminal, "dev/ttyS1")))
		return false;
	for (size_t i = 0; (name = guest_link_name(i)); i++) {
		snprintf(path, sizeof(path), "/%s", name);
		if (!guest_link_target(name, target, sizeof(target)))
			symlink(target, in_root(name));
		else if (!access(path, F_OK) && (mkdir(in_root(name), 0755) || !bind(path, name)))
			return false;
	}
	return !chroot(root) && !chdir("/");
}

/* As process 1, or as another of the same namespaces. */
static void become_init(bool as_first)
{
	int input = open("/input", O_RDONLY), output = open("/console", O_WRONLY | O_CREAT, 0600);

	if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 ||
	    dup2(output, 2) < 0)
		_exit(98);
	if (!as_first) {
		int status = 0;
		pid_t pid = fork();

		if (pid)
			waitpid(pid, &status, 0), _exit(WEXITSTATUS(status));
	}
	close_range(3, ~0u, 0);
	execl("/init", "/init", NULL);
	_exit(97);
}

/* A process between, which is in none of the namespaces whose first process it starts. What came of
 * that goes to the pipe; nothing, where there are none. */
static void start_init(const char *init, const char *terminal, bool as_first, int result)
{
	int status;
	pid_t pid;

	if (!enter_namespaces() || !fill_root(init, terminal))
		_exit(0);
	/* All of it ends with the test: the first process's end is that of all in its namespace. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become_init(as_first);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid &&
	    write(result, &status, sizeof(status)) != sizeof(status))
		_exit(1);
	_exit(0);
}

static bool interrupts; /* the first command, once it has said something */

static void interrupt_first(int terminal)
{
	const uint8_t byte = FRAME_INTERRUPT;

	if (!interrupts || !said[0].out.size)
		return;
	ck_assert_int_eq(write(terminal, &byte, 1), 1);
	interrupts = false;
}

/* Until its end, and the end of what it says. */
static void listen_to(int terminal, int result)
{
	bool lives = true, bad = false;

	for (;;) {
		struct pollfd fds[] = { { .fd = terminal, .events = POLLIN },
					{ .fd = lives ? result : -1, .events = POLLIN } };
		uint8_t data[4096];
		ssize_t got = 0;

		ck_assert_int_ge(poll(fds, 2, lives ? -1 : 0), 0);
		if (fds[0].revents & POLLIN)
			got = read(terminal, data, sizeof(data));
		if (got > 0 && !bad)
			bad = guest_channel_feed(&channel, data, (size_t)got, &channel_error);
		interrupt_first(terminal);
		if (fds[1].revents)
			lives = false;
		else if (got <= 0 && !lives)
			return;
		else if (got <= 0 && fds[0].revents) /* closed: only its end is waited for */
			poll(NULL, 0, 1);
	}
}

static const char *path_of_init(char ret[PATH_MAX])
{
	char self[PATH_MAX] = "", *harness = NULL;

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	for (char *at = self; (at = strstr(at, "/harness/")); at++)
		harness = at;
	ck_assert_ptr_nonnull(harness);
	snprintf(ret, PATH_MAX, "%.*s/guest_init", (int)(harness - self), self);
	return ret;
}

/* list: of commands, as frame.h has it; NULL: there is none. False: there are no namespaces. */
static bool run_init_as(const char *list, size_t size, size_t commands, bool has_terminal,
			bool as_first)
{
	char init[PATH_MAX], terminal[64] = "";
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), result[2];
	pid_t pid;

	ck_assert(master >= 0 && !grantpt(master) && !unlockpt(master));
	ck_assert(!ptsname_r(master, terminal, sizeof(terminal)) && !pipe2(result, O_CLOEXEC));
	path_of_init(init);
	ck_assert_msg(!access(init, X_OK), "%s", init);
	if (list)
		write_root("stackproof.commands", list, size);
	guest_channel_init(&channel, &callbacks, commands);
	channel_error = (struct error) { 0 };
	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		start_init(init, has_terminal ? terminal : NULL, as_first, result[1]);
	close(result[1]);
	listen_to(master, result[0]);
	bool ran = read(result[0], &ended, sizeof(ended)) == sizeof(ended);
	close(result[0]);
	close(master);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	if (!ran) {
		printf("SKIP: no namespaces for a process 1\n");
		return false;
	}
	FILE *file = fopen(in_root("console"), "re");
	ck_assert_ptr_nonnull(file);
	console[fread(console, 1, sizeof(console) - 1, file)] = '\0';
	fclose(file);
	return true;
}

struct command {
	unsigned timeout_ms;
	const char *directory;
	bool wants_files;
	const char *script; /* of sh(1); or NULL, and: */
	const char *program;
};

static bool run_init(const struct command *commands, size_t count)
{
	FREED char *list = NULL;
	size_t size;
	FILE *file = open_memstream(&list, &size);
	bool ran;

	for (size_t i = 0; i < count; i++) {
		fprintf(file, "%u%c%s%c%d%c0%c%d%c", commands[i].timeout_ms, 0,
			commands[i].directory, 0, commands[i].wants_files, 0, 0,
			commands[i].script ? 3 : 1, 0);
		if (commands[i].script)
			fprintf(file, "/bin/sh%c-c%c%s%c", 0, 0, commands[i].script, 0);
		else
			fprintf(file, "%s%c", commands[i].program, 0);
	}
	ck_assert(!fclose(file));
	ran = run_init_as(list, size, count, true, true);
	return ran;
}

/* Its last act: in a namespace that is this signal (reboot(2)). */
static void ends_well(void)
{
	ck_assert_msg(channel.done && !channel_error.code, "%s; %s", channel_error.message,
		      console);
	ck_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGINT);
}

/* ---- commands ----------------------------------------------------------------------------- */

#define COMMAND(...) .command = { __VA_ARGS__ }

/* One after the other, each with what it wrote and how it ended. */
static const struct {
	const char *name;
	struct command command;
	const char *out, *err;
	int exit_code;
} cases[] = {
	{ "both_streams", COMMAND(0, "/", false, "echo out; echo err >&2; exit 3", NULL), "out\n",
	  "err\n", 3 },
	{ "its_folder_is_made", COMMAND(0, "/made/for/it", false, "pwd", NULL), "/made/for/it\n",
	  "", 0 },
	{ "nothing_of_the_one_before", COMMAND(0, "/", false, "pwd; exit 255", NULL), "/\n", "",
	  255 },
	{ "killed", COMMAND(0, "/", false, "kill -TERM $$", NULL), "", "", 143 },
	{ "no_such_program", COMMAND(0, "/", false, NULL, "/nowhere"), "",
	  "stackproof: /nowhere: No such file or directory\n", 127 },
	{ "below_a_file", COMMAND(0, "/", false, NULL, "/init/x"), "",
	  "stackproof: /init/x: Not a directory\n", 127 },
	{ "no_program", COMMAND(0, "/", false, NULL, "/tmp"), "",
	  "stackproof: /tmp: Permission denied\n", 126 },
	{ "a_folder_that_is_none", COMMAND(0, "/init/x", true, "echo never", NULL), "",
	  "stackproof: /init/x: Not a directory\n", 126 },
	{ "too_slow", COMMAND(2000, "/", false, "echo first; exec sleep 1000", NULL), "first\n", "",
	  124 },
	{ "quick_enough", COMMAND(60000, "/", false, "exit 4", NULL), "", "", 4 },
	{ "no_time_of_the_one_before", COMMAND(0, "/", false, "sleep 0.5", NULL), "", "", 0 },
	{ "nothing_to_read", COMMAND(0, "/", false, "cat", NULL), "", "", 0 },
	{ "environment", COMMAND(0, "/", false, NULL, "/usr/bin/env"),
	  "PATH=" FRAME_GUEST_PATH "\nHOME=/root\nTERM=dumb\nLC_ALL=C.UTF-8\n", "", 0 },
	/* Its streams are closed: its end alone counts. */
	{ "silent", COMMAND(0, "/", false, "exec >&- 2>&-; sleep 0.2; exit 5", NULL), "", "", 5 },
	{ "an_orphan_s_end_is_not_its",
	  COMMAND(0, "/", false, "sh -c '(sleep 0.1; exit 9) &'; sleep 0.4; exit 2", NULL), "", "",
	  2 },
	{ "its_network",
	  COMMAND(0, "/", false, "bash -c ': >/dev/udp/127.0.0.1/9' && echo loops", NULL),
	  "loops\n", "", 0 },
};

START_TEST(commands_are_run_one_by_one)
{
	struct command commands[COUNT(cases)];
	struct utsname name;

	for (int i = 0; i < COUNT(cases); i++)
		commands[i] = cases[i].command;
	if (!run_init(commands, COUNT(cases)))
		return;
	ends_well();
	ck_assert(!uname(&name));
	ck_assert_str_eq(channel.release, name.release);
	for (int i = 0; i < COUNT(cases); i++) {
		ck_assert_msg(!strcmp(text_of(&said[i].out), cases[i].out), "%s: %s", cases[i].name,
			      text_of(&said[i].out));
		ck_assert_msg(!strcmp(text_of(&said[i].err), cases[i].err), "%s: %s", cases[i].name,
			      text_of(&said[i].err));
		ck_assert_msg(said[i].exit_code == cases[i].exit_code, "%s: %d", cases[i].name,
			      said[i].exit_code);
		ck_assert_msg(!said[i].files.size, "%s", cases[i].name);
	}
	/* Once for its folder, and once for its files. */
	ck_assert_str_eq(console, "stackproof init: /init/x: Not a directory\n"
				  "stackproof init: /init/x: Not a directory\n");
}
END_TEST

/* What a command has left running ends with it, wherever that went, and holds nobody up. */
START_TEST(nothing_outlives_its_command)
{
	static const struct command commands[] = {
		{ 0, "/", false, "(sleep 0.4; echo late; : >/tmp/late) & echo here", NULL },
		{ 0, "/", false, "setsid sh -c 'sleep 0.4; : >/tmp/later' & exit 1", NULL },
		{ 200, "/", false, "setsid sh -c 'sleep 0.6; : >/tmp/latest' & wait", NULL },
		{ 0, "/", false, "sleep 0.8; ls /tmp", NULL },
	};

	if (!run_init(commands, COUNT(commands)))
		return;
	ends_well();
	ck_assert_str_eq(text_of(&said[0].out), "here\n");
	ck_assert_int_eq(said[1].exit_code, 1);
	ck_assert_int_eq(said[2].exit_code, 124);
	ck_assert_str_eq(text_of(&said[3].out), "");
	ck_assert_int_eq(said[3].exit_code, 0);
}
END_TEST

/* ^C of the host's goes to who runs, and to what that has started; the next one does not see it. */
START_TEST(an_interrupt_is_the_command_s_that_runs)
{
	static const struct command commands[] = {
		{ 0, "/", false,
		  "trap 'echo caught' INT; sh -c 'trap \"echo child; exit 3\" INT; echo waits; "
		  "while :; do sleep 0.05; "
		  "done'; exit 6",
		  NULL },
		{ 0, "/", false, "sleep 0.2; echo next", NULL },
	};
	bool ran;

	interrupts = true;
	ran = run_init(commands, COUNT(commands));
	interrupts = false;
	if (!ran)
		return;
	ends_well();
	ck_assert_str_eq(text_of(&said[0].out), "waits\nchild\ncaught\n");
	ck_assert_int_eq(said[0].exit_code, 6);
	ck_assert_str_eq(text_of(&said[1].out), "next\n");
	ck_assert_int_eq(said[1].exit_code, 0);
}
END_TEST

/* More than a frame and a pipe hold, and to the last byte; of both streams at once. */
START_TEST(output_is_whole)
{
	static const struct command commands[] = {
		{ 0, "/", false, "yes o | head -c 300001 & yes e | head -c 200001 >&2; wait",
		  NULL },
		{ 0, "/", false, "yes x | head -c 60001", NULL },
		{ 0, "/", false, "exec dd if=/init bs=60001 count=1 status=none >&2", NULL },
		{ 0, "/", false, "printf 'a\\0\\377\\r\\n\\003\\004b'", NULL },
	};

	if (!run_init(commands, COUNT(commands)))
		return;
	ends_well();
	ck_assert_uint_eq(said[0].out.size, 300001);
	ck_assert_uint_eq(said[0].err.size, 200001);
	ck_assert_uint_eq(strspn(said[0].out.data, "o\n"), 300001);
	ck_assert_uint_eq(strspn(said[0].err.data, "e\n"), 200001);
	ck_assert_uint_eq(said[1].out.size, 60001);
	ck_assert_uint_eq(said[2].err.size, 60001);
	ck_assert_uint_eq(said[3].out.size, 8);
	ck_assert_mem_eq(said[3].out.data, "a\0\377\r\n\003\004b", 8);
}
END_TEST

/* A command has a session of its own, no signal that is held back, and three descriptors. */
START_TEST(a_command_is_its_own)
{
	static const struct command commands[] = {
		{ 0, "/", false,
		  "[ -e /proc/self/stat ] || exit 7\n"
		  "read pid name state parent group session rest </proc/$$/stat\n"
		  "[ \"$parent $group $session\" = \"1 $$ $$\" ] || echo $pid $parent $group "
		  "$session\n"
		  "grep -q 'SigBlk:.0000000000000000$' /proc/self/status || echo signals\n"
		  "for fd in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || echo $fd; done; exit 0",
		  NULL },
		{ 0, "/", false, "[ -h /dev/fd ] && [ $(stat -c %a /tmp) = 1777 ] && echo as it is",
		  NULL },
	};

	if (!run_init(commands, COUNT(commands)))
		return;
	ends_well();
	/* 7: no such namespace may have a /proc here. */
	ck_assert(!said[0].exit_code || said[0].exit_code == 7);
	ck_assert_str_eq(text_of(&said[0].out), "");
	ck_assert_str_eq(text_of(&said[1].out), "as it is\n");
}
END_TEST

/* ---- files -------------------------------------------------------------------------------- */

/* What of a command's files came back: each path with its mode, and its content or target. To be freed. */
static char *list_archive(const struct text *archive, size_t index, const char *only)
{
	char folder[128], command[512], *list = NULL;
	size_t size = 0, files;
	struct error error = { 0 };
	FILE *shell;

	snprintf(folder, sizeof(folder), "%s/back%zu", root, index);
	ck_assert_msg(
		!guest_output_unpack(archive->data, archive->size, folder, only, &files, &error),
		"%s", error.message);
	snprintf(command, sizeof(command),
		 "cd %s && find . -mindepth 1 -type f -printf 'f %%m %%P %%s\\n' -o -type l "
		 "-printf 'l %%m %%P %%l\\n' -o -mindepth 1 -printf 'd %%m %%P\\n' | "
		 "LC_ALL=C sort -k3,3",
		 folder);
	shell = popen(command, "re");
	ck_assert_ptr_nonnull(shell);
	if (getdelim(&list, &size, '\0', shell) < 0)
		list[0] = '\0'; /* nothing */
	ck_assert_int_eq(pclose(shell), 0);
	return list;
}

static void expect_files(size_t index, const char *expected)
{
	FREED char *list = list_archive(&said[index].files, index, NULL);

	ck_assert_msg(!strcmp(list, expected), "%zu: %s", index, list);
}

/* Each of two commands in one folder has its own; who wants none has none. */
START_TEST(files_are_those_of_the_command)
{
	static const struct command commands[] = {
		/* What is as old as this begins is new: files of before are older by more than a tick. */
		{ 0, "/old", true,
		  "umask 022; printf 12345 >five; : >empty; mkdir -p d/e d/f; yes 0123456 | head "
		  "-c 40002 >d/e/large; ln -s five link; printf more >>changed; mkfifo pipe; "
		  "printf x >>deep/er/file; chmod 640 five; printf x >d/e/.x; chmod 755 d/e/.x; "
		  "sleep 1.1; touch -d "
		  "2001-02-03 changed; sleep 0.1",
		  NULL },
		{ 0, "/old", false, "printf 1 >unwanted; sleep 0.1", NULL },
		{ 0, "/old", true, "printf 22 >second; chmod 600 empty; rm five; sleep 0.1", NULL },
		{ 0, "/none", true, "sleep 0.1", NULL },
		{ 0, "/dev", true,
		  "printf 1 >shm/elsewhere; printf 333 >here; mkdir of && : >of/it", NULL },
	};
	char command[256];

	usleep(100000);
	if (!run_init(commands, COUNT(commands)))
		return;
	ends_well();
	expect_files(0, "f 644 changed 10\nd 755 d\nd 755 d/e\nf 755 d/e/.x 1\n"
			"f 644 d/e/large 40002\nd 755 d/f\nd 755 deep\nd 755 deep/er\nf 644 "
			"deep/er/file 2\nf 644 empty 0\nf 640 five 5\n"
			"l 777 link five\n");
	snprintf(command, sizeof(command),
		 "cd %s && cmp old/d/e/large back0/d/e/large && cmp old/changed back0/changed",
		 root);
	ck_assert_int_eq(system(command), 0);
	ck_assert_uint_eq(said[1].files.size, 0);
	expect_files(2, "f 600 empty 0\nf 644 second 2\n");
	expect_files(3, "");
	ck_assert_uint_gt(said[3].files.size, 0);
	expect_files(4, "f 644 here 3\nd 755 of\nf 644 of/it 0\n");
}
END_TEST

/* What is named comes whole, however old it is, under the name that it is to have. */
START_TEST(copies_come_by_name)
{
	static const char list[] = "0\0/old\0000\0004\0"
				   "/old/deep\0d\0/old/link\0f\0/nowhere\0n\0/dev/null\0x\0"
				   "3\0sh\0-c\0ln -s file link; mkfifo deep/pipe\0"
				   "0\0/\0000\0000\0001\0nowhere\0";
	static const char *const expected[] = { "d 755 d\nd 755 d/er\nf 644 d/er/file 1\n",
						"f 644 f 6\n", "", "" };

	if (!run_init_as(list, sizeof(list) - 1, 2, true, true))
		return;
	ends_well();
	for (size_t i = 0; i < COUNT(expected); i++) {
		FREED char *names = list_archive(&said[0].copy[i], 10 + i,
						 (const char *[]) { "d", "f", "n", "x" }[i]);

		ck_assert_msg(!strcmp(names, expected[i]), "%zu: %s", i, names);
	}
	ck_assert_str_eq(text_of(&said[0].err),
			 "stackproof: /old/deep: 1 left out, which are neither file nor directory "
			 "nor link\nstackproof: /nowhere: No such file or directory\n"
			 "stackproof: /dev/null: neither a file nor a directory\n");
	/* A name is looked for in PATH. */
	ck_assert_int_eq(said[0].exit_code, 0);
	ck_assert_int_eq(said[1].exit_code, 127);
}
END_TEST

/* ---- what it can't do ----------------------------------------------------------------------- */

#define LIST(text) text, sizeof(text) - 1
#define FIRST                                                                                      \
	"0\0/\0"                                                                                   \
	"0\0"                                                                                      \
	"0\0"                                                                                      \
	"1\0/bin/true\0"
#define SECOND                                                                                     \
	FIRST "0\0/\0"                                                                             \
	      "0\0"                                                                                \
	      "0\0"

static const struct {
	const char *name, *list; /* NULL: there is none */
	size_t size;
	bool no_terminal;
	size_t exits;
	const char *says;
} failures[] = {
	{ "no_list", NULL, 0, false, 0, "/stackproof.commands: No such file or directory\n" },
	{ "no_terminal", LIST(FIRST), true, 0, "/dev/ttyS1: Inappropriate ioctl for device\n" },
	{ "no_words", LIST(SECOND "0\0"), false, 1, "malformed /stackproof.commands: " },
	{ "a_word_less_than_it_says", LIST(SECOND "2\0/bin/true\0"), false, 1,
	  "truncated /stackproof.commands: " },
	{ "more_words_than_bytes", LIST(SECOND "99\0/bin/true\0"), false, 1,
	  "malformed /stackproof.commands: " },
	{ "a_copy_without_a_name", LIST(FIRST "0\0/\0000\0001\0/x\0"), false, 1,
	  "truncated /stackproof.commands: " },
	{ "more_copies_than_bytes", LIST(FIRST "0\0/\0000\00099\0/x\0y\0"), false, 1,
	  "malformed /stackproof.commands: " },
	{ "a_time_alone", LIST(FIRST "7\0"), false, 1, "malformed /stackproof.commands: " },
};

/* It says why, and powers off: the host sees that it was not done. */
START_TEST(what_it_can_not_do_ends_it)
{
	char begins[128];

	if (!run_init_as(failures[_i].list, failures[_i].size, 2, !failures[_i].no_terminal, true))
		return;
	snprintf(begins, sizeof(begins), "stackproof init: %s", failures[_i].says);
	ck_assert_msg(!strncmp(console, begins, strlen(begins)), "%s: %s", failures[_i].name,
		      console);
	ck_assert_msg(!channel.done && !channel_error.code, "%s: %s", failures[_i].name,
		      channel_error.message);
	ck_assert_uint_eq(channel.commands_done, failures[_i].exits);
	ck_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGINT);
}
END_TEST

START_TEST(without_commands_it_is_done)
{
	if (run_init(NULL, 0))
		ends_well();
}
END_TEST

/* It is for process 1 alone: anybody else's files would be mounted over, and processes ended. */
START_TEST(another_process_is_no_init)
{
	if (!run_init_as(FIRST, sizeof(FIRST) - 1, 1, true, false))
		return;
	ck_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 2);
	ck_assert_str_eq(console,
			 "This is the init of stackproof's guests: it runs as process 1.\n");
	ck_assert(!channel.ready && access(in_root("dev/fd"), F_OK));
}
END_TEST

SUITE(guest_init, FIXTURE(set_up, tear_down), TEST(commands_are_run_one_by_one),
      TEST(nothing_outlives_its_command), TEST(an_interrupt_is_the_command_s_that_runs),
      TEST(output_is_whole), TEST(a_command_is_its_own), TEST(files_are_those_of_the_command),
      TEST(copies_come_by_name), LOOP(what_it_can_not_do_ends_it, failures),
      TEST(without_commands_it_is_done), TEST(another_process_is_no_init))
