/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_json.c - `table --format json`: one NDJSON object per row
 *
 *	{"type":"row","image":"/bin/ls","section":".eh_frame","function":"main","pc":"0x4a10",
 *	 "pc_end":"0x4a12","cfa":"rsp+16","rules":{"r15":"c-16","rip":"c-8"}}
 *
 * Addresses are strings: not every reader of JSON keeps 64 bits. Rules are spelled as in messages
 * (row.c). "signal_frame", "args_size" and "high" are there only if they say something. An FDE that could
 * not be decoded to its end adds a {"type":"error"} object, and so does all else that is wrong with
 * the CFI, or in it and in no table.
 */
#include <elf.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include "base/cli/json_counts.h"
#include "table/lost_cfi.h"
#include "table.h"
#include "cfi/cfi_section.h"
#include "cfi/code_name.h"

#define FUNCTION_BYTES 4096 /* C++ has long names */

struct json_writer {
	FILE *file;
	const struct image *image;
	const struct cfi *cfi;
	const struct table_filter *filter;
	const struct cfi_fde *fde;
	struct cfi_addresses *addresses; /* NULL: no memory for them */
	FILE *text_file;		 /* a rule's text, one after another */
	char *text;
	size_t text_size;
};

static json_t *rule_json(struct json_writer *writer, const struct row_rule *rule)
{
	rewind(writer->text_file);
	row_rule_print(writer->text_file, rule);
	fputc('\0', writer->text_file);
	fflush(writer->text_file);
	return json_string(writer->text);
}

static json_t *address_json(uint64_t address)
{
	return json_sprintf("0x%" PRIx64, address);
}

/* An FDE may go on into the next function; not in an object file, where a PC alone says none. */
static bool name_row(const struct json_writer *writer, const struct row *row,
		     char ret[FUNCTION_BYTES])
{
	const struct image_symbol *symbol;
	struct code_name name;

	if (writer->image->type == ET_REL) {
		symbol = cfi_fde_symbol(writer->cfi, writer->fde);
		snprintf(ret, FUNCTION_BYTES, "%s", symbol ? symbol->name : "");
		return symbol;
	}
	code_name_find(writer->image, writer->cfi, row->pc, &name);
	code_name_print_place(&name, ret, FUNCTION_BYTES);
	return name.name;
}

static int write_row(void *context, const struct row *row)
{
	struct json_writer *writer = context;
	if (!table_filter_shows(writer->filter, row->pc, row->pc_end))
		return 0;
	json_t *rules = json_object();
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		if (row->reg[reg].kind != RULE_UNSPECIFIED)
			JSON_SET(rules, register_name(reg), rule_json(writer, &row->reg[reg]));
	char function[FUNCTION_BYTES];
	bool named = name_row(writer, row, function);
	json_t *object = JSON_NEW("type", "row", "image", writer->image->path, "section",
				  writer->cfi->cie[writer->fde->cie].section->name, "function",
				  named ? json_bytes(function) : NULL, "pc", address_json(row->pc),
				  "pc_end", address_json(row->pc_end), "cfa",
				  rule_json(writer, &row->cfa), "rules", rules);
	if (!object)
		return 1;
	if (row->signal_frame)
		json_object_set_new(object, "signal_frame", json_true());
	if (row->args_size)
		json_object_set_new(object, "args_size", json_integer((json_int_t)row->args_size));
	if (row->high)
		json_set_hex(object, "high", row->high);
	json_line(writer->file, object);
	return 0;
}

static void write_error(struct json_writer *writer, const struct error *error)
{
	json_t *object = JSON_NEW("type", "error", "image", writer->image->path, "code",
				  error_code_name(error->code), "section", error->section, "offset",
				  address_json(error->offset), "message", error->message);
	uint64_t pc, pc_end;
	if (!object)
		return;
	if (writer->addresses && cfi_addresses_find(writer->addresses, error, &pc, &pc_end)) {
		json_object_set_new(object, "pc", address_json(pc));
		if (pc_end > pc)
			json_object_set_new(object, "pc_end", address_json(pc_end));
	}
	json_line(writer->file, object);
}

