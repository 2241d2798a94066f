/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove_silent.c - what `prove` would say of faults of our own, which no image shows
 *
 * A rule that says another caller than its row, and an FDE that libdw finds and our reader does not: the
 * checks are given them by hand.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "cfi/cfi_section.h"
#include "tables/diff/tests/diff_image.h"
#include "image/eh_frames.h"
#include "tables/prove/prove.h"
#include "tables/prove/row_referee.h"
#include "tables/table/tests/section_image.h"
#include "table/unwind_table.h"

static void made_up_hdr_check(const struct cfi *cfi, struct error_list *ret);
static enum row_judgment made_up_judge(const struct row_referee *referee, const struct row *row,
				       uint64_t column, char ret_why[ROW_REFEREE_WHY]);
static int made_up_create(const char *path, bool eh_frame, struct row_referee **ret,
			  struct error *error);
static int made_up_readelf(const struct image *image, const char *program,
			   const struct line_source *lines, readelf_difference_fn fn, void *context,
			   struct readelf_proof *ret, struct error *error);
static const struct image_section *made_up_eh_frame(const struct image *of, size_t number);
static int made_up_cfi(const struct image *of, struct cfi **ret, struct error *error);
static int made_up_build(const struct image *of, struct table **ret, struct error *error);
static int made_up_prove(const struct cfi *of, const struct table *table, table_proof_fn fn,
			 void *context, struct table_proof *ret, struct error *error);
#define cfi_create	   made_up_cfi
#define table_build	   made_up_build
#define table_prove	   made_up_prove
#define image_eh_frame	   made_up_eh_frame
#define prove_lines	   made_up_readelf
#define eh_frame_hdr_check made_up_hdr_check
#define row_referee_create made_up_create
#define row_referee_judge  made_up_judge
#include "tables/prove/prove_image.c"
#undef row_referee_create
#undef image_eh_frame
#undef cfi_create
#undef table_build
#undef table_prove

#define RULE_OF_BYTES TABLE_MARKER_COUNT /* the first one that is no marker */

static const uint8_t cie_bytes[] = { CIE_USUAL };

static void one_function(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, cie_bytes, sizeof(cie_bytes));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

/* f has half of it, and g, whose length nobody knows, the rest. */
static void symbols(struct diff_image *image)
{
	const Elf64_Sym symbol[3] = {
		{ 0 },
		{ .st_name = 1,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1100,
		  .st_size = 8 },
		{ .st_name = 3,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1108 },
	};

	diff_image_put(image, symbol, sizeof(symbol));
}

static void symbol_names(struct diff_image *image)
{
	diff_image_put(image, "\0f\0g", 5);
}

static void nothing(struct diff_image *image)
{
}

static void no_function(struct diff_image *image)
{
	diff_image_entry(image, cie_bytes, sizeof(cie_bytes));
}

/* A file of that name in the folder. */
static struct image *make_image(const char *name, void (*fdes)(struct diff_image *))
{
	const struct test_section sections[] = {
		{ ".text", nothing, 0, SHF_ALLOC | SHF_EXECINSTR, 0 },
		SECTION(".eh_frame", fdes),
		{ ".symtab", symbols, SHT_SYMTAB, 0, 0 },
		{ ".strtab", symbol_names, SHT_STRTAB, 0, 0 },
		NO_SECTION,
	};
	struct image *ret;
	struct error error;

	section_image_write(name, sections);
	ck_assert_msg(!image_create(name, &ret, &error), "%s", error.message);
	return ret;
}

static struct image *image, *empty;
static struct cfi *cfi, *none;

static void set_up(void)
{
	struct error error;

	folder_enter();
	image = make_image("image", one_function);
	empty = make_image("empty", no_function);
	ck_assert(!cfi_create_section(image, ".eh_frame", &cfi, &error));
	ck_assert(!cfi_create_section(empty, ".eh_frame", &none, &error));
}

static void tear_down(void)
{
	cfi_destroy(cfi);
	cfi_destroy(none);
	image_destroy(image);
	image_destroy(empty);
	unlink("image");
	unlink("empty");
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(folder);
}

/* ---- what is made up -------------------------------------------------------------------------- */

