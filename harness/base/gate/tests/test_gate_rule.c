/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_gate_rule.c - the rule that makes an exit status of what was checked, and the line and the
 * object that say so, letter by letter
 *
 * test_gate.c has the commands that obey it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/json_counts.h"
#include "base/gate/gate.h"

#define COUNT_OF(array) (int)(sizeof(array) / sizeof((array)[0]))

/* ---- the rule --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct gate gate;
	enum exit_status status;
} rules[] = {
	{ "nothing_at_all", { 0 }, EXIT_SKIPPED },
	{ "something_checked", { .checked = 1 }, EXIT_OK },
	{ "a_finding", { .checked = 1, .findings = 1 }, EXIT_FINDINGS },
	{ "a_finding_is_certain",
	  { .checked = 1, .findings = 1, .environment = true, .bad_input = true },
	  EXIT_FINDINGS },
	{ "the_environment_goes_before_input",
	  { .checked = 1, .environment = true, .bad_input = true },
	  EXIT_ENVIRONMENT },
	{ "bad_input_though_others_are_good", { .checked = 1, .bad_input = true }, EXIT_BAD_INPUT },
	{ "damaged_beside_good", { .checked = 1, .left[GATE_DAMAGED] = 1 }, EXIT_OK },
	{ "damaged_alone", { .left[GATE_DAMAGED] = 1 }, EXIT_BAD_INPUT },
	{ "lost_alone", { .left[GATE_LOST_FDES] = 9 }, EXIT_BAD_INPUT },
	{ "unreadable_alone", { .left[GATE_UNREADABLE] = 1 }, EXIT_BAD_INPUT },
	{ "other_machines_alone", { .left[GATE_OTHER_MACHINE] = 1 }, EXIT_SKIPPED },
	{ "no_cfi_alone", { .left[GATE_NO_CFI] = 1 }, EXIT_SKIPPED },
	{ "skipped_alone", { .left[GATE_SKIPPED] = 1 }, EXIT_SKIPPED },
	{ "skipped_beside_good", { .checked = 1, .left[GATE_SKIPPED] = 1 }, EXIT_OK },
	{ "strictly_damaged",
	  { .strict = true, .checked = 1, .left[GATE_DAMAGED] = 1 },
	  EXIT_BAD_INPUT },
	{ "strictly_lost",
	  { .strict = true, .checked = 1, .left[GATE_LOST_FDES] = 1 },
	  EXIT_BAD_INPUT },
	{ "strictly_a_relocation",
	  { .strict = true, .checked = 1, .left[GATE_RELOCATIONS] = 1 },
	  EXIT_BAD_INPUT },
	{ "strictly_outside_of_segments",
	  { .strict = true, .checked = 1, .left[GATE_OUTSIDE_FDES] = 1 },
	  EXIT_BAD_INPUT },
	{ "outside_of_segments", { .checked = 1, .left[GATE_OUTSIDE_FDES] = 1 }, EXIT_OK },
	{ "strictly_ignored", { .strict = true, .checked = 1, .left[GATE_IGNORED] = 1 }, EXIT_OK },
	{ "strictly_skipped",
	  { .strict = true, .checked = 1, .left[GATE_SKIPPED] = 1 },
	  EXIT_FINDINGS },
	{ "strictly_an_object_file",
	  { .strict = true, .checked = 1, .left[GATE_UNCHECKED] = 1 },
	  EXIT_OK },
	{ "an_object_file_alone", { .strict = true, .left[GATE_UNCHECKED] = 1 }, EXIT_SKIPPED },
	{ "strictly_another_machine",
	  { .strict = true, .checked = 1, .left[GATE_OTHER_MACHINE] = 1 },
	  EXIT_OK },
	{ "strictly_an_object_of_lto",
	  { .strict = true, .checked = 1, .left[GATE_LTO] = 1 },
	  EXIT_FINDINGS },
	{ "objects_of_lto_alone", { .left[GATE_LTO] = 1 }, EXIT_SKIPPED },
	{ "objects_of_lto_beside_good", { .checked = 1, .left[GATE_LTO] = 1 }, EXIT_OK },
	{ "strictly_an_archive_in_one",
	  { .strict = true, .checked = 1, .left[GATE_NESTED] = 1 },
	  EXIT_FINDINGS },
	{ "archives_in_one_alone", { .left[GATE_NESTED] = 1 }, EXIT_SKIPPED },
	{ "strictly_no_cfi", { .strict = true, .checked = 1, .left[GATE_NO_CFI] = 1 }, EXIT_OK },
	{ "a_finding_that_nothing_else_is", { .findings = 1 }, EXIT_FINDINGS },
	{ "the_environment_alone", { .environment = true }, EXIT_ENVIRONMENT },
	{ "too_little_code_with_cfi", { .checked = 1, .left[GATE_COVERAGE] = 1 }, EXIT_FINDINGS },
};

START_TEST(status_of)
{
	enum exit_status status = gate_status(&rules[_i].gate);

	ck_assert_msg(status == rules[_i].status, "%s: %d", rules[_i].name, status);
}
END_TEST

/* Alone, and beside something that was checked, with --strict and without. What is in no line can't be
 * checked by anybody, or is accounted for elsewhere. */
