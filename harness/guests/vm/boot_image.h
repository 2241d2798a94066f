/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * boot_image.h - a bzImage: its version, and the ELF kernel inside of it
 */
#ifndef STACKPROOF_BOOT_IMAGE_H
#define STACKPROOF_BOOT_IMAGE_H

#include <stddef.h>
#include "error.h"

/* "5.10.0-46-cloud-amd64": the first word of the version string in the header. */
int boot_image_version(const char *path, char *ret, size_t size, struct error *error);

/*
 * Unpacks the ELF kernel into a memfd, which QEMU's -kernel can boot through the PVH entry point. *ret_fd is
 * the caller's to close. -1: the kernel can't be unpacked; boot the bzImage itself.
 */
int boot_image_unpack(const char *path, int *ret_fd, struct error *error);

#endif
