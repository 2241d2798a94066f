/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_told.c - what a stack is, whose it is, and what people and programs read of it
 */
#include <jansson.h>
#include "tests/suite.h"
#include "score_crafted.h"

#define LEAF_OF_MAIN "0:2810 0:2010"

/* ---- what a stack is -------------------------------------------------------------------------- */

static const struct crafted_case stacks[] = {
	{ "open_before_doubt", "o 0:2810\nu 0:2820 0:2010", "0:2810", "open 1" },
	{ "doubt_before_names", "u 0:2810 0:2010", "leaf 1\nmain;leaf 2\nf;leaf 4\n", "doubt 7" },
	{ "what_is_sure_before_doubt", "u 0:2810 0:2010\n0:2810 0:2110",
	  "0:2810\n*2 0:2810 0:2110\n*4 0:2810 0:2010\n*8 0:2810 0:2210",
	  "exact 2 truncated 1 doubt 12" },
	{ "proven_at_the_place_that_is_in_doubt", "u 0:2810 0:2010\n0:2810 0:2010",
	  "0:2810 0:2010\n*2 0:2810 0:2110\n*4 0:2810", "exact 1 truncated 4 doubt 2" },
	{ "a_gap_before_doubt", "every=2\nu 0:2810 0:2010", "0:2810 0:2110", "gap 1" },
	{ "open_before_a_gap", "every=2\no 0:2810", "0:2810 0:2110", "open 1" },
	{ "a_wrong_caller_before_beyond", "0:2110\n0:2120 0:2010",
	  "deep;f 1\nmain;f 2\nf 4\ndeep;main;f 8\n", "exact 6 caller 1 beyond 8" },
	{ "no_dwarf_says_that_nothing_is_inlined", "0:2110 0:2010", "main;f;f 1\n", "caller 1" },
	{ "inlined_or_not_it_was_never_called", "0:2110 0:2010",
	  "main;nobody;f 1\nmain;f;nobody 2\ndeep;f;nobody 4\nnobody 8\n", "names 15" },
	/* what is sure of some of its stacks counts, as far as they go */
	{ "three_ways_of_one_leaf",
	  "0:2810 0:2110 0:2010 0:2f10\nu 0:2820 0:2210 0:2010 0:2f10\no 0:2830 0:2310 0:2010",
	  "0:2810\n*2 0:2810 0:2110\n*4 0:2810 0:2110 0:2010 0:2f10\n*8 0:2820 0:2210\n"
	  "*16 0:2810 0:2210 0:2010 0:2f10\n*32 0:2810 0:2310\n*64 0:2830 0:2310 0:2010\n"
	  "*128 0:2810 0:2310 0:2010 0:2f10\n*256 0:2810 0:2410\n"
	  "*512 0:2810 0:2110 0:2010 0:2110",
	  "exact 4 truncated 3 open 224 doubt 792" },
	{ "a_name_that_may_be_meant_stays_so", "0:2810 0:2700 0:2010 0:2f10",
	  "_start;main;nobody;leaf 1\nmain;nobody;leaf 2\nnobody;leaf 4\nleaf 8\n"
	  "_start;main;deep;leaf 16\n_start;main;f;leaf 32\nmain;f;leaf 64\nf;leaf 128\n"
	  "deep;main;f;leaf 256\n",
	  "truncated 8 caller 272 names 231" },
	{ "unless_another_way_is_sure", "0:2810 0:2700 0:2010 0:2f10\n0:2810 0:2110 0:2010 0:2f10",
	  "_start;main;f;leaf 1\nmain;f;leaf 2\nf;leaf 4\n", "exact 1 truncated 6" },
	{ "in_doubt_by_a_name_too", "u 0:2810 0:2700 0:2010\nu 0:2810 0:2110 0:2010",
	  "f;leaf 1\nmain;f;leaf 2\nmain;twin;leaf 4\n", "doubt 7" },
	{ "whole_before_part", "0:2810\n0:2810 0:2010", "0:2810", "exact 1" },
	{ "part_behind_whole", "0:2810 0:2010\n0:2810", "0:2810", "exact 1" },
	{ "whole_before_part_at_its_caller", "0:2810 0:2110\n0:2810 0:2110 0:2010",
	  "0:2810\n*2 0:2810 0:2110\n*4 0:2810 0:2110 0:2010", "exact 6 truncated 1" },
	{ "part_behind_whole_at_its_caller", "0:2810 0:2110 0:2010\n0:2810 0:2110",
	  "0:2810\n*2 0:2810 0:2110\n*4 0:2810 0:2110 0:2010", "exact 6 truncated 1" },
	{ "what_is_cut_before_what_is_open", "o 0:2810 0:2110\n0:2820 0:2110 0:2010",
	  "0:2810\n*2 0:2810 0:2110\n*4 0:2810 0:2110 0:2010\n*8 0:2810 0:2110 0:2210",
	  "exact 4 truncated 3 open 8" },
	{ "what_is_whole_before_what_is_open", "0:2810 0:2110\no 0:2820 0:2110",
	  "0:2810\n*2 0:2810 0:2110\n*4 0:2810 0:2210", "exact 2 truncated 1 caller 4" },
	{ "an_instruction_of_the_leaf_s_alone", "0:2810 0:2110 0:2010",
	  "0:2850\n*2 0:2850 0:2110\n*4 0:2850 0:2110 0:2010\n*8 0:2810 0:2110 0:2010\n"
	  "*16 0:2850 0:2010\n*32 0:2850 0:2110 0:2010 0:2010",
	  "exact 8 caller 16 beyond 32 leaf_pc 7" },
	{ "open_wherever_it_stood", "o 0:2810 0:2110", "0:2850\n*2 0:2850 0:2110", "open 3" },
	{ "nobody_called_it_there_or_it_had_another_caller", "0:2120 0:2010\n0:2110",
	  "deep;f 1\nmain;f 2\nf 4\ndeep;main;f 8\n", "exact 6 caller 1 beyond 8" },
	{ "a_frame_that_may_be_any_is_none_beyond_the_outermost", "o 0:2810 0:2010\n0:3810 0:2110",
	  "[unknown];main;leaf 1\n[unknown];f;deep 2\n[unknown];deep 4\n",
	  "beyond 2 open 1 names 4" },
	{ "a_command_s_name_before_any_outermost_function_of_a_name",
	  "0:2810 0:2a10 0:2010\n0:3810 0:3a10", "nobody;twin;deep 1\n", "exact 1" },
	/* interrupted at a function's first byte, or called from before it */
	{ "interrupted_in_the_second_of_its_calls",
	  "0:3810 0:2100 0:2010\ni 0:2810 0:2a10 0:2100 0:2010",
	  "main;f;deep 1\nmain;main;deep 2\nmain;f;twin;leaf 4\n", "exact 5 caller 2" },
	{ "interrupted_in_the_second_of_its_calls_in_the_file",
	  "i 0:3810 0:3a10 0:2100 0:2010\n0:2810 0:2100 0:2010",
	  "main;f;leaf 1\nmain;main;leaf 2\nmain;f;twin;deep 4\n", "exact 5 caller 2" },
	{ "interrupted_in_the_third_of_three",
	  "0:2810 0:2100 0:2010\n0:3810 0:2100 0:2010\ni 0:2a10 0:4a10 0:2100 0:2010",
	  "main;f;leaf 1\nmain;f;deep 2\nmain;main;deep 4\n", "exact 3 caller 4" },
	{ "interrupted_in_the_first_of_its_calls",
	  "i 0:2810 0:2a10 0:2100 0:2010\n0:3810 0:2100 0:2010",
	  "main;f;deep 1\nmain;main;deep 2\nmain;f;twin;leaf 4\n", "exact 5 caller 2" },
	{ "called_from_before_a_function", "0:3810 0:2100 0:2010\n0:2810 0:2a10 0:2100 0:2010",
	  "main;f;deep 1\nmain;main;deep 2\nmain;main;twin;leaf 4\n", "exact 6 caller 1" },
	{ "in_the_kernel_it_stood_there_too", "k 0:2810 0:2010", "0:2810 0:2010\n0:2010",
	  "exact 1 leaf 1" },
	{ "registers_in_exchange", LEAF_OF_MAIN,
	  "main;f;restore_sigcontext_[k] 1\nmain;f;__x64_sys_rt_sigreturn_[k] 1\n"
	  "main;f;__do_sys_rt_sigreturn_[k] 1\nmain;f;setup_rt_frame_[k] 1\n"
	  "main;f;x64_setup_rt_frame_[k] 1\nmain;f;setup_sigcontext_[k] 1\n"
	  "main;f;handle_signal_[k] 1\nmain;f;begin_new_exec_[k] 1\n"
	  "main;f;load_elf_binary_[k] 1\nmain;f;start_thread_[k] 1\n"
	  "main;f;start_threads_[k] 16\nmain;leaf;start_thread_[k] 32\n",
	  "exact 32 leaf 16 exchange 10" },
	{ "an_address_of_the_program_before_exec", LEAF_OF_MAIN,
	  "0x7fc735f8bad7;load_elf_binary_[k] 1\n0x7fc735f8bad7;vfs_read_[k] 2\n",
	  "names 2 exchange 1" },
};

