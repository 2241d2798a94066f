/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_session.c - a comparer's listener that stops where it is told to, and asks what next
 *
 * Of each point the comparer tells the truth, then each engine's stack, then that it is whole.
 * Then the point is made into text, for whoever comes back to it, and if it is one to stop at, the
 * person is asked until the answer leads on.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "step.h"

#define LINE_BYTES 1024

struct step_session {
	FILE *in, *out;
	int ended_fd; /* readable once the run is ended from outside */
	bool prompts, quit, ended;
	struct decoder *decoder;
	struct step_history history;
	uint64_t points, shown;
	uint64_t back; /* how far the point that is shown is behind the last one */
	bool at_end;   /* the program's end is what was shown last, not a point */
	struct step_command command;
	/* Where to stop: by command. */
	uint64_t stop_at; /* point; UINT64_MAX: at none */
	pid_t out_of;	  /* a thread: STEP_OUT */
	uint32_t depth;	  /* with fewer frames than that */
	/* Of the point at hand. */
	struct stack truth;
	struct step_stack stack[COMPARE_ENGINES_MAX];
	size_t stack_count;
	const struct engine *engine[COMPARE_ENGINES_MAX]; /* of all who may say something */
	size_t engine_count;
	/* Of the point before: which engines were not exact, and the verdict. */
	uint64_t differing;
	struct judgement judged;
	struct error failure; /* met in a callback that can't end the run */
	bool failed;
};

int step_session_create(FILE *in, FILE *out, bool prompts, int ended_fd, struct step_session **ret,
			struct error *error)
{
	struct step_session *session = calloc(1, sizeof(*session));

	if (!session)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a session");
	session->in = in;
	setvbuf(in, NULL, _IONBF, 0); /* what poll(2) is asked for is not in a buffer */
	session->ended_fd = ended_fd;
	session->out = out;
	session->prompts = prompts;
	session->stop_at = 1;
	session->command = (struct step_command) { .kind = STEP_NEXT, .number = 1 };
	session->decoder = decoder_create(error);
	if (!session->decoder) {
		free(session);
		return -1;
	}
	*ret = session;
	return 0;
}

void step_session_destroy(struct step_session *session)
{
	if (!session)
		return;
	decoder_destroy(session->decoder);
	step_history_deinit(&session->history);
	stack_deinit(&session->truth);
	for (size_t i = 0; i < COMPARE_ENGINES_MAX; i++)
		stack_deinit(&session->stack[i].stack);
	free(session);
}

uint64_t step_session_points(const struct step_session *session)
{
	return session->points;
}

uint64_t step_session_shown(const struct step_session *session)
{
	return session->shown;
}

bool step_session_has_quit(const struct step_session *session)
{
	return session->quit;
}

/* ---- what is told ----------------------------------------------------------------------- */

static void fail(struct step_session *session, const struct error *error)
{
	if (!session->failed)
		session->failure = *error;
	session->failed = true;
}

static void on_evidence(void *context, const struct evidence *evidence)
{
	struct step_session *session = context;
	struct error error;

	session->stack_count = 0;
	if (stack_copy(&session->truth, evidence->truth, &error))
		fail(session, &error);
}

static void on_stack(void *context, const struct point *point, const struct engine *engine,
		     const struct stack *stack)
{
	struct step_session *session = context;
	struct step_stack *at = &session->stack[session->stack_count];
	struct error error;
	uint32_t frames;

	if (stack_copy(&at->stack, stack, &error)) {
		fail(session, &error);
		return;
	}
	at->engine = engine->name;
	at->exact = match_stack(stack, &session->truth, point->stop->shadow->rooted, &frames) ==
		    MATCH_EXACT;
	session->stack_count++;
}

/* ---- where to stop ---------------------------------------------------------------------- */

/* Which engines are not exact: a bit each. */
static uint64_t differing_now(const struct step_session *session)
{
	uint64_t differing = 0;

	for (size_t i = 0, at = 0; i < session->engine_count && at < session->stack_count; i++)
		if (session->stack[at].engine == session->engine[i]->name)
			differing |= (uint64_t)!session->stack[at++].exact << i;
	return differing;
}

/* There is a disagreement, and it is another one than at the point before. */
static bool differs_anew(const struct step_session *session, uint64_t differing,
			 const struct judgement *judgement)
{
	const struct judgement *before = &session->judged;

	if (differing & ~session->differing)
		return true;
	return judgement->verdict != VERDICT_EXACT &&
	       (judgement->verdict != before->verdict || judgement->kind != before->kind);
}

static bool is_call(struct step_session *session, const struct point *point)
{
	struct instruction instruction = decoder_decode(
		session->decoder, point->stop->regs.value[REGISTER_RIP], point->memory);

	return instruction.kind == INSTRUCTION_CALL;
}

static bool stops_here(struct step_session *session, const struct point *point, uint64_t differing,
		       const struct judgement *judgement)
{
	switch (session->command.kind) {
	case STEP_CALL: return is_call(session, point);
	case STEP_OUT:
		return point->stop->tid == session->out_of && session->truth.count < session->depth;
	case STEP_DIFFER: return differs_anew(session, differing, judgement);
	default: return session->points >= session->stop_at;
	}
}

/* ---- the prompt ------------------------------------------------------------------------- */

static void show(struct step_session *session)
{
	const struct step_page *page = step_history_get(&session->history, session->back);

	fputs(page->text, session->out);
	fflush(session->out);
	session->shown++;
}

