/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_session.c - where a session stops, of threads, engines and verdicts that are made up
 *
 * The session is told points as the comparer tells them; what it shows of each is test_step_view.c's.
 * test_step.c steps a program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/tests/compare_world.h"
#include "judge/step/step.h"

#define POINTS_MAX			       9
#define ENGINES				       3
#define TABLE				       VERDICT_TABLE_FAULT
#define READER				       VERDICT_READER_FAULT
#define V(tid, frames, engines, verdict, kind) IN_BRACES(tid, frames, engines, verdict, kind, false)
#define P(tid, frames, engines)		       V(tid, frames, engines, VERDICT_EXACT, FAULT_NONE)
/* At a call instruction. */
#define C(tid, frames, engines) IN_BRACES(tid, frames, engines, VERDICT_EXACT, FAULT_NONE, true)
#define GO_ON			"q\n" /* behind what is typed, so that nothing waits */

static const struct engine one = { .name = "one" }, two = { .name = "two" },
			   three = { .name = "three" };

/* engines: a letter for each: = exact, x not, + it goes on below the truth, - it says nothing. */
struct told {
	pid_t tid;
	uint32_t frames;
	const char *engines;
	enum verdict verdict;
	enum fault_kind kind;
	bool call;
};

#define TOLD(...) .told = { __VA_ARGS__ }

static const struct session_case {
	const char *name, *typed, *shown;
	struct told told[POINTS_MAX];
} cases[] = {
	{ "out_is_of_the_thread_that_was_shown", "o\n", "1/7 4/7 ",
	  TOLD(P(7, 3, "==="), P(8, 1, "==="), P(7, 3, "==="), P(7, 2, "==="), P(7, 1, "===")) },
	{ "out_waits_until_callees_are_left", "o\n", "1/7 5/7 ",
	  TOLD(P(7, 2, "==="), P(7, 3, "==="), P(8, 1, "==="), P(7, 2, "==="), P(7, 1, "==="),
	       P(7, 1, "===")) },
	{ "out_again_is_of_the_frame_that_is_shown_then", "n\no\n\n", "1/7 2/8 4/8 6/8 ",
	  TOLD(P(7, 4, "==="), P(8, 4, "==="), P(7, 1, "==="), P(8, 3, "==="), P(8, 3, "==="),
	       P(8, 1, "==="), P(8, 1, "===")) },
	{ "out_of_the_outermost_frame_is_the_end", "o\n", "1/7 ended ",
	  TOLD(P(7, 1, "==="), P(8, 1, "==="), P(7, 1, "===")) },
	{ "each_engine_that_is_not_exact_any_more", "d\nd\nd\nd\n", "1/7 2/7 4/7 5/7 9/7 ",
	  TOLD(P(7, 2, "==="), P(7, 2, "x=="), P(7, 2, "x=="), P(7, 2, "=x="), P(7, 2, "xx="),
	       P(7, 2, "=x="), P(7, 2, "==="), P(7, 2, "==="), P(7, 2, "==x")) },
	/* Whose stack stands where depends on who said something. */
	{ "of_those_that_say_something", "d\nd\nd\nd\n", "1/7 2/7 3/7 5/7 7/7 ",
	  TOLD(P(7, 2, "==="), P(7, 2, "x--"), P(7, 2, "-x="), P(7, 2, "-x-"), P(7, 2, "--x"),
	       P(7, 2, "---"), P(7, 2, "=-x"), P(7, 2, "==x")) },
	{ "what_is_passed_over_is_no_news_later", "n\nd\nd\n", "1/7 2/7 4/7 ended ",
	  TOLD(P(7, 2, "==="), P(7, 2, "x=="), P(7, 2, "x=="), P(7, 2, "=x=")) },
	{ "another_fault_is_a_disagreement", "d\nd\nd\nd\n", "1/7 2/7 4/7 5/7 7/7 ",
	  TOLD(P(7, 2, "==="), V(7, 2, "===", TABLE, FAULT_WRONG),
	       V(7, 2, "===", TABLE, FAULT_WRONG), V(7, 2, "===", TABLE, FAULT_MISSING),
	       V(7, 2, "===", READER, FAULT_MISSING), P(7, 2, "==="),
	       V(7, 2, "===", READER, FAULT_MISSING)) },
	{ "that_nobody_is_at_fault_any_more_is_none", "n\nd\n", "1/7 2/7 ended ",
	  TOLD(P(7, 2, "==="), V(7, 2, "===", TABLE, FAULT_WRONG), P(7, 2, "===")) },
	{ "calls_of_any_thread", "c\nc\n", "1/7 3/8 5/7 ",
	  TOLD(C(7, 2, "==="), P(7, 2, "==="), C(8, 2, "==="), P(8, 2, "==="), C(7, 2, "===")) },
	/* Where to stop is a command's own. */
	{ "a_command_forgets_the_one_before", "n 2\no\nn\nc\nn\n", "1/7 3/7 4/7 5/7 7/7 8/7 ",
	  TOLD(P(7, 3, "==="), C(7, 3, "==="), P(7, 3, "==="), P(7, 2, "==="), P(7, 1, "==="),
	       P(7, 1, "x=="), C(7, 1, "==="), P(7, 2, "===")) },
	{ "behind_what_was_gone_back_to_all_but_n_and_g_go_on_from_the_last",
	  "n 2\nb 2\nc\nb\nd\nb 5\no\n", "1/7 3/7 1/7 5/7 4/7 6/7 1/7 8/7 ",
	  TOLD(C(7, 3, "==="), C(7, 3, "==="), P(7, 3, "==="), P(7, 3, "==="), C(7, 3, "==="),
	       P(7, 2, "=x="), P(7, 2, "=x="), P(7, 1, "===")) },
	{ "at_the_end_the_last_point_is_one_back", "r\ng 3\nn\ng 4\nb 2\nn\n",
	  "1/7 ended 3/7 ended ended 2/7 3/7 ",
	  TOLD(P(7, 1, "==="), P(7, 1, "==="), P(7, 1, "===")) },
	{ "help_and_nonsense_lead_nowhere", "h\nx\n\nr\nh\n", "1/7 ended ",
	  TOLD(P(7, 1, "==="), P(7, 1, "===")) },
	{ "no_point_no_end", "", "", TOLD({ .frames = 0 }) },
};

