/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk_frames.c - registers that are asked for many frames later, where exactly the top frame
 * is, a window that could not be read, a tail call that fails
 *
 * As test_walk_faults.c: what a thread's stack says is written by hand, and every sample must give
 * the frames that follow from it.
 *
 * Needs BPF: where the machine may not load a program the test says SKIP with the reason and
 * passes. Each test runs once with the loop and once with tail calls, where each loads.
 */
#include <bpf/bpf.h>
#include "tests/suite.h"
#include "fault_frames.h"

#define RSP	(AREA + AREA_PAGE)
#define SAMPLES 20
#define LOW	0x10000000ull /* near enough for a CFA's offset to lead there from 0 */

BACK("save_rbx", ".cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\n"); /* c = rsp + 16 */
SPIN("before_cx", RBP_FRAME);
SPIN("spin_cx", ""); /* the byte before it has another row */
SPIN("spin_far", ".cfi_offset %rbp, -1024\n");
BACK("back_low", ".cfi_def_cfa %rbp, 0x10000010\n");

extern const char save_rbx[], spin_cx[], spin_far[], back_low[];

/* True: every sample in the state was as expected. */
static void check_state(struct fixture *f, const char *name, struct expected *expected,
			const struct spinning *spinning)
{
	expected->pid = fork_spinning(spinning, NULL);
	expected->spin = spinning->in;
	know(f, expected->pid);
	consume_until(f, expected, SAMPLES);
	end_process(f, expected);
	ck_assert_msg(expected->right >= SAMPLES && !expected->wrong,
		      "%s: %" PRIu64 " right, %" PRIu64 " wrong; last: %u frames, %s", name,
		      expected->right, expected->wrong, expected->last.count,
		      stop_reason_name(expected->last.stop));
}

/* ---- registers that are applied late ---------------------------------------------------- */

#define LAST 100 /* the frame that asks for rbx */

/* rbx was saved by the first frame, and again by this one: applied in their order, the later
 * counts. */
static const uint32_t savers[] = { 1, 31, 32, 33, 34, 63, 64, 65, 99 };

START_TEST(registers_of_many_frames_are_applied_in_order)
{
	static uint64_t frame[LAST + 2];
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, 500))
		return;
	for (int i = 0; i < COUNT(savers); i++) {
		struct expected expected = { .frame = frame,
					     .count = LAST + 2,
					     .stop = STOP_COMPLETE };
		struct spinning spinning = { .in = spin_rbx, .rsp = RSP };
		uint64_t end = RSP + 8 + 16 * LAST, decoy = end + 256, real = end + 512;

		memset((void *)AREA, 0, AREA_BYTES);
		frame[0] = (uint64_t)spin_rbx;
		poke(RSP - 8, decoy);
		poke(decoy + 8, (uint64_t)back_none);
		poke(real + 8, (uint64_t)back_root);
		for (uint32_t at = 1; at <= LAST; at++) {
			uint64_t rsp = RSP + 8 + 16 * (at - 1);

			frame[at] = (uint64_t)(at == LAST	 ? back_rbx
					       : at == savers[i] ? save_rbx
								 : back_rsp);
			poke(at == 1 ? RSP : rsp - 8, frame[at]);
			if (at == savers[i])
				poke(rsp, real);
		}
		frame[LAST + 1] = (uint64_t)back_root;
		char name[32];
		snprintf(name, sizeof(name), "saved by frame %u", savers[i]);
		check_state(&f, name, &expected, &spinning);
	}
	check_books(&f);
	fixture_deinit(&f);
}
END_TEST

/* ---- the top frame ---------------------------------------------------------------------- */

/* rcx is the PC, as behind a system call, but the thread is in none: the PC is looked up as it
 * is. */
START_TEST(rcx_alone_is_no_system_call)
{
	const uint64_t frame[] = { (uint64_t)spin_cx, (uint64_t)back_root };
	struct expected expected = { .frame = frame, .count = 2, .stop = STOP_COMPLETE };
	/* enter() has rbx in rcx. */
	struct spinning spinning = {
		.in = spin_cx, .rsp = RSP, .rbp = 1, .rbx = (uint64_t)spin_cx
	};
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, 500))
		return;
	poke(RSP, (uint64_t)back_root);
	check_state(&f, "rcx", &expected, &spinning);
	check_books(&f);
	fixture_deinit(&f);
}
END_TEST

/* ---- a window that could not be read ---------------------------------------------------- */

/* The saved rbp can't be read, and is asked for twice. The second time, too, it is not there: a
 * zero in its place would lead to a word that can be read. */
START_TEST(failed_window_is_not_read_from)
{
	const uint64_t frame[] = { (uint64_t)spin_far, (uint64_t)back_low };
	struct expected expected = { .frame = frame, .count = 2, .stop = STOP_READ_FAULT };
	struct spinning spinning = { .in = spin_far, .rsp = AREA + 64 };
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, 500))
		return;
	uint64_t *low = mmap((void *)LOW, AREA_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	ck_assert(low == (void *)LOW);
	for (uint64_t at = LOW; at < LOW + AREA_PAGE; at += 8)
		poke(at, (uint64_t)back_root);
	poke(AREA + 64, (uint64_t)back_low);
	check_state(&f, "rbp", &expected, &spinning);
	check_books(&f);
	fixture_deinit(&f);
}
END_TEST

/* ---- a tail call that fails ------------------------------------------------------------- */

static int find_map(const char *name)
{
	for (int fd = 3; fd < 1024; fd++) {
		struct bpf_map_info info = { 0 };
		uint32_t size = sizeof(info);

		if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.value_size &&
		    !strcmp(info.name, name))
			return fd;
	}
	return -1;
}

/* The stack is then cut where the first program ends, says so, and is counted. */
START_TEST(tail_call_that_fails_is_counted)
{
	static uint64_t frame[200];
	struct expected expected = { .frame = frame,
				     .count = WALK_TAIL_FRAMES,
				     .stop = STOP_DEPTH };
	struct spinning spinning = { .in = spin_rsp, .rsp = RSP };
	struct walk_counters counters;
	uint32_t zero = 0;
	struct fixture f;

	if (!fixture_init(&f, 1, (struct bpf_session_options) { 0 }) || !sample(&f, 500))
		return;
	area_chain(RSP, COUNT(frame));
	for (uint32_t i = 0; i < COUNT(frame); i++)
		frame[i] = chain_pc(i, COUNT(frame));
	int tails = find_map("sample_tails");
	ck_assert_int_ge(tails, 0);
	ck_assert(!bpf_map_delete_elem(tails, &zero));
	check_state(&f, "tail call", &expected, &spinning);
	ck_assert(!bpf_session_counters(f.session, false, &counters, &f.error));
	ck_assert_uint_ge(counters.tail_failed, SAMPLES);
	ck_assert_uint_eq(counters.tail_failed, counters.stop[STOP_DEPTH]);
	ck_assert_uint_eq(counters.samples, counters.stacks + walk_losses(&counters));
	fixture_deinit(&f);
}
END_TEST

SUITE(walk_frames, TIMEOUT(PATIENCE_TIMEOUT_S),
      LOOP(registers_of_many_frames_are_applied_in_order, methods),
      LOOP(rcx_alone_is_no_system_call, methods), LOOP(failed_window_is_not_read_from, methods),
      TEST(tail_call_that_fails_is_counted))
