/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * kernels.c - names -> kernel images, fetched through apt and cached
 *
 * "5.10" is the newest kernel of that series in Debian (kernel_index.c says where), "6.12.90" one
 * patch level of it, and a name with a slash is the path of a bzImage. The cache holds
 *
 *	kernels/VERSION/vmlinuz		the image
 *	kernels/VERSION/origin		package, version, its SHA-256, suite and mirror
 *	kernels/by-name/NAME		VERSION: what the name meant when it was fetched
 *
 * by-name is written last, so what it names is complete; and a name that is there is used without
 * the network, so results stay comparable until somebody asks for a newer kernel (kernel_refresh).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "apt.h"
#include "boot_image.h"
#include "cache.h"
#include "deb.h"
#include "vm.h"

#define ORIGIN_MAX 2048

/* ---- the cache -------------------------------------------------------------------------- */

static int path_of(const char *directory, const char *name, char *ret, struct error *error)
{
	char relative[256];

	snprintf(relative, sizeof(relative), "kernels/%s%s%s", directory, *directory ? "/" : "",
		 name);
	return cache_path(relative, ret, PATH_MAX, error);
}

static int set_image(struct kernel *kernel, const char *path, struct error *error)
{
	if (strlen(path) >= sizeof(kernel->image))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: path too long", path);
	strcpy(kernel->image, path);
	return 0;
}

/* The value of "key: value" in text; "" if there is none. */
static void origin_field(const char *text, const char *key, char *ret, size_t size)
{
	size_t length = strlen(key);

	*ret = '\0';
	for (const char *line = text; *line;) {
		size_t line_length = strcspn(line, "\n");

		if (line_length > length + 2 && !strncmp(line, key, length) &&
		    !strncmp(line + length, ": ", 2))
			snprintf(ret, size, "%.*s", (int)(line_length - length - 2),
				 line + length + 2);
		line += line_length + (line[line_length] == '\n');
	}
}

