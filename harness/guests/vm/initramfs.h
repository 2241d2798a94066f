/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * initramfs.h - files and commands -> the archive that a guest boots into
 */
#ifndef STACKPROOF_INITRAMFS_H
#define STACKPROOF_INITRAMFS_H

#include "vm.h"

/*
 * Builds the archive of the options' files and commands, and of what a root needs, in a memfd, so that no file is left
 * behind however this process ends. *ret_fd is the caller's to close; /proc/self/fd/N is its path.
 */
int initramfs_build(const struct guest_options *options, int *ret_fd, struct error *error);

#endif
