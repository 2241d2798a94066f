/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_toolchain_report.c - results seen by toolchain: versions, faults, changes, and what is
 * written
 *
 * The results are made by hand: a program with four versions of one compiler, of which two have a
 * fault, another compiler, one that is absent, hand-written assembly, and names that no sane file
 * has. Binaries are read in test_function_profile.c.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "reports/findings/function_name.h"
#include "reports/report/tests/html_check.h"
#include "reports/report/html.h"
#include "plain_text.h"
#include "corpus/toolchains/toolchains.h"
#include "reports/report/tests/results_fixture.h"

/* ---- ids --------------------------------------------------------------------------------- */

static const struct id_case {
	const char *name;
	const char *text;
	const char *family;
	unsigned int version[TOOLCHAIN_VERSION_PARTS];
	const char *linker;
} id_cases[] = {
	{ "family_and_version", "gcc-12.2.0", "gcc", { 12, 2, 0 }, "" },
	{ "another_linker", "gcc-12.2.0+lld-14.0.6", "gcc", { 12, 2, 0 }, "lld-14.0.6" },
	{ "a_family_may_have_a_dash", "musl-gcc-1.2.3", "musl-gcc", { 1, 2, 3 }, "" },
	{ "an_absent_one_has_no_version", "rustc", "rustc", { 0 }, "" },
	{ "a_name_of_digits_only_is_a_family", "12", "12", { 0 }, "" },
	{ "five_parts_are_cut", "x-1.2.3.4.5", "x", { 1, 2, 3, 4 }, "" },
	{ "a_number_beyond_32_bits_is_the_largest", "x-99999999999", "x", { UINT32_MAX }, "" },
	{ "a_suffix_ends_the_version", "clang-19.1.7rc2", "clang", { 19, 1, 7 }, "" },
	{ "nothing_is_a_family", "", "", { 0 }, "" },
};

START_TEST(test_id)
{
	const struct id_case *c = &id_cases[_i];
	struct toolchain_id id;

	toolchain_id_parse(c->text, &id);
	ck_assert_msg(!strcmp(id.family, c->family), "%s: family %s", c->name, id.family);
	ck_assert_msg(!strcmp(id.linker, c->linker), "%s: linker %s", c->name, id.linker);
	ck_assert_msg(!memcmp(id.version, c->version, sizeof(id.version)), "%s: version %u.%u.%u",
		      c->name, id.version[0], id.version[1], id.version[2]);
}
END_TEST

static const struct order_case {
	const char *name;
	const char *first;
	const char *second;
} order_cases[] = {
	{ "nine_is_before_ten", "gcc-9.4.0", "gcc-10.2.1" },
	{ "ten_is_before_twelve", "gcc-10.2.1", "gcc-12.2.0" },
	{ "minor_versions_are_numbers", "rustc-1.63.0", "rustc-1.100.0" },
	{ "families_are_apart", "clang-19.1.7", "gcc-9.4.0" },
	{ "the_usual_linker_is_first", "gcc-12.2.0", "gcc-12.2.0+gold-1.16" },
	{ "other_linkers_are_behind_all_versions", "gcc-16.0.0", "gcc-12.2.0+gold-1.16" },
	{ "no_version_is_before_any", "gcc", "gcc-4.1.0" },
};

START_TEST(test_order)
{
	const struct order_case *c = &order_cases[_i];
	struct toolchain_id first, second;

	toolchain_id_parse(c->first, &first);
	toolchain_id_parse(c->second, &second);
	ck_assert_msg(toolchain_id_compare(&first, &second) < 0, "%s", c->name);
	ck_assert_msg(toolchain_id_compare(&second, &first) > 0, "%s", c->name);
	ck_assert_msg(!toolchain_id_compare(&first, &first), "%s", c->name);
}
END_TEST

