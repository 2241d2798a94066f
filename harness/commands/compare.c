/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare.c - `stackproof compare`: step a real program, hold engines against the truth
 */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "commands/options.h"
#include "compare.h"
#include "harness.h"
#include "replay/recording.h"

enum {
	OPTION_BIND_NOW = 256,
	OPTION_EACH,
	OPTION_EVERY,
	OPTION_FOLLOW,
	OPTION_FROM,
	OPTION_JSON,
	OPTION_TIMEOUT,
	OPTION_LIMIT,
	OPTION_METHOD,
	OPTION_OUTPUT,
	OPTION_RECORD,
	OPTION_REGISTERS,
};

static const struct argp_option options[] = {
	{ "engine", 'e', "ENGINE,...", 0,
	  "engines to score (default: all): cfi, table, bpf, fp, libdw, libunwind", 0 },
	{ "bind-now", OPTION_BIND_NOW, NULL, 0,
	  "the dynamic loader resolves every symbol before the program begins (LD_BIND_NOW)", 0 },
	{ "each", OPTION_EACH, NULL, 0,
	  "every argument is a program without arguments, compared one after the other; NDJSON, "
	  "with a \"begin\" and an \"end\" object around each one's, on both output streams",
	  0 },
	{ "every", OPTION_EVERY, "N", 0, "compare at every Nth instruction (default 1)", 0 },
	{ "follow-frame-pointers", OPTION_FOLLOW, NULL, 0,
	  "where there is no CFI, the engines bpf and table go on by the frame pointer; such "
	  "frames "
	  "are marked, and counted apart",
	  0 },
	{ "from", OPTION_FROM, "SYMBOL", 0,
	  "compare from SYMBOL's first execution on; _start: from the program's entry point, the "
	  "dynamic loader unstepped (default: the first instruction of all)",
	  0 },
	{ "json", OPTION_JSON, NULL, 0, "NDJSON on standard output", 0 },
	{ "limit", OPTION_LIMIT, "POINTS", 0, "end the program after so many points", 0 },
	{ "method", OPTION_METHOD, "loop|chain", 0,
	  "how the BPF walk goes round: bpf_loop or tail calls (default: probed)", 0 },
	{ "output", OPTION_OUTPUT, NULL, 0, "let the program's own output through", 0 },
	{ "record", OPTION_RECORD, "DIR", 0,
	  "keep what each point's walk needs in DIR/PROGRAM.recording, for `stackproof replay`",
	  0 },
	{ "registers", OPTION_REGISTERS, NULL, 0,
	  "hold the callee-saved registers that the CFI brings back against the truth too", 0 },
	{ "timeout", OPTION_TIMEOUT, "SECONDS", 0, "give up after so long (default 600)", 0 },
	{ NULL },
};

struct arguments {
	struct compare_options compare;
	struct tracer_options tracer;
	bool json;
	bool each;
	const char *record; /* a folder; or NULL */
};

/* A program's recording while it runs. */
struct recorder {
	struct recording_writer *writer; /* NULL: nothing is recorded */
	struct error error;
	bool failed;
};

