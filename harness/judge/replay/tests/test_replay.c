/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_replay.c - a program's points recorded and played by the walk in BPF, with and without a
 * fault
 *
 * A copy of /bin/true is stepped, its loader and its beginning, and recorded. Played as it is, each
 * stack must be the recorded one; with a fault planted (recording_fixture.h), the player must find
 * it where it is, and nothing else. After each play none of the recorded pages may be left. Where
 * there is no BPF the tests say SKIP.
 */
#include <errno.h>
#include "tests/suite.h"
#include "clock.h"
#include "judge/replay/replay.h"
#include "replay_fixture.h"

/* ---- playing ---------------------------------------------------------------------------- */

/* What was told of differences. */
struct told {
	uint64_t count, first, same_table, lost;
	bool hide; /* a page, at the first difference: below */
};

static void hide_page(uint64_t address)
{
	int file = memfd_create("page", MFD_CLOEXEC);
	void *page = (void *)(address & ~(uint64_t)(PAGE_SET_PAGE - 1));

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, page, PAGE_SET_PAGE), PAGE_SET_PAGE);
	ck_assert_ptr_eq(
		mmap(page, PAGE_SET_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0),
		page);
	close(file);
}

static void tell(void *context, const struct replay_difference *difference)
{
	struct told *told = context;
	uint64_t sp = difference->recorded->regs.value[REGISTER_RSP];

	if (!told->count++)
		told->first = difference->point;
	told->same_table += difference->same_table;
	told->lost += difference->lost;
	ck_assert_uint_eq(difference->pc, difference->recorded->regs.value[REGISTER_RIP]);
	ck_assert(difference->place[0]);
	ck_assert_int_eq(difference->has_truth, !difference->lost && difference->point != UNPROVEN);
	ck_assert(!difference->has_truth || difference->truth_right > 0);
	ck_assert(difference->lost || difference->actual->count > 0);
	/* What BPF walked here is what the table says here, unless it is BPF's own fault. */
	if (!difference->same_table) {
		ck_assert_uint_eq(difference->actual->count, difference->expected->count);
		ck_assert_uint_eq(difference->actual->stop, difference->expected->stop);
		ck_assert_uint_eq(recording_digest(difference->actual),
				  recording_digest(difference->expected));
	}
	for (uint64_t page = sp; told->hide && page <= sp + PAGE_SET_PAGE; page += PAGE_SET_PAGE)
		if (is_mapped(page))
			hide_page(page);
	told->hide = false;
}

static int play(struct replayer *replayer, const char *file, struct told *told,
		struct replay_result *result, struct error *error)
{
	struct recording *recording;
	int status;

	*told = (struct told) { .hide = told->hide };
	ck_assert_msg(!recording_open(file, &recording, error), "%s", error->message);
	uint64_t begin = monotonic_ns();

	status = replayer_play(replayer, recording, tell, told, result, error);
	/* It took time, and no more than was waited for it. */
	if (!status)
		ck_assert(result->elapsed_ns > 0 && result->elapsed_ns <= monotonic_ns() - begin);
	recording_close(recording);
	ck_assert_uint_eq(result->points, result->same + result->different + result->lost);
	ck_assert_uint_eq(told->count, result->different + result->lost);
	ck_assert_uint_eq(told->lost, result->lost);
	return status;
}

static void check_gone(uint64_t but)
{
	for (size_t i = 0; i < scan.pages; i++)
		ck_assert_msg(scan.page[i] == but / PAGE_SET_PAGE ||
				      !is_mapped(scan.page[i] * PAGE_SET_PAGE),
			      "the page 0x%lx is left",
			      (unsigned long)(scan.page[i] * PAGE_SET_PAGE));
}

/* The recording as it is, whatever was played before. */
static void play_whole(struct replayer *replayer)
{
	struct told told = { 0 };
	struct replay_result result;
	struct error error;

	ck_assert_msg(!play(replayer, path, &told, &result, &error), "%s", error.message);
	ck_assert_uint_eq(result.points, POINTS);
	ck_assert_uint_eq(result.same, POINTS);
	ck_assert_uint_gt(result.frames, 2 * POINTS);
	ck_assert_uint_eq(result.truth_points, POINTS - 1);
	ck_assert_uint_eq(result.truth_unproven, 1);
	ck_assert_uint_gt(result.truth_match[MATCH_EXACT], POINTS / 2);
	ck_assert_uint_eq(result.truth_match[MATCH_EXACT] + result.truth_match[MATCH_TRUNCATED],
			  POINTS - 1);
	check_gone(0);
}

