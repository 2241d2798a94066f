/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_recording_read.c - recordings that are cut off, changed, or made up by hand
 *
 * A recording comes from another machine: whatever is in it, the reader says where it is malformed,
 * or gives what the player may take as it is.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "recording_fixture.h"
#include "judge/replay/page_set.h"

#define TEXT(text) (text), sizeof(text) - 1
#define PROGRAM	   RECORDING_MAGIC_2 "N\x05/prog"
#define FILE_MAX   512
/* The lower 63 bits of a number. */
#define ONES  "ffffffffffffffffff "
#define ZEROS "808080808080808080 "

/* The signs and sizes of numbers, each kind of image, each item. */
static const char whole[] = "M 04 8020 8010 00 00 04 'anon' "	 /* 0x1000, 0x800, 0; no image */
			    "8020 8020 8060 01 05 '/file' 8008 " /* bias -0x1000 */
			    "00 8020 8080c000 02 06 '[vdso]' 05 'bytes' "
			    "80f0fefaffffffffff01 8020 00 00 00 " /* above user space */
			    "W 80c000 08 '01234567' "
			    "W 78 01 '8' "
			    "P ffff07 01 7f 8001 ff7e 00 3f 40 c000 bf7f " ZEROS "7f " ZEROS "01 "
			    "01 02 03 04 05 06 02 01 'digested' "
			    "A 80a004 "
			    "M 00 "
			    "F 01 8020 F 01 7f F 03 01 T 02 01 "
			    "P 00 8008 00 'digested' "
			    "U 00 U 01 "
			    "E 02";

/* Items as they are written above: letters, bytes in hexadecimal, 'text'. Behind a beginning. */
static size_t make_bytes(const char *text, char ret[FILE_MAX])
{
	size_t size = sizeof(PROGRAM) - 1;
	unsigned int byte;

	memcpy(ret, PROGRAM, size);
	for (bool quoted = false; *text; text++) {
		ck_assert_uint_lt(size, FILE_MAX);
		if (*text == '\'') {
			quoted = !quoted;
		} else if (quoted || (*text >= 'A' && *text <= 'Z')) {
			ret[size++] = *text;
		} else if (*text != ' ') {
			ck_assert_int_eq(sscanf(text++, "%2x", &byte), 1);
			ret[size++] = (char)byte;
		}
	}
	return size;
}

/* ---- a handler that believes nothing ---------------------------------------------------- */

struct watch {
	size_t mappings, of; /* of the M at hand */
	uint64_t end;
	uint64_t points;
};

static int watch_mapping(void *context, const struct recording_mapping *mapping, size_t number,
			 size_t count, struct error *error)
{
	struct watch *watch = context;

	if (!number)
		*watch = (struct watch) { .of = count, .points = watch->points };
	ck_assert_uint_eq(number, watch->mappings);
	ck_assert_uint_eq(count, watch->of);
	ck_assert_uint_le(count, RECORDING_MAPPINGS_MAX);
	ck_assert(!mapping == !count);
	if (!mapping)
		return 0;
	ck_assert_uint_lt(number, count);
	watch->mappings++;
	ck_assert_uint_ge(mapping->start, watch->end);
	ck_assert_uint_gt(mapping->end, mapping->start);
	watch->end = mapping->end;
	ck_assert_ptr_nonnull(memchr(mapping->path, '\0', sizeof(mapping->path)));
	switch (mapping->kind) {
	case RECORDING_NO_IMAGE:
	case RECORDING_FILE: break;
	case RECORDING_BYTES: {
		uint8_t sum = 0;

		/* For valgrind and sanitizers. */
		ck_assert_uint_le(mapping->size, RECORDING_IMAGE_MAX);
		for (size_t i = 0; i < mapping->size; i++)
			sum += ((const volatile uint8_t *)mapping->bytes)[i];
		break;
	}
	default: ck_abort_msg("an image of kind %d", mapping->kind);
	}
	return 0;
}

