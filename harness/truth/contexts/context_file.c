/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * context_file.c - a truth file at a path, which is there whole or not at all
 */
#include "base/cli/output_file.h"
#include "contexts.h"

int context_write(const struct context_tree *tree, const struct truth_field *field,
		  size_t field_count, const char *path, struct error *error)
{
	struct output_file output;
	struct error later;
	int status;

	if (output_file_open(path, &output, error))
		return -1;
	status = context_write_to(tree, field, field_count, output.file, error);
	return output_file_close(&output, !status, status ? &later : error) || status ? -1 : 0;
}
