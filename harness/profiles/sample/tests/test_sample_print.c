/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_print.c - what `sample` prints, as text and as JSON, letter by letter
 *
 * The results are made up. All numbers of one are different, so that none can stand in for another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "tests/suite.h"
#include "profiles/sample/sample.h"

static uint64_t found[][3] = { { 0x401000, 0x402000, 0x403000 }, { 0x501000, 0x502000 } };
static uint64_t truth_stack[] = { 0x404000, 0x402000, 0x403000 };

/* A result, and what it is made of. */
struct fixture {
	struct sample_truth truth;
	struct sample_score score;
	struct sample_finding finding[2];
	struct sample_report report;
	char *text;
	size_t size;
	FILE *file;
};

static void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->truth.stacks = sample_set_create();
	ck_assert_ptr_nonnull(f->truth.stacks);
	f->report.program = "a\tprogram";
	f->report.clock = "cpu";
	f->report.truth = &f->truth;
	f->report.score = &f->score;
	f->file = open_memstream(&f->text, &f->size);
	ck_assert_ptr_nonnull(f->file);
}

static void fixture_fill(struct fixture *f)
{
	struct error error;
	struct sample_truth *truth = &f->truth;
	struct sample_score *score = &f->score;
	struct walk_counters *counters = &score->counters;

	ck_assert_int_eq(
		sample_set_add(truth->stacks, truth_stack, COUNT(truth_stack), true, &error), 0);
	truth->points = 9001;
	truth->fault_points = 12;
	truth->suspect = 13;
	truth->open_points = 14;
	truth->execs = 11;
	truth->max_frames = 15;
	truth->seconds = 2.25;
	score->rate_hz = 1000;
	score->runs = 3;
	score->records = 61;
	score->lost_memory = 4;
	for (int class = 0; class < SAMPLE_CLASS_COUNT; class ++)
		score->class[class] = 20 + (uint64_t) class;
	score->whole_unproven = 5;
	score->frames = 700;
	score->max_frames = 16;
	score->met = 17;
	score->entries_known = true;
	score->entries = 18;
	score->cpu_ns = 2000000000;
	score->findings_not_kept = 19;
	strcpy(score->method, "bpf_loop");
	counters->samples = 71;
	counters->unknown = 72;
	counters->ending = 73;
	counters->stacks = 74;
	counters->lost_busy = 75;
	counters->lost_space = 76;
	counters->lost_regs = 77;
	counters->stop[STOP_COMPLETE] = 81;
	counters->stop[STOP_NO_ROW] = 82;
	counters->stop[STOP_GUESSED] = 83;
	f->finding[0] = (struct sample_finding) {
		.class = SAMPLE_OUTSIDE,
		.stack = { .count = 3, .stop = STOP_COMPLETE, .pc = found[0] },
		.count = 6,
	};
	f->finding[1] = (struct sample_finding) {
		.class = SAMPLE_CUT,
		.stack = { .count = 2, .stop = STOP_NO_ROW, .pc = found[1] },
		.count = 7,
	};
	score->finding = f->finding;
	score->finding_count = 2;
}

/* What was printed is as expected. */
static void fixture_end(struct fixture *f, const char *expected)
{
	ck_assert_int_eq(fclose(f->file), 0);
	ck_assert_msg(!strcmp(f->text, expected), "expected:\n%s\nprinted:\n%s", expected, f->text);
	free(f->text);
	sample_set_destroy(f->truth.stacks);
}

START_TEST(text_of_a_truth)
{
	struct fixture f;

	fixture_init(&f);
	fixture_fill(&f);
	sample_print_truth_text(f.file, &f.report);
	fixture_end(&f, "a?program: 9001 points stepped in 2.2 s, 1 different stacks, up to 15 "
			"frames deep\n"
			"11 programs replaced the one before\n"
			"14 points have a truth that is only a prefix\n"
			"at 12 points the CFI is wrong or missing\n"
			"at 13 points it is not the CFI that is wrong: see `compare`\n");
}
END_TEST

