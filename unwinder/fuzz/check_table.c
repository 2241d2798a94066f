/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * check_table.c - a table says what the rows say, or says that it can't
 *
 * At addresses where anything could change, and at some chosen by chance, the table must give a
 * rule where the canonical row turns into one, and else the marker for why not. That the rules are
 * the rows is table_prove()'s to say, of every address. Then the walk: from registers and memory
 * that hang on the address, walks through that one image, by rows and by table, must see the same
 * frames; half of the memory's words are addresses of the code, so that the registers of one frame
 * decide over the next. A walk that remembers the last one must see what one without a memory sees,
 * though some words have changed in between.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "fuzz.h"
#include "walk/walk_rows.h"

#define SAMPLES_MAX 96
#define WALKS_MAX   8

/* ---- one address ------------------------------------------------------------------------- */

/* Why row has no rule, or 0. */
static enum table_marker row_marker(const struct row *row)
{
	struct table_rule_full full;

	return table_rule_from_row(row, &full);
}

static void check_at(const char *how, const struct cfi *cfi, const struct table *table,
		     uint64_t vaddr)
{
	uint32_t number = table_find(table, vaddr);
	unsigned long long at = vaddr;
	struct error error;
	struct row row;

	fuzz_require(number < table->rule_count, "%s: 0x%llx: rule %" PRIu32, how, at, number);
	if (!table_segment_find(table, vaddr)) {
		fuzz_require(number == TABLE_NO_ROW, "%s: 0x%llx is outside of the table", how, at);
		return;
	}
	const struct cfi_fde *fde = cfi ? cfi_fde_find(cfi, vaddr) : NULL;
	int found = fde ? cfi_row_find(cfi, vaddr, &row, &error) : 0;
	/* An FDE that begins where no table is is counted as lost, though it may end in one. */
	if (fde && number == TABLE_NO_ROW && !table_segment_find(table, fde->pc_begin))
		return;
	uint32_t marker = found < 0 ? TABLE_MALFORMED : found ? row_marker(&row) : TABLE_NO_ROW;
	if (found <= 0 || marker) {
		fuzz_require(number == marker, "%s: 0x%llx: rule %" PRIu32 ", expected %s", how, at,
			     number, table_marker_name(marker));
		return;
	}
	fuzz_require(number >= TABLE_MARKER_COUNT, "%s: 0x%llx: %s, but the row has a rule", how,
		     at, table_marker_name(number));
}

/* Addresses where a row or an FDE begins or ends, their neighbours, and some of no significance. */
struct samples {
	uint64_t vaddr[SAMPLES_MAX];
	size_t count;
	size_t rows; /* seen so far: of more than fit, later ones replace earlier ones */
};

static int sample_row(void *context, const struct row *row)
{
	struct samples *samples = context;
	size_t slot = samples->rows++;

	if (slot >= SAMPLES_MAX / 3)
		slot = fuzz_mix(slot) % (SAMPLES_MAX / 3);
	samples->vaddr[3 * slot] = row->pc;
	samples->vaddr[3 * slot + 1] = row->pc_end - 1;
	samples->vaddr[3 * slot + 2] = row->pc_end;
	if (samples->count < 3 * slot + 3)
		samples->count = 3 * slot + 3;
	return 0;
}

static void choose_samples(const struct cfi *cfi, const struct table *table,
			   struct samples *samples)
{
	struct error ignored;

	for (size_t i = 0; cfi && i < cfi->by_pc_count; i++)
		cfi_rows(cfi, &cfi->fde[cfi->by_pc[i]], sample_row, samples, &ignored);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const struct table_segment *segment = &table->segment[i];
		uint64_t size = segment->bytes;

		for (uint64_t n = 0; size && n < 8 && samples->count + 2 < SAMPLES_MAX; n++)
			samples->vaddr[samples->count++] = segment->vaddr + fuzz_mix(n) % size;
		if (samples->count < SAMPLES_MAX)
			samples->vaddr[samples->count++] = segment->vaddr + size;
	}
}

/* ---- walks ------------------------------------------------------------------------------- */

/* Why the table's walk may end before the rows': what was lost is flagged by a marker, and FDEs
 * that begin where no table is are counted. */
static bool is_flagged(const struct table *table, unsigned int stop)
{
	return (stop >= STOP_UNSUPPORTED_EXPRESSION && stop <= STOP_TOO_MANY_RULES) ||
	       (stop == STOP_NO_ROW && table->lost_fdes);
}

