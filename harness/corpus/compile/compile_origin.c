/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_origin.c - whose code is it that was linked? By the linker's map
 *
 * A static program has libc's code in it, each program the start-up objects' and libgcc's. Whoever built it can't
 * mend these. Others' is what is installed, however it is named: in the folders of packages, in the compiler's own,
 * and in those of a root that the command line names (--sysroot). All else is this build's, whoever named it: an
 * archive is found in many ways (-L, -B, LIBRARY_PATH, a linker script). A map of GNU ld's, gold's and mold's form has lines
 *
 *	 .text          0x0000000000401050       0x25 /usr/lib/x86_64-linux-gnu/crt1.o
 *	                0x0000000000402000      0x1b2 /usr/lib/x86_64-linux-gnu/libc.a(libc-start.o)
 *
 * and one of LLVM's linker, without 0x,
 *
 *	          201050           201050       25    16         /usr/lib/x86_64-linux-gnu/crt1.o:(.text)
 *
 * Where what is linked are somebody's temporary objects (go build's), assembly whose source is installed is others', too.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "compile_line.h"

struct piece {
	uint64_t begin, bytes;
	char *file;
};

struct compile_origin {
	struct piece *piece;
	size_t count;
};

/* Without the archive's member and the section. */
static void add(struct compile_origin *origin, uint64_t begin, uint64_t bytes, const char *file)
{
	const char *section = strstr(file, ":(");
	size_t length = section ? (size_t)(section - file) : strcspn(file, "\n");
	char *copy;

	if (length && file[length - 1] == ')')
		while (length && file[length] != '(')
			length--;
	copy = length && bytes ? strndup(file, length) : NULL;
	if (!copy || !ARRAY_ADD(origin->piece, origin->count,
				(struct piece) { .begin = begin, .bytes = bytes, .file = copy }))
		free(copy);
}

/* Of what isn't in the program the addresses are others. */
static bool is_in_program(const char *section)
{
	static const char *const beginnings[] = { ".debug", ".comment", ".note",   ".stab",
						  ".gnu.",  ".symtab",	".strtab", ".shstrtab" };

	return !ARRAY_ANY(ARRAY_COUNT(beginnings), i,
			  !strncmp(section, beginnings[i], strlen(beginnings[i])));
}

/* section: of this line or the one before, if the name was too long for one. */
static void read_line(struct compile_origin *origin, const char *line, char section[64])
{
	uint64_t begin = 0, bytes = 0, other;
	const char *behind = line;
	int at = 0, name = 0;

	/* Behind one blank; behind more there is none. */
	if (sscanf(line, "%*1[ ]%63[^ \n]%n", section, &name) == 1)
		behind += name;
	if (sscanf(behind, " 0x%" SCNx64 " 0x%" SCNx64 " %n", &begin, &bytes, &at) == 2 && at) {
		if (begin && is_in_program(section))
			add(origin, begin, bytes, behind + at);
	} else if ((behind = strstr(line, ":(")) && is_in_program(behind + 2) &&
		   sscanf(line, " %" SCNx64 " %" SCNx64 " %" SCNx64 " %*u %n", &begin, &other,
			  &bytes, &at) == 3 &&
		   at && begin) {
		add(origin, begin, bytes, line + at);
	}
}

struct compile_origin *compile_origin_read(const char *map)
{
	struct compile_origin *origin = calloc(1, sizeof(*origin));
	FILE_CLOSED FILE *file = origin ? fopen(map, "re") : NULL;
	FREED char *line = NULL;
	char section[64] = "";
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) >= 0)
		read_line(origin, line, section);
	if (origin && origin->count)
		return origin;
	compile_origin_free(origin);
	return NULL;
}

void compile_origin_free(struct compile_origin *origin)
{
	for (size_t i = 0; origin && i < origin->count; i++)
		free(origin->piece[i].file);
	if (origin)
		free(origin->piece);
	free(origin);
}

/* ---- whose is it? -------------------------------------------------------------------------- */

/* In such a folder packages have theirs, and nobody builds there (hier(7)). */
static bool is_installed(const char *path)
{
	static const char *const folders[] = {
		"/lib/",	   "/lib32/",		"/lib64/",	     "/usr/lib/",
		"/usr/lib32/",	   "/usr/lib64/",	"/usr/share/",	     "/usr/include/",
		"/usr/local/lib/", "/usr/local/lib64/", "/usr/local/share/", "/usr/local/include/",
		"/usr/local/go/",  "/nix/store/",	"/gnu/store/",
	};

	return ARRAY_ANY(ARRAY_COUNT(folders), i, !strncmp(path, folders[i], strlen(folders[i])));
}

/* What is in that folder, from the slash on; NULL: it isn't. */
static const char *below(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	return length && !strncmp(path, folder, length) && path[length] == '/' ? path + length
									       : NULL;
}

/* Of a toolchain somewhere else (/opt): lib of its prefix, of each machine's folder and of that one's root. */
static bool is_toolchains(const char *path)
{
	static const char *const roots[] = {
		"",
		"/*",
		"/*/usr",
		"/*/sysroot",
		"/sysroot",
		"/*/sysroot/usr",
		"/sysroot/usr",
		"/*/libc",
	};
	static const char *const libraries[] = { "lib", "lib32", "lib64", "libx32", "libexec" };
	char pattern[64];

	if (below(path, "/src")) /* who has /usr for his prefix builds there */
		return false;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		for (size_t j = 0; j < sizeof(libraries) / sizeof(libraries[0]); j++) {
			snprintf(pattern, sizeof(pattern), "%s/%s", roots[i], libraries[j]);
			if (!fnmatch(pattern, path, FNM_PATHNAME | FNM_LEADING_DIR))
				return true;
		}
	return false;
}

/* What the compiler has made of sources meanwhile is gone when it has come to its end, and not installed. */
static bool is_others(const struct compile_outputs *outputs, const char *file)
{
	FREED char *real = realpath(file, NULL);
	const char *path = real ? real : file, *inside = below(path, outputs->prefix);
	const char *root = below(path, outputs->sysroot);

	return is_installed(path) || (inside && is_toolchains(inside)) ||
	       (root && is_installed(root));
}

bool compile_origin_is_others(const struct compile_origin *origin,
			      const struct compile_outputs *outputs, uint64_t pc)
{
	for (size_t i = 0; origin && i < origin->count; i++)
		if (pc - origin->piece[i].begin < origin->piece[i].bytes)
			return is_others(outputs, origin->piece[i].file);
	return false;
}

bool compile_is_others(const struct compile_outputs *outputs)
{
	FREED char *folder = getcwd(NULL, 0);
	bool found = outputs->source.count;

	for (size_t i = 0; i < outputs->source.count; i++) {
		const char *path = outputs->source.path[i];

		found &= is_installed(path[0] == '/' ? path : folder ? folder : "");
	}
	return found;
}

/* go build calls its root so in what it has compiled. */
#define GO_ROOT "/_/GOROOT/"

bool compile_source_is_others(const char *path)
{
	/* Not a header: its code is compiled into what is built. */
	return compile_is_assembly(path) &&
	       (is_installed(path) || !strncmp(path, GO_ROOT, strlen(GO_ROOT)));
}

bool compile_source_is_own(const char *path)
{
	return !is_installed(path) && !access(path, F_OK);
}
