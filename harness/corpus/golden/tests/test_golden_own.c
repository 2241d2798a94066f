/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_own.c - of a file with a library in it, the golden holds what is the program's own
 *
 * The file is this test program: it has hundreds of functions with debug information, and start
 * files without. Stripped, nothing says any more which are whose, and its golden does.
 */
#include "tests/suite.h"
#include "golden_fixture.h"

#define FILE_NAME "corpus/" BINARY

static void set_up_large(void)
{
	set_up();
	ck_assert_int_eq(system("cp /proc/$PPID/exe " FILE_NAME), 0);
	bless();
}

static void strip(void)
{
	ck_assert_int_eq(system("strip --strip-debug " FILE_NAME), 0);
}

START_TEST(test_only_own_functions_are_in_the_golden)
{
	char *text = read_text(GOLDEN);
	struct golden_table whole;
	struct error error = { 0 };

	ck_assert_ptr_nonnull(strstr(text, "\nfunction main\n"));
	ck_assert_ptr_null(strstr(text, "\nfunction _start\n"));
	strip();
	ck_assert(!golden_table_of_image(FILE_NAME, &whole, &error));
	ck_assert(whole.partial);
	ck_assert_ptr_nonnull(strstr(whole.data, "\nfunction _start\n"));
	golden_table_deinit(&whole);
}
END_TEST

START_TEST(test_an_address_is_own_or_not)
{
	struct image *image;
	struct error error = { 0 };
	uint64_t own, start;

	ck_assert(!image_create(FILE_NAME, &image, &error));
	own = image_symbol_address(image, "main");
	start = image_symbol_address(image, "_start");
	ck_assert(own && start);
	ck_assert(golden_own_has(FILE_NAME, own));
	ck_assert(!golden_own_has(FILE_NAME, start));
	image_destroy(image);
}
END_TEST

START_TEST(test_all_of_a_small_file_is_its_own)
{
	static struct plant_file file;

	plant_file_make(&file);
	write_bytes("small", file.bytes, file.size);
	ck_assert(golden_own_has("small", PLANT_GAP));
}
END_TEST

START_TEST(test_a_stripped_file_is_looked_at_where_its_golden_does)
{
	strip();
	ck_assert_int_eq(golden("check"), EXIT_OK);
	edit(GOLDEN, "\nfunction main\n  +0x0 cfa=rsp+8", "\nfunction main\n  +0x0 cfa=rsp+9");
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said("main +0x0 at 0x");
}
END_TEST

START_TEST(test_a_function_that_a_stripped_file_has_lost_is_missed)
{
	strip();
	edit(GOLDEN, "\nfunction main\n", "\nfunction lost\n  +0x1 end\nfunction main\n");
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said("lost function");
}
END_TEST

START_TEST(test_a_stripped_file_makes_no_golden)
{
	strip();
	edit(GOLDEN, "\nfunction main\n  +0x0 cfa=rsp+8", "\nfunction main\n  +0x0 cfa=rsp+9");
	ck_assert_int_eq(golden("update", "--unstepped", "--force", "self"), EXIT_FINDINGS);
	said("not_own");
	ck_assert_ptr_nonnull(strstr(read_text(GOLDEN), "cfa=rsp+9"));
}
END_TEST

START_TEST(test_it_is_packed_stripped)
{
	struct stat built, packed;

	setenv("HOME", "/nowhere", 1);
	ck_assert_int_eq(golden("pack", "self"), EXIT_OK);
	ck_assert_int_eq(golden("check", "--hermetic"), EXIT_OK);
	ck_assert_int_eq(golden("unpack", "un"), EXIT_OK);
	ck_assert_int_eq(stat(FILE_NAME, &built), 0);
	ck_assert_int_eq(stat("un/" BINARY, &packed), 0);
	ck_assert_int_lt(packed.st_size, built.st_size);
}
END_TEST

SUITE(golden_own, TIMEOUT(200), FIXTURE(set_up_large, folder_remove),
      TEST(test_only_own_functions_are_in_the_golden), TEST(test_an_address_is_own_or_not),
      TEST(test_all_of_a_small_file_is_its_own),
      TEST(test_a_stripped_file_is_looked_at_where_its_golden_does),
      TEST(test_a_function_that_a_stripped_file_has_lost_is_missed),
      TEST(test_a_stripped_file_makes_no_golden), TEST(test_it_is_packed_stripped))