START_TEST(what_each_reason_comes_to)
{
	static const char kinds[GATE_REASON_COUNT] = {
		[GATE_UNREADABLE] = 'i',     [GATE_NOT_ELF] = 'i',
		[GATE_DAMAGED] = 'i',	     [GATE_EMPTY] = 's',
		[GATE_THIN] = 's',	     [GATE_LTO] = 's',
		[GATE_NESTED] = 's',	     [GATE_RELOCATIONS] = 'i',
		[GATE_LOST_FDES] = 'i',	     [GATE_OUTSIDE_FDES] = 'i',
		[GATE_MALFORMED] = 'i',	     [GATE_BASELINE_ONLY] = 's',
		[GATE_NO_TABLE_ROW] = 's',   [GATE_OTHER_BUILD] = 's',
		[GATE_PARTIAL_RUN] = 's',    [GATE_NOT_LOADED] = 's',
		[GATE_NO_FDE] = 's',	     [GATE_UNPROVEN_BUILD] = 's',
		[GATE_ENGINES] = 's',	     [GATE_UNTRACED] = 's',
		[GATE_PROCESSES] = 's',	     [GATE_HIDDEN] = 's',
		[GATE_TRACERS] = 's',	     [GATE_ABSENT_POINTS] = 's',
		[GATE_NO_TOOL] = 's',	     [GATE_SKIPPED] = 's',
		[GATE_ONLY_BEFORE] = 's',    [GATE_FEWER_POINTS] = 's',
		[GATE_SAMPLES_UNREAD] = 'i', [GATE_TRUTHS_UNPROVEN] = 's',
		[GATE_NAMES] = 's',	     [GATE_REFUSED] = 's',
	};

	for (int reason = 0; reason < GATE_REASON_COUNT; reason++) {
		struct gate gate = { .unit = "rows" };
		char kind = kinds[reason];
		bool fails = reason == GATE_COVERAGE; /* which is wanted, and met or not */
		enum exit_status strictly = kind == 'i'		   ? EXIT_BAD_INPUT
					    : kind == 's' || fails ? EXIT_FINDINGS
								   : EXIT_OK;

		gate_leave(&gate, (enum gate_reason)reason, 1);
		ck_assert_msg(gate_status(&gate) == (fails	   ? EXIT_FINDINGS
						     : kind == 'i' ? EXIT_BAD_INPUT
								   : EXIT_SKIPPED),
			      "%s alone", gate_reason_name(reason));
		gate.checked = 1;
		ck_assert_msg(gate_status(&gate) == (fails ? EXIT_FINDINGS : EXIT_OK), "%s",
			      gate_reason_name(reason));
		gate.strict = true;
		ck_assert_msg(gate_status(&gate) == strictly, "%s strictly",
			      gate_reason_name(reason));
	}
}
END_TEST

/* The worst first: what is combined of several programs is decided by the same rule. */
START_TEST(worst_of_two)
{
	static const enum exit_status order[] = { EXIT_FINDINGS, EXIT_ENVIRONMENT, EXIT_BAD_INPUT,
						  EXIT_OK, EXIT_SKIPPED };

	for (int one = 0; one < COUNT_OF(order); one++)
		for (int other = 0; other < COUNT_OF(order); other++) {
			struct gate gate = { .unit = "programs" };

			gate_add_status(&gate, order[one]);
			gate_add_status(&gate, order[other]);
			ck_assert_int_eq(gate_status(&gate), order[one < other ? one : other]);
			ck_assert_uint_eq(gate.checked,
					  (order[one] == EXIT_OK) + (order[other] == EXIT_OK));
		}
}
END_TEST

