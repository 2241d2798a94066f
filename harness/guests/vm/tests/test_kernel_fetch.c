/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_kernel_fetch.c - a kernel's way from a mirror into the cache; no network
 *
 * A shell script stands in for apt-get: it is the first of that name in PATH, and its archive is a
 * folder. It says no to what is not private, as apt would change the machine then. The packages are
 * made here, as deb(5) has them, with an image that is a header only.
 */
#include "tests/suite.h"
#include "kernel_archive.h"

/* ---- mirrors ------------------------------------------------------------------------------ */

static const struct mirror_case {
	const char *name;
	const char *uris;
	const char *kernel; /* 6.12: of the security archive; 6.16: of the main one */
	const char *asked;  /* mirrors, one after another */
	const char *message;
} mirrors[] = {
	{ "main_archive", MAIN_MIRROR, "6.16", "http://m/debian trixie-backports\n",
	  "trixie-backports: no http://m/debian" },
	{ "security_archive_beside_the_main_one", MAIN_MIRROR, "6.12",
	  "http://m/debian-security trixie-security\n", "no http://m/debian-security" },
	{ "security_archive_that_is_named_comes_first",
	  MAIN_MIRROR URI("http://s/x", "trixie-security"), "6.12",
	  "http://s/x trixie-security\nhttp://m/debian-security trixie-security\n",
	  "no http://m/debian-security" },
	{ "security_archive_is_no_main_one",
	  URI("http://s/x", "trixie-security") URI("http://o/x", "bullseye/updates") MAIN_MIRROR,
	  "6.16", "http://m/debian trixie-backports\n", "no http://m/debian" },
	{ "updates_of_old_are_security", URI("http://o/x", "bullseye/updates"), "6.12",
	  "http://o/x trixie-security\n", "no http://o/x" },
	{ "each_once",
	  MAIN_MIRROR URI("http://m/debian", "trixie-updates") URI("http://m/debian/", "sid")
		  URI("http://n/debian", "sid"),
	  "6.16", "http://m/debian trixie-backports\nhttp://n/debian trixie-backports\n",
	  "no http://n/debian" },
	{ "one_is_the_others_beginning",
	  URI("http://m/debian", "sid") URI("http://m/deb", "sid") URI("http://m/debiax", "sid"),
	  "6.16",
	  "http://m/debian trixie-backports\nhttp://m/deb trixie-backports\n"
	  "http://m/debiax trixie-backports\n",
	  "no http://m/debiax" },
	{ "no_sibling_of_another_name",
	  URI("http://m/mirror", "sid") URI("http://m/debian2", "sid") URI("ftp:/x", "sid"), "6.12",
	  "", "name no mirror of Debian's security archive" },
	{ "another_distribution", URI("http://u/ubuntu", "jammy") URI("http://u/x", "trix"), "6.16",
	  "", "name no mirror of Debian" },
	{ "name_that_only_begins_like_it", URI("http://u/x", "trixieish") URI("/", "sid"), "6.16",
	  "", "name no mirror of Debian" },
	{ "no_uri",
	  "Reading lists\n'\n'http://m/debian/dists/trixie/Release' x\n'http://m/InRelease' x\n"
	  "http://m/debian/dists/trixie/InRelease' x\n\n'http://m/dists/trixie\n",
	  "6.16", "", "name no mirror of Debian" },
	{ "among_other_lines", "Reading lists\n\n" MAIN_MIRROR "Done\n", "6.16",
	  "http://m/debian trixie-backports\n", "no http://m/debian" },
	{ "last_line_without_its_end", "'http://m/debian/dists/sid/InRelease' x", "6.16",
	  "http://m/debian trixie-backports\n", "no http://m/debian" },
};

