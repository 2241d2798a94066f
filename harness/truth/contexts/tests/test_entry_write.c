/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_entry_write.c - kernel entries that are written are read again, while the file grows, too
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth/contexts/entry_write.h"

static char path[] = "/tmp/stackproof-entries-XXXXXX";
static struct context_tree tree;
static struct entry_writer *writer;
static struct error error;

static void begin(void)
{
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	close(mkstemp(path));
	ck_assert(!context_tree_init(&tree, &error));
	ck_assert_msg(!entry_writer_open(path, &writer, &error), "%s", error.message);
}

static void end(void)
{
	context_tree_deinit(&tree);
	unlink(path);
}

/* The node of such a stack, outermost first; it ends with 0. */
static uint32_t node_of(const char *image, const uint64_t *address)
{
	const struct truth_image file = { .kind = TRUTH_IMAGE_FILE, .path = image };
	struct truth_frame frame;
	uint32_t node = CONTEXT_ROOT_WHOLE;

	ck_assert(!context_tree_image(&tree, &file, &frame.image, &error));
	for (; *address; address++) {
		frame.address = *address;
		ck_assert(!context_tree_child(&tree, node, &frame, &node, &error));
	}
	return node;
}

#define STACK(...) ((const uint64_t[]) { __VA_ARGS__, 0 })

static void enter(pid_t tid, uint64_t stack, uint64_t time_ns, uint32_t node, unsigned int flags)
{
	const struct context_entry entry = { .tid = tid,
					     .stack = stack,
					     .time_ns = time_ns,
					     .pc = tree.node[node].address + 0x10000,
					     .node = node,
					     .flags = flags };

	entry_write(writer, &tree, &entry);
}

static struct truth_file *read_back(void)
{
	struct truth_file *file;

	ck_assert_msg(!truth_file_open(path, &file, &error), "%s", error.message);
	ck_assert(truth_file_has_entries(file));
	return file;
}

/* "7 300 0x2010 < 0x1000 /b": thread, time, the stack's addresses, its innermost image. */
static void say(const struct truth_file *file, size_t index, char *text)
{
	const struct truth_entry *entry = truth_file_entry(file, index);
	const struct truth_node *node = truth_file_node(file, entry->node);

	text += sprintf(text, "%d %lu pc %lx%s%s", entry->tid, (unsigned long)entry->time_ns,
			(unsigned long)entry->pc, entry->flags & TRUTH_ENTRY_DOUBT ? " doubt" : "",
			entry->flags & TRUTH_ENTRY_AFTER ? " after" : "");
	for (const struct truth_node *at = node; at->depth; at = truth_file_node(file, at->parent))
		text += sprintf(text, " %lx", (unsigned long)at->address);
	sprintf(text, " %s", truth_file_image(file, node->image)->path);
}

static void expect(const struct truth_file *file, size_t index, const char *want)
{
	char text[200];

	say(file, index, text);
	ck_assert_str_eq(text, want);
}

START_TEST(what_is_written_is_read)
{
	struct truth_file *file;

	entry_write_field(writer, "program", "/first", 0);
	entry_write_field(writer, "argument", "a", 0);
	entry_write_field(writer, "argument", "b", 0);
	enter(7, 1, 1000, node_of("/b", STACK(0x300, 0x100)), 0);
	enter(7, 1, 900, node_of("/b", STACK(0x200, 0x900)), TRUTH_ENTRY_AFTER);
	enter(8, 2, 1ull << 50, node_of("/a", STACK(0x200)), TRUTH_ENTRY_DOUBT);
	enter(7, 3, 1001, node_of("/b", STACK(0x300, 0x100)), 0);
	entry_write_field(writer, "program", "/second", 0);
	ck_assert(!entry_writer_close(writer, true, &error));
	file = read_back();
	ck_assert_uint_eq(truth_file_entry_count(file), 4);
	expect(file, 0, "7 1000 pc 10100 100 300 /b");
	expect(file, 1, "7 900 pc 10900 after 900 200 /b");
	expect(file, 2, "8 1125899906842624 pc 10200 doubt 200 /a");
	expect(file, 3, "7 1001 pc 10100 100 300 /b");
	ck_assert_ptr_null(truth_file_partial(file));
	ck_assert_str_eq(truth_file_text(file, "program"), "/second");
	ck_assert_uint_eq(truth_file_number(file, "points"), 4);
	ck_assert_uint_eq(truth_file_number(file, "unproven"), 1);
	ck_assert_uint_eq(truth_file_field_count(file), 3 + 4);
	/* Siblings ascend by image, then by address; a node counts its entries. */
	ck_assert_uint_eq(truth_file_node_count(file), 2 + 5);
	ck_assert_uint_eq(truth_file_node(file, 1)->address, 0x200);
	ck_assert_uint_eq(truth_file_node(file, 3)->points, 0);
	ck_assert_uint_eq(truth_file_node(file, truth_file_entry(file, 3)->node)->points, 2);
	ck_assert_uint_eq(truth_file_node(file, truth_file_entry(file, 2)->node)->unproven, 1);
	truth_file_close(file);
}
END_TEST

