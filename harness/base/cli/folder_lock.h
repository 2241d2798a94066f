/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * folder_lock.h - a folder that a person has named, and that one command at a time writes into
 *
 * Two that make their files under the same names in one folder would each find the other's. The second is
 * refused; who only reads the folder asks nobody.
 */
#ifndef STACKPROOF_CLI_FOLDER_LOCK_H
#define STACKPROOF_CLI_FOLDER_LOCK_H

#include "error.h"

/* The folder is there. Returns a descriptor: the folder is this process's until it is closed. -1: another one
 * has it, or it can't be opened. A system that has no such locks refuses nobody. */
int folder_lock(const char *folder, struct error *error);

#endif
