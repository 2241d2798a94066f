/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_proof.c - the proof of conversion: a table says what the CFI says, at every address
 *
 * The CFI is laid out in order of address: rows, gaps between FDEs, and what malformed instructions
 * left unsaid. Where FDEs overlap, the one that cfi_fde_find() names has the address. Beside it go
 * the table's stretches of one rule, and wherever a row and a stretch meet they are held against
 * each other (rule_proof.c):
 *
 *	row	a rule that leads to the same caller, or a marker other than no_row: flagged
 *	gap	no_row, and nothing else
 *	unsaid	malformed, and nothing else
 *
 * Anything else is silent: the table would lead a walk astray and not say so. So is code of an
 * executable segment that the table does not have at all. The look-up that walks use (table_find)
 * must give the stretch's rule at the first address of each row, gap and stretch, at one in the
 * middle and at the last. Images have few distinct rows: each pair of a row's rules and a rule's
 * number is evaluated once and remembered, so that a million rows take a second and not an hour.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "hash.h"
#include "array.h"
#include "cfi/cfi_section.h"
#include "number_map.h"
#include "table_cursor.h"

/* Pairs that are remembered, of 776 bytes: what an image's rules are many times over. Where
 * there are more, they are forgotten all, and some are evaluated once more. */
#define PROVEN_MAX   32768
#define HASHED_BYTES 32 /* of an expression */

/* One pair that was evaluated. */
struct proven {
	struct row row;
	uint32_t rule;
	bool equal;
};

struct prover {
	const struct cfi *cfi;
	const struct table *table;
	table_proof_fn report;
	void *context;
	struct table_proof *proof;
	struct table_cursor at; /* the first stretch that ends behind the address at hand */
	struct proven *proven;
	size_t proven_count;
	struct number_map numbers; /* index in proven + 1 */
	uint64_t from;		   /* the part of the FDE that is its own */
	uint64_t to;
	uint64_t decoded; /* where its last row ended */
	bool out_of_memory;
};

/* ---- what was proven before --------------------------------------------------------------- */

static uint64_t hash_rule(uint64_t hash, const struct row_rule *rule)
{
	hash = hash_word(hash, rule->kind);
	switch (rule->kind) {
	case RULE_UNSPECIFIED:
	case RULE_UNDEFINED:
	case RULE_SAME_VALUE: return hash;
	case RULE_REGISTER: return hash_word(hash, rule->reg);
	case RULE_OFFSET:
	case RULE_VAL_OFFSET: return hash_word(hash, rule->offset);
	case RULE_CFA_REGISTER: return hash_word(hash_word(hash, rule->reg), rule->offset);
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
	case RULE_CFA_EXPRESSION: break;
	}
	hash = hash_word(hash,
			 rule->expression_bytes); /* what comes late in a long one rarely tells */
	for (uint64_t i = 0; i < rule->expression_bytes && i < HASHED_BYTES; i++)
		hash = hash_word(hash, rule->expression[i]);
	return hash;
}

static uint64_t hash_row(const struct row *row, uint32_t rule)
{
	uint64_t hash = hash_rule(rule, &row->cfa);

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		hash = hash_rule(hash, &row->reg[reg]);
	return hash_word(hash, row->signal_frame);
}

struct sought {
	const struct prover *prover;
	const struct row *row;
	uint32_t rule;
};

static bool is_sought(void *context, uint32_t number)
{
	const struct sought *sought = context;
	const struct proven *entry = &sought->prover->proven[number - 1];

	return entry->rule == sought->rule && row_equal(&entry->row, sought->row);
}

/* Evaluates the pair, unless that was done before. */
static bool proves(struct prover *prover, const struct row *row, uint32_t rule)
{
	struct sought sought = { prover, row, rule };
	char why[TABLE_PROOF_WHY];
	struct proven *entry;
	uint32_t *number;

	if (prover->proven_count == PROVEN_MAX) {
		prover->proven_count = 0;
		number_map_deinit(&prover->numbers);
	}
	number = number_map_find(&prover->numbers, hash_row(row, rule), is_sought, &sought);
	if (number && *number)
		return prover->proven[*number - 1].equal;
	if (!number || !ARRAY_GROW(prover->proven, prover->proven_count)) {
		prover->out_of_memory = true;
		return true; /* the proof as a whole fails */
	}
	entry = &prover->proven[prover->proven_count++];
	*entry = (struct proven) { .row = *row, .rule = rule };
	entry->equal = table_rule_proves(row, prover->table, rule, why, sizeof(why));
	*number = prover->proven_count;
	prover->proof->evaluated++;
	return entry->equal;
}

