/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_findings_several.c - several images, several findings, every field: none is taken for another
 *
 * Objects are written with ' in place of ".
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/json_counts.h"
#include "baseline_fixture.h"
#include "reports/findings/function_name.h"

static char path[64];

static void set_up(void)
{
	strcpy(path, "/tmp/stackproof-findings-XXXXXX");
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	close(file);
}

static void tear_down(void)
{
	unlink(path);
}

static char *quoted(const char *text)
{
	char *ret = strdup(text);

	for (char *at = ret; (at = strchr(at, '\'')); at++)
		*at = '"';
	return ret;
}

static json_t *parse(const char *text)
{
	FREED char *json = quoted(text);
	json_error_t error;
	json_t *object = json_loads(json, JSON_DECODE_ANY, &error);

	ck_assert_msg(object != NULL, "%s: %s", json, error.text);
	return object;
}

static struct baseline *read_text(const char *text)
{
	struct baseline *baseline;
	struct error error;
	FREED char *json = quoted(text);
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	fputs(json, file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_msg(!baseline_read(path, &baseline, &error), "%s", error.message);
	return baseline;
}

/* ---- keys ---------------------------------------------------------------------------------- */

/* Each field has its place, and of addresses there is only that there is one. */
static const struct {
	const char *finding, *key;
} keys[] = {
	{ "{'id':'SP003','function':'f','register':'rbx','declared':'d','actual':'a'}",
	  "SP003|f|rbx|d|a" },
	{ "{'id':'SP003','register':'rbx'}", "SP003||rbx||" },
	{ "{'id':'SP003','declared':'rbx'}", "SP003|||rbx|" },
	{ "{'id':'SP003','actual':'rbx'}", "SP003||||rbx" },
	{ "{'function':''}", "|?|||" },
	{ "{'id':'SP001','declared':'0x12..0xaF and 10x1, 0xg 0x'}",
	  "SP001|||0x..0x and 10x, 0xg 0x|" },
	{ "{'id':'SP001','register':'0x1','actual':'0x2'}", "SP001||0x||0x" },
	{ "{'id':'SP001','function':'gap@0x10','table':'cfi'}", "SP001|code without symbol|||" },
	{ "{'id':'SP001','function':'fde@0x10','table':'orc'}",
	  "SP001|an FDE without symbol||||orc" },
	{ "{'id':'SP001','function':'_ZN1a1b17h0123456789abcdefE'}", "SP001|a::b|||" },
};

START_TEST(key_is_of_what_stays)
{
	json_t *finding = parse(keys[_i].finding);
	FREED char *key = finding_key(RECORD(finding));

	ck_assert_str_eq(key, keys[_i].key);
	json_decref(finding);
}
END_TEST

/* ---- names of functions ---------------------------------------------------------------------- */

#define HASH	"17h0123456789abcdefE"
#define ESCAPES "$LT$$GT$$RF$$BP$$C$$LP$$RP$$u20$$u7b$$u7d$$u5b$$u5d$$u27$$u3b$$u2b$$u22$.."

static const struct {
	const char *symbol, *name; /* NULL: the same */
} functions[] = {
	{ "_ZN1a1b" HASH, "a::b" },
	{ "_ZN1a" HASH ".llvm.77", "a" },
	{ "_ZN74" ESCAPES "2_a" HASH, "<>&*,() {}[]';+\"::::_a" },
	{ "_ZN5_$LT$2$a3$LT3a.b4....1_" HASH, "<::$a::$LT::a.b::::::::_" },
	/* What is no path of Rust's. */
	{ "_ZN17h0123456789abcdef1aE", NULL },
	{ "_ZN1a16h0123456789abcdeE", NULL },
	{ "_ZN1a17g0123456789abcdefE", NULL },
	{ "_ZN1a17h0123456789abcdegE", NULL },
	{ "_ZN1a17h0123456789abcdef", NULL },
	{ "_ZNa1" HASH, NULL },
	{ "ZN1a" HASH, NULL },
	{ "_RNvCs1_1aCs2b_1b.llvm.5", "_RNvC1aC1b" },
	{ "_RNvCs_1a", NULL },
	{ "_RNvCs12", NULL },
	{ "_RC", NULL },
	{ "Cs1_x", NULL },
	{ "a.llvm.1.llvm.2", "a" },
	{ ".llvm.3", NULL },
	{ "a.llv", NULL },
	{ "gap@1", NULL },
	{ "fde@x", NULL },
};

START_TEST(name_is_without_hashes)
{
	const char *expected = functions[_i].name ? functions[_i].name : functions[_i].symbol;
	size_t size = strlen(expected) + 1;
	char text[128];

	function_name_print(functions[_i].symbol, text, sizeof(text));
	ck_assert_msg(!strcmp(text, expected), "%s: %s", functions[_i].symbol, text);
	/* With a byte less of room it is cut. */
	memset(text, 'x', sizeof(text));
	function_name_print(functions[_i].symbol, text, size - 1);
	ck_assert_uint_lt(strlen(text), size);
	ck_assert_int_eq(strncmp(text, expected, size - 2), 0);
	ck_assert_int_eq(text[size - 1], 'x');
}
END_TEST

/* ---- baselines ----------------------------------------------------------------------------- */

#define FINDING(image, id, offset)                                                                 \
	"{'type':'lint_finding','image':'" image "','id':'" id "','function':'f','offset':" offset \
	",'actual':'x'}\n"
#define IMAGE(image, count)                                                                        \
	"{'type':'lint','image':'" image "','status':'linted','wanted_findings':" count "}\n"
#define TOTAL(images) "{'type':'lint_total','images':" images "}\n"

static bool any(const void *context, const struct finding_record *finding)
{
	return true;
}

/* Each image has its findings, in whatever order; one has none, and one failed. */
START_TEST(each_image_has_its_own)
{
	static const char *const images[] = { "a", "b", "c", "d" };
	static const size_t counts[] = { 2, 0, 1, 1 };
	struct baseline *baseline = read_text(
		FINDING("a", "SP001", "8") FINDING("a", "SP001", "4") IMAGE("a", "2")
			IMAGE("b", "0") FINDING("c", "SP002", "6") IMAGE("c", "1") FINDING(
				"d", "SP001",
				"4") "{'type':'lint','image':'d','status':'failed'}\n" TOTAL("4"));

	ck_assert_uint_eq(baseline->count, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_str_eq(json_text(baseline->image[i].object, "image"), images[i]);
		ck_assert_uint_eq(baseline->image[i].findings.count, counts[i]);
		ck_assert_uint_eq(baseline->image[i].copies, 1);
	}
	ck_assert_uint_eq(baseline->image[0].findings.held[0].finding.offset, 4);
	ck_assert_uint_eq(baseline->image[0].findings.held[1].finding.offset, 8);
	ck_assert_str_eq(baseline->image[2].findings.held[0].key, "SP002|f|||x");
	/* What is known of one is not known of another; of each it is said what is gone. */
	ck_assert_uint_eq(baseline_pair(baseline, images, 3), 3);
	ck_assert_uint_eq(baseline_left(baseline), 1);
	for (size_t i = 0; i < 4; i++) {
		json_t *findings = parse("[{'id':'SP001','function':'f','offset':4,'actual':'x'}]");
		json_t *image = json_pack("{s:s, s:s}", "image", images[i], "status", "linted");

		hold(baseline, image, findings, any);
		ck_assert_uint_eq(json_number(image, "known_findings"), i == 0);
		ck_assert_uint_eq(json_number(image, "new_findings"), i != 0);
		ck_assert_uint_eq(json_number(image, "gone_findings"), i == 0 || i == 2);
		if (i == 0 || i == 2)
			ck_assert_str_eq(json_text(json_array_get(findings, 1), "image"),
					 images[i]);
		json_decref(findings);
		json_decref(image);
	}
	ck_assert_uint_eq(baseline->missing, 1);
	json_t *image = parse("{'image':'e','status':'failed'}"), *none = json_array();
	hold(baseline, image, none, any);
	ck_assert_uint_eq(baseline->missing, 2);
	json_decref(image);
	json_decref(none);
	baseline_destroy(baseline);
}
END_TEST

/* What is gone has all that named it; what is of one run alone is not there. */
START_TEST(what_is_gone_has_its_fields)
{
	static const char *const image[] = { "a" };
	struct baseline *baseline = read_text(
		"{'type':'lint_finding','image':'a','id':'SP003','title':'t','function':'f','"
		"offset':4,"
		"'register':'rbx','declared':'d','actual':'x','pc':'0x1','table':'orc'}\n" IMAGE(
			"a", "1") TOTAL("1"));
	json_t *gone, *expected = parse("[{'type':'lint_gone','image':'a','id':'SP003','title':'t',"
					"'function':'f','offset':4,'register':'rbx','declared':'d',"
					"'actual':'x'}]");

	ck_assert_uint_eq(baseline_pair(baseline, image, 1), 1);
	gone = baseline_gone(&baseline->image[0], any, NULL);
	ck_assert(json_equal(gone, expected));
	json_decref(gone);
	json_decref(expected);
	baseline_destroy(baseline);
}
END_TEST

/* A name that is no text is in JSON with its bytes escaped; the last image counts as the first. */
START_TEST(lists_are_paired_as_json_has_them)
{
	char names[][8] = { "none", "\xff.o", "z" };
	struct image_path paths[] = { { .path = names[0] },
				      { .path = names[1] },
				      { .path = names[2] } };
	const struct image_list list = { .image = paths, .count = 3 };
	struct baseline *baseline = read_text(IMAGE("z", "0") IMAGE("\\\\xff.o", "0") TOTAL("2"));

	ck_assert_uint_eq(baseline_pair_list(baseline, &list), 2);
	ck_assert_str_eq(baseline->image[0].now, "z");
	ck_assert_str_eq(baseline->image[1].now, "\\xff.o");
	baseline_destroy(baseline);
}
END_TEST

/* ---- SARIF ---------------------------------------------------------------------------------- */

/* The first run of the log; to be released with it. */
static json_t *make_log(const char *findings, const char *images, const char *problems,
			const char *total, const char *folder, json_t **ret_run)
{
	struct findings_run run = { .images = parse(images),
				    .problems = parse(problems),
				    .sarif = "x" };
	json_t *sums = parse(total), *all = parse(findings), *one, *log;
	FREED char *text = NULL;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);

