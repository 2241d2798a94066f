/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_vdso.h - the vDSO of this process
 *
 * The kernel maps the same vDSO into all processes of a machine type, and no file holds it. So the names of functions
 * in a program's vDSO are read from this process's vDSO, if the build-id is the same.
 */
#ifndef STACKPROOF_IMAGES_OWN_VDSO_H
#define STACKPROOF_IMAGES_OWN_VDSO_H

#include "image/image.h"

/* The caller's: image_destroy(). NULL: there is none, or error says why it can't be read. */
struct image *own_vdso_open(struct error *error);

#endif
