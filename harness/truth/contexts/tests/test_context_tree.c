/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_context_tree.c - which stacks and images are the same, in a tree and in the file of it
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth/contexts/contexts.h"

#define ID(text)                                                                                   \
	(const uint8_t *)(text), sizeof(text) - 1,                                                 \
	{                                                                                          \
		0                                                                                  \
	}
#define NO_ID                                                                                      \
	NULL, 0,                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}

static struct context_tree tree;

static void begin(void)
{
	struct error error;

	ck_assert(!context_tree_init(&tree, &error));
}

static void end(void)
{
	context_tree_deinit(&tree);
}

/* ---- images ------------------------------------------------------------------------------ */

/* Each differs from the first in one thing alone. */
static const struct truth_image images[] = {
	{ TRUTH_IMAGE_FILE, "/bin/p", ID("abcd") },
	{ TRUTH_IMAGE_MEMFD, "/bin/p", ID("abcd") },
	{ TRUTH_IMAGE_FILE, "/bin/q", ID("abcd") },
	{ TRUTH_IMAGE_FILE, "/bin/pp", ID("abcd") },
	{ TRUTH_IMAGE_FILE, "/bin/p", ID("abce") },
	{ TRUTH_IMAGE_FILE, "/bin/p", ID("abcde") },
	{ TRUTH_IMAGE_FILE, "/bin/p", ID("abc") },
	{ TRUTH_IMAGE_FILE, "/bin/p", NO_ID },
	{ TRUTH_IMAGE_FILE, "/bin/", ID("abcd") },
	{ TRUTH_IMAGE_FILE, "/bin/p", NULL, 0, { 1, 2, 3 } },
	{ TRUTH_IMAGE_FILE, "/bin/p", NULL, 0, { 4, 2, 3 } },
	{ TRUTH_IMAGE_FILE, "/bin/p", NULL, 0, { 1, 4, 3 } },
	{ TRUTH_IMAGE_FILE, "/bin/p", NULL, 0, { 1, 2, 4 } },
};

/* Another has its own number; the same has that, whenever it comes, and whoever's strings it has. */
START_TEST(images_are_known_again)
{
	uint32_t number;
	struct error error;

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < (uint32_t)COUNT(images); i++) {
			struct truth_image image = images[i];
			char path[16];
			uint8_t id[8];

			strcpy(path, image.path);
			memcpy(id, image.build_id ?: id, image.build_id_size);
			image.path = path;
			if (image.build_id)
				image.build_id = id;
			ck_assert(!context_tree_image(&tree, &image, &number, &error));
			ck_assert_uint_eq(number, i);
			memset(path, 'x', sizeof(path));
			memset(id, 'x', sizeof(id));
		}
	ck_assert_uint_eq(tree.image_count, COUNT(images));
	for (int i = 0; i < COUNT(images); i++) {
		ck_assert_str_eq(tree.image[i].path, images[i].path);
		ck_assert_int_eq(tree.image[i].kind, images[i].kind);
		ck_assert_uint_eq(tree.image[i].build_id_size, images[i].build_id_size);
		if (images[i].build_id)
			ck_assert_mem_eq(tree.image[i].build_id, images[i].build_id,
					 images[i].build_id_size);
	}
}
END_TEST

