/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk_made.c - what the walk does for a thread, to the last count
 *
 * A case is a script (walk_world.h) and all that must come of it, letter by letter. No BPF is needed.
 */
#include "tests/suite.h"
#include "walk_world.h"

static const struct {
	const char *name, *script, *expect;
} cases[] = {
	{ "step_by_loop",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; step loop; counters; step loop; counters",
	  "read s8 2048; 0:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, busy 0; read s8 2048; 0:2 s0: p1+4 p1+1 "
	  "p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, complete 1, "
	  "busy 0; " },
	{ "step_by_chain",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; step chain; counters; step chain; counters",
	  "read s8 2048; 0:1 s0: p1+4 p1+1 p0+1 complete; samples 1, stacks 1, frames 3, windows "
	  "1, lookups 3, complete 1, busy 0; read s8 2048; 0:2 s0: p1+4 p1+1 p0+1 complete; "
	  "samples 1, stacks 1, frames 3, windows 1, complete 1, busy 0; " },
	{ "sample_by_loop",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; sample loop; counters; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, busy 0; read s8 2048; 1:2 s0: p1+4 p1+1 "
	  "p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, complete 1, "
	  "busy 0; " },
	{ "sample_by_chain",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; sample chain; counters; sample chain; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; samples 1, stacks 1, frames 3, windows "
	  "1, lookups 3, complete 1, busy 0; read s8 2048; 1:2 s0: p1+4 p1+1 p0+1 complete; "
	  "samples 1, stacks 1, frames 3, windows 1, complete 1, busy 0; " },
	{ "uprobe_by_loop",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; uprobe loop; counters; uprobe loop; counters",
	  "read s8 2048; 2:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, busy 0; read s8 2048; 2:2 s0: p1+4 p1+1 "
	  "p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, complete 1, "
	  "busy 0; " },
	{ "tracepoint_by_loop",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; tracepoint loop; counters; tracepoint loop; counters",
	  "read s8 2048; 3:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, busy 0; read s8 2048; 3:2 s0: p1+4 p1+1 "
	  "p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, complete 1, "
	  "busy 0; " },
	{ "replay_by_loop",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; replay loop s5000; counters; replay loop s5000; "
	  "counters",
	  "read s5000 168; read s8 2048; 4:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 3, windows 1, lookups 3, complete 1, busy 0; read s5000 "
	  "168; read s8 2048; 4:2 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, "
	  "stacks 1, frames 3, windows 1, complete 1, busy 0; " },
	{ "replay_by_chain",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; replay chain s5000; counters; replay chain s5000; "
	  "counters",
	  "read s5000 168; read s8 2048; 4:1 s0: p1+4 p1+1 p0+1 complete; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, busy 0; read s5000 168; read s8 2048; 4:2 "
	  "s0: p1+4 p1+1 p0+1 complete; samples 1, stacks 1, frames 3, windows 1, complete 1, busy "
	  "0; " },
	{ "what_a_uretprobe_has_replaced",
	  "ip p1+4; sp s0; replace s24 p0+1; replace s8 p1+1; sample loop; sample chain; step "
	  "loop; replay loop s5000; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 5 rounds, 0 tails; read"
	  " s8 2048; 1:2 s0: p1+4 p1+1 p0+1 complete; read s8 2048; 0:3 s0: p1+4 "
	  "7000 no_mapping; 2 rounds, 0 tails; read s5000 168; read s8 2048; 4:4 "
	  "s0: p1+4 7000 no_mapping; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 1, no_mapping 1, samples 2, stacks 2, "
	  "frames 6, windows 2, lookups 7, complete 2, samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 1, no_mapping 1, busy 0; " },
	{ "a_trampoline_in_another_slot",
	  "ip p1+4; sp s0; replace s40 p1+1; s8 7000; s24 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 uretprobe; 2 rounds, 0 tails; samples 1, "
	  "stacks 1, frames 1, windows 1, lookups 2, uretprobe 1, busy 0; " },
	{ "at_the_trampoline", "ip 7000; sp s16; replace s8 p1+1; s24 p0+1; uprobe loop; counters",
	  "read s24 2048; 2:1 s16: p1+1 p0+1 complete; 3 rounds, 0 tails; samples"
	  " 1, stacks 1, frames 2, windows 1, lookups 3, complete 1, busy 0; " },
	{ "within_the_trampoline_and_behind_it",
	  "ip 700d; sp s0; replace s24 p1+1; s40 p0+1; uprobe loop; sp s16; uprobe loop; ip 7080; "
	  "uprobe loop; counters",
	  "2:1 s0: 700d uretprobe; 1 rounds, 0 tails; read s40 2048; 2:2 s16: "
	  "p1+1 p0+1 complete; 3 rounds, 0 tails; 2:3 s16: 7080 no_mapping; 1 "
	  "rounds, 0 tails; samples 3, stacks 3, frames 4, windows 1, lookups 5, "
	  "complete 1, no_mapping 1, uretprobe 1, busy 0; " },
	{ "executed_out_of_line",
	  "ip 7103; sp s0; s8 p1+1; s24 p0+1; out_of_line 7100 p1+4; sample loop; ip 7180; sample "
	  "loop; counters",
	  "read s8 2048; 1:1 s0: p1+7 p1+1 p0+1 complete; 4 rounds, 0 tails; 1:2 "
	  "s0: 7180 no_mapping; 1 rounds, 0 tails; samples 2, stacks 2, frames 4,"
	  " windows 1, lookups 5, complete 1, no_mapping 1, busy 0; " },
	{ "what_was_replaced_is_in_no_image",
	  "ip p1+4; sp s0; replace s8 9000; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 9000 no_mapping; 3 rounds, 0 tails; samples"
	  " 1, stacks 1, frames 2, windows 1, lookups 3, no_mapping 1, busy 0; " },
	{ "off_cpu_by_loop",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; time 100; tracepoint loop out; "
	  "counters; time 350; tracepoint loop in; counters",
	  "read s8 2048; 3:1 on 6 at 100 by 9 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 1, frames 3, windows 1, lookups 3, complete 1, met 0 sent, off since 100, busy "
	  "0; stacks 1, met 1 sent for 250, busy 0; " },
	{ "off_cpu_by_chain",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; time 100; tracepoint chain out; "
	  "counters; time 350; tracepoint chain in; counters",
	  "read s8 2048; 3:1 on 6 at 100 by 9 s0: p1+4 p1+1 p0+1 complete; samples 1, frames 3, "
	  "windows 1, lookups 3, complete 1, met 0 sent, off since 100, busy 0; stacks 1, met 1 "
	  "sent for 250, busy 0; " },
	{ "off_cpu_twice_with_the_same_stack",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; time 100; tracepoint loop out; "
	  "time 350; tracepoint loop in; time 400; tracepoint loop out; time 410; tracepoint loop "
	  "in; counters",
	  "read s8 2048; 3:1 on 6 at 100 by 9 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read "
	  "s8 2048; 3 rounds, 0 tails; samples 2, stacks 2, frames 6, windows 2, lookups 3, "
	  "complete 2, met 2 sent for 260, busy 0; " },
	{ "off_cpu_preempted_is_another_stack",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; time 100; tracepoint loop out; "
	  "time 350; tracepoint loop in; state 0; tracepoint loop out; tracepoint loop in; state "
	  "1; preempts 1; tracepoint loop out; time 360; tracepoint loop in; counters",
	  "read s8 2048; 3:1 on 6 at 100 by 9 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read "
	  "s8 2048; 3:2 on 6 at 350 by 9 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 "
	  "2048; 3 rounds, 0 tails; samples 3, stacks 3, frames 9, windows 3, lookups 3, complete "
	  "3, met 1 sent for 250, met 2 sent for 10, busy 0; " },
	{ "off_cpu_for_ever",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; state 128; tracepoint loop out; "
	  "tracepoint loop in; counters",
	  "busy 0; " },
	{ "off_cpu_too_short",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; off_least 50; time 100; "
	  "tracepoint loop out; time 149; tracepoint loop in; time 200; tracepoint loop out; time "
	  "250; tracepoint loop in; counters",
	  "read s8 2048; 3:1 on 6 at 100 by 9 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read "
	  "s8 2048; 3 rounds, 0 tails; samples 2, stacks 1, frames 6, windows 2, lookups 3, "
	  "off_short 1, off_short_ns 49, complete 2, met 1 sent for 50, busy 0; " },
	{ "off_cpu_and_no_return_is_seen",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; time 100; tracepoint loop out; "
	  "time 200; tracepoint loop out; time 230; tracepoint loop in; counters",
	  "read s8 2048; 3:1 on 6 at 100 by 9 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read "
	  "s8 2048; 3 rounds, 0 tails; samples 2, stacks 1, frames 6, windows 2, lookups 3, "
	  "lost_return 1, complete 2, met 1 sent for 30, busy 0; " },
	{ "off_cpu_that_can_not_be_deleted",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; off_stays 1; time 100; "
	  "tracepoint loop out; time 200; tracepoint loop in; counters; tracepoint loop in; time "
	  "300; tracepoint loop out; counters",
	  "read s8 2048; 3:1 on 6 at 100 by 9 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 3, windows 1, lookups 3, complete 1, met 1 sent for 100, "
	  "back since 0, busy 0; read s8 2048; 3 rounds, 0 tails; samples 1, frames 3, windows 1, "
	  "complete 1, met 1 sent for 100, off since 300, busy 0; " },
	{ "off_cpu_without_room_for_the_thread",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; off_max 0; tracepoint loop out; "
	  "counters",
	  "read s8 2048; 3:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, lost_full "
	  "1, windows 1, lookups 3, met 0 sent, busy 0; " },
	{ "off_cpu_without_room_for_the_stack",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; counted_max 0; tracepoint loop "
	  "out; counters",
	  "read s8 2048; 3 rounds, 0 tails; samples 1, lost_full 1, windows 1, lookups 3, busy "
	  "0; " },
	{ "off_cpu_without_room_for_the_record",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; full_ring 1; time 100; "
	  "tracepoint loop out; time 200; tracepoint loop in; counters",
	  "read s8 2048; no room; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, "
	  "lookups 3, complete 1, met 1 for 100, busy 0; " },
	{ "off_cpu_of_a_kernel_thread",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; off_cpu 1; every_tick 1; known 9; flags "
	  "2097152; time 100; tracepoint loop out; time 200; tracepoint loop in; counters",
	  "3:1 on 6 at 100 by 0 s0: none; samples 1, kernel_threads 1, stacks 1, none 1, met 1 "
	  "sent for 100, busy 0; " },
	{ "another_signal",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; step loop 6; step chain 4; step loop other; step "
	  "chain other; counters",
	  "busy 0; " },
	{ "all_registers",
	  "sp s0; ax s100; dx s108; cx s116; bx s124; si s132; di s140; bp s148; r8 s164; r9 s172; "
	  "r10 s180; r11 s188; r12 s196; r13 s204; r14 s212; r15 s220; s100 p0+1; s108 p0+2; s116 "
	  "p0+3; s124 p0+4; s132 p0+5; s140 p0+6; s148 p0+7; s0 p0+8; s164 p0+9; s172 p0+10; s180 "
	  "p0+11; s188 p0+12; s196 p0+13; s204 p0+14; s212 p0+15; s220 p0+16; ip p16; step loop; "
	  "ip p17; step loop; ip p18; step loop; ip p19; step loop; ip p20; step loop; ip p21; "
	  "step loop; ip p22; step loop; ip p23; step loop; ip p24; step loop; ip p25; step loop; "
	  "ip p26; step loop; ip p27; step loop; ip p28; step loop; ip p29; step loop; ip p30; "
	  "step loop; ip p31; step loop; counters",
	  "read s96 2048; read s100 8; 0:1 s0: p16+0 p0+1 complete; 2 rounds, 0 tails; read s104 "
	  "2048; read s108 8; 0:2 s0: p17+0 p0+2 complete; 2 rounds, 0 tails; read s112 2048; read "
	  "s116 8; 0:3 s0: p18+0 p0+3 complete; 2 rounds, 0 tails; read s120 2048; read s124 8; "
	  "0:4 s0: p19+0 p0+4 complete; 2 rounds, 0 tails; read s128 2048; read s132 8; 0:5 s0: "
	  "p20+0 p0+5 complete; 2 rounds, 0 tails; read s136 2048; read s140 8; 0:6 s0: p21+0 p0+6 "
	  "complete; 2 rounds, 0 tails; read s144 2048; read s148 8; 0:7 s0: p22+0 p0+7 complete; "
	  "2 rounds, 0 tails; read s0 2048; 0:8 s0: p23+0 p0+8 complete; 2 rounds, 0 tails; read "
	  "s160 2048; read s164 8; 0:9 s0: p24+0 p0+9 complete; 2 rounds, 0 tails; read s168 2048; "
	  "read s172 8; 0:10 s0: p25+0 p0+10 complete; 2 rounds, 0 tails; read s176 2048; read "
	  "s180 8; 0:11 s0: p26+0 p0+11 complete; 2 rounds, 0 tails; read s184 2048; read s188 8; "
	  "0:12 s0: p27+0 p0+12 complete; 2 rounds, 0 tails; read s192 2048; read s196 8; 0:13 s0: "
	  "p28+0 p0+13 complete; 2 rounds, 0 tails; read s200 2048; read s204 8; 0:14 s0: p29+0 "
	  "p0+14 complete; 2 rounds, 0 tails; read s208 2048; read s212 8; 0:15 s0: p30+0 p0+15 "
	  "complete; 2 rounds, 0 tails; read s216 2048; read s220 8; 0:16 s0: p31+0 p0+16 "
	  "complete; 2 rounds, 0 tails; samples 16, stacks 16, frames 32, windows 16, singles 15, "
	  "lookups 32, complete 16, applied 1, busy 0; " },
	{ "callers_registers_are_lost",
	  "ip p1; sp s0; s8 p16+1; step loop; s8 p17+1; step loop; s8 p18+1; step loop; s8 p20+1; "
	  "step loop; s8 p21+1; step loop; s8 p24+1; step loop; s8 p25+1; step loop; s8 p26+1; "
	  "step loop; s8 p27+1; step loop; counters",
	  "read s8 2048; 0:1 s0: p1+0 p16+1 register_unknown; 2 rounds, 0 tails; read s8 2048; 0:2 "
	  "s0: p1+0 p17+1 register_unknown; 2 rounds, 0 tails; read s8 2048; 0:3 s0: p1+0 p18+1 "
	  "register_unknown; 2 rounds, 0 tails; read s8 2048; 0:4 s0: p1+0 p20+1 register_unknown; "
	  "2 rounds, 0 tails; read s8 2048; 0:5 s0: p1+0 p21+1 register_unknown; 2 rounds, 0 "
	  "tails; read s8 2048; 0:6 s0: p1+0 p24+1 register_unknown; 2 rounds, 0 tails; read s8 "
	  "2048; 0:7 s0: p1+0 p25+1 register_unknown; 2 rounds, 0 tails; read s8 2048; 0:8 s0: "
	  "p1+0 p26+1 register_unknown; 2 rounds, 0 tails; read s8 2048; 0:9 s0: p1+0 p27+1 "
	  "register_unknown; 2 rounds, 0 tails; samples 9, stacks 9, frames 18, windows 9, lookups "
	  "10, register_unknown 9, applied 2, busy 0; " },
	{ "saved_registers_are_not",
	  "ip p1; sp s0; bx s100; bp s108; r12 s116; r13 s124; r14 s132; r15 s140; s100 p0+1; s108 "
	  "p0+2; s116 p0+3; s124 p0+4; s132 p0+5; s140 p0+6; s8 p19+1; step loop; s8 p22+1; step "
	  "loop; s8 p28+1; step loop; s8 p29+1; step loop; s8 p30+1; step loop; s8 p31+1; step "
	  "loop;",
	  "read s8 2048; read s100 8; 0:1 s0: p1+0 p19+1 p0+1 complete; 3 rounds, 0 tails; read s8 "
	  "2048; read s108 8; 0:2 s0: p1+0 p22+1 p0+2 complete; 3 rounds, 0 tails; read s8 2048; "
	  "read s116 8; 0:3 s0: p1+0 p28+1 p0+3 complete; 3 rounds, 0 tails; read s8 2048; read "
	  "s124 8; 0:4 s0: p1+0 p29+1 p0+4 complete; 3 rounds, 0 tails; read s8 2048; read s132 8; "
	  "0:5 s0: p1+0 p30+1 p0+5 complete; 3 rounds, 0 tails; read s8 2048; read s140 8; 0:6 s0: "
	  "p1+0 p31+1 p0+6 complete; 3 rounds, 0 tails; " },
	{ "rsp_is_the_cfa", "ip p1; sp s0; s8 p23+1; s16 p0+1; step loop; counters",
	  "read s8 2048; 0:1 s0: p1+0 p23+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, busy 0; " },
	{ "saved_rbp",
	  "ip p4; sp s0; bp s500; s0 s200; s16 p2+1; s200 s300; s208 p2+1; s300 s400; s308 p0+1; "
	  "sample loop; counters",
	  "read s16 2048; read s0 2048; read s308 8; 1:1 s0: p4+0 p2+1 p2+1 p0+1 complete; 4 "
	  "rounds, 0 tails; samples 1, stacks 1, frames 4, windows 2, singles 1, lookups 3, "
	  "complete 1, busy 0; " },
	{ "rbp_that_is_undefined",
	  "ip p5; sp s0; bp s200; s8 p2+1; s208 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p5+0 p2+1 register_unknown; 2 rounds, 0 tails; samples 1, stacks "
	  "1, frames 2, windows 1, lookups 2, register_unknown 1, applied 2, busy 0; " },
	{ "rbp_far_away",
	  "ip p6; sp s4096; bp s500; s4104 p2+1; s2088 s5000; s5008 p0+1; sample loop; counters",
	  "read s4104 2048; read s2048 2048; read s5008 2048; 1:1 s4096: p6+0 p2+1 p0+1 complete; "
	  "3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 3, lookups 3, complete 1, "
	  "busy 0; " },
	{ "rbp_is_nobody_s", "ip p1; sp s0; bp s200; s8 p2+1; s208 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p2+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, applied 2, busy 0; " },
	{ "rbp_of_the_top",
	  "ip p2; sp s0; bp s200; s200 s300; s208 p2+1; s308 p0+1; sample loop; counters",
	  "read s208 2048; read s200 2048; read s308 8; 1:1 s0: p2+0 p2+1 p0+1 complete; 3 rounds, "
	  "0 tails; samples 1, stacks 1, frames 3, windows 2, singles 1, lookups 2, complete 1, "
	  "applied 2, busy 0; " },
	{ "rbp_by_a_place",
	  "ip p7; sp s32; bp s500; s40 p2+1; s32 s200; s208 p0+1; sample loop; counters; sample "
	  "loop; counters",
	  "read s40 2048; read s32 2048; 1:1 s32: p7+0 p2+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 3, windows 2, lookups 3, complete 1, applied 2, busy 0; "
	  "read s40 2048; read s32 2048; 1:2 s32: p7+0 p2+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 3, windows 2, lookups 1, complete 1, applied 2, busy 0; " },
	{ "rbp_is_the_callee_s",
	  "ip p1; sp s0; s8 p1+1; s24 p4+1; s32 s900; s48 p0+1; sample loop; ip p4; sp s1000; "
	  "s1000 s1100; s1016 p2+1; s1108 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p1+1 p4+1 p0+1 complete; 4 rounds, 0 tails; read s1016 2048; "
	  "read s1000 2048; read s1108 8; 1:2 s1000: p4+0 p2+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 2, stacks 2, frames 7, windows 3, singles 1, lookups 4, complete 2, busy 0; " },
	{ "rbp_is_the_third_frame_s",
	  "ip p4; sp s0; s0 s2000; s16 p1+1; s32 p4+1; s40 s300; s56 p2+1; s308 p0+1; sample loop; "
	  "counters",
	  "read s16 2048; read s308 8; 1:1 s0: p4+0 p1+1 p4+1 p2+1 p0+1 complete; 5 rounds, 0 "
	  "tails; samples 1, stacks 1, frames 5, windows 1, singles 1, lookups 4, complete 1, busy "
	  "0; " },
	{ "place_of_the_first_generation",
	  "generation 1; ip p7; sp s32; bp s500; s40 p2+1; s32 s200; s208 p0+1; sample loop; "
	  "sample loop; counters",
	  "read s40 2048; read s32 2048; 1:1 on 6 at 500 by 1 s32: p7+0 p2+1 p0+1 complete; 3 "
	  "rounds, 0 tails; read s40 2048; read s32 2048; 1:2 on 6 at 500 by 1 s32: p7+0 p2+1 p0+1 "
	  "complete; 3 rounds, 0 tails; samples 2, stacks 2, frames 6, windows 4, lookups 4, "
	  "complete 2, applied 2, busy 0; " },
	{ "what_was_in_memory_is_not_now",
	  "ip p3; sp s0; bp s500; s16 p22+1; s500 p0+1; step loop; ip p19; bx s600; s600 p0+1; "
	  "step loop; counters",
	  "read s16 2048; read s500 8; 0:1 s0: p3+0 p22+1 p0+1 complete; 3 rounds, 0 tails; read "
	  "s600 2048; 0:2 s0: p19+0 p0+1 complete; 2 rounds, 0 tails; samples 2, stacks 2, frames "
	  "5, windows 2, singles 1, lookups 4, complete 2, applied 1, busy 0; " },
	{ "what_was_guessed_is_not_now",
	  "follow 1; ip p9; sp s0; bp s64; s72 p0+1; sample loop; ip p1; s8 p0+1; sample loop; "
	  "counters",
	  "read s64 2048; 1:1 s0: p9+0 ?p0+1 guessed; 2 rounds, 0 tails; read s8 2048; 1:2 s0: "
	  "p1+0 p0+1 complete; 2 rounds, 0 tails; samples 2, stacks 2, frames 4, windows 2, "
	  "lookups 3, guesses 1, complete 1, guessed 1, busy 0; " },
	{ "far_rbp_can_not_be_read", "ip p6; sp s64; s72 p2+1; sample loop; counters",
	  "read s72 2048; read 7fffeffff800 2048; read 7fffeffff800 2048; 1:1 s64: p6+0 p2+1 "
	  "read_fault; 2 rounds, 0 tails; samples 1, stacks 1, frames 2, windows 3, lookups 2, "
	  "read_fault 1, applied 2, busy 0; " },
	{ "rbp_can_not_be_read", "ip p4; sp s0; s0 1000; s16 p2+1; sample loop; counters",
	  "read s16 2048; read s0 2048; read 1008 2048; 1:1 s0: p4+0 p2+1 read_fault; 2 rounds, 0 "
	  "tails; samples 1, stacks 1, frames 2, windows 3, lookups 2, read_fault 1, busy 0; " },
	{ "nothing_is_left_of_the_last_walk",
	  "ip p4; sp s0; s0 s200; s16 p4+1; s24 s400; s40 p0+1; sample loop; ip p1; s8 p7+1; s16 "
	  "s600; s24 p2+1; s608 p0+1; sample loop; counters",
	  "read s16 2048; 1:1 s0: p4+0 p4+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 1:2 "
	  "s0: p1+0 p7+1 p2+1 p0+1 complete; 4 rounds, 0 tails; samples 2, stacks 2, frames 7, "
	  "windows 2, lookups 5, complete 2, applied 3, busy 0; " },
	{ "nor_of_its_last_frame",
	  "ip p1; sp s0; chain 2000; s16360 p4+1; sample loop; ip p2; bp s40000; s40008 p0+1; "
	  "sample loop; counters",
	  "read s8 2048; read s2048 2048; read s4104 2048; read s6144 2048; read s8200 2048; read "
	  "s10240 2048; read s12296 2048; read s14336 2048; read s16384 2048; 1:1 s0: p1+0 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 zero_return; 1024 rounds, 0 tails; "
	  "read s38912 2048; 1:2 s0: p2+0 p0+1 complete; 2 rounds, 0 tails; samples 2, stacks 2, "
	  "frames 1026, windows 10, lookups 4, complete 1, zero_return 1, applied 1, busy 0; " },
	{ "a_signal_frame", "ip p8+4; sp s0; s8 p1; s24 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p8+4 p1+0 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, applied 1, busy 0; " },
	{ "a_call_before_it", "ip p1+4; sp s0; s8 p1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+0 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "without_rows",
	  "ip p9; sample loop; ip p10; sample loop; ip p38; sp s0; sample loop; ip p39; sample "
	  "loop; counters",
	  "1:1 0: p9+0 no_row; 1 rounds, 0 tails; 1:2 0: p10+0 malformed; 1 rounds, 0 tails; read "
	  "s8 2048; 1:3 s0: p38+0 zero_return; 1 rounds, 0 tails; 1:4 s0: p39+0 no_row; 1 rounds, "
	  "0 tails; samples 4, stacks 4, frames 4, windows 1, lookups 4, no_row 2, malformed 1, "
	  "zero_return 1, busy 0; " },
	{ "behind_a_system_call",
	  "sp s0; s8 p0+1; ip p1; cx p1; orig_ax 0; sample loop; tracepoint loop; step loop; "
	  "uprobe loop; replay loop s5000; cx p2; sample loop; cx p1; orig_ax ffffffffffffffff; "
	  "sample loop; orig_ax 7fffffffffffffff; sample chain; counters",
	  "1:1 s0: p1+0 complete; 1 rounds, 0 tails; 3:2 s0: p1+0 complete; 1 rounds, 0 tails; "
	  "read s8 2048; 0:3 s0: p1+0 p0+1 complete; 2 rounds, 0 tails; read s8 2048; 2:4 s0: p1+0 "
	  "p0+1 complete; 2 rounds, 0 tails; read s5000 168; read s8 2048; 4:5 s0: p1+0 p0+1 "
	  "complete; 2 rounds, 0 tails; read s8 2048; 1:6 s0: p1+0 p0+1 complete; 2 rounds, 0 "
	  "tails; read s8 2048; 1:7 s0: p1+0 p0+1 complete; 2 rounds, 0 tails; 1:8 s0: p1+0 "
	  "complete; samples 1, stacks 1, frames 2, windows 1, lookups 2, complete 1, samples 4, "
	  "stacks 4, frames 6, windows 2, lookups 1, complete 4, samples 1, stacks 1, frames 2, "
	  "windows 1, complete 1, samples 1, stacks 1, frames 1, complete 1, samples 1, stacks 1, "
	  "frames 2, windows 1, complete 1, busy 0; " },
	{ "window_at_8", "ip p1; sp s0; s8 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_2040", "ip p1; sp s2032; s2040 p0+1; sample loop; counters",
	  "read s2040 2048; 1:1 s2032: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_2056", "ip p1; sp s2048; s2056 p0+1; sample loop; counters",
	  "read s2048 2048; 1:1 s2048: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_4088", "ip p1; sp s4080; s4088 p0+1; sample loop; counters",
	  "read s2048 2048; 1:1 s4080: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_4096", "ip p1; sp s4088; s4096 p0+1; sample loop; counters",
	  "read s4096 2048; 1:1 s4088: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_4092", "ip p1; sp s4084; s4092 p0+1; sample loop; counters",
	  "read s2048 2048; read s4092 8; 1:1 s4084: p1+0 p0+1 complete; 2 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 2, windows 1, singles 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_11", "ip p1; sp s3; s11 p0+1; sample loop; counters",
	  "read s8 2048; read s11 8; 1:1 s3: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, "
	  "stacks 1, frames 2, windows 1, singles 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_65528", "ip p1; sp s65520; s65528 p0+1; sample loop; counters",
	  "read s63488 2048; 1:1 s65520: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks "
	  "1, frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "window_at_65536", "ip p1; sp s65528; s0 p0+1; sample loop; counters",
	  "read 7ffff0010000 2048; 1:1 s65528: p1+0 read_fault; 1 rounds, 0 tails; samples 1, "
	  "stacks 1, frames 1, windows 1, lookups 1, read_fault 1, busy 0; " },
	{ "window_then_2040", "ip p1; sp s0; s8 p2+1; bp s2032; s2040 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p2+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, applied 2, busy 0; " },
	{ "window_then_2048", "ip p1; sp s0; s8 p2+1; bp s2040; s2048 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p2+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, applied 2, busy 0; " },
	{ "window_then_2056", "ip p1; sp s0; s8 p2+1; bp s2048; s2056 p0+1; sample loop; counters",
	  "read s8 2048; read s2048 2048; 1:1 s0: p1+0 p2+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 3, windows 2, lookups 3, complete 1, applied 2, busy 0; " },
	{ "window_then_2045", "ip p1; sp s0; s8 p2+1; bp s2037; s2045 p0+1; sample loop; counters",
	  "read s8 2048; read s2045 8; 1:1 s0: p1+0 p2+1 p0+1 complete; 3 rounds, 0 tails; samples "
	  "1, stacks 1, frames 3, windows 1, singles 1, lookups 3, complete 1, applied 2, busy "
	  "0; " },
	{ "window_then_2049", "ip p1; sp s0; s8 p2+1; bp s2041; s2049 p0+1; sample loop; counters",
	  "read s8 2048; read s2048 2048; read s2049 8; 1:1 s0: p1+0 p2+1 p0+1 complete; 3 rounds, "
	  "0 tails; samples 1, stacks 1, frames 3, windows 2, singles 1, lookups 3, complete 1, "
	  "applied 2, busy 0; " },
	{ "window_then_2041", "ip p1; sp s0; s8 p2+1; bp s2033; s2041 p0+1; sample loop; counters",
	  "read s8 2048; read s2041 8; 1:1 s0: p1+0 p2+1 p0+1 complete; 3 rounds, 0 tails; samples "
	  "1, stacks 1, frames 3, windows 1, singles 1, lookups 3, complete 1, applied 2, busy "
	  "0; " },
	{ "rbp_is_zero", "ip p1; sp s0; s8 p2+1; bp 0; s8 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 2, complete 1, busy 0; " },
	{ "window_then_before",
	  "ip p1; sp s2048; s2056 p8+1; s2072 p1+1; sp s2048; s2088 p0+1; sample loop; counters",
	  "read s2048 2048; 1:1 s2048: p1+0 p8+1 p1+1 p0+1 complete; 4 rounds, 0 tails; samples 1, "
	  "stacks 1, frames 4, windows 1, lookups 4, complete 1, applied 2, busy 0; " },
	{ "stack_that_is_not_there",
	  "ip p1; sp 1000; sample loop; sp fffffffffffffff8; sample loop; counters",
	  "read 1008 2048; 1:1 1000: p1+0 read_fault; 1 rounds, 0 tails; read 0 2048; 1:2 "
	  "fffffffffffffff8: p1+0 read_fault; 1 rounds, 0 tails; samples 2, stacks 2, frames 2, "
	  "windows 2, lookups 1, read_fault 2, busy 0; " },
	{ "mappings",
	  "ip 1fffff; sample loop; ip 200000; sample loop; ip 200fff; sample loop; ip 201000; "
	  "sample loop; ip 2fffff; sample loop; ip 300000; sample loop; ip 300fff; sample loop; ip "
	  "301000; sample loop; ip 3fffff; sample loop; ip p0; sample loop; ip 427fff; sample "
	  "loop; ip 428000; sample loop; ip 500000; sample loop; ip 500fff; sample loop; ip "
	  "501000; sample loop; ip 600000; sample loop; ip 600fff; sample loop; ip 601000; sample "
	  "loop; ip 100000; sample loop; ip 700000; sample loop; counters",
	  "1:1 0: 1fffff no_mapping; 1 rounds, 0 tails; 1:2 0: 200000 no_row; 1 rounds, 0 tails; "
	  "1:3 0: 200fff no_row; 1 rounds, 0 tails; 1:4 0: 201000 no_mapping; 1 rounds, 0 tails; "
	  "1:5 0: 2fffff no_mapping; 1 rounds, 0 tails; 1:6 0: 300000 no_row; 1 rounds, 0 tails; "
	  "1:7 0: 300fff no_row; 1 rounds, 0 tails; 1:8 0: 301000 no_mapping; 1 rounds, 0 tails; "
	  "1:9 0: 3fffff no_mapping; 1 rounds, 0 tails; 1:10 0: p0+0 complete; 1 rounds, 0 tails; "
	  "1:11 0: p39+4095 no_row; 1 rounds, 0 tails; 1:12 0: 428000 no_mapping; 1 rounds, 0 "
	  "tails; 1:13 0: 500000 no_row; 1 rounds, 0 tails; 1:14 0: 500fff no_row; 1 rounds, 0 "
	  "tails; 1:15 0: 501000 no_mapping; 1 rounds, 0 tails; 1:16 0: 600000 no_row; 1 rounds, 0 "
	  "tails; 1:17 0: 600fff no_row; 1 rounds, 0 tails; 1:18 0: 601000 no_mapping; 1 rounds, 0 "
	  "tails; 1:19 0: 100000 no_mapping; 1 rounds, 0 tails; 1:20 0: 700000 no_mapping; 1 "
	  "rounds, 0 tails; samples 20, stacks 20, frames 20, lookups 20, complete 1, no_mapping "
	  "10, no_row 9, busy 0; " },
	{ "one_mapping",
	  "mappings 1; ip 200fff; sample loop; ip 300000; sample loop; ip p0; sample loop; "
	  "counters",
	  "1:1 0: 200fff no_row; 1 rounds, 0 tails; 1:2 0: 300000 no_mapping; 1 rounds, 0 tails; "
	  "1:3 0: p0+0 no_mapping; 1 rounds, 0 tails; samples 3, stacks 3, frames 3, lookups 3, "
	  "no_mapping 2, no_row 1, busy 0; " },
	{ "two_mappings",
	  "mappings 2; ip 300000; sample loop; ip p0; sample loop; ip 200000; sample loop; "
	  "counters",
	  "1:1 0: 300000 no_row; 1 rounds, 0 tails; 1:2 0: p0+0 no_mapping; 1 rounds, 0 tails; 1:3 "
	  "0: 200000 no_row; 1 rounds, 0 tails; samples 3, stacks 3, frames 3, lookups 3, "
	  "no_mapping 1, no_row 2, busy 0; " },
	{ "no_mappings", "mappings 0; ip 300000; sample loop; counters",
	  "1:1 0: 300000 no_mapping; 1 rounds, 0 tails; samples 1, stacks 1, frames 1, lookups 1, "
	  "no_mapping 1, busy 0; " },
	{ "no_such_mappings", "space 16384; ip 300000; sample loop; counters",
	  "1:1 0: 300000 bad_table; 1 rounds, 0 tails; samples 1, stacks 1, frames 1, lookups 1, "
	  "bad_table 1, busy 0; " },
	{ "the_last_mapping_is_tried_first",
	  "ip p1; sp s0; s8 p1+1; s24 300001; sample loop; s24 200001; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p1+1 300001 no_row; 3 rounds, 0 tails; read s8 2048; 1:2 s0: "
	  "p1+0 p1+1 200001 no_row; 3 rounds, 0 tails; samples 2, stacks 2, frames 6, windows 2, "
	  "lookups 3, no_row 2, busy 0; " },
	{ "many_mappings",
	  "many; ip 10501001; sp s0; s8 p1+1; s24 10501002; s40 2ff01002; s56 30f00001; s56 p0+1; "
	  "sample loop; ip 2ff01001; sample loop; counters",
	  "read s8 2048; 1:1 s0: 10501001 p1+1 10501002 2ff01002 p0+1 complete; 5 rounds, 0 tails; "
	  "read s8 2048; 1:2 s0: 2ff01001 p1+1 10501002 2ff01002 p0+1 complete; 5 rounds, 0 tails; "
	  "samples 2, stacks 2, frames 10, windows 2, lookups 4, complete 2, busy 0; " },
	{ "chain_of_2", "ip p1; sp s0; chain 2; sample loop; sample chain; counters",
	  "read s8 2048; 1:1 s0: p1+0 p0+1 complete; 2 rounds, 0 tails; read s8 2048; 1:2 s0: p1+0 "
	  "p0+1 complete; samples 2, stacks 2, frames 4, windows 2, lookups 2, complete 2, busy "
	  "0; " },
	{ "chain_of_33", "ip p1; sp s0; chain 33; sample loop; sample chain; counters",
	  "read s8 2048; 1:1 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "complete; 33 rounds, 0 tails; read s8 2048; 1:2 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 complete; samples 2, stacks 2, frames 66, windows 2, lookups "
	  "2, complete 2, busy 0; " },
	{ "chain_of_34", "ip p1; sp s0; chain 34; sample loop; sample chain; counters",
	  "read s8 2048; 1:1 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "complete; 34 rounds, 0 tails; read s8 2048; 1:2 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 complete; 0 rounds, 1 tails; samples 2, stacks 2, frames 68, "
	  "windows 2, lookups 2, complete 2, busy 0; " },
	{ "chain_of_1023", "ip p1; sp s0; chain 1023; sample loop; sample chain; counters",
	  "read s8 2048; read s2048 2048; read s4104 2048; read s6144 2048; read s8200 2048; read "
	  "s10240 2048; read s12296 2048; read s14336 2048; 1:1 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 complete; 1023 rounds, 0 tails; read s8 2048; read s2048 "
	  "2048; read s4104 2048; read s6144 2048; read s8200 2048; read s10240 2048; read s12296 "
	  "2048; read s14336 2048; 1:2 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 complete; 0 rounds, 30 tails; samples 2, stacks 2, frames 2046, windows 16, "
	  "lookups 2, complete 2, busy 0; " },
	{ "chain_of_1024", "ip p1; sp s0; chain 1024; sample loop; sample chain; counters",
	  "read s8 2048; read s2048 2048; read s4104 2048; read s6144 2048; read s8200 2048; read "
	  "s10240 2048; read s12296 2048; read s14336 2048; 1:1 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 complete; 1024 rounds, 0 tails; read s8 2048; read s2048 "
	  "2048; read s4104 2048; read s6144 2048; read s8200 2048; read s10240 2048; read s12296 "
	  "2048; read s14336 2048; 1:2 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 complete; 0 rounds, 31 tails; samples 2, stacks 2, frames 2048, windows 16, "
	  "lookups 2, complete 2, busy 0; " },
	{ "chain_of_1025", "ip p1; sp s0; chain 1025; sample loop; sample chain; counters",
	  "read s8 2048; read s2048 2048; read s4104 2048; read s6144 2048; read s8200 2048; read "
	  "s10240 2048; read s12296 2048; read s14336 2048; 1:1 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 depth; 1025 rounds, 0 tails; read s8 2048; read s2048 "
	  "2048; read s4104 2048; read s6144 2048; read s8200 2048; read s10240 2048; read s12296 "
	  "2048; read s14336 2048; 1:2 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 depth; 0 rounds, 31 tails; samples 2, stacks 2, frames 2048, windows 16, lookups "
	  "1, depth 2, busy 0; " },
	{ "tail_call_that_fails",
	  "ip p1; sp s0; chain 40; failing_tails 1; sample chain; counters; chain 33; sample "
	  "chain; counters",
	  "read s8 2048; 1:1 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "depth; 0 rounds, 1 tails; samples 1, stacks 1, frames 33, tail_failed 1, windows 1, "
	  "lookups 1, depth 1, busy 0; read s8 2048; 1:2 s0: p1+0 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 complete; samples 1, stacks 1, frames 33, windows 1, lookups "
	  "1, complete 1, busy 0; " },
	{ "saved_by_1", "ip p1+4; sp s0; bx s50000; saved 1 70; s60000 p0+1; sample loop; counters",
	  "read s8 2048; read s59392 2048; 1:1 s0: p1+4 p3+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 complete; 72 rounds, 0 tails; samples 1, stacks 1, frames 72, windows 2, "
	  "lookups 5, complete 1, applied 71, busy 0; " },
	{ "saved_by_32",
	  "ip p1+4; sp s0; bx s50000; saved 32 70; s60000 p0+1; sample loop; counters",
	  "read s8 2048; read s59392 2048; 1:1 s0: p1+4 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 complete; 72 rounds, 0 tails; samples 1, stacks 1, frames 72, windows 2, "
	  "lookups 5, complete 1, applied 71, busy 0; " },
	{ "saved_by_33",
	  "ip p1+4; sp s0; bx s50000; saved 33 70; s60000 p0+1; sample loop; counters",
	  "read s8 2048; read s59392 2048; 1:1 s0: p1+4 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 complete; 72 rounds, 0 tails; samples 1, stacks 1, frames 72, windows 2, "
	  "lookups 5, complete 1, applied 71, busy 0; " },
	{ "saved_by_69",
	  "ip p1+4; sp s0; bx s50000; saved 69 70; s60000 p0+1; sample loop; counters",
	  "read s8 2048; read s59392 2048; 1:1 s0: p1+4 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 "
	  "p1+1 p1+1 p1+1 complete; 72 rounds, 0 tails; samples 1, stacks 1, frames 72, windows 2, "
	  "lookups 5, complete 1, applied 71, busy 0; " },
	{ "saved_and_asked_for_late",
	  "ip p1+4; sp s0; bx s50000; saved 1000 1020; s60000 p0+1; sample loop; counters",
	  "read s8 2048; read s2048 2048; read s4104 2048; read s6144 2048; read s8200 2048; read "
	  "s10240 2048; read s12296 2048; read s14336 2048; read s59392 2048; 1:1 s0: p1+4 p1+1 "
	  "p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 p1+1 complete; 1022 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 1022, windows 9, lookups 5, complete 1, applied 1021, busy "
	  "0; " },
	{ "scratch_is_busy",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; busy 1; sample loop; sample chain; counters; busy 0; "
	  "sample loop; counters",
	  "lost_busy 2, busy 1; read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 3, windows 1, lookups 3, complete 1, busy 0; " },
	{ "unknown_process",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; known 99; sample loop; sample chain; counters; flags "
	  "2097152; sample loop; counters; flags 4194304; sample loop; counters",
	  "unknown 2, busy 0; kernel_threads 1, busy 0; unknown 1, busy 0; " },
	{ "idle",
	  "ip p1+4; sp s0; known 99; pid 0; flags 2097152; every_tick 1; sample loop; sample "
	  "chain; "
	  "counters",
	  "idle 2, busy 0; " },
	{ "every_tick",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; known 99; every_tick 1; sample loop; sample chain; "
	  "counters; flags 2097152; sample loop; kernel_stacks 1; kernel_frames 2; cs 10; sample "
	  "chain; counters",
	  "1:1 on 6 at 500 by 0 s0: p1+4 no_mapping; 1:2 on 6 at 500 by 0 s0: p1+4 no_mapping; "
	  "samples "
	  "2, unknown 2, stacks 2, frames 2, no_mapping 2, busy 0; 1:3 on 6 at 500 by 0 s0: "
	  "(kernel "
	  "thread) none; 1:4 on 6 at 500 by 0 s0: K0 K1 (kernel thread) none; samples 2, "
	  "kernel_threads "
	  "2, stacks 2, none 2, busy 0; " },
	{ "kernel_stack",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; kernel_frames 127; cs 10; sample loop; kernel_stacks "
	  "1; "
	  "sample loop; sample chain; kernel_frames -14; sample loop; kernel_frames 1; tracepoint "
	  "chain; cs 33; sample loop; uprobe loop; step loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 (kernel) complete; 3 rounds, 0 tails; read "
	  "s8 2048; 1:2 s0: p1+4 p1+1 p0+1 K0 K1 K2 .. K126 (kernel) complete; 3 rounds, 0 "
	  "tails; read s8 2048; 1:3 s0: p1+4 p1+1 p0+1 K0 K1 K2 .. K126 (kernel) complete; "
	  "read s8 2048; 1:4 s0: p1+4 p1+1 p0+1 (kernel) complete; 3 rounds, 0 tails; read "
	  "s8 2048; 3:5 s0: p1+4 p1+1 p0+1 K0 complete; read s8 2048; 1:6 s0: p1+4 p1+1 "
	  "p0+1 complete; 3 rounds, 0 tails; read s8 2048; 2:7 s0: p1+4 p1+1 p0+1 "
	  "complete; 3 rounds, 0 tails; read s8 2048; 0:8 s0: p1+4 p1+1 p0+1 complete; 3 "
	  "rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, complete 1, samples "
	  "5, stacks 5, frames 15, windows 5, lookups 3, complete 5, samples 1, stacks 1, "
	  "frames 3, windows 1, complete 1, samples 1, stacks 1, frames 3, windows 1, "
	  "complete 1, busy 0; " },
	{ "who_was_met",
	  "ip p0+4; sp s0; names worker postgres; sample loop; count 1; sample loop; "
	  "sample "
	  "loop; counters",
	  "1:1 worker of postgres in 4242 s0: p0+4 complete; 1 rounds, 0 tails; 1:2 worker "
	  "of postgres in 4242 s0: p0+4 complete; 1 rounds, 0 tails; 1 rounds, 0 tails; "
	  "samples 3, stacks 3, frames 3, lookups 1, complete 3, met 2 sent, busy 0; " },
	{ "counted_by_kernel_stack",
	  "ip p0+4; sp s0; cs 10; count 1; kernel_stacks 1; kernel_frames 5; sample loop; sample "
	  "chain; "
	  "kernel_frames 4; sample loop; kernel_frames 0; sample loop; cs 33; sample loop; "
	  "counters",
	  "1:1 s0: p0+4 K0 K1 K2 .. K4 (kernel) complete; 1 rounds, 0 tails; 1:3 s0: p0+4 "
	  "K0 K1 K2 .. K3 (kernel) complete; 1 rounds, 0 tails; 1:4 s0: p0+4 (kernel) "
	  "complete; 1 rounds, 0 tails; 1:5 s0: p0+4 complete; 1 rounds, 0 tails; samples "
	  "5, stacks 5, frames 5, lookups 1, complete 5, met 2 sent, met 1 sent, met 1 "
	  "sent, met 1 sent, busy 0; " },
	{ "flags_of_a_task",
	  "ip p0; known 99; flags 1; sample loop; counters; flags -2097153; sample loop; counters",
	  "unknown 1, busy 0; unknown 1, busy 0; " },
	{ "memory_is_gone",
	  "ip p1; sp 1000; no_mm; sample loop; sample chain; counters; sp s0; s8 p0+1; sample "
	  "loop; counters",
	  "read 1008 2048; 1 rounds, 0 tails; read 1008 2048; ending 2, windows 2, lookups 1, busy "
	  "0; read s8 2048; 1:3 s0: p1+0 p0+1 complete; 2 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 2, windows 1, lookups 1, complete 1, busy 0; " },
	{ "memory_is_not_gone", "ip p1; sp 1000; sample loop; sample chain; counters",
	  "read 1008 2048; 1:1 1000: p1+0 read_fault; 1 rounds, 0 tails; read 1008 2048; 1:2 1000: "
	  "p1+0 read_fault; samples 2, stacks 2, frames 2, windows 2, lookups 1, read_fault 2, "
	  "busy 0; " },
	{ "old_kernel",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; old_kernel 1; sample loop; no_kernel_read 1; sample "
	  "loop; old_kernel 0; sample chain; counters; no_kernel_read 0; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 3, stacks 1, "
	  "frames 3, lost_regs 2, windows 1, lookups 3, complete 1, busy 0; read s8 2048; 1:2 s0: "
	  "p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, "
	  "complete 1, busy 0; " },
	{ "replay_of_nothing",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; replay loop 1000; counters; replay chain s65400; "
	  "counters",
	  "read 1000 168; samples 1, lost_regs 1, busy 0; read s65400 168; samples 1, lost_regs 1, "
	  "busy 0; " },
	{ "in_a_name_space",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; namespace 10; sample loop; namespace 11; known 170; "
	  "sample loop; namespace 12; sample loop; known 270; sample loop; counters; level 0; "
	  "namespace 11; known 170; sample loop; level 2; namespace 12; known 270; sample loop; "
	  "counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 1:2 of "
	  "170/171 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 2, unknown 2, stacks 2, "
	  "frames 6, windows 2, lookups 3, complete 2, busy 0; read s8 2048; 1:3 of 270/271 s0: "
	  "p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, unknown 1, stacks 1, frames 3, "
	  "windows 1, complete 1, busy 0; " },
	{ "deep_in_name_spaces",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; level 32; namespace 42; known 3270; sample loop; "
	  "level 33; namespace 43; known 3370; sample loop; counters",
	  "read s8 2048; 1:1 of 3270/3271 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples "
	  "1, unknown 1, stacks 1, frames 3, windows 1, lookups 3, complete 1, busy 0; " },
	{ "without_numbers",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; namespace 10; no_process; sample loop; counters",
	  "unknown 1, busy 0; " },
	{ "without_a_number",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; namespace 10; no_thread; sample loop; counters",
	  "unknown 1, busy 0; " },
	{ "cpu_and_time", "ip p0; cpu 3; time 77; sample loop; sample chain",
	  "1:1 on 3 at 77 by 9 0: p0+0 complete; 1 rounds, 0 tails; 1:2 on 3 at 77 by 9 0: p0+0 "
	  "complete; " },
	{ "counted",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; sample loop; sample loop; counters; sample "
	  "chain; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 3 "
	  "rounds, 0 tails; samples 2, stacks 2, frames 6, windows 2, lookups 3, complete 2, met 2 "
	  "sent, busy 0; read s8 2048; samples 1, stacks 1, frames 3, windows 1, complete 1, met 3 "
	  "sent, busy 0; " },
	{ "counted_apart",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; sample loop; s24 p0+2; sample loop; s8 "
	  "p1+2; sample loop; generation 10; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 1:2 s0: "
	  "p1+4 p1+1 p0+2 complete; 3 rounds, 0 tails; read s8 2048; 1:3 s0: p1+4 p1+2 p0+2 "
	  "complete; 3 rounds, 0 tails; read s8 2048; 1:4 on 6 at 500 by 10 s0: p1+4 p1+2 p0+2 "
	  "complete; 3 rounds, 0 tails; samples 4, stacks 4, frames 12, windows 4, lookups 8, "
	  "complete 4, met 1 sent, met 1 sent, met 1 sent, met 1 sent, busy 0; " },
	{ "counted_by_order",
	  "ip p1; sp s0; s8 p1+1; s24 p1+2; s40 p0+1; count 1; sample loop; s8 p1+2; s24 p1+1; "
	  "sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 p1+1 p1+2 p0+1 complete; 4 rounds, 0 tails; read s8 2048; "
	  "1:2 s0: p1+0 p1+2 p1+1 p0+1 complete; 4 rounds, 0 tails; samples 2, stacks 2, frames 8, "
	  "windows 2, lookups 3, complete 2, met 1 sent, met 1 sent, busy 0; " },
	{ "counted_by_stop", "ip p1; sp s0; count 1; sample loop; sp 1000; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+0 zero_return; 1 rounds, 0 tails; read 1008 2048; 1:2 1000: "
	  "p1+0 read_fault; 1 rounds, 0 tails; samples 2, stacks 2, frames 2, windows 2, lookups "
	  "1, read_fault 1, zero_return 1, met 1 sent, met 1 sent, busy 0; " },
	{ "counted_by_entry",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; sample loop; tracepoint loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 3:2 s0: "
	  "p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, "
	  "lookups 3, complete 1, samples 1, stacks 1, frames 3, windows 1, complete 1, met 1 "
	  "sent, met 1 sent, busy 0; " },
	{ "counted_by_process",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; sample loop; namespace 11; known 170; "
	  "sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 1:2 of "
	  "170/171 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 2, stacks 2, frames 6, "
	  "windows 2, lookups 3, complete 2, met 1 sent, met 1 sent, busy 0; " },
	{ "counted_and_the_ring_is_full",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; full_ring 1; sample loop; sample loop; "
	  "counters; full_ring 0; sample loop; sample loop; counters",
	  "read s8 2048; no room; 3 rounds, 0 tails; read s8 2048; no room; 3 rounds, 0 tails; "
	  "samples 2, stacks 2, frames 6, windows 2, lookups 3, complete 2, met 2, busy 0; read s8 "
	  "2048; 1:3 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 3 rounds, 0 "
	  "tails; samples 2, stacks 2, frames 6, windows 2, complete 2, met 4 sent, busy 0; " },
	{ "no_room_for_counts",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; counted_max 1; sample loop; s24 p0+2; "
	  "sample loop; sample chain; counters; s24 p0+1; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 3 "
	  "rounds, 0 tails; read s8 2048; samples 3, stacks 1, frames 3, lost_full 2, windows 3, "
	  "lookups 4, complete 1, met 1 sent, busy 0; read s8 2048; 3 rounds, 0 tails; samples 1, "
	  "stacks 1, frames 3, windows 1, complete 1, met 2 sent, busy 0; " },
	{ "counts_that_are_held",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; update_status -16; sample loop; counters; "
	  "update_status -12; sample loop; counters; update_status 0; sample loop; counters",
	  "read s8 2048; 3 rounds, 0 tails; samples 1, lost_count 1, windows 1, lookups 3, busy 0; "
	  "read s8 2048; 3 rounds, 0 tails; samples 1, lost_full 1, windows 1, busy 0; read s8 "
	  "2048; 1:3 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames "
	  "3, windows 1, complete 1, met 1 sent, busy 0; " },
	{ "another_cpu_counts_first",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; meanwhile 1; sample loop; sample loop; "
	  "counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 3 "
	  "rounds, 0 tails; samples 2, stacks 2, frames 6, windows 2, lookups 3, complete 2, met 7 "
	  "sent, busy 0; " },
	{ "no_map_of_counts",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; count 1; no_counts 1; sample loop; counters",
	  "read s8 2048; 3 rounds, 0 tails; samples 1, lost_full 1, windows 1, lookups 3, busy "
	  "0; " },
	{ "full_ring",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; full_ring 1; sample loop; sample chain; counters; "
	  "full_ring 0; sample loop; counters",
	  "read s8 2048; no room; 3 rounds, 0 tails; read s8 2048; no room; samples 2, lost_space "
	  "2, windows 2, lookups 3, busy 0; read s8 2048; 1:3 s0: p1+4 p1+1 p0+1 complete; 3 "
	  "rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, complete 1, busy 0; " },
	{ "wakes",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; wake 1; sample loop; sample chain; count 1; sample "
	  "loop",
	  "read s8 2048; wake 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; "
	  "wake 1:2 s0: p1+4 p1+1 p0+1 complete; read s8 2048; wake 1:3 s0: p1+4 p1+1 p0+1 "
	  "complete; 3 rounds, 0 tails; " },
	{ "memo_is_of_a_generation",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; sample loop; counters; generation 10; sample loop; "
	  "counters; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, "
	  "frames 3, windows 1, lookups 3, complete 1, busy 0; read s8 2048; 1:2 on 6 at 500 by 10 "
	  "s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows "
	  "1, lookups 3, complete 1, busy 0; read s8 2048; 1:3 on 6 at 500 by 10 s0: p1+4 p1+1 "
	  "p0+1 complete; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, complete 1, "
	  "busy 0; " },
	{ "memo_is_not_asked",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; look_up 1; sample loop; sample loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; read s8 2048; 1:2 s0: "
	  "p1+4 p1+1 p0+1 complete; 3 rounds, 0 tails; samples 2, stacks 2, frames 6, windows 2, "
	  "lookups 6, complete 2, busy 0; " },
	{ "followed",
	  "ip p9+5; sp s0; bp s64; s64 s128; s72 p1+1; s88 p0+1; sample loop; counters; follow 1; "
	  "sample loop; sample chain; counters; sample loop; counters",
	  "1:1 s0: p9+5 no_row; 1 rounds, 0 tails; samples 1, stacks 1, frames 1, lookups 1, "
	  "no_row 1, busy 0; read s64 2048; 1:2 s0: p9+5 ?p1+1 p0+1 guessed; 3 rounds, 0 tails; "
	  "read s64 2048; 1:3 s0: p9+5 ?p1+1 p0+1 guessed; samples 2, stacks 2, frames 6, windows "
	  "2, lookups 4, guesses 2, guessed 2, applied 1, busy 0; read s64 2048; 1:4 s0: p9+5 "
	  "?p1+1 p0+1 guessed; 3 rounds, 0 tails; samples 1, stacks 1, frames 3, windows 1, "
	  "lookups 1, guesses 1, guessed 1, applied 1, busy 0; " },
	{ "followed_twice",
	  "follow 1; ip 12345; sp s0; bp s64; s64 s128; s72 p9+1; s128 s256; s136 p2+1; s264 p0+1; "
	  "sample loop; counters",
	  "read s64 2048; 1:1 s0: 12345 ?p9+1 ?p2+1 p0+1 guessed; 4 rounds, 0 tails; samples 1, "
	  "stacks 1, frames 4, windows 1, lookups 4, guesses 2, guessed 1, applied 3, busy 0; " },
	{ "followed_to_nowhere",
	  "follow 1; ip p9; sp s0; bp s64; s64 s128; s72 0; sample loop; bp s4; sample loop; "
	  "counters; ip p10; bp s64; s72 p0+1; sample loop; counters",
	  "read s64 2048; 1:1 s0: p9+0 no_row; 1 rounds, 0 tails; 1:2 s0: p9+0 no_row; 1 rounds, 0 "
	  "tails; samples 2, stacks 2, frames 2, windows 1, lookups 2, no_row 2, applied 1, busy "
	  "0; 1:3 s0: p10+0 malformed; 1 rounds, 0 tails; samples 1, stacks 1, frames 1, lookups "
	  "1, malformed 1, busy 0; " },
	{ "followed_behind_frames",
	  "follow 1; ip p4; sp s0; s0 s64; s16 p9+1; s64 s128; s72 p2+1; s136 p0+1; sample loop; "
	  "counters",
	  "read s16 2048; read s0 2048; 1:1 s0: p4+0 p9+1 ?p2+1 p0+1 guessed; 4 rounds, 0 tails; "
	  "samples 1, stacks 1, frames 4, windows 2, lookups 4, guesses 1, guessed 1, applied 3, "
	  "busy 0; " },
	{ "followed_and_counted",
	  "follow 1; count 1; ip p9+5; sp s0; bp s64; s64 s128; s72 p0+1; sample loop; ip p1; s8 "
	  "p9+6; sample loop; counters",
	  "read s64 2048; 1:1 s0: p9+5 ?p0+1 guessed; 2 rounds, 0 tails; read s8 2048; 1:2 s0: "
	  "p1+0 p9+6 ?p0+1 guessed; 3 rounds, 0 tails; samples 2, stacks 2, frames 5, windows 2, "
	  "lookups 4, guesses 2, guessed 2, met 1 sent, met 1 sent, applied 2, busy 0; " },
	{ "no_scratch",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; no_scratch 1; sample loop; sample chain; counters",
	  "lost_busy 2, busy 0; " },
	{ "no_memo",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; no_memo 1; sample loop; counters; busy 0; sample "
	  "chain; counters",
	  "1:1 s0: none; samples 1, stacks 1, none 1, busy 0; 1:2 s0: none; samples 1, stacks 1, "
	  "none 1, busy 0; " },
	{ "no_counters",
	  "ip p1+4; sp s0; s8 p1+1; s24 p0+1; no_counters 1; sample loop; sample chain; counters",
	  "busy 0; " },
	{ "memo_of_one_place",
	  "ip p1+4; sp s0; s8 p0+1; s16 p0+2; sample loop; ip p3+174; sample loop; ip p1+4; sample "
	  "loop; counters",
	  "read s8 2048; 1:1 s0: p1+4 p0+1 complete; 2 rounds, 0 tails; read s16 2048; 1:2 s0: "
	  "p3+174 p0+2 complete; 2 rounds, 0 tails; read s8 2048; 1:3 s0: p1+4 p0+1 complete; 2 "
	  "rounds, 0 tails; samples 3, stacks 3, frames 6, windows 3, lookups 5, complete 3, busy "
	  "0; " },
};

