/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_print.c - a load_result as a line of text, as JSON, and from JSON
 *
 * Guests print JSON, the host reads it back and holds it against the record.
 */
#include <inttypes.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "load.h"
#include "plain_text.h"

json_t *load_result_json(const struct load_result *result)
{
	const struct load_statistics *statistics = &result->statistics;
	json_t *object = JSON_NEW("type", "load", "object", result->object, "compiler",
				  result->compiler, "compiler_version", result->version, "kernel",
				  result->kernel, "release", result->release, "program",
				  result->program, "method", result->method, "outcome",
				  load_outcome_name(result->outcome), "loads",
				  json_boolean(result->outcome == LOAD_YES));
	const struct {
		const char *key;
		uint64_t value;
	} number[] = {
		{ "instructions", statistics->instructions },
		{ "verified_insns", result->verified },
		{ "verified_instructions", result->verified },
		{ "total_states", statistics->total_states },
		{ "peak_states", statistics->peak_states },
		{ "stack_bytes", load_stack_bytes(statistics->stack) },
		{ "stack_most", statistics->stack_most },
		{ "verify_ns", statistics->verify_ns },
		{ "load_ns", result->load_ns },
		{ "translated_bytes", result->translated_bytes },
		{ "jited_bytes", result->jited_bytes },
	};

	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		JSON_SET(object, number[i].key, number[i].value);
	JSON_SET(object, "kernel_name", result->kernel, "kernel_release", result->release, "stack",
		 statistics->stack, "log", result->log);
	return object;
}

int load_result_of_json(const json_t *object, struct load_result *ret)
{
	const struct {
		const char *key;
		char *value;
	} text[] = {
		{ "object", ret->object },	    { "compiler", ret->compiler },
		{ "kernel", ret->kernel },	    { "release", ret->release },
		{ "program", ret->program },	    { "method", ret->method },
		{ "stack", ret->statistics.stack }, { "compiler_version", ret->version },
	};

	*ret = (struct load_result) { 0 };
	if (strcmp(json_text(object, "type"), "load"))
		return -1;
	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		snprintf(text[i].value, LOAD_NAME_MAX, "%s", json_text(object, text[i].key));
	snprintf(ret->log, sizeof(ret->log), "%s", json_text(object, "log"));
	ret->outcome = load_outcome_of(json_text(object, "outcome"));
	ret->statistics.instructions = (uint64_t)json_count(object, "instructions");
	ret->statistics.peak_states = (uint64_t)json_count(object, "peak_states");
	ret->statistics.total_states = (uint64_t)json_count(object, "total_states");
	ret->statistics.stack_most = (uint64_t)json_count(object, "stack_most");
	ret->statistics.verify_ns = (uint64_t)json_count(object, "verify_ns");
	ret->verified = (uint64_t)json_count(object, "verified_insns");
	ret->load_ns = (uint64_t)json_count(object, "load_ns");
	ret->translated_bytes = (uint64_t)json_count(object, "translated_bytes");
	ret->jited_bytes = (uint64_t)json_count(object, "jited_bytes");
	return ret->outcome == LOAD_OUTCOME_COUNT || !ret->kernel[0] || !ret->object[0] ||
			       !ret->program[0] || !ret->compiler[0]
		       ? -1
		       : 0;
}

void load_result_print(const struct load_result *result, FILE *file)
{
	const struct load_statistics *statistics = &result->statistics;

	fprintf(file, "%-11s %-10s %-14s %-16s %-10s ", PLAIN_TEXT(result->kernel),
		PLAIN_TEXT(result->compiler), PLAIN_TEXT(result->object),
		PLAIN_TEXT(result->program), PLAIN_TEXT(result->method));
	if (result->outcome == LOAD_YES)
		fprintf(file,
			"loads: %7" PRIu64 " instructions, stack %s, verified in %.1f ms, "
			"%" PRIu64 " bytes of machine code\n",
			statistics->instructions, PLAIN_TEXT(statistics->stack),
			(double)statistics->verify_ns / 1e6, result->jited_bytes);
	else if (result->outcome == LOAD_NO_HELPER)
		fprintf(file, "does not load: this kernel lacks a helper function: %s\n",
			PLAIN_TEXT(result->log));
	else {
		fprintf(file, "does not load (%" PRIu64 " instructions); the log's end:\n",
			statistics->instructions);
		plain_lines(file, result->log);
		fputc('\n', file);
	}
}
