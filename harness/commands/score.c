/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score.c - `stackproof score`: any profiler's stacks, held against a truth file
 *
 *	stackproof truth -o FILE -- PROGRAM	all the stacks that it has
 *	perf record -g -- PROGRAM		with whatever profiler
 *	stackproof score --truth FILE perf.data
 *
 * or all at once, with --run.
 */
#include <argp.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cases/cases.h"
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "commit.h"
#include "base/gate/gate.h"
#include "judge/stepping/attach_options.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "plain_text.h"
#include "profiles/score/score.h"
#include "profiles/score/score_children.h"
#include "profiles/score/score_drive.h"

enum {
	OPTION_COMM = 256,
	OPTION_DRIVE,
	OPTION_FORMAT,
	OPTION_FROM,
	OPTION_LIMIT,
	OPTION_SAME,
	OPTION_SETTLE,
	OPTION_TIMEOUT
};

struct arguments {
	const char *truth, *run, *root;
	enum profile_format format;
	uint64_t findings, functions;
	unsigned int timeout_ms;
	bool timed; /* by --timeout */
	struct score_driving driving;
	struct attach_options attach;
	struct tracer_options tracer; /* of --pid */
	struct score_same same;	      /* what the user vouches for */
	const char *drives; /* the option that is for --drive alone; NULL: none was given */
	bool json, names;
	const char **comm;
	size_t comms;
	char **argument; /* profiles, or with --run the program; ends with NULL */
	struct gate gate;
	uint64_t unproven; /* profiles of which nothing could be compared */
	struct cases_options cases;
};

static const struct argp_option options[] = {
	{ "comm", OPTION_COMM, "NAME", OPTION_AGAIN,
	  "a thread of the program has that name, too; may be given again", 0 },
	{ "drive", OPTION_DRIVE, "BPF-PROGRAM", OPTION_ARG_OPTIONAL,
	  "with --run: PROGRAM is stepped, and the profiler samples each instruction of it. "
	  "BPF-PROGRAM "
	  "(a name or a number) of type perf_event is one that the profiler loads, and is run at "
	  "each "
	  "stop; without one the profiler's own event counts context switches, with period 1",
	  0 },
	{ "findings", INTO_NUMBER(arguments, findings), "N", 0,
	  "show so many at most (default 10; JSON: 1000)", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "what the profiles are: perf-script, perf-data, folded, pprof, stacks, bpftrace, "
	  "speedscope, firefox or otlp (default: by their content)",
	  0 },
	{ "from", OPTION_FROM, "SYMBOL", 0,
	  "with --drive, from this function on (default _start: the dynamic loader runs unstepped)",
	  0 },
	{ "functions", INTO_NUMBER(arguments, functions), "N", 0,
	  "show so many at most (default 10)", 0 },
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "limit", OPTION_LIMIT, "N", 0, "with --drive, end after so many instructions", 0 },
	{ "names", INTO_FLAG(arguments, names), NULL, 0,
	  "a frame that is called what its address is not is a finding; if no name can be checked "
	  "(the profile has no build-ids, or no addresses), the status is 99",
	  0 },
	{ "root", INTO_TEXT(arguments, root), "DIR", 0,
	  "the files of the machine that was profiled are below DIR (with --truth)", 0 },
	{ "run", INTO_TEXT(arguments, run), "COMMAND", 0,
	  "run this profiler on PROGRAM first, by /bin/sh; {out} is the file that it is to write, "
	  "{program} PROGRAM and its arguments; with --drive and --pid {pid} is the process, "
	  "which runs already",
	  0 },
	{ "same", OPTION_SAME, "build|run|build,run", 0,
	  "you vouch for it: `build', that the profiled files are those that are here, where the "
	  "profile has no build-ids; `run', that the program does the same in each run, so that a "
	  "stack which the truth has not is wrong, even if the code allows it",
	  0 },
	{ "settle", OPTION_SETTLE, "SECONDS", 0,
	  "with --drive and --pid, the time that the profiler has to learn of the process (default "
	  "3)",
	  0 },
	{ "timeout", OPTION_TIMEOUT, "SECONDS", 0,
	  "with --run, give up the profiler, and stepping, after so long (default 600)", 0 },
	{ "truth", INTO_TEXT(arguments, truth), "FILE", 0,
	  "as `stackproof truth' wrote it (with --run: default, PROGRAM is stepped)", 0 },
	{ NULL },
};