START_TEST(mirrors_are_the_machines_own)
{
	const struct mirror_case *c = &mirrors[_i];
	struct error error = { 0 };
	struct kernel kernel;
	write_text("uris", c->uris);
	ck_assert_int_eq(kernel_get(c->kernel, &kernel, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(error.message, c->message) != NULL, "%s: %s", c->name, error.message);
	ck_assert(!strstr(error.message, "not asked"));
	ck_assert_msg(!strcmp(read_archive("updates"), c->asked), "%s: asked %s", c->name,
		      read_archive("updates"));
}
END_TEST

/* No more than eight are asked, and none of too long a name: that is said. */
START_TEST(mirrors_that_are_not_asked_are_counted)
{
	char uris[8192], long_name[600];
	struct error error = { 0 };
	struct kernel kernel;
	int used = 0;

	memset(long_name, 'x', sizeof(long_name));
	for (int length = 511; length <= 512; length++)
		used += snprintf(uris + used, sizeof(uris) - (size_t)used,
				 "'%.*s/dists/sid/InRelease' x\n", length, long_name);
	for (int i = 1; i <= 9; i++)
		used += snprintf(uris + used, sizeof(uris) - (size_t)used,
				 "'http://%d/dists/sid/InRelease' x\n", i);
	write_text("uris", uris);
	ck_assert_int_eq(kernel_get("6.16", &kernel, &error), -1);
	ck_assert_msg(strstr(error.message, "no http://7; 3 more mirrors were not asked") != NULL,
		      "%s", error.message);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(read_archive("updates"), "http://1 ") != NULL &&
			      strstr(read_archive("updates"), "http://7 ") != NULL &&
			      !strstr(read_archive("updates"), "http://8 "),
		      "%s", read_archive("updates"));
}
END_TEST

START_TEST(apt_says_why_there_is_no_mirror)
{
	struct error error = { 0 };
	struct kernel kernel;
	write_text("uris", "");
	write_text("broken", "");
	ck_assert_int_eq(kernel_get("6.16", &kernel, &error), -1);
	ck_assert_msg(strstr(error.message, "no mirror of Debian: broken sources") != NULL, "%s",
		      error.message);
	/* What it could say is used. */
	write_text("uris", MAIN_MIRROR);
	ck_assert_int_eq(kernel_get("6.16", &kernel, &error), -1);
	ck_assert_msg(strstr(error.message, "no http://m/debian") != NULL, "%s", error.message);
	setenv("PATH", "/nonexistent", 1);
	ck_assert_int_eq(kernel_get("6.16", &kernel, &error), -1);
	ck_assert_msg(strstr(error.message, "apt-get: No such file") != NULL, "%s", error.message);
}
END_TEST

/* ---- fetching ----------------------------------------------------------------------------- */

#define NEW_PACKAGE "linux-image-6.16.3+deb13-cloud-amd64"
#define OLD_PACKAGE "linux-image-6.16.2+deb13-cloud-amd64"
#define OLD_STANZA  STANZA(OLD_PACKAGE, "6.16.2-1")
#define NEW_STANZA  STANZA(NEW_PACKAGE, "6.16.3-1")
#define INDEX	    "m_debian_trixie-backports"

static void check_kernel(const struct kernel *kernel, const char *name, const char *version,
			 const char *package)
{
	char image[512];

	ck_assert_str_eq(kernel->name, name);
	ck_assert_str_eq(kernel->version, version);
	ck_assert_str_eq(kernel->package, package);
	snprintf(image, sizeof(image), "%s/cache/kernels/%s/vmlinuz", folder, version);
	ck_assert_str_eq(kernel->image, image);
	ck_assert(!access(image, R_OK));
}

