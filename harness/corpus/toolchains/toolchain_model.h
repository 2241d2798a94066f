/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchain_model.h - shared by the files that fill the model of toolchains.h
 */
#ifndef STACKPROOF_TOOLCHAIN_MODEL_H
#define STACKPROOF_TOOLCHAIN_MODEL_H

#include "base/cli/json_counts.h"
#include "toolchains.h"

/* Fills model->fault from cells, one of each binary. model->toolchain must be filled and sorted. */
void toolchain_faults_collect(struct toolchains *model, const struct cell *const *cell,
			      size_t count);

#endif
