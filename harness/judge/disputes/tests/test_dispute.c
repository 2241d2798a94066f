/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute.c - a dispute of a stopped child: collected, written, and asked again without it
 *
 * And its parts: which bytes of an image are kept, and what of its memory. Where ptrace is not
 * permitted it prints SKIP and the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "disputed_child.h"
#include "judge/verdict/verdict.h"

#define PAGE 4096u

/* ---- what is kept of an image ----------------------------------------------------------- */

static const struct {
	const char *name;
	struct dispute_range keep[4]; /* in order; size 0: no more */
	struct dispute_range kept[4];
} ranges[] = {
	{ "whole_pages", { { 5000, 1 } }, { { 4096, 4096 } } },
	{ "over_a_page's_end", { { 4095, 2 } }, { { 0, 8192 } } },
	{ "cut_at_the_file's_end", { { 40000, UINT64_MAX } }, { { 36864, 3136 + 5 } } },
	{ "behind_the_file's_end", { { 40005, 1 } }, { { 0, 0 } } },
	{ "apart", { { 20000, 1 }, { 0, 1 } }, { { 0, 4096 }, { 16384, 4096 } } },
	{ "touching_become_one", { { 0, 4096 }, { 4096, 1 } }, { { 0, 8192 } } },
	{ "one_inside_another", { { 0, 12288 }, { 5000, 10 } }, { { 0, 12288 } } },
	{ "one_around_another", { { 5000, 10 }, { 0, 12288 } }, { { 0, 12288 } } },
	{ "one_joins_two", { { 0, 1 }, { 12288, 1 }, { 4096, 8192 } }, { { 0, 16384 } } },
	{ "one_joins_two_of_three",
	  { { 0, 1 }, { 8192, 1 }, { 32768, 1 }, { 4096, 1 } },
	  { { 0, 12288 }, { 32768, 4096 } } },
};

START_TEST(ranges_of_an_image)
{
	struct dispute_image image = { .file_bytes = 40005 };
	size_t count = 0;
	struct error error;

	for (int i = 0; i < 4 && ranges[_i].keep[i].size; i++)
		ck_assert(!dispute_keep_range(&image, ranges[_i].keep[i].offset,
					      ranges[_i].keep[i].size, &error));
	while (count < 4 && ranges[_i].kept[count].size)
		count++;
	ck_assert_msg(image.range_count == count, "%s: %zu ranges", ranges[_i].name,
		      image.range_count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(image.range[i].offset == ranges[_i].kept[i].offset &&
				      image.range[i].size == ranges[_i].kept[i].size,
			      "%s: range %zu is %lu+%lu", ranges[_i].name, i,
			      (unsigned long)image.range[i].offset,
			      (unsigned long)image.range[i].size);
	free(image.range);
}
END_TEST

/* ---- memory ----------------------------------------------------------------------------- */

/* Pages 0x1000 and 0x2000 are there, each byte is its address's lowest but one. */
static int read_two_pages(void *context, uint64_t address, void *ret, size_t size)
{
	unsigned int *reads = context;
	uint8_t *to = ret;

	(*reads)++;
	if (address < 0x1000 || address + size > 0x3000)
		return -1;
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)((address + i) >> 8);
	return 0;
}

START_TEST(memory_is_kept_as_it_is_read)
{
	struct error error;
	struct dispute *dispute = dispute_create(&error);
	unsigned int reads = 0;
	struct dispute_recorder recorder = { dispute, { read_two_pages, &reads } };
	struct dispute_memory memory = { .dispute = dispute };
	struct memory_reader from = dispute_recorder_reader(&recorder);
	struct memory_reader kept = dispute_memory_reader(&memory);
	uint16_t word;

	ck_assert(!from.read(from.context, 0x1fff, &word, sizeof(word)));
	ck_assert_uint_eq(word, 0x201f);
	ck_assert_uint_eq(reads, 2);
	ck_assert(!from.read(from.context, 0x1000, &word, sizeof(word)));
	ck_assert(from.read(from.context, 0x2fff, &word, sizeof(word)));
	ck_assert(from.read(from.context, 0x3000, &word, sizeof(word)));
	ck_assert_uint_eq(reads, 3); /* nothing is asked for twice */
	ck_assert_uint_eq(dispute->memory.count, 2);
	ck_assert_uint_eq(dispute->unreadable_count, 1);

	ck_assert(!kept.read(kept.context, 0x1fff, &word, sizeof(word)));
	ck_assert_uint_eq(word, 0x201f);
	ck_assert(kept.read(kept.context, 0x3000, &word, sizeof(word)));
	ck_assert_uint_eq(memory.missed, 0); /* nobody could have read it */
	ck_assert(kept.read(kept.context, 0x4000, &word, sizeof(word)));
	ck_assert_uint_eq(memory.missed, 1);
	ck_assert(kept.read(kept.context, UINT64_MAX, &word, sizeof(word)));
	ck_assert_uint_eq(memory.missed, 1);
	ck_assert(!dispute->cut);
	dispute_destroy(dispute);
}
END_TEST

