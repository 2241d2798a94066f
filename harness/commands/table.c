/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table.c - `stackproof table ELF...`: an image's unwind table in one of four formats, its SFrame in as many
 *
 *	text	the golden text, without addresses (default)
 *	readelf	the lines of `readelf -wF`
 *	compact	what BPF is given: segments, pages, rows, rules, markers
 *	json	one object per row
 *	objdump	with --sframe: the lines of `objdump --sframe`
 *
 * A file that can't be read is reported, and the others are still done: the exit status is then 3,
 * as it is when entries of a file were lost, and 77 if nothing was printed (gate/gate.h). A section
 * that the file lacks is read from its debug file. --func and --pc narrow the output to FDEs (in
 * compact: rows) that touch the function or address.
 */
#include <argp.h>
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_members.h"
#include "base/images/debug_link.h"
#include "base/images/image_list.h"
#include "base/cli/options.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "table/lost_cfi.h"
#include "tables/table/table.h"
#include "tables/table/table_sframe.h"
#include "plain_text.h"

static const struct {
	const char *name;
	table_format_fn write;	/* NULL: there is only that of --sframe */
	table_sframe_fn sframe; /* NULL: there is none */
} formats[] = {
	{ "text", table_text, table_sframe_text },
	{ "readelf", table_readelf, NULL },
	{ "compact", table_compact, table_sframe_compact },
	{ "json", table_json, table_sframe_json },
	{ "objdump", NULL, table_sframe_objdump },
};
#define DIAGNOSTICS_SHOWN 20 /* of a file */
#define FORMAT_COUNT	  (sizeof(formats) / sizeof(formats[0]))

struct options {
	table_format_fn write;
	table_sframe_fn write_sframe;
	bool sframe;
	const char *function;
	const char *section;
	bool by_pc;
	uint64_t pc;
	char **file;
	int file_count;
	struct gate gate;
};

enum {
	KEY_FORMAT = 'f',
	KEY_FUNC = 'F',
	KEY_PC = 'p',
	KEY_SECTION = 's',
	KEY_JSON = 'j',
	KEY_SFRAME = 'S'
};

static const struct argp_option option_list[] = {
	{ "format", KEY_FORMAT, "FORMAT", 0,
	  "text (default), readelf, compact or json; of --sframe text, objdump, compact or json",
	  0 },
	{ "sframe", KEY_SFRAME, NULL, 0, "SFrame in place of call frame information", 0 },
	{ "json", KEY_JSON, NULL, 0, "the same as --format json", 0 },
	{ "func", KEY_FUNC, "NAME", 0, "only this function", 0 },
	{ "pc", KEY_PC, "ADDR", 0, "only what covers this image address", 0 },
	{ "section", KEY_SECTION, "NAME", 0,
	  "only .eh_frame, one of several, .eh_frame[7], or .debug_frame", 0 },
	{ 0 },
};

static void find_format(const char *name, struct options *options, struct argp_state *state)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (!strcmp(formats[i].name, name)) {
			options->write = formats[i].write;
			options->write_sframe = formats[i].sframe;
			return;
		}
	argp_error(state, "unknown format '%s'", name);
}

