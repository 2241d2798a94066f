/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_witness.c - reports -> the functions that are open; and faults planted in a truth, each
 * noticed
 */
#include "tests/suite.h"
#include "witness_fixture.h"

/* ---- reports ---------------------------------------------------------------------------- */

#define EVENTS(...) .event = { __VA_ARGS__ }
#define OPEN(...)   .open = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct witness_event event[12];
	uint64_t open[6]; /* slots, the outermost first; up to the first 0 */
	enum witness_difference_kind last;
} cases[] = {
	{ "calls_open", EVENTS(MAIN_CALLED, OUTER_CALLED, INNER_CALLED), OPEN(0xf00, 0xe00, 0xd00),
	  WITNESS_AGREES },
	{ "what_exits_is_open_until_the_next_report",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20)),
	  OPEN(0xf00, 0xe00), WITNESS_AGREES },
	{ "what_has_exited_is_left_though_the_next_is_called_from_further_down",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
		 CALLED(0xc00, INNER, LIBRARY, 0)),
	  OPEN(0xf00, 0xc00), WITNESS_AGREES },
	{ "an_exit_by_a_jump_to_the_hook",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, JUMP_TO_EXIT(0xe00, OUTER, MAIN + 0x20, 0xef8),
		 CALLED(0xc00, INNER, LIBRARY, 0)),
	  OPEN(0xf00, 0xc00), WITNESS_AGREES },
	{ "an_exit_by_a_jump_behind_what_was_left_unsaid",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, INNER_CALLED,
		 JUMP_TO_EXIT(0xe00, OUTER, MAIN + 0x20, 0xef8)),
	  OPEN(0xf00, 0xe00), WITNESS_AGREES },
	{ "a_tail_call_takes_the_slot",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, CALLED(0xe00, INNER, MAIN + 0x20, 0xef8)),
	  OPEN(0xf00, 0xe00), WITNESS_AGREES },
	{ "a_call_above_has_left_what_is_below",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, INNER_CALLED, CALLED(0xe80, OUTER, LIBRARY, 0)),
	  OPEN(0xf00, 0xe80), WITNESS_AGREES },
	{ "after_longjmp_the_callers_base_tells",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, INNER_CALLED, CALLED(0xb00, INNER, MAIN + 0x30, 0xef8)),
	  OPEN(0xf00, 0xb00), WITNESS_AGREES },
	{ "after_longjmp_to_a_recursive_caller_the_base_tells",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, CALLED(0xd00, OUTER, OUTER + 0x20, 0xdf8),
		 CALLED(0xb00, INNER, OUTER + 0x30, 0xdf8)),
	  OPEN(0xf00, 0xe00, 0xb00), WITNESS_AGREES },
	{ "after_longjmp_an_exit_tells",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, INNER_CALLED,
		 EXIT(0xa00, MAIN, 0xef8, MAIN, LIBRARY + 0x10)),
	  OPEN(0xf00), WITNESS_AGREES },
	{ "a_slot_left_by_longjmp_is_no_jump_to_the_hook",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, EXIT(0xe00, MAIN, 0xef8, MAIN, LIBRARY + 0x10)),
	  OPEN(0xf00), WITNESS_AGREES },
	{ "a_realigned_callers_base_is_below_its_slot",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, CALLED(0xd00, INNER, OUTER + 0x20, 0xdd0)),
	  OPEN(0xf00, 0xe00, 0xd00), WITNESS_AGREES },
	{ "an_exception_goes_on_from_what_has_exited",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
		 RESUME(0xd80, OUTER, 0xdf8), CALLED(0xc00, INNER, LIBRARY, 0)),
	  OPEN(0xf00, 0xe00, 0xc00), WITNESS_AGREES },
	{ "who_exits_before_its_last_call_is_there_when_that_is_no_jump",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
		 INNER_CALLED),
	  OPEN(0xf00, 0xe00, 0xd00), WITNESS_AGREES },
	{ "an_inlined_function_has_its_hosts_slot",
	  EVENTS(MAIN_CALLED, ENTER(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10)), OPEN(0xf00, 0xf00),
	  WITNESS_AGREES },
	{ "an_inlined_functions_exit_leaves_the_host",
	  EVENTS(MAIN_CALLED, ENTER(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10),
		 EXIT(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10), OUTER_CALLED),
	  OPEN(0xf00, 0xe00), WITNESS_AGREES },
	{ "a_function_may_be_inlined_in_itself",
	  EVENTS(MAIN_CALLED, ENTER(0xe80, MAIN, 0xef8, MAIN, LIBRARY + 0x10)), OPEN(0xf00, 0xf00),
	  WITNESS_AGREES },
	{ "an_enter_of_whom_the_log_has_not_open",
	  EVENTS(ENTER(0xe80, MAIN, 0xef8, MAIN, LIBRARY + 0x10)), .last = WITNESS_LOG },
	{ "a_clone_reports_its_sources_function",
	  EVENTS(MAIN_CALLED, ENTRY(0xe00, CLONE, MAIN + 0x20, 0xef8),
		 ENTER(0xd80, CLONE, 0xdf8, INNER, MAIN + 0x20)),
	  OPEN(0xf00, 0xe00), WITNESS_AGREES },
	{ "a_cold_part_is_the_function",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, CALLED(0xd00, INNER, 0x5020, 0xdf8)),
	  OPEN(0xf00, 0xe00, 0xd00), WITNESS_AGREES },
	{ "who_is_never_entered_is_as_if_not_instrumented",
	  EVENTS(MAIN_CALLED, ENTRY(0xe00, OUTER, MAIN + 0x20, 0xef8), INNER_CALLED),
	  OPEN(0xf00, 0xd00), WITNESS_AGREES },
	{ "a_handler_leaves_what_it_interrupted_open",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, HANDLER_ENTRY(0xa00, OUTER + 0x40, 0xd80, 0, 0)),
	  OPEN(0xf00, 0xe00, 0xa00), WITNESS_AGREES },
	{ "a_handler_between_an_entry_and_its_enter",
	  EVENTS(MAIN_CALLED, ENTRY(0xe00, OUTER, MAIN + 0x20, 0xef8),
		 HANDLER_ENTRY(0xa00, OUTER + 6, 0xe00, 0, 0)),
	  OPEN(0xf00, 0xe00, 0xa00), WITNESS_AGREES },
	{ "a_handler_before_an_exited_function_returns",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
		 HANDLER_ENTRY(0xa00, OUTER + 0xf4, 0xd80, 0, 0)),
	  OPEN(0xf00, 0xe00, 0xa00), WITNESS_AGREES },
	{ "a_handler_after_an_exited_function_returned",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
		 HANDLER_ENTRY(0xa00, MAIN + 0x30, 0xd80, 0, 0)),
	  OPEN(0xf00, 0xa00), WITNESS_AGREES },
	{ "an_alternate_stack_above_leaves_nothing",
	  EVENTS(MAIN_CALLED, OUTER_CALLED,
		 HANDLER_ENTRY(0x5800, OUTER + 0x40, 0xd80, 0x5000, 0x6000),
		 ENTER(0x5700, HANDLER, 0x57f8, HANDLER, RESTORER),
		 CALLED(0x5600, INNER, HANDLER + 0x20, 0x57f8)),
	  OPEN(0xf00, 0xe00, 0x5800, 0x5600), WITNESS_AGREES },
	{ "who_comes_from_outside_has_left_the_alternate_stack",
	  EVENTS(MAIN_CALLED, OUTER_CALLED,
		 HANDLER_ENTRY(0x5800, OUTER + 0x40, 0xd80, 0x5000, 0x6000),
		 ENTER(0x5700, HANDLER, 0x57f8, HANDLER, RESTORER), INNER_CALLED),
	  OPEN(0xf00, 0xe00, 0xd00), WITNESS_AGREES },
	{ "another_stack_has_a_list_of_its_own",
	  EVENTS(MAIN_CALLED, CHANGE(0xe80, MAIN, 0xef8, 1, 2, 1),
		 CALLED(0x700, OUTER, LIBRARY, 0)),
	  OPEN(0x700), WITNESS_AGREES },
	{ "who_comes_back_finds_what_was_open",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, CHANGE(0xd80, OUTER, 0xdf8, 1, 2, 1),
		 CALLED(0x700, OUTER, LIBRARY, 0), CHANGE(0x680, OUTER, 0x6f8, 2, 1, 0),
		 INNER_CALLED),
	  OPEN(0xf00, 0xe00, 0xd00), WITNESS_AGREES },
	{ "and_so_does_who_comes_back_there",
	  EVENTS(MAIN_CALLED, CHANGE(0xe80, MAIN, 0xef8, 1, 2, 1), CALLED(0x700, OUTER, LIBRARY, 0),
		 CHANGE(0x680, OUTER, 0x6f8, 2, 1, 0), CHANGE(0xe80, MAIN, 0xef8, 1, 2, 0),
		 CALLED(0x600, INNER, OUTER + 0x40, 0x6f8)),
	  OPEN(0x700, 0x600), WITNESS_AGREES },
	{ "behind_the_outermost_function_it_goes_on_in_the_linked_one",
	  EVENTS(MAIN_CALLED, CHANGE(0xe80, MAIN, 0xef8, 1, 2, 1), CALLED(0x700, OUTER, LIBRARY, 0),
		 EXIT(0x680, OUTER, 0x6f8, OUTER, LIBRARY), OUTER_CALLED),
	  OPEN(0xf00, 0xe00), WITNESS_AGREES },
	{ "a_change_by_whom_the_log_has_not_open",
	  EVENTS(MAIN_CALLED, CALLED(0xe00, OUTER, MAIN + 0x20, 0xef8),
		 CHANGE(0xd80, MAIN, 0xdf8, 1, 1, 0)),
	  OPEN(0xf00, 0xe00), WITNESS_LOG },
	{ "a_call_from_whom_the_log_has_not_open",
	  EVENTS(MAIN_CALLED, CALLED(0xe00, OUTER, MAIN + 0x20, 0xef8),
		 ENTRY(0xd00, INNER, MAIN + 0x20, 0xdf8)),
	  OPEN(0xf00, 0xe00, 0xd00), WITNESS_LOG },
	{ "an_exit_that_names_another_function",
	  EVENTS(MAIN_CALLED, EXIT(0xe80, MAIN, 0xef8, OUTER, LIBRARY + 0x10)), OPEN(0xf00),
	  WITNESS_LOG },
	{ "an_exit_that_names_another_caller",
	  EVENTS(MAIN_CALLED, EXIT(0xe80, MAIN, 0xef8, MAIN, LIBRARY + 0x11)), OPEN(0xf00),
	  WITNESS_LOG },
	{ "code_without_a_symbol", EVENTS(ENTRY(0xf00, LIBRARY, LIBRARY, 0)), .last = WITNESS_LOG },
};

