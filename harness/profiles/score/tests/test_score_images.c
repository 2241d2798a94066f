/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_images.c - in which image, and where in it, a frame is: numbers and names that may mean several places
 *
 * The images are small files whose symbols and addresses a case knows (score_crafted.h).
 */
#include "tests/suite.h"
#include "score_crafted.h"

/* ---- an offset, or an address ----------------------------------------------------------------- */

#define DEEP_OF_MAIN "0:3810 0:2010"
#define LEAF_OF_MAIN "0:2810 0:2010"
#define BOTH	     LEAF_OF_MAIN "\n0:3810 0:2110"

/* perf: the process's addresses 0x2000.. and 0x555000.. are the code of prog, offset 0x1000. */
#define MAPPED                                                                                     \
	"a 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x2000(0x3000) @ 0x1000 fe:00 2469 0]: r-xp "      \
	"/x/prog\na 12/12 1.0: PERF_RECORD_MMAP2 12/12: [0x555000(0x3000) @ 0x1000 fe:00 2469 "    \
	"0]: r-xp /x/prog\na 12/12 1.0: b: \n"
#define PERF	"a 12/12 1.0: b: \n"
#define MAIN	"\t 1010 main+0x10 (/x/prog)\n\n"
#define LEAF	"\t 1810 leaf+0x10 (/x/prog)\n"
#define DEEP	"\t 2810 deep+0x10 (/x/prog)\n"
#define NOWHERE "\t 7f0010 [unknown] ([unknown])\n\n"
#define ALSO_AT(pid, file)                                                                         \
	"a " pid "/" pid " 1.0: PERF_RECORD_MMAP2 " pid "/" pid                                    \
	": [0x9000(0x3000) @ 0x1000 fe:00 2469 0]: r-xp /x/" file "\n"
#define ALIKE	  "\t 1110 f+0x10 (/x/prog)\n\t 1110 f+0x10 (/x/prog)\n"
#define UNSAID	  "\n"
#define OF_UNSAID "\t 1010 main+0x10\n\n"

/* Of a leaf and its caller, how far behind the image's first segment each is. */
#define FIREFOX(path, leaf, caller)                                                                \
	"{'meta':{'preprocessedProfileVersion':56},'libs':[{'path':'" path "'}],'shared':{"        \
	"'stringArray':['0x1']},'threads':[{'samples':{'stack':[1]},'stackTable':{"                \
	"'frame':"                                                                                 \
	"[1,0],'prefix':[null,0]},'frameTable':{'address':[" leaf "," caller "],'func':[0,0]},"    \
	"'funcTable':{'name':[0],'resource':[0]},'resourceTable':{'lib':[0]}}]}"

