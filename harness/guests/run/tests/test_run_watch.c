/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_watch.c - `run --truth emulator`: each program's numbers are its cell's, and nothing is lost
 *
 * The world is replaced: a guest writes what the plugin and the agent would, by the first letter of a program's name.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/run/run.h"
#include "host_lane.h"

static int fake_kernel(const char *name, struct kernel *ret, struct error *error)
{
	*ret = (struct kernel) { 0 };
	if (!strcmp(name, "none"))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "the archive has none");
	snprintf(ret->image, sizeof(ret->image), "%s", name);
	return 0;
}

static int some_emulator(const char *plugin, struct emulator *ret, char *ret_path, size_t size,
			 struct error *error)
{
	ck_assert_str_eq(plugin, "watch");
	*ret = (struct emulator) { .directory = "/emulator" };
	snprintf(ret_path, size, "/watch-7.so");
	return 7;
}

static int no_emulator(const char *plugin, struct emulator *ret, char *ret_path, size_t size,
		       struct error *error)
{
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "no network");
}

static int bad_emulator(const char *plugin, struct emulator *ret, char *ret_path, size_t size,
			struct error *error)
{
	return error_set(error, ERROR_PROTOCOL, "", 0, "damaged");
}

/* What the plugin says of a process. */
static void say(FILE *file, const char *program, char letter)
{
	static const char process[] = "{\"type\": \"watch_process\", \"root\": %s, \"walks\": "
				      "{\"made\": %d, \"walked\": %d, \"exact\": %d, \"table\": 1, "
				      "\"unproven\": %d, \"wrong\": %d}}\n";
	int points = letter == 'z' ? 0 : 9;

	if (letter == 'q')
		return;
	fprintf(file, process, "false", 5, 5, 0, 0, 0); /* one that the program has made */
	if (letter == 'w')
		fputs("{\"type\": \"watch_wrong\", \"pc\": \"0x1\"}\n", file);
	fprintf(file, process, "true", letter == 's' ? 10 : points, points,
		letter == 't' || letter == 'l' ? 0 : 8, letter == 'u' ? 5 : 0, letter == 'w');
	fputs("no JSON\n", file);
	fflush(file);
}

/* By the kernel's name: dead dies when one has run; without has no BPF; broken doesn't start. */
static int fake_guest(const struct guest_options *options, const struct guest_callbacks *callbacks,
		      struct guest_result *ret, struct error *error)
{
	static const char none[] = "{\"type\":\"skip\",\"reason\":\"no_bpf\",\"message\":\"m\"}\n";
	const char *kernel = options->kernel_image, *out = strstr(options->plugin, ",out=");
	FILE *file;

	*ret = (struct guest_result) { .outcome = GUEST_OK, .boot_ms = 1, .commands_done = 1 };
	ck_assert_str_eq(options->emulator, "/emulator");
	ck_assert_ptr_nonnull(strstr(options->plugin, "/watch-7.so,from=entry,walks=on,out="));
	if (!strcmp(kernel, "broken"))
		return error_set(error, ERROR_SYSTEM, "", 0, "no QEMU");
	if (!strcmp(kernel, "without")) {
		callbacks->on_output(callbacks->context, 0, GUEST_STDOUT, none, strlen(none));
		return 0;
	}
	file = fopen(out + 5, "we");
	ck_assert_ptr_nonnull(file);
	for (size_t k = 0; k < options->command_count; k++) {
		char *const *argv = options->commands[k].argv;
		bool bind_now = false;

		for (; strcmp(*argv, "--"); argv++)
			bind_now |= !strcmp(*argv, "--bind-now");
		while (*++argv) {
			char letter = strrchr(*argv, '/')[1], text[512];

			ck_assert_int_eq(bind_now, letter != 'l');
			say(file, *argv, letter);
			snprintf(text, sizeof(text),
				 "{\"type\":\"watch_walked\",\"program\":\"%s\",\"status\":%d%s}\n",
				 *argv, letter == 'k' ? 11 : 0,
				 letter == 'e' ? ",\"error\":\"it did not end in time\"" : "");
			callbacks->on_output(callbacks->context, k, GUEST_STDOUT, text,
					     strlen(text));
			if (!strcmp(kernel, "dead")) {
				*ret = (struct guest_result) { .outcome = GUEST_PANIC,
							       .sentence = "i",
							       .boot_ms = 1 };
				fclose(file);
				return 0;
			}
		}
	}
	fclose(file);
	return 0;
}

