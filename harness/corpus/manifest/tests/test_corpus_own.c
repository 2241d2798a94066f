/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_corpus_own.c - the corpus by somebody's compiler: what is written for make, and what make is told
 *
 * The tree is three empty files, compilers are scripts that nobody runs, and make is one that keeps
 * what it was told. What make then does with it is scripts/check-own's.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "corpus/manifest/corpus_own.h"

#define NAME_63 "a23456789.123456789.123456789.123456789.123456789.123456789.123"
#define MAKE                                                                                       \
	"#!/bin/sh\n"                                                                              \
	"{ printf '%s\\n' \"$@\"; echo \"${MAKEFLAGS-no} ${MFLAGS-flags}\"; } >make.log\n"         \
	"echo what make prints\n"

static char top[PATH_MAX], before[PATH_MAX];

static const char *const folders[] = { "t", "t/testprogs", "t/scripts", "bin", "other" };
static const char *const parts[] = { "t/testprogs/corpus.tsv", "t/scripts/corpus-rules",
				     "t/Makefile" };

/* We are in a folder of our own, outside of the tree. */
static void set_up(void)
{
	char temporary[] = "/tmp/test_corpus_own.XXXXXX", path[2 * PATH_MAX];

	ck_assert(getcwd(before, sizeof(before)) && mkdtemp(temporary) &&
		  realpath(temporary, top) && !chdir(top));
	for (int i = 0; i < COUNT(folders); i++)
		ck_assert(!mkdir(folders[i], 0755));
	for (int i = 0; i < COUNT(parts); i++) {
		program_write(parts[i], "");
		ck_assert(!chmod(parts[i], 0644));
	}
	program_write("bin/gcc-12", "");
	program_write("bin/g++-12", "");
	program_write("bin/rustc", "");
	program_write("bin/c++filt++", "");
	program_write("bin/" NAME_63 "4", "");
	program_write("bin/make", MAKE);
	program_write("other/cc$1", "");
	ck_assert(!symlink("../bin/gcc-12", "other/cc") && !symlink("none", "dangling"));
	snprintf(path, sizeof(path), "%s/bin:/usr/bin:/bin", top);
	setenv("PATH", path, 1);
}

static void tear_down(void)
{
	ck_assert(!chdir(before));
	tree_remove(top);
}

/* As a text, "TOP" for our folder. */
static void expect_text(const char *name, const char *text, const char *expected)
{
	char plain[4096] = "";
	const char *found;

	while ((found = strstr(text, top))) {
		snprintf(plain + strlen(plain), sizeof(plain) - strlen(plain), "%.*sTOP",
			 (int)(found - text), text);
		text = found + strlen(top);
	}
	snprintf(plain + strlen(plain), sizeof(plain) - strlen(plain), "%s", text);
	ck_assert_msg(!strcmp(plain, expected), "%s: %s", name, plain);
}

