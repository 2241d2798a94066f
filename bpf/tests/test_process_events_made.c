/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_events_made.c - what is done for processes, in which order, when, and for how long
 *
 * A case is a script (process_world.h) and all that must come of it, letter by letter.
 */
#include "tests/suite.h"
#include "process_world.h"

static const struct {
	const char *name;
	pid_t root; /* below 0: alone */
	const char *script, *expect;
} cases[] = {
	{ "existing_are_read_and_given", 7,
	  "process 7 1 2; process 8 3 1; existing; counters; space 7; space 8; space 9",
	  "scan 7; read 7; pass; give 7: 1 2; read 8; pass; give 8: 3; readings 2, processes 2, ; "
	  "space of 7: 1 2; space of 8: 3; no space of 9; close; " },
	{ "of_all", 0, "process 7 1 1; existing; existing; counters",
	  "scan 0; read 7; pass; give 7: 1; scan 0; readings 1, processes 1, ; close; " },
	{ "proc_is_not_there", 0, "process 7 1 1; unscanned; existing; counters",
	  "scan 0; -1: 1 \"no /proc\"; ; close; " },
	/* One reading in any case, and no more when the time is over. */
	{ "existing_for_a_second", 0,
	  "reading 500; process 7 1 1; process 8 2 1; process 9 3 1; existing; counters; poll; "
	  "counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; readings 2, reading 1000, "
	  "processes 2, waiting 1, ; pass; read 9; pass; give 9: 3; sweep; keep 64; readings 3, "
	  "reading 1500, processes 3, ; close; " },
	{ "existing_for_no_more_than_a_second", 0,
	  "reading 499.999999; process 7 1 1; process 8 2 1; process 9 3 1; process 10 4 1; "
	  "existing; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; read 9; pass; give 9: 3; "
	  "readings 3, reading 1499, processes 3, waiting 1, ; close; " },
	{ "a_poll_reads_for_20_ms", 0,
	  "event 0 exec 1 5 0; event 0 touch 2 5 0; event 0 touch 2 6 0; event 0 touch 2 7 0; "
	  "event 0 touch 2 8 0; process 5 1 1; process 6 2 1; process 7 3 1; process 8 4 1; at "
	  "100; reading 10; poll; counters; poll; counters",
	  "pass; read 5; pass; give 5: 1; read 6; pass; give 6: 2; sweep; keep 64; maps 4, execs "
	  "1, readings 2, reading 20, processes 2, waiting 2, ; pass; read 7; pass; give 7: 3; "
	  "read 8; pass; give 8: 4; sweep; keep 64; maps 4, execs 1, readings 4, reading 40, "
	  "processes 4, ; close; " },
	{ "map_of_what_is_known", 0,
	  "process 7 1 2; existing; at 10; event 1 map 9 7 5; poll; space 7; counters; at 11; "
	  "event 0 touch 10.5 7 0; poll; space 7; counters",
	  "scan 0; read 7; pass; give 7: 1 2; pass; give 7: 1 2 5; space of 7: 1 2 5; maps 1, "
	  "readings 1, processes 1, ; pass; read 7; pass; give 7: 1 2; space of 7: 1 2; maps 2, "
	  "readings 2, processes 1, ; close; " },
	{ "by_time_over_cpus", 0,
	  "process 7 1 1; existing; at 10; event 0 map 6 7 6; event 0 map 8 7 8; event 1 map 5 7 "
	  "5; event 1 exec 7 7 0; event 1 map 8 7 9; poll; space 7; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; give 7: 8 9; space of 7: 8 9; maps 4, execs 1, "
	  "readings 1, processes 1, ; close; " },
	{ "later_ones_wait", 0,
	  "process 7 1 1; existing; at 10; event 0 map 10 7 6; event 1 map 10.000001 7 8; poll; "
	  "space 7; counters; at 11; poll; space 7; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; pass; pass; pass; give 7: 1 6; space of 7: 1 6; "
	  "maps 1, readings 1, processes 1, ; pass; give 7: 1 6 8; space of 7: 1 6 8; maps 2, "
	  "readings 1, processes 1, ; close; " },
	{ "fork_of_a_tree", 7,
	  "process 7 1 1; existing; at 10; event 0 fork 5 8 7; event 0 fork 6 9 6; event 0 fork 6 "
	  "7 7; event 0 map 7 9 5; event 0 fork 8 10 8; poll; space 8; space 9; space 10; counters",
	  "scan 7; read 7; pass; give 7: 1; pass; give 8: 1; give 10: 1; space of 8: 1; no space "
	  "of 9; space of 10: 1; forks 2, readings 1, processes 3, ; close; " },
	{ "nothing_but_one", -7,
	  "process 7 1 1; process 8 2 1; existing; at 10; event 0 fork 5 9 7; event 0 exec 6 7 0; "
	  "event 0 map 7 7 5; poll; space 7; space 8; space 9; counters",
	  "scan 7; read 7; pass; give 7: 1; pass; give 7: 5; space of 7: 5; no space of 8; no "
	  "space of 9; maps 1, execs 1, readings 1, processes 1, ; close; " },
	{ "fork_of_all", 0,
	  "process 7 1 1; process 9 2 1; existing; at 10; event 0 fork 5 8 7; event 0 fork 6 9 6; "
	  "event 0 fork 6 7 7; poll; space 8; space 9; counters",
	  "scan 0; read 7; pass; give 7: 1; read 9; pass; give 9: 2; pass; forget 9; give 8: 1; "
	  "read 9; pass; give 9: 2; space of 8: 1; space of 9: 2; forks 2, readings 3, processes "
	  "3, ; close; " },
	{ "fork_that_proc_told", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; event 0 fork 10 8 7; poll; space 8; "
	  "counters; at 20; event 0 fork 10.000001 8 7; poll; space 8; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; space of 8: 2; forks 1, "
	  "readings 2, processes 2, ; pass; forget 8; give 8: 1; sweep; keep 64; space of 8: 1; "
	  "forks 2, readings 2, processes 2, ; close; " },
	{ "exit", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; event 0 exit 9.999999 8 8; event 0 exit "
	  "11 7 6; event 0 exit 12 99 99; at 20; poll; counters; ends 8; event 0 exit 21 8 8; at "
	  "30; poll; space 8; counters; event 0 exit 31 8 8; at 40; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; sweep; keep 64; "
	  "readings 2, processes 2, ; pass; ended 8?; forget 8; no space of 8; exits 1, readings "
	  "2, processes 1, ; pass; sweep; keep 64; exits 1, readings 2, processes 1, ; close; " },
	{ "exit_while_another_is_read", 0,
	  "at 10; process 7 1 1; process 8 2 1; process 9 3 1; hides 9; existing; event 0 touch 11 "
	  "8 0; event 0 touch 11 9 0; ends 7; while 8 0 exit 12 7 7; at 12; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; read 8; pass; ended 7?; "
	  "forget 7; give 8: 2; read 9; pass; give 9: 3; maps 2, exits 1, readings 4, processes 2, "
	  "; close; " },
	{ "leader_exits", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; event 0 exit 11 7 7; event 0 exit 11 8 "
	  "8; at 12; ends 8; poll; poll; ends 7; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; ended 7?; ended 8?; "
	  "forget 8; pass; ended 7?; pass; ended 7?; forget 7; exits 2, readings 2, ; close; " },
	{ "leader_exits_and_its_thread_executes", 0,
	  "at 10; process 7 1 1; existing; event 0 exit 11 7 7; event 0 exec 12 7 0; ends 7; at "
	  "13; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; execs 1, exits 1, readings 1, processes 1, ; "
	  "close; " },
	{ "exec", 0,
	  "at 10; process 7 1 1; existing; event 0 exec 11 7 0; at 12; poll; space 7; event 0 map "
	  "13 7 5; at 14; poll; space 7; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; space of 7: 1; pass; give 7: 5; space of 7: 5; "
	  "maps 1, execs 1, readings 1, processes 1, ; close; " },
	{ "refused", 0,
	  "at 10; process 7 1 1; process 8 2 1; refuse; existing; space 7; space 8; counters; at "
	  "12; event 0 map 11 8 5; refuse; poll; space 8; counters",
	  "scan 0; read 7; pass; refuse 7; forget 7; read 8; pass; give 8: 2; no space of 7; space "
	  "of 8: 2; readings 2, refused 1, processes 1, \"no room for 7\"; pass; refuse 8; space "
	  "of 8: 2; maps 1, readings 2, refused 2, processes 1, \"no room for 8\"; close; " },
	{ "refused_after_an_exec", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 exec 11 7 0; event 0 touch 11 7 0; "
	  "process 7 2 1; refuse; poll; space 7; counters; at 14; event 0 touch 13 7 0; poll; "
	  "space 7; event 0 touch 14.5 7 0; at 15; process 7 3 1; refuse; poll; space 7; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; read 7; pass; refuse 7; forget 7; no space of 7; "
	  "maps 1, execs 1, readings 2, refused 1, \"no room for 7\"; pass; read 7; pass; give 7: "
	  "2; space of 7: 2; pass; read 7; pass; refuse 7; space of 7: 2; maps 3, execs 1, "
	  "readings 4, refused 2, processes 1, \"no room for 7\"; close; " },
	{ "read_nothing", 0,
	  "at 10; process 7 1 0; process 8 2 0; ends 8; process 8 2 0; existing; counters; process "
	  "8 2 1; event 0 touch 11 8 0; at 12; poll; space 8; ends 8; process 9 1 0; event 0 touch "
	  "12 9 0; poll; counters",
	  "scan 0; read 7; ended 7?; forget 7; pass; read 8; ended 8?; forget 8; pass; readings 2, "
	  "; pass; read 8; pass; give 8: 2; space of 8: 2; pass; read 9; ended 9?; forget 9; pass; "
	  "maps 2, readings 4, processes 1, ; close; " },
	{ "ended_without_mappings", 7,
	  "at 10; process 7 1 1; existing; event 0 fork 11 9 7; event 0 touch 12 9 0; process 9 1 "
	  "0; ends 9; at 13; poll; event 0 fork 14 10 9; at 15; poll; counters",
	  "scan 7; read 7; pass; give 7: 1; pass; read 9; ended 9?; forget 9; pass; pass; maps 1, "
	  "forks 1, readings 2, processes 1, ; close; " },
	{ "not_given", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; event 0 map 11 7 5; event 0 touch 12 7 "
	  "0; event 0 anon 11 8 5; at 13; poll; event 0 fork 14 9 8; event 0 exit 15 9 9; ends 9; "
	  "at 16; poll; event 0 fork 17 10 8; event 0 touch 18 10 0; process 10 3 1; at 19; poll; "
	  "counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; read 7; pass; give 7: "
	  "1; pass; ended 9?; forget 9; pass; read 10; pass; give 10: 3; maps 4, forks 2, exits 1, "
	  "readings 4, processes 3, ; close; " },
	{ "vanished", 0,
	  "at 10; process 7 1 1; process 8 2 1; unreadable 7 2; unreadable 8 3; existing; counters",
	  "scan 0; read 7; forget 7; pass; read 8; forget 8; pass; readings 2, vanished 2, ; "
	  "close; " },
	{ "unreadable", 0,
	  "at 10; process 7 1 1; existing; unreadable 7 13; event 0 touch 11 7 0; at 12; poll; "
	  "space 7; counters; unreadable 7 -1; event 0 exec 13 7 0; event 0 touch 13 7 0; at 14; "
	  "poll; space 7; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; read 7; pass; space of 7: 1; maps 1, readings 2, "
	  "processes 1, unreadable 1, \"maps of 7: Permission denied\"; pass; read 7; forget 7; "
	  "pass; "
	  "no space of 7; maps 2, execs 1, readings 3, unreadable 2, \"no maps are these of 7\"; "
	  "close; " },
	{ "no_descriptor", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; unreadable 7 24; event 0 touch 11 7 0; "
	  "event 0 touch 11 8 0; at 12; poll; space 7; counters; unreadable 7 0; poll; counters; "
	  "event 0 exec 13 7 0; event 0 touch 13 7 0; at 14; unreadable 7 12; poll; space 7; "
	  "counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; read 7; pass; -1: 1 "
	  "\"maps of 7: Too many open files\"; space of 7: 1; maps 2, readings 3, processes 2, "
	  "waiting 2, ; pass; read 8; pass; give 8: 2; read 7; pass; give 7: 1; maps 2, readings "
	  "5, processes 2, ; pass; read 7; forget 7; pass; -1: 1 \"maps of 7: Cannot allocate "
	  "memory\"; no space of 7; maps 3, execs 1, readings 6, processes 1, waiting 1, ; "
	  "close; " },
	{ "no_memory", 0,
	  "at 10; process 7 1 1; process 8 2 1; memory process 1; existing; counters; memory space "
	  "1; at 12; event 0 touch 11 8 0; poll; counters; poll; counters; at 14; memory version "
	  "1; event 0 map 13 8 5; poll; space 8; memory process 1; event 0 map 13 9 5; poll; "
	  "memory process 1; event 0 fork 14 9 8; poll; counters",
	  "scan 0; read 8; pass; give 8: 2; -1: 2 \"no memory for a process\"; readings 1, "
	  "processes 1, ; pass; pass; -1: 2 \"no memory for a process\"; maps 1, readings 1, "
	  "processes 1, waiting 1, ; pass; read 8; pass; give 8: 2; maps 1, readings 2, processes "
	  "1, ; pass; give 8: 2 5; forget 8; -1: 2 \"no memory for a process\"; no space of 8; "
	  "pass; -1: 2 \"no memory for a process\"; pass; -1: 2 \"no memory for a process\"; maps "
	  "2, forks 1, readings 2, ; close; " },
	{ "no_memory_for_an_event", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 touch 11 7 0; event 0 touch 11.5 7 0; "
	  "memory event 1; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; scan 0; read 7; pass; give 7: 1; maps 1, lost 1, "
	  "resyncs 1, readings 2, processes 1, ; close; " },
	{ "lost", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; process 9 3 1; at 12; event 0 lost 11 5 "
	  "10.5; stack 7 1 10.4 1; stack 7 1 10.5 1; poll; counters; consume; counters; poll",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; scan 0; read 7; pass; "
	  "give 7: 1; read 8; pass; give 8: 2; read 9; pass; give 9: 3; lost 5, resyncs 1, "
	  "readings 5, processes 3, ; take; pass; stack of 7 by 1; stack of 7 raced by 1; lost 5, "
	  "resyncs 1, readings 5, processes 3, stacks 2, raced 1, ; pass; close; " },
	{ "late", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 map 12 7 5; poll; event 1 map 11 7 6; "
	  "poll; counters; event 0 malformed 12 0 11; at 13; poll; counters; poll",
	  "scan 0; read 7; pass; give 7: 1; pass; give 7: 1 5; pass; scan 0; read 7; pass; give 7: "
	  "1; maps 2, late 1, resyncs 1, readings 2, processes 1, ; pass; scan 0; read 7; pass; "
	  "give 7: 1; maps 2, malformed 1, late 1, resyncs 2, readings 3, processes 1, ; pass; "
	  "close; " },
	{ "lost_while_it_catches_up", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 touch 11 7 0; while 7 0 lost 12 1 11; "
	  "poll; counters; poll",
	  "scan 0; read 7; pass; give 7: 1; pass; read 7; pass; give 7: 1; scan 0; maps 1, lost 1, "
	  "resyncs 1, readings 2, processes 1, waiting 1, ; pass; read 7; pass; give 7: 1; "
	  "close; " },
	{ "a_tree_is_scanned_again", 7,
	  "at 10; process 7 1 1; existing; at 12; event 0 lost 11 5 10.5; unscanned; poll; "
	  "counters",
	  "scan 7; read 7; pass; give 7: 1; pass; scan 7; read 7; pass; give 7: 1; lost 5, resyncs "
	  "1, readings 2, processes 1, ; close; " },
	{ "checked_when_it_was_quiet", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 map 12 7 5; poll; at 511.999999; poll; "
	  "at 512; poll; at 1011.999999; sleeps 7; poll; reading 3; at 1012; poll; counters; space "
	  "7",
	  "scan 0; read 7; pass; give 7: 1; pass; give 7: 1 5; pass; sweep; keep 64; pass; asleep "
	  "7?; pass; sweep; keep 64; pass; asleep 7?; read 7; pass; give 7: 1; maps 1, readings 2, "
	  "reading 3, processes 1, checks 1, ; space of 7: 1; close; " },
	{ "checked_though_it_was_not_asleep", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 map 12 7 5; poll; at 10011.999999; poll; "
	  "at 10511.999999; poll; at 10512; poll; counters; event 0 map 10512 7 6; at "
	  "20511.999999; poll; at 30000; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; give 7: 1 5; pass; asleep 7?; sweep; keep 64; "
	  "pass; read 7; pass; give 7: 1; sweep; keep 64; pass; maps 1, readings 2, processes 1, "
	  "checks 1, ; pass; give 7: 1 6; asleep 7?; sweep; keep 64; pass; read 7; pass; give 7: "
	  "1; sweep; keep 64; maps 2, readings 3, processes 1, checks 2, ; close; " },
	{ "checked_at_last", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 map 12 7 5; poll; at 10012; poll",
	  "scan 0; read 7; pass; give 7: 1; pass; give 7: 1 5; pass; read 7; pass; give 7: 1; "
	  "sweep; keep 64; close; " },
	{ "pid_is_used_again", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; consume; event 0 touch 11 7 0; event 0 "
	  "exit 12 7 7; ends 7; at 12; poll; space 7; event 0 fork 13 7 8; at 14; poll; space 7; "
	  "event 0 map 15 7 5; event 0 exec 16 7 0; event 0 exit 17 7 7; at 17; poll; event 0 fork "
	  "18 7 8; at 20; poll; refuse; event 0 map 21 7 6; at 22; poll; space 7; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; take; pass; pass; ended 7?; "
	  "forget 7; no space of 7; pass; give 7: 2; space of 7: 2; pass; ended 7?; forget 7; "
	  "pass; give 7: 2; keep 64; pass; refuse 7; space of 7: 2; maps 3, execs 1, forks 2, "
	  "exits 2, readings 2, refused 1, processes 2, \"no room for 7\"; close; " },
	{ "checks_rest", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; at 12; event 0 map 12 7 5; event 0 map "
	  "12 8 6; sleeps 7; sleeps 8; poll; reading 3; giving 1; at 600; poll; counters; at "
	  "662.999999; poll; at 663; poll; at 683; poll; at 684; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; give 7: 1 5; give 8: 2 "
	  "6; pass; asleep 8?; read 8; pass; give 8: 2; sweep; keep 64; maps 2, readings 3, "
	  "reading 3, giving 1, processes 2, checks 1, ; pass; sweep; keep 64; pass; asleep 7?; "
	  "read 7; pass; give 7: 1; pass; sweep; keep 64; pass; maps 2, readings 4, reading 6, "
	  "giving 2, processes 2, checks 2, ; close; " },
	{ "mistaken", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; at 12; event 0 map 12 7 5; event 0 map "
	  "12 8 5; sleeps 7; sleeps 8; process 7 1 2; poll; at 600; poll; counters; poll; "
	  "counters; stack 7 3 12 2; stack 7 3 12 1; stack 8 4 12 1; consume; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; give 7: 1 5; give 8: 2 "
	  "5; pass; asleep 8?; read 8; pass; give 8: 2; sweep; keep 64; maps 2, readings 3, "
	  "processes 2, checks 1, ; pass; asleep 7?; read 7; pass; give 7: 1 2; maps 2, readings "
	  "4, processes 2, checks 2, mistaken 1, ; take; pass; stack of 7 raced by 1 5; stack of 7 "
	  "by 1 5; stack of 8 raced; maps 2, readings 4, processes 2, stacks 3, raced 2, checks 2, "
	  "mistaken 1, ; close; " },
	{ "mistaken_but_it_changed", 0,
	  "at 10; process 7 1 1; existing; at 12; event 0 map 12 7 5; sleeps 7; process 7 1 2; "
	  "poll; at 600; while 7 0 map 600 7 6; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; give 7: 1 5; pass; asleep 7?; read 7; pass; give "
	  "7: 1 2; sweep; keep 64; maps 2, readings 2, processes 1, checks 1, ; close; " },
	{ "not_checked", 0,
	  "at 10; process 7 1 1; process 8 2 1; existing; at 12; event 0 map 12 7 5; event 0 map "
	  "12 8 6; poll; sleeps 7; sleeps 8; at 600; event 0 exit 13 7 7; ends 7; event 0 touch 13 "
	  "8 0; poll; poll; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; pass; give 7: 1 5; give 8: 2 "
	  "6; pass; ended 7?; forget 7; read 8; pass; give 8: 2; sweep; keep 64; pass; pass; maps "
	  "3, exits 1, readings 3, processes 1, ; close; " },
	{ "stacks", 0,
	  "at 10; process 7 1 1; existing; consume; at 12; event 0 map 11 7 5; stack 7 1 10.9 5; "
	  "stack 7 1 11 5; stack 7 1 11 1; stack 7 2 11 5; stack 8 1 11 5; baseline 7 11; baseline "
	  "8 11; consume; counters; stack 7 1 11 5; stack 7 2 12 5; consume; stack 7 1 11 1; at "
	  "40; consume; stack 7 1 11 1; at 80; consume; stack 7 1 11 1; at 120; consume; counters",
	  "scan 0; read 7; pass; give 7: 1; take; pass; take; pass; give 7: 1 5; stack of 7 by 1; "
	  "stack of 7 raced by 1; stack of 7 by 1; stack of 7 by 1 5; stack of 8 raced; baseline "
	  "of 7 by 1 5; baseline of 8; maps 1, readings 1, processes 1, stacks 7, raced 2, ; take; "
	  "pass; stack of 7 raced by 1; stack of 7 by 1 5; take; pass; sweep 1; keep 64; stack of "
	  "7 by 1; take; pass; sweep 2; keep 64; stack of 7 raced; take; pass; sweep 3; keep 64; "
	  "stack of 7 raced; maps 1, readings 1, processes 1, stacks 12, raced 5, ; close; " },
	{ "no_stacks", 0,
	  "at 10; process 7 1 1; existing; unconsumed; stack 7 1 10 1; consume; counters; consume; "
	  "counters",
	  "scan 0; read 7; pass; give 7: 1; take; -1 \"no ring\"; readings 1, processes 1, ; take; "
	  "pass; stack of 7 by 1; readings 1, processes 1, stacks 1, ; close; " },
	{ "swept_each_20_ms", 0,
	  "poll; at 19.999999; poll; at 20; poll; at 39.999999; poll; at 40; poll; at 41; consume; "
	  "at 60; consume; at 80; consume; at 100; consume; at 120; poll",
	  "pass; pass; pass; sweep; keep 64; pass; pass; sweep; keep 64; take; pass; take; pass; "
	  "keep 64; take; pass; keep 64; take; pass; sweep 1; keep 64; pass; sweep 2; keep 64; "
	  "close; " },
	{ "giving_takes_time", 0, "giving 3; process 7 1 1; process 8 2 1; existing; counters",
	  "scan 0; read 7; pass; give 7: 1; read 8; pass; give 8: 2; readings 2, giving 6, "
	  "processes 2, ; close; " },
	{ "exit_at_birth", 0,
	  "at 10; process 7 1 1; existing; ends 7; event 0 exit 10 7 7; poll; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; ended 7?; forget 7; exits 1, readings 1, ; "
	  "close; " },
	{ "code_that_was_moved", 0,
	  "at 10; process 7 1 2; existing; process 7 1 1; at 12; note moved 11.5 7 1 2; poll; "
	  "stack 7 1 10.4 2; stack 7 1 11 2; stack 7 1 11 1; consume; counters",
	  "scan 0; read 7; pass; give 7: 1 2; pass; read 7; pass; give 7: 1; take; pass; stack of "
	  "7 "
	  "by 1 2; stack of 7 raced by 1 2; stack of 7 by 1 2; readings 2, processes 1, stacks 3, "
	  "raced 1, moves 1, ; close; " },
	{ "memory_of_two", 0,
	  "at 10; process 7 1 1; existing; note shares 11.1 7 8; at 12; event 0 fork 11 8 7; event "
	  "0 map 11.5 "
	  "8 5; poll; space 7; event 0 exec 13 8 0; event 0 map 13.5 7 6; at 14; poll; space 7; "
	  "space 8; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; give 8: 1 5; give 7: 1 5; space of 7: 1 5; pass; "
	  "give 7: 1 5 6; space of 7: 1 5 6; space of 8: 1 5; maps 2, execs 1, forks 1, readings "
	  "1, "
	  "processes 2, ; close; " },
	{ "clocks", 0,
	  "at 10; process 7 1 1; existing; at 20; event 0 fork 12 8 7; event 0 fork 11 9 7; note "
	  "clock 11.5 7; note clock 11.5 99; poll; clocks; event 0 fork 19 10 7; event 0 fork 21 "
	  "11 "
	  "7; note clock 15 7; at 22; poll; clocks; event 0 exit 24 8 8; ends 8; note clock 23 8; "
	  "at "
	  "25; poll; clocks; event 0 fork 27 12 11; at 28; poll; note clock 26 11; at 29; poll; "
	  "clocks; counters",
	  "scan 0; read 7; pass; give 7: 1; pass; give 9: 1; give 8: 1; sweep; keep 64; 7 since "
	  "11.5; 8 since 12; pass; give 10: 1; give 11: 1; 10 since 19; pass; ended 8?; forget 8; "
	  "pass; give 12: 1; pass; 11 since 26; 12 since 27; forks 5, exits 1, readings 1, "
	  "processes "
	  "5, clocks ended 1, ; close; " },
	{ "opened_and_closed", 0, "counters", "; close; " },
	{ "unopened", 0, "process 7 1 1; unopened 3; existing; counters",
	  "scan 0; read 7; pass; give 7: 1; readings 1, processes 1, unopened 3, ; close; " },
};

