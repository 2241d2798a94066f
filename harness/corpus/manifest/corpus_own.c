/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * corpus_own.c - the corpus by compilers that no file of the tree names
 *
 * They are written down as testprogs/toolchains.tsv has the others, in the folder where all is made;
 * what a program needs to be built is known to scripts/corpus-rules alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "freed.h"
#include "base/child/child.h"
#include "base/cli/folder_lock.h"
#include "base/cli/output_file.h"
#include "corpus_own.h"

#define TOOLCHAINS     "toolchains.tsv"
#define NAME_BYTES_MAX 64 /* it is part of file names */

static bool is_tree(const char *folder)
{
	static const char *const file[] = { "testprogs/corpus.tsv", "scripts/corpus-rules",
					    "Makefile" };
	FD_CLOSED int fd = open(folder, O_PATH | O_CLOEXEC);
	bool all = true;

	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		all = all && !faccessat(fd, file[i], R_OK, 0);
	return all;
}

char *corpus_own_tree(struct error *error)
{
	static const char *const beside[] = { "..", CORPUS_OWN_SOURCES };
	char path[PATH_MAX];

	if (is_tree("."))
		return realpath(".", NULL);
	/* The program lies in the tree's build folder, or is installed with what is needed of a tree. */
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
		if (!child_beside(beside[i], path, sizeof(path), error) && is_tree(path))
			return realpath(path, NULL);
	error_set(error, ERROR_UNAVAILABLE, "", 0,
		  "the corpus's sources are neither here nor beside the program: --tree");
	return NULL;
}

/* By its whole path. NULL: there is none. A link's name may say what the program is to be: ccache's gcc,
 * busybox's. */
static char *find_program(const char *name)
{
	char found[PATH_MAX];

	if (child_find(name, found, sizeof(found)) || access(found, X_OK))
		return NULL;
	return strchr(name, '/') || found[0] != '/' ? realpath(found, NULL) : strdup(found);
}

static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return length && length < NAME_BYTES_MAX && name[0] != '.' && name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       length;
}

/* What the toolchain is called: NAME, NAME+LINKER. */
static int print_name(const struct corpus_own *own, char *ret, size_t size, struct error *error)
{
	const char *compiler = own->cc ? own->cc : own->cxx ? own->cxx : own->rustc;
	const char *slash = strrchr(compiler, '/');
	const char *name = own->name ? own->name : slash ? slash + 1 : compiler;
	char plain[NAME_BYTES_MAX + 1]; /* what is too long must not come to fit */

	/* g++ and the like, if nothing else is said. */
	snprintf(plain, sizeof(plain), "%s", name);
	for (char *plus = plain; !own->name && (plus = strchr(plus, '+'));)
		*plus = 'p';
	if (!is_name(plain) || (own->linker && !is_name(own->linker)))
		return error_set(
			error, ERROR_TEXT_SYNTAX, "", 0,
			"%s%s%s is no name for a toolchain: letters, digits, '.', '_', '-'", plain,
			own->linker ? "+" : "", own->linker ? own->linker : "");
	snprintf(ret, size, "%s%s%s", plain, own->linker ? "+" : "",
		 own->linker ? own->linker : "");
	return 0;
}

/* One line of the file; what make and the shell would take for something else is refused. */
static int print_toolchain(const struct corpus_own *own, const char *name, const char *language,
			   const char *compiler, FILE *file, struct error *error)
{
	FREED char *path = NULL;

	if (!compiler)
		return 0;
	path = find_program(compiler);
	if (!path)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "there is no compiler %s",
				 compiler);
	if (strpbrk(path, " \t\n$#'\"\\")) {
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s: make can't have such a path", path);
		return -1;
	}
	fprintf(file, "%s\t%s\town\t-\t%s\t%s\t%s\n", name, language, path,
		strcmp(language, "rust") ? "-dumpfullversion" : "--version",
		own->flags && *own->flags ? own->flags : "-");
	return 0;
}