/* A process that runs already: the profiler is to sample it, beside the bursts. Or several processes. */
static void check_attach(struct argp_state *state, struct arguments *arguments)
{
	struct attach_options *attach = &arguments->attach;

	if (attach->attach.children && arguments->driving.program)
		argp_error(state, "--drive is of one process, not of its children");
	if (attach->attach.pid) {
		if (arguments->argument)
			argp_error(
				state,
				"--pid is of a process that runs, and takes no PROGRAM or PROFILE");
		if (!arguments->run || arguments->truth)
			argp_error(state, "--pid is for --run without --truth: the truth is of "
					  "the process's bursts");
		if (arguments->driving.program)
			argp_error(state, "--drive: a process of --pid is stepped in bursts, and "
					  "most of its samples are of no stop");
	}
	attach_options_apply(state, attach, false, &arguments->tracer);
	if (attach->attach.children && !attach->attach.pid && !attach->attach.whole)
		argp_error(state,
			   "bursts are of --pid: PROGRAM and its children are stepped whole");
	if (!attach->attach.pid)
		return;
	arguments->argument = attach->argv;
	arguments->driving.attach = &attach->attach;
}

static void check_usage(struct argp_state *state, struct arguments *arguments)
{
	bool beside;

	if (!arguments->argument && !arguments->attach.attach.pid)
		argp_usage(state);
	check_attach(state, arguments);
	beside = arguments->driving.program || arguments->driving.attach;
	if (arguments->driving.program && (!arguments->run || arguments->truth))
		argp_error(state,
			   "--drive is for --run without --truth: the truth is of the same run");
	if (arguments->drives && !arguments->driving.program &&
	    (!arguments->driving.attach || strcmp(arguments->drives, "settle") != 0))
		argp_error(state, "--%s is for --drive%s", arguments->drives,
			   !strcmp(arguments->drives, "settle") ? " and --pid" : "");
	if (!arguments->truth && !arguments->run)
		argp_error(state, "--truth FILE is needed, or --run");
	if (arguments->run && !score_command_is_whole(arguments->run, !beside))
		argp_error(state,
			   beside ? "--%s: the command needs {out}, and not {program}: {pid} is it"
				  : "--%s: the command needs {out} and {program}",
			   arguments->driving.attach	? "pid"
			   : arguments->driving.program ? "drive"
							: "run");
	if (arguments->timed && !arguments->run)
		argp_error(state, "--timeout is for --run: nothing is run");
}

static struct score_same parse_same(struct argp_state *state, const char *argument)
{
	const bool both = !strcmp(argument, "build,run") || !strcmp(argument, "run,build");
	struct score_same ret = { .build = both || !strcmp(argument, "build"),
				  .run = both || !strcmp(argument, "run") };

	if (!ret.build && !ret.run)
		argp_error(state, "--same takes build, run or build,run");
	return ret;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->gate;
		state->child_inputs[1] = &arguments->cases;
		state->child_inputs[2] = &arguments->attach;
		return 0;
	case OPTION_COMM:
		if (!ARRAY_ADD(arguments->comm, arguments->comms,
			       option_text(state, argument, "--comm")))
			argp_failure(state, EXIT_ENVIRONMENT, 0, "no memory");
		return 0;
	case OPTION_FORMAT:
		arguments->format = profile_format_find(argument);
		if (arguments->format == PROFILE_FORMAT_COUNT || arguments->format == PROFILE_ANY)
			argp_error(state,
				   "--format takes perf-script, perf-data, folded, pprof, stacks, "
				   "bpftrace, speedscope, firefox or otlp");
		return 0;
	case OPTION_DRIVE:
		arguments->driving.program = argument ? option_text(state, argument, "--drive")
						      : "";
		return 0;
	case OPTION_FROM:
		arguments->driving.from = option_text(state, argument, arguments->drives = "from");
		return 0;
	case OPTION_LIMIT:
		arguments->drives = "limit";
		arguments->driving.limit = option_number(state, argument, "--limit");
		return 0;
	case OPTION_SAME: arguments->same = parse_same(state, argument); return 0;
	case OPTION_SETTLE:
		arguments->drives = "settle";
		arguments->driving.settle_ms = option_seconds(state, argument, "--settle");
		return 0;
	case OPTION_TIMEOUT:
		arguments->timed = true;
		arguments->timeout_ms = option_seconds(state, argument, "--timeout");
		return 0;
	case ARGP_KEY_ARGS: arguments->argument = state->argv + state->next; return 0;
	case ARGP_KEY_SUCCESS: check_usage(state, arguments); return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp_child children[] = {
	{ &gate_argp, 0, NULL, 0 }, { &cases_argp, 0, NULL, 0 }, { &attach_argp, 0, NULL, 0 }, { 0 }
};

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse,
	.args_doc = "--truth=FILE PROFILE...\n--run=COMMAND [--drive] -- PROGRAM [ARGUMENT...]\n"
		    "--run=COMMAND --pid=PID",
	.doc = "Holds every stack of a profile against all stacks that the program has: which are "
	       "exact, which are cut short and in which function, and which are impossible. Reads "
	       "perf.data, the text of perf script, folded stacks, maps of bpftrace, pprof, OTLP "
	       "profiles, JSON of speedscope and of the Firefox Profiler (which samply writes), "
	       "and "
	       "what `stackproof sample --profile' writes.\v"
	       "Exit status: 0 all stacks are possible; 1 some are not, or most of a profile's "
	       "are unproven; 2 usage; 3 an input that "
	       "can't be read; 77 nothing could be compared; 99 the environment failed.",
};

