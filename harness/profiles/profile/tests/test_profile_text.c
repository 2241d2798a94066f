/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_text.c - a frame, or a count, in one word: each rule where it holds, and where it just does not
 */
#include "tests/suite.h"
#include "profile_fixture.h"
#include "profiles/profile/frame_text.h"

/* Frames of one stack, the outermost first; and what they are, in the same order. */
static const struct {
	const char *name;
	const char *frame[6], *said[6];
} frame_cases[] = {
	{ "an_image_before_a_name_is_a_path",
	  { "/opt/a_b-c++/d~1@2.so!f", "a b!f", "a:b!f", "a\"b`f", "a(b!f" },
	  { "f (/opt/a_b-c++/d~1@2.so)", "a b!f", "a:b!f", "a\"b`f", "a(b!f" } },
	{ "an_operator_is_no_image",
	  { "a!=b", "a!(b)", "a!'b'", "a`=b", "operator!b", "operators!b" },
	  { "a!=b", "a!(b)", "a!'b'", "a`=b", "operator!b", "b (operators)" } },
	{ "the_first_mark_ends_an_image",
	  { "a!b!c", "a`b!c", "a!b`c", "a!", "!a", "`" },
	  { "b!c (a)", "b!c (a)", "b`c (a)", "a!", "!a", "`" } },
	{ "an_image_behind_a_name_has_a_blank_before",
	  { "f  [a]", "f [a", "f[a]", "f [a b]", "f []", "f [a] [b]" },
	  { "f (a)", "f [a", "f[a]", "f [a b]", "f []", "f [a] (b)" } },
	{ "an_image_before_goes_first",
	  { "a!f [b]", "a!f+0x1 [b]", "a!0x1", "a!0xffffffff81000130", "0x1 [a]" },
	  { "f [b] (a)", "f+0x1 [b] (a)", "? (a)", "? (a) k", "? (a)" } },
	{ "what_is_not_known_is_left_out",
	  { "f+0x1 [unknown]", "[unknown] [unknown]", "[Missed a", "unknown", "[unknown",
	    "[a] [b]" },
	  { "f+0x1", "?", "?", "unknown", "[unknown", "[a] (b)" } },
	{ "an_address_in_brackets",
	  { "[a <7f1e2>]", "[a <7f1e2]", "[a <xyz>]", "[a b]", "[ <7f1e2>]", "[a  <1>]" },
	  { "? (a) r0x7f1e2", "? (a <7f1e2)", "? (a <xyz>)", "? (a b)", "? ( <7f1e2>)",
	    "? (a ) r0x1" } },
	{ "an_offset_in_brackets",
	  { "[a+0x1]", "[a+0x1+0x2]", "[+0x1]", "[a+1]", "[a+0x1 b]", "[a+0x1]f" },
	  { "? (a) f0x1", "? (a+0x1) f0x2", "? (+0x1)", "? (a+1)", "? (a+0x1 b)", "[a+0x1]f" } },
	{ "images_of_the_kernel",
	  { "kernel!f", "[kernel.kallsyms]!f", "[guest.kernel.kallsyms]!f", "vmlinux!f", "[k]!f",
	    "[vmlinux]" },
	  { "f (kernel) k", "f ([kernel.kallsyms]) k", "f ([guest.kernel.kallsyms]) k",
	    "f (vmlinux) k", "f ([k]) k", "? (vmlinux) k" } },
	{ "that_are_none",
	  { "f [k]", "vmlinux-6!f", "akernel!f", "[guest]!f", "[kern]!f", "kernel" },
	  { "f (k)", "f (vmlinux-6)", "f (akernel)", "f ([guest])", "f ([kern])", "kernel" } },
	{ "a_mark_is_taken_off_first",
	  { "f+0x1_[k]", "a!f_[i]", "[a+0x1]_[k]", "0x7_[k]", "f_[k]_[i]", "[unknown]_[k]" },
	  { "f+0x1 k", "f (a) i", "? (a) f0x1 k", "? r0x7 k", "f_[k] i", "? k" } },
};

/* Each frame by itself: what the one before was says nothing of the next. */
START_TEST(a_frame)
{
	struct profile profile;
	struct error error;

	profile_init(&profile);
	for (int i = 0; i < 6 && frame_cases[_i].frame[i]; i++) {
		const char *text = frame_cases[_i].frame[i];
		uint32_t number = frame_text_add(&profile, (struct span) { text, strlen(text) },
						 false, &error);
		char *said;
		size_t size;
		FILE *file = open_memstream(&said, &size);

		print_profile_frame(file, &profile, profile_frame(&profile, number));
		fclose(file);
		ck_assert_msg(!strcmp(said, frame_cases[_i].said[i]), "%s: '%s' is %s",
			      frame_cases[_i].name, text, said);
		free(said);
	}
	profile_deinit(&profile);
}
END_TEST