static uint64_t wrong_entries;
static bool several;
static enum row_judgment word;
static const struct table_proof *proof_counts; /* NULL: those that there are */

/* What can't be done. */
static enum { NOTHING, NO_CFI_MEMORY, NO_TABLE, NO_PROOF, NO_REFEREE, NO_READELF, BROKEN } broken;
static bool refuses[2]; /* libdw: .debug_frame, .eh_frame */

static void made_up_hdr_check(const struct cfi *of, struct error_list *ret)
{
	struct error error;

	error_set(&error, ERROR_CFI_RANGE, ".eh_frame_hdr", 8, "wrong");
	for (uint64_t i = 0; i < wrong_entries; i++)
		error_list_add(ret, &error);
}

static const struct image_section *made_up_eh_frame(const struct image *of, size_t number)
{
	return several ? &of->eh_frame : image_eh_frame(of, number);
}

static enum row_judgment made_up_judge(const struct row_referee *referee, const struct row *row,
				       uint64_t column, char ret_why[ROW_REFEREE_WHY])
{
	snprintf(ret_why, ROW_REFEREE_WHY, "libdw: its word");
	return word;
}

static int made_up_create(const char *path, bool eh_frame, struct row_referee **ret,
			  struct error *error)
{
	if (refuses[eh_frame])
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "libdw: no");
	return broken == NO_REFEREE ? error_set(error, ERROR_SYSTEM, "", 0, "no file")
				    : row_referee_create(path, eh_frame, ret, error);
}

static int made_up_cfi(const struct image *of, struct cfi **ret, struct error *error)
{
	*ret = NULL;
	return broken == NO_CFI_MEMORY ? error_set(error, ERROR_MEMORY, "", 0, "no CFI")
				       : cfi_create(of, ret, error);
}

static int made_up_build(const struct image *of, struct table **ret, struct error *error)
{
	return broken == NO_TABLE ? error_set(error, ERROR_MEMORY, "", 0, "no table")
				  : table_build(of, ret, error);
}

static int made_up_prove(const struct cfi *of, const struct table *table, table_proof_fn fn,
			 void *context, struct table_proof *ret, struct error *error)
{
	if (broken == NO_PROOF)
		return error_set(error, ERROR_MEMORY, "", 0, "no proof");
	if (!proof_counts)
		return table_prove(of, table, fn, context, ret, error);
	*ret = *proof_counts;
	return 0;
}

/* ---- rules ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	uint32_t rule;
	bool has_row;
	uint64_t pc, pc_end;
	const char *function; /* NULL: none */
} rules[] = {
	{ "a_marker_by_its_name", TABLE_MARKER_COUNT - 1, true, 0x1100, 0x1110, "f" },
	{ "a_rule_by_its_bytes", RULE_OF_BYTES, true, 0x1100, 0x1108, "f" },
	{ "one_that_is_not_there", 1000, true, 0x1108, 0x1110, "g" },
	{ "no_row", RULE_OF_BYTES, false, 0x1110, 0x1120, NULL },
};

