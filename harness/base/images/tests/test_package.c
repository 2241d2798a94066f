/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_package.c - ELF files inside of Debian packages
 *
 * Packages are made here, by libarchive: each with the same files, in one way that data.tar may be
 * compressed. What is listed of them is expected, and read again byte for byte; then they are damaged.
 */
#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/images/image_list.h"

static char path[64];

/* A header that image_create() takes, and a byte that says which file it is. */
struct small_elf {
	Elf64_Ehdr header;
	char which;
};

static struct small_elf elf_file(char which)
{
	struct small_elf elf = { .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
							  ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
					     .e_type = ET_DYN,
					     .e_machine = EM_X86_64,
					     .e_version = EV_CURRENT,
					     .e_ehsize = sizeof(Elf64_Ehdr) },
				 .which = which };

	return elf;
}

static void add(struct archive *archive, const char *name, const void *data, size_t size)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_size(entry, (la_int64_t)size);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_data(archive, data, size), (la_ssize_t)size);
	archive_entry_free(entry);
}

static void add_link(struct archive *archive, const char *name, const char *to, bool hard)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_perm(entry, 0777);
	if (hard) {
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_hardlink(entry, to);
	} else {
		archive_entry_set_filetype(entry, AE_IFLNK);
		archive_entry_set_symlink(entry, to);
	}
	ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
	archive_entry_free(entry);
}

#define ROOM (1u << 20)