START_TEST(what_a_stack_is)
{
	check_crafted(&stacks[_i]);
}
END_TEST

/* ---- whose it is ------------------------------------------------------------------------------ */

/* perf's heads and stacks: of the program's image, of another, and of none of the truth's. */
#define RIGHT(head)  head " 1.0: e: \n\t 1810 leaf+0x10 (/x/prog)\n\t 1010 main+0x10 (/x/prog)\n\n"
#define WRONG(head)  head " 1.0: e: \n\t 1810 leaf+0x10 (/x/prog)\n\t 1110 f+0x10 (/x/prog)\n\n"
#define LIB(head)    head " 1.0: e: \n\t 1010 g+0x10 (/x/lib.so)\n\n"
#define NO_LIB(head) head " 1.0: e: \n\t 1310 f+0x10 (/x/lib.so)\n\n"
#define ABSENT(head) head " 1.0: e: \n\t 10 x (/y/z.so)\n\n"
#define EMPTY(head)  head " 1.0: e: \n\n"
#define KERNEL(head) head " 1.0: e: \n\t ffffffff81000000 x ([kernel.kallsyms])\n\n"

static const struct {
	const char *name, *fields, *profile, *expected, *others;
} subjects[] = {
	{ "the_first_tells_the_process", "",
	  RIGHT("prog 5/5") NO_LIB("ls 6/6") NO_LIB("ls 5/6") LIB("prog 6/6"),
	  "exact 1 truncated 1 leaf 1 other_process 1", "1 ls" },
	{ "before_exec_the_process_is_who_starts_it", "",
	  RIGHT("prog 5/5") ABSENT("sh 5/5") ABSENT("prog 5/5") LIB("sh 5/5") NO_LIB("sh 5/5"),
	  "exact 1 truncated 1 leaf 2 other_process 1", "1 sh" },
	{ "before_it_no_number_tells", "", NO_LIB("ls 6/6") RIGHT("prog 5/5") NO_LIB("ls 6/6"),
	  "exact 1 process 1 other_process 1", "2 ls" },
	{ "its_image_tells_under_any_name", "", WRONG("ls 6/6") NO_LIB("sh 6/7") NO_LIB("sh 7/7"),
	  "leaf 1 caller 1 other_process 1", "1 sh" },
	{ "children_have_its_name_and_other_numbers", "children=1",
	  RIGHT("prog 5/5") WRONG("prog 6/6") RIGHT("prog 6/6") WRONG("prog 5/6"),
	  "exact 1 caller 1 other_process 2", "" },
	{ "without_children_a_number_is_its_own", "", RIGHT("prog 5/5") WRONG("prog 6/6"),
	  "exact 1 caller 1", "" },
	{ "a_thread_s_number_is_not_the_process_s", "threads=2 children=1",
	  RIGHT("prog 5") WRONG("prog 6") RIGHT("prog 6"), "exact 2 process 1", "" },
	{ "if_there_are_threads", "threads=1 children=1", RIGHT("prog 5") WRONG("prog 6"),
	  "exact 1 other_process 1", "" },
	{ "nor_if_both_are_said", "threads=2 children=1", RIGHT("prog 5/5") WRONG("prog 6/6"),
	  "exact 1 other_process 1", "" },
	{ "a_strange_thread_may_be_its_own", "threads=2",
	  RIGHT("prog 5") NO_LIB("ls 6") LIB("ls 6") ABSENT("ls 6"),
	  "exact 1 process 2 other_process 1", "3 ls" },
	{ "a_strange_one_alone_is_not", "threads=1", RIGHT("prog 5") NO_LIB("ls 6") LIB("ls 6"),
	  "exact 1 other_process 2", "2 ls" },
	{ "no_frames_of_the_kernel_and_of_nobody", "threads=2",
	  RIGHT("prog 5") EMPTY("prog 5") KERNEL("prog 5") EMPTY("ls 6") KERNEL("ls 6"),
	  "exact 1 empty 1 kernel_only 1 other_process 2", "2 ls" },
	{ "an_inlined_function_is_in_no_image", "",
	  "{'type':'profile_image','image':1,'path':'/x/lib.so'}\n"
	  "{'type':'profile_stack','count':1,'comm':'ls','frames':[{'name':'nobody','inlined':true}"
	  ",{'image':1,'vaddr':'0x2010'}]}\n"
	  "{'type':'profile_stack','count':2,'comm':'ls','frames':[{'name':'nobody'},{'image':1,'"
	  "vaddr':'0x2010'}]}\n",
	  "process 1 other_process 2", "3 ls" },
	{ "names_are_cut_as_the_kernel_cuts_them", "thread_name='abcdefghijklmnopq",
	  "abcdefghijklmno;main;leaf 1\nabcdefghijklmnoXY;leaf;main 2\nabcdefghijklmn;leaf;main "
	  "4\n",
	  "exact 1 beyond 2 process 4", "4 abcdefghijklmn" },
	{ "each_name_that_the_truth_saw", "thread_name='one thread_name='two",
	  "one;leaf;main 1\ntwo;leaf;main 2\nthree;leaf;main 4\n", "beyond 3 process 4",
	  "4 three" },
	{ "what_every_program_has_is_not_its_own", "",
	  "prog;main;leaf 1\nls;main 2\nls;_start 4\nls;main;leaf 8\n", "exact 9 process 6",
	  "6 ls" },
	{ "an_outermost_function_that_calls_nobody", "", "ls;_start 1\nls;leaf;main 2\n",
	  "process 3", "3 ls" },
	{ "under_its_own_name_nothing_is_surely_another_s", "children=1",
	  "prog;main;leaf 1\nprog;nobody;leaf;main 2\n", "exact 1 process 2", "" },
	{ "a_number_that_is_part_of_a_thread_s_name_tells_no_process", "thread_name='worker-2",
	  "worker-2;main;leaf 1\nls-2;leaf;main 2\n", "exact 1 process 2", "2 ls-2" },
	{ "a_command_s_name_without_frames", "", "prog;main;leaf 1\nprog 2\nprog;x_[k] 4\n",
	  "exact 1 empty 2 kernel_only 4", "" },
	{ "the_last_dash_is_the_number_s", "thread_name='my-t",
	  "my-t-5;main;leaf 1\nmy-t-?;leaf;main 2\nls-x-6;leaf;main 4\n",
	  "exact 1 beyond 2 other_process 4", "4 ls-x-6" },
	{ "what_the_first_one_does_not_show_a_later_one_does", "",
	  "nobody;leaf 1\nprog;main;leaf 2\nls;leaf;main 4\n", "exact 2 names 1 process 4",
	  "4 ls" },
	{ "a_function_of_another_image_is_not_the_program_s_own", "",
	  "prog;main;leaf 1\nls;main;g 2\nls;main;leaf 4\n", "exact 5 process 2", "2 ls" },
	{ "no_other_text_of_the_truth_is_a_name", "thread_name='t kernel_release='ls",
	  "t;main;leaf 1\nls;leaf;main 2\n", "exact 1 process 2", "2 ls" },
	{ "a_number_alone_is_a_name", "", "prog-5;main;leaf 1\n-5;leaf;main 2\n",
	  "exact 1 process 2", "2 -5" },
	{ "a_thread_s_number_is_one_too", "",
	  "prog-5/6;main;leaf 1\nprog-5/4294967296;leaf;main 2\nprog-5/x;leaf;main 4\n"
	  "prog-5/?;leaf;main 8\n",
	  "exact 1 process 14", "8 prog-5/?, 4 prog-5/x, 2 prog-5/4294967296" },
	{ "only_a_number_behind_a_name", "",
	  "prog-5/6;main;leaf 1\nprog-6/6;leaf;main 2\nls-6/6;leaf;main 4\nls-5/7;leaf;main 8\n",
	  "exact 1 beyond 10 other_process 4", "4 ls-6/6" },
};

