/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * provisional.c - see provisional.h
 *
 * What it costs: a point finds its stack (mostly the last one) and its entry (mostly the last one);
 * an entry that rsp has risen above is added to its neighbour once.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "verdict/provisional.h"

void provisional_init(struct provisional *provisional, size_t engine_count)
{
	*provisional = (struct provisional) { .engine_count = engine_count };
}

/* ---- accounts: points that agree have no findings ---------------------------------------- */

static struct account *take_account(struct provisional *provisional)
{
	struct account *account = provisional->spare;

	provisional->spare = NULL;
	return account ? account : account_create(provisional->engine_count);
}

static void give_account(struct provisional *provisional, struct account *account)
{
	struct score *score = account->score;

	if (provisional->spare) {
		account_destroy(account);
		return;
	}
	memset(score, 0, provisional->engine_count * sizeof(*score));
	marks_deinit(&account->marks);
	memset(account, 0, sizeof(*account));
	account->score = score;
	provisional->spare = account;
}

static void end_account(struct provisional *provisional, struct account *account,
			enum provisional_outcome end)
{
	provisional->on_end(provisional->context, account, end);
	give_account(provisional, account);
}

static void end_pending(struct provisional *provisional, struct provisional_stack *stack,
			enum provisional_outcome end)
{
	if (stack->pending)
		end_account(provisional, stack->pending, end);
	stack->pending = NULL;
}

/* ---- stacks ------------------------------------------------------------------------------ */

static void end_stack(struct provisional *provisional, struct provisional_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		end_account(provisional, stack->entry[i].account, PROVISIONAL_FINAL);
	end_pending(provisional, stack, PROVISIONAL_TAKEN_OFF);
	free(stack->entry);
}

static bool is_of(const struct provisional_stack *stack, const struct provisional_place *place)
{
	return stack->stack_id == place->stack_id && stack->region == place->region;
}

static struct provisional_stack *find_stack(struct provisional *provisional,
					    const struct provisional_place *place)
{
	if (provisional->last < provisional->count &&
	    is_of(&provisional->stack[provisional->last], place))
		return &provisional->stack[provisional->last];
	for (size_t i = 0; i < provisional->count; i++) {
		if (!is_of(&provisional->stack[i], place))
			continue;
		provisional->last = i;
		return &provisional->stack[i];
	}
	return NULL;
}

/* Room for one more, the oldest one's if there are too many. NULL: no memory. */
static struct provisional_stack *new_stack(struct provisional *provisional)
{
	struct provisional_stack *oldest = provisional->stack;

	if (provisional->count == PROVISIONAL_STACKS_MAX) {
		for (size_t i = 1; i < provisional->count; i++)
			if (provisional->stack[i].used < oldest->used)
				oldest = &provisional->stack[i];
		end_stack(provisional, oldest);
		return oldest;
	}
	if (!ARRAY_GROW(provisional->stack, provisional->count))
		return NULL;
	return &provisional->stack[provisional->count++];
}

static struct provisional_stack *use_stack(struct provisional *provisional,
					   const struct provisional_place *place)
{
	struct provisional_stack *stack = find_stack(provisional, place);

	if (!stack) {
		stack = new_stack(provisional);
		if (!stack)
			return NULL;
		*stack = (struct provisional_stack) { .stack_id = place->stack_id,
						      .region = place->region };
		provisional->last = stack - provisional->stack;
	}
	stack->used = ++provisional->time;
	return stack;
}

/* ---- entries ----------------------------------------------------------------------------- */

/* Adds the points of one entry to another's. */
static void add_entry(struct provisional *provisional, struct provisional_entry *to,
		      struct provisional_entry *from)
{
	to->mixed |= from->mixed || to->claim != from->claim;
	account_add(to->account, from->account, provisional->engine_count);
	give_account(provisional, from->account);
}

/* Of as many entries as there may be, each two neighbours become one, which is taken back if the
 * lower one would be. */
static void halve(struct provisional *provisional, struct provisional_stack *stack)
{
	size_t kept = 0;

	_Static_assert(PROVISIONAL_ENTRIES_MAX % 2 == 0, "none is left over");
	for (size_t i = 0; i < stack->count; i += 2) {
		struct provisional_entry *entry = &stack->entry[i];

		add_entry(provisional, entry, &stack->entry[i + 1]);
		entry->sp = stack->entry[i + 1].sp;
		stack->entry[kept++] = *entry;
	}
	stack->count = kept;
}

