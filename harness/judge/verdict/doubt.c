/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doubt.c - open doubts, and what ends them
 *
 * doubt.h says what a doubt is. Open ones are kept by the watch of the truth's frame that they rest
 * on, which is what most events name. A stray return and a disturbance name a stack, and go through
 * all.
 */
#include <stdlib.h>
#include "array.h"
#include "doubt.h"

static const char *const reason_names[DOUBT_REASON_COUNT] = {
	[DOUBT_STRAY_RETURN] = "stray_return",
	[DOUBT_REPLACED] = "replaced",
	[DOUBT_TAKEN_OFF] = "taken_off",
	[DOUBT_DISTURBED] = "disturbed",
	[DOUBT_LOST] = "lost",
	[DOUBT_OPEN] = "open",
	[DOUBT_IN_TRANSIT] = "in_transit",
	[DOUBT_NO_CODE] = "no_code",
	[DOUBT_TOO_MANY] = "too_many",
	[DOUBT_REFEREE] = "referee",
	[DOUBT_PATCHED] = "patched",
	[DOUBT_ELSEWHERE] = "elsewhere",
	[DOUBT_MEMORY] = "memory",
	[DOUBT_CLOBBERED] = "clobbered",
	[DOUBT_OUTSIDE] = "outside",
	[DOUBT_UPROBE] = "uprobe",
	[DOUBT_CONVENTION] = "convention",
};

const char *doubt_reason_name(enum doubt_reason reason)
{
	return reason_names[reason];
}

/* ---- accounts --------------------------------------------------------------------------- */

struct account *account_create(size_t engine_count)
{
	struct account *account = calloc(1, sizeof(*account));

	if (!account)
		return NULL;
	account->score = calloc(engine_count ? engine_count : 1, sizeof(*account->score));
	if (account->score)
		return account;
	free(account);
	return NULL;
}

void account_destroy(struct account *account)
{
	if (!account)
		return;
	free(account->score);
	free(account->finding);
	marks_deinit(&account->marks);
	free(account);
}

