/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_probe.c - is a compilation only a question what the compiler can do?
 *
 * Such a program is thrown away. What counts is the compiler's status, and mostly its messages, too: a line more
 * and the answer is another one (autoconf's ac_c_werror_flag, the boilerplate of libtool, crate cc's
 * flag_check.c). So of these nothing is looked at. They are known by what becomes of it, by who asks, and by names:
 *
 *	nothing is kept		the output is a device, or of standard input a program, or "-.o"
 *	thrown away		source and output lie in the folder of temporary files, and the build lies elsewhere
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

/* The folder of temporary files that it lies in, as a path without its last slash; 0: it lies in none. */
static size_t temporary_length(const char *path)
{
	const char *variable = getenv("TMPDIR");
	const char *folders[] = { variable ? variable : "", "/tmp", "/var/tmp" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);

		while (length && folders[i][length - 1] == '/')
			length--;
		if (folders[i][0] == '/' && length && !strncmp(path, folders[i], length) &&
		    (path[length] == '/' || !path[length]))
			return length;
	}
	return 0;
}

bool compile_is_thrown_away(const char *path, const char *folder)
{
	size_t length = path && path[0] == '/' ? temporary_length(path) : 0;

	return length && path[length] &&
	       (!folder || strncmp(folder, path, length) ||
		(folder[length] != '/' && folder[length]));
}

static bool all_thrown_away(const struct arguments *paths, const char *folder)
{
	for (size_t i = 0; i < paths->count; i++)
		if (!compile_is_thrown_away(paths->text[i], folder))
			return false;
	return paths->count;
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
			return !line->compile_only || !line->output ||
			       compile_is_thrown_away(line->output, NULL);
	return false;
}

/* Nobody builds of what lies there while he is elsewhere; a person at a terminal may want to see it judged. */
static bool is_thrown_away(const struct compile_line *line, const char *folder)
{
	bool sources = line->sources.count;
	const struct arguments *inputs = sources ? &line->sources : &line->inputs;

	return all_thrown_away(inputs, folder) &&
	       (!sources || !line->inputs.count || all_thrown_away(&line->inputs, folder)) &&
	       (line->output ? compile_is_thrown_away(line->output, folder)
			     : !line->compile_only) &&
	       !isatty(STDERR_FILENO);
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
		     is_thrown_away(line, folder) || compile_is_asked(getppid());

	free(folder);
	return found;
}
