/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * finding_key.c - what tells a finding from others, in any build
 *
 * A build that differs in one line moves all that lies behind it: addresses say nothing, and names of
 * Rust's functions have a hash that changes with the compiler. What stays is the function, the kind of
 * finding, and the rules.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "findings.h"
#include "function_name.h"
#include "analysis/lint/lint.h"

/* "0x401020" becomes "0x". */
static void put_text(FILE *file, const char *text)
{
	while (*text) {
		bool address = text[0] == '0' && text[1] == 'x';

		putc(*text++, file);
		if (!address)
			continue;
		putc(*text++, file);
		while (isxdigit((unsigned char)*text))
			text++;
	}
}

char *finding_key(const json_t *finding)
{
	static const char *const fields[] = { "register", "declared", "actual" };
	char function[1024] = "", *key = NULL;
	size_t size;
	FILE *file = open_memstream(&key, &size);

	if (!file)
		return NULL;
	if (json_object_get(finding, "function"))
		function_name_print(json_text(finding, "function"), function, sizeof(function));
	fprintf(file, "%s|%s", json_text(finding, "id"), function);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		putc('|', file);
		put_text(file, json_text(finding, fields[i]));
	}
	if (strcmp(lint_table_of(finding), "cfi"))
		fprintf(file, "|%s", lint_table_of(finding));
	if (fclose(file)) {
		free(key);
		return NULL;
	}
	return key;
}

json_t *finding_bare(const json_t *finding)
{
	static const char *const fields[] = { "type",	  "image",    "id",	"title",
					      "table",	  "function", "offset", "register",
					      "declared", "actual",   "ignored" };
	json_t *ret = json_object();

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		json_object_set(ret, fields[i], json_object_get(finding, fields[i]));
	return ret;
}
