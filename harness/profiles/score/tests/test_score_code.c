/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_code.c - what the code alone refutes of an attached process's stacks, and what it does not
 *
 * The image is this program, whose functions here are never run: the truth says that they are.
 */
#include "tests/suite.h"
#include "score_own.h"

/* Behind each call of code_caller's a label, named as what it calls. */
asm(".text\n"
    "code_callee: .cfi_startproc; nop; nop; ret; .cfi_endproc\n"
    "code_other: .cfi_startproc; nop; nop; ret; .cfi_endproc\n"
    "code_jumps: .cfi_startproc; nop; jmp code_other; .cfi_endproc\n"
    "code_computes: .cfi_startproc; nop; jmp *%rax; .cfi_endproc\n"
    "code_writes: .cfi_startproc; mov %rax, (%rsp); ret; .cfi_endproc\n"
    "code_falls: .cfi_startproc; nop; .cfi_endproc\n"
    "code_bare: nop; nop; ret\n"
    "code_signal: .cfi_startproc; .cfi_signal_frame; nop; nop; ret; .cfi_endproc\n"
    "code_caller: .cfi_startproc; .rept 32; nop; .endr; call code_callee\n"
    "behind_callee: .rept 32; nop; .endr; call code_jumps\n"
    "behind_jumps: .rept 32; nop; .endr; call code_computes\n"
    "behind_computes: .rept 32; nop; .endr; call code_writes\n"
    "behind_writes: .rept 32; nop; .endr; call code_bare\n"
    "behind_bare: .rept 32; nop; .endr; call code_falls\n"
    "behind_falls: .rept 32; nop; .endr; call *%rax\n"
    "behind_any: .rept 32; nop; .endr; call code_jumps_twice\n"
    "behind_jumps_twice: .rept 32; nop; .endr; call code_pads\n"
    "behind_pads: .rept 32; nop; .endr; call code_switches\n"
    "behind_switches: .rept 32; nop; .endr; call code_callee\n"
    "behind_taken: lea behind_taken(%rip), %rax; ret; .cfi_endproc\n"
    "code_switches: .cfi_startproc; mov %rsp, (%rdi); mov %rsi, %rsp; nop; ret; .cfi_endproc\n"
    "code_returns_later: .cfi_startproc; addq $5, (%rsp); ret; .cfi_endproc\n"
    "code_pads: .cfi_startproc; .cfi_lsda 0x1b, code_other; nop; ret; .cfi_endproc\n"
    "code_resumes: .cfi_startproc; .cfi_offset rax, -16; nop; nop; ret; .cfi_endproc\n"
    "code_jumps_twice: .cfi_startproc; test %eax, %eax; je code_bare; jmp code_jumps; "
    ".cfi_endproc\n"
    "code_first: .cfi_startproc; .cfi_undefined rip; .rept 32; nop; .endr; call code_callee\n"
    "behind_first: .rept 32; nop; .endr; hlt; .cfi_endproc\n");
void code_callee(void);

#define ATTACHED "attached=1\n"
#define OTHER	 "~" /* the profile is of another run */
#define WHOLE	 "code_callee+1 behind_callee+0"
#define CALLED	 WHOLE "\ncode_other+1 behind_any+0"
#define FIRST	 "code_callee+1 behind_first+0"
/* The truth knows the leaf with its caller, and no further; and one of the others as a caller. */
#define KNOWN ATTACHED "o code_callee+1 behind_callee+0\n"
#define RANGE ATTACHED "code='1000-2000\ncode='7000000-7001000\no code_callee+1 behind_callee+0\n"

