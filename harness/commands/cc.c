/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cc.c - `stackproof cc COMPILER ARGS...`: compile, and lint what was written
 *
 *	make CC="stackproof cc gcc" CXX="stackproof cc g++"
 *
 * The compiler runs as if nobody stood between (compile/compile.h). If it succeeds, each object that it wrote,
 * or what it linked, is followed as `stackproof lint` does, and findings are printed on standard error,
 * as its warnings are. A build is not broken by what can't be checked, but that is said. Where nothing is to be checked, or
 * a build system only asks what the compiler can do, this process becomes the compiler.
 *
 * Exit status: the compiler's, if that isn't 0; 1 findings (0 with --warn); with --strict 1 also for findings of which
 * it can't be told whose code it is, 3 what was written can't be read, 77 nothing of it could be checked; else 0.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "corpus/compile/compile.h"
#include "corpus/compile/compile_findings.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/images/image_objects.h"
#include "analysis/lint/lint.h"
#include "plain_text.h"

#define DEFAULT_TIMEOUT_MS 60000

struct wrapping {
	struct lint_options options;
	bool warn, strict, no_link, others;
	unsigned int timeout_ms;
	char **argv; /* the compiler's */
	struct compile_findings findings;
	uint64_t checked, unread, left; /* files */
	char why[512];			/* the first of left */
};

enum { KEY_ONLY = 0x100 };

