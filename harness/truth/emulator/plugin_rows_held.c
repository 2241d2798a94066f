/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_rows_held.c - records of what a thread ran, until its stacks have proven themselves
 *
 * Threads' records are freed when they end, but their memory stays records': another vCPU may just look whether one of
 * them is its own, and no number of an owner comes twice.
 */
#include <stdlib.h>
#include "array.h"
#include "hash.h"
#include "plugin_code.h"
#include "plugin_rows.h"

#define KEPT_EXACTLY 8	/* records of a segment on a stack; then what differs becomes any */
#define KEPT_APART   16 /* then all is any */
#define MADE_AT_ONCE 256

static struct row_facts facts;
static struct rows_record *unused;
static uint64_t checked, elsewhere, written;

/* ---- a segment's records --------------------------------------------------------------------- */

struct wanted {
	const struct thread_rows *rows;
	const struct rows_record *key;
};

static bool is_its(void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct rows_record *one = wanted->rows->first[number - 1], *key = wanted->key;

	return one->segment == key->segment && one->stack == key->stack && one->pc == key->pc &&
	       one->file == key->file;
}

/* The slot in the map; NULL: no memory. */
static uint32_t *find_first(struct thread_rows *rows, const struct rows_record *key)
{
	struct wanted wanted = { rows, key };
	uint64_t hash = hash_word(hash_word((uintptr_t)key->segment, key->stack), key->pc);

	return number_map_find(&rows->map, hash_word(hash, key->file), is_its, &wanted);
}

static struct rows_record *new_record(void)
{
	struct rows_record *ret;

	if (!unused) {
		struct rows_record *more = calloc(MADE_AT_ONCE, sizeof(*more));

		for (size_t i = 0; more && i < MADE_AT_ONCE; i++) {
			more[i].next = unused;
			unused = &more[i];
		}
	}
	ret = unused;
	if (ret)
		unused = ret->next;
	return ret;
}

static bool holds(const struct rows_record *record, const struct rows_record *key)
{
	return record->kind == key->kind && !((record->sp ^ key->sp) & record->sp_mask) &&
	       !((record->bp ^ key->bp) & record->bp_mask);
}

/* Of a segment that has run with too many different values: what the new record does not keep. */
static void widen(const struct rows_record *first, size_t count, struct rows_record *ret)
{
	bool same_sp = false, same_bp = false;

	if (count < KEPT_EXACTLY)
		return;
	for (const struct rows_record *one = first; one; one = one->next) {
		same_sp |= one->kind == ret->kind && one->sp == ret->sp;
		same_bp |= one->kind == ret->kind && one->bp == ret->bp;
	}
	if (count >= KEPT_APART || same_sp == same_bp)
		ret->sp_mask = ret->bp_mask = 0;
	else if (same_sp)
		ret->bp_mask = 0;
	else
		ret->sp_mask = 0;
}

struct rows_record *rows_record(struct thread_rows *rows, const struct rows_record *key)
{
	uint32_t *number = find_first(rows, key);
	struct rows_record *first, *ret;
	size_t count = 0;

	if (!number)
		return NULL;
	first = *number ? rows->first[*number - 1] : NULL;
	for (ret = first; ret; ret = ret->next, count++)
		if (holds(ret, key))
			return ret;
	ret = new_record();
	if (!ret || (!*number && !ARRAY_ADD(rows->first, rows->firsts, ret))) {
		rows->map.count -= !*number;
		return NULL;
	}
	*ret = *key;
	ret->sp_mask = ret->bp_mask = UINT64_MAX;
	widen(first, count, ret);
	ret->runs = 0;
	ret->ran = 1;
	if (*number)
		rows->first[*number - 1] = ret;
	else
		*number = rows->firsts;
	ret->next = first;
	__atomic_store_n(&ret->owner, rows->owner, __ATOMIC_RELEASE);
	return ret;
}

/* ---- what they came to ------------------------------------------------------------------------ */

