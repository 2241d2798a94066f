/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_truth.c - all true stacks of a watched process, in a calling-context tree
 *
 * No CFI speaks for these stacks: each must prove itself. What a thread was seen at is pending until its end. What it was
 * seen at on one stack is taken back, as unproven, if a return there ever goes elsewhere than its call said, through a slot
 * of no open call, or ends two frames. Where several frames went at once (longjmp, an exception, a switch of stacks),
 * those that are left must still have their return addresses in their slots; above one that has not, stacks are in doubt.
 * So is each stack while a return address was taken out of its slot (vfork, longjmp's end), and where code runs that is
 * in no mapping that anybody has told of: what image it is of nobody knows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "freed.h"
#include "hash.h"
#include "plugin_truth.h"

#define SYSCALL_BYTES 2 /* of each instruction that makes one */

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for true stacks");
}

/* ---- what is pending ---------------------------------------------------------------------- */

static bool is_node(void *context, uint32_t number)
{
	const struct thread_truth *thread = context;

	const struct pending_point *one = &thread->pending[number - 1];
	const struct pending_point *wanted = &thread->pending[thread->pendings];

	return one->node == wanted->node && one->stack == wanted->stack;
}

/* The slot in the map for what is behind the last one. */
static uint32_t *find_number(struct thread_truth *thread)
{
	const struct pending_point *wanted = &thread->pending[thread->pendings];

	return number_map_find(&thread->map, hash_word(wanted->stack, wanted->node), is_node,
			       thread);
}

/* The node's, on the stack; NULL: no memory. */
static struct pending_point *find_pending(struct thread_truth *thread, uint64_t stack,
					  uint32_t node)
{
	uint32_t *number;

	if (!ARRAY_GROW(thread->pending, thread->pendings))
		return NULL;
	thread->pending[thread->pendings] = (struct pending_point) { .node = node, .stack = stack };
	number = find_number(thread);
	if (!number)
		return NULL;
	if (!*number)
		*number = ++thread->pendings;
	return &thread->pending[*number - 1];
}

static void settle(struct process_truth *truth, const struct pending_point *pending, bool proven)
{
	struct context_node *node = &truth->tree.node[pending->node];

	*(proven ? &truth->proven : &truth->unproven) += pending->points;
	if (proven) {
		node->points += pending->points;
		node->in_kernel += pending->in_kernel;
	} else {
		node->unproven += pending->points + pending->in_kernel;
	}
}

void truth_thread_presume(struct process_truth *truth, const struct thread_truth *thread, int sign)
{
	for (uint32_t i = 0; i < thread->pendings; i++) {
		struct pending_point pending = thread->pending[i];

		pending.points *= (uint64_t)sign;
		pending.in_kernel *= (uint64_t)sign;
		settle(truth, &pending, true);
	}
}

void truth_contradict(struct process_truth *truth, struct thread_truth *thread, uint64_t from,
		      uint64_t to)
{
	uint32_t count = thread->pendings;

	truth->contradictions++;
	number_map_deinit(&thread->map);
	thread->pendings = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct pending_point pending = thread->pending[i];
		uint32_t *number;

		thread->pending[thread->pendings] = pending;
		if (pending.stack == from || pending.stack == to || !(number = find_number(thread)))
			settle(truth, &pending, false);
		else
			*number = ++thread->pendings;
	}
}

void truth_thread_end(struct process_truth *truth, struct thread_truth *thread)
{
	for (uint32_t i = 0; i < thread->pendings; i++)
		settle(truth, &thread->pending[i], true);
	number_map_deinit(&thread->map);
	free(thread->address);
	free(thread->node);
	free(thread->pending);
	*thread = (struct thread_truth) { 0 };
}

/* ---- stacks ------------------------------------------------------------------------------- */

/* The node below parent of a frame. It returns: its address is behind a call, which may be its mapping's last
 * instruction. */
static int find_node(struct process_truth *truth, uint32_t parent, uint64_t pc, bool returns,
		     uint32_t *ret, struct error *error)
{
	const struct code_range *range = code_map_find(&truth->code, pc - returns);
	const struct code_file *file = code_file(range ? range->file : 0);
	struct truth_frame frame = { .address = pc - (range ? range->bias : 0) };

	if (context_tree_image(&truth->tree, &file->image, &frame.image, error))
		return -1;
	return context_tree_child(&truth->tree, parent, &frame, ret, error);
}

/*
 * How many outer frames of the last stack are still the same. Between two instructions only the innermost ones come and
 * go; between two entries any.
 */
static size_t same_depth(const struct thread_truth *thread, const struct shadow_stack *shadow,
			 bool leaps)
{
	size_t depth = thread->depth < shadow->count ? thread->depth : shadow->count;

	if (leaps) {
		for (size_t i = 0; i < depth; i++)
			if (thread->address[i] != shadow->frame[i].return_address)
				return i;
		return depth;
	}
	while (depth && thread->address[depth - 1] != shadow->frame[depth - 1].return_address)
		depth--;
	return depth;
}

