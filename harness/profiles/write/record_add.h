/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record_add.h - records of one size, each kept once, known by numbers from 1
 */
#ifndef STACKPROOF_RECORD_ADD_H
#define STACKPROOF_RECORD_ADD_H

#include <stddef.h>
#include "error.h"
#include "number_map.h"

/* The number of a record, which is added if it is new. It is compared as bytes: it has no padding. *array has count
 * records behind element 0, which is zero; it is NULL at first. UINT32_MAX: ERROR_MEMORY. */
uint32_t record_add(struct number_map *map, void **array, uint32_t *count, const void *record,
		    size_t size, struct error *error);

#endif
