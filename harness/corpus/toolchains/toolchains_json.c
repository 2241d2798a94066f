/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchains_json.c - the toolchain report as NDJSON
 *
 * Everything that the model holds, one object per line: each toolchain, each fault with each of its
 * findings, each pair, each function that changed, and a summary at the end. docs/JSON.md names the
 * fields. Names that are not UTF-8 are written as everywhere, \xNN for each byte above 0x7f.
 */
#include <string.h>
#include "base/cli/json_counts.h"
#include "toolchain_model.h"

static json_t *toolchain_json(const struct toolchain *toolchain)
{
	char version[64] = "";

	for (int i = 0; i < TOOLCHAIN_VERSION_PARTS; i++) {
		size_t used = strlen(version);
		snprintf(version + used, sizeof(version) - used, "%s%u", i ? "." : "",
			 toolchain->id.version[i]);
	}
	json_t *object = JSON_NEW("type", "toolchain", "toolchain", toolchain->name, "family",
				  toolchain->id.family, "version", version, "linker",
				  toolchain->id.linker);
	if (toolchain->sframe.binaries)
		JSON_SET(object, "sframe", toolchain_sframe_json(&toolchain->sframe));
	return JSON_SET(object, "binaries", toolchain->binaries, "skipped", toolchain->skipped,
			"not_judged", toolchain->broken, "points", toolchain->points, "exact",
			toolchain->exact, "table_fault", toolchain->table_fault, "flagged",
			toolchain->flagged, "not_the_toolchains", toolchain->ours, "faults",
			toolchain->faults, "faults_unexpected", toolchain->faults_unexpected,
			"measured", toolchain->measured, "unread", toolchain->unread, "functions",
			toolchain->functions, "rows", toolchain->rows, "cfi_bytes",
			toolchain->cfi_bytes, "file_rows", toolchain->file_rows, "table_bytes",
			toolchain->table_bytes, "returns", toolchain->returns, "returns_open",
			toolchain->returns_open, "skip_reasons", toolchain->reasons,
			"unread_reason", toolchain->unread_reason);
}

static json_t *case_json(const struct toolchains *model, const struct fault_case *fault_case)
{
	static const char *const copied[] = { "place",	  "address",	  "instruction",
					      "declared", "declared_cfa", "actual_cfa",
					      "frame",	  "stop" };
	json_t *object = json_object();
	char actual[128];

	JSON_SET(object, "toolchain", model->toolchain[fault_case->toolchain].name, "variant",
		 fault_case->cell->variant, "binary", fault_case->cell->binary, "points",
		 finding_points(&fault_case->finding), "expected",
		 json_boolean(fault_case->finding.expected));
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		json_t *value = json_object_get(fault_case->finding.object, copied[i]);
		if (value)
			json_object_set(object, copied[i], value);
	}
	fault_actual_print(&fault_case->finding, actual, sizeof(actual));
	return JSON_SET(object, "actual", actual[0] ? actual : NULL);
}

/* Names of the toolchains in a state. */
static json_t *names_in_state(const struct toolchains *model, const struct toolchain_fault *fault,
			      enum fault_state state)
{
	json_t *names = json_array();

	for (size_t i = 0; i < model->count; i++)
		if (fault->state[i] == state)
			json_array_append_new(names, json_bytes(model->toolchain[i].name));
	return names;
}

static json_t *fault_json(const struct toolchains *model, const struct toolchain_fault *fault)
{
	json_t *cases = json_array();
	char history[2048];

	fault_history_print(model, fault, history, sizeof(history));
	json_t *object = JSON_NEW(
		"type", "toolchain_fault", "origin", fault_origin_name(fault->origin), "program",
		fault->program, "library", fault->library, "function", fault->function, "kind",
		fault->kind, "expected", json_boolean(fault->expected), "points", fault->points,
		"present", names_in_state(model, fault, FAULT_PRESENT), "absent",
		names_in_state(model, fault, FAULT_ABSENT), "history", history);
	for (size_t i = 0; i < fault->case_count; i++)
		json_array_append_new(cases, case_json(model, &fault->cases[i]));
	return JSON_SET(object, "findings", cases);
}