static const struct short_case {
	const char *name;
	const char *id;
	const char *other;
	const char *text;
} short_cases[] = {
	{ "major_alone", "gcc-12.2.0", "gcc-13.3.0", "12" },
	{ "minor_if_majors_are_equal", "clang-18.1.3", "clang-18.2.0", "18.1" },
	{ "rustc_has_been_1_since_ever", "rustc-1.63.0", "rustc-2.0.0", "1.63" },
	{ "linker_behind_it", "gcc-12.2.0+lld-14.0.6", "gcc-12.2.0", "12+lld" },
};

START_TEST(test_short_version)
{
	const struct short_case *c = &short_cases[_i];
	struct toolchain_id id, other;
	const struct toolchain_id *all[] = { &id, &other };
	char text[64];

	toolchain_id_parse(c->id, &id);
	toolchain_id_parse(c->other, &other);
	toolchain_short_version(&id, all, COUNT(all), text, sizeof(text));
	ck_assert_msg(!strcmp(text, c->text), "%s: %s", c->name, text);
}
END_TEST

/* ---- names ------------------------------------------------------------------------------- */

static const struct name_case {
	const char *name;
	const char *symbol;
	const char *text;
} name_cases[] = {
	{ "c_names_stay", "main.cold", "main.cold" },
	{ "cxx_names_stay", "_ZN3Dog5speakEv", "_ZN3Dog5speakEv" },
	{ "rust_hash_goes", "_ZN5chain2a117h0123456789abcdefE", "chain::a1" },
	{ "rust_escapes_are_read", "_ZN14_$LT$A..B$GT$x1c17h0123456789abcdefE", "<A::B>x::c" },
	{ "module_hash_of_llvm_goes", "work.llvm.12345678901234567890", "work" },
	{ "crate_hash_of_v0_goes", "_RNvCs1a2b3c_5chain2a1", "_RNvC5chain2a1" },
	{ "code_without_symbol", "gap@0x1234", "code without symbol" },
	{ "fde_without_symbol", "fde@0x1234", "an FDE without symbol" },
	{ "length_beyond_the_name", "_ZN99999999999999999999a17h0123456789abcdefE",
	  "_ZN99999999999999999999a17h0123456789abcdefE" },
	{ "a_hash_alone_is_no_path", "_ZN17h0123456789abcdefE", "_ZN17h0123456789abcdefE" },
	{ "cut_off_in_a_segment", "_ZN5cha", "_ZN5cha" },
	{ "no_name", "", "?" },
};

START_TEST(test_name)
{
	const struct name_case *c = &name_cases[_i];
	char text[256];

	function_name_print(c->symbol, text, sizeof(text));
	ck_assert_msg(!strcmp(text, c->text), "%s: %s", c->name, text);
}
END_TEST

START_TEST(test_long_name_is_cut)
{
	char symbol[4096], text[64];

	memset(symbol, 'x', sizeof(symbol) - 1);
	symbol[sizeof(symbol) - 1] = '\0';
	function_name_print(symbol, text, sizeof(text));
	ck_assert_uint_eq(strlen(text), sizeof(text) - 1);
}
END_TEST

static const struct text_case {
	const char *name;
	const char *text;
	const char *plain;
	const char *html;
} text_cases[] = {
	{ "letters_stay", "main", "main", "main" },
	{ "markup_is_text", "<script>alert('1&2')</script>", "<script>alert('1&2')</script>",
	  "&lt;script&gt;alert(&#39;1&amp;2&#39;)&lt;/script&gt;" },
	{ "quotes_end_no_attribute", "a\" onload=\"x", "a\" onload=\"x", "a&quot; onload=&quot;x" },
	{ "escape_sequences_end_here", "a\033[31mb\a", "a?[31mb?",
	  "a\xef\xbf\xbd[31mb\xef\xbf\xbd" },
	{ "utf8_stays", "na\xc3\xafve", "na\xc3\xafve", "na\xc3\xafve" },
	{ "c1_controls_go",
	  "a\xc2\x9b"
	  "31mb",
	  "a?31mb",
	  "a\xef\xbf\xbd"
	  "31mb" },
	{ "latin1_is_not_utf8", "na\xefve", "na?ve", "na\xef\xbf\xbdve" },
};

