/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_archive.c - nothing in an archive is believed
 *
 * Archives made by hand, each with one thing that pack never writes: every one is refused as a
 * whole, with an error and not a crash. Then one that pack would write, cut at each length and with
 * each of its bytes changed.
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "corpus/golden/golden.h"

static char bytes[8 << 20];

struct member {
	const char *name;  /* NULL: no more */
	unsigned int type; /* 0: AE_IFREG */
	const char *link;  /* a hard link to it */
	size_t size;	   /* of zeros, or of data */
	const char *data;
};

#define MEMBERS_MAX 4

#define MEMBERS(...) .member = { __VA_ARGS__ }

struct archive_case {
	const char *name;
	struct member member[MEMBERS_MAX];
	unsigned int repeat; /* the first member so often, by numbered names */
	int filter;	     /* 0: xz */
	int format;	     /* 0: ustar */
	const char *message; /* NULL: it is accepted */
};

static const struct archive_case cases[] = {
	{ "files_with_plain_names_are_accepted",
	  MEMBERS({ "a", .data = "1" }, { "b.gcc-12.O2-fp", .data = "2" }) },
	{ "an_empty_file_is_accepted", MEMBERS({ "a", .data = "" }) },
	{ "up_a_folder", MEMBERS({ "../a", .data = "1" }), .message = "'../a' is no plain name" },
	{ "up_a_folder_behind_a_file", MEMBERS({ "a", .data = "1" }, { "b/../../c", .data = "1" }),
	  .message = "is no plain name" },
	{ "an_absolute_path", MEMBERS({ "/tmp/a", .data = "1" }),
	  .message = "'/tmp/a' is no plain name" },
	{ "a_folder_before_it", MEMBERS({ "a/b", .data = "1" }),
	  .message = "'a/b' is no plain name" },
	{ "a_folder_itself", MEMBERS({ "a", .type = AE_IFDIR }), .message = "no" },
	{ "the_folder_above", MEMBERS({ "..", .data = "1" }), .message = "'..' is no plain name" },
	{ "a_hidden_file", MEMBERS({ ".a", .data = "1" }), .message = "'.a' is no plain name" },
	{ "no_name", MEMBERS({ "", .data = "1" }), .message = "is no plain name" },
	{ "a_tab_in_a_name", MEMBERS({ "a\tb", .data = "1" }), .message = "is no plain name" },
	{ "a_line_break_in_a_name", MEMBERS({ "a\nb", .data = "1" }),
	  .message = "is no plain name" },
	{ "a_glob_in_a_name", MEMBERS({ "a*", .data = "1" }), .message = "is no plain name" },
	{ "a_symbolic_link", MEMBERS({ "a", .type = AE_IFLNK, .link = "/etc/passwd" }),
	  .message = "a is no regular file" },
	{ "a_hard_link", MEMBERS({ "a", .data = "1" }, { "b", .link = "a" }),
	  .message = "b is no regular file" },
	{ "a_hard_link_to_elsewhere", MEMBERS({ "a", .link = "/etc/passwd" }),
	  .message = "a is no regular file" },
	{ "a_fifo", MEMBERS({ "a", .type = AE_IFIFO }), .message = "a is no regular file" },
	{ "a_device", MEMBERS({ "a", .type = AE_IFCHR }), .message = "a is no regular file" },
	{ "a_name_twice", MEMBERS({ "a", .data = "1" }, { "a", .data = "2" }),
	  .message = "a is there twice" },
	{ "too_many_files", MEMBERS({ "a", .data = "1" }), GOLDEN_MEMBER_COUNT_MAX + 1,
	  .message = "more than 256 files" },
	{ "as_many_as_may_be", MEMBERS({ "a", .data = "1" }), GOLDEN_MEMBER_COUNT_MAX },
	{ "a_file_that_is_too_big", MEMBERS({ "a", .size = GOLDEN_MEMBER_BYTES_MAX + 1 }),
	  .message = "more than 16777216 bytes" },
	{ "together_too_big", MEMBERS({ "a", .size = GOLDEN_MEMBER_BYTES_MAX }), 5,
	  .message = "more than" },
	{ "gzip", MEMBERS({ "a", .data = "1" }), .filter = ARCHIVE_FILTER_GZIP,
	  .message = "no .tar.xz" },
	{ "not_compressed", MEMBERS({ "a", .data = "1" }), .filter = ARCHIVE_FILTER_NONE + 1000,
	  .message = "not compressed with xz" },
	{ "cpio", MEMBERS({ "a", .data = "1" }), .format = ARCHIVE_FORMAT_CPIO_SVR4_NOCRC,
	  .message = "no .tar.xz" },
};

#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

static void put(struct archive *to, const struct member *member, const char *name)
{
	static const char zeros[1 << 16];
	struct archive_entry *entry = archive_entry_new();
	size_t size = member->data ? strlen(member->data) : member->size;

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, member->type ? member->type : AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	if (member->link && member->type == AE_IFLNK)
		archive_entry_set_symlink(entry, member->link);
	else if (member->link)
		archive_entry_set_hardlink(entry, member->link);
	archive_entry_set_size(entry, (la_int64_t)size);
	ck_assert_int_eq(archive_write_header(to, entry), ARCHIVE_OK);
	for (size_t at = 0, n; at < size; at += n) {
		n = size - at < sizeof(zeros) ? size - at : sizeof(zeros);
		archive_write_data(to, member->data ? member->data + at : zeros, n);
	}
	archive_entry_free(entry);
}