START_TEST(kernel_is_fetched_once)
{
	struct error error = { 0 };
	struct kernel kernel;
	close(STDIN_FILENO), write_text("uris", URI("http://l/debian", "sid")
							MAIN_MIRROR URI("http://n/debian", "sid"));
	write_text(INDEX, OLD_STANZA);
	write_kernel("6.16.2-1", "6.16.2-own");
	ck_assert_msg(!kernel_get("6.16", &kernel, &error), "%s", error.message);
	check_kernel(&kernel, "6.16", "6.16.2-own", OLD_PACKAGE " 6.16.2-1");
	/* The first mirror that has it: the one behind is not asked. */
	ck_assert_str_eq(read_archive("updates"),
			 "http://l/debian trixie-backports\nhttp://m/debian trixie-backports\n");
	ck_assert_str_eq(read_archive("downloads"), OLD_PACKAGE "=6.16.2-1\n");
	ck_assert_str_eq(read_archive("cache/kernels/6.16.2-own/origin"),
			 "package: " OLD_PACKAGE "\nversion: 6.16.2-1\nsha256: " SHA
			 "\nsuite: trixie-backports\nmirror: http://m/debian\n");
	/* Now it is there: what the archive has since then is asked for by a refresh only. */
	write_text(INDEX, NEW_STANZA OLD_STANZA);
	write_kernel("6.16.3-1", "6.16.3-own");
	write_text("updates", "");
	ck_assert(!kernel_get("6.16", &kernel, &error));
	check_kernel(&kernel, "6.16", "6.16.2-own", OLD_PACKAGE " 6.16.2-1");
	ck_assert_str_eq(read_archive("updates"), "");
	ck_assert(!kernel_refresh("6.16", &kernel, &error));
	check_kernel(&kernel, "6.16", "6.16.3-own", NEW_PACKAGE " 6.16.3-1");
	write_text("downloads", "");
	ck_assert(!kernel_refresh("6.16", &kernel, &error));
	check_kernel(&kernel, "6.16", "6.16.3-own", NEW_PACKAGE " 6.16.3-1");
	ck_assert_str_eq(read_archive("downloads"), "");
	write_text(INDEX, STANZA(NEW_PACKAGE, "6.16.3-10")),
		write_kernel("6.16.3-10", "6.16.3-own");
	ck_assert(!kernel_refresh("6.16", &kernel, &error)); /* begins like what is cached */
	check_kernel(&kernel, "6.16", "6.16.3-own", NEW_PACKAGE " 6.16.3-10");
	write_text(INDEX, NEW_STANZA);
	write_kernel("6.16.3-1", "6.16.3-own");
	ck_assert(!kernel_refresh("6.16", &kernel, &error)); /* what is cached begins like it */
	check_kernel(&kernel, "6.16", "6.16.3-own", NEW_PACKAGE " 6.16.3-1");
	write_text(INDEX, NEW_STANZA OLD_STANZA);
	ck_assert(!kernel_get("6.16.2", &kernel, &error));
	check_kernel(&kernel, "6.16.2", "6.16.2-own", OLD_PACKAGE " 6.16.2-1");
	write_text(INDEX, "");
	ck_assert_int_eq(kernel_refresh("6.16", &kernel, &error), -1);
}
END_TEST

/* Of several kernels each is what it is: a path has no package, and what lies about is no download. */
START_TEST(second_kernel_has_nothing_of_the_first)
{
	struct error error = { 0 };
	struct kernel kernel;
	char image[512];

	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, NEW_STANZA OLD_STANZA);
	write_kernel("6.16.2-1", "6.16.2-own");
	write_kernel("6.16.3-1", "6.16.3-own");
	ck_assert_msg(!kernel_get("6.16.2", &kernel, &error), "%s", error.message);
	check_kernel(&kernel, "6.16.2", "6.16.2-own", OLD_PACKAGE " 6.16.2-1");
	strcpy(image, kernel.image);
	write_text("cache/apt/trixie-backports/download/left.deb", "of another time");
	ck_assert_msg(!kernel_get("6.16", &kernel, &error), "%s", error.message);
	check_kernel(&kernel, "6.16", "6.16.3-own", NEW_PACKAGE " 6.16.3-1");
	ck_assert_msg(!kernel_get(image, &kernel, &error), "%s", error.message);
	check_kernel(&kernel, image, "6.16.2-own", "");
	ck_assert(!kernel_get("6.16.2", &kernel, &error));
	check_kernel(&kernel, "6.16.2", "6.16.2-own", OLD_PACKAGE " 6.16.2-1");
	/* Nor is a candidate asked for again. */
	write_text("m_debian_experimental",
		   STANZA("linux-binary-7.3-cloud-amd64", "7.3~rc7-1~exp1"));
	write_kernel("7.3~rc7-1~exp1", "7.3-own");
	for (int again = 0; again < 2; again++) {
		write_text("updates", "");
		ck_assert_msg(!kernel_get("7.3-rc", &kernel, &error), "%s", error.message);
		check_kernel(&kernel, "7.3-rc", "7.3-own",
			     "linux-binary-7.3-cloud-amd64 7.3~rc7-1~exp1");
		ck_assert_int_eq(!read_archive("updates")[0], again);
	}
	/* One that can't be had is not the one before. */
	ck_assert_int_eq(kernel_get("6.16.9", &kernel, &error), -1);
	ck_assert_str_eq(kernel.image, "");
	ck_assert_str_eq(kernel.package, "");
}
END_TEST