	json_array_foreach(all, i, one) findings_keep(&run, one);
	findings_sarif_print(&run, sums, EXIT_OK, folder, file);
	fclose(file);
	log = json_loads(text, 0, NULL);
	ck_assert_msg(log != NULL, "%s", text);
	json_decref(all);
	json_decref(sums);
	json_decref(run.findings);
	json_decref(run.images);
	json_decref(run.problems);
	*ret_run = json_array_get(json_object_get(log, "runs"), 0);
	return log;
}

static const char *const levels[] = { "error",	 "error",   "error",   "error",	  "error",
				      "warning", "warning", "warning", "warning", "note" };

/* How bad each id is: of the rule, and of a result. */
START_TEST(each_id_has_its_level)
{
	json_t *run, *log, *rules, *rule, *results;
	char findings[128];
	size_t i;

	log = make_log("[]", "[]", "[]", "{}", NULL, &run);
	rules = json_object_get(json_object_get(json_object_get(run, "tool"), "driver"), "rules");
	ck_assert_uint_ge(json_array_size(rules), COUNT(levels));
	json_array_foreach(rules, i, rule)
	{
		const char *level = i < COUNT(levels) ? levels[i] : "warning";

		ck_assert_str_eq(json_text(json_object_get(rule, "defaultConfiguration"), "level"),
				 level);
		ck_assert_str_eq(json_text(json_object_get(rule, "fullDescription"), "text"),
				 json_text(json_object_get(rule, "help"), "text"));
		snprintf(findings, sizeof(findings),
			 "[{'type':'lint_finding','image':'a','id':'%s'}]", json_text(rule, "id"));
		json_t *one, *other = make_log(findings, "[]", "[]", "{}", NULL, &one);
		results = json_object_get(one, "results");
		ck_assert_str_eq(json_text(json_array_get(results, 0), "level"), level);
		ck_assert_uint_eq(json_number(json_array_get(results, 0), "ruleIndex"), i);
		json_decref(other);
	}
	json_decref(log);
}
END_TEST

