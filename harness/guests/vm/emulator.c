/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * emulator.c - a QEMU that takes plugins: the machine's own, or one fetched through apt and unpacked into the cache
 *
 * Debian 12's QEMU is too old for plugins that read registers. A newer one, of another suite, needs newer libraries, and
 * the machine must not get either. So apt downloads the program with all that it depends on, down to the C library, as
 * for a machine that has nothing; what the program needs to run is unpacked below one folder, and it is started by its
 * own dynamic linker. It runs wherever the kernel does. The cache holds
 *
 *	emulators/SUITE/usr/...		the program, its linker, libraries and firmware
 *	emulators/SUITE/origin		package, version, suite and mirror
 *
 * The folder appears by rename(2), after the program has accepted a plugin: what is there is complete and runs.
 *
 * QEMU's interface to plugins breaks between releases, and each accepts some versions of it: the program is asked, by
 * loading (emulator_plugin()).
 */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "apt.h"
#include "base/child/child.h"
#include "base/child/subprocess.h"
#include "cache.h"
#include "deb.h"
#include "qemu_command.h"
#include "vm.h"

#define SYSTEM	   "system"
#define PACKAGE	   "qemu-system-x86"
#define LIBRARIES  "lib/x86_64-linux-gnu/"
#define LINKER	   "ld-linux-x86-64.so.2"
#define PROBE	   "count" /* the plugin that a fetched program must accept */
#define ORIGIN_MAX 1024

static const struct kernel_suite suites[] = {
	{ .name = "bookworm-backports", .base = "bookworm" },
	{ .name = "trixie-backports", .base = "trixie" },
};
#define SUITE_COUNT (sizeof(suites) / sizeof(*suites))

const char *emulator_name_at(size_t i)
{
	return !i ? SYSTEM : i <= SUITE_COUNT ? suites[i - 1].name : NULL;
}

