/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile_named.c - `stackproof cc` where people build: what build systems only ask, and compilers' names
 *
 * Who asks is in test_compile_asked.c.
 */
#include <sys/stat.h>
#include "tests/suite.h"
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

/* What is said of one is so of each. */
static const struct {
	const char *rule, *line; /* with one of the words for %s */
	const char *words;	 /* with blanks between */
	bool probe;
} probe_lists[] = {
	{ "a source that a build system writes", "gcc -c /b/%s -o /b/f.o",
	  "conftest.c conftest.cpp conftest.s conftest0.c conftest_1.c conftsta.c "
	  "conftstm.cc "
	  "_configtest.c _configtest.cxx _configtest.f _configtest.f90 sanitycheckc.c "
	  "sanitycheckcpp.cc sanitycheckobjc.m sanitycheckobjcpp.mm sanitycheckf.f90 "
	  "sanitycheckcuda.cu CMakeCCompilerId.c CMakeCXXCompilerId.cpp CMakeOBJCCompilerId.m "
	  "CMakeOBJCXXCompilerId.mm CMakeFortranCompilerId.F CMakeCUDACompilerId.cu flag_check.c "
	  "flag_check.cpp flag_check.cu ztest1.c ztest123.c c-test-0/test.c c-test-12/test.c "
	  "assertlib12345678.c",
	  true },
	{ "one of that name in part", "gcc -c /b/%s -o /b/f.o",
	  "my_conftest.c conftest_own.c conftestb.c conftstb.c my_configtest.c _configtest.cpp "
	  "sanitycheck.c sanitycheckc.cc CMakeCompilerId.c myflag_check.c flag_check.cc ztest.c "
	  "ztestx.c c-test-0/a/test.c c-test-x/test.c assertlib1234567.c assertlib123456789.c",
	  false },
	{ "in a language that has no suffix", "gcc -x c++ -c %s -o f.o", "CMakeHIPCompilerId.hip",
	  true },
	{ "a folder", "gcc -c %s/f.c -o f.o",
	  "CMakeFiles/CMakeScratch /b/CMakeFiles/CMakeScratch/TryCompile-1 CMakeFiles/CMakeTmp "
	  "CMakeFiles/cmTC_1a.dir meson-private /b/meson-private/tmp .conf_check_1a "
	  "/b/.conf_check_1a/test .sconf_temp config.tests/x conftest.dir ffconf.1 /tmp/ffconf.1/a",
	  true },
	{ "an output there", "gcc -c f.c -o %s/f.o",
	  "CMakeFiles/CMakeScratch CMakeFiles/CMakeTmp CMakeFiles/cmTC_1a.dir meson-private "
	  ".conf_check_1a .sconf_temp config.tests/x conftest.dir ffconf.1",
	  true },
	{ "a folder that is called so in part", "gcc -c %s/f.c -o f.o",
	  "CMakeScratch CMakeTmp CMakeFiles/f.dir cmTC_1a xmeson-private meson-privates "
	  "conf_check_1a sconf_temp .sconf_tempx config.tests.x conftest.dirs xffconf.1",
	  false },
	{ "what is linked of objects", "gcc own.o -o /b/%s",
	  "conftest conftest2 conftsta.x conftstm.out _configtest _configtest.so cmTC_1a2b3 ztest1 "
	  "ztest12.so _cgo_.o c-test-1/test.exe .tmp_1/tmp",
	  true },
	{ "what is of its name in part", "gcc own.o -o /b/%s",
	  "conftests conftst _configtests cmTC_1a2b cmTC_1a2b3c cmTC_1a2bg ztest _cgo_.os "
	  "c-test-1/tests.exe tmp_1/tmp",
	  false },
	{ "which is not that of a source", "gcc own.s -o /b/%s",
	  "conftsta.x _configtest _configtest.so cmTC_1a2b3 ztest1 _cgo_.o c-test-1/test.exe",
	  false },
	{ "nor of a source beside standard input", "gcc own.s -x c - -c -o /b/%s",
	  "_configtest cmTC_1a2b3 ztest1", false },
};

