/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * prove_readelf.c - our lines against another tool's: `table --format readelf` and `readelf -wF`
 *
 * Both streams are read side by side and neither is kept: libLLVM's has 80 MB. Ours comes from a
 * FILE whose write function is here, theirs from a pipe. Where the lines part, both are read a
 * little ahead, and the nearest pair of equal lines is where they meet again: what lies between is
 * the difference.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "prove.h"
#include "tables/table/table.h"

#define AHEAD 200 /* lines */

/* Lines that were read and not yet compared: a ring whose buffers are used again. */
struct lines {
	struct line {
		char *text;
		size_t size;
	} line[AHEAD];
	size_t first;
	size_t count;
};

struct comparison {
	struct lines ours;
	struct lines theirs;
	char *partial; /* of ours, up to the next newline */
	size_t partial_used;
	size_t partial_size;
	FILE *pipe;
	bool pipe_ended, pipe_spoke;
	bool out_of_memory;
	uint64_t number; /* of our first line in the ring, from 1 */
	readelf_difference_fn fn;
	void *context;
	struct readelf_proof *proof;
};

static struct line *line_at(struct lines *lines, size_t index)
{
	return &lines->line[(lines->first + index) % AHEAD];
}

static const char *text_at(struct lines *lines, size_t index)
{
	return index < lines->count ? line_at(lines, index)->text : "";
}

static void drop(struct lines *lines, size_t count)
{
	lines->first = (lines->first + count) % AHEAD;
	lines->count -= count;
}

/* One more of theirs: without its newline. */
static void read_theirs(struct comparison *comparison)
{
	struct line *line = line_at(&comparison->theirs, comparison->theirs.count);
	ssize_t length = getline(&line->text, &line->size, comparison->pipe);

	if (length < 0) {
		comparison->pipe_ended = true;
		return;
	}
	comparison->pipe_spoke = true;
	if (length && line->text[length - 1] == '\n')
		line->text[length - 1] = '\0';
	comparison->theirs.count++;
}

static void differ(struct comparison *comparison, size_t ours, size_t theirs)
{
	for (size_t i = 0; i < ours || i < theirs; i++) {
		struct readelf_difference difference = {
			.line = comparison->number + (i < ours ? i : ours),
			.ours = i < ours ? text_at(&comparison->ours, i) : "",
			.theirs = i < theirs ? text_at(&comparison->theirs, i) : "",
		};

		comparison->proof->differ++;
		comparison->fn(comparison->context, &difference);
	}
	drop(&comparison->ours, ours);
	drop(&comparison->theirs, theirs);
	comparison->number += ours;
}

static bool equal_at(struct comparison *comparison, size_t ours, size_t theirs)
{
	return !strcmp(text_at(&comparison->ours, ours), text_at(&comparison->theirs, theirs));
}

/* How many lines of each lie before the nearest pair of equal lines that say something. */
static void meet(struct comparison *comparison, size_t *ret_ours, size_t *ret_theirs)
{
	size_t ours = comparison->ours.count, theirs = comparison->theirs.count;

	for (size_t sum = 1; sum < ours + theirs; sum++)
		for (size_t i = 0; i <= sum && i < ours; i++) {
			if (sum - i >= theirs)
				continue;
			const char *text = text_at(&comparison->ours, i);
			if (*text && !strcmp(text, text_at(&comparison->theirs, sum - i))) {
				size_t j = sum - i;

				/* Empty lines are no landmarks, but those before one are equal. */
				for (; i && j && equal_at(comparison, i - 1, j - 1); i--)
					j--;
				*ret_ours = i;
				*ret_theirs = j;
				return;
			}
		}
	*ret_ours = ours;
	*ret_theirs = theirs;
}

/* Compares what there is. ended: we have no more lines. */
static void compare(struct comparison *comparison, bool ended)
{
	struct lines *ours = &comparison->ours, *theirs = &comparison->theirs;

	for (;;) {
		while (!comparison->pipe_ended && !theirs->count)
			read_theirs(comparison);
		if (!ours->count && (!ended || !theirs->count))
			return;
		if (ours->count && theirs->count &&
		    !strcmp(line_at(ours, 0)->text, line_at(theirs, 0)->text)) {
			comparison->proof->lines++;
			drop(ours, 1);
			drop(theirs, 1);
			comparison->number++;
			continue;
		}
		if (!ended && ours->count < AHEAD)
			return;
		while (!comparison->pipe_ended && theirs->count < AHEAD)
			read_theirs(comparison);
		size_t i = 0, j = 0;
		meet(comparison, &i, &j);
		differ(comparison, i, j);
	}
}

