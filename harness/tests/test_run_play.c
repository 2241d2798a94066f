/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_play.c - `run --guests play`: what the host recorded is played, each cell gets one
 * outcome, and nothing is lost
 *
 * The world is replaced: compare writes a recording for each binary whose name doesn't begin with
 * n, and a guest says of each recording what the binary's name says.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/run.h"
#include "replay/recording.h"
#include "host_lane.h"

#define EXACT                                                                                      \
	"{\"type\":\"score\",\"engine\":\"cfi\",\"points\":5,\"exact\":5}\n"                       \
	"{\"type\":\"verdicts\",\"points\":5,\"status\":0}\n"

static void make_recording(const char *folder, const char *binary)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.recording", folder, strrchr(binary, '/') + 1);
	FILE *file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(RECORDING_MAGIC "N\4prog", file);
	fwrite("E\0", 1, 2, file);
	fclose(file);
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
			 "{\"type\":\"end\",\"program\":\"%s\",\"status\":0}\n",
			 *argv, EXACT, *argv);
		options->on_output(options->context, RUN_STDOUT, text, strlen(text));
		if (strrchr(*argv, '/')[1] != 'n')
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
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	return 0;
}

/* What replay says of a recording, by the first letter of its binary. */
static const char *words_of(char letter)
{
	switch (letter) {
	case 'g': return "{\"type\":\"replay\",\"recording\":\"%s\",\"points\":5,\"same\":5}\n";
	case 'd':
		return "{\"type\":\"replay\",\"recording\":\"%s\",\"points\":5,\"same\":3,"
		       "\"different\":1,\"lost\":1}\n";
	case 'z': return "{\"type\":\"replay\",\"recording\":\"%s\",\"points\":0,\"same\":0}\n";
	case 't':
		return "{\"type\":\"skip\",\"recording\":\"%s\",\"reason\":\"address_taken\","
		       "\"message\":\"0x400000\"}\n";
	default: return NULL; /* silent */
	}
}

static int fake_guest(const struct guest_options *options, const struct guest_callbacks *callbacks,
		      struct guest_result *ret, struct error *error)
{
	char *const *argv = options->commands[0].argv;

	*ret = (struct guest_result) { .outcome = GUEST_OK, .boot_ms = 1, .commands_done = 1 };
	ck_assert_uint_eq(options->command_count, 1);
	ck_assert_str_eq(argv[1], "replay");
	ck_assert_str_eq(argv[2], "--json");
	for (argv += 3; *argv; argv++) {
		const char *words = words_of(strrchr(*argv, '/')[1]);
		char text[4096];

		if (!strcmp(options->kernel_image, "dead")) {
			*ret = (struct guest_result) { .outcome = GUEST_PANIC,
						       .sentence = "it died" };
			return 0;
		}
		snprintf(text, sizeof(text), words ? words : "%s: no recording\n", *argv);
		/* In two pieces: lines come as they come. */
		for (size_t half = strlen(text) / 2, at = 0, i = 0; i < 2; i++, at = half)
			callbacks->on_output(callbacks->context, 0,
					     words ? GUEST_STDOUT : GUEST_STDERR, text + at,
					     i ? strlen(text) - half : half);
	}
	return 0;
}

static int dead_kernel(const char *name, struct kernel *ret, struct error *error)
{
	*ret = (struct kernel) { .image = "dead" };
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
	const char *name, *binaries, *kernel, *letters; /* the host's cells, then the guest's */
	const char *reason;				/* the last cell's begins so */
	bool dead, no_vm;
} cases[] = {
	{ "all as recorded", "good good2", "5.10", "PPPP", "", false, false },
	{ "a stack was another", "good different", "5.10", "PPPF",
	  "played: 2 of 5 points are not as recorded", false, false },
	{ "no point", "good zero", "5.10", "PPPE", "no point was played", false, false },
	{ "a skip is one", "good taken", "5.10", "PPPS", "address_taken: 0x400000", false, false },
	{ "not recorded", "good nothing", "5.10", "PPPS", "not_recorded: on the host it is passed",
	  false, false },
	{ "nothing recorded", "n1 n2", "5.10", "PPSS", "not_recorded", false, false },
	{ "nothing said", "good silent", "5.10", "PPPE",
	  "the recording can't be played: no recording", false, false },
	{ "a guest that dies", "good good2", "5.10", "PPEE",
	  "not played: the guest's outcome is panic: it died", true, false },
	{ "no kernel", "good good2", "none", "PPSS", "no_kernel: the archive has none", false,
	  false },
	{ "no QEMU", "good good2", "5.10", "PPSS", "no_vm", false, true },
};

START_TEST(every_cell_has_its_outcome)
{
	const struct run_case *c = &cases[_i];
	const struct run_backend backend = {
		.compare = fake_compare,
		.kernel = c->dead ? dead_kernel : fake_kernel,
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
	char got[64];

	snprintf(name, sizeof(name), "%s", c->kernel);
	make_corpus(corpus, c->binaries);
	snprintf(folder, sizeof(folder), "%s/results", corpus);
	ck_assert_msg(!run_matrix(&results, &options, &backend, &error), "%s", error.message);
	letters(&results, got);
	ck_assert_msg(!strcmp(got, c->letters), "%s: %s", c->name, got);
	const char *reason = results.cell[results.cell_count - 1].reason;
	ck_assert_msg(!strncmp(reason, c->reason, strlen(c->reason)), "%s: %s", c->name, reason);
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

int main(void)
{
	Suite *suite = suite_create("run_play");
	TCase *tcase = tcase_create("run_play");

	tcase_add_loop_test(tcase, every_cell_has_its_outcome, 0, sizeof(cases) / sizeof(cases[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
