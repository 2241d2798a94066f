/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_truth_file.c - truth files that are whole, cut off, changed, or made up by hand
 *
 * What is in one decides which of a profile's stacks are called wrong: so what is malformed is an
 * error with a place, and never a smaller truth.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth_bytes.h"

#define CODE 0x7f0000000000ull

static struct truth_file *file;

static void open_whole(void)
{
	uint8_t bytes[TRUTH_BYTES];
	size_t size = truth_bytes(truth_whole, bytes);
	struct error error;

	ck_assert_msg(!truth_file_create(bytes, size, &file, &error), "0x%lx: %s",
		      (unsigned long)error.offset, error.message);
	memset(bytes, 0xff, sizeof(bytes)); /* it has what it needs */
}

static void close_whole(void)
{
	truth_file_close(file);
}

/* ---- what is in it ---------------------------------------------------------------------- */

static const struct truth_node nodes[] = {
	{ .parent = 0, .end = 9 },
	{ .parent = 0, .end = 8, .depth = 1, .address = 0x1000 },
	{ .parent = 1, .end = 3, .depth = 2, .address = 0x2000, .points = 3 },
	{ .parent = 1, .end = 7, .depth = 2, .address = 0x2005, .unproven = 1 },
	{ .parent = 3, .end = 6, .depth = 3, .address = 0x3000, .interrupts = 1 },
	{ .parent = 4, .end = 6, .depth = 4, .image = 1, .address = 0x80, .points = 2 },
	{ .parent = 3, .end = 7, .depth = 3, .image = 2, .address = CODE, .points = 1 },
	{ .parent = 1, .end = 8, .depth = 2, .address = 0x2007, .in_kernel = 4 },
	{ .parent = 0, .end = 9, .depth = 1, .address = 0x1008, .points = 1 },
	{ .parent = 9, .end = 12 },
	{ .parent = 9, .end = 12, .depth = 1, .address = 0x2007, .points = 5 },
	{ .parent = 10, .end = 12, .depth = 2, .address = 0x10, .unproven = 2 },
};

START_TEST(nodes_are_what_the_bytes_say)
{
	ck_assert_uint_eq(truth_file_node_count(file), COUNT(nodes));
	ck_assert_uint_eq(truth_file_open_root(file), 9);
	for (uint32_t i = 0; i < COUNT(nodes); i++) {
		const struct truth_node *node = truth_file_node(file, i), *want = &nodes[i];

		ck_assert_msg(node->parent == want->parent && node->end == want->end &&
				      node->depth == want->depth && node->image == want->image &&
				      node->address == want->address &&
				      node->points == want->points &&
				      node->unproven == want->unproven &&
				      node->in_kernel == want->in_kernel &&
				      node->interrupts == want->interrupts,
			      "node %u: parent %u end %u depth %u image %u 0x%lx", i, node->parent,
			      node->end, node->depth, node->image, (unsigned long)node->address);
		ck_assert_int_eq(truth_file_is_open(file, i), i >= 9);
		ck_assert_int_eq(truth_node_is_proven(node), node->points || node->in_kernel);
	}
}
END_TEST

START_TEST(header_and_images)
{
	static const char *const kind[] = { "file", "vdso", "anonymous" };
	static const char *const path[] = { "/bin/p", "[vdso]", "" };

	ck_assert_uint_eq(truth_file_field_count(file), 4);
	ck_assert_str_eq(truth_file_field(file, 3)->text, "other");
	ck_assert_str_eq(truth_file_text(file, "program"), "/bin/p");
	ck_assert_ptr_null(truth_file_text(file, "points"));
	ck_assert_uint_eq(truth_file_number(file, "points"), 255);
	ck_assert_uint_eq(truth_file_number(file, "program"), 0);
	ck_assert_str_eq(truth_file_partial(file), "timeout");
	ck_assert_uint_eq(truth_file_image_count(file), COUNT(kind));
	for (int i = 0; i < COUNT(kind); i++) {
		const struct truth_image *image = truth_file_image(file, i);

		ck_assert_str_eq(truth_image_kind_name(image->kind), kind[i]);
		ck_assert_str_eq(image->path, path[i]);
		ck_assert_uint_eq(image->build_id_size, i ? 0 : 4);
	}
	ck_assert_mem_eq(truth_file_image(file, 0)->build_id, "abcd", 4);
	ck_assert_str_eq(truth_image_kind_name(TRUTH_IMAGE_NONE), "none");
	ck_assert_str_eq(truth_image_kind_name(TRUTH_IMAGE_MEMFD), "memfd");
	ck_assert_str_eq(truth_image_kind_name(TRUTH_IMAGE_OTHER), "other");
	ck_assert_str_eq(truth_image_kind_name(TRUTH_IMAGE_KIND_COUNT), "unknown");
}
END_TEST