/* How far a register is below the CFA that is so much further below than another one. */
static int64_t offset_of(uint64_t mask, uint64_t below, int64_t more)
{
	if (!mask)
		return ROW_FACT_ANY;
	if (below == ROW_FACT_ABOVE || (int64_t)below + more > ROW_FACT_NEAR ||
	    (int64_t)below + more < 1)
		return ROW_FACT_ABOVE;
	return (int64_t)below + more;
}

/* Whether the return address has been popped before the instruction. */
static bool is_popped(const struct rows_record *record, const struct rows_step *step)
{
	return record->sp_mask && record->sp != ROW_FACT_ABOVE &&
	       (int64_t)record->sp + step->sp < (int64_t)sizeof(uint64_t);
}

/* The fact of the record's instruction at step. */
static struct row_fact fact_of(const struct rows_record *record, const struct rows_step *step)
{
	struct row_fact ret = { .image = record->file - 1,
				.kind = record->kind,
				.pc = record->pc + step->offset,
				.registers = record->registers };

	if (ret.kind != ROW_FACT_FRAME)
		return ret;
	if (is_popped(record, step)) {
		ret.kind = ROW_FACT_DOUBT;
		return ret;
	}
	ret.sp = offset_of(record->sp_mask, record->sp, step->sp);
	ret.bp = step->bp_is_by_sp ? offset_of(record->sp_mask, record->sp, step->bp)
				   : offset_of(record->bp_mask, record->bp, 0);
	return ret;
}

static bool settle(const struct rows_record *record, bool proven)
{
	bool is_file = record->file && code_file(record->file)->image.kind == TRUTH_IMAGE_FILE;

	checked += record->runs * record->ran;
	if (!is_file)
		elsewhere += record->runs * record->ran;
	for (uint32_t i = 0; i < record->ran && is_file && record->runs; i++) {
		struct row_fact fact = fact_of(record, &record->segment->step[i]);

		*(proven ? &fact.proven : &fact.unproven) = record->runs;
		if (!row_facts_add(&facts, &fact))
			return false;
	}
	return true;
}

/* What becomes of all records that begin with first. */
static bool settle_all(struct rows_record *first, bool proven)
{
	bool done = true;

	while (first) {
		struct rows_record *next = first->next;

		done &= settle(first, proven);
		__atomic_store_n(&first->owner, 0, __ATOMIC_RELEASE);
		first->next = unused;
		unused = first;
		first = next;
	}
	return done;
}

bool rows_contradict(struct thread_rows *rows, uint64_t from, uint64_t to)
{
	uint32_t count = rows->firsts;
	bool done = true;

	number_map_deinit(&rows->map);
	rows->firsts = 0;
	rows->running = NULL;
	for (uint32_t i = 0; i < count; i++) {
		struct rows_record *first = rows->first[i];
		uint32_t *number = NULL;

		if (first->stack != from && first->stack != to) {
			rows->first[rows->firsts] = first;
			number = find_first(rows, first);
			done &= number != NULL;
		}
		if (number)
			*number = ++rows->firsts;
		else
			done &= settle_all(first, false);
	}
	return done;
}

bool rows_end(struct thread_rows *rows)
{
	struct rows_record *running = rows->running;
	bool done = true;

	/* The system call that ended it was its last instruction; else something before has killed it. */
	if (running && running->segment->calls_kernel)
		running->ran = running->segment->key.count;
	for (uint32_t i = 0; i < rows->firsts; i++)
		done &= settle_all(rows->first[i], true);
	number_map_deinit(&rows->map);
	free(rows->first);
	*rows = (struct thread_rows) { 0 };
	return done;
}

void rows_sums(uint64_t *ret_checked, uint64_t *ret_elsewhere, uint64_t *ret_facts)
{
	*ret_checked = checked;
	*ret_elsewhere = elsewhere;
	*ret_facts = written;
}

int rows_write(const char *path, uint64_t first, bool partial, struct error *error)
{
	int status;

	facts.first = first;
	facts.partial = partial;
	for (uint32_t i = 0; i < code_files(); i++)
		if (!ARRAY_ADD(facts.image, facts.images, code_file(i + 1)->image))
			return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for images");
	row_facts_sort(&facts);
	written = facts.facts;
	status = row_facts_write(&facts, path, error);
	row_facts_deinit(&facts);
	return status;
}
