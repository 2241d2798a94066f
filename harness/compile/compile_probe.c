/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_probe.c - is a compilation only a question what the compiler can do?
 *
 * Such a program is thrown away. What counts is the compiler's status, and mostly its messages, too: a line more
 * and the answer is another one (autoconf's ac_c_werror_flag, the boilerplate of libtool, crate cc's
 * flag_check.c). So of these nothing is looked at. They are known by what becomes of it, by who asks, and by names:
 *
 *	nothing is kept		the output is a device, or of standard input a program, a temporary object, or "-.o"
 *	a configure asks	some process that runs this one is such a script (compile_asked.c)
 *	autoconf		conftest.c, conftest2.c, conftest; autosetup, mkmf, distutils' _configtest.c
 *	CMake			CMakeFiles/CMakeScratch (and CMakeTmp), cmTC_*, CMakeCCompilerId.c
 *	Meson			meson-private, sanitycheckc.c
 *	others			waf's .conf_check_*, SCons' .sconf_temp, qmake's config.tests, ffmpeg's ffconf.*,
 *				zlib's ztest*.c, crate cc's flag_check.c
 *
 * Names are for those whose tests are run by make or ninja, as a build's files are.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "compile/compile_line.h"

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
	char *closed = NULL;
	bool found = false;

	if (asprintf(&closed, "/%s/", path) < 0)
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !found; i++)
		found = strstr(closed, folders[i]) != NULL;
	free(closed);
	return found;
}

static bool is_probe_file(const char *path)
{
	static const char *const patterns[] = {
		"conftst[am].*", "_configtest.*", "sanitycheck*", "CMake*CompilerId.*",
		"cmTC_*",	 "flag_check.*",  "ztest[0-9]*",
	};
	const char *name = compile_base_name(path);

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return is_conftest(name) || is_probe_folder(path);
}

/* ---- what becomes of it -------------------------------------------------------------------- */

/* In a folder of temporary files. */
static bool is_temporary(const char *path)
{
	const char *variable = getenv("TMPDIR");
	const char *folders[] = { variable ? variable : "", "/tmp", "/var/tmp" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);

		while (length && folders[i][length - 1] == '/')
			length--;
		if (folders[i][0] == '/' && length && !strncmp(path, folders[i], length) &&
		    path[length] == '/')
			return true;
	}
	return false;
}

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
			return !line->compile_only || !line->output || is_temporary(line->output);
	return false;
}

static bool is_named(const struct compile_line *line, const char *folder)
{
	bool found = folder && is_probe_folder(folder);

	for (size_t i = 0; i < line->sources.count; i++)
		found |= is_probe_file(line->sources.text[i]);
	return found || (line->output && is_probe_file(line->output));
}

bool compile_is_probe(const struct compile_line *line)
{
	char *folder = getcwd(NULL, 0);
	bool found = is_named(line, folder) || is_device(line->output) || is_from_input(line) ||
		     compile_is_asked(getppid());

	free(folder);
	return found;
}