static struct provisional_entry *new_entry(struct provisional *provisional,
					   struct provisional_stack *stack)
{
	struct account *account = take_account(provisional);

	if (!account)
		return NULL;
	if (stack->count == PROVISIONAL_ENTRIES_MAX)
		halve(provisional, stack);
	if (!ARRAY_GROW(stack->entry, stack->count)) {
		account_destroy(account);
		return NULL;
	}
	stack->entry[stack->count] = (struct provisional_entry) { .account = account };
	return &stack->entry[stack->count++];
}

struct account *provisional_find(struct provisional *provisional,
				 const struct provisional_place *place)
{
	struct provisional_stack *stack = use_stack(provisional, place);
	struct provisional_entry *entry;

	if (!stack)
		return NULL;
	/* What rsp has risen above is one. */
	while (stack->count > 1 && stack->entry[stack->count - 2].sp <= place->sp) {
		add_entry(provisional, &stack->entry[stack->count - 2],
			  &stack->entry[stack->count - 1]);
		stack->count--;
	}
	entry = stack->count ? &stack->entry[stack->count - 1] : NULL;
	if (entry && entry->sp <= place->sp) {
		entry->sp = place->sp;
		entry->mixed |= entry->claim != place->claim;
		return entry->account;
	}
	entry = new_entry(provisional, stack);
	if (!entry)
		return NULL;
	entry->sp = place->sp;
	entry->claim = place->claim;
	return entry->account;
}

/* The first entry with rsp at slot or below. */
static size_t first_below(const struct provisional_stack *stack, uint64_t slot)
{
	size_t first = stack->count;

	while (first && stack->entry[first - 1].sp <= slot)
		first--;
	return first;
}

void provisional_stray_return(struct provisional *provisional,
			      const struct provisional_place *place, uint64_t slot, uint64_t target)
{
	struct provisional_stack *stack = find_stack(provisional, place);
	size_t first;

	if (!stack)
		return;
	first = first_below(stack, slot);
	for (size_t i = first; i < stack->count; i++) {
		const struct provisional_entry *entry = &stack->entry[i];
		bool is_foretold = !entry->mixed && entry->claim == target;

		end_account(provisional, entry->account,
			    is_foretold ? PROVISIONAL_FINAL : PROVISIONAL_STRAY_RETURN);
	}
	stack->count = first;
}

void provisional_taken_off(struct provisional *provisional, const struct provisional_place *place,
			   uint64_t slot)
{
	struct provisional_stack *stack = find_stack(provisional, place);
	size_t first;

	if (!stack)
		return;
	end_pending(provisional, stack, PROVISIONAL_TAKEN_OFF); /* settled unnoticed */
	first = first_below(stack, slot);
	if (first == stack->count)
		return;
	stack->pending = stack->entry[first].account;
	stack->pending_slot = slot;
	for (size_t i = first + 1; i < stack->count; i++) {
		account_add(stack->pending, stack->entry[i].account, provisional->engine_count);
		give_account(provisional, stack->entry[i].account);
	}
	stack->count = first;
}

void provisional_settled(struct provisional *provisional, const struct provisional_place *place,
			 bool was_frame)
{
	struct provisional_stack *stack = find_stack(provisional, place);
	struct provisional_place again = *place;
	struct account *account;

	if (!stack || !stack->pending)
		return;
	again.sp = stack->pending_slot;
	account = was_frame ? provisional_find(provisional, &again) : NULL;
	if (account) {
		account_add(account, stack->pending, provisional->engine_count);
		give_account(provisional, stack->pending);
		stack->pending = NULL;
	} else {
		end_pending(provisional, stack,
			    was_frame ? PROVISIONAL_FINAL : PROVISIONAL_TAKEN_OFF);
	}
}

void provisional_disturbed(struct provisional *provisional, uint64_t stack_id)
{
	for (size_t i = 0; i < provisional->count; i++) {
		struct provisional_stack *stack = &provisional->stack[i];

		if (stack->stack_id != stack_id)
			continue;
		for (size_t at = 0; at < stack->count; at++)
			end_account(provisional, stack->entry[at].account, PROVISIONAL_FINAL);
		end_pending(provisional, stack, PROVISIONAL_FINAL);
		stack->count = 0;
	}
}

void provisional_end(struct provisional *provisional)
{
	for (size_t i = 0; i < provisional->count; i++)
		end_stack(provisional, &provisional->stack[i]);
	free(provisional->stack);
	account_destroy(provisional->spare);
	provisional_init(provisional, provisional->engine_count);
}