static const struct {
	const char *name, *build_id, *path;
	int image; /* -1: none */
} images[] = {
	{ "by_build_id", "abcd", "/elsewhere", 0 },
	{ "a_build_id_is_asked_before_a_path", "abcd", "[vdso]", 0 },
	{ "by_path_without_one", "", "/bin/p", 0 },
	{ "by_path_of_an_image_without_one", "xxxx", "[vdso]", 1 },
	{ "another_file_of_that_path", "abce", "/bin/p", -1 },
	{ "a_shorter_one", "abc", "/bin/q", -1 },
	{ "neither", "", "/bin/q", -1 },
};

START_TEST(image)
{
	uint32_t found = 77;
	bool is_found = truth_file_find_image(file, (const uint8_t *)images[_i].build_id,
					      strlen(images[_i].build_id), images[_i].path, &found);

	ck_assert_msg(is_found == (images[_i].image >= 0), "%s", images[_i].name);
	ck_assert_msg(!is_found || found == (uint32_t)images[_i].image, "%s", images[_i].name);
}
END_TEST

START_TEST(no_image_of_a_file_without_any)
{
	uint8_t bytes[TRUTH_BYTES];
	const size_t size = truth_bytes("T [] O [] E [00]", bytes);
	struct truth_file *none;
	struct error error;
	uint32_t found;

	ck_assert(!truth_file_create(bytes, size, &none, &error));
	ck_assert(!truth_file_find_image(none, (const uint8_t *)"abcd", 4, "/bin/p", &found));
	ck_assert(!truth_file_find_image(none, NULL, 0, "/bin/p", &found));
	ck_assert(!truth_file_find_image(none, NULL, 0, NULL, &found));
	truth_file_close(none);
}
END_TEST

/* ---- a stack held against it ------------------------------------------------------------ */

#define FRAMES(...) .frame = { __VA_ARGS__ }
#define WANT(...)   .want = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct truth_frame frame[5]; /* innermost first */
	uint32_t count;
	struct truth_match want;
} matches[] = {
	{ "whole", FRAMES({ 0, 0x2000 }, { 0, 0x1000 }), 2,
	  WANT(TRUTH_MATCH_WHOLE, true, 2, 2, 2, false) },
	{ "whole_of_one_frame", FRAMES({ 0, 0x1008 }), 1,
	  WANT(TRUTH_MATCH_WHOLE, true, 8, 1, 1, false) },
	{ "whole_through_a_signal",
	  FRAMES({ 1, 0x80 }, { 0, 0x3000 }, { 0, 0x2005 }, { 0, 0x1000 }), 4,
	  WANT(TRUTH_MATCH_WHOLE, true, 5, 4, 4, false) },
	{ "whole_in_the_kernel", FRAMES({ 0, 0x2007 }, { 0, 0x1000 }), 2,
	  WANT(TRUTH_MATCH_WHOLE, true, 7, 2, 2, false) },
	{ "whole_in_doubt_only", FRAMES({ 0, 0x2005 }, { 0, 0x1000 }), 2,
	  WANT(TRUTH_MATCH_WHOLE, false, 3, 2, 2, true) },
	{ "prefix", FRAMES({ 0, 0x2000 }), 1, WANT(TRUTH_MATCH_PREFIX, true, 2, 1, 0, false) },
	{ "prefix_of_three", FRAMES({ 1, 0x80 }, { 0, 0x3000 }, { 0, 0x2005 }), 3,
	  WANT(TRUTH_MATCH_PREFIX, true, 5, 3, 0, false) },
	{ "open_as_far_as_it_is_known", FRAMES({ 0, 0x2007 }), 1,
	  WANT(TRUTH_MATCH_OPEN, true, 10, 1, 0, false) },
	{ "open_and_beyond", FRAMES({ 0, 0x2007 }, { 0, 0x7777 }, { 0, 0x8888 }), 3,
	  WANT(TRUTH_MATCH_OPEN, true, 10, 1, 0, false) },
	{ "open_in_doubt", FRAMES({ 0, 0x10 }, { 0, 0x2007 }, { 0, 0x1000 }), 3,
	  WANT(TRUTH_MATCH_OPEN, false, 11, 2, 2, true) },
	{ "parts_from_the_nearest",
	  FRAMES({ 1, 0x80 }, { 0, 0x3000 }, { 0, 0x2006 }, { 0, 0x1000 }), 4,
	  WANT(TRUTH_MATCH_NONE, true, 5, 2, 1, false) },
	{ "a_frame_too_many", FRAMES({ 0, 0x2000 }, { 0, 0x1000 }, { 0, 0x1000 }), 3,
	  WANT(TRUTH_MATCH_NONE, true, 2, 2, 1, false) },
	{ "another_image", FRAMES({ 1, 0x2000 }, { 0, 0x1000 }), 2,
	  WANT(TRUTH_MATCH_NONE, false, 0, 0, 1, false) },
	{ "where_the_thread_never_stood", FRAMES({ 0, 0x1000 }), 1,
	  WANT(TRUTH_MATCH_NONE, false, 0, 0, 1, false) },
	{ "no_frames", FRAMES({ 0, 0 }), 0, WANT(TRUTH_MATCH_NONE, false, 0, 0, 0, false) },
};

