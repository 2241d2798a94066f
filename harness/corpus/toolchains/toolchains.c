/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchains.c - a results folder seen by toolchain
 *
 * Each binary counts once, whatever the number of kernels: its table is the same on all. What was
 * skipped is counted with its reason, so that a compiler which could not be had is seen to be
 * absent and not to be without faults.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/no_memory.h"
#include "toolchain_model.h"

static int compare_toolchains(const void *a, const void *b)
{
	const struct toolchain *one = a, *two = b;
	int order = toolchain_id_compare(&one->id, &two->id);

	return order ? order : strcmp(one->name, two->name);
}

size_t toolchains_find(const struct toolchains *model, const char *name)
{
	for (size_t i = 0; i < model->count; i++)
		if (!strcmp(model->toolchain[i].name, name))
			return i;
	return SIZE_MAX;
}

static void add_toolchain(struct toolchains *model, const char *name)
{
	if (toolchains_find(model, name) != SIZE_MAX)
		return;
	struct toolchain *toolchain =
		ARRAY_NEED(model->toolchain, model->count,
			   (struct toolchain) { .name = need_memory(strdup(name)),
						.reasons = need_memory(strdup("")),
						.unread_reason = need_memory(strdup("")) });
	toolchain_id_parse(name, &toolchain->id);
}

/* ---- cells ------------------------------------------------------------------------------- */

static int compare_cells(const void *a, const void *b)
{
	const struct cell *const *one = a, *const *two = b;
	int order = strcmp((*one)->binary, (*two)->binary);

	/* Kernels are in the results' order: the first is the one to take. */
	return order ? order : (*one > *two) - (*one < *two);
}

/* The cell that speaks for a binary: the first that was judged, else the first. */
static const struct cell *speaker(const struct cell *const *cell, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cell[i]->status == CELL_PASSED || cell[i]->status == CELL_FAILED)
			return cell[i];
	return cell[0];
}

/* One cell of each binary, in the results' order of binaries by name. */
static const struct cell **speakers(const struct results *results, size_t *ret_count)
{
	const struct cell **cell = need_memory(calloc(results->cell_count + 1, sizeof(*cell)));
	size_t count = 0;

	for (size_t i = 0; i < results->cell_count; i++)
		cell[i] = &results->cell[i];
	qsort(cell, results->cell_count, sizeof(*cell), compare_cells);
	for (size_t first = 0, next; first < results->cell_count; first = next) {
		for (next = first + 1; next < results->cell_count; next++)
			if (strcmp(cell[first]->binary, cell[next]->binary) != 0)
				break;
		cell[count++] = speaker(&cell[first], next - first);
	}
	*ret_count = count;
	return cell;
}

static void add_verdicts(struct toolchain *toolchain, const json_t *verdicts)
{
	static const char *const ours[] = { "reader_fault", "walk_fault", "kernel_fault",
					    "unexplained", "conversion_loss_silent" };

	toolchain->points += json_number(verdicts, "points");
	toolchain->exact += json_number(verdicts, "exact");
	toolchain->table_fault += json_number(verdicts, "table_fault");
	toolchain->flagged += json_number(verdicts, "conversion_loss_flagged");
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		toolchain->ours += json_number(verdicts, ours[i]);
}

static void add_cell(struct toolchain *toolchain, const struct cell *cell)
{
	size_t index;
	json_t *object;

	if (cell->status == CELL_SKIPPED) {
		toolchain->skipped++;
		return;
	}
	if (cell->status != CELL_PASSED && cell->status != CELL_FAILED) {
		toolchain->broken++;
		return;
	}
	toolchain->binaries++;
	json_array_foreach(cell->objects, index, object)
	{
		if (!strcmp(json_text(object, "type"), "verdicts"))
			add_verdicts(toolchain, object);
	}
}

