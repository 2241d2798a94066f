/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_folded.c - folded stacks, our own NDJSON, and files that are compressed
 */
#include <zlib.h>
#include "tests/suite.h"
#include "profile_fixture.h"

static const struct profile_case cases[] = {
	{ "outermost_first", "main;work;leaf 12\nmain 1\n",
	  "x 12: leaf, work, main\nx 1: main\nfolded 2 of 13\n" },
	{ "names_with_blanks", "bash;operator new(unsigned long);a::f(int, char) 3\n",
	  "x 3: a::f(int, char), operator new(unsigned long), bash\nfolded 1 of 3\n" },
	{ "a_byte_order_mark", "\357\273\277main;leaf 12\n", "x 12: leaf, main\nfolded 1 of 12\n" },
	{ "only_a_byte_order_mark_at_the_start", "main 1\n\357\273\277main 2\n",
	  "x 1: main\nx 2: \357\273\277main\nfolded 2 of 3\n" },
	{ "names_with_tabs", "my\tprog;operator\tnew\t3\nmain;a b\t 4\nmain\t 0.5x\n",
	  "x 3: operator\tnew, my\tprog\nx 4: a b, main\n"
	  "lost bad_count 1\nline 3: no count at the line's end\nfolded 2 of 7\n" },
	{ "suffixes", "a;b_[i];c_[j];d_[w];e_[k] 1\n", "x 1: e k, d, c, b i, a\nfolded 1 of 1\n" },
	{ "what_is_no_suffix", "a_[x];_[k];b[k];c_[k]d;ef_(k];gh[k];ij_[k) 1\n",
	  "x 1: ij_[k), gh[k], ef_(k], c_[k]d, b[k], _[k], a_[x]\nfolded 1 of 1\n" },
	{ "unknown_frames", "[unknown];[libc.so.6];;[[vdso]];[[unknown]] 1\n",
	  "x 1: ?, ? ([vdso]), ?, ? (libc.so.6), ?\nfolded 1 of 1\n" },
	{ "an_image_s_address_in_its_brackets",
	  "[libc.so.6+0x2724a];[a+b];[a+0x];[a <7f1e2>];[kernel.kallsyms+0x1] 1\n",
	  "x 1: ? (kernel.kallsyms) f0x1 k, ? (a) r0x7f1e2, ? (a+0x), ? (a+b), ? (libc.so.6) "
	  "f0x2724a\nfolded 1 of 1\n" },
	{ "addresses_and_offsets", "0x401000;main+0x1f;+0x2;a+b;0xffffffff81000130 1\n",
	  "x 1: ? r0xffffffff81000130 k, a+b, +0x2, main+0x1f, ? r0x401000\nfolded 1 of 1\n" },
	{ "the_kernels_entries",
	  "main;read;entry_SYSCALL_64_after_hwframe;do_syscall_64 1\n"
	  "main;asm_exc_page_fault 1\nmain;[kernel.kallsyms] 1\n",
	  "x 1: do_syscall_64 k, entry_SYSCALL_64_after_hwframe k, read, main\n"
	  "x 1: asm_exc_page_fault k, main\nx 1: ? (kernel.kallsyms) k, main\nfolded 3 of 3\n" },
	{ "comments_and_empty_lines", "# a b 1\n\n  \nmain 1\r\n", "x 1: main\nfolded 1 of 1\n" },
	{ "no_count",
	  "main;leaf 1\nmain;leaf\nmain;leaf 1.5x\nmain;leaf 18446744073709551616\n"
	  "main 2\nmain 3\n",
	  "x 1: leaf, main\nx 2: main\nx 3: main\nlost bad_count 3\n"
	  "line 2: no count at the line's end\nline 3: no count at the line's end\n"
	  "line 4: no count at the line's end\nfolded 3 of 6\n" },
	{ "fractions_are_counted_in_thousandths", "a 1.5\nb 2\nc 0.0004\nd 0.0\ne 3.9996\nf .5\n",
	  "x 1500: a\nx 2000: b\nx 1: c\nx 4000: e\nlost bad_count 1\nlost zero_count 1\n"
	  "line 4: a count of 0\nline 6: no count at the line's end\n"
	  "in parts of 1000\nfolded 4 of 7501\n" },
	{ "a_whole_number_is_no_fraction", "a 2.0\nb 12.000\n",
	  "x 2: a\nx 12: b\nfolded 2 of 14\n" },
	{ "a_fraction_that_is_too_large", "a 0.5\nb 18446744073709552.5\nc 9223372036854775.807\n",
	  "x 500: a\n"
	  "error text_syntax: the samples' counts add up to more than 9223372036854775807\n"
	  "lost bad_count 1\nline 2: no count at the line's end\nin parts of 1000\n"
	  "folded 1 of 500\n" },
	/* bcc */
	{ "bcc_delimits_the_kernel",
	  "p;main;read;-;entry_SYSCALL_64_after_hwframe;ksys_read 7\n"
	  "p;main;--;ksys_read;vfs_read 2\np;main;read;-;__x64_sys_read 1\n"
	  "p;-;do_idle 1\np;main;- 1\n",
	  "x 7: ksys_read k, entry_SYSCALL_64_after_hwframe k, read, main, p\n"
	  "x 2: vfs_read k, ksys_read k, main, p\nx 1: __x64_sys_read k, read, main, p\n"
	  "x 1: do_idle k, p\nx 1: main, p\nfolded 5 of 12\n" },
	{ "who_woke_it_is_another_thread",
	  "sleeper;main;nanosleep;-;schedule;--;try_to_wake_up;-;write;main;waker 9\n",
	  "x 9: waker k, main k, write k, try_to_wake_up k, schedule k, nanosleep, main, "
	  "sleeper\nfolded 1 of 9\n" },
	{ "stacks_that_bcc_missed",
	  "p;[Missed User Stack];-;schedule 1\np;main;-;[Missed Kernel Stack] 2\n",
	  "x 1: schedule k, p\nx 2: ? k, main, p\nfolded 2 of 3\n" },
	{ "images_behind_names",
	  "main+0x1a [p];read+0x10 [libc.so.6];[unknown] [libc.so.6];ksys_read+0x67 [kernel] 1\n",
	  "x 1: ksys_read+0x67 (kernel) k, ? (libc.so.6), read+0x10 (libc.so.6), main+0x1a "
	  "(p)\nfolded 1 of 1\n" },
	{ "what_is_no_image_behind_a_name",
	  "f(int) [clone .cold];operator new [];g[abi:cxx11];operator[] 1\n",
	  "x 1: operator[], g[abi:cxx11], operator new [], f(int) [clone .cold]\nfolded 1 of 1\n" },
	{ "images_before_names",
	  "p!main;/usr/lib/"
	  "libc.so.6!read+0x10;libc.so.1`write+0x7;libc.so.6!0x1234;[kernel.kallsyms]!ksys_read;"
	  "vmlinux`vfs_read 1\n",
	  "x 1: vfs_read (vmlinux) k, ksys_read ([kernel.kallsyms]) k, ? (libc.so.6), write+0x7 "
	  "(libc.so.1), read+0x10 (/usr/lib/libc.so.6), main (p)\nfolded 1 of 1\n" },
	{ "what_is_no_image_before_a_name",
	  "a::operator!=(a const&);operator!;operator!=;`anonymous "
	  "namespace'::f;!x;x!;f<a!b>;operator!(a) 1\n",
	  "x 1: operator!(a), f<a!b>, x!, !x, `anonymous namespace'::f, operator!=, operator!, "
	  "a::operator!=(a const&)\nfolded 1 of 1\n" },
	{ "offsets_in_an_image", "[p+0x1179];[libc.so.6+0x2724a];[libc.so.6+0x];[libc++.so.1] 1\n",
	  "x 1: ? (libc++.so.1), ? (libc.so.6+0x), ? (libc.so.6) f0x2724a, ? (p) f0x1179\nfolded 1 "
	  "of 1\n" },
	{ "the_kernels_entries_without_a_mark",
	  "main;read;__x64_sys_read;ksys_read 1\nmain;f;apic_timer_interrupt;irq_exit 1\n"
	  "main;x64_sys_call;sysvec 1\n",
	  "x 1: ksys_read k, __x64_sys_read k, read, main\n"
	  "x 1: irq_exit k, apic_timer_interrupt k, f, main\n"
	  "x 1: sysvec k, x64_sys_call k, main\nfolded 3 of 3\n" },
	{ "the_kernels_entries_of_arm64", "main;el0t_64_sync;el0t_64_sync_handler;el0_svc 1\n",
	  "x 1: el0_svc k, el0t_64_sync_handler k, el0t_64_sync k, main\nfolded 1 of 1\n" },
	{ "the_largest_count", "a 9223372036854775806\na 1\n",
	  "x 9223372036854775806: a\nx 1: a\nfolded 2 of 9223372036854775807\n" },
	{ "counts_that_add_up_to_too_much", "a 9223372036854775806\nb 2\nc 1\n",
	  "x 9223372036854775806: a\n"
	  "error text_syntax: the samples' counts add up to more than 9223372036854775807\n"
	  "folded 1 of 9223372036854775806\n" },
	{ "a_count_that_is_too_large_alone", "a 9223372036854775808\n",
	  "error text_syntax: the samples' counts add up to more than 9223372036854775807\n"
	  "folded 0 of 0\n" },
	{ "a_count_of_0", "a 1\nb 0\nc 2\n",
	  "x 1: a\nx 2: c\nlost zero_count 1\nline 2: a count of 0\nfolded 2 of 3\n" },
	{ "cut_off", "main;leaf 12\nmain;leaf 1",
	  "x 12: leaf, main\nlost cut_off 1\nline 2: the file ends in this line\n"
	  "folded 1 of 12\n" },
	/* NDJSON */
	{ "stacks",
	  "{'type':'profile_image','image':1,'path':'/bin/a','build_id':'5c9a'}\n"
	  "{'type':'profile_stack','count':3,'pid':7,'tid':8,'comm':'a "
	  "b','event':'cpu','frames':[{'image':1,'vaddr':'0x31770','name':'f'},{'address':'0x99','"
	  "inlined':true},{'name':'g','kernel':true},{}]}\n",
	  "7/8 'a b' cpu x 3: f (/bin/a 5c9a) v0x31770, ? r0x99 i, g k, ?\nstacks 1 of 3\n" },
	{ "other_objects_are_passed_over",
	  "{'type':'sample_score'}\n[]\n\n{'type':'profile_stack','count':1,'frames':[]}\n",
	  "x 1:\nstacks 1 of 1\n" },
	{ "an_image_again",
	  "{'type':'profile_image','image':2,'path':'/a'}\n"
	  "{'type':'profile_stack','count':1,'frames':[{'image':2}]}\n"
	  "{'type':'profile_image','image':2,'path':'/b'}\n"
	  "{'type':'profile_stack','count':1,'frames':[{'image':2},{'image':1}]}\n",
	  "x 1: ? (/a)\nx 1: ? (/b), ?\nstacks 2 of 2\n" },
	{ "an_image_that_is_not_there",
	  "{'type':'profile_stack','count':1,'frames':[{},{'image':1}]}\n",
	  "lost bad_frame 1\nline 1: frame 1 can't be read\nstacks 0 of 0\n" },
	{ "an_image_number_that_is_none",
	  "{'type':'profile_image','image':65537,'path':'/a'}\n"
	  "{'type':'profile_image','path':'/a'}\n",
	  "lost bad_reference 2\nline 1: an image without a number, or above 65536\n"
	  "line 2: an image without a number, or above 65536\nstacks 0 of 0\n" },
	{ "no_address", "{'type':'profile_stack','count':1,'frames':[{'vaddr':'0x12g'}]}\n",
	  "lost bad_frame 1\nline 1: frame 0 can't be read\nstacks 0 of 0\n" },
	{ "no_count_and_no_frames",
	  "{'type':'profile_stack','frames':[]}\n{'type':'profile_stack','count':1}\n"
	  "{'type':'profile_stack','count':-1,'frames':[]}\n",
	  "lost bad_frame 1\nlost bad_count 2\nline 1: a stack without a count, or without frames\n"
	  "line 2: a stack without a count, or without frames\n"
	  "line 3: a stack without a count, or without frames\nstacks 0 of 0\n" },
	{ "no_json", "{'type':'profile_image','image':1}\n{'type':\n{'type':",
	  "lost bad_head 1\nlost cut_off 1\n"
	  "line 2: no JSON object: unexpected token near end of file\n"
	  "line 3: no JSON object: unexpected token near end of file\nstacks 0 of 0\n" },
};

