/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_memory.c - what `table --json` says where there is no memory for where errors are
 *
 * They are told all the same, and with their addresses the next time.
 */
#include "tables/table/tests/table_sections.h"
#include "table/lost_cfi.h"

static int made_up_addresses(const struct cfi *cfi, struct cfi_addresses **ret,
			     struct error *error);
#define cfi_addresses_create made_up_addresses
#include "tables/table/table_json.c"
#undef cfi_addresses_create

static bool no_memory;

static int made_up_addresses(const struct cfi *cfi, struct cfi_addresses **ret, struct error *error)
{
	*ret = NULL;
	return no_memory ? error_set(error, ERROR_MEMORY, NULL, 0, "none")
			 : cfi_addresses_create(cfi, ret, error);
}

static void two_bad(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, 0x3f);
}

START_TEST(errors_without_addresses)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", two_bad), NO_SECTION };
	struct table_filter filter = { .section = NULL };

	section_image_write("image", sections);
	for (int i = 0; i < 3; i++) {
		char *text;

		no_memory = i == 1;
		text = formatted(table_json, &filter, 0, 2, "two bad");
		ck_assert_msg(strstr(text, "\"offset\":\"0x31\"") &&
				      strstr(text, "\"offset\":\"0x51\""),
			      "%s", text);
		ck_assert_msg(!strstr(text, "\"pc\":\"0x1100\"") == no_memory &&
				      !strstr(text, "\"pc_end\":\"0x1120\"") == no_memory,
			      "%d: %s", i, text);
		free(text);
	}
}
END_TEST

SUITE(table_memory, FIXTURE(folder_enter, folder_remove), TEST(errors_without_addresses))
