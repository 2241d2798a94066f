/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_probe.c - is a compilation only a build system's question what the compiler can do?
 *
 * Such a program is thrown away. What counts is the compiler's status, and mostly its messages, too: a line more
 * and the answer is another one (autoconf's ac_c_werror_flag, the boilerplate of libtool, crate cc's
 * flag_check.c). So of these nothing is looked at. They are known by their names and folders, which build
 * systems have kept for decades:
 *
 *	autoconf	conftest.c, conftest2.c, conftest; autosetup, mkmf, distutils' _configtest.c
 *	CMake		CMakeFiles/CMakeScratch (and CMakeTmp), cmTC_*, CMakeCCompilerId.c
 *	Meson		meson-private, sanitycheckc.c
 *	others		waf's .conf_check_*, SCons' .sconf_temp, qmake's config.tests, ffmpeg's ffconf.*, zlib's ztest*.c,
 *			crate cc's flag_check.c
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "compile/compile_line.h"

/* "conftest" and no letter behind it: conftest_helpers.c is a program's own, perhaps; conftest2.c is none. */
static bool is_conftest(const char *name)
{
	const char *behind = name + strlen("conftest");

	return !strncmp(name, "conftest", strlen("conftest")) && !isalpha((unsigned char)*behind) &&
	       !(behind[0] == '_' && isalpha((unsigned char)behind[1]));
}

bool compile_is_probe_folder(const char *path)
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
	char *closed = NULL;
	bool found = false;

	if (asprintf(&closed, "/%s/", path) < 0)
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !found; i++)
		found = strstr(closed, folders[i]) != NULL;
	free(closed);
	return found;
}

bool compile_is_probe_file(const char *path)
{
	static const char *const patterns[] = {
		"conftst[am].*", "_configtest.*", "sanitycheck*", "CMake*CompilerId.*",
		"cmTC_*",	 "flag_check.*",  "ztest[0-9]*",
	};
	const char *name = compile_base_name(path);

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return is_conftest(name) || compile_is_probe_folder(path);
}