/* A profile, as it is opened and as it is called. */
struct input {
	const char *path, *name;
};

/* What could not be done with a profile: said, and put to the gate's account. */
static void fail(struct arguments *arguments, const char *name, const struct error *error)
{
	bool no_perf = error->code == ERROR_UNAVAILABLE;

	error_print(stderr, name, error);
	if (arguments->json)
		json_line(stdout,
			  json_pack("{s:s, s:o, s:s, s:o}", "type", no_perf ? "skip" : "failed",
				    "profile", json_bytes(name), "reason",
				    no_perf ? "no_profiler" : error_code_name(error->code),
				    "message", json_bytes(error->message)));
	cases_add(&arguments->cases.cases, "score", name, no_perf ? CASE_SKIPPED : CASE_ERROR,
		  error->message);
	if (no_perf) {
		gate_leave(&arguments->gate, GATE_SKIPPED, 1);
	} else if (error->code == ERROR_TEXT_SYNTAX || error->code == ERROR_TABLE_LIMIT) {
		gate_leave(&arguments->gate, GATE_UNREADABLE, 1);
		arguments->gate.bad_input = true;
	} else {
		gate_add_status(&arguments->gate, exit_status_of_error(error));
	}
}

/* --names. */
static void account_names(struct gate *gate, const struct score *score)
{
	const struct score_called *called = &score->called;

	gate->findings += called->contradict;
	gate_leave(gate, GATE_NAMES, called->frames - called->checked);
	gate_leave(gate, GATE_REQUIREMENTS, !called->checked);
	gate->environment |= !called->checked;
}

static void account(struct gate *gate, const struct score *score, bool names)
{
	const uint64_t *class = score->all.class;

	gate_check(gate, score_compared(score));
	gate->findings += score->findings; /* of further ones are none without these */
	gate->findings += score_is_thin(score) && score_compared(score);
	gate_leave(gate, GATE_SAMPLES_UNPROVEN, score_unproven(score));
	gate_leave(gate, GATE_ABSENT_POINTS, score_absent(score));
	gate_leave(gate, GATE_SAMPLES_LEFT, class[SCORE_SKIPPED]);
	gate_leave(gate, GATE_SAMPLES_UNREAD, profile_lost(&score->profile));
	if (names)
		account_names(gate, score);
	if (profile_lost(&score->profile))
		gate->bad_input |= score_compared(score) == class[SCORE_IMPOSSIBLE];
}

/* A profile is a case; its status is the one that it alone would give. */
static void add_case(struct arguments *arguments, const struct score *score, const char *name)
{
	struct gate gate = { .unit = "samples", .strict = arguments->gate.strict };

	account(&gate, score, arguments->names);
	score_add_case(&arguments->cases.cases, score, name, case_status_of(gate_status(&gate)));
}

