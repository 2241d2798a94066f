/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_root_image.c - an image has what its folder has, and is made again when that has changed
 *
 * mke2fs and debugfs are those of this machine; where they are not, what needs them says SKIP.
 */
#include <inttypes.h>
#include "guests/vm/root_image.c" /* before the test's own names */
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"

static void shell(const char *command)
{
	ck_assert_msg(!system(command), "%s", command);
}

static void set_up(void)
{
	folder_enter();
	shell("mkdir -p r/etc r/usr/bin r/empty && echo hello >r/etc/hello && ln -s hello "
	      "r/etc/link && "
	      "ln r/etc/hello r/etc/hard && chmod 4711 r/etc/hard && head -c 70000 /dev/zero "
	      ">r/usr/large && "
	      "ln -s dash r/usr/bin/sh && ln -s /usr/bin/there r/usr/bin/abs && : >r/usr/bin/there "
	      "&& "
	      "ln -s ../../../../../etc/passwd r/usr/bin/out && "
	      "mkfifo r/pipe && sleep 0.05");
	setenv("STACKPROOF_CACHE", in_folder("cache"), 1);
}

static bool has_mke2fs(void)
{
	bool has = !system("PATH=$PATH:/usr/sbin:/sbin; mke2fs -V >/dev/null 2>&1");

	if (!has)
		puts("SKIP no_mke2fs");
	return has;
}

static struct root_contents walk(void)
{
	struct root_contents contents;
	struct error error;

	ck_assert_msg(!root_walk("r", NULL, NULL, &contents, &error), "%s", error.message);
	return contents;
}

/* Whether the image's key is another one after it. */
static const struct {
	const char *command;
	bool changes;
} changes[] = {
	{ "cat r/etc/* >/dev/null; ls -lR r >/dev/null", false },
	{ "echo other >other", false },
	{ "echo jello >r/etc/hello", true },
	/* The time that anybody can set is as it was. */
	{ "touch -r r/etc/hello t; printf HELLO >r/etc/hello; touch -r t r/etc/hello", true },
	{ "chmod 600 r/usr/large", true },
	{ "mv r/etc/link r/etc/lynk", true },
	{ "rm r/etc/hard", true },
	{ "rmdir r/empty", true },
	{ ": >r/usr/bin/new", true },
	{ "ln -sf bash r/usr/bin/sh", true },
	{ "chmod 700 r", true },
};

START_TEST(key_is_of_what_there_is)
{
	struct root_contents before = walk(), after;

	shell(changes[_i].command);
	after = walk();
	ck_assert_msg((before.key != after.key) == changes[_i].changes, "%s", changes[_i].command);
}
END_TEST

START_TEST(contents_are_counted)
{
	struct root_contents contents = walk();

	ck_assert_uint_eq(contents.entries, 13);
	ck_assert_uint_eq(contents.all, 14);
	/* Five directories, of one or two blocks; the two names of a file, 18 blocks of a large one. */
	ck_assert_uint_ge(contents.bytes, (5 + 2 + 18) * ROOT_BLOCK_BYTES);
	ck_assert_uint_le(contents.bytes, (10 + 2 + 18) * ROOT_BLOCK_BYTES);
	ck_assert_uint_eq(contents.unreadable + contents.elsewhere, 0);
	ck_assert_str_eq(contents.first, "");
}
END_TEST

static char image_path[512];

/* Makes or finds the image. */
static struct guest_root open_image(void)
{
	struct guest_root root;
	struct error error;
	char link[64];
	ssize_t length;
	int fd;

	ck_assert_msg(!root_image_open("r", &fd, &root, &error), "%s", error.message);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, image_path, sizeof(image_path) - 1);
	ck_assert_int_gt(length, 0);
	image_path[length] = '\0';
	close(fd);
	return root;
}

