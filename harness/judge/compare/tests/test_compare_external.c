/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_external.c - engines of one's own beside those that are built in: how they are named, that
 * nobody else's figures change, and what is said of them
 */
#include <jansson.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "judge/compare/compare.h"
#include "engines/external/tests/external_points.h"
#include "base/cli/exit_status.h"

/* "NAME" of a built-in engine, "NAME=COMMAND" and "NAME=OBJECT|ARGUMENT" of the others. */
static const struct list_case {
	const char *name;
	const char *list[3];
	const char *engines;
	const char *message;
} list_cases[] = {
	{ "built_in", { "cfi,fp" }, "cfi fp", NULL },
	{ "one_of_ones_own", { "cfi,a=prog -x" }, "cfi a=prog -x", NULL },
	{ "in_any_order", { "a=prog,cfi,b=prog" }, "a=prog cfi b=prog", NULL },
	{ "several_lists", { "cfi", "a=x", "fp,b=y" }, "cfi a=x fp b=y", NULL },
	{ "a_comma_of_the_command", { "a=x 1\\,2,cfi" }, "a=x 1,2 cfi", NULL },
	{ "other_backslashes_stay", { "a=x \\\\ \\n" }, "a=x \\\\ \\n", NULL },
	{ "an_equals_sign_of_the_command", { "a=x b=c" }, "a=x b=c", NULL },
	{ "an_object", { "a=OBJECT" }, "a=OBJECT|", NULL },
	{ "an_object_with_an_argument", { "a=OBJECT one two " }, "a=OBJECT|one two ", NULL },
	{ "an_object_to_a_program", { "a=prog OBJECT" }, "a=prog OBJECT", NULL },
	{ "all_that_a_name_may_have",
	  { "aZ09_.-aaaaaaaaaaaaaaaaaaaaaaaaa=x" },
	  "aZ09_.-aaaaaaaaaaaaaaaaaaaaaaaaa=x",
	  NULL },
	{ "a_name_too_long",
	  { "aZ09_.-aaaaaaaaaaaaaaaaaaaaaaaaaa=x" },
	  "",
	  "an engine's name has at most 32 letters, digits and _.-: "
	  "'aZ09_.-aaaaaaaaaaaaaaaaaaaaaaaaaa=x'" },
	{ "no_name",
	  { "=x" },
	  "",
	  "an engine's name has at most 32 letters, digits and _.-: '=x'" },
	{ "a_blank_in_a_name",
	  { "a b=x" },
	  "",
	  "an engine's name has at most 32 letters, digits and _.-: 'a b=x'" },
	{ "no_command", { "a=" }, "", "engine a: nothing to start" },
	{ "no_such_object", { "a=./no.so" }, "", "./no.so: No such file or directory" },
	{ "unknown", { "nobody" }, "", "no engine is called 'nobody'" },
	{ "a_name_that_is_taken", { "cfi=x" }, "", "there is an engine called 'cfi'" },
	{ "a_second_name_that_is_taken", { "perf=x" }, "", "there is an engine called 'perf'" },
	{ "a_second_name", { "perf,cfi" }, "perf8k cfi", NULL },
	{ "twice_by_two_names", { "perf8k,perf" }, "perf8k", "'perf8k' is named twice" },
	{ "all_that_are_built_in",
	  { "a=x,all" },
	  "a=x cfi table bpf fp libdw libunwind libgcc perf8k perf16k perf32k perf64k "
	  "scan sframe",
	  NULL },
	{ "all_and_one_of_them", { "cfi,all" }, "cfi", "'cfi' is named twice" },
	{ "twice", { "cfi,cfi" }, "cfi", "'cfi' is named twice" },
	{ "twice_in_two_lists", { "a=x", "a=y" }, "a=x", "'a' is named twice" },
	{ "nothing", { "" }, "", "a value of the list is empty" },
	{ "nothing_at_the_end", { "cfi," }, "cfi", "a value of the list is empty" },
	{ "too_many",
	  { "a=x,b=x,c=x,d=x,e=x,f=x,g=x,h=x,i=x,j=x,k=x,l=x,m=x,n=x,o=x,p=x,q"
	    "=x,r=x,s=x,t=x,u=x,v=x,w=x,x=x,y=x,z=x,A=x,B=x,C=x,D=x,E=x,F=x,G=x" },
	  "a=x b=x c=x d=x e=x f=x g=x h=x i=x j=x k=x l=x m=x n=x o=x p=x"
	  " q=x r=x s=x t=x u=x v=x w=x x=x y=x z=x A=x B=x C=x D=x E=x F=x",
	  "more than 32 values" },
};

