/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile_named.c - `stackproof cc` where people build: what build systems only ask, and compilers' names
 */
#include <signal.h>
#include <sys/stat.h>
#include "corpus/compile/compile_line.h"
#include "compile_fixture.h"

static const struct {
	const char *rule, *line;
	bool probe;
} probe_cases[] = {
	{ "autoconf's program", "gcc -c conftest.c", true },
	{ "its second", "gcc -c conftest2.c -o conftest2.o", true },
	{ "in another folder", "gcc -c /b/conftest.c -o /b/f.o", true },
	{ "what becomes of it there", "gcc -c f.c -o /b/conftest.o", true },
	{ "a folder of that name is none", "gcc -c conftest/f.c", false },
	{ "what is linked of it", "gcc -o conftest -g conftest.o", true },
	{ "autosetup's", "gcc -c conftest__.c", true },
	{ "a program's own file", "gcc -c conftest_helpers.c", false },
	{ "another word", "gcc -c conftests.c", false },
	{ "libtool's", "gcc -c conftstm.c", true },
	{ "CMake's look at the compiler", "gcc CMakeCCompilerId.c", true },
	{ "and at what it can do",
	  "g++ -o CMakeFiles/cmTC_1b.dir/src.cxx.o -c "
	  "/b/CMakeFiles/CMakeScratch/TryCompile-1/src.cxx",
	  true },
	{ "CMake's own targets are none", "gcc -o CMakeFiles/f.dir/f.c.o -c /s/f.c", false },
	{ "Meson's sanity check", "cc sanitycheckc.c -o sanitycheckc.exe", true },
	{ "its tests", "cc /b/meson-private/tmp1/testfile.c -o /b/meson-private/tmp1/output.obj -c",
	  true },
	{ "crate cc's", "cc -o out/flag_check.o -c out/flag_check.c", true },
	{ "in a folder of this one", "gcc -c meson-private/f.c", true },
	{ "a program of standard input and more", "gcc own.c -x c - -o f", true },
	{ "in ffmpeg's folder", "gcc -c /tmp/ffconf.a1b2/test.c", true },
	{ "one of several sources", "gcc conftest.c own.c -o own", true },
	{ "the last of them", "gcc own.c conftest.c -o own", true },
	{ "what CMake writes into a folder of its own",
	  "gcc -c /s/f.c -o CMakeFiles/cmTC_1b.dir/f.c.o", true },
	{ "what is made of standard input and more", "gcc -x c -c - -x none g.c -o f.o", false },
	{ "a folder's name in part", "gcc -c my-meson-private/f.c", false },
	{ "an object of standard input", "gcc -x c -c - -o f.o", false },
	{ "wherever it lies", "gcc -x c -c - -o /tmp/project/f.o", false },
	{ "Linux' Makefiles try so", "gcc -Werror -c -x c /dev/null -o .tmp_123/tmp", true },
	{ "or of a module's", "gcc -c -x assembler-with-cpp -o /m/.tmp_123/tmp.o -", true },
	{ "not what they build there", "gcc -c f.c -o .tmp_123/f.o", false },
	{ "nor in another folder", "gcc -c f.c -o tmp_123/tmp.o", false },
	{ "cgo's", "gcc -w -o /tmp/go-build1/b001/_cgo_.o -c -xc -", true },
	{ "dune's", "gcc -o /b/c-test-0/test.o -c /b/c-test-0/test.c", true },
	{ "what it links", "gcc -o c-test-12/test.exe c-test-12/test.o", true },
	{ "a test of another folder", "gcc -c c-test-suite/test.c", false },
	{ "another one of a folder", "gcc -c c-test-0/mytest.c", false },
	{ "Devel::CheckLib's", "cc /tmp/assertlib1aB_x9Zz.c -o assertlib1aB_x9Zz", true },
	{ "longer", "cc -c assertlibrary_tests.c", false },
	{ "what CMake links", "cc CMakeFiles/own.o -o cmTC_1b2c3", true },
	{ "a name like it", "cc -c cmTC_driver.c", false },
	{ "zlib's", "cc -c ztest123.c", true },
	{ "its library", "cc -shared -o ztest123.so ztest123.o", true },
	{ "distutils'", "gcc -c _configtest.c -o _configtest.o", true },
	{ "assembly by crate cc's name", "gcc -c flag_check.s -o flag_check.o", false },
	{ "by Meson's", "gcc -c sanitycheckc.s", false },
	{ "by zlib's", "gcc -c ztest123.S -o ztest123.o", false },
	{ "by CMake's", "gcc -c cmTC_1b2c3.s -o cmTC_1b2c3", false },
	{ "by its other", "gcc -c CMakeCCompilerId.s", false },
	{ "by distutils'", "gcc _configtest.s -o _configtest", false },
	{ "gmp's is autoconf's", "gcc -c conftest.s -o conftest.o", true },
	{ "one that nobody names", "gcc -x c -c -", true },
	{ "a program of standard input", "gcc -static -x c - -o f", true },
	{ "what is written to a device", "gcc -c f.c -o /dev/null", true },
	{ "of standard input, too", "gcc -flto -c -x c - -o /dev/null", true },
	{ "a temporary object of standard input may be somebody's work",
	  "gcc -x c -c - -o /t/mp/a.o", false },
	{ "a temporary source and object may be somebody's work", "gcc -c /tmp/x.s -o /tmp/x.o",
	  false },
	{ "and so may a program", "gcc /tmp/x.c -o /tmp/x -lm", false },
};

