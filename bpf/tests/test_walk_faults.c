/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk_faults.c - threads in bad states: what comes out of the walk, and why it ended
 *
 * Each case is a process with the registers and the words on its stack that the case names. Every
 * sample in that state must give the same: the frames that can be known, and the stop that says why
 * there is no more. A frame that lies behind what is broken would be a guess.
 *
 * A return address that leads nowhere is the last frame: it was read where the CFI says, and that
 * nothing is known there is what STOP_NO_MAPPING and STOP_NO_ROW tell.
 *
 * Needs BPF: where the machine may not load a program the test says SKIP with the reason and
 * passes. Each test runs once with the loop and once with tail calls, where each loads.
 */
#include "tests/suite.h"
#include "fault_frames.h"

#define FRAMES_MAX 8
#define SAMPLES	   20

/* Where the stack begins in most cases; S is one of its words. */
#define RSP	 (AREA + AREA_PAGE + 64)
#define FILE_RSP (FILE_AREA + AREA_PAGE - 16)
#define S(word)	 (RSP + 8 * (word))
#define KERNEL	 0xffff888000001000ull
#define NOWHERE	 0x220000000ull /* canonical, unmapped */
#define TORN	 0x8000000000000000ull

/* The upper pages are given back to the file: the next to touch one gets it again. A walk in the
 * kernel must not wait for that. */
static void drop_file_pages(void)
{
	for (uint64_t at = FILE_AREA; at < FILE_AREA + AREA_BYTES; at += AREA_PAGE)
		*(volatile uint64_t *)at = *(volatile uint64_t *)at;
	madvise((void *)(FILE_AREA + AREA_PAGE), AREA_BYTES - AREA_PAGE, MADV_DONTNEED);
}

static void drop_upper_pages(void)
{
	madvise((void *)(AREA + 2 * AREA_PAGE), AREA_BYTES - 2 * AREA_PAGE, MADV_DONTNEED);
}

static void protect_upper_pages(void)
{
	mprotect((void *)(AREA + 2 * AREA_PAGE), AREA_BYTES - 2 * AREA_PAGE, PROT_NONE);
}

#define WORDS(...)	  .word = { __VA_ARGS__ }
#define FINDS(stop_, ...) .frame = { __VA_ARGS__ }, .stop = STOP_##stop_

