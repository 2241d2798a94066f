/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face_processes.c - following processes through stackproof.h: what is asked of the inside,
 * and what becomes of its answers
 *
 * The inside is a stand-in that notes what it is asked and answers as a case wants. So neither BPF
 * nor a process is needed; test_face_caller.c has both.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "process_events.h"

/* ---- the inside ------------------------------------------------------------------------- */

static struct inside {
	char asked[160];
	int status;		       /* of every question that can fail */
	struct error *refusal;	       /* of a process */
	struct process_stack stack[2]; /* that are given */
	size_t stacks;
	struct address_space space; /* of process 7 */
} inside;

static struct process_events *const events = (struct process_events *)&inside;
static struct bpf_session *const bpf = (struct bpf_session *)&inside.status;
static struct image_store *const store = (struct image_store *)&inside.asked;

__attribute__((format(printf, 1, 2))) static void ask(const char *format, ...)
{
	size_t used = strlen(inside.asked);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(inside.asked + used, sizeof(inside.asked) - used, format, arguments);
	va_end(arguments);
}

static int answer(struct error *error)
{
	if (!inside.status)
		return 0;
	return error_set(error, ERROR_UNAVAILABLE, "inside", 9, "the inside says no");
}

static int open_noted(struct bpf_session *session, struct image_store *given,
		      const struct process_events_options *options, struct process_events **ret,
		      struct error *error)
{
	ck_assert(session == bpf && given == store);
	ask("open %d %u;", options->pid, options->pages);
	*ret = events;
	return answer(error);
}

static void close_noted(struct process_events *given)
{
	ck_assert(given == events);
	ask("close;");
}

static int add_noted(struct process_events *given, struct error *error)
{
	ck_assert(given == events);
	ask("add;");
	return answer(error);
}

static int fd_noted(const struct process_events *given)
{
	ck_assert(given == events);
	return 17;
}

static int poll_noted(struct process_events *given, struct error *error)
{
	ck_assert(given == events);
	ask("poll;");
	return answer(error);
}

static int consume_noted(struct process_events *given, process_stack_fn fn, void *context,
			 struct error *error)
{
	ck_assert(given == events);
	ask("consume;");
	for (size_t i = 0; i < inside.stacks; i++)
		fn(context, &inside.stack[i]);
	return answer(error);
}

static int hold_noted(struct process_events *given, uint64_t *ret_unsent, struct error *error)
{
	ck_assert(given == events);
	ask("hold;");
	*ret_unsent = 3;
	return answer(error);
}

static int give_noted(struct process_events *given, process_stack_fn fn, void *context,
		      uint64_t most_ns, bool *ret_more, struct error *error)
{
	ck_assert(given == events);
	ask("give %llu;", (unsigned long long)most_ns);
	*ret_more = most_ns == 5;
	return answer(error);
}

static const struct address_space *space_noted(const struct process_events *given, pid_t pid)
{
	ck_assert(given == events);
	return pid == 7 ? &inside.space : NULL;
}

/* Each number is another bit: a sum has one of its own, too. */
static void counters_noted(const struct process_events *given, struct process_events_counters *ret)
{
	ck_assert(given == events);
	*ret = (struct process_events_counters) {
		.maps = 1 << 0,
		.execs = 1 << 1,
		.forks = 1 << 2,
		.exits = 1 << 3,
		.lost = 1 << 4,
		.malformed = 1 << 5,
		.late = 1 << 6,
		.resyncs = 1 << 7,
		.readings = 1 << 8,
		.vanished = 1 << 9,
		.reading_ns = 1 << 10,
		.giving_ns = 1 << 11,
		.refused = 1 << 12,
		.processes = 1 << 13,
		.stacks = 1 << 14,
		.raced = 1 << 15,
		.lost_memory = 1 << 16,
		.waiting = 1 << 17,
		.checks = 1 << 18,
		.mistaken = 1 << 19,
		.unopened = 1 << 20,
	};
}

static const struct error *refusal_noted(const struct process_events *given)
{
	ck_assert(given == events);
	return inside.refusal;
}

