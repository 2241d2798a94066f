/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * entry.c - gives one target the name that libFuzzer calls
 *
 * Compiled once for each target, with FUZZ_TARGET defined as its function. Unit tests link the
 * targets without this file.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return FUZZ_TARGET(data, size);
}