START_TEST(stack)
{
	const struct truth_match *want = &matches[_i].want;
	struct truth_match got;

	truth_file_find(file, matches[_i].frame, matches[_i].count, &got);
	ck_assert_msg(got.kind == want->kind && got.proven == want->proven &&
			      got.node == want->node && got.inner == want->inner &&
			      got.outer == want->outer && got.is_doubted == want->is_doubted,
		      "%s: kind %d proven %d node %u inner %u outer %u doubted %d",
		      matches[_i].name, got.kind, got.proven, got.node, got.inner, got.outer,
		      got.is_doubted);
}
END_TEST

START_TEST(look_ups)
{
	const struct truth_frame at = { 0, 0x2007 }, none = { 0, 0x1000 };
	uint32_t node;

	ck_assert_uint_eq(truth_file_child(file, 1, &at), 7);
	ck_assert_uint_eq(truth_file_child(file, 9, &at), 10);
	ck_assert_uint_eq(truth_file_child(file, 0, &at), 0);
	ck_assert_uint_eq(truth_file_first_at(file, &at), 7);
	ck_assert_uint_eq(truth_file_next_at(file, 7), 10);
	ck_assert_uint_eq(truth_file_next_at(file, 10), 0);
	ck_assert_uint_eq(truth_file_first_at(file, &none), 0);
	ck_assert_uint_eq(truth_file_descend(file, 9, &at, 1, &node), 1);
	ck_assert_uint_eq(node, 10);
	ck_assert_uint_eq(truth_file_descend(file, 0, &at, 1, &node), 0);
	ck_assert_uint_eq(node, 0);
}
END_TEST

/* ---- what is malformed ------------------------------------------------------------------ */

#define IMAGE "I [01 01 'p' 00] "
#define TREES "T [] O [] "

