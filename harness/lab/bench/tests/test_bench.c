/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_bench.c - what bench reads, computes and leaves out; no figure is judged here
 *
 * Speeds belong to a machine and a moment. What can be wrong everywhere is what surrounds them: the
 * outputs of ldconfig, rustc and bench_gimli, the arithmetic, and that a figure which can't be had
 * is a skip with its reason. cargo is a script here: one that fails, and one whose bench_gimli
 * reads other rows than we do.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "lab/bench/bench.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"
#include "commands/commands.h"

static const struct {
	const char *name, *version, *folder;
} rustc_cases[] = {
	{ "debian_12_takes_the_old_one", "rustc 1.63.0\n", "old" },
	{ "the_oldest_of_the_old", "rustc 1.60.0 (7737e0b5c 2022-04-04)\n", "old" },
	{ "too_old", "rustc 1.59.0\n", NULL },
	{ "the_last_before_the_current", "rustc 1.87.0 (17067e9ac 2025-05-09)\n", "old" },
	{ "the_first_of_the_current", "rustc 1.88.0 (6b00bc388 2025-06-23)\n", "." },
	{ "nightly", "rustc 1.97.0-nightly (0123456789 2026-05-01)\n", "." },
	{ "another_major_version", "rustc 2.0.0\n", "." },
	{ "a_major_version_before_the_first", "rustc 0.99.0\n", NULL },
	{ "no_version", "error: no default toolchain\n", NULL },
	{ "nothing", "", NULL },
};

START_TEST(test_rustc)
{
	const char *folder = bench_gimli_folder(rustc_cases[_i].version);

	ck_assert_msg(!folder == !rustc_cases[_i].folder, "%s", rustc_cases[_i].name);
	if (folder)
		ck_assert_str_eq(folder, rustc_cases[_i].folder);
}
END_TEST

static const struct {
	const char *name, *line;
	bool valid;
} gimli_cases[] = {
	{ "as_printed",
	  "{\"version\":\"0.34.0\",\"rows\":7,\"digest\":\"0123456789abcdef\",\"best_ns\":1500000,"
	  "\"median_ns\":2500000}\n",
	  true },
	{ "no_rows",
	  "{\"version\":\"0.34.0\",\"rows\":0,\"digest\":\"0123456789abcdef\",\"best_ns\":1,"
	  "\"median_ns\":2}",
	  false },
	{ "no_time",
	  "{\"version\":\"0.34.0\",\"rows\":7,\"digest\":\"0123456789abcdef\",\"best_ns\":0,"
	  "\"median_ns\":2}",
	  false },
	{ "a_median_below_the_best",
	  "{\"version\":\"0.34.0\",\"rows\":7,\"digest\":\"0123456789abcdef\",\"best_ns\":3,"
	  "\"median_ns\":2}",
	  false },
	{ "rows_are_negative",
	  "{\"version\":\"0.34.0\",\"rows\":-7,\"digest\":\"0123456789abcdef\",\"best_ns\":1,"
	  "\"median_ns\":2}",
	  false },
	{ "rows_are_a_string",
	  "{\"version\":\"0.34.0\",\"rows\":\"7\",\"digest\":\"0123456789abcdef\",\"best_ns\":1,"
	  "\"median_ns\":2}",
	  false },
	{ "version_is_missing",
	  "{\"rows\":7,\"digest\":\"0123456789abcdef\",\"best_ns\":1,\"median_ns\":2}", false },
	{ "version_is_too_long",
	  "{\"version\":\"0123456789012345678901234567890123456789\",\"rows\":7,\"digest\":"
	  "\"0123456789abcdef\",\"best_ns\":1,"
	  "\"median_ns\":2}",
	  false },
	{ "digest_is_missing", "{\"version\":\"0.34.0\",\"rows\":7,\"best_ns\":1,\"median_ns\":2}",
	  false },
	{ "digest_is_too_short",
	  "{\"version\":\"0.34.0\",\"rows\":7,\"digest\":\"0123456789abcde\",\"best_ns\":1,"
	  "\"median_ns\":2}",
	  false },
	{ "digest_is_no_number",
	  "{\"version\":\"0.34.0\",\"rows\":7,\"digest\":\"0123456789abcdeg\",\"best_ns\":1,"
	  "\"median_ns\":2}",
	  false },
	{ "cut_off",
	  "{\"version\":\"0.34.0\",\"rows\":7,\"digest\":\"0123456789abcdef\",\"best_ns\":15",
	  false },
	{ "no_object", "[]", false },
	{ "nothing", "", false },
};

