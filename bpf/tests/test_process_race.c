/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_race.c - are those stacks raced, and only those, that the walk may have got wrong?
 *
 * A child is sampled while it maps code and runs in it, before anybody follows that. Needs BPF and
 * perf events: where the machine may not use them a test says SKIP with the reason and passes.
 */
#include "tests/suite.h"
#include "process_fixture.h"

struct race {
	pid_t pid;
	uint64_t change_ns;  /* it mapped something after that */
	uint32_t generation; /* of the list before */
	uint64_t before, after, touching, fresh, nameless;
	uint64_t raced_before, raced_after, unraced_touching, raced_fresh, fresh_there;
};

static bool is_there(const struct walk_record *record)
{
	bool there = false;

	for (uint32_t i = 0; i < record->count; i++)
		there |= record->pc[i] - (uint64_t)SOME_ADDRESS < 4096;
	return there;
}

static void judge(void *context, const struct process_stack *stack)
{
	const struct walk_record *record = stack->record;
	struct race *race = context;

	ck_assert_int_eq(record->pid, race->pid);
	race->nameless += !stack->space;
	if (record->generation != race->generation) {
		race->fresh++;
		race->raced_fresh += stack->raced;
		race->fresh_there += is_there(record) && record->stop == STOP_COMPLETE;
	} else if (record->time < race->change_ns) {
		race->before++;
		race->raced_before += stack->raced;
	} else if (is_there(record)) {
		race->touching++;
		race->unraced_touching += !stack->raced;
	} else {
		race->after++;
		race->raced_after += stack->raced;
	}
}

/* A stack that is younger than the change, by a list that is older, and with a frame where it
 * was. */
START_TEST(stacks_between_change_and_list_are_raced)
{
	struct race race;
	struct fixture f;
	int tries = 0;

again:
	race = (struct race) { 0 };
	if (!setup(&f, 0, 8))
		return;
	if (bpf_session_attach_samples(f.session, f.pid, -1, 999, &f.error)) {
		printf("SKIP: %s\n", f.error.message);
		teardown(&f);
		return;
	}
	race.pid = f.pid;
	race.generation = bpf_session_generation(f.session, f.pid);
	tell(&f, COMMAND_SPIN, 200);
	race.change_ns = monotonic_ns();
	tell(&f, COMMAND_SPIN_THERE, 300);
	tell(&f, COMMAND_SPIN, 200);
	ck_assert(!process_events_consume(f.events, judge, &race, &f.error));
	/* The same is mapped there again, which changes nothing. */
	for (int i = 0; i < 20 && race.fresh_there < 20; i++) {
		tell(&f, COMMAND_SPIN_THERE, 200);
		ck_assert(!process_events_consume(f.events, judge, &race, &f.error));
	}
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_ge(race.before, 20);
	ck_assert_uint_ge(race.touching, 20);
	ck_assert_uint_ge(race.after, 20);
	ck_assert_uint_ge(race.fresh_there, 20);
	ck_assert_uint_eq(race.raced_before, 0);
	ck_assert_uint_eq(race.unraced_touching, 0);
	ck_assert_uint_eq(race.raced_after, 0);
	ck_assert_uint_eq(race.raced_fresh, 0);
	ck_assert_uint_eq(race.nameless, 0);
	ck_assert_uint_eq(counters(&f).stacks,
			  race.before + race.touching + race.after + race.fresh);
	ck_assert_uint_eq(counters(&f).raced, race.touching);
	teardown(&f);
}
END_TEST

/* Its stacks come after its end was told, and still have its mappings. */
START_TEST(stacks_of_the_dead_keep_their_mappings)
{
	struct race race;
	struct fixture f;
	int tries = 0;

again:
	race = (struct race) { .change_ns = UINT64_MAX };
	if (!setup(&f, 0, 8))
		return;
	if (bpf_session_attach_samples(f.session, f.pid, -1, 999, &f.error)) {
		printf("SKIP: %s\n", f.error.message);
		teardown(&f);
		return;
	}
	ck_assert(!process_events_consume(f.events, judge, &race, &f.error));
	race.pid = f.pid;
	race.generation = bpf_session_generation(f.session, f.pid);
	tell(&f, COMMAND_SPIN, 200);
	kill(f.pid, SIGKILL);
	waitpid(f.pid, NULL, 0);
	ck_assert(!process_events_consume(f.events, judge, &race, &f.error));
	if (must_try_again(&f, &tries))
		goto again;
	assert_forgotten(&f, "killed", f.pid);
	ck_assert_uint_ge(race.before, 20);
	ck_assert_uint_eq(race.nameless + race.raced_before, 0);
	f.pid = 0;
	teardown(&f);
}
END_TEST

SUITE(process_race, TIMEOUT(PATIENCE_TIMEOUT_S), TEST(stacks_between_change_and_list_are_raced),
      TEST(stacks_of_the_dead_keep_their_mappings))
