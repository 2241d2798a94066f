/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_truth_tricks.c - programs that trick the truth, and nobody is accused
 *
 * testprogs/truth/ has small programs whose CFI is right, and which do what a shadow stack of calls
 * and returns can't see, or sees wrong. Each is stepped, and compared at every instruction. What
 * must follow: no finding but that CFI is missing, save against who is guilty by name; a counter of
 * the truth says that the trick was played; the truth stays in doubt at no more points than the
 * case says, in percent; the program did what it should. The percentages are as they were measured:
 * who lowers one has made the truth better. Paths hold at the project's root, where tests are run.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "judge/compare/tests/compared_program.h"

#define EXIT_SKIPPED	      77
#define SHOWS(counter)	      offsetof(struct tracer_counters, rules.counter)
#define TRACER_SHOWS(counter) offsetof(struct tracer_counters, counter)
#define SHOWS_NOTHING	      SIZE_MAX

#define ASM                                                                                        \
	"gcc-12 -static -nostdlib -Wl,--eh-frame-hdr -Itestprogs/asm "                             \
	"testprogs/truth/"
/* ld makes no search table over FDEs that overlap. */
#define NO_HEADER "gcc-12 -static -nostdlib -Itestprogs/asm testprogs/truth/"
#define BARE                                                                                       \
	"gcc-12 -O2 -ffreestanding -fno-stack-protector -fasynchronous-unwind-tables -static "     \
	"-nostdlib -Wl,--eh-frame-hdr -Itestprogs/c testprogs/truth/"
#define C   "gcc-12 -O2 -Itestprogs/c testprogs/truth/"
#define CXX "g++-12 -O2 -Itestprogs/c testprogs/truth/"

