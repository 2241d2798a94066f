/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_play.c - `run --guests play`: what the host recorded is played, each cell gets one
 * outcome, and nothing is lost
 *
 * The world is replaced: compare writes a recording for each binary whose name doesn't begin with
 * n, and a guest says of each recording what the binary's name says.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/run/run.h"
#include "judge/replay/recording.h"
#include "host_lane.h"

#define EXACT                                                                                      \
	"{\"type\":\"score\",\"engine\":\"cfi\",\"points\":5,\"exact\":5}\n"                       \
	"{\"type\":\"verdicts\",\"points\":5,\"status\":0}\n"

/* Of recordings and images each is of some size, which the guest needs room for. */
#define RECORDING_SIZE (3u << 19)
#define IMAGE_SIZE     (5u << 19)

/* A recording of a program with one image, which the binary itself is. */
static void make_recording(const char *folder, const char *binary)
{
	char path[4096];

	ck_assert_int_eq(truncate(binary, IMAGE_SIZE), 0);
	snprintf(path, sizeof(path), "%s/%s.recording", folder, strrchr(binary, '/') + 1);
	FILE *file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(RECORDING_MAGIC_2 "N\4prog", file);
	fprintf(file, "M\1\x80\x20\x80\x20%c\1%c%s", 0, (int)strlen(binary), binary);
	fwrite("\1E\0", 1, 3, file);
	fclose(file);
	ck_assert_int_eq(truncate(path, RECORDING_SIZE), 0);
}

static int fake_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	const char *folder = NULL;
	char *const *argv = options->argv;

	for (; strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--record"))
			folder = argv[1];
	ck_assert_msg(folder != NULL, "compare is not told to record");
	while (*++argv) {
		char text[4096];

		snprintf(text, sizeof(text),
			 "{\"type\":\"begin\",\"program\":\"%s\"}\n%s"
			 "{\"type\":\"end\",\"program\":\"%s\",\"status\":%d}\n",
			 *argv,
			 strrchr(*argv, '/')[1] == 'm' ? "{\"type\":\"skip\",\"reason\":\"x\"}\n"
						       : EXACT,
			 *argv, strrchr(*argv, '/')[1] == 'm' ? 77 : 0);
		options->on_output(options->context, RUN_STDOUT, text, strlen(text));
		if (!strchr("mn", strrchr(*argv, '/')[1]))
			make_recording(folder, *argv);
	}
	*ret_exit = 0;
	return 0;
}

static int fake_kernel(const char *name, struct kernel *ret, struct error *error)
{
	*ret = (struct kernel) { 0 };
	if (!strcmp(name, "none"))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "the archive has none");
	if (!strcmp(name, "damaged"))
		return error_set(error, ERROR_PROTOCOL, "", 0, "the package is damaged");
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	snprintf(ret->image, sizeof(ret->image), "%s", name);
	return 0;
}

/* What replay says of a recording, by the first letter of its binary. */
static const char *words_of(char letter)
{
	switch (letter) {
	case 'g':
		/* Said twice: the first counts. */
		return "{\"type\":\"replay\",\"recording\":\"%1$s\",\"points\":5,\"same\":5}\n"
		       "{\"type\":\"replay\",\"recording\":\"%1$s\",\"points\":5,\"same\":4}\n";
	case 'd':
		return "{\"type\":\"difference\",\"recording\":\"%1$s\",\"points\":1}\n"
		       "{\"type\":\"replay\",\"recording\":\"%1$s\",\"points\":5,\"same\":3,"
		       "\"seconds\":2.5,"
		       "\"different\":1,\"lost\":1}\n";
	case 'z': return "{\"type\":\"replay\",\"recording\":\"%s\",\"points\":0,\"same\":0}\n";
	case 't':
		return "{\"type\":\"skip\",\"recording\":\"%s\",\"reason\":\"address_taken\","
		       "\"message\":\"0x400000\"}\n";
	case 'q': return "";
	default: return NULL; /* silent */
	}
}

/* The guest has this program, all recordings that are played, and their images. */
static void check_options(const struct guest_options *options, size_t played)
{
	uint64_t bytes = played * RECORDING_SIZE;
	struct stat st;

	ck_assert_uint_ge(played, 1);
	ck_assert_str_eq(options->files[0].host_path, "/proc/self/exe");
	ck_assert_str_eq(options->files[0].guest_path, GUEST_PROGRAM);
	ck_assert_int_eq(stat("/proc/self/exe", &st), 0);
	ck_assert_uint_eq(options->file_count, 1 + 2 * played);
	for (size_t i = 1; i < options->file_count; i++) {
		const char *path = options->files[i].host_path;

		ck_assert_int_eq(access(path, F_OK), 0);
		ck_assert_msg(!strstr(path, ".recording") == (i > played), "%zu: %s", i, path);
		ck_assert_ptr_null(options->files[i].guest_path);
	}
	bytes += st.st_size + played * IMAGE_SIZE;
	ck_assert_uint_eq(options->memory_mb, 640 + 2 * (bytes >> 20));
	ck_assert_uint_eq(options->timeout_ms, 1200000);
	ck_assert_int_eq(options->stop_fd, 0);
	ck_assert_ptr_nonnull(strstr(options->console_path, "/results/kernels/"));
	ck_assert_ptr_nonnull(strstr(options->console_path, ".console"));
}

