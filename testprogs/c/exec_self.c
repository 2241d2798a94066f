/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * exec_self.c - a program that executes itself once more, from three frames deep
 *
 * Rule: exec replaces the stack, the mappings and (position-independent, randomised) every address
 * at once, while the process keeps its number: what a walker knew under that number is of another
 * program now. Ends because the second time there is an argument.
 */
#include "bare.h"
#include "bare_call.h"

FRAME long execute(const char *path, const char *const *argv, const char *const *envp)
{
	long result = CALL(__NR_execve, path, argv, envp);

	KEEP(result);
	return result;
}

FRAME long again(const unsigned long *stack)
{
	const char *argv[] = { (const char *)stack[1], "again", 0 };
	long result = execute(argv[0], argv, (const char *const *)(stack + 1 + stack[0] + 1));

	KEEP(result);
	return result;
}

int run(const unsigned long *stack)
{
	if (stack[0] > 1)
		return 0;
	/* Nothing after a success. */
	return again(stack) || 1;
}
