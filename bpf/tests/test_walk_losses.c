/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk_losses.c - what the walk does when something is taken from it, or full
 *
 * Processes that are killed in mid-walk, a stack whose memory comes and goes under the walk, a ring
 * buffer nobody empties, a scratch that is in use, arrays without room. Each time samples in are
 * stacks out and losses counted by name, no stack is wrong, and afterwards all is as before.
 *
 * Needs BPF: where the machine may not load a program the test says SKIP with the reason and
 * passes. Each test runs once with the loop and once with tail calls, where each loads.
 */
#include <pthread.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "tests/suite.h"
#include "fault_frames.h"

#define KILLED		200 /* processes, at least */
#define ROUNDS_MAX	(20 * KILLED)
#define DEEP		1000
#define PERIOD_US	50
#define RECORDS_IN_RING (4 * 1024 * 1024 / (8 * DEEP))

/* The stack that all processes here have. */
static struct expected deep_stack(void)
{
	static uint64_t frame[DEEP];

	area_chain(AREA, DEEP);
	for (uint32_t i = 0; i < DEEP; i++)
		frame[i] = chain_pc(i, DEEP);
	return (struct expected) {
		.spin = spin_rsp, .frame = frame, .count = DEEP, .stop = STOP_COMPLETE
	};
}

static const struct spinning deep = { .in = spin_rsp, .rsp = AREA };

/* ---- processes that end ----------------------------------------------------------------- */

START_TEST(killed_in_mid_walk)
{
	struct walk_counters counters;
	bool enough = false;
	int killed = 0;
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, PERIOD_US))
		return;
	struct expected expected = deep_stack();
	/* On a busy machine some end before they are in the state, or where nobody samples them. */
	for (int round = 0; round < KILLED || (round < ROUNDS_MAX && !enough); round++) {
		struct timespec time = { .tv_nsec = 1000000 + round * 37957 % 3000000 };

		expected.pid = fork_spinning(&deep, NULL);
		know(&f, expected.pid);
		nanosleep(&time, NULL);
		end_process(&f, &expected);
		ck_assert(!bpf_session_counters(f.session, false, &counters, &f.error));
		enough = expected.right >= KILLED && counters.ending;
		killed++;
	}
	counters = check_books(&f);
	printf("%s: %d processes killed in %" PRIu64 " walks, %" PRIu64 " in the state; %" PRIu64
	       " samples at their end\n",
	       methods[_i].name, killed, (uint64_t)counters.samples, expected.right,
	       (uint64_t)counters.ending);
	fflush(stdout);
	ck_assert_uint_eq(expected.wrong, 0);
	ck_assert_uint_ge(expected.right, KILLED);
	ck_assert_uint_gt(counters.ending, 0);
	fixture_deinit(&f);
}
END_TEST

/* ---- memory that comes and goes --------------------------------------------------------- */

#define UPPER (AREA + 2 * AREA_PAGE)

static void *toggle_protection(void *unused)
{
	for (;;) {
		mprotect((void *)UPPER, AREA_END - UPPER, PROT_NONE);
		mprotect((void *)UPPER, AREA_END - UPPER, PROT_READ | PROT_WRITE);
	}
	return unused;
}

static void start_toggling(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, toggle_protection, NULL);
}

/* A second thread takes the upper pages away and gives them back, all the time: the stack is
 * whole, or it ends where there was nothing to read. */
START_TEST(memory_is_taken_away_in_mid_walk)
{
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, PERIOD_US))
		return;
	struct expected expected = deep_stack();
	expected.may_be_cut = true;
	expected.pid = fork_spinning(&deep, start_toggling);
	know(&f, expected.pid);
	for (uint64_t count = 1000; count < 100000; count += 1000) {
		consume_until(&f, &expected, count);
		if (count >= 4000 && expected.right && expected.cut)
			break;
	}
	end_process(&f, &expected);
	check_books(&f);
	printf("%s: %" PRIu64 " whole, %" PRIu64 " cut\n", methods[_i].name, expected.right,
	       expected.cut);
	fflush(stdout);
	ck_assert_uint_eq(expected.wrong, 0);
	ck_assert_uint_gt(expected.right, 0);
	ck_assert_uint_gt(expected.cut, 0);
	fixture_deinit(&f);
}
END_TEST

/* ---- what is full ----------------------------------------------------------------------- */

/* Takes no stack until so many samples were lost. */
static struct walk_counters wait_for_losses(struct fixture *f, uint64_t count)
{
	struct walk_counters counters = { 0 };

	uint64_t until = patience();

	while (counters.lost_space + counters.lost_busy < count && waits(until, 10))
		ck_assert(!bpf_session_counters(f->session, false, &counters, &f->error));
	ck_assert_uint_ge(counters.lost_space + counters.lost_busy, count);
	return counters;
}

/* All is as it should be again, and the books are right. */
static void check_recovery(struct fixture *f, struct expected *expected)
{
	consume(f, expected);
	consume_until(f, expected, expected->right + 100);
	ck_assert_uint_eq(expected->cut, 0);
	end_process(f, expected);
	check_books(f);
	ck_assert_uint_ge(expected->right, 100);
	ck_assert_uint_eq(expected->wrong, 0);
}

START_TEST(ring_buffer_is_full)
{
	struct walk_counters counters;
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, PERIOD_US))
		return;
	struct expected expected = deep_stack();
	expected.pid = fork_spinning(&deep, NULL);
	know(&f, expected.pid);
	counters = wait_for_losses(&f, 100);
	ck_assert_uint_ge(counters.lost_space, 100);
	consume(&f, &expected);
	ck_assert_uint_gt(expected.right, RECORDS_IN_RING / 2);
	check_recovery(&f, &expected);
	fixture_deinit(&f);
}
END_TEST

