/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_guest.c - a lane's guests: how it is dealt to them, what each is given, and what is noted
 * of how it ended
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "host_lane.h"

/* ---- what is noted ------------------------------------------------------------------------ */

#define RESULT(...) .result = { __VA_ARGS__ }
#define AFTER(...)  .after = { __VA_ARGS__ }

static const struct note {
	const char *name;
	struct guest_result result;
	struct results_kernel after;
} notes[] = {
	{ "the_first",
	  RESULT(.release = "6", .kvm = true, .boot_ms = 5, .total_ms = 10, .splats = 1),
	  AFTER(.version = "6", .accelerator = "kvm", .outcome = "ok", .boot_ms = 5, .total_ms = 10,
		.splats = 1) },
	{ "another_that_is_well_and_had_no_boot_time",
	  RESULT(.commands_done = 1, .total_ms = 7, .splats = 2, .sentence = "later"),
	  AFTER(.version = "6", .accelerator = "tcg", .outcome = "ok", .total_ms = 17, .splats = 3,
		.boot_ms = 5) },
	{ "one_that_died",
	  RESULT(.release = "7.1", .outcome = GUEST_PANIC, .sentence = "died", .boot_ms = 3,
		 .kvm = true),
	  AFTER(.version = "7.1", .accelerator = "kvm", .outcome = "panic", .sentence = "died",
		.boot_ms = 5, .total_ms = 17, .splats = 3) },
	{ "what_went_wrong_stands", RESULT(.boot_ms = 9, .sentence = "well"),
	  AFTER(.version = "7.1", .accelerator = "tcg", .outcome = "panic", .sentence = "died",
		.boot_ms = 9, .total_ms = 17, .splats = 3) },
	{ "one_that_never_ran_says_nothing_of_how",
	  RESULT(.outcome = GUEST_NO_BOOT, .kvm = true, .sentence = "no boot"),
	  AFTER(.version = "7.1", .accelerator = "tcg", .outcome = "no_boot", .sentence = "no boot",
		.boot_ms = 9, .total_ms = 17, .splats = 3) },
};

START_TEST(test_notes)
{
	FREED char *text = NULL;
	size_t size, lines = 0;
	struct results results DEINIT(results_deinit);
	struct run run = { .results = &results, .lock = PTHREAD_MUTEX_INITIALIZER };

	results_init(&results);
	results.kernel = calloc(1, sizeof(*results.kernel));
	results.kernel_count = 1;
	run.stream = open_memstream(&text, &size);
	for (int i = 0; i < COUNT(notes); i++) {
		const struct results_kernel *after = &notes[i].after, *kernel = results.kernel;

		run_guest_note(&run, 0, &notes[i].result);
		ck_assert_msg(!strcmp(kernel->version, after->version), "%s: %s", notes[i].name,
			      kernel->version);
		ck_assert_msg(!strcmp(kernel->accelerator, after->accelerator), "%s: %s",
			      notes[i].name, kernel->accelerator);
		ck_assert_msg(!strcmp(kernel->outcome, after->outcome), "%s: %s", notes[i].name,
			      kernel->outcome);
		ck_assert_msg(!strcmp(kernel->sentence, after->sentence), "%s: %s", notes[i].name,
			      kernel->sentence);
		ck_assert_msg(kernel->boot_ms == after->boot_ms &&
				      kernel->total_ms == after->total_ms &&
				      kernel->splats == after->splats,
			      "%s: %u, %u ms, %u splats", notes[i].name, kernel->boot_ms,
			      kernel->total_ms, kernel->splats);
	}
	/* An outcome of one letter is one, too. */
	strcpy(results.kernel->outcome, "x");
	run_guest_note(&run, 0, &notes[0].result);
	ck_assert_str_eq(results.kernel->outcome, "x");
	fclose(run.stream);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, COUNT(notes) + 1);
}
END_TEST

static int some_kernel(const char *name, struct kernel *ret, struct error *error)
{
	*ret = (struct kernel) { .image = "image", .version = "6.1.9", .package = "linux 6.1.9-1" };
	if (!strcmp(name, "gone"))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "no network");
	return 0;
}

