/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_findings.c - snapshots of what a run found
 *
 * First one finding as the line that is kept, and those that are not kept because they are another
 * machine's. Then check and update over results written by hand, as a table: what was known, what
 * was found on which kernels, and what must be said.
 */
#include "tests/suite.h"
#include "golden_fixture.h"

#define MAGIC "stackproof verdicts 1\n"
#define ENTRY "self.O2-nofp\n"

/* A finding of `run` in the binary's own code; REST: further fields, with a comma before them. */
#define FINDING(KERNEL, VERDICT, KIND, FUNCTION, DECLARED, REST)                                   \
	"{\"type\":\"finding\",\"binary\":\"" BINARY "\",\"kernel\":\"" KERNEL                     \
	"\",\"verdict\":\"" VERDICT "\",\"kind\":\"" KIND "\",\"image\":\"/corpus/" BINARY         \
	"\",\"function\":\"" FUNCTION "\",\"place\":\"" FUNCTION "+0x1 (" BINARY                   \
	")\",\"instruction\":\"nop\",\"declared\":\"" DECLARED "\"" REST "}\n"
#define WRONG(KERNEL) FINDING(KERNEL, "table_fault", "wrong", "framed", "cfa=rsp+8", "")
#define WRONG_LINE    "table_fault wrong framed+0x1 declared cfa=rsp+8"

/* ---- one finding as text ----------------------------------------------------------------- */

struct text_case {
	const char *name;
	const char *finding;
	const char *text; /* NULL: it is not kept */
};

static const struct text_case text_cases[] = {
	{ "fault_kind_place_row", WRONG("host"), WRONG_LINE },
	{ "how_far_the_cfa_really_was",
	  FINDING("host", "table_fault", "wrong", "framed", "cfa=rsp+8",
		  ",\"declared_cfa\":\"0x7ffe1000\",\"actual_cfa\":\"0x7ffe1010\",\"count\":9"),
	  WRONG_LINE " actual cfa+16" },
	{ "and_to_the_other_side",
	  FINDING("host", "table_fault", "wrong", "framed", "cfa=rsp+8",
		  ",\"declared_cfa\":\"0x7ffe1010\",\"actual_cfa\":\"0x7ffe1000\""),
	  WRONG_LINE " actual cfa-16" },
	{ "why_a_walk_stopped",
	  FINDING("host", "conversion_loss", "flagged", "framed", "cfa=rbx+2147483648",
		  ",\"stop\":\"offset_range\""),
	  "conversion_loss flagged:offset_range framed+0x1 declared cfa=rbx+2147483648" },
	{ "no_offset_of_the_section",
	  FINDING("host", "table_fault", "malformed", "framed", ".eh_frame+0x57: 0x2d is nobody's",
		  ",\"stop\":\"malformed\",\"declared_cfa\":\"0x1\",\"actual_cfa\":\"0x9\""),
	  "table_fault malformed:malformed framed+0x1 declared 0x2d is nobody's" },
	{ "a_library_of_the_binary_s",
	  "{\"type\":\"finding\",\"binary\":\"" BINARY "\",\"kernel\":\"host\",\"verdict\":"
	  "\"table_fault\",\"kind\":\"missing\",\"image\":\"/x/" BINARY
	  ".ac.so\",\"function\":\"f\","
	  "\"place\":\"f+0x2 (" BINARY ".ac.so)\",\"declared\":\"no FDE covers it\"}\n",
	  "table_fault missing ac.so:f+0x2 declared no FDE covers it" },
	{ "a_stretch_without_a_symbol",
	  "{\"type\":\"finding\",\"binary\":\"" BINARY "\",\"kernel\":\"host\",\"verdict\":"
	  "\"table_fault\",\"kind\":\"missing\",\"image\":\"/x/" BINARY "\",\"function\":"
	  "\"gap@0x1000\",\"address\":\"0x1004\",\"place\":\"+0x1004 (" BINARY ")\","
	  "\"declared\":\"no FDE covers it\"}\n",
	  "table_fault missing gap@0x1000+0x4 declared no FDE covers it" },
	{ "not_the_machine_s_library",
	  "{\"type\":\"finding\",\"binary\":\"" BINARY "\",\"kernel\":\"host\",\"verdict\":"
	  "\"table_fault\",\"kind\":\"wrong\",\"image\":\"/lib/libgcc_s.so.1\",\"function\":"
	  "\"_Unwind_RaiseException\",\"place\":\"_Unwind_RaiseException+0x2 (libgcc_s.so.1)\"}\n",
	  NULL },
	{ "not_the_vdso",
	  "{\"type\":\"finding\",\"binary\":\"" BINARY "\",\"kernel\":\"host\",\"verdict\":"
	  "\"table_fault\",\"kind\":\"wrong\",\"image\":\"[vdso]\",\"function\":\"f\"}\n",
	  NULL },
	{ "not_a_start_file_s",
	  FINDING("host", "table_fault", "missing", "frame_dummy", "no FDE covers it",
		  ",\"start_file\":\"crtbegin.o\""),
	  NULL },
	{ "the_name_of_a_start_file_s_function_alone",
	  FINDING("host", "table_fault", "missing", "frame_dummy", "no FDE covers it", ""),
	  "table_fault missing frame_dummy+0x1 declared no FDE covers it" },
	{ "not_another_binary_s",
	  "{\"type\":\"finding\",\"binary\":\"other\",\"kernel\":\"host\",\"verdict\":\"table_"
	  "fault\","
	  "\"kind\":\"wrong\",\"image\":\"/x/" BINARY "\",\"function\":\"f\"}\n",
	  NULL },
};