START_TEST(test_text)
{
	const struct text_case *c = &text_cases[_i];
	char plain[128], *html = NULL;

	plain_text(c->text, plain, sizeof(plain));
	ck_assert_msg(!strcmp(plain, c->plain), "%s: plain %s", c->name, plain);
	FIXTURE_CAPTURE(html, html_text(capture, c->text));
	ck_assert_msg(!strcmp(html, c->html), "%s: html %s", c->name, html);
	free(html);
}
END_TEST

START_TEST(test_text_is_cut_between_characters)
{
	char plain[5];

	ck_assert_str_eq(plain_text("abc\xc3\xaf", plain, sizeof(plain)), "abc");
	ck_assert_str_eq(plain_text("abcdef", plain, sizeof(plain)), "abcd");
}
END_TEST

/* ---- changes ----------------------------------------------------------------------------- */

#define PLAIN (FEATURE_FDE | FEATURE_EPILOGUES)

#define BEFORE(...) .before = { __VA_ARGS__ }
#define AFTER(...)  .after = { __VA_ARGS__ }

static const struct change_case {
	const char *name;
	struct function_profile before;
	struct function_profile after;
	uint32_t gained;
	uint32_t lost;
	uint32_t numbers;
	const char *text;
} change_cases[] = {
	{ "rbp_in_place_of_rsp", BEFORE(.features = PLAIN, .rows = 3, .returns = 1),
	  AFTER(.features = PLAIN | FEATURE_CFA_RBP, .rows = 4, .returns = 1), FEATURE_CFA_RBP, 0,
	  1 << NUMBER_ROWS, "CFA on rbp, rows 3 -> 4" },
	{ "an_epilogue_is_lost", BEFORE(.features = PLAIN, .returns = 2),
	  AFTER(.features = FEATURE_FDE, .returns = 2, .returns_open = 1), 0, FEATURE_EPILOGUES, 0,
	  "epilogue not described, rets not described 0 of 2 -> 1 of 2" },
	{ "without_a_ret_nothing_is_said_of_epilogues", BEFORE(.features = PLAIN, .returns = 1),
	  AFTER(.features = FEATURE_FDE), 0, 0, 0, "other rules in as many rows" },
	{ "without_fde_nothing_else_is_a_change",
	  BEFORE(.features = PLAIN | FEATURE_REMEMBER, .rows = 7, .saved = 8, .returns = 1),
	  AFTER(.features = 0), 0, FEATURE_FDE, 0, "has no FDE" },
	{ "other_registers",
	  BEFORE(.features = PLAIN, .saved = 1 << 3, .returns = 1, .cfa_max = 16),
	  AFTER(.features = PLAIN, .saved = 1 << 6 | 1 << 12, .returns = 1, .cfa_max = 32), 0, 0,
	  1 << NUMBER_SAVED | 1 << NUMBER_CFA_MAX,
	  "saved rbx -> rbp r12, largest CFA offset 16 -> 32" },
};

START_TEST(test_change)
{
	const struct change_case *c = &change_cases[_i];
	struct function_change change = { .outcome = FUNCTION_CHANGED,
					  .before = c->before,
					  .after = c->after };
	char text[256];

	function_change_classify(&change);
	ck_assert_msg(change.gained == c->gained, "%s: gained %x", c->name, change.gained);
	ck_assert_msg(change.lost == c->lost, "%s: lost %x", c->name, change.lost);
	ck_assert_msg(change.numbers == c->numbers, "%s: numbers %x", c->name, change.numbers);
	function_change_print(&change, text, sizeof(text));
	ck_assert_msg(!strcmp(text, c->text), "%s: %s", c->name, text);
}
END_TEST

/* ---- the model --------------------------------------------------------------------------- */

