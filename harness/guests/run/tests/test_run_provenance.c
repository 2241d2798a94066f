/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_provenance.c - where and with what a run was made, as its header has it
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/run/run.h"

/* A header of three binaries, with this text as merged.tsv, or without one. To be released. */
static json_t *collect(const char *merged, const char *engines)
{
	struct corpus_binary binaries[] = {
		{ .name = "a", .toolchain = "gcc-12" },
		{ .name = "b", .toolchain = "clang-14" },
		{ .name = "c", .toolchain = "gcc-12" },
	};
	const struct manifest manifest = { .binary = binaries, .count = 3 };
	char folder[] = "/tmp/test_run_provenance.XXXXXX", path[64];
	struct results results;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/merged.tsv", folder);
	if (merged) {
		FILE *file = fopen(path, "we");

		fputs(merged, file);
		fclose(file);
	}
	results_init(&results);
	provenance_collect(&results, &manifest, folder, engines);
	json_t *header = json_incref(results.header);
	results_deinit(&results);
	unlink(path);
	rmdir(folder);
	return header;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	ck_assert_msg(text != NULL, "no %s", key);
	return text;
}

START_TEST(test_host)
{
	time_t before = time(NULL);
	json_t *header = collect(NULL, "cfi");
	const json_t *host = json_object_get(header, "host");
	char model[256] = "?", line[4096];
	struct utsname name;
	struct tm tm = { 0 };

	uname(&name);
	ck_assert_str_eq(text_of(host, "kernel"), name.release);
	ck_assert_str_eq(text_of(host, "kernel_release"), name.release);
	ck_assert_str_eq(text_of(host, "machine"), name.machine);
	ck_assert_int_eq(json_integer_value(json_object_get(host, "cpus")),
			 sysconf(_SC_NPROCESSORS_ONLN));
	FILE *file = fopen("/proc/cpuinfo", "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "model name : %255[^\n]", model) == 1)
			break;
	if (file)
		fclose(file);
	ck_assert_str_eq(text_of(host, "cpu"), model);
	ck_assert_str_eq(text_of(header, "built_with"), "gcc " __VERSION__);
	const char *end = strptime(text_of(header, "time"), "%Y-%m-%dT%H:%M:%SZ", &tm);
	ck_assert(end && !*end);
	ck_assert(timegm(&tm) >= before && timegm(&tm) <= time(NULL));
	ck_assert_int_eq(json_integer_value(json_object_get(header, "binaries")), 3);
	json_decref(header);
}
END_TEST

/* Lists of the header, as JSON. */
static const struct list_case {
	const char *name, *merged, *engines, *key, *list;
} list_cases[] = {
	{ "each_toolchain_once", NULL, "cfi", "toolchains", "[\"gcc-12\",\"clang-14\"]" },
	{ "one_engine", NULL, "cfi", "engines", "[\"cfi\"]" },
	{ "some_engines", NULL, "cfi,b,bpf", "engines", "[\"cfi\",\"b\",\"bpf\"]" },
	{ "no_engine", NULL, "", "engines", "[]" },
	{ "nothing_is_merged", NULL, "cfi", "merged", "[]" },
	{ "of_what_is_run", "# toolchain\tbinary\ta\ngcc\ta2\ta\ngcc\tc2\tc\n", "cfi", "merged",
	  "[{\"toolchain\":\"gcc\",\"binary\":\"a2\",\"run_as\":\"a\"},"
	  "{\"toolchain\":\"gcc\",\"binary\":\"c2\",\"run_as\":\"c\"}]" },
	{ "of_what_is_left_out_nothing_is_said", "gcc\tz2\tz\ngcc\ta2\nb\n\n", "cfi", "merged",
	  "[]" },
	{ "no_newline_at_the_end", "gcc\tb2\tb", "cfi", "merged",
	  "[{\"toolchain\":\"gcc\",\"binary\":\"b2\",\"run_as\":\"b\"}]" },
};

START_TEST(test_lists)
{
	const struct list_case *c = &list_cases[_i];
	json_t *header = collect(c->merged, c->engines);
	FREED char *list = json_dumps(json_object_get(header, c->key), JSON_COMPACT);

	ck_assert_msg(list && !strcmp(list, c->list), "%s: %s", c->name, list ? list : "none");
	json_decref(header);
}
END_TEST

SUITE(run_provenance, TEST(test_host), LOOP(test_lists, list_cases))
