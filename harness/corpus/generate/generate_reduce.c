/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_reduce.c - a program that shows something -> a smaller one that still does
 *
 * What shows it is a command's exit status. A program's *items* are its functions, the steps of each,
 * and the attributes of each: any of them can be left out, and the rest stays what it is
 * (generate_draw.c), so that the smallest program is a list of options, too. As in delta debugging (Zeller
 * and Hildebrandt, 2002) many are left out at once first, then fewer, until no single one can be.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child_shell.h"
#include "base/cli/own_folder.h"
#include "generate.h"

#define PLACE		  "{}"
#define COMMAND_NOT_FOUND 126 /* and above: of the shell */

struct reducer {
	const struct generate_reducing *reducing;
	struct generate_options best;
	struct generate_reduced *result;
	struct ending_signals signals;
	char *path, *command;
	struct error *error;
};

bool generate_command_is_whole(const char *command)
{
	return strstr(command, PLACE) != NULL;
}

/* ---- items -------------------------------------------------------------------------------- */

enum item_kind { ITEM_FUNCTION, ITEM_STEP, ITEM_ATTRIBUTES, ITEM_KINDS };

struct item {
	enum item_kind kind;
	unsigned int function, step;
};

#define ITEMS_MAX (GENERATE_FUNCTIONS_MAX * FUNCTION_STEPS_MAX)

static void leave_out(struct generate_options *options, const struct item *item)
{
	switch (item->kind) {
	case ITEM_FUNCTION: options->dropped[item->function] = true; break;
	case ITEM_STEP:
		options->dropped_steps[item->function] |= (uint8_t)(1u << item->step);
		break;
	case ITEM_ATTRIBUTES: options->dropped_attributes[item->function] = true; break;
	default: break;
	}
}

/* As it would be if nothing was left out: what can be left out. */
static int draw_whole(const struct generate_options *options, struct graph *ret,
		      struct error *error)
{
	struct generate_options whole = *options;

	memset(whole.dropped, 0, sizeof(whole.dropped));
	memset(whole.dropped_steps, 0, sizeof(whole.dropped_steps));
	memset(whole.dropped_attributes, 0, sizeof(whole.dropped_attributes));
	return graph_draw(&whole, ret, error);
}

/* What of one kind is still there. */
static size_t list_items(const struct graph *whole, const struct generate_options *options,
			 enum item_kind kind, struct item *ret)
{
	size_t count = 0;

	for (unsigned int f = whole->functions; f-- > 0;) {
		const struct function *function = &whole->function[f];

		if (options->dropped[f])
			continue;
		if (kind == ITEM_FUNCTION)
			ret[count++] = (struct item) { kind, f, 0 };
		if (kind == ITEM_ATTRIBUTES && function->attributes &&
		    !options->dropped_attributes[f])
			ret[count++] = (struct item) { kind, f, 0 };
		for (unsigned int s = function->steps; kind == ITEM_STEP && s-- > 0;)
			if (!(options->dropped_steps[f] & 1u << s))
				ret[count++] = (struct item) { kind, f, s };
	}
	return count;
}

static void measure(const struct graph *whole, const struct generate_options *options,
		    struct generate_size *ret)
{
	struct item item[ITEMS_MAX];

	ret->functions = (unsigned int)list_items(whole, options, ITEM_FUNCTION, item);
	ret->steps = (unsigned int)list_items(whole, options, ITEM_STEP, item);
	ret->attributes = (unsigned int)list_items(whole, options, ITEM_ATTRIBUTES, item);
}

/* ---- the command -------------------------------------------------------------------------- */

static char *command_text(const char *command, const char *path)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const char *at;

	if (!file)
		return NULL;
	for (; (at = strstr(command, PLACE)); command = at + strlen(PLACE))
		fprintf(file, "%.*s%s", (int)(at - command), command, path);
	fputs(command, file);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

