/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_moment.c - samples against the stack at their own entry into the kernel
 *
 * What lies is found, each one of it: stacks that are another entry's or another thread's are true ones of the program, and
 * only the moment tells.
 */
#include <unistd.h>
#include "tests/suite.h"
#include "profiles/profile/tests/profile_fixture.h"
#include "profiles/score/score_children.h"
#include "truth/contexts/entry_write.h"

#define PID	 70
#define IMAGE	 "/nonexistent/a"
#define ENTRIES	 400
#define DEPTH	 12
#define EVERY_NS 200000
#define LATE_NS	 90000 /* a sample behind its entry */

struct drawn {
	pid_t tid;
	uint64_t time_ns;
	uint32_t count;
	uint64_t frame[DEPTH]; /* innermost first */
};

static char truth_path[] = "/tmp/stackproof-moment-XXXXXX";
static struct drawn entry[ENTRIES];
static struct score_truth truth;
static struct score_children result;

static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (*state >> 33) % below;
}

/* ---- the truth ------------------------------------------------------------------------------- */

static struct context_tree tree;
static struct entry_writer *writer;
static struct error error;

static void begin_truth(void)
{
	memcpy(truth_path + strlen(truth_path) - 6, "XXXXXX", 6);
	close(mkstemp(truth_path));
	ck_assert(!context_tree_init(&tree, &error));
	ck_assert(!entry_writer_open(truth_path, &writer, &error));
	entry_write_field(writer, "program", IMAGE, 0);
	entry_write_field(writer, "pid", NULL, PID);
}

static void add_entry(const struct drawn *drawn, unsigned int flags)
{
	const struct truth_image image = { .kind = TRUTH_IMAGE_FILE, .path = IMAGE };
	struct context_entry written = {
		.tid = drawn->tid, .time_ns = drawn->time_ns, .pc = drawn->frame[0], .flags = flags
	};
	struct truth_frame frame;

	ck_assert(!context_tree_image(&tree, &image, &frame.image, &error));
	for (uint32_t i = drawn->count; i-- > 0;) {
		frame.address = drawn->frame[i];
		ck_assert(!context_tree_child(&tree, written.node, &frame, &written.node, &error));
	}
	entry_write(writer, &tree, &written);
}

/* whole: it came to its end. */
static void end_truth(bool whole)
{
	ck_assert(!entry_writer_close(writer, whole, &error));
	context_tree_deinit(&tree);
	ck_assert_msg(!score_truth_open(&truth, truth_path, &error), "%s", error.message);
	truth.same = (struct score_same) { .build = true, .run = true };
	unlink(truth_path);
}

/* ---- the profile ------------------------------------------------------------------------------ */

static char *profile;
static size_t profile_size;
static FILE *profile_stream;

static void begin_profile(void)
{
	profile_stream = open_memstream(&profile, &profile_size);
	fprintf(profile_stream,
		"{\"type\":\"profile_image\",\"image\":1,\"path\":\"" IMAGE "\"}\n");
}

static void add_sample(const struct drawn *drawn, uint64_t late_ns)
{
	fprintf(profile_stream,
		"{\"type\":\"profile_stack\",\"count\":1,\"pid\":%d,\"tid\":%d,\"time_ns\":%lu,"
		"\"frames\":[",
		PID, drawn->tid, (unsigned long)(drawn->time_ns + late_ns));
	for (uint32_t i = 0; i < drawn->count; i++)
		fprintf(profile_stream, "%s{\"image\":1,\"vaddr\":\"0x%lx\"}", i ? "," : "",
			(unsigned long)drawn->frame[i]);
	fprintf(profile_stream, "]}\n");
}

/* The only process's score. */
static const struct score *score_it(void)
{
	char path[64];
	int file;

	fclose(profile_stream);
	file = profile_file(profile, profile_size, path);
	ck_assert_msg(!score_children(&result, &truth, 1, path, NULL, PROFILE_ANY, &error), "%s",
		      error.message);
	close(file);
	ck_assert_uint_eq(result.processes, 1);
	ck_assert_ptr_nonnull(result.process[0].score);
	return result.process[0].score;
}