/* A faulty one, to its end. */
static void play_planted(struct replayer *replayer, struct plant plant, struct told *told)
{
	struct replay_result result;
	struct error error;

	rewrite(path, other, plant);
	ck_assert_msg(!play(replayer, other, told, &result, &error), "%s", error.message);
	ck_assert_uint_eq(result.points, POINTS);
	ck_assert_uint_eq(result.lost, 0);
	check_gone(0);
}

static void as_it_was(struct replayer *replayer)
{

	if (!replayer)
		return;
	play_whole(replayer);
	play_whole(replayer);
}

/* ---- with a fault ----------------------------------------------------------------------- */

static void another_digest(struct replayer *replayer)
{
	static const long numbers[] = { 0, POINTS / 2, POINTS - 1 };
	struct told told = { 0 };

	for (int i = 0; i < COUNT_OF(numbers); i++) {
		play_planted(replayer, (struct plant) { numbers[i], NOWHERE, NOWHERE }, &told);
		ck_assert_uint_eq(told.count, 1);
		ck_assert_uint_eq(told.first, numbers[i]);
		ck_assert_uint_eq(told.same_table, 0);
	}
	play_whole(replayer);
}

/* A word that points to code was read for a return address: nothing else hangs on such a value.
 * So the stack is another one at the point for which it was written, whatever comes later. */
static void another_return_address(struct replayer *replayer)
{
	struct told told = { 0 };
	int planted = 0;

	for (size_t i = 0; i < scan.writes && planted < 3; i += 1 + scan.writes / 5) {
		while (i < scan.writes &&
		       (scan.write[i].size != 8 || mapping_of(scan.write[i].word) == NOWHERE))
			i++;
		if (i >= scan.writes)
			break;
		play_planted(replayer, (struct plant) { NOWHERE, (long)i, NOWHERE }, &told);
		ck_assert_uint_ge(told.count, 1);
		ck_assert_uint_eq(told.first, scan.write[i].before);
		ck_assert_uint_eq(told.same_table, 0);
		planted++;
	}
	ck_assert_int_gt(planted, 0);
	play_whole(replayer);
}

static void no_mapping(struct replayer *replayer)
{
	struct told told = { 0 };
	long mapping;

	mapping = mapping_of(scan.point[0].pc);
	ck_assert_int_ne(mapping, NOWHERE);
	play_planted(replayer, (struct plant) { NOWHERE, NOWHERE, mapping }, &told);
	ck_assert_uint_ge(told.count, 1);
	ck_assert_uint_eq(told.first, 0);
	ck_assert_uint_eq(told.same_table, 0);
	play_whole(replayer);
}

/* A point with a caller, the one before it too, on the same stack, and no word written for it. */
static long quiet_point(void)
{
	for (size_t i = POINTS / 2; i < POINTS; i++) {
		size_t w = 0;

		while (w < scan.writes && scan.write[w].before != i)
			w++;
		if (w == scan.writes && scan.point[i].frames > 1)
			return (long)i;
	}
	return NOWHERE;
}

/*
 * A walk that is at fault, not the table: at a planted difference the stack's pages become those of
 * a file, with the same bytes, which are there for who reads them, but not for BPF, which does not
 * wait.
 */
static void a_page_that_only_bpf_does_not_have(struct replayer *replayer)
{
	struct told told = { .hide = true };
	long point;

	point = quiet_point();
	ck_assert_int_ne(point, NOWHERE);
	play_planted(replayer, (struct plant) { point - 1, NOWHERE, NOWHERE }, &told);
	ck_assert_uint_eq(told.first, point - 1);
	ck_assert_uint_ge(told.count, 2);
	ck_assert_uint_eq(told.same_table, told.count - 1);
	play_whole(replayer);
}

/* ---- what can't be played --------------------------------------------------------------- */

