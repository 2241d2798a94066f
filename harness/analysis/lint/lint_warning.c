/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_warning.c - a finding as a compiler's warning
 *
 *	f.s:3:2: warning: the CFA is elsewhere: f+0x1 (.text+0x1) of f.o [SP001]
 *	     -> 0x1  ret
 *	    declared    cfa=rsp+8
 *	    actual      cfa=rsp+16
 *	f.s:3:2: note: ".cfi_adjust_cfa_offset 8" before this instruction would mend it
 *
 * as editors and CI servers know them (GNU Coding Standards, "Formatting Error Messages"). Without a line the file is
 * the object's, and no number stands behind it. Assemblers write no columns; there it is where the line's statement begins.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "lint.h"
#include "plain_text.h"

/* Of the statement behind blanks and a label; 0: the line can't be read. */
static size_t column_in(const char *text)
{
	size_t at = strspn(text, " \t"), word = strcspn(text + at, " \t:\n");

	if (text[at + word] == ':' && text[at + word + 1 + strspn(text + at + word + 1, " \t\n")])
		at += word + 1 + strspn(text + at + word + 1, " \t");
	return at + 1;
}

static size_t column_of_line(const char *path, json_int_t number)
{
	FILE *file = number > 0 ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t capacity = 0, column = 0;

	while (file && number && getline(&line, &capacity, file) >= 0)
		number--;
	if (file && !number && line)
		column = column_in(line);
	free(line);
	if (file)
		fclose(file);
	return column;
}

/* Relative to this folder, as compilers are given it. */
static const char *near_path(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	return length && !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1
									       : path;
}

/* FILE:LINE:COLUMN, as far as it is known. */
static void print_place(FILE *file, const json_t *finding)
{
	const char *source = json_text(finding, "source_file");
	json_int_t line = json_count(finding, "source_line");
	json_int_t column = json_count(finding, "source_column");
	char *folder = getcwd(NULL, 0);

	if (!source[0]) {
		fputs(PLAIN_TEXT(json_text(finding, "image")), file);
	} else {
		if (!column)
			column = (json_int_t)column_of_line(source, line);
		fprintf(file, "%s:%lld", PLAIN_TEXT(near_path(source, folder)), (long long)line);
		if (column)
			fprintf(file, ":%lld", (long long)column);
	}
	free(folder);
}

static void print_function(FILE *file, const json_t *finding)
{
	const char *section = json_text(finding, "section"), *pc = json_text(finding, "pc");

	if (!pc[0])
		return;
	fprintf(file, ": %s", PLAIN_TEXT(json_text(finding, "function")));
	if (json_count(finding, "offset"))
		fprintf(file, "+0x%llx", (unsigned long long)json_count(finding, "offset"));
	if (section[0])
		fprintf(file, " (%s+%s)", PLAIN_TEXT(section), pc);
	if (json_text(finding, "source_file")[0])
		fprintf(file, " of %s", PLAIN_TEXT(json_text(finding, "image")));
}

void lint_warning_print(FILE *file, const json_t *finding, bool colour)
{
	const char *mend = json_text(finding, "mend");

	print_place(file, finding);
	fprintf(file, ": %swarning:%s %s", colour ? "\033[1;35m" : "", colour ? "\033[0m" : "",
		json_text(finding, "title"));
	print_function(file, finding);
	fprintf(file, " [%s]\n", json_text(finding, "id"));
	lint_text_evidence(file, finding, colour);
	if (!mend[0])
		return;
	print_place(file, finding);
	fprintf(file, ": note: \"%s\" before this instruction%s would mend it\n", PLAIN_TEXT(mend),
		strcmp(mend, LINT_MEND_FDE) ? "" : ", and \".cfi_endproc\" behind its code,");
}

void lint_warning_ignored(FILE *file, const json_t *finding, const char *reason)
{
	print_place(file, finding);
	fprintf(file, ": note: %s", json_text(finding, "title"));
	print_function(file, finding);
	fprintf(file, " [%s], ignored: %s\n", json_text(finding, "id"), PLAIN_TEXT(reason));
}
