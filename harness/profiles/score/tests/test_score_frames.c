/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_frames.c - frames that do not say all: their image, or which is the machine's; or whose they are
 *
 * The image is this program: its symbols and its DWARF are asked for. perf's text has frames that are
 * alike at one address (several calls, or inlined ones), and with -F ip,sym no images.
 */
#include "tests/suite.h"
#include "cfi/code_name.h"
#include "profiles/score/score_name.h"
#include "score_own.h"

/* perf's "(inlined)" says no image, also where it is the machine's own frame: any address of the
 * function is a leaf, not only the first. Where it never stood it proves nothing, whole or cut short. */
START_TEST(an_offset_without_its_image)
{
	char profile[256];
	uint64_t vaddr = own.main - 1, offset = own.main_offset - 1;

	own_image();
	for (uint32_t i = 0; i < 3; i++)
		truth_stack(&written, &(struct truth_stack) { .points = 1 },
			    (struct truth_frame[]) { { 0, vaddr + i }, { 0, 1 } }, 1 + _i);
	open_truth();
	for (uint32_t i = 0; i < 4; i++) {
		snprintf(profile, sizeof(profile),
			 "1 1.0: e: \n\t %" PRIx64 " other+0x1 (inlined)\n\n", offset + i);
		check_counts("an offset", profile,
			     i == 3 ? "leaf_pc 1"
			     : _i   ? "truncated 1"
				    : "exact 1");
	}
}
END_TEST

/* The kernel has one of that name, too. */
__attribute__((noinline, used)) static void handle_signal(void)
{
	asm volatile("nop");
}

/* Of frames alike at one address each may be the machine's, or be inlined there: one is, at place_of_two's;
 * none is at main's. The truth has so many of each. */
static const struct alike_case {
	const char *name;
	uint32_t inlined, alike; /* marked ones in front, and such as are not */
	uint32_t places, mains;
	const char *expected;
	uint32_t agree; /* of what is impossible */
	bool beyond;	/* one more frame, of place_of_two's, behind main's */
} alikes[] = {
	{ "one_inlined_and_marked", 1, 1, 1, 1, "exact 1", 0, false },
	{ "two_frames_of_the_machine_are_too_many", 0, 4, 1, 1, "caller 1", 3, false },
	{ "the_dwarf_says_that_one_is_inlined", 0, 2, 1, 1, "exact 1", 0, false },
	{ "without_inlined_ones_each_is_a_frame", 0, 3, 3, 1, "exact 1", 0, false },
	{ "so_it_is_where_the_dwarf_agrees_with_nothing", 0, 2, 2, 1, "exact 1", 0, false },
	{ "the_dwarf_first", 0, 6, 3, 1, "exact 1", 0, false },
	{ "a_number_that_nothing_explains", 0, 5, 1, 1, "names 1", 0, false },
	{ "alike_at_another_address_are_others", 0, 2, 1, 2, "exact 1", 0, false },
	{ "what_was_open_stays_so", 0, 5, 1, 2, "names 1", 0, false },
	{ "also_where_it_agreed", 0, 5, 5, 2, "names 1", 0, true },
	{ "what_was_not_open_is_impossible", 0, 2, 1, 2, "beyond 1", 4, true },
};