static void another_image(struct replayer *replayer)
{
	struct told told = { 0 };
	struct replay_result result;
	struct error error;
	char away[80];
	FILE *file;
	long size;

	ck_assert_ptr_nonnull(file = fopen(program, "ae"));
	size = ftell(file);
	fputc(0, file);
	fclose(file);
	ck_assert_int_eq(play(replayer, path, &told, &result, &error), -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_msg(strstr(error.message, program) != NULL, "%s", error.message);
	ck_assert_uint_eq(result.points, 0);
	check_gone(0);
	ck_assert(!truncate(program, size));
	play_whole(replayer);

	snprintf(away, sizeof(away), "%s.away", program);
	ck_assert(!rename(program, away));
	ck_assert_int_eq(play(replayer, path, &told, &result, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_msg(strstr(error.message, program) != NULL, "%s", error.message);
	ck_assert(!rename(away, program));
	play_whole(replayer);
}

/* The first of the recorded pages, or the last that is met, when others are there already. */
static void an_address_that_is_taken(struct replayer *replayer)
{
	struct told told = { 0 };
	struct replay_result result;
	struct error error;

	for (size_t i = 0; i<scan.pages; i += scan.pages> 1 ? scan.pages - 1 : 1) {
		uint64_t address = scan.page[i] * PAGE_SET_PAGE;
		uint8_t *page = (uint8_t *)address, expected[PAGE_SET_PAGE];

		ck_assert_ptr_eq(mmap(page, PAGE_SET_PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
				 page);
		memset(page, 0x5a, PAGE_SET_PAGE);
		memset(expected, 0x5a, PAGE_SET_PAGE);
		ck_assert_int_eq(play(replayer, path, &told, &result, &error), -1);
		ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
		ck_assert_msg(strstr(error.message, "not free") != NULL, "%s", error.message);
		ck_assert_uint_eq(told.count, 0);
		ck_assert(is_mapped(address));
		ck_assert(!memcmp(page, expected, PAGE_SET_PAGE));
		check_gone(address);
		ck_assert(!munmap(page, PAGE_SET_PAGE));
		play_whole(replayer);
	}
}

/* A recording without a digest that ends too early was played up to there. */
static void cut_off(struct replayer *replayer)
{
	struct told told = { 0 };
	struct replay_result result;
	struct error error;
	FILE *file;
	long size;

	rewrite(path, other, (struct plant) { NOWHERE, NOWHERE, NOWHERE });
	ck_assert_ptr_nonnull(file = fopen(other, "r+e"));
	fputs(RECORDING_MAGIC_2, file);
	ck_assert(!fseek(file, 0, SEEK_END));
	size = ftell(file) - RECORDING_DIGEST_BYTES;
	fclose(file);
	ck_assert(!truncate(other, size - 3)); /* E and its number */
	ck_assert_int_eq(play(replayer, other, &told, &result, &error), -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_str_eq(error.section, "recording");
	ck_assert_uint_eq(error.offset, size - 3);
	ck_assert_uint_eq(result.same, POINTS);
	ck_assert_uint_eq(result.truth_points + result.truth_unproven, 0);
	check_gone(0);
	play_whole(replayer);
}

/* One after the other with one player: loading BPF is what takes the time, and whatever went wrong
 * must not be felt by the next recording. */
START_TEST(played)
{
	static const struct {
		enum walk_method method;
		const char *name;
	} methods[] = { { WALK_METHOD_LOOP, "bpf_loop" }, { WALK_METHOD_CHAIN, "tail_calls" } };
	static void (*const check[])(struct replayer *) = {
		as_it_was,
		another_digest,
		another_return_address,
		no_mapping,
		a_page_that_only_bpf_does_not_have,
		another_image,
		an_address_that_is_taken,
		cut_off,
	};
	const enum walk_method method = methods[_i].method;
	struct replayer *replayer;
	struct error error;

	if (replayer_create(method, &replayer, &error)) {
		ck_assert_msg(error.code == ERROR_UNAVAILABLE, "%s", error.message);
		printf("SKIP: %s: %s\n", methods[_i].name, error.message);
		return;
	}
	ck_assert_str_eq(replayer_method(replayer), methods[_i].name);
	scan_recording();
	for (int i = 0; i < COUNT_OF(check); i++)
		check[i](replayer);
	replayer_destroy(replayer);
}
END_TEST

SUITE(replay, FIXTURE_ONCE(record, forget), TIMES(played, 2))
