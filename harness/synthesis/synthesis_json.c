/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_json.c - one image: what its functions without CFI came to, as JSON
 *
 * Runs in a process of its own (images/image_pool.h), which also writes the files that are asked for. An
 * image that has CFI gets the new rows as .debug_frame, one without as .eh_frame: a second .eh_frame would
 * be found by few, and objcopy can't name it apart.
 */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/json_counts.h"
#include "cli/output_file.h"
#include "clock.h"
#include "images/debug_link.h"
#include "plain_text.h"
#include "synthesis/synthesis.h"

struct subject {
	const struct synthesis_options *options;
	struct opened_image opened;
	bool has_debug_frame; /* of its own, not of a debug file */
};

static json_t *integer(uint64_t number)
{
	return json_integer((json_int_t)number);
}

static void set_counts(json_t *image, const struct synthesis *synthesis)
{
	uint64_t functions = 0, proven = 0, partial = 0, instructions = 0, written = 0;
	uint64_t replaced = 0;
	uint64_t unwritten[SYNTHESIS_REASON_COUNT] = { 0 };
	json_t *reasons = json_object();

	for (size_t i = 0; i < synthesis->function_count; i++) {
		const struct synthesis_function *function = &synthesis->function[i];

		if (function->replaced) {
			replaced += function->row_count != 0;
			continue;
		}
		functions++;
		proven += function->written && function->written >= function->instructions;
		partial += function->written && function->written < function->instructions;
		instructions += function->instructions;
		written += function->written;
		for (int r = 0; r < SYNTHESIS_REASON_COUNT; r++)
			unwritten[r] += function->unwritten[r];
	}
	for (int r = 0; r < SYNTHESIS_REASON_COUNT; r++)
		if (unwritten[r])
			json_object_set_new(reasons,
					    synthesis_reason_name((enum synthesis_reason)r),
					    integer(unwritten[r]));
	json_object_set_new(image, "functions", integer(functions));
	json_object_set_new(image, "proven", integer(proven));
	json_object_set_new(image, "partial", integer(partial));
	json_object_set_new(image, "none", integer(functions - proven - partial));
	json_object_set_new(image, "instructions", integer(instructions));
	json_object_set_new(image, "instructions_written", integer(written));
	if (replaced)
		json_object_set_new(image, "replaced", integer(replaced));
	json_object_set_new(image, "rows", integer(synthesis->row_count));
	json_object_set_new(image, "unwritten", reasons);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int write_section(const char *path, const uint8_t *bytes, size_t size, struct error *error)
{
	struct output_file output;

	if (output_file_open(path, &output, error))
		return -1;
	fwrite(bytes, 1, size, output.file);
	return output_file_close(&output, true, error);
}

/* As a shell takes it back. */
static json_t *command_text(const struct synthesis_command *command)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	json_t *json;

	if (!file)
		return NULL;
	for (int i = 0; command->argv[i]; i++) {
		fputs(i ? " " : "", file);
		plain_word(file, command->argv[i]);
	}
	fclose(file);
	json = json_bytes(text);
	free(text);
	return json;
}

/* The copy, by way of a file for the section that is not kept. */
static int write_elf(const char *input, const char *output, const struct synthesis_target *target,
		     const uint8_t *bytes, size_t size, struct error *error)
{
	char path[] = "/tmp/stackproof-section.XXXXXX";
	int fd = mkstemp(path), result;
	struct synthesis_command command;

	if (fd < 0)
		return error_set_errno(error, "%s", path);
	close(fd);
	synthesis_command(target, path, input, output, &command);
	result = write_section(path, bytes, size, error);
	if (!result)
		result = synthesis_command_run(&command, error);
	unlink(path);
	return result;
}

