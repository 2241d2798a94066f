/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_qemu_wait.c - how long a guest is waited for, and what happens when nothing can be started
 *
 * poll(2) and the clock are this test's: each call is kept, and the time stands still, or moves by
 * what a case says. A shell script stands in for QEMU, as in test_qemu.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/frame.h"
#include "guests/vm/vm.h"

#define CALLS_MAX 64

static double now, tick; /* seconds; how much later it is after each poll() */
static bool at_once;	 /* poll() does not wait */
static size_t calls;
static struct call {
	struct pollfd fd[4];
	nfds_t count;
	int timeout;
} call[CALLS_MAX];
static int pipes_left = -1, processes_left = -1; /* below 0: as many as there are */
static bool has_kvm;
static bool no_init;	      /* with KVM: its time passes at the first poll() */
static bool takes_nothing;    /* write() of what begins with ten digits */
static int stop_at_exit = -1; /* written to when a command has ended */
static unsigned heard_ms;     /* when its first output came */

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (now <= 0 || clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	ret->tv_sec = (time_t)now;
	ret->tv_nsec = (long)((now - (double)ret->tv_sec) * 1e9);
	return 0;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (calls < CALLS_MAX) {
		memcpy(call[calls].fd, fds, sizeof(call[0].fd));
		call[calls].count = count;
		call[calls].timeout = timeout;
	}
	calls++;
	if (no_init && timeout == 8000) {
		now += 8;
		return 0;
	}
	int status = (int)syscall(SYS_poll, fds, count, at_once && timeout > 0 ? 0 : timeout);
	now += now > 0 ? tick : 0;
	return status;
}

int pipe2(int ret[2], int flags)
{
	if (pipes_left && (pipes_left < 0 || pipes_left--))
		return (int)syscall(SYS_pipe2, ret, flags);
	errno = EMFILE;
	return -1;
}

