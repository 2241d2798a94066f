/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sframe_rows.c - sections of each version, read right
 *
 * Each section is made by hand (sframe_bytes.h) and read back as text: functions, and their rows as canonical rows, or
 * for other machines as they are stored.
 */
#include "tests/suite.h"
#include "sframe_bytes.h"

static int print_canonical(void *context, const struct row *row)
{
	fprintf(context, "%x..%x ", (unsigned int)row->pc, (unsigned int)row->pc_end);
	row_print(context, row);
	fputc('\n', context);
	return 0;
}

static void print_rule(FILE *file, const char *name, const struct sframe_rule *rule)
{
	bool at = rule->kind == SFRAME_AT_CFA || rule->kind == SFRAME_AT_REGISTER;

	fprintf(file, " %s=", name);
	if (rule->kind == SFRAME_NO_RULE) {
		fputs(rule->padded ? "padded" : "none", file);
		return;
	}
	fputs(at ? "*" : "", file);
	if (rule->kind == SFRAME_AT_CFA || rule->kind == SFRAME_IS_CFA)
		fprintf(file, "c%+d", rule->offset);
	else
		fprintf(file, "r%u%+d", rule->reg, rule->offset);
	fputs(rule->fixed ? "!" : "", file);
}

static int print_stored(void *context, const struct sframe_row *row)
{
	fprintf(context, "%x..%x", row->start, row->end);
	if (row->outermost) {
		fputs(" outermost\n", context);
		return 0;
	}
	print_rule(context, "cfa", &row->cfa);
	print_rule(context, "ra", &row->ra);
	print_rule(context, "fp", &row->fp);
	fputs(row->ra_signed ? " signed\n" : "\n", context);
	return 0;
}

/* All that the section says; to be freed. */
static char *said(const struct sframe *sframe, bool canonical)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct error error;

	for (size_t i = 0; i < sframe->function_count; i++) {
		const struct sframe_function *function = &sframe->function[i];
		int status;

		fprintf(file, "f%zu %x+%x%s%s%s%s\n", i, (unsigned int)function->pc_begin,
			function->pc_range, function->repeats ? " repeats" : "",
			function->signal_frame ? " signal" : "", function->flexible ? " flex" : "",
			function->key_b ? " key_b" : "");
		status = canonical ? sframe_canonical_rows(sframe, function, print_canonical, file,
							   &error)
				   : sframe_rows(sframe, function, print_stored, file, &error);
		if (status)
			fprintf(file, "%s\n", error.message);
	}
	fclose(file);
	return text;
}