/* ".eh_frame", ".eh_frame[7]", ".debug_frame". */
static bool is_section(const char *text)
{
	static const char numbered[] = ".eh_frame[";
	const char *number = text + sizeof(numbered) - 1;
	size_t digits;

	if (!strcmp(text, ".eh_frame") || !strcmp(text, ".debug_frame"))
		return true;
	if (strncmp(text, numbered, sizeof(numbered) - 1) != 0)
		return false;
	digits = strspn(number, "0123456789");
	return digits && !strcmp(number + digits, "]");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;
	switch (key) {
	case KEY_FORMAT: find_format(argument, options, state); break;
	case KEY_JSON: find_format("json", options, state); break;
	case KEY_SFRAME: options->sframe = true; break;
	case KEY_FUNC: options->function = option_text(state, argument, "--func"); break;
	case KEY_PC:
		options->pc = option_address(state, argument, "--pc");
		options->by_pc = true;
		break;
	case KEY_SECTION:
		if (!is_section(argument))
			argp_error(state,
				   "'%s' is neither .eh_frame, nor one of several by its number, "
				   ".eh_frame[7], nor .debug_frame",
				   argument);
		options->section = argument;
		break;
	case ARGP_KEY_ARGS:
		options->file = state->argv + state->next;
		options->file_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no ELF file"); break;
	case ARGP_KEY_END:
		if (options->function && options->by_pc)
			argp_error(state, "--func or --pc, not both");
		if (options->sframe ? !options->write_sframe : !options->write)
			argp_error(state, options->sframe ? "this format shows no SFrame"
							  : "this format is of --sframe");
		if (options->sframe && options->section)
			argp_error(state, "--sframe has no --section");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct image_symbol *find_function(const struct image *image, const char *name)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	return ARRAY_FIRST(symbol, count, one, !strcmp(one->name, name));
}

/* False: the image has no such function, which is said. */
static bool make_filter(const struct image *image, const struct options *options, const char *path,
			struct table_filter *ret)
{
	*ret = (struct table_filter) { .section = options->section };
	if (options->by_pc) {
		ret->by_pc = true;
		ret->pc = options->pc;
		ret->pc_end = options->pc + 1;
	} else if (options->function) {
		const struct image_symbol *symbol = find_function(image, options->function);
		if (!symbol) {
			fprintf(stderr, "%s: the image has no function '%s'\n", PLAIN_TEXT(path),
				PLAIN_TEXT(options->function));
			return false;
		}
		ret->by_pc = true;
		ret->pc = symbol->pc;
		ret->pc_end = symbol->pc + (symbol->size ? symbol->size : 1);
		ret->in_section = symbol->section;
	}
	return true;
}

/* What the table does not show of an image: only asked for when it decides something. */
static void gate_file(struct gate *gate, const struct image *image, const char *file)
{
	JSON_FREED json_t *counts = json_object();
	struct gate_image lost;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	struct error ignored; /* whoever printed has said it */

	if (!cfi_create(image, &cfi, &ignored) || cfi) {
		gate_image_read(image, file, cfi, &lost);
		gate_image_json(&lost, counts);
		gate_add_image(gate, counts, true);
	}
}

/* What came of one image. failed: nothing could be printed, and error says why. */
static void judge_file(struct options *options, const char *path, bool failed, uint64_t shown,
		       const struct error *error)
{
	struct gate *gate = &options->gate;

	gate->checked += shown;
	if (failed && error->code == ERROR_NO_CFI) {
		/* Nothing to print is worth a note, but nothing is wrong with the file. */
		gate_leave(gate, GATE_NO_CFI, 1);
	} else if (failed) {
		gate->bad_input = true;
	} else if (!shown && options->by_pc) {
		fprintf(stderr, "%s: no FDE covers 0x%" PRIx64 "\n", PLAIN_TEXT(path), options->pc);
		gate_leave(gate, GATE_NO_FDE, 1);
	} else if (!shown && options->function) {
		fprintf(stderr, "%s: no FDE covers %s\n", PLAIN_TEXT(path),
			PLAIN_TEXT(options->function));
		gate_leave(gate, GATE_NO_FDE, 1);
	} else if (!shown) {
		gate_leave(gate, GATE_NO_CFI, 1);
	}
}

/* What could not be read, with the code that it is about; as many lines as are worth reading. */
static void print_diagnostics(const struct options *options, const char *path,
			      const struct image *image, const struct error_list *list)
{
	struct cfi_addresses *addresses = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	struct error error;
	if (!list->count)
		return;
	int unread = options->section ? cfi_create_section(image, options->section, &cfi, &error)
				      : cfi_create(image, &cfi, &error);
	if (unread || cfi_addresses_create(cfi, &addresses, &error))
		addresses = NULL;
	for (size_t i = 0; i < list->count && i < DIAGNOSTICS_SHOWN; i++) {
		struct error shown = list->error[i];
		uint64_t pc, pc_end;
		if (addresses && cfi_addresses_find(addresses, &shown, &pc, &pc_end))
			snprintf(shown.message, sizeof(shown.message),
				 "%.180s, of 0x%" PRIx64 "..0x%" PRIx64, list->error[i].message, pc,
				 pc_end);
		error_print(stderr, path, &shown);
	}
	size_t shown = list->count < DIAGNOSTICS_SHOWN ? list->count : DIAGNOSTICS_SHOWN;
	if (list->count + list->dropped > shown)
		fprintf(stderr, "%s: and %zu more%s\n", PLAIN_TEXT(path),
			list->count + list->dropped - shown,
			options->write == table_json ? "" : " (--json has them)");
	cfi_addresses_destroy(addresses);
}

struct outside {
	const char *path;
	const struct cfi *cfi;
	const struct table_filter *filter;
	uint64_t count;
};

static int print_one_outside(void *context, const struct cfi_fde *fde)
{
	struct outside *outside = context;

	if (!table_filter_shows_fde(outside->filter, outside->cfi, fde) ||
	    ++outside->count > DIAGNOSTICS_SHOWN)
		return 0;
	fprintf(stderr, "%s: %s+0x%" PRIx32 ": %s, of 0x%" PRIx64 "..0x%" PRIx64 "\n",
		PLAIN_TEXT(outside->path), outside->cfi->cie[fde->cie].section->name, fde->offset,
		OUTSIDE_MESSAGE, fde->pc_begin, fde->pc_begin + fde->pc_range);
	return 0;
}

/* No table has code that is in no executable segment, whatever rows say of it. In JSON these are
 * among the objects. */
static void print_outside(const char *path, const struct image *image,
			  const struct table_filter *filter)
{
	struct outside outside = { .path = path, .filter = filter };
	struct error ignored; /* of memory: stat tells */
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	uint64_t count;

	if (!cfi_create(image, &cfi, &ignored)) {
		outside.cfi = cfi;
		cfi_outside(cfi, print_one_outside, &outside, &count, &ignored);
	}
	if (outside.count > DIAGNOSTICS_SHOWN)
		fprintf(stderr, "%s: and %" PRIu64 " more (--json has them)\n", PLAIN_TEXT(path),
			outside.count - DIAGNOSTICS_SHOWN);
}

/* ---- SFrame ------------------------------------------------------------------------------- */

/* What could not be read: as many lines as are worth reading. */
static void print_wrong(const struct options *options, const char *path,
			const struct sframe *sframe, bool *ret_any)
{
	struct error_list wrong DEINIT(error_list_deinit) = { 0 };

	sframe_check(sframe, &wrong);
	for (size_t i = 0; i < wrong.count && i < DIAGNOSTICS_SHOWN; i++)
		error_print(stderr, path, &wrong.error[i]);
	if (wrong.count + wrong.dropped > DIAGNOSTICS_SHOWN)
		fprintf(stderr, "%s: and %zu more%s\n", PLAIN_TEXT(path),
			wrong.count + wrong.dropped - DIAGNOSTICS_SHOWN,
			options->write == table_json ? "" : " (--json has them)");
	*ret_any = wrong.count;
}

static void print_sframe(struct options *options, const struct table_sframe *table)
{
	struct table_filter filter = { .section = NULL };
	uint64_t shown = 0;
	struct error error;
	bool wrong;

	if (table->image ? !make_filter(table->image, options, table->path, &filter)
			 : options->function != NULL) {
		gate_leave(&options->gate, GATE_NO_FDE, 1);
		return;
	}
	if (!table->image && options->by_pc)
		filter = (struct table_filter) { .by_pc = true,
						 .pc = options->pc,
						 .pc_end = options->pc + 1 };
	filter.shown = &shown;
	if (options->write_sframe(stdout, table, &filter, &error)) {
		error_print(stderr, table->path, &error);
		options->gate.bad_input = true;
	}
	options->gate.checked += shown;
	if (!shown)
		gate_leave(&options->gate, GATE_NO_FDE, 1);
	print_wrong(options, table->path, table->sframe, &wrong);
	options->gate.bad_input |= wrong;
}

/* A file for another machine. False: it is none, or has no SFrame. */
static bool do_foreign(struct options *options, const char *path, struct error *error)
{
	struct sframe_foreign *foreign;
	struct table_sframe table = { .path = path };

	if (sframe_foreign_open(path, &foreign, error))
		return false;
	table.sframe = sframe_foreign_get(foreign);
	print_sframe(options, &table);
	sframe_foreign_close(foreign);
	return true;
}

static void do_sframe(struct options *options, const struct image_path *path)
{
	struct table_sframe table = { .path = path->path };
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	struct opened_image opened;
	struct error error, machine;
	int failed = image_path_open(path, &opened, &error);

	if (failed && error.code == ERROR_UNSUPPORTED_ELF && !path->archive_length) {
		machine = error;
		if (do_foreign(options, path->path, &error))
			return;
		if (error.code == ERROR_UNSUPPORTED_ELF)
			error = machine;
	}
	if (!failed) {
		table.image = opened.image;
		failed = sframe_create(opened.image, &sframe, &error);
		table.sframe = sframe;
		if (!failed)
			print_sframe(options, &table);
		image_path_close(&opened);
	}
	if (!failed)
		return;
	error_print(stderr, path->path, &error);
	if (error.code == ERROR_NO_SFRAME)
		gate_leave(&options->gate, GATE_NO_CFI, 1);
	else
		gate_leave_image(&options->gate, &error,
				 gate_is_named(path, error_code_name(error.code)));
}

/* ---- images ------------------------------------------------------------------------------- */

static void do_image(struct options *options, const struct image_path *path)
{
	struct opened_image opened;
	struct error error;
	if (options->sframe) {
		do_sframe(options, path);
		return;
	}
	if (image_path_open(path, &opened, &error)) {
		error_print(stderr, path->path, &error);
		gate_leave_image(&options->gate, &error,
				 gate_is_named(path, error_code_name(error.code)));
		return;
	}
	struct image *image = opened.image;
	/* readelf shows both files, one after the other: its format looks for itself. */
	if (options->write != table_readelf &&
	    (!options->section || !strcmp(options->section, ".debug_frame")))
		debug_link_adopt(image);
	struct error_list diagnostics = { 0 };
	struct table_filter filter;
	uint64_t shown = 0;
	bool known = make_filter(image, options, path->path, &filter), failed;
	filter.shown = &shown;
	failed = known && options->write(stdout, image, &filter, &diagnostics, &error);
	if (failed)
		error_print(stderr, path->path, &error);
	if (known)
		judge_file(options, path->path, failed, shown, &error);
	else
		gate_leave(&options->gate, GATE_NO_FDE, 1);
	print_diagnostics(options, path->path, image, &diagnostics);
	if (options->write != table_json && known && !failed && !filter.by_pc)
		print_outside(path->path, image, &filter);
	options->gate.bad_input |= diagnostics.count > 0;
	error_list_deinit(&diagnostics);
	if (options->gate.strict || options->gate.coverage > 0)
		gate_file(&options->gate, image, opened.file);
	image_path_close(&opened);
}

/* The member's name, where many tables follow each other. */
static void print_member(const struct options *options, const struct image_path *path)
{
	if (path->archive_length && options->write == table_readelf)
		printf("\nFile: %s\n", path->path);
	else if (path->archive_length && options->write != table_json)
		printf("# %s\n", path->path);
}

/* A file, or all members of an archive, in its order. */
static void do_file(struct options *options, const char *path)
{
	struct image_path file = { .path = (char *)path, .named = true };
	struct image_list list = { 0 };
	struct error error;
	int result = image_list_members(&list, path, &error);
	if (!result)
		do_image(options, &file);
	if (result < 0) {
		error_print(stderr, path, &error);
		gate_leave_image(&options->gate, &error, true);
	}
	for (size_t i = 0; i < list.count; i++) {
		print_member(options, &list.image[i]);
		do_image(options, &list.image[i]);
	}
	gate_leave_list(&options->gate, &list);
	image_list_deinit(&list);
}

int command_table(int argc, char **argv)
{
	static const struct argp_child children[] = { { &gate_image_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		option_list,
		parse_option,
		"ELF|ARCHIVE...",
		"Prints the unwind tables of ELF files.",
		children,
		NULL,
		NULL,
	};
	struct options options = { .write = table_text,
				   .write_sframe = table_sframe_text,
				   .gate = { .unit = "entries" } };
	command_parse(&argp, argc, argv, 0, &options, &options.gate);

	for (int i = 0; i < options.file_count; i++)
		do_file(&options, options.file[i]);
	/* Standard output is the table's alone. */
	if (!gate_is_clean(&options.gate))
		gate_print(&options.gate, stderr);
	return gate_status(&options.gate);
}
