/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_kind.h - what an ELF file is for, by its type and its sections
 */
#ifndef STACKPROOF_IMAGES_IMAGE_KIND_H
#define STACKPROOF_IMAGES_IMAGE_KIND_H

#include "image/image.h"

enum image_kind {
	IMAGE_EXECUTABLE,
	IMAGE_SHARED_OBJECT, /* and position-independent executables */
	IMAGE_OBJECT_FILE,
	IMAGE_KERNEL_MODULE, /* an object file that the kernel links */
	IMAGE_DEBUG_FILE,    /* its code is in another file */
	IMAGE_CORE,
	IMAGE_OTHER,
};

enum image_kind image_kind(const struct image *image);
/* True for a slim LTO object of GCC (GCC manual, -ffat-lto-objects): its code is generated at link time. */
bool image_is_slim(const struct image *image);
/* How an image without CFI is unwound, by its sections. */
enum image_unwound {
	IMAGE_UNWOUND_BY_CFI,	 /* by CFI, which it lacks */
	IMAGE_UNWOUND_BY_TABLES, /* by another format: Go's, the kernel's ORC */
	IMAGE_NOT_UNWOUND,	 /* not at all: a module of GRUB */
};

enum image_unwound image_unwound(const struct image *image);
/* "kernel_module"; "a kernel module". */
const char *image_kind_name(enum image_kind kind);
const char *image_kind_title(enum image_kind kind);

#endif