static void check_said(const char *name, const struct made *made, bool canonical,
		       const char *wanted)
{
	struct bytes bytes = { .size = 0 };
	struct error_list wrong = { 0 };
	struct image_section section;
	struct error error;
	struct sframe *sframe;
	char *text;

	made_finish(made, &bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	ck_assert_msg(sframe, "%s: %s", name, error.message);
	text = said(sframe, canonical);
	ck_assert_msg(!strcmp(text, wanted), "%s: expected\n%sgot\n%s", name, wanted, text);
	sframe_check(sframe, &wrong);
	ck_assert_msg(!wrong.count, "%s: %s", name, wrong.error[0].message);
	error_list_deinit(&wrong);
	free(text);
	sframe_destroy(sframe);
}

#define UNTOLD " rbx=undefined"
#define REST   " r12=undefined r13=undefined r14=undefined r15=undefined\n"
#define PLAIN  UNTOLD REST
#define SAVED  UNTOLD " rbp=c-16" REST

static const char usual_text[] =
	"f0 1000+20\n"
	"1000..1001 cfa=rsp+8 ra=c-8" PLAIN "1001..1004 cfa=rsp+16 ra=c-8" SAVED
	"1004..1020 cfa=rbp+16 ra=c-8" SAVED "f1 1100+200\n"
	"1100..1250 cfa=rsp+8 ra=c-8" PLAIN "1250..1300 cfa=rsp+4096 ra=c-8" PLAIN
	"f2 1400+30 repeats\n"
	"1400..140b cfa=rsp+8 ra=c-8" PLAIN "140b..1410 cfa=rsp+16 ra=c-8" PLAIN
	"1410..141b cfa=rsp+8 ra=c-8" PLAIN "141b..1420 cfa=rsp+16 ra=c-8" PLAIN
	"1420..142b cfa=rsp+8 ra=c-8" PLAIN "142b..1430 cfa=rsp+16 ra=c-8" PLAIN;
static const char flexible_text[] =
	"f3 1500+10 signal flex\n"
	"1500..1508 cfa=r10+0 ra=c-8" UNTOLD
	" r12=undefined r13=undefined r14=undefined r15=undefined signal\n"
	"1508..1510 cfa=exp(breg6-8; deref) ra=c-8" UNTOLD
	" rbp=exp(breg6+0) r12=undefined r13=undefined r14=undefined r15=undefined signal\n"
	"f4 1600+10\n"
	"1600..1610 cfa=rsp+8 ra=undefined" PLAIN;

static const struct {
	const char *name;
	unsigned int version;
	uint8_t flags, auxiliary;
} versions[] = {
	{ "version_1", 1, 0, 0 },
	{ "version_2", 2, SFRAME_SORTED, 0 },
	{ "version_2_from_the_field", 2, SFRAME_START_PCREL, 0 },
	{ "version_3", 3, SFRAME_SORTED, 0 },
	{ "version_3_from_the_field", 3, SFRAME_SORTED | SFRAME_START_PCREL, 0 },
	{ "an_auxiliary_header", 3, SFRAME_START_PCREL, 12 },
};

START_TEST(each_version_says_the_same)
{
	struct made made = { .version = versions[_i].version,
			     .flags = versions[_i].flags,
			     .auxiliary = versions[_i].auxiliary };
	char wanted[4096];

	made_usual(&made);
	snprintf(wanted, sizeof(wanted), "%s%s", usual_text,
		 versions[_i].version == 3 ? flexible_text : "");
	check_said(versions[_i].name, &made, true, wanted);
}
END_TEST

/* ---- single rows -------------------------------------------------------------------------- */

static void row_words_of_4(struct made *made)
{
	made_row(made, 1, 0, ROW(BY_SP, 4, 2), 70000, -65536);
}

static void row_starts_of_4(struct made *made)
{
	made_row(made, 4, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 4, 0x8f, ROW(BY_FP, 1, 1), 16);
}

static void row_outermost(struct made *made)
{
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 0));
}

static void row_pauth(struct made *made)
{
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 0);
	made_row(made, 1, 4, ROW(BY_SP, 1, 1) | RA_SIGNED, 0);
	made_row(made, 1, 8, ROW(BY_FP, 1, 3) | RA_SIGNED, 32, -24, -32);
}

static void row_s390x(struct made *made)
{
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 0);
	made_row(made, 1, 6, ROW(BY_SP, 1, 3), 25, 0, -72);
	made_row(made, 1, 10, ROW(BY_FP, 1, 3), -5, -48, -72);
}

static void row_s390x_register(struct made *made)
{
	made_row(made, 1, 0, ROW(BY_SP, 1, 3), 0, 17 << 1 | 1, -72);
}

static void row_flex_s390x(struct made *made)
{
	made_row(made, 1, 0, ROW(BY_FP, 2, 6), (int)CONTROL(15, 0), 2, (int)CONTROL(17, 0), 0,
		 (int)CONTROL(16, 0), 0);
}

