/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_gate_image.c - how much of an image's code has CFI, and what of that a gate is told
 *
 * An image is made of code sections and FDEs, by their addresses; it has one segment, of
 * SEGMENT_BYTES from address 0 on, that is code as a whole. The sections say which of it is.
 */
#include <inttypes.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "tables/diff/tests/diff_image.h"
#include "base/gate/gate.h"
#include "base/images/image_list.h"

#define SEGMENT_BYTES 0x2000
#define SECTIONS_MAX  3
#define FDES_MAX      4
#define CODE	      (SHF_ALLOC | SHF_EXECINSTR)

struct extent {
	uint64_t start, bytes; /* of no bytes: there is none */
};

#define SECTIONS(...) .section = { __VA_ARGS__ }
#define FDES(...)     .fde = { __VA_ARGS__ }

static const struct image_case {
	const char *name;
	struct extent section[SECTIONS_MAX], fde[FDES_MAX];
	uint64_t code, covered, outside;
	uint64_t flags; /* of the last section; 0: those of code */
	uint32_t type;	/* the same */
	uint16_t file_type;
} cases[] = {
	{ "all_is_covered", SECTIONS({ 0x1000, 0x100 }), FDES({ 0x1000, 0x100 }), .code = 0x100,
	  .covered = 0x100 },
	{ "nothing_is", SECTIONS({ 0x1000, 0x100 }), .code = 0x100 },
	{ "a_hole_between_two", SECTIONS({ 0x1000, 0x100 }),
	  FDES({ 0x1000, 0x40 }, { 0x1050, 0x20 }), .code = 0x100, .covered = 0x60 },
	{ "what_lies_outside_of_sections_counts_not", SECTIONS({ 0x1000, 0x100 }),
	  FDES({ 0xff0, 0x20 }, { 0x10f0, 0x20 }, { 0x1800, 0x10 }), .code = 0x100,
	  .covered = 0x20 },
	{ "one_fde_within_another", SECTIONS({ 0x1000, 0x100 }),
	  FDES({ 0x1000, 0x40 }, { 0x1010, 0x10 }), .code = 0x100, .covered = 0x40 },
	{ "two_fdes_within_another", SECTIONS({ 0x1000, 0x100 }),
	  FDES({ 0x1000, 0x40 }, { 0x1010, 8 }, { 0x1020, 0x10 }), .code = 0x100, .covered = 0x40 },
	{ "one_fde_over_the_end_of_another", SECTIONS({ 0x1000, 0x100 }),
	  FDES({ 0x1000, 0x40 }, { 0x1030, 0x20 }), .code = 0x100, .covered = 0x50 },
	{ "the_same_fde_twice", SECTIONS({ 0x1000, 0x100 }),
	  FDES({ 0x1000, 0x40 }, { 0x1000, 0x40 }), .code = 0x100, .covered = 0x40 },
	{ "one_fde_over_two_sections", SECTIONS({ 0x1000, 0x10 }, { 0x1020, 0x10 }),
	  FDES({ 0x1008, 0x40 }), .code = 0x20, .covered = 0x18 },
	{ "an_fde_for_each_of_two_sections", SECTIONS({ 0x1020, 0x10 }, { 0x1000, 0x10 }),
	  FDES({ 0x1024, 4 }, { 0x1000, 8 }), .code = 0x20, .covered = 12 },
	{ "sections_that_touch", SECTIONS({ 0x1000, 0x10 }, { 0x1010, 0x10 }),
	  FDES({ 0x1008, 0x10 }), .code = 0x20, .covered = 0x10 },
	{ "sections_that_overlap", SECTIONS({ 0x1000, 0x20 }, { 0x1010, 0x20 }),
	  FDES({ 0x1000, 0x28 }), .code = 0x30, .covered = 0x28 },
	{ "a_section_within_another", SECTIONS({ 0x1000, 0x40 }, { 0x1010, 0x10 }, { 0x1048, 8 }),
	  FDES({ 0x1000, 0x50 }), .code = 0x48, .covered = 0x48 },
	{ "data_is_no_code", SECTIONS({ 0x1000, 0x40 }, { 0x1100, 0x40 }), .flags = SHF_ALLOC,
	  FDES({ 0x1000, 0x10 }), .code = 0x40, .covered = 0x10 },
	{ "what_is_not_loaded_is_none", SECTIONS({ 0x1000, 0x40 }, { 0x1100, 0x40 }),
	  .flags = SHF_EXECINSTR, .code = 0x40 },
	{ "a_section_without_bytes_in_the_file", SECTIONS({ 0x1000, 0x40 }, { 0x1100, 0x40 }),
	  .type = SHT_NOBITS, .code = 0x40 },
	{ "a_section_that_goes_round", SECTIONS({ 0x1000, 0x40 }, { -16ull, 0x40 }), .code = 0x40 },
	{ "without_sections_a_segment_is_code", FDES({ 0x1000, 0x40 }), .code = SEGMENT_BYTES,
	  .covered = 0x40 },
	{ "an_fde_of_no_segment", SECTIONS({ 0x1000, 0x100 }),
	  FDES({ 0x1000, 0x40 }, { 0x9000, 0x40 }), .code = 0x100, .covered = 0x40, .outside = 1 },
	{ "sections_of_an_object_all_begin_at_0", .file_type = ET_REL,
	  SECTIONS({ 0, 0x20 }, { 0, 0x10 }), FDES({ 0, 0x18 }, { 0, 8 }), .code = 0x30,
	  .covered = 0x20 },
	{ "an_fde_that_is_longer_than_all_sections_covers_none", .file_type = ET_REL,
	  SECTIONS({ 0, 0x10 }, { 0, 0x20 }),
	  FDES({ 0, 0x20 }, { 0, 0x21 }, { 0x18, 9 }, { 0x21, 1 }), .code = 0x30, .covered = 0x20 },
	{ "nor_one_that_begins_behind_them", .file_type = ET_REL,
	  SECTIONS({ 0, 0x20 }, { 0, 0x10 }), FDES({ 0x18, 8 }, { 0x1000, 8 }, { 1, 0x20 }),
	  .code = 0x30, .covered = 8 },
	{ "an_object_has_no_more_covered_than_it_has", .file_type = ET_REL, SECTIONS({ 0, 0x20 }),
	  FDES({ 0, 0x20 }, { 0, 8 }), .code = 0x20, .covered = 0x20 },
};

