/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child_find.c - which file a program's name means, as execvp(3) finds it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child.h"

static bool is_file(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

int child_find(const char *name, char *ret, size_t size)
{
	const char *path = getenv("PATH"), *end;

	if (strchr(name, '/'))
		return snprintf(ret, size, "%s", name) < (int)size && is_file(ret) ? 0 : -1;
	for (path = path ? path : "/bin:/usr/bin"; *name; path = end + 1) {
		end = strchrnul(path, ':');
		if (snprintf(ret, size, "%.*s/%s", end > path ? (int)(end - path) : 1,
			     end > path ? path : ".", name) < (int)size &&
		    !access(ret, X_OK) && is_file(ret))
			return 0;
		if (!*end)
			break;
	}
	return -1;
}
