/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_step.c - a program stepped, and the row of each instruction held against the truth
 *
 * The comparer judges each point's stack, and says when it is decided whether that was so
 * (compare_marks.c). That judgement is by stack: the first frame that goes wrong. So the innermost
 * step is looked at once more by itself, with all registers that the truth knows. What accuses a
 * row is the comparer's word alone; that a row was right is said only where the CFA, the return
 * address and each callee-saved register came out.
 *
 * Frames further out were innermost when they made their call.
 */
#include <stdlib.h>
#include "array.h"
#include "judge/compare/compare.h"
#include "walk/image_store.h"
#include "executed_options.h"
#include "walk/walk_rows.h"

/* What the innermost row was at a point. */
enum row_outcome {
	ROW_RIGHT,
	ROW_WRONG,
	ROW_UNKNOWN, /* the truth doesn't say all */
};

/* A point's mark: the outcome, the number of its place, the number of its fault. */
#define MARK_OUTCOME(mark) ((enum row_outcome)((mark)&3))
#define MARK_PLACE(mark)   ((uint32_t)((mark) >> 2 & NUMBER_MASK))
#define MARK_FAULT(mark)   ((uint32_t)((mark) >> 33))
#define NUMBER_MASK	   0x7fffffffu
#define NO_IMAGE	   UINT32_MAX

/* A thread, and the instruction that it executed last. */
struct thread {
	pid_t tid;
	uint32_t image;
	uint64_t pc;
};

struct stepping {
	const struct executed_options *options;
	struct executed *executed;
	struct thread *thread;
	size_t thread_count, thread_at;
	/* Of the mappings: the image's number, or NO_IMAGE; none is known once they are read. */
	uint32_t *image;
	size_t image_count, image_room;
	/* Of the point at hand. */
	uint32_t place, fault;
	uint64_t from;
	enum row_outcome outcome;
	uint32_t wrong; /* registers of the innermost step */
	unsigned int readings;
	struct error error; /* of what can't end the run at once */
	bool failed;
};

static void fail(struct stepping *stepping)
{
	stepping->failed = true;
	error_set(&stepping->error, ERROR_MEMORY, NULL, 0, "no memory for what ran");
}

/* ---- places ------------------------------------------------------------------------------- */

static uint32_t add_image(struct stepping *stepping, const struct mapping *mapping)
{
	struct truth_image image = {
		.kind = mapping->entry->version.inode == VDSO_INODE ? TRUTH_IMAGE_VDSO
								    : TRUTH_IMAGE_FILE,
		.path = mapping->path,
	};
	uint32_t number;

	truth_image_identify(&image, mapping->entry->image);
	if (!context_tree_image(&stepping->executed->images, &image, &number, &stepping->error))
		return number;
	stepping->failed = true;
	return NO_IMAGE;
}

/* NO_IMAGE: what has no file's addresses. */
static uint32_t image_of(struct stepping *stepping, const struct address_space *space,
			 const struct mapping *mapping)
{
	size_t number = (size_t)(mapping - space->mapping);

	if (!mapping->entry)
		return NO_IMAGE;
	if (stepping->image_count != space->mapping_count) {
		if (!ARRAY_RESERVE(stepping->image, stepping->image_room, space->mapping_count)) {
			fail(stepping);
			return NO_IMAGE;
		}
		stepping->image_count = space->mapping_count;
		for (size_t i = 0; i < space->mapping_count; i++)
			stepping->image[i] = NO_IMAGE;
	}
	if (stepping->image[number] == NO_IMAGE)
		stepping->image[number] = add_image(stepping, mapping);
	return stepping->image[number];
}

static void on_mappings(void *context)
{
	struct stepping *stepping = context;

	stepping->image_count = 0;
}

static struct thread *thread_of(struct stepping *stepping, pid_t tid)
{
	if (stepping->thread_at < stepping->thread_count &&
	    stepping->thread[stepping->thread_at].tid == tid)
		return &stepping->thread[stepping->thread_at];
	for (size_t i = 0; i < stepping->thread_count; i++)
		if (stepping->thread[i].tid == tid) {
			stepping->thread_at = i;
			return &stepping->thread[i];
		}
	if (!ARRAY_GROW(stepping->thread, stepping->thread_count)) {
		fail(stepping);
		return NULL;
	}
	stepping->thread_at = stepping->thread_count++;
	stepping->thread[stepping->thread_at] = (struct thread) { .tid = tid, .image = NO_IMAGE };
	return &stepping->thread[stepping->thread_at];
}

