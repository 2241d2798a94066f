/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_match.c - states, and which frame leads from one to another
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "array.h"
#include "score_match.h"

#define STATES_BYTES_MAX (128u << 20) /* then they are forgotten */
#define SLOTS_LEAST	 1024u
#define VAGUE_ELEMENTS	 4096u /* that names leave open: more of them decide nothing any more */

/* An element: a node's number and these. */
enum { ELEMENT_MAYBE = 1, ELEMENT_DOUBT = 2, ELEMENT_FLAGS = 3, ELEMENT_SHIFT = 2 };
/* No frame has agreed yet: all that came was inlined, maybe, or the kernel's. */
#define ELEMENT_NOWHERE ((uint64_t)UINT32_MAX << ELEMENT_SHIFT)
/* The same, where only one node's stack is meant: with its number. */
#define ELEMENT_PINNED	     (1ull << 40)
#define PINNED_NODE(element) ((uint32_t)((element) >> ELEMENT_SHIFT))
/* A transition's state from which the pinned ones are reached, by their nodes. */
#define PINNING (UINT32_MAX - 1)

struct transition {
	uint32_t state, frame; /* frame 0: empty */
	uint32_t next;
};

struct score_matcher {
	struct score_truth *truth;
	const struct profile *profile;
	struct score_frame *frame;
	size_t frame_room, frames;
	struct score_state *state;
	uint32_t states;
	uint64_t *element;
	size_t elements, element_room;
	struct transition *slot;
	uint32_t slots, used;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory to hold stacks against the truth");
}

/* ---- elements ------------------------------------------------------------------------------- */

static int push(struct score_matcher *matcher, uint64_t element, struct error *error)
{
	if (!ARRAY_RESERVE(matcher->element, matcher->element_room, matcher->elements + 1))
		return no_memory(error);
	matcher->element[matcher->elements++] = element;
	return 0;
}

static const struct truth_node *node_of(const struct score_matcher *matcher, uint64_t element)
{
	return truth_file_node(matcher->truth->file, element >> ELEMENT_SHIFT);
}

static int push_leaves(struct score_matcher *matcher, uint32_t function, unsigned int flags,
		       struct error *error)
{
	const struct score_function *in = &matcher->truth->function[function];

	for (uint32_t i = in->first_leaf; i < in->end_leaf; i++) {
		const struct score_leaf *leaf = &matcher->truth->leaf[i];

		if (push(matcher,
			 (uint64_t)leaf->node << ELEMENT_SHIFT | flags |
				 (leaf->proven ? 0 : ELEMENT_DOUBT),
			 error))
			return -1;
	}
	return 0;
}

/* Of an address its function counts. */
static uint32_t leaf_function(const struct score_truth *truth, const struct score_frame *frame,
			      bool *ret_unseen)
{
	uint32_t place = score_truth_place(truth, frame->image, frame->address, false);

	*ret_unseen = !place;
	return place ? truth->place[place].function
		     : score_truth_function(truth, frame->image, frame->address);
}

/* In whichever image the offset is code: where the program stood, or else in its function. */
static int add_offset_leaves(struct score_matcher *matcher, uint64_t offset, unsigned int flags,
			     struct score_state *state, struct error *error)
{
	const struct score_truth *truth = matcher->truth;
	size_t images = truth_file_image_count(truth->file);
	uint64_t vaddr;

	state->is_leaf_unseen = true;
	for (size_t i = 0; i < images; i++)
		if (score_truth_vaddr(&truth->image[i], offset, &vaddr) &&
		    score_truth_place(truth, i, vaddr, false))
			state->is_leaf_unseen = false;
	for (size_t i = 0; i < images; i++) {
		struct score_frame frame = { .image = i };
		bool unseen;
		uint32_t function;

		if (!score_truth_vaddr(&truth->image[i], offset, &frame.address))
			continue;
		function = leaf_function(truth, &frame, &unseen);
		if (unseen == state->is_leaf_unseen && push_leaves(matcher, function, flags, error))
			return -1;
	}
	return 0;
}