/* Alike are only those of one image's name, one key; between them stand others, and ids of a later version. */
START_TEST(fingerprints_are_numbered_by_their_key)
{
	static const char *const prints[] = { "a|SP001|f|||x|1", "a|SP001|f|||y|1",
					      "b|SP001|f|||x|1", "a|SP001|f|||x|2",
					      "a|SP001|f|||y|2" };
#define LATER "{'type':'lint_gone','image':'a','id':'SP999'}"
#define OF(image, actual)                                                                          \
	"{'type':'lint_finding','image':'" image "','id':'SP001','function':'f','actual':'" actual \
	"'}"
	json_t *run, *result;
	json_t *log = make_log(
		"[" LATER "," OF("/l/a", "x") "," OF("/l/a", "y") "," OF(
			"/l/b", "x") "," LATER "," OF("/m/a", "x") "," OF("a", "y") "," LATER "]",
		"[]", "[]", "{}", NULL, &run);
	size_t i;

	json_array_foreach(json_object_get(run, "results"), i, result) ck_assert_str_eq(
		json_text(json_object_get(result, "partialFingerprints"), "stackproof/v1"),
		prints[i]);
	ck_assert_uint_eq(i, COUNT(prints));
	json_decref(log);
}
END_TEST

static const struct {
	const char *image, *folder, *uri;
} uris[] = {
	{ "/home/me/a", "/home/me", "a" },
	{ "/home/me/a", NULL, "file:///home/me/a" },
	{ "/home/me/a", "/", "file:///home/me/a" },
	{ "/home/me", "/home/me", "file:///home/me" },
	{ "/home/me/././a", "/home/me", "a" },
	{ "././a/./b", "/home/me", "a/./b" },
	{ ".//a", "/home/me", ".//a" },
	{ "./", "/home/me", "./" },
	{ "../a", "/home/me", "../a" },
	{ ".a", "/home/me", ".a" },
	{ "a-b_c.d~e+f", NULL, "a-b_c.d~e+f" },
	{ "a\\\\xffb", NULL, "a%FFb" },
};

