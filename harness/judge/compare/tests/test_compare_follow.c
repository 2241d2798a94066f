/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_follow.c - compare --follow-frame-pointers through code that a program has made
 *
 * testprogs/c/jit.c and jit_map.c, built with and without frame pointers, are stepped from
 * beginning to end. In jit_map.c the made code keeps rbp: where it is on the stack the walk must
 * come through, in the kernel as in user space, with each frame that it guessed marked and no
 * other; in jit.c it does not, and what is guessed must never be called complete. Without the
 * policy the walk stops there. Whatever was guessed, the verdict is the CFI's own. Paths hold at
 * the project's root, where tests are run. Where there is no BPF the engine bpf says SKIP, and
 * table is tested alone.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "judge/compare/tests/compared_program.h"
#include "truth/tracer/tests/stepped_program.h"
#include "base/cli/tests/json_facts.h"

#define FLAGS                                                                                      \
	"-O2 -ffreestanding -fno-stack-protector -fasynchronous-unwind-tables -static -nostdlib "
#define CALLED_BACK 2 /* points at least in called_back() */

#define FUNCTIONS(...) .functions = { __VA_ARGS__ }

static const struct follow_case {
	const char *name;
	const char *source, *flags;
	bool follow;
	enum walk_method method;
	/* At each point in called_back(): which frames of the stack are guessed, how it ends */
	const char *marks; /* one for each frame: 'g' guessed */
	uint32_t stop;
	enum match match;
	const char *functions[3]; /* of findings */
} cases[] = {
	{ "followed_through_frame_pointers", "jit_map.c", "-fno-omit-frame-pointer", .follow = true,
	  .method = WALK_METHOD_PROBE, .marks = "..gg..", .stop = STOP_GUESSED,
	  .match = MATCH_EXACT, FUNCTIONS("jit::inner", "jit::outer(long)") },
	{ "by_tail_calls", "jit_map.c", "-fno-omit-frame-pointer", .follow = true,
	  .method = WALK_METHOD_CHAIN, .marks = "..gg..", .stop = STOP_GUESSED,
	  .match = MATCH_EXACT, FUNCTIONS("jit::inner", "jit::outer(long)") },
	/* Only the made code must keep rbp; what calls it and what it calls have CFI. */
	{ "between_code_without_frame_pointers", "jit_map.c", "-fomit-frame-pointer",
	  .follow = true, .method = WALK_METHOD_PROBE, .marks = "..gg..", .stop = STOP_GUESSED,
	  .match = MATCH_EXACT, FUNCTIONS("jit::inner", "jit::outer(long)") },
	{ "not_followed", "jit_map.c", "-fno-omit-frame-pointer", .method = WALK_METHOD_PROBE,
	  .marks = "..", .stop = STOP_NO_MAPPING, .match = MATCH_TRUNCATED,
	  FUNCTIONS("jit::inner", "jit::outer(long)") },
	/* The frame pointer is its caller's: that one is left out, and nothing says so. */
	{ "made_code_without_frame_pointers", "jit.c", "-fno-omit-frame-pointer", .follow = true,
	  .method = WALK_METHOD_PROBE, .marks = "..g.", .stop = STOP_GUESSED, .match = MATCH_WRONG,
	  FUNCTIONS("unmapped") },
};

/* What was seen at the points of one run. */
struct watch {
	const struct follow_case *c;
	uint64_t from, to; /* called_back()'s addresses */
	uint64_t points, by_bpf, unlike, marked_without_policy, complete_guesses;
};

static bool is_marked(const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->count; i++)
		if (stack_is_guessed(stack, i))
			return true;
	return false;
}

static void check_marks(const struct follow_case *c, const struct stack *stack,
			const struct stack *truth)
{
	uint32_t frames;

	ck_assert_msg(stack->count == strlen(c->marks) && stack->stop == c->stop,
		      "%s: %u frames, %s", c->name, stack->count, stop_reason_name(stack->stop));
	for (uint32_t i = 0; i < stack->count; i++)
		ck_assert_msg((c->marks[i] == 'g') == stack_is_guessed(stack, i), "%s: frame %u",
			      c->name, i);
	ck_assert_msg(match_stack(stack, truth, true, &frames) == c->match, "%s: %u frames right",
		      c->name, frames);
}

