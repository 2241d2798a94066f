/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_accelerator.c - when a guest is tried with KVM, and what is done and said if that fails
 *
 * open() is this program's own: /dev/kvm is there or not as a case says. A shell script stands in
 * for QEMU, as in test_qemu.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/accelerator.h"
#include "guests/vm/frame.h"
#include "guests/vm/vm.h"

static bool has_kvm;
static int kvm_flags;
int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	if (!strcmp(path, "/dev/kvm")) {
		kvm_flags = flags;
		errno = ENOENT;
		if (!has_kvm)
			return -1;
		path = "/dev/null";
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void set_up(void)
{
	uint8_t frames[256];
	int32_t code = 0;
	size_t size;

	folder_make();
	setenv("STACKPROOF_CACHE", in_folder("cache"), 1);
	folder_in_path();
	setenv("TEST_FOLDER", folder, 1);
	setenv("STACKPROOF_GUEST_INIT", "/bin/true", 1);
	unsetenv("STACKPROOF_ACCEL");
	size = frame_encode(frames, FRAME_READY, 0, 0, "6.1", 3);
	folder_put("ready", frames, size, 0600);
	size += frame_encode(frames + size, FRAME_EXIT, 0, 1, &code, sizeof(code));
	size += frame_encode(frames + size, FRAME_DONE, 0, 2, NULL, 0);
	folder_put("done", frames, size, 0600);
	/* QEMU does not get it. */
	ck_assert_ptr_nonnull(freopen(in_folder("ready"), "re", stdin));
	has_kvm = true;
}

/* Is a descriptor left open? The next one that is free says it. */
static int next_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

static const struct {
	const char *variable; /* NULL: not set */
	bool kvm, valid;
	enum accelerator_choice choice;
} choices[] = {
	{ NULL, true, true, ACCELERATOR_TRY_KVM },   { NULL, false, true, ACCELERATOR_TCG },
	{ "", true, true, ACCELERATOR_TRY_KVM },     { "", false, true, ACCELERATOR_TCG },
	{ "tcg", true, true, ACCELERATOR_TCG },	     { "kvm", false, true, ACCELERATOR_KVM },
	{ "KVM", true, false, ACCELERATOR_TRY_KVM }, { "kvm2", true, false, ACCELERATOR_TRY_KVM },
};

START_TEST(variable_decides_or_the_device_does)
{
	int before;

	if (choices[_i].variable)
		setenv("STACKPROOF_ACCEL", choices[_i].variable, 1);
	has_kvm = choices[_i].kvm;
	ck_assert(accelerator_name_is_valid(choices[_i].variable) == choices[_i].valid);
	before = next_descriptor();
	ck_assert_int_eq(accelerator_choose(), choices[_i].choice);
	ck_assert_int_eq(next_descriptor(), before);
	if (kvm_flags)
		ck_assert_int_eq(kvm_flags, O_RDWR | O_CLOEXEC);
}
END_TEST

START_TEST(failure_is_remembered_until_the_next_boot)
{
	ck_assert_int_eq(accelerator_choose(), ACCELERATOR_TRY_KVM);
	accelerator_remember_failure();
	ck_assert_int_eq(accelerator_choose(), ACCELERATOR_TCG);
	setenv("STACKPROOF_ACCEL", "kvm", 1);
	ck_assert_int_eq(accelerator_choose(), ACCELERATOR_KVM);
	unsetenv("STACKPROOF_ACCEL");
	ck_assert_uint_eq(strlen(file_text(in_folder("cache/kvm-failed-in-boot"))), 37);
	folder_put("cache/kvm-failed-in-boot", "another boot\n", 13, 0600);
	ck_assert_int_eq(accelerator_choose(), ACCELERATOR_TRY_KVM);
	/* Nowhere to remember it: it is tried again. */
	setenv("STACKPROOF_CACHE", in_folder("done/cache"), 1);
	accelerator_remember_failure();
	ck_assert_int_eq(accelerator_choose(), ACCELERATOR_TRY_KVM);
	unsetenv("STACKPROOF_CACHE");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	accelerator_remember_failure();
	ck_assert_int_eq(accelerator_choose(), ACCELERATOR_TRY_KVM);
}
END_TEST

/* ---- guests ------------------------------------------------------------------------------- */

static void write_qemu(const char *kvm, const char *tcg)
{
	char script[1024];
	int size = snprintf(script, sizeof(script),
			    "#!/bin/sh\ncd \"$TEST_FOLDER\" || exit\n"
			    "[ \"$(readlink /proc/self/fd/0)\" = /dev/null ] || exit\n"
			    "echo \"$1 $2\" >>started\n"
			    "case $2 in\nkvm) %s;;\ntcg) %s;;\nesac\n",
			    kvm, tcg);

	folder_put("qemu-system-x86_64", script, (size_t)size, 0700);
}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	ck_abort_msg("nobody wrote anything");
}

