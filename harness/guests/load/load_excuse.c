/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_excuse.c - whether a program that does not load is a failure
 *
 * It is: who asks for a program to be loaded wants it to run. Three things excuse it. The user said
 * that it may be refused (--optional). Or it is one of ours that no kernel like this one is ever
 * asked to load: where the kernel has no bpf_loop, session.c walks by tail calls, and `bench`
 * leaves out the figures that need it. Or it traces a function of the kernel's, which a machine may
 * let nobody do: then task_notes.c follows without it, and says what is not seen. That says nothing
 * of anybody else's program, nor of ours in a file, which somebody may ship.
 *
 * Why it is refused is another matter, and the log's. A kernel before Linux 5.13 knows no callbacks,
 * and refuses a program that calls bpf_loop by "number of funcs in func_info doesn't match number
 * of subprogs", which does not say that a helper function is missing.
 */
#include <fnmatch.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "array.h"
#include "load.h"

const char *load_excuse_name(enum load_excuse excuse)
{
	static const char *const name[LOAD_EXCUSE_COUNT] = { "", "optional", "unused", "spared" };

	return excuse < LOAD_EXCUSE_COUNT ? name[excuse] : "?";
}

int load_optional_add(struct load_optional *optional, const char *glob)
{
	return ARRAY_ADD(optional->name, optional->count,
			 (struct load_optional_name) { .glob = glob })
		       ? 0
		       : -1;
}

bool load_optional_has(struct load_optional *optional, const struct load_result *result)
{
	char full[2 * LOAD_NAME_MAX + 2];
	bool has = false;

	snprintf(full, sizeof(full), "%s/%s", result->object, result->program);
	for (size_t i = 0; i < optional->count; i++) {
		struct load_optional_name *name = &optional->name[i];

		if (fnmatch(name->glob, result->program, 0) && fnmatch(name->glob, full, 0))
			continue;
		has = name->met = true;
	}
	return has;
}

void load_optional_deinit(struct load_optional *optional)
{
	free(optional->name);
	*optional = (struct load_optional) { 0 };
}

bool load_kernel_loops(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) == 1;
}

enum load_excuse load_excuse(const struct load_result *result, bool built_in, bool loops,
			     bool optional)
{
	if (result->outcome == LOAD_YES)
		return LOAD_NO_EXCUSE;
	if (optional)
		return LOAD_OPTIONAL;
	if (built_in && !strcmp(result->object, "task_notes") &&
	    !strcmp(result->program, "note_move"))
		return LOAD_SPARED;
	return built_in && !loops && !strcmp(result->method, "bpf_loop") ? LOAD_UNUSED
									 : LOAD_NO_EXCUSE;
}
