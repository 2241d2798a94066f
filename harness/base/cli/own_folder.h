/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_folder.h - a temporary folder
 *
 * It is made in TMPDIR, or in /tmp. Other users can't look into it. What a process has left that was killed, the next one
 * removes that makes a folder of the same kind there, a minute later or more.
 */
#ifndef STACKPROOF_OWN_FOLDER_H
#define STACKPROOF_OWN_FOLDER_H

#include "error.h"

/* Makes "stackproof-WHAT-locked-XXXXXX", and returns its path, for own_folder_remove(). NULL: it can't be made. */
char *own_folder_create(const char *what, struct error *error);
/* Removes the folder with all that is in it, and frees the path. Links are removed, and not followed. What
 * can't be removed stays. path is own_folder_create()'s, or NULL. */
void own_folder_remove(char *path);

#endif