static int write_toolchains(const struct corpus_own *own, const char *path, struct error *error)
{
	char name[2 * NAME_BYTES_MAX + 2];
	FILE *file;
	int result;

	if (own->flags && strpbrk(own->flags, "\t\n#"))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "the flags hold a tab, a newline or a '#'");
	if (print_name(own, name, sizeof(name), error))
		return -1;
	file = fopen(path, "we");
	if (!file)
		return error_set_errno(error, "%s", path);
	result = print_toolchain(own, name, "c", own->cc, file, error) ||
				 print_toolchain(own, name, "asm", own->assembly ? own->cc : NULL,
						 file, error) ||
				 print_toolchain(own, name, "cxx", own->cxx, file, error) ||
				 print_toolchain(own, name, "rust", own->rustc, file, error)
			 ? -1
			 : 0;
	if (fclose(file) && !result)
		result = error_set_errno(error, "%s", path);
	return result;
}

static int run_make(const struct corpus_own *own, const char *tree, const char *folder,
		    const char *toolchains, struct error *error)
{
	char jobs[16], output[PATH_MAX + 8], list[PATH_MAX + 300];
	const char *const argv[] = { "make", "--no-print-directory", jobs, "-C", tree, output,
				     list,   "corpus-own",	     NULL };
	struct ending_signals signals;
	int status, result;
	pid_t pid;

	snprintf(jobs, sizeof(jobs), "-j%u", own->jobs);
	snprintf(output, sizeof(output), "O=%s", folder);
	snprintf(list, sizeof(list), "OWN=%s '%s'", toolchains,
		 own->programs ? own->programs : "*");
	if (ending_signals_hold(&signals, error))
		return -1;
	fflush(NULL);
	pid = child_fork();
	if (pid < 0) {
		error_set_errno(error, "a process for make");
		ending_signals_release(&signals);
		return -1;
	}
	if (!pid) {
		/* Inside another make it would look for that one's jobserver. */
		unsetenv("MAKEFLAGS");
		unsetenv("MFLAGS");
		dup2(STDERR_FILENO, STDOUT_FILENO);
		child_give_back();
		execvp(argv[0], (char *const *)argv);
		_exit(CHILD_NOT_RUN);
	}
	result = child_end_or_signal(pid, &signals, &status, error);
	ending_signals_release(&signals);
	if (result || child_check("make", status, error))
		return -1;
	if (WEXITSTATUS(status))
		return error_set(error, ERROR_PROTOCOL, "", 0, "nothing was built: make says why");
	return 0;
}

/* What stands in a makefile's words and in a shell's. */
static bool is_plain(const char *text)
{
	return !strpbrk(text, " \t\n$#'\"\\`;&|<>():=%");
}

/* The list of what builds; the tree's own is not written over. */
static int place_toolchains(const struct corpus_own *own, const char *tree, const char *folder,
			    char *ret, size_t size, struct error *error)
{
	char list[PATH_MAX + 32];

	snprintf(ret, size, "%s/" TOOLCHAINS, own->folder);
	snprintf(list, sizeof(list), "%s/testprogs/" TOOLCHAINS, tree);
	if (output_files_are_inputs(FILE_NAMES(ret), FILE_NAMES(list)))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "nothing is made in %s",
				 own->folder);
	snprintf(ret, size, "%s/" TOOLCHAINS, folder);
	return 0;
}

int corpus_own_build(struct corpus_own *own, struct error *error)
{
	char toolchains[PATH_MAX + 32];
	FREED char *folder = NULL, *tree = NULL;
	int result = -1;

	if (own->programs && !is_plain(own->programs))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s: no glob of program names",
				 own->programs);
	tree = own->tree ? realpath(own->tree, NULL) : corpus_own_tree(error);
	if (!tree && !own->tree)
		return -1;
	if (!tree || !is_tree(tree))
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "%s is no source tree of stackproof's",
				 own->tree ? own->tree : tree);
	if (mkdir(own->folder, 0777) && errno != EEXIST)
		error_set_errno(error, "%s", own->folder);
	else if (!(folder = realpath(own->folder, NULL)))
		error_set_errno(error, "%s", own->folder);
	else if (!is_plain(folder) || !is_plain(tree))
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s: make can't have such a path",
			  is_plain(tree) ? folder : tree);
	else if ((own->lock = folder_lock(folder, error)) >= 0 &&
		 !place_toolchains(own, tree, folder, toolchains, sizeof(toolchains), error)) {
		result = write_toolchains(own, toolchains, error);
		if (!result)
			result = run_make(own, tree, folder, toolchains, error);
	}
	return result;
}