START_TEST(a_build_system_asks_what_the_compiler_can_do)
{
	char *argv[ARGUMENTS_MAX], *line = split(probe_cases[_i].line, argv);
	struct compile_outputs outputs;
	struct error error;

	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(setenv("TMPDIR", "/t/mp", 1), 0);
	ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
	ck_assert_msg(outputs.probe == probe_cases[_i].probe, "%s", probe_cases[_i].rule);
	compile_outputs_deinit(&outputs);
	free(line);
}
END_TEST

START_TEST(a_build_system_has_a_folder_for_it)
{
	char *argv[] = { "gcc", "-c", "f.c", NULL };
	struct compile_outputs outputs;
	struct error error;

	ck_assert_int_eq(system("mkdir -p CMakeFiles/CMakeScratch/TryCompile-1"), 0);
	ck_assert_int_eq(chdir("CMakeFiles/CMakeScratch/TryCompile-1"), 0);
	ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
	ck_assert(outputs.probe);
	compile_outputs_deinit(&outputs);
}
END_TEST

/* What is written into a pipe is another's to read, and no file. */
START_TEST(an_output_that_keeps_nothing)
{
	char *argv[] = { "gcc", "-c", "f.c", "-o", "out", NULL };
	struct compile_outputs outputs;
	struct error error;

	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(i == 2 ? symlink("/dev/null", "out")
				 : i	? mkfifo("out", 0600)
					: system(": >out"),
				 0);
		ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
		ck_assert_int_eq(outputs.probe, i > 0);
		compile_outputs_deinit(&outputs);
		ck_assert_int_eq(unlink("out"), 0);
	}
}
END_TEST

