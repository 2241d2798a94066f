/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_engine_list.c - engines as a command line names them, and what an external one is told
 *
 * What is in ../external is replaced here: nothing is started, and what it would be told is kept.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "engines/built_in/engine.h"
#include "engines/external/external.h"

#define NAME_32 "abcdefghijklmnopqrstuvwxyz_.-XYZ"

/* ---- in place of ../external -------------------------------------------------------------- */

static char told[2048];
static int answer;
static struct external *const opened = (struct external *)told;

#define TELL(...) snprintf(told + strlen(told), sizeof(told) - strlen(told), __VA_ARGS__)

int external_open(const struct external_options *options, struct external **ret,
		  struct error *error)
{
	TELL("open %s %s %s %u %u %lu\n", options->name, options->command,
	     options->argument ? options->argument : "-", options->hello_ms, options->answer_ms,
	     (unsigned long)options->total_ms);
	*ret = answer ? NULL : opened;
	return answer;
}

void external_close(struct external *external)
{
	ck_assert_ptr_eq(external, opened);
	TELL("close\n");
}

void external_begin(struct external *external)
{
	ck_assert_ptr_eq(external, opened);
	TELL("begin\n");
}

void external_report(const struct external *external, struct external_report *ret)
{
	ck_assert_ptr_eq(external, opened);
	TELL("report\n");
	ret->starts = 7;
}

int external_mappings(struct external *external, const struct external_mapping *mapping,
		      size_t count, struct error *error)
{
	ck_assert_ptr_eq(external, opened);
	for (size_t i = 0; i < count; i++) {
		TELL("%lx %lx %lx %lx %s ", mapping[i].start, mapping[i].end, mapping[i].offset,
		     mapping[i].bias, mapping[i].path);
		for (size_t k = 0; k < mapping[i].build_id_size; k++)
			TELL("%02x", mapping[i].build_id[k]);
		TELL("%s\n", mapping[i].build_id ? "" : "none");
	}
	return answer;
}

int external_ask(struct external *external, const struct external_point *point, size_t count,
		 struct stack *ret, struct error *error)
{
	ck_assert_ptr_eq(external, opened);
	ck_assert_uint_eq(count, 1);
	TELL("ask %lx %d\n", point->regs->value[0], point->memory->context == told);
	ret->count = 3;
	return answer;
}

const char *external_outcome_name(enum external_outcome outcome)
{
	return "";
}

static void forget(void)
{
	told[0] = '\0';
	answer = 0;
}

/* ---- lists -------------------------------------------------------------------------------- */

#define REFUSED ERROR_TEXT_SYNTAX
#define NO_NAME "an engine's name has at most 32 letters, digits and _.-: "

