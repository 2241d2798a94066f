/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score.c - stacks by addresses, held against a truth made here: classes, reasons, findings
 *
 * The images are not there, so that every address is a function of its own. A stack is written
 * "0:31 0:21 1:11": image and address, the leaf first.
 */
#include "tests/suite.h"
#include "score_fixture.h"

#define FRAMES 16

static uint32_t parse_stack(const char *text, struct truth_frame *ret)
{
	uint32_t count = 0;
	char *end;

	for (; *text; text = end + (*end == ' ')) {
		ret[count].image = strtoul(text, &end, 10);
		ck_assert_int_eq(*end, ':');
		ret[count++].address = strtoull(end + 1, &end, 16);
	}
	return count;
}

static void add_stack(struct truth_bytes *truth, const char *text, struct truth_stack stack)
{
	struct truth_frame frame[FRAMES];

	truth_stack(truth, &stack, frame, parse_stack(text, frame));
}

/*
 *	_start 0:10 - main 0:20 - a 0:30 - b 1:40, 1:44
 *			        \ 0:24 - b 1:40, 1:48
 *	clone 1:90 - worker 0:60 - b 1:40
 *	open:  ? - 0:70 - 0:74
 *	doubted leaf 1:80, from main; and in another way from worker
 *	in the kernel 1:a0, from main
 *	a handler: 0:c0 - 1:b0 (interrupted main at 0:22)
 */
static void common_truth(struct truth_bytes *truth)
{
	truth_text(truth, "program", "/bin/prog");
	truth_number(truth, "points", 12);
	truth_image(truth, TRUTH_IMAGE_FILE, "/nonexistent/prog", "\x5c\x9a", 2);
	truth_image(truth, TRUTH_IMAGE_FILE, "/nonexistent/lib.so", "", 0);
	truth_image(truth, TRUTH_IMAGE_ANONYMOUS, "", "", 0);
	add_stack(truth, "0:10", (struct truth_stack) { .points = 1 });
	add_stack(truth, "0:20 0:10", (struct truth_stack) { .points = 1 });
	add_stack(truth, "1:40 0:30 0:20 0:10", (struct truth_stack) { .points = 1 });
	add_stack(truth, "1:44 0:30 0:20 0:10", (struct truth_stack) { .points = 1 });
	add_stack(truth, "1:40 0:24 0:10", (struct truth_stack) { .points = 1 });
	add_stack(truth, "1:48 0:24 0:10", (struct truth_stack) { .points = 2 });
	add_stack(truth, "1:40 0:60 1:90", (struct truth_stack) { .points = 1 });
	add_stack(truth, "0:74 0:70", (struct truth_stack) { .points = 1, .open = true });
	add_stack(truth, "1:80 0:20 0:10", (struct truth_stack) { .unproven = 1 });
	add_stack(truth, "1:80 0:60 1:90", (struct truth_stack) { .points = 1 });
	add_stack(truth, "1:a0 0:20 0:10", (struct truth_stack) { .in_kernel = 1 });
	add_stack(truth, "0:c0 1:b0 0:22 0:10",
		  (struct truth_stack) { .points = 1, .interrupts = 1 });
	add_stack(truth, "2:7f00 0:20 0:10", (struct truth_stack) { .points = 1 });
}

/* ---- one stack ------------------------------------------------------------------------------- */

