/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_bpf_records.c - a point gets the record of this very stop of its thread, or none
 *
 * The session is made up, and gives the records that the test says: no BPF is needed. A record that
 * was not sent, or that is of an earlier stop, must not pass for this one's.
 */
#include <fcntl.h>
#include "tests/suite.h"
#include "engines/built_in/bpf_records.c"

#define PC  0x401000
#define SP  0x7ffe1000
#define TID 7

static struct bpf_session {
	struct walk_record record[4];
	bool frame_pointer[4];
	int count;						   /* that wait */
	bool open, no_steps, no_records, no_counters, no_run_time; /* what fails */
	unsigned int consumed; /* how often it was asked for records */
} session;

int bpf_session_open(const struct bpf_session_options *options, struct bpf_session **ret,
		     struct error *error)
{
	/* Each step of the program, and nothing else, is asked for. */
	ck_assert_uint_eq(options->entries, 1u << WALK_ENTRY_STEP);
	session.open = true;
	*ret = &session;
	return 0;
}

void bpf_session_close(struct bpf_session *closed)
{
	if (!closed)
		return;
	ck_assert(closed->open);
	closed->open = false;
}

const char *bpf_session_method_name(const struct bpf_session *named)
{
	return "none";
}

int bpf_session_set_process(struct bpf_session *set, const struct address_space *space,
			    struct error *error)
{
	return 0;
}

void bpf_session_forget_process(struct bpf_session *forgotten, pid_t pid)
{
}

int bpf_session_attach_steps(struct bpf_session *attached, struct error *error)
{
	if (attached->no_steps)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "no step can be seen");
	return 0;
}

int bpf_session_consume(struct bpf_session *consumed, bpf_record_fn fn, void *context,
			struct error *error)
{
	consumed->consumed++;
	if (consumed->no_records)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "no record can be had");
	for (int i = 0; i < consumed->count; i++)
		fn(context, &consumed->record[i], consumed->frame_pointer[i]);
	consumed->count = 0;
	return 0;
}

int bpf_session_counters(const struct bpf_session *asked, bool frame_pointer,
			 struct walk_counters *ret, struct error *error)
{
	*ret = (struct walk_counters) { .samples = frame_pointer ? 5 : 7 };
	return asked->no_counters ? error_set(error, ERROR_SYSTEM, "", 0, "no counters") : 0;
}

int bpf_session_run_time(const struct bpf_session *asked, enum walk_entry entry, bool frame_pointer,
			 uint64_t *ret_ns, uint64_t *ret_runs, struct error *error)
{
	ck_assert_int_eq(entry, WALK_ENTRY_STEP);
	*ret_ns = frame_pointer ? 500 : 700;
	*ret_runs = 9;
	return asked->no_run_time ? error_set(error, ERROR_SYSTEM, "", 0, "no run time") : 0;
}

static void send(uint32_t tid, uint64_t pc, uint64_t sp, uint32_t count, bool frame_pointer)
{
	struct walk_record *record = &session.record[session.count];

	memset(record, 0, sizeof(*record));
	record->entry = WALK_ENTRY_STEP;
	record->tid = tid;
	record->sp = sp;
	record->count = count;
	record->stop = STOP_COMPLETE;
	for (uint32_t i = 0; i < count; i++)
		record->pc[i] = pc + i;
	session.frame_pointer[session.count++] = frame_pointer;
}

static const struct record_case {
	const char *name;
	uint32_t tid;
	uint64_t pc, sp;
	uint32_t count;
	bool sent_for_frame_pointer, asked_for_frame_pointer;
	int result;
} cases[] = {
	{ "this_stop", TID, PC, SP, 3, false, false, 0 },
	{ "of_one_frame", TID, PC, SP, 1, false, false, 0 },
	{ "of_no_frame", TID, PC, SP, 0, false, false, 1 },
	{ "of_another_thread", TID + 1, PC, SP, 3, false, false, 1 },
	{ "at_another_pc", TID, PC + 1, SP, 3, false, false, 1 },
	{ "at_another_stack_pointer", TID, PC, SP + 8, 3, false, false, 1 },
	{ "baseline", TID, PC, SP, 3, true, true, 0 },
	{ "baseline_has_no_stack_pointer", TID, PC, 0, 3, true, true, 0 },
	{ "baseline_at_another_pc", TID, PC - 1, SP, 3, true, true, 1 },
	{ "baseline_is_not_the_walks", TID, PC, SP, 3, true, false, 1 },
	{ "walks_is_not_the_baselines", TID, PC, SP, 3, false, true, 1 },
};

static const struct trace_stop stop = {
	.tid = TID, .regs.value = { [REGISTER_RIP] = PC, [REGISTER_RSP] = SP }
};

