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

static bool is_wanted(const void *context, const struct finding_record *finding)
{
	return true;
}

/* How many of its own findings the image knows. */
static size_t match(struct baseline_image *image, const struct baseline_image *own)
{
	struct finding_set findings = { NULL };
	size_t known;

	for (size_t i = 0; i < own->findings.count; i++)
		finding_set_copy(&findings, &own->findings.held[i].finding,
				 strdup(own->findings.held[i].key));
	known = baseline_match(image, &findings);
	finding_set_deinit(&findings);
	return known;
}

static void check_image(struct baseline *baseline, struct baseline_image *image)
{
	size_t known = match(image, image);
	json_t *gone;

	fuzz_require(baseline_image_find(baseline, json_text(image->object, "image")) == image,
		     "an image that is not found");
	fuzz_require(known == image->findings.count, "%zu of %zu are known", known,
		     image->findings.count);
	gone = baseline_gone(image, is_wanted, NULL);
	fuzz_require(gone && !json_array_size(gone), "%zu are gone", json_array_size(gone));
	json_decref(gone);
	known = match(image, image);
	fuzz_require(!known, "%zu are known twice", known);
	fuzz_require(!match(NULL, image), "known, and there is no image");
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