START_TEST(whose_it_is)
{
	truth_fields(subjects[_i].fields);
	open_crafted(LEAF_OF_MAIN "\n0:2010\n0:2f10\n1:2010 0:2010");
	check_counts(subjects[_i].name, subjects[_i].profile, subjects[_i].expected);
	check_other_names(subjects[_i].name, subjects[_i].others);
}
END_TEST

/* Of so many strange names samples are counted; of further ones none, but all that came before go on. */
START_TEST(strange_names_beyond_the_limit)
{
	char *text;
	size_t size;
	struct error error;
	uint32_t count, *name;
	FILE *file = open_memstream(&text, &size);

	for (unsigned int i = 0; i <= SCORE_OTHER_NAMES_MAX + 1; i++)
		fprintf(file, "*%u ~n%u\n", i + 1 > SCORE_OTHER_NAMES_MAX ? 5 : 1,
			i % (SCORE_OTHER_NAMES_MAX + 1));
	fclose(file);
	open_crafted(LEAF_OF_MAIN);
	score_text(text);
	free(text);
	name = score_other_names(&scored, &count, &error);
	ck_assert_uint_eq(count, SCORE_OTHER_NAMES_MAX);
	ck_assert_str_eq(profile_texts_get(&scored.other_name, name[0]), "n0");
	ck_assert_uint_eq(scored.other_count[name[0]], 1 + 5);
	ck_assert_str_eq(profile_texts_get(&scored.other_name, name[1]), "n1");
	ck_assert_uint_eq(scored.other_count[name[count - 1]], 1);
	ck_assert_uint_eq(scored.reason[SCORE_OTHER_PROCESS], scored.samples);
	free(name);
}
END_TEST

