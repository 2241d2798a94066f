/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_executed.c - what ran, by a truth file; what was wrong, by compare's results; and whether a file is what ran
 *
 * Places are written as "image pc from: points calls", in the order in which they are kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "truth/executed/executed.h"
#include "judge/stepping/executed_options.h"
#include "base/gate/gate.h"
#include "truth/contexts/tests/truth_bytes.h"

static const uint8_t id_a[] = { 1, 2, 3, 4 }, id_b[] = { 1, 2, 3, 5 }, longer[] = { 1, 2, 3, 4, 5 };

/* ---- by a truth file ---------------------------------------------------------------------- */

#define STACKS(...) .stack = { __VA_ARGS__ }

static const struct truth_case {
	const char *rule;
	struct {
		struct truth_stack stack;
		struct truth_frame frame[3]; /* innermost first; address 0 ends them */
	} stack[3];
	const char *expected;
	uint64_t points, doubted;
} truth_cases[] = {
	{ "where a thread stood, ran", STACKS({ { .points = 3 }, { { 0, 0x1000 } } }),
	  "0 1000 0: 3 0\n", 3, 0 },
	{ "a caller's call ends at its return address",
	  STACKS({ { .points = 2 }, { { 1, 0x2000 }, { 0, 0x1005 } } }),
	  "0 1004 0: 0 2\n1 2000 0: 2 0\n", 2, 0 },
	{ "points below a call add up, however deep",
	  STACKS({ { .points = 2 }, { { 1, 0x2000 }, { 0, 0x1005 } } },
		 { { .points = 5 }, { { 1, 0x3000 }, { 1, 0x2005 }, { 0, 0x1005 } } }),
	  "0 1004 0: 0 7\n1 2000 0: 2 0\n1 2004 0: 0 5\n1 3000 0: 5 0\n", 7, 0 },
	{ "one that is in doubt ran; who called it is not known",
	  STACKS({ { .unproven = 4 }, { { 1, 0x2000 }, { 0, 0x1005 } } }), "1 2000 0: 4 0\n", 4,
	  4 },
	{ "one that was proven at times ran all of them",
	  STACKS({ { .points = 3, .unproven = 4 }, { { 1, 0x2000 }, { 0, 0x1005 } } }),
	  "0 1004 0: 0 3\n1 2000 0: 7 0\n", 7, 4 },
	{ "of two in doubt both are counted",
	  STACKS({ { .unproven = 4 }, { { 0, 0x1000 } } },
		 { { .unproven = 5 }, { { 1, 0x2000 } } }),
	  "0 1000 0: 4 0\n1 2000 0: 5 0\n", 9, 9 },
	{ "an image that is there twice is one",
	  STACKS({ { .points = 1 }, { { 3, 0x2000 }, { 2, 0x1005 } } },
		 { { .points = 2 }, { { 1, 0x2000 }, { 0, 0x1005 } } }),
	  "0 1004 0: 0 3\n1 2000 0: 2 0\n2 2000 0: 1 0\n", 3, 0 },
	{ "behind a system call nothing ran yet", STACKS({ { .in_kernel = 1 }, { { 0, 0x1002 } } }),
	  "", 0, 0 },
	{ "a stack of which only a part is known is as good",
	  STACKS({ { .points = 1, .open = true }, { { 1, 0x2000 }, { 0, 0x1005 } } }),
	  "0 1004 0: 0 1\n1 2000 0: 1 0\n", 1, 0 },
	{ "what a signal interrupted made no call, nor did its handler's return",
	  STACKS({ { .points = 1, .interrupts = 1 },
		   { { 1, 0x3000 }, { 1, 0x2000 }, { 0, 0x1005 } } }),
	  "1 3000 0: 1 0\n", 1, 0 },
	{ "one place on two stacks is one",
	  STACKS({ { .points = 1 }, { { 1, 0x2000 }, { 0, 0x1005 } } },
		 { { .points = 1 }, { { 1, 0x2000 }, { 0, 0x1015 } } }),
	  "0 1004 0: 0 1\n0 1014 0: 0 1\n1 2000 0: 2 0\n", 2, 0 },
};

