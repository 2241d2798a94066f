/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record_event.c - what the name of an event stands for: a tracepoint of this kernel, an instruction of a file
 *
 * A name that stands for nothing is a mistake of who typed it, so it is found before anything is started. Tracepoints
 * are known by the function that calls a tracepoint's programs, __traceiter_NAME (Linux 5.10), which is in
 * /proc/kallsyms also where tracefs is not mounted, and of each tracepoint that a program can be attached to.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/cli/nearest_word.h"
#include "image/image.h"
#include "proc_file.h"
#include "record.h"
#include "walk/mapped_file.h"

#define CALLER "__traceiter_"

/* "no KIND is called 'mallok': did you mean 'malloc'?" nearest: or NULL. */
static int fail_name(struct error *error, const char *what, const char *name, const char *nearest)
{
	error_set(error, ERROR_SYSTEM, "", 0, "%s '%s'%s%s%s", what, name,
		  nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	error->system_errno = ENOENT;
	return -1;
}

/* ---- tracepoints --------------------------------------------------------------------------- */

/* The nearest name is kept here: a line of the file is gone with the next one. */
struct tracepoint_search {
	const char *wanted;
	struct nearest_word nearest;
	char word[64];
	bool any, found;
};

static void look_at_symbol(struct tracepoint_search *search, const char *name)
{
	struct nearest_word nearest = search->nearest;

	search->any = true;
	search->found |= !strcmp(name, search->wanted);
	nearest_word_add(&nearest, search->wanted, name);
	if (nearest.word != name || strlen(name) >= sizeof(search->word))
		return;
	strcpy(search->word, name);
	search->nearest = (struct nearest_word) { search->word, nearest.distance };
}

/* Where the kernel names none, only the attachment will tell. */
static int find_tracepoint(const char *wanted, const char *kallsyms, struct error *error)
{
	struct tracepoint_search search = { .wanted = wanted };
	FILE_CLOSED FILE *file = fopen(kallsyms, "re");
	char line[512], name[256];

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, " " CALLER) &&
		    sscanf(line, "%*x %*c " CALLER "%255[^ \t\n]", name) == 1)
			look_at_symbol(&search, name);
	if (search.found || !search.any)
		return 0;
	return fail_name(error, "this kernel has no raw tracepoint", wanted, search.nearest.word);
}

/* ---- files --------------------------------------------------------------------------------- */

/* A file that the process has mapped, by its last name, as the process sees it. */
static bool find_mapped(pid_t pid, const char *name, char path[PATH_MAX])
{
	FILE_CLOSED FILE *file = proc_file_open(pid, "maps");
	char line[PATH_MAX + 128];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		struct maps_line mapped;

		if (!maps_line_parse(line, &mapped) || *mapped.path != '/' ||
		    strcmp(strrchr(mapped.path, '/') + 1, name) != 0)
			continue;
		found = snprintf(path, PATH_MAX, "/proc/%d/root%s", pid, mapped.path) < PATH_MAX &&
			!access(path, R_OK);
	}
	return found;
}

/* A name with a slash is a path. One without is a file here, one that the process has mapped, or a library. */
static int find_file(const struct record_options *options, char path[PATH_MAX], struct error *error)
{
	const char *name = options->event_name;
	struct error missing;

	if (strchr(name, '/') || !access(name, F_OK)) {
		if (snprintf(path, PATH_MAX, "%s%s", strchr(name, '/') ? "" : "./", name) <
			    PATH_MAX &&
		    !access(path, R_OK))
			return 0;
		return error_set_errno(error, "%s", name);
	}
	if (options->pid && find_mapped(options->pid, name, path))
		return 0;
	if (!child_find_library(name, path, &missing))
		return 0;
	return fail_name(error, "there is no file here and no library that is called", name, NULL);
}

/* ---- symbols ------------------------------------------------------------------------------- */

/* "malloc" of "malloc" and "malloc@@GLIBC_2.2.5". */
static bool is_called(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(symbol, name, length) && (!symbol[length] || symbol[length] == '@');
}

/* The only code of that name, or NULL. */
static const struct image_symbol *find_symbol(const struct image *image, const char *name,
					      struct error *error)
{
	const struct image_symbol *symbol, *found = NULL;
	struct nearest_word nearest = { 0 };
	size_t count;

	symbol = image_symbols(image, &count);
	for (size_t i = 0; i < count; i++) {
		if (!found)
			nearest_word_add(&nearest, name, symbol[i].name);
		if (!is_called(symbol[i].name, name))
			continue;
		if (symbol[i].type == STT_GNU_IFUNC) {
			fail_name(error,
				  "one of several functions is chosen at run time, give its name "
				  "or an offset:",
				  name, NULL);
			return NULL;
		}
		if (found && found->pc != symbol[i].pc) {
			fail_name(error,
				  "more than one function is called so, give an offset:", name,
				  NULL);
			return NULL;
		}
		found = &symbol[i];
	}
	if (!found)
		fail_name(error, "the file has no function", name, nearest.word);
	return found;
}

static int find_instruction(const struct image *image, struct record_options *options,
			    struct error *error)
{
	const struct image_symbol *symbol = find_symbol(image, options->event_symbol, error);
	const struct image_segment *segment;
	uint64_t address;

	if (!symbol)
		return -1;
	if (symbol->size && options->event_offset >= symbol->size)
		return fail_name(error, "the offset is behind the end of", options->event_symbol,
				 NULL);
	address = symbol->pc + options->event_offset;
	segment = image_code_segment(image, address);
	if (!segment)
		return fail_name(error, "there is no code in the file at", options->event_symbol,
				 NULL);
	options->event_offset = address - segment->vaddr + segment->file_offset;
	return 0;
}

static int check_offset(const struct record_options *options, struct error *error)
{
	struct stat file;

	if (stat(options->event_name, &file))
		return error_set_errno(error, "%s", options->event_name);
	if (options->event_offset < (uint64_t)file.st_size)
		return 0;
	return fail_name(error, "the offset is behind the end of", options->event_name, NULL);
}

int record_event_find(struct record_options *options, char path[PATH_MAX], struct error *error)
{
	struct image *image DEINIT(image_destroy_at) = NULL;

	if (options->event == RECORD_TRACEPOINT)
		return find_tracepoint(options->event_name, "/proc/kallsyms", error);
	if (options->event != RECORD_UPROBE)
		return 0;
	if (find_file(options, path, error))
		return -1;
	options->event_name = path;
	if (!options->event_symbol)
		return check_offset(options, error);
	return image_create(path, &image, error) ? -1 : find_instruction(image, options, error);
}

void record_event_describe(const struct record_options *options, char *ret, size_t size)
{
	static const char *const names[] = {
		[RECORD_CPU_CLOCK] = "cpu-clock",   [RECORD_CYCLES] = "cycles",
		[RECORD_TRACEPOINT] = "tracepoint", [RECORD_UPROBE] = "uprobe",
		[RECORD_OFF_CPU] = "off-cpu",
	};

	if (options->event_name)
		snprintf(ret, size, "%s:%s",
			 options->event_returns ? "uretprobe" : names[options->event],
			 options->event_name);
	else
		snprintf(ret, size, options->rate_hz ? "%s, %u Hz" : "%s", names[options->event],
			 options->rate_hz);
}
