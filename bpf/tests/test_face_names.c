/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face_names.c - many names at once: the same as one by one, and nothing of the file stays in memory
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "stackproof.h"

#define ASKED 600

/* Resident kilobytes of private mappings of a whole file that may be written to, as images are; -1: there is none. */
static long resident_kb(const char *path)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	bool wanted = false;
	char line[4352];
	long sum = -1, kb;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (strstr(line, " rw-p 00000000 "))
			wanted = strstr(line, path) != NULL;
		else if (strchr(line, '-') && strstr(line, "p ") && !strstr(line, "kB"))
			wanted = false;
		else if (wanted && sscanf(line, "Rss: %ld", &kb) == 1)
			sum = (sum < 0 ? 0 : sum) + kb;
	}
	fclose(file);
	return sum;
}

static struct stackproof_asked asked[ASKED];
static char expected[ASKED][256];
static uint32_t first_code[ASKED];
static unsigned int given;

static void note(void *context, size_t number, const struct stackproof_place *place)
{
	ck_assert_ptr_eq(context, asked);
	ck_assert_uint_lt(number, ASKED);
	ck_assert_uint_eq(place->image, asked[number].image);
	ck_assert_uint_eq(place->address, asked[number].address);
	ck_assert_str_eq(place->function, expected[number]);
	ck_assert_uint_eq(place->first_code, first_code[number]);
	given++;
}

/* Addresses of this program's images, from one behind the other; what an image's are called by stackproof_space_find(). */
START_TEST(names_are_those_of_one_by_one)
{
	struct stackproof_images *images, *others;
	struct stackproof_space *space, *other;
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);
	const uintptr_t from[] = { (uintptr_t)note, (uintptr_t)qsort, (uintptr_t)strlen };
	char path[3][4096];

	ck_assert(!stackproof_images_create(&images, NULL));
	ck_assert(!stackproof_images_create(&others, NULL));
	ck_assert(!stackproof_space_read(images, getpid(), &space, NULL));
	ck_assert(!stackproof_space_read(others, getpid(), &other, NULL));
	for (unsigned int i = 0; i < ASKED; i++) {
		uint64_t pc = from[i % 3] + i / 3 * 53;

		ck_assert(!stackproof_space_locate(space, pc, &place, NULL));
		ck_assert_uint_ne(place.image, 0);
		asked[i] = (struct stackproof_asked) { place.image, place.address };
		snprintf(path[i % 3], sizeof(path[0]), "%s", place.path);
		ck_assert(!stackproof_space_find(other, pc, &place, NULL));
		snprintf(expected[i], sizeof(expected[i]), "%s", place.function);
		first_code[i] = place.first_code;
	}
	ck_assert_str_eq(expected[0], "note");
	stackproof_space_close(other);
	stackproof_images_destroy(others);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(resident_kb(path[i]), 0);
	for (int time = 0; time < 2; time++) {
		given = 0;
		ck_assert(!stackproof_images_name(images, asked, ASKED, note, asked, NULL));
		ck_assert_uint_eq(given, ASKED);
		for (int i = 0; i < 3; i++)
			ck_assert_int_eq(resident_kb(path[i]), 0);
	}
	asked[0].image = 1000000; /* there is no such */
	given = 0;
	ck_assert(!stackproof_images_name(images, asked, ASKED, note, asked, NULL));
	ck_assert_uint_eq(given, ASKED - 1);
	ck_assert(!stackproof_images_name(images, NULL, 0, note, asked, NULL));
	stackproof_space_close(space);
	stackproof_images_destroy(images);
}
END_TEST

/* The file that was read stays what it was. */
START_TEST(removed_file_has_names)
{
	char path[] = "/tmp/face_names.XXXXXX", command[4200];
	int fd = mkstemp(path);
	struct stackproof_images *images;
	struct stackproof_image *image;
	struct stackproof_space *space;
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), path);
	ck_assert_int_eq(system(command), 0);
	ck_assert(!stackproof_images_create(&images, NULL));
	ck_assert(!stackproof_image_open(images, path, NULL, 0, &image, NULL)); /* the first */
	ck_assert(!stackproof_space_read(images, getpid(), &space, NULL));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(!stackproof_space_locate(space, (uintptr_t)note, &place, NULL));
	ck_assert_uint_ne(place.image, 1);
	asked[0] = (struct stackproof_asked) { 1, place.address };
	strcpy(expected[0], "note");
	first_code[0] = given = 0;
	ck_assert(!stackproof_images_name(images, asked, 1, note, asked, NULL));
	ck_assert_uint_eq(given, 1);
	stackproof_image_close(image);
	stackproof_space_close(space);
	stackproof_images_destroy(images);
}
END_TEST

/* To read it would be SIGBUS. */
START_TEST(file_that_was_cut_off_has_no_names)
{
	char path[] = "/tmp/face_names.XXXXXX", command[4200];
	int fd = mkstemp(path);
	struct stackproof_images *images;
	struct stackproof_image *image;

	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), path);
	ck_assert_int_eq(system(command), 0);
	ck_assert(!stackproof_images_create(&images, NULL));
	ck_assert(!stackproof_image_open(images, path, NULL, 0, &image, NULL));
	ck_assert_int_eq(truncate(path, 0), 0);
	asked[0] = (struct stackproof_asked) { 1, 0x2000 };
	given = 0;
	ck_assert(!stackproof_images_name(images, asked, 1, note, asked, NULL));
	ck_assert_uint_eq(given, 0);
	unlink(path);
	stackproof_image_close(image);
	stackproof_images_destroy(images);
}
END_TEST

SUITE(face_names, TEST(names_are_those_of_one_by_one), TEST(removed_file_has_names),
      TEST(file_that_was_cut_off_has_no_names))
