/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sframe_json.c - `table --sframe --json`: one object for each header and each function
 *
 *	{"type":"sframe","image":"/bin/ls","section":".sframe","offset":"0x0","version":3,"machine":"amd64",...}
 *	{"type":"sframe_function","image":"/bin/ls","pc":"0x1026","pc_end":"0x1031","function":"main",
 *	 "rows":[{"start":0,"cfa":"sp+8","ra":"c-8"},...]}
 *
 * What is malformed is an {"type":"error"} object, as of call frame information.
 */
#include <inttypes.h>
#include <jansson.h>
#include "base/cli/json_counts.h"
#include "table_sframe.h"

static json_t *address_json(uint64_t address)
{
	return json_sprintf("0x%" PRIx64, address);
}

static json_t *rule_json(uint8_t machine, const struct sframe_rule *rule, bool is_cfa)
{
	FREED char *text = NULL;
	size_t size;
	FILE *file;

	if (rule->kind == SFRAME_NO_RULE)
		return NULL;
	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	sframe_rule_print(file, machine, rule, is_cfa);
	fclose(file);
	return json_string(text);
}

static void write_header(FILE *file, const struct table_sframe *table,
			 const struct sframe_header *header)
{
	json_t *object = JSON_NEW(
		"type", "sframe", "image", table->path, "section", header->section->name, "offset",
		address_json(header->offset), "version", header->version, "machine",
		sframe_machine_name(header->machine), "flags", header->flags, "fixed_ra",
		header->fixed_ra, "fixed_fp", header->fixed_fp, "functions", header->function_count,
		"rows", header->row_count, "bytes", header->end - header->offset);

	json_line(file, object);
}

struct writing {
	json_t *rows;
	uint8_t machine;
};

static int add_row(void *context, const struct sframe_row *row)
{
	const struct writing *writing = context;
	json_t *object = JSON_NEW("start", row->start);

	if (row->outermost)
		JSON_SET(object, "outermost", json_true());
	else
		JSON_SET(object, "cfa", rule_json(writing->machine, &row->cfa, true), "ra",
			 rule_json(writing->machine, &row->ra, false), "fp",
			 rule_json(writing->machine, &row->fp, false));
	if (row->ra_signed)
		JSON_SET(object, "signed", json_true());
	return json_array_append_new(writing->rows, object) ? 1 : 0;
}

static void write_function(FILE *file, const struct table_sframe *table,
			   const struct sframe_function *function)
{
	struct writing writing = { json_array(), table->sframe->header[function->header].machine };
	const char *name = table_sframe_name(table, function);
	struct error error;
	json_t *object;

	sframe_rows(table->sframe, function, add_row, &writing, &error);
	object = JSON_NEW("type", "sframe_function", "image", table->path, "pc",
			  address_json(function->pc_begin), "pc_end",
			  address_json(function->pc_begin + function->pc_range), "function",
			  name ? json_bytes(name) : NULL, "rows", writing.rows);
	if (function->repeats)
		JSON_SET(object, "block", sframe_repeat(function));
	if (function->signal_frame)
		JSON_SET(object, "signal_frame", json_true());
	if (function->flexible)
		JSON_SET(object, "flexible", json_true());
	if (function->outermost)
		JSON_SET(object, "outermost", json_true());
	json_line(file, object);
}

static void write_errors(FILE *file, const struct table_sframe *table)
{
	struct error_list wrong DEINIT(error_list_deinit) = { 0 };

	sframe_check(table->sframe, &wrong);
	for (size_t i = 0; i < wrong.count; i++)
		json_line(file, JSON_NEW("type", "error", "image", table->path, "code",
					 error_code_name(wrong.error[i].code), "section",
					 wrong.error[i].section, "offset",
					 address_json(wrong.error[i].offset), "message",
					 wrong.error[i].message));
	if (wrong.dropped)
		json_line(file,
			  JSON_NEW("type", "error", "image", table->path, "more", wrong.dropped));
}

int table_sframe_json(FILE *file, const struct table_sframe *table,
		      const struct table_filter *filter, struct error *error)
{
	const struct sframe *sframe = table->sframe;

	for (size_t i = 0; i < sframe->header_count; i++)
		write_header(file, table, &sframe->header[i]);
	for (size_t i = 0; i < sframe->function_count; i++) {
		const struct sframe_function *function = &sframe->function[i];

		if (!table_filter_shows(filter, function->pc_begin,
					function->pc_begin + function->pc_range))
			continue;
		write_function(file, table, function);
		table_filter_count(filter, 1);
	}
	write_errors(file, table);
	return 0;
}