static const struct {
	const char *rule, *arguments; /* with blanks between */
	enum compile_asker asker;
} asker_cases[] = {
	{ "a configure of any shell", "/bin/sh ../nginx/configure --with-x",
	  COMPILE_ASKER_CONFIGURES },
	{ "with the shell's options", "bash -eu +x ./configure", COMPILE_ASKER_CONFIGURES },
	{ "in another shell's name", "busybox sh ./configure", COMPILE_ASKER_CONFIGURES },
	{ "in Perl", "perl ./Configure linux-x86_64", COMPILE_ASKER_CONFIGURES },
	{ "in Python", "/usr/bin/python3.11 -B configure.py", COMPILE_ASKER_CONFIGURES },
	{ "autosetup's", "jimsh0 /s/autosetup/autosetup --prefix=/", COMPILE_ASKER_CONFIGURES },
	{ "a script of a common name", "sh ./config", COMPILE_ASKER_OTHER },
	{ "with something behind", "python3 config.py", COMPILE_ASKER_OTHER },
	{ "a program of that name", "./configure", COMPILE_ASKER_CONFIGURES },
	{ "a Perl module's", "perl Makefile.PL", COMPILE_ASKER_CONFIGURES },
	{ "one that is told to", "python3 ./waf configure", COMPILE_ASKER_CONFIGURES },
	{ "with options", "python3 ./waf configure --prefix=/build", COMPILE_ASKER_CONFIGURES },
	{ "one that is told to build, too", "python3 ./waf configure build", COMPILE_ASKER_OTHER },
	{ "later", "./Setup configure -v --user build_ext", COMPILE_ASKER_OTHER },
	{ "or to install", "python3 ./waf configure -j2 install", COMPILE_ASKER_OTHER },
	{ "CMake", "/usr/bin/cmake -S . -B build -DX=-E", COMPILE_ASKER_CONFIGURES },
	{ "CMake in a terminal", "ccmake build", COMPILE_ASKER_CONFIGURES },
	{ "CMake that builds", "cmake --build build", COMPILE_ASKER_OTHER },
	{ "that is a tool", "cmake -E env X=1 cc", COMPILE_ASKER_OTHER },
	{ "that runs a script", "cmake -DX=1 -P build.cmake", COMPILE_ASKER_OTHER },
	{ "that installs", "cmake --install build", COMPILE_ASKER_OTHER },
	{ "Meson", "/usr/bin/python3 /usr/bin/meson setup build", COMPILE_ASKER_CONFIGURES },
	{ "without a command", "python3 /usr/bin/meson build -Dx=test", COMPILE_ASKER_CONFIGURES },
	{ "Meson's options", "meson configure build", COMPILE_ASKER_CONFIGURES },
	{ "Meson that builds", "python3 /usr/bin/meson compile -C setup", COMPILE_ASKER_OTHER },
	{ "of its own file", "python3 ./meson.py setup b", COMPILE_ASKER_CONFIGURES },
	{ "that is asked for nothing", "meson", COMPILE_ASKER_OTHER },
	{ "or for nothing of its own", "meson --internal", COMPILE_ASKER_OTHER },
	{ "that tests", "python3 /usr/bin/meson test -C b", COMPILE_ASKER_OTHER },
	{ "that ninja asks to configure again", "python3 meson --internal regenerate . b",
	  COMPILE_ASKER_CONFIGURES },
	{ "that ninja asks to run something", "python3 meson --internal exe -- gcc",
	  COMPILE_ASKER_OTHER },
	{ "a shell's words", "sh -c configure", COMPILE_ASKER_OTHER },
	{ "an interpreter's words", "python3 -B -c configure", COMPILE_ASKER_OTHER },
	{ "a shell", "-bash", COMPILE_ASKER_OTHER },
	{ "one with options only", "sh -i", COMPILE_ASKER_OTHER },
	{ "a program that is told nothing", "./waf", COMPILE_ASKER_OTHER },
	{ "one whose folder is named so", "sh configure/run", COMPILE_ASKER_OTHER },
	{ "a script of another name", "sh build.sh configured", COMPILE_ASKER_OTHER },
	{ "one with it in its name", "sh ./reconfigure", COMPILE_ASKER_OTHER },
	{ "another one's file", "sh ./libtool --mode=compile", COMPILE_ASKER_OTHER },
	{ "nobody", "", COMPILE_ASKER_OTHER },
	{ "make", "/usr/bin/make -C configure", COMPILE_ASKER_BUILDS },
	{ "ninja", "ninja", COMPILE_ASKER_BUILDS },
	{ "cargo", "/usr/bin/cargo build", COMPILE_ASKER_BUILDS },
	{ "SCons", "/usr/bin/python3 /usr/bin/scons -j2", COMPILE_ASKER_BUILDS },
};