/* Runs it on the file. Its status, or -1; *ret_slow: it took too long. */
static int run_command(struct reducer *reducer)
{
	const struct child_shell shell = { .command = reducer->command,
					   .timeout_ms = reducer->reducing->timeout_ms,
					   .signals = &reducer->signals };
	int status;

	if (child_shell_run(&shell, &status, reducer->error))
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- trying ------------------------------------------------------------------------------- */

enum outcome { TRIED_SHOWS, TRIED_OTHER, TRIED_ENDED };

static int write_program(struct reducer *reducer, const struct generate_options *options)
{
	FILE *file = fopen(reducer->path, "we");
	int result;

	if (!file)
		return error_set_errno(reducer->error, "%s", reducer->path);
	result = generate_program(options, file, reducer->error);
	if (fclose(file) && !result)
		result = error_set_errno(reducer->error, "%s", reducer->path);
	return result;
}

/* A program that can't be made, or on which the command hangs, is one that does not show it. */
static enum outcome try_program(struct reducer *reducer, const struct generate_options *options)
{
	int status;

	if (write_program(reducer, options))
		return reducer->error->code == ERROR_UNAVAILABLE ? TRIED_OTHER : TRIED_ENDED;
	reducer->result->tried++;
	status = run_command(reducer);
	if (status < 0)
		return reducer->error->code == ERROR_TIMEOUT ? TRIED_OTHER : TRIED_ENDED;
	if (status != reducer->result->status)
		return TRIED_OTHER;
	reducer->best = *options;
	return TRIED_SHOWS;
}

/* Leaves out items of one kind, size at once. *ret_less: some could be. */
static int pass(struct reducer *reducer, const struct item *item, size_t count, size_t size,
		bool *ret_less)
{
	for (size_t first = 0; first < count; first += size) {
		struct generate_options options = reducer->best;
		enum outcome outcome;

		for (size_t i = first; i < count && i < first + size; i++)
			leave_out(&options, &item[i]);
		outcome = try_program(reducer, &options);
		if (outcome == TRIED_ENDED)
			return -1;
		*ret_less |= outcome == TRIED_SHOWS;
		if (reducer->reducing->progress)
			reducer->reducing->progress(reducer->reducing->context,
						    reducer->result->tried, &reducer->best);
	}
	return 0;
}

static int reduce_kind(struct reducer *reducer, const struct graph *whole, enum item_kind kind,
		       bool *ret_less)
{
	struct item item[ITEMS_MAX];
	size_t count = list_items(whole, &reducer->best, kind, item), size = count;

	while (size) {
		bool less = false;

		if (pass(reducer, item, count, size, &less))
			return -1;
		*ret_less |= less;
		count = list_items(whole, &reducer->best, kind, item);
		if (size == 1 && !less)
			break;
		size = size > 1 ? size / 2 : 1;
	}
	return 0;
}

static int reduce(struct reducer *reducer, const struct graph *whole)
{
	bool less = true;

	while (less) {
		less = false;
		for (int kind = 0; kind < ITEM_KINDS; kind++)
			if (reduce_kind(reducer, whole, (enum item_kind)kind, &less))
				return -1;
	}
	return 0;
}

/* What the command says of the program as it is. */
static int ask_first(struct reducer *reducer)
{
	int status;

	if (write_program(reducer, &reducer->best))
		return -1;
	reducer->result->tried++;
	status = run_command(reducer);
	if (status < 0)
		return -1;
	reducer->result->status = status;
	if (!status)
		return error_set(reducer->error, ERROR_PROTOCOL, "", 0,
				 "the command ends with status 0: there is nothing to show");
	if (status >= COMMAND_NOT_FOUND)
		return error_set(reducer->error, ERROR_PROTOCOL, "", 0,
				 "the command ends with status %d: %s", status,
				 status > 128 ? "it died of a signal" : "it was not found");
	return 0;
}

/* Once more, of the smallest: a command that does not end alike each time has shown nothing. */
static int ask_again(struct reducer *reducer)
{
	if (write_program(reducer, &reducer->best))
		return -1;
	reducer->result->tried++;
	reducer->result->again = run_command(reducer);
	return reducer->result->again < 0 && reducer->error->code != ERROR_TIMEOUT ? -1 : 0;
}

int generate_reduce(const struct generate_reducing *reducing, struct generate_options *options,
		    struct generate_reduced *ret, struct error *error)
{
	struct reducer reducer = {
		.reducing = reducing, .best = *options, .result = ret, .error = error
	};
	struct graph whole;
	char *folder;
	int result = -1;

	*ret = (struct generate_reduced) { .status = 0 };
	if (draw_whole(options, &whole, error) || ending_signals_hold(&reducer.signals, error))
		return -1;
	folder = own_folder_create("reduce", error);
	if (folder && asprintf(&reducer.path, "%s/program.c", folder) > 0)
		reducer.command = command_text(reducing->command, reducer.path);
	if (folder && !reducer.command)
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a command");
	measure(&whole, options, &ret->before);
	if (reducer.command && !ask_first(&reducer))
		result = reduce(&reducer, &whole) || ask_again(&reducer) ? -1 : 0;
	*options = reducer.best;
	measure(&whole, options, &ret->after);
	free(reducer.command);
	free(reducer.path);
	own_folder_remove(folder);
	ending_signals_release(&reducer.signals);
	return result;
}
