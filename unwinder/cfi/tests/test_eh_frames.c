/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_eh_frames.c - an .eh_frame that is added to an image's own, and what all of them are asked
 *
 * The image is an ELF header and nothing else; what its file would have is put into it here.
 */
#include "tests/suite.h"
#include "tests/cfi_bytes.h"
#include "cfi/cfi_section.h"
#include "image/eh_frames.h"
#include "image/elf_image.h"

#define ADDED_BYTES 24
#define ADDED_VADDR 0x5000

static const uint8_t own[40];

static struct image *bare_image(void)
{
	static const Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
							ELFDATA2LSB, 1 },
					   .e_type = ET_DYN,
					   .e_machine = EM_X86_64,
					   .e_version = 1,
					   .e_ehsize = sizeof(header) };
	struct image *image;
	struct error error;

	ck_assert_msg(!image_create_memory(&header, sizeof(header), "bare", &image, &error), "%s",
		      error.message);
	return image;
}

static struct image *image_of_one(void)
{
	struct image *image = bare_image();

	image->eh_frame = (struct image_section) { own, sizeof(own), 0x4000, 0, ".eh_frame" };
	return image;
}

static void add_one(struct image *image, bool first)
{
	uint8_t *bytes = calloc(1, ADDED_BYTES);
	struct error error;

	ck_assert(!image_add_eh_frame(image, bytes, ADDED_BYTES, ADDED_VADDR, first, &error));
}

static void check_section(const struct image *image, size_t number, uint64_t vaddr, size_t size,
			  const char *name)
{
	const struct image_section *section = image_eh_frame(image, number);

	ck_assert_ptr_nonnull(section);
	ck_assert_uint_eq(section->vaddr, vaddr);
	ck_assert_uint_eq(section->size, size);
	ck_assert_str_eq(section->name, name);
	ck_assert_ptr_eq(image_cfi_section(image, name), section);
}

START_TEST(it_is_the_only_one)
{
	struct image *image = bare_image();

	ck_assert_ptr_null(image_eh_frame(image, 0));
	ck_assert_uint_eq(image_cfi_bytes(image), 0);
	add_one(image, _i);
	ck_assert(image_eh_frame_is_added(image));
	check_section(image, 0, ADDED_VADDR, ADDED_BYTES, ".eh_frame");
	ck_assert_ptr_null(image_eh_frame(image, 1));
	ck_assert_uint_eq(image_cfi_bytes(image), ADDED_BYTES);
	image_destroy(image);
}
END_TEST

START_TEST(it_is_before_or_behind_the_file_s)
{
	bool first = _i;
	struct image *image = image_of_one();
	struct error_list said = { 0 };

	ck_assert(!image_eh_frame_is_added(image));
	ck_assert_ptr_null(image_eh_frame(image, 1));
	add_one(image, first);
	ck_assert_int_eq(image_eh_frame_is_added(image), first);
	check_section(image, !first, ADDED_VADDR, ADDED_BYTES,
		      first ? ".eh_frame" : ".eh_frame[added]");
	check_section(image, first, 0x4000, sizeof(own), first ? ".eh_frame[file]" : ".eh_frame");
	ck_assert_ptr_null(image_eh_frame(image, 2));
	ck_assert_uint_eq(image_cfi_bytes(image), ADDED_BYTES + sizeof(own));
	image_eh_frame_errors(image, &said);
	ck_assert_uint_eq(said.count, 0);
	image_destroy(image);
}
END_TEST

