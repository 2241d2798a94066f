/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_resume.c - a run that was cut short anywhere, resumed, is the whole run
 *
 * The world is replaced: each binary is exact, but "fault", which fails, "skip" and "crash", which
 * kills its compare. Who was run is counted.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/json_counts.h"
#include "guests/run/run.h"

#define SCORE "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":5,\"exact\":5,\"digest\":\"d\"}\n"

static char was_run[4096]; /* names, each behind a blank */

static const char *file_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

/* All that a compare of these binaries says. ret_exit: 139, it crashed. To be freed. */
static char *say_all(char *const *binary, const char *kernel, int *ret_exit)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	*ret_exit = 0;
	for (; *binary && !*ret_exit; binary++) {
		const char *name = file_name(*binary);
		bool skip = !strncmp(name, "skip", 4), fault = !strncmp(name, "fault", 5);

		strcat(strcat(strcat(strcat(was_run, " "), name), "@"), kernel);
		fprintf(file, "{\"type\":\"begin\",\"program\":\"%s\"}\n", *binary);
		if (!strncmp(name, "crash", 5))
			*ret_exit = 139;
		else if (skip)
			fputs("{\"type\":\"skip\",\"reason\":\"no_bpf\"}\n", file);
		else
			fprintf(file, SCORE "{\"type\":\"verdicts\",\"points\":5%s}\n",
				fault ? ",\"walk_fault\":1" : "");
		if (!*ret_exit)
			fprintf(file, "{\"type\":\"end\",\"program\":\"%s\",\"status\":%d}\n",
				*binary, skip ? 77 : fault);
	}
	fclose(file);
	return text;
}

/* The binaries behind "--". */
static char *const *binaries_of(char *const *argv)
{
	while (*argv && strcmp(*argv, "--") != 0)
		argv++;
	return argv + 1;
}

static int fake_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	FREED char *text = say_all(binaries_of(options->argv), "host", ret_exit);

	for (int stream = 0; stream < RUN_STREAM_COUNT; stream++)
		options->on_output(options->context, stream, text, strlen(text));
	return 0;
}

static int fake_kernel(const char *name, struct kernel *ret, struct error *error)
{
	*ret = (struct kernel) { 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	return 0;
}

static int fake_guest(const struct guest_options *options, const struct guest_callbacks *callbacks,
		      struct guest_result *ret, struct error *error)
{
	*ret = (struct guest_result) { .boot_ms = 1500, .total_ms = 4000, .outcome = GUEST_OK };
	strcpy(ret->release, "5.10.9");
	for (size_t i = 0; i < options->command_count; i++) {
		int status;
		FREED char *text = say_all(binaries_of(options->commands[i].argv), "5.10", &status);

		for (int stream = 0; stream < 2; stream++)
			callbacks->on_output(callbacks->context, i,
					     stream ? GUEST_STDERR : GUEST_STDOUT, text,
					     strlen(text));
		callbacks->on_exit(callbacks->context, i, status);
		ret->commands_done++;
	}
	return 0;
}

static bool can_boot(void)
{
	return true;
}

/* ---- a corpus, and runs of it ----------------------------------------------------------- */

struct world {
	char folder[32], corpus[64], results[64], file[96];
	struct run_options options;
};

static char *lanes[] = { (char *)"host", (char *)"5.10" };

static void write_file(const char *folder, const char *name, const char *mode, const char *text,
		       size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, mode);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	fclose(file);
}

static void world_init(struct world *world)
{
	static const char *const names[] = { "good", "fault", "skip", "good2", "crash" };

	*world = (struct world) { .folder = "/tmp/test_resume.XXXXXX" };
	ck_assert_ptr_nonnull(mkdtemp(world->folder));
	snprintf(world->corpus, sizeof(world->corpus), "%s/corpus", world->folder);
	snprintf(world->results, sizeof(world->results), "%s/results", world->folder);
	snprintf(world->file, sizeof(world->file), "%s/" RESULTS_FILE, world->results);
	ck_assert_int_eq(mkdir(world->corpus, 0777), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s\t%s\tgcc\tO2-fp\tc\t-\n", names[i], names[i]);
		write_file(world->corpus, "manifest.tsv", "ae", line, strlen(line));
		write_file(world->corpus, names[i], "we", names[i], strlen(names[i]));
	}
	write_file(world->corpus, "manifest.tsv", "ae", "skip:no_compiler\tu\trustc\tO2\trust\t-\n",
		   strlen("skip:no_compiler\tu\trustc\tO2\trust\t-\n"));
	world->options = (struct run_options) { .corpus = world->corpus,
						.results = world->results,
						.kernel = lanes,
						.kernel_count = 2,
						.engines = "cfi,bpf",
						.require = "",
						.jobs = 1,
						.timeout_ms = 1000 };
}

static void world_deinit(struct world *world)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", world->folder);
	ck_assert_int_eq(system(command), 0);
}

