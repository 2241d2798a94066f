/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_function_profile.c - binaries behind the toolchain report: profiles, pairs, what is missing
 *
 * Two versions of one small ELF file (plant_image.h): the second has lost a remember_state, and
 * with it the row that was wrong at a ret. And the command as a user runs it, over a folder of such
 * files.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "corpus/toolchains/report_toolchains.h"
#include "base/cli/exit_status.h"
#include "corpus/plant/tests/plant_image.h"

#define PATH_BYTES 256

/* A folder with a corpus and results. */
struct folder {
	char path[64];
	char corpus[PATH_BYTES];
	char results[PATH_BYTES];
};

static void make_folder(struct folder *folder)
{
	snprintf(folder->path, sizeof(folder->path), "/tmp/test_profile.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder->path));
	snprintf(folder->corpus, sizeof(folder->corpus), "%s/corpus", folder->path);
	snprintf(folder->results, sizeof(folder->results), "%s/results", folder->path);
	ck_assert_int_eq(mkdir(folder->corpus, 0755), 0);
	ck_assert_int_eq(mkdir(folder->results, 0755), 0);
}

static void remove_folder(const struct folder *folder)
{
	char command[PATH_BYTES];

	snprintf(command, sizeof(command), "rm -r %s", folder->path);
	ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
	char path[2 * PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

static void write_text(const char *folder, const char *name, const char *text)
{
	write_file(folder, name, text, strlen(text));
}

/* The file with some bytes of its CFI or names replaced. */
static void write_image(const char *folder, const char *name, const void *from, const void *to,
			size_t size)
{
	struct plant_file file;

	plant_file_make(&file);
	if (size) {
		uint8_t *at = memmem(file.bytes, file.size, from, size);
		ck_assert_ptr_nonnull(at);
		memcpy(at, to, size);
	}
	write_file(folder, name, file.bytes, file.size);
}

/* restore_state and remember_state become nops: what the early ret's row says holds to the end. */
static void write_forgetful(const char *folder, const char *name)
{
	static const uint8_t with[] = { CFA_advance_loc(2), CFA_remember_state, CFA_def_cfa(RSP, 8),
					CFA_restore(RBP),   CFA_advance_loc(1), CFA_restore_state };
	static const uint8_t without[] = { CFA_advance_loc(2),	CFA_nop,
					   CFA_def_cfa(RSP, 8), CFA_restore(RBP),
					   CFA_advance_loc(1),	CFA_nop };

	write_image(folder, name, with, without, sizeof(with));
}

/* ---- one file ---------------------------------------------------------------------------- */

static const struct profile_case {
	const char *name;
	const char *function;
	uint32_t features;
	uint32_t saved;
	uint64_t rows;
	uint64_t rules;
	uint64_t cfa_max;
	uint64_t returns;
	uint64_t returns_open;
} profile_cases[] = {
	{ "a_frame_pointer_and_a_forgotten_epilogue", "framed",
	  FEATURE_FDE | FEATURE_CFA_RBP | FEATURE_REMEMBER, 1 << REGISTER_RBX | 1 << REGISTER_RBP,
	  6, 5, 16, 2, 1 },
	{ "a_described_epilogue", "pushes", FEATURE_FDE | FEATURE_EPILOGUES, 1 << REGISTER_RBX, 3,
	  2, 16, 1, 0 },
	{ "an_expression", "plt", FEATURE_FDE | FEATURE_CFA_EXPRESSION, 0, 1, 1, 0, 0, 0 },
	{ "a_signal_frame", "signal", FEATURE_FDE | FEATURE_SIGNAL, 0, 1, 1, 8, 0, 0 },
};

START_TEST(test_profile)
{
	const struct profile_case *c = &profile_cases[_i];
	const struct function_profile *found = NULL;
	struct code_profile profile;
	struct diff_words words = { NULL };
	struct error error = { 0 };
	struct folder folder;
	char path[2 * PATH_BYTES];

	make_folder(&folder);
	write_image(folder.corpus, "image", NULL, NULL, 0);
	snprintf(path, sizeof(path), "%s/image", folder.corpus);
	struct decoder *decoder = decoder_create(&error);
	ck_assert_msg(!code_profile_read(path, &words, decoder, &profile, &error), "%s",
		      error.message);
	ck_assert_uint_eq(profile.table.function_count, COUNT(profile_cases));
	for (size_t i = 0; i < profile.table.function_count; i++)
		if (!strcmp(profile.function[i].name, c->function))
			found = &profile.function[i];
	ck_assert_msg(found != NULL, "%s", c->name);
	ck_assert_msg(found->features == c->features, "%s: features %x", c->name, found->features);
	ck_assert_msg(found->saved == c->saved, "%s: saved %x", c->name, found->saved);
	ck_assert_msg(found->rows == c->rows, "%s: %d rows", c->name, (int)found->rows);
	ck_assert_msg(found->rules == c->rules, "%s: %d rules", c->name, (int)found->rules);
	ck_assert_msg(found->cfa_max == c->cfa_max, "%s: %d", c->name, (int)found->cfa_max);
	ck_assert_msg(found->returns == c->returns && found->returns_open == c->returns_open,
		      "%s: %d of %d returns open", c->name, (int)found->returns_open,
		      (int)found->returns);
	code_profile_deinit(&profile);
	diff_words_deinit(&words);
	decoder_destroy(decoder);
	remove_folder(&folder);
}
END_TEST

/* A ret that is the segment's last byte: no whole instruction can be read there. */
START_TEST(test_return_at_the_segments_end)
{
	struct plant_file file;
	struct code_profile profile;
	struct diff_words words = { NULL };
	struct error error = { 0 };
	struct folder folder;
	char path[2 * PATH_BYTES];

	make_folder(&folder);
	plant_file_make(&file);
	Elf64_Phdr *segment = (Elf64_Phdr *)(file.bytes + sizeof(Elf64_Ehdr));
	segment->p_filesz = segment->p_memsz = PLANT_END;
	file.bytes[PLANT_END - 1] = 0xc3;
	write_file(folder.corpus, "image", file.bytes, file.size);
	snprintf(path, sizeof(path), "%s/image", folder.corpus);
	struct decoder *decoder = decoder_create(&error);
	ck_assert_msg(!code_profile_read(path, &words, decoder, &profile, &error), "%s",
		      error.message);
	const struct function_profile *last = &profile.function[COUNT(profile_cases) - 1];
	ck_assert_str_eq(last->name, "signal");
	ck_assert_uint_eq(last->returns, 1);
	ck_assert_uint_eq(last->returns_open, 0);
	code_profile_deinit(&profile);
	diff_words_deinit(&words);
	decoder_destroy(decoder);
	remove_folder(&folder);
}
END_TEST

/* Every prefix of the file: none may do harm. */
START_TEST(test_cut_files)
{
	struct plant_file file;
	struct folder folder;
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	char path[2 * PATH_BYTES];

	make_folder(&folder);
	plant_file_make(&file);
	snprintf(path, sizeof(path), "%s/cut", folder.corpus);
	for (size_t size = 0; size < file.size; size += 37) {
		struct diff_words words = { NULL };
		struct code_profile profile;

		write_file(folder.corpus, "cut", file.bytes, size);
		if (!code_profile_read(path, &words, decoder, &profile, &error))
			code_profile_deinit(&profile);
		diff_words_deinit(&words);
	}
	decoder_destroy(decoder);
	remove_folder(&folder);
}
END_TEST

/* ---- a corpus ---------------------------------------------------------------------------- */

#define LINE_OF(binary, program, toolchain, variant, rest)                                         \
	"{" rest "\"binary\":\"" binary "\",\"kernel\":\"host\",\"program\":\"" program            \
	"\",\"toolchain\":\"" toolchain "\",\"variant\":\"" variant "\",\"language\":\"c\"}\n"
#define PASSED(binary, program, toolchain, variant)                                                \
	LINE_OF(binary, program, toolchain, variant,                                               \
		"\"type\":\"verdicts\",\"points\":10,\"exact\":10,")                               \
	LINE_OF(binary, program, toolchain, variant,                                               \
		"\"type\":\"result\",\"status\":\"passed\",\"reason\":\"\",")
#define FAULT(binary, program, toolchain, variant)                                                 \
	LINE_OF(binary, program, toolchain, variant,                                               \
		"\"type\":\"finding\",\"verdict\":\"table_fault\",\"kind\":\"wrong\","             \
		"\"function\":"                                                                    \
		"\"framed\",\"image\":\"" binary "\",\"address\":\"0x1009\",\"count\":1,")

static const char results_text[] =
	"{\"type\":\"header\",\"version\":1,\"kernels\":[{\"name\":\"host\"}],\"cells\":5}\n" FAULT(
		"old", "p", "gcc-9.4.0", "O2-nofp") PASSED("old", "p", "gcc-9.4.0", "O2-nofp")
		PASSED("new", "p", "gcc-12.2.0", "O2-nofp")
			PASSED("gone", "q", "gcc-12.2.0", "O2-nofp")
				PASSED("stranger", "q", "gcc-12.2.0", "O0-fp")
					PASSED("text", "q", "gcc-9.4.0", "O0-fp");

static const char manifest_text[] = "old\tp\tgcc-9.4.0\tO2-nofp\tc\t-\ttable_fault:framed\n"
				    "new\tp\tgcc-12.2.0\tO2-nofp\tc\t-\texact\n"
				    "gone\tq\tgcc-12.2.0\tO2-nofp\tc\t-\texact\n"
				    "text\tq\tgcc-9.4.0\tO0-fp\tc\t-\texact\n";

static void make_corpus(const struct folder *folder)
{
	write_text(folder->results, "results.ndjson", results_text);
	write_text(folder->corpus, "manifest.tsv", manifest_text);
	write_image(folder->corpus, "old", NULL, NULL, 0);
	write_forgetful(folder->corpus, "new");
	write_text(folder->corpus, "text", "not an ELF file\n");
}

START_TEST(test_pair)
{
	struct toolchain_report report;
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };
	struct folder folder;

	make_folder(&folder);
	make_corpus(&folder);
	ck_assert(!results_read(&results, folder.results, &error));
	ck_assert_msg(!toolchain_report_read(&report, &results, folder.corpus, NULL, &error), "%s",
		      error.message);
	ck_assert_uint_eq(report.model.pair_count, 1);
	const struct toolchain_pair *pair = &report.model.pair[0];
	ck_assert_str_eq(report.model.toolchain[pair->from].name, "gcc-9.4.0");
	ck_assert_str_eq(report.model.toolchain[pair->to].name, "gcc-12.2.0");
	ck_assert_int_eq(pair->reason, PAIR_NEXT_VERSION);
	ck_assert_uint_eq(pair->binaries, 1);
	ck_assert_uint_eq(pair->functions[FUNCTION_EQUAL], 3);
	ck_assert_uint_eq(pair->functions[FUNCTION_CHANGED], 1);
	ck_assert_uint_eq(pair->change_count, 1);
	ck_assert_str_eq(pair->change[0].after.name, "framed");
	ck_assert_uint_eq(pair->change[0].lost, FEATURE_REMEMBER);
	ck_assert_uint_eq(pair->change[0].gained, FEATURE_EPILOGUES);
	/* The fault: announced by the corpus, in the older one alone. */
	ck_assert_uint_eq(report.model.fault_count, 1);
	ck_assert(report.model.fault[0].expected);
	ck_assert_int_eq(report.model.fault[0].state[0], FAULT_PRESENT);
	ck_assert_int_eq(report.model.fault[0].state[1], FAULT_ABSENT);
	/* What could not be read is counted, with the first reason. */
	ck_assert_uint_eq(report.model.toolchain[0].unread, 1);
	ck_assert_str_eq(report.model.toolchain[0].unread_reason, "not_elf");
	ck_assert_uint_eq(report.model.toolchain[1].unread, 2);
	ck_assert_str_eq(report.model.toolchain[1].unread_reason, "no_file");
	ck_assert_uint_eq(report.model.toolchain[0].returns_open, 1);
	ck_assert_uint_eq(report.model.toolchain[1].returns_open, 0);
	toolchain_report_deinit(&report);
	remove_folder(&folder);
}
END_TEST

static const struct command_case {
	const char *name;
	const char *results; /* what results.ndjson has; NULL: there is none */
	const char *manifest;
	const char *option; /* one more */
	enum exit_status status;
	const char *says;
} command_cases[] = {
	{ "expected_faults_are_no_findings", results_text, manifest_text, "--json", EXIT_OK,
	  "{\"type\":\"toolchain_summary\"" },
	{ "unexpected_faults_are_findings", results_text,
	  "old\tp\tgcc-9.4.0\tO2-nofp\tc\t-\texact\n", "--verbose", EXIT_FINDINGS, "not expected" },
	{ "missing_binaries_are_seen", results_text, manifest_text, "--verbose", EXIT_OK,
	  "gcc-12.2.0: tables of 2 binaries not read: no_file" },
	{ "an_empty_folder_is_an_error", NULL, manifest_text, "--json", EXIT_BAD_INPUT,
	  "results.ndjson: No such file" },
	{ "a_corpus_without_manifest_is_an_error", results_text, NULL, "--json", EXIT_BAD_INPUT,
	  "manifest.tsv: No such file" },
	{ "nothing_judged_is_a_skip",
	  "{\"type\":\"header\",\"version\":1,\"kernels\":[{\"name\":\"host\"}],\"cells\":0}\n",
	  manifest_text, "--json", EXIT_SKIPPED, "toolchain_summary" },
	{ "other_formats_are_refused", results_text, manifest_text, "--format=tap", EXIT_USAGE,
	  "text, json or html" },
	{ "a_page_on_stdout", results_text, manifest_text, "--html=-", EXIT_OK, "<!DOCTYPE html>" },
	{ "a_page_that_cannot_be_written", results_text, manifest_text, "--html=/nowhere/page",
	  EXIT_ENVIRONMENT, "can't write /nowhere/page" },
};

START_TEST(test_command)
{
	const struct command_case *c = &command_cases[_i];
	struct folder folder;
	int status;

	make_folder(&folder);
	make_corpus(&folder);
	char *results = folder.results, file[2 * PATH_BYTES];
	snprintf(file, sizeof(file), "%s/results.ndjson", folder.results);
	if (c->results)
		write_text(folder.results, "results.ndjson", c->results);
	else
		ck_assert_int_eq(unlink(file), 0);
	snprintf(file, sizeof(file), "%s/manifest.tsv", folder.corpus);
	if (c->manifest)
		write_text(folder.corpus, "manifest.tsv", c->manifest);
	else
		ck_assert_int_eq(unlink(file), 0);
	char name[] = "stackproof report", toolchains[] = "--toolchains", corpus[] = "--corpus";
	char option[128];
	snprintf(option, sizeof(option), "%s", c->option);
	char *arguments[] = { name, toolchains, corpus, folder.corpus, option, results, NULL };
	FREED char *output = command_output(command_report, arguments, &status);
	ck_assert_msg(status == (int)c->status, "%s: %d: %s", c->name, status, output);
	ck_assert_msg(strstr(output, c->says) != NULL, "%s: %s", c->name, output);
	remove_folder(&folder);
}
END_TEST

/* A unit of so many ranges: of more than 65,536 none is left out, it is an error. */
static const char unit_source[] =
	"printf '%%s\\n' .text 'f: .skip 16' '.section .debug_abbrev' '.uleb128 1, 0x11' '.byte 0' "
	"'.uleb128 3, 8, 0x1b, 8, 0x11, 1, 0x55, 0x17, 0, 0, 0' '.section .debug_info' "
	"'.long end - begin' 'begin: .short 4' '.long 0' '.byte 8' '.uleb128 1' "
	"'.string \"testprogs/f.c\"' '.string \".\"' '.quad 0' '.long 0' 'end:' "
	"'.section .debug_ranges' '.rept %d' '.quad 1, 2' '.endr' '.quad 0, 0' | "
	"gcc-12 -x assembler -c -o %s - 2>/dev/null";

START_TEST(test_ranges_of_a_unit)
{
	static const int counts[] = { 1, 60000, 70000 };
	char path[] = "/tmp/test_profile.XXXXXX", command[sizeof(unit_source) + 64];
	struct own_code own;
	struct error error;
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	close(file);
	snprintf(command, sizeof(command), unit_source, counts[_i], path);
	if (system(command)) {
		printf("SKIP: no gcc-12\n");
	} else if (own_code_read(path, &own, &error)) {
		ck_assert_msg(counts[_i] > 65536 && error.code == ERROR_TABLE_LIMIT, "%d: %s",
			      counts[_i], error.message);
	} else {
		ck_assert_msg(counts[_i] < 65536 && own.count, "%d ranges", counts[_i]);
		ck_assert(own_code_has(&own, 1) && !own_code_has(&own, 2));
		own_code_deinit(&own);
	}
	unlink(path);
}
END_TEST

SUITE(function_profile, LOOP(test_profile, profile_cases), TEST(test_return_at_the_segments_end),
      TEST(test_cut_files), TEST(test_pair), TIMES(test_ranges_of_a_unit, 3),
      LOOP(test_command, command_cases))