static const struct {
	const char *name, *text, *message;
	size_t offset; /* behind the first line */
} malformed[] = {
	{ "nothing", "", "it is cut off", 0 },
	{ "items_in_lower_case_alone", "61 [00] 7a [] T [] O []", "it is cut off", 9 },
	{ "an_item_before_the_letters", "60 [00]", "an item of an unknown kind", 2 },
	{ "an_item_behind_the_letters", "7b [00]", "an item of an unknown kind", 2 },
	{ "an_unknown_item", "Q [00]", "an item of an unknown kind", 2 },
	{ "an_item_that_reaches_past_the_end", "S 05 00", "an item that reaches past the end", 2 },
	{ "an_item_with_more_in_it", TREES "E [00 00]", "bytes that are left over in an item", 7 },
	{ "a_length_of_more_than_64_bits", "S ffffffffffffffffff02",
	  "a number that is cut off, or of more than 64 bits", 1 },
	{ "bytes_behind_the_end", TREES "E [00] 00", "bytes behind the end", 7 },
	{ "a_text_that_leaves_its_item", "S [01 'a' 02 'b'] 'c'", "bytes that reach past the end",
	  5 },
	{ "a_nul_in_a_text", "S [02 'a' 00 00]", "a NUL in a text", 5 },
	{ "a_kind_of_image_that_there_is_not", "I [06 00 00]", "a number that is too large", 3 },
	{ "a_digest_of_no_image", "64 [00 05 06 07]", "a digest of an image that there is not", 6 },
	{ "a_digest_cut_off", "I [01 00 00] 64 [00 05]",
	  "a number that is cut off, or of more than 64 bits", 9 },
	{ "an_image_behind_a_tree", "T [] I [01 00 00]", "an image behind a tree", 4 },
	{ "an_open_tree_first", "O []", "a tree that is there twice, or too early", 2 },
	{ "two_trees", "T [] T []", "a tree that is there twice, or too early", 4 },
	{ "no_trees", "E [00]", "it has no trees", 3 },
	{ "one_tree", "T [] E [00]", "it has no trees", 5 },
	{ "another_sum", IMAGE "T [00 00 05] O [] E [06]", "other counts than it says", 16 },
	{ "a_node_that_is_cut_off", IMAGE "T [00 00 05 08] O [] E [05]",
	  "a number that is cut off, or of more than 64 bits", 12 },
	{ "a_node_of_no_image", "T [00 00 05] O [] E [05]", "an image that there is not", 4 },
	{ "a_node_of_the_next_image", IMAGE "T [01 01 00 05] O [] E [05]",
	  "an image that there is not", 11 },
	{ "a_sibling_of_the_root", IMAGE "T [08 00 05] O [] E [05]", "a node outside of its tree",
	  9 },
	{ "two_frames_left_of_one", IMAGE "T [00 00 05 10 00 05] O [] E [0a]",
	  "a node outside of its tree", 12 },
	{ "the_same_node_twice", IMAGE "T [00 00 05 08 00 05] O [] E [0a]",
	  "a node that is not behind its elder sibling", 13 },
	{ "a_node_before_its_elder_sibling", IMAGE "T [00 01 05 08 7f 05] O [] E [0a]",
	  "a node that is not behind its elder sibling", 13 },
	{ "more_points_than_64_bits", IMAGE "T [00 00 ffffffffffffffffff01 08 01 01] O [] E [00]",
	  "more points than can be counted", 23 },
};

static void check_error(const char *name, const struct error *error, size_t size)
{
	ck_assert_msg(error->code == ERROR_PROTOCOL && !strcmp(error->section, "truth"),
		      "%s: %s in \"%s\": %s", name, error_code_name(error->code), error->section,
		      error->message);
	ck_assert_msg(error->offset <= size && error->message[0], "%s: at %lu of %zu", name,
		      (unsigned long)error->offset, size);
}

START_TEST(malformed_says_where)
{
	const size_t first_line = strlen(TRUTH_FILE_MAGIC);
	uint8_t bytes[TRUTH_BYTES];
	size_t size = truth_bytes(malformed[_i].text, bytes);
	struct truth_file *none;
	struct error error;

	ck_assert_msg(truth_file_create(bytes, size, &none, &error), "%s", malformed[_i].name);
	check_error(malformed[_i].name, &error, size);
	ck_assert_str_eq(error.message, malformed[_i].message);
	ck_assert_msg(error.offset == malformed[_i].offset + first_line, "%s: at %lu",
		      malformed[_i].name, (unsigned long)(error.offset - first_line));
}
END_TEST

/* Each number of bytes, in a block of its own for what finds reads past its end. */
static void check_cut(const uint8_t *bytes, size_t whole)
{
	struct truth_file *none;
	struct error error;
	char name[32];

	for (size_t size = 0; size < whole; size++) {
		uint8_t *cut = malloc(size + !size);

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, bytes, size);
		snprintf(name, sizeof(name), "%zu bytes", size);
		ck_assert_msg(truth_file_create(cut, size, &none, &error), "%s", name);
		check_error(name, &error, size);
		free(cut);
	}
}

START_TEST(whole_or_not_at_all)
{
	uint8_t bytes[TRUTH_BYTES];
	const size_t whole = truth_bytes(truth_whole, bytes);
	struct truth_file *none;
	struct error error;

	check_cut(bytes, whole);
	bytes[strlen(TRUTH_FILE_MAGIC) - 2] = '3';
	ck_assert(truth_file_create(bytes, whole, &none, &error));
	ck_assert_str_eq(error.message, "no truth file, or one of another version");
	check_cut(bytes, truth_seal(bytes, whole));
}
END_TEST