/* ---- what is read of it ----------------------------------------------------------------------- */

#define SIX "0:2010 0:2110 0:2210 0:2310 0:2410 0:2510 0:2610 0:2710 0:2810"
/* Text of a truth and of a profile, or all as JSON: what is in it, and what is not. */
static const struct {
	const char *name, *truth, *profile;
	bool json;
	const char *has, *lacks;
} told[] = {
	{ "a_leaf_by_its_own_byte_a_caller_by_the_one_before", LEAF_OF_MAIN "\n0:2110 0:2010",
	  "0:3800 0:2100", false, "\n    ->   0  deep+0x0 (prog)\n         1  main+0x100 (prog)\n",
	  NULL },
	{ "so_in_json", LEAF_OF_MAIN "\n0:2110 0:2010", "0:3800 0:2100", true,
	  "[{'place':'deep+0x0 "
	  "(prog)','image':'@/prog','vaddr':'0x3800','address':'0x3800'},{'place':'main+0x100 "
	  "(prog)',",
	  NULL },
	{ "an_inlined_frame_is_marked", LEAF_OF_MAIN,
	  "{'type':'profile_stack','count':1,'frames':[{'name':'in','inlined':true},{'name':'deep'}"
	  "]}\n",
	  false, "         0  in (inlined)\n    ->   1  deep\n", NULL },
	{ "so_is_it_in_json", LEAF_OF_MAIN,
	  "{'type':'profile_stack','count':1,'frames':[{'name':'in','inlined':true},{'name':'deep'}"
	  "]}\n",
	  true, "[{'place':'in','name':'in','inlined':true},{'place':'deep','name':'deep'}]",
	  NULL },
	{ "what_the_profile_says_of_a_frame", LEAF_OF_MAIN,
	  "prog 1/1 1.0: e: \n\t 10 x+0x5 (/y/z.so)\n\n", false, "    ->   0  x+0x5 (z.so)\n",
	  NULL },
	{ "an_address_without_a_name", LEAF_OF_MAIN, "prog 1/1 1.0: e: \n\t 20 [unknown] (/y/)\n\n",
	  false, "    ->   0  0x20 (/y/)\n", NULL },
	{ "both_in_json", LEAF_OF_MAIN, "prog 1/1 1.0: e: \n\t 10 x+0x5 (/y/z.so)\n\n", true,
	  "[{'place':'x+0x5 (z.so)','image':'/y/z.so','address':'0x10','name':'x'}]", NULL },
	{ "five_that_agree_are_shown", SIX, "0:2010 0:2110 0:2210 0:2310 0:2410 0:3810", false,
	  "\n         2  gap@0x2000+0x210 (prog)\n", "more that agree" },
	{ "of_six_four", SIX, "0:2010 0:2110 0:2210 0:2310 0:2410 0:2510 0:3810", false,
	  "\n         1  f+0x10 (prog)\n        ... 2 more that agree\n         4  ", NULL },
	{ "three_behind_are_shown", SIX, "0:2010 0:3810 0:2110 0:2210 0:2310", false,
	  "\n         4  ", "        ... " },
	{ "and_more_are_counted", SIX, "0:2010 0:3810 0:2110 0:2210 0:2310 0:2410", false,
	  "\n         4  ", "\n         5  " },
	{ "equally_many_in_their_order", SIX "\n" LEAF_OF_MAIN, "*2 0:3810\n*2 0:2010 0:3810\n",
	  false, "line 4)\n    ->   0  deep+0x10 (prog)\nimpossible x 2: ", NULL },
	{ "a_wrong_caller_and_one_too_many_are_two", LEAF_OF_MAIN "\n0:2a10 0:2010 0:3810",
	  "0:2810 0:2010 0:2110\n*2 0:2a10 0:2010 0:2110", true, "'findings':2", NULL },
	{ "an_image_alone_repairs_nothing", "0:2810 0:2010 1:2010",
	  "{'type':'profile_image','image':1,'path':'/x/"
	  "lib.so'}\n{'type':'profile_stack','count':1,'frames':[{'name':'leaf'},{'image':1}]}\n",
	  true, "'reason':'caller'", "left_out" },
	{ "one_that_is_left_out", "0:2810 0:2010 1:2010", "0:2810 1:2010", true,
	  "'repair':'left_out','left_out':'main','left_out_image':'@/prog'}", NULL },
	{ "so_many_findings_as_are_asked_for", LEAF_OF_MAIN, "*3 0:2a10\n*2 0:3810\n0:2110\n", true,
	  "'findings':3,", "'count':1,'at'" },
	{ "and_the_number_of_the_others", LEAF_OF_MAIN, "*3 0:2a10\n*2 0:3810\n0:2110\n", false,
	  "\nand 1 more findings\n", "impossible x 1" },
	{ "no_others", LEAF_OF_MAIN, "*3 0:2a10\n*2 0:3810\n", false, "impossible x 2",
	  "more findings" },
	{ "the_most_frequent_first", LEAF_OF_MAIN, "0:2a10\n*2 0:3810\n*3 0:2110\n", true,
	  "'count':3,'at'", "'count':1,'at'" },
	{ "for_people_too", LEAF_OF_MAIN, "0:2a10\n*2 0:3810\n*3 0:2110\n", false, "impossible x 3",
	  "impossible x 1" },
	{ "one_too_many", LEAF_OF_MAIN, "0:2810 0:3810 0:2010", true, "'repair':'put_in'", NULL },
	{ "left_out_in_any_of_its_stacks", "0:2810 0:2010 0:2110\n0:2810 0:2210 0:2310 0:2410",
	  "0:2810 0:2110\n0:2810 0:2310", true, "'repair':'left_out'", "'none'" },
	{ "why_it_is_unproven", LEAF_OF_MAIN "\n1:2010 0:2010", LIB("ls 6/6"), false,
	  "\n  unproven: 1 maybe of another process\n", NULL },
	{ "six_images_are_one_more",
	  "0:2010 1:2010\n1:2010 0:2010\n2:2010 0:2010\n3:2010 0:2010\n4:2010 0:2010\n",
	  "0:2010\n1:2010\n2:2010\n0:3810", false, "in which image\n", "more\n" },
	{ "unproven_where_it_was_maybe_another_s", LEAF_OF_MAIN "\n1:2010 0:2010", LIB("ls 6/6"),
	  false, "         0          0          1          0  g (lib.so)\n", "never stood" },
	{ "an_unknown_name_in_front_says_not_where", LEAF_OF_MAIN, "leaf;nobody 1\n", false,
	  "         0          0          1          0  leaf (prog)\n", "never stood" },
	{ "the_place_is_a_sample_s", LEAF_OF_MAIN,
	  "{'shared':{'frames':[{'name':'leaf'},{'name':'deep'}]},'profiles':[{'type':'sampled','"
	  "samples':[[0],[7],[1]]}]}",
	  false, "(frame 0; the first at sample 3)\n", "line" },
	{ "so_is_what_is_not_read", LEAF_OF_MAIN,
	  "{'shared':{'frames':[{'name':'leaf'},{'name':'deep'}]},'profiles':[{'type':'sampled','"
	  "samples':[[0],[7],[1]]}]}",
	  false, "  not read: the first at sample 2: ", NULL },
	{ "counts_that_are_fractions", LEAF_OF_MAIN, "main;leaf 1.5\n", false,
	  ": folded, whose counts are fractions: in parts of 1000 here\n", NULL },
	{ "and_their_scale_in_json", LEAF_OF_MAIN, "main;leaf 1.5\n", true,
	  "'format':'folded','count_scale':1000,'truth'", NULL },
	{ "whole_ones_have_none", LEAF_OF_MAIN, "main;leaf 1\n", true, "'format':'folded'",
	  "count_scale" },
	{ "why_the_truth_is_not_all", "every=2\n" LEAF_OF_MAIN, "main;leaf 1\n", false,
	  "not all of the run, so that nothing is impossible: every\n", NULL },
	{ "and_so_in_json", "every=2 unproven=3\n" LEAF_OF_MAIN, "main;leaf 1\n", true,
	  "'truth_gap':'every','truth_points':0,'truth_unproven':3,", NULL },
	{ "strange_names_in_json", LEAF_OF_MAIN, EMPTY("ls 6/6") EMPTY("cp 7/7") EMPTY("ls 6/6"),
	  true, "'other_names':[{'name':'ls','count':2},{'name':'cp','count':1}]", NULL },
	{ "an_image_without_a_path_by_its_kind", "3:7f10 0:2010",
	  "{'type':'profile_stack','count':4,'frames':[{}]}\n", false,
	  "         0          0          4          0  anonymous\n", NULL },
	{ "a_path_without_a_folder_as_it_is", "4:a00 0:2010",
	  "{'type':'profile_image','image':1,'path':'[vdso]'}\n"
	  "{'type':'profile_stack','count':4,'frames':[{'image':1,'vaddr':'0xa00'}]}\n",
	  false, "         0          4          0          0  [vdso]\n", NULL },
	{ "a_frame_of_which_nothing_is_known", LEAF_OF_MAIN,
	  "{'type':'profile_image','image':1,'path':'[x]'}\n"
	  "{'type':'profile_stack','count':1,'frames':[{'name':'deep'},{},{'image':1,'vaddr':'0x99'"
	  "},{'image':1}]}\n",
	  false,
	  "    ->   0  deep\n         1  [unknown]\n         2  0x99 ([x])\n         3  [unknown] "
	  "([x])\n",
	  NULL },
	{ "a_leaf_where_a_call_returns_to", "0:2100 0:2010\n0:2810 0:2100 0:2010", "*4 0:2100",
	  false, "         0          4          0          0  f (prog)\n", NULL },
	{ "and_as_a_caller", "0:2100 0:2010\n0:2810 0:2100 0:2010", "*4 0:2810 0:2100", false,
	  "         0          4          0          0  main (prog)\n", NULL },
	{ "a_command_s_name_is_no_frame", LEAF_OF_MAIN, "prog;main;deep 1\n", true,
	  "'agree':0,'frames':[{'place':'deep','name':'deep'},{'place':'main','name':'main'}],",
	  "prog;" },
	{ "the_kernel_s_are_none_of_the_program", LEAF_OF_MAIN "\n0:2110 0:2010",
	  "main;deep;f;do_x_[k];do_y_[k] 1\n", true,
	  "'agree':1,'frames':[{'place':'f','name':'f'},{'place':'deep','name':'deep'},{'place':'"
	  "main','name':'main'}],'truth_callers':[{'function':'main','image':'@/"
	  "prog'}],'repair':'put_in'}",
	  "do_" },
	{ "one_of_several_callers_was_left_out",
	  "0:2810 0:2110 0:2010\n0:2810 0:2210 0:2f10\n0:2810 0:2310 1:2010", "0:2810 0:2f10",
	  false, "    with gap@0x2000 (prog) between them it would agree: a frame was left out\n",
	  "without" },
	{ "a_function_that_calls_from_several_places_is_one_caller",
	  "0:2810 0:2110 0:2010\n0:2810 0:2120 0:2010\n0:2810 0:2130 0:2010\n0:2810 0:2010",
	  "0:2810 0:3810", false, "    the truth has there: f (prog), main (prog)\n", NULL },
	{ "also_behind_another",
	  "0:2810 0:2110 0:2010\n0:2810 0:2010\n0:2810 0:2120 0:2010\n0:2810 0:3810",
	  "0:2810 0:2f10", false,
	  "    the truth has there: f (prog), main (prog), deep (prog), ...\n", NULL },
	{ "all_callers_in_json", "0:2810 0:2110 0:2010\n0:2810 0:2010\n0:2810 1:2010",
	  "0:2810 0:3810", true,
	  "'truth_callers':[{'function':'f','image':'@/prog'},{'function':'main','image':'@/"
	  "prog'},{'function':'g','image':'@/lib.so'}]",
	  NULL },
	{ "a_profile_of_nothing", LEAF_OF_MAIN, "{'type':'profile_image','image':1,'path':'/x'}\n",
	  false,
	  "\n         0          0   0.00 %          0   0.00 %          0   0.00 %          0   "
	  "0.00 %          0   0.00 %\n",
	  "samples (" },
	{ "an_image_of_exact_ones_alone", LEAF_OF_MAIN, "0:2810 0:2010", true,
	  "'images':[{'image':'@/"
	  "prog','exact':1,'truncated':0,'impossible':0,'unproven':0,'not_compared':0}],'functions'"
	  ":[]",
	  NULL },
	{ "a_strange_name_of_what_is_its_own_counts_none", LEAF_OF_MAIN,
	  RIGHT("ls 6/6") EMPTY("cp 7/7"), true, "'other_names':[{'name':'cp','count':1}]", NULL },
	{ "in_an_image_that_is_not_here_by_its_name", "4:a00 0:2010",
	  "{'type':'profile_image','image':1,'path':'[vdso]'}\n"
	  "{'type':'profile_stack','count':1,'frames':[{'image':1,'vaddr':'0x99','name':'clock'}]}"
	  "\n",
	  false, "    ->   0  clock ([vdso])\n", NULL },
	{ "and_one_that_has_an_address", LEAF_OF_MAIN,
	  "{'type':'profile_image','image':1,'path':'/x/prog'}\n"
	  "{'type':'profile_stack','count':1,'frames':[{'image':1,'vaddr':'0x2810','inlined':true},"
	  "{'image':1,'vaddr':'0x3810'}]}\n",
	  true, "'vaddr':'0x2810','address':'0x2810','inlined':true},{'place':'deep+0x10 (prog)',",
	  NULL },
	{ "an_unknown_name_where_no_symbol_is", "0:2700 0:2010", "main;nobody 4\n", false,
	  "         0          0          4          0  main (prog)\n", "never stood" },
	{ "findings_of_what_is_in_no_image_by_all_that_is_said", LEAF_OF_MAIN,
	  "prog 1/1 1.0: e: \n\t 10 x+0x5 (/y/z.so)\n\nprog 1/1 1.0: e: \n\t 11 x+0x6 "
	  "(/y/z.so)\n\nprog 1/1 1.0: e: \n\t 10 x+0x5 (/y/z.so)\n\n",
	  true, "'findings':2,", NULL },
	{ "another_system_s_vdso_is_no_other_build", LEAF_OF_MAIN, "main;leaf 1\n", false,
	  "truth truth: ", "another build" },
	/* a truth that says little */
	{ "why_points_are_unproven",
	  "points=100 unproven=11 unproven_a=5 unproven_b='x unproven_c=6\n" LEAF_OF_MAIN,
	  "main;leaf 1\n", false,
	  "truth truth: 11.00 % of its points are unproven, and accuse nobody: 5 a, 6 c\ntruth",
	  NULL },
	{ "for_no_reason", "points=100 unproven=11 unprove=5\n" LEAF_OF_MAIN, "main;leaf 1\n",
	  false, "accuse nobody: no reason is known\n", NULL },
	{ "some_always_are", "points=100 unproven=10 unproven_a=5\n" LEAF_OF_MAIN, "main;leaf 1\n",
	  false, "truth truth: ", "accuse nobody" },
};