/* What is not whole in the cache is fetched again. */
START_TEST(damaged_cache_is_mended)
{
	static const char *const damages[] = { "rm %s/by-name/6.16", "rm %s/6.16.2-own/vmlinuz",
					       "rm %s/6.16.2-own/origin",
					       "cd %s && : >by-name/6.16 && cp 6.16.2-own/* .",
					       "echo ../6.16.2-own >%s/by-name/6.16" };
	struct error error = { 0 };
	struct kernel kernel;
	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, OLD_STANZA);
	write_kernel("6.16.2-1", "6.16.2-own");
	ck_assert(!kernel_get("6.16", &kernel, &error));
	for (int i = 0; i < COUNT(damages); i++) {
		char kernels[128], command[256];

		snprintf(kernels, sizeof(kernels), "%s/cache/kernels", folder);
		snprintf(command, sizeof(command), damages[i], kernels);
		ck_assert_int_eq(system(command), 0);
		write_text("downloads", "");
		ck_assert_msg(!kernel_get("6.16", &kernel, &error), "%s: %s", damages[i],
			      error.message);
		check_kernel(&kernel, "6.16", "6.16.2-own", OLD_PACKAGE " 6.16.2-1");
		ck_assert_msg(!strcmp(read_archive("downloads"), OLD_PACKAGE "=6.16.2-1\n"), "%s",
			      damages[i]);
	}
}
END_TEST

