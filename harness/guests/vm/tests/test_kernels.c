/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_kernels.c - which package is a series' newest kernel; no network
 *
 * The Packages text holds stanzas as Debian's suites have them, shortened to the fields that count,
 * with what must not be taken: debug symbols, unsigned images, packages that only depend.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/vm/boot_image.h"
#include "guests/vm/kernel_index.h"
#include "guests/vm/vm.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define STANZA(name, version, size)                                                                \
	"Package: " name "\nSource: linux\nVersion: " version "\nInstalled-Size: 9\n"              \
	"Depends: linux-base (>= 4.12~), Size: 7\nDescription: Version: 9.9\nSize: " size          \
	"\nSHA256: " SHA "\n\n"

static const char packages[] = STANZA("bash", "5.1-2", "14160000") STANZA(
	"linux-image-6.12.90+deb13-cloud-amd64", "6.12.90-1",
	"34245316") STANZA("linux-image-6.12.117+deb13-cloud-amd64", "6.12.117-1", "34671208")
	STANZA("linux-image-6.12.115+deb13.1-cloud-amd64", "6.12.115-2",
	       "34628144") STANZA("linux-image-6.12.115+deb13-cloud-amd64", "6.12.115-1",
				  "34622852") STANZA("linux-image-6.12.117+deb13-cloud-amd64-dbg",
						     "6.12.118-1", "319991732")
		STANZA("linux-image-6.12.117+deb13-cloud-amd64-unsigned", "6.12.118-1",
		       "34670992") STANZA("linux-image-6.12.117+deb13-amd64", "6.12.118-1",
					  "99670992") STANZA("linux-image-6.12-cloud-amd64",
							     "6.12.117-1", "1512")
			STANZA("linux-image-7.2.12+deb13-cloud-amd64", "7.2.12-1~bpo13+1", "1924")
				STANZA("linux-binary-7.2.9+deb13-cloud-amd64", "7.2.9-1~bpo13+1",
				       "13440596") STANZA("linux-binary-7.2.12+deb13-cloud-amd64",
							  "7.2.12-1~bpo13+1", "13389360")
					STANZA("linux-binary-unsigned-7.2.13+deb13-cloud-amd64",
					       "7.2.13-1", "13389360")
						STANZA("linux-binary-7.3-cloud-amd64",
						       "7.3~rc7-1~exp1", "13885624")
	/* The last one without its empty line. */
	"Package: linux-image-5.10.0-46-cloud-amd64\nVersion: 5.10.262-1\nSize: 21521796\n"
	"SHA256: " SHA;

struct choice_case {
	const char *name; /* as asked */
	const char *package;
	const char *version;
};

static const struct choice_case choices[] = {
	{ "6.12", "linux-image-6.12.117+deb13-cloud-amd64", "6.12.117-1" },
	{ "6.12.90", "linux-image-6.12.90+deb13-cloud-amd64", "6.12.90-1" },
	{ "6.12.115", "linux-image-6.12.115+deb13.1-cloud-amd64", "6.12.115-2" },
	{ "6.12.11", NULL, NULL },
	{ "6.1", NULL, NULL },
	{ "7.2", "linux-binary-7.2.12+deb13-cloud-amd64", "7.2.12-1~bpo13+1" },
	{ "7.3-rc", "linux-binary-7.3-cloud-amd64", "7.3~rc7-1~exp1" },
	{ "7.3", NULL, NULL },
	{ "5.10", "linux-image-5.10.0-46-cloud-amd64", "5.10.262-1" },
};

START_TEST(newest_of_the_series_is_chosen)
{
	const struct choice_case *test = &choices[_i];
	const struct kernel_package *chosen;
	struct kernel_package *all;
	struct error error;
	size_t count;

	ck_assert_int_eq(kernel_index_parse(packages, sizeof(packages) - 1, &all, &count, &error),
			 0);
	ck_assert_uint_eq(count, 8);
	chosen = kernel_index_choose(all, count, test->name);
	ck_assert_msg(!chosen == !test->package, "%s: %s", test->name,
		      chosen ? chosen->name : "none");
	if (chosen) {
		ck_assert_str_eq(chosen->name, test->package);
		ck_assert_str_eq(chosen->version, test->version);
		ck_assert_str_eq(chosen->sha256, SHA);
	}
	free(all);
}
END_TEST

