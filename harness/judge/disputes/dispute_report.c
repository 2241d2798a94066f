/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_report.c - what a bug report needs beside the case
 *
 *	report.txt	to be pasted: the finding, the stacks, who compiled it, versions, the command
 *	rows.txt	the function's rows, as `stackproof table` prints them
 *	code.txt	its instructions
 *	NAME		a copy of the image at fault
 *	NAME.debug	and of its separate debug file, if this machine has it
 *
 * Nothing else of the machine is in it. Copies have a limit; what is left out is said in the report.
 */
#include <capstone/capstone.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <gnu/libc-version.h>
#include "base/cli/json_counts.h"
#include "base/cli/output_file.h"
#include "cfi/code_name.h"
#include "disputes.h"
#include "base/cli/exit_status.h"
#include "base/images/code_source.h"
#include "base/images/debug_link.h"
#include "plain_text.h"
#include "tables/table/table.h"
#include "judge/verdict/verdict.h"

#define BUNDLE_COPY_MAX (256ull << 20) /* of an image */
#define BUNDLE_CODE_MAX (64u << 10)    /* of a function */

/* What is written about. */
struct report {
	struct dispute *dispute;
	const char *folder;
	struct dispute_stage *stage;
	const struct dispute_image *image; /* at fault; NULL: it is in none */
	uint64_t bias, address;		   /* in the image */
	uint64_t first, last;		   /* the function: first .. last */
	char note[256];			   /* what is left out */
};

/* ---- files ------------------------------------------------------------------------------ */

static int open_file(const struct report *report, const char *name, struct output_file *ret,
		     struct error *error)
{
	FREED char *path = NULL;

	if (asprintf(&path, "%s/%s", report->folder, name) < 0)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	return output_file_open(path, ret, error);
}

static int write_copy(const struct report *report, const char *name, const void *bytes, size_t size,
		      struct error *error)
{
	struct output_file output;

	if (open_file(report, name, &output, error))
		return -1;
	fwrite(bytes, 1, size, output.file);
	return output_file_close(&output, true, error);
}

/* A name that can't collide with our own files, nor lead anywhere. */
static void copy_name(const char *path, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/');

	snprintf(ret, size, "image-%s", slash ? slash + 1 : path);
	for (char *at = ret; *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '/')
			*at = '_';
}

static int copy_debug_file(struct report *report, const char *name, struct error *error)
{
	FREED char *path = debug_link_find(report->image->entry->image);
	struct image *debug DEINIT(image_destroy_at) = NULL;
	struct error ignored;
	char own[300];
	size_t size;
	const uint8_t *bytes;
	int status = 0;

	if (path && !image_create(path, &debug, &ignored)) {
		snprintf(own, sizeof(own), "%s.debug", name);
		bytes = image_file_bytes(debug, &size);
		if (size <= BUNDLE_COPY_MAX)
			status = write_copy(report, own, bytes, size, error);
		else
			snprintf(report->note, sizeof(report->note),
				 "the debug file is not copied, it has %zu bytes", size);
	}
	return status;
}

static int copy_image(struct report *report, struct error *error)
{
	char name[256];

	if (!report->image)
		return 0;
	copy_name(report->image->path, name, sizeof(name));
	if (report->image->file_bytes > BUNDLE_COPY_MAX) {
		snprintf(report->note, sizeof(report->note),
			 "the image is not copied, it has %" PRIu64 " bytes",
			 report->image->file_bytes);
		return 0;
	}
	if (write_copy(report, name, report->image->bytes, report->image->file_bytes, error))
		return -1;
	return copy_debug_file(report, name, error);
}

/* ---- rows and code ---------------------------------------------------------------------- */

static int write_rows(const struct report *report, struct error *error)
{
	struct table_filter filter = { .by_pc = true, .pc = report->first, .pc_end = report->last };
	struct error_list diagnostics = { 0 };
	struct output_file output;
	struct error failure;

	if (!report->image)
		return 0;
	if (open_file(report, "rows.txt", &output, error))
		return -1;
	if (table_text(output.file, report->image->entry->image, &filter, &diagnostics, &failure))
		fprintf(output.file, "%s\n", failure.message);
	error_list_deinit(&diagnostics);
	return output_file_close(&output, true, error);
}

