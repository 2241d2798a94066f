/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * emulators.c - `stackproof emulators`: the QEMUs that can run a guest under a plugin
 *
 *	emulators list			which there are, what is cached, and which interface each accepts
 *	emulators fetch [NAME...]	puts them into the cache; without a name the first that can be fetched
 *
 * With --json one object per emulator: {"type":"emulator","name":..,"version":..,"directory":..,"plugin_api":..}.
 */
#include <argp.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "base/cli/command_line.h"
#include "base/cli/json_counts.h"
#include "commands.h"
#include "guests/vm/vm.h"
#include "plain_text.h"

#define PROBE "count" /* a plugin of ours, to ask which interface is accepted */

struct settings {
	bool json;
	bool refresh;
	char **words; /* the subcommand and its names */
	int word_count;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'j': settings->json = true; return 0;
	case 'r': settings->refresh = true; return 0;
	case ARGP_KEY_ARGS:
		settings->words = state->argv + state->next;
		settings->word_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* api: 0: it accepts no plugin, or is not there. */
static void print_emulator(const struct emulator *emulator, int api, bool json)
{
	if (json) {
		json_line(stdout, JSON_NEW("type", "emulator", "name", emulator->name, "version",
					   emulator->version, "directory", emulator->directory,
					   "plugin_api", api));
		return;
	}
	printf("%-20s %-40s %-12s %s\n", PLAIN_TEXT(emulator->name),
	       emulator->version[0] ? PLAIN_TEXT(emulator->version) : "-",
	       api == 4	  ? "plugin API 4"
	       : api == 7 ? "plugin API 7"
			  : "-",
	       emulator->directory[0] ? PLAIN_TEXT(emulator->directory) : "-");
	fflush(stdout);
}

/* Why it accepts none is said on standard error. */
static int probe(const struct emulator *emulator)
{
	char path[PATH_MAX];
	struct error error = { 0 };
	int api = emulator_plugin(emulator, PROBE, path, sizeof(path), &error);

	if (api < 0)
		error_print(stderr, "stackproof emulators", &error);
	return api < 0 ? 0 : api;
}

static int list(const struct settings *settings)
{
	const char *name;

	for (size_t i = 0; (name = emulator_name_at(i)); i++) {
		struct emulator emulator;

		print_emulator(&emulator, emulator_find(name, &emulator) ? 0 : probe(&emulator),
			       settings->json);
	}
	return EXIT_OK;
}

static int fetch_one(const struct settings *settings, const char *name)
{
	struct emulator emulator;
	struct error error = { 0 };
	int api;

	if (emulator_get(name, settings->refresh, &emulator, &error)) {
		error_print(stderr, "stackproof emulators", &error);
		return EXIT_ENVIRONMENT;
	}
	api = probe(&emulator);
	print_emulator(&emulator, api, settings->json);
	return api ? EXIT_OK : EXIT_ENVIRONMENT;
}

static int fetch(const struct settings *settings)
{
	int status = EXIT_OK;

	if (settings->word_count == 1)
		return fetch_one(settings, emulator_name_at(1));
	for (int i = 1; i < settings->word_count; i++) {
		int own = fetch_one(settings, settings->words[i]);

		status = status ? status : own;
	}
	return status;
}

int command_emulators(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "json", 'j', NULL, 0, "One JSON object per emulator", 0 },
		{ "refresh", 'r', NULL, 0, "Look for a newer one than the cached one", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "list\nfetch [NAME...]",
		.doc = "Lists or fetches the emulators that run a guest under a plugin (vm "
		       "--plugin). NAME is of those that list prints.",
	};
	struct settings settings = { 0 };

	command_parse(&argp, argc, argv, 0, &settings);
	if (!strcmp(settings.words[0], "fetch"))
		return fetch(&settings);
	if (!strcmp(settings.words[0], "list") && settings.word_count == 1 && !settings.refresh)
		return list(&settings);
	fprintf(stderr, "stackproof emulators: say `list` or `fetch [--refresh] [NAME...]`\n");
	return EXIT_USAGE;
}