START_TEST(frames_alike)
{
	const struct alike_case *test = &alikes[_i];
	struct truth_frame frame[8];
	char profile[4096];
	uint32_t count = 0;
	FILE *file = fmemopen(profile, sizeof(profile), "w");

	own_image();
	for (; count < test->places + test->mains; count++)
		frame[count] = (struct truth_frame) { 0, count < test->places ? own.pc : own.main };
	truth_stack(&written, &(struct truth_stack) { .points = 1 }, frame, count);
	open_truth();
	for (int i = 0; i < 2; i++) { /* found, and known */
		ck_assert_uint_eq(score_truth_inlined_at(&truth, 0, own.pc), 1);
		ck_assert_uint_eq(score_truth_inlined_at(&truth, 0, own.function), 0);
		ck_assert_uint_eq(score_truth_inlined_at(&truth, 0, 1), UINT32_MAX);
	}
	ck_assert(score_truth_inlines(&truth, 0, "inlined_place"));
	ck_assert(!score_truth_inlines(&truth, 0, "place_of_two"));
	ck_assert(!score_truth_inlines(&truth, 0, "no_function_at_all"));
	fputs("1 1.0: e: \n", file);
	for (uint32_t i = 0; i < test->inlined; i++)
		fprintf(file, "\t %" PRIx64 " inlined_place (inlined)\n", own.offset);
	for (uint32_t i = 0; i < test->alike; i++)
		fprintf(file, "\t %" PRIx64 " place_of_two (%s)\n", own.offset, own.path);
	for (uint32_t i = 0; i < test->mains; i++)
		fprintf(file, "\t %" PRIx64 " main (%s)\n", own.main_offset, own.path);
	if (test->beyond)
		fprintf(file, "\t %" PRIx64 " place_of_two (%s)\n", own.offset, own.path);
	fputc('\n', file);
	fclose(file);
	check_counts(test->name, profile, test->expected);
	if (scored.findings)
		ck_assert_uint_eq(scored.finding[0].agree, test->agree);
}
END_TEST

/* perf script -F ip,sym: the address is an offset in whichever file, or the process's own. */
static const struct unsaid_case {
	const char *name;
	const char *function; /* of the leaf; NULL: none */
	enum { AT_OFFSET, AT_RUNTIME, AT_MAIN } address;
	bool named_offset;
	const char *expected;
} unsaid[] = {
	{ "name_and_offset", "place_of_two", AT_OFFSET, true, "exact 1" },
	{ "name_alone", "place_of_two", AT_OFFSET, false, "exact 1" },
	{ "another_name_of_the_symbol", "nobody", AT_OFFSET, true, "exact 1" },
	{ "an_address_of_the_process", "place_of_two", AT_RUNTIME, true, "exact 1" },
	{ "an_address_of_the_process_and_a_name", "place_of_two", AT_RUNTIME, false, "exact 1" },
	{ "an_address_of_the_process_and_nobody", "nobody", AT_RUNTIME, true, "names 1" },
	{ "an_offset_alone", NULL, AT_OFFSET, false, "exact 1" },
	{ "an_address_of_the_process_alone", NULL, AT_RUNTIME, false, "names 1" },
	{ "a_wrong_name_and_offset", "main", AT_MAIN, true, "leaf 1" },
	{ "a_wrong_name", "main", AT_MAIN, false, "leaf 1" },
	{ "a_wrong_offset_alone", NULL, AT_MAIN, false, "names 1" },
};

START_TEST(images_unsaid)
{
	const struct unsaid_case *test = &unsaid[_i];
	char profile[256], offset[32] = "";
	uint64_t address, behind;

	open_own("pc main");
	address = test->address == AT_OFFSET ? own.offset
		  : test->address == AT_MAIN ? own.main_offset + 1
					     : own.pc + own.bias;
	behind = test->address == AT_MAIN ? 2 : own.pc - own.function;
	if (test->named_offset)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, behind);
	snprintf(profile, sizeof(profile), "\n\t %" PRIx64 " %s%s\n\t %" PRIx64 " main+0x1\n\n",
		 address, test->function ? test->function : "[unknown]", offset, own.main_offset);
	check_counts(test->name, profile, test->expected);
}
END_TEST

