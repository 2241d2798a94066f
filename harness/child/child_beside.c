/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child_beside.c - what lies beside this program: others of ours, the corpus, the guest's init
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "child/child.h"

int child_beside(const char *name, char *ret, size_t size, struct error *error)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (length < 0) {
		snprintf(ret, size, "./%s", name);
		return error_set_errno(error, "/proc/self/exe");
	}
	self[length] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	if (snprintf(ret, size, "%s/%s", slash ? self : ".", name) < (int)size)
		return 0;
	snprintf(ret, size, "./%s", name);
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "path too long");
}
