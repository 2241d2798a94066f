/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile.c - `stackproof profile`: the stacks of a program, a process or the machine, as a profile
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/cli/command_line.h"
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/gate/gate.h"
#include "commands.h"
#include "commit.h"
#include "plain_text.h"
#include "profiles/record/record.h"
#include "profiles/top/top.h"
#include "profiles/view/view.h"
#include "profiles/write/push.h"
#include "profiles/write/write.h"

#define PUSH_TARGETS_MAX 8
#define PUSH_HEADERS_MAX 16
#define PUSH_WAIT_MS	 10000 /* at the end */

enum {
	OPTION_PID = 'p',
	OPTION_RATE = 'F',
	OPTION_EVENT = 'e',
	OPTION_OUTPUT = 'o',
	OPTION_FORMAT = 'f',
	OPTION_DRAIN = 256,
	OPTION_PUSH,
	OPTION_PUSH_HEADER,
	OPTION_SPOOL_BYTES,
	OPTION_OFF_CPU_MIN,
	OPTION_INTERVAL,
	OPTION_TOP,
};

struct arguments {
	struct record_options record;
	const char *output;
	enum profile_format format;
	bool page; /* in place of a format */
	bool all;
	bool json;
	bool off_cpu_min;
	bool drain, interval, top;
	const char *target[PUSH_TARGETS_MAX];
	const char *header[PUSH_HEADERS_MAX];
	struct profile_push_options push;
	struct profile_push *pushing;
	struct profile_top *screen;
	unsigned int parts; /* files of them */
	struct gate gate;
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "every process on every CPU (without a PID or a COMMAND: this)", 0 },
	{ "drain", OPTION_DRAIN, "SECONDS", 0,
	  "take what the kernel has counted so often (default 30), and push it", 0 },
	{ "duration", INTO_SECONDS(arguments, record.duration_ms), "SECONDS", 0,
	  "end after so long; else with the process, or at ^C", 0 },
	{ "event", OPTION_EVENT, "EVENT", 0,
	  "what is sampled: cpu-clock (default), cycles, off-cpu (for how long threads are off "
	  "their CPUs), tracepoint:NAME (each time that this raw "
	  "tracepoint fires), uprobe:FILE:FUNCTION[+OFFSET] (FILE: a path, or a library's name), "
	  "uprobe:FILE:OFFSET, uretprobe:FILE:FUNCTION (each time that it has returned)",
	  0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "of the output: pprof (default), folded, perf-script, otlp, or page: HTML with a flame "
	  "graph",
	  0 },
	{ "frame-pointers", INTO_FLAG(arguments, record.frame_pointers), NULL, 0,
	  "where there is no CFI, as in Go's code, go on by the frame pointer: such stacks are "
	  "never complete",
	  0 },
	{ "inlined", INTO_FLAG(arguments, record.inlined), NULL, 0,
	  "name inlined functions, too, where the image has DWARF; that takes time", 0 },
	{ "interval", OPTION_INTERVAL, "SECONDS", 0, "with --top: so often (default 1)", 0 },
	{ "json", INTO_FLAG(arguments, json), NULL, 0,
	  "the account as one JSON object on standard output", 0 },
	{ "no-kernel", INTO_FLAG(arguments, record.no_kernel), NULL, 0,
	  "leave the kernel's own stacks out", 0 },
	{ "off-cpu-min", OPTION_OFF_CPU_MIN, "USEC", 0,
	  "with --event off-cpu: shorter times are counted without a stack (default 1)", 0 },
	{ "output", OPTION_OUTPUT, "FILE", 0,
	  "where the profile goes (default profile.pb.gz; of a page profile.html); DIR/: a file "
	  "for each part, when it was taken",
	  0 },
	{ "pid", OPTION_PID, "PID", 0, "this process and all that it starts", 0 },
	{ "push", OPTION_PUSH, "otlp=URL|parca=URL", OPTION_AGAIN,
	  "send the profile to a server, too, each part when it was taken; again for more", 0 },
	{ "push-header", OPTION_PUSH_HEADER, "NAME: VALUE", OPTION_AGAIN,
	  "send this with it, as a token of the server's; again for more", 0 },
	{ "rate", OPTION_RATE, "HZ", 0, "ticks in a second of CPU time (default 97)", 0 },
	{ "spool", INTO_TEXT(arguments, push.spool), "DIR", 0,
	  "keep what no server takes in this folder, and send it later", 0 },
	{ "spool-bytes", OPTION_SPOOL_BYTES, "N", 0, "at most so much of it (default 64 MiB)", 0 },
	{ "top", OPTION_TOP, NULL, 0,
	  "functions of the last ten intervals, live in the terminal; with --output FILE the whole "
	  "profile is written at the end, too",
	  0 },
	{ NULL },
};