static const struct crafted_case addresses[] = {
	/* folded: "[prog+0x2810]" does not say which of both it is */
	{ "an_offset", DEEP_OF_MAIN, "[prog+0x1010];[prog+0x2810] 1\n", "exact 1" },
	{ "or_an_address", DEEP_OF_MAIN, "[prog+0x2010];[prog+0x3810] 1\n", "exact 1" },
	{ "a_caller_s_byte_before", DEEP_OF_MAIN,
	  "[prog+0x100f];[prog+0x2810] 1\n[prog+0x200f];[prog+0x3810] 1\n", "exact 2" },
	{ "neither", DEEP_OF_MAIN, "[prog+0x2020];[prog+0x3810] 1\n[prog+0x1020];[prog+0x2810] 2\n",
	  "caller 3" },
	{ "no_code_at_all", DEEP_OF_MAIN, "[prog+0x10];[prog+0x2810] 1\n", "names 1" },
	{ "the_one_where_it_stood_by_its_callers", LEAF_OF_MAIN "\n0:3820 0:2110",
	  "[prog+0x1010];[prog+0x2810] 1\n[prog+0x1110];[prog+0x2810] 2\n", "exact 1 caller 2" },
	{ "by_its_callers_the_other", DEEP_OF_MAIN "\n0:2820 0:2110",
	  "[prog+0x1010];[prog+0x2810] 1\n[prog+0x1110];[prog+0x2810] 2\n", "exact 1 caller 2" },
	{ "it_stood_at_both", BOTH,
	  "[prog+0x1010];[prog+0x2810] 1\n[prog+0x1110];[prog+0x2810] 2\n"
	  "[prog+0x1210];[prog+0x2810] 4\n",
	  "exact 3 caller 4" },
	{ "at_neither_but_in_both_functions", BOTH,
	  "[prog+0x1010];[prog+0x2850] 1\n[prog+0x1110];[prog+0x2850] 2\n"
	  "[prog+0x1210];[prog+0x2850] 4\n",
	  "caller 4 leaf_pc 3" },
	{ "in_one_s_function", DEEP_OF_MAIN, "[prog+0x2010];[prog+0x3820] 1\n", "leaf_pc 1" },
	{ "both_in_one_function", "0:3810 0:2010\n0:2810 0:2010",
	  "[prog+0x1010];[prog+0x2810] 1\n[prog+0x1010] 2\n", "exact 1 leaf 2" },
	{ "perf_says_offsets", LEAF_OF_MAIN, PERF "\t 2810 [unknown] (/x/prog)\n" MAIN, "leaf 1" },
	/* perf: an offset, unless the name and its offset are right at what is mapped there alone */
	{ "an_address_of_the_process_by_its_name", LEAF_OF_MAIN,
	  MAPPED "\t 2810 leaf+0x10 (/x/prog)\n" MAIN, "exact 1" },
	{ "an_offset_by_its_name", BOTH "\n0:3810 0:2010",
	  MAPPED "\t 2810 deep+0x10 (/x/prog)\n" MAIN, "exact 1" },
	{ "an_offset_where_the_name_is_neither_s", DEEP_OF_MAIN,
	  MAPPED "\t 2810 other+0x10 (/x/prog)\n" MAIN, "exact 1" },
	{ "an_offset_where_nothing_is_behind_the_name", DEEP_OF_MAIN,
	  MAPPED "\t 2810 leaf (/x/prog)\n" MAIN, "exact 1" },
	{ "an_offset_where_the_name_is_both_s", "0:3a10 0:2010",
	  MAPPED "\t 2a10 twin+0x10 (/x/prog)\n" MAIN, "exact 1" },
	{ "no_offset_of_code", LEAF_OF_MAIN, MAPPED "\t 555810 [unknown] (/x/prog)\n" MAIN,
	  "exact 1" },
	/* not mapped either: the only symbol of the name says where; of two names of one address, too */
	{ "behind_the_only_symbol", LEAF_OF_MAIN, PERF "\t 7f0810 leaf+0x10 (/x/prog)\n" MAIN,
	  "exact 1" },
	{ "a_symbol_of_two_names", "0:2110 0:2010",
	  PERF "\t 7f0110 f+0x10 (/x/prog)\n" MAIN PERF "\t 7f0120 f+0x20 (/x/prog)\n" MAIN,
	  "exact 1 leaf_pc 1" },
	{ "of_two_symbols_either", "0:2a10 0:2010", PERF "\t 7f0010 twin+0x20 (/x/prog)\n" MAIN,
	  "exact 1" },
	/* the image is not said: that of the name and the offset behind it */
	{ "the_only_image_with_the_name", LEAF_OF_MAIN,
	  UNSAID "\t 1810 leaf+0x10\n" OF_UNSAID UNSAID "\t 1810 leaf\n" OF_UNSAID, "exact 2" },
	{ "wrong_in_the_only_image", LEAF_OF_MAIN, UNSAID "\t 2810 deep+0x10\n" OF_UNSAID,
	  "leaf 1" },
	{ "two_images_have_it_there", "0:2e10 0:2010",
	  UNSAID "\t 1e10 same+0x10\n" OF_UNSAID UNSAID "\t 1e10 same+0x10\n\t 1110 f+0x10\n\n",
	  "exact 1 names 1" },
	{ "in_both_it_may_stand", "0:2e10 0:2010\n1:2e10 0:2110",
	  UNSAID "\t 1e10 same+0x10\n" OF_UNSAID UNSAID "\t 1e10 same+0x10\n\t 1110 f+0x10\n\n",
	  "exact 2" },
	{ "where_it_stood_before_where_its_function_did", "0:2e10 0:2010\n1:2e20 0:2110",
	  UNSAID "\t 1e10 same+0x10\n" OF_UNSAID UNSAID "\t 1e10 same+0x10\n\t 1110 f+0x10\n\n",
	  "exact 1 names 1" },
	{ "its_function_in_both", "0:2e20 0:2010\n1:2e20 0:2110",
	  UNSAID "\t 1e10 same+0x10\n" OF_UNSAID UNSAID "\t 1e10 same+0x10\n\t 1110 f+0x10\n\n",
	  "leaf_pc 2" },
	{ "a_name_of_the_dwarf_where_one_symbol_begins", LEAF_OF_MAIN,
	  UNSAID "\t 1810 other+0x10\n" OF_UNSAID UNSAID "\t 1110 other+0x10\n" OF_UNSAID,
	  "exact 1 leaf 1" },
	{ "where_two_begin", LEAF_OF_MAIN, UNSAID "\t 1e10 other+0x10\n" OF_UNSAID, "names 1" },
	{ "of_a_stripped_image_nobody_knows", LEAF_OF_MAIN "\n2:2800 0:2010",
	  UNSAID "\t 1810 other+0x10\n" OF_UNSAID UNSAID "\t 1110 other+0x10\n" OF_UNSAID,
	  "exact 1 leaf_pc 1" },
	{ "nor_where_it_alone_may_have_it", LEAF_OF_MAIN "\n2:2800 0:2010",
	  UNSAID "\t 1810 leaf+0x10\n\t 1450 other+0x10\n\n" UNSAID
		 "\t 1810 leaf+0x10\n\t 1110 f+0x10\n\n",
	  "caller 1 names 1" },
	{ "an_address_of_the_process_behind_the_only_symbol", LEAF_OF_MAIN,
	  UNSAID "\t 7f0810 leaf+0x10\n" OF_UNSAID UNSAID "\t 7f0810 leaf\n" OF_UNSAID, "exact 2" },
	{ "another_address_of_its_function", LEAF_OF_MAIN,
	  UNSAID "\t 7f0820 leaf+0x20\n" OF_UNSAID UNSAID "\t 7f0820 leaf\n" OF_UNSAID,
	  "exact 1 leaf_pc 1" },
	{ "behind_symbols_of_two_images_by_the_name", "1:2320 0:2010",
	  UNSAID "\t 7f0110 f+0x10\n" OF_UNSAID, "exact 1" },
	{ "an_offset_of_code_is_none_of_the_process", LEAF_OF_MAIN,
	  UNSAID "\t 1850 leaf+0x10\n" OF_UNSAID UNSAID "\t 1850 twin+0x10\n" OF_UNSAID,
	  "leaf_pc 2" },
	{ "at_the_first_byte_of_its_function", "0:2800 0:2010", UNSAID "\t 1800 leaf\n" OF_UNSAID,
	  "exact 1" },
	{ "beyond_all_offsets_it_is_an_address", "0:4810 0:2010", "[prog+0x1010];[prog+0x4810] 1\n",
	  "exact 1" },
	{ "perf_says_no_addresses", "0:4810 0:2010", PERF "\t 4810 [unknown] (/x/prog)\n" MAIN,
	  "names 1" },
	{ "the_last_byte_of_the_code", "0:4fff 0:2010",
	  PERF "\t 3fff [unknown] (/x/prog)\n" MAIN PERF "\t 4000 [unknown] (/x/prog)\n" MAIN,
	  "exact 1 names 1" },
	{ "in_no_mapping_perf_may_have_lost_it", LEAF_OF_MAIN,
	  PERF "\t 7f0810 [unknown] ([unknown])\n" MAIN PERF "\t 7f0810 leaf ([unknown])\n" MAIN,
	  "unmapped 2" },
	{ "if_it_is_a_caller_it_is_in_no_file", LEAF_OF_MAIN, PERF LEAF NOWHERE, "caller 1" },
	{ "where_perf_lacks_a_file_it_may_have_lost_it", LEAF_OF_MAIN, MAPPED LEAF NOWHERE,
	  "unmapped 1" },
	{ "of_another_process_it_has_all", LEAF_OF_MAIN,
	  MAPPED LEAF NOWHERE ALSO_AT("13", "lib.so") ALSO_AT("13", "strip.so") PERF LEAF NOWHERE,
	  "unmapped 2" },
	{ "where_it_lacks_none_it_is_wrong", LEAF_OF_MAIN,
	  ALSO_AT("12", "lib.so") ALSO_AT("12", "strip.so") MAPPED LEAF NOWHERE, "caller 1" },
	{ "the_kernel_s_for_uprobes", LEAF_OF_MAIN,
	  "main;leaf;[uprobes] 1\nmain;[uprobes];leaf 2\n", "uprobes 3" },
	{ "without_a_file_it_may_be", "3:7f0810 0:2010",
	  PERF "\t 7f0810 [unknown] ([unknown])\n" MAIN, "names 1" },
	{ "an_address_of_the_process_in_a_file", LEAF_OF_MAIN,
	  "a 12/12 1.0: b: 7f0010 [unknown] (/x/prog)\n"
	  "a 12/12 1.0: b: 7f0810 leaf+0x10 (/x/prog)\n",
	  "truncated 1 names 1" },
	{ "demangled_behind_the_only_symbol", "1:4210 0:2010",
	  PERF "\t 7f0210 only(int)+0x10 (/x/lib.so)\n" MAIN PERF
	       "\t 7f0220 only(int)+0x20 (/x/lib.so)\n" MAIN,
	  "exact 1 leaf_pc 1" },
	{ "demangled_in_the_only_image", "1:3c10 0:2010",
	  UNSAID "\t 2c10 plain(int)+0x10\n" OF_UNSAID UNSAID "\t 2c10 plain(int)\n" OF_UNSAID,
	  "exact 2" },
	{ "at_its_first_byte_in_the_only_image", "0:2800 0:2010\n1:2800 0:2110",
	  UNSAID "\t 1800 leaf\n" OF_UNSAID UNSAID "\t 1800 leaf\n\t 1110 f+0x10\n\n",
	  "exact 1 caller 1" },
	{ "behind_its_image_s_first_segment", DEEP_OF_MAIN, FIREFOX("/x/prog", "10256", "4111"),
	  "exact 1" },
	{ "and_elsewhere_behind_it", DEEP_OF_MAIN, FIREFOX("/x/prog", "14352", "4111"), "leaf 1" },
	{ "an_offset_in_the_headers", "0:2810 0:1010",
	  UNSAID "\t 1810 leaf+0x10\n\t 10 [unknown]\n\n", "exact 1" },
	/* frames alike, where no DWARF tells how many are the machine's: each, or else all are one */
	{ "each_is_one_first",
	  "0:2810 0:2110 0:2110 0:2010\n0:2810 0:2110 0:2010 0:2f10\n0:3810 0:2110 0:2010",
	  PERF LEAF ALIKE MAIN PERF DEEP ALIKE MAIN PERF DEEP ALIKE
	  "\t 1210 [unknown] (/x/prog)\n\n",
	  "exact 2 names 1" },
	{ "of_both_neither", "0:2810 0:2110 0:2010", PERF LEAF ALIKE ALIKE "\n" PERF LEAF "\n",
	  "truncated 2" },
	{ "two_readings_never_count_together", LEAF_OF_MAIN, UNSAID "\t 1110 f+0x10\n" OF_UNSAID,
	  "leaf 1" },
};

