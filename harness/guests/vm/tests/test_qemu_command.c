/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_qemu_command.c - the command line that starts a guest, word for word and for a shell
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "guests/vm/qemu_command.h"

#define PARAMETERS                                                                                 \
	"console=ttyS0 quiet loglevel=5 panic=-1 mitigations=off lpj=4000000 cryptomgr.notests "   \
	"random.trust_cpu=on no_timer_check"
#define WORDS(accelerator, cpu, memory, cpus, tsc, disk)                                           \
	"qemu-system-x86_64\n-accel\n" accelerator                                                 \
	"\n-machine\nq35,vmport=off,i8042=off\n-cpu\n" cpu "\n-m\n" memory "\n-smp\n" cpus         \
	"\n-nodefaults\n-no-user-config\n-display\nnone\n"                                         \
	"-no-reboot\n-kernel\n/k\n-initrd\n/i\n-append\n" PARAMETERS tsc                           \
	"\n-chardev\nfile,id=console,path=/c\n-serial\nchardev:console\n"                          \
	"-chardev\nfile,id=results,path=/r\n-serial\nchardev:results\n" disk
#define EMULATED "max,la57=off,smap=off,smep=off,umip=off,erms=off,fsrm=off"

static const struct {
	unsigned memory_mb, tsc_khz;
	bool kvm;
	unsigned cpus;
	const char *disk;
	const char *words;
} builds[] = {
	{ 512, 0, true, 0, NULL, WORDS("kvm", "max", "512", "1", "", "") },
	{ 4096, 0, false, 1, NULL, WORDS("tcg", EMULATED, "4096", "1", "", "") },
	{ 1, 1, false, 2, NULL, WORDS("tcg", EMULATED, "1", "2", " tsc_early_khz=1", "") },
	{ 640, 2400000, true, 255, "/d",
	  WORDS("kvm", "max", "640", "255", " tsc_early_khz=2400000",
		"-drive\nfile=/d,if=none,id=root,format=raw,snapshot=on\n"
		"-device\nnvme,drive=root,serial=root\n") },
};

START_TEST(test_words)
{
	struct qemu_settings settings = { .kernel = "/k",
					  .initrd = "/i",
					  .console = "/c",
					  .results = "/r",
					  .memory_mb = builds[_i].memory_mb,
					  .tsc_khz = builds[_i].tsc_khz,
					  .cpus = builds[_i].cpus,
					  .disk = builds[_i].disk,
					  .kvm = builds[_i].kvm };
	struct qemu_command command;
	char words[2048] = "";

	/* What was there before is no part of it. */
	memset(&command, 0x5a, sizeof(command));
	for (int times = 0; times < 2; times++) {
		qemu_command_build(&command, &settings);
		words[0] = '\0';
		for (int i = 0; i < command.argc; i++) {
			strcat(words, command.argv[i]);
			strcat(words, "\n");
		}
		ck_assert_str_eq(words, builds[_i].words);
		ck_assert_ptr_null(command.argv[command.argc]);
	}
}
END_TEST

/* An unpacked program is started by its own linker, with its own libraries; a plugin is the last. */
START_TEST(test_emulator)
{
	struct qemu_settings settings = {
		.emulator = "/e",
		.plugin = "/p,a=b",
		.kernel = "/k",
		.initrd = "/i",
		.console = "/c",
		.results = "/r",
	};
	struct qemu_command command;

	qemu_command_build(&command, &settings);
	ck_assert_str_eq(command.argv[0], "/e/usr/bin/ld-linux-x86-64.so.2");
	ck_assert_str_eq(command.argv[1], "--library-path");
	ck_assert_str_eq(command.argv[2], "/e/usr/lib/x86_64-linux-gnu");
	ck_assert_str_eq(command.argv[3], "/e/usr/bin/qemu-system-x86_64");
	ck_assert_str_eq(command.argv[4], "-accel");
	ck_assert_str_eq(command.argv[command.argc - 2], "-plugin");
	ck_assert_str_eq(command.argv[command.argc - 1], "/p,a=b");
}
END_TEST

/* What ttyS1 reads has a path of its own. */
START_TEST(test_input)
{
	struct qemu_settings settings = {
		.kernel = "/k", .initrd = "/i", .console = "/c", .results = "/r", .input = "/in"
	};
	struct qemu_command command;
	int found = 0;

	qemu_command_build(&command, &settings);
	for (int i = 0; i < command.argc; i++)
		found += !strcmp(command.argv[i], "file,id=results,path=/r,input-path=/in");
	ck_assert_int_eq(found, 1);
}
END_TEST

/* Paths of the longest kind: all of them fit. */
START_TEST(test_long_paths)
{
	static char path[700];
	struct qemu_settings settings = {
		.kernel = path,
		.initrd = path,
		.console = path,
		.results = path,
		.emulator = path,
		.plugin = path,
		.tsc_khz = 1,
	};
	struct qemu_command command;
	int found = 0;

	memset(path, 'a', sizeof(path) - 1);
	qemu_command_build(&command, &settings);
	for (int i = 0; i < command.argc; i++)
		found += strstr(command.argv[i], path) != NULL;
	ck_assert_int_eq(found, 8);
	ck_assert_str_eq(command.argv[command.argc - 1], path);
}
END_TEST

/* Each word alone, between two others. */
static const struct {
	char *word;
	const char *quoted;
} prints[] = {
	{ "plain", "plain" },
	{ "/a-b_c.d,e=f:g+h%i@j", "/a-b_c.d,e=f:g+h%i@j" },
	{ "", "''" },
	{ "two words", "'two words'" },
	{ "a\tb", "$'a\\tb'" },
	{ "a\nb", "$'a\\nb'" },
	{ "it's", "'it'\\''s'" },
	{ "''", "''\\'''\\'''" },
	{ "\"", "'\"'" },
	{ "$HOME", "'$HOME'" },
	{ "a&b", "'a&b'" },
	{ "a;b", "'a;b'" },
	{ "a|b", "'a|b'" },
	{ "a<b", "'a<b'" },
	{ "a>b", "'a>b'" },
	{ "a(b", "'a(b'" },
	{ "a)b", "'a)b'" },
	{ "a*b", "'a*b'" },
	{ "a?b", "'a?b'" },
	{ "a[b", "'a[b'" },
	{ "a]b", "'a]b'" },
	{ "#b", "'#b'" },
	{ "~b", "'~b'" },
	{ "a`b", "'a`b'" },
	{ "a\\b", "'a\\b'" },
};

START_TEST(test_print)
{
	for (int i = 0; i < COUNT(prints); i++) {
		struct qemu_command command = { .argv = { "first", prints[i].word, "last" },
						.argc = 3 };
		char *text = NULL, expected[128];
		size_t size;
		FILE *file = open_memstream(&text, &size);

		qemu_command_print(&command, file);
		fclose(file);
		snprintf(expected, sizeof(expected), "first %s last\n", prints[i].quoted);
		ck_assert_str_eq(text, expected);
		free(text);
	}
}
END_TEST

SUITE(qemu_command, LOOP(test_words, builds), TEST(test_emulator), TEST(test_input),
      TEST(test_long_paths), TEST(test_print))