static const struct trick_case {
	const char *name;
	const char *build;   /* but for -o */
	double unproven_max; /* percent of the points */
	size_t shows;	     /* the counter that must not be 0 */
	const char *guilty;  /* the function whose CFI is wrong in truth; or NULL */
} cases[] = {
	{ "a_popped_return_address_pushed_again", ASM "put_back.S -DFORM=1", 0, SHOWS(put_back),
	  NULL },
	{ "a_popped_return_address_that_rsp_goes_back_over", ASM "put_back.S -DFORM=2", 0,
	  SHOWS(put_back), NULL },
	{ "a_call_while_the_return_address_is_in_a_register", ASM "put_back.S -DFORM=3", 44,
	  SHOWS(taken_off), NULL },
	{ "an_argument_inserted_beneath_the_return_address", ASM "moved.S -DFORM=1", 0,
	  SHOWS(frames_moved), NULL },
	{ "arguments_taken_off_by_hand", ASM "moved.S -DFORM=2", 0, SHOWS(frames_moved), NULL },
	{ "arguments_taken_off_and_a_jump_back", ASM "moved.S -DFORM=3", 0, SHOWS(taken_off),
	  NULL },
	{ "arguments_pushed_in_a_loop_and_taken_off", ASM "moved.S -DFORM=4", 0,
	  SHOWS(frames_moved), NULL },
	{ "a_return_address_put_elsewhere_by_mov", ASM "moved.S -DFORM=5", 0, SHOWS(frames_moved),
	  NULL },
	{ "a_return_address_copied_down_with_arguments", ASM "moved.S -DFORM=6", 0,
	  SHOWS(frames_moved), NULL },
	{ "a_copied_return_address_taken_off_with_arguments", ASM "moved.S -DFORM=7", 0,
	  SHOWS(frames_moved), NULL },
	{ "a_return_address_read_and_dropped_by_lea", ASM "moved.S -DFORM=8", 0,
	  SHOWS(frames_moved), NULL },
	{ "a_return_address_pushed_from_its_slot", ASM "moved.S -DFORM=16", 0, SHOWS(frames_moved),
	  NULL },
	{ "a_pc_read_by_a_call_and_passed_as_an_argument", ASM "moved.S -DFORM=9", 8,
	  SHOWS(taken_off), NULL },
	{ "a_return_address_passed_as_an_argument", ASM "moved.S -DFORM=10", 0, SHOWS_NOTHING,
	  NULL },
	{ "a_return_address_passed_and_kept_in_a_register", ASM "moved.S -DFORM=11", 35,
	  SHOWS(frames_moved), NULL },
	{ "a_call_over_data_whose_word_is_passed", ASM "moved.S -DFORM=12", 58, SHOWS(frames_moved),
	  NULL },
	{ "a_wrong_row_of_who_takes_arguments_off", ASM "moved.S -DFORM=13", 0, SHOWS(frames_moved),
	  "pops" },
	{ "a_row_that_leaves_out_who_has_it_in_a_register", ASM "moved.S -DFORM=14", 9,
	  SHOWS(frames_moved), NULL },
	{ "a_moved_return_address_that_is_never_used", ASM "moved.S -DFORM=15", 65,
	  SHOWS(frames_moved), NULL },
	{ "a_call_made_of_push_and_jmp", ASM "pushed.S -DFORM=1", 5, SHOWS(returns_stray), NULL },
	{ "a_return_address_moved_to_a_lower_slot", ASM "pushed.S -DFORM=2", 0, SHOWS(frames_moved),
	  NULL },
	{ "a_ret_that_is_a_jump", ASM "pushed.S -DFORM=3", 10, SHOWS(returns_stray), NULL },
	{ "a_pushed_address_that_is_popped_and_jumped_to", ASM "pushed.S -DFORM=4", 30,
	  SHOWS_NOTHING, NULL },
	{ "a_hijacked_return_to_a_trampoline", ASM "hijacked.S -DFORM=1", 23,
	  SHOWS(returns_replaced), NULL },
	{ "a_hijacked_return_that_is_given_back", ASM "hijacked.S -DFORM=2", 14, SHOWS_NOTHING,
	  NULL },
	{ "a_return_to_another_place_for_good", ASM "hijacked.S -DFORM=3", 0,
	  SHOWS(returns_replaced), NULL },
	{ "a_return_behind_an_inline_argument", ASM "hijacked.S -DFORM=4", 0,
	  SHOWS(returns_replaced), NULL },
	{ "a_return_address_on_a_stack_of_its_own", ASM "elsewhere.S -DFORM=1", 28,
	  SHOWS(taken_off), NULL },
	{ "a_return_address_in_a_link_register", ASM "elsewhere.S -DFORM=2", 39, SHOWS_NOTHING,
	  NULL },
	{ "a_return_into_an_outer_function_for_good", ASM "elsewhere.S -DFORM=3", 65,
	  SHOWS(returns_stray), NULL },
	{ "a_thread_that_begins_by_a_planted_return", ASM "elsewhere.S -DFORM=4", 10,
	  SHOWS(returns_stray), NULL },
	{ "a_mark_for_the_end_of_the_stack", ASM "marks.S -DFORM=1", 75, SHOWS_NOTHING, NULL },
	{ "a_mark_pushed_by_the_first_function", ASM "marks.S -DFORM=2", 82, SHOWS_NOTHING, NULL },
	{ "a_last_function_that_has_no_caller", ASM "marks.S -DFORM=3", 82, SHOWS_NOTHING, NULL },
	{ "a_function_that_never_returns_and_loses_rbp", ASM "noreturn.S -DFORM=1", 0,
	  SHOWS_NOTHING, "gone" },
	{ "a_lost_rbp_that_looks_like_a_frame", ASM "noreturn.S -DFORM=2", 0, SHOWS_NOTHING,
	  "gone" },
	{ "a_rbp_that_is_said_to_be_lost", ASM "noreturn.S -DFORM=3", 96, SHOWS_NOTHING, NULL },
	{ "a_lost_rbp_and_a_jump_to_the_caller", ASM "noreturn.S -DFORM=4", 96, SHOWS_NOTHING,
	  NULL },
	{ "a_thunk_of_an_indirect_call", ASM "thunks.S -DFORM=1", 8, SHOWS(returns_replaced),
	  NULL },
	{ "a_thunk_of_a_return", ASM "thunks.S -DFORM=2", 4, SHOWS(taken_off), NULL },
	{ "a_call_of_the_next_instruction", ASM "thunks.S -DFORM=3", 8, SHOWS(taken_off), NULL },
	{ "a_call_behind_mov_ss", ASM "mov_ss.S", 0, TRACER_SHOWS(merged_steps), NULL },
	{ "rsp_as_a_pointer_into_the_callers_frame", ASM "rsp_as_pointer.S -DFORM=1", 14,
	  SHOWS(disturbances), NULL },
	{ "rsp_as_a_pointer_into_bss", ASM "rsp_as_pointer.S -DFORM=2", 0, SHOWS(disturbances),
	  NULL },
	{ "fibers_in_adjacent_mappings", BARE "fibers.c -DWHERE=1", 0, SHOWS(disturbances), NULL },
	{ "nested_fibers_in_adjacent_mappings", BARE "fibers.c -DWHERE=1 -DNESTED -DDOWN", 0,
	  SHOWS(disturbances), NULL },
	{ "fibers_made_on_a_called_stack_in_adjacent_mappings",
	  BARE "fibers.c -DWHERE=1 -DCALLED=2", 0, SHOWS(disturbances), NULL },
	{ "nested_fibers_made_on_a_called_stack_in_adjacent_mappings",
	  BARE "fibers.c -DWHERE=1 -DCALLED=2 -DNESTED -DDOWN", 0, SHOWS(disturbances), NULL },
	{ "fibers_that_begin_by_a_call_in_adjacent_mappings", BARE "fibers.c -DWHERE=1 -DSTARTED",
	  0, SHOWS(disturbances), NULL },
	{ "fibers_that_begin_by_a_call_on_a_called_stack_in_adjacent_mappings",
	  BARE "fibers.c -DWHERE=1 -DSTARTED -DCALLED=2", 0, SHOWS(disturbances), NULL },
	{ "fibers_in_one_array", BARE "fibers.c -DWHERE=2", 0, SHOWS(disturbances), NULL },
	{ "nested_fibers_in_one_array", BARE "fibers.c -DWHERE=2 -DNESTED -DDOWN", 0,
	  SHOWS(disturbances), NULL },
	{ "fibers_made_on_a_called_stack_in_one_array", BARE "fibers.c -DWHERE=2 -DCALLED=2", 0,
	  SHOWS(disturbances), NULL },
	{ "nested_fibers_made_on_a_called_stack_in_one_array",
	  BARE "fibers.c -DWHERE=2 -DCALLED=2 -DNESTED -DDOWN", 0, SHOWS(disturbances), NULL },
	{ "fibers_that_begin_by_a_call_in_one_array", BARE "fibers.c -DWHERE=2 -DSTARTED", 0,
	  SHOWS(disturbances), NULL },
	{ "fibers_that_begin_by_a_call_on_a_called_stack_in_one_array",
	  BARE "fibers.c -DWHERE=2 -DSTARTED -DCALLED=2", 0, SHOWS(disturbances), NULL },
	{ "fibers_in_an_array_of_an_open_frame", BARE "fibers.c -DWHERE=3", 70, SHOWS(disturbances),
	  NULL },
	{ "nested_fibers_in_an_array_of_an_open_frame", BARE "fibers.c -DWHERE=3 -DNESTED -DDOWN",
	  90, SHOWS(disturbances), NULL },
	{ "fibers_made_on_a_called_stack_in_an_array_of_an_open_frame",
	  BARE "fibers.c -DWHERE=3 -DCALLED=2", 79, SHOWS(disturbances), NULL },
	{ "nested_fibers_made_on_a_called_stack_in_an_array_of_an_open_frame",
	  BARE "fibers.c -DWHERE=3 -DCALLED=2 -DNESTED -DDOWN", 98, SHOWS(disturbances), NULL },
	{ "fibers_that_begin_by_a_call_in_an_array_of_an_open_frame",
	  BARE "fibers.c -DWHERE=3 -DSTARTED", 66, SHOWS(disturbances), NULL },
	{ "fibers_that_begin_by_a_call_on_a_called_stack_in_an_array_of_an_open_frame",
	  BARE "fibers.c -DWHERE=3 -DSTARTED -DCALLED=2", 81, SHOWS(disturbances), NULL },
	{ "calls_on_arrays_of_the_callers_frame", BARE "calls_on.c -DWHERE=1", 47,
	  SHOWS(disturbances), NULL },
	{ "a_longjmp_out_of_calls_on_arrays_of_the_callers_frame",
	  BARE "calls_on.c -DWHERE=1 -DJUMPS", 64, SHOWS(disturbances), NULL },
	{ "calls_on_a_stack_and_one_above", BARE "calls_on.c -DWHERE=2", 18, SHOWS(disturbances),
	  NULL },
	{ "a_longjmp_out_of_calls_on_a_stack_and_one_above", BARE "calls_on.c -DWHERE=2 -DJUMPS",
	  24, SHOWS(disturbances), NULL },
	{ "calls_on_a_stack_and_one_below", BARE "calls_on.c -DWHERE=3", 0, SHOWS(disturbances),
	  NULL },
	{ "a_longjmp_out_of_calls_on_a_stack_and_one_below", BARE "calls_on.c -DWHERE=3 -DJUMPS", 1,
	  SHOWS(disturbances), NULL },
	{ "swapcontext_to_an_array_of_an_open_frame", C "contexts.c -DWHERE=1", 3,
	  SHOWS(stack_switches), NULL },
	{ "swapcontext_to_stacks_that_are_freed", C "contexts.c -DWHERE=2", 1,
	  SHOWS(stack_switches), NULL },
	{ "boost_fibers_one_in_the_other", CXX "boost_fibers.cc -lboost_context", 0.5,
	  SHOWS(stack_switches), NULL },
	{ "split_stacks_and_threads", C "split_threads.c -fsplit-stack -pthread", 10,
	  SHOWS(disturbances), "__morestack" },
	{ "a_stack_copied_away_and_back", BARE "stack_copy.c", 82, SHOWS(disturbances), NULL },
	{ "a_handler_that_goes_on_behind_the_fault", C "handler_context.c -DHOW=1", 0,
	  SHOWS(signals), NULL },
	{ "a_call_of_null_and_a_handler_that_returns_for_it", C "handler_context.c -DHOW=2", 2,
	  SHOWS(signals), NULL },
	{ "preempted_by_rt_sigreturn_to_another_mapping", C "handler_context.c -DHOW=3", 4,
	  SHOWS(stack_switches), NULL },
	{ "preempted_by_rt_sigreturn_within_one_array", C "handler_context.c -DHOW=4", 4,
	  SHOWS(disturbances), NULL },
	{ "preempted_on_a_signal_stack_within_one_array", C "handler_context.c -DHOW=5", 4,
	  SHOWS(disturbances), NULL },
	{ "preempted_with_frame_pointers_that_the_walk_needs", C "handler_context.c -DHOW=4 -O0", 4,
	  SHOWS(stack_switches), NULL },
	{ "a_handler_that_moves_rsp_and_ends_the_program", C "handler_context.c -DHOW=6", 28,
	  SHOWS(signals), NULL },
	{ "rip_of_the_interrupted_changed_for_a_while", C "handler_context.c -DHOW=7", 2,
	  SHOWS(signals), NULL },
	{ "r10_of_the_interrupted_changed_for_a_while", C "handler_context.c -DHOW=8", 2,
	  SHOWS(signals), NULL },
	{ "r10_of_the_interrupted_changed_by_a_second_handler", C "handler_context.c -DHOW=9", 2,
	  SHOWS(signals), NULL },
	{ "code_patched_through_proc_self_mem", C "patched.c -DHOW=1", 0,
	  TRACER_SHOWS(stale_instructions), NULL },
	{ "code_patched_through_another_mapping", C "patched.c -DHOW=2", 0, SHOWS_NOTHING, NULL },
	{ "a_frame_made_larger_where_it_is_made", C "patched.c -DHOW=3", 17, SHOWS_NOTHING, NULL },
	{ "a_patch_far_from_it_is_no_excuse", C "patched.c -DHOW=5", 0, SHOWS_NOTHING, "frame" },
	{ "a_frame_made_larger_behind", C "patched.c -DHOW=4", 1, SHOWS_NOTHING, NULL },
	{ "a_register_taken_by_bregx", ASM "by_register.S -DFORM=1", 0, SHOWS_NOTHING, "inner" },
	{ "a_register_taken_by_regx", ASM "by_register.S -DFORM=2", 0, SHOWS_NOTHING, "inner" },
	{ "a_register_behind_a_constant", ASM "by_register.S -DFORM=3", 0, SHOWS_NOTHING, "inner" },
	{ "a_signal_stack_in_an_array_left_by_siglongjmp", C "array_signal_stack.c -DHOW=1", 1,
	  SHOWS(disturbances), NULL },
	{ "a_signal_stack_in_an_array_left_by_setcontext", C "array_signal_stack.c -DHOW=2", 60,
	  SHOWS(disturbances), NULL },
	{ "a_call_over_data_by_who_never_returns", ASM "pushed_data.S -DFORM=1", 73, SHOWS_NOTHING,
	  NULL },
	{ "a_call_whose_word_is_popped", ASM "pushed_data.S -DFORM=2", 40, SHOWS(taken_off), NULL },
	{ "a_zero_pushed_by_the_last_function", ASM "pushed_data.S -DFORM=5", 70, SHOWS_NOTHING,
	  NULL },
	{ "a_save_area_that_is_used_for_a_while", ASM "saved_area.S -DFORM=1", 25, SHOWS_NOTHING,
	  NULL },
	{ "a_save_area_that_a_callee_uses", ASM "saved_area.S -DFORM=2", 14, SHOWS_NOTHING, NULL },
	{ "a_cfa_in_a_word_that_a_callee_changes", ASM "saved_area.S -DFORM=3", 12, SHOWS_NOTHING,
	  NULL },
	{ "a_coroutine_in_its_makers_frame", ASM "coroutines.S -DFORM=1", 44, SHOWS_NOTHING, NULL },
	{ "a_coroutine_that_is_entered_inside", ASM "coroutines.S -DFORM=2", 38, SHOWS_NOTHING,
	  NULL },
	{ "return_addresses_on_another_stack", ASM "coroutines.S -DFORM=3", 49, SHOWS_NOTHING,
	  NULL },
	{ "return_addresses_on_another_stack_in_the_frame", ASM "coroutines.S -DFORM=4", 48,
	  SHOWS_NOTHING, NULL },
	{ "a_called_function_that_is_a_signal_frame", ASM "marked.S", 0, SHOWS_NOTHING, "marked" },
	{ "an_fde_within_another_that_is_wrong", NO_HEADER "overlaps.S -DFORM=1", 16, SHOWS_NOTHING,
	  NULL },
	{ "an_fde_within_a_wrong_one", NO_HEADER "overlaps.S -DFORM=2", 0, SHOWS_NOTHING,
	  "covered" },
	{ "two_fdes_of_one_range_the_second_wrong", NO_HEADER "overlaps.S -DFORM=3", 70,
	  SHOWS_NOTHING, NULL },
	{ "two_fdes_of_one_range_the_first_wrong", NO_HEADER "overlaps.S -DFORM=4", 0,
	  SHOWS_NOTHING, NULL },
	{ "exceptions_that_land_with_registers_put_back",
	  "g++-12 -O0 -Itestprogs/c testprogs/cxx/nested_throw.cc", 5, SHOWS_NOTHING, NULL },
	{ "a_thread_that_no_tracer_is_told_of", ASM "untraced.S", 0, TRACER_SHOWS(untraced), NULL },
	{ "a_cfa_by_a_register_beyond_ours", ASM "by_register.S -DFORM=5", 60, SHOWS_NOTHING,
	  NULL },
	{ "a_register_kept_in_a_vector_register", ASM "by_register.S -DFORM=6", 30, SHOWS_NOTHING,
	  NULL },
	{ "a_function_with_a_uprobe", C "uprobed.c -DRETURNS=0", 0, SHOWS_NOTHING, NULL },
	{ "a_function_with_a_uretprobe", C "uprobed.c -DRETURNS=1", 1, SHOWS_NOTHING, NULL },
	{ "a_call_with_a_uprobe", C "uprobed.c -DRETURNS=0 -DCALLS", 0, SHOWS_NOTHING, NULL },
};

