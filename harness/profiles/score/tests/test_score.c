/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score.c - stacks by addresses, held against a truth made here: classes, reasons, findings
 *
 * The images are not there, so that every address is a function of its own.
 */
#include "tests/suite.h"
#include "score_fixture.h"

/*
 *	_start 0:10 - main 0:20 - a 0:30 - b 1:40, 1:44
 *			        \ 0:24 - b 1:40, 1:48
 *	clone 1:90 - worker 0:60 - b 1:40
 *	open:  ? - 0:70 - 0:74
 *	doubted leaf 1:80, from main; and in another way from worker
 *	in the kernel 1:a0, from main
 *	a handler: 0:c0 - 1:b0 (interrupted main at 0:22)
 */
static void open_common(const char *fields)
{
	truth_fields(fields);
	truth_text(&written, "program", "/bin/prog");
	truth_number(&written, "points", 12);
	truth_image(&written, TRUTH_IMAGE_FILE, "/nonexistent/prog", "\x5c\x9a", 2);
	truth_images("/nonexistent/lib.so");
	truth_image(&written, TRUTH_IMAGE_ANONYMOUS, "", "", 0);
	truth_stacks("0:10\n0:20 0:10\n1:40 0:30 0:20 0:10\n1:44 0:30 0:20 0:10\n1:40 0:24 0:10\n"
		     "p2 1:48 0:24 0:10\n1:40 0:60 1:90\no 0:74 0:70\nu 1:80 0:20 0:10\n"
		     "1:80 0:60 1:90\nk 1:a0 0:20 0:10\ni 0:c0 1:b0 0:22 0:10\n2:7f00 0:20 0:10");
	open_truth();
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

static void score_lines(const char *lines)
{
	static const char *const paths[] = { "/nonexistent/prog", "/nonexistent/lib.so" };
	char *text = profile_of(lines, paths, 2);

	score_text(text);
	free(text);
}

static void check_stack(const char *name, const char *stack, const char *expected)
{
	char got[128];
	size_t size;

	score_lines(stack);
	ck_assert_uint_eq(scored.samples, 1);
	size = snprintf(got, sizeof(got), "%s %s ", score_class_name(class_of(&scored)),
			score_reason_name(reason_of(&scored)));
	ck_assert_msg(!strncmp(got, expected, size), "%s: %s, not %s", name, got, expected);
	ck_assert_uint_eq(scored.findings, class_of(&scored) == SCORE_IMPOSSIBLE);
	if (scored.findings)
		ck_assert_msg(scored.finding[0].agree == strtoul(expected + size, NULL, 10),
			      "%s: %u agree", name, scored.finding[0].agree);
}

START_TEST(a_stack)
{
	open_common("");
	check_stack(cases[_i].name, cases[_i].stack, cases[_i].expected);
}
END_TEST

/* ---- truths that do not know everything -------------------------------------------------------- */

static const struct gap_case {
	const char *name, *fields, *gap;
} gaps[] = {
	{ "partial", "partial='timeout", "timeout" },
	{ "from_a_symbol", "from='main", "from" },
	{ "every_second_instruction", "every=2", "every" },
	{ "every_instruction", "every=1", NULL },
	{ "ended_by_a_signal", "wait_status=15", "signal" },
	{ "ended_by_a_signal_with_a_core", "wait_status=139", "signal" },
	{ "an_exit_status", "wait_status=256", NULL },
};

START_TEST(a_gap_accuses_nobody)
{
	const struct gap_case *test = &gaps[_i];

	open_common(test->fields);
	ck_assert_pstr_eq(truth_file_gap(truth.file), test->gap);
	check_stack(test->name, "1:44 0:20 0:10",
		    test->gap ? "unproven gap 0" : "impossible caller 1");
	check_stack(test->name, "0:99", test->gap ? "unproven gap 0" : "impossible leaf 0");
	check_stack(test->name, "1:40 0:30 0:20 0:10", "exact none 4");
}
END_TEST

/* ---- what is not compared ---------------------------------------------------------------------- */

static const struct more_case {
	const char *name, *fields, *stack, *expected;
} mores[] = {
	{ "the_programs_command", "", "~prog 1:40 0:30 0:20 0:10", "exact none 4" },
	{ "another_command", "", "~other 1:44 1:44", "unproven process 0" },
	{ "another_commands_possible_stack", "", "~other 1:44", "unproven process 0" },
	{ "the_programs_image_tells", "", "~other 1:40 0:30", "truncated none 2" },
	{ "a_thread_that_renamed_itself", "", "~other 1:44 0:20 0:10", "impossible caller 1" },
	{ "a_name_that_the_truth_saw", "", "~worker 1:44 1:44", "impossible caller 1" },
	{ "a_name_that_was_said", "", "~said 1:44 1:44", "impossible caller 1" },
	{ "no_frames", "", "*1", "not_compared empty 0" },
	{ "who_executes_the_program_in_a_guest", "emulated=1", "~stackproof 1:44",
	  "not_compared other_process 0" },
	{ "in_a_guest_no_other_name_is_that", "emulated=1", "~stackproo 1:44",
	  "unproven process 0" },
	{ "not_in_a_guest", "", "~stackproof 1:44", "unproven process 0" },
	{ "no_frames_of_another", "", "~other", "not_compared other_process 0" },
	{ "the_first_process", "children=1", "#5 1:44 0:20 0:10", "impossible caller 1" },
	{ "no_process_and_children", "children=1", "1:44 0:20 0:10", "unproven process 0" },
	{ "no_process_children_and_the_programs_name", "children=1", "~prog 1:44 0:20 0:10",
	  "unproven process 0" },
	{ "no_process_and_a_possible_stack", "children=1", "1:40 0:30 0:20 0:10", "exact none 4" },
};

START_TEST(what_is_compared)
{
	struct error error;

	truth_text(&written, "thread_name", "worker");
	open_common(mores[_i].fields);
	ck_assert_int_eq(score_truth_add_name(&truth, "said", &error), 0);
	check_stack(mores[_i].name, mores[_i].stack, mores[_i].expected);
}
END_TEST

/* A name that no image has may be another name of what is there. */
static const struct named_case {
	const char *name, *frames, *expected;
} named[] = {
	{ "known_frames_alone", "{'image':2,'vaddr':'0x44'},{'image':1,'vaddr':'0x20'}",
	  "caller 1" },
	{ "an_unknown_name_behind_them",
	  "{'image':2,'vaddr':'0x44'},{'image':1,'vaddr':'0x20'},{'name':'nobody'}", "caller 1" },
	{ "an_unknown_name_between_them",
	  "{'image':2,'vaddr':'0x44'},{'name':'nobody'},{'image':1,'vaddr':'0x20'}", "names 1" },
};

START_TEST(an_unknown_name_accuses_nobody)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{'type':'profile_image','image':1,'path':'/nonexistent/prog'}\n"
		 "{'type':'profile_image','image':2,'path':'/nonexistent/lib.so'}\n"
		 "{'type':'profile_stack','count':1,'frames':[%s]}\n",
		 named[_i].frames);
	open_common("");
	check_counts(named[_i].name, text, named[_i].expected);
	ck_assert_uint_eq(scored.findings, _i < 2);
}
END_TEST