/* Of what nobody asked for nothing comes. */
static const char others[] = "{\"type\":\"replay\",\"recording\":\"/nowhere\",\"points\":5}\n"
			     "{\"type\":\"skip\",\"recording\":\"/nowhere\",\"reason\":\"x\"}\n"
			     "{\"type\":\"replay\",\"points\":5}\n"
			     "no JSON\n";

/* By the name of the kernel: dead dies; broken doesn't start, and mute doesn't say why; with none
 * nothing can be played. */
static int fake_guest(const struct guest_options *options, const struct guest_callbacks *callbacks,
		      struct guest_result *ret, struct error *error)
{
	static const char none[] = "{\"type\":\"skip\",\"reason\":\"no_bpf\",\"message\":\"m\"}\n";
	char *const *argv = options->commands[0].argv;
	const char *kernel = options->kernel_image;
	size_t played = 0;

	*ret = (struct guest_result) { .outcome = GUEST_OK, .boot_ms = 1, .commands_done = 1 };
	ck_assert_uint_eq(options->command_count, 1);
	ck_assert_str_eq(argv[0], GUEST_PROGRAM);
	ck_assert_str_eq(argv[1], "replay");
	ck_assert_str_eq(argv[2], "--json");
	while (argv[3 + played])
		played++;
	check_options(options, played);
	if (!strcmp(kernel, "dead")) {
		*ret = (struct guest_result) { .outcome = GUEST_PANIC, .sentence = "i" };
		return 0;
	}
	if (!strcmp(kernel, "broken") || !strcmp(kernel, "mute")) {
		strcpy(ret->sentence, *kernel == 'b' ? "s" : "");
		return error_set(error, ERROR_SYSTEM, "", 0, "no QEMU");
	}
	callbacks->on_output(callbacks->context, 0, GUEST_STDOUT, others, strlen(others));
	callbacks->on_output(callbacks->context, 0, GUEST_STDERR, "a message\n", 10);
	if (!strcmp(kernel, "without"))
		callbacks->on_output(callbacks->context, 0, GUEST_STDOUT, none, strlen(none));
	for (argv += 3; *argv; argv++) {
		char letter = strrchr(*argv, '/')[1], text[8192];
		const char *words = words_of(letter);

		snprintf(text, sizeof(text), words ? words : "%1$s\n%1$s: %2$s\n", *argv,
			 letter == 'b' ? "x" : "no recording");
		/* In two pieces: lines come as they come. */
		for (size_t half = strlen(text) / 2, at = 0, i = 0; i < 2; i++, at = half)
			callbacks->on_output(callbacks->context, 0,
					     words ? GUEST_STDOUT : GUEST_STDERR, text + at,
					     i ? strlen(text) - half : half);
	}
	callbacks->on_exit(callbacks->context, 0, 0);
	return 0;
}

static bool can_boot(void)
{
	return true;
}

static bool cannot_boot(void)
{
	return false;
}

static const struct run_case {
	const char *name, *binaries, *kernel;
	const char *letters; /* the host's cells, then the guest's */
	const char *outcome; /* of the guest */
	const char *reason;  /* the last cell's */
	bool no_vm;
} cases[] = {
	{ "all as recorded", "good good2", "5.10", "PPPP", "ok", "", false },
	{ "a stack was another", "good different", "5.10", "PPPF", "ok",
	  "played: 2 of 5 points are not as recorded", false },
	{ "no point", "good zero", "5.10", "PPPE", "ok", "no point was played", false },
	{ "a skip is one", "good taken", "5.10", "PPPS", "ok", "address_taken: 0x400000", false },
	{ "nothing can be played", "good good2", "without", "PPSS", "ok", "no_bpf: m", false },
	{ "not recorded", "good nothing", "5.10", "PPPS", "ok",
	  "not_recorded: on the host it is passed", false },
	{ "not recorded before one that is", "nothing good", "5.10", "PPSP", "ok", "", false },
	{ "skipped on the host", "good missed", "5.10", "PSPS", "ok",
	  "not_recorded: on the host it is skipped: x", false },
	{ "nothing recorded", "n1 n2", "5.10", "PPSS", "", "not_recorded: on the host it is passed",
	  false },
	{ "nothing said", "good silent", "5.10", "PPPE", "ok",
	  "the recording can't be played: no recording", false },
	{ "a word of a letter", "silent brief", "5.10", "PPEE", "ok",
	  "the recording can't be played: x", false },
	{ "nothing said at all", "silent quiet", "5.10", "PPEE", "ok",
	  "not played: the guest's outcome is ok: it did not report this", false },
	{ "a guest that dies", "good good2", "dead", "PPEE", "panic",
	  "not played: the guest's outcome is panic: i", false },
	{ "a guest that does not start", "good good2", "broken", "PPEE", "not_started",
	  "not played: the guest's outcome is not_started: s", false },
	{ "one that does not say why", "good good2", "mute", "PPEE", "not_started",
	  "not played: the guest's outcome is not_started: no QEMU", false },
	{ "no kernel", "good good2", "none", "PPSS", "", "no_kernel: the archive has none", false },
	{ "a kernel that is damaged", "good good2", "damaged", "PPEE", "",
	  "no kernel: the package is damaged", false },
	{ "no QEMU", "good good2", "5.10", "PPSS", "", "no_vm: qemu-system-x86_64 is not installed",
	  true },
	{ "not there", "good !gone", "5.10", "PEPE", "ok", "gone is not in the corpus", false },
};