static const struct {
	const char *text, *name;
	uint64_t hexadecimal, decimal; /* PROFILE_NO_OFFSET: there is none */
} offsets[] = {
	{ "f+0x1f", "f", 0x1f, 0x1f },
	{ "f+31", "f", PROFILE_NO_OFFSET, 31 },
	{ "f+0", "f", PROFILE_NO_OFFSET, 0 },
	{ "f+0x0", "f", 0, 0 },
	{ "a+b+12", "a+b", PROFILE_NO_OFFSET, 12 },
	{ "a+12+b", "a+12+b", PROFILE_NO_OFFSET, PROFILE_NO_OFFSET },
	{ "f+1f", "f+1f", PROFILE_NO_OFFSET, PROFILE_NO_OFFSET },
	{ "f+0x", "f+0x", PROFILE_NO_OFFSET, PROFILE_NO_OFFSET },
	{ "f+", "f+", PROFILE_NO_OFFSET, PROFILE_NO_OFFSET },
	{ "+12", "+12", PROFILE_NO_OFFSET, PROFILE_NO_OFFSET },
	{ "", "", PROFILE_NO_OFFSET, PROFILE_NO_OFFSET },
};

START_TEST(an_offset)
{
	for (int decimal = 0; decimal < 2; decimal++) {
		struct span text = { offsets[_i].text, strlen(offsets[_i].text) };
		uint64_t wanted = decimal ? offsets[_i].decimal : offsets[_i].hexadecimal,
			 offset = frame_text_take_offset(&text, decimal);

		ck_assert_msg(offset == wanted, "%s: %" PRIu64, offsets[_i].text, offset);
		/* A name that has none is left as it is. */
		ck_assert_msg(span_is(text, wanted == PROFILE_NO_OFFSET ? offsets[_i].text
									: offsets[_i].name),
			      "%s: %.*s", offsets[_i].text, (int)text.size, text.at);
	}
}
END_TEST

/* ---- the kernel's frames ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	bool enters;
} entries[] = {
	{ "entry_SYSCALL_64_after_hwframe", true },
	{ "entry_SYSCALL32_compat", true },
	{ "entry_SYSENTER_compat", true },
	{ "entry_INT80_compat", true },
	{ "asm_exc_page_fault", true },
	{ "asm_sysvec_apic_timer_interrupt", true },
	{ "asm_fred_entrypoint_user", true },
	{ "asm_common_interrupt", true },
	{ "asm_spurious_interrupt", true },
	{ "ret_from_fork_asm", true },
	{ "do_syscall_64", true },
	{ "x64_sys_call", true },
	{ "__x64_sys_read", true },
	{ "__ia32_sys_read", true },
	{ "syscall_return_via_sysret", true },
	{ "swapgs_restore_regs_and_return_to_usermode", true },
	{ "native_irq_return_iret", true },
	{ "async_page_fault", true },
	{ "__do_page_fault", true },
	{ "do_user_addr_fault", true },
	{ "apic_timer_interrupt", true },
	{ "reschedule_interrupt", true },
	{ "call_function_interrupt", true },
	{ "call_function_single_interrupt", true },
	{ "system_call_fastpath", true },
	{ "sysenter_fastpath", true },
	{ "el0t_64_sync", true },
	{ "el0t_32_sync", true },
	{ "el0_sync", true },
	{ "el0_svc", true },
	{ "el0_irq", true },
	{ "__arm64_sys_read", true },
	{ "", false },
	{ "entry", false },
	{ "entry_SYSCALL", false },
	{ "my_do_syscall_64", false },
	{ "x64_sys_read", false },
	{ "do_page_fault", false },
	{ "el1_sync", false },
};

START_TEST(the_kernel_is_entered)
{
	ck_assert_msg(frame_text_enters_kernel(entries[_i].name) == entries[_i].enters, "%s",
		      entries[_i].name);
}
END_TEST

static const struct profile_case stacks[] = {
	{ "all_up_to_the_last_that_is_marked", "a;b_[k];c;d_[k];e 1\na;f 1\n",
	  "x 1: e k, d k, c k, b k, a\nx 1: f, a\nfolded 2 of 2\n" },
	{ "all_up_to_the_last_entry", "a;el0_svc;c;do_syscall_64;e 1\na;c;e 1\n",
	  "x 1: e k, do_syscall_64 k, c k, el0_svc k, a\nx 1: e, c, a\nfolded 2 of 2\n" },
	{ "of_a_mark_and_an_entry_the_one_further_out",
	  "a;b_[k];do_syscall_64;c 1\na;do_syscall_64;b_[k];c 1\n",
	  "x 1: c k, do_syscall_64 k, b k, a\nx 1: c k, b k, do_syscall_64 k, a\nfolded 2 of 2\n" },
	{ "an_outermost_frame_marks_all", "b_[k];c;d 1\n", "x 1: d k, c k, b k\nfolded 1 of 1\n" },
	/* bcc's delimiters */
	{ "the_first_delimiter_counts", "p;-;a;--;b 1\np;a;--;b;-;c 1\n",
	  "x 1: b k, a k, p\nx 1: c k, b k, a, p\nfolded 2 of 2\n" },
	{ "a_delimiter_is_of_its_line", "p;-;a;b;c 1\np;a;b;c;d;-;e 2\np;a;b 3\n",
	  "x 1: c k, b k, a k, p\nx 2: e k, d, c, b, a, p\nx 3: b, a, p\nfolded 3 of 6\n" },
	{ "what_bcc_missed_is_no_delimiter",
	  "p;[Missed User Stack];a;b 1\np;[Missed User Stack];a;-;b 1\n",
	  "x 1: b, a, p\nx 1: b k, a, p\nfolded 2 of 2\n" },
	{ "a_delimiter_at_either_end", "-;a;b 1\na;b;-- 1\n-;- 1\n",
	  "x 1: b k, a k\nx 1: b, a\nx 1:\nfolded 3 of 3\n" },
	{ "what_is_none", "p;---;a;-b;c-;_;d 1\n",
	  "x 1: d, _, c-, -b, a, ---, p\nfolded 1 of 1\n" },
	/* lines */
	{ "a_comment_has_no_fraction", "# a 1.5\n#b 0.5\na 2\n", "x 2: a\nfolded 1 of 2\n" },
	{ "one_fraction_is_enough_anywhere", "a 2\nno count\n\nb 3.0\nc 0.5\n",
	  "x 2000: a\nx 3000: b\nx 500: c\nlost bad_count 1\n"
	  "line 2: no count at the line's end\nin parts of 1000\nfolded 3 of 5500\n" },
	{ "what_has_no_newline_and_says_nothing", "a 1\n# b 2", "x 1: a\nfolded 1 of 1\n" },
	{ "nor_have_blanks", "a 1\n  \t", "x 1: a\nfolded 1 of 1\n" },
	{ "a_count_is_behind_the_last_blank_or_tab", "a b\t3\na\tb 4\na b\tc d\t5\n",
	  "x 3: a b\nx 4: a\tb\nx 5: a b\tc d\nfolded 3 of 12\n" },
	{ "blanks_around_a_line", "  a;b 1  \n\tc;d\t 2\t\n",
	  "x 1: b, a\nx 2: d, c\nfolded 2 of 3\n" },
};

