/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_referee_image.c - the referee and the files that it reads: each its own, and each time anew
 * where FDEs overlap
 */
#include <fcntl.h>
#include "tests/suite.h"
#include "verdict_world.h"

static void make_other_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	/* The return address is in column 0. */
	static const uint8_t rax[] = { 0,
				       0,
				       0,
				       0,
				       1,
				       'z',
				       'R',
				       0,
				       1,
				       0x78,
				       0,
				       1,
				       0,
				       CFA_def_cfa(RSP, 16),
				       CFA_offset(RAX, 1) };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));
	size_t rax_cie = diff_image_entry(image, rax, sizeof(rax));

	DIFF_IMAGE_FDE(image, cie, ORDINARY, 0x10, CFA_def_cfa_offset(24));
	DIFF_IMAGE_FDE(image, rax_cie, LARGER, 0x10, CFA_nop);
}

/* Two that overlap, each with rules of its own. */
static void make_two_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, OVERLAPPED - 0x10, 0x20, CFA_def_cfa_offset(16));
	DIFF_IMAGE_FDE(image, cie, OVERLAPPED, 0x20, CFA_def_cfa_offset(24));
}

/* The same, but the later one stands first: libdw (0.188) reads it first, and then drops the other. */
static void make_two_fdes_backwards(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, OVERLAPPED, 0x20, CFA_def_cfa_offset(24));
	DIFF_IMAGE_FDE(image, cie, OVERLAPPED - 0x10, 0x20, CFA_def_cfa_offset(16));
}

static struct referee_step ask(uint64_t pc)
{
	struct referee_step ret;

	referee_step(world.referee, &world.space, &world.regs, world.base + pc, &world.memory,
		     &ret);
	return ret;
}

static struct image_entry *other_file(char *path)
{
	struct image_entry *ret;
	struct diff_image image;
	struct error error;
	int file = mkstemp(path);

	diff_image_of(&image, make_other_fdes);
	((Elf64_Phdr *)(image.bytes + sizeof(Elf64_Ehdr)))->p_filesz = SEGMENT_BYTES;
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, image.bytes, image.size), (ssize_t)image.size);
	ck_assert_int_eq(ftruncate(file, SEGMENT_BYTES), 0);
	close(file);
	ret = image_store_open(world.store, path, &error);
	ck_assert_msg(ret != NULL, "%s", error.message);
	return ret;
}

START_TEST(each_image_has_rules_of_its_own)
{
	char path[] = "/tmp/test_referee_image.XXXXXX";

	setup(make_fdes);
	world.mapping[1].entry = other_file(path);
	world.mapping[1].bias = world.mapping[1].start;
	world.mapping[1].path = path;
	world.words[0] = 5;
	world.words[1] = 6;
	for (int round = 0; round < 3; round++) {
		ck_assert_uint_eq(ask(ORDINARY).cfa, SP + 8);
		ck_assert_uint_eq(ask(SEGMENT_BYTES + ORDINARY).cfa, SP + 24);
		ck_assert_uint_eq(ask(LARGER).cfa, SP + 16);
	}
	ck_assert_uint_eq(ask(LARGER).return_address, 6);
	/* Where the return address is, the CIE says. */
	ck_assert_uint_eq(ask(SEGMENT_BYTES + LARGER).cfa, SP + 16);
	ck_assert_uint_eq(ask(SEGMENT_BYTES + LARGER).return_address, 6);
	ck_assert(ask(UNCOVERED).no_cfi && ask(UNCOVERED).known);
	ck_assert(!ask(2 * SEGMENT_BYTES + ORDINARY).known);
	teardown();
	unlink(path);
}
END_TEST

/* Whoever asks in between, and is gone: what one has opened is its own. */
START_TEST(two_referees_are_apart)
{
	struct referee *first, *second;

	setup(make_fdes);
	first = world.referee;
	second = referee_create();
	for (int round = 0; round < 2; round++) {
		world.referee = first;
		ck_assert_uint_eq(ask(ORDINARY).cfa, SP + 8);
		world.referee = second;
		ck_assert_uint_eq(ask(LARGER).cfa, SP + 16);
		ck_assert(ask(UNCOVERED).no_cfi);
	}
	world.referee = first;
	ck_assert_uint_eq(ask(LARGER).cfa, SP + 16);
	referee_destroy(second);
	ck_assert_uint_eq(ask(ORDINARY).cfa, SP + 8);
	ck_assert(ask(UNCOVERED).no_cfi);
	teardown();
}
END_TEST

