/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_contexts_text.c - what is said of a truth file, letter by letter, for files that no run wrote
 */
#include <stdlib.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "truth/contexts/contexts.h"
#include "truth_bytes.h"

/* Whole stacks of up to three frames, one known only so far; in doubt: two alone, one beside proof. */
static void add_stacks(struct truth_bytes *truth)
{
	static const struct truth_frame frame[] = { { 0, 0x1010 }, { 0, 0x2010 }, { 0, 0x3010 } };

	truth_stack(truth, &(struct truth_stack) { .points = 5, .in_kernel = 1 }, frame, 3);
	truth_stack(truth, &(struct truth_stack) { .in_kernel = 2 }, &frame[1], 2);
	truth_stack(truth, &(struct truth_stack) { .points = 1, .unproven = 7, .open = true },
		    &frame[1], 1);
	truth_stack(truth, &(struct truth_stack) { .unproven = 2 }, frame, 1);
	truth_stack(truth, &(struct truth_stack) { .unproven = 1 }, frame, 2);
}

struct said {
	struct truth_file *truth;
	char *text;
	size_t size;
	FILE *file;
	int fd;
};

static void say_begin(struct said *said, struct truth_bytes *truth)
{
	struct error error;
	char path[64];

	said->fd = truth_write(truth, path);
	ck_assert_msg(!truth_file_open(path, &said->truth, &error), "%s", error.message);
	said->file = open_memstream(&said->text, &said->size);
}

static void say_end(struct said *said, const char *expected)
{
	ck_assert_int_eq(fclose(said->file), 0);
	ck_assert_msg(!strcmp(said->text, expected), "%s\nexpected:\n%s", said->text, expected);
	free(said->text);
	truth_file_close(said->truth);
	close(said->fd);
}

static void describe(struct truth_bytes *truth)
{
	static const uint8_t id[] = { 0x01, 0xfe, 0x5a };

	truth_text(truth, "argument", "/bin/a");
	truth_text(truth, "argument", "b\33c");
	truth_text(truth, "kernel", "6.1");
	truth_text(truth, "ending", "exited with status 3");
	truth_number(truth, "unproven", 10);
	truth_number(truth, "steps", 40);
	truth_number(truth, "threads", 2);
	truth_number(truth, "system_calls", 3);
	truth_number(truth, "elapsed_ns", 1250000000);
	truth_image(truth, TRUTH_IMAGE_FILE, "/bin/a", id, sizeof(id));
}

START_TEST(text_of_a_whole_one)
{
	struct truth_bytes truth = { 0 };
	struct said said;

	describe(&truth);
	add_stacks(&truth);
	say_begin(&said, &truth);
	contexts_print_text(said.file, "f", said.truth);
	say_end(&said, "f: /bin/a b?c on 6.1, 16 points of 40 steps, 2 threads, 1.2 s\n"
		       "the program exited with status 3\n"
		       "3 different stacks, 1 of them known only so far, up to 3 frames deep\n"
		       "3 system calls\n"
		       "unproven: 10 points; 2 stacks are in doubt only\n"
		       "9 nodes, 1 images\n"
		       "it has no digest (version 1): what is damaged in it may not show\n");
}
END_TEST

START_TEST(text_of_one_cut_short)
{
	struct truth_bytes truth = { 0 };
	struct said said;

	truth_text(&truth, "partial", "limit");
	truth_text(&truth, "gap", "limit");
	say_begin(&said, &truth);
	contexts_print_text(said.file, "f", said.truth);
	say_end(&said, "PARTIAL (limit): the run did not come to its end\n"
		       "not all of the program's stacks are in it (limit)\n"
		       "f: on a kernel that is not known, 0 points of 0 steps, 0 threads, 0.0 s\n"
		       "0 different stacks, 0 of them known only so far, up to 0 frames deep\n"
		       "0 system calls\n"
		       "unproven: 0 points; 0 stacks are in doubt only\n"
		       "2 nodes, 0 images\n"
		       "it has no digest (version 1): what is damaged in it may not show\n");
}
END_TEST