static void parse_engines(struct argp_state *state, struct compare_options *compare, char *list)
{
	char *name, *rest = list;

	compare->engine_count = 0;
	while ((name = strsep(&rest, ","))) {
		const struct engine *engine = engine_find(name);

		if (!engine)
			argp_error(state, "no engine is called '%s'", name);
		for (size_t i = 0; i < compare->engine_count; i++)
			if (compare->engine[i] == engine)
				argp_error(state, "engine '%s' is named twice", name);
		compare->engine[compare->engine_count++] = engine;
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct compare_options *compare = &arguments->compare;
	struct tracer_options *tracer = &arguments->tracer;

	switch (key) {
	case 'e': parse_engines(state, compare, argument); return 0;
	case OPTION_BIND_NOW:
		if (setenv("LD_BIND_NOW", "1", 1))
			argp_failure(state, EXIT_ENVIRONMENT, errno, "LD_BIND_NOW");
		return 0;
	case OPTION_EACH: arguments->each = arguments->json = true; return 0;
	case OPTION_EVERY: tracer->every = option_number(state, argument, "--every"); return 0;
	case OPTION_FOLLOW: compare->follow_frame_pointers = true; return 0;
	case OPTION_FROM: tracer->from = argument; return 0;
	case OPTION_JSON: arguments->json = true; return 0;
	case OPTION_LIMIT:
		tracer->point_limit = option_number(state, argument, "--limit");
		return 0;
	case OPTION_METHOD:
		if (strcmp(argument, "loop") != 0 && strcmp(argument, "chain") != 0)
			argp_error(state, "--method takes loop or chain");
		compare->method = argument;
		return 0;
	case OPTION_OUTPUT: tracer->silence_output = false; return 0;
	case OPTION_RECORD: arguments->record = argument; return 0;
	case OPTION_REGISTERS: compare->registers = true; return 0;
	case OPTION_TIMEOUT:
		tracer->timeout_ms = option_number(state, argument, "--timeout") * 1000;
		return 0;
	case ARGP_KEY_ARGS: tracer->argv = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "-- PROGRAM [ARGUMENT...]",
	.doc = "Steps PROGRAM one instruction at a time, asks each engine for the stack, and says "
	       "whose "
	       "fault it is where one is wrong.",
};

/* The program is missing or can't be executed; everything else is the environment's fault. */
static bool is_bad_input(const struct error *error)
{
	switch (error->code) {
	case ERROR_NOT_ELF:
	case ERROR_ELF_BOUNDS:
	case ERROR_UNSUPPORTED_ELF: return true;
	case ERROR_SYSTEM:
		return error->system_errno == ENOENT || error->system_errno == EACCES ||
		       error->system_errno == ENOEXEC;
	default: return false;
	}
}

/* ---- recording -------------------------------------------------------------------------- */

static void record_point(void *context, const struct evidence *evidence)
{
	struct recorder *recorder = context;
	const struct point *point = evidence->point;

	if (recorder->writer && !recorder->failed)
		recorder->failed = recording_writer_point(recorder->writer, point->space,
							  point->regs, point->memory,
							  &recorder->error);
}

static int recorder_begin(struct recorder *recorder, const char *folder, const char *program,
			  struct error *error)
{
	const char *name = strrchr(program, '/');
	char path[RECORDING_PATH_MAX];

	recorder->failed = false;
	if (!folder)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s.recording", folder, name ? name + 1 : program) >=
	    (int)sizeof(path))
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the recording's path is too long");
	return recording_writer_create(path, program, &recorder->writer, error);
}

/* whole: the program was compared to its end. Of half a run there is no recording. */
static int recorder_end(struct recorder *recorder, bool whole, struct error *error)
{
	struct recording_writer *writer = recorder->writer;

	recorder->writer = NULL;
	return writer ? recording_writer_close(writer, whole, error) : 0;
}

/* ---- one program ------------------------------------------------------------------------ */

/* How the comparison of one program ended. */
struct ending {
	int status;	/* the exit status that it alone would give */
	bool timed_out; /* the program was killed for that */
	char message[sizeof(((struct error *)0)->message)];
};

/* Compares one program and prints the result. */
static struct ending compare_program(struct comparer *comparer, const struct arguments *arguments,
				     struct recorder *recorder, char *const *argv)
{
	struct tracer_options tracer = arguments->tracer;
	struct ending ending = { .status = EXIT_OK };
	struct comparison comparison;
	const char *program = argv[0];
	struct error error;
	size_t skipped = 0;

	tracer.argv = argv;
	int status = recorder_begin(recorder, arguments->record, program, &error);

	if (!status) {
		status = comparer_run(comparer, &tracer, &comparison, &error);

		struct error failure;

		if (recorder_end(recorder, !status, &failure) && !status) {
			comparison_deinit(&comparison);
			error = failure;
			status = -1;
		}
	}
	if (status) {
		error_print(stderr, program, &error);
		snprintf(ending.message, sizeof(ending.message), "%s", error.message);
		ending.status = is_bad_input(&error) ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT;
		ending.timed_out = error.code == ERROR_TIMEOUT;
		return ending;
	}
	if (arguments->json)
		compare_print_json(stdout, program, &comparison);
	else
		compare_print_text(stdout, program, &comparison);
	for (size_t i = 0; i < comparison.engine_count; i++)
		skipped += comparison.engine[i].skipped;
	if (comparison_is_thin(&comparison)) {
		snprintf(ending.message, sizeof(ending.message),
			 "the truth is thin: it proves little");
		fprintf(stderr, "%s: %s\n", program, ending.message);
		ending.status = EXIT_FINDINGS;
	}
	if (comparison_has_findings(&comparison))
		ending.status = EXIT_FINDINGS;
	if (skipped == comparison.engine_count)
		ending.status = EXIT_SKIPPED;
	comparison_deinit(&comparison);
	return ending;
}

/*
 * Between a begin and an end lies one program's result, whatever becomes of the next. On both
 * streams: who reads them from two pipes has nothing else to tell whose a message is. Takes the
 * object.
 */
static void print_mark(json_t *object)
{
	char *line = json_dumps(object, JSON_COMPACT);

	if (line) {
		printf("%s\n", line);
		fflush(stdout);
		fprintf(stderr, "%s\n", line);
	}
	free(line);
	json_decref(object);
}

static void print_begin(const char *program)
{
	print_mark(json_pack("{s:s, s:s}", "type", "begin", "program", program));
}

static void print_end(const char *program, const struct ending *ending)
{
	json_t *message = json_string(ending->message);

	print_mark(json_pack("{s:s, s:s, s:i, s:o, s:b}", "type", "end", "program", program,
			     "status", ending->status, "message",
			     message ? message : json_string("(not UTF-8)"), "timed_out",
			     ending->timed_out));
}

/* The worst of many: an environment that failed, bad input, findings, all skipped, nothing. */
static int worse(int one, int other)
{
	static const int order[] = { EXIT_ENVIRONMENT, EXIT_BAD_INPUT, EXIT_FINDINGS, EXIT_OK };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (one == order[i] || other == order[i])
			return order[i];
	return EXIT_SKIPPED;
}

/* Every argument is a program. The worst status. */
static int compare_each(struct comparer *comparer, const struct arguments *arguments,
			struct recorder *recorder)
{
	int status = EXIT_SKIPPED;

	for (char *const *program = arguments->tracer.argv; *program; program++) {
		char *argv[] = { *program, NULL };

		print_begin(*program);
		struct ending ending = compare_program(comparer, arguments, recorder, argv);
		print_end(*program, &ending);
		status = program == arguments->tracer.argv ? ending.status
							   : worse(status, ending.status);
	}
	return status;
}

int command_compare(int argc, char **argv)
{
	struct arguments arguments = {
		.tracer = { .timeout_ms = 600000, .silence_output = true },
	};
	struct recorder recorder = { 0 };
	struct comparer *comparer;
	struct error error;
	int status;

	for (size_t i = 0; engine_at(i); i++)
		arguments.compare.engine[arguments.compare.engine_count++] = engine_at(i);
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	if (arguments.record) {
		arguments.compare.on_evidence = record_point;
		arguments.compare.context = &recorder;
	}
	if (comparer_create(&arguments.compare, &comparer, &error)) {
		error_print(stderr, NULL, &error);
		return EXIT_ENVIRONMENT;
	}
	if (arguments.each)
		status = compare_each(comparer, &arguments, &recorder);
	else
		status = compare_program(comparer, &arguments, &recorder, arguments.tracer.argv)
				 .status;
	comparer_destroy(comparer);
	return status;
}
