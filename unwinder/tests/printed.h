/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * printed.h - what a function prints, as a text
 *
 *	char *text = PRINTED(file, error_print(file, &error));
 */
#ifndef STACKPROOF_TESTS_PRINTED_H
#define STACKPROOF_TESTS_PRINTED_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the statements print to the FILE that they call `file`: to be freed. */
#define PRINTED(file, ...)                                                                         \
	({                                                                                         \
		char *printed_text;                                                                \
		size_t printed_size;                                                               \
		FILE *file = open_memstream(&printed_text, &printed_size);                         \
                                                                                                   \
		ck_assert_ptr_nonnull(file);                                                       \
		__VA_ARGS__;                                                                       \
		ck_assert_int_eq(fclose(file), 0);                                                 \
		printed_text;                                                                      \
	})

/* That text must be what is expected, and is freed; `name` is the case's. */
static inline void check_printed(const char *name, char *text, const char *expected)
{
	ck_assert_msg(!strcmp(text, expected), "%s: printed:\n%s\nexpected:\n%s", name, text,
		      expected);
	free(text);
}

#endif
