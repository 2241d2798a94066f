/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child_beside.c - what lies beside this program: others of ours, the corpus, the guest's init
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "child.h"

int child_self(char *ret, size_t size, struct error *error)
{
	/* What the kernel puts behind the name of a file that was replaced or removed. */
	static const char gone[] = " (deleted)";
	const size_t gone_length = sizeof(gone) - 1;
	ssize_t length = readlink("/proc/self/exe", ret, size - 1);

	if (length < 0)
		return error_set_errno(error, "/proc/self/exe");
	ret[length] = '\0';
	if ((size_t)length > gone_length && access(ret, F_OK) &&
	    !strcmp(ret + length - gone_length, gone))
		ret[(size_t)length - gone_length] = '\0';
	return 0;
}

int child_beside(const char *name, char *ret, size_t size, struct error *error)
{
	char self[PATH_MAX];
	char *slash;

	if (child_self(self, sizeof(self), error)) {
		snprintf(ret, size, "./%s", name);
		return -1;
	}
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	if (snprintf(ret, size, "%s/%s", slash ? self : ".", name) < (int)size)
		return 0;
	snprintf(ret, size, "./%s", name);
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "path too long");
}