static const struct fault_case {
	const char *name;
	struct spinning spinning;
	struct {
		uint64_t at;
		const void *value;
	} word[FRAMES_MAX];
	const void *frame[FRAMES_MAX]; /* beyond the first, which is spinning.in */
	enum stop_reason stop;
	void (*prepare)(void);
	bool singles; /* a word lies across windows: it is read by itself */
} cases[] = {
	{ "nothing_is_wrong", .spinning = { spin_rsp, RSP },
	  WORDS({ S(0), back_rsp }, { S(2), back_root }), FINDS(COMPLETE, back_rsp, back_root) },

	/* rsp */
	{ "rsp_is_zero", .spinning = { spin_rsp, 0 }, FINDS(READ_FAULT) },
	{ "rsp_is_one", .spinning = { spin_rsp, 1 }, FINDS(READ_FAULT) },
	{ "rsp_is_the_last_word_there_is", .spinning = { spin_rsp, -8ull }, FINDS(READ_FAULT) },
	{ "rsp_is_the_last_byte_there_is", .spinning = { spin_rsp, -1ull }, FINDS(READ_FAULT) },
	{ "rsp_is_not_canonical", .spinning = { spin_rsp, TORN }, FINDS(READ_FAULT) },
	{ "rsp_is_the_end_of_user_space", .spinning = { spin_rsp, 0x7ffffffffff8 },
	  FINDS(READ_FAULT) },
	{ "rsp_is_the_kernels", .spinning = { spin_rsp, KERNEL }, FINDS(READ_FAULT) },
	{ "rsp_is_unmapped", .spinning = { spin_rsp, NOWHERE }, FINDS(READ_FAULT) },
	{ "rsp_is_behind_the_stack", .spinning = { spin_rsp, AREA_END }, FINDS(READ_FAULT) },
	{ "rsp_is_misaligned", .spinning = { spin_rsp, RSP + 3 },
	  WORDS({ S(0) + 3, back_rsp }, { S(2) + 3, back_root }),
	  FINDS(COMPLETE, back_rsp, back_root), .singles = true },
	{ "word_lies_in_two_pages", .spinning = { spin_rsp, AREA + AREA_PAGE - 4 },
	  WORDS({ AREA + AREA_PAGE - 4, back_rsp }, { AREA + AREA_PAGE + 12, back_root }),
	  FINDS(COMPLETE, back_rsp, back_root), .singles = true },
	{ "word_is_half_behind_the_stack", .spinning = { spin_rsp, AREA_END - 20 },
	  WORDS({ AREA_END - 20, back_rsp }), FINDS(READ_FAULT, back_rsp), .singles = true },
	{ "last_word_of_the_stack_is_read", .spinning = { spin_rsp, AREA_END - 24 },
	  WORDS({ AREA_END - 24, back_rsp }, { AREA_END - 8, back_root }),
	  FINDS(COMPLETE, back_rsp, back_root) },
	{ "caller_is_behind_the_stack", .spinning = { spin_rsp, AREA_END - 8 },
	  WORDS({ AREA_END - 8, back_rsp }), FINDS(READ_FAULT, back_rsp) },

	/* rbp, where a CFA hangs on it */
	{ "rbp_is_right", .spinning = { spin_rbp, RSP, S(4) },
	  WORDS({ S(4), (void *)S(8) }, { S(5), back_rbp }, { S(9), back_root }),
	  FINDS(COMPLETE, back_rbp, back_root) },
	{ "rbp_is_zero", .spinning = { spin_rbp, RSP, 0 }, FINDS(READ_FAULT) },
	{ "rbp_is_not_canonical", .spinning = { spin_rbp, RSP, TORN }, FINDS(READ_FAULT) },
	{ "rbp_is_the_kernels", .spinning = { spin_rbp, RSP, KERNEL }, FINDS(READ_FAULT) },
	{ "rbp_is_unmapped", .spinning = { spin_rbp, RSP, NOWHERE }, FINDS(READ_FAULT) },
	{ "cfa_passes_zero", .spinning = { spin_rbp, RSP, -16ull }, FINDS(READ_FAULT) },
	{ "rbp_is_below_the_stack", .spinning = { spin_rbp, RSP, S(-4) },
	  WORDS({ S(-3), back_root }), FINDS(NO_PROGRESS) },
	{ "rbp_is_garbage_and_nobody_asks", .spinning = { spin_rsp, RSP, TORN },
	  WORDS({ S(0), back_rsp }, { S(2), back_root }), FINDS(COMPLETE, back_rsp, back_root) },
	{ "saved_rbp_is_garbage", .spinning = { spin_rbp, RSP, S(4) },
	  WORDS({ S(4), (void *)TORN }, { S(5), back_rbp }), FINDS(READ_FAULT, back_rbp) },
	{ "saved_rbp_is_garbage_and_nobody_asks", .spinning = { spin_rbp, RSP, S(4) },
	  WORDS({ S(4), (void *)TORN }, { S(5), back_rsp }, { S(7), back_root }),
	  FINDS(COMPLETE, back_rsp, back_root) },
	{ "saved_rbx_is_unreadable", .spinning = { spin_rbx, AREA }, WORDS({ AREA, back_rbx }),
	  FINDS(READ_FAULT, back_rbx) },
	{ "saved_rbx_is_unreadable_and_nobody_asks", .spinning = { spin_rbx, AREA },
	  WORDS({ AREA, back_rsp }, { AREA + 16, back_root }),
	  FINDS(COMPLETE, back_rsp, back_root) },
	{ "cfa_hangs_on_a_register_that_is_lost", .spinning = { spin_rsp, RSP },
	  WORDS({ S(0), back_rcx }), FINDS(REGISTER_UNKNOWN, back_rcx) },

	/* loops */
	{ "saved_rbp_is_its_own_address", .spinning = { spin_rbp, RSP, S(4) },
	  WORDS({ S(4), (void *)S(4) }, { S(5), back_rbp }), FINDS(NO_PROGRESS, back_rbp) },
	{ "saved_rbp_leads_down", .spinning = { spin_rbp, RSP, S(8) },
	  WORDS({ S(4), (void *)S(8) }, { S(5), back_rbp }, { S(8), (void *)S(4) },
		{ S(9), back_rbp }),
	  FINDS(NO_PROGRESS, back_rbp) },
	{ "empty_frame_returns_to_itself", .spinning = { spin_own, RSP },
	  WORDS({ S(-1), back_own }), FINDS(NO_PROGRESS, back_own) },

	/* return addresses */
	{ "return_to_zero", .spinning = { spin_rsp, RSP }, FINDS(ZERO_RETURN) },
	{ "return_to_one", .spinning = { spin_rsp, RSP }, WORDS({ S(0), (void *)1 }),
	  FINDS(NO_MAPPING, (void *)1) },
	{ "return_into_data", .spinning = { spin_rsp, RSP }, WORDS({ S(0), cases }),
	  FINDS(NO_MAPPING, cases) },
	{ "return_into_the_stack", .spinning = { spin_rsp, RSP }, WORDS({ S(0), (void *)S(0) }),
	  FINDS(NO_MAPPING, (void *)S(0)) },
	{ "return_to_no_canonical_address", .spinning = { spin_rsp, RSP },
	  WORDS({ S(0), (void *)TORN }), FINDS(NO_MAPPING, (void *)TORN) },
	{ "return_into_the_kernel", .spinning = { spin_rsp, RSP }, WORDS({ S(0), (void *)KERNEL }),
	  FINDS(NO_MAPPING, (void *)KERNEL) },
	{ "return_to_the_last_address_there_is", .spinning = { spin_rsp, RSP },
	  WORDS({ S(0), (void *)-1ull }), FINDS(NO_MAPPING, (void *)-1ull) },
	{ "return_to_code_without_an_fde", .spinning = { spin_rsp, RSP },
	  WORDS({ S(0), back_none }), FINDS(NO_ROW, back_none) },

	/* memory that is not there when the kernel looks */
	{ "page_of_a_file_is_not_resident", .spinning = { spin_rsp, FILE_RSP - 16 },
	  WORDS({ FILE_RSP - 16, back_rsp }, { FILE_RSP, back_rsp }, { FILE_RSP + 16, back_rsp },
		{ FILE_RSP + 32, back_root }),
	  .prepare = drop_file_pages, FINDS(READ_FAULT, back_rsp, back_rsp) },
	{ "page_that_is_not_resident_is_not_needed", .spinning = { spin_rsp, FILE_RSP - 16 },
	  WORDS({ FILE_RSP - 16, back_rsp }, { FILE_RSP, back_root }), .prepare = drop_file_pages,
	  FINDS(COMPLETE, back_rsp, back_root) },
	{ "page_was_given_back", .spinning = { spin_rsp, AREA + 2 * AREA_PAGE - 8 },
	  WORDS({ AREA + 2 * AREA_PAGE - 8, back_rsp }, { AREA + 2 * AREA_PAGE + 8, back_root }),
	  .prepare = drop_upper_pages, FINDS(READ_FAULT, back_rsp) },
	{ "page_may_not_be_read", .spinning = { spin_rsp, AREA + 2 * AREA_PAGE - 8 },
	  WORDS({ AREA + 2 * AREA_PAGE - 8, back_rsp }, { AREA + 2 * AREA_PAGE + 8, back_root }),
	  .prepare = protect_upper_pages, FINDS(READ_FAULT, back_rsp) },
};