static const struct test_case {
	const char *name;
	const char *stack;
	const char *expected; /* class, reason, frames that agree */
} cases[] = {
	{ "a_whole_stack", "1:40 0:30 0:20 0:10", "exact none 4" },
	{ "the_outermost_frame_alone", "0:10", "exact none 1" },
	{ "callers_one_byte_before", "1:40 0:2f 0:1f 0:f", "exact none 4" },
	{ "a_caller_of_each_kind", "1:40 0:30 0:1f 0:10", "exact none 4" },
	{ "the_leaf_one_byte_before", "1:3f 0:30 0:20 0:10", "impossible leaf 0" },
	{ "a_caller_one_byte_behind", "1:40 0:31 0:20 0:10", "impossible caller 1" },
	{ "another_thread", "1:40 0:60 1:90", "exact none 3" },
	{ "another_threads_callers", "1:44 0:60 1:90", "impossible caller 1" },
	{ "another_threads_outermost", "1:40 0:30 0:20 1:90", "impossible caller 3" },
	{ "cut_short", "1:40 0:30 0:20", "truncated none 3" },
	{ "only_the_leaf", "1:44", "truncated none 1" },
	{ "a_frame_left_out", "1:44 0:20 0:10", "impossible caller 1" },
	{ "two_frames_swapped", "1:40 0:20 0:30 0:10", "impossible caller 1" },
	{ "a_frame_put_in", "1:40 0:30 0:60 0:20 0:10", "impossible caller 2" },
	{ "beyond_the_outermost", "1:40 0:30 0:20 0:10 0:10", "impossible beyond 4" },
	{ "never_there", "0:99 0:10", "impossible leaf 0" },
	{ "a_caller_that_is_no_leaf", "1:90", "impossible leaf 0" },
	{ "in_the_kernel", "1:a0 0:20 0:10", "exact none 3" },
	{ "open_as_far_as_known", "0:74 0:70", "unproven open 2" },
	{ "open_and_more", "0:74 0:70 0:10", "unproven open 2" },
	{ "open_cut_short", "0:74", "unproven open 1" },
	{ "open_and_wrong_before", "0:74 0:20 0:10", "impossible caller 1" },
	{ "in_doubt", "1:80 0:20 0:10", "unproven doubt 3" },
	{ "in_doubt_elsewhere", "1:80 0:60 1:90", "exact none 3" },
	{ "in_doubt_and_wrong", "1:80 0:24 0:10", "unproven doubt 1" },
	{ "a_handler", "0:c0 1:b0 0:22 0:10", "exact none 4" },
	{ "code_without_a_file", "2:7f00 0:20 0:10", "unproven names 3" },
	{ "any_leaf_may_be_the_doubted_one", "2:7f00 0:30 0:10", "unproven doubt 2" },
};

/* The stack as NDJSON of ours. */
static size_t stack_json(const char *stack, const char *more, char *text, size_t size)
{
	static const char *const paths[] = { "/nonexistent/prog", "/nonexistent/lib.so" };
	struct truth_frame frame[FRAMES];
	uint32_t count = parse_stack(stack, frame);
	size_t at = 0;

	for (size_t i = 0; i < 2; i++)
		at += snprintf(text + at, size - at,
			       "{\"type\":\"profile_image\",\"image\":%zu,\"path\":\"%s\"}\n",
			       i + 1, paths[i]);
	at += snprintf(text + at, size - at,
		       "{\"type\":\"profile_stack\",\"count\":1%s,\"frames\":[", more);
	for (uint32_t i = 0; i < count; i++) {
		at += snprintf(text + at, size - at, i ? ",{" : "{");
		if (frame[i].image < 2)
			at += snprintf(text + at, size - at, "\"image\":%u,\"v",
				       frame[i].image + 1);
		else
			at += snprintf(text + at, size - at, "\"");
		at += snprintf(text + at, size - at, "%s\":\"0x%llx\"}",
			       frame[i].image < 2 ? "addr" : "address",
			       (unsigned long long)frame[i].address);
	}
	return at + snprintf(text + at, size - at, "]}\n");
}

static void check_stack(struct score_truth *truth, const char *name, const char *stack,
			const char *more, const char *expected)
{
	struct score score;
	char text[4096], got[128];
	size_t size = stack_json(stack, more, text, sizeof(text));
	uint32_t agree = 0;

	score_bytes(&score, truth, text, size);
	ck_assert_uint_eq(score.samples, 1);
	agree = score.findings ? score.finding[0].agree : UINT32_MAX;
	snprintf(got, sizeof(got), "%s %s", score_class_name(class_of(&score)),
		 score_reason_name(reason_of(&score)));
	ck_assert_msg(!strncmp(got, expected, strlen(got)) && expected[strlen(got)] == ' ',
		      "%s: %s, not %s", name, got, expected);
	if (agree != UINT32_MAX)
		ck_assert_msg(agree == strtoul(strrchr(expected, ' '), NULL, 10), "%s: %u agree",
			      name, agree);
	ck_assert_uint_eq(score.findings, class_of(&score) == SCORE_IMPOSSIBLE);
	score_deinit(&score);
}

START_TEST(a_stack)
{
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;

	common_truth(&bytes);
	open_truth(&bytes, &truth);
	check_stack(&truth, cases[_i].name, cases[_i].stack, "", cases[_i].expected);
	score_truth_close(&truth);
}
END_TEST