START_TEST(text_of_a_truth_without_flaws)
{
	struct fixture f;

	fixture_init(&f);
	sample_print_truth_text(f.file, &f.report);
	fixture_end(
		&f,
		"a?program: 0 points stepped in 0.0 s, 0 different stacks, up to 0 frames deep\n");
}
END_TEST

/* Each alone: it is said of what it counts. */
static const struct {
	size_t offset;
	const char *said;
} flaws[] = {
	{ offsetof(struct sample_truth, execs), "7 programs replaced the one before\n" },
	{ offsetof(struct sample_truth, open_points),
	  "7 points have a truth that is only a prefix\n" },
	{ offsetof(struct sample_truth, fault_points),
	  "at 7 points the CFI is wrong or missing\n" },
	{ offsetof(struct sample_truth, suspect),
	  "at 7 points it is not the CFI that is wrong: see `compare`\n" },
};

START_TEST(text_of_a_truth_with_a_flaw)
{
	struct fixture f;
	char expected[256];

	fixture_init(&f);
	*(uint64_t *)((char *)&f.truth + flaws[_i].offset) = 7;
	sample_print_truth_text(f.file, &f.report);
	snprintf(
		expected, sizeof(expected),
		"a?program: 0 points stepped in 0.0 s, 0 different stacks, up to 0 frames deep\n%s",
		flaws[_i].said);
	fixture_end(&f, expected);
}
END_TEST

/* Two findings, of which each has a true stack that is the nearest to it; the kernel counts nothing. */
START_TEST(findings_with_a_nearest_stack_each)
{
	static uint64_t other[] = { 0x503000, 0x502000 };
	struct fixture f;
	struct error error;

	fixture_init(&f);
	fixture_fill(&f);
	ck_assert(!sample_set_add(f.truth.stacks, other, COUNT(other), true, &error));
	f.score.entries_known = false;
	sample_print_text(f.file, &f.report);
	sample_print_json(f.file, &f.report);
	fflush(f.file);
	for (int i = 0; i < 2; i++) {
		static const char *const said[] = {
			"    the nearest true stack has 3 frames, the outer 2 the same:\n"
			"\t  0 0x000000404000 0x404000 (unmapped)\n",
			"    the nearest true stack has 2 frames, the outer 1 the same:\n"
			"\t  0 0x000000503000 0x503000 (unmapped)\n",
		};

		ck_assert_msg(strstr(f.text, said[i]) != NULL, "%s", f.text);
	}
	ck_assert_ptr_nonnull(
		strstr(f.text, "\"nearest_addresses\":[\"0x404000\",\"0x402000\",\"0x403000\"]"));
	ck_assert_ptr_nonnull(strstr(f.text, "\"nearest_addresses\":[\"0x503000\",\"0x502000\"]"));
	ck_assert_ptr_nonnull(strstr(f.text, "\"common_outer\":1}"));
	ck_assert_ptr_null(strstr(f.text, "the kernel counts"));
	ck_assert_ptr_null(strstr(f.text, "\"entries\""));
	fclose(f.file);
	free(f.text);
	sample_set_destroy(f.truth.stacks);
}
END_TEST

START_TEST(what_was_sampled_until_a_signal_came)
{
	struct fixture f;
	char *text;

	fixture_init(&f);
	struct run_cut cut = { .ending = TRACER_INTERRUPTED };

	strcpy(cut.early.message, "the run was ended by SIGINT");
	f.report.cut = &cut;
	sample_print_text(f.file, &f.report);
	sample_print_json(f.file, &f.report);
	fflush(f.file);
	text = f.text;
	ck_assert_msg(!strncmp(text, "PARTIAL: the run was ended by SIGINT\n", 37), "%s", text);
	ck_assert_ptr_nonnull(strstr(text, ",\"partial\":true,\"partial_by\":\"interrupted\","
					   "\"partial_message\":\"the run was ended by SIGINT\"}"));
	fclose(f.file);
	free(f.text);
	sample_set_destroy(f.truth.stacks);
}
END_TEST