START_TEST(who_asks)
{
	char *text = strdup(asker_cases[_i].arguments);
	size_t size = *text ? strlen(text) + 1 : 0;

	for (size_t i = 0; i < size; i++)
		if (text[i] == ' ')
			text[i] = '\0';
	ck_assert_msg(compile_asker(text, size) == asker_cases[_i].asker, "%s",
		      asker_cases[_i].rule);
	free(text);
}
END_TEST

/* Programs that run the next one, up to one that waits: the nearest who says something has the word. */
static const struct {
	const char *rule, *chain;
	bool asked;
} chain_cases[] = {
	{ "a configure", "./configure", true },
	{ "through other scripts", "./configure ./build ./build", true },
	{ "a builder in between", "./configure ./make ./build", false },
	{ "a configure that is made", "./make ./configure", true },
	{ "a script", "./make ./build", false },
	{ "CMake", "./make ./cmake ./build", true },
	{ "through a name that looks like the end of one", "./configure './x) S 1'", true },
	{ "a builder that it asks", "./cmake ./make ./build", false },
};

/* The end of that chain is asked. */
static bool is_asked(const char *chain)
{
	char command[1024], line[32];
	bool asked;
	FILE *pipe;
	int pid;

	ck_assert_int_eq(system("printf '#!/bin/sh\n\"$@\"\nexit\n' >build && chmod +x build && "
				"cp build make && cp build configure && cp build cmake && "
				"cp build 'x) S 1'"),
			 0);
	snprintf(command, sizeof(command), "exec 2>/dev/null %s sh -c 'echo $$; exec sleep 3600'",
		 chain);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	pid = atoi(line);
	asked = compile_is_asked(pid);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	pclose(pipe);
	return asked;
}

START_TEST(who_asks_may_be_further_up)
{
	ck_assert_msg(is_asked(chain_cases[_i].chain) == chain_cases[_i].asked, "%s",
		      chain_cases[_i].rule);
}
END_TEST

/* The one at the end counts, and so does the script. */
START_TEST(so_many_processes_are_looked_at)
{
	char chain[1024] = "./configure";

	for (int i = 0; i < COMPILE_PROCESSES_MAX - 2; i++)
		strcat(chain, " ./build");
	ck_assert(is_asked(chain));
	ck_assert(!is_asked(strcat(chain, " ./build")));
}
END_TEST

static const struct {
	const char *rule, *asker, *line; /* who runs it, in place of this program's name */
	bool probe;
} asked_cases[] = {
	{ "a configure asks", "./configure", "gcc -c f.c", true },
	{ "with rustc, too", "./configure", "rustc f.rs", true },
	{ "who builds does not", "./make", "gcc -c f.c", false },
	{ "nor with rustc", "./make", "rustc f.rs", false },
	{ "nothing is written, whoever asks", "./configure", "gcc -E f.c", false },
	{ "nor by rustc", "./configure", "rustc --version f.rs", false },
};

/* /proc/PID/cmdline is the words' own memory. */
START_TEST(who_runs_it_may_be_a_configure)
{
	char *argv[ARGUMENTS_MAX], *line = split(asked_cases[_i].line, argv);
	size_t length = strlen(program_invocation_name);
	struct compile_outputs outputs;
	struct error error;
	int status;
	pid_t child;

	ck_assert_uint_ge(length, strlen(asked_cases[_i].asker));
	memset(program_invocation_name, 0, length);
	memcpy(program_invocation_name, asked_cases[_i].asker, strlen(asked_cases[_i].asker));
	child = fork();
	if (!child)
		_exit(compile_outputs_find(argv, &outputs, &error) ? 2 : outputs.probe);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == asked_cases[_i].probe, "%s: %x",
		      asked_cases[_i].rule, (unsigned int)status);
	free(line);
}
END_TEST

