/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_cost.c - what an engine's stacks cost: nanoseconds, and bytes
 *
 * An engine in user space is measured at one point of COST_EVERY: once it has answered there, it is
 * asked again, and the clock runs. So what it must learn of new images once is not counted, as it
 * would not be in a profiler that runs for long. But the stack is walked as if it had never been
 * seen: without what the walk at the point before found (walk_memo), and with no page of the
 * process read yet. The other points, and the scores, are as they would be without this.
 *
 * An external engine is not asked again: it might fail then. Of what it has answered the time is
 * known that we waited for it.
 *
 * Of the engines in the kernel, the kernel itself counts the run time of their programs, at all
 * traps of the run; of somebody else's program at all times that it ran.
 *
 * Bytes are what crosses over to whoever wants the stack: what was read of the process's memory, or
 * the record that a walk in the kernel sends. Registers are not among them, nor what is read of
 * files.
 */
#include "clock.h"
#include "comparer.h"
#include "walk/walk_rows.h"

#define COST_EVERY 16 /* so walks take a sixteenth longer, in all */

/* A reader that counts what it gives. */
struct counting_memory {
	struct memory_reader all;
	uint64_t bytes;
};

static int counting_read(void *context, uint64_t address, void *ret, size_t size)
{
	struct counting_memory *memory = context;

	if (memory->all.read(memory->all.context, address, ret, size))
		return -1;
	memory->bytes += size;
	return 0;
}

static enum engine_answer walk(struct comparer *comparer, const struct compare_engine *engine,
			       const struct point *point, struct error *error)
{
	struct stack *stack = &comparer->other;

	if (engine->engine->part == ENGINE_PART_TABLE && comparer->options.follow_frame_pointers)
		return walk_table_following(point->space, point->regs, point->memory, NULL, stack,
					    error)
			       ? ENGINE_ERROR
			       : ENGINE_STACK;
	return engine->engine->walk(engine->open, point, stack, error);
}

static int measure(struct comparer *comparer, struct compare_engine *engine,
		   const struct point *point, struct error *error)
{
	struct counting_memory counting = { .all = *point->memory };
	struct memory_reader memory = { .read = counting_read, .context = &counting };
	struct point measured = *point;
	struct engine_cost *cost = &engine->cost;
	uint64_t begin;

	measured.memory = &memory;
	target_memory_reset(comparer->memory, point->stop->tid);
	begin = monotonic_ns();
	switch (walk(comparer, engine, &measured, error)) {
	case ENGINE_ERROR: return -1;
	case ENGINE_SILENT: return 0;
	case ENGINE_STACK: break;
	}
	cost->walk_ns += monotonic_ns() - begin;
	cost->walks++;
	if (engine->engine->reads_itself)
		return 0;
	cost->bytes += counting.bytes;
	cost->sized++;
	return 0;
}

int compare_cost_point(struct comparer *comparer, const struct point *point, struct error *error)
{
	if (comparer->result->points % COST_EVERY)
		return 0;
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->result->engine[i];

		if (engine->answered && !engine->engine->in_kernel && !engine->engine->external &&
		    measure(comparer, engine, point, error))
			return -1;
	}
	return 0;
}

/* What the engine in the kernel has cost since it was opened; zeros if that is not counted. */
static struct engine_cost kernel_cost(const struct compare_engine *engine)
{
	struct engine_cost cost = { 0 };

	if (engine->skipped || !engine->engine->cost || !engine->engine->cost(engine->open, &cost))
		return (struct engine_cost) { 0 };
	return cost;
}

void compare_cost_begin(struct comparer *comparer)
{
	for (size_t i = 0; i < comparer->engine_count; i++)
		comparer->before[i] = kernel_cost(&comparer->engine[i]);
}

void compare_cost_end(struct comparer *comparer)
{
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->result->engine[i];
		struct engine_cost now = kernel_cost(engine);

		if (!engine->engine->in_kernel)
			continue;
		engine->cost.walks += now.walks - comparer->before[i].walks;
		engine->cost.walk_ns += now.walk_ns - comparer->before[i].walk_ns;
		if (now.sized) {
			engine->cost.sized += now.sized - comparer->before[i].sized;
			engine->cost.bytes += now.bytes - comparer->before[i].bytes;
			continue;
		}
		engine->cost.sized = engine->score.points;
		engine->cost.bytes = engine->score.points * offsetof(struct walk_record, pc) +
				     engine->score.frames * sizeof(uint64_t);
	}
}
