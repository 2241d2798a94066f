/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face_truth.c - stackproof.h: a truth file from its caller's view
 *
 * The file is truth_bytes.h's, put together by hand.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/suite.h"
#include "stackproof.h"
#include "truth_file/tests/truth_bytes.h"

#define CODE 0x7f0000000000ull

static char path[] = "/tmp/test_face_truth.XXXXXX";
static struct stackproof_truth *truth;
static struct stackproof_truth_info info;

/* The first size bytes of it; 0: all. */
static void write_file(const char *text, size_t size)
{
	uint8_t bytes[TRUTH_BYTES];
	size_t whole = truth_bytes(text, bytes);
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fwrite(bytes, 1, size ? size : whole, file), 0);
	ck_assert(!fclose(file));
}

static void begin(void)
{
	struct stackproof_error error;
	int descriptor = mkstemp(path);

	ck_assert_int_ge(descriptor, 0);
	close(descriptor);
	write_file(truth_whole, 0);
	info = (struct stackproof_truth_info)STACKPROOF_INIT(struct stackproof_truth_info);
	ck_assert_msg(!stackproof_truth_open(path, &truth, &info, &error), "%s", error.message);
}

static void end(void)
{
	stackproof_truth_close(truth);
	unlink(path);
	strcpy(path + sizeof(path) - 7, "XXXXXX");
}

START_TEST(what_it_says_of_itself)
{
	ck_assert_str_eq(info.partial, "timeout");
	ck_assert_str_eq(info.gap, "timeout");
	ck_assert_str_eq(info.program, "/bin/p");
	ck_assert_ptr_null(info.kernel);
	ck_assert_ptr_null(info.machine);
	ck_assert_ptr_null(info.version);
	ck_assert_uint_eq(info.points, 255);
	ck_assert_uint_eq(info.proven, 0);
	ck_assert_uint_eq(info.images, 3);
	ck_assert_uint_eq(info.nodes, 10);
}
END_TEST

static const struct {
	const char *header;
	uint64_t steps, points, proven, unproven, open, threads, elapsed_ns;
	const char *kernel, *machine, *version, *partial, *gap;
} headers[] = {
	{ "C [05 'steps' 01] C [06 'points' 02] C [06 'proven' 03] C [08 'unproven' 04] C [04 "
	  "'open' 05] C [07 'threads' 06] C [0a 'elapsed_ns' 07] S [06 'kernel' 01 'k'] S [07 "
	  "'machine' 01 'm'] S [0a 'stackproof' 01 'v'] ",
	  1, 2, 3, 4, 5, 6, 7, "k", "m", "v", NULL, NULL },
	{ "C [05 'every' 01] ", 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL },
	{ "C [05 'every' 02] ", 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, "every" },
	{ "S [04 'from' 01 'f'] ", 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, "from" },
	{ "C [08 'untraced' 01] ", 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, "threads" },
	{ "C [06 'unread' 01] ", 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, "unread" },
	{ "C [0c 'merged_steps' 01] ", 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL,
	  "merged_steps" },
	{ "S [07 'partial' 05 'error'] ", 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, "error", "error" },
};

static void check_text(const char *got, const char *want)
{
	ck_assert_msg(!got == !want && (!got || !strcmp(got, want)), "%s, not %s", got, want);
}

START_TEST(header_by_header)
{
	struct stackproof_truth_info got = STACKPROOF_INIT(struct stackproof_truth_info);
	struct stackproof_truth *other;
	char text[512];

	snprintf(text, sizeof(text), "%sT [] O [] E [00]", headers[_i].header);
	write_file(text, 0);
	ck_assert(!stackproof_truth_open(path, &other, &got, NULL));
	ck_assert_uint_eq(got.steps, headers[_i].steps);
	ck_assert_uint_eq(got.points, headers[_i].points);
	ck_assert_uint_eq(got.proven, headers[_i].proven);
	ck_assert_uint_eq(got.unproven, headers[_i].unproven);
	ck_assert_uint_eq(got.open, headers[_i].open);
	ck_assert_uint_eq(got.threads, headers[_i].threads);
	ck_assert_uint_eq(got.elapsed_ns, headers[_i].elapsed_ns);
	ck_assert_uint_eq(got.images, 0);
	ck_assert_uint_eq(got.nodes, 0);
	check_text(got.kernel, headers[_i].kernel);
	check_text(got.machine, headers[_i].machine);
	check_text(got.version, headers[_i].version);
	check_text(got.partial, headers[_i].partial);
	check_text(got.gap, headers[_i].gap);
	stackproof_truth_close(other);
}
END_TEST