/* ---- the innermost step ------------------------------------------------------------------- */

static const uint8_t callee_saved[CALLEE_SAVED_COUNT] = {
	REGISTER_RBX, REGISTER_RBP, REGISTER_R12, REGISTER_R13, REGISTER_R14, REGISTER_R15,
};

/* Holds the innermost row against the frame that it must lead out of. */
static void look_at_step(struct stepping *stepping, const struct point *point)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	const struct shadow_frame *top = shadow->count ? &shadow->frame[shadow->count - 1] : NULL;
	struct register_values regs = *point->regs;
	bool exact_pc = true;

	stepping->outcome = ROW_UNKNOWN;
	stepping->wrong = 0;
	if (!top || shadow->in_transit || top->interrupted ||
	    (shadow->count > 1 && top[-1].interrupted))
		return;
	if (walk_rows_step(point->space, &regs, &exact_pc, point->memory)) {
		stepping->wrong = 1u << REGISTER_RIP;
		return;
	}
	if (regs.value[REGISTER_RIP] != top->return_address)
		stepping->wrong |= 1u << REGISTER_RIP;
	if (!(regs.known >> REGISTER_RSP & 1) ||
	    (!top->moved && !top->copied && regs.value[REGISTER_RSP] != top->slot + 8))
		stepping->wrong |= 1u << REGISTER_RSP;
	for (unsigned int i = 0; i < CALLEE_SAVED_COUNT; i++)
		if (!(regs.known >> callee_saved[i] & 1) ||
		    regs.value[callee_saved[i]] != top->callee_saved[i])
			stepping->wrong |= 1u << callee_saved[i];
	if (!stepping->wrong)
		stepping->outcome = ROW_RIGHT;
}

static void note_values(struct executed_place *place, const struct shadow_stack *shadow)
{
	const uint64_t *value = shadow->frame[shadow->count - 1].callee_saved;

	for (unsigned int i = 0; i < CALLEE_SAVED_COUNT; i++)
		if (!place->valued)
			place->value[i] = value[i];
		else if (place->value[i] != value[i])
			place->varied |= 1u << callee_saved[i];
	place->valued = true;
}

static void on_evidence(void *context, const struct evidence *evidence)
{
	struct stepping *stepping = context;
	const struct point *point = evidence->point;
	const struct mapping *mapping = address_space_find(point->space,
							   point->stop->regs.value[REGISTER_RIP]);
	uint32_t image = mapping ? image_of(stepping, point->space, mapping) : NO_IMAGE;
	struct thread *thread = thread_of(stepping, point->stop->tid);
	struct executed_place *place;
	uint64_t pc;

	stepping->place = stepping->fault = stepping->readings = 0;
	stepping->executed->points++;
	if (!thread)
		return;
	pc = mapping ? point->stop->regs.value[REGISTER_RIP] - mapping->bias : 0;
	stepping->from = stepping->executed->every == 1 && image == thread->image ? thread->pc : 0;
	thread->image = image;
	thread->pc = pc;
	look_at_step(stepping, point);
	if (image == NO_IMAGE)
		return;
	stepping->place = executed_place(stepping->executed, image, pc, stepping->from);
	if (!stepping->place || stepping->place > NUMBER_MASK) {
		fail(stepping);
		return;
	}
	place = &stepping->executed->place[stepping->place - 1];
	place->points++;
	if (stepping->outcome == ROW_RIGHT)
		note_values(place, point->stop->shadow);
}

/* ---- faults ------------------------------------------------------------------------------- */

/* The row says that the register can't be recovered: then it was not brought back, and that is no
 * wrong value. */
static bool is_lost(const struct mapping *mapping, uint64_t vaddr, unsigned int reg)
{
	struct error ignored;
	struct row row;

	return cfi_row_find(image_entry_cfi(mapping->entry), vaddr, &row, &ignored) > 0 &&
	       row.reg[reg].kind == RULE_UNDEFINED;
}

