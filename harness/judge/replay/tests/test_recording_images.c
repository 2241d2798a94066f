/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_recording_images.c - the files that recordings need, each once
 *
 * Recordings are this test's: what one of them tells is a list of mappings.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/replay/recording.h"
#include "judge/replay/recording_images.h"

static struct recording_mapping mapping[8];
static size_t mappings;
static int ends_with, open_recordings;
static struct recording *const token = (struct recording *)mapping;

int recording_open(const char *path, struct recording **ret, struct error *error)
{
	if (strcmp(path, "there") != 0)
		return error_set(error, ERROR_SYSTEM, "", 0, "no %s", path);
	open_recordings++;
	*ret = token;
	return 0;
}

void recording_close(struct recording *recording)
{
	ck_assert_ptr_eq(recording, token);
	open_recordings--;
}

int recording_play(struct recording *recording, const struct recording_handler *handler,
		   struct error *error)
{
	ck_assert_ptr_eq(recording, token);
	ck_assert(!handler->write && !handler->point);
	if (!mappings)
		ck_assert_int_eq(handler->mapping(handler->context, NULL, 0, 0, error), 0);
	for (size_t i = 0; i < mappings; i++)
		ck_assert_int_eq(
			handler->mapping(handler->context, &mapping[i], i, mappings, error), 0);
	return ends_with;
}

static void add(enum recording_image kind, const char *path)
{
	mapping[mappings].kind = kind;
	strcpy(mapping[mappings++].path, path);
}

START_TEST(each_file_once)
{
	struct recording_images images = { 0 };
	struct error error = { 0 };

	/* One without mappings has none. */
	mappings = 0;
	ck_assert(!recording_images_add(&images, "there", &error));
	ck_assert_uint_eq(images.count, 0);
	add(RECORDING_FILE, "/a");
	add(RECORDING_NO_IMAGE, "/none");
	add(RECORDING_FILE, "/b");
	add(RECORDING_BYTES, "[vdso]");
	add(RECORDING_FILE, "/a");
	add(RECORDING_FILE, "/b");
	add(RECORDING_FILE, "/a/b");
	ck_assert(!recording_images_add(&images, "there", &error));
	ck_assert_uint_eq(images.count, 3);
	/* Another one's are added. */
	mappings = 0;
	add(RECORDING_FILE, "/a");
	add(RECORDING_FILE, "/c");
	ck_assert(!recording_images_add(&images, "there", &error));
	ck_assert_uint_eq(images.count, 4);
	ck_assert_str_eq(images.path[0], "/a");
	ck_assert_str_eq(images.path[1], "/b");
	ck_assert_str_eq(images.path[2], "/a/b");
	ck_assert_str_eq(images.path[3], "/c");
	/* One that is cut off has its first ones. */
	mappings = 0;
	add(RECORDING_FILE, "/d");
	ends_with = -1;
	ck_assert_int_eq(recording_images_add(&images, "there", &error), -1);
	ends_with = 1;
	ck_assert_int_eq(recording_images_add(&images, "there", &error), -1);
	ends_with = 0;
	ck_assert_uint_eq(images.count, 5);
	ck_assert_int_eq(recording_images_add(&images, "nowhere", &error), -1);
	ck_assert_str_eq(error.message, "no nowhere");
	ck_assert_int_eq(open_recordings, 0);
	recording_images_deinit(&images);
	ck_assert(!images.path && !images.count);
}
END_TEST

/* Where the CFI is in a separate debug file, that one is needed, once; a debug file without any is not. */
START_TEST(files_with_their_cfi)
{
	static const char *const names[] = { "own", "apart", "again" };
	char folder[] = "/tmp/test_recording_images.XXXXXX", path[128], wanted[128];
	struct recording_images images = { 0 };
	struct error error;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(system("echo 'void _start(void) { }' >f.c && for n in own apart again; do "
				"o=-fno-asynchronous-unwind-tables; [ $n = own ] && o=; "
				"gcc-12 -g $o -nostdlib -static -Wl,--build-id=none f.c -o $n && "
				"objcopy --only-keep-debug $n $n.debug && objcopy --strip-all "
				"--add-gnu-debuglink=$n.debug $n || exit 1; done"),
			 0);
	mappings = 0;
	for (int i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i % 3]);
		add(RECORDING_FILE, path);
	}
	ck_assert(!recording_images_add(&images, "there", &error));
	ck_assert(!recording_images_add(&images, "there", &error));
	ck_assert_uint_eq(images.count, 5);
	for (int i = 0; i < 5; i++) {
		static const char *const expected[] = { "own", "apart", "apart.debug", "again",
							"again.debug" };

		snprintf(wanted, sizeof(wanted), "%s/%s", folder, expected[i]);
		ck_assert_str_eq(images.path[i], wanted);
	}
	recording_images_deinit(&images);
	ck_assert_int_eq(system("rm f.c own* apart* again*"), 0);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

SUITE(recording_images, TEST(each_file_once), TEST(files_with_their_cfi))