/* text with the shared object's path in place of OBJECT; static. */
static const char *with_object(const char *text)
{
	static char ret[2 * PATH_MAX];
	char object[PATH_MAX];
	const char *at = strstr(text, "OBJECT");

	if (!at)
		return text;
	snprintf(ret, sizeof(ret), "%.*s%s%s", (int)(at - text), text,
		 in_build("harness/engines/external/tests/hostile_engine.so", object),
		 at + strlen("OBJECT"));
	return ret;
}

static void write_list(const struct engine_list *list, char *ret, size_t size)
{
	size_t used = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		const struct external_options *external = list->engine[i]->external;

		if (external && external->program) /* built in */
			external = NULL;
		used += (size_t)snprintf(ret + used, size - used, "%s%s%s%s%s%s", i ? " " : "",
					 list->engine[i]->name, external ? "=" : "",
					 external ? external->command : "",
					 external && external->argument ? "|" : "",
					 external && external->argument ? external->argument : "");
	}
}

START_TEST(lists)
{
	const struct list_case *c = &list_cases[_i];
	struct engine_list list = { 0 };
	char text[2 * PATH_MAX];
	struct error error;
	int status = 0;

	for (size_t i = 0; i < COUNT(c->list) && c->list[i] && !status; i++)
		status = engine_list_add(&list, with_object(c->list[i]), &error);
	ck_assert_msg(!status == !c->message, "%s: %s", c->name, status ? error.message : "");
	if (c->message)
		ck_assert_str_eq(error.message, c->message);
	write_list(&list, text, sizeof(text));
	ck_assert_str_eq(text, with_object(c->engines));
	engine_list_deinit(&list);
}
END_TEST

/* What is asked unless somebody says otherwise. */
START_TEST(engines_by_default)
{
	struct engine_list list = { 0 };
	struct error error;
	char text[256];

	ck_assert(!engine_list_add_built_in(&list, false, &error));
	write_list(&list, text, sizeof(text));
	ck_assert_str_eq(text, "cfi table bpf fp libdw libunwind");
	engine_list_deinit(&list);
}
END_TEST

/* What `run` hands on: a list of those that are built in, one of the others, and all names. */
START_TEST(lists_as_text)
{
	static const char *const wanted[] = { "cfi,a,fp,libgcc,b,c", "cfi,fp,libgcc",
					      "a=x 1\\,2,b=OBJECT,c=x y=z" };
	struct engine_list list = { 0 }, again = { 0 };
	char path[2 * PATH_MAX], before[2 * PATH_MAX], after[2 * PATH_MAX];
	struct error error;
	char *text;

	strcpy(path, with_object("cfi,a=x 1\\,2,fp,libgcc,b=OBJECT,c=x y=z"));
	ck_assert_int_eq(engine_list_add(&list, path, &error), 0);
	for (int part = 0; part < 3; part++) {
		text = engine_list_text(&list, part);
		ck_assert_str_eq(text, with_object(wanted[part]));
		if (part)
			ck_assert_int_eq(engine_list_add(&again, text, &error), 0);
		free(text);
	}
	write_list(&again, after, sizeof(after));
	snprintf(before, sizeof(before), "%s",
		 with_object("cfi fp libgcc a=x 1,2 b=OBJECT| c=x y=z"));
	ck_assert_str_eq(after, before);
	engine_list_deinit(&list);
	engine_list_deinit(&again);
}
END_TEST

/* ---- a run ------------------------------------------------------------------------------ */

#define LIMIT 300
#define GOOD                                                                                       \
	"echo hello 1; echo ready; read hello; read mappings n; "                                  \
	"while [ $n -gt 0 ]; do read mapping; n=$((n - 1)); done; "