/* Why an image was left. */
static const struct {
	enum error_code code;
	bool named;
	enum gate_reason reason;
	int system_errno;
} left_cases[] = {
	{ ERROR_UNSUPPORTED_ELF, true, GATE_OTHER_MACHINE, 0 },
	{ ERROR_SYSTEM, true, GATE_UNREADABLE, EACCES },
	{ ERROR_SYSTEM, false, GATE_UNREADABLE, ENOENT },
	{ ERROR_RELOCATION, true, GATE_RELOCATIONS, 0 },
	{ ERROR_RELOCATION, false, GATE_RELOCATIONS, 0 },
	{ ERROR_NOT_ELF, true, GATE_NOT_ELF, 0 },
	{ ERROR_NOT_ELF, false, GATE_DAMAGED, 0 },
	{ ERROR_ELF_BOUNDS, true, GATE_DAMAGED, 0 },
	{ ERROR_THIN_ARCHIVE, true, GATE_THIN, 0 },
};

START_TEST(image_is_left_for_a_reason)
{
	const struct error error = { .code = left_cases[_i].code,
				     .system_errno = left_cases[_i].system_errno };
	struct gate gate = { .unit = "images" };

	gate_leave_image(&gate, &error, left_cases[_i].named);
	for (unsigned int i = 0; i < GATE_REASON_COUNT; i++)
		ck_assert_uint_eq(gate.left[i], i == left_cases[_i].reason);
	ck_assert_int_eq(gate.bad_input, left_cases[_i].named);
	/* Beside another of the other kind: one that was named stays bad input. */
	gate_leave_image(&gate, &error, !left_cases[_i].named);
	ck_assert(gate.bad_input);
	gate_leave_image(&gate, &error, false);
	ck_assert(gate.bad_input);
}
END_TEST

/* The exit statuses of three parts, in each order: none takes back what another one has said. */
START_TEST(parts_are_told_apart)
{
	static const enum exit_status statuses[] = { EXIT_OK, EXIT_FINDINGS, EXIT_BAD_INPUT,
						     EXIT_SKIPPED, EXIT_ENVIRONMENT };

	for (int i = 0; i < 125; i++) {
		const enum exit_status part[] = { statuses[i / 25], statuses[i / 5 % 5],
						  statuses[i % 5] };
		struct gate gate = { .unit = "programs" };
		uint64_t count[EXIT_ENVIRONMENT + 1] = { 0 };

		for (int j = 0; j < 3; j++) {
			gate_add_status(&gate, part[j]);
			count[part[j]]++;
		}
		ck_assert_uint_eq(gate.checked, count[EXIT_OK]);
		ck_assert_uint_eq(gate.findings, count[EXIT_FINDINGS]);
		ck_assert_int_eq(gate.bad_input, count[EXIT_BAD_INPUT] > 0);
		ck_assert_int_eq(gate.environment, count[EXIT_ENVIRONMENT] > 0);
		ck_assert_uint_eq(gate.left[GATE_UNREADABLE], count[EXIT_BAD_INPUT]);
		ck_assert_uint_eq(gate.left[GATE_SKIPPED], count[EXIT_SKIPPED]);
		ck_assert_uint_eq(gate.left[GATE_CUT_SHORT], count[EXIT_ENVIRONMENT]);
	}
}
END_TEST

/* What this process wants for is no fault of the image. */
START_TEST(image_is_left_for_want)
{
	static const struct error errors[] = { { .code = ERROR_MEMORY },
					       { .code = ERROR_SYSTEM, .system_errno = EMFILE },
					       { .code = ERROR_SYSTEM } };
	struct gate gate = { .unit = "images" };

	gate_leave_image(&gate, &errors[_i], true);
	ck_assert(!gate.bad_input && gate.environment);
	ck_assert_uint_eq(gate.left[GATE_CUT_SHORT], 1);
	ck_assert_int_eq(gate_status(&gate), EXIT_ENVIRONMENT);
}
END_TEST