/* Of two addresses that it may be, the one where the program stood; or both. */
static int add_address_leaves(struct score_matcher *matcher, const struct score_frame *frame,
			      unsigned int flags, struct score_state *state, struct error *error)
{
	struct score_frame other = *frame;
	bool unseen, other_unseen = true;
	uint32_t first = leaf_function(matcher->truth, frame, &unseen), second = 0;

	other.address = frame->other;
	if (other.address != SCORE_NO_OFFSET)
		second = leaf_function(matcher->truth, &other, &other_unseen);
	state->is_leaf_unseen = unseen && other_unseen;
	if (second != first && other_unseen == state->is_leaf_unseen &&
	    push_leaves(matcher, second, flags, error))
		return -1;
	return unseen == state->is_leaf_unseen || second == first
		       ? push_leaves(matcher, first, flags, error)
		       : 0;
}

static int add_leaves(struct score_matcher *matcher, const struct score_frame *frame,
		      unsigned int flags, struct score_state *state, struct error *error)
{
	const struct score_truth *truth = matcher->truth;

	if (frame->how == FRAME_ADDRESS)
		return add_address_leaves(matcher, frame, flags, state, error);
	if (frame->how == FRAME_OFFSET)
		return add_offset_leaves(matcher, frame->address, flags, state, error);
	for (uint32_t i = 1; i < truth->functions; i++) {
		uint32_t place = truth->function[i].leaf_place;
		enum frame_match match = place ? score_frame_match(truth, frame, place) : FRAME_NO;

		if (match != FRAME_NO &&
		    push_leaves(matcher, i, flags | (match == FRAME_MAYBE ? ELEMENT_MAYBE : 0),
				error))
			return -1;
	}
	return 0;
}

/* Whether the frame is at the place, where one stack is asked for: then an address of the process decides, too. */
static enum frame_match pinned_match(const struct score_truth *truth,
				     const struct score_frame *frame, uint32_t place)
{
	enum frame_match match = place ? score_frame_match(truth, frame, place) : FRAME_NO;

	if (!place || match != FRAME_NO || frame->runtime == SCORE_NO_OFFSET)
		return match;
	return score_truth_runtime(truth, place, frame->runtime);
}

/* The one stack's innermost frame. */
static int add_pinned_leaf(struct score_matcher *matcher, const struct score_frame *frame,
			   uint64_t element, struct error *error)
{
	const struct score_truth *truth = matcher->truth;
	uint32_t node = PINNED_NODE(element), place = truth->leaf_place[node];
	enum frame_match match = pinned_match(truth, frame, place);

	if (match == FRAME_NO)
		return 0;
	return push(matcher,
		    (uint64_t)node << ELEMENT_SHIFT | (element & ELEMENT_FLAGS) |
			    (match == FRAME_MAYBE ? ELEMENT_MAYBE : 0),
		    error);
}

/* To the parents of a state's nodes, where the frame is. */
static int add_callers(struct score_matcher *matcher, const struct score_state *state,
		       const struct score_frame *frame, struct score_state *next,
		       struct error *error)
{
	const struct score_truth *truth = matcher->truth;

	for (uint32_t i = 0; i < state->count; i++) {
		uint64_t element = matcher->element[state->first + i];
		unsigned int flags = element & ELEMENT_FLAGS;
		uint32_t parent;
		enum frame_match match;

		if (element >= ELEMENT_NOWHERE) {
			if (element & ELEMENT_PINNED
				    ? add_pinned_leaf(matcher, frame, element, error)
				    : add_leaves(matcher, frame, flags, next, error))
				return -1;
			continue;
		}
		parent = node_of(matcher, element)->parent;
		match = state->is_pinned ? pinned_match(truth, frame, truth->caller_place[parent])
			: truth->caller_place[parent]
				? score_frame_match(truth, frame, truth->caller_place[parent])
				: FRAME_NO;
		flags |= match == FRAME_MAYBE ? ELEMENT_MAYBE : 0;
		if (match != FRAME_NO &&
		    push(matcher, (uint64_t)parent << ELEMENT_SHIFT | flags, error))
			return -1;
	}
	return 0;
}

/* Each once, and none that is less certain than another of its node. */
static void make_set(struct score_matcher *matcher, uint32_t first)
{
	uint64_t *element = matcher->element + first;
	size_t count = matcher->elements - first, left = 0, node = 0;

	if (count > 1)
		qsort(element, count, sizeof(*element), array_order_u64);
	for (size_t i = 0; i < count; i++) {
		bool covered = false;

		if (left && element[i] >> ELEMENT_SHIFT != element[left - 1] >> ELEMENT_SHIFT)
			node = left;
		for (size_t j = node; j < left; j++)
			covered |= !(element[j] & ELEMENT_FLAGS & ~element[i]);
		if (!covered)
			element[left++] = element[i];
	}
	matcher->elements = first + left;
}