/* So many are in no line of their own. */
static void write_more(struct json_writer *writer, size_t count)
{
	if (count)
		json_line(writer->file,
			  JSON_NEW("type", "error", "image", writer->image->path, "more", count));
}

static int skip_row(void *context, const struct row *row)
{
	return 0;
}

/* Tells of an FDE that can't be decoded to its end; its rows go to row. */
static void write_fde(struct json_writer *writer, const struct cfi_fde *fde, cfi_row_fn row,
		      struct error_list *diagnostics)
{
	struct error error;

	writer->fde = fde;
	if (cfi_rows(writer->cfi, fde, row, writer, &error) < 0) {
		write_error(writer, &error);
		error_list_add(diagnostics, &error);
	}
}

/* What is wrong with the search table, and in FDEs that cover nothing: none of their rows is shown. As many as there
 * are: a list of errors has an end. */
static void write_rest(struct json_writer *writer, struct error_list *diagnostics)
{
	const struct cfi *cfi = writer->cfi;
	struct error_list search = { 0 };

	eh_frame_hdr_check(cfi, &search);
	for (size_t i = 0; i < search.count; i++) {
		write_error(writer, &search.error[i]);
		error_list_add(diagnostics, &search.error[i]);
	}
	write_more(writer, search.dropped);
	diagnostics->dropped += search.dropped;
	error_list_deinit(&search);
	for (size_t i = 0; i < cfi->fde_count; i++)
		if (!cfi_fde_covers(cfi->image, &cfi->fde[i]))
			write_fde(writer, &cfi->fde[i], skip_row, diagnostics);
}

/* An FDE of which no table has a row. It is no error of who wrote it: nobody executes it. */
static int write_outside(void *context, const struct cfi_fde *fde)
{
	struct json_writer *writer = context;
	struct error error;

	if (table_filter_shows_fde(writer->filter, writer->cfi, fde)) {
		error_set(&error, ERROR_UNAVAILABLE, writer->cfi->cie[fde->cie].section->name,
			  fde->offset, OUTSIDE_MESSAGE);
		write_error(writer, &error);
	}
	return 0;
}

static void write_section(struct json_writer *writer, struct error_list *diagnostics)
{
	struct error ignored; /* of memory: stat tells */
	uint64_t outside;
	const struct cfi *cfi = writer->cfi;
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		if (!table_filter_shows_fde(writer->filter, cfi, fde))
			continue;
		table_filter_count(writer->filter, 1);
		write_fde(writer, fde, write_row, diagnostics);
	}
	for (size_t i = 0; i < cfi->diagnostics.count; i++)
		write_error(writer, &cfi->diagnostics.error[i]);
	write_more(writer, cfi->diagnostics.dropped);
	table_add_diagnostics(diagnostics, cfi);
	/* Who asks for a part is told of that part. */
	if (writer->filter->by_pc)
		return;
	write_rest(writer, diagnostics);
	cfi_outside(cfi, write_outside, writer, &outside, &ignored);
}

int table_json(FILE *file, const struct image *image, const struct table_filter *filter,
	       struct error_list *diagnostics, struct error *error)
{
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	int result = filter->section ? cfi_create_section(image, filter->section, &cfi, error)
				     : cfi_create(image, &cfi, error);
	struct json_writer writer = { .file = file, .image = image, .cfi = cfi, .filter = filter };
	if (result)
		return result;
	writer.text_file = open_memstream(&writer.text, &writer.text_size);
	if (!writer.text_file)
		return error_set_errno(error, "open_memstream");
	struct error ignored;
	if (cfi_addresses_create(cfi, &writer.addresses, &ignored))
		writer.addresses = NULL;
	write_section(&writer, diagnostics);
	cfi_addresses_destroy(writer.addresses);
	fclose(writer.text_file);
	free(writer.text);
	return 0;
}