static const struct {
	const char *text;
	const char *names, *built_in, *external; /* as text again; NULL: it is refused */
	const char *message;
	enum error_code code;
} lists[] = {
	{ "cfi", "cfi", "cfi", "", "", ERROR_NONE },
	{ "bpf,cfi,table", "bpf,cfi,table", "bpf,cfi,table", "", "", ERROR_NONE },
	{ "perf", "perf8k", "perf8k", "", "", ERROR_NONE },
	{ "libgcc,fp", "libgcc,fp", "libgcc,fp", "", "", ERROR_NONE },
	{ "all",
	  "cfi,table,bpf,fp,libdw,libunwind,libgcc,perf8k,perf16k,perf32k,perf64k,scan,sframe",
	  "cfi,table,bpf,fp,libdw,libunwind,libgcc,perf8k,perf16k,perf32k,perf64k,scan,sframe", "",
	  "", ERROR_NONE },
	{ "a=x", "a", "", "a=x", "", ERROR_NONE },
	{ "cfi,a=x y  z,fp,b=c=d", "cfi,a,fp,b", "cfi,fp", "a=x y  z,b=c=d", "", ERROR_NONE },
	{ "a=x\\,y\\z,b=\\,", "a,b", "", "a=x\\,y\\z,b=\\,", "", ERROR_NONE },
	{ "a=x\\", "a", "", "a=x\\", "", ERROR_NONE },
	{ NAME_32 "=x", NAME_32, "", NAME_32 "=x", "", ERROR_NONE },
	{ "a=.so,b=x.sox,c=so", "a,b,c", "", "a=.so,b=x.sox,c=so", "", ERROR_NONE },
	{ "cfi,a=bpf:/dev/null:w fill=x\\,y", "cfi,a", "cfi", "a=bpf:/dev/null:w fill=x\\,y", "",
	  ERROR_NONE },
	{ "", NULL, NULL, NULL, "a value of the list is empty", REFUSED },
	{ "cfi,", NULL, NULL, NULL, "a value of the list is empty", REFUSED },
	{ ",cfi", NULL, NULL, NULL, "a value of the list is empty", REFUSED },
	{ "cfi,,fp", NULL, NULL, NULL, "a value of the list is empty", REFUSED },
	{ "cfi,fp,cfi", NULL, NULL, NULL, "'cfi' is named twice", REFUSED },
	{ "perf,perf8k", NULL, NULL, NULL, "'perf8k' is named twice", REFUSED },
	{ "fp,all", NULL, NULL, NULL, "'fp' is named twice", REFUSED },
	{ "a=x,a=y", NULL, NULL, NULL, "'a' is named twice", REFUSED },
	{ "cf", NULL, NULL, NULL, "no engine is called 'cf'", REFUSED },
	{ "cfi2", NULL, NULL, NULL, "no engine is called 'cfi2'", REFUSED },
	{ "cfi=x", NULL, NULL, NULL, "there is an engine called 'cfi'", REFUSED },
	{ "perf=x", NULL, NULL, NULL, "there is an engine called 'perf'", REFUSED },
	{ "a=", NULL, NULL, NULL, "engine a: nothing to start", REFUSED },
	{ "=x", NULL, NULL, NULL, NO_NAME "'=x'", REFUSED },
	{ "a b=x", NULL, NULL, NULL, NO_NAME "'a b=x'", REFUSED },
	{ " a=x", NULL, NULL, NULL, NO_NAME "' a=x'", REFUSED },
	{ NAME_32 "q=x", NULL, NULL, NULL, NO_NAME "'" NAME_32 "q=x'", REFUSED },
	{ "a=/nowhere/x.so", NULL, NULL, NULL, "/nowhere/x.so: No such file or directory",
	  ERROR_SYSTEM },
	{ "a=bpf:", NULL, NULL, NULL, "engine a: no object: ''", REFUSED },
	{ "fp=bpf:/dev/null", NULL, NULL, NULL, "there is an engine called 'fp'", REFUSED },
	{ "a=bpf:/nowhere/x.o", NULL, NULL, NULL,
	  "engine a: /nowhere/x.o: No such file or directory", ERROR_SYSTEM },
	{ "a=x.so y", NULL, NULL, NULL, "x.so: No such file or directory", ERROR_SYSTEM },
};