static void say_places(FILE *file, const struct executed *executed)
{
	for (uint32_t i = 0; i < executed->place_count; i++) {
		const struct executed_place *place = &executed->place[i];

		fprintf(file, "%u %" PRIx64 " %" PRIx64 ": %" PRIu64 " %" PRIu64 "\n", place->image,
			place->pc, place->from, place->points, place->calls);
	}
}

START_TEST(a_truth_file_says_what_ran)
{
	const struct truth_case *test = &truth_cases[_i];
	char path[64] = "";
	struct truth_bytes truth = { NULL };
	int fd;
	struct executed executed;
	struct error error;

	truth_number(&truth, "every", 7);
	truth_image(&truth, TRUTH_IMAGE_FILE, "/bin/a", id_a, sizeof(id_a));
	truth_image(&truth, TRUTH_IMAGE_FILE, "/lib/b", "", 0);
	truth_image(&truth, TRUTH_IMAGE_FILE, "/bin/a", id_a, sizeof(id_a));
	truth_image(&truth, TRUTH_IMAGE_FILE, "/lib/c", "", 0);
	for (int i = 0; i < COUNT(test->stack) && test->stack[i].frame[0].address; i++) {
		uint32_t count = 0;

		while (count < 3 && test->stack[i].frame[count].address)
			count++;
		truth_stack(&truth, &test->stack[i].stack, test->stack[i].frame, count);
	}
	fd = truth_write(&truth, path);
	ck_assert_msg(!executed_read_truth(path, &executed, &error), "%s", error.message);
	char *text = PRINTED(file, say_places(file, &executed));
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	ck_assert_uint_eq(executed.points, test->points);
	ck_assert_uint_eq(executed.doubted, test->doubted);
	ck_assert_uint_eq(executed.every, 7);
	ck_assert(!executed.stepped && !executed.partial);
	executed_deinit(&executed);
	free(text);
	close(fd);
}
END_TEST