/* ---- truths that do not know everything -------------------------------------------------------- */

static const struct gap_case {
	const char *name, *text, *value;
	uint64_t number;
	const char *gap;
} gaps[] = {
	{ "partial", "partial", "timeout", 0, "timeout" },
	{ "from_a_symbol", "from", "main", 0, "from" },
	{ "every_second_instruction", "every", NULL, 2, "every" },
	{ "every_instruction", "every", NULL, 1, NULL },
	{ "ended_by_a_signal", "wait_status", NULL, 15, "signal" },
	{ "ended_by_a_signal_with_a_core", "wait_status", NULL, 0x8b, "signal" },
	{ "an_exit_status", "wait_status", NULL, 0x100, NULL },
};

START_TEST(a_gap_accuses_nobody)
{
	const struct gap_case *test = &gaps[_i];
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;

	if (test->value)
		truth_text(&bytes, test->text, test->value);
	else
		truth_number(&bytes, test->text, test->number);
	common_truth(&bytes);
	open_truth(&bytes, &truth);
	ck_assert_pstr_eq(truth_file_gap(truth.file), test->gap);
	check_stack(&truth, test->name, "1:44 0:20 0:10", "",
		    test->gap ? "unproven gap 0" : "impossible caller 1");
	check_stack(&truth, test->name, "0:99", "",
		    test->gap ? "unproven gap 0" : "impossible leaf 0");
	check_stack(&truth, test->name, "1:40 0:30 0:20 0:10", "", "exact none 4");
	score_truth_close(&truth);
}
END_TEST

/* ---- what is not compared ---------------------------------------------------------------------- */

static const struct more_case {
	const char *name, *stack, *more;
	uint64_t children;
	const char *expected;
} mores[] = {
	{ "the_programs_command", "1:40 0:30 0:20 0:10", ",\"comm\":\"prog\"", 0, "exact none 4" },
	{ "another_command", "1:44 1:44", ",\"comm\":\"other\"", 0, "unproven process 0" },
	{ "another_commands_possible_stack", "1:44", ",\"comm\":\"other\"", 0,
	  "unproven process 0" },
	{ "the_programs_image_tells", "1:40 0:30", ",\"comm\":\"other\"", 0, "truncated none 2" },
	{ "a_thread_that_renamed_itself", "1:44 0:20 0:10", ",\"comm\":\"other\"", 0,
	  "impossible caller 1" },
	{ "a_name_that_the_truth_saw", "1:44 1:44", ",\"comm\":\"worker\"", 0,
	  "impossible caller 1" },
	{ "a_name_that_was_said", "1:44 1:44", ",\"comm\":\"said\"", 0, "impossible caller 1" },
	{ "no_frames", "", "", 0, "not_compared empty 0" },
	{ "no_frames_of_another", "", ",\"comm\":\"other\"", 0, "not_compared other_process 0" },
	{ "the_first_process", "1:44 0:20 0:10", ",\"pid\":5", 1, "impossible caller 1" },
	{ "no_process_and_children", "1:44 0:20 0:10", "", 1, "unproven process 0" },
	{ "no_process_children_and_the_programs_name", "1:44 0:20 0:10", ",\"comm\":\"prog\"", 1,
	  "unproven process 0" },
	{ "no_process_and_a_possible_stack", "1:40 0:30 0:20 0:10", "", 1, "exact none 4" },
};

START_TEST(what_is_compared)
{
	const struct more_case *test = &mores[_i];
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct error error;

	truth_number(&bytes, "children", test->children);
	truth_text(&bytes, "thread_name", "worker");
	common_truth(&bytes);
	open_truth(&bytes, &truth);
	ck_assert_int_eq(score_truth_add_name(&truth, "said", &error), 0);
	check_stack(&truth, test->name, test->stack, test->more, test->expected);
	score_truth_close(&truth);
}
END_TEST

