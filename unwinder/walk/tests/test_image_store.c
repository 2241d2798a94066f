/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_image_store.c - how images are known, how long they stay, and the rows found lately
 *
 * An image is an ELF header with a byte behind it; its CFI is added when the store prepares it. How
 * processes share images is test_address_space.c's.
 */
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "image/elf_image.h"
#include "walk/image_store.h"

/* ---- how a file is known ------------------------------------------------------------------ */

/* Noll's own values, http://www.isthe.com/chongo/tech/comp/fnv/. */
START_TEST(bytes_are_hashed_by_fnv_1a)
{
	ck_assert_uint_eq(hash_bytes("", 0), 0xcbf29ce484222325);
	ck_assert_uint_eq(hash_bytes("a", 1), 0xaf63dc4c8601ec8c);
	ck_assert_uint_eq(hash_bytes("foobar", 6), 0x85944171f73967e8);
}
END_TEST

START_TEST(file_is_known_by_five_numbers)
{
	struct stat state = { .st_dev = 1, .st_ino = 2, .st_size = 3 };
	struct file_version version, other;

	state.st_mtim.tv_sec = 4;
	state.st_mtim.tv_nsec = 5;
	state.st_ctim.tv_nsec = 6;
	version = file_version(&state);
	ck_assert(version.device == 1 && version.inode == 2 && version.size == 3);
	ck_assert_uint_eq(version.modified_ns, 4000000005);
	ck_assert_uint_eq(version.changed_ns, 6);
	ck_assert(file_version_equal(&version, &version));
	for (int i = 0; i < 5; i++) {
		other = version;
		*(i == 0   ? &other.device
		  : i == 1 ? &other.inode
		  : i == 2 ? &other.size
		  : i == 3 ? &other.modified_ns
			   : &other.changed_ns) += 1;
		ck_assert_msg(!file_version_equal(&version, &other), "number %d", i);
		ck_assert_msg(!file_version_equal(&other, &version), "number %d", i);
	}
}
END_TEST

/* ---- images ------------------------------------------------------------------------------- */

static struct image_entry *copy(struct image_store *store, uint8_t number, struct error *error)
{
	const Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
				    .e_type = ET_DYN,
				    .e_machine = EM_X86_64,
				    .e_version = 1,
				    .e_ehsize = sizeof(header) };
	uint8_t bytes[sizeof(header) + 1];

	memcpy(bytes, &header, sizeof(header));
	bytes[sizeof(header)] = number;
	return image_store_copy(store, bytes, sizeof(bytes), "made", error);
}

START_TEST(same_bytes_are_one_image)
{
	struct image_store *store = image_store_create();
	struct error error = { 0 };
	struct image_entry *one = copy(store, 1, &error), *two = copy(store, 2, &error);

	ck_assert(one && two && one != two);
	ck_assert_ptr_eq(copy(store, 1, &error), one);
	ck_assert_ptr_eq(copy(store, 2, &error), two);
	ck_assert_uint_eq(one->id, 0);
	ck_assert_uint_eq(two->id, 1);
	ck_assert_uint_eq(one->version.inode, VDSO_INODE);
	ck_assert_uint_eq(one->version.device, 0);
	ck_assert_uint_eq(one->version.size, sizeof(Elf64_Ehdr) + 1);
	ck_assert_str_eq(one->image->path, "made");
	ck_assert_uint_eq(image_store_count(store), 2);
	ck_assert_ptr_eq(image_store_get(store, 0), one);
	ck_assert_ptr_eq(image_store_get(store, 1), two);
	ck_assert_ptr_null(image_store_get(store, 2));
	ck_assert_ptr_null(image_store_copy(store, "no", 2, "made", &error));
	ck_assert_int_eq(error.code, ERROR_NOT_ELF);
	ck_assert_uint_eq(image_store_count(store), 2);
	image_store_destroy(store);
	image_store_destroy(NULL);
}
END_TEST

