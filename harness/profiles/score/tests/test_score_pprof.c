/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_pprof.c - what profilers write into pprof besides frames' addresses: remarks, functions' addresses, and
 * which process it was
 *
 * Stacks are as in score_crafted.h. A profile's samples are frames, the leaf first: "prog 2810 leaf" is an image, an
 * address ("-": none) and a name ("-": none); "@12" in front is a process's number, "^prog" an image that is mapped above
 * the address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "profiles/profile/tests/wire_message.h"
#include "score_crafted.h"

/* Texts of the profile, each once. */
struct writing {
	struct message all, texts;
	uint64_t text, location;
};

static uint64_t add_text(struct writing *writing, const char *text)
{
	put_bytes(&writing->texts, 6, text, strlen(text));
	return writing->text++;
}

/* A location with a mapping, which begins at 0 unless the image has a "^", and a function of its own. */
static void add_location(struct writing *writing, const char *image, const char *address,
			 const char *name)
{
	bool is_named = *name != '-', is_above = *image == '^';
	uint64_t number = ++writing->location, file = add_text(writing, image + is_above),
		 start = is_above ? 0x7f0000000000 : 0,
		 at = *address == '-' ? 0 : strtoull(address, NULL, 16);
	struct message part = NUMBERS(number, start, start + 0x10000, 0, file);

	put_message(&writing->all, 3, &part);
	if (is_named) {
		part = NUMBERS(number, add_text(writing, name));
		put_message(&writing->all, 5, &part);
	}
	struct message location = NUMBERS(number, number, at), line = NUMBERS(number, 1);
	if (is_named)
		put_message(&location, 4, &line);
	put_message(&writing->all, 4, &location);
}

/* A line is a sample of count 1. */
static void add_sample(struct writing *writing, const char *line, const char *end)
{
	struct message sample = { .size = 0 }, label;
	char image[32], address[32], name[64];
	unsigned long pid = 0;
	int size = 0;

	if (*line == '@')
		pid = strtoul(line + 1, (char **)&line, 10);
	while (line < end && sscanf(line, "%31s %31s %63s ;%n", image, address, name, &size) == 3) {
		add_location(writing, image, address, name);
		put(&sample, 1, writing->location);
		line += size;
	}
	put(&sample, 2, 1);
	if (pid) {
		label = NUMBERS(1, 0, pid);
		put_message(&sample, 3, &label);
	}
	put_message(&writing->all, 2, &sample);
}