/* Nobody holds it: the name is wrong, and not the machine. */
START_TEST(kernel_that_no_suite_holds)
{
	struct error error = { 0 };
	struct kernel kernel;

	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, OLD_STANZA);
	ck_assert_int_eq(kernel_get("6.17", &kernel, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_msg(strstr(error.message, "no Debian suite holds a kernel 6.17 now") != NULL,
		      "%s", error.message);
	ck_assert_int_eq(kernel_get("4.19", &kernel, &error), -1);
	ck_assert_msg(strstr(error.message, "is known to hold a kernel 4.19") != NULL, "%s",
		      error.message);
	ck_assert_str_eq(read_archive("downloads"), "");
	ck_assert_int_eq(kernel_refresh("latest", &kernel, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(error.message, "latest is neither a kernel series") != NULL, "%s",
		      error.message);
}
END_TEST

/* It is the cache that is at fault, and no suite. */
START_TEST(cache_whose_path_is_too_long)
{
	char path[1024], part[202];
	struct error error = { 0 };
	struct kernel kernel;

	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, OLD_STANZA);
	write_kernel("6.16.2-1", "6.16.2-own");
	memset(part, 'p', sizeof(part) - 1);
	part[0] = '/';
	part[sizeof(part) - 1] = '\0';
	snprintf(path, sizeof(path), "%s%s%s%s", folder, part, part, part);
	setenv("STACKPROOF_CACHE", path, 1);
	ck_assert_int_eq(kernel_get("6.16", &kernel, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(error.message, "kernel 6.16 was fetched, and the cache") != NULL, "%s",
		      error.message);
}
END_TEST

/* Without asking anybody: a suite's, or one that was fetched in its day. */
START_TEST(possible_kernels)
{
	struct error error = { 0 };
	struct kernel kernel;

	ck_assert(kernel_is_possible("6.16") && kernel_is_possible("7.3-rc"));
	ck_assert(!kernel_is_possible("4.19") && !kernel_is_possible("latest"));
	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, OLD_STANZA);
	write_kernel("6.16.2-1", "6.16.2-own");
	ck_assert(!kernel_get("6.16", &kernel, &error));
	write_text("cache/kernels/by-name/4.19", "6.16.2-own");
	ck_assert(kernel_is_possible("4.19"));
	ck_assert(!kernel_get("4.19", &kernel, &error));
	/* A path is no name, were it one to a kernel. */
	ck_assert(!kernel_is_possible("../by-name/4.19"));
}
END_TEST

#define CONTENT(...) .content = { __VA_ARGS__ }

static const struct package_case {
	const char *name;
	const char *data;
	struct content content[3];
	size_t cut;
	const char *message; /* NULL: it is taken */
} debs[] = {
	{ "in_boot", "data.tar.xz", CONTENT({ "./boot/vmlinuz-6.16.2-own", "6.16.2-own", 0, NULL }),
	  0, NULL },
	{ "among_modules", "data.tar.xz",
	  CONTENT({ "./usr/lib/modules/6.16.2-own/kernel", NULL, 0, NULL },
		  { "./usr/lib/modules/6.16.2-own/vmlinuz", "6.16.2-own", 0, NULL }),
	  0, NULL },
	{ "at_the_top", "data.tar", CONTENT({ "vmlinuz", "6.16.2-own", 0, NULL }), 0, NULL },
	{ "link_is_no_kernel", "data.tar.xz",
	  CONTENT({ "./vmlinuz", NULL, S_IFLNK, NULL },
		  { "./boot/vmlinuz-6", "6.16.2-own", 0, NULL }),
	  0, NULL },
	{ "other_files_are_none", "data.tar.xz",
	  CONTENT({ "./usr/vmlinuz-6.16.2-own", "6.16.2-own", 0, NULL },
		  { "./boot/vmlinux-6.16.2-own", "6.16.2-own", 0, NULL },
		  { "./boot/vmlinuz", NULL, S_IFDIR, NULL }),
	  0, "holds no kernel image" },
	{ "nothing_in_it", "data.tar.xz", CONTENT({ NULL, NULL, 0, NULL }), 0,
	  "holds no kernel image" },
	{ "no_data", "data.zip", CONTENT({ "boot/vmlinuz-6", "6.16.2-own", 0, NULL }), 0,
	  "has no data.tar" },
	{ "cut", "data.tar.xz", CONTENT({ "boot/vmlinuz-6", "6.16.2-own", 0, NULL }), 60,
	  "is damaged: " },
	{ "no_image", "data.tar.xz", CONTENT({ "boot/vmlinuz-6", NULL, 0, NULL }), 0,
	  "not a bzImage" },
	{ "no_version", "data.tar.xz", CONTENT({ "boot/vmlinuz-6", "", 0, NULL }), 0,
	  "no version string" },
	{ "path_for_a_version", "data.tar.xz", CONTENT({ "boot/vmlinuz-6", "6/../../..", 0, NULL }),
	  0, "no file name: 6/../../.." },
	{ "hidden_file_for_a_version", "data.tar.xz", CONTENT({ "boot/vmlinuz-6", "..", 0, NULL }),
	  0, "no file name: .." },
};

START_TEST(image_is_found_in_its_package)
{
	const struct package_case *c = &debs[_i];
	struct error error = { 0 };
	struct kernel kernel;
	char command[128];
	int status;

	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, OLD_STANZA);
	write_deb("6.16.2-1", c->data, c->content, COUNT(c->content), c->cut);
	status = kernel_get("6.16", &kernel, &error);
	ck_assert_msg(!status == !c->message, "%s: %s", c->name, error.message);
	ck_assert_msg(!c->message || strstr(error.message, c->message) != NULL, "%s: %s", c->name,
		      error.message);
	if (!status)
		check_kernel(&kernel, "6.16", "6.16.2-own", OLD_PACKAGE " 6.16.2-1");
	/* Neither the package nor half an image stays. */
	snprintf(command, sizeof(command), "test -z \"$(ls %s/cache/apt/*/download)\"", folder);
	ck_assert_msg(!system(command), "%s: something was left", c->name);
}
END_TEST