/* "FILE:FUNCTION", "FILE:FUNCTION+OFFSET" or "FILE:OFFSET": no function's name begins with a digit. */
static void parse_uprobe(struct argp_state *state, struct record_options *record, char *text)
{
	char *colon = strrchr(text, ':'), *plus;

	if (!colon || colon == text || !colon[1] || colon[1] == '+')
		argp_error(state, "--event uprobe:FILE:FUNCTION[+OFFSET] or uprobe:FILE:OFFSET");
	*colon = 0;
	record->event_name = text;
	record->event = RECORD_UPROBE;
	if (colon[1] >= '0' && colon[1] <= '9') {
		record->event_offset = option_address(state, colon + 1, "--event");
		return;
	}
	record->event_symbol = colon + 1;
	plus = strchr(colon + 1, '+');
	if (!plus)
		return;
	*plus = 0;
	record->event_offset = option_address(state, plus + 1, "--event");
}

/* "sched_switch", or as perf names it, "sched:sched_switch". */
static void parse_tracepoint(struct argp_state *state, struct record_options *record,
			     const char *text)
{
	const char *colon = strrchr(text, ':');

	record->event = RECORD_TRACEPOINT;
	record->event_name = colon ? colon + 1 : text;
	if (!record->event_name[0])
		argp_error(state, "--event tracepoint:NAME");
}

static void parse_event(struct argp_state *state, struct record_options *record, char *text)
{
	if (!strcmp(text, "cpu-clock")) {
		record->event = RECORD_CPU_CLOCK;
	} else if (!strcmp(text, "cycles")) {
		record->event = RECORD_CYCLES;
	} else if (!strcmp(text, "off-cpu")) {
		record->event = RECORD_OFF_CPU;
	} else if (!strncmp(text, "tracepoint:", 11)) {
		parse_tracepoint(state, record, text + 11);
	} else if (!strncmp(text, "uprobe:", 7)) {
		parse_uprobe(state, record, text + 7);
	} else if (!strncmp(text, "uretprobe:", 10)) {
		parse_uprobe(state, record, text + 10);
		/* Anywhere else the program would be damaged. */
		if (!record->event_symbol || record->event_offset)
			argp_error(state, "--event uretprobe:FILE:FUNCTION");
		record->event_returns = true;
	} else {
		argp_error(state, "--event takes cpu-clock, cycles, off-cpu, tracepoint:NAME, "
				  "uprobe:FILE:FUNCTION[+OFFSET], uprobe:FILE:OFFSET or "
				  "uretprobe:FILE:FUNCTION");
	}
}

static void parse_format(struct argp_state *state, struct arguments *arguments, const char *text)
{
	enum profile_format format = profile_format_find(text);

	arguments->page = !strcmp(text, "page");
	if (!arguments->page && format != PROFILE_PPROF && format != PROFILE_FOLDED &&
	    format != PROFILE_PERF_SCRIPT && format != PROFILE_OTLP)
		argp_error(state, "--format takes pprof, folded, perf-script, otlp or page");
	arguments->format = format;
}

/* A file for each part goes into it. */
static bool is_folder(const char *output)
{
	return output && output[0] && output[strlen(output) - 1] == '/';
}

static void check_top(struct argp_state *state, struct arguments *arguments)
{
	if (arguments->interval && !arguments->top)
		argp_error(state, "--interval is for --top");
	if (!arguments->top)
		return;
	if (arguments->push.targets || arguments->drain || is_folder(arguments->output))
		argp_error(state, "--top shows parts: it has no --drain, --push or --output DIR/");
	if (!profile_top_possible())
		argp_error(state, "--top needs a terminal as standard input and standard output");
	if (!arguments->interval)
		arguments->record.drain_ms = 1000;
	arguments->record.no_terminal = true;
}