static const struct kernel_suite *suite_of(const char *name)
{
	for (size_t i = 0; i < SUITE_COUNT; i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	return NULL;
}

/* ---- the cache -------------------------------------------------------------------------- */

static int path_of(const char *name, const char *behind, char *ret, size_t size,
		   struct error *error)
{
	char relative[128];

	snprintf(relative, sizeof(relative), "emulators/%s%s", name, behind);
	return cache_path(relative, ret, size, error);
}

int emulator_find(const char *name, struct emulator *ret)
{
	static const char key[] = "version: ";
	char path[PATH_MAX], origin[ORIGIN_MAX];
	struct error ignored;
	const char *version;

	*ret = (struct emulator) { 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (!strcmp(name, SYSTEM))
		return 0;
	if (!suite_of(name) || path_of(name, "/origin", path, sizeof(path), &ignored) ||
	    read_small_file(path, origin, sizeof(origin)) || !(version = strstr(origin, key)) ||
	    path_of(name, "", ret->directory, sizeof(ret->directory), &ignored)) {
		*ret->directory = '\0';
		return -1;
	}
	version += strlen(key);
	snprintf(ret->version, sizeof(ret->version), "%.*s", (int)strcspn(version, "\n"), version);
	return 0;
}

/* ---- fetching --------------------------------------------------------------------------- */

/* What the program needs of all packages, as if /lib were in /usr. Its linker lies beside it: QEMU looks for its files
 * from where the process's executable file is. */
static bool place_of(const char *path, char *ret, size_t size)
{
	static const char *const wanted[] = { "usr/bin/qemu-system-x86_64",
					      "usr/" LIBRARIES "qemu/", "usr/share/qemu/",
					      "usr/share/seabios/" };
	const char *library = path + (strncmp(path, "usr/", 4) ? 0 : 4);

	if (!strncmp(library, LIBRARIES, strlen(LIBRARIES))) {
		const char *name = library + strlen(LIBRARIES);

		if (!strcmp(name, LINKER))
			return snprintf(ret, size, "usr/bin/" LINKER) < (int)size;
		if (!strchr(name, '/') && strstr(name, ".so"))
			return snprintf(ret, size, "usr/" LIBRARIES "%s", name) < (int)size;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strncmp(path, wanted[i], strlen(wanted[i])))
			return snprintf(ret, size, "%s", path) < (int)size;
	return false;
}

/* qemu-system-x86_1%3a10.0.2+ds-2_amd64.deb -> 1:10.0.2+ds-2 */
static void version_of(const char *deb, char *ret, size_t size)
{
	const char *name = strrchr(deb, '/') + 1 + strlen(PACKAGE) + 1, *epoch;
	int length = (int)strcspn(name, "_");

	snprintf(ret, size, "%.*s", length, name);
	epoch = strstr(name, "%3a");
	if (epoch && epoch < name + length)
		snprintf(ret, size, "%.*s:%.*s", (int)(epoch - name), name,
			 (int)(name + length - epoch - 3), epoch + 3);
}

/* Unpacks all packages of the folder archives below directory. */
static int unpack_all(const char *archives, const char *directory, char *ret_version, size_t size,
		      struct error *error)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	int ret = 0;

	*ret_version = '\0';
	snprintf(pattern, sizeof(pattern), "%.4000s/*.deb", archives);
	if (glob(pattern, 0, NULL, &found))
		ret = error_set(error, ERROR_UNAVAILABLE, "", 0, "apt-get brought no %s", PACKAGE);
	for (size_t i = 0; i < found.gl_pathc && !ret; i++) {
		ret = deb_unpack(found.gl_pathv[i], directory, place_of, error);
		if (strstr(found.gl_pathv[i], "/" PACKAGE "_"))
			version_of(found.gl_pathv[i], ret_version, size);
	}
	globfree(&found);
	return ret;
}

/* Puts the unpacked folder where emulator_find() looks, if the program runs. */
static int store(const struct kernel_suite *suite, const char *mirror, const char *version,
		 const char *unpacked, const char *path, struct error *error)
{
	struct emulator emulator = { 0 };
	char origin[ORIGIN_MAX], file[PATH_MAX], plugin[PATH_MAX], old[PATH_MAX];

	snprintf(emulator.name, sizeof(emulator.name), "%s", suite->name);
	if (strlen(unpacked) >= sizeof(emulator.directory))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: path too long",
				 unpacked);
	strcpy(emulator.directory, unpacked);
	if (emulator_plugin(&emulator, PROBE, plugin, sizeof(plugin), error) < 0)
		return -1;
	snprintf(origin, sizeof(origin),
		 "package: " PACKAGE "\nversion: %.60s\nsuite: %s\nmirror: %.512s\n", version,
		 suite->name, mirror);
	snprintf(file, sizeof(file), "%.4000s/origin", unpacked);
	if (write_file_atomically(file, origin, strlen(origin), error))
		return -1;
	/* A folder can't be replaced in one step; the suite's lock keeps others who fetch away. */
	snprintf(old, sizeof(old), "%.4000s.old", path);
	remove_tree(old);
	rename(path, old);
	if (rename(unpacked, path))
		return error_set_errno(error, "can't write %.150s", path);
	remove_tree(old);
	return 0;
}

static int fetch(const struct kernel_suite *suite, bool refresh, struct error *error)
{
	struct emulator cached;
	char archives[PATH_MAX], version[64], unpacked[PATH_MAX], path[PATH_MAX], real[PATH_MAX];
	struct apt_suite apt;
	int ret = -1;

	if (path_of(suite->name, "", path, sizeof(path), error) ||
	    path_of(suite->name, ".new", unpacked, sizeof(unpacked), error) ||
	    apt_suite_open(&apt, suite, error))
		return -1;
	/* Another process may have been faster. */
	if (!refresh && !emulator_find(suite->name, &cached)) {
		ret = 0;
		goto out;
	}
	remove_tree(unpacked);
	if (apt_suite_download_all(&apt, suite->name, PACKAGE, archives, sizeof(archives), error) ||
	    make_directories(unpacked, error))
		goto out;
	if (!realpath(unpacked, real)) {
		error_set_errno(error, "%.150s", unpacked);
		goto out;
	}
	ret = unpack_all(archives, real, version, sizeof(version), error);
	ret = ret ? ret : store(suite, apt.mirror, version, unpacked, path, error);
out:
	remove_tree(unpacked);
	apt_suite_drop(&apt);
	apt_suite_close(&apt);
	return ret;
}