/* A name that no image has may be another name of what is there. */
static const struct named_case {
	const char *name, *frames;
	enum score_class class;
} named[] = {
	{ "known_frames_alone", "{\"image\":2,\"vaddr\":\"0x44\"},{\"image\":1,\"vaddr\":\"0x20\"}",
	  SCORE_IMPOSSIBLE },
	{ "an_unknown_name_behind_them",
	  "{\"image\":2,\"vaddr\":\"0x44\"},{\"image\":1,\"vaddr\":\"0x20\"},{\"name\":\"nobody\"}",
	  SCORE_IMPOSSIBLE },
	{ "an_unknown_name_between_them",
	  "{\"image\":2,\"vaddr\":\"0x44\"},{\"name\":\"nobody\"},{\"image\":1,\"vaddr\":\"0x20\"}",
	  SCORE_UNPROVEN },
};

START_TEST(an_unknown_name_accuses_nobody)
{
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;
	char text[1024];
	int size = snprintf(
		text, sizeof(text),
		"{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/prog\"}\n"
		"{\"type\":\"profile_image\",\"image\":2,\"path\":\"/nonexistent/lib.so\"}\n"
		"{\"type\":\"profile_stack\",\"count\":1,\"frames\":[%s]}\n",
		named[_i].frames);

	common_truth(&bytes);
	open_truth(&bytes, &truth);
	score_bytes(&score, &truth, text, size);
	ck_assert_str_eq(score_class_name(class_of(&score)), score_class_name(named[_i].class));
	ck_assert_str_eq(score_reason_name(reason_of(&score)),
			 named[_i].class == SCORE_UNPROVEN ? "names" : "caller");
	ck_assert_uint_eq(score.findings, named[_i].class == SCORE_IMPOSSIBLE);
	score_deinit(&score);
	score_truth_close(&truth);
}
END_TEST

/* A profile's image is the truth's by its path, or by the last part of it if that is one's alone; what was
 * deleted meanwhile is the same. */
static const struct {
	const char *path, *vaddr;
	enum score_class class;
} image_paths[] = {
	{ "/a/lib.so", "0x40", SCORE_EXACT },
	{ "/b/lib.so", "0x50", SCORE_EXACT },
	{ "/a/lib.s", "0x40", SCORE_IMPOSSIBLE },
	{ "/a/lib.so.1", "0x40", SCORE_IMPOSSIBLE },
	{ "/b/lib.so", "0x40", SCORE_IMPOSSIBLE },
	{ "/a/lib.so (deleted)", "0x40", SCORE_EXACT },
	{ "/b/lib.so (deleted)", "0x40", SCORE_IMPOSSIBLE },
	{ "/c/gone.so", "0x60", SCORE_EXACT },
	{ "/c/gone.so (deleted)", "0x60", SCORE_EXACT },
	{ "/elsewhere/gone.so", "0x60", SCORE_EXACT },
	{ "/elsewhere/gone.so", "0x40", SCORE_IMPOSSIBLE },
	{ "/elsewhere/lib.so", "0x40", SCORE_UNPROVEN },
	{ "/elsewhere/lib.so", "0x50", SCORE_UNPROVEN },
};

START_TEST(images_are_known_by_their_paths)
{
	static const char *const path[] = { "/nonexistent/prog", "/a/lib.so", "/b/lib.so",
					    "/c/gone.so (deleted)" };
	static const char *const stack[] = { "1:40 0:10", "2:50 0:10", "3:60 0:10" };
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;
	char text[512];
	int size =
		snprintf(text, sizeof(text),
			 "{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/prog\"}\n"
			 "{\"type\":\"profile_image\",\"image\":2,\"path\":\"%s\"}\n"
			 "{\"type\":\"profile_stack\",\"count\":1,\"frames\":[{\"image\":2,"
			 "\"vaddr\":\"%s\"},"
			 "{\"image\":1,\"vaddr\":\"0x10\"}]}\n",
			 image_paths[_i].path, image_paths[_i].vaddr);

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		truth_image(&bytes, TRUTH_IMAGE_FILE, path[i], "", 0);
	for (size_t i = 0; i < sizeof(stack) / sizeof(stack[0]); i++)
		add_stack(&bytes, stack[i], (struct truth_stack) { .points = 1 });
	open_truth(&bytes, &truth);
	score_bytes(&score, &truth, text, (size_t)size);
	ck_assert_msg(class_of(&score) == (int)image_paths[_i].class, "%s %s: %s",
		      image_paths[_i].path, image_paths[_i].vaddr,
		      score_class_name(class_of(&score)));
	score_deinit(&score);
	score_truth_close(&truth);
}
END_TEST