static void expect_text(const struct engine_list *list, enum engine_list_part part,
			const char *expected)
{
	char *text = engine_list_text(list, part);

	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(lists_are_read_and_written)
{
	struct engine_list list = { 0 };
	struct error error = { 0 };
	int status = engine_list_add(&list, lists[_i].text, &error);

	ck_assert_msg(status == (lists[_i].names ? 0 : -1), "%s: %s", lists[_i].text,
		      error.message);
	ck_assert_str_eq(error.message, lists[_i].message);
	ck_assert_int_eq(error.code, lists[_i].code);
	if (!status) {
		expect_text(&list, ENGINE_LIST_NAMES, lists[_i].names);
		expect_text(&list, ENGINE_LIST_BUILT_IN, lists[_i].built_in);
		expect_text(&list, ENGINE_LIST_OWN, lists[_i].external);
		for (size_t i = 0; i < list.own_count; i++)
			ck_assert(!list.own[i]->external == !!list.own[i]->driven &&
				  !list.own[i]->open);
	}
	engine_list_deinit(&list);
	ck_assert(!list.count && !list.own_count);
}
END_TEST

START_TEST(no_more_than_there_is_room_for)
{
	struct engine_list list = { 0 };
	struct error error = { 0 };
	char word[16];

	for (int i = 0; i < ENGINES_MAX; i++) {
		snprintf(word, sizeof(word), "e%d=x", i);
		ck_assert(!engine_list_add(&list, word, &error));
	}
	for (int i = 0; i < 3; i++) {
		static const char *const more[] = { "cfi", "f=x", "all" };

		ck_assert_int_eq(engine_list_add(&list, more[i], &error), -1);
		ck_assert_str_eq(error.message, "more than 32 values");
		ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		ck_assert_uint_eq(list.count, ENGINES_MAX);
		ck_assert_uint_eq(list.own_count, ENGINES_MAX);
	}
	engine_list_deinit(&list);
}
END_TEST

START_TEST(those_that_are_asked_anyway)
{
	struct engine_list list = { 0 };
	struct error error = { 0 };

	ck_assert(!engine_list_add_built_in(&list, false, &error));
	expect_text(&list, ENGINE_LIST_NAMES, "cfi,table,bpf,fp,libdw,libunwind");
	ck_assert_int_eq(engine_list_add_built_in(&list, true, &error), -1);
	ck_assert_str_eq(error.message, "'cfi' is named twice");
	engine_list_deinit(&list);
	ck_assert_ptr_null(engine_at(13));
	ck_assert_str_eq(engine_at(11)->name, "scan");
	ck_assert_str_eq(engine_at(12)->name, "sframe");
	ck_assert_ptr_null(engine_find(""));
}
END_TEST

/* ---- what is started ---------------------------------------------------------------------- */

/* Half of a run's time is theirs, in equal parts; of those of this program none needs any. */
START_TEST(commands_and_their_limits)
{
	struct engine_list list = { 0 };
	struct error error = { 0 };
	void *engine;

	forget();
	ck_assert(!engine_list_add(&list, "a=x,b=y,c=z,cfi", &error));
	ck_assert(!engine_open(list.engine[0], NULL, &engine, &error));
	ck_assert_ptr_eq(engine, opened);
	engine_list_limit(&list, 1234, 60000);
	ck_assert(!engine_open(list.engine[2], NULL, &engine, &error));
	ck_assert(!engine_open(list.engine[0], NULL, &engine, &error));
	engine_list_limit(&list, 1, 0);
	ck_assert(!engine_open(list.engine[1], NULL, &engine, &error));
	ck_assert_str_eq(told, "open a x - 30000 10000 0\n"
			       "open c z - 30000 1234 10000\n"
			       "open a x - 30000 1234 10000\n"
			       "open b y - 30000 1 0\n");
	answer = -1;
	ck_assert_int_eq(engine_open(list.engine[1], NULL, &engine, &error), -1);
	ck_assert_ptr_null(engine);
	engine_list_deinit(&list);
	engine_external_destroy(NULL);
}
END_TEST

static const struct {
	const char *behind, *argument, *text; /* of the object; in a list */
} objects[] = {
	{ "", "", "" },
	{ " ", "", "" },
	{ " an argument", "an argument", " an argument" },
	{ "  two blanks", " two blanks", "  two blanks" },
	{ " with\\, comma", "with, comma", " with\\, comma" },
};

START_TEST(objects_are_paths)
{
	struct engine_list list = { 0 };
	struct error error = { 0 };
	char folder[] = "/tmp/test_engine_list.XXXXXX", path[64], text[2 * PATH_MAX],
	     real[PATH_MAX];
	void *engine;

	forget();
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.so", folder);
	fclose(fopen(path, "we"));
	ck_assert_ptr_nonnull(realpath(path, real));
	snprintf(text, sizeof(text), "m=%s/../%s/x.so%s", folder, strrchr(folder, '/') + 1,
		 objects[_i].behind);
	ck_assert_msg(!engine_list_add(&list, text, &error), "%s", error.message);
	ck_assert(!engine_open(list.engine[0], NULL, &engine, &error));
	snprintf(text, sizeof(text), "open m %s %s 30000 10000 0\n", real, objects[_i].argument);
	ck_assert_str_eq(told, text);
	snprintf(text, sizeof(text), "m=%s%s", real, objects[_i].text);
	expect_text(&list, ENGINE_LIST_OWN, text);
	engine_list_deinit(&list);
	ck_assert(!unlink(path) && !rmdir(folder));
}
END_TEST

/* ---- what it is told ---------------------------------------------------------------------- */

START_TEST(point_and_run)
{
	struct register_values regs = { .value = { 0x1234 } };
	struct memory_reader memory = { .context = told };
	struct point point = { .regs = &regs, .memory = &memory };
	struct external_report report = { 0 };
	struct stack stack = { 0 };
	struct error error;

	forget();
	engine_external_begin(opened);
	ck_assert_int_eq(engine_external_walk(opened, &point, &stack, &error), ENGINE_STACK);
	ck_assert_uint_eq(stack.count, 3);
	answer = -1;
	ck_assert_int_eq(engine_external_walk(opened, &point, &stack, &error), ENGINE_ERROR);
	engine_external_report(opened, &report);
	ck_assert_uint_eq(report.starts, 7);
	engine_external_close(opened);
	ck_assert_str_eq(told, "begin\nask 1234 1\nask 1234 1\nreport\nclose\n");
}
END_TEST

/* An image's place in its file, by the segment that the mapping begins in, which begins with a page. */
START_TEST(mappings_lie_in_files)
{
	static struct image_segment segments[] = {
		{ .vaddr = 0x1000, .memory_bytes = 0x800, .file_offset = 0x2000 },
		{ .vaddr = 0x5678, .memory_bytes = 0x2000, .file_offset = 0x3678 },
		{ .vaddr = 0x9000, .memory_bytes = 0x1000, .file_offset = 0x8000 },
		/* Behind the last: it is none. */
		{ .vaddr = 0x1800, .memory_bytes = 0x100, .file_offset = 0x7000 },
	};
	static struct image image = { .segment = segments,
				      .segment_count = COUNT(segments) - 1,
				      .build_id = { 0x12, 0xab },
				      .build_id_size = 2 };
	struct image_entry entry = { .image = &image }, nothing = { 0 };
	struct mapping mappings[] = {
		{ 0x1000, 0x1800, 0, 0, &entry, (char *)"/first", 0 },
		{ 0x1800, 0x2000, 0, 0, &entry, (char *)"/behind", 0 },
		{ 0x15000, 0x16000, 0x10000, 0, &entry, (char *)"/page", 0 },
		{ 0x15678, 0x16000, 0x10000, 0, &entry, (char *)"/vaddr", 0 },
		{ 0x17000, 0x18000, 0x10000, 0, &entry, (char *)"/inside", 0 },
		{ 0x17678, 0x18000, 0x10000, 0, &entry, (char *)"/end", 0 },
		{ 0x14fff, 0x18000, 0x10000, 0, &entry, (char *)"/before", 0 },
		{ 0x19fff, 0x1a000, 0x10000, 0, &entry, (char *)"/last", 0 },
		{ 0x20000, 0x21000, 0, 0, NULL, (char *)"", 0 },
		{ 0x30000, 0x31000, 0, 0, &nothing, (char *)"none", 0 },
	};
	const struct address_space space = { .mapping = mappings,
					     .mapping_count = COUNT(mappings) };
	const struct address_space empty = { 0 };
	struct error error;

	forget();
	ck_assert(!engine_external_mappings(opened, &space, &error));
	ck_assert_str_eq(told, "1000 1800 2000 0 /first 12ab\n"
			       "1800 2000 0 0 /behind 12ab\n"
			       "15000 16000 3000 10000 /page 12ab\n"
			       "15678 16000 3678 10000 /vaddr 12ab\n"
			       "17000 18000 5000 10000 /inside 12ab\n"
			       "17678 18000 0 10000 /end 12ab\n"
			       "14fff 18000 0 10000 /before 12ab\n"
			       "19fff 1a000 8fff 10000 /last 12ab\n"
			       "20000 21000 0 0  none\n"
			       "30000 31000 0 0 none none\n");
	forget();
	ck_assert(!engine_external_mappings(opened, &empty, &error));
	ck_assert_str_eq(told, "");
	answer = -1;
	ck_assert_int_eq(engine_external_mappings(opened, &space, &error), -1);
}
END_TEST

SUITE(engine_list, LOOP(lists_are_read_and_written, lists), TEST(no_more_than_there_is_room_for),
      TEST(those_that_are_asked_anyway), TEST(commands_and_their_limits),
      LOOP(objects_are_paths, objects), TEST(point_and_run), TEST(mappings_lie_in_files))