/* Folded: an offset behind a name that leads beyond all symbols of the name is an address. */
static const struct crafted_case beyonds[] = {
	{ "the_last_byte_is_inside", "0:21ff 0:2010", "main;f+0xff 1\nmain;leaf+0xff 2\n",
	  "exact 1 leaf 2" },
	{ "the_end_is_beyond", "0:2900 0:2010", "main;leaf+0x100 1\nmain;leaf+0x110 2\n",
	  "exact 1 leaf_pc 2" },
	{ "a_longer_one_of_the_name_may_be_meant", "0:2110 0:2010",
	  "main;f+0x180 1\nmain;f+0x280 2\n", "exact 1 names 2" },
	{ "in_its_image_it_is_known", "1:2510 0:2010",
	  "main;f+0x210 [lib.so] 1\nmain;f+0x210 [prog] 2\nmain;f+0x210 4\n", "exact 1 names 6" },
	{ "a_name_in_a_gap_is_no_symbol_s", "0:2700 0:2010", "main;f 1\nmain;main 2\nf;f 4\n",
	  "leaf 2 caller 4 names 1" },
	{ "a_local_one_before_a_gap", "0:2b10 0:2010", "main;twin 1\nmain;leaf 2\nmain;f 4\n",
	  "leaf 4 names 3" },
	{ "whatever_a_text_calls_its_image", "0:2900 0:2010", "main;nofile!leaf+0x100 1\n",
	  "exact 1" },
	{ "the_spelling_that_says_most_decides", "1:3c10 0:2010",
	  "main;plain(int) 1\nmain;plain(long) 2\nmain;plain 4\n", "exact 5 leaf 2" },
	{ "the_end_of_two_images_functions_is_neither_s", "1:2f00 0:2010", "main;same+0x100 1\n",
	  "names 1" },
	{ "nor_of_two_in_an_image", "0:3b00 0:2010",
	  "main;twin+0x100 1\nmain;twin+0x100 [prog] 1\n", "names 2" },
	{ "beyond_it_in_its_image_and_inside_in_another", "0:2110 0:2010\n1:2480 0:2010",
	  "main;f+0x180 [prog] 1\nmain;f+0x180 [lib.so] 2\n", "exact 2 names 1" },
	{ "of_two_of_a_name_the_first_before_a_gap", "0:2b10 0:2010\n0:3a10 0:2110",
	  "main;twin 1\nf;twin 2\nleaf;twin 4\n", "exact 2 caller 4 names 1" },
	{ "of_two_of_a_name_the_second", "0:3b10 0:2010\n0:2a10 0:2110",
	  "main;twin 1\nf;twin 2\nleaf;twin 4\n", "exact 2 caller 4 names 1" },
	{ "at_its_first_byte_it_is_not_the_one_before", "0:2800 0:2010", "main;f 1\nmain;leaf 2\n",
	  "exact 2 leaf 1" },
	{ "the_exported_one_before_all_local_ones", "0:4a10 0:2010",
	  "main;deep 1\nmain;twin 2\nmain;hidden 4\nmain;deep+0x1210 8\n",
	  "exact 12 leaf 2 names 1" },
	{ "a_caller_at_the_next_function_s_first_byte", "0:3810 0:2800 0:2010",
	  "main;f;deep 1\nmain;leaf;deep 2\n", "caller 2 names 1" },
	{ "a_gap_is_not_the_function_before_it", "0:2010\n0:2700 0:2210 0:2010",
	  "main 1\n[prog+0x1700] 2\nmain;[prog+0x1700] 4\n", "exact 1 truncated 2 caller 4" },
};