/* What of a line is a suffix, an image, an offset, an address or a number, and what just is not. */
static const struct profile_case borders[] = {
	{ "the_shortest_name_with_a_suffix", "a_[k] 1\n", "x 1: a k\nfolded 1 of 1\n" },
	{ "an_empty_frame_at_either_end", ";a 1\nb; 1\n; 1\n",
	  "x 1: a, ?\nx 1: ?, b\nx 1: ?, ?\nfolded 3 of 3\n" },
	{ "brackets_without_a_name", "[];[a];[b;c] 1\n",
	  "x 1: c], [b, ? (a), []\nfolded 1 of 1\n" },
	{ "our_names_of_code_without_a_symbol",
	  "fde@0x1230[libc.so.6];gap@0x10[ld.so];.plt[a[b] 1\n",
	  "x 1: .plt[a (b), gap@0x10 (ld.so), fde@0x1230 (libc.so.6)\nfolded 1 of 1\n" },
	{ "what_is_none_of_these", "f[a];fde@0x1;fde@0x2[a;gap@0x3];fde@[a];gap@4[a] 1\n",
	  "x 1: gap@4[a], fde@[a], gap@0x3], fde@0x2[a, fde@0x1, f[a]\nfolded 1 of 1\n" },
	{ "offsets_are_numbers", "a+0x01f;b+0x01g;+0x01;c+0x;d+1;e+0x2+0x03 1\n",
	  "x 1: e+0x2+0x3, d+1, c+0x, +0x01, b+0x01g, a+0x1f\nfolded 1 of 1\n" },
	{ "a_frame_that_comes_again", "0x01;0x1;b;c;b 1\n",
	  "x 1: b, c, b, ? r0x1, ? r0x1\nfolded 1 of 1\n" },
	{ "addresses_are_numbers",
	  "0x;0x01g;0x7fffffffffffffff;0x8000000000000000;0x10000000000000000 1\n",
	  "x 1: 0x10000000000000000 k, ? r0x8000000000000000 k, ? r0x7fffffffffffffff, 0x01g, "
	  "0x\nfolded 1 of 1\n" },
	{ "the_highest_image_number",
	  "{'type':'profile_image','image':65536,'path':'/a'}\n"
	  "{'type':'profile_stack','count':1,'frames':[{'image':65536}]}\n",
	  "x 1: ? (/a)\nstacks 1 of 1\n" },
	{ "an_image_above_those_that_are_there",
	  "{'type':'profile_image','image':1,'path':'/a'}\n"
	  "{'type':'profile_stack','count':1,'frames':[{'image':2}]}\n",
	  "lost bad_frame 1\nline 2: frame 0 can't be read\nstacks 0 of 0\n" },
	{ "numbers_of_processes",
	  "{'type':'profile_stack','count':1,'pid':0,'tid':1,'frames':[]}\n"
	  "{'type':'profile_stack','count':1,'pid':2147483647,'tid':-5,'frames':[]}\n"
	  "{'type':'profile_stack','count':1,'pid':2147483648,'tid':4294967297,'frames':[]}\n"
	  "{'type':'profile_stack','count':1,'pid':'7','tid':7.5,'frames':[]}\n",
	  "0/1 x 1:\n2147483647/-1 x 1:\nx 1:\nx 1:\nstacks 4 of 4\n" },
	{ "the_kernel_s_addresses",
	  "{'type':'profile_stack','count':1,'frames':[{'address':'0x7fffffffffffffff'},{'address':"
	  "'0x8000000000000000'},{'kernel':false},{'inlined':false}]}\n",
	  "x 1: ? r0x7fffffffffffffff, ? r0x8000000000000000 k, ?, ?\nstacks 1 of 1\n" },
};