/* What is proven, right or wrong, is not thin unless more is not. */
static const struct {
	uint64_t class[SCORE_CLASS_COUNT];
	bool thin;
} thins[] = {
	{ { [SCORE_EXACT] = 1, [SCORE_UNPROVEN] = 1 }, false },
	{ { [SCORE_EXACT] = 1, [SCORE_UNPROVEN] = 2 }, true },
	{ { [SCORE_TRUNCATED] = 1, [SCORE_UNPROVEN] = 1 }, false },
	{ { [SCORE_IMPOSSIBLE] = 1, [SCORE_UNPROVEN] = 1 }, false },
	{ { [SCORE_EXACT] = 1,
	    [SCORE_TRUNCATED] = 1,
	    [SCORE_IMPOSSIBLE] = 1,
	    [SCORE_UNPROVEN] = 4 },
	  true },
	{ { [SCORE_SKIPPED] = 9, [SCORE_UNPROVEN] = 1 }, true },
	{ { [SCORE_SKIPPED] = 9 }, false },
};

START_TEST(more_unproven_than_proven_is_thin)
{
	struct score score = { .truth = NULL };

	memcpy(score.all.class, thins[_i].class, sizeof(thins[_i].class));
	ck_assert_int_eq(score_is_thin(&score), thins[_i].thin);
}
END_TEST

/* So many findings are kept; of the others their samples are counted, and those of the kept ones still go
 * to theirs. */
START_TEST(findings_beyond_the_limit_are_counted)
{
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;
	const struct score_shown shown = { "profile", "truth", 1, 1, NULL };
	char *text = NULL, *said[2];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fputs("{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/none.so\"}\n"
	      "{\"type\":\"profile_image\",\"image\":2,\"path\":\"/elsewhere/none.so\"}\n",
	      file);
	for (unsigned int i = 0; i <= SCORE_FINDINGS_MAX + 2; i++)
		fprintf(file,
			"{\"type\":\"profile_stack\",\"count\":%u,\"frames\":[{\"image\":1,"
			"\"vaddr\":\"0x%x\"}]}\n",
			i ? 2 : 5, 0x1000 + i % (SCORE_FINDINGS_MAX + 2));
	/* Another frame that is called as the second is. */
	fputs("{\"type\":\"profile_stack\",\"count\":7,\"frames\":[{\"image\":2,\"vaddr\":"
	      "\"0x1001\"}]}\n",
	      file);
	fclose(file);
	common_truth(&bytes);
	open_truth(&bytes, &truth);
	score_bytes(&score, &truth, text, size);
	ck_assert_uint_eq(score.findings, SCORE_FINDINGS_MAX);
	ck_assert_uint_eq(score.finding[0].count, 5 + 2);
	ck_assert_uint_eq(score.finding[1].count, 2 + 7);
	ck_assert_uint_eq(score.findings_not_kept, 2 * 2);
	for (int json = 0; json < 2; json++) {
		file = open_memstream(&said[json], &size);
		if (json)
			score_print_json(file, &score, &shown);
		else
			score_print_text(file, &score, &shown);
		fclose(file);
	}
	ck_assert_ptr_nonnull(strstr(said[0], "and 4 impossible samples of further findings\n"));
	ck_assert_ptr_nonnull(strstr(said[1], "\"findings\":1000,\"findings_not_kept\":4,"));
	free(said[0]);
	free(said[1]);
	score_deinit(&score);
	score_truth_close(&truth);
	free(text);
}
END_TEST

static void add_line(char *text, size_t size, const char *line)
{
	ck_assert_uint_lt(strlen(text) + strlen(line), size);
	strcat(text, line);
}

/* All of a profile as text. */
static char *score_all(struct score_truth *truth, const char *input, bool json)
{
	const struct score_shown shown = { "profile", "truth", json ? 1000 : 10, 10, NULL };
	struct score score;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	score_bytes(&score, truth, input, strlen(input));
	if (json)
		score_print_json(file, &score, &shown);
	else
		score_print_text(file, &score, &shown);
	fclose(file);
	score_deinit(&score);
	return text;
}