/* All of a score as text, which is said to be of at most so many findings; "@" is the crafted folder. To be
 * freed. */
static char *crafted_told(const char *profile, bool json, uint64_t findings)
{
	char *text, *at;
	size_t folder = strlen(crafted_folder);

	score_text(profile);
	text = score_told(json, findings, 10);
	while ((at = strstr(text, crafted_folder))) {
		*at = '@';
		memmove(at + 1, at + folder, strlen(at + folder) + 1);
	}
	return text;
}

START_TEST(what_is_told)
{
	char *text;

	open_crafted(told[_i].truth);
	text = crafted_told(told[_i].profile, told[_i].json, 2);
	ck_assert_msg(strstr(text, told[_i].has) != NULL, "%s:\n%s", told[_i].name, text);
	ck_assert_msg(!told[_i].lacks || !strstr(text, told[_i].lacks), "%s:\n%s", told[_i].name,
		      text);
	free(text);
}
END_TEST

/* Samples of each class in each of two images, and in none: each sum is of its own samples. */
#define SUMS                                                                                       \
	"0:2810 0:2010\n*2 1:2010 0:2010\n*4 0:2810\n*8 1:2010\n*16 0:2810 0:2110\n"               \
	"*32 1:2010 0:2110\n*64 0:2850 0:2010\n*128 1:2050\n*256 0:3810\n*512\n"                   \
	"*1024 0:2810 0:2110\n*2048 1:2010 0:2110\n*4096 0:2810 0:2210\n*8192 1:2010 0:2010\n"     \
	"*16384 0:2850 0:2010\n*32768 2:2010"

