/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * folder_lock.h - lets one command at a time write into a folder
 *
 * Two commands that write files of the same names into one folder would mix them up. So the second one is refused.
 * Commands that only read the folder need no lock.
 */
#ifndef STACKPROOF_CLI_FOLDER_LOCK_H
#define STACKPROOF_CLI_FOLDER_LOCK_H

#include "error.h"

/* Locks a folder that exists. Returns a descriptor, which holds the lock until the caller closes it. -1:
 * another process has the lock, or the folder can't be opened. Without locks in the file system it succeeds. */
int folder_lock(const char *folder, struct error *error);

#endif