START_TEST(rule_is_said)
{
	const struct row row = { .pc = 0x1100, .pc_end = 0x1110, .cfa = { RULE_OFFSET } };
	struct table_proof_finding finding = { .pc = rules[_i].pc,
					       .pc_end = rules[_i].pc_end,
					       .row = rules[_i].has_row ? &row : NULL,
					       .rule = rules[_i].rule,
					       .why = "another caller" };
	char *text = NULL, bytes[2 * sizeof(struct table_rule) + 1] = "", expected[64];
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct table_check check = { { "table", image, file, 0 }, cfi, NULL };
	struct table *table;
	struct error error;

	ck_assert(!table_build(image, &table, &error));
	check.table = table;
	ck_assert_uint_gt(table->rule_count, RULE_OF_BYTES);
	for (int i = 0; i < PROVE_FINDINGS_MAX + 2; i++)
		report_silent(&check, &finding);
	fclose(file);
	ck_assert_uint_eq(check.check.findings, PROVE_FINDINGS_MAX + 2);
	int lines = 0;
	for (char *at = text; (at = strstr(at, "\"check\":\"table\"")); at++)
		lines++;
	ck_assert_int_eq(lines, PROVE_FINDINGS_MAX);
	for (size_t i = 0; i < sizeof(struct table_rule); i++)
		sprintf(bytes + 2 * i, "%02x", ((const uint8_t *)&table->rule[RULE_OF_BYTES])[i]);
	if (rules[_i].rule < TABLE_MARKER_COUNT)
		snprintf(expected, sizeof(expected), "%s", table_marker_name(rules[_i].rule));
	else
		snprintf(expected, sizeof(expected), "%u:%s", rules[_i].rule,
			 rules[_i].rule < table->rule_count ? bytes : "");
	json_t *object = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	ck_assert_str_eq(json_text(object, "type"), "proof_finding");
	ck_assert_str_eq(json_text(object, "check"), "table");
	ck_assert_str_eq(json_text(object, "image"), "image");
	ck_assert_str_eq(json_text(object, "message"), "another caller");
	ck_assert_uint_eq(strtoull(json_text(object, "pc"), NULL, 16), rules[_i].pc);
	ck_assert_uint_eq(strtoull(json_text(object, "pc_end"), NULL, 16), rules[_i].pc_end);
	ck_assert_pstr_eq(json_string_value(json_object_get(object, "function")),
			  rules[_i].function);
	ck_assert_str_eq(json_text(object, "rule"), expected);
	ck_assert_int_eq(json_object_get(object, "row") != NULL, rules[_i].has_row);
	json_decref(object);
	table_destroy(table);
	free(text);
}
END_TEST

/* Each under its own name, and every marker that has a count. */
START_TEST(counts_of_a_proof_are_said)
{
	static const struct table_proof counts = {
		.rows = 10,
		.equal = 11,
		.flagged = { 99, 1, 2, 3, 4, 5 }, /* a gap is no row */
		.silent = 12,
		.gaps = 13,
		.outside = 14,
		.evaluated = 15,
	};
	json_t *proof = json_object();
	struct error error;
	FREED char *text = NULL;

	proof_counts = &counts;
	ck_assert_int_eq(check_table(image, cfi, stdout, proof, &error), 0);
	proof_counts = NULL;
	text = json_dumps(proof, JSON_COMPACT);
	ck_assert_str_eq(text,
			 "{\"rows\":10,\"equal\":11,\"flagged\":{\"unsupported_expression\":1,"
			 "\"unsupported_register\":2,\"offset_range\":3,\"malformed\":4,"
			 "\"too_many_rules\":5},\"silent\":12,\"gaps\":13,\"outside\":14,"
			 "\"evaluated\":15}");
	json_decref(proof);
}
END_TEST

/* ---- libdw ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	bool ours_has; /* our reader has the FDE */
	uint16_t type;
	uint64_t vaddr;
	uint64_t gaps, disputed;
} gaps[] = {
	{ "where_neither_has_one", true, ET_DYN, 0x1110, 1, 0 },
	{ "where_both_have_one", true, ET_DYN, 0x1100, 0, 0 },
	{ "where_libdw_alone_has_one", false, ET_DYN, 0x1100, 0, 1 },
	{ "its_last_byte", false, ET_DYN, 0x110f, 0, 1 },
	{ "of_an_object_file", false, ET_REL, 0x1100, 0, 0 },
};

START_TEST(gap_is_judged)
{
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct referee_check check = { .check = { "libdw", image, file, 0 },
				       .cfi = gaps[_i].ours_has ? cfi : none };
	struct error error;

	ck_assert(!row_referee_create("image", true, &check.referee, &error));
	image->type = gaps[_i].type;
	for (int i = 0; i < PROVE_FINDINGS_MAX + 1; i++)
		judge_gap(&check, gaps[_i].vaddr);
	fclose(file);
	ck_assert_uint_eq(check.gaps, gaps[_i].gaps * (PROVE_FINDINGS_MAX + 1));
	ck_assert_uint_eq(check.gaps_disputed, gaps[_i].disputed * (PROVE_FINDINGS_MAX + 1));
	ck_assert_uint_eq(check.check.findings, check.gaps_disputed);
	if (gaps[_i].disputed) {
		json_t *object = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
		uint64_t pc = strtoull(json_text(object, "pc"), NULL, 16);

		ck_assert_str_eq(json_text(object, "message"), "libdw has a frame where no FDE is");
		ck_assert_uint_eq(pc, gaps[_i].vaddr);
		ck_assert_uint_eq(strtoull(json_text(object, "pc_end"), NULL, 16), pc + 1);
		ck_assert_str_eq(json_text(object, "function"), pc < 0x1108 ? "f" : "g");
		json_decref(object);
	} else {
		ck_assert_str_eq(text, "");
	}
	row_referee_destroy(check.referee);
}
END_TEST