START_TEST(images)
{
	struct stackproof_truth_image image = STACKPROOF_INIT(struct stackproof_truth_image);
	struct stackproof_error error;

	ck_assert(!stackproof_truth_image(truth, 0, &image, &error));
	ck_assert_uint_eq(image.kind, STACKPROOF_TRUTH_FILE);
	ck_assert_str_eq(image.path, "/bin/p");
	ck_assert_uint_eq(image.build_id_size, 4);
	ck_assert_mem_eq(image.build_id, "abcd", 4);
	ck_assert(!stackproof_truth_image(truth, 1, &image, &error));
	ck_assert_uint_eq(image.kind, STACKPROOF_TRUTH_VDSO);
	ck_assert_uint_eq(image.build_id_size, 0);
	ck_assert(!stackproof_truth_image(truth, 2, &image, &error));
	ck_assert_uint_eq(image.kind, STACKPROOF_TRUTH_ANONYMOUS);
	ck_assert_str_eq(image.path, "");
	ck_assert_int_eq(stackproof_truth_image(truth, 3, &image, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
	ck_assert_str_eq(error.message, "there is no image 3");
}
END_TEST

static const struct stackproof_truth_node nodes[] = {
	{ 0, 1, 0, 1, 0, 0x1000, 0, 0, 0, 0, 0 }, { 0, 2, 1, 2, 0, 0x2000, 3, 0, 0, 0, 0 },
	{ 0, 3, 1, 2, 0, 0x2005, 0, 1, 0, 0, 0 }, { 0, 4, 3, 3, 0, 0x3000, 0, 0, 0, 0, 1 },
	{ 0, 5, 4, 4, 1, 0x80, 2, 0, 0, 0, 0 },	  { 0, 6, 3, 3, 2, CODE, 1, 0, 0, 0, 0 },
	{ 0, 7, 1, 2, 0, 0x2007, 0, 0, 4, 0, 0 }, { 0, 8, 0, 1, 0, 0x1008, 1, 0, 0, 0, 0 },
	{ 0, 9, 0, 1, 0, 0x2007, 5, 0, 0, 1, 0 }, { 0, 10, 9, 2, 0, 0x10, 0, 2, 0, 1, 0 },
};

START_TEST(nodes_in_order)
{
	struct stackproof_truth_node node = STACKPROOF_INIT(struct stackproof_truth_node);
	struct stackproof_error error;

	for (int i = 0; i < COUNT(nodes); i++) {
		const struct stackproof_truth_node *want = &nodes[i];

		ck_assert_int_eq(stackproof_truth_next(truth, &node, &error), 1);
		ck_assert_uint_eq(node.size, sizeof(node));
		ck_assert_msg(
			node.number == want->number && node.parent == want->parent &&
				node.depth == want->depth && node.image == want->image &&
				node.address == want->address && node.points == want->points &&
				node.unproven == want->unproven &&
				node.in_kernel == want->in_kernel && node.open == want->open &&
				node.interrupts == want->interrupts,
			"node %d: number %u parent %u", i, node.number, node.parent);
	}
	ck_assert_int_eq(stackproof_truth_next(truth, &node, &error), 0);
	node.number = UINT32_MAX;
	ck_assert_int_eq(stackproof_truth_next(truth, &node, &error), 0);
	node.size = 4;
	node.number = 0;
	ck_assert_int_eq(stackproof_truth_next(truth, &node, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
}
END_TEST

/* A caller that was built with an older header. */
START_TEST(an_older_node)
{
	struct stackproof_truth_node node = {
		.size = offsetof(struct stackproof_truth_node, points), .number = 1, .points = 77
	};

	ck_assert_int_eq(stackproof_truth_next(truth, &node, NULL), 1);
	ck_assert_uint_eq(node.address, 0x2000);
	ck_assert_uint_eq(node.points, 77);
}
END_TEST

START_TEST(what_can_t_be_read)
{
	struct stackproof_truth *other = NULL;
	struct stackproof_error error;

	write_file(truth_whole, 100);
	ck_assert_int_eq(stackproof_truth_open(path, &other, NULL, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_FILE);
	ck_assert_str_eq(stackproof_error_name(error.code), "file");
	ck_assert_str_eq(error.section, "truth");
	ck_assert_uint_le(error.offset, 100);
	ck_assert_int_eq(stackproof_truth_open("/tmp/no/such/file", &other, NULL, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_int_eq(stackproof_truth_open("/tmp/no/such/file", &other, NULL, NULL), -1);
	ck_assert_ptr_null(other);
	stackproof_truth_close(NULL);
}
END_TEST

START_TEST(an_info_without_size)
{
	struct stackproof_truth_info none = { .size = 0 };
	struct stackproof_truth *other = NULL;
	struct stackproof_error error;

	ck_assert_int_eq(stackproof_truth_open(path, &other, &none, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
	ck_assert_ptr_null(other);
}
END_TEST

SUITE(face_truth, FIXTURE(begin, end), TEST(what_it_says_of_itself),
      LOOP(header_by_header, headers), TEST(images), TEST(nodes_in_order), TEST(an_older_node),
      TEST(what_can_t_be_read), TEST(an_info_without_size))