/* What debugfs(8) prints of the image. */
static char *ask_image(const char *request)
{
	static char said[4096];
	char command[1024];
	FILE *debugfs;

	snprintf(command, sizeof(command),
		 "PATH=$PATH:/usr/sbin:/sbin; debugfs -R '%s' '%s' 2>/dev/null", request,
		 image_path);
	debugfs = popen(command, "re");
	ck_assert_ptr_nonnull(debugfs);
	said[fread(said, 1, sizeof(said) - 1, debugfs)] = '\0';
	ck_assert_int_eq(pclose(debugfs), 0);
	return said;
}

static void expect(const char *request, const char *part)
{
	const char *said = ask_image(request);

	ck_assert_msg(strstr(said, part) != NULL, "%s: %s, not %s", request, said, part);
}

START_TEST(image_has_what_the_folder_has)
{
	struct guest_root root;
	char first[512];

	if (!has_mke2fs())
		return;
	root = open_image();
	ck_assert(!root.cached);
	ck_assert_uint_eq(root.files, 13);
	strcpy(first, image_path);
	expect("cat /etc/hello", "hello\n");
	expect("stat /etc/hard", "Mode:  04711");
	expect("stat /etc/hard", "Links: 2");
	expect("stat /etc/link", "Fast link dest: \"hello\"");
	expect("stat /pipe", "Type: FIFO");
	expect("stat /usr/large", "Size: 70000");
	expect("stat /empty", "Type: directory");
	expect("stat /", "Mode:  0755");
	ck_assert(open_image().cached);
	ck_assert_str_eq(image_path, first);
	shell("echo changed >r/etc/hello");
	ck_assert(!open_image().cached);
	expect("cat /etc/hello", "changed\n");
	ck_assert_str_ne(image_path, first);
	ck_assert(!access(first, F_OK)); /* there is room for both */
}
END_TEST

/* Of somebody who may not read all: the rest is there, with its owners, and what is not is counted. */
START_TEST(unreadable_files_are_left_out)
{
	bool is_root = !geteuid();
	struct guest_root root;

	if (!has_mke2fs())
		return;
	shell("echo secret >r/etc/shadow && mkdir r/root && echo x >'r/root/x' && echo q "
	      ">'r/etc/a\"b' && "
	      "chmod 0 r/etc/shadow r/root && chmod 555 r/usr/bin");
	if (is_root) {
		ck_assert(!chown(folder, 65534, 65534) && !chown("r/empty", 65534, 3));
		ck_assert(!chmod("r/etc/hello", 04711 | 0044));
		ck_assert(!setresgid(65534, 65534, 0) && !setresuid(65534, 65534, 0));
	}
	root = open_image();
	ck_assert(!is_root || (!setresuid(0, 0, 0) && !setresgid(0, 0, 0)));
	ck_assert_uint_eq(root.unreadable, 2);
	ck_assert(!strcmp(root.unreadable_first, "/etc/shadow") ||
		  !strcmp(root.unreadable_first, "/root"));
	expect("cat /etc/hello", "hello\n");
	ck_assert_str_eq(ask_image("cat /etc/shadow"), "");
	ck_assert_str_eq(ask_image("cat /root/x"), "");
	if (is_root) {
		expect("stat /etc/hello", "User:     0   Group:     0");
		expect("stat /etc/a\"\"b", "");
		expect("stat /usr/bin", "User:     0   Group:     0");
		expect("stat /empty", "User: 65534   Group:     3");
		expect("stat /etc/hard", "Mode:  04755");
		expect("stat /root", "Mode:  0000");
		expect("stat /usr/bin", "Mode:  0555");
	} else {
		shell("chmod 700 r/root r/usr/bin");
	}
	/* Nothing of the copy is left. */
	shell("test \"$(ls cache/roots | sed 's/.*\\.//' | sort | tr '\\n' ' ')\" = 'img in-use '");
}
END_TEST