START_TEST(each_flipped_bit_shows)
{
	uint8_t bytes[TRUTH_BYTES];
	const size_t size = truth_seal(bytes, truth_bytes(truth_whole, bytes));
	struct truth_file *read;
	struct error error;

	for (size_t bit = 0; bit < 8 * size; bit++) {
		bytes[bit / 8] ^= 1u << bit % 8;
		ck_assert_msg(truth_file_create(bytes, size, &read, &error), "bit %zu", bit);
		check_error("a flipped bit", &error, size);
		bytes[bit / 8] ^= 1u << bit % 8;
	}
	ck_assert(!truth_file_create(bytes, size, &read, &error));
	ck_assert(truth_file_has_digest(read));
	truth_file_close(read);
}
END_TEST

START_TEST(a_digest_is_the_last)
{
	uint8_t bytes[TRUTH_BYTES];
	const size_t items = truth_bytes(truth_whole, bytes);
	struct truth_file *read;
	struct error error;

	ck_assert(!truth_file_create(bytes, items, &read, &error));
	ck_assert(!truth_file_has_digest(read));
	truth_file_close(read);
	const size_t size = truth_seal(bytes, items);

	bytes[size] = 0;
	ck_assert(truth_file_create(bytes, size + 1, &read, &error));
	ck_assert_str_eq(error.message, "bytes behind the end");
	ck_assert_uint_eq(error.offset, size);
	ck_assert(truth_file_create(bytes, size - 1, &read, &error));
	ck_assert_str_eq(error.message, "it is cut off");
	ck_assert_uint_eq(error.offset, items);
	bytes[size - 1] ^= 1;
	ck_assert(truth_file_create(bytes, size, &read, &error));
	ck_assert_str_eq(error.message, "another digest than its bytes have: it is damaged");
	ck_assert_uint_eq(error.offset, items);
}
END_TEST

/* All that a reader may rely on. */
static void check_nodes(const struct truth_file *read)
{
	uint32_t count = truth_file_node_count(read), open = truth_file_open_root(read);

	ck_assert_uint_lt(open, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct truth_node *node = truth_file_node(read, i);
		const struct truth_node *parent = truth_file_node(read, node->parent);
		const struct truth_frame frame = { node->image, node->address };

		ck_assert_uint_gt(node->end, i);
		ck_assert_uint_le(node->end, i < open ? open : count);
		if (i == 0 || i == open) {
			ck_assert_uint_eq(node->depth, 0);
			continue;
		}
		ck_assert_uint_lt(node->parent, i);
		ck_assert_uint_eq(node->depth, parent->depth + 1);
		ck_assert_uint_le(node->end, parent->end);
		ck_assert_uint_lt(node->image, truth_file_image_count(read));
		ck_assert_uint_eq(truth_file_child(read, node->parent, &frame), i);
	}
}

START_TEST(changed_bytes)
{
	uint8_t bytes[TRUTH_BYTES], changed[TRUTH_BYTES];
	const size_t size = truth_bytes(truth_whole, bytes);
	uint64_t seed = 1, read = 0;
	struct error error;

	for (int round = 0; round < 20000; round++) {
		struct truth_file *mutant;

		memcpy(changed, bytes, size);
		for (unsigned int i = 0; i <= round % 3u; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			changed[(seed >> 33) % size] = (uint8_t)(seed >> 20);
		}
		if (truth_file_create(changed, size, &mutant, &error)) {
			check_error("mutant", &error, size);
			continue;
		}
		check_nodes(mutant);
		truth_file_close(mutant);
		read++;
	}
	ck_assert_uint_gt(read, 100); /* it is not only refused */
}
END_TEST

/* ---- files ------------------------------------------------------------------------------ */

