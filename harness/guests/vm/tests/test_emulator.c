/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_emulator.c - a QEMU's way from a mirror into the cache, and which plugin it accepts; no network
 *
 * A shell script stands in for apt-get (kernel_archive.h), others for the program and its linker. The program says of a
 * plugin's object what the file `accepts` in the test's folder has for it: QEMU's way to say no is a sentence and a
 * status.
 */
#include <sys/wait.h>
#include "tests/suite.h"
#include "kernel_archive.h"

#define SUITE_NAME "bookworm-backports"
#define PROGRAM                                                                                    \
	"#!/bin/sh\n"                                                                              \
	"case \"$*\" in\n"                                                                         \
	"'-nodefaults -no-user-config -display none -machine none -plugin '*) ;;\n"                \
	"*) exit 9;;\n"                                                                            \
	"esac\n"                                                                                   \
	"api=$(sed -n 1p \"$TEST_ARCHIVE/accepts\")\n"                                             \
	"case \"$*\" in *\"-$api.so,probe=on\") echo \"plugin API $api\"; exit;; esac\n"           \
	"echo \"$0: plugin requires another version\"\nexit 1\n"
#define LINKER                                                                                     \
	"#!/bin/sh\n[ \"$1 ${2##*/emulators/}\" = \"--library-path ${2##*/emulators/}\" ] || "     \
	"exit 8\nshift 2\nexec \"$@\"\n"

static const struct content program[] = {
	{ "./usr/bin/qemu-system-x86_64", NULL, 0, PROGRAM },
	{ "./usr/bin/qemu-system-i386", NULL, 0, NULL },
	{ "./usr/share/doc/qemu-system-x86/copyright", NULL, 0, NULL },
	{ "./usr/lib/x86_64-linux-gnu/qemu/ui.so", NULL, 0, NULL },
};
static const struct content libraries[] = {
	{ "./lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", NULL, 0, LINKER },
	{ "./lib/x86_64-linux-gnu/libc.so.6", NULL, 0, NULL },
	{ "./usr/lib/x86_64-linux-gnu/libz.so.1", NULL, S_IFLNK, NULL },
	{ "./usr/lib/x86_64-linux-gnu/gconv/X.so", NULL, 0, NULL },
	{ "./lib64/ld-linux-x86-64.so.2", NULL, S_IFLNK, NULL },
	{ "./usr/share/seabios/bios.bin", NULL, 0, NULL },
	{ "./usr/share/qemu/../../../../../out", NULL, 0, NULL },
};

static const char *const unpacked[] = {
	"usr/bin/qemu-system-x86_64",
	"usr/bin/ld-linux-x86-64.so.2",
	"usr/lib/x86_64-linux-gnu/qemu/ui.so",
	"usr/lib/x86_64-linux-gnu/libc.so.6",
	"usr/lib/x86_64-linux-gnu/libz.so.1",
	"usr/share/seabios/bios.bin",
	"origin",
};

static const char *file_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/cache/emulators/" SUITE_NAME "/%s", folder, name);
	return path;
}

/* How many files and links the cache has of the emulator. */
static int cached(void)
{
	char command[256], text[32] = "";

	snprintf(command, sizeof(command), "find %s/cache/emulators ! -type d 2>/dev/null | wc -l",
		 folder);
	FILE *pipe = popen(command, "re");
	ck_assert(fgets(text, sizeof(text), pipe) != NULL);
	pclose(pipe);
	return atoi(text);
}

/* The archive has the program in this version; count: of libraries' files. */
static void write_archive(const char *version, size_t count)
{
	char name[80];

	ck_assert(!system("rm -rf \"$TEST_ARCHIVE\"/all && mkdir \"$TEST_ARCHIVE\"/all"));
	snprintf(name, sizeof(name), "all/qemu-system-x86_%s_amd64", version);
	write_deb(name, "data.tar.xz", program, COUNT(program), 0);
	write_deb("all/libraries_1_amd64", "data.tar.xz", libraries, count, 0);
}