/* ---- what a stack is that ends in a state ---------------------------------------------------- */

static void set_class(struct score_state *state, enum score_class class, enum score_reason reason)
{
	state->class = class;
	state->reason = reason;
}

/* The best that an element makes of it. */
static void judge(struct score_matcher *matcher, struct score_state *state)
{
	bool whole = false, part = false, open = false, doubt = false,
	     attached = score_truth_attached(matcher->truth);

	for (uint32_t i = 0; i < state->count; i++) {
		uint64_t element = matcher->element[state->first + i];
		uint32_t number = element >> ELEMENT_SHIFT;
		bool is_open, sure = !(element & ELEMENT_FLAGS);

		doubt |= element < ELEMENT_NOWHERE && !(element & ELEMENT_MAYBE) && !sure;
		if (element >= ELEMENT_NOWHERE || !sure)
			continue;
		is_open = truth_file_is_open(matcher->truth->file, number);
		whole |= !is_open && node_of(matcher, element)->depth == 1;
		/* That an attached process's stack goes on is known, if not how far. */
		part |= (!is_open || attached) && node_of(matcher, element)->depth > 1;
		open |= is_open;
	}
	if ((whole || part) && state->is_leaf_unseen)
		set_class(state, SCORE_UNPROVEN, SCORE_LEAF_PC);
	else if (whole)
		set_class(state, SCORE_EXACT, SCORE_NO_REASON);
	else if (part)
		set_class(state, SCORE_TRUNCATED, SCORE_NO_REASON);
	else
		set_class(state, SCORE_UNPROVEN,
			  open	  ? SCORE_OPEN
			  : doubt ? SCORE_DOUBT
				  : SCORE_NAMES);
}

/* No frame agrees behind before. */
static void judge_end(struct score_matcher *matcher, const struct score_state *before,
		      struct score_state *state)
{
	const struct truth_file *file = matcher->truth->file;
	bool outermost = false, goes_on = false;

	for (uint32_t i = 0; i < before->count; i++) {
		uint64_t element = matcher->element[before->first + i];
		const struct truth_node *node;

		if (element >= ELEMENT_NOWHERE)
			continue;
		node = node_of(matcher, element);
		if (node->depth == 1 && truth_file_is_open(file, element >> ELEMENT_SHIFT)) {
			set_class(state, SCORE_UNPROVEN, SCORE_OPEN);
			return;
		}
		outermost |= node->depth == 1;
		goes_on |= node->depth > 1;
	}
	if (!before->is_pinned && score_truth_gap(matcher->truth))
		set_class(state, SCORE_UNPROVEN, SCORE_GAP);
	else if (state->is_doubted)
		set_class(state, SCORE_UNPROVEN, SCORE_DOUBT);
	else if (state->is_name_open)
		set_class(state, SCORE_UNPROVEN, SCORE_NAMES);
	else
		set_class(state, SCORE_IMPOSSIBLE,
			  goes_on     ? SCORE_CALLER
			  : outermost ? SCORE_BEYOND
				      : SCORE_LEAF);
}

/* ---- states --------------------------------------------------------------------------------- */

const struct score_frame *score_matcher_frame(struct score_matcher *matcher, uint32_t number,
					      struct error *error)
{
	size_t wanted = matcher->profile->frames + 1ul;

	if (matcher->frames < wanted) {
		if (!ARRAY_RESERVE(matcher->frame, matcher->frame_room, wanted)) {
			no_memory(error);
			return NULL;
		}
		memset(matcher->frame + matcher->frames, 0,
		       (wanted - matcher->frames) * sizeof(*matcher->frame));
		matcher->frames = wanted;
	}
	if (!matcher->frame[number].ready &&
	    score_frame_resolve(matcher->truth, matcher->profile, number, &matcher->frame[number],
				error))
		return NULL;
	return &matcher->frame[number];
}

uint32_t score_matcher_inlined(struct score_matcher *matcher, uint32_t number)
{
	return score_frame_inlined(matcher->truth, &matcher->frame[number]);
}