static void check(struct argp_state *state, struct arguments *arguments)
{
	struct record_options *record = &arguments->record;

	if (!!record->pid + !!record->argv + arguments->all > 1)
		argp_error(state, "either --all, --pid or a COMMAND");
	if (arguments->page && is_folder(arguments->output))
		argp_error(state, "a page has all of a profile, and --output DIR/ has parts");
	if (arguments->push.spool && !arguments->push.targets)
		argp_error(state, "--spool is for --push");
	if (arguments->off_cpu_min && record->event != RECORD_OFF_CPU)
		argp_error(state, "--off-cpu-min is for --event off-cpu");
	if (record->event >= RECORD_TRACEPOINT)
		record->rate_hz = 0;
	check_top(state, arguments);
	if (!arguments->output && !arguments->push.targets && !arguments->top)
		arguments->output = arguments->page ? "profile.html" : "profile.pb.gz";
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'a': arguments->all = true; return 0;
	case OPTION_PID:
		arguments->record.pid = option_between(state, argument, "--pid", 1, INT32_MAX);
		return 0;
	case OPTION_RATE:
		arguments->record.rate_hz = option_between(state, argument, "--rate", 1, 100000);
		return 0;
	case OPTION_DRAIN:
		arguments->record.drain_ms = option_seconds(state, argument, "--drain");
		arguments->drain = true;
		return 0;
	case OPTION_INTERVAL:
		arguments->record.drain_ms = option_seconds(state, argument, "--interval");
		arguments->interval = true;
		return 0;
	case OPTION_TOP: arguments->top = true; return 0;
	case OPTION_OFF_CPU_MIN:
		arguments->record.off_least_ns =
			1000 * option_between(state, argument, "--off-cpu-min", 0, UINT32_MAX);
		arguments->off_cpu_min = true;
		return 0;
	case OPTION_EVENT: parse_event(state, &arguments->record, argument); return 0;
	case OPTION_OUTPUT: arguments->output = option_text(state, argument, "--output"); return 0;
	case OPTION_FORMAT: parse_format(state, arguments, argument); return 0;
	case OPTION_PUSH:
		if (arguments->push.targets == PUSH_TARGETS_MAX)
			argp_error(state, "at most %d servers", PUSH_TARGETS_MAX);
		if (!profile_push_is_target(argument))
			argp_error(state,
				   "--push takes otlp=URL or parca=URL, of http or https: %s",
				   PLAIN_TEXT(argument));
		arguments->target[arguments->push.targets++] = argument;
		return 0;
	case OPTION_PUSH_HEADER:
		if (arguments->push.headers == PUSH_HEADERS_MAX || !strchr(argument, ':'))
			argp_error(state, "--push-header takes \"NAME: VALUE\", at most %d times",
				   PUSH_HEADERS_MAX);
		arguments->header[arguments->push.headers++] = argument;
		return 0;
	case OPTION_SPOOL_BYTES:
		arguments->push.spool_bytes = option_between(state, argument, "--spool-bytes", 1,
							     INT64_MAX);
		return 0;
	case ARGP_KEY_ARGS: arguments->record.argv = state->argv + state->next; return 0;
	case ARGP_KEY_SUCCESS: check(state, arguments); return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Samples a command, a process or the whole machine, without frame pointers: each "
	       "stack is walked in the kernel by the CFI, counted there, named, and written as a "
	       "profile. What could not be walked is in it, too, with the reason as a frame.",
};

/* ---- parts --------------------------------------------------------------------------------- */

/* DIR/20261201T004500Z-1.pb.gz */
static int write_part(struct arguments *arguments, const struct collected *part,
		      struct error *error)
{
	const time_t start = part->start_ns / 1000000000;
	char when[32] = "", path[PATH_MAX];
	struct tm utc;

	if (gmtime_r(&start, &utc))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	if (snprintf(path, sizeof(path), "%s%s-%u.%s", arguments->output, when, ++arguments->parts,
		     arguments->format == PROFILE_PPROF
			     ? "pb.gz"
			     : profile_format_name(arguments->format)) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return error_set_errno(error, "%s", arguments->output);
	}
	return profile_write(part, arguments->format, path, error);
}

