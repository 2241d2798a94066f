/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_probe.c - is a compilation only a question what the compiler can do?
 *
 * Such a program is thrown away. What counts is the compiler's status, and mostly its messages, too: a line more
 * and the answer is another one (autoconf's ac_c_werror_flag, the boilerplate of libtool, crate cc's
 * flag_check.c). So of these nothing is looked at. They are known by what becomes of it, by who asks, and by names:
 *
 *	nothing is kept		the output is a device, or of standard input a program or "-.o"
 *	a configure asks	some process that runs this one is such a script (compile_asked.c)
 *	autoconf		conftest.c, conftest2.c, conftest; autosetup, mkmf, distutils' _configtest.c
 *	CMake			CMakeFiles/CMakeScratch (and CMakeTmp), cmTC_1a2b3, CMakeCCompilerId.c
 *	Meson			meson-private, sanitycheckc.c
 *	Linux			.tmp_1234/tmp
 *	others			waf's .conf_check_*, SCons' .sconf_temp, qmake's config.tests, ffmpeg's ffconf.*, zlib's
 *				ztest123.c, crate cc's flag_check.c, cgo's _cgo_.o, dune's c-test-1/test.c,
 *				Devel::CheckLib's assertlib12345678.c
 *
 * Names are for those whose tests are run by make or ninja, as a build's files are. Those systems write their tests
 * in C and its like: assembly by such a name is somebody's work, but for autoconf's (gmp's conftest.s).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "freed.h"
#include "compile_line.h"

/* "conftest" and no letter behind it: conftest_helpers.c is a program's own, perhaps; conftest2.c is none. */
static bool is_conftest(const char *name)
{
	const char *behind = name + strlen("conftest");

	return !strncmp(name, "conftest", strlen("conftest")) && !isalpha((unsigned char)*behind) &&
	       !(behind[0] == '_' && isalpha((unsigned char)behind[1]));
}

static bool is_probe_folder(const char *path)
{
	static const char *const folders[] = {
		"/CMakeFiles/CMakeScratch/",
		"/CMakeFiles/CMakeTmp/",
		"/CMakeFiles/cmTC_",
		"/meson-private/",
		"/.conf_check_",
		"/.sconf_temp/",
		"/config.tests/",
		"/conftest.dir/",
		"/ffconf.",
	};
	FREED char *closed = NULL;

	if (asprintf(&closed, "/%s/", path) < 0)
		return false;
	return ARRAY_ANY(ARRAY_COUNT(folders), i, strstr(closed, folders[i]));
}

#define HEXADECIMAL "[0-9a-f]"

static bool is_probe_source(const char *path)
{
	static const char *const patterns[] = {
		"conftst[am].*",
		"_configtest.c",
		"_configtest.cxx",
		"_configtest.f",
		"_configtest.f90",
		"sanitycheckc.c",
		"sanitycheckcpp.cc",
		"sanitycheckobjc.m",
		"sanitycheckobjcpp.mm",
		"sanitycheckf.f90",
		"sanitycheckcuda.cu",
		"CMakeCCompilerId.c",
		"CMakeCXXCompilerId.cpp",
		"CMakeOBJCCompilerId.m",
		"CMakeOBJCXXCompilerId.mm",
		"CMakeFortranCompilerId.F",
		"CMakeCUDACompilerId.cu",
		"CMakeHIPCompilerId.hip",
		"flag_check.c",
		"flag_check.cpp",
		"flag_check.cu",
		"ztest[0-9]*.c",
		"c-test-[0-9]*/test.c",
		"assertlib????????.c",
	};

	return HAS_NAME(path, patterns) || is_conftest(compile_base_name(path)) ||
	       is_probe_folder(path);
}

/* What no source that is written by hand becomes. */
static bool is_probe_output(const char *path)
{
	static const char *const patterns[] = { ".tmp_*/tmp*" };

	return HAS_NAME(path, patterns) || is_conftest(compile_base_name(path)) ||
	       is_probe_folder(path);
}

/* Of objects, or of standard input: it has the name of a source that is known. */
static bool is_probe_result(const char *path)
{
	static const char *const patterns[] = {
		"conftst[am].*",
		"_configtest",
		"_configtest.so",
		"cmTC_" HEXADECIMAL HEXADECIMAL HEXADECIMAL HEXADECIMAL HEXADECIMAL,
		"ztest[0-9]*",
		"_cgo_.o",
		"c-test-[0-9]*/test.exe",
	};

	return HAS_NAME(path, patterns);
}

/* ---- what becomes of it -------------------------------------------------------------------- */

static bool is_device(const char *path)
{
	struct stat status;

	return path && !stat(path, &status) &&
	       (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode));
}

static bool is_from_input(const struct compile_line *line)
{
	for (size_t i = 0; i < line->sources.count; i++)
		if (!strcmp(line->sources.text[i], "-"))
			return !line->compile_only || !line->output;
	return false;
}

static bool is_named(const struct compile_line *line, const char *folder)
{
	bool found = folder && is_probe_folder(folder), source = false;

	for (size_t i = 0; i < line->sources.count; i++) {
		found |= is_probe_source(line->sources.text[i]);
		source |= strcmp(line->sources.text[i], "-") != 0;
	}
	return found || (line->output && (is_probe_output(line->output) ||
					  (!source && is_probe_result(line->output))));
}

bool compile_is_probe(const struct compile_line *line)
{
	FREED char *folder = getcwd(NULL, 0);

	return is_named(line, folder) || is_device(line->output) || is_from_input(line) ||
	       compile_is_asked(getppid());
}