static const struct run_case {
	const char *name, *binaries, *kernel, *letters, *reason; /* the last cell's */
	int (*emulator)(const char *plugin, struct emulator *ret, char *ret_path, size_t size,
			struct error *error);
} cases[] = {
	{ "all_are_true", "good good2", "5.10", "PP", "", some_emulator },
	{ "late_symbols", "good late", "5.10", "PP", "", some_emulator },
	{ "one_is_wrong", "good wrong", "5.10", "PF",
	  "bpf has neither the true stack nor the table's at 1 of 9 points", some_emulator },
	{ "after_one_that_is_wrong", "wrong good", "5.10", "FP", "", some_emulator },
	{ "a_stack_is_missing", "good silent", "5.10", "PF", "bpf sent no stack at 1 of 10 points",
	  some_emulator },
	{ "no_true_stack", "good tables", "5.10", "PF", "none of 9 stacks is the true one",
	  some_emulator },
	{ "doubt", "good unproven", "5.10", "PF", "the truth is in doubt at 5 of 9 points",
	  some_emulator },
	{ "no_point", "good zero", "5.10", "PE", "no point was walked", some_emulator },
	{ "killed", "good killed", "5.10", "PF", "the program ended with the wait status 11",
	  some_emulator },
	{ "time_is_up", "good endless", "5.10", "PE", "it did not end in time", some_emulator },
	{ "plugin_says_nothing", "good quiet", "5.10", "PE", "the emulator said nothing of it",
	  some_emulator },
	{ "guest_dies", "good good2 good3", "dead", "PEE",
	  "not run: the guest's outcome is panic: i", some_emulator },
	{ "guest_does_not_start", "good good2", "broken", "EE",
	  "not run: the guest's outcome is not_started: no QEMU", some_emulator },
	{ "no_bpf", "good good2", "without", "SS", "no_bpf: m", some_emulator },
	{ "no_kernel", "good good2", "none", "SS", "no_kernel: the archive has none",
	  some_emulator },
	{ "no_emulator", "good good2", "5.10", "SS", "no_emulator: no network", no_emulator },
	{ "emulator_is_damaged", "good good2", "5.10", "EE", "no_emulator: damaged", bad_emulator },
};

static void run(struct results *ret, const struct run_case *c, const char *corpus,
		enum run_truth truth, const char *asked)
{
	const struct run_backend backend = { .kernel = fake_kernel,
					     .guest = fake_guest,
					     .emulator = c->emulator };
	char folder[300], name[64], *kernel[] = { name };
	struct run_options options = { .corpus = corpus,
				       .results = folder,
				       .kernel = kernel,
				       .kernel_count = 1,
				       .engines = "bpf",
				       .asked = asked,
				       .require = "",
				       .jobs = 2,
				       .timeout_ms = LANE_TIMEOUT_MS,
				       .truth = truth };
	struct error error = { 0 };

	snprintf(name, sizeof(name), "%s", c->kernel);
	snprintf(folder, sizeof(folder), "%s/results", corpus);
	ck_assert_msg(!run_matrix(ret, &options, &backend, &error), "%s", error.message);
}

START_TEST(every_cell_has_its_outcome)
{
	const struct run_case *c = &cases[_i];
	char corpus[] = "/tmp/test_run_watch.XXXXXX", got[64];
	struct results results;

	make_corpus(corpus, c->binaries);
	run(&results, c, corpus, RUN_TRUTH_EMULATOR, NULL);
	letters(&results, got);
	ck_assert_msg(!strcmp(got, c->letters), "%s: %s, %s", c->name, got, results.cell[0].reason);
	const char *reason = results.cell[results.cell_count - 1].reason;
	ck_assert_msg(!strcmp(reason, c->reason), "%s: %s", c->name, reason);
	ck_assert_str_eq(results.kernel[0].how, RESULTS_WATCHED);
	for (size_t i = 0; i < results.cell_count; i++) {
		bool is_wrong = results.cell[i].binary[0] == 'w';

		if (strchr("PF", got[i]))
			ck_assert_uint_eq(json_array_size(results.cell[i].objects), 1 + is_wrong);
	}
	if (!_i)
		ck_assert_uint_eq(results_points_watched(&results, c->kernel), 18);
	results_deinit(&results);
	remove_tree(corpus);
}
END_TEST

/* Where nobody says who has the truth, the emulator has it, if it is there and no engine is asked for. */
static const struct {
	bool there;
	enum run_truth truth;
	const char *asked, *how;
} choices[] = {
	{ true, RUN_TRUTH_ANY, NULL, RESULTS_WATCHED },
	{ false, RUN_TRUTH_ANY, NULL, RESULTS_STEPPED },
	{ true, RUN_TRUTH_ANY, "bpf,fp", RESULTS_STEPPED },
	{ true, RUN_TRUTH_TRACER, NULL, RESULTS_STEPPED },
	{ true, RUN_TRUTH_EMULATOR, "bpf,fp", RESULTS_WATCHED },
	{ false, RUN_TRUTH_EMULATOR, NULL, RESULTS_WATCHED },
};

static bool cannot_boot(void)
{
	return false;
}

START_TEST(truth_is_chosen)
{
	const struct run_backend backend = { .kernel = fake_kernel,
					     .guest = fake_guest,
					     .can_boot = cannot_boot,
					     .emulator = choices[_i].there ? some_emulator
									   : no_emulator };
	char corpus[] = "/tmp/test_run_watch.XXXXXX", folder[64], name[] = "none";
	char *kernel[] = { name };
	struct run_options options = { .corpus = corpus,
				       .results = folder,
				       .kernel = kernel,
				       .kernel_count = 1,
				       .engines = "bpf",
				       .asked = choices[_i].asked,
				       .require = "",
				       .jobs = 1,
				       .timeout_ms = LANE_TIMEOUT_MS,
				       .truth = choices[_i].truth };
	struct results results;
	struct error error = { 0 };

	make_corpus(corpus, "good");
	snprintf(folder, sizeof(folder), "%s/results", corpus);
	ck_assert_msg(!run_matrix(&results, &options, &backend, &error), "%s", error.message);
	ck_assert_str_eq(results.kernel[0].how, choices[_i].how);
	results_deinit(&results);
	remove_tree(corpus);
}
END_TEST

SUITE(run_watch, LOOP(every_cell_has_its_outcome, cases), LOOP(truth_is_chosen, choices))