static void score_one(struct arguments *arguments, struct score_truth *truth,
		      const struct input *profile, const char *truth_name,
		      const struct score_driven *driven)
{
	const struct score_shown shown = { profile->name, truth_name, arguments->findings,
					   arguments->functions, driven };
	struct score score;
	struct error error;

	if (score_init(&score, truth, &error)) {
		fail(arguments, profile->name, &error);
		return;
	}
	score.profile.root = arguments->root;
	if (driven && driven->pid)
		score_set_driven(&score, driven->pid);
	if (score_profile(&score, profile->path, arguments->format, &error)) {
		fail(arguments, profile->name, &error);
	} else {
		if (arguments->json)
			score_print_json(stdout, &score, &shown);
		else
			score_print_text(stdout, &score, &shown);
		add_case(arguments, &score, profile->name);
	}
	account(&arguments->gate, &score, arguments->names);
	arguments->unproven += score_is_thin(&score) && !score_compared(&score);
	fflush(stdout);
	score_deinit(&score);
}

/* The same for a profile of several processes. What could not be read of it counts once. */
static void account_children(struct arguments *arguments, const struct score_children *several)
{
	struct gate *gate = &arguments->gate;

	for (size_t i = 0; i < several->processes; i++) {
		const struct score_process *process = &several->process[i];
		char name[64];

		if (!process->score)
			continue;
		gate_check(gate, score_compared(process->score));
		gate->findings += process->score->findings;
		gate_leave(gate, GATE_SAMPLES_UNPROVEN, score_unproven(process->score));
		gate_leave(gate, GATE_SAMPLES_LEFT, process->score->all.class[SCORE_SKIPPED]);
		if (arguments->names)
			account_names(gate, process->score);
		snprintf(name, sizeof(name), "process %d", process->pid);
		add_case(arguments, process->score, name);
	}
	gate_leave(gate, GATE_SAMPLES_LEFT, score_children_nobody(several));
	gate_leave(gate, GATE_SAMPLES_UNREAD, profile_lost(&several->profile));
	gate->findings += gate->left[GATE_SAMPLES_UNPROVEN] > gate->checked && gate->checked;
}

static void score_several(struct arguments *arguments, struct score_truth *truth, size_t truths,
			  const struct input *profile)
{
	const struct score_shown shown = { .profile = profile->name,
					   .findings = arguments->findings,
					   .functions = arguments->functions };
	struct score_children several;
	struct error error;

	if (score_children(&several, truth, truths, profile->path, arguments->root,
			   arguments->format, &error)) {
		fail(arguments, profile->name, &error);
	} else {
		score_children_print(stdout, &several, &shown, arguments->json);
		account_children(arguments, &several);
	}
	fflush(stdout);
	score_children_deinit(&several);
}

/* No profile was judged; each is a case all the same. */
static void fail_truth(struct arguments *arguments, const struct input *truth,
		       const struct input *profile, const struct error *error)
{
	error_print(stderr, truth->name, error);
	for (; profile->path; profile++)
		cases_add(&arguments->cases.cases, "score", profile->name, CASE_ERROR,
			  error->message);
	if (error->code == ERROR_PROTOCOL) {
		gate_leave(&arguments->gate, GATE_UNREADABLE, 1);
		arguments->gate.bad_input = true;
	} else {
		gate_add_status(&arguments->gate, exit_status_of_error(error));
	}
}

/* What the command line says of the profiled threads, files and runs. */
static int apply_said(const struct arguments *arguments, struct score_truth *truth,
		      struct error *error)
{
	truth->same.build |= arguments->same.build;
	truth->same.run |= arguments->same.run;
	truth->same.since = arguments->same.since;
	for (size_t i = 0; i < arguments->comms; i++)
		if (score_truth_add_name(truth, arguments->comm[i], error))
			return -1;
	return 0;
}

/* The profiles end with one without a path. driven: or NULL. */
static void score_all(struct arguments *arguments, const struct input *truth,
		      const struct input *profile, const struct score_driven *driven)
{
	struct score_truth file;
	struct error error;

	if (score_truth_open_in(&file, truth->path, arguments->root, &error)) {
		fail_truth(arguments, truth, profile, &error);
		return;
	}
	if (!arguments->json)
		score_print_truth_text(stdout, truth->name, &file);
	if (score_truth_unproven(&file) > 50)
		gate_leave(&arguments->gate, GATE_TRUTHS_UNPROVEN, 1);
	if (apply_said(arguments, &file, &error))
		fail(arguments, truth->name, &error);
	for (; profile->path; profile++)
		score_one(arguments, &file, profile, truth->name, driven);
	score_truth_close(&file);
}

