/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_findings_read.c - results.ndjson -> each binary's findings, kernel by kernel
 *
 * Of what `stackproof run` found only that is kept which another machine must find too:
 *
 *	- in the binary's own files. What is wrong in the machine's C library or in libgcc (forced
 *	  unwinding, hand-written assembly) comes and goes with its packages' versions.
 *	- not in start files (crt1.o, crtbegin.o: _init, frame_dummy, ...), which are linked into
 *	  the binary, but are those packages', too. corpus.tsv's word `startup` says which.
 *	- not in a library that is linked into the binary (golden_own.c).
 *	- no counts of points, no addresses of the stack.
 *
 * A finding as text: fault and kind (of a walk that stopped also why), the library if it is one,
 * function and offset of the first point, the row declared there, and, where a CFA is known on both
 * sides, where it really was:
 *
 *	table_fault wrong stub+0x5 declared cfa=rsp+8 ra=c-8 actual cfa+16
 *	conversion_loss flagged:offset_range far+0x7 declared cfa=rbx+2147483648 ra=c-8
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/input_file.h"
#include "golden.h"
#include "base/cli/json_counts.h"

/* ---- whose it is ------------------------------------------------------------------------- */

static const struct corpus_binary *find_binary(const struct manifest *manifest, const char *name)
{
	for (size_t i = 0; i < manifest->count; i++)
		if (!strcmp(manifest->binary[i].name, name))
			return &manifest->binary[i];
	return NULL;
}

/* *ret_tag: which of the binary's files, "" for itself. */
static bool is_own(const struct corpus_binary *binary, const char *image, const char **ret_tag)
{
	const char *self = basename(binary->path), *file = basename(image);

	*ret_tag = "";
	if (!strcmp(self, file))
		return true;
	for (size_t i = 0; i < binary->file_count; i++) {
		if (strcmp(basename(binary->file[i]), file))
			continue;

		size_t length = strlen(self);

		*ret_tag = !strncmp(file, self, length) && file[length] == '.' ? file + length + 1
									       : file;
		return true;
	}
	return false;
}

/* ---- one finding as text ----------------------------------------------------------------- */

static uint64_t hexadecimal(const json_t *object, const char *key)
{
	return strtoull(json_text(object, key), NULL, 16);
}

/* "stub+0x5". What has no symbol is a stretch that begins somewhere: "gap@0x1000+0x4". */
static void place_text(const json_t *finding, char *ret, size_t size)
{
	const char *place = json_text(finding, "place"), *function = json_text(finding, "function");
	const char *end = strstr(place, " ("), *at = strchr(function, '@');

	if (*place != '+' || !at) {
		snprintf(ret, size, "%.*s", (int)(end ? end - place : (long)strlen(place)), place);
		return;
	}

	uint64_t start = strtoull(at + 1, NULL, 16);

	snprintf(ret, size, "%s+0x%" PRIx64, function, hexadecimal(finding, "address") - start);
}

/* A CFA farther away than this is on another stack, or where another run has another distance. */
#define CFA_NEAR 1024

static json_t *finding_text(const json_t *finding, const char *tag)
{
	const char *kind = json_text(finding, "kind"), *declared = json_text(finding, "declared");
	bool malformed = !strcmp(kind, "malformed");
	bool says_why = malformed || !strcmp(kind, "flagged");
	uint64_t from = hexadecimal(finding, "declared_cfa");
	uint64_t to = hexadecimal(finding, "actual_cfa");
	char actual[64] = "", place[256], safe[400];
	size_t i;

	/* ".eh_frame+0x57: " is where the linker put it. */
	if (malformed && *declared == '.' && strstr(declared, ": "))
		declared = strstr(declared, ": ") + 2;
	if (from && to && !malformed && to - from + CFA_NEAR > 2 * CFA_NEAR)
		strcpy(actual, " actual cfa elsewhere");
	else if (from && to && !malformed)
		snprintf(actual, sizeof(actual), " actual cfa%+" PRId64, (int64_t)(to - from));
	place_text(finding, place, sizeof(place));
	for (i = 0; declared[i] && i < sizeof(safe) - 1; i++)
		safe[i] = (unsigned char)declared[i] < ' ' ? ' ' : declared[i];
	safe[i] = '\0';
	return json_sprintf("%s %s%s%s %s%s%s declared %s%s", json_text(finding, "verdict"), kind,
			    says_why ? ":" : "", says_why ? json_text(finding, "stop") : "", tag,
			    *tag ? ":" : "", place, safe, actual);
}

