/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_meet.c - paths that come to one instruction, and which of them are believed
 *
 * All come to f's second byte, from f on. A path is a state (flow_fixture.h), behind marks of its own: "weak",
 * "unsure", "beyond" a call. What is expected is the block: from which byte its path came, marks, and its
 * state; "none" if there is none; "queued": it is followed again. Then how many calls were found not
 * to come back.
 */
#include "tests/suite.h"
#include "flow_fixture.h"
#include "flow_world_fixture.h"
#include "analysis/flow/flow_paths.h"

#define ROWS "	nop\n	nop\n	nop\n	ret\n"

#define PATH(...) .path = { __VA_ARGS__ }

static const struct meet_case {
	const char *rule;
	bool silent; /* the rows say nothing */
	const char *path[3], *expected;
} meet_cases[] = {
	{ "one way", false, PATH("rax=5"), "from 1 queued: rax=5" },
	{ "one that the row doesn't declare", false, PATH("rsp=c-16"),
	  "from 1 queued wrong: rsp=c-16" },
	{ "the same behind a call that may not come back", false, PATH("weak rsp=c-16"),
	  "none, 1 call" },
	{ "the same by a table's entry that may be none", false, PATH("unsure rsp=c-16"), "none" },
	{ "one of those that is right", false, PATH("weak"), "from 1 queued weak: " },
	{ "and the other", false, PATH("unsure"), "from 1 queued unsure: " },
	{ "one that lacks what no rule speaks of", false, PATH("weak rbx=5 rax=rbx"),
	  "from 1 queued weak: rax=rbx rbx=5" },
	{ "two that know the same", false, PATH("rax=5", "rax=5"), "from 1: rax=5" },
	{ "two that know something else", false, PATH("rax=5", "rax=6"), "from 1 queued: rax=!" },
	{ "a surer one that knows the same", false, PATH("weak rax=5", "rax=5"), "from 1: rax=5" },
	{ "a surer one than a table's", false, PATH("unsure rax=5", "rax=5"),
	  "from 1 queued: rax=5" },
	{ "a surer one than what is beyond a call", false, PATH("beyond rax=5", "rax=5"),
	  "from 1 queued: rax=5" },
	{ "a weaker one", false, PATH("rax=5", "weak rax=5"), "from 1: rax=5" },
	{ "a surer one that knows something else", false, PATH("unsure rax=5", "rax=6"),
	  "from 1 queued: rax=!" },
	{ "the row's one replaces another", false, PATH("rsp=c-16 rax=5", "rax=6"),
	  "from 2 queued settled: rax=6" },
	{ "and is not spoiled by it", false, PATH("rax=6", "rsp=c-16 rax=5"), "from 1: rax=6" },
	{ "nor by one behind a call", false, PATH("rax=6", "weak rsp=c-16 rax=5"),
	  "from 1: rax=6, 1 call" },
	{ "two that are wrong", false, PATH("rsp=c-16", "rsp=c-24"), "from 1 queued wrong: rsp=?" },
	{ "two of which the second is unsure", false, PATH("rsp=c-16", "unsure rsp=c-24"),
	  "from 1 wrong: rsp=c-16" },
	{ "one replaces once", false, PATH("rsp=c-16 rax=5", "rax=6", "rax=7"),
	  "from 2 queued settled: rax=!" },
	{ "the row's one after two others", false, PATH("rsp=c-16", "rsp=c-24", ""),
	  "from 3 queued settled: " },
	{ "one that lacks what no rule speaks of joins", false, PATH("rax=rbx", "rbx=5 rax=rbx"),
	  "from 1 queued: rax=rbx rbx=?" },
	{ "one by a table is left out, and what the function does then is not seen", false,
	  PATH("", "unsure rbx=5 rax=rbx"), "from 1:  breaks" },
	/* Where no row says which is right. */
	{ "without a row two join", true, PATH("rsp=c-16", "rsp=c-24"), "from 1 queued: rsp=?" },
	{ "the surer replaces one behind a call", true, PATH("weak rsp=c-16", "rsp=c-24"),
	  "from 2 queued settled: rsp=c-24" },
	{ "the surer replaces one of a table", true, PATH("unsure rsp=c-16", "rsp=c-24"),
	  "from 2 queued settled: rsp=c-24" },
	{ "the surer stays before one behind a call", true, PATH("rsp=c-16", "weak rsp=c-24"),
	  "from 1: rsp=c-16, 1 call" },
	{ "the surer stays before one of a table", true, PATH("rsp=c-16", "unsure rsp=c-24"),
	  "from 1: rsp=c-16" },
	{ "a call's is surer than a table's", true, PATH("unsure rsp=c-16", "weak rsp=c-24"),
	  "from 2 queued weak settled: rsp=c-24" },
	{ "a table's is not surer than a call's", true, PATH("weak rsp=c-16", "unsure rsp=c-24"),
	  "from 1 weak: rsp=c-16" },
	{ "with the same frame they join", true, PATH("weak rax=5", "rax=6"),
	  "from 1 queued: rax=!" },
	{ "once replaced they join", true, PATH("unsure rsp=c-16", "weak rsp=c-24", "rsp=c-32"),
	  "from 2 queued settled: rsp=?" },
	{ "where neither knows where rsp is", true, PATH("weak rsp=? rbp=5", "rsp=? rbp=6"),
	  "from 1 queued: rbp=! rsp=?" },
	{ "with the same frame pointer", true, PATH("weak rsp=c-24 rbp=c-16", "rsp=c-32 rbp=c-16"),
	  "from 1 queued: rbp=c-16 rsp=?" },
	/* Beyond calls. */
	{ "the function's own replaces one beyond a call", true,
	  PATH("beyond rsp=c-16", "rsp=c-24"), "from 2 queued settled: rsp=c-24" },
	{ "and is not met by it", true, PATH("rsp=c-24", "beyond rsp=c-16"), "from 1: rsp=c-24" },
	{ "two beyond calls", true, PATH("beyond rax=5", "beyond rax=6"),
	  "from 1 queued beyond: rax=!" },
	{ "with the same frame it is the function's", true, PATH("beyond rax=5", "rax=6"),
	  "from 1 queued: rax=!" },
};