#define process_events_open	     open_noted
#define process_events_close	     close_noted
#define process_events_add_existing  add_noted
#define process_events_fd	     fd_noted
#define process_events_poll	     poll_noted
#define process_events_consume	     consume_noted
#define process_events_hold_counts   hold_noted
#define process_events_give_held     give_noted
#define process_events_space	     space_noted
#define process_events_counters(...) counters_noted(__VA_ARGS__)
#define process_events_refusal	     refusal_noted
/* The tag of a structure has no bracket behind it, and stays as it is. */
#include "face_processes.c"

static struct stackproof_session session;
static struct stackproof_images images;

static void begin(void)
{
	inside = (struct inside) { .status = 0 };
	session.session = bpf;
	session.owner = getpid();
	images.store = store;
}

static struct stackproof_processes *opened(void)
{
	struct stackproof_processes *ret;

	begin();
	ck_assert(!stackproof_processes_open(&session, &images, NULL, &ret, NULL));
	inside.asked[0] = 0;
	return ret;
}

/* ---- opening ---------------------------------------------------------------------------- */

#define OPTIONS(...) IN_BRACES(.size = sizeof(struct stackproof_processes_options), __VA_ARGS__)

static const struct {
	const char *name;
	struct stackproof_processes_options options;
	bool other_owner;
	int inside_says;
	const char *asked, *kind, *message; /* kind: of the error; NULL: it opens */
} opens[] = {
	{ "defaults", OPTIONS(), .asked = "open 0 0;close;" },
	{ "one_process", OPTIONS(.pid = 1), .asked = "open 1 0;close;" },
	{ "a_page", OPTIONS(.pid = 5, .ring_pages = 1), .asked = "open 5 1;close;" },
	{ "two_pages", OPTIONS(.ring_pages = 2), .asked = "open 0 2;close;" },
	{ "most_pages", OPTIONS(.ring_pages = 1u << 31), .asked = "open 0 2147483648;close;" },
	{ "three_pages", OPTIONS(.ring_pages = 3), .kind = "argument",
	  .message = "3 pages are no power of two" },
	{ "all_pages", OPTIONS(.ring_pages = UINT32_MAX), .kind = "argument",
	  .message = "4294967295 pages are no power of two" },
	{ "no_process", OPTIONS(.pid = -1), .kind = "argument",
	  .message = "there is no process -1" },
	{ "options_of_no_size",
	  { .size = 7 },
	  .kind = "argument",
	  .message = "options say a size of 7 bytes" },
	{ "another_owner", OPTIONS(), .other_owner = true, .kind = "argument",
	  .message = "process 1 opened this" },
	{ "the_inside_says_no", OPTIONS(), .inside_says = -1, .asked = "open 0 0;",
	  .kind = "unavailable", .message = "the inside says no" },
};

START_TEST(options_are_looked_at_and_handed_on)
{
	struct stackproof_processes *processes = NULL;
	struct stackproof_error error = { .code = 0 };

	begin();
	session.owner = opens[_i].other_owner ? 1 : getpid();
	inside.status = opens[_i].inside_says;
	ck_assert_int_eq(stackproof_processes_open(&session, &images, &opens[_i].options,
						   &processes, &error),
			 opens[_i].kind ? -1 : 0);
	ck_assert_str_eq(error.kind, opens[_i].kind ? opens[_i].kind : "");
	ck_assert_str_eq(error.message, opens[_i].kind ? opens[_i].message : "");
	ck_assert((processes == NULL) == (opens[_i].kind != NULL));
	stackproof_processes_close(processes);
	ck_assert_str_eq(inside.asked, opens[_i].asked ? opens[_i].asked : "");
}
END_TEST

/* ---- what has been opened --------------------------------------------------------------- */

static void no_stack(void *context, const struct stackproof_stack *stack)
{
	ck_abort_msg("a stack is given");
}

