/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_findings_page.c - a run of lint as a page, and the files of --sarif and --page
 *
 * Objects are written with ' in place of ".
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/json_counts.h"
#include "reports/findings/findings.h"
#include "reports/report/tests/html_check.h"

static char folder[] = "/tmp/stackproof-findings-XXXXXX";

static json_t *parse(const char *quoted)
{
	FREED char *text = strdup(quoted);
	json_error_t error;
	json_t *object;

	for (char *at = text; (at = strchr(at, '\'')); at++)
		*at = '"';
	object = json_loads(text, 0, &error);
	ck_assert_msg(object != NULL, "%s: %s", text, error.text);
	return object;
}

/* Behind <main>; to be freed. */
static char *print_page(const struct findings_run *run, const json_t *total)
{
	char *page = NULL, *body;
	size_t size;
	FILE *file = open_memstream(&page, &size);

	findings_page_print(run, total, file);
	fclose(file);
	html_check(page);
	body = strdup(strstr(page, "<main>\n") + 7);
	free(page);
	return body;
}

START_TEST(a_run_is_a_page)
{
	static const char expected[] =
		"<h1>stackproof lint</h1>\n"
		"<p class=\"bad\">/no&lt;such: No such file</p>\n"
		"<h2 id=\"sums\">Sums</h2>\n"
		"<div class=\"box\"><table>\n"
		"<thead><tr><th></th><th></th><th class=\"n\"></th></tr></thead>\n<tbody>\n"
		"<tr><td class=\"keep\">images</td><td>images</td><td class=\"n\">2</td></tr>\n"
		"<tr><td class=\"keep\">fdes</td><td>FDEs</td><td "
		"class=\"n\">1\xe2\x80\xaf"
		"000</td></tr>\n"
		"<tr><td class=\"keep\">proven</td><td>proven: on every way the code has what the "
		"rows declare</td><td class=\"n\">997</td></tr>\n"
		"<tr><td class=\"keep\">unproven</td><td>unproven</td><td class=\"n\">2</td></tr>\n"
		"<tr><td class=\"keep\">not_reached</td><td>code that no way leads to</td><td "
		"class=\"n\">2</td></tr>\n"
		"<tr><td class=\"keep\">SP001</td><td>the CFA is elsewhere</td><td "
		"class=\"n\">3</td></tr>\n"
		"<tr><td class=\"keep\">SP002</td><td>the return address is elsewhere in &lt;t</td>"
		"<td class=\"n\">1</td></tr>\n"
		"</tbody></table></div>\n"
		"<h2 id=\"images\">Images</h2>\n"
		"<div class=\"box\"><table>\n"
		"<thead><tr><th>image</th><th>status</th><th class=\"n\">FDEs</th><th "
		"class=\"n\">proven</th><th class=\"n\">mismatch</th><th "
		"class=\"n\">unproven</th><th "
		"class=\"n\">findings</th><th></th></tr></thead>\n<tbody>\n"
		"<tr><td class=\"code\">&lt;script&gt;&amp;\xef\xbf\xbd</td><td>linted</td><td "
		"class=\"n\">1\xe2\x80\xaf"
		"000</td><td class=\"n\">997</td><td class=\"n\">1</td><td "
		"class=\"n\">2</td><td class=\"n\">3</td><td class=\"note\"></td></tr>\n"
		"<tr><td class=\"code\">b</td><td class=\"bad\">failed</td><td class=\"n "
		"soft\">-</td><td class=\"n soft\">-</td><td class=\"n soft\">-</td><td class=\"n "
		"soft\">-</td><td class=\"n soft\">-</td><td class=\"note\">died of &quot;SIGSEGV"
		"&quot;</td></tr>\n"
		"</tbody></table></div>\n"
		"<h2 id=\"findings\">Findings</h2>\n"
		"<details open><summary class=\"bad\">&lt;script&gt;&amp;?: f&lt;int&gt;+0x1: "
		"SP001 t</summary><pre>     -&gt; 0x1  ret\n"
		"    actual      x&lt;y\n"
		"</pre></details>\n"
		"<details><summary class=\"soft\">a: g: SP001 t</summary><pre>    actual      x\n"
		"</pre></details>\n"
		"<details><summary class=\"good\">a: h: SP001 gone: &lt;x</summary><pre></pre>"
		"</details>\n"
		"</main>\n</body>\n</html>\n";
	struct findings_run run = {
		.problems = parse("['/no<such: No such file']"),
		.images = parse("[{'image': '<script>&\\u001b', 'status': 'linted', 'fdes': 1000,"
				" 'proven': 997, 'mismatch': 1, 'unproven': 2, 'wanted_findings': "
				"3},"
				" {'image': 'b', 'status': 'failed', 'message': 'died of "
				"\\u0022SIGSEGV\\u0022'}]"),
	};
	json_t *total = parse("{'images': 2, 'fdes': 1000, 'proven': 997, 'unproven': 2,"
			      " 'unproven_reasons': {'not_reached': 2}, 'findings': {'SP001': 3},"
			      " 'tables': {'<t': {'findings': {'SP002': 1}}}}");
	json_t *findings = parse(
		"[{'type': 'lint_finding', 'image': '<script>&\\u001b', 'id': 'SP001', "
		"'title':"
		" 't', 'pc': '0x1', 'pc_end': '0x1', 'function': 'f<int>', 'offset': 1,"
		" 'disassembly': [{'pc': '0x1', 'instruction': 'ret'}], 'actual': 'x<y',"
		" 'known': false},"
		" {'type': 'lint_finding', 'image': 'a', 'id': 'SP001', 'title': 't', "
		"'pc': "
		"'0x1', 'pc_end': '0x1', 'function': 'g', 'offset': 0, 'actual': 'x', "
		"'known': "
		"true},"
		" {'type': 'lint_gone', 'image': 'a', 'id': 'SP001', 'function': 'h', "
		"'actual':"
		" '<x'}]");
	FREED char *body = NULL;
	json_t *one;
	size_t i;

	run.page = "x";
	json_array_foreach(findings, i, one) findings_keep(&run, one);
	json_decref(findings);
	body = print_page(&run, total);

	ck_assert_msg(!strcmp(body, expected), "%s", body);
	json_decref(total);
	json_decref(run.problems);
	json_decref(run.images);
	json_decref(run.findings);
}
END_TEST