START_TEST(lines)
{
	check_profile_case(&cases[_i]);
}
END_TEST

START_TEST(borders_of_lines)
{
	check_profile_case(&borders[_i]);
}
END_TEST

START_TEST(hostile_lines)
{
	check_case_hostile(&cases[_i], *cases[_i].input == '{' ? PROFILE_STACKS : PROFILE_FOLDED);
}
END_TEST

/* ---- compressed ------------------------------------------------------------------------------ */

static size_t compress_text(const char *text, char *ret, size_t size)
{
	char path[64];
	int file = profile_file("", 0, path);
	gzFile zipped = gzopen(path, "wb");
	ssize_t count;

	ck_assert_int_eq(gzwrite(zipped, text, strlen(text)), strlen(text));
	ck_assert_int_eq(gzclose(zipped), Z_OK);
	count = pread(file, ret, size, 0);
	ck_assert_int_gt(count, 0);
	close(file);
	return count;
}

START_TEST(compressed)
{
	char bytes[4096];
	size_t size = compress_text(cases[0].input, bytes, sizeof(bytes));

	check_profile_text("compressed", profile_bytes_text(bytes, size, PROFILE_ANY),
			   cases[0].expected);
	for (size_t cut = 10; cut < size; cut++) {
		char *text = profile_bytes_text(bytes, cut, PROFILE_FOLDED);

		ck_assert_msg(
			strstr(text,
			       "error text_syntax: the compressed data are damaged or cut off"),
			"%zu bytes: %s", cut, text);
		free(text);
	}
	check_profile_hostile(bytes, size, PROFILE_ANY);
}
END_TEST

