/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_qemu.c - how a guest ended: done, panic, time-out, loss and nonsense, told apart
 *
 * A shell script stands in for QEMU: it is the first of that name in PATH, and writes what the case
 * says to the console, the results and its messages. Nothing is booted. STACKPROOF_ACCEL says that
 * KVM is not to be tried.
 */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/frame.h"
#include "guests/vm/vm.h"

#define PANIC "[    1.0] Kernel panic - not syncing: Attempted to kill init!"

enum told { NOTHING, READY, EXITED, DONE, NONSENSE, NONSENSE_AT_ONCE };

static const struct guest_case {
	const char *name;
	enum told told;	     /* over ttyS1 */
	const char *console; /* ttyS0 */
	const char *message; /* QEMU's own */
	bool hangs;	     /* until it is ended */
	enum guest_outcome outcome;
	const char *says; /* the sentence */
} cases[] = {
	{ "done", DONE, "booted", "", false, GUEST_OK, "" },
	{ "done_and_does_not_power_off", DONE, "booted", "", true, GUEST_OK, "" },
	{ "done_and_then_a_panic", DONE, PANIC, "", false, GUEST_PANIC,
	  "kernel died in its end: " },
	{ "panic_before_init", NOTHING, PANIC, "", false, GUEST_PANIC, "kernel died in /first: " },
	{ "panic_during_a_command", READY, PANIC, "", false, GUEST_PANIC,
	  "kernel died in /first: Kernel panic - not syncing: Attempted to kill init!" },
	{ "panic_and_then_it_hangs", READY, PANIC, "", true, GUEST_PANIC,
	  "kernel died in /first: " },
	{ "panic_and_nonsense", NONSENSE, PANIC, "", false, GUEST_PANIC, "kernel died" },
	{ "nonsense", NONSENSE, "booted", "", false, GUEST_PROTOCOL, "ttyS1, byte " },
	{ "nonsense_at_once", NONSENSE_AT_ONCE, "booted", "", false, GUEST_PROTOCOL,
	  "ttyS1, byte 0: " },
	{ "nonsense_and_then_it_hangs", NONSENSE, "booted", "", true, GUEST_PROTOCOL,
	  "ttyS1, byte " },
	{ "qemu_says_why_not", NOTHING, "", "no such machine", false, GUEST_NOT_STARTED,
	  "QEMU did not start: no such machine" },
	{ "nothing_at_all", NOTHING, "", "", false, GUEST_NO_BOOT,
	  "ended before its init reported" },
	{ "console_and_a_message", NOTHING, "booting", "triple fault", false, GUEST_NO_BOOT,
	  "ended before its init reported: triple fault" },
	{ "no_init_in_time", NOTHING, "booting", "", true, GUEST_NO_BOOT,
	  "did not report within " },
	{ "silent_until_the_time_is_up", NOTHING, "", "a warning", true, GUEST_NO_BOOT,
	  "did not report within " },
	{ "ended_during_a_command", READY, "booted", "", false, GUEST_LOST,
	  "ended during /first without a result" },
	{ "ended_during_the_second_command", EXITED, "booted", "killed", false, GUEST_LOST,
	  "ended during /second without a result: killed" },
	{ "command_that_does_not_end", READY, "booted", "", true, GUEST_TIMEOUT,
	  "still running /first after " },
	{ "second_command_does_not_end", EXITED, "booted", "", true, GUEST_TIMEOUT,
	  "still running /second after " },
};

static void write_frames(enum told told)
{
	static uint8_t frames[8 * FRAME_SIZE_MAX];
	const int32_t code = 3;
	size_t size = 0;
	uint32_t sequence = 0;

	if (told != NOTHING && told != NONSENSE_AT_ONCE)
		size += frame_encode(frames, FRAME_READY, 0, sequence++, "6.1.0", 5);
	if (told == EXITED || told == DONE)
		size += frame_encode(frames + size, FRAME_EXIT, 0, sequence++, &code, sizeof(code));
	if (told == DONE) {
		size += frame_encode(frames + size, FRAME_EXIT, 1, sequence++, &code, sizeof(code));
		size += frame_encode(frames + size, FRAME_DONE, 0, sequence++, NULL, 0);
	}
	if (told == NONSENSE || told == NONSENSE_AT_ONCE) {
		memset(frames + size, 'x', 64);
		size += 64;
	}
	folder_put("frames", frames, size, 0600);
}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	ck_abort_msg("nobody wrote anything");
}

static void on_exit_code(void *context, size_t index, int exit_code)
{
	int *exits = context;

	ck_assert_uint_eq(index, *exits);
	ck_assert_int_eq(exit_code, 3);
	++*exits;
}