START_TEST(text_of_samples)
{
	struct fixture f;

	fixture_init(&f);
	fixture_fill(&f);
	sample_print_text(f.file, &f.report);
	fixture_end(&f,
		    "1000 Hz (cpu): 61 stacks of 3 runs, 72 in a CPU second (THROTTLED), 17 of 1 "
		    "true stacks met\n"
		    "  exact 20 truncated 21 open 22 table_fault 23 exchange 24 raced 25 uprobe 26 "
		    "cut 27 outside 28; stops complete 81 no_row 82 guessed 83\n"
		    "  account: 71 samples = 74 stacks + 75 busy + 76 no room + 77 no registers; "
		    "72 more in unknown processes, 73 in ending ones; the kernel counts 18\n"
		    "  ACCOUNT BROKEN (entries_not_counted): times that the kernel ran the program "
		    "= samples + those of unknown or ending processes: 18 and 216\n"
		    "  outside x 6, 3 frames, stop complete:\n"
		    "\t  0 0x000000401000 0x401000 (unmapped)\n"
		    "\t  1 0x000000402000 0x401fff (unmapped)\n"
		    "\t  2 0x000000403000 0x402fff (unmapped)\n"
		    "    the nearest true stack has 3 frames, the outer 2 the same:\n"
		    "\t  0 0x000000404000 0x404000 (unmapped)\n"
		    "\t  1 0x000000402000 0x401fff (unmapped)\n"
		    "\t  2 0x000000403000 0x402fff (unmapped)\n"
		    "  cut x 7, 2 frames, stop no_row:\n"
		    "\t  0 0x000000501000 0x501000 (unmapped)\n"
		    "\t  1 0x000000502000 0x501fff (unmapped)\n"
		    "  19 more such samples were not kept\n");
}
END_TEST

/* Two samples in a second are what was asked for, and the account adds up. */
START_TEST(text_of_samples_that_are_all_right)
{
	struct fixture f;

	fixture_init(&f);
	f.score.rate_hz = 2;
	f.score.cpu_ns = 1000000000;
	f.score.counters.samples = f.score.counters.stacks = f.score.records = 2;
	f.score.class[SAMPLE_EXACT] = f.score.counters.stop[STOP_COMPLETE] = 2;
	sample_print_text(f.file, &f.report);
	fixture_end(&f,
		    "2 Hz (cpu): 2 stacks of 0 runs, 2 in a CPU second, 0 of 0 true stacks met\n"
		    "  exact 2 truncated 0 open 0 table_fault 0 exchange 0 raced 0 uprobe 0 cut 0 "
		    "outside 0; stops complete 2\n"
		    "  account: 2 samples = 2 stacks + 0 busy + 0 no room + 0 no registers\n");
}
END_TEST

/* Either of the two is worth the words. */
START_TEST(text_of_samples_in_others)
{
	static const char *const more[] = {
		"; 1 more in unknown processes, 0 in ending ones\n",
		"; 0 more in unknown processes, 1 in ending ones\n",
	};
	struct fixture f;
	char expected[512];

	fixture_init(&f);
	*(_i ? &f.score.counters.ending : &f.score.counters.unknown) = 1;
	sample_print_text(f.file, &f.report);
	snprintf(expected, sizeof(expected),
		 "0 Hz (cpu): 0 stacks of 0 runs, 0 in a CPU second, 0 of 0 true stacks met\n"
		 "  exact 0 truncated 0 open 0 table_fault 0 exchange 0 raced 0 uprobe 0 cut 0 "
		 "outside 0; stops\n"
		 "  account: 0 samples = 0 stacks + 0 busy + 0 no room + 0 no registers%s",
		 more[_i]);
	fixture_end(&f, expected);
}
END_TEST

