/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden.c - `stackproof golden check|update|pack|unpack`
 *
 * check compares the corpus's tables, and with a run's results its verdicts, with their snapshots;
 * update writes them, but only what was named, never in CI, and only what golden_update.c lets
 * through. pack keeps binaries of toolchains that are hard to get, so that their goldens can be
 * checked where there is no such compiler (check --hermetic, unpack).
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "corpus/golden/golden.h"
#include "base/cases/cases.h"
#include "base/cli/nearest_word.h"
#include "base/cli/folder_lock.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/cli/own_folder.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"

#define WAIVERS "%s/waivers.tsv" /* in the snapshots' folder */

/* ---- command line ------------------------------------------------------------------------ */

struct arguments {
	struct golden_options options;
	struct gate gate;
	struct cases_options cases;
};

static const struct argp_option option_table[] = {
	{ "corpus", INTO_TEXT(arguments, options.corpus), "DIR", 0,
	  "the built corpus (build/corpus)", 0 },
	{ "golden", INTO_TEXT(arguments, options.golden), "DIR", 0, "the snapshots (golden)", 0 },
	{ "candidates", INTO_TEXT(arguments, options.candidates), "DIR", 0,
	  "where texts that could become goldens are left (golden-candidates beside the corpus)",
	  0 },
	{ "verdicts", INTO_TEXT(arguments, options.verdicts), "FILE", 0,
	  "what `stackproof run` (results.ndjson) or `compare --json` found: no golden may hold a "
	  "table fault; a run's findings have goldens too",
	  0 },
	{ "hermetic", INTO_FLAG(arguments, options.hermetic), NULL, 0,
	  "the packed binaries instead of a built corpus: no compiler, no skip", 0 },
	{ "complete", INTO_FLAG(arguments, options.complete), NULL, 0,
	  "check: the corpus is all there is (build/corpus-all): a golden without a binary fails",
	  0 },
	{ "standalone", INTO_FLAG(arguments, options.standalone), NULL, 0,
	  "unpack: only what runs without the machine's loader and libraries", 0 },
	{ "all", 'a', "REASON", 0, "update: every golden of the corpus, and why", 0 },
	{ "dry-run", 'n', NULL, 0, "update, pack: show, write nothing", 0 },
	{ "force", INTO_FLAG(arguments, options.force), NULL, 0,
	  "update: let a golden shrink by more than a fifth, or replace one that can't be read",
	  0 },
	{ "unstepped", INTO_FLAG(arguments, options.unstepped), NULL, 0,
	  "update: also what the truth has not seen", 0 },
	{ "json", 'j', NULL, 0, "one JSON object per line", 0 },
	{ 0 },
};

static const char *const action_name[] = { "check", "update", "pack", "unpack", "remove" };

static void parse_action(struct golden_options *options, struct argp_state *state)
{
	const char *action = state->argv[state->next];
	size_t i = 0;

	while (i < sizeof(action_name) / sizeof(action_name[0]) && strcmp(action_name[i], action))
		i++;
	if (i == sizeof(action_name) / sizeof(action_name[0])) {
		struct nearest_word nearest = { NULL, 0 };

		for (i = 0; i < sizeof(action_name) / sizeof(action_name[0]); i++)
			nearest_word_add(&nearest, action, action_name[i]);
		if (nearest.word)
			argp_error(state, "no action '%s': did you mean '%s'?", action,
				   nearest.word);
		argp_error(state, "check, update, pack, unpack or remove, not %s", action);
	}
	options->action = (enum golden_action)i;
	options->name = state->argv + state->next + 1;
	options->name_count = (size_t)(state->argc - state->next - 1);
}