START_TEST(test_text)
{
	const struct text_case *text_case = &text_cases[_i];
	char results[4096];

	write_bytes("corpus/" BINARY ".ac.so", "", 0);
	write_text("corpus/manifest.tsv",
		   BINARY "\tself\t" TOOLCHAIN "\tO2-nofp\tc\t" BINARY ".ac.so\t-\n");
	snprintf(results, sizeof(results), "%s%s", text_case->finding, STEPPED("host"));
	write_text("results", results);

	struct manifest manifest;
	struct error error = { 0 };
	struct golden_verdicts verdicts = { .stepped = NULL };

	ck_assert(!manifest_read(&manifest, "corpus", &error));
	ck_assert(!golden_verdicts_read(&verdicts, "results", &manifest, &error));
	ck_assert(verdicts.of_run);
	ck_assert_uint_eq(verdicts.cell_count, 1);
	ck_assert_str_eq(verdicts.cell[0].binary->name, BINARY);
	ck_assert_str_eq(verdicts.cell[0].kernel, "host");

	const struct finding_set *findings = &verdicts.cell[0].findings;

	ck_assert_msg(findings->count == (text_case->text != NULL), "%s", text_case->name);
	ck_assert_msg(!text_case->text || !strcmp(findings->held[0].key, text_case->text), "%s: %s",
		      text_case->name, findings->held[0].key);
	golden_verdicts_deinit(&verdicts);
	manifest_deinit(&manifest);
}
END_TEST

/* ---- check and update -------------------------------------------------------------------- */

struct snapshot_case {
	const char *name;
	bool update;
	const char *option;
	const char *before; /* the snapshot; NULL: there is none */
	const char *results;
	const char *expected; /* of corpus.tsv */
	const char *waivers;
	int status;
	const char *said, *said_too;
	const char *after; /* the snapshot; NULL: as before */
};

#define OTHER_LINE "  table_fault wrong pushes+0x1 declared cfa=rsp+8\n"
#define BAD(VERDICT, KIND)                                                                         \
	FINDING("host", VERDICT, KIND, "framed", "cfa=rsp+8", ",\"stop\":\"no_row\"")              \
	STEPPED("host")