static void expect_file(const char *name, const char *path, const char *expected)
{
	char text[4096];
	FILE *file = fopen(path, "re");

	ck_assert_msg(file != NULL, "%s: %s", name, path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	expect_text(name, text, expected);
}

/* With standard error in a file. */
static int build(struct corpus_own *own, struct error *error)
{
	int errors = dup(STDERR_FILENO);
	FILE *file = fopen("errors", "we");

	ck_assert(errors >= 0 && file);
	dup2(fileno(file), STDERR_FILENO);
	own->lock = -1;
	int status = corpus_own_build(own, error);
	dup2(errors, STDERR_FILENO);
	close(errors);
	fclose(file);
	return status;
}

/* ---- what is written ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct corpus_own own;
	const char *lines;
} written[] = {
	{ "one", { .cc = "gcc-12" }, "gcc-12\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n" },
	{ "its_assembly",
	  { .cc = "gcc-12", .assembly = true },
	  "gcc-12\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n"
	  "gcc-12\tasm\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n" },
	{ "all",
	  { .cc = "gcc-12", .cxx = "g++-12", .rustc = "rustc", .flags = "-O1 -g" },
	  "gcc-12\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-O1 -g\n"
	  "gcc-12\tcxx\town\t-\tTOP/bin/g++-12\t-dumpfullversion\t-O1 -g\n"
	  "gcc-12\trust\town\t-\tTOP/bin/rustc\t--version\t-O1 -g\n" },
	{ "plus_of_a_compiler",
	  { .cxx = "g++-12", .rustc = "rustc", .flags = "" },
	  "gpp-12\tcxx\town\t-\tTOP/bin/g++-12\t-dumpfullversion\t-\n"
	  "gpp-12\trust\town\t-\tTOP/bin/rustc\t--version\t-\n" },
	{ "each_plus",
	  { .cc = "bin/c++filt++" },
	  "cppfiltpp\tc\town\t-\tTOP/bin/c++filt++\t-dumpfullversion\t-\n" },
	{ "rustc_alone",
	  { .rustc = "rustc" },
	  "rustc\trust\town\t-\tTOP/bin/rustc\t--version\t-\n" },
	{ "linker",
	  { .cc = "gcc-12", .linker = "gold-2.x" },
	  "gcc-12+gold-2.x\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n" },
	{ "name",
	  { .cc = "gcc-12", .name = "Zz09._-", .linker = "lld" },
	  "Zz09._-+lld\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n" },
	{ "longest_names",
	  { .cc = "gcc-12", .name = NAME_63, .linker = NAME_63 },
	  NAME_63 "+" NAME_63 "\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n" },
	{ "link_of_a_path",
	  { .cc = "other/cc" },
	  "cc\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n" },
};

START_TEST(toolchains_are_written)
{
	struct corpus_own own = written[_i].own;
	struct error error = { 0 };

	own.tree = "t";
	own.folder = "out";
	own.jobs = 3;
	ck_assert_msg(!build(&own, &error), "%s: %s", written[_i].name, error.message);
	ck_assert_int_ge(own.lock, 0);
	close(own.lock);
	expect_file(written[_i].name, "out/toolchains.tsv", written[_i].lines);
}
END_TEST

/* ---- what is refused ---------------------------------------------------------------------- */

#define OWN(...) .own = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct corpus_own own;
	const char *message;
	enum error_code code;
} refused[] = {
	{ "no_compiler", OWN(.cc = "gcc-1"), "there is no compiler gcc-1", ERROR_UNAVAILABLE },
	{ "no_assembly", OWN(.cxx = "g++-12", .rustc = "./none"), "there is no compiler ./none",
	  ERROR_UNAVAILABLE },
	{ "no_program", OWN(.cc = "errors"), "there is no compiler errors", ERROR_UNAVAILABLE },
	{ "not_executable", OWN(.cc = "t/Makefile"), "there is no compiler t/Makefile",
	  ERROR_UNAVAILABLE },
	{ "path_that_make_changes", OWN(.cc = "other/cc$1", .name = "cc"),
	  "TOP/other/cc$1: make can't have such a path", ERROR_TEXT_SYNTAX },
#define NO_NAME(made)                                                                              \
	made " is no name for a toolchain: letters, digits, '.', '_', '-'", ERROR_TEXT_SYNTAX
	{ "empty_name", OWN(.cc = "gcc-12", .name = ""), NO_NAME("") },
	{ "hidden_name", OWN(.cc = "gcc-12", .name = ".a"), NO_NAME(".a") },
	{ "option_as_name", OWN(.cc = "gcc-12", .name = "-a"), NO_NAME("-a") },
	{ "blank_in_a_name", OWN(.cc = "gcc-12", .name = "a b"), NO_NAME("a b") },
	{ "slash_in_a_name", OWN(.cc = "gcc-12", .name = "a/b"), NO_NAME("a/b") },
	{ "plus_in_a_name", OWN(.cc = "gcc-12", .name = "g++"), NO_NAME("g++") },
	{ "name_that_is_too_long", OWN(.cc = "gcc-12", .name = NAME_63 "4"), NO_NAME(NAME_63 "4") },
	{ "compiler_whose_name_is_too_long", OWN(.cc = "bin/" NAME_63 "4"), NO_NAME(NAME_63 "4") },
	{ "compiler_whose_name_is_none", OWN(.cc = "other/cc$1"), NO_NAME("cc$1") },
	{ "empty_linker", OWN(.cc = "gcc-12", .linker = ""), NO_NAME("gcc-12+") },
	{ "linker_of_two_words", OWN(.cc = "gcc-12", .linker = "a b"), NO_NAME("gcc-12+a b") },
	{ "linker_that_is_too_long", OWN(.cc = "gcc-12", .linker = NAME_63 "4"),
	  NO_NAME("gcc-12+" NAME_63 "4") },
#define FLAGS "the flags hold a tab, a newline or a '#'", ERROR_TEXT_SYNTAX
	{ "tab_in_flags", OWN(.cc = "gcc-12", .flags = "-O1\t-g"), FLAGS },
	{ "newline_in_flags", OWN(.cc = "gcc-12", .flags = "-O1\n"), FLAGS },
	{ "comment_in_flags", OWN(.cc = "gcc-12", .flags = "#"), FLAGS },
	{ "blank_in_a_glob", OWN(.cc = "gcc-12", .programs = "a b"),
	  "a b: no glob of program names", ERROR_TEXT_SYNTAX },
	{ "variable_in_a_glob", OWN(.cc = "gcc-12", .programs = "a$b"),
	  "a$b: no glob of program names", ERROR_TEXT_SYNTAX },
	{ "no_tree", OWN(.cc = "gcc-12", .tree = "none"), "none is no source tree of stackproof's",
	  ERROR_UNAVAILABLE },
	{ "another_tree", OWN(.cc = "gcc-12", .tree = "bin"),
	  "bin is no source tree of stackproof's", ERROR_UNAVAILABLE },
	{ "tree_nowhere_near", OWN(.cc = "gcc-12", .tree = NULL),
	  "the corpus's sources are neither here nor beside the program: --tree",
	  ERROR_UNAVAILABLE },
	{ "folder_in_none", OWN(.cc = "gcc-12", .folder = "none/out"),
	  "none/out: No such file or directory", ERROR_SYSTEM },
	{ "folder_that_leads_nowhere", OWN(.cc = "gcc-12", .folder = "dangling"),
	  "dangling: No such file or directory", ERROR_SYSTEM },
	{ "folder_that_make_changes", OWN(.cc = "gcc-12", .folder = "a b"),
	  "TOP/a b: make can't have such a path", ERROR_TEXT_SYNTAX },
	{ "folder_of_the_sources", OWN(.cc = "gcc-12", .folder = "t/testprogs"),
	  "nothing is made in t/testprogs", ERROR_TEXT_SYNTAX },
};