/* The map of a name among the file descriptors of this process, which has one session. -1: none. */
static int find_map(const char *name, struct bpf_map_info *ret)
{
	for (int fd = 3; fd < 1024; fd++) {
		uint32_t size = sizeof(*ret);

		memset(ret, 0, sizeof(*ret));
		if (!bpf_obj_get_info_by_fd(fd, ret, &size) && ret->value_size &&
		    !strcmp(ret->name, name))
			return fd;
	}
	return -1;
}

/* Marks the scratches of all CPUs, as if a walk were under way there that the samples interrupt;
 * were: what they must have been marked with. */
static void set_busy(uint32_t were, uint32_t busy)
{
	uint32_t entry = WALK_ENTRY_SAMPLE;
	int cpus = libbpf_num_possible_cpus();
	struct bpf_map_info info;
	int map = find_map("scratches", &info);

	ck_assert_int_ge(map, 0);
	ck_assert_uint_eq(info.value_size, sizeof(struct walk_scratch));
	char *scratch = calloc(cpus, info.value_size);
	ck_assert(!bpf_map_lookup_elem(map, &entry, scratch));
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct walk_scratch *one = (struct walk_scratch *)(scratch + cpu * info.value_size);

		ck_assert_uint_eq(one->busy, were);
		one->busy = busy;
	}
	ck_assert(!bpf_map_update_elem(map, &entry, scratch, BPF_ANY));
	free(scratch);
}

/* An entry adds to counters that no other one writes to, which may interrupt it anywhere. */
static void check_owner(uint32_t owner)
{
	int cpus = libbpf_num_possible_cpus();
	struct walk_counters *counters = calloc(cpus, sizeof(*counters));
	struct bpf_map_info info;
	int map = find_map("counters", &info);

	ck_assert_int_ge(map, 0);
	ck_assert_uint_eq(info.value_size, sizeof(*counters));
	for (uint32_t entry = 0; entry < WALK_ENTRY_COUNT; entry++) {
		uint64_t written = 0;

		ck_assert(!bpf_map_lookup_elem(map, &entry, counters));
		for (int cpu = 0; cpu < cpus; cpu++)
			written += counters[cpu].lost_busy + counters[cpu].unknown;
		ck_assert_msg(!written == (entry != owner), "entry %u", entry);
	}
	free(counters);
}

START_TEST(scratch_is_in_use)
{
	struct walk_counters counters;
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, PERIOD_US))
		return;
	struct expected expected = deep_stack();
	set_busy(0, 1);
	expected.pid = fork_spinning(&deep, NULL);
	know(&f, expected.pid);
	counters = wait_for_losses(&f, 100);
	ck_assert_uint_ge(counters.lost_busy, 100);
	ck_assert_uint_eq(counters.stacks, 0);
	ck_assert_uint_eq(counters.samples, counters.lost_busy);
	check_owner(WALK_ENTRY_SAMPLE);
	/* The walk that was interrupted has ended; and who was refused has left no mark. Nobody
	 * enters meanwhile. */
	ck_assert(!kill(expected.pid, SIGSTOP));
	ck_assert_int_eq(waitpid(expected.pid, NULL, WUNTRACED), expected.pid);
	set_busy(1, 0);
	ck_assert(!kill(expected.pid, SIGCONT));
	check_recovery(&f, &expected);
	fixture_deinit(&f);
}
END_TEST

/* What a process gets is taken whole or not at all. */
static const struct {
	const char *name;
	struct bpf_session_options options;
	uint32_t code; /* mappings more, the second time */
	bool other;    /* the second time it is for another process */
	enum error_code error;
} full_cases[] = {
	{ "mappings", { .mapping_capacity = WALK_CHUNK_MAPPINGS }, 5000, false, ERROR_TABLE_LIMIT },
	{ "mappings_of_one", { 0 }, WALK_CHUNK_MAPPINGS, false, ERROR_UNAVAILABLE },
	{ "processes", { .process_capacity = 1 }, 0, true, ERROR_TABLE_LIMIT },
};

START_TEST(what_does_not_fit_changes_nothing)
{
	struct fixture f;

	if (!fixture_init(&f, 0, full_cases[_i].options) || !sample(&f, 500))
		return;
	struct expected expected = deep_stack();
	expected.pid = fork_spinning(&deep, NULL);
	know(&f, expected.pid);
	uint32_t generation = bpf_session_generation(f.session, expected.pid);
	ck_assert_uint_ne(generation, 0);
	map_own_code(&f, full_cases[_i].code, NULL);
	ck_assert(!address_space_read(&f.space, f.store, getpid(), &f.error));
	f.space.pid = full_cases[_i].other ? getpid() : expected.pid;
	for (int again = 0; again < 3; again++) {
		f.error = (struct error) { 0 };
		ck_assert_int_eq(bpf_session_set_process(f.session, &f.space, &f.error), -1);
		ck_assert_msg(f.error.code == full_cases[_i].error, "%s: %s", full_cases[_i].name,
			      f.error.message);
	}
	ck_assert_uint_eq(bpf_session_generation(f.session, expected.pid), generation);
	consume_until(&f, &expected, 100);
	ck_assert_uint_eq(expected.last.generation, generation);
	check_recovery(&f, &expected);
	fixture_deinit(&f);
}
END_TEST

SUITE(walk_losses, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(killed_in_mid_walk, methods),
      LOOP(memory_is_taken_away_in_mid_walk, methods), LOOP(ring_buffer_is_full, methods),
      LOOP(scratch_is_in_use, methods), LOOP(what_does_not_fit_changes_nothing, full_cases))