START_TEST(a_run_that_was_cut_short_says_so)
{
	char path[64] = "";
	struct truth_bytes truth = { NULL };
	int fd;
	struct executed executed;
	struct error error;

	truth_number(&truth, "every", 2);
	truth_text(&truth, "partial", "timeout");
	truth_image(&truth, TRUTH_IMAGE_FILE, "/bin/a", id_a, sizeof(id_a));
	truth_stack(&truth, &(struct truth_stack) { .points = 1 },
		    &(struct truth_frame) { 0, 0x1000 }, 1);
	fd = truth_write(&truth, path);
	ck_assert(!executed_read_truth(path, &executed, &error));
	ck_assert(executed.partial);
	ck_assert_uint_eq(executed.every, 2);
	executed_deinit(&executed);
	close(fd);
	ck_assert_int_eq(executed_read_truth(path, &executed, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	executed_deinit(&executed);
}
END_TEST

/* ---- by compare's results ------------------------------------------------------------------ */

#define FINDING(image, kind, address, count)                                                       \
	"{\"type\":\"finding\",\"verdict\":\"table_fault\",\"kind\":\"" kind                       \
	"\",\"image\":\"" image "\",\"address\":\"" address "\",\"count\":" count "}\n"
#define VERDICTS "{\"type\":\"verdicts\",\"points\":9,\"unproven\":2}\n"

static const struct results_case {
	const char *rule, *text;
	uint64_t line; /* of the error; 0: there is none */
	const char *expected;
	uint64_t points;
	bool partial;
} results_cases[] = {
	{ "a finding is a fault", FINDING("/bin/a", "wrong", "0x1f", "3") VERDICTS, 0,
	  "0 1f wrong rsp rip x3\n", 9, false },
	{ "the same of two runs adds up",
	  FINDING("/bin/a", "wrong", "0x1f", "3") VERDICTS FINDING("/bin/a", "wrong", "0x1f", "4")
		  VERDICTS,
	  0, "0 1f wrong rsp rip x7\n", 18, false },
	{ "images are told apart",
	  FINDING("/bin/b", "wrong", "0x1f", "3") FINDING("/bin/a", "missing", "0x2", "1") VERDICTS,
	  0, "0 1f wrong rsp rip x3\n1 2 missing rsp rip x1\n", 9, false },
	{ "which register was wrong is not said",
	  FINDING("/bin/a", "register", "0x1f", "3") VERDICTS, 0, "0 1f register x3\n", 9, false },
	{ "code of no file is left out", FINDING("[anonymous]", "missing", "0x1f", "3") VERDICTS, 0,
	  "", 9, false },
	{ "what is ours is none of the table's",
	  "{\"type\":\"finding\",\"verdict\":\"walk_fault\",\"kind\":\"none\"}\n" VERDICTS, 0, "",
	  9, false },
	{ "empty lines, and objects of other types", "\n{\"type\":\"score\"}\n" VERDICTS "{}\n", 0,
	  "", 9, false },
	{ "the last line needs no end", "{\"type\":\"verdicts\",\"points\":1}", 0, "", 1, false },
	{ "a run that was cut short says so",
	  "{\"type\":\"verdicts\",\"points\":1,\"partial\":\"timeout\"}\n", 0, "", 1, true },
	{ "of two runs one that was is not made good by the other",
	  "{\"type\":\"verdicts\",\"points\":1,\"partial\":\"timeout\"}\n"
	  "{\"type\":\"verdicts\",\"points\":3}\n",
	  0, "", 4, true },
	{ "no run's end", FINDING("/bin/a", "wrong", "0x1f", "3"), UINT64_MAX, "", 0, false },
	{ "nothing", "", UINT64_MAX, "", 0, false },
	{ "no JSON", VERDICTS "hello\n", 2, "", 0, false },
	{ "no object", VERDICTS "[1]\n", 2, "", 0, false },
	{ "cut off", VERDICTS "\n{\"type\":\"find", 3, "", 0, false },
	{ "a kind that nobody knows", FINDING("/bin/a", "odd", "0x1f", "3") VERDICTS, 1, "", 0,
	  false },
	{ "none is no kind", FINDING("/bin/a", "none", "0x1f", "3") VERDICTS, 1, "", 0, false },
	{ "no address", FINDING("/bin/a", "wrong", "", "3") VERDICTS, 1, "", 0, false },
	{ "an address without digits", FINDING("/bin/a", "wrong", "0x", "3") VERDICTS, 1, "", 0,
	  false },
	{ "an address with something behind it", FINDING("/bin/a", "wrong", "0x1g", "3") VERDICTS,
	  1, "", 0, false },
	{ "an address that begins otherwise", FINDING("/bin/a", "wrong", "0y1f", "3") VERDICTS, 1,
	  "", 0, false },
	{ "later ones of an image come in the order of addresses",
	  FINDING("/bin/a", "wrong", "0x1f", "3") FINDING("/bin/a", "wrong", "0x2", "1") VERDICTS,
	  0, "0 2 wrong rsp rip x1\n0 1f wrong rsp rip x3\n", 9, false },
	{ "an address that is decimal", FINDING("/bin/a", "wrong", "31", "3") VERDICTS, 1, "", 0,
	  false },
};

static int read_results(const char *text, size_t size, struct executed *ret, struct error *error)
{
	int file = memfd_create("results", 0), result;
	char path[64];

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	result = executed_read_results(path, ret, error);
	close(file);
	return result;
}

START_TEST(results_say_what_was_wrong)
{
	const struct results_case *test = &results_cases[_i];
	struct executed executed;
	struct error error;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int result = read_results(test->text, strlen(test->text), &executed, &error);

	ck_assert_msg(result == (test->line ? -1 : 0), "%s: %d", test->rule, result);
	if (result) {
		ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		ck_assert_msg(error.offset == (test->line == UINT64_MAX ? 0 : test->line),
			      "%s: line %" PRIu64, test->rule, error.offset);
	}
	for (uint32_t i = 0; !result && i < executed.fault_count; i++) {
		const struct executed_fault *fault = &executed.fault[i];

		fprintf(file, "%u %" PRIx64 " %s", fault->image, fault->pc,
			fault_kind_name(fault->kind));
		for (unsigned int reg = 0; reg <= REGISTER_RIP; reg++)
			if (fault->registers >> reg & 1)
				fprintf(file, " %s", register_name(reg));
		fprintf(file, " x%" PRIu64 "\n", fault->count);
	}
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s", test->rule, text);
	if (!result) {
		ck_assert_uint_eq(executed.points, test->points);
		ck_assert_uint_eq(executed.doubted, test->points / 9 * 2);
		ck_assert_uint_eq(executed.every, 1);
		ck_assert(executed.partial == test->partial);
		ck_assert(executed.stepped && executed.recorded);
	}
	executed_deinit(&executed);
	free(text);
}
END_TEST

START_TEST(what_can_not_be_read_is_an_error)
{
	struct executed executed;
	struct error error;

	ck_assert_int_eq(executed_read_results("/no/such", &executed, &error), -1);
	ck_assert_str_eq(error.message, "can't read /no/such: No such file or directory");
	executed_deinit(&executed);
	ck_assert_int_eq(executed_read_results("/", &executed, &error), -1);
	ck_assert_str_eq(error.message, "cannot read /: Is a directory");
	executed_deinit(&executed);
}
END_TEST

/* Whatever is in it: an answer, or an error. */
START_TEST(damaged_results_are_read_or_refused)
{
	static const char whole[] = FINDING("/bin/a", "wrong", "0x1f", "3")
		FINDING("/bin/b", "register", "0x2", "1") VERDICTS;
	struct executed executed;
	struct error error;
	char copy[sizeof(whole)];

	for (size_t size = 0; size < sizeof(whole) - 1; size++) {
		bool has_all = size + 2 == sizeof(whole); /* but for the last line's end */

		ck_assert_int_eq(read_results(whole, size, &executed, &error), has_all ? 0 : -1);
		executed_deinit(&executed);
	}
	for (size_t at = 0; at < sizeof(whole) - 1; at++)
		for (int bit = 0; bit < 8; bit++) {
			memcpy(copy, whole, sizeof(whole));
			copy[at] ^= (char)(1 << bit);
			if (read_results(copy, sizeof(whole) - 1, &executed, &error))
				ck_assert_int_ne(error.code, ERROR_NONE);
			executed_deinit(&executed);
		}
}
END_TEST

/* ---- lists -------------------------------------------------------------------------------- */

START_TEST(places_are_found_by_range)
{
	static const struct {
		uint32_t image;
		uint64_t pc, from;
	} added[] = {
		{ 1, 5, 0 }, { 0, 9, 4 }, { 0, 9, 2 }, { 0, 4, 2 }, { 1, 0, 0 }, { 0, 9, 4 }
	};
	const struct executed_place *place;
	struct executed executed;
	struct error error;

	ck_assert(!executed_init(&executed, &error));
	for (int i = 0; i < COUNT(added); i++) {
		uint32_t number = executed_place(&executed, added[i].image, added[i].pc,
						 added[i].from);

		ck_assert_uint_eq(number, i == 5 ? 2u : (uint32_t)i + 1);
		executed.place[number - 1].points++;
	}
	executed_sort(&executed);
	ck_assert_uint_eq(executed_places(&executed, 0, 0, 9, &place), 1);
	ck_assert_uint_eq(place->pc, 4);
	ck_assert_uint_eq(executed_places(&executed, 0, 9, 10, &place), 2);
	ck_assert_uint_eq(place[0].from, 2);
	ck_assert_uint_eq(place[1].from, 4);
	ck_assert_uint_eq(place[1].points, 2);
	ck_assert_uint_eq(executed_places(&executed, 0, 5, 9, &place), 0);
	ck_assert_uint_eq(executed_places(&executed, 1, 0, 5, &place), 1);
	ck_assert_uint_eq(executed_places(&executed, 1, 0, 6, &place), 2);
	ck_assert_uint_eq(executed_places(&executed, 2, 0, UINT64_MAX, &place), 0);
	executed_deinit(&executed);
}
END_TEST

START_TEST(faults_are_told_apart_by_all_that_they_say)
{
	static const struct executed_fault added[] = {
		{ .pc = 8, .kind = FAULT_WRONG, .registers = 1 },
		{ .pc = 8, .kind = FAULT_WRONG, .registers = 2 },
		{ .pc = 8, .kind = FAULT_REGISTER, .registers = 1 },
		{ .pc = 8, .kind = FAULT_WRONG, .registers = 1, .from = 4 },
		{ .pc = 8, .kind = FAULT_WRONG, .registers = 1, .from = 3 },
		{ .pc = 8, .kind = FAULT_WRONG, .registers = 1, .lost = true },
		{ .pc = 7, .kind = FAULT_WRONG, .registers = 1 },
		{ .image = 1, .pc = 7, .kind = FAULT_WRONG, .registers = 1 },
	};
	const struct executed_fault *fault;
	struct executed executed;
	struct error error;

	ck_assert(!executed_init(&executed, &error));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < COUNT(added); i++)
			ck_assert_uint_eq(executed_fault(&executed, &added[i]), (uint32_t)i + 1);
	executed_sort(&executed);
	ck_assert_uint_eq(executed_faults(&executed, 0, 0, 8, &fault), 1);
	ck_assert_uint_eq(executed_faults(&executed, 0, 8, 9, &fault), 6);
	ck_assert_uint_eq(fault[0].from, 0);
	ck_assert_uint_eq(fault[1].from, 3);
	ck_assert_uint_eq(fault[2].from, 4);
	ck_assert(fault[3].lost);
	ck_assert_uint_eq(fault[4].registers, 2);
	ck_assert_int_eq(fault[5].kind, FAULT_REGISTER);
	ck_assert_uint_eq(executed_faults(&executed, 1, 0, UINT64_MAX, &fault), 1);
	executed_deinit(&executed);
}
END_TEST

/* ---- which image -------------------------------------------------------------------------- */

#define IMAGE(...) .image = { __VA_ARGS__ }

static const struct identity_case {
	const char *rule;
	struct truth_image image[2];
	const uint8_t *build_id;
	const char *path, *expected;
	uint32_t number;
} identity_cases[] = {
	{ "the build-id is what counts, wherever it lies",
	  IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", id_b, 4, { 0 } },
		{ TRUTH_IMAGE_FILE, "/bin/c", id_a, 4, { 0 } }),
	  id_a, "/bin/a", "build_id", 1 },
	{ "without one the path is",
	  IMAGE({ TRUTH_IMAGE_FILE, "/bin/c", NULL, 0, { 0 } },
		{ TRUTH_IMAGE_FILE, "/bin/a", NULL, 0, { 0 } }),
	  NULL, "/bin/a", "path", 1 },
	{ "one of the two has none", IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", id_a, 4, { 0 } }), NULL,
	  "/bin/a", "path", 0 },
	{ "another build", IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", id_b, 4, { 0 } }), id_a, "/bin/a",
	  "changed", 0 },
	{ "a build-id that is shorter is another",
	  IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", id_a, 3, { 0 } }), id_a, "/bin/a", "changed", 0 },
	{ "and one that is longer", IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", longer, 5, { 0 } }), id_a,
	  "/bin/a", "changed", 0 },
	{ "what the kernel maps",
	  IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", id_b, 4, { 0 } },
		{ TRUTH_IMAGE_VDSO, "[vdso]", id_a, 4, { 0 } }),
	  id_a, "/tmp/vdso.so", "build_id", 1 },
	{ "of two builds at one path, this one",
	  IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", id_b, 4, { 0 } },
		{ TRUTH_IMAGE_FILE, "/bin/a", id_a, 4, { 0 } }),
	  id_a, "/bin/a", "build_id", 1 },
	{ "of a changed one and one without a build-id, the latter",
	  IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", id_b, 4, { 0 } },
		{ TRUTH_IMAGE_FILE, "/bin/a", NULL, 0, { 0 } }),
	  id_a, "/bin/a", "path", 1 },
	{ "the same the other way round",
	  IMAGE({ TRUTH_IMAGE_FILE, "/bin/a", NULL, 0, { 0 } },
		{ TRUTH_IMAGE_FILE, "/bin/a", id_b, 4, { 0 } }),
	  id_a, "/bin/a", "path", 0 },
	{ "none of them", IMAGE({ TRUTH_IMAGE_FILE, "/bin/c", id_b, 4, { 0 } }), id_a, "/bin/a",
	  "not_loaded", 0 },
	{ "what is in memory only", IMAGE({ TRUTH_IMAGE_MEMFD, "/memfd:a", NULL, 0, { 0 } }), NULL,
	  "/memfd:a", "path", 0 },
	{ "what can't be read as ELF has no addresses of a file's",
	  IMAGE({ TRUTH_IMAGE_OTHER, "/bin/a", NULL, 0, { 0 } }), NULL, "/bin/a", "not_loaded", 0 },
};