static void check_all(const char *input, bool json, const char *expected)
{
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	char *text;

	truth_number(&bytes, "children", 1);
	common_truth(&bytes);
	open_truth(&bytes, &truth);
	text = score_all(&truth, input, json);
	ck_assert_msg(!strcmp(text, expected), "expected\n%s\nis\n%s", expected, text);
	free(text);
	score_truth_close(&truth);
}

#define IMAGES                                                                                     \
	"{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/prog\","                  \
	"\"build_id\":\"5c9a\"}\n"                                                                 \
	"{\"type\":\"profile_image\",\"image\":2,\"path\":\"/elsewhere/lib.so\"}\n"                \
	"{\"type\":\"profile_image\",\"image\":3,\"path\":\"/nonexistent/prog\","                  \
	"\"build_id\":\"5c9b\"}\n"                                                                 \
	"{\"type\":\"profile_image\",\"image\":4,\"path\":\"/nonexistent/other.so\"}\n"
#define STACK(count, pid, frames)                                                                  \
	"{\"type\":\"profile_stack\",\"count\":" count ",\"pid\":" pid ",\"frames\":[" frames "]}" \
	"\n"
#define FRAME(image, vaddr) "{\"image\":" image ",\"vaddr\":\"" vaddr "\"}"

/* Of each class some. */
static const char input[] = IMAGES STACK(
	"5", "1",
	FRAME("2", "0x40") "," FRAME("1", "0x30") "," FRAME("1", "0x20") "," FRAME(
		"1", "0x10")) STACK("3", "1", FRAME("2", "0x40") "," FRAME("1", "0x30"))
	STACK("2", "1", FRAME("2", "0x44") "," FRAME("1", "0x20") "," FRAME("1", "0x10")) STACK(
		"4", "1", FRAME("2", "0x44") "," FRAME("1", "0x20") "," FRAME("1", "0x10"))
		STACK("1", "1",
		      FRAME("2", "0x40") "," FRAME("1", "0x30") "," FRAME("1", "0x60") "," FRAME(
			      "1", "0x20")) STACK("1", "1", FRAME("4", "0x40"))
			STACK("1", "1", FRAME("1", "0x74") "," FRAME("1", "0x70")) STACK(
				"7", "2", FRAME("2", "0x44") "," FRAME("1", "0x20"))
				STACK("1", "1", FRAME("2", "0x40") "," FRAME("3", "0x30")) STACK(
					"1", "1", "{\"kernel\":true}")
					STACK("1", "1",
					      "{\"kernel\":true}," FRAME(
						      "1",
						      "0x20") ",{\"inlined\":true}," FRAME("1",
											   "0x10"))
						STACK("0", "1", "") "{\n";

START_TEST(as_text)
{
	check_all(
		input, false,
		"profile: stacks\n"
		"   samples               exact           truncated          impossible            "
		"unproven        not compared\n"
		"        27          6  22.22 %          3  11.11 %          8  29.63 %          1 "
		"  "
		"3.70 %          9  33.33 %\n"
		"  impossible: 1 the program never stood in that function, 7 it never had that "
		"caller there\n"
		"  unproven: 1 the truth is known only so far\n"
		"  not compared: 1 only frames of the kernel, 7 of another process, 1 an image of "
		"another build\n"
		"  not read: 1 with a first line that can't be read\n"
		"  not read: 1 with a count that is none\n"
		"  not read: the first at line 16: a stack without a count, or without frames\n"
		"impossible  truncated   unproven      exact  in which image\n"
		"         6          0          0          5  lib.so\n"
		"         1          3          1          1  prog\n"
		"         1          0          0          0  none: no frame agrees\n"
		"impossible  truncated   unproven      exact  where the walk ended or went wrong\n"
		"         6          0          0          0  0x44 (lib.so)\n"
		"         1          3          0          0  0x30 (prog)\n"
		"         1          0          0          0  where the program never stood\n"
		"         0          0          1          0  0x70 (prog)\n"
		"impossible x 6: it never had that caller there (frame 1; the first at line 7)\n"
		"         0  0x44 (lib.so)\n"
		"    ->   1  0x20 (prog)\n"
		"         2  0x10 (prog)\n"
		"    the truth has there: 0x30 (prog)\n"
		"    with 0x30 (prog) between them it would agree: a frame was left out\n"
		"impossible x 1: it never had that caller there (frame 2; the first at line 9)\n"
		"         0  0x40 (lib.so)\n"
		"         1  0x30 (prog)\n"
		"    ->   2  0x60 (prog)\n"
		"         3  0x20 (prog)\n"
		"    the truth has there: 0x20 (prog)\n"
		"    without that frame it would agree\n"
		"impossible x 1: the program never stood in that function (frame 0; the first at "
		"line 10)\n"
		"    ->   0  0x40 (other.so)\n");
}
END_TEST