/* So many runs, one after the other, by one comparer. */
static void run_times(const char *engines, unsigned int answer_ms, int times,
		      struct comparison *ret)
{
	char *argv[] = { "/bin/true", NULL };
	struct tracer_options tracer = {
		.argv = argv, .silence_output = true, .timeout_ms = 600000, .point_limit = LIMIT
	};
	struct compare_options options = { .engine_count = 0 };
	struct engine_list list = { 0 };
	struct comparer *comparer;
	struct error error;

	set_engine_host();
	ck_assert_msg(!engine_list_add(&list, engines, &error), "%s", error.message);
	memcpy(options.engine, list.engine, sizeof(options.engine));
	options.engine_count = list.count;
	engine_list_limit(&list, answer_ms, 600000);
	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	for (int i = 0; i < times; i++)
		ck_assert_msg(!comparer_run(comparer, &tracer, &ret[i], &error), "%s",
			      error.message);
	comparer_destroy(comparer);
	engine_list_deinit(&list);
}

static void run(const char *engines, unsigned int answer_ms, struct comparison *ret)
{
	run_times(engines, answer_ms, 1, ret);
}

/* An engine that is hostile, and how its points come out. */
static const struct hostile_case {
	const char *name, *engine;
	unsigned int answer_ms;
	enum external_outcome outcome;
	uint64_t count;
} hostile_cases[] = {
	{ "dies", "x=echo hello 1; echo ready; read a; kill -SEGV $$", 60000, EXTERNAL_DIED, 6 },
	{ "hangs", "x=echo hello 1; echo ready; exec sleep 1000", 100, EXTERNAL_TIMEOUT, 6 },
	{ "says_what_is_none", "x=echo hello 1; echo ready; exec yes", 60000,
	  EXTERNAL_PROTOCOL_BROKEN, 6 },
	{ "floods", "x=echo hello 1; echo ready; exec tr '\\0' a </dev/zero", 60000, EXTERNAL_FLOOD,
	  6 },
	{ "object_crashes", "x=OBJECT crash", 60000, EXTERNAL_DIED, 6 },
	{ "object_lies", "x=OBJECT lie", 60000, EXTERNAL_STACK, LIMIT },
};

START_TEST(others_figures_stay)
{
	const struct hostile_case *c = &hostile_cases[_i];
	static struct comparison alone, beside;
	char engines[2 * PATH_MAX];

	run("cfi,table", c->answer_ms, &alone);
	snprintf(engines, sizeof(engines), "cfi,%s,table", with_object(c->engine));
	run(engines, c->answer_ms, &beside);
	ck_assert_uint_eq(alone.points, LIMIT);
	ck_assert_uint_eq(beside.points, LIMIT);
	ck_assert_mem_eq(&alone.engine[0].score, &beside.engine[0].score,
			 sizeof(struct engine_score));
	ck_assert_mem_eq(&alone.engine[1].score, &beside.engine[2].score,
			 sizeof(struct engine_score));
	ck_assert_mem_eq(alone.verdict, beside.verdict, sizeof(alone.verdict));
	ck_assert_uint_eq(alone.truth_digest, beside.truth_digest);
	ck_assert_msg(beside.engine[1].external.outcome[c->outcome] == c->count, "%s: %lu, %s",
		      c->name, beside.engine[1].external.outcome[c->outcome],
		      beside.engine[1].external.failure);
	ck_assert_uint_eq(beside.engine[1].score.points, LIMIT);
	ck_assert_uint_eq(beside.engine[1].score.silent, 0);
	comparison_deinit(&alone);
	comparison_deinit(&beside);
}
END_TEST

/* What is said of one run is of that run, and what it has cost is what it has answered. */
static const struct {
	const char *engine;
	enum external_outcome outcome;
	uint64_t count;
} again_cases[] = {
	{ "x=OBJECT lie", EXTERNAL_STACK, LIMIT },
	{ "x=echo hello 1; echo ready; read a; kill -SEGV $$", EXTERNAL_DIED, 6 },
};