/* The host's cells are judged by what compare said; the others' errors are the machine's, but for
 * one of which nothing was played. */
static void check_cells(const struct run_case *c, const struct results *results)
{
	for (size_t i = results->cell_count / 2; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		bool error = cell->status == CELL_ERROR;

		ck_assert_msg(cell->environment == (error && strncmp(cell->reason, "no point", 8)),
			      "%s: %s", c->name, cell->reason);
		/* What was said of it before its last word is kept with it. */
		size_t kept = cell->status == CELL_FAILED ? 2 : cell->status == CELL_PASSED;

		if (error && !cell->environment)
			kept = 1;
		ck_assert_uint_eq(json_array_size(cell->objects), kept);
		ck_assert_double_eq(cell->seconds, cell->status == CELL_FAILED ? 2.5 : 0);
	}
}

START_TEST(every_cell_has_its_outcome)
{
	const struct run_case *c = &cases[_i];
	const struct run_backend backend = {
		.compare = fake_compare,
		.kernel = fake_kernel,
		.guest = fake_guest,
		.can_boot = c->no_vm ? cannot_boot : can_boot,
	};
	char corpus[] = "/tmp/test_run_play.XXXXXX", folder[64], host[] = HOST_LANE, name[64];
	char *kernel[] = { host, name };
	struct run_options options = {
		.corpus = corpus,
		.results = folder,
		.kernel = kernel,
		.kernel_count = 2,
		.engines = "cfi",
		.require = "",
		.jobs = 2,
		.timeout_ms = LANE_TIMEOUT_MS,
		.record = true,
		.play = true,
	};
	struct results results;
	struct error error = { 0 };
	char got[64], *shown = NULL;
	size_t size;

	options.progress = open_memstream(&shown, &size);
	snprintf(name, sizeof(name), "%s", c->kernel);
	make_corpus(corpus, c->binaries);
	snprintf(folder, sizeof(folder), "%s/results", corpus);
	ck_assert_msg(!run_matrix(&results, &options, &backend, &error), "%s", error.message);
	fclose(options.progress);
	snprintf(got, sizeof(got), "\n%s: ", c->kernel);
	ck_assert_msg(strstr(shown, got), "%s: %s", c->name, shown);
	free(shown);
	letters(&results, got);
	ck_assert_msg(!strcmp(got, c->letters), "%s: %s", c->name, got);
	const char *reason = results.cell[results.cell_count - 1].reason;
	ck_assert_msg(!strcmp(reason, c->reason), "%s: %s", c->name, reason);
	check_cells(c, &results);
	ck_assert_str_eq(results.kernel[1].outcome, c->outcome);
	ck_assert_str_eq(results.kernel[0].how, RESULTS_STEPPED);
	ck_assert_str_eq(results.kernel[1].how, RESULTS_PLAYED);
	if (!_i) {
		ck_assert_uint_eq(results_points(&results), 10);
		ck_assert_uint_eq(results_points_played(&results, c->kernel), 10);
		ck_assert_uint_eq(results_points_played(&results, HOST_LANE), 0);
		ck_assert_uint_eq(results.compared + results.not_comparable, 0);
	}
	results_deinit(&results);
	/* And read back. */
	ck_assert(!results_read(&results, folder, &error));
	ck_assert_str_eq(results.kernel[1].how, RESULTS_PLAYED);
	letters(&results, got);
	ck_assert_msg(!strcmp(got, c->letters), "%s, read: %s", c->name, got);
	results_deinit(&results);
	remove_tree(corpus);
}
END_TEST

SUITE(run_play, LOOP(every_cell_has_its_outcome, cases))