static int run_guest(struct guest_options *options, struct guest_result *ret, struct error *error)
{
	static char *const argv[] = { "/command", NULL };
	static const struct guest_command command = { .argv = argv };
	const struct guest_callbacks callbacks = { .on_output = on_output };

	options->kernel_image = "/dev/null";
	options->commands = &command;
	options->command_count = 1;
	if (!options->timeout_ms)
		options->timeout_ms = 600000;
	return guest_run(options, &callbacks, ret, error);
}

/* What a call writes to standard error. */
static int run_told(struct guest_options *options, struct guest_result *ret, struct error *error,
		    char **ret_told)
{
	size_t size;
	FILE *before = stderr;

	stderr = open_memstream(ret_told, &size);
	int status = run_guest(options, ret, error);
	fclose(stderr);
	stderr = before;
	return status;
}

static const struct {
	const char *name, *variable, *kvm, *tcg, *started, *told;
	int status;
	enum guest_outcome outcome;
	bool by_kvm, remembered;
	const char *sentence;
} guests[] = {
	{ "kvm_does_it", NULL, "cat done >&4", "cat done >&4", "-accel kvm\n", "", 0, GUEST_OK,
	  true, false, "" },
	{ "kvm_gets_as_far_as_init", NULL, "cat ready >&4", "cat done >&4", "-accel kvm\n", "", 0,
	  GUEST_LOST, true, false, "the guest ended during /command without a result" },
	{ "kvm_does_not_start", NULL, "echo 'no register' >&2", "cat done >&4",
	  "-accel kvm\n-accel tcg\n",
	  "stackproof: no guest boots with KVM here, so it is emulated, slowly: QEMU did not "
	  "start: "
	  "no register\n",
	  0, GUEST_OK, false, true, "" },
	{ "kvm_says_something_and_emulation_nothing", NULL, "echo one >&2", "cat ready >&4",
	  "-accel kvm\n-accel tcg\n",
	  "stackproof: no guest boots with KVM here, so it is emulated, slowly: QEMU did not "
	  "start: one\n",
	  0, GUEST_LOST, false, true, "the guest ended during /command without a result" },
	{ "kvm_dies_of_a_panic", NULL, "echo 'Kernel panic - not syncing: x' >&3", "cat done >&4",
	  "-accel kvm\n-accel tcg\n",
	  "stackproof: no guest boots with KVM here, so it is emulated, slowly: the guest's kernel "
	  "died in /command: Kernel panic - not syncing: x\n",
	  0, GUEST_OK, false, true, "" },
	/* It was not KVM, then. */
	{ "neither_starts", NULL, "echo one >&2", "echo two >&2", "-accel kvm\n-accel tcg\n",
	  "stackproof: no guest boots with KVM here, so it is emulated, slowly: QEMU did not "
	  "start: "
	  "one\n",
	  -1, GUEST_NOT_STARTED, false, false, "QEMU did not start: two" },
	{ "kvm_is_asked_for", "kvm", "echo one >&2", "cat done >&4", "-accel kvm\n", "", -1,
	  GUEST_NOT_STARTED, false, false, "QEMU did not start: one" },
	{ "kvm_is_asked_for_and_works", "kvm", "cat done >&4", "echo two >&2", "-accel kvm\n", "",
	  0, GUEST_OK, true, false, "" },
	{ "emulation_is_asked_for", "tcg", "cat done >&4", "cat ready >&4", "-accel tcg\n", "", 0,
	  GUEST_LOST, false, false, "the guest ended during /command without a result" },
};

START_TEST(guest_is_tried_with_kvm_first)
{
	struct guest_options options = { 0 };
	struct guest_result result;
	struct error error = { 0 };
	char *told;

	if (guests[_i].variable)
		setenv("STACKPROOF_ACCEL", guests[_i].variable, 1);
	write_qemu(guests[_i].kvm, guests[_i].tcg);
	int status = run_told(&options, &result, &error, &told);
	ck_assert_msg(status == guests[_i].status, "%s: %s", guests[_i].name, error.message);
	ck_assert_str_eq(told, guests[_i].told);
	ck_assert_str_eq(file_text(in_folder("started")), guests[_i].started);
	ck_assert_int_eq(result.outcome, guests[_i].outcome);
	ck_assert_str_eq(result.sentence, guests[_i].sentence);
	ck_assert_str_eq(error.message, status ? guests[_i].sentence : "");
	ck_assert_int_eq(error.code, status ? ERROR_UNAVAILABLE : ERROR_NONE);
	ck_assert(result.kvm == guests[_i].by_kvm);
	ck_assert(!!*file_text(in_folder("cache/kvm-failed-in-boot")) == guests[_i].remembered);
	free(told);
	/* What was learned is used the next time. */
	if (guests[_i].remembered) {
		folder_put("started", "", 0, 0600);
		ck_assert(!run_told(&options, &result, &error, &told));
		ck_assert_str_eq(file_text(in_folder("started")), "-accel tcg\n");
		ck_assert_str_eq(told, "");
		free(told);
	}
}
END_TEST