START_TEST(withdrawn_entries_are_in_doubt)
{
	uint32_t node = node_of("/b", STACK(0x300));
	struct truth_file *file;

	for (pid_t tid = 1; tid <= 2; tid++)
		for (uint64_t stack = 1; stack <= 3; stack++)
			enter(tid, stack, stack, node, 0);
	entry_withdraw(writer, 2, 1, 3);
	enter(2, 3, 4, node, 0);
	ck_assert(!entry_writer_close(writer, true, &error));
	file = read_back();
	for (size_t i = 0; i < 7; i++)
		ck_assert_int_eq(truth_file_entry(file, i)->flags & TRUTH_ENTRY_DOUBT,
				 i == 3 || i == 5);
	ck_assert_uint_eq(truth_file_node(file, 1)->points, 5);
	ck_assert_uint_eq(truth_file_node(file, 1)->unproven, 2);
	truth_file_close(file);
}
END_TEST

START_TEST(interrupting_frames_are_known_late)
{
	uint32_t node = node_of("/b", STACK(0x300, 0x200));
	struct truth_file *file;

	enter(1, 1, 1, node, 0);
	tree.node[node].interrupts = true;
	enter(1, 1, 2, node, 0);
	ck_assert(!entry_writer_close(writer, true, &error));
	file = read_back();
	ck_assert(truth_file_node(file, 2)->interrupts);
	ck_assert(!truth_file_node(file, 1)->interrupts);
	truth_file_close(file);
}
END_TEST

/* Cut off anywhere, it has what was there at a checkpoint, and says that it is not whole. */
START_TEST(it_is_read_while_it_grows)
{
	struct truth_file *file;
	struct stat status;
	size_t last = 0;

	for (uint64_t i = 1; i <= 10; i++) {
		enter(1, 1, i, node_of("/b", STACK(0x300, 0x200 + i)), 0);
		entry_checkpoint(writer);
		file = read_back();
		ck_assert_uint_eq(truth_file_entry_count(file), i);
		ck_assert_str_eq(truth_file_partial(file), "unfinished");
		truth_file_close(file);
	}
	ck_assert(!entry_writer_close(writer, true, &error));
	ck_assert(!stat(path, &status));
	for (off_t size = (off_t)strlen(TRUTH_ENTRIES_MAGIC); size <= status.st_size; size++) {
		char copy[] = "/tmp/stackproof-cut-XXXXXX", bytes[4096];
		int from = open(path, O_RDONLY), to = mkstemp(copy);

		ck_assert_int_eq(read(from, bytes, (size_t)size), size);
		ck_assert_int_eq(write(to, bytes, (size_t)size), size);
		ck_assert_msg(!truth_file_open(copy, &file, &error), "%ld: %s", (long)size,
			      error.message);
		ck_assert_int_eq(!truth_file_partial(file), size == status.st_size);
		ck_assert_uint_ge(truth_file_entry_count(file), last);
		last = truth_file_entry_count(file);
		truth_file_close(file);
		close(from);
		close(to);
		unlink(copy);
	}
	ck_assert_uint_eq(last, 10);
}
END_TEST

/* Damage before a checkpoint is never taken for entries. */
START_TEST(damage_is_seen)
{
	uint8_t bytes[4096], copy[4096];
	struct truth_file *file;
	size_t size;
	FILE *stream;

	enter(1, 1, 5, node_of("/b", STACK(0x300, 0x200)), 0);
	enter(1, 1, 9, node_of("/b", STACK(0x300, 0x208)), 0);
	ck_assert(!entry_writer_close(writer, true, &error));
	stream = fopen(path, "r");
	size = fread(bytes, 1, sizeof(bytes), stream);
	fclose(stream);
	for (size_t at = 0; at < 8 * size; at++) {
		memcpy(copy, bytes, size);
		copy[at / 8] ^= 1 << at % 8;
		if (truth_file_create(copy, size, &file, &error))
			continue;
		/* Where the end is not seen as such, it is a file that still grows: what is before a checkpoint is right. */
		ck_assert_str_eq(truth_file_partial(file), "unfinished");
		ck_assert_uint_le(truth_file_entry_count(file), 1);
		if (truth_file_entry_count(file))
			expect(file, 0, "1 5 pc 10200 200 300 /b");
		truth_file_close(file);
	}
}
END_TEST

SUITE(entry_write, FIXTURE(begin, end), TEST(what_is_written_is_read),
      TEST(withdrawn_entries_are_in_doubt), TEST(interrupting_frames_are_known_late),
      TEST(it_is_read_while_it_grows), TEST(damage_is_seen))
