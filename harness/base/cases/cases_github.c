/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases_github.c - what failed as GitHub's annotations: "::error title=TITLE::MESSAGE"
 *
 * A job that runs in GitHub Actions shows such lines of its log beside the change, at most ten of a step
 * (docs.github.com, "Workflow commands for GitHub Actions"). In the message '%' and ends of lines are escaped, in the
 * title ':' and ',', too.
 */
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "plain_text.h"

#define SHOWN 10

bool cases_are_for_github(void)
{
	const char *is = getenv("GITHUB_ACTIONS");

	return is && !strcmp(is, "true");
}

static void print_escaped(FILE *file, const char *text, const char *also)
{
	for (size_t bytes; *text; text += bytes ? bytes : 1) {
		bytes = plain_character(text);
		if (strchr("%\n\r", *text) || strchr(also, *text))
			fprintf(file, "%%%02X", (unsigned char)*text);
		else if (bytes)
			fwrite(text, 1, bytes, file);
		else
			putc('?', file);
	}
}

static void print_one(FILE *file, const struct case_suite *suite, const struct judged_case *judged)
{
	fputs("::error title=", file);
	print_escaped(file, suite->name, ":,");
	fputs(" ", file);
	print_escaped(file, judged->title ? judged->title : judged->name, ":,");
	fputs("::", file);
	print_escaped(file, judged->message, "");
	if (judged->output && *judged->output) {
		fputs("%0A", file);
		print_escaped(file, judged->output, "");
	}
	putc('\n', file);
}

void cases_print_github(const struct cases *cases, FILE *file)
{
	size_t failed = 0;

	for (size_t i = 0; i < cases->count; i++)
		for (size_t j = 0; j < cases->suite[i].count; j++) {
			const struct judged_case *judged = &cases->suite[i].judged[j];

			if (!case_is_bad(judged->status) || ++failed > SHOWN)
				continue;
			print_one(file, &cases->suite[i], judged);
		}
	if (failed > SHOWN)
		fprintf(file, "::notice title=stackproof::and %zu more\n", failed - SHOWN);
}