/* The node of the innermost open frame, or a root. The way to the last stack is good as far as frames are the same there. */
static int follow_frames(struct process_truth *truth, struct thread_truth *thread,
			 const struct shadow_stack *shadow, bool leaps, uint32_t *ret,
			 struct error *error)
{
	uint32_t root = shadow->rooted ? CONTEXT_ROOT_WHOLE : CONTEXT_ROOT_OPEN;

	if (thread->stack != shadow->id + 1)
		thread->depth = 0;
	thread->stack = shadow->id + 1;
	if (!ARRAY_RESERVE(thread->address, thread->address_room, shadow->count + 1) ||
	    !ARRAY_RESERVE(thread->node, thread->node_room, shadow->count + 1))
		return no_memory(error);
	thread->depth = same_depth(thread, shadow, leaps);
	for (; thread->depth < shadow->count; thread->depth++) {
		const struct shadow_frame *frame = &shadow->frame[thread->depth];
		uint32_t *node = &thread->node[thread->depth];

		if (find_node(truth, thread->depth ? node[-1] : root, frame->return_address,
			      !frame->interrupted, node, error))
			return -1;
		truth->tree.node[*node].interrupts |= thread->depth && frame[-1].interrupted;
		thread->address[thread->depth] = frame->return_address;
	}
	*ret = thread->depth ? thread->node[thread->depth - 1] : root;
	return 0;
}

size_t truth_doubtful_depth(const struct stepped_process *process,
			    const struct shadow_stack *shadow)
{
	for (size_t i = 0; i < shadow->count; i++) {
		const struct shadow_frame *frame = &shadow->frame[i];
		uint64_t word;

		/* A handler may change where what it has interrupted goes on. */
		if (!frame->interrupted &&
		    (process->memory.read(process->memory.context, frame->slot, &word,
					  sizeof(word)) ||
		     word != frame->return_address))
			return i;
	}
	return SIZE_MAX;
}

/* Frames have just gone without a jump, or a return address is elsewhere than in its slot: whether its frame is open is
 * known only later. */
static bool is_between(const struct shadow_stack *shadow)
{
	return shadow->in_transit || shadow->taken_off.slot;
}

static void leave_unproven(struct process_truth *truth, uint32_t node, uint32_t behind,
			   bool calls_kernel)
{
	truth->unproven++;
	truth->tree.node[node].unproven++;
	truth->tree.node[behind].unproven += calls_kernel;
}

int truth_point(struct process_truth *truth, struct thread_truth *thread,
		const struct stepped_process *process, const struct stepped_thread *steps,
		struct error *error)
{
	const struct shadow_stack *shadow = &steps->shadow;
	bool calls_kernel = steps->next.kind == INSTRUCTION_SYSCALL;
	uint32_t parent = 0, node = 0, behind = 0;
	struct pending_point *pending;

	if (!truth->begun && context_tree_init(&truth->tree, error))
		return -1;
	truth->begun = true;
	if (!thread->stack)
		thread->doubtful = SIZE_MAX;
	else if (thread->epoch != shadow->epoch ||
		 (thread->doubtful != SIZE_MAX && thread->frames != shadow->count))
		thread->doubtful = truth_doubtful_depth(process, shadow);
	thread->epoch = shadow->epoch;
	thread->frames = shadow->count;
	if (follow_frames(truth, thread, shadow, false, &parent, error) ||
	    find_node(truth, parent, steps->regs.rip, false, &node, error) ||
	    (calls_kernel &&
	     find_node(truth, parent, steps->regs.rip + SYSCALL_BYTES, false, &behind, error)))
		return -1;
	truth->tree.node[node].interrupts |= shadow->count &&
					     shadow->frame[shadow->count - 1].interrupted;
	truth->points++;
	truth->open += !shadow->rooted;
	truth->system_calls += calls_kernel;
	if (truth->max_frames < shadow->count)
		truth->max_frames = shadow->count;
	if (!code_map_find(&truth->code, steps->regs.rip)) {
		truth->untold++;
		leave_unproven(truth, node, behind, calls_kernel);
		return 0;
	}
	if (shadow->count > thread->doubtful || is_between(shadow)) {
		leave_unproven(truth, node, behind, calls_kernel);
		return 0;
	}
	pending = find_pending(thread, shadow->id, node);
	if (!pending)
		return no_memory(error);
	pending->points++;
	if (!calls_kernel)
		return 0;
	pending = find_pending(thread, shadow->id, behind);
	if (!pending)
		return no_memory(error);
	pending->in_kernel++;
	return 0;
}

