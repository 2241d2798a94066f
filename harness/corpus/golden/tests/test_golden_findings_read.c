/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_findings_read.c - a run's results as each binary's findings, line by line
 *
 * Whether an address is the program's own is made up: all below 0x9000 are.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/finding/tests/finding_fixture.h"
#include "tests/suite.h"
#include "freed.h"
#include "corpus/golden/golden.h"

static bool made_up_own(const char *path, uint64_t vaddr)
{
	ck_assert_str_eq(path, "/corpus/it.O2");
	return vaddr < 0x9000;
}
#define golden_own_has made_up_own
#include "corpus/golden/golden_findings_read.c"

static char own_name[] = "it.O2", own_path[] = "/corpus/it.O2", library[] = "/corpus/it.O2.so",
	    other_file[] = "/corpus/libab.so", second_name[] = "two.O2",
	    second_path[] = "/corpus/two.O2";
static char *files[] = { library, other_file };
static struct corpus_binary binaries[] = {
	{ .name = own_name, .path = own_path, .file = files, .file_count = 2 },
	{ .name = second_name, .path = second_path },
};
static const struct manifest manifest = { binaries, COUNT(binaries) };

static json_t *object_in(json_t *parent, const char *key)
{
	if (!json_object_get(parent, key))
		json_object_set_new(parent, key, json_object());
	return json_object_get(parent, key);
}

static json_t *cell_json(const struct golden_cell *cell)
{
	json_t *findings = json_array();

	for (size_t i = 0; i < cell->findings.count; i++) {
		const struct finding_record *finding = &cell->findings.held[i].finding;

		json_array_append_new(findings, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "text",
							  cell->findings.held[i].key, "verdict",
							  finding->verdict, "kind", finding->kind,
							  "function", finding->function,
							  "instruction", finding->instruction,
							  "file", basename(finding->image)));
	}
	return json_pack("{s:b, s:b, s:o}", "cut", cell->cut, "stepped", 1, "findings", findings);
}

