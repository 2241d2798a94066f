/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * kernels.c - `stackproof kernels`: the kernels that can be booted
 *
 *	kernels list			every series that Debian has today, and what is cached
 *	kernels list --all		every patch level of each
 *	kernels fetch NAME...		puts them into the cache; prints where each one is
 *
 * With --json one object per kernel:
 *{"type":"kernel","name":..,"version":..,"package":..,"image":..,"kernel_name":..,"kernel_release":..}.
 */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/command_line.h"
#include "commands.h"
#include "guests/vm/vm.h"
#include "plain_text.h"
#include "base/cli/json_counts.h"

struct settings {
	bool json;
	bool refresh;
	bool all;
	char **words; /* the subcommand and its names */
	int word_count;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'j': settings->json = true; return 0;
	case 'r': settings->refresh = true; return 0;
	case 'a': settings->all = true; return 0;
	case ARGP_KEY_ARGS:
		settings->words = state->argv + state->next;
		settings->word_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static void print_kernel(const struct kernel *kernel, bool json)
{
	json_t *object;

	if (!json) {
		printf("%-8s %-32s %-56s %s\n", PLAIN_TEXT(kernel->name),
		       PLAIN_TEXT(kernel->version), PLAIN_TEXT(kernel->package),
		       kernel->image[0] ? PLAIN_TEXT(kernel->image) : "-");
		return;
	}
	object = JSON_NEW("type", "kernel", "name", kernel->name, "version", kernel->version,
			  "package", kernel->package, "image", kernel->image, "kernel_name",
			  kernel->name, "kernel_release", kernel->version);
	json_line(stdout, object);
}

static int list(const struct settings *settings)
{
	FREED struct kernel *kernels = NULL;
	struct error error = { 0 };
	size_t count;

	int status = kernels_list(settings->all, &kernels, &count, &error);

	if (status)
		error_print(stderr, "stackproof kernels", &error);
	if (status < 0)
		return EXIT_ENVIRONMENT;
	if (status > 0)
		fprintf(stderr,
			"stackproof kernels: the archive could not be asked: these are the ones "
			"that are cached\n");
	for (size_t i = 0; i < count; i++)
		print_kernel(&kernels[i], settings->json);
	return EXIT_OK;
}

static int fetch(const struct settings *settings)
{
	int status = EXIT_OK;

	for (int i = 1; i < settings->word_count; i++) {
		struct kernel kernel;
		struct error error = { 0 };
		int failed;

		if (settings->refresh && !strchr(settings->words[i], '/'))
			failed = kernel_refresh(settings->words[i], &kernel, &error);
		else
			failed = kernel_get(settings->words[i], &kernel, &error);
		if (failed) {
			error_print(stderr, "stackproof kernels", &error);
			status = EXIT_ENVIRONMENT;
		} else {
			print_kernel(&kernel, settings->json);
			fflush(stdout);
		}
	}
	return status;
}

int command_kernels(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "json", 'j', NULL, 0, "One JSON object per kernel", 0 },
		{ "all", 'a', NULL, 0, "List every patch level, not only each series' newest", 0 },
		{ "refresh", 'r', NULL, 0, "Look for a newer kernel than the cached one", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "list\nfetch NAME...",
		.doc = "Lists or fetches the kernels that guests can boot. NAME is a series (5.10, "
		       "7.3-rc), one of its versions (6.12.90) or the path of a bzImage.",
	};
	struct settings settings = { 0 };

	command_parse(&argp, argc, argv, 0, &settings);
	if ((settings.refresh && !strcmp(settings.words[0], "list")) ||
	    (settings.all && !strcmp(settings.words[0], "fetch"))) {
		fprintf(stderr, "stackproof kernels: --all is for list, --refresh for fetch\n");
		return EXIT_USAGE;
	}
	if (!strcmp(settings.words[0], "list") && settings.word_count == 1)
		return list(&settings);
	if (!strcmp(settings.words[0], "fetch") && settings.word_count > 1)
		return fetch(&settings);
	fprintf(stderr, "stackproof kernels: say `list` or `fetch NAME...`\n");
	return EXIT_USAGE;
}
