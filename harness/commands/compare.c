/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare.c - `stackproof compare`: step a real program, hold engines against the truth
 */
#include <argp.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/exit_status.h"
#include "base/cases/cases.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "judge/compare/compare.h"
#include "base/cli/point_progress.h"
#include "judge/compare/compare_stacks.h"
#include "judge/disputes/disputes.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/ignore/ignore.h"
#include "judge/replay/recording.h"
#include "judge/stepping/attach_options.h"
#include "judge/stepping/stepping.h"
#include "analysis/synthesis/synthesis.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"

enum {
	OPTION_EACH = 256,
	OPTION_METHOD,
	OPTION_OUTPUT,
	OPTION_REQUIRE,
	OPTION_SYNTHESIZE,
	OPTION_TABLE,
};

struct arguments {
	struct compare_options compare;
	struct engine_list engines;
	unsigned int engine_timeout_ms;
	struct stepping stepping;
	struct attach_options attach;
	struct ending_signals signals;
	bool json;
	bool each;
	struct gate gate;
	struct cases_options cases;
	const char *record; /* a folder; or NULL */
	const char *ignore; /* a file; or NULL */
	const char *stacks; /* a file; or NULL */
	struct dispute_wish wish;
	struct requirement requirement[REQUIREMENTS_MAX];
	size_t requirement_count;
	struct compare_synthesized synthesized;
};

static const struct argp_option options[] = {
	{ "engine", 'e', "ENGINE,...", OPTION_AGAIN,
	  "engines to score (default: the first six): cfi, table, bpf, fp, libdw, libunwind; "
	  "libgcc, perf8k (or perf), perf16k, perf32k, perf64k, scan, sframe; all: those that are "
	  "built "
	  "in; or NAME=COMMAND, NAME=FILE.so [ARGUMENT], NAME=bpf:OBJECT.bpf.o[:PROGRAM], one of "
	  "your own (docs/ENGINES.md). May "
	  "be given several times",
	  0 },
	{ "at", INTO_COUNT64(arguments, wish.at), "POINT", 0,
	  "which point --case keeps: its number, from 1 on", 0 },
	{ "bundle", INTO_TEXT(arguments, wish.folder), "DIR", 0,
	  "for a bug report: of each kind of finding the first point whose truth is proven, in a "
	  "folder below DIR each, with its case, a report, the rows and the code of the function, "
	  "and the binary",
	  0 },
	{ "case", INTO_TEXT(arguments, wish.file), "FILE", 0,
	  "keep the point of --at as a case: a file on which `stackproof replay' asks the engines "
	  "again, on any machine and without privilege",
	  0 },
	{ "each", OPTION_EACH, NULL, 0,
	  "every argument is a program without arguments, compared one after the other; NDJSON, "
	  "with a \"begin\" and an \"end\" object around each one's, on both output streams",
	  0 },
	{ "engine-timeout", INTO_SECONDS(arguments, engine_timeout_ms), "SECONDS", 0,
	  "how long an engine of your own may take for one answer (default 10)", 0 },
	{ "follow-frame-pointers", INTO_FLAG(arguments, compare.follow_frame_pointers), NULL, 0,
	  "where there is no CFI, the engines bpf and table go on by the frame pointer; such "
	  "frames are marked, and counted apart",
	  0 },
	{ "ignore", INTO_TEXT(arguments, ignore), "FILE", 0,
	  "findings that don't decide the exit status: a line each, image, function, kind, last "
	  "day or -, reason, separated by tabs",
	  0 },
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "method", OPTION_METHOD, "loop|chain", 0,
	  "how the BPF walk goes round: bpf_loop or tail calls (default: probed)", 0 },
	{ "output", OPTION_OUTPUT, NULL, 0, "let the program's own output through", 0 },
	{ "record", INTO_TEXT(arguments, record), "DIR", 0,
	  "keep what each point's walk needs in DIR/PROGRAM.recording, for `stackproof replay`",
	  0 },
	{ "registers", INTO_FLAG(arguments, compare.registers), NULL, 0,
	  "hold the callee-saved registers that the CFI brings back against the truth too", 0 },
	{ "require", OPTION_REQUIRE, "ENGINE.FIELD>=NUMBER", OPTION_AGAIN,
	  "the exit status is 1 unless it holds; also with <=, >, <, ==; again for more: exact, "
	  "truncated, wrong, extra, false_complete in percent of the engine's points, "
	  "exact_points, ... and points as counts, ns and bytes of a stack",
	  0 },
	{ "stacks", INTO_TEXT(arguments, stacks), "FILE", 0,
	  "write each point's stacks, the true one and every engine's, as NDJSON", 0 },
	{ "synthesize", OPTION_SYNTHESIZE, NULL, 0,
	  "functions without CFI get the rows that their code proves, for the engines cfi, table "
	  "and bpf",
	  0 },
	{ "table", OPTION_TABLE, "cfi|sframe|sframe,cfi", 0,
	  "what the tables of the engines table and bpf are made of (default: cfi); sframe,cfi: of "
	  "the CFI in an image without SFrame",
	  0 },
	{ NULL },
};

