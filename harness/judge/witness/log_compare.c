/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * log_compare.c - the shadow stack against what the program has reported
 *
 * Both are gone through from the innermost frame out. A frame of the truth belongs to the function
 * in which the frame above it returns (the innermost: to the one that reports). If that is one that
 * reports, the log must have it there, with this slot, this return address and this function; and
 * what the log has open must be a frame. Frames of other functions lie between, and the log says
 * nothing of them.
 *
 * Of all frames, the other functions' too, one thing is known: the word at the slot is the return
 * address. Nobody may write there but who calls, since the CPU will return by it.
 *
 * The one frame of a function that reports that may not be in the log is that of a function which a
 * handler interrupted before its report: at its first instruction, or inside the hook.
 */
#include "witness.h"

struct walk {
	const struct witness_list *list;
	const struct witness_functions *functions;
	const struct shadow_stack *truth;
	size_t left; /* of the log's list: what is below has not been found yet */
	const struct witness_open
		*above; /* whose frame was the one above; NULL: nobody's in the log */
};

/* The innermost function of what is left that has a frame; NULL: none is left. */
static const struct witness_open *next_open(struct walk *walk)
{
	while (walk->left > 0 && walk->list->open[walk->left - 1].inlined)
		walk->left--;
	return walk->left > 0 ? &walk->list->open[walk->left - 1] : NULL;
}

static void differ(struct witness_difference *ret, enum witness_difference_kind kind, size_t frame,
		   uint64_t slot, uint64_t truth, uint64_t said)
{
	*ret = (struct witness_difference) {
		.kind = kind,
		.frame = frame,
		.slot = slot,
		.truth = truth,
		.said = said,
	};
}

/* The function that a frame belongs to, by the one above it. *ret_silent: it has had no time to
 * report. */
static const struct witness_function *owner_of(const struct walk *walk, size_t frame,
					       bool *ret_silent)
{
	const struct witness_hooks *hooks = &walk->functions->hooks;
	const struct shadow_frame *above = &walk->truth->frame[frame + 1];
	bool in_hook = frame + 2 < walk->truth->count && above[1].interrupted &&
		       above[1].return_address >= hooks->entry_hook &&
		       above[1].return_address < hooks->entry;
	const struct witness_function *function =
		witness_function_at(walk->functions, above->return_address - !above->interrupted);

	*ret_silent = in_hook ||
		      (function && above->interrupted && above->return_address == function->start);
	return function;
}

/* A frame that the log has, too: all else must be the same. */
static void compare_known(const struct walk *walk, size_t frame, const struct witness_open *open,
			  const struct witness_function *owner, struct witness_difference *ret)
{
	const struct shadow_frame *truth = &walk->truth->frame[frame];
	const struct shadow_frame *below = frame ? truth - 1 : NULL;

	if (open->call_site != truth->return_address)
		differ(ret, WITNESS_CALL_SITE, frame, truth->slot, truth->return_address,
		       open->call_site);
	else if (!owner || owner->start != open->function)
		differ(ret, WITNESS_FUNCTION, frame, truth->slot, owner ? owner->start : 0,
		       open->function);
	else if (open->handler &&
		 (!below || !below->interrupted || below->return_address != open->interrupted_pc))
		differ(ret, WITNESS_INTERRUPTED, frame, truth->slot,
		       below ? below->return_address : 0, open->interrupted_pc);
}

/* False: they differ, *ret says how. */
static bool compare_frame(struct walk *walk, size_t frame, const struct witness_function *owner,
			  bool silent, struct witness_difference *ret)
{
	const struct shadow_frame *truth = &walk->truth->frame[frame];
	const struct witness_open *open = next_open(walk), *above = walk->above;
	bool twice = frame + 1 < walk->truth->count && truth[1].slot == truth->slot;

	walk->above = NULL;
	if (truth->interrupted) {
		/* Above it a handler begins; the log may not have it, but it has no other there. */
		if (frame + 1 == walk->truth->count || twice || truth[1].interrupted ||
		    (above && !above->handler))
			differ(ret, WITNESS_INTERRUPTED, frame, truth->slot, truth->return_address,
			       above ? above->function : 0);
	} else if (open && open->slot == truth->slot) {
		compare_known(walk, frame, open, owner, ret);
		walk->above = open;
		walk->left--;
	} else if (twice || (witness_reports(owner) && !silent)) {
		differ(ret, WITNESS_UNLOGGED, frame, truth->slot, truth->return_address,
		       owner ? owner->start : 0);
	}
	return ret->kind == WITNESS_AGREES;
}

/* The first function of a context was never called: its return address was put there
 * (makecontext). Of such a stack the truth is a prefix, and says so. */
static bool is_planted(const struct walk *walk)
{
	return walk->left == 1 && walk->list->begun && !walk->truth->rooted;
}

/* The hook's own call must be the innermost frame. */
static bool compare_hook(const struct shadow_stack *truth, const struct witness_event *event,
			 struct witness_difference *ret)
{
	size_t count = truth->count;
	const struct shadow_frame *top = count ? &truth->frame[count - 1] : NULL;

	if (!top || top->interrupted || top->slot != event->sp ||
	    top->return_address != event->hook_return)
		differ(ret, WITNESS_HOOK, count ? count - 1 : 0, event->sp,
		       top ? top->return_address : 0, event->hook_return);
	return ret->kind == WITNESS_AGREES;
}

void witness_compare(const struct witness_log *log, const struct witness_functions *functions,
		     const struct witness_event *event, const struct shadow_stack *truth,
		     size_t *ret_frames, struct witness_difference *ret)
{
	struct walk walk = {
		.list = &log->now,
		.functions = functions,
		.truth = truth,
		.left = log->now.count,
	};
	const struct witness_open *open = next_open(&walk);
	bool jumped = witness_jumped_to_hook(event, open);
	const struct witness_function *reporter =
		witness_function_at(functions, jumped ? open->function : event->hook_return - 1);
	size_t count = truth->count;

	*ret_frames = 0;
	*ret = (struct witness_difference) { .kind = WITNESS_AGREES };
	/* Who jumps to the hook gives it its own frame. */
	if (!jumped && !compare_hook(truth, event, ret))
		return;
	count -= !jumped;
	for (size_t i = count; i-- > 0;) {
		const struct witness_function *owner = reporter;
		bool silent = false;
		size_t left = walk.left;

		if (i + 1 < count)
			owner = owner_of(&walk, i, &silent);
		if (!compare_frame(&walk, i, owner, silent, ret))
			return;
		*ret_frames += walk.left < left;
	}
	open = next_open(&walk);
	if (open && !is_planted(&walk))
		differ(ret, WITNESS_MISSING, truth->count, open->slot, 0, open->call_site);
}

void witness_compare_memory(const struct shadow_stack *truth, const struct memory_reader *memory,
			    struct witness_difference *ret)
{
	*ret = (struct witness_difference) { .kind = WITNESS_AGREES };
	for (size_t i = truth->count; i-- > 0;) {
		const struct shadow_frame *frame = &truth->frame[i];
		uint64_t word = 0;

		/* The interrupted PC is in the ucontext, which is the handler's. */
		if (frame->interrupted)
			continue;
		if (!memory->read(memory->context, frame->slot, &word, sizeof(word)) &&
		    word == frame->return_address)
			continue;
		differ(ret, WITNESS_MEMORY, i, frame->slot, frame->return_address, word);
		return;
	}
}