START_TEST(test_gimli_line)
{
	struct bench_gimli_result result;
	bool valid = bench_gimli_parse(gimli_cases[_i].line, &result);

	ck_assert_msg(valid == gimli_cases[_i].valid, "%s", gimli_cases[_i].name);
	if (!valid)
		return;
	ck_assert_str_eq(result.version, "0.34.0");
	ck_assert_uint_eq(result.rows, 7);
	ck_assert(result.digest == 0x0123456789abcdef);
	ck_assert_double_eq(result.best_ms, 1.5);
	ck_assert_double_eq(result.median_ms, 2.5);
}
END_TEST

static const struct {
	const char *name;
	uint64_t rows, pages, rules, bytes;
} plain_cases[] = {
	{ "nothing", 0, 0, 0, 0 },
	{ "a_row_is_4_bytes", 3, 0, 0, 12 },
	{ "a_page_is_8_bytes", 0, 3, 0, 24 },
	{ "a_rule_is_16_bytes", 0, 0, 3, 48 },
	{ "no_32_bit_wrap", 1ull << 31, 1, 1, (1ull << 33) + 24 },
};

START_TEST(test_plain_bytes)
{
	ck_assert_msg(bench_plain_bytes(plain_cases[_i].rows, plain_cases[_i].pages,
					plain_cases[_i].rules) == plain_cases[_i].bytes,
		      "%s", plain_cases[_i].name);
}
END_TEST

static const struct {
	const char *name;
	double values[5];
	unsigned int count;
	double median;
} median_cases[] = {
	{ "one", { 7 }, 1, 7 },
	{ "odd", { 9, 1, 5 }, 3, 5 },
	{ "even_is_the_mean_of_two", { 9, 1, 5, 3 }, 4, 4 },
	{ "one_far_off_moves_nothing", { 2, 1e9, 1, 3, 2 }, 5, 2 },
};

START_TEST(test_median)
{
	double values[5];

	memcpy(values, median_cases[_i].values, sizeof(values));
	ck_assert_msg(bench_median(values, median_cases[_i].count) == median_cases[_i].median, "%s",
		      median_cases[_i].name);
}
END_TEST

static const struct {
	const char *name;
	const char *script;
	bool errors;
	enum error_code code;
	const char *text; /* in the output, or in the message */
} child_cases[] = {
	{ "output_is_taken", "echo one; echo two", false, ERROR_NONE, "one\ntwo\n" },
	{ "errors_are_left_out", "echo one; echo two >&2", false, ERROR_NONE, "one\n" },
	{ "errors_are_taken_on_request", "echo two >&2", true, ERROR_NONE, "two\n" },
	{ "too_much_is_cut", "yes 12345 | head -c 100000", false, ERROR_NONE, "12345\n12345" },
	{ "a_failure_shows_its_last_line", "echo one; echo '  two  '; echo; exit 3", false,
	  ERROR_PROTOCOL, "sh failed: two" },
	{ "a_long_output_shows_its_last_line",
	  "yes 12345 | head -c 9999; echo; echo o; sleep .1; echo ne; exit 3", false,
	  ERROR_PROTOCOL, "sh failed: ne" },
	{ "a_signal_is_a_failure", "kill -9 $$", false, ERROR_PROTOCOL, "sh died of SIGKILL" },
	{ "too_long_ends_with_all_it_started", "sleep 100 & sleep 100", false, ERROR_TIMEOUT,
	  "sh took more than 1 s" },
};