struct telling {
	struct world world;
	struct compare_options options;
	struct step_session *session;
	char *text;
	size_t size;
	FILE *in, *out;
};

static void telling_begin(struct telling *t, const char *typed, bool prompts, int ended_fd)
{
	struct error error;

	*t = (struct telling) { .options = { .engine = { &one, &two, &three },
					     .engine_count = ENGINES } };
	world_init(&t->world, BIAS, world_fdes);
	t->world.page[CODE_B - BIAS] = 0xe8; /* call */
	t->world.shadow.rooted = true;
	t->in = fmemopen((void *)typed, strlen(typed), "r");
	t->out = open_memstream(&t->text, &t->size);
	ck_assert(!step_session_create(t->in, t->out, prompts, ended_fd, &t->session, &error));
	step_session_listen(t->session, &t->options);
}

static void telling_end(struct telling *t)
{
	step_session_destroy(t->session);
	fclose(t->in);
	fclose(t->out);
	free(t->text);
	world_deinit(&t->world);
}

/* As the comparer does. What on_point says. */
static int tell(struct telling *t, const struct told *told, struct error *error)
{
	uint64_t pc[8] = { told->call ? CODE_B : CODE_A };
	struct stack truth = { .pc = pc, .count = told->frames, .stop = STOP_COMPLETE };
	struct stack other = { .pc = pc, .count = 7, .stop = STOP_COMPLETE };
	struct stack deeper = { .pc = pc, .count = told->frames + 1, .stop = STOP_COMPLETE };
	const struct judgement judgement = { .verdict = told->verdict, .kind = told->kind };
	const struct evidence evidence = { .point = &t->world.point, .truth = &truth };
	void *context = t->options.context;

	for (int i = 1; i < COUNT(pc); i++)
		pc[i] = CODE_A + 1;
	t->world.stop.tid = told->tid;
	t->world.stop.regs.value[REGISTER_RIP] = pc[0];
	t->options.on_evidence(context, &evidence);
	for (int i = 0; i < ENGINES; i++)
		if (told->engines[i] != '-')
			t->options.on_stack(context, &t->world.point, t->options.engine[i],
					    told->engines[i] == '='   ? &truth
					    : told->engines[i] == '+' ? &deeper
								      : &other);
	return t->options.on_point(context, &t->world.point, &judgement, error);
}