/* Goes to a point that is known already. False: it is not. */
static bool show_known(struct step_session *session, uint64_t back)
{
	if (!step_history_get(&session->history, back))
		return false;
	session->back = back;
	session->at_end = false;
	show(session);
	return true;
}

static void go_back(struct step_session *session, uint64_t count)
{
	count -= session->at_end;
	if (count > UINT64_MAX - session->back || !show_known(session, session->back + count))
		fputs("no point that far back is kept\n", session->out);
}

/* From the point that is shown to one that many behind it. True: the program must go on. */
static bool go_on(struct step_session *session, uint64_t count)
{
	if (count <= session->back && !session->at_end)
		return !show_known(session, session->back - count);
	count -= session->back;
	session->stop_at = count < UINT64_MAX - session->points ? session->points + count
								: UINT64_MAX;
	return true;
}

static bool go_to(struct step_session *session, uint64_t number)
{
	uint64_t shown = session->points - session->back + session->at_end;

	/* Behind the last point there is the end alone, whatever its number would be. */
	if (number > shown || (number == shown && session->at_end))
		return go_on(session, number - shown);
	if (number < shown)
		go_back(session, shown - number);
	else
		show(session);
	return false;
}

/* Does what was typed. True: the program goes on. */
static bool obey(struct step_session *session, const struct point *point)
{
	const struct step_command *command = &session->command;

	switch (command->kind) {
	case STEP_NOTHING: fprintf(session->out, "%s\n", command->message); return false;
	case STEP_NEXT: return go_on(session, command->number);
	case STEP_GO: return go_to(session, command->number);
	case STEP_BACK: go_back(session, command->number); return false;
	case STEP_HELP: step_command_help(session->out); return false;
	case STEP_OUT:
		session->out_of = point ? point->stop->tid : 0;
		session->depth = session->truth.count;
		return true;
	case STEP_RUN: session->stop_at = UINT64_MAX; return true;
	case STEP_QUIT: session->quit = !session->ended; return true;
	default: return true;
	}
}

/* Waits until there is something to read. False: the run was ended meanwhile, or before. */
static bool wait_for_input(struct step_session *session)
{
	struct pollfd wake[] = { { .fd = session->ended_fd, .events = POLLIN },
				 { .fd = fileno(session->in), .events = POLLIN } };

	/* What has no descriptor has all that it will ever have. */
	while (poll(wake, 2, wake[1].fd < 0 ? 0 : -1) < 0 && errno == EINTR)
		;
	session->ended |= wake[0].revents != 0;
	return !session->ended;
}

/* A line, with its newline if it has one. Bytes in it; 0: there is none. */
static size_t read_line(struct step_session *session, char *ret, size_t size)
{
	size_t used = 0;

	for (int byte = 0; byte != '\n' && wait_for_input(session);) {
		byte = getc(session->in);
		if (byte == EOF)
			break;
		if (used + 1 < size) /* no command is as long as what is cut */
			ret[used++] = (char)byte;
	}
	ret[used] = '\0';
	return used;
}

/* The end of what is typed is the end of all. */
static void read_command(struct step_session *session)
{
	struct step_command before = session->command;
	char line[LINE_BYTES];

	if (session->prompts)
		fputs("step> ", session->out);
	fflush(session->out);
	if (!read_line(session, line, sizeof(line)) || session->ended)
		session->command = (struct step_command) { .kind = STEP_QUIT };
	else
		step_command_parse(line, &before, &session->command);
}

static void ask(struct step_session *session, const struct point *point)
{
	do
		read_command(session);
	while (!obey(session, point));
	session->back = 0;
}

/* The point as text, which is the last page then. */
static int keep_point(struct step_session *session, const struct point *point,
		      const struct judgement *judgement, struct error *error)
{
	struct step_view view = { .number = session->points,
				  .point = point,
				  .judgement = judgement,
				  .truth = &session->truth,
				  .stack = session->stack,
				  .stack_count = session->stack_count,
				  .decoder = session->decoder };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file)
		step_view_print(file, &view);
	if (!file || fclose(file)) {
		free(text);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a point's text");
	}
	step_history_add(&session->history, session->points, text);
	return 0;
}

static int on_point(void *context, const struct point *point, const struct judgement *judgement,
		    struct error *error)
{
	struct step_session *session = context;
	uint64_t differing = differing_now(session);
	bool stops;

	if (session->failed) {
		*error = session->failure;
		return -1;
	}
	session->points++;
	stops = stops_here(session, point, differing, judgement);
	session->differing = differing;
	session->judged = *judgement;
	if (keep_point(session, point, judgement, error))
		return -1;
	if (!stops)
		return 0;
	show(session);
	ask(session, point);
	if (!session->quit && !session->ended)
		return 0;
	errno = EINTR;
	return error_set_errno(error, "ended at the prompt");
}

void step_session_listen(struct step_session *session, struct compare_options *options)
{
	memcpy(session->engine, options->engine, sizeof(session->engine));
	session->engine_count = options->engine_count;
	options->on_evidence = on_evidence;
	options->on_stack = on_stack;
	options->on_point = on_point;
	options->context = session;
}

/* Whoever asks for more of the program hears again that there is none. */
void step_session_end(struct step_session *session, const char *ending)
{
	while (session->history.count && !session->quit && !session->ended) {
		fprintf(session->out, "the program %s; %" PRIu64 " points\n", ending,
			session->points);
		session->at_end = true;
		ask(session, NULL);
	}
}
