/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * kernel_index.c - which packages of a Debian suite are kernels that a guest can boot
 *
 * A *series* is what kernel.org maintains under one number: 5.10, 6.12, and 7.3-rc before 7.3.
 * Debian packages every update as a package of its own name, and drops old ones when it likes, so a
 * series is resolved to the newest package each time that an index is read.
 *
 * The flavour is cloud-amd64: least drivers, so the quickest to boot. Its image is in
 * linux-image-VERSION-cloud-amd64 up to 6.18, and in linux-binary-VERSION-cloud-amd64 from 6.19 on,
 * where linux-image-... only depends on it. What holds an image is told by its size, so that the
 * next change of names needs no change here.
 *
 * A new suite is one line of the table. A suite of one series has its number there: when Debian moves it on to another,
 * that line changes.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "kernel_index.h"

#define FLAVOUR		"-cloud-amd64"
#define IMAGE_BYTES_MIN (4u << 20) /* images take 13 MB, packages that only depend 2 KB */

static const struct kernel_suite suites[] = {
	{ "bullseye-security", ARCHIVE_SECURITY, "5.10", "5.10", false, NULL },
	{ "bookworm-security", ARCHIVE_SECURITY, "6.1", "6.1", false, NULL },
	{ "trixie-security", ARCHIVE_SECURITY, "6.12", "6.12", false, NULL },
	{ "trixie-backports", ARCHIVE_MAIN, "6.13", NULL, false, NULL },
	{ "experimental", ARCHIVE_MAIN, NULL, NULL, true, NULL },
};

const struct kernel_suite *kernel_suite_at(size_t i)
{
	return i < sizeof(suites) / sizeof(*suites) ? &suites[i] : NULL;
}

/* ---- versions --------------------------------------------------------------------------- */

/* The weight of a character in a version's non-digit part: "~" before the end, letters, the rest.
 */
static int weight(char c)
{
	if (c == '~')
		return -1;
	if (c == '\0' || isdigit((unsigned char)c))
		return 0;
	return isalpha((unsigned char)c) ? (unsigned char)c : (unsigned char)c + 256;
}

/* Compares a[0..] and b[0..] up to end_a, end_b by alternating non-digit and digit parts. */
static int compare_part(const char *a, const char *end_a, const char *b, const char *end_b)
{
	while (a < end_a || b < end_b) {
		int difference = 0;

		while ((a < end_a && !isdigit((unsigned char)*a)) ||
		       (b < end_b && !isdigit((unsigned char)*b))) {
			int wa = weight(a < end_a ? *a : '\0'), wb = weight(b < end_b ? *b : '\0');

			if (wa != wb)
				return wa - wb;
			a += a < end_a;
			b += b < end_b;
		}
		while (a < end_a && *a == '0')
			a++;
		while (b < end_b && *b == '0')
			b++;
		while (a < end_a && b < end_b && isdigit((unsigned char)*a) &&
		       isdigit((unsigned char)*b)) {
			if (!difference)
				difference = *a - *b;
			a++;
			b++;
		}
		if (a < end_a && isdigit((unsigned char)*a))
			return 1;
		if (b < end_b && isdigit((unsigned char)*b))
			return -1;
		if (difference)
			return difference;
	}
	return 0;
}

/* [epoch:]upstream[-revision] */
struct version_parts {
	unsigned long epoch;
	const char *upstream, *upstream_end, *revision, *revision_end;
};

static struct version_parts split_version(const char *version)
{
	const char *colon = strchr(version, ':'), *dash;
	struct version_parts parts = { .upstream = colon ? colon + 1 : version };

	parts.epoch = colon ? strtoul(version, NULL, 10) : 0;
	dash = strrchr(parts.upstream, '-');
	parts.revision_end = version + strlen(version);
	parts.upstream_end = dash ? dash : parts.revision_end;
	parts.revision = dash ? dash + 1 : parts.revision_end;
	return parts;
}

int debian_version_compare(const char *a, const char *b)
{
	struct version_parts pa = split_version(a), pb = split_version(b);
	int difference;

	if (pa.epoch != pb.epoch)
		return pa.epoch < pb.epoch ? -1 : 1;
	difference = compare_part(pa.upstream, pa.upstream_end, pb.upstream, pb.upstream_end);
	if (difference)
		return difference;
	return compare_part(pa.revision, pa.revision_end, pb.revision, pb.revision_end);
}

int kernel_series_of(const char *version, char *ret, size_t size)
{
	unsigned major, minor;
	int used = 0;

	if (sscanf(version, "%4u.%4u%n", &major, &minor, &used) != 2 || !used)
		return -1;
	snprintf(ret, size, "%u.%u%s", major, minor,
		 strncmp(version + used, "~rc", 3) ? "" : "-rc");
	return 0;
}