START_TEST(as_json)
{
	check_all(
		input, true,
		"{\"type\":\"score_finding\",\"profile\":\"profile\",\"reason\":\"caller\","
		"\"count\":6,\"at\":7,\"function\":\"0x44\",\"image\":\"/nonexistent/lib.so\","
		"\"agree\":1,\"frames\":[{\"place\":\"0x44 (lib.so)\","
		"\"image\":\"/nonexistent/lib.so\",\"vaddr\":\"0x44\",\"address\":\"0x44\"},"
		"{\"place\":\"0x20 (prog)\",\"image\":\"/nonexistent/prog\",\"vaddr\":\"0x20\","
		"\"address\":\"0x20\"},{\"place\":\"0x10 (prog)\",\"image\":\"/nonexistent/prog\","
		"\"vaddr\":\"0x10\",\"address\":\"0x10\"}],\"truth_callers\":[{\"function\":"
		"\"0x30\","
		"\"image\":\"/nonexistent/prog\"}],\"repair\":\"left_out\",\"left_out\":\"0x30\","
		"\"left_out_image\":\"/nonexistent/prog\"}\n"
		"{\"type\":\"score_finding\",\"profile\":\"profile\",\"reason\":\"caller\","
		"\"count\":1,\"at\":9,\"function\":\"0x30\",\"image\":\"/nonexistent/prog\","
		"\"agree\":2,\"frames\":[{\"place\":\"0x40 (lib.so)\","
		"\"image\":\"/nonexistent/lib.so\",\"vaddr\":\"0x40\",\"address\":\"0x40\"},"
		"{\"place\":\"0x30 (prog)\",\"image\":\"/nonexistent/prog\",\"vaddr\":\"0x30\","
		"\"address\":\"0x30\"},{\"place\":\"0x60 (prog)\",\"image\":\"/nonexistent/prog\","
		"\"vaddr\":\"0x60\",\"address\":\"0x60\"},{\"place\":\"0x20 (prog)\","
		"\"image\":\"/nonexistent/prog\",\"vaddr\":\"0x20\",\"address\":\"0x20\"}],"
		"\"truth_callers\":[{\"function\":\"0x20\",\"image\":\"/nonexistent/prog\"}],"
		"\"repair\":\"put_in\"}\n"
		"{\"type\":\"score_finding\",\"profile\":\"profile\",\"reason\":\"leaf\",\"count\":"
		"1,"
		"\"at\":10,\"agree\":0,\"frames\":[{\"place\":\"0x40 (other.so)\","
		"\"image\":\"/nonexistent/other.so\",\"address\":\"0x40\"}],\"truth_callers\":[],"
		"\"repair\":\"none\"}\n"
		"{\"type\":\"score\",\"profile\":\"profile\",\"format\":\"stacks\","
		"\"truth\":\"truth\",\"program\":\"/bin/"
		"prog\",\"truth_points\":12,\"truth_unproven\":0,\"samples\":27,\"exact\":6,"
		"\"truncated\":3,\"impossible\":8,\"unproven\":1,\"not_compared\":9,"
		"\"thin\":false,\"impossible_by\":{\"leaf\":1,\"caller\":7},\"unproven_by\":{"
		"\"open\":1},"
		"\"not_compared_by\":{\"kernel_only\":1,\"other_process\":7,\"other_build\":1},"
		"\"unread_by\":{\"bad_head\":1,\"bad_count\":1},\"unread_first_at\":16,"
		"\"unread_first\":\"a stack without a count, or without frames\",\"findings\":3,"
		"\"findings_not_kept\":0,\"images\":[{\"image\":\"/nonexistent/prog\",\"exact\":1,"
		"\"truncated\":3,\"impossible\":1,\"unproven\":1,\"not_compared\":0},"
		"{\"image\":\"/nonexistent/lib.so\",\"exact\":5,\"truncated\":0,\"impossible\":6,"
		"\"unproven\":0,\"not_compared\":0},{\"exact\":0,\"truncated\":0,\"impossible\":1,"
		"\"unproven\":0,\"not_compared\":0}],\"functions\":[{\"function\":\"0x44\","
		"\"image\":\"/nonexistent/lib.so\",\"exact\":0,\"truncated\":0,\"impossible\":6,"
		"\"unproven\":0,\"not_compared\":0},{\"function\":\"0x30\","
		"\"image\":\"/nonexistent/prog\",\"exact\":0,\"truncated\":3,\"impossible\":1,"
		"\"unproven\":0,\"not_compared\":0},{\"exact\":0,\"truncated\":0,\"impossible\":1,"
		"\"unproven\":0,\"not_compared\":0},{\"function\":\"0x70\","
		"\"image\":\"/nonexistent/prog\",\"exact\":0,\"truncated\":0,\"impossible\":0,"
		"\"unproven\":1,\"not_compared\":0}]}\n");
}
END_TEST