/* "1/7 4/7 ended ": the points, with their threads. */
static char *shown_of(const char *text)
{
	char *copy = strdup(text), *ret = NULL, *rest = NULL;
	size_t size;
	FILE *file = open_memstream(&ret, &size);

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned int point, thread;

		if (sscanf(line, "point %u, thread %u,", &point, &thread) == 2)
			fprintf(file, "%u/%u ", point, thread);
		else if (!strncmp(line, "the program ", 12))
			fputs("ended ", file);
	}
	fclose(file);
	free(copy);
	return ret;
}

START_TEST(where_it_stops)
{
	const struct session_case *c = &cases[_i];
	struct error error;
	struct telling t;
	char typed[64], *shown;
	uint64_t met = 0;

	snprintf(typed, sizeof(typed), "%s" GO_ON, c->typed);
	telling_begin(&t, typed, false, -1);
	for (int i = 0; i < POINTS_MAX && c->told[i].frames; i++) {
		met++;
		if (!tell(&t, &c->told[i], &error))
			continue;
		ck_assert_int_eq(error.system_errno, EINTR);
		ck_assert(step_session_has_quit(t.session));
		break;
	}
	step_session_end(t.session, "is over");
	fflush(t.out);
	shown = shown_of(t.text);
	ck_assert_msg(!strcmp(shown, c->shown), "%s: %s\n%s", c->name, shown, t.text);
	ck_assert_uint_eq(step_session_points(t.session), met);
	ck_assert_int_eq(step_session_has_quit(t.session), met > 0);
	ck_assert_ptr_null(strstr(t.text, "step> "));
	free(shown);
	telling_end(&t);
}
END_TEST

/* Of a stack whose root is not known, what goes on below it is no disagreement. */
START_TEST(below_what_is_known)
{
	static const struct told told[] = { P(7, 2, "==="), P(7, 2, "=+="), P(7, 2, "++x") };
	static const char *const shown[] = { "1/7 ", "1/7 2/7 3/7 " };
	struct error error;
	struct telling t;
	char *got;

	telling_begin(&t, "d\nd\n" GO_ON, false, -1);
	t.world.shadow.rooted = _i;
	for (int i = 0; i < COUNT(told); i++)
		tell(&t, &told[i], &error);
	fflush(t.out);
	got = shown_of(t.text);
	ck_assert_str_eq(got, shown[_i]);
	free(got);
	telling_end(&t);
}
END_TEST

/* ---- what ends it ------------------------------------------------------------------------ */

/* The first failure is the run's end, at this point and not at one that nobody asked for. */
START_TEST(a_stack_that_can_t_be_kept_ends_the_run)
{
	static uint64_t pc[1];
	const struct told told = P(7, 1, "===");
	struct stack longest[] = { { .pc = pc, .count = STACK_FRAMES_MAX + 1 },
				   { .pc = pc, .count = STACK_FRAMES_MAX + 2 } };
	const struct judgement judgement = { .verdict = VERDICT_EXACT };
	struct evidence evidence;
	struct error error;
	struct telling t;
	char wanted[64];

	telling_begin(&t, "r\n" GO_ON, false, -1);
	ck_assert_int_eq(tell(&t, &told, &error), 0);
	evidence = (struct evidence) { .point = &t.world.point, .truth = &longest[_i] };
	if (!_i)
		t.options.on_evidence(t.options.context, &evidence);
	t.options.on_stack(t.options.context, &t.world.point, &one, &longest[1]);
	t.options.on_stack(t.options.context, &t.world.point, &one, &longest[0]);
	ck_assert_int_eq(t.options.on_point(t.options.context, &t.world.point, &judgement, &error),
			 -1);
	snprintf(wanted, sizeof(wanted), "a stack of %u frames; ", STACK_FRAMES_MAX + 1 + _i);
	ck_assert_msg(!strncmp(error.message, wanted, strlen(wanted)), "%s", error.message);
	ck_assert_uint_eq(step_session_points(t.session), 1);
	ck_assert(!step_session_has_quit(t.session));
	telling_end(&t);
}
END_TEST

