/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fault_origin.c - whose code it is that a finding is about
 *
 * The corpus's programs have code of the toolchain, of the C library's start-up objects and shared
 * libraries, and assembly that is wrong on purpose.
 */
#include <string.h>
#include "array.h"
#include "results.h"

static const char *const origin_names[ORIGIN_COUNT] = {
	[ORIGIN_COMPILED] = "compiled",
	[ORIGIN_HANDWRITTEN] = "handwritten",
	[ORIGIN_STARTUP] = "startup",
	[ORIGIN_LIBRARY] = "library",
};

const char *fault_origin_name(enum fault_origin origin)
{
	return origin < ORIGIN_COUNT ? origin_names[origin] : "?";
}

static bool is_memfd(const char *image)
{
	return !strncmp(image, "/memfd:", strlen("/memfd:"));
}

/* Memory that is no file's: [anonymous], [stack], [heap]; but the kernel's own are libraries. */
static bool is_plain_memory(const char *image)
{
	return image[0] == '[' && strcmp(image, "[vdso]") && strcmp(image, "[vsyscall]");
}

/* Its own shared libraries begin as the program does: chain.gcc-12.O2-fp.ac.so. */
bool fault_is_own(const struct cell *cell, const char *image)
{
	const char *own = basename(cell->binary), *name = basename(image);
	size_t size = strlen(own);

	/* What lies in a memfd, or in no file, the program has put there: no system library
	 * does. */
	return (!strncmp(name, own, size) && (!name[size] || name[size] == '.')) ||
	       is_memfd(image) || is_plain_memory(image);
}

const char *cell_image(const struct cell *cell, const struct finding_record *finding)
{
	const char *image = basename(finding->image);

	return image[0] && !strcmp(image, basename(cell->binary)) ? "the program" : image;
}

/* Thunks that a compiler writes into a program, without debug information to tell whose they
 * are. */
static bool is_compilers(const char *function)
{
	static const char *const prefixes[] = { "__x86_indirect_thunk_", "__x86_return_thunk",
						"__llvm_retpoline_" };

	return ARRAY_ANY(ARRAY_COUNT(prefixes), i,
			 !strncmp(function, prefixes[i], strlen(prefixes[i])));
}

enum fault_origin fault_origin_of(const struct cell *cell, const struct finding_record *finding)
{
	if (!fault_is_own(cell, finding->image))
		return ORIGIN_LIBRARY;
	if (finding->section[0])
		return ORIGIN_COMPILED;
	/* Code that the program writes as it runs: no compiler made it. */
	if (is_plain_memory(finding->image) ||
	    (is_memfd(finding->image) && !strcmp(finding->function, "unmapped")))
		return ORIGIN_HANDWRITTEN;
	/* _start is the program's own where there is no C library. */
	bool missing = !strcmp(finding->kind, "missing");
	if (missing && finding->start_file[0])
		return ORIGIN_STARTUP;
	if (!strcmp(cell->language, "asm"))
		return ORIGIN_HANDWRITTEN;
	/* Code without FDE in a stripped file. It is the same code in the others, with its
	 * names. */
	if (missing && finding->stripped)
		return ORIGIN_STARTUP;
	if (is_compilers(finding->function))
		return ORIGIN_COMPILED;
	return finding->linked_in ? ORIGIN_LIBRARY : ORIGIN_COMPILED;
}