/* A long stack is shown around where it parts. */
START_TEST(long_stack)
{
	struct truth_bytes bytes = { 0 };
	struct truth_frame frame[12];
	struct score_truth truth;
	char profile[4096] = IMAGES "{\"type\":\"profile_stack\",\"count\":1,\"frames\":[", *all;
	char one[64];

	for (uint32_t i = 0; i < 12; i++) {
		frame[i] = (struct truth_frame) { 0, 0x100 + i };
		snprintf(one, sizeof(one), "%s{\"image\":1,\"vaddr\":\"0x%x\"}", i ? "," : "",
			 i < 7 ? 0x100 + i : 0x200 + i);
		add_line(profile, sizeof(profile), one);
	}
	add_line(profile, sizeof(profile), "]}\n");
	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/prog", "", 0);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 }, frame, 12);
	open_truth(&bytes, &truth);
	all = score_all(&truth, profile, false);
	ck_assert_str_eq(
		strstr(all, "impossible x"),
		"impossible x 1: it never had that caller there (frame 7; the first at line "
		"5)\n"
		"         0  0x100 (prog)\n"
		"         1  0x101 (prog)\n"
		"        ... 3 more that agree\n"
		"         5  0x105 (prog)\n"
		"         6  0x106 (prog)\n"
		"    ->   7  0x207 (prog)\n"
		"         8  0x208 (prog)\n"
		"         9  0x209 (prog)\n"
		"        10  0x20a (prog)\n"
		"        ... 1 more\n"
		"    the truth has there: 0x107 (prog)\n");
	free(all);
	score_truth_close(&truth);
}
END_TEST

static const struct {
	int callers;
	const char *said;
} truths_callers[] = {
	{ 1, "0x30 (prog)\n" },
	{ 2, "0x30 (prog), 0x40 (prog)\n" },
	{ 3, "0x30 (prog), 0x40 (prog), 0x50 (prog), ...\n" },
	{ 4, "0x30 (prog), 0x40 (prog), 0x50 (prog), ...\n" },
};

START_TEST(the_first_of_many_callers)
{
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	char stack[32], profile[4096], *all, *said;

	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/prog", "", 0);
	for (int i = 0; i < truths_callers[_i].callers; i++) {
		snprintf(stack, sizeof(stack), "0:20 0:%x 0:10", 0x30 + i * 0x10);
		add_stack(&bytes, stack, (struct truth_stack) { .points = 1 });
	}
	open_truth(&bytes, &truth);
	stack_json("0:20 0:80 0:10", "", profile, sizeof(profile));
	all = score_all(&truth, profile, false);
	said = strstr(all, "the truth has there: ");
	ck_assert_ptr_nonnull(said);
	ck_assert_str_eq(said + strlen("the truth has there: "), truths_callers[_i].said);
	free(all);
	score_truth_close(&truth);
}
END_TEST

SUITE(score, LOOP(a_stack, cases), LOOP(a_gap_accuses_nobody, gaps), LOOP(what_is_compared, mores),
      LOOP(an_unknown_name_accuses_nobody, named), TEST(as_text), TEST(as_json), TEST(long_stack),
      LOOP(the_first_of_many_callers, truths_callers),
      LOOP(images_are_known_by_their_paths, image_paths),
      LOOP(more_unproven_than_proven_is_thin, thins), TEST(findings_beyond_the_limit_are_counted))