START_TEST(events_are_followed)
{
	struct process_events_options options = { .pid = abs(cases[_i].root),
						  .alone = cases[_i].root < 0 };
	struct process_events *events;
	struct error error;

	begin_world(-1);
	ck_assert(!process_events_open(SESSION, STORE, &options, &events, &error));
	world.length = 0;
	run_script(events, cases[_i].script);
	process_events_close(events);
	end_world();
	ck_assert_msg(!strcmp(world.said, cases[_i].expect), "%s:\n%s", cases[_i].name, world.said);
}
END_TEST

/* A session that counts. */
static struct process_events *begin_counting(void)
{
	struct process_events_options options = { 0 };
	struct process_events *events;
	struct error error;

	begin_world(-1);
	world.counting = true;
	ck_assert(!process_events_open(SESSION, STORE, &options, &events, &error));
	world.length = 0;
	return events;
}

/* The kernel counts: a list stays until the second counts after it was replaced, though time goes by. */
START_TEST(counted_stacks_are_given)
{
	struct process_events *events = begin_counting();

	run_script(
		events,
		"at 10; process 7 1 1; existing; at 50; event 0 map 20 7 5; poll; stack 7 1 19.6 "
		"5; "
		"stack 7 1 11 1; stack 7 2 12 5; stack 9 0 12 5; stack 9 3 12 5; at 90; poll; "
		"counts; "
		"counters; at 200; stack 7 1 11 1; counts; at 300; stack 7 1 11 1; counts; at 400; "
		"stack 7 1 11 1; counts; unconsumed; poll");
	process_events_close(events);
	end_world();
	ck_assert_str_eq(
		world.said,
		"scan 0; read 7; pass; give 7: 1; pass; give 7: 1 5; pass; take counts; pass; "
		"stack of 7 raced 2 times by 1; stack of 7 3 times by 1; stack of 7 4 times by 1 "
		"5; stack of 9 5 times; stack of 9 raced 6 times; maps 1, readings 1, processes 1, "
		"stacks 20, raced 8, ; take counts; pass; sweep 0; keep 64; stack of 7 2 times by "
		"1; take counts; pass; stack of 7 2 times by 1; take counts; pass; sweep 1; keep "
		"64; stack of 7 raced 2 times; -1: 25 \"no ring\"; close; ");
}
END_TEST