typedef int (*walk_fn)(const struct address_space *space, const struct register_values *regs,
		       const struct memory_reader *memory, struct walk_memo *memo,
		       struct stack *ret, struct error *error);

/* The way of walking that is tried with a memory of its last walk. Both would cost twice the
 * time. */
struct walker {
	const char *name;
	walk_fn walk;
	struct walk_memo *memo;
};

static void check_memo(const struct walker *walker, const struct address_space *space,
		       const struct register_values *regs, struct fuzz_memory *code)
{
	const struct memory_reader memory = { .read = fuzz_memory_read, .context = code };
	struct stack plain = { .limit = WALK_FRAMES_MAX };
	struct stack remembering = { .limit = WALK_FRAMES_MAX };
	struct error error;

	for (int later = 0; later < 2; later++) {
		code->later = later;
		if (walker->walk(space, regs, &memory, NULL, &plain, &error) ||
		    walker->walk(space, regs, &memory, walker->memo, &remembering, &error))
			abort(); /* no memory */
		fuzz_require(plain.count == remembering.count && plain.stop == remembering.stop &&
				     !memcmp(plain.pc, remembering.pc,
					     plain.count * sizeof(plain.pc[0])),
			     "from 0x%llx, by %s: %" PRIu32 " frames, %s; remembered: %" PRIu32
			     " frames, %s",
			     (unsigned long long)regs->value[REGISTER_RIP], walker->name,
			     plain.count, stop_reason_name(plain.stop), remembering.count,
			     stop_reason_name(remembering.stop));
	}
	code->later = false;
	stack_deinit(&plain);
	stack_deinit(&remembering);
}

static void check_walk(const struct walker *walker, const struct address_space *space, uint64_t pc,
		       struct fuzz_memory *code)
{
	const struct memory_reader memory = { .read = fuzz_memory_read, .context = code };
	struct stack rows = { .limit = WALK_FRAMES_MAX }, table = { .limit = WALK_FRAMES_MAX };
	struct error error;
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		regs.value[reg] = fuzz_mix(pc * 32 + reg + 1) & 0x7ffffffffff8;
	regs.value[REGISTER_RIP] = pc;
	check_memo(walker, space, &regs, code);
	if (walk_rows(space, &regs, &memory, NULL, &rows, &error) ||
	    walk_table(space, &regs, &memory, NULL, &table, &error))
		abort(); /* no memory */
	/* A saved register that can't be read is lost at once by rows, and by tables when it is
	 * needed: the one says then that it is unknown, the other why. */
	if (rows.stop == STOP_REGISTER_UNKNOWN && table.stop == STOP_READ_FAULT)
		table.stop = rows.stop;
	uint32_t common = rows.count < table.count ? rows.count : table.count;

	for (uint32_t i = 0; i < common; i++)
		fuzz_require(rows.pc[i] == table.pc[i],
			     "from 0x%llx, frame %" PRIu32 ": rows 0x%llx, table 0x%llx",
			     (unsigned long long)pc, i, (unsigned long long)rows.pc[i],
			     (unsigned long long)table.pc[i]);
	fuzz_require(is_flagged(space->mapping->entry->table, table.stop) ||
			     (rows.count == table.count && rows.stop == table.stop),
		     "from 0x%llx: rows: %" PRIu32 " frames, %s; table: %" PRIu32 " frames, %s",
		     (unsigned long long)pc, rows.count, stop_reason_name(rows.stop), table.count,
		     stop_reason_name(table.stop));
	stack_deinit(&rows);
	stack_deinit(&table);
}

static void check_walks(const struct image *image, const struct cfi *cfi, struct table *table,
			const struct samples *samples, const char *walker_name, walk_fn walk)
{
	static const struct cfi nothing;
	struct image_entry entry = { .image = (struct image *)image,
				     .cfi_if_read = (struct cfi *)(cfi ? cfi : &nothing),
				     .table = table };
	struct mapping mapping = { .entry = &entry, .path = "fuzz" };
	struct address_space space = { .mapping = &mapping, .mapping_count = 1 };
	struct fuzz_memory code = { 0 };
	struct walker walker = { walker_name, walk, walk_memo_create() };

	if (!walker.memo)
		abort();
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const struct table_segment *segment = &table->segment[i];

		if (!segment->page_count)
			continue;
		mapping.start = code.code = segment->vaddr;
		code.code_bytes = segment->bytes;
		mapping.end = mapping.start + code.code_bytes;
		walk_memo_reset(walker.memo); /* the mapping has changed */
		for (size_t n = 0; n < samples->count && n < WALKS_MAX; n++)
			if (address_space_find(&space, samples->vaddr[n]))
				check_walk(&walker, &space, samples->vaddr[n], &code);
	}
	walk_memo_destroy(walker.memo);
	free(entry.rows);
}