void account_add(struct account *account, struct account *add, size_t engine_count)
{
	account->points += add->points;
	for (unsigned int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		account->verdict[verdict] += add->verdict[verdict];
	account->missing += add->missing;
	for (unsigned int loss = 0; loss < SFRAME_LOSS_COUNT; loss++)
		account->sframe_loss[loss] += add->sframe_loss[loss];
	account->uncovered += add->uncovered;
	marks_take(&account->marks, &add->marks);
	for (size_t i = 0; i < engine_count; i++)
		score_add(&account->score[i], &add->score[i]);
}

bool account_add_finding(struct account *account, const struct finding_count *count)
{
	for (size_t i = 0; i < account->finding_count; i++) {
		struct finding_count *known = &account->finding[i];

		if (known->finding != count->finding)
			continue;
		known->count += count->count;
		known->followed += count->followed;
		known->followed_exact += count->followed_exact;
		return true;
	}
	return ARRAY_ADD(account->finding, account->finding_count, *count);
}

/* A score is counters and nothing else. */
_Static_assert(sizeof(struct engine_score) % sizeof(uint64_t) == 0, "a score is made of counters");

void score_add(struct engine_score *score, const struct engine_score *add)
{
	uint64_t *to = (uint64_t *)score;
	const uint64_t *from = (const uint64_t *)add;

	for (size_t i = 0; i < sizeof(*score) / sizeof(*to); i++)
		to[i] += from[i];
}

/* ---- open doubts ------------------------------------------------------------------------ */

void doubts_init(struct doubts *doubts, size_t engine_count)
{
	*doubts = (struct doubts) { .engine_count = engine_count };
}

static struct doubt **bucket_of(struct doubts *doubts, uint64_t watch)
{
	return &doubts->bucket[watch % (sizeof(doubts->bucket) / sizeof(doubts->bucket[0]))];
}

static bool is_within(const struct doubt_key *key, uint64_t pc)
{
	return pc >= key->code_begin && pc < key->code_end;
}

/* The accused function was entered with rsp at the slot of the frame that it should find: by the
 * call, or by jumps that left it there. A call into its middle may be none: it pushes the
 * address of what lies behind it, to be used as data. */
static bool is_entered(const struct doubt_key *key)
{
	const struct shadow_frame *frame;

	if (key->frame == SIZE_MAX)
		return is_within(key, key->stack->entered);
	frame = &key->stack->frame[key->frame];
	return is_within(key, frame->entered) &&
	       (frame->called == key->code_begin || !is_within(key, frame->called));
}

static struct doubt *doubt_create(struct doubts *doubts, const struct doubt_key *key,
				  uint64_t watch)
{
	bool is_root = key->frame == SIZE_MAX;
	struct doubt *doubt = calloc(1, sizeof(*doubt));

	if (!doubt)
		return NULL;
	*doubt = (struct doubt) {
		.watch = watch,
		.stack_id = key->stack->id,
		.slot = is_root ? UINT64_MAX : key->stack->frame[key->frame].slot,
		.lowest = key->sp,
		.epoch = key->stack->epoch,
		.claim = key->claim,
		.intact = true,
		.confirmed = true,
		.registers = key->registers,
		.reread = key->reread,
		.code_begin = key->code_begin,
		.code_end = key->code_end,
		.told = account_create(doubts->engine_count),
	};
	if (doubt->told)
		return doubt;
	free(doubt);
	return NULL;
}

/* One step decides both: the same row is at fault by what it should come to. Inside the accused
 * function nobody but itself writes to its frame, so its rows there are one. */
static bool is_same_reread(const struct reread *a, const struct reread *b)
{
	return a->asked == b->asked &&
	       (!a->asked ||
		(a->right.known == b->right.known && a->exact_pc == b->exact_pc &&
		 (a->exact_pc || a->regs.value[REGISTER_RIP] == b->regs.value[REGISTER_RIP])));
}

struct doubt *doubts_find(struct doubts *doubts, const struct doubt_key *key,
			  enum doubt_reason *ret_reason)
{
	struct shadow_frame *frame = key->frame == SIZE_MAX ? NULL : &key->stack->frame[key->frame];
	struct doubt *doubt, **bucket;

	if (frame && !frame->watch)
		frame->watch = ++doubts->last_watch;
	bucket = bucket_of(doubts, frame ? frame->watch : 0);
	for (doubt = *bucket; doubt; doubt = doubt->next)
		if (doubt->watch == (frame ? frame->watch : 0) &&
		    doubt->stack_id == key->stack->id && doubt->claim.slot == key->claim.slot &&
		    doubt->claim.pc == key->claim.pc && doubt->registers == key->registers &&
		    is_same_reread(&doubt->reread, &key->reread))
			break;
	*ret_reason = doubts->count == DOUBTS_MAX ? DOUBT_TOO_MANY : DOUBT_MEMORY;
	if (!doubt && doubts->count < DOUBTS_MAX) {
		doubt = doubt_create(doubts, key, frame ? frame->watch : 0);
		if (doubt) {
			doubt->next = *bucket;
			*bucket = doubt;
			doubts->count++;
		}
	}
	if (!doubt)
		return NULL;
	if (key->sp < doubt->lowest)
		doubt->lowest = key->sp;
	if (frame && frame->slot > doubt->slot) /* it has moved */
		doubt->slot = frame->slot;
	doubt->intact &= key->intact;
	doubt->confirmed &= key->confirmed && is_entered(key) && !(frame && frame->moved);
	doubt->must_return |= key->registers || key->ends || key->reread.asked ||
			      !is_entered(key) || (frame && frame->moved);
	doubt->not_entered |= !key->registers && !is_entered(key);
	doubt->ends |= key->ends;
	doubt->claim.plausible |= key->claim.plausible;
	return doubt;
}

/* ---- ends ------------------------------------------------------------------------------- */

/* What became of a doubt; ends is false while it is open. */
struct outcome {
	bool ends;
	enum doubt_end end;
	enum doubt_reason reason;
};

static const struct outcome goes_on = { .ends = false };

static struct outcome ends(enum doubt_end end, enum doubt_reason reason)
{
	return (struct outcome) { .ends = true, .end = end, .reason = reason };
}

/* Nothing will decide it any more. The accusation stands only if nothing speaks for the claim. */
static struct outcome undecided(const struct doubt *doubt, bool disturbed)
{
	if (doubt->intact && !disturbed && !doubt->claim.plausible && !doubt->must_return)
		return ends(DOUBT_TRUTH_STANDS, DOUBT_OPEN);
	return ends(DOUBT_UNPROVEN, DOUBT_OPEN);
}

/* The thread has ended in there. If the callers have spoken for the truth at each point, it stands. Of
 * who has abandoned the frame they prove nothing: it may have had the registers of where it went. */
static struct outcome at_the_end(const struct doubt *doubt, bool disturbed)
{
	if (doubt->intact && !disturbed && doubt->confirmed)
		return ends(DOUBT_TRUTH_STANDS, DOUBT_OPEN);
	return undecided(doubt, disturbed);
}

/* The instruction is one of the accused function's, as far as that is known. */
static bool is_own(const struct doubt *doubt, uint64_t pc)
{
	return doubt->code_begin == doubt->code_end ||
	       (pc >= doubt->code_begin && pc < doubt->code_end);
}

/* Another's ret says nothing of where the accused one would have gone: it was jumped to with rsp
 * elsewhere, and may have been left so (coroutines; a stack of return addresses besides rsp's). */
static bool needs_own_return(const struct doubt *doubt)
{
	return doubt->claim.plausible || doubt->not_entered || doubt->ends;
}

/* What the row reads is in its place now: it was not when the point was met. */
static bool is_restored(const struct doubts *doubts, const struct doubt *doubt)
{
	return doubt->reread.asked && doubts->comes_out_right &&
	       doubts->comes_out_right(doubts->context, &doubt->reread);
}

static struct outcome after_frame(const struct doubts *doubts, const struct doubt *doubt,
				  const struct shadow_stack *stack,
				  const struct shadow_frame *frame, enum frame_end end,
				  uint64_t target)
{
	switch (end) {
	case FRAME_RETURNED:
		if ((doubt->registers && frame->clobbered) || is_restored(doubts, doubt))
			return ends(DOUBT_UNPROVEN, DOUBT_CLOBBERED);
		if (doubt->registers && frame->moved) /* which rsp is right is not certain */
			return ends(DOUBT_UNPROVEN, DOUBT_TAKEN_OFF);
		if (doubt->inserts ||
		    ((needs_own_return(doubt) || frame->moved) && !is_own(doubt, stack->at)))
			return ends(DOUBT_UNPROVEN, DOUBT_OPEN);
		if (doubt->intact)
			return ends(DOUBT_TRUTH_STANDS, DOUBT_OPEN);
		return ends(DOUBT_UNPROVEN, DOUBT_REPLACED);
	case FRAME_REPLACED:
		if (doubt->other && doubt->claim.slot == frame->slot && doubt->claim.pc == target)
			return ends(DOUBT_CLAIM_STANDS, DOUBT_REPLACED);
		return ends(DOUBT_UNPROVEN, DOUBT_REPLACED);
	case FRAME_TAKEN_OFF: return ends(DOUBT_UNPROVEN, DOUBT_TAKEN_OFF);
	case FRAME_LOST: return ends(DOUBT_UNPROVEN, DOUBT_LOST);
	case FRAME_ABANDONED:
		if (frame->moved)
			return ends(DOUBT_UNPROVEN, DOUBT_OPEN);
		if (stack->ends)
			return at_the_end(doubt, frame->epoch != stack->epoch);
		break;
	}
	return undecided(doubt, frame->epoch != stack->epoch);
}

static struct outcome after_stray(const struct doubt *doubt, uint64_t slot, uint64_t target)
{
	if (doubt->claim.slot == slot && doubt->claim.pc == target)
		return doubt->other ? ends(DOUBT_CLAIM_STANDS, DOUBT_STRAY_RETURN)
				    : ends(DOUBT_UNPROVEN, DOUBT_STRAY_RETURN);
	if (slot >= doubt->lowest && slot < doubt->slot)
		return ends(DOUBT_UNPROVEN, DOUBT_STRAY_RETURN);
	return goes_on;
}

/* Takes a doubt out of its list and tells what it came to. */
static void end_doubt(struct doubts *doubts, struct doubt **link, struct outcome outcome)
{
	struct doubt *doubt = *link;

	*link = doubt->next;
	doubts->count--;
	doubts->on_end(doubts->context, doubt, outcome.end, outcome.reason);
	account_destroy(doubt->told);
	account_destroy(doubt->other);
	free(doubt);
}

void doubts_frame_ended(void *context, const struct shadow_stack *stack,
			const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	struct doubts *doubts = context;
	struct doubt **link = bucket_of(doubts, frame->watch);

	while (*link) {
		if ((*link)->watch == frame->watch)
			end_doubt(doubts, link,
				  after_frame(doubts, *link, stack, frame, end, target));
		else
			link = &(*link)->next;
	}
}

/* Every doubt of a stack. */
static void each_of_stack(struct doubts *doubts, uint64_t stack_id,
			  struct outcome (*after)(const struct doubt *, uint64_t, uint64_t),
			  uint64_t slot, uint64_t target)
{
	for (size_t i = 0; doubts->count && i < sizeof(doubts->bucket) / sizeof(*doubts->bucket);
	     i++) {
		struct doubt **link = &doubts->bucket[i];

		while (*link) {
			struct outcome outcome = goes_on;

			if ((*link)->stack_id == stack_id)
				outcome = after(*link, slot, target);
			if (outcome.ends)
				end_doubt(doubts, link, outcome);
			else
				link = &(*link)->next;
		}
	}
}

void doubts_stray_return(void *context, const struct shadow_stack *stack, uint64_t slot,
			 uint64_t target)
{
	each_of_stack(context, stack->id, after_stray, slot, target);
}

static struct outcome after_disturbance(const struct doubt *doubt, uint64_t slot, uint64_t target)
{
	return ends(DOUBT_UNPROVEN, DOUBT_DISTURBED);
}

void doubts_disturbed(void *context, const struct shadow_stack *stack)
{
	each_of_stack(context, stack->id, after_disturbance, 0, 0);
}

void doubts_end(struct doubts *doubts)
{
	for (size_t i = 0; i < sizeof(doubts->bucket) / sizeof(*doubts->bucket); i++)
		while (doubts->bucket[i])
			end_doubt(doubts, &doubts->bucket[i],
				  at_the_end(doubts->bucket[i], doubts->bucket[i]->epoch > 0));
}
