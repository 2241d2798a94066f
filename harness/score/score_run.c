/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_run.c - a foreign profiler, run on the program
 *
 * Its command is words, as a shell would take them, and no more of a shell: who wants one writes
 * sh -c '...'. What it prints is kept from the terminal; the last line of it is shown if it wrote
 * no profile.
 */
#include <ctype.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "array.h"
#include "child/child.h"
#include "score/score.h"

#define OUT	   "{out}"
#define PROGRAM	   "{program}"
#define SAID_BYTES 160 /* of its last line */

/* ---- words ------------------------------------------------------------------------------------ */

struct parsing {
	const char *at;
	const char *out;
	char *const *program;
	struct score_command *command;
	FILE *word; /* that is read; NULL: none */
	char *text;
	size_t size;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a command");
}

static int add_word(struct score_command *command, char *word, struct error *error)
{
	if (word && ARRAY_GROW(command->word, command->words)) {
		command->word[command->words++] = word;
		return 0;
	}
	free(word);
	return no_memory(error);
}

/* A word that a shell would take as it is. */
static void put_quoted(FILE *file, const char *word)
{
	fputc('\'', file);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word, file);
	fputc('\'', file);
}

static int begin_word(struct parsing *parsing, struct error *error)
{
	if (!parsing->word)
		parsing->word = open_memstream(&parsing->text, &parsing->size);
	return parsing->word ? 0 : no_memory(error);
}

static int end_word(struct parsing *parsing, struct error *error)
{
	int status = 0;

	if (!parsing->word)
		return 0;
	if (fclose(parsing->word))
		status = no_memory(error);
	parsing->word = NULL;
	if (status) {
		free(parsing->text);
		return status;
	}
	if (strcmp(parsing->text, PROGRAM) != 0)
		return add_word(parsing->command, parsing->text, error);
	free(parsing->text);
	for (char *const *word = parsing->program; *word && !status; word++)
		status = add_word(parsing->command, strdup(*word), error);
	return status;
}

/* A name in braces, or one character. alone: {program} is all of its word, and becomes words. */
static void put(struct parsing *parsing, bool alone)
{
	if (!strncmp(parsing->at, OUT, strlen(OUT))) {
		fputs(parsing->out, parsing->word);
		parsing->at += strlen(OUT);
	} else if (!strncmp(parsing->at, PROGRAM, strlen(PROGRAM)) && !alone) {
		for (char *const *word = parsing->program; *word; word++) {
			if (word != parsing->program)
				fputc(' ', parsing->word);
			put_quoted(parsing->word, *word);
		}
		parsing->at += strlen(PROGRAM);
	} else {
		fputc(*parsing->at++, parsing->word);
	}
}

static bool stands_alone(const struct parsing *parsing, const char *text)
{
	char before = parsing->at == text ? ' ' : parsing->at[-1],
	     behind = strncmp(parsing->at, PROGRAM, strlen(PROGRAM)) ? 'x'
								     : parsing->at[strlen(PROGRAM)];

	return isspace((unsigned char)before) && (!behind || isspace((unsigned char)behind));
}

static int parse_quoted(struct parsing *parsing, struct error *error)
{
	char quote = *parsing->at++;

	while (*parsing->at && *parsing->at != quote) {
		if (quote == '"' && *parsing->at == '\\' && parsing->at[1] &&
		    strchr("\"\\$`", parsing->at[1]))
			fputc((parsing->at += 2)[-1], parsing->word);
		else
			put(parsing, false);
	}
	if (!*parsing->at)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "a quote without its end");
	parsing->at++;
	return 0;
}

static int parse_words(struct parsing *parsing, const char *text, struct error *error)
{
	bool alone = false; /* within a {program} that is a word */

	for (parsing->at = text; *parsing->at;) {
		if (isspace((unsigned char)*parsing->at)) {
			if (end_word(parsing, error))
				return -1;
			parsing->at++;
			alone = false;
			continue;
		}
		alone |= stands_alone(parsing, text);
		if (begin_word(parsing, error))
			return -1;
		if (*parsing->at == '\'' || *parsing->at == '"') {
			if (parse_quoted(parsing, error))
				return -1;
		} else if (*parsing->at == '\\' && parsing->at[1]) {
			fputc((parsing->at += 2)[-1], parsing->word);
		} else {
			put(parsing, alone);
		}
	}
	return end_word(parsing, error);
}

int score_command_parse(const char *text, const char *out, char *const *program,
			struct score_command *ret, struct error *error)
{
	struct parsing parsing = { .out = out, .program = program, .command = ret };

	*ret = (struct score_command) { 0 };
	if (!strstr(text, OUT) || !strstr(text, PROGRAM))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "the command needs " OUT " and " PROGRAM);
	if (!parse_words(&parsing, text, error)) {
		if (!ARRAY_GROW(ret->word, ret->words))
			no_memory(error);
		else
			return ret->word[ret->words] = NULL, 0;
	}
	if (parsing.word) {
		fclose(parsing.word);
		free(parsing.text);
	}
	score_command_deinit(ret);
	return -1;
}

void score_command_deinit(struct score_command *command)
{
	for (size_t i = 0; i < command->words; i++)
		free(command->word[i]);
	free(command->word);
	*command = (struct score_command) { 0 };
}

/* ---- running ---------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* What was said last; a line of it. */
struct said {
	char line[SAID_BYTES];
	size_t size;
	bool ended;
};

static void hear(struct said *said, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n') {
			said->ended = true;
			continue;
		}
		if (said->ended)
			said->size = 0;
		said->ended = false;
		if (said->size < SAID_BYTES - 1)
			said->line[said->size++] = text[i];
	}
	said->line[said->size] = '\0';
}

/* Hears it until nobody can say anything any more. False: the time is over. */
static bool listen_until(int output, int64_t deadline_ms, struct said *said)
{
	struct pollfd poll_fd = { .fd = output, .events = POLLIN };
	char text[4096];

	for (;;) {
		int64_t left = deadline_ms - now_ms();
		ssize_t size;

		if (left <= 0)
			return false;
		if (poll(&poll_fd, 1, left > 1000 ? 1000 : left) <= 0)
			continue;
		size = read(output, text, sizeof(text));
		if (size <= 0)
			return true;
		hear(said, text, size);
	}
}

int score_command_run(const struct score_command *command, unsigned int timeout_ms,
		      struct error *error)
{
	const struct child_command child = { .argv = (const char *const *)command->word,
					     .errors = true };
	struct said said = { .size = 0 };
	int output, status;
	bool in_time;
	pid_t pid = child_start(&child, &output, error);

	if (pid < 0)
		return -1;
	in_time = listen_until(output, now_ms() + timeout_ms, &said);
	close(output);
	status = child_end(pid, !in_time);
	if (!in_time)
		return error_set(error, ERROR_TIMEOUT, "", 0, "%s ran longer than %u s",
				 command->word[0], timeout_ms / 1000);
	if (child_check(command->word[0], status, error))
		return -1;
	/* A profiler may end with its program's status: what counts is whether it wrote a profile. */
	if (WEXITSTATUS(status))
		return error_set(error, ERROR_PROTOCOL, "", 0, "%s ended with status %d: %s",
				 command->word[0], WEXITSTATUS(status), said.line);
	return 0;
}