START_TEST(sums_of_several_images)
{
	static const char *const parts[] = {
		"     65535       8195  12.50 %         12   0.02 %      40240  61.40 %      16576 "
		" 25.29 %        512   0.78 %\n"
		"  impossible: 33024 the program never stood in that function, 7216 it never had "
		"that caller there\n"
		"  unproven: 16576 it never stood at that instruction of the function\n"
		"  not compared: 512 no frames\n"
		"impossible  truncated   unproven      exact  in which image\n"
		"     33024          0          0          0  none: no frame agrees\n"
		"      5136          4      16448          1  prog\n"
		"      2080          8        128       8194  lib.so\n"
		"impossible  truncated   unproven      exact  where the walk ended or went wrong\n"
		"     33024          0          0          0  where the program never stood\n"
		"      5136          4          0          1  leaf (prog)\n"
		"      2080          8        128       8194  g (lib.so)\n"
		"         0          0      16448          0  main (prog)\n"
		"impossible x 32768: ",
		"'samples':65535,'changed_images':0,'unproven_images':0,'newer_images':0,'same_"
		"build':"
		"true,'same_run':true,'exact':"
		"8195,'truncated':12,'impossible':40240,'unproven':16576,'"
		"not_compared':512,'thin':false,'impossible_by':{'leaf':33024,'caller':7216},'"
		"unproven_by':{'leaf_pc':16576},'not_compared_by':{'empty':512},'unread_by':{},'"
		"names_said':0,'names_checked':0,'names_contradict':0,'names_contradict_samples':0,"
		"'"
		"findings':5,'findings_not_kept':0,'images':[{'image':'@/"
		"prog','exact':1,'truncated':4,'impossible':5136,'unproven':16448,'not_compared':0}"
		",{'image':'@/"
		"lib.so','exact':8194,'truncated':8,'impossible':2080,'unproven':128,'not_compared'"
		":0},{'exact':0,'truncated':0,'impossible':33024,'unproven':0,'not_compared':0}],'"
		"functions':[{'exact':0,'truncated':0,'impossible':33024,",
		"impossible x 4096: it never had that caller there (frame 1; the first at line "
		"16)\n",
		"'count':1040,'at':8,'function':'leaf',",
		"'count':2080,'at':9,'function':'g',",
		"'count':256,'at':12,'agree':0,",
	};
	char *text[2];

	open_crafted(LEAF_OF_MAIN "\n1:2010 0:2010");
	for (int json = 0; json < 2; json++)
		text[json] = crafted_told(SUMS, json, 10);
	for (int i = 0; i < COUNT(parts); i++)
		ck_assert_msg(strstr(text[*parts[i] == '\''], parts[i]) != NULL, "%s\n%s", parts[i],
			      text[*parts[i] == '\'']);
	free(text[0]);
	free(text[1]);
}
END_TEST

