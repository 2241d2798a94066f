/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_jump.c - jump tables, and where they end
 *
 * f has four bytes, and behind it lie g, another function, and h, a part of one. A case is the table t, and what
 * is asked of it: where it begins behind t, how many entries a comparison allows, and "said" if it was one of
 * the index. What is said of the last are targets by their distance from f, "sure" if there are no others,
 * and "guessed" if it may end elsewhere.
 */
#include "flow_fixture.h"
#include "flow_world_fixture.h"

#define CODE                                                                                       \
	".Lf:	nop\n	nop\n	nop\n	ret\n	.cfi_endproc\n"                                              \
	"g:	.cfi_startproc\n	nop\n	nop\n	nop\n	ret\n	.cfi_endproc\n"                               \
	"h:	.cfi_startproc\n	.cfi_def_cfa_offset 16\n	nop\n	nop\n	nop\n	"                          \
	"ret\n"
#define TABLE(entries) CODE "	.section .tables, \"ax\"\nt:	.long " entries "\n	.text\n"

struct asked {
	int behind;
	uint32_t bound;
	bool said;
};

static const struct jump_case {
	const char *rule, *assembly;
	struct asked asked[3];
	size_t count;
	const char *expected;
} jump_cases[] = {
	{ "a comparison says how many there are",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf-t"),
	  { { 0, 2, true } },
	  1,
	  "0 1 2 sure" },
	{ "without one it is a guess",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t"),
	  { { 0, 2, false } },
	  1,
	  "0 1 2 guessed" },
	{ "a guess ends with an entry that leaves the function",
	  TABLE(".Lf-t, h-t, .Lf+1-t"),
	  { { 0, 2, false } },
	  1,
	  "0 guessed" },
	{ "what was said does not, but for another part",
	  TABLE(".Lf-t, h-t, .Lf+1-t"),
	  { { 0, 2, true } },
	  1,
	  "0 8 1 sure guessed" },
	{ "nor inside of a part that begins with a frame",
	  TABLE(".Lf-t, h+1-t, .Lf+1-t"),
	  { { 0, 2, true } },
	  1,
	  "0 9 1 sure guessed" },
	{ "but inside of a function: the comparison was another one",
	  TABLE(".Lf-t, g+1-t, .Lf+1-t"),
	  { { 0, 2, true } },
	  1,
	  "0 guessed" },
	{ "the function's end is where nothing goes",
	  TABLE(".Lf-t, .Lf+4-t, .Lf+1-t"),
	  { { 0, 2, false } },
	  1,
	  "0 1 guessed" },
	{ "even where it was said",
	  TABLE(".Lf+1-t, .Lf+4-t, .Lf-t"),
	  { { 0, 2, true } },
	  1,
	  "1 0 sure" },
	{ "another table begins before",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf+3-t"),
	  { { 8, 1, true }, { 0, 3, true } },
	  2,
	  "0 1" },
	{ "the first of those that do",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf+3-t"),
	  { { 12, 0, true }, { 4, 0, true }, { 0, 3, true } },
	  3,
	  "0" },
	{ "one that was read beyond where this one begins",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"),
	  { { 0, 3, true }, { 8, 1, true } },
	  2,
	  "2 3 sure guessed" },
	{ "one that ends there",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"),
	  { { 0, 1, true }, { 8, 1, true } },
	  2,
	  "2 3 sure" },
	{ "one that is longer where it is met again",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"),
	  { { 0, 1, true }, { 0, 3, true }, { 8, 1, true } },
	  3,
	  "2 3 sure guessed" },
	{ "one that is shorter then",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"),
	  { { 0, 3, true }, { 0, 1, true }, { 8, 1, true } },
	  3,
	  "2 3 sure guessed" },
	{ "the table itself, met again",
	  TABLE(".Lf-t, .Lf+1-t"),
	  { { 0, 1, true }, { 0, 1, true } },
	  2,
	  "0 1 sure" },
};

static const struct code jump = { .flow = CODE_JUMP_INDIRECT, .source = REGISTER_RAX };

START_TEST(a_table_has_targets)
{
	const struct jump_case *test = &jump_cases[_i];
	static struct followed followed;
	struct flow_state state;
	uint64_t table, target[16];
	size_t count = 0, size;
	bool sure = false;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	followed_init(&followed, test->assembly);
	table = image_symbol_address(followed.assembled.image, "t");
	state_read(&state, "");
	for (size_t i = 0; i < test->count; i++) {
		const struct asked *asked = &test->asked[i];

		state.reg[REGISTER_RAX] = (struct value) { VALUE_TARGET,
							   0,
							   4,
							   asked->said,
							   asked->bound,
							   (int64_t)table + asked->behind };
		followed.flow.guessed_end = false;
		count = flow_jump_targets(&followed.flow, &state, &jump, target, &sure);
	}
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s%" PRId64, i ? " " : "",
			(int64_t)(target[i] - followed.flow.function));
	fprintf(file, "%s%s", sure ? " sure" : "", followed.flow.guessed_end ? " guessed" : "");
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s\nexpected: %s", test->rule, text,
		      test->expected);
	free(text);
	followed_deinit(&followed);
}
END_TEST

START_TEST(a_jump_without_a_table)
{
	static struct followed followed;
	struct flow_state state;
	uint64_t target[2] = { 0, 0 };
	bool sure;

	followed_init(&followed, TABLE(".Lf-t, .Lf+0x100000-t, .Lf-t"));
	state_read(&state, "rax=4096");
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, target, &sure), 1);
	ck_assert_uint_eq(target[0], 4096);
	ck_assert(sure);
	state_read(&state, "rax=?");
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, target, &sure), 0);
	state_read(&state, "rax=j8@4096:1"); /* the loader would write them */
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, target, &sure), 0);
	ck_assert(!followed.flow.met_table);
	/* Not all of them lie in FDEs. */
	state.reg[REGISTER_RAX] = (struct value) {
		VALUE_TARGET, 0, 4,
		true,	      1, (int64_t)image_symbol_address(followed.assembled.image, "t")
	};
	ck_assert_uint_eq(flow_jump_known(&followed.flow, &jump, &state, &sure), 0);
	ck_assert(followed.flow.met_table);
	state.reg[REGISTER_RAX].bound = 0;
	ck_assert_uint_eq(flow_jump_known(&followed.flow, &jump, &state, &sure), 1);
	followed_deinit(&followed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flow_jump");
	TCase *tables = tcase_create("tables");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tables, 60);
	tcase_add_loop_test(tables, a_table_has_targets, 0,
			    (int)(sizeof(jump_cases) / sizeof(jump_cases[0])));
	tcase_add_test(tables, a_jump_without_a_table);
	suite_add_tcase(suite, tables);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