START_TEST(test_child)
{
	const char *const argv[] = { "sh", "-c", child_cases[_i].script, NULL };
	char output[16];
	struct error error = { 0 };
	/* Only who must be ended gets little time: how fast the others are is the machine's
	 * affair. */
	int timeout_ms = child_cases[_i].code == ERROR_TIMEOUT ? 1000 : 600000;
	int status = bench_child(argv, child_cases[_i].errors, timeout_ms, output, sizeof(output),
				 &error);
	const char *text = status ? error.message : output;

	ck_assert_msg(error.code == child_cases[_i].code, "%s: %s", child_cases[_i].name, text);
	ck_assert_msg(!strncmp(text, child_cases[_i].text, strlen(child_cases[_i].text)),
		      "%s: '%s'", child_cases[_i].name, text);
}
END_TEST

START_TEST(test_child_that_is_not_there)
{
	static const char *const argv[] = { "no-such-program", NULL };
	char output[16];
	struct error error;

	ck_assert_int_eq(bench_child(argv, false, 600000, output, sizeof(output), &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
}
END_TEST

/* ---- what can't be had ------------------------------------------------------------------ */

static void write_script(const char *folder, const char *name, const char *text)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fprintf(file, "#!/bin/sh\n%s\n", text), 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

/* A cargo that builds a bench_gimli which prints line. $6: the manifest, $8: the target folder. */
#define CARGO(line)                                                                                \
	"mkdir -p \"$7/release\"; printf '#!/bin/sh\\necho \\047%s\\047\\n' '" line                \
	"' > \"$7/release/bench_gimli\"; chmod +x \"$7/release/bench_gimli\""

static const struct {
	const char *name, *rustc, *cargo;
	bool manifest;
	enum error_code code;
	const char *message;
} gimli_builds[] = {
	{ "no_rustc", NULL, NULL, true, ERROR_UNAVAILABLE, "rustc is not installed" },
	{ "rustc_is_too_old", "echo rustc 1.41.1", "exit 0", true, ERROR_UNAVAILABLE,
	  "gimli needs rustc 1.60" },
	{ "no_manifest", "echo rustc 1.90.0", "exit 0", false, ERROR_UNAVAILABLE,
	  "/./Cargo.toml is not there" },
	{ "no_cargo", "echo rustc 1.90.0", NULL, true, ERROR_UNAVAILABLE,
	  "cargo is not installed" },
	{ "the_crate_can_not_be_had", "echo rustc 1.90.0", "echo no network >&2; exit 101", true,
	  ERROR_UNAVAILABLE, "cargo failed: no network" },
	{ "only_the_network_helps", "echo rustc 1.90.0",
	  "case \"$*\" in *--offline*) exit 101;; esac; " CARGO("nonsense"), true, ERROR_PROTOCOL,
	  "bench_gimli said 'nonsense" },
	{ "other_rows_are_no_reference", "echo rustc 1.90.0",
	  CARGO("{\"version\":\"1\",\"rows\":1,\"digest\":\"0123456789abcdef\",\"best_ns\":1,"
		"\"median_ns\":1}"),
	  true, ERROR_PROTOCOL, "gimli has 1 rows, we " },
};

START_TEST(test_gimli_build)
{
	char folder[] = "/tmp/test_bench.XXXXXX", command[64], path[4200];
	struct bench_options options = { .runs = 1, .gimli = folder };
	struct bench_figure figure = { .name = "table_build_gimli", .subject = "libc" };
	struct error error = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	if (gimli_builds[_i].rustc)
		write_script(folder, "rustc", gimli_builds[_i].rustc);
	if (gimli_builds[_i].cargo)
		write_script(folder, "cargo", gimli_builds[_i].cargo);
	if (gimli_builds[_i].manifest)
		write_script(folder, "Cargo.toml", "");
	/* Where a tool must be missing, no folder of the machine's is searched. */
	bool all = gimli_builds[_i].rustc && gimli_builds[_i].cargo;
	snprintf(path, sizeof(path), "%s%s", folder, all ? ":/usr/bin:/bin" : "");
	setenv("PATH", path, 1);
	int status = bench_table_build_gimli(&options, &figure, &error);
	setenv("PATH", "/usr/bin:/bin", 1);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(status, -1);
	ck_assert_msg(error.code == gimli_builds[_i].code, "%s: %s", gimli_builds[_i].name,
		      error.message);
	ck_assert_msg(strstr(error.message, gimli_builds[_i].message) != NULL, "%s: %s",
		      gimli_builds[_i].name, error.message);
}
END_TEST

START_TEST(test_image_that_is_not_there)
{
	char path[4096];
	struct error error;

	ck_assert_int_eq(bench_image_find("libnothing", path, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_int_eq(bench_image_find("libc", path, &error), 0);
	ck_assert_int_eq(access(path, R_OK), 0);
}
END_TEST

/* Each knows its programs, and whose fault it is that they aren't there. */
START_TEST(walk_needs_its_programs)
{
	static const char *const names[] = { "walk_one_image",	   "walk_five_images",
					     "walk_one_image_new", "walk_five_images_new",
					     "walk_recursion",	   "walk_shallow",
					     "walk_deep" };
	const struct bench_options options = { .runs = 1, .programs = "/nonexistent" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct bench_figure figure = { .name = names[i], .runs = 1 };
		struct error error = { 0 };

		ck_assert_int_eq(bench_walk(&options, &figure, &error), -1);
		ck_assert_msg(error.code == ERROR_UNAVAILABLE ||
				      strstr(error.message, "/nonexistent/") != NULL,
			      "%s: %s", names[i], error.message);
	}
}
END_TEST

/* A figure that can't be had is a line of JSON with the reason's name, and status 77 if it was
 * all. */
START_TEST(test_skip_is_visible)
{
	char program[] = "bench", json[] = "--json", figure[] = "table_build_gimli";
	char *argv[] = { program, json, figure, NULL };
	char line[1024];
	int ends[2], status;

	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		setenv("PATH", "/nonexistent", 1);
		dup2(ends[1], STDOUT_FILENO);
		status = command_bench(3, argv);
		fflush(stdout);
		_exit(status);
	}
	close(ends[1]);
	FILE *output = fdopen(ends[0], "r");
	ck_assert_ptr_nonnull(output);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), output));
	fclose(output);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_SKIPPED);

	json_t *object = json_loads(line, 0, NULL);
	const char *type, *name, *reason, *message;
	ck_assert_int_eq(json_unpack(object, "{s:s, s:s, s:s, s:s}", "type", &type, "name", &name,
				     "reason", &reason, "message", &message),
			 0);
	ck_assert_str_eq(type, "skip");
	ck_assert_str_eq(name, "table_build_gimli");
	ck_assert_str_eq(reason, "unavailable");
	ck_assert_str_eq(message, "rustc is not installed");
	json_decref(object);
}
END_TEST