/* A line's head: type, program, kernel. */
#define HEAD(type)                                                                                 \
	"{\"type\":\"" type "\",\"program\":\"a\\tprogram\",\"kernel\":\"%s\","                    \
	"\"kernel_release\":\"%s\","

/* The text with the kernel's release wherever it has a %s, which is six times at most. */
static void expect_json(struct fixture *f, const char *format)
{
	struct utsname kernel;
	char expected[8192];
	const char *is;

	ck_assert_int_eq(uname(&kernel), 0);
	is = kernel.release;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(expected, sizeof(expected), format, is, is, is, is, is, is);
#pragma GCC diagnostic pop
	fixture_end(f, expected);
}

START_TEST(json_of_samples)
{
	struct fixture f;

	fixture_init(&f);
	fixture_fill(&f);
	sample_print_json(f.file, &f.report);
	expect_json(&f,
		    /* clang-format off */
		HEAD("sample_finding")
		"\"rate\":1000,\"class\":\"outside\",\"count\":6,\"stop\":\"complete\",\"addresses\":[\"0x401000\",\"0x402000\",\"0x403000\"],\"frames\":[\"0x401000 (unmapped)\",\"0x401fff (unmapped)\",\"0x402fff (unmapped)\"],\"nearest_addresses\":[\"0x404000\",\"0x402000\",\"0x403000\"],\"nearest_frames\":[\"0x404000 (unmapped)\",\"0x401fff (unmapped)\",\"0x402fff (unmapped)\"],\"common_outer\":2}\n"
		HEAD("sample_finding")
		"\"rate\":1000,\"class\":\"cut\",\"count\":7,\"stop\":\"no_row\",\"addresses\":[\"0x501000\",\"0x502000\"],\"frames\":[\"0x501000 (unmapped)\",\"0x501fff (unmapped)\"]}\n"
		HEAD("sample_score")
		"\"clock\":\"cpu\",\"method\":\"bpf_loop\",\"rate\":1000,\"rate_actual\":71.5,\"throttled\":true,\"truth_points\":9001,\"truth_stacks\":1,\"truth_met\":17,\"truth_frames_max\":15,\"truth_fault_points\":12,\"truth_open_points\":14,\"truth_execs\":11,\"truth_suspect_points\":13,\"runs\":3,\"exact\":20,\"truncated\":21,\"open\":22,\"table_fault\":23,\"exchange\":24,\"raced\":25,\"uprobe\":26,\"cut\":27,\"outside\":28,\"whole_unproven\":5,\"frames\":700,\"frames_max\":16,\"samples\":71,\"stacks\":74,\"entries\":18,\"lost\":{\"busy\":75,\"space\":76,\"regs\":77,\"memory\":4,\"unknown\":72,\"ending\":73},\"stops\":{\"complete\":81,\"no_row\":82,\"guessed\":83},\"account\":\"entries_not_counted\",\"account_left\":18,\"account_right\":216,\"findings_not_kept\":19,\"cpu_seconds\":2.0}\n"
		    /* clang-format on */
	);
}
END_TEST

START_TEST(json_of_no_samples)
{
	struct fixture f;

	fixture_init(&f);
	sample_print_json(f.file, &f.report);
	expect_json(
		&f,
		HEAD("sample_score") "\"clock\":\"cpu\",\"method\":\"\",\"rate\":0,\"rate_actual\":"
				     "0.0,\"throttled\":false,\"truth_points\":0,\"truth_stacks\":"
				     "0,\"truth_met\":0,\"truth_frames_max\":0,\"truth_fault_"
				     "points\":0,\"truth_open_points\":0,\"truth_execs\":0,\"truth_"
				     "suspect_points\":0,\"runs\":0,\"exact\":0,\"truncated\":0,"
				     "\"open\":0,\"table_fault\":0,\"exchange\":0,\"raced\":0,"
				     "\"uprobe\":0,\"cut\":0,\"outside\":0,\"whole_unproven\":0,"
				     "\"frames\":0,\"frames_max\":0,\"samples\":0,\"stacks\":0,"
				     "\"lost\":{\"busy\":0,\"space\":0,\"regs\":0,\"memory\":0,"
				     "\"unknown\":0,\"ending\":0},\"stops\":{},\"account\":"
				     "\"exact\",\"findings_not_kept\":0,\"cpu_seconds\":0.0}\n");
}
END_TEST