/* Fills ret from the cache. -1: name is not there (or no longer whole). */
static int find_cached(const char *name, struct kernel *ret)
{
	char path[PATH_MAX], origin[ORIGIN_MAX], package[96], version[64];
	struct error ignored;

	*ret = (struct kernel) { 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (path_of("by-name", name, path, &ignored) ||
	    read_small_file(path, ret->version, sizeof(ret->version)) || !ret->version[0] ||
	    strchr(ret->version, '/') || path_of(ret->version, "origin", path, &ignored) ||
	    read_small_file(path, origin, sizeof(origin)) ||
	    path_of(ret->version, "vmlinuz", path, &ignored) || access(path, R_OK))
		return -1;
	origin_field(origin, "package", package, sizeof(package));
	origin_field(origin, "version", version, sizeof(version));
	/* The last good fetch says what version it was; the file may be from a later one. */
	snprintf(ret->package, sizeof(ret->package), "%.90s %.36s", package, version);
	return set_image(ret, path, &ignored);
}

/* Puts image (a file in the cache, moved away) and its origin where find_cached looks. */
static int store(const char *name, const char *image, const struct kernel_package *package,
		 const struct kernel_suite *suite, const char *mirror, struct error *error)
{
	char version[128], path[PATH_MAX], origin[ORIGIN_MAX];

	if (boot_image_version(image, version, sizeof(version), error))
		return -1;
	if (strchr(version, '/') || version[0] == '.')
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the kernel's version is no file name: %.100s", version);
	if (path_of("", version, path, error) || make_directories(path, error) ||
	    path_of("", "by-name", path, error) || make_directories(path, error) ||
	    path_of(version, "vmlinuz", path, error))
		return -1;
	if (rename(image, path))
		return error_set_errno(error, "can't write %.150s", path);
	snprintf(origin, sizeof(origin),
		 "package: %s\nversion: %s\nsha256: %s\nsuite: %s\nmirror: %s\n", package->name,
		 package->version, package->sha256, suite->name, mirror);
	if (path_of(version, "origin", path, error) ||
	    write_file_atomically(path, origin, strlen(origin), error))
		return -1;
	if (path_of("by-name", name, path, error))
		return -1;
	return write_file_atomically(path, version, strlen(version), error);
}

/* ---- fetching --------------------------------------------------------------------------- */

/* The package that the cache holds for name already. */
static bool is_cached(const char *name, const struct kernel_package *package)
{
	struct kernel cached;
	char wanted[sizeof(cached.package)];

	snprintf(wanted, sizeof(wanted), "%.90s %.36s", package->name, package->version);
	return !find_cached(name, &cached) && !strcmp(cached.package, wanted);
}

static int fetch_package(struct apt_suite *apt, const struct kernel_suite *suite, const char *name,
			 const struct kernel_package *package, struct error *error)
{
	char deb[PATH_MAX], image[PATH_MAX];

	if (is_cached(name, package))
		return 0;
	if (apt_suite_download(apt, package, deb, sizeof(deb), error))
		return -1;
	snprintf(image, sizeof(image), "%.4000s.vmlinuz", deb);
	if (deb_extract_kernel(deb, image, error) ||
	    store(name, image, package, suite, apt->mirror, error)) {
		unlink(image);
		unlink(deb);
		return -1;
	}
	unlink(deb);
	return 0;
}

/* 1: the suite does not hold it. */
static int fetch_from(const struct kernel_suite *suite, const char *name, struct error *error)
{
	FREED struct kernel_package *packages = NULL;
	const struct kernel_package *package;
	struct apt_suite apt;
	size_t count;
	int ret = -1;

	if (apt_suite_open(&apt, suite, error))
		return -1;
	if (kernel_index_parse(apt.index, apt.index_size, &packages, &count, error))
		goto out;
	package = kernel_index_choose(packages, count, name);
	ret = package ? fetch_package(&apt, suite, name, package, error) : 1;
out:
	apt_suite_close(&apt);
	return ret;
}

static int check_name(const char *name, struct error *error)
{
	if (kernel_name_is_valid(name))
		return 0;
	return error_set(
		error, ERROR_UNAVAILABLE, "", 0,
		"%.80s is neither a kernel series (5.10, 7.3-rc) nor the path of a bzImage", name);
}

bool kernel_is_possible(const char *name)
{
	const struct kernel_suite *suite;
	struct kernel cached;

	for (size_t i = 0; (suite = kernel_suite_at(i)); i++)
		if (kernel_suite_holds(suite, name))
			return true;
	return kernel_name_is_valid(name) && !find_cached(name, &cached);
}

int kernel_refresh(const char *name, struct kernel *ret, struct error *error)
{
	const struct kernel_suite *suite;
	bool possible = false;

	if (check_name(name, error))
		return -1;
	for (size_t i = 0; (suite = kernel_suite_at(i)); i++) {
		int status;

		if (!kernel_suite_holds(suite, name))
			continue;
		possible = true;
		status = fetch_from(suite, name, error);
		if (status < 0)
			return -1;
		if (!status && !find_cached(name, ret))
			return 0;
		if (!status)
			return error_set(
				error, ERROR_UNAVAILABLE, "", 0,
				"kernel %s was fetched, and the cache does not give it back: "
				"its path may be too long",
				name);
	}
	/* A suite was asked, or none can: the name is wrong, and it is not the machine that
	 * lacks something. */
	error_set(error, ERROR_SYSTEM, "", 0, "no Debian suite %s kernel %s%s",
		  possible ? "holds a" : "is known to hold a", name, possible ? " now" : "");
	error->system_errno = ENOENT;
	return -1;
}

static int kernel_from_path(const char *path, struct kernel *ret, struct error *error)
{
	char real[PATH_MAX];

	*ret = (struct kernel) { 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", path);
	if (!realpath(path, real))
		return error_set_errno(error, "%.150s", path);
	if (boot_image_version(real, ret->version, sizeof(ret->version), error))
		return -1;
	return set_image(ret, real, error);
}

int kernel_get(const char *name, struct kernel *ret, struct error *error)
{
	if (strchr(name, '/'))
		return kernel_from_path(name, ret, error);
	if (check_name(name, error))
		return -1;
	return find_cached(name, ret) ? kernel_refresh(name, ret, error) : 0;
}

/* ---- listing ---------------------------------------------------------------------------- */

struct list {
	struct kernel *kernels;
	size_t count;
};

static int list_add(struct list *list, const struct kernel_package *package, const char *name,
		    struct error *error)
{
	struct kernel *kernel, cached;

	kernel = ARRAY_ADD(list->kernels, list->count, (struct kernel) { 0 });
	if (!kernel)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	/* What uname -r will say is known only from the image; nearly always it is this. */
	snprintf(kernel->version, sizeof(kernel->version), "%s",
		 strchr(strchr(package->name, '-') + 1, '-') + 1);
	snprintf(kernel->package, sizeof(kernel->package), "%.90s %.36s", package->name,
		 package->version);
	if (!find_cached(name, &cached) && !strcmp(cached.package, kernel->package))
		*kernel = cached;
	return 0;
}

/* Adds the newest package of each series that the suite is the place for, or of each patch
 * level. */
static int list_suite(struct list *list, const struct kernel_suite *suite, bool patch_levels,
		      struct error *error)
{
	FREED struct kernel_package *packages = NULL;
	struct apt_suite apt;
	size_t count = 0;
	int ret = -1;

	if (apt_suite_open(&apt, suite, error))
		return -1;
	if (kernel_index_parse(apt.index, apt.index_size, &packages, &count, error))
		goto out;
	ret = 0;
	for (size_t i = 0; i < count && !ret; i++) {
		char name[sizeof(packages[i].version)];

		if (patch_levels)
			kernel_patch_level(&packages[i], name, sizeof(name));
		else
			snprintf(name, sizeof(name), "%s", packages[i].series);
		if (kernel_suite_holds(suite, name) &&
		    kernel_index_choose(packages, count, name) == &packages[i])
			ret = list_add(list, &packages[i], name, error);
	}
out:
	apt_suite_close(&apt);
	return ret;
}

static int by_version(const void *a, const void *b)
{
	const struct kernel *ka = a, *kb = b;

	return debian_version_compare(ka->name, kb->name);
}

/* Adds the kernels of the cache that the list does not name, whatever the archive holds of them. */
static int list_cached(struct list *list, bool patch_levels, struct error *error)
{
	char path[PATH_MAX], series[32];
	struct dirent *entry;
	struct error ignored;
	int ret = 0;

	DIR_CLOSED DIR *dir = path_of("", "by-name", path, &ignored) ? NULL : opendir(path);
	while (dir && !ret && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		bool known = !kernel_name_is_valid(name);
		struct kernel cached;

		/* A patch level is listed where all of them are. */
		if (!patch_levels &&
		    (kernel_series_of(name, series, sizeof(series)) || strcmp(series, name)))
			known = strstr(name, "-rc") == NULL;
		for (size_t i = 0; i < list->count; i++)
			known |= !strcmp(list->kernels[i].name, name);
		if (known || find_cached(name, &cached))
			continue;
		if (!ARRAY_ADD(list->kernels, list->count, cached))
			ret = error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	return ret;
}

int kernels_cached(struct kernel **ret, size_t *ret_count, struct error *error)
{
	struct list list = { 0 };

	*ret = NULL;
	*ret_count = 0;
	if (list_cached(&list, true, error)) {
		free(list.kernels);
		return -1;
	}
	if (list.count)
		qsort(list.kernels, list.count, sizeof(*list.kernels), by_version);
	*ret = list.kernels;
	*ret_count = list.count;
	return 0;
}

int kernels_list(bool patch_levels, struct kernel **ret, size_t *ret_count, struct error *error)
{
	const struct kernel_suite *suite;
	struct list list = { 0 };
	struct error failure;
	int status = 0;

	for (size_t i = 0; (suite = kernel_suite_at(i)) && !status; i++)
		status = list_suite(&list, suite, patch_levels, error) ? 1 : 0;
	if (status && list_cached(&list, patch_levels, &failure)) {
		*error = failure;
		status = -1;
	}
	if (status && !list.count)
		status = -1;
	if (status < 0) {
		free(list.kernels);
		list = (struct list) { 0 };
	}
	if (list.count)
		qsort(list.kernels, list.count, sizeof(*list.kernels), by_version);
	*ret = list.kernels;
	*ret_count = list.count;
	return status;
}