/* ---- figures: that all sides come to the same CFAs, and the arithmetic ------------------- */

static const struct {
	const char *name;
	int (*measure)(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error);
} figures[] = {
	{ "lookup_warm", bench_lookup_warm },
	{ "lookup_cold", bench_lookup_cold },
	{ "lookup_warm_libdw", bench_lookup_warm_libdw },
	{ "lookup_bpf_warm", bench_lookup_bpf_warm },
	{ "lookup_bpf_random", bench_lookup_bpf_random },
	{ "lookup_bpf_cold", bench_lookup_bpf_cold },
	{ "table_size", bench_table_size },
	{ "table_build", bench_table_build },
	{ "table_build_first", bench_table_build_first },
	{ "sframe_table", bench_sframe_table },
	{ "sframe_read", bench_sframe_read },
};

START_TEST(test_figure)
{
	struct bench_options options = { .runs = 1 };
	struct bench_figure figure = { .name = figures[_i].name, .subject = "libc", .runs = 1 };
	struct error error = { 0 };

	if (figures[_i].measure(&options, &figure, &error)) {
		ck_assert_msg(error.code == ERROR_UNAVAILABLE &&
				      (strstr(figures[_i].name, "bpf") ||
				       strstr(figures[_i].name, "sframe")),
			      "%s: %s", figures[_i].name, error.message);
		printf("SKIP: %s: %s\n", figures[_i].name, error.message);
		return;
	}
	ck_assert_double_gt(figure.value, 0);
	ck_assert_double_gt(figure.reference_value, 0);
	ck_assert_double_eq_tol(figure.ratio, figure.reference_value / figure.value, 1e-9);
	ck_assert_ptr_nonnull(
		strstr(figure.note, strstr(figures[_i].name, "sframe") ? "libc" : "libc.so.6"));
}
END_TEST