static int synthesize(void *context, struct image *image, struct error *error)
{
	struct compare_synthesized *sums = context;
	struct synthesis_sums more = { 0 };
	int result = synthesis_attach(&more, image, error);

	sums->images += more.images;
	sums->functions += more.functions;
	sums->written += more.written;
	sums->replaced += more.replaced;
	return result;
}

static void add_engines(struct argp_state *state, const char *list, struct engine_list *engines)
{
	struct error error;

	if (engine_list_add(engines, list, &error))
		argp_error(state, "--engine: %s", error.message);
}

static void parse_requirement(struct argp_state *state, struct arguments *arguments,
			      const char *text)
{
	struct error error;

	if (arguments->requirement_count == REQUIREMENTS_MAX)
		argp_error(state, "--require: more than %d", REQUIREMENTS_MAX);
	if (requirement_parse(text, &arguments->requirement[arguments->requirement_count], &error))
		argp_error(state, "--require: %s", error.message);
	arguments->requirement_count++;
}

static enum compare_table table_option(struct argp_state *state, const char *text)
{
	for (enum compare_table table = COMPARE_TABLE_CFI; table <= COMPARE_TABLE_SFRAME_OR_CFI;
	     table++)
		if (!strcmp(text, compare_table_name(table)))
			return table;
	argp_error(state, "--table: '%s' is not cfi, sframe or sframe,cfi", text);
	return COMPARE_TABLE_CFI;
}

/* Who reads what is kept makes tables of the CFI; and so is what is synthesized. */
static void check_table(struct argp_state *state, const struct arguments *arguments)
{
	if (arguments->compare.table == COMPARE_TABLE_CFI)
		return;
	if (arguments->record || arguments->wish.file || arguments->wish.folder ||
	    arguments->compare.prepare)
		argp_error(state,
			   "--record, --case, --bundle and --synthesize are of the CFI's "
			   "tables, not of --table=%s",
			   compare_table_name(arguments->compare.table));
}

/* Those that were named, or those that are asked unless somebody says otherwise. */
static void choose_engines(struct argp_state *state, struct arguments *arguments)
{
	struct engine_list *list = &arguments->engines;
	struct error error;

	if (!list->count && engine_list_add_built_in(list, false, &error))
		argp_error(state, "--engine: %s", error.message);
	memcpy(arguments->compare.engine, list->engine, sizeof(list->engine));
	arguments->compare.engine_count = list->count;
	engine_list_limit(list, arguments->engine_timeout_ms,
			  arguments->stepping.tracer.timeout_ms);
}

/* Each is of an engine that will be asked: behind all options it is known which are. One by its
 * other name gets its own. */