int emulator_get(const char *name, bool refresh, struct emulator *ret, struct error *error)
{
	const struct kernel_suite *suite = suite_of(name);

	if (!emulator_find(name, ret) && (!refresh || !suite))
		return 0;
	if (!suite) {
		error_set(error, ERROR_SYSTEM, "", 0,
			  "%.80s is no emulator: stackproof emulators list", name);
		error->system_errno = ENOENT;
		return -1;
	}
	if (fetch(suite, refresh, error))
		return -1;
	if (emulator_find(name, ret))
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "emulator %s was fetched, and the cache does not give it back: "
				 "its path may be too long",
				 name);
	return 0;
}

/* ---- plugins ---------------------------------------------------------------------------- */

/* Commas end the path for QEMU, unless they are doubled. */
static int double_commas(const char *path, char *ret, size_t size)
{
	size_t used = 0;

	for (; *path; path++) {
		if (used + 3 > size)
			return -1;
		ret[used++] = *path;
		if (*path == ',')
			ret[used++] = ',';
	}
	ret[used] = '\0';
	return 0;
}

/* Whether the program loads this object; else the reason is in error. */
static bool accepts(const struct emulator *emulator, const char *plugin, int api,
		    struct error *error)
{
	char wanted[32], last[160], probe[PATH_MAX + 16];
	FREED char *output = NULL;
	struct qemu_command command;
	int status;

	snprintf(probe, sizeof(probe), "%s,probe=on", plugin);
	qemu_command_probe(&command, *emulator->directory ? emulator->directory : NULL, probe);
	status = subprocess_run(command.argv, NULL, &output, error);
	if (status < 0)
		return false;
	snprintf(wanted, sizeof(wanted), "plugin API %d\n", api);
	if (!status && strstr(output, wanted))
		return true;
	subprocess_reason(output, last, sizeof(last));
	error_set(error, ERROR_UNAVAILABLE, "", 0, "the QEMU %s takes no plugin: %s",
		  emulator->name, last);
	return false;
}

/* Our plugins lie in the folder emulator beside this program, unless the environment says otherwise. */
static int find_object(const char *plugin, int api, char *ret, size_t size, struct error *error)
{
	const char *wanted = getenv("STACKPROOF_PLUGINS");
	char name[64];

	snprintf(name, sizeof(name), "%s%.32s-%d.so", wanted && *wanted ? "" : "emulator/", plugin,
		 api);
	if (wanted && *wanted)
		snprintf(ret, size, "%.4000s/%s", wanted, name);
	else if (child_beside(name, ret, size, error))
		return -1;
	if (access(ret, R_OK))
		return error_set_errno(error, "no plugin %.32s: %.150s", plugin, ret);
	return 0;
}

int emulator_plugin(const struct emulator *emulator, const char *plugin, char *ret, size_t size,
		    struct error *error)
{
	static const int apis[] = { 7, 4 };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(apis) / sizeof(*apis); i++) {
		if (find_object(plugin, apis[i], path, sizeof(path), error))
			return -1;
		if (double_commas(path, ret, size))
			return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: path too long",
					 path);
		if (accepts(emulator, ret, apis[i], error))
			return apis[i];
	}
	return -1;
}

int emulator_choose(const char *plugin, struct emulator *ret, char *ret_path, size_t size,
		    struct error *error)
{
	const char *name;
	int api;

	for (size_t i = 0; (name = emulator_name_at(i)); i++)
		if (!emulator_find(name, ret) &&
		    (api = emulator_plugin(ret, plugin, ret_path, size, error)) > 0)
			return api;
	if (emulator_get(suites[0].name, false, ret, error))
		return -1;
	return emulator_plugin(ret, plugin, ret_path, size, error);
}