static const struct snapshot_case snapshot_cases[] = {
	/* check */
	{ "nothing_found_as_before", .before = MAGIC ENTRY, .results = STEPPED("host"),
	  .said = "2 passed" },
	{ "found_as_before", .before = MAGIC ENTRY "  " WRONG_LINE "\n",
	  .results = WRONG("host") STEPPED("host"), .expected = "table_fault:framed",
	  .said = "2 passed" },
	{ "a_new_finding_fails", .before = MAGIC ENTRY, .results = WRONG("host") STEPPED("host"),
	  .expected = "table_fault:framed", .status = EXIT_FINDINGS,
	  .said = "  " TOOLCHAIN "/self.O2-nofp new on host: " WRONG_LINE " [nop]\n",
	  .said_too = "failed verdicts " TOOLCHAIN "/self.O2-nofp: different: new: " WRONG_LINE },
	{ "a_finding_that_is_gone_fails", .before = MAGIC ENTRY "  " WRONG_LINE "\n",
	  .results = STEPPED("host"), .status = EXIT_FINDINGS,
	  .said = "gone on host: " WRONG_LINE "\n" },
	{ "a_finding_that_changed_is_gone_and_new", .before = MAGIC ENTRY OTHER_LINE,
	  .results = WRONG("host") STEPPED("host"), .expected = "table_fault:framed",
	  .status = EXIT_FINDINGS, .said = "gone on host: table_fault wrong pushes+0x1",
	  .said_too = "new on host: " WRONG_LINE },
	{ "each_kernel_is_checked", .before = MAGIC ENTRY,
	  .results = STEPPED("host") WRONG("5.10") STEPPED("5.10") STEPPED("6.1"),
	  .expected = "table_fault:framed", .status = EXIT_FINDINGS,
	  .said = "new on 5.10: " WRONG_LINE },
	{ "an_unknown_toolchain_is_skipped", .results = STEPPED("host"),
	  .said = "skipped verdicts " TOOLCHAIN "/self.O2-nofp: unknown_toolchain" },
	{ "a_binary_that_the_snapshot_has_not", .before = MAGIC "other.O2-fp\n",
	  .results = STEPPED("host"), .status = EXIT_FINDINGS, .said = "no_golden" },
	{ "a_binary_that_was_not_run_is_skipped", .before = MAGIC ENTRY,
	  .results = "{\"type\":\"verdicts\",\"binary\":\"gone\",\"kernel\":\"host\"}\n",
	  .said = "skipped verdicts " TOOLCHAIN "/self.O2-nofp: not_run" },
	{ "a_run_that_was_killed_is_none", .before = MAGIC ENTRY,
	  .results = FINDING("host", "table_fault", "wrong", "gone", "x", ""),
	  .said = "skipped verdicts " TOOLCHAIN "/self.O2-nofp: not_run" },
	{ "a_run_that_was_cut_short_is_none", .before = MAGIC ENTRY,
	  .results = "{\"type\":\"verdicts\",\"binary\":\"" BINARY
		     "\",\"kernel\":\"host\",\"partial\":\"timeout\"}\n",
	  .said = "skipped verdicts " TOOLCHAIN "/self.O2-nofp: not_run" },
	{ "findings_of_compare_have_no_snapshot", .before = MAGIC ENTRY,
	  .results = "{\"type\":\"verdicts\",\"program\":\"x\",\"kernel\":\"host\"}\n",
	  .said = "golden: 1 passed, 0 failed, 0 skipped" },
	{ "findings_that_were_cut_fail", .before = MAGIC ENTRY,
	  .results = "{\"type\":\"verdicts\",\"binary\":\"" BINARY
		     "\",\"kernel\":\"host\",\"findings_not_kept\":3}\n",
	  .status = EXIT_FINDINGS, .said = "findings_cut" },
	{ "another_text", .before = "stackproof table text 1\n", .results = STEPPED("host"),
	  .status = EXIT_FINDINGS, .said = "unreadable_golden", .said_too = "line 1" },
	{ "a_finding_of_no_binary", .before = MAGIC OTHER_LINE, .results = STEPPED("host"),
	  .status = EXIT_FINDINGS, .said = "line 2" },
	{ "a_binary_twice", .before = MAGIC ENTRY ENTRY, .results = STEPPED("host"),
	  .status = EXIT_FINDINGS, .said = "line 3" },
	{ "an_empty_line", .before = MAGIC "\n" ENTRY, .results = STEPPED("host"),
	  .status = EXIT_FINDINGS, .said = "line 2" },
	{ "results_that_are_cut", .before = MAGIC ENTRY, .results = "{\"type\":\"verd",
	  .status = EXIT_BAD_INPUT },
	/* update */
	{ "a_new_snapshot", .update = true, .results = STEPPED("host"),
	  .said = "new verdicts " TOOLCHAIN "/self.O2-nofp", .after = MAGIC ENTRY },
	{ "what_others_have_stays", .update = true,
	  .before = MAGIC "zed.O2-fp\n" OTHER_LINE "abc.O2-fp\n", .results = STEPPED("host"),
	  .after = MAGIC "abc.O2-fp\n" ENTRY "zed.O2-fp\n" OTHER_LINE },
	{ "findings_are_in_order", .update = true,
	  .results = FINDING("host", "table_fault", "wrong", "pushes", "cfa=rsp+8", "")
		  WRONG("host") STEPPED("host"),
	  .expected = "table_fault:*", .after = MAGIC ENTRY "  " WRONG_LINE "\n" OTHER_LINE },
	{ "old_and_new_are_shown", .update = true, .before = MAGIC ENTRY OTHER_LINE,
	  .results = WRONG("host") STEPPED("host"), .expected = "table_fault:framed",
	  .said = "gone: table_fault wrong pushes", .said_too = "new: " WRONG_LINE " [nop]\n",
	  .after = MAGIC ENTRY "  " WRONG_LINE "\n" },
	{ "a_dry_run_writes_nothing", .update = true, .option = "--dry-run",
	  .before = MAGIC ENTRY OTHER_LINE, .results = STEPPED("host"),
	  .said = "would_update verdicts", .said_too = "gone: table_fault wrong pushes" },
	{ "a_table_fault_is_refused", .update = true, .before = MAGIC ENTRY,
	  .results = FINDING("host", "table_fault", "wrong", "gone", "x", "") STEPPED("host"),
	  .status = EXIT_FINDINGS, .said = "table_fault: table_fault wrong gone+0x1" },
	{ "a_table_fault_is_refused_even_by_force", .update = true, .option = "--force",
	  .before = MAGIC ENTRY,
	  .results = FINDING("host", "table_fault", "wrong", "gone", "x", "") STEPPED("host"),
	  .status = EXIT_FINDINGS, .said = "table_fault: table_fault wrong gone+0x1" },
	{ "a_file_that_may_lack_cfi_is_accepted", .update = true, .before = MAGIC ENTRY,
	  .results = FINDING("host", "table_fault", "missing", "gone", "x", "") STEPPED("host"),
	  .expected = "missing:self.*",
	  .after = MAGIC ENTRY "  table_fault missing gone+0x1 declared x\n" },
	{ "another_that_lacks_it_is_refused", .update = true, .before = MAGIC ENTRY,
	  .results = FINDING("host", "table_fault", "missing", "gone", "x", "") STEPPED("host"),
	  .expected = "missing:other.*", .status = EXIT_FINDINGS, .said = "table_fault:" },
	{ "unless_it_is_waived", .update = true, .waivers = "self.cc-1.*\tframed\tbug 1\n",
	  .results = WRONG("host") STEPPED("host"), .after = MAGIC ENTRY "  " WRONG_LINE "\n" },
	{ "a_reader_fault_is_refused", .update = true, .results = BAD("reader_fault", "wrong"),
	  .expected = "table_fault:*", .status = EXIT_FINDINGS, .said = "bug_here" },
	{ "a_walk_fault_is_refused", .update = true, .results = BAD("walk_fault", "wrong"),
	  .expected = "table_fault:*", .status = EXIT_FINDINGS, .said = "bug_here" },
	{ "a_kernel_fault_is_refused", .update = true, .results = BAD("kernel_fault", "wrong"),
	  .expected = "table_fault:*", .status = EXIT_FINDINGS, .said = "bug_here" },
	{ "what_is_unexplained_is_refused", .update = true, .results = BAD("unexplained", ""),
	  .expected = "table_fault:*", .status = EXIT_FINDINGS, .said = "bug_here" },
	{ "a_silent_loss_is_refused", .update = true, .results = BAD("conversion_loss", "silent"),
	  .expected = "flagged:no_row", .status = EXIT_FINDINGS, .said = "bug_here" },
	{ "a_flagged_loss_that_is_not_expected", .update = true,
	  .results = BAD("conversion_loss", "flagged"), .status = EXIT_FINDINGS,
	  .said = "not_expected" },
	{ "a_flagged_loss_that_is_expected", .update = true,
	  .results = BAD("conversion_loss", "flagged"), .expected = "flagged:no_row",
	  .after = MAGIC ENTRY "  conversion_loss flagged:no_row framed+0x1 declared cfa=rsp+8\n" },
	{ "kernels_that_disagree_are_refused", .update = true, .before = MAGIC ENTRY,
	  .results = STEPPED("host") WRONG("5.10") STEPPED("5.10"),
	  .expected = "table_fault:framed", .status = EXIT_FINDINGS, .said = "kernels_disagree",
	  .said_too = "new on 5.10: " WRONG_LINE },
	{ "kernels_that_agree", .update = true,
	  .results = WRONG("host") STEPPED("host") WRONG("5.10") STEPPED("5.10") WRONG("6.1")
		  STEPPED("6.1"),
	  .expected = "table_fault:framed", .after = MAGIC ENTRY "  " WRONG_LINE "\n" },
	{ "the_last_of_three_disagrees", .update = true,
	  .results = WRONG("host") STEPPED("host") WRONG("5.10") STEPPED("5.10") STEPPED("6.1"),
	  .expected = "table_fault:framed", .status = EXIT_FINDINGS, .said = "kernels_disagree",
	  .said_too = "gone on 6.1: " WRONG_LINE },
	{ "a_snapshot_that_can_t_be_read_is_not_replaced", .update = true, .option = "--force",
	  .before = "something else\n", .results = STEPPED("host"), .status = EXIT_FINDINGS,
	  .said = "unreadable_golden" },
};