START_TEST(json_of_a_skip)
{
	struct fixture f;

	fixture_init(&f);
	sample_print_skip_json(f.file, "a\tprogram", "no_bpf", "not permitted");
	expect_json(&f, HEAD("skip") "\"reason\":\"no_bpf\",\"message\":\"not permitted\"}\n");
}
END_TEST

/* The last object: what was found, what ended it, and what was checked. */
static const struct {
	const char *failure;
	enum tracer_ending ending;
	const char *said;
} totals[] = {
	{ "", TRACER_ENDED, "" },
	{ "no session", TRACER_ENDED, "\"message\":\"no session\"," },
	{ "a\tb", TRACER_TIMEOUT,
	  "\"message\":\"a\\tb\",\"partial\":\"timeout\",\"partial_message\":\"it took too "
	  "long\",\"steps\":8,\"ended_at\":\"main\"," },
};

START_TEST(json_of_a_total)
{
	const struct gate gate = { .unit = "samples", .checked = 5, .findings = 6 };
	struct run_cut cut = { .ending = totals[_i].ending, .steps = 8, .place = "main" };
	struct fixture f;
	char expected[512];

	fixture_init(&f);
	strcpy(cut.early.message, "it took too long");
	sample_print_total_json(f.file, "a\tprogram", totals[_i].failure, &cut, &gate);
	snprintf(expected, sizeof(expected),
		 "{\"type\":\"sample_total\",\"program\":\"a\\tprogram\",\"kernel\":\"%%s\","
		 "\"kernel_release\":\"%%s\",\"findings\":6,%s\"checked\":5,\"checked_unit\":"
		 "\"samples\",\"not_checked\":{},\"exit_status\":1}\n",
		 totals[_i].said);
	expect_json(&f, expected);
}
END_TEST

/* ---- the account ---------------------------------------------------------------------------- */

/* What a clock's ticks come to in a second. */
static const struct {
	const char *name;
	unsigned int rate;
	uint64_t samples, unknown, cpu_ns;
	double actual;
	bool throttled;
} rates[] = {
	{ "no_time_was_used", 100, 5, 0, 0, 0, true },
	{ "four_fifths_are_enough", 100, 80, 0, 1000000000, 80, false },
	{ "less_is_not", 100, 79, 0, 1000000000, 79, true },
	{ "those_of_others_count", 100, 50, 40, 500000000, 180, false },
	{ "nothing_was_asked_for", 0, 0, 0, 1000000000, 0, false },
};

START_TEST(a_rate_is_measured)
{
	struct sample_score score = { .rate_hz = rates[_i].rate, .cpu_ns = rates[_i].cpu_ns };

	score.counters.samples = rates[_i].samples;
	score.counters.unknown = rates[_i].unknown;
	ck_assert_msg(sample_actual_hz(&score) == rates[_i].actual, "%s: %f", rates[_i].name,
		      sample_actual_hz(&score));
	ck_assert_msg(sample_is_throttled(&score) == rates[_i].throttled, "%s", rates[_i].name);
}
END_TEST

SUITE(sample_print, TEST(text_of_a_truth), TEST(text_of_a_truth_without_flaws),
      LOOP(text_of_a_truth_with_a_flaw, flaws), TEST(findings_with_a_nearest_stack_each),
      LOOP(json_of_a_total, totals), TEST(text_of_samples),
      TEST(what_was_sampled_until_a_signal_came), TEST(text_of_samples_that_are_all_right),
      TIMES(text_of_samples_in_others, 2), TEST(json_of_samples), TEST(json_of_no_samples),
      TEST(json_of_a_skip), LOOP(a_rate_is_measured, rates))