static void print_code(FILE *file, const struct report *report, const uint8_t *bytes, size_t size)
{
	uint64_t address = report->first;
	cs_insn *instruction;
	csh capstone;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) != CS_ERR_OK)
		return;
	instruction = cs_malloc(capstone);
	while (instruction && size) {
		if (cs_disasm_iter(capstone, &bytes, &size, &address, instruction)) {
			fprintf(file, "%c 0x%" PRIx64 "  %s%s%s\n",
				instruction->address == report->address ? '>' : ' ',
				instruction->address, instruction->mnemonic,
				instruction->op_str[0] ? " " : "", instruction->op_str);
			continue;
		}
		fprintf(file, "  0x%" PRIx64 "  .byte %02x\n", address, *bytes);
		bytes++;
		size--;
		address++;
	}
	if (instruction)
		cs_free(instruction, 1);
	cs_close(&capstone);
}

static int write_code(struct report *report, struct error *error)
{
	uint64_t size = report->last - report->first;
	const uint8_t *bytes;
	struct output_file output;

	if (size > BUNDLE_CODE_MAX)
		size = BUNDLE_CODE_MAX;
	bytes = report->image ? image_bytes(report->image->entry->image, report->first, size)
			      : NULL;
	if (!bytes)
		return 0;
	if (open_file(report, "code.txt", &output, error))
		return -1;
	print_code(output.file, report, bytes, size);
	if (size < report->last - report->first)
		fprintf(output.file, "  and %" PRIu64 " bytes more\n",
			report->last - report->first - size);
	return output_file_close(&output, true, error);
}

/* ---- the report ------------------------------------------------------------------------- */

static void print_stack(FILE *file, const struct report *report, const char *title,
			const struct stack *stack)
{
	uint32_t shown = stack->count < FINDING_FRAMES_MAX ? stack->count : FINDING_FRAMES_MAX;
	char place[512];

	fprintf(file, "\n%s\n", PLAIN_TEXT(title));
	for (uint32_t i = 0; i < shown; i++) {
		dispute_describe(report->dispute, report->stage, stack_pc(stack, i), i > 0, place,
				 sizeof(place));
		fprintf(file, "  %2u  0x%" PRIx64 "  %s\n", i, stack_pc(stack, i),
			PLAIN_TEXT(place));
	}
	if (shown < stack->count)
		fprintf(file, "  and %u more\n", stack->count - shown);
}

static void print_stacks(FILE *file, const struct report *report)
{
	const struct dispute *dispute = report->dispute;
	uint32_t right;

	print_stack(file, report,
		    dispute->rooted ? "truth" : "truth (its outermost frames are unknown)",
		    &dispute->truth);
	for (size_t i = 0; i < dispute->answer_count; i++) {
		const struct dispute_answer *answer = &dispute->answer[i];
		enum match match = match_stack(&answer->stack, &dispute->truth, dispute->rooted,
					       &right);
		char title[160];

		snprintf(title, sizeof(title), "%s: %s, %u of %u frames right, %s%s",
			 answer->engine, match_name(match), right, dispute->truth.count,
			 stop_reason_name(answer->stack.stop),
			 answer->differs ? "; of the case it gives another stack" : "");
		if (match == MATCH_EXACT)
			fprintf(file, "\n%s\n", PLAIN_TEXT(title));
		else
			print_stack(file, report, title, &answer->stack);
	}
}

static void print_field(FILE *file, const char *name, const char *text)
{
	if (*text)
		fprintf(file, "%-12s %s\n", name, PLAIN_TEXT(text));
}

static void print_command(FILE *file, const struct dispute *dispute)
{
	const json_t *word;
	size_t i;

	fputs("\ncommand      ", file);
	json_array_foreach(json_object_get(dispute->about, "command"), i, word) if (i)
	{
		fputc(' ', file);
		plain_word(file, json_string_value(word) ?: "");
	}
	else
	{ /* "stackproof compare": two words, and ours */
		fputs(PLAIN_TEXT(json_string_value(word) ?: ""), file);
	}
	fputs("\nreplay       stackproof replay case\n", file);
}