/* A profile's image is the truth's by its path, or by the last part of it if that is one's alone; what was
 * deleted meanwhile is the same. */
static const struct {
	const char *path, *leaf, *expected;
} image_paths[] = {
	{ "/a/lib.so", "40", "exact 1" },
	{ "/b/lib.so", "50", "exact 1" },
	{ "/a/lib.s", "40", "leaf 1" },
	{ "/a/lib.so.1", "40", "leaf 1" },
	{ "/b/lib.so", "40", "leaf 1" },
	{ "/a/lib.so (deleted)", "40", "exact 1" },
	{ "/b/lib.so (deleted)", "40", "leaf 1" },
	{ "/c/gone.so", "60", "exact 1" },
	{ "/c/gone.so (deleted)", "60", "exact 1" },
	{ "/elsewhere/gone.so", "60", "exact 1" },
	{ "/elsewhere/gone.so", "40", "leaf 1" },
	{ "/elsewhere/lib.so", "40", "names 1" },
	{ "/elsewhere/lib.so", "50", "names 1" },
};

START_TEST(images_are_known_by_their_paths)
{
	const char *const paths[] = { "/nonexistent/prog", image_paths[_i].path };
	char stack[32], *profile;

	truth_images("/nonexistent/prog /a/lib.so /b/lib.so");
	truth_image(&written, TRUTH_IMAGE_FILE, "/c/gone.so (deleted)", "", 0);
	truth_stacks("1:40 0:10\n2:50 0:10\n3:60 0:10");
	open_truth();
	snprintf(stack, sizeof(stack), "1:%s 0:10", image_paths[_i].leaf);
	profile = profile_of(stack, paths, 2);
	check_counts(image_paths[_i].path, profile, image_paths[_i].expected);
	free(profile);
}
END_TEST

