/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_run.c - a foreign profiler, run on the program
 *
 * Its command is /bin/sh's: pipes, quotes, variables are what they are there. Three names in it are
 * ours. {out} becomes a path without any character that a shell minds, {pid} a process that runs
 * already. {program} becomes the program and its arguments, quoted, so that each is one word again:
 * within '...' and "..." they are quoted once more for the shell that gets that text
 * (sh -c 'sudo perf ... {program}').
 *
 * What the command prints is kept from the terminal; the end of it is shown if it failed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/child/child.h"
#include "score_made.h"

#define OUT	"{out}"
#define PROGRAM "{program}"
#define PID	"{pid}"

/* ---- the text --------------------------------------------------------------------------------- */

bool score_command_is_whole(const char *text, bool runs_program)
{
	return strstr(text, OUT) && !strstr(text, PROGRAM) == !runs_program;
}

/* One character, where the text around it is within such quotes: ', " or none (0). */
static void put_within(FILE *file, char quote, char character)
{
	if (quote == '\'' && character == '\'') {
		fputs("'\\''", file);
		return;
	}
	if (quote == '"' && strchr("\"\\$`", character))
		fputc('\\', file);
	fputc(character, file);
}

static void put_text_within(FILE *file, char quote, const char *text)
{
	for (; *text; text++)
		put_within(file, quote, *text);
}

/* Each word in '...'. */
static void put_program(FILE *file, char quote, char *const *program)
{
	for (char *const *word = program; *word; word++) {
		put_text_within(file, quote, word == program ? "'" : " '");
		for (const char *at = *word; *at; at++)
			if (*at == '\'')
				put_text_within(file, quote, "'\\''");
			else
				put_within(file, quote, *at);
		put_text_within(file, quote, "'");
	}
}

/* The quotes that the character at text is behind, if it was within quote before it. */
static char quote_behind(char quote, char character)
{
	if (quote)
		return character == quote ? 0 : quote;
	return character == '\'' || character == '"' ? character : 0;
}

char *score_command_text(const char *text, const char *out, char *const *program, pid_t pid,
			 struct error *error)
{
	char *ret = NULL, quote = 0;
	size_t size;
	FILE *file = open_memstream(&ret, &size);

	while (file && *text) {
		if (!strncmp(text, OUT, strlen(OUT))) {
			fputs(out, file);
			text += strlen(OUT);
		} else if (!strncmp(text, PROGRAM, strlen(PROGRAM))) {
			put_program(file, quote, program);
			text += strlen(PROGRAM);
		} else if (pid && !strncmp(text, PID, strlen(PID))) {
			fprintf(file, "%d", pid);
			text += strlen(PID);
		} else if (*text == '\\' && quote != '\'' && text[1]) {
			fputc(*text++, file);
			fputc(*text++, file);
		} else {
			quote = quote_behind(quote, *text);
			fputc(*text++, file);
		}
	}
	if (file && !fclose(file))
		return ret;
	free(ret);
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a command");
	return NULL;
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Keeps the end of all that was heard. */
static void hear(void *context, const char *text, size_t size)
{
	struct score_said *said = context;
	size_t room = SCORE_SAID_BYTES - 1, old = said->size;

	if (size > room) {
		text += size - room;
		size = room;
	}
	if (old > room - size) {
		memmove(said->text, said->text + old - (room - size), room - size);
		old = room - size;
	}
	memcpy(said->text + old, text, size);
	said->size = old + size;
	said->text[said->size] = '\0';
}

/* What its end means, given that it came to it. */
static int judge_end(int status, const char *out, struct error *error)
{
	struct stat at;
	bool wrote = !stat(out, &at) && S_ISREG(at.st_mode) && at.st_size;

	if (WIFSIGNALED(status))
		return error_set(error, ERROR_PROTOCOL, "", 0, "the command died of SIG%s",
				 sigabbrev_np(WTERMSIG(status)));
	/* A profiler may end with its program's status: what counts is whether it wrote a profile. */
	if (wrote)
		return 0;
	if (WEXITSTATUS(status) == CHILD_NOT_RUN)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the command ended with status %d: it was not found",
				 CHILD_NOT_RUN);
	return error_set(error, ERROR_PROTOCOL, "", 0,
			 "the command ended with status %d, and wrote no profile",
			 WEXITSTATUS(status));
}

int score_command_run(const struct child_shell *shell, const char *out, struct score_said *ret_said,
		      int *ret_status, struct error *error)
{
	struct child_shell heard = *shell;
	int status;

	heard.hear = hear;
	heard.context = ret_said;
	ret_said->size = 0;
	ret_said->text[0] = '\0';
	if (child_shell_run(&heard, &status, error))
		return -1;
	if (shell->end_fd && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		status = 0; /* as it was asked to */
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	return judge_end(status, out, error);
}