/* Only where a toolchain is installed are its libraries others'. */
START_TEST(a_toolchain_has_a_prefix)
{
	char *tools[] = { "tools/bin/gcc", "--sysroot=root", "f.c", NULL };
	char *script[] = { "own/bin/gcc", "--sysroot", "root", "f.c", NULL };
	char *named[] = { "my-gcc", "f.c", NULL };
	char *here = realpath(".", NULL), wanted[256];
	struct compile_outputs outputs;
	struct error error;

	ck_assert_int_eq(system("mkdir -p tools/bin tools/lib/gcc own/bin own/lib bin root && "
				"cp /bin/true tools/bin/gcc && cp /bin/true own/bin/gcc && "
				"ln -s ../tools/bin/gcc bin/my-gcc"),
			 0);
	snprintf(wanted, sizeof(wanted), "%s/tools", here);
	ck_assert_int_eq(compile_outputs_find(tools, &outputs, &error), 0);
	ck_assert_str_eq(outputs.prefix, wanted);
	ck_assert_str_eq(compile_base_name(outputs.sysroot), "root");
	compile_outputs_deinit(&outputs);
	ck_assert_int_eq(compile_outputs_find(script, &outputs, &error), 0);
	ck_assert_ptr_null(outputs.prefix);
	ck_assert_str_eq(compile_base_name(outputs.sysroot), "root");
	compile_outputs_deinit(&outputs);
	ck_assert_int_eq(setenv("PATH", "bin", 1), 0);
	ck_assert_int_eq(compile_outputs_find(named, &outputs, &error), 0);
	ck_assert_str_eq(outputs.prefix, wanted);
	compile_outputs_deinit(&outputs);
	free(here);
}
END_TEST

