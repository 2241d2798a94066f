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

static json_t *integer(uint64_t number)
{
	return json_integer((json_int_t)number);
}

static json_t *toolchain_json(const struct toolchain *toolchain)
{
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{ "binaries", toolchain->binaries },
		{ "skipped", toolchain->skipped },
		{ "not_judged", toolchain->broken },
		{ "points", toolchain->points },
		{ "exact", toolchain->exact },
		{ "table_fault", toolchain->table_fault },
		{ "flagged", toolchain->flagged },
		{ "not_the_toolchains", toolchain->ours },
		{ "faults", toolchain->faults },
		{ "faults_unexpected", toolchain->faults_unexpected },
		{ "measured", toolchain->measured },
		{ "unread", toolchain->unread },
		{ "functions", toolchain->functions },
		{ "rows", toolchain->rows },
		{ "cfi_bytes", toolchain->cfi_bytes },
		{ "file_rows", toolchain->file_rows },
		{ "table_bytes", toolchain->table_bytes },
		{ "returns", toolchain->returns },
		{ "returns_open", toolchain->returns_open },
	};
	json_t *object = json_pack("{s:s}", "type", "toolchain");
	char version[64] = "";

	json_object_set_new(object, "toolchain", json_bytes(toolchain->name));
	json_object_set_new(object, "family", json_bytes(toolchain->id.family));
	for (int i = 0; i < TOOLCHAIN_VERSION_PARTS; i++) {
		size_t used = strlen(version);
		snprintf(version + used, sizeof(version) - used, "%s%u", i ? "." : "",
			 toolchain->id.version[i]);
	}
	json_object_set_new(object, "version", json_string(version));
	json_object_set_new(object, "linker", json_bytes(toolchain->id.linker));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_object_set_new(object, counts[i].key, integer(counts[i].value));
	json_object_set_new(object, "skip_reasons", json_bytes(toolchain->reasons));
	json_object_set_new(object, "unread_reason", json_bytes(toolchain->unread_reason));
	return object;
}

static json_t *case_json(const struct toolchains *model, const struct fault_case *fault_case)
{
	static const char *const copied[] = { "place",	  "address",	  "instruction",
					      "declared", "declared_cfa", "actual_cfa",
					      "frame",	  "stop" };
	json_t *object = json_object();
	char actual[128];

	json_object_set_new(object, "toolchain",
			    json_bytes(model->toolchain[fault_case->toolchain].name));
	json_object_set_new(object, "variant", json_bytes(fault_case->cell->variant));
	json_object_set_new(object, "binary", json_bytes(fault_case->cell->binary));
	json_object_set_new(object, "points", integer(finding_points(&fault_case->finding)));
	json_object_set_new(object, "expected", json_boolean(fault_case->finding.expected));
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		json_t *value = json_object_get(fault_case->finding.object, copied[i]);
		if (value)
			json_object_set(object, copied[i], value);
	}
	fault_actual_print(&fault_case->finding, actual, sizeof(actual));
	if (actual[0])
		json_object_set_new(object, "actual", json_string(actual));
	return object;
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
	json_t *object = json_pack("{s:s}", "type", "toolchain_fault");
	json_t *cases = json_array();
	char history[2048];

	fault_history_print(model, fault, history, sizeof(history));
	json_object_set_new(object, "origin", json_string(fault_origin_name(fault->origin)));
	json_object_set_new(object, "program", json_bytes(fault->program));
	json_object_set_new(object, "library", json_bytes(fault->library));
	json_object_set_new(object, "function", json_bytes(fault->function));
	json_object_set_new(object, "kind", json_bytes(fault->kind));
	json_object_set_new(object, "expected", json_boolean(fault->expected));
	json_object_set_new(object, "points", integer(fault->points));
	json_object_set_new(object, "present", names_in_state(model, fault, FAULT_PRESENT));
	json_object_set_new(object, "absent", names_in_state(model, fault, FAULT_ABSENT));
	json_object_set_new(object, "history", json_bytes(history));
	for (size_t i = 0; i < fault->case_count; i++)
		json_array_append_new(cases, case_json(model, &fault->cases[i]));
	json_object_set_new(object, "findings", cases);
	return object;
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
	return json_pack("{s:o, s:I, s:I, s:I, s:s, s:s, s:I, s:I, s:I, s:I}", "features",
			 feature_names(profile->features), "length", (json_int_t)profile->length,
			 "rows", (json_int_t)profile->rows, "rules", (json_int_t)profile->rules,
			 "saved", saved, "cfa", cfa, "cfa_max", (json_int_t)profile->cfa_max,
			 "returns", (json_int_t)profile->returns, "returns_open",
			 (json_int_t)profile->returns_open, "cfi_bytes",
			 (json_int_t)profile->cfi_bytes);
}