static void on_judgement(void *context, const struct point *point,
			 const struct judgement *judgement)
{
	struct stepping *stepping = context;
	const struct mapping *mapping = address_space_find(point->space, judgement->pc);
	struct executed_fault fault = { .kind = judgement->kind };

	if (stepping->options->on_point)
		stepping->options->on_point(stepping->options->context);
	if (judgement->verdict != VERDICT_TABLE_FAULT) {
		if (judgement->verdict != VERDICT_EXACT &&
		    judgement->verdict != VERDICT_CONVERSION_LOSS_FLAGGED)
			stepping->outcome = ROW_UNKNOWN;
		return;
	}
	if (!judgement->frame)
		stepping->outcome = ROW_WRONG;
	if (!mapping)
		return;
	fault.image = image_of(stepping, point->space, mapping);
	if (fault.image == NO_IMAGE)
		return;
	fault.pc = judgement->pc - mapping->bias;
	fault.from = judgement->frame ? 0 : stepping->from;
	fault.registers = 1u << REGISTER_RSP | 1u << REGISTER_RIP;
	if (!judgement->frame && stepping->wrong)
		fault.registers = stepping->wrong;
	else if (judgement->kind == FAULT_REGISTER)
		fault.registers = 1u << judgement->reg;
	if (judgement->kind == FAULT_REGISTER)
		fault.lost = is_lost(mapping, fault.pc, judgement->reg);
	stepping->fault = executed_fault(stepping->executed, &fault);
	if (!stepping->fault || stepping->fault > NUMBER_MASK)
		fail(stepping);
}

static int on_reading(void *context, const struct point *point, const struct stack *truth,
		      uint64_t *ret_mark, struct error *error)
{
	struct stepping *stepping = context;
	bool is_claim = stepping->readings++ > 0;

	if (stepping->failed) {
		*error = stepping->error;
		return -1;
	}
	/* If the CFI was right, it is known of the stack alone. */
	*ret_mark = is_claim ? ROW_UNKNOWN
			     : stepping->outcome | (uint64_t)stepping->place << 2 |
				       (uint64_t)stepping->fault << 33;
	return 0;
}

static void on_proven(void *context, uint64_t mark, uint64_t count, bool proven)
{
	struct executed *executed = ((struct stepping *)context)->executed;

	executed->doubted += proven ? 0 : count;
	if (MARK_PLACE(mark)) {
		struct executed_place *place = &executed->place[MARK_PLACE(mark) - 1];

		place->doubted += proven ? 0 : count;
		place->right += proven && MARK_OUTCOME(mark) == ROW_RIGHT ? count : 0;
	}
	if (MARK_FAULT(mark)) {
		struct executed_fault *fault = &executed->fault[MARK_FAULT(mark) - 1];

		*(proven ? &fault->count : &fault->doubted) += count;
	}
}

/* ---- the run ------------------------------------------------------------------------------ */

static int step(struct stepping *stepping, struct error *error)
{
	const struct compare_options compare = { .registers = true,
						 .on_evidence = on_evidence,
						 .on_judgement = on_judgement,
						 .on_reading = on_reading,
						 .on_proven = on_proven,
						 .on_mappings = on_mappings,
						 .context = stepping };
	struct comparison comparison;
	struct comparer *comparer;
	bool whole;

	if (comparer_create(&compare, &comparer, error))
		return -1;
	whole = comparer_run_far(comparer, stepping->options->tracer, &comparison);
	comparer_destroy(comparer);
	*error = stepping->failed ? stepping->error : comparison.cut.early;
	if (whole && comparison.unmarked)
		error_set(error, ERROR_MEMORY, NULL, 0, "no memory for marks");
	whole &= !stepping->failed && !comparison.unmarked;
	comparison_deinit(&comparison);
	return whole ? 0 : -1;
}

int executed_step(const struct executed_options *options, struct executed *ret, struct error *error)
{
	struct stepping stepping = { .options = options, .executed = ret };
	int result;

	if (executed_init(ret, error)) {
		ret->partial = true;
		return -1;
	}
	ret->stepped = true;
	ret->every = options->tracer->every ? options->tracer->every : 1;
	result = step(&stepping, error);
	ret->partial = result != 0;
	executed_sort(ret);
	free(stepping.thread);
	free(stepping.image);
	return result;
}