/* Each reason is told with its own number, in the line of its class; so is each loss. */
START_TEST(reasons_and_losses)
{
	static const char *const parts[] = {
		"\n  impossible: 2 the program never stood in that function, 4 it never had that "
		"caller there, 8 nobody called that frame, 16 there is no code at that address, 32 "
		"no call returns to that address, 64 the call that returns there is of another "
		"function\n  unproven: 128 the truth is known only so far, 256 the truth is in "
		"doubt there, 512 it never stood at that instruction of the function, 1024 names "
		"can't decide, 2048 the truth has not all of the run, 4096 the kernel was "
		"exchanging the registers, 8192 maybe of another process, 16384 no call returns "
		"there, but a signal's handler may let one, 32768 in a mapping that the profiler "
		"did not "
		"know, 65536 in the kernel's code for uprobes, 131072 a signal may come anywhere, "
		"262144 maybe of another build, 524288 not in the truth's run, but maybe in "
		"another, 1048576 at which entry into the kernel it was taken is open, 2097152 the "
		"truth has no entry of its thread at that time\n  not compared: 4194304 no frames, "
		"8388608 only frames of the kernel, 16777216 of another process, 33554432 an image "
		"of another build\n  not read: 1 with a first line that "
		"can't be read\n  not read: 2 with a frame that can't be read\n  not read: 4 with "
		"a count that is none\n  not read: 8 with too many frames\n  not read: 16 with a "
		"line that is too long\n  not read: 32 with their end missing\n  not read: 64 with "
		"a reference to what is not there\n  not read: 128 with a count of 0\n",
		"'impossible_by':{'leaf':2,'caller':4,'beyond':8,'no_code':16,'no_call':32,'callee'"
		":"
		"64},'unproven_by':{'open':128,'doubt':256,'leaf_pc':512,'names':1024,'gap':2048,'"
		"exchange':4096,'process':8192,'put':16384,'unmapped':32768,'uprobes':65536,'"
		"signal':131072,'build':262144,'unseen':524288,'moment':1048576,'no_entry':2097152}"
		","
		"'not_compared_by':{'empty':4194304,'kernel_only':"
		"8388608,'other_process':16777216,'other_build':33554432},'unread_by':{'bad_head':"
		"1,"
		"'"
		"bad_"
		"frame':2,'bad_count':4,'too_deep':8,'too_long':16,'cut_off':32,'bad_reference':64,"
		"'zero_count':128},",
	};
	struct error error;

	open_crafted(LEAF_OF_MAIN);
	ck_assert_int_eq(score_init(&scored, &truth, &error), 0);
	for (int i = 0; i < SCORE_REASON_COUNT; i++)
		scored.reason[i] = 1ull << i;
	for (int i = 0; i < PROFILE_LOSS_COUNT; i++)
		scored.profile.lost[i] = 1ull << i;
	for (int json = 0; json < 2; json++) {
		char *text = score_told(json, 1, 1);

		ck_assert_msg(strstr(text, parts[json]) != NULL, "%s", text);
		free(text);
	}
}
END_TEST

