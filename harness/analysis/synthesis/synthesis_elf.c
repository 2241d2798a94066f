/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_elf.c - a copy of an ELF file with the section, by objcopy
 *
 * objcopy can add a section but no segment. So unwinders of other processes (profilers, debuggers, our
 * own) find what it adds, by the section's name; one in the program itself does not, for it begins with the
 * program header PT_GNU_EH_FRAME.
 */
#include <inttypes.h>
#include <string.h>
#include "base/child/child.h"
#include "synthesis.h"

/* A path that begins with '-' is no option. */
static const char *path_word(const char *path, char *ret, size_t size)
{
	snprintf(ret, size, "%s%s", path[0] == '-' ? "./" : "", path);
	return ret;
}

void synthesis_command(const struct synthesis_target *target, const char *section_path,
		       const char *input, const char *output, struct synthesis_command *ret)
{
	const char *name = target->is_debug ? ".debug_frame" : ".eh_frame";
	size_t count = 0;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->section, sizeof(ret->section), "%s=%s", name, section_path);
	ret->argv[count++] = "objcopy";
	if (target->is_joined) /* with the sections that may be compressed */
		ret->argv[count++] = "--decompress-debug-sections";
	if (!target->is_debug) { /* linkers leave an empty one */
		ret->argv[count++] = "--remove-section";
		ret->argv[count++] = name;
	}
	ret->argv[count++] = target->is_joined ? "--update-section" : "--add-section";
	ret->argv[count++] = ret->section;
	if (!target->is_debug) {
		snprintf(ret->flags, sizeof(ret->flags), "%s=alloc,readonly", name);
		snprintf(ret->address, sizeof(ret->address), "%s=%#" PRIx64, name, target->vaddr);
		ret->argv[count++] = "--set-section-flags";
		ret->argv[count++] = ret->flags;
		ret->argv[count++] = "--change-section-address";
		ret->argv[count++] = ret->address;
	}
	ret->argv[count++] = path_word(input, ret->input, sizeof(ret->input));
	ret->argv[count++] = path_word(output, ret->output, sizeof(ret->output));
}

int synthesis_command_run(const struct synthesis_command *command, struct error *error)
{
	struct child_command child = { .argv = command->argv, .errors = false };
	pid_t pid = child_start(&child, NULL, error);
	int status;

	if (pid < 0)
		return -1;
	status = child_end(pid, false);
	if (child_check("objcopy", status, error))
		return -1;
	return status ? error_set(error, ERROR_PROTOCOL, NULL, 0, "objcopy fails") : 0;
}