static void check_requirements(struct argp_state *state, struct arguments *arguments)
{
	const struct compare_options *compare = &arguments->compare;

	for (size_t i = 0; i < arguments->requirement_count; i++) {
		char *name = arguments->requirement[i].engine;
		const struct engine *built_in = engine_find(name);
		bool asked = false;

		if (built_in)
			snprintf(name, sizeof(arguments->requirement[i].engine), "%s",
				 built_in->name);
		for (size_t at = 0; at < compare->engine_count; at++)
			asked |= !strcmp(compare->engine[at]->name, name);
		if (!asked && built_in)
			argp_error(state, "--require: '%s' is not among the engines of --engine",
				   name);
		if (!asked)
			argp_error(state, "--require: no engine is called '%s'", name);
	}
}

/* A case is of one point of one program. */
static void check_wish(struct argp_state *state, struct arguments *arguments)
{
	struct dispute_wish *wish = &arguments->wish;

	if (!wish->file != !wish->at)
		argp_error(state, "--case and --at need each other");
	if (wish->file && arguments->each)
		argp_error(state, "--case is of one program, not of each");
	wish->follows = arguments->compare.follow_frame_pointers;
	wish->engines = &arguments->engines;
}

/* A process or a program; and what is kept of points is of one process's. */
static void check_attach(struct argp_state *state, struct arguments *arguments)
{
	const struct tracer_attach *attach = &arguments->attach.attach;

	if (!attach->pid && !arguments->stepping.tracer.argv)
		argp_usage(state);
	if (attach->pid && arguments->stepping.tracer.argv)
		argp_error(state, "--pid is of a process that runs, and starts no program");
	if (attach->children && arguments->each)
		argp_error(state, "--children is of one program, not of each");
	if (attach->children && (arguments->record || arguments->stacks || arguments->wish.file ||
				 arguments->wish.folder))
		argp_error(state, "--record, --stacks, --case and --bundle are of one process, "
				  "not of its children");
	attach_options_apply(state, &arguments->attach, arguments->stepping.estimate,
			     &arguments->stepping.tracer);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct compare_options *compare = &arguments->compare;
	struct tracer_options *tracer = &arguments->stepping.tracer;

	switch (key) {
	case 'e': add_engines(state, argument, &arguments->engines); return 0;
	case OPTION_EACH: arguments->each = arguments->json = true; return 0;
	case OPTION_METHOD: compare->method = option_method(state, argument); return 0;
	case OPTION_OUTPUT: tracer->silence_output = false; return 0;
	case OPTION_REQUIRE: parse_requirement(state, arguments, argument); return 0;
	case OPTION_SYNTHESIZE:
		compare->prepare = synthesize;
		compare->prepare_context = &arguments->synthesized;
		compare->synthesized = &arguments->synthesized;
		return 0;
	case OPTION_TABLE: compare->table = table_option(state, argument); return 0;
	case ARGP_KEY_ARGS: tracer->argv = state->argv + state->next; return 0;
	case ARGP_KEY_END:
		choose_engines(state, arguments);
		check_requirements(state, arguments);
		check_wish(state, arguments);
		check_table(state, arguments);
		if (arguments->stepping.estimate && arguments->each)
			argp_error(state, "--estimate is of one program, not of each");
		check_attach(state, arguments);
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 },
					      { &cases_argp, 0, NULL, 0 },
					      { &stepping_argp, 0, NULL, 0 },
					      { &attach_argp, 0, NULL, 0 },
					      { 0 } };

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse,
	.args_doc = "-- PROGRAM [ARGUMENT...]\n--pid=PID",
	.doc = "Steps PROGRAM one instruction at a time, asks each engine for the stack, and says "
	       "whose "
	       "fault it is where one is wrong.",
};

/* ---- recording -------------------------------------------------------------------------- */

/* What is told of each point. */
struct listener {
	struct recording_writer *writer; /* at hand; recording_begin() puts it there */
	struct compare_stacks *stacks;	 /* NULL: they are not asked for */
	struct dispute_keeper *keeper;	 /* NULL: no case is */
	uint64_t points;		 /* of the program at hand, so far */
	unsigned int readings;		 /* of the last one */
	struct point_progress progress;
	struct ignore_list ignore;
};