START_TEST(test_snapshot)
{
	const struct snapshot_case *snapshot_case = &snapshot_cases[_i];
	char manifest[512];
	int status;

	bless();
	snprintf(manifest, sizeof(manifest), MANIFEST("%s"),
		 snapshot_case->expected ? snapshot_case->expected : "-");
	write_text("corpus/manifest.tsv", manifest);
	write_text("results", snapshot_case->results);
	if (snapshot_case->before)
		write_text(VERDICTS, snapshot_case->before);
	if (snapshot_case->waivers)
		write_text("golden/waivers.tsv", snapshot_case->waivers);
	status = golden(snapshot_case->update ? "update" : "check", "--verdicts=results", "self",
			snapshot_case->option);
	ck_assert_msg(status == snapshot_case->status, "%s: status %d:\n%s", snapshot_case->name,
		      status, read_text("output"));
	if (snapshot_case->said)
		said(snapshot_case->said);
	if (snapshot_case->said_too)
		said(snapshot_case->said_too);

	const char *after = snapshot_case->after ? snapshot_case->after : snapshot_case->before;

	ck_assert_msg(is_there(VERDICTS) == (after != NULL), "%s", snapshot_case->name);
	ck_assert_msg(!after || !strcmp(read_text(VERDICTS), after), "%s:\n%s", snapshot_case->name,
		      after ? read_text(VERDICTS) : "");
}
END_TEST

