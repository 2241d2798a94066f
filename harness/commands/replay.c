/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * replay.c - `stackproof replay`: play recordings, the walk in BPF at each of their points; and cases,
 * the engines in user space at one point
 *
 *	stackproof compare --record DIR -- PROGRAM	on a machine that can step it
 *	stackproof replay DIR/PROGRAM.recording		on any kernel, a twenty-fifth of the time
 *	stackproof compare --case FILE --at 17 -- PROGRAM
 *	stackproof replay FILE				anywhere, without privilege
 *
 * Which a file is its first bytes say.
 */
#include <argp.h>
#include <inttypes.h>
#include <unistd.h>
#include <sys/utsname.h>
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/cli/exit_status.h"
#include "base/cases/cases.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "judge/disputes/disputes.h"
#include "base/gate/gate.h"
#include "judge/replay/recording_images.h"
#include "judge/replay/replay.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"

#define SHOWN_MAX 5 /* differences of one recording that are shown, not only counted */

enum { OPTION_METHOD = 256 };

struct settings {
	enum walk_method method; /* how the BPF walk goes round */
	bool json;
	bool files;
	struct gate gate; /* of the recordings; while cases are played, theirs */
	struct gate all;  /* each of the two is one of it */
	struct cases_options cases;
	struct engine_list engines; /* for cases */
	unsigned int engine_timeout_ms;
	char **file; /* ends with NULL */
};

