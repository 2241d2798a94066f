/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_perf_state.c - the text of `perf script`: what one sample, event or process says of the next, and what not
 */
#include "tests/suite.h"
#include "profile_fixture.h"

#define HEAD "a 12/13 1.0: b: \n"
#define SAID "12/13 'a' b x 1: "
/* A mapping of 0x1000 bytes; ids: "pid/tid". */
#define MMAP(ids, start, offset, image)                                                            \
	"a 9/9 1.0: PERF_RECORD_MMAP2 " ids ": [" start "(0x1000) @ " offset                       \
	" fe:00 2469 0]: r-xp " image "\n"
#define FORK(child, parent) "a 9/9 1.0: PERF_RECORD_FORK(" child "):(" parent ")\n"
#define EXEC(name_and_ids)  "a 9/9 1.0: PERF_RECORD_COMM exec: " name_and_ids "\n"
#define ONE(ids, address)   "a " ids " 1.0: b: \n\t " address " f (/a)\n\n"
#define IS(ids, address)    ids " 'a' b x 1: f (/a) f0x" address

static const struct profile_case cases[] = {
	/* heads */
	{ "a_head_says_nothing_of_the_next",
	  "a 12/13 1.0: b: \n\t 1 f (/a)\n\nc 14 1.0: \n\t 1 f (/a)\n\n1.0: d: \n\t 1 f (/a)\n\n"
	  "\n\t 1 f (/a)\n\nc 0/15 1.0: b: \n\t 1 f (/a)\n\n",
	  "12/13 'a' b x 1: f (/a) f0x1\n~14/14 'c' x 1: f (/a) f0x1\n"
	  "d x 1: f (/a) f0x1\nx 1: f (/a) f0x1\n"
	  "0/15 'c' b x 1: f (/a) f0x1\nperf-script 5 of 5\n" },
	{ "a_frame_in_a_head_s_line_stands_alone",
	  "a 7 1.0: b:  1 f (/a)\n\t 2 g (/a)\n\na 7 1.0: b: \n\t 3 f (/a)\n\na 7 1.0: b:  4 f "
	  "(/a)\n"
	  "\n\t 5 f (/a)\n\n",
	  "~7/7 'a' b x 1: f (/a) r0x1\n~7/7 'a' b x 1: f (/a) f0x3\n"
	  "~7/7 'a' b x 1: f (/a) r0x4\nx 1: f (/a) f0x5\nlost bad_head 1\n"
	  "line 2: neither a sample's first line nor a frame\nperf-script 4 of 4\n" },
	{ "fields_before_a_frame_in_a_head_s_line",
	  "a 7 [001] 1 f (/a)\na 7 1.5: 2 f (/a)\na 7 [001] 1.5: 250 b: 3 f (/a)\na 7 b: 4 f (/a)\n"
	  "a 7 1.5: 250 b: 5 f (/a) 1G\n",
	  "~7/7 'a' x 1: f (/a) r0x1\n~7/7 'a' x 1: f (/a) r0x2\n"
	  "~7/7 'a' b x 1: f (/a) r0x3\n~7/7 'a' b x 1: f (/a) r0x4\n"
	  "~7/7 'a' b x 1: f (/a) r0x5\nperf-script 5 of 5\n" },
	{ "its_source_line_is_only_the_next",
	  "a 7 1.0: b:  1 f (/a)\n  a.c:1\n  a.c:2\na 7 1.0: b:  2 f (/a)\n\n  a.c:3\n\n"
	  "a 7 1.0: b:  3 f (/a)\n",
	  "~7/7 'a' b x 1: f (/a) r0x1\n~7/7 'a' b x 1: f (/a) r0x2\n"
	  "~7/7 'a' b x 1: f (/a) r0x3\nlost bad_head 1\n"
	  "line 6: neither a sample's first line nor a frame\nperf-script 3 of 3\n" },
	{ "frames_that_begin_with_blanks",
	  HEAD "        1 f (/a)\n        2 g (/a)\n\n" HEAD "\t 1 f (/a)\n        3\n" HEAD
	       "        3 f (/a)\n        4 g (/a)\n\n",
	  SAID "f (/a) f0x1, g (/a) f0x2\n" SAID "f (/a) f0x1\n" SAID
	       "f (/a) f0x3, g (/a) f0x4\nperf-script 3 of 3\n" },
	{ "a_sample_has_no_frames_of_the_one_before",
	  HEAD "\t 1 f (/a)\n\t 2 g (/a)\n\n" HEAD "\n" HEAD "\t 3 f (/a)\n\n" HEAD
	       "\t 4 f (/a)\nnone\n\n" HEAD "\t 5 f (/a)\n\n",
	  SAID "f (/a) f0x1, g (/a) f0x2\n12/13 'a' b x 1:\n" SAID "f (/a) f0x3\n" SAID
	       "f (/a) f0x5\nlost bad_frame 1\nline 12: a line among frames that is none\n"
	       "perf-script 4 of 4\n" },
	{ "a_loss_is_one_sample_s",
	  HEAD "\t g (/a)\n\t 2 g (/a)\n\n" HEAD "\t g (/a)\n\n" HEAD "\t 2 g (/a)\n\n" HEAD
	       "\t g (/a)\n" HEAD "\n" HEAD "\t 3 g (/a)\n\n",
	  SAID "g (/a) f0x2\n" SAID "g (/a) f0x3\nlost bad_frame 3\n"
	       "line 2: a frame that can't be read\nline 6: a frame that can't be read\n"
	       "line 12: a frame that can't be read\nperf-script 2 of 2\n" },
	{ "the_first_of_two_frames_without_an_image_is_told",
	  HEAD "\t 1 f (/a)\n\t 2 g\n\t 3 h\n\n" HEAD "\t 1 f (/a)\n\n",
	  SAID "f (/a) f0x1\nlost bad_frame 1\nline 3: a frame without an image, as no other is\n"
	       "perf-script 1 of 1\n" },
	{ "a_source_line_is_of_the_frame_before_it",
	  HEAD
	  "\t 1 f\n  a.c:1 (inlined)\n\t 1 g\n  a.c:2\n\t 2 f\n  a.c:1 (inlined)\n\t 2 g\n\n" HEAD
	  "\t 1 f\n\n" HEAD "\t 1 f\n  a.c:1 (inlined)\n\t 1 f\n\n",
	  SAID "f f0x1 i, g f0x1, f f0x2 i, g f0x2\n" SAID "f f0x1\n" SAID
	       "f f0x1 i, f f0x1\nperf-script 3 of 3\n" },
	{ "what_is_alike_is_of_one_image_and_not_the_kernel_s",
	  HEAD "\tffffffff81000130 f ([k])\n\tffffffff81000130 f ([k])\n\t 1 f (/a)\n\t 1 f (/a)\n"
	       "\t 1 f (/b)\n\t 2 f (/b)\n\t 2 g (/b)\n\n",
	  SAID "f ([k]) f0xffffffff81000130 k, f ([k]) f0xffffffff81000130 k, f (/a) f0x1 r, f "
	       "(/a) f0x1 r, f (/b) f0x1, f (/b) f0x2 i, g (/b) f0x2\nperf-script 1 of 1\n" },
	{ "lines_that_come_again_in_part_are_of_one_frame",
	  HEAD "\t 1 f (/a)\n\t 1 g (/a)\n\t 1 f (/a)\n\t 1 g (/a)\n\t 1 f (/a)\n\n" HEAD
	       "\t 1 f (/a)\n\t 1 g (/a)\n\t 1 f (/a)\n\t 1 g (/a)\n\n",
	  SAID "f (/a) f0x1 i, g (/a) f0x1 i, f (/a) f0x1 i, g (/a) f0x1 i, f (/a) f0x1\n" SAID
	       "f (/a) f0x1 i r, g (/a) f0x1 r, f (/a) f0x1 i r, g (/a) f0x1 r\n"
	       "perf-script 2 of 2\n" },
	/* events */
	{ "an_event_ends_the_sample_before",
	  HEAD "\t 1 f (/a)\n" EXEC("a:1/1") HEAD "\t 2 f (/a)\n\n",
	  SAID "f (/a) f0x1\n" SAID "f (/a) f0x2\nperf-script 2 of 2\n" },
	{ "frames_behind_an_event_are_nobody_s",
	  HEAD "\t 1 f (/a)\n" EXEC("a:1/1") "\t 2 f (/a)\n\n" HEAD "\t 3 f (/a)\n\n",
	  SAID "f (/a) f0x1\n" SAID "f (/a) f0x3\nlost bad_head 1\n"
	       "line 4: neither a sample's first line nor a frame\nperf-script 2 of 2\n" },
	{ "a_process_is_the_number_before_the_thread_s",
	  MMAP("12/77", "0x1000", "0", "/a") FORK("13:78", "12:79") ONE("12/77", "1010")
		  ONE("13/79", "1010") ONE("77/12", "1010") ONE("78/13", "1010"),
	  IS("12/77", "1010 m0x10\n") IS("13/79", "1010 m0x10\n") IS("77/12", "1010\n")
		  IS("78/13", "1010\nperf-script 4 of 4\n") },
	{ "a_thread_alone_has_its_number_s_mappings",
	  MMAP("12/12", "0x1000", "0", "/a") ONE("12", "1010") "a 12 1.0: b: 1010 f (/a)\n"
							       "a 13 1.0: b: 1010 f (/a)\n",
	  "~12/12 'a' b x 1: f (/a) f0x1010 m0x10\n~12/12 'a' b x 1: f (/a) r0x1010 m0x10\n"
	  "~13/13 'a' b x 1: f (/a) r0x1010\nperf-script 3 of 3\n" },
	/* The first sample says that frames have images, and is read again for it. */
	{ "lines_are_read_again_behind_exec",
	  MMAP("12/12", "0x1000", "0", "/a") ONE("12/12", "1010") ONE("12/12", "1010")
		  EXEC("b:c:12/12") ONE("12/12", "1010"),
	  IS("12/12", "1010 m0x10\n") IS("12/12", "1010 m0x10\n")
		  IS("12/12", "1010\nperf-script 3 of 3\n") },
	{ "and_behind_fork",
	  MMAP("11/11", "0x1000", "0", "/a") ONE("12/12", "1010") ONE("12/12", "1010")
		  FORK("12:12", "11:11") ONE("12/12", "1010"),
	  IS("12/12", "1010\n") IS("12/12", "1010\n")
		  IS("12/12", "1010 m0x10\nperf-script 3 of 3\n") },
	{ "a_thread_s_mapping_without_its_process_is_nobody_s",
	  MMAP("12", "0x1000", "0", "/a") ONE("0/0", "1010") ONE("12/12", "1010"),
	  IS("0/0", "1010\n") IS("12/12", "1010\nperf-script 2 of 2\n") },
	{ "a_child_has_all_of_its_parent_s_and_none_of_others",
	  MMAP("11/11", "0x1000", "0", "/a") MMAP("10/10", "0x2000", "0", "/a")
		  MMAP("11/11", "0x3000", "0x500", "/a") FORK("12:12", "11:11") MMAP(
			  "11/11", "0x4000", "0", "/a") ONE("12/12", "1010") ONE("12/12", "2010")
			  ONE("12/12", "3010") ONE("12/12", "4010") ONE("11/11", "4010"),
	  IS("12/12", "1010 m0x10\n") IS("12/12", "2010\n") IS("12/12", "3010 m0x510\n")
		  IS("12/12", "4010\n") IS("11/11", "4010 m0x10\nperf-script 5 of 5\n") },
	{ "exec_drops_its_own_and_no_other",
	  MMAP("11/11", "0x1000", "0", "/a") MMAP("12/12", "0x1000", "0x20", "/a")
		  MMAP("11/11", "0x2000", "0", "/a") MMAP("12/12", "0x2000", "0x20", "/a")
			  EXEC("a:11/11") ONE("11/11", "1010") ONE("12/12", "1010")
				  ONE("11/11", "2010") ONE("12/12", "2010"),
	  IS("11/11", "1010\n") IS("12/12", "1010 m0x30\n") IS("11/11", "2010\n")
		  IS("12/12", "2010 m0x30\nperf-script 4 of 4\n") },
	{ "the_latest_mapping_hides_the_others",
	  MMAP("12/12", "0x1000", "0", "/a") MMAP("12/12", "0x1800", "0x50", "/b")
		  MMAP("12/12", "0x4000", "0", "/c") ONE("12/12", "1010") ONE("12/12", "1810")
			  ONE("12/12", "4010"),
	  IS("12/12", "1010 m0x10\n") IS("12/12", "1810\n")
		  IS("12/12", "4010\nperf-script 3 of 3\n") },
	{ "a_mapping_ends_behind_its_last_byte",
	  MMAP("12/12", "0x1000", "0", "/a") ONE("12/12", "fff") ONE("12/12", "1000")
		  ONE("12/12", "1fff") ONE("12/12", "2000"),
	  IS("12/12", "fff\n") IS("12/12", "1000 m0x0\n") IS("12/12", "1fff m0xfff\n")
		  IS("12/12", "2000\nperf-script 4 of 4\n") },
	{ "of_an_event_that_is_none_nothing_is_kept",
	  "a 9/9 1.0: PERF_RECORD_FORK(12:12):(x:11)\na 9/9 1.0: PERF_RECORD_COMM exec: a:b\n"
	  "a 9/9 1.0: PERF_RECORD_MMAP x/12: [0x1000(0x1000) @ 0 fe:00 1 0]: r-xp /a\n"
	  "a 9/9 1.0: PERF_RECORD_LOST lost 12\n" MMAP("12/12", "0x1000", "0", "/a")
		  ONE("12/12", "1010"),
	  IS("12/12", "1010 m0x10\nlost bad_head 3\nline 1: a PERF_RECORD that can't be read\n"
		      "line 2: a PERF_RECORD that can't be read\n"
		      "line 3: a PERF_RECORD that can't be read\nperf-script 1 of 1\n") },
};

START_TEST(perf_script)
{
	check_profile_case(&cases[_i]);
}
END_TEST

SUITE(profile_perf_state, LOOP(perf_script, cases))