static void on_evidence(void *context, const struct evidence *evidence)
{
	struct watch *watch = context;
	const struct stack *twin = evidence->followed ? evidence->followed : evidence->table;
	uint64_t pc = evidence->point->stop->regs.value[REGISTER_RIP];

	ck_assert(!evidence->followed == !watch->c->follow);
	watch->marked_without_policy += is_marked(evidence->table);
	watch->complete_guesses += twin->stop == STOP_COMPLETE && is_marked(twin);
	if (evidence->bpf) {
		watch->by_bpf++;
		watch->unlike += !stack_equal(evidence->bpf, twin);
	}
	if (!watch->from) {
		const struct image *image = evidence->point->space->mapping[0].entry->image;
		const struct image_symbol *symbol =
			image_symbol_find(image, image_symbol_address(image, "called_back"));

		ck_assert_ptr_nonnull(symbol);
		watch->from = symbol->pc; /* linked to where it lies */
		watch->to = symbol->pc + symbol->size;
	}
	if (pc < watch->from || pc >= watch->to)
		return;
	watch->points++;
	check_marks(watch->c, twin, evidence->truth);
}

/* ---- the result ------------------------------------------------------------------------- */

static long long number(const json_t *object, const char *one, const char *other)
{
	json_t *value = json_object_get(object, one);

	if (other)
		value = json_object_get(value, other);
	ck_assert_msg(json_is_integer(value), "no %s", one);
	return json_integer_value(value);
}

static void check_score(const struct follow_case *c, const json_t *score)
{
	const char *engine = json_string_value(json_object_get(score, "engine"));
	bool follows = c->follow && (!strcmp(engine, "bpf") || !strcmp(engine, "table"));

	ck_assert_int_eq(number(score, "false_complete", NULL), 0);
	ck_assert(!json_object_get(score, "guessed") == !follows);
	if (!follows)
		return;
	ck_assert_int_eq(number(score, "frames", NULL),
			 number(score, "frames_by_method", "registers") +
				 number(score, "frames_by_method", "cfi") +
				 number(score, "frames_by_method", "frame_pointer"));
	ck_assert_int_eq(number(score, "guessed", "points"),
			 number(score, "guessed", "exact") + number(score, "guessed", "wrong"));
	ck_assert_int_ge(number(score, "guessed", c->match == MATCH_EXACT ? "exact" : "wrong"),
			 CALLED_BACK);
	ck_assert_int_le(number(score, "frames_guessed_right", NULL),
			 number(score, "frames_by_method", "frame_pointer"));
	ck_assert_int_eq(number(score, "stops", "guessed"), number(score, "guessed", "points"));
}

/* A frame that was guessed is marked there, too, and has its function's name. */
static uint64_t check_frames(const json_t *finding)
{
	uint64_t guessed = 0;
	size_t i;
	json_t *frame;

	json_array_foreach(json_object_get(finding, "frames"), i, frame)
	{
		const char *method = json_string_value(json_object_get(frame, "method"));

		ck_assert(!strcmp(method, "registers") == !i);
		guessed += !strcmp(method, "frame_pointer");
		ck_assert(*json_string_value(json_object_get(frame, "function")));
	}
	return guessed;
}

static void check_finding(const struct follow_case *c, const json_t *finding, bool found[])
{
	const char *function = json_string_value(json_object_get(finding, "function"));
	bool known = false;

	ck_assert_str_eq(json_string_value(json_object_get(finding, "verdict")), "table_fault");
	ck_assert_str_eq(json_string_value(json_object_get(finding, "kind")), "missing");
	for (int i = 0; i < COUNT(c->functions) && c->functions[i]; i++)
		if (!strcmp(function, c->functions[i]))
			known = found[i] = true;
	ck_assert_msg(known, "%s: %s", c->name, function);
	ck_assert(!json_object_get(finding, "frames") == !c->follow);
	if (c->follow)
		ck_assert_uint_ge(check_frames(finding), 1);
}

