/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * contexts_text.c - what a truth file holds, for people and as NDJSON
 *
 * Both say first of all what is not in it: a run that was cut short is never taken for whole.
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include "hex_text.h"
#include "base/cli/json_counts.h"
#include "contexts.h"
#include "plain_text.h"

struct tally {
	uint64_t stacks, open_stacks, doubted_stacks; /* different ones; proven, or in doubt only */
	uint64_t points;
	uint32_t deepest;
};

static struct tally count_nodes(const struct truth_file *truth)
{
	struct tally tally = { 0 };

	for (uint32_t i = 0; i < truth_file_node_count(truth); i++) {
		const struct truth_node *node = truth_file_node(truth, i);
		bool proven = truth_node_is_proven(node);

		tally.stacks += proven;
		tally.open_stacks += proven && truth_file_is_open(truth, i);
		tally.doubted_stacks += !proven && node->unproven;
		tally.points += node->points;
		if (proven && node->depth > tally.deepest)
			tally.deepest = node->depth;
	}
	return tally;
}

/* ---- for people ------------------------------------------------------------------------- */

/* "program argument argument on kernel" */
static void print_command(FILE *file, const struct truth_file *truth)
{
	const char *kernel = truth_file_text(truth, "kernel"),
		   *program = truth_file_text(truth, "program");

	if (program && !truth_file_text(truth, "argument"))
		fprintf(file, "%s ", PLAIN_TEXT(program));
	for (size_t i = 0; i < truth_file_field_count(truth); i++) {
		const struct truth_field *field = truth_file_field(truth, i);

		if (field->text && !strcmp(field->name, "argument"))
			fprintf(file, "%s ", PLAIN_TEXT(field->text));
	}
	fprintf(file, "on %s", kernel ? PLAIN_TEXT(kernel) : "a kernel that is not known");
}

static void print_ending(FILE *file, const struct truth_file *truth)
{
	const char *ending = truth_file_text(truth, "ending"),
		   *place = truth_file_text(truth, "ended_at");

	if (ending)
		fprintf(file, "the program %s\n", PLAIN_TEXT(ending));
	if (place)
		fprintf(file, "it was at %s\n", PLAIN_TEXT(place));
}

/* Of a file of kernel entries: from the first one to the last. */
static void print_entries(FILE *file, const struct truth_file *truth)
{
	size_t count = truth_file_entry_count(truth), after = 0;
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < count; i++) {
		const struct truth_entry *entry = truth_file_entry(truth, i);

		after += (entry->flags & TRUTH_ENTRY_AFTER) != 0;
		if (entry->time_ns && entry->time_ns < first)
			first = entry->time_ns;
		if (entry->time_ns > last)
			last = entry->time_ns;
	}
	fprintf(file, "%zu entries into the kernel, and %zu times what came of one, in ",
		count - after, after);
	if (last)
		fprintf(file, "%.3f s\n", (double)(last - first) / 1e9);
	else
		fprintf(file, "a time that is not known\n");
}

void contexts_print_text(FILE *file, const char *path, const struct truth_file *truth)
{
	const char *gap = truth_file_gap(truth);
	struct tally tally = count_nodes(truth);

	if (truth_file_partial(truth))
		fprintf(file, "PARTIAL (%s): the run did not come to its end\n",
			PLAIN_TEXT(truth_file_partial(truth)));
	if (gap)
		fprintf(file, "not all of the program's stacks are in it (%s)\n", PLAIN_TEXT(gap));
	fprintf(file, "%s: ", PLAIN_TEXT(path));
	print_command(file, truth);
	fprintf(file, ", %" PRIu64 " points of %" PRIu64 " steps, %" PRIu64 " threads, %.1f s\n",
		tally.points + truth_file_number(truth, "unproven"),
		truth_file_number(truth, "steps"), truth_file_number(truth, "threads"),
		truth_file_number(truth, "elapsed_ns") / 1e9);
	print_ending(file, truth);
	if (truth_file_has_entries(truth))
		print_entries(file, truth);
	fprintf(file,
		"%" PRIu64 " different stacks, %" PRIu64
		" of them known only so far, up to %u frames deep\n",
		tally.stacks, tally.open_stacks, tally.deepest);
	fprintf(file, "%" PRIu64 " system calls\n", truth_file_number(truth, "system_calls"));
	fprintf(file, "unproven: %" PRIu64 " points; %" PRIu64 " stacks are in doubt only\n",
		truth_file_number(truth, "unproven"), tally.doubted_stacks);
	fprintf(file, "%u nodes, %zu images\n", truth_file_node_count(truth),
		truth_file_image_count(truth));
	if (!truth_file_has_digest(truth))
		fprintf(file, "it has no digest (version 1): what is damaged in it may not show\n");
}

