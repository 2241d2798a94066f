/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record_stacks.c - stacks into a collected profile; what was lost, by reason
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "proc_file.h"
#include "record.h"

const char *record_loss_name(enum record_loss loss)
{
	static const char *const names[RECORD_LOSS_COUNT] = {
		[RECORD_LOST_BUSY] = "busy",	       [RECORD_LOST_SPACE] = "no_space",
		[RECORD_LOST_REGISTERS] = "registers", [RECORD_LOST_FULL] = "full",
		[RECORD_LOST_COUNT] = "count",	       [RECORD_LOST_RACED] = "raced",
		[RECORD_LOST_MEMORY] = "no_memory",    [RECORD_LOST_SHORT] = "short",
		[RECORD_LOST_RETURN] = "return",
	};

	return names[loss];
}

/* ---- places and tasks of a sink ----------------------------------------------------------- */

static uint32_t text_of(struct record_sink *sink, const struct place_names *names, uint32_t text,
			struct error *error)
{
	return text ? collected_text(sink->collected, profile_texts_get(&names->texts, text), error)
		    : 0;
}

/* Of no name 0; UINT32_MAX: no memory. */
static uint32_t function_of(struct record_sink *sink, const struct place_names *names,
			    const struct place_function *place, struct error *error)
{
	struct collected_function function = { 0 };

	function.name = text_of(sink, names, place->name, error);
	function.linkage = text_of(sink, names, place->linkage, error);
	if (function.name == UINT32_MAX || function.linkage == UINT32_MAX)
		return UINT32_MAX;
	return function.name ? collected_function(sink->collected, &function, error) : 0;
}

/* The same. */
static uint32_t mapping_of(struct record_sink *sink, const struct place_names *names,
			   const struct named_place *place, struct error *error)
{
	struct collected_mapping mapping = place->mapping;

	mapping.path = text_of(sink, names, place->mapping.path, error);
	mapping.build_id = text_of(sink, names, place->mapping.build_id, error);
	if (mapping.path == UINT32_MAX || mapping.build_id == UINT32_MAX)
		return UINT32_MAX;
	return mapping.path ? collected_mapping(sink->collected, &mapping, error) : 0;
}

/* UINT32_MAX: no memory. */
static uint32_t add_location(struct record_sink *sink, const struct place_names *names,
			     const struct named_place *place, struct error *error)
{
	uint32_t mapping = mapping_of(sink, names, place, error), lines = 0;
	struct collected_line line[INLINED_MAX + 1] = { 0 };

	if (mapping == UINT32_MAX)
		return UINT32_MAX;
	for (uint32_t i = 0; i <= place->inlined_count; i++) {
		const struct place_function *function =
			i < place->inlined_count ? &names->inlined[place->inlined + i]
						 : &place->function;

		line[lines].function = function_of(sink, names, function, error);
		if (line[lines].function == UINT32_MAX)
			return UINT32_MAX;
		lines += line[lines].function != 0;
	}
	return collected_location(sink->collected,
				  place->image == PLACE_IN_KERNEL ? COLLECTED_IN_KERNEL
								  : COLLECTED_IN_USER,
				  mapping, place->address, line, lines, error);
}

static uint32_t location_of(struct record_sink *sink, const struct place_names *names,
			    uint32_t place, struct error *error)
{
	size_t before = sink->room;
	uint32_t number;

	if (!ARRAY_RESERVE(sink->location, sink->room, (size_t)place + 1)) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for locations");
		return UINT32_MAX;
	}
	memset(sink->location + before, 0, (sink->room - before) * sizeof(*sink->location));
	if (sink->location[place])
		return sink->location[place];
	number = add_location(sink, names, &names->place[place - 1], error);
	if (number != UINT32_MAX)
		sink->location[place] = number;
	return number;
}

static const char *executable_of(pid_t pid, char *ret, size_t size)
{
	proc_link_read(pid, "exe", ret, size);
	return ret;
}

static uint32_t task_of(struct record_stacks *stacks, struct record_sink *sink,
			const struct stackproof_stack *stack, struct error *error)
{
	const char *path = cgroup_paths_find(stacks->cgroups, stack->cgroup);
	char executable[4096], container[65] = "", number[24] = "";
	struct collected_task task = { .pid = stack->pid, .tid = stack->tid };

	if (!path[0] && stack->cgroup)
		snprintf(number, sizeof(number), "%llu", (unsigned long long)stack->cgroup);
	cgroup_container(path, container);
	executable_of(stack->pid, executable, sizeof(executable));
	const struct {
		const char *text;
		uint32_t *ret;
	} texts[] = {
		{ stack->process_name, &task.comm },	   { stack->thread_name, &task.thread },
		{ executable, &task.executable },	   { container, &task.container },
		{ path[0] ? path : number, &task.cgroup },
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].text[0])
			*texts[i].ret = collected_text(sink->collected, texts[i].text, error);
		if (*texts[i].ret == UINT32_MAX)
			return UINT32_MAX;
	}
	return collected_task(sink->collected, &task, error);
}