static void make_fdes(struct diff_image *image, const struct extent *fde)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	for (int i = 0; i < FDES_MAX && fde[i].bytes; i++)
		DIFF_IMAGE_FDE(image, cie, fde[i].start, fde[i].bytes, CFA_nop);
}

/* Section headers: none, .eh_frame, their names, and those of the case. */
static void make_sections(struct diff_image *image, const struct image_case *c, size_t eh_frame)
{
	static const char names[] = "\0.eh_frame\0.shstrtab\0.text";
	size_t names_offset = image->size;
	int count = 3;

	diff_image_put(image, names, sizeof(names));
	image->size = (image->size + 7) / 8 * 8;
	((Elf64_Ehdr *)image->bytes)->e_shoff = image->size;
	Elf64_Shdr section[3 + SECTIONS_MAX] = {
		[1] = { .sh_name = 1,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = c->file_type == ET_REL ? 0 : DIFF_IMAGE_EH_FRAME,
			.sh_offset = DIFF_IMAGE_EH_FRAME,
			.sh_size = eh_frame,
			.sh_addralign = 8 },
		[2] = { .sh_name = 11,
			.sh_type = SHT_STRTAB,
			.sh_offset = names_offset,
			.sh_size = sizeof(names),
			.sh_addralign = 1 },
	};
	for (int i = 0; i < SECTIONS_MAX && c->section[i].bytes; i++)
		section[count++] = (Elf64_Shdr) { .sh_name = 21,
						  .sh_type = SHT_PROGBITS,
						  .sh_flags = CODE,
						  .sh_addr = c->section[i].start,
						  .sh_offset = DIFF_IMAGE_EH_FRAME,
						  .sh_size = c->section[i].bytes };
	section[count - 1].sh_flags = c->flags ? c->flags : section[count - 1].sh_flags;
	section[count - 1].sh_type = c->type ? c->type : section[count - 1].sh_type;
	diff_image_put(image, section, count * sizeof(*section));
	((Elf64_Ehdr *)image->bytes)->e_shnum = count;
}