/* apt's own failures, and what it may leave undone without one. */
START_TEST(failed_download_is_said)
{
	static const char *const files[] = { "unused", "unindexed", "6.16.2-1.deb", "nothing" };
	static const char *const says[] = { "apt-get download " OLD_PACKAGE ": no " OLD_PACKAGE
					    "=6.16.2-1",
					    "apt brought no index into ",
					    "/6.16.2-1.deb: ", "apt-get brought no " OLD_PACKAGE };
	struct error error = { 0 };
	struct kernel kernel;
	char path[128];

	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, OLD_STANZA);
	if (_i == 3)
		write_kernel("6.16.2-1", "6.16.2-own");
	write_text(files[_i], _i == 2 ? "no archive" : "");
	ck_assert_int_eq(kernel_get("6.16", &kernel, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(error.message, says[_i]) != NULL, "%s", error.message);
	/* Nothing of it is left when all is well again. */
	snprintf(path, sizeof(path), "%s/%s", folder, files[_i]);
	unlink(path);
	write_kernel("6.16.2-1", "6.16.2-own");
	ck_assert_msg(!kernel_get("6.16", &kernel, &error), "%s", error.message);
}
END_TEST

/* ---- listing ------------------------------------------------------------------------------ */

/* name, version, "-" or "*" if it is cached, a line each */
static const char *listed(bool patch_levels, int status)
{
	static char text[1024];
	struct kernel *kernels;
	struct error error = { 0 };
	size_t count;
	int used = 0;
	ck_assert_int_eq(kernels_list(patch_levels, &kernels, &count, &error), status);
	ck_assert_int_eq(!status, !error.code);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s %s %s %s\n",
				 kernels[i].name, kernels[i].version, kernels[i].package,
				 kernels[i].image[0] ? "*" : "-");
	free(kernels);
	return text;
}

static void write_all_suites(void)
{
	write_text("uris", MAIN_MIRROR);
	write_text(INDEX, NEW_STANZA OLD_STANZA
				  /* Another suite's, and not the one of this archive. */
				  STANZA("linux-image-6.12.9+deb13-cloud-amd64", "6.12.9-1"));
	write_text("m_debian-security_bullseye-security", "");
	write_text("m_debian-security_bookworm-security", "");
	write_text("m_debian-security_trixie-security",
		   STANZA("linux-image-6.12.8+deb13-cloud-amd64", "6.12.8-1"));
	write_text("m_debian_experimental",
		   STANZA("linux-binary-7.3-cloud-amd64", "7.3~rc7-1~exp1"));
}

#define LIST_6_12 "6.12.8+deb13-cloud-amd64 linux-image-6.12.8+deb13-cloud-amd64 6.12.8-1 -\n"
#define LIST_7_3  "7.3-rc 7.3-cloud-amd64 linux-binary-7.3-cloud-amd64 7.3~rc7-1~exp1 -\n"

START_TEST(list_has_every_suites)
{
	struct error error = { 0 };
	struct kernel kernel;

	write_all_suites();
	ck_assert_str_eq(listed(false, 0),
			 "6.12 " LIST_6_12 "6.16 6.16.3+deb13-cloud-amd64 " NEW_PACKAGE
			 " 6.16.3-1 -\n" LIST_7_3);
	ck_assert_str_eq(listed(true, 0),
			 "6.12.8 " LIST_6_12 "6.16.2 6.16.2+deb13-cloud-amd64 " OLD_PACKAGE
			 " 6.16.2-1 -\n6.16.3 6.16.3+deb13-cloud-amd64 " NEW_PACKAGE
			 " 6.16.3-1 -\n" LIST_7_3);
	/* Of one that is cached, what it says itself. */
	write_kernel("6.16.3-1", "6.16.3-own");
	ck_assert_msg(!kernel_get("6.16", &kernel, &error), "%s", error.message);
	ck_assert_str_eq(listed(false, 0),
			 "6.12 " LIST_6_12 "6.16 6.16.3-own " NEW_PACKAGE " 6.16.3-1 *\n" LIST_7_3);
	/* And not, if the archive has a newer one. */
	write_text(INDEX, STANZA("linux-image-6.16.4-cloud-amd64", "6.16.4-1"));
	ck_assert_str_eq(
		listed(false, 0),
		"6.12 " LIST_6_12
		"6.16 6.16.4-cloud-amd64 linux-image-6.16.4-cloud-amd64 6.16.4-1 -\n" LIST_7_3);
}
END_TEST