/* ---- collecting -------------------------------------------------------------------------- */

/* The object of that name in parent, made if it isn't there. */
static json_t *object_in(json_t *parent, const char *key)
{
	json_t *object = json_object_get(parent, key);

	if (!object) {
		object = json_object();
		json_object_set_new(parent, key, object);
	}
	return object;
}

static void add_finding(json_t *cell, const struct corpus_binary *binary, json_t *finding)
{
	json_t *findings = json_object_get(cell, "findings");
	const char *tag;

	if (!is_own(binary, json_text(finding, "image"), &tag) ||
	    expectation_has_finding("startup", finding) ||
	    (!*tag && !golden_own_has(binary->path, hexadecimal(finding, "address"))))
		return;

	json_t *kept = json_pack(
		"{s:o,s:s,s:s,s:s,s:s,s:s}", "text", finding_text(finding, tag), "verdict",
		json_text(finding, "verdict"), "kind", json_text(finding, "kind"), "function",
		json_text(finding, "function"), "instruction", json_text(finding, "instruction"),
		"file", basename(json_text(finding, "image")));

	json_array_append_new(findings, kept);
}

static void add_object(json_t *all, const struct manifest *manifest, json_t *object)
{
	const char *type = json_text(object, "type"), *name = json_text(object, "binary");
	const char *kernel = json_text(object, "kernel");
	const struct corpus_binary *binary = find_binary(manifest, name);

	if (!binary || !*kernel || (strcmp(type, "finding") && strcmp(type, "verdicts")))
		return;

	json_t *cell = object_in(object_in(all, name), kernel);

	if (!json_object_get(cell, "findings"))
		json_object_set_new(cell, "findings", json_array());
	if (!strcmp(type, "finding")) {
		add_finding(cell, binary, object);
		return;
	}
	if (json_object_get(object, "partial")) /* what it lacks says nothing */
		return;
	json_object_set_new(cell, "stepped", json_true());
	json_object_set_new(cell, "cut", json_boolean(json_count(object, "findings_not_kept") > 0));
}

static int compare_findings(const void *a, const void *b)
{
	const json_t *left = *(json_t *const *)a, *right = *(json_t *const *)b;

	return strcmp(json_text(left, "text"), json_text(right, "text"));
}

static json_t *sorted(const json_t *findings)
{
	size_t count = json_array_size(findings);
	json_t **item = calloc(count + 1, sizeof(json_t *)), *ret = json_array();

	for (size_t i = 0; item && i < count; i++)
		item[i] = json_array_get(findings, i);
	if (item)
		qsort(item, count, sizeof(json_t *), compare_findings);
	for (size_t i = 0; item && i < count; i++)
		json_array_append(ret, item[i]);
	free(item);
	return ret;
}

/* Drops what was not stepped to its end, and puts the rest in order. */
static void finish(json_t *all)
{
	const char *binary, *kernel;
	void *next, *inner_next;
	json_t *kernels, *cell;

	json_object_foreach_safe(all, next, binary, kernels)
	{
		json_object_foreach_safe(kernels, inner_next, kernel, cell)
		{
			if (!json_object_get(cell, "stepped"))
				json_object_del(kernels, kernel);
			else
				json_object_set_new(cell, "findings",
						    sorted(json_object_get(cell, "findings")));
		}
		if (!json_object_size(kernels))
			json_object_del(all, binary);
	}
}

json_t *golden_findings_read(const char *path, const struct manifest *manifest, bool *ret_is_run,
			     struct error *error)
{
	FILE *file = input_file_open(path, error);
	json_t *all = file ? json_object() : NULL;
	char *line = NULL;
	size_t capacity = 0, number = 0;
	int status = 0;

	*ret_is_run = false;
	if (!file)
		return NULL;
	if (!all)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for %s", path);
	while (!status && getline(&line, &capacity, file) >= 0) {
		json_error_t json_error;
		json_t *object = json_loads(line, 0, &json_error);

		number++;
		if (!object)
			status = error_set(error, ERROR_TEXT_SYNTAX, "", number, "%s: line %zu: %s",
					   path, number, json_error.text);
		else
			add_object(all, manifest, object);
		*ret_is_run |= json_object_get(object, "binary") != NULL;
		json_decref(object);
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "cannot read %s", path);
	free(line);
	fclose(file);
	if (status) {
		json_decref(all);
		return NULL;
	}
	finish(all);
	return all;
}