static json_t *feature_names(uint32_t set)
{
	json_t *names = json_array();

	for (unsigned int i = 0; i < FEATURE_COUNT; i++)
		if (set & 1u << i)
			json_array_append_new(names, json_string(feature_text(i)->name));
	return names;
}

static json_t *profile_json(const struct function_profile *profile)
{
	char saved[128], cfa[64];

	function_saved_print(profile->saved, saved, sizeof(saved));
	function_cfa_print(profile, cfa, sizeof(cfa));
	return JSON_NEW("features", feature_names(profile->features), "length", profile->length,
			"rows", profile->rows, "rules", profile->rules, "saved", saved, "cfa", cfa,
			"cfa_max", profile->cfa_max, "returns", profile->returns, "returns_open",
			profile->returns_open, "cfi_bytes", profile->cfi_bytes);
}

static void set_pair(json_t *object, const struct toolchains *model,
		     const struct toolchain_pair *pair)
{
	JSON_SET(object, "from", model->toolchain[pair->from].name, "to",
		 model->toolchain[pair->to].name);
}

static json_t *change_json(const struct toolchains *model, const struct toolchain_pair *pair,
			   const struct function_change *change)
{
	json_t *object = JSON_NEW("type", "toolchain_change");
	json_t *numbers = json_array();

	set_pair(object, model, pair);
	JSON_SET(object, "program", change->program, "variant", change->variant, "function",
		 change->after.name, "change", function_outcome_name(change->outcome), "gained",
		 feature_names(change->gained), "lost", feature_names(change->lost));
	for (unsigned int i = 0; i < NUMBER_COUNT; i++)
		if (change->numbers & 1u << i)
			json_array_append_new(numbers, json_string(function_number_name(i)));
	return JSON_SET(object, "differs", numbers, "before",
			change->outcome != FUNCTION_ADDED ? profile_json(&change->before) : NULL,
			"after",
			change->outcome != FUNCTION_REMOVED ? profile_json(&change->after) : NULL);
}

static json_t *pair_json(const struct toolchains *model, const struct toolchain_pair *pair)
{
	json_t *object = JSON_NEW("type", "toolchain_pair");
	struct change_groups groups;
	json_t *kinds = json_object();

	set_pair(object, model, pair);
	JSON_SET(object, "reason", pair_reason_name(pair->reason), "binaries", pair->binaries);
	for (unsigned int i = 0; i < FUNCTION_OUTCOME_COUNT; i++) {
		char key[64];
		snprintf(key, sizeof(key), "functions_%s", function_outcome_name(i));
		JSON_SET(object, key, pair->functions[i]);
	}
	change_groups_init(&groups, pair);
	for (size_t i = 0; i < groups.count; i++)
		JSON_SET(kinds, groups.group[i].title, groups.group[i].count);
	change_groups_deinit(&groups);
	return JSON_SET(object, "kinds", kinds);
}

static json_t *summary_json(const struct toolchains *model)
{
	size_t origin[ORIGIN_COUNT] = { 0 }, unexpected = 0;
	json_t *object = JSON_NEW("type", "toolchain_summary", "toolchains", model->count, "pairs",
				  model->pair_count);

	for (size_t i = 0; i < model->fault_count; i++) {
		origin[model->fault[i].origin]++;
		unexpected += !model->fault[i].expected;
	}
	for (unsigned int i = 0; i < ORIGIN_COUNT; i++) {
		char key[64];
		snprintf(key, sizeof(key), "faults_%s", fault_origin_name(i));
		JSON_SET(object, key, origin[i]);
	}
	return JSON_SET(object, "faults_unexpected", unexpected);
}

int toolchains_print_json(const struct toolchains *model, FILE *file)
{
	for (size_t i = 0; i < model->count; i++)
		json_line(file, toolchain_json(&model->toolchain[i]));
	for (size_t i = 0; i < model->fault_count; i++)
		json_line(file, fault_json(model, &model->fault[i]));
	toolchain_sframe_print_json(model, file);
	for (size_t p = 0; p < model->pair_count; p++) {
		const struct toolchain_pair *pair = &model->pair[p];
		json_line(file, pair_json(model, pair));
		for (size_t i = 0; i < pair->change_count; i++)
			json_line(file, change_json(model, pair, &pair->change[i]));
	}
	json_line(file, summary_json(model));
	return ferror(file) ? -1 : 0;
}