START_TEST(what_make_could_not_have_is_refused)
{
	struct corpus_own own = refused[_i].own;
	bool nowhere = !strcmp(refused[_i].name, "tree_nowhere_near");
	struct error error = { 0 };

	program_write("t/testprogs/toolchains.tsv", "theirs\n");
	own.tree = own.tree || nowhere ? own.tree : "t";
	own.folder = own.folder ? own.folder : "out";
	ck_assert_int_eq(build(&own, &error), -1);
	expect_text(refused[_i].name, error.message, refused[_i].message);
	ck_assert_msg(error.code == refused[_i].code, "%s: %d", refused[_i].name, error.code);
	ck_assert_msg(access("make.log", F_OK), "%s: make ran", refused[_i].name);
	expect_file(refused[_i].name, "t/testprogs/toolchains.tsv", "theirs\n");
	close(own.lock);
}
END_TEST

/* Where a link of PATH leads is its own affair, as ccache's; what PATH says from here is made whole. */
START_TEST(compiler_of_path)
{
	struct corpus_own own = {
		.cc = "cc", .name = "x", .tree = "t", .folder = "out", .jobs = 1
	};
	struct error error = { 0 };
	char path[3 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/other:%s/bin:/usr/bin:/bin", top, top);
	setenv("PATH", path, 1);
	ck_assert_msg(!build(&own, &error), "%s", error.message);
	close(own.lock);
	expect_file("link", "out/toolchains.tsv",
		    "x\tc\town\t-\tTOP/other/cc\t-dumpfullversion\t-\n");
	snprintf(path, sizeof(path), "other:%s/bin:/usr/bin:/bin", top);
	setenv("PATH", path, 1);
	ck_assert_msg(!build(&own, &error), "%s", error.message);
	close(own.lock);
	expect_file("relative", "out/toolchains.tsv",
		    "x\tc\town\t-\tTOP/bin/gcc-12\t-dumpfullversion\t-\n");
}
END_TEST

START_TEST(tree_that_make_changes)
{
	struct corpus_own own = { .cc = "gcc-12", .tree = "t ree", .folder = "out" };
	struct error error = { 0 };

	ck_assert(!rename("t", "t ree"));
	ck_assert_int_eq(build(&own, &error), -1);
	expect_text("tree", error.message, "TOP/t ree: make can't have such a path");
}
END_TEST

/* ---- make --------------------------------------------------------------------------------- */

START_TEST(make_is_told)
{
	struct corpus_own own = { .cc = "gcc-12", .tree = "t", .folder = "out", .jobs = 12 };
	struct error error = { 0 };
	struct stat made;
	const mode_t mask = 022;

	umask(mask);
	setenv("MAKEFLAGS", "theirs", 1);
	setenv("MFLAGS", "theirs", 1);
	ck_assert_msg(!build(&own, &error), "%s", error.message);
	close(own.lock);
	expect_file("all", "make.log",
		    "--no-print-directory\n-j12\n-C\nTOP/t\nO=TOP/out\n"
		    "OWN=TOP/out/toolchains.tsv '*'\ncorpus-own\nno flags\n");
	expect_file("all", "errors", "what make prints\n");
	ck_assert(!stat("out", &made) && made.st_mode == (S_IFDIR | (0777 & ~mask)));
	own.programs = "loop*";
	own.jobs = 1;
	/* The folder may be there. */
	ck_assert_msg(!build(&own, &error), "%s", error.message);
	close(own.lock);
	expect_file("some", "make.log",
		    "--no-print-directory\n-j1\n-C\nTOP/t\nO=TOP/out\n"
		    "OWN=TOP/out/toolchains.tsv 'loop*'\ncorpus-own\nno flags\n");
	unsetenv("MAKEFLAGS");
	unsetenv("MFLAGS");
}
END_TEST

/* In the tree none has to be named. */
START_TEST(tree_is_where_we_are)
{
	struct corpus_own own = { .cc = "gcc-12", .folder = "out", .jobs = 1 };
	struct error error = { 0 };

	ck_assert(!chdir("t"));
	ck_assert_msg(!build(&own, &error), "%s", error.message);
	close(own.lock);
	expect_file("all", "make.log",
		    "--no-print-directory\n-j1\n-C\nTOP/t\nO=TOP/t/out\n"
		    "OWN=TOP/t/out/toolchains.tsv '*'\ncorpus-own\nno flags\n");
}
END_TEST

/* Or in the tree that this program was built in, in a folder of it; all that the build needs is there. */
START_TEST(tree_is_where_the_program_was_built)
{
	char command[2 * PATH_MAX];
	struct error error = { 0 };

	snprintf(command, sizeof(command),
		 "mkdir t/build t/deep t/deep/build && cp /proc/%d/exe t/build/program &&"
		 "ln t/build/program t/deep/build/program && t/build/program --tree >said",
		 (int)getpid());
	ck_assert(!system(command));
	expect_file("tree", "said", "TOP/t\n");
	ck_assert(system("t/deep/build/program --tree >said"));
	for (int i = 0; i < COUNT(parts); i++) {
		ck_assert(!rename(parts[i], "aside"));
		ck_assert_msg(system("t/build/program --tree >said"), "%s", parts[i]);
		ck_assert(!rename("aside", parts[i]));
	}
	ck_assert(!system("t/build/program --tree >said"));
	ck_assert_ptr_null(corpus_own_tree(&error));
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
}
END_TEST

static const struct {
	const char *name, *make, *message;
	enum error_code code;
} failures[] = {
	{ "builds_nothing", "exit 2", "nothing was built: make says why", ERROR_PROTOCOL },
	{ "builds_nothing_at_all", "exit 1", "nothing was built: make says why", ERROR_PROTOCOL },
	{ "dies", "kill -KILL $$", "make died of SIGKILL", ERROR_PROTOCOL },
	{ "is_not_there", "exit 127", "make is not installed", ERROR_UNAVAILABLE },
	{ "is_ended", "kill -TERM $PPID; sleep 60", "the run was ended by SIGTERM", ERROR_SYSTEM },
};

/* The signals are as before. */
START_TEST(make_fails)
{
	struct corpus_own own = { .cc = "gcc-12", .tree = "t", .folder = "out", .jobs = 1 };
	struct error error = { 0 };
	char script[256];
	sigset_t held, after;

	snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", failures[_i].make);
	program_write("bin/make", script);
	sigprocmask(SIG_SETMASK, NULL, &held);
	ck_assert_int_eq(build(&own, &error), -1);
	close(own.lock);
	sigprocmask(SIG_SETMASK, NULL, &after);
	ck_assert_msg(!strcmp(error.message, failures[_i].message), "%s: %s", failures[_i].name,
		      error.message);
	ck_assert_int_eq(error.code, failures[_i].code);
	ck_assert_int_eq(sigismember(&held, SIGTERM), sigismember(&after, SIGTERM));
}
END_TEST

START_TEST(folder_is_one_builds)
{
	struct corpus_own own = { .cc = "gcc-12", .tree = "t", .folder = "out", .jobs = 1 };
	struct corpus_own other = own;
	struct error error = { 0 };

	ck_assert_msg(!build(&own, &error), "%s", error.message);
	ck_assert(!unlink("make.log"));
	ck_assert_int_eq(build(&other, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_lt(other.lock, 0);
	ck_assert(access("make.log", F_OK));
	close(own.lock);
	ck_assert_msg(!build(&other, &error), "%s", error.message);
	close(other.lock);
}
END_TEST

/* A service may be started without standard input: then that is the lock's number. */
START_TEST(lock_may_be_the_first_descriptor)
{
	struct corpus_own own = { .cc = "gcc-12", .tree = "t", .folder = "out", .jobs = 1 };
	struct error error = { 0 };
	int input = dup(STDIN_FILENO);

	close(STDIN_FILENO);
	int status = corpus_own_build(&own, &error);
	dup2(input, STDIN_FILENO);
	close(input);
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_int_eq(own.lock, STDIN_FILENO);
}
END_TEST

static bool no_process;

pid_t fork(void)
{
	if (!no_process)
		return _Fork();
	errno = EAGAIN;
	return -1;
}

START_TEST(no_process_for_make)
{
	struct corpus_own own = { .cc = "gcc-12", .tree = "t", .folder = "out", .jobs = 1 };
	struct error error = { 0 };
	sigset_t after;

	no_process = true;
	ck_assert_int_eq(build(&own, &error), -1);
	no_process = false;
	close(own.lock);
	ck_assert_str_eq(error.message, "a process for make: Resource temporarily unavailable");
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	sigprocmask(SIG_SETMASK, NULL, &after);
	ck_assert(!sigismember(&after, SIGTERM));
}
END_TEST

/* The list can't be written: it is a folder; or there is no room for it. */
START_TEST(list_that_cannot_be_written)
{
	struct corpus_own own = { .cc = "gcc-12", .tree = "t", .folder = "out", .jobs = 1 };
	struct error error = { 0 };

	ck_assert(!system("mkdir -p out/toolchains.tsv"));
	ck_assert_int_eq(build(&own, &error), -1);
	close(own.lock);
	expect_text("folder", error.message, "TOP/out/toolchains.tsv: Is a directory");
	ck_assert(!system("rmdir out/toolchains.tsv && ln -s /dev/full out/toolchains.tsv"));
	ck_assert_int_eq(build(&own, &error), -1);
	close(own.lock);
	expect_text("full", error.message, "TOP/out/toolchains.tsv: No space left on device");
	ck_assert(access("make.log", F_OK));
}
END_TEST

/* The copy of this program that tree_is_where_the_program_was_built() made. */
static int say_tree(void)
{
	struct error error;
	FREED char *tree = corpus_own_tree(&error);

	if (!tree)
		return EXIT_FAILURE;
	puts(tree);
	return EXIT_SUCCESS;
}

SUITE_MAIN(corpus_own)
{
	Suite *suite = suite_create("corpus_own");
	TCase *tests = tcase_create("corpus_own");

	if (argc == 2 && !strcmp(argv[1], "--tree"))
		return say_tree();
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, toolchains_are_written, 0, COUNT(written));
	tcase_add_loop_test(tests, what_make_could_not_have_is_refused, 0, COUNT(refused));
	tcase_add_test(tests, compiler_of_path);
	tcase_add_test(tests, lock_may_be_the_first_descriptor);
	tcase_add_test(tests, no_process_for_make);
	tcase_add_test(tests, tree_that_make_changes);
	tcase_add_test(tests, make_is_told);
	tcase_add_test(tests, tree_is_where_we_are);
	tcase_add_test(tests, tree_is_where_the_program_was_built);
	tcase_add_loop_test(tests, make_fails, 0, COUNT(failures));
	tcase_add_test(tests, folder_is_one_builds);
	tcase_add_test(tests, list_that_cannot_be_written);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
