/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_perf_fields.c - the text of `perf script`: what -F adds behind a sample's frames
 *
 * The lines are perf 6.1's; branches and what Intel PT gives are by its source (builtin-script.c), and an
 * instruction's text is 6.10's.
 */
#include "tests/suite.h"
#include "profile_fixture.h"

#define HEAD   "bash 12/13   553.342217:     250000 cpu-clock:ppp: \n"
#define SAMPLE "12/13 'bash' cpu-clock:ppp x 1: f (/a) f0x"
/* Its frame is in the head's line. */
#define ALONE	 "  a 7 1.0: 5 b: "
#define OF_ALONE "~7/7 'a' b x 1: f (/a) r0x"

static const struct profile_case cases[] = {
	/* a line behind the frames, in place of the empty one */
	{ "an_instruction_ends_a_sample",
	  HEAD "\t 1 f (/a)\n ilen: 3 insn: 48 01 c2\n" HEAD "\t 2 f (/a)\n insn: 90\n" HEAD
	       "\t 3 f (/a)\n ilen: 4\n",
	  SAMPLE "1\n" SAMPLE "2\n" SAMPLE "3\nperf-script 3 of 3\n" },
	{ "so_do_registers", HEAD "\t 1 f (/a)\n ABI:2    AX:0x2    SP:0x7ffe2698d4c0 \n",
	  SAMPLE "1\nperf-script 1 of 1\n" },
	{ "a_physical_address_is_no_frame",
	  HEAD "\t 1 f (/a)\n               0\n" HEAD "\t 2 f (/a)\n        123456789\n",
	  SAMPLE "1\n" SAMPLE "2\nperf-script 2 of 2\n" },
	{ "so_do_sizes_of_pages", HEAD "\t 1 f (/a)\n N/A 4K\n" HEAD "\t 2 f (/a)\n 2M\n",
	  SAMPLE "1\n" SAMPLE "2\nperf-script 2 of 2\n" },
	{ "so_do_branches", HEAD "\t 1 f (/a)\n 0x401016/0x401020/P/-/-/0 \n",
	  SAMPLE "1\nperf-script 1 of 1\n" },
	{ "an_instruction_s_text_is_no_frame", HEAD "\t 1 f (/a)\n\t\tmovq 0x20(%rax), %rdx\n",
	  SAMPLE "1\nperf-script 1 of 1\n" },
	{ "behind_source_lines",
	  HEAD "\t 1 f (/a)\n  a.c:1\n insn: 90\n" HEAD "\t 2 f (/a)\n  a.c:2\n insn: 90\n",
	  SAMPLE "1\n" SAMPLE "2\nperf-script 2 of 2\n" },
	{ "before_the_source_itself",
	  HEAD "\t 1 f (/a)\n insn: 90\n|12  int main(void)\n" HEAD "\t 2 f (/a)\n insn: 90\n",
	  SAMPLE "1\n" SAMPLE "2\nperf-script 2 of 2\n" },
	{ "under_a_head_without_fields", "\n\t 1 f (/a)\n insn: 90\n\n\t 2 f (/a)\n insn: 90\n",
	  "x 1: f (/a) f0x1\nx 1: f (/a) f0x2\nperf-script 2 of 2\n" },
	{ "before_a_head_that_begins_with_a_blank",
	  "  12 1.0: b: \n\t 1 f (/a)\n insn: 90\n  12 1.0: b: \n\t 2 f (/a)\n insn: 90\n",
	  "~12/12 b x 1: f (/a) f0x1\n~12/12 b x 1: f (/a) f0x2\nperf-script 2 of 2\n" },
	{ "of_a_sample_without_frames", HEAD " insn: 90\n" HEAD "\t 2 f (/a)\n insn: 90\n",
	  "12/13 'bash' cpu-clock:ppp x 1:\n" SAMPLE "2\nperf-script 2 of 2\n" },
	{ "one_bad_frame_loses_one_sample",
	  HEAD "\t 1 f (/a)\n insn: 90\n" HEAD "\t g (/a)\n\t 2 g (/a)\n insn: 90\n" HEAD
	       "\t 3 f (/a)\n insn: 90\n",
	  SAMPLE "1\n" SAMPLE "3\nlost bad_frame 1\nline 5: a frame that can't be read\n"
		 "perf-script 2 of 2\n" },
	{ "its_words_end_a_bad_one_before_any_other_has_it",
	  HEAD "\t g (/a)\n\t 1 g (/a)\n insn: 90\n" HEAD "\t 2 f (/a)\n insn: 90\n" HEAD
	       "\t g (/a)\n ABI:2    AX:0x2 \n" HEAD "\t 3 f (/a)\n ilen: 4\n",
	  SAMPLE "2\n" SAMPLE "3\nlost bad_frame 2\n"
		 "line 2: a frame that can't be read\nline 9: a frame that can't be read\n"
		 "perf-script 2 of 2\n" },
	{ "without_words_if_another_had_it",
	  HEAD "\t 1 f (/a)\n        123456789\n" HEAD "\t g (/a)\n        123456789\n" HEAD
	       "\t 2 f (/a)\n        123456789\n",
	  SAMPLE "1\n" SAMPLE "2\nlost bad_frame 1\nline 5: a frame that can't be read\n"
		 "perf-script 2 of 2\n" },
	{ "else_an_empty_line_does",
	  HEAD "\t g (/a)\n        123456789\n\t 1 f (/a)\n\n" HEAD "\t 2 f (/a)\n 2M\n",
	  SAMPLE "2\nlost bad_frame 1\nline 2: a frame that can't be read\nperf-script 1 of 1\n" },
	{ "cut_off_in_that_line", HEAD "\t 1 f (/a)\n insn: 90\n" HEAD "\t 2 f (/a)\n insn: 9",
	  SAMPLE "1\nlost cut_off 1\nline 4: the file ends in this sample\nperf-script 1 of 1\n" },
	{ "cut_off_before_it", HEAD "\t 1 f (/a)\n insn: 90\n" HEAD "\t 2 f (/a)\n",
	  SAMPLE "1\nlost cut_off 1\nline 4: the file ends in this sample\nperf-script 1 of 1\n" },
	{ "cut_off_behind_a_source_line",
	  HEAD "\t 1 f (/a)\n  a.c:1\n insn: 90\n" HEAD "\t 2 f (/a)\n  a.c:2\n",
	  SAMPLE "1\nlost cut_off 1\nline 5: the file ends in this sample\nperf-script 1 of 1\n" },
	/* behind a frame in a head's line */
	{ "behind_a_frame_without_a_callchain",
	  ALONE "1 f (/a) insn: 48 01\n" ALONE "2 f (/a) ilen: 7\n" ALONE
		"3 f (/a) ABI:2    AX:0x1 \n" ALONE "4 f (/a)               0\n" ALONE
		"5 f (/a) N/A 4K\n" ALONE "6 f (/a) 4K\n",
	  OF_ALONE "1\n" OF_ALONE "2\n" OF_ALONE "3\n" OF_ALONE "4\n" OF_ALONE "5\n" OF_ALONE
		   "6\nperf-script 6 of 6\n" },
	{ "brackets_behind_it",
	  ALONE "1 f (/a)\t\tmovq 0x20(%rax), %rdx\n" ALONE
		"2 f (/a) insn: 90\t\tcall *(%rax)\n" ALONE "3 f (/a) \t IPC: 0.50 (12/24) \n",
	  OF_ALONE "1\n" OF_ALONE "2\n" OF_ALONE "3\nperf-script 3 of 3\n" },
	{ "a_number_behind_it_is_no_count", ALONE "1 f (/a)               7\n",
	  OF_ALONE "1\nperf-script 1 of 1\n" },
	{ "source_lines_without_a_callchain",
	  ALONE "1 f (/a)\n  a.c:12\n" ALONE "2 f (/a)\n  a.c:12 ABI:2    AX:0x1 \n"
		"  fourteen_bytes 7 1.0: b: 3 f (/a)\n  a.c:1\n",
	  OF_ALONE "1\n" OF_ALONE
		   "2\n~7/7 'fourteen_bytes' b x 1: f (/a) r0x3\nperf-script 3 of 3\n" },
	{ "neither_a_time_nor_an_event_nor_a_callchain", " a 7 1 f (/a)\n a 7 2 f (/a) 4K\n",
	  "~7/7 'a' x 1: f (/a) r0x1\n~7/7 'a' x 1: f (/a) r0x2\nperf-script 2 of 2\n" },
	{ "brackets_that_are_no_image_are_an_event_s",
	  "a 7 1.0: b: 12 f(int)\n\t 1 f (/a)\n\na 7 1.0: b: 12 f (inlined)\n\t 2 f (inlined) "
	  "(inlined)\n\t 2 g (/a)\n\n",
	  "~7/7 'a' b x 1: f (/a) f0x1\n~7/7 'a' b x 1: f f0x2 i, g (/a) f0x2\n"
	  "perf-script 2 of 2\n" },
	{ "other_text_behind_brackets_is_an_event_s", "a 7 1.0: b: 12 f (/a) more\n\t 1 f (/a)\n\n",
	  "~7/7 'a' b x 1: f (/a) f0x1\nperf-script 1 of 1\n" },
};