/* Each image by its patch level's name, in the order of the text; of two revisions of one patch
 * level the newer. */
START_TEST(patch_levels_choose_their_package)
{
	static const struct {
		const char *version, *name;
		bool chosen;
	} levels[] = {
		{ "6.12.90-1", "6.12.90", true },     { "6.12.117-1", "6.12.117", true },
		{ "6.12.115-2", "6.12.115", true },   { "6.12.115-1", "6.12.115", false },
		{ "7.2.9-1~bpo13+1", "7.2.9", true }, { "7.2.12-1~bpo13+1", "7.2.12", true },
		{ "7.3~rc7-1~exp1", "7.3-rc", true }, { "5.10.262-1", "5.10.262", true },
	};
	struct kernel_package *all;
	struct error error;
	char name[64];
	size_t count;

	ck_assert_int_eq(kernel_index_parse(packages, sizeof(packages) - 1, &all, &count, &error),
			 0);
	ck_assert_uint_eq(count, sizeof(levels) / sizeof(*levels));
	for (size_t i = 0; i < count; i++) {
		kernel_patch_level(&all[i], name, sizeof(name));
		ck_assert_str_eq(all[i].version, levels[i].version);
		ck_assert_str_eq(name, levels[i].name);
		ck_assert(kernel_name_is_valid(name));
		ck_assert_msg((kernel_index_choose(all, count, name) == &all[i]) ==
				      levels[i].chosen,
			      "%s", levels[i].version);
	}
	free(all);
}
END_TEST

static void check_whole(const struct kernel_package *package, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ck_assert_msg(strlen(package[i].sha256) == 64, "%s: SHA256 %s", package[i].name,
			      package[i].sha256);
		ck_assert(package[i].name[0] && package[i].version[0] && package[i].size);
	}
}

/* Any prefix and any damaged byte: no crash, and no package that is not whole. */
START_TEST(damaged_index_is_survived)
{
	size_t size = sizeof(packages) - 1, count;
	struct kernel_package *all;
	struct error error;
	FREED char *copy = malloc(size);

	for (size_t i = 0; i < size; i++) {
		memcpy(copy, packages, size);
		copy[i] = '\n';
		ck_assert_int_eq(kernel_index_parse(copy, size, &all, &count, &error), 0);
		ck_assert_uint_le(count, 9);
		check_whole(all, count);
		free(all);
		ck_assert_int_eq(kernel_index_parse(packages, i, &all, &count, &error), 0);
		ck_assert_uint_le(count, 8);
		check_whole(all, count);
		free(all);
	}
}
END_TEST

static const struct {
	const char *smaller;
	const char *bigger;
} versions[] = {
	{ "5.10.251-5", "5.10.262-1" },
	{ "5.10.99-1", "5.10.100-1" },
	{ "6.1.192-1", "6.1.192-2" },
	{ "6.12.115-2~deb12u1", "6.12.115-2" },
	{ "7.3~rc7-1~exp1", "7.3-1" },
	{ "7.3~rc7-1~exp1", "7.3~rc10-1~exp1" },
	{ "7.2.12-1~bpo13+1", "7.2.12-1" },
	{ "6.1.9-1", "6.1.9-1+b1" },
	{ "9.9-1", "1:1.0-1" },
	{ "5.10", "5.10.0" },
	{ "1.0a", "1.0+" },
};

START_TEST(versions_are_ordered)
{
	const char *smaller = versions[_i].smaller, *bigger = versions[_i].bigger;

	ck_assert_int_lt(debian_version_compare(smaller, bigger), 0);
	ck_assert_int_gt(debian_version_compare(bigger, smaller), 0);
	ck_assert_int_eq(debian_version_compare(smaller, smaller), 0);
}
END_TEST

START_TEST(leading_zeros_do_not_count)
{
	ck_assert_int_eq(debian_version_compare("1.001-1", "1.1-1"), 0);
}
END_TEST

static const struct {
	const char *name;
	bool valid;
	const char *suite; /* the first that may hold it */
} names[] = {
	{ "5.10", true, "bullseye-security" },
	{ "6.1", true, "bookworm-security" },
	{ "6.12", true, "trixie-security" },
	{ "6.12.90", true, "trixie-security" },
	{ "6.16", true, "trixie-backports" },
	{ "7.2", true, "trixie-backports" },
	{ "7.3-rc", true, "experimental" },
	{ "5.9", true, NULL },
	{ "6.2", true, NULL },
	{ "7", false, NULL },
	{ "7.", false, NULL },
	{ ".7", false, NULL },
	{ "7..2", false, NULL },
	{ "7.2.1.1", false, NULL },
	{ "", false, NULL },
	{ "-rc", false, NULL },
	{ "latest", false, NULL },
	{ "5.10;id", false, NULL },
	{ "../5.10", false, NULL },
};