START_TEST(overlapping_ones_are_read_anew)
{
	setup(make_two_fdes);
	for (int round = 0; round < 3; round++) {
		ck_assert_uint_eq(ask(OVERLAPPED - 8).cfa, SP + 16);
		ck_assert_uint_eq(ask(OVERLAPPED + 0x18).cfa, SP + 24);
	}
	teardown();
}
END_TEST

/* That libdw finds nothing says nothing: no PC is without CFI there. */
START_TEST(overlapping_one_that_libdw_drops_is_not_missing)
{
	struct referee_step got;

	setup(make_two_fdes_backwards);
	ck_assert_uint_eq(ask(OVERLAPPED + 0x18).cfa, SP + 24);
	got = ask(OVERLAPPED - 8);
	ck_assert(!got.known && !got.no_cfi);
	teardown();
}
END_TEST

/* Two entries of .eh_frame_hdr, put into the file behind its program headers. libdw would ask section headers first. */
static void add_search_table(size_t first_fde, size_t second_fde)
{
	enum { HDR = 0xc0 };
	const Elf64_Phdr segment = {
		.p_type = PT_GNU_EH_FRAME, .p_offset = HDR, .p_vaddr = HDR, .p_filesz = 28
	};
	const int32_t words[] = { DIFF_IMAGE_EH_FRAME - (HDR + 4),
				  2,
				  OVERLAPPED - 0x10 - HDR,
				  (int32_t)first_fde - HDR,
				  OVERLAPPED - HDR,
				  (int32_t)second_fde - HDR };
	const uint16_t segments = 2;
	const Elf64_Ehdr none = { .e_shoff = 0 };
	int file = open(world.path, O_WRONLY);

	ck_assert_int_eq(pwrite(file, &segments, 2, offsetof(Elf64_Ehdr, e_phnum)), 2);
	ck_assert_int_eq(
		pwrite(file, &segment, sizeof(segment), sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)),
		sizeof(segment));
	ck_assert_int_eq(pwrite(file, &none.e_shoff, 8, offsetof(Elf64_Ehdr, e_shoff)), 8);
	ck_assert_int_eq(pwrite(file, &none.e_shnum, 2, offsetof(Elf64_Ehdr, e_shnum)), 2);
	ck_assert_int_eq(pwrite(file, "\1\x1b\3\x3b", 4, HDR), 4);
	ck_assert_int_eq(pwrite(file, words, sizeof(words), HDR + 4), sizeof(words));
	close(file);
}

/* The table leads to the FDE that begins last; the one that libdw met before covers the PC, too. */
START_TEST(overlapping_ones_by_the_search_table)
{
	const struct cfi *cfi;

	setup(make_two_fdes);
	cfi = image_entry_cfi(world.mapping[0].entry);
	add_search_table(DIFF_IMAGE_EH_FRAME + cfi->fde[0].offset,
			 DIFF_IMAGE_EH_FRAME + cfi->fde[1].offset);
	for (int round = 0; round < 3; round++) {
		ck_assert_uint_eq(ask(OVERLAPPED - 8).cfa, SP + 16);
		ck_assert_uint_eq(ask(OVERLAPPED + 8).cfa, SP + 24);
	}
	teardown();
}
END_TEST

/* A descriptor of 0 is one like others. */
START_TEST(descriptor_of_0_is_read)
{
	int in = dup(0);

	setup(make_fdes);
	close(0);
	ck_assert_uint_eq(ask(ORDINARY).cfa, SP + 8);
	ck_assert_int_ge(fcntl(0, F_GETFD), 0); /* it is this one */
	teardown();
	if (in >= 0)
		dup2(in, 0);
	close(in);
}
END_TEST

/* What can't be opened any more says nothing, and is not taken for another. */
START_TEST(image_that_is_gone)
{
	struct referee_step got;

	setup(make_fdes);
	unlink(world.path);
	got = ask(ORDINARY);
	ck_assert(!got.known && !got.no_cfi);
	got = ask(ORDINARY);
	ck_assert(!got.known && !got.no_cfi);
	teardown();
}
END_TEST

SUITE(referee_image, TEST(each_image_has_rules_of_its_own), TEST(two_referees_are_apart),
      TEST(overlapping_ones_are_read_anew), TEST(overlapping_one_that_libdw_drops_is_not_missing),
      TEST(overlapping_ones_by_the_search_table), TEST(descriptor_of_0_is_read),
      TEST(image_that_is_gone))
