/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_apt.c - a suite's directory: what is in it, whose it is, and an index that can't be read
 *
 * A shell script stands in for apt-get: it is the first of that name in PATH. What it does for an
 * index is in the environment. What is asked of it is in test_kernel_fetch.c.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/apt.h"

#define KEYRING "/usr/share/keyrings/debian-archive-keyring"

static const char apt_get[] =
	"#!/bin/sh\n"
	"[ -z \"$TEST_WORDS\" ] || echo \"$*\" >>\"$TEST_WORDS\"\n"
	"for word; do\n"
	"	case $word in\n"
	"	-oDir::State::lists=*) index=${word#*=}/m_Packages;;\n"
	"	--print-uris) echo \"'http://m/debian/dists/sid/InRelease' x\"; exit 0;;\n"
	"	esac\n"
	"done\n"
	"eval \"$TEST_INDEX\"\n";

static const struct kernel_suite suite = { .name = "sid", .archive = ARCHIVE_MAIN };
static void set_up(void)
{
	folder_make();
	program_write(in_folder("apt-get"), apt_get);
	folder_in_path();
	setenv("STACKPROOF_CACHE", in_folder("cache"), 1);
}

static mode_t mode_of(const char *name)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/cache/apt/sid/%s", folder, name);
	ck_assert_msg(!stat(path, &st), "%s", path);
	return st.st_mode;
}

/* By somebody else: another open file. */
static bool is_locked(void)
{
	char path[256];
	int fd, status;

	snprintf(path, sizeof(path), "%s/cache/apt/sid/in-use", folder);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	status = flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return status != 0;
}

START_TEST(directory_is_this_process_s)
{
	static const char *const folders[] = { "state", "lists/partial", "cache/archives/partial",
					       "download" };
	static const char *const files[] = { "in-use", "status", "apt.conf", "sources.list" };
	struct apt_suite opened;
	struct error error = { 0 };
	char expected[128];

	umask(0);
	setenv("TEST_INDEX", "printf 'Package: a\\n\\n' >\"$index\"", 1);
	for (int times = 0; times < 2; times++) {
		ck_assert_msg(!apt_suite_open(&opened, &suite, &error), "%s", error.message);
		ck_assert(is_locked());
		for (int i = 0; i < COUNT(folders); i++)
			ck_assert_uint_eq(mode_of(folders[i]), S_IFDIR | 0755);
		for (int i = 0; i < COUNT(files); i++)
			ck_assert_msg(mode_of(files[i]) == (S_IFREG | 0644), "%s", files[i]);
		snprintf(expected, sizeof(expected), "%s/cache/apt/sid", folder);
		ck_assert_str_eq(opened.directory, expected);
		ck_assert_str_eq(opened.mirror, "http://m/debian");
		ck_assert_uint_eq(opened.index_size, 12);
		ck_assert_str_eq(opened.index, "Package: a\n\n");
		apt_suite_close(&opened);
		ck_assert(!is_locked());
		ck_assert(!opened.index && opened.lock_fd == -1);
		apt_suite_close(&opened);
	}
}
END_TEST

