/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * command_line.c - what argp does not do: which option was meant, that one came twice, and plain text
 *
 * argp gives a command each value of an option, and the last would win in silence: a check that was asked for
 * would not be made. So the line is read before, by getopt_long(3) as argp does it, from the same options
 * and those of its children. What getopt refuses argp says, but for a long option that is like another.
 *
 * What was typed is quoted by argp, by getopt within it and by each command's argp_error(). All of it goes to
 * stderr, which is another stream meanwhile: one that writes no control character.
 */
#include <argp.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nearest_word.h"
#include "options.h"
#include "command_line.h"
#include "plain_text.h"

#define LONG_BASE 256 /* getopt's value of the first long option: no short one's */

/* argp's own, which no command declares. */
static const struct argp_option own_options[] = {
	{ "help", 0, NULL, 0, "", 0 },
	{ "usage", 0, NULL, 0, "", 0 },
	{ "program-name", 0, "NAME", 0, "", 0 },
	{ 0 },
};

struct command_line {
	const char *program;
	struct option *name; /* of each option, for getopt; count, and one of zeroes */
	const struct argp_option **option;
	bool *met;
	size_t count;
	char *letters; /* getopt's */
};

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc;
}

static size_t count_options(const struct argp *argp)
{
	size_t count = 0;

	for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
		count++;
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		count += count_options(child->argp);
	return count;
}

static void add_options(struct command_line *line, const struct argp *argp)
{
	for (const struct argp_option *o = argp->options; o && !is_end(o); o++) {
		bool optional = o->flags & OPTION_ARG_OPTIONAL;
		int value = !o->arg    ? no_argument
			    : optional ? optional_argument
				       : required_argument;

		line->option[line->count] = o;
		line->name[line->count] = (struct option) { o->name ? o->name : "", value, NULL,
							    LONG_BASE + (int)line->count };
		if (o->key > ' ' && o->key < 127)
			sprintf(line->letters + strlen(line->letters), "%c%s", o->key,
				!o->arg	   ? ""
				: optional ? "::"
					   : ":");
		line->count++;
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		add_options(line, child->argp);
}

static void __attribute__((noreturn)) fail(const char *program, const char *reason)
{
	fprintf(stderr, "%s: the command line: %s\n", PLAIN_TEXT(program), reason);
	exit(EXIT_USAGE);
}

/* "--xyz" or "--xyz=value", which getopt does not know: if it is like another one, that is said. */
static void refuse_unknown(const struct command_line *line, const char *word)
{
	struct nearest_word nearest = { NULL, 0 };
	FREED char *wanted = strndup(word + 2, strcspn(word + 2, "="));

	for (size_t i = 0; wanted && i < line->count; i++) {
		if (!strncmp(line->name[i].name, wanted, strlen(wanted))) {
			nearest.word = NULL; /* short for several: argp names them */
			break;
		}
		nearest_word_add(&nearest, wanted, line->name[i].name);
	}
	if (nearest.word) {
		fprintf(stderr, "%s: unrecognized option '--%s': did you mean '--%s'?\n",
			PLAIN_TEXT(line->program), PLAIN_TEXT(wanted), nearest.word);
		exit(EXIT_USAGE);
	}
}

static void meet(struct command_line *line, size_t i)
{
	const struct argp_option *option = line->option[i];

	if (option->arg && line->met[i] && !(option->flags & OPTION_AGAIN)) {
		fprintf(stderr, "%s: --%s is given twice\n", PLAIN_TEXT(line->program),
			option->name);
		exit(EXIT_USAGE);
	}
	line->met[i] = true;
}

/* argv is put into another order. */
static void look_at(struct command_line *line, int argc, char **argv)
{
	int value;

	optind = 0;
	opterr = 0;
	while ((value = getopt_long(argc, argv, line->letters, line->name, NULL)) >= 0) {
		if (value == '?' || value == ':') { /* argp's to say */
			if (!optopt && !strncmp(argv[optind - 1], "--", 2))
				refuse_unknown(line, argv[optind - 1]);
			return;
		}
		size_t i = 0;

		while (value < LONG_BASE && line->option[i]->key != value)
			i++;
		i = value < LONG_BASE ? i : (size_t)(value - LONG_BASE);
		if (line->option[i] == &own_options[0])
			return; /* nothing but help is asked for */
		meet(line, i);
	}
}

static ssize_t write_plain(void *file, const char *text, size_t size)
{
	FREED char *copy = strndup(text, size);

	if (copy)
		plain_lines(file, copy);
	return copy ? (ssize_t)size : 0;
}

struct parsing {
	const struct argp *command;
	void *input;
	void *const *child_input; /* NULL behind the last */
};

/* The command's own parser, with its own input. */
static error_t parse_own(int key, char *value, struct argp_state *state)
{
	const struct parsing *parsing = state->input;

	for (size_t i = 0; key == ARGP_KEY_INIT && parsing->child_input[i]; i++)
		state->child_inputs[i] = parsing->child_input[i];
	state->input = parsing->input;
	return parsing->command->parser(key, value, state);
}

/* If it fails nothing else works either: the words are said as they are. */
static int parse_plainly(struct parsing *parsing, int argc, char **argv, unsigned int flags)
{
	static const cookie_io_functions_t functions = { .write = write_plain };
	FILE *before = stderr, *plain = fopencookie(before, "w", functions);
	struct argp argp = *parsing->command;
	int error;

	argp.parser = parse_own;
	argp_err_exit_status = EXIT_USAGE;
	if (plain)
		stderr = plain; /* exit() writes what is left in it */
	error = argp_parse(&argp, argc, argv, flags, NULL, parsing);
	stderr = before;
	if (plain)
		fclose(plain);
	return error;
}

void command_parse_into(const struct argp *argp, int argc, char **argv, unsigned int flags,
			void *input, void *const *child_input)
{
	struct parsing parsing = { argp, input, child_input };
	static const struct argp own = { .options = own_options };
	size_t count = count_options(argp) + count_options(&own);
	struct command_line line = {
		.program = argv[0],
		.name = calloc(count + 1, sizeof(*line.name)),
		.option = calloc(count, sizeof(*line.option)),
		.met = calloc(count, sizeof(*line.met)),
		.letters = calloc(1, 3 * count + sizeof("+:")),
	};
	char **words = calloc((size_t)argc + 1, sizeof(*words));

	if (!line.name || !line.option || !line.met || !line.letters || !words)
		fail(argv[0], "no memory");
	strcpy(line.letters, flags & ARGP_IN_ORDER ? "+:" : ":");
	add_options(&line, argp);
	add_options(&line, &own);
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	look_at(&line, argc, words);
	free(line.name);
	free(line.option);
	free(line.met);
	free(line.letters);
	free(words);
	/* What was not read to its end is not obeyed. */
	int error = parse_plainly(&parsing, argc, argv, flags);

	if (error)
		fail(argv[0], strerror(error));
}