static int write_files(const struct subject *subject, const struct synthesis *synthesis,
		       json_t *json, struct error *error)
{
	const struct synthesis_options *options = subject->options;
	const struct image *image = subject->opened.image;
	const struct synthesis_target target = {
		.is_debug = image->eh_frame.data != NULL,
		.is_joined = image->eh_frame.data && subject->has_debug_frame,
		.vaddr = synthesis_vaddr(image),
	};
	struct synthesis_command command;
	uint8_t *bytes;
	size_t size;
	int result = 0;

	if (synthesis_section(synthesis, target.is_debug, target.vaddr,
			      target.is_joined ? &image->debug_frame : NULL, &bytes, &size, error))
		return -1;
	json_object_set_new(json, "section",
			    json_string(target.is_debug ? ".debug_frame" : ".eh_frame"));
	json_object_set_new(json, "section_bytes", integer(size));
	if (options->output)
		result = write_section(options->output, bytes, size, error);
	if (options->output && !result) {
		synthesis_command(&target, options->output, subject->opened.file, "OUTPUT",
				  &command);
		json_object_set_new(json, "command", command_text(&command));
	}
	if (options->elf && !result)
		result = write_elf(subject->opened.file, options->elf, &target, bytes, size, error);
	free(bytes);
	return result;
}

static int say_directives(const struct synthesis *synthesis, const struct cfi *cfi, FILE *output,
			  struct error *error)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int result;

	if (!file)
		return error_set(error, ERROR_MEMORY, NULL, 0, "directives");
	result = synthesis_directives(synthesis, cfi, file, error);
	fclose(file);
	if (!result)
		json_line(output,
			  json_pack("{s:s, s:o, s:o}", "type", "directives", "image",
				    json_bytes(cfi->image->path), "text", json_bytes(text)));
	free(text);
	return result;
}

/* ---- the image ------------------------------------------------------------------------------ */

static int synthesize_opened(const struct subject *subject, json_t *json, FILE *output,
			     struct error *error)
{
	const struct synthesis_options *options = subject->options;
	struct synthesis synthesis;
	struct cfi *cfi = NULL;
	bool others;
	int result;

	if (subject->opened.image->type == ET_REL) {
		json_object_set_new(json, "status", json_string("not_linked"));
		return 0;
	}
	if (cfi_create(subject->opened.image, &cfi, error) && error->code != ERROR_NO_CFI) {
		cfi_destroy(cfi);
		return -1;
	}
	result = synthesis_of(cfi, &synthesis, error);
	if (!result) {
		set_counts(json, &synthesis);
		synthesis_has_loaded(&synthesis, &others);
		if (!synthesis.row_count || (!others && (options->output || options->elf)))
			json_object_set_new(json, "status", json_string("nothing"));
		else if (options->output || options->elf)
			result = write_files(subject, &synthesis, json, error);
		if (!result && options->directives)
			result = say_directives(&synthesis, cfi, output, error);
		synthesis_deinit(&synthesis);
	}
	cfi_destroy(cfi);
	return result;
}

/* The environment's fault, not the image's. */
static bool is_failure(enum error_code code)
{
	return code == ERROR_MEMORY || code == ERROR_SYSTEM || code == ERROR_UNAVAILABLE ||
	       code == ERROR_PROTOCOL;
}

void synthesis_file(const struct synthesis_options *options, const struct image_path *path,
		    FILE *output)
{
	double start = monotonic_seconds();
	struct subject subject = { .options = options };
	struct error error;
	json_t *image = json_pack("{s:s, s:o, s:s}", "type", "synthesis", "image",
				  json_bytes(path->path), "status", "synthesized");
	const char *status = NULL;

	if (image_path_open(path, &subject.opened, &error)) {
		status = "unread";
	} else {
		subject.has_debug_frame = subject.opened.image->debug_frame.data != NULL;
		debug_link_adopt(subject.opened.image);
		if (synthesize_opened(&subject, image, output, &error))
			status = is_failure(error.code) ? "failed" : "unread";
		image_path_close(&subject.opened);
	}
	if (status) {
		json_object_set_new(image, "status", json_string(status));
		json_object_set_new(image, "code", json_string(error_code_name(error.code)));
		json_object_set_new(image, "message", json_error(&error));
	}
	json_object_set_new(image, "seconds", json_real(monotonic_seconds() - start));
	json_line(output, image);
}