static int run_guest(const struct guest_case *c, unsigned timeout_ms, int *ret_exits,
		     struct guest_result *ret)
{
	static char *const first[] = { "/first", NULL }, *const second[] = { "/second", NULL };
	static const struct guest_command commands[] = { { .argv = first }, { .argv = second } };
	const struct guest_callbacks callbacks = { .on_output = on_output,
						   .on_exit = on_exit_code,
						   .context = ret_exits };
	const struct guest_options options = { .kernel_image = "/dev/null",
					       .commands = commands,
					       .command_count = 2,
					       .timeout_ms = timeout_ms };
	struct error error = { 0 };
	int status;

	*ret_exits = 0;
	status = guest_run(&options, &callbacks, ret, &error);
	ck_assert_msg(status == (c->outcome == GUEST_NOT_STARTED ? -1 : 0), "%s: %s", c->name,
		      error.message);
	ck_assert(!status || error.code == ERROR_UNAVAILABLE);
	return status;
}

START_TEST(end_of_a_guest_has_its_name)
{
	const struct guest_case *c = &cases[_i];
	char script[1024], path[4096];
	unsigned timeout_ms = c->hangs ? 1000 : 600000;
	struct guest_result result;
	int exits;

	folder_make();
	write_frames(c->told);
	folder_put("console", c->console, strlen(c->console), 0600);
	folder_put("message", c->message, strlen(c->message), 0600);
	/* The descriptors that qemu.c gives it: console, results. */
	snprintf(script, sizeof(script),
		 "#!/bin/sh\ncd %s || exit\n[ ! -s console ] || { cat console; echo; } >&3\n"
		 "cat frames >&4\ncat message >&2\n: >told\n%s\n",
		 folder, c->hangs ? "exec sleep 1000" : "exit 0");
	folder_put("qemu-system-x86_64", script, strlen(script), 0700);
	snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
	ck_assert(!setenv("PATH", path, 1) && !setenv("STACKPROOF_ACCEL", "tcg", 1) &&
		  !setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1));
	/* One that hangs must have said all before its time is up: on a busy machine it gets
	 * more. */
	do {
		snprintf(path, sizeof(path), "%s/told", folder);
		unlink(path);
		run_guest(c, timeout_ms, &exits, &result);
		timeout_ms *= 2;
	} while (c->hangs && access(in_folder("told"), F_OK) && timeout_ms < 100000);
	ck_assert_msg(result.outcome == c->outcome, "%s: %s, %s", c->name,
		      guest_outcome_name(result.outcome), result.sentence);
	ck_assert_msg(strstr(result.sentence, c->says) && !!*c->says == !!*result.sentence,
		      "%s: %s", c->name, result.sentence);
	ck_assert_int_eq(exits, c->told == DONE ? 2 : c->told == EXITED);
	ck_assert_uint_eq(result.commands_done, exits);
	ck_assert(!result.kvm);
	ck_assert_str_eq(result.release,
			 c->told == NOTHING || c->told == NONSENSE_AT_ONCE ? "" : "6.1.0");
	ck_assert_msg(strstr(result.console_tail, c->console), "%s: %s", c->name,
		      result.console_tail);
	folder_remove();
}
END_TEST

/* 512 MB, and twice the archive's size more if that is large; or as many as are asked for. */
static const struct {
	unsigned asked_mb, file_mb, least_mb, most_mb;
} memory_cases[] = {
	{ 0, 0, 512, 512 },    { 77, 0, 77, 77 },
	{ 0, 50, 512, 512 },   { 0, 65, 512 + 130, 512 + 150 },
	{ 600, 65, 600, 600 },
};

START_TEST(memory_is_for_the_archive)
{
	char script[256], path[4096], big[64];
	struct guest_options options = { .kernel_image = "/dev/null",
					 .timeout_ms = 60000,
					 .memory_mb = memory_cases[_i].asked_mb };
	const struct guest_file file = { .host_path = big, .guest_path = "/big" };
	const struct guest_callbacks callbacks = { .on_output = on_output };
	struct guest_result result;
	struct error error = { 0 };
	unsigned got_mb = 0;

	folder_make();
	snprintf(big, sizeof(big), "%s/big", folder);
	folder_put("big", "", 0, 0600);
	ck_assert(!truncate(big, (off_t)memory_cases[_i].file_mb << 20));
	options.files = &file;
	options.file_count = 1;
	snprintf(script, sizeof(script), "#!/bin/sh\necho \"$*\" >%s/words\n", folder);
	folder_put("qemu-system-x86_64", script, strlen(script), 0700);
	snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
	ck_assert(!setenv("PATH", path, 1) && !setenv("STACKPROOF_ACCEL", "tcg", 1) &&
		  !setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1));
	guest_run(&options, &callbacks, &result, &error);
	snprintf(path, sizeof(path), "%s/words", folder);
	FILE *words = fopen(path, "re");
	ck_assert_ptr_nonnull(words);
	ck_assert_ptr_nonnull(fgets(path, sizeof(path), words));
	fclose(words);
	ck_assert_msg(!strncmp(path, "-accel tcg ", 11), "%s", path);
	ck_assert_int_eq(sscanf(strstr(path, " -m "), " -m %u ", &got_mb), 1);
	ck_assert_msg(got_mb >= memory_cases[_i].least_mb && got_mb <= memory_cases[_i].most_mb,
		      "%u MB", got_mb);
	folder_remove();
}
END_TEST