START_TEST(pages_that_follow_each_other)
{
	static const uint64_t pages[] = { 0x1000, 0x2000, 0x4000, 0x5000, 0x6000, 0x8000 };
	static const uint8_t bytes[PAGE];
	struct error error;
	struct dispute *dispute = dispute_create(&error);

	for (int i = 0; i < COUNT(pages); i++)
		ck_assert(dispute_add_page(dispute, pages[i], bytes));
	ck_assert_uint_eq(dispute_run(dispute, 0), 2);
	ck_assert_uint_eq(dispute_run(dispute, 2), 3);
	ck_assert_uint_eq(dispute_run(dispute, 5), 1);
	dispute_destroy(dispute);
}
END_TEST

/* ---- a stopped child -------------------------------------------------------------------- */

/* The built-in engines' answers of the stopped child, and of a false one. */
static struct dispute *collect(struct stopped_child *child, const struct engine *const *engine,
			       size_t count)
{
	struct stack stack[4] = { { 0 } };
	struct shadow_stack shadow = { .rooted = true };
	struct dispute_said said[4];
	struct dispute *dispute;
	struct error error;

	child->stop.shadow = &shadow;
	for (size_t i = 0; i < count; i++) {
		void *open;

		ck_assert(!engine_open(engine[i], NULL, &open, &error));
		if (engine[i]->mappings)
			ck_assert(!engine[i]->mappings(open, &child->space, &error));
		ck_assert_int_eq(engine[i]->walk(open, &child->point, &stack[i], &error),
				 ENGINE_STACK);
		engine[i]->close(open);
		said[i] = (struct dispute_said) { engine[i], &stack[i] };
	}
	dispute = collect_said(child, &shadow, said, count, false);
	for (size_t i = 0; i < count; i++)
		stack_deinit(&stack[i]);
	return dispute;
}

/* Reads the case, asks the engines, and gives back what they said. */
static void ask_again(const char *path, const struct engine_list *list,
		      struct dispute **ret_dispute, struct dispute_replay *ret)
{
	struct dispute_folder folder;
	struct dispute_stage *stage;
	struct error error;
	struct dispute *dispute = dispute_read(path, &folder, &error);

	ck_assert_msg(dispute != NULL, "%s %s", error.section, error.message);
	ck_assert_msg(!dispute_stage_create(dispute, &folder, &stage, &error), "%s", error.message);
	ck_assert(!dispute_replay(dispute, stage, list, ret, &error));
	dispute_stage_destroy(stage);
	dispute_folder_deinit(&folder);
	*ret_dispute = dispute;
}