START_TEST(without_a_total_there_are_the_problems)
{
	struct findings_run run = { .problems = parse("['no total']") };
	FREED char *body = print_page(&run, NULL);

	ck_assert_str_eq(body, "<h1>stackproof lint</h1>\n<p class=\"bad\">no total</p>\n"
			       "</main>\n</body>\n</html>\n");
	json_decref(run.problems);
}
END_TEST

START_TEST(without_findings_it_says_so)
{
	struct findings_run run = { .sarif = NULL };
	json_t *total = parse("{'images': 0}");
	FREED char *body = print_page(&run, total);

	ck_assert_ptr_nonnull(strstr(body, "<p>None.</p>\n"));
	json_decref(total);
}
END_TEST

/* ---- files -------------------------------------------------------------------------------- */

static void keep(struct findings_run *run, const char *quoted)
{
	json_t *object = parse(quoted);

	findings_keep(run, object);
	json_decref(object);
}

START_TEST(nothing_is_kept_unasked)
{
	struct findings_run run = { .sarif = NULL };

	keep(&run, "{'image': 'b', 'status': 'linted'}");
	findings_problem(&run, "x");
	ck_assert_ptr_null(run.images);
	ck_assert_ptr_null(run.problems);
	ck_assert_int_eq(findings_finish(&run, NULL, EXIT_SKIPPED), EXIT_SKIPPED);
}
END_TEST

START_TEST(one_file_is_enough_to_keep_it)
{
	char path[100];
	struct findings_run sarif = { .sarif = path }, page = { .page = path };

	snprintf(path, sizeof(path), "%s/f", folder);
	keep(&sarif, "{'image': 'b', 'status': 'linted'}");
	keep(&page, "{'type': 'lint_finding', 'image': 'b'}");
	ck_assert_uint_eq(json_array_size(sarif.images), 1);
	ck_assert_uint_eq(json_array_size(page.findings), 1);
	ck_assert_int_eq(findings_finish(&sarif, NULL, EXIT_OK), EXIT_OK);
	ck_assert_int_eq(findings_finish(&page, NULL, EXIT_OK), EXIT_OK);
	unlink(path);
}
END_TEST