/* What an update or a pack of everything would cost is said by who wants it. */
static void check_options(const struct golden_options *options, struct argp_state *state)
{
	bool writes = options->action == GOLDEN_UPDATE || options->action == GOLDEN_PACK;

	if (options->action == GOLDEN_UPDATE && !options->name_count && !options->all)
		argp_error(state, "update takes names, or --all=REASON");
	if (options->all && !options->all[strspn(options->all, " ")])
		argp_error(state, "--all takes a reason");
	if (options->all && (options->action != GOLDEN_UPDATE || options->name_count))
		argp_error(state, "--all is for update without names");
	if (options->action == GOLDEN_PACK && !options->name_count)
		argp_error(state, "pack takes names");
	if (options->action == GOLDEN_UNPACK && options->name_count != 1)
		argp_error(state, "unpack takes a folder");
	if (options->action == GOLDEN_REMOVE && !options->name_count)
		argp_error(state, "remove takes names");
	if (options->dry_run && !writes)
		argp_error(state, "--dry-run is for update and pack");
	if ((options->force || options->unstepped) && options->action != GOLDEN_UPDATE)
		argp_error(state, "--force and --unstepped are for update");
	if (options->standalone && options->action != GOLDEN_UNPACK)
		argp_error(state, "--standalone is for unpack");
	if (options->hermetic && options->action > GOLDEN_UPDATE)
		argp_error(state, "--hermetic is for check and update");
	if (options->complete &&
	    (options->action != GOLDEN_CHECK || options->name_count || options->hermetic))
		argp_error(state, "--complete is for check of a built corpus, without names");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct golden_options *options = &arguments->options;

	switch (key) {
	case 'a': options->all = argument; return 0;
	case 'n': options->dry_run = true; return 0;
	case 'j': options->json = true; return 0;
	case ARGP_KEY_ARGS: parse_action(options, state); return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "check, update, pack, unpack or remove?");
		return 0;
	case ARGP_KEY_SUCCESS: check_options(options, state); return 0;
	default: return option_into(key, argument, state, option_table);
	}
}

static const struct argp argp = {
	option_table,
	parse_option,
	"check [NAME...]\nupdate NAME...\npack NAME...\nunpack DIR\nremove NAME...",
	"Compares the tables and verdicts of the corpus with their snapshots, makes new snapshots, "
	"or "
	"keeps binaries of toolchains that are hard to get.\v"
	"NAME is a glob: TOOLCHAIN-VERSION/PROGRAM.VARIANT, a binary's name, a program, or a "
	"toolchain. GOLDEN/waivers.tsv, a list as --ignore takes it, names table faults that a "
	"golden may hold.",
	cases_children,
	NULL,
	NULL,
};

/* ---- running ----------------------------------------------------------------------------- */

static int summary(struct golden_run *run)
{
	unsigned long passed = run->count[GOLDEN_PASSED], failed = run->count[GOLDEN_FAILED];
	unsigned long skipped = run->count[GOLDEN_SKIPPED];

	run->gate.checked = passed + failed;
	run->gate.findings = failed;
	gate_leave(&run->gate, GATE_SKIPPED, skipped);
	if (run->options->json) {
		json_t *object = JSON_NEW("type", "golden_summary", "action",
					  action_name[run->options->action], "passed", passed,
					  "failed", failed, "skipped", skipped);

		gate_json(&run->gate, object);
		json_line(stdout, object);
	}
	if (!gate_is_clean(&run->gate))
		gate_print(&run->gate, run->out);
	fprintf(run->out, "golden: %lu passed, %lu failed, %lu skipped\n", passed, failed, skipped);
	return gate_status(&run->gate);
}

static int read_verdicts(struct golden_run *run, const struct manifest *manifest,
			 struct error *error)
{
	const struct golden_options *options = run->options;
	char waivers[PATH_MAX];

	snprintf(waivers, sizeof(waivers), WAIVERS, options->golden);
	if (ignore_list_read_waivers(&run->verdicts.waivers, waivers, error))
		return -1;
	return options->verdicts
		       ? golden_verdicts_read(&run->verdicts, options->verdicts, manifest, error)
		       : 0;
}

/* The manifest is read, and what the command line asks for is there. */
static int with_manifest(struct golden_run *run, const struct manifest *manifest,
			 struct error *error)
{
	const struct golden_options *options = run->options;
	const char *unknown = golden_unknown_name(options, manifest);

	if (unknown) {
		fprintf(stderr, "stackproof golden: nothing in the corpus is called %s\n",
			PLAIN_TEXT(unknown));
		return EXIT_USAGE;
	}
	if (read_verdicts(run, manifest, error)) {
		error_print(stderr, "stackproof golden", error);
		return EXIT_BAD_INPUT;
	}
	if (options->all)
		fprintf(run->out, "every golden is updated: %s\n", PLAIN_TEXT(options->all));
	if (options->action == GOLDEN_PACK) {
		golden_pack(run, manifest);
		return summary(run);
	}
	golden_corpus(run, manifest);
	if (options->complete)
		golden_left(run, manifest);
	if (options->action == GOLDEN_CHECK && !options->name_count)
		golden_same_check(run);
	if (golden_findings_write(run, error) || golden_same_write(run, error)) {
		error_print(stderr, "stackproof golden", error);
		return EXIT_BAD_INPUT;
	}
	return summary(run);
}

