/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_outside.c - what is read from outside is not what the process has: nobody is accused
 *
 * testprogs/truth/outside.c says what is done. Paths hold at the project's root.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/compare_outside.c"
#include "judge/compare/tests/compared_program.h"

#define EXIT_SKIPPED 77

static const struct outside_case {
	const char *name;
	int form;
	bool needs_bpf;		    /* to be seen at all */
	enum doubt_reason reason;   /* that must be counted, or DOUBT_REASON_COUNT */
	uint64_t unproven_max;	    /* points */
	const char *not_missing_in; /* an image of which no CFI may be said to be missing */
} cases[] = {
	{ "memory_that_only_the_process_reads", 1, true, DOUBT_OUTSIDE, 1000, NULL },
	/* How often the word changes between two reads is chance. */
	{ "a_word_that_another_process_writes", 2, true, DOUBT_REASON_COUNT, 1000, NULL },
	{ "a_word_that_another_thread_writes", 7, true, DOUBT_REASON_COUNT, 10000, NULL },
	{ "code_that_another_process_maps", 3, false, DOUBT_OUTSIDE, 2, NULL },
	{ "a_file_that_is_overwritten", 4, false, DOUBT_REASON_COUNT, 2, NULL },
	{ "code_moved_to_anonymous_memory", 5, false, DOUBT_REASON_COUNT, 0, "anonymous" },
	{ "code_moved_and_changed", 6, false, DOUBT_PATCHED, 1000, "anonymous" },
	{ "memory_that_only_the_process_reads_and_no_bpf", 1, false, DOUBT_OUTSIDE, 1000, NULL },
	/* Nothing is in doubt: it is read by another way. */
	{ "memory_that_may_be_written_only", 8, true, DOUBT_REASON_COUNT, 0, NULL },
	{ "memory_that_may_be_written_only_and_no_bpf", 8, false, DOUBT_REASON_COUNT, 0, NULL },
	{ "callers_that_nobody_may_read", 9, true, DOUBT_OUTSIDE, 200, NULL },
	{ "callers_behind_a_protection_key", 10, true, DOUBT_OUTSIDE, 200, NULL },
	{ "callers_that_are_unmapped", 11, true, DOUBT_OUTSIDE, 1000, NULL },
	{ "callers_in_guard_pages", 12, true, DOUBT_OUTSIDE, 1000, NULL },
};

static bool blames_us(enum verdict verdict)
{
	return verdict == VERDICT_WALK_FAULT || verdict == VERDICT_CONVERSION_LOSS_SILENT ||
	       verdict == VERDICT_READER_FAULT || verdict == VERDICT_UNEXPLAINED;
}

static void check_result(const struct outside_case *c, const struct comparison *result)
{
	ck_assert_msg(result->status == 0, "%s: status 0x%x", c->name, result->status);
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *finding = &result->findings.finding[i];

		ck_assert_msg(!finding->count || !blames_us(finding->first.verdict),
			      "%s: %s at %s, %" PRIu64 " times", c->name,
			      verdict_name(finding->first.verdict), finding->place, finding->count);
		ck_assert_msg(!finding->count || !c->not_missing_in ||
				      !strstr(finding->place, c->not_missing_in),
			      "%s: %s at %s, %" PRIu64 " times", c->name,
			      fault_kind_name(finding->first.kind), finding->place, finding->count);
	}
	for (unsigned int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		ck_assert_msg(!blames_us(verdict) || !result->verdict[verdict], "%s: %s", c->name,
			      verdict_name(verdict));
	if (c->reason != DOUBT_REASON_COUNT)
		ck_assert_uint_gt(result->unproven[c->reason], 0);
	/* Nothing was replaced, nor does anything return that was not called. */
	if (c->form == 1 || c->form >= 8) {
		ck_assert_uint_eq(result->unproven[DOUBT_REPLACED], 0);
		ck_assert_uint_eq(result->truth.rules.returns_stray, 0);
	}
	if (c->reason == DOUBT_UPROBE)
		ck_assert_uint_eq(result->unproven[c->reason], result->verdict[VERDICT_UNPROVEN]);
	ck_assert_uint_le(result->verdict[VERDICT_UNPROVEN], c->unproven_max);
}

static void run(const struct outside_case *c, char *argv[])
{
	const struct compare_options options = {
		.engine = { &engine_cfi, &engine_table, c->needs_bpf ? &engine_bpf : NULL },
		.engine_count = c->needs_bpf ? 3 : 2,
	};
	struct comparer *comparer;
	struct comparison comparison;
	struct error error;

	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	compare_command(comparer, argv, "main", &comparison);
	if (WIFEXITED(comparison.status) && WEXITSTATUS(comparison.status) == EXIT_SKIPPED)
		printf("SKIP: %s: the kernel has no such memory\n", c->name);
	else
		check_result(c, &comparison);
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
}

#define LIBRARY "gcc-12 -shared -nostdlib testprogs/truth/overwritten.S "