/* Of what did not come to its end: a process that died is a failure, the rest is the environment's. */
START_TEST(image_fails_for_a_reason)
{
	static const struct {
		const char *code;
		enum gate_reason reason;
		enum exit_status status;
	} failed[] = { { "", GATE_FAILED, EXIT_FINDINGS },
		       { "memory", GATE_CUT_SHORT, EXIT_ENVIRONMENT },
		       { "system", GATE_CUT_SHORT, EXIT_ENVIRONMENT } };
	struct gate gate = { .unit = "images" };

	gate_leave_failed(&gate, failed[_i].code);
	ck_assert_uint_eq(gate.left[failed[_i].reason], 1);
	ck_assert_int_eq(gate_status(&gate), failed[_i].status);
	/* By its name, too. */
	gate = (struct gate) { .unit = "images" };
	gate_leave_image_named(&gate, "memory", true);
	ck_assert_int_eq(gate_status(&gate), EXIT_ENVIRONMENT);
}
END_TEST

/* What was counted never becomes nothing. */
START_TEST(sums_do_not_wrap)
{
	struct gate gate = { .unit = "samples", .strict = true };

	for (int i = 0; i < 4; i++) {
		gate_check(&gate, UINT64_MAX / 2 + 1);
		gate_leave(&gate, GATE_DAMAGED, UINT64_MAX / 2 + 1);
	}
	ck_assert_uint_eq(gate.checked, INT64_MAX);
	ck_assert_uint_eq(gate.left[GATE_DAMAGED], INT64_MAX);
	gate_leave(&gate, GATE_UNREADABLE, INT64_MAX);
	gate_leave(&gate, GATE_LOST_FDES, 2);
	ck_assert_int_eq(gate_status(&gate), EXIT_BAD_INPUT);
	gate = (struct gate) { .unit = "samples" };
	gate_check(&gate, INT64_MAX - 1);
	ck_assert_uint_eq(gate.checked, INT64_MAX - 1);
	gate_check(&gate, 1);
	ck_assert_uint_eq(gate.checked, INT64_MAX);
}
END_TEST

START_TEST(every_reason_has_words)
{
	struct gate gate = {
		.unit = "rows", .checked = 7, .code_bytes = 300, .covered_bytes = 100
	};
	json_t *object = json_object();
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (unsigned int i = 0; i < GATE_REASON_COUNT; i++)
		gate_leave(&gate, i, 1000 + i);
	gate_print(&gate, file);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "; 33.33 % of the code has CFI;"));
	ck_assert_msg(!strstr(text, "(null)") && !strncmp(text, "checked: 7 rows; ", 17), "%s",
		      text);
	gate_json(&gate, object);
	ck_assert_int_eq(json_count(object, "checked"), 7);
	ck_assert_str_eq(json_text(object, "checked_unit"), "rows");
	ck_assert_int_eq(json_count(object, "exit_status"), EXIT_FINDINGS);
	for (unsigned int i = 0; i < GATE_REASON_COUNT; i++) {
		char count[32];

		snprintf(count, sizeof(count), " %u ", 1000 + i);
		ck_assert_msg(strstr(text, count) != NULL, "%s: %s", gate_reason_name(i), text);
		ck_assert_int_eq(
			json_count(json_object_get(object, "not_checked"), gate_reason_name(i)),
			1000 + i);
	}
	ck_assert_uint_eq(json_object_size(json_object_get(object, "not_checked")),
			  GATE_REASON_COUNT);
	json_decref(object);
}
END_TEST

/* How much of the code has CFI takes nothing away. */
START_TEST(clean_is_what_was_checked_as_a_whole)
{
	struct gate gate = { .unit = "rows", .code_bytes = 300, .covered_bytes = 100 };

	ck_assert(!gate_is_clean(&gate));
	gate.checked = 1;
	ck_assert(gate_is_clean(&gate));
	for (unsigned int i = 0; i < GATE_REASON_COUNT; i++) {
		gate_leave(&gate, i, 1);
		ck_assert_msg(!gate_is_clean(&gate), "%s", gate_reason_name(i));
		gate.left[i] = 0;
	}
	ck_assert(gate_is_clean(&gate));
}
END_TEST

/* ---- what is said ----------------------------------------------------------------------- */

