/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_replay_memory.c - what is kept while a recording is played, and what is not
 *
 * The walk in user space may read the recorded pages, and nothing else of this process: what lies between
 * them is mapped here, too. The session in BPF is made up: a point is answered with the records that a
 * case says.
 */
#include "tests/suite.h"
#include "base/cli/tests/folder_shell.h"
#include "judge/replay/replay.h"

struct bpf_session;
static int answer_point(struct bpf_session *session, const struct register_values *regs,
			struct error *error);
static int give_records(struct bpf_session *session, bpf_record_fn fn, void *context,
			struct error *error);
static int take_mappings(struct bpf_session *session, const struct address_space *space,
			 struct error *error);
static void forget(struct bpf_session *session, pid_t pid);

#define bpf_session_replay	   answer_point
#define bpf_session_consume	   give_records
#define bpf_session_set_process	   take_mappings
#define bpf_session_forget_process forget
#include "judge/replay/replay.c"

#define PAGES 4u

/* Of the four pages the first two and the last were recorded. */
static const struct {
	const char *rule;
	uint64_t offset;
	size_t size;
	bool is_read;
} reads[] = {
	{ "a word", 8, 8, true },
	{ "the last of a page", PAGE_SET_PAGE - 8, 8, true },
	{ "one that lies in two", PAGE_SET_PAGE - 4, 8, true },
	{ "one of which the second half was not recorded", 2 * PAGE_SET_PAGE - 4, 8, false },
	{ "or the first", 3 * PAGE_SET_PAGE - 4, 8, false },
	{ "nor any of it", 2 * PAGE_SET_PAGE + 8, 8, false },
	{ "two pages", 0, 2 * PAGE_SET_PAGE, true },
	{ "a byte more", 0, 2 * PAGE_SET_PAGE + 1, false },
	{ "more than two, the first and the last of which were recorded", 8, 3 * PAGE_SET_PAGE,
	  false },
};

START_TEST(what_was_recorded_is_read)
{
	struct replayer replayer = { .store = NULL };
	uint8_t *bytes = aligned_alloc(PAGE_SET_PAGE, PAGES * PAGE_SET_PAGE);
	uint8_t *got = malloc(PAGES * PAGE_SET_PAGE);
	uint64_t base = (uint64_t)(uintptr_t)bytes;

	for (size_t i = 0; i < PAGES * PAGE_SET_PAGE; i++)
		bytes[i] = (uint8_t)(i * 7);
	for (unsigned int page = 0; page < PAGES; page++)
		if (page != 2)
			ck_assert(page_set_add(&replayer.memory, base + page * PAGE_SET_PAGE,
					       bytes + page * PAGE_SET_PAGE));
	ck_assert_msg(read_memory(&replayer, base + reads[_i].offset, got, reads[_i].size) ==
			      (reads[_i].is_read ? 0 : -1),
		      "%s", reads[_i].rule);
	if (reads[_i].is_read)
		ck_assert_mem_eq(got, bytes + reads[_i].offset, reads[_i].size);
	page_set_deinit(&replayer.memory);
	free(got);
	free(bytes);
}
END_TEST

/* No end of it is before its begin. */
START_TEST(an_address_that_goes_round_is_not_read)
{
	struct replayer replayer = { .store = NULL };
	uint64_t got;

	ck_assert_int_eq(read_memory(&replayer, UINT64_MAX - 3, &got, sizeof(got)), -1);
}
END_TEST

/* ---- points ------------------------------------------------------------------------------- */

static struct walk_record record;
static bool comes;
static size_t mappings_taken;
static pid_t forgotten;

static int answer_point(struct bpf_session *session, const struct register_values *regs,
			struct error *error)
{
	return 0;
}

static int give_records(struct bpf_session *session, bpf_record_fn fn, void *context,
			struct error *error)
{
	if (comes)
		fn(context, &record, false);
	return 0;
}

static int take_mappings(struct bpf_session *session, const struct address_space *space,
			 struct error *error)
{
	mappings_taken = space->mapping_count;
	return 0;
}