static void take_part(void *context, struct collected *part)
{
	struct arguments *arguments = context;
	struct error error;

	if (is_folder(arguments->output) && part->samples && write_part(arguments, part, &error)) {
		error_print(stderr, NULL, &error);
		gate_add_status(&arguments->gate, EXIT_ENVIRONMENT);
	}
	if (arguments->pushing)
		profile_push_add(arguments->pushing, part);
	if (arguments->screen)
		profile_top_add(arguments->screen, part);
}

static void print_push(FILE *file, const struct push_account *account)
{
	fprintf(file, "pushed: %" PRIu64 " of %" PRIu64 " parts", account->sent,
		account->made + account->found);
	if (account->kept)
		fprintf(file, ", %" PRIu64 " kept", account->kept);
	for (int drop = 0; drop < PUSH_DROP_COUNT; drop++)
		if (account->dropped[drop])
			fprintf(file, ", %" PRIu64 " dropped (%s)", account->dropped[drop],
				push_drop_text(drop));
	fprintf(file, "%s%s\n", account->last[0] ? "; " : "", PLAIN_TEXT(account->last));
}

static json_t *push_json(const struct push_account *account)
{
	json_t *object = json_object(), *dropped = json_object();

	json_object_set_new(object, "made", json_integer(account->made));
	json_object_set_new(object, "found", json_integer(account->found));
	json_object_set_new(object, "sent", json_integer(account->sent));
	json_object_set_new(object, "kept", json_integer(account->kept));
	for (int drop = 0; drop < PUSH_DROP_COUNT; drop++)
		if (account->dropped[drop])
			json_object_set_new(dropped, push_drop_name(drop),
					    json_integer(account->dropped[drop]));
	json_object_set_new(object, "dropped", dropped);
	return object;
}

/* What the command's events are called. */
static const char *events_of(const struct arguments *arguments)
{
	return collected_words(record_collected_type(&arguments->record))->events;
}

static void report(const struct arguments *arguments, const struct record_result *result,
		   const struct push_account *account)
{
	json_t *object;

	if (!arguments->json) {
		if (result->sessions) /* else it never began, and why has been said */
			record_print(stderr, result, events_of(arguments));
		if (result->sessions && arguments->output && !result->ticks)
			fprintf(stderr, "%s is not written: there were no %s\n",
				PLAIN_TEXT(arguments->output), events_of(arguments));
		if (arguments->push.targets)
			print_push(stderr, account);
		return;
	}
	object = record_json(result);
	if (arguments->push.targets)
		json_object_set_new(object, "push", push_json(account));
	gate_json(&arguments->gate, object);
	json_line(stdout, object);
}

/* The account must come out: ticks are stacks and losses, and all of them are in the profile. */
static void judge(struct arguments *arguments, const struct record_result *result,
		  const struct push_account *account)
{
	struct gate *gate = &arguments->gate;

	gate_check(gate, result->stacks);
	gate_leave(gate, GATE_LOST_TICKS, record_losses(result));
	if (result->ticks != result->stacks + record_losses(result) ||
	    result->collected != result->ticks) {
		fprintf(stderr,
			"the account does not come out: %" PRIu64 " %s, %" PRIu64
			" stacks, %" PRIu64 " lost, %" PRIu64 " in the profile\n",
			result->ticks, events_of(arguments), result->stacks, record_losses(result),
			result->collected);
		gate->findings++;
	}
	for (int drop = 0; drop < PUSH_DROP_COUNT; drop++)
		if (account->dropped[drop])
			gate->environment = true;
	if (result->clocks_lost)
		gate->environment = true;
	if (arguments->record.argv && WIFEXITED(result->status) &&
	    WEXITSTATUS(result->status) == CHILD_NOT_RUN && !result->stacks) {
		gate->environment = true;
		if (arguments->top) /* its own message is dropped */
			fprintf(stderr, "%s was not executed\n",
				PLAIN_TEXT(arguments->record.argv[0]));
	}
}