/* ---- stacks ------------------------------------------------------------------------------- */

/* The stack's places, innermost first. False: no memory. */
static bool find_places(struct record_stacks *stacks, const struct stackproof_stack *stack,
			struct error *error)
{
	size_t count = (size_t)stack->kernel_count + stack->count;
	uint32_t *number;
	bool before;

	if (!ARRAY_RESERVE(stacks->number, stacks->room, stacks->numbers + count)) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack");
		return false;
	}
	number = stacks->number + stacks->numbers;
	for (uint32_t i = 0; i < stack->kernel_count; i++)
		if (!(*number++ = place_names_kernel(&stacks->names, stack->kernel_pc[i], i > 0,
						     error)))
			return false;
	for (uint32_t i = 0; i < stack->count; i++, number++) {
		/* What a signal interrupted has called nothing. */
		before = i > 0 && !stacks->names.place[number[-1] - 1].signal_frame;
		*number = place_names_user(&stacks->names, stack, i, before, error);
		if (!*number)
			return false;
	}
	stacks->numbers += count;
	return true;
}

/* All places have names. */
static bool ends_in_first_code(const struct record_stacks *stacks,
			       const struct waiting_stack *waiting)
{
	const struct stackproof_stack *stack = &waiting->stack;
	size_t last = waiting->first + stack->kernel_count + stack->count - 1;

	return stack->stop == STACKPROOF_STOP_NO_ROW && stack->count &&
	       stacks->names.place[stacks->number[last] - 1].first_code;
}

/* Why the stack is not whole; "": it is. */
static const char *stop_of(const struct record_stacks *stacks, const struct waiting_stack *waiting)
{
	const struct stackproof_stack *stack = &waiting->stack;

	if (stack->mode >= STACKPROOF_MODE_KERNEL_THREAD || stack->stop == STACKPROOF_STOP_COMPLETE)
		return "";
	if (!stack->generation)
		return "process_unknown";
	return ends_in_first_code(stacks, waiting) ? "first_code"
						   : stackproof_stop_name(stack->stop);
}

/* What the innermost frame says of a thread off its CPU; NULL: it has waited, and is back. */
static const char *off_of(const struct stackproof_stack *stack)
{
	if (stack->off == STACKPROOF_OFF_PREEMPTED)
		return stack->still_off ? "still_preempted" : "preempted";
	return stack->still_off ? "still_blocked" : NULL;
}

static uint64_t amount_of(const struct record_stacks *stacks, const struct stackproof_stack *stack)
{
	return stack->off ? stack->off_ns : stack->times * stacks->period;
}

static int add_to_sink(struct record_stacks *stacks, unsigned int sink_number,
		       const struct waiting_stack *waiting, struct error *error)
{
	struct record_sink *sink = &stacks->sink[sink_number];
	const struct stackproof_stack *stack = &waiting->stack;
	uint32_t count = stack->kernel_count + stack->count, stop = 0, number, marked;
	FREED uint32_t *location = malloc((count + 2) * sizeof(*location));

	if (!location)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack");
	marked = off_of(stack) != NULL;
	if (marked)
		location[0] = collected_marker(sink->collected, PROFILE_OFF, off_of(stack), error);
	if (marked && location[0] == UINT32_MAX)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		location[marked + i] = location_of(sink, &stacks->names,
						   stacks->number[waiting->first + i], error);
		if (location[marked + i] == UINT32_MAX)
			return -1;
	}
	if (stop_of(stacks, waiting)[0])
		stop = collected_text(sink->collected, stop_of(stacks, waiting), error);
	if (stop == UINT32_MAX)
		return -1;
	number = collected_stack(sink->collected, location, marked + count, stop, error);
	if (number == UINT32_MAX)
		return -1;
	return collected_add(sink->collected, number, waiting->task[sink_number], stack->times,
			     amount_of(stacks, stack), error);
}