/* What the session's counters grew by. */
static struct walk_counters counters_since(struct fixture *f, struct walk_counters *before)
{
	struct walk_counters now = check_books(f), grown;

	for (size_t i = 0; i < sizeof(now) / sizeof(uint64_t); i++)
		((uint64_t *)&grown)[i] = ((uint64_t *)&now)[i] - ((uint64_t *)before)[i];
	*before = now;
	return grown;
}

static void print_difference(const char *name, const struct expected *expected)
{
	printf("%s: %" PRIu64 " right, %" PRIu64 " wrong, %" PRIu64 " elsewhere; %s after", name,
	       expected->right, expected->wrong, expected->elsewhere,
	       stop_reason_name(expected->last.stop));
	for (uint32_t i = 0; i < expected->last.count && i < 10; i++)
		printf(" 0x%" PRIx64, (uint64_t)expected->last.pc[i]);
	printf(" (%u frames)\n", expected->last.count);
	fflush(stdout); /* a test that fails ends without */
}

/* True: every sample in the state was as expected. */
static bool check_state(struct fixture *f, const char *name, struct expected *expected,
			const struct spinning *spinning, void (*prepare)(void))
{
	expected->pid = fork_spinning(spinning, prepare);
	expected->spin = spinning->in;
	know(f, expected->pid);
	consume_until(f, expected, SAMPLES);
	end_process(f, expected);
	if (expected->right >= SAMPLES && !expected->wrong)
		return true;
	print_difference(name, expected);
	return false;
}

START_TEST(every_state_has_its_stop)
{
	struct walk_counters counters = { 0 }, grown;
	static uint64_t frame[FRAMES_MAX + 1];
	struct fixture f;
	int failed = 0;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, 500))
		return;
	for (int i = 0; i < COUNT(cases); i++) {
		const struct fault_case *c = &cases[i];
		struct expected expected = { .frame = frame, .count = 1, .stop = c->stop };

		memset((void *)AREA, 0, AREA_BYTES);
		memset((void *)FILE_AREA, 0, AREA_BYTES);
		for (int word = 0; word < FRAMES_MAX && c->word[word].at; word++)
			poke(c->word[word].at, (uint64_t)c->word[word].value);
		frame[0] = (uint64_t)c->spinning.in;
		while (expected.count < FRAMES_MAX && c->frame[expected.count - 1]) {
			frame[expected.count] = (uint64_t)c->frame[expected.count - 1];
			expected.count++;
		}
		failed += !check_state(&f, c->name, &expected, &c->spinning, c->prepare);
		grown = counters_since(&f, &counters);
		if (grown.stop[c->stop] < SAMPLES ||
		    (c->singles ? grown.single_reads < SAMPLES : grown.single_reads)) {
			printf("%s: %" PRIu64 " stops, %" PRIu64 " single reads\n", c->name,
			       (uint64_t)grown.stop[c->stop], (uint64_t)grown.single_reads);
			fflush(stdout);
			failed++;
		}
	}
	fixture_deinit(&f);
	ck_assert_int_eq(failed, 0);
}
END_TEST