/* Images 0 to 4, of which no mapping has any but 3; they were left in this order. */
START_TEST(so_many_are_kept)
{
	struct image_store *store = image_store_create();
	const int left[] = { 4, 0, 2, 1 }, keep = _i;
	struct image_entry *entry[5];
	struct error error;

	for (int i = 0; i < 5; i++) {
		entry[i] = copy(store, i, &error);
		image_entry_hold(entry[i]);
		image_entry_hold(entry[i]);
	}
	image_entry_hold(NULL);
	image_entry_release(NULL);
	for (int i = 0; i < 4; i++) {
		image_entry_release(entry[left[i]]);
		image_entry_release(entry[left[i]]);
	}
	image_entry_release(entry[3]);
	image_store_forget(store, keep);
	ck_assert_uint_eq(image_store_count(store), 1 + (keep < 4 ? keep : 4));
	for (int i = 0; i < 4; i++) {
		bool there = false;

		for (size_t j = 0; j < image_store_count(store); j++)
			there |= image_store_get(store, j)->id == (uint32_t)left[i];
		ck_assert_msg(there == (4 - i <= keep), "%d kept, image %d", keep, left[i]);
	}
	ck_assert_ptr_eq(copy(store, 3, &error), entry[3]);
	image_store_destroy(store);
}
END_TEST

/* A file system can be unmounted when nobody has mapped its files any more. */
START_TEST(none_is_kept_for_long)
{
	struct image_store *store = image_store_create();
	struct error error;

	copy(store, 1, &error)->unused_s -= 12;
	copy(store, 2, &error)->unused_s -= 9;
	copy(store, 3, &error);
	image_store_forget(store, 3);
	ck_assert_uint_eq(image_store_count(store), 2);
	image_store_destroy(store);
}
END_TEST

/* Its size and the time of its last modification are the same, as anybody can make them. */
START_TEST(a_file_is_known_by_its_bytes)
{
	struct image_store *store = image_store_create();
	struct image_entry *entry, *other;
	char path[] = "/tmp/stackproof-image-XXXXXX", command[64];
	struct error error;
	struct stat before;
	size_t size;
	int fd = mkstemp(path);

	snprintf(command, sizeof(command), "cat /bin/true >%s", path);
	ck_assert_int_eq(system(command), 0);
	entry = image_store_open(store, path, &error);
	ck_assert(entry && entry->image->build_id_size);
	ck_assert(!fchmod(fd, 0700));
	ck_assert_ptr_eq(image_store_open(store, path, &error), entry);
	ck_assert(image_entry_is_as_it_was(entry));

	const uint8_t *bytes = image_file_bytes(entry->image, &size);
	const uint8_t *id = memmem(bytes, size, entry->image->build_id,
				   entry->image->build_id_size);

	ck_assert(!fstat(fd, &before));
	ck_assert_int_eq(pwrite(fd, id + 1, 1, id - bytes), 1);
	ck_assert(!futimens(fd, (struct timespec[]) { before.st_atim, before.st_mtim }));
	ck_assert(!image_entry_is_as_it_was(entry));
	other = image_store_open(store, path, &error);
	ck_assert(other && other != entry);
	unlink(path);
	close(fd);
	image_store_destroy(store);
}
END_TEST

static int refuse(void *context, struct image *image, struct error *error)
{
	++*(int *)context;
	return error_set(error, ERROR_RELOCATION, "", 0, "refused");
}

START_TEST(what_can_not_be_prepared_is_not_kept)
{
	struct image_store *store = image_store_create();
	struct error error;
	int asked = 0;

	image_store_prepare(store, refuse, &asked);
	ck_assert_ptr_null(copy(store, 1, &error));
	ck_assert_int_eq(error.code, ERROR_RELOCATION);
	ck_assert_int_eq(asked, 1);
	ck_assert_uint_eq(image_store_count(store), 0);
	image_store_destroy(store);
}
END_TEST

static int count_asked(void *context, struct image *image, struct error *error)
{
	++*(int *)context;
	return 0;
}

/* Who comes first is asked first: what one refuses the next never sees. */
START_TEST(each_of_several_prepares)
{
	struct image_store *store = image_store_create();
	struct error error;
	int first = 0, second = 0, third = 0;

	image_store_prepare(store, count_asked, &first);
	image_store_prepare(store, NULL, NULL);
	ck_assert_ptr_nonnull(copy(store, 1, &error));
	image_store_prepare(store, refuse, &second);
	image_store_prepare(store, count_asked, &third);
	ck_assert_ptr_null(copy(store, 2, &error));
	ck_assert_int_eq(first, 2);
	ck_assert_int_eq(second, 1);
	ck_assert_int_eq(third, 0);
	image_store_destroy(store);
}
END_TEST

