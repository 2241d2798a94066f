/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_bpftrace.c - maps as bpftrace 0.17 prints them, whose keys have stacks
 */
#include "tests/suite.h"
#include "profile_fixture.h"

static const struct profile_case cases[] = {
	{ "innermost_first",
	  "Attaching 1 probe...\n1715 12\n\n\n@[\n    leaf_spin+22\n    middle_b+27\n    "
	  "__libc_start_call_main+122\n]: 12\n@[\n    main+38\n]: 1\n\n",
	  "-1/-1 \"\" @ x 12: leaf_spin+0x16, middle_b+0x1b, __libc_start_call_main+0x7a\n"
	  "-1/-1 \"\" @ x 1: main+0x26\nbpftrace 2 of 13\n" },
	{ "keys_before_and_behind",
	  "@stacks[\n    f+1\n    g+2\n, my prog, 15987]: 3\n@t[15987, \n    f+1\n]: 4\n"
	  "@p[profile:hz:99, a, \n    f+1\n, 3]: 5\n@two[a, b, \n    f+1\n]: 6\n",
	  "-1/-1 \"my prog\" @stacks x 3: f+0x1, g+0x2\n-1/-1 \"\" @t x 4: f+0x1\n"
	  "-1/-1 \"a\" @p x 5: f+0x1\n-1/-1 \"\" @two x 6: f+0x1\nbpftrace 4 of 18\n" },
	{ "the_kernel_s_stack_comes_first_or_last",
	  "@k[\n    ksys_read+103\n    entry_SYSCALL_64_after_hwframe+118\n, \n    read+16\n    "
	  "main+3\n, p]: 2\n@k[\n    read+16\n, \n    vfs_read+1\n    do_syscall_64+9\n]: 3\n",
	  "-1/-1 \"p\" @k x 2: ksys_read+0x67 k, entry_SYSCALL_64_after_hwframe+0x76 k, read+0x10, "
	  "main+0x3\n"
	  "-1/-1 \"\" @k x 3: vfs_read+0x1 k, do_syscall_64+0x9 k, read+0x10\nbpftrace 2 of 5\n" },
	{ "which_is_the_kernel_s_is_not_guessed",
	  "@k[\n    schedule+1\n, \n    read+16\n]: 2\n@k[\n    f+1\n, \n    g+2\n, \n    h+3\n]: "
	  "2\n",
	  "lost bad_frame 2\nline 1: two stacks, and neither says that it is the kernel's\n"
	  "line 6: more than two stacks in a key\nbpftrace 0 of 0\n" },
	{ "empty_stacks",
	  "@[]: 5\n@k[, \n    f+1\n, p]: 1\n@k[\n    asm_exc_page_fault+1\n, ]: 1\n@s[, p]: 2\n",
	  "-1/-1 \"\" @ x 5:\n-1/-1 \"p\" @k x 1: f+0x1\n"
	  "-1/-1 \"\" @k x 1: asm_exc_page_fault+0x1 k\n-1/-1 \"p\" @s x 2:\nbpftrace 4 of 9\n" },
	{ "maps_without_stacks",
	  "@n: 162\n@s[p]: 12\n@h: \n[8K, 16K)  162 |@@@|\n\n@c[p, 3]: count 1, average 2\n",
	  "bpftrace 0 of 0\n" },
	{ "values_that_are_no_counts",
	  "@st[\n    f+1\n]: count 1, average 1, total 1\n@x[\n    f+1\n]: \n[2, 4)  1 |@@|\n\n"
	  "@m[\n    f+1\n]: -3\n@e[]: (1, 2)\n@z: \n    f+1\n    g+2\n\n@[\n    f+1\n]: 7\n",
	  "-1/-1 \"\" @ x 7: f+0x1\nlost bad_count 5\nline 3: the map's value is no count\n"
	  "line 6: the map's value is no count\nline 11: the map's value is no count\n"
	  "line 12: the map's value is no count\nline 13: a stack as a map's value has no count\n"
	  "bpftrace 1 of 7\n" },
	{ "addresses", "@[\n    0x55a98f3df189\n    f\n    0xffffffff81000130\n]: 1\n",
	  "-1/-1 \"\" @ x 1: ? r0x55a98f3df189 k, f k, ? r0xffffffff81000130 k\nbpftrace 1 of "
	  "1\n" },
	{ "as_perf_prints_frames",
	  "@l[\n\t7f22007b6ab1 msort.part.0+337 (/usr/lib/libc.so.6)\n\t55a98f3df189 [unknown] "
	  "([unknown])\n]: 1\n@r[\n\t7f22007b6ab1\n\tffffffff81000130\n]: 2\n",
	  "-1/-1 \"\" @l x 1: msort.part.0+0x151 (/usr/lib/libc.so.6) r0x7f22007b6ab1, "
	  "? r0x55a98f3df189\n-1/-1 \"\" @r x 2: ? r0x7f22007b6ab1 k, ? r0xffffffff81000130 k\n"
	  "bpftrace 2 of 3\n" },
	{ "names_of_cxx", "@[\n    a::operator+(a)+12\n    f(int, char)+3\n    operator+\n]: 1\n",
	  "-1/-1 \"\" @ x 1: a::operator+(a)+0xc, f(int, char)+0x3, operator+\n"
	  "bpftrace 1 of 1\n" },
	{ "a_line_that_is_no_frame", "@[\n    f+1\noutput\n    g+2\n]: 12\n@[\n    f+1\n]: 1\n",
	  "-1/-1 \"\" @ x 1: f+0x1\nlost bad_frame 1\nline 3: a line among frames that is none\n"
	  "bpftrace 1 of 1\n" },
	{ "an_entry_without_an_end", "@a[\n    f+1\n@b[\n    f+1\n]: 1\n",
	  "-1/-1 \"\" @b x 1: f+0x1\nlost cut_off 1\nline 1: the entry has no end\n"
	  "bpftrace 1 of 1\n" },
	{ "cut_off", "@[\n    f+1\n]: 12\n@[\n    f+1\n]: 1",
	  "-1/-1 \"\" @ x 12: f+0x1\nlost cut_off 1\nline 6: the file ends in this line\n"
	  "bpftrace 1 of 12\n" },
	{ "cut_off_in_a_stack", "@[\n    f+1\n]: 12\n@[\n    f+1\n",
	  "-1/-1 \"\" @ x 12: f+0x1\nlost cut_off 1\nline 4: the file ends in this entry\n"
	  "bpftrace 1 of 12\n" },
	{ "counts", "@[\n    f+1\n]: 0\n@[\n    f+1\n]: 18446744073709551616\n",
	  "lost bad_count 1\nlost zero_count 1\nline 1: a count of 0\n"
	  "line 6: the map's value is no count\nbpftrace 0 of 0\n" },
};

START_TEST(maps)
{
	check_profile_case(&cases[_i]);
}
END_TEST

START_TEST(hostile_maps)
{
	const struct profile_case *test = &cases[_i];

	check_profile_hostile(test->input, strlen(test->input), PROFILE_BPFTRACE);
}
END_TEST

SUITE(profile_bpftrace, TIMEOUT(300), LOOP(maps, cases), LOOP(hostile_maps, cases))