static void end(void)
{
	score_children_deinit(&result);
	score_truth_close(&truth);
	free(profile);
	profile = NULL;
}

/* ---- a profile that lies ------------------------------------------------------------------------ */

enum lie { SWAPPED, LEFT_OUT, OTHER_ENTRY, OTHER_THREAD, CUT_SHORT, LIES };

/* Few functions, so that most stacks share frames; the two threads in turn. */
static void draw_entries(uint64_t *state)
{
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct drawn *drawn = &entry[i];

		*drawn = (struct drawn) { .tid = PID + (int)(i % 2),
					  .time_ns = 1000000 + (uint64_t)i / 2 * EVERY_NS,
					  .count = 3 + (uint32_t)draw(state, DEPTH - 3) };
		for (uint32_t k = 0; k < drawn->count; k++)
			drawn->frame[k] = 0x1000 + 16 * draw(state, 20);
		drawn->frame[drawn->count - 1] = 0x100;
		add_entry(drawn, 0);
	}
}

static struct drawn lie_about(uint64_t *state, uint32_t number, enum lie lie)
{
	struct drawn ret = entry[number];
	const struct drawn *other = &entry[draw(state, ENTRIES)];
	uint32_t at = (uint32_t)draw(state, ret.count - 1);
	uint64_t frame = ret.frame[at];

	switch (lie) {
	case SWAPPED:
		ret.frame[at] = ret.frame[at + 1];
		ret.frame[at + 1] = frame;
		break;
	case LEFT_OUT:
		ret.count--;
		memmove(&ret.frame[at], &ret.frame[at + 1],
			(ret.count - at) * sizeof(ret.frame[0]));
		break;
	case OTHER_THREAD: other = &entry[number ^ 1]; __attribute__((fallthrough));
	case OTHER_ENTRY:
		ret.count = other->count;
		memcpy(ret.frame, other->frame, sizeof(ret.frame));
		break;
	default: ret.count -= 1 + (uint32_t)draw(state, ret.count - 1); break;
	}
	return ret;
}

static enum score_class class_of(const struct drawn *is, const struct drawn *said)
{
	for (uint32_t i = 0; i < said->count; i++)
		if (i >= is->count || is->frame[i] != said->frame[i])
			return SCORE_IMPOSSIBLE;
	return said->count == is->count ? SCORE_EXACT : SCORE_TRUNCATED;
}

START_TEST(each_lie_is_found)
{
	uint64_t state = (uint64_t)_i + 1, want[SCORE_CLASS_COUNT] = { 0 };
	const struct score *score;

	begin_truth();
	draw_entries(&state);
	end_truth(_i % 2); /* that entries are missing does not matter to those that are there */
	begin_profile();
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct drawn said = entry[i];

		if (i % 5 == 4)
			said = lie_about(&state, i, (enum lie)(i / 5 % LIES));
		want[class_of(&entry[i], &said)]++;
		add_sample(&said, LATE_NS);
	}
	score = score_it();
	ck_assert(!score->other_clock);
	ck_assert_uint_eq(score->at_moments, ENTRIES);
	ck_assert_uint_gt(want[SCORE_IMPOSSIBLE], ENTRIES / 10);
	for (int i = 0; i < SCORE_CLASS_COUNT; i++)
		ck_assert_uint_eq(score->all.class[i], want[i]);
}
END_TEST

/* ---- when ------------------------------------------------------------------------------------- */

static const struct drawn pair[] = { { PID, 5000000, 2, { 0x1010, 0x100 } },
				     { PID, 6000000, 2, { 0x1020, 0x100 } } };
static const struct drawn same_leaf[] = { { PID, 5000000, 3, { 0x1010, 0x1050, 0x100 } },
					  { PID, 6000000, 3, { 0x1010, 0x1060, 0x100 } } };