static void make_image(struct diff_image *image, const struct image_case *c)
{
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = c->file_type ? c->file_type : ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = c->file_type == ET_REL ? 0 : sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = c->file_type == ET_REL ? 0 : 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shstrndx = 2,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = SEGMENT_BYTES,
		.p_memsz = SEGMENT_BYTES,
		.p_align = 0x1000,
	};

	*image = (struct diff_image) { .size = DIFF_IMAGE_EH_FRAME };
	memcpy(image->bytes, &header, sizeof(header));
	memcpy(image->bytes + sizeof(header), &segment, sizeof(segment));
	make_fdes(image, c->fde);
	make_sections(image, c, image->size - DIFF_IMAGE_EH_FRAME);
}

/* path: of a new file, to be removed. */
static void open_image(const struct image_case *c, char *path, struct image **ret_image,
		       struct cfi **ret_cfi)
{
	int file = mkstemp(path);
	struct diff_image bytes;
	struct error error;

	make_image(&bytes, c);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, bytes.bytes, bytes.size), (ssize_t)bytes.size);
	ck_assert_int_eq(ftruncate(file, SEGMENT_BYTES), 0);
	close(file);
	ck_assert_msg(!image_create(path, ret_image, &error), "%s: %s", c->name, error.message);
	ck_assert_msg(!cfi_create(*ret_image, ret_cfi, &error), "%s: %s", c->name, error.message);
}

/* The image has no segment, or none of code; or it is not in the file that it is said to be in. */
START_TEST(image_without_code)
{
	static const struct image_case c = { .name = "without_sections", .fde = { { 0x1000, 8 } } };
	char path[] = "/tmp/test_gate_image.XXXXXX";
	struct gate_image got;
	struct image *image;
	struct cfi *cfi;

	open_image(&c, path, &image, &cfi);
	image->segment_count = 0;
	gate_image_read(image, path, NULL, &got);
	ck_assert_uint_eq(got.code_bytes, 0);
	image->segment_count = 1;
	gate_image_read(image, path, NULL, &got);
	ck_assert_uint_eq(got.code_bytes, SEGMENT_BYTES);
	image->segment[0].executable = false;
	gate_image_read(image, path, cfi, &got);
	ck_assert_uint_eq(got.code_bytes + got.covered_bytes, 0);
	cfi_destroy(cfi);
	image_destroy(image);
	unlink(path);
}
END_TEST

/* What has no sections is looked at by its segments: a file that is gone, or a pipe, for which
 * nobody waits. A descriptor of 0 is one. */
START_TEST(sections_are_those_of_the_file)
{
	static const struct image_case c = { .name = "section", .section = { { 0x1000, 0x40 } } };
	char path[] = "/tmp/test_gate_image.XXXXXX";
	struct gate_image got;
	struct image *image;
	struct cfi *cfi;
	int in;

	open_image(&c, path, &image, &cfi);
	in = dup(0);
	close(0);
	gate_image_read(image, path, NULL, &got);
	ck_assert_uint_eq(got.code_bytes, 0x40);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1); /* it was closed again */
	if (in >= 0)
		dup2(in, 0);
	close(in);
	unlink(path);
	gate_image_read(image, path, NULL, &got);
	ck_assert_uint_eq(got.code_bytes, SEGMENT_BYTES);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	gate_image_read(image, path, NULL, &got);
	ck_assert_uint_eq(got.code_bytes, SEGMENT_BYTES);
	cfi_destroy(cfi);
	image_destroy(image);
	unlink(path);
}
END_TEST