START_TEST(an_image_is_known_again)
{
	const struct identity_case *test = &identity_cases[_i];
	struct image image = { .build_id_size = test->build_id ? 4 : 0 };
	struct executed executed;
	struct error error;
	uint32_t number = 0, added;

	ck_assert(!executed_init(&executed, &error));
	for (int i = 0; i < 2 && test->image[i].path; i++)
		ck_assert(!context_tree_image(&executed.images, &test->image[i], &added, &error));
	if (test->build_id)
		memcpy(image.build_id, test->build_id, 4);
	ck_assert_msg(!strcmp(executed_identity_name(
				      executed_find_image(&executed, &image, test->path, &number)),
			      test->expected),
		      "%s", test->rule);
	ck_assert_msg(number == test->number, "%s: %u", test->rule, number);
	executed_deinit(&executed);
}
END_TEST

START_TEST(files_of_a_run_are_those_that_have_a_path)
{
	static const struct truth_image images[] = {
		{ TRUTH_IMAGE_VDSO, "[vdso]", NULL, 0, { 0 } },
		{ TRUTH_IMAGE_FILE, "/bin/a", NULL, 0, { 0 } },
		{ TRUTH_IMAGE_MEMFD, "/memfd:x", NULL, 0, { 0 } },
		{ TRUTH_IMAGE_FILE, "/lib/b", NULL, 0, { 0 } },
	};
	struct executed executed;
	struct error error;
	uint32_t number;
	size_t at = 0;

	ck_assert(!executed_init(&executed, &error));
	for (int i = 0; i < COUNT(images); i++)
		ck_assert(!context_tree_image(&executed.images, &images[i], &number, &error));
	ck_assert_str_eq(executed_next_file(&executed, &at), "/bin/a");
	ck_assert_str_eq(executed_next_file(&executed, &at), "/lib/b");
	ck_assert_ptr_null(executed_next_file(&executed, &at));
	executed_deinit(&executed);
}
END_TEST