static int watch_write(void *context, uint64_t address, const uint8_t *bytes, size_t size,
		       struct error *error)
{
	ck_assert_uint_ge(size, 1);
	ck_assert_uint_le(size, RECORDING_WRITE_MAX);
	ck_assert_uint_lt(address, RECORDING_ADDRESS_LIMIT);
	ck_assert_uint_eq(address / PAGE_SET_PAGE, (address + size - 1) / PAGE_SET_PAGE);
	return 0;
}

static int watch_absent(void *context, uint64_t address, struct error *error)
{
	return 0;
}

static int watch_point(void *context, const struct recording_point *point, struct error *error)
{
	struct watch *watch = context;

	ck_assert_uint_eq(watch->mappings, watch->of);
	ck_assert_uint_eq(point->regs.known, (1u << REGISTER_COUNT) - 1);
	ck_assert_uint_le(point->frames, WALK_FRAMES_MAX);
	ck_assert_uint_lt(point->stop, STOP_REASON_COUNT);
	ck_assert_uint_le(point->truth_frames, RECORDING_TRUTH_FRAMES_MAX);
	watch->points++;
	return 0;
}

/* ---- files ------------------------------------------------------------------------------ */

static char path[] = "/tmp/test_recording_read.XXXXXX";

static void make_file(const char *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert(!fclose(file));
}

static void begin(void)
{
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	close(file);
}

static void end(void)
{
	unlink(path);
	strcpy(path + sizeof(path) - 7, "XXXXXX");
}

/* Reads such a file through to its end. */
static int read_through(const char *bytes, size_t size, uint64_t *ret_points, struct error *error)
{
	struct watch watch = { 0 };
	const struct recording_handler handler = { .mapping = watch_mapping,
						   .write = watch_write,
						   .absent = watch_absent,
						   .point = watch_point,
						   .context = &watch };
	struct recording *recording;
	int status;

	make_file(bytes, size);
	*error = (struct error) { 0 };
	if (recording_open(path, &recording, error))
		return -1;
	status = recording_play(recording, &handler, error);
	recording_close(recording);
	*ret_points = watch.points;
	return status;
}

static void check_malformed(const char *name, const struct error *error, size_t size)
{
	ck_assert_msg(error->code == ERROR_PROTOCOL && !strcmp(error->section, "recording"),
		      "%s: %s in \"%s\": %s", name, error_code_name(error->code), error->section,
		      error->message);
	ck_assert_msg(error->offset <= size, "%s: at %lu of %zu", name,
		      (unsigned long)error->offset, size);
	ck_assert_msg(error->message[0], "%s", name);
}

START_TEST(whole_or_not_at_all)
{
	char bytes[FILE_MAX], name[32];
	const size_t whole_size = make_bytes(whole, bytes);
	uint64_t points;
	struct error error;

	ck_assert_msg(!read_through(bytes, whole_size, &points, &error), "at 0x%lx: %s",
		      (unsigned long)error.offset, error.message);
	ck_assert_uint_eq(points, 2);
	for (size_t size = 0; size < whole_size; size++) {
		snprintf(name, sizeof(name), "%zu bytes", size);
		ck_assert_msg(read_through(bytes, size, &points, &error), "%s", name);
		check_malformed(name, &error, size);
	}
}
END_TEST

/* The watching handler asserts what must hold of anything that is let through. */
START_TEST(each_byte_changed)
{
	char bytes[FILE_MAX], name[32];
	const size_t size = make_bytes(whole, bytes);
	uint64_t points;
	struct error error;

	for (size_t at = 0; at < size; at++) {
		const char was = bytes[at];
		const char to[] = { 0,		was ^ 1, was ^ 0x40, was ^ (char)0x80,
				    (char)0xff, was + 1, was - 1 };

		for (int i = 0; i < COUNT_OF(to); i++) {
			bytes[at] = to[i];
			snprintf(name, sizeof(name), "%zu to 0x%02x", at, (uint8_t)to[i]);
			if (read_through(bytes, size, &points, &error))
				check_malformed(name, &error, size);
		}
		bytes[at] = was;
	}
}
END_TEST