static void print_versions(FILE *file, const struct dispute *dispute)
{
	struct utsname kernel;
	int major, minor;

	uname(&kernel);
	cs_version(&major, &minor);
	fprintf(file, "\nversions     stackproof %s, %s %s, libc %s, elfutils %s, capstone %d.%d\n",
		STACKPROOF_VERSION, kernel.sysname, kernel.release, gnu_get_libc_version(),
		dwfl_version(NULL), major, minor);
	for (size_t i = 0; i < dispute->image_count; i++)
		fprintf(file, "image        %s %s\n", PLAIN_TEXT(dispute->image[i].path),
			dispute->image[i].build_id[0] ? dispute->image[i].build_id : "no build-id");
}

static void print_source(FILE *file, const struct report *report)
{
	struct code_source source = { .line = 0 };
	struct code_sources *sources;
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct error ignored;
	FREED char *debug = NULL;

	if (!report->image)
		return;
	debug = image_create(report->image->path, &image, &ignored) ? NULL : debug_link_find(image);
	sources = code_sources_open(report->image->path, debug);
	if (sources)
		code_sources_find(sources, report->address, &source);
	print_field(file, "producer", source.producer);
	print_field(file, "comment", sources ? code_sources_comment(sources) : "");
	if (source.file[0])
		fprintf(file, "%-12s %s:%d\n", "source", PLAIN_TEXT(source.file), source.line);
	if (!source.producer[0])
		fputs("producer     no debug info says it\n", file);
	code_sources_close(sources);
}

static int write_report(const struct report *report, struct error *error)
{
	static const char *const fields[] = { "verdict", "kind",  "engine",	 "match",   "truth",
					      "place",	 "image", "instruction", "declared" };
	const struct dispute *dispute = report->dispute;
	struct output_file output;

	if (open_file(report, "report.txt", &output, error))
		return -1;
	fprintf(output.file, "%-12s %s, point %" PRIu64 "\n", "program",
		PLAIN_TEXT(dispute_text(dispute, "program")), dispute->point);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		print_field(output.file, fields[i], dispute_text(dispute, fields[i]));
	if (report->image)
		fprintf(output.file,
			"%-12s 0x%" PRIx64 " in a function of 0x%" PRIx64 " to 0x%" PRIx64 "\n",
			"address", report->address, report->first, report->last);
	print_source(output.file, report);
	print_command(output.file, dispute);
	print_stacks(output.file, report);
	print_versions(output.file, dispute);
	print_field(output.file, "left out", report->note);
	return output_file_close(&output, true, error);
}

/* ---- where it is ------------------------------------------------------------------------ */

/* The function: what its name's range is, or its FDE's, or a few bytes. */
static void find_function(struct report *report)
{
	const struct image *image = report->image->entry->image;
	const struct cfi *cfi = image_entry_cfi(report->image->entry);
	const struct cfi_fde *fde = cfi_fde_find(cfi, report->address);
	struct code_name name;

	code_name_find(image, cfi, report->address, &name);
	report->first = name.start <= report->address ? name.start : report->address;
	report->last = report->address + 64;
	if (fde) {
		report->first = fde->pc_begin;
		report->last = fde->pc_begin + fde->pc_range;
	} else if (name.symbol && name.symbol->end > report->address) {
		report->last = name.symbol->end;
	}
}

static void find_image(struct report *report)
{
	const struct dispute *dispute = report->dispute;
	uint64_t pc = strtoull(dispute_text(dispute, "pc"), NULL, 16);

	for (size_t i = 0; i < dispute->code_count; i++) {
		const struct dispute_code *code = &dispute->code[i];

		if (pc < code->start || pc >= code->end || code->image < 0)
			continue;
		report->image = &dispute->image[code->image];
		report->bias = code->bias;
		report->address = pc - code->bias;
		find_function(report);
		return;
	}
}

int dispute_report(struct dispute *dispute, const char *folder, struct error *error)
{
	struct report report = { .dispute = dispute, .folder = folder };
	struct dispute_folder images;
	int status;

	if (dispute_folder_create(&images, error))
		return -1;
	find_image(&report);
	status = dispute_folder_fill(&images, dispute, error) ||
				 dispute_stage_create(dispute, &images, &report.stage, error) ||
				 copy_image(&report, error) || write_rows(&report, error) ||
				 write_code(&report, error) || write_report(&report, error)
			 ? -1
			 : 0;
	dispute_stage_destroy(report.stage);
	dispute_folder_deinit(&images);
	return status;
}