START_TEST(files_are_written_by_image)
{
	char sarif[100], page[100];
	struct findings_run run = { .sarif = sarif, .page = page };
	json_t *log, *results, *one;
	const char *expected[] = { "a", "a", "b" }, *functions[] = { "g", "f", "f" };
	json_error_t error;
	size_t i;

	snprintf(sarif, sizeof(sarif), "%s/s", folder);
	snprintf(page, sizeof(page), "%s/p", folder);
	keep(&run, "{'type': 'lint_finding', 'image': 'b', 'id': 'SP001', 'function': 'f'}");
	keep(&run, "{'image': 'b', 'status': 'linted'}");
	keep(&run, "{'type': 'lint_finding', 'image': 'a', 'id': 'SP001', 'function': 'g'}");
	keep(&run, "{'type': 'lint_finding', 'image': 'a', 'id': 'SP001', 'function': 'f'}");
	keep(&run, "{'image': 'a', 'status': 'linted'}");
	findings_problem(&run, "\xff no UTF-8");
	ck_assert_int_eq(findings_finish(&run, NULL, EXIT_FINDINGS), EXIT_FINDINGS);
	log = json_load_file(sarif, 0, &error);
	ck_assert_msg(log != NULL, "%s", error.text);
	results = json_object_get(json_array_get(json_object_get(log, "runs"), 0), "results");
	json_array_foreach(results, i, one)
	{
		json_t *logical = json_object_get(
			json_array_get(json_object_get(one, "locations"), 0), "logicalLocations");

		ck_assert_str_eq(json_text(json_object_get(one, "analysisTarget"), "uri"),
				 expected[i]);
		ck_assert_str_eq(json_text(json_array_get(logical, 0), "fullyQualifiedName"),
				 functions[i]);
	}
	ck_assert_uint_eq(i, 3);
	json_decref(log);
	ck_assert_int_eq(access(page, R_OK), 0);
	unlink(sarif);
	unlink(page);
}
END_TEST

/* To be freed. */
static char *read_text(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(getdelim(&text, &size, '\0', file), 0);
	fclose(file);
	return text;
}

START_TEST(paths_are_those_of_this_folder)
{
	char sarif[100], page[100], *text, *here = getcwd(NULL, 0), *image, *first;
	struct findings_run run = { .sarif = sarif, .page = page };
	json_t *total = parse("{'images': 2}");

	snprintf(sarif, sizeof(sarif), "%s/s", folder);
	snprintf(page, sizeof(page), "%s/p", folder);
	ck_assert_int_ge(
		asprintf(&image, "{'type': 'lint_finding', 'image': '%s/b', 'id': 'SP001'}", here),
		0);
	keep(&run, image);
	keep(&run, "{'image': 'later', 'status': 'linted'}");
	keep(&run, "{'image': 'earlier', 'status': 'linted'}");
	ck_assert_int_eq(findings_finish(&run, total, EXIT_FINDINGS), EXIT_FINDINGS);
	text = read_text(sarif);
	ck_assert_ptr_nonnull(strstr(text, "\n \"runs\": [\n"));
	ck_assert_ptr_nonnull(strstr(text, "\"uri\": \"b\""));
	ck_assert_str_eq(text + strlen(text) - 3, "\n}\n");
	free(text);
	text = read_text(page);
	first = strstr(text, "<td class=\"code\">earlier<");
	ck_assert(first && strstr(first, "<td class=\"code\">later<"));
	free(text);
	free(image);
	free(here);
	json_decref(total);
	unlink(sarif);
	unlink(page);
}
END_TEST

/* What of one file fails is the run's: the other is written, and says so. */
static const struct {
	const char *name, *sarif, *page; /* NULL: in the folder */
	bool opened_before;
	enum exit_status opens, ends;
	const char *says; /* in the SARIF log, or in the page; NULL: there is neither */
} failures[] = {
	{ "both", NULL, NULL, false, EXIT_OK, EXIT_OK, "\"exitCode\": 0" },
	{ "both_opened_before", NULL, NULL, true, EXIT_OK, EXIT_OK, "\"exitCode\": 0" },
	{ "a_full_page", NULL, "/dev/full", false, EXIT_OK, EXIT_ENVIRONMENT, "\"exitCode\": 99" },
	{ "no_page", NULL, "/no/such/page", false, EXIT_OK, EXIT_ENVIRONMENT, "\"exitCode\": 99" },
	{ "no_sarif", "/no/such/log", NULL, false, EXIT_OK, EXIT_ENVIRONMENT, "</html>" },
	{ "a_full_sarif", "/dev/full", NULL, false, EXIT_OK, EXIT_ENVIRONMENT, "</html>" },
	{ "what_failed_before_is_not_opened_again", "/no/such/log", NULL, true, EXIT_ENVIRONMENT,
	  EXIT_OK, "</html>" },
};

START_TEST(the_other_file_is_written)
{
	char sarif[100], page[100], *text;
	struct findings_run run = { .sarif = failures[_i].sarif ?: sarif,
				    .page = failures[_i].page ?: page };

	snprintf(sarif, sizeof(sarif), "%s/s", folder);
	snprintf(page, sizeof(page), "%s/p", folder);
	if (failures[_i].opened_before)
		ck_assert_int_eq(findings_open(&run, EXIT_OK), failures[_i].opens);
	ck_assert_msg(findings_finish(&run, NULL, EXIT_OK) == failures[_i].ends, "%s",
		      failures[_i].name);
	text = read_text(failures[_i].sarif ? page : sarif);
	ck_assert_msg(strstr(text, failures[_i].says) != NULL, "%s: %s", failures[_i].name, text);
	free(text);
	/* No file of a second opening is left. */
	unlink(sarif);
	unlink(page);
	ck_assert_msg(!rmdir(folder) && !mkdir(folder, 0700), "%s", failures[_i].name);
}
END_TEST

