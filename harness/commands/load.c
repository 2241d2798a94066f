/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load.c - `stackproof load`: does this kernel's verifier take our programs, and at what cost
 *
 *	stackproof load					the built-in objects, on this kernel
 *	stackproof load build/bpf/clang-*\/walk.bpf.o	the same by other compilers
 *	stackproof load --optional probe_new x.bpf.o	anybody's; this one may be refused
 *	stackproof load --check RESULTS --record FILE	many kernels' results against the record
 *
 * Whether a BPF program loads is decided by the kernel's verifier anew on each machine: by its
 * version down to the patch level, and by what code the compiler made. Each program is loaded alone
 * and thrown away. scripts/check-kernels does it in a guest of every kernel.
 */
#include <argp.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "guests/load/load.h"
#include "base/cases/cases.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "plain_text.h"
#include "guests/vm/kernel_index.h"

struct settings {
	bool json;
	struct gate gate;
	struct cases_options cases;
	const char *kernel;
	struct load_check_options check;
	struct load_optional optional;
	bool loops; /* the kernel has bpf_loop */
	char **file;
	int file_count;
};

enum { KEY_RECORD = 256, KEY_REFUSED, KEY_UPDATE, KEY_OPTIONAL };

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'j': settings->json = settings->check.json = true; return 0;
	case 'k':
		if (!*argument || strlen(argument) >= LOAD_NAME_MAX)
			argp_error(state, "\"%s\" is no name for a kernel", argument);
		settings->kernel = argument;
		return 0;
	case 'c': settings->check.results = option_text(state, argument, "--check"); return 0;
	case KEY_RECORD:
		settings->check.record = option_text(state, argument, "--record");
		return 0;
	case KEY_REFUSED:
		settings->check.refused = option_text(state, argument, "--refused");
		return 0;
	case KEY_UPDATE: settings->check.update = true; return 0;
	case KEY_OPTIONAL:
		if (load_optional_add(&settings->optional,
				      option_text(state, argument, "--optional")))
			argp_failure(state, EXIT_ENVIRONMENT, 0, "out of memory");
		return 0;
	case ARGP_KEY_ARGS:
		settings->file = state->argv + state->next;
		settings->file_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!settings->check.results != !settings->check.record)
			argp_error(state, "--check and --record go together");
		if (settings->check.update && !settings->check.results)
			argp_error(state, "--update is for --check");
		if (settings->check.refused && !settings->check.update)
			argp_error(state, "--refused is for --update");
		if (settings->check.results && settings->file_count)
			argp_error(state, "--check reads results, no objects");
		if (settings->check.results && settings->optional.count)
			argp_error(state, "--optional is for loading: the record says what may "
					  "be refused");
		if (settings->check.results && settings->kernel)
			argp_error(state, "--kernel is for loading: results say their kernel");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* ---- loading ---------------------------------------------------------------------------- */

/* Which kernel this is, in the record's words and in its own. */
static void name_kernel(const struct settings *settings, struct load_result *ret)
{
	struct utsname name;

	if (uname(&name) || kernel_series_of(name.release, ret->kernel, sizeof(ret->kernel)))
		strcpy(ret->kernel, "unknown");
	snprintf(ret->release, sizeof(ret->release), "%.63s", name.release);
	if (settings->kernel)
		strcpy(ret->kernel, settings->kernel);
}

static void add_case(struct settings *settings, const struct load_result *result,
		     enum load_excuse excuse)
{
	enum case_status status = result->outcome == LOAD_YES ? CASE_PASSED
				  : excuse		      ? CASE_SKIPPED
							      : CASE_FAILED;

	cases_add(&settings->cases.cases, result->object, result->program, status,
		  status == CASE_SKIPPED ? load_excuse_name(excuse) : result->log);
}

static void say_result(const struct settings *settings, const struct load_result *result,
		       enum load_excuse excuse)
{
	if (settings->json) {
		json_t *object = load_result_json(result);

		json_object_set_new(object, "excuse", json_string(load_excuse_name(excuse)));
		json_line(stdout, object);
	} else {
		load_result_print(result, stdout);
		if (excuse == LOAD_OPTIONAL)
			printf("    no failure: --optional\n");
		else if (excuse == LOAD_UNUSED)
			printf("    no failure: without bpf_loop stackproof does not use it\n");
		else if (excuse == LOAD_SPARED)
			printf("    no failure: stackproof does without it, and says what it does "
			       "not see\n");
	}
	fflush(stdout);
}

/* It could not be tried: not the kernel's word. */
static void leave_program(struct settings *settings, const struct load_result *result,
			  const struct error *error)
{
	gate_add_status(&settings->gate, EXIT_ENVIRONMENT);
	cases_add(&settings->cases.cases, result->object, result->program, CASE_ERROR,
		  error->message);
	if (settings->json)
		json_line(stdout, JSON_NEW("type", "error", "name", result->program, "reason",
					   "environment", "message", error->message));
	else
		printf("not tried: %s %s: %s\n", PLAIN_TEXT(result->object),
		       PLAIN_TEXT(result->program), PLAIN_TEXT(error->message));
}

