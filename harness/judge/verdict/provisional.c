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
#include "provisional.h"

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
	struct engine_score *score = account->score;

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

static void end_some(struct provisional *provisional, struct account **account,
		     enum provisional_outcome end)
{
	if (*account)
		end_account(provisional, *account, end);
	*account = NULL;
}

/* Adds an account's points to another's, which may not be there yet. */
static void merge(struct provisional *provisional, struct account **to, struct account **from)
{
	if (!*to) {
		*to = *from;
	} else if (*from) {
		account_add(*to, *from, provisional->engine_count);
		give_account(provisional, *from);
	}
	*from = NULL;
}

/* ---- stacks ------------------------------------------------------------------------------ */

/* The first entry with rsp at slot or below. */
static size_t first_below(const struct provisional_stack *stack, uint64_t slot)
{
	size_t first = stack->count;

	while (first && stack->entry[first - 1].sp <= slot)
		first--;
	return first;
}

/* Ends the entries from first on. */
static void end_entries(struct provisional *provisional, struct provisional_stack *stack,
			size_t first, enum provisional_outcome end)
{
	for (size_t i = first; i < stack->count; i++)
		end_account(provisional, stack->entry[i].account, end);
	if (first < stack->count)
		stack->count = first;
}

static void take_back_held(struct provisional *provisional, struct provisional_held *held)
{
	end_some(provisional, &held->with, PROVISIONAL_TAKEN_OFF);
	end_some(provisional, &held->without, PROVISIONAL_TAKEN_OFF);
}

/* No more will be known of a stack: what is held by a frame that has moved is taken back. */
static void end_points(struct provisional *provisional, struct provisional_stack *stack)
{
	if (stack->moved_count || stack->off.moved)
		take_back_held(provisional, &stack->off);
	if (stack->moved_count)
		end_entries(provisional, stack, first_below(stack, stack->moved[0].slot),
			    PROVISIONAL_TAKEN_OFF);
	end_entries(provisional, stack, 0, PROVISIONAL_FINAL);
	for (size_t i = 0; i < stack->moved_count; i++)
		take_back_held(provisional, &stack->moved[i]);
}

static void end_stack(struct provisional *provisional, struct provisional_stack *stack)
{
	end_points(provisional, stack);
	end_some(provisional, &stack->off.with, PROVISIONAL_TAKEN_OFF);
	end_some(provisional, &stack->off.without, PROVISIONAL_FINAL);
	free(stack->entry);
	free(stack->moved);
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
	return ARRAY_ADD(provisional->stack, provisional->count,
			 (struct provisional_stack) { .stack_id = 0 });
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
	struct provisional_entry *entry;

	if (!account)
		return NULL;
	if (stack->count == PROVISIONAL_ENTRIES_MAX)
		halve(provisional, stack);
	entry = ARRAY_ADD(stack->entry, stack->count,
			  (struct provisional_entry) { .account = account });
	if (!entry)
		account_destroy(account);
	return entry;
}