/* An FDE at the terminator is read; what lies behind it is not. */
START_TEST(behind_a_terminator)
{
	struct referee_check check = { .check = { "libdw", image, NULL, 0 },
				       .cfi = cfi,
				       .fde = &cfi->fde[0] };

	check.terminator = find_terminator(cfi);
	ck_assert_uint_eq(check.terminator, UINT64_MAX);
	ck_assert(!libdw_has_stopped(&check));
	check.terminator = cfi->fde[0].offset;
	ck_assert(!libdw_has_stopped(&check));
	check.terminator = cfi->fde[0].offset - 1;
	ck_assert(libdw_has_stopped(&check));
}
END_TEST

/* Of several .eh_frame it reads one: that excuses nothing in .debug_frame. */
START_TEST(several_sections)
{
	static const struct {
		bool several, eh_frame, stopped;
	} cases[] = { { false, true, false },
		      { true, true, true },
		      { false, false, false },
		      { true, false, false } };
	for (int i = 0; i < COUNT(cases); i++) {
		struct cfi of = { .is_eh_frame = cases[i].eh_frame };
		struct referee_check check = { .check = { "libdw", image, NULL, 0 },
					       .cfi = &of,
					       .fde = &cfi->fde[0],
					       .terminator = UINT64_MAX };

		several = cases[i].several;
		ck_assert_msg(libdw_has_stopped(&check) == cases[i].stopped, "%d", i);
		several = false;
	}
}
END_TEST

/* A length of 64 bits may be 0, and ends nothing; nor does an entry that is damaged. */
START_TEST(what_ends_a_section)
{
	static const uint8_t bytes[] = {
		8,    0,    0,	  0,	0, 0, 0, 0, 0, 0, 0, 0, /* of 8 bytes */
		0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, /* of 64 bits, and nothing */
		4,    0,    0,	  0,	1, 0, 0, 0,		/* of 4 bytes */
		0,    0,    0,	  0,	4, 0, 0, 0, 9, 9, 9, 9,
	};
	static const struct {
		size_t size;
		uint64_t end;
	} ends[] = { { 0, UINT64_MAX },	 { 12, UINT64_MAX }, { 24, UINT64_MAX },
		     { 32, UINT64_MAX }, { 36, 32 },	     { sizeof(bytes), 32 } };

	for (int i = 0; i < COUNT(ends); i++) {
		const struct image_section section = { .name = ".eh_frame",
						       .data = bytes,
						       .size = ends[i].size };
		const struct cfi of = { .section = &section, .is_eh_frame = true };

		ck_assert_msg(find_terminator(&of) == ends[i].end, "%d: 0x%lx", i,
			      (unsigned long)find_terminator(&of));
	}
}
END_TEST

/* There libdw may say that it knows of no row. That it has another one is as wrong as anywhere. */
START_TEST(words_behind_a_terminator)
{
	static const struct {
		enum row_judgment word;
		bool behind;
		uint64_t judged, terminated, findings;
	} words[] = {
		{ ROW_AGREED, false, 1, 0, 0 },	  { ROW_AGREED, true, 1, 0, 0 },
		{ ROW_UNKNOWN, false, 1, 0, 1 },  { ROW_UNKNOWN, true, 0, 1, 0 },
		{ ROW_DISPUTED, false, 1, 0, 1 }, { ROW_DISPUTED, true, 1, 0, 1 },
	};
	const struct row row = { .pc = 0x1104, .pc_end = 0x1108, .cfa = { RULE_OFFSET } };

	for (int i = 0; i < COUNT(words); i++) {
		FREED char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		struct referee_check check = { .check = { "libdw", image, file, 0 },
					       .cfi = cfi,
					       .fde = &cfi->fde[0],
					       .terminator = words[i].behind ? 0 : UINT64_MAX };

		word = words[i].word;
		ck_assert_int_eq(judge_row(&check, &row), 0);
		fclose(file);
		ck_assert_msg(check.judged[word] == words[i].judged, "%d", i);
		ck_assert_msg(check.terminated == words[i].terminated, "%d", i);
		ck_assert_msg(check.check.findings == words[i].findings, "%d", i);
		ck_assert_msg(!*text == !words[i].findings, "%d: %s", i, text);
		ck_assert_msg(!*text || strstr(text, "\"function\":\"f\",\"pc\":\"0x1104\","
						     "\"pc_end\":\"0x1108\""),
			      "%s", text);
	}
}
END_TEST