static void begin(void)
{
	set_up();
	setenv("STACKPROOF_PLUGINS", folder, 1);
	write_text("p-4.so", ""), write_text("p-7.so", "");
	write_text("count-4.so", ""), write_text("count-7.so", "");
	write_text("uris", MAIN_MIRROR);
	write_text("m_debian_" SUITE_NAME, "Package: a\n\n");
	write_text("accepts", "4\n");
	write_archive("1%3a10.0.2+ds-2", COUNT(libraries) - 1);
}

START_TEST(emulator_is_fetched_once)
{
	struct error error = { 0 };
	struct emulator emulator;
	char path[PATH_MAX], expected[512];

	ck_assert_int_eq(emulator_find(SUITE_NAME, &emulator), -1);
	ck_assert_msg(!emulator_get(SUITE_NAME, false, &emulator, &error), "%s", error.message);
	ck_assert_str_eq(emulator.name, SUITE_NAME);
	ck_assert_str_eq(emulator.version, "1:10.0.2+ds-2");
	snprintf(expected, sizeof(expected), "%s/cache/emulators/" SUITE_NAME, folder);
	ck_assert_str_eq(emulator.directory, expected);
	for (int i = 0; i < COUNT(unpacked); i++) {
		struct stat st;

		ck_assert_msg(!lstat(file_of(unpacked[i]), &st), "%s", unpacked[i]);
	}
	ck_assert_int_eq(cached(), COUNT(unpacked));
	ck_assert_str_eq(file_text(file_of("origin")),
			 "package: qemu-system-x86\nversion: 1:10.0.2+ds-2\nsuite: " SUITE_NAME
			 "\nmirror: http://m/debian\n");
	ck_assert_str_eq(read_archive("downloads"),
			 "--no-install-recommends --download-only --target-release=" SUITE_NAME
			 " install qemu-system-x86\n");
	ck_assert_int_eq(system("[ -z \"$(ls \"$STACKPROOF_CACHE\"/apt/*/cache 2>/dev/null)\" ]"),
			 0);
	/* Now it is there: a newer one is asked for by a refresh only. */
	write_archive("11.1.3-1", COUNT(libraries) - 1);
	write_text("accepts", "7\n");
	ck_assert(!emulator_get(SUITE_NAME, false, &emulator, &error));
	ck_assert_str_eq(emulator.version, "1:10.0.2+ds-2");
	ck_assert(!emulator_get(SUITE_NAME, true, &emulator, &error));
	ck_assert_str_eq(emulator.version, "11.1.3-1");
	ck_assert_int_eq(cached(), COUNT(unpacked));
	ck_assert_int_eq(emulator_plugin(&emulator, "p", path, sizeof(path), &error), 7);
	snprintf(expected, sizeof(expected), "%s/p-7.so", folder);
	ck_assert_str_eq(path, expected);
}
END_TEST

/* Who comes second waits, and finds what the first has fetched. */
START_TEST(two_fetch_at_once)
{
	struct error error = { 0 };
	struct emulator emulator;
	int status, failed;
	pid_t child = fork();

	failed = emulator_get(SUITE_NAME, false, &emulator, &error);
	if (!child)
		_exit(failed ? 1 : 0);
	ck_assert_msg(!failed, "%s", error.message);
	ck_assert(waitpid(child, &status, 0) == child && !status);
	ck_assert_ptr_null(strchr(strchr(read_archive("downloads"), '\n') + 1, '\n'));
	ck_assert_int_eq(cached(), COUNT(unpacked));
}
END_TEST

/* What was there before stays, and nothing else does. */
static const struct {
	const char *name, *damage, *message;
} failures[] = {
	{ "no_network", "rm uris", "name no mirror" },
	{ "not_in_the_archive", "rm all/*", "apt-get install qemu-system-x86: nothing to install" },
	{ "no_package", "echo no archive >all/libraries_1_amd64.deb", "Unrecognized archive" },
	{ "accepts_no_plugin", "echo 5 >accepts", "takes no plugin: " },
	{ "no_linker", "rm all/libraries*", "ld-linux-x86-64.so.2: No such file" },
	{ "no_program", "rm all/qemu*", "takes no plugin: " },
	{ "no_plugin", "rm count-7.so", "no plugin count: " },
};