static int world_run(struct world *world, struct results *ret, struct error *error)
{
	static const struct run_backend backend = { fake_compare, fake_kernel, fake_guest, can_boot,
						    NULL };

	was_run[0] = '\0';
	return run_matrix(ret, &world->options, &backend, error);
}

static char *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "re");
	char *text = malloc(1 << 20);

	ck_assert_ptr_nonnull(file);
	*ret_size = fread(text, 1, 1 << 20, file);
	fclose(file);
	return text;
}

#define STATUSES  "PFSPESPFSPES"
#define RUN_AGAIN " crash@5.10 crash@host"

static void check_statuses(const struct results *results, const char *when)
{
	static const char letter[CELL_STATUS_COUNT] = "?PFSE";
	char statuses[32] = "";

	for (size_t i = 0; i < results->cell_count; i++)
		statuses[i] = letter[results->cell[i].status];
	ck_assert_msg(!strcmp(statuses, STATUSES), "%s: %s", when, statuses);
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		bool walked = cell->status == CELL_PASSED || cell->status == CELL_FAILED;

		ck_assert_msg(json_array_size(cell->objects) == (walked ? 2u : 0u) ||
				      cell->status == CELL_SKIPPED,
			      "%s: %s has %zu objects", when, cell->binary,
			      json_array_size(cell->objects));
	}
}

START_TEST(test_whole_run_has_nothing_to_do_but_its_errors)
{
	struct world world;
	struct results results;
	struct error error = { 0 };

	world_init(&world);
	ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
	check_statuses(&results, "whole");
	results_deinit(&results);
	world.options.resume = true;
	for (int again = 1; again <= 2; again++) {
		ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
		check_statuses(&results, "resumed");
		ck_assert_str_eq(was_run, RUN_AGAIN);
		const json_t *resumed = json_object_get(results.header, "resumed");
		ck_assert_uint_eq(json_array_size(resumed), again);
		ck_assert_uint_eq(json_number(json_array_get(resumed, 0), "kept"), 10);
		ck_assert_str_eq(results.kernel[1].version, "5.10.9");
		ck_assert_str_eq(results.kernel[1].outcome, "ok");
		results_deinit(&results);
	}
	world_deinit(&world);
}
END_TEST

/* Names of what was run, with no other. */
static bool is_run(const char *name)
{
	return strstr(was_run, name) != NULL;
}

/* Cut after each line, before its newline, and in its middle. */
START_TEST(test_cut_anywhere)
{
	struct world world;
	struct results results;
	struct error error = { 0 };
	size_t size, tried = 0;

	world_init(&world);
	ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
	results_deinit(&results);
	FREED char *whole = read_file(world.file, &size);
	world.options.resume = true;
	size_t header = (size_t)((char *)memchr(whole, '\n', size) - whole);
	for (size_t at = header + 1; at <= size; at++) {
		/* A byte before and behind each newline, and every 97th. */
		if (at % 97 && at < size && whole[at] != '\n' && whole[at - 1] != '\n')
			continue;
		char when[64];
		snprintf(when, sizeof(when), "cut at byte %zu of %zu", at, size);
		write_file(world.results, RESULTS_FILE, "we", whole, at);
		ck_assert_msg(!world_run(&world, &results, &error), "%s: %s", when, error.message);
		check_statuses(&results, when);
		ck_assert_msg(is_run("crash@host") && is_run("crash@5.10"), "%s", when);
		/* The result of good on the host is in the file's first fifth. */
		ck_assert_msg(!is_run(" good@host") || at < size / 2, "%s: %s", when, was_run);
		ck_assert_msg(is_run(" good2@5.10") || at > size / 2, "%s: %s", when, was_run);
		ck_assert_msg(!results.partial[0] && results.finished, "%s", when);
		ck_assert_str_eq(results.kernel[1].outcome, "ok");
		results_deinit(&results);
		ck_assert_msg(!results_read(&results, world.results, &error), "%s", when);
		check_statuses(&results, when);
		ck_assert_uint_eq(results.bad_lines, 0);
		results_deinit(&results);
		tried++;
	}
	ck_assert_uint_gt(tried, 40);
	world_deinit(&world);
}
END_TEST

/* ---- what is refused -------------------------------------------------------------------- */

static void no_change(struct world *world)
{
}

static void another_binary(struct world *world)
{
	write_file(world->corpus, "good", "we", "GOOD", 4);
}

static void another_line(struct world *world)
{
	write_file(world->corpus, "manifest.tsv", "ae", "x\tx\tgcc\tO2-fp\tc\t-\n", 18);
}

static void a_filter(struct world *world)
{
	world->options.filter = "g*";
}

static void fewer_kernels(struct world *world)
{
	world->options.kernel_count = 1;
}

static void played(struct world *world)
{
	world->options.play = true;
}

static void more_engines(struct world *world)
{
	world->options.engines = "cfi,bpf,fp";
}

static void recorded(struct world *world)
{
	world->options.record = true;
}