START_TEST(nobody_is_accused)
{
	const struct outside_case *c = &cases[_i];
	char one[FOLDER_PATH], other[FOLDER_PATH];

	if (c->needs_bpf && geteuid() != 0) {
		printf("SKIP: %s: BPF needs root\n", c->name);
		return;
	}
	folder_path(one, "one.so");
	folder_path(other, "other.so");
	ck_assert(!shell("gcc-12 -O2 -pthread -DFORM=%d -o %s testprogs/truth/outside.c", c->form,
			 program));
	ck_assert(!shell(LIBRARY "-DFORM=%d -o %s", c->form, one));
	ck_assert(!shell(LIBRARY "-DOTHER=%d -o %s", c->form, other));
	run(c, (char *[]) { program, one, other, NULL });
}
END_TEST

/* A read of 8 bytes at 0x1ff8, and the lines of smaps that it may be suspect for. */
static const struct {
	const char *name;
	const char *line[2];
	bool failed;
	bool suspect;
} lines[] = {
	{ "private", { "1000-2000 rw-p 00000000 00:00 0" }, false, false },
	{ "shared", { "1000-2000 rw-s 00000000 00:00 0" }, false, true },
	{ "shared_elsewhere", { "2000-3000 rw-s 00000000 00:00 0" }, false, false },
	{ "nobodys", { "1000-2000 ---p 00000000 00:00 0" }, false, true },
	{ "failed_in_readable", { "1000-2000 r--p 00000000 00:00 0" }, true, true },
	{ "failed_in_write_only", { "1000-2000 -w-p 00000000 00:00 0" }, true, true },
	{ "failed_in_code_only", { "1000-2000 --xp 00000000 00:00 0" }, true, true },
	{ "failed_in_nobodys", { "1000-2000 ---p 00000000 00:00 0" }, true, false },
	{ "failed_across_the_end", { "1000-1ffc rw-p 00000000 00:00 0" }, true, false },
	{ "key", { "1000-2000 rw-p 00000000 00:00 0", "ProtectionKey:         1" }, false, true },
	{ "first_key",
	  { "1000-2000 rw-p 00000000 00:00 0", "ProtectionKey:         0" },
	  false,
	  false },
	{ "key_of_another",
	  { "2000-3000 rw-p 00000000 00:00 0", "ProtectionKey:         1" },
	  false,
	  false },
	{ "something_else",
	  { "1000-2000 rw-p 00000000 00:00 0", "Rss:         1 kB" },
	  false,
	  false },
};

START_TEST(what_was_read_is_suspect)
{
	struct noted_read note = { 0x1ff8, 8, lines[_i].failed };
	struct noting_memory memory = { .note = &note, .count = 1 };
	struct maps_line last = { 0 };
	bool suspect = false;
	char line[128];

	for (int i = 0; i < 2 && lines[_i].line[i]; i++) {
		snprintf(line, sizeof(line), "%s\n", lines[_i].line[i]);
		suspect |= line_is_suspect(line, &memory, &last);
	}
	ck_assert_msg(suspect == lines[_i].suspect, "%s", lines[_i].name);
}
END_TEST

/* testprogs/truth/flags.S: what the tracer puts right after a trap the walk in the kernel has seen. The
 * program says by its status whether it has seen it, too. */
static const struct {
	int form;
	bool accused; /* a row that is wrong, and by which the flags are a return address */
} flags[] = { { 1, true },  { 2, true },  { 3, true }, { 4, true },
	      { 5, false }, { 6, false }, { 7, false } };

START_TEST(all_see_what_stepping_has_left)
{
	const struct compare_options options = {
		.engine = { &engine_cfi, &engine_table, &engine_bpf },
		.engine_count = 3,
	};
	struct comparison result;

	if (geteuid() != 0) {
		printf("SKIP: BPF needs root\n");
		return;
	}
	ck_assert(!shell("gcc-12 -static -nostdlib -Wl,--eh-frame-hdr -Itestprogs/asm -DFORM=%d "
			 "testprogs/truth/flags.S -o %s",
			 flags[_i].form, program));
	compare_program(&options, NULL, &result);
	ck_assert_msg(result.status == 0, "form %d: status 0x%x", flags[_i].form, result.status);
	for (unsigned int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		ck_assert_msg(!blames_us(verdict) || !result.verdict[verdict], "form %d: %s",
			      flags[_i].form, verdict_name(verdict));
	ck_assert_uint_eq(result.verdict[VERDICT_TABLE_FAULT], flags[_i].accused ? 20 : 0);
	ck_assert_uint_eq(result.verdict[VERDICT_UNPROVEN], 0);
	for (size_t i = 0; i < result.findings.count; i++)
		ck_assert_str_eq(result.findings.finding[i].function, "flags");
	comparison_deinit(&result);
}
END_TEST

/* The kernel maps its code when the first probe is met, and says nothing of it. */
START_TEST(a_return_address_of_the_kernels_is_a_reason_of_its_own)
{
	const struct outside_case c = { .name = "a_uretprobe",
					.reason = DOUBT_UPROBE,
					.unproven_max = 1000,
					.not_missing_in = "uprobes" };

	ck_assert(!shell("gcc-12 -O2 -Itestprogs/c -DRETURNS -o %s testprogs/truth/uprobed.c",
			 program));
	run(&c, (char *[]) { program, NULL });
}
END_TEST

SUITE(outside, FIXTURE(program_begin, folder_remove), LOOP(nobody_is_accused, cases),
      LOOP(all_see_what_stepping_has_left, flags), LOOP(what_was_read_is_suspect, lines),
      TEST(a_return_address_of_the_kernels_is_a_reason_of_its_own))