/* ---- two tables -------------------------------------------------------------------------- */

struct stretch {
	uint64_t pc, pc_end;
	uint32_t rule;
};

struct stretches {
	struct stretch *stretch;
	size_t count;
};

static int keep_stretch(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	struct stretches *all = context;

	if (!ARRAY_ADD(all->stretch, all->count, (struct stretch) { pc, pc_end, rule }))
		abort();
	return 0;
}

static bool rules_equal(const struct table *a, uint32_t a_number, const struct table *b,
			uint32_t b_number)
{
	struct table_rule a_rule = a->rule[a_number], b_rule = b->rule[b_number];
	uint32_t a_count, b_count;
	const struct table_place *a_place = table_rule_places(a, a_number, &a_count);
	const struct table_place *b_place = table_rule_places(b, b_number, &b_count);

	if (a_number < TABLE_MARKER_COUNT || b_number < TABLE_MARKER_COUNT)
		return a_number == b_number;
	if (a_place)
		a_rule.first_place = 0;
	if (b_place)
		b_rule.first_place = 0;
	return !memcmp(&a_rule, &b_rule, sizeof(a_rule)) && a_count == b_count &&
	       (!a_count || !memcmp(a_place, b_place, a_count * sizeof(*a_place)));
}

/* The fast way says of every address what the plain one says. */
static void check_same(const struct table *plain, const struct table *fast)
{
	struct stretches a = { .count = 0 }, b = { .count = 0 };

	table_rows(plain, keep_stretch, &a);
	table_rows(fast, keep_stretch, &b);
	for (size_t i = 0; i < a.count && i < b.count; i++)
		fuzz_require(a.stretch[i].pc == b.stretch[i].pc &&
				     a.stretch[i].pc_end == b.stretch[i].pc_end &&
				     rules_equal(plain, a.stretch[i].rule, fast, b.stretch[i].rule),
			     "0x%llx..0x%llx has rule %" PRIu32
			     ", in the fast table 0x%llx..0x%llx rule %" PRIu32,
			     (unsigned long long)a.stretch[i].pc,
			     (unsigned long long)a.stretch[i].pc_end, a.stretch[i].rule,
			     (unsigned long long)b.stretch[i].pc,
			     (unsigned long long)b.stretch[i].pc_end, b.stretch[i].rule);
	fuzz_require(a.count == b.count, "%zu stretches, in the fast table %zu", a.count, b.count);
	free(a.stretch);
	free(b.stretch);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void on_finding(void *context, const struct table_proof_finding *finding)
{
	fuzz_failed(context, "0x%llx..0x%llx: rule %" PRIu32 " silently differs: %s",
		    (unsigned long long)finding->pc, (unsigned long long)finding->pc_end,
		    finding->rule, finding->why);
}

static void check_one(char *how, const struct image *image, const struct cfi *cfi,
		      struct table *table, const char *walker, walk_fn walk)
{
	struct samples samples = { .count = 0 };
	struct table_proof proof;
	struct error error;

	choose_samples(cfi, table, &samples);
	for (size_t i = 0; i < samples.count; i++)
		check_at(how, cfi, table, samples.vaddr[i]);
	if (!cfi)
		return;
	fuzz_require(!table_prove(cfi, table, on_finding, how, &proof, &error), "%s: %s", how,
		     error.message);
	check_walks(image, cfi, table, &samples, walker, walk);
}

void fuzz_check_table(const struct image *image, const struct cfi *cfi)
{
	struct table *plain = NULL, *fast = NULL;
	struct error error = { 0 };

	fuzz_require(!table_create(image, cfi, &plain, &error), "%s", error.message);
	check_one("table_create", image, cfi, plain, "rows", walk_rows);
	if (table_build(image, &fast, &error)) {
		/* Sections that could not be read, and not only are none. */
		fuzz_require(!cfi && error.code != ERROR_NO_CFI, "%s", error.message);
	} else {
		check_one("table_build", image, cfi, fast, "table", walk_table);
		check_same(plain, fast);
	}
	table_destroy(fast);
	table_destroy(plain);
}