START_TEST(test_log)
{
	struct fixture fixture;
	size_t count = 0;

	set_up(&fixture);
	enum witness_difference_kind last = report(&fixture, cases[_i].event, 12);
	ck_assert_msg(last == cases[_i].last, "%s: %s", cases[_i].name,
		      witness_difference_name(last));
	while (cases[_i].open[count])
		count++;
	ck_assert_msg(fixture.log.now.count == count, "%s: %zu open", cases[_i].name,
		      fixture.log.now.count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(fixture.log.now.open[i].slot == cases[_i].open[i], "%s: 0x%lx at %zu",
			      cases[_i].name, fixture.log.now.open[i].slot, i);
	witness_log_deinit(&fixture.log);
}
END_TEST

/* ---- planted faults --------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum plant plant;
	size_t frame;
	enum witness_difference_kind expected;
} plants[] = {
	{ "nothing", NOTHING, 0, WITNESS_AGREES },
	{ "the_outermost_frame_left_out", LEFT_OUT, FRAME_MAIN, WITNESS_MISSING },
	{ "a_frame_left_out", LEFT_OUT, FRAME_OUTER, WITNESS_UNLOGGED },
	{ "a_librarys_frame_between_left_out", LEFT_OUT, FRAME_LIBRARY, WITNESS_FUNCTION },
	{ "the_interrupted_functions_frame_left_out", LEFT_OUT, FRAME_INNER, WITNESS_UNLOGGED },
	{ "the_interrupted_pc_left_out", LEFT_OUT, FRAME_INTERRUPTED, WITNESS_INTERRUPTED },
	{ "the_interrupted_pc_twice", TWICE, FRAME_INTERRUPTED, WITNESS_INTERRUPTED },
	{ "the_interrupted_pc_taken_for_a_call", CALLED_INSTEAD, FRAME_INTERRUPTED,
	  WITNESS_INTERRUPTED },
	{ "another_interrupted_pc", RETURN_ADDRESS, FRAME_INTERRUPTED, WITNESS_INTERRUPTED },
	{ "an_interruption_that_is_over", INTERRUPTED_AGAIN, FRAME_AGAIN, WITNESS_INTERRUPTED },
	{ "the_handlers_frame_left_out", LEFT_OUT, FRAME_HANDLER, WITNESS_INTERRUPTED },
	{ "the_innermost_function_left_out", LEFT_OUT, FRAME_AGAIN, WITNESS_UNLOGGED },
	{ "the_last_call_left_out", LEFT_OUT, FRAME_HOOK, WITNESS_HOOK },
	{ "the_outermost_frame_twice", TWICE, FRAME_MAIN, WITNESS_UNLOGGED },
	{ "a_frame_twice", TWICE, FRAME_OUTER, WITNESS_UNLOGGED },
	{ "the_innermost_function_twice", TWICE, FRAME_AGAIN, WITNESS_UNLOGGED },
	{ "the_last_call_twice", TWICE, FRAME_HOOK, WITNESS_UNLOGGED },
	{ "a_frame_that_was_left_is_still_there", STALE, FRAME_AGAIN, WITNESS_UNLOGGED },
	{ "one_in_the_middle", STALE, FRAME_LIBRARY, WITNESS_UNLOGGED },
	{ "two_frames_in_the_wrong_order", SWAPPED, FRAME_MAIN, WITNESS_UNLOGGED },
	{ "two_further_in", SWAPPED, FRAME_HANDLER, WITNESS_UNLOGGED },
	{ "a_wrong_return_address", RETURN_ADDRESS, FRAME_OUTER, WITNESS_CALL_SITE },
	{ "a_wrong_return_address_of_the_outermost", RETURN_ADDRESS, FRAME_MAIN,
	  WITNESS_CALL_SITE },
	{ "a_wrong_return_address_of_the_last_call", RETURN_ADDRESS, FRAME_HOOK, WITNESS_HOOK },
	{ "a_wrong_slot", SLOT, FRAME_INNER, WITNESS_UNLOGGED },
	{ "a_wrong_slot_of_the_last_call", SLOT, FRAME_HOOK, WITNESS_HOOK },
	{ "only_the_inner_half", CUT_OUTER, FRAME_INNER, WITNESS_MISSING },
	{ "another_threads", CUT_OUTER, FRAMES, WITNESS_HOOK },
	{ "a_stack_of_some_time_ago", CUT_INNER, FRAME_INTERRUPTED, WITNESS_HOOK },
};

START_TEST(test_plants)
{
	size_t confirmed;
	struct witness_difference difference = compare_planted(plants[_i].plant, plants[_i].frame,
							       &confirmed);

	ck_assert_msg(difference.kind == plants[_i].expected, "%s: %s", plants[_i].name,
		      witness_difference_name(difference.kind));
	if (difference.kind == WITNESS_AGREES)
		ck_assert_uint_eq(confirmed, 5);
}
END_TEST

/* ---- memory ----------------------------------------------------------------------------- */

/* The stack of the cases: below 0x1000, a word at each slot. */
static int read_stack(void *context, uint64_t address, void *ret, size_t size)
{
	const uint64_t *stack = context;

	if (address % 8 || size != 8 || address >= 0x1000)
		return -1;
	memcpy(ret, &stack[address / 8], size);
	return 0;
}

static const struct {
	const char *name;
	enum plant plant;
	size_t frame;
	enum witness_difference_kind expected;
} memories[] = {
	{ "nothing", NOTHING, 0, WITNESS_AGREES },
	{ "a_stale_frame_where_another_word_is", STALE, FRAME_LIBRARY, WITNESS_MEMORY },
	{ "a_librarys_return_address", RETURN_ADDRESS, FRAME_LIBRARY, WITNESS_MEMORY },
	{ "a_librarys_slot", SLOT, FRAME_MAIN, WITNESS_MEMORY },
	{ "the_interrupted_pc_is_the_handlers_to_change", RETURN_ADDRESS, FRAME_INTERRUPTED,
	  WITNESS_AGREES },
};

START_TEST(test_memory)
{
	uint64_t stack[0x1000 / 8] = { 0 };
	const struct memory_reader memory = { .read = read_stack, .context = stack };
	struct shadow_frame frame[FRAMES + 1];
	struct shadow_stack truth = { .frame = frame };
	struct witness_difference difference;

	memcpy(frame, right, sizeof(right));
	for (size_t i = 0; i < FRAMES; i++)
		stack[frame[i].slot / 8] = frame[i].return_address;
	truth.count = plant(memories[_i].plant, memories[_i].frame, frame);
	witness_compare_memory(&truth, &memory, &difference);
	ck_assert_msg(difference.kind == memories[_i].expected, "%s: %s", memories[_i].name,
		      witness_difference_name(difference.kind));
}
END_TEST

/* ---- contexts --------------------------------------------------------------------------- */

/* outer was begun by a change to its stack, and has called inner: its own frame nobody has made. */
static const struct {
	const char *name;
	size_t frames; /* of outer, inner and the hook, the innermost */
	bool rooted;
	enum witness_difference_kind expected;
} contexts[] = {
	{ "a_prefix_without_the_first_functions_frame", 2, false, WITNESS_AGREES },
	{ "with_it", 3, false, WITNESS_AGREES },
	{ "a_truth_that_calls_itself_whole", 2, true, WITNESS_MISSING },
	{ "without_the_next_functions", 1, false, WITNESS_MISSING },
};

START_TEST(test_contexts)
{
	const struct witness_event events[] = { MAIN_CALLED, CHANGE(0xe80, MAIN, 0xef8, 1, 2, 1),
						CALLED(0x700, OUTER, LIBRARY, 0),
						ENTRY(0x600, INNER, OUTER + 0x20, 0x6f8) };
	struct shadow_frame frame[] = { { .slot = 0x700, .return_address = LIBRARY },
					{ .slot = 0x600, .return_address = OUTER + 0x20 },
					{ .slot = 0x5f8, .return_address = INNER + 5 } };
	struct shadow_stack truth = { .frame = frame + 3 - contexts[_i].frames,
				      .count = contexts[_i].frames,
				      .rooted = contexts[_i].rooted };
	struct witness_difference difference;
	struct fixture fixture;
	size_t confirmed;

	set_up(&fixture);
	ck_assert_int_eq(report(&fixture, events, 6), WITNESS_AGREES);
	witness_compare(&fixture.log, &fixture.functions, &events[5], &truth, &confirmed,
			&difference);
	ck_assert_msg(difference.kind == contexts[_i].expected, "%s: %s", contexts[_i].name,
		      witness_difference_name(difference.kind));
	witness_log_deinit(&fixture.log);
}
END_TEST

/* ---- not reported yet ------------------------------------------------------------------- */

/* A handler interrupts outer, whose frame is there. The log has it only if it came to report. */
static const struct {
	const char *name;
	uint64_t hook_return; /* of a frame above outer's; 0: none */
	uint64_t interrupted_pc;
	enum witness_difference_kind expected;
} interruptions[] = {
	{ "at_its_first_instruction", 0, OUTER, WITNESS_AGREES },
	{ "behind_its_first_instruction", 0, OUTER + 4, WITNESS_UNLOGGED },
	{ "inside_the_hook", OUTER + 5, HOOK + 4, WITNESS_AGREES },
	{ "at_the_hooks_first_instruction", OUTER + 5, HOOK, WITNESS_AGREES },
	{ "before_the_hook", OUTER + 5, HOOK - 1, WITNESS_UNLOGGED },
	{ "at_the_hooks_mark", OUTER + 5, HOOK + 0x10, WITNESS_UNLOGGED },
};

START_TEST(test_interruptions)
{
	const struct witness_event before[] = { MAIN_CALLED, OUTER_CALLED,
						EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20) };
	const struct witness_event handler = HANDLER_ENTRY(0xa00, interruptions[_i].interrupted_pc,
							   0xdf8, 0, 0);
	struct shadow_frame frame[6] = { right[FRAME_MAIN], right[FRAME_OUTER] };
	struct shadow_stack truth = { .frame = frame, .count = 2 };
	struct witness_difference difference;
	struct fixture fixture;
	size_t confirmed;

	set_up(&fixture);
	ck_assert_int_eq(report(&fixture, before, 5), WITNESS_AGREES);
	fixture.log.now.count = 1;
	ck_assert_int_eq(report(&fixture, &handler, 1), WITNESS_AGREES);
	if (interruptions[_i].hook_return)
		frame[truth.count++] = (struct shadow_frame) {
			.slot = 0xdf8, .return_address = interruptions[_i].hook_return
		};
	frame[truth.count++] = (struct shadow_frame) {
		.slot = 0xaa8,
		.return_address = interruptions[_i].interrupted_pc,
		.interrupted = true,
	};
	frame[truth.count++] = right[FRAME_HANDLER];
	frame[truth.count++] = (struct shadow_frame) { .slot = 0x9f8,
						       .return_address = HANDLER + 5 };
	witness_compare(&fixture.log, &fixture.functions, &handler, &truth, &confirmed,
			&difference);
	ck_assert_msg(difference.kind == interruptions[_i].expected, "%s: %s",
		      interruptions[_i].name, witness_difference_name(difference.kind));
	witness_log_deinit(&fixture.log);
}
END_TEST