/* Of FDEs that overlap, libdw's word is on the one that it finds: another's rows are not asked for, and counted. */
START_TEST(rows_of_another_fde_are_hidden)
{
	const struct row row = { .pc = 0x1100, .pc_end = 0x1110, .cfa = { RULE_OFFSET } };
	const struct cfi_fde other = cfi->fde[0];
	struct referee_check check = { .check = { "libdw", image, NULL, 0 },
				       .cfi = cfi,
				       .fde = &other };

	word = ROW_AGREED;
	cfi->overlapping = true;
	ck_assert_int_eq(judge_row(&check, &row), 0);
	ck_assert(check.hidden == 1 && !check.judged[ROW_AGREED]);
	check.fde = &cfi->fde[0];
	ck_assert_int_eq(judge_row(&check, &row), 0);
	ck_assert(check.hidden == 1 && check.judged[ROW_AGREED] == 1);
	cfi->overlapping = false;
	image->type = ET_REL;
	ck_assert_int_eq(judge_row(&check, &row), 0);
	ck_assert(check.not_asked == 1 && check.judged[ROW_AGREED] == 1);
}
END_TEST

/* What is known of the section before is not of the next one. */
START_TEST(sections_one_after_another)
{
	struct referee_check check = { .check = { "libdw", image, NULL, 0 }, .terminator = 1 };
	struct error error;

	word = ROW_AGREED;
	ck_assert_int_eq(judge_section(&check, ".eh_frame", &error), 0);
	ck_assert_uint_eq(check.judged[ROW_AGREED], 1);
	ck_assert_uint_eq(check.terminator, UINT64_MAX);
	ck_assert_ptr_null(check.referee);
	ck_assert_int_eq(judge_section(&check, ".debug_frame", &error), 0);
	ck_assert_uint_eq(check.judged[ROW_AGREED], 1);
}
END_TEST

static void behind_its_end(struct diff_image *of)
{
	static const uint8_t zero[4] = { 0 };
	size_t cie = diff_image_entry(of, cie_bytes, sizeof(cie_bytes));

	diff_image_put(of, zero, sizeof(zero));
	DIFF_IMAGE_FDE(of, cie, 0x1100, 0x10, CFA_nop);
}

static void debug_frame(struct diff_image *of)
{
	size_t at = debug_frame_cie(of);

	debug_frame_fde(of, (uint32_t)at, 0x1200, 0x10, 16);
	debug_frame_fde(of, (uint32_t)at, 0x1220, 0x10, 16);
}

/* Where .eh_frame has ended, and that something of it lies behind that, is nothing to .debug_frame. */
START_TEST(one_section_excuses_none_of_another)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", behind_its_end),
							SECTION(".debug_frame", debug_frame),
							NO_SECTION };
	struct image *both;
	struct error error;
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	json_t *proof = json_object();
	const json_t *referee;

	section_image_write("both", sections);
	ck_assert_msg(!image_create("both", &both, &error), "%s", error.message);
	word = ROW_UNKNOWN;
	ck_assert_int_eq(check_referee(both, file, proof, &error), 0);
	fclose(file);
	referee = json_object_get(proof, "referee");
	ck_assert_int_eq(json_count(referee, "terminated"), 1);
	ck_assert_int_eq(json_count(referee, "unknown"), 4);
	ck_assert_int_eq(json_count(referee, "agreed"), 0);
	json_decref(proof);
	image_destroy(both);
	unlink("both");
}
END_TEST