/* Two lists are replaced; a stack that was walked by the second was met before the counts are taken. */
START_TEST(counted_list_that_no_stack_has_goes_early)
{
	struct process_events *events = begin_counting();
	char poll[32];

	run_script(events, "at 10; process 7 1 1; existing; at 12; event 0 map 11 7 5; poll; at "
			   "14; event 0 map 13 7 6; poll; stack 7 2 12.5 5; poll");
	for (int ms = 20; ms < 2000; ms += 20) {
		snprintf(poll, sizeof(poll), "at %d; poll", ms);
		run_script(events, poll);
	}
	world.length = 0;
	run_script(events, "stack 7 1 10.5 1; stack 7 3 15 6; counts");
	process_events_close(events);
	end_world();
	ck_assert_str_eq(world.said,
			 "take counts; pass; stack of 7 2 times by 1 5; stack of 7 raced "
			 "3 times; stack of 7 4 times by 1 5 6; close; ");
}
END_TEST

/* Changes are followed between two stacks that are given, and the lists of those that wait stay. */
START_TEST(held_stacks_are_given_in_parts)
{
	struct process_events *events = begin_counting();

	run_script(events, "at 10; process 7 1 1; existing; stack 7 1 11 1; stack 7 1 12 1; "
			   "stack 7 1 13 1; hold; give; event 0 exec 14 7 0; at 50; poll; at 90; "
			   "poll; give; stack 9 0 15 5; hold; give; give; counters; give");
	process_events_close(events);
	end_world();
	ck_assert_str_eq(
		world.said,
		"scan 0; read 7; pass; give 7: 1; take counts; pass; stack of 7 2 times by 1; "
		"more; pass; pass; pass; stack of 7 3 times by 1; more; take counts; pass; stack "
		"of 7 4 times by 1; more; pass; stack of 9 2 times; no more; execs 1, readings 1, "
		"processes 1, stacks 11, ; pass; no more; close; ");
}
END_TEST