/* ---- the CPU's words -------------------------------------------------------------------- */

#define SSP	  0x7000
#define TOKEN(at) ((SSP + (at)*8 + 8) | 1ULL << 63)

/* As the kernel leaves them: a token stands where the interrupted PC is in the truth. */
static const uint64_t right_words[FRAMES] = {
	OUTER + 5,	HANDLER + 0x20, RESTORER,    TOKEN(3),
	LIBRARY + 0x50, OUTER + 0x30,	MAIN + 0x20, LIBRARY + 0x10,
};

static const struct {
	const char *name;
	enum plant plant;
	size_t frame;
	size_t first; /* frames that were there before the CPU's stack was */
	size_t words;
	enum witness_difference_kind expected;
} words[] = {
	{ "nothing", NOTHING, 0, 0, FRAMES, WITNESS_AGREES },
	{ "frames_from_before", NOTHING, 0, 3, FRAMES - 3, WITNESS_AGREES },
	{ "a_word_too_few", NOTHING, 0, 0, FRAMES - 1, WITNESS_DEPTH },
	{ "a_word_too_many", NOTHING, 0, 1, FRAMES, WITNESS_DEPTH },
	{ "a_frame_left_out", LEFT_OUT, FRAME_LIBRARY, 0, FRAMES, WITNESS_WORD },
	{ "the_outermost_left_out", LEFT_OUT, FRAME_MAIN, 0, FRAMES, WITNESS_DEPTH },
	{ "the_interrupted_pc_left_out", LEFT_OUT, FRAME_INTERRUPTED, 0, FRAMES, WITNESS_WORD },
	{ "a_frame_twice", TWICE, FRAME_INNER, 0, FRAMES, WITNESS_WORD },
	{ "the_outermost_twice", TWICE, FRAME_MAIN, 0, FRAMES, WITNESS_DEPTH },
	{ "a_stale_frame", STALE, FRAME_AGAIN, 0, FRAMES, WITNESS_WORD },
	{ "two_in_the_wrong_order", SWAPPED, FRAME_OUTER, 0, FRAMES, WITNESS_WORD },
	{ "a_wrong_return_address", RETURN_ADDRESS, FRAME_LIBRARY, 0, FRAMES, WITNESS_WORD },
	{ "only_the_inner_half", CUT_OUTER, FRAME_INNER, 0, FRAMES, WITNESS_DEPTH },
	{ "a_stack_of_some_time_ago", CUT_INNER, FRAME_INTERRUPTED, 0, FRAMES, WITNESS_WORD },
};

