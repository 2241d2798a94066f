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
	  "@ x 12: leaf_spin+0x16, middle_b+0x1b, __libc_start_call_main+0x7a\n"
	  "@ x 1: main+0x26\nbpftrace 2 of 13\n" },
	{ "keys_before_and_behind",
	  "@stacks[\n    f+1\n    g+2\n, my prog, 15987]: 3\n@t[15987, \n    f+1\n]: 4\n"
	  "@p[profile:hz:99, a, \n    f+1\n, 3]: 5\n@two[a, b, \n    f+1\n]: 6\n",
	  "'my prog' @stacks x 3: f+0x1, g+0x2\n@t x 4: f+0x1\n"
	  "'a' @p x 5: f+0x1\n@two x 6: f+0x1\nbpftrace 4 of 18\n" },
	{ "the_kernel_s_stack_comes_first_or_last",
	  "@k[\n    ksys_read+103\n    entry_SYSCALL_64_after_hwframe+118\n, \n    read+16\n    "
	  "main+3\n, p]: 2\n@k[\n    read+16\n, \n    vfs_read+1\n    do_syscall_64+9\n]: 3\n",
	  "'p' @k x 2: ksys_read+0x67 k, entry_SYSCALL_64_after_hwframe+0x76 k, read+0x10, "
	  "main+0x3\n"
	  "@k x 3: vfs_read+0x1 k, do_syscall_64+0x9 k, read+0x10\nbpftrace 2 of 5\n" },
	{ "which_is_the_kernel_s_is_not_guessed",
	  "@k[\n    schedule+1\n, \n    read+16\n]: 2\n@k[\n    f+1\n, \n    g+2\n, \n    h+3\n]: "
	  "2\n",
	  "lost bad_frame 2\nline 1: two stacks, and neither says that it is the kernel's\n"
	  "line 6: more than two stacks in a key\nbpftrace 0 of 0\n" },
	{ "empty_stacks",
	  "@[]: 5\n@k[, \n    f+1\n, p]: 1\n@k[\n    asm_exc_page_fault+1\n, ]: 1\n@s[, p]: 2\n",
	  "@ x 5:\n'p' @k x 1: f+0x1\n"
	  "@k x 1: asm_exc_page_fault+0x1 k\n'p' @s x 2:\nbpftrace 4 of 9\n" },
	{ "maps_without_stacks",
	  "@n: 162\n@s[p]: 12\n@h: \n[8K, 16K)  162 |@@@|\n\n@c[p, 3]: count 1, average 2\n",
	  "bpftrace 0 of 0\n" },
	{ "values_that_are_no_counts",
	  "@st[\n    f+1\n]: count 1, average 1, total 1\n@x[\n    f+1\n]: \n[2, 4)  1 |@@|\n\n"
	  "@m[\n    f+1\n]: -3\n@e[]: (1, 2)\n@z: \n    f+1\n    g+2\n\n@[\n    f+1\n]: 7\n",
	  "@ x 7: f+0x1\nlost bad_count 5\nline 3: the map's value is no count\n"
	  "line 6: the map's value is no count\nline 11: the map's value is no count\n"
	  "line 12: the map's value is no count\nline 13: a stack as a map's value has no count\n"
	  "bpftrace 1 of 7\n" },
	{ "addresses", "@[\n    0x55a98f3df189\n    f\n    0xffffffff81000130\n]: 1\n",
	  "@ x 1: ? r0x55a98f3df189 k, f k, ? r0xffffffff81000130 k\nbpftrace 1 of 1\n" },
	{ "as_perf_prints_frames",
	  "@l[\n\t7f22007b6ab1 msort.part.0+337 (/usr/lib/libc.so.6)\n\t55a98f3df189 [unknown] "
	  "([unknown])\n]: 1\n@r[\n\t7f22007b6ab1\n\tffffffff81000130\n]: 2\n",
	  "@l x 1: msort.part.0+0x151 (/usr/lib/libc.so.6) r0x7f22007b6ab1, ? r0x55a98f3df189\n@r "
	  "x 2: ? r0x7f22007b6ab1 k, ? r0xffffffff81000130 k\n"
	  "bpftrace 2 of 3\n" },
	{ "names_of_cxx", "@[\n    a::operator+(a)+12\n    f(int, char)+3\n    operator+\n]: 1\n",
	  "@ x 1: a::operator+(a)+0xc, f(int, char)+0x3, operator+\nbpftrace 1 of 1\n" },
	{ "a_line_that_is_no_frame", "@[\n    f+1\noutput\n    g+2\n]: 12\n@[\n    f+1\n]: 1\n",
	  "@ x 1: f+0x1\nlost bad_frame 1\nline 3: a line among frames that is none\n"
	  "bpftrace 1 of 1\n" },
	{ "an_entry_without_an_end", "@a[\n    f+1\n@b[\n    f+1\n]: 1\n",
	  "@b x 1: f+0x1\nlost cut_off 1\nline 1: the entry has no end\nbpftrace 1 of 1\n" },
	{ "cut_off", "@[\n    f+1\n]: 12\n@[\n    f+1\n]: 1",
	  "@ x 12: f+0x1\nlost cut_off 1\nline 6: the file ends in this line\nbpftrace 1 of 12\n" },
	{ "cut_off_in_a_stack", "@[\n    f+1\n]: 12\n@[\n    f+1\n",
	  "@ x 12: f+0x1\nlost cut_off 1\nline 4: the file ends in this entry\n"
	  "bpftrace 1 of 12\n" },
	{ "counts", "@[\n    f+1\n]: 0\n@[\n    f+1\n]: 18446744073709551616\n",
	  "lost bad_count 1\nlost zero_count 1\nline 1: a count of 0\n"
	  "line 6: the map's value is no count\nbpftrace 0 of 0\n" },
};