/* What is proven, right or wrong, is not thin unless more is not. */
static const struct {
	uint64_t class[SCORE_CLASS_COUNT]; /* exact, truncated, impossible, unproven, skipped */
	bool thin;
} thins[] = {
	{ { 1, 0, 0, 1 }, false },    { { 1, 0, 0, 2 }, true }, { { 0, 1, 0, 1 }, false },
	{ { 0, 0, 1, 1 }, false },    { { 1, 1, 1, 4 }, true }, { { 0, 0, 0, 1, 9 }, true },
	{ { 0, 0, 0, 0, 9 }, false },
};

START_TEST(more_unproven_than_proven_is_thin)
{
	struct error error;

	open_common("");
	ck_assert(!score_init(&scored, &truth, &error));
	memcpy(scored.all.class, thins[_i].class, sizeof(thins[_i].class));
	ck_assert_int_eq(score_is_thin(&scored), thins[_i].thin);
}
END_TEST

/* So many findings are kept; of the others their samples are counted, and those of the kept ones still go
 * to theirs. */
START_TEST(findings_beyond_the_limit_are_counted)
{
	static const char *const paths[] = { "/nonexistent/none.so", "/elsewhere/none.so" };
	char lines[32768] = "", *profile, *said[2];

	for (unsigned int i = 0; i <= SCORE_FINDINGS_MAX + 2; i++)
		sprintf(lines + strlen(lines), "*%u 0:%x\n", i ? 2 : 5,
			0x1000 + i % (SCORE_FINDINGS_MAX + 2));
	strcat(lines, "*7 1:1001"); /* another frame that is called as the second is */
	open_common("");
	profile = profile_of(lines, paths, 2);
	score_text(profile);
	free(profile);
	ck_assert_uint_eq(scored.findings, SCORE_FINDINGS_MAX);
	ck_assert_uint_eq(scored.finding[0].count, 5 + 2);
	ck_assert_uint_eq(scored.finding[1].count, 2 + 7);
	ck_assert_uint_eq(scored.findings_not_kept, 2 * 2);
	for (int json = 0; json < 2; json++)
		said[json] = score_told(json, 1, 1);
	ck_assert_ptr_nonnull(strstr(said[0], "and 4 impossible samples of further findings\n"));
	ck_assert_ptr_nonnull(strstr(said[1], "'findings':1000,'findings_not_kept':4,"));
	free(said[0]);
	free(said[1]);
}
END_TEST

/* All of a profile as text. */
static void check_all(const char *profile, bool json, const char *expected)
{
	char *text;

	open_common("children=1");
	score_text(profile);
	text = score_told(json, json ? 1000 : 10, 10);
	ck_assert_msg(!strcmp(text, expected), "expected\n%s\nis\n%s", expected, text);
	free(text);
}