/* ---- a command's options ------------------------------------------------------------------ */

static const struct wish_case {
	const char *rule, *line; /* words with blanks between */
	const char *left;	 /* what is parsed then */
	const char *program;	 /* that is stepped, with its arguments; NULL: none */
} wish_cases[] = {
	{ "a program behind --", "lint --confirm a -- p x", "lint --confirm a", "p x" },
	{ "--confirm last", "lint a --confirm -- p", "lint a --confirm", "p" },
	{ "no program", "lint --confirm --", "lint --confirm", "" },
	{ "without -- there is none", "lint --confirm a", "lint --confirm a", NULL },
	{ "without --confirm, names", "lint a -- p", "lint a -- p", NULL },
	{ "results are no program's", "lint --confirm=r -- p", "lint --confirm=r -- p", NULL },
	{ "--confirm as a name", "lint -- --confirm", "lint -- --confirm", NULL },
	{ "of two the first ends it", "lint --confirm -- p -- q", "lint --confirm", "p -- q" },
};

static void join(char *const *words, char *ret)
{
	ret[0] = '\0';
	for (; *words; words++)
		sprintf(ret + strlen(ret), "%s%s", ret[0] ? " " : "", *words);
}

START_TEST(a_program_is_cut_off_the_command_line)
{
	const struct wish_case *test = &wish_cases[_i];
	char *line = strdup(test->line), *rest = line, *argv[9] = { NULL }, text[64];
	struct executed_wish wish;
	int argc = 0, words = 0;

	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	executed_wish_init(&wish, &argc, argv);
	join(argv, text);
	ck_assert_msg(!strcmp(text, test->left), "%s: %s", test->rule, text);
	while (argv[words])
		words++;
	ck_assert_int_eq(argc, words);
	ck_assert(!wish.tracer.argv == !test->program);
	if (test->program) {
		join(wish.tracer.argv, text);
		ck_assert_str_eq(text, test->program);
	}
	ck_assert_uint_eq(wish.tracer.timeout_ms, 600000);
	ck_assert(wish.tracer.silence_output && wish.tracer.ended_by_signals);
	ck_assert(!executed_is_wanted(&wish));
	free(line);
}
END_TEST

