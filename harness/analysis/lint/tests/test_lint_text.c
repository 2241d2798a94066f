/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_text.c - what a person reads of a finding, letter by letter
 */
#include <stdlib.h>
#include <string.h>
#include "base/finding/tests/finding_fixture.h"
#include "tests/suite.h"
#include "analysis/lint/lint.h"

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
	  "    by          the jump at 0x8; other ways may bring what is declared\n"
	  "    path        0x4 jz 0x8; 0x8 jmp 0x10\n"
	  "    actual      cfa=rsp+16\n" },
	{ "an_exception_comes_from_a_call",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x10', 'function': 'f', 'offset': 0, 'from': '0x8',"
	       " 'path': [{'pc': '0x8', 'instruction': 'call 0x20'}]}",
	  false,
	  "a: f: SP001 t\n"
	  "    by          the exception of the call at 0x8; other ways may bring what is "
	  "declared\n"
	  "    path        0x8 call 0x20\n"
	  "    actual      cfa=rsp+16\n" },
	{ "no_way_is_known",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x10', 'function': 'f', 'offset': 0, 'from': '0x8'}",
	  false,
	  "a: f: SP001 t\n"
	  "    by          the instruction at 0x8; other ways may bring what is declared\n"
	  "    actual      cfa=rsp+16\n" },
	{ "what_goes_on_is_no_jump",
	  HEAD ", 'pc': '0x10', 'pc_end': '0x10', 'function': 'f', 'offset': 0, 'from': '0xf',"
	       " 'path_cut': true, 'path': [{'pc': '0x4', 'instruction': 'jz 0x8'}]}",
	  false,
	  "a: f: SP001 t\n"
	  "    by          the instruction at 0xf; other ways may bring what is declared\n"
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

	lint_text_print(file, RECORD(finding), test->colour);
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
	{ "no_cfi_for_a_reason",
	  "{'image': 'a', 'status': 'no_cfi', 'no_cfi_reasons': {'untyped': 1}}",
	  "a: no CFI: no symbol says that it is a function's\n" },
	{ "no_cfi_for_a_reason_that_is_not_known",
	  "{'image': 'a', 'status': 'no_cfi', 'no_cfi_reasons': {'later': 1}}", "a: no CFI\n" },
	{ "no_cfi_and_a_baseline",
	  "{'image': 'a', 'status': 'no_cfi', 'known_findings': 1, 'new_findings': 0,"
	  " 'gone_findings': 2}",
	  "a: no CFI; findings: 1 known, 0 new, 2 gone\n" },
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

	json_object_set_new(image, "type", json_string("lint"));
	lint_text_print(file, RECORD(image), false);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s", test->rule, text);
	free(text);
	json_decref(image);
}
END_TEST

/* ---- all else ----------------------------------------------------------------------------- */

#define LINTED "{'image': 'a', 'status': 'linted', 'fdes': 3, 'proven': 1"