/* A static library of one ELF file, beside one of which code is made later. Returns its size. */
static size_t make_library(char *library)
{
	struct archive *archive = archive_write_new();
	struct small_elf elf = elf_file('m');
	size_t used = 0;
	static const char bitcode[] = { 'B', 'C', '\xc0', '\xde' };

	archive_write_set_format_ar_svr4(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	ck_assert_int_eq(archive_write_open_memory(archive, library, ROOM, &used), ARCHIVE_OK);
	add(archive, "m.o", &elf, sizeof(elf));
	add(archive, "bitcode.o", bitcode, sizeof(bitcode));
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

/* What is in the package, compressed. */
static size_t make_data(int (*compress)(struct archive *), bool too_large, char *data)
{
	struct archive *archive = archive_write_new();
	struct small_elf first = elf_file('a'), second = elf_file('b');
	FREED char *library = malloc(ROOM);
	size_t used = 0, size = make_library(library);

	archive_write_set_format_gnutar(archive);
	ck_assert_int_eq(compress(archive), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open_memory(archive, data, ROOM, &used), ARCHIVE_OK);
	add(archive, "./usr/bin/a", &first, sizeof(first));
	add(archive, "./usr/bin/script", "#!/bin/sh\n", 10);
	add(archive, "./usr/share/empty", "", 0);
	add_link(archive, "./usr/bin/link", "a", false);
	add_link(archive, "./usr/bin/same", "./usr/bin/a", true);
	add(archive, "usr/lib/l.a", library, size);
	if (too_large) {
		struct archive_entry *entry = archive_entry_new();

		archive_entry_set_pathname(entry, "usr/lib/large");
		archive_entry_set_size(entry, INT64_C(10) << 30);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
		archive_entry_free(entry);
		archive_write_fail(archive); /* the rest is never written */
	} else {
		add(archive, "./usr/lib/b.so", &second, sizeof(second));
	}
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

static void make_package(const char *data_name, const char *data, size_t size)
{
	struct archive *archive = archive_write_new();

	archive_write_set_format_ar_svr4(archive);
	ck_assert_int_eq(archive_write_open_filename(archive, path), ARCHIVE_OK);
	add(archive, "debian-binary", "2.0\n", 4);
	add(archive, "control.tar", "", 0);
	if (data_name)
		add(archive, data_name, data, size);
	archive_write_close(archive);
	archive_write_free(archive);
}

static void enter(void)
{
	folder_make();
	snprintf(path, sizeof(path), "%s/p.deb", folder);
}

/* "name which" of each image, a line each; which: the byte behind its header. */
static char *list_text(const struct image_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; i < list->count; i++) {
		const struct image_path *image = &list->image[i];
		struct opened_image opened;
		struct error error;
		size_t bytes;

		fprintf(file, "%s", image->path + strlen(folder) + 1);
		if (image_path_open(image, &opened, &error)) {
			fprintf(file, ": %s\n", error.message);
			continue;
		}
		fprintf(file, " %c\n", image_file_bytes(opened.image, &bytes)[sizeof(Elf64_Ehdr)]);
		image_path_close(&opened);
	}
	fclose(file);
	return text;
}

static const char all_files[] = "p.deb(usr/bin/a) a\n"
				"p.deb(usr/lib/b.so) b\n"
				"p.deb(usr/lib/l.a(m.o)) m\n";

static const struct way {
	const char *name;
	int (*compress)(struct archive *);
} ways[] = {
	{ "data.tar", archive_write_add_filter_none },
	{ "data.tar.gz", archive_write_add_filter_gzip },
	{ "data.tar.xz", archive_write_add_filter_xz },
	{ "data.tar.zst", archive_write_add_filter_zstd },
	{ "data.tar.bz2", archive_write_add_filter_bzip2 },
	{ "data.tar.lzma", archive_write_add_filter_lzma },
};

START_TEST(files_of_a_package_are_images)
{
	FREED char *data = malloc(ROOM);
	char *text;
	struct image_list list = { NULL };
	struct error error;

	make_package(ways[_i].name, data, make_data(ways[_i].compress, false, data));
	/* By name, and below a folder. */
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(image_list_add(&list, i ? folder : path, &error), 0);
		image_list_finish(&list, 1);
		ck_assert_int_eq(list.image[0].named, !i);
		ck_assert_uint_eq(list.bitcode, 1);
		text = list_text(&list);
		ck_assert_str_eq(text, all_files);
		free(text);
		image_list_deinit(&list);
	}
}
END_TEST

START_TEST(a_file_that_claims_too_much_ends_the_reading)
{
	FREED char *data = malloc(ROOM);
	char *text;
	struct image_list list = { NULL };
	struct error error;

	make_package("data.tar", data, make_data(archive_write_add_filter_none, true, data));
	ck_assert_int_eq(image_list_add(&list, path, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	ck_assert_ptr_nonnull(strstr(error.message,
				     "p.deb: the package's usr/lib/large claims 10737418240 "
				     "bytes, more than are read of one file"));
	text = list_text(&list);
	ck_assert_str_eq(text, "p.deb(usr/bin/a) a\np.deb(usr/lib/l.a(m.o)) m\n");
	free(text);
	image_list_deinit(&list);
	/* Below a folder it is an image that can't be read. */
	ck_assert_int_eq(image_list_add(&list, folder, &error), 0);
	image_list_finish(&list, 1);
	text = list_text(&list);
	ck_assert_str_eq(text,
			 "p.deb: the package's usr/lib/large claims 10737418240 bytes, more than "
			 "are read of one file\n"
			 "p.deb(usr/bin/a) a\np.deb(usr/lib/l.a(m.o)) m\n");
	free(text);
	image_list_deinit(&list);
}
END_TEST

START_TEST(a_package_without_data_is_said)
{
	struct image_list list = { NULL };
	struct error error;

	make_package(NULL, NULL, 0);
	ck_assert_int_eq(image_list_add(&list, path, &error), -1);
	ck_assert_ptr_nonnull(strstr(error.message, "p.deb: the package has no data.tar"));
	image_list_deinit(&list);
}
END_TEST

/* What comes out doesn't matter: it ends, and an error has words. */
static bool read_all(void)
{
	struct image_list list = { NULL };
	struct error error = { .code = ERROR_NONE };
	int result = image_list_add(&list, path, &error);
	FREED char *text = NULL;

	ck_assert_int_eq(result != 0, error.code != ERROR_NONE);
	text = list_text(&list);
	image_list_deinit(&list);
	return !result;
}

START_TEST(cut_off_and_changed)
{
	FREED char *data = malloc(ROOM), *bytes = malloc(ROOM);
	uint64_t state = 1;
	size_t size;
	FILE *file;

	make_package(ways[_i].name, data, make_data(ways[_i].compress, false, data));
	file = fopen(path, "r");
	size = fread(bytes, 1, ROOM, file);
	fclose(file);
	for (size_t length = 8; length<size; length += size> 4000 ? 61 : 7) {
		file_write(path, bytes, length);
		read_all();
	}
	for (int i = 0; i < 150; i++) {
		size_t at;
		char before;

		state = state * 6364136223846793005u + 1442695040888963407u;
		at = (size_t)(state >> 33) % size;
		before = bytes[at];
		bytes[at] = (char)(state >> 56);
		file_write(path, bytes, size);
		read_all();
		bytes[at] = before;
	}
	file_write(path, bytes, size);
	ck_assert(read_all());
}
END_TEST

SUITE_MAIN(package)
{
	int count = (int)(sizeof(ways) / sizeof(ways[0]));
	Suite *suite = suite_create("package");
	TCase *packages = tcase_create("packages");
	tcase_set_timeout(packages, 300);
	tcase_add_checked_fixture(packages, enter, folder_remove);
	tcase_add_loop_test(packages, files_of_a_package_are_images, 0, count);
	tcase_add_test(packages, a_file_that_claims_too_much_ends_the_reading);
	tcase_add_test(packages, a_package_without_data_is_said);
	tcase_add_loop_test(packages, cut_off_and_changed, 0, count);
	suite_add_tcase(suite, packages);
	return suite_run(suite);
}