static size_t make(const struct archive_case *archive_case)
{
	struct archive *to = archive_write_new();
	size_t size = 0;
	char name[32];

	if (archive_case->format)
		archive_write_set_format(to, archive_case->format);
	else
		archive_write_set_format_ustar(to);
	if (archive_case->filter >= 1000)
		archive_write_add_filter_none(to);
	else
		archive_write_add_filter(to, archive_case->filter ? archive_case->filter
								  : ARCHIVE_FILTER_XZ);
	if (!archive_case->filter)
		archive_write_set_options(to, "xz:compression-level=0");
	ck_assert_int_eq(archive_write_open_memory(to, bytes, sizeof(bytes), &size), ARCHIVE_OK);
	for (unsigned int i = 0; i < archive_case->repeat; i++) {
		snprintf(name, sizeof(name), "%s%u", archive_case->member[0].name, i);
		put(to, &archive_case->member[0], name);
	}
	for (size_t i = 0; !archive_case->repeat && i < MEMBERS_MAX; i++)
		if (archive_case->member[i].name)
			put(to, &archive_case->member[i], archive_case->member[i].name);
	ck_assert_int_eq(archive_write_close(to), ARCHIVE_OK);
	archive_write_free(to);
	return size;
}

START_TEST(test_what_is_read)
{
	const struct archive_case *archive_case = &cases[_i];
	struct golden_archive archive;
	struct error error = { 0 };
	size_t size = make(archive_case);
	int status = golden_archive_read(bytes, size, &archive, &error);

	if (!archive_case->message) {
		ck_assert_msg(!status, "%s: %s", archive_case->name, error.message);
		ck_assert_uint_gt(archive.count, 0);
		golden_archive_deinit(&archive);
		return;
	}
	ck_assert_msg(status && strstr(error.message, archive_case->message), "%s: %d, %s",
		      archive_case->name, status, error.message);
	ck_assert_uint_eq(archive.count, 0);
}
END_TEST

/* ---- what pack writes -------------------------------------------------------------------- */

static void make_good(char **ret, size_t *ret_size)
{
	struct golden_archive archive = { 0 };
	struct error error = { 0 };

	ck_assert(!golden_archive_add(&archive, "one", strdup("first"), 5, &error));
	ck_assert(!golden_archive_add(&archive, "two", strdup("second"), 6, &error));
	ck_assert(!golden_archive_write(&archive, ret, ret_size, &error));
	golden_archive_deinit(&archive);
}

START_TEST(test_what_is_written_is_read_back)
{
	struct golden_archive archive;
	struct error error = { 0 };
	char *data, *again;
	size_t size, again_size;

	make_good(&data, &size);
	make_good(&again, &again_size);
	ck_assert_uint_eq(size, again_size);
	ck_assert(!memcmp(data, again, size));
	ck_assert(!golden_archive_read(data, size, &archive, &error));
	ck_assert_uint_eq(archive.count, 2);
	ck_assert_uint_eq(golden_archive_find(&archive, "two")->size, 6);
	ck_assert(!memcmp(golden_archive_find(&archive, "two")->data, "second", 6));
	ck_assert_ptr_null(golden_archive_find(&archive, "three"));
	golden_archive_deinit(&archive);
	free(again);
	free(data);
}
END_TEST

/* Whether what is read, if it is, is what was written. */
static bool unharmed(const char *data, size_t size)
{
	struct golden_archive archive;
	struct error error = { 0 };

	if (golden_archive_read(data, size, &archive, &error))
		return false;

	bool same = archive.count == 2 && archive.member[0].size == 5 &&
		    !memcmp(archive.member[0].data, "first", 5) && archive.member[1].size == 6 &&
		    !memcmp(archive.member[1].data, "second", 6);

	ck_assert_msg(same, "another archive was read");
	golden_archive_deinit(&archive);
	return true;
}

START_TEST(test_an_archive_that_is_cut_is_never_another_one)
{
	size_t size, whole = 0;
	FREED char *data = NULL;

	make_good(&data, &size);
	for (size_t length = 0; length < size; length++) {
		FREED char *copy = malloc(length ? length : 1);

		memcpy(copy, data, length);
		whole += unharmed(copy, length);
	}
	ck_assert_uint_le(whole, 40); /* the index behind the last block may be gone */
	ck_assert(unharmed(data, size));
}
END_TEST

START_TEST(test_an_archive_with_a_changed_byte_is_never_another_one)
{
	size_t size, refused = 0;
	FREED char *data = NULL;

	make_good(&data, &size);
	for (size_t i = 0; i < size; i++)
		for (int bit = 0; bit < 8; bit++) {
			data[i] ^= (char)(1 << bit);
			refused += !unharmed(data, size);
			data[i] ^= (char)(1 << bit);
		}
	ck_assert_uint_ge(refused, size * 4);
}
END_TEST

/* FIPS 180-4's examples. */
static const struct {
	const char *text, *sum;
} sums[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

START_TEST(test_sha256)
{
	char sum[GOLDEN_SHA256_SIZE];
	struct error error = { 0 };

	ck_assert_msg(!golden_sha256(sums[_i].text, strlen(sums[_i].text), sum, &error), "%s",
		      error.message);
	ck_assert_str_eq(sum, sums[_i].sum);
}
END_TEST

SUITE(golden_archive, TIMEOUT(200), TIMES(test_what_is_read, CASE_COUNT),
      TEST(test_what_is_written_is_read_back),
      TEST(test_an_archive_that_is_cut_is_never_another_one),
      TEST(test_an_archive_with_a_changed_byte_is_never_another_one), LOOP(test_sha256, sums))
