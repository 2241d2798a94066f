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
#include <string.h>
#include "bench.h"
#include "base/child/child.h"

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
		return sources[i].soname ? child_find_library(sources[i].soname, path, error)
					 : find_program(name, path, error);
	}
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "no image is called '%s'", name);
}