START_TEST(test_a_difference_as_json)
{
	json_error_t json_error;
	json_t *object = NULL;

	bless();
	write_text(VERDICTS, MAGIC ENTRY);
	write_text("results",
		   FINDING("6.1", "table_fault", "wrong", "gone", "x", "") STEPPED("6.1"));
	ck_assert_int_eq(golden("check", "--verdicts=results", "--json"), EXIT_FINDINGS);

	for (char *line = read_text("output"); (line = strstr(line, "{\"type\":\"golden\""));
	     line++) {
		json_decref(object);
		object = json_loads(line, JSON_DISABLE_EOF_CHECK, &json_error);
	}
	ck_assert_str_eq(json_string_value(json_object_get(object, "kind")), "verdicts");

	json_t *first = json_array_get(json_object_get(object, "differences"), 0);

	ck_assert_str_eq(json_string_value(json_object_get(first, "change")), "new");
	ck_assert_str_eq(json_string_value(json_object_get(first, "kernel")), "6.1");
	ck_assert_str_eq(json_string_value(json_object_get(first, "finding")),
			 "table_fault wrong gone+0x1 declared x [nop]");
	json_decref(object);
}
END_TEST

SUITE(golden_findings, FIXTURE(set_up, folder_remove), LOOP(test_text, text_cases),
      LOOP(test_snapshot, snapshot_cases), TEST(test_a_difference_as_json))