START_TEST(an_offset_beyond_its_name)
{
	check_crafted(&beyonds[_i]);
}
END_TEST

START_TEST(where_a_number_leads)
{
	check_crafted(&addresses[_i]);
}
END_TEST

/* ---- images of all kinds ---------------------------------------------------------------------- */

#define IMAGE(path, more) "{'type':'profile_image','image':1,'path':'" path "'" more "}\n"
#define PROG_2		  "{'type':'profile_image','image':2,'path':'/x/prog'}\n"
#define AT_2(address)	  "{'image':2,'vaddr':'" address "'}"
#define STACK(frames)	  "{'type':'profile_stack','count':1,'frames':[" frames "]}\n"
#define AT(address)	  "{'image':1,'vaddr':'" address "'}"
#define NAMED(name)	  "{'image':1,'name':'" name "'}"
/* An ID of so many bytes that nothing has room for it. */
#define ID32	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID1024	ID256 ID256 ID256 ID256
#define ID256	ID32 ID32 ID32 ID32 ID32 ID32 ID32 ID32
#define IN_ANON "3:7f00 0:2010"
#define IN_VDSO "4:a00 0:2010"

static const struct crafted_case kinds[] = {
	{ "code_without_a_file_may_be_the_truths", IN_ANON, IMAGE("//anon", "") STACK(AT("0x99")),
	  "names 1" },
	{ "a_memfd", IN_ANON, IMAGE("/memfd:jit (deleted)", "") STACK(AT("0x99")), "names 1" },
	{ "a_device", IN_ANON, IMAGE("/dev/zero", "") STACK(AT("0x99")), "names 1" },
	{ "perf_s_map", IN_ANON, IMAGE("/tmp/perf-12.map", "") STACK(AT("0x99")), "names 1" },
	{ "shared_memory", IN_ANON, IMAGE("/SYSV00000000", "") STACK(AT("0x99")), "names 1" },
	{ "no_path", IN_ANON, IMAGE("[heap]", "") STACK(AT("0x99")), "names 1" },
	{ "a_file_that_the_truth_lacks", IN_ANON, IMAGE("/tmp/perf", "") STACK(AT("0x99")),
	  "leaf 1" },
	{ "the_truth_has_only_files", LEAF_OF_MAIN, IMAGE("//anon", "") STACK(AT("0x99")),
	  "leaf 1" },
	{ "and_the_vdso", IN_VDSO, IMAGE("//anon", "") STACK(AT("0x99")), "leaf 1" },
	{ "the_vdso_itself", IN_VDSO, IMAGE("[vdso]", "") STACK(AT("0xa00")) STACK(AT("0xa01")),
	  "truncated 1 leaf 1" },
	{ "the_vdso_in_folded_stacks", IN_VDSO, "main;[vdso] 1\nmain;[vdso+0xa00] 2\n", "names 3" },
	{ "another_build", LEAF_OF_MAIN, IMAGE("/x/prog", ",'build_id':'0109'") STACK(AT("0x2810")),
	  "truncated 1" },
	{ "another_build_of_the_vdso", IN_VDSO,
	  IMAGE("[vdso]", ",'build_id':'0103'") STACK(AT("0xa00")), "other_build 1" },
	{ "another_build_of_any_frame_s", IN_VDSO,
	  IMAGE("[vdso]", ",'build_id':'0103'") PROG_2 STACK(AT("0xa00") "," AT_2("0x2010")),
	  "other_build 1" },
	{ "its_own", IN_VDSO, IMAGE("/x/y", ",'build_id':'0102'") STACK(AT("0xa00")),
	  "truncated 1" },
	{ "a_build_id_that_is_none", IN_VDSO,
	  IMAGE("[vdso]", ",'build_id':'01020'") STACK(AT("0xa00"))
		  IMAGE("[vdso]", ",'build_id':'01x2'") STACK(AT("0xa00")) IMAGE("[vdso]", "")
			  STACK(AT("0xa00")),
	  "truncated 3" },
	{ "what_is_none_knows_no_image", IN_VDSO,
	  IMAGE("/x/y", ",'build_id':'01020'") STACK(AT("0xa00"))
		  IMAGE("/x/y", ",'build_id':'012x'") STACK(AT("0xa00"))
			  IMAGE("/x/y", ",'build_id':'0102" ID1024 "'") STACK(AT("0xa00")),
	  "leaf 3" },
	{ "an_image_alone_may_be_any_frame_of_it", LEAF_OF_MAIN "\n1:2010 0:2010",
	  IMAGE("/x/prog", "") STACK("{'image':1}") STACK(AT("0x2810") ",{'image':1}")
		  IMAGE("/x/lib.so", "") STACK("{'name':'leaf'},{'image':1}"),
	  "caller 1 names 2" },
	{ "a_name_in_its_image_alone", "0:2110 0:2010",
	  IMAGE("/x/prog", "") STACK(NAMED("f")) IMAGE("/x/lib.so", "") STACK(NAMED("f")),
	  "truncated 1 leaf 1" },
	{ "the_same_name_in_both", "0:2110 0:2010\n1:2310 0:2210",
	  IMAGE("/x/prog", "") STACK(NAMED("f") ",{'name':'main'}") IMAGE("/x/lib.so", "")
		  STACK(NAMED("f") ",{'name':'main'}") STACK("{'name':'f'}"),
	  "exact 1 truncated 1 caller 1" },
	{ "an_unknown_name_may_be_inlined_in_its_image_too", LEAF_OF_MAIN,
	  IMAGE("/x/prog", "") STACK(NAMED("nobody") ",{'name':'deep'}")
		  STACK("{'name':'leaf'}," NAMED("nobody") ",{'name':'f'}")
			  STACK("{'name':'leaf'},{'name':'f'}," NAMED("nobody")),
	  "caller 1 names 2" },
	{ "also_of_three_in_two_images", "0:2a10 0:2010\n0:3a10 0:2110\n1:4010 1:2010",
	  STACK("{'name':'twin'},{'name':'main'}") STACK("{'name':'twin'},{'name':'f'}")
		  STACK("{'name':'twin'},{'name':'g'}"),
	  "exact 3" },
	{ "a_name_is_any_of_its_functions", "0:2a10 0:2010\n0:3a10 0:2110",
	  STACK("{'name':'twin'},{'name':'main'}") STACK("{'name':'twin'},{'name':'f'}")
		  STACK("{'name':'twin'},{'name':'leaf'}"),
	  "exact 2 caller 1" },
};

START_TEST(images_of_all_kinds)
{
	check_crafted(&kinds[_i]);
}
END_TEST

SUITE(score_images, CRAFTED, LOOP(where_a_number_leads, addresses),
      LOOP(an_offset_beyond_its_name, beyonds), LOOP(images_of_all_kinds, kinds))