static void forget(struct bpf_session *session, pid_t pid)
{
	forgotten = pid;
}

static struct replay_difference told;

static void tell(void *context, const struct replay_difference *difference)
{
	told = *difference;
}

/* Each point was recorded as three frames that end, of which the truth is known for two. */
static const struct {
	const char *rule;
	bool comes;
	unsigned int entry, frames;
	bool same, lost;
	uint32_t right;
} points[] = {
	{ "the recorded stack", true, WALK_ENTRY_REPLAY, 3, true, false, 3 },
	{ "another one", true, WALK_ENTRY_REPLAY, 2, false, false, 2 },
	{ "nothing", false, WALK_ENTRY_REPLAY, 3, false, true, 0 },
	{ "another walk's", true, WALK_ENTRY_STEP, 3, false, true, 0 },
	{ "more than a walk has", true, WALK_ENTRY_REPLAY, WALK_FRAMES_MAX + 1, false, true, 0 },
};

/* Of the point before, which was answered as it was recorded, nothing is left. */
START_TEST(point_is_the_same_or_different_or_lost)
{
	struct replay_result result = { 0 };
	struct replayer replayer = { .result = &result, .fn = tell, .truth_known = true };
	struct recording_point point = { .frames = 3, .stop = STOP_COMPLETE, .truth_frames = 2 };
	const bool has_truth = !points[_i].lost;
	struct error error;

	replayer.actual.limit = replayer.expected.limit = WALK_FRAMES_MAX;
	for (unsigned int i = 0; i < 4; i++)
		record.pc[i] = point.truth[i] = 0x1000 + i;
	point.digest = recording_digest(&(struct stack) { .pc = point.truth, .count = 3 });
	record.stop = STOP_COMPLETE;
	record.entry = WALK_ENTRY_REPLAY;
	record.count = 3;
	comes = true;
	ck_assert(!play_point(&replayer, &point, &error) && result.same == 1);
	told.point = 77;
	comes = points[_i].comes;
	record.entry = points[_i].entry;
	record.count = points[_i].frames;
	ck_assert_msg(!play_point(&replayer, &point, &error), "%s: %s", points[_i].rule,
		      error.message);
	ck_assert_msg(result.points == 2 && result.same == 1u + points[_i].same &&
			      result.lost == points[_i].lost &&
			      result.different == !(points[_i].same || points[_i].lost),
		      "%s: %lu same, %lu different, %lu lost", points[_i].rule, result.same,
		      result.different, result.lost);
	ck_assert_msg(result.frames == 3 + (points[_i].lost ? 0 : points[_i].frames), "%s: %lu",
		      points[_i].rule, result.frames);
	ck_assert_msg(result.truth_points == 1u + has_truth, "%s", points[_i].rule);
	/* Behind what is known no frame is one too many. */
	ck_assert_msg(result.truth_match[MATCH_EXACT] == result.truth_points, "%s",
		      points[_i].rule);
	ck_assert_msg(points[_i].same ? told.point == 77
				      : told.point == 1 && told.lost == points[_i].lost &&
						told.has_truth == has_truth &&
						told.truth_right == points[_i].right &&
						told.actual->count ==
							(points[_i].lost ? 0 : points[_i].frames),
		      "%s", points[_i].rule);
	stack_deinit(&replayer.actual);
	stack_deinit(&replayer.expected);
}
END_TEST

/* ---- what is left of it ------------------------------------------------------------------- */

START_TEST(mappings_take_the_place_of_those_before)
{
	const struct recording_mapping mapping = { .start = 1, .end = 2, .path = "p" };
	struct replayer replayer = { .store = NULL };
	struct error error;

	for (size_t count = 3; count; count--) {
		for (size_t i = 0; i < count; i++)
			ck_assert(!set_mapping(&replayer, &mapping, i, count, &error));
		ck_assert_uint_eq(mappings_taken, count);
	}
	ck_assert(!set_mapping(&replayer, NULL, 0, 0, &error));
	ck_assert_uint_eq(mappings_taken, 0);
	address_space_deinit(&replayer.space);
}
END_TEST

