/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doctor.c - the abilities, and what adds the missing ones
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/child/child.h"
#include "doctor.h"

#define GUESTS	  "vm run watch load sample"
#define IN_GUESTS "run watch vm"

static const struct ability abilities[] = {
	{ "step", "programs are stepped: the truth", "compare step truth run score corpus",
	  "unavailable", doctor_ask_step, NULL, NULL, NULL },
	{ "bpf", "the walk in the kernel", "compare run sample profile replay load", "no_bpf",
	  doctor_ask_bpf, NULL, NULL, NULL },
	{ "perf", "samples, by the kernel's perf events", "profile sample score", "unavailable",
	  doctor_ask_perf, NULL, NULL, NULL },
	{ "qemu", "guests with other kernels", GUESTS, "no_vm", doctor_ask_program,
	  "qemu-system-x86_64", "qemu-system-x86", NULL },
	{ "kvm", "guests at the machine's speed", GUESTS, "", doctor_ask_kvm, NULL, NULL, NULL },
	{ "kernels", "kernels to boot, without the network", GUESTS, "no_kernel",
	  doctor_ask_kernels, NULL, NULL, "stackproof kernels fetch 5.10 6.1 6.12 7.2" },
	{ "emulator", "a QEMU that takes plugins: truth of whole workloads", "watch run",
	  "no_emulator", doctor_ask_emulator, NULL, NULL,
	  "stackproof emulators fetch bookworm-backports" },
	{ "mke2fs", "guests with a real system in them", "vm watch", "unavailable",
	  doctor_ask_program, "mke2fs", "e2fsprogs", NULL },
	{ "gcc-12", "the corpus in C", "run golden plant corpus", "no_compiler", doctor_ask_program,
	  "gcc-12", "gcc-12", NULL },
	{ "g++-12", "the corpus in C++", "run golden plant corpus", "no_compiler",
	  doctor_ask_program, "g++-12", "g++-12", NULL },
	{ "clang-14", "the corpus by clang; BPF objects", "run golden plant corpus load",
	  "no_compiler", doctor_ask_program, "clang-14", "clang-14", NULL },
	{ "rustc", "the corpus in Rust", "run golden plant corpus", "no_compiler",
	  doctor_ask_program, "rustc", "rustc", NULL },
	{ "readelf", "another reader of tables", "prove bench", "no_tool", doctor_ask_program,
	  "readelf", "binutils", NULL },
	{ "perf-tool", "perf.data, and perf as a profiler", "score", "no_profiler",
	  doctor_ask_program, "perf", "linux-perf", NULL },
};

const struct ability *doctor_ability(size_t i)
{
	return i < ARRAY_COUNT(abilities) ? &abilities[i] : NULL;
}

const char *doctor_answer_name(enum doctor_answer answer)
{
	static const char *const names[] = {
		[DOCTOR_THERE] = "there", [DOCTOR_SLOW] = "slow", [DOCTOR_MISSING] = "missing"
	};

	return names[answer];
}

void doctor_say(struct doctor_found *ret, enum doctor_answer answer, const char *format, ...)
{
	va_list arguments;

	ret->answer = answer;
	va_start(arguments, format);
	vsnprintf(ret->text, sizeof(ret->text), format, arguments);
	va_end(arguments);
}

void doctor_ask_program(const struct ability *ability, struct doctor_found *ret)
{
	char path[PATH_MAX];

	if (child_find(ability->program, path, sizeof(path)))
		doctor_say(ret, DOCTOR_MISSING, "there is no %s in PATH", ability->program);
	else
		doctor_say(ret, DOCTOR_THERE, "%s", path);
}

char *doctor_remedy(const struct doctor_found *found, struct error *error)
{
	char *ret = NULL;
	size_t size;
	FILE *file = open_memstream(&ret, &size);
	bool any = false;

	for (size_t i = 0; file && i < ARRAY_COUNT(abilities); i++) {
		if (found[i].answer != DOCTOR_MISSING || !abilities[i].package)
			continue;
		fprintf(file, "%s %s", any ? "" : "apt-get install --no-install-recommends",
			abilities[i].package);
		any = true;
	}
	if (any)
		fputc('\n', file);
	for (size_t i = 0; file && i < ARRAY_COUNT(abilities); i++)
		if (found[i].answer == DOCTOR_MISSING && abilities[i].command)
			fprintf(file, "%s\n", abilities[i].command);
	if (!file || fclose(file) || !ret) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for what is missing");
		free(ret);
		return NULL;
	}
	return ret;
}
