/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_proof.c - what a proof counts, and what it says of a table that is damaged
 *
 * A page of code with three FDEs, made by hand, so that every count and every finding is known.
 * Proofs of real images: harness/tables/prove/tests/test_prove.c.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "table/unwind_table.h"

#define PAGE	      0x1000
#define FINDINGS_MAX  8
#define FUNCTION(n)   (TEST_PC + 0x20 * (n))
#define FUNCTIONS_END (FUNCTION(2) + 0x20)

struct subject {
	struct bytes bytes;
	struct image image;
	struct image_segment segment;
	struct cfi *cfi;
	struct table *table;
};

/* Three functions of one row, side by side: rsp+8, rsp+16, rsp+24. */
static void subject_init(struct subject *subject, struct image_segment segment)
{
	const struct literal offset[] = { BYTES(""), CFI(CFA_def_cfa_offset(16)),
					  CFI(CFA_def_cfa_offset(24)) };
	struct error error;
	size_t cie;

	*subject = (struct subject) { .bytes = { .size = 0 } };
	cie = put_cie(&subject->bytes, 0, (struct literal)CFI(CFA_USUAL));
	for (int i = 0; i < COUNT(offset); i++)
		put_fde(&subject->bytes, cie, FUNCTION(i), 0x20, offset[i]);
	subject->segment = segment;
	subject->image = fake_image(&subject->bytes);
	subject->image.type = ET_DYN;
	subject->image.segment = &subject->segment;
	subject->image.segment_count = 1;
	ck_assert_msg(!cfi_create(&subject->image, &subject->cfi, &error), "%s", error.message);
	ck_assert_msg(!table_create(&subject->image, subject->cfi, &subject->table, &error), "%s",
		      error.message);
}

static void subject_deinit(struct subject *subject)
{
	table_destroy(subject->table);
	cfi_destroy(subject->cfi);
}

struct found {
	int count;
	struct table_proof_finding finding[FINDINGS_MAX];
};

static void note(void *context, const struct table_proof_finding *finding)
{
	struct found *found = context;

	ck_assert_int_lt(found->count, FINDINGS_MAX);
	found->finding[found->count++] = *finding;
}

/* ---- damage ------------------------------------------------------------------------------ */

static void nothing(struct table *table)
{
}

static void cfa_offset(struct table *table)
{
	table->rule[table_find(table, FUNCTION(1))].cfa_offset += 8;
}

static void hole(struct table *table)
{
	table->entry[1] = table_entry_pack(FUNCTION(1) - TEST_PC, TABLE_DIRECT | TABLE_NO_ROW);
}

static void malformed(struct table *table)
{
	table->entry[1] = table_entry_pack(FUNCTION(1) - TEST_PC, TABLE_DIRECT | TABLE_MALFORMED);
}

/* Who goes along the entries meets the third function's before the end of its rows, but who
 * searches does not. */
static void out_of_order(struct table *table)
{
	uint32_t third = table->entry[2];

	table->entry[2] = table->entry[3];
	table->entry[3] = third;
}

static void no_segment(struct table *table)
{
	table->segment_count = 0;
}

#define MISSES "the look-up misses the table's own row"
#define ABSENT "the table does not have this code"

#define FINDING(...) .finding = { __VA_ARGS__ }
#define PROOF(...)   .proof = { __VA_ARGS__ }

static const struct damage_case {
	const char *name;
	void (*damage)(struct table *table);
	struct {
		uint64_t pc, pc_end;
		bool in_row; /* else no FDE is there */
		const char *why;
	} finding[4];
	struct table_proof proof; /* but flagged[] */
	uint64_t malformed;	  /* flagged so */
} damages[] = {
	{ "nothing", nothing, PROOF(.rows = 3, .equal = 3, .gaps = 2, .evaluated = 3), 0 },
	{ "cfa_offset", cfa_offset,
	  FINDING({ FUNCTION(1), FUNCTION(2), true, "the CFAs differ by 8" }),
	  PROOF(.rows = 3, .equal = 2, .gaps = 2, .evaluated = 3, .silent = 1), 0 },
	{ "hole", hole, FINDING({ FUNCTION(1), FUNCTION(2), true, "an FDE is there" }),
	  PROOF(.rows = 3, .equal = 2, .gaps = 2, .evaluated = 2, .silent = 1), 0 },
	{ "a_marker_is_said", malformed, PROOF(.rows = 3, .equal = 2, .gaps = 2, .evaluated = 2),
	  1 },
	{ "out_of_order", out_of_order,
	  FINDING({ FUNCTION(2), FUNCTION(2) + 1, true, MISSES },
		  { FUNCTION(2) + 0x10, FUNCTION(2) + 0x11, true, MISSES },
		  { FUNCTIONS_END - 1, FUNCTIONS_END, true, MISSES },
		  { FUNCTION(2), TEST_PC + PAGE, false, "no FDE is there" }),
	  PROOF(.rows = 3, .equal = 2, .gaps = 2, .evaluated = 3, .silent = 2), 0 },
	{ "no_segment", no_segment,
	  FINDING({ FUNCTION(0), FUNCTION(1), true, ABSENT },
		  { FUNCTION(1), FUNCTION(2), true, ABSENT },
		  { FUNCTION(2), FUNCTIONS_END, true, ABSENT }),
	  PROOF(.rows = 3, .gaps = 2, .silent = 3), 0 },
};

