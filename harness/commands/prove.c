/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * prove.c - `stackproof prove ELF|DIR...`: is what we say of an image true?
 *
 * Every row that the FDEs of every image say is held against the compact table made of it: the two
 * lead to the same caller on any registers and memory, or the table says by a marker why it has no
 * rule. With --referee every row is held against libdw, with --readelf every line against
 * `readelf -wF`. Directories stand for every ELF file below them, archives for their members;
 * images are done several at once, each in a process of its own, so that none can take the others
 * with it.
 *
 * Exit status: 1 a silent difference, a disagreement, or a process that died of an image; else what
 * gate/gate.h says of what was not compared. A readelf that can't be run is a skip, one that fails the
 * environment's. A file that libdw refuses is a skip, too: its rows are held against all the others.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "clock.h"
#include "base/images/image_objects.h"
#include "base/cases/cases.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/cli/json_counts.h"
#include "tables/prove/prove.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"

#define FEW_IMAGES 20 /* each gets a line */

struct proving {
	struct prove_options options;
	struct prove_totals totals;
	struct image_list list;
	struct gate gate;
	struct cases_options cases;
	uint64_t findings; /* of the image at hand, so far */
};

enum {
	KEY_REFEREE = 'r',
	KEY_READELF = 'R',
	KEY_ALL = 'a',
	KEY_SFRAME = 'S',
	KEY_OBJDUMP = 'O',
	KEY_OBJECT = 'o',
};