static const struct other_case {
	const char *rule, *type, *object, *expected;
} others[] = {
	{ "of_a_section", "lint_finding", AT ", 'section': '.t\\n', 'offset': 4}",
	  "a: f+0x4 (.t?+0x10): SP001 t\n"
	  "    up to       0x12\n"
	  "    actual      cfa=rsp+16\n" },
	{ "of_another_table", "lint_finding", HEAD ", 'table': 'x\\ny'}",
	  "a: SP001 t (in x?y)\n"
	  "    actual      cfa=rsp+16\n" },
	{ "an_exception_of_a_call_of_another_kind", "lint_finding",
	  AT ", 'from': '0x8', 'path': [{'pc': '0x8', 'instruction': 'calx 1'}]}",
	  "a: f: SP001 t\n"
	  "    up to       0x12\n"
	  "    by          the jump at 0x8; other ways may bring what is declared\n"
	  "    path        0x8 calx 1\n"
	  "    actual      cfa=rsp+16\n" },
	{ "executed", "lint_finding",
	  HEAD ", 'executed': true, 'points': 7, 'calls': 2, 'wrong': 3, 'right': 4,"
	       " 'outcome': 'mixed', 'because': 'b'}",
	  "a: SP001 t\n"
	  "    actual      cfa=rsp+16\n"
	  "    executed    7 points, below its call 2: wrong at 3, right at 4: mixed (b)\n" },
	{ "executed_by_results", "lint_finding",
	  HEAD ", 'executed': true, 'wrong': 3, 'outcome': 'confirmed'}",
	  "a: SP001 t\n"
	  "    actual      cfa=rsp+16\n"
	  "    executed    wrong at 3: confirmed\n" },
	{ "executed_and_no_more", "lint_finding", HEAD ", 'executed': true, 'points': 7}",
	  "a: SP001 t\n"
	  "    actual      cfa=rsp+16\n"
	  "    executed    7 points\n" },
	{ "not_executed", "lint_finding", HEAD ", 'executed': false}",
	  "a: SP001 t\n"
	  "    actual      cfa=rsp+16\n"
	  "    executed    no\n" },
	{ "gone", "lint_gone",
	  "{'image': 'a\\n', 'id': 'SP001', 'function': 'f\\n', 'actual': 'x\\n'}",
	  "a?: f?: SP001 gone: x?\n" },
	{ "gone_of_the_image", "lint_gone", "{'image': 'a', 'id': 'SP009', 'actual': 'x'}",
	  "a: SP009 gone: x\n" },
	{ "unproven", "lint_unproven",
	  "{'image': 'a\\n', 'function': 'f\\n', 'offset': 26, 'title': 't'}",
	  "a?: f?+0x1a: unproven: t\n" },
	{ "unproven_at_the_begin", "lint_unproven",
	  "{'image': 'a', 'function': 'f', 'offset': 0, 'title': 't'}", "a: f: unproven: t\n" },
	{ "stepped", "lint_stepped",
	  "{'image': 'a\\n', 'function': 'f\\n', 'offset': 26, 'kind': 'wrong', 'count': 3,"
	  " 'lost': true, 'outcome': 'o', 'lint': 'l', 'reason': 'r', 'pc': '0x1', 'instruction': "
	  "'ret'}",
	  "a?: f?+0x1a: table_fault (wrong) x 3, declared lost: o; lint: l (r)\n"
	  "    0x1         ret\n" },
	{ "stepped_at_the_begin", "lint_stepped",
	  "{'image': 'a', 'function': 'f', 'kind': 'wrong', 'count': 3, 'outcome': 'o', 'lint': "
	  "'l',"
	  " 'pc': '0x1', 'instruction': 'ret'}",
	  "a: f: table_fault (wrong) x 3: o; lint: l\n"
	  "    0x1         ret\n" },
	{ "what_agrees_is_not_said", "lint_stepped", "{'image': 'a', 'outcome': 'agrees'}", "" },
	{ "relocations", "lint",
	  LINTED ", 'relocations': {'resolved': 9, 'undefined': 8, 'weak': 1, 'outside': 2,"
		 " 'unknown': 3}}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches; relocations: 1 to weak symbols, 2 "
	  "out of their section, 3 of unknown types\n" },
	{ "one_kind_of_relocation", "lint", LINTED ", 'relocations': {'outside': 2}}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches; relocations: 2 out of their "
	  "section\n" },
	{ "a_baseline", "lint",
	  LINTED ", 'known_findings': 1, 'new_findings': 2, 'gone_findings': 3}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches; findings: 1 known, 2 new, 3 "
	  "gone\n" },
	{ "below_coverage", "lint", LINTED ", 'below_coverage': true}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches; fewer are proven than --coverage "
	  "wants\n" },
	{ "a_debug_file", "lint", "{'image': 'a', 'status': 'no_cfi', 'kind': 'debug_file'}",
	  "a: no CFI: a debug file, whose code is in another\n" },
	{ "an_object_of_lto", "lint",
	  "{'image': 'a', 'status': 'no_cfi', 'kind': 'object_file', 'lto': true}",
	  "a: no CFI: its code is made when it is linked (LTO)\n" },
	{ "a_kernel_module", "lint", "{'image': 'a', 'status': 'no_cfi', 'kind': 'kernel_module'}",
	  "a: no CFI: a kernel module\n" },
	{ "a_table", "lint",
	  LINTED ", 'tables': {'t\\n': {'proven': 10, 'mismatch': 1, 'as_cfi': 2, 'missing': 3,"
		 " 'marked': 4, 'unproven': 5, 'rows_beyond': 6}}}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches\n"
	  "    t?: 10 of 25 instructions proven, 1 with mismatches, 2 as wrong as the CFI, 3 "
	  "without a row, 4 marked as not to be said, 5 unproven; 6 rows where no FDE is\n" },
	{ "a_table_without_faults", "lint", LINTED ", 'tables': {'t': {'proven': 10}}}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches\n"
	  "    t: 10 of 10 instructions proven, 0 with mismatches\n" },
	{ "what_ran", "lint",
	  LINTED ", 'executed': {'identity': 'build_id',"
		 " 'instructions': {'all': 9, 'proven': 4, 'mismatch': 3, 'unproven': 2},"
		 " 'fdes': {'all': 6, 'proven': 1, 'mismatch': 2, 'unproven': 3}}}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches\n"
	  "    ran (by build_id): 9 instructions (4 proven, 3 with mismatches, 2 unproven), 6 FDEs "
	  "(1 proven, 2 with mismatches, 3 unproven)\n" },
	{ "what_ran_is_not_known", "lint", LINTED ", 'executed': {'identity': 'not_loaded'}}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches\n"
	  "    ran: nothing is known: the run did not have it\n" },
	{ "what_was_wrong", "lint",
	  LINTED ", 'executed': {}, 'confirm': {'confirmed': 1}, 'stepped': {'agrees': 2}}",
	  "a: 1 of 3 FDEs proven (33.333 %), 0 with mismatches\n"
	  "    findings: 0 undecided, 0 contradicted, 1 confirmed, 0 not_executed\n"
	  "    stepped faults: 2 agrees, 0 unproven, 0 assumed, 0 contradicted\n" },
	{ "the_total", "lint_total",
	  "{'images': 12, 'seconds': 3.25, 'fdes': 8, 'proven': 7, 'mismatch': 1, 'findings': "
	  "{'SP001': 3, 'SP010': 4},"
	  " 'tables': {'t\\n': {'proven': 10, 'mismatch': 1, 'findings': {'SP002': 2, 'SP001': 1}},"
	  " 'u': {'proven': 11}},"
	  " 'executed': {'instructions': {'all': 9}, 'fdes': {'all': 6}}}",
	  "12 images in 3.2 s: 7 of 8 FDEs proven (87.500 %), 1 with mismatches\n"
	  "    t?: 10 of 11 instructions proven, 1 with mismatches\n"
	  "    u: 11 of 11 instructions proven, 0 with mismatches\n"
	  "    ran: 9 instructions (0 proven, 0 with mismatches, 0 unproven), 6 FDEs (0 proven, 0 "
	  "with mismatches, 0 unproven)\n"
	  "       3  SP001 the CFA is elsewhere\n"
	  "       4  SP010 a register is declared lost that is not\n"
	  "       1  SP001 the CFA is elsewhere (in t?)\n"
	  "       2  SP002 the return address is elsewhere (in t?)\n" },
};