/* A file has room for so many numbers of images. Those that are there are found all the same. */
START_TEST(images_are_limited)
{
	struct truth_image image = { .kind = TRUTH_IMAGE_ANONYMOUS, .path = "" };
	struct error error;
	uint32_t number;

	/* The last of them; to compare each with all before takes minutes. */
	free(tree.image);
	tree.image = calloc(TRUTH_FILE_IMAGES_MAX, sizeof(*tree.image));
	tree.image_count = TRUTH_FILE_IMAGES_MAX - 1;
	for (size_t i = 0; i < tree.image_count; i++) {
		tree.image[i].kind = TRUTH_IMAGE_VDSO;
		tree.image[i].path = strdup("");
	}
	ck_assert(!context_tree_image(&tree, &image, &number, &error));
	ck_assert_uint_eq(number, TRUTH_FILE_IMAGES_MAX - 1);
	image.kind = TRUTH_IMAGE_OTHER;
	ck_assert_int_eq(context_tree_image(&tree, &image, &number, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	ck_assert_str_eq(error.message, "more than 65536 images");
	image.kind = TRUTH_IMAGE_ANONYMOUS;
	ck_assert(!context_tree_image(&tree, &image, &number, &error));
	ck_assert_uint_eq(number, TRUTH_FILE_IMAGES_MAX - 1);
}
END_TEST

/* ---- nodes ------------------------------------------------------------------------------- */

/* In the order in which they come: parent, by its number here, image and address. */
static const struct {
	uint32_t parent;
	struct truth_frame frame;
	uint32_t number;
} nodes[] = {
	{ CONTEXT_ROOT_WHOLE, { 0, 0x10 }, 2 },
	{ CONTEXT_ROOT_OPEN, { 0, 0x10 }, 3 },
	{ CONTEXT_ROOT_WHOLE, { 1, 0x10 }, 4 },
	{ CONTEXT_ROOT_WHOLE, { 0, 0x11 }, 5 },
	{ 2, { 0, 0x10 }, 6 },
	{ 3, { 0, 0x10 }, 7 },
	{ 6, { 0, 0x10 }, 8 },
	{ CONTEXT_ROOT_WHOLE, { 0, 0x10 }, 2 },
	{ CONTEXT_ROOT_OPEN, { 0, 0x10 }, 3 },
	{ 2, { 0, 0x10 }, 6 },
	{ 2, { 1, 0x10 }, 9 },
	{ CONTEXT_ROOT_WHOLE, { 0, 0x1000000000010 }, 10 }, /* what image 1's looks like, hashed */
	{ CONTEXT_ROOT_WHOLE, { 1, 0x10 }, 4 },
	{ CONTEXT_ROOT_OPEN, { 65535, UINT64_MAX }, 11 },
	{ CONTEXT_ROOT_OPEN, { 65535, UINT64_MAX }, 11 },
};

START_TEST(stacks_are_known_again)
{
	struct error error;
	uint32_t number;

	for (int i = 0; i < COUNT(nodes); i++) {
		ck_assert(!context_tree_child(&tree, nodes[i].parent, &nodes[i].frame, &number,
					      &error));
		ck_assert_msg(number == nodes[i].number, "%d: %u", i, number);
		ck_assert_uint_eq(tree.node[number].parent, nodes[i].parent);
		ck_assert_uint_eq(tree.node[number].image, nodes[i].frame.image);
		ck_assert(tree.node[number].address == nodes[i].frame.address);
	}
	/* At most half of the slots are taken, however many come. */
	for (uint64_t i = 0; i < 5000; i++) {
		const struct truth_frame frame = { 2, i };

		ck_assert(!context_tree_child(&tree, CONTEXT_ROOT_WHOLE, &frame, &number, &error));
		ck_assert_uint_le(tree.node_count, tree.slot_count / 2 + 1);
	}
}
END_TEST

/* The same frames again and again, below each other and below both roots: so many that they must lie beside each
 * other's slots, and that the slots become more. Each is another node, and is found again. */
START_TEST(recursions_are_known_again)
{
	enum { DEPTH = 4000 };
	static uint32_t way[2][DEPTH];
	struct error error;
	uint32_t number;

	for (int round = 0; round < 2; round++)
		for (uint32_t root = CONTEXT_ROOT_WHOLE; root <= CONTEXT_ROOT_OPEN; root++) {
			uint32_t parent = root;

			for (int i = 0; i < DEPTH; i++) {
				const struct truth_frame frame = { i % 3 == 2,
								   i % 3 ? 0x10 : 0x20 };

				ck_assert(!context_tree_child(&tree, parent, &frame, &number,
							      &error));
				if (!round)
					way[root][i] = 2 + root * DEPTH + i;
				ck_assert_uint_eq(number, way[root][i]);
				ck_assert_uint_eq(tree.node[number].parent, parent);
				ck_assert_uint_eq(tree.node[number].image, frame.image);
				parent = number;
			}
		}
	ck_assert_uint_eq(tree.node_count, 2 + 2 * DEPTH);
	/* Whose parent is another is another one, too. */
	for (int i = 0; i < DEPTH; i++) {
		const struct truth_frame frame = { 0, 0x30 };

		ck_assert(!context_tree_child(&tree, way[i % 2][i], &frame, &number, &error));
		ck_assert_uint_eq(number, 2 + 2 * DEPTH + i);
	}
}
END_TEST

/* ---- the file ---------------------------------------------------------------------------- */

static char path[] = "/tmp/test_context_tree.XXXXXX";

static struct context_node *node(uint32_t parent, uint32_t image, uint64_t address)
{
	const struct truth_frame frame = { image, address };
	struct error error;
	uint32_t number;

	ck_assert(!context_tree_child(&tree, parent, &frame, &number, &error));
	return &tree.node[number];
}

static uint32_t number_of(const struct context_node *at)
{
	return (uint32_t)(at - tree.node);
}

static struct truth_file *write_and_open(const struct truth_field *field, size_t count)
{
	struct truth_file *truth;
	struct error error;

	close(mkstemp(path));
	ck_assert_msg(!context_write(&tree, field, count, path, &error), "%s", error.message);
	ck_assert_msg(!truth_file_open(path, &truth, &error), "%s", error.message);
	unlink(path);
	return truth;
}

/* A node is there if it counts anything of any kind, or one below it does; under both roots. */
START_TEST(what_counts_is_written_and_what_leads_there)
{
	struct truth_file *truth;
	uint32_t image, at;
	struct error error;

	ck_assert(!context_tree_image(&tree, &images[0], &image, &error));
	for (uint32_t root = CONTEXT_ROOT_WHOLE; root <= CONTEXT_ROOT_OPEN; root++) {
		node(root, 0, 0x10)->points = 1;
		node(root, 0, 0x20)->unproven = 2;
		node(root, 0, 0x30)->in_kernel = 3;
		at = number_of(node(root, 0, 0x40));
		at = number_of(node(at, 0, 0x41));
		node(at, 0, 0x3f); /* an elder one that counts nothing takes none away */
		node(at, 0, 0x42)->points = 4;
		at = number_of(node(root, 0, 0x50)); /* nothing is below that counts */
		node(at, 0, 0x51);
	}
	truth = write_and_open(NULL, 0);
	ck_assert_uint_eq(truth_file_node_count(truth), 2 + 2 * 6);
	for (int open = 0; open < 2; open++) {
		uint32_t root = open ? truth_file_open_root(truth) : TRUTH_ROOT_WHOLE;
		const struct truth_frame frame[] = { { 0, 0x42 }, { 0, 0x41 }, { 0, 0x40 } },
					 alone[] = { { 0, 0x10 }, { 0, 0x20 }, { 0, 0x30 } };

		ck_assert_uint_eq(truth_file_descend(truth, root, frame, 3, &at), 3);
		ck_assert_uint_eq(truth_file_node(truth, at)->points, 4);
		ck_assert_int_eq(truth_file_is_open(truth, at), open);
		for (int i = 0; i < 3; i++) {
			const struct truth_node *got;

			ck_assert_uint_eq(truth_file_descend(truth, root, &alone[i], 1, &at), 1);
			got = truth_file_node(truth, at);
			ck_assert_uint_eq(got->points, i == 0 ? 1 : 0);
			ck_assert_uint_eq(got->unproven, i == 1 ? 2 : 0);
			ck_assert_uint_eq(got->in_kernel, i == 2 ? 3 : 0);
		}
	}
	truth_file_close(truth);
}
END_TEST

/* However far addresses are apart, and in whatever order the stacks came: of one image and of the next. */
START_TEST(stacks_far_apart_are_read_back)
{
	static const uint64_t addresses[] = {
		0x7fffffffffffffff, 1, UINT64_MAX, 0x8000000000000000, 0x3f, 0x40, 0
	};
	struct truth_file *truth;
	struct error error;
	uint32_t image, at;

	for (int i = 0; i < 200; i++) {
		char name[16];
		const struct truth_image more = { .kind = TRUTH_IMAGE_FILE, .path = name };

		snprintf(name, sizeof(name), "/%d", i);
		ck_assert(!context_tree_image(&tree, &more, &image, &error));
	}
	for (uint32_t i = 200; i--;)
		for (int j = 0; j < COUNT(addresses); j++) {
			uint32_t caller = number_of(node(CONTEXT_ROOT_WHOLE, i, addresses[j]));

			tree.node[caller].points = 1ull << (i % 40);
			node(caller, 199 - i, addresses[COUNT(addresses) - 1 - j])->points = i + 1;
		}
	truth = write_and_open(NULL, 0);
	ck_assert_uint_eq(truth_file_image_count(truth), 200);
	ck_assert_uint_eq(truth_file_node_count(truth), 2 + 2 * 200 * COUNT(addresses));
	for (uint32_t i = 0; i < 200; i++)
		for (int j = 0; j < COUNT(addresses); j++) {
			const struct truth_frame frame[] = {
				{ 199 - i, addresses[COUNT(addresses) - 1 - j] },
				{ i, addresses[j] }
			};

			ck_assert_uint_eq(
				truth_file_descend(truth, TRUTH_ROOT_WHOLE, frame, 2, &at), 2);
			ck_assert_uint_eq(truth_file_node(truth, at)->points, i + 1);
			ck_assert_uint_eq(
				truth_file_descend(truth, TRUTH_ROOT_WHOLE, &frame[1], 1, &at), 1);
			ck_assert(truth_file_node(truth, at)->points == 1ull << (i % 40));
		}
	truth_file_close(truth);
}
END_TEST

/* Fields in their order, of any length and number; what was of that name before is whole or replaced. */
START_TEST(fields_are_read_back)
{
	char *longest = calloc(1, 100001);
	const struct truth_field field[] = {
		{ "program", longest, 0 },  { "argument", "", 0 },	  { "argument", "b", 0 },
		{ "steps", NULL, 0 },	    { "points", NULL, 127 },	  { "proven", NULL, 128 },
		{ "open", NULL, 1u << 14 }, { "large", NULL, INT64_MAX },
	};
	struct truth_file *truth;

	memset(longest, 'x', 100000);
	truth = write_and_open(field, COUNT(field));
	ck_assert_uint_eq(truth_file_field_count(truth), COUNT(field));
	for (int i = 0; i < COUNT(field); i++) {
		const struct truth_field *got = truth_file_field(truth, i);

		ck_assert_str_eq(got->name, field[i].name);
		ck_assert(!got->text == !field[i].text);
		if (field[i].text)
			ck_assert_str_eq(got->text, field[i].text);
		else
			ck_assert(got->number == field[i].number);
	}
	ck_assert(truth_file_has_digest(truth));
	truth_file_close(truth);
	free(longest);
}
END_TEST

/* Whatever number of bytes an item has: the length's own bytes are as many as it needs. */
START_TEST(items_of_any_length_are_read_back)
{
	enum { STEPS = 40 };
	static const size_t least[] = { 110, (1u << 14) - 20 };
	struct truth_field field[STEPS];
	struct truth_file *truth;

	for (int i = 0; i < STEPS; i++) {
		char *text = calloc(1, least[_i] + STEPS);

		memset(text, 'x', least[_i] + i);
		field[i] = (struct truth_field) { "n", text, 0 };
	}
	truth = write_and_open(field, STEPS);
	ck_assert_uint_eq(truth_file_field_count(truth), STEPS);
	for (int i = 0; i < STEPS; i++) {
		ck_assert_uint_eq(strlen(truth_file_field(truth, i)->text), least[_i] + i);
		free((char *)field[i].text);
	}
	truth_file_close(truth);
}
END_TEST

SUITE(context_tree, FIXTURE(begin, end), TEST(images_are_known_again), TEST(images_are_limited),
      TEST(stacks_are_known_again), TEST(recursions_are_known_again),
      TEST(what_counts_is_written_and_what_leads_there), TEST(stacks_far_apart_are_read_back),
      TEST(fields_are_read_back), TIMES(items_of_any_length_are_read_back, 2))