/* A finding that accuses: not that CFI is missing, nor who is guilty. */
static bool accuses(const struct trick_case *c, const struct finding *finding)
{
	if (finding->count == 0 || finding->first.kind == FAULT_MISSING ||
	    finding->first.verdict == VERDICT_CONVERSION_LOSS_FLAGGED)
		return false;
	return !c->guilty || strcmp(finding->function, c->guilty) != 0;
}

static uint64_t counter_at(const struct tracer_counters *counters, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)counters + offset, sizeof(value));
	return value;
}

/* What became of the points, one by one. */
struct told {
	uint64_t proven, unproven;
};

static int on_reading(void *context, const struct point *point, const struct stack *truth,
		      uint64_t *ret_mark, struct error *error)
{
	*ret_mark = 7;
	return 0;
}

static void on_proven(void *context, uint64_t mark, uint64_t count, bool proven)
{
	struct told *told = context;

	ck_assert_uint_eq(mark, 7);
	*(proven ? &told->proven : &told->unproven) += count;
}

/* Each point is told once, and none as proven that is not. Where CFI is missing, or called wrong at
 * once, the truth must speak for itself, too. */
static void check_told(const struct trick_case *c, const struct comparison *result,
		       const struct told *told)
{
	uint64_t unproven = result->verdict[VERDICT_UNPROVEN];

	ck_assert_msg(told->proven + told->unproven == result->points,
		      "%s: %" PRIu64 " proven, %" PRIu64 " unproven of %" PRIu64 " points", c->name,
		      told->proven, told->unproven, result->points);
	ck_assert_msg(told->unproven >= unproven &&
			      told->unproven <= unproven + result->verdict[VERDICT_TABLE_FAULT],
		      "%s: %" PRIu64 " told unproven, and %" PRIu64 " are", c->name, told->unproven,
		      unproven);
}