/* ---- long lines ------------------------------------------------------------------------------ */

/* A line of size bytes, and one behind it. */
static char *long_line(size_t size)
{
	char *input = malloc(size + 16), *text;

	memset(input, 'a', size);
	memcpy(input + size - 2, " 7\nb 1\n", 8);
	text = profile_bytes_text(input, size + 5, PROFILE_FOLDED);
	free(input);
	return text;
}

START_TEST(long_lines)
{
	static const size_t too_many[] = { 1, 2, 300 << 10, 1 << 20 };
	char *text = long_line(PROFILE_LINE_MAX);

	ck_assert_ptr_nonnull(strstr(text, "a\nx 1: b\nfolded 2 of 8\n"));
	free(text);
	for (size_t i = 0; i < sizeof(too_many) / sizeof(too_many[0]); i++)
		check_profile_text("too long", long_line(PROFILE_LINE_MAX + too_many[i]),
				   "x 1: b\nlost too_long 1\n"
				   "line 1: a line of more than 16777216 bytes\nfolded 1 of 1\n");
}
END_TEST

START_TEST(too_many_frames)
{
	check_most_frames(&(struct most_frames) {
		"", "a", ";", " 1\nb 1\n", ", a\nx 1: b\nfolded 2 of 2\n",
		"x 1: b\nlost too_deep 1\nline 1: more than 65536 frames\nfolded 1 of 1\n" });
}
END_TEST