START_TEST(thread_is_walked)
{
	begin_world();
	run_script(cases[_i].script);
	ck_assert_msg(!strcmp(world.said, cases[_i].expect), "%s:\n%s", cases[_i].name, world.said);
}
END_TEST

/* Before any session has said what it wants. */
START_TEST(options_are_off)
{
	ck_assert_int_eq(
		count_stacks | frame_pointers | no_memo | wake_up | kernel_stacks | every_tick, 0);
	ck_assert_uint_eq(pid_namespace, 0);
}
END_TEST

/* Each word is one by itself: what the other is, and what lies behind them, is nothing to it. The last
 * two stacks differ in the highest bits alone, which a product leaves where they are. */
START_TEST(stacks_have_hashes_of_their_own)
{
	static const uint64_t pcs[][2] = {
		{ 0, 0 },
		{ 1, 2 },
		{ 2, 1 },
		{ 2, 2 },
		{ 1, 1 },
		{ 3, 4 },
		{ 3 | 1ull << 63, 4 | 1ull << 63 },
	};
	uint64_t seen[COUNT(pcs)][2];

	for (int i = 0; i < COUNT(pcs); i++) {
		__u64 hash[3] = { 5, 6, 7 }, first[3] = { 5, 8, 9 }, second[3] = { 9, 6, 8 };

		for (int pc = 0; pc < 2; pc++) {
			hash_more(hash, pcs[i][pc]);
			hash_more(first, pcs[i][pc]);
			hash_more(second, pcs[i][pc]);
		}
		ck_assert(hash[0] == first[0] && hash[1] == second[1] && hash[2] == 7);
		memcpy(seen[i], hash, sizeof(seen[i]));
		for (int k = 0; k < i; k++)
			ck_assert_msg(seen[i][0] != seen[k][0] && seen[i][1] != seen[k][1],
				      "%d and %d", i, k);
	}
}
END_TEST

