/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_vdso.h - the vDSO of this process
 *
 * The kernel gives all processes of a machine type the same one, and no file has it. So what a
 * program's vDSO was called is read of our own, if the build-id agrees.
 */
#ifndef STACKPROOF_IMAGES_OWN_VDSO_H
#define STACKPROOF_IMAGES_OWN_VDSO_H

#include "image/image.h"

/* NULL: there is none, or error says why it can't be read. */
struct image *own_vdso_open(struct error *error);

#endif