/* What is said once does not depend on how often it is read. */
START_TEST(read_twice)
{
	struct watch watch = { 0 };
	const struct recording_handler handler = { .mapping = watch_mapping,
						   .write = watch_write,
						   .absent = watch_absent,
						   .point = watch_point,
						   .context = &watch };
	struct recording *recording;
	char bytes[FILE_MAX];
	struct error error;

	make_file(bytes, make_bytes(whole, bytes));
	ck_assert(!recording_open(path, &recording, &error));
	ck_assert_str_eq(recording_program(recording), "/prog");
	for (int i = 0; i < 2; i++)
		ck_assert(!recording_play(recording, &handler, &error));
	ck_assert_uint_eq(watch.points, 4);
	recording_close(recording);
	recording_close(NULL);
}
END_TEST

/* ---- made by hand ----------------------------------------------------------------------- */

#define POINT	"P 00 01 01 'digested' "
#define MAPPING "01 01 00 " /* at 1, a byte */

/* Items behind N. says: a part of the message; NULL: they are well-formed. */
static const struct {
	const char *name, *items, *says;
} cases[] = {
	{ "nothing_was_recorded", "E 00", NULL },
	{ "a_padded_number", POINT "E 81 80 80 00", NULL },
	{ "a_number_of_64_bits", "M 01 " MAPPING "01 01 'p' " ONES "01 E 00", NULL },
	{ "with_copies_of_its_last_bit", "M 01 " MAPPING "01 01 'p' " ONES "7f E 00", NULL },
	{ "of_70", "M 01 " MAPPING "01 01 'p' " ONES "3f E 00", "64 bits" },
	{ "a_page_behind_the_last", "A 80808080808020 E 00", "too large" },
	{ "of_65", "A " ONES "02 E 00", "64 bits" },
	{ "of_64_and_more_zeros", "A " ZEROS "80 00 E 00", NULL },
	{ "without_end", "A " ONES ONES ONES, "cut off" },
	{ "signed_and_without_end", "W " ONES ONES ONES, "cut off" },
	{ "no_end", POINT, "cut off" },
	{ "too_few_points", POINT POINT "E 01", "number of points" },
	{ "too_many_points", POINT "E 02", "number of points" },
	{ "a_byte_behind_the_end", "E 00 'E'", "behind its end" },
	{ "an_item_behind_the_end", "E 00 " POINT, "behind its end" },
	{ "an_unknown_letter", "'X' E 00", "unknown kind" },
	{ "a_small_letter", "'e' 00", "unknown kind" },
	{ "the_program_again", "N 01 'p' E 00", "unknown kind" },
	{ "a_NUL_for_a_letter", "00 E 00", "unknown kind" },

	{ "a_write_of_nothing", "W 00 00 E 00", "empty" },
	{ "of_8_bytes", "W 8020 08 '12345678' E 00", NULL },
	{ "of_9_bytes", "W 00 09 '123456789' E 00", "too large" },
	{ "up_to_its_pages_end", "W f83f 08 '12345678' E 00", NULL },
	{ "across_it", "W f93f 08 '12345678' E 00", "leaves its page" },
	{ "the_last_byte", "W ffffffffffff1f 01 '1' E 00", NULL },
	{ "two_bytes_there", "W ffffffffffff1f 02 '12' E 00", "leaves its page" },
	{ "behind_the_last", "W 80808080808020 01 '1' E 00", "user space" },
	{ "before_the_first", "W 7f 01 '1' E 00", "user space" },
	{ "in_the_first_page", "W f81f 08 '12345678' E 00", "user space" },
	{ "back_to_the_second", "W 8820 01 '1' W 78 01 '1' E 00", NULL },
	{ "back_by_one_in_63_bits", "W 8820 01 '1' W ffffffffffffffff7f 01 '1' E 00", NULL },
	{ "and_too_far_back", "W 8820 01 '1' W 77 01 '1' E 00", "user space" },
	{ "bytes_that_are_not_there", "W 00 08 '1234567'", "past its end" },

	{ "no_mappings", "M 00 E 00", NULL },
	{ "a_mapping", "M 01 " MAPPING "00 01 'p' E 00", NULL },
	{ "neighbours", "M 02 " MAPPING "00 00 00 01 00 00 00 E 00", NULL },
	{ "an_empty_mapping", "M 01 01 00 00 00 00 E 00", "empty or wraps" },
	{ "one_that_wraps", "M 01 01 " ONES "01 00 00 00 E 00", "wraps" },
	{ "one_below_another", "M 02 " MAPPING "00 00 " ONES "01 01 00 00 00 E 00", "wraps" },
	{ "fewer_than_it_says", "M 02 " MAPPING "00 00 E 00", "cut off" },
	{ "65537_mappings", "M 818004", "too large" },
	{ "an_unknown_kind_of_image", "M 01 " MAPPING "03 00 E 00", "unknown kind" },
	{ "kind_255", "M 01 " MAPPING "ff 00 E 00", "unknown kind" },
	{ "a_NUL_in_a_path", "M 01 " MAPPING "00 03 'a' 00 'b' E 00", "NUL in a path" },
	{ "a_path_of_4096_bytes", "M 01 " MAPPING "00 8020", "too large" },
	{ "a_path_that_is_not_there", "M 01 " MAPPING "00 02 'p'", "past its end" },
	{ "an_image_above_the_most", "M 01 " MAPPING "02 00 81808020", "too large" },
	{ "an_image_that_is_not_there", "M 01 " MAPPING "02 00 05 '1234'", "past its end" },
	{ "an_empty_image", "M 01 " MAPPING "02 00 00 E 00", NULL },
	{ "no_size_of_a_file", "M 01 " MAPPING "01 01 'p'", "cut off" },

	{ "an_18th_register", "P 808008 01 01 01 'digested' E 01", "too large" },
	{ "1024_frames", "P 00 8008 01 'digested' E 01", NULL },
	{ "1025_frames", "P 00 8108 01 'digested' E 01", "too large" },
	{ "the_last_reason", "P 00 01 13 'digested' E 01", NULL },
	{ "a_reason_too_far", "P 00 01 14 'digested' E 01", "too large" },
	{ "a_truth", "F 01 8020 T 01 01 " POINT "U 00 E 01", NULL },
	{ "a_truth_that_is_known_so_far", "F 01 8020 T 01 00 " POINT "E 01", NULL },
	{ "neither", "F 01 8020 T 01 02 " POINT "E 01", "too large" },
	{ "a_frame_that_calls_itself", "F 00 8020 E 00", "its own caller" },
	{ "a_caller_before_the_first", "F 02 8020 E 00", "too large" },
	{ "a_truth_of_no_frame", "T 00 01 " POINT "E 01", "there is not" },
	{ "of_the_next_frame", "F 01 8020 T 02 01 " POINT "E 01", "there is not" },
	{ "of_a_frame_before_the_first", "F 01 8020 T 7f 01 " POINT "E 01", "there is not" },
	{ "two_truths_of_a_point", "F 01 00 T 01 01 T 00 01 " POINT "E 01", "two truths" },
	{ "the_truth_of_no_point", "F 01 8020 T 01 01 E 00", "of no point" },
	{ "unproven_before_it_is_there", "U 00 " POINT "E 01", "not there yet" },
	{ "a_later_one_unproven", POINT "U 01 E 01", "not there yet" },
	{ "a_truth_without_its_word", "F 01 8020 T 01", "cut off" },
	{ "a_frame_without_its_pc", "F 01", "cut off" },
	{ "half_a_digest", "P 00 01 01 'dige'", "cut off" },
};
_Static_assert(STOP_REASON_COUNT == 0x14, "the last reason is the 0x13 above");