START_TEST(a_stack_s_most_frames)
{
	check_most_frames(&(struct most_frames) {
		"{'type':'profile_stack','count':1,'frames':[", "{}", ",",
		"]}\n{'type':'profile_stack','count':2,'frames':[]}\n",
		", ?\nx 2:\nstacks 2 of 3\n",
		"x 2:\nlost too_deep 1\nline 1: more than 65536 frames\nstacks 1 of 2\n" });
}
END_TEST

START_TEST(a_stack_s_long_line)
{
	static const char good[] = "\n{\"type\":\"profile_stack\",\"count\":2,\"frames\":[]}\n";
	char *input = malloc(PROFILE_LINE_MAX + 1 + sizeof(good));

	memset(input, ' ', PROFILE_LINE_MAX + 1);
	memcpy(input + PROFILE_LINE_MAX + 1, good, sizeof(good));
	check_profile_text(
		"too long",
		profile_bytes_text(input, PROFILE_LINE_MAX + sizeof(good), PROFILE_STACKS),
		"x 2:\nlost too_long 1\nline 1: a line of more than 16777216 bytes\nstacks 1 of "
		"2\n");
	free(input);
}
END_TEST

START_TEST(names_end_at_a_nul)
{
	static const char input[] = "ma\0_[k];b\0+0x1;c\0;\0d 1\n";

	check_profile_text("NUL", profile_bytes_text(input, sizeof(input) - 1, PROFILE_FOLDED),
			   "x 1: ?, c, b, ma\nfolded 1 of 1\n");
}
END_TEST

