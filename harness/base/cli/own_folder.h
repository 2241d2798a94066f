/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_folder.h - a folder for what is made on the way, and that is to be gone afterwards
 *
 * In TMPDIR, or /tmp. Nobody else can look into it.
 */
#ifndef STACKPROOF_OWN_FOLDER_H
#define STACKPROOF_OWN_FOLDER_H

#include "error.h"

/* Makes "stackproof-WHAT-XXXXXX". NULL: it can't be made. own_folder_remove(). */
char *own_folder_create(const char *what, struct error *error);
/* Removes it with all that is in it, links and not what they lead to, and frees the name. NULL: nothing.
 * What can't be removed stays. */
void own_folder_remove(char *folder);

#endif
