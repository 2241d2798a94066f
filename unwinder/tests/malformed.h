/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * malformed.h - the error that a malformed fixture must give: its code and its place, exactly
 *
 * For test_malformed.c and test_malformed_image.c.
 */
#ifndef STACKPROOF_TESTS_MALFORMED_H
#define STACKPROOF_TESTS_MALFORMED_H

#include <check.h>
#include <inttypes.h>
#include <string.h>
#include "error.h"

static inline void check_error(const char *name, const struct error *error, enum error_code code,
			       const char *section, uint64_t offset)
{
	ck_assert_msg(error->code == code && error->offset == offset &&
			      !strcmp(error->section, section),
		      "%s: expected %s at %s+%" PRId64 ", got %s at %s+%" PRId64 ": %s", name,
		      error_code_name(code), section, (int64_t)offset, error_code_name(error->code),
		      error->section, (int64_t)error->offset, error->message);
	ck_assert_msg(error->message[0], "%s: no sentence", name);
}

#endif