/* Nobody is asked any more, neither there nor behind the program's end; and nobody has quit. */
START_TEST(a_run_that_was_ended_from_outside)
{
	const struct told told = P(7, 1, "===");
	int fd = eventfd(1, EFD_CLOEXEC);
	struct error error;
	struct telling t;

	telling_begin(&t, "n\nn\n", true, fd);
	ck_assert_int_eq(tell(&t, &told, &error), -1);
	ck_assert_int_eq(error.system_errno, EINTR);
	step_session_end(t.session, "is over");
	fflush(t.out);
	ck_assert_msg(!strncmp(t.text, "point 1, ", 9) && strstr(t.text, "\nstep> ") &&
			      !strstr(t.text, "the program "),
		      "%s", t.text);
	ck_assert(!step_session_has_quit(t.session));
	ck_assert_uint_eq(step_session_shown(t.session), 1);
	telling_end(&t);
	close(fd);
}
END_TEST

/* ---- what is typed ------------------------------------------------------------------------ */

/* A line of any length is one command, and the next line the next. */
START_TEST(a_long_line_is_one_line)
{
	static const int lengths[] = { 1022, 1023, 1024, 5000 };
	const struct told told = P(7, 1, "===");
	char typed[6000];
	struct error error;
	struct telling t;

	memset(typed, 'n', lengths[_i]);
	snprintf(typed + lengths[_i], sizeof(typed) - lengths[_i], "\nn\nq\n");
	telling_begin(&t, typed, true, -1);
	ck_assert_int_eq(tell(&t, &told, &error), 0);
	ck_assert_int_eq(tell(&t, &told, &error), -1);
	fflush(t.out);
	ck_assert_ptr_nonnull(strstr(t.text, "\nstep> no command is called \""
					     "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\": h helps\n"
					     "step> point 2, "));
	telling_end(&t);
}
END_TEST

/* As many points as are kept can be gone back to, and it is said that there is no more. */
START_TEST(the_oldest_points_are_forgotten)
{
	const struct told told = P(7, 1, "===");
	char typed[64], *shown, wanted[64];
	struct error error;
	struct telling t;

	snprintf(typed, sizeof(typed), "r\nb %d\nb\nb\nn\nq\n", STEP_HISTORY_MAX);
	telling_begin(&t, typed, false, -1);
	for (int i = 0; i < STEP_HISTORY_MAX + 2; i++)
		ck_assert_int_eq(tell(&t, &told, &error), 0);
	step_session_end(t.session, "is over");
	fflush(t.out);
	shown = shown_of(t.text);
	snprintf(wanted, sizeof(wanted), "1/7 ended 3/7 4/7 ");
	ck_assert_str_eq(shown, wanted);
	ck_assert_ptr_nonnull(strstr(t.text, "no point that far back is kept\n"
					     "no point that far back is kept\n"));
	ck_assert_uint_eq(step_session_points(t.session), STEP_HISTORY_MAX + 2);
	ck_assert_uint_eq(step_session_shown(t.session), 3);
	free(shown);
	telling_end(&t);
}
END_TEST

SUITE(step_session, LOOP(where_it_stops, cases), TIMES(below_what_is_known, 2),
      TIMES(a_stack_that_can_t_be_kept_ends_the_run, 2), TEST(a_run_that_was_ended_from_outside),
      TIMES(a_long_line_is_one_line, 4), TEST(the_oldest_points_are_forgotten))
