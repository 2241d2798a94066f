/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_findings_sarif.c - findings of lint as SARIF, results letter by letter
 *
 * Objects are written with ' in place of ". That the whole is of the schema is scripts/check-schemas'
 * to say.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/json_counts.h"
#include "reports/findings/findings.h"
#include "analysis/lint/lint.h"

static json_t *parse(const char *quoted)
{
	FREED char *text = strdup(quoted);
	json_error_t error;
	json_t *object;

	for (char *at = text; (at = strchr(at, '\'')); at++)
		*at = '"';
	object = json_loads(text, JSON_DECODE_ANY, &error);
	ck_assert_msg(object != NULL, "%s: %s", text, error.text);
	return object;
}

/* The log of findings, of which the first run is returned. */
static json_t *make_run(const char *findings, const char *images, const char *problems,
			enum exit_status status, json_t **ret_log)
{
	struct findings_run run = { .images = parse(images),
				    .problems = parse(problems),
				    .sarif = "x" };
	json_t *total = parse("{'images': 3, 'fdes': 4, 'seconds': 1.5}"), *all = parse(findings),
	       *one;
	char *text = NULL, *again;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);

	json_array_foreach(all, i, one) findings_keep(&run, one);
	findings_sarif_print(&run, total, status, "/home/me", file);
	fclose(file);
	*ret_log = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(*ret_log);
	/* As if it was written by one call. */
	again = json_dumps(*ret_log, JSON_INDENT(1));
	ck_assert_int_eq(strncmp(text, again, strlen(again)), 0);
	ck_assert_str_eq(text + strlen(again), "\n");
	free(again);
	free(text);
	json_decref(all);
	json_decref(total);
	json_decref(run.findings);
	json_decref(run.images);
	json_decref(run.problems);
	return json_array_get(json_object_get(*ret_log, "runs"), 0);
}

static void check(const char *rule, const json_t *is, const char *quoted)
{
	json_t *expected = parse(quoted);
	FREED char *text = json_dumps(is, JSON_ENCODE_ANY | JSON_COMPACT);

	ck_assert_msg(json_equal(is, expected), "%s:\n%s", rule, text);
	json_decref(expected);
}

/* ---- results ------------------------------------------------------------------------------ */

#define AT                                                                                         \
	"'type': 'lint_finding', 'image': '/b/lib.so', 'id': 'SP001', 'pc': '0x1010',"             \
	" 'pc_end': '0x1012', 'function': 'f', 'offset': 16, 'declared': 'cfa=rsp+8', 'actual': "  \
	"'cfa=rsp+16'"