/* The line in partial is whole. */
static void add_ours(struct comparison *comparison)
{
	struct line *line;

	if (comparison->ours.count == AHEAD)
		compare(comparison, false);
	line = line_at(&comparison->ours, comparison->ours.count);
	if (!ARRAY_RESERVE(line->text, line->size, comparison->partial_used + 1)) {
		comparison->out_of_memory = true;
		return;
	}
	memcpy(line->text, comparison->partial, comparison->partial_used);
	line->text[comparison->partial_used] = '\0';
	comparison->partial_used = 0;
	comparison->ours.count++;
	compare(comparison, false);
}

static ssize_t write_ours(void *cookie, const char *data, size_t size)
{
	struct comparison *comparison = cookie;
	size_t at = 0;

	while (at < size && !comparison->out_of_memory) {
		const char *newline = memchr(data + at, '\n', size - at);
		size_t length = (newline ? (size_t)(newline - data) : size) - at;

		if (!ARRAY_RESERVE(comparison->partial, comparison->partial_size,
				   comparison->partial_used + length + 1)) {
			comparison->out_of_memory = true;
			break;
		}
		memcpy(comparison->partial + comparison->partial_used, data + at, length);
		comparison->partial_used += length;
		at += length + 1;
		if (newline)
			add_ours(comparison);
	}
	return comparison->out_of_memory ? 0 : (ssize_t)size;
}

/* Starts program with its output in *ret_pipe. */
static pid_t start(const char *program, const char *option, const char *path, FILE **ret_pipe,
		   struct error *error)
{
	const char *argv[] = { program, option, path, NULL };
	const struct child_command command = { .argv = argv };
	int output;
	pid_t pid = child_start(&command, &output, error);

	if (pid < 0)
		return -1;
	*ret_pipe = fdopen(output, "r");
	if (*ret_pipe)
		return pid;
	close(output);
	child_end(pid, true);
	return error_set_errno(error, "%s", program);
}

static void comparison_deinit(struct comparison *comparison)
{
	for (size_t i = 0; i < AHEAD; i++) {
		free(comparison->ours.line[i].text);
		free(comparison->theirs.line[i].text);
	}
	free(comparison->partial);
	free(comparison);
}

/* Our half. An image without CFI has no lines; so has readelf. */
static int write_table(struct comparison *comparison, const struct image *image,
		       const struct line_source *lines, struct error *error)
{
	static const cookie_io_functions_t functions = { .write = write_ours };
	FILE *file = fopencookie(comparison, "w", functions);
	int result;

	if (!file)
		return error_set_errno(error, "a stream");
	result = lines->write(file, image, error);
	if (result && error->code == ERROR_NO_CFI)
		result = 0;
	fclose(file);
	compare(comparison, true);
	if (comparison->out_of_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for lines");
	return result;
}

/* How it ended. One that fails without a word has no opinion. */
static int judge_end(const struct comparison *comparison, const char *program, int status,
		     struct error *error)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_NOT_RUN)
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0, "%s can't be run", program);
	if (WIFEXITED(status) && WEXITSTATUS(status) && !comparison->pipe_spoke)
		return error_set(error, ERROR_PROTOCOL, NULL, 0,
				 "%s ended with status %d, and printed nothing", program,
				 WEXITSTATUS(status));
	return child_check(program, status, error);
}

/* As readelf sees the file alone. */
static int write_readelf(FILE *file, const struct image *image, struct error *error)
{
	struct error_list diagnostics DEINIT(error_list_deinit) = { 0 };

	return table_readelf_alone(file, image, &diagnostics, error);
}

/* N: which debug files it finds, and shows too, hangs on more than the file. Its warnings are no lines of the table. */
const struct line_source prove_readelf_source = { "-wNF", write_readelf };

int prove_lines(const struct image *image, const char *program, const struct line_source *lines,
		readelf_difference_fn fn, void *context, struct readelf_proof *ret,
		struct error *error)
{
	struct comparison *comparison = calloc(1, sizeof(*comparison));
	int result, status;
	pid_t pid;

	*ret = (struct readelf_proof) { 0 };
	if (!comparison)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for lines");
	*comparison =
		(struct comparison) { .number = 1, .fn = fn, .context = context, .proof = ret };
	pid = start(program, lines->option, image->path, &comparison->pipe, error);
	if (pid < 0) {
		comparison_deinit(comparison);
		return -1;
	}
	result = write_table(comparison, image, lines, error);
	fclose(comparison->pipe);
	status = child_end(pid, false);
	if (!result)
		result = judge_end(comparison, program, status, error);
	comparison_deinit(comparison);
	return result;
}
