/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchain_sframe.c - which toolchains' SFrame is wrong, and which lacks what
 *
 * Of each binary that has SFrame every row of its CFI is held against it (prove/sframe_proof.h). A row that is wrong is a
 * fault by its place and by what differs: ".plt.got: another CFA". Assembler and linker are the toolchain's: gcc 12 of
 * Debian 12 has binutils 2.40, gcc 14 of Debian 13 has 2.44. Which toolchains have a fault and which have the same
 * programs without it says since when it is there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "cfi/code_name.h"
#include "plain_text.h"
#include "toolchain_model.h"

struct reading {
	const struct image *image;
	const struct cfi *cfi;
	struct toolchain_sframe *sums;
};

static void add_fault(struct toolchain_sframe *sums, const char *text)
{
	if (ARRAY_FIRST(sums->fault, sums->fault_count, one, !strcmp(*one, text)))
		return;
	if (sums->fault_count == TOOLCHAIN_SFRAME_FAULTS_MAX) {
		sums->more_faults++;
		return;
	}
	ARRAY_NEED(sums->fault, sums->fault_count, need_memory(strdup(text)));
}

static void note(void *context, const struct sframe_finding *finding)
{
	static const char *const what[] = {
		[SFRAME_DIFFERS_CFA] = "another CFA",
		[SFRAME_DIFFERS_RA] = "another return address",
		[SFRAME_DIFFERS_FP] = "another rbp",
	};
	struct reading *reading = context;
	char place[192], text[256];
	struct code_name name;

	if (!finding->cfi || !finding->sframe)
		return;
	code_name_find(reading->image, reading->cfi, finding->pc, &name);
	if (!strncmp(name.section, ".plt", 4))
		snprintf(place, sizeof(place), "%s", name.section);
	else
		code_name_print_place(&name, place, sizeof(place));
	for (unsigned int bit = SFRAME_DIFFERS_CFA; bit <= SFRAME_DIFFERS_FP; bit <<= 1) {
		if (!(finding->differs & bit))
			continue;
		snprintf(text, sizeof(text), "%s: %s", place, what[bit]);
		add_fault(reading->sums, text);
		return; /* what follows of it is no fault of its own */
	}
}

void toolchain_sframe_read(const struct image *image, const struct cfi *cfi,
			   struct toolchain_sframe *ret)
{
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	struct reading reading = { image, cfi, ret };
	struct sframe_proof proof;
	struct error ignored; /* it has none, or none that can be read */

	*ret = (struct toolchain_sframe) { .binaries = 0 };
	if (!cfi || sframe_create(image, &sframe, &ignored) || !sframe_is_amd64(sframe))
		return;
	sframe_prove(cfi, sframe, note, &reading, &proof);
	ret->binaries = 1;
	for (size_t i = 0; i < sframe->header_count; i++)
		ret->versions |= 1u << sframe->header[i].version;
	ret->rows = proof.rows;
	ret->equal = proof.equal;
	ret->wrong = proof.wrong;
	memcpy(ret->absent, proof.absent, sizeof(ret->absent));
}

void toolchain_sframe_add(struct toolchain_sframe *to, const struct toolchain_sframe *from)
{
	to->binaries += from->binaries;
	to->versions |= from->versions;
	to->rows += from->rows;
	to->equal += from->equal;
	to->wrong += from->wrong;
	to->more_faults += from->more_faults;
	for (unsigned int reason = 0; reason < SFRAME_ABSENCE_COUNT; reason++)
		to->absent[reason] += from->absent[reason];
	for (size_t i = 0; i < from->fault_count; i++)
		add_fault(to, from->fault[i]);
}

void toolchain_sframe_deinit(struct toolchain_sframe *sums)
{
	for (size_t i = 0; i < sums->fault_count; i++)
		free(sums->fault[i]);
	free(sums->fault);
	*sums = (struct toolchain_sframe) { .binaries = 0 };
}

/* ---- output ------------------------------------------------------------------------------- */

static bool has_fault(const struct toolchain *toolchain, const char *text)
{
	return ARRAY_ANY(toolchain->sframe.fault_count, i,
			 !strcmp(toolchain->sframe.fault[i], text));
}

