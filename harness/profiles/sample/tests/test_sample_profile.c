/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_profile.c - which stacks a profile has, and by which images
 *
 * Stacks are given as the session gives them, with the mappings that the walk knew.
 */
#include "tests/suite.h"
#include "profiles/sample/sample_run.c"

#include <stdlib.h>

#define PC 0x401000ull

static struct image image;
static struct image_entry entry = { .image = &image };
static struct mapping mappings[] = {
	{ .start = 0x400000, .end = 0x402000, .entry = &entry, .path = "/first" },
	{ .start = 0x400000, .end = 0x402000, .bias = 0x400000, .entry = &entry, .path = "/next" },
};
static const struct address_space spaces[] = {
	{ .mapping = &mappings[0], .mapping_count = 1 },
	{ .mapping = &mappings[1], .mapping_count = 1 },
};

#define IMAGE(path) "{\"type\":\"profile_image\",\"image\":1,\"path\":\"" path "\"}\n"
#define STACK(address)                                                                             \
	"{\"type\":\"profile_stack\",\"count\":1,\"event\":\"cpu\",\"frames\":[{\"image\":1,"      \
	"\"vaddr\":\"" address "\"}]}\n"

static const struct {
	const char *name;
	struct given {
		uint32_t generation; /* 0: no more are given */
		int space;	     /* -1: it is not known any more */
		bool raced;
	} given[4];
	const char *profile;
} cases[] = {
	{ "by_its_images",
	  { { 1, 0, 0 }, { 1, 0, 0 } },
	  IMAGE("/first") STACK("0x401000") STACK("0x401000") },
	{ "by_those_of_the_next_program",
	  { { 1, 0, 0 }, { 2, 1, 0 }, { 2, 1, 0 } },
	  IMAGE("/first") STACK("0x401000") IMAGE("/next") STACK("0x1000") STACK("0x1000") },
	{ "not_by_those_of_the_one_before",
	  { { 1, 0, 0 }, { 1, 0, true }, { 2, 1, 0 } },
	  IMAGE("/first") STACK("0x401000") IMAGE("/next") STACK("0x1000") },
	{ "not_by_none", { { 1, -1, true }, { 1, 0, 0 } }, IMAGE("/first") STACK("0x401000") },
};

START_TEST(profile_has)
{
	struct sample_options options = { .clock = sample_clock_find("cpu") };
	struct walk_record record = { .stop = STOP_NO_ROW, .count = 1, .pc = { PC } };
	struct sample_score score = { 0 };
	struct sample_truth truth;
	struct sampler sampler = { .options = &options, .truth = &truth, .score = &score };
	struct error error = { 0 };
	char *text = NULL;
	size_t size;
	uint64_t given = 0;

	ck_assert_int_eq(sample_truth_init(&truth, &error), 0);
	options.profile = open_memstream(&text, &size);
	for (const struct given *at = cases[_i].given; at->generation; at++, given++) {
		const struct process_stack stack = { .record = &record,
						     .raced = at->raced,
						     .space = at->space < 0 ? NULL
									    : &spaces[at->space] };

		record.generation = at->generation;
		on_stack(&sampler, &stack);
	}
	fclose(options.profile);
	ck_assert_msg(!strcmp(text, cases[_i].profile), "%s:\n%s", cases[_i].name, text);
	/* All are judged and counted, in the profile or not. */
	ck_assert_uint_eq(score.records, given);
	free(text);
	stack_deinit(&sampler.stack);
	sample_score_deinit(&score);
	sample_truth_deinit(&truth);
}
END_TEST

/* ---- images and frames ------------------------------------------------------------------------- */

/* Mappings with an image, and without; numbers are those of the mappings. */
static struct image named = { .build_id = { 0x5c, 0x9a }, .build_id_size = 2 };
static struct image_entry of_named = { .image = &named }, of_none = { .image = NULL };
static struct mapping many[] = {
	{ .start = 0x1000, .end = 0x2000, .path = "[heap]" },
	{ .start = 0x2000, .end = 0x3000, .entry = &of_none, .path = "/damaged" },
	{ .start = 0x3000, .end = 0x4000, .bias = 0x3000, .entry = &entry, .path = "/first" },
	{ .start = 0x4000, .end = 0x5000, .bias = 0x1000, .entry = &of_named, .path = "/named" },
	{ .start = 0x8000, .end = 0x9000, .bias = 0x8000, .entry = &entry },
};
static const struct address_space space = { .mapping = many, .mapping_count = 5 };