static void check_result(const struct trick_case *c, const struct comparison *result,
			 bool registers)
{
	double unproven = 100.0 * result->verdict[VERDICT_UNPROVEN] / result->points;
	uint64_t placed = 0;

	ck_assert_msg(result->status == 0, "%s: status 0x%x", c->name, result->status);
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *finding = &result->findings.finding[i];

		ck_assert_msg(!accuses(c, finding), "%s: %s (%s) at %s, %" PRIu64 " times", c->name,
			      verdict_name(finding->first.verdict),
			      fault_kind_name(finding->first.kind), finding->place, finding->count);
		placed += finding_unproven(finding, NULL, 0);
	}
	ck_assert_uint_eq(placed, result->verdict[VERDICT_UNPROVEN]);
	ck_assert_uint_eq(result->findings.not_kept, 0);
	ck_assert_uint_eq(result->truth.rules.call_mismatches, 0);
	ck_assert_msg(c->shows == SHOWS_NOTHING || counter_at(&result->truth, c->shows),
		      "%s: the trick was not played", c->name);
	ck_assert_msg(registers || unproven <= c->unproven_max,
		      "%s: %.2f %% of %" PRIu64 " points unproven", c->name, unproven,
		      result->points);
	if (getenv("SHOW_TRICKS"))
		printf("%-50s %6" PRIu64 " points, %6.2f %% unproven of %.1f\n", c->name,
		       result->points, unproven, c->unproven_max);
}