static const struct argp_option options[] = {
	{ "engine", 'e', "ENGINE,...", OPTION_AGAIN,
	  "which engines are asked on a case (default: those of the case, and all that are built "
	  "in); "
	  "or NAME=COMMAND, NAME=FILE.so [ARGUMENT], one of your own (docs/ENGINES.md)",
	  0 },
	{ "engine-timeout", INTO_SECONDS(settings, engine_timeout_ms), "SECONDS", 0,
	  "how long an engine of your own may take for one answer (default 10)", 0 },
	{ "files", INTO_FLAG(settings, files), NULL, 0,
	  "play nothing: print the paths of the images that must be there, each once; a case "
	  "needs none",
	  0 },
	{ "json", INTO_FLAG(settings, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "method", OPTION_METHOD, "loop|chain", 0,
	  "how the BPF walk goes round: bpf_loop or tail calls (default: probed)", 0 },
	{ NULL },
};

static void add_engines(struct argp_state *state, const char *list, struct engine_list *engines)
{
	struct error error;

	if (engine_list_add(engines, list, &error))
		argp_error(state, "--engine: %s", error.message);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'e': add_engines(state, argument, &settings->engines); return 0;
	case OPTION_METHOD: settings->method = option_method(state, argument); return 0;
	case ARGP_KEY_ARGS: settings->file = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	case ARGP_KEY_END:
		engine_list_limit(&settings->engines, settings->engine_timeout_ms, 0);
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp argp = {
	.children = cases_children,
	.options = options,
	.parser = parse,
	.args_doc = "RECORDING|CASE...",
	.doc = "Plays what `stackproof compare --record' has recorded: at each point the walk in "
	       "BPF, on "
	       "this kernel, by the recorded registers, mappings and memory; the stack must be the "
	       "recorded one, which the compact table gave in user space. Of a case, which "
	       "`compare --case' or `--bundle' has kept, the engines in user space are asked "
	       "again: "
	       "each must give the stack that the case has of it.\v"
	       "Exit status: 0 all as recorded; 1 a stack was another; 2 usage; 3 a file that "
	       "can't "
	       "be read; 77 no BPF here, or no engine that could be asked; 99 the environment "
	       "failed.",
};

/* What is told of a recording while it is played. */
struct teller {
	const struct settings *settings;
	const char *path;
	unsigned int shown;
};

/* Frames that both stacks have, from the innermost on. */
static uint32_t shared_frames(const struct stack *a, const struct stack *b)
{
	uint32_t shared = 0;

	while (shared < a->count && shared < b->count && a->pc[shared] == b->pc[shared])
		shared++;
	return shared;
}

static const char *explain(const struct replay_difference *difference)
{
	if (!difference->same_table)
		return "the compact table gives another stack here than when it was recorded";
	return difference->lost ? "BPF gave no stack"
				: "BPF's stack is another one than the table's";
}

static void tell(void *context, const struct replay_difference *difference)
{
	struct teller *teller = context;
	uint32_t shared = shared_frames(difference->actual, difference->expected);
	const char *actual = difference->lost ? "none" : stop_reason_name(difference->actual->stop);
	const char *recorded = stop_reason_name(difference->recorded->stop);

	if (teller->shown++ >= SHOWN_MAX)
		return;
	if (teller->settings->json) {
		json_t *object = json_pack(
			"{s:s, s:o, s:I, s:o, s:s, s:s, s:{s:s, s:i}, s:{s:s, s:i}, s:i}", "type",
			"difference", "recording", json_bytes(teller->path), "point",
			(json_int_t)difference->point, "place", json_bytes(difference->place),
			"kind",
			difference->lost	 ? "lost"
			: difference->same_table ? "walk"
						 : "table",
			"message", explain(difference), "recorded", "stop", recorded, "frames",
			(int)difference->recorded->frames, "walked", "stop", actual, "frames",
			(int)difference->actual->count, "shared_frames", (int)shared);

		if (difference->has_truth)
			JSON_SET(object, "truth",
				 JSON_NEW("match", match_name(difference->truth_match), "right",
					  difference->truth_right));
		json_line(stdout, object);
		return;
	}
	printf("%s: point %" PRIu64
	       " at %s: %s: recorded %u frames, %s; walked %u, %s; the first %u "
	       "are the same\n",
	       PLAIN_TEXT(teller->path), difference->point, PLAIN_TEXT(difference->place),
	       explain(difference), difference->recorded->frames, recorded,
	       difference->actual->count, actual, shared);
}

/* Of recordings that have no truth, nothing. */
static void set_truth(json_t *object, const struct replay_result *result)
{
	json_t *truth;

	if (!result->truth_points && !result->truth_unproven)
		return;
	truth = JSON_NEW("points", result->truth_points, "unproven", result->truth_unproven);
	for (int match = 0; match < MATCH_COUNT; match++)
		JSON_SET(truth, match_name(match), result->truth_match[match]);
	json_object_set_new(object, "truth", truth);
}

static void print_result(const struct settings *settings, const char *path,
			 const struct recording *recording, const char *method,
			 const struct replay_result *result)
{
	bool has_digest = recording_has_digest(recording);

	if (settings->json) {
		json_t *object = JSON_NEW(
			"type", "replay", "recording", path, "program",
			recording_program(recording), "method", method, "points", result->points,
			"same", result->same, "different", result->different, "lost", result->lost,
			"frames", result->frames, "seconds", (double)result->elapsed_ns / 1e9);

		json_object_set_new(object, "digest", json_boolean(has_digest));
		set_truth(object, result);
		json_line(stdout, object);
		return;
	}
	if (!has_digest)
		printf("%s: it has no digest (version 1 or 2): what is damaged in it may not "
		       "show\n",
		       PLAIN_TEXT(path));
	if (result->different || result->lost)
		printf("%s: %" PRIu64 " points, %" PRIu64 " as recorded, %" PRIu64 " not, %" PRIu64
		       " lost\n",
		       PLAIN_TEXT(path), result->points, result->same, result->different,
		       result->lost);
}

static int status_of(const struct error *error)
{
	switch (error->code) {
	case ERROR_UNAVAILABLE:
		return error_is_environment(error) ? EXIT_ENVIRONMENT : EXIT_SKIPPED;
	case ERROR_PROTOCOL: /* no recording, or of other images; no case */
	case ERROR_TEXT_SYNTAX: /* of a case */ return EXIT_BAD_INPUT;
	default: return exit_status_of_error(error);
	}
}

/* As an error, and as a typed skip if it is the machine that can't. path NULL: nothing can be played. */
static void say_failure(const struct settings *settings, const char *path,
			const struct error *error)
{
	if (settings->json && status_of(error) == EXIT_SKIPPED)
		json_line(stdout,
			  JSON_NEW("type", "skip", "recording", path ? json_bytes(path) : NULL,
				   "reason", path ? "address_taken" : "no_bpf", "message",
				   error->message));
	error_print(stderr, path, error);
}

static int add_failed_case(struct settings *settings, const char *path, const struct error *error)
{
	cases_add(&settings->cases.cases, "replay", path, case_status_of(status_of(error)),
		  error->message);
	return status_of(error);
}

/* What could not be played, whole. */
static int fail(struct settings *settings, const char *path, const struct error *error)
{
	say_failure(settings, path, error);
	return add_failed_case(settings, path, error);
}

/* What could be played, but not here: why that is was said. */
static int leave(struct settings *settings, const char *path, const struct error *why)
{
	if (!settings->json)
		printf("%s: not played\n", PLAIN_TEXT(path));
	return add_failed_case(settings, path, why);
}

/* No points, nothing proven. */
static void add_case(struct settings *settings, const char *path,
		     const struct replay_result *result)
{
	char message[128];

	snprintf(message, sizeof(message), "%" PRIu64 " of %" PRIu64 " points are not as recorded",
		 result->points - result->same, result->points);
	struct judged_case *judged = cases_add(&settings->cases.cases, "replay", path,
					       !result->points			? CASE_ERROR
					       : result->points != result->same ? CASE_FAILED
										: CASE_PASSED,
					       result->points ? message : "it has no points");
	judged->seconds = (double)result->elapsed_ns / 1e9;
}

/* Plays one recording. */
static void play(struct replayer *replayer, struct settings *settings, const char *path,
		 struct replay_result *total)
{
	struct teller teller = { .settings = settings, .path = path };
	struct replay_result result = { 0 };
	struct recording *recording;
	struct error error;

	if (recording_open(path, &recording, &error)) {
		gate_add_status(&settings->gate, fail(settings, path, &error));
		return;
	}
	if (replayer_play(replayer, recording, tell, &teller, &result, &error)) {
		gate_add_status(&settings->gate, fail(settings, path, &error));
	} else {
		print_result(settings, path, recording, replayer_method(replayer), &result);
		add_case(settings, path, &result);
		settings->gate.checked += result.points;
		settings->gate.findings += result.points - result.same;
	}
	recording_close(recording);
	total->points += result.points;
	total->same += result.same;
	total->different += result.different;
	total->lost += result.lost;
	total->elapsed_ns += result.elapsed_ns;
	total->truth_points += result.truth_points;
	total->truth_unproven += result.truth_unproven;
	for (int match = 0; match < MATCH_COUNT; match++)
		total->truth_match[match] += result.truth_match[match];
}

/* The command's, once the recordings are done. */
static enum exit_status status_of_all(const struct settings *settings)
{
	struct gate all = settings->all;

	gate_add_status(&all, gate_status(&settings->gate));
	return gate_status(&all);
}

static void print_total(const struct settings *settings, const char *method, size_t recordings,
			const struct replay_result *total)
{
	double seconds = (double)total->elapsed_ns / 1e9;
	struct utsname kernel;

	uname(&kernel);
	if (settings->json) {
		json_t *object = JSON_NEW("type", "replays", "kernel", kernel.release, "method",
					  method, "recordings", recordings, "points", total->points,
					  "same", total->same, "different", total->different,
					  "lost", total->lost, "seconds", seconds, "kernel_release",
					  kernel.release);

		set_truth(object, total);
		gate_json(&settings->gate, object);
		json_object_set_new(object, "exit_status", json_integer(status_of_all(settings)));
		json_line(stdout, object);
		return;
	}
	if (!gate_is_clean(&settings->gate))
		gate_print(&settings->gate, stdout);
	printf("%s (%s): %zu recordings, %" PRIu64 " points, %" PRIu64 " as recorded, %" PRIu64
	       " not, %" PRIu64 " lost, %.1f s\n",
	       kernel.release, method, recordings, total->points, total->same, total->different,
	       total->lost, seconds);
	if (total->truth_points || total->truth_unproven)
		printf("the truth at %" PRIu64 " points: %" PRIu64 " exact, %" PRIu64
		       " truncated, %" PRIu64 " wrong, %" PRIu64 " extra; unproven at %" PRIu64
		       "\n",
		       total->truth_points, total->truth_match[MATCH_EXACT],
		       total->truth_match[MATCH_TRUNCATED], total->truth_match[MATCH_WRONG],
		       total->truth_match[MATCH_EXTRA], total->truth_unproven);
}

/* ---- the images ------------------------------------------------------------------------- */

/* A case has all that it needs, if it is one that can be read. */
static int check_case(const char *path, struct error *error)
{
	struct dispute_folder folder;
	struct dispute *dispute = dispute_read(path, &folder, error);

	dispute_destroy(dispute);
	dispute_folder_deinit(&folder);
	return dispute ? 0 : -1;
}

static int print_files(const struct settings *settings)
{
	struct recording_images images DEINIT(recording_images_deinit) = { 0 };
	struct gate gate = { .unit = "recordings" };

	for (char **path = settings->file; *path; path++) {
		struct error error;
		int failed = dispute_is_case(*path) ? check_case(*path, &error)
						    : recording_images_add(&images, *path, &error);

		if (failed)
			error_print(stderr, *path, &error);
		gate_add_status(&gate, failed ? status_of(&error) : EXIT_OK);
	}
	/* To a script they are names of files, as they are. */
	bool terminal = isatty(STDOUT_FILENO) == 1;
	for (size_t i = 0; i < images.count; i++)
		puts(terminal ? PLAIN_TEXT(images.path[i]) : images.path[i]);
	return gate_status(&gate);
}

/* ---- cases ------------------------------------------------------------------------------ */

/* Each engine is a case of its own: who uses them as tests wants to know which failed. */
static void add_answers(struct settings *settings, const char *path,
			const struct dispute_replay *replay)
{
	for (size_t i = 0; i < replay->count; i++) {
		const struct dispute_verdict *verdict = &replay->verdict[i];
		bool skipped = verdict->result == DISPUTE_SKIPPED,
		     found = dispute_is_finding(verdict);

		cases_add(&settings->cases.cases, path, verdict->engine,
			  skipped ? CASE_SKIPPED
			  : found ? CASE_FAILED
				  : CASE_PASSED,
			  *verdict->message ? verdict->message
					    : dispute_result_name(verdict->result));
		settings->gate.findings += found;
		settings->gate.checked += !skipped;
		gate_leave(&settings->gate, GATE_ENGINES, skipped);
	}
}

static int replay_case(struct settings *settings, const char *path, struct error *error)
{
	struct dispute_stage *stage = NULL;
	struct dispute_replay replay = { 0 };
	struct dispute_folder folder;
	struct dispute *dispute = dispute_read(path, &folder, error);
	int status = dispute ? dispute_stage_create(dispute, &folder, &stage, error) : -1;

	if (!status)
		status = dispute_replay(dispute, stage, &settings->engines, &replay, error);
	if (!status) {
		if (settings->json)
			dispute_print_json(stdout, path, dispute, stage, &replay);
		else
			dispute_print_text(stdout, path, dispute, stage, &replay);
		add_answers(settings, path, &replay);
	}
	dispute_replay_deinit(&replay);
	dispute_stage_destroy(stage);
	dispute_destroy(dispute);
	dispute_folder_deinit(&folder);
	return status;
}

static void print_cases(const struct settings *settings, size_t cases)
{
	if (settings->json) {
		json_t *object = JSON_NEW("type", "cases", "cases", cases, "findings",
					  settings->gate.findings);

		gate_json(&settings->gate, object);
		json_line(stdout, object);
		return;
	}
	if (!gate_is_clean(&settings->gate))
		gate_print(&settings->gate, stdout);
	printf("%zu cases, %" PRIu64 " answers, %" PRIu64 " not as they were kept\n", cases,
	       settings->gate.checked, settings->gate.findings);
}

/* ---- both ------------------------------------------------------------------------------- */

/* The cases among the files; the others, recordings, are moved to the front. How many of these. */
static size_t replay_cases(struct settings *settings)
{
	struct gate of_recordings = settings->gate;
	enum exit_status status;
	size_t cases = 0, recordings = 0;
	struct error error;

	settings->gate = (struct gate) { .unit = "answers", .strict = of_recordings.strict };
	for (char **path = settings->file; *path; path++) {
		if (!dispute_is_case(*path)) {
			settings->file[recordings++] = *path;
			continue;
		}
		cases++;
		if (replay_case(settings, *path, &error))
			gate_add_status(&settings->gate, fail(settings, *path, &error));
		fflush(stdout);
	}
	settings->file[recordings] = NULL;
	if (cases) {
		print_cases(settings, cases);
		status = gate_status(&settings->gate);
		gate_add_status(&settings->all, status);
		/* The last line knows of it, too; but an answer is no point. */
		if (status != EXIT_OK)
			gate_add_status(&of_recordings, status);
	}
	settings->gate = of_recordings;
	return recordings;
}

/* Nothing can be played here, for this reason. What was named is looked at all the same: that it can't be read is
 * said, and counted, as anywhere else; what could have been played is not checked. */
static void look_at_recordings(struct settings *settings, const struct error *why)
{
	const struct recording_handler nobody = { 0 };
	struct replay_result none = { 0 };
	size_t recordings = 0;

	for (char **path = settings->file; *path; path++, recordings++) {
		struct recording *recording;
		struct error error;
		int failed = recording_open(*path, &recording, &error);

		if (!failed) {
			failed = recording_play(recording, &nobody, &error);
			recording_close(recording);
		}
		gate_add_status(&settings->gate, failed ? fail(settings, *path, &error)
							: leave(settings, *path, why));
	}
	print_total(settings, "none", recordings, &none);
}

static void replay_recordings(struct settings *settings)
{
	struct replay_result total = { 0 };
	struct replayer *replayer;
	struct error error;
	size_t recordings = 0;

	if (replayer_create(settings->method, &replayer, &error)) {
		say_failure(settings, NULL, &error);
		look_at_recordings(settings, &error);
		return;
	}
	for (char **path = settings->file; *path; path++, recordings++) {
		play(replayer, settings, *path, &total);
		fflush(stdout);
	}
	print_total(settings, replayer_method(replayer), recordings, &total);
	replayer_destroy(replayer);
}

static bool writes_over_inputs(const struct settings *settings)
{
	size_t count = 0;

	while (settings->file[count])
		count++;
	return output_files_are_inputs(FILE_NAMES(CASES_FILES(settings->cases)),
				       (const char *const *)settings->file, count);
}

int command_replay(int argc, char **argv)
{
	struct settings settings = { .gate = { .unit = "points" },
				     .all = { .unit = "kinds of files" },
				     .engine_timeout_ms = EXTERNAL_ANSWER_MS };
	int status;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &settings, &settings.gate, &settings.cases);
	if (settings.files)
		return print_files(&settings);
	if (writes_over_inputs(&settings)) {
		engine_list_deinit(&settings.engines);
		return EXIT_USAGE;
	}
	cases_begin(&settings.cases, "replay");
	settings.all.strict = settings.gate.strict;
	if (replay_cases(&settings)) {
		replay_recordings(&settings);
		status = status_of_all(&settings);
	} else {
		status = gate_status(&settings.all);
	}
	engine_list_deinit(&settings.engines);
	return cases_finish(&settings.cases, status);
}