static const struct result_case {
	const char *rule, *finding, *expected;
} results[] = {
	{ "in_an_image", "{" AT "}",
	  "{'ruleId': 'SP001', 'ruleIndex': 0, 'level': 'error',"
	  " 'message': {'text': 'the CFA is elsewhere: declared cfa=rsp+8, actual cfa=rsp+16;"
	  " f+0x10 of /b/lib.so'},"
	  " 'analysisTarget': {'uri': 'file:///b/lib.so'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': 'file:///b/lib.so'},"
	  " 'region': {'startLine': 1}, 'address': {'absoluteAddress': 4112, 'kind': "
	  "'instruction'}},"
	  " 'logicalLocations': [{'fullyQualifiedName': 'f', 'kind': 'function'}]}],"
	  " 'partialFingerprints': {'stackproof/v1': 'lib.so|SP001|f||cfa=rsp+8|cfa=rsp+16|1',"
	  " 'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'declared': 'cfa=rsp+8', 'actual': 'cfa=rsp+16', 'pc_end': '0x1012'}}" },
	{ "at_a_source_line",
	  "{" AT ", 'source_file': '/home/me/src/f.c', 'source_line': 7, 'producer': 'GNU C17',"
	  " 'known': true}",
	  "{'ruleId': 'SP001', 'ruleIndex': 0, 'level': 'error',"
	  " 'message': {'text': 'the CFA is elsewhere: declared cfa=rsp+8, actual cfa=rsp+16;"
	  " f+0x10 of /b/lib.so'},"
	  " 'analysisTarget': {'uri': 'file:///b/lib.so'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': 'src/f.c'},"
	  " 'region': {'startLine': 7}, 'address': {'absoluteAddress': 4112, 'kind': "
	  "'instruction'}},"
	  " 'logicalLocations': [{'fullyQualifiedName': 'f', 'kind': 'function'}]}],"
	  " 'partialFingerprints': {'stackproof/v1': 'lib.so|SP001|f||cfa=rsp+8|cfa=rsp+16|1',"
	  " 'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'declared': 'cfa=rsp+8', 'actual': 'cfa=rsp+16', 'pc_end': '0x1012',"
	  " 'producer': 'GNU C17'}, 'baselineState': 'unchanged'}" },
	{ "of_another_table",
	  "{'type': 'lint_finding', 'image': 'a', 'id': 'SP002', 'table': 'a.txt', 'function': 'f',"
	  " 'offset': 0, 'actual': 'x'}",
	  "{'ruleId': 'SP002', 'ruleIndex': 1, 'level': 'error',"
	  " 'message': {'text': 'the return address is elsewhere in a.txt: x; f of a'},"
	  " 'analysisTarget': {'uri': 'a'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': 'a'}, 'region': "
	  "{'startLine': 1}},"
	  " 'logicalLocations': [{'fullyQualifiedName': 'f', 'kind': 'function'}]}],"
	  " 'partialFingerprints': {'stackproof/v1': 'a|SP002|f|||x|a.txt|1',"
	  " 'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'actual': 'x', 'table': 'a.txt'}}" },
	{ "a_source_without_a_line_is_none",
	  "{'type': 'lint_finding', 'image': 'a', 'id': 'SP009', 'actual': 'x', 'source_file': 's',"
	  " 'source_line': 0}",
	  "{'ruleId': 'SP009', 'ruleIndex': 8, 'level': 'warning',"
	  " 'message': {'text': 'the search table differs from the FDEs: x of a'},"
	  " 'analysisTarget': {'uri': 'a'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': 'a'}, 'region': "
	  "{'startLine': 1}}}],"
	  " 'partialFingerprints': {'stackproof/v1': 'a|SP009||||x|1',"
	  " 'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'actual': 'x'}}" },
	{ "a_source_of_one_letter",
	  "{'type': 'lint_finding', 'image': 'a', 'id': 'SP009', 'actual': 'x', 'source_file': 's',"
	  " 'source_line': 1}",
	  "{'ruleId': 'SP009', 'ruleIndex': 8, 'level': 'warning',"
	  " 'message': {'text': 'the search table differs from the FDEs: x of a'},"
	  " 'analysisTarget': {'uri': 'a'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': 's'}, 'region': "
	  "{'startLine': 1}}}],"
	  " 'partialFingerprints': {'stackproof/v1': 'a|SP009||||x|1',"
	  " 'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'actual': 'x'}}" },
	{ "of_an_image_as_a_whole",
	  "{'type': 'lint_finding', 'image': 'a', 'id': 'SP009', 'actual': 'entry 1', 'known': "
	  "false}",
	  "{'ruleId': 'SP009', 'ruleIndex': 8, 'level': 'warning',"
	  " 'message': {'text': 'the search table differs from the FDEs: entry 1 of a'},"
	  " 'analysisTarget': {'uri': 'a'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': 'a'}, 'region': "
	  "{'startLine': 1}}}],"
	  " 'partialFingerprints': {'stackproof/v1': 'a|SP009||||entry 1|1',"
	  " 'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'actual': 'entry 1'}, 'baselineState': 'new'}" },
	{ "gone",
	  "{'type': 'lint_gone', 'image': 'a', 'id': 'SP010', 'function': 'f', 'actual': 'x'}",
	  "{'ruleId': 'SP010', 'ruleIndex': 9, 'level': 'note',"
	  " 'message': {'text': 'a register is declared lost that is not: x; f of a'},"
	  " 'analysisTarget': {'uri': 'a'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': 'a'}, 'region': "
	  "{'startLine': 1}},"
	  " 'logicalLocations': [{'fullyQualifiedName': 'f', 'kind': 'function'}]}],"
	  " 'partialFingerprints': {'stackproof/v1': 'a|SP010|f|||x|1', "
	  "'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'actual': 'x'}, 'baselineState': 'absent'}" },
	{ "names_are_somebody_elses",
	  "{'type': 'lint_finding', 'image': './\\u001b<script>\\n%:\\u00e9 #?', 'id': 'SP006',"
	  " 'function': 'f{{closure}}[0]\\\\', 'offset': 0, 'actual': 'x'}",
	  "{'ruleId': 'SP006', 'ruleIndex': 5, 'level': 'warning',"
	  " 'message': {'text': 'code that is reached, and no FDE covers it: x;"
	  " f{{{{closure}}}}\\\\[0\\\\]\\\\\\\\ of ./\\u001b<script>\\n%:\\u00e9 #?'},"
	  " 'analysisTarget': {'uri': '%1B%3Cscript%3E%0A%25%3A%C3%A9%20%23%3F'},"
	  " 'locations': [{'physicalLocation': {'artifactLocation': {'uri': "
	  "'%1B%3Cscript%3E%0A%25%3A%C3%A9%20%23%3F'}, 'region': {'startLine': 1}},"
	  " 'logicalLocations': [{'fullyQualifiedName': 'f{{closure}}[0]\\\\', 'kind': "
	  "'function'}]}],"
	  " 'partialFingerprints': {'stackproof/v1': "
	  "'\\u001b<script>\\n%:\\u00e9 #?|SP006|f{{closure}}[0]\\\\|||x|1', "
	  "'primaryLocationLineHash': 'ccccc:1'},"
	  " 'properties': {'actual': 'x'}}" },
};

