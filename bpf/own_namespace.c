/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_namespace.c - the PID name space, and whether /proc is of the same
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "own_namespace.h"

#define INITIAL_INODE 0xeffffffcu /* PROC_PID_INIT_INO: the same on every kernel */

int own_pid_namespace(uint32_t *ret, struct error *error)
{
	char self[32] = "";
	struct stat file;

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0 || atoi(self) != getpid())
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "/proc is not mounted, or is of another PID name space");
	if (stat("/proc/self/ns/pid", &file))
		return error_set_errno(error, "/proc/self/ns/pid");
	*ret = file.st_ino == INITIAL_INODE ? 0 : file.st_ino;
	return 0;
}
