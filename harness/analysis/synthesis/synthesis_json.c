/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_json.c - what programs and people read
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "plain_text.h"
#include "synthesis.h"
#include "base/cli/json_counts.h"
#include "base/cli/output_file.h"
#include "base/images/debug_link.h"
#include "base/images/image_kind.h"

/* ==== for people ============================================================================ */

/*
 *	/usr/bin/prog: 12 functions without CFI: 9 whole, 2 in part, 1 not; 431 of 460 instructions, 88 rows
 *	         20  no row: behind a jump whose targets are not known
 */

static void print_counts(FILE *file, const json_t *image)
{
	const json_t *unwritten = json_object_get(image, "unwritten");

	fprintf(file,
		"%lld functions without CFI: %lld whole, %lld in part, %lld not; %lld of %lld "
		"instructions, %lld rows\n",
		json_count(image, "functions"), json_count(image, "proven"),
		json_count(image, "partial"), json_count(image, "none"),
		json_count(image, "instructions_written"), json_count(image, "instructions"),
		json_count(image, "rows"));
	if (json_count(image, "replaced"))
		fprintf(file, "%10lld  functions with rows in place of theirs\n",
			json_count(image, "replaced"));
	for (int i = 0; i < SYNTHESIS_REASON_COUNT; i++) {
		enum synthesis_reason reason = (enum synthesis_reason)i;
		json_int_t count = json_count(unwritten, synthesis_reasons[reason].name);

		if (count)
			fprintf(file, "%10lld  no row: %s\n", count,
				synthesis_reasons[reason].title);
	}
}

/* The command takes a file. */
static void say_member(FILE *file, const json_t *image)
{
	const char *member = json_text(image, "member"), *path = json_text(image, "image");
	const size_t behind = strlen(member) + 2; /* "(member)" */
	FREED char *archive = NULL;

	if (!*member || strlen(path) <= behind)
		return;
	archive = strndup(path, strlen(path) - behind);
	if (archive)
		fprintf(file,
			"# for objcopy %s has to be taken out of %s first (ar x, dpkg-deb -x)\n",
			PLAIN_TEXT(member), PLAIN_TEXT(archive));
}

void synthesis_text_image(FILE *file, const json_t *image)
{
	const char *status = json_text(image, "status");

	fprintf(file, "%s: ", PLAIN_TEXT(json_text(image, "image")));
	if (json_object_get(image, "message"))
		fprintf(file, "%s: %s\n", status, PLAIN_TEXT(json_text(image, "message")));
	else
		print_counts(file, image);
	if (json_object_get(image, "command")) {
		say_member(file, image);
		plain_lines(file, json_text(image, "command")); /* of any length */
		fputc('\n', file);
	}
}

/* ==== as JSON =============================================================================== */

/*
 * Runs in a process of its own (images/image_pool.h), which also writes the files that are asked for. An
 * image that has CFI gets the new rows as .debug_frame, one without as .eh_frame: a second .eh_frame would
 * be found by few, and objcopy can't name it apart. An object file gets neither: its section would need relocations,
 * which objcopy can't add.
 */

struct subject {
	const struct synthesis_options *options;
	const struct image_path *path;
	struct opened_image opened;
	struct object *object; /* its layout, if it is an object file; or NULL */
	bool has_debug_frame;  /* of its own, not of a debug file */
};

/* The section that has the functions from number first on, up to the one that is returned. */
static size_t add_section(json_t *sections, const struct object *object,
			  const struct synthesis *synthesis, size_t first)
{
	const struct object_section *section =
		object_section_find(object, synthesis->function[first].begin);
	uint64_t instructions = 0, written = 0, rows = 0;
	size_t i = first;

	for (; i < synthesis->function_count; i++) {
		const struct synthesis_function *function = &synthesis->function[i];

		if (object_section_find(object, function->begin) != section)
			break;
		instructions += function->replaced ? 0 : function->instructions;
		written += function->replaced ? 0 : function->written;
		rows += function->row_count;
	}
	json_array_append_new(sections,
			      JSON_NEW("section", section ? section->name : "", "functions",
				       i - first, "instructions", instructions,
				       "instructions_written", written, "rows", rows));
	return i;
}