START_TEST(all_else_is_said)
{
	const struct other_case *test = &others[_i];
	json_t *object = parse(test->object);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	json_object_set_new(object, "type", json_string(test->type));
	lint_text_print(file, RECORD(object), false);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s", test->rule, text);
	free(text);
	json_decref(object);
}
END_TEST

/* ---- ids ---------------------------------------------------------------------------------- */

/* Each is before all that follow. */
START_TEST(findings_have_an_order)
{
	static const struct lint_finding ordered[] = {
		{ .pc = 8, .id = LINT_LOST, .from = 9, .pc_end = 90, .actual = "z" },
		{ .pc = 16, .id = LINT_CFA, .from = 9, .pc_end = 90, .actual = "z" },
		{ .pc = 16, .id = LINT_RETURN, .from = 0, .pc_end = 90, .actual = "z" },
		{ .pc = 16, .id = LINT_RETURN, .from = 4, .pc_end = 20, .actual = "z" },
		{ .pc = 16,
		  .id = LINT_RETURN,
		  .from = 4,
		  .pc_end = 24,
		  .actual = "a",
		  .table = "z" },
		{ .pc = 16, .id = LINT_RETURN, .from = 4, .pc_end = 24, .actual = "b" },
		{ .pc = 16,
		  .id = LINT_RETURN,
		  .from = 4,
		  .pc_end = 24,
		  .actual = "b",
		  .table = "a" },
		{ .pc = 16,
		  .id = LINT_RETURN,
		  .from = 4,
		  .pc_end = 24,
		  .actual = "b",
		  .table = "b" },
	};

	for (int i = 0; i < COUNT(ordered); i++)
		for (int j = 0; j < COUNT(ordered); j++) {
			int order = lint_finding_compare(&ordered[i], &ordered[j]);

			ck_assert_msg((order > 0) - (order < 0) == (i > j) - (i < j), "%d, %d: %d",
				      i, j, order);
		}
}
END_TEST

START_TEST(an_id_is_explained)
{
	const struct lint_words *words = &lint_ids[lint_id_find("sp008")];

	ck_assert_str_eq(words->name, "SP008");
	ck_assert_str_eq(words->title, "two FDEs cover the same code");
	ck_assert_str_eq(words->text, "Unwinders take one of them, and not all the same.\n");
	ck_assert_int_eq(lint_id_find("SP000"), LINT_NONE);
	ck_assert_int_eq(lint_id_find(""), LINT_NONE);
}
END_TEST

SUITE(lint_text, LOOP(a_finding_is_said, texts), LOOP(an_image_is_said, images),
      LOOP(all_else_is_said, others), TEST(findings_have_an_order), TEST(an_id_is_explained))