/* ---- who is told samples, and says enough ----------------------------------------------------- */

static const struct {
	const char *name, *input; /* of three samples */
} enough_cases[] = {
	{ "folded", "a 1\nb 1\nc 1\n" },
	{ "perf_script", "a 1/1 1.0: b: \n\t 1 f (/a)\n\na 1/1 1.0: b: \n\t 2 f (/a)\n\n"
			 "a 1/1 1.0: b: \n\t 3 f (/a)\n\n" },
	{ "perf_script_a_head_ends_it",
	  "a 1/1 1.0: b: \n\t 1 f (/a)\na 1/1 1.0: b: \n\t 2 f (/a)\na 1/1 1.0: b: \n\n\n" },
	{ "perf_script_without_callchains",
	  "a 1/1 1.0: b:  1 f (/a)\na 1/1 1.0: b:  2 f (/a)\na 1/1 1.0: b:  3 f (/a)\n" },
	{ "stacks", "{'type':'profile_stack','count':1,'frames':[]}\n"
		    "{'type':'profile_stack','count':1,'frames':[]}\n"
		    "{'type':'profile_stack','count':1,'frames':[]}\n" },
};

static int enough_at_two(void *context, const struct profile *profile,
			 const struct profile_sample *sample, struct error *error)
{
	return ++*(int *)context == 2 ? error_set(error, ERROR_TEXT_SYNTAX, "", 7, "enough") : 0;
}

START_TEST(reading_ends_when_told)
{
	char *input = input_of_case(enough_cases[_i].input);
	struct profile profile;
	struct error error;
	char path[64];
	int count = 0, file = profile_file(input, strlen(input), path);

	profile_init(&profile);
	ck_assert_int_eq(profile_read(&profile, path, PROFILE_ANY, enough_at_two, &count, &error),
			 -1);
	ck_assert_str_eq(error.message, "enough");
	ck_assert_uint_eq(error.offset, 7);
	ck_assert_int_eq(count, 2);
	profile_deinit(&profile);
	close(file);
	free(input);
}
END_TEST

START_TEST(no_such_file)
{
	check_profile_text(
		"no file", profile_read_text("/nonexistent/profile", PROFILE_ANY),
		"error system: /nonexistent/profile: No such file or directory\nany 0 of 0\n");
}
END_TEST

START_TEST(a_folder)
{
	check_profile_text("a folder", profile_read_text("/proc/self", PROFILE_ANY),
			   "error text_syntax: a folder, no profile\nany 0 of 0\n");
}
END_TEST

START_TEST(formats_have_names)
{
	for (int i = PROFILE_ANY; i < PROFILE_FORMAT_COUNT; i++)
		ck_assert_int_eq(profile_format_find(profile_format_name(i)), i);
	ck_assert_int_eq(profile_format_find("perf"), PROFILE_FORMAT_COUNT);
	ck_assert_int_eq(profile_format_of("PERFILE2", 8), PROFILE_PERF_DATA);
	ck_assert_int_eq(profile_format_of("\177ELF\2\1", 6), PROFILE_ANY);
}
END_TEST

SUITE(profile_folded, LOOP(lines, cases), LOOP(borders_of_lines, borders),
      LOOP(hostile_lines, cases), TEST(compressed), TEST(long_lines), TEST(too_many_frames),
      TEST(a_stack_s_most_frames), TEST(a_stack_s_long_line), TEST(names_end_at_a_nul),
      LOOP(reading_ends_when_told, enough_cases), TEST(no_such_file), TEST(a_folder),
      TEST(formats_have_names))