START_TEST(paths_are_uris)
{
	char images[128];
	json_t *run, *notes;

	snprintf(images, sizeof(images), "[{'image':'%s','status':'no_cfi'}]", uris[_i].image);
	json_t *log = make_log("[]", images, "[]", "{}", uris[_i].folder, &run);
	notes = json_object_get(json_array_get(json_object_get(run, "invocations"), 0),
				"toolExecutionNotifications");
	json_t *locations = json_object_get(json_array_get(notes, 0), "locations");
	json_t *physical = json_object_get(json_array_get(locations, 0), "physicalLocation");

	ck_assert_str_eq(json_text(json_object_get(physical, "artifactLocation"), "uri"),
			 uris[_i].uri);
	json_decref(log);
}
END_TEST

/* All that a finding has, and all that a run comes to; of what is not the schema's nothing. */
START_TEST(every_field_is_there)
{
#define EVIDENCE                                                                                   \
	"'declared':'d','actual':'a','register':'rbx','from':'0x1','disassembly':[1],'path':[2],"  \
	"'path_cut':true,'pc_end':'0x9','producer':'p','compilers':['c']"
#define SUMS                                                                                       \
	"'images':3,'fdes':4,'proven':1,'mismatch':2,'unproven':5,'unproven_reasons':{'x':1},"     \
	"'checked':6,'not_checked':{'y':1},'baseline':{'file':'b'}"
	json_t *run, *result, *expected, *invocation, *notes;
	json_t *log = make_log("[{'type':'lint_finding','image':'a','id':'SP001','offset':4,"
			       "'seconds':1,'table':'cfi'," EVIDENCE "}]",
			       "[{'image':'a','status':'linted'},{'image':'b','status':'no_cfi',"
			       "'message':'m'},{'image':'c','status':'unread'}]",
			       "['one','two']", "{'seconds':1.5,'findings':{}," SUMS "}", NULL,
			       &run);

	result = json_array_get(json_object_get(run, "results"), 0);
	expected = parse("{" EVIDENCE "}");
	ck_assert(json_equal(json_object_get(result, "properties"), expected));
	json_decref(expected);
	/* A place in no function is none. */
	ck_assert_str_eq(json_text(json_object_get(result, "message"), "text"),
			 "the CFA is elsewhere: declared d, actual a of a");
	invocation = json_array_get(json_object_get(run, "invocations"), 0);
	expected = parse("{" SUMS "}");
	ck_assert(json_equal(json_object_get(invocation, "properties"), expected));
	json_decref(expected);
	notes = json_object_get(invocation, "toolExecutionNotifications");
	static const char *const texts[] = { "one", "two", "m", "unread" };
	static const char *const how[] = { "error", "error", "note", "error" };
	ck_assert_uint_eq(json_array_size(notes), COUNT(texts));
	for (size_t i = 0; i < COUNT(texts); i++) {
		json_t *note = json_array_get(notes, i);

		ck_assert_str_eq(json_text(json_object_get(note, "message"), "text"), texts[i]);
		ck_assert_str_eq(json_text(note, "level"), how[i]);
		ck_assert(!json_object_get(note, "locations") == (i < 2));
	}
	json_decref(log);
}
END_TEST