/* A file whose build is another has no names, and says so: of the same size, shorter, longer or none. */
START_TEST(another_build_id)
{
	static const struct {
		int more;
		uint8_t change;
		bool other;
	} ids[] = { { 0, 0, false },
		    { 0, 1, true },
		    { -1, 0, true },
		    { 1, 0, true },
		    { -BUILD_ID_MAX, 0, false } };

	ck_assert_uint_gt(own.image->build_id_size, 1);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		uint8_t id[BUILD_ID_MAX + 1] = { 0 };
		int size = (int)own.image->build_id_size + ids[i].more;

		memcpy(id, own.image->build_id, own.image->build_id_size);
		id[own.image->build_id_size - 1] ^= ids[i].change;
		truth_bare_image(&written, TRUTH_IMAGE_FILE, own.path, id, size > 0 ? size : 0);
		open_truth();
		ck_assert_int_eq(truth.image[0].other_build, ids[i].other);
		ck_assert_int_eq(truth.image[0].is_unproven, size <= 0);
		ck_assert_int_eq(!truth.image[0].image, ids[i].other || size <= 0);
		truth_end();
	}
}
END_TEST

#define PROG_FILE "test_score_frames"
#define PROG	  "test_score_fram" /* as the kernel cuts it */

/* Folded stacks as they are written where a function's name is not known. %1: the leaf's address in its
 * file; %2: its function's begin, as no symbol says; %3: the same of main. */
static const struct unnamed_case {
	const char *name, *stack, *expected;
} unnamed[] = {
	{ "an_offset_in_a_file", "[" PROG_FILE "+0x%3$llx];[" PROG_FILE "+0x%1$llx]", "exact 1" },
	{ "a_caller_at_the_byte_before", "[" PROG_FILE "+0x%4$llx];[" PROG_FILE "+0x%1$llx]",
	  "exact 1" },
	{ "an_offset_of_another_function", "[" PROG_FILE "+0x%1$llx];[" PROG_FILE "+0x%3$llx]",
	  "leaf 1" },
	{ "a_caller_that_is_none", "[" PROG_FILE "+0x%2$llx];[" PROG_FILE "+0x%1$llx]",
	  "caller 1" },
	{ "an_image_alone", "[" PROG_FILE "];[" PROG_FILE "]", "names 1" },
	{ "the_process_s_address", "[" PROG_FILE " <7f00%3$llx>];[" PROG_FILE " <7f00%1$llx>]",
	  "names 1" },
	{ "the_fde", "main;fde@0x%2$llx[" PROG_FILE "]", "exact 1" },
	{ "another_fde", "main;fde@0x%4$llx[" PROG_FILE "]", "leaf 1" },
	{ "an_offset_in_no_code", "[" PROG_FILE "+0x10];[" PROG_FILE "+0x%1$llx]", "names 1" },
};

START_TEST(functions_without_a_name)
{
	char profile[256];

	open_own("pc main");
	snprintf(profile, sizeof(profile), unnamed[_i].stack, own.offset, own.function,
		 own.main_offset, own.main_offset - 1);
	strcat(profile, " 1\n");
	check_counts(unnamed[_i].name, profile, unnamed[_i].expected);
}
END_TEST

/* Two functions that only FDEs tell apart. */
asm(".pushsection .text\n"
    ".p2align 4\n"
    ".Ltwo_fdes: .cfi_startproc\n"
    ".skip 8, 0x90\n"
    ".cfi_endproc\n"
    ".cfi_startproc\n"
    ".skip 8, 0x90\n"
    ".cfi_endproc\n"
    ".popsection\n");

/* A call that a function ends with returns to the next one's first byte: the caller is the one before. */
START_TEST(an_fde_that_ends_with_a_call)
{
	char profile[128];
	uint64_t first;

	asm("lea .Ltwo_fdes(%%rip), %0" : "=r"(first));
	first -= own.bias;
	own_image();
	truth_stack(&written, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, own.pc }, { 0, first + 8 }, { 0, own.main } }, 3);
	open_truth();
	for (int i = 0; i < 2; i++) {
		snprintf(profile, sizeof(profile),
			 "main;fde@0x%" PRIx64 "[" PROG_FILE "];place_of_two 1\n", first + 8 * i);
		check_counts(i ? "the next one" : "its own", profile, i ? "names 1" : "exact 1");
	}
}
END_TEST