START_TEST(test_kernel_is_noted)
{
	const struct run_backend backend = { .kernel = some_kernel };
	char *names[] = { "6.1", "gone" };
	struct run_options options = { .kernel = names, .kernel_count = 2 };
	struct results results DEINIT(results_deinit);
	struct run run = { .options = &options,
			   .backend = &backend,
			   .results = &results,
			   .fetch_lock = PTHREAD_MUTEX_INITIALIZER,
			   .lock = PTHREAD_MUTEX_INITIALIZER };
	struct kernel kernel;
	struct error error = { 0 };

	results_init(&results);
	results.kernel = calloc(2, sizeof(*results.kernel));
	results.kernel_count = 2;
	ck_assert_int_eq(run_guest_kernel(&run, 0, &kernel, &error), 0);
	ck_assert_str_eq(results.kernel[0].version, "6.1.9");
	ck_assert_str_eq(results.kernel[0].package, "linux 6.1.9-1");
	ck_assert_str_eq(results.kernel[0].sentence, "");
	ck_assert_int_eq(run_guest_kernel(&run, 1, &kernel, &error), -1);
	ck_assert_str_eq(results.kernel[1].sentence, "no network");
}
END_TEST

/* ---- QEMU --------------------------------------------------------------------------------- */

/* PATH: F is a folder that has it, N one in which nobody may run it. */
static const struct path_case {
	const char *path;
	bool installed;
} path_cases[] = {
	{ "F", true },		{ "N", false },		{ "/nowhere", false },
	{ "/nowhere:F", true }, { "F:/nowhere", true }, { "N:F", true },
};

START_TEST(test_qemu_is_looked_for)
{
	char folder[] = "/tmp/test_run_guest.XXXXXX", path[64], list[256] = "";
	const char *given = path_cases[_i].path;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (const char *name = "FN"; *name; name++) {
		snprintf(path, sizeof(path), "%s/%c", folder, *name);
		ck_assert_int_eq(mkdir(path, 0777), 0);
		snprintf(path, sizeof(path), "%s/%c/" QEMU, folder, *name);
		fclose(fopen(path, "we"));
		ck_assert_int_eq(chmod(path, *name == 'F' ? 0755 : 0644), 0);
	}
	for (const char *at = given; *at; at++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used,
			 *at == 'F' || *at == 'N' ? "%2$s/%1$c" : "%1$c", *at, folder);
	}
	setenv("PATH", list, 1);
	ck_assert_msg(qemu_installed() == path_cases[_i].installed, "%s", given);
	setenv("PATH", "/usr/bin:/bin", 1);
	remove_tree(folder);
}
END_TEST

/* ---- shards ------------------------------------------------------------------------------- */

static const size_t shard_cases[][2] = { { 0, 1 },   { 1, 1 },	 { 95, 1 },  { 96, 2 },
					 { 143, 2 }, { 144, 3 }, { 192, 3 }, { 1000, 3 } };

START_TEST(test_shards)
{
	struct run run = { .manifest.count = shard_cases[_i][0] };

	ck_assert_uint_eq(run_guest_shards(&run), shard_cases[_i][1]);
}
END_TEST

/* ---- a lane ------------------------------------------------------------------------------- */

/* What the guests of a run were given: consoles, and the sizes of their commands. */
static char given[1024];

static void say(const struct guest_callbacks *callbacks, size_t command, enum guest_stream stream,
		const char *type, const char *program)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"type\":\"%s\",\"program\":\"%s\",\"points\":5}\n", type,
		 program);
	callbacks->on_output(callbacks->context, command, stream, text, strlen(text));
}

/* By the kernel's name: endless says of no program that it ended; silent says nothing and ends with 3; half says all on standard output only,
 * and never that it ended; broken does not start, and mute doesn't say why. */
