/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_processes.c - a process for each round: forks, loads a library, calls it, unloads it, and
 * is replaced by this program again, which works and ends
 *
 * For `stackproof sample --children` (sample.h says why rounds are all alike). Children are not
 * stepped. But what they do can be done without them: with "alone" behind the rounds one process
 * does all that a child does, at the same places, the first rounds without the exec that would end
 * them. The fork is the bare system call, which returns in both processes to the same instruction:
 * the C library's fork does other things in the child.
 *
 *	sample_processes 100 4000000	a child for each round; how long it works at a time
 *	sample_processes 12 10 alone	no child
 *	sample_processes work 10	what a child becomes
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sample.h"

#define PATH_BYTES 4096

static FRAME long work(long value)
{
	long last = value;

	for (long i = 0; i < last; i++) {
		value = value * 31 + i;
		KEEP(value);
	}
	return value;
}

/* A library's function calls it. */
static FRAME long called_back(long value)
{
	value = work(value);
	KEEP(value);
	return value;
}

static FRAME long use_library(const char *program, long value)
{
	char path[PATH_BYTES];

	if (strlen(program) + sizeof(".so") > sizeof(path))
		return 0;
	strcat(strcpy(path, program), ".so");
	void *library = dlopen(path, RTLD_NOW);
	long (*function)(long (*)(long), long) =
		library ? (long (*)(long (*)(long), long))dlsym(library, "library_call") : 0;

	if (function)
		value = function(called_back, value);
	KEEP(value);
	return library && !dlclose(library) ? value : 0;
}

static FRAME void become_work(const char *program, char *value)
{
	char *argv[] = { (char *)program, "work", value, 0 };

	execv(program, argv);
	_exit(1);
}

static FRAME int child(char **argv, int last)
{
	long value = use_library(argv[0], sample_number(argv[2]));

	KEEP(value);
	if (last)
		become_work(argv[0], argv[2]);
	return !value;
}

int main(int argc, char **argv)
{
	int alone = argc > 3, status = 0;
	long rounds = sample_rounds(argc, argv);

	if (argc < 3)
		return 1;
	if (!strcmp(argv[1], "work")) {
		long value = called_back(sample_number(argv[2]));

		KEEP(value);
		return 0;
	}
	for (long round = 0; round < rounds; round++) {
		long pid = alone ? 0 : syscall(SYS_fork);

		KEEP(pid);
		if (!pid && child(argv, !alone || round == rounds - 1))
			return 1;
		if (pid && (waitpid(pid, &status, 0) != pid || status))
			return 1;
	}
	return !rounds;
}