static struct account *find_entry(struct provisional *provisional, struct provisional_stack *stack,
				  const struct provisional_place *place)
{
	struct provisional_entry *entry;

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

struct account *provisional_find(struct provisional *provisional,
				 const struct provisional_place *place)
{
	struct provisional_stack *stack = use_stack(provisional, place);
	struct account **held;

	if (!stack)
		return NULL;
	if (place->carried == CARRIED_NONE)
		return find_entry(provisional, stack, place);
	held = place->carried == CARRIED_WITH ? &stack->off.with : &stack->off.without;
	if (!*held)
		*held = take_account(provisional);
	return *held;
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

/* What is known of a frame's points leaves them where other returns may refute them: with those
 * that have the lowest rsp, if that is below the frame's. */
static void keep(struct provisional *provisional, struct provisional_stack *stack,
		 struct account **account, uint64_t slot)
{
	const struct provisional_place place = { .sp = slot };
	struct account *to = NULL;

	if (!*account)
		return;
	if (stack->count && stack->entry[stack->count - 1].sp <= slot) {
		to = stack->entry[stack->count - 1].account;
		stack->entry[stack->count - 1].mixed = true;
	} else {
		to = find_entry(provisional, stack, &place);
	}
	if (to)
		merge(provisional, &to, account);
	else
		end_some(provisional, account, PROVISIONAL_FINAL);
}

/* It is known whether there was a frame. */
static void decide(struct provisional *provisional, struct provisional_stack *stack,
		   struct provisional_held *held, bool was_frame)
{
	if (held->moved && !was_frame) /* it may have been one before */
		take_back_held(provisional, held);
	end_some(provisional, was_frame ? &held->without : &held->with, PROVISIONAL_TAKEN_OFF);
	keep(provisional, stack, was_frame ? &held->with : &held->without, held->slot);
	*held = (struct provisional_held) { 0 };
}

static struct provisional_held *innermost_moved(struct provisional_stack *stack)
{
	return stack->moved_count ? &stack->moved[stack->moved_count - 1] : NULL;
}

void provisional_taken_off(struct provisional *provisional, const struct provisional_place *place,
			   uint64_t slot)
{
	struct provisional_stack *stack = use_stack(provisional, place);
	struct provisional_held *moved;
	size_t first;

	if (!stack)
		return;
	decide(provisional, stack, &stack->off, false); /* settled unnoticed */
	stack->off.slot = slot;
	first = first_below(stack, slot);
	for (size_t i = first; i < stack->count; i++)
		merge(provisional, &stack->off.with, &stack->entry[i].account);
	stack->count = first;
	moved = innermost_moved(stack);
	if (moved && moved->slot == slot) {
		merge(provisional, &stack->off.with, &moved->with);
		merge(provisional, &stack->off.without, &moved->without);
		stack->off.moved = true;
		stack->moved_count--;
	}
}

void provisional_settled(struct provisional *provisional, const struct provisional_place *place,
			 bool was_frame)
{
	struct provisional_stack *stack = find_stack(provisional, place);

	if (stack)
		decide(provisional, stack, &stack->off, was_frame);
}

void provisional_moved(struct provisional *provisional, const struct provisional_place *place,
		       uint64_t slot)
{
	struct provisional_stack *stack = use_stack(provisional, place);

	if (!stack)
		return;
	if (!ARRAY_GROW(stack->moved, stack->moved_count)) {
		decide(provisional, stack, &stack->off, false);
		return;
	}
	stack->off.slot = slot;
	stack->off.moved = true;
	stack->moved[stack->moved_count++] = stack->off;
	stack->off = (struct provisional_held) { 0 };
}

/* What came after the move, on this stack and on those that were entered from it, rests on it. */
static void take_back(struct provisional *provisional, const struct provisional_place *place,
		      uint64_t slot)
{
	for (size_t i = 0; i < provisional->count; i++) {
		struct provisional_stack *stack = &provisional->stack[i];
		bool inside = stack->region > place->region;

		if (stack->stack_id != place->stack_id || stack->region < place->region)
			continue;
		end_entries(provisional, stack, inside ? 0 : first_below(stack, slot),
			    PROVISIONAL_TAKEN_OFF);
		if (inside || stack->off.slot <= slot)
			take_back_held(provisional, &stack->off);
	}
}

void provisional_moved_ended(struct provisional *provisional, const struct provisional_place *place,
			     uint64_t slot, bool returned)
{
	struct provisional_stack *stack = find_stack(provisional, place);
	struct provisional_held *moved;

	if (!returned)
		take_back(provisional, place, slot);
	while (stack && (moved = innermost_moved(stack)) && moved->slot <= slot) {
		if (moved->slot < slot) /* ended unnoticed */
			take_back(provisional, place, moved->slot);
		decide(provisional, stack, moved, returned && moved->slot == slot);
		stack->moved_count--;
	}
}

void provisional_disturbed(struct provisional *provisional, uint64_t stack_id)
{
	size_t held = SIZE_MAX; /* the outermost region with a frame that has moved */

	for (size_t i = 0; i < provisional->count; i++) {
		struct provisional_stack *stack = &provisional->stack[i];

		if (stack->stack_id == stack_id && stack->moved_count && stack->region < held)
			held = stack->region;
	}
	for (size_t i = 0; i < provisional->count; i++) {
		struct provisional_stack *stack = &provisional->stack[i];

		if (stack->stack_id != stack_id)
			continue;
		if (stack->region > held)
			end_entries(provisional, stack, 0, PROVISIONAL_TAKEN_OFF);
		end_points(provisional, stack);
		end_some(provisional, &stack->off.with, PROVISIONAL_FINAL);
		end_some(provisional, &stack->off.without, PROVISIONAL_FINAL);
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