static void check_json(const struct follow_case *c, const struct comparison *comparison)
{
	bool found[COUNT(c->functions)] = { false };
	json_t *lines = json_lines(PRINTED(file, compare_print_json(file, c->source, comparison))),
	       *object;
	size_t line;

	json_array_foreach(lines, line, object)
	{
		const char *type = json_string_value(json_object_get(object, "type"));

		if (!strcmp(type, "score"))
			check_score(c, object);
		else if (!strcmp(type, "finding"))
			check_finding(c, object, found);
	}
	json_decref(lines);
	for (int i = 0; i < COUNT(c->functions) && c->functions[i]; i++)
		ck_assert_msg(found[i], "%s: no finding at %s", c->name, c->functions[i]);
}

static void check_result(const struct follow_case *c, const struct comparison *comparison,
			 const struct watch *watch)
{
	const uint64_t *verdict = comparison->verdict;

	ck_assert_int_eq(comparison->status, 0);
	ck_assert_uint_ge(watch->points, CALLED_BACK);
	ck_assert_uint_eq(watch->unlike, 0);
	ck_assert_uint_eq(watch->marked_without_policy, 0);
	ck_assert_uint_eq(watch->complete_guesses, 0);
	/* The CFI is missing there, whoever guessed what. */
	ck_assert_uint_eq(comparison->points,
			  verdict[VERDICT_EXACT] + verdict[VERDICT_TABLE_FAULT]);
	ck_assert_uint_eq(verdict[VERDICT_TABLE_FAULT], comparison->missing);
	ck_assert_uint_eq(comparison->missing, comparison->uncovered);
	ck_assert_uint_ge(comparison->missing, 2 * CALLED_BACK);
	if (comparison->engine[2].skipped)
		printf("SKIP: %s\n", comparison->engine[2].skip.message);
	else
		ck_assert_uint_gt(watch->by_bpf, comparison->points / 2);
}

START_TEST(through_made_code)
{
	const struct follow_case *c = &cases[_i];
	struct watch watch = { .c = c };
	const struct compare_options options = {
		.engine = { &engine_cfi, &engine_table, &engine_bpf },
		.engine_count = 3,
		.method = c->method,
		.follow_frame_pointers = c->follow,
		.on_evidence = on_evidence,
		.context = &watch,
	};
	struct comparison comparison;

	if (shell("gcc-12 " FLAGS "%s -o %s testprogs/c/%s 2>/dev/null", c->flags, program,
		  c->source)) {
		printf("SKIP: no gcc-12, or testprogs/c/%s is not here\n", c->source);
		return;
	}
	compare_program(&options, NULL, &comparison);
	check_result(c, &comparison, &watch);
	check_json(c, &comparison);
	comparison_deinit(&comparison);
}
END_TEST

/* A chain of frame pointers whose return address is the truth's but for the top bit: what is no
 * address. */
static const char no_address[] = START "lea rbp, chain[rip]\nmov rax, [rbp]\ncall f\nback: " EXIT F
				       "nop\nnop\nret\n" END_F
				       ".data\nchain: .quad 0, back + 0x8000000000000000\n";

START_TEST(what_is_no_address_is_no_mark)
{
	const struct compare_options options = {
		.engine = { &engine_cfi, &engine_table, &engine_fp, &engine_bpf },
		.engine_count = 4,
		.follow_frame_pointers = _i,
	};
	struct comparison comparison;

	make_of(program, "-static -nostdlib", no_address);
	compare_program(&options, NULL, &comparison);
	ck_assert_uint_eq(comparison.verdict[VERDICT_EXACT], comparison.points);
	for (size_t i = 0; i < comparison.engine_count; i++)
		ck_assert_uint_eq(comparison.engine[i].score.guesses.frames, 0);
	if (comparison.engine[2].skipped)
		printf("SKIP: %s\n", comparison.engine[2].skip.message);
	else /* in f(), and nowhere is that frame right */
		ck_assert_uint_ge(comparison.engine[2].score.match[MATCH_WRONG], 3);
	comparison_deinit(&comparison);
}
END_TEST

SUITE(compare_follow, FIXTURE(program_begin, folder_remove), LOOP(through_made_code, cases),
      TIMES(what_is_no_address_is_no_mark, 2))