START_TEST(made_items)
{
	const char *says = cases[_i].says;
	char bytes[FILE_MAX];
	size_t size = make_bytes(cases[_i].items, bytes);
	uint64_t points;
	struct error error;
	int status = read_through(bytes, size, &points, &error);

	ck_assert_msg(status == (says ? -1 : 0), "%s: %s", cases[_i].name,
		      status ? error.message : "it is well-formed");
	if (!says)
		return;
	check_malformed(cases[_i].name, &error, size);
	ck_assert_msg(strstr(error.message, says) != NULL, "%s: %s", cases[_i].name, error.message);
	ck_assert_msg(error.offset >= sizeof(PROGRAM) - 1, "%s: at %lu", cases[_i].name,
		      (unsigned long)error.offset);
}
END_TEST

/* ---- the digest ------------------------------------------------------------------------- */

/* The same of version 4. */
static size_t make_digested(const char *items, char *bytes)
{
	size_t size = make_bytes(items, bytes);
	uint32_t crc;

	memcpy(bytes, RECORDING_MAGIC, strlen(RECORDING_MAGIC));
	crc = crc32_add(0, bytes, size);
	for (int byte = 0; byte < RECORDING_DIGEST_BYTES; byte++)
		bytes[size++] = (char)(crc >> 8 * byte);
	return size;
}