START_TEST(a_finding_is_a_result)
{
	const struct result_case *test = &results[_i];
	char list[2000];
	json_t *log, *run, *result, *prints;

	snprintf(list, sizeof(list), "[%s]", test->finding);
	run = make_run(list, "[]", "[]", EXIT_FINDINGS, &log);
	result = json_array_get(json_object_get(run, "results"), 0);
	/* The hash is not worth a constant for each. */
	prints = json_object_get(result, "partialFingerprints");
	ck_assert_uint_eq(strlen(json_text(prints, "primaryLocationLineHash")), 18);
	ck_assert_str_eq(json_text(prints, "primaryLocationLineHash") + 16, ":1");
	json_object_set_new(prints, "primaryLocationLineHash", json_string("ccccc:1"));
	check(test->rule, result, test->expected);
	json_decref(log);
}
END_TEST

#define ONE(place)                                                                                 \
	"{'type': 'lint_finding', 'image': '/" place "/a', 'id': 'SP001', 'function': 'f', 'pc': " \
	"'0x10', 'offset': 1, 'actual': 'x'}"

/* Of as many as are alike each has a number, and another build's have the same. */
START_TEST(fingerprints_are_numbered)
{
	static const char *const expected[] = { "a|SP001|f|||x|1", "a|SP001|f|||x|2",
						"a|SP001|f|||x|3" };
	json_t *log, *run, *result, *seen = json_object();
	size_t i;

	run = make_run("[" ONE("b") "," ONE("b") "," ONE("c") "]", "[]", "[]", EXIT_FINDINGS, &log);
	json_array_foreach(json_object_get(run, "results"), i, result)
	{
		json_t *prints = json_object_get(result, "partialFingerprints");

		ck_assert_str_eq(json_text(prints, "stackproof/v1"), expected[i]);
		json_object_set_new(seen, json_text(prints, "primaryLocationLineHash"),
				    json_true());
	}
	ck_assert_uint_eq(i, 3);
	ck_assert_uint_eq(json_object_size(seen), 3);
	/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
	ck_assert_ptr_nonnull(json_object_get(seen, "b82764a97e6f7204:2"));
	json_decref(seen);
	json_decref(log);
}
END_TEST

START_TEST(an_id_of_a_later_version_is_left_out)
{
	json_t *log, *run;

	run = make_run("[{'type': 'lint_gone', 'image': 'a', 'id': 'SP999'}]", "[]", "[]", EXIT_OK,
		       &log);
	ck_assert_uint_eq(json_array_size(json_object_get(run, "results")), 0);
	json_decref(log);
}
END_TEST

/* ---- the run ------------------------------------------------------------------------------ */