/* Its rows are counted apart, those of another section are judged, and the image is proven by all that is left. */
START_TEST(what_libdw_refuses)
{
	static const struct {
		bool eh_frame, debug_frame;
		json_int_t agreed, refused;
	} refusals[] = {
		{ false, false, 5, -1 },
		{ true, false, 4, 1 },
		{ false, true, 1, 4 },
		{ true, true, 0, 5 },
	};
	static const struct test_section sections[] = { SECTION(".eh_frame", one_function),
							SECTION(".debug_frame", debug_frame),
							NO_SECTION };
	struct image *both;
	struct error error;

	section_image_write("both", sections);
	ck_assert_msg(!image_create("both", &both, &error), "%s", error.message);
	word = ROW_AGREED;
	for (int i = 0; i < COUNT(refusals); i++) {
		FREED char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		json_t *proof = json_object();
		const json_t *referee;

		refuses[1] = refusals[i].eh_frame;
		refuses[0] = refusals[i].debug_frame;
		ck_assert_int_eq(check_referee(both, file, proof, &error), 0);
		fclose(file);
		referee = json_object_get(proof, "referee");
		ck_assert_int_eq(json_count(referee, "agreed"), refusals[i].agreed);
		ck_assert_int_eq(
			json_object_get(referee, "refused") ? json_count(referee, "refused") : -1,
			refusals[i].refused);
		ck_assert_str_eq(json_text(referee, "message"), i ? "libdw: no" : "");
		ck_assert_str_eq(text, "");
		json_decref(proof);
	}
	refuses[0] = refuses[1] = false;
	image_destroy(both);
	unlink("both");
}
END_TEST

/* ---- the search table --------------------------------------------------------------------------- */

/* Each is counted, though only some are said, and kept. */
START_TEST(wrong_entries_are_counted)
{
	static const struct {
		uint64_t wrong;
		int lines;
	} tables[] = { { 0, 0 },
		       { 1, 1 },
		       { PROVE_FINDINGS_MAX + 1, PROVE_FINDINGS_MAX },
		       { ERROR_LIST_MAX + 5, PROVE_FINDINGS_MAX } };

	for (int i = 0; i < COUNT(tables); i++) {
		json_t *proof = json_object();
		const json_t *search;
		int lines = 0;
		FREED char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		wrong_entries = tables[i].wrong;
		check_search_table(image, cfi, file, proof);
		fclose(file);
		search = json_object_get(proof, "search_table");
		ck_assert_uint_eq(json_count(search, "wrong"), tables[i].wrong);
		ck_assert_uint_eq(json_count(search, "entries"), 0); /* the image has none */
		for (char *at = text; *at; at++)
			lines += *at == '\n';
		ck_assert_int_eq(lines, tables[i].lines);
		ck_assert(!lines || strstr(text, "\"message\":\".eh_frame_hdr+0x8: wrong\""));
		json_decref(proof);
	}
}
END_TEST

/* ---- readelf ------------------------------------------------------------------------------------ */

static enum error_code readelf_fails;
static int readelf_asked, readelf_fails_at; /* its file of that number */

static int made_up_readelf(const struct image *of, const char *program,
			   const struct line_source *lines, readelf_difference_fn fn, void *context,
			   struct readelf_proof *ret, struct error *error)
{
	const struct readelf_difference difference = { .line = 7, .ours = "a", .theirs = "b" };

	ck_assert_str_eq(program, "readelf");
	readelf_asked++;
	ck_assert_str_eq(of->path, readelf_asked == 1 ? "image" : "empty");
	fn(context, &difference);
	*ret = readelf_asked == 1 ? (struct readelf_proof) { .lines = 10, .differ = 1 }
				  : (struct readelf_proof) { .lines = 300, .differ = 20 };
	if (broken == NO_READELF)
		return error_set(error, ERROR_MEMORY, "", 0, "no readelf");
	return readelf_asked == readelf_fails_at ? error_set(error, readelf_fails, "", 0, "why")
						 : 0;
}