/* The function that a state's last frame is in, where it is this element's node. */
static uint32_t function_at(const struct score_matcher *matcher, const struct score_state *state,
			    uint64_t element)
{
	const struct score_truth *truth = matcher->truth;
	uint32_t node = element >> ELEMENT_SHIFT, place;

	if (element >= ELEMENT_NOWHERE)
		return 0;
	place = state->frames == 1 ? truth->leaf_place[node] : truth->caller_place[node];
	/* Behind a frame that was none of the machine's comes the leaf. */
	return truth->place[place ? place : truth->leaf_place[node]].function;
}

/* The one function that its last frame is in: of the certain elements, or else of all. 0: they are in several. */
static uint32_t function_of(const struct score_matcher *matcher, const struct score_state *state)
{
	uint32_t ret[2] = { 0, 0 };
	bool several[2] = { false, false };

	for (uint32_t i = 0; i < state->count; i++) {
		uint64_t element = matcher->element[state->first + i];
		uint32_t here = function_at(matcher, state, element);

		for (int sure = 0; here && sure <= !(element & ELEMENT_FLAGS); sure++) {
			several[sure] |= ret[sure] && ret[sure] != here;
			ret[sure] = here;
		}
	}
	if (ret[1])
		return several[1] ? 0 : ret[1];
	return several[0] ? 0 : ret[0];
}

uint32_t score_matcher_class(struct score_matcher *matcher, uint32_t number, const uint32_t *class)
{
	const struct score_state *state = &matcher->state[number];
	uint32_t ret = 0;

	for (uint32_t i = 0; i < state->count; i++) {
		uint64_t element = matcher->element[state->first + i];
		uint32_t here = class[function_at(matcher, state, element)];

		if (element & ELEMENT_FLAGS || element >= ELEMENT_NOWHERE)
			continue;
		if (ret && ret != here)
			return 0;
		ret = here;
	}
	return ret;
}

/* In any of the functions that the leaf may be in. */
static bool is_doubted(const struct score_matcher *matcher, const struct score_state *state)
{
	const struct score_truth *truth = matcher->truth;

	for (uint32_t i = 0; i < state->count; i++) {
		uint64_t element = matcher->element[state->first + i];
		uint32_t place = element < ELEMENT_NOWHERE
					 ? truth->leaf_place[element >> ELEMENT_SHIFT]
					 : 0;

		if (truth->function[truth->place[place].function].is_doubted)
			return true;
	}
	return false;
}

/*
 * A tool that finds no name of an inlined function (a lambda) prints the one of the function that it is in, so
 * that seems to call itself. By names alone nobody can tell.
 */
static bool has_name_of(struct score_matcher *matcher, uint32_t number, uint32_t other)
{
	const struct score_frame *frame = &matcher->frame[number], *before = &matcher->frame[other];
	const struct profile_frame *in = profile_frame(matcher->profile, number);

	return in->kind == PROFILE_NO_ADDRESS &&
	       (number == other || (frame->how == FRAME_NAME && before->how == FRAME_NAME &&
				    frame->key && frame->key == before->key));
}

/* Something is inlined where the element's frame stands. */
static bool is_inlined_at(struct score_matcher *matcher, uint64_t element, bool is_caller)
{
	const struct truth_node *node;
	uint32_t inlined;

	if (element >= ELEMENT_NOWHERE)
		return false;
	node = node_of(matcher, element);
	inlined = score_truth_inlined_at(matcher->truth, node->image, node->address - is_caller);
	return inlined && inlined != UINT32_MAX;
}

/* Nothing is known of the frame, so it may be the kernel's: the program's own may begin behind it. */
static bool may_be_kernel(const struct score_matcher *matcher, const struct score_frame *frame,
			  uint32_t number)
{
	return frame->how == FRAME_NOTHING &&
	       profile_frame(matcher->profile, number)->kind == PROFILE_NO_ADDRESS;
}

/* Names alone say where it is, and that may be anywhere, as in an image that is not here. */
static bool is_vague(const struct score_matcher *matcher, const struct score_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (!(matcher->element[state->first + i] & ELEMENT_MAYBE))
			return false;
	return state->count > VAGUE_ELEMENTS;
}

/* What follows tells nothing more. */
static uint32_t stay(struct score_matcher *matcher, uint32_t before, uint32_t number,
		     struct error *error)
{
	struct score_state state = matcher->state[before];

	state.before = before;
	state.frame = number;
	state.frames++;
	state.finding = 0;
	set_class(&state, SCORE_UNPROVEN, SCORE_NAMES);
	if (!ARRAY_ADD(matcher->state, matcher->states, state)) {
		no_memory(error);
		return UINT32_MAX;
	}
	return matcher->states - 1;
}

