/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_files.c - what is said of files without CFI: not each function, but a line a file
 *
 *	libc.a: no CFI: no FDE covers 1838 functions of 1334 members: abort, abs, accept, ... [SP006]
 *
 * Of others the first are shown, and the rest is counted: GHC's objects have thousands beside the FDE of a stub.
 *
 * A C library may be built so on purpose, and a distribution has many files that are. Findings come image by image,
 * those of several archives mixed: an archive's line comes at the end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "lint.h"
#include "plain_text.h"

/* The archive's path, or the file's own, as JSON. */
static json_t *name_of(const struct image_path *path)
{
	return json_bytes_sized(path->path,
				path->archive_length ? path->archive_length : strlen(path->path));
}

static void count(json_t *file, const char *key, json_int_t more)
{
	json_object_set_new(file, key, json_integer(json_count(file, key) + more));
}

static json_t *file_of(struct lint_files *files, const struct image_path *path)
{
	JSON_FREED json_t *name = name_of(path);
	json_t *file;

	if (!files->file)
		files->file = json_object();
	file = json_object_get(files->file, json_string_value(name));
	if (!file) {
		file = json_pack("{s:b, s:[], s:s}", "archive", path->archive_length != 0, "held",
				 "image", "");
		json_object_set_new(files->file, json_string_value(name), file);
	}
	return file;
}

/* The first by their images, whichever is ready first. */
static void hold(json_t *held, json_t *finding)
{
	size_t at = json_array_size(held);

	while (at && strcmp(json_text(json_array_get(held, at - 1), "image"),
			    json_text(finding, "image")) > 0)
		at--;
	json_array_insert(held, at, finding);
	json_array_remove(held, LINT_FILES_FULL);
}

/* A finding of an image without CFI. */
static void lint_files_add(struct lint_files *files, const struct image_path *path,
			   const struct finding_record *finding)
{
	json_t *file = file_of(files, path);

	/* An image's findings come one behind the other. */
	if (strcmp(json_text(file, "image"), finding->image) != 0) {
		json_object_set_new(file, "image", json_string(finding->image));
		count(file, "images", 1);
	}
	count(file,
	      finding->known	 ? "known_findings"
	      : finding->ignored ? "ignored_findings"
				 : "findings",
	      1);
	if (!finding_is_excused(finding))
		hold(json_object_get(file, "held"), finding->object);
}

static void print_id(FILE *output, bool colour)
{
	fprintf(output, "[%s%s%s]\n", colour ? "\033[1;31m" : "", lint_ids[LINT_UNCOVERED].name,
		colour ? "\033[0m" : "");
}

static void print_line(const char *name, const json_t *file, FILE *output, bool colour)
{
	json_int_t images = json_count(file, "images");
	const char *before = ": ";
	size_t i;
	json_t *finding;

	fprintf(output, "%s: no CFI: no FDE covers %lld functions", PLAIN_TEXT(name),
		json_count(file, "findings"));
	if (json_is_true(json_object_get(file, "archive")))
		fprintf(output, " of %lld members", images);
	json_array_foreach(json_object_get(file, "held"), i, finding)
	{
		fprintf(output, "%s%s", before, PLAIN_TEXT(json_text(finding, "function")));
		before = ", ";
	}
	fputs(", ... ", output);
	print_id(output, colour);
}

/* True: in one line. */
static bool tell(struct lint_files *files, const char *name, const json_t *file, FILE *output,
		 bool colour)
{
	json_int_t ignored = json_count(file, "ignored_findings");
	size_t i;
	json_t *object;

	if (ignored)
		fprintf(output, "%s: no CFI: %lld functions that no FDE covers are ignored\n",
			PLAIN_TEXT(name), ignored);
	if (json_count(file, "findings") > LINT_FILES_FULL) {
		print_line(name, file, output, colour);
		files->summed = true;
		return true;
	}
	json_array_foreach(json_object_get(file, "held"), i, object)
	{
		const struct finding_record finding = finding_record_read(object);

		lint_text_print(output, &finding, colour);
	}
	return false;
}

/* Tells a file that is no archive, once all its findings were added. True: in one line. */
static bool lint_files_tell(struct lint_files *files, const struct image_path *path, FILE *output,
			    bool colour)
{
	JSON_FREED json_t *name = name_of(path);
	const json_t *file = json_object_get(files->file, json_string_value(name));
	bool in_one = false;

	if (file && !path->archive_length) {
		in_one = tell(files, json_string_value(name), file, output, colour);
		json_object_del(files->file, json_string_value(name));
	}
	return in_one;
}

/* Of an image with CFI. True: the finding is a function without, behind LINT_FILES_SHOWN others: it is only counted. */
static bool lint_files_is_more(struct lint_files *files, const struct finding_record *finding)
{
	return !strcmp(finding->id, lint_ids[LINT_UNCOVERED].name) &&
	       !finding_is_excused(finding) && ++files->uncovered > LINT_FILES_SHOWN;
}

/* Tells how many of those there were, and counts from 0 again. output: NULL: all were shown. */
static void lint_files_tell_more(struct lint_files *files, const json_t *image, FILE *output,
				 bool colour)
{
	if (output && files->uncovered > LINT_FILES_SHOWN) {
		fprintf(output,
			"%s: no FDE covers %" PRIu64 " functions more: --verbose names each ",
			PLAIN_TEXT(json_text(image, "image")), files->uncovered - LINT_FILES_SHOWN);
		print_id(output, colour);
	}
	files->uncovered = 0;
}

/* All that were not told yet, by path, and how to see each finding. */
static void lint_files_tell_all(struct lint_files *files, FILE *output, bool colour)
{
	FREED const char **name =
		json_names_sorted(files->file); /* images come as they are ready */

	for (size_t i = 0; name[i]; i++)
		tell(files, name[i], json_object_get(files->file, name[i]), output, colour);
	if (files->summed)
		fputs("functions of files without CFI: --verbose names each, and --baseline makes "
		      "known what has none on purpose\n",
		      output);
}

/* For programs: an object for each file, by path. */
static void lint_files_json(const struct lint_files *files, FILE *output)
{
	FREED const char **name =
		json_names_sorted(files->file); /* images come as they are ready */

	for (size_t i = 0; name[i]; i++) {
		const json_t *file = json_object_get(files->file, name[i]);

		json_int_t ignored = json_count(file, "ignored_findings");
		json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I}", "type", "lint_no_cfi",
					   "image", name[i], "images", json_count(file, "images"),
					   "findings", json_count(file, "findings"),
					   "known_findings", json_count(file, "known_findings"));

		if (ignored)
			json_object_set_new(object, "ignored_findings", json_integer(ignored));
		json_line(output, object);
	}
}

bool lint_files_take(struct lint_files *files, const struct image_path *path,
		     const struct finding_record *finding)
{
	if (finding->no_cfi)
		lint_files_add(files, path, finding);
	else if (!lint_files_is_more(files, finding))
		return false;
	return !files->json && !files->each;
}

bool lint_files_end_image(struct lint_files *files, const struct image_path *path,
			  const json_t *image, FILE *output)
{
	lint_files_tell_more(files, image, files->json || files->each ? NULL : output,
			     files->colour);
	return !files->json && lint_files_tell(files, path, output, files->colour);
}

void lint_files_end(struct lint_files *files, FILE *output)
{
	if (output && files->json)
		lint_files_json(files, output);
	else if (output && !files->each)
		lint_files_tell_all(files, output, files->colour);
	json_decref(files->file);
	files->file = NULL;
}