START_TEST(any_of_three_is_wanted)
{
	ck_assert(executed_is_wanted(&(struct executed_wish) { .truth = "t" }));
	ck_assert(executed_is_wanted(&(struct executed_wish) { .confirm = true }));
	ck_assert(executed_is_wanted(&(struct executed_wish) { .results = "r" }));
}
END_TEST

static const struct parse_case {
	const char *rule, *option[2];
	const char *truth, *results;
	bool confirm;
	uint64_t every, timeout_ms;
} parse_cases[] = {
	{ "a truth", { "--executed=t" }, "t", NULL, false, 0, 600000 },
	{ "results", { "--confirm=r" }, NULL, "r", false, 0, 600000 },
	{ "each instruction", { "--confirm", "--step-every=1" }, NULL, NULL, true, 1, 600000 },
	{ "every second one", { "--confirm", "--step-every=2" }, NULL, NULL, true, 2, 600000 },
	{ "for a while", { "--confirm", "--step-timeout=2" }, NULL, NULL, true, 0, 2000 },
};

START_TEST(options_are_read)
{
	const struct parse_case *test = &parse_cases[_i];
	char *argv[] = { "lint", (char *)test->option[0], (char *)test->option[1], NULL };
	char *program[] = { "p", NULL };
	struct executed_wish wish;
	int argc = test->option[1] ? 3 : 2;

	executed_wish_init(&wish, &argc, argv);
	wish.tracer.argv = program;
	ck_assert_int_eq(argp_parse(&executed_argp, argc, argv, ARGP_NO_EXIT, NULL, &wish), 0);
	ck_assert_pstr_eq(wish.truth, test->truth);
	ck_assert_pstr_eq(wish.results, test->results);
	ck_assert(wish.confirm == test->confirm);
	ck_assert_uint_eq(wish.tracer.every, test->every);
	ck_assert_uint_eq(wish.tracer.timeout_ms, test->timeout_ms);
}
END_TEST