/* A judged cell with a fault in a function, or without one. */
static struct cell *add_cell(struct results *results, const char *kernel, const char *program,
			     const char *toolchain, const char *variant, const char *language,
			     const char *fault)
{
	struct cell *cell = fixture_cell(results, kernel, program, toolchain, variant, language);
	char json[1024];

	cell_set(cell, CELL_PASSED, "%s", "");
	fixture_object(cell, "{\"type\":\"verdicts\",\"points\":1000,\"exact\":990,"
			     "\"table_fault\":6,\"conversion_loss_flagged\":4}");
	if (fault) {
		snprintf(json, sizeof(json),
			 "{\"type\":\"finding\",\"verdict\":\"table_fault\",%s,\"image\":"
			 "\"/somewhere/%s\",\"place\":\"f+0x4 (x)\",\"instruction\":\"ret\","
			 "\"declared\":\"cfa=rsp+16 ra=c-8\",\"declared_cfa\":\"0x1010\","
			 "\"actual_cfa\":\"0x1008\",\"count\":3}",
			 fault, cell->binary);
		fixture_object(cell, json);
	}
	return cell;
}

#define WRONG(function) "\"kind\":\"wrong\",\"function\":\"" function "\""
#define EXPECTED	",\"expected\":true"

static void make_results(struct results *results)
{
	static const char *const versions[] = { "gcc-12.2.0", "gcc-9.4.0", "gcc-13.3.0",
						"gcc-10.2.1" };

	results_init(results);
	fixture_kernel(results, "host", "6.18.1", "", "native", "ok", "", 0, 3000);
	fixture_kernel(results, "5.10", "5.10.0", "", "tcg", "ok", "", 2000, 3000);
	for (size_t i = 0; i < COUNT(versions); i++) {
		/* New in 10.2.1, fixed in 13.3.0. */
		const char *fault = strstr(versions[i], "-1") && !strstr(versions[i], "-13")
					    ? WRONG("work") EXPECTED
					    : NULL;
		add_cell(results, "host", "chain", versions[i], "O2-nofp", "c", fault);
		add_cell(results, "5.10", "chain", versions[i], "O2-nofp", "c", fault);
	}
	add_cell(results, "host", "chain", "clang-14.0.6", "O2-nofp", "c", WRONG("other"));
	/* Another variant, in which nobody shows the fault: it says nothing of it. */
	add_cell(results, "host", "chain", "clang-16.0.6", "O0-fp", "c", NULL);
	cell_set(fixture_cell(results, "host", "chain", "gcc-15", "O2-nofp", "c"), CELL_SKIPPED,
		 "no_root: forky");
	add_cell(results, "host", "stub", "gcc-12.2.0", "asm", "asm", WRONG("stub") EXPECTED);
	add_cell(results, "host", "leaf", "gcc-12.2.0", "O2-nofp", "c",
		 "\"kind\":\"missing\",\"function\":\"_init\",\"start_file\":\"crti.o\"" EXPECTED);
	add_cell(results, "host", "leaf", "gcc-12.2.0", "O0-fp", "c",
		 "\"kind\":\"wrong\",\"function\":\"memcpy\",\"linked_in\":true" EXPECTED);
	add_cell(results, "host", "leaf", "gcc-13.3.0", "O0-fp", "c",
		 "\"kind\":\"missing\",\"function\":\".plt\",\"section\":\".plt\"" EXPECTED);
}

struct subject {
	struct results results;
	struct toolchains model;
};

static void setup(struct subject *subject)
{
	make_results(&subject->results);
	toolchains_init(&subject->model, &subject->results);
}

static void teardown(struct subject *subject)
{
	toolchains_deinit(&subject->model);
	results_deinit(&subject->results);
}

START_TEST(test_toolchains_are_in_order_of_version)
{
	static const char *const names[] = { "clang-14.0.6", "clang-16.0.6", "gcc-9.4.0",
					     "gcc-10.2.1",   "gcc-12.2.0",   "gcc-13.3.0",
					     "gcc-15" };
	struct subject subject;

	setup(&subject);
	ck_assert_uint_eq(subject.model.count, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++)
		ck_assert_str_eq(subject.model.toolchain[i].name, names[i]);
	teardown(&subject);
}
END_TEST