START_TEST(names_lead_to_suites)
{
	const struct kernel_suite *suite = NULL;

	ck_assert_msg(kernel_name_is_valid(names[_i].name) == names[_i].valid, "%s",
		      names[_i].name);
	for (size_t i = 0; (suite = kernel_suite_at(i)); i++) {
		if (kernel_suite_holds(suite, names[_i].name))
			break;
	}
	ck_assert_msg(!suite == !names[_i].suite, "%s: %s", names[_i].name,
		      suite ? suite->name : "none");
	if (suite)
		ck_assert_str_eq(suite->name, names[_i].suite);
	/* None of them is in the cache. */
	setenv("STACKPROOF_CACHE", "/nowhere", 1);
	ck_assert_msg(kernel_is_possible(names[_i].name) == !!suite, "%s", names[_i].name);
	unsetenv("STACKPROOF_CACHE");
}
END_TEST

START_TEST(path_that_is_no_image_is_refused)
{
	struct kernel kernel;
	struct error error = { 0 };

	ck_assert_int_eq(kernel_get("/bin/ls", &kernel, &error), -1);
	ck_assert_msg(strstr(error.message, "not a bzImage") != NULL, "%s", error.message);
	ck_assert_int_eq(kernel_get("/nonexistent/bzImage", &kernel, &error), -1);
	ck_assert_int_eq(kernel_get("latest", &kernel, &error), -1);
}
END_TEST

/* Nothing is asked without apt-get, and what is in the cache alone is listed: here nothing. */
START_TEST(nothing_can_be_listed)
{
	char folder[] = "/tmp/test_kernels.XXXXXX", path[64];
	struct kernel *kernels = NULL;
	struct error error = { 0 };
	size_t count = 1;
	int before = dup(STDIN_FILENO);

	close(before);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "mkdir -p %s/kernels/by-name", folder);
	ck_assert(!system(path));
	setenv("STACKPROOF_CACHE", folder, 1);
	setenv("PATH", "/nowhere", 1);
	ck_assert_int_eq(kernels_list(false, &kernels, &count, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert(!kernels && !count);
	int after = dup(STDIN_FILENO);
	ck_assert_int_eq(after, before);
	close(after);
	snprintf(path, sizeof(path), "/bin/rm -r %s", folder);
	ck_assert(!system(path));
}
END_TEST

/* A header that lies about everything: refused, never read out of bounds. */
START_TEST(lying_boot_image_is_refused)
{
	char path[] = "/tmp/test_kernels.XXXXXX", version[64];
	unsigned char image[2048] = { 0 };
	int fd = mkstemp(path), unpacked = -1;
	struct error error = { 0 };
	FILE *file = fdopen(fd, "w");

	memcpy(image + 0x202, "HdrS", 4);
	image[0x207] = 2; /* protocol 2.15 */
	image[0x206] = 15;
	memset(image + 0x20e, 0xff, 2); /* the version string */
	memset(image + 0x248, 0xff, 8); /* the payload */
	ck_assert_uint_eq(fwrite(image, 1, sizeof(image), file), sizeof(image));
	fclose(file);
	ck_assert_int_eq(boot_image_version(path, version, sizeof(version), &error), -1);
	ck_assert_int_eq(boot_image_unpack(path, &unpacked, &error), -1);
	unlink(path);
	error.code = ERROR_NONE;
	ck_assert_int_eq(boot_image_version(path, version, sizeof(version), &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_msg(strstr(error.message, path) != NULL, "%s", error.message);
}
END_TEST

SUITE(kernels, LOOP(newest_of_the_series_is_chosen, choices),
      TEST(patch_levels_choose_their_package), TEST(damaged_index_is_survived),
      LOOP(versions_are_ordered, versions), TEST(leading_zeros_do_not_count),
      LOOP(names_lead_to_suites, names), TEST(path_that_is_no_image_is_refused),
      TEST(nothing_can_be_listed), TEST(lying_boot_image_is_refused))