static const struct run_case {
	const char *rule, *images, *problems;
	enum exit_status status;
	const char *expected;
} runs[] = {
	{ "good", "[{'image': 'a', 'status': 'linted'}]", "[]", EXIT_OK,
	  "[{'executionSuccessful': true, 'exitCode': 0, 'toolExecutionNotifications': [],"
	  " 'properties': {'images': 3, 'fdes': 4}}]" },
	{ "findings_are_a_success", "[]", "[]", EXIT_FINDINGS,
	  "[{'executionSuccessful': true, 'exitCode': 1, 'toolExecutionNotifications': [],"
	  " 'properties': {'images': 3, 'fdes': 4}}]" },
	{ "nothing_checked_is_none", "[{'image': '/home/me/a', 'status': 'no_cfi'}]", "[]",
	  EXIT_SKIPPED,
	  "[{'executionSuccessful': false, 'exitCode': 77, 'toolExecutionNotifications':"
	  " [{'level': 'note', 'message': {'text': 'no_cfi'}, 'locations':"
	  " [{'physicalLocation': {'artifactLocation': {'uri': 'a'}}}]}],"
	  " 'properties': {'images': 3, 'fdes': 4}}]" },
	{ "a_folder_that_only_begins_like_ours", "[{'image': '/home/meadow', 'status': 'no_cfi'}]",
	  "[]", EXIT_SKIPPED,
	  "[{'executionSuccessful': false, 'exitCode': 77, 'toolExecutionNotifications':"
	  " [{'level': 'note', 'message': {'text': 'no_cfi'}, 'locations':"
	  " [{'physicalLocation': {'artifactLocation': {'uri': 'file:///home/meadow'}}}]}],"
	  " 'properties': {'images': 3, 'fdes': 4}}]" },
	{ "images_that_failed",
	  "[{'image': 'a', 'status': 'failed', 'message': 'died [x]'},"
	  " {'image': 'b', 'status': 'unread', 'message': 'no ELF file'}]",
	  "['no {such} file']", EXIT_BAD_INPUT,
	  "[{'executionSuccessful': false, 'exitCode': 3, 'toolExecutionNotifications':"
	  " [{'level': 'error', 'message': {'text': 'no {{such}} file'}},"
	  " {'level': 'error', 'message': {'text': 'died \\\\[x\\\\]'}, 'locations':"
	  " [{'physicalLocation': {'artifactLocation': {'uri': 'a'}}}]},"
	  " {'level': 'error', 'message': {'text': 'no ELF file'}, 'locations':"
	  " [{'physicalLocation': {'artifactLocation': {'uri': 'b'}}}]}],"
	  " 'properties': {'images': 3, 'fdes': 4}}]" },
};

START_TEST(a_run_is_an_invocation)
{
	const struct run_case *test = &runs[_i];
	json_t *log, *run;

	run = make_run("[]", test->images, test->problems, test->status, &log);
	check(test->rule, json_object_get(run, "invocations"), test->expected);
	json_decref(log);
}
END_TEST

START_TEST(each_id_is_a_rule)
{
	json_t *log, *run, *driver, *rule;
	size_t i;

	run = make_run("[]", "[]", "[]", EXIT_OK, &log);
	ck_assert_str_eq(json_text(log, "version"), "2.1.0");
	driver = json_object_get(json_object_get(run, "tool"), "driver");
	ck_assert_str_eq(json_text(driver, "name"), "stackproof");
	ck_assert_str_eq(json_text(driver, "version"), STACKPROOF_VERSION);
	json_array_foreach(json_object_get(driver, "rules"), i, rule)
	{
		enum lint_id id = (enum lint_id)(i + 1);
		const char *help = json_text(json_object_get(rule, "help"), "text");

		ck_assert_str_eq(json_text(rule, "id"), lint_ids[id].name);
		ck_assert_str_eq(json_text(json_object_get(rule, "shortDescription"), "text"),
				 lint_ids[id].title);
		ck_assert_ptr_nonnull(strstr(help, lint_ids[id].title));
	}
	ck_assert_uint_eq(i, LINT_ID_COUNT - 1);
	json_decref(log);
}
END_TEST

static const struct {
	const char *text, *bytes;
} escapes[] = {
	{ "plain", "plain" },
	{ "", "" },
	{ "bad\\xff\\xfe.o", "bad\xff\xfe.o" },
	{ "\\x80", "\x80" },
	/* No byte of these was escaped. */
	{ "\\x7f", "\\x7f" },
	{ "\\xFF", "\\xFF" },
	{ "\\xfF", "\\xfF" },
	{ "\\xf", "\\xf" },
	{ "\\x", "\\x" },
	{ "\\xfg", "\\xfg" },
	{ "\\yff", "\\yff" },
	{ "xff", "xff" },
	{ "a text is not escaped: \\xc3\\xa9", "a text is not escaped: \\xc3\\xa9" },
};

START_TEST(bytes_of_names_come_back)
{
	FREED char *bytes = json_bytes_back(escapes[_i].text);

	ck_assert_str_eq(bytes, escapes[_i].bytes);
}
END_TEST

SUITE(findings_sarif, LOOP(bytes_of_names_come_back, escapes), LOOP(a_finding_is_a_result, results),
      TEST(fingerprints_are_numbered), TEST(an_id_of_a_later_version_is_left_out),
      LOOP(a_run_is_an_invocation, runs), TEST(each_id_is_a_rule))