#define GATE(...) .gate = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct gate gate;
	const char *line, *json;
} said[] = {
	{ "nothing", GATE(.unit = "rows"), "checked: 0 rows; nothing was checked\n",
	  "{\"checked\":0,\"checked_unit\":\"rows\",\"not_checked\":{},\"exit_status\":77}" },
	{ "one", GATE(.unit = "rows", .checked = 1), "checked: 1 rows\n",
	  "{\"checked\":1,\"checked_unit\":\"rows\",\"not_checked\":{},\"exit_status\":0}" },
	{ "a_finding", GATE(.unit = "points", .checked = 5, .findings = 1), "checked: 5 points\n",
	  "{\"checked\":5,\"checked_unit\":\"points\",\"not_checked\":{},\"exit_status\":1}" },
	{ "the_first_and_the_last_reason",
	  GATE(.unit = "rows", .checked = 5,
	       .left = { [GATE_UNREADABLE] = 1, [GATE_SAMPLES_UNREAD] = 2 }),
	  "checked: 5 rows; not checked: 1 files that can't be read, 2 samples that can't be "
	  "read\n",
	  "{\"checked\":5,\"checked_unit\":\"rows\",\"not_checked\":{\"unreadable\":1,"
	  "\"unread_samples\":2},\"exit_status\":0}" },
	{ "nothing_for_a_reason", GATE(.unit = "images", .left = { [GATE_DAMAGED] = 1 }),
	  "checked: 0 images; not checked: 1 damaged ELF files; nothing was checked\n",
	  "{\"checked\":0,\"checked_unit\":\"images\",\"not_checked\":{\"damaged\":1},"
	  "\"exit_status\":3}" },
	{ "a_finding_where_nothing_was_checked", GATE(.unit = "images", .findings = 1),
	  "checked: 0 images; nothing was checked\n",
	  "{\"checked\":0,\"checked_unit\":\"images\",\"not_checked\":{},\"exit_status\":1}" },
	{ "coverage", GATE(.unit = "rows", .checked = 5, .code_bytes = 3, .covered_bytes = 2),
	  "checked: 5 rows; 66.67 % of the code has CFI\n",
	  "{\"checked\":5,\"checked_unit\":\"rows\",\"not_checked\":{},\"exit_status\":0}" },
	{ "too_little_coverage",
	  GATE(.unit = "rows", .checked = 5, .coverage = 99.5, .code_bytes = 1,
	       .left = { [GATE_COVERAGE] = 1 }),
	  "checked: 5 rows; 0.00 % of the code has CFI; 1 images below --coverage 99.5 %\n",
	  "{\"checked\":5,\"checked_unit\":\"rows\",\"not_checked\":{\"below_coverage\":1},"
	  "\"exit_status\":1}" },
	{ "strict_and_nothing_left", GATE(.unit = "rows", .checked = 5, .strict = true),
	  "checked: 5 rows\n",
	  "{\"checked\":5,\"checked_unit\":\"rows\",\"not_checked\":{},\"exit_status\":0}" },
	{ "strict_and_what_nobody_can_check",
	  GATE(.unit = "rows", .checked = 5, .strict = true, .left = { [GATE_NO_CFI] = 1 }),
	  "checked: 5 rows; not checked: 1 images without CFI\n",
	  "{\"checked\":5,\"checked_unit\":\"rows\",\"not_checked\":{\"no_cfi\":1},"
	  "\"exit_status\":0}" },
	{ "strict_and_bad_input",
	  GATE(.unit = "rows", .checked = 5, .strict = true, .left = { [GATE_LOST_FDES] = 1 }),
	  "checked: 5 rows; not checked: 1 FDEs that can't be read; that fails with --strict\n",
	  "{\"checked\":5,\"checked_unit\":\"rows\",\"not_checked\":{\"lost_fdes\":1},"
	  "\"exit_status\":3}" },
	{ "strict_and_skipped",
	  GATE(.unit = "rows", .checked = 5, .strict = true, .left = { [GATE_ENGINES] = 1 }),
	  "checked: 5 rows; not checked: 1 engines; that fails with --strict\n",
	  "{\"checked\":5,\"checked_unit\":\"rows\",\"not_checked\":{\"engines\":1},"
	  "\"exit_status\":1}" },
};

START_TEST(gate_is_said)
{
	json_t *object = json_object();
	char *line = NULL, *json;
	size_t size;
	FILE *file = open_memstream(&line, &size);

	gate_print(&said[_i].gate, file);
	fclose(file);
	gate_json(&said[_i].gate, object);
	json = json_dumps(object, JSON_COMPACT);
	ck_assert_msg(!strcmp(line, said[_i].line), "%s: %s", said[_i].name, line);
	ck_assert_msg(!strcmp(json, said[_i].json), "%s: %s", said[_i].name, json);
	json_decref(object);
	free(json);
	free(line);
}
END_TEST