static const struct {
	const char *name;
	bool sections, debug, gone; /* the debug file is there no more */
	int fails_at;
	enum error_code fails;
	int result;
	json_int_t equal, differ, without_sections, not_run, failed;
	int lines;
} readelf_cases[] = {
	{ "one_file", true, false, false, 0, 0, 0, 10, 1, 0, 0, 0, 1 },
	{ "and_its_debug_file", true, true, false, 0, 0, 0, 310, 21, 0, 0, 0, 2 },
	{ "without_sections_it_has_nothing_to_show", false, true, false, 0, 0, 0, 0, 0, 1, 0, 0,
	  0 },
	{ "it_can_not_be_run", true, false, false, 1, ERROR_UNAVAILABLE, 0, 0, 0, 0, 1, 0, 0 },
	{ "it_failed", true, false, false, 1, ERROR_PROTOCOL, 0, 0, 0, 0, 0, 1, 0 },
	{ "the_check_failed", true, false, false, 1, ERROR_MEMORY, -1, 0, 0, 0, 0, 0, 0 },
	{ "its_time_was_up", true, false, false, 1, ERROR_TIMEOUT, -1, 0, 0, 0, 0, 0, 0 },
	/* What it said of the first file is nothing then. */
	{ "it_failed_at_the_debug_file", true, true, false, 2, ERROR_PROTOCOL, 0, 0, 0, 0, 0, 1,
	  0 },
	{ "it_was_gone_by_then", true, true, false, 2, ERROR_UNAVAILABLE, 0, 0, 0, 0, 1, 0, 0 },
	{ "the_check_failed_there", true, true, false, 2, ERROR_MEMORY, -1, 0, 0, 0, 0, 0, 0 },
	{ "a_debug_file_that_is_gone", true, true, true, 0, 0, -1, 0, 0, 0, 0, 0, 0 },
};

START_TEST(lines_of_readelf_are_counted)
{
	typeof(&readelf_cases[0]) c = &readelf_cases[_i];
	json_t *proof = json_object();
	const json_t *counts;
	struct error error = { 0 };
	int lines = 0;
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size), *elf = fopen("image", "r+");
	const Elf64_Off zero = 0;

	ck_assert_int_eq(fseek(elf, offsetof(Elf64_Ehdr, e_shoff), SEEK_SET), 0);
	ck_assert_uint_eq(fwrite(&zero, c->sections ? 0 : sizeof(zero), 1, elf), !c->sections);
	fclose(elf);
	image->debug = c->debug ? empty : NULL;
	if (c->gone)
		unlink("empty");
	readelf_fails = c->fails;
	readelf_fails_at = c->fails_at;
	ck_assert_msg(check_readelf(image, "image", file, proof, &error) == c->result, "%s: %s",
		      c->name, error.message);
	image->debug = NULL;
	fclose(file);
	counts = json_object_get(proof, "readelf");
	ck_assert_int_eq(counts != NULL, !c->result);
	ck_assert_msg(json_count(counts, "equal") == c->equal &&
			      json_count(counts, "differ") == c->differ,
		      "%s", c->name);
	ck_assert_int_eq(json_count(counts, "without_sections"), c->without_sections);
	ck_assert_int_eq(json_count(counts, "not_run"), c->not_run);
	ck_assert_int_eq(json_count(counts, "failed"), c->failed);
	ck_assert_str_eq(json_text(counts, "message"), c->not_run || c->failed ? "why" : "");
	/* Of a program that failed, what it said is nothing. */
	for (char *at = text; (at = strstr(at, "\"message\":\"another line\",\"line\":7,"
					       "\"ours\":\"a\",\"theirs\":\"b\"}\n"));
	     at++)
		lines++;
	ck_assert_msg(lines == c->lines && !*text == !lines, "%s: %s", c->name, text);
	json_decref(proof);
}
END_TEST

/* ---- what was compared -------------------------------------------------------------------------- */

static const struct {
	const char *proof;
	uint64_t rows, malformed;
} compared[] = {
	{ "{}", 0, 0 },
	{ "{'equal':2}", 2, 0 },
	{ "{'silent':3}", 3, 0 },
	{ "{'referee':{'agreed':4}}", 4, 0 },
	{ "{'referee':{'disputed':5}}", 5, 0 },
	{ "{'referee':{'unknown':6}}", 6, 0 },
	{ "{'referee':{'hidden':7,'not_asked':7,'malformed':7,'terminated':7,'gaps':7}}", 0, 0 },
	{ "{'rows':8,'gaps':8,'outside':8,'evaluated':8}", 0, 0 },
	{ "{'flagged':{'offset_range':9,'malformed':10}}", 9, 10 },
};