static const struct {
	const char *name;
	bool is_compiler;
} name_cases[] = {
	{ "gcc", true },
	{ "g++-12", true },
	{ "x86_64-linux-gnu-gcc-12", true },
	{ "clang++-14.0", true },
	{ "cc", true },
	{ "rustc", true },
	{ "musl-gcc", true },
	{ "stackproof", false },
	{ "gcc-ar", false },
	{ "gcc-ar-12", false },
	{ "clang-format-14", false },
	{ "gcc12x", false },
	{ "-12", false },
	{ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-gcc",
	  true }, /* as long as one can be */
	{ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-gcc", false },
	{ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-gcc",
	  false },
	{ "", false },
};

START_TEST(a_compilers_name)
{
	ck_assert_msg(compile_is_name(name_cases[_i].name) == name_cases[_i].is_compiler, "%s",
		      name_cases[_i].name);
}
END_TEST

static const struct {
	const char *rule, *line;
	size_t at; /* the compiler's word */
} launcher_cases[] = {
	{ "no launcher", "gcc ccache", 0 },
	{ "one", "ccache gcc", 1 },
	{ "each of them", "/usr/bin/nice ccache distcc gcc ccache", 3 },
	{ "one alone is the compiler", "ccache", 0 },
	{ "the last, too", "nice ccache", 1 },
};

START_TEST(the_compiler_is_behind_its_launchers)
{
	char *argv[ARGUMENTS_MAX], *line = split(launcher_cases[_i].line, argv);

	ck_assert_msg(compile_find(argv) == argv + launcher_cases[_i].at, "%s",
		      launcher_cases[_i].rule);
	free(line);
}
END_TEST

/* This program is first in PATH under that name: the next of the name is it, and the folder goes. */
START_TEST(the_next_program_of_the_name_is_the_compiler)
{
	char *found, *kept;
	bool skipped;

	ck_assert_int_eq(system("mkdir -p links others folders/gcc && "
				"ln -s /proc/$PPID/exe links/gcc && echo >others/gcc && "
				"chmod +x others/gcc && echo >others/cc && cp others/gcc here-gcc"),
			 0);
	ck_assert_int_eq(setenv("PATH", "none:folders:links:none:others::/bin", 1), 0);
	found = compile_find_other("gcc", &skipped);
	ck_assert_str_eq(found, "others/gcc");
	ck_assert(skipped);
	free(found);
	found = compile_find_other("cc", &skipped); /* what can't be executed is no program */
	ck_assert(!found || !strcmp(found, "/bin/cc"));
	ck_assert(!skipped);
	free(found);
	ck_assert_ptr_null(compile_find_other("no-such-gcc", &skipped));
	compile_leave_path("gcc");
	kept = getenv("PATH");
	ck_assert_str_eq(kept, "none:folders:none:others::/bin");
	found = compile_find_other("here-gcc", &skipped); /* an empty word is this folder */
	ck_assert_str_eq(found, "./here-gcc");
	free(found);
	ck_assert_int_eq(setenv("PATH", "others:links", 1), 0);
	found = compile_find_other("gcc", &skipped);
	ck_assert_str_eq(found, "others/gcc");
	ck_assert(!skipped); /* it was first */
	free(found);
}
END_TEST

static const struct {
	const char *rule, *arguments, *variable, *value, *expected; /* NULL: it is not meant */
} named_cases[] = {
	{ "RUSTC_WRAPPER's way", "stackproof rustc -vV", "A", "", "cc rustc -vV" },
	{ "a compiler in the command's place", "stackproof /usr/bin/gcc-12 f.c", "A", "",
	  "cc /usr/bin/gcc-12 f.c" },
	{ "with options", "stackproof g++ f.c", "STACKPROOF_CC_OPTIONS", "--warn  --no-link",
	  "cc --warn --no-link g++ f.c" },
	{ "the command is none", "stackproof cc gcc f.c", "A", "", NULL },
	{ "nor is another", "stackproof lint f.o", "A", "", NULL },
	{ "nothing", "stackproof", "A", "", NULL },
	{ "-E alone means what CC says", "stackproof -E f.c", "CC", "/x/stackproof cc clang -O2",
	  "cc clang -O2 -E f.c" },
	{ "behind cc's own options", "stackproof -E f.c", "CC",
	  "stackproof cc --warn --no-link gcc", "cc gcc -E f.c" },
	{ "which need not be named", "stackproof -E f.c", "CC", "  stackproof  clang -O2",
	  "cc clang -O2 -E f.c" },
	{ "a compiler that is not said", "stackproof -E f.c", "CC", "stackproof cc --warn",
	  "cc cc -E f.c" },
	{ "another program's name", "stackproof -E f.c", "CC", "stackproofs cc gcc",
	  "cc cc -E f.c" },
	{ "with our options before it", "stackproof -E f.c", "STACKPROOF_CC_OPTIONS", "--warn",
	  "cc --warn cc -E f.c" },
	{ "or CC of a target", "stackproof -E f.c", "CC_x86_64_unknown_linux_gnu",
	  "stackproof cc gcc-12", "cc gcc-12 -E f.c" },
	{ "or CXX of one", "stackproof -E f.cc", "CXX_x86_64_unknown_linux_gnu",
	  "stackproof cc g++-12", "cc g++-12 -E f.cc" },
	{ "else cc", "stackproof -E f.c", "CC", "gcc", "cc cc -E f.c" },
};

START_TEST(a_command_line_that_means_cc)
{
	char *argv[ARGUMENTS_MAX], *line = split(named_cases[_i].arguments, argv);
	char **words = NULL, text[256] = "";

	unsetenv("CXX");
	unsetenv("CC");
	ck_assert_int_eq(setenv(named_cases[_i].variable, named_cases[_i].value, 1), 0);
	ck_assert_int_eq(compile_named(argv, &words),
			 named_cases[_i].expected ? COMPILE_NAMED : COMPILE_NOT_NAMED);
	for (char **word = words; word && *word; word++)
		sprintf(text + strlen(text), "%s%s", word == words ? "" : " ", *word);
	if (named_cases[_i].expected)
		ck_assert_msg(!strcmp(text, named_cases[_i].expected), "%s: %s",
			      named_cases[_i].rule, text);
	free(words);
	free(line);
}
END_TEST

/* C's is meant before C++'s, and everybody's before a target's. */
START_TEST(the_first_variable_is_meant)
{
	char **words;

	ck_assert_int_eq(setenv("CC", "stackproof cc gcc-12", 1), 0);
	ck_assert_int_eq(setenv("CXX", "stackproof cc g++-12", 1), 0);
	ck_assert_int_eq(setenv("CC_x86_64", "stackproof cc clang", 1), 0);
	words = compile_of_environment();
	ck_assert_str_eq(words[0], "gcc-12");
	ck_assert_ptr_null(words[1]);
	ck_assert_int_eq(setenv("CC", "clang", 1), 0);
	words = compile_of_environment();
	ck_assert_str_eq(words[0], "g++-12");
	ck_assert_ptr_null(words[1]);
}
END_TEST

/* The compiler finds itself, and not this program again. */
START_TEST(a_link_to_this_program_is_taken_out_of_path)
{
	char *argv[] = { "links/gcc", "-c", "f.c", NULL }, **words;

	ck_assert_int_eq(system("mkdir links others && ln -s /proc/$PPID/exe links/gcc && "
				"echo >others/gcc && chmod +x others/gcc"),
			 0);
	ck_assert_int_eq(setenv("PATH", "links:others:links", 1), 0);
	ck_assert_int_eq(setenv(COMPILE_OPTIONS_VARIABLE, "--warn", 1), 0);
	ck_assert_int_eq(compile_named(argv, &words), COMPILE_NAMED);
	ck_assert_str_eq(words[0], "cc");
	ck_assert_str_eq(words[1], "--warn");
	ck_assert_str_eq(words[2], "others/gcc");
	ck_assert_str_eq(words[3], "-c");
	ck_assert_str_eq(words[4], "f.c");
	ck_assert_ptr_null(words[5]);
	ck_assert_str_eq(getenv("PATH"), "others");
	free(words[2]);
	free(words);
}
END_TEST

/* A link to this program, and no compiler behind it. */
START_TEST(a_link_without_a_compiler)
{
	char *argv[] = { "/links/no-such-gcc", "-c", NULL }, **words = NULL;

	ck_assert_int_eq(compile_named(argv, &words), COMPILE_NAMED_NOWHERE);
	ck_assert_ptr_null(words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compile_named");
	TCase *lines = tcase_create("lines");

	tcase_add_checked_fixture(lines, enter, leave);
	tcase_add_loop_test(lines, a_build_system_asks_what_the_compiler_can_do, 0,
			    COUNT(probe_cases));
	tcase_add_test(lines, a_build_system_has_a_folder_for_it);
	tcase_add_test(lines, an_output_that_keeps_nothing);
	tcase_add_loop_test(lines, who_asks, 0, COUNT(asker_cases));
	tcase_add_loop_test(lines, who_asks_may_be_further_up, 0, COUNT(chain_cases));
	tcase_add_test(lines, so_many_processes_are_looked_at);
	tcase_add_loop_test(lines, who_runs_it_may_be_a_configure, 0, COUNT(asked_cases));
	tcase_add_test(lines, a_toolchain_has_a_prefix);
	tcase_add_loop_test(lines, a_compilers_name, 0, COUNT(name_cases));
	tcase_add_loop_test(lines, the_compiler_is_behind_its_launchers, 0, COUNT(launcher_cases));
	tcase_add_test(lines, the_next_program_of_the_name_is_the_compiler);
	tcase_add_loop_test(lines, a_command_line_that_means_cc, 0, COUNT(named_cases));
	tcase_add_test(lines, the_first_variable_is_meant);
	tcase_add_test(lines, a_link_to_this_program_is_taken_out_of_path);
	tcase_add_test(lines, a_link_without_a_compiler);
	suite_add_tcase(suite, lines);
	return run(suite);
}
