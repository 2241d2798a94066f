/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_session.c - the BPF walk's books: what is loaded, what is full, what adds up
 *
 * Needs BPF: where the machine may not load a program the test says SKIP with the reason and
 * passes. Each test runs once with the loop and once with tail calls, where each loads.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "session_fixture.h"

struct seen {
	pid_t pid;
	uint64_t records, foreign, in_busy, frames;
	uint64_t stop[STOP_REASON_COUNT];
};

static void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct seen *seen = context;
	uint64_t start = (uint64_t)busy;

	ck_assert(!frame_pointer);
	ck_assert_uint_eq(record->entry, WALK_ENTRY_SAMPLE);
	ck_assert_uint_le(record->count, WALK_FRAMES_MAX);
	ck_assert_uint_lt(record->stop, STOP_REASON_COUNT);
	seen->records++;
	seen->frames += record->count;
	seen->stop[record->stop]++;
	seen->foreign += (pid_t)record->pid != seen->pid;
	seen->in_busy += record->pc[0] - start < 256 && record->count >= 3;
}

/* Until there are so many records. */
static void collect(struct fixture *f, struct seen *seen, uint64_t wanted)
{
	for (uint64_t until = patience(); seen->records < wanted && waits(until, 20);)
		ck_assert(!bpf_session_consume(f->session, on_record, seen, &f->error));
}

START_TEST(samples_add_up)
{
	struct walk_counters counters;
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { 0 }))
		return;
	struct seen seen = { .pid = fork_child(busy) };
	f.space.pid = seen.pid; /* a fork has its parent's mappings */
	ck_assert_msg(!bpf_session_set_process(f.session, &f.space, &f.error), "%s",
		      f.error.message);
	if (bpf_session_attach_samples(f.session, seen.pid, -1, 499, &f.error)) {
		printf("SKIP: %s\n", f.error.message);
		end_child(seen.pid);
		teardown(&f);
		return;
	}
	collect(&f, &seen, 100);
	bpf_session_detach(f.session);
	end_child(seen.pid);
	ck_assert(!bpf_session_consume(f.session, on_record, &seen, &f.error));
	ck_assert(!bpf_session_counters(f.session, false, &counters, &f.error));
	uint64_t stops = 0;
	for (int stop = 0; stop < STOP_REASON_COUNT; stop++) {
		ck_assert_uint_eq(counters.stop[stop], seen.stop[stop]);
		stops += counters.stop[stop];
	}
	ck_assert_uint_ge(seen.records, 100);
	ck_assert_uint_eq(counters.samples, counters.stacks + walk_losses(&counters));
	ck_assert_uint_eq(counters.stacks, seen.records);
	ck_assert_uint_eq(counters.frames, seen.frames);
	ck_assert_uint_eq(stops, seen.records);
	ck_assert_uint_eq(counters.tail_failed, 0);
	ck_assert_uint_eq(seen.foreign, 0);
	ck_assert_uint_gt(seen.in_busy, seen.records / 2);
	ck_assert_uint_gt(seen.stop[STOP_COMPLETE], seen.records / 2);
	teardown(&f);
}
END_TEST

START_TEST(forgotten_process_gives_no_records)
{
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { 0 }))
		return;
	struct seen seen = { .pid = fork_child(busy) };
	f.space.pid = seen.pid;
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_samples(f.session, seen.pid, -1, 499, &f.error))
		goto out;
	collect(&f, &seen, 10);
	ck_assert_uint_ge(seen.records, 10);
	bpf_session_forget_process(f.session, seen.pid);
	await_programs(); /* a walk that had begun ends */
	ck_assert(!bpf_session_consume(f.session, on_record, &seen, &f.error));
	uint64_t before = seen.records;
	await_cpu(seen.pid, 100); /* 50 samples */
	ck_assert(!bpf_session_consume(f.session, on_record, &seen, &f.error));
	ck_assert_uint_eq(seen.records, before);
	ck_assert_msg(!bpf_session_set_process(f.session, &f.space, &f.error), "%s",
		      f.error.message);
	collect(&f, &seen, before + 1);
	ck_assert_uint_gt(seen.records, before);
out:
	end_child(seen.pid);
	teardown(&f);
}
END_TEST

/* More times than there are lists of mappings; then the room for processes is still whole. */
START_TEST(setting_again_exhausts_nothing)
{
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { .process_capacity = 3 }))
		return;
	for (int i = 0; i < 200; i++)
		ck_assert_msg(!bpf_session_set_process(f.session, &f.space, &f.error), "%d: %s", i,
			      f.error.message);
	for (int i = 0; i < 50; i++) {
		f.space.pid = 100000 + i;
		ck_assert_msg(!bpf_session_set_process(f.session, &f.space, &f.error), "%d: %s", i,
			      f.error.message);
		bpf_session_forget_process(f.session, f.space.pid);
		bpf_session_forget_process(f.session, f.space.pid); /* unknown by now */
	}
	for (int i = 0; i < 2; i++) {
		f.space.pid = 200000 + i;
		ck_assert_msg(!bpf_session_set_process(f.session, &f.space, &f.error), "%s",
			      f.error.message);
	}
	f.space.pid = 300000;
	ck_assert_int_eq(bpf_session_set_process(f.session, &f.space, &f.error), -1);
	ck_assert_int_eq(f.error.code, ERROR_TABLE_LIMIT);
	bpf_session_forget_process(f.session, 200000);
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	teardown(&f);
}
END_TEST

static const struct {
	const char *name;
	struct bpf_session_options options;
} full_cases[] = {
	{ "pages", { .page_capacity = 4 } },	{ "entries", { .entry_capacity = 100 } },
	{ "shapes", { .shape_capacity = 20 } }, { "rules", { .rule_capacity = 8 } },
	{ "places", { .place_capacity = 2 } },
};

START_TEST(full_array_is_an_error_each_time)
{
	struct fixture f;

	if (!setup(&f, 1, full_cases[_i].options))
		return;
	for (int again = 0; again < 3; again++) {
		f.error = (struct error) { 0 };
		int status = bpf_session_set_process(f.session, &f.space, &f.error);
		ck_assert_msg(status == -1 && f.error.code == ERROR_TABLE_LIMIT, "%s: %d %s",
			      full_cases[_i].name, status, error_code_name(f.error.code));
	}
	teardown(&f);
}
END_TEST

SUITE(session, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(samples_add_up, methods),
      LOOP(forgotten_process_gives_no_records, methods),
      LOOP(setting_again_exhausts_nothing, methods),
      LOOP(full_array_is_an_error_each_time, full_cases))