START_TEST(asked_again_without_the_process)
{
	static const struct engine *const engine[] = { &engine_cfi, &engine_libdw, &engine_scan,
						       &engine_perf8k };
	static const struct engine_list none;
	char path[] = "/tmp/test_dispute.XXXXXX";
	struct dispute_replay replay;
	struct dispute *dispute, *read;
	struct stopped_child child;
	struct error error;
	int fd;

	if (!stopped_child_init(&child, dispute_outer, 0, 0, 0)) {
		printf("SKIP dispute: no ptrace\n");
		return;
	}
	dispute = collect(&child, engine, COUNT(engine));
	fd = mkstemp(path);
	close(fd);
	ck_assert_msg(!dispute_write(dispute, path, &error), "%s", error.message);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);

	ask_again(path, &none, &read, &replay);
	for (size_t i = 0; i < replay.count; i++) {
		const struct dispute_verdict *verdict = &replay.verdict[i];
		bool is_scan = !strcmp(verdict->engine, "scan");

		if (verdict->result == DISPUTE_SKIPPED) /* no libunwind here */
			continue;
		if (!strcmp(verdict->engine, "sframe")) /* these programs have none */
			continue;
		ck_assert_msg(verdict->result == DISPUTE_SAME, "%s: %s", verdict->engine,
			      dispute_result_name(verdict->result));
		ck_assert_msg(is_scan || verdict->match == MATCH_EXACT, "%s", verdict->engine);
		ck_assert_msg(verdict->right == 3, "%s: %u", verdict->engine, verdict->right);
		ck_assert_msg(!verdict->missed, "%s", verdict->engine);
		ck_assert(!dispute_is_finding(verdict));
	}
	ck_assert_uint_ge(replay.result[DISPUTE_SAME], 8);
	for (int i = 0; i < COUNT(engine); i++)
		ck_assert(dispute_find_answer(read, engine[i]->name)->asked);
	ck_assert(!dispute_find_answer(read, "table")->asked);
	ck_assert_ptr_null(dispute_find_answer(read, "bpf"));
	dispute_replay_deinit(&replay);
	dispute_destroy(read);
	unlink(path);
}
END_TEST

/* A name that begins like another's is another. */
START_TEST(answers_are_found_by_the_whole_name)
{
	static const char *const names[] = { "fp.py", "fp", "cf" };
	struct dispute *dispute = calloc(1, sizeof(*dispute));
	struct error error;

	for (int i = 0; i < COUNT(names); i++)
		ck_assert_ptr_nonnull(dispute_add_answer(dispute, names[i], &error));
	for (int i = 0; i < COUNT(names); i++)
		ck_assert_ptr_eq(dispute_find_answer(dispute, names[i]), &dispute->answer[i]);
	ck_assert_ptr_null(dispute_find_answer(dispute, "f"));
	ck_assert_ptr_null(dispute_find_answer(dispute, "cfi"));
	dispute_destroy(dispute);
}
END_TEST

/* A kept answer that is not what the engine gives, an engine that the case does not know, and one of
 * the kernel. */
START_TEST(what_an_answer_is_held_against)
{
	static const struct engine *const engine[] = { &engine_cfi };
	struct engine_list list = {
		{ &engine_cfi, &engine_table, &engine_bpf, &engine_scan }, 4, { NULL }, 0
	};
	char path[] = "/tmp/test_dispute.XXXXXX";
	struct dispute_replay replay;
	struct dispute *dispute, *read;
	struct stopped_child child;
	struct error error;
	int fd;

	if (!stopped_child_init(&child, dispute_outer, 0, 0, 0)) {
		printf("SKIP dispute: no ptrace\n");
		return;
	}
	dispute = collect(&child, engine, 1);
	dispute_find_answer(dispute, "cfi")->stack.pc[2]++;
	dispute_find_answer(dispute, "scan")->stack.stop = STOP_DEPTH;
	strcpy(dispute_find_answer(dispute, "table")->engine, "elbat");
	fd = mkstemp(path);
	close(fd);
	ck_assert(!dispute_write(dispute, path, &error));
	dispute_destroy(dispute);
	stopped_child_deinit(&child);

	ask_again(path, &list, &read, &replay);
	ck_assert_uint_eq(replay.count, 4);
	ck_assert_int_eq(replay.verdict[0].result, DISPUTE_DIFFERS);
	ck_assert_uint_eq(replay.verdict[0].same_frames, 2);
	ck_assert(dispute_is_finding(&replay.verdict[0]));
	ck_assert_int_eq(replay.verdict[1].result, DISPUTE_NEW);
	ck_assert_int_eq(replay.verdict[1].match, MATCH_EXACT);
	ck_assert(!dispute_is_finding(&replay.verdict[1]));
	ck_assert_int_eq(replay.verdict[2].result, DISPUTE_SKIPPED);
	ck_assert_str_eq(replay.verdict[2].reason, "needs_kernel");
	ck_assert(!dispute_is_finding(&replay.verdict[2]));
	ck_assert_int_eq(replay.verdict[3].result, DISPUTE_DIFFERS); /* of another stop */
	dispute_replay_deinit(&replay);
	list.count = 0;
	ck_assert(!dispute_find_answer(read, "table"));
	dispute_destroy(read);
	unlink(path);
}
END_TEST