START_TEST(each_name_of_a_probe_counts)
{
	FREED char *list = strdup(probe_lists[_i].words);
	char *rest = list, *word;
	struct compile_outputs outputs;
	struct error error;

	ck_assert_int_eq(chdir("/"), 0);
	while ((word = strsep(&rest, " "))) {
		char text[128], *argv[ARGUMENTS_MAX], *line;

		snprintf(text, sizeof(text), probe_lists[_i].line, word);
		line = split(text, argv);
		ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
		ck_assert_msg(outputs.probe == probe_lists[_i].probe, "%s: %s",
			      probe_lists[_i].rule, text);
		compile_outputs_deinit(&outputs);
		free(line);
	}
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

/* Only where a toolchain is installed are its libraries others'. */
START_TEST(a_toolchain_has_a_prefix)
{
	char *tools[] = { "tools/bin/gcc", "--sysroot=root", "f.c", NULL };
	char *script[] = { "own/bin/gcc", "--sysroot", "root", "f.c", NULL };
	char *named[] = { "my-gcc", "f.c", NULL };
	FREED char *here = realpath(".", NULL);
	char wanted[256], root[256];
	struct compile_outputs outputs;
	struct error error;

	ck_assert_int_eq(system("mkdir -p tools/bin tools/lib/gcc own/bin own/lib bin root && "
				"cp /bin/true tools/bin/gcc && cp /bin/true own/bin/gcc && "
				"ln -s ../tools/bin/gcc bin/my-gcc"),
			 0);
	snprintf(wanted, sizeof(wanted), "%s/tools", here);
	ck_assert_int_eq(compile_outputs_find(tools, &outputs, &error), 0);
	ck_assert_str_eq(outputs.prefix, wanted);
	snprintf(root, sizeof(root), "%s/root", here); /* as the linker's files are named */
	ck_assert_str_eq(outputs.sysroot, root);
	compile_outputs_deinit(&outputs);
	ck_assert_int_eq(compile_outputs_find(script, &outputs, &error), 0);
	ck_assert_ptr_null(outputs.prefix);
	ck_assert_str_eq(outputs.sysroot, root);
	compile_outputs_deinit(&outputs);
	ck_assert_int_eq(setenv("PATH", "bin", 1), 0);
	ck_assert_int_eq(compile_outputs_find(named, &outputs, &error), 0);
	ck_assert_str_eq(outputs.prefix, wanted);
	compile_outputs_deinit(&outputs);
}
END_TEST

/* Beside the compiler's bin lies what it needs for itself. */
static const struct {
	const char *rule, *beside, *compiler; /* a folder or NULL, a program; both below "t" */
	bool found;
} prefix_cases[] = {
	{ "GCC's", "lib/gcc", "bin/gcc", true },
	{ "of 64 bits", "lib64/gcc", "bin/gcc", true },
	{ "its programs", "libexec/gcc", "bin/gcc", true },
	{ "clang's", "lib/clang", "bin/clang", true },
	{ "of 64 bits, too", "lib64/clang", "bin/clang", true },
	{ "tcc's", "lib/tcc", "bin/tcc", true },
	{ "rustc's", "lib/rustlib", "bin/rustc", true },
	{ "whatever the compiler is called", "lib/gcc", "bin/mine", true },
	{ "nothing", "lib", "bin/gcc", false },
	{ "another's library", "lib/gccs", "bin/gcc", false },
	{ "a compiler beside bin", "lib/gcc", "own/gcc", false },
	{ "in a folder that ends so", "lib/gcc", "own-bin/gcc", false },
	{ "in a folder below it", "lib/gcc", "bin/own/gcc", false },
	{ "in no folder", "lib/gcc", "gcc", false },
	{ "that is not there", "lib/gcc", NULL, false },
};

START_TEST(what_a_toolchain_has_beside_it)
{
	char command[256], path[64], *prefix, *wanted;

	snprintf(path, sizeof(path), "t/%s", prefix_cases[_i].compiler ?: "bin/none");
	snprintf(command, sizeof(command), "mkdir -p t/%s t/bin/own t/own t/own-bin",
		 prefix_cases[_i].beside);
	ck_assert_int_eq(system(command), 0);
	wanted = realpath("t", NULL);
	if (prefix_cases[_i].compiler)
		file_write_text(path, "");
	prefix = compile_prefix(path);
	ck_assert_msg(!prefix == !prefix_cases[_i].found, "%s: %s", prefix_cases[_i].rule,
		      prefix ?: "none");
	if (prefix)
		ck_assert_str_eq(prefix, wanted);
	free(prefix);
	free(wanted);
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

/* Each compiler that may be linked to, and each linker. */
START_TEST(each_compiler_has_its_name)
{
	static const char *const names[] = {
		"gcc", "g++",	  "cc",	   "c++", "clang", "clang++", "rustc", "gfortran",
		"gdc", "gnatgcc", "gccgo", "tcc", "c89",   "c99",     "icx",   "icpx",
	};
	static const char *const linkers[] = {
		"ld", "ld.bfd", "ld.gold", "ld.lld", "gold", "mold"
	};
	char name[64];

	for (int i = 0; i < COUNT(names); i++) {
		ck_assert_msg(compile_is_name(names[i]), "%s", names[i]);
		snprintf(name, sizeof(name), "x86_64-linux-gnu-%s-14.2", names[i]);
		ck_assert_msg(compile_is_name(name), "%s", name);
		snprintf(name, sizeof(name), "%sx", names[i]);
		ck_assert_msg(!compile_is_name(name), "%s", name);
		ck_assert_msg(!compile_is_linker(names[i]), "%s", names[i]);
	}
	for (int i = 0; i < COUNT(linkers); i++) {
		ck_assert_msg(compile_is_linker(linkers[i]), "%s", linkers[i]);
		snprintf(name, sizeof(name), "/usr/bin/x86_64-linux-gnu-%s", linkers[i]);
		ck_assert_msg(compile_is_linker(name), "%s", name);
		snprintf(name, sizeof(name), "my%s", linkers[i]);
		ck_assert_msg(!compile_is_linker(name), "%s", name);
		ck_assert_msg(!compile_is_name(linkers[i]), "%s", linkers[i]);
	}
}
END_TEST

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

/* Only the folders with a link go; an empty word at the begin or end stays. */
START_TEST(path_keeps_what_else_it_has)
{
	static const struct {
		const char *path, *kept;
	} paths[] = {
		{ ":links:others", ":others" },
		{ "links::others", ":others" },
		{ "others:links:", "others:" },
		{ "links:others:links2:links", "others" },
		{ "links", "" },
		{ "links:links2", "" },
		{ "linksx:others:/links", "linksx:others:/links" },
	};
	bool skipped;

	ck_assert_int_eq(
		system("mkdir links links2 others linksx && ln -s /proc/$PPID/exe links/gcc && "
		       "cp -P links/gcc links2 && cp -P links/gcc linksx/cc && "
		       "echo >others/gcc && chmod +x others/gcc"),
		0);
	for (int i = 0; i < COUNT(paths); i++) {
		ck_assert_int_eq(setenv("PATH", paths[i].path, 1), 0);
		compile_leave_path("gcc");
		ck_assert_str_eq(getenv("PATH"), paths[i].kept);
	}
	unsetenv("PATH");
	compile_leave_path("gcc");
	ck_assert_ptr_null(getenv("PATH"));
	skipped = true;
	ck_assert_ptr_null(compile_find_other("gcc", &skipped));
	ck_assert(!skipped);
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
	{ "in any folder, whatever it is called", "stackproof /usr/bin/cc f.c", "A", "",
	  "cc /usr/bin/cc f.c" },
	{ "the command is none", "stackproof cc gcc f.c", "A", "", NULL },
	{ "though a compiler is called so", "stackproof cc", "A", "", NULL },
	{ "nor is what is asked of another", "stackproof lint -E gcc", "A", "", NULL },
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
	{ "or a target's, by another name", "stackproof -E f.c", "TARGET_CC", "stackproof cc clang",
	  "cc clang -E f.c" },
	{ "or the machine's that builds", "stackproof -E f.c", "HOST_CC", "stackproof cc clang",
	  "cc clang -E f.c" },
	{ "or C++'s of a target", "stackproof -E f.c", "TARGET_CXX", "stackproof cc clang++",
	  "cc clang++ -E f.c" },
	{ "not what only begins so", "stackproof -E f.c", "CCX", "stackproof cc clang",
	  "cc cc -E f.c" },
	{ "nor C++'s", "stackproof -E f.c", "CXXX", "stackproof cc clang", "cc cc -E f.c" },
	{ "a command that is called cc", "stackproof -E f.c", "CC", "stackproof ccache gcc",
	  "cc ccache gcc -E f.c" },
	{ "nothing behind it", "stackproof -E f.c", "CC", "stackproof cc", "cc cc -E f.c" },
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
	static const char *const names[] = { "CC",	"CXX",	      "TARGET_CC",
					     "HOST_CC", "TARGET_CXX", "CC_x86_64" };
	char value[64], **words;

	for (int i = 0; i < COUNT(names); i++) {
		snprintf(value, sizeof(value), "stackproof cc gcc-%d", i);
		ck_assert_int_eq(setenv(names[i], value, 1), 0);
	}
	for (int i = 0; i < COUNT(names); i++) {
		snprintf(value, sizeof(value), "gcc-%d", i);
		words = compile_of_environment();
		ck_assert_str_eq(words[0], value);
		ck_assert_ptr_null(words[1]);
		free(words);
		/* One that has nothing of ours is none. */
		ck_assert_int_eq(i % 2 ? unsetenv(names[i]) : setenv(names[i], "clang -O2", 1), 0);
	}
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

SUITE(compile_named, FIXTURE(folder_enter, folder_remove),
      LOOP(a_build_system_asks_what_the_compiler_can_do, probe_cases),
      LOOP(each_name_of_a_probe_counts, probe_lists), TEST(a_build_system_has_a_folder_for_it),
      TEST(an_output_that_keeps_nothing), TEST(a_toolchain_has_a_prefix),
      LOOP(what_a_toolchain_has_beside_it, prefix_cases), TEST(each_compiler_has_its_name),
      TEST(path_keeps_what_else_it_has), LOOP(a_compilers_name, name_cases),
      LOOP(the_compiler_is_behind_its_launchers, launcher_cases),
      TEST(the_next_program_of_the_name_is_the_compiler),
      LOOP(a_command_line_that_means_cc, named_cases), TEST(the_first_variable_is_meant),
      TEST(a_link_to_this_program_is_taken_out_of_path), TEST(a_link_without_a_compiler))