START_TEST(test_words)
{
	struct shadow_frame frame[FRAMES + 1];
	struct shadow_stack truth = { .frame = frame };
	struct witness_difference difference;

	memcpy(frame, right, sizeof(right));
	truth.count = plant(words[_i].plant, words[_i].frame, frame);
	witness_cpu_compare(&truth, words[_i].first, SSP, right_words, words[_i].words,
			    &difference);
	ck_assert_msg(difference.kind == words[_i].expected, "%s: %s", words[_i].name,
		      witness_difference_name(difference.kind));
}
END_TEST

/* What was interrupted must be said to be: its word is a token, and no address. */
START_TEST(test_an_interrupted_frame_has_a_token)
{
	struct shadow_frame frame[FRAMES];
	struct shadow_stack truth = { .frame = frame, .count = FRAMES };
	struct witness_difference difference;

	memcpy(frame, right, sizeof(right));
	frame[FRAME_INTERRUPTED].interrupted = false;
	witness_cpu_compare(&truth, 0, SSP, right_words, FRAMES, &difference);
	ck_assert_int_eq(difference.kind, WITNESS_WORD);
	ck_assert_uint_eq(difference.frame, FRAME_INTERRUPTED);
	/* Moved by a word, the token is another. */
	memcpy(frame, right, sizeof(right));
	witness_cpu_compare(&truth, 0, SSP + 8, right_words, FRAMES, &difference);
	ck_assert_int_eq(difference.kind, WITNESS_WORD);
}
END_TEST

SUITE(witness, LOOP(test_log, cases), LOOP(test_plants, plants), LOOP(test_memory, memories),
      LOOP(test_contexts, contexts), LOOP(test_interruptions, interruptions),
      LOOP(test_words, words), TEST(test_an_interrupted_frame_has_a_token))