static int begin_parts(struct arguments *arguments, const struct record_result *result,
		       struct error *error)
{
	const bool folder = is_folder(arguments->output);

	if (!arguments->push.targets && !folder && !arguments->top)
		return 0;
	if (folder && mkdir(arguments->output, 0777) &&
	    (errno != EEXIST || access(arguments->output, W_OK | X_OK)))
		return error_set_errno(error, "%s", arguments->output);
	arguments->record.on_drain = take_part;
	arguments->record.context = arguments;
	arguments->record.in_parts = folder || !arguments->output;
	if (arguments->top)
		return profile_top_begin(&arguments->record, result, &arguments->screen, error);
	if (!arguments->push.targets)
		return 0;
	arguments->push.target = arguments->target;
	arguments->push.header = arguments->header;
	return profile_push_create(&arguments->push, &arguments->pushing, error);
}

static int write_output(const struct arguments *arguments, const struct collected *whole,
			const struct record_result *result, struct error *error)
{
	const struct profile_page page = { .collected = whole,
					   .options = &arguments->record,
					   .result = result,
					   .version = STACKPROOF_VERSION STACKPROOF_COMMIT };

	if (arguments->page)
		return profile_page_write(&page, arguments->output, error);
	return profile_write(whole, arguments->format, arguments->output, error);
}

static bool is_fifo(const char *path)
{
	struct stat at;

	return path && !stat(path, &at) && S_ISFIFO(at.st_mode);
}

static void run(struct arguments *arguments, struct ending_signals *signals,
		struct collected *whole)
{
	struct push_account account = { 0 };
	struct record_result result = { 0 };
	struct error error;
	int status = 0;

	arguments->record.signals = signals;
	if (arguments->output && !is_folder(arguments->output))
		status = output_file_check(arguments->output, &error);
	if (!status)
		status = begin_parts(arguments, &result, &error);
	if (!status)
		status = record_run(&arguments->record, whole, &result, &error);
	profile_top_end(arguments->screen);
	if (status) {
		error_print(stderr, "profile", &error);
		gate_add_status(&arguments->gate,
				error.code == ERROR_UNAVAILABLE && !error_is_environment(&error)
					? EXIT_SKIPPED
					: exit_status_of_error(&error));
	}
	/* Who opens a FIFO waits for its reader, and may have to be ended. */
	if (is_fifo(arguments->output))
		ending_signals_release(signals);
	if (arguments->output && !arguments->record.in_parts && whole->samples &&
	    write_output(arguments, whole, &result, &error)) {
		error_print(stderr, NULL, &error);
		gate_add_status(&arguments->gate, EXIT_ENVIRONMENT);
	}
	profile_push_destroy(arguments->pushing, PUSH_WAIT_MS, &account);
	judge(arguments, &result, &account);
	report(arguments, &result, &account);
	ending_signals_release(signals);
}

/* A name that nothing has is the fault of who typed it. */
static bool is_no_name(const struct error *error)
{
	return error->code == ERROR_SYSTEM && error->system_errno == ENOENT;
}

int command_profile(int argc, char **argv)
{
	struct arguments arguments = {
		.record = { .rate_hz = 97, .drain_ms = 30000, .off_least_ns = 1000 },
		.format = PROFILE_PPROF,
		.gate = { .unit = "stacks" },
	};
	struct ending_signals signals;
	struct collected whole;
	char event_file[PATH_MAX];
	struct error error;

	argp_err_exit_status = EXIT_USAGE;
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	if (arguments.record.argv &&
	    output_files_are_program(FILE_NAMES(arguments.output), arguments.record.argv[0]))
		return EXIT_USAGE;
	child_ends_are_kept();
	if (ending_signals_hold(&signals, &error)) {
		error_print(stderr, "profile", &error);
		return exit_status_of_error(&error);
	}
	if (record_event_find(&arguments.record, event_file, &error)) {
		error_print(stderr, "--event", &error);
		return is_no_name(&error) ? EXIT_USAGE : exit_status_of_error(&error);
	}
	child_full_file_is_an_error();
	collected_init(&whole, record_collected_type(&arguments.record));
	run(&arguments, &signals, &whole);
	collected_deinit(&whole);
	return gate_status(&arguments.gate);
}