START_TEST(each_run_is_told_by_itself)
{
	static struct comparison comparison[2];
	char engines[2 * PATH_MAX];

	snprintf(engines, sizeof(engines), "cfi,%s", with_object(again_cases[_i].engine));
	run_times(engines, 60000, 2, comparison);
	for (int i = 0; i < 2; i++) {
		const struct compare_engine *engine = &comparison[i].engine[1];
		const struct external_report *report = &engine->external;

		ck_assert_uint_eq(report->outcome[again_cases[_i].outcome], again_cases[_i].count);
		ck_assert_uint_eq(engine->score.points, LIMIT);
		ck_assert_uint_eq(engine->cost.walks, report->outcome[EXTERNAL_STACK]);
		ck_assert_uint_eq(engine->cost.sized, report->outcome[EXTERNAL_STACK]);
		ck_assert_uint_eq(engine->cost.walk_ns, report->answered_ns);
		ck_assert_uint_eq(engine->cost.bytes, report->bytes);
		ck_assert_uint_eq(engine->cost.walk_ns > 0, engine->cost.walks > 0);
		ck_assert_uint_eq(report->reads, comparison[0].engine[1].external.reads);
		ck_assert_uint_eq(report->bytes, comparison[0].engine[1].external.bytes);
		comparison_deinit(&comparison[i]);
	}
}
END_TEST

/* What an engine could not answer is truncated: no frame, no reason of its own. */
START_TEST(no_answer_is_a_truncated_stack)
{
	static struct comparison comparison;

	run("x=echo hello 1; echo ready; read a; exit 1", 60000, &comparison);
	ck_assert_uint_eq(comparison.engine[0].score.match[MATCH_TRUNCATED], LIMIT);
	ck_assert_uint_eq(comparison.engine[0].score.stop[STOP_FOREIGN], LIMIT);
	ck_assert_uint_eq(comparison.engine[0].score.frames, 0);
	ck_assert_uint_eq(comparison.engine[0].external.outcome[EXTERNAL_GONE], LIMIT - 6);
	comparison_deinit(&comparison);
}
END_TEST

/* The mappings of a process: its own file has its place, its build-id and its path. */
START_TEST(mappings_are_told)
{
	static struct comparison comparison;
	unsigned long start, end, offset, bias;
	char id[200], path[200];

	run("x=echo hello 1; echo ready; read a; read n; read mapping; echo $mapping >&2; exit 1",
	    60000, &comparison);
	ck_assert_msg(sscanf(comparison.engine[0].external.said,
			     "mapping %lx %lx %lx %lx %199s %199s", &start, &end, &offset, &bias,
			     id, path) == 6,
		      "%s", comparison.engine[0].external.said);
	ck_assert_uint_lt(start, end);
	ck_assert_uint_eq(start - bias,
			  offset); /* as ld lays out what is at the file's beginning */
	ck_assert_uint_ne(offset, 0);
	ck_assert_uint_eq(strspn(id, "0123456789abcdef"), 40);
	ck_assert_msg(strstr(path, "/true"), "%s", path);
	comparison_deinit(&comparison);
}
END_TEST

START_TEST(one_that_does_not_start_is_a_skip)
{
	static struct comparison comparison;

	run("cfi,x=exit 3", 60000, &comparison);
	ck_assert(comparison.engine[1].skipped);
	ck_assert_str_eq(comparison.engine[1].skip.message, "no hello: it ended with status 3");
	ck_assert_uint_eq(comparison.engine[0].score.points, LIMIT);
	comparison_deinit(&comparison);
}
END_TEST

/* The command line knows it as it does the others. */
static const struct command_case {
	const char *name, *engine, *require;
	int status;
	const char *said;
} command_cases[] = {
	{ "its_figures_can_be_required", "x=OBJECT", "x.exact >= 0", EXIT_OK, "x is external: " },
	{ "and_may_not_be_met", "x=OBJECT", "x.exact > 99", EXIT_FINDINGS, "x is external: " },
	{ "of_one_that_is_not_there", "x=OBJECT", "y.exact > 99", EXIT_USAGE,
	  "--require: no engine is called 'y'" },
	{ "a_bad_list", "x=", "x.exact > 99", EXIT_USAGE, "--engine: engine x: nothing to start" },
};