static uint32_t make_state(struct score_matcher *matcher, uint32_t before, uint32_t number,
			   struct error *error)
{
	const struct score_frame *frame = score_matcher_frame(matcher, number, error);
	struct score_state from = matcher->state[before], state = {
		.first = matcher->elements,
		.before = before,
		.frame = number,
		.frames = from.frames + 1,
		.is_doubted = from.is_doubted,
		.is_leaf_unseen = from.is_leaf_unseen,
		.is_pinned = from.is_pinned,
		.is_name_open = from.is_name_open,
	};
	bool again;

	if (from.is_vague)
		return stay(matcher, before, number, error);
	if (!frame || add_callers(matcher, &from, frame, &state, error))
		return UINT32_MAX;
	again = from.frames && has_name_of(matcher, number, from.frame);
	for (uint32_t i = 0; i < from.count; i++) {
		uint64_t element = matcher->element[from.first + i];

		if ((frame->may_inline ||
		     (element >= ELEMENT_NOWHERE && may_be_kernel(matcher, frame, number)) ||
		     (again && is_inlined_at(matcher, element, from.frames > 1))) &&
		    push(matcher, element | ELEMENT_MAYBE, error))
			return UINT32_MAX;
	}
	make_set(matcher, state.first);
	state.count = matcher->elements - state.first;
	state.is_end = !state.count;
	state.is_vague = is_vague(matcher, &state);
	/* Where an address that is said by a name agrees, that is known. */
	state.is_name_open |= frame->how == FRAME_OFFSET ||
			      (frame->how == FRAME_NAME && !frame->is_symbol) ||
			      (frame->is_beyond && (frame->how == FRAME_NAME || state.is_end));
	if (!from.frames && !from.is_pinned)
		state.is_doubted = is_doubted(matcher, &state);
	if (state.is_end) {
		state.frames = from.frames;
		state.function = from.function;
		judge_end(matcher, &from, &state);
	} else {
		state.function = function_of(matcher, &state);
		judge(matcher, &state);
	}
	if (!ARRAY_ADD(matcher->state, matcher->states, state)) {
		no_memory(error);
		return UINT32_MAX;
	}
	return matcher->states - 1;
}

struct score_state *score_matcher_state(struct score_matcher *matcher, uint32_t state)
{
	return &matcher->state[state];
}

/* ---- transitions ---------------------------------------------------------------------------- */

static struct transition *find_slot(const struct score_matcher *matcher, uint32_t state,
				    uint32_t frame)
{
	uint32_t at = hash_word(frame, (uint64_t)state << 32) & (matcher->slots - 1);

	for (;; at = (at + 1) & (matcher->slots - 1)) {
		struct transition *slot = &matcher->slot[at];

		if (!slot->frame || (slot->frame == frame && slot->state == state))
			return slot;
	}
}

static int grow_slots(struct score_matcher *matcher, struct error *error)
{
	struct transition *old = matcher->slot;
	uint32_t count = matcher->slots;

	matcher->slot = calloc(count ? 2ul * count : SLOTS_LEAST, sizeof(*matcher->slot));
	if (!matcher->slot) {
		matcher->slot = old;
		return no_memory(error);
	}
	matcher->slots = count ? 2 * count : SLOTS_LEAST;
	for (uint32_t i = 0; i < count; i++)
		if (old[i].frame)
			*find_slot(matcher, old[i].state, old[i].frame) = old[i];
	free(old);
	return 0;
}

uint32_t score_matcher_next(struct score_matcher *matcher, uint32_t state, uint32_t frame,
			    struct error *error)
{
	struct transition *slot = find_slot(matcher, state, frame);
	uint32_t next;

	if (slot->frame)
		return slot->next;
	next = make_state(matcher, state, frame, error);
	if (next == UINT32_MAX ||
	    (2 * ++matcher->used > matcher->slots && grow_slots(matcher, error)))
		return UINT32_MAX;
	*find_slot(matcher, state, frame) = (struct transition) { state, frame, next };
	return next;
}

