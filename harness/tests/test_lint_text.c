/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_text.c - what a person reads of a finding, letter by letter
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "lint/lint.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define HEAD "{'image': 'a', 'id': 'SP001', 'title': 't', 'actual': 'cfa=rsp+16'"
#define AT   HEAD ", 'pc': '0x10', 'pc_end': '0x12', 'function': 'f'"
#define CODE                                                                                       \
	", 'disassembly': [{'pc': '0xc', 'instruction': 'push rbx'},"                              \
	" {'pc': '0x10', 'instruction': 'xor eax, eax'}, {'pc': '0x12', 'instruction': 'ret'}]"

static const struct text_case {
	const char *rule, *finding; /* ' for " */
	bool colour;
	const char *expected;
} texts[] = {
	{ "of_an_image", HEAD "}", false, "a: SP001 t\n    actual      cfa=rsp+16\n" },
	{ "at_a_functions_begin", AT ", 'offset': 0}", false,
	  "a: f: SP001 t\n    up to       0x12\n    actual      cfa=rsp+16\n" },
	{ "one_instruction_has_an_arrow", AT ", 'offset': 26" CODE ", 'declared': 'cfa=rsp+8'}",
	  false,
	  "a: f+0x1a: SP001 t\n"
	  "        0xc  push rbx\n"
	  "     -> 0x10  xor eax, eax\n"
	  "        0x12  ret\n"
	  "    declared    cfa=rsp+8\n"
	  "    actual      cfa=rsp+16\n" },
	{ "several_say_up_to_where",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x13', 'function': 'f', 'offset': 0" CODE "}", false,
	  "a: f: SP001 t\n"
	  "        0xc  push rbx\n"
	  "     -> 0x10  xor eax, eax\n"
	  "        0x12  ret\n"
	  "    up to       0x13\n"
	  "    actual      cfa=rsp+16\n" },
	{ "colour_marks_the_id_and_the_instruction", AT ", 'offset': 0" CODE "}", true,
	  "a: f: \033[1;31mSP001\033[0m t\n"
	  "        0xc  push rbx\n"
	  "\033[1m     -> 0x10  xor eax, eax\033[0m\n"
	  "        0x12  ret\n"
	  "    actual      cfa=rsp+16\n" },
	{ "the_jump_that_is_another_way",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x10', 'function': 'f', 'offset': 0, 'from': '0x8',"
	       " 'path': [{'pc': '0x4', 'instruction': 'jz 0x8'}, {'pc': '0x8', 'instruction': "
	       "'jmp 0x10'}]}",
	  false,
	  "a: f: SP001 t\n"
	  "    by          the jump at 0x8; other ways bring what is declared\n"
	  "    path        0x4 jz 0x8; 0x8 jmp 0x10\n"
	  "    actual      cfa=rsp+16\n" },
	{ "an_exception_comes_from_a_call",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x10', 'function': 'f', 'offset': 0, 'from': '0x8',"
	       " 'path': [{'pc': '0x8', 'instruction': 'call 0x20'}]}",
	  false,
	  "a: f: SP001 t\n"
	  "    by          the exception of the call at 0x8; other ways bring what is declared\n"
	  "    path        0x8 call 0x20\n"
	  "    actual      cfa=rsp+16\n" },
	{ "no_way_is_known",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x10', 'function': 'f', 'offset': 0, 'from': '0x8'}",
	  false,
	  "a: f: SP001 t\n"
	  "    by          the instruction at 0x8; other ways bring what is declared\n"
	  "    actual      cfa=rsp+16\n" },
	{ "what_goes_on_is_no_jump",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x10', 'function': 'f', 'offset': 0, 'from': '0xf',"
	       " 'path_cut': true, 'path': [{'pc': '0x4', 'instruction': 'jz 0x8'}]}",
	  false,
	  "a: f: SP001 t\n"
	  "    by          the instruction at 0xf; other ways bring what is declared\n"
	  "    path        ...; 0x4 jz 0x8\n"
	  "    actual      cfa=rsp+16\n" },
	{ "source_and_producer",
	  HEAD ", 'source_file': '/s/f.c', 'source_line': 7, 'producer': 'GNU C17 12.2.0'}", false,
	  "a: SP001 t\n"
	  "    source      /s/f.c:7\n"
	  "    producer    GNU C17 12.2.0\n"
	  "    actual      cfa=rsp+16\n" },
	{ "compilers_by_comment", HEAD ", 'compilers': 'GCC: 12; rustc 1.63'}", false,
	  "a: SP001 t\n    compilers   GCC: 12; rustc 1.63\n    actual      cfa=rsp+16\n" },
	{ "names_are_somebody_elses",
	  "{'image': '\\u001b[2Ja\\n', 'id': 'SP004', 'title': 't', 'pc': '0x1', 'pc_end': '0x1',"
	  " 'function': 'f\\u0007<script>', 'offset': 0, 'source_file': 'x\\ry', 'source_line': 1,"
	  " 'producer': '\\u009b', 'compilers': '\\u0001', 'declared': '\\u007f', 'actual': "
	  "'\\u001b'}",
	  false,
	  "?[2Ja?: f?<script>: SP004 t\n"
	  "    source      x?y:1\n"
	  "    producer    ?\n"
	  "    compilers   ?\n"
	  "    declared    ?\n"
	  "    actual      ?\n" },
};

static json_t *parse(const char *quoted)
{
	char *text = strdup(quoted);
	json_error_t error;
	json_t *object;

	for (char *at = text; (at = strchr(at, '\'')); at++)
		*at = '"';
	object = json_loads(text, 0, &error);
	ck_assert_msg(object != NULL, "%s: %s", text, error.text);
	free(text);
	return object;
}

START_TEST(a_finding_is_said)
{
	const struct text_case *test = &texts[_i];
	json_t *finding = parse(test->finding);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	lint_text_finding(file, finding, test->colour);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s", test->rule, text);
	free(text);
	json_decref(finding);
}
END_TEST

static const struct image_case {
	const char *rule, *image, *expected;
} images[] = {
	{ "all_is_proven", "{'image': 'a', 'status': 'linted', 'fdes': 2, 'proven': 2}",
	  "a: 2 of 2 FDEs proven (100.000 %), 0 with mismatches\n" },
	{ "reasons_are_said",
	  "{'image': 'a', 'status': 'linted', 'fdes': 4, 'proven': 1, 'mismatch': 1, 'unproven': 2,"
	  " 'unproven_reasons': {'not_reached': 2}}",
	  "a: 1 of 4 FDEs proven (25.000 %), 1 with mismatches, 2 unproven (code that no way leads "
	  "to)\n" },
	{ "no_fde_is_no_share", "{'image': 'a', 'status': 'linted', 'fdes': 0}",
	  "a: 0 of 0 FDEs proven (0.000 %), 0 with mismatches\n" },
	{ "no_cfi", "{'image': 'a', 'status': 'no_cfi'}", "a: no CFI\n" },
	{ "unread", "{'image': 'a\\n', 'status': 'unread', 'message': 'no\\tELF file'}",
	  "a?: unread: no?ELF file\n" },
};

START_TEST(an_image_is_said)
{
	const struct image_case *test = &images[_i];
	json_t *image = parse(test->image);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	lint_text_image(file, image);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s", test->rule, text);
	free(text);
	json_decref(image);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lint_text");
	TCase *said = tcase_create("said");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(said, a_finding_is_said, 0, COUNT(texts));
	tcase_add_loop_test(said, an_image_is_said, 0, COUNT(images));
	suite_add_tcase(suite, said);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