bool kernel_name_is_valid(const char *name)
{
	const char *candidate = strstr(name, "-rc");
	size_t length = strlen(name), dots = 0;

	if (candidate && !strcmp(candidate, "-rc"))
		length = (size_t)(candidate - name);
	if (!length || length > 24)
		return false;
	for (size_t i = 0; i < length; i++) {
		bool digit = isdigit((unsigned char)name[i]);

		if (!digit && (name[i] != '.' || !i || i == length - 1 || name[i - 1] == '.'))
			return false;
		dots += name[i] == '.';
	}
	return dots == 1 || dots == 2;
}

bool kernel_suite_holds(const struct kernel_suite *suite, const char *name)
{
	char series[32];

	if (!kernel_name_is_valid(name) || kernel_series_of(name, series, sizeof(series)))
		return false;
	if (suite->candidates != !!strstr(name, "-rc"))
		return false;
	return (!suite->first || debian_version_compare(series, suite->first) >= 0) &&
	       (!suite->last || debian_version_compare(series, suite->last) <= 0);
}

/* ---- Packages --------------------------------------------------------------------------- */

/* Copies the value if line (length bytes) is the field name. */
static void take_field(const char *line, size_t length, const char *name, char *ret, size_t size)
{
	size_t skip = strlen(name);

	if (length <= skip || strncmp(line, name, skip))
		return;
	while (skip < length && line[skip] == ' ')
		skip++;
	snprintf(ret, size, "%.*s", (int)(length - skip), line + skip);
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Is it an image of our flavour? Not -dbg, -unsigned, unsigned-, or a package of a whole series. */
static bool holds_image(const struct kernel_package *package)
{
	static const char *const start[] = { "linux-image-", "linux-binary-" };
	/* Either beginning and a digit are longer than the flavour. */
	size_t length = strlen(package->name), flavour = strlen(FLAVOUR);
	bool named = false;

	for (size_t i = 0; i < 2; i++)
		named = named || (starts_with(package->name, start[i]) &&
				  isdigit((unsigned char)package->name[strlen(start[i])]));
	return named && !strcmp(package->name + length - flavour, FLAVOUR) &&
	       package->size >= IMAGE_BYTES_MIN && package->version[0] &&
	       strlen(package->sha256) == 64;
}

static int add_package(struct kernel_package **packages, size_t *count,
		       struct kernel_package *package, struct error *error)
{
	if (!holds_image(package) ||
	    kernel_series_of(package->version, package->series, sizeof(package->series)))
		return 0;
	if (!ARRAY_ADD(*packages, *count, *package))
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	return 0;
}

int kernel_index_parse(const char *text, size_t size, struct kernel_package **ret,
		       size_t *ret_count, struct error *error)
{
	struct kernel_package package = { 0 }, *packages = NULL;
	const char *end = text + size;
	size_t count = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		char number[24] = "";

		take_field(text, length, "Package:", package.name, sizeof(package.name));
		take_field(text, length, "Version:", package.version, sizeof(package.version));
		take_field(text, length, "SHA256:", package.sha256, sizeof(package.sha256));
		take_field(text, length, "Size:", number, sizeof(number));
		if (*number)
			package.size = strtoull(number, NULL, 10);
		text += length + 1;
		if (length && text < end)
			continue;
		if (add_package(&packages, &count, &package, error)) {
			free(packages);
			return -1;
		}
		package = (struct kernel_package) { 0 };
	}
	*ret = packages;
	*ret_count = count;
	return 0;
}

/* Is package what name asks for? */
static bool package_is(const struct kernel_package *package, const char *name)
{
	size_t length = strlen(name);

	if (!strcmp(package->series, name))
		return true;
	return starts_with(package->version, name) && strchr(name, '.') != strrchr(name, '.') &&
	       (package->version[length] == '-' || package->version[length] == '~');
}

const struct kernel_package *kernel_index_choose(const struct kernel_package *packages,
						 size_t count, const char *name)
{
	const struct kernel_package *best = NULL;

	for (size_t i = 0; i < count; i++) {
		if (package_is(&packages[i], name) &&
		    (!best || debian_version_compare(packages[i].version, best->version) > 0))
			best = &packages[i];
	}
	return best;
}

void kernel_patch_level(const struct kernel_package *package, char *ret, size_t size)
{
	const char *series = package->series;

	if (strstr(series, "-rc"))
		snprintf(ret, size, "%s", series);
	else
		snprintf(ret, size, "%.*s", (int)strcspn(package->version, "-~"), package->version);
}
