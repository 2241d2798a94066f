/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_update.c - what golden update writes, and everything that it refuses
 *
 * One line of the table is one command over a corpus of one binary, with what was there before, and
 * what must be there afterwards: the golden as it was, written anew, or none. The status and what
 * is said are part of each.
 */
#include "tests/suite.h"
#include "golden_fixture.h"

#define FAULT(FUNCTION, KIND)                                                                      \
	"{\"type\":\"finding\",\"verdict\":\"table_fault\",\"kind\":\"" KIND                       \
	"\",\"image\":\"/x/" BINARY "\",\"function\":\"" FUNCTION "\"}\n"

/* What was there before. */
enum before {
	NOTHING,
	GOOD,	   /* a golden that says what the binary says */
	OTHER_ROW, /* a row differs */
	LONGER,	   /* half as many lines again */
	NO_TABLE,  /* an error's text */
};

/* What is there afterwards. */
enum after { UNTOUCHED, WRITTEN };

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }

struct update_case {
	const char *name;
	const char *argument[ARGUMENTS_MAX];
	enum before before;
	const char *verdicts; /* in the file "verdicts"; NULL: there is none */
	const char *expected; /* of corpus.tsv; NULL: nothing */
	const char *waivers;
	bool ci;
	void (*spoil)(void); /* done to the corpus before the command */
	int status;
	enum after after;
	const char *said;
};

/* Not a CFI program: instruction 0x3e is nobody's. At the first instruction of framed's FDE. */
static void spoil_instruction(void)
{
	static struct plant_file file;
	uint8_t *at;

	plant_file_make(&file);
	at = memmem(file.bytes + PLANT_EH_FRAME, 0x100,
		    CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_offset(RBP, 2)));
	ck_assert_ptr_nonnull(at);
	*at = 0x3e;
	write_bytes("corpus/" BINARY, file.bytes, file.size);
}

static void spoil_elf(void)
{
	write_text("corpus/" BINARY, "no ELF\n");
}

/* Every FDE is gone: zero words only. */
static void spoil_all(void)
{
	static struct plant_file file;

	plant_file_make(&file);
	memset(file.bytes + PLANT_EH_FRAME, 0, file.at - PLANT_EH_FRAME);
	write_bytes("corpus/" BINARY, file.bytes, file.size);
}

static void spoil_time(void)
{
	struct timespec later[2] = { { .tv_sec = 4000000000 }, { .tv_sec = 4000000000 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, "corpus/" BINARY, later, 0), 0);
}

static void spoil_folder(void)
{
	write_text("golden", "a file where the folder should be\n");
}

