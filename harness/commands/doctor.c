/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doctor.c - `stackproof doctor`: what this machine can do, what is skipped without it, and what adds it
 *
 * Each ability is tried: guests/doctor/doctor.h has the list.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/command_line.h"
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "base/cli/options.h"
#include "base/gate/gate.h"
#include "commands.h"
#include "guests/doctor/doctor.h"
#include "plain_text.h"

#define REQUIRED_ROOM 32 /* more than there are abilities */

struct arguments {
	bool json;
	char *required[REQUIRED_ROOM];
	size_t requireds;
	struct gate gate;
};

enum { OPTION_REQUIRE = 256 };

static const struct argp_option options[] = {
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "require", OPTION_REQUIRE, "ABILITY,...", 0,
	  "one of these that is missing is a finding: bpf,step", 0 },
	{ NULL },
};

static const struct ability *find_ability(const char *name)
{
	const struct ability *ability;

	for (size_t i = 0; (ability = doctor_ability(i)); i++)
		if (!strcmp(ability->name, name))
			return ability;
	return NULL;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	if (key != OPTION_REQUIRE)
		return option_into(key, argument, state, options);
	arguments->requireds = option_words(state, argument, "--require", arguments->required,
					    REQUIRED_ROOM);
	for (size_t i = 0; i < arguments->requireds; i++)
		if (!find_ability(arguments->required[i]))
			argp_error(state, "--require: nothing is called %s",
				   arguments->required[i]);
	return 0;
}

static bool is_required(const struct arguments *arguments, const char *name)
{
	return ARRAY_ANY(arguments->requireds, i, !strcmp(arguments->required[i], name));
}

static void print_json(const struct ability *ability, const struct doctor_found *found,
		       bool required)
{
	json_line(stdout,
		  JSON_NEW("type", "ability", "name", ability->name, "answer",
			   doctor_answer_name(found->answer), "purpose", ability->purpose, "found",
			   found->text, "commands", ability->commands, "skip",
			   ability->skip[0] ? ability->skip : NULL, "package", ability->package,
			   "command", ability->command, "required", required));
}

static void print_text(const struct ability *ability, const struct doctor_found *found)
{
	printf("%-8s %-10s %s\n", doctor_answer_name(found->answer), ability->name,
	       PLAIN_TEXT(found->text));
	if (found->answer == DOCTOR_MISSING)
		printf("%19s %s. Without it skipped (%s): %s\n", "", ability->purpose,
		       ability->skip, ability->commands);
}

static void print_remedy(const struct doctor_found *found, bool json)
{
	struct error error;
	FREED char *remedy = doctor_remedy(found, &error);

	if (!remedy)
		no_memory();
	if (json)
		json_line(stdout, JSON_NEW("type", "remedy", "commands", remedy));
	else if (*remedy)
		printf("what adds the missing ones:\n%s", remedy);
}

static void ask_all(struct arguments *arguments)
{
	struct doctor_found *found = NULL;
	size_t count = 0;
	const struct ability *ability;

	for (size_t i = 0; (ability = doctor_ability(i)); i++) {
		struct doctor_found *one = ARRAY_ADD(found, count, (struct doctor_found) { 0 });
		bool required = is_required(arguments, ability->name);

		if (!one)
			no_memory();
		ability->ask(ability, one);
		gate_check(&arguments->gate, 1);
		arguments->gate.findings += required && one->answer == DOCTOR_MISSING;
		if (arguments->json)
			print_json(ability, one, required);
		else
			print_text(ability, one);
		fflush(stdout);
	}
	print_remedy(found, arguments->json);
	free(found);
}

int command_doctor(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Tries what this machine can do: steps a child, loads the walk in BPF, "
		       "opens a "
		       "perf event, looks for QEMU, kernels, compilers. Says which commands skip "
		       "what without it, and the commands that add what is missing. The network is "
		       "not asked.\v"
		       "Exit status: 0; 1 something of --require is missing; 2 usage.",
	};
	struct arguments arguments = { .gate = { .unit = "abilities" } };

	command_parse(&argp, argc, argv, 0, &arguments);
	ask_all(&arguments);
	if (arguments.json) {
		json_t *total = JSON_NEW("type", "doctor_total");

		gate_json(&arguments.gate, total);
		json_line(stdout, total);
	}
	return gate_status(&arguments.gate);
}