static const struct argp_option option_list[] = {
	{ "warn", INTO_FLAG(wrapping, warn), NULL, 0, "findings don't change the exit status", 0 },
	{ "strict", INTO_FLAG(wrapping, strict), NULL, 0,
	  "what was written and can't be read is status 3, and 77 if nothing could be checked; "
	  "findings whose code it is can't be told are 1",
	  0 },
	{ "no-link", INTO_FLAG(wrapping, no_link), NULL, 0,
	  "objects only, not what is linked: that has others' objects in it", 0 },
	{ "others", INTO_FLAG(wrapping, others), NULL, 0,
	  "findings in installed code that was linked, and in the linker's own, too", 0 },
	{ "only", KEY_ONLY, "ID,...", OPTION_AGAIN, "findings with these ids only (SP001,...)", 0 },
	{ "baseline", INTO_TEXT(wrapping, findings.baseline_path), "FILE", 0,
	  "only findings fail that FILE, an output of lint --json, doesn't have", 0 },
	{ "ignore", INTO_TEXT(wrapping, findings.ignore_path), "FILE", 0,
	  "findings that don't fail: lines of image, function, id, until, reason", 0 },
	{ "timeout", INTO_SECONDS(wrapping, timeout_ms), "SECONDS", 0, "for one file (60)", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wrapping *wrapping = state->input;

	switch (key) {
	case KEY_ONLY: findings_only(state, argument, &wrapping->options.only); break;
	case ARGP_KEY_ARG: /* from here on all is the compiler's */
		wrapping->argv = state->argv + state->next - 1;
		state->next = state->argc;
		break;
	case ARGP_KEY_END:
		if (!wrapping->argv)
			argp_error(state, "no compiler");
		break;
	default: return option_into(key, argument, state, option_list);
	}
	return 0;
}

static void lint_work(void *context, const struct image_path *path, FILE *output)
{
	const struct wrapping *wrapping = context;

	lint_file(&wrapping->options, path, output);
}

/* Nothing of what was asked for can be checked, for the first reason of any. */
static void leave(struct wrapping *wrapping, const char *path, const char *why)
{
	if (!wrapping->left++)
		snprintf(wrapping->why, sizeof(wrapping->why), "%s%s%s", path, *path ? " " : "",
			 why);
}

/* What can't be read is said at once. */
static void leave_unread(struct wrapping *wrapping, const json_t *image)
{
	wrapping->unread++;
	fprintf(stderr, "stackproof cc: %s: not checked: %s\n",
		PLAIN_TEXT(json_text(image, "image")), PLAIN_TEXT(json_text(image, "message")));
}

/* What has no code can't be wrong. */
static void leave_image(struct wrapping *wrapping, const char *path, const char *why)
{
	switch (compile_code(path)) {
	case COMPILE_CODE: leave(wrapping, path, why); break;
	case COMPILE_CODE_LATER:
		leave(wrapping, path, "has no code yet: it is made when it is linked (LTO)");
		break;
	case COMPILE_NO_CODE: break;
	}
}

static void take_image(struct wrapping *wrapping, const json_t *image)
{
	const char *path = json_text(image, "image"), *status = json_text(image, "status");
	const char *code = json_text(image, "code");

	if (!strcmp(status, "linted") &&
	    json_number(image, "fdes") > json_number(image, "unproven"))
		wrapping->checked++;
	else if (!strcmp(status, "linted") && json_number(image, "fdes"))
		leave(wrapping, path, "has no function whose code could be followed");
	else if (!strcmp(status, "no_cfi") && wrapping->findings.on_purpose)
		leave_image(wrapping, path, "is to have no call frame information, by an option");
	else if (!strcmp(status, "no_cfi") && json_number(image, "wanted_findings"))
		wrapping->checked++;
	else if (!strcmp(status, "linted") || !strcmp(status, "no_cfi"))
		leave_image(wrapping, path, "has no call frame information");
	else if (!strcmp(code, error_code_name(ERROR_NOT_ELF)))
		leave_image(wrapping, path, "is no ELF file");
	else if (!strcmp(code, error_code_name(ERROR_UNSUPPORTED_ELF)))
		leave_image(wrapping, path, "is for another machine");
	else
		leave_unread(wrapping, image);
}

static void take_object(void *context, const struct image_path *path, json_t *object)
{
	struct wrapping *wrapping = context;

	if (json_object_get(object, "status")) {
		take_image(wrapping, object);
		compile_findings_keep(&wrapping->findings, object);
	} else {
		compile_findings_add(&wrapping->findings, object);
	}
}

static void say_nothing(void *context, char *text, size_t size)
{
	text[0] = '\0';
}

static bool is_written(struct wrapping *wrapping, const struct compile_outputs *outputs,
		       size_t number)
{
	const char *missing = compile_output_missing(outputs, number);

	if (missing)
		leave(wrapping, outputs->path[number], missing);
	return !missing;
}

static int lint_paths(struct wrapping *wrapping, struct image_list *list,
		      void (*take)(void *context, const struct image_path *path, json_t *object),
		      struct error *error)
{
	const struct image_objects objects = {
		.type = "lint",
		.jobs = 1,
		.timeout_ms = wrapping->timeout_ms,
		.work = lint_work,
		.take = take,
		.say = say_nothing,
		.context = wrapping,
	};

	image_list_finish(list, 1);
	if (wrapping->findings.baseline)
		baseline_pair_list(wrapping->findings.baseline, list);
	return image_objects_run(&objects, list, error);
}

static void take_line(void *context, const struct image_path *path, json_t *object)
{
	struct wrapping *wrapping = context;

	if (!json_object_get(object, "status"))
		json_array_append(wrapping->findings.lines, object);
}

struct owner {
	const struct compile_outputs *outputs;
	const struct compile_origin *origin;
	bool others;
	bool anybodys; /* it has libc in it, say, and nothing tells where */
};

static enum compile_owner owner_of(const void *context, const struct finding_record *finding)
{
	const struct owner *owner = context;

	if (owner->others || json_object_get(finding->object, "made_by") ||
	    compile_source_is_others(finding->source_file) ||
	    (finding->pc[0] && compile_origin_is_others(owner->origin, owner->outputs,
							strtoull(finding->pc, NULL, 16))))
		return COMPILE_OTHERS;
	return owner->anybodys && !compile_source_is_own(finding->source_file) ? COMPILE_ANYBODYS
									       : COMPILE_OWN;
}

/* With debug info, if that could be made. A baseline has nothing of a file of that name. */
static void find_lines(struct wrapping *wrapping, const char *path)
{
	struct compile_findings *findings = &wrapping->findings;
	struct image_list list DEINIT(image_list_deinit) = { NULL };
	struct error error;

	findings->lines = json_array();
	if (path && !image_list_add(&list, path, &error))
		lint_paths(wrapping, &list, take_line, &error); /* else without lines */
}

/* What was found in an image, with the lines and without what isn't this build's. */
static void tell(struct wrapping *wrapping, const struct compile_outputs *outputs, json_t *image)
{
	struct compile_findings *findings = &wrapping->findings;
	struct owner owner = { .outputs = outputs, .others = compile_is_others(outputs) };
	struct compile_again again = { NULL };
	struct compile_origin *origin = NULL;

	for (size_t i = 0; i < outputs->count; i++)
		if (!strcmp(outputs->path[i], json_text(image, "image")) &&
		    json_array_size(json_object_get(image, "pending")))
			compile_again(wrapping->argv, outputs, i, &again);
	find_lines(wrapping, again.lines);
	if (again.map)
		owner.origin = origin = compile_origin_read(again.map);
	owner.anybodys = outputs->linked && !origin && compile_is_static(json_text(image, "image"));
	findings->owner = wrapping->others ? NULL : owner_of;
	findings->context = &owner;
	compile_findings_tell(findings, image);
	json_decref(findings->lines);
	findings->lines = NULL;
	compile_origin_free(origin);
	compile_again_end(&again);
}

static int lint_outputs(struct wrapping *wrapping, const struct compile_outputs *outputs,
			struct error *error)
{
	struct image_list list DEINIT(image_list_deinit) = { NULL };
	json_t *image;
	int result = 0;
	size_t i;

	wrapping->findings.on_purpose = outputs->bare;
	for (i = 0; i < outputs->count && !result; i++)
		if (is_written(wrapping, outputs, i))
			result = image_list_add(&list, outputs->path[i], error);
	if (!result)
		result = lint_paths(wrapping, &list, take_object, error);
	json_array_foreach(wrapping->findings.image, i, image) tell(wrapping, outputs, image);
	return result;
}

/* gate/gate.h's rule, with --strict: a build is not broken by what can't be checked. */
static enum exit_status status_of(const struct wrapping *wrapping)
{
	bool found = wrapping->findings.told || (wrapping->strict && wrapping->findings.anybodys);

	if (found && !wrapping->warn)
		return EXIT_FINDINGS;
	if (!wrapping->strict || found)
		return EXIT_OK;
	if (wrapping->unread)
		return EXIT_BAD_INPUT;
	return wrapping->left && !wrapping->checked ? EXIT_SKIPPED : EXIT_OK;
}

static void check_outputs(struct wrapping *wrapping, const struct compile_outputs *outputs)
{
	struct error error;

	if (!outputs->count)
		leave(wrapping, "", "the command line names no source");
	if (lint_outputs(wrapping, outputs, &error)) {
		error_print(stderr, "stackproof cc", &error);
		wrapping->unread++;
	}
	if (wrapping->left && !wrapping->checked && (wrapping->strict || !outputs->unchecked))
		fprintf(stderr, "stackproof cc: nothing was checked, because %s\n",
			PLAIN_TEXT(wrapping->why));
}

/* `stackproof cc gcc` where PATH has a link gcc to this program first: it is meant for those who don't know of it. */
static void find_compiler(struct wrapping *wrapping)
{
	const char *name = wrapping->argv[0];
	bool skipped;
	char *found = strchr(name, '/') ? NULL : compile_find_other(name, &skipped);

	if (!found || !skipped) {
		free(found);
		return;
	}
	compile_leave_path(name);
	wrapping->argv[0] = found;
}

/* The exit status. */
static int compile_and_lint(struct wrapping *wrapping, struct compile_outputs *outputs)
{
	struct error error;
	int status;

	if (compile_findings_open(&wrapping->findings, &error)) {
		error_print(stderr, "stackproof cc", &error);
		return error.code == ERROR_MEMORY ? EXIT_ENVIRONMENT : EXIT_BAD_INPUT;
	}
	if (compile_outputs_note(outputs, &error) || compile_run(wrapping->argv, &status, &error)) {
		error_print(stderr, "stackproof cc", &error);
		return EXIT_ENVIRONMENT;
	}
	if (!status) {
		check_outputs(wrapping, outputs);
		status = status_of(wrapping);
	}
	return status;
}

/* The exit status. */
static int compile(struct wrapping *wrapping)
{
	struct compile_outputs outputs;
	struct error error;
	int status;

	find_compiler(wrapping);
	if (compile_outputs_find(wrapping->argv, &outputs, &error)) {
		error_print(stderr, "stackproof cc", &error);
		status = EXIT_ENVIRONMENT;
	} else if (outputs.none || outputs.probe || (outputs.linked && wrapping->no_link)) {
		return compile_become(wrapping->argv);
	} else {
		status = compile_and_lint(wrapping, &outputs);
	}
	compile_findings_close(&wrapping->findings);
	compile_outputs_deinit(&outputs);
	return status;
}

int command_cc(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse_option,
		"COMPILER [ARGUMENT...]",
		"Runs a compiler, and says on standard error where the call frame information of "
		"what it wrote is not what its code does to the stack."
		"\vmake CC=\"stackproof cc gcc\" CXX=\"stackproof cc g++\"\n"
		"The exit status is the compiler's; where that is 0, 1 if there are findings.",
		NULL,
		NULL,
		NULL,
	};
	struct wrapping wrapping = { .options = { .only = FINDINGS_ALL },
				     .timeout_ms = DEFAULT_TIMEOUT_MS };

	wrapping.findings.colour = isatty(STDERR_FILENO);
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &wrapping);
	return compile(&wrapping);
}