/* Off its CPU for many rounds, in which its process has become another program: the list that it was walked by stays. */
START_TEST(lists_of_threads_that_are_off)
{
	struct process_events *events = begin_counting();

	run_script(events, "at 10; process 7 1 1; existing; off 7 1 11 1; event 0 exec 14 7 0; "
			   "at 50; counts; at 90; counts; at 130; counts; at 170; counts; at 210; "
			   "counts; still_off; at 250; counts; back; at 290; "
			   "counts");
	process_events_close(events);
	end_world();
	ck_assert_str_eq(
		world.said,
		"scan 0; read 7; pass; give 7: 1; take counts; pass; take counts; pass; take "
		"counts; pass; take counts; pass; take counts; pass; sweep 2; keep 64; pass; stack "
		"of 7 off for 199 ms by 1; take counts; pass; take counts; pass; stack of 7 2 "
		"times "
		"by 1; close; ");
}
END_TEST

/* ---- the object ------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t pages;
	int session_fd;
	bool no_rings;
	const char *expect;
} openings[] = {
	{ "64_pages", 0, -1, false, "open 64; close; " },
	{ "as_many_as_are_asked_for", 8, -1, false, "open 8; close; " },
	{ "who_waits_is_woken_by_stacks", 0, SESSION_FD, false, "open 64; watch 32; close; " },
	{ "descriptor_0", 0, 0, false, "open 64; watch 0; close; 24 \"no watch\"; " },
	{ "no_rings", 0, SESSION_FD, true, "open 64; close; 24 \"no rings\"; " },
};

START_TEST(events_are_opened)
{
	struct process_events_options options = { .pages = openings[_i].pages };
	struct process_events *events = NULL;
	struct error error;

	begin_world(openings[_i].session_fd);
	world.memory[MEMORY_EVENT] = openings[_i].no_rings;
	if (process_events_open(SESSION, STORE, &options, &events, &error)) {
		ck_assert_ptr_null(events);
		say("%d \"%s\"; ", error.code, error.message);
	} else {
		ck_assert_int_eq(process_events_fd(events), EPOLL_FD);
		process_events_close(events);
	}
	ck_assert_msg(!strcmp(world.said, openings[_i].expect), "%s:\n%s", openings[_i].name,
		      world.said);
	process_events_close(NULL);
	end_world();
}
END_TEST

/* Whose turn it is to be checked, and who must be read, or is not known at all: neither is. */
START_TEST(only_what_is_known_is_checked)
{
	struct process_events_options options = { 0 };
	struct process_events *events;
	struct process *process;
	struct error error;

	begin_world(-1);
	ck_assert(!process_events_open(SESSION, STORE, &options, &events, &error));
	run_script(events, "process 7 1 1; existing");
	process = process_set_find(&events->processes, 7);
	world.length = 0;
	process->unchecked = true;
	process->unread = true;
	process_set_push(&events->processes, PROCESS_CHECK, process);
	world.now_ns = QUIET_AWAKE_NS;
	check_next(events);
	process->unread = false;
	end_process(events, process);
	process->alive = true;
	process_set_push(&events->processes, PROCESS_CHECK, process);
	check_next(events);
	ck_assert_str_eq(world.said, "forget 7; ");
	process_events_close(events);
	end_world();
}
END_TEST