int truth_entry(struct process_truth *truth, struct thread_truth *thread,
		const struct stepped_process *process, const struct stepped_thread *steps,
		uint64_t pc, bool unread, struct context_entry *ret, struct error *error)
{
	const struct shadow_stack *shadow = &steps->shadow;
	uint32_t parent = 0;
	bool changed;

	if (!truth->begun && context_tree_init(&truth->tree, error))
		return -1;
	truth->begun = true;
	changed = thread->stack &&
		  (thread->epoch != shadow->epoch ||
		   (thread->doubtful != SIZE_MAX && thread->frames != shadow->count));
	if (!thread->stack)
		thread->doubtful = SIZE_MAX;
	else if (changed && !unread)
		thread->doubtful = truth_doubtful_depth(process, shadow);
	thread->epoch = shadow->epoch;
	thread->frames = shadow->count;
	if (follow_frames(truth, thread, shadow, true, &parent, error) ||
	    find_node(truth, parent, pc, false, &ret->node, error))
		return -1;
	truth->tree.node[ret->node].interrupts |= shadow->count &&
						  shadow->frame[shadow->count - 1].interrupted;
	ret->pc = pc;
	ret->stack = shadow->id;
	if ((unread && changed) || shadow->count > thread->doubtful || is_between(shadow))
		ret->flags |= TRUTH_ENTRY_DOUBT;
	truth->points++;
	truth->open += !shadow->rooted;
	*(ret->flags & TRUTH_ENTRY_DOUBT ? &truth->unproven : &truth->proven) += 1;
	if (truth->max_frames < shadow->count)
		truth->max_frames = shadow->count;
	return 0;
}

/* ---- the file ------------------------------------------------------------------------------ */

#define FIELDS_BESIDE 24 /* the arguments */

int truth_write(const struct process_truth *truth, const char *path, const char *release,
		size_t threads, const char *partial, struct error *error)
{
	FREED struct truth_field *field = calloc(truth->arguments + FIELDS_BESIDE, sizeof(*field));
	FREED char *unfinished = NULL;
	size_t count = 0;
	FILE *file;
	int status;

	if (!field || asprintf(&unfinished, "%s.unfinished", path) < 0)
		return no_memory(error);
#define TEXT(name, value)   (field[count++] = (struct truth_field) { name, value, 0 })
#define NUMBER(name, value) (field[count++] = (struct truth_field) { name, NULL, value })
	TEXT("program", truth->program ? truth->program : "");
	for (size_t i = 0; i < truth->arguments; i++)
		TEXT("argument", truth->argument[i]);
	TEXT("kernel", release);
	TEXT("machine", "x86_64");
	if (partial)
		TEXT("partial", partial);
	NUMBER("emulated", 1);
	NUMBER("steps", truth->points);
	NUMBER("points", truth->points);
	NUMBER("proven", truth->proven);
	NUMBER("unproven", truth->unproven);
	if (truth->unproven > truth->untold)
		NUMBER("unproven_contradicted", truth->unproven - truth->untold);
	if (truth->untold)
		NUMBER("unproven_untold", truth->untold);
	NUMBER("open", truth->open);
	NUMBER("every", 1);
	NUMBER("system_calls", truth->system_calls);
	NUMBER("threads", threads);
	NUMBER("execs", truth->execs);
	NUMBER("max_frames", truth->max_frames);
#undef TEXT
#undef NUMBER
	file = fopen(unfinished, "we");
	if (!file)
		return error_set_errno(error, "%s", unfinished);
	status = context_write_to(&truth->tree, field, count, file, error);
	if (!status && (ferror(file) || fflush(file)))
		status = error_set_errno(error, "%s", unfinished);
	fclose(file);
	if (!status && rename(unfinished, path))
		status = error_set_errno(error, "%s", path);
	if (status)
		remove(unfinished);
	return status;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void truth_entries_begin(const struct process_truth *truth, pid_t pid, const char *release)
{
	struct entry_writer *entries = truth->entries;

	entry_write_field(entries, "program", truth->program ? truth->program : "", 0);
	for (size_t i = 0; i < truth->arguments; i++)
		entry_write_field(entries, "argument", truth->argument[i], 0);
	/* The kernel calls it by the path that was executed, which its own name mostly is. */
	if (truth->arguments)
		entry_write_field(entries, "thread_name", name_of(truth->argument[0]), 0);
	entry_write_field(entries, "kernel", release, 0);
	entry_write_field(entries, "machine", "x86_64", 0);
	entry_write_field(entries, "pid", NULL, (uint64_t)pid);
	entry_write_field(entries, "emulated", NULL, 1);
}

void truth_entries_end(const struct process_truth *truth, size_t threads)
{
	struct entry_writer *entries = truth->entries;

	entry_write_field(entries, "program", truth->program ? truth->program : "", 0);
	entry_write_field(entries, "threads", NULL, threads);
	entry_write_field(entries, "execs", NULL, truth->execs);
	entry_write_field(entries, "max_frames", NULL, truth->max_frames);
}

void truth_deinit(struct process_truth *truth)
{
	struct error ignored; /* who closes it before asks */

	if (truth->entries)
		entry_writer_close(truth->entries, false, &ignored);
	if (truth->begun)
		context_tree_deinit(&truth->tree);
	code_map_deinit(&truth->code);
	for (size_t i = 0; i < truth->arguments; i++)
		free(truth->argument[i]);
	free(truth->argument);
	free(truth->program);
	*truth = (struct process_truth) { 0 };
}