START_TEST(each_bit_flipped)
{
	char bytes[FILE_MAX], name[32];
	const size_t size = make_digested(whole, bytes);
	uint64_t points;
	struct error error;

	ck_assert_msg(!read_through(bytes, size, &points, &error), "%s", error.message);
	ck_assert_uint_eq(points, 2);
	points = 0; /* so they stay: none is told of */
	for (size_t bit = 0; bit < 8 * size; bit++) {
		bytes[bit / 8] ^= (char)(1 << bit % 8);
		snprintf(name, sizeof(name), "bit %zu", bit);
		ck_assert_msg(read_through(bytes, size, &points, &error), "%s", name);
		ck_assert_msg(!points, "%s: %lu points are told of", name, points);
		check_malformed(name, &error, size);
		bytes[bit / 8] ^= (char)(1 << bit % 8);
	}
}
END_TEST

static const struct {
	const char *magic;
	bool has;
} digests[] = {
	{ RECORDING_MAGIC, true },
	{ RECORDING_MAGIC_2, false },
	{ RECORDING_MAGIC_1, false },
};

START_TEST(version_has_a_digest)
{
	char bytes[FILE_MAX];
	size_t size = digests[_i].has ? make_digested(POINT "E 01", bytes)
				      : make_bytes(POINT "E 01", bytes);
	struct recording *recording;
	struct error error;

	memcpy(bytes, digests[_i].magic, strlen(digests[_i].magic));
	make_file(bytes, size);
	ck_assert(!recording_open(path, &recording, &error));
	ck_assert_int_eq(recording_has_digest(recording), digests[_i].has);
	recording_close(recording);
}
END_TEST

/* What is malformed is said by its place, and only else that the digest is another. */
START_TEST(damage_has_its_place)
{
	char bytes[FILE_MAX];
	const size_t size = make_digested(POINT "E 01", bytes), item = sizeof(PROGRAM) - 1;
	struct error error;
	uint64_t points;

	bytes[item] ^= 0x40;
	ck_assert_int_eq(read_through(bytes, size, &points, &error), -1);
	ck_assert_str_eq(error.message, "an item of an unknown kind");
	ck_assert_uint_eq(error.offset, item);
	bytes[item] ^= 0x40;
	bytes[item + 4] ^= 0x40; /* of the point's own digest */
	ck_assert_int_eq(read_through(bytes, size, &points, &error), -1);
	ck_assert_str_eq(error.message, "another digest than its bytes have: it is damaged");
	ck_assert_uint_eq(error.offset, size - RECORDING_DIGEST_BYTES);
}
END_TEST