/* What each exit status of a part adds. */
static const struct {
	enum exit_status status;
	struct gate gate;
} parts[] = {
	{ EXIT_OK, { .checked = 1 } },
	{ EXIT_FINDINGS, { .findings = 1 } },
	{ EXIT_BAD_INPUT, { .bad_input = true, .left = { [GATE_UNREADABLE] = 1 } } },
	{ EXIT_SKIPPED, { .left = { [GATE_SKIPPED] = 1 } } },
	{ EXIT_ENVIRONMENT, { .environment = true, .left = { [GATE_CUT_SHORT] = 1 } } },
};

START_TEST(a_part_adds_its_status)
{
	const struct gate *part = &parts[_i].gate;
	struct gate gate = { 0 };

	for (uint64_t times = 1; times <= 2; times++) {
		gate_add_status(&gate, parts[_i].status);
		ck_assert_uint_eq(gate.checked, times * part->checked);
		ck_assert_uint_eq(gate.findings, times * part->findings);
		ck_assert_int_eq(gate.bad_input, part->bad_input);
		ck_assert_int_eq(gate.environment, part->environment);
		for (unsigned int i = 0; i < GATE_REASON_COUNT; i++)
			ck_assert_uint_eq(gate.left[i], times * part->left[i]);
	}
}
END_TEST

/* ---- options ---------------------------------------------------------------------------- */

static const struct argp_child image_children[] = { { &gate_image_argp, 0, NULL, 0 }, { 0 } };
static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 }, { 0 } };

static error_t parse_options(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct {
	const char *arguments[3];
	bool image; /* a command that reads images */
	bool refused, strict;
	double coverage;
} options[] = {
	{ { NULL }, true, false, false, 0 },
	{ { "--strict" }, true, false, true, 0 },
	{ { "--strict" }, false, false, true, 0 },
	{ { "--coverage=99.5" }, true, false, false, 99.5 },
	{ { "--coverage=100", "--strict" }, true, false, true, 100 },
	{ { "--coverage", "0" }, true, false, false, 0 },
	{ { "--coverage=1" }, false, true, false, 0 },
	{ { "--strict=1" }, true, true, false, 0 },
	{ { "--coverage" }, true, true, false, 0 },
};

START_TEST(options_are_the_gate_s)
{
	const struct argp argp = { .parser = parse_options,
				   .children = options[_i].image ? image_children : children };
	char *arguments[5] = { (char *)"test" };
	struct gate gate = { 0 };
	int count = 1;

	for (int i = 0; i < 3 && options[_i].arguments[i]; i++)
		arguments[count++] = (char *)options[_i].arguments[i];
	ck_assert_int_eq(argp_parse(&argp, count, arguments, ARGP_SILENT, NULL, &gate) != 0,
			 options[_i].refused);
	if (options[_i].refused)
		return;
	ck_assert_int_eq(gate.strict, options[_i].strict);
	ck_assert(gate.coverage == options[_i].coverage);
}
END_TEST

/* As --help shows them: neither is hidden, --coverage wants a number. */
START_TEST(options_have_help)
{
	const struct argp argp = { .children = image_children };
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	argp_help(&argp, file, ARGP_HELP_LONG, (char *)"test");
	fclose(file);
	ck_assert_str_eq(
		text,
		"      --coverage=PERCENT     an image of whose code a smaller share has CFI\n"
		"                             fails\n"
		"      --strict               what could not be checked fails\n");
}
END_TEST

SUITE(gate_rule, LOOP(status_of, rules), TEST(what_each_reason_comes_to), TEST(worst_of_two),
      LOOP(image_is_left_for_a_reason, left_cases), TIMES(image_is_left_for_want, 3),
      TIMES(image_fails_for_a_reason, 3), TEST(sums_do_not_wrap), TEST(every_reason_has_words),
      TEST(clean_is_what_was_checked_as_a_whole), LOOP(gate_is_said, said),
      LOOP(a_part_adds_its_status, parts), TEST(parts_are_told_apart),
      LOOP(options_are_the_gate_s, options), TEST(options_have_help))