/* Whatever is wrong with a file that is named is the input's fault. */
START_TEST(a_file_is_opened_or_its_fault_is_named)
{
	char empty[] = "/tmp/test_executed.XXXXXX";
	struct gate gate = { 0 };
	struct executed executed;
	int file = mkstemp(empty);

	ck_assert_int_ge(file, 0);
	close(file);
	ck_assert_int_eq(executed_open(&(struct executed_wish) { .truth = NULL }, &executed, &gate),
			 EXIT_OK);
	executed_deinit(&executed);
	ck_assert_int_eq(
		executed_open(&(struct executed_wish) { .results = "/no/such" }, &executed, &gate),
		EXIT_BAD_INPUT);
	executed_deinit(&executed);
	ck_assert_int_eq(
		executed_open(&(struct executed_wish) { .results = empty }, &executed, &gate),
		EXIT_BAD_INPUT);
	executed_deinit(&executed);
	ck_assert_int_eq(
		executed_open(&(struct executed_wish) { .truth = empty }, &executed, &gate),
		EXIT_BAD_INPUT);
	executed_deinit(&executed);
	unlink(empty);
}
END_TEST

#define RUN(...) IN_BRACES(__VA_ARGS__)

static const struct print_case {
	const char *rule;
	struct executed run;
	const char *text, *json;
} print_cases[] = {
	{ "each instruction", RUN(.stepped = true, .points = 9, .doubted = 2, .every = 1),
	  "held against 9 points of a run, one at each instruction; 2 in doubt\n",
	  "{\"stepped\":true,\"recorded\":false,\"points\":9,\"doubted\":2,\"every\":1,"
	  "\"partial\":false}" },
	{ "every second one, and cut short", RUN(.points = 9, .every = 2, .partial = true),
	  "held against 9 points of a run, one at 2 instructions; 0 in doubt; PARTIAL: it did not "
	  "come to its end\n",
	  "{\"stepped\":false,\"recorded\":false,\"points\":9,\"doubted\":0,\"every\":2,"
	  "\"partial\":true}" },
	{ "results of which one was cut short",
	  RUN(.stepped = true, .recorded = true, .points = 9, .doubted = 3, .every = 7,
	      .partial = true),
	  "held against 9 points of recorded runs: of each function one address; 3 in doubt; "
	  "PARTIAL: it did not come to its end\n",
	  "{\"stepped\":true,\"recorded\":true,\"points\":9,\"doubted\":3,\"every\":7,"
	  "\"partial\":true}" },
	{ "results", RUN(.stepped = true, .recorded = true, .points = 9, .every = 1),
	  "held against 9 points of recorded runs: of each function one address; 0 in doubt\n",
	  "{\"stepped\":true,\"recorded\":true,\"points\":9,\"doubted\":0,\"every\":1,"
	  "\"partial\":false}" },
};