static void on_judgement(void *context, const struct point *point,
			 const struct judgement *judgement)
{
	struct listener *listener = context;

	point_progress_point(&listener->progress);
}

static void on_evidence(void *context, const struct evidence *evidence)
{
	struct listener *listener = context;
	const struct point *point = evidence->point;
	struct error error; /* it sticks: closing says it */

	listener->points++;
	listener->readings = 0;
	if (listener->writer) {
		recording_writer_truth(listener->writer, evidence->truth,
				       point->stop->shadow->rooted &&
					       evidence->truth->stop != STOP_DEPTH);
		recording_writer_point(listener->writer, point->space, point->regs, point->memory,
				       &error);
	}
	if (listener->stacks)
		compare_stacks_evidence(listener->stacks, evidence);
	if (listener->keeper)
		dispute_keeper_evidence(listener->keeper, evidence);
}

static void on_stack(void *context, const struct point *point, const struct engine *engine,
		     const struct stack *stack)
{
	const struct listener *listener = context;

	if (listener->stacks)
		compare_stacks_stack(listener->stacks, point, engine, stack);
	if (listener->keeper)
		dispute_keeper_stack(listener->keeper, engine, stack);
}

static int on_point(void *context, const struct point *point, const struct judgement *judgement,
		    struct error *error)
{
	const struct listener *listener = context;

	if (listener->stacks && compare_stacks_point(listener->stacks, point, judgement, error))
		return -1;
	return listener->keeper ? dispute_keeper_point(listener->keeper, point, judgement, error)
				: 0;
}

static int on_reading(void *context, const struct point *point, const struct stack *truth,
		      uint64_t *ret_mark, struct error *error)
{
	struct listener *listener = context;

	/* The second reading is the CFI's. */
	*ret_mark = 2 * (listener->points - 1) + (listener->readings++ > 0);
	return 0;
}

static void on_proven(void *context, uint64_t mark, uint64_t count, bool proven)
{
	const struct listener *listener = context;

	bool is_claim = mark & 1;

	if (listener->keeper)
		dispute_keeper_settle(listener->keeper, mark / 2 + 1, is_claim, proven);
	if (is_claim != proven)
		return;
	if (listener->writer)
		recording_writer_unproven(listener->writer, mark / 2);
	if (listener->stacks)
		compare_stacks_settle(listener->stacks, mark / 2, is_claim);
}

static void on_mappings(void *context)
{
	const struct listener *listener = context;

	if (listener->stacks)
		compare_stacks_mappings(listener->stacks);
	if (listener->keeper)
		dispute_keeper_mappings(listener->keeper);
}

/* Who listens. -1: the file can't be begun. */
static int begin_listening(struct arguments *arguments, struct listener *listener,
			   struct error *error)
{
	struct compare_options *compare = &arguments->compare;

	compare->context = listener;
	compare->on_judgement = on_judgement;
	bool keeps = arguments->wish.file || arguments->wish.folder;

	if (!arguments->record && !arguments->stacks && !keeps)
		return 0;
	compare->on_evidence = on_evidence;
	compare->on_reading = on_reading;
	compare->on_proven = on_proven;
	if (!arguments->stacks && !keeps)
		return 0;
	compare->on_stack = on_stack;
	compare->on_point = on_point;
	compare->on_mappings = on_mappings;
	if (keeps && dispute_keeper_create(&arguments->wish, &listener->keeper, error))
		return -1;
	return arguments->stacks
		       ? compare_stacks_create(arguments->stacks, &listener->stacks, error)
		       : 0;
}

static int recording_begin(const char *folder, const char *program, struct recording_writer **ret,
			   struct error *error)
{
	const char *slash = strrchr(program, '/');
	FREED char *path = NULL;

	if (asprintf(&path, "%s/%s.recording", folder, slash ? slash + 1 : program) < 0)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	return recording_writer_create(path, program, ret, error);
}

/*
 * Compares one program, and records it if that is asked for. Of half a run there is no recording.
 * False: not all went well; ret has what was found until then, and why it went wrong.
 */