/* Functions are sorted by address, and sections lie side by side. */
static json_t *sections_of(const struct object *object, const struct synthesis *synthesis)
{
	json_t *sections = json_array();

	for (size_t i = 0; i < synthesis->function_count;)
		i = add_section(sections, object, synthesis, i);
	return sections;
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
			json_set_count(reasons, synthesis_reasons[r].name, unwritten[r]);
	JSON_SET(image, "functions", functions, "proven", proven, "partial", partial, "none",
		 functions - proven - partial, "instructions", instructions, "instructions_written",
		 written, "replaced", replaced ? json_integer((json_int_t)replaced) : NULL, "rows",
		 synthesis->row_count, "unwritten", reasons);
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

/* Of "lib.a(member.o)" what is inside; the caller frees it. NULL: it is a file by itself, or there is no memory. */
static char *member_of(const struct image_path *path)
{
	const char *name = path->path + path->archive_length + 1;

	return path->archive_length && *name ? strndup(name, strlen(name) - 1) : NULL;
}

static void set_member(json_t *image, const struct image_path *path)
{
	FREED char *member = member_of(path);

	JSON_SET(image, "member", member);
}

/* As a shell takes it back. */
static json_t *command_text(const struct synthesis_command *command)
{
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (int i = 0; command->argv[i]; i++) {
		fputs(i ? " " : "", file);
		plain_word(file, command->argv[i]);
	}
	fclose(file);
	return json_bytes(text);
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
	FREED uint8_t *bytes = NULL;
	size_t size;
	int result = 0;

	if (synthesis_section(synthesis, target.is_debug, target.vaddr,
			      target.is_joined ? &image->debug_frame : NULL, &bytes, &size, error))
		return -1;
	JSON_SET(json, "section", target.is_debug ? ".debug_frame" : ".eh_frame", "section_bytes",
		 size);
	if (options->output)
		result = write_section(options->output, bytes, size, error);
	if (options->output && !result) {
		/* A member is read from a copy that ends with this process: the command has its name. */
		FREED char *member = member_of(subject->path);

		synthesis_command(&target, options->output, member ? member : subject->opened.file,
				  "OUTPUT", &command);
		json_object_set_new(json, "command", command_text(&command));
	}
	if (options->elf && !result)
		result = write_elf(subject->opened.file, options->elf, &target, bytes, size, error);
	return result;
}

static int say_directives(const struct subject *subject, const struct synthesis *synthesis,
			  const struct cfi *cfi, FILE *output, struct error *error)
{
	json_t *json;
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int result;

	if (!file)
		return error_set(error, ERROR_MEMORY, NULL, 0, "directives");
	result = synthesis_directives(synthesis, cfi, subject->object, file, error);
	fclose(file);
	if (!result) {
		json = JSON_NEW("type", "directives", "image", subject->path->path, "text", text);
		set_member(json, subject->path);
		json_line(output, json);
	}
	return result;
}

/* ---- the image ------------------------------------------------------------------------------ */

static int synthesize_cfi(const struct subject *subject, const struct cfi *cfi, json_t *json,
			  FILE *output, struct error *error)
{
	const struct synthesis_options *options = subject->options;
	struct synthesis synthesis;
	bool others;
	int result = synthesis_of(cfi, subject->object, &synthesis, error);

	if (!result) {
		set_counts(json, &synthesis);
		if (subject->object)
			JSON_SET(json, "sections", sections_of(subject->object, &synthesis));
		synthesis_has_loaded(&synthesis, &others);
		if (!synthesis.row_count || (!others && (options->output || options->elf)))
			JSON_SET(json, "status", "nothing");
		else if (options->output || options->elf)
			result = write_files(subject, &synthesis, json, error);
		if (!result && options->directives)
			result = say_directives(subject, &synthesis, cfi, output, error);
		synthesis_deinit(&synthesis);
	}
	return result;
}

/* False: it is none, or there is nothing that could be done with it. */
static bool is_to_be_linked(const struct subject *subject, json_t *json)
{
	const struct synthesis_options *options = subject->options;

	if (subject->opened.image->type != ET_REL || (!options->output && !options->elf))
		return false;
	JSON_SET(json, "status", "not_linked", "message",
		 "an object file, whose section would need relocations: --output and "
		 "--elf take linked files, --directives these, too");
	return true;
}

static int synthesize_opened(struct subject *subject, json_t *json, FILE *output,
			     struct error *error)
{
	const struct image *image = subject->opened.image;
	struct cfi *cfi = NULL;
	int result;

	if (image_is_slim(image))
		JSON_SET(json, "lto", json_true());
	if (is_to_be_linked(subject, json))
		return 0;
	if (image->type == ET_REL) {
		if (object_create(image, &subject->object, error))
			return -1;
		image = subject->object->image;
	}
	if (cfi_create(image, &cfi, error) && error->code != ERROR_NO_CFI)
		result = -1;
	else
		result = synthesize_cfi(subject, cfi, json, output, error);
	cfi_destroy(cfi);
	object_destroy(subject->object);
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
	struct subject subject = { .options = options, .path = path };
	struct error error;
	json_t *image = JSON_NEW("type", "synthesis", "image", path->path, "status", "synthesized");
	const char *status = NULL;

	set_member(image, path);
	if (image_path_open(path, &subject.opened, &error)) {
		status = "unread";
	} else {
		subject.has_debug_frame = subject.opened.image->debug_frame.data != NULL;
		if (subject.opened.image->type != ET_REL)
			debug_link_adopt(subject.opened.image);
		if (synthesize_opened(&subject, image, output, &error))
			status = is_failure(error.code) ? "failed" : "unread";
		image_path_close(&subject.opened);
	}
	if (status)
		JSON_SET(image, "status", status, "code", error_code_name(error.code), "message",
			 json_error(&error));
	json_line(output, JSON_SET(image, "seconds", monotonic_seconds() - start));
}