pid_t fork(void)
{
	if (processes_left && (processes_left < 0 || processes_left--))
		return _Fork();
	errno = EAGAIN;
	return -1;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	if (!strcmp(path, "/dev/kvm")) {
		if (!has_kvm) {
			errno = ENOENT;
			return -1;
		}
		path = "/dev/null";
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static char *path_before;

static void write_qemu(const char *does)
{
	char script[512];
	int size = snprintf(script, sizeof(script), "#!/bin/sh\ncd %s || exit\n%s\n", folder, does);

	folder_put("qemu-system-x86_64", script, (size_t)size, 0700);
}

static void set_up(void)
{
	uint8_t frames[256];
	int32_t code = 0;
	size_t size;

	folder_make();
	path_before = strdup(getenv("PATH"));
	folder_in_path();
	setenv("STACKPROOF_CACHE", in_folder("cache"), 1);
	setenv("STACKPROOF_GUEST_INIT", "/bin/true", 1);
	setenv("STACKPROOF_ACCEL", "tcg", 1);
	size = frame_encode(frames, FRAME_READY, 0, 0, "6.1", 3);
	folder_put("ready", frames, size, 0600);
	folder_put("said", frames, frame_encode(frames, FRAME_STDOUT, 0, 1, "one", 3), 0600);
	folder_put("more", frames, frame_encode(frames, FRAME_STDOUT, 0, 2, "two", 3), 0600);
	size = frame_encode(frames, FRAME_EXIT, 0, 3, &code, sizeof(code));
	size += frame_encode(frames + size, FRAME_DONE, 0, 4, NULL, 0);
	folder_put("end", frames, size, 0600);
	size = frame_encode(frames, FRAME_READY, 0, 0, "6.1", 3);
	size += frame_encode(frames + size, FRAME_EXIT, 0, 1, &code, sizeof(code));
	size += frame_encode(frames + size, FRAME_DONE, 0, 2, NULL, 0);
	folder_put("done", frames, size, 0600);
	calls = 0;
	now = tick = 0;
	at_once = has_kvm = no_init = takes_nothing = false;
	stop_at_exit = -1;
	heard_ms = 0;
	pipes_left = processes_left = -1;
}

static void tear_down(void)
{
	setenv("PATH", path_before, 1);
	free(path_before);
	now = 0;
	at_once = false;
	pipes_left = processes_left = -1;
	folder_remove();
}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	if (!heard_ms)
		heard_ms = (unsigned)((now - 1024) * 1000);
}

static void on_exit_code(void *context, size_t index, int exit_code)
{
	if (stop_at_exit >= 0)
		ck_assert_int_eq(write(stop_at_exit, "x", 1), 1);
}

static bool times_wanted;
static int interrupt_when_ready = -1;
static uint64_t time_used, time_total; /* when time was told last */
static size_t times, times_running;

static void on_time(void *context, uint64_t used_ms, uint64_t total_ms, bool runs)
{
	ck_assert_uint_ge(used_ms, time_used);
	time_used = used_ms;
	time_total = total_ms;
	times++;
	times_running += runs;
	if (runs && interrupt_when_ready >= 0)
		ck_assert_int_eq(write(interrupt_when_ready, "x", 1), 1);
	interrupt_when_ready = runs ? -1 : interrupt_when_ready;
}

static int run_guest(struct guest_options *options, struct guest_result *ret, struct error *error)
{
	static char *const argv[] = { "/command", NULL };
	static const struct guest_command command = { .argv = argv };
	const struct guest_callbacks callbacks = { .on_output = on_output,
						   .on_exit = on_exit_code,
						   .on_time = times_wanted ? on_time : NULL };

	options->kernel_image = "/dev/null";
	options->commands = &command;
	options->command_count = 1;
	*error = (struct error) { 0 };
	return guest_run(options, &callbacks, ret, error);
}

/* ---- how long ----------------------------------------------------------------------------- */

/* What is left at the first wait, by what is asked for and how it is tried. */
static const struct {
	const char *name, *accelerator; /* NULL: KVM may be tried */
	unsigned timeout_ms;
	int waits;
} waits[] = {
	{ "two_minutes", "tcg", 0, 120000 },
	{ "a_millisecond", "tcg", 1, 1 },
	{ "as_long_as_is_said", "tcg", 7000, 7000 },
	{ "kvm_that_must_do", "kvm", 0, 120000 },
	{ "kvm_that_may_fail", NULL, 0, 8000 },
	{ "kvm_that_may_fail_soon", NULL, 8000, 8000 },
	{ "kvm_that_may_fail_sooner", NULL, 7999, 7999 },
	{ "kvm_that_may_fail_later", NULL, 8001, 8000 },
};

START_TEST(first_wait)
{
	struct guest_options options = { .timeout_ms = waits[_i].timeout_ms };
	struct guest_result result;
	struct error error;

	write_qemu("cat done >&4");
	if (waits[_i].accelerator)
		setenv("STACKPROOF_ACCEL", waits[_i].accelerator, 1);
	else
		unsetenv("STACKPROOF_ACCEL");
	has_kvm = true;
	now = 1024;
	int status = run_guest(&options, &result, &error);
	now = 0;
	ck_assert_msg(!status && result.outcome == GUEST_OK, "%s: %s", waits[_i].name,
		      result.sentence);
	ck_assert_uint_ge(calls, 1);
	ck_assert_msg(call[0].timeout == waits[_i].waits, "%s: %d", waits[_i].name,
		      call[0].timeout);
	ck_assert_int_eq(call[0].count, 5);
	for (int i = 0; i < 3; i++)
		ck_assert(call[0].fd[i].fd >= 0 && call[0].fd[i].events == POLLIN);
	ck_assert(call[0].fd[3].fd == -1 && call[0].fd[3].events == POLLIN);
	ck_assert_uint_eq(result.total_ms, 0);
}
END_TEST

/* It is over at its deadline and not before; each poll() is a second here. */
START_TEST(time_is_up_at_the_deadline)
{
	struct guest_options options = { .timeout_ms = 3000 };
	struct guest_result result;
	struct error error;

	write_qemu("exec sleep 1000");
	now = 1024;
	tick = 1;
	at_once = true;
	int status = run_guest(&options, &result, &error);
	now = 0;
	ck_assert(!status);
	ck_assert_uint_eq(calls, 3);
	ck_assert_int_eq(call[0].timeout, 3000);
	ck_assert_int_eq(call[1].timeout, 2000);
	ck_assert_int_eq(call[2].timeout, 1000);
	ck_assert_int_eq(result.outcome, GUEST_NO_BOOT);
	ck_assert_str_eq(result.sentence, "the guest's init did not report within 3 s");
	ck_assert_uint_eq(result.total_ms, 3000);
}
END_TEST

/* Each word of a guest gives it that time again, in place of what it had to boot. */
START_TEST(silence_counts_from_the_last_word)
{
	struct guest_options options = { .timeout_ms = 20000, .silence_ms = 90000 };
	struct guest_result result;
	struct error error;
	int longest = 0, begun = 0;

	setenv("STACKPROOF_ACCEL", "tcg", 1);
	write_qemu("cat ready >&4; sleep 1; cat said >&4; sleep 1; cat more >&4; sleep 1; cat end "
		   ">&4");
	now = 1024;
	tick = 1;
	int status = run_guest(&options, &result, &error);
	now = 0;
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_int_eq(call[0].timeout, 20000);
	for (size_t i = 1; i < calls && i < CALLS_MAX; i++) {
		longest = call[i].timeout > longest ? call[i].timeout : longest;
		begun += call[i].timeout == 90000;
	}
	ck_assert_int_eq(longest, 90000);
	ck_assert_int_ge(begun, 3);
}
END_TEST

/* Once its init has reported, KVM's own limit is none any more. */
START_TEST(kvm_that_boots_has_all_its_time)
{
	struct guest_options options = { .timeout_ms = 20000 };
	struct guest_result result;
	struct error error;
	bool whole = false;

	unsetenv("STACKPROOF_ACCEL");
	has_kvm = true;
	write_qemu("cat ready >&4; sleep 1; cat done >&4");
	now = 1024;
	int status = run_guest(&options, &result, &error);
	now = 0;
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_int_eq(call[0].timeout, 8000);
	for (size_t i = 1; i < calls && i < CALLS_MAX; i++)
		whole |= call[i].timeout == 20000;
	ck_assert(whole);
	/* No guest passes that said nothing of its end: it was lost after its init. */
	ck_assert_int_ne(result.outcome, GUEST_NO_BOOT);
}
END_TEST

/* ---- a second time, without KVM ------------------------------------------------------------ */

#define NO_BOOT "echo no such machine >&2"
#define HANGS	"exec sleep 1000"

/* What the first guest does and the second; of the first nothing is left. */
static const struct {
	const char *name, *accelerator; /* NULL: KVM may be tried */
	const char *first, *second;
	bool stops;
	int guests;
	enum guest_outcome outcome;
	const char *says;
	bool kvm, remembered;
} attempts[] = {
	{ "kvm_that_boots", NULL, "cat done >&4", NO_BOOT, false, 1, GUEST_OK, "", true, false },
	{ "kvm_that_boots_and_is_lost", NULL, "cat ready >&4", "cat done >&4", false, 1, GUEST_LOST,
	  "the guest ended during /command without a result", true, false },
	{ "kvm_that_says_why_not", NULL, NO_BOOT, "cat done >&4", false, 2, GUEST_OK, "", false,
	  true },
	{ "kvm_that_panics", NULL, "echo 'Kernel panic - not syncing: x' >&3", "cat done >&4",
	  false, 2, GUEST_OK, "", false, true },
	{ "kvm_that_talks_nonsense", NULL, "head -c 100 /dev/zero >&4", "cat done >&4", false, 2,
	  GUEST_OK, "", false, true },
	{ "neither_boots", NULL, NO_BOOT "; echo and more >&2", "echo no memory >&2", false, 2,
	  GUEST_NO_BOOT, "the guest ended before its init reported: no memory", false, false },
	{ "neither_boots_and_the_second_says_nothing", NULL, NO_BOOT, ":", false, 2, GUEST_NO_BOOT,
	  "the guest ended before its init reported", false, false },
	{ "kvm_without_init_in_time", NULL, HANGS, "echo no memory >&2", false, 2, GUEST_NO_BOOT,
	  "the guest ended before its init reported: no memory", false, false },
	{ "kvm_that_must_do", "kvm", NO_BOOT, "cat done >&4", false, 1, GUEST_NO_BOOT,
	  "the guest ended before its init reported: no such machine", false, false },
	{ "emulation", "tcg", "cat done >&4", NO_BOOT, false, 1, GUEST_NO_BOOT,
	  "the guest ended before its init reported: no such machine", false, false },
	{ "kvm_that_is_stopped", NULL, HANGS, "cat done >&4", true, 1, GUEST_INTERRUPTED,
	  "the guest was ended during /command", false, false },
};

/* The lines of a file, each of which is a guest's word; "" if there is none. */
static void read_back(const char *name, char *ret, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	ret[file ? fread(ret, 1, size - 1, file) : 0] = '\0';
	if (file)
		fclose(file);
}

START_TEST(nothing_is_left_of_the_first_attempt)
{
	struct guest_options options = { .timeout_ms = 20000 };
	char script[400], console[128], started[64], text[2048];
	struct guest_result result;
	struct error error;
	int both[2], status;

	snprintf(script, sizeof(script),
		 "echo x >>started\n"
		 "case \"$*\" in *'-accel kvm'*) ;; *) echo second >&3; %s; exit;; esac\n"
		 "echo \"$*\" >words; echo of the first guest >&3; %s",
		 attempts[_i].second, attempts[_i].first);
	no_init = !attempts[_i].stops && !strcmp(attempts[_i].first, HANGS);
	write_qemu(script);
	snprintf(console, sizeof(console), "%s/console", folder);
	options.console_path = console;
	if (attempts[_i].accelerator)
		setenv("STACKPROOF_ACCEL", attempts[_i].accelerator, 1);
	else
		unsetenv("STACKPROOF_ACCEL");
	ck_assert(!pipe2(both, O_CLOEXEC));
	if (attempts[_i].stops) {
		ck_assert_int_eq(write(both[1], "x", 1), 1);
		options.stop_fd = both[0];
	}
	has_kvm = true;
	processes_left = attempts[_i].guests; /* another would be an error */
	now = 1024;
	status = run_guest(&options, &result, &error);
	now = 0;
	ck_assert_msg(!status, "%s: %s", attempts[_i].name, error.message);
	ck_assert_msg(result.outcome == attempts[_i].outcome, "%s: %s, %s", attempts[_i].name,
		      guest_outcome_name(result.outcome), result.sentence);
	ck_assert_msg(!strcmp(result.sentence, attempts[_i].says), "%s: %s", attempts[_i].name,
		      result.sentence);
	ck_assert_msg(result.kvm == attempts[_i].kvm, "%s", attempts[_i].name);
	read_back("started", started, sizeof(started));
	if (!attempts[_i].stops && !no_init) /* else it may not have come so far */
		ck_assert_msg((int)strlen(started) == 2 * attempts[_i].guests, "%s: %s",
			      attempts[_i].name, started);
	read_back("cache/kvm-failed-in-boot", text, sizeof(text));
	ck_assert_msg(!!text[0] == attempts[_i].remembered, "%s: %s", attempts[_i].name, text);
	read_back("console", text, sizeof(text));
	if (attempts[_i].guests == 2) {
		ck_assert_msg(!strcmp(text, "second\n"), "%s: %s", attempts[_i].name, text);
		ck_assert_msg(!strstr(result.console_tail, "first"), "%s: %s", attempts[_i].name,
			      result.console_tail);
	}
	/* How fast the clock is, a guest is told that is emulated. */
	read_back("words", text, sizeof(text));
	ck_assert_msg(!strstr(text, "tsc_early_khz"), "%s: %s", attempts[_i].name, text);
	close(both[0]);
	close(both[1]);
}
END_TEST

/* Each poll() is a second: when its init said so, when its first output came, and the end. */
START_TEST(times_are_of_the_first_time)
{
	struct guest_options options = { .timeout_ms = 600000 };
	struct guest_result result;
	struct error error;
	int status;

	write_qemu("cat ready >&4; sleep 0.2; cat said >&4; sleep 0.2; cat more >&4; sleep 0.2; "
		   "cat end >&4");
	now = 1024;
	tick = 1;
	status = run_guest(&options, &result, &error);
	now = tick = 0;
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_msg(result.outcome == GUEST_OK, "%s", result.sentence);
	ck_assert_uint_ge(result.boot_ms, 1000);
	ck_assert_uint_le(result.boot_ms, result.first_output_ms);
	ck_assert_uint_eq(result.first_output_ms, heard_ms);
	ck_assert_uint_le(heard_ms, result.total_ms);
}
END_TEST

/* It is ended: it would not end itself. */
START_TEST(nonsense_is_not_listened_to)
{
	struct guest_options options = { .timeout_ms = 20000 };
	struct guest_result result;
	struct error error;
	int status;

	write_qemu("head -c 100 /dev/zero >&4; " HANGS);
	now = 1024;
	status = run_guest(&options, &result, &error);
	now = tick = 0;
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_int_eq(result.outcome, GUEST_PROTOCOL);
}
END_TEST

/* The guest gets one byte, and goes on; one that has not said that it runs is ended. */
static const struct {
	const char *name, *script;
	enum guest_outcome outcome;
} interrupts[] = {
	{ "a_command", "cat ready >&4; head -c 1 <&8 >got; cat said more end >&4", GUEST_OK },
	{ "none_runs", HANGS, GUEST_INTERRUPTED },
	{ "it_does_not_hear",
	  "cat ready >&4; head -c 1 <&8 >got; while :; do sleep 0.1; echo x >&3; done",
	  GUEST_TIMEOUT },
};

START_TEST(an_interrupt_is_handed_on)
{
	struct guest_options options = { .timeout_ms = 600000 };
	struct guest_result result;
	struct error error;
	int both[2], status;
	char got[16];

	ck_assert(!pipe2(both, O_CLOEXEC));
	if (_i == 1)
		ck_assert_int_eq(write(both[1], "x", 1), 1);
	else
		interrupt_when_ready = both[1];
	options.interrupt_fd = both[0];
	times_wanted = true;
	time_used = times = times_running = 0;
	write_qemu(interrupts[_i].script);
	now = 1024;
	tick = 3;
	status = run_guest(&options, &result, &error);
	now = tick = 0;
	times_wanted = false;
	interrupt_when_ready = -1;
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_msg(result.outcome == interrupts[_i].outcome, "%s: %s", interrupts[_i].name,
		      result.sentence);
	read_back("got", got, sizeof(got));
	ck_assert_str_eq(got, _i == 1 ? "" : "\x03");
	ck_assert_uint_gt(times, 0);
	ck_assert((times_running > 0) == (_i != 1));
	/* It has two minutes from then. */
	if (interrupts[_i].outcome == GUEST_TIMEOUT)
		ck_assert(time_total >= 120000 && time_total < 600000);
	close(both[0]);
	close(both[1]);
}
END_TEST

/* It had said that it was done. */
START_TEST(what_is_stopped_behind_its_end_is_well)
{
	struct guest_options options = { .timeout_ms = 20000 };
	struct guest_result result;
	struct error error;
	int both[2], status;

	ck_assert(!pipe2(both, O_CLOEXEC));
	options.stop_fd = both[0];
	stop_at_exit = both[1];
	write_qemu("cat done >&4; " HANGS);
	now = 1024;
	status = run_guest(&options, &result, &error);
	now = tick = 0;
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_msg(result.outcome == GUEST_OK, "%s", result.sentence);
}
END_TEST

/* A guest that is done has three seconds to power off, or what is left. */
static const struct {
	unsigned timeout_ms;
	int waits;
} ends[] = { { 60000, 3000 }, { 3001, 3000 }, { 3000, 3000 }, { 2999, 2999 }, { 1000, 1000 } };

START_TEST(power_off_has_its_time)
{
	struct guest_options options = { .timeout_ms = ends[_i].timeout_ms };
	struct guest_result result;
	struct error error;

	write_qemu("cat done >&4; sleep 0.2; echo x >&3");
	now = 1024;
	int status = run_guest(&options, &result, &error);
	now = 0;
	ck_assert(!status);
	ck_assert_int_eq(result.outcome, GUEST_OK);
	ck_assert_uint_ge(calls, 2);
	ck_assert_int_eq(call[0].timeout, (int)ends[_i].timeout_ms);
	ck_assert_int_eq(call[calls - 1].timeout, ends[_i].waits);
	for (size_t i = 1; i < calls; i++)
		ck_assert(call[i].timeout == ends[_i].waits ||
			  call[i].timeout == (int)ends[_i].timeout_ms);
}
END_TEST

START_TEST(stop_descriptor_is_waited_for)
{
	struct guest_options options = { .timeout_ms = 60000 };
	struct guest_result result;
	struct error error;
	int both[2];

	ck_assert(!pipe2(both, O_CLOEXEC));
	options.stop_fd = both[0];
	write_qemu("cat done >&4");
	ck_assert(!run_guest(&options, &result, &error));
	ck_assert_int_eq(call[0].fd[3].fd, both[0]);
	ck_assert_int_eq(result.outcome, GUEST_OK);
	/* Standard input is none, whatever it is. */
	int input = dup(STDIN_FILENO), nothing = open("/dev/null", O_RDONLY);
	dup2(nothing, STDIN_FILENO);
	options.stop_fd = 0;
	int status = run_guest(&options, &result, &error);
	dup2(input, STDIN_FILENO);
	ck_assert(!status && result.outcome == GUEST_OK);
	/* Any other is one. */
	int output = dup(STDOUT_FILENO);
	fflush(stdout);
	dup2(both[0], STDOUT_FILENO);
	options.stop_fd = STDOUT_FILENO;
	calls = 0;
	status = run_guest(&options, &result, &error);
	dup2(output, STDOUT_FILENO);
	ck_assert(!status && call[0].fd[3].fd == STDOUT_FILENO);
	close(output);
	close(both[0]);
	close(both[1]);
	close(input);
	close(nothing);
}
END_TEST

/* ---- what QEMU is given ------------------------------------------------------------------- */

/* Its output is a message as its errors are; of both only so much is kept. */
START_TEST(messages_of_both_streams)
{
	struct guest_options options = { .timeout_ms = 60000 };
	struct guest_result result;
	struct error error;

	write_qemu("echo one; echo two >&2; read line || echo three");
	ck_assert_int_eq(run_guest(&options, &result, &error), -1);
	ck_assert_str_eq(error.message, "QEMU did not start: one two three");
	write_qemu("head -c 100000 /dev/zero | tr '\\0' x; echo y");
	ck_assert_int_eq(run_guest(&options, &result, &error), -1);
	ck_assert_msg(!strncmp(error.message, "QEMU did not start: xxxx", 24), "%s", error.message);
	ck_assert_int_eq(error.message[strlen(error.message) - 1], 'x');
}
END_TEST

START_TEST(there_is_no_qemu)
{
	struct guest_options options = { .timeout_ms = 60000 };
	struct guest_result result;
	struct error error;

	setenv("PATH", "/nowhere", 1);
	ck_assert_int_eq(run_guest(&options, &result, &error), -1);
	ck_assert_str_eq(error.message,
			 "QEMU did not start: qemu-system-x86_64: No such file or directory");
	ck_assert_str_eq(result.sentence, error.message);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
}
END_TEST

/* The lowest descriptor that is free. */
static int next_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

START_TEST(nothing_can_be_started)
{
	struct guest_options options = { .timeout_ms = 60000 };
	struct guest_result result;
	struct error error;
	int before = next_descriptor();

	write_qemu("cat done >&4");
	for (pipes_left = 0; pipes_left < 3;) {
		int asked = pipes_left;

		ck_assert_int_eq(run_guest(&options, &result, &error), -1);
		ck_assert_str_eq(error.message, "pipe: Too many open files");
		ck_assert_int_eq(error.code, ERROR_SYSTEM);
		ck_assert_str_eq(result.sentence, error.message);
		ck_assert_int_eq(result.outcome, GUEST_NOT_STARTED);
		ck_assert_int_eq(next_descriptor(), before);
		pipes_left = asked + 1;
	}
	pipes_left = -1;
	processes_left = 0;
	ck_assert_int_eq(run_guest(&options, &result, &error), -1);
	ck_assert_str_eq(error.message, "fork: Resource temporarily unavailable");
	ck_assert_int_eq(result.outcome, GUEST_NOT_STARTED);
	ck_assert_int_eq(next_descriptor(), before);
	/* Nor a second time, where KVM was tried. */
	processes_left = 1;
	has_kvm = true;
	unsetenv("STACKPROOF_ACCEL");
	write_qemu("echo no >&2");
	ck_assert_int_eq(run_guest(&options, &result, &error), -1);
	ck_assert_str_eq(error.message, "fork: Resource temporarily unavailable");
	processes_left = -1;
	ck_assert_int_eq(next_descriptor(), before);
}
END_TEST

static size_t most_at_once; /* bytes of a write(); 0: as many as they are */
static int interrupted;	    /* so often before */

ssize_t write(int fd, const void *data, size_t size)
{
	if (interrupted > 0 && interrupted--) {
		errno = EINTR;
		return -1;
	}
	if (takes_nothing && size > 9 && !memcmp(data, "0123456789", 10))
		return 0;
	if (most_at_once && size > most_at_once)
		size = most_at_once;
	return syscall(SYS_write, fd, data, size);
}

/* In as many parts as it takes; and its descriptor may be the first. */
START_TEST(console_is_kept_in_parts)
{
	struct guest_options options = { .timeout_ms = 60000 };
	struct guest_result result;
	struct error error;
	char path[128], text[64] = "";
	int input = dup(STDIN_FILENO);
	FILE *file;

	snprintf(path, sizeof(path), "%s/console", folder);
	options.console_path = path;
	write_qemu("echo 0123456789abcdef >&3; cat done >&4");
	close(STDIN_FILENO);
	most_at_once = 3;
	interrupted = 2;
	int status = run_guest(&options, &result, &error);
	most_at_once = 0;
	interrupted = 0;
	int next = dup(input);
	dup2(input, STDIN_FILENO);
	ck_assert_msg(!status && result.outcome == GUEST_OK, "%s", error.message);
	ck_assert_int_eq(next, STDIN_FILENO);
	close(input);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(text, 1, sizeof(text) - 1, file), 17);
	fclose(file);
	ck_assert_str_eq(text, "0123456789abcdef\n");
}
END_TEST