/* A bzImage whose kernel has the entry for it is unpacked: that is what QEMU gets. */
START_TEST(kernel_is_unpacked_for_qemu)
{
	char script[256], path[4096], kernel[64];
	struct payload {
		Elf64_Ehdr header;
		Elf64_Phdr notes;
		Elf64_Nhdr note;
		char owner[4], entry[8];
	} payload = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = offsetof(struct payload, notes),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 },
		.notes = { .p_type = PT_NOTE,
			   .p_offset = offsetof(struct payload, note),
			   .p_filesz = sizeof(payload) - offsetof(struct payload, note) },
		.note = { 4, 8, 18 },
		.owner = "Xen",
	}, got;
	struct {
		char header[1024];
		struct payload payload;
		char size[4];
	} image = { .payload = payload };
	const uint32_t length = sizeof(payload) + 4;
	struct guest_options options = { .kernel_image = kernel, .timeout_ms = 60000 };
	struct guest_result result;
	struct error error = { 0 };

	memcpy(image.header + 0x202, "HdrS\x0f\x02", 6);
	image.header[0x1f1] = 1;
	memcpy(image.header + 0x24c, &length, sizeof(length));
	folder_make();
	snprintf(kernel, sizeof(kernel), "%s/kernel", folder);
	folder_put("kernel", &image, sizeof(image), 0600);
	snprintf(script, sizeof(script),
		 "#!/bin/sh\ncd %s\necho \"$*\" >words\ncat /proc/self/fd/6 >got\n", folder);
	folder_put("qemu-system-x86_64", script, strlen(script), 0700);
	snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
	ck_assert(!setenv("PATH", path, 1) && !setenv("STACKPROOF_ACCEL", "tcg", 1) &&
		  !setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1));
	guest_run(&options, NULL, &result, &error);
	snprintf(path, sizeof(path), "%s/got", folder);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(&got, 1, sizeof(got), file), sizeof(got));
	fclose(file);
	ck_assert_mem_eq(&got, &payload, sizeof(got));
	snprintf(path, sizeof(path), "%s/words", folder);
	file = fopen(path, "re");
	ck_assert(file && fgets(path, sizeof(path), file));
	fclose(file);
	ck_assert_msg(strstr(path, " -kernel /proc/self/fd/6 ") != NULL, "%s", path);
	folder_remove();
}
END_TEST

/* A service may be started without standard input: the first file that is opened is that, and is
 * closed as any. */
START_TEST(guest_without_standard_input)
{
	char script[256], path[4096];
	static const struct guest_case c = { .name = "no_input", .outcome = GUEST_OK };
	bool open[8], lost = _i;
	struct guest_result result;
	int exits, input;

	folder_make();
	write_frames(lost ? NONSENSE : DONE);
	snprintf(script, sizeof(script), "#!/bin/sh\ncat %s/frames >&4\n", folder);
	folder_put("qemu-system-x86_64", script, strlen(script), 0700);
	snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
	ck_assert(!setenv("PATH", path, 1) && !setenv("STACKPROOF_ACCEL", "tcg", 1) &&
		  !setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1));
	input = dup(STDIN_FILENO);
	close(STDIN_FILENO);
	for (int fd = 0; fd < COUNT(open); fd++)
		open[fd] = fcntl(fd, F_GETFD) >= 0;
	run_guest(&c, 60000, &exits, &result);
	for (int fd = 0; fd < COUNT(open); fd++)
		ck_assert_msg(open[fd] == (fcntl(fd, F_GETFD) >= 0), "%d was left open", fd);
	dup2(input, STDIN_FILENO);
	ck_assert_msg(result.outcome == (lost ? GUEST_PROTOCOL : GUEST_OK), "%s", result.sentence);
	folder_remove();
}
END_TEST

SUITE(qemu, TIMEOUT(300), LOOP(end_of_a_guest_has_its_name, cases),
      LOOP(memory_is_for_the_archive, memory_cases), TEST(kernel_is_unpacked_for_qemu),
      TIMES(guest_without_standard_input, 2))