static void load_programs(struct settings *settings, const struct load_object *object)
{
	for (size_t i = 0; i < object->program_count; i++) {
		struct load_result result = { 0 };
		struct error error;

		name_kernel(settings, &result);
		if (load_program(object, i, &result, &error)) {
			leave_program(settings, &result, &error);
			continue;
		}
		/* Always asked: a name of --optional is met by a program that loads, too. */
		bool optional = load_optional_has(&settings->optional, &result);
		enum load_excuse excuse = load_excuse(&result, !object->owned, settings->loops,
						      optional);

		say_result(settings, &result, excuse);
		add_case(settings, &result, excuse);
		if (excuse) {
			gate_leave(&settings->gate,
				   excuse == LOAD_OPTIONAL ? GATE_OPTIONAL
				   : excuse == LOAD_SPARED ? GATE_SKIPPED
							   : GATE_NO_HELPER,
				   1);
			continue;
		}
		settings->gate.checked++;
		settings->gate.findings += result.outcome != LOAD_YES;
	}
}

/* One object whose init gave failed. */
static void load_one(struct settings *settings, struct load_object *object, int failed,
		     const char *name, const struct error *error)
{
	if (failed) {
		error_print(stderr, name, error);
		gate_add_status(&settings->gate,
				error_is_environment(error) ? EXIT_ENVIRONMENT : EXIT_BAD_INPUT);
		cases_add(&settings->cases.cases, "load", name, CASE_ERROR, error->message);
		return;
	}
	load_programs(settings, object);
	load_object_deinit(object);
}

/* Of --json the last object; of text a line, unless it would say nothing new. */
static int finish(const struct settings *settings)
{
	const struct gate *gate = &settings->gate;

	if (settings->json) {
		json_t *object = JSON_NEW("type", "load_summary", "passed",
					  gate->checked - gate->findings, "failed", gate->findings,
					  "skipped",
					  gate->left[GATE_NO_HELPER] + gate->left[GATE_OPTIONAL]);

		gate_json(gate, object);
		json_line(stdout, object);
	} else if (!gate_is_clean(gate)) {
		gate_print(gate, stdout);
	}
	return gate_status(gate);
}

/* A name that no program has is a mistake: the program that was meant has another. */
static void check_optional(struct settings *settings)
{
	for (size_t i = 0; i < settings->optional.count; i++) {
		const struct load_optional_name *name = &settings->optional.name[i];

		if (name->met)
			continue;
		fprintf(stderr, "stackproof load: --optional %s: no program has such a name\n",
			PLAIN_TEXT(name->glob));
		settings->gate.bad_input = true;
	}
}

static int load_all(struct settings *settings)
{
	struct load_object object;
	struct error error = { 0 };
	int failed;

	settings->loops = load_kernel_loops();
	for (int i = 0; i < settings->file_count; i++) {
		failed = load_object_init(&object, settings->file[i], &error);
		load_one(settings, &object, failed, settings->file[i], &error);
	}
	for (size_t i = 0; !settings->file_count; i++) {
		failed = load_object_init_built_in(&object, i, &error);
		if (failed > 0)
			break;
		load_one(settings, &object, failed, "built-in", &error);
	}
	check_optional(settings);
	return finish(settings);
}

static int skip(struct settings *settings, const struct error *error)
{
	if (error_is_want(error)) {
		error_print(stderr, "load", error);
		return EXIT_ENVIRONMENT;
	}
	cases_add(&settings->cases.cases, "load", "load", CASE_SKIPPED, error->message);
	if (!settings->json) {
		printf("skipped: no_bpf: %s\n", error->message);
		return EXIT_SKIPPED;
	}
	json_line(stdout,
		  JSON_NEW("type", "skip", "name", settings->kernel ? settings->kernel : "load",
			   "reason", "no_bpf", "message", error->message));
	return finish(settings);
}

int command_load(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "json", 'j', NULL, 0, "One JSON object per program", 0 },
		{ "kernel", 'k', "NAME", 0, "What to call this kernel (its series)", 0 },
		{ "check", 'c', "RESULTS", 0,
		  "Loads nothing: holds lines of --json against the record", 0 },
		{ "record", KEY_RECORD, "FILE", 0, "The record (golden/verifier.tsv)", 0 },
		{ "refused", KEY_REFUSED, "GLOB", 0,
		  "With --update: a refusal of these programs is expected, and recorded; the glob "
		  "is of "
		  "KERNEL/COMPILER/OBJECT/PROGRAM or of PROGRAM",
		  0 },
		{ "update", KEY_UPDATE, NULL, 0, "Makes the record say what the results say", 0 },
		{ "optional", KEY_OPTIONAL, "NAME", OPTION_AGAIN,
		  "It is no failure if these programs are refused: a glob of PROGRAM or of "
		  "OBJECT/PROGRAM; again for more",
		  0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = options,
		.children = cases_children,
		.parser = parse,
		.args_doc = "[OBJECT...]",
		.doc = "Loads each program of BPF objects (the built-in ones) into this kernel, "
		       "alone, and "
		       "says what the verifier said.",
	};
	struct settings settings = { .gate = { .unit = "programs" } };
	struct error error = { 0 };

	command_parse(&argp, argc, argv, 0, &settings, &settings.gate, &settings.cases);
	settings.check.strict = settings.gate.strict;
	if (output_files_are_inputs(FILE_NAMES(CASES_FILES(settings.cases)),
				    FILE_NAMES(settings.check.results, settings.check.record)) ||
	    output_files_are_inputs(FILE_NAMES(CASES_FILES(settings.cases)),
				    (const char *const *)settings.file, settings.file_count))
		return EXIT_USAGE;
	cases_begin(&settings.cases, "load");
	settings.check.cases = &settings.cases.cases;
	int status = settings.check.results  ? load_check(&settings.check)
		     : load_possible(&error) ? skip(&settings, &error)
					     : load_all(&settings);
	load_optional_deinit(&settings.optional);
	return cases_finish(&settings.cases, status);
}