/* ---- rows --------------------------------------------------------------------------------- */

#define FIRST 0x1000
#define BAD   0x1100 /* an FDE whose instructions are malformed */
#define GOOD  0x1200 /* goes on for more addresses than there are slots */
#define END   0x2000

static int add_cfi(void *context, struct image *image, struct error *error)
{
	struct bytes bytes = { .size = 0 };
	size_t cie = put_cie(&bytes, 0, (struct literal)CFI(CFA_USUAL));
	uint8_t *data;

	put_fde(&bytes, cie, FIRST, 0x100,
		(struct literal)CFI(CFA_advance_loc(3), CFA_def_cfa_offset(16)));
	put_fde(&bytes, cie, BAD, 0x100, (struct literal)CFI(CFA_restore_state));
	put_fde(&bytes, cie, GOOD, END - GOOD,
		(struct literal)CFI(CFA_advance_loc2(0x200), CFA_def_cfa_offset(24),
				    CFA_advance_loc2(0x200), CFA_def_cfa_offset(32),
				    CFA_advance_loc2(0x200), CFA_def_cfa_offset(40)));
	data = malloc(bytes.size);
	memcpy(data, bytes.data, bytes.size);
	return image_add_eh_frame(image, data, bytes.size, TEST_SECTION_VADDR, true, error);
}

/* What cfi_row_find() says, which keeps nothing. */
static void check_row(struct image_entry *entry, uint64_t vaddr)
{
	const struct row *row;
	struct row plain;
	struct error error;
	int found = image_entry_row(entry, vaddr, &row, &error);

	ck_assert_msg(found == cfi_row_find(image_entry_cfi(entry), vaddr, &plain, &error),
		      "0x%lx: %d", (unsigned long)vaddr, found);
	if (found == 1)
		ck_assert_msg(row->cfa.offset == plain.cfa.offset && row->pc == plain.pc &&
				      row->pc_end == plain.pc_end,
			      "0x%lx: another row", (unsigned long)vaddr);
	else if (found < 0)
		ck_assert_int_eq(error.code, ERROR_CFI_STATE);
}

START_TEST(rows_are_what_the_cfi_says)
{
	struct image_store *store = image_store_create();
	struct image_entry *entry;
	struct error error;

	image_store_prepare(store, add_cfi, NULL);
	entry = copy(store, 1, &error);
	ck_assert_ptr_nonnull(entry);
	ck_assert_ptr_null(entry->cfi_if_read);
	for (int round = 0; round < 2; round++)
		for (uint64_t vaddr = FIRST - 0x20; vaddr < END + 0x20; vaddr++) {
			check_row(entry, vaddr);
			check_row(entry, vaddr ^ 0x200);
			check_row(entry, BAD + vaddr % 0x100);
			check_row(entry, vaddr);
		}
	image_store_destroy(store);
}
END_TEST

START_TEST(an_image_without_cfi_has_no_rows)
{
	struct image_store *store = image_store_create();
	struct error error = { 0 };
	struct image_entry *entry = copy(store, 1, &error);
	const struct row *row;

	ck_assert_int_eq(image_entry_row(entry, FIRST, &row, &error), 0);
	ck_assert_int_eq(image_entry_read_cfi(entry, &error), 0);
	ck_assert_uint_eq(image_entry_cfi(entry)->fde_count, 0);
	ck_assert_int_eq(image_entry_row(entry, FIRST, &row, &error), 0);
	image_store_destroy(store);
}
END_TEST

SUITE(image_store, TEST(bytes_are_hashed_by_fnv_1a), TEST(file_is_known_by_five_numbers),
      TEST(none_is_kept_for_long), TEST(a_file_is_known_by_its_bytes),
      TEST(same_bytes_are_one_image), TIMES(so_many_are_kept, 6),
      TEST(what_can_not_be_prepared_is_not_kept), TEST(each_of_several_prepares),
      TEST(rows_are_what_the_cfi_says), TEST(an_image_without_cfi_has_no_rows))
