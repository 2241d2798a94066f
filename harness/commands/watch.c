/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch.c - `stackproof watch`: all true stacks of a program that nobody steps
 *
 *	stackproof watch -k 6.12 -o FILE -- COMMAND	boots a guest under the plugin `watch`, and runs this in it:
 *	stackproof watch -- COMMAND			runs the command where the plugin sees it
 *	stackproof watch --walks -- PROGRAM...		the same of several, which the plugin interrupts for BPF's walk
 *	... --profile "perf record -o {out} -p {pid}"	beside a profiler, whose stacks are held against the true ones
 *
 * With --rows it writes where the caller's frame was at each instruction, for `stackproof executed`. Alone that takes a
 * fiftieth of the time of stacks at each instruction, which -o and --registers need.
 *
 * The first is `stackproof vm` with a plugin: the options that are vm's go there as they are. The command's own output
 * goes to standard error, since standard output is the report's.
 */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "base/cli/command_line.h"
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "commands.h"
#include "freed.h"
#include "guests/vm/guest_files.h"
#include "guests/watch/watch.h"
#include "plain_text.h"
#include "profiles/score/score_made.h"
#include "truth/emulator/guest_agent.h"
#include "truth/emulator/watch_result.h"

enum {
	KEY_ROOT = 256,
	KEY_CPUS,
	KEY_ENTRY,
	KEY_WALKS,
	KEY_BIND_NOW,
	KEY_AT,
	KEY_PROFILE,
	KEY_JOIN,
	KEY_ROWS,
	KEY_FIRST,
	KEY_EVERY,
	KEY_REGISTERS,
};

#define SETTLE_MS  5000 /* an emulated perf needs two seconds */
#define FIRST_RUNS "64" /* of each block with each caller */

struct settings {
	char **command;
	char **vm; /* arguments of vm's */
	size_t vm_count;
	char **taken; /* --file's HOST[:GUEST] */
	size_t takens;
	const char *output, *rows, *root;
	const char *
		first; /* how many runs of a block with a caller are looked at; NULL: FIRST_RUNS; "0": all */
	const char *of_rows;  /* a given option that needs --rows */
	char *program;	      /* its path, if it is taken along */
	const char **profile; /* commands */
	size_t profiles;
	unsigned int settle_ms;
	bool entries, instructions; /* of --at; neither: what is needed */
	bool kernel, entry, json, join, registers;
	bool walks;
	unsigned timeout_ms; /* of walks, for one program */
	struct gate gate;
};