/* An archive that does not answer: what was fetched is there. */
START_TEST(list_of_what_is_cached)
{
	struct error error = { 0 };
	struct kernel kernel;
	char path[128];

	write_all_suites();
	write_kernel("6.16.3-1", "6.16.3-own");
	write_kernel("6.16.2-1", "6.16.2-own");
	ck_assert(!kernel_get("6.16", &kernel, &error));
	ck_assert(!kernel_get("6.16.2", &kernel, &error));
	ck_assert(!kernel_get("6.16.3", &kernel, &error));
	/* Not ours, and one that is gone. */
	write_text("cache/kernels/by-name/.6.16.XXXX", "6.16.3-own");
	write_text("cache/kernels/by-name/5.10", "5.10.0-own");
	write_text("cache/kernels/by-name/7.3-rc", "6.16.2-own");
	write_text("cache/kernels/6.16.2-own/origin", "package: a\nversion: b\nversions: c\n");
	write_text("uris", "");
	ck_assert_str_eq(listed(false, 1), "6.16 6.16.3-own " NEW_PACKAGE " 6.16.3-1 *\n"
					   "7.3-rc 6.16.2-own a b *\n");
	ck_assert_str_eq(listed(true, 1), "6.16 6.16.3-own " NEW_PACKAGE " 6.16.3-1 *\n"
					  "6.16.2 6.16.2-own a b *\n"
					  "6.16.3 6.16.3-own " NEW_PACKAGE " 6.16.3-1 *\n"
					  "7.3-rc 6.16.2-own a b *\n");
	/* One that does not answer alone: what the others said is not said twice. */
	write_all_suites();
	write_text("cache/kernels/by-name/6.12", "6.16.2-own");
	snprintf(path, sizeof(path), "%s/m_debian_experimental", folder);
	ck_assert(!unlink(path));
	snprintf(path, sizeof(path), "%s/cache/kernels/by-name/7.3-rc", folder);
	ck_assert(!unlink(path));
	ck_assert_str_eq(listed(false, 1),
			 "6.12 " LIST_6_12 "6.16 6.16.3-own " NEW_PACKAGE " 6.16.3-1 *\n");
	setenv("STACKPROOF_CACHE", "/dev/null", 1);
	write_text("uris", "");
	ck_assert_str_eq(listed(false, -1), "");
}
END_TEST

SUITE_MAIN(kernel_fetch)
{
	Suite *suite = suite_create("kernel_fetch");
	TCase *tests = tcase_create("kernel_fetch");

	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, possible_kernels);
	/* Nothing is asked of an archive that could not be verified. */
	if (access(KEYRING ".gpg", R_OK) && access(KEYRING ".pgp", R_OK)) {
		fprintf(stderr, "no %s.gpg: most cases are left out\n", KEYRING);
	} else {
		tcase_add_loop_test(tests, mirrors_are_the_machines_own, 0, COUNT(mirrors));
		tcase_add_test(tests, mirrors_that_are_not_asked_are_counted);
		tcase_add_test(tests, apt_says_why_there_is_no_mirror);
		tcase_add_test(tests, kernel_is_fetched_once);
		tcase_add_test(tests, second_kernel_has_nothing_of_the_first);
		tcase_add_test(tests, damaged_cache_is_mended);
		tcase_add_test(tests, kernel_that_no_suite_holds);
		tcase_add_test(tests, cache_whose_path_is_too_long);
		tcase_add_loop_test(tests, image_is_found_in_its_package, 0, COUNT(debs));
		tcase_add_loop_test(tests, failed_download_is_said, 0, 4);
		tcase_add_test(tests, list_has_every_suites);
		tcase_add_test(tests, list_of_what_is_cached);
	}
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