/* What the verifier asks for: functions that are checked by themselves go by what they find. */
START_TEST(functions_do_without_maps)
{
	begin_world();
	world.scratch.applied = 0;
	world.no_scratch = 1;
	ck_assert_int_eq(apply_some(WALK_ENTRY_SAMPLE, 1), 0);
	ck_assert_int_eq(step_general(WALK_ENTRY_SAMPLE, FIRST_RULE + 7, 0), STOP_BAD_TABLE);
	ck_assert_int_eq(step_guess(WALK_ENTRY_SAMPLE), STOP_BAD_TABLE);
	ck_assert_int_eq(next_frame(WALK_ENTRY_SAMPLE), 1);
	ck_assert_int_eq(walk_by_tail(NULL, WALK_ENTRY_SAMPLE, &sample_tails), 0);
	world.no_scratch = 0;
	world.no_counters = 1;
	ck_assert_int_eq(step_general(WALK_ENTRY_SAMPLE, FIRST_RULE + 7, 0), STOP_BAD_TABLE);
	ck_assert_int_eq(step_guess(WALK_ENTRY_SAMPLE), STOP_BAD_TABLE);
	ck_assert_int_eq(next_frame(WALK_ENTRY_SAMPLE), 1);
	ck_assert_int_eq(walk_by_tail(NULL, WALK_ENTRY_SAMPLE, &sample_tails), 0);
	world.no_counters = 0;
	world.no_memo = 1;
	ck_assert_int_eq(next_frame(WALK_ENTRY_SAMPLE), 1);
	ck_assert_int_eq(step_general(WALK_ENTRY_SAMPLE, COUNT(world.rules) * WALK_CHUNK_RULES, 0),
			 STOP_BAD_TABLE);
	ck_assert_str_eq(world.said, "");
}
END_TEST

SUITE(walk_made, TEST(options_are_off), TEST(stacks_have_hashes_of_their_own),
      TEST(functions_do_without_maps), LOOP(thread_is_walked, cases))
