/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_count.c - a plugin of QEMU's: how many instructions ran in user mode, and how many elsewhere
 *
 * The cheapest that a plugin can do, an inline addition for each block and no callback while the guest runs: what it
 * costs is what any plugin costs. The privilege of a block is known at its translation: for another one QEMU translates
 * it anew. An instruction that faults ends its block early; the rest of the block is counted all the same.
 *
 *	out=FILE	for the line of JSON at the end, in place of standard error
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "plugin.h"

#define PRIVILEGE_MASK 3 /* of cs: Intel SDM volume 3, 5.5; 3 is user mode */

enum count { COUNT_USER, COUNT_OTHER, COUNT_UNKNOWN /* cs could not be read */, COUNTS };

static struct qemu_plugin_scoreboard *counts;
static struct qemu_plugin_register *cs;
static const char *out;

static struct qemu_plugin_u64 count_entry(enum count count)
{
	return (struct qemu_plugin_u64) { counts, count * sizeof(uint64_t) };
}

static int start(const struct qemu_info *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "out=", 4)) {
			fprintf(stderr, "count: no argument %s\n", argv[i]);
			return -1;
		}
		out = argv[i] + 4;
	}
	if (!info->system_emulation || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "count: it is for machines of x86_64\n");
		return -1;
	}
	counts = qemu_plugin_scoreboard_new(COUNTS * sizeof(uint64_t));
	return 0;
}

static void vcpu_init(unsigned vcpu)
{
	static const char *const name = "cs";
	struct qemu_plugin_register *found;

	if (plugin_registers(&name, 1, &found))
		__atomic_store_n(&cs, found, __ATOMIC_RELAXED); /* it is the same for all vCPUs */
}

static void translated(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_register *handle = __atomic_load_n(&cs, __ATOMIC_RELAXED);
	enum count count = COUNT_UNKNOWN;
	uint64_t selector;

	if (handle && plugin_register_read(handle, &selector))
		count = (selector & PRIVILEGE_MASK) == PRIVILEGE_MASK ? COUNT_USER : COUNT_OTHER;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_PLUGIN_INLINE_ADD_U64, count_entry(count), qemu_plugin_tb_n_insns(tb));
}

static void end(void)
{
	FILE *file = out ? fopen(out, "w") : stderr;

	if (!file) {
		perror(out);
		return;
	}
	fprintf(file, "{\"user\": %" PRIu64 ", \"other\": %" PRIu64 ", \"unknown\": %" PRIu64 "}\n",
		qemu_plugin_u64_sum(count_entry(COUNT_USER)),
		qemu_plugin_u64_sum(count_entry(COUNT_OTHER)),
		qemu_plugin_u64_sum(count_entry(COUNT_UNKNOWN)));
	if (out && fclose(file))
		perror(out);
}

const struct plugin plugin = {
	.start = start,
	.vcpu_init = vcpu_init,
	.translated = translated,
	.end = end,
};