/* ---- a piece of the CFI against the table ------------------------------------------------- */

enum piece { PIECE_ROW, PIECE_GAP, PIECE_UNSAID };

static void report(struct prover *prover, const struct row *row, uint64_t pc, uint64_t pc_end,
		   uint32_t rule, const char *why)
{
	struct table_proof_finding finding = { pc, pc_end, row, rule, "" };

	snprintf(finding.why, sizeof(finding.why), "%s", why);
	if (prover->report)
		prover->report(prover->context, &finding);
}

/* True if rule is what the table may say there; what else it says is reported. */
static bool rule_is_right(struct prover *prover, enum piece piece, const struct row *row,
			  const struct table_cursor *stretch)
{
	char why[TABLE_PROOF_WHY] = "";

	if (piece == PIECE_GAP && stretch->rule != TABLE_NO_ROW)
		snprintf(why, sizeof(why), "no FDE is there");
	else if (piece == PIECE_UNSAID && stretch->rule != TABLE_MALFORMED)
		snprintf(why, sizeof(why), "the FDE is malformed from there on");
	else if (piece == PIECE_ROW && stretch->rule == TABLE_NO_ROW)
		snprintf(why, sizeof(why), "an FDE is there");
	else if (piece == PIECE_ROW && stretch->rule >= TABLE_MARKER_COUNT &&
		 !proves(prover, row, stretch->rule))
		table_rule_proves(row, prover->table, stretch->rule, why, sizeof(why));
	else
		return true;
	report(prover, row, stretch->pc, stretch->pc_end, stretch->rule, why);
	return false;
}

/* The look-up gives what the stretches say. at: one at or before pc. */
static bool look_up(struct prover *prover, struct table_cursor at, const struct row *row,
		    uint64_t pc)
{
	uint32_t expected = TABLE_NO_ROW;
	uint32_t found = table_find(prover->table, pc);

	while (table_cursor_valid(&at) && at.pc_end <= pc)
		table_cursor_next(&at);
	if (table_cursor_valid(&at) && at.pc <= pc)
		expected = at.rule;
	if (found == expected)
		return true;
	report(prover, row, pc, pc + 1, found, "the look-up misses the table's own row");
	return false;
}

/* True if the table may say nothing of pc .. pc_end: nothing can be executed there. */
static bool may_be_absent(struct prover *prover, const struct row *row, uint64_t pc,
			  uint64_t pc_end)
{
	const struct image *image = prover->cfi->image;

	for (size_t i = 0; pc < pc_end && i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];

		if (!segment->executable || !segment->file_bytes || pc_end <= segment->vaddr ||
		    pc >= segment->vaddr + segment->file_bytes)
			continue;
		report(prover, row, pc, pc_end, TABLE_NO_ROW, "the table does not have this code");
		return false;
	}
	return true;
}

/* Holds the piece against each stretch that it meets. *ret_meets: there is one. *ret_marker: the
 * first marker among them. */
static bool check_stretches(struct prover *prover, enum piece piece, const struct row *row,
			    uint64_t pc, uint64_t pc_end, bool *ret_meets, uint32_t *ret_marker)
{
	uint64_t at = pc; /* up to there the table has the piece */
	bool right = true;

	struct table_cursor before = prover->at;
	struct table_cursor stretch = prover->at;
	while (table_cursor_valid(&stretch) && stretch.pc < pc_end) {
		*ret_meets = true;
		right &= rule_is_right(prover, piece, row, &stretch);
		if (stretch.pc > pc) {
			right &= look_up(prover, before, row, stretch.pc - 1);
			right &= look_up(prover, before, row, stretch.pc);
		}
		if (piece != PIECE_GAP)
			right &= may_be_absent(prover, row, at, stretch.pc);
		at = stretch.pc_end;
		before = stretch;
		if (stretch.rule < TABLE_MARKER_COUNT && !*ret_marker)
			*ret_marker = stretch.rule;
		if (stretch.pc_end >= pc_end)
			break; /* the next one may be long, and many rows may end here */
		table_cursor_next(&stretch);
	}
	return (piece == PIECE_GAP || may_be_absent(prover, row, at, pc_end)) && right;
}