static void count(const struct record_stacks *stacks, const struct waiting_stack *waiting)
{
	const struct stackproof_stack *stack = &waiting->stack;
	struct record_result *result = stacks->result;
	const uint64_t times = stack->times;

	result->stacks += times;
	if (stack->off == STACKPROOF_OFF_PREEMPTED)
		result->preempted += times;
	if (stack->still_off) {
		result->still_off += times;
		result->still_off_ns += stack->off_ns;
	}
	result->off_ns += stack->off_ns;
	if (stack->mode != STACKPROOF_MODE_USER)
		result->in_kernel += times;
	if (stack->mode == STACKPROOF_MODE_KERNEL_THREAD)
		result->kernel_threads += times;
	else if (stack->mode == STACKPROOF_MODE_ENDING)
		result->ending += times;
	else if (!stack->generation)
		result->unknown += times;
	else if (ends_in_first_code(stacks, waiting))
		result->first_code += times;
	else if (stack->stop < STACKPROOF_STOP_COUNT)
		result->stop[stack->stop] += times;
}

/* Of all sinks, though one may have it already: it is known that its sums are not whole then. */
static void lose(struct record_stacks *stacks, enum record_loss loss, uint32_t task[2],
		 uint64_t times, uint64_t amount)
{
	stacks->result->lost[loss] += times;
	for (unsigned int i = 0; i < stacks->sinks; i++)
		if (collected_lose(stacks->sink[i].collected, record_loss_name(loss),
				   task ? task[i] : 0, times, amount, &stacks->error))
			return;
}

void record_stacks_lose(struct record_stacks *stacks, enum record_loss loss, uint64_t count,
			uint64_t off_ns)
{
	stacks->result->off_ns += off_ns;
	if (count)
		lose(stacks, loss, NULL, count, off_ns + count * stacks->period);
}

static void lose_for_memory(struct record_stacks *stacks, const struct error *error,
			    const struct stackproof_stack *stack)
{
	if (stacks->error.code == ERROR_NONE)
		stacks->error = *error;
	lose(stacks, RECORD_LOST_MEMORY, NULL, stack->times, amount_of(stacks, stack));
}

/* False: no memory. */
static bool find_tasks(struct record_stacks *stacks, const struct stackproof_stack *stack,
		       uint32_t ret[2], struct error *error)
{
	for (unsigned int i = 0; i < stacks->sinks; i++) {
		ret[i] = task_of(stacks, &stacks->sink[i], stack, error);
		if (ret[i] == UINT32_MAX)
			return false;
	}
	return true;
}

static bool keep_waiting(struct record_stacks *stacks, const struct stackproof_stack *stack,
			 struct error *error)
{
	struct waiting_stack waiting = { .stack = *stack, .first = stacks->numbers };

	if (!ARRAY_GROW(stacks->waiting, stacks->waiting_count)) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack");
		return false;
	}
	if (!find_tasks(stacks, stack, waiting.task, error) || !find_places(stacks, stack, error))
		return false;
	stacks->waiting[stacks->waiting_count++] = waiting;
	return true;
}

void record_stacks_add(void *context, const struct stackproof_stack *stack)
{
	struct record_stacks *stacks = context;
	uint32_t task[2] = { 0 };
	struct error error = { 0 };

	if (!stack->raced) {
		if (!keep_waiting(stacks, stack, &error))
			lose_for_memory(stacks, &error, stack);
		return;
	}
	for (unsigned int i = 0; i < stacks->sinks; i++) {
		task[i] = task_of(stacks, &stacks->sink[i], stack, &error);
		task[i] = task[i] == UINT32_MAX ? 0 : task[i];
	}
	stacks->result->off_ns += stack->off_ns;
	lose(stacks, RECORD_LOST_RACED, task, stack->times, amount_of(stacks, stack));
}

static void add_waiting(struct record_stacks *stacks, const struct waiting_stack *waiting)
{
	struct error error = { 0 };

	for (unsigned int i = 0; i < stacks->sinks; i++) {
		if (add_to_sink(stacks, i, waiting, &error)) {
			lose_for_memory(stacks, &error, &waiting->stack);
			return;
		}
	}
	count(stacks, waiting);
}

/* Without memory for names the stacks have addresses at least. */
bool record_stacks_name(struct record_stacks *stacks, struct stackproof_images *images)
{
	struct error error;

	if (place_names_name(&stacks->names, images, &error) && stacks->error.code == ERROR_NONE)
		stacks->error = error;
	if (stacks->names.unnamed_count)
		return true;
	for (size_t i = 0; i < stacks->waiting_count; i++)
		add_waiting(stacks, &stacks->waiting[i]);
	stacks->waiting_count = stacks->numbers = 0;
	return false;
}

void record_stacks_next_part(struct record_stacks *stacks)
{
	struct record_sink *part = &stacks->sink[stacks->sinks - 1];

	if (part->room)
		memset(part->location, 0, part->room * sizeof(*part->location));
}

void record_stacks_deinit(struct record_stacks *stacks)
{
	for (int i = 0; i < 2; i++)
		free(stacks->sink[i].location);
	free(stacks->number);
	free(stacks->waiting);
	place_names_deinit(&stacks->names);
}