/* Each file that is another by now is named. */
START_TEST(truths_of_other_builds)
{
	char expected[512], *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	truth_text(&written, "program", "/p/q");
	truth_number(&written, "points", 3);
	truth_image(&written, TRUTH_IMAGE_FILE, crafted_path("lib.so"), "", 0);
	truth_image(&written, TRUTH_IMAGE_FILE, crafted_path("prog"), "\1\2", 2);
	truth_image(&written, TRUTH_IMAGE_FILE, "/nonexistent/file", "\1\2", 2);
	truth_image(&written, TRUTH_IMAGE_FILE, crafted_path("strip.so"), "\3", 1);
	truth_stacks("1:2810 0:2010\n3:2010\n1:2810 0:2110");
	open_truth();
	score_print_truth_text(file, "t", &truth);
	fclose(file);
	size = snprintf(expected, sizeof(expected), "truth t: /p/q, 3 points, 3 stacks\n");
	for (int i = 0; i < 2; i++)
		size += snprintf(
			expected + size, sizeof(expected) - size,
			"truth t: %s is not proven to be what ran: its functions have no names, "
			"and what differs there is unproven\n",
			crafted_path(i ? "strip.so" : "prog"));
	ck_assert_str_eq(text, expected);
	free(text);
}
END_TEST

/* So many functions are told; people get as many as they ask for. */
START_TEST(a_thousand_functions)
{
	char profile[40960] = "", *said[2], *json_text;
	json_t *json;

	truth_images("/nonexistent/prog");
	for (unsigned int i = 0; i < SCORE_FINDINGS_MAX + 2; i++) {
		char line[32];

		snprintf(line, sizeof(line), "0:%x 0:1", 0x1000 + i);
		truth_stacks(line);
		sprintf(profile + strlen(profile), "0:%x\n", 0x1000 + i);
	}
	open_truth();
	score_text(profile);
	for (int i = 0; i < 2; i++)
		said[i] = score_told(i, 2, 1001);
	json_text = quoted(said[1]);
	json = json_loads(json_text, 0, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "functions")), SCORE_FINDINGS_MAX);
	ck_assert_ptr_nonnull(strstr(said[0], " and 1 more\n"));
	json_decref(json);
	free(said[0]);
	free(said[1]);
	free(json_text);
}
END_TEST

/* One frame leads from each of many states to another: none of them is taken for its neighbour's. */
START_TEST(a_deep_recursion)
{
	enum { DEEP = 400 };
	struct truth_frame frame[DEEP + 1];
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; i <= DEEP; i++)
		frame[i] = (struct truth_frame) { 0, i < DEEP ? 0x2110 : 0x2010 };
	truth_image(&written, TRUTH_IMAGE_FILE, crafted_path("prog"), "", 0);
	truth_stack(&written, &(struct truth_stack) { .points = 1 }, frame, DEEP + 1);
	open_truth();
	for (int calls = DEEP - 1; calls <= DEEP + 1; calls++) {
		fputs("main", file);
		for (int i = 0; i < calls; i++)
			fputs(";f", file);
		fputs(" 1\n", file);
	}
	fclose(file);
	check_counts("deep", text, "exact 1 caller 2");
	free(text);
}
END_TEST

/* The program's image is its file's; else the only one of its name. */
static const struct {
	const char *program, *images[3];
	uint32_t main;
} mains[] = {
	{ "/nonexistent/prog", { "/a/lib.so", "/b/prog" }, 1 },
	{ "/nonexistent/prog", { "/a/prog", "/b/prog" }, UINT32_MAX },
	{ "prog", { "/a/lib.so", "/b/prog" }, 1 },
	{ "/proc/self/cwd", { "/a/cwd", "@" }, 1 },
	{ "/proc/self/cwd", { "@", "/a/cwd" }, 0 },
	{ "/nonexistent/none", { "/a/prog", "/b/lib.so" }, UINT32_MAX },
};

START_TEST(the_programs_own_image)
{
	char *here = realpath(".", NULL);

	truth_text(&written, "program", mains[_i].program);
	for (int i = 0; mains[_i].images[i]; i++)
		truth_image(&written, TRUTH_IMAGE_FILE,
			    mains[_i].images[i][0] == '@' ? here : mains[_i].images[i], "", 0);
	open_truth();
	ck_assert_uint_eq(truth.main_image, mains[_i].main);
	free(here);
}
END_TEST

SUITE(score_told, CRAFTED, LOOP(what_a_stack_is, stacks), LOOP(whose_it_is, subjects),
      TEST(strange_names_beyond_the_limit), LOOP(what_is_told, told), TEST(sums_of_several_images),
      TEST(reasons_and_losses), TEST(truths_of_other_builds), TEST(a_thousand_functions),
      TEST(a_deep_recursion), LOOP(the_programs_own_image, mains))