START_TEST(true_stacks_have_their_depth)
{
	static const char frame[] = { 'F', 1, 1 }; /* called by the one before */
	char bytes[sizeof(PROGRAM) + (RECORDING_TRUTH_FRAMES_MAX + 1) * sizeof(frame) + 2];
	struct error error;
	uint64_t points;

	for (size_t more = 0; more < 2; more++) {
		size_t size = make_bytes("", bytes);

		for (size_t i = 0; i < RECORDING_TRUTH_FRAMES_MAX + more; i++) {
			memcpy(bytes + size, frame, sizeof(frame));
			size += sizeof(frame);
		}
		bytes[size++] = 'E';
		bytes[size++] = 0;
		ck_assert_int_eq(read_through(bytes, size, &points, &error), more ? -1 : 0);
	}
	ck_assert_str_eq(error.message, "a true stack that is too deep");
}
END_TEST

/* Version 1 has no truth, and is read all the same. */
START_TEST(version_1)
{
	static const struct {
		const char *items, *says;
	} of_1[] = { { POINT "E 01", NULL },
		     { "F 01 00 E 00", "unknown" },
		     { "T 01 01 E 00", "unknown" },
		     { POINT "U 00 E 01", "unknown" } };
	char bytes[FILE_MAX];
	struct error error;
	uint64_t points;

	for (int i = 0; i < COUNT_OF(of_1); i++) {
		size_t size = make_bytes(of_1[i].items, bytes);
		int status;

		memcpy(bytes, RECORDING_MAGIC_1, sizeof(RECORDING_MAGIC_1) - 1);
		status = read_through(bytes, size, &points, &error);
		ck_assert_msg(status == (of_1[i].says ? -1 : 0), "%s", of_1[i].items);
		ck_assert(!status || strstr(error.message, of_1[i].says));
		ck_assert(status || points == 1);
	}
}
END_TEST

struct truths {
	uint64_t points;
	uint64_t unproven;
};

static int see_truth(void *context, const struct recording_point *point, struct error *error)
{
	struct truths *truths = context;

	if (truths->points++) {
		ck_assert_uint_eq(point->truth_frames, 2);
		ck_assert_uint_eq(point->truth[0], 0xfff);
		ck_assert_uint_eq(point->truth[1], 0x1000);
		ck_assert(point->truth_whole);
	} else {
		ck_assert_uint_eq(point->truth_frames, 0);
	}
	return 0;
}

static int see_unproven(void *context, uint64_t point, struct error *error)
{
	struct truths *truths = context;

	truths->unproven |= 1ull << point;
	return 0;
}

START_TEST(a_point_s_truth)
{
	struct truths truths = { 0 };
	const struct recording_handler handler = { .point = see_truth,
						   .unproven = see_unproven,
						   .context = &truths };
	struct recording *recording;
	char bytes[FILE_MAX];
	struct error error;

	make_file(bytes, make_bytes(whole, bytes));
	ck_assert(!recording_open(path, &recording, &error));
	ck_assert(!recording_play(recording, &handler, &error));
	ck_assert_uint_eq(truths.points, 2);
	ck_assert_uint_eq(truths.unproven, 3);
	recording_close(recording);
}
END_TEST

/* ---- not even items --------------------------------------------------------------------- */

static const struct {
	const char *name, *bytes;
	size_t size;
	const char *says;
	size_t offset;
} files[] = {
	{ "an_empty_file", TEXT(""), "does not begin as one", 0 },
	{ "no_digest", TEXT(RECORDING_MAGIC "E\0"), "cut off", 25 },
	{ "no_program_but_a_digest", TEXT(RECORDING_MAGIC "E\x00 1234"), "no program", 24 },
	{ "half_the_magic", TEXT("stackproof reco"), "does not begin as one", 0 },
	{ "another_version", TEXT("stackproof recording 3\nN\x01pE\x00"), "another version", 0 },
	{ "another_file",
	  TEXT("\x7f"
	       "ELF and so on, for as long as the magic is"),
	  "does not begin", 0 },
	{ "the_magic_alone", TEXT(RECORDING_MAGIC_2), "no program", 23 },
	{ "no_program", TEXT(RECORDING_MAGIC_2 "E\x00"), "no program", 24 },
	{ "a_program_cut_off", TEXT(RECORDING_MAGIC_2 "N"), "cut off", 24 },
	{ "longer_than_the_file", TEXT(RECORDING_MAGIC_2 "N\x02p"), "past its end", 25 },
	{ "of_4096_bytes", TEXT(RECORDING_MAGIC_2 "N\x80\x20"), "too large", 26 },
	{ "with_a_NUL", TEXT(RECORDING_MAGIC_2 "N\x02p\x00"), "NUL", 27 },
};