static bool run_program(struct comparer *comparer, struct arguments *arguments,
			struct listener *listener, char *const *argv, struct comparison *ret)
{
	struct tracer_options tracer = arguments->stepping.tracer;
	struct error failure;
	bool whole;

	tracer.argv = argv;
	listener->points = 0;
	if (arguments->record &&
	    recording_begin(arguments->record, argv[0], &listener->writer, &failure)) {
		memset(ret, 0, sizeof(*ret));
		ret->cut.early = failure;
		ret->cut.ending = TRACER_FAILED;
		return false;
	}
	if (listener->stacks)
		compare_stacks_begin(listener->stacks, argv[0]);
	if (listener->keeper)
		dispute_keeper_begin(listener->keeper, argv[0]);
	point_progress_start(&listener->progress, argv[0], tracer.point_limit);
	listener->progress.bar.live &= tracer.silence_output; /* or the two lines would mix */
	whole = comparer_run_far(comparer, &tracer, ret);
	point_progress_end(&listener->progress);
	if (!arguments->each) /* what is printed now may be ended by them */
		ending_signals_release(&arguments->signals);
	if (listener->stacks)
		compare_stacks_end(listener->stacks, run_cut_word(&ret->cut));
	if (arguments->record && recording_writer_close(listener->writer, whole, &failure) &&
	    whole) {
		ret->cut.early = failure; /* the comparison itself is whole */
		return false;
	}
	if (listener->keeper && dispute_keeper_end(listener->keeper, stderr, &failure) && whole) {
		ret->cut.early = failure;
		return false;
	}
	return whole;
}

/* ---- one program ------------------------------------------------------------------------ */

/* How the comparison of one program ended. */
struct ending {
	int status;	  /* the exit status that it alone would give */
	bool timed_out;	  /* the program was killed for that */
	bool interrupted; /* nothing more is to be begun */
	char message[sizeof(((struct error *)0)->message)];
};

static int judge_comparison(const char *program, const struct comparison *comparison,
			    struct ending *ret)
{
	struct gate gate;

	comparison_gate(comparison, &gate);
	if (gate.checked && comparison_is_thin(comparison)) {
		snprintf(ret->message, sizeof(ret->message), "the truth is thin: it proves little");
		fprintf(stderr, "%s: %s\n", PLAIN_TEXT(program), ret->message);
	}
	return gate_status(&gate);
}

/* Prints the result. What can't be printed was not said. */
static void print_comparison(const struct arguments *arguments, const char *program,
			     const struct comparison *comparison, struct ending *ret)
{
	struct error error;

	if (arguments->json)
		compare_print_json(stdout, program, comparison);
	else
		compare_print_text(stdout, program, comparison);
	if (!fflush(stdout) && !ferror(stdout))
		return;
	error_set_errno(&error, "the result could not be written");
	error_print(stderr, program, &error);
	snprintf(ret->message, sizeof(ret->message), "%s", error.message);
	ret->status = EXIT_ENVIRONMENT;
}

/* A program is a case, and an engine that could not be asked is one that was skipped. */
static void add_cases(struct cases *cases, const char *program, const struct comparison *comparison,
		      const struct ending *ending)
{
	const uint64_t *verdict = comparison->verdict;
	char message[512];

	if (ending->message[0])
		snprintf(message, sizeof(message), "%s", ending->message);
	else
		snprintf(message, sizeof(message), "%llu of %llu points exact, %llu table faults",
			 (unsigned long long)verdict[VERDICT_EXACT],
			 (unsigned long long)comparison->points,
			 (unsigned long long)verdict[VERDICT_TABLE_FAULT]);
	struct judged_case *judged = cases_add(cases, "compare", program,
					       case_status_of(ending->status), message);
	judged->seconds = comparison->elapsed_ns / 1e9;
	for (size_t i = 0; i < comparison->findings.count; i++) {
		const struct finding *finding = &comparison->findings.finding[i];

		if (!finding->count)
			continue;
		snprintf(message, sizeof(message), "%s (%s) x %llu at %s%s%s",
			 verdict_name(finding->first.verdict), fault_kind_name(finding->first.kind),
			 (unsigned long long)finding->count, finding->place,
			 finding->ignored ? "; ignored: " : "",
			 finding->ignored ? finding->ignored : "");
		case_output(judged, message);
	}
	for (size_t i = 0; i < comparison->engine_count; i++)
		if (comparison->engine[i].skipped)
			cases_add(cases, program, comparison->engine[i].engine->name, CASE_SKIPPED,
				  comparison->engine[i].skip.message);
}