/* Memory, mappings, and what the session knows of the process. */
START_TEST(nothing_is_left_behind_its_end)
{
	static const uint8_t bytes[] = RECORDING_MAGIC_1 "N\1pM\1\1\1\0\0\1pE";
	struct replayer replayer = { .space.pid = 4711 };
	struct replay_result result;
	struct recording *recording;
	struct error error;

	/* E and the number of points: the string's own end. */
	ck_assert_msg(!recording_create(bytes, sizeof(bytes), &recording, &error), "%s",
		      error.message);
	ck_assert_msg(!replayer_play(&replayer, recording, tell, NULL, &result, &error), "%s",
		      error.message);
	ck_assert_uint_eq(mappings_taken, 1);
	ck_assert_int_eq(forgotten, 4711);
	ck_assert(!replayer.space.mapping_count && !replayer.memory.count);
	recording_close(recording);
}
END_TEST

/* ---- one after the other ------------------------------------------------------------------ */

static int read_nothing(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

#define POINTS_MAX 40

/* A run of so many points, each with a truth of two frames; that of some did not stand. cut: E and what follows is
 * missing. */
static const struct run {
	const char *name;
	unsigned int points;
	uint64_t unproven[4]; /* numbers + 1 */
	bool cut;
} runs[] = {
	{ "some", 5, { 2, 4, 5 }, false }, { "others", 20, { 1, 18 }, false },
	{ "none", 20, { 0 }, false },	   { "cut_off", 7, { 3 }, true },
	{ "the_last", 40, { 40 }, false }, { "of_one_point", 1, { 1 }, false },
	{ "of_none", 0, { 0 }, false },	   { "cut_off_behind_none", 2, { 0 }, true },
	{ "the_first", 9, { 1 }, false },
};

/* To be freed. */
static uint8_t *make_recording(const struct run *run, size_t *ret_size)
{
	char path[FOLDER_PATH];
	const struct memory_reader reader = { .read = read_nothing };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct address_space space = { .mapping_count = 0 };
	uint64_t pc[] = { 0, 0x2000 };
	const struct stack truth = { .pc = pc, .count = 2, .stop = STOP_COMPLETE };
	struct recording_writer *writer;
	struct error error;
	uint8_t *bytes = calloc(1, 1u << 16);
	FILE *file;

	folder_make();
	folder_path(path, "recording");
	ck_assert(!recording_writer_create(path, "p", &writer, &error));
	for (unsigned int i = 0; i < run->points; i++) {
		pc[0] = 0x1000 + i;
		recording_writer_truth(writer, &truth, true);
		regs.value[REGISTER_RIP] = 0x5000 + i;
		ck_assert(!recording_writer_point(writer, &space, &regs, &reader, &error));
	}
	for (int i = 0; i < 4 && run->unproven[i]; i++)
		recording_writer_unproven(writer, run->unproven[i] - 1);
	ck_assert(!recording_writer_close(writer, true, &error));
	file = fopen(path, "re");
	*ret_size = fread(bytes, 1, 1u << 16, file);
	fclose(file);
	if (run->cut) { /* of a version without a digest, where that does not show before it is played */
		memcpy(bytes, RECORDING_MAGIC_2, strlen(RECORDING_MAGIC_2));
		*ret_size -= RECORDING_DIGEST_BYTES + 2;
	}
	folder_remove();
	return bytes;
}

struct heard {
	unsigned int count;
	bool has_truth[POINTS_MAX];
};

/* All that is told is another stack. */
static void hear(void *context, const struct replay_difference *difference)
{
	struct heard *heard = context;

	ck_assert_uint_eq(difference->point, heard->count);
	ck_assert_uint_eq(difference->pc, 0x5000 + difference->point);
	ck_assert(!difference->lost && difference->same_table);
	ck_assert_int_eq(difference->has_truth ? difference->truth_match : MATCH_WRONG,
			 MATCH_WRONG);
	heard->has_truth[heard->count++] = difference->has_truth;
}

/* With one player: nothing of a recording is the next one's, neither which truths stood nor who is told. */
START_TEST(recordings_are_played_one_after_the_other)
{
	struct replayer replayer = { .space.pid = 4711 };
	struct recording *recording;
	struct error error;

	replayer.actual.limit = replayer.expected.limit = WALK_FRAMES_MAX;
	record = (struct walk_record) { .entry = WALK_ENTRY_REPLAY,
					.count = 2,
					.stop = STOP_COMPLETE };
	record.pc[0] = 1;
	record.pc[1] = 2;
	comes = true;
	for (size_t i = 0; i < 2 * sizeof(runs) / sizeof(runs[0]); i++) {
		const struct run *run = &runs[i % (sizeof(runs) / sizeof(runs[0]))];
		struct replay_result result = { .points = 99, .truth_unproven = 99, .same = 99 };
		struct heard heard = { .count = 0 };
		unsigned int unproven = 0;
		size_t size;
		uint8_t *bytes = make_recording(run, &size);

		ck_assert_msg(!recording_create(bytes, size, &recording, &error), "%s",
			      error.message);
		ck_assert_msg(replayer_play(&replayer, recording, hear, &heard, &result, &error) ==
				      (run->cut ? -1 : 0),
			      "%s: %s", run->name, error.message);
		for (unsigned int point = 0; point < run->points; point++) {
			bool stands = !run->cut;

			for (int j = 0; j < 4; j++)
				stands &= run->unproven[j] != point + 1;
			ck_assert_msg(heard.has_truth[point] == stands, "%s: %u", run->name, point);
			unproven += !stands;
		}
		ck_assert_uint_eq(heard.count, run->points);
		ck_assert_uint_eq(result.points, run->points);
		ck_assert_uint_eq(result.different, run->points);
		ck_assert_uint_eq(result.frames, 2 * run->points);
		ck_assert(!result.same && !result.lost);
		ck_assert_uint_eq(result.truth_points, run->points - unproven);
		ck_assert_uint_eq(result.truth_match[MATCH_WRONG], run->points - unproven);
		ck_assert_uint_eq(result.truth_unproven, run->cut ? 0 : unproven);
		/* Nobody need be told. */
		ck_assert_int_eq(replayer_play(&replayer, recording, NULL, NULL, &result, &error),
				 run->cut ? -1 : 0);
		ck_assert_uint_eq(heard.count, run->points);
		ck_assert_uint_eq(result.different, run->points);
		recording_close(recording);
		free(bytes);
	}
	stack_deinit(&replayer.actual);
	stack_deinit(&replayer.expected);
}
END_TEST

/* It is not there any more, for whoever reads. */
START_TEST(absent_memory_is_gone)
{
	struct replayer replayer = { .store = NULL };
	uint8_t *free_page = mmap(NULL, PAGE_SET_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				  0);
	uint64_t address = (uint64_t)(uintptr_t)free_page + 16, got;
	struct error error;

	munmap(free_page, PAGE_SET_PAGE);
	ck_assert(!write_memory(&replayer, address, (const uint8_t *)"recorded", 8, &error));
	ck_assert(!read_memory(&replayer, address, &got, sizeof(got)));
	ck_assert(!memcmp((void *)address, "recorded", 8));
	ck_assert(!make_absent(&replayer, address, &error));
	ck_assert_int_eq(read_memory(&replayer, address, &got, sizeof(got)), -1);
	ck_assert(msync(free_page, PAGE_SET_PAGE, MS_ASYNC) == -1 && errno == ENOMEM);
	ck_assert(!make_absent(&replayer, address, &error));
	forget_memory(&replayer);
}
END_TEST

SUITE(replay_memory, LOOP(what_was_recorded_is_read, reads),
      TEST(an_address_that_goes_round_is_not_read),
      LOOP(point_is_the_same_or_different_or_lost, points),
      TEST(mappings_take_the_place_of_those_before), TEST(nothing_is_left_behind_its_end),
      TEST(recordings_are_played_one_after_the_other), TEST(absent_memory_is_gone))