/* Behind _init and before the PLT, as ld orders sections: a local one is the last before the stubs. */
asm(".pushsection .init, \"ax\"\n"
    ".type before_stubs, @function\n"
    "before_stubs: nop\n"
    ".size before_stubs, 1\n"
    ".popsection\n");

/* A stub of the PLT has a name though no symbol says it, so that no other name may be meant for it. */
START_TEST(a_stub_is_named)
{
	struct code_name name = { .kind = CODE_SYMBOL };
	const struct image_symbol *symbol;
	size_t count;
	struct error error;
	char text[NAME_KEY_MAX], profile[NAME_KEY_MAX + 32];

	ck_assert_int_eq(code_name_prepare(own.image, &error), 0);
	for (size_t i = 0; i < own.image->segment_count && name.kind != CODE_STUB; i++) {
		const struct image_segment *segment = &own.image->segment[i];

		for (uint64_t at = 0;
		     segment->executable && at < segment->file_bytes && name.kind != CODE_STUB;
		     at += 8)
			code_name_find(own.image, NULL, segment->vaddr + at, &name);
	}
	ck_assert_int_eq(name.kind, CODE_STUB);
	code_name_print(&name, text, sizeof(text));
	own_image();
	truth_stack(&written, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, name.start }, { 0, own.main } }, 2);
	open_truth();
	ck_assert(!truth.image[0].is_stripped);
	snprintf(profile, sizeof(profile), "main;%s 1\n", text);
	check_counts(text, profile, "exact 1");
	check_counts(text, "main;place_of_two 1\n", "leaf 1");
	/* But who goes by where symbols begin has the one before, also a local one. */
	symbol = image_symbols(own.image, &count);
	while (count && symbol[count - 1].pc > name.start)
		count--;
	ck_assert_uint_gt(count, 0);
	snprintf(profile, sizeof(profile), "main;%s 1\n", symbol[count - 1].name);
	check_counts(text, profile, "names 1");
}
END_TEST

/* A lambda that is inlined has the name of the function around it, in the text of a tool that finds none. */
static const struct twice_case {
	const char *name, *stack, *expected;
} twice[] = {
	{ "once", "main;place_of_two 1\n", "exact 1" },
	{ "once_by_another_symbol", "main;also_of_two 1\n", "exact 1" },
	{ "twice_where_something_is_inlined", "main;place_of_two;place_of_two 1\n", "names 1" },
	{ "twice_where_nothing_is", "main;main;place_of_two 1\n", "beyond 1" },
	{ "another_s_between_them", "place_of_two;main;place_of_two 1\n", "beyond 1" },
};

START_TEST(a_name_twice)
{
	open_own("pc main");
	check_counts(twice[_i].name, twice[_i].stack, twice[_i].expected);
}
END_TEST

/* The first is global, the second is local: who has only .dynsym, or a stripped copy, sees no other than
 * the first, and calls what is in the second by its name. */
asm(".pushsection .text\n"
    ".p2align 4\n"
    ".globl seen_before, seen_before.isra.0\n" /* one name for both */
    ".type seen_before, @function\n"
    ".type seen_before.isra.0, @function\n"
    "seen_before.isra.0:\n"
    "seen_before: .skip 8, 0x90\n"
    ".size seen_before, 8\n"
    ".size seen_before.isra.0, 8\n"
    ".p2align 4\n"
    ".type unseen, @function\n"
    "unseen: .skip 8, 0x90\n"
    ".size unseen, 8\n"
    ".popsection\n");

