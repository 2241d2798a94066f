/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_rows_held.c - records of what a thread ran, until its stacks have proven themselves
 *
 * Threads' records are freed when they end, but their memory stays records': another vCPU may just look whether one of
 * them is its own, and no number of an owner comes twice.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "hash.h"
#include "plugin_code.h"
#include "plugin_rows.h"

#define KEPT_EXACTLY 8	/* records of a segment on a stack; then what differs becomes any */
#define KEPT_APART   16 /* then all is any */
#define MADE_AT_ONCE 256

static struct row_facts facts, saved;
static struct rows_record *unused;
static uint64_t checked, elsewhere, written, last_made;

/* ---- a segment's records --------------------------------------------------------------------- */

struct wanted {
	const struct thread_rows *rows;
	const struct rows_record *key;
};

static bool is_its(void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct rows_record *one = wanted->rows->first[number - 1], *key = wanted->key;

	return one && one->segment == key->segment && one->stack == key->stack &&
	       one->pc == key->pc && one->file == key->file && one->call == key->call;
}

/* The slot in the map; NULL: no memory. */
static uint32_t *find_first(struct thread_rows *rows, const struct rows_record *key)
{
	struct wanted wanted = { rows, key };
	uint64_t hash = hash_word(hash_word((uintptr_t)key->segment, key->stack), key->pc);

	return number_map_find(&rows->map, hash_word(hash, key->file | (uint64_t)key->call << 32),
			       is_its, &wanted);
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

static void free_record(struct rows_record *record)
{
	__atomic_store_n(&record->owner, 0, __ATOMIC_RELEASE);
	record->made = 0;
	record->next = unused;
	unused = record;
}

static bool holds(const struct rows_record *record, const struct rows_record *key)
{
	return record->kind == key->kind && !((record->sp ^ key->sp) & record->sp_mask) &&
	       !((record->bp ^ key->bp) & record->bp_mask) &&
	       !memcmp(record->outer, key->outer, sizeof(key->outer));
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
	ret->made = ++last_made;
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

/* Takes a record out of its segment's. */
static bool unlink_record(struct thread_rows *rows, struct rows_record *record)
{
	uint32_t *number = find_first(rows, record);
	struct rows_record **at;

	if (!number || !*number)
		return false;
	for (at = &rows->first[*number - 1]; *at && *at != record;)
		at = &(*at)->next;
	if (*at)
		*at = record->next;
	return true;
}

bool rows_decide(struct thread_rows *rows, struct rows_record *record,
		 const int64_t outer[ROW_FACT_READINGS])
{
	struct rows_record key = *record, *into;

	key.call = outer[0] ? ROWS_TRIED : 0;
	memcpy(key.outer, outer, sizeof(key.outer));
	if (!outer[0] && key.kind == ROW_FACT_FRAME)
		key.bp = rows_near(key.bp);
	if (!unlink_record(rows, record))
		return false;
	into = rows_record(rows, &key);
	if (!into)
		return false;
	if (!into->runs)
		into->returns = record->returns;
	else
		row_fact_return_join(&into->returns, &record->returns);
	into->carried |= record->carried;
	into->runs += record->runs;
	into->ran = record->ran > into->ran ? record->ran : into->ran;
	row_fact_registers_join(&into->registers, &record->registers);
	if (rows->running == record)
		rows->running = into;
	free_record(record);
	return true;
}

/* ---- what they came to ------------------------------------------------------------------------ */

/* How far a register is below the CFA that is so much further below than another one. */
static int64_t offset_of(uint64_t mask, uint64_t below, int64_t more)
{
	if (!mask)
		return ROW_FACT_ANY;
	if (below == ROWS_FAR)
		return ROW_FACT_ABOVE;
	return (int64_t)rows_near(below + (uint64_t)more);
}

/* How much the return address is below rsp before the instruction; at least 8: it has not been popped. */
static bool is_popped(const struct rows_record *record, const struct rows_step *step)
{
	return record->sp_mask && record->sp != ROW_FACT_ABOVE &&
	       (int64_t)record->sp + step->sp < (int64_t)sizeof(uint64_t);
}

static struct row_reading reading_of(const struct rows_record *record, const struct rows_step *step,
				     int64_t outer)
{
	uint64_t sp = record->sp == ROW_FACT_ABOVE ? ROWS_FAR : record->sp;
	uint64_t bp = record->bp == ROW_FACT_ABOVE && !record->call ? ROWS_FAR : record->bp;

	if (outer == ROW_FACT_NO_CALLER)
		return (struct row_reading) { .sp = ROW_FACT_NO_CALLER };
	return (struct row_reading) {
		.sp = offset_of(record->sp_mask, sp, step->sp + outer),
		.bp = step->bp_is_by_sp ? offset_of(record->sp_mask, sp, step->bp + outer)
					: offset_of(record->bp_mask, bp, outer),
	};
}

/* The call's return address was popped: the frame further out is the innermost one. False: none is known. */
static bool take_further(const struct rows_record *record, const struct rows_step *step,
			 struct row_fact *ret)
{
	struct row_reading first = reading_of(record, step, record->outer[0]);

	if (!record->outer[0])
		return false;
	if (record->outer[0] == ROW_FACT_NO_CALLER)
		ret->kind = ROW_FACT_OUTERMOST;
	else
		ret->sp = first.sp, ret->bp = first.bp;
	return true;
}

/* What was known of return addresses where the segment began, and is so before the step. */
static struct row_fact_return return_before(const struct rows_record *record,
					    const struct rows_step *step)
{
	struct row_fact_return known = record->returns;

	if (step->carries || (step->stores && record->carried))
		known = (struct row_fact_return) { .known = false };
	else if (step->stores)
		known.has = 0;
	return known;
}

/* The fact of the record's instruction at step. */
static struct row_fact fact_of(const struct rows_record *record, const struct rows_step *step)
{
	struct row_fact ret = { .image = record->file - 1,
				.kind = record->kind,
				.pc = record->pc + step->offset,
				.registers = record->registers };
	struct row_reading own = reading_of(record, step, 0);
	bool popped = is_popped(record, step);

	if (ret.kind != ROW_FACT_FRAME)
		return ret;
	if (popped && !take_further(record, step, &ret)) {
		ret.kind = ROW_FACT_DOUBT;
	} else if (!popped) {
		ret.sp = own.sp;
		ret.bp = own.bp;
		ret.returns = return_before(record, step);
	}
	for (size_t i = popped; i < ROW_FACT_READINGS && record->outer[i]; i++)
		ret.other[ret.others++] = reading_of(record, step, record->outer[i]);
	if (ret.kind != ROW_FACT_FRAME)
		ret.others = 0;
	return ret;
}

static bool is_of_file(const struct rows_record *record)
{
	return record->file && code_file(record->file)->image.kind == TRUTH_IMAGE_FILE;
}

/* Adds the record's facts. */
static bool add_facts(const struct rows_record *record, bool proven, struct row_facts *into)
{
	struct rows_record one = *record;
	const struct rows_trial *trial = one.call != ROWS_TRIED ? rows_trial_by_index(one.call)
								: NULL;

	if (trial)
		rows_readings(trial, record, false, one.outer);
	for (uint32_t i = 0; i < one.ran && is_of_file(&one) && one.runs; i++) {
		struct row_fact fact = fact_of(&one, &one.segment->step[i]);

		*(proven ? &fact.proven : &fact.unproven) = one.runs;
		if (!row_facts_add(into, &fact))
			return false;
	}
	return true;
}

static bool settle(const struct rows_record *record, bool proven)
{
	checked += record->runs * record->ran;
	if (!is_of_file(record))
		elsewhere += record->runs * record->ran;
	return add_facts(record, proven, &facts);
}

/* What becomes of all records that begin with first. */
static bool settle_all(struct rows_record *first, bool proven)
{
	bool done = true;

	while (first) {
		struct rows_record *next = first->next;

		done &= settle(first, proven);
		free_record(first);
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

		if (!first)
			continue;
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

static int write_facts(struct row_facts *of, const char *path, uint64_t first, bool partial,
		       struct error *error)
{
	int status;

	of->first = first;
	of->partial = partial;
	for (uint32_t i = 0; i < code_files(); i++)
		if (!ARRAY_ADD(of->image, of->images, code_file(i + 1)->image))
			return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for images");
	row_facts_sort(of);
	status = row_facts_write(of, path, error);
	row_facts_deinit(of);
	return status;
}

int rows_write(const char *path, uint64_t first, bool partial, struct error *error)
{
	written = facts.facts;
	return write_facts(&facts, path, first, partial, error);
}

bool rows_save_begin(void)
{
	row_facts_deinit(&saved);
	for (uint32_t i = 0; i < facts.facts; i++)
		if (!row_facts_add(&saved, &facts.fact[i]))
			return false;
	return true;
}

bool rows_save_thread(const struct thread_rows *rows)
{
	for (uint32_t i = 0; i < rows->firsts; i++)
		for (const struct rows_record *one = rows->first[i]; one; one = one->next)
			if (!add_facts(one, true, &saved))
				return false;
	return true;
}

int rows_save(const char *path, uint64_t first, struct error *error)
{
	return write_facts(&saved, path, first, true, error);
}
