/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * root_staging.c - a copy of a root's folder without what mke2fs would stumble over
 *
 * `sudo debootstrap` and then `stackproof vm` as somebody else: a handful of files can't be read (/etc/shadow, /root).
 * cp(1) goes on after them, and stays on one file system. It can't give files away, though, so all of the copy belongs
 * to this user, who must be able to read it, and owners and modes are put into the image by debugfs(8).
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/child/subprocess.h"
#include "freed.h"
#include "root_image.h"

int root_staging_make(const char *folder, const struct root_contents *contents, const char *path,
		      struct error *error)
{
	char from[PATH_MAX], reason[160];
	char *const argv[] = { "cp",
			       "-dR",
			       "--one-file-system",
			       "--no-target-directory",
			       geteuid() ? "--preserve=mode,timestamps,links,xattr"
					 : "--preserve=all",
			       "--",
			       from,
			       (char *)path,
			       NULL };
	char *const open_up[] = { "chmod", "-R", "u+rwX", "--", (char *)path, NULL };
	FREED char *output = NULL, *nothing = NULL;
	struct root_contents copied;
	int status;

	if (!realpath(folder, from))
		return error_set_errno(error, "%.150s", folder);
	status = subprocess_run(argv, NULL, &output, error);
	if (status < 0 || (geteuid() && subprocess_run(open_up, NULL, &nothing, error) < 0))
		return -1;
	if (root_walk(path, NULL, NULL, &copied, error))
		return -1;
	if (copied.entries == contents->entries && copied.content == contents->content)
		return 0;
	/* Something else than what is known. */
	subprocess_reason(output, reason, sizeof(reason));
	return error_set(error, ERROR_UNAVAILABLE, "", 0,
			 "of %" PRIu64 " files with %" PRIu64 " bytes %" PRIu64 " with %" PRIu64
			 " could be copied for an image: %s",
			 contents->entries, contents->content, copied.entries, copied.content,
			 reason);
}

/* The commands for debugfs. A quote in a name is doubled (ss(3)); a name with a newline stays this user's. */
static int write_owner(void *context, const char *name, const struct stat *st, struct error *error)
{
	const unsigned value[] = { st->st_uid, st->st_gid, st->st_mode };
	static const char *const field[] = { "uid %u", "gid %u", "mode 0%o" };
	FILE *file = context;

	for (int i = 0; i < 3 && !strchr(name, '\n'); i++) {
		if (S_ISLNK(st->st_mode) && i == 2)
			continue;
		fputs("sif \"", file);
		for (const char *at = name; *at; at++)
			fprintf(file, *at == '"' ? "\"\"" : "%c", *at);
		fputs("\" ", file);
		fprintf(file, field[i], value[i]);
		fputc('\n', file);
	}
	return 0;
}

/* debugfs ends with 0 whatever happens. That it does not find what was left out is expected; so is its version. */
static bool complains(char *output)
{
	char *rest, *line = strtok_r(output, "\n", &rest);

	for (; line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "debugfs ", 8) && !strstr(line, "File not found"))
			return true;
	return false;
}

int root_staging_own(const char *folder, const char *image, struct error *error)
{
	char script[PATH_MAX];
	/* Without its standard output: that has the commands again. */
	char *const argv[] = { "sh",   "-c",	      "exec debugfs -w -f \"$0\" \"$1\" >/dev/null",
			       script, (char *)image, NULL };
	struct root_contents contents;
	FREED char *output = NULL;
	FILE *file;
	int status;

	if (!geteuid())
		return 0;
	snprintf(script, sizeof(script), "%.4000s.owners.new", image);
	file = fopen(script, "we");
	if (!file)
		return error_set_errno(error, "can't write %.150s", script);
	status = root_walk(folder, write_owner, file, &contents, error);
	if (fclose(file) && !status)
		status = error_set_errno(error, "can't write %.150s", script);
	if (!status && (subprocess_run(argv, NULL, &output, error) || complains(output)))
		status = error_set(error, ERROR_UNAVAILABLE, "", 0,
				   "debugfs (package e2fsprogs) can't give the files their owners");
	unlink(script);
	return status;
}
