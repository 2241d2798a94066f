/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child_library.c - where the dynamic linker finds a library: ldconfig(8)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "child.h"

/* A line is "\tNAME (KIND[, ...]) => PATH"; x86-64 libraries are of the kind "libc6,x86-64". */
bool ldconfig_parse(const char *ldconfig, const char *soname, char path[4096])
{
	size_t name_bytes = strlen(soname);

	for (const char *line = ldconfig; line; line = strchr(line, '\n')) {
		line += strspn(line, "\n\t ");
		if (strncmp(line, soname, name_bytes) || strncmp(line + name_bytes, " (", 2))
			continue;
		size_t line_bytes = strcspn(line, "\n");
		const char *kind = memmem(line, line_bytes, "x86-64", 6);
		const char *arrow = memmem(line, line_bytes, " => ", 4);
		if (!kind || !arrow || kind > arrow)
			continue;
		size_t path_bytes = line + line_bytes - (arrow + 4);
		if (!path_bytes || path_bytes >= 4096)
			continue;
		memcpy(path, arrow + 4, path_bytes);
		path[path_bytes] = '\0';
		return true;
	}
	return false;
}

int child_find_library(const char *soname, char path[4096], struct error *error)
{
	static const char *const argv[] = { "ldconfig", "-p", NULL };
	char *said = NULL;
	size_t room = 0;
	int output, status;
	bool found = false;
	FILE *file;
	pid_t pid = child_start(&(struct child_command) { .argv = argv }, &output, error);

	if (pid < 0)
		return -1;
	file = fdopen(output, "r");
	if (!file)
		close(output);
	/* There is no NUL: it is read whole. */
	else if (getdelim(&said, &room, 0, file) > 0)
		found = ldconfig_parse(said, soname, path);
	if (file)
		fclose(file);
	free(said);
	status = child_end(pid, false);
	if (found)
		return 0;
	return child_check("ldconfig", status, error)
		       ? -1
		       : error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not installed", soname);
}