static void row_flex(struct made *made)
{
	made_row(made, 1, 0, ROW(BY_SP, 1, 4), (int)CONTROL(7, 0), 8, 2, -8);
	made_row(made, 1, 2, ROW(BY_SP, 1, 6), (int)CONTROL(7, 0), 8, (int)CONTROL(11, 0), 0,
		 (int)CONTROL(0, 0), 3);
	made_row(made, 1, 4, ROW(BY_SP, 1, 4), (int)CONTROL(7, 0), 8, 0, 0);
	made_row(made, 1, 6, ROW(BY_SP, 2, 4), (int)CONTROL(40, 0), 8, (int)CONTROL(41, DEREF), 5);
}

static const struct {
	const char *name;
	uint8_t version, machine;
	int8_t fixed_fp;
	uint8_t info, info2;
	uint32_t size, rows;
	void (*put)(struct made *made);
	bool canonical;
	const char *wanted;
} rows[] = {
	{ "words_of_4_bytes", 2, 0, 0, ADDR1, 0, 8, 1, row_words_of_4, false,
	  "f0 1000+8\n0..8 cfa=r7+70000 ra=*c-8! fp=*c-65536\n" },
	{ "starts_of_4_bytes", 1, 0, 0, ADDR4, 0, 0x90, 2, row_starts_of_4, false,
	  "f0 1000+90\n0..8f cfa=r7+8 ra=*c-8! fp=none\n8f..90 cfa=r6+16 ra=*c-8! fp=none\n" },
	{ "no_words_are_the_end", 2, 0, 0, ADDR1, 0, 8, 2, row_outermost, true,
	  "f0 1000+8\n1000..1001 cfa=rsp+8 ra=c-8" PLAIN
	  "1001..1008 cfa=rsp+8 ra=undefined" PLAIN },
	{ "fp_is_fixed", 3, 0, -16, ADDR1, 0, 0x90, 2, row_outermost, false,
	  "f0 1000+90\n0..1 cfa=r7+8 ra=*c-8! fp=*c-16!\n1..90 outermost\n" },
	{ "aarch64", 3, SFRAME_AARCH64, 0, ADDR1 | KEY_B, 0, 12, 3, row_pauth, false,
	  "f0 1000+c key_b\n0..4 cfa=r31+0 ra=none fp=none\n4..8 cfa=r31+0 ra=none fp=none signed\n"
	  "8..c cfa=r29+32 ra=*c-24 fp=*c-32 signed\n" },
	{ "aarch64_big_endian", 2, SFRAME_AARCH64_BIG, 0, ADDR1, 0, 12, 3, row_pauth, false,
	  "f0 1000+c\n0..4 cfa=r31+0 ra=none fp=none\n4..8 cfa=r31+0 ra=none fp=none signed\n"
	  "8..c cfa=r29+32 ra=*c-24 fp=*c-32 signed\n" },
	{ "s390x", 3, SFRAME_S390X, 0, ADDR1, 0, 12, 3, row_s390x, false,
	  "f0 1000+c\n0..6 cfa=r15+160 ra=none fp=none\n6..a cfa=r15+360 ra=padded fp=*c-72\n"
	  "a..c cfa=r11+120 ra=*c-48 fp=*c-72\n" },
	{ "s390x_version_2_names_registers", 2, SFRAME_S390X, 0, ADDR1, 0, 12, 1,
	  row_s390x_register, false, "f0 1000+c\n0..c cfa=r15+160 ra=r17+0 fp=*c-72\n" },
	{ "s390x_flexible", 3, SFRAME_S390X, 0, ADDR1, FLEX, 12, 1, row_flex_s390x, false,
	  "f0 1000+c flex\n0..c cfa=r15+176 ra=r17+0 fp=r16+0\n" },
	{ "flexible", 3, 0, 0, ADDR1, FLEX, 8, 4, row_flex, false,
	  "f0 1000+8 flex\n0..2 cfa=r7+8 ra=*c-8 fp=none\n2..4 cfa=r7+8 ra=r11+0 fp=r0+3\n"
	  "4..6 cfa=r7+8 ra=*c-8! fp=padded\n6..8 cfa=r40+8 ra=*r41+5 fp=none\n" },
	{ "flexible_as_rows", 3, 0, 0, ADDR1, FLEX, 8, 4, row_flex, true,
	  "f0 1000+8 flex\n1000..1002 cfa=rsp+8 ra=c-8" PLAIN "1002..1004 cfa=rsp+8 ra=r11" UNTOLD
	  " rbp=val_exp(breg0+3)" REST "1004..1006 cfa=rsp+8 ra=c-8" PLAIN
	  "1006..1008 cfa=exp(bregx 40+8) ra=exp(bregx 41+5)" PLAIN },
};