START_TEST(commands)
{
	const struct command_case *c = &command_cases[_i];
	char engine[2 * PATH_MAX], require[64];
	char *arguments[] = { "compare",   "--engine=cfi", "--engine", engine,
			      "--require", require,	   "--limit",  "2000",
			      "--",	   "/bin/true",	   NULL };
	int status;

	set_engine_host();
	strcpy(engine, with_object(c->engine));
	strcpy(require, c->require);
	char *said = command_output(command_compare, arguments, &status);

	ck_assert_msg(status == c->status, "%s: %d: %s", c->name, status, said);
	ck_assert_msg(strstr(said, c->said), "%s: %s", c->name, said);
	free(said);
}
END_TEST

/* ---- what is said of them --------------------------------------------------------------- */

static const struct external_options program = { .name = "mine", .command = "prog -x" };
static const struct external_options object = { .command = "/m.so", .argument = "deep" };
static const struct external_options plain = { .command = "/m.so", .argument = "" };
static const struct external_options ours = {
	.name = "ours", .command = "", .program = "ours_host", .argument = "all"
};
static const struct engine engines[] = { { .name = "cfi" },
					 { .name = "mine", .external = &program },
					 { .name = "other", .external = &object },
					 { .name = "third", .external = &plain },
					 { .name = "ours", .external = &ours } };

static void fill(struct comparison *ret)
{
	static const struct external_report failed = {
		.version = "v\033 1",
		.outcome = { 10, 1, 2, 3, 4, 5, 6 },
		.starts = 7,
		.reads = 8,
		.waited_ns = 3100000,
		.failure = "point 3: it died",
		.said = "one\ntwo\033\n\nfour",
	};
	static const struct external_report good = { .outcome = { 4 }, .waited_ns = 6000000 };

	memset(ret, 0, sizeof(*ret));
	ret->engine_count = COUNT(engines);
	for (size_t i = 0; i < COUNT(engines); i++)
		ret->engine[i].engine = &engines[i];
	ret->engine[1].external = failed;
	ret->engine[2].external = good;
	ret->engine[3].skipped = true;
	ret->engine[4].external.reads = 9;
}

START_TEST(as_text)
{
	static struct comparison comparison;

	fill(&comparison);
	char *text = PRINTED(file, compare_external_text(file, &comparison));
	ck_assert_str_eq(text,
			 "mine is external: prog -x, version v? 1; 10 answers, 8 reads, 100 us a "
			 "point\n"
			 "\tdied 1, timeout 2, protocol 3, flood 4, gone 5, late 6; started again "
			 "7 times; first: point 3: it died\n"
			 "\tit said: one\n"
			 "\tit said: two?\n"
			 "\tit said: \n"
			 "other is external: /m.so deep; 4 answers, 0 reads, 1500 us a point\n"
			 "ours is external: ours_host all; 0 answers, 9 reads, 0 us a point\n");
	free(text);
}
END_TEST

START_TEST(as_json)
{
	static struct comparison comparison;
	json_t *mine = json_object(), *third = json_object();
	char *text;

	fill(&comparison);
	compare_external_json(mine, &comparison.engine[1]);
	text = json_dumps(mine, JSON_COMPACT | JSON_REAL_PRECISION(6));
	ck_assert_str_eq(
		text,
		"{\"external\":\"prog -x\",\"version\":\"v\\u001B 1\",\"outcomes\":{\"stack\":10,"
		"\"died\":1,\"timeout\":2,\"protocol\":3,\"flood\":4,\"gone\":5,\"late\":6},"
		"\"starts\":7,\"reads\":8,\"waited_seconds\":0.0031,"
		"\"failure\":\"point 3: it died\","
		"\"stderr\":[\"one\",\"two\\u001B\",\"\",\"four\"]}");
	free(text);
	compare_external_json(third, &comparison.engine[3]);
	ck_assert_str_eq(json_string_value(json_object_get(third, "external")), "/m.so");
	ck_assert_uint_eq(json_array_size(json_object_get(third, "stderr")), 0);
	json_decref(mine);
	json_decref(third);
}
END_TEST

SUITE(compare_external, TIMEOUT(300), LOOP(lists, list_cases), TEST(engines_by_default),
      TEST(lists_as_text), LOOP(others_figures_stay, hostile_cases),
      LOOP(each_run_is_told_by_itself, again_cases), TEST(no_answer_is_a_truncated_stack),
      TEST(mappings_are_told), TEST(one_that_does_not_start_is_a_skip),
      LOOP(commands, command_cases), TEST(as_text), TEST(as_json))