/* cp(1) leaves a file that is shorter, as on a full disk. */
START_TEST(copy_that_is_not_whole)
{
	struct root_contents contents = walk();
	struct error error;

	folder_in_path();
	program_write("cp",
		      "#!/bin/sh\n/bin/cp \"$@\"\necho 'no space'\nprintf 1234 >copy/usr/large\n");
	ck_assert_int_eq(root_staging_make("r", &contents, in_folder("copy"), &error), -1);
	ck_assert_str_eq(error.message,
			 "of 13 files with 70012 bytes 13 with 16 could be copied for an image: no "
			 "space");
	if (geteuid()) /* else owners are copied */
		return;
	ck_assert(!chown(folder, 65534, 65534) && !setresuid(65534, 65534, 0));
	ck_assert_int_eq(root_staging_own("r", "nowhere.img", &error), -1);
	ck_assert_str_eq(error.message,
			 "debugfs (package e2fsprogs) can't give the files their owners");
	ck_assert(!setresuid(0, 0, 0));
}
END_TEST

/* mke2fs fails, or the folder is none: what it says. */
static const struct {
	const char *folder, *mke2fs, *message;
} failures[] = {
	{ "nowhere", NULL, "nowhere: No such file or directory" },
	{ "r/etc/hello", NULL, "r/etc/hello is not a directory" },
	{ "r", "exit 127", "a root needs mke2fs (package e2fsprogs), which can't be run here" },
	{ "r", "echo 'mke2fs: Could not allocate block in ext2 filesystem'; exit 1",
	  "no image of r: mke2fs: mke2fs: Could not allocate block in ext2 filesystem" },
	{ "r", "echo more >>r/etc/hello", "r changed while its image was made" },
};

START_TEST(failure_is_named)
{
	struct guest_root root;
	struct error error;
	char script[256];
	int fd = -1;

	ck_assert(!mkdir("bin", 0755));
	if (failures[_i].mke2fs) {
		snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", failures[_i].mke2fs);
		program_write("bin/mke2fs", script);
		snprintf(script, sizeof(script), "%s/bin:%s", folder, getenv("PATH"));
		setenv("PATH", script, 1);
	}
	ck_assert_int_eq(root_image_open(failures[_i].folder, &fd, &root, &error), -1);
	ck_assert_str_eq(error.message, failures[_i].message);
	ck_assert_int_eq(fd, -1);
	/* No part of an image is left. */
	shell("! ls cache/roots/*.img cache/roots/*.new 2>/dev/null");
}
END_TEST

/* The image that was used last goes last, the wanted one never. */
START_TEST(oldest_image_goes_first)
{
	struct making making = { .cache = "c", .image = "c/1.img" };
	char oldest[PATH_MAX];
	struct stat st;

	shell("mkdir c && for i in 1 2 3; do head -c 40000 /dev/zero >c/$i.img; touch -d "
	      "2001-01-0$i "
	      "c/$i.img; done; touch -d 2000-01-01 c/x.new c/in-use");
	ck_assert(!stat("c/1.img", &st));
	ck_assert_uint_eq(find_oldest(&making, oldest, sizeof(oldest)),
			  3 * (uint64_t)st.st_blocks * BYTES_PER_STAT_UNIT);
	ck_assert_str_eq(oldest, "c/2.img");
	trim_cache(&making);
	remove_unfinished(&making);
	ck_assert(!access("c/2.img", F_OK) && access("c/x.new", F_OK) && !access("c/in-use", F_OK));
}
END_TEST

/* As a name in the guest's PATH; links are followed as they are there. */
static const struct {
	const char *folder, *name;
	bool has;
} programs[] = {
	{ "r", "there", true },	   { "r", "abs", true },  { "r", "nothing", false },
	{ "r", "sh", false },	   { "r", "out", false }, { "r", "/no/matter", true },
	{ "nowhere", "sh", true },
};

START_TEST(program_of_a_root)
{
	ck_assert_msg(guest_root_has(programs[_i].folder, programs[_i].name) == programs[_i].has,
		      "%s", programs[_i].name);
}
END_TEST

SUITE(root_image, FIXTURE(set_up, folder_remove), LOOP(key_is_of_what_there_is, changes),
      TEST(contents_are_counted), TEST(image_has_what_the_folder_has),
      TEST(unreadable_files_are_left_out), TEST(copy_that_is_not_whole),
      LOOP(failure_is_named, failures), TEST(oldest_image_goes_first),
      LOOP(program_of_a_root, programs))