static struct flow_path way_read(const char **text, uint64_t from)
{
	struct flow_path path = { .from = from };

	for (;; *text += strcspn(*text, " ") + ((*text)[strcspn(*text, " ")] == ' ')) {
		if (!strncmp(*text, "weak", 4))
			path.weak = true;
		else if (!strncmp(*text, "unsure", 6))
			path.unsure = true;
		else if (!strncmp(*text, "beyond", 6))
			path.fallthrough = 1;
		else
			return path;
	}
}

static void block_print(FILE *file, const struct flow *flow)
{
	const struct flow_block *block = flow->block;
	char *state;

	if (!flow->block_count) {
		fprintf(file, "none");
	} else {
		state = state_text(&block->state);
		fprintf(file, "from %" PRIu64 "%s%s%s%s%s%s: %s", block->from - flow->function + 1,
			block->queued ? " queued" : "", block->weak ? " weak" : "",
			block->unsure ? " unsure" : "", block->fallthrough ? " beyond" : "",
			block->begun_wrong ? " wrong" : "", block->settled ? " settled" : "",
			state);
		free(state);
	}
	if (flow->found.breaks_convention)
		fprintf(file, " breaks");
	if (flow->found.calls_not_returning)
		fprintf(file, ", %" PRIu64 " call", flow->found.calls_not_returning);
}

START_TEST(ways_meet)
{
	const struct meet_case *test = &meet_cases[_i];
	static struct followed followed;
	struct flow *flow = &followed.flow;
	struct flow_state state;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	followed_init(&followed, ROWS);
	if (test->silent) {
		flow->fragment[0]->silent = true;
		flow->fragment[0]->row_count = 0;
	}
	flow->after.code = calloc(1, sizeof(*flow->after.code));
	flow->after.count = 1;
	for (uint64_t i = 0; i < 3 && test->path[i]; i++) {
		const char *rest = test->path[i];
		struct flow_path path = way_read(&rest, flow->function + i);

		state_read(&state, rest);
		/* What came before has been followed. */
		if (flow->block_count)
			flow->block[0].queued = false;
		flow->queue_count = 0;
		flow_come(flow, flow->function + 1, &state, &path);
		ck_assert_uint_le(flow->block_count, 1);
		if (flow->block_count)
			ck_assert_uint_eq(flow->queue_count, flow->block[0].queued);
	}
	block_print(file, flow);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s\nexpected: %s", test->rule, text,
		      test->expected);
	free(text);
	followed_deinit(&followed);
}
END_TEST

SUITE(flow_meet, TIMEOUT(300), LOOP(ways_meet, meet_cases))
