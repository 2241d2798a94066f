/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_files.c - the files of a guest, completed with what they need to run
 *
 * A guest holds only what is put into its initramfs, so a program must bring its loader and its
 * libraries along. They are looked for where the host's loader would look (ld.so(8)): DT_RPATH,
 * DT_RUNPATH, the directories of /etc/ld.so.conf, the default directories; and they are put at the
 * path where they were found, because the guest's loader, given the host's /etc/ld.so.cache, looks
 * there as well. $ORIGIN means the file's directory, on the host and in the guest.
 *
 * LD_LIBRARY_PATH is not looked at: the guest's commands run without it.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "elf_needs.h"
#include "frame.h"
#include "guest_files.h"

#define DEPTH_MAX      64 /* libraries that need libraries */
#define CONF_DEPTH_MAX 8  /* ld.so.conf files that include others */
#define LOADER_CONF    "/etc/ld.so.conf"

/* A file that is being added, and who asked for it. */
struct requester {
	const struct requester *parent;
	const struct elf_needs *needs;
	const char *host;  /* resolved */
	const char *guest; /* as the guest sees it */
	unsigned depth;
};

/* Looking for one library. */
struct search {
	const char *name;
	const struct requester *by;
	char host[PATH_MAX]; /* where it was found */
	char guest[PATH_MAX];
};

static int add_file(struct guest_files *files, const char *host, const char *guest,
		    const struct requester *parent, struct error *error);

const char *guest_link_name(size_t i)
{
	/* Merged /usr: https://wiki.debian.org/UsrMerge */
	static const char *const name[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };

	return i < sizeof(name) / sizeof(*name) ? name[i] : NULL;
}

int guest_link_target(const char *name, char *ret, size_t size)
{
	char path[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/%s", name);
	length = readlink(path, ret, size - 1);
	if (length <= 0)
		return -1;
	ret[length] = '\0';
	return ret[0] == '/' || strstr(ret, "..") ? -1 : 0;
}

/* Appends "/part" to ret, or takes the last part away for "..". -1 if it gets too long. */
static int append_part(char *ret, size_t size, const char *part, size_t length)
{
	size_t used = strlen(ret);

	if (!length || (length == 1 && part[0] == '.'))
		return 0;
	if (length == 2 && !memcmp(part, "..", 2)) {
		char *slash = strrchr(ret, '/');

		if (slash)
			*slash = '\0';
		return 0;
	}
	if (used + 1 + length >= size)
		return -1;
	ret[used] = '/';
	memcpy(ret + used + 1, part, length);
	ret[used + 1 + length] = '\0';
	return 0;
}

static int append_parts(char *ret, size_t size, const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");

		if (append_part(ret, size, path, length))
			return -1;
		path += length + (path[length] == '/');
	}
	return 0;
}

int guest_path_normalise(const char *path, char *ret, size_t size, struct error *error)
{
	char plain[PATH_MAX] = "", target[PATH_MAX], first[16];
	const char *rest;
	size_t length;

	if (path[0] != '/')
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "%.150s: a path in the guest must be absolute", path);
	*ret = '\0';
	if (append_parts(plain, sizeof(plain), path))
		goto too_long;
	length = strcspn(plain + (*plain == '/'), "/");
	rest = plain + (*plain == '/') + length;
	if (length < sizeof(first)) {
		memcpy(first, rest - length, length);
		first[length] = '\0';
		for (size_t i = 0; guest_link_name(i); i++) {
			if (strcmp(first, guest_link_name(i)) ||
			    guest_link_target(first, target, sizeof(target)))
				continue;
			if (append_parts(ret, size, target) || append_parts(ret, size, rest))
				goto too_long;
			return 0;
		}
	}
	if (append_parts(ret, size, plain))
		goto too_long;
	return 0;
too_long:
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: path too long", path);
}

