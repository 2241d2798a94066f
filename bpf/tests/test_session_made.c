/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_session_made.c - what a session asks of libbpf and the kernel, and what becomes of answers
 *
 * A case is the session's options, a script (session_world.h), and all that must come of it, letter
 * by letter. No BPF is needed.
 */
#include "tests/suite.h"
#include "session_world.h"

#define ALL_ENTRIES ((1u << WALK_ENTRY_COUNT) - 1)

/* What is opened, and closed again. */
#define OPTIONS(...) IN_BRACES(__VA_ARGS__)

static const struct {
	const char *name;
	struct bpf_session_options options;
	const char *failing, *expect;
} openings[] = {
	{ "usual", OPTIONS(.method = WALK_METHOD_LOOP), "",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; ring records; ] no rings; unmap "
	  "1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap "
	  "1572864; destroy; " },
	{ "chain", OPTIONS(.method = WALK_METHOD_CHAIN), "",
	  "[load in 77: step_chain step_tail sample_chain sample_tail; scratches 2 processes 64 "
	  "spaces 1088 mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 "
	  "counters 5 records 4194304; step_tails[0] = step_tail; sample_tails[0] = sample_tail; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; ring records; ] no rings; unmap "
	  "1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap "
	  "1572864; destroy; " },
	{ "probed_loop", OPTIONS(.entries = 1), "loop",
	  "[probe; load in 77: step_loop; processes 64 spaces 1088 mappings 4 pages 4 entries 4 "
	  "shapes 16 rules 16 places 16384 counters 5 records 4194304; map pages 1052672; map "
	  "entries 8519680; map shapes 2101248; map rules 1048576; map places 131072; map spaces "
	  "20480; map mappings 1572864; list of 64, 32768 mappings, processes, room for 262144 "
	  "2097152 1048576 65536 16384; ring records; ] no rings; unmap 1052672; unmap 8519680; "
	  "unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap 1572864; destroy; " },
	{ "probe_fails", OPTIONS(.entries = 1), "probe",
	  "[probe; load in 77: step_chain step_tail; processes 64 spaces 1088 mappings 4 pages 4 "
	  "entries 4 shapes 16 rules 16 places 16384 counters 5 records 4194304; step_tails[0] = "
	  "step_tail; map pages 1052672; map entries 8519680; map shapes 2101248; map rules "
	  "1048576; map places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 "
	  "mappings, processes, room for 262144 2097152 1048576 65536 16384; ring records; ] no "
	  "rings; unmap 1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap "
	  "20480; unmap 1572864; destroy; " },
	{ "all_by_loop", OPTIONS(.method = WALK_METHOD_LOOP, .entries = ALL_ENTRIES), "",
	  "[load in 77: step_loop sample_loop uprobe_loop tracepoint_loop replay_loop; scratches 5 "
	  "processes 64 spaces 1088 mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 "
	  "memos 5 counters 5 records 4194304; map pages 1052672; map entries 8519680; map shapes "
	  "2101248; map rules 1048576; map places 131072; map spaces 20480; map mappings 1572864; "
	  "list of 64, 32768 mappings, processes, room for 262144 2097152 1048576 65536 16384; "
	  "ring records; ] no rings; unmap 1052672; unmap 8519680; unmap 2101248; unmap 1048576; "
	  "unmap 131072; unmap 20480; unmap 1572864; destroy; " },
	{ "all_by_chain", OPTIONS(.method = WALK_METHOD_CHAIN, .entries = ALL_ENTRIES), "",
	  "[load in 77: step_chain step_tail sample_chain sample_tail uprobe_chain uprobe_tail "
	  "tracepoint_chain tracepoint_tail replay_chain replay_tail; scratches 5 processes 64 "
	  "spaces 1088 mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 5 "
	  "counters 5 records 4194304; step_tails[0] = step_tail; sample_tails[0] = sample_tail; "
	  "uprobe_tails[0] = uprobe_tail; tracepoint_tails[0] = tracepoint_tail; replay_tails[0] = "
	  "replay_tail; map pages 1052672; map entries 8519680; map shapes 2101248; map rules "
	  "1048576; map places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 "
	  "mappings, processes, room for 262144 2097152 1048576 65536 16384; ring records; ] no "
	  "rings; unmap 1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap "
	  "20480; unmap 1572864; destroy; " },
	{ "last_entry", OPTIONS(.method = WALK_METHOD_CHAIN, .entries = 1u << WALK_ENTRY_REPLAY),
	  "",
	  "[load in 77: replay_chain replay_tail; scratches 5 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 5 counters 5 records 4194304; "
	  "replay_tails[0] = replay_tail; map pages 1052672; map entries 8519680; map shapes "
	  "2101248; map rules 1048576; map places 131072; map spaces 20480; map mappings 1572864; "
	  "list of 64, 32768 mappings, processes, room for 262144 2097152 1048576 65536 16384; "
	  "ring records; ] no rings; unmap 1052672; unmap 8519680; unmap 2101248; unmap 1048576; "
	  "unmap 131072; unmap 20480; unmap 1572864; destroy; " },
	{ "counts", OPTIONS(.method = WALK_METHOD_LOOP, .count_stacks = true), "",
	  "[load in 77: step_loop sample_loop count; counts_even 65536 scratches 2 processes 64 "
	  "spaces 1088 mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 "
	  "counters 5 records 4194304 counts_odd 65536; map pages 1052672; map entries 8519680; "
	  "map shapes 2101248; map rules 1048576; map places 131072; map spaces 20480; map "
	  "mappings 1572864; list of 64, 32768 mappings, processes, room for 262144 2097152 "
	  "1048576 65536 16384; ring records; ] no rings; unmap 1052672; unmap 8519680; unmap "
	  "2101248; unmap 1048576; unmap 131072; unmap 20480; unmap 1572864; destroy; " },
	{ "counts_who_is_back",
	  OPTIONS(.method = WALK_METHOD_LOOP, .count_stacks = true, .stack_capacity = 5,
		  .off_cpu = true, .off_least_ns = 9, .entries = 1u << WALK_ENTRY_TRACEPOINT),
	  "",
	  "[load in 77: tracepoint_loop count off from 9; counts_even 5 scratches 4 processes 64 "
	  "spaces 1088 mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 4 "
	  "counters 5 records 1048576 off_threads 5 counts_odd 5; map pages 1052672; map entries "
	  "8519680; map shapes 2101248; map rules 1048576; map places 131072; map spaces 20480; "
	  "map mappings 1572864; list of 64, 32768 mappings, processes, room for 262144 2097152 "
	  "1048576 65536 16384; ring records; ] no rings; unmap 1052672; unmap 8519680; unmap "
	  "2101248; unmap 1048576; unmap 131072; unmap 20480; unmap 1572864; destroy; " },
	{ "follows", OPTIONS(.method = WALK_METHOD_LOOP, .follow_frame_pointers = true), "",
	  "[load in 77: step_loop sample_loop follow; scratches 2 processes 64 spaces 1088 "
	  "mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records "
	  "4194304; map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; "
	  "map places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; ring records; ] no rings; unmap "
	  "1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap "
	  "1572864; destroy; " },
	{ "no_memo", OPTIONS(.method = WALK_METHOD_LOOP, .no_memo = true), "",
	  "[load in 77: step_loop sample_loop no_memo; scratches 2 processes 64 spaces 1088 "
	  "mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records "
	  "4194304; map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; "
	  "map places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; ring records; ] no rings; unmap "
	  "1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap "
	  "1572864; destroy; " },
	{ "wakes", OPTIONS(.method = WALK_METHOD_LOOP, .wake_up = true, .frame_pointer = true), "",
	  "[load in 77: step_loop sample_loop wake; scratches 2 processes 64 spaces 1088 mappings "
	  "4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; load baseline in 77 wake; ring "
	  "records; ring fp_records; ] no rings; unmap 1052672; unmap 8519680; unmap 2101248; "
	  "unmap 1048576; unmap 131072; unmap 20480; unmap 1572864; destroy; destroy baseline; " },
	{ "capacities",
	  OPTIONS(.method = WALK_METHOD_LOOP, .process_capacity = 3,
		  .mapping_capacity = WALK_CHUNK_MAPPINGS, .page_capacity = WALK_CHUNK_PAGES + 1,
		  .entry_capacity = 1, .shape_capacity = 3 * WALK_CHUNK_ROWS, .rule_capacity = 5000,
		  .place_capacity = 7),
	  "",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 3 spaces 1027 pages 2 shapes "
	  "3 rules 2 places 7 memos 2 counters 5 records 4194304; map pages 528384; map entries "
	  "2129920; map shapes 397312; map rules 131072; map places 4096; map spaces 20480; map "
	  "mappings 393216; list of 3, 8192 mappings, processes, room for 65537 1 196608 5000 7; "
	  "ring records; ] no rings; unmap 528384; unmap 2129920; unmap 397312; unmap 131072; "
	  "unmap 4096; unmap 20480; unmap 393216; destroy; " },
	{ "one_mapping_more",
	  OPTIONS(.method = WALK_METHOD_LOOP, .mapping_capacity = WALK_CHUNK_MAPPINGS + 1), "",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 2 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 786432; list of 64, 16384 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; ring records; ] no rings; unmap "
	  "1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap "
	  "786432; destroy; " },
	{ "one_mapping", OPTIONS(.method = WALK_METHOD_LOOP, .mapping_capacity = 1), "",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 pages 4 "
	  "entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; map pages "
	  "1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map places 131072; "
	  "map spaces 20480; map mappings 393216; list of 64, 8192 mappings, processes, room for "
	  "262144 2097152 1048576 65536 16384; ring records; ] no rings; unmap 1052672; unmap "
	  "8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap 393216; "
	  "destroy; " },
	{ "no_namespace", OPTIONS(.method = WALK_METHOD_LOOP), "namespace",
	  "[] 24/0 \"no /proc\"; " },
	{ "not_opened", OPTIONS(.method = WALK_METHOD_LOOP), "open",
	  "[] 24/1 \"opening the BPF walk: Operation not permitted\"; " },
	{ "not_loaded", OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true), "load",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "destroy; ] 24/1 \"loading the BPF walk: Operation not permitted\"; " },
	{ "no_tails", OPTIONS(.method = WALK_METHOD_CHAIN), "update",
	  "[load in 77: step_chain step_tail sample_chain sample_tail; scratches 2 processes 64 "
	  "spaces 1088 mappings 4 pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 "
	  "counters 5 records 4194304; destroy; ] 24/1 \"filling the tail call arrays: Operation "
	  "not permitted\"; " },
	{ "no_pages", OPTIONS(.method = WALK_METHOD_LOOP), "pages",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "destroy; ] 1/1 \"mapping the BPF array pages: Operation not permitted\"; " },
	{ "no_places", OPTIONS(.method = WALK_METHOD_LOOP), "places",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; unmap "
	  "1052672; unmap 8519680; unmap 2101248; unmap 1048576; destroy; ] 1/1 \"mapping the BPF "
	  "array places: Operation not permitted\"; " },
	{ "no_spaces", OPTIONS(.method = WALK_METHOD_LOOP), "spaces",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; unmap 1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap "
	  "131072; destroy; ] 1/1 \"mapping the BPF array spaces: Operation not permitted\"; " },
	{ "no_mappings", OPTIONS(.method = WALK_METHOD_LOOP), "mappings",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; unmap 1052672; unmap 8519680; unmap 2101248; unmap "
	  "1048576; unmap 131072; unmap 20480; destroy; ] 1/1 \"mapping the BPF array mappings: "
	  "Operation not permitted\"; " },
	{ "no_list", OPTIONS(.method = WALK_METHOD_LOOP), "list",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; unmap 1052672; unmap 8519680; "
	  "unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap 1572864; destroy; ] 2/0 "
	  "\"no memory\"; " },
	{ "no_ring", OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true), "records",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; load baseline in 77; unmap "
	  "1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap "
	  "1572864; destroy; destroy baseline; ] 1/1 \"opening the ring buffer records: Operation "
	  "not permitted\"; " },
	{ "baseline_not_opened", OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true),
	  "open_baseline",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; unmap 1052672; unmap 8519680; "
	  "unmap 2101248; unmap 1048576; unmap 131072; unmap 20480; unmap 1572864; destroy; ] 24/1 "
	  "\"loading the frame-pointer baseline: Operation not permitted\"; " },
	{ "baseline_not_loaded", OPTIONS(.only_frame_pointer = true), "load_baseline",
	  "[load baseline in 77; destroy baseline; ] 24/1 \"loading the frame-pointer baseline: "
	  "Operation not permitted\"; " },
	{ "no_second_ring", OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true),
	  "fp_records",
	  "[load in 77: step_loop sample_loop; scratches 2 processes 64 spaces 1088 mappings 4 "
	  "pages 4 entries 4 shapes 16 rules 16 places 16384 memos 2 counters 5 records 4194304; "
	  "map pages 1052672; map entries 8519680; map shapes 2101248; map rules 1048576; map "
	  "places 131072; map spaces 20480; map mappings 1572864; list of 64, 32768 mappings, "
	  "processes, room for 262144 2097152 1048576 65536 16384; load baseline in 77; ring "
	  "records; no rings; unmap 1052672; unmap 8519680; unmap 2101248; unmap 1048576; unmap "
	  "131072; unmap 20480; unmap 1572864; destroy; destroy baseline; ] 1/1 \"opening the ring "
	  "buffer fp_records: Operation not permitted\"; " },
};