START_TEST(test_a_binary_counts_once)
{
	struct subject subject;

	setup(&subject);
	size_t index = toolchains_find(&subject.model, "gcc-9.4.0");
	const struct toolchain *toolchain = &subject.model.toolchain[index];
	ck_assert_uint_eq(toolchain->binaries, 1);
	ck_assert_uint_eq(toolchain->points, 1000);
	ck_assert_uint_eq(toolchain->exact, 990);
	ck_assert_uint_eq(toolchain->flagged, 4);
	ck_assert_uint_eq(toolchain->faults, 0);
	teardown(&subject);
}
END_TEST

START_TEST(test_an_absent_toolchain_says_why)
{
	struct subject subject;

	setup(&subject);
	size_t index = toolchains_find(&subject.model, "gcc-15");
	ck_assert_uint_eq(subject.model.toolchain[index].skipped, 1);
	ck_assert_uint_eq(subject.model.toolchain[index].binaries, 0);
	ck_assert_str_eq(subject.model.toolchain[index].reasons, "no_root 1");
	teardown(&subject);
}
END_TEST

static const struct fault_case_row {
	const char *name;
	const char *function;
	enum fault_origin origin;
	bool expected;
	uint64_t points;
	const char *states; /* by toolchain: X there, . not, - not tried */
	const char *history;
} fault_rows[] = {
	{ "new_in_one_fixed_in_another", "work", ORIGIN_COMPILED, true, 6, ".-.XX.-",
	  "clang: not there; gcc: new in 10.2.1, fixed in 13.3.0" },
	{ "in_one_family_only", "other", ORIGIN_COMPILED, false, 3, "X-....-",
	  "clang: in 14.0.6; gcc: in none of 4 versions" },
	{ "assembly_is_nobodys_table", "stub", ORIGIN_HANDWRITTEN, true, 3, "----X--",
	  "gcc: in 12.2.0" },
	{ "start_up_code_is_of_any_program", "_init", ORIGIN_STARTUP, true, 3, ".-..X.-",
	  "clang: not there; gcc: new in 12.2.0, fixed in 13.3.0" },
	{ "what_was_linked_in_is_a_library", "memcpy", ORIGIN_LIBRARY, true, 3, "-.--X.-",
	  "clang: not there; gcc: in 12.2.0, fixed in 13.3.0" },
	{ "a_plt_is_the_linkers", "[.plt]", ORIGIN_COMPILED, true, 3, "-.--.X-",
	  "clang: not there; gcc: new in 13.3.0" },
};

START_TEST(test_fault)
{
	const struct fault_case_row *c = &fault_rows[_i];
	const struct toolchain_fault *fault = NULL;
	struct subject subject;
	char history[256];

	setup(&subject);
	ck_assert_uint_eq(subject.model.fault_count, COUNT(fault_rows));
	for (size_t i = 0; i < subject.model.fault_count; i++)
		if (!strcmp(subject.model.fault[i].function, c->function))
			fault = &subject.model.fault[i];
	ck_assert_msg(fault != NULL, "%s: not found", c->name);
	ck_assert_msg(fault->origin == c->origin, "%s: %s", c->name,
		      fault_origin_name(fault->origin));
	ck_assert_msg(fault->expected == c->expected, "%s", c->name);
	ck_assert_msg(fault->points == c->points, "%s: %llu points", c->name,
		      (unsigned long long)fault->points);
	for (size_t i = 0; i < subject.model.count; i++)
		ck_assert_msg("-.X"[fault->state[i]] == c->states[i], "%s: %s is %c", c->name,
			      subject.model.toolchain[i].name, "-.X"[fault->state[i]]);
	fault_history_print(&subject.model, fault, history, sizeof(history));
	ck_assert_msg(!strcmp(history, c->history), "%s: %s", c->name, history);
	fault_actual_print(&fault->cases[0].finding, history, sizeof(history));
	ck_assert_str_eq(history, "the CFA is 8 bytes lower");
	teardown(&subject);
}
END_TEST