static const struct update_case cases[] = {
	/* What is written. */
	{ "a_new_golden", ARGUMENTS("--verdicts=verdicts", "self"), .before = NOTHING,
	  .verdicts = STEPPED("host"), .status = 0, .after = WRITTEN,
	  .said = "new " TOOLCHAIN "/self.O2-nofp\n" },
	{ "a_row_that_changed_is_shown_old_and_new", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host"), .status = 0, .after = WRITTEN,
	  .said = "framed +0x1 at 0x1001: `mov rbp, rsp`\n    old cfa=rsp+24 ra=c-8 rbp=c-16\n"
		  "    new cfa=rsp+16 ra=c-8 rbp=c-16\nupdated " TOOLCHAIN "/self.O2-nofp\n" },
	{ "what_is_equal_is_not_written", ARGUMENTS("--verdicts=verdicts", "self"), .before = GOOD,
	  .verdicts = STEPPED("host"), .status = 0, .after = UNTOUCHED,
	  .said = "golden: 2 passed, 0 failed" },
	{ "all_with_a_reason", ARGUMENTS("--all=binutils 2.41", "--verdicts=verdicts"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host"), .status = 0, .after = WRITTEN,
	  .said = "every golden is updated: binutils 2.41" },
	{ "the_truth_of_compare_will_do", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = NOTHING, .verdicts = "{\"type\":\"verdicts\",\"program\":\"/x/" BINARY "\"}\n",
	  .status = 0, .after = WRITTEN },
	/* The command line. */
	{ "without_names_is_refused", ARGUMENTS(NULL), .before = OTHER_ROW, .status = EXIT_USAGE,
	  .said = "update takes names, or --all=REASON" },
	{ "all_without_a_reason_is_refused", ARGUMENTS("--all= ", "--unstepped"),
	  .before = OTHER_ROW, .status = EXIT_USAGE, .said = "--all takes a reason" },
	{ "all_and_a_name_is_refused", ARGUMENTS("--all=because", "--unstepped", "self"),
	  .before = OTHER_ROW, .status = EXIT_USAGE, .said = "--all is for update without names" },
	{ "a_name_that_nothing_has_refuses_the_others", ARGUMENTS("--unstepped", "self", "anothr"),
	  .before = OTHER_ROW, .status = EXIT_USAGE,
	  .said = "nothing in the corpus is called anothr" },
	{ "ci_is_refused", ARGUMENTS("--unstepped", "self"), .before = OTHER_ROW, .ci = true,
	  .status = EXIT_USAGE, .said = "refused where CI is set" },
	{ "ci_is_refused_even_by_force", ARGUMENTS("--force", "--unstepped", "self"),
	  .before = OTHER_ROW, .ci = true, .status = EXIT_USAGE,
	  .said = "refused where CI is set" },
	{ "a_dry_run_shows_and_writes_nothing", ARGUMENTS("--dry-run", "--unstepped", "self"),
	  .before = OTHER_ROW, .status = 0,
	  .said = "    old cfa=rsp+24 ra=c-8 rbp=c-16\n    new cfa=rsp+16 ra=c-8 "
		  "rbp=c-16\nwould_update " TOOLCHAIN "/self.O2-nofp\n" },
	{ "a_dry_run_of_a_new_golden", ARGUMENTS("-n", "--unstepped", "self"), .before = NOTHING,
	  .status = 0, .said = "would_add " TOOLCHAIN "/self.O2-nofp\n" },
	{ "a_dry_run_refuses_what_would_be_refused", ARGUMENTS("--dry-run", "self"),
	  .before = OTHER_ROW, .status = EXIT_FINDINGS, .said = "no_truth" },
	/* Errors. */
	{ "what_is_no_elf_is_refused", ARGUMENTS("--unstepped", "self"), .before = GOOD,
	  .spoil = spoil_elf, .status = EXIT_FINDINGS },
	{ "a_diagnostic_is_refused", ARGUMENTS("--unstepped", "self"), .before = GOOD,
	  .spoil = spoil_instruction, .status = EXIT_FINDINGS,
	  .said = "diagnostic cfi_instruction" },
	{ "a_diagnostic_is_refused_even_by_force", ARGUMENTS("--force", "--unstepped", "self"),
	  .before = GOOD, .spoil = spoil_instruction, .status = EXIT_FINDINGS,
	  .said = "diagnostic cfi_instruction" },
	{ "a_diagnostic_that_is_expected_is_not", ARGUMENTS("--unstepped", "--force", "self"),
	  .before = GOOD, .expected = "diagnostic:cfi_instruction", .spoil = spoil_instruction,
	  .status = 0, .after = WRITTEN },
	{ "an_empty_table_is_refused_even_by_force", ARGUMENTS("--force", "--unstepped", "self"),
	  .before = GOOD, .spoil = spoil_all, .status = EXIT_FINDINGS, .said = "empty" },
	{ "a_golden_that_can_t_be_read_is_not_replaced", ARGUMENTS("--unstepped", "self"),
	  .before = NO_TABLE, .status = EXIT_FINDINGS, .said = "unreadable_golden" },
	{ "but_by_force", ARGUMENTS("--force", "--unstepped", "self"), .before = NO_TABLE,
	  .status = 0, .after = WRITTEN },
	{ "a_folder_that_can_t_be_made", ARGUMENTS("--unstepped", "self"), .before = NOTHING,
	  .spoil = spoil_folder, .status = EXIT_ENVIRONMENT },
	/* Shrinking. */
	{ "shrinking_by_more_than_a_fifth_is_refused", ARGUMENTS("--unstepped", "self"),
	  .before = LONGER, .status = EXIT_FINDINGS, .said = "shrinks" },
	{ "shrinking_by_force", ARGUMENTS("--force", "--unstepped", "self"), .before = LONGER,
	  .status = 0, .after = WRITTEN },
	/* The truth. */
	{ "without_the_truth_is_refused", ARGUMENTS("self"), .before = OTHER_ROW,
	  .status = EXIT_FINDINGS, .said = "no_truth" },
	{ "the_truth_of_another_binary_is_refused", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW,
	  .verdicts = "{\"type\":\"verdicts\",\"binary\":\"another\",\"kernel\":\"host\"}\n",
	  .status = EXIT_FINDINGS, .said = "no_truth" },
	{ "a_run_that_was_cut_short_is_no_truth", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW,
	  .verdicts = "{\"type\":\"verdicts\",\"program\":\"/x/" BINARY
		      "\",\"partial\":\"timeout\"}\n",
	  .status = EXIT_FINDINGS, .said = "no_truth" },
	{ "findings_without_a_whole_run_are_no_truth", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = FAULT("another", "wrong"), .status = EXIT_FINDINGS,
	  .said = "no_truth" },
	{ "a_binary_newer_than_its_truth_is_refused", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host"), .spoil = spoil_time,
	  .status = EXIT_FINDINGS, .said = "stale_truth" },
	{ "what_the_truth_contradicts_is_refused", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host") FAULT("framed", "wrong"),
	  .status = EXIT_FINDINGS, .said = "table_fault: framed" },
	{ "what_the_truth_contradicts_is_refused_even_by_force",
	  ARGUMENTS("--force", "--unstepped", "--verdicts=verdicts", "self"), .before = OTHER_ROW,
	  .verdicts = STEPPED("host") FAULT("framed", "wrong"), .status = EXIT_FINDINGS,
	  .said = "table_fault: framed" },
	{ "unless_a_waiver_names_it", ARGUMENTS("--verdicts=verdicts", "self"), .before = OTHER_ROW,
	  .verdicts = STEPPED("host") FAULT("framed", "wrong"),
	  .waivers = "self.cc-1.*\tframed\tbug 1\n", .status = 0, .after = WRITTEN },
	{ "a_waiver_of_another_function_does_not_help", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host") FAULT("framed", "wrong"),
	  .waivers = "self.cc-1.*\tpushes\tbug 1\n", .status = EXIT_FINDINGS,
	  .said = "table_fault: framed" },
	{ "a_waiver_of_another_toolchain_does_not_help", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host") FAULT("framed", "wrong"),
	  .waivers = "self.cc-2.*\tframed\tbug 1\n", .status = EXIT_FINDINGS,
	  .said = "table_fault: framed" },
	{ "or_corpus_tsv_expects_it", ARGUMENTS("--verdicts=verdicts", "self"), .before = OTHER_ROW,
	  .verdicts = STEPPED("host") FAULT("framed", "wrong"), .expected = "table_fault:framed",
	  .status = 0, .after = WRITTEN },
	{ "corpus_tsv_expects_another_kind", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host") FAULT("framed", "wrong"),
	  .expected = "flagged:malformed", .status = EXIT_FINDINGS, .said = "table_fault: framed" },
	{ "a_fault_of_a_function_that_the_table_has_not", ARGUMENTS("--verdicts=verdicts", "self"),
	  .before = OTHER_ROW, .verdicts = STEPPED("host") FAULT("_init", "missing"), .status = 0,
	  .after = WRITTEN },
	{ "a_waiver_without_a_reason_is_bad_input", ARGUMENTS("--unstepped", "self"),
	  .before = OTHER_ROW, .waivers = "self.cc-1.*\tframed\n", .status = EXIT_BAD_INPUT },
};

#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

static void make_before(enum before before)
{
	if (before == NOTHING)
		return;
	bless();
	if (before == OTHER_ROW)
		edit(GOLDEN, "+0x1 cfa=rsp+16 ra=c-8 rbp", "+0x1 cfa=rsp+24 ra=c-8 rbp");
	if (before == NO_TABLE)
		write_text(GOLDEN, "failed to find .eh_frame section\n");
	if (before == LONGER) {
		FILE *file = fopen(GOLDEN, "a");

		for (int i = 0; i < 12; i++)
			fprintf(file, "function lost_%d\n  +0x1 end\n", i);
		fclose(file);
	}
}

START_TEST(test_update)
{
	const struct update_case *update_case = &cases[_i];
	const char *argument[ARGUMENTS_MAX + 1] = { "update" };
	char manifest[512], *before = NULL;
	int status;

	make_before(update_case->before);
	if (update_case->before != NOTHING)
		before = strdup(read_text(GOLDEN));
	if (update_case->expected) {
		snprintf(manifest, sizeof(manifest), MANIFEST("%s"), update_case->expected);
		write_text("corpus/manifest.tsv", manifest);
	}
	if (update_case->verdicts)
		write_text("verdicts", update_case->verdicts);
	if (update_case->waivers)
		write_text("golden/waivers.tsv", update_case->waivers);
	if (update_case->spoil)
		update_case->spoil();
	if (update_case->ci)
		setenv("CI", "true", 1);
	memcpy(argument + 1, update_case->argument, sizeof(update_case->argument) - sizeof(char *));
	status = golden_arguments(argument);
	ck_assert_msg(status == update_case->status, "%s: status %d:\n%s", update_case->name,
		      status, read_text("output"));
	if (update_case->said)
		said(update_case->said);
	if (update_case->after == WRITTEN) {
		ck_assert_msg(!before || strcmp(before, read_text(GOLDEN)), "%s: not written",
			      update_case->name);
		ck_assert_ptr_nonnull(strstr(read_text(GOLDEN), "function framed\n"));
	} else if (before) {
		ck_assert_msg(!strcmp(before, read_text(GOLDEN)), "%s: written", update_case->name);
	} else {
		ck_assert_msg(!is_there(GOLDEN), "%s: written", update_case->name);
	}
	free(before);
}
END_TEST

START_TEST(test_what_was_written_passes)
{
	bless();
	ck_assert_int_eq(golden("check"), EXIT_OK);
	write_text("verdicts", STEPPED("host"));
	ck_assert_int_eq(golden("update", "--verdicts=verdicts", "self"), EXIT_OK);
	ck_assert_int_eq(golden("check", "--verdicts=verdicts"), EXIT_OK);
}
END_TEST

/* Options that mean nothing to a command are refused, rather than passed over. */
static const char *const wrong_options[][4] = {
	{ "check", "--dry-run" },
	{ "check", "--force" },
	{ "check", "--unstepped" },
	{ "check", "--all=because" },
	{ "pack" },
	{ "pack", "--force", "self" },
	{ "pack", "--hermetic", "x" },
	{ "unpack" },
	{ "unpack", "a", "b" },
	{ "unpack", "-n", "a" },
	{ "adopt", "self" },
	{ NULL },
};

START_TEST(test_wrong_command_lines)
{
	const char *argument[ARGUMENTS_MAX + 1] = { 0 };

	memcpy(argument, wrong_options[_i], sizeof(wrong_options[_i]));
	ck_assert_int_eq(golden_arguments(argument), EXIT_USAGE);
}
END_TEST

SUITE(golden_update, FIXTURE(set_up, folder_remove), TIMES(test_update, CASE_COUNT),
      TEST(test_what_was_written_passes), LOOP(test_wrong_command_lines, wrong_options))