/* NULL: that failed, and why was said. */
static struct bpf_session *opened(const struct bpf_session_options *options, const char *failing)
{
	struct bpf_session *session = NULL;
	struct error error = { 0 };
	sigset_t before, after;

	world = (struct world) { .fails_in = 1, .has_loop = !strcmp(failing, "loop") };
	snprintf(world.failing, sizeof(world.failing), "%s", failing);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	int status = bpf_session_open(options, &session, &error);

	if (status) {
		ck_assert(status == -1 && !session);
		say("%d/%d \"%s\"; ", error.code, error.system_errno, error.message);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	ck_assert_int_eq(sigismember(&after, SIGALRM), sigismember(&before, SIGALRM));
	return session;
}

START_TEST(session_is_opened)
{
	struct bpf_session *session = opened(&openings[_i].options, openings[_i].failing);

	bpf_session_close(session);
	ck_assert_msg(!strcmp(world.said, openings[_i].expect), "%s:\n%s", openings[_i].name,
		      world.said);
}
END_TEST

/* What an open one is asked for. Whatever is attached goes when it is closed. */
static const struct {
	const char *name;
	struct bpf_session_options options;
	const char *script, *expect;
} asked[] = {
	{ "loop", OPTIONS(.method = WALK_METHOD_LOOP), "method; fd", "bpf_loop; fd -1; " },
	{ "chain_that_wakes", OPTIONS(.method = WALK_METHOD_CHAIN, .wake_up = true), "method; fd",
	  "tail_calls; fd 50; " },
	{ "counts_stacks",
	  OPTIONS(.method = WALK_METHOD_LOOP, .count_stacks = true, .frame_pointer = true),
	  "counts; counts",
	  "turn counts: counts_even, counts_odd; keep one of 7; unsent 4; turn counts: "
	  "counts_even, counts_odd; keep one of 7; unsent 4; " },
	{ "probed_chain", OPTIONS(.entries = 1), "method", "tail_calls; " },
	{ "counts_a_few",
	  OPTIONS(.method = WALK_METHOD_LOOP, .count_stacks = true, .stack_capacity = 5),
	  "fail turn 1; counts; fail consume 1; counts; fail take 1; counts",
	  "turn counts: counts_even, counts_odd; unsent 0; -1/1 \"no turn\"; turn counts: "
	  "counts_even, counts_odd; unsent 0; -1/25 \"reading a BPF ring buffer: Operation not "
	  "permitted\"; turn counts: counts_even, counts_odd; keep one of 7; unsent 4; -1/2 \"no "
	  "memory\"; " },
	{ "counts_who_is_back",
	  OPTIONS(.method = WALK_METHOD_LOOP, .count_stacks = true, .off_cpu = true,
		  .off_least_ns = 9, .entries = 1u << WALK_ENTRY_TRACEPOINT),
	  "off_cpu; tracepoint sched_switch; look_off; fail consume 1; look_off; counts",
	  "[at sched_switch: tracepoint_loop is 1; ] -1/24 \"the session was opened for times off "
	  "the CPU alone\"; keep one of 7; look at off_threads; unsent 5; unsent 0; -1/25 "
	  "\"reading a BPF ring buffer: Operation not permitted\"; turn counts: counts_even, "
	  "counts_odd; keep one of 7; unsent 4; " },
	{ "counts_who_is_there",
	  OPTIONS(.method = WALK_METHOD_LOOP, .count_stacks = true,
		  .entries = 1u << WALK_ENTRY_TRACEPOINT),
	  "off_cpu; look_off",
	  "-1/24 \"the session was not opened for times off the CPU\"; unsent 0; " },
	{ "counts_none", OPTIONS(.method = WALK_METHOD_LOOP), "counts",
	  "unsent 0; -1/24 \"this session counts no stacks\"; " },
	{ "both", OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true),
	  "consume; steps; samples 9 2 99; fail consume 1; consume; set 7; generation 7; fail set "
	  "1; set 8; fail update 1; set 9; forget 7; counters 0; counters 1; detach; steps",
	  "the walk's; the baseline's; [step_loop is 1; fp_step is 2; ] [event 1/0 99 Hz and its "
	  "children of 9 on 2; sample_loop by 60 is 3; event 1/0 99 Hz and its children of 9 on 2; "
	  "fp_sample by 60 is 4; ] -1/25 \"reading a BPF ring buffer: Operation not permitted\"; "
	  "list 7; fp_processes[7] = 1; generation 70; list 8; -1/22 \"no room\"; list 9; -1/1 "
	  "\"giving process 9 to the baseline: Operation not permitted\"; list no 7; "
	  "fp_processes[7] goes; counters[0]; counters[1]; counters[2]; counters[3]; counters[4]; "
	  "151515 of each; fp_counters[0]; 10101 of each; no 4; no 3; no 2; no 1; [step_loop is 5; "
	  "fp_step is 6; ] " },
	{ "baseline", OPTIONS(.only_frame_pointer = true),
	  "fd; consume; steps; samples 0 -1 1; set 7; generation 7; forget 7; counters 1; time 0 "
	  "1; time 1 1",
	  "fd -1; the baseline's; [fp_step is 1; ] [event 1/0 1 Hz and its children of 0 on -1; "
	  "fp_sample by 60 is 2; ] fp_processes[7] = 1; generation 0; fp_processes[7] goes; "
	  "fp_counters[0]; 10101 of each; fp_step; 5000 in 6; fp_sample; 5000 in 6; " },
	{ "samples", OPTIONS(.method = WALK_METHOD_CHAIN),
	  "samples -1 0 4999; samples 0 1 1; samples 1 0 2; fail event 1; samples 1 1 1; fail "
	  "attach 1; samples 1 1 1; detach; detach",
	  "[event 1/0 4999 Hz of -1 on 0; sample_chain by 60 is 1; ] [event 1/0 1 Hz and its "
	  "children of 0 on 1; sample_chain by 60 is 2; ] [event 1/0 2 Hz and its children of 1 on "
	  "0; sample_chain by 60 is 3; ] [] -1/24 \"perf_event_open: Operation not permitted\"; "
	  "[event 1/0 1 Hz and its children of 1 on 1; close 60; ] -1/24 \"attaching to a perf "
	  "event: Operation not permitted\"; no 3; no 2; no 1; " },
	{ "nothing_is_there", OPTIONS(.method = WALK_METHOD_LOOP), "fail records 1; consume", "" },
	{ "event_0", OPTIONS(.method = WALK_METHOD_LOOP), "fail 60 1; samples 1 1 1",
	  "[event 1/0 1 Hz and its children of 1 on 1; sample_loop by 0 is 1; ] " },
	{ "baseline_s_sample_fails", OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true),
	  "fail event 2; samples 1 1 1; fail attach 2; samples 1 1 1; fail attach 2; steps; fail "
	  "attach 1; steps",
	  "[event 1/0 1 Hz and its children of 1 on 1; sample_loop by 60 is 1; ] -1/24 "
	  "\"perf_event_open: Operation not permitted\"; [event 1/0 1 Hz and its children of 1 on "
	  "1; sample_loop by 60 is 2; event 1/0 1 Hz and its children of 1 on 1; close 60; ] -1/24 "
	  "\"attaching to a perf event: Operation not permitted\"; [step_loop is 3; ] -1/24 "
	  "\"attaching the baseline to signal_generate: Operation not permitted\"; [] -1/24 "
	  "\"attaching to signal_generate: Operation not permitted\"; " },
	{ "uprobe", OPTIONS(.method = WALK_METHOD_CHAIN, .entries = 1u << WALK_ENTRY_UPROBE),
	  "uprobe 7 /bin/cat 99; uretprobe -1 ./cat 0; uprobe 7 cat 5; uprobe 7 cat 100; uprobe 7 "
	  "cat "
	  "101; fail stat 1; uprobe 7 cat 5; fail attach 1; uprobe 7 cat 5",
	  "[7 at /bin/cat+99: uprobe_chain is 1; ] [-1 at ./cat+0, returns: uprobe_chain is 2; ] "
	  "[7 at "
	  "./cat+5: uprobe_chain is 3; ] -1/5 \"cat ends before\"; -1/5 \"cat ends before\"; -1/1 "
	  "\"cat: Operation not permitted\"; [7 at ./cat+5: ] -1/24 \"attaching to a uprobe: "
	  "Operation not permitted\"; " },
	{ "tracepoint", OPTIONS(.method = WALK_METHOD_LOOP, .entries = 1u << WALK_ENTRY_TRACEPOINT),
	  "tracepoint sys_enter; fail attach 1; tracepoint sys_exit",
	  "[at sys_enter: tracepoint_loop is 1; ] [at sys_exit: ] -1/24 \"attaching to a raw "
	  "tracepoint: Operation not permitted\"; " },
	{ "replay", OPTIONS(.method = WALK_METHOD_CHAIN, .entries = 1u << WALK_ENTRY_REPLAY),
	  "replay; fail run 1; replay",
	  "run replay_chain; run replay_chain; -1/24 \"BPF_PROG_TEST_RUN of a raw tracepoint: "
	  "Operation not permitted\"; " },
	{ "other_entries",
	  OPTIONS(.method = WALK_METHOD_LOOP, .entries = 1u << WALK_ENTRY_TRACEPOINT),
	  "steps; samples 1 1 1; uprobe 1 cat 1; replay",
	  "[] -1/24 \"the session was opened without this entry: its options' entries must have "
	  "the bit 1 << STACKPROOF_ENTRY_STEP\"; [] -1/24 \"the session was opened without this "
	  "entry: its options' entries must have the bit 1 << STACKPROOF_ENTRY_SAMPLE\"; -1/24 "
	  "\"the session was opened without this entry: its options' entries must have the bit 1 "
	  "<< STACKPROOF_ENTRY_UPROBE\"; -1/24 \"the session was opened without this entry: its "
	  "options' entries must have the bit 1 << STACKPROOF_ENTRY_REPLAY\"; " },
	{ "not_this_entry",
	  OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true,
		  .entries = 1u << WALK_ENTRY_STEP),
	  "samples 1 1 1; tracepoint x; steps",
	  "[] -1/24 \"the session was opened without this entry: its options' entries must have "
	  "the bit 1 << STACKPROOF_ENTRY_SAMPLE\"; -1/24 \"the session was opened without this "
	  "entry: its options' entries must have the bit 1 << STACKPROOF_ENTRY_TRACEPOINT\"; "
	  "[step_loop is 1; fp_step is 2; ] " },
	{ "nor_this",
	  OPTIONS(.method = WALK_METHOD_LOOP, .frame_pointer = true,
		  .entries = 1u << WALK_ENTRY_SAMPLE),
	  "steps; samples 1 1 1",
	  "[] -1/24 \"the session was opened without this entry: its options' entries must have "
	  "the bit 1 << STACKPROOF_ENTRY_STEP\"; [event 1/0 1 Hz and its children of 1 on 1; "
	  "sample_loop by 60 is 1; event 1/0 1 Hz and its children of 1 on 1; fp_sample by 60 is "
	  "2; ] " },
	{ "run_time",
	  OPTIONS(.method = WALK_METHOD_CHAIN, .entries = ALL_ENTRIES, .frame_pointer = true),
	  "time 0 0; time 1 0; time 2 0; time 3 0; time 4 0; time 0 1; time 1 1; fail info 1; time "
	  "0 0",
	  "step_chain; 5000 in 6; sample_chain; 5000 in 6; uprobe_chain; 5000 in 6; "
	  "tracepoint_chain; 5000 in 6; replay_chain; 5000 in 6; fp_step; 5000 in 6; fp_sample; "
	  "5000 in 6; step_chain; 0 in 0; -1/1 \"reading a program's run time: Operation not "
	  "permitted\"; " },
	{ "counters_can_not_be_read", OPTIONS(.method = WALK_METHOD_LOOP),
	  "fail cpus 1; counters 0; fail lookup 2; counters 0",
	  "0 of each; -1/1 \"no CPUs\"; counters[0]; counters[1]; 10101 of each; -1/1 \"reading "
	  "the walk's counters: Operation not permitted\"; " },
};

START_TEST(session_is_asked)
{
	struct bpf_session *session = opened(&asked[_i].options, "");

	world.length = world.said[0] = 0;
	run_script(session, asked[_i].script);
	ck_assert_msg(!strcmp(world.said, asked[_i].expect), "%s:\n%s", asked[_i].name, world.said);
	bpf_session_close(session);
	ck_assert_int_eq(world.detached, world.links);
}
END_TEST

/* libbpf's first warning tells the cause. */
START_TEST(warning_is_in_the_message)
{
	struct bpf_session_options options = { .only_frame_pointer = true };
	struct bpf_session *session;
	struct error error;

	world = (struct world) { .warning = "the cause",
				 .failing = "load_baseline",
				 .fails_in = 1 };
	ck_assert_int_eq(bpf_session_open(&options, &session, &error), -1);
	ck_assert_str_eq(error.message,
			 "loading the frame-pointer baseline: Operation not permitted: the cause");
}
END_TEST

SUITE(session_made, LOOP(session_is_opened, openings), LOOP(session_is_asked, asked),
      TEST(warning_is_in_the_message))