/* The file's text. */
static const char *text_of(const char *name)
{
	static char text[4096];
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	ck_assert_msg(file != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* expected: with @ for the suite's directory. */
static void expect_text(const char *name, const char *expected)
{
	char text[4096] = "";

	for (const char *at = expected; *at; at++)
		if (*at == '@')
			sprintf(text + strlen(text), "%s/cache/apt/sid", folder);
		else
			strncat(text, at, 1);
	ck_assert_str_eq(text_of(name), text);
}

#define OWN                                                                                        \
	"-q -y -oDir::State=@/state -oDir::State::lists=@/lists -oDir::State::status=@/status "    \
	"-oDir::Cache=@/cache -oAPT::Sandbox::User=root -oAcquire::GzipIndexes=false "             \
	"-oAcquire::Languages=none -oAcquire::Retries=3 -oAcquire::http::Timeout=30 "              \
	"-oAcquire::https::Timeout=30 "
#define PRIVATE                                                                                    \
	OWN "-oDir::Etc::sourcelist=@/sources.list -oDir::Etc::sourceparts=@/no-sources "          \
	    "-oDir::Etc::preferences=@/no-preferences "                                            \
	    "-oDir::Etc::preferencesparts=@/no-preferences.d -c=@/apt.conf "

/* With a base, in a folder of its own: both are asked, what is installed is for nobody, and nothing large stays. */
START_TEST(all_that_a_package_needs)
{
	static const struct kernel_suite on_base = { .name = "sid", .base = "base" };
	struct apt_suite opened;
	struct error error = { 0 };
	char path[PATH_MAX], own[PATH_MAX];

	snprintf(path, sizeof(path), "%s/words", folder);
	setenv("TEST_INDEX", "[ -z \"$index\" ] || echo x >\"$index\"", 1);
	ck_assert_msg(!apt_suite_open(&opened, &on_base, &error), "%s", error.message);
	snprintf(own, sizeof(own), "%s/cache/apt/sid+base", folder);
	ck_assert_str_eq(opened.directory, own);
	ck_assert_ptr_nonnull(strstr(text_of("cache/apt/sid+base/sources.list"),
				     "http://m/debian sid main\ndeb ["));
	ck_assert_ptr_nonnull(
		strstr(text_of("cache/apt/sid+base/sources.list"), "http://m/debian base main\n"));
	setenv("TEST_WORDS", path, 1);
	ck_assert_msg(!apt_suite_download_all(&opened, "sid", "p", path, sizeof(path), &error),
		      "%s", error.message);
	ck_assert_str_eq(path + strlen(own), "/cache/archives");
	ck_assert_ptr_nonnull(strstr(text_of("words"), "/apt.conf --no-install-recommends "
						       "--download-only --target-release=sid "
						       "install p\n"));
	setenv("TEST_INDEX", "echo 'E: no p'; exit 100", 1);
	ck_assert_int_eq(apt_suite_download_all(&opened, "sid", "p", path, sizeof(path), &error),
			 -1);
	ck_assert_str_eq(error.message, "apt-get install p: no p");
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	apt_suite_drop(&opened);
	ck_assert(access(path, F_OK) && !access(own, F_OK));
	apt_suite_close(&opened);
}
END_TEST

/* Word for word: each keeps apt to the directory, or what it brings from being less than all. */
START_TEST(apt_is_told_word_by_word)
{
	static const struct kernel_package package = { .name = "p", .version = "1.2-3" };
	struct apt_suite opened;
	struct error error = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/words", folder);
	setenv("TEST_WORDS", path, 1);
	setenv("TEST_INDEX", "case $* in *download*) : >x.deb;; *) : >\"$index\";; esac", 1);
	ck_assert_msg(!apt_suite_open(&opened, &suite, &error), "%s", error.message);
	ck_assert_msg(!apt_suite_download(&opened, &package, path, sizeof(path), &error), "%s",
		      error.message);
	ck_assert_str_eq(strrchr(path, '/'), "/x.deb");
	apt_suite_close(&opened);
	unsetenv("TEST_WORDS");
	expect_text("words",
		    OWN "update --print-uris\n" PRIVATE
			"-oAPT::Update::Error-Mode=any update\n" PRIVATE "download p=1.2-3\n");
	expect_text("cache/apt/sid/apt.conf", "#clear APT::Update::Pre-Invoke;\n"
					      "#clear APT::Update::Post-Invoke;\n"
					      "#clear APT::Update::Post-Invoke-Success;\n");
	expect_text("cache/apt/sid/sources.list",
		    !access(KEYRING ".gpg", R_OK)
			    ? "deb [signed-by=" KEYRING ".gpg arch=amd64 target=Packages] "
			      "http://m/debian sid main\n"
			    : "deb [signed-by=" KEYRING ".pgp arch=amd64 target=Packages] "
			      "http://m/debian sid main\n");
	expect_text("cache/apt/sid/status", "");
}
END_TEST

static const struct {
	const char *name, *index, *says;
} indexes[] = {
	{ "none", ":", "apt brought no index into " },
	{ "too_large", "truncate -s 268435457 \"$index\"", "has 268435457 bytes, more than" },
	{ "no_file", "mkdir \"$index\"; : >\"$index/x\"", "m_Packages ends too early" },
	{ "killed", "kill -KILL $$", "apt-get was killed by signal 9" },
	{ "says_no", "echo 'E: no'; exit 100", "apt-get update, sid: no" },
};

/* Nothing stays open, and the lock is not kept. */
START_TEST(index_that_can_not_be_read)
{
	int before = dup(STDIN_FILENO), after;
	struct error error = { 0 };
	struct apt_suite opened;

	close(before);
	setenv("TEST_INDEX", indexes[_i].index, 1);
	ck_assert_msg(apt_suite_open(&opened, &suite, &error) == -1, "%s", indexes[_i].name);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(error.message, indexes[_i].says) != NULL, "%s: %s", indexes[_i].name,
		      error.message);
	ck_assert(!opened.index && opened.lock_fd == -1 && !is_locked());
	after = dup(STDIN_FILENO);
	ck_assert_int_eq(after, before);
	close(after);
}
END_TEST

SUITE_MAIN(apt)
{
	Suite *tests = suite_create("apt");
	TCase *tcase = tcase_create("apt");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, set_up, folder_remove);
	if (access(KEYRING ".gpg", R_OK) && access(KEYRING ".pgp", R_OK)) {
		printf("SKIP: no %s.gpg\n", KEYRING);
	} else {
		tcase_add_test(tcase, directory_is_this_process_s);
		tcase_add_test(tcase, apt_is_told_word_by_word);
		tcase_add_test(tcase, all_that_a_package_needs);
		tcase_add_loop_test(tcase, index_that_can_not_be_read, 0, COUNT(indexes));
	}
	suite_add_tcase(tests, tcase);
	return suite_run(tests);
}