/* ---- depth ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	uint32_t frames, count;
	enum stop_reason stop;
	bool circle; /* two frames without a size call each other */
} depth_cases[] = {
	{ "one_frame_is_left", WALK_FRAMES_MAX - 1, WALK_FRAMES_MAX - 1, STOP_COMPLETE, false },
	{ "none_is_left", WALK_FRAMES_MAX, WALK_FRAMES_MAX, STOP_COMPLETE, false },
	{ "one_is_missing", WALK_FRAMES_MAX + 1, WALK_FRAMES_MAX, STOP_DEPTH, false },
	{ "1500_frames", 1500, WALK_FRAMES_MAX, STOP_DEPTH, false },
	{ "frames_that_never_end", 0, WALK_FRAMES_MAX, STOP_DEPTH, true },
};

START_TEST(depth_is_a_stop)
{
	static uint64_t frame[WALK_FRAMES_MAX];
	struct fixture f;
	int failed = 0;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, 500))
		return;
	for (int i = 0; i < COUNT(depth_cases); i++) {
		struct expected expected = { .frame = frame,
					     .count = depth_cases[i].count,
					     .stop = depth_cases[i].stop };
		bool circle = depth_cases[i].circle;
		struct spinning spinning = { .in = circle ? spin_own : spin_rsp, .rsp = RSP };

		area_chain(RSP, depth_cases[i].frames);
		for (uint32_t at = 0; at < expected.count; at++)
			frame[at] = chain_pc(at, depth_cases[i].frames);
		if (circle) { /* spin_own and back_own look at -8, back_own_too at -16 */
			poke(S(-1), (uint64_t)back_own_too);
			poke(S(-2), (uint64_t)back_own);
			frame[0] = (uint64_t)spin_own;
			for (uint32_t at = 1; at < expected.count; at++)
				frame[at] = (uint64_t)(at & 1 ? back_own_too : back_own);
		}
		failed += !check_state(&f, depth_cases[i].name, &expected, &spinning, NULL);
	}
	check_books(&f);
	fixture_deinit(&f);
	ck_assert_int_eq(failed, 0);
}
END_TEST

/* ---- many mappings ---------------------------------------------------------------------- */

/* The number of executable mappings that the walk is given. */
static uint32_t walked_mappings(const struct address_space *space)
{
	struct walk_mapping ignored;
	uint32_t count = 0;

	for (size_t i = 0; i < space->mapping_count; i++)
		for (uint32_t part = 0; mapping_for_walk(&space->mapping[i], part, &ignored);
		     part++)
			count++;
	return count;
}

/* A stack through copies far apart, the last of them the outermost frame's. */
START_TEST(mappings_by_the_thousand)
{
	static uint64_t copy[WALK_CHUNK_MAPPINGS], frame[40];
	struct expected expected = { .frame = frame, .count = 40, .stop = STOP_COMPLETE };
	uint64_t to_back = back_rsp - spin_rsp, to_root = back_root - spin_rsp;
	struct fixture f;

	if (!fixture_init(&f, _i, (struct bpf_session_options) { 0 }) || !sample(&f, 500))
		return;
	uint32_t copies = WALK_CHUNK_MAPPINGS - walked_mappings(&f.space);
	map_own_code(&f, copies, copy);
	ck_assert(!address_space_read(&f.space, f.store, getpid(), &f.error));
	ck_assert_uint_eq(walked_mappings(&f.space), WALK_CHUNK_MAPPINGS);
	frame[0] = copy[17];
	for (uint32_t i = 1; i < 40; i++) {
		frame[i] = copy[i * 7919u % copies] + (i < 39 ? to_back : to_root);
		poke(RSP + 16 * (i - 1), frame[i]);
	}
	struct spinning spinning = { .in = (const char *)frame[0], .rsp = RSP };
	ck_assert(check_state(&f, "8192_mappings", &expected, &spinning, NULL));
	check_books(&f);
	fixture_deinit(&f);
}
END_TEST

SUITE(walk_faults, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(every_state_has_its_stop, methods),
      LOOP(depth_is_a_stop, methods), LOOP(mappings_by_the_thousand, methods))