/* In a child of fork(2) nothing is asked of the inside, and nothing is freed. */
START_TEST(another_process_is_told_no)
{
	struct stackproof_processes *processes = opened();
	struct stackproof_error error = { .code = 0 };

	processes->owner = 1;
	ck_assert_int_eq(stackproof_processes_add_existing(processes, &error), -1);
	ck_assert_str_eq(error.message, "process 1 opened this");
	error.message[0] = 0;
	ck_assert_int_eq(stackproof_processes_consume(processes, no_stack, NULL, &error), -1);
	ck_assert_str_eq(error.message, "process 1 opened this");
	ck_assert_int_eq(stackproof_processes_hold_counts(processes, NULL, NULL), -1);
	ck_assert_int_eq(stackproof_processes_give_held(processes, no_stack, NULL, 5, NULL, NULL),
			 -1);
	ck_assert_int_eq(stackproof_processes_take_counts(processes, no_stack, NULL, NULL, NULL),
			 -1);
	stackproof_processes_close(processes);
	ck_assert_str_eq(inside.asked, "");
	processes->owner = getpid();
	stackproof_processes_close(processes);
	ck_assert_str_eq(inside.asked, "close;");
}
END_TEST

START_TEST(each_function_asks_its_own)
{
	struct stackproof_processes *processes = opened();
	struct stackproof_error error = { .code = 0 };

	ck_assert_int_eq(stackproof_processes_fd(processes), 17);
	for (int status = 0; status >= -1; status--) {
		const char *message = status ? "the inside says no" : "";

		inside.status = status;
		inside.asked[0] = 0;
		ck_assert_int_eq(stackproof_processes_add_existing(processes, &error), status);
		ck_assert_str_eq(error.message, message);
		error.message[0] = 0;
		ck_assert_int_eq(stackproof_processes_consume(processes, no_stack, NULL, &error),
				 status);
		ck_assert_str_eq(error.message, message);
		error.message[0] = 0;
		ck_assert_int_eq(stackproof_processes_consume(processes, NULL, NULL, &error),
				 status);
		ck_assert_str_eq(error.message, message);
		ck_assert_str_eq(inside.asked, "add;consume;poll;");
	}
	inside.status = 0;
	stackproof_processes_close(processes);
}
END_TEST

START_TEST(counts_are_held_and_given)
{
	struct stackproof_processes *processes = opened();
	struct stackproof_error error = { .code = 0 };
	uint64_t unsent = 0;
	int more = 7;

	ck_assert(!stackproof_processes_hold_counts(processes, &unsent, &error));
	ck_assert_uint_eq(unsent, 3);
	ck_assert(!stackproof_processes_hold_counts(processes, NULL, &error));
	ck_assert(!stackproof_processes_give_held(processes, no_stack, NULL, 5, &more, &error));
	ck_assert_int_eq(more, 1);
	ck_assert(!stackproof_processes_give_held(processes, no_stack, NULL, 6, &more, &error));
	ck_assert_int_eq(more, 0);
	ck_assert_int_eq(stackproof_processes_give_held(processes, NULL, NULL, 6, &more, &error),
			 -1);
	ck_assert_str_eq(error.message, "nobody takes the stacks");
	unsent = 0;
	ck_assert(!stackproof_processes_take_counts(processes, no_stack, NULL, &unsent, &error));
	ck_assert_uint_eq(unsent, 3);
	ck_assert_int_eq(stackproof_processes_take_counts(processes, NULL, NULL, NULL, NULL), -1);
	ck_assert_str_eq(inside.asked, "hold;hold;give 5;give 6;hold;give 18446744073709551615;");
	inside.status = -1;
	ck_assert_int_eq(stackproof_processes_hold_counts(processes, NULL, &error), -1);
	ck_assert_str_eq(error.message, "the inside says no");
	error.message[0] = 0;
	ck_assert_int_eq(
		stackproof_processes_give_held(processes, no_stack, NULL, 5, &more, &error), -1);
	ck_assert_str_eq(error.message, "the inside says no");
	ck_assert_int_eq(more, 1);
	inside.status = 0;
	stackproof_processes_close(processes);
}
END_TEST

struct taken {
	int count;
	struct stackproof_stack stack[2];
	const struct address_space *space[2];
};

static void take(void *context, const struct stackproof_stack *stack)
{
	struct taken *taken = context;

	ck_assert_int_lt(taken->count, 2);
	taken->space[taken->count] = stack->space ? stack->space->space : NULL;
	taken->stack[taken->count++] = *stack;
}