static void run(const struct trick_case *c, bool registers)
{
	struct told told = { 0 };
	const struct compare_options options = { .engine = { &engine_cfi, &engine_table },
						 .engine_count = 2,
						 .registers = registers,
						 .on_reading = on_reading,
						 .on_proven = on_proven,
						 .context = &told };
	struct comparison comparison;

	compare_program(&options, strstr(c->build, "-nostdlib") ? "_start" : "main", &comparison);
	if (WIFEXITED(comparison.status) && WEXITSTATUS(comparison.status) == EXIT_SKIPPED)
		printf("SKIP: %s: the machine can't\n", c->name);
	else
		check_result(c, &comparison, registers);
	check_told(c, &comparison, &told);
	comparison_deinit(&comparison);
}

/* The row is wrong, and the truth has not the frame either, or has a false one: at no point
 * meanwhile do they prove each other. */
static const struct taken_back_case {
	const char *source; /* with its form */
	enum doubt_reason reason;
	uint64_t points;
	uint64_t strays;
} taken_back[] = {
	/* Two rounds: the jmp, four instructions of skips() and two of leaf(). */
	{ "marks.S -DFORM=4", DOUBT_STRAY_RETURN, 2 * 7, 2 },
	/* From behind the call to the pop, with leaf(). */
	{ "pushed_data.S -DFORM=3", DOUBT_TAKEN_OFF, 6, 0 },
	/* From the push to the jmp at the end; lea is with the points behind the pop. */
	{ "pushed_data.S -DFORM=4", DOUBT_STRAY_RETURN, 10, 0 },
	/* Two rounds: from the pop to add, with leaf(). */
	{ "moved.S -DFORM=12", DOUBT_TAKEN_OFF, 2 * 8, 0 },
	/* Two rounds: what it pushes. */
	{ "moved.S -DFORM=14", DOUBT_TAKEN_OFF, 2 * 2, 0 },
	/* All of through() and callee(). */
	{ "moved.S -DFORM=15", DOUBT_TAKEN_OFF, 9, 0 },
};