/* What was not followed yet, and stacks that were not given, go with it. */
START_TEST(events_are_closed)
{
	struct process_events_options options = { 0 };
	struct process_events_counters counters;
	struct process_events *events;
	struct error error;

	begin_world(-1);
	ck_assert(!process_events_open(SESSION, STORE, &options, &events, &error));
	ck_assert_ptr_null(process_events_refusal(events));
	run_script(events, "event 0 map 10 7 6; event 1 exec 10 8 0; poll; counters");
	events->held.lost = 3;
	process_events_counters(events, &counters);
	ck_assert_uint_eq(counters.lost_memory, 3);
	ck_assert_uint_eq(events->event_count, 2);
	process_events_close(events);
	ck_assert_str_eq(world.said, "open 64; pass; pass; pass; pass; ; close; ");
	end_world();
}
END_TEST

/* What has no name from the root is no file, and what a list does not have is not looked at. */
START_TEST(files_and_images_are_found)
{
	struct process_mapping file = { .path = "/image/5", .inode = 5 };
	struct mapping mapping[2] = { { .entry = NULL }, { .entry = &image[5] } };
	struct address_space space = { .mapping = mapping, .mapping_count = 1 };
	struct file_version version;

	ck_assert(file_state(7, &file, &version));
	file.path = "image/5";
	ck_assert(!file_state(7, &file, &version));
	file.path = "/image/6";
	ck_assert(!file_state(7, &file, &version));
	ck_assert(!has_image(&space));
	space.mapping_count = 2;
	ck_assert(has_image(&space));
}
END_TEST

/* By time, and what one CPU wrote in its order. */
START_TEST(events_have_an_order)
{
	struct process_event first = { .time_ns = 5, .order = 8 }, second = { .time_ns = 6 };
	struct process_event third = { .time_ns = 6, .order = 1 };

	ck_assert_int_lt(by_time(&first, &second), 0);
	ck_assert_int_gt(by_time(&second, &first), 0);
	ck_assert_int_lt(by_time(&second, &third), 0);
	ck_assert_int_gt(by_time(&third, &second), 0);
	ck_assert_int_eq(by_time(&second, &second), 0);
}
END_TEST

SUITE(process_events_made, LOOP(events_are_followed, cases), LOOP(events_are_opened, openings),
      TEST(counted_stacks_are_given), TEST(held_stacks_are_given_in_parts),
      TEST(counted_list_that_no_stack_has_goes_early), TEST(lists_of_threads_that_are_off),
      TEST(only_what_is_known_is_checked), TEST(files_and_images_are_found),
      TEST(events_have_an_order), TEST(events_are_closed))
