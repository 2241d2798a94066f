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
#include <string.h>
#include "base/cli/no_memory.h"
#include "findings.h"
#include "function_name.h"

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

char *finding_key(const struct finding_record *finding)
{
	const char *const texts[] = { finding->reg, finding->declared, finding->actual };
	char function[1024] = "", *key = NULL;
	size_t size;
	FILE *file = need_memory(open_memstream(&key, &size));

	if (json_object_get(finding->object, "function"))
		function_name_print(finding->function, function, sizeof(function));
	fprintf(file, "%s|%s", finding->id, function);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		putc('|', file);
		put_text(file, texts[i]);
	}
	if (strcmp(finding->table, "cfi"))
		fprintf(file, "|%s", finding->table);
	if (fclose(file))
		no_memory();
	return key;
}