START_TEST(agreement_is_taken_back)
{
	const struct taken_back_case *c = &taken_back[_i];
	const struct compare_options options = { .engine = { &engine_cfi, &engine_table },
						 .engine_count = 2 };
	struct comparison result;

	ck_assert_int_eq(shell(ASM "%s -o %s", c->source, program), 0);
	compare_program(&options, NULL, &result);
	ck_assert_uint_eq(result.truth.rules.returns_stray, c->strays);
	ck_assert_uint_eq(result.unproven[c->reason], c->points);
	ck_assert_uint_eq(result.points, result.verdict[VERDICT_EXACT] + c->points);
	for (size_t i = 0; i < result.engine_count; i++) {
		ck_assert_uint_eq(result.engine[i].score.unproven, c->points);
		ck_assert_uint_eq(result.engine[i].score.points + c->points, result.points);
	}
	comparison_deinit(&result);
}
END_TEST

/* A row that an engine's library dies of: that engine ends there, the others go on. */
START_TEST(engine_that_would_die_ends)
{
	const struct compare_options options = { .engine = { &engine_cfi, &engine_libdw },
						 .engine_count = 2 };
	struct comparison result;

	ck_assert_int_eq(shell(ASM "by_register.S -DFORM=4 -o %s", program), 0);
	compare_program(&options, NULL, &result);
	/* The table can't hold the row, and says so. */
	ck_assert_uint_eq(result.verdict[VERDICT_EXACT] +
				  result.verdict[VERDICT_CONVERSION_LOSS_FLAGGED],
			  result.points);
	ck_assert_uint_eq(result.engine[1].score.match[MATCH_WRONG], 0);
	ck_assert_uint_gt(result.engine[1].score.match[MATCH_TRUNCATED], 0);
	ck_assert_uint_eq(result.engine[1].score.stop[STOP_FOREIGN],
			  result.engine[1].score.match[MATCH_TRUNCATED]);
	comparison_deinit(&result);
}
END_TEST

static void play(const struct trick_case *c, bool registers)
{
	/* What is linked to comes behind the source. */
	if (shell("%s -o %s 2>/dev/null", c->build, program)) {
		/* A library may not be there; a compiler that is must take the rest. */
		ck_assert_msg(strstr(c->build, " -l") || shell("command -v gcc-12 >/dev/null"),
			      "%s: can't be built", c->name);
		printf("SKIP: %s: it can't be built here\n", c->name);
	} else
		run(c, registers);
}

START_TEST(nobody_is_accused)
{
	play(&cases[_i], false);
}
END_TEST

/* More is looked at, so more is unproven. */
START_TEST(nobody_is_accused_for_a_register)
{
	play(&cases[_i], true);
}
END_TEST

SUITE(truth_tricks, FIXTURE(program_begin, folder_remove),
      LOOP(agreement_is_taken_back, taken_back), TEST(engine_that_would_die_ends),
      LOOP(nobody_is_accused, cases), LOOP(nobody_is_accused_for_a_register, cases))