static int take(struct bpf_records *records, bool frame_pointer, struct stack *ret)
{
	struct error error;

	return bpf_records_take(records, &stop, frame_pointer, ret, &error);
}

START_TEST(record_is_of_this_stop_or_none)
{
	const struct record_case *c = &cases[_i];
	struct bpf_records *records = bpf_records_create(true, true, WALK_METHOD_LOOP, false);
	struct stack stack = { .limit = WALK_FRAMES_MAX };
	struct error error;

	ck_assert(!bpf_records_open(records, &error));
	ck_assert_int_eq(take(records, c->asked_for_frame_pointer, &stack), 1);
	send(c->tid, c->pc, c->sp, c->count, c->sent_for_frame_pointer);
	int result = take(records, c->asked_for_frame_pointer, &stack);
	ck_assert_msg(result == c->result, "%s: %d", c->name, result);
	if (!result) {
		ck_assert_uint_eq(stack.count, c->count);
		for (uint32_t i = 0; i < c->count; i++)
			ck_assert_uint_eq(stack.pc[i], PC + i);
	}
	/* The same stop once more, of which nothing was sent: the one before is stale. */
	ck_assert_msg(take(records, c->asked_for_frame_pointer, &stack) == 1, "%s: twice", c->name);
	stack_deinit(&stack);
	bpf_records_destroy(records);
}
END_TEST

/* What was read between two stops belongs to the one behind it, and the last one counts. */
START_TEST(last_record_of_the_thread_counts)
{
	struct bpf_records *records = bpf_records_create(true, false, WALK_METHOD_LOOP, false);
	struct stack stack = { .limit = WALK_FRAMES_MAX };
	struct error error;

	ck_assert(!bpf_records_open(records, &error));
	send(TID, PC - 16, SP, 2, false);
	send(TID + 1, PC, SP, 5, false);
	send(TID, PC, SP, 4, false);
	ck_assert_int_eq(take(records, false, &stack), 0);
	ck_assert_uint_eq(stack.count, 4);
	send(TID, PC, SP, 4, false);
	send(TID, PC - 16, SP, 2, false);
	ck_assert_int_eq(take(records, false, &stack), 1);
	send(TID, PC, SP, 4, false);
	ck_assert(!bpf_session_consume(records->session, keep, records, &error));
	bpf_records_forget(records, TID);
	ck_assert_int_eq(take(records, false, &stack), 1);
	stack_deinit(&stack);
	bpf_records_destroy(records);
}
END_TEST

static const struct {
	const char *name;
	bool frame_pointer; /* it is the baseline's */
	uint32_t count;
	bool follow, guessed;
	uint32_t stop;
} stop_cases[] = {
	{ "baseline_below_its_limit", true, 2, false, false, STOP_COMPLETE },
	{ "baseline_at_its_limit_may_have_more", true, 3, false, false, STOP_DEPTH },
	{ "walk_has_another_limit", false, 3, false, false, STOP_COMPLETE },
	{ "nothing_was_guessed", false, 2, true, false, STOP_COMPLETE },
	{ "way_to_the_end_was_guessed", false, 2, true, true, STOP_GUESSED },
	{ "baseline_has_no_marks", true, 2, true, true, STOP_COMPLETE },
};

START_TEST(stop_says_what_a_record_can_not)
{
	struct bpf_records *records = bpf_records_create(true, true, WALK_METHOD_LOOP,
							 stop_cases[_i].follow);
	struct stack stack = { .limit = WALK_FRAMES_MAX };
	struct error error;

	ck_assert(!bpf_records_open(records, &error));
	ck_assert_uint_le(records->helper_limit, WALK_FRAMES_MAX);
	records->helper_limit = 3;
	send(TID, PC, SP, stop_cases[_i].count, stop_cases[_i].frame_pointer);
	if (stop_cases[_i].guessed)
		session.record[session.count - 1].pc[1] |= WALK_PC_GUESSED;
	ck_assert_int_eq(take(records, stop_cases[_i].frame_pointer, &stack), 0);
	ck_assert_uint_eq(stack.count, stop_cases[_i].count);
	ck_assert_msg(stack.stop == stop_cases[_i].stop, "%s: %u", stop_cases[_i].name, stack.stop);
	stack_deinit(&stack);
	bpf_records_destroy(records);
}
END_TEST