START_TEST(failed_fetch_leaves_what_was_there)
{
	struct error error = { 0 };
	struct emulator emulator;
	char command[128];

	for (int before = 0; before < 2; before++) {
		snprintf(command, sizeof(command), "cd \"$TEST_ARCHIVE\" && %s",
			 failures[_i].damage);
		ck_assert(!system(command));
		ck_assert_int_eq(emulator_get(SUITE_NAME, true, &emulator, &error), -1);
		ck_assert_int_eq(error.code, _i == 6 ? ERROR_SYSTEM : ERROR_UNAVAILABLE);
		ck_assert_msg(strstr(error.message, failures[_i].message) != NULL, "%s: %s",
			      failures[_i].name, error.message);
		ck_assert_int_eq(cached(), before ? COUNT(unpacked) : 0);
		ck_assert_int_eq(emulator_find(SUITE_NAME, &emulator), before ? 0 : -1);
		if (!before) {
			write_text("uris", MAIN_MIRROR);
			write_text("accepts", "4\n");
			write_text("count-7.so", "");
			write_archive("1%3a10.0.2+ds-2", COUNT(libraries) - 1);
			ck_assert(!emulator_get(SUITE_NAME, true, &emulator, &error));
		}
	}
}
END_TEST

/* Nothing is written outside of the folder. */
START_TEST(path_that_leads_out)
{
	struct error error = { 0 };
	struct emulator emulator;

	write_archive("1", COUNT(libraries));
	ck_assert_int_eq(emulator_get(SUITE_NAME, false, &emulator, &error), -1);
	ck_assert_msg(strstr(error.message, "can't unpack usr/share/qemu/..") != NULL, "%s",
		      error.message);
	ck_assert_int_eq(cached(), 0);
}
END_TEST

/* The system's own where it accepts the plugin; then what is cached; at last one is fetched. */
START_TEST(the_first_that_accepts_is_chosen)
{
	struct error error = { 0 };
	struct emulator emulator;
	char path[PATH_MAX];

	program_write(in_folder("qemu-system-x86_64"), PROGRAM);
	write_text("p,q-4.so", ""), write_text("p,q-7.so", "");
	ck_assert_int_eq(emulator_choose("p,q", &emulator, path, sizeof(path), &error), 4);
	ck_assert_str_eq(emulator.name, "system");
	ck_assert_str_eq(emulator.directory, "");
	ck_assert_str_eq(strrchr(path, '/'), "/p,,q-4.so"); /* as -plugin takes it */
	ck_assert_int_eq(cached(), 0);
	program_write(in_folder("qemu-system-x86_64"), "#!/bin/sh\necho 'no -plugin'\nexit 1\n");
	for (int times = 0; times < 2; times++) {
		ck_assert_int_eq(emulator_choose("p", &emulator, path, sizeof(path), &error), 4);
		ck_assert_str_eq(emulator.name, SUITE_NAME);
		write_text("uris", ""); /* the second time it is cached */
	}
	write_text("accepts", "5\n");
	ck_assert_int_eq(emulator_choose("p", &emulator, path, sizeof(path), &error), -1);
	ck_assert_msg(strstr(error.message, "takes no plugin") != NULL, "%s", error.message);
}
END_TEST

START_TEST(names)
{
	struct error error = { 0 };
	struct emulator emulator;

	ck_assert_str_eq(emulator_name_at(0), "system");
	ck_assert_str_eq(emulator_name_at(1), SUITE_NAME);
	ck_assert_str_eq(emulator_name_at(2), "trixie-backports");
	ck_assert_ptr_null(emulator_name_at(3));
	ck_assert_int_eq(emulator_get("../kernels", false, &emulator, &error), -1);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_str_eq(read_archive("updates"), "");
}
END_TEST

SUITE(emulator, FIXTURE(begin, tear_down), TEST(emulator_is_fetched_once), TEST(two_fetch_at_once),
      LOOP(failed_fetch_leaves_what_was_there, failures), TEST(path_that_leads_out),
      TEST(the_first_that_accepts_is_chosen), TEST(names))