static const struct argp_option options[] = {
	{ "kernel", 'k', "KERNEL", 0,
	  "Boot a guest with this kernel: 6.12, or the path of a bzImage", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write the first process's truth file there, and others' to FILE.NUMBER", 0 },
	{ "rows", KEY_ROWS, "FILE", 0,
	  "Write there where the caller's frame was at each instruction, for `stackproof executed'",
	  0 },
	{ "first", KEY_FIRST, "N", 0,
	  "Of --rows: look at the first N runs of each block of code with each caller (" FIRST_RUNS
	  ")",
	  0 },
	{ "every", KEY_EVERY, "1", 0, "Of --rows: look at every run", 0 },
	{ "registers", KEY_REGISTERS, NULL, 0,
	  "Of --rows: callee-saved registers, too; each instruction is looked at, which is slow",
	  0 },
	{ "entry", KEY_ENTRY, NULL, 0, "Begin at programs' entry points, not in the dynamic loader",
	  0 },
	{ "walks", KEY_WALKS, NULL, 0,
	  "In such a guest: run each argument as a program, and walk by BPF wherever the emulator "
	  "interrupts it",
	  0 },
	{ "bind-now", KEY_BIND_NOW, NULL, 0, "With --walks: resolve all symbols at the start", 0 },
	{ "at", KEY_AT, "WHERE", 0,
	  "Know stacks at all `instructions' (default), or at kernel `entries' alone, with their "
	  "times: 40 times as fast, and FILE can be read while it grows",
	  0 },
	{ "profile", KEY_PROFILE, "COMMAND", OPTION_AGAIN,
	  "Run this profiler beside the command, by /bin/sh, and hold each of its samples against "
	  "the true stack at that moment; {out} is the file that it is to write, {pid} the "
	  "command's process; or {program} is the command",
	  0 },
	{ "settle", INTO_SECONDS(settings, settle_ms), "SECONDS", 0,
	  "The time that profilers have until the command begins (default 5)", 0 },
	{ "join", KEY_JOIN, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "json", 'j', NULL, 0, "NDJSON on standard output", 0 },
	{ "root", KEY_ROOT, "DIR", 0, "vm's: the guest is the system that DIR holds", 0 },
	{ "file", 'f', "HOST[:GUEST]", OPTION_AGAIN, "vm's: takes a file or a directory along", 0 },
	{ "memory", 'm', "SIZE", 0, "vm's: the guest's memory", 0 },
	{ "cpus", KEY_CPUS, "N", 0, "vm's: the guest's CPUs", 0 },
	{ "timeout", 't', "SECONDS", 0, "vm's: the guest's whole time", 0 },
	{ "emulator", 'e', "NAME", 0, "vm's: which emulator", 0 },
	{ 0 },
};

/* Hands an option on to vm. */
static void hand_on(struct argp_state *state, struct settings *settings, const char *name,
		    char *value)
{
	char *text;

	if (asprintf(&text, "--%s=%s", name, value) < 0 ||
	    !ARRAY_ADD(settings->vm, settings->vm_count, text))
		argp_failure(state, EXIT_ENVIRONMENT, ENOMEM, "the arguments");
}

static void add_profile(struct argp_state *state, struct settings *settings, const char *command)
{
	bool whole = watch_runs_program(command);

	if (!score_command_is_whole(command, whole))
		argp_error(state, "--profile: the command needs {out}");
	if (settings->profiles == GUEST_FILES_MAX)
		argp_error(state, "--profile: at most %d", GUEST_FILES_MAX);
	if (!ARRAY_ADD(settings->profile, settings->profiles, command))
		argp_failure(state, EXIT_ENVIRONMENT, ENOMEM, "the arguments");
	if (settings->profiles > 1 && (whole || watch_runs_program(settings->profile[0])))
		argp_error(state, "--profile: {program} is for one profiler alone");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'k':
		settings->kernel = true;
		hand_on(state, settings, "kernel", argument);
		return 0;
	case KEY_ROOT:
		settings->root = argument;
		hand_on(state, settings, "root", argument);
		return 0;
	case 'f':
		if (!ARRAY_ADD(settings->taken, settings->takens, argument))
			argp_failure(state, EXIT_ENVIRONMENT, ENOMEM, "the arguments");
		hand_on(state, settings, "file", argument);
		return 0;
	case 'm': hand_on(state, settings, "memory", argument); return 0;
	case KEY_WALKS: settings->walks = true; return 0;
	case KEY_BIND_NOW: option_bind_now(state); return 0;
	case KEY_CPUS: hand_on(state, settings, "cpus", argument); return 0;
	case 't':
		settings->timeout_ms = 1000 *
				       option_between(state, argument, "--timeout", 1, 86400);
		hand_on(state, settings, "timeout", argument);
		return 0;
	case 'e': hand_on(state, settings, "emulator", argument); return 0;
	case 'o': settings->output = argument; return 0;
	case KEY_ENTRY: settings->entry = true; return 0;
	case KEY_AT:
		settings->entries = !strcmp(argument, "entries");
		settings->instructions = !strcmp(argument, "instructions");
		if (!settings->entries && !settings->instructions)
			argp_error(state, "--at takes entries or instructions");
		return 0;
	case KEY_PROFILE: add_profile(state, settings, argument); return 0;
	case KEY_JOIN: settings->join = true; return 0;
	case KEY_ROWS: settings->rows = option_text(state, argument, "--rows"); return 0;
	case KEY_FIRST:
		option_between(state, argument, "--first", 1, UINT32_MAX);
		settings->first = argument;
		settings->of_rows = "--first";
		return 0;
	case KEY_EVERY:
		option_between(state, argument, "--every", 1, 1);
		settings->first = "0";
		settings->of_rows = "--every";
		return 0;
	case KEY_REGISTERS:
		settings->registers = true;
		settings->of_rows = "--registers";
		return 0;
	case 'j': settings->json = true; return 0;
	case ARGP_KEY_ARGS: settings->command = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	case ARGP_KEY_SUCCESS:
		if (settings->kernel && settings->walks)
			argp_error(state,
				   "--walks is for a guest in which the plugin runs already");
		if (!settings->kernel && !settings->walks &&
		    (settings->vm_count || settings->output || settings->rows || settings->entry ||
		     settings->json ||
		     ((settings->entries || settings->instructions) && !settings->profiles)))
			argp_error(state, "say which kernel: -k 6.12");
		if (settings->of_rows && !settings->rows)
			argp_error(state, "%s is of --rows FILE", settings->of_rows);
		if (settings->kernel && !settings->output &&
		    (!settings->rows || settings->profiles))
			argp_error(state, "say where the truth goes: -o FILE, or --rows FILE");
		if (settings->profiles && settings->instructions)
			argp_error(state, "--profile is for --at=entries");
		settings->entries |= settings->profiles != 0;
		if (settings->entries && settings->rows && !settings->output)
			argp_error(state, "--at=entries is of -o FILE: --rows looks at the code "
					  "between entries, too");
		if (settings->registers && settings->entries)
			argp_error(state, "--registers is for --at=instructions");
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

/* ---- on the host -------------------------------------------------------------------------- */

static bool has_comma(const char *path)
{
	return path && strchr(path, ',');
}

/* Appends ",NAME=VALUE" if there is a value. */
static void put_argument(FILE *file, const char *name, const char *value)
{
	if (value)
		fprintf(file, ",%s=%s", name, value);
}

/* Says where a file is that is not in the root, if the guest has it elsewhere than this machine. */
static void put_taken(FILE *file, const struct settings *settings, const char *argument)
{
	const char *colon = strchr(argument, ':');
	FREED char *here = strndup(argument, colon ? (size_t)(colon - argument) : SIZE_MAX);
	char host[PATH_MAX], guest[PATH_MAX];
	struct error ignored; /* vm says it */

	if (!here || guest_path_absolute(here, host, sizeof(host), &ignored) ||
	    guest_path_absolute(colon ? colon + 1 : here, guest, sizeof(guest), &ignored) ||
	    has_comma(host) || has_comma(guest) || (!settings->root && !strcmp(host, guest)))
		return;
	fprintf(file, ",taken=%s:%s", host, guest);
}

/* The plugin and its arguments, of which paths must not have a comma. NULL: no memory. */
static char *plugin_text(const struct settings *settings, const char *said)
{
	bool entries = settings->entries ||
		       !(settings->instructions || settings->output || settings->registers);
	FREED char *given = NULL;
	char *text = NULL;
	size_t size;
	FILE *file;

	if (settings->profiles && asprintf(&given, "%s.profile", settings->output) < 0)
		return NULL;
	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	fprintf(file, "watch,out=%s", said);
	put_argument(file, "truth", settings->output);
	put_argument(file, "rows", settings->rows);
	put_argument(file, "root", settings->root);
	put_argument(file, "from", settings->entry ? "entry" : NULL);
	put_argument(file, "registers", settings->registers ? "on" : NULL);
	put_argument(file, "at",
		     entries		      ? "entries"
		     : settings->instructions ? "instructions"
					      : NULL);
	put_argument(file, "given", given);
	for (size_t i = 0; i < settings->takens; i++)
		put_taken(file, settings, settings->taken[i]);
	if (settings->rows && entries)
		put_argument(file, "first", settings->first ? settings->first : FIRST_RUNS);
	fclose(file);
	return text;
}

/* Runs vm with what the command prints on standard error. Returns its status. */
static int run_guest(struct settings *settings, const char *said)
{
	FREED char *plugin = plugin_text(settings, said), *grows = NULL;
	size_t words = 0;
	int out = dup(STDOUT_FILENO), status;

	while (settings->command[words])
		words++;
	FREED char **argument = calloc(settings->vm_count + words + 2 * settings->profiles + 11,
				       sizeof(*argument));
	char settle[32];

	if (!plugin || !argument || out < 0 ||
	    asprintf(&grows, "--grows=%s", settings->output ? settings->output : "") < 0)
		return EXIT_ENVIRONMENT;
	snprintf(settle, sizeof(settle), "--settle=%u", settings->settle_ms / 1000);
	words = 0;
	argument[words++] = "stackproof vm";
	for (size_t i = 0; i < settings->vm_count; i++)
		argument[words++] = settings->vm[i];
	argument[words++] = "--plugin";
	argument[words++] = plugin;
	argument[words++] = grows;
	argument[words++] = "--";
	argument[words++] = "stackproof";
	argument[words++] = "watch";
	for (size_t i = 0; i < settings->profiles; i++) {
		argument[words++] = "--profile";
		argument[words++] = (char *)settings->profile[i];
	}
	if (settings->profiles)
		argument[words++] = settle;
	argument[words++] = "--";
	for (size_t i = 0; settings->command[i]; i++)
		argument[words++] = settings->command[i];
	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	status = command_vm((int)words, argument);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	return status;
}

/* Without a root the program is this machine's, and is taken along; so is the shell of profilers. -1: it is missing, or
 * there is no memory; said. */
static int take_program(struct settings *settings)
{
	char found[PATH_MAX], *path = NULL, *text = NULL;

	if (settings->root)
		return 0;
	if (settings->profiles && ((text = strdup("--file=/bin/sh")) == NULL ||
				   !ARRAY_ADD(settings->vm, settings->vm_count, text))) {
		free(text);
		return -1;
	}
	if (!strcmp(settings->command[0], "stackproof"))
		return 0;
	if (child_find(settings->command[0], found, sizeof(found))) {
		fprintf(stderr, "stackproof watch: %s: no such program on this machine\n",
			PLAIN_TEXT(settings->command[0]));
		return -1;
	}
	if (found[0] == '/')
		path = strdup(found);
	else
		path = realpath(found, NULL);
	if (!path || asprintf(&text, "--file=%s", path) < 0 ||
	    !ARRAY_ADD(settings->vm, settings->vm_count, text)) {
		free(text);
		free(path);
		return -1;
	}
	settings->program = settings->command[0] = path;
	return 0;
}

/* Holds the profiles against the truth, as `stackproof score' does. */
static int score_profiles(const struct settings *settings, struct gate *gate)
{
	char *argument[GUEST_FILES_MAX + 12] = {
		"stackproof score",	  "--children", "--truth",
		(char *)settings->output, "--same",	"build,run"
	};
	char *path[GUEST_FILES_MAX] = { 0 };
	int words = 6, status = EXIT_OK, first;

	if (settings->root) {
		argument[words++] = "--root";
		argument[words++] = (char *)settings->root;
	}
	if (settings->json)
		argument[words++] = "--json";
	first = words;
	for (size_t i = 0; i < settings->profiles; i++) {
		if (asprintf(&path[i], i ? "%s.profile.%zu" : "%s.profile", settings->output, i) <
		    0)
			return EXIT_ENVIRONMENT;
		if (!access(path[i], R_OK)) {
			argument[words++] = path[i];
			continue;
		}
		fprintf(stderr, "stackproof watch: no profile was written by: %s\n",
			PLAIN_TEXT(settings->profile[i]));
		gate->environment = true;
	}
	fflush(stdout);
	if (words > first)
		status = command_score(words, argument);
	for (size_t i = 0; i < settings->profiles; i++)
		free(path[i]);
	return status;
}

static int watch_guest(struct settings *settings)
{
	struct gate *gate = &settings->gate;
	struct watch_result result;
	FREED char *said = NULL;
	struct error error;
	int status;

	if (settings->output && settings->rows && !strcmp(settings->output, settings->rows)) {
		fprintf(stderr, "stackproof watch: -o and --rows name one file\n");
		return EXIT_USAGE;
	}
	if (has_comma(settings->output) || has_comma(settings->rows) || has_comma(settings->root)) {
		fprintf(stderr, "stackproof watch: QEMU takes no path with a comma\n");
		return EXIT_USAGE;
	}
	if ((settings->output && output_file_check(settings->output, &error)) ||
	    (settings->rows && output_file_check(settings->rows, &error)) ||
	    asprintf(&said, "%s.said", settings->output ? settings->output : settings->rows) < 0) {
		error_print(stderr, "stackproof watch", &error);
		return EXIT_ENVIRONMENT;
	}
	if (take_program(settings))
		return EXIT_BAD_INPUT;
	remove(said);
	if (settings->output)
		watch_files_remove(settings->output);
	if (settings->rows)
		remove(settings->rows);
	status = run_guest(settings, said);
	if (access(said, R_OK) && status) /* vm has said why */
		return status;
	if (watch_result_read(said, &result, &error)) {
		error_print(stderr, "stackproof watch", &error);
		gate->environment = true;
	}
	remove(said);
	if (!result.summary)
		result.saved = watch_files_saved(settings->output);
	if (!result.summary && settings->rows && !access(settings->rows, R_OK))
		json_array_append_new(result.saved, json_bytes(settings->rows));
	watch_result_gate(&result, gate);
	gate->environment |= status == EXIT_ENVIRONMENT;
	if (settings->json) {
		watch_result_print_json(stdout, &result, gate);
	} else {
		watch_result_print(stdout, &result);
		if (result.saved)
			watch_files_print_saved(stdout, result.saved);
		if (status && status != EXIT_ENVIRONMENT)
			printf("the command ended with status %d\n", status);
		if (!gate_is_clean(gate))
			gate_print(gate, stdout);
	}
	watch_result_deinit(&result);
	status = settings->profiles ? score_profiles(settings, gate) : EXIT_OK;
	return gate_status(gate) ? (int)gate_status(gate) : status;
}

int command_watch(int argc, char **argv)
{
	static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "-k KERNEL -o FILE -- COMMAND [ARGS]\n-- COMMAND [ARGS]",
		.doc = "Runs COMMAND in a guest whose emulator sees each instruction, and writes "
		       "all true stacks of "
		       "its threads and processes. Without -k, in such a guest: runs COMMAND where "
		       "the emulator sees "
		       "it.",
	};
	struct settings settings = { .settle_ms = SETTLE_MS };
	int status;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &settings, &settings.gate);
	status = settings.kernel  ? watch_guest(&settings)
		 : settings.walks ? watch_walks_run(settings.command, settings.timeout_ms)
		 : settings.join  ? guest_agent_join(settings.command)
				  : watch_inside_run(&(struct watch_inside) {
					    .command = settings.command,
					    .profiler = settings.profile,
					    .profilers = settings.profiles,
					    .settle_ms = settings.settle_ms });
	for (size_t i = 0; i < settings.vm_count; i++)
		free(settings.vm[i]);
	free(settings.vm);
	free(settings.taken);
	free(settings.profile);
	free(settings.program);
	return status;
}