static void set_pair(json_t *object, const struct toolchains *model,
		     const struct toolchain_pair *pair)
{
	json_object_set_new(object, "from", json_bytes(model->toolchain[pair->from].name));
	json_object_set_new(object, "to", json_bytes(model->toolchain[pair->to].name));
}

static json_t *change_json(const struct toolchains *model, const struct toolchain_pair *pair,
			   const struct function_change *change)
{
	json_t *object = json_pack("{s:s}", "type", "toolchain_change");
	json_t *numbers = json_array();

	set_pair(object, model, pair);
	json_object_set_new(object, "program", json_bytes(change->program));
	json_object_set_new(object, "variant", json_bytes(change->variant));
	json_object_set_new(object, "function", json_bytes(change->after.name));
	json_object_set_new(object, "change", json_string(function_outcome_name(change->outcome)));
	json_object_set_new(object, "gained", feature_names(change->gained));
	json_object_set_new(object, "lost", feature_names(change->lost));
	for (unsigned int i = 0; i < NUMBER_COUNT; i++)
		if (change->numbers & 1u << i)
			json_array_append_new(numbers, json_string(function_number_name(i)));
	json_object_set_new(object, "differs", numbers);
	if (change->outcome != FUNCTION_ADDED)
		json_object_set_new(object, "before", profile_json(&change->before));
	if (change->outcome != FUNCTION_REMOVED)
		json_object_set_new(object, "after", profile_json(&change->after));
	return object;
}

static json_t *pair_json(const struct toolchains *model, const struct toolchain_pair *pair)
{
	json_t *object = json_pack("{s:s}", "type", "toolchain_pair");
	struct change_groups groups;
	json_t *kinds = json_object();

	set_pair(object, model, pair);
	json_object_set_new(object, "reason", json_string(pair_reason_name(pair->reason)));
	json_object_set_new(object, "binaries", integer(pair->binaries));
	for (unsigned int i = 0; i < FUNCTION_OUTCOME_COUNT; i++) {
		char key[64];
		snprintf(key, sizeof(key), "functions_%s", function_outcome_name(i));
		json_object_set_new(object, key, integer(pair->functions[i]));
	}
	change_groups_init(&groups, pair);
	for (size_t i = 0; i < groups.count; i++)
		json_object_set_new(kinds, groups.group[i].title, integer(groups.group[i].count));
	change_groups_deinit(&groups);
	json_object_set_new(object, "kinds", kinds);
	return object;
}

static json_t *summary_json(const struct toolchains *model)
{
	size_t origin[ORIGIN_COUNT] = { 0 }, unexpected = 0;
	json_t *object = json_pack("{s:s, s:I, s:I}", "type", "toolchain_summary", "toolchains",
				   (json_int_t)model->count, "pairs",
				   (json_int_t)model->pair_count);

	for (size_t i = 0; i < model->fault_count; i++) {
		origin[model->fault[i].origin]++;
		unexpected += !model->fault[i].expected;
	}
	for (unsigned int i = 0; i < ORIGIN_COUNT; i++) {
		char key[64];
		snprintf(key, sizeof(key), "faults_%s", fault_origin_name(i));
		json_object_set_new(object, key, integer(origin[i]));
	}
	json_object_set_new(object, "faults_unexpected", integer(unexpected));
	return object;
}

int toolchains_print_json(const struct toolchains *model, FILE *file)
{
	for (size_t i = 0; i < model->count; i++)
		json_line(file, toolchain_json(&model->toolchain[i]));
	for (size_t i = 0; i < model->fault_count; i++)
		json_line(file, fault_json(model, &model->fault[i]));
	for (size_t p = 0; p < model->pair_count; p++) {
		const struct toolchain_pair *pair = &model->pair[p];
		json_line(file, pair_json(model, pair));
		for (size_t i = 0; i < pair->change_count; i++)
			json_line(file, change_json(model, pair, &pair->change[i]));
	}
	json_line(file, summary_json(model));
	return ferror(file) ? -1 : 0;
}