static const struct {
	const char *name, *truth, *profile;
	int32_t driven; /* the process's number; 0: it was not driven */
	const char *expected;
} cases[] = {
	{ "addresses", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; prog 2110 f ; prog 2010 main ;\nprog 2810 leaf ; prog 2210 f ;", 0,
	  "exact 1 caller 1" },
	/* What a profiler says of its walk, at the outer end, is no caller. */
	{ "a_remark", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; prog 2110 f ; the-unwinder - error/unwinder:Truncated ;", 0,
	  "truncated 1" },
	{ "a_remark_behind_all", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; prog 2110 f ; prog 2010 main ; the-unwinder - error:Fault ;", 0,
	  "exact 1" },
	{ "a_remark_behind_a_wrong_caller", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; lib.so 2110 g ; the-unwinder - error:Fault ;", 0, "caller 1" },
	{ "remarks_alone", "0:2810 0:2110 0:2010", "the-unwinder - error:Fault ; it - why ;", 0,
	  "empty 1" },
	{ "a_frame_in_a_file_is_none", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; prog 2110 f ; /x/other.so - why ;", 0, "caller 1" },
	{ "nor_is_one_with_an_address", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; prog 2110 f ; the-unwinder 99 why ;", 0, "caller 1" },
	{ "nor_is_one_within", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; the-unwinder - why ; prog 2110 f ;", 0, "caller 1" },
	/* A function's address where a caller's would be. */
	{ "functions'_addresses", "0:2810 0:2110 0:2010",
	  "prog 2800 leaf ; prog 2100 f ; prog 2000 main ;", 0, "exact 1" },
	{ "of_a_wrong_function", "0:2810 0:2110 0:2010",
	  "prog 2800 leaf ; prog 2e00 same ; prog 2000 main ;", 0, "caller 1" },
	{ "where_something_returns_it_is_a_caller's", "0:2810 0:2800 0:2010\n0:2110 0:2010",
	  "prog 2810 leaf ; prog 2800 f ; prog 2010 main ;", 0, "exact 1" },
	{ "without_a_name_it_is_an_address", "0:2810 0:2110 0:2010",
	  "prog 2810 leaf ; prog 2100 - ; prog 2010 main ;", 0, "caller 1" },
	/* Of who has made addresses the image's own, and writes where it was mapped all the same. */
	{ "below_its_mapping_it_is_the_image's", "0:2810 0:2110 0:2010",
	  "^prog 2810 - ; ^prog 2110 - ; ^prog 2010 - ;\n^prog 2810 - ; ^prog 2210 - ;", 0,
	  "exact 1 caller 1" },
	{ "or_an_offset_in_the_file", "0:3810 0:3110 0:3010",
	  "^prog 2810 - ; ^prog 2110 - ; ^prog 2010 - ;", 0, "exact 1" },
	{ "one_that_is_neither_is_not_known", "0:2810 0:2110 0:2010",
	  "^prog 2810 - ; ^prog 1f0110 - ; ^prog 2010 - ;", 0, "names 1" },
	/* Which process was driven is known. */
	{ "the_first_process_is_the_program's", "0:2810 0:2110 0:2010",
	  "@6 prog 2810 leaf ; lib.so 2010 g ;\n@5 prog 2810 leaf ;", 0, "truncated 1 caller 1" },
	{ "only_the_driven_one_is", "0:2810 0:2110 0:2010",
	  "@6 prog 2810 leaf ; lib.so 2010 g ;\n@5 prog 2810 leaf ;", 5,
	  "truncated 1 other_process 1" },
	{ "without_a_number_it_may_be", "0:2810 0:2110 0:2010", "prog 2810 leaf ;", 5,
	  "truncated 1" },
};

/* Scores a profile of the fields' texts. */
static void score_pprof(const char *stacks, const char *profile, int32_t driven)
{
	struct writing writing = { .all = { .size = 0 } };
	struct error error;
	char path[64];
	int file;

	add_text(&writing, "");
	add_text(&writing, "pid");
	for (const char *line = profile, *end; *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		add_sample(&writing, line, end);
	}
	memcpy(writing.all.bytes + writing.all.size, writing.texts.bytes, writing.texts.size);
	file = profile_file(writing.all.bytes, writing.all.size + writing.texts.size, path);
	open_crafted(stacks);
	ck_assert(!score_init(&scored, &truth, &error));
	if (driven)
		score_set_driven(&scored, driven);
	ck_assert_msg(!score_profile(&scored, path, PROFILE_PPROF, &error), "%s", error.message);
	close(file);
}

START_TEST(what_pprof_says)
{
	char counts[256];

	score_pprof(cases[_i].truth, cases[_i].profile, cases[_i].driven);
	ck_assert_msg(!strcmp(crafted_counts(&scored, counts), cases[_i].expected),
		      "%s: %s, not %s", cases[_i].name, counts, cases[_i].expected);
}
END_TEST

/* A caller's name against its address: the other frames' agree. */
static const struct {
	const char *name, *frame;
	unsigned int checked, contradict;
} names[] = {
	{ "its_own", "prog 2110 f", 1, 0 },
	{ "another_symbol_there", "prog 2110 f.isra.0", 1, 0 },
	{ "a_version_and_an_offset", "prog 2110 f@@V1+0x10", 1, 0 },
	{ "another_function's", "prog 2110 leaf", 1, 1 },
	{ "another_image's", "prog 2110 g", 1, 1 },
	{ "nobody's", "prog 2110 who", 0, 0 },
	{ "a_placeholder", "prog 2110 fde@0x2100", 0, 0 },
	{ "the_one_behind_a_last_call", "prog 2100 main", 1, 0 },
	{ "is_not_the_next_function's", "prog 2100 f", 1, 1 },
	{ "one_of_several_local_ones", "prog 3a10 twin", 1, 0 },
	{ "the_exported_one_before", "prog 4a10 deep", 0, 0 },
	{ "a_local_one_is_not_that", "prog 4a10 twin", 1, 1 },
	{ "mangled", "lib.so 3c10 _Z5plaini", 1, 0 },
	{ "demangled", "lib.so 3c10 plain(int)", 1, 0 },
	{ "simplified", "lib.so 3c10 plain", 1, 0 },
	{ "no_symbol_there", "prog 2510 leaf", 0, 0 },
	{ "no_name", "prog 2110 -", 0, 0 },
	{ "no_address", "prog - leaf", 0, 0 },
	{ "code_without_a_file", "other 2110 leaf", 0, 0 },
};

START_TEST(names_against_addresses)
{
	char profile[128];

	snprintf(profile, sizeof(profile),
		 "prog 2810 leaf ; %s ; prog 2010 main ;\nprog 2810 leaf ; %s ; prog 2010 main ;",
		 names[_i].frame, names[_i].frame);
	score_pprof("0:2810 0:2110 0:2010\n0:2810 0:2100 0:2010", profile, 0);
	ck_assert_msg(scored.called.checked == names[_i].checked + 2ul &&
			      scored.called.contradict == names[_i].contradict &&
			      scored.called.samples == 2ul * names[_i].contradict,
		      "%s: %lu checked, %lu contradict, in %lu samples", names[_i].name,
		      scored.called.checked, scored.called.contradict, scored.called.samples);
}
END_TEST

SUITE(score_pprof, CRAFTED, LOOP(what_pprof_says, cases), LOOP(names_against_addresses, names))
