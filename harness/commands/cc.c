/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cc.c - `stackproof cc COMPILER ARGS...`: compile, and lint what was written
 *
 *	make CC="stackproof cc gcc" CXX="stackproof cc g++"
 *
 * The compiler runs as if nobody stood between (compile/compile.h). If it succeeds, each object that it wrote,
 * or what it linked, is followed as `stackproof lint` does, and findings are printed on standard error,
 * as its warnings are. A build is not broken by what can't be checked.
 *
 * Exit status: the compiler's, if that isn't 0; 1 findings (0 with --warn); with --strict 3 what
 * was written can't be read; else 0.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/json_counts.h"
#include "cli/options.h"
#include "compile/compile.h"
#include "harness.h"
#include "images/image_objects.h"
#include "lint/lint.h"
#include "plain_text.h"

#define DEFAULT_TIMEOUT_MS 60000

struct wrapping {
	struct lint_options options;
	bool warn, strict, no_link;
	unsigned int timeout_ms;
	char **argv; /* the compiler's */
	uint64_t findings, unchecked;
};

enum { KEY_WARN = 0x100, KEY_STRICT, KEY_NO_LINK, KEY_ONLY, KEY_TIMEOUT };

static const struct argp_option option_list[] = {
	{ "warn", KEY_WARN, NULL, 0, "findings don't change the exit status", 0 },
	{ "strict", KEY_STRICT, NULL, 0, "what was written and can't be checked is status 3", 0 },
	{ "no-link", KEY_NO_LINK, NULL, 0,
	  "objects only, not what is linked: that has others' objects in it", 0 },
	{ "only", KEY_ONLY, "ID,...", 0, "findings with these ids only (SP001,...)", 0 },
	{ "timeout", KEY_TIMEOUT, "SECONDS", 0, "for one file (60)", 0 },
	{ 0 },
};

static void parse_only(struct argp_state *state, char *argument, struct wrapping *wrapping)
{
	char *word[LINT_ID_COUNT];
	size_t count = option_words(state, argument, "--only", word, LINT_ID_COUNT);

	wrapping->options.only = 0;
	for (size_t i = 0; i < count; i++) {
		enum lint_id id = lint_id_find(word[i]);

		if (!id)
			argp_error(state, "'%s' is no finding's id", word[i]);
		wrapping->options.only |= 1u << id;
	}
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wrapping *wrapping = state->input;

	switch (key) {
	case KEY_WARN: wrapping->warn = true; break;
	case KEY_STRICT: wrapping->strict = true; break;
	case KEY_NO_LINK: wrapping->no_link = true; break;
	case KEY_ONLY: parse_only(state, argument, wrapping); break;
	case KEY_TIMEOUT:
		wrapping->timeout_ms = option_seconds(state, argument, "--timeout");
		break;
	case ARGP_KEY_ARG: /* from here on all is the compiler's */
		wrapping->argv = state->argv + state->next - 1;
		state->next = state->argc;
		break;
	case ARGP_KEY_END:
		if (!wrapping->argv)
			argp_error(state, "no compiler");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void lint_work(void *context, const struct image_path *path, FILE *output)
{
	const struct wrapping *wrapping = context;

	lint_file(&wrapping->options, path, output);
}

/* Why it could not be checked; files without CFI, of other machines and of other formats (LTO by
 * clang) have nothing to check. */
static void take_image(struct wrapping *wrapping, const json_t *image)
{
	const char *status = json_text(image, "status"), *code = json_text(image, "code");

	if (!strcmp(status, "linted") || !strcmp(status, "no_cfi") ||
	    !strcmp(code, error_code_name(ERROR_NOT_ELF)) ||
	    !strcmp(code, error_code_name(ERROR_UNSUPPORTED_ELF)))
		return;
	wrapping->unchecked++;
	fprintf(stderr, "stackproof cc: %s: not checked: %s\n",
		PLAIN_TEXT(json_text(image, "image")), PLAIN_TEXT(json_text(image, "message")));
}

static void take_object(void *context, const struct image_path *path, json_t *object)
{
	struct wrapping *wrapping = context;

	if (json_object_get(object, "status")) {
		take_image(wrapping, object);
		return;
	}
	wrapping->findings++;
	lint_text_finding(stderr, object, isatty(STDERR_FILENO));
}

static void say_nothing(void *context, char *text, size_t size)
{
	text[0] = '\0';
}

/* What was written is a file with something in it: configure scripts write to /dev/null. */
static bool is_written(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && status.st_size;
}

static int lint_outputs(struct wrapping *wrapping, const struct compile_outputs *outputs,
			struct error *error)
{
	const struct image_objects objects = {
		.type = "lint",
		.jobs = 1,
		.timeout_ms = wrapping->timeout_ms,
		.work = lint_work,
		.take = take_object,
		.say = say_nothing,
		.context = wrapping,
	};
	struct image_list list = { NULL };
	int result = 0;

	for (size_t i = 0; i < outputs->count && !result; i++)
		if (is_written(outputs->path[i]))
			result = image_list_add(&list, outputs->path[i], error);
	image_list_finish(&list, 1);
	if (!result)
		result = image_objects_run(&objects, &list, error);
	image_list_deinit(&list);
	return result;
}

static enum exit_status status_of(const struct wrapping *wrapping)
{
	if (wrapping->findings && !wrapping->warn)
		return EXIT_FINDINGS;
	return wrapping->unchecked && wrapping->strict ? EXIT_BAD_INPUT : EXIT_OK;
}

/* The exit status. */
static int compile_and_lint(struct wrapping *wrapping)
{
	struct compile_outputs outputs;
	struct error error;
	int status;

	if (compile_run(wrapping->argv, &status, &error)) {
		error_print(stderr, "stackproof cc", &error);
		return EXIT_ENVIRONMENT;
	}
	if (status)
		return status;
	if (compile_outputs_find(wrapping->argv, &outputs, &error) ||
	    (!(outputs.linked && wrapping->no_link) && lint_outputs(wrapping, &outputs, &error))) {
		error_print(stderr, "stackproof cc", &error);
		wrapping->unchecked++;
	}
	compile_outputs_deinit(&outputs);
	return status_of(wrapping);
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
	struct wrapping wrapping = { .options = { .only = UINT32_MAX },
				     .timeout_ms = DEFAULT_TIMEOUT_MS };

	argp_err_exit_status = EXIT_USAGE;
	if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &wrapping))
		return EXIT_USAGE;
	return compile_and_lint(&wrapping);
}
