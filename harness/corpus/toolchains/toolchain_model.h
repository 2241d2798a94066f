/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchain_model.h - what the files of the toolchain report's model share among themselves
 *
 * The model itself is toolchains.h.
 */
#ifndef STACKPROOF_TOOLCHAIN_MODEL_H
#define STACKPROOF_TOOLCHAIN_MODEL_H

#include "base/cli/json_counts.h"
#include "toolchains.h"

/* Fills model->fault from one cell of each binary. model->toolchain is there, in its order. */
void toolchain_faults_collect(struct toolchains *model, const struct cell *const *cell,
			      size_t count);

#endif