START_TEST(bytes_of_code_are_counted_once)
{
	const struct image_case *c = &cases[_i];
	char path[] = "/tmp/test_gate_image.XXXXXX";
	struct gate_image got;
	struct image *image;
	struct cfi *cfi;

	open_image(c, path, &image, &cfi);
	gate_image_read(image, path, cfi, &got);
	ck_assert_msg(got.code_bytes == c->code && got.covered_bytes == c->covered,
		      "%s: 0x%" PRIx64 " of 0x%" PRIx64, c->name, got.covered_bytes,
		      got.code_bytes);
	ck_assert_uint_eq(got.outside_fdes, c->outside);
	ck_assert_uint_eq(got.unread_fdes, 0);
	cfi->diagnostics.count += 2; /* entries that the reader passed over, and said or not */
	cfi->diagnostics.dropped += 5;
	gate_image_read(image, path, cfi, &got);
	ck_assert_uint_eq(got.unread_fdes, 7);
	cfi->diagnostics.count -= 2;
	if (c->file_type == ET_REL) { /* as many FDEs as there are, and no more */
		cfi->fde_count--;
		gate_image_read(image, path, cfi, &got);
		ck_assert_uint_eq(got.covered_bytes, c->fde[0].bytes);
		cfi->fde_count++;
	}
	gate_image_read(image, path, NULL, &got);
	ck_assert_uint_eq(got.code_bytes, c->code);
	ck_assert_uint_eq(got.covered_bytes + got.outside_fdes + got.unread_fdes, 0);
	cfi_destroy(cfi);
	image_destroy(image);
	unlink(path);
}
END_TEST

/* ---- what a gate makes of it -------------------------------------------------------------- */

static const struct {
	const char *name;
	struct gate_image image;
	uint64_t malformed;
	double coverage;
	bool named, bad_input, too_little;
} gates[] = {
	{ "nothing_is_wanted", { 0, 0, 100, 0 }, 0, 0, true, false, false },
	{ "as_much_as_is_wanted", { 0, 0, 100, 50 }, 0, 50, true, false, false },
	{ "a_byte_less", { 0, 0, 100, 49 }, 0, 50, true, false, true },
	{ "a_part_of_a_percent", { 0, 0, 1000, 994 }, 0, 99.5, true, false, true },
	{ "where_no_code_is_none_is_wanted", { 0, 0, 0, 0 }, 0, 50, true, false, false },
	{ "lost_in_a_named_image", { 3, 0, 100, 100 }, 0, 0, true, true, false },
	{ "lost_in_one_that_was_met", { 3, 0, 100, 100 }, 0, 0, false, false, false },
	{ "malformed_in_a_named_image", { 0, 0, 100, 100 }, 2, 0, true, true, false },
	{ "malformed_in_one_that_was_met", { 0, 0, 100, 100 }, 2, 0, false, false, false },
	{ "outside_of_segments", { 0, 7, 100, 100 }, 0, 0, true, false, false },
	{ "all_of_it", { 3, 7, 100, 10 }, 2, 50, true, true, true },
};

START_TEST(gate_has_what_an_image_has_lost)
{
	const struct gate_image *image = &gates[_i].image;
	struct gate gate = { .unit = "rows", .coverage = gates[_i].coverage };
	json_t *object = json_object();

	gate_image_json(image, object);
	ck_assert_int_eq(json_count(object, "lost_fdes"), image->unread_fdes + image->outside_fdes);
	if (gates[_i].malformed)
		json_object_set_new(object, "malformed_rows", json_integer(gates[_i].malformed));
	for (int times = 1; times <= 2; times++) {
		gate_add_image(&gate, object, gates[_i].named);
		ck_assert_msg(gate.bad_input == gates[_i].bad_input, "%s", gates[_i].name);
		ck_assert_uint_eq(gate.left[GATE_LOST_FDES], times * image->unread_fdes);
		ck_assert_uint_eq(gate.left[GATE_OUTSIDE_FDES], times * image->outside_fdes);
		ck_assert_uint_eq(gate.left[GATE_MALFORMED], times * gates[_i].malformed);
		ck_assert_msg(gate.left[GATE_COVERAGE] == (uint64_t)times * gates[_i].too_little,
			      "%s", gates[_i].name);
		ck_assert_uint_eq(gate.code_bytes, times * image->code_bytes);
		ck_assert_uint_eq(gate.covered_bytes, times * image->covered_bytes);
	}
	json_decref(object);
}
END_TEST