static const struct argp_option option_list[] = {
	{ "referee", KEY_REFEREE, NULL, 0, "hold every row against libdw, too", 0 },
	{ "readelf", KEY_READELF, NULL, 0, "hold every line against readelf -wF, too", 0 },
	{ "all", KEY_ALL, NULL, 0, "both of these", 0 },
	{ "sframe", KEY_SFRAME, NULL, 0, "hold SFrame against the call frame information, too", 0 },
	{ "objdump", KEY_OBJDUMP, "PROGRAM", 0,
	  "with --sframe: hold every line of it against PROGRAM --sframe", 0 },
	{ "libsframe", INTO_FLAG(proving, options.libsframe), NULL, 0,
	  "with --sframe: hold every row of it against libsframe's reading, where that is there",
	  0 },
	{ "object", KEY_OBJECT, "FILE", 0,
	  "with --sframe: an object file that was linked, to tell assembler from linker", 0 },
	{ "jobs", 'j', "N", 0, "images at once (as many as there are CPUs)", 0 },
	{ "timeout", INTO_SECONDS(proving, options.timeout_ms), "SECONDS", 0, "for one image (300)",
	  0 },
	{ "every", INTO_COUNT(proving, options.every), "N", 0,
	  "only every N-th image of those found in directories", 0 },
	{ "json", INTO_FLAG(proving, options.json), NULL, 0,
	  "one JSON object per image, findings, and a summary", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct proving *proving = state->input;
	struct prove_options *options = &proving->options;
	switch (key) {
	case KEY_REFEREE: options->referee = true; break;
	case KEY_READELF: options->readelf = true; break;
	case KEY_ALL: options->referee = options->readelf = true; break;
	case KEY_SFRAME: options->sframe = true; break;
	case KEY_OBJDUMP: options->objdump = option_text(state, argument, "--objdump"); break;
	case KEY_OBJECT:
		if (!ARRAY_ADD(options->object, options->object_count, argument))
			argp_failure(state, EXIT_ENVIRONMENT, ENOMEM, "--object");
		break;
	case 'j':
		options->jobs = option_between(state, argument, "--jobs", 1, IMAGE_POOL_JOBS_MAX);
		break;
	case ARGP_KEY_ARGS:
		options->path = state->argv + state->next;
		options->path_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no ELF file and no directory"); break;
	case ARGP_KEY_END:
		if (!options->sframe &&
		    (options->objdump || options->object_count || options->libsframe))
			argp_error(state, "--objdump, --libsframe and --object are for --sframe");
		break;
	default: return option_into(key, argument, state, option_list);
	}
	return 0;
}

/* What it says that it has found, or has shown before it failed. */
static bool has_findings(const struct proving *proving, const json_t *proof)
{
	const json_t *referee = json_object_get(proof, "referee");
	const json_t *sframe = json_object_get(proof, "sframe");

	return proving->findings || json_count(proof, "silent") ||
	       json_count(json_object_get(proof, "search_table"), "wrong") ||
	       json_count(referee, "disputed") || json_count(referee, "unknown") ||
	       json_count(referee, "gaps_disputed") ||
	       json_count(json_object_get(proof, "readelf"), "differ") ||
	       json_count(sframe, "wrong") || json_count(sframe, "no_code") ||
	       json_count(sframe, "errors") ||
	       json_count(json_object_get(sframe, "objdump"), "differ") ||
	       json_count(json_object_get(sframe, "libsframe"), "differ");
}

static void count_proof(struct proving *proving, const struct image_path *image,
			const json_t *proof)
{
	const char *status = json_text(proof, "status"), *code = json_text(proof, "code");
	const json_t *referee = json_object_get(proof, "referee");
	const json_t *readelf = json_object_get(proof, "readelf");
	const json_t *sframe = json_object_get(proof, "sframe");
	const json_t *objdump = json_object_get(sframe, "objdump");
	const json_t *libsframe = json_object_get(sframe, "libsframe");
	struct prove_totals *totals = &proving->totals;

	totals->images++;
	if (!strcmp(status, "unread")) {
		totals->unread++;
		gate_leave_image_named(&proving->gate, code, gate_is_named(image, code));
	} else if (!strcmp(status, "failed")) {
		totals->failed++;
		gate_leave_failed(&proving->gate, code);
	} else if (!strcmp(status, "unchecked")) {
		totals->unchecked++;
		/* What was lost of it is counted by itself. */
		gate_leave(&proving->gate, GATE_UNCHECKED,
			   !json_count(proof, "lost_fdes") && !json_count(proof, "malformed_rows"));
	} else {
		totals->proven++;
		totals->no_cfi += !strcmp(status, "no_cfi");
		gate_leave(&proving->gate, GATE_NO_CFI, !strcmp(status, "no_cfi"));
	}
	totals->with_findings += has_findings(proving, proof);
	proving->gate.findings += has_findings(proving, proof);
	/* It dies of no image that it is asked for. */
	proving->gate.environment |= json_count(readelf, "failed") > 0 ||
				     json_count(objdump, "failed") > 0;
	gate_leave(&proving->gate, GATE_NO_TOOL,
		   json_count(readelf, "not_run") + json_count(readelf, "failed") +
			   json_count(objdump, "not_run") + json_count(objdump, "failed") +
			   json_count(libsframe, "not_run") + json_count(libsframe, "failed"));
	gate_leave(&proving->gate, GATE_NO_SFRAME, json_count(sframe, "none"));
	gate_leave(&proving->gate, GATE_REFUSED, json_object_get(referee, "refused") != NULL);
	proving->gate.checked += json_count(proof, "compared");
	gate_leave(&proving->gate, GATE_OUTSIDE, json_count(proof, "outside"));
	gate_add_image(&proving->gate, proof, image->named);
	json_counts_add(totals->counts, proof);
}

/* What an image is to a CI server. Found in a folder and not readable, it is a skip; a proof that
 * died is an error. */
static void add_case(struct proving *proving, const struct image_path *image, const json_t *proof)
{
	const char *status = json_text(proof, "status"), *message = json_text(proof, "message");
	enum case_status outcome = CASE_PASSED;

	if (has_findings(proving, proof)) {
		outcome = CASE_FAILED;
		message =
			"findings: what the table, the search table or another reader says differs";
	} else if (!strcmp(status, "failed")) {
		outcome = CASE_ERROR;
	} else if (!strcmp(status, "unread")) {
		outcome = gate_is_named(image, json_text(proof, "code")) ? CASE_ERROR
									 : CASE_SKIPPED;
	} else if (!strcmp(status, "no_cfi") || !strcmp(status, "unchecked")) {
		outcome = CASE_SKIPPED;
		message = message[0] ? message : status;
	}
	struct judged_case *judged = cases_add(&proving->cases.cases, "prove",
					       json_text(proof, "image"), outcome, message);
	judged->seconds = json_number_value(json_object_get(proof, "seconds"));
}

static void print_object(const struct proving *proving, const json_t *object)
{
	const char *status = json_string_value(json_object_get(object, "status"));

	if (proving->options.json) {
		json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
		putchar('\n');
	} else if (!status) {
		prove_text_finding(stdout, object);
	} else if (proving->list.count <= FEW_IMAGES || has_findings(proving, object) ||
		   !strcmp(status, "unread") || !strcmp(status, "failed") ||
		   !strcmp(status, "unchecked")) {
		prove_text_image(stdout, object);
	}
}

static void take_object(void *context, const struct image_path *image, json_t *object)
{
	struct proving *proving = context;

	if (!json_object_get(object, "status")) {
		proving->findings++;
		print_object(proving, object);
		return;
	}
	count_proof(proving, image, object);
	add_case(proving, image, object);
	print_object(proving, object);
	proving->findings = 0;
}

static void image_work(void *context, const struct image_path *image, FILE *output)
{
	const struct proving *proving = context;

	prove_image(&proving->options, image, output);
}

static void say_progress(void *context, char *text, size_t size)
{
	const struct proving *proving = context;

	snprintf(text, size, "%llu of %zu images, %llu with findings",
		 (unsigned long long)proving->totals.images, proving->list.count,
		 (unsigned long long)(proving->totals.with_findings + proving->totals.failed));
}

static void print_summary(const struct proving *proving)
{
	const struct prove_totals *totals = &proving->totals;
	json_t *summary;

	if (!proving->options.json) {
		prove_text_summary(stdout, &proving->options, totals);
		gate_print(&proving->gate, stdout);
		return;
	}
	summary = JSON_NEW("type", "proof_summary", "images", totals->images, "proven",
			   totals->proven, "no_cfi", totals->no_cfi, "unchecked", totals->unchecked,
			   "unread", totals->unread, "failed", totals->failed, "with_findings",
			   totals->with_findings, "seconds", totals->seconds);
	json_object_update(summary, totals->counts);
	gate_json(&proving->gate, summary);
	json_line(stdout, summary);
}

static enum exit_status prove(struct proving *proving)
{
	const struct image_objects objects = {
		.type = "proof",
		.jobs = proving->options.jobs,
		.timeout_ms = proving->options.timeout_ms,
		.work = image_work,
		.take = take_object,
		.say = say_progress,
		.context = proving,
	};
	double start = monotonic_seconds();
	struct error error;

	if (image_objects_run(&objects, &proving->list, &error)) {
		error_print(stderr, "prove", &error);
		return EXIT_ENVIRONMENT;
	}
	proving->totals.seconds = monotonic_seconds() - start;
	print_summary(proving);
	return gate_status(&proving->gate);
}

int command_prove(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse_option,
		"ELF|ARCHIVE|DEB|DIR...",
		"Proves that the compact tables of ELF files say what their call frame "
		"information says, and that it is read right.",
		cases_image_children,
		NULL,
		NULL,
	};
	struct proving proving = { .gate = { .unit = "comparisons" },
				   .options = { .timeout_ms = 300000, .every = 1 } };
	enum exit_status status = EXIT_OK;
	struct error error;

	proving.options.jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	command_parse(&argp, argc, argv, 0, &proving, &proving.gate, &proving.cases);
	proving.totals.counts = json_object();
	cases_begin(&proving.cases, "prove");
	for (int i = 0; i < proving.options.path_count; i++)
		if (image_list_add(&proving.list, proving.options.path[i], &error)) {
			error_print(stderr, NULL, &error);
			gate_leave_image(&proving.gate, &error, true);
			cases_add(&proving.cases.cases, "prove", proving.options.path[i],
				  CASE_ERROR, error.message);
		}
	gate_leave_list(&proving.gate, &proving.list);
	if (image_list_is_written(&proving.list, FILE_NAMES(CASES_FILES(proving.cases)))) {
		proving.cases.junit = proving.cases.tap = NULL;
		status = EXIT_USAGE;
	} else {
		image_list_finish(&proving.list, proving.options.every);
		status = prove(&proving);
	}
	image_list_deinit(&proving.list);
	json_decref(proving.totals.counts);
	free(proving.options.object);
	return cases_finish(&proving.cases, status);
}