/* The console is that of the last try, and also goes to standard error. */
START_TEST(console_is_kept)
{
	struct guest_options options = { .verbose = true };
	struct guest_result result;
	struct error error = { 0 };
	char path[256], *told;
	int before = next_descriptor();

	snprintf(path, sizeof(path), "%s/console", folder);
	folder_put("console", "what was there before, which is longer than what comes", 54, 0600);
	options.console_path = path;
	write_qemu("echo first and longer >&3", "echo second >&3; cat done >&4");
	ck_assert(!run_told(&options, &result, &error, &told));
	ck_assert_str_eq(file_text(in_folder("console")), "second\n");
	ck_assert_str_eq(result.console_tail, "second\n");
	ck_assert_str_eq(told,
			 "first and longer\nstackproof: no guest boots with KVM here, so it is "
			 "emulated, slowly: the guest ended before its init reported\nsecond\n");
	ck_assert_int_eq(next_descriptor(), before);
	free(told);
	snprintf(path, sizeof(path), "%s/nonexistent/console", folder);
	ck_assert_int_eq(run_guest(&options, &result, &error), -1);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_msg(!strncmp(error.message, "can't write /tmp/stackproof-test.", 33), "%s",
		      error.message);
	ck_assert_str_eq(result.sentence, error.message);
	ck_assert_int_eq(result.outcome, GUEST_NOT_STARTED);
	/* One that can't be begun anew. */
	options.console_path = "/dev/null";
	ck_assert_int_eq(run_guest(&options, &result, &error), -1);
	ck_assert_str_eq(error.message, "can't write /dev/null: Invalid argument");
	ck_assert_int_eq(next_descriptor(), before);
}
END_TEST

/* A limit stands in for a full disk, which ends no guest. */
START_TEST(console_that_does_not_fit)
{
	const struct rlimit limit = { 4000000, 4000000 };
	struct guest_options options = { 0 };
	struct guest_result result;
	struct error error = { 0 };
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/console", folder);
	options.console_path = path;
	write_qemu("", "head -c 5000000 /dev/zero >&3; cat done >&4");
	setenv("STACKPROOF_ACCEL", "tcg", 1);
	for (int limited = 0; limited < 2; limited++) {
		ck_assert(!run_guest(&options, &result, &error));
		ck_assert_int_eq(result.outcome, GUEST_OK);
		ck_assert(!stat(path, &st) && st.st_size == (limited ? 4000000 : 5000000));
		ck_assert_int_eq(st.st_mode & 0777, 0644 & ~umask(0));
		ck_assert(!unlink(path));
		signal(SIGXFSZ, SIG_IGN);
		ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
	}
}
END_TEST

/* Somebody wants it to end: it is not tried again. */
START_TEST(guest_that_is_to_be_ended)
{
	struct guest_options options = { 0 };
	struct guest_result result;
	struct error error = { 0 };
	int ends[2];
	FREED char *told = NULL;

	ck_assert(!pipe2(ends, O_CLOEXEC));
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	options.stop_fd = ends[0];
	write_qemu("exec sleep 1000", "cat done >&4");
	if (_i)
		setenv("STACKPROOF_ACCEL", "tcg", 1), write_qemu("", "exec sleep 1000");
	ck_assert(!run_told(&options, &result, &error, &told));
	ck_assert_str_eq(told, ""); /* that it is emulated now: a second one was booted */
	ck_assert_int_eq(result.outcome, GUEST_INTERRUPTED);
	ck_assert_str_eq(result.sentence, "the guest was ended during /command");
	ck_assert(!result.kvm && !result.commands_done);
	ck_assert(!strstr(file_text(in_folder("started")), "tcg") || _i);
}
END_TEST

START_TEST(outcomes_have_names)
{
	static const char *const names[] = { "ok",	"not_started", "no_boot",  "panic",
					     "timeout", "lost",	       "protocol", "interrupted" };

	for (int i = 0; i < COUNT(names); i++)
		ck_assert_str_eq(guest_outcome_name((enum guest_outcome)i), names[i]);
}
END_TEST

SUITE(accelerator, TIMEOUT(300), FIXTURE(set_up, folder_remove),
      LOOP(variable_decides_or_the_device_does, choices),
      TEST(failure_is_remembered_until_the_next_boot), LOOP(guest_is_tried_with_kvm_first, guests),
      TEST(console_is_kept), TEST(console_that_does_not_fit), TIMES(guest_that_is_to_be_ended, 2),
      TEST(outcomes_have_names))
