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

SUITE(sample_profile, LOOP(profile_has, cases))