START_TEST(rows_that_were_compared)
{
	char text[200];
	json_t *proof;
	uint64_t malformed = 99;

	snprintf(text, sizeof(text), "%s", compared[_i].proof);
	for (char *at = text; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	proof = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(proof);
	ck_assert_uint_eq(rows_compared(proof, &malformed), compared[_i].rows);
	ck_assert_uint_eq(malformed, compared[_i].malformed);
	json_decref(proof);
}
END_TEST

/* A file that can't be made sense of is not read; what fails of the environment's has failed. */
START_TEST(failures_are_of_the_file_or_not)
{
	ck_assert(is_of_the_file(ERROR_NOT_ELF) && is_of_the_file(ERROR_ELF_BOUNDS) &&
		  is_of_the_file(ERROR_CFI_LENGTH) && is_of_the_file(ERROR_UNSUPPORTED_ELF));
	ck_assert(!is_of_the_file(ERROR_SYSTEM) && !is_of_the_file(ERROR_MEMORY) &&
		  !is_of_the_file(ERROR_UNAVAILABLE) && !is_of_the_file(ERROR_PROTOCOL) &&
		  !is_of_the_file(ERROR_TIMEOUT));
	ck_assert(is_of_the_program(ERROR_UNAVAILABLE) && is_of_the_program(ERROR_PROTOCOL) &&
		  !is_of_the_program(ERROR_MEMORY) && !is_of_the_program(ERROR_SYSTEM));
}
END_TEST

/* Then nothing is proven of the image, whichever it is: and of the next one all. */
START_TEST(a_check_that_can_not_be_made)
{
	static const enum error_code codes[BROKEN] = {
		[NO_CFI_MEMORY] = ERROR_MEMORY, [NO_TABLE] = ERROR_MEMORY,
		[NO_PROOF] = ERROR_MEMORY,	[NO_REFEREE] = ERROR_SYSTEM,
		[NO_READELF] = ERROR_MEMORY,
	};
	const struct prove_options options = { .referee = true, .readelf = true };
	struct image_path path = { .path = (char *)"image" };

	for (int i = 0; i < 2 * BROKEN; i++) {
		char *text, *line;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		json_t *proof;

		broken = i % 2 ? NOTHING : i / 2;
		readelf_asked = 0;
		prove_image(&options, &path, file);
		fclose(file);
		text[size - 1] = '\0';
		line = strrchr(text, '\n');
		proof = json_loads(line ? line + 1 : text, 0, NULL);
		ck_assert_msg(proof != NULL, "%s", text);
		ck_assert_msg(!strcmp(json_text(proof, "status"), broken ? "failed" : "proven"),
			      "%d: %s", i, text);
		ck_assert_str_eq(json_text(proof, "code"),
				 broken ? error_code_name(codes[broken]) : "");
		/* A row twice, by the table and by libdw; and 11 lines. */
		ck_assert_int_eq(json_count(proof, "compared"), broken ? 0 : 13);
		ck_assert_int_eq(!json_object_get(proof, "compared"), broken != NOTHING);
		json_decref(proof);
		free(text);
	}
}
END_TEST

SUITE(prove_silent, FIXTURE(set_up, tear_down), LOOP(rule_is_said, rules),
      TEST(counts_of_a_proof_are_said), LOOP(gap_is_judged, gaps), TEST(behind_a_terminator),
      TEST(several_sections), TEST(what_ends_a_section), TEST(words_behind_a_terminator),
      TEST(rows_of_another_fde_are_hidden), TEST(sections_one_after_another),
      TEST(one_section_excuses_none_of_another), TEST(what_libdw_refuses),
      TEST(wrong_entries_are_counted), LOOP(lines_of_readelf_are_counted, readelf_cases),
      LOOP(rows_that_were_compared, compared), TEST(failures_are_of_the_file_or_not),
      TEST(a_check_that_can_not_be_made))