START_TEST(no_recording)
{
	struct recording *recording;
	struct error error;

	make_file(files[_i].bytes, files[_i].size);
	ck_assert_msg(recording_open(path, &recording, &error), "%s", files[_i].name);
	check_malformed(files[_i].name, &error, files[_i].size);
	ck_assert_msg(strstr(error.message, files[_i].says) && error.offset == files[_i].offset,
		      "%s: at %lu: %s", files[_i].name, (unsigned long)error.offset, error.message);
}
END_TEST

START_TEST(no_file)
{
	struct recording *recording;
	struct error error;

	ck_assert(!unlink(path));
	ck_assert(recording_open(path, &recording, &error));
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert(strstr(error.message, path) != NULL);
	ck_assert(!mkdir(path, 0700));
	ck_assert(recording_open(path, &recording, &error));
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert(!rmdir(path));
	ck_assert(recording_open("/dev/zero", &recording, &error));
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
}
END_TEST

/* ---- the handler has the last word ------------------------------------------------------ */

static int refuse(void *context, struct error *error)
{
	int *calls = context;

	++*calls;
	return error_set(error, ERROR_TABLE_LIMIT, "", 7, "refused");
}

static int refuse_mapping(void *context, const struct recording_mapping *mapping, size_t number,
			  size_t count, struct error *error)
{
	return refuse(context, error);
}

static int refuse_write(void *context, uint64_t address, const uint8_t *bytes, size_t size,
			struct error *error)
{
	return refuse(context, error);
}

static int refuse_absent(void *context, uint64_t address, struct error *error)
{
	return refuse(context, error);
}

static int refuse_point(void *context, const struct recording_point *point, struct error *error)
{
	return refuse(context, error);
}

static const char *const refused[] = {
	"M 02 " MAPPING "00 00 " MAPPING "00 00 E 00",
	"M 00 M 00 E 00",
	"W 8020 01 '1' W 00 01 '1' E 00",
	"A 00 A 00 E 00",
	POINT POINT "E 02",
	"A 00 '?'",
};

/* The reading ends there, with the handler's own words, though the rest is well-formed or not. */
START_TEST(a_handler_refuses)
{
	int calls = 0;
	const struct recording_handler handler = { .mapping = refuse_mapping,
						   .write = refuse_write,
						   .absent = refuse_absent,
						   .point = refuse_point,
						   .context = &calls };
	struct recording *recording;
	char bytes[FILE_MAX];
	struct error error;

	make_file(bytes, make_bytes(refused[_i], bytes));
	ck_assert(!recording_open(path, &recording, &error));
	ck_assert_int_eq(recording_play(recording, &handler, &error), -1);
	ck_assert_int_eq(calls, 1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	ck_assert_str_eq(error.message, "refused");
	recording_close(recording);
}
END_TEST

SUITE(recording_read, FIXTURE(begin, end), TEST(whole_or_not_at_all), TEST(each_byte_changed),
      TEST(read_twice), TEST(version_1), TEST(damage_has_its_place),
      TEST(true_stacks_have_their_depth), TEST(each_bit_flipped),
      LOOP(version_has_a_digest, digests), TEST(a_point_s_truth), LOOP(made_items, cases),
      LOOP(no_recording, files), TEST(no_file), LOOP(a_handler_refuses, refused))