/* Where it can't be kept the guest goes on. */
START_TEST(console_that_can_not_be_kept)
{
	struct guest_options options = { .timeout_ms = 60000 };
	struct guest_result result;
	struct error error;
	char path[128];

	snprintf(path, sizeof(path), "%s/console", folder);
	options.console_path = path;
	write_qemu("echo 0123456789abcdef >&3; cat done >&4");
	takes_nothing = true;
	int status = run_guest(&options, &result, &error);
	takes_nothing = false;
	ck_assert_msg(!status && result.outcome == GUEST_OK, "%s", error.message);
	ck_assert_str_eq(result.console_tail, "0123456789abcdef\n");
}
END_TEST

SUITE(qemu_wait, FIXTURE(set_up, tear_down), LOOP(first_wait, waits),
      TEST(time_is_up_at_the_deadline), TEST(kvm_that_boots_has_all_its_time),
      TEST(silence_counts_from_the_last_word), LOOP(nothing_is_left_of_the_first_attempt, attempts),
      TEST(times_are_of_the_first_time), LOOP(an_interrupt_is_handed_on, interrupts),
      TEST(nonsense_is_not_listened_to), TEST(what_is_stopped_behind_its_end_is_well),
      LOOP(power_off_has_its_time, ends), TEST(stop_descriptor_is_waited_for),
      TEST(messages_of_both_streams), TEST(console_is_kept_in_parts),
      TEST(console_that_can_not_be_kept), TEST(there_is_no_qemu), TEST(nothing_can_be_started))