START_TEST(damage_is_found)
{
	const struct damage_case *c = &damages[_i];
	struct found found = { 0 };
	struct table_proof proof;
	struct subject subject;
	struct error error;

	subject_init(&subject, (struct image_segment) { TEST_PC, PAGE, 0, PAGE, true });
	c->damage(subject.table);
	ck_assert(!table_prove(subject.cfi, subject.table, note, &found, &proof, &error));
	for (int i = 0; i < found.count; i++) {
		const struct table_proof_finding *finding = &found.finding[i];

		ck_assert_msg(i < COUNT(c->finding) && c->finding[i].why &&
				      finding->pc == c->finding[i].pc &&
				      finding->pc_end == c->finding[i].pc_end &&
				      !finding->row == !c->finding[i].in_row &&
				      !strcmp(finding->why, c->finding[i].why),
			      "%s: finding %d: 0x%" PRIx64 "-0x%" PRIx64 ": %s", c->name, i,
			      finding->pc, finding->pc_end, finding->why);
	}
	ck_assert_msg(found.count == COUNT(c->finding) || !c->finding[found.count].why,
		      "%s: %d findings", c->name, found.count);
	ck_assert_uint_eq(proof.rows, c->proof.rows);
	ck_assert_uint_eq(proof.equal, c->proof.equal);
	ck_assert_uint_eq(proof.silent, c->proof.silent);
	ck_assert_uint_eq(proof.gaps, c->proof.gaps);
	ck_assert_uint_eq(proof.outside, 0);
	ck_assert_uint_eq(proof.evaluated, c->proof.evaluated);
	ck_assert_uint_eq(proof.flagged[TABLE_MALFORMED], c->malformed);
	subject_deinit(&subject);
}
END_TEST

/* Memory that no byte of the file is in: there is no code for a table to have. */
START_TEST(segment_without_bytes_is_nowhere)
{
	struct found found = { 0 };
	struct table_proof proof;
	struct subject subject;
	struct error error;

	subject_init(&subject, (struct image_segment) { TEST_PC + 0x10, PAGE, 0, 0, true });
	ck_assert(!table_prove(subject.cfi, subject.table, note, &found, &proof, &error));
	ck_assert_int_eq(found.count, 0);
	ck_assert_uint_eq(proof.rows, 0);
	ck_assert_uint_eq(proof.outside, 3);
	subject_deinit(&subject);
}
END_TEST

/* ---- draws ------------------------------------------------------------------------------- */

/* A register that the row has only where all sixteen are known, and the rule never: some draw has
 * them all. */
START_TEST(every_register_is_known_at_once)
{
	struct table_rule rule[TABLE_MARKER_COUNT + 1] = { 0 };
	struct table table = { .rule = rule, .rule_count = COUNT(rule) };
	struct row row = { .cfa = { .kind = RULE_CFA_REGISTER, .reg = REGISTER_RSP, .offset = 8 } };
	uint8_t sum[3 * REGISTER_GPR_COUNT];
	char why[TABLE_PROOF_WHY];
	size_t size = 0;

	rule[TABLE_MARKER_COUNT].cfa_register = REGISTER_RSP;
	rule[TABLE_MARKER_COUNT].cfa_offset = 8;
	rule[TABLE_MARKER_COUNT].saved[TABLE_COLUMN_RA] = 1;
	row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
	ck_assert_msg(table_rule_proves(&row, &table, TABLE_MARKER_COUNT, why, sizeof(why)), "%s",
		      why);

	rule[TABLE_MARKER_COUNT].saved[TABLE_COLUMN_RBX] = TABLE_CODE_UNDEFINED;
	row.reg[REGISTER_RBX] = (struct row_rule) { .kind = RULE_UNDEFINED };
	ck_assert_msg(table_rule_proves(&row, &table, TABLE_MARKER_COUNT, why, sizeof(why)), "%s",
		      why);

	for (uint8_t reg = 0; reg < REGISTER_GPR_COUNT; reg++) {
		sum[size++] = DW_OP_breg0 + reg; /* the CFA lies below the first */
		sum[size++] = 0;
		sum[size++] = DW_OP_plus;
	}
	row.reg[REGISTER_RBX] = (struct row_rule) { .kind = RULE_VAL_EXPRESSION,
						    .expression = sum,
						    .expression_bytes = size };
	ck_assert(!table_rule_proves(&row, &table, TABLE_MARKER_COUNT, why, sizeof(why)));
	ck_assert_str_eq(why, "rbx is known by the row only");
}
END_TEST

SUITE(table_proof, LOOP(damage_is_found, damages), TEST(segment_without_bytes_is_nowhere),
      TEST(every_register_is_known_at_once))