#define STACK(count, pid, frames)                                                                  \
	"{'type':'profile_stack','count':" count ",'pid':" pid ",'frames':[" frames "]}\n"
#define P(vaddr) "{'image':1,'vaddr':'0x" vaddr "'}"
#define L(vaddr) "{'image':2,'vaddr':'0x" vaddr "'}"

/* Of each class some. */
static const char input[] =
	"{'type':'profile_image','image':1,'path':'/nonexistent/prog','build_id':'5c9a'}\n"
	"{'type':'profile_image','image':2,'path':'/elsewhere/lib.so'}\n"
	"{'type':'profile_image','image':3,'path':'/nonexistent/prog','build_id':'5c9b'}\n"
	"{'type':'profile_image','image':4,'path':'/nonexistent/other.so'}\n" /* clang-format off */
	STACK("5", "1", L("40") "," P("30") "," P("20") "," P("10"))
	STACK("3", "1", L("40") "," P("30"))
	STACK("2", "1", L("44") "," P("20") "," P("10"))
	STACK("4", "1", L("44") "," P("20") "," P("10"))
	STACK("1", "1", L("40") "," P("30") "," P("60") "," P("20"))
	STACK("1", "1", "{'image':4,'vaddr':'0x40'}")
	STACK("1", "1", P("74") "," P("70"))
	STACK("7", "2", L("44") "," P("20"))
	STACK("1", "1", L("40") ",{'image':3,'vaddr':'0x30'}")
	STACK("1", "1", "{'kernel':true}")
	STACK("1", "1", "{'kernel':true}," P("20") ",{'inlined':true}," P("10"))
	STACK("0", "1", "") "{\n"; /* clang-format on */

START_TEST(as_text)
{
	check_all(
		input, false,
		"truth truth: /bin/prog, 12 points, 13 stacks\n"
		"profile: stacks\n"
		"   samples               exact           truncated          impossible            "
		"unproven        not compared\n"
		"        27          6  22.22 %          3  11.11 %          8  29.63 %          1 "
		"  3.70 %          9  33.33 %\n"
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
		"{'type':'score_finding','profile':'profile','reason':'caller','count':6,'at':7,'"
		"function':'0x44','image':'/nonexistent/lib.so','agree':1,'frames':[{'place':'0x44 "
		"(lib.so)','image':'/nonexistent/"
		"lib.so','vaddr':'0x44','address':'0x44'},{'place':'0x20 "
		"(prog)','image':'/nonexistent/"
		"prog','vaddr':'0x20','address':'0x20'},{'place':'0x10 "
		"(prog)','image':'/nonexistent/"
		"prog','vaddr':'0x10','address':'0x10'}],'truth_callers':[{'function':'0x30','"
		"image':'/nonexistent/"
		"prog'}],'repair':'left_out','left_out':'0x30','left_out_image':'/nonexistent/"
		"prog'}\n"
		"{'type':'score_finding','profile':'profile','reason':'caller','count':1,'at':9,'"
		"function':'0x30','image':'/nonexistent/prog','agree':2,'frames':[{'place':'0x40 "
		"(lib.so)','image':'/nonexistent/"
		"lib.so','vaddr':'0x40','address':'0x40'},{'place':'0x30 "
		"(prog)','image':'/nonexistent/"
		"prog','vaddr':'0x30','address':'0x30'},{'place':'0x60 "
		"(prog)','image':'/nonexistent/"
		"prog','vaddr':'0x60','address':'0x60'},{'place':'0x20 "
		"(prog)','image':'/nonexistent/"
		"prog','vaddr':'0x20','address':'0x20'}],'truth_callers':[{'function':'0x20','"
		"image':'/nonexistent/prog'}],'repair':'put_in'}\n"
		"{'type':'score_finding','profile':'profile','reason':'leaf','count':1,'at':10,'"
		"agree':0,'frames':[{'place':'0x40 "
		"(other.so)','image':'/nonexistent/"
		"other.so','address':'0x40'}],'truth_callers':[],'repair':'none'}\n"
		"{'type':'score','profile':'profile','format':'stacks','truth':'truth','program':'/"
		"bin/"
		"prog','truth_points':12,'truth_unproven':0,'samples':27,"
		"'changed_images':0,'unproven_images':0,'newer_images':0,'same_build':true,"
		"'same_run':true,'exact':6,'truncated':3,'"
		"impossible':8,'unproven':1,'not_compared':9,'thin':false,'impossible_by':{'leaf':"
		"1,'caller':7},'unproven_by':{'open':1},'not_compared_by':{'kernel_only':1,'other_"
		"process':7,'other_build':1},'unread_by':{'bad_head':1,'bad_count':1},'unread_"
		"first_at':16,'unread_first':'a stack without a count, or without "
		"frames','names_said':0,'names_checked':0,'names_contradict':0,"
		"'names_contradict_samples':0,'findings':3,'findings_not_kept':0,'images':[{'image'"
		":'/nonexistent/"
		"prog','exact':1,'truncated':3,'impossible':1,'unproven':1,'not_compared':0},{'"
		"image':'/nonexistent/"
		"lib.so','exact':5,'truncated':0,'impossible':6,'unproven':0,'not_compared':0},{'"
		"exact':0,'truncated':0,'impossible':1,'unproven':0,'not_compared':0}],'functions':"
		"[{'function':'0x44','image':'/nonexistent/"
		"lib.so','exact':0,'truncated':0,'impossible':6,'unproven':0,'not_compared':0},{'"
		"function':'0x30','image':'/nonexistent/"
		"prog','exact':0,'truncated':3,'impossible':1,'unproven':0,'not_compared':0},{'"
		"exact':0,'truncated':0,'impossible':1,'unproven':0,'not_compared':0},{'function':'"
		"0x70','image':'/nonexistent/"
		"prog','exact':0,'truncated':0,'impossible':0,'unproven':1,'not_compared':0}]}\n");
}
END_TEST