/* ---- the page ------------------------------------------------------------------------------- */

/* What the page has of a run; a count of 0 that was counted is said. */
START_TEST(every_sum_is_on_the_page)
{
	static const char *const rows[] = {
		"<p class=\"bad\">one</p>\n<p class=\"bad\">two</p>\n",
		">images</td><td class=\"n\">1<",
		">FDEs</td><td class=\"n\">2<",
		">with a mismatch</td><td class=\"n\">3<",
		">unproven</td><td class=\"n\">4<",
		">findings that the baseline has</td><td class=\"n\">5<",
		"t have</td><td class=\"n\">0<",
		">findings that only it has</td><td class=\"n\">7<",
		">SP001</td><td>the CFA is elsewhere in t</td><td class=\"n\">9<",
		">SP003</td><td>",
		"<td class=\"code\">i</td><td>linted</td><td class=\"n\">0</td><td class=\"n "
		"soft\">-<",
	};
	struct findings_run run = { .problems = parse("['one','two']"),
				    .images = parse("[{'image':'i','status':'linted','fdes':0}]") };
	json_t *total = parse("{'images':1,'fdes':2,'mismatch':3,'unproven':4,'known_findings':5,"
			      "'new_findings':0,'gone_findings':7,'findings':{},'tables':{"
			      "'t':{'findings':{'SP001':9}},'u':{'findings':{'SP003':1}}}}");
	char *page = NULL, text[128];
	const char *at;
	size_t size;
	FILE *file = open_memstream(&page, &size);

	json_t *reasons = json_object();
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		json_object_set_new(reasons, lint_reasons[i].name, json_integer(100 + i));
	json_object_set_new(total, "unproven_reasons", reasons);
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++)
		json_object_set_new(json_object_get(total, "findings"), lint_ids[i].name,
				    json_integer(200 + i));
	findings_page_print(&run, total, file);
	fclose(file);
	at = page;
	for (int i = 0; i < COUNT(rows); i++) {
		ck_assert_msg((at = strstr(at, rows[i])) != NULL, "%s", rows[i]);
		for (int j = 0; i == 4 && j < FLOW_REASON_COUNT; j++) {
			snprintf(text, sizeof(text), ">%s</td>", lint_reasons[j].name);
			ck_assert_msg(strstr(page, text) != NULL, "%s", text);
			snprintf(text, sizeof(text), "<td class=\"n\">%d<", 100 + j);
			ck_assert_msg(strstr(page, text) != NULL, "%s", text);
		}
	}
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++) {
		snprintf(text, sizeof(text), ">%s</td>", lint_ids[i].name);
		ck_assert_msg((at = strstr(page, text)) != NULL, "%s", text);
		snprintf(text, sizeof(text), "<td class=\"n\">%d<", 200 + i);
		ck_assert_msg(strstr(at, text) != NULL, "%s", text);
	}
	free(page);
	json_decref(total);
	json_decref(run.problems);
	json_decref(run.images);
}
END_TEST