/* place_of_two was called from unseen + 4, that from main; and unseen was at its byte 2. */
static const struct nearest_case {
	const char *name, *stack, *expected;
} nearest[] = {
	{ "its_own_name", "main;unseen;place_of_two 1\n", "exact 1" },
	{ "an_offset_beyond_is_an_address", "main;seen_before+0x14;place_of_two 1\n", "exact 1" },
	{ "a_decimal_one", "@[\n    place_of_two+1\n    seen_before+20\n    main+1\n]: 1\n",
	  "exact 1" },
	{ "the_byte_before", "main;seen_before+0x13;place_of_two 1\n", "exact 1" },
	{ "with_its_image", "main;seen_before+0x14 [" PROG_FILE "];place_of_two 1\n", "exact 1" },
	{ "another_address_proves_nothing", "main;seen_before+0x15;place_of_two 1\n", "names 1" },
	{ "with_its_image_neither", "main;seen_before+0x15 [" PROG_FILE "];place_of_two 1\n",
	  "names 1" },
	{ "beyond_the_local_one_neither", "main;unseen+0x14;place_of_two 1\n", "names 1" },
	{ "far_beyond", "main;seen_before+0x10000000;place_of_two 1\n", "names 1" },
	{ "the_name_alone", "main;seen_before;place_of_two 1\n", "names 1" },
	{ "an_offset_inside", "main;seen_before+0x4;place_of_two 1\n", "caller 1" },
	{ "an_offset_in_another_image", "main;seen_before+0x14 [/x.so];place_of_two 1\n",
	  "caller 1" },
	{ "a_leaf", "main;seen_before+0x12 1\n", "exact 1" },
	{ "a_leaf_elsewhere", "main;seen_before+0x13 1\n", "leaf_pc 1" },
	{ "a_leaf_by_the_name_alone", "main;seen_before 1\n", "names 1" },
	{ "a_leaf_inside", "main;seen_before+0x2 1\n", "leaf 1" },
	{ "a_frame_left_out", "main;place_of_two 1\n", "caller 1" },
	{ "a_frame_left_out_behind_it", "seen_before;seen_before+0x14;place_of_two 1\n",
	  "caller 1" },
	{ "a_frame_too_many", "main;seen_before;unseen;place_of_two 1\n", "caller 1" },
	{ "a_global_one_is_not_the_one_before", "seen_before;unseen;place_of_two 1\n", "caller 1" },
};

START_TEST(the_nearest_exported_symbol)
{
	ck_assert_uint_eq(image_symbol_address(own.image, "unseen"),
			  image_symbol_address(own.image, "seen_before") + 16);
	open_own("pc unseen+4 main\nunseen+2 main");
	check_counts(nearest[_i].name, nearest[_i].stack, nearest[_i].expected);
}
END_TEST

/* Who was interrupted at a function's first byte is in that function, and not in the one before. */
START_TEST(the_first_byte_of_a_function_is_its_own)
{
	own_image();
	truth_stack(&written, &(struct truth_stack) { .points = 1, .interrupts = 1 },
		    (struct truth_frame[]) { { 0, own.main }, { 0, own.function } }, 2);
	open_truth();
	check_counts("interrupted", "place_of_two;main 1\n", "exact 1");
}
END_TEST

/* What the file at an image's path calls its functions says nothing if it is of another build. */
START_TEST(names_of_another_build_are_none)
{
	truth_image(&written, TRUTH_IMAGE_FILE, own.path, "\x01\x02", 2);
	own_stacks("pc main");
	open_truth();
	check_counts("right by its names", "main;place_of_two 1\n", "names 1");
	check_counts("wrong by its names", "place_of_two;main 1\n", "names 1");
}
END_TEST

/* What the other formats say of two frames: the caller's name, the leaf's, the image; the leaf's address, the caller's. */
static const char *const formats[] = {
	"@[\n    %2$s+1\n    %1$s+1\n]: 1\n",
	"{'shared':{'frames':[{'name':'%1$s'},{'name':'%2$s'}]},'profiles':[{'type':'sampled','"
	"samples':[[0,1]]}]}",
	/* By addresses, which are behind the image's first segment. */
	"{'meta':{'preprocessedProfileVersion':56},'libs':[{'path':'%3$s'}],'shared':{'stringArray'"
	":['0x1']},'threads':[{'samples':{'stack':[1]},'stackTable':{'frame':[1,0],'prefix':[null,"
	"0]},'frameTable':{'address':[%4$llu,%5$llu],'func':[0,0]},'funcTable':{'name':[0],'"
	"resource':[0]},'resourceTable':{'lib':[0]}}]}",
};

