/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * findings_sarif.c - SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format")
 *
 * A finding is a result of a rule (3.27, 3.49). Its location is the source line where that is known,
 * else the image; the image is what was analysed in any case (3.27.13). Services that show code want a
 * line of every location: of an image it is line 1.
 *
 * What makes two runs' results the same is the finding's key (finding_key.c) with the image's name, and a
 * number where several have it (3.27.17). "primaryLocationLineHash" is the same as a hash: GitHub
 * looks at no other, and would make one of the source, which it doesn't have. What --ignore has is suppressed
 * (3.27.23, 3.35).
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "findings.h"
#include "analysis/lint/lint.h"

/* A text of a stream; takes it. */
static json_t *finish_text(FILE *file, char **text)
{
	json_t *ret = fclose(file) ? NULL : json_bytes(*text);

	free(*text);
	return ret ? ret : json_string("");
}

/* ---- paths --------------------------------------------------------------------------------- */

/* As a URI reference (RFC 3986). */
static json_t *uri_of_bytes(const char *path, const char *folder)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~/+";
	size_t size, length = folder ? strlen(folder) : 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return json_string("");
	if (length > 1 && !strncmp(path, folder, length) && path[length] == '/')
		path += length + 1;
	while (path[0] == '.' && path[1] == '/' && path[2] != '/' && path[2])
		path += 2;
	if (path[0] == '/')
		fputs("file://", file);
	for (; *path; path++)
		fprintf(file, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
	return finish_text(file, &text);
}

/* path: as in JSON, where bytes that are no text are escaped. */
static json_t *uri_of(const char *path, const char *folder)
{
	FREED char *bytes = json_bytes_back(path);

	return uri_of_bytes(bytes ? bytes : path, folder);
}

static json_t *artifact(const char *path, const char *folder)
{
	return JSON_NEW("uri", uri_of(path, folder));
}

/* ---- rules --------------------------------------------------------------------------------- */

static json_t *explanation(enum lint_id id)
{
	return json_sprintf("%s: %s\n\n%s", lint_ids[id].name, lint_ids[id].title,
			    lint_ids[id].text);
}

static json_t *rules(void)
{
	json_t *array = json_array();

	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++) {
		enum lint_id id = (enum lint_id)i;

		json_array_append_new(
			array, json_pack("{s:s, s:{s:s}, s:{s:o}, s:{s:o}, s:{s:s}}", "id",
					 lint_ids[id].name, "shortDescription", "text",
					 lint_ids[id].title, "fullDescription", "text",
					 explanation(id), "help", "text", explanation(id),
					 "defaultConfiguration", "level", lint_ids[id].level));
	}
	return array;
}

/* ---- results ------------------------------------------------------------------------------- */

struct sarif {
	const char *folder;
	json_t *seen; /* fingerprint: how many results had it */
};

/* Braces and brackets have a meaning in messages (3.11.5, 3.11.6). */
static void put_message(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]\\", *text))
			putc('\\', file);
		if (strchr("{}", *text))
			putc(*text, file);
		putc(*text, file);
	}
}

static void put_field(FILE *file, const char *before, const char *text)
{
	if (text[0]) {
		fputs(before, file);
		put_message(file, text);
	}
}

static json_t *message(const struct finding_record *finding)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return json_string("");
	put_field(file, "", lint_ids[lint_id_find(finding->id)].title);
	if (strcmp(finding->table, "cfi"))
		put_field(file, " in ", finding->table);
	put_field(file, ": declared ", finding->declared);
	put_field(file, finding->declared[0] ? ", actual " : ": ", finding->actual);
	put_field(file, "; ", finding->function);
	if (finding->function[0] && finding->offset)
		fprintf(file, "+0x%llx", (unsigned long long)finding->offset);
	put_field(file, " of ", finding->image);
	return finish_text(file, &text);
}

static json_t *fingerprints(struct sarif *sarif, const struct finding_record *finding)
{
	const char *slash = strrchr(finding->image, '/');
	char short_form[48];
	FREED char *key = finding_key(finding), *text = NULL, *numbered = NULL;
	json_int_t number;

	if (asprintf(&text, "%s|%s", slash ? slash + 1 : finding->image, key) < 0)
		no_memory();
	number = json_count(sarif->seen, text) + 1;
	json_object_set_new(sarif->seen, text, json_integer(number));
	snprintf(short_form, sizeof(short_form), "%016llx:%lld",
		 (unsigned long long)hash_bytes(text, strlen(text)), (long long)number);
	if (asprintf(&numbered, "%s|%lld", text, (long long)number) < 0)
		no_memory();
	return JSON_NEW("stackproof/v1", numbered, "primaryLocationLineHash", short_form);
}

static json_t *location(const struct sarif *sarif, const struct finding_record *finding)
{
	bool known = finding->source_file[0] && finding->source_line;
	json_t *ret, *physical;

	physical = json_pack("{s:o, s:{s:I}}", "artifactLocation",
			     artifact(known ? finding->source_file : finding->image, sarif->folder),
			     "region", "startLine", known ? (json_int_t)finding->source_line : 1);
	if (finding->pc[0])
		JSON_SET(physical, "address",
			 JSON_NEW("absoluteAddress", strtoull(finding->pc, NULL, 16), "kind",
				  "instruction"));
	ret = JSON_NEW("physicalLocation", physical);
	if (finding->function[0])
		JSON_SET(ret, "logicalLocations",
			 json_pack("[{s:s, s:s}]", "fullyQualifiedName", finding->function, "kind",
				   "function"));
	return ret;
}

static const char *baseline_state(const struct finding_record *finding)
{
	if (!strcmp(finding->type, "lint_gone"))
		return "absent";
	if (!json_object_get(finding->object, "known"))
		return NULL;
	return finding->known ? "unchanged" : "new";
}