START_TEST(rows_say_what_they_say)
{
	struct made made = { .version = rows[_i].version,
			     .machine = rows[_i].machine,
			     .fixed_fp = rows[_i].fixed_fp };

	made.big = made.machine == SFRAME_AARCH64_BIG || made.machine == SFRAME_S390X;
	made_function(&made, 0x1000, rows[_i].size, rows[_i].info, rows[_i].info2, 0,
		      rows[_i].rows);
	rows[_i].put(&made);
	check_said(rows[_i].name, &made, rows[_i].canonical, rows[_i].wanted);
}
END_TEST

/* ---- looking up --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t pc;
	int found;
	const char *wanted;
} lookups[] = {
	{ "before_all", 0xfff, 0, "fff..1000" },
	{ "the_first_byte", 0x1000, 1, "1000..1001 cfa=rsp+8" },
	{ "the_last_of_a_row", 0x1003, 1, "1001..1004 cfa=rsp+16" },
	{ "the_last_row", 0x101f, 1, "1004..1020 cfa=rbp+16" },
	{ "between_functions", 0x1020, 0, "1020..1100" },
	{ "starts_of_2_bytes", 0x1250, 1, "1250..1300 cfa=rsp+4096" },
	{ "the_first_block", 0x140b, 1, "140b..1410 cfa=rsp+16" },
	{ "the_last_block", 0x1420, 1, "1420..142b cfa=rsp+8" },
	{ "outermost", 0x160f, 1, "1600..1610 cfa=rsp+8" },
	{ "behind_all", 0x1610, 0, "1610..ffffffff" },
};

START_TEST(a_row_is_found)
{
	struct made made = { .version = 3, .flags = SFRAME_START_PCREL };
	struct bytes bytes = { .size = 0 };
	struct sframe_canonical canonical;
	struct image_section section;
	struct error error;
	struct sframe *sframe;
	char text[128];
	int found;

	made_usual(&made);
	made_finish(&made, &bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	found = sframe_canonical_find(sframe, lookups[_i].pc, &canonical, &error);
	ck_assert_int_eq(found, lookups[_i].found);
	snprintf(text, sizeof(text), "%x..%x", (unsigned int)canonical.row.pc,
		 (unsigned int)canonical.row.pc_end);
	if (found > 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " cfa=%s%+d",
			 register_name(canonical.row.cfa.reg), (int)canonical.row.cfa.offset);
	ck_assert_msg(!strcmp(text, lookups[_i].wanted), "%s: %s", lookups[_i].name, text);
	sframe_destroy(sframe);
}
END_TEST

/* Functions out of order, one inside of another, one without a range. */
START_TEST(the_inner_function_is_found)
{
	static const struct {
		uint64_t pc, begin;
	} wanted[] = { { 0x1fff, 0 },	   { 0x2000, 0x2000 }, { 0x2100, 0x2100 },
		       { 0x2110, 0x2000 }, { 0x2fff, 0x2000 }, { 0x3000, 0 } };
	struct made made = { .version = 2 };
	struct bytes bytes = { .size = 0 };
	struct image_section section;
	struct error_list wrong = { 0 };
	struct error error;
	struct sframe *sframe;

	made_function(&made, 0x2100, 0x10, ADDR1, 0, 0, 0);
	made_function(&made, 0x2000, 0x1000, ADDR1, 0, 0, 0);
	made_function(&made, 0x2080, 0, ADDR1, 0, 0, 0);
	made_finish(&made, &bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	for (int i = 0; i < COUNT(wanted); i++) {
		const struct sframe_function *function = sframe_function_find(sframe, wanted[i].pc);

		ck_assert_uint_eq(function ? function->pc_begin : 0, wanted[i].begin);
	}
	ck_assert_uint_eq(sframe_next_begin(sframe, 0x2000), 0x2100);
	ck_assert_uint_eq(sframe_next_begin(sframe, 0x2100), UINT64_MAX);
	sframe_check(sframe, &wrong);
	ck_assert_uint_eq(wrong.count, 1);
	ck_assert_int_eq(wrong.error[0].code, ERROR_SFRAME_ORDER);
	error_list_deinit(&wrong);
	sframe_destroy(sframe);
}
END_TEST

/* Linkers that don't know the format put sections one behind the other. */
START_TEST(headers_follow_each_other)
{
	struct made first = { .version = 1 };
	struct made second = { .version = 3, .flags = SFRAME_START_PCREL };
	struct bytes bytes = { .size = 0 };
	struct image_section section;
	struct error error;
	struct sframe *sframe;

	made_usual(&first);
	made_usual(&second);
	made_finish(&first, &bytes);
	put_number(&bytes, 0, 8 - bytes.size % 8);
	uint32_t at = (uint32_t)bytes.size;
	made_finish(&second, &bytes);
	put_number(&bytes, 0, 3);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	ck_assert(sframe && !sframe->diagnostics.count);
	ck_assert_uint_eq(sframe->header_count, 2);
	ck_assert_uint_eq(sframe->header[1].offset, at);
	ck_assert_uint_eq(sframe->function_count, 8);
	/* The second's begin counts from its fields, which are further on. */
	ck_assert_uint_eq(sframe->function[3].pc_begin, 0x1000 + at);
	sframe_destroy(sframe);
}
END_TEST

/* A segment goes on behind the section. */
START_TEST(other_data_may_follow_in_a_segment)
{
	struct made made = { .version = 2 };
	struct bytes bytes = { .size = 0 };
	struct sframe_input input = { .bounded = false };
	struct image_section section;
	struct error error;
	struct sframe *sframe;

	made_usual(&made);
	made_finish(&made, &bytes);
	put(&bytes, "\0other data", 11);
	section = made_section(&bytes);
	input.section = &section;
	ck_assert(!sframe_create_sections(&input, 1, &sframe, &error));
	ck_assert_uint_eq(sframe->header_count, 1);
	ck_assert(!sframe->diagnostics.count);
	sframe_destroy(sframe);
	input.bounded = true;
	ck_assert(!sframe_create_sections(&input, 1, &sframe, &error));
	ck_assert_uint_eq(sframe->diagnostics.count, 1);
	ck_assert_int_eq(sframe->diagnostics.error[0].code, ERROR_SFRAME_HEADER);
	sframe_destroy(sframe);
}
END_TEST

static int stop_at_once(void *context, const struct sframe_row *row)
{
	return 7;
}

START_TEST(a_callback_that_stops_is_obeyed)
{
	struct made made = { .version = 1 };
	struct bytes bytes = { .size = 0 };
	struct image_section section;
	struct error error;
	struct sframe *sframe;

	made_usual(&made);
	made_finish(&made, &bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	ck_assert_int_eq(sframe_rows(sframe, &sframe->function[0], stop_at_once, NULL, &error), 7);
	sframe_destroy(sframe);
}
END_TEST

SUITE(sframe_rows, LOOP(each_version_says_the_same, versions), LOOP(rows_say_what_they_say, rows),
      LOOP(a_row_is_found, lookups), TEST(the_inner_function_is_found),
      TEST(headers_follow_each_other), TEST(other_data_may_follow_in_a_segment),
      TEST(a_callback_that_stops_is_obeyed))
