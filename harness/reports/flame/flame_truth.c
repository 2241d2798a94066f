/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flame_truth.c - a truth file's stacks as a page: where a run's instructions were, not sampled but counted
 */
#include <inttypes.h>
#include <stdlib.h>
#include "array.h"
#include "base/cli/output_file.h"
#include "flame.h"
#include "reports/report/html.h"
#include "truth/contexts/contexts.h"

struct growing {
	struct flame *flame;
	uint32_t group;
	uint32_t *name;
	size_t room;
};

static int add_stack(void *context, const char *const *name, size_t depth, uint64_t points,
		     struct error *error)
{
	struct growing *growing = context;

	if (!ARRAY_RESERVE(growing->name, growing->room, depth))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack");
	for (size_t i = 0; i < depth; i++) {
		enum flame_kind kind = name[i][0] == '[' ? FLAME_MARKER : FLAME_USER;

		growing->name[i] = flame_name(growing->flame, name[i], kind, error);
		if (growing->name[i] == UINT32_MAX)
			return -1;
	}
	return flame_add(growing->flame, growing->group, growing->name, depth, points, error);
}

static int put_page(const struct truth_file *truth, const struct flame *flame, FILE *file,
		    struct error *error)
{
	const char *program = truth_file_text(truth, "program"),
		   *partial = truth_file_partial(truth);
	int status;

	flame_page_begin(file, "stackproof truth");
	html_print(file, "<p id=\"verdict\">%s: ", program ? program : "a program");
	fprintf(file, "<b>%" PRIu64 "</b> instructions with a proven stack", flame->value);
	html_print(file, "%s%s.</p>\n", partial ? "; the run did not come to its end: " : "",
		   partial ? partial : "");
	status = flame_graph_print(flame, "instructions", "program", file, error);
	html_end(file);
	return status;
}

int flame_truth_write(const struct truth_file *truth, const char *path, size_t *ret_missing,
		      struct error *error)
{
	struct flame flame = { 0 };
	struct growing growing = { .flame = &flame };
	const char *program = truth_file_text(truth, "program");
	struct output_file output;
	struct error closing;
	int status = -1;

	*ret_missing = 0;
	growing.group = flame_group(&flame, program ? program : "a program", "", error);
	if (growing.group != UINT32_MAX)
		status = contexts_fold(truth, add_stack, &growing, ret_missing, error);
	if (!status)
		status = output_file_open(path, &output, error);
	if (!status) {
		status = put_page(truth, &flame, output.file, error);
		if (output_file_close(&output, !status, status ? &closing : error))
			status = -1;
	}
	free(growing.name);
	flame_deinit(&flame);
	return status;
}