static void dirname_of(const char *path, char *ret)
{
	const char *slash = strrchr(path, '/');

	snprintf(ret, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

/* One directory of a search path, $ORIGIN replaced by origin. -1 if too long. */
static int expand_origin(const char *directory, size_t length, const char *origin, char *ret)
{
	static const char *const token[] = { "$ORIGIN", "${ORIGIN}" };
	size_t used = 0;

	for (size_t i = 0; i < length;) {
		size_t matched = 0;

		for (size_t t = 0; t < 2 && !matched; t++) {
			size_t size = strlen(token[t]);

			if (length - i >= size && !memcmp(directory + i, token[t], size))
				matched = size;
		}
		if (used + (matched ? strlen(origin) : 1) >= PATH_MAX)
			return -1;
		if (matched) {
			memcpy(ret + used, origin, strlen(origin));
			used += strlen(origin);
		} else {
			ret[used++] = directory[i];
		}
		i += matched ? matched : 1;
	}
	ret[used] = '\0';
	return 0;
}

/* Is there a library for the requester's machine at path? */
static bool library_fits(const char *path, const struct elf_needs *wanted)
{
	struct elf_needs needs;
	struct error ignored;
	bool fits;

	if (access(path, R_OK) || elf_needs_init(&needs, path, &ignored))
		return false;
	fits = needs.is_elf && needs.machine == wanted->machine &&
	       needs.elf_class == wanted->elf_class;
	elf_needs_deinit(&needs);
	return fits;
}

static bool search_directory(struct search *search, const char *directory, size_t length,
			     const struct requester *origin)
{
	char host_origin[PATH_MAX], guest_origin[PATH_MAX], expanded[PATH_MAX];

	dirname_of(origin->host, host_origin);
	dirname_of(origin->guest, guest_origin);
	if (!length || expand_origin(directory, length, host_origin, expanded))
		return false;
	if (snprintf(search->host, PATH_MAX, "%s/%s", expanded, search->name) >= PATH_MAX)
		return false;
	if (!library_fits(search->host, search->by->needs))
		return false;
	if (expand_origin(directory, length, guest_origin, expanded))
		return false;
	return snprintf(search->guest, PATH_MAX, "%s/%s", expanded, search->name) < PATH_MAX;
}

static bool search_list(struct search *search, const char *list, const struct requester *origin)
{
	while (list && *list) {
		size_t length = strcspn(list, ":");

		if (search_directory(search, list, length, origin))
			return true;
		list += length + (list[length] == ':');
	}
	return false;
}

static bool search_conf(struct search *search, const char *pattern, unsigned depth);

/* A line of a configuration: a directory, or patterns of files to include. As ldconfig(8) has it,
 * blanks around them don't count, and a comment ends the line. */
static bool search_conf_line(struct search *search, char *line, unsigned depth)
{
	static const char blanks[] = " \t";
	char *start, *rest, *pattern;
	bool ok = false;

	line[strcspn(line, "#\r\n")] = '\0';
	start = line + strspn(line, blanks);
	if (*start == '/') {
		size_t length = strlen(start);

		while (strchr(blanks, start[length - 1]))
			length--;
		return search_directory(search, start, length, search->by);
	}
	pattern = strtok_r(start, blanks, &rest);
	if (!pattern || strcmp(pattern, "include") != 0)
		return false;
	while (!ok && (pattern = strtok_r(NULL, blanks, &rest)))
		ok = search_conf(search, pattern, depth + 1);
	return ok;
}

/* The directories that a loader's configuration file names, and those of the files it includes. */
static bool search_conf(struct search *search, const char *pattern, unsigned depth)
{
	glob_t found = { 0 };
	FREED char *line = NULL;
	size_t size = 0;
	bool ok = false;

	if (depth > CONF_DEPTH_MAX || glob(pattern, 0, NULL, &found))
		return false;
	for (size_t i = 0; i < found.gl_pathc && !ok; i++) {
		FILE_CLOSED FILE *file = fopen(found.gl_pathv[i], "re");

		while (file && !ok && getline(&line, &size, file) > 0)
			ok = search_conf_line(search, line, depth);
	}
	globfree(&found);
	return ok;
}

static bool search_defaults(struct search *search)
{
	static const char directories[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
					  "/lib64:/usr/lib64:/lib:/usr/lib";

	return search_list(search, directories, search->by);
}

/* ld.so(8): DT_RPATH of the object and of everybody above it, DT_RUNPATH, configuration, defaults.
 */
static bool search_library(struct search *search)
{
	const struct requester *at;

	if (!search->by->needs->runpath) {
		for (at = search->by; at; at = at->parent) {
			if (search_list(search, at->needs->rpath, at))
				return true;
		}
	}
	return search_list(search, search->by->needs->runpath, search->by) ||
	       search_conf(search, LOADER_CONF, 0) || search_defaults(search);
}

/* musl's loader is its libc, and what other systems have apart (ldso/dynlink.c, load_library()). */
static bool is_in_loader(const char *name, const struct requester *by)
{
	static const char *const part[] = { "c", "pthread", "rt", "m", "dl", "util", "xnet" };
	const char *loader;

	while (by->parent)
		by = by->parent;
	loader = by->needs->interpreter ? strrchr(by->needs->interpreter, '/') : NULL;
	if (!loader || strncmp(loader, "/ld-musl-", 9) != 0 || strncmp(name, "lib", 3) != 0)
		return false;
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		size_t length = strlen(part[i]);

		if (!strncmp(name + 3, part[i], length) && name[3 + length] == '.')
			return true;
	}
	return false;
}

static int add_library(struct guest_files *files, const char *name, const struct requester *by,
		       struct error *error)
{
	FREED struct search *search = NULL;
	int ret = -1;

	if (is_in_loader(name, by))
		return 0;
	if (strchr(name, '/'))
		return add_file(files, name, name, by, error);
	search = calloc(1, sizeof(*search));
	if (!search)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	search->name = name;
	search->by = by;
	if (search_library(search))
		ret = add_file(files, search->host, search->guest, by, error);
	else
		error_set(error, ERROR_UNAVAILABLE, "", 0,
			  "%.100s needs the library %.60s, which is nowhere on this machine",
			  by->host, name);
	return ret;
}

/* What env(1) will find, as it will: in the guest's PATH. Nothing is no error, since it may be given another. */
static int add_program(struct guest_files *files, const char *name, const struct requester *by,
		       struct error *error)
{
	char path[PATH_MAX];
	size_t length;

	if (*name == '/')
		return add_file(files, name, name, by, error);
	if (strchr(name, '/'))
		return 0;
	for (const char *at = FRAME_GUEST_PATH; *at; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)length, at, name) <
			    (int)sizeof(path) &&
		    !access(path, X_OK))
			return add_file(files, path, path, by, error);
	}
	return 0;
}