static const struct {
	const char *name, *truth, *stack, *expected;
} cases[] = {
	{ "it_agrees", KNOWN, "code_callee+1 behind_callee+0", "open 1" },
	{ "so_far", KNOWN, "code_callee+1 behind_callee+0 behind_bare-3", "no_call 1" },
	{ "a_function_s_begin", KNOWN, "code_callee+1 behind_callee+0 main+0", "open 1" },
	{ "it_goes_on", KNOWN, "code_callee+1 behind_callee+0 behind_any+0", "open 1" },
	{ "cut_short", KNOWN, "code_callee+1", "truncated 1" },
	{ "never_seen", KNOWN, "code_other+1 behind_any+0", "gap 1" },
	{ "no_call", KNOWN, "code_other+1 behind_bare-3", "no_call 1" },
	{ "put_by_a_handler", KNOWN, "code_other+1 behind_any+4", "put 1" },
	{ "and_then_none", KNOWN, "code_other+1 behind_any+4 behind_bare-3", "no_call 1" },
	{ "into_the_next_one", KNOWN, "code_other+1 behind_falls+0", "gap 1" },
	{ "a_byte_before", KNOWN, "code_callee+1 behind_callee+0 behind_any-1", "open 1" },
	{ "two_before", KNOWN, "code_callee+1 behind_callee+0 behind_bare-2", "no_call 1" },
	{ "near_the_begin", KNOWN, "code_other+1 code_caller+4", "gap 1" },
	{ "another_function", KNOWN, "code_other+1 behind_callee+0", "gap 1" },
	{ "another_function_where_none_was_seen", ATTACHED "o code_other+1 behind_any+0",
	  "code_other+2 behind_callee+0", "callee 1" },
	{ "the_function_called", ATTACHED "o code_other+1 behind_any+0",
	  "code_callee+1 behind_callee+0", "gap 1" },
	{ "it_jumps_away", KNOWN, "code_other+1 behind_jumps+0", "gap 1" },
	{ "it_jumps_anywhere", KNOWN, "code_other+1 behind_computes+0", "gap 1" },
	{ "it_returns_anywhere", KNOWN, "code_other+1 behind_writes+0", "gap 1" },
	{ "nobody_knows_its_end", KNOWN, "code_other+1 behind_bare+0", "gap 1" },
	{ "a_signal_s_frame", KNOWN, "code_signal+1 behind_any+4", "gap 1" },
	{ "what_a_signal_interrupts", KNOWN, "code_other+1 code_signal+2", "gap 1" },
	{ "without_code_s_places", KNOWN, "code_other+1 9:50000000", "gap 1" },
	{ "outside_of_code", RANGE, "code_other+1 9:50000000", "no_code 1" },
	{ "in_it", RANGE, "code_other+1 9:7000800", "gap 1" },
	{ "behind_it", RANGE, "code_other+1 9:7001000", "gap 1" },
	{ "far_behind_it", RANGE, "code_other+1 9:7001001", "no_code 1" },
	{ "no_caller", RANGE, "code_other+1 9:0", "gap 1" },
	{ "maybe_the_kernel_s", RANGE, "code_other+1 9:ffffffff81000000", "gap 1" },
	{ "after_what_agrees", RANGE, "code_callee+1 behind_callee+0 9:50000000", "no_code 1" },
	{ "of_a_whole_run", "code_callee+1 behind_callee+0", "code_other+1 behind_any+4",
	  "leaf 1" },
	{ "of_another_run", OTHER "code_callee+1 behind_callee+0", "code_other+1", "unseen 1" },
	{ "that_may_call_anything", OTHER WHOLE, "code_other+1 behind_any+0", "unseen 1" },
	{ "who_knows_how_it_is_entered", OTHER WHOLE, "code_other+1 behind_callee+0", "unseen 1" },
	{ "it_is_only_called", OTHER CALLED, "code_other+1 behind_callee+0", "callee 1" },
	{ "it_was_put_once", OTHER CALLED "\ncode_other+2 behind_callee+9",
	  "code_other+1 behind_callee+0", "unseen 1" },
	{ "it_was_entered_behind_another_call", OTHER CALLED "\ncode_other+2 behind_taken+0",
	  "code_other+1 behind_callee+0", "unseen 1" },
	{ "which_both_say", OTHER WHOLE, "code_callee+1 behind_jumps+0", "callee 1" },
	{ "the_unwinder_may_enter_its_parts", OTHER CALLED, "code_other+1 behind_pads+0",
	  "unseen 1" },
	{ "who_has_the_address_may_push_it", OTHER CALLED, "code_other+1 behind_taken+0",
	  "unseen 1" },
	{ "it_exchanges_stacks", OTHER CALLED, "code_other+1 behind_switches+0", "unseen 1" },
	{ "it_writes_where_it_returns", OTHER CALLED "\ncode_returns_later+1 behind_any+0",
	  "code_returns_later+1 behind_callee+0", "unseen 1" },
	{ "it_returns_elsewhere", OTHER CALLED "\ncode_resumes+1 behind_any+0",
	  "code_resumes+1 behind_callee+0", "unseen 1" },
	{ "it_leads_there", OTHER WHOLE, "code_other+1 behind_jumps+0", "unseen 1" },
	{ "it_may_lead_there", OTHER WHOLE, "code_other+1 behind_jumps_twice+0", "unseen 1" },
	{ "it_jumps_to_what_has_no_end", OTHER WHOLE, "code_callee+1 behind_jumps_twice+0",
	  "unseen 1" },
	{ "no_call_in_any_run", OTHER WHOLE, "code_callee+1 behind_bare-3", "no_call 1" },
	{ "put_there", OTHER WHOLE, "code_callee+1 behind_any+4", "put 1" },
	{ "no_address_of_a_process", OTHER WHOLE, "code_callee+1 9:6161616161616161", "no_code 1" },
	{ "maybe_mapped_there", OTHER WHOLE, "code_callee+1 9:50000000", "unseen 1" },
	{ "who_is_called_by_nobody", OTHER FIRST, "code_callee+1 behind_first+0 behind_callee+0",
	  "beyond 1" },
	{ "who_may_be_called", OTHER FIRST, "code_callee+1 behind_first+0 behind_any+0",
	  "unseen 1" },
	{ "who_says_so_alone", OTHER WHOLE, "code_callee+1 behind_first+0 behind_callee+0",
	  "unseen 1" },
	{ "of_one_cut_short", "partial='limit\ncode_callee+1 behind_callee+0",
	  "code_other+1 behind_any+4", "gap 1" },
};