/* Judges one result and prints it, or what there is of it. well: the run was whole. */
static struct ending report(struct arguments *arguments, struct listener *listener,
			    const char *program, bool well, struct comparison *comparison)
{
	struct ending ending = { .status = EXIT_OK };

	ignore_list_apply(&listener->ignore, comparison);
	comparison->strict = arguments->gate.strict;
	comparison->requirement = arguments->requirement;
	comparison->requirement_count = arguments->requirement_count;
	if (well)
		ending.status = judge_comparison(program, comparison, &ending);
	if (well || comparison->points || run_cut_from_outside(&comparison->cut))
		print_comparison(arguments, program, comparison, &ending);
	if (!well) {
		error_print(stderr, program, &comparison->cut.early);
		snprintf(ending.message, sizeof(ending.message), "%s",
			 comparison->cut.early.message);
		ending.status = comparison->points ? EXIT_ENVIRONMENT
						   : exit_status_of_error(&comparison->cut.early);
		ending.timed_out = comparison->cut.ending == TRACER_TIMEOUT;
		ending.interrupted = comparison->cut.ending == TRACER_INTERRUPTED;
	}
	add_cases(&arguments->cases.cases, program, comparison, &ending);
	return ending;
}

/* The results of all processes that had points; or the first one's, if none had. */
static struct ending report_all(struct arguments *arguments, struct listener *listener,
				const char *program, bool well, struct comparison *first)
{
	struct gate gate = { .unit = "processes", .strict = arguments->gate.strict };
	struct ending ending = { .status = EXIT_OK };
	struct run_processes processes = comparison_processes(first);
	size_t reported = 0;

	for (struct comparison *at = first; at; at = at->next) {
		if (!at->points && (at->next || reported))
			continue;
		ending = report(arguments, listener, at->name[0] ? at->name : program,
				well || (at->attach && !at->cut.early.code), at);
		gate_add_status(&gate, ending.status);
		gate_check(&gate, ending.status == EXIT_FINDINGS);
		reported++;
	}
	run_processes_gate(&processes, &gate);
	if (processes.tracer.met)
		ending.status = gate_status(&gate);
	if (!well && !processes.judged)
		return ending;
	run_processes_print(stdout, &processes, &gate, arguments->json);
	if (processes.tracer.met && !arguments->json && !gate_is_clean(&gate))
		gate_print(&gate, stdout);
	return ending;
}

/* Compares one program and prints the result. */
static struct ending compare_program(struct comparer *comparer, struct arguments *arguments,
				     struct listener *listener, char *const *argv)
{
	struct comparison comparison;
	bool well = run_program(comparer, arguments, listener, argv, &comparison);
	struct ending ending = report_all(arguments, listener, argv[0], well, &comparison);

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
	json_line(stdout, json_incref(object));
	fflush(stdout);
	json_line(stderr, object);
}

static void print_end(const char *program, const struct ending *ending)
{
	print_mark(json_pack("{s:s, s:o, s:i, s:o, s:b}", "type", "end", "program",
			     json_bytes(program), "status", ending->status, "message",
			     json_bytes(ending->message), "timed_out", ending->timed_out));
}

/* Every argument is a program, until one is interrupted. */
static int compare_each(struct comparer *comparer, struct arguments *arguments,
			struct listener *listener)
{
	struct gate gate = { .unit = "programs", .strict = arguments->gate.strict };
	bool ended = false;

