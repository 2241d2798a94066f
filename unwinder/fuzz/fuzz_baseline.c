/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_baseline.c - bytes as a baseline (harness/reports/findings/findings.h): what `lint --json` printed
 *
 * What is accepted knows all of its own findings, once and not twice, and has none that are gone; an
 * image that it doesn't have knows nothing. Anything else is an error with the line.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "reports/findings/findings.h"
#include "fuzz.h"

static bool is_wanted(const void *context, const json_t *finding)
{
	return true;
}

/* Copies, without what a baseline's objects may say already. */
static json_t *findings_of(const struct baseline_image *image)
{
	json_t *array = json_array();

	for (size_t i = 0; i < image->count; i++) {
		json_t *copy = json_loads(image->finding[i].text, 0, NULL);

		json_object_del(copy, "known");
		json_array_append_new(array, copy);
	}
	return array;
}

static void check_image(struct baseline *baseline, struct baseline_image *image)
{
	json_t *findings = findings_of(image), *gone;
	size_t known;

	fuzz_require(baseline_image_find(baseline, json_text(image->object, "image")) == image,
		     "an image that is not found");
	known = baseline_match(image, findings);
	fuzz_require(known == image->count, "%zu of %zu are known", known, image->count);
	gone = baseline_gone(image, is_wanted, NULL);
	fuzz_require(gone && !json_array_size(gone), "%zu are gone", json_array_size(gone));
	json_decref(gone);
	json_decref(findings);
	findings = findings_of(image);
	known = baseline_match(image, findings);
	fuzz_require(!known, "%zu are known twice", known);
	json_decref(findings);
	findings = findings_of(image);
	fuzz_require(!baseline_match(NULL, findings), "known, and there is no image");
	json_decref(findings);
}

static void check_baseline(struct baseline *baseline)
{
	const char **path = calloc(baseline->count + 1, sizeof(*path));
	size_t paired;

	fuzz_require(path != NULL, "no memory");
	for (size_t i = 0; i < baseline->count; i++)
		path[i] = json_text(baseline->image[i].object, "image");
	paired = baseline_pair(baseline, path, baseline->count);
	fuzz_require(paired == baseline->count, "%zu of %zu images", paired, baseline->count);
	for (size_t i = 0; i < baseline->count; i++)
		check_image(baseline, &baseline->image[i]);
	fuzz_require(!baseline_left(baseline), "an image that only the baseline has");
	free(path);
}

static size_t count_lines(const uint8_t *data, size_t size)
{
	size_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	return lines;
}

int fuzz_baseline(const uint8_t *data, size_t size)
{
	int file = memfd_create("baseline", MFD_CLOEXEC);
	struct baseline *baseline;
	struct error error;
	char path[64];

	fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "no file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (baseline_read(path, &baseline, &error)) {
		fuzz_require(error.code == ERROR_TEXT_SYNTAX && *error.message &&
				     error.offset <= count_lines(data, size),
			     "%s: %s", error_code_name(error.code), error.message);
	} else {
		check_baseline(baseline);
		baseline_destroy(baseline);
	}
	close(file);
	return 0;
}
