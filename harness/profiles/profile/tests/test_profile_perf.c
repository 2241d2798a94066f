/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_perf.c - the text of `perf script`: every form of a head and of a frame, and none
 */
#include <sys/stat.h>
#include "tests/suite.h"
#include "profile_fixture.h"

#define HEAD "bash 12/13   553.342217:     250000 cpu-clock:ppp: \n"

/* A mapping of 0x1000 bytes of /bin/a; a sample of one frame in it. */
#define MMAP(pid, start, offset)                                                                   \
	"a " pid "/" pid " 1.0: PERF_RECORD_MMAP2 " pid "/" pid ": [" start "(0x1000) @ " offset   \
	" fe:00 2469 0]: r-xp /bin/a\n"
#define ONE(ids, address) "a " ids " 1.0: b: \n\t " address " f (/bin/a)\n\n"

static const struct profile_case cases[] = {
	{ "frames_of_a_sample",
	  HEAD "\t            e45c _dl_relocate_object+0x83c (/usr/lib/ld.so)\n"
	       "\t           1de39 dl_main+0x1e79 (/usr/lib/ld.so)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: _dl_relocate_object+0x83c (/usr/lib/ld.so) f0xe45c, "
	  "dl_main+0x1e79 (/usr/lib/ld.so) f0x1de39\n"
	  "perf-script 1 of 1\n" },
	{ "names_without_offsets", HEAD "\t e45c main (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "a_thread_alone_is_its_process",
	  "bash 13 553.342217: cpu-clock: \n\t e45c main (/bin/a)\n\n",
	  "~13/13 'bash' cpu-clock x 1: main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "a_cpu_in_the_head", "bash 13 [001] 553.342217: 7 cycles:u: \n\t e45c main (/bin/a)\n\n",
	  "~13/13 'bash' cycles:u x 1: main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "no_time_in_the_head", "bash 13 cycles: \n\t e45c main (/bin/a)\n\n",
	  "~13/13 'bash' cycles x 1: main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "no_event_in_the_head", "bash 13 553.342217: \n\t e45c main (/bin/a)\n\n",
	  "~13/13 'bash' x 1: main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "blanks_and_numbers_in_a_command",
	  "Web 5 Content 13 [000] 553.3: 1 cycles: \n\t e45c main (/bin/a)\n\n"
	  "worker 7 14/15 553.4: cycles: \n\t e45c main (/bin/a)\n\n",
	  "~13/13 'Web 5 Content' cycles x 1: main (/bin/a) f0xe45c\n"
	  "14/15 'worker 7' cycles x 1: main (/bin/a) f0xe45c\nperf-script 2 of 2\n" },
	{ "a_process_that_is_not_known", ":-1 -1/-1 553.3: cycles: \n\t e45c main (/bin/a)\n\n",
	  "':-1' cycles x 1: main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "text_behind_an_event",
	  "bash 13 553.3: sched:sched_switch: prev_comm=bash prev_pid=13\n"
	  "\t e45c main (/bin/a)\n\n",
	  "~13/13 'bash' sched:sched_switch x 1: main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "several_events",
	  "a 13 1.0: 5 cycles:u: \n\t 1 f (/a)\n\na 13 1.0: 5 branches:u: \n\t 1 f (/a)\n\n",
	  "~13/13 'a' cycles:u x 1: f (/a) f0x1\n~13/13 'a' branches:u x 1: f (/a) f0x1\n"
	  "perf-script 2 of 2\n" },
	{ "nothing_known_of_a_frame",
	  HEAD "\t               0 [unknown] ([unknown])\n\t 59862 [unknown] (/usr/bin/bash)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: ? r0x0, ? (/usr/bin/bash) f0x59862\n"
	  "perf-script 1 of 1\n" },
	{ "kernel_frames",
	  HEAD "\tffffffff815e51e3 do_wp_page+0x293 ([kernel.kallsyms])\n\t e45c main (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: do_wp_page+0x293 ([kernel.kallsyms]) "
	  "f0xffffffff815e51e3 k, main (/bin/a) f0xe45c\nperf-script 1 of 1\n" },
	{ "inlined_frames_share_the_address_behind_them",
	  HEAD "\t e2bc elf_do_Rela+0x69c (inlined)\n\t e2bc _dl_relocate+0x69c (/ld.so)\n"
	       "\t 1bccb _dl_start_final+0x55b (inlined)\n\t 1ab77 _start+0x7 (/ld.so)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: elf_do_Rela+0x69c f0xe2bc i, _dl_relocate+0x69c "
	  "(/ld.so) f0xe2bc, _dl_start_final+0x55b f0x1bccb, _start+0x7 (/ld.so) "
	  "f0x1ab77\nperf-script 1 of 1\n" },
	{ "the_last_frame_is_the_machines", HEAD "\t e2bc __GI_setlocale+0x11b (inlined)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: __GI_setlocale+0x11b f0xe2bc\nperf-script 1 of 1\n" },
	{ "names_with_blanks_and_brackets",
	  HEAD "\t e2bc a::f(int, void (*)(char))+0x1 (/opt/a (b)/x.so)\n"
	       "\t e2bd operator+(a, b) (/bin/c++ (deleted))\n"
	       "\t e2be f(int) [clone .cold]+0x2 (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: a::f(int, void (*)(char))+0x1 (/opt/a (b)/x.so) "
	  "f0xe2bc, operator+(a, b) (/bin/c++ (deleted)) f0xe2bd, f(int) [clone .cold]+0x2 "
	  "(/bin/a) f0xe2be\nperf-script 1 of 1\n" },
	{ "source_lines_are_passed_over",
	  HEAD "\t e45c main (/bin/a)\n  a.c:12\n\t e45d f (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: main (/bin/a) f0xe45c, f (/bin/a) f0xe45d\n"
	  "perf-script 1 of 1\n" },
	/* what perf was asked for: -F */
	{ "no_images",
	  HEAD "\t e45c main+0x1\n\t 0 [unknown]\n\t 1 f(int) (.cold)\n\n" HEAD
	       "\t 1 f(int)\n\t 2 a (b) (.cold)+0x7\n\n" HEAD "\t 1 f(int) (.cold)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f(int) f0x1, a (b) (.cold)+0x7 f0x2\n"
	  "12/13 'bash' cpu-clock:ppp x 1: f(int) (.cold) f0x1\n"
	  "lost bad_frame 1\nline 2: a frame without an image, as no other is\n"
	  "perf-script 2 of 2\n" },
	{ "inlined_frames_without_images",
	  HEAD "\t 11f1 in2 (inlined)\n\t 11f1 work\n\t 27304 start_impl (inlined)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: in2 f0x11f1 i, work f0x11f1, start_impl f0x27304\n"
	  "perf-script 1 of 1\n" },
	{ "addresses_alone",
	  "\n\t           11f1 (inlined)\n\t           11f1\n\t           10d8\n\n"
	  "\n\t  ffffffff821ce5e8\n\n",
	  "x 1: ? f0x11f1 i, ? f0x11f1, ? f0x10d8\n"
	  "x 1: ? f0xffffffff821ce5e8 k\nperf-script 2 of 2\n" },
	{ "heads_without_fields", "\n\t 1 f (/a)\n\t 2 g (/a)\n\n\n\n\n\t 3 f (/a)\n\n",
	  "x 1: f (/a) f0x1, g (/a) f0x2\nx 1: f (/a) f0x3\nperf-script 2 of 2\n" },
	{ "an_offset_behind_the_image",
	  HEAD "\t 10d9 f+0x1 (/opt/a b+0x10d9)\n\t 10da f+0x2 (/a+0x10d9)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f+0x1 (/opt/a b) f0x10d9, f+0x2 (/a+0x10d9) f0x10da\n"
	  "perf-script 1 of 1\n" },
	{ "inlined_behind_its_source_line",
	  HEAD "\t 11f1 in2+0x21\n  inl.c:3 (inlined)\n\t 11f1 work+0x21 (/a)\n  inl.c:5\n"
	       "\t 12 f (/a)\n  (inlined)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: in2+0x21 f0x11f1 i, work+0x21 (/a) f0x11f1, f (/a) "
	  "f0x12\nperf-script 1 of 1\n" },
	{ "source_text_is_passed_over",
	  HEAD "\t 1 f (/a)\n  a.c:12\n|12       int main(void) 5\n\t 2 g (/a)\n\n|13 }\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1, g (/a) f0x2\nperf-script 1 of 1\n" },
	/* which frames are the machine's */
	{ "the_same_lines_are_one_frame_or_several",
	  HEAD "\t 13cd rec+0x1 (/a)\n\t 13cd rec+0x1 (/a)\n\t 13cd rec+0x1 (/a)\n"
	       "\t 1086 main (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: rec+0x1 (/a) f0x13cd r, rec+0x1 (/a) f0x13cd r, rec+0x1 "
	  "(/a) f0x13cd r, main (/a) f0x1086\nperf-script 1 of 1\n" },
	{ "lines_that_come_again_are_of_another_frame",
	  HEAD "\t 13cd in (inlined)\n\t 13cd rec (/a)\n\t 13cd in (inlined)\n\t 13cd rec (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: in f0x13cd i r, rec (/a) f0x13cd r, in f0x13cd i r, rec "
	  "(/a) f0x13cd r\nperf-script 1 of 1\n" },
	{ "lines_that_do_not_come_again_are_of_one",
	  HEAD "\t 13cd rec (/a)\n\t 13cd in (inlined)\n\t 13cd rec (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: rec (/a) f0x13cd i, in f0x13cd i, rec (/a) f0x13cd\n"
	  "perf-script 1 of 1\n" },
	{ "an_alias_that_calls_itself",
	  HEAD "\t 13cd __rec (inlined)\n\t 13cd __rec (inlined)\n\t 1 main (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: __rec f0x13cd r, __rec f0x13cd r, main (/a) f0x1\n"
	  "perf-script 1 of 1\n" },
	{ "one_address_in_two_images", HEAD "\t 13cd f (/a)\n\t 13cd f (/b)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x13cd, f (/b) f0x13cd\nperf-script 1 of 1\n" },
	{ "nothing_twice", HEAD "\t 0 [unknown] ([unknown])\n\t 0 [unknown] ([unknown])\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: ? r0x0, ? r0x0\nperf-script 1 of 1\n" },
	{ "comments_are_passed_over", "# captured on: today\n#\n" HEAD "\t 1 f (/a)\n\n# end\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1\nperf-script 1 of 1\n" },
	{ "no_callchain",
	  "            bash    13   553.3:     250000 cycles:      7fb590c0145c main+0x1 (/bin/a)\n"
	  "            bash    13   553.4:     250000 cycles:  ffffffff81000130 [unknown] "
	  "([kernel.kallsyms])\n",
	  "~13/13 'bash' cycles x 1: main+0x1 (/bin/a) r0x7fb590c0145c\n"
	  "~13/13 'bash' cycles x 1: ? ([kernel.kallsyms]) r0xffffffff81000130 k\n"
	  "perf-script 2 of 2\n" },
	{ "a_sample_without_frames", HEAD "\n",
	  "12/13 'bash' cpu-clock:ppp x 1:\nperf-script 1 of 1\n" },
	{ "a_head_ends_the_sample_before", HEAD "\t 1 f (/a)\n" HEAD "\t 2 g (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1\n"
	  "12/13 'bash' cpu-clock:ppp x 1: g (/a) f0x2\nperf-script 2 of 2\n" },
	/* mappings */
	{ "an_address_in_a_mapping_of_its_image",
	  "a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x401000(0x1000) @ 0x3000 fe:00 2469 0]: r-xp "
	  "/bin/a\n" HEAD "\t 401010 f (/bin/a)\n\t 402000 g (/bin/a)\n\t 400fff h (/bin/a)\n"
	  "\t 401010 i (/bin/b)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x401010 m0x3010, g (/bin/a) f0x402000, h "
	  "(/bin/a) f0x400fff, i (/bin/b) f0x401010\nperf-script 1 of 1\n" },
	{ "the_latest_mapping_counts",
	  "a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0 fe:00 2469 0]: r-xp "
	  "/bin/a\n" HEAD "\t 1010 f (/bin/a)\n\n"
	  "a 12/12 1.0: PERF_RECORD_MMAP 12/12: [0x1000(0x1000) @ 0x5000]: x /bin/a\n" HEAD
	  "\t 1010 f (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010 m0x10\n"
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010 m0x5010\nperf-script 2 of 2\n" },
	{ "a_mapping_with_a_build_id",
	  "a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0x20 <5c9a>]: r-xp /a b\n" HEAD
	  "\t 1010 f (/a b)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a b 5c9a) f0x1010 m0x30\nperf-script 1 of 1\n" },
	{ "of_another_process",
	  "a 11/11 1.0: PERF_RECORD_MMAP2 11/11: [0x1000(0x1000) @ 0 fe:00 2469 0]: r-xp "
	  "/bin/a\n" HEAD "\t 1010 f (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010\nperf-script 1 of 1\n" },
	{ "a_child_has_its_parents",
	  "a 11/11 1.0: PERF_RECORD_MMAP2 11/11: [0x1000(0x1000) @ 0 fe:00 2469 0]: r-xp /bin/a\n"
	  "a 11/11 1.0: PERF_RECORD_FORK(12:12):(11:11)\n" HEAD "\t 1010 f (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010 m0x10\nperf-script 1 of 1\n" },
	{ "another_program_has_none",
	  "a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0 fe:00 2469 0]: r-xp /bin/a\n"
	  "a 12/12 1.0: PERF_RECORD_COMM exec: a b:12/12\n" HEAD "\t 1010 f (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010\nperf-script 1 of 1\n" },
	{ "a_name_is_no_program",
	  "a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0 fe:00 2469 0]: r-xp /bin/a\n"
	  "a 12/12 1.0: PERF_RECORD_COMM: b:12/12\na 12/12 1.0: PERF_RECORD_COMM b:12/12\n"
	  "a 12/12 2.0: PERF_RECORD_EXIT(12:12):(1:1)\n" HEAD "\t 1010 f (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010 m0x10\nperf-script 1 of 1\n" },
	{ "an_image_that_only_the_mapping_knows",
	  "a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0 fe:00 2469 0]: r-xp "
	  "/bin/a\n" HEAD "\t 1010 [unknown] ([unknown])\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: ? (/bin/a) r0x1010 m0x10\nperf-script 1 of 1\n" },
	{ "lines_are_read_again_when_a_mapping_comes",
	  HEAD "\t 1010 f (/bin/a)\n\n" MMAP("12", "0x1000", "0") HEAD
	  "\t 1010 f (/bin/a)\n\n" MMAP("12", "0x1000", "0x5000") HEAD "\t 1010 f (/bin/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010\n"
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010 m0x10\n"
	  "12/13 'bash' cpu-clock:ppp x 1: f (/bin/a) f0x1010 m0x5010\nperf-script 3 of 3\n" },
	{ "lines_are_read_again_for_another_process",
	  MMAP("12", "0x1000", "0") MMAP("13", "0x1000", "0x70") ONE("12/12", "1010")
		  ONE("12/12", "1010") ONE("13/13", "1010") ONE("12/12", "1010"),
	  "12/12 'a' b x 1: f (/bin/a) f0x1010 m0x10\n12/12 'a' b x 1: f (/bin/a) f0x1010 m0x10\n"
	  "13/13 'a' b x 1: f (/bin/a) f0x1010 m0x80\n"
	  "12/12 'a' b x 1: f (/bin/a) f0x1010 m0x10\nperf-script 4 of 4\n" },
	{ "a_thread_s_birth_changes_nothing",
	  MMAP("12", "0x1000", "0") "a 12/12 1.0: PERF_RECORD_FORK(12:14):(12:12)\n" ONE("12/14",
											 "1010"),
	  "12/14 'a' b x 1: f (/bin/a) f0x1010 m0x10\nperf-script 1 of 1\n" },
	{ "a_child_has_nothing_else",
	  MMAP("12", "0x1000", "0")
		  MMAP("11", "0x3000", "0x50") "a 11/11 1.0: PERF_RECORD_FORK(12:12):(11:11)\n" ONE(
			  "12/12", "1010") ONE("12/12", "3010") ONE("11/11", "3010"),
	  "12/12 'a' b x 1: f (/bin/a) f0x1010\n12/12 'a' b x 1: f (/bin/a) f0x3010 m0x60\n"
	  "11/11 'a' b x 1: f (/bin/a) f0x3010 m0x60\nperf-script 3 of 3\n" },
	{ "what_was_dropped_stays_so",
	  MMAP("11", "0x1000", "0") "a 11/11 1.0: PERF_RECORD_COMM exec: a:11/11\n"
				    "a 11/11 1.0: PERF_RECORD_FORK(12:12):(11:11)\n"
				    "a 13/13 1.0: PERF_RECORD_COMM exec: a:13/13\n" ONE(
					    "11/11", "1010") ONE("12/12", "1010"),
	  "11/11 'a' b x 1: f (/bin/a) f0x1010\n12/12 'a' b x 1: f (/bin/a) f0x1010\n"
	  "perf-script 2 of 2\n" },
	{ "only_the_highest_bit_is_the_kernel_s",
	  HEAD "\t 7fffffffffffffff f (/a)\n\t 8000000000000000 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x7fffffffffffffff, f (/a) f0x8000000000000000 "
	  "k\nperf-script 1 of 1\n" },
	/* source lines behind frames */
	{ "hexadecimal_digits_of_either_case", HEAD "\t ABCDEF f (/a)\n\t abcdef0 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0xabcdef, f (/a) f0xabcdef0\n"
	  "perf-script 1 of 1\n" },
	{ "only_the_last_brackets_are_the_image",
	  HEAD "\t 1 f (x) (/a)\n\t 2 g(/b)\n\n" HEAD "\t 1 f (x) (inlined) (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (x) (inlined) (/a) f0x1\nlost bad_frame 1\n"
	  "line 3: a frame without an image, as no other is\nperf-script 1 of 1\n" },
	{ "only_the_last_offset_is_one",
	  HEAD "\t 1 a+0x01+0x02 (/a)\n\t 2 +0x05 (/a)\n\t 3 b+0x1g (/a)\n\t 4 c+1x01 (/a)\n"
	       "\t 5 d+0x1+e (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: a+0x01+0x2 (/a) f0x1, +0x05 (/a) f0x2, b+0x1g (/a) "
	  "f0x3, c+1x01 (/a) f0x4, d+0x1+e (/a) f0x5\nperf-script 1 of 1\n" },
	{ "events_without_a_time",
	  "a 12/12 [001] PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0 fe:00 2469 0]: r-xp /bin/a\n"
	  "a 12/12 PERF_RECORD_COMM: x 13 1.0: cycles: \n" ONE("12/12", "1010"),
	  "12/12 'a' b x 1: f (/bin/a) f0x1010 m0x10\nperf-script 1 of 1\n" },
	{ "a_mapping_s_numbers_are_hexadecimal",
	  MMAP("12", "1x1000", "0") MMAP("12", "0x1000", "0x5g") MMAP("12", "0x", "0")
		  MMAP("12", "0x10000", "80") ONE("12/12", "10010"),
	  "12/12 'a' b x 1: f (/bin/a) f0x10010 m0x60\nlost bad_head 3\n"
	  "line 1: a PERF_RECORD that can't be read\nline 2: a PERF_RECORD that can't be read\n"
	  "line 3: a PERF_RECORD that can't be read\nperf-script 1 of 1\n" },
	{ "a_source_line_before_any_frame", HEAD "  a.c:12 (inlined)\n\t 1 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1\nperf-script 1 of 1\n" },
	{ "a_source_line_without_the_mark_gives_none",
	  HEAD "\t 2 g (/a)\n\n" HEAD "\t 1 f\n  a.c:3 (x)\n\t 2 g (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: g (/a) f0x2\nlost bad_frame 1\n"
	  "line 5: a frame without an image, as no other is\nperf-script 1 of 1\n" },
	{ "a_frame_with_the_mark_is_another",
	  HEAD "\t 13cd f\n  a.c:3 (inlined)\n\t 13cd f\n a.c:5\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f f0x13cd i, f f0x13cd\nperf-script 1 of 1\n" },
	{ "but_not_if_it_has_an_image",
	  HEAD "\t 13cd f (/a)\n  a.c:3 (inlined)\n\t 13cd f (/a)\n  a.c:5\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x13cd r, f (/a) f0x13cd r\n"
	  "perf-script 1 of 1\n" },
	{ "the_second_image_of_an_address_begins_another_frame",
	  HEAD "\t 13cd in (inlined)\n\t 13cd f (/a)\n\t 13cd g (/b)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: in f0x13cd i, f (/a) f0x13cd, g (/b) f0x13cd\n"
	  "perf-script 1 of 1\n" },
	{ "the_sample_before_counts_for_none",
	  HEAD "\t 13cd f (/a)\n\t 13cd f (/a)\n\t 13cd f (/a)\n\n" HEAD
	       "\t 13cd f (/a)\n\t 13cd f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x13cd r, f (/a) f0x13cd r, f (/a) f0x13cd "
	  "r\n12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x13cd r, f (/a) f0x13cd r\n"
	  "perf-script 2 of 2\n" },
	/* numbers of processes */
	{ "the_idle_task_is_number_0",
	  "a 0 1.0: b: \n\t 1 f (/a)\n\na 0/5 1.0: b: \n\t 1 f (/a)\n\n"
	  "a 5/0 1.0: b: \n\t 1 f (/a)\n\na -1 1.0: b: \n\t 1 f (/a)\n\n"
	  "a 1 1.0: b: \n\t 1 f (/a)\n\na -1/5 1.0: b: \n\t 1 f (/a)\n\n",
	  "~0/0 'a' b x 1: f (/a) f0x1\n0/5 'a' b x 1: f (/a) f0x1\n"
	  "5/0 'a' b x 1: f (/a) f0x1\n'a' b x 1: f (/a) f0x1\n"
	  "~1/1 'a' b x 1: f (/a) f0x1\n~5/5 'a' b x 1: f (/a) f0x1\nperf-script 6 of 6\n" },
	/* what can't be read */
	{ "a_head_behind_a_tab", "\ta 1 1.0: b: \n\t 1 f (/a)\n\na\t1 1.0: b: \n\t 1 f (/a)\n\n",
	  "~1/1 'a' b x 1: f (/a) f0x1\nlost bad_head 1\n"
	  "line 1: neither a sample's first line nor a frame\nperf-script 1 of 1\n" },
	{ "a_short_head_ends_the_sample_before",
	  "a 1 1.0: b: \n\t 1 f (/a)\na 1 1.0: b: \n\t 2 f (/a)\n\n",
	  "~1/1 'a' b x 1: f (/a) f0x1\n~1/1 'a' b x 1: f (/a) f0x2\nperf-script 2 of 2\n" },
	{ "a_head_that_is_none",
	  HEAD "\t 1 f (/a)\n\nnonsense\n\t 1 f (/a)\n\n" HEAD "\t 2 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1\n"
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x2\nlost bad_head 1\n"
	  "line 4: neither a sample's first line nor a frame\nperf-script 2 of 2\n" },
	{ "a_frame_that_is_none",
	  HEAD "\t 11112222333344445 f (/a)\n\n" HEAD "\t g (/a)\n\n" HEAD "\t 2 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x2\n"
	  "lost bad_frame 2\nline 2: a frame that can't be read\n"
	  "line 5: a frame that can't be read\nperf-script 1 of 1\n" },
	{ "a_frame_whose_image_is_missing",
	  HEAD "\t 1 f\n\t 2 f (/a)\n\n" HEAD "\t 2 f (/a)\n\n" HEAD "\t 1 f (/a)\n\t 2 g\n\n" HEAD
	       "\t 3 g\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x2\n"
	  "lost bad_frame 3\nline 2: a frame without an image, as no other is\n"
	  "line 10: a frame without an image, as no other is\n"
	  "line 13: a frame without an image, as no other is\nperf-script 1 of 1\n" },
	{ "a_line_that_is_no_frame",
	  HEAD "\t 1 f (/a)\nnonsense\n\t 2 f (/a)\n\n" HEAD "\t 3 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x3\n"
	  "lost bad_frame 1\nline 3: a line among frames that is none\nperf-script 1 of 1\n" },
	{ "a_frame_in_no_sample", "\t 1 f (/a)\n\n" HEAD "\t 2 f (/a)\n\n\t 3 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x2\n"
	  "lost bad_head 2\nline 1: neither a sample's first line nor a frame\n"
	  "line 6: neither a sample's first line nor a frame\nperf-script 1 of 1\n" },
	{ "cut_off_in_a_frame", HEAD "\t 1 f (/a)\n\n" HEAD "\t 1 f (/",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1\n"
	  "lost cut_off 1\nline 5: the file ends in a frame\nperf-script 1 of 1\n" },
	{ "cut_off_behind_a_frame", HEAD "\t 1 f (/a)\n",
	  "lost cut_off 1\nline 1: the file ends in this sample\nperf-script 0 of 0\n" },
	{ "an_event_that_is_none",
	  "a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0 fe\n" HEAD "\t 1 f (/a)\n\n",
	  "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1\nlost bad_head 1\n"
	  "line 1: a PERF_RECORD that can't be read\nperf-script 1 of 1\n" },
	{ "nothing", "", "error text_syntax: it is empty\nany 0 of 0\n" },
	{ "none_of_the_formats", "nonsense\n",
	  "error text_syntax: unknown format: it looks like text, with `nonsense' (`score --help' "
	  "says what is read)\nany 0 of 0\n" },
};

/* One head, then a frame: "pid/tid 'comm' event ", or NULL if it is none. */
static const struct head_case {
	const char *head, *expected;
} heads[] = {
	{ "inl  3671 ", "~3671/3671 'inl' " },
	{ "inl  3671/3672 ", "3671/3672 'inl' " },
	{ "a b) [x  3671 ", "~3671/3671 'a b) [x' " },
	{ "a b) [x  3671 1.5: cycles: ", "~3671/3671 'a b) [x' cycles " },
	{ "inl  3671", NULL },
	{ "inl ", "'inl' " },
	{ "two words ", "'two words' " },
	{ "inl", NULL },
	{ "inl 1.5: ", "'inl' " },
	{ "two words 1.5: 250000 cycles:u: ", "'two words' cycles:u " },
	{ "inl cycles: ", "'inl' cycles " },
	{ "inl cycles:", NULL },
	{ "inl cycles: more ", NULL },
	{ "inl [001] 1.5: cycles: ", "'inl' cycles " },
	{ " 3671 1.5: cycles: ", "~3671/3671 cycles " },
	{ " 3671/3672  [001] 1.5: 250000 cycles: ", "3671/3672 cycles " },
	{ " 3671 cycles: ", "~3671/3671 cycles " },
	{ "   3671/3672 ", "3671/3672 " },
	{ "   3671/3672", NULL },
	{ "[001] 1.5: cycles: ", "cycles " },
	{ "1.5: ", "" },
	{ "1.5: 250000 cycles: ", "cycles " },
	{ "cycles:ppp: ", "cycles:ppp " },
	{ "cycles:ppp:", NULL },
	{ "a 2147483647 ", "~2147483647/2147483647 'a' " },
	{ "a 2147483648 ", "'a 2147483648' " },
	{ "a 1/2147483648 ", "'a 1/2147483648' " },
	{ "a 2147483648/1 ", "'a 2147483648/1' " },
	{ "[001] ", NULL },
	{ "inl x.5: cycles: ", NULL },
	{ "inl 1.x: cycles: ", NULL },
	{ "inl 1: cycles: ", NULL },
	{ "inl [1] 1.5: cycles: ", "'inl' cycles " },
	{ "inl [x] 1.5: cycles: ", "'inl [x]' cycles " },
	{ "bash 13 1.5: : 1 g (/a)", "~13/13 'bash' " },
	{ "bash 13 sched:x: a=1 1.5: b", "~13/13 'bash' sched:x " },
	{ "bash 13 sched:x: 1.5: b", "~13/13 'bash' sched:x " },
};

START_TEST(a_head)
{
	const struct head_case *test = &heads[_i];
	char input[256], expected[256], *text;

	snprintf(input, sizeof(input), "%s\n\t 1 f (/a)\n\n", test->head);
	if (test->expected)
		snprintf(expected, sizeof(expected), "%sx 1: f (/a) f0x1\nperf-script 1 of 1\n",
			 test->expected);
	else
		snprintf(expected, sizeof(expected),
			 "lost bad_head 1\nline 1: neither a sample's first line nor a frame\n"
			 "perf-script 0 of 0\n");
	text = profile_bytes_text(input, strlen(input), PROFILE_ANY);
	ck_assert_msg(!strcmp(text, expected), "'%s':\n%s\nis\n%s", test->head, expected, text);
	free(text);
}
END_TEST

START_TEST(perf_script)
{
	check_profile_case(&cases[_i]);
}
END_TEST

static const char hostile[] =
	"a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x401000(0x1000) @ 0x3000 fe:00 2469 0]: r-xp /a\n"
	"a 12/12 1.0: PERF_RECORD_FORK(13:13):(12:12)\n"
	"a 12/12 1.0: PERF_RECORD_COMM exec: a b:12/12\n"
	"a 13/13 [001] 1.0: 5 cycles:u: \n\t 401010 f(int) [clone .cold]+0x10 (/a)\n"
	"\t e2bc elf_do_Rela+0x69c (inlined)\n\t e2bc _dl_relocate+0x69c (/ld.so)\n"
	"\t e2bd f\n  a.c:3 (inlined)\n\t e2bd f (/a+0xe2bd)\n\n"
	"a b 13 1.0: cycles: 7fb590c0145c main+0x1 (/bin/a)\n\n\t 1 f (/a)\n\t 1 f (/a)\n\n";

START_TEST(hostile_text)
{
	check_profile_hostile(hostile, sizeof(hostile) - 1, PROFILE_PERF_SCRIPT);
}
END_TEST

START_TEST(too_many_frames)
{
	check_most_frames(&(struct most_frames) {
		HEAD, "\t 1 f (/a)\n", "", "\n", "f (/a) f0x1 r\nperf-script 1 of 1\n",
		"lost too_deep 1\nline 65538: more than 65536 frames\nperf-script 0 of 0\n" });
}
END_TEST

/* More mappings than are kept: frames of what came too late have only their address. */
START_TEST(too_many_mappings)
{
	char *input, *text;
	size_t size;
	FILE *file = open_memstream(&input, &size);

	for (int i = 1; i <= 20000; i++)
		fprintf(file,
			"a 1/1 1.0: PERF_RECORD_MMAP2 1/1: [0x%x(0x10) @ 0 fe:00 1 0]: r-xp /a\n",
			i * 0x100);
	for (int pid = 2; pid <= 51; pid++)
		fprintf(file, "a 1/1 1.0: PERF_RECORD_FORK(%d:%d):(1:1)\n", pid, pid);
	for (int pid = 50; pid <= 51; pid++)
		fprintf(file, "a %d/%d 1.0: b: \n\t 4e2003 f (/a)\n\n", pid, pid);
	fputs("a 50/50 1.0: b: \n\t 4e2103 f (/a)\n\n", file);
	fclose(file);
	text = profile_bytes_text(input, size, PROFILE_ANY);
	ck_assert_str_eq(text, "50/50 'a' b x 1: f (/a) f0x4e2003 m0x3\n"
			       "51/51 'a' b x 1: f (/a) f0x4e2003\n"
			       "50/50 'a' b x 1: f (/a) f0x4e2103\nperf-script 3 of 3\n");
	free(text);
	free(input);
}
END_TEST

/* The sample that has such a line is lost, and no other. */
START_TEST(too_long_a_line)
{
	size_t size = PROFILE_LINE_MAX + 1;
	char *line = malloc(size + 1), *input, *text;
	FILE *file = open_memstream(&input, &size);

	memset(line, 'x', PROFILE_LINE_MAX + 1);
	line[PROFILE_LINE_MAX + 1] = '\0';
	fprintf(file, "a 1/1 1.0: b: \n\t 1 f (/a)\n\t 2 %s (/a)\n\t 3 f (/a)\n\n" ONE("1/1", "4"),
		line);
	fclose(file);
	text = profile_bytes_text(input, size, PROFILE_ANY);
	ck_assert_str_eq(text, "1/1 'a' b x 1: f (/bin/a) f0x4\nlost too_long 1\n"
			       "line 3: a line of more than 16777216 bytes\nperf-script 1 of 1\n");
	free(text);
	free(input);
	free(line);
}
END_TEST

/* ---- perf.data: a perf of ours, which prints one sample --------------------------------------- */

/* None of its frames is inlined: perf was asked for none. */
static const char one_sample[] =
	"12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x1, f (/a) f0x1, g (/a) f0x1\n"
	"%sperf-data 1 of 1\n";

static const struct data_case {
	const char *name;
	const char *ends;	       /* how perf does */
	uint64_t header, offset, data; /* the file is of 120 bytes */
	const char *expected;	       /* in place of %s */
	bool other_order;	       /* of the header's bytes */
} data_cases[] = {
	{ "whole", "exit 0", 104, 104, 16, "", false },
	{ "more_behind_the_samples", "exit 0", 104, 104, 8, "", false },
	{ "cut_off", "exit 0", 104, 104, 17,
	  "lost cut_off 1\nline 0: perf.data ends before its samples do\n", false },
	{ "cut_off_before_the_samples", "exit 0", 104, 121, 16,
	  "lost cut_off 1\nline 0: perf.data ends before its samples do\n", false },
	{ "never_finished", "exit 0", 104, 104, 0,
	  "lost cut_off 1\nline 0: perf.data ends before its samples do\n", false },
	{ "from_a_pipe", "exit 0", 16, 0, 0, "", false },
	{ "of_another_byte_order", "exit 0", 104, 104, 17, "", true },
	{ "a_pipe_s_header_says_no_size", "exit 0", 16, 104, 17, "", false },
	{ "just_before_the_end", "exit 0", 104, 119, 1, "", false },
	{ "at_the_end", "exit 0", 104, 120, 1,
	  "lost cut_off 1\nline 0: perf.data ends before its samples do\n", false },
	{ "perf_fails", "exit 234", 104, 104, 16,
	  "error text_syntax: `perf script' can't read it: status 234\n", false },
	{ "perf_dies", "kill -BUS $$", 104, 104, 16,
	  "error text_syntax: `perf script' can't read it: it died of SIGBUS\n", false },
	{ "no_perf", "exit 127", 104, 104, 16, "error unavailable: perf is not installed\n",
	  false },
};

static void make_perf(const char *folder, const char *ends)
{
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "%s/perf", folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"#!/bin/sh\nprintf '%%s\\n\\t 1 f (/a)\\n\\t 1 f (/a)\\n\\t 1 g (/a)\\n\\n' "
		"'%.*s'\n%s\n",
		(int)strlen(HEAD) - 1, HEAD, ends);
	ck_assert_int_eq(fchmod(fileno(file), 0755), 0);
	ck_assert_int_eq(fclose(file), 0);
	setenv("PATH", folder, 1);
}

START_TEST(perf_data)
{
	const struct data_case *test = &data_cases[_i];
	uint64_t word[15] = { 0, test->header, 144, 0, 0, test->offset, test->data };
	char folder[] = "/tmp/test_profile_perf-XXXXXX", path[80], expected[1024], *text;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_perf(folder, test->ends);
	memcpy(word, test->other_order ? "2ELIFREP" : "PERFILE2", 8);
	text = profile_bytes_text(word, sizeof(word), PROFILE_ANY);
	snprintf(expected, sizeof(expected), one_sample, test->expected);
	snprintf(path, sizeof(path), "%s/perf", folder);
	unlink(path);
	rmdir(folder);
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s\nis\n%s", test->name, expected, text);
	free(text);
}
END_TEST

SUITE(profile_perf, LOOP(perf_script, cases), LOOP(a_head, heads), LOOP(perf_data, data_cases),
      TEST(hostile_text), TEST(too_many_frames), TEST(too_many_mappings), TEST(too_long_a_line))