/* The truths, which end with one without a path, are of the processes of one run. */
static void score_all_children(struct arguments *arguments, const struct input *truth,
			       const struct input *profile)
{
	struct score_truth *file;
	struct error error;
	size_t count = 0, opened = 0;

	while (truth[count].path)
		count++;
	file = calloc(count + 1, sizeof(*file));
	if (!file)
		no_memory();
	while (opened < count &&
	       !score_truth_open_in(&file[opened], truth[opened].path, arguments->root, &error)) {
		if (!arguments->json)
			score_print_truth_text(stdout, truth[opened].name, &file[opened]);
		if (score_truth_unproven(&file[opened]) > 50)
			gate_leave(&arguments->gate, GATE_TRUTHS_UNPROVEN, 1);
		if (apply_said(arguments, &file[opened], &error))
			fail(arguments, truth[opened].name, &error);
		opened++;
	}
	if (opened < count)
		fail_truth(arguments, &truth[opened], profile, &error);
	for (; opened == count && profile->path; profile++)
		score_several(arguments, file, count, profile);
	while (opened)
		score_truth_close(&file[--opened]);
	free(file);
}

/* A file of entries names no others, since it is written while they begin: whatever is called FILE.NUMBER. */
static void list_entries(const char *path, struct input **list, size_t *count)
{
	FREED char *pattern = NULL;
	glob_t found;

	if (asprintf(&pattern, "%s.[0-9]*", path) < 0)
		no_memory();
	if (glob(pattern, 0, NULL, &found))
		return;
	*list = realloc(*list, (*count + found.gl_pathc + 1) * sizeof(**list));
	if (!*list)
		no_memory();
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *other = need_memory(strdup(found.gl_pathv[i]));

		(*list)[(*count)++] = (struct input) { other, other };
	}
	(*list)[*count] = (struct input) { NULL, NULL };
	globfree(&found);
}

/* FILE, and FILE.NUMBER of each process that FILE names. */
static struct input *list_truths(const char *path)
{
	struct input *list = NULL;
	struct truth_file *file;
	struct error ignored; /* it is said when FILE is opened to be read */
	size_t count = 0, fields;

	if (truth_file_open(path, &file, &ignored))
		file = NULL;
	fields = file ? truth_file_field_count(file) : 0;
	list = calloc(fields + 2, sizeof(*list));
	if (!list)
		no_memory();
	list[count++] = (struct input) { path, path };
	for (size_t i = 0; i < fields; i++) {
		const struct truth_field *field = truth_file_field(file, i);
		char *other;

		if (!field->text || strcmp(field->name, "process") != 0)
			continue;
		if (asprintf(&other, "%s.%lu", path, strtoul(field->text, NULL, 10)) < 0)
			no_memory();
		list[count++] = (struct input) { other, other };
	}
	if (file && truth_file_has_entries(file))
		list_entries(path, &list, &count);
	if (file)
		truth_file_close(file);
	return list;
}

/* It is of one run, in which each process has its own file: samples are sorted by process. */
static bool has_entries(const char *path)
{
	struct truth_file *file;
	struct error ignored; /* it is said when the file is opened to be read */
	bool ret;

	if (truth_file_open(path, &file, &ignored))
		return false;
	ret = truth_file_has_entries(file);
	truth_file_close(file);
	return ret;
}

static void score_files_children(struct arguments *arguments, const struct input *profile)
{
	struct input *truth = list_truths(arguments->truth);

	score_all_children(arguments, truth, profile);
	for (size_t i = 1; truth[i].path; i++)
		free((char *)truth[i].path);
	free(truth);
}

static void score_files(struct arguments *arguments)
{
	const struct input truth = { arguments->truth, arguments->truth };
	FREED struct input *profile = NULL;
	size_t count = 0;

	while (arguments->argument[count])
		count++;
	profile = need_memory(calloc(count + 1, sizeof(*profile)));
	for (size_t i = 0; i < count; i++)
		profile[i] = (struct input) { arguments->argument[i], arguments->argument[i] };
	if (arguments->attach.attach.children || has_entries(arguments->truth))
		score_files_children(arguments, profile);
	else
		score_all(arguments, &truth, profile, NULL);
}