uint32_t score_matcher_pin(struct score_matcher *matcher, uint32_t node, struct error *error)
{
	struct transition *slot = find_slot(matcher, PINNING, node);
	const struct score_state state = { .first = (uint32_t)matcher->elements,
					   .count = 1,
					   .class = SCORE_SKIPPED,
					   .reason = SCORE_EMPTY,
					   .is_pinned = true };

	if (slot->frame)
		return slot->next;
	if (push(matcher, ELEMENT_PINNED | (uint64_t)node << ELEMENT_SHIFT, error))
		return UINT32_MAX;
	if (!ARRAY_ADD(matcher->state, matcher->states, state)) {
		no_memory(error);
		return UINT32_MAX;
	}
	*slot = (struct transition) { PINNING, node, matcher->states - 1 };
	if (2 * ++matcher->used > matcher->slots && grow_slots(matcher, error))
		return UINT32_MAX;
	return matcher->states - 1;
}

/* The state before any frame. */
static int start(struct score_matcher *matcher, struct error *error)
{
	matcher->elements = matcher->states = 0;
	if (push(matcher, ELEMENT_NOWHERE, error))
		return -1;
	if (!ARRAY_ADD(matcher->state, matcher->states,
		       (struct score_state) {
			       .count = 1, .class = SCORE_SKIPPED, .reason = SCORE_EMPTY }))
		return no_memory(error);
	return 0;
}

int score_matcher_create(struct score_truth *truth, const struct profile *profile,
			 struct score_matcher **ret, struct error *error)
{
	struct score_matcher *matcher = calloc(1, sizeof(*matcher));

	if (!matcher)
		return no_memory(error);
	matcher->truth = truth;
	matcher->profile = profile;
	if (grow_slots(matcher, error) || start(matcher, error)) {
		score_matcher_destroy(matcher);
		return -1;
	}
	*ret = matcher;
	return 0;
}

void score_matcher_destroy(struct score_matcher *matcher)
{
	if (!matcher)
		return;
	free(matcher->frame);
	free(matcher->state);
	free(matcher->element);
	free(matcher->slot);
	free(matcher);
}

int score_matcher_trim(struct score_matcher *matcher, struct error *error)
{
	if (matcher->elements * sizeof(*matcher->element) +
		    matcher->states * sizeof(*matcher->state) +
		    matcher->slots * sizeof(*matcher->slot) <=
	    STATES_BYTES_MAX)
		return 0;
	free(matcher->slot);
	free(matcher->state);
	matcher->slot = NULL;
	matcher->state = NULL;
	matcher->slots = matcher->used = 0;
	return grow_slots(matcher, error) || start(matcher, error) ? -1 : 0;
}

/* ---- what would have agreed ------------------------------------------------------------------ */

enum score_repair score_matcher_repair(struct score_matcher *matcher, uint32_t number,
				       uint32_t after, uint32_t *ret_function, struct error *error)
{
	struct score_state end = matcher->state[number], before = matcher->state[end.before];
	const struct score_frame *frame = score_matcher_frame(matcher, end.frame, error);
	const struct score_truth *truth = matcher->truth;
	uint32_t next;

	for (uint32_t i = 0; frame && i < before.count; i++) {
		uint64_t element = matcher->element[before.first + i];
		uint32_t parent, caller;

		if (element >= ELEMENT_NOWHERE || node_of(matcher, element)->depth < 3)
			continue;
		parent = node_of(matcher, element)->parent;
		caller = truth->caller_place[truth_file_node(truth->file, parent)->parent];
		if (score_frame_match(truth, frame, caller) != FRAME_YES)
			continue;
		*ret_function = truth->place[truth->caller_place[parent]].function;
		return SCORE_LEFT_OUT;
	}
	if (!after || !before.frames)
		return SCORE_NO_REPAIR;
	next = score_matcher_next(matcher, end.before, after, error);
	return next != UINT32_MAX && !matcher->state[next].is_end ? SCORE_PUT_IN : SCORE_NO_REPAIR;
}

size_t score_matcher_callers(struct score_matcher *matcher, uint32_t number, uint32_t *ret,
			     size_t max)
{
	const struct score_state *state = &matcher->state[number];
	const struct score_truth *truth = matcher->truth;
	size_t count = 0;

	for (uint32_t i = 0; i < state->count && count < max; i++) {
		uint64_t element = matcher->element[state->first + i];
		uint32_t place, function;
		bool known = false;

		place = element < ELEMENT_NOWHERE
				? truth->caller_place[node_of(matcher, element)->parent]
				: 0;
		function = truth->place[place].function;
		for (size_t j = 0; j < count; j++)
			known |= ret[j] == function;
		if (place && !known)
			ret[count++] = function;
	}
	return count;
}
