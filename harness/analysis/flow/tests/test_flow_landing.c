/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_landing.c - an FDE's landing pads, as its language-specific data have them
 *
 * f has 16 bytes. A case is how the FDE points there, and the bytes, which lie in the file's last section, so
 * that its segment ends with them. What is said: each call site's range and its pad, from f's begin, and
 * "unread" if they can't all be decoded.
 */
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_fragment.h"

/* Neither LPStart nor types; sites as ULEB128. */
#define HEAD ".byte 0xff, 0xff, 1; .uleb128 2f-1f; 1: "
#define TAIL "2:\n"
#define LSDA "lsda 0x1b, t; "

static const struct landing_case {
	const char *rule, *directive, *bytes, *expected;
} landing_cases[] = {
	{ "no data", "", "", "" },
	{ "no call site", LSDA, HEAD TAIL, "" },
	{ "one", LSDA, HEAD ".byte 1, 2, 5, 0; " TAIL, "1..3 to 5\n" },
	{ "in their order, but for those without a pad", LSDA,
	  HEAD ".byte 9, 1, 2, 1; .byte 2, 3, 0, 1; .byte 1, 2, 5, 0; " TAIL,
	  "9..10 to 2\n1..3 to 5\n" },
	{ "numbers of two bytes", LSDA, HEAD ".uleb128 128, 129, 300, 200; .byte 1, 2, 5, 0; " TAIL,
	  "128..257 to 300\n1..3 to 5\n" },
	{ "numbers of another size", LSDA,
	  ".byte 0xff, 0xff, 3; .uleb128 2f-1f; 1: .long 1, 2, 5; .byte 0; .long 3, 4, 6; "
	  ".uleb128 300; 2: ",
	  "1..3 to 5\n3..7 to 6\n" },
	{ "pads that count from elsewhere", LSDA,
	  ".byte 0x40; .quad 4; .byte 0xff, 1, 4, 1, 2, 5, 0", "1..3 to 9\n" },
	{ "from an address", LSDA, ".byte 0x1b; .long .Lf+3-.; .byte 0xff, 1, 4, 1, 2, 5, 0",
	  "1..3 to 8\n" },
	{ "types", LSDA, ".byte 0xff, 0x9b; .uleb128 300; .byte 1, 4, 1, 2, 5, 0; .skip 8",
	  "1..3 to 5\n" },
	{ "what lies behind is none", LSDA, ".byte 0xff, 0xff, 1, 4, 1, 2, 5, 0, 2, 2, 6, 0",
	  "1..3 to 5\n" },
	{ "it leads to where nothing is", "lsda 0x1b, t+0x100000", ".byte 0", "unread\n" },
	/* Not all of it is there. */
	{ "no types", LSDA, ".byte 0xff", "unread\n" },
	{ "no LPStart", LSDA, ".byte 0x1b, 0, 0, 0", "unread\n" },
	{ "no encoding", LSDA, ".byte 0xff, 0xff", "unread\n" },
	{ "none behind the types", LSDA, ".byte 0xff, 0x9b, 0", "unread\n" },
	{ "half the types' offset", LSDA, ".byte 0xff, 0x9b, 0x80", "unread\n" },
	{ "no size", LSDA, ".byte 0xff, 0xff, 1", "unread\n" },
	{ "half of it", LSDA, ".byte 0xff, 0xff, 1, 0x80", "unread\n" },
	{ "too much of it", LSDA, ".byte 0xff, 0xff, 1, 5, 1, 2, 5, 0", "unread\n" },
	{ "a site without an action", LSDA, ".byte 0xff, 0xff, 1, 3, 1, 2, 5", "unread\n" },
	{ "without a pad", LSDA, ".byte 0xff, 0xff, 1, 2, 1, 2", "unread\n" },
	{ "without a length", LSDA, ".byte 0xff, 0xff, 1, 1, 1", "unread\n" },
	{ "the second one", LSDA, ".byte 0xff, 0xff, 1, 6, 1, 2, 5, 0, 2, 2",
	  "1..3 to 5\nunread\n" },
	{ "an encoding that is none", LSDA, ".byte 0xff, 0xff, 7, 4, 1, 2, 5, 0", "unread\n" },
	{ "of LPStart", LSDA, ".byte 7, 0xff, 1, 4, 1, 2, 5, 0", "unread\n" },
};

/* Its FDE; NULL: none. */
static void check(const char *rule, const char *assembly, const char *expected)
{
	struct assembled assembled;
	struct flow_fragment *fragment;
	enum flow_reason reason;
	struct error error;
	uint64_t begin;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	assembled_open(&assembled, assembly);
	begin = image_symbol_address(assembled.image, "f");
	ck_assert_int_eq(flow_fragment_create(assembled.cfi, cfi_fde_find(assembled.cfi, begin),
					      &fragment, &reason, &error),
			 0);
	ck_assert_ptr_nonnull(fragment);
	for (size_t i = 0; i < fragment->pad_count; i++)
		fprintf(file, "%d..%d to %d\n", (int)(fragment->pad[i].begin - begin),
			(int)(fragment->pad[i].end - begin), (int)(fragment->pad[i].pad - begin));
	fputs(fragment->pads_unread ? "unread\n" : "", file);
	fclose(file);
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s", rule, text);
	free(text);
	flow_fragment_destroy(fragment);
	assembled_close(&assembled);
}

START_TEST(landing_pads_are_read)
{
	const struct landing_case *test = &landing_cases[_i];
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly,
				  "f: .Lf: startproc; %s; .fill 15, 1, 0x90; ret; endproc; "
				  ".section .last, \"aw\"; t: %s",
				  test->directive, test->bytes),
			 0);
	check(test->rule, assembly, test->expected);
	free(assembly);
}
END_TEST

/* What lies between the FDE's PCs and its instructions, if its CIE says that data are pointed to. */
static const struct landing_case augmentation_cases[] = {
	{ "a pointer", NULL, ".byte 4; .long t-.", "1..3 to 5\n" },
	{ "0 is none, whatever it is relative to", NULL, ".byte 4; .long 0", "" },
	{ "it is not there: these are instructions", NULL, ".byte 0; .long t-.", "" },
	{ "nor all of it", NULL, ".byte 3; .long t-.", "" },
	{ "more is there", NULL, ".byte 8; .long t-., 0x12345678", "1..3 to 5\n" },
};

START_TEST(the_fde_points_there)
{
	const struct landing_case *test = &augmentation_cases[_i];
	char *assembly;

	ck_assert_int_gt(
		asprintf(&assembly,
			 "f: .Lf: .fill 15, 1, 0x90; ret; .section .eh_frame, \"a\"; 1: .long "
			 "3f-2f; 2: .long 0; .byte 1; .asciz \"zRL\"; .byte 1, 0x78, 16, 2, 0x1b, "
			 "0x1b, 0x0c, 7, 8, 0x90, 1; .balign 4, 0; 3: .long 5f-4f; 4: .long .-1b, "
			 ".Lf-., 16; %s; .balign 4, 0; 5: .section .last, \"aw\"; t: " HEAD
			 ".byte 1, 2, 5, 0; " TAIL,
			 test->bytes),
		0);
	check(test->rule, assembly, test->expected);
	free(assembly);
}
END_TEST

SUITE(flow_landing, TIMEOUT(300), LOOP(landing_pads_are_read, landing_cases),
      LOOP(the_fde_points_there, augmentation_cases))