static void check_piece(struct prover *prover, enum piece piece, const struct row *row, uint64_t pc,
			uint64_t pc_end)
{
	struct table_proof *proof = prover->proof;
	uint32_t marker = TABLE_NO_ROW;
	bool meets = false, right;

	while (table_cursor_valid(&prover->at) && prover->at.pc_end <= pc)
		table_cursor_next(&prover->at);
	right = check_stretches(prover, piece, row, pc, pc_end, &meets, &marker);
	right &= look_up(prover, prover->at, row, pc);
	right &= look_up(prover, prover->at, row, pc + (pc_end - pc) / 2);
	right &= look_up(prover, prover->at, row, pc_end - 1);
	if (piece == PIECE_GAP)
		proof->gaps++;
	else if (meets || !right)
		proof->rows++;
	else
		proof->outside++;
	if (!right)
		proof->silent++;
	else if (piece != PIECE_GAP && meets && marker)
		proof->flagged[marker]++;
	else if (piece != PIECE_GAP && meets)
		proof->equal++;
}

static int check_row(void *context, const struct row *row)
{
	struct prover *prover = context;
	uint64_t pc = row->pc > prover->from ? row->pc : prover->from;
	uint64_t pc_end = row->pc_end < prover->to ? row->pc_end : prover->to;

	if (row->pc_end > prover->decoded)
		prover->decoded = row->pc_end;
	if (pc < pc_end)
		check_piece(prover, PIECE_ROW, row, pc, pc_end);
	return prover->out_of_memory;
}

/* from .. to: where no other FDE has the address. */
static void check_fde(struct prover *prover, const struct cfi_fde *fde, uint64_t from, uint64_t to)
{
	struct error error;

	if (from >= to)
		return;
	prover->from = from;
	prover->to = to;
	prover->decoded = fde->pc_begin;
	if (cfi_rows(prover->cfi, fde, check_row, prover, &error) < 0) {
		prover->out_of_memory |= error.code == ERROR_MEMORY;
		if (prover->decoded < from)
			prover->decoded = from;
		if (prover->decoded < to)
			check_piece(prover, PIECE_UNSAID, NULL, prover->decoded, to);
	}
}

static void check_image(struct prover *prover)
{
	const struct cfi *cfi = prover->cfi;
	size_t count = cfi ? cfi->by_pc_count : 0;
	uint64_t at = 0;
	struct cfi_again again = { 0 };

	if (cfi)
		again = cfi_again_begin(cfi);
	for (size_t i = 0; i < count && !prover->out_of_memory; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t next = i + 1 < count ? cfi->fde[cfi->by_pc[i + 1]].pc_begin : UINT64_MAX;
		uint64_t end = fde->pc_begin + fde->pc_range;

		if (at < fde->pc_begin)
			check_piece(prover, PIECE_GAP, NULL, at, fde->pc_begin);
		at = end < next ? end : next;
		check_fde(prover, fde, fde->pc_begin, at);
		/* What an FDE around this one still has, until the next begins. */
		while (cfi->overlapping && at < next) {
			uint64_t from = at;

			fde = cfi_fde_find(cfi, at);
			if (!fde)
				break;
			end = fde->pc_begin + fde->pc_range;
			at = end < next ? end : next;
			if (cfi_again_may(&again, cfi, fde))
				check_fde(prover, fde, from, at);
			else
				check_piece(prover, PIECE_UNSAID, NULL, from, at);
		}
	}
	check_piece(prover, PIECE_GAP, NULL, at, UINT64_MAX);
}

/* ---- the whole ---------------------------------------------------------------------------- */

int table_prove(const struct cfi *cfi, const struct table *table, table_proof_fn fn, void *context,
		struct table_proof *ret, struct error *error)
{
	struct prover prover = {
		.cfi = cfi, .table = table, .report = fn, .context = context, .proof = ret
	};

	*ret = (struct table_proof) { 0 };
	prover.at = table_cursor_begin(table);
	check_image(&prover);
	free(prover.proven);
	number_map_deinit(&prover.numbers);
	if (prover.out_of_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for the proof");
	return 0;
}