/* A stack that nobody has proven says nothing of how deep the program was. */
START_TEST(what_is_in_doubt_is_not_the_deepest)
{
	static const struct truth_frame frame[] = { { 0, 0x1010 }, { 0, 0x2010 }, { 0, 0x3010 } };
	struct truth_bytes truth = { 0 };
	struct said said;

	truth_image(&truth, TRUTH_IMAGE_FILE, "/bin/a", "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, &frame[1], 2);
	truth_stack(&truth, &(struct truth_stack) { .unproven = 1 }, frame, 3);
	say_begin(&said, &truth);
	contexts_print_json(said.file, "f", said.truth, NULL);
	say_end(&said,
		"{\"type\":\"image\",\"kind\":\"file\",\"path\":\"/bin/a\",\"build_id\":\"\"}\n"
		"{\"type\":\"truth\",\"file\":\"f\",\"whole\":true,\"digest\":false,\"gap\":null,"
		"\"stacks\":1,\"open_stacks\":0,\"doubted_stacks\":1,\"deepest\":2,\"nodes\":5,"
		"\"images\":1,\"argv\":[]}\n");
}
END_TEST

START_TEST(objects_of_a_whole_one)
{
	struct truth_bytes truth = { 0 };
	struct said said;

	describe(&truth);
	/* Does not hide what was counted. */
	truth_number(&truth, "stacks", 77);
	add_stacks(&truth);
	say_begin(&said, &truth);
	contexts_print_json(said.file, "f", said.truth, NULL);
	say_end(&said,
		"{\"type\":\"image\",\"kind\":\"file\",\"path\":\"/bin/"
		"a\",\"build_id\":\"01fe5a\"}\n"
		"{\"type\":\"truth\",\"file\":\"f\",\"whole\":true,\"digest\":false,\"gap\":null,"
		"\"stacks\":3,\"open_stacks\":1,\"doubted_stacks\":2,\"deepest\":3,\"nodes\":9,"
		"\"images\":1,\"kernel\":\"6.1\",\"ending\":\"exited with status 3\","
		"\"unproven\":10,\"steps\":40,\"threads\":2,\"system_calls\":3,"
		"\"elapsed_ns\":1250000000,\"argv\":[\"/bin/a\",\"b\\u001Bc\"]}\n");
}
END_TEST

START_TEST(objects_of_one_cut_short)
{
	struct truth_bytes truth = { 0 };
	struct said said;

	truth_text(&truth, "partial", "killed");
	truth_text(&truth, "gap", "killed");
	say_begin(&said, &truth);
	contexts_print_json(said.file, "f", said.truth, NULL);
	say_end(&said,
		"{\"type\":\"truth\",\"file\":\"f\",\"whole\":false,\"digest\":false,"
		"\"gap\":\"killed\",\"stacks\":0,\"open_stacks\":0,\"doubted_stacks\":0,"
		"\"deepest\":0,\"nodes\":2,\"images\":0,\"partial\":\"killed\",\"argv\":[]}\n");
}
END_TEST

/* A run that came to its end is whole, though not all of its stacks are in the file. */
START_TEST(a_whole_one_may_have_a_gap)
{
	static const char *const gaps[] = { "every", "from" };

	for (int i = 0; i < 2; i++) {
		struct truth_bytes truth = { 0 };
		struct said said;
		char wanted[128];

		if (i)
			truth_text(&truth, "from", "main");
		else
			truth_number(&truth, "every", 16);
		say_begin(&said, &truth);
		contexts_print_text(said.file, "f", said.truth);
		contexts_print_json(said.file, "f", said.truth, NULL);
		fflush(said.file);
		snprintf(wanted, sizeof(wanted),
			 "not all of the program's stacks are in it (%s)\nf: on ", gaps[i]);
		ck_assert_msg(!strncmp(said.text, wanted, strlen(wanted)), "%s", said.text);
		snprintf(wanted, sizeof(wanted), "\"whole\":true,\"digest\":false,\"gap\":\"%s\",",
			 gaps[i]);
		ck_assert_msg(strstr(said.text, wanted) != NULL, "%s", said.text);
		fclose(said.file);
		free(said.text);
		truth_file_close(said.truth);
		close(said.fd);
	}
}
END_TEST

/* Of a run that had no point there is no file: what is said of it has the same names. */
static const struct cut_case {
	const char *name, *from;
	struct contexts_result result;
	const char *said;
} cuts[] = {
	{ "before_what_is_named",
	  "ma\tin",
	  { .gate = { .unit = "points", .environment = true },
	    .partial = "timeout",
	    .cut = { .ending = TRACER_TIMEOUT,
		     .early = { .message = "why" },
		     .steps = 5,
		     .elapsed_ns = 77,
		     .place = "there" } },
	  "{\"type\":\"truth\",\"file\":\"f\",\"written\":false,\"whole\":false,"
	  "\"gap\":\"timeout\",\"stacks\":0,\"open_stacks\":0,\"doubted_stacks\":0,"
	  "\"deepest\":0,\"nodes\":0,\"images\":0,\"points\":0,\"elapsed_ns\":77,"
	  "\"program\":\"./it\",\"argv\":[\"./it\",\"-x\",\"y\\tz\"],"
	  "\"partial\":\"timeout\",\"partial_message\":\"why\",\"steps\":5,"
	  "\"ended_at\":\"there\",\"from\":\"ma\\tin\",\"checked\":0,"
	  "\"checked_unit\":\"points\",\"not_checked\":{},\"exit_status\":99}\n" },
	{ "before_its_first_step",
	  NULL,
	  { .gate = { .unit = "points", .environment = true, .left[GATE_LOST_POINTS] = 2 },
	    .partial = "interrupted",
	    .cut = { .ending = TRACER_INTERRUPTED, .early = { .message = "why" } } },
	  "{\"type\":\"truth\",\"file\":\"f\",\"written\":false,\"whole\":false,"
	  "\"gap\":\"interrupted\",\"stacks\":0,\"open_stacks\":0,\"doubted_stacks\":0,"
	  "\"deepest\":0,\"nodes\":0,\"images\":0,\"points\":0,\"elapsed_ns\":0,"
	  "\"program\":\"./it\",\"argv\":[\"./it\",\"-x\",\"y\\tz\"],"
	  "\"partial\":\"interrupted\",\"partial_message\":\"why\",\"steps\":0,"
	  "\"checked\":0,\"checked_unit\":\"points\",\"not_checked\":{\"unread_points\":2},"
	  "\"exit_status\":99}\n" },
	{ "to_its_end_without_what_is_named",
	  "f",
	  { .gate = { .unit = "points" }, .cut = { .steps = 5, .elapsed_ns = 77 } },
	  "{\"type\":\"truth\",\"file\":\"f\",\"written\":false,\"whole\":true,"
	  "\"gap\":\"from\",\"stacks\":0,\"open_stacks\":0,\"doubted_stacks\":0,"
	  "\"deepest\":0,\"nodes\":0,\"images\":0,\"points\":0,\"elapsed_ns\":77,"
	  "\"program\":\"./it\",\"argv\":[\"./it\",\"-x\",\"y\\tz\"],\"from\":\"f\","
	  "\"checked\":0,\"checked_unit\":\"points\",\"not_checked\":{},\"exit_status\":77}\n" },
	{ "to_its_end_in_fewer_steps_than_are_between_points",
	  NULL,
	  { .gate = { .unit = "points" } },
	  "{\"type\":\"truth\",\"file\":\"f\",\"written\":false,\"whole\":true,"
	  "\"gap\":\"every\",\"stacks\":0,\"open_stacks\":0,\"doubted_stacks\":0,"
	  "\"deepest\":0,\"nodes\":0,\"images\":0,\"points\":0,\"elapsed_ns\":0,"
	  "\"program\":\"./it\",\"argv\":[\"./it\",\"-x\",\"y\\tz\"],"
	  "\"checked\":0,\"checked_unit\":\"points\",\"not_checked\":{},\"exit_status\":77}\n" },
};

START_TEST(object_of_one_that_was_not_written)
{
	char *argv[] = { (char *)"./it", (char *)"-x", (char *)"y\tz", NULL };
	const struct tracer_options tracer = { .argv = argv, .from = cuts[_i].from };
	const struct contexts_options options = { .tracer = &tracer };

	check_printed(cuts[_i].name,
		      PRINTED(file, contexts_print_none(file, "f", &options, &cuts[_i].result)),
		      cuts[_i].said);
}
END_TEST

/* What the run has checked goes with its file. */
START_TEST(object_of_a_run)
{
	const struct gate gate = { .unit = "points", .checked = 9, .findings = 1 };
	struct truth_bytes truth = { 0 };
	struct said said;

	say_begin(&said, &truth);
	contexts_print_json(said.file, "f\tg", said.truth, &gate);
	say_end(&said,
		"{\"type\":\"truth\",\"file\":\"f\\tg\",\"whole\":true,\"digest\":false,"
		"\"gap\":null,\"stacks\":0,\"open_stacks\":0,\"doubted_stacks\":0,\"deepest\":0,"
		"\"nodes\":2,\"images\":0,\"argv\":[],\"checked\":9,"
		"\"checked_unit\":\"points\",\"not_checked\":{},\"exit_status\":1}\n");
}
END_TEST

/* What others have written is no escape sequence. */
START_TEST(text_that_is_somebody_else_s)
{
	struct truth_bytes truth = { 0 };
	struct said said;

	truth_text(&truth, "partial", "time\33out");
	truth_text(&truth, "kernel", "6\33");
	truth_text(&truth, "ending", "was\33killed");
	truth_text(&truth, "ended_at", "there\33");
	truth_text(&truth, "ended_at", "nowhere");
	truth_text(&truth, "other", "argument");
	truth_number(&truth, "unproven", 3);
	say_begin(&said, &truth);
	contexts_print_text(said.file, "f\33", said.truth);
	fflush(said.file);
	ck_assert_ptr_null(strchr(said.text, '\33'));
	ck_assert_msg(!strncmp(said.text, "PARTIAL (time?out): ", 20) &&
			      strstr(said.text, "f?: on 6?, 3 points of 0 steps, ") &&
			      strstr(said.text, "the program was?killed\nit was at there?\n0 diff"),
		      "%s", said.text);
	ck_assert_int_eq(fclose(said.file), 0);
	free(said.text);
	truth_file_close(said.truth);
	close(said.fd);
}
END_TEST

SUITE(contexts_text, TEST(text_of_a_whole_one), TEST(text_of_one_cut_short),
      TEST(what_is_in_doubt_is_not_the_deepest), TEST(objects_of_a_whole_one),
      TEST(objects_of_one_cut_short), TEST(a_whole_one_may_have_a_gap),
      LOOP(object_of_one_that_was_not_written, cuts), TEST(object_of_a_run),
      TEST(text_that_is_somebody_else_s))