/* Each of two images, whichever comes first; of lint, which counts FDEs itself, no share of code is wanted. */
START_TEST(gate_has_what_two_images_have_lost)
{
	const int count = sizeof(gates) / sizeof(gates[0]);

	for (int other = 0; other < count; other++) {
		const int pair[] = { _i, other };
		struct gate gate = { .unit = "rows" },
			    lint = { .unit = "rows", .covers_fdes = true };
		uint64_t lost = 0, malformed = 0, too_little = 0, code = 0, covered_bytes = 0;
		bool bad_input = false;

		for (int i = 0; i < 2; i++) {
			const struct gate_image *image = &gates[pair[i]].image;
			json_t *object = json_object();

			gate_image_json(image, object);
			json_object_set_new(object, "malformed_rows",
					    json_integer(gates[pair[i]].malformed));
			lint.coverage = gate.coverage = gates[pair[i]].coverage;
			gate_add_image(&gate, object, gates[pair[i]].named);
			gate_add_image(&lint, object, gates[pair[i]].named);
			json_decref(object);
			bad_input |= gates[pair[i]].bad_input;
			lost += image->unread_fdes;
			malformed += gates[pair[i]].malformed;
			too_little += gates[pair[i]].too_little;
			code += image->code_bytes;
			covered_bytes += image->covered_bytes;
		}
		ck_assert_msg(gate.bad_input == bad_input && lint.bad_input == bad_input,
			      "%s, then %s", gates[_i].name, gates[other].name);
		ck_assert_uint_eq(gate.left[GATE_LOST_FDES], lost);
		ck_assert_uint_eq(gate.left[GATE_MALFORMED], malformed);
		ck_assert_uint_eq(gate.left[GATE_COVERAGE], too_little);
		ck_assert_uint_eq(lint.left[GATE_COVERAGE], 0);
		ck_assert_uint_eq(gate.code_bytes, code);
		ck_assert_uint_eq(lint.covered_bytes, covered_bytes);
	}
}
END_TEST

/* ---- what a list leaves ----------------------------------------------------------------- */

START_TEST(gate_has_what_a_list_has_left)
{
	const struct image_list list = { .unreadable = 1,
					 .thin_archives = 20,
					 .bitcode = 300,
					 .nested_archives = 4000,
					 .empty = 50000 };
	struct gate gate = { .unit = "rows" };

	for (unsigned int times = 1; times <= 2; times++) {
		gate_leave_list(&gate, &list);
		ck_assert_uint_eq(gate.left[GATE_UNREADABLE], times);
		ck_assert_uint_eq(gate.left[GATE_THIN], times * 20);
		ck_assert_uint_eq(gate.left[GATE_LTO], times * 300);
		ck_assert_uint_eq(gate.left[GATE_NESTED], times * 4000);
		ck_assert_uint_eq(gate.left[GATE_EMPTY], times * 50000);
	}
}
END_TEST

/* What an archive has of another machine nobody has named. */
static const struct {
	bool named, in_archive, foreign, expected;
} named_cases[] = {
	{ false, false, false, false }, { false, false, true, false },
	{ false, true, false, false },	{ false, true, true, false },
	{ true, false, false, true },	{ true, false, true, true },
	{ true, true, false, true },	{ true, true, true, false },
};

START_TEST(images_that_were_named)
{
	const struct image_path path = { .named = named_cases[_i].named,
					 .archive_length = named_cases[_i].in_archive };
	const char *code = error_code_name(named_cases[_i].foreign ? ERROR_UNSUPPORTED_ELF
								   : ERROR_NOT_ELF);

	ck_assert_int_eq(gate_is_named(&path, code), named_cases[_i].expected);
}
END_TEST

SUITE(gate_image, TEST(image_without_code), TEST(sections_are_those_of_the_file),
      LOOP(bytes_of_code_are_counted_once, cases), LOOP(gate_has_what_an_image_has_lost, gates),
      LOOP(gate_has_what_two_images_have_lost, gates), TEST(gate_has_what_a_list_has_left),
      LOOP(images_that_were_named, named_cases))