static int counting_guest(const struct guest_options *options,
			  const struct guest_callbacks *callbacks, struct guest_result *ret,
			  struct error *error)
{
	const char *kernel = options->kernel_image;
	bool silent = !strcmp(kernel, "silent"), half = !strcmp(kernel, "half"),
	     endless = !strcmp(kernel, "endless");
	size_t used = strlen(given);

	*ret = (struct guest_result) { .boot_ms = 1 };
	used += snprintf(given + used, sizeof(given) - used,
			 "%s:", strrchr(options->console_path, '/') + 1);
	if (!strcmp(kernel, "broken") || !strcmp(kernel, "mute")) {
		strcpy(ret->sentence, *kernel == 'b' ? "s" : "");
		return error_set(error, ERROR_SYSTEM, "", 0, "no QEMU");
	}
	for (size_t i = 0; i < options->command_count; i++) {
		char *const *binary = options->commands[i].argv;
		size_t count = 0;

		while (strcmp(*binary, "--") != 0)
			binary++;
		while (*++binary) {
			count++;
			for (int stream = 0; stream <= !half && !silent; stream++) {
				say(callbacks, i, stream ? GUEST_STDERR : GUEST_STDOUT, "begin",
				    *binary);
				if (!stream)
					say(callbacks, i, GUEST_STDOUT, "verdicts", *binary);
				if (!endless)
					say(callbacks, i, stream ? GUEST_STDERR : GUEST_STDOUT,
					    "end", *binary);
			}
		}
		used += snprintf(given + used, sizeof(given) - used, " %zu", count);
		if (!half)
			callbacks->on_exit(callbacks->context, i, silent ? 3 : 0);
	}
	snprintf(given + used, sizeof(given) - used, "; ");
	ret->total_ms = 1000;
	return 0;
}

static int named_kernel(const char *name, struct kernel *ret, struct error *error)
{
	*ret = (struct kernel) { 0 };
	snprintf(ret->image, sizeof(ret->image), "%s", name);
	return 0;
}

static bool can_boot(void)
{
	return true;
}

static const struct lane_case {
	const char *kernel;
	size_t lazy, at_once;
	const char *given, *letters, *reason; /* of the last cell */
	const char *progress;
} lane_cases[] = {
	{ "5.10", 3, 0, "5.10.console: 3; ", "PPP", "",
	  "5.10: 3 passed, 0 failed, 0 errors, 0 skipped, 1.0 s\n" },
	{ "5.10", 2, 1, "5.10.console: 2 1; ", "PPP", "",
	  "5.10: 3 passed, 0 failed, 0 errors, 0 skipped, 1.0 s\n" },
	{ "5.10", 96, 0, "5.10.console: 48; 5.10.console.1: 48; ", "P", "",
	  "5.10: 96 passed, 0 failed, 0 errors, 0 skipped, 2.0 s\n" },
	{ "5.10", 98, 1, "5.10.console: 48 1 1; 5.10.console.1: 48 1; ", "P", "",
	  "5.10: 99 passed, 0 failed, 0 errors, 0 skipped, 2.0 s\n" },
	{ "silent", 2, 0, "silent.console: 2; ", "EE", "compare ended with status 3",
	  "silent: 0 passed, 0 failed, 2 errors, 0 skipped, 1.0 s\n" },
	{ "endless", 1, 0, "endless.console: 1; ", "E",
	  "line 2 of compare's output is not a JSON object: (its end was not reported)",
	  "endless: 0 passed, 0 failed, 1 errors, 0 skipped, 1.0 s\n" },
	{ "half", 2, 0, "half.console: 2; ", "PP", "",
	  "half: 2 passed, 0 failed, 0 errors, 0 skipped, 1.0 s\n" },
	{ "broken", 1, 0, "broken.console:", "E",
	  "while this ran: the guest's outcome is not_started: s",
	  "broken: 0 passed, 0 failed, 1 errors, 0 skipped, 0.0 s: s\n" },
	{ "mute", 1, 0, "mute.console:", "E",
	  "while this ran: the guest's outcome is not_started: no QEMU",
	  "mute: 0 passed, 0 failed, 1 errors, 0 skipped, 0.0 s: no QEMU\n" },
};