/* A right stack, and a wrong one. */
START_TEST(frames_of_other_formats)
{
	static const char *const name[] = { "main", "place_of_two" };
	const uint64_t base = own.image->segment[0].vaddr,
		       address[] = { own.main - base - 1, own.pc - base };
	const int caller = _i % 2, leaf = !caller;
	char profile[8192];

	truth_text(&written, "program", own.path);
	open_own("pc main");
	snprintf(profile, sizeof(profile), formats[_i / 2], name[caller], name[leaf], own.path,
		 address[leaf], address[caller]);
	check_counts("a format", profile, caller ? "leaf 1" : "exact 1");
}
END_TEST

/* Folded stacks begin with a thread's name, which may be another process's. The program is PROG. */
static const struct folded_case {
	const char *name, *folded;
	uint64_t children;
	const char *expected;
	const char *others; /* names that are not the program's, with their counts */
} folded[] = {
	{ "no_name", "main;place_of_two 1\nplace_of_two;main 2\n", 0, "exact 1 beyond 2", "" },
	{ "the_programs", PROG ";main;place_of_two 1\n" PROG ";place_of_two;main 2\n", 0,
	  "exact 1 beyond 2", "" },
	{ "a_threads_that_the_truth_saw", PROG ";main;place_of_two 1\nworker;place_of_two;main 2\n",
	  0, "exact 1 beyond 2", "" },
	{ "a_threads_in_front", "worker;place_of_two;main 2\n" PROG ";main;place_of_two 1\n", 0,
	  "exact 1 beyond 2", "" },
	{ "another_threads_that_the_truth_saw",
	  PROG ";main;place_of_two 1\nsecond;place_of_two;main 2\n", 0, "exact 1 beyond 2", "" },
	{ "the_programs_whole_name",
	  PROG_FILE ";place_of_two;main 2\n" PROG ";main;place_of_two 1\n", 0, "exact 1 beyond 2",
	  "" },
	{ "a_strange_function_before_one_that_is_not_outermost",
	  "nobody;place_of_two;main 2\nmain;place_of_two 1\n", 0, "exact 1 beyond 2", "" },
	{ "a_number_behind_a_strange_name_is_not_the_programs",
	  "ls-14;main [" PROG_FILE "];place_of_two+0x1 [" PROG_FILE
	  "] 1\nls-14;place_of_two;main 2\n",
	  0, "exact 1 process 2", "2 ls-14" },
	{ "a_strange_one_is_open", PROG ";main;place_of_two 1\nls;place_of_two;main 2\n", 0,
	  "exact 1 process 2", "2 ls" },
	{ "a_strange_function_is_anothers",
	  PROG ";main;place_of_two 1\nls;nobody;place_of_two;main 2\n", 0,
	  "exact 1 other_process 2", "2 ls" },
	{ "a_strange_one_with_the_programs_functions",
	  PROG ";main;place_of_two 1\nls;main;place_of_two 2\nsh;main 3\n", 0, "exact 3 process 3",
	  "3 sh" },
	{ "a_strange_one_in_front", "ls;main;place_of_two 2\nsh;place_of_two;main 3\ncp;main 4\n",
	  0, "exact 2 process 7", "4 cp, 3 sh" },
	{ "behind_bcc_s_delimiter_is_the_kernel",
	  PROG ";main;place_of_two;-;main;vfs_read 1\n" PROG ";main;place_of_two;--;ksys_read 2\n",
	  0, "exact 3", "" },
	{ "an_image_before_or_behind_a_name",
	  PROG "!main;" PROG "`place_of_two+0x1 1\nmain [" PROG "];place_of_two+0x1 [" PROG "] 2\n",
	  0, "exact 3", "" },
	{ "an_image_that_is_no_file_leaves_the_name",
	  "prog!main;prog-1.2!place_of_two 1\nprog!place_of_two;prog!main 2\n", 0,
	  "exact 1 beyond 2", "" },
	{ "processes_behind_names",
	  PROG
	  "-12;main;place_of_two 1\nworker-12;place_of_two;main 2\nworker-?;main;place_of_two 4\n",
	  0, "exact 5 beyond 2", "" },
	{ "threads_behind_names",
	  "worker-12/13;place_of_two;main 2\n" PROG "-12/12;main;place_of_two 1\n"
	  "worker-?/14;main;place_of_two 4\nrenamed-12/15;place_of_two;main 8\n",
	  0, "exact 5 beyond 10", "" },
	{ "no_process_behind_a_name_of_the_programs",
	  PROG ";main;place_of_two 1\nworker-?;place_of_two;main 2\n", 0, "exact 1 beyond 2", "" },
	{ "another_process_behind_a_strange_name",
	  PROG "-12;main;place_of_two 1\nls-14;place_of_two;main 2\nls-?;place_of_two;main 4\n", 0,
	  "exact 1 process 4 other_process 2", "4 ls-?, 2 ls-14" },
	{ "what_is_no_process_behind_a_name",
	  PROG ";main;place_of_two 1\nls-14;place_of_two;main 2\nworker-1x;place_of_two;main 4\n"
	       "worker-;place_of_two;main 8\nworker-1/;place_of_two;main 16\n"
	       "-1;place_of_two;main 32\nworker-4294967296;place_of_two;main 64\n",
	  0, "exact 1 process 126",
	  "64 worker-4294967296, 32 -1, 16 worker-1/, 8 worker-, 4 worker-1x, 2 ls-14" },
	{ "a_childs_number_may_be_the_first",
	  PROG "-12;place_of_two;main 2\n" PROG "-13;main;place_of_two 1\n", 1, "exact 1 process 2",
	  "" },
	{ "what_the_kernel_exchanges_registers_for_is_open",
	  "place_of_two;main 1\nplace_of_two;main;restore_sigcontext_[k] 2\n"
	  "place_of_two;main;do_signal_[k];handle_signal_[k];vfs_read_[k] 4\n"
	  "place_of_two;main;vfs_read_[k] 8\n",
	  0, "beyond 9 exchange 6", "" },
	{ "a_function_of_the_programs_own_exchanges_none",
	  "main;handle_signal 1\nhandle_signal;main 2\n", 0, "leaf 1 beyond 2", "" },
	{ "fractions", "main;place_of_two 0.5\nplace_of_two;main 1.25\n", 0,
	  "exact 500 beyond 1250", "" },
	{ "a_child_has_its_parents_name",
	  PROG ";main;place_of_two 1\n" PROG ";place_of_two;main 2\n", 1, "exact 1 process 2", "" },
};

START_TEST(folded_names)
{
	truth_text(&written, "program", own.path);
	truth_fields("thread_name='worker thread_name='second");
	truth_number(&written, "children", folded[_i].children);
	open_own("pc main\nmain");
	check_counts(folded[_i].name, folded[_i].folded, folded[_i].expected);
	check_other_names(folded[_i].name, folded[_i].others);
}
END_TEST

SUITE(score_frames, FIXTURE(own_begin, own_end), TEST(another_build_id),
      TIMES(an_offset_without_its_image, 2), LOOP(frames_alike, alikes),
      LOOP(images_unsaid, unsaid), LOOP(functions_without_a_name, unnamed),
      LOOP(a_name_twice, twice), LOOP(the_nearest_exported_symbol, nearest),
      TEST(the_first_byte_of_a_function_is_its_own), TEST(an_fde_that_ends_with_a_call),
      TEST(a_stub_is_named), TEST(names_of_another_build_are_none),
      TIMES(frames_of_other_formats, 6), LOOP(folded_names, folded))