START_TEST(file_by_name)
{
	char path[] = "/tmp/test_truth_file.XXXXXX";
	uint8_t bytes[TRUTH_BYTES];
	const size_t size = truth_bytes(truth_whole, bytes);
	int descriptor = mkstemp(path);
	struct truth_file *read;
	struct error error;

	ck_assert_int_ge(descriptor, 0);
	ck_assert_int_eq(write(descriptor, bytes, size), (ssize_t)size);
	close(descriptor);
	ck_assert_msg(!truth_file_open(path, &read, &error), "%s", error.message);
	ck_assert_uint_eq(truth_file_node_count(read), COUNT(nodes));
	truth_file_close(read);
	unlink(path);
	ck_assert(truth_file_open(path, &read, &error));
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert(truth_file_open("/tmp", &read, &error));
	ck_assert_str_eq(error.message, "no regular file");
	truth_file_close(NULL);
}
END_TEST

START_TEST(a_fifo_is_not_waited_for)
{
	char path[64];
	struct truth_file *none;
	struct error error;

	snprintf(path, sizeof(path), "/tmp/test_truth_file.%d", (int)getpid());
	ck_assert(!mkfifo(path, 0600));
	ck_assert(truth_file_open(path, &none, &error));
	ck_assert_str_eq(error.message, "no regular file");
	unlink(path);
}
END_TEST

/* ---- the other reader ------------------------------------------------------------------- */

static void write_bytes(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *out = fopen(path, "we");

	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(bytes, 1, size, out), size);
	ck_assert(!fclose(out));
}

/* What scripts/truth_read.py says of a file: its status, and in text all that it prints. */
static int python_says(const char *path, char *text, size_t size)
{
	char command[128];
	size_t read;
	FILE *pipe;

	snprintf(command, sizeof(command), "python3 scripts/truth_read.py %s 2>/dev/null", path);
	pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	read = fread(text, 1, size - 1, pipe);
	text[read] = '\0';
	return pclose(pipe);
}

/* One line of it, by the reader here. */
static void print_stack(FILE *out, const struct truth_file *read, uint32_t number)
{
	const struct truth_node *node = truth_file_node(read, number);
	uint32_t way[8], depth = node->depth;

	ck_assert_uint_le(depth, 8);
	for (uint32_t i = depth, at = number; i--; at = truth_file_node(read, at)->parent)
		way[i] = at;
	fprintf(out, "%lu %lu %lu %s", (unsigned long)node->points, (unsigned long)node->unproven,
		(unsigned long)node->in_kernel,
		truth_file_is_open(read, number) ? "open" : "whole");
	for (uint32_t i = 0; i < depth; i++)
		fprintf(out, " %u:%lx", truth_file_node(read, way[i])->image,
			(unsigned long)truth_file_node(read, way[i])->address);
	fputc('\n', out);
}

START_TEST(python_reads_the_same)
{
	char path[] = "/tmp/test_truth_file.XXXXXX", said[2048], *want;
	uint8_t bytes[TRUTH_BYTES];
	const size_t whole = truth_bytes(truth_whole, bytes);
	size_t want_size;
	FILE *out;

	if (system("command -v python3 >/dev/null")) {
		printf("SKIP: there is no python3\n");
		return;
	}
	ck_assert_int_ge(mkstemp(path), 0);
	open_whole();
	out = open_memstream(&want, &want_size);
	for (uint32_t i = 0; i < truth_file_node_count(file); i++) {
		const struct truth_node *node = truth_file_node(file, i);

		if (node->points || node->unproven || node->in_kernel)
			print_stack(out, file, i);
	}
	fclose(out);
	close_whole();
	write_bytes(path, bytes, whole);
	ck_assert_int_eq(python_says(path, said, sizeof(said)), 0);
	ck_assert_str_eq(said, want);
	free(want);
	for (size_t size = 0; size < whole; size += 13) {
		write_bytes(path, bytes, size);
		ck_assert_msg(python_says(path, said, sizeof(said)), "%zu bytes", size);
		ck_assert_str_eq(said, "");
	}
	unlink(path);
}
END_TEST

SUITE(truth_file, GROUP(whole), FIXTURE(open_whole, close_whole),
      TEST(nodes_are_what_the_bytes_say), TEST(header_and_images), LOOP(image, images),
      LOOP(stack, matches), TEST(look_ups), GROUP(malformed), TEST(a_fifo_is_not_waited_for),
      TEST(no_image_of_a_file_without_any), LOOP(malformed_says_where, malformed),
      TEST(whole_or_not_at_all), TEST(each_flipped_bit_shows), TEST(a_digest_is_the_last),
      TEST(changed_bytes), TEST(file_by_name), TEST(python_reads_the_same))