START_TEST(a_stack)
{
	check_profile_case(&stacks[_i]);
}
END_TEST

/* ---- counts ------------------------------------------------------------------------------------- */

#define BAD UINT64_MAX

static const struct {
	const char *text;
	uint64_t whole, thousandths; /* BAD: it is none */
	bool fraction;
} counts[] = {
	{ "0", 0, 0, false },
	{ "12", 12, 12000, false },
	{ "12.", 12, 12000, false },
	{ "12.0", 12, 12000, false },
	{ "0.25", 1, 250, true },
	{ "1.4", 1, 1400, true },
	{ "1.5", 2, 1500, true },
	{ "1.49", 1, 1490, true },
	{ "1.0004", 1, 1000, true },
	{ "1.0005", 1, 1001, true },
	{ "1.00049", 1, 1000, true },
	{ "1.00050", 1, 1001, true },
	{ "1.9996", 2, 2000, true },
	{ "0.00001", 1, 1, true },
	{ "0.0", 0, 0, false },
	{ "18446744073709551.615", 18446744073709552, UINT64_MAX, true },
	{ "18446744073709551.616", 18446744073709552, BAD, true },
	{ "18446744073709551614", UINT64_MAX - 1, BAD, false },
	{ "18446744073709551615.5", BAD, BAD, true },
	{ "", BAD, BAD, false },
	{ ".5", BAD, BAD, false },
	{ "-1", BAD, BAD, false },
	{ "1.2.3", BAD, BAD, true },
	{ "1.5x", BAD, BAD, true },
	{ "1x", BAD, BAD, false },
	{ "1e3", BAD, BAD, false },
};

START_TEST(a_count)
{
	const struct span text = { counts[_i].text, strlen(counts[_i].text) };

	for (int fine = 0; fine < 2; fine++) {
		uint64_t wanted = fine ? counts[_i].thousandths : counts[_i].whole, count;
		bool fraction = true, is_one;

		is_one = count_text_read(text, fine ? FRAME_TEXT_THOUSANDTHS : 1, &count,
					 &fraction);
		/* The largest is one, too. */
		if (wanted == BAD && strcmp(text.at, "18446744073709551.615") != 0)
			ck_assert_msg(!is_one, "'%s': %" PRIu64, text.at, count);
		else
			ck_assert_msg(is_one && count == wanted, "'%s': %" PRIu64, text.at, count);
		ck_assert_msg(!is_one || fraction == counts[_i].fraction, "'%s'", text.at);
	}
}
END_TEST

SUITE(profile_text, LOOP(a_frame, frame_cases), LOOP(an_offset, offsets),
      LOOP(the_kernel_is_entered, entries), LOOP(a_stack, stacks), LOOP(a_count, counts))
