/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_load_print.c - what `load` says of one program: as text and as JSON, letter by letter, and
 * read back
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/load/load.h"

static const struct load_result full = {
	.kernel = "6.12",
	.release = "6.12.9-amd64",
	.compiler = "clang-14",
	.version = "14.0.6",
	.object = "walk",
	.program = "walk_entry",
	.method = "bpf_loop",
	.outcome = LOAD_YES,
	.statistics = { .instructions = 1234,
			.total_states = 11,
			.peak_states = 12,
			.verify_ns = 2560000,
			.stack_most = 13,
			.stack = "40+0+96" },
	.verified = 14,
	.load_ns = 15,
	.translated_bytes = 16,
	.jited_bytes = 17,
	.log = "the end",
};

/* ---- text ----------------------------------------------------------------------------------- */

#define HEAD "6.12        clang-14   walk           walk_entry       bpf_loop   "

static const struct {
	enum load_outcome outcome;
	const char *text;
} texts[] = {
	{ LOAD_YES, HEAD "loads:    1234 instructions, stack 40+0+96, verified in 2.6 ms, 17 bytes "
			 "of machine code\n" },
	{ LOAD_NO_HELPER, HEAD "does not load: this kernel lacks a helper function: the end\n" },
	{ LOAD_NO, HEAD "does not load (1234 instructions); the log's end:\nthe end\n" },
};

static char *printed(const struct load_result *result)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	load_result_print(result, file);
	ck_assert_int_eq(fclose(file), 0);
	return text;
}

START_TEST(outcomes_as_text)
{
	struct load_result result = full;
	FREED char *text = NULL;

	result.outcome = texts[_i].outcome;
	text = printed(&result);
	ck_assert_str_eq(text, texts[_i].text);
}
END_TEST

/* A log has lines; everything else is on one, whoever named it. */
START_TEST(text_is_plain)
{
	struct load_result result = full;
	char *text;

	strcpy(result.kernel, "k\n");
	strcpy(result.compiler, "c\n");
	strcpy(result.object, "o\n");
	strcpy(result.program, "p\n");
	strcpy(result.method, "m\n");
	strcpy(result.statistics.stack, "4\n");
	strcpy(result.log, "first\nsecond\033[2J");
	text = printed(&result);
	ck_assert_str_eq(text, "k?          c?         o?             p?               m?         "
			       "loads:    "
			       "1234 instructions, stack 4?, verified in 2.6 ms, 17 bytes of "
			       "machine code\n");
	free(text);
	result = full;
	strcpy(result.log, "first\nsecond\033[2J");
	result.outcome = LOAD_NO;
	text = printed(&result);
	ck_assert_str_eq(text, HEAD "does not load (1234 instructions); the log's end:\nfirst\n"
				    "second?[2J\n");
	free(text);
	result.outcome = LOAD_NO_HELPER;
	text = printed(&result);
	ck_assert_str_eq(text, HEAD "does not load: this kernel lacks a helper function: first?"
				    "second?[2J\n");
	free(text);
}
END_TEST

/* ---- JSON ----------------------------------------------------------------------------------- */

#define FULL(outcome, loads)                                                                       \
	"{\"type\":\"load\",\"object\":\"walk\",\"compiler\":\"clang-14\","                        \
	"\"compiler_version\":\"14.0.6\",\"kernel\":\"6.12\",\"release\":\"6.12.9-amd64\","        \
	"\"program\":\"walk_entry\",\"method\":\"bpf_loop\",\"outcome\":\"" outcome                \
	"\",\"loads\":" loads                                                                      \
	",\"instructions\":1234,\"verified_insns\":14,\"verified_instructions\":14,"               \
	"\"total_states\":11,\"peak_states\":12,\"stack_bytes\":136,\"stack_most\":13,"            \
	"\"verify_ns\":2560000,\"load_ns\":15,\"translated_bytes\":16,\"jited_bytes\":17,"         \
	"\"kernel_name\":\"6.12\",\"kernel_release\":\"6.12.9-amd64\",\"stack\":\"40+0+96\","      \
	"\"log\":\"the end\"}"

static const char *const objects[LOAD_OUTCOME_COUNT] = {
	[LOAD_YES] = FULL("yes", "true"),
	[LOAD_NO] = FULL("no", "false"),
	[LOAD_NO_HELPER] = FULL("no_helper", "false"),
};

START_TEST(outcomes_as_json_and_back)
{
	struct load_result result = full, back;
	json_t *object;
	FREED char *text = NULL;

	memset(&back, 0xff, sizeof(back));
	result.outcome = (enum load_outcome)_i;
	object = load_result_json(&result);
	text = json_dumps(object, JSON_COMPACT);
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, objects[_i]);
	ck_assert_int_eq(load_result_of_json(object, &back), 0);
	ck_assert_mem_eq(&back, &result, sizeof(back));
	json_decref(object);
}
END_TEST

/* What makes an object no result: a field that has another value. */
static const struct {
	const char *key, *value;
	int status;
} broken[] = {
	{ "type", "skip", -1 }, { "outcome", "perhaps", -1 },  { "kernel", "", -1 },
	{ "object", "", -1 },	{ "program", "", -1 },	       { "compiler", "", -1 },
	{ "release", "", 0 },	{ "method", "", 0 },	       { "stack", "", 0 },
	{ "log", "", 0 },	{ "compiler_version", "", 0 }, { "kernel", "6", 0 },
	{ "object", "w", 0 },	{ "program", "w", 0 },	       { "compiler", "c", 0 },
};

START_TEST(what_is_no_result)
{
	struct load_result back;
	json_t *object = load_result_json(&full);

	json_object_set_new(object, broken[_i].key, json_string(broken[_i].value));
	ck_assert_msg(load_result_of_json(object, &back) == broken[_i].status, "%s",
		      broken[_i].key);
	json_decref(object);
}
END_TEST

SUITE(load_print, LOOP(outcomes_as_text, texts), TEST(text_is_plain),
      LOOP(outcomes_as_json_and_back, objects), LOOP(what_is_no_result, broken))