/* Two of everything: what the entry before was says nothing of the next. */
static const struct profile_case sequences[] = {
	{ "entries_one_after_the_other",
	  "@a[\n    f+1\n    g+2\n, p, q]: 2\n@b[r, \n    h+3\n]: 3\n@c[\n    f+1\n, 7]: 4\n"
	  "@d[\n]: 5\n@e[p]: 6\n@f[\n    g+2\n, q]: 7\n",
	  "@a x 2: f+0x1, g+0x2\n'r' @b x 3: h+0x3\n@c x 4: f+0x1\n@d x 5:\n'q' @f x 7: g+0x2\n"
	  "bpftrace 5 of 21\n" },
	{ "an_entry_behind_one_that_is_lost",
	  "@a[\n    f+1\n, \n    g+2\n, p]: 2\n    x+1\n]: 8\n@b[\n    h+3\n, q]: 3\n"
	  "@c[\n    f+1\nnone\n@d[\n    g+2\n, r]: 4\n@e[\n    f+1\n]: x\n, s]: 9\n"
	  "@f[\n    h+3\n, t]: 5\n",
	  "'q' @b x 3: h+0x3\n'r' @d x 4: g+0x2\n't' @f x 5: h+0x3\n"
	  "lost bad_frame 2\nlost bad_count 1\n"
	  "line 1: two stacks, and neither says that it is the kernel's\n"
	  "line 13: a line among frames that is none\nline 19: the map's value is no count\n"
	  "bpftrace 3 of 12\n" },
	{ "lines_between_entries_are_none",
	  "    f+1\n]: 3\n, p]: 4\n@a[\n    g+2\n]: 1\n    f+1\n]: 3\n\t7f22007b6ab1\n@x\n@\n"
	  "x@b[\n@a b[\n",
	  "@a x 1: g+0x2\nbpftrace 1 of 1\n" },
	{ "the_user_s_stack_first_and_longer",
	  "@k[\n    read+16\n    main+3\n    _start+7\n, \n    vfs_read+1\n    do_syscall_64+9\n"
	  ", p]: 3\n@k[\n    a+1\n    b+2\n, \n    c+3\n    d+4\n    el0_svc+5\n]: 4\n",
	  "'p' @k x 3: vfs_read+0x1 k, do_syscall_64+0x9 k, read+0x10, main+0x3, _start+0x7\n@k x "
	  "4: c+0x3 k, d+0x4 k, el0_svc+0x5 k, a+0x1, b+0x2\n"
	  "bpftrace 2 of 7\n" },
	{ "two_stacks_that_both_say_so",
	  "@k[\n    do_syscall_64+1\n, \n    do_syscall_64+2\n, p]: 2\n",
	  "lost bad_frame 1\nline 1: two stacks, and neither says that it is the kernel's\n"
	  "bpftrace 0 of 0\n" },
	{ "which_is_the_kernel_s_by_its_addresses",
	  "@k[\n\tffffffff81000130\n, \n\t7f22007b6ab1\n]: 1\n@k[\n    0x401136\n, \n"
	  "    0xffffffff81000130\n    f+1\n]: 2\n",
	  "@k x 1: ? r0xffffffff81000130 k, ? r0x7f22007b6ab1\n"
	  "@k x 2: ? r0xffffffff81000130 k, f+0x1 k, ? r0x401136\nbpftrace 2 of 3\n" },
	{ "only_the_second_has_frames",
	  "@k[, \n    do_idle+1\n    el0_svc+2\n]: 1\n@k[, , p]: 2\n@k[, , ]: 3\n",
	  "@k x 1: do_idle+0x1 k, el0_svc+0x2 k\n'p' @k x 2:\n"
	  "lost bad_frame 1\nline 6: more than two stacks in a key\nbpftrace 2 of 3\n" },
	{ "where_keys_end",
	  "@[\n    f+1\n, a]b]: 1\n@[\n    f+1\n, a]:b]: 2\n@[\n    f+1\n, [a]: 3\n"
	  "@[p, 3]:\n[2, 4)  1 |@@|\n",
	  "'a]b' @ x 1: f+0x1\n@ x 2: f+0x1\n'[a' @ x 3: f+0x1\nbpftrace 3 of 6\n" },
	{ "a_value_s_next_line_alone_may_be_its_stack",
	  "@n: 1\n\n    f+1\n@m: 2\ntext\n    f+1\n@z: \n\tf+1\n    f+1\n@l: 3\n@k: 4\n",
	  "lost bad_count 1\nline 7: a stack as a map's value has no count\nbpftrace 0 of 0\n" },
	{ "more_of_perf_s_frames",
	  "@l[\n\t7f22 f+0x11 (/b)\n\t7f23 g (/b)\n\tffffffff815e51e3 do_wp_page+659 "
	  "([kernel.kallsyms])\n\t7fffffffffffffff h+1 (/a)\n]: 1\n",
	  "@l x 1: f+0x11 (/b) r0x7f22 k, g (/b) r0x7f23 k, do_wp_page+0x293 ([kernel.kallsyms]) "
	  "r0xffffffff815e51e3 k, h+0x1 (/a) r0x7fffffffffffffff k\n"
	  "bpftrace 1 of 1\n" },
	{ "a_name_of_hexadecimal_digits_is_short",
	  "@[\n    deadbeef\n    1deadbeef\n    add+1\n]: 1\n",
	  "@ x 1: deadbeef, ? r0x1deadbeef, add+0x1\nbpftrace 1 of 1\n" },
	{ "an_entry_without_an_end_after_one",
	  "@a[\n    f+1\n]: 1\n@b[p, \n    f+1\n@n: 3\n@c[\n]: 2\n",
	  "@a x 1: f+0x1\n@c x 2:\nlost cut_off 1\n"
	  "line 4: the entry has no end\nbpftrace 2 of 3\n" },
};

START_TEST(maps)
{
	check_profile_case(&cases[_i]);
}
END_TEST

START_TEST(maps_one_after_the_other)
{
	check_profile_case(&sequences[_i]);
}
END_TEST

START_TEST(the_most_frames)
{
	check_most_frames(&(struct most_frames) {
		"@[\n", "    f+1\n", "", "]: 3\n@[\n    g+1\n]: 4\n",
		", f+0x1\n@ x 4: g+0x1\nbpftrace 2 of 7\n",
		"@ x 4: g+0x1\nlost too_deep 1\nline 65538: too many frames\nbpftrace 1 of 4\n" });
}
END_TEST

START_TEST(hostile_maps)
{
	check_case_hostile(&cases[_i], PROFILE_BPFTRACE);
}
END_TEST

SUITE(profile_bpftrace, TIMEOUT(300), LOOP(maps, cases), LOOP(maps_one_after_the_other, sequences),
      TEST(the_most_frames), LOOP(hostile_maps, cases))