START_TEST(a_run_is_said)
{
	const struct print_case *test = &print_cases[_i];
	json_t *object = executed_json(&test->run);

	check_printed(test->text, PRINTED(file, executed_print(file, &test->run)), test->text);
	char *text = json_dumps(object, JSON_COMPACT);
	ck_assert_str_eq(text, test->json);
	free(text);
	json_decref(object);
}
END_TEST

START_TEST(each_kind_of_fault_has_a_name)
{
	static const char *const names[] = { "none",	    "missing",	 "wrong",	"register",
					     "no_end",	    "early_end", "overwritten", "malformed",
					     "signal_flag", "flagged",	 "silent",	"sframe",
					     "sframe_loss" };

	ck_assert_int_eq(COUNT(names), FAULT_KIND_COUNT);
	for (int i = 0; i < COUNT(names); i++)
		ck_assert_str_eq(fault_kind_name((enum fault_kind)i), names[i]);
}
END_TEST

START_TEST(an_identity_has_a_title)
{
	ck_assert_str_eq(executed_identity_title("not_loaded"), "the run did not have it");
	ck_assert_str_eq(executed_identity_title("build_id"), "the same build-id");
	ck_assert_str_eq(executed_identity_title("path"),
			 "the same path, but nothing says that it is the file that ran");
	ck_assert_str_eq(executed_identity_title("changed"), "the run had another build of it");
	ck_assert_str_eq(executed_identity_title("other"), "");
}
END_TEST

SUITE(executed, GROUP(truths), LOOP(a_truth_file_says_what_ran, truth_cases),
      TEST(a_run_that_was_cut_short_says_so), GROUP(results),
      LOOP(results_say_what_was_wrong, results_cases), TEST(what_can_not_be_read_is_an_error),
      TEST(damaged_results_are_read_or_refused), GROUP(lists),
      LOOP(a_program_is_cut_off_the_command_line, wish_cases), TEST(any_of_three_is_wanted),
      LOOP(options_are_read, parse_cases), TEST(a_file_is_opened_or_its_fault_is_named),
      LOOP(a_run_is_said, print_cases), TEST(each_kind_of_fault_has_a_name),
      TEST(an_identity_has_a_title), TEST(places_are_found_by_range),
      TEST(faults_are_told_apart_by_all_that_they_say), GROUP(images),
      LOOP(an_image_is_known_again, identity_cases),
      TEST(files_of_a_run_are_those_that_have_a_path))
