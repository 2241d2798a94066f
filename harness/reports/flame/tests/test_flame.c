/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flame.c - stacks as functions, as a tree, and on a page; hostile names
 */
#include <stdlib.h>
#include "reports/flame/flame.h"
#include "reports/report/tests/html_check.h"
#include "tests/printed.h"
#include "tests/suite.h"

static struct error error;

static uint32_t name(struct flame *flame, const char *text)
{
	enum flame_kind kind = text[0] == '[' ? FLAME_MARKER : FLAME_USER;
	uint32_t number = flame_name(flame, text, kind, &error);

	ck_assert_uint_ne(number, UINT32_MAX);
	return number;
}

/* frames: one letter each, outermost first; '[' is a marker. */
static void add(struct flame *flame, const char *group, const char *frames, uint64_t value)
{
	uint32_t names[16], count = 0, number = flame_group(flame, group, "", &error);

	for (; *frames; frames++)
		names[count++] = name(flame, (char[]) { *frames, 0 });
	ck_assert_int_eq(flame_add(flame, number, names, count, value, &error), 0);
}

static const char *node_text(const struct flame *flame, const struct flame_node *node)
{
	if (!node->name)
		return "others";
	return flame_text(flame, node->depth == 1 ? flame->group[node->name].name : node->name);
}

static void check_nodes(const char *what, const struct flame *flame, const char *expected,
			uint64_t left_out)
{
	struct flame_nodes nodes;
	char *text;

	ck_assert_int_eq(flame_nodes(flame, &nodes, &error), 0);
	text = PRINTED(file, for (size_t i = 0; i < nodes.nodes; i++)
				     fprintf(file, "%u %s %lu\n", nodes.node[i].depth,
					     node_text(flame, &nodes.node[i]),
					     (unsigned long)nodes.node[i].value));
	check_printed(what, text, expected);
	ck_assert_uint_eq(nodes.left_out, left_out);
	free(nodes.node);
}

START_TEST(stacks_are_a_tree_the_widest_first)
{
	struct flame flame = { 0 };

	add(&flame, "p", "ab", 1);
	add(&flame, "q", "a", 2);
	add(&flame, "p", "ac", 3);
	add(&flame, "p", "ab", 1);
	add(&flame, "p", "a", 4);
	check_nodes("tree", &flame, "1 p 9\n2 a 9\n3 c 3\n3 b 2\n1 q 2\n2 a 2\n", 0);
	flame_deinit(&flame);
}
END_TEST

START_TEST(narrow_frames_are_one_and_counted)
{
	struct flame flame = { 0 };

	add(&flame, "p", "a", 10000);
	add(&flame, "p", "abcd", 1); /* three frames are narrow */
	add(&flame, "p", "abce", 1); /* one more, b and c are there */
	add(&flame, "p", "af", 1);
	add(&flame, "p", "a[", 1); /* what is missing is seen, however little it is */
	check_nodes("narrow", &flame, "1 p 10004\n2 a 10004\n3 [ 1\n3 others 3\n", 5);
	flame_deinit(&flame);
}
END_TEST

START_TEST(recursion_counts_once)
{
	struct flame flame = { 0 };
	struct flame_row *rows;
	size_t count;

	add(&flame, "p", "aba", 3);
	add(&flame, "q", "ab", 2);
	ck_assert_int_eq(flame_rows(&flame, true, &rows, &count, &error), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(flame_text(&flame, rows[0].name), "a");
	ck_assert_uint_eq(rows[0].self, 3);
	ck_assert_uint_eq(rows[0].total, 5);
	ck_assert_uint_eq(rows[1].self, 2);
	ck_assert_uint_eq(rows[1].total, 5);
	free(rows);
	ck_assert_int_eq(flame_rows(&flame, false, &rows, &count, &error), 0);
	ck_assert_uint_eq(count, 4);
	free(rows);
	flame_deinit(&flame);
}
END_TEST

START_TEST(sums_have_63_bits)
{
	struct flame flame = { 0 };
	uint32_t a = name(&flame, "a");

	ck_assert_int_eq(flame_add(&flame, 1, &a, 1, INT64_MAX, &error), 0);
	ck_assert_int_eq(flame_add(&flame, 1, &a, 1, 1, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	ck_assert_uint_eq(flame.stacks, 1);
	flame_deinit(&flame);
}
END_TEST

static char *print_page(const struct flame *flame)
{
	char *page = PRINTED(file, flame_page_begin(file, "title"));
	char *graph = PRINTED(
		file,
		ck_assert_int_eq(flame_graph_print(flame, "ticks", "process", file, &error), 0));
	char *whole = PRINTED(file, fprintf(file, "%s%s</main>\n</body>\n</html>\n", page, graph));

	free(page);
	free(graph);
	return whole;
}

static const char *const hostile[] = {
	"</script><script>alert(1)</script>",
	"<!--<script>",
	"\"]}</SCRIPT >",
	"\x1b[31mred\x1b]0;title\x07",
	"\xff\xfe not UTF-8",
	"\xe2\x80\xae reversed",
	"\\u003c/script>&amp;'\"",
};

START_TEST(hostile_names_stay_names)
{
	struct flame flame = { 0 };
	uint32_t number = flame_name(&flame, hostile[_i], FLAME_USER, &error);
	uint32_t group = flame_group(&flame, hostile[_i], hostile[_i], &error);
	char *page, *data;

	ck_assert_int_eq(flame_add(&flame, group, &number, 1, 1, &error), 0);
	page = print_page(&flame);
	html_check(page);
	for (const char *at = page; *at; at++)
		ck_assert_msg((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t',
			      "a control character: %.40s", at);
	data = strstr(page, "id=\"flame-data\">");
	ck_assert_ptr_nonnull(data);
	data = strchr(data, '>') + 1;
	ck_assert_msg(!strncmp(strchr(data, '<'), "</script>\n<script>", 18), "%.80s",
		      strchr(data, '<'));
	ck_assert_ptr_null(strstr(page, "<script>alert"));
	ck_assert_ptr_null(strstr(page, "\xff"));
	free(page);
	flame_deinit(&flame);
}
END_TEST

START_TEST(one_script_may_run)
{
	struct flame flame = { 0 };
	char *page;

	add(&flame, "p", "ab", 1);
	page = print_page(&flame);
	ck_assert_uint_gt(html_check(page), 40);
	ck_assert_ptr_nonnull(strstr(page, "default-src 'none'; style-src 'unsafe-inline'; "
					   "script-src 'sha256-"));
	ck_assert_ptr_null(strstr(page, "http:"));
	ck_assert_ptr_null(strstr(page, "https:"));
	free(page);
	flame_deinit(&flame);
}
END_TEST

SUITE(flame, TEST(stacks_are_a_tree_the_widest_first), TEST(narrow_frames_are_one_and_counted),
      TEST(recursion_counts_once), TEST(sums_have_63_bits), LOOP(hostile_names_stay_names, hostile),
      TEST(one_script_may_run))