/* A session without steps is none: it is closed, and the next time another is tried. */
START_TEST(session_without_steps)
{
	struct bpf_records *records = bpf_records_create(true, true, WALK_METHOD_LOOP, false);
	struct error error = { 0 };

	session.no_steps = true;
	for (int times = 0; times < 2; times++) {
		ck_assert_int_eq(bpf_records_open(records, &error), -1);
		ck_assert_str_eq(error.message, "no step can be seen");
		ck_assert(!session.open);
		ck_assert_str_eq(bpf_records_method(records), "");
		ck_assert(!bpf_records_pass(records, &error));
		bpf_records_forget(records, TID);
	}
	ck_assert_uint_eq(session.consumed, 0);
	session.no_steps = false;
	ck_assert(!bpf_records_open(records, &error));
	ck_assert(session.open);
	ck_assert_str_eq(bpf_records_method(records), "none");
	/* Once is enough. */
	session.no_steps = true;
	ck_assert(!bpf_records_open(records, &error) && session.open);
	bpf_records_destroy(records);
	ck_assert(!session.open);
	bpf_records_destroy(NULL);
}
END_TEST

/* Points that nobody asks about are read now and then, before there is no room for more. */
START_TEST(points_that_are_passed)
{
	struct bpf_records *records = bpf_records_create(true, false, WALK_METHOD_LOOP, false);
	struct error error = { 0 };

	ck_assert(!bpf_records_open(records, &error));
	for (unsigned int passed = 1; passed <= 3 * PASSED_MAX; passed++) {
		ck_assert(!bpf_records_pass(records, &error));
		ck_assert_uint_eq(session.consumed, passed / PASSED_MAX);
	}
	session.no_records = true;
	for (unsigned int passed = 1; passed < PASSED_MAX; passed++)
		ck_assert(!bpf_records_pass(records, &error));
	ck_assert_int_eq(bpf_records_pass(records, &error), -1);
	ck_assert_str_eq(error.message, "no record can be had");
	bpf_records_destroy(records);
}
END_TEST

/* Other entries' records, those that are longer than any, and a session that gives none. */
START_TEST(what_is_no_record_of_a_step)
{
	struct bpf_records *records = bpf_records_create(true, false, WALK_METHOD_LOOP, false);
	struct stack stack = { .limit = WALK_FRAMES_MAX };
	struct error error = { 0 };

	ck_assert(!bpf_records_open(records, &error));
	send(TID, PC, SP, 3, false);
	session.record[0].entry = WALK_ENTRY_STEP + 1;
	ck_assert_int_eq(take(records, false, &stack), 1);
	send(TID, PC, SP, 3, false);
	session.record[0].count = WALK_FRAMES_MAX + 1;
	ck_assert_int_eq(take(records, false, &stack), 1);
	send(TID, PC, SP, WALK_FRAMES_MAX, false);
	ck_assert_int_eq(take(records, false, &stack), 0);
	ck_assert_uint_eq(stack.count, WALK_FRAMES_MAX);
	for (int i = 0; i < WALK_FRAMES_MAX; i++)
		ck_assert_uint_eq(stack.pc[i], PC + i);
	session.no_records = true;
	ck_assert_int_eq(bpf_records_take(records, &stop, false, &stack, &error), -1);
	ck_assert_str_eq(error.message, "no record can be had");
	session.no_records = false;
	records->out_of_memory = true;
	ck_assert_int_eq(bpf_records_take(records, &stop, false, &stack, &error), -1);
	ck_assert_int_eq(error.code, ERROR_MEMORY);
	stack_deinit(&stack);
	bpf_records_destroy(records);
}
END_TEST

/* Walks, not runs of the program: it runs for strangers, too. */
START_TEST(what_the_kernel_counts)
{
	struct bpf_records *records = bpf_records_create(true, true, WALK_METHOD_LOOP, false);
	struct engine_cost cost;
	struct error error;

	ck_assert(!bpf_records_cost(records, false, &cost)); /* not open yet */
	ck_assert(!bpf_records_open(records, &error));
	if (records->stats >= 0)
		close(records->stats);
	records->stats = -1;
	ck_assert(!bpf_records_cost(records, false, &cost));
	records->stats = open("/dev/null", O_RDONLY);
	ck_assert(bpf_records_cost(records, false, &cost) && cost.walks == 7 &&
		  cost.walk_ns == 700);
	ck_assert(bpf_records_cost(records, true, &cost) && cost.walks == 5 && cost.walk_ns == 500);
	session.no_counters = true;
	ck_assert(!bpf_records_cost(records, false, &cost));
	session.no_counters = false;
	session.no_run_time = true;
	ck_assert(!bpf_records_cost(records, false, &cost));
	session.no_run_time = false;
	bpf_records_destroy(records);
}
END_TEST

SUITE(bpf_records, LOOP(record_is_of_this_stop_or_none, cases),
      LOOP(stop_says_what_a_record_can_not, stop_cases), TEST(last_record_of_the_thread_counts),
      TEST(session_without_steps), TEST(points_that_are_passed), TEST(what_is_no_record_of_a_step),
      TEST(what_the_kernel_counts))
