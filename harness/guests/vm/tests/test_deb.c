/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_deb.c - the kernel image out of a package that is whole, and of one that breaks off anywhere
 *
 * The image is larger than what is read at once, so that a cut lies in front of it, in it, or behind it.
 */
#include "tests/suite.h"
#include "kernel_archive.h"
#include "guests/vm/deb.h"

#define IMAGE_BYTES (300u << 10)

static char image[IMAGE_BYTES], package[2 * IMAGE_BYTES], tar[2 * IMAGE_BYTES];

/* A data.tar with the image behind another file, without a filter: each byte stands where it is. */
static size_t make_plain_tar(void)
{
	static const char *const paths[] = { "./boot/config-6.1", "./boot/vmlinuz-6.1" };
	struct archive *archive = archive_write_new();
	size_t used;

	for (size_t i = 0; i < sizeof(image); i++)
		image[i] = (char)(i * 7 + i / 251);
	archive_write_set_format_ustar(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	ck_assert_int_eq(archive_write_open_memory(archive, tar, sizeof(tar), &used), ARCHIVE_OK);
	for (int i = 0; i < COUNT(paths); i++) {
		struct archive_entry *entry = archive_entry_new();
		size_t size = i ? sizeof(image) : 100;

		archive_entry_set_pathname(entry, paths[i]);
		archive_entry_set_mode(entry, S_IFREG | 0644);
		archive_entry_set_size(entry, (la_int64_t)size);
		ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
		ck_assert_int_eq(archive_write_data(archive, image, size), (la_ssize_t)size);
		archive_entry_free(entry);
	}
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

/* So many bytes of the data.tar are there. */
static const struct {
	const char *name;
	size_t bytes; /* 0: all */
	bool is_whole;
} cuts[] = {
	{ "nothing_is_missing", 0, true },
	{ "before_its_header", 1200, false },
	{ "in_its_header", 1700, false },
	{ "behind_its_header", 2048, false },
	{ "in_its_first_block", 2048 + 4096, false },
	{ "in_its_middle", 2048 + IMAGE_BYTES / 2, false },
	{ "before_its_last_byte", 2048 - 512 + IMAGE_BYTES - 1, false },
};

START_TEST(a_package_that_breaks_off_is_damaged)
{
	size_t whole = make_plain_tar(), bytes = cuts[_i].bytes ? cuts[_i].bytes : whole, size;
	char deb[128], path[128];
	struct error error = { 0 };
	int status;

	size = make_deb("data.tar", tar, bytes, package, sizeof(package));
	folder_put("6.1.deb", package, size, 0644);
	snprintf(deb, sizeof(deb), "%s/6.1.deb", folder);
	snprintf(path, sizeof(path), "%s/image", folder);
	status = deb_extract_kernel(deb, path, &error);
	ck_assert_msg(status == (cuts[_i].is_whole ? 0 : -1), "%s: %d", cuts[_i].name, status);
	if (cuts[_i].is_whole) {
		FILE *file = fopen(path, "re");

		ck_assert_ptr_nonnull(file);
		ck_assert_uint_eq(fread(package, 1, sizeof(package), file), sizeof(image));
		ck_assert(!memcmp(package, image, sizeof(image)));
		fclose(file);
	} else {
		ck_assert_msg(!strncmp(error.message, "the package ", 12), "%s: %s", cuts[_i].name,
			      error.message);
	}
}
END_TEST

SUITE(deb, FIXTURE(set_up, tear_down), LOOP(a_package_that_breaks_off_is_damaged, cuts))