/* binary -> kernel -> what was found, of those that were stepped. NULL: it can't be read. */
static json_t *read_text(const char *text, bool *ret_is_run, struct error *error)
{
	struct golden_verdicts verdicts = { .stepped = NULL };
	int file = memfd_create("results", 0);
	char path[64];
	json_t *ret = NULL;

	ck_assert_int_eq(write(file, text, strlen(text)), strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (!golden_verdicts_read(&verdicts, path, &manifest, error))
		ret = json_object();
	for (size_t i = 0; ret && i < verdicts.cell_count; i++)
		if (verdicts.cell[i].stepped)
			json_object_set_new(object_in(ret, verdicts.cell[i].binary->name),
					    verdicts.cell[i].kernel, cell_json(&verdicts.cell[i]));
	*ret_is_run = verdicts.of_run;
	golden_verdicts_deinit(&verdicts);
	close(file);
	return ret;
}

static void check_text(const char *name, const char *text, const char *wanted)
{
	struct error error = { 0 };
	bool is_run;
	json_t *all = read_text(text, &is_run, &error);
	FREED char *said = NULL;

	ck_assert_msg(all != NULL, "%s: %s", name, error.message);
	said = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
	ck_assert_msg(!strcmp(said, wanted), "%s: %s", name, said);
	json_decref(all);
}

/* ---- one finding as text -------------------------------------------------------------------- */

#define BASE                                                                                       \
	"\"verdict\":\"table_fault\",\"kind\":\"wrong\",\"place\":\"f+0x5 (it.O2)\","              \
	"\"function\":\"f\",\"address\":\"0x1005\",\"declared\":\"cfa=rsp+8\""

static const struct {
	const char *name, *finding, *tag, *text;
} findings[] = {
	{ "plain", "{" BASE "}", "", "table_fault wrong f+0x5 declared cfa=rsp+8" },
	{ "of_a_file", "{" BASE "}", "so", "table_fault wrong so:f+0x5 declared cfa=rsp+8" },
	{ "a_cfa_above", "{" BASE ",\"declared_cfa\":\"0x7000\",\"actual_cfa\":\"0x7010\"}", "",
	  "table_fault wrong f+0x5 declared cfa=rsp+8 actual cfa+16" },
	{ "a_cfa_below", "{" BASE ",\"declared_cfa\":\"0x7010\",\"actual_cfa\":\"0x7000\"}", "",
	  "table_fault wrong f+0x5 declared cfa=rsp+8 actual cfa-16" },
	{ "the_same_cfa", "{" BASE ",\"declared_cfa\":\"0x7010\",\"actual_cfa\":\"0x7010\"}", "",
	  "table_fault wrong f+0x5 declared cfa=rsp+8 actual cfa+0" },
	{ "a_kilobyte_above", "{" BASE ",\"declared_cfa\":\"0x7000\",\"actual_cfa\":\"0x7400\"}",
	  "", "table_fault wrong f+0x5 declared cfa=rsp+8 actual cfa+1024" },
	{ "a_byte_more", "{" BASE ",\"declared_cfa\":\"0x7000\",\"actual_cfa\":\"0x7401\"}", "",
	  "table_fault wrong f+0x5 declared cfa=rsp+8 actual cfa elsewhere" },
	{ "a_kilobyte_below", "{" BASE ",\"declared_cfa\":\"0x7400\",\"actual_cfa\":\"0x7000\"}",
	  "", "table_fault wrong f+0x5 declared cfa=rsp+8 actual cfa-1024" },
	{ "a_byte_less", "{" BASE ",\"declared_cfa\":\"0x7401\",\"actual_cfa\":\"0x7000\"}", "",
	  "table_fault wrong f+0x5 declared cfa=rsp+8 actual cfa elsewhere" },
	{ "no_actual_cfa", "{" BASE ",\"declared_cfa\":\"0x7401\"}", "",
	  "table_fault wrong f+0x5 declared cfa=rsp+8" },
	{ "no_declared_cfa", "{" BASE ",\"actual_cfa\":\"0x7401\"}", "",
	  "table_fault wrong f+0x5 declared cfa=rsp+8" },
	{ "malformed",
	  "{\"verdict\":\"table_fault\",\"kind\":\"malformed\",\"stop\":\"bad_row\","
	  "\"place\":\"f+0x5 (it.O2)\",\"declared\":\".eh_frame+0x57: what it is\","
	  "\"declared_cfa\":\"0x7000\",\"actual_cfa\":\"0x7010\"}",
	  "", "table_fault malformed:bad_row f+0x5 declared what it is" },
	{ "malformed_elsewhere",
	  "{\"verdict\":\"table_fault\",\"kind\":\"malformed\",\"stop\":\"bad_row\","
	  "\"place\":\"f+0x5 (it.O2)\",\"declared\":\"what: it is\"}",
	  "", "table_fault malformed:bad_row f+0x5 declared what: it is" },
	{ "malformed_without_a_place",
	  "{\"verdict\":\"table_fault\",\"kind\":\"malformed\",\"stop\":\"bad_row\","
	  "\"place\":\"f\",\"declared\":\".eh_frame what it is\"}",
	  "", "table_fault malformed:bad_row f declared .eh_frame what it is" },
	{ "wrong_with_a_colon",
	  "{\"verdict\":\"table_fault\",\"kind\":\"wrong\",\"place\":\"f\","
	  "\"declared\":\".x: y\"}",
	  "", "table_fault wrong f declared .x: y" },
	{ "flagged",
	  "{\"verdict\":\"conversion_loss\",\"kind\":\"flagged\",\"stop\":\"offset_range\","
	  "\"place\":\"far+0x7 (it.O2)\",\"declared\":\"cfa=rbx+2147483648\"}",
	  "so", "conversion_loss flagged:offset_range so:far+0x7 declared cfa=rbx+2147483648" },
	{ "without_a_symbol",
	  "{\"verdict\":\"v\",\"kind\":\"wrong\",\"place\":\"+0x1004 (it.O2)\","
	  "\"function\":\"gap@0x1000\",\"address\":\"0x1004\",\"declared\":\"d\"}",
	  "", "v wrong gap@0x1000+0x4 declared d" },
	{ "without_a_symbol_or_a_stretch",
	  "{\"verdict\":\"v\",\"kind\":\"wrong\",\"place\":\"+0x1004 (it.O2)\","
	  "\"function\":\"\",\"address\":\"0x1004\",\"declared\":\"d\"}",
	  "", "v wrong +0x1004 declared d" },
	{ "a_symbol_with_an_at_sign",
	  "{\"verdict\":\"v\",\"kind\":\"wrong\",\"place\":\"f@1+0x4 (it.O2)\","
	  "\"function\":\"f@1\",\"address\":\"0x1004\",\"declared\":\"d\"}",
	  "", "v wrong f@1+0x4 declared d" },
	{ "control_characters",
	  "{\"verdict\":\"v\",\"kind\":\"wrong\",\"place\":\"f\",\"declared\":\"a\\tb\\nc d\"}", "",
	  "v wrong f declared a b c d" },
};

START_TEST(a_finding_s_text)
{
	json_t *finding = json_loads(findings[_i].finding, 0, NULL);
	FREED char *text = NULL;

	ck_assert_msg(finding != NULL, "%s", findings[_i].name);
	text = finding_text(RECORD(finding), findings[_i].tag);
	ck_assert_msg(!strcmp(text, findings[_i].text), "%s: %s", findings[_i].name, text);
	json_decref(finding);
}
END_TEST

/* It is cut, and not read past its end. */
START_TEST(a_long_row)
{
	char row[1000], *text;
	json_t *finding;

	memset(row, 'x', sizeof(row) - 1);
	row[sizeof(row) - 1] = '\0';
	finding = json_pack("{s:s, s:s, s:s, s:s}", "verdict", "v", "kind", "k", "place", "p",
			    "declared", row);
	text = finding_text(RECORD(finding), "");
	ck_assert_uint_eq(strlen(text), strlen("v k p declared ") + 399);
	free(text);
	json_decref(finding);
}
END_TEST

/* ---- whose it is ---------------------------------------------------------------------------- */

static const struct {
	const char *image, *tag; /* NULL: nobody's */
} owners[] = {
	{ "/corpus/it.O2", "" },
	{ "/guest/it.O2", "" },
	{ "it.O2", "" },
	{ "/elsewhere/it.O2.so", "so" },
	{ "libab.so", "libab.so" },
	{ "/lib/libc.so.6", NULL },
	{ "it.O", NULL },
	{ "it.O2.s", NULL },
	{ "", NULL },
};

START_TEST(whose_an_image_is)
{
	const char *tag;
	bool own = is_own(&binaries[0], owners[_i].image, &tag);

	ck_assert_msg(own == (owners[_i].tag != NULL), "%s", owners[_i].image);
	ck_assert_str_eq(tag, own ? owners[_i].tag : "");
}
END_TEST

/* ---- results -------------------------------------------------------------------------------- */

#define STEPPED(binary, kernel)                                                                    \
	"{\"type\":\"verdicts\",\"binary\":\"" binary "\",\"kernel\":\"" kernel "\"}\n"
#define FINDING(binary, kernel, image, address, place)                                             \
	"{\"type\":\"finding\",\"binary\":\"" binary "\",\"kernel\":\"" kernel                     \
	"\",\"image\":\"" image "\",\"address\":\"" address                                        \
	"\",\"verdict\":\"table_fault\",\"kind\":\"wrong\",\"function\":\"f\","                    \
	"\"instruction\":\"nop\",\"declared\":\"d\",\"place\":\"" place "\"}\n"
#define KEPT(file, text)                                                                           \
	"{\"file\":\"" file "\",\"function\":\"f\",\"instruction\":\"nop\",\"kind\":\"wrong\","    \
	"\"text\":\"table_fault wrong " text " declared d\",\"verdict\":\"table_fault\"}"
#define CELL(cut, findings) "{\"cut\":" cut ",\"findings\":[" findings "],\"stepped\":true}"

static const struct {
	const char *name, *text, *all;
} results[] = {
	{ "nothing", "", "{}" },
	{ "stepped", STEPPED("it.O2", "host"), "{\"it.O2\":{\"host\":" CELL("false", "") "}}" },
	{ "two_kernels_and_two_binaries",
	  STEPPED("it.O2", "host") STEPPED("two.O2", "host") STEPPED("it.O2", "6.1"),
	  "{\"it.O2\":{\"6.1\":" CELL("false", "") ",\"host\":" CELL(
		  "false", "") "},\"two.O2\":{\"host\":" CELL("false", "") "}}" },
	{ "a_finding_before_and_one_behind",
	  FINDING("it.O2", "host", "/x/it.O2", "0x1000", "b") STEPPED("it.O2", "host")
		  FINDING("it.O2", "host", "/x/it.O2", "0x1000", "a"),
	  "{\"it.O2\":{\"host\":" CELL("false", KEPT("it.O2", "a") "," KEPT("it.O2", "b")) "}}" },
	{ "not_stepped", FINDING("it.O2", "host", "/x/it.O2", "0x1000", "b"), "{}" },
	{ "one_kernel_not_stepped",
	  FINDING("it.O2", "host", "/x/it.O2", "0x1000", "b") STEPPED("it.O2", "6.1"),
	  "{\"it.O2\":{\"6.1\":" CELL("false", "") "}}" },
	{ "another_image_s",
	  STEPPED("it.O2", "host") FINDING("it.O2", "host", "/lib/libc.so.6", "0x1000", "b"),
	  "{\"it.O2\":{\"host\":" CELL("false", "") "}}" },
	{ "not_the_program_s_own",
	  STEPPED("it.O2", "host") FINDING("it.O2", "host", "/x/it.O2", "0x9000", "b"),
	  "{\"it.O2\":{\"host\":" CELL("false", "") "}}" },
	{ "of_its_library",
	  STEPPED("it.O2", "host") FINDING("it.O2", "host", "/x/it.O2.so", "0x9000", "b"),
	  "{\"it.O2\":{\"host\":" CELL("false", KEPT("it.O2.so", "so:b")) "}}" },
	{ "a_binary_of_no_corpus", STEPPED("other.O2", "host"), "{}" },
	{ "no_kernel", STEPPED("it.O2", ""), "{}" },
	{ "other_types", "{\"type\":\"score\",\"binary\":\"it.O2\",\"kernel\":\"host\"}\n[]\n",
	  "{}" },
	{ "cut_short",
	  "{\"type\":\"verdicts\",\"binary\":\"it.O2\",\"kernel\":\"host\",\"partial\":true}\n",
	  "{}" },
	{ "not_all_kept",
	  "{\"type\":\"verdicts\",\"binary\":\"it.O2\",\"kernel\":\"host\","
	  "\"findings_not_kept\":1}\n",
	  "{\"it.O2\":{\"host\":" CELL("true", "") "}}" },
	{ "all_kept",
	  "{\"type\":\"verdicts\",\"binary\":\"it.O2\",\"kernel\":\"host\","
	  "\"findings_not_kept\":0}",
	  "{\"it.O2\":{\"host\":" CELL("false", "") "}}" },
};

START_TEST(results_of_a_run)
{
	check_text(results[_i].name, results[_i].text, results[_i].all);
}
END_TEST

START_TEST(a_run_knows_binaries)
{
	struct error error;
	bool is_run;

	json_decref(read_text("{\"type\":\"verdicts\"}\n", &is_run, &error));
	ck_assert(!is_run);
	json_decref(read_text("{\"binary\":\"x\"}\n{\"type\":\"verdicts\"}\n", &is_run, &error));
	ck_assert(is_run);
	json_decref(read_text("", &is_run, &error));
	ck_assert(!is_run);
}
END_TEST

START_TEST(lines_that_are_none)
{
	struct golden_verdicts none = { .stepped = NULL };
	struct error error = { 0 };
	bool is_run;

	ck_assert_ptr_null(read_text("{}\n{}\nx\n", &is_run, &error));
	ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
	ck_assert_uint_eq(error.offset, 3);
	ck_assert_ptr_nonnull(strstr(error.message, ": line 3: "));
	ck_assert_ptr_null(read_text("\n", &is_run, &error));
	ck_assert_int_eq(golden_verdicts_read(&none, "/nonexistent", &manifest, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

SUITE(golden_findings_read, TIMEOUT(300), LOOP(a_finding_s_text, findings), TEST(a_long_row),
      LOOP(whose_an_image_is, owners), LOOP(results_of_a_run, results), TEST(a_run_knows_binaries),
      TEST(lines_that_are_none))