static int add_needs(struct guest_files *files, const struct requester *by, struct error *error)
{
	const struct elf_needs *needs = by->needs;

	if (needs->interpreter &&
	    add_file(files, needs->interpreter, needs->interpreter, by, error))
		return -1;
	if (needs->program && add_program(files, needs->program, by, error))
		return -1;
	for (size_t i = 0; i < needs->needed_count; i++) {
		if (add_library(files, needs->needed[i], by, error))
			return -1;
	}
	return 0;
}

/* Where a file goes: its path without symbolic links, if the links are of this machine and not of another system. */
static int place_of(const struct guest_files *files, const char *guest, char ret[PATH_MAX],
		    struct error *error)
{
	char path[PATH_MAX];
	size_t length;

	if (!files->below)
		return guest_path_normalise(guest, ret, PATH_MAX, error);
	length = strlen(files->below);
	if (snprintf(path, sizeof(path), "%s%s", files->below, guest) >= (int)sizeof(path))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: path too long", guest);
	if (guest_path_normalise(path, ret, PATH_MAX, error))
		return -1;
	if (!strncmp(ret, files->below, length) && (!ret[length] || ret[length] == '/'))
		return 0;
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: a path above the guest's root",
			 guest);
}

static void path_deinit(struct guest_path *path)
{
	free(path->host);
	free(path->link);
	free(path->guest);
}