/* What it came to is in both files, and the status that is not good stays. */
START_TEST(the_files_say_what_the_run_came_to)
{
	char page[80], *text = NULL;
	struct findings_run run = { .sarif = path, .page = page };
	json_t *total = parse("{'images':12,'fdes':34}"),
	       *image = parse("{'image':'i','status':'linted'}");
	size_t size = 0;

	snprintf(page, sizeof(page), "%s.html", path);
	findings_keep(&run, image);
	json_decref(image);
	findings_problem(&run, "one \xff problem");
	findings_problem(&run, "and another");
	ck_assert_int_eq(findings_open(&run, EXIT_FINDINGS), EXIT_FINDINGS);
	ck_assert_int_eq(findings_finish(&run, total, EXIT_FINDINGS), EXIT_FINDINGS);
	FILE *file = fopen(path, "re");
	ck_assert_int_gt(getdelim(&text, &size, '\0', file), 0);
	fclose(file);
	ck_assert(strstr(text, "\"exitCode\": 1,") && strstr(text, "\"images\": 12,") &&
		  strstr(text, "\"fdes\": 34"));
	ck_assert(strstr(text, "\"one \\\\\\\\xff problem\"") && strstr(text, "\"and another\""));
	file = fopen(page, "re");
	ck_assert_int_gt(getdelim(&text, &size, '\0', file), 0);
	fclose(file);
	ck_assert(strstr(text, ">FDEs</td><td class=\"n\">34<") && strstr(text, ">i<"));
	ck_assert(strstr(text, ">one \\xff problem<") && strstr(text, ">and another<"));
	free(text);
	unlink(page);
	json_decref(total);
}
END_TEST

/* ---- cases ---------------------------------------------------------------------------------- */

/* Of known ones and of those that are gone none is a line, nor of the twenty. */
START_TEST(lines_are_of_those_that_fail)
{
	struct cases cases = { 0 };
	json_t *findings = json_array();
	struct judged_case *judged;
	size_t lines = 0;

	for (int i = 0; i < 60; i++)
		json_array_append_new(findings,
				      i % 3 == 0   ? parse("{'type':'lint_finding','known':true}")
				      : i % 3 == 1 ? parse("{'type':'lint_gone'}")
						   : parse("{'type':'lint_finding','id':'i'}"));
	cases_suite(&cases, "s");
	judged = cases_add(&cases, "c", "n", CASE_FAILED, "m");
	say_case(judged, findings);
	for (const char *at = judged->output; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, 20);
	ck_assert(!strstr(judged->output, "..."));
	json_array_append_new(findings, parse("{'type':'lint_finding','id':'i'}"));
	json_array_append_new(findings, parse("{'type':'lint_finding','id':'i'}"));
	judged = cases_add(&cases, "c", "n", CASE_FAILED, "m");
	say_case(judged, findings);
	ck_assert_str_eq(strstr(judged->output, "..."), "...\n");
	json_decref(findings);
	cases_deinit(&cases);
}
END_TEST

SUITE(findings_several, FIXTURE(set_up, tear_down), LOOP(key_is_of_what_stays, keys),
      LOOP(name_is_without_hashes, functions), TEST(each_image_has_its_own),
      TEST(what_is_gone_has_its_fields), TEST(lists_are_paired_as_json_has_them),
      TEST(each_id_has_its_level), TEST(fingerprints_are_numbered_by_their_key),
      LOOP(paths_are_uris, uris), TEST(every_field_is_there), TEST(every_sum_is_on_the_page),
      TEST(the_files_say_what_the_run_came_to), TEST(lines_are_of_those_that_fail))