START_TEST(a_file_that_cant_be_written_is_the_environments_fault)
{
	char path[100], said[100], expected[400], *text;
	struct findings_run sarif = { .sarif = path }, page = { .page = path },
			    full = { .page = "/dev/full" };
	int before = dup(STDERR_FILENO);

	snprintf(path, sizeof(path), "%s/no/such", folder);
	snprintf(said, sizeof(said), "%s/e", folder);
	ck_assert_ptr_nonnull(freopen(said, "w", stderr));
	ck_assert_int_eq(findings_finish(&sarif, NULL, EXIT_OK), EXIT_ENVIRONMENT);
	ck_assert_int_eq(findings_finish(&page, NULL, EXIT_FINDINGS), EXIT_ENVIRONMENT);
	ck_assert_int_eq(findings_finish(&full, NULL, EXIT_OK), EXIT_ENVIRONMENT);
	fflush(stderr);
	ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
	close(before);
	text = read_text(said);
	snprintf(expected, sizeof(expected),
		 "stackproof: %s: No such file or directory\n"
		 "stackproof: %s: No such file or directory\n"
		 "stackproof: writing /dev/full: No space left on device\n",
		 path, path);
	ck_assert_str_eq(text, expected);
	free(text);
	unlink(said);
}
END_TEST

/* How an image's status looks; only those that failed are bad. */
static const struct {
	const char *status, *cell;
} statuses[] = {
	{ "linted", "<td>linted</td>" },
	{ "no_cfi", "<td class=\"warn\">no_cfi</td>" },
	{ "failed", "<td class=\"bad\">failed</td>" },
	{ "unread", "<td class=\"bad\">unread</td>" },
};

START_TEST(a_status_shows)
{
	struct findings_run run = { .page = "x" };
	json_t *total = parse("{'images': 1}");
	char text[100], *body;

	snprintf(text, sizeof(text), "{'image': 'a', 'status': '%s'}", statuses[_i].status);
	keep(&run, text);
	body = print_page(&run, total);
	ck_assert_msg(strstr(body, statuses[_i].cell) != NULL, "%s", body);
	free(body);
	json_decref(total);
	json_decref(run.images);
}
END_TEST

/* Named once or several times: each adds to those before it. */
START_TEST(ids_that_are_asked_for_add_up)
{
	struct argp_state state = { .name = "lint", .err_stream = stderr };
	uint32_t only = FINDINGS_ALL;

	findings_only(&state, "SP001", &only);
	ck_assert_uint_eq(only, 1u << lint_id_find("SP001"));
	findings_only(&state, "SP002,SP004", &only);
	ck_assert_uint_eq(only, 1u << lint_id_find("SP001") | 1u << lint_id_find("SP002") |
					1u << lint_id_find("SP004"));
}
END_TEST

static error_t parse_only(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	findings_only(state, argument, state->input);
	return 0;
}

/* The process ends there. */
START_TEST(an_id_that_is_none_is_refused)
{
	static const struct argp argp = { .parser = parse_only };
	char name[] = "lint", ids[] = "SP001,SP999", *arguments[] = { name, ids, NULL };
	uint32_t only = FINDINGS_ALL;

	argp_err_exit_status = 44;
	argp_parse(&argp, 2, arguments, 0, NULL, &only);
}
END_TEST

SUITE_MAIN(findings_page)
{
	Suite *suite = suite_create("findings_page");
	TCase *said = tcase_create("said");
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	tcase_add_test(said, a_run_is_a_page);
	tcase_add_test(said, without_a_total_there_are_the_problems);
	tcase_add_test(said, without_findings_it_says_so);
	tcase_add_test(said, nothing_is_kept_unasked);
	tcase_add_test(said, one_file_is_enough_to_keep_it);
	tcase_add_test(said, files_are_written_by_image);
	tcase_add_test(said, paths_are_those_of_this_folder);
	tcase_add_test(said, a_file_that_cant_be_written_is_the_environments_fault);
	tcase_add_loop_test(said, the_other_file_is_written, 0,
			    sizeof(failures) / sizeof(failures[0]));
	tcase_add_loop_test(said, a_status_shows, 0, sizeof(statuses) / sizeof(statuses[0]));
	tcase_add_test(said, ids_that_are_asked_for_add_up);
	tcase_add_exit_test(said, an_id_that_is_none_is_refused, 44);
	suite_add_tcase(suite, said);
	failed = suite_run(suite);
	rmdir(folder);
	return failed;
}