/* ---- for programs ----------------------------------------------------------------------- */

static void print_image(FILE *file, const struct truth_image *image)
{
	size_t size = image->build_id_size < BUILD_ID_MAX ? image->build_id_size : BUILD_ID_MAX;
	char text[2 * BUILD_ID_MAX + 1], digest[CODE_DIGEST_TEXT];

	json_line(file,
		  JSON_NEW("type", "image", "kind", truth_image_kind_name(image->kind), "path",
			   image->path, "build_id", hex_text(text, image->build_id, size), "digest",
			   image->digest.code ? code_digest_print(&image->digest, digest) : NULL));
}

/* The header's fields under their own names; "argument" is an array, "argv", and so is "process". */
static json_t *header_object(const struct truth_file *truth)
{
	json_t *object = json_object(), *argv = json_array(), *processes = json_array();

	for (size_t i = 0; i < truth_file_field_count(truth); i++) {
		const struct truth_field *field = truth_file_field(truth, i);

		if (!field->text)
			JSON_SET(object, field->name, field->number);
		else if (!strcmp(field->name, "argument"))
			json_array_append_new(argv, json_bytes(field->text));
		else if (!strcmp(field->name, "process"))
			json_array_append_new(processes, json_bytes(field->text));
		else
			JSON_SET(object, field->name, field->text);
	}
	JSON_SET(object, "argv", argv);
	if (json_array_size(processes))
		JSON_SET(object, "process", processes);
	else
		json_decref(processes);
	return object;
}

void contexts_print_json(FILE *file, const char *path, const struct truth_file *truth,
			 const struct gate *gate)
{
	struct tally tally = count_nodes(truth);
	json_t *object = json_object(), *header = header_object(truth);
	const char *gap = truth_file_gap(truth);

	for (size_t i = 0; i < truth_file_image_count(truth); i++)
		print_image(file, truth_file_image(truth, i));
	JSON_SET(object, "type", "truth", "file", path, "whole",
		 json_boolean(!truth_file_partial(truth)), "digest",
		 json_boolean(truth_file_has_digest(truth)), "gap",
		 gap ? json_string(gap) : json_null(), "stacks", tally.stacks, "open_stacks",
		 tally.open_stacks, "doubted_stacks", tally.doubted_stacks, "deepest",
		 tally.deepest, "entries",
		 truth_file_has_entries(truth)
			 ? json_integer((json_int_t)truth_file_entry_count(truth))
			 : NULL,
		 "nodes", truth_file_node_count(truth), "images", truth_file_image_count(truth));
	/* What a file made by others calls so does not hide what was counted here. */
	json_object_update_missing(object, header);
	json_decref(header);
	if (gate)
		gate_json(gate, object);
	json_line(file, object);
}

void contexts_print_none(FILE *file, const char *path, const struct contexts_options *options,
			 const struct contexts_result *result)
{
	const struct tracer_options *tracer = options->tracer;
	/* Of a run to its end the points would be elsewhere. */
	const char *gap = result->partial ?: tracer->from ? "from" : "every";
	json_t *argv = json_array(), *object;

	for (char *const *argument = tracer->argv; *argument; argument++)
		json_array_append_new(argv, json_bytes(*argument));
	object = JSON_NEW("type", "truth", "file", path, "written", json_false(), "whole",
			  json_boolean(!result->partial), "gap", gap, "stacks", 0, "open_stacks", 0,
			  "doubted_stacks", 0, "deepest", 0, "nodes", 0, "images", 0, "points", 0,
			  "elapsed_ns", result->cut.elapsed_ns, "program", tracer->argv[0], "argv",
			  argv);
	run_cut_json(object, &result->cut);
	if (tracer->from)
		JSON_SET(object, "from", tracer->from);
	gate_json(&result->gate, object);
	json_line(file, object);
}