/* Of the file's there may be so many that there is no room for it: that is said. */
START_TEST(there_is_room_for_so_many)
{
	struct image *image = image_of_one();
	struct image_file *file = image->priv;
	struct error_list said = { 0 };
	struct error error;

	file->other_eh_frame = calloc(EH_FRAMES_MAX, sizeof(*file->other_eh_frame));
	file->other_eh_frames = EH_FRAMES_MAX - 1 + _i;
	for (size_t i = 0; i < file->other_eh_frames; i++)
		file->other_eh_frame[i].section.name = "another";
	ck_assert(!image_add_eh_frame(image, calloc(1, ADDED_BYTES), ADDED_BYTES, ADDED_VADDR,
				      false, &error));
	ck_assert_uint_eq(file->other_eh_frames, EH_FRAMES_MAX);
	image_eh_frame_errors(image, &said);
	ck_assert_uint_eq(said.count, _i);
	if (_i) {
		ck_assert_int_eq(said.error[0].code, ERROR_UNSUPPORTED_ELF);
		ck_assert_str_eq(said.error[0].message,
				 "1 sections .eh_frame more than the 65 that are read");
	} else {
		check_section(image, EH_FRAMES_MAX, ADDED_VADDR, ADDED_BYTES, ".eh_frame[added]");
	}
	ck_assert_ptr_null(image_eh_frame(image, EH_FRAMES_MAX + 1));
	error_list_deinit(&said);
	image_destroy(image);
}
END_TEST

/* What each of the others has lost is said in their order. */
START_TEST(what_is_wrong_with_others_is_said)
{
	struct image *image = image_of_one();
	struct image_file *file = image->priv;
	struct error_list said = { 0 };

	file->other_eh_frame = calloc(EH_FRAMES_MAX, sizeof(*file->other_eh_frame));
	file->other_eh_frames = 3;
	error_set(&file->other_eh_frame[0].error, ERROR_ELF_BOUNDS, "a", 1, "first");
	error_set(&file->other_eh_frame[2].error, ERROR_RELOCATION, "b", 2, "last");
	image_eh_frame_errors(image, &said);
	ck_assert_uint_eq(said.count, 2);
	ck_assert_int_eq(said.error[0].code, ERROR_ELF_BOUNDS);
	ck_assert_int_eq(said.error[1].code, ERROR_RELOCATION);
	error_list_deinit(&said);
	image_destroy(image);
}
END_TEST

START_TEST(sections_are_found_by_name)
{
	struct image *image = image_of_one();

	ck_assert_ptr_null(image_cfi_section(image, ".debug_frame"));
	image->debug_frame = (struct image_section) { own, 16, 0, 0, ".debug_frame" };
	ck_assert_ptr_eq(image_cfi_section(image, ".debug_frame"), &image->debug_frame);
	ck_assert_ptr_eq(image_cfi_section(image, ".eh_frame"), &image->eh_frame);
	ck_assert_ptr_null(image_cfi_section(image, ".eh_frame[added]"));
	ck_assert_ptr_null(image_cfi_section(image, ".eh_fram"));
	ck_assert_uint_eq(image_cfi_bytes(image), 16 + sizeof(own));
	image->eh_frame.name = NULL;
	ck_assert_ptr_null(image_cfi_section(image, ".eh_frame"));
	image_destroy(image);
}
END_TEST

START_TEST(bytes_without_a_file_have_one)
{
	const struct bytes bytes = { .size = 8 };
	const struct image image = fake_image(&bytes);
	struct error_list said = { 0 };

	ck_assert_ptr_eq(image_eh_frame(&image, 0), &image.eh_frame);
	ck_assert_ptr_null(image_eh_frame(&image, 1));
	ck_assert(!image_eh_frame_is_added(&image));
	ck_assert_uint_eq(image_cfi_bytes(&image), 8);
	image_eh_frame_errors(&image, &said);
	ck_assert_uint_eq(said.count, 0);
}
END_TEST

SUITE(eh_frames, TIMES(it_is_the_only_one, 2), TIMES(it_is_before_or_behind_the_file_s, 2),
      TIMES(there_is_room_for_so_many, 2), TEST(what_is_wrong_with_others_is_said),
      TEST(sections_are_found_by_name), TEST(bytes_without_a_file_have_one))