/* ---- --run ------------------------------------------------------------------------------------ */

/* The end of what a command said; why it is shown has been said. */
static void print_said(const struct score_said *said)
{
	if (!said->size)
		return;
	fputs("the end of what it said:\n", stderr);
	plain_lines(stderr, said->text);
	if (said->text[said->size - 1] != '\n')
		fputc('\n', stderr);
}

static void score_what_was_made(struct arguments *arguments, const struct score_making *making,
				const struct score_made *made)
{
	const struct input profile[] = { { made->profile.path, arguments->run }, { NULL, NULL } };
	const struct input truth = { making->steps ? made->truth[0].path : arguments->truth,
				     making->steps ? making->program[0] : arguments->truth };
	struct input *several;

	if (!arguments->attach.attach.children) {
		score_all(arguments, &truth, profile, &made->driven);
		return;
	}
	run_processes_gate(&made->processes, &arguments->gate);
	run_processes_print(stdout, &made->processes, NULL, arguments->json);
	if (!making->steps) {
		score_files_children(arguments, profile);
		return;
	}
	several = calloc(made->truths + 1, sizeof(*several));
	if (!several)
		no_memory();
	for (size_t i = 0; i < made->truths; i++)
		several[i] = (struct input) { made->truth[i].path, making->program[0] };
	score_all_children(arguments, several, profile);
	free(several);
}

static void run_and_score(struct arguments *arguments)
{
	const struct score_making making = { .command = arguments->run,
					     .program = arguments->argument,
					     .version = STACKPROOF_VERSION STACKPROOF_COMMIT,
					     .steps = !arguments->truth,
					     .driving = arguments->driving.program ||
									arguments->driving.attach
								? &arguments->driving
								: NULL,
					     .children = arguments->tracer.attach,
					     .timeout_ms = arguments->timeout_ms };
	struct score_made made;
	struct error error;

	arguments->same.build = true; /* it is made now, of what is here: score_build.h */
	clock_gettime(CLOCK_REALTIME, &arguments->same.since);
	if (score_make(&making, &made, &error)) {
		fail(arguments, arguments->run, &error);
		print_said(&made.said);
		return;
	}
	if (made.status) {
		fprintf(stderr, "%s: the command ended with status %d; its profile is scored\n",
			PLAIN_TEXT(arguments->run), made.status);
		print_said(&made.said);
	}
	score_what_was_made(arguments, &making, &made);
	score_made_deinit(&made);
}

static void print_total(const struct gate *gate)
{
	json_t *total = json_pack("{s:s}", "type", "score_total");

	gate_json(gate, total);
	json_line(stdout, total);
}

static bool writes_over_inputs(const struct arguments *arguments)
{
	size_t count = 0;

	while (arguments->argument[count])
		count++;
	return output_files_are_inputs(FILE_NAMES(CASES_FILES(arguments->cases)),
				       FILE_NAMES(arguments->truth)) ||
	       output_files_are_inputs(FILE_NAMES(CASES_FILES(arguments->cases)),
				       (const char *const *)arguments->argument, count);
}

int command_score(int argc, char **argv)
{
	struct arguments arguments = {
		.findings = UINT64_MAX,
		.functions = 10,
		.timeout_ms = 600000,
		.driving = { .settle_ms = SCORE_SETTLE_MS, .from = "_start" },
		.gate = { .unit = "samples" },
	};
	int status;

	argp_err_exit_status = EXIT_USAGE;
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	if (writes_over_inputs(&arguments)) {
		free(arguments.comm);
		return EXIT_USAGE;
	}
	status = arguments.driving.attach ? attach_guard() : -1;
	if (status >= 0) {
		free(arguments.comm);
		return status;
	}
	cases_begin(&arguments.cases, "score");
	if (arguments.findings == UINT64_MAX && !arguments.json)
		arguments.findings = 10;
	if (arguments.run)
		run_and_score(&arguments);
	else
		score_files(&arguments);
	/* Where nothing at all was compared, that is what the status says. */
	if (arguments.gate.checked)
		arguments.gate.findings += arguments.unproven;
	if (arguments.json)
		print_total(&arguments.gate);
	else if (!gate_is_clean(&arguments.gate))
		gate_print(&arguments.gate, stdout);
	free(arguments.comm);
	return cases_finish(&arguments.cases, gate_status(&arguments.gate));
}