/* Remembers the pair; host or link, or neither, is NULL. Returns 1 if the guest path is there
 * already, -1 without memory. */
static int remember(struct guest_files *files, const char *host, const char *link,
		    const char *guest)
{
	struct guest_path entry;

	for (size_t i = 0; i < files->count; i++) {
		if (!strcmp(files->file[i].guest, guest))
			return 1;
	}
	entry = (struct guest_path) {
		.host = host ? strdup(host) : NULL,
		.link = link ? strdup(link) : NULL,
		.guest = strdup(guest),
	};
	if (!entry.guest || !entry.host != !host || !entry.link != !link ||
	    !ARRAY_ADD(files->file, files->count, entry)) {
		path_deinit(&entry);
		return -1;
	}
	return 0;
}

/* remember() a link, or if that is NULL a directory, at the guest's own name of the path. Once more is
 * no error. */
static int remember_at(struct guest_files *files, const char *link, const char *guest,
		       struct error *error)
{
	char place[PATH_MAX];

	if (place_of(files, guest, place, error))
		return -1;
	if (remember(files, NULL, link, place) < 0)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	return 0;
}

int guest_files_add_link(struct guest_files *files, const char *guest, const char *target,
			 struct error *error)
{
	return remember_at(files, target, guest, error);
}

int guest_files_add_directory(struct guest_files *files, const char *guest, struct error *error)
{
	return remember_at(files, NULL, guest, error);
}

static int add_file(struct guest_files *files, const char *host, const char *guest,
		    const struct requester *parent, struct error *error)
{
	char real[PATH_MAX], place[PATH_MAX];
	struct elf_needs needs;
	struct requester self = {
		.parent = parent,
		.needs = &needs,
		.host = real,
		.guest = place,
		.depth = parent ? parent->depth + 1 : 0,
	};
	struct stat st;
	int ret;

	if (self.depth > DEPTH_MAX)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: libraries nest too deep",
				 host);
	if (!realpath(host, real) || stat(real, &st))
		return error_set_errno(error, "%.150s", host);
	if (!S_ISREG(st.st_mode))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s is not a regular file",
				 host);
	if (place_of(files, guest, place, error))
		return -1;
	ret = remember(files, real, NULL, place);
	if (ret > 0)
		return 0;
	if (ret < 0)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (files->below)
		return 0;
	if (elf_needs_init(&needs, real, error))
		return -1;
	ret = add_needs(files, &self, error);
	elf_needs_deinit(&needs);
	return ret;
}

int guest_path_absolute(const char *path, char *ret, size_t size, struct error *error)
{
	char here[PATH_MAX] = "";

	if (path[0] != '/' && !getcwd(here, sizeof(here)))
		return error_set_errno(error, "the working directory");
	if (snprintf(ret, size, "%s%s%s", here, path[0] != '/' ? "/" : "", path) >= (int)size)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s: the path is too long", path);
	return 0;
}

int guest_files_add(struct guest_files *files, const char *host, const char *guest,
		    struct error *error)
{
	char absolute[PATH_MAX];
	struct stat st;

	if (guest_path_absolute(guest ? guest : host, absolute, sizeof(absolute), error))
		return -1;
	if (!stat(host, &st) && S_ISDIR(st.st_mode))
		return guest_files_add_folder(files, host, absolute, error);
	return add_file(files, host, absolute, NULL, error);
}

void guest_files_deinit(struct guest_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		path_deinit(&files->file[i]);
	free(files->file);
	*files = (struct guest_files) { 0 };
}