/* "no_root 40, no_bpf 1": the typed words of the reasons, in order of appearance. */
static void list_reasons(struct toolchain *toolchain, const struct cell *const *cell, size_t count)
{
	JSON_FREED json_t *counts = json_object();
	json_t *known;
	char *text = NULL;
	const char *key;
	size_t size;

	for (size_t i = 0; i < count; i++) {
		char word[128];

		if (cell[i]->status != CELL_SKIPPED || strcmp(cell[i]->toolchain, toolchain->name))
			continue;
		/* "no_bpf: how it was refused" is a no_bpf. */
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(cell[i]->reason, ": "),
			 cell[i]->reason);
		json_int_t before = json_integer_value(json_object_get(counts, word));
		json_object_set_new(counts, word, json_integer(before + 1));
	}
	FILE *file = need_memory(open_memstream(&text, &size));
	json_object_foreach(counts, key, known) fprintf(file, "%s%s %lld", ftell(file) ? ", " : "",
							key, (long long)json_integer_value(known));
	fclose(file);
	free(toolchain->reasons);
	toolchain->reasons = text;
}

static void count_faults(struct toolchains *model)
{
	for (size_t i = 0; i < model->fault_count; i++) {
		const struct toolchain_fault *fault = &model->fault[i];
		if (fault->origin != ORIGIN_COMPILED)
			continue;
		for (size_t t = 0; t < model->count; t++) {
			bool unexpected = false;
			for (size_t c = 0; c < fault->case_count; c++)
				unexpected |= fault->cases[c].toolchain == t &&
					      !fault->cases[c].finding.expected;
			model->toolchain[t].faults += fault->state[t] == FAULT_PRESENT;
			model->toolchain[t].faults_unexpected += unexpected;
		}
	}
}

void toolchains_init(struct toolchains *ret, const struct results *results)
{
	size_t count;
	FREED const struct cell **cell = speakers(results, &count);

	*ret = (struct toolchains) { .results = results };
	for (size_t i = 0; i < count; i++)
		add_toolchain(ret, cell[i]->toolchain);
	if (ret->count)
		qsort(ret->toolchain, ret->count, sizeof(*ret->toolchain), compare_toolchains);
	for (size_t i = 0; i < count; i++)
		add_cell(&ret->toolchain[toolchains_find(ret, cell[i]->toolchain)], cell[i]);
	for (size_t i = 0; i < ret->count; i++)
		if (ret->toolchain[i].skipped)
			list_reasons(&ret->toolchain[i], cell, count);
	toolchain_faults_collect(ret, cell, count);
	count_faults(ret);
}

static void fault_deinit(struct toolchain_fault *fault)
{
	free(fault->cases);
	free(fault->state);
}

void toolchains_deinit(struct toolchains *model)
{
	for (size_t i = 0; i < model->count; i++) {
		free(model->toolchain[i].name);
		free(model->toolchain[i].reasons);
		toolchain_sframe_deinit(&model->toolchain[i].sframe);
		free(model->toolchain[i].unread_reason);
	}
	for (size_t i = 0; i < model->fault_count; i++)
		fault_deinit(&model->fault[i]);
	for (size_t i = 0; i < model->pair_count; i++)
		free(model->pair[i].change);
	free(model->toolchain);
	free(model->fault);
	free(model->pair);
	*model = (struct toolchains) { 0 };
}

size_t toolchains_previous(const struct toolchains *model, size_t index, const bool *usable)
{
	const struct toolchain_id *id = &model->toolchain[index].id;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < model->count; i++) {
		const struct toolchain_id *other = &model->toolchain[i].id;
		struct toolchain_id plain = *id;

		if (i == index || !usable[i] || other->linker[0] ||
		    strcmp(other->family, id->family))
			continue;
		/* Of another linker the same compiler with the usual one is the neighbour. */
		plain.linker[0] = '\0';
		int order = toolchain_id_compare(other, &plain);
		if (id->linker[0] ? order == 0 : order < 0)
			found = i;
	}
	return found;
}