START_TEST(test_unexpected_faults_come_first)
{
	struct subject subject;

	setup(&subject);
	ck_assert_str_eq(subject.model.fault[0].function, "other");
	ck_assert_uint_eq(subject.model.toolchain[0].faults_unexpected, 1);
	teardown(&subject);
}
END_TEST

START_TEST(test_neighbours)
{
	bool usable[] = { true, true, true, false, true, true, false };
	struct subject subject;

	setup(&subject);
	/* gcc-12.2.0: 10.2.1 has no tables, so 9.4.0. */
	ck_assert_uint_eq(toolchains_previous(&subject.model, 4, usable), 2);
	ck_assert_uint_eq(toolchains_previous(&subject.model, 5, usable), 4);
	/* The oldest of its family has none, whatever family is before it. */
	ck_assert_uint_eq(toolchains_previous(&subject.model, 2, usable), SIZE_MAX);
	teardown(&subject);
}
END_TEST

/* ---- writers ----------------------------------------------------------------------------- */

static const struct function_change hostile_changes[] = {
	{ .program = "chain",
	  .variant = "O2-nofp",
	  .outcome = FUNCTION_ADDED,
	  .before = { .name = "<b>\033[2Jx\xff" },
	  .after = { .name = "<b>\033[2Jx\xff", .features = FEATURE_FDE } },
	{ .program = "chain",
	  .variant = "O2-nofp",
	  .outcome = FUNCTION_CHANGED,
	  .before = { .name = "work", .features = PLAIN, .rows = 3, .returns = 1 },
	  .after = { .name = "work",
		     .features = PLAIN | FEATURE_REMEMBER,
		     .rows = 3,
		     .returns = 1 },
	  .gained = FEATURE_REMEMBER },
};

/* With a pair whose functions have names that would be markup and commands to a terminal. */
static void add_hostile_pair(struct toolchains *model)
{
	model->pair = calloc(1, sizeof(*model->pair));
	model->pair[0] = (struct toolchain_pair) { .from = 2, .to = 3, .binaries = 1 };
	model->pair[0].functions[FUNCTION_ADDED] = 1;
	model->pair[0].functions[FUNCTION_CHANGED] = 1;
	model->pair[0].change = malloc(sizeof(hostile_changes));
	memcpy(model->pair[0].change, hostile_changes, sizeof(hostile_changes));
	model->pair[0].change_count = COUNT(hostile_changes);
	model->pair_count = 1;
}

static const struct width_case {
	unsigned int width;
	bool verbose;
} width_cases[] = { { 60, false }, { 80, false }, { 100, false }, { 200, false }, { 100, true } };