START_TEST(test_lane)
{
	const struct lane_case *c = &lane_cases[_i];
	const struct run_backend backend = { .kernel = named_kernel,
					     .guest = counting_guest,
					     .can_boot = can_boot };
	char corpus[] = "/tmp/test_run_guest.XXXXXX", folder[64], list[2048] = "";
	char got[LANE_BINARIES_MAX + 1], *progress = NULL, *kernel[] = { (char *)c->kernel };
	size_t size;
	struct run_options options = { .corpus = corpus,
				       .results = folder,
				       .kernel = kernel,
				       .kernel_count = 1,
				       .engines = "cfi",
				       .require = "",
				       .jobs = 1,
				       .timeout_ms = LANE_TIMEOUT_MS,
				       .progress = open_memstream(&progress, &size) };
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	for (size_t i = 0, used = 0; i < c->lazy + c->at_once; i++)
		used += snprintf(list + used, sizeof(list) - used, "%c%zu ",
				 i < c->lazy ? 'l' : 'x', i);
	make_corpus(corpus, list);
	snprintf(folder, sizeof(folder), "%s/results", corpus);
	ck_assert_msg(!run_matrix(&results, &options, &backend, &error), "%s", error.message);
	fclose(options.progress);
	letters(&results, got);
	ck_assert_msg(!strncmp(got, c->letters, strlen(c->letters)), "%d: %s", _i, got);
	ck_assert_str_eq(given, c->given);
	ck_assert_str_eq(progress, c->progress);
	const char *reason = results.cell[results.cell_count - 1].reason;
	ck_assert_msg(!strncmp(reason, c->reason, strlen(c->reason)), "%d: %s", _i, reason);
	free(progress);
	remove_tree(corpus);
}
END_TEST

/* A binary's own files go into the guest with it. */
static int listing_guest(const struct guest_options *options,
			 const struct guest_callbacks *callbacks, struct guest_result *ret,
			 struct error *error)
{
	*ret = (struct guest_result) { .boot_ms = 1 };
	for (size_t i = 1; i < options->file_count; i++) {
		size_t used = strlen(given);

		snprintf(given + used, sizeof(given) - used, "%s=%s ",
			 strrchr(options->files[i].host_path, '/') + 1,
			 options->files[i].guest_path);
	}
	return 0;
}

START_TEST(test_files_of_a_binary)
{
	const struct run_backend backend = { .kernel = named_kernel,
					     .guest = listing_guest,
					     .can_boot = can_boot };
	char corpus[] = "/tmp/test_run_guest.XXXXXX", folder[64], path[64], *kernel[] = { "5.10" };
	struct run_options options = { .corpus = corpus,
				       .results = folder,
				       .kernel = kernel,
				       .kernel_count = 1,
				       .engines = "cfi",
				       .require = "",
				       .jobs = 1,
				       .timeout_ms = LANE_TIMEOUT_MS };
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	make_corpus(corpus, "a b");
	snprintf(folder, sizeof(folder), "%s/results", corpus);
	snprintf(path, sizeof(path), "%s/manifest.tsv", corpus);
	FILE *file = fopen(path, "ae");
	fprintf(file, "c\tc\tgcc\tO2-fp\tc\ta b\n");
	fclose(file);
	snprintf(path, sizeof(path), "%s/c", corpus);
	fclose(fopen(path, "we"));
	ck_assert_msg(!run_matrix(&results, &options, &backend, &error), "%s", error.message);
	ck_assert_str_eq(given, "a=/corpus/a b=/corpus/b c=/corpus/c a=/corpus/a b=/corpus/b ");
	ck_assert_ptr_nonnull(strstr(results.cell[2].reason, "ok: it did not report this"));
	remove_tree(corpus);
}
END_TEST

SUITE(run_guest, TEST(test_notes), TEST(test_kernel_is_noted),
      LOOP(test_qemu_is_looked_for, path_cases), LOOP(test_shards, shard_cases),
      LOOP(test_lane, lane_cases), TEST(test_files_of_a_binary))
