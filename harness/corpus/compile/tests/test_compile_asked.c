/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile_asked.c - `stackproof cc`: who runs the compiler, a script that configures or somebody who builds
 */
#include <signal.h>
#include <sys/wait.h>
#include "tests/suite.h"
#include "corpus/compile/compile_line.h"
#include "compile_fixture.h"

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

/* arguments: with blanks between. */
static enum compile_asker asker_of(const char *arguments)
{
	FREED char *text = strdup(arguments);
	size_t size = *text ? strlen(text) + 1 : 0;
	enum compile_asker asker;

	for (size_t i = 0; i < size; i++)
		if (text[i] == ' ')
			text[i] = '\0';
	asker = compile_asker(text, size);
	return asker;
}

START_TEST(who_asks)
{
	ck_assert_msg(asker_of(asker_cases[_i].arguments) == asker_cases[_i].asker, "%s",
		      asker_cases[_i].rule);
}
END_TEST

/* What is said of one is so of each. */
static const struct {
	const char *rule, *arguments; /* with one of the words for %s */
	const char *words;	      /* with blanks between */
	enum compile_asker asker;
} asker_lists[] = {
	{ "an interpreter's script", "%s -x ./configure",
	  "sh dash bash ksh mksh ash zsh yash perl ruby busybox perl5.36 ruby2.7 ruby3.1 python "
	  "python2 python3 python3.11 tclsh tclsh8.6 jimsh jimsh0 /bin/sh",
	  COMPILE_ASKER_CONFIGURES },
	{ "another program's", "%s ./configure", "cat env shx xsh python1 ruby1 fish sudo",
	  COMPILE_ASKER_OTHER },
	{ "who configures", "/s/%s --with-x",
	  "configure configure.py configure.sh Configure Configure.pl autosetup Makefile.PL "
	  "Build.PL extconf.rb",
	  COMPILE_ASKER_CONFIGURES },
	{ "in part", "/s/%s --with-x",
	  "configures reconfigure Configures autosetup.tcl Makefile Makefile.PLX Build xextconf.rb "
	  "extconf.rbx configure/x",
	  COMPILE_ASKER_OTHER },
	{ "who builds", "/usr/bin/%s -j2",
	  "make gmake bmake ninja ninja-build samu cargo go bazel buck2 scons tup b2",
	  COMPILE_ASKER_BUILDS },
	{ "in part", "/usr/bin/%s configured", "makex cmakes ninjas gomake b22 buck make/x",
	  COMPILE_ASKER_OTHER },
	{ "what CMake does else", "cmake -DX=1 %s x", "--build --install --open -E -P",
	  COMPILE_ASKER_OTHER },
	{ "what begins so", "ccmake %s x", "--builds --build=x -Ex -e -p -P=x",
	  COMPILE_ASKER_CONFIGURES },
	{ "what Meson does else", "meson %s setup",
	  "compile install test dist devenv introspect wrap subprojects rewrite env2mfile help "
	  "init "
	  "format fmt convert runpython reprotest",
	  COMPILE_ASKER_OTHER },
	{ "what it sets up", "meson %s compile", "setup configure build tests -Dx=1 .",
	  COMPILE_ASKER_CONFIGURES },
	{ "what it does for ninja", "meson --internal %s regenerate", "exe regenerated install",
	  COMPILE_ASKER_OTHER },
	{ "who builds at once", "./waf configure -v %s",
	  "build build_ext install installdata bdist bdist_wheel all check test",
	  COMPILE_ASKER_OTHER },
	{ "who does not", "./waf configure -v %s", "rebuild reinstall alls checks tests --build",
	  COMPILE_ASKER_CONFIGURES },
	{ "another word first", "./waf %s configure", "build configures -v", COMPILE_ASKER_OTHER },
};

START_TEST(each_name_of_an_asker_counts)
{
	FREED char *list = strdup(asker_lists[_i].words);
	char *rest = list, *word, arguments[128];

	while ((word = strsep(&rest, " "))) {
		snprintf(arguments, sizeof(arguments), asker_lists[_i].arguments, word);
		ck_assert_msg(asker_of(arguments) == asker_lists[_i].asker, "%s: %s",
			      asker_lists[_i].rule, arguments);
	}
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

SUITE(compile_asked, FIXTURE(folder_enter, folder_remove), LOOP(who_asks, asker_cases),
      LOOP(each_name_of_an_asker_counts, asker_lists),
      LOOP(who_asks_may_be_further_up, chain_cases), TEST(so_many_processes_are_looked_at),
      LOOP(who_runs_it_may_be_a_configure, asked_cases))
