/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_name.c - compilers by their names, and where they are
 *
 * A link that is named as a compiler and leads to this program stands in the compiler's place, as one to ccache does:
 * the next program of that name in PATH that isn't this one is run. The compiler is then to find itself, and a launcher
 * behind it (ccache) to find the compiler, so the links' folders are taken out of its PATH, as distcc does.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "compile_line.h"

const char *compile_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool compile_is_one_of(const char *text, const char *const *list, size_t count)
{
	return ARRAY_ANY(count, i, !strcmp(text, list[i]));
}

bool compile_has_name(const char *path, const char *const *patterns, size_t count)
{
	const char *name = compile_base_name(path), *folder = name - (name > path);

	while (folder > path && folder[-1] != '/')
		folder--;
	return ARRAY_ANY(
		count, i,
		!fnmatch(patterns[i], strchr(patterns[i], '/') ? folder : name, FNM_PATHNAME));
}

/* Whose first argument is the compiler. */
static bool is_launcher(const char *program)
{
	static const char *const launchers[] = { "ccache", "sccache", "distcc",
						 "icecc",  "nice",    "time" };

	return IS_ONE_OF(compile_base_name(program), launchers);
}

char *const *compile_find(char *const *argv)
{
	while (argv[0] && argv[1] && is_launcher(argv[0]))
		argv++;
	return argv;
}

/* Where "-12" or "-14.0" begins at its end; else the end. */
static size_t version_at(const char *name)
{
	size_t length = strlen(name), at = length;

	while (at && (isdigit((unsigned char)name[at - 1]) || name[at - 1] == '.'))
		at--;
	return at && at < length && name[at - 1] == '-' ? at - 1 : length;
}

bool compile_is_name(const char *name)
{
	static const char *const compilers[] = {
		"gcc", "g++",	  "cc",	   "c++", "clang", "clang++", "rustc", "gfortran",
		"gdc", "gnatgcc", "gccgo", "tcc", "c89",   "c99",     "icx",   "icpx",
	};
	char plain[64];
	size_t length = version_at(name);
	const char *dash;

	if (!length || length >= sizeof(plain))
		return false;
	memcpy(plain, name, length);
	plain[length] = '\0';
	dash = strrchr(plain, '-');
	return IS_ONE_OF(dash ? dash + 1 : plain, compilers);
}

bool compile_is_linker(const char *program)
{
	static const char *const linkers[] = {
		"ld", "ld.bfd", "ld.gold", "ld.lld", "gold", "mold"
	};
	const char *name = compile_base_name(program), *dash = strrchr(name, '-');

	return IS_ONE_OF(name, linkers) || (dash && IS_ONE_OF(dash + 1, linkers));
}

/* ---- PATH --------------------------------------------------------------------------------- */

static bool is_program(const char *path, struct stat *ret)
{
	return !stat(path, ret) && S_ISREG(ret->st_mode) && !access(path, X_OK);
}

/* folder: "" is this one. NULL: no memory. */
static char *path_in(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", *folder ? folder : ".", name) < 0 ? NULL : path;
}

/* The program there is this one. */
static bool is_own(const struct stat *program)
{
	struct stat own;

	return !stat("/proc/self/exe", &own) && own.st_dev == program->st_dev &&
	       own.st_ino == program->st_ino;
}

char *compile_find_other(const char *name, bool *ret_skipped)
{
	const char *variable = getenv("PATH");
	FREED char *copy = variable ? strdup(variable) : NULL;
	char *rest = copy, *folder, *found = NULL;
	struct stat program;

	*ret_skipped = false;
	while (copy && !found && (folder = strsep(&rest, ":"))) {
		found = path_in(folder, name);
		if (found && is_program(found, &program) && !is_own(&program))
			break;
		*ret_skipped |= found && is_program(found, &program);
		free(found);
		found = NULL;
	}
	return found;
}

void compile_leave_path(const char *name)
{
	const char *variable = getenv("PATH");
	FREED char *copy = variable ? strdup(variable) : NULL;
	FREED char *kept = variable ? calloc(1, strlen(variable) + 1) : NULL;
	char *rest = copy, *folder;
	bool first = true;

	while (copy && kept && (folder = strsep(&rest, ":"))) {
		FREED char *path = path_in(folder, name);
		struct stat program;

		if (path && is_program(path, &program) && is_own(&program))
			continue;
		strcat(strcat(kept, first ? "" : ":"), folder);
		first = false;
	}
	if (kept)
		setenv("PATH", kept, 1);
}

/* A script of that name in a project's bin has no such folder beside it. */
static bool is_toolchain(const char *prefix)
{
	static const char *const own[] = { "lib/gcc",	  "lib64/gcc", "libexec/gcc", "lib/clang",
					   "lib64/clang", "lib/tcc",   "lib/rustlib" };
	bool found = false;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && !found; i++) {
		FREED char *path = path_in(prefix, own[i]);

		found = path && !access(path, F_OK);
	}
	return found;
}

char *compile_prefix(const char *compiler)
{
	bool skipped;
	FREED char *path = strchr(compiler, '/') ? strdup(compiler)
						 : compile_find_other(compiler, &skipped);
	char *real = path ? realpath(path, NULL) : NULL;
	size_t length = real ? (size_t)(compile_base_name(real) - real) : 0;

	if (length >= 5 && !strncmp(real + length - 5, "/bin/", 5)) {
		real[length - 5] = '\0';
		if (is_toolchain(real))
			return real;
	}
	free(real);
	return NULL;
}

/* ---- the environment ---------------------------------------------------------------------- */

/* What stands behind this program and `cc` in CC; NULL: it doesn't begin with this program. */
static const char *behind_own(const char *value)
{
	char first[4096];
	const char *at = value ? value + strspn(value, " ") : "";
	size_t length = strcspn(at, " ");

	snprintf(first, sizeof(first), "%.*s", (int)(length < sizeof(first) ? length : 0), at);
	if (strcmp(compile_base_name(first), "stackproof") != 0)
		return NULL;
	at += length;
	at += strspn(at, " ");
	if (!strncmp(at, "cc ", 3))
		at += 3;
	while (*(at += strspn(at, " ")) == '-')
		at += strcspn(at, " ");
	return *at ? at : NULL;
}

static const char *words_of_environment(void)
{
	static const char *const names[] = { "CC", "CXX", "TARGET_CC", "HOST_CC", "TARGET_CXX" };
	const char *words = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !words; i++)
		words = behind_own(getenv(names[i]));
	for (char **at = environ; *at && !words; at++)
		if (!strncmp(*at, "CC_", 3) || !strncmp(*at, "CXX_", 4))
			words = behind_own(strchr(*at, '=') + 1);
	return words ? words : "cc";
}

char **compile_of_environment(void)
{
	char *copy = strdup(words_of_environment()), *word, **argv = NULL;
	size_t count = 0;

	while (copy && (word = strsep(&copy, " "))) {
		if (*word && !ARRAY_ADD(argv, count, word))
			return NULL;
	}
	return argv && ARRAY_ADD(argv, count, NULL) ? argv : NULL;
}