START_TEST(fields)
{
	check_profile_case(&cases[_i]);
}
END_TEST

/* Cut off anywhere in its last sample, a file has lost that one, and says so. */
START_TEST(cut_off_anywhere)
{
	static const char first[] = HEAD "\t 1 f (/a)\n insn: 90\n";
	static const char text[] = HEAD "\t 1 f (/a)\n insn: 90\n" HEAD "\t 2 f (/a)\n insn: 90\n";

	for (size_t size = sizeof(first) - 1 + strlen(HEAD); size < sizeof(text) - 1; size++) {
		char *read = profile_bytes_text(text, size, PROFILE_PERF_SCRIPT);

		ck_assert_msg(strstr(read, SAMPLE "1\nlost cut_off 1\n") == read &&
				      strstr(read, "\nperf-script 1 of 1\n"),
			      "%zu bytes: %s", size, read);
		free(read);
	}
}
END_TEST

START_TEST(hostile_text)
{
	static const char hostile[] = HEAD
		"\t 1 f (/a)\n  a.c:1\n ilen: 3 insn: 48 01 c2\n" HEAD
		"\t 2 f (/a)\n ABI:2    AX:0x2 \n" ALONE "3 f (/a) N/A 4K\n" ALONE
		"4 f (/a)\t\tmovq 0x20(%rax), %rdx\n  a.c:4\n\n\t 5 f (/a)\n insn: 90\n\n";

	check_profile_hostile(hostile, sizeof(hostile) - 1, PROFILE_PERF_SCRIPT);
}
END_TEST

SUITE(profile_perf_fields, LOOP(fields, cases), TEST(cut_off_anywhere), TEST(hostile_text))
