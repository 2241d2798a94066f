/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * assembly_fixture.h - text in assembly as a shared object, f.so in a folder; the same, opened
 *
 * A text is lines as the assembler reads them, or statements with "; " between them. In those a directive of CFI has no
 * .cfi_, and shorter are
 *
 *	cfa N, cfa R, cfa R, N	.cfi_def_cfa_offset, .cfi_def_cfa_register, .cfi_def_cfa
 *	fde NAME		another function: .cfi_endproc, its label, .cfi_startproc
 */
#ifndef STACKPROOF_ASSEMBLY_FIXTURE_H
#define STACKPROOF_ASSEMBLY_FIXTURE_H

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cfi/cfi.h"
#include "base/child/child.h"

/* A statement without its labels: did it have one? */
static inline void spell_statement(FILE *file, const char *statement, bool labelled)
{
	static const char *const directives[] = {
		"startproc", "endproc",		  "offset",	  "restore",	    "same_value",
		"undefined", "register",	  "lsda",	  "remember_state", "restore_state",
		"escape",    "adjust_cfa_offset", "signal_frame", "val_offset",	    "return_column"
	};
	size_t length = strcspn(statement, " ");

	if (!strncmp(statement, "fde ", 4)) {
		fprintf(file, "	.cfi_endproc\n%s:	.cfi_startproc\n", statement + 4);
		return;
	}
	if (!strncmp(statement, "cfa ", 4)) {
		const char *more = isalpha(statement[4]) ? "_register" : "_offset";

		fprintf(file, "	.cfi_def_cfa%s%s\n", strchr(statement, ',') ? "" : more,
			statement + 3);
		return;
	}
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (strlen(directives[i]) == length && !memcmp(statement, directives[i], length))
			fputs(labelled ? ".cfi_" : "	.cfi_", file);
	fprintf(file, "%s%s\n", !labelled && strchr(".#", *statement) ? "	" : "", statement);
}

/* A text's lines, as the assembler reads them. The caller's. */
static inline char *spelled(const char *text)
{
	char *ret = NULL, *copy = strdup(text), *next;
	size_t size, label;
	FILE *file = open_memstream(&ret, &size);

	ck_assert_ptr_nonnull(copy);
	ck_assert_ptr_nonnull(file);
	for (char *at = copy; *at; at = next) {
		char *separator = strstr(at, "; ");
		bool labelled = false;

		next = strchrnul(at, '\n');
		if (separator && separator < next)
			next = separator;
		if (*next) {
			char *end = next;

			next += *next == ';' ? 2 : 1;
			*end = '\0';
		}
		while (label = strcspn(at, " "), label && at[label - 1] == ':') {
			fprintf(file, "%.*s	", (int)label, at);
			at += label + (at[label] == ' ');
			labelled = true;
		}
		spell_statement(file, at, labelled);
	}
	fclose(file);
	free(copy);
	return ret;
}

/* Are the lines this text, spelled? */
static inline bool is_spelled(const char *lines, const char *text)
{
	char *expected = spelled(text);
	bool ret = !strcmp(lines, expected);

	free(expected);
	return ret;
}

static inline void assemble(const char *directory, const char *assembly)
{
	static const char *const command[] = {
		"gcc-12", "-shared", "-nostdlib", "-masm=intel", "-Wl,-z,noseparate-code",
		"-o",	  "f.so",    "f.s",	  NULL
	};
	struct child_command child = { .argv = command, .directory = directory, .errors = false };
	char path[300], *text = spelled(assembly);
	struct error error;
	FILE *file;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/f.s", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"	.intel_syntax noprefix\n	.text\n	.globl f\n	.type f, "
		"@function\n%s",
		text);
	free(text);
	ck_assert_int_eq(fclose(file), 0);
	pid = child_start(&child, NULL, &error);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(child_end(pid, false), 0);
}

/* In a folder of its own. cfi: empty if there is none. */
struct assembled {
	char directory[64], path[80];
	struct image *image;
	struct cfi *cfi;
};

static inline void assembled_open(struct assembled *assembled, const char *assembly)
{
	struct error error;

	strcpy(assembled->directory, "/tmp/test_assembly.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(assembled->directory));
	assemble(assembled->directory, assembly);
	snprintf(assembled->path, sizeof(assembled->path), "%s/f.so", assembled->directory);
	ck_assert_int_eq(image_create(assembled->path, &assembled->image, &error), 0);
	if (cfi_create(assembled->image, &assembled->cfi, &error))
		ck_assert_int_eq(error.code, ERROR_NO_CFI);
}

/* The same of one function f, by its body: it has CFI. */
static inline void assembled_open_function(struct assembled *assembled, const char *body)
{
	char *assembly;
	int size = asprintf(&assembly, "f: startproc; %s\nendproc", body);

	ck_assert_int_gt(size, 0);
	assembled_open(assembled, assembly);
	ck_assert_uint_gt(assembled->cfi->fde_count, 0);
	free(assembly);
}

static inline void assembled_close(struct assembled *assembled)
{
	char command[80];

	cfi_destroy(assembled->cfi);
	image_destroy(assembled->image);
	snprintf(command, sizeof(command), "rm -r %s", assembled->directory);
	ck_assert_int_eq(system(command), 0);
}

#endif