static json_t *properties(const struct finding_record *finding)
{
	static const char *const fields[] = { "declared",    "actual",	 "register", "from",
					      "disassembly", "path",	 "path_cut", "pc_end",
					      "producer",    "compilers" };
	json_t *ret = json_object();

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		json_object_set(ret, fields[i], json_object_get(finding->object, fields[i]));
	if (strcmp(finding->table, "cfi"))
		json_object_set_new(ret, "table", json_string(finding->table));
	return ret;
}

/* NULL: its id is of a later version's baseline. */
static json_t *result(struct sarif *sarif, const struct finding_record *finding)
{
	enum lint_id id = lint_id_find(finding->id);
	const char *state = baseline_state(finding);
	json_t *ret;

	if (!id)
		return NULL;
	ret = json_pack("{s:s, s:i, s:s, s:{s:o}, s:o, s:[o], s:o, s:o}", "ruleId",
			lint_ids[id].name, "ruleIndex", (int)id - 1, "level", lint_ids[id].level,
			"message", "text", message(finding), "analysisTarget",
			artifact(finding->image, sarif->folder), "locations",
			location(sarif, finding), "partialFingerprints",
			fingerprints(sarif, finding), "properties", properties(finding));
	if (state)
		json_object_set_new(ret, "baselineState", json_string(state));
	if (finding->ignored)
		JSON_SET(ret, "suppressions",
			 json_pack("[{s:s, s:s}]", "kind", "external", "justification",
				   finding->ignored));
	return ret;
}

#define RESULT_DEPTH 4 /* in the log: below the run's results */

static void indent(FILE *file, int depth)
{
	fprintf(file, "\n%*s", depth, "");
}

/* As they are in a log that is written by one call, one after the other: they may be many. */
static void print_results(struct sarif *sarif, const struct findings_run *run, FILE *file)
{
	size_t count = json_array_size(run->findings), printed = 0;

	for (size_t i = 0; i < count; i++) {
		JSON_FREED json_t *object = findings_kept(run, i), *one = NULL;
		const struct finding_record finding = finding_record_read(object);
		char *text = NULL, *rest, *line;

		one = result(sarif, &finding);
		if (one)
			text = json_dumps(one, JSON_INDENT(1));
		if (text)
			fputs(printed++ ? "," : "[", file);
		rest = text;
		while ((line = strsep(&rest, "\n"))) {
			indent(file, RESULT_DEPTH);
			fputs(line, file);
		}
		free(text);
	}
	if (printed)
		indent(file, RESULT_DEPTH - 1);
	fputs(printed ? "]" : "[]", file);
}

/* ---- the run ------------------------------------------------------------------------------- */

static json_t *note(const char *level, const char *text, const char *path,
		    const struct sarif *sarif)
{
	char *escaped = NULL;
	size_t size;
	FILE *file = open_memstream(&escaped, &size);
	json_t *ret;

	if (!file)
		return NULL;
	put_message(file, text);
	ret = json_pack("{s:s, s:{s:o}}", "level", level, "message", "text",
			finish_text(file, &escaped));
	if (path)
		JSON_SET(ret, "locations",
			 json_pack("[{s:{s:o}}]", "physicalLocation", "artifactLocation",
				   artifact(path, sarif->folder)));
	return ret;
}

/* What was asked for and was not done; images that say nothing. */
static json_t *notes(const struct findings_run *run, const struct sarif *sarif)
{
	json_t *array = json_array(), *value;
	size_t i;

	json_array_foreach(run->problems, i, value)
		json_array_append_new(array, note("error", json_string_value(value), NULL, sarif));
	json_array_foreach(run->images, i, value)
	{
		const char *status = json_text(value, "status"),
			   *text = json_text(value, "message");
		bool bad = !strcmp(status, "failed") || !strcmp(status, "unread");

		if (strcmp(status, "linted"))
			json_array_append_new(array,
					      note(bad ? "error" : "note", text[0] ? text : status,
						   json_text(value, "image"), sarif));
	}
	return array;
}

#define NO_RESULTS "\"results\": []" /* a key: in a text there would be backslashes */

void findings_sarif_print(const struct findings_run *run, const json_t *total,
			  enum exit_status status, const char *folder, FILE *file)
{
	struct sarif sarif = { .folder = folder, .seen = json_object() };
	json_t *invocation = json_pack("{s:b, s:i, s:o, s:{}}", "executionSuccessful",
				       status == EXIT_OK || status == EXIT_FINDINGS, "exitCode",
				       (int)status, "toolExecutionNotifications",
				       notes(run, &sarif), "properties");
	json_t *bag = json_object_get(invocation, "properties"), *log;
	char *text;
	const char *at;
	static const char *const sums[] = { "images",	"fdes",	       "proven",
					    "mismatch", "unproven",    "unproven_reasons",
					    "checked",	"not_checked", "baseline" };

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		json_object_set(bag, sums[i], json_object_get(total, sums[i]));
	log = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:[o], s:o}]}", "$schema",
			"https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
			"tool", "driver", "name", "stackproof", "version", STACKPROOF_VERSION,
			"rules", rules(), "invocations", invocation, "results", json_array());
	text = json_dumps(log, JSON_INDENT(1));
	at = text ? strstr(text, NO_RESULTS) : NULL;
	if (at) {
		fwrite(text, 1, (size_t)(at - text) + strlen(NO_RESULTS) - strlen("[]"), file);
		print_results(&sarif, run, file);
		fprintf(file, "%s\n", at + strlen(NO_RESULTS));
	}
	free(text);
	json_decref(log);
	json_decref(sarif.seen);
}
