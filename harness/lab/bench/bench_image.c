/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_image.c - the images that bench's figures are about, wherever this machine has them
 *
 * Figures can only be held against those of another day or machine if they are about the same file,
 * so the images are four that building this project brings along: LLVM 14 as a library (clang-14 is
 * linked with it; its 5 MB of .eh_frame are the largest around), gcc's C compiler proper, the C++
 * library and the C library. Libraries are where the dynamic linker finds them (ldconfig(8)), and
 * the compiler proper is where gcc says.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"

#define OUTPUT_MAX (1u << 20)
#define TIMEOUT_MS 10000

static const struct source {
	const char *name;
	const char *soname; /* NULL: a program of gcc's */
} sources[] = {
	{ "libLLVM", "libLLVM-14.so.1" },
	{ "libclang-cpp", "libclang-cpp.so.14" },
	{ "cc1", NULL },
	{ "libstdc++", "libstdc++.so.6" },
	{ "libc", "libc.so.6" },
};

/* A line is "\tNAME (KIND[, ...]) => PATH"; x86-64 libraries are of the kind "libc6,x86-64". */
bool bench_image_parse(const char *ldconfig, const char *soname, char path[4096])
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

static int find_library(const char *soname, char path[4096], struct error *error)
{
	static const char *const argv[] = { "ldconfig", "-p", NULL };
	char *output = malloc(OUTPUT_MAX);
	int status = -1;

	if (!output)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (bench_child(argv, false, TIMEOUT_MS, output, OUTPUT_MAX, error))
		goto out;
	if (!bench_image_parse(output, soname, path)) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not installed", soname);
		goto out;
	}
	status = 0;
out:
	free(output);
	return status;
}

/* gcc prints the name alone where it has no such program. */
static int find_program(const char *name, char path[4096], struct error *error)
{
	char option[64];
	const char *const argv[] = { "gcc-12", option, NULL };

	snprintf(option, sizeof(option), "-print-prog-name=%s", name);
	if (bench_child(argv, false, TIMEOUT_MS, path, 4096, error))
		return -1;
	path[strcspn(path, "\n")] = '\0';
	if (path[0] != '/')
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "gcc-12 has no %s", name);
	return 0;
}

int bench_image_find(const char *name, char path[4096], struct error *error)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (strcmp(sources[i].name, name))
			continue;
		return sources[i].soname ? find_library(sources[i].soname, path, error)
					 : find_program(name, path, error);
	}
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "no image is called '%s'", name);
}