static const struct {
	const char *name;
	uint32_t count;
	uint64_t pc[4];
	const char *frames;
} stacks[] = {
	{ "a_caller_s_address_is_behind_its_call",
	  4,
	  { 0x4000, 0x4000, 0x5000, 0x9000 },
	  "{\"image\":4,\"vaddr\":\"0x3000\"},{\"image\":3,\"vaddr\":\"0x1000\"},{\"image\":4,"
	  "\"vaddr\":\"0x4000\"},{\"image\":5,\"vaddr\":\"0x1000\"}" },
	{ "what_is_in_no_image",
	  4,
	  { 0x5000, 0x1010, 0x2010, 0x8000 },
	  "{\"address\":\"0x5000\"},{\"address\":\"0x1010\"},{\"address\":\"0x2010\"},{\"address\":"
	  "\"0x8000\"}" },
	{ "one", 1, { 0x3010 }, "{\"image\":3,\"vaddr\":\"0x10\"}" },
	{ "none", 0, { 0 }, "" },
};

START_TEST(frames_are_of_their_images)
{
	static const char images[] =
		"{\"type\":\"profile_image\",\"image\":3,\"path\":\"/first\"}\n"
		"{\"type\":\"profile_image\",\"image\":4,\"path\":\"/"
		"named\",\"build_id\":\"5c9a\"}\n"
		"{\"type\":\"profile_image\",\"image\":5,\"path\":\"\"}\n";
	const struct stack stack = { .pc = (uint64_t *)stacks[_i].pc, .count = stacks[_i].count };
	char *text, wanted[1024];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	sample_profile_images(file, &space);
	sample_profile_stack(file, &space, "task", &stack);
	fclose(file);
	snprintf(wanted, sizeof(wanted),
		 "%s{\"type\":\"profile_stack\",\"count\":1,\"event\":\"task\",\"frames\":[%s]}\n",
		 images, stacks[_i].frames);
	ck_assert_msg(!strcmp(text, wanted), "%s:\n%s\nis\n%s", stacks[_i].name, wanted, text);
	free(text);
}
END_TEST

/* Nobody asked for one. */
START_TEST(no_profile)
{
	struct sample_options options = { .clock = sample_clock_find("cpu") };
	struct walk_record record = { .stop = STOP_NO_ROW, .count = 1, .pc = { PC } };
	struct sample_score score = { 0 };
	struct sample_truth truth;
	struct sampler sampler = { .options = &options, .truth = &truth, .score = &score };
	const struct process_stack stack = { .record = &record, .space = &spaces[0] };
	struct error error = { 0 };

	ck_assert_int_eq(sample_truth_init(&truth, &error), 0);
	on_stack(&sampler, &stack);
	on_record(&sampler, &record, false);
	ck_assert_uint_eq(score.records, 2);
	ck_assert(!sampler.failed);
	/* The first that fails ends the judging. */
	record.count = WALK_FRAMES_MAX + 1;
	on_record(&sampler, &record, false);
	record.count = WALK_FRAMES_MAX + 2;
	on_stack(&sampler, &stack);
	record.count = 1;
	on_record(&sampler, &record, false);
	on_stack(&sampler, &stack);
	ck_assert_uint_eq(score.records, 2);
	ck_assert(sampler.failed);
	ck_assert_str_eq(sampler.error.message, "a record of 1025 frames");
	stack_deinit(&sampler.stack);
	sample_score_deinit(&score);
	sample_truth_deinit(&truth);
}
END_TEST

SUITE(sample_profile, LOOP(profile_has, cases), LOOP(frames_are_of_their_images, stacks),
      TEST(no_profile))