static void ignoring(struct world *world)
{
	static struct ignore_list list;

	list.path = world->file;
	world->options.ignore = &list;
}

static void no_folder(struct world *world)
{
	ck_assert_int_eq(unlink(world->file), 0);
}

static void damaged(struct world *world)
{
	size_t size;
	FREED char *text = read_file(world->file, &size);

	((char *)memchr(text, '\n', size))[1] = '!';
	write_file(world->results, RESULTS_FILE, "we", text, size);
}

static void no_identity(struct world *world)
{
	static const char text[] = "{\"type\":\"header\",\"version\":1}\n";

	write_file(world->results, RESULTS_FILE, "we", text, strlen(text));
}

static void another_build(struct world *world)
{
	size_t size;
	FREED char *text = read_file(world->file, &size);
	char *at = strstr(text, "\"stackproof\":\"0x");

	ck_assert_ptr_nonnull(at);
	at[16] = at[16] == '0' ? '1' : '0';
	write_file(world->results, RESULTS_FILE, "we", text, size);
}

static const struct refusal {
	const char *name;
	void (*change)(struct world *world);
	const char *message;
} refusals[] = {
	{ "nothing_changed", no_change, NULL },
	{ "another_binary", another_binary, "the corpus, or what --filter leaves of it" },
	{ "another_line_of_the_manifest", another_line, "the corpus, or what --filter leaves" },
	{ "a_filter", a_filter, "the corpus, or what --filter leaves" },
	{ "fewer_kernels", fewer_kernels, "the kernels, or what is done on them" },
	{ "played_and_not_stepped", played, "the kernels, or what is done on them" },
	{ "more_engines", more_engines, "the engines are others" },
	{ "recorded", recorded, "only one of the two has --record" },
	{ "ignoring", ignoring, "the list of --ignore is another one" },
	{ "another_build", another_build, "stackproof itself is another one" },
	{ "no_identity", no_identity, "it does not say what was run" },
	{ "no_folder", no_folder, "can't read " },
	{ "damaged_before_the_last_line", damaged, "line 2 of results.ndjson: " },
};

START_TEST(test_refused)
{
	const struct refusal *c = &refusals[_i];
	struct world world;
	struct results results;
	struct error error = { 0 };
	size_t before_size = 0, after_size = 0;
	char *before = NULL, *after = NULL;

	world_init(&world);
	ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
	results_deinit(&results);
	world.options.resume = true;
	c->change(&world);
	if (!access(world.file, R_OK))
		before = read_file(world.file, &before_size);
	int status = world_run(&world, &results, &error);
	ck_assert_msg(!status == !c->message, "%s: %d: %s", c->name, status, error.message);
	if (c->message) {
		ck_assert_msg(strstr(error.message, c->message) != NULL, "%s: %s", c->name,
			      error.message);
		ck_assert_str_eq(was_run, "");
	}
	/* What is refused is left as it is. */
	if (c->message && before) {
		after = read_file(world.file, &after_size);
		ck_assert_uint_eq(before_size, after_size);
		ck_assert_mem_eq(before, after, before_size);
	}
	free(before);
	free(after);
	results_deinit(&results);
	world_deinit(&world);
}
END_TEST

/* ---- one more -------------------------------------------------------------------------- */

/* Which kernel is at fault is decided when all are in. */
START_TEST(test_kernel_fault_is_run_again)
{
	static const char fault[] = "{\"type\":\"finding\",\"verdict\":\"kernel_fault\",\"binary\":"
				    "\"good\",\"kernel\":\"host\"}\n";
	struct world world;
	struct results results;
	struct error error = { 0 };

	world_init(&world);
	ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
	results_deinit(&results);
	write_file(world.results, RESULTS_FILE, "ae", fault, strlen(fault));
	world.options.resume = true;
	ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
	ck_assert(is_run(" good@host") && !is_run(" good2@host") && !is_run(" good@5.10"));
	check_statuses(&results, "kernel fault");
	results_deinit(&results);
	world_deinit(&world);
}
END_TEST

/* What is required now counts for what was kept. */
START_TEST(test_requirement_holds_for_what_is_kept)
{
	struct world world;
	struct results results;
	struct error error = { 0 };

	world_init(&world);
	ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
	results_deinit(&results);
	world.options.resume = true;
	world.options.require = "bpf";
	ck_assert_msg(!world_run(&world, &results, &error), "%s", error.message);
	ck_assert_int_eq(results.cell[2].status, CELL_FAILED);
	ck_assert_str_eq(results.cell[2].reason, "bpf is required here: no_bpf");
	ck_assert_int_eq(results.cell[5].status, CELL_SKIPPED);
	results_deinit(&results);
	world_deinit(&world);
}
END_TEST

SUITE(run_resume, TIMEOUT(300), TEST(test_whole_run_has_nothing_to_do_but_its_errors),
      TEST(test_cut_anywhere), LOOP(test_refused, refusals), TEST(test_kernel_fault_is_run_again),
      TEST(test_requirement_holds_for_what_is_kept))