START_TEST(stacks_say_whether_they_are_raced_and_by_which_mappings)
{
	struct stackproof_processes *processes = opened();
	struct walk_record *record = calloc(1, sizeof(*record));
	struct taken taken = { 0 };

	ck_assert_ptr_nonnull(record);
	record->pid = 41;
	record->count = 1;
	record->pc[0] = 0x1234;
	inside.stack[0] = (struct process_stack) { .record = record, .raced = true, .times = 1 };
	inside.stack[1] =
		(struct process_stack) { .record = record, .space = &inside.space, .times = 5 };
	inside.stacks = 2;
	ck_assert(!stackproof_processes_consume(processes, take, &taken, NULL));
	ck_assert_int_eq(taken.count, 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(taken.stack[i].pid, 41);
		ck_assert_uint_eq(taken.stack[i].count, 1);
		ck_assert(taken.stack[i].pc == session.pc);
		ck_assert_uint_eq(taken.stack[i].times, i ? 5 : 1);
		ck_assert_uint_eq(taken.stack[i].raced, i == 0);
		ck_assert(taken.space[i] == inside.stack[i].space);
	}
	ck_assert_uint_eq(session.pc[0], 0x1234);
	free(record);
	stackproof_processes_close(processes);
}
END_TEST

START_TEST(a_process_has_its_mappings_or_none)
{
	struct stackproof_processes *processes = opened();
	const struct stackproof_space *space = stackproof_processes_space(processes, 7);

	ck_assert(space && space->space == &inside.space);
	ck_assert_ptr_null(stackproof_processes_space(processes, 8));
	stackproof_processes_close(processes);
}
END_TEST

START_TEST(each_counter_is_its_own)
{
	struct stackproof_processes *processes = opened();
	struct stackproof_processes_counters got =
		STACKPROOF_INIT(struct stackproof_processes_counters);
	struct stackproof_error error;
	struct error refusal;

	ck_assert(!stackproof_processes_counters(processes, &got, NULL));
	ck_assert_uint_eq(got.size, sizeof(got));
	ck_assert_uint_eq(got.maps, 1 << 0);
	ck_assert_uint_eq(got.execs, 1 << 1);
	ck_assert_uint_eq(got.forks, 1 << 2);
	ck_assert_uint_eq(got.exits, 1 << 3);
	ck_assert_uint_eq(got.lost, 1 << 4 | 1 << 5 | 1 << 6);
	ck_assert_uint_eq(got.refused, 1 << 12);
	ck_assert_uint_eq(got.processes, 1 << 13);
	ck_assert_uint_eq(got.stacks, 1 << 14);
	ck_assert_uint_eq(got.raced, 1 << 15);
	ck_assert_uint_eq(got.lost_memory, 1 << 16);
	ck_assert_uint_eq(got.waiting, 1 << 17);
	ck_assert_uint_eq(got.checks, 1 << 18);
	ck_assert_uint_eq(got.mistaken, 1 << 19);
	ck_assert_uint_eq(got.unopened, 1 << 20);
	ck_assert_uint_eq(got.refusal.code, STACKPROOF_OK);
	ck_assert_str_eq(got.refusal.message, "");
	error_set(&refusal, ERROR_TABLE_LIMIT, "", 0, "no room");
	inside.refusal = &refusal;
	ck_assert(!stackproof_processes_counters(processes, &got, NULL));
	ck_assert_uint_eq(got.refusal.code, STACKPROOF_ERROR_LIMIT);
	ck_assert_str_eq(got.refusal.message, "no room");
	got.size = sizeof(got.size) - 1;
	ck_assert_int_eq(stackproof_processes_counters(processes, &got, &error), -1);
	ck_assert_str_eq(error.message, "a result says a size of 7 bytes");
	stackproof_processes_close(processes);
}
END_TEST

SUITE(face_processes, LOOP(options_are_looked_at_and_handed_on, opens),
      TEST(another_process_is_told_no), TEST(each_function_asks_its_own),
      TEST(counts_are_held_and_given), TEST(counts_are_held_and_given),
      TEST(stacks_say_whether_they_are_raced_and_by_which_mappings),
      TEST(a_process_has_its_mappings_or_none), TEST(each_counter_is_its_own))