/* What table_build_first asks for: the first of some builds is not the best of them. */
START_TEST(stat_says_how_long_its_first_build_took)
{
	char program[] = "stat", json[] = "--json", path[4096];
	char *argv[] = { program, json, path, NULL };
	struct error error;
	int status;

	ck_assert_int_eq(bench_image_find("libc", path, &error), 0);
	FREED char *output = command_output(command_stat, argv, &status);
	json_t *stat = json_loads(output, JSON_DISABLE_EOF_CHECK, NULL);
	json_int_t first = json_integer_value(json_object_get(stat, "build_first_ns"));

	ck_assert_int_gt(json_integer_value(json_object_get(stat, "build_ns")), 0);
	ck_assert_int_ge(first, json_integer_value(json_object_get(stat, "build_ns")));
	json_decref(stat);
}
END_TEST

/* In the place of `stackproof stat`: this program is the one that is running. */
static int stat_here(int argc, char **argv)
{
	const char *instead = getenv("TEST_BENCH_STAT");

	return instead ? puts(instead) < 0 : command_stat(argc - 1, argv + 1);
}

START_TEST(stat_that_does_not_say_how_long)
{
	static const char *const says[] = { "{}", "{\"build_first_ns\":0}",
					    "{\"build_first_ns\":-1}", "no JSON" };
	struct bench_options options = { .runs = 1 };

	for (size_t i = 0; i < COUNT(says); i++) {
		struct bench_figure figure = { .name = "x", .subject = "libc", .runs = 1 };
		struct error error = { 0 };

		setenv("TEST_BENCH_STAT", says[i], 1);
		ck_assert_int_eq(bench_table_build_first(&options, &figure, &error), -1);
		ck_assert_msg(strstr(error.message, "stat does not say how long") != NULL, "%s: %s",
			      says[i], error.message);
	}
}
END_TEST

SUITE_MAIN(bench)
{
	if (argc > 1 && !strcmp(argv[1], "stat"))
		return stat_here(argc, argv);

	Suite *suite = suite_create("bench");
	TCase *tcase = tcase_create("bench");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_rustc, 0, COUNT(rustc_cases));
	tcase_add_loop_test(tcase, test_gimli_line, 0, COUNT(gimli_cases));
	tcase_add_loop_test(tcase, test_plain_bytes, 0, COUNT(plain_cases));
	tcase_add_loop_test(tcase, test_median, 0, COUNT(median_cases));
	tcase_add_loop_test(tcase, test_child, 0, COUNT(child_cases));
	tcase_add_test(tcase, test_child_that_is_not_there);
	tcase_add_loop_test(tcase, test_gimli_build, 0, COUNT(gimli_builds));
	tcase_add_test(tcase, test_image_that_is_not_there);
	tcase_add_test(tcase, walk_needs_its_programs);
	tcase_add_test(tcase, test_skip_is_visible);
	tcase_add_test(tcase, stat_says_how_long_its_first_build_took);
	tcase_add_test(tcase, stat_that_does_not_say_how_long);
	tcase_add_loop_test(tcase, test_figure, 0, COUNT(figures));
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