/* "f+4" and "f-1" as addresses in image 0. */
static void put_addresses(const char *words, char *ret)
{
	char word[64];

	*ret = '\0';
	for (int size; sscanf(words, "%63s%n", word, &size) == 1; words += size) {
		char *sign = word + strcspn(word, "+-");
		long more = strtol(sign, NULL, 10);

		if (strchr(word, ':')) {
			sprintf(ret + strlen(ret), "%s ", word);
			continue;
		}
		*sign = '\0';
		sprintf(ret + strlen(ret), "0:%lx ", image_symbol_address(own.image, word) + more);
	}
	ret[strlen(ret) - 1] = '\0';
}

/* As perf prints addresses: offsets in the file, and those of the process in no mapping, which are of image 9. */
static char *perf_text(const char *stack)
{
	unsigned long image, address;
	char *ret;
	size_t size;
	FILE *file = open_memstream(&ret, &size);

	fputs("a 12/12 1.0: b: \n", file);
	for (int read; sscanf(stack, "%lu:%lx%n", &image, &address, &read) == 2; stack += read)
		fprintf(file, "\t %lx [unknown] (%s)\n", image ? address : own_offset(address),
			image ? "[unknown]" : own.path);
	fputs("\n", file);
	fclose(file);
	return ret;
}

START_TEST(stacks_by_the_code_alone)
{
	const char *paths[] = { own.path };
	char line[512], *profile;
	bool is_other = *cases[_i].truth == *OTHER;

	ck_assert_ptr_nonnull(code_callee);
	own_image();
	truth_fields("thread_name='a");
	for (const char *at = cases[_i].truth + is_other; *at;
	     at += strcspn(at, "\n"), at += *at == '\n') {
		char words[128], stack[256];

		snprintf(words, sizeof(words), "%.*s", (int)strcspn(at, "\n"), at);
		if (strchr(words, '=')) {
			truth_fields(words);
			continue;
		}
		put_addresses(words + 2 * (*words == 'o'), stack);
		snprintf(line, sizeof(line), "%s%s", *words == 'o' ? "o " : "", stack);
		truth_stacks(line);
	}
	open_truth();
	truth.same.run = !is_other;
	put_addresses(cases[_i].stack, line);
	profile = strstr(line, "9:") ? perf_text(line) : profile_of(line, paths, 1);
	check_counts(cases[_i].name, profile, cases[_i].expected);
	free(profile);
}
END_TEST

/* What agrees as far as an attached truth is known is compared, and says how far that is. */
START_TEST(what_agrees_is_compared)
{
	const char *paths[] = { own.path };
	char stack[256], line[600], *profile, *text;

	own_image();
	truth_fields("attached=1 bursts=7 stopped_ns=2500000 stopped_longest_ns=1500000 "
		     "elapsed_ns=2000000000");
	put_addresses("code_callee+1 behind_callee+0", stack);
	snprintf(line, sizeof(line), "o %s", stack);
	truth_stacks(line);
	open_truth();
	put_addresses("code_callee+1 behind_callee+0 behind_any+0 behind_any+0", stack);
	snprintf(line, sizeof(line), "*3 %s", stack);
	profile = profile_of(line, paths, 1);
	check_counts("agrees", profile, "open 3");
	free(profile);
	ck_assert_uint_eq(score_compared(&scored), 3);
	ck_assert_uint_eq(score_unproven(&scored), 0);
	ck_assert(!score_is_thin(&scored));
	text = score_told(false, 1, 1);
	ck_assert_msg(strstr(text, "in 7 bursts, which stopped it for 2.5 ms of 2.0 s, at most 1.5 "
				   "ms without a break") &&
			      strstr(text, "agree as far as the truth is known: 3 samples, in 2.0 "
					   "of their 4.0 frames\n"),
		      "%s", text);
	free(text);
	text = score_told(true, 1, 1);
	ck_assert_msg(strstr(text, "'attached':{'bursts':7,'stopped_ns':2500000,'stopped_longest_"
				   "ns':1500000,'elapsed_ns':2000000000,'agree':3,'frames':12,"
				   "'frames_known':6}") != NULL,
		      "%s", text);
	free(text);
}
END_TEST

SUITE(score_code, FIXTURE(own_begin, own_end), LOOP(stacks_by_the_code_alone, cases),
      TEST(what_agrees_is_compared))