/* ---- what a case lacks ---------------------------------------------------------------------- */

/* An answer that is changed by hand is not what the engine says of the case. */
static const struct {
	const char *name;
	const struct engine *changed; /* NULL: none */
	bool both;		      /* scan's, too */
	bool cut;
	const char *says; /* behind the path */
} lacks[] = {
	{ "nothing", NULL, false, false, NULL },
	{ "an_engine_that_was_named", &engine_cfi, false, false,
	  ": of the case cfi gives another stack than of the program\n" },
	{ "an_engine_that_is_built_in", &engine_scan, false, false,
	  ": of the case scan gives another stack than of the program\n" },
	{ "an_engine_that_says_nothing", &engine_dumb, false, false,
	  ": of the case dumb gives another stack than of the program\n" },
	{ "two_of_them", &engine_cfi, true, false,
	  ": of the case cfi gives another stack than of the program\n" },
	{ "memory", NULL, false, true, ": more memory was read than a case can hold\n" },
};

START_TEST(what_a_case_lacks_is_said_when_it_is_written)
{
	static const struct engine *const engine[] = { &engine_cfi };
	const struct engine_list list = { { &engine_cfi, &engine_dumb }, 2, { NULL }, 0 };
	const struct engine *changed = lacks[_i].changed;
	char path[] = "/tmp/test_dispute.XXXXXX", *wanted;
	struct dispute *dispute, *read;
	struct dispute_folder folder;
	struct dispute_answer *answer;
	struct stopped_child child;
	struct error error;

	if (!stop_child(&child, 0))
		return;
	close(mkstemp(path));
	dispute = collect(&child, engine, 1);
	dispute->cut = lacks[_i].cut;
	if (changed == &engine_dumb)
		ck_assert_ptr_nonnull(dispute_add_answer(dispute, "dumb", &error));
	else if (changed)
		dispute_find_answer(dispute, changed->name)->stack.pc[1]++;
	if (lacks[_i].both)
		dispute_find_answer(dispute, "scan")->stack.pc[1]++;
	char *text = PRINTED(
		said, ck_assert_msg(!dispute_write_verified(dispute, path, &list, said, &error),
				    "%s", error.message));
	ck_assert(asprintf(&wanted, "%s%s", path, lacks[_i].says) > 0);
	if (lacks[_i].both)
		ck_assert(!strncmp(text, wanted, strlen(wanted)) &&
			  strstr(text, ": of the case scan gives another stack"));
	else
		ck_assert_msg(!strcmp(text, lacks[_i].says ? wanted : ""), "%s: %s", lacks[_i].name,
			      text);
	/* And it is in the case. */
	read = dispute_read(path, &folder, &error);
	ck_assert_msg(read != NULL, "%s", error.message);
	for (size_t i = 0; i < read->answer_count; i++) {
		answer = &read->answer[i];
		ck_assert_msg(answer->differs ==
				      ((changed && !strcmp(answer->engine, changed->name)) ||
				       (lacks[_i].both && !strcmp(answer->engine, "scan"))),
			      "%s: %s", lacks[_i].name, answer->engine);
	}
	ck_assert_int_eq(read->cut, lacks[_i].cut);
	dispute_destroy(read);
	dispute_folder_deinit(&folder);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
	unlink(path);
	free(wanted);
	free(text);
}
END_TEST

SUITE(dispute, LOOP(ranges_of_an_image, ranges), TEST(memory_is_kept_as_it_is_read),
      TEST(pages_that_follow_each_other), LOOP(what_a_case_lacks_is_said_when_it_is_written, lacks),
      TEST(asked_again_without_the_process), TEST(what_an_answer_is_held_against),
      TEST(answers_are_found_by_the_whole_name))