	for (char *const *program = arguments->stepping.tracer.argv; *program; program++) {
		char *argv[] = { *program, NULL };

		if (ended) {
			cases_add(&arguments->cases.cases, "compare", *program, CASE_ERROR,
				  "not begun: the one before was interrupted");
			continue;
		}
		print_mark(
			json_pack("{s:s, s:o}", "type", "begin", "program", json_bytes(*program)));
		struct ending ending = compare_program(comparer, arguments, listener, argv);
		print_end(*program, &ending);
		gate_add_status(&gate, ending.status);
		ended = ending.interrupted;
	}
	return gate_status(&gate);
}

/* What is said of the list after the last program. */
static void print_ignore_list(const struct arguments *arguments, const struct ignore_list *list)
{
	if (arguments->json)
		ignore_list_print_json(stdout, list);
	ignore_list_print_text(stderr, list);
	fflush(stdout);
}

#define COMPARE_OUTPUTS(a) FILE_NAMES((a)->stacks, (a)->wish.file, CASES_FILES((a)->cases))

static bool writes_over_inputs(const struct arguments *a)
{
	bool found = output_files_are_inputs(COMPARE_OUTPUTS(a), FILE_NAMES(a->ignore));

	for (size_t i = 0; a->stepping.tracer.argv[i] && !found && (!i || a->each); i++)
		found = output_files_are_program(COMPARE_OUTPUTS(a), a->stepping.tracer.argv[i]);
	return found;
}

int command_compare(int argc, char **argv)
{
	struct arguments arguments = {
		.engine_timeout_ms = EXTERNAL_ANSWER_MS,
		.stepping.tracer = STEPPING_TRACER,
	};
	struct listener listener = { .writer = NULL };
	struct comparer *comparer;
	struct error error;
	int status;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments, &arguments.gate,
		      &arguments.cases, &arguments.stepping, &arguments.attach);
	arguments.wish.command = argv;
	if (writes_over_inputs(&arguments)) {
		engine_list_deinit(&arguments.engines);
		return EXIT_USAGE;
	}
	if (arguments.stepping.estimate) {
		status = stepping_estimate_command(&arguments.stepping.tracer, &arguments.compare,
						   arguments.json);
		engine_list_deinit(&arguments.engines);
		return status;
	}
	status = arguments.attach.attach.pid ? attach_guard() : -1;
	if (status >= 0) {
		engine_list_deinit(&arguments.engines);
		return status;
	}
	cases_begin(&arguments.cases, "compare");
	stepping_hold(&arguments.signals);
	if (ignore_list_read_now(&listener.ignore, arguments.ignore, &error)) {
		error_print(stderr, "stackproof compare", &error);
		ignore_list_deinit(&listener.ignore);
		engine_list_deinit(&arguments.engines);
		return cases_finish(&arguments.cases, EXIT_BAD_INPUT);
	}
	if (begin_listening(&arguments, &listener, &error) ||
	    comparer_create(&arguments.compare, &comparer, &error)) {
		error_print(stderr, NULL, &error);
		compare_stacks_close(listener.stacks, &error);
		dispute_keeper_destroy(listener.keeper);
		ignore_list_deinit(&listener.ignore);
		engine_list_deinit(&arguments.engines);
		return cases_finish(&arguments.cases, EXIT_ENVIRONMENT);
	}
	if (arguments.each)
		status = compare_each(comparer, &arguments, &listener);
	else
		status = compare_program(comparer, &arguments, &listener,
					 arguments.stepping.tracer.argv)
				 .status;
	ending_signals_release(&arguments.signals);
	print_ignore_list(&arguments, &listener.ignore);
	ignore_list_deinit(&listener.ignore);
	dispute_keeper_destroy(listener.keeper);
	comparer_destroy(comparer);
	engine_list_deinit(&arguments.engines);
	if (compare_stacks_close(listener.stacks, &error)) {
		error_print(stderr, arguments.stacks, &error);
		return cases_finish(&arguments.cases, EXIT_ENVIRONMENT);
	}
	return cases_finish(&arguments.cases, status);
}