START_TEST(test_terminal)
{
	const struct width_case *c = &width_cases[_i];
	struct toolchains_style style = { .width = c->width, .verbose = c->verbose };
	struct subject subject;
	FREED char *text = NULL;

	setup(&subject);
	add_hostile_pair(&subject.model);
	FIXTURE_CAPTURE(text, toolchains_print(&subject.model, &style, capture));
	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_ptr_null(strchr(text, '\xff'));
	ck_assert_ptr_nonnull(strstr(text, "gcc-15: 1 skipped: no_root 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "gcc: new in 10.2.1, fixed in 13.3.0"));
	ck_assert_ptr_nonnull(strstr(text, "uses remember_state"));
	/* Names are left out where there is no room for one. */
	ck_assert(c->width < 80 || strstr(text, "<b>?[2Jx?"));
	/* Wrapped: but a word may be longer than a narrow terminal, and --verbose has all columns.
	 * */
	for (char *line = strtok(text, "\n"); line && !c->verbose; line = strtok(NULL, "\n"))
		ck_assert_msg(plain_width(line) <= c->width ||
				      strstr(line, "Table faults of") == line,
			      "%u columns: %s", c->width, line);
	teardown(&subject);
}
END_TEST

START_TEST(test_version_table)
{
	struct toolchains_style style = { .width = 100 };
	struct subject subject;
	FREED char *text = NULL;

	setup(&subject);
	FIXTURE_CAPTURE(text, toolchains_print(&subject.model, &style, capture));
	ck_assert_msg(strstr(text, "                  clang   gcc\n"
				   "                  14 16   9 10 12 13\n"
				   "!other in chain    X      .  .  .  .\n") != NULL,
		      "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "\n work in chain     .      .  X  X  .\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n [.plt]               .         .  X\n"));
	teardown(&subject);
}
END_TEST

START_TEST(test_json)
{
	static const char *const types[] = { "toolchain", "toolchain_fault", "toolchain_pair",
					     "toolchain_change", "toolchain_summary" };
	size_t count[COUNT(types)] = { 0 };
	struct subject subject;
	FREED char *text = NULL;

	setup(&subject);
	add_hostile_pair(&subject.model);
	FIXTURE_CAPTURE(text, ck_assert(!toolchains_print_json(&subject.model, capture)));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *object = json_loads(line, 0, NULL);
		ck_assert_msg(object != NULL, "%s", line);
		const char *type = json_string_value(json_object_get(object, "type"));
		for (size_t i = 0; i < COUNT(types); i++)
			count[i] += !strcmp(type, types[i]);
		json_decref(object);
	}
	ck_assert_uint_eq(count[0], 7);
	ck_assert_uint_eq(count[1], COUNT(fault_rows));
	ck_assert_uint_eq(count[2], 1);
	ck_assert_uint_eq(count[3], COUNT(hostile_changes));
	ck_assert_uint_eq(count[4], 1);
	teardown(&subject);
}
END_TEST

START_TEST(test_page)
{
	struct subject subject;
	FREED char *text = NULL;

	setup(&subject);
	add_hostile_pair(&subject.model);
	FIXTURE_CAPTURE(text, ck_assert(!toolchains_print_html(&subject.model, capture)));
	ck_assert_uint_gt(html_check(text), 100);
	ck_assert_ptr_nonnull(strstr(text, "&lt;b&gt;\xef\xbf\xbd[2Jx\xef\xbf\xbd"));
	ck_assert_ptr_null(strstr(text, "<b>\033"));
	ck_assert_ptr_null(strstr(text, "<script"));
	ck_assert_ptr_null(strstr(text, "http:"));
	ck_assert_ptr_null(strstr(text, "https:"));
	ck_assert_ptr_nonnull(strstr(text, "default-src 'none'"));
	ck_assert_ptr_nonnull(strstr(text, "1 skipped: no_root 1"));
	teardown(&subject);
}
END_TEST

START_TEST(test_matrix_page)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fixture_results(&results);
	strcpy(results.partial, "signal");
	strcpy(results.partial_message, "<b>");
	FIXTURE_CAPTURE(text, matrix_html_print(&results, capture));
	ck_assert_uint_gt(html_check(text), 100);
	ck_assert_ptr_nonnull(strstr(text, "walk_fault 3 &lt;#1&gt;"));
	ck_assert_ptr_nonnull(strstr(text, "the kernel panicked: not syncing"));
	ck_assert_ptr_nonnull(strstr(text, ">99.10 % / 0.20 %<"));
	ck_assert_ptr_nonnull(strstr(text, ">no_compiler<"));
	ck_assert_ptr_null(strstr(text, "<#1>"));
	ck_assert_ptr_nonnull(strstr(text, "PARTIAL (signal): &lt;b&gt;."));
}
END_TEST

SUITE(toolchain_report, LOOP(test_id, id_cases), LOOP(test_order, order_cases),
      LOOP(test_short_version, short_cases), LOOP(test_name, name_cases),
      TEST(test_long_name_is_cut), LOOP(test_text, text_cases),
      TEST(test_text_is_cut_between_characters), LOOP(test_change, change_cases),
      TEST(test_toolchains_are_in_order_of_version), TEST(test_a_binary_counts_once),
      TEST(test_an_absent_toolchain_says_why), LOOP(test_fault, fault_rows),
      TEST(test_unexpected_faults_come_first), TEST(test_neighbours),
      LOOP(test_terminal, width_cases), TEST(test_version_table), TEST(test_json), TEST(test_page),
      TEST(test_matrix_page))