static int run_corpus(struct golden_run *run, const char *corpus)
{
	struct manifest manifest DEINIT(manifest_deinit) = { 0 };
	struct error error = { 0 };
	int status = EXIT_BAD_INPUT;

	if (manifest_read(&manifest, corpus, &error))
		error_print(stderr, "stackproof golden", &error);
	else
		status = with_manifest(run, &manifest, &error);
	return status;
}

/* The packed binaries are unpacked for as long as they are looked at. */
static int run_hermetic(struct golden_run *run)
{
	struct error error = { 0 };
	int status = EXIT_BAD_INPUT;
	char *folder = own_folder_create("golden", &error);

	if (!folder) {
		error_print(stderr, "stackproof golden", &error);
		return EXIT_ENVIRONMENT;
	}
	if (golden_unpack(run, folder, &error))
		error_print(stderr, "stackproof golden", &error);
	else
		status = run_corpus(run, folder);
	own_folder_remove(folder);
	return status;
}

static int run_unpack(struct golden_run *run)
{
	struct error error = { 0 };

	if (golden_unpack(run, run->options->name[0], &error)) {
		error_print(stderr, "stackproof golden", &error);
		return EXIT_BAD_INPUT;
	}
	return summary(run);
}

/* Of tables alone, and by their full names: what is removed is in no corpus. */
static int run_remove(struct golden_run *run)
{
	struct error error = { 0 };

	for (size_t i = 0; i < run->options->name_count; i++) {
		const char *name = run->options->name[i];
		int removed = golden_table_remove(run, name, &error);

		golden_finish_name(run, "table", name, removed > 0 ? GOLDEN_PASSED : GOLDEN_FAILED,
				   removed > 0 ? "removed"
				   : removed   ? "not_written"
					       : "no_golden",
				   removed < 0 ? error.message : NULL);
	}
	if (golden_same_write(run, &error)) {
		error_print(stderr, "stackproof golden", &error);
		return EXIT_BAD_INPUT;
	}
	return summary(run);
}

static bool writes_over_inputs(const struct arguments *arguments)
{
	const struct golden_options *options = &arguments->options;
	char manifest[PATH_MAX], waivers[PATH_MAX];

	snprintf(manifest, sizeof(manifest), "%s/manifest.tsv", options->corpus);
	snprintf(waivers, sizeof(waivers), WAIVERS, options->golden);
	return output_files_are_inputs(FILE_NAMES(CASES_FILES(arguments->cases)),
				       FILE_NAMES(options->verdicts, manifest, waivers));
}

/* What is written is this process's until it ends. */
static int take_folder(const struct golden_options *options, struct error *error)
{
	const char *folder = options->action == GOLDEN_UNPACK ? options->name[0] : options->golden;

	if (options->action == GOLDEN_CHECK || options->dry_run || access(folder, F_OK))
		return 0;
	return folder_lock(folder, error) < 0 ? -1 : 0;
}

int command_golden(int argc, char **argv)
{
	struct arguments arguments = {
		.options = { .corpus = "build/corpus", .golden = "golden" },
		.gate = { .unit = "snapshots" },
	};
	const struct golden_options *options = &arguments.options;
	struct golden_run run = { .options = options };
	struct error error = { 0 };
	int status;

	command_parse(&argp, argc, argv, 0, &arguments, &arguments.gate, &arguments.cases);
	run.gate = arguments.gate;
	if (writes_over_inputs(&arguments))
		return EXIT_USAGE;
	cases_begin(&arguments.cases, "golden");
	run.cases = &arguments.cases.cases;
	if (options->action != GOLDEN_CHECK && options->action != GOLDEN_UNPACK && getenv("CI")) {
		fprintf(stderr, "stackproof golden: %s is refused where CI is set\n",
			action_name[options->action]);
		return EXIT_USAGE;
	}
	run.out = options->json ? stderr : stdout;
	if (take_folder(options, &error)) {
		error_print(stderr, "stackproof golden", &error);
		return cases_finish(&arguments.cases, EXIT_ENVIRONMENT);
	}
	if (options->action == GOLDEN_UNPACK)
		status = run_unpack(&run);
	else if (options->action == GOLDEN_REMOVE)
		status = run_remove(&run);
	else if (options->hermetic)
		status = run_hermetic(&run);
	else
		status = run_corpus(&run, options->corpus);
	json_decref(run.snapshots);
	json_decref(run.same);
	json_decref(run.texts);
	golden_verdicts_deinit(&run.verdicts);
	return cases_finish(&arguments.cases, status);
}