/* Calls fn for each fault once, in the order of the first toolchain that has it. */
static void each_fault(const struct toolchains *model,
		       void (*fn)(void *context, const struct toolchains *model, const char *text),
		       void *context)
{
	for (size_t i = 0; i < model->count; i++)
		for (size_t at = 0; at < model->toolchain[i].sframe.fault_count; at++) {
			const char *text = model->toolchain[i].sframe.fault[at];

			if (!ARRAY_ANY(i, before, has_fault(&model->toolchain[before], text)))
				fn(context, model, text);
		}
}

static json_t *names_of(const struct toolchains *model, const char *fault, bool has)
{
	json_t *names = json_array();

	for (size_t i = 0; i < model->count; i++)
		if (model->toolchain[i].sframe.binaries &&
		    has_fault(&model->toolchain[i], fault) == has)
			json_array_append_new(names, json_bytes(model->toolchain[i].name));
	return names;
}

json_t *toolchain_sframe_json(const struct toolchain_sframe *sums)
{
	json_t *versions = json_array(), *absent = json_object();

	for (int version = 1; version <= 3; version++)
		if (sums->versions & 1u << version)
			json_array_append_new(versions, json_integer(version));
	for (unsigned int reason = 0; reason < SFRAME_ABSENCE_COUNT; reason++)
		if (sums->absent[reason])
			JSON_SET(absent, sframe_absence_name((enum sframe_absence)reason),
				 sums->absent[reason]);
	return JSON_NEW("binaries", (uint64_t)sums->binaries, "versions", versions, "rows",
			sums->rows, "equal", sums->equal, "wrong", sums->wrong, "absent", absent,
			"more_faults", sums->more_faults);
}

static void print_fault_json(void *context, const struct toolchains *model, const char *text)
{
	FILE *file = context;

	json_line(file,
		  JSON_NEW("type", "toolchain_sframe_fault", "fault", text, "present",
			   names_of(model, text, true), "absent", names_of(model, text, false)));
}

void toolchain_sframe_print_json(const struct toolchains *model, FILE *file)
{
	each_fault(model, print_fault_json, file);
}

static void print_names(FILE *file, const struct toolchains *model, const char *fault, bool has)
{
	const char *separator = has ? "      in " : "      not in ";

	for (size_t i = 0; i < model->count; i++) {
		if (!model->toolchain[i].sframe.binaries ||
		    has_fault(&model->toolchain[i], fault) != has)
			continue;
		fprintf(file, "%s%s", separator, PLAIN_TEXT(model->toolchain[i].name));
		separator = ", ";
	}
	if (separator[0] == ',')
		putc('\n', file);
}

static void print_fault(void *context, const struct toolchains *model, const char *text)
{
	FILE *file = context;

	fprintf(file, "  %s\n", PLAIN_TEXT(text));
	print_names(file, model, text, true);
	print_names(file, model, text, false);
}

static void print_sums(FILE *file, const struct toolchain *toolchain)
{
	const struct toolchain_sframe *sums = &toolchain->sframe;
	const char *separator = "; absent ";

	fprintf(file, "  %s: %zu binaries, %" PRIu64 " rows, %" PRIu64 " equal, %" PRIu64 " wrong",
		PLAIN_TEXT(toolchain->name), sums->binaries, sums->rows, sums->equal, sums->wrong);
	for (unsigned int reason = 0; reason < SFRAME_ABSENCE_COUNT; reason++) {
		if (!sums->absent[reason])
			continue;
		fprintf(file, "%s%" PRIu64 " %s", separator, sums->absent[reason],
			sframe_absence_name((enum sframe_absence)reason));
		separator = ", ";
	}
	for (int version = 1; version <= 3; version++)
		if (sums->versions & 1u << version)
			fprintf(file, "; version %d", version);
	putc('\n', file);
}

void toolchain_sframe_print(const struct toolchains *model, FILE *file)
{
	for (size_t i = 0; i < model->count; i++)
		if (model->toolchain[i].sframe.binaries)
			print_sums(file, &model->toolchain[i]);
	each_fault(model, print_fault, file);
}