/* A long stack is shown around where it parts. */
START_TEST(long_stack)
{
	char *all;

	truth_images("/nonexistent/prog");
	truth_stacks("0:100 0:101 0:102 0:103 0:104 0:105 0:106 0:107 0:108 0:109 0:10a 0:10b");
	open_truth();
	score_lines("0:100 0:101 0:102 0:103 0:104 0:105 0:106 0:207 0:208 0:209 0:20a 0:20b");
	all = score_told(false, 10, 10);
	ck_assert_str_eq(
		strstr(all, "impossible x"),
		"impossible x 1: it never had that caller there (frame 7; the first at line 3)\n"
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
	char stack[32], *all, *said;

	truth_images("/nonexistent/prog");
	for (int i = 0; i < truths_callers[_i].callers; i++) {
		snprintf(stack, sizeof(stack), "0:20 0:%x 0:10", 0x30 + i * 0x10);
		truth_stacks(stack);
	}
	open_truth();
	score_lines("0:20 0:80 0:10");
	all = score_told(false, 10, 10);
	said = strstr(all, "the truth has there: ");
	ck_assert_ptr_nonnull(said);
	ck_assert_str_eq(said + strlen("the truth has there: "), truths_callers[_i].said);
	free(all);
}
END_TEST

SUITE(score, FIXTURE(NULL, truth_end), LOOP(a_stack, cases), LOOP(a_gap_accuses_nobody, gaps),
      LOOP(what_is_compared, mores), LOOP(an_unknown_name_accuses_nobody, named), TEST(as_text),
      TEST(as_json), TEST(long_stack), LOOP(the_first_of_many_callers, truths_callers),
      LOOP(images_are_known_by_their_paths, image_paths),
      LOOP(more_unproven_than_proven_is_thin, thins), TEST(findings_beyond_the_limit_are_counted))
