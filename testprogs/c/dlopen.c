/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dlopen.c - a library is loaded, called and unloaded, and another takes its address
 *
 * Rules: a table belongs to a mapping, not to an address: after dlclose and dlopen the same PCs are
 * another library's, with frames of another size. What was kept by process and address is wrong
 * then. And a mapping's file may have no name any more, as when it was deleted or replaced while it
 * runs: the second library is copied into a memfd and loaded from there. The libraries lie beside
 * the program under its own name; neither is linked with it.
 */
#define _GNU_SOURCE /* memfd_create */
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
#include "dlopen.h"

static FRAME long called_back(long value)
{
	KEEP(value);
	return value + 1;
}

static FRAME long call(work_function *function, long value)
{
	value = function(called_back, value);
	KEEP(value);
	return value;
}

/* path becomes that of a copy without a name, which is open for good. */
static FRAME int copy_nameless(char *path)
{
	int file = open(path, O_RDONLY);
	int copy = memfd_create("library", 0);

	if (file < 0 || copy < 0 || sendfile(copy, file, 0, 1 << 20) <= 0 || close(file))
		return -1;
	strcpy(path, "/proc/self/fd/0");
	path[strlen(path) - 1] += copy;
	return copy > 9 ? -1 : 0;
}

/* Loads, calls, unloads. *ret_at: where the function was. */
static FRAME long use(const char *program, const char *suffix, int nameless, void **ret_at)
{
	char path[4096];
	void *library;
	long value = -1;

	if (strlen(program) + strlen(suffix) >= sizeof(path))
		return -1;
	strcat(strcpy(path, program), suffix);
	if (nameless && copy_nameless(path))
		return -1;
	library = dlopen(path, RTLD_NOW);
	*ret_at = library ? dlsym(library, "work") : 0;
	if (*ret_at)
		value = call((work_function *)*ret_at, 1);
	if (library && dlclose(library))
		return -1;
	return value;
}

int main(int argc, char **argv)
{
	void *first, *second;
	long small = use(argv[0], ".one.so", 0, &first);
	long large = use(argv[0], ".two.so", 1, &second);

	KEEP(small);
	return small != 12 || large != 22 || first != second;
}