static const struct {
	const char *name;
	const struct drawn *entries;
	unsigned int flags; /* of the second entry */
	unsigned int said;  /* whose stack the sample has */
	int64_t after_ns;   /* the second entry */
	pid_t tid;
	enum score_class class;
	enum score_reason reason;
} moments[] = {
	{ "the_last_before", pair, 0, 1, 500000, PID, SCORE_EXACT, SCORE_NO_REASON },
	{ "not_one_before_that", pair, 0, 0, 500000, PID, SCORE_IMPOSSIBLE, SCORE_LEAF },
	{ "nor_the_next", pair, 0, 1, -500000, PID, SCORE_IMPOSSIBLE, SCORE_LEAF },
	{ "near_an_entry_the_leaf_decides", pair, 0, 0, 5000, PID, SCORE_EXACT, SCORE_NO_REASON },
	{ "for_the_other_one_too", pair, 0, 1, -5000, PID, SCORE_EXACT, SCORE_NO_REASON },
	{ "unless_both_have_it", same_leaf, 0, 1, 5000, PID, SCORE_UNPROVEN, SCORE_MOMENT },
	{ "in_doubt", pair, TRUTH_ENTRY_DOUBT, 0, 500000, PID, SCORE_UNPROVEN, SCORE_DOUBT },
	{ "before_the_first", pair, 0, 0, -2000000, PID, SCORE_SKIPPED, SCORE_OTHER_PROCESS },
	{ "an_unknown_thread", pair, 0, 0, 500000, PID + 1, SCORE_UNPROVEN, SCORE_NO_ENTRY },
};

START_TEST(the_moment_decides)
{
	struct drawn said = moments[_i].entries[moments[_i].said];
	const struct score *score;

	begin_truth();
	add_entry(&moments[_i].entries[0], 0);
	add_entry(&moments[_i].entries[1], moments[_i].flags);
	end_truth(true);
	begin_profile();
	for (int i = 0; i < 3; i++) /* that say which clock it is */
		add_sample(&moments[_i].entries[0], 300000);
	said.tid = moments[_i].tid;
	said.time_ns = moments[_i].entries[1].time_ns;
	add_sample(&said, (uint64_t)moments[_i].after_ns);
	score = score_it();
	ck_assert_msg(score->all.class[moments[_i].class] ==
			      1 + (moments[_i].class == SCORE_EXACT ? 3u : 0u),
		      "%s", moments[_i].name);
	ck_assert_msg(!moments[_i].reason || score->reason[moments[_i].reason] == 1, "%s",
		      moments[_i].name);
}
END_TEST

/* What the kernel makes of an entry can be seen from the entry on. */
START_TEST(what_comes_of_an_entry_counts_too)
{
	struct drawn handler = pair[1];
	const struct score *score;

	handler.time_ns = pair[0].time_ns;
	begin_truth();
	add_entry(&pair[0], 0);
	add_entry(&handler, TRUTH_ENTRY_AFTER);
	end_truth(true);
	begin_profile();
	add_sample(&pair[0], 400000);
	add_sample(&handler, 500000);
	score = score_it();
	ck_assert_uint_eq(score->all.class[SCORE_EXACT], 2);
}
END_TEST

/* Times of another clock accuse nobody: then all true stacks count. */
START_TEST(another_clock_is_noticed)
{
	const struct score *score;

	begin_truth();
	add_entry(&pair[0], 0);
	add_entry(&pair[1], 0);
	end_truth(true);
	begin_profile();
	for (int i = 0; i < 10; i++)
		add_sample(&pair[0], 3000000000);
	score = score_it();
	ck_assert(score->other_clock);
	ck_assert_uint_eq(score->at_moments, 0);
	ck_assert_uint_eq(score->all.class[SCORE_EXACT], 10);
}
END_TEST

SUITE(score_moment, FIXTURE(NULL, end), TIMES(each_lie_is_found, 4),
      LOOP(the_moment_decides, moments), TEST(what_comes_of_an_entry_counts_too),
      TEST(another_clock_is_noticed))
